//! A loop that is awake and waits for nothing but its bell looks at it by itself: whoever rings makes no system call. Whatever
//! happens then, nothing is missed, also not by who waits for the loop from outside.

use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::thread;

use phasor_core::{Event, Face, Loop, Outcome, Readiness, RunMode};

struct Plain;

impl Face for Plain {
    type Handle = &'static str;
    type Request = &'static str;
    type Bytes = Vec<u8>;
}

fn core() -> Loop<Plain> {
    Loop::new().unwrap()
}

/// What the next call is about.
fn name(core: &mut Loop<Plain>, mode: RunMode) -> Option<&'static str> {
    core.next(mode).map(|event| match event {
        Event::Done(name, Outcome::Work(Ok(()))) => name,
        other => other.handle().and_then(|id| core.face(id).copied()).unwrap_or("another event"),
    })
}

/// Whether the loop's descriptor is ready: as an embedder asks, by a loop around it.
fn is_ready(core: &Loop<Plain>) -> bool {
    let mut outer = self::core();
    let inner = outer.poll_open(core.backend_fd().unwrap(), "inner").unwrap();
    outer.poll_start(inner, Readiness::READABLE).unwrap();
    name(&mut outer, RunMode::NoWait) == Some("inner")
}

#[test]
fn what_is_sent_while_the_loop_is_awake_comes_next() {
    let mut core = core();
    let (_, sender) = core.async_open("async");
    core.work(|| {}, "first");
    assert_eq!(name(&mut core, RunMode::Default), Some("first"));
    for _ in 0..1000 {
        let sender = sender.clone();
        thread::spawn(move || sender.send()).join().unwrap();
        assert_eq!(name(&mut core, RunMode::Default), Some("async"));
    }
}

#[test]
fn who_waits_from_outside_hears_of_what_was_sent_before_the_run_was_over() {
    let mut core = core();
    let (_, sender) = core.async_open("async");
    core.work(|| {}, "first");
    assert_eq!(name(&mut core, RunMode::Default), Some("first"));
    sender.send();
    core.stop();
    // Whether the bell is looked at once more before the run is over is not said.
    let in_time = name(&mut core, RunMode::Default).is_some();
    if in_time {
        assert_eq!(name(&mut core, RunMode::Default), None);
        sender.send();
    }
    assert!(is_ready(&core));
    assert_eq!(name(&mut core, RunMode::NoWait), Some("async"));
}

#[test]
fn who_waits_from_outside_hears_of_what_is_sent_between_runs() {
    let mut core = core();
    let (_, sender) = core.async_open("async");
    core.work(|| {}, "first");
    assert_eq!(name(&mut core, RunMode::Default), Some("first"));
    core.stop();
    assert_eq!(name(&mut core, RunMode::Default), None);
    assert!(!is_ready(&core));
    sender.send();
    assert!(is_ready(&core));
    assert_eq!(name(&mut core, RunMode::NoWait), Some("async"));
}

#[test]
fn what_was_sent_before_a_descriptor_was_watched_comes_before_it() {
    let mut core = core();
    let (_, sender) = core.async_open("async");
    core.work(|| {}, "first");
    assert_eq!(name(&mut core, RunMode::Default), Some("first"));
    sender.send();
    let (ours, mut theirs) = UnixStream::pair().unwrap();
    theirs.write_all(b"x").unwrap();
    let socket = core.poll_open(ours.as_raw_fd(), "socket").unwrap();
    core.poll_start(socket, Readiness::READABLE).unwrap();
    assert_eq!(name(&mut core, RunMode::Default), Some("async"));
    assert_eq!(name(&mut core, RunMode::Default), Some("socket"));
    // From now on the kernel knows what came first.
    theirs.write_all(b"x").unwrap();
    sender.send();
    assert_eq!(name(&mut core, RunMode::Default), Some("socket"));
    assert_eq!(name(&mut core, RunMode::Default), Some("async"));
}
