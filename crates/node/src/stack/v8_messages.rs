//! V8's messages for errors thrown by the engine itself. Constant ones are in `messages.rs`.
//!
//! Where V8 names an expression (`o.p is not a function`), the name comes from the source text at the error's location. QuickJS's
//! message stays if the location is ambiguous, or if V8 prints a value that the engine does not report.

use std::rc::Rc;

use phasor_js::errors::Operands;
use phasor_js::is_evaluated;
use rquickjs::function::This;
use rquickjs::{Ctx, FromJs, Function, Object, Type, Value};

use super::map::{Kind, Map, Place, Spot};
use super::messages;
use super::natives;
use super::operand_messages::{self, shown, with_kind};
use super::patterns::Taken;
use super::printer::{self, Named};
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

    /// The text, read, and where it is in it, if the engine knows: not in the first statement of a script.
    fn read(&self, ctx: &Ctx<'js>) -> Option<(Rc<Map>, Option<Place>)> {
        let file: String = self.ask::<Option<String>>("getFileName")??;
        let place = self.ask("getLineNumber").zip(self.ask("getColumnNumber"));
        Some((super::map(ctx, &file)?, place.map(|place| super::inside(&file, place))))
    }

    /// What may be run there.
    fn with<T>(&self, ctx: &Ctx<'js>, work: impl FnOnce(&Map, Vec<&Spot>) -> Option<T>) -> Option<T> {
        let (map, place) = self.read(ctx)?;
        let spots = match place {
            Some(place) => map.at(place).collect(),
            None => map.first().into_iter().collect(),
        };
        work(&map, spots)
    }

    /// The place itself, which is the beginning of a script if it is not known.
    fn with_place<T>(&self, ctx: &Ctx<'js>, work: impl FnOnce(&Map, Place) -> Option<T>) -> Option<T> {
        let (map, place) = self.read(ctx)?;
        work(&map, place.unwrap_or((1, 1)))
    }
}

/// V8's words for a message of the engine.
pub(super) fn other<'js>(
    ctx: &Ctx<'js>,
    message: &str,
    sites: &Object<'js>,
    operands: Operands<'js>,
) -> Option<String> {
    let site = Site::at(sites, 0);
    let native = site.as_ref().filter(|site| site.is_native()).map(Site::function);
    if let Some(other) = operand_messages::words(ctx, message, native.as_deref(), &operands) {
        return Some(other);
    }
    let name = native.as_deref().and_then(|name| name.rsplit(' ').next());
    if let Some(other) = name.and_then(|name| natives::by_name(message, name)) {
        return Some(other);
    }
    if let Some(other) = messages::same(message) {
        return Some(other.to_owned());
    }
    if let Some(name) = message.strip_prefix("redeclaration of '") {
        return Some(format!("Identifier '{name} has already been declared"));
    }
    let site = site?;
    if syntax::knows(message)
        && let Some(other) = site.of_evaluated(ctx, message)
    {
        return Some(other);
    }
    if let Some(name) = name {
        return of_iterated(ctx, message, name, &operands)
            .or_else(|| of_nothing(message))
            .or_else(|| of_uninitialized(message));
    }
    if let Some(value) = message.strip_prefix("cannot read property 'Symbol(Symbol.iterator)' of ") {
        return Some(not_iterable(ctx, &site, Some(value), &operands));
    }
    if let Some(other) = of_nothing(message) {
        return Some(other);
    }
    if message == "Cannot convert undefined or null to object" {
        let [value, first] = operands.as_ref()?;
        let first = first.as_string().and_then(|first| first.to_string().ok());
        return not_taken_apart(ctx, &site, if value.is_null() { "null" } else { "undefined" }, first.as_deref());
    }
    let number = |value: &Value<'js>| usize::try_from(value.as_int()?).ok();
    let which = operands.as_ref().and_then(|[which, count]| Some((number(which)?, number(count)?)));
    of_named(ctx, message, &site).or_else(|| by_place(ctx, message, &site, which, &operands))
}

/// What a native function says of something that cannot be walked over.
fn of_iterated<'js>(ctx: &Ctx<'js>, message: &str, name: &str, operands: &Operands<'js>) -> Option<String> {
    if name == "fromEntries" && message.starts_with("cannot read property 'Symbol(Symbol.iterator)' of ") {
        return Some("undefined is not iterable".to_owned());
    }
    (message == "value is not iterable").then(|| not_walkable(ctx, operands))
}

/// V8's words for a value that cannot be walked over and has no name.
fn not_walkable<'js>(ctx: &Ctx<'js>, operands: &Operands<'js>) -> String {
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
    format!("{subject} is not iterable (cannot read property Symbol(Symbol.iterator))")
}

/// Neither `undefined` nor `null` can be taken apart, by a pattern that begins with a name.
fn not_taken_apart<'js>(ctx: &Ctx<'js>, site: &Site<'js>, value: &str, first: Option<&str>) -> Option<String> {
    site.with_place(ctx, |map, place| {
        let plain = || format!("Cannot destructure '{value}' as it is {value}.");
        let Some(pattern) = map.pattern(place, first) else {
            let is_deleted = map.at(place).any(|spot| spot.kind == Kind::Delete);
            return (!is_deleted).then(plain);
        };
        let subject = match pattern.taken {
            Taken::Value(span) => printer::value(map.slice(span)),
            Taken::Given if value == "null" => "object null".to_owned(),
            Taken::Given => "undefined".to_owned(),
            Taken::GivenOrUsual => "(intermediate value)(intermediate value)(intermediate value)".to_owned(),
            Taken::Element => ".for".to_owned(),
            Taken::Thrown => ".catch".to_owned(),
            Taken::Part => {
                return Some(
                    first.map_or_else(plain, |name| format!("Cannot read properties of {value} (reading '{name}')")),
                );
            }
        };
        Some(match first {
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
fn by_place<'js>(
    ctx: &Ctx<'js>,
    message: &str,
    site: &Site<'js>,
    which: Option<(usize, usize)>,
    operands: &Operands<'js>,
) -> Option<String> {
    match message {
        "not a function" => match operands {
            // What a loop calls is in no text.
            Some([which, called]) if which.as_int() == Some(-1) => {
                Some(format!("{} is not a function", with_kind(ctx, called)))
            }
            _ => site.with(ctx, |map, spots| not_a_function(map, &spots, which)),
        },
        "not a constructor" => site.with(ctx, |map, spots| {
            let spot = only(map, &spots, |spot| spot.kind == Kind::New)?;
            Some(format!("{} is not a constructor", printer::callee(map.slice(spot.subject))))
        }),
        "value is not iterable" => Some(not_iterable(ctx, site, None, operands)),
        "value is not async iterable" => Some(not_async_iterable(ctx, site)),
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

/// What `for await` cannot walk over. `yield*` names nothing, but the method that it did not find.
fn not_async_iterable<'js>(ctx: &Ctx<'js>, site: &Site<'js>) -> String {
    let said = site.with(ctx, |map, spots| {
        let spot = spots.iter().rfind(|spot| spot.kind == Kind::Iterate)?;
        let text = map.slice(spot.subject);
        let call = if printer::is_call(text) { "a function or its return value is not " } else { "" };
        Some(format!("{} is not {call}async iterable", printer::callee(text)))
    });
    said.unwrap_or_else(|| "undefined is not a function".to_owned())
}

/// `value` is what there is in its place, if that is nothing.
fn not_iterable<'js>(ctx: &Ctx<'js>, site: &Site<'js>, value: Option<&str>, operands: &Operands<'js>) -> String {
    let said = site.with(ctx, |map, spots| {
        let spot = spots.iter().rfind(|spot| matches!(spot.kind, Kind::Iterate | Kind::IterateInto | Kind::Spread))?;
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
    said.unwrap_or_else(|| match value {
        Some("null") => "object null is not iterable (cannot read property Symbol(Symbol.iterator))".to_owned(),
        Some(value) => format!("{value} is not iterable (cannot read property Symbol(Symbol.iterator))"),
        None => not_walkable(ctx, operands),
    })
}
