//! Timer handles: starting and stopping. The module `phases/timers` handles their expiry.

use std::collections::VecDeque;

use phasor_sys::{Errno, Result};

use super::{HandleBody, HandleId, Handles};
use crate::face::Face;
use crate::heap::{Due, Heap};
use crate::state::Loop;

/// The state of a timer.
pub(crate) struct Timer {
    /// The next due time, or the last due time of a stopped timer.
    pub(crate) due: Due,
    /// The repeat interval; 0 for none.
    pub(crate) repeat_ms: u64,
    pub(crate) state: TimerState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TimerState {
    /// The timer was never started: `timer_again` returns `EINVAL`.
    New,
    Stopped,
    /// The timer is in the heap.
    Armed,
    /// The current timer pass has collected the timer and not reported it yet. The timer counts as inactive.
    Ready,
}

/// Per-loop state of the timers.
#[derive(Default)]
pub(crate) struct Timers {
    pub(crate) heap: Heap,
    /// The timers of the current pass, in order. An entry is outdated if its timer was stopped, closed or restarted
    /// since then; no two starts have the same `Due`.
    pub(crate) ready: VecDeque<(u32, Due)>,
    /// The number of starts so far, which orders timers with equal due times.
    starts: u64,
}

impl Timers {
    /// Makes a due time that no other start has.
    pub(crate) fn due_at(&mut self, at_ms: u64) -> Due {
        let start = self.starts;
        self.starts += 1;
        Due { at_ms, start }
    }
}

impl<F: Face> Handles<F> {
    fn timer(&self, id: HandleId) -> Result<&Timer> {
        match &self.get(id)?.body {
            HandleBody::Timer(timer) => Ok(timer),
            _ => Err(Errno::EBADF),
        }
    }
}

impl<F: Face> Loop<F> {
    /// Opens a timer.
    #[doc(alias = "uv_timer_init")]
    pub fn timer_open(&mut self, face: F::Handle) -> HandleId {
        let due = Due { at_ms: 0, start: 0 };
        self.open(HandleBody::Timer(Timer { due, repeat_ms: 0, state: TimerState::New }), face)
    }

    /// Starts or restarts a timer: due `after_ms` after the loop's [`now`](Loop::now_ms), then every `repeat_ms` unless
    /// that is 0. A due time that overflows becomes the largest value.
    #[doc(alias = "uv_timer_start")]
    pub fn timer_start(&mut self, id: HandleId, after_ms: u64, repeat_ms: u64) -> Result<()> {
        let at_ms = self.now_ms.saturating_add(after_ms);
        let due = self.timers.due_at(at_ms);
        let timer = self.open_timer(id)?;
        let was = std::mem::replace(&mut timer.state, TimerState::Armed);
        timer.due = due;
        timer.repeat_ms = repeat_ms;
        if was == TimerState::Armed {
            self.timers.heap.remove(id.0.index);
        }
        self.timers.heap.insert(id.0.index, due);
        self.activate(id);
        self.instrumentation.timer_started(id, after_ms, repeat_ms);
        Ok(())
    }

    /// Stops a timer. Does nothing if it is not started.
    #[doc(alias = "uv_timer_stop")]
    pub fn timer_stop(&mut self, id: HandleId) -> Result<()> {
        self.timer(id)?;
        self.timer_disarm(id);
        Ok(())
    }

    /// Restarts a repeating timer, due after its repeat interval. `EINVAL` if it was never started; does nothing if it
    /// does not repeat (`src/timer.c: uv_timer_again`).
    #[doc(alias = "uv_timer_again")]
    pub fn timer_again(&mut self, id: HandleId) -> Result<()> {
        let timer = self.timer(id)?;
        let repeat_ms = timer.repeat_ms;
        if timer.state == TimerState::New {
            return Err(Errno::EINVAL);
        }
        if repeat_ms != 0 {
            self.timer_disarm(id);
            // A closing timer stays stopped. As in libuv, this is not an error (`src/timer.c: uv_timer_again`).
            let _ = self.timer_start(id, repeat_ms, repeat_ms);
        }
        Ok(())
    }

    /// Sets the repeat interval, which applies from the next expiry on.
    #[doc(alias = "uv_timer_set_repeat")]
    pub fn timer_set_repeat(&mut self, id: HandleId, repeat_ms: u64) -> Result<()> {
        self.timer(id)?.repeat_ms = repeat_ms;
        Ok(())
    }

    /// The repeat interval; 0 for none.
    #[doc(alias = "uv_timer_get_repeat")]
    pub fn timer_repeat_ms(&self, id: HandleId) -> Result<u64> {
        Ok(self.handles.timer(id)?.repeat_ms)
    }

    /// The time until a timer is due, from the loop's [`now`](Loop::now_ms); 0 if the time is past. For a stopped
    /// timer, the last due time is used.
    #[doc(alias = "uv_timer_get_due_in")]
    pub fn timer_due_in_ms(&self, id: HandleId) -> Result<u64> {
        Ok(self.handles.timer(id)?.due.at_ms.saturating_sub(self.now_ms))
    }

    /// Looks a timer up, even if it is closing.
    #[inline]
    fn timer(&mut self, id: HandleId) -> Result<&mut Timer> {
        match &mut self.handles.get_mut(id)?.body {
            HandleBody::Timer(timer) => Ok(timer),
            _ => Err(Errno::EBADF),
        }
    }

    #[inline]
    fn open_timer(&mut self, id: HandleId) -> Result<&mut Timer> {
        match &mut self.handles.open_mut(id)?.body {
            HandleBody::Timer(timer) => Ok(timer),
            _ => Err(Errno::EBADF),
        }
    }

    /// Removes a timer from the heap or from the current pass.
    pub(crate) fn timer_disarm(&mut self, id: HandleId) {
        let Ok(timer) = self.timer(id) else { return };
        match timer.state {
            TimerState::New | TimerState::Stopped => {}
            TimerState::Ready => timer.state = TimerState::Stopped,
            TimerState::Armed => {
                timer.state = TimerState::Stopped;
                self.timers.heap.remove(id.0.index);
                self.deactivate(id);
            }
        }
    }
}
