//! The platform below the loop: the operating system, or a simulation.
//!
//! # The contract
//! - [`Platform::wait`] is the only call that may block. It returns readiness in the order in which it occurred, at
//!   most [`BATCH`](phasor_sys::poller::BATCH) entries. It may return early without an entry (after a signal), and
//!   never returns late.
//! - Readiness is level-triggered: a descriptor that stays ready is reported again by the next wait.
//! - A [`Ring`] makes the current or the next wait return with the token `WAKE`, once for any number of rings in
//!   between.
//! - [`Platform::submit`] never runs a job before it returns.

mod os;
mod sim;

use std::os::fd::RawFd;

pub use phasor_sys::poller::{Readiness, Ready};
use phasor_sys::{Errno, Result};

pub use self::os::Os;
pub use self::sim::Sim;
use crate::pool::{Class, Job, Ticket};
use crate::sync::Arc;

/// The token of a [`Ring`] in the result of [`Platform::wait`]. Tokens of handles are at least 2^32.
pub(crate) const WAKE: u64 = 1;

/// The token of a loop's signal receiver.
pub(crate) const SIGNALS: u64 = 2;

/// The token of a loop's inotify instance.
pub(crate) const INOTIFY: u64 = 3;

/// The tokens of children whose handles are closed: this bit and the file descriptor. They are less than the tokens of
/// handles.
const ORPHANS: u64 = 1 << 31;

/// The token of a child whose handle is closed, by its pidfd.
pub(crate) const fn orphan_token(raw: RawFd) -> u64 {
    ORPHANS | raw as u32 as u64
}

/// The pidfd in an orphan's token; `None` for other tokens.
pub(crate) const fn orphan_of(token: u64) -> Option<RawFd> {
    if token >> 31 == 1 { Some((token & !ORPHANS) as RawFd) } else { None }
}

/// The clock, the wait and the thread pool of one loop.
///
/// [`Os`] and [`Sim`] implement it. Other implementations have to wrap one of these two, because only these can make a
/// [`Ticket`].
pub trait Platform {
    /// The time in nanoseconds of a monotonic clock.
    fn now_ns(&mut self) -> u64;

    /// The time of the same clock in whole milliseconds. Called much more often, so an implementation may make it
    /// cheaper.
    #[inline]
    fn now_ms(&mut self) -> u64 {
        self.now_ns() / 1_000_000
    }

    /// Waits until something is ready, the bell is rung, or the timeout has passed (`None`: no timeout).
    ///
    /// An error ends the run of the loop.
    fn wait(&mut self, timeout_ms: Option<u64>, ready: &mut Vec<Ready>) -> Result<()>;

    /// Blocks a signal during waits. The default does nothing, for a platform without signals.
    fn block_signal(&mut self, signum: i32) -> Result<()> {
        let _ = signum;
        Ok(())
    }

    /// Called in a child of `fork`: replaces everything that is shared with the parent. Nothing is watched afterwards.
    /// Existing [`Ring`]s ring the new bell. `ENOSYS` for a platform that cannot be forked.
    fn renew(&mut self) -> Result<()> {
        Err(Errno::ENOSYS)
    }

    /// Makes a file descriptor of the user nonblocking.
    fn set_nonblocking(&mut self, fd: RawFd) -> Result<()>;

    /// Starts watching a file descriptor with a token.
    fn watch(&mut self, fd: RawFd, token: u64, interest: Readiness) -> Result<()>;

    /// Changes the interest in a watched file descriptor.
    fn rewatch(&mut self, fd: RawFd, token: u64, interest: Readiness) -> Result<()>;

    /// Stops watching a file descriptor. Does nothing if it is not watched.
    fn unwatch(&mut self, fd: RawFd);

    /// True if the next [`wait`](Platform::wait) could report nothing but a [`Ring`]. False if the platform does not
    /// know.
    fn watches_nothing(&self) -> bool {
        false
    }

    /// The bell that ends the waits of this platform.
    fn ring(&self) -> Arc<dyn Ring>;

    /// Submits a job to the thread pool.
    fn submit(&mut self, job: Box<dyn Job>, class: Class) -> Ticket;

    /// Removes a job that no thread has started from the queue.
    fn take_back(&mut self, ticket: Ticket) -> Option<Box<dyn Job>>;

    /// A file descriptor that is readable when a wait would return something, if the platform has one.
    fn backend_fd(&self) -> Option<RawFd>;
}

/// Ends a wait, from any thread or signal handler.
pub trait Ring: Send + Sync {
    /// Ends a wait. The method takes no lock and does not allocate.
    fn ring(&self);
}
