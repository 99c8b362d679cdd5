//! Tests of polling the bell: a running loop that watches nothing else reads the bell's flag itself, and senders make
//! no system call. No send may be missed, also not by an embedder that waits for the loop's file descriptor.

use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
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

/// The name of the next event's handle or request.
fn name(core: &mut Loop<Plain>, mode: RunMode) -> Option<&'static str> {
    core.next(mode).map(|event| match event {
        Event::Done(name, Outcome::Work(Ok(()))) => name,
        other => other.handle().and_then(|id| core.face(id).copied()).unwrap_or("unexpected event"),
    })
}

/// Whether the loop's file descriptor is readable, as an embedder would find with a loop of its own.
fn is_ready(core: &Loop<Plain>) -> bool {
    let mut outer = self::core();
    let inner = outer.poll_open(core.backend_fd().unwrap(), "inner").unwrap();
    outer.poll_start(inner, Readiness::READABLE).unwrap();
    name(&mut outer, RunMode::NoWait) == Some("inner")
}

#[test]
fn a_send_while_the_loop_is_awake_is_delivered_next() {
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
fn the_backend_fd_is_readable_after_a_send_before_the_run_ended() {
    let mut core = core();
    let (_, sender) = core.async_open("async");
    core.work(|| {}, "first");
    assert_eq!(name(&mut core, RunMode::Default), Some("first"));
    sender.send();
    core.stop();
    // It is not specified whether the loop reads the bell once more before the run ends.
    let in_time = name(&mut core, RunMode::Default).is_some();
    if in_time {
        assert_eq!(name(&mut core, RunMode::Default), None);
        sender.send();
    }
    assert!(is_ready(&core));
    assert_eq!(name(&mut core, RunMode::NoWait), Some("async"));
}

#[test]
fn the_backend_fd_is_readable_after_a_send_between_runs() {
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
fn a_send_before_an_fd_was_watched_is_delivered_before_its_readiness() {
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
    // From now on the loop does not poll the bell, and the kernel keeps the order.
    theirs.write_all(b"x").unwrap();
    sender.send();
    assert_eq!(name(&mut core, RunMode::Default), Some("socket"));
    assert_eq!(name(&mut core, RunMode::Default), Some("async"));
}

/// Another thread sends while the loop is run in all modes, with and without a watched file descriptor, and stopped.
#[test]
fn no_send_is_missed_in_any_run_mode() {
    const ROUNDS: usize = 5_000;
    let mut core = core();
    let (_, sender) = core.async_open("async");
    let (ours, mut theirs) = UnixStream::pair().unwrap();
    let socket = core.poll_open(ours.as_raw_fd(), "socket").unwrap();
    let (go, go_receiver) = channel::<()>();
    let written = Arc::new(AtomicUsize::new(0));
    let writes = written.clone();
    let sends = thread::spawn(move || {
        while go_receiver.recv().is_ok() {
            writes.fetch_add(1, Ordering::SeqCst);
            sender.send();
        }
    });
    let mut random = 1_u32;
    for round in 1..=ROUNDS {
        let mut works = 0;
        go.send(()).unwrap();
        let mut received = 0;
        while received < round {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            match random >> 28 {
                0 => core.poll_start(socket, Readiness::READABLE).unwrap(),
                1 | 2 => core.poll_stop(socket).unwrap(),
                3 => core.stop(),
                4 if works < 2 => {
                    works += 1;
                    core.work(|| {}, "work");
                }
                5 => theirs.write_all(b"x").unwrap(),
                _ => {}
            }
            let mode =
                [RunMode::Default, RunMode::Default, RunMode::Once, RunMode::NoWait][(random >> 20) as usize % 4];
            match name(&mut core, mode) {
                Some("async") => received = written.load(Ordering::SeqCst),
                Some("socket") => {
                    let _ = (&ours).read(&mut [0; 64]).unwrap();
                }
                _ => {}
            }
        }
    }
    drop(go);
    sends.join().unwrap();
}
