//! V8's messages for errors whose operands the engine reports (`crates/js/engine/phasor_subjects.h`): operands, an object and its key,
//! or an argument.
//!
//! Building a message runs no user code: neither getters nor proxy traps.

use phasor_js::errors::Operands;
use phasor_js::inspect::{class_of, function_text, plain_property, plain_tag, proxy_parts};
use rquickjs::convert::Coerced;
use rquickjs::{Ctx, Type, Value};

use super::natives;

/// Of a descriptor that is of both kinds.
pub(super) const BOTH_KINDS: &str =
    "Invalid property descriptor. Cannot both specify accessors and a value or writable attribute";

/// The words for a message, with the name of the native function that throws, if one does.
pub(super) fn words<'js>(
    ctx: &Ctx<'js>,
    message: &str,
    native: Option<&str>,
    operands: &Operands<'js>,
) -> Option<String> {
    let Some([subject, key]) = operands else {
        let is_called = message == "invalid 'instanceof' right operand";
        return is_called.then(|| "Right-hand side of 'instanceof' is not callable".to_owned());
    };
    let of = |value: &Value<'js>| shown(ctx, value);
    if let Some(name) = native
        && let Some(other) = natives::by_values(ctx, message, name, [subject, key])
    {
        return Some(other);
    }
    if subject.is_string()
        && let Some(other) = natives::of_pattern(message, native.is_some(), [subject, key])
    {
        return Some(other);
    }
    if let Some(class) = message.strip_suffix(" object expected") {
        return Some(other_class(class, native?, &of(subject)));
    }
    if message.ends_with("' is read-only") {
        return Some(read_only(ctx, subject, key));
    }
    Some(match message {
        "invalid 'in' operand" => {
            format!("Cannot use 'in' operator to search for '{}' in {}", of(subject), of(key))
        }
        "invalid 'instanceof' right operand" => "Right-hand side of 'instanceof' is not an object".to_owned(),
        "operand 'prototype' property is not an object" => {
            format!("Function has non-object prototype '{}' in instanceof check", of(subject))
        }
        "parent class must be constructor" => {
            format!("Class extends value {} is not a constructor or null", of(subject))
        }
        "no setter for property" => {
            format!("Cannot set property {} of {} which has only a getter", of(key), of(subject))
        }
        "object is not extensible" if !subject.is_object() => {
            format!("Cannot define property {}, object is not extensible", of(subject))
        }
        "object is not extensible" if key.is_object() => format!("{} is not extensible", of(subject)),
        "object is not extensible" => format!("Cannot add property {}, object is not extensible", of(key)),
        "property is not configurable" => format!("Cannot redefine property: {}", of(key)),
        "revoked proxy" => format!("Cannot perform '{}' on a proxy that has been revoked", of(key)),
        "proxy: cannot set property" => falsish("set", &of(key)),
        "proxy: defineProperty exception" => falsish("defineProperty", &of(key)),
        "could not delete property" if has_trap(ctx, subject, "deleteProperty") => falsish("deleteProperty", &of(key)),
        "could not delete property" => format!("Cannot delete property '{}' of {}", of(key), of(subject)),
        "not an object" if native.is_none() => on_primitive(ctx, subject, key)?,
        "Property description must be an object" => format!("{message}: {}", of(subject)),
        BOTH_KINDS => format!("{message}, {}", of(subject)),
        "object prototype may only be an Object or null" => {
            format!("Object prototype may only be an Object or null: {}", of(subject))
        }
        "Getter must be a function" | "Setter must be a function" => natives::no_accessor(ctx, message, subject)?,
        "cannot convert to BigInt" | "cannot convert to bigint" | "invalid BigInt literal" => {
            format!("Cannot convert {} to a BigInt", of(subject))
        }
        "cannot convert to BigInt: not an integer" | "cannot convert NaN or Infinity to BigInt" => {
            format!("The number {} cannot be converted to a BigInt because it is not an integer", of(subject))
        }
        "iterator must return an object" => format!("Iterator result {} is not an object", of(subject)),
        "invalid brand on object" => no_member(ctx, subject, key)?,
        "invalid unregister token" => format!("Invalid unregisterToken ('{}')", of(subject)),
        "not a function" => no_function(ctx, native?, subject)?,
        _ if native == Some("construct") && message.ends_with("not a constructor") => {
            format!("{} is not a constructor", of(subject))
        }
        _ => return None,
    })
}

/// The trap of a proxy has refused something.
fn falsish(trap: &str, key: &str) -> String {
    format!("'{trap}' on proxy: trap returned falsish for property '{key}'")
}

fn has_trap<'js>(ctx: &Ctx<'js>, value: &Value<'js>, name: &str) -> bool {
    let handler = proxy_parts(ctx, value).map(|(_, handler)| handler);
    handler.and_then(|handler| plain_property(ctx, &handler, name)).is_some_and(|(trap, _)| trap.is_function())
}

/// A private method was called on what has none of them. Its home is the class, or the prototype of its objects.
fn no_member<'js>(ctx: &Ctx<'js>, home: &Value<'js>, receiver: &Value<'js>) -> Option<String> {
    let name = |class: &Value<'js>| plain_property(ctx, class, "name")?.0.as_string()?.to_string().ok();
    if home.is_function() {
        return name(home).map(|name| format!("Receiver must be class {name}"));
    }
    let (class, _) = plain_property(ctx, home, "constructor")?;
    let name = name(&class)?;
    // V8 reads what marks the objects of the class.
    Some(match receiver.is_null() || receiver.is_undefined() {
        true => format!("Cannot read properties of {} (reading '{name}')", shown(ctx, receiver)),
        false => format!("Receiver must be an instance of class {name}"),
    })
}

/// A method was called on an object of another class.
fn other_class(class: &str, native: &str, receiver: &str) -> String {
    match native.strip_prefix("get ") {
        Some(name) => format!("Method get {class}.prototype.{name} called on incompatible receiver {receiver}"),
        None if native == "DataView" => "First argument to DataView constructor must be an ArrayBuffer".to_owned(),
        None => format!("Method {class}.prototype.{native} called on incompatible receiver {receiver}"),
    }
}

fn read_only<'js>(ctx: &Ctx<'js>, object: &Value<'js>, key: &Value<'js>) -> String {
    let (key, kind) = (shown(ctx, key), type_of(object));
    format!("Cannot assign to read only property '{key}' of {kind} '{}'", shown(ctx, object))
}

/// A property was set on what is no object. The characters of a string are there already.
fn on_primitive<'js>(ctx: &Ctx<'js>, value: &Value<'js>, key: &Value<'js>) -> Option<String> {
    if value.is_object() || value.is_null() || value.is_undefined() {
        return None;
    }
    let name = shown(ctx, key);
    let length = value.as_string().and_then(|text| text.to_string().ok()).map(|text| text.encode_utf16().count());
    let is_character = name.parse::<usize>().is_ok_and(|at| Some(at) < length);
    if key.is_string() && is_character {
        return Some(read_only(ctx, value, key));
    }
    Some(format!("Cannot create property '{name}' on {} '{}'", type_of(value), shown(ctx, value)))
}

/// What a native function says of an argument that is no function.
fn no_function<'js>(ctx: &Ctx<'js>, native: &str, given: &Value<'js>) -> Option<String> {
    Some(match native {
        "apply" | "bind" | "call" | "toString" => return None,
        "FinalizationRegistry" => "FinalizationRegistry: cleanup must be callable".to_owned(),
        "Promise" => format!("Promise resolver {} is not a function", shown(ctx, given)),
        "construct" => format!("{} is not a constructor", shown(ctx, given)),
        "sort" | "toSorted" => {
            format!("The comparison function must be either a function or undefined: {}", shown(ctx, given))
        }
        _ => format!("{} is not a function", with_kind(ctx, given)),
    })
}

/// A value as V8 has it where a call fails: `number 5`, but `object` alone.
pub(super) fn with_kind<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> String {
    let kind = type_of(value);
    match value.type_of() {
        Type::String => format!("string \"{}\"", shown(ctx, value)),
        Type::Null | Type::Bool | Type::Int | Type::Float => format!("{kind} {}", shown(ctx, value)),
        _ => kind.to_owned(),
    }
}

/// What `typeof` says.
fn type_of(value: &Value<'_>) -> &'static str {
    match value.type_of() {
        Type::Undefined => "undefined",
        Type::Bool => "boolean",
        Type::Int | Type::Float => "number",
        Type::BigInt => "bigint",
        Type::String => "string",
        Type::Symbol => "symbol",
        Type::Function | Type::Constructor => "function",
        _ => "object",
    }
}

/// A value as V8 prints it in messages. A proxy is what it stands for: `null` once it is revoked.
pub(super) fn shown<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> String {
    let mut value = value.clone();
    while let Some((target, _)) = proxy_parts(ctx, &value) {
        value = target;
    }
    if value.is_function() {
        return function_text(ctx, &value).unwrap_or_else(|| "function () { [native code] }".to_owned());
    }
    if let Some(symbol) = value.as_symbol() {
        let text = symbol.description().ok().and_then(|text| text.get::<Option<String>>().ok().flatten());
        return format!("Symbol({})", text.unwrap_or_default());
    }
    if value.is_object() {
        return of_object(ctx, &value);
    }
    // A primitive: only memory can be missing.
    let Ok(Coerced(text)) = value.get::<Coerced<String>>() else {
        drop(ctx.catch());
        return String::new();
    };
    text
}

/// An object by its constructor's name, if it has the language's own `toString`; or else by its tag or its class.
fn of_object<'js>(ctx: &Ctx<'js>, object: &Value<'js>) -> String {
    let plain = |value: &Value<'js>, name: &str| plain_property(ctx, value, name).map(|(value, _)| value);
    let text = |value: Option<Value<'js>>| value.and_then(|value| value.as_string()?.to_string().ok());
    if object.is_error() {
        let name = text(plain(object, "name")).unwrap_or_else(|| "Error".to_owned());
        return match text(plain(object, "message")) {
            Some(message) if !message.is_empty() => format!("{name}: {message}"),
            _ => name,
        };
    }
    let is_usual = plain_property(ctx, object, "toString").is_some_and(|(_, is_of_all)| is_of_all);
    let maker = plain(object, "constructor").filter(|_| is_usual).filter(Value::is_function);
    match maker.and_then(|maker| text(plain(&maker, "name"))).filter(|name| !name.is_empty()) {
        Some(name) => format!("#<{name}>"),
        None => {
            let class = plain_tag(ctx, object).or_else(|| text(class_of(ctx, object)));
            format!("[object {}]", class.unwrap_or_else(|| "Object".to_owned()))
        }
    }
}
