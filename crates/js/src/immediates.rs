//! Immediates: a queue that is swapped when the check phase begins, so that an immediate set by an immediate runs in
//! the next iteration.
//!
//! As `src/env.cc: CheckImmediate, ToggleImmediateRef`: one check handle, always started and unreferenced, and one idle
//! handle, started only while there are referenced immediates. The idle handle keeps the loop alive and keeps poll from
//! blocking.
//!
//! Most programs use neither the return value of `setImmediate` nor `this` in the callback. So an unreferenced
//! `Immediate` object is recycled for the next immediate, and the queued one gets another object when it runs: a
//! million queued immediates need a million slab entries and few objects.
//!
//! # Safety
//! As `raw`. The opaque pointer of an `Immediate` object holds its slab index plus one. The slab entry is freed when
//! the object is finalized or reassigned to another entry, so the index is never stale. An entry without an object is
//! in a queue, and alone owns its callback and arguments. Nothing is borrowed while a value is created, called or
//! freed.
#![allow(unsafe_code)]

use std::os::raw::c_int;

use rquickjs::{Array, Ctx, Function, Object, Result, Value, qjs};

use crate::class::{Kind, ObjectCache, new_class};
use crate::dispatch::{Ended, Exiting};
use crate::raw::{self, Args, ObjPtr, Raw, RawCtx, Work};
use crate::state::{State, current, current_or_none, value_of};

/// State of all immediates.
pub(crate) struct Immediates {
    kind: Kind,
    slab: Vec<Immediate>,
    /// Head of the free list; each free entry links to the next.
    free: u32,
    spare: ObjectCache,
    /// Immediates for the next check phase.
    queue: Queue,
    /// The remaining immediates of the current check phase.
    running: Queue,
    /// The number of queued immediates that keep the loop alive.
    ref_count: usize,
    /// Whether the idle handle is started.
    idle_started: bool,
}

impl Default for Immediates {
    fn default() -> Immediates {
        Immediates {
            kind: Kind::default(),
            slab: Vec::new(),
            free: NO,
            spare: ObjectCache::default(),
            queue: Queue::default(),
            running: Queue::default(),
            ref_count: 0,
            idle_started: false,
        }
    }
}

/// The null index.
const NO: u32 = u32::MAX;

/// A linked list of immediates by slab index.
#[derive(Clone, Copy)]
struct Queue {
    first: u32,
    last: u32,
}

impl Default for Queue {
    fn default() -> Queue {
        Queue { first: NO, last: NO }
    }
}

struct Immediate {
    /// The object, if there is one. A counted reference only while it is in a queue.
    object: ObjPtr,
    /// The callback; undefined once it has run.
    callback: ObjPtr,
    args: Args,
    /// The previous and next immediate in the queue.
    prev: u32,
    next: u32,
    /// Whether it is queued.
    listed: bool,
    /// Whether it keeps the loop alive. Cleared when it starts to run.
    has_ref: bool,
    /// Whether it has run, or was cleared.
    over: bool,
}

impl Immediates {
    pub(crate) fn ref_count(&self) -> usize {
        self.ref_count
    }

    /// The slab index of an object, if it is an immediate.
    #[inline]
    fn place(&self, object: Raw) -> Option<u32> {
        let opaque = self.kind.opaque(object) as usize;
        opaque.checked_sub(1).map(|index| index as u32)
    }

    /// Appends a new immediate to the queue of the next check phase.
    #[inline]
    fn add(&mut self, immediate: Immediate) -> u32 {
        self.ref_count += 1;
        let place = match self.free {
            NO => {
                raw::push(&mut self.slab, immediate);
                self.slab.len() as u32 - 1
            }
            place => {
                self.free = self.slab[place as usize].next;
                self.slab[place as usize] = immediate;
                place
            }
        };
        let last = std::mem::replace(&mut self.queue.last, place);
        match last {
            NO => self.queue.first = place,
            last => self.slab[last as usize].next = place,
        }
        self.slab[place as usize].prev = last;
        place
    }

    /// Removes an immediate from its queue. If it was queued, returns true and the caller owns the reference to its object.
    #[inline]
    fn unlink(&mut self, place: u32) -> bool {
        let immediate = &mut self.slab[place as usize];
        if !std::mem::take(&mut immediate.listed) {
            return false;
        }
        let (prev, next) = (immediate.prev, immediate.next);
        match prev {
            NO if self.running.first == place => self.running.first = next,
            NO => self.queue.first = next,
            prev => self.slab[prev as usize].next = next,
        }
        match next {
            NO if self.running.last == place => self.running.last = prev,
            NO => self.queue.last = prev,
            next => self.slab[next as usize].prev = prev,
        }
        true
    }

    /// Frees a slab entry whose object is gone or belongs to another entry. The caller owns the returned values.
    #[inline]
    fn leave(&mut self, place: u32) -> Work {
        let immediate = &mut self.slab[place as usize];
        immediate.next = std::mem::replace(&mut self.free, place);
        immediate.object = ObjPtr::NONE;
        Work::take(&mut immediate.callback, &mut immediate.args)
    }

    /// An object without other references, to recycle: the cached one, or that of the newest queued immediate. The
    /// caller owns the reference.
    #[inline]
    fn take_recycled(&mut self, ctx: RawCtx) -> Option<Raw> {
        let latest = self.slab.get_mut(self.queue.last as usize);
        self.spare.take(self.kind, ctx, latest.map(|latest| &mut latest.object))
    }

    /// Takes the next immediate out of the running queue. The caller owns the reference to its object, if it has one.
    #[inline]
    fn take_running(&mut self) -> Option<(u32, ObjPtr)> {
        let place = self.running.first;
        let object = self.slab.get(place as usize)?.object;
        self.unlink(place);
        if let Some(next) = self.slab.get(self.running.first as usize) {
            next.object.fetch();
        }
        Some((place, object))
    }

    /// Marks an immediate as done and returns the values it held.
    fn end(&mut self, place: u32) -> Option<Work> {
        let immediate = &mut self.slab[place as usize];
        if immediate.over {
            return None;
        }
        immediate.over = true;
        self.ref_count -= usize::from(std::mem::take(&mut immediate.has_ref));
        Some(Work::take(&mut immediate.callback, &mut immediate.args))
    }
}

impl State {
    /// The check phase: first the immediates that an exception left over, then all that were queued when the phase began.
    pub(crate) fn run_immediates(&self) -> std::result::Result<(), Exiting> {
        self.run_destroy_hooks();
        self.drain()?;
        {
            let mut immediates = self.immediates.borrow_mut();
            let immediates = &mut *immediates;
            if immediates.queue.first == NO {
                return Ok(());
            }
            immediates.running = std::mem::take(&mut immediates.queue);
        }
        let mut drained = true;
        loop {
            let Some((place, object)) = self.immediates.borrow_mut().take_running() else { break };
            self.root(-1);
            // If a tick throws, the other ticks run after the next immediate.
            if !drained {
                self.drain()?;
            }
            drained = false;
            if self.run_immediate(place, object)? == Ended::Threw {
                drained = true;
            }
        }
        if !drained {
            self.drain()?;
        }
        self.sync_idle_handle();
        Ok(())
    }

    /// Returns a recycled or new object for an immediate, or `JS_EXCEPTION`.
    #[inline]
    fn immediate_object(&self, ctx: RawCtx) -> Raw {
        let recycled =
            if ctx == self.ctx && !self.tracks() { self.immediates.borrow_mut().take_recycled(ctx) } else { None };
        let kind = self.immediates.borrow().kind;
        recycled.unwrap_or_else(|| kind.make(ctx))
    }

    fn run_immediate(&self, place: u32, object: ObjPtr) -> std::result::Result<Ended, Exiting> {
        let work = self.immediates.borrow_mut().end(place);
        let Some(mut work) = work else {
            raw::free(self.ctx, object.raw());
            return Ok(Ended::Completed);
        };
        let object = if object == ObjPtr::NONE { self.immediate_object(self.ctx) } else { object.raw() };
        if raw::is_exception(object) {
            self.immediates.borrow_mut().leave(place);
            work.free(self.ctx);
            return self.settle(object);
        }
        Kind::set_opaque(object, place as usize + 1);
        let callback = work.callback.raw();
        let list = work.args.as_mut().map(|args| &mut args[..]).unwrap_or_default();
        let track = if self.tracks() { self.tracking.immediates.borrow_mut().remove(&place) } else { None };
        if let Some(track) = track {
            let call = || raw::call(self.ctx, callback, object, list);
            let ended = self.run_tracked(track, object, call, || self.queue_destroy(track.id));
            work.free(self.ctx);
            raw::free(self.ctx, object);
            return ended;
        }
        let result = raw::call(self.ctx, callback, object, list);
        work.free(self.ctx);
        self.release_object(place, object);
        self.settle(result)
    }

    /// Releases an object after its callback. If that was the last reference, the object is kept for the next immediate.
    #[inline]
    fn release_object(&self, place: u32, object: Raw) {
        let is_kept = {
            let mut immediates = self.immediates.borrow_mut();
            let kind = immediates.kind;
            let is_kept = immediates.spare.keep(kind, self.ctx, object);
            if is_kept {
                immediates.leave(place);
            }
            is_kept
        };
        if !is_kept {
            raw::free(self.ctx, object);
        }
    }

    /// Starts or stops the idle handle as needed.
    fn sync_idle_handle(&self) {
        let mut immediates = self.immediates.borrow_mut();
        let keep = immediates.ref_count > 0;
        if immediates.idle_started == keep {
            return;
        }
        immediates.idle_started = keep;
        if let Some(own) = self.own.get() {
            let mut core = self.core();
            // The handle stays open for the life of the host.
            let _ = if keep { core.idle_start(own.idle) } else { core.idle_stop(own.idle) };
        }
    }

    fn set_immediate_ref(&self, object: Raw, has_ref: bool) {
        {
            let mut immediates = self.immediates.borrow_mut();
            let Some(place) = immediates.place(object) else { return };
            let immediate = &mut immediates.slab[place as usize];
            if immediate.over || immediate.has_ref == has_ref {
                return;
            }
            immediate.has_ref = has_ref;
            if has_ref {
                immediates.ref_count += 1;
            } else {
                immediates.ref_count -= 1;
            }
        }
        self.sync_idle_handle();
    }

    pub(crate) fn clear_immediates(&self) {
        loop {
            let next = {
                let mut immediates = self.immediates.borrow_mut();
                if immediates.running.first == NO {
                    immediates.running = std::mem::take(&mut immediates.queue);
                }
                immediates.take_running()
            };
            let Some((place, object)) = next else { break };
            if object == ObjPtr::NONE {
                let work = self.immediates.borrow_mut().leave(place);
                work.free(self.ctx);
            }
            raw::free(self.ctx, object.raw());
        }
        let spare = self.immediates.borrow_mut().spare.take_object();
        raw::free(self.ctx, spare);
    }
}

/// Creates the class, and defines its methods and the global functions on an object.
pub(crate) fn define<'js>(ctx: &Ctx<'js>, object: &Object<'js>) -> Result<()> {
    // SAFETY: on the host's thread.
    let state = unsafe { current() };
    let class = new_class(state, c"Immediate", finalize, mark);
    raw::define(ctx, object, c"setImmediate", 1, set_immediate)?;
    raw::define(ctx, object, c"clearImmediate", 1, clear_immediate)?;
    object.set("immediateParts", Function::new(ctx.clone(), immediate_parts)?)?;
    let methods = Object::new(ctx.clone())?;
    raw::define(ctx, &methods, c"ref", 0, immediate_ref)?;
    raw::define(ctx, &methods, c"unref", 0, immediate_unref)?;
    raw::define(ctx, &methods, c"hasRef", 0, immediate_has_ref)?;
    state.immediates.borrow_mut().kind = Kind::with_methods(class, &methods, object)?;
    object.set("Immediate", methods)
}

unsafe extern "C" fn set_immediate(ctx: RawCtx, _this: Raw, argc: c_int, argv: *mut Raw) -> Raw {
    // SAFETY: the engine calls this with one argument at least, as its length is 1, and on its host's thread.
    let (state, callback, args) = unsafe { (current(), *argv, raw::arguments(argc, argv)) };
    if !raw::is_function(ctx, callback) {
        return state.refuse_callback(callback);
    }
    let object = state.immediate_object(ctx);
    if raw::is_exception(object) {
        return object;
    }
    let args = args.get(1..).filter(|rest| !rest.is_empty());
    let args = args.map(|rest| Box::new(rest.iter().map(|arg| raw::dup(ctx, *arg)).collect()));
    let immediate = Immediate {
        object: ObjPtr::of(raw::dup(ctx, object)),
        callback: ObjPtr::of(raw::dup(ctx, callback)),
        args,
        prev: NO,
        next: NO,
        listed: true,
        has_ref: true,
        over: false,
    };
    let (place, keeps) = {
        let mut immediates = state.immediates.borrow_mut();
        let place = immediates.add(immediate);
        Kind::set_opaque(object, place as usize + 1);
        (place, immediates.idle_started)
    };
    state.root(1);
    if state.tracks() {
        let (track, _) = state.track("Immediate", object, || qjs::JS_UNDEFINED);
        state.tracking.immediates.borrow_mut().insert(place, track);
    }
    if !keeps {
        state.sync_idle_handle();
    }
    object
}

unsafe extern "C" fn clear_immediate(_ctx: RawCtx, _this: Raw, _argc: c_int, argv: *mut Raw) -> Raw {
    // SAFETY: as in `set_immediate`.
    let (state, object) = unsafe { (current(), *argv) };
    let ended = {
        let mut immediates = state.immediates.borrow_mut();
        let place = immediates.place(object);
        place.and_then(|place| Some((place, immediates.end(place)?, immediates.unlink(place))))
    };
    if let Some((place, work, listed)) = ended {
        if state.tracks() {
            let track = state.tracking.immediates.borrow_mut().remove(&place);
            state.end_track(track);
        }
        state.sync_idle_handle();
        work.free(state.ctx);
        if listed {
            state.root(-1);
            raw::free(state.ctx, object);
        }
    }
    qjs::JS_UNDEFINED
}

/// The internals of an immediate for inspection: `[callback, arguments, over]`, or `None` for a value that is not an
/// `Immediate`.
fn immediate_parts<'js>(ctx: Ctx<'js>, value: Value<'js>) -> Result<Option<Array<'js>>> {
    // SAFETY: on the host's thread.
    let state = unsafe { current() };
    let found = {
        let immediates = state.immediates.borrow();
        immediates.place(value.as_raw()).map(|place| {
            let immediate = &immediates.slab[place as usize];
            let args = immediate.args.iter().flat_map(|args| args.iter()).map(|arg| value_of(&ctx, *arg));
            (value_of(&ctx, immediate.callback.raw()), args.collect::<Vec<_>>(), immediate.over)
        })
    };
    let Some((callback, args, over)) = found else { return Ok(None) };
    let parts = Array::new(ctx.clone())?;
    parts.set(0, callback)?;
    if !args.is_empty() {
        parts.set(1, args)?;
    }
    parts.set(2, over)?;
    Ok(Some(parts))
}

unsafe extern "C" fn immediate_ref(ctx: RawCtx, this: Raw, _argc: c_int, _argv: *mut Raw) -> Raw {
    // SAFETY: on the host's thread.
    unsafe { current() }.set_immediate_ref(this, true);
    raw::dup(ctx, this)
}

unsafe extern "C" fn immediate_unref(ctx: RawCtx, this: Raw, _argc: c_int, _argv: *mut Raw) -> Raw {
    // SAFETY: on the host's thread.
    unsafe { current() }.set_immediate_ref(this, false);
    raw::dup(ctx, this)
}

unsafe extern "C" fn immediate_has_ref(_ctx: RawCtx, this: Raw, _argc: c_int, _argv: *mut Raw) -> Raw {
    // SAFETY: on the host's thread.
    let immediates = unsafe { current() }.immediates.borrow();
    let has_ref = immediates.place(this).is_some_and(|place| immediates.slab[place as usize].has_ref);
    qjs::JS_MKVAL(qjs::JS_TAG_BOOL, i32::from(has_ref))
}

unsafe extern "C" fn finalize(runtime: *mut qjs::JSRuntime, object: Raw) {
    // SAFETY: the engine's thread is the host's.
    let Some(state) = (unsafe { current_or_none() }) else { return };
    let work = {
        let mut immediates = state.immediates.borrow_mut();
        let Some(place) = immediates.place(object) else { return };
        immediates.leave(place)
    };
    work.free_late(runtime);
}

unsafe extern "C" fn mark(runtime: *mut qjs::JSRuntime, object: Raw, mark: qjs::JS_MarkFunc) {
    // SAFETY: the engine's thread is the host's; the values are alive, and marking calls no JavaScript.
    unsafe {
        let Some(state) = current_or_none() else { return };
        let immediates = state.immediates.borrow();
        let Some(place) = immediates.place(object) else { return };
        let immediate = &immediates.slab[place as usize];
        Work::mark(immediate.callback, &immediate.args, runtime, mark);
    }
}
