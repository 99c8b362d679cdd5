//! Builtin functions of the language that builtin modules use, captured before any script can replace or delete them.
//!
//! As `lib/internal/per_context/primordials.js`, but a source need not import them:
//!
//! - A static function is written as usual. [`capture`] turns `Array.isArray` into `Array_isArray`, which has the same
//!   length, so that columns in stacks stay right.
//! - A prototype's method is written as in Node: `ArrayPrototypeSlice(list, 1)` for `list.slice(1)`, where `list` is
//!   known to be an array. A method call costs less, so hot paths use this only where Node works without the method.
//! - `SafeMap` and the like are collections with methods of their own (`internal/primordials`).
//!
//! The names that a source uses become variables around its function. What is not in the tables is not captured. The
//! scan does not know strings: code in a text, which another realm may run, must not call a static function directly.

use std::collections::BTreeSet;

use phasor_engine::{Array, Fallible, Function, Local, Object, Scope, Value};

/// The static functions, by class or namespace. Not `Error`: programs set its functions on purpose.
const STATICS: [(&str, &[&str]); 13] = [
    ("Array", &["from", "isArray", "of"]),
    ("ArrayBuffer", &["isView"]),
    ("Atomics", &["add", "load", "notify", "store", "wait"]),
    ("BigInt", &["asIntN", "asUintN"]),
    ("Date", &["now"]),
    ("JSON", &["parse", "stringify"]),
    (
        "Math",
        &[
            "abs", "ceil", "clz32", "floor", "log10", "log2", "max", "min", "pow", "random", "round", "sign", "sqrt",
            "trunc",
        ],
    ),
    ("Number", &["isFinite", "isInteger", "isNaN", "isSafeInteger", "parseFloat", "parseInt"]),
    (
        "Object",
        &[
            "assign",
            "create",
            "defineProperties",
            "defineProperty",
            "entries",
            "freeze",
            "fromEntries",
            "getOwnPropertyDescriptor",
            "getOwnPropertyDescriptors",
            "getOwnPropertyNames",
            "getOwnPropertySymbols",
            "getPrototypeOf",
            "hasOwn",
            "is",
            "isExtensible",
            "keys",
            "seal",
            "setPrototypeOf",
            "values",
        ],
    ),
    ("Promise", &["all", "race", "reject", "resolve", "withResolvers"]),
    (
        "Reflect",
        &[
            "apply",
            "construct",
            "defineProperty",
            "deleteProperty",
            "get",
            "getOwnPropertyDescriptor",
            "getPrototypeOf",
            "has",
            "ownKeys",
            "set",
        ],
    ),
    ("String", &["fromCharCode", "fromCodePoint", "raw"]),
    ("Symbol", &["for"]),
];

/// The methods of prototypes that the engine has in C++: a bound `call` costs as much as a method call (charCodeAt: 3 ns, a method call 5 ns).
const METHODS: &[(&str, &[&str])] = &[
    ("Array", &["includes", "indexOf", "join", "pop", "push", "shift", "slice", "unshift"]),
    ("Function", &["toString"]),
    ("Object", &["hasOwnProperty", "propertyIsEnumerable", "toString"]),
    (
        "String",
        &[
            "charCodeAt",
            "endsWith",
            "includes",
            "indexOf",
            "lastIndexOf",
            "startsWith",
            "toLowerCase",
            "toUpperCase",
            "toWellFormed",
        ],
    ),
];

/// The methods that the engine has in JavaScript. A bound `call` of one leaves compiled code (slice: 235 ns, a method call 12 ns), so
/// [`CLASSES_ID`] makes functions of them that use `Reflect.apply` (22 ns).
const SELF_HOSTED_METHODS: &[(&str, &[&str])] = &[
    ("Array", &["concat", "every", "fill", "filter", "find", "flatMap", "map", "some"]),
    ("Promise", &["finally"]),
    ("RegExp", &["exec"]),
    ("String", &["replace", "replaceAll", "search", "slice", "split"]),
];

/// The classes that the builtin [`CLASSES_ID`] adds.
const CLASSES: [&str; 6] =
    ["SafeFinalizationRegistry", "SafeMap", "SafeSet", "SafeWeakMap", "SafeWeakRef", "SafeWeakSet"];

/// The builtin that defines [`CLASSES`].
pub(crate) const CLASSES_ID: &str = "internal/primordials";

/// The name of a method: `ArrayPrototypeSlice`.
fn method_name(class: &str, method: &str) -> String {
    let (first, rest) = method.split_at(1);
    format!("{class}Prototype{}{rest}", first.to_ascii_uppercase())
}

/// The classes and names of the methods, those of [`SELF_HOSTED_METHODS`] last.
fn methods() -> impl Iterator<Item = (&'static str, &'static str)> {
    let all = METHODS.iter().chain(SELF_HOSTED_METHODS);
    all.flat_map(|(class, names)| names.iter().map(move |name| (*class, *name)))
}

/// The names of everything that is captured, in the order of the list that builtins get.
fn names() -> impl Iterator<Item = String> {
    let statics = STATICS.iter().flat_map(|(class, names)| names.iter().map(move |name| format!("{class}_{name}")));
    statics
        .chain(methods().map(|(class, name)| method_name(class, name)))
        .chain(CLASSES.iter().map(ToString::to_string))
}

/// The place of a captured function in the list.
pub(crate) fn index_of(name: &str) -> Option<usize> {
    names().position(|known| known == name)
}

/// Reads the functions from the global object, which must be untouched. The builtin [`CLASSES_ID`] appends the classes. The
/// result is a list, not an object with names: making the names would be most of the work, and every start pays for it. Its property `firstUnbound` is the
/// place of the first self-hosted method, which that builtin wraps.
pub(crate) fn read<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Array>> {
    let globals = scope.global();
    let mut found = Vec::new();
    let prototype: Local<'s, Object> =
        globals.get_as::<Local<'s, Object>>(scope, "Function")?.get_as(scope, "prototype")?;
    let call: Local<'s, Object> = prototype.get_as(scope, "call")?;
    let bind: Local<'s, Function> = call.get_as(scope, "bind")?;
    for (class, names) in STATICS {
        let owner: Local<'s, Object> = globals.get_as(scope, class)?;
        for name in names {
            let function = owner.get(scope, *name)?;
            // Static functions of Promise construct `this`.
            found.push(if class == "Promise" { bind.call(scope, function, &[owner.as_value()])? } else { function });
        }
    }
    let bound_count: usize = METHODS.iter().map(|(_, names)| names.len()).sum();
    let first_unbound = found.len() + bound_count;
    for (class, name) in methods() {
        let prototype: Local<'s, Object> =
            globals.get_as::<Local<'s, Object>>(scope, class)?.get_as(scope, "prototype")?;
        let method: Local<'s, Value> = prototype.get(scope, name)?;
        found.push(if found.len() < first_unbound { bind.call(scope, call, &[method])? } else { method });
    }
    let list = Array::new(scope, &found)?;
    list.as_object().set(scope, "firstUnbound", first_unbound as f64)?;
    Ok(list)
}

/// Rewrites the static functions in a source, and returns the names of all captured functions that it uses.
pub(crate) fn capture(source: &str) -> (String, Vec<String>) {
    let mut text = String::with_capacity(source.len());
    let mut used = BTreeSet::new();
    let methods: BTreeSet<String> = methods().map(|(class, name)| method_name(class, name)).collect();
    let mut rest = source;
    while let Some(start) = rest.find(|c: char| c.is_ascii_uppercase()) {
        let before = rest[..start].chars().next_back().or(text.chars().next_back());
        text.push_str(&rest[..start]);
        let is_spread = text.ends_with("...");
        rest = &rest[start..];
        let word = word_of(rest);
        text.push_str(word);
        rest = &rest[word.len()..];
        // A word after a dot is a property; after a quotation mark it is text.
        if !is_spread && before.is_some_and(|c| is_word(c) || matches!(c, '.' | '#' | '\'' | '"' | '`')) {
            continue;
        }
        if methods.contains(word) || CLASSES.contains(&word) {
            used.insert(word.to_owned());
            continue;
        }
        let Some((_, names)) = STATICS.iter().find(|(class, _)| *class == word) else { continue };
        let Some(name) = rest.strip_prefix('.').map(word_of) else { continue };
        if names.contains(&name) {
            used.insert(format!("{word}_{name}"));
            text.push('_');
            rest = &rest[1..];
        }
    }
    text.push_str(rest);
    (text, used.into_iter().collect())
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$')
}

/// The identifier at the beginning of a text.
fn word_of(text: &str) -> &str {
    &text[..text.find(|c| !is_word(c)).unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_captured_function_has_a_place() {
        assert_eq!(index_of("Array_from"), Some(0));
        assert_eq!(index_of("SafeWeakSet"), Some(names().count() - 1));
        assert_eq!(index_of("Array_isArrayLike"), None);
    }

    #[test]
    fn static_functions_are_captured_by_name() {
        let (text, used) = capture("Array.isArray(a) || Math.max(...Array.from(b, Number.isNaN)) + Symbol.iterator");
        assert_eq!(text, "Array_isArray(a) || Math_max(...Array_from(b, Number_isNaN)) + Symbol.iterator");
        assert_eq!(used, ["Array_from", "Array_isArray", "Math_max", "Number_isNaN"]);
    }

    #[test]
    fn other_objects_and_quoted_names_are_left_alone() {
        let source = "realm.Array.isArray(a); MyArray.isArray(a); 'Array.isArray'; `Math.min()`; Array.isArrayLike";
        assert_eq!(capture(source), (source.to_owned(), Vec::new()));
    }
}
