//! Shutting a stream down, and the unfinished requests of a closed stream.

use phasor_sys::{Errno, Result, socket};

use super::{Flags, HandleBody, HandleId};
use crate::event::{Event, Outcome, Refused};
use crate::face::Face;
use crate::platform::Readiness;
use crate::requests::{RequestBody, RequestId, RequestKind};
use crate::state::Loop;

impl<F: Face> Loop<F> {
    /// Shuts down the write direction when all queued writes are written. Further writes are refused with `EPIPE`.
    ///
    /// `ENOTCONN` if the stream is not writable, was shut down, is being shut down, or is closing.
    #[doc(alias = "uv_shutdown")]
    pub fn stream_shutdown(&mut self, id: HandleId, request: F::Request) -> Result<RequestId, Refused<F, ()>> {
        let stream = match self.check_shutdown(id).and_then(|()| self.handles.stream_mut(id)) {
            Ok(stream) => stream,
            Err(errno) => return Err(Refused { errno, bytes: (), request }),
        };
        let request = self.requests.add(RequestBody::Shutdown(id), request);
        self.instrumentation.request_begun(request, RequestKind::Shutdown, Some(id));
        stream.shutdown = Some(request);
        stream.flags.remove(Flags::WRITABLE);
        // `src/unix/stream.c: uv_shutdown` always defers `shutdown(2)` until just before the outcome is reported.
        if stream.queued.is_empty() {
            self.feed(id);
        }
        Ok(request)
    }

    fn check_shutdown(&self, id: HandleId) -> Result<()> {
        let stream = self.handles.stream(id)?;
        let open = stream.flags.has(Flags::WRITABLE) && stream.fd.is_some() && !self.is_closing(id);
        if open && !stream.flags.has(Flags::SHUT) && stream.shutdown.is_none() { Ok(()) } else { Err(Errno::ENOTCONN) }
    }

    /// Whether a [`Loop::stream_shutdown`] is in progress.
    pub(in crate::handles) fn is_shutting_down(&self, id: HandleId) -> bool {
        self.handles.stream(id).is_ok_and(|stream| stream.shutdown.is_some())
    }

    /// Runs a requested shutdown. Called when no writes are queued (`src/unix/stream.c: uv__drain`).
    pub(super) fn drain(&mut self, id: HandleId) -> Option<Event<F>> {
        let handle = self.handles.get(id).ok()?;
        let HandleBody::Stream(stream) = &handle.body else { return None };
        if !stream.queued.is_empty() {
            return None;
        }
        let (closing, shutting_down) = (handle.closing, stream.shutdown.is_some());
        if !closing && stream.watch.interest.intersects(Readiness::WRITABLE) {
            self.remove_interest(id, Readiness::WRITABLE);
        }
        if shutting_down { self.end_writing(id, closing) } else { None }
    }

    fn end_writing(&mut self, id: HandleId, closing: bool) -> Option<Event<F>> {
        let stream = self.handles.stream_mut(id).ok()?;
        let request = stream.shutdown.take()?;
        let result = match &stream.fd {
            // The stream was closed before the shutdown.
            _ if closing => Err(Errno::ECANCELED),
            None => Err(Errno::EBADF),
            Some(fd) => socket::shutdown_write(fd),
        };
        if result.is_ok() {
            stream.flags.add(Flags::SHUT);
        }
        let request = self.requests.remove(request.0)?;
        Some(Event::Done(request.face, Outcome::Shutdown(result)))
    }

    /// The next unfinished request of a closed stream. These requests are returned before the stream's `Closed` event.
    ///
    /// The order is that of `src/unix/stream.c: uv__stream_destroy`: the connect, the finished writes, the cancelled
    /// writes, the shutdown.
    pub(crate) fn stream_next_cancelled(&mut self, id: HandleId) -> Option<Event<F>> {
        let HandleBody::Stream(stream) = &mut self.handles.get_mut(id).ok()?.body else { return None };
        if let Some(request) = stream.connect.take() {
            let request = self.requests.remove(request.0)?;
            return Some(Event::Done(request.face, Outcome::Connect(Err(Errno::ECANCELED))));
        }
        self.cancel_queued(id);
        match self.write_outcome(id) {
            Some((_, event)) => Some(event),
            None => self.drain(id),
        }
    }
}
