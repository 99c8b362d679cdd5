//! The Rust side of the inner scheduler, whose queues are JavaScript: `internal/scheduler` in `phasor-builtins`.
//!
//! JavaScript keeps a `Uint32Array` of flags that Rust reads after each callback, so that an event without ticks costs no call.

use std::cell::{Cell, RefCell};

use phasor_engine::{
    Array, ArrayBuffer, Bytes, Fallible, Function, Global, IntoJs, Local, Object, Scope, Source, Uint8Array, Value,
    define_natives,
};

use crate::builtins::{self, Natives};
use crate::dispatch::{Ended, Exiting};
use crate::state::{Hook, State, state};

/// The flags that JavaScript sets, by index.
#[derive(Clone, Copy)]
enum Flag {
    /// Whether a tick is queued.
    Ticks = 0,
    /// Whether a rejection has to be reported.
    Rejections = 1,
    /// The number of queued immediates.
    Immediates = 2,
    /// The number of queued immediates that keep the loop alive.
    RefImmediates = 3,
    /// Whether async ids are tracked.
    Tracking = 4,
    /// Whether an `AsyncLocalStorage` has been used.
    ContextUsed = 5,
    /// The number of pending timers that keep the loop alive.
    RefTimers = 6,
    /// Whether `destroy` hooks are queued.
    Destroys = 7,
    /// The detail of the recording, 0 without one.
    Trace = 8,
    /// Whether the stacks are captured where timers and immediates are made.
    Origins = 9,
    /// Whether the watchdog watches this thread.
    Watched = 10,
    /// How many ticks have run in the drain that runs, while the thread is watched.
    TicksRan = 11,
    /// Whether the current recording contains findings.
    Findings = 12,
    /// Whether the callback of an event of the loop is recorded and has no location yet. JavaScript clears it.
    Unlocated = 13,
}

const FLAGS: usize = 14;

/// The Rust part of the scheduler's state.
#[derive(Debug, Default)]
pub(crate) struct Scheduler {
    flags: RefCell<Option<Global<Uint8Array>>>,
    /// Whether the idle handle is started, and the timer handle is referenced.
    is_idle_started: Cell<bool>,
    is_timer_referenced: Cell<bool>,
    /// Leaves the async scopes that an exception has left open.
    leave_scopes: RefCell<Option<Global<Function>>>,
}

impl Scheduler {
    fn flag(&self, scope: Scope<'_>, flag: Flag) -> u32 {
        let flags = self.flags.borrow();
        let Some(flags) = flags.as_ref() else { return 0 };
        let at = flag as usize * 4;
        scope.nested(|scope| {
            Bytes::of(flags.get(scope)).map_or(0, |bytes| {
                bytes.read(|bytes| {
                    bytes.get(at..at + 4).map_or(0, |four| u32::from_ne_bytes(four.try_into().unwrap_or_default()))
                })
            })
        })
    }

    /// Sets the detail of the recording, 0 without one, and whether it has findings.
    pub(crate) fn set_trace(&self, scope: Scope<'_>, detail: u32, has_findings: bool) {
        self.set_flag(scope, Flag::Trace, detail);
        self.set_flag(scope, Flag::Unlocated, 0);
        self.set_flag(scope, Flag::Findings, has_findings.into());
    }

    fn set_flag(&self, scope: Scope<'_>, flag: Flag, value: u32) {
        let flags = self.flags.borrow();
        let Some(flags) = flags.as_ref() else { return };
        let at = flag as usize * 4;
        scope.nested(|scope| {
            if let Some(bytes) = Bytes::of(flags.get(scope)) {
                bytes.write(|bytes| bytes[at..at + 4].copy_from_slice(&value.to_ne_bytes()));
            }
        });
    }

    /// Called when a recorded callback begins whose location is not known yet.
    pub(crate) fn set_unlocated(&self, scope: Scope<'_>) {
        self.set_flag(scope, Flag::Unlocated, 1);
    }

    /// Called when the watchdog begins to watch this thread.
    pub(crate) fn set_watched(&self, scope: Scope<'_>) {
        self.set_flag(scope, Flag::Watched, 1);
    }

    /// How many ticks have run in the drain that runs. Counted while the thread is watched.
    pub(crate) fn ticks_ran(&self, scope: Scope<'_>) -> u32 {
        self.flag(scope, Flag::TicksRan)
    }

    pub(crate) fn has_ticks(&self, scope: Scope<'_>) -> bool {
        self.flag(scope, Flag::Ticks) != 0
    }

    pub(crate) fn has_rejections(&self, scope: Scope<'_>) -> bool {
        self.flag(scope, Flag::Rejections) != 0
    }

    pub(crate) fn clear(&self) {
        self.flags.take();
        self.leave_scopes.take();
    }
}

impl State {
    /// Whether async ids and contexts are tracked (`async_hooks`).
    pub fn is_tracking(&self, scope: Scope<'_>) -> bool {
        self.scheduler.flag(scope, Flag::Tracking) != 0
    }

    /// Leaves the async scopes that an exception has left open.
    pub(crate) fn leave_scopes(&self, scope: Scope<'_>) {
        if self.is_tracking(scope) || self.scheduler.flag(scope, Flag::ContextUsed) != 0 {
            self.leave_all_scopes(scope);
        }
    }

    /// Leaves scopes like [`leave_scopes`](State::leave_scopes), and ends the execution of the main script, whose id is
    /// known without tracking.
    pub(crate) fn leave_all_scopes(&self, scope: Scope<'_>) {
        scope.nested(|scope| {
            let function = self.scheduler.leave_scopes.borrow().as_ref().map(|function| function.get(scope));
            if let Some(function) = function {
                // The function throws nothing but a termination, which the next call reports.
                drop(function.call(scope, scope.undefined(), &[]));
            }
        });
    }

    /// Runs the `destroy` hooks if any are queued.
    pub(crate) fn run_queued_destroy_hooks(&self, scope: Scope<'_>) {
        if self.scheduler.flag(scope, Flag::Destroys) != 0 {
            self.run_destroy_hooks(scope);
        }
    }

    /// Runs the check phase.
    pub(crate) fn run_immediates(&self, scope: Scope<'_>) -> Result<(), Exiting> {
        // Native immediates (here the `destroy` hooks) run first, and the callback scope of
        // `RunAndClearNativeImmediates` drains the queues. Without JavaScript immediates, nothing else is called
        // (`src/env.cc: Environment::CheckImmediate`).
        self.run_queued_destroy_hooks(scope);
        self.drain(scope)?;
        if let Some(recording) = self.recording() {
            recording.count_immediates(self.scheduler.flag(scope, Flag::Immediates));
        }
        while self.scheduler.flag(scope, Flag::Immediates) > 0 {
            let ended = scope.nested(|scope| match self.call_hook(scope, Hook::ProcessImmediates, &[]) {
                Some(result) => {
                    // The recording of the last immediate ends here.
                    if let (Ok(_), Some(recording)) = (&result, self.recording()) {
                        recording.recorder().close_to(0);
                    }
                    self.settled(scope, result)
                }
                None => Ok(Ended::Completed),
            })?;
            self.leave_scopes(scope);
            self.end_thrown_callbacks();
            // After an exception the rest of this round runs now.
            if ended == Ended::Completed {
                break;
            }
        }
        self.drain(scope)
    }

    /// Before the loop looks whether it is alive, and how long it may sleep: starts the idle handle while there are referenced immediates,
    /// and references the timer handle while there are referenced timers.
    pub(crate) fn sync_handles(&self, scope: Scope<'_>) {
        let Some(own) = self.own.get() else { return };
        let runs_idle = self.scheduler.flag(scope, Flag::RefImmediates) > 0;
        if self.scheduler.is_idle_started.replace(runs_idle) != runs_idle {
            let mut core = self.core();
            // The handle stays open for the life of the host.
            let _ = if runs_idle { core.idle_start(own.idle) } else { core.idle_stop(own.idle) };
        }
        let has_timers = self.scheduler.flag(scope, Flag::RefTimers) > 0;
        if self.scheduler.is_timer_referenced.replace(has_timers) != has_timers {
            let _ = self.core().set_ref(own.timer, has_timers);
        }
    }

    /// Runs the timers that are due (`src/env.cc: Environment::RunTimers`).
    pub(crate) fn run_timers(&self, scope: Scope<'_>) -> Result<(), Exiting> {
        // The time is read once, even if the call is repeated (`src/env.cc: Environment::RunTimers`).
        let now = self.timer_now();
        let next = loop {
            let called = scope.nested(|scope| {
                let Some(result) = self.call_hook(scope, Hook::ProcessTimers, &[scope.number(now as f64)]) else {
                    return Ok(Some(0.0));
                };
                self.sample_after_return(scope);
                match result {
                    Ok(next) => {
                        if self.leaving.get().is_some() {
                            return Err(Exiting);
                        }
                        Ok(Some(next.to_f64().unwrap_or(0.0)))
                    }
                    Err(thrown) => self.report(scope, thrown).map(|()| None),
                }
            })?;
            self.leave_scopes(scope);
            self.end_thrown_callbacks();
            // After an exception the call is repeated for the remaining timers.
            if let Some(next) = called {
                break next;
            }
        };
        if let Some(own) = self.own.get() {
            let mut core = self.core();
            if next != 0.0 {
                let expiry_ms = next.abs() as u64;
                let after_ms = expiry_ms.saturating_sub(core.now_ms()).max(1);
                let _ = core.timer_start(own.timer, after_ms, 0);
            }
            // Slow callbacks have used up time, by which the poll timeout is reduced.
            core.update_time();
        }
        self.drain(scope)
    }

    /// Updates the loop's clock and returns it.
    fn timer_now(&self) -> u64 {
        let mut core = self.core();
        core.update_time();
        core.now_ms()
    }
}

/// The native functions of this crate, for the builtin `internal/scheduler`.
pub const SCHEDULER: Natives = Natives { name: "scheduler", make: natives };

fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    let object = Object::new(scope);
    let buffer = ArrayBuffer::zeroed(scope, FLAGS * 4)?;
    state(scope).scheduler.flags.replace(Some(Global::new(scope, buffer.bytes(scope, 0, FLAGS * 4)?)));
    if state(scope).collects_origins() {
        let at = Flag::Origins as usize * 4;
        let flag = Bytes::of(buffer.bytes(scope, at, 4)?);
        let _ = flag.map(|flag| flag.write(|bytes| bytes.copy_from_slice(&1_u32.to_ne_bytes())));
    }
    object.set(scope, "flags", buffer)?;
    define_natives!(scope, object,
        "setHooks" => set_hooks,
        "setLeaveScopes" => |scope: Scope<'_>, function: Local<'_, Function>| {
            state(scope).scheduler.leave_scopes.replace(Some(Global::new(scope, function)));
        },
        "runMicrotasks" => |scope: Scope<'_>| -> Fallible<()> {
            match state(scope).run_microtasks(scope) {
                Ok(()) => Ok(()),
                Err(Exiting) => Err(scope.terminate()),
            }
        },
        "report" => |scope: Scope<'_>, error: Local<'_, Value>| -> Fallible<()> {
            let thrown = scope.throw(error);
            match state(scope).report(scope, thrown) {
                Ok(()) => Ok(()),
                Err(Exiting) => Err(scope.terminate()),
            }
        },
        "enqueueMicrotask" => |scope: Scope<'_>, function: Local<'_, Function>| scope.enqueue_microtask(function),
        "getLoopNow" => |scope: Scope<'_>| state(scope).timer_now() as f64,
        "scheduleTimer" => |scope: Scope<'_>, after_ms: f64| {
            let state = state(scope);
            if let Some(own) = state.own.get() {
                let _ = state.core().timer_start(own.timer, after_ms.max(1.0) as u64, 0);
            }
        },
        "captureStack" => crate::why::capture_stack,
        "clockMs" => |_: Scope<'_>| crate::why::now_ms(),
        "reallyExit" => |scope: Scope<'_>, code: i32| -> Fallible<()> { Err(state(scope).leave(scope, code)) },
        "collectGarbage" => |scope: Scope<'_>| scope.collect_garbage(),
    );
    crate::recording::define(scope, object)?;
    crate::blocked::define(scope, object)?;
    object.define_function(scope, "compileFunction", 4, compile)?;
    object.define_function(scope, "evalScript", 2, |scope, arguments| {
        let (code, file): (String, String) =
            (from(scope, arguments.get(scope, 0))?, from(scope, arguments.get(scope, 1))?);
        scope.eval(&code, phasor_engine::Origin::new(&file))
    })?;
    object.define_function(scope, "requireBuiltin", 1, |scope, arguments| {
        let id: String = from(scope, arguments.get(scope, 0))?;
        builtins::require(scope, &id)
    })?;
    object.define_function(scope, "publicBuiltins", 1, |scope, arguments| {
        state(scope).builtins.public_ids(arguments.get(scope, 0).is_truthy()).into_js(scope)
    })?;
    object.define_function(scope, "loadedBuiltins", 0, |scope, _| state(scope).builtins.loaded_ids().into_js(scope))?;
    object.define_function(scope, "options", 0, |scope, _| Ok(options(scope)?.as_value()))?;
    Ok(object)
}

fn from<'s, T: phasor_engine::FromJs<'s>>(scope: Scope<'s>, value: Local<'s, Value>) -> Fallible<T> {
    T::from_js(scope, value)
}

/// `(body, file, parameters, name)`: compiles a function. `import()` in it has the file as its referrer.
fn compile<'s>(scope: Scope<'s>, arguments: phasor_engine::Arguments<'s>) -> Fallible<Local<'s, Value>> {
    let text = from(scope, arguments.get(scope, 0))?;
    let referrer = arguments.get(scope, 1);
    let file: String = from(scope, referrer)?;
    let parameters: Vec<String> = from(scope, arguments.get(scope, 2))?;
    let parameters: Vec<&str> = parameters.iter().map(String::as_str).collect();
    let name: Option<String> = from(scope, arguments.get(scope, 3))?;
    let source = Source { referrer: Some(referrer), ..Source::new(text, &file) };
    Ok(Function::compile(scope, source, name.as_deref().unwrap_or_default(), &parameters)?.as_value())
}

fn set_hooks(scope: Scope<'_>, hooks: Local<'_, Object>) -> Fallible<()> {
    let state = state(scope);
    for (name, hook) in Hook::NAMES {
        if let Some(function) = hooks.get_as::<Option<Local<'_, Function>>>(scope, name)? {
            state.set_hook(hook, Global::new(scope, function));
        }
    }
    Ok(())
}

fn options<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    let options = state(scope).options();
    let object = Object::new(scope);
    object.set(scope, "execPath", &options.exec_path)?;
    object.set(scope, "argv0", &options.argv0)?;
    object.set(scope, "execArgv", strings(scope, &options.exec_argv)?)?;
    object.set(scope, "args", strings(scope, &options.args)?)?;
    object.set(scope, "eval", options.eval.as_deref())?;
    object.set(scope, "evalFile", options.eval_file)?;
    object.set(scope, "print", options.print)?;
    object.set(scope, "flags", strings(scope, &options.flags)?)?;
    object.set(scope, "threadId", options.thread_id)?;
    // Read here, because loading `process.env` would slow the start of a program without an IPC channel.
    if let Some(fd) = std::env::var("NODE_CHANNEL_FD").ok().and_then(|fd| fd.parse::<i32>().ok()) {
        object.set(scope, "channelFd", fd)?;
    }
    Ok(object)
}

fn strings<'s>(scope: Scope<'s>, texts: &[String]) -> Fallible<Local<'s, Array>> {
    let values: Vec<_> = texts.iter().map(|text| text.into_js(scope)).collect::<Fallible<_>>()?;
    Array::new(scope, &values)
}
