//! Waiting for readiness: a thin layer over `epoll(7)`.
//!
//! Level-triggered unless [`Readiness::EDGE`] is asked for, at most [`BATCH`] events per wait, in the kernel's order.
//! The meaning of a token is up to the caller.
//!
//! # Safety
//! The wait is libc's `epoll_wait` or `epoll_pwait`, since rustix takes a timespec where these take milliseconds. The
//! kernel fills an array that this value owns. The signal mask is built by libc on the stack just before the call.
#![allow(unsafe_code)]

use std::os::fd::{AsFd, AsRawFd, RawFd};

use rustix::event::epoll;

use crate::{Errno, Fd, Result, fd};

/// The most events that one wait returns. The same number as in `src/unix/linux.c: uv__io_poll`.
pub const BATCH: usize = 1024;

/// A set of readiness bits with the values of epoll's `EPOLL*` constants.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Readiness(u32);

impl Readiness {
    /// The empty set.
    pub const NONE: Readiness = Readiness(0);
    /// Data to read, end of stream, or a connection to accept.
    pub const READABLE: Readiness = Readiness(libc::EPOLLIN as u32);
    /// Out-of-band data.
    pub const PRIORITIZED: Readiness = Readiness(libc::EPOLLPRI as u32);
    /// A write would not block.
    pub const WRITABLE: Readiness = Readiness(libc::EPOLLOUT as u32);
    /// An error condition. Always reported, also if not in the interest set.
    pub const ERROR: Readiness = Readiness(libc::EPOLLERR as u32);
    /// Hangup: both directions are shut down. Always reported, also if not in the interest set.
    pub const HANGUP: Readiness = Readiness(libc::EPOLLHUP as u32);
    /// The peer has shut down its writing side.
    pub const PEER_CLOSED: Readiness = Readiness(libc::EPOLLRDHUP as u32);
    /// Edge-triggered: report changes of readiness instead of the state.
    pub const EDGE: Readiness = Readiness(libc::EPOLLET as u32);

    /// The bits with epoll's values.
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// A set from epoll's bits.
    pub const fn from_bits(bits: u32) -> Readiness {
        Readiness(bits)
    }

    /// True if any bit of `other` is set here.
    pub const fn intersects(self, other: Readiness) -> bool {
        self.0 & other.0 != 0
    }

    /// True if every bit of `other` is set here.
    pub const fn contains(self, other: Readiness) -> bool {
        self.0 & other.0 == other.0
    }

    /// True if no bit is set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// This set without the bits of `other`.
    #[must_use]
    pub const fn without(self, other: Readiness) -> Readiness {
        Readiness(self.0 & !other.0)
    }
}

impl std::ops::BitOr for Readiness {
    type Output = Readiness;
    fn bitor(self, other: Readiness) -> Readiness {
        Readiness(self.0 | other.0)
    }
}

impl std::ops::BitOrAssign for Readiness {
    fn bitor_assign(&mut self, other: Readiness) {
        self.0 |= other.0;
    }
}

impl std::ops::BitAnd for Readiness {
    type Output = Readiness;
    fn bitand(self, other: Readiness) -> Readiness {
        Readiness(self.0 & other.0)
    }
}

impl std::fmt::Debug for Readiness {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = [
            (Readiness::READABLE, "READABLE"),
            (Readiness::PRIORITIZED, "PRIORITIZED"),
            (Readiness::WRITABLE, "WRITABLE"),
            (Readiness::ERROR, "ERROR"),
            (Readiness::HANGUP, "HANGUP"),
            (Readiness::PEER_CLOSED, "PEER_CLOSED"),
            (Readiness::EDGE, "EDGE"),
        ];
        let mut set = f.debug_set();
        for (bit, name) in names {
            if self.contains(bit) {
                set.entry(&format_args!("{name}"));
            }
        }
        set.finish()
    }
}

/// The readiness of one descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ready {
    /// The token that [`Poller::add`] got for the descriptor.
    pub token: u64,
    /// The conditions that hold.
    pub readiness: Readiness,
}

/// An epoll instance.
pub struct Poller {
    epoll: Fd,
    /// The array that the kernel fills, reused by every wait.
    events: Box<[libc::epoll_event; BATCH]>,
    /// Signals that are blocked during a wait.
    blocked: Vec<i32>,
}

impl Poller {
    /// A new instance, close-on-exec.
    pub fn new() -> Result<Poller> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?.into();
        Ok(Poller { epoll, events: Box::new([libc::epoll_event { events: 0, u64: 0 }; BATCH]), blocked: Vec::new() })
    }

    /// In a child of `fork`: replaces the epoll instance by a new one that watches nothing. The instance that is shared
    /// with the parent is not modified.
    pub fn renew(&mut self) -> Result<()> {
        self.epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?.into();
        Ok(())
    }

    /// Starts watching a descriptor. `EEXIST` if it is watched already, `EPERM` if epoll does not support its type (a
    /// regular file).
    pub fn add(&self, raw: RawFd, token: u64, interest: Readiness) -> Result<()> {
        let flags = epoll::EventFlags::from_bits_retain(interest.0);
        Ok(epoll::add(&self.epoll, fd::borrow(raw)?, epoll::EventData::new_u64(token), flags)?)
    }

    /// Changes the interest set of a watched descriptor. `ENOENT` if it is not watched.
    pub fn modify(&self, raw: RawFd, token: u64, interest: Readiness) -> Result<()> {
        let flags = epoll::EventFlags::from_bits_retain(interest.0);
        Ok(epoll::modify(&self.epoll, fd::borrow(raw)?, epoll::EventData::new_u64(token), flags)?)
    }

    /// Stops watching a descriptor.
    pub fn remove(&self, raw: RawFd) -> Result<()> {
        Ok(epoll::delete(&self.epoll, fd::borrow(raw)?)?)
    }

    /// Blocks a signal during every wait: it is delivered when the wait has ended. `EINVAL` for a number that is not a
    /// signal.
    #[doc(alias = "UV_LOOP_BLOCK_SIGNAL")]
    pub fn block_signal(&mut self, signum: i32) -> Result<()> {
        if !(1..=libc::SIGRTMAX()).contains(&signum) {
            return Err(Errno::EINVAL);
        }
        if !self.blocked.contains(&signum) {
            self.blocked.push(signum);
        }
        Ok(())
    }

    /// Waits until a descriptor is ready or the timeout has passed (`None`: no timeout), and appends the ready
    /// descriptors to `ready`.
    ///
    /// A signal ends the wait early with nothing appended and `Ok`: the caller checks the clock and decides whether to
    /// wait again.
    pub fn wait(&mut self, timeout_ms: Option<u64>, ready: &mut Vec<Ready>) -> Result<()> {
        let timeout_ms = timeout_ms.map_or(-1, |ms| i32::try_from(ms).unwrap_or(i32::MAX));
        let (epoll, events) = (self.epoll.as_raw_fd(), self.events.as_mut_ptr());
        let found = if self.blocked.is_empty() {
            // SAFETY: the array has space for `BATCH` events and outlives the call.
            unsafe { libc::epoll_wait(epoll, events, BATCH as i32, timeout_ms) }
        } else {
            let mask = mask_with(&self.blocked);
            // SAFETY: the array has space for `BATCH` events; the array and the mask outlive the call.
            unsafe { libc::epoll_pwait(epoll, events, BATCH as i32, timeout_ms, &raw const mask) }
        };
        if found < 0 {
            return match Errno::last() {
                Errno::EINTR => Ok(()),
                other => Err(other),
            };
        }
        // The kernel's struct is packed, so its fields are copied and never borrowed.
        ready.extend(
            self.events[..found as usize]
                .iter()
                .map(|&libc::epoll_event { events, u64: token }| Ready { token, readiness: Readiness(events) }),
        );
        Ok(())
    }
}

/// The thread's signal mask plus `blocked`. libuv's `src/unix/linux.c: uv__io_poll` uses a mask of `SIGPROF` alone,
/// which unblocks during the wait all signals that the thread had blocked.
fn mask_with(blocked: &[i32]) -> libc::sigset_t {
    // SAFETY: any bits are a valid `sigset_t`, and the calls write only the set they are given.
    unsafe {
        let mut mask = std::mem::zeroed();
        libc::pthread_sigmask(libc::SIG_BLOCK, std::ptr::null(), &mut mask);
        for &signum in blocked {
            libc::sigaddset(&mut mask, signum);
        }
        mask
    }
}

impl AsRawFd for Poller {
    fn as_raw_fd(&self) -> RawFd {
        self.epoll.as_fd().as_raw_fd()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;
    use crate::wake::Wake;

    extern "C" fn ignore(_signum: i32) {}

    #[test]
    fn a_blocked_signal_does_not_end_a_wait() {
        // SAFETY: the handler does nothing, and no other test uses this signal.
        unsafe { libc::signal(libc::SIGPROF, ignore as extern "C" fn(i32) as libc::sighandler_t) };
        let wake = Wake::new().unwrap();
        let mut poller = Poller::new().unwrap();
        assert_eq!(poller.block_signal(0), Err(Errno::EINVAL));
        poller.block_signal(libc::SIGPROF).unwrap();
        poller.add(wake.as_raw_fd(), 7, Readiness::READABLE).unwrap();
        let (tell, told) = mpsc::channel();
        let waiting = std::thread::spawn(move || {
            // SAFETY: the calls affect only the calling thread. It blocks SIGUSR2 itself, and the wait must not unblock
            // it.
            unsafe {
                let mut own = std::mem::zeroed();
                libc::sigaddset(&mut own, libc::SIGUSR2);
                libc::pthread_sigmask(libc::SIG_BLOCK, &own, std::ptr::null_mut());
                libc::raise(libc::SIGUSR2);
                tell.send(libc::pthread_self()).unwrap();
            }
            let mut ready = Vec::new();
            poller.wait(None, &mut ready).unwrap();
            ready
        });
        let thread = told.recv().unwrap();
        for _ in 0..1000 {
            // SAFETY: the thread cannot end before it is woken below.
            unsafe { libc::pthread_kill(thread, libc::SIGPROF) };
            std::thread::yield_now();
        }
        wake.wake();
        assert_eq!(waiting.join().unwrap(), [Ready { token: 7, readiness: Readiness::READABLE }]);
    }
}
