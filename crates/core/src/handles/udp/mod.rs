//! UDP handles: open, bind, connect, close, and the order of the steps when a handle is ready. `send` and `recv` have
//! the two directions, `options` has the socket options.
//!
//! # Ground rules
//! - A handle without a socket gets one when it is bound. Sending, receiving and joining a group bind it to any address
//!   first (`src/unix/udp.c: uv__udp_maybe_deferred_bind`).
//! - A send is in `waiting` until the kernel has taken or refused it, then in `completed` until its outcome is
//!   returned. An outcome is never returned during the call that sends.
//! - Between two events of a [`UdpIo`] the handle may have been stopped, started or closed: so its state is checked
//!   again.

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
use super::{Handle, HandleBody, HandleId, Watch};
use crate::event::Event;
use crate::face::Face;
use crate::phases::InProgress;
use crate::platform::Readiness;
use crate::requests::RequestQueue;
use crate::state::Loop;

/// The state of a UDP handle.
pub(crate) struct Udp {
    pub(crate) watch: Watch,
    /// The socket, if there is one. Its number is also in `watch`.
    fd: Option<Fd>,
    /// Sends that the kernel has not accepted yet.
    waiting: RequestQueue,
    /// Sends that the kernel has accepted or refused, and that were not reported yet.
    completed: RequestQueue,
    /// Memory that `recv_batch` reuses between calls. It is empty between calls.
    batch: Vec<Datagram>,
    /// The bytes in both queues.
    queued_bytes: usize,
    /// The number of sends in both queues.
    queued: usize,
    /// How many more datagrams may be delivered for this readiness.
    budget: u8,
    /// Whether the front end received a datagram in response to the last offer.
    took: bool,
    /// Whether the offered datagrams are those of the error queue.
    from_errors: bool,
    /// Whether outcomes are being reported. Sends that are made meanwhile wait until the socket is writable
    /// (`UV_HANDLE_UDP_PROCESSING` in libuv).
    completing: bool,
    connected: bool,
    ipv6: bool,
}

/// The most datagrams that are delivered for one readiness, so that other handles have their turn (`count` in
/// `src/unix/udp.c: uv__udp_recvmsg`).
const BUDGET: u8 = 32;

/// The progress of handling one readiness.
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
    /// The loop offers datagrams.
    Data,
    /// The loop offers the entries of the error queue.
    Errors,
    /// The loop sends the waiting datagrams.
    Sends,
    /// The loop reports outcomes of sends.
    Outcomes,
}

impl Udp {
    fn new() -> Udp {
        Udp {
            watch: Watch::new(-1),
            fd: None,
            waiting: RequestQueue::EMPTY,
            completed: RequestQueue::EMPTY,
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

    /// The two queues of sends whose outcome was not reported.
    pub(crate) fn queues(&self) -> [RequestQueue; 2] {
        [self.waiting, self.completed]
    }

    pub(crate) fn fd(&self) -> Result<&Fd> {
        self.fd.as_ref().ok_or(Errno::EBADF)
    }

    fn domain(&self) -> Domain {
        if self.ipv6 { Domain::V6 } else { Domain::V4 }
    }

    fn is_receiving(&self) -> bool {
        self.watch.interest.intersects(Readiness::READABLE)
    }

    /// Binds the socket, and creates it if there is none (`src/unix/udp.c: uv__udp_bind`). A socket created here is
    /// kept even if binding fails.
    fn bind(&mut self, address: &Address, how: UdpBind) -> Result<()> {
        let domain = address.domain();
        if domain == Domain::Unix || how.ipv6_only && domain != Domain::V6 {
            return Err(Errno::EINVAL);
        }
        if self.fd.is_none() {
            self.set_fd(socket::udp_socket(domain)?);
        }
        socket::udp_bind(self.fd()?, address, how).map_err(|errno| match errno {
            // The socket is of another family than the address.
            Errno::EAFNOSUPPORT => Errno::EINVAL,
            other => other,
        })?;
        self.ipv6 |= domain == Domain::V6;
        Ok(())
    }

    /// Binds a handle without a socket to any address of the family (`src/unix/udp.c: uv__udp_maybe_deferred_bind`).
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
        self.open(HandleBody::Udp(Box::new(Udp::new())), face)
    }

    /// Opens a UDP handle with an unbound socket of the given family.
    #[doc(alias = "uv_udp_init_ex")]
    pub fn udp_open_family(&mut self, domain: Domain, face: F::Handle) -> Result<HandleId> {
        if domain == Domain::Unix {
            return Err(Errno::EINVAL);
        }
        let mut udp = Udp::new();
        udp.set_fd(socket::udp_socket(domain)?);
        udp.ipv6 = domain == Domain::V6;
        Ok(self.open(HandleBody::Udp(Box::new(udp)), face))
    }

    /// Gives a handle a socket of the user, which is made nonblocking. Only the sharing options of `how` apply:
    /// `reuse_address` alone is the behavior of `uv_udp_open`, and any combination is that of `uv_udp_open_ex`.
    ///
    /// `EBUSY` if the handle has a socket, `EEXIST` if another handle of this loop watches the new one. On failure, the
    /// socket is returned.
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

    /// Binds a handle. `EINVAL` for a Unix address, and if the handle is bound.
    #[doc(alias = "uv_udp_bind")]
    pub fn udp_bind(&mut self, id: HandleId, address: &Address, how: UdpBind) -> Result<()> {
        self.udp_mut(id)?.bind(address, how)
    }

    /// Connects to a peer: after that, sends need no address, and only the peer's datagrams are received. `None`
    /// disconnects.
    ///
    /// `EISCONN` if the handle is connected, `ENOTCONN` if there is no connection to remove.
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

    /// Looks a UDP handle up, and refuses a closing one.
    fn udp(&self, id: HandleId) -> Result<&Udp> {
        match self.handles.get(id)? {
            Handle { body: HandleBody::Udp(_), closing: true, .. } => Err(Errno::EINVAL),
            Handle { body: HandleBody::Udp(udp), .. } => Ok(udp),
            _ => Err(Errno::EBADF),
        }
    }

    /// Looks a UDP handle up like [`Loop::udp`], mutable.
    #[inline]
    fn udp_mut(&mut self, id: HandleId) -> Result<&mut Udp> {
        match self.handles.get_mut(id)? {
            Handle { body: HandleBody::Udp(_), closing: true, .. } => Err(Errno::EINVAL),
            Handle { body: HandleBody::Udp(udp), .. } => Ok(udp),
            _ => Err(Errno::EBADF),
        }
    }

    /// Looks a UDP handle up, even if it is closing.
    #[inline]
    fn udp_any(&mut self, id: HandleId) -> Option<&mut Udp> {
        match &mut self.handles.get_mut(id).ok()?.body {
            HandleBody::Udp(udp) => Some(udp),
            _ => None,
        }
    }

    /// Closes a UDP handle: the file descriptor is closed at once, and queued sends are returned in the closing phase
    /// (`src/unix/udp.c: uv__udp_close`).
    pub(crate) fn udp_close(&mut self, id: HandleId) {
        self.unwatch(id);
        if let Some(udp) = self.udp_any(id) {
            udp.watch.fd = -1;
            udp.fd = None;
        }
    }

    /// Begins to handle a readiness.
    pub(crate) fn udp_ready(&mut self, id: HandleId, mut readiness: Readiness) {
        if readiness.intersects(Readiness::ERROR) {
            // Receiving and sending fetch the error of the socket.
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

    /// Handles a UDP handle from the pending queue.
    pub(crate) fn udp_pending(&mut self, id: HandleId) -> Option<Event<F>> {
        self.udp_resume(UdpIo { id, readiness: Readiness::WRITABLE, stage: UdpStage::Sends })
    }

    /// The next event of the handle in progress: datagrams, then the error queue, then sends (`src/unix/udp.c:
    /// uv__udp_io`).
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

    /// The next outcome of a send.
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
