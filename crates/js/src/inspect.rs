//! Reads the inside of values where the language has no way to: classes, proxies, promises, iterators.
//!
//! `util.inspect`, `util.types` and deep comparison use it. No function here changes a value or runs user code (no
//! proxy trap, no getter). Formatting is not done here.
//!
//! # Safety
//! Every raw value passed to the engine comes from a live [`Value`] of the same context, and every owned value that the
//! engine returns is wrapped at once. Previewing iterators and weak collections reads the engine's private structs,
//! mirrored below from the source of the pinned engine (`JSMapIteratorData`, `JSMapState`, `JSMapRecord`): the class of
//! the object is checked first, so its opaque pointer is known to be of that type; the records are read without running
//! code that could change them. The tests below fail when a new engine lays them out differently.
#![allow(unsafe_code)]

use std::ffi::c_void;

use rquickjs::atom::PredefinedAtom;
use rquickjs::{Ctx, Value, qjs};

use crate::engine::engine_patch;

/// The engine's class name of an object, such as `"Map Iterator"`; `None` for a primitive.
///
/// Module namespaces, which the engine calls `Object`, are `"Module"`; a proxy is `"Proxy"` whatever its target is. It
/// is the name of the internal class: `Symbol.toStringTag` and prototypes are ignored.
pub fn class_of<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Option<Value<'js>> {
    if value.is_proxy() {
        return rquickjs::String::from_str(ctx.clone(), "Proxy").ok().map(rquickjs::String::into_value);
    }
    // SAFETY: lookups on a live value; the atom is owned and freed here, the Value owns the string.
    unsafe {
        let id = qjs::JS_GetClassID(value.as_raw());
        if id == 0 {
            return None;
        }
        let raw = ctx.as_raw().as_ptr();
        let runtime = qjs::JS_GetRuntime(raw);
        let atom = qjs::JS_GetClassName(runtime, id);
        let plain = qjs::JS_GetClassName(runtime, PLAIN_OBJECT);
        let is_namespace = id != PLAIN_OBJECT && atom == plain;
        let name = Value::from_raw(ctx.clone(), qjs::JS_AtomToString(raw, atom));
        qjs::JS_FreeAtom(raw, plain);
        qjs::JS_FreeAtom(raw, atom);
        if is_namespace {
            return rquickjs::String::from_str(ctx.clone(), "Module").ok().map(rquickjs::String::into_value);
        }
        Some(name)
    }
}

/// Target and handler of a proxy (both null once it is revoked); `None` for any other value.
pub fn proxy_parts<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Option<(Value<'js>, Value<'js>)> {
    if !value.is_proxy() {
        return None;
    }
    let null = || Value::new_null(ctx.clone());
    // SAFETY: the value is a proxy; both results are owned. A revoked proxy throws: the exception is taken and dropped.
    unsafe {
        let raw = ctx.as_raw().as_ptr();
        let target = qjs::JS_GetProxyTarget(raw, value.as_raw());
        if qjs::JS_IsException(target) {
            drop(ctx.catch());
            return Some((null(), null()));
        }
        let target = Value::from_raw(ctx.clone(), target);
        let handler = qjs::JS_GetProxyHandler(raw, value.as_raw());
        if qjs::JS_IsException(handler) {
            drop(ctx.catch());
            return Some((null(), null()));
        }
        Some((target, Value::from_raw(ctx.clone(), handler)))
    }
}

/// State of a promise (0 pending, 1 fulfilled, 2 rejected) and its result; `None` for any other value.
pub fn promise_parts<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Option<(i32, Value<'js>)> {
    // SAFETY: both calls accept any value; the result is owned.
    unsafe {
        let raw = ctx.as_raw().as_ptr();
        let state = qjs::JS_PromiseState(raw, value.as_raw());
        if state < 0 {
            return None;
        }
        Some((state, Value::from_raw(ctx.clone(), qjs::JS_PromiseResult(raw, value.as_raw()))))
    }
}

/// Own string keys of an object that are not array indices, in property order.
///
/// Indices always come first among the keys, so the loop goes backwards and stops at the first index: an array of a
/// million elements creates no string. Symbols are left out.
pub fn non_index_keys<'js>(ctx: &Ctx<'js>, value: &Value<'js>, enumerable_only: bool) -> Option<Vec<Value<'js>>> {
    if !value.is_object() {
        return None;
    }
    let flags = qjs::JS_GPN_STRING_MASK | if enumerable_only { qjs::JS_GPN_ENUM_ONLY } else { 0 };
    let mut table: *mut qjs::JSPropertyEnum = std::ptr::null_mut();
    let mut length = 0;
    let mut keys = Vec::new();
    // SAFETY: on success the table has `length` entries; it is freed once, by `JS_FreePropertyEnum`.
    unsafe {
        let raw = ctx.as_raw().as_ptr();
        if qjs::JS_GetOwnPropertyNames(raw, &mut table, &mut length, value.as_raw(), flags as i32) < 0 {
            drop(ctx.catch());
            return None;
        }
        for at in (0..length as usize).rev() {
            let key = Value::from_raw(ctx.clone(), qjs::JS_AtomToString(raw, (*table.add(at)).atom));
            if is_index(&key) {
                break;
            }
            keys.push(key);
        }
        qjs::JS_FreePropertyEnum(raw, table, length);
    }
    keys.reverse();
    Some(keys)
}

/// The value of a data property of an object or its prototype chain, and whether the object that has it is the end of
/// the chain. `None` for an accessor.
pub fn plain_property<'js>(ctx: &Ctx<'js>, value: &Value<'js>, name: &str) -> Option<(Value<'js>, bool)> {
    // SAFETY: creates an atom, which `plain_property_by_atom` frees.
    let atom = unsafe { qjs::JS_NewAtomLen(ctx.as_raw().as_ptr(), name.as_ptr().cast(), name.len() as _) };
    plain_property_by_atom(ctx, value, atom)
}

/// The `Symbol.toStringTag` of an object, if it is a string and a data property.
pub fn plain_tag<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Option<String> {
    // A predefined atom has no refcount.
    let atom = PredefinedAtom::SymbolToStringTag as qjs::JSAtom;
    plain_property_by_atom(ctx, value, atom)?.0.as_string()?.to_string().ok()
}

/// Finds the property. Frees the atom.
fn plain_property_by_atom<'js>(ctx: &Ctx<'js>, value: &Value<'js>, atom: qjs::JSAtom) -> Option<(Value<'js>, bool)> {
    let raw = ctx.as_raw().as_ptr();
    let mut at = value.clone();
    // SAFETY: the atom is freed once; values that the engine fills in are owned, and wrapped at once.
    unsafe {
        let mut found = None;
        while at.is_object() && !at.is_proxy() {
            let mut descriptor = std::mem::zeroed();
            let is_there = qjs::JS_GetOwnProperty(raw, &mut descriptor, at.as_raw(), atom);
            // Not a proxy, so this runs no code and throws nothing.
            let proto = Value::from_raw(ctx.clone(), qjs::JS_GetPrototype(raw, at.as_raw()));
            if is_there < 0 {
                drop(ctx.catch());
            }
            if is_there == 0 {
                at = proto;
                continue;
            }
            if is_there > 0 {
                let parts = [descriptor.value, descriptor.getter, descriptor.setter];
                let [value, ..] = parts.map(|part| Value::from_raw(ctx.clone(), part));
                let is_plain = descriptor.flags & qjs::JS_PROP_GETSET as i32 == 0;
                found = is_plain.then(|| (value, proto.is_null()));
            }
            break;
        }
        qjs::JS_FreeAtom(raw, atom);
        found
    }
}

/// The source text of a function, as the original `Function.prototype.toString` returns it; `None` for any other value.
pub fn function_text<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Option<String> {
    let added = engine_patch().filter(|_| value.is_function())?;
    let (function, mut text) = (value.as_raw(), qjs::JS_UNDEFINED);
    // SAFETY: the value is a function; the text is owned, and wrapped at once.
    let text = unsafe {
        (added.function_text)(ctx.as_raw().as_ptr(), &function, &mut text);
        Value::from_raw(ctx.clone(), text)
    };
    if text.is_exception() {
        drop(ctx.catch());
    }
    text.as_string()?.to_string().ok()
}

/// Whether a key is an array index: digits without a leading zero, below 2³² - 1.
fn is_index(key: &Value<'_>) -> bool {
    let Some(text) = key.as_string().and_then(|text| text.to_string().ok()) else { return false };
    let plain = text == "0" || (!text.starts_with('0') && !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()));
    plain && text.parse::<u64>().is_ok_and(|index| index < u64::from(u32::MAX))
}

/// The remaining values of an iterator of a Map or Set, without advancing it; and whether they are keys and values,
/// alternating.
pub fn iterator_preview<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Option<(Vec<Value<'js>>, bool)> {
    let of_map = match class_name(ctx, value)?.as_str() {
        "Map Iterator" => true,
        "Set Iterator" => false,
        _ => return None,
    };
    let mut entries = Vec::new();
    // SAFETY: the class was checked, so the opaque pointer is an iterator's struct or null.
    unsafe {
        let iterator = opaque(value.as_raw()).cast::<MapIterator>();
        if iterator.is_null() {
            return None;
        }
        let pairs = (*iterator).kind == KIND_KEY_AND_VALUE;
        if qjs::JS_IsUndefined((*iterator).collection) {
            return Some((entries, pairs));
        }
        let state = opaque((*iterator).collection).cast::<MapState>();
        let current = (*iterator).current;
        let first = if current.is_null() { (*state).records.next } else { (*current).link.next };
        walk(ctx, state, first, |key, value| match (*iterator).kind {
            KIND_KEY => entries.push(key),
            KIND_KEY_AND_VALUE => entries.extend([key.clone(), if of_map { value } else { key }]),
            _ => entries.push(if of_map { value } else { key }),
        });
        Some((entries, pairs))
    }
}

/// The current content of a WeakMap (keys and values, alternating) or WeakSet.
pub fn weak_entries<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Option<Vec<Value<'js>>> {
    let of_map = match class_name(ctx, value)?.as_str() {
        "WeakMap" => true,
        "WeakSet" => false,
        _ => return None,
    };
    let mut entries = Vec::new();
    // SAFETY: the class was checked, so the opaque pointer is a map's state. The engine removes a key's record when it
    // frees the key, so a record that is not empty has a live key.
    unsafe {
        let state = opaque(value.as_raw()).cast::<MapState>();
        if state.is_null() {
            return None;
        }
        walk(ctx, state, (*state).records.next, |key, value| {
            entries.push(key);
            if of_map {
                entries.push(value);
            }
        });
    }
    Some(entries)
}

/// `JS_CLASS_OBJECT`, the first class of every runtime.
const PLAIN_OBJECT: qjs::JSClassID = 1;

/// Mirrors the engine's `struct list_head`.
#[repr(C)]
struct Link {
    prev: *mut Link,
    next: *mut Link,
}

/// Mirrors the engine's `JSMapRecord`.
#[repr(C)]
struct MapRecord {
    ref_count: i32,
    empty: bool,
    map: *mut MapState,
    link: Link,
    hash_link: Link,
    key: qjs::JSValue,
    value: qjs::JSValue,
}

/// Mirrors the head of the engine's `JSMapState`.
#[repr(C)]
struct MapState {
    is_weak: bool,
    records: Link,
}

/// Mirrors the engine's `JSMapIteratorData`.
#[repr(C)]
struct MapIterator {
    collection: qjs::JSValue,
    kind: u32,
    current: *mut MapRecord,
}

/// `JS_ITERATOR_KIND_KEY`.
const KIND_KEY: u32 = 0;
/// `JS_ITERATOR_KIND_KEY_AND_VALUE`.
const KIND_KEY_AND_VALUE: u32 = 2;

fn class_name<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Option<String> {
    class_of(ctx, value)?.as_string()?.to_string().ok()
}

/// The opaque pointer of an object of a native class.
///
/// # Safety
/// The value must be alive. The type of the pointer depends on the class.
unsafe fn opaque(value: qjs::JSValue) -> *mut c_void {
    let mut class = 0;
    // SAFETY: accepts any value; null if it is not an object.
    unsafe { qjs::JS_GetAnyOpaque(value, &mut class) }
}

/// Passes the live records of a map to `visit`, from `link` on.
///
/// # Safety
/// `state` must be a map's state, `link` one of its links or its head; `visit` must not change the map.
unsafe fn walk<'js>(
    ctx: &Ctx<'js>,
    state: *mut MapState,
    mut link: *mut Link,
    mut visit: impl FnMut(Value<'js>, Value<'js>),
) {
    let raw = ctx.as_raw().as_ptr();
    // SAFETY: by the contract above, each link except the head is the `link` field of a record.
    unsafe {
        while link != &raw mut (*state).records {
            let record = link.byte_sub(std::mem::offset_of!(MapRecord, link)).cast::<MapRecord>();
            if !(*record).empty {
                visit(
                    Value::from_raw(ctx.clone(), qjs::JS_DupValue(raw, (*record).key)),
                    Value::from_raw(ctx.clone(), qjs::JS_DupValue(raw, (*record).value)),
                );
            }
            link = (*link).next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rquickjs::{Context, Runtime};

    fn with(test: impl FnOnce(&Ctx<'_>)) {
        let runtime = Runtime::new().unwrap();
        Context::full(&runtime).unwrap().with(|ctx| test(&ctx));
    }

    fn texts(values: &[Value<'_>]) -> Vec<String> {
        values.iter().map(|v| v.get::<rquickjs::Coerced<String>>().unwrap().0).collect()
    }

    #[test]
    fn classes_are_named() {
        with(|ctx| {
            for (source, name) in [
                ("({})", "Object"),
                ("[]", "Array"),
                ("new Map().keys()", "Map Iterator"),
                ("(function*(){})()", "Generator"),
                ("new Proxy([], {})", "Proxy"),
                ("Object.setPrototypeOf(new Date(), null)", "Date"),
            ] {
                let value: Value = ctx.eval(source).unwrap();
                assert_eq!(class_name(ctx, &value).as_deref(), Some(name), "{source}");
            }
            assert!(class_of(ctx, &ctx.eval("1").unwrap()).is_none());
        });
    }

    #[test]
    fn iterators_are_previewed_without_moving() {
        with(|ctx| {
            let it: Value = ctx
                .eval("globalThis.m = new Map([[1, 'a'], [2, 'b'], [3, 'c']]); globalThis.i = m.entries(); i.next(); i")
                .unwrap();
            let (entries, pairs) = iterator_preview(ctx, &it).unwrap();
            assert!(pairs);
            assert_eq!(texts(&entries), ["2", "b", "3", "c"]);
            let () = ctx.eval("m.delete(1); m.delete(2); m.set(4, 'd')").unwrap();
            assert_eq!(texts(&iterator_preview(ctx, &it).unwrap().0), ["3", "c", "4", "d"]);
            assert_eq!(ctx.eval::<String, _>("i.next().value.join()").unwrap(), "3,c");
            let done: Value = ctx.eval("[...i]; i").unwrap();
            assert!(iterator_preview(ctx, &done).unwrap().0.is_empty());
            let set: Value = ctx.eval("new Set(['x', 'y']).values()").unwrap();
            assert_eq!(texts(&iterator_preview(ctx, &set).unwrap().0), ["x", "y"]);
        });
    }

    #[test]
    fn weak_collections_are_listed() {
        with(|ctx| {
            let map: Value = ctx.eval("globalThis.k = ['key']; new WeakMap([[k, 'value']])").unwrap();
            assert_eq!(texts(&weak_entries(ctx, &map).unwrap()), ["key", "value"]);
            let set: Value = ctx.eval("new WeakSet([k])").unwrap();
            assert_eq!(texts(&weak_entries(ctx, &set).unwrap()), ["key"]);
        });
    }

    #[test]
    fn proxies_and_promises_open() {
        with(|ctx| {
            let proxy: Value = ctx.eval("new Proxy(['t'], { get() { throw 1 } })").unwrap();
            assert_eq!(texts(&[proxy_parts(ctx, &proxy).unwrap().0]), ["t"]);
            let revoked: Value = ctx.eval("var r = Proxy.revocable({}, {}); r.revoke(); r.proxy").unwrap();
            assert!(proxy_parts(ctx, &revoked).unwrap().0.is_null());
            let promise: Value = ctx.eval("Promise.resolve(7)").unwrap();
            let (state, result) = promise_parts(ctx, &promise).unwrap();
            assert_eq!((state, result.as_int()), (1, Some(7)));
        });
    }

    #[test]
    fn non_index_keys_are_listed() {
        with(|ctx| {
            let list: Value = ctx.eval("Object.assign([1, 2], { x: 1, '-1': 2, '01': 3, 4294967295: 4 })").unwrap();
            assert_eq!(texts(&non_index_keys(ctx, &list, true).unwrap()), ["x", "-1", "01", "4294967295"]);
            assert_eq!(texts(&non_index_keys(ctx, &list, false).unwrap())[0], "length");
        });
    }
}
