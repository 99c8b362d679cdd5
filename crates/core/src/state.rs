//! The loop as a value: what it keeps between two calls, and what can be asked or told of it as a whole. Which call is
//! next is decided in `walk`.

use phasor_sys::Result;

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
use crate::slab::Slab;
use crate::spin::Spinner;
use crate::sync::Arc;
use crate::walk::Walk;

/// An event loop. It is asked for the next call, and makes none.
pub struct Loop<F: Face> {
    /// The world below.
    pub(crate) platform: Box<dyn Platform>,
    /// All handles, from opening until they are reported as closed.
    pub(crate) handles: Handles<F>,
    /// All requests, from asking until their outcome is handed out.
    pub(crate) requests: Slab<Request<F>>,
    /// How many handles are active and have a reference.
    pub(crate) active_handles: usize,
    /// How many more a face has counted in addition.
    pub(crate) counted_handles: isize,
    /// Milliseconds of the platform's clock when the loop last looked at it.
    pub(crate) now_ms: u64,
    /// Whether no call was made since the loop last looked at the clock: looking again would tell nothing new.
    pub(crate) time_is_fresh: bool,
    /// Started timers, and those that are due in the pass under way.
    pub(crate) timers: Timers,
    /// Started handles of these three kinds, and how far their phase is.
    pub(crate) idle: Watchers,
    pub(crate) prepare: Watchers,
    pub(crate) check: Watchers,
    /// Who can be sent to.
    pub(crate) asyncs: Asyncs,
    /// What each kind below keeps for all its handles.
    pub(crate) fs_events: FsEvents,
    pub(crate) fs_polls: FsPolls,
    pub(crate) processes: Processes,
    pub(crate) signals: Signals,
    /// Handles for which something was put off to the pending phase.
    pub(crate) pending: DoubleBuffer<Waiting>,
    /// Handles that were closed, the last one first.
    pub(crate) closing: DoubleBuffer<Waiting>,
    /// Which descriptors the platform has to be told of.
    pub(crate) watched: Watched,
    /// Listeners that could not accept for want of descriptors.
    pub(crate) accept_backoff: AcceptBackoff,
    /// What the last wait returned.
    pub(crate) batch: Vec<Ready>,
    /// How much of `batch` has been looked at.
    pub(crate) batch_at: usize,
    /// What of `batch` is put off until the rest of it is through.
    pub(crate) deferred: Deferred,
    /// How many waits this poll phase has made.
    pub(crate) waits: u32,
    /// Another thread woke it since it last slept, and may again soon.
    pub(crate) was_woken: bool,
    /// Whether the loop looks at the bell itself before it sleeps, see [`Bell::attend`].
    pub(crate) polls_bell: bool,
    /// Stays awake for that.
    pub(crate) spinner: Spinner,
    /// Finished tasks that were collected and not handed out, the next one last.
    pub(crate) completed: Vec<Box<dyn FinishedTask<F>>>,
    /// What makes several events and is not through with them.
    pub(crate) in_progress: InProgress,
    /// How other threads end a wait; shared with every sender.
    pub(crate) bell: Arc<Bell>,
    /// Where threads of the pool leave finished tasks.
    pub(crate) mailbox: Arc<Mailbox<F>>,
    /// Who observes, and what is counted.
    pub(crate) instrumentation: Instrumentation,
    /// Where the walk is.
    pub(crate) walk: Walk,
}

impl<F: Face> Loop<F> {
    /// A loop on the operating system.
    #[doc(alias = "uv_loop_init")]
    pub fn new() -> Result<Loop<F>> {
        Ok(Loop::on(Os::new()?))
    }

    /// A loop on a platform of one's own.
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
            polls_bell: false,
            spinner: Spinner::default(),
            completed: Vec::new(),
            in_progress: InProgress::Nothing,
            instrumentation: Instrumentation::default(),
            walk: Walk::default(),
        }
    }

    /// The loop's idea of the time, in milliseconds of a clock with an arbitrary start. It stands still during a call.
    #[doc(alias = "uv_now")]
    pub fn now_ms(&self) -> u64 {
        self.now_ms
    }

    /// Looks at the clock.
    #[doc(alias = "uv_update_time")]
    #[inline]
    pub fn update_time(&mut self) {
        self.now_ms = self.platform.now_ms();
    }

    /// The descriptor that becomes readable when a run without waiting would find something, for those who poll
    /// it in a loop of their own. The simulated platform has none.
    #[doc(alias = "uv_backend_fd")]
    pub fn backend_fd(&self) -> Option<std::os::fd::RawFd> {
        self.platform.backend_fd()
    }

    /// How long a poll of [`backend_fd`](Loop::backend_fd) may sleep, in milliseconds; `None` for ever.
    #[doc(alias = "uv_backend_timeout")]
    pub fn backend_timeout_ms(&self) -> Option<u64> {
        // Descriptors that the platform was not told of yet could be ready.
        if self.has_interest_changes() || self.signals.are_waiting() { Some(0) } else { self.poll_timeout() }
    }

    /// Keeps a signal from ending the loop's sleep: a profiler's would wake it a thousand times a second. It is delivered
    /// when the sleep is over. `EINVAL` for what is no signal; libuv takes none but `SIGPROF`.
    #[doc(alias = "uv_loop_configure")]
    #[doc(alias = "UV_LOOP_BLOCK_SIGNAL")]
    pub fn block_signal(&mut self, signum: i32) -> Result<()> {
        self.platform.block_signal(signum)
    }

    /// A bell and a meter for other threads.
    pub fn remote(&self) -> Remote {
        Remote { bell: self.bell.clone(), idle: self.instrumentation.idle.clone() }
    }
}
