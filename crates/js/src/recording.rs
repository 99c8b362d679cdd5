//! What JavaScript adds to a recording of `phasor-lens`: timers, immediates, ticks and microtasks, and where the code is.
//!
//! The loop's part is recorded by an observer of the core. JavaScript reads the level of detail from `flags[TRACE]` of the scheduler: while it
//! is 0 nothing is recorded, and each place costs one branch.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

use phasor_core::ObserverId;
use phasor_engine::{Fallible, Function, Local, NativeEnd, Object, Runtime, Scope, StackFrame, Value, define_natives};
use phasor_lens::{
    CallbackKind, CounterKind, FindingKind, Location, LoopObserver, Recorder, ResourceId, ResourceKind, SpanKind,
};

use crate::sampler::Sampler;
use crate::state::{State, state};

/// How many frames of a stack are recorded.
const FRAMES: u32 = 16;

/// The recording of one JavaScript thread.
pub struct Recording {
    recorder: Rc<Recorder>,
    observer: Cell<Option<ObserverId>>,
    /// The recorder's number of each function and stack, by the engine's number.
    functions: RefCell<Vec<Known>>,
    stacks: RefCell<Vec<Known>>,
    /// The last number that was given to a timer, immediate, tick or promise.
    newest: Cell<u64>,
    /// How many microtasks had run when the current drain began.
    microtasks_before: Cell<u64>,
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
            }
        })));
        self.scheduler.set_trace(scope, recorder.detail().into(), recorder.has_findings());
        self.tools.set_recorder(Some(recorder));
        self.write_recording_at_signals();
        self.recording.current.replace(Some(recording));
    }

    /// Ends the recording of this thread. Does nothing if there is none.
    pub fn stop_recording(&self, scope: Scope<'_>) {
        if self.recording().is_some() {
            self.scheduler.set_trace(scope, 0, false);
            scope.on_collection(None);
            self.forget_recording();
        }
    }

    /// As [`State::stop_recording`], when the engine must not be called any more.
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
        // Code of the engine may run for the program: an async function goes on, an array is sorted.
        if stack.is_users || !sampler.try_again() {
            recording.recorder.finding(FindingKind::Running, 0, 0, 0, stack.number);
        }
    }

    /// Runs `body` as a callback of the recording, if there is one.
    pub(crate) fn recorded<R>(&self, kind: CallbackKind, body: impl FnOnce() -> R) -> R {
        let Some(recording) = self.recording() else { return body() };
        let depth = recording.recorder.depth();
        recording.recorder.begin(kind, 0, ResourceId::NONE, 0);
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
        recording.recorder.begin(CallbackKind::Drain, 0, ResourceId::NONE, 0);
        let result = body();
        recording.recorder.end_to(depth + 1);
        recording.recorder.end(0, scope.microtask_count() - before);
        result
    }
}

/// The recording of a thread, and its recorder.
fn with_recording<R: Default>(scope: Scope<'_>, call: impl FnOnce(&Recording, &Recorder) -> R) -> R {
    match &*state(scope).recording.current.borrow() {
        Some(recording) => call(recording, &recording.recorder),
        None => R::default(),
    }
}

/// Adds the functions that the inner scheduler records with.
pub(crate) fn define(scope: Scope<'_>, object: Local<'_, Object>) -> Fallible<()> {
    define_natives!(scope, object,
        // `(kind, callback, id, cause)`: a callback begins. Returns when.
        "traceBegin" => |scope: Scope<'_>, kind: u32, callback: Local<'_, Value>, id: f64, cause: f64| {
            with_recording(scope, |recording, recorder| {
                let Some(kind) = CallbackKind::from_number(kind as u16) else { return 0.0 };
                let location = callback.cast().map_or(0, |function| recording.function(scope, function).number);
                let resource = if id > 0.0 { ResourceId::script(id as u64) } else { ResourceId::NONE };
                if kind == CallbackKind::Drain {
                    recording.microtasks_before.set(scope.microtask_count());
                }
                recorder.begin(kind, location, resource, cause as u64);
                recorder.current_ns() as f64
            })
        },
        // `()`: the innermost callback ends.
        "traceEnd" => |scope: Scope<'_>| with_recording(scope, |_, recorder| recorder.end(0, 0)),
        // `(ticks)`: the innermost callback, a drain, ends.
        "traceDrained" => |scope: Scope<'_>, ticks: u32| with_recording(scope, |recording, recorder| {
            recorder.end(ticks, scope.microtask_count() - recording.microtasks_before.get());
        }),
        // `()`: what causes the things that the code makes now.
        "traceCause" => |scope: Scope<'_>| with_recording(scope, |_, recorder| recorder.current_ns() as f64),
        // `(kind)`: something was made. Returns its id.
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
        // `(kind, id)`: it will cause nothing more.
        "traceClosed" => |scope: Scope<'_>, kind: u32, id: f64| with_recording(scope, |_, recorder| {
            if let Some(kind) = ResourceKind::from_number(kind as u16) {
                recorder.closed(kind, ResourceId::script(id as u64));
            }
        }),
        // `(function)`: a function is called in the innermost callback.
        "traceLocate" => |scope: Scope<'_>, function: Local<'_, Function>| {
            with_recording(scope, |recording, _| recording.locate(scope, function));
        },
        // `(kind, value)`: the value of a counter.
        "traceCounter" => |scope: Scope<'_>, kind: u32, value: f64| with_recording(scope, |_, recorder| {
            if let Some(kind) = CounterKind::from_number(kind as u16) {
                recorder.counter(kind, value.max(0.0) as u64);
            }
        }),
        // `(kind, text, subject, number)`: something that a detector looks for. Returns the subject; 0 stands for a new one.
        "traceFinding" => |scope: Scope<'_>, kind: u32, text: String, subject: f64, number: f64| {
            with_recording(scope, |recording, recorder| {
                let Some(kind) = FindingKind::from_number(kind as u16) else { return 0.0 };
                let subject = if subject > 0.0 { subject as u64 } else { recording.next_resource().number() };
                recorder.finding(kind, recorder.label(&text), subject, number as u32, recording.stack(scope));
                subject as f64
            })
        },
        // `(kind, file, line, column)`: something that a detector looks for, in code that does not run.
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
            recorder.mark(recorder.label(&text));
        }),
        // `(kind, text)`: a span begins. Returns its id.
        "traceSpanBegin" => |scope: Scope<'_>, kind: u32, text: String| with_recording(scope, |_, recorder| {
            let Some(kind) = SpanKind::from_number(kind as u16) else { return 0.0 };
            recorder.span_begin(kind, recorder.label(&text), ResourceId::NONE).number() as f64
        }),
        // `(id, status, bytes)`: a span ends.
        "traceSpanEnd" => |scope: Scope<'_>, id: f64, status: u32, bytes: f64| with_recording(scope, |_, recorder| {
            recorder.span_end(ResourceId::span(id as u64), status, bytes as u64);
        }),
    );
    Ok(())
}
