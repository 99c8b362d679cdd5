//! Timers: those whose time has come, in the order of their due times and, among equals, of their starts.

use crate::event::Event;
use crate::face::Face;
use crate::handles::{Body, HandleId, TimerState};
use crate::state::Loop;

impl<F: Face> Loop<F> {
    /// Moves all timers that are due aside, so that none started from now on runs in this pass.
    ///
    /// As `uv__run_timers`: while they wait they are stopped, and count as inactive.
    pub(crate) fn begin_timers(&mut self) {
        while let Some((index, due)) = self.timers.heap.pop_due(self.now_ms) {
            self.timers.ready.push_back((index, due));
            if let Some((_, handle)) = self.handles.slab.at_mut(index) {
                // A file poll handle is active between two looks as well.
                let Body::Timer(timer) = &mut handle.body else { continue };
                timer.state = TimerState::Ready;
                handle.set_active(false, &mut self.active_handles);
            }
        }
    }

    /// The next timer of this pass. One that repeats is started again before its call, from the same `now`.
    #[inline]
    pub(crate) fn next_timer(&mut self) -> Option<Event<F>> {
        while let Some((index, due)) = self.timers.ready.pop_front() {
            let Some((key, handle)) = self.handles.slab.at_mut(index) else { continue };
            let Body::Timer(timer) = &mut handle.body else {
                self.fs_poll_due(HandleId(key), due);
                continue;
            };
            if timer.state != TimerState::Ready || timer.due != due {
                continue;
            }
            timer.state = TimerState::Stopped;
            let id = HandleId(key);
            if timer.repeat_ms != 0 {
                let repeat_ms = timer.repeat_ms;
                // It is open: closing would have taken it out of the pass.
                let _ = self.timer_start(id, repeat_ms, repeat_ms);
            }
            return Some(Event::Timer(id));
        }
        None
    }

    /// How long until the nearest timer: 0 if it is due, `None` if there is none.
    pub(crate) fn next_timer_in(&self) -> Option<u64> {
        let due = self.timers.heap.first()?;
        Some(due.at_ms.saturating_sub(self.now_ms))
    }
}
