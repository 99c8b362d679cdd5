//! The interrupt handler of the engine: termination by another thread, an interrupt flag, or the limits of a script.
//!
//! The engine calls the handler periodically. An interrupt throws an uncatchable error up to the native that set the limit, which
//! reports it with its own message.
//!
//! # Safety
//! The handler has the engine's signature, and uses only the state of the running thread.
#![allow(unsafe_code)]

use std::cell::{Cell, RefCell};
use std::os::raw::{c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};

use phasor_sys::signal::Receiver;
use rquickjs::qjs;

use crate::raw::{self, Raw};
use crate::state::{State, current_or_none};

/// Why a script was stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stopped {
    /// The timeout expired.
    TimedOut,
    /// SIGINT arrived.
    Signalled,
}

/// The limits of one run.
struct Limit {
    /// The deadline by the monotonic clock.
    until_ns: Option<u64>,
    /// Receives SIGINT.
    signals: Option<Receiver>,
    /// Set if this limit stopped the run.
    stopped: Option<Stopped>,
}

/// The conditions that stop JavaScript on this thread, besides requests from other threads.
#[derive(Default)]
pub(crate) struct Limits {
    asked: Cell<Option<&'static AtomicBool>>,
    /// The limits of nested runs, outermost first.
    runs: RefCell<Vec<Limit>>,
}

impl State {
    /// Installs the interrupt handler.
    pub(crate) fn install_interrupt_handler(&self) {
        // SAFETY: see the head of the file.
        unsafe { qjs::JS_SetInterruptHandler(self.runtime, Some(is_to_stop), std::ptr::null_mut()) };
    }

    /// Stops JavaScript when the flag is true, and clears the flag then.
    pub(crate) fn stop_when(&self, asked: &'static AtomicBool) {
        self.limits.asked.set(Some(asked));
        self.install_interrupt_handler();
    }

    /// Makes a call with a timeout and until SIGINT. Returns its result, or why it was stopped.
    pub(crate) fn run_limited(
        &self,
        timeout_ms: Option<u32>,
        signals: Option<Receiver>,
        call: impl FnOnce() -> Raw,
    ) -> Result<Raw, Stopped> {
        self.install_interrupt_handler();
        let until_ns = timeout_ms.map(|ms| phasor_sys::clock::monotonic_ns() + u64::from(ms) * 1_000_000);
        self.limits.runs.borrow_mut().push(Limit { until_ns, signals, stopped: None });
        let result = call();
        let mut limit = self.limits.runs.borrow_mut().pop();
        // A signal that arrived after the last check still belongs to this run.
        let stopped = limit.as_mut().and_then(|limit| limit.stopped.or_else(|| limit.signalled()));
        match stopped {
            Some(stopped) => {
                match raw::is_exception(result) {
                    true => self.drop_exception(),
                    false => raw::free(self.ctx, result),
                }
                Err(stopped)
            }
            None => Ok(result),
        }
    }

    fn is_stopped(&self) -> bool {
        let is_ending = self.options.thread_control.as_ref().is_some_and(|control| control.acknowledge());
        let is_asked = || self.limits.asked.get().is_some_and(|asked| asked.swap(false, Ordering::SeqCst));
        is_ending || is_asked() || self.limits.runs.borrow_mut().iter_mut().any(Limit::is_reached)
    }
}

impl Limit {
    fn signalled(&self) -> Option<Stopped> {
        let mut numbers = Vec::new();
        let count = self.signals.as_ref()?.read(&mut numbers).unwrap_or(0);
        (count > 0).then_some(Stopped::Signalled)
    }

    fn is_reached(&mut self) -> bool {
        let is_timed_out = || self.until_ns.is_some_and(|until| phasor_sys::clock::monotonic_ns() >= until);
        self.stopped =
            self.stopped.or_else(|| is_timed_out().then_some(Stopped::TimedOut)).or_else(|| self.signalled());
        self.stopped.is_some()
    }
}

/// The engine's interrupt handler.
unsafe extern "C" fn is_to_stop(_runtime: *mut qjs::JSRuntime, _opaque: *mut c_void) -> c_int {
    // SAFETY: on the thread of the engine's host.
    unsafe { current_or_none() }.is_some_and(State::is_stopped).into()
}
