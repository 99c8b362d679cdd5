//! V8's words for what the engine throws by itself. Those that are always the same are in `messages.rs`.
//!
//! Where V8 names a thing (`o.p is not a function`), the name comes from the text at the place of the error. Where the
//! place leaves open which thing it is, or V8 prints a value that the engine does not tell, the engine's words stay.

use phasor_js::errors::Operands;
use phasor_js::is_evaluated;
use rquickjs::function::This;
use rquickjs::{Ctx, FromJs, Function, Object, Type, Value};

use super::map::{Kind, Map, Spot};
use super::messages;
use super::printer::{self, Named};
use super::subjects::{self, shown};
use super::syntax;

/// Where an error was made.
struct Site<'js> {
    site: Object<'js>,
}

impl<'js> Site<'js> {
    fn at(sites: &Object<'js>, index: u32) -> Option<Site<'js>> {
        Some(Site { site: sites.get::<_, Option<Object<'js>>>(index).ok()?? })
    }

    fn ask<T: FromJs<'js>>(&self, question: &str) -> Option<T> {
        let function: Function<'js> = self.site.get(question).ok()?;
        function.call((This(self.site.clone()),)).ok()
    }

    fn is_native(&self) -> bool {
        self.ask("isNative").unwrap_or(false)
    }

    fn function(&self) -> String {
        self.ask::<Option<String>>("getFunctionName").flatten().unwrap_or_default()
    }

    /// Words for what is wrong with a text that a program has compiled. Those for files are given by who reads them.
    fn of_evaluated(&self, ctx: &Ctx<'js>, message: &str) -> Option<String> {
        let file = self.ask::<Option<String>>("getFileName").flatten().filter(|file| is_evaluated(file))?;
        let Some(text) = super::source(ctx, &file) else { return syntax::words_unread(message) };
        let (line, column) =
            (self.ask("getLineNumber").unwrap_or(u32::MAX), self.ask("getColumnNumber").unwrap_or(1u32));
        let start: usize = text.split_inclusive('\n').take((line as usize).saturating_sub(1)).map(str::len).sum();
        let at = (start + (column as usize).saturating_sub(1)).min(text.len());
        let (before, rest) = text.split_at_checked(at).unwrap_or((&text, ""));
        syntax::words(message, before, rest, false)
    }

    /// What may be run there.
    fn with<T>(&self, ctx: &Ctx<'js>, work: impl FnOnce(&Map, Vec<&Spot>) -> Option<T>) -> Option<T> {
        let file: String = self.ask::<Option<String>>("getFileName")??;
        if file.starts_with("node:") {
            return None;
        }
        let map = super::map(ctx, &file)?;
        let spots = match (self.ask("getLineNumber"), self.ask("getColumnNumber")) {
            (Some(line), Some(column)) => map.at(super::inside(&file, (line, column))).collect(),
            // The engine does not know where it is in the first statement of a script.
            _ => map.first().into_iter().collect(),
        };
        work(&map, spots)
    }
}

/// V8's words for a message of the engine.
pub(super) fn other<'js>(
    ctx: &Ctx<'js>,
    message: &str,
    sites: &Object<'js>,
    operands: Operands<'js>,
) -> Option<String> {
    if let Some(other) = messages::same(message) {
        return Some(other.to_owned());
    }
    if let Some(name) = message.strip_prefix("redeclaration of '") {
        return Some(format!("Identifier '{name} has already been declared"));
    }
    let site = Site::at(sites, 0);
    let native = site.as_ref().filter(|site| site.is_native()).map(Site::function);
    if let Some(other) = subjects::words(ctx, message, native.as_deref(), &operands) {
        return Some(other);
    }
    let site = site?;
    if syntax::knows(message)
        && let Some(other) = site.of_evaluated(ctx, message)
    {
        return Some(other);
    }
    if let Some(name) = native {
        let name = name.rsplit(' ').next().unwrap_or(&name);
        return by_native(message, name)
            .or_else(|| of_iterated(ctx, message, &operands))
            .or_else(|| of_nothing(message))
            .or_else(|| of_uninitialized(message))
            .or_else(|| by_argument(message, name, argument(ctx, sites, name)));
    }
    if let Some(value) = message.strip_prefix("cannot read property 'Symbol(Symbol.iterator)' of ") {
        return Some(not_iterable(ctx, &site, Some(value)));
    }
    if let Some(other) = of_nothing(message) {
        return Some(other);
    }
    if message == "Cannot convert undefined or null to object" {
        let is_null = operands.as_ref().is_some_and(|[value, _]| value.is_null());
        return not_taken_apart(ctx, &site, if is_null { "null" } else { "undefined" });
    }
    let number = |value: &Value<'js>| usize::try_from(value.as_int()?).ok();
    let which = operands.as_ref().and_then(|[which, count]| Some((number(which)?, number(count)?)));
    of_named(ctx, message, &site).or_else(|| by_place(ctx, message, &site, which))
}

/// What a native function says of something that cannot be walked over.
fn of_iterated<'js>(ctx: &Ctx<'js>, message: &str, operands: &Operands<'js>) -> Option<String> {
    if message != "value is not iterable" {
        return None;
    }
    let subject = match operands {
        None => "object".to_owned(),
        Some([value, _]) => match value.type_of() {
            Type::Undefined => "undefined".to_owned(),
            Type::Bool => format!("boolean {}", shown(ctx, value)),
            Type::BigInt => "bigint".to_owned(),
            Type::Symbol => "symbol".to_owned(),
            Type::Null => "object null".to_owned(),
            _ => format!("number {}", shown(ctx, value)),
        },
    };
    Some(format!("{subject} is not iterable (cannot read property Symbol(Symbol.iterator))"))
}

/// Neither `undefined` nor `null` can be taken apart.
fn not_taken_apart<'js>(ctx: &Ctx<'js>, site: &Site<'js>, value: &str) -> Option<String> {
    site.with(ctx, |map, spots| {
        let Some(spot) = only(map, &spots, |spot| spot.kind == Kind::Destructure) else {
            let is_deleted = spots.iter().any(|spot| spot.kind == Kind::Delete);
            return (!is_deleted).then(|| format!("Cannot destructure '{value}' as it is {value}."));
        };
        let subject = match map.slice(spot.subject) {
            "" if value == "null" => "object null".to_owned(),
            "" => "undefined".to_owned(),
            text => printer::callee(text),
        };
        Some(match &spot.name {
            Some(name) => format!("Cannot destructure property '{name}' of '{subject}' as it is {value}."),
            None => format!("Cannot destructure '{subject}' as it is {value}."),
        })
    })
}

fn of_uninitialized(message: &str) -> Option<String> {
    let name = message.strip_suffix(" is not initialized")?;
    Some(format!("Cannot access '{name}' before initialization"))
}

/// What is said of something that the engine names.
fn of_named<'js>(ctx: &Ctx<'js>, message: &str, site: &Site<'js>) -> Option<String> {
    if let Some(other) = of_uninitialized(message) {
        return Some(other);
    }
    let name = message.split('\'').nth(1)?;
    let kind = || {
        site.with(ctx, |_, spots| spots.iter().find(|spot| spot.name.as_deref() == Some(name)).map(|spot| spot.kind))
    };
    if message.starts_with("private class field '") {
        let (verb, way) = if kind() == Some(Kind::Write) { ("write", "to") } else { ("read", "from") };
        return Some(format!("Cannot {verb} private member {name} {way} an object whose class did not declare it"));
    }
    if !message.ends_with("' is read-only") {
        return None;
    }
    // Of what is no constant the engine has named the object.
    (kind() != Some(Kind::Read)).then(|| "Assignment to constant variable.".to_owned())
}

/// What is said of the thing at the place, whose name the engine does not tell.
fn by_place<'js>(ctx: &Ctx<'js>, message: &str, site: &Site<'js>, which: Option<(usize, usize)>) -> Option<String> {
    match message {
        "not a function" => site.with(ctx, |map, spots| not_a_function(map, &spots, which)),
        "not a constructor" => site.with(ctx, |map, spots| {
            let spot = only(map, &spots, |spot| spot.kind == Kind::New)?;
            Some(format!("{} is not a constructor", printer::callee(map.slice(spot.subject))))
        }),
        "value is not iterable" => Some(not_iterable(ctx, site, None)),
        // It is thrown in the constructor's own frame.
        "class constructors must be invoked with 'new'" => {
            Some(format!("Class constructor {} cannot be invoked without 'new'", site.function()))
        }
        _ => None,
    }
}

/// Something of `undefined` or `null` was asked for.
fn of_nothing(message: &str) -> Option<String> {
    if let Some((name, value)) =
        message.strip_prefix("cannot read property '").and_then(|rest| rest.rsplit_once("' of "))
    {
        if name == "Symbol(Symbol.iterator)" {
            let value = if value == "null" { "object null" } else { value };
            return Some(format!("{value} is not iterable (cannot read property Symbol(Symbol.iterator))"));
        }
        return Some(format!("Cannot read properties of {value} (reading '{name}')"));
    }
    let (name, value) = message.strip_prefix("cannot set property '")?.rsplit_once("' of ")?;
    Some(format!("Cannot set properties of {value} (setting '{name}')"))
}

/// The one thing of a kind at a place; of several calls the one that does not call a function of the text.
fn only<'m>(map: &Map, spots: &[&'m Spot], is_one: impl Fn(&Spot) -> bool) -> Option<&'m Spot> {
    let of_kind: Vec<&Spot> =
        spots.iter().copied().filter(|spot| is_one(spot) && (spot.kind == Kind::New || !spot.sure)).collect();
    if let [one] = of_kind[..] {
        return Some(one);
    }
    let is_known = |spot: &Spot| {
        let text = map.slice(spot.subject);
        if spot.bare {
            return map.is_callable(text) || GLOBAL_FUNCTIONS.contains(&text);
        }
        GLOBAL_OBJECTS.iter().any(|object| text.starts_with(object))
    };
    let mut unknown = of_kind.into_iter().filter(|spot| !is_known(spot));
    unknown.next().filter(|_| unknown.next().is_none())
}

/// Names that everybody calls, and which are there.
const GLOBAL_FUNCTIONS: &[&str] = &["require", "String", "Number", "Boolean", "parseInt", "parseFloat", "setTimeout"];
const GLOBAL_OBJECTS: &[&str] = &["console.", "Math.", "JSON.", "Object.", "Array.", "Promise.", "process."];

/// `which` is the number of the call among those of the place, and how many there are.
fn not_a_function(map: &Map, spots: &[&Spot], which: Option<(usize, usize)>) -> Option<String> {
    let is_call = |spot: &Spot| matches!(spot.kind, Kind::Call | Kind::New);
    let calls: Vec<&Spot> = spots.iter().copied().filter(|spot| is_call(spot) || spot.kind == Kind::Join).collect();
    let spot = match which {
        Some((number, count)) if count == calls.len() => calls.get(number).copied().filter(|spot| is_call(spot))?,
        _ => only(map, spots, is_call)?,
    };
    let noun = if spot.kind == Kind::New { "constructor" } else { "function" };
    Some(format!("{} is not a {noun}", printer::callee(map.slice(spot.subject))))
}

fn not_iterable<'js>(ctx: &Ctx<'js>, site: &Site<'js>, value: Option<&str>) -> String {
    let said = site.with(ctx, |map, spots| {
        let spot = spots.iter().rfind(|spot| matches!(spot.kind, Kind::Iterate | Kind::IterateInto | Kind::Spread))?;
        if spot.kind == Kind::Spread && value.is_none() {
            return Some("Spread syntax requires ...iterable[Symbol.iterator] to be a function".to_owned());
        }
        let text = map.slice(spot.subject);
        Some(match (printer::named(text), spot.kind, value) {
            (Named::CallOf(callee), ..) => format!("{callee} is not a function or its return value is not iterable"),
            (Named::Text(text), Kind::Spread, _) => format!("{text} is not iterable (cannot read property undefined)"),
            (Named::Text(_), Kind::IterateInto, Some(_)) if !spot.bare => return None,
            (Named::Text(text), ..) => format!("{text} is not iterable"),
        })
    });
    said.unwrap_or_else(|| match value {
        Some("null") => "object null is not iterable (cannot read property Symbol(Symbol.iterator))".to_owned(),
        Some(value) => format!("{value} is not iterable (cannot read property Symbol(Symbol.iterator))"),
        None => "object is not iterable (cannot read property Symbol(Symbol.iterator))".to_owned(),
    })
}

/// The first argument of the call of a native function, as it stands in the text: empty if there is none, nothing if the
/// call is not found.
fn argument<'js>(ctx: &Ctx<'js>, sites: &Object<'js>, name: &str) -> Option<String> {
    Site::at(sites, 1)?.with(ctx, |map, spots| {
        let is_it = |spot: &&&Spot| matches!(spot.kind, Kind::Call | Kind::New) && spot.name.as_deref() == Some(name);
        let spot = spots.iter().find(is_it)?;
        Some(spot.argument.map_or_else(String::new, |span| map.slice(span).to_owned()))
    })
}

/// What a native function says of what it was given, where that stands in the text.
fn by_argument(message: &str, name: &str, given: Option<String>) -> Option<String> {
    if name == "RegExp"
        && let Some(words) = messages::pattern(message)
    {
        let pattern = given.as_deref().and_then(printer::literal);
        let is_open = pattern.as_ref().is_some_and(|pattern| pattern.ends_with('\\') && message == "unexpected end");
        let words = if is_open { "\\ at end of pattern" } else { words };
        return Some(match pattern {
            Some(pattern) => format!("Invalid regular expression: /{pattern}/: {words}"),
            None => format!("Invalid regular expression: {words}"),
        });
    }
    if name == "repeat" && message == "invalid repeat count" {
        return given.filter(|text| text.parse::<f64>().is_ok()).map(|text| format!("Invalid count value: {text}"));
    }
    if name == "BigInt" {
        let given = given?;
        return match message {
            "invalid BigInt literal" => {
                printer::literal(&given).map(|text| format!("Cannot convert {text} to a BigInt"))
            }
            _ if given.parse::<f64>().is_err() => None,
            _ => Some(format!("The number {given} cannot be converted to a BigInt because it is not an integer")),
        };
    }
    None
}

/// What a native function throws.
fn by_native(message: &str, name: &str) -> Option<String> {
    Some(match message {
        "must be called with new" if name == "Promise" => {
            "Promise constructor cannot be invoked without 'new'".to_owned()
        }
        "must be called with new" | "constructor requires 'new'" => format!("Constructor {name} requires 'new'"),
        "not a constructor" if matches!(name, "BigInt" | "Symbol") => format!("{name} is not a constructor"),
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
        "not an object" => match name {
            "Proxy" => "Cannot create proxy with a non-object as target or handler".to_owned(),
            "defineProperty" | "defineProperties" => format!("Object.{name} called on non-object"),
            "deleteProperty"
            | "get"
            | "getOwnPropertyDescriptor"
            | "getPrototypeOf"
            | "has"
            | "isExtensible"
            | "ownKeys"
            | "preventExtensions"
            | "set" => format!("Reflect.{name} called on non-object"),
            _ => return None,
        },
        "null or undefined are forbidden" => format!("String.prototype.{name} called on null or undefined"),
        "regexp not supported" => {
            format!("First argument to String.prototype.{name} must not be a regular expression")
        }
        "regexp must have the 'g' flag" => format!("String.prototype.{name} called with a non-global RegExp argument"),
        "invalid array index" if name == "ArrayBuffer" => "Invalid array buffer length".to_owned(),
        "out of bound" if name.starts_with("get") || name.starts_with("set") => {
            "Offset is outside the bounds of the DataView".to_owned()
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
