//! Requests the stack of the running code while a callback takes long. `phasor doctor` shows these stacks as the cause
//! of a block.
//!
//! A thread reads the recorder's outermost callback at a fixed interval. If the callback is the same as before, the
//! engine is interrupted, and the interrupt handler records the stack. A native function is not interrupted: its caller
//! is recorded when it returns.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use phasor_engine::Interrupter;

/// The limit after which a callback is sampled. It is a fifth of the doctor's limit for a block, so that a block has
/// several samples.
const PERIOD: Duration = Duration::from_millis(20);

/// How many interrupts in a row may find the same stack in one callback. A regular expression that is interrupted starts again, and the engine
/// throws a RangeError after four interruptions (`RegExpShared::execute`). Three samples name the line as well as more.
const MOST_EQUAL: u32 = 3;

/// The sampler of one JavaScript thread. Its thread ends when it is dropped.
pub(crate) struct Sampler {
    shared: Arc<Shared>,
    outermost_ns: Arc<AtomicU64>,
    interrupter: Interrupter,
    /// The callback of the last sample, its stack, and how many samples in a row had that stack.
    last: Cell<(u64, u32, u32)>,
    /// Dropped to end the thread.
    _end: Sender<()>,
}

/// What the two threads share.
#[derive(Default)]
struct Shared {
    is_requested: AtomicBool,
    /// The callback that must not be interrupted any more, by its begin.
    finished_ns: AtomicU64,
}

impl Sampler {
    /// Starts the thread. `outermost_ns` is [`Recorder::outermost_ns`](phasor_lens::Recorder::outermost_ns). Without memory for a thread there
    /// are no samples.
    pub(crate) fn start(outermost_ns: Arc<AtomicU64>, interrupter: Interrupter) -> Option<Sampler> {
        let shared = Arc::new(Shared::default());
        let (end, ended) = channel::<()>();
        let sampler = Sampler {
            shared: Arc::clone(&shared),
            outermost_ns: Arc::clone(&outermost_ns),
            interrupter: interrupter.clone(),
            last: Cell::default(),
            _end: end,
        };
        let run = move || {
            let mut before_ns = 0;
            while ended.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) {
                let now_ns = outermost_ns.load(Ordering::Relaxed);
                let is_long = now_ns != 0 && now_ns == before_ns;
                if is_long && shared.finished_ns.load(Ordering::Relaxed) != now_ns {
                    shared.is_requested.store(true, Ordering::Relaxed);
                    interrupter.interrupt();
                }
                before_ns = now_ns;
            }
        };
        std::thread::Builder::new().name("phasor-sampler".into()).spawn(run).ok()?;
        Some(sampler)
    }

    /// Returns whether a sample was requested, and clears the request.
    pub(crate) fn take_request(&self) -> bool {
        self.shared.is_requested.swap(false, Ordering::Relaxed)
    }

    /// A sample was taken. If it shows no code of the program, another one is asked for at once, and false is returned, unless that was
    /// done too often.
    pub(crate) fn is_useful(&self, stack: u32, is_users: bool) -> bool {
        let callback_ns = self.outermost_ns.load(Ordering::Relaxed);
        let equal = match self.last.get() {
            (last_ns, last, equal) if last_ns == callback_ns && last == stack => equal + 1,
            _ => 1,
        };
        self.last.set((callback_ns, stack, equal));
        if equal >= MOST_EQUAL {
            self.shared.finished_ns.store(callback_ns, Ordering::Relaxed);
            return true;
        }
        // An async function that goes on begins in code of the engine: the next interrupt is in the function.
        if !is_users {
            self.shared.is_requested.store(true, Ordering::Relaxed);
            self.interrupter.interrupt();
        }
        is_users
    }
}
