//! The two queues of the inner scheduler: `process.nextTick` callbacks, in a ring buffer, and the engine's microtask jobs.
//!
//! # Safety
//! As `raw`: each value in the ring is a counted reference, released once when its tick has run.
#![allow(unsafe_code)]

use std::collections::VecDeque;
use std::os::raw::c_int;

use rquickjs::{Ctx, Object, Result, qjs};

use crate::context::{Track, number};
use crate::dispatch::{Ended, Exiting};
use crate::raw::{self, Held, Raw, RawCtx};
use crate::state::{Hook, State, current, state};

/// The tick queue. The arguments of all ticks share a second ring, because most ticks have none.
#[derive(Default)]
pub(crate) struct Ticks {
    ring: VecDeque<Tick>,
    args: VecDeque<Raw>,
}

/// A queued tick.
#[derive(Clone, Copy)]
struct Tick {
    function: Raw,
    /// The number of arguments.
    count: u32,
    /// Whether four values precede its arguments in the ring: the async id, trigger id and context of its `Track`, and
    /// its resource.
    tracked: bool,
}

impl Ticks {
    /// Queues a tick and takes its own references.
    #[inline]
    fn push(&mut self, ctx: RawCtx, function: Raw, args: &[Raw], tracked: bool) {
        if !args.is_empty() {
            self.args.extend(args.iter().map(|arg| raw::dup(ctx, *arg)));
        }
        self.ring.push_back(Tick { function: raw::dup(ctx, function), count: args.len() as u32, tracked });
    }
}

/// Up to this many arguments, running a tick does not allocate.
const FEW: usize = 6;

impl State {
    /// Whether the tick queue is empty.
    #[inline]
    pub fn no_ticks(&self) -> bool {
        self.ticks.borrow().ring.is_empty()
    }

    /// The number of queued ticks.
    #[inline]
    pub fn ticks_waiting(&self) -> usize {
        self.ticks.borrow().ring.len()
    }

    /// Runs ticks until the queue is empty. An exception stops it; the next drain runs the rest.
    pub(crate) fn run_ticks(&self) -> std::result::Result<Ended, Exiting> {
        loop {
            let next = self.ticks.borrow_mut().ring.pop_front();
            let Some(Tick { function, count, tracked }) = next else { return Ok(Ended::Completed) };
            if tracked {
                if self.run_tracked_tick(function, count as usize)? == Ended::Threw {
                    return Ok(Ended::Threw);
                }
                continue;
            }
            let result = match count {
                0 => raw::call(self.ctx, function, qjs::JS_UNDEFINED, &mut []),
                _ => self.call_tick(function, count as usize),
            };
            raw::free(self.ctx, function);
            if self.settle(result)? == Ended::Threw {
                return Ok(Ended::Threw);
            }
        }
    }

    /// Runs a tick whose track and resource precede its arguments in the ring.
    #[cold]
    fn run_tracked_tick(&self, function: Raw, count: usize) -> std::result::Result<Ended, Exiting> {
        let (track, resource) = {
            let args = &mut self.ticks.borrow_mut().args;
            let mut next = || args.pop_front().unwrap_or(qjs::JS_UNDEFINED);
            let (id, trigger, context, resource) = (next(), next(), next(), next());
            (
                Track {
                    id: raw::as_number(id).unwrap_or_default(),
                    trigger: raw::as_number(trigger).unwrap_or_default(),
                    context,
                },
                resource,
            )
        };
        let call = || {
            let result = self.call_tick(function, count);
            raw::free(self.ctx, function);
            result
        };
        let ended = self.run_tracked(track, resource, call, || self.queue_destroy(track.id));
        raw::free(self.ctx, resource);
        ended
    }

    /// Queues a tick, unless the process is exiting.
    #[inline]
    fn queue_tick(&self, function: Raw, args: &[Raw]) {
        if self.exiting.get() {
            return;
        }
        if self.tracks() {
            self.queue_tracked_tick(function, args);
        } else {
            self.ticks.borrow_mut().push(self.ctx, function, args, false);
        }
    }

    /// Queues a tick with its async track.
    #[cold]
    fn queue_tracked_tick(&self, function: Raw, args: &[Raw]) {
        let ctx = self.ctx;
        let (track, resource) = self.track("TickObject", qjs::JS_UNDEFINED, || self.tick_object(function, args));
        let ticks = &mut *self.ticks.borrow_mut();
        ticks.args.extend([number(track.id), number(track.trigger), track.context, resource]);
        ticks.push(ctx, function, args, true);
    }

    /// The resource that async hooks see for a tick: `{ callback, args }`.
    fn tick_object(&self, function: Raw, args: &[Raw]) -> Raw {
        let is_first = self.tracking.tick_shape.borrow().is_none();
        if is_first {
            let shape = Held::new(self.ctx, tick_object(self.ctx, qjs::JS_UNDEFINED, &[]));
            drop(self.tracking.tick_shape.replace(Some(shape)));
        }
        tick_object(self.ctx, function, args)
    }

    /// Calls a tick's function with its arguments, which are next in the ring.
    fn call_tick(&self, function: Raw, count: usize) -> Raw {
        let mut few = [qjs::JS_UNDEFINED; FEW];
        let mut many = Vec::new();
        let args = {
            let ring = &mut self.ticks.borrow_mut().args;
            if count <= FEW {
                for place in &mut few[..count] {
                    *place = ring.pop_front().unwrap_or(qjs::JS_UNDEFINED);
                }
                &mut few[..count]
            } else {
                many.extend(ring.drain(..count));
                &mut many[..]
            }
        };
        let result = raw::call(self.ctx, function, qjs::JS_UNDEFINED, args);
        for arg in args.iter() {
            raw::free(self.ctx, *arg);
        }
        result
    }

    /// Whether a microtask is queued, or a WeakRef target is kept alive until microtasks have run.
    #[inline]
    pub(crate) fn has_microtasks(&self) -> bool {
        // SAFETY: the runtime lives as long as the host.
        unsafe { qjs::JS_IsJobPending(self.runtime) || !self.has_no_weakref_roots() }
    }

    /// Runs microtasks until the queue is empty. Reports an exception before the next one.
    pub(crate) fn run_microtasks(&self) -> std::result::Result<(), Exiting> {
        loop {
            let context = self.context();
            let ended = self.run_jobs(context);
            raw::free(self.ctx, context);
            ended?;
            if self.has_no_weakref_roots() {
                return Ok(());
            }
            self.release_weakref_roots();
        }
    }

    /// Runs all queued microtasks. Each starts in the given context, unless the job carries a context of its own.
    fn run_jobs(&self, context: Raw) -> std::result::Result<(), Exiting> {
        let mut ctx = std::ptr::null_mut();
        loop {
            // SAFETY: the runtime lives as long as the host, and nothing is borrowed.
            match unsafe { qjs::JS_ExecutePendingJob(self.runtime, &mut ctx) } {
                0 => return Ok(()),
                1.. => {}
                _ => self.report()?,
            }
            if self.tracks() {
                self.end_job(context);
            }
            // The engine may have turned the termination exception into a rejected promise: poll the thread control
            // here too.
            if self.leaving.get().is_some() || self.poll_control() {
                return Err(Exiting);
            }
        }
    }

    pub(crate) fn clear_ticks(&self) {
        let Ticks { ring, args } = self.ticks.take();
        for value in ring.into_iter().map(|tick| tick.function).chain(args) {
            raw::free(self.ctx, value);
        }
    }

    /// Throws the error for a callback that is not a function.
    pub(crate) fn refuse_callback(&self, value: Raw) -> Raw {
        let result = raw::call(self.ctx, self.hook(Hook::BadCallback), qjs::JS_UNDEFINED, &mut [value]);
        if raw::is_exception(result) {
            return result;
        }
        raw::free(self.ctx, result);
        qjs::JS_UNDEFINED
    }
}

/// Puts `nextTick` and `queueMicrotask` on an object.
pub(crate) fn define<'js>(ctx: &Ctx<'js>, object: &Object<'js>) -> Result<()> {
    raw::define(ctx, object, c"nextTick", 1, next_tick)?;
    let next_tick = object.get::<_, Object<'js>>("nextTick")?;
    state(ctx).next_tick.set(raw::object_address(next_tick.as_value().as_raw()));
    raw::define(ctx, object, c"queueMicrotask", 1, queue_microtask)
}

unsafe extern "C" fn next_tick(ctx: RawCtx, _this: Raw, argc: c_int, argv: *mut Raw) -> Raw {
    // SAFETY: the engine calls this with one argument at least, as its length is 1, and on its host's thread.
    let (state, function, args) = unsafe { (current(), *argv, raw::arguments(argc, argv)) };
    if !raw::is_function(ctx, function) {
        return state.refuse_callback(function);
    }
    state.queue_tick(function, args.get(1..).unwrap_or_default());
    qjs::JS_UNDEFINED
}

/// Queues a tick as a call of `process.nextTick` would. Returns false, without queueing, if `next_tick` is not the
/// original function.
#[inline]
pub(crate) fn queue_tick(next_tick: Raw, function: Raw, args: &[Raw]) -> bool {
    // SAFETY: only called from natives, which the engine of this thread's host has called.
    let state = unsafe { current() };
    let is_it = raw::object_address(next_tick) == state.next_tick.get();
    if is_it {
        state.queue_tick(function, args);
    }
    is_it
}

unsafe extern "C" fn queue_microtask(ctx: RawCtx, _this: Raw, _argc: c_int, argv: *mut Raw) -> Raw {
    // SAFETY: as in `next_tick`; the engine takes a reference of its own to the function.
    unsafe {
        let mut function = *argv;
        if !raw::is_function(ctx, function) {
            return current().refuse_callback(function);
        }
        let state = current();
        let queued = if state.tracks() {
            queue_tracked_microtask(state, function)
        } else {
            qjs::JS_EnqueueJob(ctx, Some(call_microtask), 1, &mut function)
        };
        match queued {
            0 => qjs::JS_UNDEFINED,
            _ => qjs::JS_EXCEPTION,
        }
    }
}

#[cold]
fn queue_tracked_microtask(state: &State, function: Raw) -> c_int {
    // SAFETY: a new object; the engine takes references of its own to what is queued.
    unsafe {
        let (track, resource) = state.track("Microtask", qjs::JS_UNDEFINED, || qjs::JS_NewObject(state.ctx));
        let mut args = [function, number(track.id), number(track.trigger), track.context, resource];
        let queued =
            qjs::JS_EnqueueJob(state.ctx, Some(call_tracked_microtask), args.len() as c_int, args.as_mut_ptr());
        raw::free(state.ctx, track.context);
        raw::free(state.ctx, resource);
        queued
    }
}

unsafe extern "C" fn call_tracked_microtask(ctx: RawCtx, _argc: c_int, argv: *mut Raw) -> Raw {
    // SAFETY: the engine gives back what was queued, on its host's thread.
    let (state, args) = unsafe { (current(), std::slice::from_raw_parts(argv, 5)) };
    let track = Track {
        id: raw::as_number(args[1]).unwrap_or_default(),
        trigger: raw::as_number(args[2]).unwrap_or_default(),
        context: raw::dup(ctx, args[3]),
    };
    let depth = state.depth();
    state.enter(track, args[4]);
    let result = raw::call(ctx, args[0], qjs::JS_UNDEFINED, &mut []);
    // As `lib/internal/process/task_queues.js: runMicrotask`: the exception is reported outside the scope of the
    // microtask. Take it now: no exception may be pending while the hooks run.
    // SAFETY: the pending exception becomes ours, and is thrown again.
    let thrown = raw::is_exception(result).then(|| unsafe { qjs::JS_GetException(ctx) });
    state.queue_destroy(track.id);
    state.leave_to(depth);
    match thrown {
        // SAFETY: the engine takes the reference.
        Some(exception) => unsafe { qjs::JS_Throw(ctx, exception) },
        None => result,
    }
}

fn tick_object(ctx: RawCtx, function: Raw, args: &[Raw]) -> Raw {
    // SAFETY: new objects; setting a property takes over the reference passed. If memory runs out, the object lacks
    // properties.
    unsafe {
        let object = qjs::JS_NewObject(ctx);
        let list = qjs::JS_NewArray(ctx);
        for (at, arg) in (0..).zip(args) {
            qjs::JS_SetPropertyUint32(ctx, list, at, raw::dup(ctx, *arg));
        }
        qjs::JS_SetPropertyStr(ctx, object, c"callback".as_ptr(), raw::dup(ctx, function));
        qjs::JS_SetPropertyStr(ctx, object, c"args".as_ptr(), list);
        object
    }
}

unsafe extern "C" fn call_microtask(ctx: RawCtx, _argc: c_int, argv: *mut Raw) -> Raw {
    // SAFETY: the engine gives back the function that was queued.
    raw::call(ctx, unsafe { *argv }, qjs::JS_UNDEFINED, &mut [])
}
