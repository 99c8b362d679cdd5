//! Native functions: `setTimeout`, `setInterval`, `clearTimeout`, and the methods of `Timeout`. The scheduling itself
//! is in `timers`.
//!
//! # Safety
//! As in `timers`. The engine calls these on the host's thread, with at least as many arguments as the function's
//! `length`.
#![allow(unsafe_code)]

use std::os::raw::c_int;

use rquickjs::{Ctx, Function, Object, Result, qjs};

use super::lists::Place;
use super::parts;
use crate::class::{Kind, new_class};
use crate::raw::{self, Raw, RawCtx, Work};
use crate::state::{State, current, current_or_none};

/// Creates the class, and defines its methods and the global functions on an object.
pub(crate) fn define<'js>(ctx: &Ctx<'js>, object: &Object<'js>) -> Result<()> {
    // SAFETY: on the host's thread.
    let state = unsafe { current() };
    let class = new_class(state, c"Timeout", finalize, mark);
    raw::define(ctx, object, c"setTimeout", 2, set_timeout)?;
    raw::define(ctx, object, c"setInterval", 2, set_interval)?;
    raw::define(ctx, object, c"clearTimeout", 1, clear_timeout)?;
    raw::define(ctx, object, c"clearInterval", 1, clear_timeout)?;
    let methods = Object::new(ctx.clone())?;
    raw::define(ctx, &methods, c"ref", 0, timeout_ref)?;
    raw::define(ctx, &methods, c"unref", 0, timeout_unref)?;
    raw::define(ctx, &methods, c"hasRef", 0, timeout_has_ref)?;
    raw::define(ctx, &methods, c"refresh", 0, timeout_refresh)?;
    raw::define(ctx, &methods, c"close", 0, timeout_close)?;
    raw::define(ctx, object, c"timeoutId", 1, timeout_id)?;
    let parts = Function::new(ctx.clone(), parts::timeout_parts)?;
    object.set("timeoutParts", parts)?;
    object.set("setTimeoutPart", Function::new(ctx.clone(), parts::set_timeout_part)?)?;
    state.timers.borrow_mut().kind = Kind::with_methods(class, &methods, object)?;
    object.set("Timeout", methods)
}

unsafe extern "C" fn set_timeout(_ctx: RawCtx, _this: Raw, argc: c_int, argv: *mut Raw) -> Raw {
    // SAFETY: on the host's thread.
    unsafe { current() }.make_timer(argc, argv, false)
}

unsafe extern "C" fn set_interval(_ctx: RawCtx, _this: Raw, argc: c_int, argv: *mut Raw) -> Raw {
    // SAFETY: on the host's thread.
    unsafe { current() }.make_timer(argc, argv, true)
}

unsafe extern "C" fn clear_timeout(ctx: RawCtx, _this: Raw, _argc: c_int, argv: *mut Raw) -> Raw {
    // SAFETY: the engine calls this with one argument at least, as its length is 1, and on its host's thread.
    let (state, value) = unsafe { (current(), *argv) };
    let place = state.timers.borrow().place(value);
    if let Some(place) = place.or_else(|| known_place(state, ctx, value)) {
        state.clear_timer(place);
    }
    qjs::JS_UNDEFINED
}

/// Looks up a timer by its id, a number or a string of digits.
fn known_place(state: &State, ctx: RawCtx, value: Raw) -> Option<Place> {
    // SAFETY: reads the tag; the C string of a string is freed.
    unsafe {
        let id = match qjs::JS_VALUE_GET_TAG(value) {
            qjs::JS_TAG_INT => u64::try_from(qjs::JS_VALUE_GET_INT(value)).ok()?,
            qjs::JS_TAG_FLOAT64 => {
                let number = qjs::JS_VALUE_GET_FLOAT64(value);
                (number >= 1.0 && number.fract() == 0.0).then_some(number as u64)?
            }
            qjs::JS_TAG_STRING => {
                let mut length = 0;
                let text = qjs::JS_ToCStringLen(ctx, &mut length, value);
                if text.is_null() {
                    state.drop_exception();
                    return None;
                }
                let bytes = std::slice::from_raw_parts(text.cast::<u8>(), length);
                let digits = bytes.iter().all(u8::is_ascii_digit) && bytes.first() != Some(&b'0');
                let id = std::str::from_utf8(bytes).ok().filter(|_| digits).and_then(|text| text.parse().ok());
                qjs::JS_FreeCString(ctx, text);
                id?
            }
            _ => return None,
        };
        state.timers.borrow().known(id)
    }
}

/// The timer of a method's `this` value.
pub(super) fn this_timer<'a>(this: Raw) -> Option<(&'a State, Place)> {
    // SAFETY: called by methods, on the host's thread.
    let state = unsafe { current() };
    let place = state.timers.borrow().place(this)?;
    Some((state, place))
}

unsafe extern "C" fn timeout_ref(ctx: RawCtx, this: Raw, _argc: c_int, _argv: *mut Raw) -> Raw {
    if let Some((state, place)) = this_timer(this) {
        state.timers.borrow_mut().set_ref(place, true);
    }
    raw::dup(ctx, this)
}

unsafe extern "C" fn timeout_unref(ctx: RawCtx, this: Raw, _argc: c_int, _argv: *mut Raw) -> Raw {
    if let Some((state, place)) = this_timer(this) {
        state.timers.borrow_mut().set_ref(place, false);
    }
    raw::dup(ctx, this)
}

unsafe extern "C" fn timeout_has_ref(_ctx: RawCtx, this: Raw, _argc: c_int, _argv: *mut Raw) -> Raw {
    let has_ref = this_timer(this).is_some_and(|(state, place)| state.timers.borrow().timer(place).has_ref);
    qjs::JS_MKVAL(qjs::JS_TAG_BOOL, i32::from(has_ref))
}

unsafe extern "C" fn timeout_refresh(ctx: RawCtx, this: Raw, _argc: c_int, _argv: *mut Raw) -> Raw {
    if let Some((state, place)) = this_timer(this) {
        state.refresh_timer(place);
    }
    raw::dup(ctx, this)
}

unsafe extern "C" fn timeout_close(ctx: RawCtx, this: Raw, _argc: c_int, _argv: *mut Raw) -> Raw {
    if let Some((state, place)) = this_timer(this) {
        state.clear_timer(place);
    }
    raw::dup(ctx, this)
}

/// The id of a timer (`timeout[Symbol.toPrimitive]()`). `clearTimeout` accepts the id from now on.
unsafe extern "C" fn timeout_id(ctx: RawCtx, _this: Raw, _argc: c_int, argv: *mut Raw) -> Raw {
    // SAFETY: called with one argument at least, as its length is 1.
    let Some((state, place)) = this_timer(unsafe { *argv }) else { return qjs::JS_UNDEFINED };
    let id = state.timers.borrow_mut().name(place);
    // SAFETY: makes a number.
    unsafe { qjs::JS_NewNumber(ctx, id as f64) }
}

unsafe extern "C" fn finalize(runtime: *mut qjs::JSRuntime, object: Raw) {
    // SAFETY: the engine's thread is the host's.
    let Some(state) = (unsafe { current_or_none() }) else { return };
    let work = {
        let mut timers = state.timers.borrow_mut();
        let Some(place) = timers.place(object) else { return };
        timers.forget(place)
    };
    work.free_late(runtime);
}

unsafe extern "C" fn mark(runtime: *mut qjs::JSRuntime, object: Raw, mark: qjs::JS_MarkFunc) {
    // SAFETY: as in `finalize`; the values are alive, and marking calls no JavaScript.
    unsafe {
        let Some(state) = current_or_none() else { return };
        let timers = state.timers.borrow();
        let Some(place) = timers.place(object) else { return };
        let timer = timers.timer(place);
        Work::mark(timer.callback, &timer.args, runtime, mark);
    }
}
