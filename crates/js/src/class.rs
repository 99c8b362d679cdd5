//! Classes of the engine that this crate makes: those of timers and immediates.
//!
//! # Safety
//! A class is known to one runtime, the host's. What the word of its objects means is the business of who makes them.
#![allow(unsafe_code)]

use rquickjs::{Ctx, Object, Result, Value, qjs};

use crate::raw::Raw;
use crate::state::State;

/// A class of the engine whose objects carry a word of ours.
pub(crate) fn new_class(
    state: &State,
    name: &'static std::ffi::CStr,
    finalizer: unsafe extern "C" fn(*mut qjs::JSRuntime, Raw),
    mark: unsafe extern "C" fn(*mut qjs::JSRuntime, Raw, qjs::JS_MarkFunc),
) -> qjs::JSClassID {
    let mut id = 0;
    let definition = qjs::JSClassDef {
        class_name: name.as_ptr(),
        finalizer: Some(finalizer),
        gc_mark: Some(mark),
        call: None,
        exotic: std::ptr::null_mut(),
    };
    // SAFETY: the definition is read before the call returns; the name is static.
    unsafe {
        qjs::JS_NewClassID(state.runtime, &mut id);
        qjs::JS_NewClass(state.runtime, id, &definition);
    }
    id
}

/// Keeps one object of a class alive: without one, the engine would make and drop their common shape with each.
pub(crate) fn keep_shape<'js>(ctx: &Ctx<'js>, object: &Object<'js>, class: qjs::JSClassID) -> Result<()> {
    // SAFETY: the class is registered; the new reference goes to the value. Its word is null: it is no timer.
    let kept = unsafe { Value::from_raw(ctx.clone(), qjs::JS_NewObjectClass(ctx.as_raw().as_ptr(), class)) };
    object.set(format!("shape of {class}"), kept)
}
