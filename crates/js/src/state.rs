//! The state of one JavaScript thread outside of the engine.

use std::any::Any;
use std::cell::{Cell, RefCell, RefMut};
use std::rc::Rc;

use phasor_core::{HandleId, Loop};
use phasor_engine::{Fallible, Function, Global, Local, Scope, Thrown, Value};

use crate::attach::Tools;
use crate::blocked::BlockedSlot;
use crate::builtins::Registry;
use crate::context::Tracking;
use crate::face::JsFace;
use crate::host::{AtExit, Options};
use crate::limits::Limits;
use crate::message_quota::Posted;
use crate::modules::ModuleHooks;
use crate::recording::RecordingSlot;
use crate::scheduler::Scheduler;
use crate::times::Times;
use crate::why::OriginCollection;

/// The state of one JavaScript thread outside of the engine.
pub struct State {
    /// `None` once the host is being dropped: handles and requests hold engine values.
    core: RefCell<Option<Loop<JsFace>>>,
    pub(crate) builtins: Registry,
    pub(crate) scheduler: Scheduler,
    pub(crate) tracking: Tracking,
    pub(crate) modules: ModuleHooks,
    pub(crate) limits: Limits,
    pub(crate) recording: RecordingSlot,
    pub(crate) blocked: BlockedSlot,
    /// JavaScript functions that this crate calls, set once by the bootstrap.
    hooks: [RefCell<Option<Global<Function>>>; Hook::COUNT],
    /// The core handles of the inner scheduler.
    pub(crate) own: Cell<Option<OwnHandles>>,
    /// The exit code, set while the thread is exiting: no more JavaScript may run.
    pub(crate) leaving: Cell<Option<i32>>,
    /// Whether to skip the drain after the current event.
    pub(crate) undrained: Cell<bool>,
    /// Values that are dropped after the drain that follows the current event.
    deferred_drops: RefCell<Vec<Box<dyn Any>>>,
    /// The bytes that this thread has posted and no receiver has taken yet.
    pub(crate) posted: Posted,
    /// The registration of the loop for tools.
    pub(crate) tools: Tools,
    /// Where handles and requests were made, if that is collected.
    pub(crate) origins: OriginCollection,
    /// The milestones of `performance.nodeTiming`.
    pub(crate) times: Times,
    /// The host's options.
    pub(crate) options: Options,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").finish_non_exhaustive()
    }
}

/// The core handles of the inner scheduler.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnHandles {
    pub(crate) timer: HandleId,
    pub(crate) check: HandleId,
    pub(crate) idle: HandleId,
}

/// JavaScript functions that this crate calls.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Hook {
    /// `(error)`: an uncaught exception. Returns if the exception was handled; otherwise exits the thread.
    Fatal,
    /// `()`: emits 'beforeExit'.
    BeforeExit,
    /// `()`: emits 'exit' and returns the exit code.
    Exit,
    /// `()`: runs ticks, microtasks and unhandled rejections until there are none.
    ProcessTicks,
    /// `(now)`: runs the timers that are due. Returns the next expiry, negative if no timer keeps the loop alive, or 0.
    ProcessTimers,
    /// `()`: runs the immediates.
    ProcessImmediates,
    /// `()`: reports unhandled rejections.
    ProcessRejections,
    /// `(promise, reason, isHandled)`: a promise was rejected without a handler, or got its first handler afterwards.
    Rejection,
}

impl Hook {
    pub(crate) const COUNT: usize = 8;
    pub(crate) const NAMES: [(&'static str, Hook); Hook::COUNT] = [
        ("fatal", Hook::Fatal),
        ("beforeExit", Hook::BeforeExit),
        ("exit", Hook::Exit),
        ("processTicks", Hook::ProcessTicks),
        ("processTimers", Hook::ProcessTimers),
        ("processImmediates", Hook::ProcessImmediates),
        ("processRejections", Hook::ProcessRejections),
        ("rejection", Hook::Rejection),
    ];
}

impl State {
    pub(crate) fn new(core: Loop<JsFace>, options: Options, times: Times) -> State {
        State {
            core: RefCell::new(Some(core)),
            builtins: Registry::new(options.builtins),
            scheduler: Scheduler::default(),
            tracking: Tracking::default(),
            modules: ModuleHooks::default(),
            limits: Limits::default(),
            recording: RecordingSlot::default(),
            blocked: BlockedSlot::default(),
            hooks: std::array::from_fn(|_| RefCell::default()),
            own: Cell::new(None),
            leaving: Cell::new(None),
            undrained: Cell::new(false),
            deferred_drops: RefCell::default(),
            posted: Posted::default(),
            tools: Tools::default(),
            origins: OriginCollection::default(),
            times,
            options,
        }
    }

    /// Borrows the loop for one short call. Never hold the borrow while JavaScript runs.
    ///
    /// # Panics
    ///
    /// If the loop is already borrowed, or the host is being dropped. Destructors of payloads use [`State::try_core`].
    #[inline]
    pub fn core(&self) -> RefMut<'_, Loop<JsFace>> {
        RefMut::map(self.core.borrow_mut(), |core| match core {
            Some(core) => core,
            None => panic!("the loop of this host is gone"),
        })
    }

    /// Returns the same as [`State::core`], or `None` if the host is being dropped or the loop is borrowed. For
    /// destructors of payloads, which may run at any time.
    pub fn try_core(&self) -> Option<RefMut<'_, Loop<JsFace>>> {
        RefMut::filter_map(self.core.try_borrow_mut().ok()?, Option::as_mut).ok()
    }

    /// The source text of a builtin.
    pub fn builtin_source(&self, id: &str) -> Option<&'static str> {
        self.builtins.source(id)
    }

    /// The options of the host.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The milestones of this thread.
    pub fn times(&self) -> &Times {
        &self.times
    }

    /// Whether the thread is exiting: no more JavaScript may run.
    pub fn is_leaving(&self) -> bool {
        self.leaving.get().is_some()
    }

    /// Exits this JavaScript thread with a code. The returned error is uncatchable; not even `finally` blocks run.
    pub fn leave(&self, scope: Scope<'_>, code: i32) -> Thrown {
        self.watch_ends();
        if self.options.at_exit == AtExit::EndProcess {
            self.forget_recording();
            phasor_core::tty_reset_mode_at_exit();
            crate::attach::exit_process(code);
        }
        self.leaving.set(Some(code));
        scope.terminate()
    }

    /// Drops a value after the drain that follows the current event. In Node, a request's wrap is destroyed after its
    /// `MakeCallback` (`src/node_file.cc: FSReqAfterScope`), so ticks and microtasks still see the request as active.
    pub fn drop_after_drain(&self, value: impl Any) {
        self.deferred_drops.borrow_mut().push(Box::new(value));
    }

    /// Drops the values of [`State::drop_after_drain`].
    #[inline]
    pub(crate) fn run_deferred_drops(&self) {
        if !self.deferred_drops.borrow().is_empty() {
            // The list is not borrowed during the drops: a destructor may defer another drop.
            let dropped = self.deferred_drops.take();
            drop(dropped);
        }
    }

    pub(crate) fn set_hook(&self, hook: Hook, function: Global<Function>) {
        self.hooks[hook as usize].replace(Some(function));
    }

    pub(crate) fn hook<'s>(&self, scope: Scope<'s>, hook: Hook) -> Option<Local<'s, Function>> {
        self.hooks[hook as usize].borrow().as_ref().map(|function| function.get(scope))
    }

    /// Calls a hook. `None` if it is not installed.
    pub(crate) fn call_hook<'s>(
        &self,
        scope: Scope<'s>,
        hook: Hook,
        args: &[Local<'_, Value>],
    ) -> Option<Fallible<Local<'s, Value>>> {
        let function = self.hook(scope, hook)?;
        Some(function.call(scope, scope.undefined(), args))
    }

    /// Releases all engine values of this state, before the runtime is freed.
    pub(crate) fn clear(&self) {
        if let Some(control) = &self.options.thread_control {
            control.unlink();
        }
        self.run_deferred_drops();
        self.forget_recording();
        let core = self.core.borrow_mut().take();
        drop(core);
        for hook in &self.hooks {
            hook.replace(None);
        }
        self.blocked.clear();
        self.scheduler.clear();
        self.tracking.clear();
        self.modules.clear();
        self.builtins.clear();
    }
}

/// The state of the thread that runs in a scope.
///
/// # Panics
///
/// If the scope's runtime was not created by a [`Host`](crate::Host).
#[inline]
pub fn state<'s>(scope: Scope<'s>) -> &'s Rc<State> {
    scope.host::<Rc<State>>()
}
