//! The data that JavaScript adds to a recording of `phasor-lens`: timers, immediates, ticks and microtasks, and source
//! locations.
//!
//! The loop's part is recorded by an observer of the core. JavaScript reads the level of detail from `flags[TRACE]` of the scheduler: while it
//! is 0 nothing is recorded, and each place costs one branch.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::{Rc, Weak};

use phasor_core::{HandleId, ObserverId};
use phasor_engine::{
    Fallible, Function, Local, MicrotaskObserver, MicrotaskStep, NativeEnd, Object, Runtime, Scope, StackFrame, Value,
    define_natives,
};
use phasor_lens::{
    CallbackKind, CounterKind, FindingKind, Location, LoopObserver, Recorder, ResourceId, ResourceKind, SpanKind,
    WhyEntry,
};

use crate::clone::Message;
use crate::sampler::Sampler;
use crate::state::{State, state};

/// How many frames of a stack are recorded.
const FRAMES: u32 = 16;

/// The detail from which on each tick and microtask has a record of its own.
const EACH_MICROTASK: u8 = 2;

/// The detail from which on the stack of each `then` and `await` is recorded.
const EACH_REACTION: u8 = 3;

/// A synchronous operation is recorded if it blocks the thread for as long.
const BLOCKED_NS: u64 = 1_000_000;

/// How much of a command or path is recorded, in bytes.
const LABEL_BYTES: usize = 200;

/// The recording of one JavaScript thread.
pub struct Recording {
    recorder: Rc<Recorder>,
    observer: Cell<Option<ObserverId>>,
    /// Maps the engine's id of a function to the recorder's location; `stacks` maps ids of stacks.
    functions: RefCell<Vec<Known>>,
    stacks: RefCell<Vec<Known>>,
    /// The last number that was given to a timer, immediate, tick or promise.
    newest: Cell<u64>,
    /// How many microtasks had run when the current drain began.
    microtasks_before: Cell<u64>,
    /// The last recorded number of immediates.
    immediates: Cell<u32>,
    /// How many callbacks were open when each microtask began that runs now.
    microtask_depths: RefCell<Vec<u32>>,
    collection_began_ns: Cell<u64>,
    sampler: Option<Sampler>,
}

/// A function or a stack that has a number.
#[derive(Clone, Copy, Default)]
struct Known {
    /// The recorder's number of the location or of the stack.
    number: u32,
    /// Whether it belongs to the program, and not to the runtime: of a stack, whether a frame does.
    is_users: bool,
}

/// The part of a thread's state that exists without a recording.
#[derive(Default)]
pub(crate) struct RecordingSlot {
    current: RefCell<Option<Rc<Recording>>>,
    native_end: OnceCell<NativeEnd>,
}

impl Recording {
    /// The recorder.
    pub fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// The number of the place of a function, and whether it is the program's.
    fn function(&self, scope: Scope<'_>, function: Local<'_, Function>) -> Known {
        let number = scope.function_number(function).number as usize;
        if number == 0 {
            return Known::default();
        }
        if let Some(known) = self.functions.borrow().get(number - 1).filter(|known| known.number != 0) {
            return *known;
        }
        let Some(site) = scope.function_site(function) else { return Known::default() };
        let location =
            Location { function: readable_name(&site.name), file: site.file, line: site.line, column: site.column };
        let known = Known { number: self.recorder.location(&location), is_users: !location.is_internal() };
        let mut functions = self.functions.borrow_mut();
        if functions.len() < number {
            functions.resize(number, Known::default());
        }
        functions[number - 1] = known;
        known
    }

    /// The number of the stack at this place.
    pub fn stack(&self, scope: Scope<'_>) -> u32 {
        self.known_stack(scope).number
    }

    fn known_stack(&self, scope: Scope<'_>) -> Known {
        let number = scope.stack_number(FRAMES).number as usize;
        if number == 0 {
            return Known::default();
        }
        if let Some(known) = self.stacks.borrow().get(number - 1).filter(|known| known.number != 0) {
            return *known;
        }
        let frames = scope.numbered_frames(number as u32);
        let frames: Vec<Location> = frames.iter().map(location_of).collect();
        let locations: Vec<u32> = frames.iter().map(|location| self.recorder.location(location)).collect();
        let is_users = frames.iter().any(|location| !location.is_internal());
        let known = Known { number: self.recorder.stack(&locations), is_users };
        let mut stacks = self.stacks.borrow_mut();
        if stacks.len() < number {
            stacks.resize(number, Known::default());
        }
        stacks[number - 1] = known;
        known
    }

    /// A function of JavaScript is called: the innermost open callback gets its place, if it has none and the function is the program's.
    pub fn locate(&self, scope: Scope<'_>, function: Local<'_, Function>) {
        if self.recorder.wants_location() {
            let known = self.function(scope, function);
            if known.is_users {
                self.recorder.locate(known.number);
            }
        }
    }

    /// The number of immediates in the queue when the check phase begins. Recorded if it has changed much.
    pub(crate) fn count_immediates(&self, count: u32) {
        let last = self.immediates.get();
        if count.abs_diff(last) > last / 2 {
            self.immediates.set(count);
            self.recorder.counter(CounterKind::Immediates, count.into());
        }
    }

    /// A callback begins that calls this function.
    fn begin(
        &self,
        scope: Scope<'_>,
        kind: CallbackKind,
        function: Option<Local<'_, Function>>,
        resource: ResourceId,
        cause_ns: u64,
    ) {
        let known = function.map_or_else(Known::default, |function| self.function(scope, function));
        self.recorder.begin(kind, known.number, resource, cause_ns);
        if !known.is_users {
            // A function of the program that it calls says more.
            self.recorder.unlocate();
            state(scope).scheduler.set_unlocated(scope);
        }
    }

    /// The number of microtasks since the drain began that have no record of their own.
    fn unrecorded_microtasks(&self, scope: Scope<'_>, before: u64) -> u64 {
        if self.recorder.detail() < EACH_MICROTASK { scope.microtask_count() - before } else { 0 }
    }

    fn next_resource(&self) -> ResourceId {
        self.newest.set(self.newest.get() + 1);
        ResourceId::script(self.newest.get())
    }
}

/// The location of a frame.
pub(crate) fn location_of(frame: &StackFrame) -> Location {
    Location {
        function: readable_name(frame.function.as_deref().unwrap_or_default()),
        file: frame.file.clone().unwrap_or_default(),
        line: frame.line,
        column: frame.column,
    }
}

/// The name of a function for people. The engine calls a function without a name after where it is: `outer/<` is in `outer`, `x<` is
/// assigned to `x` in some way.
pub(crate) fn readable_name(name: &str) -> String {
    match name.strip_suffix('<') {
        None => name.to_owned(),
        Some(outer) => match outer.trim_end_matches(['/', '<']) {
            "" => String::new(),
            outer => format!("<anonymous in {outer}>"),
        },
    }
}

/// The beginning of a text, at most [`LABEL_BYTES`] long.
fn shortened(text: &str) -> &str {
    &text[..text.floor_char_boundary(LABEL_BYTES)]
}

/// The number that stands for a port in the record of a message: the lower half of the id of its handle.
fn port_number(port: Option<HandleId>) -> u32 {
    port.map_or(0, |id| id.to_bits() as u32)
}

impl State {
    /// The recording of this thread, if there is one.
    #[inline]
    pub fn recording(&self) -> Option<Rc<Recording>> {
        self.recording.current.borrow().clone()
    }

    /// Lets stacks be captured at the end of native functions.
    pub(crate) fn link_recording(&self, runtime: &Runtime) {
        let end = runtime.on_native_end(|scope| {
            if let Some(recording) = state(scope).recording() {
                recording.recorder.settle(recording.stack(scope));
            }
            state(scope).settle_origins(scope);
        });
        let _ = self.recording.native_end.set(end);
    }

    /// Asks for the functions of [`State::link_recording`] when the native function that runs has ended.
    pub(crate) fn native_end(&self) -> NativeEnd {
        self.recording.native_end.get().cloned().unwrap_or_default()
    }

    /// Records what this thread does from now on.
    pub fn start_recording(&self, scope: Scope<'_>, recorder: Rc<Recorder>) {
        let recording = Rc::new(Recording {
            recorder: Rc::clone(&recorder),
            observer: Cell::new(None),
            functions: RefCell::default(),
            stacks: RefCell::default(),
            newest: Cell::new(0),
            microtasks_before: Cell::new(0),
            immediates: Cell::new(0),
            microtask_depths: RefCell::default(),
            collection_began_ns: Cell::new(0),
            sampler: self
                .limits
                .interrupter()
                .filter(|_| recorder.has_findings())
                .and_then(|interrupter| Sampler::start(recorder.outermost_ns(), interrupter.clone())),
        });
        let end = self.native_end();
        let mut observer = LoopObserver::deferring(Rc::clone(&recorder), move || end.request());
        if let Some(own) = self.own.get() {
            observer = observer.hiding(&[own.timer, own.check, own.idle]);
        }
        recording.observer.set(Some(self.core().add_observer(Box::new(observer))));
        let weak = Rc::downgrade(&recording);
        scope.on_collection(Some(Box::new(move |step| {
            let Some(recording) = weak.upgrade() else { return };
            if step.begins {
                recording.collection_began_ns.set(recording.recorder.read_clock());
            } else {
                recording.recorder.collected(step.is_nursery, recording.collection_began_ns.get());
                if !step.is_nursery {
                    recording.recorder.counter(CounterKind::HeapBytes, step.heap_bytes);
                }
            }
        })));
        self.scheduler.set_trace(scope, recorder.detail().into(), recorder.has_findings());
        if recorder.detail() >= EACH_MICROTASK {
            scope.observe_microtasks(Some(Rc::new(Microtasks(Rc::downgrade(&recording)))));
        }
        self.tools.set_recorder(Some(recorder));
        self.write_recording_at_signals();
        self.recording.current.replace(Some(recording));
    }

    /// Ends the recording of this thread. Does nothing if there is none.
    pub fn stop_recording(&self, scope: Scope<'_>) {
        if self.recording().is_some() {
            self.scheduler.set_trace(scope, 0, false);
            scope.on_collection(None);
            scope.observe_microtasks(None);
            self.forget_recording();
        }
    }

    /// Stops recording like [`State::stop_recording`], when the engine must not be called any more.
    pub(crate) fn forget_recording(&self) {
        let Some(recording) = self.recording.current.take() else { return };
        self.tools.set_recorder(None);
        if let (Some(observer), Some(mut core)) = (recording.observer.get(), self.try_core()) {
            drop(core.remove_observer(observer));
        }
    }

    /// Ends the callbacks of the recording that an exception has left open, between two callbacks of JavaScript.
    #[inline]
    pub(crate) fn end_thrown_callbacks(&self) {
        if let Some(recording) = &*self.recording.current.borrow() {
            recording.recorder.end_to(0);
        }
    }

    /// Records the stack of the code that runs, if the sampler has asked for it. Called in the interrupt handler of the engine.
    pub(crate) fn sample(&self, scope: Scope<'_>) {
        let Some(recording) = self.recording() else { return };
        let Some(sampler) = recording.sampler.as_ref().filter(|sampler| sampler.take_request()) else { return };
        let stack = recording.known_stack(scope);
        if sampler.is_useful(stack.number, stack.is_users) {
            recording.recorder.finding(FindingKind::Running, 0, 0, 0, stack.number);
        }
    }

    /// True if this thread is recorded.
    #[inline]
    pub fn is_recorded(&self) -> bool {
        self.recording.current.borrow().is_some()
    }

    /// Called when a callback of JavaScript is called: see [`Recording::locate`].
    #[inline]
    pub fn locate(&self, scope: Scope<'_>, function: Local<'_, Function>) {
        if let Some(recording) = self.recording() {
            recording.locate(scope, function);
        }
    }

    /// Begins a span and returns its id, for [`State::end_span`]; None if nothing is recorded. `label` describes the
    /// span.
    #[inline]
    pub fn begin_span(&self, kind: SpanKind, owner: ResourceId, label: impl FnOnce() -> String) -> ResourceId {
        match self.recording() {
            Some(recording) => {
                let recorder = &recording.recorder;
                recorder.span_begin(kind, recorder.label(shortened(&label())), owner)
            }
            None => ResourceId::NONE,
        }
    }

    /// Ends a span. `status` is an HTTP status or an exit code.
    pub fn end_span(&self, span: ResourceId, status: u32, bytes: u64) {
        if let Some(recording) = self.recording().filter(|_| span.is_some()) {
            recording.recorder.span_end(span, status, bytes);
        }
    }

    /// Records the description of a resource.
    #[inline]
    pub fn describe(&self, resource: ResourceId, text: impl FnOnce() -> String) {
        if let Some(recording) = self.recording() {
            let text = text();
            if !text.is_empty() {
                recording.recorder.describe(resource, shortened(&text));
            }
        }
    }

    /// Records the data that the loop has for a handle, such as its addresses.
    #[inline]
    pub fn describe_handle(&self, id: HandleId) {
        if self.is_recorded() {
            self.describe(ResourceId::handle(id), || self.words_of_handle(id));
        }
    }

    /// Describes a handle in readable form, from the data of the loop.
    pub fn words_of_handle(&self, id: HandleId) -> String {
        let core = self.core();
        core.describe(id).map(|handle| WhyEntry::of_handle(&*core, id, handle.kind).what).unwrap_or_default()
    }

    /// True if a synchronous operation has blocked the thread for long since this time of the recording.
    pub(crate) fn has_blocked_since(&self, began_ns: u64) -> bool {
        self.recording().is_some_and(|recording| recording.recorder.read_clock() - began_ns >= BLOCKED_NS)
    }

    /// Records a synchronous operation that has ended. The argument is the time at which it began.
    pub(crate) fn record_blocked(&self, began_ns: u64, label: &str) {
        if let Some(recording) = self.recording() {
            let recorder = &recording.recorder;
            let label = recorder.label(shortened(label));
            recorder.span(SpanKind::Sync, label, ResourceId::NONE, began_ns..recorder.now_ns(), 0, 0);
        }
    }

    /// Records the start of a worker, whose end wakes the given handle. Returns the span of the worker.
    pub fn worker_started(&self, scope: Scope<'_>, handle: HandleId, label: &str) -> ResourceId {
        let Some(recording) = self.recording() else { return ResourceId::NONE };
        let (recorder, resource) = (&recording.recorder, ResourceId::handle(handle));
        let stack = recording.stack(scope);
        // The record of the handle itself comes first.
        recorder.settle(stack);
        recorder.created(ResourceKind::Worker, resource, stack, ResourceId::NONE);
        recorder.describe(resource, shortened(label));
        recorder.span_begin(SpanKind::Worker, recorder.label(shortened(label)), resource)
    }

    /// Records that a message is posted. Returns the id of its flow, or 0.
    #[inline]
    pub(crate) fn message_posted(
        &self,
        scope: Scope<'_>,
        port: Option<HandleId>,
        bytes: impl FnOnce() -> usize,
    ) -> u64 {
        match self.recording() {
            Some(recording) => recording.recorder.message_sent(port_number(port), bytes(), recording.stack(scope)),
            None => 0,
        }
    }

    /// Runs the callback of a message.
    #[inline]
    pub(crate) fn recorded_message<R>(
        &self,
        scope: Scope<'_>,
        port: Option<HandleId>,
        message: Message,
        body: impl FnOnce(Message) -> R,
    ) -> R {
        let Some(recording) = self.recording() else { return body(message) };
        self.scheduler.set_unlocated(scope);
        self.recorded(CallbackKind::Message, port.map_or(ResourceId::NONE, ResourceId::handle), || {
            // The sender of the message may not have been recorded.
            if message.flow != 0 {
                recording.recorder.message_received(message.flow, port_number(port), message.len_bytes());
            }
            body(message)
        })
    }

    /// Runs `body` as a callback of the recording, if there is one.
    pub(crate) fn recorded<R>(&self, kind: CallbackKind, resource: ResourceId, body: impl FnOnce() -> R) -> R {
        let Some(recording) = self.recording() else { return body() };
        let depth = recording.recorder.depth();
        recording.recorder.begin(kind, 0, resource, 0);
        let result = body();
        recording.recorder.end_to(depth + 1);
        recording.recorder.end(0, 0);
        result
    }

    /// Runs microtasks outside of a drain of JavaScript.
    pub(crate) fn recorded_microtasks<R>(&self, scope: Scope<'_>, body: impl FnOnce() -> R) -> R {
        let Some(recording) = self.recording() else { return body() };
        let before = scope.microtask_count();
        let depth = recording.recorder.depth();
        recording.begin(scope, CallbackKind::Drain, None, ResourceId::NONE, 0);
        let result = body();
        recording.recorder.end_to(depth + 1);
        recording.recorder.end(0, recording.unrecorded_microtasks(scope, before));
        result
    }
}

/// Records microtasks.
struct Microtasks(Weak<Recording>);

impl MicrotaskObserver for Microtasks {
    fn made(&self, scope: Scope<'_>, is_reaction: bool) -> u64 {
        let Some(recording) = self.0.upgrade() else { return 0 };
        if is_reaction && recording.recorder.detail() < EACH_REACTION {
            return 0;
        }
        let kind = if is_reaction { ResourceKind::Promise } else { ResourceKind::Microtask };
        let resource = recording.next_resource();
        recording.recorder.created(kind, resource, recording.stack(scope), ResourceId::NONE);
        recording.newest.get()
    }

    fn run(&self, scope: Scope<'_>, step: MicrotaskStep<'_>) {
        let Some(recording) = self.0.upgrade() else { return };
        let recorder = &recording.recorder;
        match step {
            MicrotaskStep::Begins(function, number) => {
                recording.microtask_depths.borrow_mut().push(recorder.depth());
                let resource = if number == 0 { ResourceId::NONE } else { ResourceId::script(number) };
                recording.begin(scope, CallbackKind::Microtask, function, resource, 0);
            }
            MicrotaskStep::Ends => {
                // The value is None for a microtask that had begun before the recording.
                if let Some(depth) = recording.microtask_depths.borrow_mut().pop() {
                    recorder.end_to(depth + 1);
                    if recorder.depth() > depth {
                        recorder.end(0, 0);
                    }
                }
            }
        }
    }
}

/// The recording of a thread, and its recorder.
fn with_recording<R: Default>(scope: Scope<'_>, call: impl FnOnce(&Recording, &Recorder) -> R) -> R {
    match &*state(scope).recording.current.borrow() {
        Some(recording) => call(recording, &recording.recorder),
        None => R::default(),
    }
}

/// Adds the native functions with which the inner scheduler records.
pub(crate) fn define(scope: Scope<'_>, object: Local<'_, Object>) -> Fallible<()> {
    define_natives!(scope, object,
        // `(kind, callback, id, cause)`: a callback begins. Returns the time at which it began.
        "traceBegin" => |scope: Scope<'_>, kind: u32, callback: Local<'_, Value>, id: f64, cause: f64| {
            with_recording(scope, |recording, recorder| {
                let Some(kind) = CallbackKind::from_number(kind as u16) else { return 0.0 };
                let resource = if id > 0.0 { ResourceId::script(id as u64) } else { ResourceId::NONE };
                if kind == CallbackKind::Drain {
                    recording.microtasks_before.set(scope.microtask_count());
                }
                recording.begin(scope, kind, callback.cast(), resource, cause as u64);
                recorder.current_ns() as f64
            })
        },
        // `()`: the innermost callback ends.
        "traceEnd" => |scope: Scope<'_>| with_recording(scope, |_, recorder| recorder.end(0, 0)),
        // `(ticks)`: the innermost callback, a drain, ends.
        "traceDrained" => |scope: Scope<'_>, ticks: u32| with_recording(scope, |recording, recorder| {
            recorder.end(ticks, recording.unrecorded_microtasks(scope, recording.microtasks_before.get()));
        }),
        // `()`: returns the cause of the objects that the running code makes now.
        "traceCause" => |scope: Scope<'_>| with_recording(scope, |_, recorder| recorder.current_ns() as f64),
        // `(kind)`: an object of this kind was made. Returns its id.
        "traceCreated" => |scope: Scope<'_>, kind: u32| with_recording(scope, |recording, recorder| {
            let Some(kind) = ResourceKind::from_number(kind as u16) else { return 0.0 };
            let resource = recording.next_resource();
            recorder.created(kind, resource, recording.stack(scope), ResourceId::NONE);
            recording.newest.get() as f64
        }),
        // `(after, repeats)`: a timer was made and started. Returns its id.
        "traceTimer" => |scope: Scope<'_>, after_ms: f64, repeats: bool| with_recording(scope, |recording, recorder| {
            let (resource, stack) = (recording.next_resource(), recording.stack(scope));
            let after_ms = after_ms.max(1.0) as u64;
            recorder.created(ResourceKind::Timeout, resource, stack, ResourceId::NONE);
            recorder.timer_started(resource, stack, after_ms, if repeats { after_ms } else { 0 });
            recording.newest.get() as f64
        }),
        // `(kind, id)`: the object will cause no more callbacks.
        "traceClosed" => |scope: Scope<'_>, kind: u32, id: f64| with_recording(scope, |_, recorder| {
            if let Some(kind) = ResourceKind::from_number(kind as u16) {
                recorder.closed(kind, ResourceId::script(id as u64));
            }
        }),
        // `(function)`: a function is called in the innermost callback. Returns whether the location of the callback is
        // known now.
        "traceLocate" => |scope: Scope<'_>, function: Local<'_, Value>| with_recording(scope, |recording, recorder| {
            if let Some(function) = function.cast() {
                recording.locate(scope, function);
            }
            !recorder.wants_location()
        }),
        // `(kind, value)`: the value of a counter.
        "traceCounter" => |scope: Scope<'_>, kind: u32, value: f64| with_recording(scope, |_, recorder| {
            if let Some(kind) = CounterKind::from_number(kind as u16) {
                recorder.counter(kind, value.max(0.0) as u64);
            }
        }),
        // `(kind, text, subject, number)`: a fact for a detector. Returns the subject; 0 stands for a new subject.
        "traceFinding" => |scope: Scope<'_>, kind: u32, text: String, subject: f64, number: f64| {
            with_recording(scope, |recording, recorder| {
                let Some(kind) = FindingKind::from_number(kind as u16) else { return 0.0 };
                let subject = if subject > 0.0 { subject as u64 } else { recording.next_resource().number() };
                recorder.finding(kind, recorder.label(&text), subject, number as u32, recording.stack(scope));
                subject as f64
            })
        },
        // `(kind, file, line, column)`: a fact for a detector, about code that does not run now.
        "traceFindingAt" => |scope: Scope<'_>, kind: u32, file: String, line: u32, column: u32| {
            with_recording(scope, |_, recorder| {
                let Some(kind) = FindingKind::from_number(kind as u16) else { return };
                let stack = match file.as_str() {
                    "" => 0,
                    _ => recorder.stack(&[recorder.location(&Location { function: String::new(), file, line, column })]),
                };
                recorder.finding(kind, 0, 0, 0, stack);
            });
        },
        // `(text)`: a mark of the program.
        "traceMark" => |scope: Scope<'_>, text: String| with_recording(scope, |_, recorder| {
            recorder.mark(recorder.label(shortened(&text)));
        }),
        // `(kind, text)`: a span begins. Returns its id.
        "traceSpanBegin" => |scope: Scope<'_>, kind: u32, text: String| with_recording(scope, |_, recorder| {
            let Some(kind) = SpanKind::from_number(kind as u16) else { return 0.0 };
            recorder.span_begin(kind, recorder.label(shortened(&text)), ResourceId::NONE).number() as f64
        }),
        // `()`: the time of the recording in milliseconds.
        "traceClock" => |scope: Scope<'_>| with_recording(scope, |_, recorder| recorder.read_clock() as f64 / 1e6),
        // `(kind, text, age, duration)`: a span that began `age` milliseconds ago.
        "traceSpan" => |scope: Scope<'_>, kind: u32, text: String, age_ms: f64, duration_ms: f64| {
            with_recording(scope, |_, recorder| {
                let Some(kind) = SpanKind::from_number(kind as u16) else { return };
                let began_ns = recorder.read_clock().saturating_sub((age_ms * 1e6) as u64);
                let ended_ns = began_ns.saturating_add((duration_ms * 1e6) as u64);
                let label = recorder.label(shortened(&text));
                recorder.span(kind, label, ResourceId::NONE, began_ns..ended_ns, 0, 0);
            });
        },
        // `(id, status, bytes)`: a span ends.
        "traceSpanEnd" => |scope: Scope<'_>, id: f64, status: u32, bytes: f64| with_recording(scope, |_, recorder| {
            recorder.span_end(ResourceId::span(id as u64), status, bytes as u64);
        }),
    );
    Ok(())
}
