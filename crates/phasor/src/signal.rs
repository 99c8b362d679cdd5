//! Signals, as calls of the loop.

use phasor_core::Result;

use crate::Loop;
use crate::face::Happening;
use crate::handle::handle;

macro_rules! signals {
    ($($(#[$doc:meta])* $NAME:ident = $number:literal;)*) => {
        $($(#[$doc])* pub const $NAME: i32 = $number;)*
    };
}

// Linux' numbers, which are the same on all machines that Rust's tier 1 and 2 know, but for MIPS and SPARC.
signals! {
    /// The terminal was closed.
    SIGHUP = 1;
    /// Ctrl-C.
    SIGINT = 2;
    /// Ctrl-\.
    SIGQUIT = 3;
    /// Ends a process at once. Cannot be watched.
    SIGKILL = 9;
    /// For programs' own use.
    SIGUSR1 = 10;
    /// For programs' own use.
    SIGUSR2 = 12;
    /// Somebody wrote to where nobody reads.
    SIGPIPE = 13;
    /// A request to end.
    SIGTERM = 15;
    /// A child has ended.
    SIGCHLD = 17;
    /// Go on after a stop.
    SIGCONT = 18;
    /// The terminal's window has another size.
    SIGWINCH = 28;
}

handle! {
    /// Called when the process gets a signal.
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

/// Calls `call` whenever the process gets this signal, until the handle is stopped or closed.
///
/// `EINVAL` for what is no signal and for what cannot be caught.
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
    /// Opens a signal handle, not started.
    #[doc(alias = "uv_signal_init")]
    pub fn new(l: &mut Loop) -> Signal {
        Signal(l.core.signal_open(Loop::bare()))
    }

    /// Starts it: `call` is called for each delivery. A started one switches to this signal and this closure.
    ///
    /// `EINVAL` for what is no signal and for what cannot be caught.
    #[doc(alias = "uv_signal_start")]
    pub fn start(self, l: &mut Loop, signum: i32, call: impl FnMut(&mut Loop, Signal, i32) + 'static) -> Result<()> {
        l.core.signal_start(self.0, signum)?;
        self.hook(l, call);
        Ok(())
    }

    /// As [`start`](Signal::start), for one delivery: the handle is stopped when its call is over.
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
            Box::new(move |l, id, happening| {
                if let Happening::Signal(signum) = *happening {
                    call(l, Signal(id), signum);
                }
            }),
        );
    }

    /// Stops it. One that is not started stays so.
    #[doc(alias = "uv_signal_stop")]
    pub fn stop(self, l: &mut Loop) -> Result<()> {
        l.core.signal_stop(self.0)
    }
}
