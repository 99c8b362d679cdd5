//! Bytes in and out of streams: sockets, pipes, terminals, files. One system call each, nothing allocated.
//!
//! # Safety
//! The one unsafe call reads and sets the disposition of a signal, with structs of the C library made of zeros.
#![allow(unsafe_code)]

use std::io::{IoSlice, IoSliceMut};
use std::os::fd::AsFd;
use std::sync::Once;

use rustix::io::retry_on_intr;
use rustix::net::{self, SendAncillaryBuffer, SendFlags};

use super::full_means_again;
use crate::{ReadBuf, Result};

/// The most slices that one vectored call takes; those behind are left for the next. `IOV_MAX`.
pub const MAX_SLICES: usize = 1024;

/// The most bytes that Linux moves in one call.
#[doc(alias = "UV__IO_MAX_BYTES")]
pub const MAX_BYTES: usize = 0x7fff_f000;

/// How bytes get into a stream: sockets have a call of their own, which does not raise `SIGPIPE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transport {
    /// Any socket.
    Socket,
    /// A pipe, a terminal, a file. Writing to a pipe that nobody reads raises `SIGPIPE`: see [`ignore_sigpipe_once`].
    Plain,
}

impl Transport {
    /// Which one a descriptor needs. Ask once and keep the answer.
    pub fn of(fd: impl AsFd) -> Transport {
        match net::sockopt::socket_type(fd) {
            Ok(_) => Transport::Socket,
            Err(_) => Transport::Plain,
        }
    }
}

/// Reads what there is, up to the buffer's length. 0 is the end; `EAGAIN` is nothing yet.
pub fn read<'a>(fd: impl AsFd, buffer: impl Into<ReadBuf<'a>>) -> Result<usize> {
    let fd = fd.as_fd();
    let mut buf = buffer.into().up_to(MAX_BYTES);
    Ok(retry_on_intr(|| rustix::io::read(fd, buf.as_uninit()).map(|(got, _)| got.len()))?)
}

/// As [`read`], into several buffers, one after the other.
pub fn readv(fd: impl AsFd, buffers: &mut [IoSliceMut<'_>]) -> Result<usize> {
    let fd = fd.as_fd();
    let count = buffers.len().min(MAX_SLICES);
    Ok(retry_on_intr(|| rustix::io::readv(fd, &mut buffers[..count]))?)
}

/// Writes as much as fits now and says how much that was. `EAGAIN` if nothing fits; `EPIPE` if nobody reads any more.
pub fn write(fd: impl AsFd, transport: Transport, bytes: &[u8]) -> Result<usize> {
    let fd = fd.as_fd();
    let bytes = &bytes[..bytes.len().min(MAX_BYTES)];
    let written = match transport {
        Transport::Socket => retry_on_intr(|| net::send(fd, bytes, SendFlags::NOSIGNAL)),
        Transport::Plain => retry_on_intr(|| rustix::io::write(fd, bytes)),
    };
    written.map_err(|errno| full_means_again(errno.into()))
}

/// As [`write()`], from several slices, one after the other. Several without a byte between them always fit: as `writev(2)`,
/// which does not look at the descriptor then.
pub fn writev(fd: impl AsFd, transport: Transport, slices: &[IoSlice<'_>]) -> Result<usize> {
    match slices {
        [one] => return write(fd, transport, one),
        [first, ..] if first.is_empty() && slices.iter().all(|slice| slice.is_empty()) => return Ok(0),
        _ => {}
    }
    let fd = fd.as_fd();
    let slices = &slices[..slices.len().min(MAX_SLICES)];
    let written = match transport {
        Transport::Socket => {
            let none = &mut SendAncillaryBuffer::default();
            retry_on_intr(|| net::sendmsg(fd, slices, none, SendFlags::NOSIGNAL))
        }
        Transport::Plain => retry_on_intr(|| rustix::io::writev(fd, slices)),
    };
    written.map_err(|errno| full_means_again(errno.into()))
}

/// Makes the whole process ignore `SIGPIPE`, the first time it is called, if nobody has said what to do with it.
///
/// Pipes and terminals have no way to write without that signal, whose default is to end the process. Programs in Rust
/// ignore it from their start; a program in C may not, and libuv leaves it to die. Whoever set a handler or ignores the
/// signal notices nothing of this. A child of `spawn` starts with the default again.
pub fn ignore_sigpipe_once() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: a `sigaction` of zeros is a valid one; with a null pointer for the new one the call only reads.
        let mut now: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: as above; `SIG_IGN` runs no code, so setting it asks nothing of the program.
        unsafe {
            if libc::sigaction(libc::SIGPIPE, std::ptr::null(), &mut now) == 0 && now.sa_sigaction == libc::SIG_DFL {
                let mut ignore: libc::sigaction = std::mem::zeroed();
                ignore.sa_sigaction = libc::SIG_IGN;
                libc::sigaction(libc::SIGPIPE, &ignore, std::ptr::null_mut());
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::super::{pipe, stream_pair};
    use super::*;
    use crate::Errno;

    #[test]
    fn slices_arrive_in_order_on_both_transports() {
        ignore_sigpipe_once();
        let ends =
            [(stream_pair([true, true]).unwrap(), Transport::Socket), (pipe([true, true]).unwrap(), Transport::Plain)];
        for ((reader, writer), transport) in ends {
            assert_eq!(Transport::of(&writer), transport);
            let slices = [IoSlice::new(b"ab"), IoSlice::new(b""), IoSlice::new(b"cde")];
            assert_eq!(writev(&writer, transport, &slices), Ok(5));
            let (mut first, mut second) = ([0; 3], [0; 8]);
            let mut buffers = [IoSliceMut::new(&mut first), IoSliceMut::new(&mut second)];
            assert_eq!(readv(&reader, &mut buffers), Ok(5));
            assert_eq!((&first, &second[..2]), (b"abc", b"de".as_slice()));
            assert_eq!(read(&reader, &mut second), Err(Errno::EAGAIN));
            drop(reader);
            // A child that a test beside this one has just forked may hold a copy until it runs its program.
            wait_for(&writer, rustix::event::PollFlags::empty());
            assert_eq!(write(&writer, transport, b"x"), Err(Errno::EPIPE), "and the process lives");
            assert_eq!(writev(&writer, transport, &slices), Err(Errno::EPIPE));
        }
    }

    #[test]
    fn more_slices_than_the_kernel_takes_are_a_partial_write() {
        let (a, b) = stream_pair([true, true]).unwrap();
        let slices: Vec<IoSlice<'_>> = (0..MAX_SLICES + 10).map(|_| IoSlice::new(b"x")).collect();
        assert_eq!(writev(&a, Transport::Socket, &slices), Ok(MAX_SLICES));
        let mut buffer = vec![0; 2048];
        assert_eq!(read(&b, &mut buffer), Ok(MAX_SLICES));
    }

    #[test]
    fn a_full_socket_says_so() {
        let (a, _b) = stream_pair([true, true]).unwrap();
        let block = vec![0; 1 << 20];
        let mut total = 0;
        let end = loop {
            match write(&a, Transport::Socket, &block) {
                Ok(count) => total += count,
                Err(errno) => break errno,
            }
        };
        assert_eq!(end, Errno::EAGAIN);
        assert!(total > 0);
    }
}
