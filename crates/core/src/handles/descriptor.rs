//! What a face may ask of any handle that has a descriptor, whatever its kind. How descriptors are watched is in `watch`.

use std::os::fd::RawFd;

use phasor_sys::{Errno, Fd, Result, socket};

use super::{Body, HandleId, Kind};
use crate::face::Face;
use crate::state::Loop;

impl<F: Face> Loop<F> {
    /// The descriptor of a tcp, pipe, tty, UDP or poll handle. It stays the handle's.
    ///
    /// `EBADF` if it has none yet or is closing, `EINVAL` for other kinds.
    #[doc(alias = "uv_fileno")]
    pub fn fileno(&self, id: HandleId) -> Result<RawFd> {
        let handle = self.handles.get(id)?;
        let fd = match (handle.body.kind(), handle.body.watch()) {
            // A child is watched through a descriptor, but that is our business.
            (Kind::Process, _) | (_, None) => return Err(Errno::EINVAL),
            (_, Some(watch)) => watch.fd,
        };
        if handle.closing || fd < 0 { Err(Errno::EBADF) } else { Ok(fd) }
    }

    /// How much the kernel keeps of what is being sent, in bytes: on Linux twice what was set.
    ///
    /// `ENOTSUP` for a handle that is not of the kinds tcp, pipe and UDP, `EBADF` without a socket.
    #[doc(alias = "uv_send_buffer_size")]
    pub fn send_buffer_size(&self, id: HandleId) -> Result<usize> {
        socket::send_buffer_size(self.socket(id)?)
    }

    /// Sets how much the kernel keeps of what is being sent, as far as its limit allows.
    #[doc(alias = "uv_send_buffer_size")]
    pub fn set_send_buffer_size(&mut self, id: HandleId, size_bytes: u32) -> Result<()> {
        socket::set_send_buffer_size(self.socket(id)?, size_bytes)
    }

    /// How much the kernel keeps of what was received, in bytes: on Linux twice what was set. Errors as those of
    /// [`Loop::send_buffer_size`].
    #[doc(alias = "uv_recv_buffer_size")]
    pub fn recv_buffer_size(&self, id: HandleId) -> Result<usize> {
        socket::recv_buffer_size(self.socket(id)?)
    }

    /// Sets how much the kernel keeps of what was received, as far as its limit allows.
    #[doc(alias = "uv_recv_buffer_size")]
    pub fn set_recv_buffer_size(&mut self, id: HandleId, size_bytes: u32) -> Result<()> {
        socket::set_recv_buffer_size(self.socket(id)?, size_bytes)
    }

    /// As `uv__socket_sockopt`, which knows three kinds.
    fn socket(&self, id: HandleId) -> Result<&Fd> {
        match &self.handles.get(id)?.body {
            Body::Stream(stream) if stream.kind != Kind::Tty => stream.fd(),
            Body::Udp(udp) => udp.fd(),
            _ => Err(Errno::ENOTSUP),
        }
    }
}
