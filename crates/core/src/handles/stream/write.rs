//! Writing: requests in a queue, several of them in one system call.
//!
//! The kernel's array of slices is on the stack: a small one first, which is enough for nearly every write, and one as
//! long as the kernel takes for those that do not fit. Nothing is allocated.

use std::io::IoSlice;
use std::os::fd::{AsRawFd, RawFd};

use phasor_sys::socket::{self, MAX_BYTES, MAX_SLICES};
use phasor_sys::{Errno, Result};

use super::{Flags, HandleId, Kind, Stream};
use crate::event::{Event, Outcome, Refused};
use crate::face::{Buffers, Face, with_few_slices};
use crate::handles::Body as HandleBody;
use crate::platform::Readiness;
use crate::requests::{Body, Request, RequestId};
use crate::slab::Slab;
use crate::state::Loop;

/// As `uv__write`: so many requests are finished in one go, so that a fast peer does not starve the others.
const MAX_FINISHED: usize = 33;

/// How many slices are tried first.
const INLINE_SLICES: usize = 16;

/// A write that waits for room, or for its outcome to be told. There is one in the slab for each, so it is kept small: no
/// write has more than [`MAX_BYTES`], which half a word can count.
pub(crate) struct Write<F: Face> {
    pub(crate) stream: HandleId,
    bytes: F::Bytes,
    /// How many bytes there are.
    len: u32,
    /// How many of them are written.
    written: u32,
    state: State,
    /// The handle whose descriptor goes with the first byte, until it has gone.
    passed: Option<HandleId>,
}

/// Where a write stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Among the stream's queued writes.
    Queued,
    /// Among those that are done, and how that ended.
    Done(Result<()>),
}

const _: () = assert!(MAX_BYTES <= u32::MAX as usize);

impl<F: Face> Write<F> {
    /// Whether it can still be cancelled.
    pub(crate) fn is_queued(&self) -> bool {
        self.state == State::Queued
    }

    fn left(&self) -> usize {
        (self.len - self.written) as usize
    }
}

/// One try to write what is at the head of a queue.
struct Attempt {
    result: Result<usize>,
    /// How many requests it was about, the last one perhaps in part.
    requests: usize,
    /// How many bytes.
    bytes: usize,
    /// Whether there were more slices than fitted.
    more: bool,
}

impl<F: Face> Loop<F> {
    /// Writes, at once as far as possible, the rest when there is room. The outcome comes in a later phase.
    ///
    /// `EBADF` if the stream has no descriptor, `EPIPE` if it cannot be written to (any more), `EINVAL` for more than
    /// 2 GiB. A stream that is connecting keeps what is written until it is connected.
    #[doc(alias = "uv_write")]
    pub fn stream_write(
        &mut self,
        id: HandleId,
        bytes: F::Bytes,
        request: F::Request,
    ) -> Result<RequestId, Refused<F>> {
        self.write(id, bytes, None, request)
    }

    /// As [`Loop::stream_write`], on an IPC pipe, with a copy of another handle's descriptor.
    ///
    /// `EINVAL` if this is no IPC pipe, `EBADF` if the handle has no descriptor. If it is closed before its descriptor
    /// could go the write fails with `EBADF`.
    #[doc(alias = "uv_write2")]
    pub fn stream_write_with_handle(
        &mut self,
        id: HandleId,
        bytes: F::Bytes,
        passed: HandleId,
        request: F::Request,
    ) -> Result<RequestId, Refused<F>> {
        self.write(id, bytes, Some(passed), request)
    }

    fn write(
        &mut self,
        id: HandleId,
        bytes: F::Bytes,
        passed: Option<HandleId>,
        request: F::Request,
    ) -> Result<RequestId, Refused<F>> {
        let len = bytes.len();
        let tried = match self.check_write(id, len, passed) {
            // No bytes at all go the long way, which knows what to do with them.
            Ok(stream) if len > 0 => stream.try_write_now(&bytes, passed),
            Ok(_) => None,
            Err(errno) => return Err(Refused { errno, bytes, request }),
        };
        let complete = tried == Some(Ok(len));
        let (written, state) = if complete { (len as u32, State::Done(Ok(()))) } else { (0, State::Queued) };
        let write = Write { stream: id, bytes, len: len as u32, written, state, passed };
        let request = self.requests.add(Body::Write(write), request);
        // It was there when it was checked.
        let Ok(stream) = self.handles.stream_mut(id) else { return Ok(request) };
        if complete {
            stream.done.push(&mut self.requests, request);
            self.feed(id);
            return Ok(request);
        }
        // As `uv_write2`: bytes of failed writes count until these are reported. As long as they do there is no point
        // in trying.
        let at_once = stream.queued_bytes == 0;
        let connecting = stream.connect.is_some();
        stream.queued.push(&mut self.requests, request);
        self.count_queued(id, |queued| queued + len);
        if connecting {
            return Ok(request);
        }
        match tried {
            Some(result) => self.continue_writing(id, Some(Attempt { result, requests: 1, bytes: len, more: false })),
            None if at_once => self.write_queued(id),
            None => self.add_interest(id, Readiness::WRITABLE),
        }
        Ok(request)
    }

    /// As `uv__check_before_write`.
    #[inline]
    fn check_write(&self, id: HandleId, len: usize, passed: Option<HandleId>) -> Result<&Stream> {
        let stream = self.handles.stream(id)?;
        if len > MAX_BYTES {
            return Err(Errno::EINVAL);
        }
        stream.fd()?;
        if !stream.flags.has(Flags::WRITABLE) {
            return Err(Errno::EPIPE);
        }
        if let Some(passed) = passed {
            if !stream.flags.has(Flags::IPC) {
                return Err(Errno::EINVAL);
            }
            self.passable_fd(passed)?;
        }
        Ok(stream)
    }

    /// The descriptor of a handle that may be passed to another process.
    fn passable_fd(&self, id: HandleId) -> Result<RawFd> {
        let handle = self.handles.get(id)?;
        match &handle.body {
            HandleBody::Stream(stream) if stream.kind != Kind::Tty => Ok(stream.fd()?.as_raw_fd()),
            HandleBody::Udp(udp) if !handle.closing && udp.watch.fd >= 0 => Ok(udp.watch.fd),
            _ => Err(Errno::EBADF),
        }
    }

    /// Writes what can be written at once, from the slices in their order, and says how much that was. There is no
    /// request and no outcome. `EAGAIN` if nothing can be, also if writes are queued or the stream is connecting.
    #[doc(alias = "uv_try_write")]
    pub fn stream_try_write(&mut self, id: HandleId, slices: &[IoSlice<'_>]) -> Result<usize> {
        self.try_write(id, slices, None)
    }

    /// As [`Loop::stream_try_write`], on an IPC pipe, with a copy of another handle's descriptor.
    #[doc(alias = "uv_try_write2")]
    pub fn stream_try_write_with_handle(
        &mut self,
        id: HandleId,
        slices: &[IoSlice<'_>],
        passed: HandleId,
    ) -> Result<usize> {
        self.try_write(id, slices, Some(passed))
    }

    fn try_write(&mut self, id: HandleId, slices: &[IoSlice<'_>], passed: Option<HandleId>) -> Result<usize> {
        let stream = self.handles.stream(id)?;
        if stream.connect.is_some() || stream.queued_bytes != 0 {
            return Err(Errno::EAGAIN);
        }
        if slices.is_empty() {
            return Err(Errno::EINVAL);
        }
        self.check_write(id, slices.iter().fold(0, |sum: usize, slice| sum.saturating_add(slice.len())), passed)?;
        match passed {
            Some(passed) => socket::send_with_fd(stream.fd()?, slices, self.passable_fd(passed)?),
            None => socket::writev(stream.fd()?, stream.transport(), slices),
        }
    }

    /// How many bytes are queued and not written. Those of a write that failed count until its outcome is told.
    #[doc(alias = "uv_stream_get_write_queue_size")]
    pub fn stream_write_queue_size(&self, id: HandleId) -> usize {
        self.handles.stream(id).map_or(0, |stream| stream.queued_bytes)
    }

    /// Writes from the queue as long as there is room. As `uv__write`.
    pub(super) fn write_queued(&mut self, id: HandleId) {
        self.continue_writing(id, None);
    }

    /// As [`Loop::write_queued`], from what came of an attempt that was made already.
    fn continue_writing(&mut self, id: HandleId, mut made: Option<Attempt>) {
        let mut budget = MAX_FINISHED;
        loop {
            let Ok(stream) = self.handles.stream(id) else { return };
            if stream.queued.is_empty() || stream.fd.is_none() || budget == 0 {
                return;
            }
            let blocking = stream.flags.has(Flags::BLOCKING_WRITES);
            let attempt = made.take().unwrap_or_else(|| self.attempt(id, budget));
            match attempt.result {
                Ok(count) => {
                    let finished = self.note_written(id, count, attempt.requests);
                    // Everything offered went out: there may be room for more.
                    if finished == attempt.requests || (attempt.more && count == attempt.bytes) || blocking {
                        budget = budget.saturating_sub(finished.max(1));
                        continue;
                    }
                }
                Err(Errno::EAGAIN) => {}
                Err(errno) => {
                    // The others stay where they are: the pending phase tries them, and they find out by themselves.
                    self.finish_first(id, Err(errno));
                    self.remove_interest(id, Readiness::WRITABLE);
                    return;
                }
            }
            self.add_interest(id, Readiness::WRITABLE);
            return;
        }
    }

    /// Makes one system call for what is at the head of the queue.
    fn attempt(&self, id: HandleId, budget: usize) -> Attempt {
        let attempt = self.attempt_with::<INLINE_SLICES>(id, budget, false);
        attempt.unwrap_or_else(|| self.attempt_with::<MAX_SLICES>(id, budget, true).unwrap_or(Attempt::NONE))
    }

    /// With room for so many slices; nothing if there are more and the caller has a larger array.
    fn attempt_with<const N: usize>(&self, id: HandleId, budget: usize, largest: bool) -> Option<Attempt> {
        let stream = self.handles.stream(id).ok()?;
        let mut slices = [IoSlice::new(&[]); N];
        let gathered = gather(&self.requests, stream, budget, &mut slices);
        if gathered.more && !largest {
            return None;
        }
        let slices = &slices[..gathered.slices.max(1)];
        let result = match (stream.fd(), gathered.passed) {
            (Err(errno), _) => Err(errno),
            (Ok(fd), None) => socket::writev(fd, stream.transport(), slices),
            (Ok(fd), Some(passed)) => {
                self.passable_fd(passed).and_then(|passed| socket::send_with_fd(fd, slices, passed))
            }
        };
        Some(Attempt { result, requests: gathered.requests, bytes: gathered.bytes, more: gathered.more })
    }

    /// Counts bytes as written, from the head of the queue; requests that are written finish. Says how many did.
    fn note_written(&mut self, id: HandleId, mut count: usize, requests: usize) -> usize {
        self.count_queued(id, |queued| queued.saturating_sub(count));
        for finished in 0..requests {
            let Ok(stream) = self.handles.stream(id) else { return finished };
            let Some((_, request)) = self.requests.at_mut(stream.queued.first()) else { return finished };
            let Body::Write(write) = &mut request.body else { return finished };
            let share = write.left().min(count);
            write.written += share as u32;
            // Not sent again with the rest.
            write.passed = None;
            count -= share;
            if write.left() > 0 {
                return finished;
            }
            self.finish_first(id, Ok(()));
        }
        requests
    }

    /// Changes the number of queued bytes, and shows it.
    fn count_queued(&mut self, id: HandleId, change: impl FnOnce(usize) -> usize) {
        let Ok(handle) = self.handles.get_mut(id) else { return };
        if let HandleBody::Stream(stream) = &mut handle.body {
            stream.queued_bytes = change(stream.queued_bytes);
            F::write_queue_changed(&handle.face, stream.queued_bytes);
        }
    }

    /// Moves the head of the queue to those whose outcome has to be told.
    fn finish_first(&mut self, id: HandleId, result: Result<()>) {
        let Ok(stream) = self.handles.stream_mut(id) else { return };
        if let Some(request) = stream.queued.pop(&mut self.requests) {
            finish(&mut self.requests, request, result);
            stream.done.push(&mut self.requests, request);
            self.feed(id);
        }
    }

    /// Everything queued fails with `ECANCELED`. As `uv__stream_flush_write_queue`.
    pub(super) fn cancel_queued(&mut self, id: HandleId) {
        let Ok(stream) = self.handles.stream_mut(id) else { return };
        while let Some(request) = stream.queued.pop(&mut self.requests) {
            finish(&mut self.requests, request, Err(Errno::ECANCELED));
            stream.done.push(&mut self.requests, request);
        }
    }

    /// Takes a write out of its stream's queue, if it is still there. As `uv__write_cancel`.
    pub(crate) fn write_cancel(&mut self, id: HandleId, request: RequestId) {
        let Ok(stream) = self.handles.stream_mut(id) else { return };
        stream.queued.remove(&mut self.requests, request);
        finish(&mut self.requests, request, Err(Errno::ECANCELED));
        stream.done.push(&mut self.requests, request);
        self.feed(id);
    }

    /// The next outcome of a write, with the place that its request had.
    pub(super) fn write_outcome(&mut self, id: HandleId) -> Option<(u32, Event<F>)> {
        let stream = self.handles.stream_mut(id).ok()?;
        let RequestId(key) = stream.done.pop(&mut self.requests)?;
        let request = self.requests.remove(key)?;
        let Body::Write(write) = request.body else { return None };
        // As `uv__write_callbacks`: what a failed write left counts until now, so that nobody goes on writing.
        if write.left() > 0 {
            self.count_queued(id, |queued| queued.saturating_sub(write.left()));
        }
        let State::Done(result) = write.state else { return None };
        let outcome = Outcome::Write { result, written: write.written as usize, bytes: write.bytes };
        Some((key.index, Event::Done(request.face, outcome)))
    }
}

impl Stream {
    /// Writes what was not queued, if nothing is before it: nearly every write is through with this one call, and never
    /// stands in a queue. Nothing if it was not tried.
    #[inline]
    fn try_write_now(&self, bytes: &impl Buffers, passed: Option<HandleId>) -> Option<Result<usize>> {
        if passed.is_some() || self.connect.is_some() || self.queued_bytes > 0 || !self.queued.is_empty() {
            return None;
        }
        let fd = self.fd.as_ref()?;
        with_few_slices(bytes, |slices| {
            (slices.len() <= MAX_SLICES).then(|| socket::writev(fd, self.transport(), slices))
        })?
    }
}

impl Attempt {
    /// Nothing was tried. Cannot happen: the largest array takes everything.
    const NONE: Attempt = Attempt { result: Err(Errno::EAGAIN), requests: 0, bytes: 0, more: false };
}

/// Notes that a write has left the queue, and how it ended.
fn finish<F: Face>(requests: &mut Slab<Request<F>>, id: RequestId, result: Result<()>) {
    if let Some(Request { body: Body::Write(write), .. }) = requests.get_mut(id.0) {
        write.state = State::Done(result);
    }
}

/// What the head of a queue gives for one system call.
struct Gathered {
    slices: usize,
    requests: usize,
    bytes: usize,
    more: bool,
    passed: Option<HandleId>,
}

/// Collects the slices of several requests. One that passes a descriptor goes alone: what is before it must not get
/// the descriptor, and what is behind could be read together with it by a peer that expects one at a time. One of no
/// bytes goes alone too, and gets the answer to that.
fn gather<'a, F: Face>(
    requests: &'a Slab<Request<F>>,
    stream: &Stream,
    budget: usize,
    slices: &mut [IoSlice<'a>],
) -> Gathered {
    let mut gathered = Gathered { slices: 0, requests: 0, bytes: 0, more: false, passed: None };
    let mut place = stream.queued.first();
    while let Some((_, Request { body: Body::Write(write), next, .. })) = requests.at(place) {
        let alone = write.passed.is_some() || write.left() == 0;
        if gathered.requests == budget || (alone && gathered.requests > 0) {
            break;
        }
        if gathered.slices == slices.len() && write.left() > 0 {
            gathered.more = true;
            break;
        }
        gathered.requests += 1;
        gathered.passed = write.passed;
        write.bytes.pieces(write.written as usize, &mut |piece| {
            if piece.is_empty() {
                return true;
            }
            if gathered.slices == slices.len() {
                gathered.more = true;
                return false;
            }
            slices[gathered.slices] = piece;
            gathered.slices += 1;
            gathered.bytes += piece.len();
            true
        });
        if write.left() == 0 {
            // As libuv has it: nothing in one piece asks the kernel whether the other end is there, in several it does not.
            gathered.slices = write.bytes.count().clamp(1, 2);
        }
        if gathered.more || alone {
            break;
        }
        place = *next;
    }
    gathered
}
