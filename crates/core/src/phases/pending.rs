//! Pending: what was put off until after the call that caused it.

use crate::event::Event;
use crate::face::Face;
use crate::handles::{HandleId, Kind};
use crate::state::Loop;

impl<F: Face> Loop<F> {
    /// Puts a handle off to the pending phase, once until its turn there. As `uv__io_feed`. One that is closing is not:
    /// it stands in the chain of the closing phase, which gives back what it has not finished.
    pub(crate) fn feed(&mut self, id: HandleId) {
        if let Ok(handle) = self.handles.get_mut(id)
            && handle.fed.is_none()
            && !handle.closing
        {
            let (list, side) = self.pending.next_mut();
            handle.fed = Some(side);
            list.push_back(&mut self.handles.slab, id.0.index);
        }
    }

    /// Takes a handle that closes out of the queue. As `uv__io_close`.
    pub(crate) fn unfeed(&mut self, id: HandleId) {
        if let Ok(handle) = self.handles.get_mut(id)
            && let Some(side) = handle.fed.take()
        {
            self.pending.of(side).remove(&mut self.handles.slab, id.0.index);
        }
    }

    /// As `uv__run_pending`: whoever put something off is treated as if it had become writable.
    pub(crate) fn next_pending(&mut self) -> Option<Event<F>> {
        loop {
            let event = self.next_in_progress();
            if event.is_some() {
                return event;
            }
            let (key, handle) = self.handles.slab.at(self.pending.current().first())?;
            let (id, kind) = (HandleId(key), handle.body.kind());
            self.unfeed(id);
            let event = match kind {
                Kind::Pipe | Kind::Tcp | Kind::Tty => self.stream_pending(id),
                Kind::Udp => self.udp_pending(id),
                _ => None,
            };
            if event.is_some() {
                return event;
            }
        }
    }
}
