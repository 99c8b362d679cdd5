//! Sending and receiving several datagrams with one system call: `sendmmsg(2)` and `recvmmsg(2)`.
//!
//! # Safety
//! The arrays of headers are on the stack beside the data that they point to, and do not move between filling and the
//! call.
#![allow(unsafe_code)]

use std::io::IoSlice;
use std::os::fd::{AsFd, AsRawFd};

use super::udp::{empty_header, header};
use super::{Address, Datagram, Encoded, enobufs_to_eagain, retry_interrupted};
use crate::{Errno, ReadBuf, Result};

/// The most datagrams that one call sends or receives, as in `src/unix/udp.c: uv__udp_recvmmsg`.
pub const BATCH: usize = 20;

/// The part of the buffer for each datagram of [`recv_batch`]: enough for the longest UDP datagram.
#[doc(alias = "UV__UDP_DGRAM_MAXSIZE")]
pub const CHUNK_BYTES: usize = 64 * 1024;

/// A datagram to send.
#[derive(Clone, Copy, Debug)]
pub struct Outgoing<'a> {
    /// The payload, as consecutive slices.
    pub slices: &'a [IoSlice<'a>],
    /// The destination; `None` for the peer of a connected socket.
    pub to: Option<&'a Address>,
}

/// Sends the first [`BATCH`] of the datagrams in order and returns how many were sent.
///
/// An error belongs to the first datagram. A later datagram that fails ends the batch, and its error is returned by the
/// next call. `ENOBUFS` becomes `EAGAIN`.
#[doc(alias = "sendmmsg")]
pub fn send_batch(fd: impl AsFd, datagrams: &[Outgoing<'_>]) -> Result<usize> {
    let raw = fd.as_fd().as_raw_fd();
    let mut names = [Encoded::EMPTY; BATCH];
    let mut messages = [empty_message(); BATCH];
    let count = datagrams.len().min(BATCH);
    for ((datagram, name), message) in datagrams.iter().zip(&mut names).zip(&mut messages) {
        message.msg_hdr = header(datagram.slices, datagram.to, name);
    }
    if count == 0 {
        return Ok(0);
    }
    // SAFETY: the first `count` messages are filled; they point to `names` and to the caller's slices.
    retry_interrupted(|| unsafe {
        libc::sendmmsg(raw, messages.as_mut_ptr(), count as libc::c_uint, libc::MSG_NOSIGNAL as _) as isize
    })
    .map_err(enobufs_to_eagain)
}

/// Receives the datagrams that are queued into chunks of the buffer, and appends them to `received`.
///
/// Datagram *k* of this call starts at offset *k* × [`CHUNK_BYTES`]. `EAGAIN` if none is queued; `EINVAL` if the buffer
/// is shorter than one chunk. Receives at most [`BATCH`], so a `received` with that much spare capacity is not
/// reallocated.
#[doc(alias = "recvmmsg")]
pub fn recv_batch<'a>(fd: impl AsFd, buffer: impl Into<ReadBuf<'a>>, received: &mut Vec<Datagram>) -> Result<usize> {
    let raw = fd.as_fd().as_raw_fd();
    let mut names = [Encoded::EMPTY; BATCH];
    let mut slices = [libc::iovec { iov_base: std::ptr::null_mut(), iov_len: 0 }; BATCH];
    let mut messages = [empty_message(); BATCH];
    let mut count = 0;
    for (((mut chunk, name), slice), message) in
        buffer.into().chunks(CHUNK_BYTES).zip(&mut names).zip(&mut slices).zip(&mut messages)
    {
        *slice = libc::iovec { iov_base: chunk.as_uninit().as_mut_ptr().cast(), iov_len: chunk.len() };
        let storage = name.storage();
        message.msg_hdr.msg_name = storage.as_mut_ptr().cast();
        message.msg_hdr.msg_namelen = storage.len() as libc::socklen_t;
        message.msg_hdr.msg_iov = slice;
        message.msg_hdr.msg_iovlen = 1;
        count += 1;
    }
    if count == 0 {
        return Err(Errno::EINVAL);
    }
    // SAFETY: the first `count` messages are filled; they point to `names`, `slices` and parts of `buffer`.
    let taken = retry_interrupted(|| unsafe {
        libc::recvmmsg(raw, messages.as_mut_ptr(), count, 0, std::ptr::null_mut()) as isize
    })?;
    for (message, name) in messages.iter().zip(&names).take(taken) {
        received.push(Datagram {
            len: message.msg_len as usize,
            sender: name.decode(message.msg_hdr.msg_namelen),
            truncated: message.msg_hdr.msg_flags & libc::MSG_TRUNC != 0,
        });
    }
    Ok(taken)
}

fn empty_message() -> libc::mmsghdr {
    libc::mmsghdr { msg_hdr: empty_header(), msg_len: 0 }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::super::{Domain, UdpBind, local_address, udp_bind, udp_connect, udp_socket};
    use super::*;

    #[test]
    fn a_batch_is_received_in_order_with_its_senders() {
        let (a, b) = (udp_socket(Domain::V4).unwrap(), udp_socket(Domain::V4).unwrap());
        for fd in [&a, &b] {
            udp_bind(fd, &localhost(Domain::V4), UdpBind::default()).unwrap();
        }
        let (from, to) = (local_address(&a).unwrap(), local_address(&b).unwrap());
        let texts: Vec<String> = (0..25).map(|number| format!("datagram {number}")).collect();
        let slices: Vec<[IoSlice<'_>; 2]> =
            texts.iter().map(|text| [IoSlice::new(text.as_bytes()), IoSlice::new(b"!")]).collect();
        let outgoing: Vec<Outgoing<'_>> = slices.iter().map(|slices| Outgoing { slices, to: Some(&to) }).collect();
        assert_eq!(send_batch(&a, &outgoing), Ok(BATCH));
        assert_eq!(send_batch(&a, &outgoing[BATCH..]), Ok(5));
        assert_eq!(send_batch(&a, &[]), Ok(0));

        let mut buffer = vec![0; 3 * CHUNK_BYTES + 100];
        let mut texts = texts.into_iter();
        let mut received = Vec::new();
        while !texts.as_slice().is_empty() {
            wait_readable(&b);
            received.clear();
            let count = recv_batch(&b, &mut buffer, &mut received).unwrap();
            assert!((1..=3).contains(&count) && received.len() == count);
            for (datagram, chunk) in received.iter().zip(buffer.chunks(CHUNK_BYTES)) {
                assert_eq!(chunk[..datagram.len], *format!("{}!", texts.next().unwrap()).as_bytes());
                assert_eq!((datagram.sender.as_ref(), datagram.truncated), (Some(&from), false));
            }
        }
        assert_eq!(recv_batch(&b, &mut buffer, &mut received), Err(Errno::EAGAIN));
        assert_eq!(recv_batch(&b, &mut buffer[..CHUNK_BYTES - 1], &mut received), Err(Errno::EINVAL));
    }

    #[test]
    fn the_first_error_is_returned_and_a_later_one_ends_the_batch() {
        let (a, b) = (udp_socket(Domain::V4).unwrap(), udp_socket(Domain::V4).unwrap());
        udp_bind(&b, &localhost(Domain::V4), UdpBind::default()).unwrap();
        let huge = vec![0; 70_000];
        let (small, large) = ([IoSlice::new(b"x")], [IoSlice::new(&huge)]);
        let fine = Outgoing { slices: &small, to: None };
        let bad = Outgoing { slices: &large, to: None };
        assert_eq!(send_batch(&a, &[fine, fine]), Err(Errno::EDESTADDRREQ));
        udp_connect(&a, &local_address(&b).unwrap()).unwrap();
        assert_eq!(send_batch(&a, &[fine, bad, fine]), Ok(1));
        assert_eq!(send_batch(&a, &[bad, fine]), Err(Errno::EMSGSIZE));
    }
}
