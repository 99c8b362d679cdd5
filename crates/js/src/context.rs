//! Who is running: the asynchronous context that follows every callback, and the ids by which `async_hooks` knows what was
//! started and what runs.
//!
//! The *context* is one value, a frame of `frame`, or `undefined` unless some `AsyncLocalStorage` has a store. Whoever queues a callback takes it
//! down, and has it back when the callback runs; for promises `reactions` does so. An *id* is a
//! number given to each thing that will call back. Neither costs anything until `async_hooks` is loaded: then [`State::tracks`]
//! says so, and the queues keep a [`Track`] with each callback.
//!
//! What a hook is, and which are enabled, is JavaScript's, in `phasor-node`.
//!
//! # Safety
//! As `raw`: a track holds a counted reference to its context, given up when the callback has run or never will. Nothing is
//! borrowed while a value is made, called or freed.
#![allow(unsafe_code)]

pub(crate) mod frame;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::os::raw::c_int;

use rquickjs::function::Func;
use rquickjs::{Ctx, Function, Object, Persistent, Result, Value, qjs};

use crate::builtins::Natives;
use crate::dispatch::{Ended, Leaving};
use crate::raw::{self, Raw, RawCtx};
use crate::reactions::Moment;
use crate::state::{State, current, state, value_of};

/// What is known of a callback that is queued.
#[derive(Clone, Copy)]
pub(crate) struct Track {
    /// Its id, and that of what started it. Numbers as JavaScript has them: whole, and below 2⁵³.
    pub(crate) id: f64,
    pub(crate) trigger: f64,
    /// The context it was queued in: a counted reference.
    pub(crate) context: Raw,
}

/// What `async_hooks` hears of, one bit each.
#[derive(Clone, Copy)]
enum Tells {
    Init = 1,
    Before = 2,
    After = 4,
    Destroy = 8,
}

/// The functions of `phasor-node` that are told, in this order.
#[derive(Clone, Copy)]
enum Told {
    /// `(id, type, trigger, resource)`
    Init,
    /// `(id)`
    Before,
    After,
    Destroy,
    /// `(what, promise, parent)`: 0 init, 1 before, 2 after, 3 resolve.
    Promise,
}

const TOLD: [(&str, Told); 5] = [
    ("init", Told::Init),
    ("before", Told::Before),
    ("after", Told::After),
    ("destroy", Told::Destroy),
    ("promise", Told::Promise),
];

/// What one thread knows of what runs on it.
pub(crate) struct Tracking {
    /// Whether anybody asks.
    on: Cell<bool>,
    /// The current context: a counted reference.
    context: Cell<Raw>,
    /// The newest id. 1 is the main script's.
    newest: Cell<f64>,
    /// What runs now.
    running: Cell<Running>,
    /// What ran when it began, and what ran when that began …
    outer: RefCell<Vec<(Running, Raw)>>,
    /// The id that is the trigger of what is started now, if it is not the one that runs.
    default_trigger: Cell<f64>,
    tells: Cell<u32>,
    told: [Cell<Raw>; TOLD.len()],
    /// Ids whose end is told in the next check phase.
    ended: RefCell<Vec<f64>>,
    /// Tracks of timers and immediates, by their places.
    pub(crate) timers: RefCell<HashMap<u32, Track>>,
    pub(crate) immediates: RefCell<HashMap<u32, Track>>,
}

/// What runs.
#[derive(Clone, Copy)]
struct Running {
    id: f64,
    trigger: f64,
    /// What stands for it in JavaScript: a counted reference, or undefined as long as nobody has asked.
    resource: Raw,
}

impl Running {
    const NOTHING: Running = Running { id: 0.0, trigger: 0.0, resource: qjs::JS_UNDEFINED };
}

/// No trigger but the one that runs.
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
            tells: Cell::new(0),
            told: std::array::from_fn(|_| Cell::new(qjs::JS_UNDEFINED)),
            ended: RefCell::default(),
            timers: RefCell::default(),
            immediates: RefCell::default(),
        }
    }
}

impl State {
    /// Callbacks are tracked from now on.
    fn start_tracking(&self) {
        self.tracking.on.set(true);
        self.track_promises();
    }

    /// Whether callbacks are tracked.
    #[inline]
    pub(crate) fn tracks(&self) -> bool {
        self.tracking.on.get()
    }

    fn tells(&self, what: Tells) -> bool {
        self.tracking.tells.get() & what as u32 != 0
    }

    /// The main script begins, which has id 1.
    pub(crate) fn begin_main(&self) {
        self.tracking.running.set(Running { id: 1.0, ..Running::NOTHING });
    }

    /// The main script is through.
    pub(crate) fn end_main(&self) {
        self.leave_all();
        self.tracking.running.set(Running::NOTHING);
    }

    /// The current context.
    pub(crate) fn async_context(&self) -> Raw {
        self.tracking.context.get()
    }

    /// Sets the current context, whose reference is taken.
    pub(crate) fn set_async_context(&self, context: Raw) {
        raw::free(self.ctx, self.replace_async_context(context));
    }

    /// Sets the current context, whose reference is taken, and gives the one before with its reference.
    fn replace_async_context(&self, context: Raw) -> Raw {
        self.tracking.context.replace(context)
    }

    /// The current context, with a reference of its own.
    pub(crate) fn context(&self) -> Raw {
        raw::dup(self.ctx, self.async_context())
    }

    fn new_id(&self) -> f64 {
        let id = self.tracking.newest.get() + 1.0;
        self.tracking.newest.set(id);
        id
    }

    /// Tracks a callback that is being queued. `resource` stands for it; if there is none, `make` makes one when a hook
    /// wants to see it, whose reference is the caller's.
    pub(crate) fn track(&self, kind: &str, resource: Raw, make: impl FnOnce() -> Raw) -> (Track, Raw) {
        let id = self.new_id();
        let default = self.tracking.default_trigger.get();
        let trigger = if default < 0.0 { self.tracking.running.get().id } else { default };
        let context = self.context();
        let mut made = qjs::JS_UNDEFINED;
        if self.tells(Tells::Init) {
            // SAFETY: looks at the tag.
            let shown = if unsafe { qjs::JS_IsUndefined(resource) } {
                made = make();
                made
            } else {
                resource
            };
            // SAFETY: a new string, given up below.
            let kind = unsafe { qjs::JS_NewStringLen(self.ctx, kind.as_ptr().cast(), kind.len() as _) };
            self.tell(Told::Init, &mut [number(id), kind, number(trigger), shown]);
            raw::free(self.ctx, kind);
        }
        (Track { id, trigger, context }, made)
    }

    /// A tracked callback is about to be called. Takes the track's reference; the resource stays the caller's.
    pub(crate) fn enter(&self, track: Track, resource: Raw) {
        let before = self.tracking.running.replace(Running {
            id: track.id,
            trigger: track.trigger,
            resource: raw::dup(self.ctx, resource),
        });
        let context = self.tracking.context.replace(track.context);
        self.tracking.outer.borrow_mut().push((before, context));
        if self.tells(Tells::Before) {
            self.tell(Told::Before, &mut [number(track.id)]);
        }
    }

    /// How deep in tracked callbacks this is.
    pub(crate) fn depth(&self) -> usize {
        self.tracking.outer.borrow().len()
    }

    /// The callbacks down to a depth are over, whether they returned or threw.
    pub(crate) fn leave_to(&self, depth: usize) {
        while self.depth() > depth {
            let running = self.tracking.running.get();
            if self.tells(Tells::After) {
                self.tell(Told::After, &mut [number(running.id)]);
            }
            let Some((before, context)) = self.tracking.outer.borrow_mut().pop() else { return };
            let inner = self.tracking.running.replace(before);
            self.set_async_context(context);
            raw::free(self.ctx, inner.resource);
        }
    }

    /// Nothing runs any more: what a callback has left entered because it threw is left, and a context that it has entered
    /// for good ends with it.
    #[inline]
    pub(crate) fn leave_all(&self) {
        if self.tracks() {
            self.leave_to(0);
            raw::free(self.ctx, self.tracking.running.replace(Running::NOTHING).resource);
            self.set_async_context(qjs::JS_UNDEFINED);
        }
    }

    /// Calls a tracked callback: entered, called, reported if it threw, and left.
    pub(crate) fn run_tracked(
        &self,
        track: Track,
        resource: Raw,
        call: impl FnOnce() -> Raw,
        over: impl FnOnce(),
    ) -> std::result::Result<Ended, Leaving> {
        let depth = self.depth();
        self.enter(track, resource);
        let result = call();
        over();
        // As Node: whoever hears of the exception does so where it was thrown.
        let ended = self.settle(result);
        self.leave_to(depth);
        ended
    }

    /// What a track has is over: its reference is given up, and its end told in the next check phase.
    pub(crate) fn end_track(&self, track: Option<Track>) {
        if let Some(track) = track {
            self.tell_end(track.id);
            raw::free(self.ctx, track.context);
        }
    }

    /// The end of an id is told in the next check phase.
    pub(crate) fn tell_end(&self, id: f64) {
        /// So many, and a program that gives its loop no turn would keep them all: they are told in a microtask.
        const MANY: usize = 16_384;
        if self.tells(Tells::Destroy) {
            let count = {
                let mut ended = self.tracking.ended.borrow_mut();
                ended.push(id);
                ended.len()
            };
            if count == MANY {
                // SAFETY: the function has the engine's signature; if there is no memory for the job, the check phase comes.
                unsafe { qjs::JS_EnqueueJob(self.ctx, Some(tell_ends_job), 0, std::ptr::null_mut()) };
            }
        }
    }

    /// Tells of the ends that have come together since the last check phase; telling may add some.
    pub(crate) fn tell_ends(&self) {
        loop {
            let ended = std::mem::take(&mut *self.tracking.ended.borrow_mut());
            if ended.is_empty() {
                return;
            }
            for id in ended {
                self.tell(Told::Destroy, &mut [number(id)]);
            }
        }
    }

    /// Tells of a promise, and of the one it comes from if it is new.
    pub(crate) fn tell_of_promise(&self, moment: Moment, promise: Raw, parent: Raw) {
        let moment = qjs::JS_MKVAL(qjs::JS_TAG_INT, moment as i32);
        self.tell(Told::Promise, &mut [moment, promise, parent]);
    }

    fn tell(&self, told: Told, args: &mut [Raw]) {
        if self.leaving.get().is_some() {
            return;
        }
        let result = raw::call(self.ctx, self.tracking.told[told as usize].get(), qjs::JS_UNDEFINED, args);
        if raw::is_exception(result) {
            // A hook that throws ends the process there; this is the end of a thread, which `leaving` says.
            self.drop_exception();
        } else {
            raw::free(self.ctx, result);
        }
    }

    /// The context that a promise was made in, as the current one; with nothing running.
    pub(crate) fn enter_promise(&self, promise: Raw) -> usize {
        let depth = self.depth();
        if self.tracks() {
            let before = self.tracking.running.get();
            let outer = self.tracking.context.replace(self.made_in(promise));
            self.tracking.outer.borrow_mut().push((before, outer));
            self.tracking.running.set(Running { resource: raw::dup(self.ctx, before.resource), ..before });
        }
        depth
    }

    /// As [`leave_to`](State::leave_to), for what no hook was told the beginning of.
    pub(crate) fn leave_quietly_to(&self, depth: usize) {
        let tells = self.tracking.tells.get();
        self.tracking.tells.set(tells & !(Tells::After as u32));
        self.leave_to(depth);
        self.tracking.tells.set(tells);
    }

    /// Gives up everything of the engine's that is kept here.
    pub(crate) fn clear_tracking(&self) {
        self.tracking.tells.set(0);
        self.leave_all();
        self.clear_reactions();
        self.storages.clear(self.ctx);
        for told in &self.tracking.told {
            raw::free(self.ctx, told.replace(qjs::JS_UNDEFINED));
        }
        let timers = std::mem::take(&mut *self.tracking.timers.borrow_mut());
        let immediates = std::mem::take(&mut *self.tracking.immediates.borrow_mut());
        for track in timers.into_values().chain(immediates.into_values()) {
            raw::free(self.ctx, track.context);
        }
    }
}

impl Track {
    /// With a reference of its own.
    pub(crate) fn again(self, ctx: RawCtx) -> Track {
        raw::dup(ctx, self.context);
        self
    }
}

/// A number as a value: it has no reference.
pub(crate) fn number(value: f64) -> Raw {
    qjs::JS_NewFloat64(value)
}

/// What is known of a handle or a request whose object of JavaScript is called by natives. There is one only if somebody asks.
pub struct Tracked {
    id: f64,
    trigger: f64,
    context: RefCell<Persistent<Value<'static>>>,
}

impl Tracked {
    /// Tracks an object, by the name that Node's hooks know its kind by. What triggered it is what runs, unless an id is given.
    pub fn new<'js>(ctx: &Ctx<'js>, kind: &str, resource: &Object<'js>, trigger: Option<f64>) -> Option<Tracked> {
        let state = state(ctx);
        if !state.tracks() {
            return None;
        }
        let default = default_trigger(&state, trigger);
        let (track, _) = state.track(kind, resource.as_value().as_raw(), || qjs::JS_UNDEFINED);
        state.tracking.default_trigger.set(default);
        let context = value_of(ctx, track.context);
        raw::free(state.ctx, track.context);
        let context = RefCell::new(Persistent::save(ctx, context));
        Some(Tracked { id: track.id, trigger: track.trigger, context })
    }

    /// The id.
    pub fn id(&self) -> f64 {
        self.id
    }

    /// Makes a call as this. If it throws, its scope is left by the funnel, after whoever hears of the exception.
    pub fn call<'js, T>(&self, ctx: &Ctx<'js>, resource: &Object<'js>, call: impl FnOnce() -> Result<T>) -> Result<T> {
        let state = state(ctx);
        let depth = state.depth();
        let context = self.context.borrow().clone().restore(ctx)?;
        let context = raw::dup(state.ctx, context.as_raw());
        state.enter(Track { id: self.id, trigger: self.trigger, context }, resource.as_value().as_raw());
        let result = call()?;
        // As Node, where the store is the resource's: what was entered for good is there the next time.
        let context = value_of(ctx, state.async_context());
        let before = self.context.replace(Persistent::save(ctx, context));
        drop(before);
        state.leave_to(depth);
        Ok(result)
    }

    /// Nothing is called any more.
    pub fn end(&self, ctx: &Ctx<'_>) {
        state(ctx).tell_end(self.id);
    }
}

/// Sets the trigger of what is started next, if one is given; the one before.
fn default_trigger(state: &State, trigger: Option<f64>) -> f64 {
    let before = state.tracking.default_trigger.get();
    if let Some(trigger) = trigger {
        state.tracking.default_trigger.set(trigger);
    }
    before
}

/// Makes a call as what is tracked, or just so.
pub fn call_tracked<'js, T>(
    ctx: &Ctx<'js>,
    tracked: Option<&Tracked>,
    resource: &Object<'js>,
    call: impl FnOnce() -> Result<T>,
) -> Result<T> {
    match tracked {
        Some(tracked) => tracked.call(ctx, resource, call),
        None => call(),
    }
}

/// The verbs of `internal/async_hooks`.
pub const ASYNC_CONTEXT: Natives = Natives { name: "async_context", make: natives };

fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    frame::define(ctx, &object)?;
    raw::define(ctx, &object, c"getContext", 0, get_context)?;
    raw::define(ctx, &object, c"enter", 4, enter)?;
    raw::define(ctx, &object, c"leave", 1, leave)?;
    raw::define(ctx, &object, c"depth", 0, depth)?;
    raw::define(ctx, &object, c"runningResource", 0, running_resource)?;
    raw::define(ctx, &object, c"setRunningResource", 1, set_running_resource)?;
    object.set("track", Func::from(|ctx: Ctx<'_>| state(&ctx).start_tracking()))?;
    object.set("newId", Func::from(|ctx: Ctx<'_>| state(&ctx).new_id()))?;
    object.set("runningId", Func::from(|ctx: Ctx<'_>| state(&ctx).tracking.running.get().id))?;
    object.set("runningTrigger", Func::from(|ctx: Ctx<'_>| state(&ctx).tracking.running.get().trigger))?;
    object.set("defaultTrigger", Func::from(|ctx: Ctx<'_>| state(&ctx).tracking.default_trigger.get()))?;
    let set = |ctx: Ctx<'_>, id: f64| state(&ctx).tracking.default_trigger.set(id);
    object.set("setDefaultTrigger", Func::from(set))?;
    object.set("destroy", Func::from(|ctx: Ctx<'_>, id: f64| state(&ctx).tell_end(id)))?;
    object.set("tell", Func::from(set_told))?;
    object.set("watchPromises", Func::from(|ctx: Ctx<'_>, watched: bool| state(&ctx).watch_promises(watched)))?;
    Ok(object)
}

unsafe extern "C" fn tell_ends_job(_ctx: RawCtx, _argc: c_int, _argv: *mut Raw) -> Raw {
    // SAFETY: the engine calls this on its host's thread.
    unsafe { current() }.tell_ends();
    qjs::JS_UNDEFINED
}

/// Says who is told, and of what: the bits of [`Tells`].
fn set_told<'js>(ctx: Ctx<'js>, functions: Object<'js>, tells: u32) -> Result<()> {
    let state = state(&ctx);
    for (name, told) in TOLD {
        let function = functions.get::<_, Function<'js>>(name)?;
        let new = raw::dup(state.ctx, function.as_value().as_raw());
        raw::free(state.ctx, state.tracking.told[told as usize].replace(new));
    }
    state.tracking.tells.set(tells);
    Ok(())
}

unsafe extern "C" fn get_context(ctx: RawCtx, _this: Raw, _argc: c_int, _argv: *mut Raw) -> Raw {
    // SAFETY: on the host's thread.
    raw::dup(ctx, unsafe { current() }.async_context())
}

/// `(id, trigger, resource, context)`
unsafe extern "C" fn enter(ctx: RawCtx, _this: Raw, _argc: c_int, argv: *mut Raw) -> Raw {
    // SAFETY: called with four arguments at least, as its length is 4, and on its host's thread.
    unsafe {
        let (mut id, mut trigger) = (0.0, 0.0);
        if qjs::JS_ToFloat64(ctx, &mut id, *argv) < 0 || qjs::JS_ToFloat64(ctx, &mut trigger, *argv.add(1)) < 0 {
            return qjs::JS_EXCEPTION;
        }
        let context = raw::dup(ctx, *argv.add(3));
        current().enter(Track { id, trigger, context }, *argv.add(2));
    }
    qjs::JS_UNDEFINED
}

/// `(depth)`: leaves what was entered since.
unsafe extern "C" fn leave(ctx: RawCtx, _this: Raw, _argc: c_int, argv: *mut Raw) -> Raw {
    // SAFETY: called with one argument at least, as its length is 1, and on its host's thread.
    unsafe {
        let mut depth = 0;
        if qjs::JS_ToInt32(ctx, &mut depth, *argv) < 0 {
            return qjs::JS_EXCEPTION;
        }
        current().leave_to(usize::try_from(depth).unwrap_or(0));
    }
    qjs::JS_UNDEFINED
}

unsafe extern "C" fn depth(_ctx: RawCtx, _this: Raw, _argc: c_int, _argv: *mut Raw) -> Raw {
    // SAFETY: on the host's thread.
    qjs::JS_MKVAL(qjs::JS_TAG_INT, unsafe { current() }.depth() as i32)
}

unsafe extern "C" fn running_resource(ctx: RawCtx, _this: Raw, _argc: c_int, _argv: *mut Raw) -> Raw {
    // SAFETY: on the host's thread.
    raw::dup(ctx, unsafe { current() }.tracking.running.get().resource)
}

unsafe extern "C" fn set_running_resource(ctx: RawCtx, _this: Raw, _argc: c_int, argv: *mut Raw) -> Raw {
    // SAFETY: called with one argument at least, as its length is 1, and on its host's thread.
    let (state, resource) = unsafe { (current(), raw::dup(ctx, *argv)) };
    let before = state.tracking.running.get();
    state.tracking.running.set(Running { resource, ..before });
    raw::free(ctx, before.resource);
    qjs::JS_UNDEFINED
}
