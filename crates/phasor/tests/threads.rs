//! What comes from other threads: sends, values, work. On the real clock, with real threads.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::mpsc;
use std::thread;

use phasor::{Async, AsyncSender, Errno, Loop, RunMode, Sender, work};

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
            thread::spawn(move || (0..1000).for_each(|value| sender.send((n, value))))
        })
        .collect();
    l.run(RunMode::Default).unwrap();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert!(seen.borrow().iter().all(|values| values.iter().copied().eq(0..1000)));
    sender.send((0, 0));
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
    wake.sender(&mut l).unwrap().send();
    l.run(RunMode::Once).unwrap();
    assert_eq!(calls.get(), 2);
    wake.close(&mut l);
    assert_eq!(l.run(RunMode::Default), Ok(false));
    sender.send();
    assert_eq!(wake.sender(&mut l).err(), Some(Errno::EBADF));
}

#[test]
fn work_returns_its_value_and_can_be_cancelled_while_it_waits() {
    let mut l = Loop::new().unwrap();
    let (hold, held) = mpsc::channel::<()>();
    let held = std::sync::Arc::new(std::sync::Mutex::new(held));
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
    assert_eq!(l.cancel(late), Err(Errno::EBUSY));
    drop(hold);
    assert_eq!(l.run(RunMode::Default), Ok(false));
    assert_eq!(cancelled.get(), Some(Err(Errno::ECANCELED)));
    assert_eq!(sum.get(), 1099 * 1100 / 2);
    assert_eq!(l.cancel(late), Err(Errno::EBADF));
}
