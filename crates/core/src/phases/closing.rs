//! Closing: handles that were closed are reported and forgotten, last in, first out.

use crate::event::Event;
use crate::face::Face;
use crate::handles::{HandleId, Kind};
use crate::state::Loop;

impl<F: Face> Loop<F> {
    /// As `uv__run_closing_handles`: the whole list is taken, and what is closed meanwhile waits for the next turn. What a
    /// handle did not finish comes back first.
    pub(crate) fn next_closed(&mut self) -> Option<Event<F>> {
        while let Some((key, _)) = self.handles.slab.at(self.closing.current().first()) {
            let id = HandleId(key);
            if let Some(event) = self.next_cancelled(id) {
                return Some(event);
            }
            self.closing.current().remove(&mut self.handles.slab, key.index);
            if let Some(handle) = self.handles.remove(id) {
                return Some(Event::Closed(handle.face));
            }
        }
        None
    }

    /// What still waited in a handle comes back before the handle itself, one after the other.
    fn next_cancelled(&mut self, id: HandleId) -> Option<Event<F>> {
        match self.kind(id)? {
            Kind::Pipe | Kind::Tcp | Kind::Tty => self.stream_next_cancelled(id),
            Kind::Udp => self.udp_next_cancelled(id),
            _ => None,
        }
    }
}
