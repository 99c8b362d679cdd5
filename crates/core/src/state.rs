//! The state of a loop, and queries about a loop as a whole. The module `run` decides which event is next.

use phasor_sys::Result;

use crate::describe::TaskDetails;
use crate::face::Face;
use crate::handles::{
    AcceptBackoff, Asyncs, FsEvents, FsPolls, Handles, Processes, Signals, Timers, Waiting, Watched, Watchers,
};
use crate::list::DoubleBuffer;
use crate::observe::Instrumentation;
use crate::phases::{Deferred, InProgress};
use crate::platform::{Os, Platform, Ready};
use crate::remote::{Bell, Mailbox, Remote};
use crate::requests::{FinishedTask, Request};
use crate::run::Run;
use crate::slab::Slab;
use crate::spin::Spinner;
use crate::sync::Arc;

/// An event loop. [`Loop::next`] returns the next event; the loop makes no callbacks itself.
pub struct Loop<F: Face> {
    /// The clock, the wait and the thread pool.
    pub(crate) platform: Box<dyn Platform>,
    /// All handles, until their `Closed` event was returned.
    pub(crate) handles: Handles<F>,
    /// All requests, until their outcome was returned.
    pub(crate) requests: Slab<Request<F>>,
    /// The number of handles that are active and referenced.
    pub(crate) active_handles: usize,
    /// The number of active handles that a front end has added, see [`Loop::count_handles`].
    pub(crate) counted_handles: isize,
    /// The cached time in milliseconds (`uv_now`).
    pub(crate) now_ms: u64,
    /// Whether no event was returned since the clock was last read, so that the cached time is up to date.
    pub(crate) time_is_fresh: bool,
    /// Started timers, and those that are due in the current timer pass.
    pub(crate) timers: Timers,
    /// Started idle handles, and the progress of their current phase. `prepare` and `check` are the same for their
    /// kinds.
    pub(crate) idle: Watchers,
    pub(crate) prepare: Watchers,
    pub(crate) check: Watchers,
    /// The async handles.
    pub(crate) asyncs: Asyncs,
    /// Per-loop state of one kind of handle. The following fields are the same for other kinds.
    pub(crate) fs_events: FsEvents,
    pub(crate) fs_polls: FsPolls,
    pub(crate) processes: Processes,
    pub(crate) signals: Signals,
    /// Handles that were fed to the pending phase.
    pub(crate) pending: DoubleBuffer<Waiting>,
    /// Closed handles, the last one first.
    pub(crate) closing: DoubleBuffer<Waiting>,
    /// The interests that have to be registered with the platform before the next wait.
    pub(crate) watched: Watched,
    /// Listeners that failed to accept for lack of file descriptors.
    pub(crate) accept_backoff: AcceptBackoff,
    /// The result of the last wait.
    pub(crate) batch: Vec<Ready>,
    /// How many entries of `batch` were handled.
    pub(crate) batch_at: usize,
    /// Entries of `batch` that are handled after all others: signals and child exits.
    pub(crate) deferred: Deferred,
    /// The number of waits that this poll phase has made.
    pub(crate) waits: u32,
    /// Whether another thread woke the loop since it last blocked, so that spinning may pay off.
    pub(crate) was_woken: bool,
    /// Whether another thread has called for the front end's attention.
    pub(crate) wants_attention: bool,
    /// Whether the loop polls the bell before it blocks, see [`Bell::begin_polling`].
    pub(crate) polls_bell: bool,
    /// Spins before a blocking wait.
    pub(crate) spinner: Spinner,
    /// Finished tasks that were collected and not reported yet, in reverse order.
    pub(crate) completed: Vec<Box<dyn FinishedTask<F>>>,
    /// The event source that has more events to return.
    pub(crate) in_progress: InProgress,
    /// The bell with which other threads end a wait. It is shared with every sender.
    pub(crate) bell: Arc<Bell>,
    /// The mailbox in which pool threads put finished tasks.
    pub(crate) mailbox: Arc<Mailbox<F>>,
    /// The details of the tasks in the pool, if they are stored.
    pub(crate) task_details: Option<Box<TaskDetails>>,
    /// The observers and the counters.
    pub(crate) instrumentation: Instrumentation,
    /// The position in the current run.
    pub(crate) run: Run,
}

impl<F: Face> Loop<F> {
    /// Creates a loop on the operating system.
    #[doc(alias = "uv_loop_init")]
    pub fn new() -> Result<Loop<F>> {
        Ok(Loop::on(Os::new()?))
    }

    /// Creates a loop on a platform that the caller provides.
    pub fn on(mut platform: impl Platform + 'static) -> Loop<F> {
        let bell = Arc::new(Bell::new(platform.ring()));
        Loop {
            now_ms: platform.now_ms(),
            time_is_fresh: false,
            mailbox: Arc::new(Mailbox::new(bell.clone())),
            bell,
            platform: Box::new(platform),
            handles: Handles::new(),
            requests: Slab::new(),
            active_handles: 0,
            counted_handles: 0,
            timers: Timers::default(),
            idle: Watchers::new(),
            prepare: Watchers::new(),
            check: Watchers::new(),
            asyncs: Asyncs::default(),
            fs_events: FsEvents::default(),
            fs_polls: FsPolls::default(),
            processes: Processes::default(),
            signals: Signals::default(),
            pending: DoubleBuffer::new(),
            closing: DoubleBuffer::new(),
            watched: Watched::default(),
            accept_backoff: AcceptBackoff::default(),
            batch: Vec::new(),
            batch_at: 0,
            deferred: Deferred::default(),
            waits: 0,
            was_woken: false,
            wants_attention: false,
            polls_bell: false,
            spinner: Spinner::default(),
            completed: Vec::new(),
            in_progress: InProgress::Nothing,
            task_details: None,
            instrumentation: Instrumentation::default(),
            run: Run::default(),
        }
    }

    /// The cached time, in milliseconds of a clock with an arbitrary start. It does not advance during a callback.
    #[doc(alias = "uv_now")]
    pub fn now_ms(&self) -> u64 {
        self.now_ms
    }

    /// Reads the clock and updates the cached time.
    #[doc(alias = "uv_update_time")]
    #[inline]
    pub fn update_time(&mut self) {
        self.now_ms = self.platform.now_ms();
    }

    /// A file descriptor that is readable when a run without waiting would find an event, for embedders with a loop of
    /// their own. The simulated platform has none.
    #[doc(alias = "uv_backend_fd")]
    pub fn backend_fd(&self) -> Option<std::os::fd::RawFd> {
        self.platform.backend_fd()
    }

    /// How long an embedder may wait for [`backend_fd`](Loop::backend_fd), in milliseconds; `None` without a limit
    /// (`src/unix/core.c: uv_backend_timeout`).
    #[doc(alias = "uv_backend_timeout")]
    pub fn backend_timeout_ms(&self) -> Option<u64> {
        // File descriptors that are not registered yet could be ready.
        if self.has_interest_changes() || self.signals.are_waiting() { Some(0) } else { self.poll_timeout() }
    }

    /// Blocks a signal during waits: a profiler's signal would otherwise interrupt the waits a thousand times a second.
    /// The signal is delivered after the wait. `EINVAL` for an invalid number; libuv accepts only `SIGPROF`.
    #[doc(alias = "uv_loop_configure")]
    #[doc(alias = "UV_LOOP_BLOCK_SIGNAL")]
    pub fn block_signal(&mut self, signum: i32) -> Result<()> {
        self.platform.block_signal(signum)
    }

    /// Returns an object with which other threads wake the loop and read its idle time.
    pub fn remote(&self) -> Remote {
        Remote { bell: self.bell.clone(), idle: self.instrumentation.idle.clone() }
    }
}
