//! Classifies REPL input: is it complete, does it use top-level await, which names does it declare.

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    ArrowFunctionExpression, AwaitExpression, BindingPattern, Declaration, ForOfStatement, Function, Statement,
    VariableDeclarationKind,
};
use oxc_ast_visit::{Visit, walk};
use oxc_parser::{ParseOptions, Parser};
use oxc_span::SourceType;
use oxc_syntax::scope::ScopeFlags;

/// The class of an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum InputKind {
    /// A complete script.
    Script,
    /// A complete script with top-level await.
    Awaits,
    /// A prefix of a script: more lines may complete it.
    Incomplete,
    /// A syntax error that no further line can fix.
    SyntaxError,
}

impl InputKind {
    pub(super) fn name(self) -> &'static str {
        match self {
            InputKind::Script => "script",
            InputKind::Awaits => "awaits",
            InputKind::Incomplete => "incomplete",
            InputKind::SyntaxError => "wrong",
        }
    }
}

/// Classifies an input. A syntax error at the end means that the input is incomplete. As in Node, `await (x)` is an await expression,
/// although it could be a call.
pub(super) fn classify(text: &str) -> InputKind {
    if text.contains("await") && has_top_level_await(text) {
        return InputKind::Awaits;
    }
    let script = parse(text, SourceType::script());
    if script == InputKind::Script || !text.contains("await") {
        return script;
    }
    match parse(text, SourceType::mjs()) {
        InputKind::Script => InputKind::Awaits,
        InputKind::Incomplete => InputKind::Incomplete,
        _ => script,
    }
}

/// True if the source has top-level await and parses as a module.
fn has_top_level_await(text: &str) -> bool {
    let arena = Allocator::default();
    let parsed = Parser::new(&arena, text, SourceType::mjs()).parse();
    let mut finder = AwaitFinder::default();
    finder.visit_program(&parsed.program);
    !parsed.panicked && !parsed.diagnostics.has_errors() && finder.found
}

/// Searches for `await` outside of nested functions.
#[derive(Default)]
struct AwaitFinder {
    found: bool,
}

impl<'a> Visit<'a> for AwaitFinder {
    fn visit_await_expression(&mut self, _: &AwaitExpression<'a>) {
        self.found = true;
    }

    fn visit_for_of_statement(&mut self, it: &ForOfStatement<'a>) {
        self.found |= it.r#await;
        walk::walk_for_of_statement(self, it);
    }

    fn visit_function(&mut self, _: &Function<'a>, _: ScopeFlags) {}

    fn visit_arrow_function_expression(&mut self, _: &ArrowFunctionExpression<'a>) {}
}

fn parse(text: &str, kind: SourceType) -> InputKind {
    let arena = Allocator::default();
    let parsed = Parser::new(&arena, text, kind).with_options(ParseOptions::default()).parse();
    if !parsed.panicked && !parsed.diagnostics.has_errors() {
        return InputKind::Script;
    }
    let end = text.trim_end().len();
    // The digits of a number cannot follow on the next line.
    if ["0x", "0X", "0b", "0B", "0o", "0O"].iter().any(|head| text.ends_with(head)) {
        return InputKind::SyntaxError;
    }
    let at_end = parsed.diagnostics.iter().any(|error| {
        let message = error.message.to_string();
        let opens = |at: usize| text.get(at..).is_some_and(|rest| rest.starts_with('`') || rest.starts_with("/*"));
        let open = message.contains("Unterminated") && error.labels.iter().any(|label| opens(label.offset() as usize));
        // A string or regular expression literal cannot continue on the next line.
        let closed_by_line = message.contains("Unterminated string") || message.contains("Unterminated regular");
        let mut labels = error.labels.iter();
        open || !closed_by_line && labels.any(|label| label.offset() as usize >= end)
            || message.contains("Unterminated string") && text.trim_end_matches('\n').ends_with('\\')
    });
    if at_end { InputKind::Incomplete } else { InputKind::SyntaxError }
}

/// True if the last statement is an expression. As in Node, input with top-level await has no other completion value.
pub(super) fn ends_in_expression(text: &str) -> bool {
    let arena = Allocator::default();
    let parsed = Parser::new(&arena, text, SourceType::mjs()).parse();
    let mut statements = parsed.program.body.iter().rev();
    let last = statements.find(|statement| !matches!(statement, Statement::EmptyStatement(_)));
    matches!(last, Some(Statement::ExpressionStatement(_)))
}

/// The names that top-level `let`, `const` and `class` declare. They are not properties of the global object.
pub(super) fn lexical_names(text: &str) -> Vec<String> {
    let arena = Allocator::default();
    let parsed = Parser::new(&arena, text, SourceType::mjs()).parse();
    let mut names = Vec::new();
    for statement in &parsed.program.body {
        match statement.as_declaration() {
            Some(Declaration::VariableDeclaration(it)) if it.kind != VariableDeclarationKind::Var => {
                for one in &it.declarations {
                    collect(&one.id, &mut names);
                }
            }
            Some(Declaration::ClassDeclaration(it)) => names.extend(it.id.as_ref().map(|id| id.name.to_string())),
            _ => {}
        }
    }
    names
}

pub(super) fn collect(pattern: &BindingPattern<'_>, names: &mut Vec<String>) {
    match pattern {
        BindingPattern::BindingIdentifier(id) => names.push(id.name.to_string()),
        BindingPattern::ObjectPattern(it) => it.properties.iter().for_each(|one| collect(&one.value, names)),
        BindingPattern::ArrayPattern(it) => it.elements.iter().flatten().for_each(|one| collect(one, names)),
        BindingPattern::AssignmentPattern(it) => collect(&it.left, names),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_with_an_error_at_its_end_is_incomplete() {
        for text in
            ["function f() {", "[1,", "`a", "/* a", "(1 +", "if (a) {\n", "async () => {\nawait 1", "'a\\", "x = "]
        {
            assert_eq!(classify(text), InputKind::Incomplete, "{text}");
        }
    }

    #[test]
    fn input_that_no_line_can_complete_is_a_syntax_error() {
        for text in ["var )", "'a", "1 2", "}", "let a b", "0x"] {
            assert_eq!(classify(text), InputKind::SyntaxError, "{text}");
        }
    }

    #[test]
    fn complete_input_is_a_script_and_may_use_top_level_await() {
        for text in
            ["1+1", "let a = 1", "with (a) b", "async () => await 1", "async () => await (1)", "var await = 1", ""]
        {
            assert_eq!(classify(text), InputKind::Script, "{text}");
        }
        for text in
            ["await 1", "const a = await b", "for await (const a of b) c", "await (1)", "await [a]", "await /a/g"]
        {
            assert_eq!(classify(text), InputKind::Awaits, "{text}");
        }
    }

    #[test]
    fn lexical_names_are_found() {
        assert_eq!(lexical_names("let {a, b: [c = 1]} = {}; const d = 1; class E {}; var f"), ["a", "c", "d", "E"]);
    }
}
