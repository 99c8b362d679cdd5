//! The sources of interrupts of JavaScript on this thread: a request from another thread, Ctrl-C at the prompt, and the
//! limits of a script.
//!
//! The engine calls the interrupt handler soon after [`Interrupter::interrupt`]. The handler looks for a reason to stop. If there is one, the
//! JavaScript that runs ends uncatchably, up to the native that set the limit, which reports it.

use std::cell::{Cell, OnceCell, RefCell};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use phasor_engine::{Fallible, Interrupter, Runtime, Scope};
use phasor_sys::signal::Receiver;

use crate::state::{State, state};

/// How often a run is interrupted to look for a signal, and after its timeout.
const PERIOD: Duration = Duration::from_millis(10);

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

/// A request to stop JavaScript, which any thread may make.
#[derive(Debug)]
pub struct InterruptFlag {
    is_asked: AtomicBool,
    /// Whether a request waits, because code runs that must not be stopped.
    is_held: AtomicBool,
    interrupter: Mutex<Option<Interrupter>>,
}

impl InterruptFlag {
    /// A flag that is not linked to a thread yet.
    pub const fn new() -> InterruptFlag {
        InterruptFlag {
            is_asked: AtomicBool::new(false),
            is_held: AtomicBool::new(false),
            interrupter: Mutex::new(None),
        }
    }

    /// Asks JavaScript to stop, or takes the request back.
    pub fn store(&self, asked: bool, order: Ordering) {
        self.is_asked.store(asked, order);
        if asked {
            self.interrupt();
        }
    }

    /// Runs `body`. Requests wait until it has ended if `held`; otherwise one that waits takes effect at once.
    pub fn holding<R>(&self, held: bool, body: impl FnOnce() -> R) -> R {
        let before = self.is_held.swap(held, Ordering::SeqCst);
        if !held && self.is_asked.load(Ordering::SeqCst) {
            self.interrupt();
        }
        let result = body();
        self.is_held.store(before, Ordering::SeqCst);
        result
    }

    fn interrupt(&self) {
        if let Some(interrupter) = &*self.interrupter.lock().unwrap_or_else(PoisonError::into_inner) {
            interrupter.interrupt();
        }
    }

    fn take(&self) -> bool {
        !self.is_held.load(Ordering::SeqCst) && self.is_asked.swap(false, Ordering::SeqCst)
    }
}

impl Default for InterruptFlag {
    fn default() -> InterruptFlag {
        InterruptFlag::new()
    }
}

/// The reasons to stop JavaScript on this thread, besides requests from other threads.
#[derive(Default)]
pub(crate) struct Limits {
    flag: Cell<Option<&'static InterruptFlag>>,
    /// Whether the flag has stopped JavaScript, and the code that called JavaScript has not read this yet.
    is_interrupted: Cell<bool>,
    /// The limits of nested runs, outermost first.
    runs: RefCell<Vec<Limit>>,
    interrupter: OnceCell<Interrupter>,
}

impl Limits {
    /// The interrupts of the JavaScript of this thread.
    pub(crate) fn interrupter(&self) -> Option<&Interrupter> {
        self.interrupter.get()
    }
}

impl State {
    /// Installs the interrupt handler.
    pub(crate) fn link_limits(&self, runtime: &Runtime) {
        let _ = self.limits.interrupter.set(runtime.interrupter());
        runtime.on_interrupt(|scope| {
            let state = state(scope);
            state.poll_signals();
            state.sample_if_wanted(scope);
            state.sample(scope);
            !state.is_stopped()
        });
    }

    /// Stops JavaScript when the flag is set, and clears it then.
    pub(crate) fn stop_when(&self, flag: &'static InterruptFlag) {
        *flag.interrupter.lock().unwrap_or_else(PoisonError::into_inner) = self.limits.interrupter.get().cloned();
        self.limits.flag.set(Some(flag));
    }

    /// Whether the flag of `stop_when` has stopped JavaScript since the last call of this function.
    pub fn take_interruption(&self) -> bool {
        self.limits.is_interrupted.take()
    }

    /// Makes a call with a timeout and until SIGINT. Returns its result, or why it was stopped.
    pub(crate) fn run_limited<T>(
        &self,
        scope: Scope<'_>,
        timeout_ms: Option<u32>,
        signals: Option<Receiver>,
        call: impl FnOnce() -> Fallible<T>,
    ) -> Result<Fallible<T>, Stopped> {
        let until_ns = timeout_ms.map(|ms| phasor_sys::clock::monotonic_ns() + u64::from(ms) * 1_000_000);
        let first = match (timeout_ms, &signals) {
            (Some(ms), None) => Duration::from_millis(ms.into()),
            _ => PERIOD,
        };
        self.limits.runs.borrow_mut().push(Limit { until_ns, signals, stopped: None });
        let watchdog = self.limits.interrupter.get().map(|interrupter| Watchdog::start(interrupter.clone(), first));
        let result = call();
        drop(watchdog);
        let limit = self.limits.runs.borrow_mut().pop();
        // A signal that arrived after the last check still belongs to this run.
        match limit.and_then(|limit| limit.stopped.or_else(|| limit.signalled())) {
            Some(stopped) => {
                if let Err(thrown) = result {
                    let _ = scope.caught(thrown);
                }
                Err(stopped)
            }
            None => Ok(result),
        }
    }

    fn is_stopped(&self) -> bool {
        let is_ending = self.options().thread_control.as_ref().is_some_and(|control| control.ending().is_some());
        if is_ending && let Some(interrupter) = self.limits.interrupter.get() {
            // This ends one call of JavaScript. If a native function that made the call goes on, its caller is stopped too.
            interrupter.interrupt();
        }
        if self.limits.flag.get().is_some_and(InterruptFlag::take) {
            self.limits.is_interrupted.set(true);
            return true;
        }
        is_ending || self.limits.runs.borrow_mut().iter_mut().any(Limit::is_reached)
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

/// A thread that interrupts JavaScript until this is dropped.
struct Watchdog {
    _end: Sender<()>,
}

impl Watchdog {
    /// Interrupts after `first`, and then each [`PERIOD`].
    fn start(interrupter: Interrupter, first: Duration) -> Option<Watchdog> {
        let (end, ended) = channel::<()>();
        let watch = move || {
            let mut wait = first;
            while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                interrupter.interrupt();
                wait = PERIOD;
            }
        };
        std::thread::Builder::new().name("vm-watchdog".into()).spawn(watch).ok()?;
        Some(Watchdog { _end: end })
    }
}
