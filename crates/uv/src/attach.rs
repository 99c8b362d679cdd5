//! Tools that attach to a C program: `phasor why PID`, `phasor top PID`, `phasor trace PID`.
//!
//! No signal is taken from a program. The environment variable `PHASOR_CONTROL=1` makes the first loop open the control socket of
//! `phasor_lens::agent`; without it loops are not registered.

use std::io::Write;
use std::rc::Rc;
use std::sync::OnceLock;

use phasor_core::{Kind, Loop, Observer, ObserverId, thread_id};
use phasor_lens::registry::{self, FrontEnd, Registration};
use phasor_lens::{Recorder, WhyLoop, agent, stats};

use crate::front_end::C;

/// The runtime's name in recordings and for tools.
const RUNTIME: &str = concat!("libuv.so.1 of phasor ", env!("CARGO_PKG_VERSION"));

/// What tools know of a loop.
#[derive(Debug)]
pub(crate) struct Attached {
    registration: Registration,
    /// The observer of the recording in progress.
    recording: Option<ObserverId>,
}

/// Whether tools may attach to this process.
fn is_controlled() -> bool {
    static IS_CONTROLLED: OnceLock<bool> = OnceLock::new();
    *IS_CONTROLLED.get_or_init(|| {
        let is_controlled = std::env::var_os(agent::VARIABLE).is_some_and(|value| value == "1");
        if is_controlled {
            // Until the process ends: only so is it known since when a loop is blocked. libuv counts no idle time unless it is told to.
            std::mem::forget(stats::enable());
        }
        is_controlled
    })
}

/// Registers a new loop, if tools may attach to this process, and opens the control socket.
pub(crate) fn attach(core: &mut Loop<C>) -> Option<Box<Attached>> {
    if !is_controlled() {
        return None;
    }
    open_control_socket();
    let (thread, is_first) = (thread_id(), registry::loops().is_empty());
    let name = match thread == std::process::id() {
        true if is_first => "main".to_owned(),
        true => format!("main, loop {}", registry::loops().len() + 1),
        false => format!("thread {thread}"),
    };
    let registration = registry::register(&name, core.remote());
    let mut recording = None;
    registration.update_stats(&mut CFrontEnd { core, recording: &mut recording });
    Some(Box::new(Attached { registration, recording }))
}

impl Attached {
    /// Does what tools have asked for.
    pub(crate) fn serve(&mut self, core: &mut Loop<C>) {
        self.registration.serve(&mut CFrontEnd { core, recording: &mut self.recording });
    }
}

/// Opens the control socket in a child of `fork`, whose threads are gone.
pub(crate) fn after_fork() {
    if is_controlled() {
        open_control_socket();
    }
}

/// Without the socket the program runs as without the variable.
fn open_control_socket() {
    if let Err(error) = agent::start(RUNTIME) {
        let _ = writeln!(std::io::stderr(), "phasor: cannot open the control socket: {error}");
    }
}

/// What tools ask of a loop of a C program, between two callbacks.
struct CFrontEnd<'a> {
    core: &'a mut Loop<C>,
    recording: &'a mut Option<ObserverId>,
}

impl FrontEnd for CFrontEnd<'_> {
    fn why(&mut self) -> WhyLoop {
        WhyLoop::of_loop(self.core)
    }

    fn record(&mut self, recorder: Option<Rc<Recorder>>) {
        if let Some(id) = self.recording.take() {
            self.core.remove_observer(id);
        }
        *self.recording = recorder.map(|recorder| self.core.add_observer(recorder.observer()));
    }

    fn add_observer(&mut self, observer: Box<dyn Observer>) -> ObserverId {
        self.core.add_observer(observer)
    }

    fn remove_observer(&mut self, id: ObserverId) {
        self.core.remove_observer(id);
    }

    fn handles(&mut self) -> Vec<(Kind, bool)> {
        registry::handles_of(self.core)
    }
}
