//! The recorder of one thread: what a front end and the loop's observer write their records with.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use phasor_core::{
    EventKind, HandleId, Kind, NanosecondClock, ObservedEvent, Observer, Phase, RequestId, RequestKind, TaskSpan,
};

use crate::definition::{Definition, Location, Numbers, ThreadInfo};
use crate::record::{
    CallbackKind, CounterKind, FindingKind, Record, RecordKind, ResourceId, ResourceKind, SpanKind, THREW,
};
use crate::ring::Producer;
use crate::session::{Session, Track};

/// Writes the records of one thread. The thread's front end has it, and the loop's observer ([`Recorder::observer`]).
///
/// A callback is written as two records. Callbacks nest: begin and end have to be balanced, and [`Recorder::end_to`]
/// restores the balance after an exception.
pub struct Recorder {
    session: Arc<Session>,
    track: Arc<Track>,
    producer: RefCell<Producer>,
    clock: RefCell<NanosecondClock>,
    /// The last time that was read, since the start of the recording.
    now_ns: Cell<u64>,
    /// How many callbacks are open, and when the innermost one began.
    depth: Cell<u32>,
    current_ns: Cell<u64>,
    /// When the outermost open callback began; 0 outside of callbacks.
    outermost_ns: Arc<AtomicU64>,
    /// Whether the innermost open callback has a location.
    is_located: Cell<bool>,
    /// When each open callback began, and its location.
    open: RefCell<Vec<(u64, u32)>>,
    /// The longest callback with a location in the outermost one: how long it took, and its location.
    longest: Cell<(u64, u32)>,
    /// The phase whose beginning is written when its first callback begins.
    phase: Cell<Option<Phase>>,
    /// The phase whose beginning is written.
    open_phase: Cell<Option<Phase>>,
    /// Records that wait for the stack of the code that caused them: see [`LoopObserver::deferring`].
    deferred: RefCell<Vec<Record>>,
    has_deferred: Cell<bool>,
    locations: RefCell<Numbers<Location>>,
    stacks: RefCell<Numbers<Vec<u32>>>,
    labels: RefCell<Numbers<String>>,
    /// How many descriptions were written.
    described: Cell<u32>,
}

/// How many resources of a thread are described.
const MOST_DESCRIPTIONS: u32 = 1 << 16;

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").finish_non_exhaustive()
    }
}

impl Recorder {
    pub(crate) fn new(session: Arc<Session>, track: Arc<Track>) -> Recorder {
        Recorder {
            session,
            track,
            producer: RefCell::default(),
            clock: RefCell::new(NanosecondClock::new()),
            now_ns: Cell::new(0),
            depth: Cell::new(0),
            current_ns: Cell::new(0),
            outermost_ns: Arc::default(),
            is_located: Cell::new(false),
            open: RefCell::default(),
            longest: Cell::default(),
            phase: Cell::new(None),
            open_phase: Cell::new(None),
            deferred: RefCell::default(),
            has_deferred: Cell::new(false),
            locations: RefCell::default(),
            stacks: RefCell::default(),
            labels: RefCell::default(),
            described: Cell::new(0),
        }
    }

    /// How much is recorded: 1, 2 or 3, see [`Config::detail`](crate::Config::detail).
    pub fn detail(&self) -> u8 {
        self.session.config().detail
    }

    /// Whether the front end looks for what `phasor doctor` reports, see [`Config::findings`](crate::Config::findings).
    pub fn has_findings(&self) -> bool {
        self.session.config().findings
    }

    /// When the outermost open callback began, for other threads: it changes with each callback, and is 0 between two.
    pub fn outermost_ns(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.outermost_ns)
    }

    /// The time since the start of the recording. Reads the clock.
    #[inline]
    pub fn read_clock(&self) -> u64 {
        let now_ns = self.clock.borrow_mut().now_ns().saturating_sub(self.session.base_ns());
        self.now_ns.set(now_ns);
        now_ns
    }

    /// The same time as it was last read: the begin of the innermost callback, or later.
    #[inline]
    pub fn now_ns(&self) -> u64 {
        self.now_ns.get()
    }

    /// When the innermost open callback began: the cause of what its code asks for. 0 outside of callbacks.
    #[inline]
    pub fn current_ns(&self) -> u64 {
        self.current_ns.get()
    }

    /// Writes a record as it is.
    #[inline]
    pub fn write(&self, record: Record) {
        if self.track.ring().push(&mut self.producer.borrow_mut(), record) {
            self.session.wake_writer();
        }
    }

    /// A callback begins.
    #[inline]
    pub fn begin(&self, kind: CallbackKind, location: u32, resource: ResourceId, cause_ns: u64) {
        let at_ns = self.read_clock();
        self.begin_at(at_ns, kind, location, resource, cause_ns);
    }

    /// As [`Recorder::begin`], at a time that was read before: when the callback before it ended, for example.
    #[inline]
    pub fn begin_at(&self, at_ns: u64, kind: CallbackKind, location: u32, resource: ResourceId, cause_ns: u64) {
        self.settle_without_stack();
        if let Some(phase) = self.phase.take() {
            self.open_phase.set(Some(phase));
            self.write(Record { code: phase as u16, ..Record::new(at_ns, RecordKind::PhaseBegin) });
        }
        let mut open = self.open.borrow_mut();
        if self.depth.get() == 0 {
            self.outermost_ns.store(at_ns.max(1), Ordering::Relaxed);
            self.longest.set((0, 0));
            open.clear();
        }
        open.push((at_ns, location));
        drop(open);
        self.depth.set(self.depth.get() + 1);
        self.current_ns.set(at_ns);
        self.is_located.set(location != 0);
        let record = Record {
            code: kind as u16,
            word: location,
            a: resource.0,
            b: cause_ns,
            ..Record::new(at_ns, RecordKind::CallbackBegin)
        };
        self.write(record);
    }

    /// Whether the innermost open callback lacks a location.
    #[inline]
    pub fn wants_location(&self) -> bool {
        !self.is_located.get() && self.depth.get() > 0
    }

    /// The location of the innermost open callback is not the program's: [`Recorder::locate`] may replace it.
    pub fn unlocate(&self) {
        self.is_located.set(self.depth.get() == 0);
    }

    /// Gives the innermost open callback its location: the function of the program that it has called first.
    pub fn locate(&self, location: u32) {
        if location != 0 && self.wants_location() {
            self.is_located.set(true);
            if let Some(innermost) = self.open.borrow_mut().last_mut() {
                innermost.1 = location;
            }
            self.write(Record { word: location, ..Record::new(self.now_ns.get(), RecordKind::CallbackLocated) });
        }
    }

    /// The innermost callback ends. `ticks` and `microtasks` have run in it without records of their own.
    #[inline]
    pub fn end(&self, ticks: u32, microtasks: u64) {
        let at_ns = self.read_clock();
        self.end_at(at_ns, 0, ticks, microtasks);
    }

    fn end_at(&self, at_ns: u64, flags: u8, ticks: u32, microtasks: u64) {
        if self.depth.get() == 0 {
            return;
        }
        self.settle_without_stack();
        self.depth.set(self.depth.get() - 1);
        if let Some((began_ns, location)) = self.open.borrow_mut().pop()
            && location != 0
            && at_ns.saturating_sub(began_ns) > self.longest.get().0
        {
            self.longest.set((at_ns - began_ns, location));
        }
        // The outer callback, if there is one, goes on: what its code asks for from now on is caused by this time.
        if self.depth.get() == 0 {
            self.current_ns.set(0);
            self.outermost_ns.store(0, Ordering::Relaxed);
        } else {
            self.current_ns.set(at_ns);
        }
        self.is_located.set(true);
        self.write(Record { flags, word: ticks, a: microtasks, ..Record::new(at_ns, RecordKind::CallbackEnd) });
    }

    /// Says which thread it is from now on: a loop may be made by one thread and run by another.
    pub fn set_thread(&self, name: &str, os_id: u64) {
        self.track.set_info(ThreadInfo { name: name.to_owned(), os_id });
    }

    /// Whether a method is being executed: true only for a signal handler that has interrupted it.
    pub fn is_in_use(&self) -> bool {
        self.producer.try_borrow_mut().is_err()
            || self.clock.try_borrow_mut().is_err()
            || self.open.try_borrow_mut().is_err()
    }

    /// Ends the innermost callbacks until `depth` are open: they have ended normally, and nothing has run since.
    pub fn close_to(&self, depth: u32) {
        if self.depth.get() > depth {
            let at_ns = self.read_clock();
            while self.depth.get() > depth {
                self.end_at(at_ns, 0, 0, 0);
            }
        }
    }

    /// Where the code is that took longest in the callback of the last event. Slow: for callbacks that are slow themselves.
    pub fn longest_callback(&self) -> Option<Location> {
        let open = || self.open.borrow().iter().map(|(_, location)| *location).find(|location| *location != 0);
        let number = Some(self.longest.get().1).filter(|location| *location != 0).or_else(open)?;
        self.locations.borrow().value(number).cloned()
    }

    /// How many callbacks are open.
    pub fn depth(&self) -> u32 {
        self.depth.get()
    }

    /// Ends callbacks that an exception has left open, until `depth` are open.
    pub fn end_to(&self, depth: u32) {
        if self.depth.get() > depth {
            let at_ns = self.read_clock();
            while self.depth.get() > depth {
                self.end_at(at_ns, THREW, 0, 0);
            }
        }
    }

    fn end_phase(&self) {
        if let Some(phase) = self.open_phase.take() {
            self.write(Record { code: phase as u16, ..Record::new(self.now_ns.get(), RecordKind::PhaseEnd) });
        }
    }

    /// Writes the records that wait for a stack, with this one.
    #[cold]
    pub fn settle(&self, stack: u32) {
        self.has_deferred.set(false);
        for record in self.deferred.borrow_mut().drain(..) {
            self.write(Record { word: stack, ..record });
        }
    }

    #[inline]
    fn settle_without_stack(&self) {
        if self.has_deferred.get() {
            self.settle(0);
        }
    }

    /// Writes a record that has the number of a stack in `word`, or keeps it until the stack is known.
    fn write_with(&self, stack: Stack, record: Record) {
        match stack {
            Stack::Known(word) => self.write(Record { word, ..record }),
            Stack::Deferred => {
                self.has_deferred.set(true);
                self.deferred.borrow_mut().push(record);
            }
        }
    }

    /// A resource was made, by the code with this stack.
    pub fn created(&self, kind: ResourceKind, resource: ResourceId, stack: u32, owner: ResourceId) {
        self.write_created(Stack::Known(stack), kind, resource, owner);
    }

    fn write_created(&self, stack: Stack, kind: ResourceKind, resource: ResourceId, owner: ResourceId) {
        let record = Record::new(self.read_clock(), RecordKind::Created);
        self.write_with(stack, Record { code: kind as u16, a: resource.0, b: owner.0, ..record });
    }

    /// A resource will cause nothing more.
    pub fn closed(&self, kind: ResourceKind, resource: ResourceId) {
        self.write(Record { code: kind as u16, a: resource.0, ..Record::new(self.read_clock(), RecordKind::Closed) });
    }

    /// A timer was started, by the code with this stack.
    pub fn timer_started(&self, timer: ResourceId, stack: u32, after_ms: u64, repeat_ms: u64) {
        self.write_timer(Stack::Known(stack), timer, after_ms, repeat_ms);
    }

    fn write_timer(&self, stack: Stack, timer: ResourceId, after_ms: u64, repeat_ms: u64) {
        let delays = after_ms.min(u64::from(u32::MAX)) | repeat_ms.min(u64::from(u32::MAX)) << 32;
        let record = Record::new(self.read_clock(), RecordKind::TimerStarted);
        self.write_with(stack, Record { a: timer.0, b: delays, ..record });
    }

    /// A request was begun, by the code with this stack.
    pub fn request_begun(&self, kind: ResourceKind, request: ResourceId, stack: u32, handle: ResourceId) {
        self.write_request(Stack::Known(stack), kind, request, handle);
    }

    fn write_request(&self, stack: Stack, kind: ResourceKind, request: ResourceId, handle: ResourceId) {
        let record = Record::new(self.read_clock(), RecordKind::RequestBegun);
        self.write_with(stack, Record { code: kind as u16, a: request.0, b: handle.0, ..record });
    }

    /// Garbage was collected from then until now. Times are those of the recording.
    pub fn collected(&self, is_nursery: bool, began_ns: u64) {
        let a = self.read_clock();
        self.write(Record { code: u16::from(!is_nursery), a, ..Record::new(began_ns, RecordKind::Collection) });
    }

    /// A message is sent to another thread, by the code with this stack. Returns the id of its flow, for
    /// [`Recorder::message_received`].
    pub fn message_sent(&self, port: u32, bytes: usize, stack: u32) -> u64 {
        let flow = self.session.next_flow();
        self.message(RecordKind::MessageSent, flow, u64::from(port) | u64::from(stack) << 32, bytes);
        flow
    }

    /// A message arrived.
    pub fn message_received(&self, flow: u64, port: u32, bytes: usize) {
        self.message(RecordKind::MessageReceived, flow, port.into(), bytes);
    }

    fn message(&self, kind: RecordKind, flow: u64, b: u64, bytes: usize) {
        let word = u32::try_from(bytes).unwrap_or(u32::MAX);
        self.write(Record { word, a: flow, b, ..Record::new(self.read_clock(), kind) });
    }

    /// A span begins. Returns its id, unique in the process.
    pub fn span_begin(&self, kind: SpanKind, label: u32, owner: ResourceId) -> ResourceId {
        let span = ResourceId::span(self.session.next_flow());
        let at_ns = self.read_clock();
        self.write(Record {
            code: kind as u16,
            word: label,
            a: span.0,
            b: owner.0,
            ..Record::new(at_ns, RecordKind::SpanBegin)
        });
        span
    }

    /// A span ends.
    pub fn span_end(&self, span: ResourceId, status: u32, bytes: u64) {
        self.write(Record { word: status, a: span.0, b: bytes, ..Record::new(self.read_clock(), RecordKind::SpanEnd) });
    }

    /// A span that has ended, with its begin and end as times of the recording.
    pub fn span(&self, kind: SpanKind, label: u32, owner: ResourceId, times_ns: Range<u64>, status: u32, bytes: u64) {
        let a = ResourceId::span(self.session.next_flow()).0;
        self.write(Record {
            code: kind as u16,
            word: label,
            a,
            b: owner.0,
            ..Record::new(times_ns.start, RecordKind::SpanBegin)
        });
        self.write(Record { word: status, a, b: bytes, ..Record::new(times_ns.end, RecordKind::SpanEnd) });
    }

    /// A mark of the program.
    pub fn mark(&self, label: u32) {
        self.write(Record { word: label, ..Record::new(self.read_clock(), RecordKind::Mark) });
    }

    /// The value of a counter, at the time that was last read.
    pub fn counter(&self, kind: CounterKind, value: u64) {
        self.write(Record { code: kind as u16, a: value, ..Record::new(self.now_ns.get(), RecordKind::Counter) });
    }

    /// Something that a detector looks for, noticed in code with this stack.
    pub fn finding(&self, kind: FindingKind, label: u32, subject: u64, number: u32, stack: u32) {
        let at_ns = self.read_clock();
        self.write(Record {
            code: kind as u16,
            word: label,
            a: subject,
            b: u64::from(number) | u64::from(stack) << 32,
            ..Record::new(at_ns, RecordKind::Finding)
        });
    }

    /// The number of a location.
    pub fn location(&self, location: &Location) -> u32 {
        let (number, is_new) = self.locations.borrow_mut().number(location);
        if is_new {
            self.track.define(Definition::Location(number, location.clone()));
        }
        number
    }

    /// The number of a stack, given as numbers of locations, the innermost call first.
    pub fn stack(&self, locations: &[u32]) -> u32 {
        let (number, is_new) = self.stacks.borrow_mut().number(locations);
        if is_new {
            self.track.define(Definition::Stack(number, locations.to_vec()));
        }
        number
    }

    /// The number of a text.
    pub fn label(&self, text: &str) -> u32 {
        let (number, is_new) = self.labels.borrow_mut().number(text);
        if is_new {
            self.track.define(Definition::Label(number, text.to_owned()));
        }
        number
    }

    /// Says what is known of a resource: an address, a path, a command. Ignored after 65536 calls, to bound the
    /// memory of a long recording.
    pub fn describe(&self, resource: ResourceId, text: &str) {
        let described = self.described.get();
        if described == MOST_DESCRIPTIONS {
            return;
        }
        self.described.set(described + 1);
        self.track.define(Definition::Resource(resource, text.to_owned()));
    }

    /// An observer that records what the loop does.
    pub fn observer(self: &Rc<Recorder>) -> Box<dyn Observer> {
        Box::new(LoopObserver::new(Rc::clone(self), || 0))
    }

    /// The time of the monotonic clock as a time of the recording.
    fn since_start(&self, monotonic_ns: u64) -> u64 {
        monotonic_ns.saturating_sub(self.session.base_ns())
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.end_to(0);
        self.track.end();
    }
}

/// Records what the loop does. A front end gives it the stack of the code that calls the loop.
pub struct LoopObserver {
    recorder: Rc<Recorder>,
    stack: Box<dyn Fn() -> Stack>,
    /// Handles by which the front end runs callbacks that it records itself.
    hidden: Vec<HandleId>,
    in_hidden: bool,
    /// The beginning of a poll that does not block, which is written if the poll finds something.
    poll: Option<Record>,
    pool: PoolCounter,
}

/// Counts the tasks of the pool whose results have not arrived.
#[derive(Default)]
struct PoolCounter {
    tasks: u64,
    /// The last number that was recorded, and when.
    recorded: u64,
    recorded_ns: u64,
}

/// The number of pool tasks is recorded after this time, or if it has changed much.
const COUNT_EACH_NS: u64 = 1_000_000;

impl PoolCounter {
    fn change(&mut self, recorder: &Recorder, tasks: u64) {
        self.tasks = tasks;
        let now_ns = recorder.now_ns();
        let has_changed_much = tasks.abs_diff(self.recorded) > 4 + self.recorded / 2;
        if has_changed_much || now_ns.saturating_sub(self.recorded_ns) >= COUNT_EACH_NS {
            (self.recorded, self.recorded_ns) = (tasks, now_ns);
            recorder.counter(CounterKind::PoolTasks, tasks);
        }
    }
}

/// The stack of a record.
enum Stack {
    /// Its number.
    Known(u32),
    /// [`Recorder::settle`] gets it.
    Deferred,
}

impl fmt::Debug for LoopObserver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LoopObserver")
    }
}

impl LoopObserver {
    /// An observer that asks `stack` for the stack of the code that opens a handle, starts a timer or begins a request:
    /// a number of [`Recorder::stack`], or 0.
    pub fn new(recorder: Rc<Recorder>, stack: impl Fn() -> u32 + 'static) -> LoopObserver {
        LoopObserver {
            recorder,
            stack: Box::new(move || Stack::Known(stack())),
            hidden: Vec::new(),
            in_hidden: false,
            poll: None,
            pool: PoolCounter::default(),
        }
    }

    /// As [`LoopObserver::new`], for a front end that cannot make a stack while the loop calls its observer. It is asked to
    /// call [`Recorder::settle`] as soon as it can, and before the code that runs goes on. The records are written then, or
    /// without a stack when the next callback begins.
    pub fn deferring(recorder: Rc<Recorder>, request: impl Fn() + 'static) -> LoopObserver {
        let stack = move || {
            request();
            Stack::Deferred
        };
        LoopObserver {
            recorder,
            stack: Box::new(stack),
            hidden: Vec::new(),
            in_hidden: false,
            poll: None,
            pool: PoolCounter::default(),
        }
    }

    /// Does not record the callbacks of these handles, nor the starts of timers among them: the front end runs callbacks of
    /// its own by them, and records those.
    #[must_use]
    pub fn hiding(self, handles: &[HandleId]) -> LoopObserver {
        LoopObserver { hidden: handles.to_vec(), ..self }
    }
}

impl Observer for LoopObserver {
    fn turn_begin(&mut self, turn: u64) {
        let recorder = &self.recorder;
        recorder.end_phase();
        recorder.write(Record { a: turn, ..Record::new(recorder.now_ns(), RecordKind::Turn) });
    }

    fn phase_begin(&mut self, phase: Phase) {
        self.recorder.phase.set(Some(phase));
    }

    fn phase_end(&mut self, _phase: Phase) {
        self.recorder.phase.set(None);
        self.recorder.end_phase();
    }

    fn poll_begin(&mut self, timeout_ms: Option<u64>) {
        let recorder = &self.recorder;
        let word = timeout_ms.map_or(u32::MAX, |ms| u32::try_from(ms).unwrap_or(u32::MAX - 1));
        // A poll that does not block is part of nearly every turn: no reading of the clock, and no record if it finds nothing.
        let at_ns = if word == 0 { recorder.now_ns() } else { recorder.read_clock() };
        let record = Record { word, ..Record::new(at_ns, RecordKind::PollBegin) };
        if word == 0 {
            self.poll = Some(record);
        } else {
            recorder.write(record);
        }
    }

    fn poll_end(&mut self, ready: usize) {
        let recorder = &self.recorder;
        if let Some(begin) = self.poll.take() {
            if ready == 0 {
                return;
            }
            recorder.write(begin);
        }
        // The thread may have slept, and may have woken on another processor.
        recorder.clock.borrow_mut().invalidate();
        let at_ns = recorder.read_clock();
        recorder.write(Record { word: ready as u32, ..Record::new(at_ns, RecordKind::PollEnd) });
    }

    fn callback_begin(&mut self, callback: ObservedEvent) {
        let recorder = &self.recorder;
        if let Some(handle) = callback.handle
            && self.hidden.contains(&handle)
        {
            self.in_hidden = true;
            return;
        }
        let at_ns = recorder.read_clock();
        let resource = match (callback.handle, callback.request) {
            (Some(handle), _) => ResourceId::handle(handle),
            (None, Some(request)) => ResourceId::request(request),
            (None, None) => ResourceId::NONE,
        };
        recorder.begin_at(at_ns, callback_kind(callback.kind), 0, resource, 0);
    }

    fn callback_end(&mut self) {
        let recorder = &self.recorder;
        // Callbacks within it that an exception has left open end with it.
        if std::mem::take(&mut self.in_hidden) {
            recorder.end_to(0);
            return;
        }
        recorder.end_to(1);
        recorder.end(0, 0);
    }

    fn handle_opened(&mut self, handle: HandleId, kind: Kind) {
        let resource = ResourceId::handle(handle);
        self.recorder.write_created((self.stack)(), resource_kind(kind), resource, ResourceId::NONE);
    }

    fn handle_closing(&mut self, handle: HandleId, kind: Kind) {
        self.recorder.closed(resource_kind(kind), ResourceId::handle(handle));
    }

    fn timer_started(&mut self, timer: HandleId, after_ms: u64, repeat_ms: u64) {
        if !self.hidden.contains(&timer) {
            self.recorder.write_timer((self.stack)(), ResourceId::handle(timer), after_ms, repeat_ms);
        }
    }

    fn request_begun(&mut self, request: RequestId, kind: RequestKind, handle: Option<HandleId>) {
        if is_pool_task(kind) {
            self.pool.change(&self.recorder, self.pool.tasks + 1);
        }
        let handle = handle.map_or(ResourceId::NONE, ResourceId::handle);
        self.recorder.write_request((self.stack)(), request_kind(kind), ResourceId::request(request), handle);
    }

    fn task_done(&mut self, request: RequestId, _kind: RequestKind, span: TaskSpan) {
        let recorder = &self.recorder;
        self.pool.change(recorder, self.pool.tasks.saturating_sub(1));
        if span.started_ns == 0 {
            return;
        }
        let queued_us = span.started_ns.saturating_sub(span.queued_ns) / 1000;
        recorder.write(Record {
            code: span.thread as u16,
            word: u32::try_from(queued_us).unwrap_or(u32::MAX),
            a: ResourceId::request(request).0,
            b: recorder.since_start(span.finished_ns),
            ..Record::new(recorder.since_start(span.started_ns), RecordKind::PoolTask)
        });
    }
}

/// The callback that runs for an event of the loop.
pub fn callback_kind(kind: EventKind) -> CallbackKind {
    match kind {
        EventKind::Timer => CallbackKind::Timer,
        EventKind::Idle => CallbackKind::Idle,
        EventKind::Prepare => CallbackKind::Prepare,
        EventKind::Check => CallbackKind::Check,
        EventKind::Async => CallbackKind::Async,
        EventKind::Attention => CallbackKind::Attention,
        EventKind::Datagram => CallbackKind::Datagram,
        EventKind::Ready => CallbackKind::Ready,
        EventKind::Exit => CallbackKind::Exit,
        EventKind::FsEvent => CallbackKind::FsEvent,
        EventKind::FsPoll => CallbackKind::FsPoll,
        EventKind::Signal => CallbackKind::Signal,
        EventKind::Connection => CallbackKind::Connection,
        EventKind::Hangup => CallbackKind::Hangup,
        EventKind::Readable => CallbackKind::Readable,
        EventKind::Done => CallbackKind::Done,
        EventKind::Closed => CallbackKind::Closed,
    }
}

fn resource_kind(kind: Kind) -> ResourceKind {
    match kind {
        Kind::Async => ResourceKind::Async,
        Kind::Check => ResourceKind::Check,
        Kind::FsEvent => ResourceKind::FsEvent,
        Kind::FsPoll => ResourceKind::FsPoll,
        Kind::Idle => ResourceKind::Idle,
        Kind::Pipe => ResourceKind::Pipe,
        Kind::Poll => ResourceKind::Poll,
        Kind::Prepare => ResourceKind::Prepare,
        Kind::Process => ResourceKind::Process,
        Kind::Signal => ResourceKind::Signal,
        Kind::Tcp => ResourceKind::Tcp,
        Kind::Timer => ResourceKind::Timer,
        Kind::Tty => ResourceKind::Tty,
        Kind::Udp => ResourceKind::Udp,
    }
}

/// Whether a thread of the pool performs requests of this kind.
fn is_pool_task(kind: RequestKind) -> bool {
    use RequestKind::{Fs, Getaddrinfo, Getnameinfo, Random, Work};
    matches!(kind, Fs | Getaddrinfo | Getnameinfo | Random | Work)
}

fn request_kind(kind: RequestKind) -> ResourceKind {
    match kind {
        RequestKind::Connect => ResourceKind::Connect,
        RequestKind::Fs => ResourceKind::Fs,
        RequestKind::Getaddrinfo => ResourceKind::Getaddrinfo,
        RequestKind::Getnameinfo => ResourceKind::Getnameinfo,
        RequestKind::Random => ResourceKind::Random,
        RequestKind::Shutdown => ResourceKind::Shutdown,
        RequestKind::UdpSend => ResourceKind::UdpSend,
        RequestKind::Work => ResourceKind::Work,
        RequestKind::Write => ResourceKind::Write,
    }
}
