//! Native functions of `util`: facts about a value that JavaScript cannot observe, for `inspect` and deep comparison.
//!
//! Formatting is in `inspect.js`, type checks are in `types.js`.

use phasor_js::inspect;
use rquickjs::function::Func;
use rquickjs::{Array, Ctx, Object, Result, Value};

/// Creates the object of native functions.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let natives = Object::new(ctx.clone())?;
    natives.set("classOf", Func::from(class_of))?;
    natives.set("proxyParts", Func::from(proxy_parts))?;
    natives.set("promiseParts", Func::from(promise_parts))?;
    natives.set("iteratorPreview", Func::from(iterator_preview))?;
    natives.set("weakEntries", Func::from(weak_entries))?;
    natives.set("nonIndexKeys", Func::from(non_index_keys))?;
    natives.set("errnos", Func::from(errnos))?;
    Ok(natives)
}

/// The name of the engine's class of an object; `undefined` for a primitive.
fn class_of<'js>(ctx: Ctx<'js>, value: Value<'js>) -> Value<'js> {
    inspect::class_of(&ctx, &value).unwrap_or_else(|| Value::new_undefined(ctx))
}

/// `[target, handler]` of a proxy; `undefined` for other values.
fn proxy_parts<'js>(ctx: Ctx<'js>, value: Value<'js>) -> Result<Value<'js>> {
    let Some((target, handler)) = inspect::proxy_parts(&ctx, &value) else { return Ok(Value::new_undefined(ctx)) };
    list(&ctx, vec![target, handler])
}

/// `[state, result]` of a promise; `undefined` for other values.
fn promise_parts<'js>(ctx: Ctx<'js>, value: Value<'js>) -> Result<Value<'js>> {
    let Some((state, result)) = inspect::promise_parts(&ctx, &value) else { return Ok(Value::new_undefined(ctx)) };
    list(&ctx, vec![Value::new_int(ctx.clone(), state), result])
}

/// `[entries, isKeyValue]` of a Map or Set iterator; `undefined` for other values.
fn iterator_preview<'js>(ctx: Ctx<'js>, value: Value<'js>) -> Result<Value<'js>> {
    let Some((entries, pairs)) = inspect::iterator_preview(&ctx, &value) else { return Ok(Value::new_undefined(ctx)) };
    let entries = list(&ctx, entries)?;
    list(&ctx, vec![entries, Value::new_bool(ctx.clone(), pairs)])
}

/// The entries of a WeakMap or WeakSet; `undefined` for other values.
fn weak_entries<'js>(ctx: Ctx<'js>, value: Value<'js>) -> Result<Value<'js>> {
    match inspect::weak_entries(&ctx, &value) {
        Some(entries) => list(&ctx, entries),
        None => Ok(Value::new_undefined(ctx)),
    }
}

/// Own string keys that are not array indices.
fn non_index_keys<'js>(ctx: Ctx<'js>, value: Value<'js>, enumerable_only: bool) -> Result<Value<'js>> {
    list(&ctx, inspect::non_index_keys(&ctx, &value, enumerable_only).unwrap_or_default())
}

/// All error numbers as `[number, name, message]`, negative as in libuv.
fn errnos<'js>(ctx: Ctx<'js>) -> Result<Array<'js>> {
    let all = Array::new(ctx.clone())?;
    // libuv has no name for ECHILD, which only `waitpid` returns.
    let named = phasor_core::Errno::ALL.iter().filter(|(_, name, _)| *name != "ECHILD");
    for (at, &(errno, name, message)) in named.enumerate() {
        let row = Array::new(ctx.clone())?;
        row.set(0, -errno.raw())?;
        row.set(1, name)?;
        row.set(2, message)?;
        all.set(at, row)?;
    }
    Ok(all)
}

fn list<'js>(ctx: &Ctx<'js>, values: Vec<Value<'js>>) -> Result<Value<'js>> {
    let array = Array::new(ctx.clone())?;
    for (at, value) in values.into_iter().enumerate() {
        array.set(at, value)?;
    }
    Ok(array.into_value())
}
