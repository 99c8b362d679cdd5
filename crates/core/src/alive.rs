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
        self.active_handles() > 0 || self.requests.len() > 0
    }

    /// How many handles are active and have a reference, with those [counted in addition](Loop::count_handles).
    #[inline]
    pub fn active_handles(&self) -> usize {
        self.active_handles.saturating_add_signed(self.counted_handles)
    }

    /// Counts so many more handles (or fewer) as active than there are. A C program may change the count itself, to
    /// keep the loop alive without a handle or to let it end in spite of one.
    #[doc(alias = "active_handles")]
    pub fn count_handles(&mut self, more: isize) {
        self.counted_handles = self.counted_handles.saturating_add(more);
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
        core.count_handles(-1);
        assert!(!core.is_alive());
        let timer = core.timer_open(());
        core.timer_start(timer, 10, 0).unwrap();
        core.count_handles(-1);
        assert!(!core.is_alive());
        core.timer_stop(timer).unwrap();
        assert_eq!(core.active_handles(), 0, "never below none");
        core.count_handles(1);
        core.timer_start(timer, 10, 0).unwrap();
        assert_eq!(core.active_handles(), 1);
    }
}
