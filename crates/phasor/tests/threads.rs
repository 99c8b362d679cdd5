//! What comes from other threads: sends, values, work. On the real clock, with real threads.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::{Arc, mpsc};
use std::thread;

use phasor::{Async, AsyncSender, Check, Errno, Loop, RunMode, Sender, work};

#[test]
fn senders_may_go_anywhere() {
    fn anywhere<T: Send + Sync + Clone + 'static>() {}
    anywhere::<AsyncSender>();
    anywhere::<Sender<u8>>();
    anywhere::<phasor::Remote>();
}

#[test]
fn values_of_many_threads_arrive_all_and_in_the_order_of_each() {
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
    assert_eq!(sender.send((0, 0)), Err((0, 0)), "nobody will take it");
}

#[test]
fn what_waits_in_a_channel_goes_with_its_handle_or_its_loop() {
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
fn a_flood_of_values_keeps_nothing_else_from_its_turn() {
    let mut l = Loop::new().unwrap();
    let said = Rc::new(RefCell::new(Vec::new()));
    let note = said.clone();
    let (_, sender) = l.channel(move |l, inbox, value: u32| {
        note.borrow_mut().push(Some(value));
        if value == 2999 {
            inbox.close(l);
        }
    });
    (0..3000).for_each(|value| sender.send(value).unwrap());
    let note = said.clone();
    let check = Check::new(&mut l);
    check.start(&mut l, move |_, _| note.borrow_mut().push(None)).unwrap();
    check.set_ref(&mut l, false);
    assert_eq!(l.run(RunMode::Default), Ok(false));
    let turns: Vec<usize> = said.borrow().split(Option::is_none).map(<[_]>::len).collect();
    assert_eq!(turns[..3], [1024, 1024, 952]);
    assert!(said.borrow().iter().copied().flatten().eq(0..3000));
}

#[test]
fn sends_melt_and_the_last_one_is_always_seen() {
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
fn work_returns_its_value_and_can_be_cancelled_while_it_waits() {
    let mut l = Loop::new().unwrap();
    let (hold, held) = mpsc::channel::<()>();
    let held = Arc::new(std::sync::Mutex::new(held));
    let sum = Rc::new(Cell::new(0));
    // More than any pool has threads, all waiting, so that what comes after them has not begun.
    for n in 0..1100 {
        let (held, sum) = (held.clone(), sum.clone());
        work(
            &mut l,
            move || held.lock().unwrap().recv().map_or(n, |()| 0),
            move |_, value| {
                sum.set(sum.get() + value.unwrap());
            },
        );
    }
    let cancelled = Rc::new(Cell::new(None));
    let note = cancelled.clone();
    let late = work(&mut l, || unreachable!(), move |_, value: phasor::Result<()>| note.set(Some(value)));
    l.cancel(late).unwrap();
    assert_eq!(l.cancel(late), Ok(()), "it is cancelled already");
    drop(hold);
    assert_eq!(l.run(RunMode::Default), Ok(false));
    assert_eq!(cancelled.get(), Some(Err(Errno::ECANCELED)));
    assert_eq!(sum.get(), 1099 * 1100 / 2);
    assert_eq!(l.cancel(late), Err(Errno::EBADF));
}
