//! Top-level `await` in a script. The engine supports it in modules only.

use oxc_allocator::Allocator;
use oxc_ast::ast::{Statement, VariableDeclaration, VariableDeclarationKind};
use oxc_parser::Parser;
use oxc_span::{GetSpan, SourceType};

use super::syntax;

/// A replacement of a range of the text.
struct Edit {
    start: usize,
    end: usize,
    text: String,
}

/// Wraps the text in an async function that is called at once. As `lib/internal/repl/await.js: processTopLevelAwait`: declarations become
/// assignments to variables of the script. If the last statement is an expression, the promise resolves to `{ value }`.
pub(super) fn wrap(text: &str) -> String {
    let arena = Allocator::default();
    let parsed = Parser::new(&arena, text, SourceType::mjs()).parse();
    let (mut hoisted, mut edits) = (String::new(), Vec::new());
    for statement in &parsed.program.body {
        match statement {
            Statement::VariableDeclaration(it) => assign(it, &mut hoisted, &mut edits),
            Statement::FunctionDeclaration(it) => {
                if let Some(id) = &it.id {
                    hoisted.push_str(&format!("var {}; ", id.name));
                    edits.push(insertion(it.span.start, format!("this.{0} = {0}; ", id.name)));
                }
            }
            Statement::ClassDeclaration(it) => {
                if let Some(id) = &it.id {
                    hoisted.push_str(&format!("let {}; ", id.name));
                    edits.push(insertion(it.span.start, format!("{}=", id.name)));
                    edits.push(insertion(it.span.end, ";".to_owned()));
                }
            }
            _ => {}
        }
    }
    // The same condition as in `syntax::ends_in_expression`.
    let last = parsed.program.body.iter().rfind(|statement| !matches!(statement, Statement::EmptyStatement(_)));
    if let Some(Statement::ExpressionStatement(it)) = last {
        let span = it.expression.span();
        edits.push(insertion(span.start, "return { __proto__: null, value: (".to_owned()));
        edits.push(insertion(span.end, ") }".to_owned()));
    }
    format!("{hoisted}(async () => {{ {}\n}})()", apply(text, &edits))
}

fn insertion(at: u32, text: String) -> Edit {
    Edit { start: at as usize, end: at as usize, text }
}

/// Replaces a declaration by assignments, and adds a declaration of its names to `hoisted`.
fn assign(declaration: &VariableDeclaration<'_>, hoisted: &mut String, edits: &mut Vec<Edit>) {
    let (Some(first), Some(last)) = (declaration.declarations.first(), declaration.declarations.last()) else { return };
    let mut names = Vec::new();
    declaration.declarations.iter().for_each(|one| syntax::collect(&one.id, &mut names));
    let keyword = if declaration.kind == VariableDeclarationKind::Var { "var" } else { "let" };
    hoisted.push_str(&format!("{keyword} {}; ", names.join(", ")));
    let (start, end) = (declaration.span.start as usize, first.span.start as usize);
    edits.push(Edit { start, end, text: "void (".to_owned() });
    for one in declaration.declarations.iter().filter(|one| one.init.is_none()) {
        edits.push(insertion(one.span.end, "=undefined".to_owned()));
    }
    edits.push(insertion(last.span.end, ")".to_owned()));
}

/// Applies edits, which are sorted by position, to the text.
fn apply(text: &str, edits: &[Edit]) -> String {
    let (mut changed, mut at) = (String::with_capacity(text.len()), 0);
    for edit in edits {
        changed.push_str(text.get(at..edit.start).unwrap_or_default());
        changed.push_str(&edit.text);
        at = edit.end;
    }
    changed.push_str(text.get(at..).unwrap_or_default());
    changed
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn declarations_become_assignments() {
        let texts = [
            ("await 1;;", "(async () => { return { __proto__: null, value: (await 1) };;\n})()"),
            ("await 1", "(async () => { return { __proto__: null, value: (await 1) }\n})()"),
            ("const { a } = await b, c = 1;", "let a, c; (async () => { void ({ a } = await b, c = 1);\n})()"),
            (
                "var x; await x;",
                "var x; (async () => { void (x=undefined); return { __proto__: null, value: (await x) };\n})()",
            ),
            (
                "class A {} await 1",
                "let A; (async () => { A=class A {}; return { __proto__: null, value: (await 1) }\n})()",
            ),
        ];
        for (text, wrapped) in texts {
            assert_eq!(wrap(text), wrapped);
        }
    }
}
