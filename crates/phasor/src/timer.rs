//! Timers: calls after a delay, once or repeatedly.

use std::time::Duration;

use phasor_core::Result;

use crate::Loop;
use crate::handle::handle;

handle! {
    /// A timer.
    ///
    /// Times are whole milliseconds: fractions are rounded up, so no timer fires early. They count from the loop's
    /// cached time, [`now`](Loop::now). Timers that are due at the same time fire in the order in which they were
    /// started.
    ///
    /// ```
    /// use std::time::Duration;
    /// use phasor::{Loop, RunMode, Timer};
    ///
    /// let mut l = Loop::new()?;
    /// let timer = Timer::new(&mut l);
    /// let mut left = 3;
    /// timer.start(&mut l, Duration::ZERO, Duration::from_millis(1), move |l, timer| {
    ///     left -= 1;
    ///     if left == 0 {
    ///         timer.close(l);
    ///     }
    /// })?;
    /// l.run(RunMode::Default)?;
    /// # Ok::<(), phasor::Errno>(())
    /// ```
    #[doc(alias = "uv_timer_t")]
    Timer
}

impl Timer {
    /// Opens a timer that is not started.
    #[doc(alias = "uv_timer_init")]
    pub fn new(l: &mut Loop) -> Timer {
        Timer(l.core.timer_open(Loop::no_hooks()))
    }

    /// Starts or restarts the timer: calls `call` when `after` has passed, and then every `repeat` unless that is zero.
    ///
    /// If a call is late, missed repetitions are skipped.
    #[doc(alias = "uv_timer_start")]
    pub fn start(
        self,
        l: &mut Loop,
        after: Duration,
        repeat: Duration,
        mut call: impl FnMut(&mut Loop, Timer) + 'static,
    ) -> Result<()> {
        l.core.timer_start(self.0, whole_ms(after), whole_ms(repeat))?;
        l.set_hook(self.0, Box::new(move |l, id, _| call(l, Timer(id))));
        Ok(())
    }

    /// Stops the timer, which keeps its closure for [`again`](Timer::again). Does nothing if it is not started.
    #[doc(alias = "uv_timer_stop")]
    pub fn stop(self, l: &mut Loop) -> Result<()> {
        l.core.timer_stop(self.0)
    }

    /// Restarts a repeating timer with its closure, due after its repeat time. Does nothing if it does not repeat.
    /// `EINVAL` if it was never started.
    #[doc(alias = "uv_timer_again")]
    pub fn again(self, l: &mut Loop) -> Result<()> {
        l.core.timer_again(self.0)
    }

    /// Sets the repeat time, from the next repetition on; zero disables repeating.
    #[doc(alias = "uv_timer_set_repeat")]
    pub fn set_repeat(self, l: &mut Loop, repeat: Duration) -> Result<()> {
        l.core.timer_set_repeat(self.0, whole_ms(repeat))
    }

    /// The repeat time; zero if it does not repeat.
    #[doc(alias = "uv_timer_get_repeat")]
    pub fn repeat(self, l: &Loop) -> Result<Duration> {
        l.core.timer_repeat_ms(self.0).map(Duration::from_millis)
    }

    /// The time until it is due, measured from the loop's [`now`](Loop::now); zero if it is overdue.
    #[doc(alias = "uv_timer_get_due_in")]
    pub fn due_in(self, l: &Loop) -> Result<Duration> {
        l.core.timer_due_in_ms(self.0).map(Duration::from_millis)
    }
}

impl Loop {
    /// Calls `call` once when `after` has passed, and closes the timer. Closing the timer before cancels the call.
    pub fn after(&mut self, after: Duration, call: impl FnOnce(&mut Loop) + 'static) -> Timer {
        let timer = Timer::new(self);
        let mut call = Some(call);
        let started = timer.start(self, after, Duration::ZERO, move |l, timer| {
            timer.close(l);
            if let Some(call) = call.take() {
                call(l);
            }
        });
        debug_assert!(started.is_ok(), "a new timer can be started");
        timer
    }

    /// Calls `call` repeatedly, first when `every` has passed, until the timer is stopped or closed.
    ///
    /// A time of zero counts as one millisecond.
    pub fn every(&mut self, every: Duration, call: impl FnMut(&mut Loop, Timer) + 'static) -> Timer {
        let timer = Timer::new(self);
        let every = every.max(Duration::from_millis(1));
        let started = timer.start(self, every, every, call);
        debug_assert!(started.is_ok(), "a new timer can be started");
        timer
    }
}

/// Rounds up to milliseconds; times too large for u64 become the maximum.
pub(crate) fn whole_ms(time: Duration) -> u64 {
    u64::try_from(time.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_of_a_millisecond_are_rounded_up() {
        let cases = [(0, 0), (1, 1), (999_999, 1), (1_000_000, 1), (1_000_001, 2)];
        for (ns, ms) in cases {
            assert_eq!(whole_ms(Duration::from_nanos(ns)), ms);
        }
        assert_eq!(whole_ms(Duration::MAX), u64::MAX);
    }
}
