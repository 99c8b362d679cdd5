//! Ownership of file descriptors.
//!
//! [`Fd`] owns a descriptor and closes it when dropped, except 0, 1 and 2: standard input, output and error belong to
//! the process and stay open when a handle on them is closed. A descriptor that its user owns (of a `poll` handle, or a
//! number that a program passes to a file operation) is passed as [`RawFd`] and borrowed for one call.
//!
//! # Safety
//! `BorrowedFd::borrow_raw` requires a descriptor that stays open. The numbers come from programs, so this cannot be
//! checked. The kernel answers `EBADF` for a closed number and acts on the new file for a recycled one, as in C;
//! neither touches memory. The only invalid value, -1, is refused before.
#![allow(unsafe_code)]

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};

use rustix::event::{PollFd, PollFlags};
use rustix::io::retry_on_intr;

use crate::{Errno, Result};

/// An owned file descriptor. Dropping it closes it, unless it is 0, 1 or 2.
#[derive(Debug)]
pub struct Fd(RawFd);

impl Fd {
    /// Takes ownership of a descriptor number. A negative number is `EBADF`; a number that is not open fails at its
    /// first use.
    pub fn adopt(raw: RawFd) -> Result<Fd> {
        if raw < 0 { Err(Errno::EBADF) } else { Ok(Fd(raw)) }
    }

    /// Gives up ownership: returns the number and does not close it.
    pub fn release(self) -> RawFd {
        let raw = self.0;
        std::mem::forget(self);
        raw
    }

    /// A new descriptor for the same open file description, close-on-exec and above 2.
    pub fn duplicate(&self) -> Result<Fd> {
        let copy = rustix::io::fcntl_dupfd_cloexec(self, 3)?;
        Ok(copy.into())
    }
}

impl Drop for Fd {
    fn drop(&mut self) {
        if self.0 > libc::STDERR_FILENO {
            // SAFETY: this value owns the descriptor and is not used after this. The result is ignored: on Linux the
            // number is free even after EINTR or EIO (`close(2)`), so there is nothing to retry.
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
        // SAFETY: the number is not -1, and its ownership moves.
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

/// Borrows a descriptor number that other code owns, for one call. A negative number is `EBADF`.
pub(crate) fn borrow<'a>(raw: RawFd) -> Result<BorrowedFd<'a>> {
    if raw < 0 {
        return Err(Errno::EBADF);
    }
    // SAFETY: not -1; for numbers that are not open see the head of this file.
    Ok(unsafe { BorrowedFd::borrow_raw(raw) })
}

/// Makes `raw` refer to the open file description of `source`, close-on-exec. The file that `raw` referred to before is
/// closed.
pub(crate) fn replace(raw: RawFd, source: &Fd) -> Result<()> {
    // `dup3` refuses equal numbers with EINVAL; nothing has to be done for them.
    if raw == source.0 {
        return Ok(());
    }
    loop {
        // SAFETY: takes two numbers and touches no memory.
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

/// Blocks until a nonblocking descriptor is writable. Returns false if `poll(2)` reports an error or hangup: the next
/// write then returns the error.
pub fn wait_writable(raw: RawFd) -> Result<bool> {
    let mut watched = [PollFd::from_borrowed_fd(borrow(raw)?, PollFlags::OUT)];
    retry_on_intr(|| rustix::event::poll(&mut watched, None))?;
    Ok(watched[0].revents() == PollFlags::OUT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negative_numbers_are_refused() {
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
