//! Why the loop goes on.

use crate::face::Face;
use crate::handles::{HandleId, Kind};
use crate::requests::{RequestId, RequestKind};
use crate::walk::Loop;

/// One thing that keeps a loop alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A handle that is active and has a reference.
    Handle(HandleId, Kind),
    /// A request that is not done.
    Request(RequestId, RequestKind),
    /// A handle that is closed and has not been reported.
    Closing(HandleId, Kind),
    /// A handle for which something was put off to the pending phase.
    Pending(HandleId, Kind),
}

impl<F: Face> Loop<F> {
    /// Whether anything keeps the loop alive: an active handle with a reference, a request, a handle still closing,
    /// something put off to the pending phase.
    #[doc(alias = "uv_loop_alive")]
    #[inline]
    pub fn is_alive(&self) -> bool {
        self.has_work() || !self.pending.is_empty() || !self.closing.is_empty()
    }

    /// An active handle with a reference, or a request.
    #[inline]
    pub(crate) fn has_work(&self) -> bool {
        self.active_handles > 0 || self.requests.len() > 0
    }

    /// Everything that keeps the loop alive; nothing if it is not.
    pub fn why_alive(&mut self) -> Vec<Reason> {
        let mut reasons = Vec::new();
        for view in self.handles() {
            if view.active && view.has_ref {
                reasons.push(Reason::Handle(view.id, view.kind));
            }
        }
        let closing = self.closing.iter().filter_map(|&id| Some(Reason::Closing(id, self.kind(id)?)));
        reasons.extend(closing);
        reasons.extend(self.requests.iter().map(|(key, request)| Reason::Request(RequestId(key), request.kind)));
        let pending = self.pending.iter().filter_map(|&id| Some(Reason::Pending(id, self.kind(id)?)));
        reasons.extend(pending);
        reasons
    }
}
