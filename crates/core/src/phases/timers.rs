//! The timers phase: due timers in the order of their due times. Timers with equal due times run in the order of their
//! starts.

use crate::event::Event;
use crate::face::Face;
use crate::handles::{HandleBody, HandleId, TimerState};
use crate::state::Loop;

impl<F: Face> Loop<F> {
    /// Collects all due timers, so that timers started from now on do not run in this pass.
    ///
    /// A collected timer is stopped, so it counts as inactive (`src/timer.c: uv__run_timers`).
    pub(crate) fn begin_timers(&mut self) {
        while let Some((index, due)) = self.timers.heap.pop_due(self.now_ms) {
            self.timers.ready.push_back((index, due));
            if let Some((_, handle)) = self.handles.slab.at_mut(index) {
                // The entry belongs to a file poll handle, which stays active between two `stat` calls.
                let HandleBody::Timer(timer) = &mut handle.body else { continue };
                timer.state = TimerState::Ready;
                handle.set_active(false, &mut self.active_handles);
            }
        }
    }

    /// The next timer of this pass. A repeating timer is restarted before its callback, from the same cached time.
    #[inline]
    pub(crate) fn next_timer(&mut self) -> Option<Event<F>> {
        while let Some((index, due)) = self.timers.ready.pop_front() {
            let Some((key, handle)) = self.handles.slab.at_mut(index) else { continue };
            let HandleBody::Timer(timer) = &mut handle.body else {
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
                // The call cannot fail: a closing handle is no longer in the pass.
                let _ = self.timer_start(id, repeat_ms, repeat_ms);
            }
            return Some(Event::Timer(id));
        }
        None
    }

    /// The time until the next timer is due: 0 if it is due now, `None` without a timer.
    pub(crate) fn next_timer_in(&self) -> Option<u64> {
        let due = self.timers.heap.first()?;
        Some(due.at_ms.saturating_sub(self.now_ms))
    }
}
