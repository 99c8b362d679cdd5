//! Seeing into the loop: what it hands out, when it sleeps, what the pool does.
//!
//! With no observer and no measuring all of this costs one branch at each of these places.

use crate::event::{Completed, Event, EventKind};
use crate::face::Face;
use crate::handles::HandleId;
use crate::phase::Phase;
use crate::remote::IdleTime;
use crate::requests::{RequestId, RequestKind};
use crate::state::Loop;
use crate::sync::Arc;

/// Is told what a loop does, while it does it. Times are of the platform's clock.
#[allow(unused_variables, reason = "an observer overrides what it wants to hear")]
pub trait Observer {
    /// A phase begins.
    fn phase_begin(&mut self, phase: Phase, at_ns: u64) {}
    /// A phase has ended.
    fn phase_end(&mut self, phase: Phase, at_ns: u64) {}
    /// An event is handed out.
    fn event(&mut self, seen: ObservedEvent, at_ns: u64) {}
    /// The loop slept in its poll phase, or looked without sleeping, this long.
    fn waited(&mut self, from_ns: u64, to_ns: u64) {}
    /// A task was given to the pool.
    fn task_queued(&mut self, request: RequestId, kind: RequestKind, at_ns: u64) {}
    /// A task came back from the pool.
    fn task_done(&mut self, request: RequestId, kind: RequestKind, span: TaskSpan) {}
}

/// An event as an observer sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObservedEvent {
    /// What was handed out.
    pub kind: EventKind,
    /// The handle it happened to, if to one.
    pub handle: Option<HandleId>,
    /// The phase it was handed out in.
    pub phase: Phase,
}

/// A task's life, by the monotonic clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskSpan {
    /// Given to the pool.
    pub queued_ns: u64,
    /// Begun by a thread; 0 if it was cancelled.
    pub started_ns: u64,
    /// Done; 0 if it was cancelled.
    pub finished_ns: u64,
}

/// What a loop has counted.
#[doc(alias = "uv_metrics_t")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Metrics {
    /// Turns of the loop.
    pub turns: u64,
    /// Events that the poll phase found: descriptors that were ready, tasks that were done.
    pub events: u64,
    /// Those among them that were there before the loop would have slept. Counted only while measuring, except what
    /// the pool has done.
    pub events_waiting: u64,
    /// Time slept in the poll phase. Counted only while measuring, or [by itself](Loop::count_idle).
    pub idle_ns: u64,
    /// Time in each phase, in the order of [`Phase::ALL`], the face's calls included. Counted only while measuring.
    pub phase_ns: [u64; 7],
}

/// The state behind observing and measuring.
#[derive(Default)]
pub(crate) struct Instrumentation {
    pub(crate) observer: Option<Box<dyn Observer>>,
    /// Whether idle time and times of phases are counted.
    pub(crate) measuring: bool,
    /// Whether idle time is counted even when nothing else is.
    pub(crate) counts_idle: bool,
    /// Whether the last wait was none: what it found had been waiting.
    pub(crate) nonblocking: bool,
    /// The phase under way and when it began.
    pub(crate) phase: Option<(Phase, u64)>,
    /// Turns, events and times of phases; the idle time is in `idle`.
    pub(crate) metrics: Metrics,
    /// Shared with every [`Remote`](crate::Remote).
    pub(crate) idle: Arc<IdleTime>,
}

impl Instrumentation {
    #[inline]
    pub(crate) fn is_observed(&self) -> bool {
        self.measuring || self.observer.is_some()
    }

    /// A phase that nobody sees the end of must not be ended later by somebody who did not see its beginning.
    fn forget_phase_if_unobserved(&mut self) {
        if !self.is_observed() {
            self.phase = None;
        }
    }
}

impl<F: Face> Loop<F> {
    /// Sets the observer, or takes it away.
    pub fn observe(&mut self, observer: Option<Box<dyn Observer>>) -> Option<Box<dyn Observer>> {
        let before = std::mem::replace(&mut self.instrumentation.observer, observer);
        self.instrumentation.forget_phase_if_unobserved();
        before
    }

    /// Starts or stops counting what costs a look at the clock: idle time, events waiting, time in each phase.
    #[doc(alias = "UV_METRICS_IDLE_TIME")]
    pub fn measure(&mut self, measuring: bool) {
        self.instrumentation.measuring = measuring;
        self.instrumentation.forget_phase_if_unobserved();
    }

    /// Starts or stops counting idle time alone. That costs a look at the clock for each wait that sleeps, and no wait more:
    /// [`measure`](Loop::measure) looks without sleeping first, to tell which events had been waiting.
    pub fn count_idle(&mut self, counting: bool) {
        self.instrumentation.counts_idle = counting;
    }

    /// What was counted so far. Another thread can ask for the idle time: [`Remote::idle_ns`](crate::Remote::idle_ns).
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

    /// Returns the time, or 0 if nobody observes.
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
