//! Timers. When they fire is in `phases/timers`; here they are started and stopped.

use std::collections::VecDeque;

use phasor_sys::{Errno, Result};

use super::{Body, HandleId, Handles};
use crate::face::Face;
use crate::heap::{Due, Heap};
use crate::state::Loop;

/// A timer's own state.
pub(crate) struct Timer {
    /// When it is due, or was last.
    pub(crate) due: Due,
    /// The time between repetitions; 0 for none.
    pub(crate) repeat_ms: u64,
    pub(crate) state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// Never started: `timer_again` refuses it.
    New,
    Stopped,
    /// In the heap.
    Armed,
    /// Taken from the heap by the timer pass that is under way, and not yet handed out. It counts as inactive.
    Ready,
}

/// What the loop keeps for all its timers.
#[derive(Default)]
pub(crate) struct Timers {
    pub(crate) heap: Heap,
    /// The timers of the pass that is under way, in order. An entry whose timer was stopped, closed or started again
    /// since is recognised by its `Due`, which no two starts share.
    pub(crate) ready: VecDeque<(u32, Due)>,
    /// How many starts there were: the order among equal due times.
    starts: u64,
}

impl Timers {
    /// A due time that no other start shares.
    pub(crate) fn due_at(&mut self, at_ms: u64) -> Due {
        let start = self.starts;
        self.starts += 1;
        Due { at_ms, start }
    }
}

impl<F: Face> Handles<F> {
    fn timer(&self, id: HandleId) -> Result<&Timer> {
        match &self.get(id)?.body {
            Body::Timer(timer) => Ok(timer),
            _ => Err(Errno::EBADF),
        }
    }
}

impl<F: Face> Loop<F> {
    /// Opens a timer.
    #[doc(alias = "uv_timer_init")]
    pub fn timer_open(&mut self, face: F::Handle) -> HandleId {
        let due = Due { at_ms: 0, start: 0 };
        self.open(Body::Timer(Timer { due, repeat_ms: 0, state: State::New }), face)
    }

    /// Starts a timer, or starts it anew: due `after_ms` after the loop's [`now`](Loop::now_ms), and every `repeat_ms`
    /// from then on unless that is 0. A due time beyond the end of time is the end of time.
    #[doc(alias = "uv_timer_start")]
    pub fn timer_start(&mut self, id: HandleId, after_ms: u64, repeat_ms: u64) -> Result<()> {
        let at_ms = self.now_ms.saturating_add(after_ms);
        let due = self.timers.due_at(at_ms);
        let timer = self.open_timer(id)?;
        let was = std::mem::replace(&mut timer.state, State::Armed);
        timer.due = due;
        timer.repeat_ms = repeat_ms;
        if was == State::Armed {
            self.timers.heap.remove(id.0.index);
        }
        self.timers.heap.insert(id.0.index, due);
        self.activate(id);
        Ok(())
    }

    /// Stops a timer. One that is not running stays so.
    #[doc(alias = "uv_timer_stop")]
    pub fn timer_stop(&mut self, id: HandleId) -> Result<()> {
        self.timer(id)?;
        self.timer_disarm(id);
        Ok(())
    }

    /// Starts a repeating timer anew, due after its repeat time. `EINVAL` if it was never started; does nothing if it
    /// does not repeat.
    #[doc(alias = "uv_timer_again")]
    pub fn timer_again(&mut self, id: HandleId) -> Result<()> {
        let timer = self.timer(id)?;
        let repeat_ms = timer.repeat_ms;
        if timer.state == State::New {
            return Err(Errno::EINVAL);
        }
        if repeat_ms != 0 {
            self.timer_disarm(id);
            // A closing timer stays stopped, and as in libuv that is no error here.
            let _ = self.timer_start(id, repeat_ms, repeat_ms);
        }
        Ok(())
    }

    /// Sets the time between repetitions, from the next one on.
    #[doc(alias = "uv_timer_set_repeat")]
    pub fn timer_set_repeat(&mut self, id: HandleId, repeat_ms: u64) -> Result<()> {
        self.timer(id)?.repeat_ms = repeat_ms;
        Ok(())
    }

    /// The time between repetitions; 0 for none.
    #[doc(alias = "uv_timer_get_repeat")]
    pub fn timer_repeat_ms(&self, id: HandleId) -> Result<u64> {
        Ok(self.handles.timer(id)?.repeat_ms)
    }

    /// How long until a timer is due, seen from the loop's [`now`](Loop::now_ms); 0 if that is past. A stopped timer
    /// answers by its last due time.
    #[doc(alias = "uv_timer_get_due_in")]
    pub fn timer_due_in_ms(&self, id: HandleId) -> Result<u64> {
        Ok(self.handles.timer(id)?.due.at_ms.saturating_sub(self.now_ms))
    }

    /// The timer behind an id, closing or not.
    #[inline]
    fn timer(&mut self, id: HandleId) -> Result<&mut Timer> {
        match &mut self.handles.get_mut(id)?.body {
            Body::Timer(timer) => Ok(timer),
            _ => Err(Errno::EBADF),
        }
    }

    #[inline]
    fn open_timer(&mut self, id: HandleId) -> Result<&mut Timer> {
        match &mut self.handles.open_mut(id)?.body {
            Body::Timer(timer) => Ok(timer),
            _ => Err(Errno::EBADF),
        }
    }

    /// Takes a timer out of wherever it waits.
    pub(crate) fn timer_disarm(&mut self, id: HandleId) {
        let Ok(timer) = self.timer(id) else { return };
        match timer.state {
            State::New | State::Stopped => {}
            State::Ready => timer.state = State::Stopped,
            State::Armed => {
                timer.state = State::Stopped;
                self.timers.heap.remove(id.0.index);
                self.deactivate(id);
            }
        }
    }
}
