//! V8's messages for errors thrown by the language's builtin functions, selected by function name and arguments.

use phasor_js::bytes::Utf8;
use phasor_js::inspect::plain_property;
use rquickjs::{Ctx, Value};

use super::messages;
use super::operand_messages::shown;
use super::regexp;

/// Methods of arrays that say of which method they are, where the others only say that there is no object.
const OF_ARRAYS: &[&str] = &[
    "concat",
    "every",
    "filter",
    "find",
    "findIndex",
    "findLast",
    "findLastIndex",
    "forEach",
    "indexOf",
    "lastIndexOf",
    "map",
    "reduce",
    "reduceRight",
    "some",
];

/// What a native function throws, whatever it was given.
pub(super) fn by_name(message: &str, name: &str) -> Option<String> {
    Some(match message {
        "must be called with new" if name == "Promise" => {
            "Promise constructor cannot be invoked without 'new'".to_owned()
        }
        "must be called with new" | "constructor requires 'new'" => format!("Constructor {name} requires 'new'"),
        "not a constructor" if matches!(name, "BigInt" | "Symbol") => format!("{name} is not a constructor"),
        "cannot be called" if name == "TypedArray" => "Abstract class TypedArray not directly constructable".to_owned(),
        "invalid number of digits" => match name {
            "toFixed" => "toFixed() digits argument must be between 0 and 100".to_owned(),
            "toExponential" => "toExponential() argument must be between 0 and 100".to_owned(),
            "toPrecision" => "toPrecision() argument must be between 1 and 100".to_owned(),
            _ => return None,
        },
        "expecting %" | "expecting hex digit" | "expecting surrogate pair" | "malformed UTF-8" => {
            "URI malformed".to_owned()
        }
        "invalid target" if name == "WeakRef" => "WeakRef: invalid target".to_owned(),
        "invalid target" => format!("FinalizationRegistry.prototype.{name}: invalid target"),
        "held value cannot be the target" => {
            format!("FinalizationRegistry.prototype.{name}: target and holdings must not be same")
        }
        "not an object" => no_object(name)?,
        "Cannot convert undefined or null to object" if OF_ARRAYS.contains(&name) => {
            format!("Array.prototype.{name} called on null or undefined")
        }
        "null or undefined are forbidden" | "cannot convert to object" => {
            // V8's trimStart and trimEnd have their old names.
            let name = name.replace("trimStart", "trimLeft").replace("trimEnd", "trimRight");
            format!("String.prototype.{name} called on null or undefined")
        }
        "regexp not supported" => {
            format!("First argument to String.prototype.{name} must not be a regular expression")
        }
        "regexp must have the 'g' flag" => format!("String.prototype.{name} called with a non-global RegExp argument"),
        "cannot convert BigInt to number" => "Cannot convert a BigInt value to a number".to_owned(),
        "invalid array length" if name == "set" => "offset is out of bounds".to_owned(),
        "invalid array index" if matches!(name, "asIntN" | "asUintN") => {
            "Invalid value: not (convertible to) a safe integer".to_owned()
        }
        "invalid array index" if matches!(name, "ArrayBuffer" | "SharedArrayBuffer") => {
            "Invalid array buffer length".to_owned()
        }
        "invalid array index" | "out of bound" if name.starts_with("get") || name.starts_with("set") => {
            "Offset is outside the bounds of the DataView".to_owned()
        }
        "ArrayBuffer is detached" | "ArrayBuffer is detached or resized" => {
            format!("Cannot perform {} on a detached ArrayBuffer", of_buffer(message, name))
        }
        "revoked proxy" if name == "isArray" => "Cannot perform 'IsArray' on a proxy that has been revoked".to_owned(),
        "not a symbol" if name == "description" => {
            "Symbol.prototype.description requires that 'this' be a Symbol".to_owned()
        }
        "not a symbol" | "not a BigInt" | "not a number" | "not a string" | "not a boolean"
            if matches!(name, "toString" | "valueOf") =>
        {
            let class = message.rsplit(' ').next().unwrap_or_default();
            let class = format!("{}{}", class[..1].to_uppercase(), &class[1..]);
            format!("{class}.prototype.{name} requires that 'this' be a {class}")
        }
        "not a function" if name == "toString" => {
            "Function.prototype.toString requires that 'this' be a Function".to_owned()
        }
        "not a function" if name == "bind" => "Bind must be called on a function".to_owned(),
        _ => return None,
    })
}

/// A native function that was given no object.
fn no_object(name: &str) -> Option<String> {
    Some(match name {
        "Proxy" | "revocable" => "Cannot create proxy with a non-object as target or handler".to_owned(),
        "defineProperty" | "defineProperties" => format!("Object.{name} called on non-object"),
        "deleteProperty"
        | "get"
        | "getOwnPropertyDescriptor"
        | "getPrototypeOf"
        | "has"
        | "isExtensible"
        | "ownKeys"
        | "preventExtensions"
        | "set"
        | "setPrototypeOf" => format!("Reflect.{name} called on non-object"),
        "all" | "allSettled" | "any" | "race" | "withResolvers" => format!("Promise.{name} called on non-object"),
        "resolve" | "reject" => format!("Promise{}{} called on non-object", name[..1].to_uppercase(), &name[1..]),
        "captureStackTrace" => "invalid_argument".to_owned(),
        _ => return None,
    })
}

/// What could not be done to a buffer that is gone: by which method, or the making of a view.
fn of_buffer(message: &str, name: &str) -> String {
    match name {
        "slice" if message == "ArrayBuffer is detached" => "ArrayBuffer.prototype.slice".to_owned(),
        "resize" | "transfer" | "transferToFixedLength" => format!("ArrayBuffer.prototype.{name}"),
        _ if name.starts_with("get") || name.starts_with("set") && name != "set" => {
            format!("DataView.prototype.{name}")
        }
        _ if name.starts_with(char::is_uppercase) => "Construct".to_owned(),
        _ => format!("%TypedArray%.prototype.{name}"),
    }
}

/// The bytes of an element of a typed array, by the name of its class.
fn bytes_of(class: &str) -> Option<u32> {
    let bits: String = class.strip_suffix("Array")?.chars().filter(char::is_ascii_digit).collect();
    bits.parse::<u32>().ok().map(|bits| bits / 8)
}

/// What a native function says of two values that the engine has named.
pub(super) fn by_values<'js>(
    ctx: &Ctx<'js>,
    message: &str,
    name: &str,
    [first, second]: [&Value<'js>; 2],
) -> Option<String> {
    let of = |value: &Value<'js>| shown(ctx, value);
    Some(match message {
        "not an object" if matches!(name, "Map" | "WeakMap" | "fromEntries") => {
            format!("Iterator value {} is not an entry object", of(first))
        }
        "not an object" if name == "setPrototypeOf" && (first.is_null() || first.is_undefined()) => {
            "Object.setPrototypeOf called on null or undefined".to_owned()
        }
        "not an object" if name == "setPrototypeOf" => {
            format!("Object prototype may only be an Object or null: {}", of(second))
        }
        "not a generator" => {
            format!("Method [Generator].prototype.{name} called on incompatible receiver {}", of(first))
        }
        "not a symbol" if name == "keyFor" => format!("{} is not a symbol", of(first)),
        "invalid array index" if bytes_of(name).is_some() => format!("Invalid typed array length: {}", of(first)),
        "invalid array index" if name == "DataView" => {
            format!("Start offset {} is outside the bounds of the buffer", of(first))
        }
        "invalid offset" => match bytes_of(name)? {
            bytes if first.as_number().is_some_and(|start| start % f64::from(bytes) != 0.0) => {
                format!("start offset of {name} should be a multiple of {bytes}")
            }
            _ => format!("Start offset {} is outside the bounds of the buffer", of(first)),
        },
        "invalid length" if second.is_undefined() => {
            format!("byte length of {name} should be a multiple of {}", bytes_of(name)?)
        }
        "invalid length" => format!("Invalid typed array length: {}", of(second)),
        "invalid byteOffset" => format!("Start offset {} is outside the bounds of the buffer", of(first)),
        "invalid byteLength" => format!("Invalid DataView length {}", of(second)),
        "invalid code point" => format!("Invalid code point {}", of(first)),
        "invalid repeat count" => format!("Invalid count value: {}", of(first)),
        _ if name == "with" && message.starts_with("invalid array index: ") => format!("Invalid index : {}", of(first)),
        _ => return None,
    })
}

/// What is wrong with the pattern of a regular expression, or with its flags. Half of a pair of surrogates is shown as U+FFFD.
pub(super) fn of_pattern<'js>(message: &str, is_native: bool, [pattern, flags]: [&Value<'js>; 2]) -> Option<String> {
    let text = |value: &Value<'js>| value.get::<Utf8>().ok().map(|Utf8(text)| text);
    let mut flags = text(flags).unwrap_or_default();
    if message == "invalid regular expression flags" {
        return Some(match is_native {
            true => format!("Invalid flags supplied to RegExp constructor '{flags}'"),
            false => "Invalid regular expression flags".to_owned(),
        });
    }
    let words = messages::pattern(message)?;
    let pattern = text(pattern)?;
    let words = regexp::trouble(&pattern, &flags, message.starts_with("unknown unicode ")).unwrap_or(words);
    if is_native {
        // They are no text that stands in the program.
        let mut letters: Vec<char> = flags.chars().collect();
        letters.sort_unstable();
        flags = letters.into_iter().collect();
    }
    Some(format!("Invalid regular expression: /{pattern}/{flags}: {words}"))
}

/// The accessor of a descriptor that is no function.
pub(super) fn no_accessor<'js>(ctx: &Ctx<'js>, message: &str, descriptor: &Value<'js>) -> Option<String> {
    let name = if message.starts_with('G') { "get" } else { "set" };
    let (given, _) = plain_property(ctx, descriptor, name)?;
    Some(format!("{message}: {}", shown(ctx, &given)))
}
