//! The milestones of a JavaScript thread for `performance.nodeTiming`, by the monotonic clock. A milestone that is not
//! reached yet is 0.

use std::cell::Cell;

use phasor_sys::clock::monotonic_ns;

/// The milestones of one thread.
#[derive(Debug, Default)]
pub struct Times {
    made: Cell<u64>,
    ready: Cell<u64>,
    bootstrapped: Cell<u64>,
    loop_started: Cell<u64>,
    loop_ended: Cell<u64>,
}

impl Times {
    /// Called when the engine was created. `made_ns` is the time at which the creation began.
    pub(crate) fn since(made_ns: u64) -> Times {
        let times = Times::default();
        times.made.set(made_ns);
        times.ready.set(monotonic_ns());
        times
    }

    pub(crate) fn mark_bootstrapped(&self) {
        self.bootstrapped.set(monotonic_ns());
    }

    /// Called when the loop starts. A second call after 'beforeExit' does not change the time.
    pub(crate) fn mark_loop_start(&self) {
        if self.loop_started.get() == 0 {
            self.loop_started.set(monotonic_ns());
        }
    }

    pub(crate) fn mark_loop_end(&self) {
        self.loop_ended.set(monotonic_ns());
    }

    /// The time at which the creation of the thread's host began.
    pub fn made_ns(&self) -> u64 {
        self.made.get()
    }

    /// The time at which the engine was created.
    pub fn ready_ns(&self) -> u64 {
        self.ready.get()
    }

    /// The time at which the bootstrap before the main script ended.
    pub fn bootstrapped_ns(&self) -> u64 {
        self.bootstrapped.get()
    }

    /// The time at which the loop started.
    pub fn loop_started_ns(&self) -> u64 {
        self.loop_started.get()
    }

    /// The time at which the loop ended.
    pub fn loop_ended_ns(&self) -> u64 {
        self.loop_ended.get()
    }
}
