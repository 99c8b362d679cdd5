//! A spawn in a process without free file descriptors. In a process of its own, because it changes the process's limit.

mod common;

use common::*;
use phasor_core::{Errno, Spawn, Stdio};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The number of page faults of reaped children: 0 if there was no child.
fn touched_by_children() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let after_name = stat.rsplit(')').next().unwrap();
    after_name.split_whitespace().nth(8).unwrap().parse().unwrap()
}

#[test]
fn a_child_without_a_pidfd_is_not_started() {
    let mut core = test_loop();
    let child = core.process_open("child");
    let spawn = Spawn {
        program: c"true".into(),
        args: vec![c"true".into()],
        stdio: (0..3).map(Stdio::Inherit).collect(),
        ..Spawn::default()
    };
    let old = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: Some(3), maximum: old.maximum }).unwrap();
    let refused = core.process_spawn(child, spawn.clone());
    setrlimit(Resource::Nofile, old).unwrap();
    assert_eq!(refused, Err(Errno::EMFILE));
    assert_eq!(touched_by_children(), 0);

    assert!(core.process_spawn(child, spawn).is_ok(), "the handle can be used again");
    assert!(trace(&mut core).iter().any(|line| line == "Exit"));
    assert_ne!(touched_by_children(), 0);
}
