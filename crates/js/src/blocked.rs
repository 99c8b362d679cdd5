//! `--blocked` and `onBlocked` of `phasor:loop`: notifies the watchdog of `phasor-lens` of the code that this thread
//! runs, and of its source location.
//!
//! A light observer of the core says when a callback begins and ends. An event of the core may contain many callbacks of JavaScript (all due
//! timers, all immediates, many messages); each begins anew. The interrupt handler of the engine takes the samples. Native functions that
//! may block for long run in [`State::blocking`], because the engine cannot interrupt them.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use phasor_core::{AsyncSender, Event, HandleId, NanosecondClock, ObservedEvent, Observer};
use phasor_engine::{
    Attributes, Fallible, Function, Global, JsString, Local, Object, Runtime, Scope, StackFrame, Symbol, Value,
    define_natives,
};
use phasor_lens::watchdog::{self, Block, Frame, Sample, Watched};
use phasor_lens::{CallbackKind, callback_kind};

use crate::face::{JsFace, OnEvent};
use crate::recording::location_of;
use crate::state::{State, state};

/// How many frames of a stack are captured.
const FRAMES: u32 = 64;

/// A text of at least this many UTF-16 units takes `JSON.parse` long enough to register it with its stack.
const LARGE_UNITS: usize = 64 << 10;

/// The most characters of a value that a report shows.
const SHOWN_CHARS: usize = 80;

/// The most frames of async contexts that a report reads.
const MOST_CONTEXTS: usize = 64;

/// The state of a thread for the watchdog.
#[derive(Default)]
pub(crate) struct BlockedSlot {
    watch: OnceCell<Rc<Watch>>,
    interrupter: OnceCell<phasor_engine::Interrupter>,
    /// The objects `asyncState` and `watched` of `internal/scheduler/state`.
    script_state: RefCell<Option<[Global<Object>; 2]>>,
}

impl BlockedSlot {
    pub(crate) fn clear(&self) {
        self.script_state.take();
        if let Some(watch) = self.watch.get() {
            watch.listener.take();
        }
    }
}

/// The data of this thread that the watchdog reads.
pub(crate) struct Watch {
    watched: Arc<Watched>,
    clock: RefCell<NanosecondClock>,
    /// The frames of stacks, by the engine's number.
    stacks: RefCell<Vec<Option<Arc<[Frame]>>>>,
    /// How many microtasks had run when the first drain of the callback began.
    microtasks_before: Cell<Option<u64>>,
    /// Blocks of the event loop that were not reported to listeners yet.
    blocks: RefCell<Vec<Block>>,
    listener: RefCell<Option<Listener>>,
}

/// The listener of `phasor:loop`.
struct Listener {
    function: Global<Function>,
    /// The shortest limit.
    limit: Duration,
    handle: HandleId,
    sender: AsyncSender,
}

impl Watch {
    /// Called when a callback begins; the previous callback has ended.
    #[inline]
    fn begin(&self, kind: CallbackKind, name: impl FnOnce() -> Sample) {
        self.end(name);
        self.microtasks_before.set(None);
        self.watched.begin(kind, self.clock.borrow_mut().now_ns());
    }

    /// Called when the callback has ended. `name` returns its description, if the watchdog needs it.
    #[inline]
    fn end(&self, name: impl FnOnce() -> Sample) {
        if self.watched.end() {
            self.ended(name);
        }
    }

    #[cold]
    fn ended(&self, name: impl FnOnce() -> Sample) {
        let Some(block) = self.watched.ended(name) else { return };
        let listener = self.listener.borrow();
        if let Some(listener) = listener.as_ref().filter(|listener| block.took >= listener.limit) {
            self.blocks.borrow_mut().push(block);
            listener.sender.send();
        }
    }

    /// The frames of the current stack. Equal stacks are read once.
    fn stack(&self, scope: Scope<'_>) -> Arc<[Frame]> {
        let number = scope.stack_number(FRAMES).number as usize;
        if number == 0 {
            return Arc::from(Vec::new());
        }
        if let Some(Some(known)) = self.stacks.borrow().get(number - 1) {
            return Arc::clone(known);
        }
        let frames: Arc<[Frame]> = scope.numbered_frames(number as u32).iter().map(frame_of).collect();
        let mut stacks = self.stacks.borrow_mut();
        if stacks.len() < number {
            stacks.resize(number, None);
        }
        stacks[number - 1] = Some(Arc::clone(&frames));
        frames
    }
}

fn frame_of(frame: &StackFrame) -> Frame {
    Frame { location: location_of(frame), is_async: frame.is_async }
}

/// Notifies the watchdog of the callback of the core that runs.
struct BlockedObserver {
    watch: Rc<Watch>,
    /// Notifies the watchdog that the current wait may block.
    may_sleep: bool,
}

impl Observer for BlockedObserver {
    fn wants_phases(&self) -> bool {
        false
    }

    fn poll_begin(&mut self, timeout_ms: Option<u64>) {
        self.may_sleep = timeout_ms != Some(0);
    }

    fn poll_end(&mut self, _ready: usize) {
        if self.may_sleep {
            self.watch.clock.borrow_mut().invalidate();
        }
    }

    fn callback_begin(&mut self, callback: ObservedEvent) {
        self.watch.begin(callback_kind(callback.kind), Sample::default);
    }

    fn callback_end(&mut self) {
        self.watch.end(Sample::default);
    }
}

impl State {
    pub(crate) fn link_blocked(&self, runtime: &Runtime) {
        let _ = self.blocked.interrupter.set(runtime.interrupter());
    }

    /// The watch of this thread, if it is watched.
    #[inline]
    fn watch(&self) -> Option<&Rc<Watch>> {
        self.blocked.watch.get()
    }

    /// Starts to watch this thread, if the program was started with `--blocked`. `JSON.parse` and `JSON.stringify` are registered then.
    pub(crate) fn watch_if_wanted(&self, scope: Scope<'_>) -> Fallible<()> {
        if watchdog::limit().is_none() {
            return Ok(());
        }
        self.start_watching(scope)?;
        register_json(scope)
    }

    fn start_watching(&self, scope: Scope<'_>) -> Fallible<()> {
        if self.watch().is_some() {
            return Ok(());
        }
        let name = match self.options.thread_id {
            0 => "main".to_owned(),
            id => format!("worker {id}"),
        };
        let interrupter = self.blocked.interrupter.get().cloned();
        let watched = Watched::new(&name, move || {
            if let Some(interrupter) = &interrupter {
                interrupter.interrupt();
            }
        });
        let watch = self.blocked.watch.get_or_init(|| {
            Rc::new(Watch {
                watched,
                clock: RefCell::default(),
                stacks: RefCell::default(),
                microtasks_before: Cell::new(None),
                blocks: RefCell::default(),
                listener: RefCell::default(),
            })
        });
        let observer = BlockedObserver { watch: Rc::clone(watch), may_sleep: true };
        self.core().add_observer(Box::new(observer));
        self.scheduler.set_watched(scope);
        Ok(())
    }

    /// Runs `body` as a callback that is reported to the watchdog.
    pub(crate) fn watched<R>(&self, scope: Scope<'_>, kind: CallbackKind, body: impl FnOnce() -> R) -> R {
        let Some(watch) = self.watch() else { return body() };
        watch.begin(kind, Sample::default);
        let result = body();
        watch.end(|| self.callback_sample(scope));
        result
    }

    /// Called when a callback begins within an event of the core.
    #[inline]
    pub(crate) fn watch_begins(&self, scope: Scope<'_>, kind: CallbackKind) {
        if let Some(watch) = self.watch() {
            watch.begin(kind, || self.callback_sample(scope));
        }
    }

    /// Called when the thread exits in the middle of a callback.
    pub(crate) fn watch_ends(&self) {
        if let Some(watch) = self.watch() {
            watch.end(Sample::default);
        }
    }

    /// Called when microtasks are about to run.
    #[inline]
    pub(crate) fn watch_microtasks(&self, scope: Scope<'_>) {
        if let Some(watch) = self.watch()
            && watch.microtasks_before.get().is_none()
        {
            watch.microtasks_before.set(Some(scope.microtask_count()));
        }
    }

    /// Takes a sample if the watchdog has requested one. Called by the interrupt handler.
    pub(crate) fn sample_if_wanted(&self, scope: Scope<'_>) {
        if let Some(watch) = self.watch()
            && watch.watched.wants_sample()
        {
            self.take_sample(scope, watch, None, false);
        }
    }

    /// Called when JavaScript has returned before the interrupt could take a sample: the last function that it called
    /// was native.
    #[inline]
    pub(crate) fn sample_after_return(&self, scope: Scope<'_>) {
        if let Some(watch) = self.watch()
            && watch.watched.wants_sample()
        {
            self.take_sample(scope, watch, None, true);
        }
    }

    #[cold]
    fn take_sample(&self, scope: Scope<'_>, watch: &Watch, native: Option<String>, is_last: bool) {
        if !watch.watched.take_request() {
            return;
        }
        let frames = scope.nested(|scope| match scope.capture_stack(FRAMES, None) {
            Ok(Some(stack)) => stack.stack_frames(scope).iter().map(frame_of).collect(),
            Ok(None) => Vec::new(),
            // Without memory there is no stack; the program's own next allocation fails too.
            Err(thrown) => {
                let _ = scope.caught(thrown);
                Vec::new()
            }
        });
        let microtasks = watch.microtasks_before.get().map_or(0, |before| scope.microtask_count() - before);
        let ticks = self.scheduler.ticks_ran(scope).into();
        let context = self.contexts(scope);
        let sample = self.callback_sample(scope);
        watch.watched.sample(Sample { frames, native, ticks, microtasks, is_last, context, ..sample });
    }

    /// The function of the program that the inner scheduler calls.
    fn callback_sample(&self, scope: Scope<'_>) -> Sample {
        use CallbackKind::{Check, Immediate, Timeout, Timer};
        let kind = self.watch().and_then(|watch| watch.watched.kind());
        if !matches!(kind, Some(Timer | Timeout | Check | Immediate)) && self.scheduler.ticks_ran(scope) == 0 {
            return Sample::default();
        }
        let callback = scope.nested(|scope| {
            let watched = self.blocked.script_state.borrow().as_ref().map(|[_, watched]| watched.get(scope))?;
            let function = quiet(scope, watched.get(scope, "callback"))?.cast::<Function>()?;
            let site = scope.function_site(function)?;
            let frame = StackFrame {
                function: Some(site.name),
                file: Some(site.file),
                line: site.line,
                column: site.column,
                is_async: false,
            };
            Some(frame_of(&frame))
        });
        Sample { callback, ..Sample::default() }
    }

    /// The relevant data of the current async context: the HTTP request, and the stores of the program that are
    /// primitive values.
    fn contexts(&self, scope: Scope<'_>) -> Vec<String> {
        scope.nested(|scope| {
            let state = self.blocked.script_state.borrow();
            let Some([state, watched]) = state.as_ref().map(|[state, watched]| [state.get(scope), watched.get(scope)])
            else {
                return Vec::new();
            };
            let mut texts = Vec::new();
            let mut context = quiet(scope, state.get(scope, "context"));
            if context.is_none_or(|context| context.is_undefined()) {
                return texts;
            }
            let Some(key) = quiet(scope, watched.get(scope, "requestKey")) else { return texts };
            // The frames are objects of the runtime, with own properties that are values.
            for _ in 0..MOST_CONTEXTS {
                let Some(frame) = context.and_then(|context| context.cast::<Object>()) else { break };
                let store = quiet(scope, frame.get(scope, "store")).unwrap_or_else(|| scope.undefined());
                let is_request = quiet(scope, frame.get(scope, "key"))
                    .is_some_and(|own| scope.strict_equals(own, key).unwrap_or_default());
                if is_request {
                    let part = |name: &str| {
                        let value = quiet(scope, store.cast::<Object>()?.get(scope, name))?;
                        value.to_text(scope).ok()
                    };
                    if let (Some(method), Some(url)) = (part("method"), part("url")) {
                        texts.push(format!("http request: {method} {}", shown(&url)));
                    }
                } else if !store.is::<Object>()
                    && !store.is::<Symbol>()
                    && !store.is_undefined()
                    && let Ok(text) = store.to_text(scope)
                {
                    texts.push(format!("AsyncLocalStorage: {}", shown(&text)));
                }
                context = quiet(scope, frame.get(scope, "rest"));
            }
            texts
        })
    }

    /// Runs a native function that may block the thread. The call is recorded if it takes longer than 1 ms. Reports
    /// show its `arguments`, and a `name` of the form `module.function`. Another name is replaced by that of the
    /// function of a builtin module that the program calls, if it calls one.
    #[inline]
    pub fn blocking<R>(
        &self,
        scope: Scope<'_>,
        name: &str,
        arguments: impl FnOnce() -> String,
        body: impl FnOnce() -> R,
    ) -> R {
        if self.watch().is_none() && !self.is_recorded() {
            return body();
        }
        let began_ns = self.recording().map(|recording| recording.recorder().read_clock());
        let Some(watch) = self.watch() else {
            let result = body();
            if let Some(began_ns) = began_ns.filter(|began_ns| self.has_blocked_since(*began_ns)) {
                let frames: Vec<Frame> =
                    scope.numbered_frames(scope.stack_number(FRAMES).number).iter().map(frame_of).collect();
                self.record_blocked(began_ns, &called(&frames, name, arguments));
            }
            return result;
        };
        let frames = watch.stack(scope);
        let text = called(&frames, name, arguments);
        let calling = watch.watched.enter(text.clone(), Some(frames), self.contexts(scope));
        let result = body();
        drop(calling);
        if let Some(began_ns) = began_ns.filter(|began_ns| self.has_blocked_since(*began_ns)) {
            self.record_blocked(began_ns, &text);
        }
        result
    }

    /// Runs a function like [`blocking`](State::blocking). For a function that rarely takes long and always returns:
    /// its stack is captured at the end.
    #[inline]
    pub fn blocking_at_times<R>(&self, scope: Scope<'_>, text: &'static str, body: impl FnOnce() -> R) -> R {
        let Some(watch) = self.watch() else { return body() };
        let calling = watch.watched.enter(text.to_owned(), None, Vec::new());
        let result = body();
        if let Some(text) = calling.returned() {
            self.take_sample(scope, watch, Some(text), false);
        }
        result
    }
}

/// The value of a property, unless the engine has no memory.
fn quiet<'s>(scope: Scope<'s>, result: Fallible<Local<'s, Value>>) -> Option<Local<'s, Value>> {
    result.map_err(|thrown| scope.caught(thrown)).ok()
}

/// Formats a text for one line of a report.
fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN_CHARS).flat_map(char::escape_debug).collect();
    if text.chars().nth(SHOWN_CHARS).is_some() {
        shown.push('…');
    }
    shown
}

/// Formats a text as an argument of a call in a report.
pub fn shown_text(text: &[u8]) -> String {
    format!("'{}'", shown(&String::from_utf8_lossy(text)))
}

/// The call of a native function in readable form. A name without a dot is not the name of a public function.
fn called(frames: &[Frame], name: &str, arguments: impl FnOnce() -> String) -> String {
    let name = public_name(frames).filter(|_| !name.contains('.')).unwrap_or_else(|| name.to_owned());
    format!("{name}({})", arguments())
}

/// The function of a builtin module that the program has called: `fs.readFileSync`.
fn public_name(frames: &[Frame]) -> Option<String> {
    let program = frames.iter().position(|frame| !frame.location.is_internal())?;
    let location = &frames.get(program.checked_sub(1)?)?.location;
    let module = location.file.strip_prefix("node:")?;
    let module = module.strip_prefix("internal/").unwrap_or(module).split('/').next()?;
    let function = location.function.rsplit(['.', '/']).next().filter(|name| !name.is_empty())?;
    Some(format!("{module}.{function}"))
}

/// Replaces `JSON.parse` and `JSON.stringify` by functions that register the call.
fn register_json(scope: Scope<'_>) -> Fallible<()> {
    let json: Local<'_, Object> = scope.global().get_as(scope, "JSON")?;
    let original: Local<'_, Function> = json.get_as(scope, "parse")?;
    let original = Global::new(scope, original);
    let parse = Function::new(scope, "parse", 2, move |scope, arguments| {
        let call = || {
            let given: Vec<_> = (0..arguments.len()).map(|at| arguments.get(scope, at)).collect();
            original.get(scope).call(scope, arguments.this(), &given)
        };
        let units = arguments.given(0).and_then(|text| text.cast::<JsString>()).map_or(0, |text| text.len());
        match units {
            0..LARGE_UNITS => call(),
            _ => state(scope).blocking(scope, "JSON.parse", || size(units), call),
        }
    })?;
    json.define(scope, "parse", parse, Attributes::METHOD)?;
    let original: Local<'_, Function> = json.get_as(scope, "stringify")?;
    let original = Global::new(scope, original);
    let stringify = Function::new(scope, "stringify", 3, move |scope, arguments| {
        let given: Vec<_> = (0..arguments.len()).map(|at| arguments.get(scope, at)).collect();
        let call = || original.get(scope).call(scope, arguments.this(), &given);
        state(scope).blocking_at_times(scope, "JSON.stringify", call)
    })?;
    json.define(scope, "stringify", stringify, Attributes::METHOD)
}

/// A readable size of a text.
fn size(units: usize) -> String {
    match units {
        0..1_000_000 => format!("text of {} KB", units / 1000),
        _ => format!("text of {:.1} MB", units as f64 / 1e6),
    }
}

/// Attached to the handle through which the end of a block calls its listener.
struct BlockHandle;

impl OnEvent for BlockHandle {
    fn on_event(&self, scope: Scope<'_>, _id: HandleId, _event: Event<JsFace>) -> Fallible<()> {
        let Some(watch) = state(scope).watch() else { return Ok(()) };
        for block in watch.blocks.take() {
            let function = watch.listener.borrow().as_ref().map(|listener| listener.function.get(scope));
            let Some(function) = function else { return Ok(()) };
            let ms = block.took.as_nanos() as f64 / 1e6;
            function.call_with(scope, (), (ms, block.stack, block.native))?;
        }
        Ok(())
    }
}

/// Sets the listener of blocks, with the limits in milliseconds; without limits there is none.
pub fn set_block_listener(scope: Scope<'_>, limits_ms: &[f64], function: Local<'_, Function>) -> Fallible<()> {
    let state = state(scope);
    if limits_ms.is_empty() && state.watch().is_none() {
        return Ok(());
    }
    state.start_watching(scope)?;
    let Some(watch) = state.watch() else { return Ok(()) };
    let limits: Vec<Duration> = limits_ms.iter().map(|ms| Duration::from_secs_f64(ms.clamp(1.0, 1e9) / 1e3)).collect();
    watch.watched.set_listener_limits(&limits);
    let before = watch.listener.take();
    let Some(limit) = limits.into_iter().min() else {
        if let Some(Listener { handle, .. }) = before {
            let _ = state.core().close(handle);
        }
        return Ok(());
    };
    let (handle, sender) = match before {
        Some(Listener { handle, sender, .. }) => (handle, sender),
        None => {
            let mut core = state.core();
            let (handle, sender) = core.async_open(Rc::new(BlockHandle));
            // The call cannot fail: the handle was just opened.
            let _ = core.set_ref(handle, false);
            (handle, sender)
        }
    };
    watch.listener.replace(Some(Listener { function: Global::new(scope, function), limit, handle, sender }));
    Ok(())
}

/// Adds the functions that the inner scheduler calls while the thread is watched.
pub(crate) fn define(scope: Scope<'_>, object: Local<'_, Object>) -> Fallible<()> {
    define_natives!(scope, object,
        // `(asyncState, watched)`: objects of `internal/scheduler/state`.
        "setWatchedState" => |scope: Scope<'_>, async_state: Local<'_, Object>, watched: Local<'_, Object>| {
            let objects = [Global::new(scope, async_state), Global::new(scope, watched)];
            state(scope).blocked.script_state.replace(Some(objects));
        },
        // `()`: contexts name HTTP requests from now on, also after an `await`.
        "watchRequests" => |scope: Scope<'_>| {
            let async_state = state(scope).blocked.script_state.borrow().as_ref().map(|[state, _]| state.get(scope));
            async_state.map_or(Ok(()), |async_state| scope.propagate_context(async_state, "context"))
        },
        // `(kind)`: a callback of this `CallbackKind` begins.
        "watchBegin" => |scope: Scope<'_>, kind: u32| {
            if let Some(kind) = CallbackKind::from_number(kind as u16) {
                state(scope).watch_begins(scope, kind);
            }
        },
    );
    Ok(())
}
