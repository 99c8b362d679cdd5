//! Receiving datagrams: they are offered one by one, and the front end receives them into its buffer.

use phasor_sys::socket::{self, Address, BATCH, CHUNK_BYTES, Datagram, Domain, QueuedError, UdpBind};
use phasor_sys::{Errno, ReadBuf, Result};

use super::{HandleId, Udp, UdpIo};
use crate::face::Face;
use crate::phases::InProgress;
use crate::platform::Readiness;
use crate::state::Loop;

/// The result of a receive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Received {
    /// There is no datagram. In this case libuv calls `recv_cb` with length 0 and no address, to return the buffer.
    Nothing,
    /// A datagram; its bytes are in the buffer.
    Datagram(Datagram),
    /// A sent datagram has failed: an entry of the error queue of a socket bound with `receive_errors`.
    #[doc(alias = "UV_UDP_LINUX_RECVERR")]
    Failure {
        /// The error.
        errno: Errno,
        /// The host that reported the error; `None` for this machine.
        offender: Option<Address>,
        /// The failed datagram, as far as the kernel returned it, and its destination.
        datagram: Datagram,
    },
}

impl From<QueuedError> for Received {
    fn from(queued: QueuedError) -> Received {
        let QueuedError { datagram, error, offender } = queued;
        match error {
            Some(errno) => Received::Failure { errno, offender, datagram },
            // An entry of the error queue without an error counts as a datagram.
            None => Received::Datagram(datagram),
        }
    }
}

impl Udp {
    fn recv(&self, buf: ReadBuf<'_>) -> Result<Received> {
        let fd = self.fd()?;
        if self.from_errors {
            socket::recv_queued_error(fd, buf).map(Received::from)
        } else {
            socket::recv_from(fd, buf).map(Received::Datagram)
        }
    }

    fn recv_batch(&mut self, buf: ReadBuf<'_>, received: &mut Vec<Received>) -> Result<usize> {
        if buf.len() < CHUNK_BYTES {
            return Err(Errno::EINVAL);
        }
        if self.from_errors {
            let before = received.len();
            for chunk in buf.chunks(CHUNK_BYTES).take(BATCH) {
                match self.recv(chunk) {
                    Ok(one) => received.push(one),
                    Err(errno) if received.len() == before => return Err(errno),
                    Err(_) => break,
                }
            }
            return Ok(received.len() - before);
        }
        let fd = self.fd.as_ref().ok_or(Errno::EBADF)?;
        let count = socket::recv_batch(fd, buf, &mut self.batch)?;
        received.extend(self.batch.drain(..).map(Received::Datagram));
        Ok(count)
    }

    /// Stores how many datagrams the front end received, for the next offer.
    fn note_taken(&mut self, count: usize) {
        self.took = count > 0;
        self.budget = self.budget.saturating_sub(u8::try_from(count).unwrap_or(u8::MAX));
    }
}

impl<F: Face> Loop<F> {
    /// Starts offering datagrams: for each [`Event::Datagram`](crate::Event::Datagram) the front end calls
    /// [`udp_recv`](Loop::udp_recv) with a buffer.
    ///
    /// `EALREADY` if the handle is receiving. A handle without a socket is bound to any IPv4 address.
    #[doc(alias = "uv_udp_recv_start")]
    pub fn udp_recv_start(&mut self, id: HandleId) -> Result<()> {
        let udp = self.udp_mut(id)?;
        if udp.is_receiving() {
            return Err(Errno::EALREADY);
        }
        udp.ensure_bound(Domain::V4, UdpBind::default())?;
        self.add_interest(id, Readiness::READABLE);
        self.activate(id);
        Ok(())
    }

    /// Stops offering datagrams, even in the middle of a series.
    #[doc(alias = "uv_udp_recv_stop")]
    pub fn udp_recv_stop(&mut self, id: HandleId) -> Result<()> {
        let udp = self.udp_mut(id)?;
        let sends = udp.watch.interest.intersects(Readiness::WRITABLE);
        self.remove_interest(id, Readiness::READABLE);
        if !sends {
            self.deactivate(id);
        }
        Ok(())
    }

    /// Whether datagrams are being offered.
    pub fn udp_is_receiving(&self, id: HandleId) -> bool {
        self.handles.get(id).is_ok_and(|handle| match &handle.body {
            super::HandleBody::Udp(udp) => udp.is_receiving(),
            _ => false,
        })
    }

    /// Receives one datagram, in response to [`Event::Datagram`](crate::Event::Datagram). The event is returned again
    /// while this function finds datagrams.
    ///
    /// `ENOBUFS` if the buffer is empty, `EBADF` for a closing handle. If the front end does not call this, the next
    /// offer comes when the socket is reported as ready again.
    #[doc(alias = "uv_udp_recv_cb")]
    pub fn udp_recv(&mut self, id: HandleId, buffer: &mut [u8]) -> Result<Received> {
        self.udp_recv_into(id, buffer.into())
    }

    /// Receives like [`udp_recv`](Loop::udp_recv), into a buffer that may be uninitialized.
    pub fn udp_recv_into(&mut self, id: HandleId, buf: ReadBuf<'_>) -> Result<Received> {
        let udp = self.udp_any(id).ok_or(Errno::EBADF)?;
        udp.took = false;
        if buf.is_empty() {
            return Err(Errno::ENOBUFS);
        }
        match udp.recv(buf) {
            Ok(received) => {
                udp.note_taken(1);
                Ok(received)
            }
            Err(Errno::EAGAIN) => Ok(Received::Nothing),
            Err(errno) => Err(errno),
        }
    }

    /// Receives like [`udp_recv`](Loop::udp_recv), up to [`BATCH`] datagrams with one system call. The datagram that is
    /// appended to `received` as number *k* starts at *k* × [`CHUNK_BYTES`]. Returns the number of datagrams; 0 if
    /// there are none.
    ///
    /// `EINVAL` if the buffer is shorter than a chunk.
    #[doc(alias = "UV_UDP_RECVMMSG")]
    pub fn udp_recv_batch(&mut self, id: HandleId, buffer: &mut [u8], received: &mut Vec<Received>) -> Result<usize> {
        self.udp_recv_batch_into(id, buffer.into(), received)
    }

    /// Receives like [`udp_recv_batch`](Loop::udp_recv_batch), into a buffer that may be uninitialized.
    pub fn udp_recv_batch_into(
        &mut self,
        id: HandleId,
        buf: ReadBuf<'_>,
        received: &mut Vec<Received>,
    ) -> Result<usize> {
        let udp = self.udp_any(id).ok_or(Errno::EBADF)?;
        udp.took = false;
        if buf.is_empty() {
            return Err(Errno::ENOBUFS);
        }
        match udp.recv_batch(buf, received) {
            Ok(count) => {
                udp.note_taken(count);
                Ok(count)
            }
            Err(Errno::EAGAIN) => Ok(0),
            Err(errno) => Err(errno),
        }
    }

    /// Sets how many datagrams may be offered, and from which queue.
    pub(super) fn udp_begin_offers(&mut self, id: HandleId, budget: u8, from_errors: bool) {
        if let Some(udp) = self.udp_any(id) {
            udp.budget = budget;
            udp.took = true;
            udp.from_errors = from_errors;
        }
    }

    /// Offers a datagram, if the front end received the last one and the handle is still receiving. Returns whether an
    /// offer was made.
    pub(super) fn udp_offer(&mut self, io: UdpIo) -> bool {
        let Ok(udp) = self.udp_mut(io.id) else { return false };
        if !udp.took || udp.budget == 0 || !udp.is_receiving() {
            return false;
        }
        udp.took = false;
        self.in_progress = InProgress::Udp(io);
        true
    }

    /// Whether the handle is offered another datagram after the front end received one: a shortcut for [`Loop::next`]
    /// returning [`Event::Datagram`](crate::Event::Datagram) for it. Always false if there is an observer, which must
    /// be notified of each event.
    pub fn udp_offers_again(&mut self, id: HandleId) -> bool {
        match self.in_progress {
            InProgress::Udp(io) if io.id == id && io.is_offer() && !self.instrumentation.has_observers() => {
                self.time_is_fresh = false;
                self.udp_offer(io)
            }
            _ => false,
        }
    }
}
