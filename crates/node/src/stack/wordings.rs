//! V8's wording for the engine's messages.
//!
//! An entry whose format needs nothing but the engine's arguments is complete. The others hand their arguments to `rewrite.rs`, separated
//! by U+0001, because V8's text depends on the source text at the error's place. The texts were recorded on Node 22.

use phasor_engine::{ErrorFormat, ErrorKind};

/// The same class, other words.
const fn to(name: &'static str, format: &'static str) -> ErrorFormat {
    ErrorFormat { name, format, kind: None }
}

/// A message that `rewrite.rs` completes.
const fn args(name: &'static str, count: usize) -> ErrorFormat {
    let format = match count {
        0 => "\u{1}",
        1 => "\u{1}{0}",
        2 => "\u{1}{0}\u{1}{1}",
        3 => "\u{1}{0}\u{1}{1}\u{1}{2}",
        _ => "\u{1}{0}\u{1}{1}\u{1}{2}\u{1}{3}",
    };
    to(name, format)
}

/// An error of another class.
const fn range(name: &'static str, format: &'static str) -> ErrorFormat {
    ErrorFormat { name, format, kind: Some(ErrorKind::RangeError) }
}

/// The formats that take the place of the engine's.
pub static WORDINGS: &[ErrorFormat] = &[
    // Variables.
    args("JSMSG_UNINITIALIZED_LEXICAL", 1),
    to("JSMSG_BAD_CONST_ASSIGN", "Assignment to constant variable."),
    to("JSMSG_UNDECLARED_VAR", "{0} is not defined"),
    // Properties.
    args("JSMSG_PROPERTY_FAIL", 2),
    args("JSMSG_PROPERTY_FAIL_EXPR", 3),
    args("JSMSG_UNEXPECTED_TYPE", 2),
    args("JSMSG_NO_PROPERTIES", 1),
    args("JSMSG_READ_ONLY", 1),
    // The facade uses it for read-only properties of a context's global object (`crates/engine/src/sandbox.rs`).
    args("JSMSG_CANT_SET_INTERPOSED", 1),
    args("JSMSG_CANT_DELETE", 1),
    args("JSMSG_GETTER_ONLY", 1),
    args("JSMSG_OBJECT_NOT_EXTENSIBLE", 1),
    args("JSMSG_CANT_DEFINE_PROP_OBJECT_NOT_EXTENSIBLE", 2),
    to("JSMSG_CANT_DEFINE_PAST_ARRAY_LENGTH", "Cannot add property, object is not extensible"),
    args("JSMSG_CANT_REDEFINE_PROP", 1),
    args("JSMSG_SET_NON_OBJECT_RECEIVER", 2),
    args("JSMSG_BAD_GET_SET_FIELD", 1),
    args("JSMSG_GET_MISSING_PRIVATE", 0),
    args("JSMSG_SET_MISSING_PRIVATE", 0),
    to("JSMSG_OBJECT_REQUIRED_PROP_DESC", "Property description must be an object: {0}"),
    to(
        "JSMSG_INVALID_DESCRIPTOR",
        "Invalid property descriptor. Cannot both specify accessors and a value or writable attribute",
    ),
    to("JSMSG_CANT_SET_PROTO_CYCLE", "Cyclic __proto__ value"),
    to("JSMSG_CANT_SET_PROTO", "#<Object> is not extensible"),
    to("JSMSG_NOT_OBJORNULL", "Object prototype may only be an Object or null: {0}"),
    // Calls and classes.
    args("JSMSG_NOT_FUNCTION", 1),
    args("JSMSG_NOT_CONSTRUCTOR", 1),
    args("JSMSG_MISSING_FUN_ARG", 2),
    args("JSMSG_MORE_ARGS_NEEDED", 4),
    args("JSMSG_OBJECT_REQUIRED", 1),
    args("JSMSG_OBJECT_REQUIRED_ARG", 3),
    args("JSMSG_CANT_CALL_CLASS_CONSTRUCTOR", 0),
    args("JSMSG_BUILTIN_CTOR_NO_NEW", 1),
    args("JSMSG_INCOMPATIBLE_PROTO", 3),
    args("JSMSG_BAD_HERITAGE", 2),
    to(
        "JSMSG_UNINITIALIZED_THIS",
        "Must call super constructor in derived class before accessing 'this' or returning from derived constructor",
    ),
    to("JSMSG_REINIT_THIS", "Super constructor may only be called once"),
    to("JSMSG_BAD_DERIVED_RETURN", "Derived constructors may only return object or undefined"),
    to("JSMSG_BAD_APPLY_ARGS", "CreateListFromArrayLike called on non-object"),
    range("JSMSG_OVER_RECURSED", "Maximum call stack size exceeded"),
    range("JSMSG_TOO_MANY_ARGUMENTS", "Maximum call stack size exceeded"),
    range("JSMSG_TOO_MANY_CON_SPREADARGS", "Maximum call stack size exceeded"),
    range("JSMSG_TOO_MANY_FUN_SPREADARGS", "Maximum call stack size exceeded"),
    range("JSMSG_SPREAD_TOO_LARGE", "Maximum call stack size exceeded"),
    // Operators.
    to("JSMSG_BAD_INSTANCEOF_RHS", "Right-hand side of 'instanceof' is not an object"),
    to("JSMSG_BAD_PROTOTYPE", "Function has non-object prototype in instanceof check"),
    args("JSMSG_IN_NOT_OBJECT", 1),
    args("JSMSG_IN_STRING", 2),
    // Conversions.
    args("JSMSG_CANT_CONVERT_TO", 2),
    to("JSMSG_TOPRIMITIVE_NOT_CALLABLE", "Cannot convert object to primitive value"),
    to("JSMSG_TOPRIMITIVE_RETURNED_OBJECT", "Cannot convert object to primitive value"),
    to("JSMSG_SYMBOL_TO_STRING", "Cannot convert a Symbol value to a string"),
    to("JSMSG_SYMBOL_TO_NUMBER", "Cannot convert a Symbol value to a number"),
    args("JSMSG_BIGINT_TO_NUMBER", 0),
    args("JSMSG_NONINTEGER_NUMBER_TO_BIGINT", 1),
    args("JSMSG_BIGINT_INVALID_SYNTAX", 0),
    to("JSMSG_BIGINT_TOO_LARGE", "Maximum BigInt size exceeded"),
    to("JSMSG_BIGINT_DIVISION_BY_ZERO", "Division by zero"),
    to("JSMSG_BIGINT_NEGATIVE_EXPONENT", "undefined must be positive"),
    to("JSMSG_BIGINT_NOT_SERIALIZABLE", "Do not know how to serialize a BigInt"),
    // Iteration.
    args("JSMSG_NOT_ITERABLE", 1),
    to("JSMSG_GET_ITER_RETURNED_PRIMITIVE", "Result of the Symbol.iterator method is not an object"),
    to("JSMSG_GET_ASYNC_ITER_RETURNED_PRIMITIVE", "Result of the Symbol.asyncIterator method is not an object"),
    to("JSMSG_ITER_METHOD_RETURNED_PRIMITIVE", "Iterator result is not an object"),
    to("JSMSG_INVALID_MAP_ITERABLE", "Iterator value is not an entry object"),
    to("JSMSG_NESTING_GENERATOR", "Generator is already running"),
    to("JSMSG_ITERATOR_NO_THROW", "The iterator does not provide a 'throw' method."),
    // Proxies.
    to("JSMSG_PROXY_REVOKED", "Cannot perform an operation on a proxy that has been revoked"),
    args("JSMSG_PROXY_SET_RETURNED_FALSE", 1),
    args("JSMSG_PROXY_DELETE_RETURNED_FALSE", 1),
    args("JSMSG_PROXY_DEFINE_RETURNED_FALSE", 1),
    to("JSMSG_PROXY_PREVENTEXTENSIONS_RETURNED_FALSE", "'preventExtensions' on proxy: trap returned falsish"),
    to(
        "JSMSG_PROXY_SETPROTOTYPEOF_RETURNED_FALSE",
        "'setPrototypeOf' on proxy: trap returned falsish for property 'undefined'",
    ),
    // Builtins.
    // `json.js` replaces it.
    to("JSMSG_JSON_CYCLIC_VALUE", "circular reference"),
    to("JSMSG_TOO_LONG_ARRAY", "Invalid array length"),
    to("JSMSG_BAD_ARRAY_LENGTH", "Invalid array length"),
    range("JSMSG_ALLOC_OVERFLOW", "Invalid string length"),
    to("JSMSG_EMPTY_ARRAY_REDUCE", "Reduce of empty array with no initial value"),
    to("JSMSG_EMPTY_ITERATOR_REDUCE", "Reduce of a done iterator with no initial value"),
    to("JSMSG_BAD_SORT_ARG", "The comparison function must be either a function or undefined"),
    to("JSMSG_BAD_TOSORTED_ARG", "The comparison function must be either a function or undefined"),
    to("JSMSG_BAD_TYPEDARRAY_SORT_ARG", "The comparison function must be either a function or undefined"),
    to("JSMSG_INVALID_DATE", "Invalid time value"),
    to("JSMSG_BAD_URI", "URI malformed"),
    to("JSMSG_INVALID_NORMALIZE_FORM", "The normalization form should be one of NFC, NFD, NFKC, NFKD."),
    to("JSMSG_NEGATIVE_REPETITION_COUNT", "Invalid count value"),
    to("JSMSG_RESULTING_STRING_TOO_LARGE", "Invalid string length"),
    to("JSMSG_NOT_A_CODEPOINT", "Invalid code point {0}"),
    to("JSMSG_BAD_RADIX", "toString() radix argument must be between 2 and 36"),
    args("JSMSG_PRECISION_RANGE", 1),
    to("JSMSG_BAD_REGEXP_FLAG", "Invalid flags supplied to RegExp constructor '{0}'"),
    to("JSMSG_REQUIRES_GLOBAL_REGEXP", "String.prototype.{0} called with a non-global RegExp argument"),
    to("JSMSG_WEAKMAP_KEY_CANT_BE_HELD_WEAKLY", "Invalid value used as weak map key"),
    to("JSMSG_WEAKMAP_KEY_MUST_BE_AN_OBJECT", "Invalid value used as weak map key"),
    to("JSMSG_WEAKSET_VAL_CANT_BE_HELD_WEAKLY", "Invalid value used in weak set"),
    to("JSMSG_WEAKSET_VAL_MUST_BE_AN_OBJECT", "Invalid value used in weak set"),
    to("JSMSG_BAD_WEAKREF_TARGET", "WeakRef: invalid target"),
    to("JSMSG_BAD_FINALIZATION_REGISTRY_TARGET", "FinalizationRegistry.prototype.register: invalid target"),
    to("JSMSG_BAD_HELD_VALUE", "FinalizationRegistry.prototype.register: target and holdings must not be same"),
    // V8 adds the offset, which the engine does not tell.
    to("JSMSG_OFFSET_OUT_OF_BUFFER", "Start offset is outside the bounds of the buffer"),
    args("JSMSG_TYPED_ARRAY_DETACHED", 0),
    to("JSMSG_OFFSET_OUT_OF_DATAVIEW", "Offset is outside the bounds of the DataView"),
    to("JSMSG_INVALID_DATA_VIEW_LENGTH", "Invalid DataView length"),
    to("JSMSG_TYPED_ARRAY_CONSTRUCT_OFFSET_MISALIGNED", "byte length of {0}Array should be a multiple of {1}"),
    to("JSMSG_TYPED_ARRAY_CALL_OR_CONSTRUCT", "Abstract class TypedArray not directly constructable"),
    to("JSMSG_CANNOT_RESOLVE_PROMISE_WITH_ITSELF", "Chaining cycle detected for promise #<Promise>"),
    to("JSMSG_PROMISE_ANY_REJECTION", "All promises were rejected"),
    to("JSMSG_MODULE_NO_EXPORT", "The requested module '{0}' does not provide an export named '{1}'"),
    // Syntax. `syntax.rs` names unexpected tokens.
    args("JSMSG_REDECLARED_VAR", 2),
    to("JSMSG_BAD_RETURN_OR_YIELD", "Illegal {0} statement"),
    to("JSMSG_BAD_LEFTSIDE_OF_ASS", "Invalid left-hand side in assignment"),
    to("JSMSG_BAD_FOR_LEFTSIDE", "Invalid left-hand side in for-loop"),
    to("JSMSG_BAD_DESTRUCT_TARGET", "Invalid destructuring assignment target"),
    to("JSMSG_BAD_CONST_DECL", "Missing initializer in const declaration"),
    to("JSMSG_BAD_DESTRUCT_DECL", "Missing initializer in destructuring declaration"),
    to("JSMSG_TOUGH_BREAK", "Illegal break statement"),
    to("JSMSG_BAD_CONTINUE", "Illegal continue statement: no surrounding iteration statement"),
    to("JSMSG_AWAIT_OUTSIDE_ASYNC", "await is only valid in async functions and the top level bodies of modules"),
    to(
        "JSMSG_AWAIT_OUTSIDE_ASYNC_OR_MODULE",
        "await is only valid in async functions and the top level bodies of modules",
    ),
    to("JSMSG_BAD_STRICT_ASSIGN_ARGUMENTS", "Unexpected eval or arguments in strict mode"),
    to("JSMSG_BAD_STRICT_ASSIGN_EVAL", "Unexpected eval or arguments in strict mode"),
    to("JSMSG_STRICT_CODE_WITH", "Strict mode code may not include a with statement"),
    to("JSMSG_DEPRECATED_OCTAL_LITERAL", "Octal literals are not allowed in strict mode."),
    to("JSMSG_DEPRECATED_OCTAL_ESCAPE", "Octal escape sequences are not allowed in strict mode."),
    to("JSMSG_DEPRECATED_DELETE_OPERAND", "Delete of an unqualified identifier in strict mode."),
    to("JSMSG_DUPLICATE_FORMAL", "Duplicate parameter name not allowed in this context"),
    to("JSMSG_MALFORMED_ESCAPE", "Invalid {0} escape sequence"),
    to("JSMSG_BAD_DUP_ARGS", "Duplicate parameter name not allowed in this context"),
    to("JSMSG_STRICT_NON_SIMPLE_PARAMS", "Illegal 'use strict' directive in function with non-simple parameter list"),
    to("JSMSG_BAD_SUPER", "'super' keyword unexpected here"),
    to("JSMSG_BAD_SUPERPROP", "'super' keyword unexpected here"),
    to("JSMSG_BAD_SUPERCALL", "'super' keyword unexpected here"),
    to("JSMSG_BAD_NEWTARGET", "new.target expression is not allowed here"),
    to("JSMSG_IMPORT_META_OUTSIDE_MODULE", "Cannot use 'import.meta' outside a module"),
    to("JSMSG_IMPORT_DECL_AT_TOP_LEVEL", "Cannot use import statement outside a module"),
    to("JSMSG_EXPORT_DECL_AT_TOP_LEVEL", "Unexpected token 'export'"),
    to("JSMSG_DUPLICATE_PROTO_PROPERTY", "Duplicate __proto__ fields are not allowed in object literals"),
    to("JSMSG_DUPLICATE_CONSTRUCTOR", "A class may only have one constructor"),
    to("JSMSG_CATCH_OR_FINALLY", "Missing catch or finally after try"),
    to("JSMSG_LINE_BREAK_AFTER_THROW", "Illegal newline after throw"),
    to("JSMSG_TEMPLSTR_UNTERM_EXPR", "Missing } in template expression"),
    to(
        "JSMSG_BAD_POW_LEFTSIDE",
        "Unary operator used immediately before exponentiation expression. Parenthesis must be used to disambiguate operator precedence",
    ),
    to("JSMSG_REST_WITH_COMMA", "Rest element must be last element"),
    to("JSMSG_PARAMETER_AFTER_REST", "Rest parameter must be last formal parameter"),
    to("JSMSG_REST_WITH_DEFAULT", "Rest parameter may not have a default initializer"),
    to("JSMSG_TOO_MANY_DEFAULTS", "More than one default clause in switch statement"),
    to("JSMSG_YIELD_IN_PARAMETER", "Yield expression not allowed in formal parameter"),
    to("JSMSG_AWAIT_IN_PARAMETER", "Illegal await-expression in formal parameters of async function"),
    to("JSMSG_LEXICAL_DECL_DEFINES_LET", "let is disallowed as a lexically bound name"),
    to("JSMSG_UNNAMED_FUNCTION_STMT", "Function statements require a function name"),
    to("JSMSG_BAD_NEW_OPTIONAL", "Invalid optional chain from new expression"),
    to("JSMSG_BAD_OPTIONAL_TEMPLATE", "Invalid tagged template on optional chain"),
    to("JSMSG_PRIVATE_DELETE", "Private fields can not be deleted"),
    to("JSMSG_CLASS_STATIC_PROTO", "Classes may not have a static property named 'prototype'"),
    to("JSMSG_UNTERMINATED_REGEXP", "Invalid regular expression: missing /"),
    to("JSMSG_MISSING_PRIVATE_DECL", "Private field '{0}' must be declared in an enclosing class"),
    to("JSMSG_DUPLICATE_EXPORT_NAME", "Duplicate export of '{0}'"),
    to("JSMSG_MISSING_EXPORT", "Export '{0}' is not defined in module"),
    to("JSMSG_BAD_ARGUMENTS", "'arguments' is not allowed in class field initializer or static initialization block"),
    to("JSMSG_BAD_ESCAPE", "Invalid Unicode escape sequence"),
    to("JSMSG_NUMBER_END_WITH_UNDERSCORE", "Numeric separators are not allowed at the end of numeric literals"),
    to("JSMSG_NUMBER_MULTIPLE_ADJACENT_UNDERSCORES", "Only one underscore is allowed as numeric separator"),
    to("JSMSG_SEPARATOR_IN_ZERO_PREFIXED_NUMBER", "Numeric separator can not be used after leading 0."),
];
