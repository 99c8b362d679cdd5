//! The two queues of the inner scheduler: `process.nextTick`'s, which is a ring here, and the microtasks, which are the
//! engine's own and are run job by job.
//!
//! # Safety
//! As `raw`: each value in the ring is a counted reference, given up once when its tick has run.
#![allow(unsafe_code)]

use std::collections::VecDeque;
use std::os::raw::c_int;

use rquickjs::{Ctx, Object, Result, qjs};

use crate::dispatch::{Ended, Leaving};
use crate::raw::{self, Raw, RawCtx};
use crate::state::{Hook, State, current};

/// The tick queue: for each tick the function, the number of its arguments, and these.
#[derive(Default)]
pub(crate) struct Ticks {
    ring: VecDeque<Raw>,
}

/// So many arguments need no memory of their own when a tick runs.
const FEW: usize = 6;

impl State {
    /// Whether no tick waits.
    #[inline]
    pub(crate) fn no_ticks(&self) -> bool {
        self.ticks.borrow().ring.is_empty()
    }

    /// Runs ticks until there are none. An exception ends it, and leaves the rest for the next drain.
    pub(crate) fn run_ticks(&self) -> std::result::Result<Ended, Leaving> {
        loop {
            let (function, count) = {
                let ring = &mut self.ticks.borrow_mut().ring;
                let Some(function) = ring.pop_front() else { return Ok(Ended::Well) };
                // SAFETY: the second word of a tick is a number.
                let count = ring.pop_front().map_or(0, |count| unsafe { qjs::JS_VALUE_GET_INT(count) }) as usize;
                (function, count)
            };
            let result = match count {
                0 => raw::call(self.ctx, function, qjs::JS_UNDEFINED, &mut []),
                _ => self.call_tick(function, count),
            };
            raw::free(self.ctx, function);
            if self.settle(result)? == Ended::Badly {
                return Ok(Ended::Badly);
            }
        }
    }

    /// Calls a tick's function with its arguments, which are the next in the ring.
    fn call_tick(&self, function: Raw, count: usize) -> Raw {
        let mut few = [qjs::JS_UNDEFINED; FEW];
        let mut many = Vec::new();
        let args = {
            let ring = &mut self.ticks.borrow_mut().ring;
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

    /// Whether a microtask waits.
    #[inline]
    pub(crate) fn has_microtasks(&self) -> bool {
        // SAFETY: the runtime lives as long as the host.
        unsafe { qjs::JS_IsJobPending(self.runtime) }
    }

    /// Runs microtasks until there are none. An exception in one is reported before the next.
    pub(crate) fn run_microtasks(&self) -> std::result::Result<(), Leaving> {
        let mut ctx = std::ptr::null_mut();
        loop {
            // SAFETY: the runtime lives as long as the host, and nothing is borrowed.
            match unsafe { qjs::JS_ExecutePendingJob(self.runtime, &mut ctx) } {
                0 => return Ok(()),
                1.. => {}
                _ => self.report()?,
            }
            if self.leaving.get().is_some() {
                return Err(Leaving);
            }
        }
    }

    pub(crate) fn clear_ticks(&self) {
        let ring = std::mem::take(&mut self.ticks.borrow_mut().ring);
        for value in ring {
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
    raw::define(ctx, object, c"queueMicrotask", 1, queue_microtask)
}

unsafe extern "C" fn next_tick(ctx: RawCtx, _this: Raw, argc: c_int, argv: *mut Raw) -> Raw {
    // SAFETY: the engine calls this with one argument at least, as its length is 1, and on its host's thread.
    let (state, function, args) = unsafe { (current(), *argv, raw::arguments(argc, argv)) };
    if !raw::is_function(ctx, function) {
        return state.refuse_callback(function);
    }
    if state.exiting.get() {
        return qjs::JS_UNDEFINED;
    }
    let ring = &mut state.ticks.borrow_mut().ring;
    ring.push_back(raw::dup(ctx, function));
    let rest = args.get(1..).unwrap_or_default();
    ring.push_back(qjs::JS_MKVAL(qjs::JS_TAG_INT, rest.len() as i32));
    ring.extend(rest.iter().map(|arg| raw::dup(ctx, *arg)));
    qjs::JS_UNDEFINED
}

unsafe extern "C" fn queue_microtask(ctx: RawCtx, _this: Raw, _argc: c_int, argv: *mut Raw) -> Raw {
    // SAFETY: as in `next_tick`; the engine takes a reference of its own to the function.
    unsafe {
        let mut function = *argv;
        if !raw::is_function(ctx, function) {
            return current().refuse_callback(function);
        }
        match qjs::JS_EnqueueJob(ctx, Some(call_microtask), 1, &mut function) {
            0 => qjs::JS_UNDEFINED,
            _ => qjs::JS_EXCEPTION,
        }
    }
}

unsafe extern "C" fn call_microtask(ctx: RawCtx, _argc: c_int, argv: *mut Raw) -> Raw {
    // SAFETY: the engine gives back the function that was queued.
    raw::call(ctx, unsafe { *argv }, qjs::JS_UNDEFINED, &mut [])
}
