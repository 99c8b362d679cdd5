//! Instrumentation: observers and metrics of events, waits, phases and pool tasks.
//!
//! Without an observer and without measuring, each instrumented place costs one branch.

use crate::event::{Completed, Event, EventKind};
use crate::face::Face;
use crate::handles::{HandleId, Kind};
use crate::phase::Phase;
use crate::remote::IdleTime;
use crate::requests::{RequestId, RequestKind};
use crate::state::Loop;
use crate::sync::Arc;

/// A tracing hook: its methods are called while the loop runs. No method receives the time, because an observer that
/// needs the time can read a clock, and most calls do not need it.
///
/// A *callback* is what the front end runs for one event. Callbacks do not nest.
#[allow(unused_variables, reason = "an observer overrides what it needs")]
pub trait Observer {
    /// Whether [`phase_begin`](Observer::phase_begin) and [`phase_end`](Observer::phase_end) are to be called. Asked once,
    /// when the observer is added; each phase costs a call.
    fn wants_phases(&self) -> bool {
        true
    }
    /// A turn begins; turns are counted from 1, as [`Metrics::turns`].
    fn turn_begin(&mut self, turn: u64) {}
    /// A phase begins.
    fn phase_begin(&mut self, phase: Phase) {}
    /// A phase has ended.
    fn phase_end(&mut self, phase: Phase) {}
    /// The poll phase waits, or polls without blocking if the timeout is 0. `None` means no timeout.
    fn poll_begin(&mut self, timeout_ms: Option<u64>) {}
    /// The wait has ended. `ready` is the number of ready descriptors and wakes.
    fn poll_end(&mut self, ready: usize) {}
    /// [`Loop::next`] is about to return an event: its callback begins.
    fn callback_begin(&mut self, callback: ObservedEvent) {}
    /// The front end has called [`Loop::next`] or [`Loop::end_callback`]: the callback has ended.
    fn callback_end(&mut self) {}
    /// A handle was opened.
    fn handle_opened(&mut self, handle: HandleId, kind: Kind) {}
    /// A handle is being closed; [`EventKind::Closed`] follows in a later closing phase.
    fn handle_closing(&mut self, handle: HandleId, kind: Kind) {}
    /// A timer was started, by the front end or because it repeats.
    fn timer_started(&mut self, timer: HandleId, after_ms: u64, repeat_ms: u64) {}
    /// A request was begun. `handle` is the handle that the request belongs to. [`EventKind::Done`] with the id of the
    /// request follows.
    fn request_begun(&mut self, request: RequestId, kind: RequestKind, handle: Option<HandleId>) {}
    /// The result of a pool task arrived; its callback follows.
    fn task_done(&mut self, request: RequestId, kind: RequestKind, span: TaskSpan) {}
}

/// An event in the form that is passed to an observer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObservedEvent {
    /// The kind of the event.
    pub kind: EventKind,
    /// The handle of the event; `None` for requests. The id of a closed handle is stale.
    pub handle: Option<HandleId>,
    /// The request of [`EventKind::Done`]. The id is stale.
    pub request: Option<RequestId>,
    /// The phase in which the event was returned.
    pub phase: Phase,
}

/// When a task was queued, started and finished, by the monotonic clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskSpan {
    /// The time at which the task was submitted to the pool.
    pub queued_ns: u64,
    /// The time at which a pool thread started the task; 0 if the task was cancelled.
    pub started_ns: u64,
    /// The time at which the task finished; 0 if it was cancelled.
    pub finished_ns: u64,
    /// The pool thread that ran the task, counted from 1; 0 if the task was cancelled.
    pub thread: u32,
}

/// Counters of a loop.
#[doc(alias = "uv_metrics_t")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Metrics {
    /// The number of turns of the loop.
    pub turns: u64,
    /// Events that the poll phase found: ready file descriptors and finished tasks. As in libuv, a wake counts as one
    /// event.
    pub events: u64,
    /// The number of `events` that were ready before the loop would have blocked. Counted only while measuring, except
    /// for finished tasks.
    pub events_waiting: u64,
    /// The time that the loop was blocked in the poll phase. Counted only while measuring or with [`Loop::count_idle`].
    pub idle_ns: u64,
    /// The time in each phase, in the order of [`Phase::ALL`], including the callbacks. Counted only while measuring.
    pub phase_ns: [u64; 7],
}

/// An observer that was added with [`Loop::add_observer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObserverId(u32);

impl ObserverId {
    /// The id of the observer that [`Loop::observe`] sets.
    const MAIN: ObserverId = ObserverId(0);
}

/// An observer, and the callback and phase that it was notified of.
struct Observing {
    id: ObserverId,
    observer: Box<dyn Observer>,
    wants_phases: bool,
    /// It was told of a callback that has not ended.
    in_callback: bool,
    /// Whether the observer was notified of a phase that has not ended.
    in_phase: bool,
}

impl Observing {
    fn new(id: ObserverId, observer: Box<dyn Observer>) -> Observing {
        let wants_phases = observer.wants_phases();
        Observing { id, observer, wants_phases, in_callback: false, in_phase: false }
    }
}

/// The observers, and the measurements.
#[derive(Default)]
pub(crate) struct Instrumentation {
    observers: Vec<Observing>,
    /// An observer wants phases.
    has_phase_observers: bool,
    /// The number of the observer that was added last.
    last_observer: u32,
    /// Whether idle time, waiting events and phase times are counted.
    pub(crate) measuring: bool,
    /// Whether idle time is counted even while `measuring` is off.
    pub(crate) counts_idle: bool,
    /// The time at which the loop began to wait. The next wait continues the current one if only a call for attention
    /// ended it.
    idle_since_ns: Option<u64>,
    pub(crate) idle_continues: bool,
    /// Whether the last wait did not block, so that everything it found counts as waiting. libuv stores
    /// `current_timeout` for this purpose (`src/threadpool.c: uv__work_done`).
    pub(crate) nonblocking: bool,
    /// The current phase, and the time at which it began if phases are measured.
    phase: Option<(Phase, u64)>,
    /// Turns, events and phase times; the idle time is in `idle`.
    pub(crate) metrics: Metrics,
    /// The idle time, which is shared with every [`Remote`](crate::Remote).
    pub(crate) idle: Arc<IdleTime>,
}

impl Instrumentation {
    #[inline]
    pub(crate) fn has_observers(&self) -> bool {
        !self.observers.is_empty()
    }

    /// Calls a method of each observer.
    #[inline]
    fn notify(&mut self, call: impl Fn(&mut dyn Observer)) {
        for observing in &mut self.observers {
            call(&mut *observing.observer);
        }
    }

    /// Called when a wait begins that counts as idle time.
    pub(crate) fn idle_begins(&mut self, at_ns: u64) {
        if !std::mem::take(&mut self.idle_continues) || self.idle_since_ns.is_none() {
            self.idle_since_ns = Some(at_ns);
        }
        self.idle.begin(at_ns);
    }

    /// Whether the phases are observed or measured.
    #[inline]
    fn follows_phases(&self) -> bool {
        self.measuring || self.has_phase_observers
    }

    /// To be called when observers or `measuring` have changed. Forgets the current phase when nothing follows the phases any
    /// more. Otherwise an observer that is set later would be told of the end of a phase whose beginning it was not told.
    fn observers_changed(&mut self) {
        self.has_phase_observers = self.observers.iter().any(|observing| observing.wants_phases);
        if !self.follows_phases() {
            self.phase = None;
        }
    }

    #[inline]
    pub(crate) fn handle_opened(&mut self, handle: HandleId, kind: Kind) {
        self.notify(|observer| observer.handle_opened(handle, kind));
    }

    #[inline]
    pub(crate) fn handle_closing(&mut self, handle: HandleId, kind: Kind) {
        self.notify(|observer| observer.handle_closing(handle, kind));
    }

    #[inline]
    pub(crate) fn timer_started(&mut self, timer: HandleId, after_ms: u64, repeat_ms: u64) {
        self.notify(|observer| observer.timer_started(timer, after_ms, repeat_ms));
    }

    #[inline]
    pub(crate) fn request_begun(&mut self, request: RequestId, kind: RequestKind, handle: Option<HandleId>) {
        self.notify(|observer| observer.request_begun(request, kind, handle));
    }
}

impl<F: Face> Loop<F> {
    /// Sets the observer, or removes it with `None`. Returns the previous one.
    pub fn observe(&mut self, observer: Option<Box<dyn Observer>>) -> Option<Box<dyn Observer>> {
        let before = self.remove_observer(ObserverId::MAIN);
        if let Some(observer) = observer {
            self.instrumentation.observers.insert(0, Observing::new(ObserverId::MAIN, observer));
            self.instrumentation.observers_changed();
        }
        before
    }

    /// Adds an observer, in addition to the observer of [`observe`](Loop::observe) and to other added observers. It is
    /// notified of callbacks and phases that begin from now on.
    pub fn add_observer(&mut self, observer: Box<dyn Observer>) -> ObserverId {
        self.instrumentation.last_observer += 1;
        let id = ObserverId(self.instrumentation.last_observer);
        self.instrumentation.observers.push(Observing::new(id, observer));
        self.instrumentation.observers_changed();
        id
    }

    /// Removes an added observer and returns it.
    pub fn remove_observer(&mut self, id: ObserverId) -> Option<Box<dyn Observer>> {
        let observers = &mut self.instrumentation.observers;
        let at = observers.iter().position(|observing| observing.id == id)?;
        let observer = observers.remove(at).observer;
        self.instrumentation.observers_changed();
        Some(observer)
    }

    /// Starts or stops the measurements that need extra clock reads: idle time, waiting events, time in each phase.
    #[doc(alias = "UV_METRICS_IDLE_TIME")]
    pub fn measure(&mut self, measuring: bool) {
        self.instrumentation.measuring = measuring;
        self.instrumentation.observers_changed();
    }

    /// Starts or stops counting idle time alone. This costs two clock reads for each wait that blocks, and no
    /// additional system call. In contrast, [`measure`](Loop::measure) polls without blocking before each wait, to
    /// count the waiting events.
    pub fn count_idle(&mut self, counting: bool) {
        self.instrumentation.counts_idle = counting;
    }

    /// The time at which the loop last began to wait, by the monotonic clock. If only a call for attention ended a
    /// wait, the next wait continues it. `None` if idle time is not counted, or the loop has not waited yet.
    pub fn idle_since_ns(&self) -> Option<u64> {
        self.instrumentation.idle_since_ns
    }

    /// The counters. Other threads can read the idle time with [`Remote::idle_ns`](crate::Remote::idle_ns).
    #[doc(alias = "uv_metrics_info")]
    pub fn metrics(&self) -> Metrics {
        Metrics { idle_ns: self.instrumentation.idle.total_ns(), ..self.instrumentation.metrics }
    }

    /// Notifies the observers that the current callback has ended. [`Loop::next`] does this too; a front end calls this
    /// function if it runs no more callbacks for a while.
    #[inline]
    pub fn end_callback(&mut self) {
        for observing in &mut self.instrumentation.observers {
            if std::mem::take(&mut observing.in_callback) {
                observing.observer.callback_end();
            }
        }
    }

    /// Called when the current phase ends and the next phase begins.
    #[inline]
    pub(crate) fn phase_changes(&mut self, next: Option<Phase>) {
        if self.instrumentation.follows_phases() {
            self.observe_phase_change(next);
        }
    }

    #[cold]
    fn observe_phase_change(&mut self, next: Option<Phase>) {
        // The clock is read once for the end and the beginning.
        let at_ns = if self.instrumentation.measuring { self.platform.now_ns() } else { 0 };
        let Instrumentation { observers, phase, metrics, measuring, .. } = &mut self.instrumentation;
        if let Some((ended, since_ns)) = std::mem::replace(phase, next.map(|next| (next, at_ns))) {
            if *measuring && since_ns != 0 {
                metrics.phase_ns[ended as usize] += at_ns.saturating_sub(since_ns);
            }
            for observing in observers.iter_mut().filter(|observing| observing.in_phase) {
                observing.observer.phase_end(ended);
            }
        }
        for observing in observers.iter_mut().filter(|observing| observing.wants_phases) {
            observing.in_phase = next.is_some();
            if let Some(next) = next {
                observing.observer.phase_begin(next);
            }
        }
    }

    #[inline]
    pub(crate) fn turn_begins(&mut self) {
        if self.instrumentation.has_observers() {
            // `turns` is increased in the poll phase, like libuv's `loop_count` (`uv_metrics_t`).
            let turn = self.instrumentation.metrics.turns + 1;
            self.instrumentation.notify(|observer| observer.turn_begin(turn));
        }
    }

    /// Notifies the observers of an event that is about to be returned.
    pub(crate) fn observe_event(&mut self, event: &Event<F>, phase: Phase) {
        let kind = event.kind();
        let (handle, request) = match kind {
            // The slot of the request was freed just before the event was made.
            EventKind::Done => (None, self.requests.removed_last().map(RequestId)),
            EventKind::Closed => (self.handles.slab.removed_last().map(HandleId), None),
            _ => (event.handle(), None),
        };
        for observing in &mut self.instrumentation.observers {
            observing.in_callback = true;
            observing.observer.callback_begin(ObservedEvent { kind, handle, request, phase });
        }
    }

    #[inline]
    pub(crate) fn poll_begins(&mut self, timeout_ms: Option<u64>) {
        self.instrumentation.notify(|observer| observer.poll_begin(timeout_ms));
    }

    #[inline]
    pub(crate) fn poll_ends(&mut self, ready: usize) {
        self.instrumentation.notify(|observer| observer.poll_end(ready));
    }

    pub(crate) fn observe_task_done(&mut self, completed: &Completed<F>, kind: RequestKind, queued_ns: u64) {
        let Completed { request, started_ns, finished_ns, thread, .. } = *completed;
        let span = TaskSpan { queued_ns, started_ns, finished_ns, thread };
        self.instrumentation.notify(|observer| observer.task_done(request, kind, span));
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::*;
    use crate::phase::RunMode;
    use crate::platform::Sim;

    struct Plain;

    impl Face for Plain {
        type Handle = ();
        type Request = ();
        type Bytes = Vec<u8>;
    }

    #[derive(Clone, Default)]
    struct Notes(Rc<RefCell<Vec<&'static str>>>);

    impl Observer for Notes {
        fn callback_begin(&mut self, _callback: ObservedEvent) {
            self.0.borrow_mut().push("begin");
        }

        fn callback_end(&mut self) {
            self.0.borrow_mut().push("end");
        }

        fn phase_end(&mut self, _phase: Phase) {
            self.0.borrow_mut().push("phase");
        }
    }

    /// Observes callbacks alone.
    struct Callbacks(Notes);

    impl Observer for Callbacks {
        fn wants_phases(&self) -> bool {
            false
        }

        fn callback_end(&mut self) {
            self.0.callback_end();
        }

        fn phase_end(&mut self, phase: Phase) {
            self.0.phase_end(phase);
        }
    }

    #[test]
    fn an_observer_is_told_of_phases_only_if_it_wants_them() {
        let mut core = Loop::<Plain>::on(Sim::new());
        for _ in 0..2 {
            let timer = core.timer_open(());
            core.timer_start(timer, 0, 0).unwrap();
        }
        let [all, callbacks] = [(); 2].map(|()| Notes::default());
        core.add_observer(Box::new(Callbacks(callbacks.clone())));
        core.next(RunMode::Default);
        let id = core.add_observer(Box::new(all.clone()));
        core.next(RunMode::Default);
        while core.next(RunMode::Default).is_some() {}
        assert_eq!(*callbacks.0.borrow(), ["end", "end"]);
        assert!(all.0.borrow().contains(&"phase"));
        assert!(core.remove_observer(id).is_some());
    }

    #[test]
    fn an_observer_is_told_of_what_begins_after_it_was_added_and_not_after_it_was_removed() {
        let mut core = Loop::<Plain>::on(Sim::new());
        for _ in 0..3 {
            let timer = core.timer_open(());
            core.timer_start(timer, 0, 0).unwrap();
        }
        let [main, early, late] = [(); 3].map(|()| Notes::default());
        core.observe(Some(Box::new(main.clone())));
        let early_id = core.add_observer(Box::new(early.clone()));
        core.next(RunMode::Default);
        core.add_observer(Box::new(late.clone()));
        core.next(RunMode::Default);
        assert!(core.remove_observer(early_id).is_some() && core.remove_observer(early_id).is_none());
        assert!(core.observe(None).is_some());
        while core.next(RunMode::Default).is_some() {}
        assert_eq!(*main.0.borrow(), ["begin", "end", "begin"]);
        assert_eq!(*early.0.borrow(), ["begin", "end", "begin"]);
        assert_eq!(late.0.borrow()[..4], ["begin", "end", "begin", "end"]);
    }
}
