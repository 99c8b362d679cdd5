//! Rejected promises that nobody handles: kept until the end of the drain, then told to JavaScript.
//!
//! As Node's `processPromiseRejections`: first the ones that were told before and are handled by now, then the new ones in
//! the order of rejection. One that is handled before this round begins is not told at all; one that a listener of the round
//! handles is told nevertheless, and no 'rejectionHandled' follows.
//!
//! # Safety
//! As `raw`: a promise, its reason and the context are counted references, given up when they were told or are handled.
#![allow(unsafe_code)]

use std::collections::{HashMap, HashSet, VecDeque};

use rquickjs::Value;

use crate::dispatch::Exiting;
use crate::raw::{self, Raw};
use crate::state::{Hook, State};

/// A promise, its reason, and the context that it was rejected in.
type Rejection = [Raw; 3];

/// What waits to be told.
#[derive(Default)]
pub(crate) struct Rejections {
    /// Oldest first; nothing in the place of one that was handled in time.
    pending: VecDeque<Option<Rejection>>,
    /// The number of the first place of `pending`, counted since the start.
    first: u64,
    /// In which place a promise is, by its address.
    places: HashMap<usize, u64>,
    /// Those that are to be told in the round under way, whatever happens to them.
    round: VecDeque<Rejection>,
    /// Their addresses.
    in_round: HashSet<usize>,
    /// Promises that were told to be unhandled, and have got a handler since.
    handled: VecDeque<Raw>,
}

impl State {
    #[inline]
    pub(crate) fn no_rejections(&self) -> bool {
        let rejections = self.rejections.borrow();
        rejections.pending.is_empty() && rejections.handled.is_empty()
    }

    /// What the engine tells: a promise without handler was rejected, or a rejected one has got its first handler.
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

    /// A rejection that is looked after without a handler: it is not told, if it was not yet.
    pub(crate) fn forget_rejection(&self, promise: &Value<'_>) {
        self.forget_pending(raw::object_address(promise.as_raw()));
    }

    /// Forgets the promise of an address, if it waits to be told. Whether it did.
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

    /// Tells what waits. Whether that may have made work.
    pub(crate) fn report_rejections(&self) -> Result<bool, Exiting> {
        let mut told = false;
        loop {
            let Some(promise) = self.rejections.borrow_mut().handled.pop_front() else { break };
            told = true;
            let result = self.call_hook(Hook::RejectionHandled, &mut [promise]);
            raw::free(self.ctx, promise);
            self.give_up(result)?;
        }
        self.begin_round();
        while let Some(rejection) = self.next_rejection() {
            told = true;
            // An end that is asked for, or a want of memory, is no reason that a script gave.
            let result = if self.poll_control() { Err(Exiting) } else { self.tell_of_rejection(rejection) };
            self.free_rejection(rejection);
            self.give_up(result)?;
        }
        Ok(told || !self.rejections.borrow().pending.is_empty())
    }

    fn free_rejection(&self, rejection: Rejection) {
        for value in rejection {
            raw::free(self.ctx, value);
        }
    }

    fn tell_of_rejection(&self, mut rejection: Rejection) -> Result<Option<Raw>, Exiting> {
        // As Node: who hears of it does so where the promise was made, and a domain where it was rejected.
        let depth = self.enter_promise(rejection[0]);
        let result = self.call_hook(Hook::Unhandled, &mut rejection);
        self.leave_quietly_to(depth);
        result
    }

    /// What waits is of this round; what the listeners add is for the next.
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

    fn give_up(&self, result: Result<Option<Raw>, Exiting>) -> Result<(), Exiting> {
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
