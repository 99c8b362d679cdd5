//! [`Wake`]: an `eventfd(2)` that wakes a thread waiting in [`Poller`](crate::poller::Poller).

use std::os::fd::{AsRawFd, RawFd};

use rustix::event::{EventfdFlags, eventfd};

use crate::{Errno, Fd, Result, fd};

/// An eventfd counter. Every write to it is an edge for an edge-triggered poller.
///
/// Watch it with [`Readiness::EDGE`](crate::poller::Readiness::EDGE): then it never has to be read, see [`Wake::wake`].
#[derive(Debug)]
pub struct Wake(Fd);

impl Wake {
    /// A new eventfd, nonblocking and close-on-exec.
    pub fn new() -> Result<Wake> {
        Ok(Wake(eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?.into()))
    }

    /// In a child of `fork`: replaces the counter by a new one under the same descriptor number, so that all users of
    /// this value wake the child and not the parent.
    pub fn renew(&self) -> Result<()> {
        fd::replace(self.0.as_raw_fd(), &Wake::new()?.0)
    }

    /// Wakes the waiting thread. May be called from any thread and from a signal handler: it takes no lock, does not
    /// allocate and does not touch `errno`. Usually one system call.
    pub fn wake(&self) {
        loop {
            match rustix::io::write(&self.0, &1u64.to_ne_bytes()).map_err(Errno::from) {
                Err(Errno::EINTR) => continue,
                // The counter is full: 2^64 - 2 wakes were never read. Reading resets it, so the next write succeeds
                // and is an edge.
                Err(Errno::EAGAIN) => {
                    let _ = rustix::io::read(&self.0, &mut [0; 8]);
                }
                _ => return,
            }
        }
    }
}

impl AsRawFd for Wake {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}
