//! Why the loop goes on.

use crate::face::Face;
use crate::handles::{Handle, HandleId, Kind};
use crate::requests::{RequestId, RequestKind};
use crate::slab::Key;
use crate::state::Loop;

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
        self.has_work() || !self.pending.next().is_empty() || !self.closing.next().is_empty()
    }

    /// An active handle with a reference, or a request.
    #[inline]
    pub(crate) fn has_work(&self) -> bool {
        self.active_handles > 0 || self.requests.len() > 0
    }

    /// How many handles are active and have a reference.
    pub fn active_handles(&self) -> usize {
        self.active_handles
    }

    /// How many requests are not done.
    #[doc(alias = "active_reqs")]
    pub fn active_requests(&self) -> usize {
        self.requests.len()
    }

    /// Whether nothing is left in the loop: no handle, be it idle or still closing, and no request. As `uv_loop_close`,
    /// which answers `EBUSY` unless this is so: what is left may have memory of a face's that must not go yet.
    #[doc(alias = "uv_loop_close")]
    pub fn is_vacant(&self) -> bool {
        self.handles.slab.len() == 0 && self.requests.len() == 0
    }

    /// Everything that keeps the loop alive; nothing if it is not.
    pub fn why_alive(&self) -> Vec<Reason> {
        let mut reasons = Vec::new();
        for view in self.handles() {
            if view.active && view.has_ref {
                reasons.push(Reason::Handle(view.id, view.kind));
            }
        }
        let named = |(key, handle): (Key, &Handle<F>)| (HandleId(key), handle.body.kind());
        let closing = self.closing.next().iter(&self.handles.slab).map(named);
        reasons.extend(closing.map(|(id, kind)| Reason::Closing(id, kind)));
        reasons.extend(self.requests.iter().map(|(key, request)| Reason::Request(RequestId(key), request.kind)));
        let pending = self.pending.next().iter(&self.handles.slab).map(named);
        reasons.extend(pending.map(|(id, kind)| Reason::Pending(id, kind)));
        reasons
    }
}
