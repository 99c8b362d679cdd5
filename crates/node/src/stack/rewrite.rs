//! Completes the messages for which V8's text depends on the source text at the position of the error.

use phasor_engine::{ErrorReport, SEPARATOR};

use super::map::{Kind, Map, Place, Spot};
use super::patterns::Taken;
use super::printer::{self, Named};
use super::syntax;

/// V8's `(intermediate value)`, and the identifier that replaces it while an expression in an engine message is parsed.
const NAMELESS: (&str, &str) = ("(intermediate value)", "$intermediate$");

/// V8's message for an error report; `None` if the engine's message is the same. `map` returns the map of a file.
pub(super) fn rewrite<M: std::ops::Deref<Target = Map>>(
    report: &ErrorReport<'_>,
    map: impl Fn(&str) -> Option<M>,
    is_behind_end: impl FnOnce() -> bool,
) -> Option<String> {
    let Some(arguments) = report.message.strip_prefix(SEPARATOR) else {
        return syntax::rewrite(report, is_behind_end);
    };
    let arguments: Vec<&str> = arguments.split(SEPARATOR).collect();
    // Code in `eval` can use the variables of the file that called `eval`.
    let outer = report.file.contains(" > eval").then(|| report.file.split(" line ").next()).flatten().and_then(&map);
    let map = map(report.file);
    let site = Site { map: map.as_deref(), outer: outer.as_deref(), place: (report.line, report.column) };
    Some(complete(report.name, &arguments, &site))
}

/// The position at which an error is created.
struct Site<'m> {
    map: Option<&'m Map>,
    /// The file whose `eval` compiled the text.
    outer: Option<&'m Map>,
    place: Place,
}

impl<'m> Site<'m> {
    fn maps(&self) -> impl Iterator<Item = &'m Map> {
        self.map.into_iter().chain(self.outer)
    }

    fn spots(&self) -> impl Iterator<Item = (&'m Map, &'m Spot)> {
        let place = self.place;
        self.map.into_iter().flat_map(move |map| map.at(place).map(move |spot| (map, spot)))
    }

    fn find(&self, is_it: impl Fn(&Spot) -> bool) -> Option<(&'m Map, &'m Spot)> {
        self.spots().find(|(_, spot)| is_it(spot))
    }

    fn has(&self, kind: Kind) -> bool {
        self.find(|spot| spot.kind == kind).is_some()
    }

    /// The name of the function that is called at the position.
    fn called(&self) -> &'m str {
        self.find(|spot| spot.kind == Kind::Call).and_then(|(_, spot)| spot.name.as_deref()).unwrap_or_default()
    }
}

/// Whether the code at the position is `new Promise`.
fn makes_promise(site: &Site<'_>) -> bool {
    site.find(|spot| spot.kind == Kind::New && spot.name.as_deref() == Some("Promise")).is_some()
}

/// Whether the only operation at the position is `instanceof`.
fn tests_instance(site: &Site<'_>) -> bool {
    let tests = |(map, spot): (&Map, &Spot)| map.slice(spot.subject).contains(" instanceof ");
    !site.has(Kind::Call) && site.find(|spot| spot.kind == Kind::Operator).is_some_and(tests)
}

/// Whether the code at the position is an `in` operator or a call of a method `has`.
fn searches(site: &Site<'_>) -> bool {
    let searches = |(map, spot): (&Map, &Spot)| map.slice(spot.subject).contains(" in ");
    site.called() == "has" || site.find(|spot| spot.kind == Kind::Operator).is_some_and(searches)
}

/// The first argument of the call at the position, if it is a string literal; else `string`.
fn argument_text(site: &Site<'_>) -> String {
    let call = site.find(|spot| spot.kind == Kind::Call && spot.argument.is_some());
    let text = call.and_then(|(map, spot)| Some(map.slice(spot.argument?))).unwrap_or_default();
    if text.starts_with(['\'', '"']) { text.trim_matches(['\'', '"']).to_owned() } else { "string".to_owned() }
}

fn complete(name: &str, arguments: &[&str], site: &Site<'_>) -> String {
    let argument = |index: usize| arguments.get(index).copied().unwrap_or_default();
    let (first, second, third) = (argument(0), argument(1), argument(2));
    match name {
        "JSMSG_PROPERTY_FAIL" => access_nullish(site, first, second, second),
        "JSMSG_PROPERTY_FAIL_EXPR" => access_nullish(site, first, second, third),
        "JSMSG_UNEXPECTED_TYPE" if matches!(second, "undefined" | "null") => destructure_nullish(site, first, second),
        "JSMSG_UNEXPECTED_TYPE" => format!("{first} is {second}"),
        "JSMSG_NO_PROPERTIES" => destructure_nullish(site, first, first),
        "JSMSG_READ_ONLY" => {
            let key = key_text(first);
            if !site.has(Kind::Write) && site.maps().any(|map| map.is_import(&key)) {
                return "Assignment to constant variable.".to_owned();
            }
            let is_of_array = key == "length" || key.parse::<u32>().is_ok();
            let object = if is_of_array { "[object Array]" } else { "#<Object>" };
            format!("Cannot assign to read only property '{key}' of object '{object}'")
        }
        "JSMSG_CANT_SET_INTERPOSED" => {
            format!("Cannot assign to read only property '{}' of object '[object Object]'", key_text(first))
        }
        "JSMSG_CANT_DELETE" => format!("Cannot delete property '{}' of #<Object>", key_text(first)),
        "JSMSG_GETTER_ONLY" => {
            format!("Cannot set property {} of #<Object> which has only a getter", key_text(first))
        }
        "JSMSG_OBJECT_NOT_EXTENSIBLE" => not_extensible(site, first),
        "JSMSG_CANT_DEFINE_PROP_OBJECT_NOT_EXTENSIBLE" => not_extensible(site, second),
        "JSMSG_CANT_REDEFINE_PROP" => format!("Cannot redefine property: {}", key_text(first)),
        "JSMSG_SET_NON_OBJECT_RECEIVER" => {
            let kind = kind_of(first).unwrap_or("object");
            let value = if kind == "bigint" { first.trim_end_matches('n').to_owned() } else { key_text(first) };
            format!("Cannot create property '{}' on {kind} '{value}'", key_text(second))
        }
        "JSMSG_BAD_GET_SET_FIELD" if first == "get" => "Getter must be a function".to_owned(),
        "JSMSG_BAD_GET_SET_FIELD" => "Setter must be a function".to_owned(),
        "JSMSG_GET_MISSING_PRIVATE" => private_member(site, "read", "from"),
        "JSMSG_SET_MISSING_PRIVATE" => private_member(site, "write", "to"),
        "JSMSG_UNINITIALIZED_LEXICAL" => format!("Cannot access '{}' before initialization", key_text(first)),
        "JSMSG_NOT_FUNCTION" if makes_promise(site) => {
            format!("Promise resolver {} is not a function", key_text(first))
        }
        "JSMSG_NOT_FUNCTION" if tests_instance(site) => "Right-hand side of 'instanceof' is not callable".to_owned(),
        "JSMSG_NOT_FUNCTION" => format!("{} is not a function", subject(site, first, Kind::Call)),
        "JSMSG_NOT_CONSTRUCTOR" if site.map.is_some_and(|map| map.is_class(site.place)) => {
            "Class extends value #<Object> is not a constructor or null".to_owned()
        }
        "JSMSG_NOT_CONSTRUCTOR" => format!("{} is not a constructor", subject(site, first, Kind::New)),
        "JSMSG_MISSING_FUN_ARG" if makes_promise(site) => "Promise resolver undefined is not a function".to_owned(),
        "JSMSG_MISSING_FUN_ARG" => "undefined is not a function".to_owned(),
        "JSMSG_MORE_ARGS_NEEDED" => missing_arguments(arguments),
        "JSMSG_OBJECT_REQUIRED" if matches!(site.called(), "defineProperty" | "defineProperties") => {
            format!("Object.{} called on non-object", site.called())
        }
        "JSMSG_OBJECT_REQUIRED" => format!("{first} is not a non-null object"),
        "JSMSG_BIGINT_INVALID_SYNTAX" => format!("Cannot convert {} to a BigInt", argument_text(site)),
        "JSMSG_OBJECT_REQUIRED_ARG" if matches!(second, "Proxy" | "new Proxy") => no_proxy(),
        "JSMSG_OBJECT_REQUIRED_ARG" => format!("{second} called on non-object"),
        "JSMSG_CANT_CALL_CLASS_CONSTRUCTOR" => {
            let class = site.find(|spot| spot.kind == Kind::Call);
            let class = class.map(|(map, spot)| spot.name.as_deref().unwrap_or(map.slice(spot.subject)));
            format!("Class constructor {} cannot be invoked without 'new'", class.unwrap_or_default())
        }
        "JSMSG_BUILTIN_CTOR_NO_NEW" if first == "Promise" => {
            "Promise constructor cannot be invoked without 'new'".to_owned()
        }
        "JSMSG_BUILTIN_CTOR_NO_NEW" if first == "typed array" => {
            format!("Constructor {} requires 'new'", site.called())
        }
        "JSMSG_BUILTIN_CTOR_NO_NEW" => format!("Constructor {first} requires 'new'"),
        "JSMSG_INCOMPATIBLE_PROTO" => incompatible(first, second, third),
        "JSMSG_BAD_HERITAGE" => {
            format!("Class extends value {} is not a constructor or null", key_text(first))
        }
        "JSMSG_IN_STRING" => search(&key_text(first), &key_text(second)),
        "JSMSG_IN_NOT_OBJECT" => not_searched(site, first),
        "JSMSG_CANT_CONVERT_TO" => match second {
            "object" => "Cannot convert undefined or null to object".to_owned(),
            "BigInt" => format!("Cannot convert {} to a BigInt", key_text(first)),
            _ => "Cannot convert object to primitive value".to_owned(),
        },
        "JSMSG_BIGINT_TO_NUMBER" => mixed(site),
        "JSMSG_NONINTEGER_NUMBER_TO_BIGINT" => {
            format!("The number {first} cannot be converted to a BigInt because it is not an integer")
        }
        "JSMSG_NOT_ITERABLE" => not_iterable(site, first, None),
        "JSMSG_PRECISION_RANGE" => match site.called() {
            "toPrecision" => "toPrecision() argument must be between 1 and 100".to_owned(),
            "toExponential" => "toExponential() argument must be between 0 and 100".to_owned(),
            _ => "toFixed() digits argument must be between 0 and 100".to_owned(),
        },
        "JSMSG_TYPED_ARRAY_DETACHED" => detached(site),
        "JSMSG_PROXY_SET_RETURNED_FALSE" => refused_by_trap("set", first),
        "JSMSG_PROXY_DELETE_RETURNED_FALSE" => refused_by_trap("deleteProperty", first),
        "JSMSG_PROXY_DEFINE_RETURNED_FALSE" => refused_by_trap("defineProperty", first),
        "JSMSG_CANT_REPORT_NE_AS_NC" | "JSMSG_CANT_REPORT_C_AS_NC" => format!(
            "'getOwnPropertyDescriptor' on proxy: trap reported non-configurability for property '{}' \
             which is either non-existent or configurable in the proxy target",
            key_text(first)
        ),
        "JSMSG_CANT_REPORT_NC_AS_NE" if searches(site) => format!(
            "'has' on proxy: trap returned falsish for property '{}' which exists in the proxy target as non-configurable",
            key_text(first)
        ),
        "JSMSG_CANT_REPORT_NC_AS_NE" => format!(
            "'getOwnPropertyDescriptor' on proxy: trap returned undefined for property '{}' \
             which is non-configurable in the proxy target",
            key_text(first)
        ),
        "JSMSG_PROXY_GETOWN_OBJORUNDEF" => format!(
            "'getOwnPropertyDescriptor' on proxy: trap returned neither object nor undefined for property '{}'",
            key_text(first)
        ),
        "JSMSG_CANT_DEFINE_NE_AS_NC" => format!(
            "'defineProperty' on proxy: trap returned truish for defining non-configurable property '{}' \
             which is either non-existent or configurable in the proxy target",
            key_text(first)
        ),
        "JSMSG_CANT_SET_NW_NC" => format!(
            "'set' on proxy: trap returned truish for property '{}' which exists in the proxy target \
             as a non-configurable and non-writable data property with a different value",
            key_text(first)
        ),
        "JSMSG_CANT_SKIP_NC" => {
            format!("'ownKeys' on proxy: trap result did not include '{}'", key_text(first))
        }
        "JSMSG_REDECLARED_VAR" => format!("Identifier '{second}' has already been declared"),
        _ => arguments.join(" "),
    }
}

/// Converts a key or a value in an engine message to V8's form. The engine prints strings as quoted source text.
fn key_text(source: &str) -> String {
    if let Some(inner) = source.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        return unescape(inner);
    }
    if let Some(inner) = source.strip_prefix("Symbol.for(").and_then(|rest| rest.strip_suffix(')')) {
        return format!("Symbol({})", key_text(inner));
    }
    if let Some(inner) = source.strip_prefix("Symbol(").and_then(|rest| rest.strip_suffix(')')) {
        return format!("Symbol({})", key_text(inner));
    }
    if source.starts_with("Symbol.") {
        return format!("Symbol({source})");
    }
    if source.starts_with("({") {
        return "#<Object>".to_owned();
    }
    source.to_owned()
}

/// The text of a string that the engine has quoted.
fn unescape(quoted: &str) -> String {
    let mut text = String::with_capacity(quoted.len());
    let mut letters = quoted.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            text.push(letter);
            continue;
        }
        match letters.next() {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('r') => text.push('\r'),
            Some(kind @ ('x' | 'u')) => {
                let digits: String = letters.by_ref().take(if kind == 'x' { 2 } else { 4 }).collect();
                text.extend(
                    u32::from_str_radix(&digits, 16).ok().map(|code| char::from_u32(code).unwrap_or('\u{fffd}')),
                );
            }
            Some(other) => text.push(other),
            None => {}
        }
    }
    text
}

/// The result of `typeof` for a literal; `None` for other expressions.
fn kind_of(source: &str) -> Option<&'static str> {
    Some(match source {
        "undefined" => "undefined",
        "null" => "object",
        "true" | "false" => "boolean",
        "NaN" | "Infinity" | "-Infinity" => "number",
        _ if source.starts_with('"') => "string",
        _ if source.ends_with('n') && source[..source.len() - 1].parse::<f64>().is_ok() => "bigint",
        _ if source.parse::<f64>().is_ok() => "number",
        _ if source.starts_with("Symbol(") || source.starts_with("Symbol.") => "symbol",
        _ if source.starts_with("({") || source.starts_with('[') => "object",
        _ => return None,
    })
}

/// Prints a literal as V8 does in messages of builtin functions: `number 5`, but only `object` for an object.
fn with_kind(source: &str) -> Option<String> {
    let kind = kind_of(source)?;
    Some(match kind {
        "string" => format!("string {source}"),
        "boolean" | "number" => format!("{kind} {source}"),
        "object" if source == "null" => "object null".to_owned(),
        _ => kind.to_owned(),
    })
}

/// Prints an expression of an engine message as V8 does.
fn reprinted(source: &str) -> String {
    let parsed = source.replace(NAMELESS.0, NAMELESS.1).replace("(...)", "()");
    let printed = printer::callee(&parsed);
    if printed == NAMELESS.0 { source.to_owned() } else { printed.replace(NAMELESS.1, NAMELESS.0) }
}

/// The last name of an expression.
fn last_name(source: &str) -> &str {
    let start = source.rfind(|letter: char| !(letter.is_alphanumeric() || "_$#".contains(letter)));
    start.map_or(source, |start| &source[start..][source[start..].chars().next().map_or(0, char::len_utf8)..])
}

/// The text of the expression that is called, or used with `new`: from the source text if a call is found there, else from the engine's
/// message.
fn subject(site: &Site<'_>, source: &str, kind: Kind) -> String {
    let named = site.find(|spot| spot.kind == kind && !spot.sure && spot.name.as_deref() == Some(last_name(source)));
    if let Some((map, spot)) = named {
        return printer::callee(map.slice(spot.subject));
    }
    let nameless = site.find(|spot| spot.kind == kind && !spot.sure && spot.name.is_none());
    match nameless {
        Some((map, spot)) if with_kind(source).is_none() => printer::callee(map.slice(spot.subject)),
        _ => with_kind(source).unwrap_or_else(|| reprinted(source)),
    }
}

/// The message for an access to a property of `undefined` or `null`.
fn access_nullish(site: &Site<'_>, key: &str, source: &str, value: &str) -> String {
    let name = key_text(key);
    if name == "Symbol(Symbol.iterator)" {
        return not_iterable(site, source, Some(value));
    }
    let is_of_key = |spot: &Spot| spot.name.as_deref().is_none_or(|one| one == name);
    if site.has(Kind::Delete) {
        return "Cannot convert undefined or null to object".to_owned();
    }
    let is_read = site.find(|spot| matches!(spot.kind, Kind::Read | Kind::Call) && is_of_key(spot)).is_some();
    if !is_read && site.find(|spot| spot.kind == Kind::Write && is_of_key(spot)).is_some() {
        return format!("Cannot set properties of {value} (setting '{name}')");
    }
    format!("Cannot read properties of {value} (reading '{name}')")
}

/// The message for destructuring `undefined` or `null`.
fn destructure_nullish(site: &Site<'_>, source: &str, value: &str) -> String {
    let plain = || format!("Cannot destructure '{}' as it is {value}.", reprinted(source));
    let Some((map, pattern)) = site.map.and_then(|map| Some((map, map.pattern(site.place)?))) else { return plain() };
    // The last name in the engine's message is the destructured property, unless the destructured value itself ends in this name.
    let key = source.rsplit_once('.').map(|(_, key)| key);
    let is_whole = |key: &str| match pattern.taken {
        Taken::Value(span) => map.slice(span).ends_with(&format!(".{key}")),
        Taken::Element => source.ends_with(").value"),
        _ => false,
    };
    let part = key.filter(|key| !is_whole(key)).and_then(|key| map.part(pattern, key));
    if let Some(name) = part.and_then(|part| part.first.as_deref()) {
        return format!("Cannot read properties of {value} (reading '{name}')");
    }
    let first = pattern.first.as_deref();
    let subject = match pattern.taken {
        Taken::Value(span) => printer::value(map.slice(span)),
        Taken::Argument if value == "null" => "object null".to_owned(),
        Taken::Argument => "undefined".to_owned(),
        Taken::ArgumentOrDefault => NAMELESS.0.repeat(3),
        Taken::Element => ".for".to_owned(),
        Taken::Thrown => ".catch".to_owned(),
        Taken::Part => {
            return first.map_or_else(plain, |name| format!("Cannot read properties of {value} (reading '{name}')"));
        }
    };
    match first {
        Some(name) => format!("Cannot destructure property '{name}' of '{subject}' as it is {value}."),
        None => format!("Cannot destructure '{subject}' as it is {value}."),
    }
}

/// The message for a call or `new` with a detached buffer.
fn detached(site: &Site<'_>) -> String {
    let is_view = |spot: &Spot| spot.kind == Kind::New && spot.name.as_deref() == Some("DataView");
    let length =
        |spot: &Spot| spot.kind == Kind::Read && matches!(spot.name.as_deref(), Some("byteLength" | "byteOffset"));
    let subject = site.find(|spot| spot.kind == Kind::Call).map(|(map, spot)| map.slice(spot.subject));
    let what = match site.called() {
        _ if site.find(is_view).is_some() => "DataView constructor".to_owned(),
        name if subject.is_some_and(|subject| subject.starts_with("Atomics.")) => format!("Atomics.{name}"),
        "" | "subarray" => match site.find(length) {
            Some((_, spot)) => format!("get DataView.prototype.{}", spot.name.as_deref().unwrap_or_default()),
            None => "Construct".to_owned(),
        },
        "toString" => "%TypedArray%.prototype.join".to_owned(),
        name @ ("transfer" | "transferToFixedLength") => format!("ArrayBuffer.prototype.{name}"),
        name if is_number_accessor(name) => format!("DataView.prototype.{name}"),
        name => format!("%TypedArray%.prototype.{name}"),
    };
    format!("Cannot perform {what} on a detached ArrayBuffer")
}

/// Whether `DataView` has a method with this name, such as `getInt8`.
fn is_number_accessor(name: &str) -> bool {
    let kind = name.strip_prefix("get").or_else(|| name.strip_prefix("set"));
    kind.is_some_and(|kind| ["BigInt", "BigUint", "Int", "Uint", "Float"].iter().any(|start| kind.starts_with(start)))
}

/// The message for a proxy trap that returned false.
fn refused_by_trap(trap: &str, key: &str) -> String {
    format!("'{trap}' on proxy: trap returned falsish for property '{}'", key_text(key))
}

fn not_extensible(site: &Site<'_>, key: &str) -> String {
    let verb = if site.has(Kind::Call) && !site.has(Kind::Write) { "define" } else { "add" };
    format!("Cannot {verb} property {}, object is not extensible", key_text(key))
}

fn private_member(site: &Site<'_>, verb: &str, way: &str) -> String {
    let member = site.find(|spot| spot.name.as_deref().is_some_and(|name| name.starts_with('#')));
    let name = member.and_then(|(_, spot)| spot.name.as_deref()).map(|name| format!(" {name}")).unwrap_or_default();
    format!("Cannot {verb} private member{name} {way} an object whose class did not declare it")
}

fn no_proxy() -> String {
    "Cannot create proxy with a non-object as target or handler".to_owned()
}

/// The message for a builtin function that was called with too few arguments.
fn missing_arguments(arguments: &[&str]) -> String {
    let [function, needed, plural, given] = arguments else { return arguments.join(" ") };
    match *function {
        "Promise" => "Promise resolver undefined is not a function".to_owned(),
        "Proxy" => no_proxy(),
        "Object.create" => "Object prototype may only be an Object or null: undefined".to_owned(),
        _ if function.starts_with("Array.prototype.") => "undefined is not a function".to_owned(),
        _ if function.starts_with("Object.") || function.starts_with("Reflect.") => {
            format!("{function} called on non-object")
        }
        _ => format!("{function}: At least {needed} argument{plural} required, but only {given} passed"),
    }
}

/// The message for a method of a builtin class that was called on an incompatible object.
fn incompatible(class: &str, method: &str, receiver: &str) -> String {
    if class == "Date" {
        return "this is not a Date object.".to_owned();
    }
    if matches!(receiver, "null" | "undefined") {
        return format!("{class}.prototype.{method} called on null or undefined");
    }
    let receiver = match receiver {
        "Array" => "[object Array]".to_owned(),
        _ if receiver.starts_with(char::is_uppercase) => format!("#<{receiver}>"),
        _ => receiver.to_owned(),
    };
    match method.strip_prefix("get ") {
        Some(name) => format!("Method get {class}.prototype.{name} called on incompatible receiver {receiver}"),
        None => format!("Method {class}.prototype.{method} called on incompatible receiver {receiver}"),
    }
}

fn search(key: &str, value: &str) -> String {
    format!("Cannot use 'in' operator to search for '{key}' in {value}")
}

/// The message for `in` with a right operand that is not an object. The engine reports only the type of that operand, so both operands are
/// taken from the source text.
fn not_searched(site: &Site<'_>, kind: &str) -> String {
    let operands = site.spots().find_map(|(map, spot)| {
        let text = (spot.kind == Kind::Operator).then(|| map.slice(spot.subject))?;
        text.split_once(" in ")
    });
    let literal = |text: &str| text.trim().trim_matches(['\'', '"']).to_owned();
    let key = operands.map(|(key, _)| literal(key)).unwrap_or_default();
    match operands {
        Some((_, value)) if !matches!(kind, "undefined" | "null") => search(&key, &literal(value)),
        Some(_) => search(&key, kind),
        None => format!("Cannot use 'in' operator to search in {kind}"),
    }
}

fn mixed(site: &Site<'_>) -> String {
    let operator = site.find(|spot| spot.kind == Kind::Operator);
    let is_binary = operator.is_some_and(|(map, spot)| !map.slice(spot.subject).starts_with('+'));
    match is_binary && !site.has(Kind::Call) {
        true => "Cannot mix BigInt and other types, use explicit conversions".to_owned(),
        false => "Cannot convert a BigInt value to a number".to_owned(),
    }
}

/// The message for a value that is not iterable. `value` is `undefined` or `null` if the engine reports that value.
fn not_iterable(site: &Site<'_>, source: &str, value: Option<&str>) -> String {
    if site.has(Kind::IterateAsync) {
        let call = if source.ends_with(')') { "a function or its return value is not " } else { "" };
        return format!("{} is not {call}async iterable", reprinted(source));
    }
    let spots = site.spots().filter(|(_, spot)| matches!(spot.kind, Kind::Iterate | Kind::IterateInto | Kind::Spread));
    let from_source = spots.last().and_then(|(map, spot)| {
        if spot.kind == Kind::Spread && value.is_none() {
            return Some("Spread syntax requires ...iterable[Symbol.iterator] to be a function".to_owned());
        }
        let text = map.slice(spot.subject);
        Some(match (printer::named(text), spot.kind) {
            (Named::CallOf(callee), _) => format!("{callee} is not a function or its return value is not iterable"),
            (Named::Text(text), Kind::Spread) => format!("{text} is not iterable (cannot read property undefined)"),
            (Named::Text(_), Kind::IterateInto) if printer::is_member(text) => return None,
            (Named::Text(text), _) => format!("{text} is not iterable"),
        })
    });
    from_source.unwrap_or_else(|| match value.or(Some(source)).and_then(with_kind) {
        Some(value) => format!("{value} is not iterable (cannot read property Symbol(Symbol.iterator))"),
        None => match source.strip_suffix("(...)") {
            Some(callee) => format!("{} is not a function or its return value is not iterable", reprinted(callee)),
            None => format!("{} is not iterable", reprinted(source)),
        },
    })
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use oxc_span::SourceType;

    use super::*;

    fn rewritten(text: &str, column: u32, name: &str, arguments: &[&str]) -> String {
        let message = format!("\u{1}{}", arguments.join("\u{1}"));
        let report = ErrorReport { name, message: &message, file: "f.js", line: 1, column, line_text: None };
        rewrite(&report, |_| Map::of(text.to_owned(), SourceType::mjs()).map(Rc::new), || false).unwrap()
    }

    #[test]
    fn messages_name_what_the_text_has_at_the_place() {
        for (text, column, name, arguments, expected) in [
            (
                "u.x",
                1,
                "PROPERTY_FAIL_EXPR",
                &["\"x\"", "u", "undefined"][..],
                "Cannot read properties of undefined (reading 'x')",
            ),
            (
                "u.x = 1",
                1,
                "PROPERTY_FAIL_EXPR",
                &["\"x\"", "u", "null"],
                "Cannot set properties of null (setting 'x')",
            ),
            ("o.b().nope()", 7, "NOT_FUNCTION", &["o.b().nope"], "o.b(...).nope is not a function"),
            ("[1].map(5)", 5, "NOT_FUNCTION", &["5"], "number 5 is not a function"),
            ("new K.L", 1, "NOT_CONSTRUCTOR", &["K.L"], "K.L is not a constructor"),
            (
                "const { a } = b",
                15,
                "UNEXPECTED_TYPE",
                &["b", "undefined"],
                "Cannot destructure property 'a' of 'b' as it is undefined.",
            ),
            ("for (const x of y) ;", 17, "NOT_ITERABLE", &["y"], "y is not iterable"),
            ("o.f = 1", 1, "READ_ONLY", &["\"f\""], "Cannot assign to read only property 'f' of object '#<Object>'"),
        ] {
            assert_eq!(rewritten(text, column, &format!("JSMSG_{name}"), arguments), expected, "{text}");
        }
    }
}
