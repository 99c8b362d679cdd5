//! Child processes: starting them as `uv_spawn` does, learning how they ended, sending them signals.
//!
//! - `stdio` works out which descriptor goes where without one overwriting another;
//! - `search` finds the program as `execvp` does;
//! - `start` makes the process, with `posix_spawn` where it can and with `fork` where it must.
//!
//! Creating the pipes between parent and child is the caller's work: here are only numbers to hand over.

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

/// What to start, and in which surroundings.
#[derive(Debug, Clone, Default)]
pub struct Command {
    /// A path if it has a slash, else a name looked for along `PATH` (the child's, if `env` is given).
    pub program: CString,
    /// The child's `argv`, the name it is called by included.
    pub args: Vec<CString>,
    /// The child's whole environment as `KEY=value`; `None` is the parent's.
    pub env: Option<Vec<CString>>,
    /// The child's working directory; `None` is the parent's.
    pub cwd: Option<CString>,
    /// At index n the parent's descriptor that becomes the child's number n. `None`, or a list that ends before, means
    /// `/dev/null` for 0, 1 and 2 and "leave it" for others.
    pub stdio: Vec<Option<RawFd>>,
    /// The user to become. Extra groups are dropped whenever this or `gid` is set.
    pub uid: Option<u32>,
    /// The group to become.
    pub gid: Option<u32>,
    /// Whether the child leads a new session, and so survives its parent's terminal.
    pub detached: bool,
}

/// A process that has been started and not been waited for.
#[derive(Debug)]
pub struct Child {
    /// Its number; somebody else's once [`wait`] has answered.
    pub pid: i32,
    /// Becomes readable when the process ends. Names this process for ever, unlike the number.
    pub pidfd: Fd,
}

/// How a process ended, as libuv's exit callback gets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExitStatus {
    /// The exit code, 0 if a signal ended it.
    pub code: i64,
    /// The signal that ended it, 0 if it exited by itself.
    pub signal: i32,
}

impl ExitStatus {
    /// Whether it exited by itself, with 0.
    pub fn success(self) -> bool {
        self.code == 0 && self.signal == 0
    }
}

/// Starts a process. When this returns an error no process is left behind; when it returns a child, `exec` has succeeded.
///
/// The child starts with no signal blocked and all at their defaults. Descriptors that become its 0, 1 or 2 are set to
/// blocking (for the parent as well: the flag belongs to the open file), as programs expect of them.
#[doc(alias = "uv_spawn")]
pub fn spawn(command: &Command) -> Result<Child> {
    start::keep_children();
    let plan = stdio::Plan::new(&command.stdio)?;
    let candidates = search::candidates(&command.program, command.env.as_deref())?;
    // Whether there is a descriptor for the child is asked before there is a child: a program that ran and was killed may
    // have done half of its work. It is not kept, because the child may need the place on its way.
    drop(rustix::process::pidfd_open(rustix::process::getpid(), PidfdFlags::empty())?);
    let pid = start::start(command, &plan, &candidates)?;
    let opened = Pid::from_raw(pid)
        .ok_or(Errno::ESRCH)
        .and_then(|pid| Ok(rustix::process::pidfd_open(pid, PidfdFlags::empty())?));
    match opened {
        Ok(pidfd) => Ok(Child { pid, pidfd: pidfd.into() }),
        Err(error) => {
            // Another thread took the descriptor. Nobody could ever learn of the child's end; that it ran for a moment
            // cannot be helped.
            let _ = kill(pid, libc::SIGKILL);
            start::reap(pid);
            Err(error)
        }
    }
}

/// Keeps the descriptors that this process got from its parent from its own children. To be called early: those that
/// threads open meanwhile may be missed.
///
/// As libuv: the first 16 numbers, and from there on until one is not open.
#[doc(alias = "uv_disable_stdio_inheritance")]
pub fn disable_stdio_inheritance() {
    const ALWAYS: i32 = 16;
    let mut raw = 0;
    while crate::fd::set_cloexec(raw, true).is_ok() || raw < ALWAYS {
        raw += 1;
    }
}

/// How the child ended, or `None` if it runs. The answer is given once: it removes the zombie. `ECHILD` means that
/// somebody else took it.
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
