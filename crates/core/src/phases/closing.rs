//! The closing phase: reports closed handles and frees their slots. The handle that was closed last is first.

use crate::event::Event;
use crate::face::Face;
use crate::handles::{HandleId, Kind};
use crate::state::Loop;

impl<F: Face> Loop<F> {
    /// The next event of a closed handle (`src/unix/core.c: uv__run_closing_handles`). Handles that are closed
    /// meanwhile wait for the next turn. The unfinished requests of a handle are returned before the handle.
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

    /// The next unfinished request of a closed handle.
    fn next_cancelled(&mut self, id: HandleId) -> Option<Event<F>> {
        match self.kind(id)? {
            Kind::Pipe | Kind::Tcp | Kind::Tty => self.stream_next_cancelled(id),
            Kind::Udp => self.udp_next_cancelled(id),
            _ => None,
        }
    }
}
