//! UDP handles: datagrams out and in. This file has their life (open, bind, connect, close) and the order of what happens
//! when one is ready; `send` and `recv` have the two directions, `options` the knobs.
//!
//! # Ground rules
//! - A handle without a socket gets one when it is bound; sending, receiving and joining groups bind it to any address
//!   first. As `uv__udp_maybe_deferred_bind`.
//! - A send waits in `waiting` until the kernel has taken it, then in `completed` until its outcome is handed out, which
//!   never happens in the call that sends.
//! - Between two events of a [`Turn`] the handle may have been stopped, started or closed: everything is looked at again.

mod options;
mod recv;
mod send;
#[cfg(test)]
mod tests;

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::AsRawFd;

use phasor_sys::socket::{self, Address, Datagram, Domain, UdpBind};
use phasor_sys::{Errno, Fd, Result};

pub use self::recv::Received;
use super::{Body, Handle, HandleId, Watch};
use crate::event::Event;
use crate::face::Face;
use crate::phases::InProgress;
use crate::platform::Readiness;
use crate::requests::Queue;
use crate::state::Loop;

/// A UDP handle's own state.
pub(crate) struct Udp {
    pub(crate) watch: Watch,
    /// The socket, once there is one. Its number is also in `watch`.
    fd: Option<Fd>,
    /// Sends that the kernel has not taken.
    waiting: Queue,
    /// Sends that it took or refused, whose outcome was not handed out.
    completed: Queue,
    /// Where a batch is received into, kept between calls. Empty in between.
    batch: Vec<Datagram>,
    /// How many bytes are in both queues.
    queued_bytes: usize,
    /// How many sends are in both queues.
    queued: usize,
    /// How many datagrams this readiness may still bring.
    budget: u8,
    /// Whether the face took a datagram when it was last offered one.
    took: bool,
    /// Whether what is offered comes from the error queue.
    from_errors: bool,
    /// Whether outcomes are being handed out: sends made meanwhile wait for the socket to be writable.
    completing: bool,
    connected: bool,
    ipv6: bool,
}

/// As `uv__udp_recvmsg`: how many datagrams one readiness may bring, so that other handles have their turn.
const BUDGET: u8 = 32;

/// A handle that is ready, between two events.
#[derive(Clone, Copy)]
pub(crate) struct UdpIo {
    id: HandleId,
    readiness: Readiness,
    stage: UdpStage,
}

impl UdpIo {
    /// Whether datagrams are being offered.
    fn is_offer(&self) -> bool {
        matches!(self.stage, UdpStage::Data | UdpStage::Errors)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum UdpStage {
    /// Datagrams are being offered.
    Data,
    /// What the error queue holds is being offered.
    Errors,
    /// What waits is to be sent.
    Sends,
    /// Outcomes of sends are being handed out.
    Outcomes,
}

impl Udp {
    fn new() -> Udp {
        Udp {
            watch: Watch::new(-1),
            fd: None,
            waiting: Queue::EMPTY,
            completed: Queue::EMPTY,
            batch: Vec::new(),
            queued_bytes: 0,
            queued: 0,
            budget: 0,
            took: false,
            from_errors: false,
            completing: false,
            connected: false,
            ipv6: false,
        }
    }

    fn set_fd(&mut self, fd: Fd) {
        self.watch = Watch::new(fd.as_raw_fd());
        self.fd = Some(fd);
    }

    pub(super) fn fd(&self) -> Result<&Fd> {
        self.fd.as_ref().ok_or(Errno::EBADF)
    }

    fn domain(&self) -> Domain {
        if self.ipv6 { Domain::V6 } else { Domain::V4 }
    }

    fn is_receiving(&self) -> bool {
        self.watch.interest.intersects(Readiness::READABLE)
    }

    /// As `uv__udp_bind`. A socket made here stays though the binding may fail.
    fn bind(&mut self, address: &Address, how: UdpBind) -> Result<()> {
        let domain = address.domain();
        if domain == Domain::Unix || how.ipv6_only && domain != Domain::V6 {
            return Err(Errno::EINVAL);
        }
        if self.fd.is_none() {
            self.set_fd(socket::udp_socket(domain)?);
        }
        socket::udp_bind(self.fd()?, address, how).map_err(|errno| match errno {
            // The socket is of the other family.
            Errno::EAFNOSUPPORT => Errno::EINVAL,
            other => other,
        })?;
        self.ipv6 |= domain == Domain::V6;
        Ok(())
    }

    /// As `uv__udp_maybe_deferred_bind`: a handle without a socket is bound to any address of the family.
    #[inline]
    fn ensure_bound(&mut self, domain: Domain, how: UdpBind) -> Result<()> {
        if self.fd.is_some() {
            return Ok(());
        }
        let any = match domain {
            Domain::V4 => SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
            Domain::V6 => SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)),
            Domain::Unix => return Err(Errno::EINVAL),
        };
        self.bind(&any.into(), how)
    }
}

impl<F: Face> Loop<F> {
    /// Opens a UDP handle. It gets a socket when it is bound, or when it first sends or receives.
    #[doc(alias = "uv_udp_init")]
    pub fn udp_open(&mut self, face: F::Handle) -> HandleId {
        self.open(Body::Udp(Box::new(Udp::new())), face)
    }

    /// Opens a UDP handle with a socket of this family, not bound.
    #[doc(alias = "uv_udp_init_ex")]
    pub fn udp_open_family(&mut self, domain: Domain, face: F::Handle) -> Result<HandleId> {
        if domain == Domain::Unix {
            return Err(Errno::EINVAL);
        }
        let mut udp = Udp::new();
        udp.set_fd(socket::udp_socket(domain)?);
        udp.ipv6 = domain == Domain::V6;
        Ok(self.open(Body::Udp(Box::new(udp)), face))
    }

    /// Gives a handle a socket that was made elsewhere, which becomes nonblocking. Of `how` only sharing counts: as
    /// `uv_udp_open`, say `reuse_address`; as `uv_udp_open_ex`, choose.
    ///
    /// `EBUSY` if the handle has a socket, `EEXIST` if another handle of this loop watches it. What is refused comes back.
    #[doc(alias = "uv_udp_open")]
    #[doc(alias = "uv_udp_open_ex")]
    pub fn udp_adopt(&mut self, id: HandleId, fd: Fd, how: UdpBind) -> Result<(), (Errno, Fd)> {
        if let Err(errno) = self.udp_prepare_adoption(id, &fd, how) {
            return Err((errno, fd));
        }
        if let Ok(udp) = self.udp_mut(id) {
            udp.connected = socket::peer_address(&fd).is_ok();
            udp.ipv6 = socket::family(&fd) == Ok(Domain::V6);
            udp.set_fd(fd);
        }
        Ok(())
    }

    fn udp_prepare_adoption(&mut self, id: HandleId, fd: &Fd, how: UdpBind) -> Result<()> {
        if self.udp_mut(id)?.fd.is_some() {
            return Err(Errno::EBUSY);
        }
        if how.ipv6_only || how.receive_errors {
            return Err(Errno::EINVAL);
        }
        self.check_unwatched(fd.as_raw_fd())?;
        self.platform.set_nonblocking(fd.as_raw_fd())?;
        if how.reuse_address {
            socket::set_reuse_address(fd, true)?;
        }
        if how.reuse_port {
            socket::set_reuse_port(fd, true)?;
        }
        Ok(())
    }

    /// Gives a handle a name. `EINVAL` if it is not an internet address, or the handle has one already.
    #[doc(alias = "uv_udp_bind")]
    pub fn udp_bind(&mut self, id: HandleId, address: &Address, how: UdpBind) -> Result<()> {
        self.udp_mut(id)?.bind(address, how)
    }

    /// Fixes the other end: sends need no address then, and only its datagrams come in. `None` undoes this.
    ///
    /// `EISCONN` if there is an other end already, `ENOTCONN` if there is none to undo.
    #[doc(alias = "uv_udp_connect")]
    pub fn udp_connect(&mut self, id: HandleId, to: Option<&Address>) -> Result<()> {
        let udp = self.udp_mut(id)?;
        match (to, udp.connected) {
            (None, false) => return Err(Errno::ENOTCONN),
            (None, true) => socket::udp_disconnect(udp.fd()?)?,
            (Some(to), _) if to.domain() == Domain::Unix => return Err(Errno::EINVAL),
            (Some(_), true) => return Err(Errno::EISCONN),
            (Some(to), false) => {
                udp.ensure_bound(to.domain(), UdpBind::default())?;
                socket::udp_connect(udp.fd()?, to)?;
            }
        }
        udp.connected = to.is_some();
        Ok(())
    }

    /// A UDP handle that is not closing.
    fn udp(&self, id: HandleId) -> Result<&Udp> {
        match self.handles.get(id)? {
            Handle { body: Body::Udp(_), closing: true, .. } => Err(Errno::EINVAL),
            Handle { body: Body::Udp(udp), .. } => Ok(udp),
            _ => Err(Errno::EBADF),
        }
    }

    /// As [`Loop::udp`], to change it.
    #[inline]
    fn udp_mut(&mut self, id: HandleId) -> Result<&mut Udp> {
        match self.handles.get_mut(id)? {
            Handle { body: Body::Udp(_), closing: true, .. } => Err(Errno::EINVAL),
            Handle { body: Body::Udp(udp), .. } => Ok(udp),
            _ => Err(Errno::EBADF),
        }
    }

    /// A UDP handle, also one that is closing.
    #[inline]
    fn udp_any(&mut self, id: HandleId) -> Option<&mut Udp> {
        match &mut self.handles.get_mut(id).ok()?.body {
            Body::Udp(udp) => Some(udp),
            _ => None,
        }
    }

    /// As `uv__udp_close`: the descriptor goes at once, what is queued comes back in the closing phase.
    pub(crate) fn udp_close(&mut self, id: HandleId) {
        self.unwatch(id);
        if let Some(udp) = self.udp_any(id) {
            udp.watch.fd = -1;
            udp.fd = None;
        }
    }

    /// Takes a handle in hand that is ready.
    pub(crate) fn udp_ready(&mut self, id: HandleId, mut readiness: Readiness) {
        if readiness.intersects(Readiness::ERROR) {
            // Receiving and sending are how one finds out which error it is.
            readiness |= Readiness::READABLE | Readiness::WRITABLE;
        }
        let stage = if readiness.intersects(Readiness::READABLE) {
            self.udp_begin_offers(id, BUDGET, false);
            UdpStage::Data
        } else {
            UdpStage::Sends
        };
        self.in_progress = InProgress::Udp(UdpIo { id, readiness, stage });
    }

    /// What the pending phase does with a handle that was fed to it.
    pub(crate) fn udp_pending(&mut self, id: HandleId) -> Option<Event<F>> {
        self.udp_resume(UdpIo { id, readiness: Readiness::WRITABLE, stage: UdpStage::Sends })
    }

    /// The next event of a handle in hand. As `uv__udp_io`: data, then the error queue, then sends.
    pub(crate) fn udp_resume(&mut self, mut io: UdpIo) -> Option<Event<F>> {
        if io.stage == UdpStage::Outcomes {
            return self.udp_next_outcome(io.id);
        }
        if io.stage == UdpStage::Data {
            if self.udp_offer(io) {
                return Some(Event::Datagram(io.id));
            }
            io.stage = UdpStage::Sends;
            if io.readiness.intersects(Readiness::ERROR) {
                io.stage = UdpStage::Errors;
                self.udp_begin_offers(io.id, BUDGET, true);
            }
        }
        if io.stage == UdpStage::Errors {
            if self.udp_offer(io) {
                return Some(Event::Datagram(io.id));
            }
            self.udp_begin_offers(io.id, 0, false);
        }
        if !io.readiness.intersects(Readiness::WRITABLE) || !self.udp_begin_outcomes(io.id) {
            return None;
        }
        self.udp_next_outcome(io.id)
    }

    /// The outcome of a send, as long as there are any.
    fn udp_next_outcome(&mut self, id: HandleId) -> Option<Event<F>> {
        let event = self.udp_next_completed(id);
        if event.is_some() {
            self.in_progress = InProgress::Udp(UdpIo { id, readiness: Readiness::NONE, stage: UdpStage::Outcomes });
        } else {
            self.in_progress = InProgress::Nothing;
            self.udp_completed_all(id);
        }
        event
    }
}
