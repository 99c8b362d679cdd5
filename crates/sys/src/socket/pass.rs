//! Passing file descriptors through Unix sockets together with bytes (`SCM_RIGHTS`, `unix(7)`).

use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, RawFd};

use rustix::io::retry_on_intr;
use rustix::net::{
    self, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
};

use super::bytes::{MAX_BYTES, MAX_SLICES};
use super::enobufs_to_eagain;
use crate::{Fd, ReadBuf, Result, fd};

/// The most descriptors that one message delivers. The kernel closes those that do not fit.
pub const MAX_PASSED: usize = 64;

/// Writes bytes, and passes a copy of a descriptor with the first of them. If any byte was written, the descriptor was
/// passed.
///
/// At least one byte is required: a stream socket sends nothing for an empty message.
pub fn send_with_fd(fd: impl AsFd, slices: &[IoSlice<'_>], passed: RawFd) -> Result<usize> {
    let fd = fd.as_fd();
    let passed = [fd::borrow(passed)?];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    // The buffer was sized for exactly this message.
    control.push(SendAncillaryMessage::ScmRights(&passed));
    let slices = &slices[..slices.len().min(MAX_SLICES)];
    retry_on_intr(|| net::sendmsg(fd, slices, &mut control, SendFlags::NOSIGNAL))
        .map_err(|errno| enobufs_to_eagain(errno.into()))
}

/// Reads bytes, and appends the descriptors that were passed with them to `fds`, close-on-exec.
///
/// If more than [`MAX_PASSED`] were passed nothing leaks: the kernel opens only those that fit.
pub fn recv_with_fds<'a>(fd: impl AsFd, buffer: impl Into<ReadBuf<'a>>, fds: &mut Vec<Fd>) -> Result<usize> {
    let fd = fd.as_fd();
    let mut buf = buffer.into().up_to(MAX_BYTES);
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_PASSED))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut slices = [buf.as_slice_mut()];
    let received = retry_on_intr(|| net::recvmsg(fd, &mut slices, &mut control, RecvFlags::CMSG_CLOEXEC))?;
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(passed) = message {
            fds.extend(passed.map(Fd::from));
        }
    }
    Ok(received.bytes)
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::super::{Transport, pipe, read, stream_pair, write};
    use super::*;
    use crate::Errno;
    use crate::tty::{Kind, guess_kind};
    use std::os::fd::AsRawFd;

    #[test]
    fn a_pipe_is_passed_and_still_works() {
        let (a, b) = stream_pair([true, true]).unwrap();
        let (reader, writer) = pipe([true, true]).unwrap();
        let slices = [IoSlice::new(b"take "), IoSlice::new(b"this")];
        assert_eq!(send_with_fd(&a, &slices, writer.as_raw_fd()), Ok(9));
        drop(writer);
        let (mut buffer, mut fds) = ([0; 64], Vec::new());
        assert_eq!(recv_with_fds(&b, &mut buffer, &mut fds), Ok(9));
        assert_eq!((&buffer[..9], fds.len()), (b"take this".as_slice(), 1));
        assert!(rustix::io::fcntl_getfd(&fds[0]).unwrap().contains(rustix::io::FdFlags::CLOEXEC));
        assert_eq!(guess_kind(fds[0].as_raw_fd()), Kind::NamedPipe);
        write(&fds[0], Transport::Plain, b"x").unwrap();
        assert_eq!(read(&reader, &mut buffer), Ok(1));
        drop(fds);
        wait_readable(&reader);
        assert_eq!(read(&reader, &mut buffer), Ok(0), "no copy is left open");
    }

    #[test]
    fn bytes_without_descriptors_and_end_of_stream() {
        let (a, b) = stream_pair([true, true]).unwrap();
        let (mut buffer, mut fds) = ([0; 8], Vec::new());
        assert_eq!(recv_with_fds(&b, &mut buffer, &mut fds), Err(Errno::EAGAIN));
        write(&a, Transport::Socket, b"abc").unwrap();
        assert_eq!(recv_with_fds(&b, &mut buffer, &mut fds), Ok(3));
        assert!(fds.is_empty());
        assert_eq!(send_with_fd(&a, &[IoSlice::new(b"x")], -1), Err(Errno::EBADF));
        drop(a);
        wait_readable(&b);
        assert_eq!(recv_with_fds(&b, &mut buffer, &mut fds), Ok(0));
    }

    #[test]
    fn too_many_descriptors_do_not_leak() {
        let (a, b) = stream_pair([true, true]).unwrap();
        let (reader, writer) = pipe([true, true]).unwrap();
        let many = vec![writer.as_fd(); MAX_PASSED + 20];
        let mut space = vec![MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_PASSED + 20))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        assert!(control.push(SendAncillaryMessage::ScmRights(&many)));
        net::sendmsg(&a, &[IoSlice::new(b"x")], &mut control, SendFlags::empty()).unwrap();
        drop(writer);
        let (mut buffer, mut fds) = ([0; 8], Vec::new());
        assert_eq!(recv_with_fds(&b, &mut buffer, &mut fds), Ok(1));
        assert!((MAX_PASSED..MAX_PASSED + 20).contains(&fds.len()), "{}", fds.len());
        assert_eq!(read(&reader, &mut buffer), Err(Errno::EAGAIN), "held open by the received descriptors");
        drop(fds);
        wait_readable(&reader);
        assert_eq!(read(&reader, &mut buffer), Ok(0), "and by no other copy");
    }
}
