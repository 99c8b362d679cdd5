//! Queries for what keeps the loop alive.

use crate::face::Face;
use crate::handles::{Handle, HandleId, HandleView, Kind};
use crate::requests::{RequestId, RequestKind};
use crate::slab::Key;
use crate::state::Loop;

/// One reason why a loop is alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// An active and referenced handle.
    Handle(HandleId, Kind),
    /// A request without an outcome.
    Request(RequestId, RequestKind),
    /// A handle that was closed and whose `Closed` event was not returned.
    Closing(HandleId, Kind),
    /// A handle that was fed to the pending phase.
    Pending(HandleId, Kind),
    /// Active handles that a front end has counted without a handle, see [`Loop::count_handles`].
    Counted(usize),
}

impl<F: Face> Loop<F> {
    /// Whether the loop has an active and referenced handle, a request, a closing handle, or a handle in the pending
    /// queue (`src/unix/core.c: uv__loop_alive`).
    #[doc(alias = "uv_loop_alive")]
    #[inline]
    pub fn is_alive(&self) -> bool {
        self.has_work() || !self.pending.next().is_empty() || !self.closing.next().is_empty()
    }

    /// Whether there is an active and referenced handle, or a request.
    #[inline]
    pub(crate) fn has_work(&self) -> bool {
        self.active_handles() > 0 || self.requests.len() > 0
    }

    /// The number of active and referenced handles, including those added by [`Loop::count_handles`].
    #[inline]
    pub fn active_handles(&self) -> usize {
        self.active_handles.saturating_add_signed(self.counted_handles)
    }

    /// Adds to the number of active handles, or subtracts from it. C programs change `uv_loop_t.active_handles`
    /// directly, to keep the loop alive without a handle or to let the loop end although a handle is active.
    #[doc(alias = "active_handles")]
    pub fn count_handles(&mut self, more: isize) {
        self.counted_handles = self.counted_handles.saturating_add(more);
    }

    /// The number of requests without an outcome.
    #[doc(alias = "active_reqs")]
    pub fn active_requests(&self) -> usize {
        self.requests.len()
    }

    /// Whether the loop has no requests and no handles, not even inactive or closing ones. If this is false,
    /// `uv_loop_close` returns `EBUSY`: the remaining handles and requests may refer to memory of the front end.
    #[doc(alias = "uv_loop_close")]
    pub fn is_vacant(&self) -> bool {
        self.handles.slab.len() == 0 && self.requests.len() == 0
    }

    /// All reasons why the loop is alive; empty if it is not alive.
    pub fn why_alive(&self) -> Vec<Reason> {
        let mut reasons = Vec::new();
        // The number may be negative: a front end may have subtracted more handles than are active.
        if self.active_handles() > 0 {
            let counts = |view: &HandleView| view.active && view.has_ref;
            reasons.extend(self.handles().iter().filter(|view| counts(view)).map(|v| Reason::Handle(v.id, v.kind)));
            reasons.extend(usize::try_from(self.counted_handles).ok().filter(|count| *count > 0).map(Reason::Counted));
        }
        let named = |(key, handle): (Key, &Handle<F>)| (HandleId(key), handle.body.kind());
        let closing = self.closing.next().iter(&self.handles.slab).map(named);
        reasons.extend(closing.map(|(id, kind)| Reason::Closing(id, kind)));
        reasons.extend(self.requests.iter().map(|(key, request)| Reason::Request(RequestId(key), request.body.kind())));
        let pending = self.pending.next().iter(&self.handles.slab).map(named);
        reasons.extend(pending.map(|(id, kind)| Reason::Pending(id, kind)));
        reasons
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::Sim;

    struct Plain;

    impl Face for Plain {
        type Handle = ();
        type Request = ();
        type Bytes = Vec<u8>;
    }

    #[test]
    fn extra_counted_handles_keep_the_loop_alive_or_let_it_end() {
        let mut core = Loop::<Plain>::on(Sim::new());
        core.count_handles(1);
        assert!(core.is_alive() && core.backend_timeout_ms().is_none());
        assert_eq!(core.why_alive(), [Reason::Counted(1)]);
        core.count_handles(-1);
        assert!(!core.is_alive());
        let timer = core.timer_open(());
        core.timer_start(timer, 10, 0).unwrap();
        core.count_handles(-1);
        assert!(!core.is_alive());
        assert_eq!(core.why_alive(), []);
        core.timer_stop(timer).unwrap();
        assert_eq!(core.active_handles(), 0, "the count does not go below 0");
        core.count_handles(1);
        core.timer_start(timer, 10, 0).unwrap();
        assert_eq!(core.active_handles(), 1);
    }
}
