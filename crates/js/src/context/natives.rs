//! The native functions of `async_hooks`: the context, async ids and hooks.
//!
//! # Safety
//! As `raw`: the engine calls each function with at least as many values as its `length`, on its host's thread.
#![allow(unsafe_code)]

use std::os::raw::c_int;

use rquickjs::function::Func;
use rquickjs::{Ctx, Object, Result, Value, qjs};

use super::{Running, Track, frame, hooks};
use crate::builtins::Natives;
use crate::raw::{self, Raw, RawCtx};
use crate::state::{current, state};

/// The natives of `internal/async_hooks`.
pub const ASYNC_CONTEXT: Natives = Natives { name: "async_context", make: natives };

fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    frame::define(ctx, &object)?;
    hooks::define(ctx, &object)?;
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
    object.set("trigger", Func::from(|ctx: Ctx<'_>| state(&ctx).trigger()))?;
    object.set("defaultTrigger", Func::from(|ctx: Ctx<'_>| state(&ctx).tracking.default_trigger.get()))?;
    let set = |ctx: Ctx<'_>, id: f64| state(&ctx).tracking.default_trigger.set(id);
    object.set("setDefaultTrigger", Func::from(set))?;
    object.set("destroy", Func::from(|ctx: Ctx<'_>, id: f64| state(&ctx).queue_destroy(id)))?;
    let emit_init = |ctx: Ctx<'js>, id: f64, kind: String, trigger: f64, resource: Value<'js>| {
        state(&ctx).emit_init(id, &kind, trigger, resource.as_raw());
    };
    object.set("callInitHooks", Func::from(emit_init))?;
    object.set("addHook", Func::from(hooks::add))?;
    object.set("removeHook", Func::from(hooks::remove))?;
    object.set("setCallbacks", Func::from(hooks::set_callbacks))?;
    object.set("setPromiseHook", Func::from(hooks::set_promise_hook))?;
    object.set("hasHook", Func::from(hooks::has_hook_at))?;
    Ok(object)
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

/// `(depth)`: leaves all callbacks above a depth.
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
