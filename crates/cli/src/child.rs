//! Programs that this program starts: waiting for their end, forwarding signals, and passing on the exit status.

use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::sync::{Arc, Mutex, PoisonError};

use phasor_core::{Event, Face, Loop, RunMode};

/// Signals of Linux.
pub(crate) const SIGINT: i32 = 2;
pub(crate) const SIGQUIT: i32 = 3;
pub(crate) const SIGUSR1: i32 = 10;
pub(crate) const SIGUSR2: i32 = 12;

/// Waiting for a program that this process has started.
pub(crate) trait Watcher {
    /// The program was started.
    fn started(&mut self, _pid: u32) {}

    /// This process got a signal. If it returns false, the signal is sent to the program.
    fn signal(&mut self, _signum: i32) -> bool {
        false
    }

    /// How often [`tick`](Watcher::tick) is called; 0 for never.
    fn tick_ms(&self) -> u64 {
        0
    }

    /// Called periodically.
    fn tick(&mut self) {}
}

/// Does nothing but wait.
struct Nothing;

impl Watcher for Nothing {}

/// The exit code with which this program passes on how another program ended.
pub(crate) fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX))
}

/// Handles and requests of the loop in [`watch`], which need no data.
struct Plain;

impl Face for Plain {
    type Handle = ();
    type Request = ();
    type Bytes = Vec<u8>;
}

/// Starts a program and waits for its end, as [`watch`].
///
/// # Errors
///
/// See [`watch`].
pub(crate) fn wait(command: &mut Command) -> std::io::Result<ExitStatus> {
    watch(command, &mut Nothing)
}

/// Starts a program and waits for its end. Signals that this process receives meanwhile are forwarded to the program,
/// except signals of the terminal, which the program receives itself.
///
/// # Errors
///
/// The program cannot be started, or no descriptor is left to watch signals.
pub(crate) fn watch(command: &mut Command, watcher: &mut dyn Watcher) -> std::io::Result<ExitStatus> {
    /// SIGINT and SIGQUIT come from the terminal and go to all its processes; they must not end this one.
    const CAUGHT: &[i32] = &[SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGUSR1, SIGUSR2, SIGCONT, SIGWINCH];
    const SIGHUP: i32 = 1;
    const SIGTERM: i32 = 15;
    const SIGCONT: i32 = 18;
    const SIGWINCH: i32 = 28;
    let failed = |errno: phasor_core::Errno| std::io::Error::from_raw_os_error(errno.raw());
    let mut core = Loop::<Plain>::new().map_err(failed)?;
    for signum in CAUGHT {
        let signal = core.signal_open(());
        core.signal_start(signal, *signum).map_err(failed)?;
    }
    let (_, ended) = core.async_open(());
    if watcher.tick_ms() > 0 {
        let timer = core.timer_open(());
        core.timer_start(timer, watcher.tick_ms(), watcher.tick_ms()).map_err(failed)?;
    }
    let mut child: Child = command.spawn()?;
    let pid = child.id();
    watcher.started(pid);
    let status = Arc::new(Mutex::new(None));
    let waiting = Arc::clone(&status);
    std::thread::Builder::new().name("waits".into()).spawn(move || {
        *waiting.lock().unwrap_or_else(PoisonError::into_inner) = Some(child.wait());
        ended.send();
    })?;
    while let Some(event) = core.next(RunMode::Default) {
        match event {
            Event::Timer(_) => watcher.tick(),
            Event::Signal(_, signum) => {
                let is_shared = matches!(signum, SIGINT | SIGQUIT) && is_in_foreground();
                if !watcher.signal(signum) && !is_shared {
                    let _ = phasor_core::kill(pid as i32, signum);
                }
            }
            _ => {
                if let Some(status) = status.lock().unwrap_or_else(PoisonError::into_inner).take() {
                    return status;
                }
            }
        }
    }
    Err(std::io::Error::other("the wait for the program has ended early"))
}

/// Whether a terminal sends its signals to this process, and so to the program that it has started too.
fn is_in_foreground() -> bool {
    std::fs::read_to_string("/proc/self/stat").ok().is_some_and(|text| {
        // The fields behind the name: state, parent, process group, session, terminal, its foreground process group.
        let fields: Vec<_> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        fields.get(2).is_some_and(|group| fields.get(5) == Some(group))
    })
}
