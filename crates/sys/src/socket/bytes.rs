//! Reading and writing byte streams: sockets, pipes, terminals, files. One system call each, without allocation.
//!
//! # Safety
//! The unsafe calls read and set the disposition of a signal, with zeroed structs of the C library.
#![allow(unsafe_code)]

use std::io::{IoSlice, IoSliceMut};
use std::os::fd::AsFd;
use std::sync::Once;

use rustix::io::retry_on_intr;
use rustix::net::{self, SendAncillaryBuffer, SendFlags};

use super::enobufs_to_eagain;
use crate::{ReadBuf, Result};

/// The most slices that one vectored call takes (`IOV_MAX`); further ones are left for the next call.
pub const MAX_SLICES: usize = 1024;

/// The most bytes that one system call transfers on Linux.
#[doc(alias = "UV__IO_MAX_BYTES")]
pub const MAX_BYTES: usize = 0x7fff_f000;

/// The system call that writes to a descriptor: sockets use `send` with `MSG_NOSIGNAL`, which does not raise `SIGPIPE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transport {
    /// A socket.
    Socket,
    /// A pipe, a terminal or a file, written by `write(2)`. Writing to a pipe without a reader raises `SIGPIPE`: see
    /// [`ignore_sigpipe_once`].
    Plain,
}

impl Transport {
    /// The transport of a descriptor. Costs a system call, so callers keep the result.
    pub fn of(fd: impl AsFd) -> Transport {
        match net::sockopt::socket_type(fd) {
            Ok(_) => Transport::Socket,
            Err(_) => Transport::Plain,
        }
    }
}

/// Reads the available bytes, up to the buffer's length. 0 means end of stream; `EAGAIN` means no data yet.
pub fn read<'a>(fd: impl AsFd, buffer: impl Into<ReadBuf<'a>>) -> Result<usize> {
    let fd = fd.as_fd();
    let mut buf = buffer.into().up_to(MAX_BYTES);
    Ok(retry_on_intr(|| rustix::io::read(fd, buf.as_uninit()).map(|(got, _)| got.len()))?)
}

/// [`read`] into several buffers, in order.
pub fn readv(fd: impl AsFd, buffers: &mut [IoSliceMut<'_>]) -> Result<usize> {
    let fd = fd.as_fd();
    let count = buffers.len().min(MAX_SLICES);
    Ok(retry_on_intr(|| rustix::io::readv(fd, &mut buffers[..count]))?)
}

/// Writes as many bytes as fit now and returns their count. `EAGAIN` if none fits, `EPIPE` if the read end is closed.
pub fn write(fd: impl AsFd, transport: Transport, bytes: &[u8]) -> Result<usize> {
    let fd = fd.as_fd();
    let bytes = &bytes[..bytes.len().min(MAX_BYTES)];
    let written = match transport {
        Transport::Socket => retry_on_intr(|| net::send(fd, bytes, SendFlags::NOSIGNAL)),
        Transport::Plain => retry_on_intr(|| rustix::io::write(fd, bytes)),
    };
    written.map_err(|errno| enobufs_to_eagain(errno.into()))
}

/// [`write()`] of several slices, in order. Several slices that are all empty return 0 for any descriptor, as
/// `writev(2)` does, which then does not check it.
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
    written.map_err(|errno| enobufs_to_eagain(errno.into()))
}

/// Makes the process ignore `SIGPIPE`, the first time that it is called, if the disposition is still the default.
///
/// Pipes and terminals cannot be written without that signal, and its default action ends the process. Rust programs
/// ignore it from the start; a C program may not, and libuv does not either. A handler that is installed stays. A child
/// of `spawn` starts with the default again.
pub fn ignore_sigpipe_once() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: all zeros are a valid `sigaction`.
        let mut now: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: with a null new action the call only reads; `SIG_IGN` runs no code.
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
            // A child that a concurrent test has just forked may hold a copy until its exec.
            wait_for(&writer, rustix::event::PollFlags::empty());
            assert_eq!(write(&writer, transport, b"x"), Err(Errno::EPIPE), "EPIPE and no SIGPIPE");
            assert_eq!(writev(&writer, transport, &slices), Err(Errno::EPIPE));
        }
    }

    #[test]
    fn more_slices_than_iov_max_are_a_partial_write() {
        let (a, b) = stream_pair([true, true]).unwrap();
        let slices: Vec<IoSlice<'_>> = (0..MAX_SLICES + 10).map(|_| IoSlice::new(b"x")).collect();
        assert_eq!(writev(&a, Transport::Socket, &slices), Ok(MAX_SLICES));
        let mut buffer = vec![0; 2048];
        assert_eq!(read(&b, &mut buffer), Ok(MAX_SLICES));
    }

    #[test]
    fn a_full_socket_returns_eagain() {
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
