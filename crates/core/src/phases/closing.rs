//! Closing: handles that were closed are reported and forgotten, last in, first out.

use crate::event::Event;
use crate::face::Face;
use crate::handles::{HandleId, Kind};
use crate::walk::Loop;

impl<F: Face> Loop<F> {
    /// Takes the whole list: what is closed from now on waits for the next turn.
    pub(crate) fn begin_closing(&mut self) {
        debug_assert!(self.closing_now.is_empty());
        std::mem::swap(&mut self.closing, &mut self.closing_now);
    }

    /// As `uv__run_closing_handles`: what a handle did not finish comes back first.
    pub(crate) fn next_closed(&mut self) -> Option<Event<F>> {
        while let Some(&id) = self.closing_now.last() {
            if let Some(event) = self.next_cancelled(id) {
                return Some(event);
            }
            self.closing_now.pop();
            if let Some(handle) = self.handles.remove(id) {
                return Some(Event::Closed(handle.face));
            }
        }
        None
    }

    /// What still waited in a handle comes back before the handle itself, one after the other.
    fn next_cancelled(&mut self, id: HandleId) -> Option<Event<F>> {
        match self.kind(id)? {
            Kind::Pipe | Kind::Tcp | Kind::Tty => self.stream_unfinished(id),
            Kind::Udp => self.udp_next_cancelled(id),
            _ => None,
        }
    }
}
