//! Sending datagrams: at once if nothing is waiting, otherwise when the socket is writable. One system call sends
//! several datagrams.

use std::io::IoSlice;

use phasor_sys::socket::{self, Address, BATCH, MAX_BYTES, Outgoing, UdpBind};
use phasor_sys::{Errno, Fd, Result};

use super::{HandleBody, HandleId, Udp};
use crate::event::{Event, Outcome, Refused};
use crate::face::{Buffers, Face, gather, with_few_slices};
use crate::platform::Readiness;
use crate::requests::{self, Request, RequestId, RequestKind};
use crate::slab::{END, Slab};
use crate::state::Loop;

/// The most slices that are collected for one batch. This is more than enough for a batch of datagrams with one piece
/// each.
const PIECES: usize = 3 * BATCH;

impl Udp {
    /// Checks the arguments of a send (`src/uv-common.c: uv__udp_check_before_send`).
    fn check_send(&self, to: Option<&Address>, bytes: usize) -> Result<()> {
        match (to, self.connected) {
            (Some(_), true) => Err(Errno::EISCONN),
            (None, false) => Err(Errno::EDESTADDRREQ),
            _ if bytes > MAX_BYTES => Err(Errno::EINVAL),
            _ => Ok(()),
        }
    }

    fn ready_to_send(&mut self, to: Option<&Address>) -> Result<()> {
        to.map_or(Ok(()), |to| self.ensure_bound(to.domain(), UdpBind::default()))
    }

    /// Sends until nothing is waiting, the socket buffer is full, or a send fails (`src/unix/udp.c: uv__udp_sendmsg`).
    /// Returns true if the handle has to be fed to the pending phase.
    fn flush<F: Face>(&mut self, requests: &mut Slab<Request<F>>) -> bool {
        let Some(fd) = &self.fd else { return false };
        while !self.waiting.is_empty() {
            let failure = match send_first(fd, self.waiting.first(), requests) {
                Ok(0) | Err(Errno::EAGAIN) => return false,
                Ok(sent) => {
                    for _ in 0..sent {
                        if let Some(id) = self.waiting.pop(requests) {
                            self.completed.push(requests, id);
                        }
                    }
                    continue;
                }
                Err(errno) => errno,
            };
            // The error belongs to the first datagram: `sendmmsg` returns an error only if it sent none.
            self.fail_first(requests, failure);
            return true;
        }
        !self.completed.is_empty()
    }

    /// Moves the first waiting send to the completed sends, with an error.
    fn fail_first<F: Face>(&mut self, requests: &mut Slab<Request<F>>, errno: Errno) -> bool {
        let Some(id) = self.waiting.pop(requests) else { return false };
        if let Some(Request { body: requests::RequestBody::Send { result, .. }, .. }) = requests.get_mut(id.0) {
            *result = Err(errno);
        }
        self.completed.push(requests, id);
        true
    }

    /// Removes the first completed send and makes its event.
    fn next_completed<F: Face>(&mut self, requests: &mut Slab<Request<F>>) -> Option<Event<F>> {
        let id = self.completed.pop(requests)?;
        let request = requests.remove(id.0)?;
        let requests::RequestBody::Send { bytes, result, .. } = request.body else { return None };
        self.queued -= 1;
        self.queued_bytes = self.queued_bytes.saturating_sub(bytes.len());
        Some(Event::Done(request.face, Outcome::Send { result, bytes }))
    }
}

/// Sends the request in slot `first`, and as many of the following requests as one system call can send. Returns how
/// many were sent.
fn send_first<F: Face>(fd: &Fd, first: u32, requests: &Slab<Request<F>>) -> Result<usize> {
    match send_at(requests, first) {
        Some((to, bytes, END)) => with_slices(bytes, |slices| socket::send_to(fd, slices, to)).map(|_| 1),
        Some(_) => send_many(fd, first, requests),
        None => Ok(0),
    }
}

/// The send in a slot: its destination, its bytes, and the slot of the next send.
#[inline]
fn send_at<F: Face>(requests: &Slab<Request<F>>, index: u32) -> Option<(Option<&Address>, &F::Bytes, u32)> {
    match requests.at(index)?.1 {
        Request { body: requests::RequestBody::Send { to, bytes, .. }, next, .. } => Some((to.as_ref(), bytes, *next)),
        _ => None,
    }
}

fn send_many<F: Face>(fd: &Fd, first: u32, requests: &Slab<Request<F>>) -> Result<usize> {
    let mut pieces = [IoSlice::new(&[]); PIECES];
    let mut used = 0;
    let mut ends = [0; BATCH];
    let mut indexes = [END; BATCH];
    let mut count = 0;
    let mut index = first;
    while count < BATCH
        && let Some((_, bytes, next)) = send_at(requests, index)
    {
        let Some(end) = gather(bytes, &mut pieces, used) else { break };
        (ends[count], indexes[count]) = (end, index);
        (used, index) = (end, next);
        count += 1;
    }
    if count <= 1 {
        // Only the first datagram can have more pieces than the array; it is sent alone.
        let Some((to, bytes, _)) = send_at(requests, first) else { return Ok(0) };
        return with_slices(bytes, |slices| socket::send_to(fd, slices, to)).map(|_| 1);
    }
    let mut batch = [Outgoing { slices: &[], to: None }; BATCH];
    let mut start = 0;
    for ((datagram, &end), &index) in batch.iter_mut().zip(&ends).zip(&indexes).take(count) {
        let to = send_at(requests, index).and_then(|(to, ..)| to);
        *datagram = Outgoing { slices: &pieces[start..end], to };
        start = end;
    }
    socket::send_batch(fd, &batch[..count])
}

/// Calls `call` with all pieces of a datagram.
#[inline]
fn with_slices<T>(bytes: &impl Buffers, mut call: impl FnMut(&[IoSlice<'_>]) -> T) -> T {
    with_few_slices(bytes, &mut call).unwrap_or_else(|| {
        let mut all = Vec::new();
        bytes.pieces(0, &mut |piece| {
            all.push(piece);
            true
        });
        call(&all)
    })
}

fn total(slices: &[IoSlice<'_>]) -> usize {
    slices.iter().fold(0, |sum, slice| sum.saturating_add(slice.len()))
}

impl<F: Face> Loop<F> {
    /// Sends a datagram to an address or, without one, to the connected peer. The result is an [`Outcome::Send`], once
    /// the kernel has accepted the datagram.
    ///
    /// `EISCONN` for an address on a connected handle, `EDESTADDRREQ` for no address on an unconnected handle.
    #[doc(alias = "uv_udp_send")]
    pub fn udp_send(
        &mut self,
        id: HandleId,
        bytes: F::Bytes,
        to: Option<Address>,
        request: F::Request,
    ) -> Result<RequestId, Refused<F>> {
        let len = bytes.len();
        let udp = self.udp_mut(id).and_then(|udp| {
            udp.check_send(to.as_ref(), len)?;
            udp.ready_to_send(to.as_ref())
        });
        if let Err(errno) = udp {
            return Err(Refused { errno, bytes, request });
        }
        let body = requests::RequestBody::Send { to, bytes, result: Ok(()) };
        let send = self.requests.add(body, request);
        self.instrumentation.request_begun(send, RequestKind::UdpSend, Some(id));
        let Ok(handle) = self.handles.get_mut(id) else { return Ok(send) };
        handle.set_active(true, &mut self.active_handles);
        let HandleBody::Udp(udp) = &mut handle.body else { return Ok(send) };
        // The condition is false also while there are only completed sends, to keep the order of outcomes.
        let at_once = udp.queued == 0 && !udp.completing;
        udp.queued += 1;
        udp.queued_bytes += len;
        F::send_queue_changed(&handle.face, udp.queued_bytes, udp.queued);
        udp.waiting.push(&mut self.requests, send);
        let fed = at_once && udp.flush(&mut self.requests);
        let waits = !udp.waiting.is_empty();
        if fed {
            self.feed(id);
        }
        if waits {
            self.add_interest(id, Readiness::WRITABLE);
        }
        Ok(send)
    }

    /// Sends a datagram without queueing it: `EAGAIN` if other sends are waiting or the socket buffer is full. Returns
    /// its length.
    #[doc(alias = "uv_udp_try_send")]
    pub fn udp_try_send(&mut self, id: HandleId, slices: &[IoSlice<'_>], to: Option<&Address>) -> Result<usize> {
        let udp = self.udp_mut(id)?;
        udp.check_send(to, total(slices))?;
        if udp.queued > 0 {
            return Err(Errno::EAGAIN);
        }
        udp.ready_to_send(to)?;
        socket::send_to(udp.fd()?, slices, to)
    }

    /// Sends datagrams in order, without queueing, until one cannot be sent. Returns how many were sent, or the error
    /// of the first datagram.
    ///
    /// `EAGAIN` if other sends are waiting, `EINVAL` for no datagrams, and for a handle without a socket.
    #[doc(alias = "uv_udp_try_send2")]
    pub fn udp_try_send_batch(&mut self, id: HandleId, datagrams: &[Outgoing<'_>]) -> Result<usize> {
        let udp = self.udp_mut(id)?;
        if datagrams.is_empty() {
            return Err(Errno::EINVAL);
        }
        for datagram in datagrams {
            udp.check_send(datagram.to, total(datagram.slices))?;
        }
        if udp.queued > 0 {
            return Err(Errno::EAGAIN);
        }
        let fd = udp.fd().map_err(|_| Errno::EINVAL)?;
        if let [one] = datagrams {
            return socket::send_to(fd, one.slices, one.to).map(|_| 1);
        }
        let mut sent = 0;
        while sent < datagrams.len() {
            match socket::send_batch(fd, &datagrams[sent..]) {
                Ok(0) => break,
                Ok(count) => sent += count,
                Err(errno) if sent == 0 => return Err(errno),
                Err(_) => break,
            }
        }
        Ok(sent)
    }

    /// Whether the handle is connected to a peer.
    pub fn udp_is_connected(&self, id: HandleId) -> bool {
        self.udp(id).is_ok_and(|udp| udp.connected)
    }

    /// The bytes of the sends that were not reported.
    #[doc(alias = "uv_udp_get_send_queue_size")]
    pub fn udp_send_queue_size(&self, id: HandleId) -> usize {
        self.udp_queue(id).1
    }

    /// The number of sends that were not reported.
    #[doc(alias = "uv_udp_get_send_queue_count")]
    pub fn udp_send_queue_count(&self, id: HandleId) -> usize {
        self.udp_queue(id).0
    }

    fn udp_queue(&self, id: HandleId) -> (usize, usize) {
        match self.handles.get(id).map(|handle| &handle.body) {
            Ok(HandleBody::Udp(udp)) => (udp.queued, udp.queued_bytes),
            _ => (0, 0),
        }
    }

    /// Sends the waiting datagrams, and begins to report outcomes. Returns false for a closed handle, whose outcomes
    /// are reported in the closing phase.
    pub(super) fn udp_begin_outcomes(&mut self, id: HandleId) -> bool {
        let Ok(HandleBody::Udp(udp)) = self.handles.open_mut(id).map(|handle| &mut handle.body) else { return false };
        udp.completing = true;
        if !udp.waiting.is_empty() && udp.flush(&mut self.requests) {
            self.feed(id);
        }
        true
    }

    /// The next completed send as an event.
    pub(super) fn udp_next_completed(&mut self, id: HandleId) -> Option<Event<F>> {
        let handle = self.handles.get_mut(id).ok()?;
        let HandleBody::Udp(udp) = &mut handle.body else { return None };
        if udp.completed.is_empty() {
            return None;
        }
        let event = udp.next_completed(&mut self.requests);
        F::send_queue_changed(&handle.face, udp.queued_bytes, udp.queued);
        event
    }

    /// Called when all outcomes are reported. Without waiting sends, writability is no longer watched (end of
    /// `src/unix/udp.c: uv__udp_run_completed`).
    pub(super) fn udp_completed_all(&mut self, id: HandleId) {
        let Some(udp) = self.udp_any(id) else { return };
        udp.completing = false;
        let (idle, receiving) = (udp.waiting.is_empty(), udp.is_receiving());
        if idle {
            self.remove_interest(id, Readiness::WRITABLE);
            if !receiving {
                self.deactivate(id);
            }
        }
    }

    /// The next unfinished send of a closed handle: completed sends keep their result, and waiting sends fail with
    /// `ECANCELED` (`src/unix/udp.c: uv__udp_finish_close`).
    pub(crate) fn udp_next_cancelled(&mut self, id: HandleId) -> Option<Event<F>> {
        let Ok(HandleBody::Udp(udp)) = self.handles.get_mut(id).map(|handle| &mut handle.body) else { return None };
        if udp.completed.is_empty() && !udp.fail_first(&mut self.requests, Errno::ECANCELED) {
            return None;
        }
        self.udp_next_completed(id)
    }
}
