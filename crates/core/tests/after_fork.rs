//! Tests of `after_fork`, called without a fork: started handles go on to work after everything was replaced.

mod common;

use common::*;
use phasor_core::{Event, Loop, Sim, stream_pair};

#[test]
fn started_handles_continue_after_fork() {
    let mut core = test_loop();
    let (waker, sender) = core.async_open("async");
    let (near, far) = stream_pair([true, true]).unwrap();
    let (reader, writer) = (core.pipe_open(false, "reader"), core.pipe_open(false, "writer"));
    core.pipe_adopt(reader, near).unwrap();
    core.pipe_adopt(writer, far).unwrap();
    core.stream_read_start(reader).unwrap();
    let signal = core.signal_open("signal");
    core.signal_start(signal, SIGWINCH).unwrap();
    let folder = Scratch::new();
    let watch = core.fs_event_open("watch");
    core.fs_event_start(watch, &c(&folder.0)).unwrap();
    let poll = core.fs_poll_open("poll");
    core.fs_poll_start(poll, c"/nonexistent", 1000).unwrap();
    // Everything is registered with the platform once before the call, and the bell is rung.
    let mut received = Vec::new();
    if let Some(Event::FsPoll(id, _)) = core.next(phasor_core::RunMode::NoWait) {
        // The pool was fast enough to deliver the result already; it is reported only once.
        received.push(id);
    }
    sender.send();

    core.after_fork().unwrap();

    core.stream_write(writer, vec![b"x".to_vec()], "write").unwrap();
    phasor_core::kill(std::process::id() as i32, SIGWINCH).unwrap();
    folder.file("file");
    run(&mut core, |core, event| {
        let id = match event {
            Event::Readable(id) => {
                assert_eq!(core.stream_read(id, &mut [0; 8]), Ok(1));
                id
            }
            Event::Async(id) | Event::Signal(id, _) | Event::FsEvent(id, _) | Event::FsPoll(id, _) => id,
            _ => return false,
        };
        if !received.contains(&id) {
            received.push(id);
        }
        received.len() == 5
    });
    received.sort();
    let mut all = [waker, reader, signal, watch, poll];
    all.sort();
    assert_eq!(received, all);
}

#[test]
fn the_simulated_platform_cannot_be_forked() {
    let mut core = Loop::<Names>::on(Sim::new());
    assert_eq!(core.after_fork(), Err(phasor_core::Errno::ENOSYS));
}

/// A signal that is ignored by default.
const SIGWINCH: i32 = 28;
