//! Single datagrams, and the error queue. Batches are in `batch`.
//!
//! # Safety
//! Every `msghdr` is built by [`header`] or in [`receive`] from borrowed slices that outlive the call, with their
//! lengths; the same holds for calls without one. Control messages are walked by the C library's macros within the
//! length that the kernel set.
#![allow(unsafe_code)]

use std::io::IoSlice;
use std::os::fd::{AsFd, AsRawFd};

use rustix::io::retry_on_intr;
use rustix::net::{self, SocketType};

use super::options::set_receive_errors;
use super::stream::SOCKET_FLAGS;
use super::{
    Address, Domain, Encoded, bind, enobufs_to_eagain, retry_interrupted, set_ipv6_only, set_reuse_address,
    set_reuse_port,
};
use crate::{Errno, Fd, ReadBuf, Result};

/// A received datagram. Its payload is in the caller's buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// The length of the payload in the buffer.
    pub len: usize,
    /// The address of the sender. `None` for an unnamed Unix socket.
    pub sender: Option<Address>,
    /// True if the datagram was longer than the buffer; the rest is lost.
    #[doc(alias = "UV_UDP_PARTIAL")]
    pub truncated: bool,
}

/// An entry of the error queue: the datagram that failed, and its error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuedError {
    /// The payload of the failed datagram; `sender` is its destination.
    pub datagram: Datagram,
    /// The error. `None` for an entry that is not an error, such as a timestamp.
    pub error: Option<Errno>,
    /// The address of the machine that reported the error, such as a router. `None` if it is this machine.
    pub offender: Option<Address>,
}

/// The options of [`udp_bind`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UdpBind {
    /// Disable IPv4; `EINVAL` for other than IPv6 addresses.
    #[doc(alias = "UV_UDP_IPV6ONLY")]
    pub ipv6_only: bool,
    /// Share the address; on Linux the last socket to bind receives the datagrams.
    #[doc(alias = "UV_UDP_REUSEADDR")]
    pub reuse_address: bool,
    /// Share the port; the kernel distributes the datagrams among the sockets.
    #[doc(alias = "UV_UDP_REUSEPORT")]
    pub reuse_port: bool,
    /// Enable the error queue, see [`recv_queued_error`].
    #[doc(alias = "UV_UDP_LINUX_RECVERR")]
    pub receive_errors: bool,
}

/// Creates a datagram socket.
pub fn udp_socket(domain: Domain) -> Result<Fd> {
    Ok(net::socket_with(domain.family(), SocketType::DGRAM, SOCKET_FLAGS, None)?.into())
}

/// Sets the options, in the order of `src/unix/udp.c: uv__udp_bind`, and binds the socket.
#[doc(alias = "uv_udp_bind")]
pub fn udp_bind(fd: impl AsFd, address: &Address, options: UdpBind) -> Result<()> {
    let fd = fd.as_fd();
    if options.ipv6_only && address.domain() != Domain::V6 {
        return Err(Errno::EINVAL);
    }
    if options.receive_errors {
        set_receive_errors(fd, address.domain())?;
    }
    if options.reuse_address {
        set_reuse_address(fd, true)?;
    }
    if options.reuse_port {
        set_reuse_port(fd, true)?;
    }
    if options.ipv6_only {
        set_ipv6_only(fd, true)?;
    }
    bind(fd, address)
}

/// Connects a datagram socket: sending needs no address, and only the peer's datagrams are received.
#[doc(alias = "uv_udp_connect")]
pub fn udp_connect(fd: impl AsFd, address: &Address) -> Result<()> {
    let (fd, encoded) = (fd.as_fd(), address.encode());
    Ok(retry_on_intr(|| net::connect(fd, &encoded))?)
}

/// Dissolves the association made by [`udp_connect`].
pub fn udp_disconnect(fd: impl AsFd) -> Result<()> {
    let fd = fd.as_fd();
    Ok(retry_on_intr(|| net::connect_unspec(fd))?)
}

/// Sends one datagram to an address or, with `None`, to the connected peer. Returns its length.
///
/// `ENOBUFS` becomes `EAGAIN`, as in `src/unix/udp.c: uv__udp_sendmsg1`.
pub fn send_to(fd: impl AsFd, slices: &[IoSlice<'_>], to: Option<&Address>) -> Result<usize> {
    let raw = fd.as_fd().as_raw_fd();
    let mut name = Encoded::EMPTY;
    let message = header(slices, to, &mut name);
    // SAFETY: `message` points to `slices` and `name`, which outlive the call.
    retry_interrupted(|| unsafe {
        match slices {
            // The usual single slice uses `sendto`: the kernel does not have to copy a header and an iovec.
            [all] => libc::sendto(
                raw,
                all.as_ptr().cast(),
                all.len(),
                libc::MSG_NOSIGNAL,
                message.msg_name.cast(),
                message.msg_namelen,
            ),
            _ => libc::sendmsg(raw, &message, libc::MSG_NOSIGNAL),
        }
    })
    .map_err(enobufs_to_eagain)
}

/// Receives one datagram; `EAGAIN` if none is queued.
pub fn recv_from<'a>(fd: impl AsFd, buffer: impl Into<ReadBuf<'a>>) -> Result<Datagram> {
    let (raw, mut buf) = (fd.as_fd().as_raw_fd(), buffer.into());
    let mut name = Encoded::EMPTY;
    let storage = name.storage();
    let (name_start, mut name_len) = (storage.as_mut_ptr(), storage.len() as libc::socklen_t);
    // SAFETY: the buffer and the address outlive the call and have the given lengths. `recvfrom` has no flags to report
    // truncation; with MSG_TRUNC it returns the full length instead.
    let whole = retry_interrupted(|| unsafe {
        libc::recvfrom(
            raw,
            buf.as_uninit().as_mut_ptr().cast(),
            buf.len(),
            libc::MSG_TRUNC,
            name_start.cast(),
            &mut name_len,
        )
    })?;
    let len = whole.min(buf.len());
    Ok(Datagram { len, sender: name.decode(name_len), truncated: len < whole })
}

/// Takes the oldest entry from the error queue of a socket bound with `receive_errors`; `EAGAIN` if the queue is empty.
///
/// The first extended error in the message counts, as in `src/unix/udp.c: uv__udp_recvmsg_errqueue`.
pub fn recv_queued_error<'a>(fd: impl AsFd, buffer: impl Into<ReadBuf<'a>>) -> Result<QueuedError> {
    let mut control = [0u64; CONTROL_WORDS];
    let (datagram, message) = receive(fd, buffer.into(), &mut control, libc::MSG_ERRQUEUE)?;
    // SAFETY: `message` still points to `control`, and the kernel has set its used length.
    let (error, offender) = match unsafe { extended_error(&message) } {
        Some((errno, offender)) => (Some(errno), offender),
        None => (None, None),
    };
    Ok(QueuedError { datagram, error, offender })
}

/// The size of the buffer for control messages in u64: 256 bytes as in libuv, aligned for `cmsghdr`.
const CONTROL_WORDS: usize = 32;

fn receive(
    fd: impl AsFd,
    mut buf: ReadBuf<'_>,
    control: &mut [u64],
    flags: libc::c_int,
) -> Result<(Datagram, libc::msghdr)> {
    let raw = fd.as_fd().as_raw_fd();
    let mut name = Encoded::EMPTY;
    let mut slice = libc::iovec { iov_base: buf.as_uninit().as_mut_ptr().cast(), iov_len: buf.len() };
    let mut message = empty_header();
    let storage = name.storage();
    message.msg_name = storage.as_mut_ptr().cast();
    message.msg_namelen = storage.len() as libc::socklen_t;
    message.msg_iov = &mut slice;
    message.msg_iovlen = 1;
    message.msg_control = control.as_mut_ptr().cast();
    message.msg_controllen = size_of_val(control) as _;
    // SAFETY: `message` points to `name`, `slice`, the buffer and `control`, all of which outlive the call with the
    // given lengths.
    let len = retry_interrupted(|| unsafe { libc::recvmsg(raw, &mut message, flags) })?;
    let truncated = message.msg_flags & libc::MSG_TRUNC != 0;
    let datagram = Datagram { len, sender: name.decode(message.msg_namelen), truncated };
    // These two pointers must not outlive this frame; the caller reads only the control part.
    message.msg_name = std::ptr::null_mut();
    message.msg_iov = std::ptr::null_mut();
    Ok((datagram, message))
}

/// Finds the extended error among the control messages, and the address that follows it.
///
/// # Safety
/// `msg_control` and `msg_controllen` are the bounds of control messages that the kernel wrote.
unsafe fn extended_error(message: &libc::msghdr) -> Option<(Errno, Option<Address>)> {
    const ERROR_BYTES: usize = size_of::<libc::sock_extended_err>();
    // SAFETY: the caller's contract; the macros stay inside the bounds.
    let mut next = unsafe { libc::CMSG_FIRSTHDR(message) };
    while !next.is_null() {
        // SAFETY: a header inside the bounds; its length covers the data that follows it.
        let (level, kind, data) = unsafe {
            let len = ((*next).cmsg_len as usize).saturating_sub(libc::CMSG_LEN(0) as usize);
            ((*next).cmsg_level, (*next).cmsg_type, std::slice::from_raw_parts(libc::CMSG_DATA(next), len))
        };
        let is_error =
            (level, kind) == (libc::SOL_IP, libc::IP_RECVERR) || (level, kind) == (libc::SOL_IPV6, libc::IPV6_RECVERR);
        if is_error && data.len() >= ERROR_BYTES {
            // The error number is the first field; the offender's `sockaddr` follows the struct.
            let number = i32::from_ne_bytes(*data.first_chunk()?);
            return Some((Errno::from_raw(number), Address::from_sockaddr(&data[ERROR_BYTES..])));
        }
        // SAFETY: as above.
        next = unsafe { libc::CMSG_NXTHDR(message, next) };
    }
    None
}

pub(super) fn empty_header() -> libc::msghdr {
    // SAFETY: null pointers and zero lengths are a valid `msghdr`.
    unsafe { std::mem::zeroed() }
}

/// A `msghdr` to send `slices`, which it points to; a destination is written to `name`, which it points to as well.
pub(super) fn header(slices: &[IoSlice<'_>], to: Option<&Address>, name: &mut Encoded) -> libc::msghdr {
    let mut message = empty_header();
    // The standard library guarantees that `IoSlice` has the layout of `iovec`; the kernel only reads it.
    message.msg_iov = slices.as_ptr().cast_mut().cast();
    message.msg_iovlen = slices.len() as _;
    if let Some(address) = to {
        address.encode_into(name);
        message.msg_namelen = name.as_bytes().len() as libc::socklen_t;
        message.msg_name = name.storage().as_mut_ptr().cast();
    }
    message
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::super::{local_address, peer_address};
    use super::*;

    fn bound(domain: Domain) -> (Fd, Address) {
        let fd = udp_socket(domain).unwrap();
        udp_bind(&fd, &localhost(domain), UdpBind::default()).unwrap();
        let address = local_address(&fd).unwrap();
        (fd, address)
    }

    fn talk(domain: Domain) {
        let ((a, a_name), (b, b_name)) = (bound(domain), bound(domain));
        let mut buffer = [0; 8];
        assert_eq!(recv_from(&b, &mut buffer), Err(Errno::EAGAIN));
        let slices = [IoSlice::new(b"he"), IoSlice::new(b"llo")];
        assert_eq!(send_to(&a, &slices, Some(&b_name)), Ok(5));
        wait_readable(&b);
        let expected = Datagram { len: 5, sender: Some(a_name.clone()), truncated: false };
        assert_eq!(recv_from(&b, &mut buffer), Ok(expected));
        assert_eq!(&buffer[..5], b"hello");

        assert_eq!(send_to(&b, &slices, None), Err(Errno::EDESTADDRREQ));
        udp_connect(&b, &a_name).unwrap();
        assert_eq!(peer_address(&b), Ok(a_name));
        assert_eq!(send_to(&b, &slices, None), Ok(5));
        assert_eq!(send_to(&b, &[], None), Ok(0), "an empty datagram is sent");
        wait_readable(&a);
        let expected = Datagram { len: 3, sender: Some(b_name.clone()), truncated: true };
        assert_eq!(recv_from(&a, &mut buffer[..3]), Ok(expected));
        wait_readable(&a);
        let expected = Datagram { len: 0, sender: Some(b_name), truncated: false };
        assert_eq!(recv_from(&a, &mut buffer), Ok(expected));
        udp_disconnect(&b).unwrap();
        assert_eq!(peer_address(&b), Err(Errno::ENOTCONN));
    }

    #[test]
    fn datagrams_over_ipv4() {
        talk(Domain::V4);
    }

    #[test]
    fn datagrams_over_ipv6() {
        if has_ipv6_loopback() {
            talk(Domain::V6);
        }
    }

    #[test]
    fn datagrams_over_unix_sockets() {
        let dir = TempDir::new();
        let (named, unnamed) = (udp_socket(Domain::Unix).unwrap(), udp_socket(Domain::Unix).unwrap());
        let name = Address::Unix(dir.name("datagrams"));
        udp_bind(&named, &name, UdpBind::default()).unwrap();
        assert_eq!(send_to(&unnamed, &[IoSlice::new(b"x")], Some(&name)), Ok(1));
        let got = recv_from(&named, &mut [0; 8]).unwrap();
        assert!(got.sender.is_none_or(|sender| sender.unix().unwrap().is_unnamed()));
        assert_eq!(got.len, 1);
    }

    #[test]
    fn an_address_is_shared_only_if_both_sockets_ask() {
        let (_first, address) = bound(Domain::V4);
        let second = udp_socket(Domain::V4).unwrap();
        assert_eq!(udp_bind(&second, &address, UdpBind::default()), Err(Errno::EADDRINUSE));
        for options in
            [UdpBind { reuse_address: true, ..UdpBind::default() }, UdpBind { reuse_port: true, ..UdpBind::default() }]
        {
            let (first, second) = (udp_socket(Domain::V4).unwrap(), udp_socket(Domain::V4).unwrap());
            udp_bind(&first, &localhost(Domain::V4), options).unwrap();
            udp_bind(&second, &local_address(&first).unwrap(), options).unwrap();
        }
        let only = UdpBind { ipv6_only: true, ..UdpBind::default() };
        assert_eq!(udp_bind(&second, &localhost(Domain::V4), only), Err(Errno::EINVAL));
        if has_ipv6_loopback() {
            let fd = udp_socket(Domain::V6).unwrap();
            udp_bind(&fd, &localhost(Domain::V6), only).unwrap();
            assert!(net::sockopt::ipv6_v6only(&fd).unwrap());
        }
    }

    fn refused(domain: Domain) {
        let fd = udp_socket(domain).unwrap();
        udp_bind(&fd, &localhost(domain), UdpBind { receive_errors: true, ..UdpBind::default() }).unwrap();
        let mut buffer = [0; 64];
        assert_eq!(recv_queued_error(&fd, &mut buffer), Err(Errno::EAGAIN));
        // A socket connected elsewhere receives nothing from here, and keeps its port from concurrent tests.
        let (connected_elsewhere, gone) = bound(domain);
        let (_other, elsewhere) = bound(domain);
        udp_connect(&connected_elsewhere, &elsewhere).unwrap();
        send_to(&fd, &[IoSlice::new(b"lost")], Some(&gone)).unwrap();
        wait_for(&fd, rustix::event::PollFlags::empty());
        let got = recv_queued_error(&fd, &mut buffer).unwrap();
        assert_eq!(got.error, Some(Errno::ECONNREFUSED));
        assert_eq!(&buffer[..got.datagram.len], b"lost");
        assert_eq!(got.datagram.sender, Some(gone.clone()));
        let offender = got.offender.and_then(|address| address.inet()).unwrap();
        assert_eq!(offender.ip(), gone.inet().unwrap().ip());
    }

    #[test]
    fn the_error_queue_reports_the_offender() {
        refused(Domain::V4);
        if has_ipv6_loopback() {
            refused(Domain::V6);
        }
    }
}
