//! Programs that call operations out of order or extremely often: nothing is lost, nothing hangs, and the cost stays
//! linear.

mod common;

use std::time::{Duration, Instant};

use common::*;
use phasor_core::{Errno, Event, Fd, HandleId, Readiness, RequestId, RunMode, stream_pair};
use std::os::fd::{AsRawFd, IntoRawFd};

/// Much longer than the measured part takes in a debug build on a busy machine, and much shorter than a quadratic
/// algorithm would take.
const LIMIT: Duration = Duration::from_secs(6);

/// A pipe handle whose peer does not read, with queued writes of 1000 bytes.
fn full_pipe(core: &mut Core, name: &'static str, writes: usize) -> (HandleId, Fd, Vec<RequestId>) {
    let (near, far) = stream_pair([true, true]).unwrap();
    let pipe = core.pipe_open(false, name);
    core.pipe_adopt(pipe, near).unwrap();
    core.stream_write(pipe, vec![vec![0; 4 << 20]], "first").unwrap();
    let requests = (0..writes).map(|_| core.stream_write(pipe, vec![vec![0; 1000]], name).unwrap()).collect();
    (pipe, far, requests)
}

#[test]
fn a_write_can_be_cancelled_after_its_stream_was_closed() {
    let mut core = test_loop();
    let pipes: Vec<_> = ["a", "b", "c"].into_iter().map(|name| full_pipe(&mut core, name, 3)).collect();
    while core.next(RunMode::NoWait).is_some() {}
    for (pipe, ..) in &pipes {
        core.close(*pipe).unwrap();
    }
    for (_, _, requests) in &pipes {
        for &request in requests {
            core.cancel(request).unwrap();
            core.cancel(request).unwrap();
        }
    }
    let lines = trace(&mut core);
    let cancelled = |name: &str| lines.iter().filter(|line| **line == format!("{name} ECANCELED 0")).count();
    assert_eq!([cancelled("a"), cancelled("b"), cancelled("c")], [3; 3]);
    let closed: Vec<_> = lines.iter().filter(|line| line.starts_with("closed")).collect();
    assert_eq!(closed, ["closed c", "closed b", "closed a"]);
    assert!(!core.is_alive());
}

#[test]
fn cancelling_many_writes_costs_the_same_from_either_end() {
    const WRITES: usize = 100_000;
    let mut core = test_loop();
    let (pipe, _far, requests) = full_pipe(&mut core, "pipe", WRITES);
    let began = Instant::now();
    for &request in requests.iter().rev() {
        core.cancel(request).unwrap();
    }
    assert!(began.elapsed() < LIMIT, "{:?}", began.elapsed());
    core.close(pipe).unwrap();
    let lines = trace(&mut core);
    assert_eq!(lines.iter().filter(|line| *line == "pipe ECANCELED 0").count(), WRITES);
}

#[test]
fn closing_many_fs_event_handles_on_one_file_is_fast() {
    const HANDLES: usize = 60_000;
    let mut core = test_loop();
    let handles: Vec<_> = (0..HANDLES).map(|_| core.fs_event_open("watch")).collect();
    for &handle in &handles {
        core.fs_event_start(handle, c"/").unwrap();
    }
    let began = Instant::now();
    for &handle in &handles {
        core.close(handle).unwrap();
    }
    assert!(began.elapsed() < LIMIT, "{:?}", began.elapsed());
    let mut closed = 0;
    run(&mut core, |_, event| {
        closed += usize::from(matches!(event, Event::Closed(_)));
        false
    });
    assert_eq!(closed, HANDLES);
}

#[test]
fn the_fd_of_a_stopped_stream_can_be_polled() {
    let mut core = test_loop();
    let (near, _far) = stream_pair([true, true]).unwrap();
    let raw = near.as_raw_fd();
    let pipe = core.pipe_open(false, "pipe");
    core.pipe_adopt(pipe, near).unwrap();
    core.stream_read_start(pipe).unwrap();
    assert_eq!(core.poll_open(raw, "poll"), Err(Errno::EEXIST));
    while core.next(RunMode::NoWait).is_some() {}
    core.stream_read_stop(pipe).unwrap();
    let poll = core.poll_open(raw, "poll").unwrap();
    core.poll_start(poll, Readiness::WRITABLE).unwrap();
    let mut ready = false;
    run(&mut core, |core, event| {
        if let Event::Ready(id, result) = event {
            assert_eq!(result, Ok(Readiness::WRITABLE));
            ready = true;
            core.close(id).unwrap();
        }
        false
    });
    assert!(ready);
}

#[test]
fn a_regular_file_in_a_pipe_handle_is_read_to_eof() {
    const LEN: usize = 100_000;
    let path = std::env::temp_dir().join(format!("phasor-abuse-{}", std::process::id()));
    std::fs::write(&path, vec![7; LEN]).unwrap();
    let file = std::fs::File::open(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let mut core = test_loop();
    let pipe = core.pipe_open(false, "pipe");
    core.pipe_adopt(pipe, Fd::adopt(file.into_raw_fd()).unwrap()).unwrap();
    core.stream_read_start(pipe).unwrap();
    let (mut received, mut ended) = (0, false);
    run(&mut core, |core, event| {
        if let Event::Readable(id) = event {
            match core.stream_read(id, &mut [0; 1000]) {
                Ok(count) => received += count,
                Err(errno) => {
                    ended = errno == Errno::EOF;
                    core.close(id).unwrap();
                }
            }
        }
        false
    });
    assert_eq!((received, ended), (LEN, true));
}
