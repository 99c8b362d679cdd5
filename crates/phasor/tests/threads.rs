//! Calls caused by other threads: async sends, channels, pool work. With the real clock and real threads.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::{Arc, mpsc};
use std::thread;

use phasor::{Async, AsyncSender, Check, Errno, Loop, RunMode, Sender, work};

#[test]
fn senders_are_send_sync_and_clone() {
    fn anywhere<T: Send + Sync + Clone + 'static>() {}
    anywhere::<AsyncSender>();
    anywhere::<Sender<u8>>();
    anywhere::<phasor::Remote>();
}

#[test]
fn a_channel_delivers_all_values_in_order_per_thread() {
    let mut l = Loop::new().unwrap();
    let seen = Rc::new(RefCell::new(vec![Vec::new(); 4]));
    let note = seen.clone();
    let mut left = 4 * 1000;
    let (_, sender) = l.channel(move |l, inbox, (thread, value): (usize, u32)| {
        note.borrow_mut()[thread].push(value);
        left -= 1;
        if left == 0 {
            inbox.close(l);
        }
    });
    let threads: Vec<_> = (0..4)
        .map(|n| {
            let sender = sender.clone();
            thread::spawn(move || (0..1000).for_each(|value| sender.send((n, value)).unwrap()))
        })
        .collect();
    l.run(RunMode::Default).unwrap();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert!(seen.borrow().iter().all(|values| values.iter().copied().eq(0..1000)));
    assert_eq!(sender.send((0, 0)), Err((0, 0)), "the receiver is gone");
}

#[test]
fn queued_values_are_dropped_with_the_handle_or_the_loop() {
    let value = Arc::new(());
    let mut l = Loop::new().unwrap();
    let (inbox, sender) = l.channel(|_, _, _: Arc<()>| unreachable!("closed before its turn"));
    sender.send(value.clone()).unwrap();
    inbox.close(&mut l);
    l.run(RunMode::Default).unwrap();
    assert!(sender.send(value.clone()).is_err());
    let (_, sender) = l.channel(|_, _, _: Arc<()>| ());
    sender.send(value.clone()).unwrap();
    drop(l);
    assert!(sender.send(value.clone()).is_err());
    assert_eq!(Arc::strong_count(&value), 1);
}

#[test]
fn a_flood_of_values_does_not_starve_other_handles() {
    let mut l = Loop::new().unwrap();
    let log = Rc::new(RefCell::new(Vec::new()));
    let note = log.clone();
    let (_, sender) = l.channel(move |l, inbox, value: u32| {
        note.borrow_mut().push(Some(value));
        if value == 2999 {
            inbox.close(l);
        }
    });
    (0..3000).for_each(|value| sender.send(value).unwrap());
    let note = log.clone();
    let check = Check::new(&mut l);
    check.start(&mut l, move |_, _| note.borrow_mut().push(None)).unwrap();
    check.set_ref(&mut l, false);
    assert_eq!(l.run(RunMode::Default), Ok(false));
    let turns: Vec<usize> = log.borrow().split(Option::is_none).map(<[_]>::len).collect();
    assert_eq!(turns[..3], [1024, 1024, 952]);
    assert!(log.borrow().iter().copied().flatten().eq(0..3000));
}

#[test]
fn sends_are_coalesced_and_none_is_lost() {
    let mut l = Loop::new().unwrap();
    let calls = Rc::new(Cell::new(0));
    let count = calls.clone();
    let (wake, sender) = Async::new(&mut l, move |_, _| count.set(count.get() + 1));
    (0..100).for_each(|_| sender.send());
    l.run(RunMode::Once).unwrap();
    assert_eq!(calls.get(), 1);
    wake.sender(&l).unwrap().send();
    l.run(RunMode::Once).unwrap();
    assert_eq!(calls.get(), 2);
    wake.close(&mut l);
    assert_eq!(l.run(RunMode::Default), Ok(false));
    sender.send();
    assert_eq!(wake.sender(&l).err(), Some(Errno::EBADF));
}

#[test]
fn work_returns_a_value_and_can_be_cancelled_while_queued() {
    let mut l = Loop::new().unwrap();
    let (release, blocked) = mpsc::channel::<()>();
    let blocked = Arc::new(std::sync::Mutex::new(blocked));
    let sum = Rc::new(Cell::new(0));
    // More tasks than any pool has threads, all blocked, so that the task after them is not started.
    for n in 0..1100 {
        let (blocked, sum) = (blocked.clone(), sum.clone());
        work(
            &mut l,
            move || blocked.lock().unwrap().recv().map_or(n, |()| 0),
            move |_, value| {
                sum.set(sum.get() + value.unwrap());
            },
        );
    }
    let cancelled = Rc::new(Cell::new(None));
    let note = cancelled.clone();
    let late = work(&mut l, || unreachable!(), move |_, value: phasor::Result<()>| note.set(Some(value)));
    l.cancel(late).unwrap();
    assert_eq!(l.cancel(late), Ok(()), "a cancelled request can be cancelled again");
    drop(release);
    assert_eq!(l.run(RunMode::Default), Ok(false));
    assert_eq!(cancelled.get(), Some(Err(Errno::ECANCELED)));
    assert_eq!(sum.get(), 1099 * 1100 / 2);
    assert_eq!(l.cancel(late), Err(Errno::EBADF));
}
