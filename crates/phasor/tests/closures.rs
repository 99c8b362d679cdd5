//! The lifetime of closures: called, replaced, dropped, closed; panics in closures and nested runs.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::time::Duration;

use phasor::{Async, Check, Errno, Idle, Loop, Pipe, Poll, Prepare, Readiness, RunMode, Sim, Timer, work};

const MS: Duration = Duration::from_millis(1);

fn world() -> (Loop, Sim) {
    let sim = Sim::new();
    (Loop::simulated(sim.clone()), sim)
}

/// Counts its drops, to observe when a closure is dropped.
struct Token(Rc<Cell<u32>>);

impl Token {
    /// Does nothing; calling it makes a closure capture the token.
    fn touch(&self) {}
}

impl Drop for Token {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

#[test]
fn a_closure_may_close_its_own_handle_in_every_kind_of_call() {
    let (mut l, sim) = world();
    let closed = Rc::new(RefCell::new(Vec::new()));
    let note = |name: &'static str| {
        let closed = closed.clone();
        move |_: &mut Loop| closed.borrow_mut().push(name)
    };
    let then = note("timer");
    let mut then = Some(then);
    let timer = Timer::new(&mut l);
    timer.start(&mut l, MS, MS, move |l, t| t.close_then(l, then.take().unwrap()).unwrap()).unwrap();
    macro_rules! watcher {
        ($Kind:ident) => {
            let mut then = Some(note(stringify!($Kind)));
            let handle = $Kind::new(&mut l);
            handle.start(&mut l, move |l, h| h.close_then(l, then.take().unwrap()).unwrap()).unwrap();
        };
    }
    watcher!(Idle);
    watcher!(Prepare);
    watcher!(Check);
    let mut then = Some(note("async"));
    let (_, sender) = Async::new(&mut l, move |l, h| h.close_then(l, then.take().unwrap()).unwrap());
    sender.send();
    let mut then = Some(note("poll"));
    let poll = Poll::new(&mut l, &7).unwrap();
    poll.start(&mut l, Readiness::READABLE, move |l, h, _| h.close_then(l, then.take().unwrap()).unwrap()).unwrap();
    sim.set_ready(7, Readiness::READABLE);
    assert_eq!(l.run(RunMode::Default), Ok(false));
    assert_eq!(
        *closed.borrow(),
        ["Check", "poll", "async", "Prepare", "Idle", "timer"],
        "handles close in reverse order"
    );
    assert_eq!(sim.interest(7), None);
    assert!(l.handles().is_empty());
}

#[test]
fn a_closure_lives_until_it_is_replaced_or_its_handle_closed() {
    let (mut l, _) = world();
    let drops = Rc::new(Cell::new(0));
    let timer = Timer::new(&mut l);
    let (one, two) = (Token(drops.clone()), Token(drops.clone()));
    timer
        .start(&mut l, MS, MS, move |l, timer| {
            one.touch();
            timer.stop(l).unwrap();
        })
        .unwrap();
    l.run(RunMode::Default).unwrap();
    assert_eq!(drops.get(), 0, "stopped, not closed");
    timer.start(&mut l, MS, MS, move |_, _| two.touch()).unwrap();
    assert_eq!(drops.get(), 1);
    let seen = Rc::new(Cell::new(0));
    let (note, drops_then) = (seen.clone(), drops.clone());
    timer.close_then(&mut l, move |_| note.set(drops_then.get())).unwrap();
    assert_eq!(timer.close_then(&mut l, |_| panic!("refused, so never called")), Err(Errno::EALREADY));
    l.run(RunMode::Default).unwrap();
    assert_eq!((drops.get(), seen.get()), (2, 2), "the closure is dropped before after_close");
    assert_eq!(timer.stop(&mut l), Err(Errno::EBADF));
    assert_eq!(timer.close_then(&mut l, |_| ()), Err(Errno::EBADF));
    timer.close(&mut l);
}

#[test]
fn a_closure_may_replace_itself_from_inside() {
    let (mut l, _) = world();
    let log = Rc::new(RefCell::new(Vec::new()));
    let timer = Timer::new(&mut l);
    let (first, second) = (log.clone(), log.clone());
    let mut inner = Some(move |l: &mut Loop, timer: Timer| {
        second.borrow_mut().push("second");
        timer.close(l);
    });
    timer
        .start(&mut l, MS, MS, move |l, timer| {
            first.borrow_mut().push("first");
            let second = inner.take().expect("called once");
            timer.start(l, MS, MS, second).unwrap();
            // The captured values are still valid, though the handle has another closure now.
            first.borrow_mut().push("still first");
        })
        .unwrap();
    l.run(RunMode::Default).unwrap();
    assert_eq!(*log.borrow(), ["first", "still first", "second"]);
}

#[test]
fn a_refused_start_keeps_the_previous_closure() {
    let (mut l, _) = world();
    let poll = Poll::new(&mut l, &3).unwrap();
    let drops = Rc::new(Cell::new(0));
    let token = Token(drops.clone());
    poll.start(&mut l, Readiness::READABLE, move |_, _, _| token.touch()).unwrap();
    assert_eq!(poll.start(&mut l, Readiness::ERROR, |_, _, _| ()), Err(Errno::EINVAL));
    assert_eq!(drops.get(), 0);
}

#[test]
fn a_panic_leaves_the_loop_usable_and_the_closure_in_place() {
    let (mut l, _) = world();
    let calls = Rc::new(Cell::new(0));
    let count = calls.clone();
    l.every(MS, move |l, timer| {
        count.set(count.get() + 1);
        match count.get() {
            2 => panic!("in the second call"),
            4 => timer.close(l),
            _ => {}
        }
    });
    let other = Rc::new(Cell::new(0));
    let count = other.clone();
    let check = Check::new(&mut l);
    check.start(&mut l, move |_, _| count.set(count.get() + 1)).unwrap();
    check.set_ref(&mut l, false);
    let panic = catch_unwind(AssertUnwindSafe(|| l.run(RunMode::Default))).unwrap_err();
    assert_eq!(panic.downcast_ref(), Some(&"in the second call"));
    assert_eq!(l.run(RunMode::Default), Ok(false));
    assert_eq!(calls.get(), 4);
    assert!(other.get() >= 4);
}

/// Panics when dropped.
struct Bomb;

impl Bomb {
    /// Does nothing; calling it makes a closure capture the bomb.
    fn touch(&self) {}
}

impl Drop for Bomb {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic!("in a drop");
        }
    }
}

#[test]
fn a_panic_while_dropping_a_closure_loses_no_call() {
    let (mut l, _) = world();
    let calls = Rc::new(Cell::new(0));
    let (closed, replaced) = (Timer::new(&mut l), Timer::new(&mut l));
    for timer in [closed, replaced] {
        let bomb = Bomb;
        timer.start(&mut l, MS, MS, move |_, _| bomb.touch()).unwrap();
    }
    let count = calls.clone();
    closed.close_then(&mut l, move |_| count.set(count.get() + 1)).unwrap();
    let count = calls.clone();
    let start = AssertUnwindSafe(|| {
        replaced.start(&mut l, MS, MS, move |l, timer| {
            count.set(count.get() + 10);
            timer.close(l);
        })
    });
    assert!(catch_unwind(start).is_err(), "dropping the previous closure panics");
    let panic = catch_unwind(AssertUnwindSafe(|| l.run(RunMode::Default))).unwrap_err();
    assert_eq!(panic.downcast_ref(), Some(&"in a drop"));
    assert_eq!(l.run(RunMode::Default), Ok(false));
    assert_eq!(calls.get(), 11);
}

#[test]
fn a_closure_may_replace_its_loop() {
    let mut l = Loop::new().unwrap();
    let (near, far) = Pipe::pair(&mut l).unwrap();
    near.write(&mut l, "hello").unwrap();
    let calls = Rc::new(Cell::new(0));
    let count = calls.clone();
    far.read_start(&mut l, move |l, far, _| {
        *l = Loop::new().unwrap();
        assert!(far.is_closing(l), "an id of the dropped loop");
        let count = count.clone();
        l.after(MS, move |_| count.set(count.get() + 1));
    })
    .unwrap();
    assert_eq!(l.run(RunMode::Default), Ok(false));
    assert_eq!(calls.get(), 1);
    assert_eq!(l.run(RunMode::Default), Ok(false));
}

#[test]
fn a_panic_in_work_propagates_from_run() {
    let mut l = Loop::new().unwrap();
    work(&mut l, || panic!("on a thread"), |_, _: phasor::Result<()>| unreachable!());
    let panic = catch_unwind(AssertUnwindSafe(|| l.run(RunMode::Default))).unwrap_err();
    assert_eq!(panic.downcast_ref(), Some(&"on a thread"));
    assert_eq!(l.run(RunMode::Default), Ok(false));
}

#[test]
fn a_nested_run_is_refused() {
    let (mut l, _) = world();
    let answers = Rc::new(RefCell::new(Vec::new()));
    let note = answers.clone();
    l.after(MS, move |l| note.borrow_mut().push(l.run(RunMode::NoWait)));
    let note = answers.clone();
    let timer = Timer::new(&mut l);
    timer.close_then(&mut l, move |l| note.borrow_mut().push(l.run(RunMode::Default))).unwrap();
    let note = answers.clone();
    work(&mut l, || (), move |l, _| note.borrow_mut().push(l.run(RunMode::Once)));
    assert_eq!(l.run(RunMode::Default), Ok(false));
    assert_eq!(*answers.borrow(), [Err(Errno::EBUSY); 3]);
}

#[test]
fn an_unreferenced_handle_does_not_keep_the_loop_alive() {
    let (mut l, _) = world();
    let timer = l.every(MS, |_, _| unreachable!("the loop is not alive"));
    assert!(timer.has_ref(&l) && timer.is_active(&l) && l.is_alive());
    assert_eq!(l.why_alive().len(), 1);
    timer.set_ref(&mut l, false);
    assert!(!timer.has_ref(&l) && timer.is_active(&l) && !l.is_alive());
    assert!(l.why_alive().is_empty());
    assert_eq!(l.run(RunMode::Default), Ok(false));
}

#[test]
fn stop_ends_the_run_while_the_loop_is_alive() {
    let (mut l, sim) = world();
    l.every(MS, |l, _| l.stop());
    assert_eq!(l.run(RunMode::Default), Ok(true));
    assert_eq!(sim.now_ms(), 1);
    assert_eq!(l.run(RunMode::Default), Ok(true));
    assert_eq!(sim.now_ms(), 2);
}

#[test]
fn waiting_for_ever_is_an_error_in_simulation() {
    let (mut l, _) = world();
    Async::new(&mut l, |_, _| ());
    assert!(l.run(RunMode::Default).is_err());
}
