//! Source map from the positions that QuickJS reports to the call, property access or loop there, and to the enclosing function.
//! `walk.rs` finds the positions.

use oxc_allocator::Allocator;
use oxc_ast_visit::Visit;
use oxc_parser::{ParseOptions, Parser};
use oxc_span::{SourceType, Span};

use super::patterns::{self, Pattern};
use super::walk::Walker;

/// A line and a column, both from 1. The engine's columns are bytes of UTF-8, V8's are units of UTF-16.
pub(super) type Place = (u32, u32);

/// V8's place for one of the engine's, where nothing more is known about it.
pub(super) fn in_units(text: &str, place: Place) -> Place {
    let line = text.split('\n').nth((place.0 as usize).saturating_sub(1)).unwrap_or_default();
    (place.0, column_in_units(line, place.1))
}

/// The same of a column, if its line is at hand.
pub(super) fn column_in_units(line: &str, column: u32) -> u32 {
    let bytes = (column as usize).saturating_sub(1);
    let before = line.char_indices().take_while(|(at, _)| *at < bytes);
    let units: usize = before.map(|(_, letter)| letter.len_utf16()).sum();
    // A place behind the end stays behind it.
    (units + bytes.saturating_sub(line.len())) as u32 + 1
}

/// What is run at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Call,
    New,
    Read,
    Write,
    /// To a variable.
    Assign,
    Delete,
    /// By `for of`, or into an array.
    Iterate,
    /// Into the variables of a pattern.
    IterateInto,
    /// Into the arguments of a call.
    Spread,
    /// A template's parts: the engine calls a function for it.
    Join,
    Operator,
    Await,
}

/// Something that is run, and may throw.
pub(super) struct Spot {
    /// Where the engine says it is.
    pub(super) engine: Place,
    /// Where V8 says it is.
    pub(super) v8: Place,
    pub(super) kind: Kind,
    /// The last name of what is called, read or written.
    pub(super) name: Option<String>,
    /// What is called, iterated over or taken apart.
    pub(super) subject: Span,
    /// Whether a name stands alone there.
    pub(super) bare: bool,
    /// Whether what is called is a function that stands there itself: it can be called.
    pub(super) sure: bool,
    /// The first argument of a call.
    pub(super) argument: Option<Span>,
}

/// A function of the text.
pub(super) struct Inner {
    pub(super) span: Span,
    /// Where the engine says that it begins.
    pub(super) begin: u32,
    /// As the engine calls it.
    pub(super) own: String,
    /// As V8 calls it in a stack.
    pub(super) shown: Option<String>,
    /// The type of the object that it is a method of, if the text tells.
    pub(super) receiver: Option<String>,
}

/// A text, read.
pub(super) struct Map {
    pub(super) text: String,
    lines: Vec<u32>,
    spots: Vec<Spot>,
    functions: Vec<Inner>,
    patterns: Vec<Pattern>,
    /// Names that stand for functions and classes.
    callable: Vec<String>,
}

impl Map {
    /// Reads a text; nothing if it cannot be read to its end.
    pub(super) fn of(text: String, kind: SourceType) -> Option<Map> {
        let arena = Allocator::default();
        let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
        let parsed = Parser::new(&arena, &text, kind).with_options(options).parse();
        if parsed.panicked {
            return None;
        }
        let mut walker = Walker::new(&text);
        walker.visit_program(&parsed.program);
        let Walker { lines, mut spots, functions, callable, .. } = walker;
        // Those of one place stay in their order.
        spots.sort_by_key(|spot| spot.engine);
        let patterns = patterns::of(&parsed.program);
        drop(parsed);
        drop(arena);
        Some(Map { text, lines, spots, functions, patterns, callable })
    }

    /// Everything that the engine would say is at a place, in the order in which it is run.
    pub(super) fn at(&self, place: Place) -> impl Iterator<Item = &Spot> {
        let start = self.spots.partition_point(|spot| spot.engine < place);
        self.spots[start..].iter().take_while(move |spot| spot.engine == place)
    }

    /// The first thing of the text.
    pub(super) fn first(&self) -> Option<&Spot> {
        self.spots.first()
    }

    /// The `await` that the engine would say is at a place, or else the innermost one around it.
    pub(super) fn awaiting(&self, place: Place) -> Option<&Spot> {
        let offset = self.offset(place)?;
        let is_around =
            |spot: &&Spot| spot.kind == Kind::Await && spot.subject.start <= offset && offset < spot.subject.end;
        let here = self.at(place).find(|spot| spot.kind == Kind::Await);
        here.or_else(|| self.spots.iter().filter(is_around).min_by_key(|spot| spot.subject.size()))
    }

    fn offset(&self, place: Place) -> Option<u32> {
        let line = *self.lines.get((place.0 as usize).checked_sub(1)?)?;
        Some(line + place.1.saturating_sub(1))
    }

    /// What V8 calls the function around a place, if the engine calls it `own`.
    pub(super) fn function(&self, place: Place, own: &str) -> Option<&str> {
        let offset = self.offset(place)?;
        let around = self.around(offset)?;
        if around.own == own { around.shown.as_deref() } else { None }
    }

    /// Where V8 says that the function around one of its places begins, and the type of the object that it is a method of. Outside of
    /// functions that is the beginning of the text.
    pub(super) fn enclosing(&self, v8: Place) -> (Place, Option<&str>) {
        let around = self.offset_in_units(v8).and_then(|offset| self.around(offset));
        around.map_or(((1, 1), None), |inner| (self.v8_place(inner.span.start), inner.receiver.as_deref()))
    }

    /// The offset of a place of V8.
    fn offset_in_units(&self, (line, column): Place) -> Option<u32> {
        let start = *self.lines.get((line as usize).checked_sub(1)?)?;
        let mut left = (column as usize).saturating_sub(1);
        let rest = self.text.get(start as usize..)?;
        let bytes = rest.char_indices().find(|(_, letter)| {
            let is_there = left == 0;
            left = left.saturating_sub(letter.len_utf16());
            is_there
        });
        Some(start + bytes.map_or(rest.len(), |(at, _)| at) as u32)
    }

    /// V8's place for an offset.
    fn v8_place(&self, offset: u32) -> Place {
        let line = self.lines.partition_point(|start| *start <= offset).max(1);
        in_units(&self.text, (line as u32, offset - self.lines[line - 1] + 1))
    }

    /// The pattern at a place that begins with a name, or with none that is written out. The engine's place is that of something before
    /// it, or where the function begins that it is in; of a loop's pattern it is behind it.
    pub(super) fn pattern(&self, place: Place, first: Option<&str>) -> Option<&Pattern> {
        let offset = self.offset(place)?;
        let named: Vec<&Pattern> = self.patterns.iter().filter(|one| one.first.as_deref() == first).collect();
        let is_in = |one: &Pattern, function: Option<&Inner>| {
            self.around(one.start).map(|inner| inner.span) == function.map(|inner| inner.span)
        };
        let begun = self.functions.iter().filter(|function| function.begin == offset);
        let at_begin = begun.filter_map(|function| named.iter().find(|one| is_in(one, Some(function)))).next();
        let around = self.around(offset);
        let next = || named.iter().find(|one| one.start >= offset && is_in(one, around));
        let last = || named.iter().rfind(|one| one.start < offset && is_in(one, around));
        let beyond = || named.iter().find(|one| one.start >= offset);
        at_begin.or_else(next).or_else(last).or_else(beyond).copied()
    }

    /// V8's place of an error about a pattern: where the name stands that it begins with.
    pub(super) fn place_of_pattern(&self, place: Place, first: &str) -> Option<Place> {
        let offset = self.pattern(place, Some(first))?.at;
        Some(self.v8_place(offset))
    }

    /// The innermost function around an offset.
    fn around(&self, offset: u32) -> Option<&Inner> {
        self.functions.iter().rfind(|one| one.span.start <= offset && offset < one.span.end)
    }

    /// Whether a name stands for a function or a class somewhere in the text.
    pub(super) fn is_callable(&self, name: &str) -> bool {
        self.callable.iter().any(|one| one == name)
    }

    /// The text of an expression.
    pub(super) fn slice(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::patterns::Taken;
    use super::*;

    fn map(text: &str) -> Map {
        Map::of(text.to_owned(), SourceType::unambiguous()).unwrap()
    }

    #[test]
    fn places_of_the_engine_lead_to_calls() {
        for (text, engine, v8) in [
            ("a(b)", (1, 3), (1, 1)),
            ("a(1)", (1, 1), (1, 1)),
            ("o.p.q(b, 1)", (1, 7), (1, 5)),
            ("o.p\n.q()", (2, 2), (2, 2)),
            ("return a(b)", (1, 10), (1, 8)),
            ("[1].map(x => x)", (1, 9), (1, 5)),
            ("a(b - 1)", (1, 7), (1, 1)),
            ("a(1 + (2))", (1, 7), (1, 1)),
        ] {
            let map = map(text);
            let spot = map.at(engine).find(|spot| spot.kind == Kind::Call).unwrap();
            assert_eq!(spot.v8, v8, "{text}");
        }
        let map = map("throw new Error('é', x)");
        assert_eq!(map.at((1, 23)).next().unwrap().v8, (1, 7));
    }

    #[test]
    fn places_of_the_engine_lead_to_awaits() {
        let map = map("async function f() { await a(n - 1); for await (const x of b()) ; }");
        assert_eq!(map.awaiting((1, 34)).unwrap().v8, (1, 22));
        assert_eq!(map.awaiting((1, 60)).unwrap().v8, (1, 55));
        assert!(map.awaiting((1, 5)).is_none());
    }

    #[test]
    fn functions_begin_at_their_keyword_or_parameters() {
        let map =
            map("/* é */ function f(a) { x }\nconst g = (b) => x; class C { m () { x } static get s() { x } }\nx");
        assert_eq!(map.enclosing((1, 25)), ((1, 9), None));
        assert_eq!(map.enclosing((2, 18)), ((2, 11), None));
        assert_eq!(map.enclosing((2, 38)), ((2, 33), Some("C")));
        assert_eq!(map.enclosing((2, 59)), ((2, 54), Some("Function")));
        assert_eq!(map.enclosing((3, 1)), ((1, 1), None));
    }

    #[test]
    fn places_of_the_engine_lead_to_patterns() {
        let map = map("f({ a }); const { b: { c } = null } = o.p; for (const { b } of x); ({ b } = y);");
        let taken = |column, first| map.pattern((1, column), first).map(|pattern| pattern.taken);
        assert_eq!(taken(1, Some("b")), Some(Taken::Value(Span::new(38, 41))));
        assert_eq!(taken(1, Some("c")), Some(Taken::Value(Span::new(29, 33))));
        assert_eq!(taken(38, Some("b")), Some(Taken::Element));
        assert_eq!(taken(60, Some("b")), Some(Taken::Value(Span::new(76, 77))));
        assert_eq!(taken(70, Some("c")), Some(Taken::Value(Span::new(29, 33))));
        assert_eq!(taken(1, Some("a")), None);
        assert_eq!(taken(1, None), None);
    }

    #[test]
    fn columns_are_bytes_here_and_units_there() {
        let text = "/* \u{e9}\u{4e2d}\u{1f600} */ a(1)\nb";
        assert_eq!(map(text).at((1, 17)).next().unwrap().v8, (1, 12));
        assert_eq!(in_units(text, (1, 17)), (1, 12));
        assert_eq!(in_units(text, (2, 1)), (2, 1));
        assert_eq!(in_units(text, (2, 4)), (2, 4));
        assert_eq!(in_units(text, (9, 4)), (9, 4));
    }

    #[test]
    fn functions_are_named_as_v8_does() {
        let map = map(
            "class A { b() { x } constructor() { x } get c() { x } }\nexports.d = function() { x }; const e = { f: () => x }",
        );
        assert_eq!(map.function((1, 17), "b"), Some("A.b"));
        assert_eq!(map.function((1, 37), "A"), Some("new A"));
        assert_eq!(map.function((1, 51), "get c"), None);
        assert_eq!(map.function((2, 26), ""), Some("exports.d"));
        assert_eq!(map.function((2, 52), "f"), Some("Object.f"));
        assert_eq!(map.function((2, 52), "other"), None);
    }
}
