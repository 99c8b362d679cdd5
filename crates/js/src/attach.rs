//! Tools that attach to a running program: `phasor why PID`, `phasor top PID`, `phasor trace PID`.
//!
//! Each JavaScript thread registers its loop. SIGUSR1 makes the main thread open the control socket of `phasor_lens::agent`, as it makes
//! Node start its inspector; until then there is no socket and no thread. If the program listens for SIGUSR1 itself, its listener gets the
//! signal instead. The environment variable `PHASOR_CONTROL` opens the socket at start.
//!
//! # Safety
//! The signal handler stores to atomics, writes to an eventfd, and requests an interrupt without waiting for a lock.
#![allow(unsafe_code)]

use std::cell::{Cell, OnceCell, RefCell};
use std::io::Write;
use std::rc::Rc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use phasor_core::{Kind, Observer, ObserverId, Remote};
use phasor_engine::{Interrupter, Runtime, Scope};
use phasor_lens::registry::{self, FrontEnd, Registration};
use phasor_lens::stats::{self, Locate};
use phasor_lens::{Recorder, Session, WhyLoop, agent};

use crate::host::AtExit;
use crate::state::State;

/// The runtime's name in recordings and for tools.
const RUNTIME: &str = concat!("phasor ", env!("CARGO_PKG_VERSION"));

/// SIGUSR1 on Linux.
const SIGUSR1: i32 = 10;

/// Whether a signal has requested the control socket, and the main thread has not opened it yet.
static IS_WANTED: AtomicBool = AtomicBool::new(false);

/// The ways in which the signal handler reaches the main thread: while the thread waits for events, and while it runs
/// JavaScript.
static MAIN_THREAD: OnceLock<(Remote, Interrupter)> = OnceLock::new();

/// The signal that ends the process once its recording is written; 0 for none.
static ENDED_BY: AtomicI32 = AtomicI32::new(0);

/// The signals that end a process. While the process is recorded, they have handlers.
const ENDING_SIGNALS: [(i32, fn()); 3] = [(1, || end_by(1)), (2, || end_by(2)), (15, || end_by(15))];

/// The signal handler of SIGHUP, SIGINT and SIGTERM. The second signal ends the process at once.
fn end_by(signum: i32) {
    if ENDED_BY.swap(signum, Ordering::SeqCst) != 0 {
        phasor_sys::signal::end_process(signum);
    }
    call_main_thread();
}

/// The signal handler of SIGUSR1.
fn on_signal() {
    IS_WANTED.store(true, Ordering::SeqCst);
    call_main_thread();
}

/// Makes the main thread check which signals have arrived.
fn call_main_thread() {
    if let Some((remote, interrupter)) = MAIN_THREAD.get() {
        remote.call_attention();
        interrupter.interrupt_from_signal();
    }
}

/// The state of a thread for attached tools.
#[derive(Default)]
pub(crate) struct Tools {
    registration: OnceCell<Registration>,
    /// The recorder of the recording in progress.
    recorder: Rc<RefCell<Option<Rc<Recorder>>>>,
    /// Whether the observer records nothing. In that case it only captures the source locations of slow callbacks.
    is_blind: Cell<bool>,
    /// Whether signals that end the process are caught.
    catches_end: Cell<bool>,
}

impl Tools {
    /// Called when a recording has begun or ended.
    pub(crate) fn set_recorder(&self, recorder: Option<Rc<Recorder>>) {
        self.recorder.replace(recorder);
    }
}

impl State {
    /// Registers the loop of this thread. On the main thread of a program, SIGUSR1 opens the control socket from now on.
    pub(crate) fn link_tools(&self, runtime: &Runtime) {
        let name = match self.options.thread_id {
            0 => "main".to_owned(),
            id => format!("worker {id}"),
        };
        let remote = self.core().remote();
        let is_program = self.options.at_exit == AtExit::EndProcess && self.options.thread_id == 0;
        if is_program && MAIN_THREAD.set((remote.clone(), runtime.interrupter())).is_ok() {
            // SAFETY: see the head of this file.
            let _ = unsafe { phasor_sys::signal::call_on(SIGUSR1, on_signal) };
            if std::env::var_os(agent::VARIABLE).is_some_and(|value| value == "1") {
                open_control_socket();
            }
        }
        let registration = self.tools.registration.get_or_init(|| registry::register(&name, remote));
        registration.update_stats(&mut JsFrontEnd { state: self, scope: None });
    }

    /// Installs handlers for the signals that end the process, so that the recording is written first, unless the
    /// program listens for the signal.
    pub(crate) fn write_recording_at_signals(&self) {
        let is_program = self.options.at_exit == AtExit::EndProcess && self.options.thread_id == 0;
        if is_program && Session::current().is_some() && !self.tools.catches_end.replace(true) {
            for (signum, handler) in ENDING_SIGNALS {
                if !phasor_sys::signal::is_handled(signum) {
                    // SAFETY: see the head of this file.
                    let _ = unsafe { phasor_sys::signal::call_on(signum, handler) };
                }
            }
        }
    }

    /// Handles the signals that have arrived: opens the control socket, or ends the process. Also called in the
    /// interrupt handler of the engine.
    pub(crate) fn poll_signals(&self) {
        let is_main = self.options.thread_id == 0;
        let signum = ENDED_BY.load(Ordering::Relaxed);
        if is_main && signum != 0 {
            finish();
            phasor_core::tty_reset_mode_at_exit();
            phasor_sys::signal::end_process(signum);
        }
        if is_main && IS_WANTED.load(Ordering::Relaxed) && IS_WANTED.swap(false, Ordering::SeqCst) {
            open_control_socket();
        }
    }

    /// Executes the requests of attached tools.
    #[cold]
    pub(crate) fn serve_tools(&self, scope: Scope<'_>) {
        self.poll_signals();
        if let Some(registration) = self.tools.registration.get() {
            registration.serve(&mut JsFrontEnd { state: self, scope: Some(scope) });
        }
    }
}

/// Opens the control socket. An error is printed on standard error, because the sender of the signal gets no answer.
fn open_control_socket() {
    if let Err(error) = agent::start(RUNTIME) {
        let _ = writeln!(std::io::stderr(), "phasor: cannot open the control socket: {error}");
    }
}

/// Ends the process at once. Writes the rest of a recording, and removes the control socket.
pub fn exit_process(code: i32) -> ! {
    finish();
    phasor_engine::exit_process(code)
}

/// Writes the rest of a recording, and removes the control socket.
fn finish() {
    if let Some(session) = Session::current()
        && let Err(error) = session.finish()
    {
        let _ = writeln!(std::io::stderr(), "phasor: cannot write {}: {error}", session.path().display());
    }
    agent::end();
}

/// Executes the requests of tools for a JavaScript thread, between two callbacks.
struct JsFrontEnd<'a, 's> {
    state: &'a State,
    /// None before the first script: nothing is recorded then.
    scope: Option<Scope<'s>>,
}

impl FrontEnd for JsFrontEnd<'_, '_> {
    fn why(&mut self) -> WhyLoop {
        let found = self.scope.and_then(|scope| {
            scope.nested(|scope| match self.state.why_alive(scope) {
                Ok(found) => Some(found),
                Err(thrown) => {
                    let _ = scope.caught(thrown);
                    None
                }
            })
        });
        found.unwrap_or_else(|| WhyLoop::of_loop(&self.state.core()))
    }

    fn record(&mut self, recorder: Option<Rc<Recorder>>) {
        let Some(scope) = self.scope else { return };
        self.state.stop_recording(scope);
        self.state.tools.is_blind.set(false);
        match recorder {
            Some(recorder) => self.state.start_recording(scope, recorder),
            None => _ = self.locate(stats::is_located()),
        }
    }

    fn locator(&mut self) -> Option<Locate> {
        let recorder = Rc::clone(&self.state.tools.recorder);
        Some(Box::new(move || {
            let location = recorder.borrow().as_ref().and_then(|recorder| recorder.longest_callback());
            location.map(|location| location.to_string()).unwrap_or_default()
        }))
    }

    fn locate(&mut self, is_wanted: bool) -> bool {
        let Some(scope) = self.scope else { return false };
        let tools = &self.state.tools;
        if is_wanted && self.state.recording().is_none() {
            tools.is_blind.set(true);
            self.state.start_recording(scope, Rc::new(Session::blind().recorder("", 0)));
        } else if !is_wanted && tools.is_blind.take() {
            self.state.stop_recording(scope);
        }
        true
    }

    fn add_observer(&mut self, observer: Box<dyn Observer>) -> ObserverId {
        self.state.core().add_observer(observer)
    }

    fn remove_observer(&mut self, id: ObserverId) {
        let removed = self.state.core().remove_observer(id);
        drop(removed);
    }

    fn handles(&mut self) -> Vec<(Kind, bool)> {
        registry::handles_of(&self.state.core())
    }
}
