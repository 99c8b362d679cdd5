//! Maps a position that the engine reports to the operation at this position (call, property access, loop) and to the enclosing function.
//! `walk.rs` finds the positions in the source text.

use oxc_allocator::Allocator;
use oxc_ast::ast::{Program, Statement};
use oxc_ast_visit::Visit;
use oxc_parser::{ParseOptions, Parser};
use oxc_span::{SourceType, Span};

use super::patterns::{self, Pattern, Taken};
use super::walk::Walker;

/// A line and a column in UTF-16 units, both from 1 on.
pub(super) type Place = (u32, u32);

/// The operation at a source position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Call,
    New,
    Read,
    Write,
    /// Assignment to a variable.
    Assign,
    Delete,
    /// Iteration by `for of`, or by a spread in an array literal.
    Iterate,
    /// Iteration by `for await`.
    IterateAsync,
    /// Iteration by a destructuring pattern in brackets.
    IterateInto,
    /// Iteration by a spread in the arguments of a call.
    Spread,
    /// Concatenation of the parts of a template literal: the engine calls a function for it.
    Join,
    Operator,
    Await,
}

/// An operation in the source text that may throw.
pub(super) struct Spot {
    /// The offset that the engine reports.
    pub(super) engine: u32,
    /// The offset that V8 reports.
    pub(super) v8: u32,
    pub(super) kind: Kind,
    /// The last name of the expression that is called, read or written: `c` of `a.b.c`.
    pub(super) name: Option<String>,
    /// The expression that is called, iterated over or destructured.
    pub(super) subject: Span,
    /// Whether the expression is a single identifier.
    pub(super) bare: bool,
    /// Whether the callee is a function expression: the call cannot fail with "is not a function".
    pub(super) sure: bool,
    /// The first argument of a call.
    pub(super) argument: Option<Span>,
}

/// A function in the source text.
pub(super) struct Inner {
    pub(super) span: Span,
    /// The function's name in the engine's frames.
    pub(super) own: String,
    /// The function's name in V8's stacks.
    pub(super) shown: Option<String>,
}

/// The positions, functions and patterns of a parsed source text.
pub(super) struct Map {
    pub(super) text: String,
    lines: Vec<u32>,
    spots: Vec<Spot>,
    functions: Vec<Inner>,
    patterns: Vec<Pattern>,
    /// The names of imported bindings.
    imports: Vec<String>,
}

impl Map {
    /// Parses a text; none if the parser cannot recover from a syntax error.
    pub(super) fn of(text: String, kind: SourceType) -> Option<Map> {
        let arena = Allocator::default();
        let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
        let parsed = Parser::new(&arena, &text, kind).with_options(options).parse();
        if parsed.panicked {
            return None;
        }
        let mut walker = Walker::new(&text);
        walker.visit_program(&parsed.program);
        let Walker { lines, mut spots, functions, .. } = walker;
        // The sort is stable: operations at one position stay in the order of execution.
        spots.sort_by_key(|spot| spot.engine);
        let patterns = patterns::of(&parsed.program);
        let imports = imports(&parsed.program);
        drop(parsed);
        drop(arena);
        Some(Map { text, lines, spots, functions, patterns, imports })
    }

    /// The operations for which the engine reports this position, in the order of execution.
    pub(super) fn at(&self, place: Place) -> impl Iterator<Item = &Spot> {
        let offset = self.offset(place).unwrap_or(u32::MAX);
        let start = self.spots.partition_point(|spot| spot.engine < offset);
        self.spots[start..].iter().take_while(move |spot| spot.engine == offset)
    }

    /// The `await` at a position, or the innermost `await` expression that contains the position.
    pub(super) fn awaiting(&self, place: Place) -> Option<&Spot> {
        let is_await = |spot: &&Spot| spot.kind == Kind::Await;
        let offset = self.offset(place)?;
        let around = |spot: &&Spot| spot.subject.start <= offset && offset < spot.subject.end;
        let innermost = || self.spots.iter().filter(is_await).filter(around).min_by_key(|spot| spot.subject.size());
        self.at(place).find(is_await).or_else(innermost)
    }

    /// The innermost function around a position; none at the top level.
    pub(super) fn function(&self, place: Place) -> Option<&Inner> {
        self.around(self.offset(place)?)
    }

    /// The position at which V8 reports the start of the function around a position; at the top level, the start of the text.
    pub(super) fn enclosing(&self, place: Place) -> Place {
        self.function(place).map_or((1, 1), |inner| self.place(inner.span.start))
    }

    /// The offset of a place.
    fn offset(&self, (line, column): Place) -> Option<u32> {
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

    /// The place of an offset.
    pub(super) fn place(&self, offset: u32) -> Place {
        let line = self.lines.partition_point(|start| *start <= offset).max(1);
        let before = self.text.get(self.lines[line - 1] as usize..offset as usize).unwrap_or_default();
        (line as u32, before.encode_utf16().count() as u32 + 1)
    }

    /// The pattern whose destructuring failed, from the position that the engine reports.
    pub(super) fn pattern(&self, place: Place) -> Option<&Pattern> {
        let offset = self.offset(place)?;
        let is_in = |one: &Pattern, function: Option<&Inner>| {
            self.around(one.start).map(|inner| inner.span) == function.map(|inner| inner.span)
        };
        let around = self.around(offset);
        // The engine reports the position of the destructured value, a position after the pattern, or the start of the function or loop. So try
        // the pattern of the value at the position, then the next pattern in the same function, then the last one before the position.
        let of_value = self.patterns.iter().find(|one| matches!(one.taken, Taken::Value(span) if span.start == offset));
        let next = || self.patterns.iter().find(|one| one.start >= offset && is_in(one, around));
        let last = || self.patterns.iter().rfind(|one| one.start < offset && is_in(one, around));
        of_value.or_else(next).or_else(last)
    }

    /// The pattern inside another one that destructures the property `key`.
    pub(super) fn part(&self, outer: &Pattern, key: &str) -> Option<&Pattern> {
        let is_of_key = |one: &&Pattern| {
            let before = self.text.get(outer.start as usize..one.start as usize).unwrap_or_default().trim_end();
            before.strip_suffix(':').is_some_and(|before| before.trim_end().ends_with(key))
        };
        let inner = self.patterns.iter().filter(|one| one.start > outer.start && one.taken == Taken::Part);
        inner.into_iter().find(is_of_key)
    }

    /// The innermost function around an offset.
    fn around(&self, offset: u32) -> Option<&Inner> {
        self.functions.iter().rfind(|one| one.span.start <= offset && offset < one.span.end)
    }

    /// Whether an imported binding has this name.
    pub(super) fn is_import(&self, name: &str) -> bool {
        self.imports.iter().any(|one| one == name)
    }

    /// Whether the text at a position begins a class.
    pub(super) fn is_class(&self, place: Place) -> bool {
        let rest = self.offset(place).and_then(|offset| self.text.get(offset as usize..)).unwrap_or_default();
        rest.strip_prefix("class").is_some_and(|rest| rest.starts_with([' ', '{', '\n']))
    }

    /// The text of an expression.
    pub(super) fn slice(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }
}

/// The names of the bindings that a module imports.
fn imports(program: &Program<'_>) -> Vec<String> {
    let declarations = program.body.iter().filter_map(|statement| match statement {
        Statement::ImportDeclaration(declaration) => declaration.specifiers.as_ref(),
        _ => None,
    });
    declarations.flatten().map(|specifier| specifier.local().name.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(text: &str) -> Map {
        Map::of(text.to_owned(), SourceType::unambiguous()).unwrap()
    }

    #[test]
    fn positions_of_the_engine_lead_to_calls() {
        for (text, engine, v8) in [
            ("a(b)", (1, 2), (1, 1)),
            ("a()", (1, 1), (1, 1)),
            ("return a(b)", (1, 8), (1, 8)),
            ("o.p.q(b, 1)", (1, 5), (1, 5)),
            ("o[p](1)", (1, 5), (1, 5)),
        ] {
            let map = map(text);
            let spot = map.at(engine).find(|spot| spot.kind == Kind::Call).unwrap();
            assert_eq!(map.place(spot.v8), v8, "{text}");
        }
    }

    #[test]
    fn positions_of_the_engine_lead_to_reads() {
        let map = map("let x = 1 + a.b.c");
        assert!(map.at((1, 13)).any(|spot| spot.kind == Kind::Read && spot.name.as_deref() == Some("c")));
    }

    #[test]
    fn functions_are_named_as_v8_does() {
        let map = map(
            "class A { b() { x } constructor() { x } get c() { x } }\nexports.d = function() { x }; const e = { f: () => x }",
        );
        let shown = |place| map.function(place).and_then(|inner| inner.shown.as_deref());
        assert_eq!(shown((1, 17)), Some("A.b"));
        assert_eq!(shown((1, 37)), Some("new A"));
        assert_eq!(shown((1, 51)), None);
        assert_eq!(shown((2, 26)), Some("exports.d"));
        assert_eq!(shown((2, 52)), Some("Object.f"));
    }
}
