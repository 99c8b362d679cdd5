//! Timers in virtual time.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use phasor::{Errno, Loop, RunMode, Sim, Timer};

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

#[test]
fn timers_fire_in_order_of_due_time_then_start() {
    let world = Sim::new();
    let mut l = Loop::simulated(world.clone());
    let fired = Rc::new(RefCell::new(Vec::new()));
    // A linear congruential generator: delays in random order.
    let mut number = 1u64;
    let mut expected = Vec::new();
    for n in 0..100_000u32 {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let after = (number >> 33) % 10_000;
        expected.push((after, n));
        let (fired, world) = (fired.clone(), world.clone());
        l.after(ms(after), move |_| fired.borrow_mut().push((world.now_ms(), n)));
    }
    expected.sort();
    assert_eq!(l.run(RunMode::Default), Ok(false));
    assert_eq!(*fired.borrow(), expected);
    assert!(l.handles().is_empty(), "each timer closed itself");
}

#[test]
fn a_repeating_timer_counts_from_the_cached_time() {
    let world = Sim::new();
    let mut l = Loop::simulated(world.clone());
    let times = Rc::new(RefCell::new(Vec::new()));
    let (note, clock) = (times.clone(), world.clone());
    l.every(ms(10), move |l, timer| {
        note.borrow_mut().push(clock.now_ms());
        // A slow call. As `src/unix/core.c: uv_run`, the repeat counts from the loop's cached time from before the
        // call, so the next call is late and missed repetitions are skipped.
        clock.advance_ms(25);
        if note.borrow().len() == 3 {
            timer.close(l);
        }
    });
    l.run(RunMode::Default).unwrap();
    assert_eq!(*times.borrow(), [10, 45, 80]);
}

#[test]
fn again_and_repeat_follow_libuv() {
    let world = Sim::new();
    let mut l = Loop::simulated(world.clone());
    let calls = Rc::new(Cell::new(0));
    let timer = Timer::new(&mut l);
    assert_eq!(timer.again(&mut l), Err(Errno::EINVAL));
    let count = calls.clone();
    timer.start(&mut l, ms(5), ms(0), move |_, _| count.set(count.get() + 1)).unwrap();
    assert_eq!(timer.due_in(&l), Ok(ms(5)));
    l.run(RunMode::Default).unwrap();
    timer.again(&mut l).unwrap();
    assert!(!timer.is_active(&l), "the timer does not repeat");
    timer.set_repeat(&mut l, Duration::from_micros(1500)).unwrap();
    assert_eq!(timer.repeat(&l), Ok(ms(2)), "rounded up");
    timer.again(&mut l).unwrap();
    assert!(timer.is_active(&l));
    while calls.get() < 3 {
        assert_eq!(l.run(RunMode::Once), Ok(true));
    }
    assert_eq!(world.now_ms(), 9);
}

#[test]
fn a_timer_closed_before_it_is_due_is_not_called() {
    let mut l = Loop::simulated(Sim::new());
    let timer = l.after(ms(5), |_| panic!("was closed"));
    l.after(ms(4), move |l| timer.close(l));
    l.run(RunMode::Default).unwrap();
}
