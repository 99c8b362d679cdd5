//! What an unknown descriptor is. Nothing is changed here.

use std::os::fd::{AsFd, RawFd};

use rustix::fs::{FileType, OFlags};
use rustix::net::{SocketType, sockopt};

use super::Domain;
use crate::{Errno, Result, fd};

/// What a descriptor refers to, as far as handles care.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A terminal.
    Tty,
    /// A regular file or a device that is not a terminal.
    File,
    /// A pipe, named or not.
    Fifo,
    /// A Unix stream socket.
    UnixStream,
    /// A TCP socket.
    Tcp,
    /// A UDP socket.
    Udp,
    /// Anything else, a closed number too.
    Unknown,
}

/// What may be done with a descriptor, as it was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// It may be read.
    pub readable: bool,
    /// It may be written.
    pub writable: bool,
}

/// Finds out what a descriptor is. As libuv, which has one name for [`Kind::Fifo`] and [`Kind::UnixStream`].
#[doc(alias = "uv_guess_handle")]
pub fn kind_of(raw: RawFd) -> Kind {
    let Ok(fd) = fd::borrow(raw) else { return Kind::Unknown };
    if rustix::termios::isatty(fd) {
        return Kind::Tty;
    }
    let Ok(stat) = rustix::fs::fstat(fd) else { return Kind::Unknown };
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile | FileType::CharacterDevice => Kind::File,
        FileType::Fifo => Kind::Fifo,
        FileType::Socket => match (sockopt::socket_type(fd), family(fd)) {
            (Ok(SocketType::STREAM), Ok(Domain::Unix)) => Kind::UnixStream,
            (Ok(SocketType::STREAM), Ok(_)) => Kind::Tcp,
            (Ok(SocketType::DGRAM), Ok(Domain::V4 | Domain::V6)) => Kind::Udp,
            _ => Kind::Unknown,
        },
        _ => Kind::Unknown,
    }
}

/// A socket's address family; `EAFNOSUPPORT` if it is none that handles know, `ENOTSOCK` if it is no socket.
#[doc(alias = "SO_DOMAIN")]
pub fn family(fd: impl AsFd) -> Result<Domain> {
    Domain::from_family(sockopt::socket_domain(fd)?).ok_or(Errno::EAFNOSUPPORT)
}

/// Whether a socket takes connections.
#[doc(alias = "SO_ACCEPTCONN")]
pub fn is_listening(fd: impl AsFd) -> Result<bool> {
    Ok(sockopt::socket_acceptconn(fd)?)
}

/// Which directions a descriptor was opened for. As `uv_pipe_open` asks before it takes one over.
pub fn access_of(raw: RawFd) -> Result<Access> {
    let mode = rustix::fs::fcntl_getfl(fd::borrow(raw)?)? & OFlags::RWMODE;
    Ok(Access { readable: mode != OFlags::WRONLY, writable: mode != OFlags::RDONLY })
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::super::{bind, listen, pair, pipe, stream_pair, stream_socket, udp_socket};
    use super::*;
    use std::os::fd::AsRawFd;

    #[test]
    fn each_kind_is_recognised() {
        let (a, _b) = stream_pair([true, true]).unwrap();
        let (reader, writer) = pipe([true, true]).unwrap();
        let datagrams = pair(libc::SOCK_DGRAM, 0, [true, true]).unwrap();
        let null = std::fs::File::open("/dev/null").unwrap();
        let directory = std::fs::File::open("/").unwrap();
        let tcp = stream_socket(Domain::V4).unwrap();
        let udp = udp_socket(Domain::V4).unwrap();
        let terminal = rustix::pty::openpt(rustix::pty::OpenptFlags::RDWR | rustix::pty::OpenptFlags::NOCTTY).unwrap();
        let expected = [
            (a.as_raw_fd(), Kind::UnixStream),
            (reader.as_raw_fd(), Kind::Fifo),
            (datagrams.0.as_raw_fd(), Kind::Unknown),
            (null.as_raw_fd(), Kind::File),
            (directory.as_raw_fd(), Kind::Unknown),
            (tcp.as_raw_fd(), Kind::Tcp),
            (udp.as_raw_fd(), Kind::Udp),
            (terminal.as_raw_fd(), Kind::Tty),
            (-1, Kind::Unknown),
            (i32::MAX, Kind::Unknown),
        ];
        for (raw, kind) in expected {
            assert_eq!(kind_of(raw), kind);
        }
        assert_eq!(access_of(reader.as_raw_fd()), Ok(Access { readable: true, writable: false }));
        assert_eq!(access_of(writer.as_raw_fd()), Ok(Access { readable: false, writable: true }));
        assert_eq!(access_of(a.as_raw_fd()), Ok(Access { readable: true, writable: true }));
        assert_eq!(family(&reader), Err(Errno::ENOTSOCK));
    }

    #[test]
    fn listening_shows() {
        let fd = stream_socket(Domain::V4).unwrap();
        bind(&fd, &localhost(Domain::V4)).unwrap();
        assert_eq!(is_listening(&fd), Ok(false));
        listen(&fd, 1).unwrap();
        assert_eq!(is_listening(&fd), Ok(true));
    }
}
