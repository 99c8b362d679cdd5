//! Operations on the file descriptor of any kind of handle. The module `watch` defines how file descriptors are
//! watched.

use std::os::fd::RawFd;

use phasor_sys::{Errno, Fd, Result, socket};

use super::{HandleBody, HandleId, Kind};
use crate::face::Face;
use crate::state::Loop;

impl<F: Face> Loop<F> {
    /// The file descriptor of a tcp, pipe, tty, UDP or poll handle. The handle keeps its ownership; the descriptor of a
    /// poll handle stays owned by the user.
    ///
    /// `EBADF` if the handle has no descriptor yet or is closing, `EINVAL` for other kinds.
    #[doc(alias = "uv_fileno")]
    pub fn fileno(&self, id: HandleId) -> Result<RawFd> {
        let handle = self.handles.get(id)?;
        let fd = match (handle.body.kind(), handle.body.watch()) {
            // The pidfd of a process handle is an implementation detail, so it is not returned.
            (Kind::Process, _) | (_, None) => return Err(Errno::EINVAL),
            (_, Some(watch)) => watch.fd,
        };
        if handle.closing || fd < 0 { Err(Errno::EBADF) } else { Ok(fd) }
    }

    /// The size of the kernel's send buffer (`SO_SNDBUF`) in bytes. Linux doubles the number that was set.
    ///
    /// `ENOTSUP` for kinds other than tcp, pipe and UDP, `EBADF` without a socket.
    #[doc(alias = "uv_send_buffer_size")]
    pub fn send_buffer_size(&self, id: HandleId) -> Result<usize> {
        socket::send_buffer_size(self.socket(id)?)
    }

    /// Sets the size of the kernel's send buffer, up to the system's limit.
    #[doc(alias = "uv_send_buffer_size")]
    pub fn set_send_buffer_size(&mut self, id: HandleId, size_bytes: u32) -> Result<()> {
        socket::set_send_buffer_size(self.socket(id)?, size_bytes)
    }

    /// The size of the kernel's receive buffer (`SO_RCVBUF`) in bytes. Linux doubles the number that was set. Returns
    /// the same errors as [`Loop::send_buffer_size`].
    #[doc(alias = "uv_recv_buffer_size")]
    pub fn recv_buffer_size(&self, id: HandleId) -> Result<usize> {
        socket::recv_buffer_size(self.socket(id)?)
    }

    /// Sets the size of the kernel's receive buffer, up to the system's limit.
    #[doc(alias = "uv_recv_buffer_size")]
    pub fn set_recv_buffer_size(&mut self, id: HandleId, size_bytes: u32) -> Result<()> {
        socket::set_recv_buffer_size(self.socket(id)?, size_bytes)
    }

    /// Returns the socket of a TCP, pipe or UDP handle, the kinds of `src/unix/core.c: uv__socket_sockopt`.
    fn socket(&self, id: HandleId) -> Result<&Fd> {
        match &self.handles.get(id)?.body {
            HandleBody::Stream(stream) if stream.kind != Kind::Tty => stream.fd(),
            HandleBody::Udp(udp) => udp.fd(),
            _ => Err(Errno::ENOTSUP),
        }
    }
}
