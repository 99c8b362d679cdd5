//! Import attributes that the engine does not support. It supports only the attribute `type`, and in `import()` only the value `json`.
//!
//! Node passes all attributes to hooks, and reports the unsupported ones with their values. So the source text is changed before it is
//! compiled: [`blank_static`] replaces the `with` clauses of `import` and `export` by blanks, and [`encode_dynamic`] encodes the attributes of
//! an `import()` in its specifier, which the loader decodes.

use oxc_allocator::Allocator;
use oxc_ast::ast::{Expression, ImportExpression, ObjectPropertyKind, Statement};
use oxc_ast_visit::{Visit, walk};
use oxc_parser::{ParseOptions, Parser};
use oxc_span::{GetSpan, SourceType, Span};

/// Returns the text of a module in which each `with { ... }` clause that has another attribute than `type` is replaced by blanks.
pub(super) fn blank_static(text: &str) -> String {
    let arena = Allocator::default();
    let parsed = Parser::new(&arena, text, SourceType::mjs()).parse();
    let mut out = text.to_owned();
    for statement in &parsed.program.body {
        let clause = match statement {
            Statement::ImportDeclaration(it) => &it.with_clause,
            Statement::ExportAllDeclaration(it) => &it.with_clause,
            Statement::ExportFromDeclaration(it) => &it.with_clause,
            _ => continue,
        };
        let Some(clause) = clause.as_ref() else { continue };
        if clause.with_entries.iter().any(|entry| entry.key.as_arena_str() != "type") {
            // The span of the clause begins at its brace.
            let brace = clause.span.start as usize;
            let range = text[..brace].rfind("with").unwrap_or(brace)..clause.span.end as usize;
            let blanks: String = text[range.clone()]
                .chars()
                .flat_map(|letter| match letter {
                    '\n' | '\r' | '\u{2028}' | '\u{2029}' => vec![letter],
                    // The text keeps its length in bytes, so that the spans of later clauses stay right.
                    _ => vec![' '; letter.len_utf8()],
                })
                .collect();
            out.replace_range(range, &blanks);
        }
    }
    out
}

/// JavaScript inserted after the two arguments of an `import()`: a `toString` method that makes them one specifier object.
/// The resulting string has the name and the value of each attribute, each after a NUL, then two NULs and the specifier.
/// If the options or an attribute have a wrong type, the string is `\0!` and `options`, `with` or `value`.
const TO_STRING: &str = concat!(
    ",toString(){let s=`${this.s}`,o=this.o,w,k,t='';",
    "if(o===void 0)return s;",
    "if(typeof o!='object'&&typeof o!='function'||o===null)return'\\0!options';",
    "w=o.with;",
    "if(w===void 0)return s;",
    "if(typeof w!='object'&&typeof w!='function'||w===null)return'\\0!with';",
    "for(k in w)if(({}).hasOwnProperty.call(w,k)){o=w[k];if(typeof o!='string')return'\\0!value';t+=`\\0${k}\\0${o}`}",
    "return t===''?s:`${t}\\0\\0${s}`}}"
);

/// Rewrites each `import()` that has a second argument other than `{ with: { type: 'json' } }`. Returns `None` if the text has none.
pub(super) fn encode_dynamic(text: &str, is_module: bool) -> Option<String> {
    if !may_have_options(text) {
        return None;
    }
    let arena = Allocator::default();
    let kind = if is_module { SourceType::mjs() } else { SourceType::script() };
    let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
    let parsed = Parser::new(&arena, text, kind).with_options(options).parse();
    if parsed.panicked || parsed.diagnostics.has_errors() {
        return None;
    }
    let mut finder = CallFinder::default();
    finder.visit_program(&parsed.program);
    if finder.calls.is_empty() {
        return None;
    }
    // The calls may be nested, so the insertions are sorted. The sort is stable: at one offset the insertion of the outer call comes first.
    let mut insertions = Vec::new();
    for (specifier, options) in finder.calls {
        insertions.push((specifier.start as usize, "{__proto__:null,s:"));
        insertions.push((options.start as usize, "o:"));
        insertions.push((options.end as usize, TO_STRING));
    }
    insertions.sort_by_key(|(at, _)| *at);
    let mut out = String::with_capacity(text.len() + 512);
    let mut done = 0;
    for (at, inserted) in insertions {
        out.push_str(&text[done..at]);
        out.push_str(inserted);
        done = at;
    }
    out.push_str(&text[done..]);
    Some(out)
}

/// The number of bytes after `import` in which a comma is searched.
const LONGEST_ARGUMENT: usize = 4096;

/// False if no `import(` in the text has a comma between its parentheses. Then the text need not be parsed, which is the common case.
fn may_have_options(text: &str) -> bool {
    let bytes = text.as_bytes();
    text.match_indices("import").any(|(at, word)| {
        let rest = &bytes[at + word.len()..];
        let rest = &rest[..rest.len().min(LONGEST_ARGUMENT)];
        let Some(open) = rest.iter().position(|byte| !byte.is_ascii_whitespace()) else { return false };
        if rest[open] != b'(' {
            return false;
        }
        let mut depth = 0_usize;
        let mut quote = None;
        for &byte in &rest[open..] {
            match (quote, byte) {
                (Some(mark), _) if byte == mark => quote = None,
                (Some(_), _) => {}
                (None, b'\'' | b'"') => quote = Some(byte),
                (None, b'(' | b'[' | b'{') => depth += 1,
                (None, b')' | b']' | b'}') if depth <= 1 => return false,
                (None, b')' | b']' | b'}') => depth -= 1,
                (None, b',') if depth == 1 => return true,
                _ => {}
            }
        }
        true
    })
}

/// Collects the two arguments of each `import()` to rewrite.
#[derive(Default)]
struct CallFinder {
    calls: Vec<(Span, Span)>,
}

impl<'a> Visit<'a> for CallFinder {
    fn visit_import_expression(&mut self, it: &ImportExpression<'a>) {
        if let Some(options) = &it.options
            && it.phase.is_none()
            && !is_json(options)
        {
            self.calls.push((it.source.span(), options.span()));
        }
        walk::walk_import_expression(self, it);
    }
}

/// Whether an expression is `{ with: { type: 'json' } }`.
fn is_json(options: &Expression<'_>) -> bool {
    only_property(options, "with")
        .and_then(|with| only_property(with, "type"))
        .is_some_and(|value| matches!(value, Expression::StringLiteral(text) if text.value == "json"))
}

/// The value of an object's only property, if it has this name.
fn only_property<'e, 'a>(expression: &'e Expression<'a>, name: &str) -> Option<&'e Expression<'a>> {
    let Expression::ObjectExpression(object) = expression else { return None };
    match object.properties.as_slice() {
        [ObjectPropertyKind::ObjectProperty(one)] if one.key.is_specific_static_name(name) => Some(&one.value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_with_other_attributes_are_blank() {
        let text = "import a from 'é' with { type: 'json',\n é: 'x' };export * from 'b' with { type: 'json' }";
        assert_eq!(
            blank_static(text),
            "import a from 'é'                     \n          ;export * from 'b' with { type: 'json' }"
        );
    }

    #[test]
    fn calls_with_options_are_changed() {
        for text in ["import('a')", "import('a', { with: { type: 'json' } })", "import(f('a', 'b'))", "x.import = 1, 2"]
        {
            assert_eq!(encode_dynamic(text, false), None, "{text}");
        }
        let changed = encode_dynamic("import(await import('a', b), c,)", true).expect("there are options");
        let inner = format!("import({{__proto__:null,s:'a', o:b{TO_STRING})");
        assert_eq!(changed, format!("import({{__proto__:null,s:await {inner}, o:c{TO_STRING},)"));
    }
}
