//! The operating system as a [`Platform`].

use std::os::fd::{AsRawFd, RawFd};

use phasor_sys::clock::{self, MillisecondClock};
use phasor_sys::{Result, fd, poller::Poller, wake::Wake};

use super::{Platform, Readiness, Ready, Ring, WAKE};
use crate::pool::{Class, Job, Pool, Ticket};
use crate::sync::Arc;

/// The platform of a real loop: epoll, an eventfd, the monotonic clock and the process's thread pool.
pub struct Os {
    poller: Poller,
    wake: Arc<Wake>,
    /// The number of file descriptors that are watched besides the eventfd, or more: a descriptor that the user closed
    /// while it was watched still counts.
    watched: usize,
    /// The thread pool; `None` until the first job is submitted.
    pool: Option<Arc<Pool>>,
    milliseconds: MillisecondClock,
}

impl Os {
    /// Opens the epoll instance and the eventfd of a loop.
    pub fn new() -> Result<Os> {
        let (poller, wake) = (Poller::new()?, Arc::new(Wake::new()?));
        let os = Os { poller, wake, watched: 0, pool: None, milliseconds: MillisecondClock::new() };
        os.watch_wake()?;
        Ok(os)
    }

    /// Registers the eventfd edge-triggered, so that its counter never has to be read: see [`Wake`].
    fn watch_wake(&self) -> Result<()> {
        self.poller.add(self.wake.as_raw_fd(), WAKE, Readiness::READABLE | Readiness::EDGE)
    }
}

impl Platform for Os {
    #[inline]
    fn now_ns(&mut self) -> u64 {
        clock::monotonic_ns()
    }

    #[inline]
    fn now_ms(&mut self) -> u64 {
        self.milliseconds.now()
    }

    fn wait(&mut self, timeout_ms: Option<u64>, ready: &mut Vec<Ready>) -> Result<()> {
        self.milliseconds.invalidate();
        self.poller.wait(timeout_ms, ready)
    }

    fn block_signal(&mut self, signum: i32) -> Result<()> {
        self.poller.block_signal(signum)
    }

    fn renew(&mut self) -> Result<()> {
        self.poller.renew()?;
        self.watched = 0;
        self.wake.renew()?;
        self.watch_wake()
    }

    fn set_nonblocking(&mut self, fd: RawFd) -> Result<()> {
        fd::set_nonblocking(fd, true)
    }

    fn watch(&mut self, fd: RawFd, token: u64, interest: Readiness) -> Result<()> {
        self.poller.add(fd, token, interest)?;
        self.watched += 1;
        Ok(())
    }

    fn rewatch(&mut self, fd: RawFd, token: u64, interest: Readiness) -> Result<()> {
        self.poller.modify(fd, token, interest)
    }

    fn unwatch(&mut self, fd: RawFd) {
        // `ENOENT` and `EBADF` both mean that the descriptor is not watched.
        if self.poller.remove(fd).is_ok() {
            self.watched = self.watched.saturating_sub(1);
        }
    }

    #[inline]
    fn watches_nothing(&self) -> bool {
        self.watched == 0
    }

    fn ring(&self) -> Arc<dyn Ring> {
        self.wake.clone()
    }

    fn submit(&mut self, job: Box<dyn Job>, class: Class) -> Ticket {
        match &self.pool {
            Some(pool) if pool.is_usable() => pool.submit(job, class),
            _ => self.pool.insert(Pool::of_process()).submit(job, class),
        }
    }

    fn take_back(&mut self, ticket: Ticket) -> Option<Box<dyn Job>> {
        self.pool.as_ref().filter(|pool| pool.is_usable())?.take_back(ticket)
    }

    fn backend_fd(&self) -> Option<RawFd> {
        Some(self.poller.as_raw_fd())
    }
}

impl Ring for Wake {
    fn ring(&self) {
        self.wake();
    }
}
