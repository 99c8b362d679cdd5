//! The world below the loop: the operating system, or a simulated one.
//!
//! # The contract
//! - [`Platform::wait`] is the only call that may sleep. It returns what is ready in the order it became known, at most
//!   [`BATCH`](phasor_sys::poller::BATCH) entries; it may return early with nothing (a signal), never later than asked.
//! - Readiness is level-triggered: what stays ready is reported again by the next wait.
//! - A [`Ring`] makes the current or the next wait return with the token `WAKE`, once for any number of rings in between.
//! - [`Platform::submit`] never runs a job on the calling thread's stack while the caller could see it.

mod os;
mod sim;

use std::os::fd::RawFd;

pub use phasor_sys::poller::{Readiness, Ready};
use phasor_sys::{Errno, Result};

pub use self::os::Os;
pub use self::sim::Sim;
use crate::pool::{Class, Job, Ticket};
use crate::sync::Arc;

/// The token of a [`Ring`] in what [`Platform::wait`] returns. Tokens of handles are never this small.
pub(crate) const WAKE: u64 = 1;

/// The token of the descriptor that carries a loop's signals.
pub(crate) const SIGNALS: u64 = 2;

/// The token of a loop's inotify instance.
pub(crate) const INOTIFY: u64 = 3;

/// The tokens of children whose handles are closed begin here, and end before those of handles do.
const ORPHANS: u64 = 1 << 31;

/// The token of a child whose handle is closed, by its descriptor.
pub(crate) const fn orphan_token(raw: RawFd) -> u64 {
    ORPHANS | raw as u32 as u64
}

/// The descriptor of the child that such a token is about.
pub(crate) const fn orphan_of(token: u64) -> Option<RawFd> {
    if token >> 31 == 1 { Some((token & !ORPHANS) as RawFd) } else { None }
}

/// The world below one loop.
///
/// [`Os`] and [`Sim`] are the two there are. Another one wraps one of them, since only they can make a [`Ticket`].
pub trait Platform {
    /// Nanoseconds of a clock that never goes back.
    fn now_ns(&mut self) -> u64;

    /// The whole milliseconds of that clock: it is asked for these much more often.
    #[inline]
    fn now_ms(&mut self) -> u64 {
        self.now_ns() / 1_000_000
    }

    /// Waits until something is ready, somebody rings, or the time is over (`None`: for ever).
    ///
    /// An error ends the run of the loop: nothing can be waited for any more.
    fn wait(&mut self, timeout_ms: Option<u64>, ready: &mut Vec<Ready>) -> Result<()>;

    /// Keeps a signal from ending waits. A world without signals has nothing to do.
    fn block_signal(&mut self, signum: i32) -> Result<()> {
        let _ = signum;
        Ok(())
    }

    /// Goes on in a child of `fork`: what is shared with the parent is made anew, and nothing is watched any more. The
    /// [`Ring`]s that were given out ring here from now on. A world that cannot be forked answers `ENOSYS`.
    fn renew(&mut self) -> Result<()> {
        Err(Errno::ENOSYS)
    }

    /// Makes a descriptor that a program brought nonblocking.
    fn set_nonblocking(&mut self, fd: RawFd) -> Result<()>;

    /// Starts watching a descriptor under a token.
    fn watch(&mut self, fd: RawFd, token: u64, interest: Readiness) -> Result<()>;

    /// Changes what a descriptor is watched for.
    fn rewatch(&mut self, fd: RawFd, token: u64, interest: Readiness) -> Result<()>;

    /// Stops watching a descriptor. One that is not watched is no error.
    fn unwatch(&mut self, fd: RawFd);

    /// Whether nothing but a [`Ring`] could be found by a [`wait`](Platform::wait) now. False if that is not known.
    fn watches_nothing(&self) -> bool {
        false
    }

    /// The bell of this loop.
    fn ring(&self) -> Arc<dyn Ring>;

    /// Gives a job to the thread pool.
    fn submit(&mut self, job: Box<dyn Job>, class: Class) -> Ticket;

    /// Takes a job back that no thread has begun.
    fn take_back(&mut self, ticket: Ticket) -> Option<Box<dyn Job>>;

    /// The descriptor that becomes readable when a wait would return something, if there is such a one.
    fn backend_fd(&self) -> Option<RawFd>;
}

/// A bell that ends a wait, from any thread or signal handler.
pub trait Ring: Send + Sync {
    /// Takes no lock, allocates nothing.
    fn ring(&self);
}
