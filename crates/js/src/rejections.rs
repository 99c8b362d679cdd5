//! Unhandled promise rejections: collected until the end of the drain, then reported to JavaScript.
//!
//! As `lib/internal/process/promises.js: processPromiseRejections`: first the reported promises that have been handled
//! since, then new rejections, oldest first. A promise that is handled before the round begins is not reported. One
//! that a listener handles during the round is still reported, and no 'rejectionHandled' follows.
//!
//! # Safety
//! As `raw`: a promise, its reason and its context are counted references, released when the promise is reported or handled.
#![allow(unsafe_code)]

use std::collections::{HashMap, HashSet, VecDeque};

use rquickjs::Value;

use crate::dispatch::Exiting;
use crate::raw::{self, Raw};
use crate::state::{Hook, State};

/// A promise, its reason, and the async context of the rejection.
type Rejection = [Raw; 3];

/// Rejections to report.
#[derive(Default)]
pub(crate) struct Rejections {
    /// Oldest first; `None` for a promise that was handled in time.
    pending: VecDeque<Option<Rejection>>,
    /// The sequence number of the first entry of `pending`.
    first: u64,
    /// Sequence number of a promise by its address.
    places: HashMap<usize, u64>,
    /// Rejections that the current round reports, even if they are handled meanwhile.
    round: VecDeque<Rejection>,
    /// The addresses of these promises.
    in_round: HashSet<usize>,
    /// Promises that were reported as unhandled and have been handled since.
    handled: VecDeque<Raw>,
}

impl State {
    #[inline]
    pub(crate) fn no_rejections(&self) -> bool {
        let rejections = self.rejections.borrow();
        rejections.pending.is_empty() && rejections.handled.is_empty()
    }

    /// The engine's rejection tracker: a promise without a handler was rejected, or a rejected promise got its first handler.
    pub(crate) fn track_rejection(&self, promise: &Value<'_>, reason: &Value<'_>, handled: bool) {
        let promise = promise.as_raw();
        let address = raw::object_address(promise);
        if !handled {
            let kept = [promise, reason.as_raw(), self.async_context()].map(|value| raw::dup(self.ctx, value));
            let mut rejections = self.rejections.borrow_mut();
            let place = rejections.first + rejections.pending.len() as u64;
            rejections.places.insert(address, place);
            rejections.pending.push_back(Some(kept));
            return;
        }
        if !self.forget_pending(address) {
            let mut rejections = self.rejections.borrow_mut();
            if !rejections.in_round.contains(&address) {
                rejections.handled.push_back(raw::dup(self.ctx, promise));
            }
        }
    }

    /// Marks a rejection as handled although it has no handler. It is not reported, unless it already was.
    pub(crate) fn forget_rejection(&self, promise: &Value<'_>) {
        self.forget_pending(raw::object_address(promise.as_raw()));
    }

    /// Removes the promise at an address from the pending rejections. Returns whether it was pending.
    fn forget_pending(&self, address: usize) -> bool {
        let dropped = {
            let mut rejections = self.rejections.borrow_mut();
            let Some(place) = rejections.places.remove(&address) else { return false };
            let index = (place - rejections.first) as usize;
            rejections.pending.get_mut(index).and_then(Option::take)
        };
        if let Some(rejection) = dropped {
            self.free_rejection(rejection);
        }
        true
    }

    /// Reports pending rejections. Returns whether that may have queued work.
    pub(crate) fn report_rejections(&self) -> Result<bool, Exiting> {
        let mut reported = false;
        loop {
            let Some(promise) = self.rejections.borrow_mut().handled.pop_front() else { break };
            reported = true;
            let result = self.call_hook(Hook::RejectionHandled, &mut [promise]);
            raw::free(self.ctx, promise);
            self.release_result(result)?;
        }
        self.begin_round();
        while let Some(rejection) = self.next_rejection() {
            reported = true;
            // Termination and out-of-memory errors are not rejections by the script.
            let result = if self.poll_control() { Err(Exiting) } else { self.report_rejection(rejection) };
            self.free_rejection(rejection);
            self.release_result(result)?;
        }
        Ok(reported || !self.rejections.borrow().pending.is_empty())
    }

    fn free_rejection(&self, rejection: Rejection) {
        for value in rejection {
            raw::free(self.ctx, value);
        }
    }

    fn report_rejection(&self, mut rejection: Rejection) -> Result<Option<Raw>, Exiting> {
        // As `lib/internal/process/promises.js: processPromiseRejections`: listeners run in the context that the promise was created in, and a
        // domain handles it where it was rejected.
        let depth = self.enter_promise(rejection[0]);
        let result = self.call_hook(Hook::Unhandled, &mut rejection);
        self.leave_without_hooks_to(depth);
        result
    }

    /// Moves the pending rejections to the current round; those that listeners add are for the next round.
    fn begin_round(&self) {
        let mut rejections = self.rejections.borrow_mut();
        let rejections = &mut *rejections;
        rejections.first += rejections.pending.len() as u64;
        rejections.places.clear();
        rejections.round.extend(rejections.pending.drain(..).flatten());
        rejections.in_round.extend(rejections.round.iter().map(|[promise, ..]| raw::object_address(*promise)));
    }

    fn next_rejection(&self) -> Option<Rejection> {
        let mut rejections = self.rejections.borrow_mut();
        let next = rejections.round.pop_front()?;
        rejections.in_round.remove(&raw::object_address(next[0]));
        Some(next)
    }

    fn release_result(&self, result: Result<Option<Raw>, Exiting>) -> Result<(), Exiting> {
        if let Some(value) = result? {
            raw::free(self.ctx, value);
        }
        Ok(())
    }

    pub(crate) fn clear_rejections(&self) {
        let Rejections { pending, round, handled, .. } = std::mem::take(&mut *self.rejections.borrow_mut());
        for rejection in pending.into_iter().flatten().chain(round) {
            self.free_rejection(rejection);
        }
        for promise in handled {
            raw::free(self.ctx, promise);
        }
    }
}
