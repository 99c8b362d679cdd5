//! Connecting: what is under way and how it ended.

use phasor_sys::{Errno, Result, socket};

use super::HandleId;
use crate::face::Face;
use crate::platform::Readiness;
use crate::requests::{Body, END, Request, RequestId, RequestKind};
use crate::walk::Loop;

impl<F: Face> Loop<F> {
    /// Notes that a connection is under way, or has failed already, which is told in the pending phase.
    pub(in crate::handles) fn connecting(
        &mut self,
        id: HandleId,
        failed: Option<Errno>,
        face: F::Request,
    ) -> Result<RequestId> {
        let stream = self.handles.open_stream_mut(id)?;
        let request = Request { kind: RequestKind::Connect, next: END, face, body: Body::Connect };
        let request = RequestId(self.requests.insert(request));
        stream.connect = Some(request);
        stream.delayed = failed;
        if failed.is_some() {
            self.feed(id);
        } else {
            self.want(id, Readiness::WRITABLE);
        }
        Ok(request)
    }

    /// How the connection under way ended, if it has. As `uv__stream_connect`.
    pub(super) fn connect_outcome(&mut self, id: HandleId) -> Option<(F::Request, Result<()>)> {
        let stream = self.handles.stream_mut(id).ok()?;
        let result = match (stream.delayed.take(), &stream.fd) {
            (Some(errno), _) => Err(errno),
            (None, Some(fd)) => socket::take_error(fd),
            (None, None) => Err(Errno::EBADF),
        };
        let request = stream.connect.take()?;
        // What was written meanwhile waits for the stream to be writable.
        if result.is_err() || stream.queued.is_empty() {
            let waits_for_drain = stream.shutdown.is_some();
            self.unwant(id, Readiness::WRITABLE);
            // Nothing else would bring the end of writing about, which was asked for meanwhile.
            if waits_for_drain {
                self.feed(id);
            }
        }
        let request = self.requests.remove(request.0)?;
        Some((request.face, result))
    }
}
