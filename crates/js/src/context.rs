//! Async context propagation, and the async ids of `async_hooks`.
//!
//! The *context* is one value: a frame of `frame`, or `undefined` while no `AsyncLocalStorage` has a store. It is
//! captured when a callback is queued and restored when the callback runs; `reactions` does so for promises. An *id* is
//! the async id of a resource. Neither costs anything until `async_hooks` is loaded: then [`State::tracks`] is true,
//! and the queues keep a [`Track`] with each callback.
//!
//! Hooks are in `hooks`, the native functions for JavaScript in `natives`, and `tracked` is for natives of
//! `phasor-node`.
//!
//! # Safety
//! As `raw`: a track holds a counted reference to its context, released when the callback has run or is dropped.
//! Nothing is borrowed while a value is created, called or freed.
#![allow(unsafe_code)]

pub(crate) mod frame;
pub(crate) mod hooks;
mod natives;
mod tracked;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::os::raw::c_int;

use rquickjs::qjs;

use self::hooks::HookEvent;
pub use self::natives::ASYNC_CONTEXT;
pub use self::tracked::{Tracked, call_tracked};
use crate::dispatch::{Ended, Exiting};
use crate::raw::{self, Held, Raw, RawCtx};
use crate::state::{State, current};

/// Async state of a queued callback.
#[derive(Clone, Copy)]
pub(crate) struct Track {
    /// The async id and the trigger id: integers below 2⁵³, as in JavaScript.
    pub(crate) id: f64,
    pub(crate) trigger: f64,
    /// The context in which it was queued: a counted reference.
    pub(crate) context: Raw,
}

/// Async state of one thread.
pub(crate) struct Tracking {
    /// Whether callbacks are tracked.
    on: Cell<bool>,
    /// The current context: a counted reference.
    context: Cell<Raw>,
    /// The newest async id. 1 is the main script's.
    newest: Cell<f64>,
    /// The current execution.
    running: Cell<Running>,
    /// The stack of enclosing executions.
    outer: RefCell<Vec<(Running, Raw)>>,
    /// The default trigger id, if it is not the current async id.
    default_trigger: Cell<f64>,
    /// An object with the shape of tick resources. It keeps the shape alive, so that the engine does not rebuild it for each tick.
    pub(crate) tick_shape: RefCell<Option<Held>>,
    /// Ids whose `destroy` hooks run in the next check phase.
    ended: RefCell<Vec<f64>>,
    /// Tracks of timers and immediates, by slab index.
    pub(crate) timers: RefCell<HashMap<u32, Track>>,
    pub(crate) immediates: RefCell<HashMap<u32, Track>>,
}

/// An execution.
#[derive(Clone, Copy)]
struct Running {
    id: f64,
    trigger: f64,
    /// The async resource: a counted reference, or undefined until it is requested.
    resource: Raw,
}

impl Running {
    const NOTHING: Running = Running { id: 0.0, trigger: 0.0, resource: qjs::JS_UNDEFINED };
}

/// No default trigger id: the current async id is used.
const NO_TRIGGER: f64 = -1.0;

impl Default for Tracking {
    fn default() -> Tracking {
        Tracking {
            on: Cell::new(false),
            context: Cell::new(qjs::JS_UNDEFINED),
            newest: Cell::new(1.0),
            running: Cell::new(Running::NOTHING),
            outer: RefCell::default(),
            default_trigger: Cell::new(NO_TRIGGER),
            tick_shape: RefCell::default(),
            ended: RefCell::default(),
            timers: RefCell::default(),
            immediates: RefCell::default(),
        }
    }
}

impl State {
    /// Starts tracking callbacks.
    fn start_tracking(&self) {
        self.tracking.on.set(true);
        self.track_promises();
    }

    /// Whether callbacks are tracked.
    #[inline]
    pub(crate) fn tracks(&self) -> bool {
        self.tracking.on.get()
    }

    /// The main script starts, with async id 1.
    pub(crate) fn begin_main(&self) {
        self.tracking.running.set(Running { id: 1.0, ..Running::NOTHING });
    }

    /// The main script has returned.
    pub(crate) fn end_main(&self) {
        self.leave_all();
        self.tracking.running.set(Running::NOTHING);
    }

    /// The current context.
    pub(crate) fn async_context(&self) -> Raw {
        self.tracking.context.get()
    }

    /// Sets the current context and takes over its reference.
    pub(crate) fn set_async_context(&self, context: Raw) {
        raw::free(self.ctx, self.replace_async_context(context));
    }

    /// Sets the current context, takes over its reference, and returns the previous context with its reference.
    fn replace_async_context(&self, context: Raw) -> Raw {
        self.tracking.context.replace(context)
    }

    /// The current context, with a reference of its own.
    pub(crate) fn context(&self) -> Raw {
        raw::dup(self.ctx, self.async_context())
    }

    /// The current execution async id.
    fn running_id(&self) -> f64 {
        self.tracking.running.get().id
    }

    /// The trigger id for resources created now.
    fn trigger(&self) -> f64 {
        let default = self.tracking.default_trigger.get();
        if default < 0.0 { self.running_id() } else { default }
    }

    fn new_id(&self) -> f64 {
        let id = self.tracking.newest.get() + 1.0;
        self.tracking.newest.set(id);
        id
    }

    /// Tracks a callback that is being queued. `resource` is its async resource; if there is none, `make` creates it when a hook needs it, and
    /// the caller owns that reference.
    pub(crate) fn track(&self, kind: &str, resource: Raw, make: impl FnOnce() -> Raw) -> (Track, Raw) {
        let id = self.new_id();
        let trigger = self.trigger();
        let context = self.context();
        let mut made = qjs::JS_UNDEFINED;
        if self.has_hook(HookEvent::Init) {
            // SAFETY: reads the tag.
            let shown = if unsafe { qjs::JS_IsUndefined(resource) } {
                made = make();
                made
            } else {
                resource
            };
            self.emit_init(id, kind, trigger, shown);
        }
        (Track { id, trigger, context }, made)
    }

    /// Enters a tracked callback before the call. Takes over the track's reference; the caller keeps the resource.
    pub(crate) fn enter(&self, track: Track, resource: Raw) {
        let before = self.tracking.running.replace(Running {
            id: track.id,
            trigger: track.trigger,
            resource: raw::dup(self.ctx, resource),
        });
        let context = self.tracking.context.replace(track.context);
        self.tracking.outer.borrow_mut().push((before, context));
        self.emit_hook(HookEvent::Before, &mut [number(track.id)]);
    }

    /// The depth of nested tracked callbacks.
    pub(crate) fn depth(&self) -> usize {
        self.tracking.outer.borrow().len()
    }

    /// Leaves all callbacks above a depth, whether they returned or threw.
    pub(crate) fn leave_to(&self, depth: usize) {
        while self.depth() > depth {
            self.emit_hook(HookEvent::After, &mut [number(self.running_id())]);
            self.leave_one();
        }
    }

    /// Leaves the innermost callback without calling hooks.
    fn leave_one(&self) {
        let outer = self.tracking.outer.borrow_mut().pop();
        if let Some((before, context)) = outer {
            let inner = self.tracking.running.replace(before);
            self.set_async_context(context);
            raw::free(self.ctx, inner.resource);
        }
    }

    /// Leaves every callback that an exception left entered. A context set by `enterWith` ends as well.
    #[inline]
    pub(crate) fn leave_all(&self) {
        if self.tracks() {
            self.leave_to(0);
            raw::free(self.ctx, self.tracking.running.replace(Running::NOTHING).resource);
            self.set_async_context(qjs::JS_UNDEFINED);
        }
    }

    /// Calls a tracked callback: enters it, calls it, reports its exception, and leaves it.
    pub(crate) fn run_tracked(
        &self,
        track: Track,
        resource: Raw,
        call: impl FnOnce() -> Raw,
        over: impl FnOnce(),
    ) -> Result<Ended, Exiting> {
        let depth = self.depth();
        self.enter(track, resource);
        let result = call();
        over();
        // As Node: exception handlers run in the context of the throw.
        let ended = self.settle(result);
        self.leave_to(depth);
        ended
    }

    /// Ends a track: releases its reference, and queues its `destroy` hook for the next check phase.
    pub(crate) fn end_track(&self, track: Option<Track>) {
        if let Some(track) = track {
            self.queue_destroy(track.id);
            raw::free(self.ctx, track.context);
        }
    }

    /// Queues the `destroy` hook of an id for the next check phase.
    pub(crate) fn queue_destroy(&self, id: f64) {
        /// With this many queued, run them in a microtask: a program that never yields to the loop would accumulate them.
        const MANY: usize = 16_384;
        if self.has_hook(HookEvent::Destroy) {
            let count = {
                let mut ended = self.tracking.ended.borrow_mut();
                ended.push(id);
                ended.len()
            };
            if count == MANY {
                // SAFETY: the function has the engine's signature. If there is no memory for the job, the check phase
                // runs the hooks.
                unsafe { qjs::JS_EnqueueJob(self.ctx, Some(destroy_hooks_job), 0, std::ptr::null_mut()) };
            }
        }
    }

    /// Runs the queued `destroy` hooks; they may queue more.
    pub(crate) fn run_destroy_hooks(&self) {
        loop {
            let ended = std::mem::take(&mut *self.tracking.ended.borrow_mut());
            if ended.is_empty() {
                return;
            }
            for id in ended {
                self.emit_hook(HookEvent::Destroy, &mut [number(id)]);
            }
        }
    }

    /// Enters the context that a promise was created in, with async id 0. Returns the depth before.
    pub(crate) fn enter_promise(&self, promise: Raw) -> usize {
        let depth = self.depth();
        if self.tracks() {
            let before = self.tracking.running.get();
            let outer = self.tracking.context.replace(self.creation_context(promise));
            self.tracking.outer.borrow_mut().push((before, outer));
            self.tracking.running.set(Running { resource: raw::dup(self.ctx, before.resource), ..before });
        }
        depth
    }

    /// As [`leave_to`](State::leave_to), without `after` hooks: for callbacks whose `before` hook was not called.
    pub(crate) fn leave_without_hooks_to(&self, depth: usize) {
        while self.depth() > depth {
            self.leave_one();
        }
    }

    /// Releases all engine values held here.
    pub(crate) fn clear_tracking(&self) {
        self.async_hooks.clear(self);
        self.leave_all();
        self.clear_reactions();
        self.storages.clear(self.ctx);
        drop(self.tracking.tick_shape.take());
        let timers = std::mem::take(&mut *self.tracking.timers.borrow_mut());
        let immediates = std::mem::take(&mut *self.tracking.immediates.borrow_mut());
        for track in timers.into_values().chain(immediates.into_values()) {
            raw::free(self.ctx, track.context);
        }
    }
}

impl Track {
    /// A copy with a reference of its own.
    pub(crate) fn again(self, ctx: RawCtx) -> Track {
        raw::dup(ctx, self.context);
        self
    }
}

/// A number as an engine value; it needs no reference.
pub(crate) fn number(value: f64) -> Raw {
    qjs::JS_NewFloat64(value)
}

unsafe extern "C" fn destroy_hooks_job(_ctx: RawCtx, _argc: c_int, _argv: *mut Raw) -> Raw {
    // SAFETY: the engine calls this on its host's thread.
    unsafe { current() }.run_destroy_hooks();
    qjs::JS_UNDEFINED
}
