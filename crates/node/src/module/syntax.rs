//! Analysis of source text that decides how it runs: ES module syntax, imports and top-level await.

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    ArrowFunctionExpression, AwaitExpression, BindingIdentifier, BindingPattern, Class, Declaration, ForOfStatement,
    Function, Statement, VariableDeclaration, VariableDeclarationKind,
};
use oxc_ast_visit::{Visit, walk};
use oxc_parser::{ParseOptions, Parser};
use oxc_span::SourceType;
use oxc_syntax::scope::ScopeFlags;

/// The parameters of the function that wraps a CommonJS module.
const PARAMETERS: [&str; 5] = ["exports", "require", "module", "__filename", "__dirname"];

/// True if a source is valid as an ES module, but not as CommonJS.
pub(super) fn is_module(text: &str) -> bool {
    let arena = Allocator::default();
    let parsed = Parser::new(&arena, text, SourceType::mjs()).parse();
    if parsed.panicked || parsed.diagnostics.has_errors() {
        return false;
    }
    if parsed.module_record.has_module_syntax || parsed.program.body.iter().any(declares_a_parameter) {
        return true;
    }
    // A text with top-level `await` does not parse as a script.
    let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
    let script = Parser::new(&arena, text, SourceType::script()).with_options(options).parse();
    script.panicked || script.diagnostics.has_errors()
}

/// Where the comments with `//` start, in order; `None` if the source does not parse.
pub(super) fn line_comments(text: &str) -> Option<Vec<usize>> {
    let arena = Allocator::default();
    let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
    let parsed = Parser::new(&arena, text, SourceType::unambiguous()).with_options(options).parse();
    let lines = parsed.program.comments.iter().filter(|comment| comment.is_line());
    (!parsed.panicked).then(|| lines.map(|comment| comment.span.start as usize).collect())
}

fn declares_a_parameter(statement: &Statement<'_>) -> bool {
    let is_one = |id: &BindingIdentifier<'_>| PARAMETERS.contains(&id.name.as_str());
    let binds_one = |pattern: &BindingPattern<'_>| match pattern {
        BindingPattern::BindingIdentifier(id) => is_one(id),
        BindingPattern::ObjectPattern(it) => {
            let mut values = it.properties.iter().map(|property| &property.value);
            values.any(|value| matches!(value, BindingPattern::BindingIdentifier(id) if is_one(id)))
        }
        _ => false,
    };
    match statement.as_declaration() {
        Some(Declaration::VariableDeclaration(it)) if it.kind != VariableDeclarationKind::Var => {
            it.declarations.iter().any(|one| binds_one(&one.id))
        }
        Some(Declaration::ClassDeclaration(it)) => it.id.as_ref().is_some_and(is_one),
        _ => false,
    }
}

/// The imports of a module: each specifier with its attributes (alternating names and values), in source order and without duplicates.
/// Empty if the source does not parse.
pub(super) fn requests(text: &str) -> Vec<(String, Vec<String>)> {
    let arena = Allocator::default();
    let parsed = Parser::new(&arena, text, SourceType::mjs()).parse();
    if parsed.panicked || parsed.diagnostics.has_errors() {
        return Vec::new();
    }
    let mut all = Vec::new();
    for statement in &parsed.program.body {
        let (source, clause) = match statement {
            Statement::ImportDeclaration(it) => (&it.source, &it.with_clause),
            Statement::ExportAllDeclaration(it) => (&it.source, &it.with_clause),
            Statement::ExportFromDeclaration(it) => (&it.source, &it.with_clause),
            _ => continue,
        };
        let entries = clause.iter().flat_map(|clause| &clause.with_entries);
        let attributes =
            entries.flat_map(|entry| [entry.key.as_arena_str().to_string(), entry.value.value.to_string()]);
        let request = (source.value.to_string(), attributes.collect());
        if !all.contains(&request) {
            all.push(request);
        }
    }
    all
}

/// The index of the first top-level await in UTF-16 code units; -1 if there is none.
pub(super) fn top_level_await(text: &str) -> i32 {
    let arena = Allocator::default();
    let parsed = Parser::new(&arena, text, SourceType::mjs()).parse();
    let mut finder = AwaitFinder { found: None };
    finder.visit_program(&parsed.program);
    let Some(found) = finder.found else { return -1 };
    text.get(..found as usize).map_or(-1, |before| before.encode_utf16().count() as i32)
}

/// The index, in UTF-16 code units, at which the function at the start of a source ends, if other code follows; else -1. Also -1 if the
/// source does not parse.
pub(super) fn function_end(text: &str) -> i32 {
    let arena = Allocator::default();
    let parsed = Parser::new(&arena, text, SourceType::script()).parse();
    if parsed.panicked || parsed.diagnostics.has_errors() {
        return -1;
    }
    let Some(Statement::ExpressionStatement(first)) = parsed.program.body.first() else { return -1 };
    let whole = text.trim_end().len();
    if parsed.program.body.len() == 1 && first.expression.without_parentheses().is_function() {
        return -1;
    }
    let mut ends = FirstFunctionEnd { first: whole as u32 };
    ends.visit_program(&parsed.program);
    text.get(..ends.first as usize - 1).map_or(-1, |before| before.encode_utf16().count() as i32)
}

/// The end of the first function of a source.
struct FirstFunctionEnd {
    first: u32,
}

impl<'a> Visit<'a> for FirstFunctionEnd {
    fn visit_function(&mut self, it: &Function<'a>, _flags: ScopeFlags) {
        self.first = self.first.min(it.span.end);
    }
}

struct AwaitFinder {
    found: Option<u32>,
}

impl AwaitFinder {
    fn note(&mut self, at: u32) {
        self.found = Some(self.found.map_or(at, |known| known.min(at)));
    }
}

impl<'a> Visit<'a> for AwaitFinder {
    fn visit_await_expression(&mut self, it: &AwaitExpression<'a>) {
        self.note(it.span.start);
    }

    fn visit_for_of_statement(&mut self, it: &ForOfStatement<'a>) {
        if it.r#await {
            self.note(it.span.start);
        }
        walk::walk_for_of_statement(self, it);
    }

    fn visit_variable_declaration(&mut self, it: &VariableDeclaration<'a>) {
        if it.kind == VariableDeclarationKind::AwaitUsing {
            self.note(it.span.start);
        }
        walk::walk_variable_declaration(self, it);
    }

    // Nested functions are not top level. A class may await at top level in its heritage and in computed names.
    fn visit_function(&mut self, _it: &Function<'a>, _flags: ScopeFlags) {}
    fn visit_arrow_function_expression(&mut self, _it: &ArrowFunctionExpression<'a>) {}
    fn visit_class(&mut self, it: &Class<'a>) {
        if let Some(heritage) = &it.heritage {
            self.visit_expression(&heritage.expression);
        }
        for element in &it.body.body {
            if element.computed()
                && let Some(key) = element.property_key()
            {
                self.visit_property_key(key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_distinguished_from_scripts() {
        for text in ["import 'x'", "export const a = 1", "await 1", "import.meta.url", "const require = 1; export {}"] {
            assert!(is_module(text), "{text}");
        }
        assert!(is_module("const module = 1;"));
        for text in
            ["import('x')", "return 1", "let await_ = 1", "let x = ;", "'import x'", "await(1)", "var module = 1"]
        {
            assert!(!is_module(text), "{text}");
        }
    }

    #[test]
    fn imports_are_listed_once_and_in_source_order() {
        let text = "import a, { b } from 'one'; export * from './two'; export { c } from 'one'; import 'one';
            import j from 'three' with { type: 'json', 'q': 'r' }; export const d = import('four'); export { d as e };";
        let plain = |name: &str| (name.to_owned(), Vec::new());
        let with = ["type", "json", "q", "r"].map(str::to_owned).to_vec();
        assert_eq!(requests(text), [plain("one"), plain("./two"), ("three".to_owned(), with)]);
        assert_eq!(requests("import 'one'; let x = ;"), []);
    }

    #[test]
    fn top_level_await_is_found() {
        assert_eq!(top_level_await("export const a = await 1"), 17);
        assert_eq!(top_level_await("'é😀'; for await (const x of y);"), 7);
        assert_eq!(top_level_await("class A { [await 1]() { await 2 } }"), 11);
        assert_eq!(top_level_await("class A { async a() { await 1 } b = async () => await 2 }"), -1);
        assert_eq!(top_level_await("async function f() { await 1 } const g = async () => await 2"), -1);
    }
}
