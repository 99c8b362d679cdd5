//! Instrumentation: observers and metrics of events, waits, phases and pool tasks.
//!
//! Without an observer and without measuring, each instrumented place costs one branch.

use crate::event::{Completed, Event, EventKind};
use crate::face::Face;
use crate::handles::HandleId;
use crate::phase::Phase;
use crate::remote::IdleTime;
use crate::requests::{RequestId, RequestKind};
use crate::state::Loop;
use crate::sync::Arc;

/// A tracing hook: its methods are called while the loop runs. Times are those of the platform's clock.
#[allow(unused_variables, reason = "an observer overrides what it wants to hear")]
pub trait Observer {
    /// A phase begins.
    fn phase_begin(&mut self, phase: Phase, at_ns: u64) {}
    /// A phase has ended.
    fn phase_end(&mut self, phase: Phase, at_ns: u64) {}
    /// [`Loop::next`] is about to return an event.
    fn event(&mut self, seen: ObservedEvent, at_ns: u64) {}
    /// The poll phase waited, or polled without blocking, for this time.
    fn waited(&mut self, from_ns: u64, to_ns: u64) {}
    /// A task was submitted to the pool.
    fn task_queued(&mut self, request: RequestId, kind: RequestKind, at_ns: u64) {}
    /// The result of a task arrived from the pool.
    fn task_done(&mut self, request: RequestId, kind: RequestKind, span: TaskSpan) {}
}

/// An event as an observer sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObservedEvent {
    /// Which event.
    pub kind: EventKind,
    /// The handle of the event; `None` for requests and closed handles.
    pub handle: Option<HandleId>,
    /// The phase in which it was returned.
    pub phase: Phase,
}

/// When a task was queued, started and finished, by the monotonic clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskSpan {
    /// Submitted to the pool.
    pub queued_ns: u64,
    /// Started by a pool thread; 0 if the task was cancelled.
    pub started_ns: u64,
    /// Finished; 0 if the task was cancelled.
    pub finished_ns: u64,
}

/// Counters of a loop.
#[doc(alias = "uv_metrics_t")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Metrics {
    /// Turns of the loop.
    pub turns: u64,
    /// Events that the poll phase found: ready file descriptors and finished tasks. As in libuv a wake counts as one.
    pub events: u64,
    /// Those of `events` that were ready before the loop would have blocked. Counted only while measuring, except for
    /// finished tasks.
    pub events_waiting: u64,
    /// Time blocked in the poll phase. Counted only while measuring or with [`Loop::count_idle`].
    pub idle_ns: u64,
    /// Time in each phase, in the order of [`Phase::ALL`], including the callbacks. Counted only while measuring.
    pub phase_ns: [u64; 7],
}

/// The observer, and what is measured.
#[derive(Default)]
pub(crate) struct Instrumentation {
    pub(crate) observer: Option<Box<dyn Observer>>,
    /// Idle time, waiting events and phase times are counted.
    pub(crate) measuring: bool,
    /// Idle time is counted even while `measuring` is off.
    pub(crate) counts_idle: bool,
    /// The last wait did not block, so everything it found counts as waiting. libuv keeps `current_timeout` for this
    /// (`src/threadpool.c: uv__work_done`).
    pub(crate) nonblocking: bool,
    /// The current phase and when it began.
    pub(crate) phase: Option<(Phase, u64)>,
    /// Turns, events and phase times; the idle time is in `idle`.
    pub(crate) metrics: Metrics,
    /// Shared with every [`Remote`](crate::Remote).
    pub(crate) idle: Arc<IdleTime>,
}

impl Instrumentation {
    #[inline]
    pub(crate) fn is_observed(&self) -> bool {
        self.measuring || self.observer.is_some()
    }

    /// Drops the start time of the current phase when observation ends. Otherwise an observer that is set later would
    /// get the end of a phase whose beginning it did not get.
    fn forget_phase_if_unobserved(&mut self) {
        if !self.is_observed() {
            self.phase = None;
        }
    }
}

impl<F: Face> Loop<F> {
    /// Sets the observer, or removes it with `None`. Returns the previous one.
    pub fn observe(&mut self, observer: Option<Box<dyn Observer>>) -> Option<Box<dyn Observer>> {
        let before = std::mem::replace(&mut self.instrumentation.observer, observer);
        self.instrumentation.forget_phase_if_unobserved();
        before
    }

    /// Starts or stops the measurements that need extra clock reads: idle time, waiting events, time in each phase.
    #[doc(alias = "UV_METRICS_IDLE_TIME")]
    pub fn measure(&mut self, measuring: bool) {
        self.instrumentation.measuring = measuring;
        self.instrumentation.forget_phase_if_unobserved();
    }

    /// Starts or stops counting idle time alone. It costs two clock reads for each wait that blocks and no additional
    /// wait; [`measure`](Loop::measure) polls without blocking before each wait, to count the waiting events.
    pub fn count_idle(&mut self, counting: bool) {
        self.instrumentation.counts_idle = counting;
    }

    /// The counters. Other threads can read the idle time with [`Remote::idle_ns`](crate::Remote::idle_ns).
    #[doc(alias = "uv_metrics_info")]
    pub fn metrics(&self) -> Metrics {
        Metrics { idle_ns: self.instrumentation.idle.total_ns(), ..self.instrumentation.metrics }
    }

    #[inline]
    pub(crate) fn phase_begins(&mut self, phase: Phase) {
        if self.instrumentation.is_observed() {
            self.observe_phase_begin(phase);
        }
    }

    fn observe_phase_begin(&mut self, phase: Phase) {
        let at_ns = self.platform.now_ns();
        self.instrumentation.phase = Some((phase, at_ns));
        if let Some(observer) = &mut self.instrumentation.observer {
            observer.phase_begin(phase, at_ns);
        }
    }

    #[inline]
    pub(crate) fn phase_ends(&mut self) {
        if self.instrumentation.is_observed() {
            self.observe_phase_end();
        }
    }

    fn observe_phase_end(&mut self) {
        if let Some((phase, since_ns)) = self.instrumentation.phase.take() {
            let at_ns = self.platform.now_ns();
            self.instrumentation.metrics.phase_ns[phase as usize] += at_ns - since_ns;
            if let Some(observer) = &mut self.instrumentation.observer {
                observer.phase_end(phase, at_ns);
            }
        }
    }

    #[inline]
    pub(crate) fn observe_event(&mut self, event: &Event<F>, phase: Phase) {
        if let Some(observer) = &mut self.instrumentation.observer {
            let seen = ObservedEvent { kind: event.kind(), handle: event.handle(), phase };
            observer.event(seen, self.platform.now_ns());
        }
    }

    pub(crate) fn observe_wait(&mut self, from_ns: u64, to_ns: u64) {
        if let Some(observer) = &mut self.instrumentation.observer {
            observer.waited(from_ns, to_ns);
        }
    }

    /// Returns the time, or 0 without an observer.
    pub(crate) fn observe_task_queued(&mut self, request: RequestId, kind: RequestKind) -> u64 {
        let Some(observer) = &mut self.instrumentation.observer else { return 0 };
        let at_ns = self.platform.now_ns();
        observer.task_queued(request, kind, at_ns);
        at_ns
    }

    pub(crate) fn observe_task_done(&mut self, completed: &Completed<F>, kind: RequestKind, queued_ns: u64) {
        if let Some(observer) = &mut self.instrumentation.observer {
            let Completed { request, started_ns, finished_ns, .. } = *completed;
            observer.task_done(request, kind, TaskSpan { queued_ns, started_ns, finished_ns });
        }
    }
}
