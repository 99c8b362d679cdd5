//! One JavaScript thread from start to exit: the main script, the loop, 'beforeExit', 'exit'.

use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use phasor_core::{Errno, Event, HandleId, Loop, RunMode};
use phasor_engine::{Fallible, Function, Local, Realm, Runtime, Scope};
use phasor_lens::{CallbackKind, ResourceId};

use crate::builtins::{self, Builtin, BuiltinSet};
use crate::dispatch::{Ended, Exiting};
use crate::face::{JsFace, OnEvent};
use crate::limits::InterruptFlag;
use crate::modules::ModuleHooks;
use crate::state::{Hook, OwnHandles, State};
use crate::thread_control::ThreadControl;
use crate::times::Times;

/// The behavior of `process.exit`, and of a fatal error that ends the script.
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
    pub builtins: BuiltinSet,
    /// The behavior of `process.exit`.
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

impl Options {
    /// Options for a program that embeds a host: `process.exit` returns to it, and nothing runs until it says so.
    pub fn new(builtins: BuiltinSet) -> Options {
        Options {
            builtins,
            at_exit: AtExit::Return,
            exec_path: String::new(),
            argv0: String::new(),
            exec_argv: Vec::new(),
            args: Vec::new(),
            eval: None,
            eval_file: "[eval]",
            print: false,
            flags: Vec::new(),
            heap_limit_bytes: None,
            stack_bytes: None,
            thread_control: None,
            thread_id: 0,
        }
    }
}

impl std::fmt::Debug for Builtin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id)
    }
}

/// One JavaScript thread: an engine and a loop.
#[derive(Debug)]
pub struct Host {
    realm: Realm,
    runtime: Runtime,
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
    fn on_event(&self, _scope: Scope<'_>, _id: HandleId, _event: Event<JsFace>) -> Fallible<()> {
        Ok(())
    }
}

/// Why a host could not be created.
#[derive(Debug)]
pub enum HostError {
    /// The loop could not be created.
    Loop(Errno),
}

impl std::fmt::Display for HostError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            HostError::Loop(errno) => write!(f, "the event loop could not be made: {errno:?}"),
        }
    }
}

impl std::error::Error for HostError {}

impl Host {
    /// Creates an engine and a loop, both empty.
    ///
    /// # Errors
    ///
    /// When the system refuses the descriptors of a loop.
    pub fn new(options: Options) -> Result<Host, HostError> {
        Ok(Host::on(Loop::new().map_err(HostError::Loop)?, options))
    }

    /// Creates an engine on a given loop, for example one with simulated time.
    pub fn on(mut core: Loop<JsFace>, options: Options) -> Host {
        let began_ns = phasor_sys::clock::monotonic_ns();
        core.count_idle(true);
        let self_hosted = options.builtins.compiled.map(|compiled| compiled.self_hosted);
        let heap_limit_bytes = options.heap_limit_bytes.map(|bytes| bytes as u64);
        let runtime = Runtime::new(phasor_engine::Options {
            heap_limit_bytes,
            stack_bytes: stack_bytes(options.stack_bytes),
            self_hosted,
            error_formats: options.builtins.error_formats,
        });
        let realm = runtime.new_realm();
        #[cfg(feature = "debug-engine")]
        set_gc_zeal(&runtime);
        let state = Rc::new(State::new(core, options, Times::since(began_ns)));
        runtime.set_host(Rc::clone(&state));
        runtime.on_rejection(|scope, promise, reason, is_handled| {
            let state = crate::state::state(scope);
            let arguments = [promise.as_value(), reason, scope.boolean(is_handled)];
            // The hook only stores its arguments; an exception in it can only be a termination, which the next call reports.
            let _ = state.call_hook(scope, Hook::Rejection, &arguments);
        });
        ModuleHooks::install(&runtime);
        state.open_own_handles();
        state.link_engine_tasks(&runtime);
        state.link_limits(&runtime);
        state.link_blocked(&runtime);
        state.link_recording(&runtime);
        state.link_origins();
        state.link_thread_control(&runtime);
        state.link_tools(&runtime);
        Host { realm, runtime, state }
    }

    /// Runs the builtin `internal/bootstrap`, then the function that the builtin `internal/main` exports, then the loop until nothing is
    /// left to do. Returns the exit code.
    pub fn run(&self) -> i32 {
        self.runtime.enter(&self.realm, |scope| {
            let _ = self.state.run_to_exit(scope);
            self.state.watch_ends();
            self.state.stop_recording(scope);
            self.state.poll_control();
            self.state.leaving.get().unwrap_or(1)
        })
    }

    /// Lets another thread interrupt JavaScript through a flag. The JavaScript that runs ends uncatchably.
    pub fn interrupt_when(&self, flag: &'static InterruptFlag) {
        self.state.stop_when(flag);
    }

    /// Lets pending operations complete without calling JavaScript, until `is_done` returns true. Returns false after `limit`.
    pub fn settle(&self, is_done: impl Fn() -> bool, limit: Duration) -> bool {
        let until = Instant::now() + limit;
        while !is_done() {
            if Instant::now() > until {
                return false;
            }
            let event = self.state.core().next(RunMode::NoWait);
            match event {
                Some(event) => drop(event),
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
    pub fn with<R>(&self, work: impl for<'s> FnOnce(Scope<'s>) -> R) -> R {
        self.runtime.enter(&self.realm, work)
    }
}

/// Collects garbage as the environment variable `PHASOR_GC_ZEAL` says: `mode,frequency` of the engine's `JS::SetGCZeal`.
#[cfg(feature = "debug-engine")]
fn set_gc_zeal(runtime: &Runtime) {
    let zeal = std::env::var("PHASOR_GC_ZEAL").unwrap_or_default();
    if let Some((mode, frequency)) = zeal.split_once(',')
        && let (Ok(mode), Ok(frequency)) = (mode.parse(), frequency.parse())
    {
        runtime.set_gc_zeal(mode, frequency);
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.state.clear();
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
    fn run_to_exit(&self, scope: Scope<'_>) -> Result<(), Exiting> {
        let ready = builtins::require(scope, "internal/bootstrap");
        if let Some(session) = phasor_lens::Session::current() {
            let name = match self.options.thread_id {
                0 => "main".to_owned(),
                id => format!("worker {id}"),
            };
            let recorder = session.recorder(&name, phasor_sys::process::thread_id().into());
            self.start_recording(scope, Rc::new(recorder));
        }
        if self.settled(scope, ready)? == Ended::Threw {
            self.leaving.set(Some(1));
            return Err(Exiting);
        }
        self.times.mark_bootstrapped();
        let ready = self.watch_if_wanted(scope);
        self.settled(scope, ready)?;
        self.watched(scope, CallbackKind::Script, || self.run_main(scope))?;
        self.times.mark_loop_start();
        loop {
            self.spin(scope)?;
            // As `src/api/embed_helpers.cc: SpinEventLoopInternal`, which waits for the threads of V8's platform.
            let has_more = scope.wait_for_helpers();
            self.run_engine_tasks(scope)?;
            self.sync_handles(scope);
            if has_more || self.core().is_alive() {
                continue;
            }
            // As `src/api/hooks.cc: EmitProcessBeforeExit`: run the queued `destroy` hooks now, because no check phase follows.
            self.run_queued_destroy_hooks(scope);
            // Node emits 'beforeExit' in a callback scope of its own.
            let before = self.call_hook_once(scope, Hook::BeforeExit)?;
            self.leave_scopes(scope);
            if before == Ended::Completed {
                self.drain(scope)?;
            }
            self.sync_handles(scope);
            if !self.core().is_alive() {
                break;
            }
        }
        self.times.mark_loop_end();
        self.end(scope)
    }

    /// Runs the main script and the drain after it.
    fn run_main(&self, scope: Scope<'_>) -> Result<(), Exiting> {
        let main = builtins::require(scope, "internal/main")
            .and_then(|main| <Local<'_, Function> as phasor_engine::FromJs>::from_js(scope, main))
            .and_then(|main| {
                self.recorded(CallbackKind::Script, ResourceId::NONE, || main.call(scope, scope.undefined(), &[]))
            });
        // As `src/api/environment.cc: LoadEnvironment`: the drain also follows if the main script threw and the exception was handled.
        self.settled(scope, main)?;
        self.leave_all_scopes(scope);
        self.drain(scope)
    }

    fn spin(&self, scope: Scope<'_>) -> Result<(), Exiting> {
        if let Some(control) = &self.options.thread_control {
            control.loop_starts();
        }
        loop {
            self.sync_handles(scope);
            let event = self.core().next(RunMode::Default);
            match event {
                Some(event) => scope.nested(|scope| self.dispatch(scope, event))?,
                None => return Ok(()),
            }
        }
    }

    /// A normal exit: emits 'exit', then runs the microtasks that its listeners queued and reports rejections, but runs no ticks.
    fn end(&self, scope: Scope<'_>) -> Result<(), Exiting> {
        let result = self.watched(scope, CallbackKind::Listener, || self.call_hook(scope, Hook::Exit, &[]));
        let code = match result {
            Some(Ok(value)) => value.to_int32().unwrap_or(0),
            Some(Err(thrown)) => {
                self.report(scope, thrown)?;
                1
            }
            None => 1,
        };
        self.run_microtasks(scope)?;
        self.call_hook_once(scope, Hook::ProcessRejections)?;
        self.leaving.set(Some(code));
        Err(Exiting)
    }

    fn call_hook_once(&self, scope: Scope<'_>, hook: Hook) -> Result<Ended, Exiting> {
        scope.nested(|scope| match self.call_hook(scope, hook, &[]) {
            Some(result) => self.settled(scope, result),
            None => Ok(Ended::Completed),
        })
    }
}
