//! Descriptors: who closes what.
//!
//! [`Fd`] owns a descriptor and closes it when dropped, except the three standard ones, which belong to the process
//! and stay open whatever handle was put on them. Descriptors that stay their owner's (a `poll` handle's, or a number
//! that a program passes to a file operation) travel as [`RawFd`] and are borrowed for one call.
//!
//! # Safety
//! `BorrowedFd::borrow_raw` demands a descriptor that stays open. Numbers come from programs, so this cannot be known;
//! what the kernel does with a closed number is answer `EBADF`, and with a recycled one act on the new file, as in C.
//! Neither touches memory. The one value that would be undefined, -1, is refused before.
#![allow(unsafe_code)]

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};

use rustix::event::{PollFd, PollFlags};
use rustix::io::retry_on_intr;

use crate::{Errno, Result};

/// An owned descriptor. Dropping it closes it, unless it is 0, 1 or 2.
#[derive(Debug)]
pub struct Fd(RawFd);

impl Fd {
    /// Takes over a descriptor by its number. A negative number is `EBADF`; an unknown one fails at its first use.
    pub fn adopt(raw: RawFd) -> Result<Fd> {
        if raw < 0 { Err(Errno::EBADF) } else { Ok(Fd(raw)) }
    }

    /// Gives the number up without closing it.
    pub fn release(self) -> RawFd {
        let raw = self.0;
        std::mem::forget(self);
        raw
    }

    /// A second descriptor for the same open file, close-on-exec.
    pub fn duplicate(&self) -> Result<Fd> {
        let copy = rustix::io::fcntl_dupfd_cloexec(self, 3)?;
        Ok(copy.into())
    }
}

impl Drop for Fd {
    fn drop(&mut self) {
        if self.0 > libc::STDERR_FILENO {
            // SAFETY: this value owns the descriptor, which nobody uses after this. `close` reports nothing that could
            // still be mended here: after EINTR or EIO the number is free all the same.
            unsafe { libc::close(self.0) };
        }
    }
}

impl From<OwnedFd> for Fd {
    fn from(owned: OwnedFd) -> Fd {
        Fd(owned.into_raw_fd())
    }
}

impl From<Fd> for OwnedFd {
    fn from(fd: Fd) -> OwnedFd {
        // SAFETY: the number is not -1 and its ownership moves.
        unsafe { OwnedFd::from_raw_fd(fd.release()) }
    }
}

impl AsRawFd for Fd {
    fn as_raw_fd(&self) -> RawFd {
        self.0
    }
}

impl AsFd for Fd {
    fn as_fd(&self) -> BorrowedFd<'_> {
        // SAFETY: not -1, and open as long as `self` lives.
        unsafe { BorrowedFd::borrow_raw(self.0) }
    }
}

/// Borrows a number that somebody else owns, for one call. A negative one is `EBADF`.
pub(crate) fn borrow<'a>(raw: RawFd) -> Result<BorrowedFd<'a>> {
    if raw < 0 {
        return Err(Errno::EBADF);
    }
    // SAFETY: not -1; see the head of this file for numbers that are not open.
    Ok(unsafe { BorrowedFd::borrow_raw(raw) })
}

/// Makes the number `raw` another name of `source`'s open file, close-on-exec; what it stood for is let go.
pub(crate) fn replace(raw: RawFd, source: &Fd) -> Result<()> {
    // `dup3` refuses equal numbers, with which there is nothing to do.
    if raw == source.0 {
        return Ok(());
    }
    loop {
        // SAFETY: two numbers, no memory.
        if unsafe { libc::dup3(source.0, raw, libc::O_CLOEXEC) } >= 0 {
            return Ok(());
        }
        match Errno::last() {
            Errno::EINTR => {}
            errno => return Err(errno),
        }
    }
}

/// Sets or clears `O_NONBLOCK`.
pub fn set_nonblocking(raw: RawFd, nonblocking: bool) -> Result<()> {
    Ok(rustix::io::ioctl_fionbio(borrow(raw)?, nonblocking)?)
}

/// Sets or clears close-on-exec.
pub fn set_cloexec(raw: RawFd, cloexec: bool) -> Result<()> {
    let flags = if cloexec { rustix::io::FdFlags::CLOEXEC } else { rustix::io::FdFlags::empty() };
    Ok(rustix::io::fcntl_setfd(borrow(raw)?, flags)?)
}

/// Blocks until a descriptor that is non-blocking has room. Whether it has; if not it is broken, and a write says how.
pub fn wait_writable(raw: RawFd) -> Result<bool> {
    let mut watched = [PollFd::from_borrowed_fd(borrow(raw)?, PollFlags::OUT)];
    retry_on_intr(|| rustix::event::poll(&mut watched, None))?;
    Ok(watched[0].revents() == PollFlags::OUT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_negative_number_is_refused() {
        assert_eq!(Fd::adopt(-1).unwrap_err(), Errno::EBADF);
        assert_eq!(set_nonblocking(-7, true), Err(Errno::EBADF));
    }

    #[test]
    fn dropping_closes_and_releasing_does_not() {
        let (a, b) = rustix::pipe::pipe().unwrap();
        let (a, b) = (Fd::from(a), Fd::from(b));
        let number = a.release();
        let a = Fd::adopt(number).unwrap();
        drop(b);
        let mut byte = [0];
        assert_eq!(rustix::io::read(&a, &mut byte).unwrap(), 0, "the writer is gone");
    }
}
