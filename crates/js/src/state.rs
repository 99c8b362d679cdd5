//! The state of one JavaScript thread outside of the engine, and how natives reach it.
//!
//! # Safety
//! [`current`] follows a pointer that the host sets when it is created and clears when it is dropped. Only functions
//! and finalizers of the runtime use it, and the runtime is freed first.
#![allow(unsafe_code)]

use std::any::Any;
use std::cell::{Cell, RefCell, RefMut};
use std::rc::Rc;

use phasor_core::{HandleId, Loop};
use rquickjs::{Ctx, Error, Function, JsLifetime, Value, qjs};

use crate::atomics::Waits;
use crate::builtins::Registry;
use crate::context::Tracking;
use crate::context::frame::Storages;
use crate::context::hooks::Hooks;
use crate::eval_sources::EvalSources;
use crate::face::JsFace;
use crate::host::{AtExit, Options};
use crate::immediates::Immediates;
use crate::limits::Limits;
use crate::message_quota::Posted;
use crate::modules::Modules;
use crate::raw::{Held, Raw, RawCtx};
use crate::reactions::Reactions;
use crate::realm::Realms;
use crate::registries::Registries;
use crate::rejections::Rejections;
use crate::shape_cache::Records;
use crate::ticks::Ticks;
use crate::timers::Timers;
use crate::times::Times;
use crate::weakref_roots::WeakRefRoots;

thread_local! {
    /// The state of this thread's host.
    static CURRENT: Cell<*const State> = const { Cell::new(std::ptr::null()) };
    /// The number of hosts that this thread has had.
    static HOSTS: Cell<u64> = const { Cell::new(0) };
}

/// The state of one JavaScript thread outside of the engine.
pub struct State {
    /// `None` once the host is being dropped: handles and requests hold engine values.
    core: RefCell<Option<Loop<JsFace>>>,
    pub(crate) ctx: RawCtx,
    pub(crate) runtime: *mut qjs::JSRuntime,
    pub(crate) ticks: RefCell<Ticks>,
    pub(crate) immediates: RefCell<Immediates>,
    pub(crate) timers: RefCell<Timers>,
    pub(crate) rejections: RefCell<Rejections>,
    pub(crate) tracking: Tracking,
    /// An object with the shape of functions, kept by `class`; undefined before and after.
    pub(crate) function_model: Cell<Raw>,
    pub(crate) reactions: Reactions,
    pub(crate) storages: Storages,
    pub(crate) async_hooks: Hooks,
    pub(crate) builtins: Registry,
    pub(crate) limits: Limits,
    pub(crate) modules: Modules,
    pub(crate) realms: Realms,
    pub(crate) records: Records,
    /// JavaScript functions that this crate calls, set once by the bootstrap.
    pub(crate) hooks: [Cell<Raw>; Hook::COUNT],
    /// The core handles of the inner scheduler.
    pub(crate) own: Cell<Option<OwnHandles>>,
    /// The exit code, set while the thread is exiting: no more JavaScript may run.
    pub(crate) leaving: Cell<Option<i32>>,
    /// Whether 'exit' is being emitted: `nextTick` ignores its callbacks.
    pub(crate) exiting: Cell<bool>,
    /// The address of the `nextTick` function, which JavaScript keeps alive.
    pub(crate) next_tick: Cell<usize>,
    /// Whether to skip the drain after the current event.
    pub(crate) undrained: Cell<bool>,
    /// Values that are dropped after the drain that follows the current event.
    deferred_drops: RefCell<Vec<Box<dyn Any>>>,
    /// The number of objects in the queues, and the number that the garbage collector's threshold accounts for.
    rooted: Cell<isize>,
    credited: Cell<isize>,
    /// The milestones of `performance.nodeTiming`.
    pub(crate) times: Times,
    /// The promises of `Atomics.waitAsync`.
    pub(crate) waits: RefCell<Waits>,
    /// The operands of the next error, as the engine reported them.
    pub(crate) error_operands: Cell<Option<[Held; 2]>>,
    /// Source text of code compiled at run time.
    pub(crate) eval_sources: RefCell<EvalSources>,
    /// The engine's `FinalizationRegistry` functions.
    pub(crate) registries: RefCell<Option<Rc<Registries>>>,
    /// WeakRef targets that were dereferenced since microtasks last ran; they stay alive until then.
    pub(crate) weakref_roots: WeakRefRoots,
    /// Bytes of this thread's posted messages that are still queued.
    pub(crate) posted: Posted,
    /// The host's options.
    pub(crate) options: Options,
}

/// The core handles of the inner scheduler.
#[derive(Clone, Copy)]
pub(crate) struct OwnHandles {
    pub(crate) timer: HandleId,
    pub(crate) check: HandleId,
    pub(crate) idle: HandleId,
}

/// JavaScript functions that this crate calls.
#[derive(Clone, Copy)]
pub(crate) enum Hook {
    /// `(error)`: an uncaught exception. Returns if it was handled; otherwise exits the thread.
    Fatal,
    /// `()`: emits 'beforeExit'.
    BeforeExit,
    /// `()`: emits 'exit' and returns the exit code.
    Exit,
    /// `(promise, reason)`: an unhandled rejection.
    Unhandled,
    /// `(promise)`: a rejection that was reported is handled now.
    RejectionHandled,
    /// `(value)`: throws the error for a callback that is not a function.
    BadCallback,
    /// `(delay)`: warns about a delay out of range.
    Overflow,
}

impl Hook {
    pub(crate) const COUNT: usize = 7;
    pub(crate) const NAMES: [(&'static str, Hook); Hook::COUNT] = [
        ("fatal", Hook::Fatal),
        ("beforeExit", Hook::BeforeExit),
        ("exit", Hook::Exit),
        ("unhandled", Hook::Unhandled),
        ("rejectionHandled", Hook::RejectionHandled),
        ("badCallback", Hook::BadCallback),
        ("overflow", Hook::Overflow),
    ];
}

impl State {
    pub(crate) fn new(core: Loop<JsFace>, ctx: &Ctx<'_>, options: Options, times: Times) -> State {
        let raw = ctx.as_raw().as_ptr();
        State {
            core: RefCell::new(Some(core)),
            ctx: raw,
            // SAFETY: a context has a runtime.
            runtime: unsafe { qjs::JS_GetRuntime(raw) },
            ticks: RefCell::default(),
            immediates: RefCell::default(),
            function_model: Cell::new(qjs::JS_UNDEFINED),
            timers: RefCell::default(),
            rejections: RefCell::default(),
            tracking: Tracking::default(),
            reactions: Reactions::default(),
            storages: Storages::default(),
            async_hooks: Hooks::default(),
            builtins: Registry::new(options.builtins),
            limits: Limits::default(),
            modules: Modules::default(),
            realms: Realms::default(),
            records: Records::default(),
            hooks: std::array::from_fn(|_| Cell::new(qjs::JS_UNDEFINED)),
            own: Cell::new(None),
            leaving: Cell::new(None),
            exiting: Cell::new(false),
            next_tick: Cell::new(0),
            undrained: Cell::new(false),
            deferred_drops: RefCell::default(),
            rooted: Cell::new(0),
            credited: Cell::new(0),
            times,
            waits: RefCell::default(),
            error_operands: Cell::default(),
            eval_sources: RefCell::default(),
            registries: RefCell::default(),
            weakref_roots: WeakRefRoots::default(),
            posted: Posted::default(),
            options,
        }
    }

    /// Borrows the loop for one short call. Never hold the borrow while JavaScript runs.
    ///
    /// # Panics
    /// If the loop is already borrowed, or the host is being dropped. Finalizers use [`State::try_core`].
    #[inline]
    pub fn core(&self) -> RefMut<'_, Loop<JsFace>> {
        RefMut::map(self.core.borrow_mut(), |core| match core {
            Some(core) => core,
            None => panic!("the loop of this host is gone"),
        })
    }

    /// As [`State::core`], or `None` if the host is being dropped or the loop is borrowed. For finalizers, which may
    /// run at any time.
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

    /// Sets that 'exit' is being emitted: `nextTick` ignores callbacks from now on.
    pub fn set_exiting(&self) {
        self.exiting.set(true);
    }

    /// Whether the thread is exiting: no more JavaScript may run.
    pub fn is_leaving(&self) -> bool {
        self.leaving.get().is_some()
    }

    /// Exits this JavaScript thread with a code. The returned error is uncatchable; not even `finally` blocks run.
    pub fn leave(&self, code: i32) -> Error {
        if self.options.at_exit == AtExit::EndProcess {
            phasor_core::tty_reset_mode_at_exit();
            std::process::exit(code);
        }
        self.leaving.set(Some(code));
        self.throw_uncatchable();
        Error::Exception
    }

    /// Throws an uncatchable error; not even `finally` blocks run.
    pub(crate) fn throw_uncatchable(&self) {
        // SAFETY: a new error, thrown at once; the engine takes the reference.
        unsafe {
            let error = qjs::JS_NewError(self.ctx);
            qjs::JS_SetUncatchableError(self.ctx, error);
            qjs::JS_Throw(self.ctx, error);
        }
    }

    /// Drops a value after the drain that follows the current event. As in Node, where a request's wrap (`FSReqAfterScope` in
    /// `src/node_file.cc`) is destroyed after its `MakeCallback`: ticks and microtasks still see the request as active.
    pub fn drop_after_drain(&self, value: impl Any) {
        self.deferred_drops.borrow_mut().push(Box::new(value));
    }

    /// Drops the values of [`State::drop_after_drain`].
    #[inline]
    pub(crate) fn run_deferred_drops(&self) {
        if !self.deferred_drops.borrow().is_empty() {
            // No borrow during the drops: a destructor may defer another one.
            let mut dropped = self.deferred_drops.take();
            dropped.clear();
            // The next event uses the memory again.
            let mut deferred = self.deferred_drops.borrow_mut();
            if deferred.is_empty() {
                *deferred = dropped;
            }
        }
    }

    /// The numbers of timers and immediates that keep the loop alive.
    pub fn waiting(&self) -> (usize, usize) {
        (self.timers.borrow().ref_count(), self.immediates.borrow().ref_count())
    }

    pub(crate) fn set_hook(&self, hook: Hook, function: &Function<'_>) {
        let new = crate::raw::dup(self.ctx, function.as_value().as_raw());
        let old = self.hooks[hook as usize].replace(new);
        crate::raw::free(self.ctx, old);
    }

    pub(crate) fn hook(&self, hook: Hook) -> Raw {
        self.hooks[hook as usize].get()
    }

    /// Counts an object that a queue starts or stops holding.
    ///
    /// An object in a queue is not garbage. So the threshold for the next garbage collection rises with each: otherwise
    /// the engine would traverse a million pending timers again and again and free none.
    #[inline]
    pub(crate) fn root(&self, change: isize) {
        let rooted = self.rooted.get() + change;
        self.rooted.set(rooted);
        if (rooted - self.credited.get()).unsigned_abs() >= 1024 {
            self.credit(rooted);
        }
    }

    #[cold]
    fn credit(&self, rooted: isize) {
        /// The approximate size of an object and its callback.
        const ROOT_BYTES: isize = 200;
        /// The engine's initial threshold.
        const LEAST_BYTES: usize = 256 << 10;
        let change = (rooted - self.credited.replace(rooted)) * ROOT_BYTES;
        // SAFETY: the runtime lives as long as the host.
        unsafe {
            let threshold = qjs::JS_GetGCThreshold(self.runtime) as usize;
            let threshold = threshold.saturating_add_signed(change).max(LEAST_BYTES);
            qjs::JS_SetGCThreshold(self.runtime, threshold as _);
        }
    }

    /// Releases all engine values held here, before the runtime is freed.
    pub(crate) fn clear(&self) {
        let ctx = self.ctx;
        self.function_model.set(qjs::JS_UNDEFINED);
        // Drop after the borrow has ended: freeing may run finalizers.
        if let Some(control) = &self.options.thread_control {
            control.unlink();
        }
        self.clear_waits();
        self.run_deferred_drops();
        drop(self.registries.take());
        drop(self.error_operands.take());
        let core = self.core.borrow_mut().take();
        drop(core);
        for hook in &self.hooks {
            crate::raw::free(ctx, hook.replace(qjs::JS_UNDEFINED));
        }
        self.clear_tracking();
        self.release_weakref_roots();
        self.clear_ticks();
        self.clear_immediates();
        self.clear_timers();
        self.clear_rejections();
        self.clear_modules();
        self.clear_records();
        self.builtins.clear();
    }
}

/// Natives find the state through this user data of the engine.
pub(crate) struct StateRef(pub(crate) Rc<State>);

// SAFETY: the state contains no value with the engine's lifetime.
unsafe impl JsLifetime<'_> for StateRef {
    type Changed<'to> = StateRef;
}

/// The state of a context's host.
///
/// # Panics
/// If the context was not created by a [`Host`](crate::Host).
pub fn state(ctx: &Ctx<'_>) -> Rc<State> {
    match ctx.userdata::<StateRef>() {
        Some(state) => state.0.clone(),
        None => panic!("this context belongs to no host"),
    }
}

/// Whether this thread has a host.
pub(crate) fn has_current() -> bool {
    !CURRENT.get().is_null()
}

/// Sets or clears the state of this thread.
pub(crate) fn set_current(state: Option<&Rc<State>>) {
    CURRENT.set(state.map_or(std::ptr::null(), Rc::as_ptr));
    HOSTS.set(HOSTS.get() + u64::from(state.is_some()));
}

/// The number of this thread's current or last host. Unlike the address of its runtime, it is never reused.
#[inline]
pub(crate) fn host_number() -> u64 {
    HOSTS.get()
}

/// The state of this thread's host.
///
/// # Safety
/// Only for functions and finalizers that the engine of this thread's host calls.
#[inline]
pub(crate) unsafe fn current<'a>() -> &'a State {
    // SAFETY: set by the host before the engine runs anything, and cleared after the runtime is freed.
    unsafe { &*CURRENT.get() }
}

/// The state of this thread's host, if there is one: finalizers may run when it is almost gone.
///
/// # Safety
/// As [`current`].
#[inline]
pub(crate) unsafe fn current_or_none<'a>() -> Option<&'a State> {
    // SAFETY: as `current`.
    unsafe { CURRENT.get().as_ref() }
}

/// A raw value as a value of rquickjs, with a reference of its own.
pub(crate) fn value_of<'js>(ctx: &Ctx<'js>, raw: Raw) -> Value<'js> {
    let owned = crate::raw::dup(ctx.as_raw().as_ptr(), raw);
    // SAFETY: the new reference goes to the value.
    unsafe { Value::from_raw(ctx.clone(), owned) }
}

/// The version of the engine.
pub fn engine_version() -> String {
    // SAFETY: a static C string.
    let text = unsafe { std::ffi::CStr::from_ptr(qjs::JS_GetVersion()) };
    text.to_string_lossy().into_owned()
}

/// The bytes that the engine has allocated, and those in use.
pub fn heap_bytes(ctx: &Ctx<'_>) -> [u64; 2] {
    // SAFETY: fills a struct of integers, for which zeros are valid.
    let usage = unsafe {
        let mut usage = std::mem::zeroed();
        qjs::JS_ComputeMemoryUsage(qjs::JS_GetRuntime(ctx.as_raw().as_ptr()), &mut usage);
        usage
    };
    [usage.malloc_size.max(0) as u64, usage.memory_used_size.max(0) as u64]
}
