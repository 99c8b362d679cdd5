//! Pending: what was put off until after the call that caused it.

use crate::event::Event;
use crate::face::Face;
use crate::walk::Loop;

impl<F: Face> Loop<F> {
    /// Takes the whole queue: what is put off from now on waits for the next round.
    pub(crate) fn begin_pending(&mut self) {
        debug_assert!(self.pending_now.is_empty());
        std::mem::swap(&mut self.pending, &mut self.pending_now);
    }

    pub(crate) fn next_pending(&mut self) -> Option<Event<F>> {
        self.pending_now.clear();
        None
    }
}
