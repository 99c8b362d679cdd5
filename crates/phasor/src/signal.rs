//! Signals, delivered as calls on the loop's thread.

use phasor_core::Result;

use crate::Loop;
use crate::face::HandleEvent;
use crate::handle::handle;

macro_rules! signals {
    ($($(#[$doc:meta])* $NAME:ident = $number:literal;)*) => {
        $($(#[$doc])* pub const $NAME: i32 = $number;)*
    };
}

// Linux's numbers, equal on all architectures of Rust's tiers 1 and 2 except MIPS and SPARC (`signal(7)`).
signals! {
    /// The terminal was closed.
    SIGHUP = 1;
    /// Ctrl-C.
    SIGINT = 2;
    /// Ctrl-\.
    SIGQUIT = 3;
    /// Ends a process immediately. Cannot be watched.
    SIGKILL = 9;
    /// Free for use by programs.
    SIGUSR1 = 10;
    /// Free for use by programs.
    SIGUSR2 = 12;
    /// Write to a pipe or socket whose read end is closed.
    SIGPIPE = 13;
    /// Request to terminate.
    SIGTERM = 15;
    /// A child process has ended or stopped.
    SIGCHLD = 17;
    /// Continue after a stop.
    SIGCONT = 18;
    /// The size of the terminal's window changed.
    SIGWINCH = 28;
}

handle! {
    /// Called when the process receives a signal.
    ///
    /// ```
    /// use phasor::{Loop, RunMode, process, signal};
    ///
    /// let mut l = Loop::new()?;
    /// signal::on(&mut l, signal::SIGUSR2, |l, handle, signum| {
    ///     assert_eq!(signum, signal::SIGUSR2);
    ///     handle.close(l);
    /// })?;
    /// process::kill(std::process::id() as i32, signal::SIGUSR2)?;
    /// l.run(RunMode::Default)?;
    /// # Ok::<(), phasor::Errno>(())
    /// ```
    #[doc(alias = "uv_signal_t")]
    Signal
}

/// Calls `call` whenever the process receives the signal, until the handle is stopped or closed.
///
/// `EINVAL` for a number that is not a signal or cannot be caught.
pub fn on(l: &mut Loop, signum: i32, call: impl FnMut(&mut Loop, Signal, i32) + 'static) -> Result<Signal> {
    let signal = Signal::new(l);
    match signal.start(l, signum, call) {
        Ok(()) => Ok(signal),
        Err(errno) => {
            signal.close(l);
            Err(errno)
        }
    }
}

impl Signal {
    /// Opens a signal handle that is not started.
    #[doc(alias = "uv_signal_init")]
    pub fn new(l: &mut Loop) -> Signal {
        Signal(l.core.signal_open(Loop::no_hooks()))
    }

    /// Starts the handle: `call` is called for each delivery of the signal. A started handle switches to this signal
    /// and closure.
    ///
    /// `EINVAL` for a number that is not a signal or cannot be caught.
    #[doc(alias = "uv_signal_start")]
    pub fn start(self, l: &mut Loop, signum: i32, call: impl FnMut(&mut Loop, Signal, i32) + 'static) -> Result<()> {
        l.core.signal_start(self.0, signum)?;
        self.hook(l, call);
        Ok(())
    }

    /// [`start`](Signal::start) for one delivery: the handle is stopped after the call.
    #[doc(alias = "uv_signal_start_oneshot")]
    pub fn start_oneshot(
        self,
        l: &mut Loop,
        signum: i32,
        call: impl FnMut(&mut Loop, Signal, i32) + 'static,
    ) -> Result<()> {
        l.core.signal_start_oneshot(self.0, signum)?;
        self.hook(l, call);
        Ok(())
    }

    fn hook(self, l: &mut Loop, mut call: impl FnMut(&mut Loop, Signal, i32) + 'static) {
        l.set_hook(
            self.0,
            Box::new(move |l, id, event| {
                if let HandleEvent::Signal(signum) = *event {
                    call(l, Signal(id), signum);
                }
            }),
        );
    }

    /// Stops the handle. Does nothing if it is not started.
    #[doc(alias = "uv_signal_stop")]
    pub fn stop(self, l: &mut Loop) -> Result<()> {
        l.core.signal_stop(self.0)
    }
}
