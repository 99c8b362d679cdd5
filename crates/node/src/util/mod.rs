//! Native functions of `util`: properties of a value that JavaScript cannot observe, for `inspect` and deep comparison.
//!
//! Formatting is in `inspect.js`, type checks are in `types.js`.

use phasor_engine::{
    Array, Fallible, FromJs, FunctionKind, IntoJs, IteratorItems, Local, Object, PromiseState, Scope, Value,
    define_natives,
};

/// Creates the object of native functions.
pub(crate) fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    let natives = Object::new(scope);
    define_natives!(scope, natives,
        "classOf" => class_of,
        "proxyParts" => proxy_parts,
        "promiseParts" => promise_parts,
        "iteratorPreview" => iterator_preview,
        "weakEntries" => weak_entries,
        "nonIndexKeys" => non_index_keys,
        "errnos" => errnos,
    );
    Ok(natives)
}

/// The name of the engine's class of an object, and the kind of a function (`"AsyncFunction"`); `undefined` for a primitive value.
fn class_of<'s>(scope: Scope<'s>, value: Local<'s, Value>) -> Option<&'static str> {
    let object = value.cast::<Object>()?;
    Some(match object.function_kind() {
        None => object.class_name(scope),
        Some(FunctionKind::Plain) => "Function",
        Some(FunctionKind::Generator) => "GeneratorFunction",
        Some(FunctionKind::Async) => "AsyncFunction",
        Some(FunctionKind::AsyncGenerator) => "AsyncGeneratorFunction",
    })
}

/// `[target, handler]` of a proxy, both null once it is revoked; `undefined` for other values.
fn proxy_parts<'s>(scope: Scope<'s>, value: Local<'s, Value>) -> Fallible<Local<'s, Value>> {
    match value.cast::<Object>().and_then(|object| object.proxy_parts(scope)) {
        None => Ok(scope.undefined()),
        Some(None) => [scope.null(), scope.null()].into_js(scope),
        Some(Some((target, handler))) => [target, handler].into_js(scope),
    }
}

/// `[state, result]` of a promise, the state being 0 (pending), 1 (fulfilled) or 2 (rejected); `undefined` for other values.
fn promise_parts<'s>(scope: Scope<'s>, value: Local<'s, Value>) -> Fallible<Local<'s, Value>> {
    let Some(state) = value.cast::<Object>().and_then(|object| object.promise_state(scope)) else {
        return Ok(scope.undefined());
    };
    let (state, result) = match state {
        PromiseState::Pending => (0, scope.undefined()),
        PromiseState::Fulfilled(value) => (1, value),
        PromiseState::Rejected(reason) => (2, reason),
    };
    [scope.number(state), result].into_js(scope)
}

/// `[values, isKeyValue]`: the remaining values of an iterator of a Map or Set, which is not advanced, and whether they are keys and
/// values, alternating; `undefined` for other values.
fn iterator_preview<'s>(scope: Scope<'s>, value: Local<'s, Value>) -> Fallible<Local<'s, Value>> {
    let Some(position) = value.cast::<Object>().and_then(|object| object.iterator_position(scope)) else {
        return Ok(scope.undefined());
    };
    let is_pairs = position.items == IteratorItems::Entries;
    let mut values = Vec::new();
    if let Some(target) = position.target {
        let of_map = target.class_name(scope) == "Map";
        let all = Vec::<Local<'_, Value>>::from_js(scope, target.collection_entries(scope)?.as_value())?;
        let width = if of_map { 2 } else { 1 };
        for entry in all.chunks_exact(width).skip(position.passed as usize) {
            match position.items {
                IteratorItems::Keys => values.push(entry[0]),
                IteratorItems::Values => values.push(entry[width - 1]),
                IteratorItems::Entries => values.extend([entry[0], entry[width - 1]]),
            }
        }
    }
    let values = Array::new(scope, &values)?;
    [values.as_value(), scope.boolean(is_pairs)].into_js(scope)
}

/// The entries of a WeakMap (keys and values, alternating) or WeakSet; `undefined` for other values.
fn weak_entries<'s>(scope: Scope<'s>, value: Local<'s, Value>) -> Fallible<Local<'s, Value>> {
    let Some(collection) = value.cast::<Object>() else { return Ok(scope.undefined()) };
    let Some(keys) = collection.weak_keys(scope)? else { return Ok(scope.undefined()) };
    if collection.class_name(scope) != "WeakMap" {
        return Ok(keys.as_value());
    }
    let mut entries = Vec::new();
    for index in 0..keys.len(scope) as u32 {
        let key = keys.get(scope, index)?;
        entries.extend([key, collection.weak_value(scope, key)?]);
    }
    Ok(Array::new(scope, &entries)?.as_value())
}

/// Own string keys that are not array indices.
fn non_index_keys<'s>(scope: Scope<'s>, value: Local<'s, Value>, enumerable_only: bool) -> Fallible<Local<'s, Value>> {
    let keys = match value.cast::<Object>() {
        Some(object) => object.non_index_keys(scope, enumerable_only)?,
        None => Vec::new(),
    };
    Ok(Array::new(scope, &keys)?.as_value())
}

/// All error numbers as `[number, name, message]`, negative as in libuv.
fn errnos<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Value>> {
    // libuv has no name for ECHILD, which only `waitpid` returns.
    let named = phasor_core::Errno::ALL.iter().filter(|(_, name, _)| *name != "ECHILD");
    let rows: Vec<_> = named
        .map(|&(errno, name, message)| {
            let row = [scope.number(-errno.raw()), name.into_js(scope)?, message.into_js(scope)?];
            row.into_js(scope)
        })
        .collect::<Fallible<_>>()?;
    Ok(Array::new(scope, &rows)?.as_value())
}
