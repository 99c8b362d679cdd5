//! Classes of the engine that this crate makes: those of timers and immediates. And shapes, which objects of one class share:
//! those that are needed again and again are kept.
//!
//! # Safety
//! A class is known to one runtime, the host's. What the word of its objects means is the business of who makes them. The shape that
//! functions are made in is that of an object which is kept, with the builtin it is on, until the host gives up its last values.
#![allow(unsafe_code)]

use rquickjs::object::Property;
use rquickjs::{Ctx, Object, Result, Value, qjs};

use crate::raw::{Raw, RawCtx};
use crate::state::{State, current_or_none, state};

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

/// Keeps what is looked up for each new function and promise: without an object of each shape, in the order in which a function
/// gets its properties, the engine would make and drop these shapes with every one.
pub(crate) fn keep_function_shapes<'js>(ctx: &Ctx<'js>, object: &Object<'js>) -> Result<()> {
    let function = ctx.globals().get::<_, Object<'js>>("Function")?.get::<_, Object<'js>>("prototype")?;
    let promise = ctx.globals().get::<_, Object<'js>>("Promise")?.get::<_, Object<'js>>("prototype")?;
    // An object whose prototype is set later has a shape of its own.
    let of = |prototype: &Object<'js>| {
        // SAFETY: the prototype is alive; the new reference goes to the value.
        let made = unsafe { qjs::JS_NewObjectProto(ctx.as_raw().as_ptr(), prototype.as_value().as_raw()) };
        // SAFETY: as above.
        Object::from_value(unsafe { Value::from_raw(ctx.clone(), made) })
    };
    let (bare, long, named) = (of(&function)?, of(&function)?, of(&function)?);
    long.prop("length", Property::from(0).configurable())?;
    named.prop("length", Property::from(0).configurable())?;
    named.prop("name", Property::from("").configurable())?;
    object.set("shapes of functions", vec![bare, long, named.clone(), of(&promise)?])?;
    state(ctx).function_model.set(named.as_value().as_raw());
    Ok(())
}

/// The object in whose shape a context makes functions: see `engine/phasor_quick.h`. Null if there is none.
#[unsafe(no_mangle)]
unsafe extern "C" fn phasor_function_model(ctx: RawCtx) -> *const Raw {
    // SAFETY: on the thread of the engine's host; build scripts have an engine without one.
    match unsafe { current_or_none() } {
        // SAFETY: looks at the tag.
        Some(state) if state.ctx == ctx && unsafe { qjs::JS_IsObject(state.function_model.get()) } => {
            state.function_model.as_ptr()
        }
        _ => std::ptr::null(),
    }
}
