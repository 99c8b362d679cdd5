//! One JavaScript thread from start to exit: the main script, the loop, 'beforeExit', 'exit'.
//!
//! # Safety
//! Releases the last values before the runtime is freed, and sets the thread's state for the life of the runtime.
#![allow(unsafe_code)]

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use phasor_core::{Errno, Event, HandleId, Loop, RunMode};
use rquickjs::{Context, Ctx, Function, Object, Result, Runtime, Value, qjs};

use crate::builtins::{self, Builtin, Natives, compile_function};
use crate::bytes::Utf8;
use crate::class::keep_function_shapes;
use crate::dispatch::{Ended, Exiting};
use crate::face::{JsFace, OnEvent};
use crate::memory::Memory;
use crate::raw;
use crate::state::{Hook, OwnHandles, State, StateRef, has_current, set_current, state};
use crate::thread_control::ThreadControl;
use crate::times::Times;
use crate::{immediates, registries, script, ticks, timers};

/// What happens when `process.exit` is called, or a fatal error ends the script.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtExit {
    /// The process ends at once. For a program whose main thread this is.
    EndProcess,
    /// JavaScript is unwound and [`Host::run`] returns the code. For workers and for programs that embed a host.
    Return,
}

/// Options of a host.
#[derive(Clone, Debug)]
pub struct Options {
    /// The builtin modules.
    pub builtins: &'static [Builtin],
    /// What `process.exit` does.
    pub at_exit: AtExit,
    /// The program's own path.
    pub exec_path: String,
    /// The program's name, as the user typed it.
    pub argv0: String,
    /// The command-line options before the script, unchanged (`process.execArgv`).
    pub exec_argv: Vec<String>,
    /// The script and its arguments; with `eval`, only the arguments.
    pub args: Vec<String>,
    /// Code to run instead of a file.
    pub eval: Option<String>,
    /// The file name of that code in stack traces.
    pub eval_file: &'static str,
    /// Whether the value of that code is printed.
    pub print: bool,
    /// The runtime's options, from the command line and `NODE_OPTIONS`, normalized to `--name` or `--name=value`.
    pub flags: Vec<String>,
    /// Heap limit of the engine in bytes; `None` means no limit.
    pub heap_limit_bytes: Option<usize>,
    /// The stack size for JavaScript.
    pub stack_bytes: Option<usize>,
    /// Lets other threads observe and terminate this thread; for workers. If set, exceeding the heap limit ends the thread.
    pub thread_control: Option<Arc<ThreadControl>>,
    /// The thread id; 0 for the main thread.
    pub thread_id: u32,
}

impl std::fmt::Debug for Builtin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id)
    }
}

/// One JavaScript thread: an engine and a loop.
pub struct Host {
    // Dropped in this order, partly by hand: see `drop`.
    context: Option<Context>,
    runtime: Option<Runtime>,
    state: Rc<State>,
}

/// Default stack size for JavaScript. The main thread usually has 8 MB.
const STACK_BYTES: usize = 4 << 20;

/// Stack reserved for natives below JavaScript.
const STACK_MARGIN_BYTES: usize = 512 << 10;

/// The requested stack size, limited by the size of the thread's stack.
fn stack_bytes(asked: Option<usize>) -> usize {
    let there = phasor_sys::process::stack_limit_bytes().unwrap_or(usize::MAX);
    asked.unwrap_or(STACK_BYTES).min(there.saturating_sub(STACK_MARGIN_BYTES)).max(64 << 10)
}

/// Attached to the handles of the inner scheduler, which `dispatch` recognizes by id.
struct Own;

impl OnEvent for Own {
    fn on_event(&self, _ctx: &Ctx<'_>, _id: HandleId, _event: Event<JsFace>) -> Result<()> {
        Ok(())
    }
}

/// Why a host could not be created.
#[derive(Debug)]
pub enum HostError {
    /// The loop could not be created.
    Loop(Errno),
    /// The engine could not be created.
    Engine(rquickjs::Error),
    /// This thread already has a host.
    Taken,
    /// The engine was compiled without Phasor's patch, `engine/phasor_engine.h`.
    Unpatched,
}

impl std::fmt::Display for HostError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            HostError::Loop(errno) => write!(f, "the event loop could not be made: {errno:?}"),
            HostError::Engine(error) => write!(f, "the engine could not be made: {error}"),
            HostError::Taken => f.write_str("this thread has a JavaScript host already"),
            HostError::Unpatched => f.write_str(
                "the JavaScript engine was compiled without Phasor's patch: build phasor-js again with the CFLAGS and the \
                 CPATH that its build script asks for",
            ),
        }
    }
}

impl std::error::Error for HostError {}

impl Host {
    /// Creates an engine and a loop, both empty.
    pub fn new(options: Options) -> std::result::Result<Host, HostError> {
        Host::on(Loop::new().map_err(HostError::Loop)?, options)
    }

    /// Creates an engine on a given loop, for example one with simulated time.
    pub fn on(mut core: Loop<JsFace>, options: Options) -> std::result::Result<Host, HostError> {
        // The build script refuses such a build; this is for a compiler that ignores the flags.
        if crate::engine::engine_patch().is_none() {
            return Err(HostError::Unpatched);
        }
        // Check before creating an engine: creating one would replace the hooks of the existing host's engine.
        if has_current() {
            return Err(HostError::Taken);
        }
        let began_ns = phasor_sys::clock::monotonic_ns();
        core.count_idle(true);
        let has_own_limit = options.at_exit == AtExit::EndProcess || options.thread_control.is_some();
        let limit_bytes = options.heap_limit_bytes.filter(|_| has_own_limit);
        let memory = Memory::new(limit_bytes, options.thread_control.clone());
        let runtime = Runtime::new_with_alloc(memory).map_err(HostError::Engine)?;
        runtime.set_max_stack_size(stack_bytes(options.stack_bytes));
        if let (Some(bytes), false) = (options.heap_limit_bytes, has_own_limit) {
            runtime.set_memory_limit(bytes);
        }
        let context = Context::full(&runtime).map_err(HostError::Engine)?;
        context.with(|ctx| crate::atomics::install(&ctx)).map_err(HostError::Engine)?;
        let state = context.with(|ctx| {
            crate::shared::install(&ctx);
            let state = Rc::new(State::new(core, &ctx, options, Times::since(began_ns)));
            // Cannot fail: nothing borrows the new store.
            let _ = ctx.store_userdata(StateRef(state.clone()));
            state
        });
        set_current(Some(&state));
        if state.options.thread_control.is_some() {
            state.install_interrupt_handler();
        }
        let tracked = Rc::downgrade(&state);
        runtime.set_host_promise_rejection_tracker(Some(Box::new(move |_ctx, promise, reason, handled| {
            if let Some(state) = tracked.upgrade() {
                state.track_rejection(&promise, &reason, handled);
            }
        })));
        state.open_own_handles();
        state.link_thread_control();
        let host = Host { context: Some(context), runtime: Some(runtime), state };
        host.with(|ctx| registries::install(ctx, &host.state)).transpose().map_err(HostError::Engine)?;
        Ok(host)
    }

    /// Runs the builtin `internal/bootstrap`, then the function that the builtin `internal/main` exports, then the loop
    /// until nothing is left to do. Returns the exit code.
    pub fn run(&self) -> i32 {
        let Some(context) = &self.context else { return 1 };
        context.with(|ctx| {
            let _ = self.state.run_to_exit(&ctx);
            self.state.poll_control();
            if let Some(code) = self.state.leaving.get() {
                return code;
            }
            1
        })
    }

    /// Lets another thread interrupt JavaScript: when `asked` is true, the engine clears it and throws an uncatchable
    /// error.
    pub fn interrupt_when(&self, asked: &'static AtomicBool) {
        self.state.stop_when(asked);
    }

    /// Lets pending operations complete without calling JavaScript, until `is_done` returns true. Returns false after `limit`.
    pub fn settle(&self, is_done: impl Fn() -> bool, limit: Duration) -> bool {
        let Some(context) = &self.context else { return true };
        let until = Instant::now() + limit;
        while !is_done() {
            if Instant::now() > until {
                return false;
            }
            let event = self.state.core().next(RunMode::NoWait);
            match event {
                // It may hold engine values.
                Some(event) => context.with(|_| drop(event)),
                None => std::thread::sleep(Duration::from_millis(1)),
            }
        }
        true
    }

    /// The thread's state outside of the engine.
    pub fn state(&self) -> &Rc<State> {
        &self.state
    }

    /// Runs a closure with the engine, outside of the loop. No drain follows.
    pub fn with<R>(&self, work: impl FnOnce(&Ctx<'_>) -> R) -> Option<R> {
        self.context.as_ref().map(|context| context.with(|ctx| work(&ctx)))
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let state = self.state.clone();
        if let Some(context) = self.context.take() {
            context.with(|ctx| {
                state.clear();
                let _ = ctx.remove_userdata::<StateRef>();
            });
        }
        self.runtime = None;
        set_current(None);
    }
}

impl State {
    fn open_own_handles(&self) {
        let mut core = self.core();
        let own: Rc<dyn OnEvent> = Rc::new(Own);
        let timer = core.timer_open(own.clone());
        let check = core.check_open(own.clone());
        let idle = core.idle_open(own);
        // Cannot fail: the handles were just opened.
        let _ = core.set_ref(timer, false);
        let _ = core.check_start(check);
        let _ = core.set_ref(check, false);
        self.own.set(Some(OwnHandles { timer, check, idle }));
    }

    /// Runs the thread to its exit. An early exit has set the exit code.
    fn run_to_exit(&self, ctx: &Ctx<'_>) -> std::result::Result<(), Exiting> {
        let ready = builtins::require(ctx, "internal/bootstrap");
        if self.settled(ctx, ready)? == Ended::Threw {
            self.leaving.set(Some(1));
            return Err(Exiting);
        }
        self.times.mark_bootstrapped();
        self.begin_main();
        let main = builtins::require(ctx, "internal/main")
            .and_then(|main| main.get::<Function<'_>>())
            .and_then(|main| main.call::<_, Value<'_>>(()));
        // As `src/api/environment.cc: LoadEnvironment`: the drain also follows if the main script threw and the
        // exception was handled.
        self.settled(ctx, main)?;
        self.end_main();
        self.drain()?;
        self.times.mark_loop_start();
        loop {
            self.spin(ctx)?;
            // As `src/api/hooks.cc: EmitProcessBeforeExit`: run the queued `destroy` hooks now, because no check phase follows.
            self.run_destroy_hooks();
            // Node emits 'beforeExit' in a callback scope of its own.
            let before = self.call_hook_once(Hook::BeforeExit)?;
            self.leave_all();
            if before == Ended::Completed {
                self.drain()?;
            }
            self.sync_timer_ref();
            if !self.core().is_alive() {
                break;
            }
        }
        self.times.mark_loop_end();
        self.end()
    }

    fn spin(&self, ctx: &Ctx<'_>) -> std::result::Result<(), Exiting> {
        if let Some(control) = &self.options.thread_control {
            control.loop_starts();
        }
        loop {
            self.sync_timer_ref();
            let event = self.core().next(RunMode::Default);
            match event {
                Some(event) => self.dispatch(ctx, event)?,
                None => return Ok(()),
            }
        }
    }

    /// A normal exit: emits 'exit', then runs the microtasks that its listeners queued, but no ticks.
    fn end(&self) -> std::result::Result<(), Exiting> {
        let code = match self.call_hook(Hook::Exit, &mut [])? {
            Some(value) => {
                // SAFETY: reads the tag; the value is freed.
                let code = unsafe {
                    match qjs::JS_VALUE_GET_TAG(value) == qjs::JS_TAG_INT {
                        true => qjs::JS_VALUE_GET_INT(value),
                        false => 0,
                    }
                };
                raw::free(self.ctx, value);
                code
            }
            None => 1,
        };
        self.run_microtasks()?;
        self.report_rejections()?;
        self.leaving.set(Some(code));
        Err(Exiting)
    }

    fn call_hook_once(&self, hook: Hook) -> std::result::Result<Ended, Exiting> {
        Ok(match self.call_hook(hook, &mut [])? {
            Some(value) => {
                raw::free(self.ctx, value);
                Ended::Completed
            }
            None => Ended::Threw,
        })
    }
}

/// The builtin that exposes this crate to JavaScript.
pub const SCHEDULER: Builtin =
    Builtin::of_natives("internal/scheduler", &Natives { name: "scheduler", make: scheduler });

/// The native functions of this crate.
fn scheduler<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    ticks::define(ctx, &object)?;
    immediates::define(ctx, &object)?;
    timers::define(ctx, &object)?;
    keep_function_shapes(ctx, &object)?;
    native!(object, "setHooks", set_hooks);
    native!(object, "reallyExit", |ctx: Ctx<'js>, code: i32| -> Result<()> { Err(state(&ctx).leave(code)) });
    native!(object, "setExiting", |ctx: Ctx<'js>| state(&ctx).set_exiting());
    native!(object, "compileFunction", |ctx: Ctx<'js>, Utf8(body): Utf8, Utf8(file): Utf8, parameters: Vec<Utf8>| {
        let parameters: Vec<&str> = parameters.iter().map(|Utf8(name)| name.as_str()).collect();
        compile_function(&ctx, &body, &file, &parameters)
    });
    native!(object, "evalScript", |ctx: Ctx<'js>, Utf8(code): Utf8, Utf8(file): Utf8| -> Result<Value<'js>> {
        script::run_script(&ctx, &code, &file, false)
    });
    native!(object, "requireBuiltin", |ctx: Ctx<'js>, Utf8(id): Utf8| builtins::require(&ctx, &id));
    native!(object, "publicBuiltins", |ctx: Ctx<'js>, exposed: bool| state(&ctx).builtins.public_ids(exposed));
    native!(object, "waiting", |ctx: Ctx<'js>| {
        let (timers, immediates) = state(&ctx).waiting();
        vec![timers as u32, immediates as u32]
    });
    native!(object, "loadedBuiltins", |ctx: Ctx<'js>| state(&ctx).builtins.loaded_ids());
    native!(object, "restoreIntrinsics", |ctx: Ctx<'js>| crate::intrinsics::restore(&ctx));
    native!(object, "withIntrinsics", |ctx: Ctx<'js>| crate::intrinsics::with_intrinsics(&ctx));
    native!(object, "collectGarbage", |ctx: Ctx<'js>| ctx.run_gc());
    native!(object, "options", options);
    Ok(object)
}

fn set_hooks<'js>(ctx: Ctx<'js>, hooks: Object<'js>) -> Result<()> {
    let state = state(&ctx);
    for (name, hook) in Hook::NAMES {
        if let Some(function) = hooks.get::<_, Option<Function<'js>>>(name)? {
            state.set_hook(hook, &function);
        }
    }
    Ok(())
}

fn options<'js>(ctx: Ctx<'js>) -> Result<Object<'js>> {
    let state = state(&ctx);
    let options = state.options();
    let object = Object::new(ctx)?;
    object.set("execPath", &options.exec_path)?;
    object.set("argv0", &options.argv0)?;
    object.set("execArgv", &options.exec_argv)?;
    object.set("args", &options.args)?;
    object.set("eval", options.eval.as_deref())?;
    object.set("evalFile", options.eval_file)?;
    object.set("print", options.print)?;
    object.set("flags", &options.flags)?;
    object.set("threadId", options.thread_id)?;
    // Read here, because loading `process.env` would slow the start of a program without an IPC channel.
    if let Some(fd) = std::env::var("NODE_CHANNEL_FD").ok().and_then(|fd| fd.parse::<i32>().ok()) {
        object.set("channelFd", fd)?;
    }
    Ok(object)
}
