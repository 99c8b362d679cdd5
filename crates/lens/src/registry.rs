//! The loops of this process, and how a tool's thread asks their front ends for something.
//!
//! Each loop registers with [`register`]. A tool posts a command to a loop's mailbox and calls for attention; the front end
//! serves the mailbox on the loop's thread when it gets [`Event::Attention`](phasor_core::Event::Attention). A loop that is
//! blocked does not answer: then the tool says since when.

use std::cell::Cell;
use std::fmt;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use phasor_core::{Face, Kind, Loop, Observer, ObserverId, Remote, monotonic_ns, thread_id};

use crate::recorder::Recorder;
use crate::stats::{Locate, LoopStats};
use crate::why::WhyLoop;

/// What a tool asks of the front end of a loop. All methods are called on the loop's thread, while no callback runs.
pub trait FrontEnd {
    /// What keeps the loop alive. The caller fills in the thread.
    fn why(&mut self) -> WhyLoop;

    /// Starts to record with this recorder, or stops with `None`.
    fn record(&mut self, recorder: Option<Rc<Recorder>>);

    /// As [`Loop::add_observer`](phasor_core::Loop::add_observer).
    fn add_observer(&mut self, observer: Box<dyn Observer>) -> ObserverId;

    /// As [`Loop::remove_observer`](phasor_core::Loop::remove_observer).
    fn remove_observer(&mut self, id: ObserverId);

    /// What says where the code of slow callbacks is, if the front end knows.
    fn locator(&mut self) -> Option<Locate> {
        None
    }

    /// Locations are wanted, or not any more. Returns false if the front end cannot do that now.
    fn locate(&mut self, _is_wanted: bool) -> bool {
        true
    }

    /// The kinds of all handles that are not closing, and whether each is active.
    fn handles(&mut self) -> Vec<(Kind, bool)>;
}

/// The handles of a loop for [`FrontEnd::handles`].
pub fn handles_of<F: Face>(core: &Loop<F>) -> Vec<(Kind, bool)> {
    let open = core.handles().into_iter().filter(|view| !view.closing);
    open.map(|view| (view.kind, view.active)).collect()
}

/// Something that a tool asks of a front end.
type Command = Box<dyn FnOnce(&LoopEntry, &mut dyn FrontEnd) + Send>;

/// A loop of this process, as other threads see it.
pub struct LoopEntry {
    number: u32,
    name: String,
    /// The thread's id of the operating system.
    os_id: u32,
    remote: Remote,
    mailbox: Mutex<Vec<Command>>,
    /// The mailbox may hold something.
    has_mail: AtomicBool,
    registered_ns: u64,
    stats: OnceLock<Arc<LoopStats>>,
    /// The front end knows that locations are wanted.
    is_located: AtomicBool,
}

impl fmt::Debug for LoopEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoopEntry").field("number", &self.number).field("name", &self.name).finish_non_exhaustive()
    }
}

/// The loops, in the order of registration.
static LOOPS: Mutex<Vec<Arc<LoopEntry>>> = Mutex::new(Vec::new());

/// The number of the next loop.
static NEXT: AtomicU32 = AtomicU32::new(1);

/// No code that can panic runs under the locks of this file.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Registers the loop of the calling thread, until the result is dropped. The name is for people: `main`, `worker 1`.
///
/// If statistics are wanted ([`stats::enable`](crate::stats::enable)), the front end has to call
/// [`Registration::update_stats`].
pub fn register(name: &str, remote: Remote) -> Registration {
    let entry = Arc::new(LoopEntry {
        number: NEXT.fetch_add(1, Ordering::Relaxed),
        name: name.to_owned(),
        os_id: thread_id(),
        remote,
        mailbox: Mutex::default(),
        has_mail: AtomicBool::new(false),
        registered_ns: monotonic_ns(),
        stats: OnceLock::new(),
        is_located: AtomicBool::new(false),
    });
    lock(&LOOPS).push(Arc::clone(&entry));
    Registration { entry, stats_observer: Cell::new(None) }
}

/// The loops of this process.
pub fn loops() -> Vec<Arc<LoopEntry>> {
    lock(&LOOPS).clone()
}

/// The registration of a loop. Dropping it ends the registration.
pub struct Registration {
    entry: Arc<LoopEntry>,
    /// The observer of the loop's statistics.
    stats_observer: Cell<Option<ObserverId>>,
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.entry.fmt(f)
    }
}

impl Registration {
    /// The loop as other threads see it.
    pub fn entry(&self) -> &Arc<LoopEntry> {
        &self.entry
    }

    /// Does what tools have asked for. The front end calls it for each [`Event::Attention`](phasor_core::Event::Attention).
    pub fn serve(&self, front_end: &mut dyn FrontEnd) {
        if self.entry.has_mail.swap(false, Ordering::SeqCst) {
            let commands = std::mem::take(&mut *lock(&self.entry.mailbox));
            for command in commands {
                command(&self.entry, front_end);
            }
        }
        self.update_stats(front_end);
    }

    /// Adds or removes the observer of the statistics, as [`stats::is_enabled`](crate::stats::is_enabled) says. Called by
    /// [`serve`](Registration::serve), and once by the front end of a new loop.
    pub fn update_stats(&self, front_end: &mut dyn FrontEnd) {
        let before = self.stats_observer.get();
        match (before, crate::stats::is_enabled()) {
            (None, true) => {
                let stats = self.entry.stats.get_or_init(Arc::default);
                let observer = crate::stats::StatsObserver::new(Arc::clone(stats), &front_end.handles());
                let observer = observer.with_locations(front_end.locator());
                self.stats_observer.set(Some(front_end.add_observer(Box::new(observer))));
            }
            (Some(id), false) => {
                front_end.remove_observer(id);
                self.stats_observer.set(None);
            }
            _ => {}
        }
        let is_wanted = crate::stats::is_located();
        if self.entry.is_located.load(Ordering::Relaxed) != is_wanted && front_end.locate(is_wanted) {
            self.entry.is_located.store(is_wanted, Ordering::Relaxed);
        }
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        lock(&LOOPS).retain(|other| !Arc::ptr_eq(other, &self.entry));
        // Commands that were not served are dropped: their senders receive the error that the loop is gone.
        lock(&self.entry.mailbox).clear();
    }
}

/// Why a loop gave no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoAnswer {
    /// It is blocked: a callback has been running for so long, in milliseconds.
    Blocked(u64),
    /// It has ended.
    Ended,
}

/// An answer that a front end will give.
#[derive(Debug)]
pub struct Answer<T> {
    receiver: Receiver<T>,
    entry: Weak<LoopEntry>,
    asked: Instant,
}

impl LoopEntry {
    /// Its number in the process, from 1.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Its name: `main`, `worker 1`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The thread's id of the operating system.
    pub fn os_id(&self) -> u32 {
        self.os_id
    }

    /// The statistics, if they were ever enabled.
    pub fn stats(&self) -> Option<&Arc<LoopStats>> {
        self.stats.get()
    }

    /// Makes the front end tell where the code of slow callbacks is, if locations are wanted and it does not do so.
    pub(crate) fn update_locations(&self) {
        if self.is_located.load(Ordering::Relaxed) != crate::stats::is_located() {
            self.call_attention();
        }
    }

    /// Makes the front end serve its mailbox.
    pub fn call_attention(&self) {
        self.remote.call_attention();
    }

    /// Asks the front end for something.
    pub fn ask<T: Send + 'static>(
        self: &Arc<LoopEntry>,
        question: impl FnOnce(&LoopEntry, &mut dyn FrontEnd) -> T + Send + 'static,
    ) -> Answer<T> {
        let (sender, receiver) = channel();
        let command: Command = Box::new(move |entry, front_end| {
            // The receiver may be gone: it waits for a limited time.
            let _ = sender.send(question(entry, front_end));
        });
        lock(&self.mailbox).push(command);
        self.has_mail.store(true, Ordering::SeqCst);
        // The registration may have ended meanwhile: then the command is never served.
        if !lock(&LOOPS).iter().any(|other| Arc::ptr_eq(other, self)) {
            lock(&self.mailbox).clear();
        }
        self.remote.call_attention();
        Answer { receiver, entry: Arc::downgrade(self), asked: Instant::now() }
    }

    /// How long the loop has waited for events, as far as this is counted.
    pub fn idle_ns(&self) -> u64 {
        // Without statistics, what the loop itself counts; it may not.
        match (self.remote.idle_ns(), self.stats.get()) {
            (0, Some(stats)) => stats.snapshot().idle_ns,
            (idle_ns, _) => idle_ns,
        }
    }

    /// How long the callback runs that the loop is busy with; 0 while the loop waits for events. Without statistics, the
    /// time since the last wait that has blocked.
    pub fn busy_ms(&self) -> u64 {
        let since_ns = match self.stats.get().filter(|_| crate::stats::is_enabled()).map(|stats| stats.busy_since_ns())
        {
            Some(Some(since_ns)) => since_ns,
            // Observed, and waiting.
            Some(None) => return 0,
            None => match self.remote.busy_since_ns() {
                None => return 0,
                Some(0) => self.registered_ns,
                Some(since_ns) => since_ns,
            },
        };
        monotonic_ns().saturating_sub(since_ns) / 1_000_000
    }
}

impl<T> Answer<T> {
    /// Waits for the answer.
    ///
    /// # Errors
    ///
    /// There was none within the limit, counted from the question on, or the loop has ended.
    pub fn wait(self, limit: Duration) -> Result<T, NoAnswer> {
        let left = limit.saturating_sub(self.asked.elapsed());
        match self.receiver.recv_timeout(left) {
            Ok(answer) => Ok(answer),
            Err(RecvTimeoutError::Disconnected) => Err(NoAnswer::Ended),
            Err(RecvTimeoutError::Timeout) => {
                let Some(entry) = self.entry.upgrade() else { return Err(NoAnswer::Ended) };
                Err(NoAnswer::Blocked(entry.busy_ms().max(self.asked.elapsed().as_millis() as u64)))
            }
        }
    }
}
