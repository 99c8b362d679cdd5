//! Tests of process handles, with real children.

use std::ffi::CString;
use std::io::{PipeReader, Read, pipe};
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use phasor_core::{Errno, Event, ExitStatus, Face, HandleId, Loop, Readiness, RunMode, Spawn, Stdio};

/// A test fails if an expected event does not come within this time.
const LIMIT_MS: u64 = 20_000;

const SIGKILL: i32 = 9;
const SIGTERM: i32 = 15;

struct Numbers;

impl Face for Numbers {
    type Handle = usize;
    type Request = ();
    type Bytes = Vec<u8>;
}

fn c(text: &str) -> CString {
    CString::new(text).unwrap()
}

fn sh(script: &str) -> Spawn {
    Spawn { program: c("sh"), args: vec![c("sh"), c("-c"), c(script)], ..Spawn::default() }
}

/// A loop with an unreferenced timer that fails a test which would wait for ever.
fn test_loop() -> Loop<Numbers> {
    let mut core = Loop::new().unwrap();
    let limit = core.timer_open(usize::MAX);
    core.timer_start(limit, LIMIT_MS, 0).unwrap();
    core.set_ref(limit, false).unwrap();
    core
}

fn spawned(core: &mut Loop<Numbers>, number: usize, spawn: Spawn) -> HandleId {
    let id = core.process_open(number);
    let pid = core.process_spawn(id, spawn).unwrap();
    assert_eq!(core.process_pid(id), Ok(pid));
    id
}

fn next_exit(core: &mut Loop<Numbers>) -> Option<(usize, ExitStatus)> {
    while let Some(event) = core.next(RunMode::Default) {
        match event {
            Event::Exit(id, status) => return Some((*core.face(id).unwrap(), status)),
            Event::Timer(_) => panic!("timed out"),
            _ => {}
        }
    }
    None
}

fn exited(code: i64) -> ExitStatus {
    ExitStatus { code, signal: 0 }
}

fn killed(signal: i32) -> ExitStatus {
    ExitStatus { code: 0, signal }
}

/// Waits until the state of a child is the wanted one; `None` if the child does not exist any more.
fn wait_for_state(pid: i32, wanted: fn(Option<&str>) -> bool) {
    let since = Instant::now();
    loop {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok();
        let state = stat.as_deref().and_then(|stat| stat.rsplit(") ").next()).and_then(|rest| rest.split(' ').next());
        if wanted(state) {
            return;
        }
        assert!(since.elapsed() < Duration::from_millis(LIMIT_MS), "timed out: {state:?}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn wait_for_zombie(pid: i32) {
    wait_for_state(pid, |state| state == Some("Z"));
}

fn is_gone(pid: i32) -> bool {
    !std::path::Path::new(&format!("/proc/{pid}")).exists()
}

#[test]
fn a_child_ends_with_its_code_and_is_inactive_then() {
    let mut core = test_loop();
    let id = spawned(&mut core, 1, sh("exit 7"));
    let pid = core.process_pid(id).unwrap();
    assert!(core.is_active(id) && core.is_alive());
    assert_eq!(core.process_spawn(id, sh("exit 8")), Err(Errno::EALREADY));
    assert_eq!(next_exit(&mut core), Some((1, exited(7))));
    assert!(!core.is_active(id) && !core.is_alive());
    assert!(is_gone(pid));
    assert_eq!(core.process_kill(id, SIGTERM), Err(Errno::ESRCH));
    assert_eq!(core.process_pid(id), Ok(pid));
    assert_eq!(next_exit(&mut core), None);
    core.close(id).unwrap();
    assert!(matches!(core.next(RunMode::Default), Some(Event::Closed(1))));
}

#[test]
fn a_child_is_killed_through_its_handle() {
    let mut core = test_loop();
    let id = spawned(&mut core, 1, Spawn { program: c("sleep"), args: vec![c("sleep"), c("600")], ..Spawn::default() });
    core.process_kill(id, 0).unwrap();
    assert_eq!(core.process_kill(id, 1000), Err(Errno::EINVAL));
    core.process_kill(id, SIGTERM).unwrap();
    assert_eq!(next_exit(&mut core), Some((1, killed(SIGTERM))));
    spawned(&mut core, 2, sh("kill -9 $$"));
    assert_eq!(next_exit(&mut core), Some((2, killed(SIGKILL))));
}

#[test]
fn a_failed_spawn_leaves_an_inactive_handle() {
    let mut core = test_loop();
    let id = core.process_open(1);
    assert_eq!(core.process_kill(id, SIGTERM), Err(Errno::ESRCH));
    let nothing = Spawn { program: c("/nonexistent/program"), args: vec![c("program")], ..Spawn::default() };
    assert_eq!(core.process_spawn(id, nothing), Err(Errno::ENOENT));
    assert!(!core.is_active(id) && core.process_pid(id) == Ok(0));
    let closed = Spawn { stdio: vec![Stdio::Inherit(-1)], ..sh("true") };
    assert_eq!(core.process_spawn(id, closed), Err(Errno::EINVAL));
    let stale = Spawn { stdio: vec![Stdio::Stream(id)], ..sh("true") };
    assert_eq!(core.process_spawn(id, stale), Err(Errno::EINVAL));
    assert_eq!(core.fileno(id), Err(Errno::EINVAL), "the pidfd is not accessible");
    core.process_spawn(id, sh("exit 3")).unwrap();
    assert_eq!(next_exit(&mut core), Some((1, exited(3))));
    core.close(id).unwrap();
    assert_eq!(core.process_spawn(id, sh("true")), Err(Errno::EINVAL));
    let timer = core.timer_open(2);
    assert_eq!(core.process_spawn(timer, sh("true")), Err(Errno::EBADF));
}

/// Spawns a script with a pipe as its output, and returns the read end, of which there is no other copy.
fn writing(core: &mut Loop<Numbers>, number: usize, spawn: Spawn) -> (HandleId, PipeReader) {
    let (reader, writer) = pipe().unwrap();
    let stdio = vec![Stdio::Ignore, Stdio::Inherit(writer.as_raw_fd()), Stdio::Inherit(writer.as_raw_fd())];
    (spawned(core, number, Spawn { stdio, ..spawn }), reader)
}

#[test]
fn cwd_environment_and_stdio_are_set_as_requested() {
    let mut core = test_loop();
    let spawn = Spawn {
        env: Some(vec![c("PATH=/usr/bin:/bin"), c("GREETING=hello")]),
        cwd: Some(c("/")),
        ..sh("echo $GREETING; pwd; read line || echo no input >&2")
    };
    let (_, mut reader) = writing(&mut core, 1, spawn);
    let mut text = String::new();
    reader.read_to_string(&mut text).unwrap();
    assert_eq!(text, "hello\n/\nno input\n");
    assert_eq!(next_exit(&mut core), Some((1, exited(0))));
}

#[test]
fn a_child_inherits_the_fd_of_a_handle() {
    let mut core = test_loop();
    let (mut reader, writer) = pipe().unwrap();
    let poll = core.poll_open(writer.as_raw_fd(), 1).unwrap();
    spawned(&mut core, 2, Spawn { stdio: vec![Stdio::Ignore, Stdio::Stream(poll)], ..sh("echo hello") });
    drop(writer);
    let mut text = String::new();
    reader.read_to_string(&mut text).unwrap();
    assert_eq!(text, "hello\n");
    assert_eq!(next_exit(&mut core), Some((2, exited(0))));
}

#[test]
fn pipe_output_is_delivered_before_the_exit_event() {
    let mut core = test_loop();
    let (id, reader) = writing(&mut core, 1, sh("echo hello"));
    wait_for_zombie(core.process_pid(id).unwrap());
    // Registered after the pidfd, so epoll alone would not report it first.
    let poll = core.poll_open(reader.as_raw_fd(), 2).unwrap();
    core.poll_start(poll, Readiness::READABLE).unwrap();
    assert!(matches!(core.next(RunMode::Default), Some(Event::Ready(..))));
    core.close(poll).unwrap();
    assert!(matches!(core.next(RunMode::Default), Some(Event::Exit(..))));
}

#[test]
fn exits_are_reported_in_spawn_order() {
    let mut core = test_loop();
    let (reader, writer) = pipe().unwrap();
    let waits = Spawn { stdio: vec![Stdio::Inherit(reader.as_raw_fd())], ..sh("read line; exit 1") };
    let first = spawned(&mut core, 1, waits);
    let others: Vec<_> = (2..6).map(|n| spawned(&mut core, n, sh("exit 0"))).collect();
    for &id in &others {
        wait_for_zombie(core.process_pid(id).unwrap());
    }
    drop(writer);
    wait_for_zombie(core.process_pid(first).unwrap());
    assert_eq!(next_exit(&mut core), Some((1, exited(1))));
    for &id in &others {
        assert_eq!(core.process_kill(id, 0), Err(Errno::ESRCH), "reaped before its event is returned");
        assert!(core.is_active(id));
    }
    core.close(others[1]).unwrap();
    let rest: Vec<_> = std::iter::from_fn(|| next_exit(&mut core)).map(|(number, _)| number).collect();
    assert_eq!(rest, [2, 4, 5]);
}

#[test]
fn two_hundred_children_at_once() {
    let mut core = test_loop();
    for n in 0..200 {
        spawned(&mut core, n, sh(&format!("exit {n}")));
    }
    let mut codes = vec![None; 200];
    while let Some((number, status)) = next_exit(&mut core) {
        assert_eq!(codes[number].replace(status), None);
    }
    for (number, status) in codes.into_iter().enumerate() {
        assert_eq!(status, Some(exited(number as i64)));
    }
}

#[test]
fn a_child_with_a_closed_handle_is_reaped_without_an_event() {
    let mut core = test_loop();
    let (reader, writer) = pipe().unwrap();
    let waits = Spawn { stdio: vec![Stdio::Inherit(reader.as_raw_fd())], ..sh("read line") };
    let id = spawned(&mut core, 1, waits);
    let pid = core.process_pid(id).unwrap();
    core.close(id).unwrap();
    assert_eq!(next_exit(&mut core), None, "it does not keep the loop alive");
    assert!(!is_gone(pid));
    drop((reader, writer));
    let other = spawned(&mut core, 2, sh("exit 0"));
    wait_for_zombie(pid);
    wait_for_zombie(core.process_pid(other).unwrap());
    assert_eq!(next_exit(&mut core), Some((2, exited(0))));
    assert!(is_gone(pid));
}

#[test]
fn a_child_without_a_reference_does_not_keep_the_loop_alive() {
    let mut core = test_loop();
    let (reader, writer) = pipe().unwrap();
    let waits = Spawn { stdio: vec![Stdio::Inherit(reader.as_raw_fd())], detached: true, ..sh("read line") };
    let id = spawned(&mut core, 1, waits);
    core.set_ref(id, false).unwrap();
    assert_eq!(next_exit(&mut core), None);
    drop((reader, writer));
    core.set_ref(id, true).unwrap();
    assert_eq!(next_exit(&mut core), Some((1, exited(1))));
}
