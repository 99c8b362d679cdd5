//! Tests of tty handles, with pseudo-terminals. One test per process, because a process has one terminal mode to
//! restore.

mod common;

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};

use common::*;
use phasor_core::{Errno, Event, RunMode, TtyMode, tty_reset_mode, tty_reset_mode_at_exit};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

/// The two ends of a pseudo-terminal, the master first.
fn terminal() -> (OwnedFd, File) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY | rustix::fs::OFlags::CLOEXEC;
    let slave = rustix::fs::open(name.as_c_str(), flags, rustix::fs::Mode::empty()).unwrap();
    (master, File::from(slave))
}

#[test]
fn tty_mode_is_restored_on_close() {
    let mut core = test_loop();
    let (master, slave) = terminal();
    let mut master = File::from(master);
    let size = Winsize { ws_row: 25, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&master, size).unwrap();

    let file = File::open("/dev/null").unwrap();
    assert_eq!(core.tty_open(file.as_raw_fd(), "file"), Err(Errno::EINVAL));
    let tty = core.tty_open(slave.as_raw_fd(), "tty").unwrap();
    assert!(core.stream_is_readable(tty) && core.stream_is_writable(tty) && !core.tty_blocks(tty));
    assert_eq!(core.tty_window_size(tty), Ok((80, 25)));
    assert_eq!(core.stream_listen(tty, 1), Err(Errno::EINVAL));

    core.tty_set_mode(tty, TtyMode::Raw).unwrap();
    assert!(!tcgetattr(&slave).unwrap().local_modes.contains(LocalModes::ICANON));
    core.stream_write(tty, vec![b"out".to_vec()], "write").unwrap();
    master.write_all(b"key").unwrap();
    core.stream_read_start(tty).unwrap();
    let mut got = Vec::new();
    run(&mut core, |core, event| {
        if let Event::Readable(id) = event {
            let mut buffer = [0; 64];
            let count = core.stream_read(id, &mut buffer).unwrap();
            got.extend_from_slice(&buffer[..count]);
        }
        got == b"key"
    });
    let mut buffer = [0; 3];
    master.read_exact(&mut buffer).unwrap();
    assert_eq!(&buffer, b"out");

    tty_reset_mode().unwrap();
    assert!(tcgetattr(&slave).unwrap().local_modes.contains(LocalModes::ICANON));
    core.tty_set_mode(tty, TtyMode::Normal).unwrap();
    core.tty_set_mode(tty, TtyMode::Io).unwrap();
    core.close(tty).unwrap();
    assert!(tcgetattr(&slave).unwrap().local_modes.contains(LocalModes::ICANON), "closing restores the mode");
    run(&mut core, |_, event| matches!(event, Event::Closed("tty")));
    while core.next(RunMode::NoWait).is_some() {}

    // A master cannot be reopened, so its writes block. When the slave is closed, reading it is an error instead of end
    // of file.
    let second = rustix::io::fcntl_dupfd_cloexec(&master, 3).unwrap();
    let blocks = core.tty_open(std::os::fd::IntoRawFd::into_raw_fd(second), "master").unwrap();
    assert!(core.tty_blocks(blocks));
    core.stream_write(blocks, vec![b"typed\n".to_vec()], "typed").unwrap();
    core.stream_read_start(blocks).unwrap();
    drop(slave);
    let mut end = None;
    run(&mut core, |core, event| {
        if let Event::Readable(id) = event {
            end = core.stream_read(id, &mut [0; 64]).err();
        }
        end.is_some()
    });
    assert_eq!(end, Some(Errno::EIO));
    core.close(blocks).unwrap();
    assert!(trace(&mut core).contains(&"closed master".to_string()));
}

/// Set in the child process of the next test; selects what it does.
const ROLE: &str = "PHASOR_TEST_LEAVES_RAW_MODE";

#[test]
fn tty_mode_is_restored_at_exit() {
    if let Some(way) = std::env::var_os(ROLE) {
        let mut core = test_loop();
        let tty = core.tty_open(0, "stdin").unwrap();
        if way == "exits" {
            tty_reset_mode_at_exit();
        }
        core.tty_set_mode(tty, TtyMode::Raw).unwrap();
        if way == "drops" {
            drop(core);
        }
        std::process::exit(0);
    }
    for (way, is_put_back) in [("exits", true), ("drops", true), ("neither", false)] {
        let (_master, slave) = terminal();
        let status = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "tty_mode_is_restored_at_exit"])
            .env(ROLE, way)
            .stdin(slave.try_clone().unwrap())
            .stdout(std::process::Stdio::null())
            .status()
            .unwrap();
        assert!(status.success(), "{way}");
        assert_eq!(tcgetattr(&slave).unwrap().local_modes.contains(LocalModes::ICANON), is_put_back, "{way}");
    }
}
