//! Timers: calls after some time, once or again and again.

use std::time::Duration;

use phasor_core::Result;

use crate::Loop;
use crate::handle::handle;

handle! {
    /// A timer.
    ///
    /// Times are whole milliseconds: fractions are rounded up, so that no timer fires before its time. They count from
    /// the loop's [`now`](Loop::now). Timers with the same due time fire in the order they were started.
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
    /// Opens a timer, not started.
    #[doc(alias = "uv_timer_init")]
    pub fn new(l: &mut Loop) -> Timer {
        Timer(l.core.timer_open(Loop::bare()))
    }

    /// Starts it, or starts it anew: `call` is called `after` this time and then every `repeat`, unless that is zero.
    ///
    /// A call that is late is made once; missed repetitions are not made up for.
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

    /// Stops it. One that is not running stays so; the closure stays for [`again`](Timer::again).
    #[doc(alias = "uv_timer_stop")]
    pub fn stop(self, l: &mut Loop) -> Result<()> {
        l.core.timer_stop(self.0)
    }

    /// Starts a repeating timer anew with the closure it has, due after its repeat time. `EINVAL` if it was never
    /// started; does nothing if it does not repeat.
    #[doc(alias = "uv_timer_again")]
    pub fn again(self, l: &mut Loop) -> Result<()> {
        l.core.timer_again(self.0)
    }

    /// Sets the time between repetitions, from the next one on; zero for none.
    #[doc(alias = "uv_timer_set_repeat")]
    pub fn set_repeat(self, l: &mut Loop, repeat: Duration) -> Result<()> {
        l.core.timer_set_repeat(self.0, whole_ms(repeat))
    }

    /// The time between repetitions; zero for none.
    #[doc(alias = "uv_timer_get_repeat")]
    pub fn repeat(self, l: &Loop) -> Result<Duration> {
        l.core.timer_repeat_ms(self.0).map(Duration::from_millis)
    }

    /// How long until it is due, seen from the loop's [`now`](Loop::now); zero if that is past.
    #[doc(alias = "uv_timer_get_due_in")]
    pub fn due_in(self, l: &Loop) -> Result<Duration> {
        l.core.timer_due_in_ms(self.0).map(Duration::from_millis)
    }
}

impl Loop {
    /// Calls `call` once, after this time. Closing the timer before takes it back; after the call it is closed.
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

    /// Calls `call` again and again, first after this time, until the timer is stopped or closed.
    ///
    /// A time of zero is taken for a millisecond.
    pub fn every(&mut self, every: Duration, call: impl FnMut(&mut Loop, Timer) + 'static) -> Timer {
        let timer = Timer::new(self);
        let every = every.max(Duration::from_millis(1));
        let started = timer.start(self, every, every, call);
        debug_assert!(started.is_ok(), "a new timer can be started");
        timer
    }
}

/// Rounded up; what no timer could wait for is the end of time.
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
