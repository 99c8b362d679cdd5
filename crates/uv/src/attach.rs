//! Tools that attach to a C program: `phasor why PID`, `phasor top PID`, `phasor trace PID`.
//!
//! Phasor installs no signal handler in C programs for this. The environment variable `PHASOR_CONTROL=1` makes the
//! first loop open the control socket of `phasor_lens::agent`. Without the variable, loops are not registered.

use std::io::Write;
use std::rc::Rc;
use std::sync::OnceLock;

use phasor_core::{Kind, Loop, Observer, ObserverId};
use phasor_lens::registry::{self, FrontEnd, Registration};
use phasor_lens::{Recorder, WhyLoop, agent, stats};

use crate::front_end::C;
use crate::recording::{self, LoopRecording};

/// The runtime's name in recordings and for tools.
pub(crate) const RUNTIME: &str = concat!("libuv.so.1 of phasor ", env!("CARGO_PKG_VERSION"));

/// The registration of a loop with the tools.
#[derive(Debug)]
pub(crate) struct Attached {
    registration: Registration,
}

/// Whether tools may attach to this process.
fn is_controlled() -> bool {
    static IS_CONTROLLED: OnceLock<bool> = OnceLock::new();
    *IS_CONTROLLED.get_or_init(|| {
        let is_controlled = std::env::var_os(agent::VARIABLE).is_some_and(|value| value == "1");
        if is_controlled {
            // The guard is leaked, because stats stay on until the process ends: otherwise the time since when a loop
            // is blocked would be unknown. libuv counts idle time only if `UV_METRICS_IDLE_TIME` is set.
            std::mem::forget(stats::enable());
        }
        is_controlled
    })
}

/// Registers a new loop, if tools may attach to this process, and opens the control socket.
pub(crate) fn attach(core: &mut Loop<C>, recording: &mut Option<Box<LoopRecording>>) -> Option<Box<Attached>> {
    if !is_controlled() {
        return None;
    }
    open_control_socket();
    let registration = registry::register(&recording::loop_name(registry::loops().len()), core.remote());
    registration.update_stats(&mut CFrontEnd { core, recording });
    Some(Box::new(Attached { registration }))
}

impl Attached {
    /// Executes the requests of attached tools.
    pub(crate) fn serve(&self, core: &mut Loop<C>, recording: &mut Option<Box<LoopRecording>>) {
        self.registration.serve(&mut CFrontEnd { core, recording });
    }
}

/// Opens the control socket in a child of `fork`, whose threads are gone.
pub(crate) fn after_fork() {
    if is_controlled() {
        open_control_socket();
    }
}

/// Opens the control socket. If that fails, the program runs as without the environment variable.
fn open_control_socket() {
    if let Err(error) = agent::start(RUNTIME) {
        let _ = writeln!(std::io::stderr(), "phasor: cannot open the control socket: {error}");
    }
}

/// Executes the requests of tools for a loop of a C program, between two callbacks.
struct CFrontEnd<'a> {
    core: &'a mut Loop<C>,
    recording: &'a mut Option<Box<LoopRecording>>,
}

impl FrontEnd for CFrontEnd<'_> {
    fn why(&mut self) -> WhyLoop {
        crate::why::why(self.core)
    }

    fn record(&mut self, recorder: Option<Rc<Recorder>>) {
        if let Some(recording) = self.recording.take() {
            recording.remove_observer(self.core);
        }
        *self.recording = recorder.map(|recorder| LoopRecording::new(self.core, recorder));
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
