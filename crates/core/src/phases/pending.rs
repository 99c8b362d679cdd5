//! The pending phase: callbacks that were deferred from an earlier call.

use crate::event::Event;
use crate::face::Face;
use crate::handles::{HandleId, Kind};
use crate::state::Loop;

impl<F: Face> Loop<F> {
    /// Adds a handle to the pending queue, unless it is queued already (`src/unix/core.c: uv__io_feed`). A closing
    /// handle is not added: its links are used by the closing list, and the closing phase returns its unfinished
    /// requests.
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

    /// Removes a closing handle from the pending queue (`src/unix/core.c: uv__io_close`).
    pub(crate) fn unfeed(&mut self, id: HandleId) {
        if let Ok(handle) = self.handles.get_mut(id)
            && let Some(side) = handle.fed.take()
        {
            self.pending.of(side).remove(&mut self.handles.slab, id.0.index);
        }
    }

    /// The next event of the pending queue. Each handle is treated as if it had become writable (`src/unix/core.c:
    /// uv__run_pending`).
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
