//! Restores intrinsics of the engine that scripts have monkey-patched.
//!
//! Builtins call methods by name, so a script that replaces one can break even the report of an uncaught exception.
//! [`restore`] puts the originals back for good and is used before a fatal report. [`with_intrinsics`] does so until
//! the function that it returns is called; loading a builtin and printing a value retry with it.
//!
//! # Safety
//! Creates, uses and frees a second context of the same runtime; the functions copied from it keep what they need of it
//! alive.
#![allow(unsafe_code)]

use std::ffi::CStr;

use rquickjs::object::Property;
use rquickjs::{Ctx, Error, Function, Object, Result, Value, qjs};

use crate::builtins;
use crate::raw;
use crate::state::state;

/// Runs in the second context, which has the engine's original intrinsics, and copies them. `Error` and `JSON` are
/// skipped: the runtime itself has changed them.
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

/// As [`COPY`], but replaces only functions that are no longer native, and returns a function that undoes this;
/// undefined if all are native. `Map` and `Set` are skipped: each context has its own hash seed, so its methods do not
/// find entries added by another context's.
const WITH_INTRINSICS: &CStr = c"(function (ours) {
  const { defineProperty, deleteProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;
  const textOf = Function.prototype.call.bind(Function.prototype.toString);
  const isNative = (value) => typeof value === 'function' && textOf(value).includes('[native code]');
  const changes = [];
  const look = (at, from) => {
    for (const key of ownKeys(from)) {
      if (key === 'prototype' || key === 'constructor') continue;
      const original = getOwnPropertyDescriptor(from, key);
      const found = getOwnPropertyDescriptor(at, key);
      const isKept = (part) => typeof original[part] !== 'function' || isNative(found?.[part]);
      if (!isKept('value') || !isKept('get')) changes.push({ at, key, found, original });
    }
  };
  const lookAtClass = (at, from) => {
    look(at, from);
    if (from.prototype !== undefined) look(at.prototype, from.prototype);
  };
  for (const name of ownKeys(ours)) {
    if (!/Error$|^JSON$|^Atomics$|Map$|Set$/.test(name)) lookAtClass(ours[name], globalThis[name]);
  }
  lookAtClass(getPrototypeOf(ours.Uint8Array), getPrototypeOf(Uint8Array));
  for (const one of ['Array', 'String']) {
    const iterator = (realm) => getPrototypeOf(new realm[one]()[Symbol.iterator]());
    try { look(iterator(ours), iterator(globalThis)); } catch { /* There is no way to it. */ }
  }
  if (changes.length === 0) return undefined;
  for (const { at, key, original } of changes) defineProperty(at, key, original);
  return () => {
    for (const { at, key, found } of changes) {
      if (found === undefined) deleteProperty(at, key);
      else defineProperty(at, key, found);
    }
  };
})";

/// Restores the original intrinsics for good.
pub(crate) fn restore(ctx: &Ctx<'_>) -> Result<()> {
    in_second_context(ctx, COPY).map(|_| ())
}

/// Restores monkey-patched intrinsics until the returned function is called. `None` if none is patched.
pub(crate) fn with_intrinsics<'js>(ctx: &Ctx<'js>) -> Result<Option<Function<'js>>> {
    Ok(in_second_context(ctx, WITH_INTRINSICS)?.into_function())
}

/// Calls the function that a text defines, in a second context, with the ECMAScript globals of this one.
fn in_second_context<'js>(ctx: &Ctx<'js>, text: &CStr) -> Result<Value<'js>> {
    let ours = Object::new(ctx.clone())?;
    for (name, value) in builtins::originals(ctx)? {
        ours.prop(name, Property::from(value).enumerable())?;
    }
    // SAFETY: see the head of the file; the text ends with a nul, and each new reference is released or goes to the
    // value.
    unsafe {
        let fresh = qjs::JS_NewContext(state(ctx).runtime);
        if fresh.is_null() {
            return Err(Error::Allocation);
        }
        let flags = qjs::JS_EVAL_TYPE_GLOBAL | qjs::JS_EVAL_FLAG_STRICT;
        let length = text.to_bytes().len();
        let copy = qjs::JS_Eval(fresh, text.as_ptr(), length as _, c"node:mend".as_ptr(), flags as _);
        let done = match raw::is_exception(copy) {
            true => copy,
            false => raw::call(fresh, copy, qjs::JS_UNDEFINED, &mut [ours.as_raw()]),
        };
        let is_exception = raw::is_exception(done);
        if is_exception {
            raw::free(fresh, qjs::JS_GetException(fresh));
        }
        raw::free(fresh, copy);
        qjs::JS_FreeContext(fresh);
        Ok(if is_exception { Value::new_undefined(ctx.clone()) } else { Value::from_raw(ctx.clone(), done) })
    }
}
