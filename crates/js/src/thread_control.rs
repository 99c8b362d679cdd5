//! Control of a JavaScript thread from other threads: terminate it, and read how long its loop was idle.
//!
//! # Ground rules
//! The terminating thread sets the flag, then wakes the target. The target registers where it sleeps, then reads the flag. So one of the
//! two always sees the other, wherever the target is: in JavaScript (the interrupt handler reads the flag), in the poll phase (the async
//! handle), or in `Atomics.wait` (its condition variable).

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use phasor_core::{AsyncSender, Event, HandleId, Remote};
use phasor_engine::{Fallible, Interrupter, Runtime, Scope};

use crate::face::{JsFace, OnEvent};
use crate::host::AtExit;
use crate::state::State;

const RUNNING: u8 = 0;
const TERMINATED: u8 = 1;
const OUT_OF_MEMORY: u8 = 2;

/// Why a thread must stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopReason {
    /// The thread was terminated by another thread.
    Terminated,
    /// The thread exceeded its heap limit.
    OutOfMemory,
}

/// The part of a JavaScript thread that other threads can access. See [`Options::thread_control`](crate::Options::thread_control).
#[derive(Debug, Default)]
pub struct ThreadControl {
    stop_request: AtomicU8,
    links: Mutex<Links>,
    /// When the loop started, by the monotonic clock; 0 before.
    loop_start_ns: AtomicU64,
}

#[derive(Debug, Default)]
struct Links {
    /// Wakes the loop for termination.
    end: Option<AsyncSender>,
    /// Reports the loop's idle time.
    remote: Option<Remote>,
    /// Interrupts JavaScript.
    interrupter: Option<Interrupter>,
}

impl ThreadControl {
    /// Asks the thread to stop. JavaScript runs only until the thread notices.
    pub fn end(&self, why: StopReason) {
        let asked = if why == StopReason::Terminated { TERMINATED } else { OUT_OF_MEMORY };
        // If there are several reasons, the first one is stored.
        let _ = self.stop_request.compare_exchange(RUNNING, asked, Ordering::SeqCst, Ordering::SeqCst);
        self.wake();
    }

    /// Makes the thread check the request.
    fn wake(&self) {
        let links = self.links();
        if let Some(end) = &links.end {
            end.send();
        }
        if let Some(interrupter) = &links.interrupter {
            interrupter.interrupt();
        }
    }

    /// Called when the thread itself has reached its heap limit: the interrupt handler will read the flag.
    pub(crate) fn out_of_memory(&self) {
        let _ = self.stop_request.compare_exchange(RUNNING, OUT_OF_MEMORY, Ordering::SeqCst, Ordering::SeqCst);
    }

    /// The reason to stop, if there is one.
    pub fn ending(&self) -> Option<StopReason> {
        match self.stop_request.load(Ordering::SeqCst) {
            RUNNING => None,
            TERMINATED => Some(StopReason::Terminated),
            _ => Some(StopReason::OutOfMemory),
        }
    }

    /// The loop's idle time and its running time in nanoseconds; `None` before the loop starts and after it ends.
    pub fn loop_times_ns(&self) -> Option<(u64, u64)> {
        let start = self.loop_start_ns.load(Ordering::Acquire);
        let idle = self.links().remote.as_ref()?.idle_ns();
        (start > 0).then(|| (idle, phasor_sys::clock::monotonic_ns().saturating_sub(start)))
    }

    pub(crate) fn loop_starts(&self) {
        let now = phasor_sys::clock::monotonic_ns();
        let _ = self.loop_start_ns.compare_exchange(0, now, Ordering::AcqRel, Ordering::Relaxed);
    }

    fn links(&self) -> MutexGuard<'_, Links> {
        self.links.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Called when the loop is gone.
    pub(crate) fn unlink(&self) {
        *self.links() = Links::default();
    }
}

/// Attached to the async handle that wakes a loop for termination.
struct EndHandle;

impl OnEvent for EndHandle {
    fn on_event(&self, scope: Scope<'_>, _id: HandleId, _event: Event<JsFace>) -> Fallible<()> {
        // The wakeup may be spurious: the flag decides.
        let host = crate::state::state(scope);
        host.poll_control();
        Ok(())
    }
}

impl State {
    /// Opens the handle through which other threads stop this one, and publishes the loop's idle time.
    pub(crate) fn link_thread_control(&self, runtime: &Runtime) {
        let Some(control) = &self.options.thread_control else {
            if self.options.at_exit == AtExit::EndProcess {
                runtime.on_heap_limit(|| crate::memory::end());
            }
            return;
        };
        let (watched, interrupter) = (std::sync::Arc::clone(control), runtime.interrupter());
        runtime.on_heap_limit(move || {
            watched.out_of_memory();
            interrupter.interrupt();
        });
        let mut core = self.core();
        let (id, sender) = core.async_open(std::rc::Rc::new(EndHandle));
        // The call cannot fail: the handle was just opened.
        let _ = core.set_ref(id, false);
        let remote = core.remote();
        drop(core);
        *control.links() = Links { end: Some(sender), remote: Some(remote), interrupter: Some(runtime.interrupter()) };
        // An earlier request could not wake the loop, so it is repeated.
        if control.ending().is_some() {
            control.wake();
        }
    }

    /// Called by long-running natives: returns an uncatchable error if this thread must stop.
    ///
    /// # Errors
    ///
    /// The uncatchable error.
    pub fn go_on(&self, scope: Scope<'_>) -> Fallible<()> {
        if self.poll_control() { Err(scope.terminate()) } else { Ok(()) }
    }

    /// Whether another thread has asked this one to stop. If so, this thread is exiting from now on.
    pub(crate) fn poll_control(&self) -> bool {
        let asked = self.options.thread_control.as_ref().is_some_and(|control| control.ending().is_some());
        if asked && self.leaving.get().is_none() {
            self.leaving.set(Some(1));
        }
        asked
    }
}
