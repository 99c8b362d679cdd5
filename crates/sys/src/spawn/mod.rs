//! Child processes: starting them as `uv_spawn` does, waiting for their end, sending them signals.
//!
//! - `stdio` plans the duplication of descriptors so that none is overwritten before it is copied;
//! - `search` finds the program as `execvp(3)` does;
//! - `start` creates the process, by `posix_spawn` if possible and else by `fork`.
//!
//! The pipes between parent and child are created by the caller; this module only passes descriptor numbers on.

mod search;
mod start;
mod stdio;
#[cfg(test)]
mod tests;

use std::ffi::CString;
use std::os::fd::RawFd;

use rustix::process::{Pid, PidfdFlags, WaitId, WaitIdOptions};

use crate::{Errno, Fd, Result};

pub use start::{kill, kill_child};

/// The program to start and the environment to start it in.
#[derive(Debug, Clone, Default)]
pub struct Command {
    /// A path if it contains a slash, else a name to search for in `PATH` (the child's `PATH` if `env` is given).
    pub program: CString,
    /// The child's `argv`, including `argv[0]`.
    pub args: Vec<CString>,
    /// The child's complete environment as `KEY=value`; `None` inherits the parent's.
    pub env: Option<Vec<CString>>,
    /// The child's working directory; `None` inherits the parent's.
    pub cwd: Option<CString>,
    /// Element n is the parent's descriptor that becomes descriptor n of the child. `None`, or no element, means
    /// `/dev/null` for 0, 1 and 2, and no action for others.
    pub stdio: Vec<Option<RawFd>>,
    /// The user id to set. Supplementary groups are dropped if this or `gid` is set.
    pub uid: Option<u32>,
    /// The group id to set.
    pub gid: Option<u32>,
    /// True if the child leads a new session (`setsid(2)`), so that it survives the end of the parent's terminal.
    pub detached: bool,
    /// True if functions registered with `pthread_atfork(3)` have to run. They may change the child, for example its
    /// umask, descriptors or environment, before the program starts. The child is then created by `fork`, whose cost grows with
    /// the parent's size.
    #[doc(alias = "pthread_atfork")]
    pub fork_handlers: bool,
}

/// A started process that has not been waited for.
#[derive(Debug)]
pub struct Child {
    /// The process id. After [`wait`] has returned a status, the kernel may reuse it for another process.
    pub pid: i32,
    /// A pidfd (`pidfd_open(2)`): readable when the process has ended. Unlike `pid` it never refers to another process.
    pub pidfd: Fd,
}

/// How a process ended, as in libuv's `uv_exit_cb`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExitStatus {
    /// The exit code; 0 if a signal ended the process.
    pub code: i64,
    /// The number of the signal that ended the process; 0 if it exited.
    pub signal: i32,
}

impl ExitStatus {
    /// True if the process exited with code 0.
    pub fn success(self) -> bool {
        self.code == 0 && self.signal == 0
    }
}

/// Starts a process. On success `exec` has succeeded in the child; on an error no process is left behind.
///
/// The child starts with no signal blocked and every signal at its default disposition. Descriptors that become the
/// child's 0, 1 or 2 are made blocking, as programs expect; this affects the parent too, since `O_NONBLOCK` belongs to
/// the open file description.
#[doc(alias = "uv_spawn")]
pub fn spawn(command: &Command) -> Result<Child> {
    start::ensure_children_are_waitable();
    let plan = stdio::Plan::new(&command.stdio)?;
    let candidates = search::candidates(&command.program, command.env.as_deref())?;
    // Checks that a pidfd can be opened before there is a child: killing the child after a late failure may leave half
    // of its work done. It is not kept, because it takes a descriptor slot that starting the child may need.
    drop(rustix::process::pidfd_open(rustix::process::getpid(), PidfdFlags::empty())?);
    let pid = start::start(command, &plan, &candidates)?;
    let opened = Pid::from_raw(pid)
        .ok_or(Errno::ESRCH)
        .and_then(|pid| Ok(rustix::process::pidfd_open(pid, PidfdFlags::empty())?));
    match opened {
        Ok(pidfd) => Ok(Child { pid, pidfd: pidfd.into() }),
        Err(error) => {
            // Another thread took the last descriptor. Without a pidfd the child's end could not be observed, so it is
            // killed; that it may have run for a moment cannot be avoided.
            let _ = kill(pid, libc::SIGKILL);
            start::reap(pid);
            Err(error)
        }
    }
}

/// Sets close-on-exec on the descriptors inherited from the parent process, so that children do not inherit them. Call
/// it early: descriptors that other threads open meanwhile may be missed.
///
/// As `src/unix/core.c: uv_disable_stdio_inheritance`: the first 16 numbers, and further ones up to the first that is
/// not open.
#[doc(alias = "uv_disable_stdio_inheritance")]
pub fn disable_stdio_inheritance() {
    const ALWAYS: i32 = 16;
    let mut raw = 0;
    while crate::fd::set_cloexec(raw, true).is_ok() || raw < ALWAYS {
        raw += 1;
    }
}

/// The status of a child that has ended, or `None` if it still runs. Reaps the zombie, so the status is returned only
/// once. `ECHILD` if other code has reaped it.
pub fn wait(pidfd: &Fd) -> Result<Option<ExitStatus>> {
    use std::os::fd::AsFd;
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
    loop {
        match rustix::process::waitid(WaitId::PidFd(pidfd.as_fd()), options) {
            Ok(None) => return Ok(None),
            Ok(Some(status)) => {
                let code = status.exit_status().unwrap_or(0).into();
                return Ok(Some(ExitStatus { code, signal: status.terminating_signal().unwrap_or(0) }));
            }
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
