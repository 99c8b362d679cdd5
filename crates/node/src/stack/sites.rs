//! Converts frames of the engine to V8's call sites: takes function names from the source text, and computes V8's positions.

use std::rc::Rc;

use phasor_engine::StackFrame;

use super::map::{Inner, Kind, Map, Place, Spot};

/// The name that the CommonJS loader gives to the function of a module.
const MODULE_FUNCTION: &str = "Object.<anonymous>";

/// The array methods that are self-hosted: the engine implements them in JavaScript.
const ARRAY_METHODS: &[&str] = &[
    "every",
    "filter",
    "find",
    "findIndex",
    "findLast",
    "findLastIndex",
    "flatMap",
    "forEach",
    "from",
    "fromAsync",
    "map",
    "reduce",
    "reduceRight",
    "some",
    "sort",
    "toSorted",
];

/// The string methods that are self-hosted.
const STRING_METHODS: &[&str] =
    &["match", "matchAll", "padEnd", "padStart", "repeat", "replace", "replaceAll", "search", "split"];

/// Self-hosted functions of the engine that have no frame in V8.
const HIDDEN: &[&str] = &[
    "AsyncFromSyncIteratorNext",
    "AsyncFunctionNext",
    "AsyncFunctionThrow",
    "AsyncGeneratorNext",
    "AsyncGeneratorReturn",
    "AsyncGeneratorThrow",
    "InterpretGeneratorResume",
    "apply",
    "call",
    "construct",
];

/// A call site.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Site {
    /// The text that V8 prints before the position; may be empty.
    pub(super) shown: String,
    /// The function's own name.
    pub(super) function: String,
    /// `None` for a function of the engine.
    pub(super) file: Option<String>,
    pub(super) place: Place,
    pub(super) is_constructor: bool,
    /// Whether the function is called as a method, according to the source text.
    pub(super) is_method: bool,
    /// Whether the frame is an async function that is suspended at an `await`.
    pub(super) is_async: bool,
    /// The index of the promise for which a combinator such as `Promise.all` waits.
    pub(super) promise_index: Option<u32>,
    /// For evaluated code, the position of the `eval` call: V8's `eval at f (file:1:2)`.
    pub(super) origin: Option<String>,
}

/// The operation in the first frame for which the stack was captured.
pub(super) enum Top<'a> {
    /// The frame created an error with this message.
    Made(&'a str),
    /// The frame called this function, which has no frame in the stack.
    Called(&'a str),
}

/// The call sites of a stack. `map` returns the map of a file.
pub(super) fn sites(frames: &[StackFrame], top: Top<'_>, map: impl Fn(&str) -> Option<Rc<Map>>) -> Vec<Site> {
    // In V8 the error of `Promise.any` has no frames.
    if frames
        .first()
        .is_some_and(|frame| frame.file.is_none() && frame.function.as_deref() == Some("GetAggregateError"))
    {
        return Vec::new();
    }
    // The runtime's own files are not parsed: their functions have the engine's names.
    let maps: Vec<Option<Rc<Map>>> = frames
        .iter()
        .map(|frame| frame.file.as_deref().filter(|file| !file.starts_with("node:")).and_then(&map))
        .collect();
    let skipped = if let Top::Made(_) = top { constructors(frames, &maps) } else { 0 };
    let found: Vec<Option<&Spot>> = (skipped..frames.len())
        .map(|at| {
            let place = (frames[at].line, frames[at].column);
            let map = maps[at].as_deref()?;
            if frames[at].is_async {
                return map.awaiting(place);
            }
            match &top {
                Top::Made(message) if at == 0 => made(map, place, message),
                Top::Called(name) if at == 0 => called(map, place, name),
                _ => called(
                    map,
                    place,
                    at.checked_sub(1).map_or("", |above| own_name(&frames[above], maps[above].as_deref())),
                ),
            }
        })
        .collect();
    let is_shown = |at: &usize| {
        frames[*at].file.is_some()
            || frames[*at].is_async
            || !is_hidden(frames[*at].function.as_deref().unwrap_or_default())
    };
    let mut sites: Vec<Site> = (skipped..frames.len())
        .filter(is_shown)
        .flat_map(|at| {
            let caller = found.get(at - skipped + 1).copied().flatten().filter(|_| !frames[at].is_async);
            // The engine has no frame for the constructor that calls an executor.
            let is_executor =
                caller.is_some_and(|spot| spot.kind == Kind::New && spot.name.as_deref() == Some("Promise"));
            let constructor = is_executor.then(new_promise);
            let caller = caller.filter(|_| !is_executor);
            [Some(site(&frames[at], maps[at].as_deref(), found[at - skipped], caller)), constructor]
                .into_iter()
                .flatten()
        })
        .collect();
    // V8 reports a failed destructuring at the first property of the pattern.
    if let (Top::Made(message), Some(frame), Some(map), Some(site)) =
        (&top, frames.first(), maps.first().and_then(Option::as_deref), sites.first_mut())
        && skipped == 0
        && message.starts_with("Cannot destructure")
        && let Some(pattern) = map.pattern((frame.line, frame.column))
    {
        site.place = map.place(pattern.at);
    }
    name_origins(&mut sites);
    sites
}

/// The engine's name for a text that a program evaluates: `file line 5 > eval`. Returns the file and the line.
fn evaluated(file: &str) -> Option<(&str, u32)> {
    let outer = file.strip_suffix(" > eval").or_else(|| file.strip_suffix(" > Function"))?;
    let (outer, line) = outer.rsplit_once(" line ")?;
    Some((outer, line.parse().ok()?))
}

/// Sets the origins of evaluated texts: the position of the `eval` call, if its frame is on the stack.
fn name_origins(sites: &mut [Site]) {
    for at in (0..sites.len()).rev() {
        let Some((file, line)) = sites[at].file.as_deref().and_then(evaluated) else { continue };
        let (file, line) = (file.to_owned(), line);
        let caller = sites[at + 1..].iter().find(|site| site.file.as_deref() == Some(&file) && site.place.0 == line);
        let name = caller.map(|site| site.shown.rsplit('.').next().unwrap_or_default()).filter(|name| !name.is_empty());
        let place = match caller {
            Some(Site { origin: Some(origin), place, .. }) => format!("{origin}, <anonymous>:{}:{}", place.0, place.1),
            Some(site) => format!("{file}:{}:{}", site.place.0, site.place.1),
            None => format!("{file}:{line}:1"),
        };
        sites[at].origin = Some(format!("eval at {} ({place})", name.unwrap_or("<anonymous>")));
        if sites[at].function.is_empty() {
            sites[at].shown = "eval".to_owned();
        }
    }
}

/// The number of leading frames that are constructors whose `super()` call created the error: V8 omits them.
fn constructors(frames: &[StackFrame], maps: &[Option<Rc<Map>>]) -> usize {
    let calls_super = |(frame, map): (&StackFrame, &Option<Rc<Map>>)| {
        let place = (frame.line, frame.column);
        map.as_deref().is_some_and(|map| {
            // The engine reports the position of an implicit constructor as the start of the class.
            map.is_class(place)
                || map.at(place).any(|spot| spot.kind == Kind::Call && map.slice(spot.subject) == "super")
        })
    };
    frames.iter().zip(maps).take_while(|pair| calls_super(*pair)).count()
}

/// The name of a frame's function in the source text.
fn own_name<'a>(frame: &'a StackFrame, map: Option<&'a Map>) -> &'a str {
    let inner = map.and_then(|map| map.function((frame.line, frame.column)));
    match inner {
        Some(inner) => &inner.own,
        None => frame.function.as_deref().unwrap_or_default(),
    }
}

/// The call or property access in the source text that called a function.
fn called<'m>(map: &'m Map, place: Place, name: &str) -> Option<&'m Spot> {
    let name = name.rsplit([' ', '.', '/']).next().unwrap_or(name);
    let is_call = |spot: &&Spot| matches!(spot.kind, Kind::Call | Kind::New);
    let is_named = |spot: &&Spot| spot.name.as_deref() == Some(name);
    let named = map.at(place).find(|spot| is_call(spot) && is_named(spot));
    // A property access calls a getter or a setter.
    let read = || map.at(place).find(|spot| matches!(spot.kind, Kind::Read | Kind::Write) && is_named(spot));
    named
        .or_else(read)
        .or_else(|| map.at(place).find(is_call))
        .or_else(|| map.at(place).find(|spot| spot.kind == Kind::Operator))
}

/// The operation that created an error, found by its message.
fn made<'m>(map: &'m Map, place: Place, message: &str) -> Option<&'m Spot> {
    let of = |kinds: &'static [Kind]| map.at(place).find(|spot| kinds.contains(&spot.kind));
    let quoted = |head: &str| Some(message.split_once(head)?.1.split_once('\'')?.0);
    if let Some(name) = quoted("(reading '") {
        let is_it = |spot: &&Spot| spot.kind == Kind::Read && spot.name.as_deref().is_none_or(|read| read == name);
        return map.at(place).find(is_it).or_else(|| of(&[Kind::Read]));
    }
    if message.contains("(setting '")
        || message.starts_with("Assignment to constant")
        || message.starts_with("Cannot assign")
    {
        return of(&[Kind::Write, Kind::Assign]);
    }
    if let Some(subject) = message.strip_suffix(" is not a function") {
        let name = subject.rsplit('.').next();
        let is_it = |spot: &&Spot| spot.kind == Kind::Call && (spot.name.is_none() || spot.name.as_deref() == name);
        return map.at(place).find(is_it).or_else(|| of(&[Kind::Call]));
    }
    if message.ends_with(" is not a constructor") {
        return of(&[Kind::New]);
    }
    const OF_OPERATORS: &[&str] = &[
        "BigInts have no unsigned right shift",
        "Cannot convert a ",
        "Cannot convert object to primitive value",
        "Cannot mix BigInt and other types",
        "Cannot use 'in' operator",
        "Division by zero",
        "undefined must be positive",
        "Function has non-object prototype",
        "Right-hand side of 'instanceof'",
    ];
    if OF_OPERATORS.iter().any(|part| message.starts_with(part)) {
        return of(&[Kind::Operator]).or_else(|| of(&[Kind::Call, Kind::New]));
    }
    if message.contains(" is not iterable") || message.starts_with("Spread syntax requires ") {
        return of(&[Kind::Iterate, Kind::IterateInto, Kind::Spread]).or_else(|| of(&[Kind::Call, Kind::New]));
    }
    of(&[Kind::New]).or_else(|| of(&[Kind::Call]))
}

fn site(frame: &StackFrame, map: Option<&Map>, spot: Option<&Spot>, caller: Option<&Spot>) -> Site {
    let place = (frame.line, frame.column);
    let Some(file) = frame.file.clone() else { return native(frame) };
    let inner = map.and_then(|map| map.function(place));
    let is_new = caller.is_some_and(|spot| spot.kind == Kind::New);
    let (function, shown) = match (inner, map) {
        // An implicit constructor.
        (_, Some(map)) if is_new && map.is_class(place) => {
            let name = engine_name(frame.function.as_deref().unwrap_or_default());
            (name.clone(), format!("new {}", if name.is_empty() { "<anonymous>" } else { &name }))
        }
        (Some(inner), _) => (inner.own.clone(), shown(inner, is_new, caller)),
        (None, _) if frame.function.as_deref() == Some(MODULE_FUNCTION) => (String::new(), MODULE_FUNCTION.to_owned()),
        (None, Some(_)) => (String::new(), String::new()),
        (None, None) => {
            let name = engine_name(frame.function.as_deref().unwrap_or_default());
            (name.rsplit('.').next().unwrap_or_default().to_owned(), name)
        }
    };
    let is_constructor = shown.starts_with("new ");
    let is_method = !is_constructor && shown != function;
    let place = map.zip(spot).map_or(place, |(map, spot)| map.place(spot.v8));
    Site {
        shown,
        function,
        file: Some(file),
        place,
        is_constructor,
        is_method,
        is_async: frame.is_async,
        promise_index: None,
        origin: None,
    }
}

/// The text that V8 prints for a function.
fn shown(inner: &Inner, is_new: bool, caller: Option<&Spot>) -> String {
    let is_class = inner.shown.as_deref().is_some_and(|shown| shown.starts_with("new "));
    if is_new && !is_class {
        return if inner.own.is_empty() { "new <anonymous>".to_owned() } else { format!("new {}", inner.own) };
    }
    // If the callee is a single identifier, the call has no receiver, so V8 prints no class name.
    let is_bare = caller.is_some_and(|spot| spot.bare && spot.kind == Kind::Call);
    match &inner.shown {
        Some(shown) if is_class && shown == "new " => "new <anonymous>".to_owned(),
        Some(shown) if is_class || !is_bare || inner.own.is_empty() => shown.clone(),
        _ => inner.own.clone(),
    }
}

/// The call site of a self-hosted function.
fn native(frame: &StackFrame) -> Site {
    let name = frame.function.clone().unwrap_or_default();
    let shown = match name.as_str() {
        name if ARRAY_METHODS.contains(&name) => format!("Array.{name}"),
        name if STRING_METHODS.contains(&name) => format!("String.{name}"),
        "next" | "return" | "throw" => format!("Generator.{name}"),
        "" => "<anonymous>".to_owned(),
        name => name.to_owned(),
    };
    Site {
        is_method: shown != name,
        shown,
        function: name,
        file: None,
        place: (0, 0),
        is_constructor: false,
        is_async: frame.is_async,
        promise_index: frame.is_async.then_some(frame.column),
        origin: None,
    }
}

fn new_promise() -> Site {
    Site {
        shown: "new Promise".to_owned(),
        function: "Promise".to_owned(),
        file: None,
        place: (0, 0),
        is_constructor: true,
        is_method: false,
        is_async: false,
        promise_index: None,
        origin: None,
    }
}

/// Whether a self-hosted function has no frame in V8's stacks.
fn is_hidden(name: &str) -> bool {
    HIDDEN.contains(&name) || name.starts_with("RegExp") || name.starts_with("[Symbol.")
}

/// Converts the engine's name of a function to V8's form. `a/b<` is an anonymous function in `a/b`. `prototype` is left out.
fn engine_name(name: &str) -> String {
    let last = name.rsplit('/').next().unwrap_or(name);
    if let Some((_, key)) = last.strip_suffix("\"]").and_then(|name| name.split_once("[\"")) {
        return format!("Object.{key}");
    }
    if last.ends_with('<') { String::new() } else { last.replace(".prototype.", ".") }
}

#[cfg(test)]
mod tests {
    use oxc_span::SourceType;

    use super::*;

    fn frame(line: u32, column: u32) -> StackFrame {
        StackFrame { function: None, file: Some("/f.js".to_owned()), line, column, is_async: false }
    }

    fn shown(text: &str, frames: &[StackFrame], top: Top<'_>) -> Vec<String> {
        let map = Rc::new(Map::of(text.to_owned(), SourceType::unambiguous()).unwrap());
        let sites = sites(frames, top, |_| Some(Rc::clone(&map)));
        sites.into_iter().map(|site| format!("{} {}:{}", site.shown, site.place.0, site.place.1)).collect()
    }

    #[test]
    fn sites_have_the_names_and_positions_of_v8() {
        let text = "class A { b() { throw new Error('x') } }\nfunction f(a) { a.b(1) }\nf(new A, 1)";
        let frames = [frame(1, 23), frame(2, 19), frame(3, 2)];
        assert_eq!(shown(text, &frames, Top::Made("x")), ["A.b 1:23", "f 2:19", " 3:1"]);
    }

    #[test]
    fn constructors_that_make_the_error_are_left_out() {
        let text = "class E extends Error { constructor() { super() } }\nthrow new E";
        assert_eq!(shown(text, &[frame(1, 41), frame(2, 7)], Top::Made("")), [" 2:7"]);
    }

    #[test]
    fn names_of_the_engine() {
        assert_eq!(engine_name("Module.prototype._compile"), "Module._compile");
        assert_eq!(engine_name("main/<"), "");
    }
}
