//! Tests of file poll handles, with real files in virtual time.

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use common::{Names, Scratch, c};
use phasor_core::file::Stat;
use phasor_core::{Errno, Event, FsPollChange, HandleId, Kind, Loop, Reason, RunMode, Sim};

const INTERVAL_MS: u64 = 100;

/// A simulated loop, a file poll handle, and a repeating timer that fires in the middle of each interval.
fn test_loop(path: &Path) -> (Loop<Names>, Sim, HandleId) {
    let sim = Sim::new();
    let mut core = Loop::on(sim.clone());
    let id = core.fs_poll_open("poll");
    core.fs_poll_start(id, &c(path), INTERVAL_MS).unwrap();
    let tick = core.timer_open("tick");
    core.timer_start(tick, INTERVAL_MS / 2, INTERVAL_MS).unwrap();
    (core, sim, id)
}

/// The changes until the middle of the next interval.
fn differences(core: &mut Loop<Names>) -> Vec<FsPollChange> {
    let mut found = Vec::new();
    loop {
        match core.next(RunMode::Default) {
            Some(Event::FsPoll(_, change)) => found.push(*change),
            Some(Event::Timer(_)) => return found,
            Some(_) => {}
            None => panic!("the loop has ended"),
        }
    }
}

#[test]
fn each_difference_is_reported_once() {
    let scratch = Scratch::new();
    let path = scratch.0.join("file");
    fs::write(&path, "one").unwrap();
    let (mut core, sim, id) = test_loop(&path);
    assert_eq!(core.fs_poll_path(id), Ok(c(&path).as_c_str()));
    assert_eq!(differences(&mut core), [], "the first stat is the baseline");
    assert_eq!(differences(&mut core), []);
    fs::write(&path, "three").unwrap();
    let found = differences(&mut core);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].previous.size, found[0].current.unwrap().size), (3, 5));
    fs::read(&path).unwrap();
    assert_eq!(differences(&mut core), [], "the access time does not count");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let found = differences(&mut core);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].current.unwrap().mode & 0o777, 0o640);
    assert_eq!(sim.now_ms(), 4 * INTERVAL_MS + INTERVAL_MS / 2, "one stat in each interval");
}

#[test]
fn repeated_errors_are_reported_once() {
    let scratch = Scratch::new();
    let path = scratch.0.join("dir/file");
    let (mut core, _, _) = test_loop(&path);
    let failed = |previous, errno| FsPollChange { previous, current: Err(errno) };
    assert_eq!(differences(&mut core), [failed(Stat::default(), Errno::ENOENT)]);
    assert_eq!(differences(&mut core), []);
    fs::write(scratch.0.join("dir"), "").unwrap();
    assert_eq!(differences(&mut core), [failed(Stat::default(), Errno::ENOTDIR)]);
    assert_eq!(differences(&mut core), []);
    fs::remove_file(scratch.0.join("dir")).unwrap();
    fs::create_dir(scratch.0.join("dir")).unwrap();
    fs::write(&path, "text").unwrap();
    let found = differences(&mut core);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].previous, Stat::default());
    let seen = found[0].current.unwrap();
    assert_eq!(seen.size, 4);
    fs::remove_file(&path).unwrap();
    assert_eq!(differences(&mut core), [failed(seen, Errno::ENOENT)]);
}

#[test]
fn a_stopped_handle_drops_the_result_of_its_stat() {
    let scratch = Scratch::new();
    let path = scratch.0.join("file");
    let (mut core, _, id) = test_loop(&path);
    core.fs_poll_stop(id).unwrap();
    assert!(!core.is_active(id));
    assert_eq!(core.fs_poll_path(id), Err(Errno::EINVAL));
    assert_eq!(differences(&mut core), []);
    core.fs_poll_start(id, &c(&path), INTERVAL_MS).unwrap();
    core.fs_poll_stop(id).unwrap();
    core.fs_poll_start(id, &c(&path), INTERVAL_MS).unwrap();
    assert_eq!(differences(&mut core).len(), 1, "only the result of the last start counts");
    core.fs_poll_stop(id).unwrap();
    core.fs_poll_stop(id).unwrap();
    assert_eq!(differences(&mut core), []);
    core.fs_poll_start(id, &c(&path), INTERVAL_MS).unwrap();
    core.close(id).unwrap();
    assert_eq!(core.fs_poll_start(id, &c(&path), INTERVAL_MS), Err(Errno::EINVAL));
    assert_eq!(differences(&mut core), []);
    assert_eq!(core.kind(id), None);
}

#[test]
fn a_handle_restarted_in_its_callback_starts_over() {
    let scratch = Scratch::new();
    let path = scratch.0.join("file");
    let (mut core, sim, id) = test_loop(&path);
    let mut events = 0;
    while events < 5 {
        match core.next(RunMode::Default) {
            Some(Event::FsPoll(_, change)) => {
                events += 1;
                assert_eq!(change.current, Err(Errno::ENOENT));
                core.fs_poll_stop(id).unwrap();
                core.fs_poll_start(id, &c(&path), INTERVAL_MS).unwrap();
                core.fs_poll_start(id, c"/", 1).unwrap();
                assert_eq!(core.fs_poll_path(id), Ok(c(&path).as_c_str()), "starting a started handle does nothing");
            }
            Some(_) => {}
            None => panic!("the loop has ended"),
        }
    }
    assert!(sim.now_ms() < 5 * INTERVAL_MS);
}

#[test]
fn the_duration_of_the_stat_is_part_of_the_interval() {
    let scratch = Scratch::new();
    let path = scratch.0.join("file");
    let sim = Sim::new();
    let mut core = Loop::<Names>::on(sim.clone());
    let id = core.fs_poll_open("poll");
    core.fs_poll_start(id, &c(&path), INTERVAL_MS).unwrap();
    sim.advance_ms(2 * INTERVAL_MS + 30);
    assert!(matches!(core.next(RunMode::Default), Some(Event::FsPoll(..))));
    fs::write(&path, "").unwrap();
    assert!(matches!(core.next(RunMode::Default), Some(Event::FsPoll(..))));
    assert_eq!(sim.now_ms(), 3 * INTERVAL_MS);
}

#[test]
fn it_keeps_the_loop_alive_without_a_visible_timer() {
    let sim = Sim::new();
    let mut core = Loop::<Names>::on(sim.clone());
    let id = core.fs_poll_open("poll");
    core.fs_poll_start(id, c"/", 0).unwrap();
    for _ in 0..5 {
        let _ = core.next(RunMode::Once);
    }
    assert!(core.is_active(id) && sim.now_ms() > 0);
    assert_eq!(core.why_alive(), [Reason::Handle(id, Kind::FsPoll)]);
    assert_eq!(core.handles().len(), 1);
    core.set_ref(id, false).unwrap();
    assert!(core.next(RunMode::Default).is_none() && !core.is_alive());
}

#[test]
fn it_works_on_the_operating_system() {
    let scratch = Scratch::new();
    let path = scratch.0.join("file");
    let mut core = Loop::<Names>::new().unwrap();
    let id = core.fs_poll_open("poll");
    core.fs_poll_start(id, &c(&path), 1).unwrap();
    let limit = core.timer_open("limit");
    core.timer_start(limit, 10_000, 0).unwrap();
    let mut found = Vec::new();
    while let Some(event) = core.next(RunMode::Default) {
        match event {
            Event::FsPoll(_, change) => {
                found.push(change.current.map(|stat| stat.size));
                if found.len() == 1 {
                    fs::write(scratch.0.join("new"), "text").unwrap();
                    fs::rename(scratch.0.join("new"), &path).unwrap();
                } else {
                    core.close(id).unwrap();
                    core.close(limit).unwrap();
                }
            }
            Event::Timer(_) => panic!("timed out: {found:?}"),
            _ => {}
        }
    }
    assert_eq!(found, [Err(Errno::ENOENT), Ok(4)]);
}
