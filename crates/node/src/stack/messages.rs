//! QuickJS error messages, and V8's message for each one that does not depend on context.
//!
//! Messages that depend on the error's location or on a value are in `v8_messages.rs`. Syntax errors are in `syntax.rs`.

use super::{operand_messages, syntax};

/// Messages that mean the same whatever is around them.
const SAME: &[(&str, &str)] = &[
    ("options must be an object", "The second argument to import() must be an object"),
    ("options.with must be an object", "The 'assert' option must be an object"),
    ("module attribute values must be strings", "Import assertion value must be a string"),
    ("Array loo long", "Invalid array length"),
    ("BigInt are forbidden in JSON.stringify", "Do not know how to serialize a BigInt"),
    ("'this' can be initialized only once", "Super constructor may only be called once"),
    (".size is undefined", "The .size property is NaN"),
    ("BigInt division by zero", "Division by zero"),
    ("Date value is NaN", "Invalid time value"),
    ("bad normalization form", "The normalization form should be one of NFC, NFD, NFKC, NFKD."),
    ("bigint argument with unary +", "Cannot convert a BigInt value to a number"),
    ("cannot convert BigInt to number", "Cannot mix BigInt and other types, use explicit conversions"),
    ("cannot convert symbol to number", "Cannot convert a Symbol value to a number"),
    ("cannot convert symbol to string", "Cannot convert a Symbol value to a string"),
    ("cannot invoke a running generator", "Generator is already running"),
    ("circular prototype chain", "Cyclic __proto__ value"),
    ("empty array", "Reduce of empty array with no initial value"),
    ("invalid array length", "Invalid array length"),
    ("iterator does not have a throw method", "The iterator does not provide a 'throw' method."),
    (
        "invalid property access",
        "'caller', 'callee', and 'arguments' properties may not be accessed on strict mode functions or the arguments \
         objects for calls to them",
    ),
    ("invalid string length", "Invalid string length"),
    ("invalid value used as WeakMap key", "Invalid value used as weak map key"),
    ("invalid value used as WeakSet key", "Invalid value used in weak set"),
    ("invalid array buffer max length", "Invalid array buffer max length"),
    ("invalid typed array index", "Invalid typed array index"),
    ("out-of-bound access", "Invalid atomic access index"),
    ("not a Date object", "this is not a Date object."),
    ("not a TypedArray", "this is not a typed array."),
    (
        "'Immutable prototype object 'Object.prototype' cannot have their prototype set'",
        "Immutable prototype object 'Object.prototype' cannot have their prototype set",
    ),
    ("BigInt negative exponent", "undefined must be positive"),
    ("BigInt operands are forbidden for >>>", "BigInts have no unsigned right shift, use >> instead"),
    (
        "derived class constructor must return an object or undefined",
        "Derived constructors may only return object or undefined",
    ),
    (
        "this is not initialized",
        "Must call super constructor in derived class before accessing 'this' or returning from derived constructor",
    ),
    ("toPrimitive", "Cannot convert object to primitive value"),
];

/// What is wrong with a pattern, where `regexp.rs` finds nothing. What is in the engine's limits only is not in V8's words.
const PATTERNS: &[(&str, &str)] = &[
    ("back reference out of range in regular expression", "Invalid escape"),
    ("duplicate group name", "Duplicate capture group name"),
    ("expecting ')'", "Unterminated group"),
    ("expecting ':'", "Invalid group"),
    ("expecting '{' after \\p", "Invalid property name"),
    ("expecting '{' after \\q", "Invalid escape"),
    ("expecting '}'", "Incomplete quantifier"),
    ("expecting group name", "Invalid named reference"),
    ("extraneous characters at the end", "Unmatched ')'"),
    ("group name not defined", "Invalid named capture referenced"),
    ("invalid character in class in regular expression", "Invalid character in character class"),
    ("invalid class range", "Range out of order in character class"),
    ("invalid class set operation in regular expression", "Invalid set operation in character class"),
    ("invalid decimal escape in regular expression", "Invalid decimal escape"),
    ("invalid escape sequence in regular expression", "Invalid Unicode escape"),
    ("invalid group", "Invalid group"),
    ("invalid group name", "Invalid capture group name"),
    ("invalid modifiers", "Invalid group"),
    ("invalid operation in regular expression", "Invalid set operation in character class"),
    ("invalid repetition count", "numbers out of order in {} quantifier"),
    ("malformed unicode char", "Invalid Unicode escape"),
    ("nothing to repeat", "Nothing to repeat"),
    ("syntax error", "Nothing to repeat"),
    ("too many captures", "Too many captures"),
    ("unexpected end", "Unterminated character class"),
    ("unknown unicode general category", "Invalid property name"),
    ("unknown unicode property name", "Invalid property name"),
    ("unknown unicode property value", "Invalid property name"),
    ("unknown unicode script", "Invalid property name"),
];

/// How others begin. The engine cuts off what is too long.
const PATTERN_BEGINNINGS: &[(&str, &str)] = &[
    ("duplicate modifier: '", "Invalid group"),
    ("negated character class with strings in regular expression", "Negated character class may contain strings"),
];

/// Messages whose words depend on what is around them.
const BY_PLACE: &[&str] = &[
    operand_messages::BOTH_KINDS,
    "ArrayBuffer is detached",
    "ArrayBuffer is detached or resized",
    "Getter must be a function",
    "Property description must be an object",
    "Setter must be a function",
    "cannot be called",
    "cannot convert NaN or Infinity to BigInt",
    "cannot convert to BigInt",
    "cannot convert to bigint",
    "cannot convert to object",
    "constructor requires 'new'",
    "held value cannot be the target",
    "invalid unregister token",
    "not a BigInt",
    "not a boolean",
    "not a number",
    "not a string",
    "not a symbol",
    "object prototype may only be an Object or null",
    "operand 'prototype' property is not an object",
    "property is not configurable",
    "Cannot convert undefined or null to object",
    "circular reference",
    "class constructors must be invoked with 'new'",
    "cannot convert to BigInt: not an integer",
    "could not delete property",
    "expecting %",
    "expecting hex digit",
    "expecting surrogate pair",
    "invalid 'in' operand",
    "invalid 'instanceof' right operand",
    "invalid BigInt literal",
    "invalid array index",
    "invalid brand on object",
    "invalid byteLength",
    "invalid byteOffset",
    "invalid code point",
    "invalid length",
    "invalid number of digits",
    "invalid offset",
    "invalid regular expression flags",
    "invalid repeat count",
    "invalid target",
    "iterator must return an object",
    "malformed UTF-8",
    "must be called with new",
    "no setter for property",
    "not a constructor",
    "not a generator",
    "not a function",
    "not an object",
    "null or undefined are forbidden",
    "object is not extensible",
    "out of bound",
    "parent class must be constructor",
    "proxy: cannot set property",
    "proxy: defineProperty exception",
    "regexp must have the 'g' flag",
    "regexp not supported",
    "revoked proxy",
    "value is not async iterable",
    "value is not iterable",
];

/// How messages with a name in them begin or end.
const BEGINNINGS: &[&str] = &[
    "cannot read property '",
    "invalid array index: ",
    "cannot set property '",
    "private class field '",
    "redeclaration of '",
];
const ENDINGS: &[&str] = &[" is not a constructor", " is not initialized", "' is read-only", " object expected"];

/// The longest that a message of the engine can be.
const LONGEST: usize = 256;

/// Whether a message may be the engine's own.
pub(super) fn knows(message: &str) -> bool {
    message.len() <= LONGEST
        && ([SAME, PATTERNS].into_iter().any(|table| found(table, message).is_some())
            || PATTERN_BEGINNINGS.iter().any(|(part, _)| message.starts_with(part))
            || BY_PLACE.contains(&message)
            || syntax::knows(message)
            || BEGINNINGS.iter().any(|part| message.starts_with(part))
            || ENDINGS.iter().any(|part| message.ends_with(part)))
}

pub(super) fn found(table: &[(&str, &'static str)], message: &str) -> Option<&'static str> {
    table.iter().find(|(own, _)| *own == message).map(|(_, other)| *other)
}

/// Words for what means the same whatever is around it.
pub(super) fn same(message: &str) -> Option<&'static str> {
    found(SAME, message)
}

/// Words for what is wrong with a pattern.
pub(super) fn pattern(message: &str) -> Option<&'static str> {
    let begun = || PATTERN_BEGINNINGS.iter().find(|(part, _)| message.starts_with(part));
    found(PATTERNS, message).or_else(|| begun().map(|(_, words)| *words))
}
