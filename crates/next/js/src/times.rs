//! The milestones of a JavaScript thread for `performance.nodeTiming`, by the monotonic clock; 0 for those not reached
//! yet.

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
    /// The engine was created. `made_ns` is the time at which that began.
    pub(crate) fn since(made_ns: u64) -> Times {
        let times = Times::default();
        times.made.set(made_ns);
        times.ready.set(monotonic_ns());
        times
    }

    pub(crate) fn mark_bootstrapped(&self) {
        self.bootstrapped.set(monotonic_ns());
    }

    /// The loop starts. Called again after 'beforeExit', which does not change the time.
    pub(crate) fn mark_loop_start(&self) {
        if self.loop_started.get() == 0 {
            self.loop_started.set(monotonic_ns());
        }
    }

    pub(crate) fn mark_loop_end(&self) {
        self.loop_ended.set(monotonic_ns());
    }

    /// When creation of the thread's host began.
    pub fn made_ns(&self) -> u64 {
        self.made.get()
    }

    /// When the engine was created.
    pub fn ready_ns(&self) -> u64 {
        self.ready.get()
    }

    /// When the bootstrap before the main script was done.
    pub fn bootstrapped_ns(&self) -> u64 {
        self.bootstrapped.get()
    }

    /// When the loop started.
    pub fn loop_started_ns(&self) -> u64 {
        self.loop_started.get()
    }

    /// When the loop ended.
    pub fn loop_ended_ns(&self) -> u64 {
        self.loop_ended.get()
    }
}
