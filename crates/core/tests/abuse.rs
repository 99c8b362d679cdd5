//! What a program does out of order, or far too often: nothing is lost, nothing hangs, and the cost keeps to the work.

mod common;

use std::time::{Duration, Instant};

use common::*;
use phasor_core::{Event, Fd, HandleId, RequestId, RunMode, stream_pair};

/// Much longer than what is measured takes in a debug build on a busy machine, and much shorter than if each step walked
/// over all others.
const LIMIT: Duration = Duration::from_secs(6);

/// A pipe handle whose other end does not read, with queued writes of 1000 bytes.
fn stuffed(core: &mut Core, name: &'static str, writes: usize) -> (HandleId, Fd, Vec<RequestId>) {
    let (near, far) = stream_pair([true, true]).unwrap();
    let pipe = core.pipe_open(false, name);
    core.pipe_adopt(pipe, near).unwrap();
    core.stream_write(pipe, vec![vec![0; 4 << 20]], "first").unwrap();
    let requests = (0..writes).map(|_| core.stream_write(pipe, vec![vec![0; 1000]], name).unwrap()).collect();
    (pipe, far, requests)
}

#[test]
fn a_write_can_be_cancelled_after_its_stream_was_closed() {
    let mut core = world();
    let pipes: Vec<_> = ["a", "b", "c"].into_iter().map(|name| stuffed(&mut core, name, 3)).collect();
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
    let told = trace(&mut core);
    let of_writes = |name: &str| told.iter().filter(|line| **line == format!("{name} ECANCELED 0")).count();
    assert_eq!([of_writes("a"), of_writes("b"), of_writes("c")], [3; 3]);
    let closed: Vec<_> = told.iter().filter(|line| line.starts_with("closed")).collect();
    assert_eq!(closed, ["closed c", "closed b", "closed a"]);
    assert!(!core.is_alive());
}

#[test]
fn cancelling_many_writes_costs_the_same_from_either_end() {
    const WRITES: usize = 100_000;
    let mut core = world();
    let (pipe, _far, requests) = stuffed(&mut core, "pipe", WRITES);
    let began = Instant::now();
    for &request in requests.iter().rev() {
        core.cancel(request).unwrap();
    }
    assert!(began.elapsed() < LIMIT, "{:?}", began.elapsed());
    core.close(pipe).unwrap();
    let told = trace(&mut core);
    assert_eq!(told.iter().filter(|line| *line == "pipe ECANCELED 0").count(), WRITES);
}

#[test]
fn many_handles_on_one_file_are_closed_one_by_one() {
    const HANDLES: usize = 60_000;
    let mut core = world();
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
