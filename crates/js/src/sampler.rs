//! Asks for the stack of the code that runs while a callback takes long: what `phasor doctor` names as the cause of a block.
//!
//! A thread looks at the recorder's outermost callback in a fixed period. If it is the same one as before, the engine is interrupted, and the
//! interrupt handler records the stack. A native function is not interrupted: its caller is recorded when it returns.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use phasor_engine::Interrupter;

/// A callback that takes longer than this is sampled. A fifth of what the doctor calls a block, so that a block has several samples.
const PERIOD: Duration = Duration::from_millis(20);

/// How often a sample is tried again because no code of the program runs. The engine looks for interrupts at loops and calls, so the program
/// is close.
const MOST_TRIES: u32 = 50;

/// The sampler of one JavaScript thread. Its thread ends when it is dropped.
pub(crate) struct Sampler {
    is_requested: Arc<AtomicBool>,
    interrupter: Interrupter,
    tries: Cell<u32>,
    /// Dropped to end the thread.
    _end: Sender<()>,
}

impl Sampler {
    /// Starts the thread. `outermost_ns` is [`Recorder::outermost_ns`](phasor_lens::Recorder::outermost_ns). Without memory for a thread there
    /// are no samples.
    pub(crate) fn start(outermost_ns: Arc<AtomicU64>, interrupter: Interrupter) -> Option<Sampler> {
        let is_requested = Arc::new(AtomicBool::new(false));
        let (end, ended) = channel::<()>();
        let requested = Arc::clone(&is_requested);
        let own = interrupter.clone();
        let run = move || {
            let mut before_ns = 0;
            while ended.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) {
                let now_ns = outermost_ns.load(Ordering::Relaxed);
                if now_ns != 0 && now_ns == before_ns {
                    requested.store(true, Ordering::Relaxed);
                    interrupter.interrupt();
                }
                before_ns = now_ns;
            }
        };
        std::thread::Builder::new().name("phasor-sampler".into()).spawn(run).ok()?;
        Some(Sampler { is_requested, interrupter: own, tries: Cell::new(0), _end: end })
    }

    /// Whether a sample is asked for. Takes the request back.
    pub(crate) fn take_request(&self) -> bool {
        self.is_requested.swap(false, Ordering::Relaxed)
    }

    /// Asks for the sample again, because this one shows no code of the program. False if that was done too often.
    pub(crate) fn try_again(&self) -> bool {
        let tries = self.tries.get() + 1;
        let again = tries < MOST_TRIES;
        self.tries.set(if again { tries } else { 0 });
        if again {
            self.is_requested.store(true, Ordering::Relaxed);
            self.interrupter.interrupt();
        }
        again
    }
}
