//! Waking a thread that waits in [`Poller`](crate::poller::Poller): an eventfd.

use std::os::fd::{AsRawFd, RawFd};

use rustix::event::{EventfdFlags, eventfd};

use crate::{Errno, Fd, Result, fd};

/// A counter in the kernel whose every increment is an edge for whoever polls it.
///
/// It is meant to be watched edge-triggered and so never has to be read: see [`Wake::wake`].
#[derive(Debug)]
pub struct Wake(Fd);

impl Wake {
    /// A new eventfd, nonblocking and close-on-exec.
    pub fn new() -> Result<Wake> {
        Ok(Wake(eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?.into()))
    }

    /// In a child of `fork`: a counter of its own, under the same number, so that whoever shares this wakes the child.
    pub fn renew(&self) -> Result<()> {
        fd::replace(self.0.as_raw_fd(), &Wake::new()?.0)
    }

    /// Makes the waiting thread return. May be called from any thread and from a signal handler: it makes one system
    /// call, takes no lock, allocates nothing and does not touch `errno`.
    pub fn wake(&self) {
        loop {
            match rustix::io::write(&self.0, &1u64.to_ne_bytes()).map_err(Errno::from) {
                Err(Errno::EINTR) => continue,
                // 2^64 - 2 wakes were never read: empty the counter, which is what lets the next write be an edge.
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
