//! Tests of file event handles, with real files.

mod common;

use std::fs;
use std::path::Path;

use common::{Names, Scratch, c};
use phasor_core::{Errno, Event, FsChange, HandleId, Loop, RunMode};

/// A test fails if an expected event does not come within this time.
const LIMIT_MS: u64 = 10_000;

const RENAME: i32 = FsChange::RENAME;
const CHANGE: i32 = FsChange::CHANGE;

/// A loop with an unreferenced timer that fails a test which would wait for ever.
fn test_loop() -> Loop<Names> {
    let mut core = Loop::new().unwrap();
    let limit = core.timer_open("limit");
    core.timer_start(limit, LIMIT_MS, 0).unwrap();
    core.set_ref(limit, false).unwrap();
    core
}

fn started(core: &mut Loop<Names>, name: &'static str, path: &Path) -> HandleId {
    let id = core.fs_event_open(name);
    core.fs_event_start(id, &c(path)).unwrap();
    id
}

/// The next change: name of the handle, kind, file name.
fn next_change(core: &mut Loop<Names>) -> Option<(&'static str, i32, String)> {
    while let Some(event) = core.next(RunMode::Default) {
        match event {
            Event::FsEvent(id, FsChange { kind, name }) => {
                return Some((*core.face(id).unwrap(), kind, String::from_utf8(name.unwrap()).unwrap()));
            }
            Event::Timer(_) => panic!("timed out"),
            _ => {}
        }
    }
    None
}

fn changes(core: &mut Loop<Names>, count: usize) -> Vec<(&'static str, i32, String)> {
    (0..count).map(|_| next_change(core).unwrap()).collect()
}

fn change(name: &'static str, kind: i32, file: &str) -> (&'static str, i32, String) {
    (name, kind, file.to_owned())
}

#[test]
fn a_watched_directory_reports_its_entries() {
    let (scratch, mut core) = (Scratch::new(), test_loop());
    let id = started(&mut core, "dir", &scratch.0);
    assert_eq!(core.fs_event_path(id), Ok(c(&scratch.0).as_c_str()));
    fs::write(scratch.0.join("a"), "text").unwrap();
    fs::rename(scratch.0.join("a"), scratch.0.join("b")).unwrap();
    fs::remove_file(scratch.0.join("b")).unwrap();
    assert_eq!(
        changes(&mut core, 5),
        [
            change("dir", RENAME, "a"),
            change("dir", CHANGE, "a"),
            change("dir", RENAME, "a"),
            change("dir", RENAME, "b"),
            change("dir", RENAME, "b"),
        ]
    );
    core.fs_event_stop(id).unwrap();
    assert_eq!(next_change(&mut core), None);
    assert_eq!(core.fs_event_path(id), Err(Errno::EINVAL));
}

#[test]
fn a_watched_file_is_reported_by_its_basename() {
    let (scratch, mut core) = (Scratch::new(), test_loop());
    let file = scratch.file("file.txt");
    let id = started(&mut core, "file", &file);
    fs::write(&file, "text").unwrap();
    assert_eq!(next_change(&mut core), Some(change("file", CHANGE, "file.txt")));
    fs::remove_file(&file).unwrap();
    // The changed link count, the removal, and the end of the watch, which libuv reports as well.
    let kinds: Vec<_> = changes(&mut core, 3).into_iter().map(|(_, kind, _)| kind).collect();
    assert_eq!(kinds, [CHANGE, RENAME, RENAME]);
    assert!(core.is_active(id), "the handle stays active after the end of its watch, as in libuv");
    core.close(id).unwrap();
    assert_eq!(next_change(&mut core), None);
    assert!(!core.is_alive());
}

#[test]
fn handles_on_one_directory_share_its_watch() {
    let (scratch, mut core) = (Scratch::new(), test_loop());
    let a = started(&mut core, "a", &scratch.0);
    let b = started(&mut core, "b", &scratch.0);
    scratch.file("x");
    assert_eq!(changes(&mut core, 2), [change("a", RENAME, "x"), change("b", RENAME, "x")]);
    core.fs_event_stop(a).unwrap();
    fs::remove_file(scratch.0.join("x")).unwrap();
    assert_eq!(next_change(&mut core), Some(change("b", RENAME, "x")));
    core.fs_event_start(a, &c(&scratch.0)).unwrap();
    assert_eq!(core.fs_event_start(a, &c(&scratch.0)), Err(Errno::EINVAL));
    fs::create_dir(scratch.0.join("y")).unwrap();
    assert_eq!(changes(&mut core, 2), [change("b", RENAME, "y"), change("a", RENAME, "y")]);
    core.close(a).unwrap();
    core.close(b).unwrap();
    assert_eq!(next_change(&mut core), None);
}

#[test]
fn a_handle_stopped_closed_or_restarted_in_a_callback_misses_the_current_change() {
    let (scratch, mut core) = (Scratch::new(), test_loop());
    let ids = ["a", "b", "c", "d", "e"].map(|name| started(&mut core, name, &scratch.0));
    fs::create_dir(scratch.0.join("x")).unwrap();
    assert_eq!(next_change(&mut core), Some(change("a", RENAME, "x")));
    core.fs_event_stop(ids[1]).unwrap();
    core.close(ids[2]).unwrap();
    core.fs_event_stop(ids[3]).unwrap();
    core.fs_event_start(ids[3], &c(&scratch.0)).unwrap();
    assert_eq!(next_change(&mut core), Some(change("e", RENAME, "x")));
    fs::create_dir(scratch.0.join("y")).unwrap();
    let received = changes(&mut core, 3);
    // As in libuv: a handle that starts during a change comes before those that had not received that change yet.
    assert_eq!(received, [change("a", RENAME, "y"), change("d", RENAME, "y"), change("e", RENAME, "y")]);
    for id in [0, 3, 4] {
        core.fs_event_stop(ids[id]).unwrap();
    }
    assert_eq!(next_change(&mut core), None, "no other changes");
}

#[test]
fn two_hundred_changes_are_reported_in_order() {
    let (scratch, mut core) = (Scratch::new(), test_loop());
    let id = started(&mut core, "dir", &scratch.0);
    for n in 0..200 {
        fs::create_dir(scratch.0.join(n.to_string())).unwrap();
    }
    for n in 0..200 {
        assert_eq!(next_change(&mut core), Some(change("dir", RENAME, &n.to_string())));
    }
    core.close(id).unwrap();
    assert_eq!(next_change(&mut core), None);
}

#[test]
fn a_missing_path_cannot_be_watched() {
    let mut core = test_loop();
    let id = core.fs_event_open("id");
    assert_eq!(core.fs_event_start(id, c"/nonexistent/file"), Err(Errno::ENOENT));
    assert!(!core.is_active(id));
    core.fs_event_stop(id).unwrap();
    let timer = core.timer_open("timer");
    assert_eq!(core.fs_event_start(timer, c"/"), Err(Errno::EBADF));
    core.close(id).unwrap();
    assert_eq!(core.fs_event_start(id, c"/"), Err(Errno::EINVAL));
}
