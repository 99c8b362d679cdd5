//! Connections of TCP and Unix stream sockets: creating, binding, connecting, accepting, shutting down. Also socket
//! pairs and pipes.
//!
//! Reading and writing are in `bytes`, options in `options`.

use std::os::fd::AsFd;

use rustix::io::retry_on_intr;
use rustix::net::{self, SocketFlags, SocketType};

use super::{Address, Domain, with_link_local_scope};
use crate::{Errno, Fd, Result};

/// The flags of every socket that is created here.
pub(super) const SOCKET_FLAGS: SocketFlags = SocketFlags::CLOEXEC.union(SocketFlags::NONBLOCK);

/// Creates a stream socket: TCP, or a Unix stream socket.
pub fn stream_socket(domain: Domain) -> Result<Fd> {
    Ok(net::socket_with(domain.family(), SocketType::STREAM, SOCKET_FLAGS, None)?.into())
}

/// Two connected Unix stream sockets, close-on-exec, each optionally nonblocking.
pub fn stream_pair(nonblocking: [bool; 2]) -> Result<(Fd, Fd)> {
    pair(libc::SOCK_STREAM, 0, nonblocking)
}

/// Two connected Unix sockets of any type and protocol (the kernel's numbers), each optionally nonblocking.
#[doc(alias = "uv_socketpair")]
pub fn pair(kind: i32, protocol: i32, nonblocking: [bool; 2]) -> Result<(Fd, Fd)> {
    let kind = u32::try_from(kind).map_err(|_| Errno::EINVAL)?;
    let protocol = u32::try_from(protocol).map_err(|_| Errno::EPROTONOSUPPORT)?;
    let protocol = std::num::NonZeroU32::new(protocol).map(net::Protocol::from_raw);
    let both = nonblocking == [true, true];
    let flags = if both { SOCKET_FLAGS } else { SocketFlags::CLOEXEC };
    let (a, b) = net::socketpair(net::AddressFamily::UNIX, SocketType::from_raw(kind), flags, protocol)?;
    if !both {
        make_nonblocking([&a, &b], nonblocking)?;
    }
    Ok((a.into(), b.into()))
}

/// The two ends of a pipe, read end first, close-on-exec, each optionally nonblocking.
#[doc(alias = "uv_pipe")]
pub fn pipe(nonblocking: [bool; 2]) -> Result<(Fd, Fd)> {
    use rustix::pipe::PipeFlags;
    let both = nonblocking == [true, true];
    let flags = if both { PipeFlags::CLOEXEC | PipeFlags::NONBLOCK } else { PipeFlags::CLOEXEC };
    let (reader, writer) = rustix::pipe::pipe_with(flags)?;
    if !both {
        make_nonblocking([&reader, &writer], nonblocking)?;
    }
    Ok((reader.into(), writer.into()))
}

fn make_nonblocking(ends: [&std::os::fd::OwnedFd; 2], nonblocking: [bool; 2]) -> Result<()> {
    for (end, wanted) in ends.into_iter().zip(nonblocking) {
        if wanted {
            rustix::io::ioctl_fionbio(end, true)?;
        }
    }
    Ok(())
}

/// Binds a socket to an address.
///
/// `EINVAL` for an address of another family than the socket's, as in `src/unix/tcp.c: uv__tcp_bind` and
/// `src/unix/udp.c: uv__udp_bind`. Other errors are the kernel's. Callers do the rest of libuv's mapping: TCP reports
/// `EADDRINUSE` later, and pipes turn `ENOENT` into `EACCES`.
pub fn bind(fd: impl AsFd, address: &Address) -> Result<()> {
    match net::bind(fd, &address.encode()) {
        Ok(()) => Ok(()),
        Err(rustix::io::Errno::AFNOSUPPORT) => Err(Errno::EINVAL),
        Err(errno) => Err(errno.into()),
    }
}

/// Starts listening, with a queue of about `backlog` connections that are not accepted yet.
pub fn listen(fd: impl AsFd, backlog: i32) -> Result<()> {
    Ok(net::listen(fd, backlog)?)
}

/// Accepts a connection; `EAGAIN` if none is queued.
pub fn accept(fd: impl AsFd) -> Result<Fd> {
    let fd = fd.as_fd();
    Ok(retry_on_intr(|| net::accept_with(fd, SOCKET_FLAGS))?.into())
}

/// The state of a connection after [`connect`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Progress {
    /// The connection is established.
    Done,
    /// The connection is in progress (`EINPROGRESS`): when the socket becomes writable, [`take_error`] returns the result.
    Pending,
}

/// Starts connecting.
///
/// A link-local address without a scope id gets one. A connect that is interrupted by a signal continues in the
/// background (`connect(2)`, EINTR), so it counts as pending. `EAGAIN` if the backlog of a Unix listener is full.
pub fn connect(fd: impl AsFd, address: &Address) -> Result<Progress> {
    let encoded = match address {
        Address::V6(v6) => Address::V6(with_link_local_scope(*v6)).encode(),
        other => other.encode(),
    };
    match net::connect(fd, &encoded) {
        Ok(()) => Ok(Progress::Done),
        Err(rustix::io::Errno::INPROGRESS | rustix::io::Errno::INTR) => Ok(Progress::Pending),
        Err(errno) => Err(errno.into()),
    }
}

/// Returns and clears the socket's pending error (`SO_ERROR`), such as the result of connecting.
#[doc(alias = "SO_ERROR")]
pub fn take_error(fd: impl AsFd) -> Result<()> {
    Ok(net::sockopt::socket_error(fd)??)
}

/// The address that the socket is bound to.
#[doc(alias = "getsockname")]
pub fn local_address(fd: impl AsFd) -> Result<Address> {
    Address::from_any(&net::getsockname(fd)?).ok_or(Errno::EAFNOSUPPORT)
}

/// The address of the peer; `ENOTCONN` if the socket is not connected.
#[doc(alias = "getpeername")]
pub fn peer_address(fd: impl AsFd) -> Result<Address> {
    match net::getpeername(fd)? {
        Some(any) => Address::from_any(&any).ok_or(Errno::EAFNOSUPPORT),
        // The kernel returns an empty address only for an unnamed Unix peer.
        None => Ok(Address::Unix(super::UnixName::default())),
    }
}

/// Shuts down the writing side; the peer reads the rest of the data and then end of stream.
pub fn shutdown_write(fd: impl AsFd) -> Result<()> {
    Ok(net::shutdown(fd, net::Shutdown::Write)?)
}

/// Sets the permission bits of a bound Unix socket, which decide which users may connect.
///
/// As `src/unix/pipe.c: uv_pipe_chmod`: changes both the open socket and its file. `ENOENT` for a socket without a file
/// (abstract or unnamed).
#[doc(alias = "uv_pipe_chmod")]
pub fn set_unix_mode(fd: impl AsFd, mode: u32) -> Result<()> {
    let fd = fd.as_fd();
    let mode = rustix::fs::Mode::from_raw_mode(mode);
    match retry_on_intr(|| rustix::fs::fchmod(fd, mode)) {
        Ok(()) | Err(rustix::io::Errno::INVAL | rustix::io::Errno::OPNOTSUPP) => {}
        Err(errno) => return Err(errno.into()),
    }
    let name = local_address(fd)?;
    let path = name.unix().and_then(super::UnixName::path).ok_or(Errno::ENOENT)?;
    Ok(rustix::fs::chmod(path, mode)?)
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::super::{self as socket, UnixName};
    use super::*;

    fn talk(domain: Domain, address: &Address) {
        let (server, client, accepted) = connected(domain, address);
        assert_eq!(accept(&server).unwrap_err(), Errno::EAGAIN);
        assert_eq!(local_address(&server), peer_address(&client));
        assert_eq!(local_address(&client), peer_address(&accepted));
        let mut buffer = [0; 16];
        assert_eq!(socket::read(&accepted, &mut buffer), Err(Errno::EAGAIN), "accepted sockets are nonblocking");
        assert_eq!(socket::write(&client, socket::Transport::Socket, b"hello"), Ok(5));
        wait_readable(&accepted);
        assert_eq!(socket::read(&accepted, &mut buffer), Ok(5));
        shutdown_write(&client).unwrap();
        wait_readable(&accepted);
        assert_eq!(socket::read(&accepted, &mut buffer), Ok(0));
        for fd in [&server, &client, &accepted] {
            assert!(rustix::io::fcntl_getfd(fd).unwrap().contains(rustix::io::FdFlags::CLOEXEC));
        }
    }

    #[test]
    fn tcp_connects_over_ipv4() {
        talk(Domain::V4, &localhost(Domain::V4));
    }

    #[test]
    fn tcp_connects_over_ipv6() {
        if has_ipv6_loopback() {
            talk(Domain::V6, &localhost(Domain::V6));
        }
    }

    #[test]
    fn unix_sockets_connect_by_path_and_by_abstract_name() {
        let dir = TempDir::new();
        talk(Domain::Unix, &Address::Unix(dir.name("socket")));
        talk(Domain::Unix, &Address::Unix(UnixName::default()));
        let name = format!("\0phasor\0{}", std::process::id());
        talk(Domain::Unix, &Address::Unix(UnixName::new(name.as_bytes()).unwrap()));
    }

    #[test]
    fn a_path_of_maximum_length_is_returned_whole() {
        let dir = TempDir::new();
        let short = dir.name("x").as_bytes().len();
        let name = dir.name(&"x".repeat(UnixName::MAX_BYTES - short + 1));
        assert_eq!(name.as_bytes().len(), UnixName::MAX_BYTES);
        let fd = stream_socket(Domain::Unix).unwrap();
        bind(&fd, &Address::Unix(name.clone())).unwrap();
        assert_eq!(local_address(&fd), Ok(Address::Unix(name)));
    }

    #[test]
    fn connecting_without_a_listener_is_refused() {
        let closed = stream_socket(Domain::V4).unwrap();
        bind(&closed, &localhost(Domain::V4)).unwrap();
        let address = local_address(&closed).unwrap();
        let client = stream_socket(Domain::V4).unwrap();
        let refused = match connect(&client, &address) {
            Ok(_) => {
                wait_for(&client, rustix::event::PollFlags::OUT);
                take_error(&client)
            }
            Err(errno) => Err(errno),
        };
        assert_eq!(refused, Err(Errno::ECONNREFUSED));
        assert_eq!(take_error(&client), Ok(()), "the error was cleared");
        assert_eq!(peer_address(&client), Err(Errno::ENOTCONN));
        let missing = TempDir::new().name("missing");
        assert_eq!(connect(stream_socket(Domain::Unix).unwrap(), &Address::Unix(missing)), Err(Errno::ENOENT));
    }

    #[test]
    fn an_address_of_another_family_is_invalid() {
        let fd = stream_socket(Domain::V4).unwrap();
        let v6 = Address::from("[::1]:0".parse::<std::net::SocketAddr>().unwrap());
        assert_eq!(bind(&fd, &v6), Err(Errno::EINVAL));
    }

    #[test]
    fn each_end_of_a_pair_is_nonblocking_if_asked() {
        for wanted in [[true, true], [true, false], [false, true], [false, false]] {
            let ends = [stream_pair(wanted).unwrap(), pipe(wanted).unwrap()];
            for (a, b) in ends {
                for (end, wanted) in [(a, wanted[0]), (b, wanted[1])] {
                    let flags = rustix::fs::fcntl_getfl(&end).unwrap();
                    assert_eq!(flags.contains(rustix::fs::OFlags::NONBLOCK), wanted);
                    assert!(rustix::io::fcntl_getfd(&end).unwrap().contains(rustix::io::FdFlags::CLOEXEC));
                }
            }
        }
        assert!(pair(-1, 0, [true, true]).is_err());
        let (a, _b) = stream_pair([true, true]).unwrap();
        assert_eq!(peer_address(&a), Ok(Address::Unix(UnixName::default())));
    }

    #[test]
    fn the_mode_of_a_bound_unix_socket_can_be_set() {
        use std::os::unix::fs::PermissionsExt;
        let dir = TempDir::new();
        let fd = stream_socket(Domain::Unix).unwrap();
        assert_eq!(set_unix_mode(&fd, 0o666), Err(Errno::ENOENT));
        bind(&fd, &Address::Unix(dir.name("socket"))).unwrap();
        set_unix_mode(&fd, 0o642).unwrap();
        let mode = std::fs::metadata(dir.0.join("socket")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o642);
    }
}
