//! Pending: what was put off until after the call that caused it.

use crate::event::Event;
use crate::face::Face;
use crate::handles::HandleId;
use crate::walk::Loop;

impl<F: Face> Loop<F> {
    #[allow(dead_code, reason = "its users are being built")]
    /// Puts a handle off to the pending phase, once until its turn there. As `uv__io_feed`.
    pub(crate) fn feed(&mut self, id: HandleId) {
        if let Ok(handle) = self.handles.get_mut(id)
            && !handle.fed
        {
            handle.fed = true;
            self.pending.push_back(id);
        }
    }

    /// Takes a handle that closes out of the queue. As `uv__io_close`.
    pub(crate) fn unfeed(&mut self, id: HandleId) {
        if let Ok(handle) = self.handles.get_mut(id)
            && std::mem::take(&mut handle.fed)
        {
            self.pending.retain(|&other| other != id);
            self.pending_now.retain(|&other| other != id);
        }
    }

    /// Takes the whole queue: what is put off from now on waits for the next round.
    pub(crate) fn begin_pending(&mut self) {
        debug_assert!(self.pending_now.is_empty());
        std::mem::swap(&mut self.pending, &mut self.pending_now);
    }

    pub(crate) fn next_pending(&mut self) -> Option<Event<F>> {
        while let Some(id) = self.pending_now.pop_front() {
            if let Ok(handle) = self.handles.get_mut(id) {
                handle.fed = false;
            }
        }
        None
    }
}
