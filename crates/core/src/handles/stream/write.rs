//! Writing to streams: a queue of requests, several of which are written with one system call.
//!
//! The `iovec` array is on the stack, so nothing is allocated. The first attempt uses a small array, which is enough
//! for nearly all writes. The second uses an array as long as the kernel accepts.

use std::io::IoSlice;
use std::os::fd::{AsRawFd, RawFd};

use phasor_sys::socket::{self, MAX_BYTES, MAX_SLICES};
use phasor_sys::{Errno, Result};

use super::{Flags, HandleId, Kind, Stream};
use crate::event::{Event, Outcome, Refused};
use crate::face::{Buffers, Face, with_few_slices};
use crate::handles::HandleBody;
use crate::platform::Readiness;
use crate::requests::{Request, RequestBody, RequestId, RequestKind};
use crate::slab::Slab;
use crate::state::Loop;

/// The most requests that are finished at a time, so that a fast peer does not starve other handles
/// (`src/unix/stream.c: uv__write` counts from 32 down to 0).
const MAX_FINISHED: usize = 33;

/// The length of the small `iovec` array.
const INLINE_SLICES: usize = 16;

/// A write that is queued, or whose outcome was not reported yet. Each write occupies a slot of the slab, so the type
/// is small: no write is longer than [`MAX_BYTES`], so `u32` suffices.
pub(crate) struct Write<F: Face> {
    pub(crate) stream: HandleId,
    bytes: F::Bytes,
    /// The number of bytes.
    len: u32,
    /// How many of the bytes are written.
    written: u32,
    state: WriteState,
    /// The handle whose file descriptor is sent with the first byte; `None` once it was sent.
    passed: Option<HandleId>,
}

/// The state of a write.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WriteState {
    /// The write is in the stream's queue.
    Queued,
    /// The write is in the list of finished writes, with its result.
    Done(Result<()>),
}

const _: () = assert!(MAX_BYTES <= u32::MAX as usize);

impl<F: Face> Write<F> {
    /// The number of bytes of the write, written or not.
    pub(crate) fn len_bytes(&self) -> usize {
        self.len as usize
    }

    /// Whether the write can still be cancelled.
    pub(crate) fn is_queued(&self) -> bool {
        self.state == WriteState::Queued
    }

    fn remaining(&self) -> usize {
        (self.len - self.written) as usize
    }
}

/// The result of one system call for the head of a queue.
struct Attempt {
    result: Result<usize>,
    /// How many requests were included, the last one perhaps partially.
    requests: usize,
    /// How many bytes were included.
    bytes: usize,
    /// Whether the `iovec` array was too short.
    more: bool,
}

impl<F: Face> Loop<F> {
    /// Writes as much as possible at once, and the rest when the stream is writable. The outcome is returned in a later
    /// phase.
    ///
    /// `EBADF` without a file descriptor, `EPIPE` if the stream is not writable, `EINVAL` for more than 2 GiB. While
    /// the stream is connecting the write is queued.
    #[doc(alias = "uv_write")]
    pub fn stream_write(
        &mut self,
        id: HandleId,
        bytes: F::Bytes,
        request: F::Request,
    ) -> Result<RequestId, Refused<F>> {
        self.write(id, bytes, None, request)
    }

    /// Writes like [`Loop::stream_write`], on an IPC pipe, and sends a copy of another handle's file descriptor.
    ///
    /// `EINVAL` if the stream is not an IPC pipe, `EBADF` if the handle has no file descriptor. If the handle is closed
    /// before its file descriptor was sent, the write fails with `EBADF`.
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
            // An empty write takes the slow path, which supports it.
            Ok(stream) if len > 0 => stream.try_write_now(&bytes, passed),
            Ok(_) => None,
            Err(errno) => return Err(Refused { errno, bytes, request }),
        };
        let complete = tried == Some(Ok(len));
        let (written, state) = if complete { (len as u32, WriteState::Done(Ok(()))) } else { (0, WriteState::Queued) };
        let write = Write { stream: id, bytes, len: len as u32, written, state, passed };
        let request = self.requests.add(RequestBody::Write(write), request);
        self.instrumentation.request_begun(request, RequestKind::Write, Some(id));
        // The lookup cannot fail: `check_write` has found the stream.
        let Ok(stream) = self.handles.stream_mut(id) else { return Ok(request) };
        if complete {
            stream.done.push(&mut self.requests, request);
            self.feed(id);
            return Ok(request);
        }
        // The bytes of failed writes count until the writes are reported, as in `uv_write2`. Until then a system call
        // would fail.
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

    /// Checks the arguments of a write (`src/unix/stream.c: uv__check_before_write`).
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

    /// The file descriptor of a handle whose kind can be passed to another process.
    fn passable_fd(&self, id: HandleId) -> Result<RawFd> {
        let handle = self.handles.get(id)?;
        match &handle.body {
            HandleBody::Stream(stream) if stream.kind != Kind::Tty => Ok(stream.fd()?.as_raw_fd()),
            HandleBody::Udp(udp) if !handle.closing && udp.watch.fd >= 0 => Ok(udp.watch.fd),
            _ => Err(Errno::EBADF),
        }
    }

    /// Writes as much as possible at once and returns the number of bytes. There is no request and no outcome. `EAGAIN`
    /// if nothing can be written, while writes are queued, and while the stream is connecting.
    #[doc(alias = "uv_try_write")]
    pub fn stream_try_write(&mut self, id: HandleId, slices: &[IoSlice<'_>]) -> Result<usize> {
        self.try_write(id, slices, None)
    }

    /// Writes like [`Loop::stream_try_write`], on an IPC pipe, and sends a copy of another handle's file descriptor.
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

    /// The number of queued, unwritten bytes. The bytes of a failed write count until its outcome is reported.
    #[doc(alias = "uv_stream_get_write_queue_size")]
    pub fn stream_write_queue_size(&self, id: HandleId) -> usize {
        self.handles.stream(id).map_or(0, |stream| stream.queued_bytes)
    }

    /// Writes from the queue until the kernel's buffer is full (`src/unix/stream.c: uv__write`).
    pub(super) fn write_queued(&mut self, id: HandleId) {
        self.continue_writing(id, None);
    }

    /// Writes like [`Loop::write_queued`], beginning with the result of a system call that was made before.
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
                    // Everything was written, so the kernel may accept more.
                    if finished == attempt.requests || (attempt.more && count == attempt.bytes) || blocking {
                        budget = budget.saturating_sub(finished.max(1));
                        continue;
                    }
                }
                Err(Errno::EAGAIN) => {}
                Err(errno) => {
                    // Later writes stay queued. The pending phase tries them, and each fails with its own error.
                    self.finish_first(id, Err(errno));
                    self.remove_interest(id, Readiness::WRITABLE);
                    return;
                }
            }
            self.add_interest(id, Readiness::WRITABLE);
            return;
        }
    }

    /// Makes one system call for the head of the queue.
    fn attempt(&self, id: HandleId, budget: usize) -> Attempt {
        let attempt = self.attempt_with::<INLINE_SLICES>(id, budget, false);
        attempt.unwrap_or_else(|| self.attempt_with::<MAX_SLICES>(id, budget, true).unwrap_or(Attempt::NONE))
    }

    /// Does the same as [`Loop::attempt`], with an array of length `N`. `None` if the array is too short and not the
    /// `largest`.
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

    /// Accounts for written bytes from the head of the queue, and finishes completed requests. Returns the number of
    /// finished requests.
    fn note_written(&mut self, id: HandleId, mut count: usize, requests: usize) -> usize {
        self.count_queued(id, |queued| queued.saturating_sub(count));
        for finished in 0..requests {
            let Ok(stream) = self.handles.stream(id) else { return finished };
            let Some((_, request)) = self.requests.at_mut(stream.queued.first()) else { return finished };
            let RequestBody::Write(write) = &mut request.body else { return finished };
            let share = write.remaining().min(count);
            write.written += share as u32;
            // The file descriptor was sent with the first byte and must not be sent again.
            write.passed = None;
            count -= share;
            if write.remaining() > 0 {
                return finished;
            }
            self.finish_first(id, Ok(()));
        }
        requests
    }

    /// Changes the number of queued bytes and notifies the front end.
    fn count_queued(&mut self, id: HandleId, change: impl FnOnce(usize) -> usize) {
        let Ok(handle) = self.handles.get_mut(id) else { return };
        if let HandleBody::Stream(stream) = &mut handle.body {
            stream.queued_bytes = change(stream.queued_bytes);
            F::write_queue_changed(&handle.face, stream.queued_bytes);
        }
    }

    /// Moves the first queued write to the finished writes.
    fn finish_first(&mut self, id: HandleId, result: Result<()>) {
        let Ok(stream) = self.handles.stream_mut(id) else { return };
        if let Some(request) = stream.queued.pop(&mut self.requests) {
            finish(&mut self.requests, request, result);
            stream.done.push(&mut self.requests, request);
            self.feed(id);
        }
    }

    /// Fails all queued writes with `ECANCELED` (`src/unix/stream.c: uv__stream_flush_write_queue`).
    pub(super) fn cancel_queued(&mut self, id: HandleId) {
        let Ok(stream) = self.handles.stream_mut(id) else { return };
        while let Some(request) = stream.queued.pop(&mut self.requests) {
            finish(&mut self.requests, request, Err(Errno::ECANCELED));
            stream.done.push(&mut self.requests, request);
        }
    }

    /// Cancels a queued write (`src/unix/stream.c: uv__write_cancel` of libuv 1.53; older versions cannot cancel
    /// writes).
    pub(crate) fn write_cancel(&mut self, id: HandleId, request: RequestId) {
        let Ok(stream) = self.handles.stream_mut(id) else { return };
        stream.queued.remove(&mut self.requests, request);
        finish(&mut self.requests, request, Err(Errno::ECANCELED));
        stream.done.push(&mut self.requests, request);
        self.feed(id);
    }

    /// The next outcome of a write, with the slot of its request.
    pub(super) fn write_outcome(&mut self, id: HandleId) -> Option<(u32, Event<F>)> {
        let stream = self.handles.stream_mut(id).ok()?;
        let RequestId(key) = stream.done.pop(&mut self.requests)?;
        let request = self.requests.remove(key)?;
        let RequestBody::Write(write) = request.body else { return None };
        // The unwritten bytes of a failed write count until it is reported (`src/unix/stream.c: uv__write_callbacks`).
        if write.remaining() > 0 {
            self.count_queued(id, |queued| queued.saturating_sub(write.remaining()));
        }
        let WriteState::Done(result) = write.state else { return None };
        let outcome = Outcome::Write { result, written: write.written as usize, bytes: write.bytes };
        Some((key.index, Event::Done(request.face, outcome)))
    }
}

impl Stream {
    /// Writes a new request directly if nothing is queued. Nearly every write is complete after this one call, and is
    /// never queued. `None` if no attempt was made.
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
    /// The value is never used, because the largest array is always sufficient.
    const NONE: Attempt = Attempt { result: Err(Errno::EAGAIN), requests: 0, bytes: 0, more: false };
}

/// Sets the result of a write that left the queue.
fn finish<F: Face>(requests: &mut Slab<Request<F>>, id: RequestId, result: Result<()>) {
    if let Some(Request { body: RequestBody::Write(write), .. }) = requests.get_mut(id.0) {
        write.state = WriteState::Done(result);
    }
}

/// The requests at the head of a write queue that one system call can write.
struct Gathered {
    slices: usize,
    requests: usize,
    bytes: usize,
    more: bool,
    passed: Option<HandleId>,
}

/// Collects the slices of several requests. A request with a file descriptor is sent alone: earlier requests must not
/// carry it, and a peer that expects one file descriptor per message must not read it together with later ones. An
/// empty request is sent alone as well, to get the kernel's result for it.
fn gather<'a, F: Face>(
    requests: &'a Slab<Request<F>>,
    stream: &Stream,
    budget: usize,
    slices: &mut [IoSlice<'a>],
) -> Gathered {
    let mut gathered = Gathered { slices: 0, requests: 0, bytes: 0, more: false, passed: None };
    let mut index = stream.queued.first();
    while let Some((_, Request { body: RequestBody::Write(write), next, .. })) = requests.at(index) {
        let alone = write.passed.is_some() || write.remaining() == 0;
        if gathered.requests == budget || (alone && gathered.requests > 0) {
            break;
        }
        if gathered.slices == slices.len() && write.remaining() > 0 {
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
        if write.remaining() == 0 {
            // libuv writes one empty buffer with `write(2)`, which returns the socket's error, and several with
            // `writev(2)`, which returns 0 (`src/unix/stream.c: uv__try_write`).
            gathered.slices = write.bytes.count().clamp(1, 2);
        }
        if gathered.more || alone {
            break;
        }
        index = *next;
    }
    gathered
}
