//! Properties of an existing descriptor: address family, listening state, access mode. Its type is found by
//! [`crate::tty::guess_kind`].

use std::os::fd::{AsFd, RawFd};

use rustix::fs::OFlags;
use rustix::net::sockopt;

use super::Domain;
use crate::{Errno, Result, fd};

/// The access mode of a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// True if it is open for reading.
    pub readable: bool,
    /// True if it is open for writing.
    pub writable: bool,
}

/// The address family of a socket. `EAFNOSUPPORT` if it is not supported, `ENOTSOCK` if the descriptor is not a socket.
#[doc(alias = "SO_DOMAIN")]
pub fn family(fd: impl AsFd) -> Result<Domain> {
    Domain::from_family(sockopt::socket_domain(fd)?).ok_or(Errno::EAFNOSUPPORT)
}

/// True if the socket is listening.
#[doc(alias = "SO_ACCEPTCONN")]
pub fn is_listening(fd: impl AsFd) -> Result<bool> {
    Ok(sockopt::socket_acceptconn(fd)?)
}

/// The access mode that a descriptor was opened with, as `src/unix/pipe.c: uv_pipe_open` reads it.
pub fn access_of(raw: RawFd) -> Result<Access> {
    let mode = rustix::fs::fcntl_getfl(fd::borrow(raw)?)? & OFlags::RWMODE;
    Ok(Access { readable: mode != OFlags::WRONLY, writable: mode != OFlags::RDONLY })
}

/// The effective user id of the process that connected a Unix socket, as it was then.
#[doc(alias = "SO_PEERCRED")]
pub fn peer_user(fd: impl AsFd) -> Result<u32> {
    Ok(sockopt::socket_peercred(fd)?.uid.as_raw())
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::super::{bind, listen, pipe, stream_pair, stream_socket, udp_socket};
    use super::*;
    use std::os::fd::AsRawFd;

    #[test]
    fn access_modes_and_families_are_reported() {
        let (a, _b) = stream_pair([true, true]).unwrap();
        let (reader, writer) = pipe([true, true]).unwrap();
        assert_eq!(access_of(reader.as_raw_fd()), Ok(Access { readable: true, writable: false }));
        assert_eq!(access_of(writer.as_raw_fd()), Ok(Access { readable: false, writable: true }));
        assert_eq!(access_of(a.as_raw_fd()), Ok(Access { readable: true, writable: true }));
        assert_eq!(access_of(-1), Err(Errno::EBADF));
        assert_eq!(family(&a), Ok(Domain::Unix));
        assert_eq!(family(udp_socket(Domain::V4).unwrap()), Ok(Domain::V4));
        assert_eq!(family(&reader), Err(Errno::ENOTSOCK));
    }

    #[test]
    fn is_listening_reports_the_state() {
        let fd = stream_socket(Domain::V4).unwrap();
        bind(&fd, &localhost(Domain::V4)).unwrap();
        assert_eq!(is_listening(&fd), Ok(false));
        listen(&fd, 1).unwrap();
        assert_eq!(is_listening(&fd), Ok(true));
    }
}
