//! Connecting streams: the request in progress and its result.

use phasor_sys::{Errno, Result, socket};

use super::HandleId;
use crate::event::Refused;
use crate::face::Face;
use crate::platform::Readiness;
use crate::requests::{RequestBody, RequestId, RequestKind};
use crate::state::Loop;

impl<F: Face> Loop<F> {
    /// Adds the request of a connect. `begun` is the result of its first step. `Ok(None)`: the connect is in progress.
    /// `Ok(Some(errno))`: the connect has failed, which the pending phase reports. `Err`: the request is refused.
    pub(in crate::handles) fn start_connect(
        &mut self,
        id: HandleId,
        begun: Result<Option<Errno>>,
        request: F::Request,
    ) -> Result<RequestId, Refused<F, ()>> {
        let (stream, failed) = match (self.handles.open_stream_mut(id), begun) {
            (Ok(stream), Ok(failed)) => (stream, failed),
            (Err(errno), _) | (_, Err(errno)) => return Err(Refused { errno, bytes: (), request }),
        };
        let request = self.requests.add(RequestBody::Connect(id), request);
        self.instrumentation.request_begun(request, RequestKind::Connect, Some(id));
        stream.connect = Some(request);
        stream.delayed_error = failed;
        if failed.is_some() {
            self.feed(id);
        } else {
            self.add_interest(id, Readiness::WRITABLE);
        }
        Ok(request)
    }

    /// The result of the connect in progress, if it has ended (`src/unix/stream.c: uv__stream_connect`).
    pub(super) fn connect_outcome(&mut self, id: HandleId) -> Option<(F::Request, Result<()>)> {
        let stream = self.handles.stream_mut(id).ok()?;
        let result = match (stream.delayed_error.take(), &stream.fd) {
            (Some(errno), _) => Err(errno),
            (None, Some(fd)) => socket::take_error(fd),
            (None, None) => Err(Errno::EBADF),
        };
        let request = stream.connect.take()?;
        // With queued writes the interest stays: the writes wait until the stream is writable.
        if result.is_err() || stream.queued.is_empty() {
            let waits_for_drain = stream.shutdown.is_some();
            self.remove_interest(id, Readiness::WRITABLE);
            // The stream is no longer watched for writability, so the pending phase has to run the requested shutdown.
            if waits_for_drain {
                self.feed(id);
            }
        }
        let request = self.requests.remove(request.0)?;
        Some((request.face, result))
    }
}
