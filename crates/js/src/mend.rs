//! Gives the language its own functions back. Builtins call methods by their names, and a script may have replaced any of
//! them by one that throws: then not even the exception that ends the thread could be told of. For that moment alone: what
//! scripts have put there is gone afterwards.
//!
//! # Safety
//! A second context of the same runtime is made, used and given up here; the functions that stay keep what they need of it.
#![allow(unsafe_code)]

use std::ffi::CStr;

use rquickjs::object::Property;
use rquickjs::{Ctx, Error, Object, Result, qjs};

use crate::builtins;
use crate::raw;
use crate::state::state;

/// Runs in the second context, where everything is as the engine made it. Errors and JSON have been changed by the runtime
/// itself and stay as they are.
const COPY: &CStr = c"(function (ours) {
  const { defineProperty, deleteProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;
  const copy = (to, from) => {
    for (const key of ownKeys(from)) {
      if (key !== 'prototype' && key !== 'constructor') defineProperty(to, key, getOwnPropertyDescriptor(from, key));
    }
  };
  const copyClass = (to, from) => {
    copy(to, from);
    if (from.prototype !== undefined) copy(to.prototype, from.prototype);
  };
  for (const name of ownKeys(ours)) {
    if (!/Error$|^JSON$|^Atomics$/.test(name)) copyClass(ours[name], globalThis[name]);
  }
  copyClass(getPrototypeOf(ours.Uint8Array), getPrototypeOf(Uint8Array));
  for (const name of ['Object', 'Array']) {
    const { prototype } = ours[name];
    for (const key of ownKeys(prototype)) {
      if (!(key in globalThis[name].prototype)) deleteProperty(prototype, key);
    }
  }
})";

/// Puts the engine's functions where they were when the thread began.
pub(crate) fn mend(ctx: &Ctx<'_>) -> Result<()> {
    let ours = Object::new(ctx.clone())?;
    for (name, value) in builtins::originals(ctx)? {
        ours.prop(name, Property::from(value).enumerable())?;
    }
    let text = COPY.to_bytes();
    // SAFETY: see the head of the file; the text ends with a nul, and each new reference is given up.
    unsafe {
        let fresh = qjs::JS_NewContext(state(ctx).runtime);
        if fresh.is_null() {
            return Err(Error::Allocation);
        }
        let flags = qjs::JS_EVAL_TYPE_GLOBAL | qjs::JS_EVAL_FLAG_STRICT;
        let copy = qjs::JS_Eval(fresh, COPY.as_ptr(), text.len() as _, c"node:mend".as_ptr(), flags as _);
        let done = match raw::is_exception(copy) {
            true => copy,
            false => raw::call(fresh, copy, qjs::JS_UNDEFINED, &mut [ours.as_raw()]),
        };
        if raw::is_exception(done) {
            raw::free(fresh, qjs::JS_GetException(fresh));
        }
        raw::free(fresh, done);
        raw::free(fresh, copy);
        qjs::JS_FreeContext(fresh);
    }
    Ok(())
}
