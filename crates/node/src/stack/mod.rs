//! Stack traces and error messages in V8's format: native functions, and the translation of QuickJS's own error messages.

mod brackets;
mod expressions;
mod map;
mod messages;
mod natives;
mod operand_messages;
mod patterns;
mod printer;
mod regexp;
mod regexp_sets;
mod syntax;
mod syntax_messages;
mod v8_messages;
mod walk;

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::rc::Rc;

use oxc_span::SourceType;
use phasor_js::bytes::Utf8;
use phasor_js::errors::{self, Translator};
use phasor_js::{is_evaluated, state};
use rquickjs::convert::List;
use rquickjs::function::{Func, Opt};
use rquickjs::{Ctx, Function, Object, Result, Value};

use self::map::{Kind, Map, Place, Spot};
use crate::module::magic_comment;

/// How many texts are kept as read.
const KEPT: usize = 64;

/// Larger texts are not read: they are bundles, whose names say little.
const LARGEST_BYTES: usize = 4 << 20;

/// Larger texts that no file has are not kept.
const LARGEST_KEPT_BYTES: usize = 256 << 10;

thread_local! {
    /// Texts by the names of their files.
    static MAPS: RefCell<HashMap<String, Option<Rc<Map>>>> = RefCell::default();
    /// Texts that no file has: what was typed at the prompt, and what `vm` has compiled.
    static TYPED: RefCell<VecDeque<Typed>> = RefCell::default();
    /// The text that lines were looked for last in, of those that are not read: a stack has many places in a bundle.
    static LINED: RefCell<Option<Lined>> = RefCell::default();
}

/// A text by its lines.
struct Lined {
    file: String,
    text: String,
    /// Where lines begin.
    starts: Vec<usize>,
}

impl Lined {
    fn new(file: &str, text: String) -> Lined {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Lined { file: file.to_owned(), text, starts }
    }

    /// A line by its number, from 1 on. What is not there is empty.
    fn line(&self, number: u32) -> &str {
        let start = self.starts.get((number as usize).saturating_sub(1)).copied().unwrap_or(self.text.len());
        self.text[start..].split('\n').next().unwrap_or_default()
    }
}

/// A text that no file has.
struct Typed {
    name: String,
    text: String,
    offset: Offset,
}

/// How many lines stand before a text, and what before its first line.
#[derive(Clone, Copy, Default)]
struct Offset {
    lines: i32,
    columns: i32,
}

impl Offset {
    /// That of a text by its name.
    fn of(file: &str) -> Offset {
        typed(file, |typed| typed.offset).unwrap_or_default()
    }

    /// What columns of a line are larger by than those in the text.
    fn column_of(self, line: i32) -> i32 {
        if line == self.lines + 1 { self.columns } else { 0 }
    }

    /// A place of the text as one of the stack.
    fn outside(self, (line, column): Place) -> Place {
        let line = line.saturating_add_signed(self.lines);
        (line, column.saturating_add_signed(self.column_of(line as i32)))
    }
}

/// A place of the stack as one of the text.
fn inside(file: &str, (line, column): Place) -> Place {
    (line.saturating_add_signed(Offset::of(file).lines.saturating_neg()), column)
}

/// Looks at the newest text of a name.
fn typed<R>(name: &str, look: impl FnOnce(&Typed) -> R) -> Option<R> {
    TYPED.with_borrow(|all| all.iter().rfind(|typed| typed.name == name).map(look))
}

/// Creates the object of native functions.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let natives = Object::new(ctx.clone())?;
    natives.set("watchErrors", Func::from(watch_errors))?;
    natives.set("explainJson", Func::from(explain_json))?;
    natives.set("addWaiting", Func::from(add_waiting))?;
    natives.set("frame", Func::from(frame))?;
    natives.set("enclosing", Func::from(enclosing))?;
    natives.set("sourceUrl", Func::from(source_url))?;
    natives.set("thrownAt", Func::from(thrown_at))?;
    natives.set("column", Func::from(column))?;
    natives.set("know", Func::from(know))?;
    natives.set("line", Func::from(line))?;
    natives.set("firstLine", Func::from(|Utf8(file): Utf8| Offset::of(&file).lines.saturating_add(1)))?;
    natives.set("columnOffset", Func::from(|Utf8(file): Utf8, line: i32| Offset::of(&file).column_of(line)))?;
    natives.set("isError", Func::from(|value: Value<'js>| value.is_error()))?;
    natives.set("isProxy", Func::from(|value: Value<'js>| value.is_proxy()))?;
    natives.set("syntaxWords", Func::from(syntax_words))?;
    natives.set("unopenedBrace", Func::from(unopened_brace))?;
    Ok(natives)
}

fn watch_errors(ctx: Ctx<'_>) -> Result<Object<'_>> {
    errors::watch(&ctx, Translator { is_known: messages::knows, translate: v8_messages::other })
}

fn explain_json<'js>(ctx: Ctx<'js>, explain: Function<'js>) -> Result<()> {
    errors::explain_json(&ctx, &explain)
}

fn add_waiting<'js>(ctx: Ctx<'js>, sites: Object<'js>, settler: Function<'js>) {
    errors::add_waiting(&ctx, &sites, &settler);
}

fn thrown_at<'js>(ctx: Ctx<'js>, error: Value<'js>) -> Option<List<(String, i32, i32)>> {
    errors::thrown_at(&ctx, &error).map(List)
}

fn syntax_words(Utf8(message): Utf8, Utf8(before): Utf8, Utf8(rest): Utf8, is_module: bool) -> Option<String> {
    syntax::words(&message, &before, &rest, is_module)
}

/// Where in a text the first brace stands that closes nothing, in units of UTF-16.
fn unopened_brace(Utf8(text): Utf8) -> Option<usize> {
    brackets::unopened(&text).map(|at| text[..at].encode_utf16().count())
}

/// Keeps a text under a name, for as long as there are not many newer ones.
fn know(Utf8(name): Utf8, Utf8(text): Utf8, lines: Opt<i32>, columns: Opt<i32>) {
    let offset = Offset { lines: lines.unwrap_or(0), columns: columns.unwrap_or(0) };
    MAPS.with_borrow_mut(|maps| maps.remove(&name));
    LINED.with_borrow_mut(|lined| lined.take_if(|lined| lined.file == name));
    TYPED.with_borrow_mut(|typed| {
        // A program may compile one text after the other under one name: the last is what can be found.
        typed.retain(|typed| typed.name != name);
        if text.len() <= LARGEST_KEPT_BYTES {
            typed.push_back(Typed { name, text, offset });
        }
        if typed.len() > KEPT {
            typed.pop_front();
        }
    });
}

/// A line of the text of a file of a stack.
fn line(ctx: Ctx<'_>, Utf8(file): Utf8, line: i32) -> Option<String> {
    let line = line.saturating_sub(Offset::of(&file).lines);
    let text = whole(&ctx, &file)?;
    let found = text.split('\n').nth(usize::try_from(line).ok()?.checked_sub(1)?);
    found.map(|found| found.strip_suffix('\r').unwrap_or(found).to_owned())
}

/// The text of a file of a stack, as it was compiled: a mark at the beginning is left out.
fn source(ctx: &Ctx<'_>, file: &str) -> Option<String> {
    let text = whole(ctx, file)?;
    Some(text.strip_prefix('\u{feff}').map_or_else(|| text.clone(), str::to_owned))
}

/// The same, with the mark if there is one.
fn whole(ctx: &Ctx<'_>, file: &str) -> Option<String> {
    if let Some(text) = typed(file, |typed| typed.text.clone()) {
        return Some(text);
    }
    let state = state(ctx);
    if is_evaluated(file) {
        return state.evaluated_text(file);
    }
    if let Some(id) = file.strip_prefix("node:") {
        return state.builtin_source(id).map(str::to_owned);
    }
    let options = state.options();
    if file == options.eval_file || file.ends_with("/[eval1]") {
        return options.eval.clone();
    }
    let path = match file.strip_prefix("file://") {
        Some(url) => {
            let path = url.split(['?', '#']).next().unwrap_or_default();
            percent_encoding::percent_decode_str(path).decode_utf8().ok()?.into_owned()
        }
        None => file.to_owned(),
    };
    if !path.starts_with('/') {
        return None;
    }
    // As it was compiled: what is no UTF-8 was replaced.
    Some(String::from_utf8_lossy(&std::fs::read(path).ok()?).into_owned())
}

/// V8's column for one of the engine's.
fn column(ctx: Ctx<'_>, file: String, line: u32, column: u32) -> u32 {
    let (line, column) = inside(&file, (line, column));
    let units = LINED.with_borrow_mut(|lined| {
        if lined.as_ref().is_none_or(|lined| lined.file != file) {
            *lined = source(&ctx, &file).map(|text| Lined::new(&file, text));
        }
        lined.as_ref().map(|lined| map::column_in_units(lined.line(line), column))
    });
    units.map_or(column, |units| Offset::of(&file).outside((line, units)).1)
}

/// A file of a stack, read.
fn map(ctx: &Ctx<'_>, file: &str) -> Option<Rc<Map>> {
    if let Some(known) = MAPS.with_borrow(|maps| maps.get(file).cloned()) {
        return known;
    }
    let text = source(ctx, file).filter(|text| text.len() <= LARGEST_BYTES);
    let kind = SourceType::from_path(Path::new(file)).unwrap_or_default();
    let kind = if kind.is_typescript() { kind } else { SourceType::unambiguous() };
    let map = text.and_then(|text| Map::of(text, kind)).map(Rc::new);
    MAPS.with_borrow_mut(|maps| {
        if maps.len() >= KEPT {
            maps.clear();
        }
        maps.insert(file.to_owned(), map.clone());
    });
    map
}

/// Which of the things at one place it is, if the frame above is of a function called `called`, or, if an error of a
/// `class` was made there, with `called` as its message. An error that holds others was made after them: it is the `outer`.
fn choose<'m>(map: &'m Map, place: Place, called: &str, class: Option<&str>, outer: bool) -> Option<&'m Spot> {
    let mut spots = map.at(place);
    let Some(class) = class else {
        let called = called.rsplit([' ', '.']).next().unwrap_or(called);
        let is_call = |spot: &&Spot| matches!(spot.kind, Kind::Call | Kind::New);
        let is_named =
            |spot: &&Spot| if called.is_empty() { spot.name.is_none() } else { spot.name.as_deref() == Some(called) };
        // A getter is called by reading.
        let read = || map.at(place).find(|spot| spot.kind == Kind::Read && is_named(spot));
        let named = map.at(place).find(|spot| is_call(spot) && is_named(spot)).or_else(read);
        // A function without a name is rather called than made an object with.
        let may_be_it = |spot: &&Spot| spot.name.is_none() || called.is_empty();
        let nameless = || {
            [Kind::Call, Kind::New]
                .into_iter()
                .find_map(|kind| map.at(place).filter(|spot| spot.kind == kind).find(may_be_it))
        };
        // Where nothing else is called, it goes by another name there.
        let alone =
            || Some(map.at(place).filter(is_call)).and_then(|mut all| all.next().filter(|_| all.next().is_none()));
        // A bundler that renames functions and keeps their `name` renames variables only.
        let bare = || {
            Some(map.at(place).filter(is_call).filter(|spot| spot.bare))
                .and_then(|mut all| all.next().filter(|_| all.next().is_none()))
        };
        return named.or_else(nameless).or_else(alone).or_else(bare);
    };
    let message = called;
    let quoted = |head: &str| Some(message.split_once(head)?.1.split_once('\'')?.0);
    if let Some(name) = quoted("(reading '") {
        return spots.find(|spot| spot.kind == Kind::Read && spot.name.as_deref().is_none_or(|read| read == name));
    }
    if message.contains("(setting '") || message.starts_with("Assignment to constant") {
        return spots.find(|spot| matches!(spot.kind, Kind::Write | Kind::Assign));
    }
    if message.ends_with("is not a function") {
        let name = message.trim_end_matches(" is not a function").rsplit('.').next();
        return spots.find(|spot| spot.kind == Kind::Call && (spot.name.is_none() || spot.name.as_deref() == name));
    }
    if message.ends_with("is not a constructor") {
        return spots.find(|spot| spot.kind == Kind::New);
    }
    if let Some(kinds) = kinds_of(message) {
        return spots.find(|spot| kinds.contains(&spot.kind));
    }
    let is_of_class = |spot: &&Spot| spot.name.as_deref().is_none_or(|name| name == class);
    let mut made = map.at(place).filter(|spot| spot.kind == Kind::New).filter(is_of_class);
    let by_class = if outer { made.last() } else { made.next() };
    // A class may go by another name there.
    by_class.or_else(|| spots.find(|spot| spot.kind == Kind::New))
}

/// What a message is about, if it is about operators or about walking over something.
fn kinds_of(message: &str) -> Option<&'static [Kind]> {
    let of_operators = [
        "BigInts have no unsigned right shift",
        "Cannot convert a BigInt value to a number",
        "Cannot convert a Symbol value to a",
        "Cannot convert object to primitive value",
        "Cannot mix BigInt and other types",
        "Cannot use 'in' operator",
        "Division by zero",
        "Function has non-object prototype",
        "Right-hand side of 'instanceof'",
        "undefined must be positive",
    ];
    if of_operators.iter().any(|part| message.starts_with(part)) {
        return Some(&[Kind::Operator]);
    }
    let is_of_walk = message.contains(" is not iterable") || message.starts_with("Spread syntax requires ");
    is_of_walk.then_some(&[Kind::Iterate, Kind::IterateInto])
}

/// The first name of a pattern, in a message about what it could not take apart.
fn taken_apart(message: &str) -> Option<&str> {
    message.strip_prefix("Cannot destructure property '")?.split_once("' of '").map(|(name, _)| name)
}

/// A frame as V8 shows it: `[function, line, column]`. `called` is the name of the function of the frame above, or the
/// error's message if it was made here: `made` then is its class, and the third number of the place is 1 if it holds
/// other errors. That number is 2 for a function that awaits.
fn frame<'js>(
    ctx: Ctx<'js>,
    file: String,
    place: Vec<u32>,
    own: String,
    called: String,
    made: Option<String>,
) -> Result<List<(String, u32, u32)>> {
    let outer = place.get(2).is_some_and(|number| *number == 1);
    let awaits = place.get(2).is_some_and(|number| *number == 2);
    let given = (place.first().copied().unwrap_or(1), place.get(1).copied().unwrap_or(1));
    let place = inside(&file, given);
    let Some(map) = map(&ctx, &file) else {
        return Ok(List((own, given.0, column(ctx, file, given.0, given.1))));
    };
    let shown = map.function(place, &own).map_or(own, str::to_owned);
    let found = match awaits {
        true => map.awaiting(place),
        false => choose(&map, place, &called, made.as_deref(), outer),
    };
    let of_pattern = || map.place_of_pattern(place, taken_apart(&called).filter(|_| made.is_some())?);
    let (line, column) = of_pattern().or(found.map(|spot| spot.v8)).unwrap_or_else(|| map::in_units(&map.text, place));
    let (line, column) = Offset::of(&file).outside((line, column));
    Ok(List((shown, line, column)))
}

/// The name that evaluated code gives itself by a comment.
fn source_url(ctx: Ctx<'_>, file: String) -> Option<String> {
    let text = state(&ctx).evaluated_text(&file)?;
    magic_comment(&text, "sourceURL").map(str::to_owned)
}

/// V8's place where the function of a frame begins, and the type of the object that it is a method of; nothing if the text was not read.
/// The place is V8's, too.
fn enclosing(ctx: Ctx<'_>, file: String, line: u32, column: u32) -> Option<List<(u32, u32, Option<String>)>> {
    let map = map(&ctx, &file)?;
    let offset = Offset::of(&file);
    let column = column.saturating_add_signed(offset.column_of(line as i32).saturating_neg());
    let (begin, receiver) = map.enclosing((inside(&file, (line, column)).0, column));
    let (line, column) = offset.outside(begin);
    Some(List((line, column, receiver.map(str::to_owned))))
}
