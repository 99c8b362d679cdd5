//! Pending: what was put off until after the call that caused it.

use crate::event::Event;
use crate::face::Face;
use crate::handles::{HandleId, Kind};
use crate::platform::Readiness;
use crate::walk::Loop;

impl<F: Face> Loop<F> {
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

    /// As `uv__run_pending`: whoever put something off is treated as if it had become writable.
    pub(crate) fn next_pending(&mut self) -> Option<Event<F>> {
        loop {
            if let Some(event) = self.next_in_hand() {
                return Some(event);
            }
            let id = self.pending_now.pop_front()?;
            let Ok(handle) = self.handles.get_mut(id) else { continue };
            handle.fed = false;
            match handle.body.kind() {
                Kind::Pipe | Kind::Tcp | Kind::Tty => self.stream_pending(id),
                Kind::Udp => self.udp_ready(id, Readiness::WRITABLE),
                _ => {}
            }
        }
    }
}
