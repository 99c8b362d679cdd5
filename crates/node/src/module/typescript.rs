//! Type stripping: replaces TypeScript's types with blanks, so that the remaining code keeps its lines and columns.
//!
//! Syntax that generates code (enums, namespaces with values, parameter properties) cannot be blanked and is refused with Node's message.

use oxc_allocator::Allocator;
use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_parser::Parser;
use oxc_span::{GetSpan, SourceType, Span};
use oxc_syntax::scope::ScopeFlags;

/// Why a source cannot be stripped.
#[derive(Debug)]
pub(super) struct Problem {
    /// Node's message for unsupported syntax, or the parser's message.
    pub(super) message: String,
    /// The position in the source.
    pub(super) span: Span,
    /// True if the source is valid TypeScript with unsupported syntax; false if it does not parse.
    pub(super) unsupported: bool,
}

impl Problem {
    /// The line number of the problem, and the source line with carets under the problem.
    pub(super) fn place(&self, text: &str) -> (usize, String) {
        let start = text.floor_char_boundary(self.span.start as usize);
        // A problem at the end of the source is reported on its last non-blank line.
        let at = if start == text.len() { text.trim_end().len() } else { start };
        let number = text[..at].matches('\n').count() + 1;
        let line_start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let line = text[line_start..].lines().next().unwrap_or_default();
        let before: String =
            text[line_start..at].chars().map(|letter| if letter == '\t' { '\t' } else { ' ' }).collect();
        let end = (self.span.end as usize).min(line_start + line.len());
        let carets = text.get(at..end).map_or(0, |marked| marked.chars().count());
        (number, format!("{line}\n{before}{}", "^".repeat(carets)))
    }
}

/// Replaces the types of a source with blanks.
pub(super) fn strip(text: &str) -> Result<String, Problem> {
    let arena = Allocator::default();
    let parsed = Parser::new(&arena, text, SourceType::ts()).parse();
    if let Some(error) = parsed.diagnostics.errors().next() {
        let span = error.labels.first().map_or(Span::default(), oxc_span::LabeledSpan::span);
        return Err(Problem { message: error.message.to_string(), span, unsupported: false });
    }
    let mut blanker = Blanker { text, blanks: Vec::new(), problem: None };
    blanker.visit_program(&parsed.program);
    match blanker.problem {
        Some(problem) => Err(problem),
        None => Ok(blanked(text, blanker.blanks)),
    }
}

fn blanked(text: &str, mut blanks: Vec<Span>) -> String {
    blanks.sort_unstable_by_key(|span| (span.start, span.end));
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for span in blanks {
        let (start, end) = ((span.start as usize).max(at), span.end as usize);
        let (Some(kept), Some(gone)) = (text.get(at..start), text.get(start..end)) else { continue };
        out.push_str(kept);
        let mut semicolon = joins_lines(&out, text.get(end..).unwrap_or_default());
        for letter in gone.chars() {
            match letter {
                letter if semicolon && !letter.is_whitespace() => {
                    semicolon = false;
                    out.push(';');
                    out.extend(std::iter::repeat_n(' ', letter.len_utf16() - 1));
                }
                '\n' | '\r' | '\u{2028}' | '\u{2029}' => out.push(letter),
                letter => out.push_str(blank_as_wide(letter)),
            }
        }
        at = end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

/// Blanks with the same length in UTF-8 and UTF-16 as the character, so that offsets are kept in both. The same characters as in Node's
/// stripper (`deps/amaro`).
fn blank_as_wide(letter: char) -> &'static str {
    match letter.len_utf8() {
        1 => " ",
        2 => "\u{a0}",
        3 => "\u{2002}",
        _ => " \u{feff}",
    }
}

/// True if a blanked line would continue on the next line and change the meaning: `a as T` before a line that begins with `(`.
fn joins_lines(before: &str, after: &str) -> bool {
    let rest = after.trim_start();
    let gap = &after[..after.len() - rest.len()];
    let before = before.trim_end().chars().next_back();
    gap.contains(['\n', '\r'])
        && rest.starts_with(['(', '[', '`', '+', '-', '/'])
        && !rest.starts_with("//")
        && !rest.starts_with("/*")
        && before.is_some_and(|last| {
            last.is_alphanumeric() || matches!(last, '_' | '$' | ')' | ']' | '}' | '\'' | '"' | '`')
        })
}

struct Blanker<'t> {
    text: &'t str,
    /// The ranges to be replaced.
    blanks: Vec<Span>,
    /// The first syntax that cannot be blanked.
    problem: Option<Problem>,
}

/// Modifiers of class members that only TypeScript has.
const MODIFIERS: [&str; 7] = ["public", "private", "protected", "readonly", "override", "abstract", "declare"];

impl Blanker<'_> {
    fn blank(&mut self, span: Span) {
        self.blanks.push(span);
    }

    fn refuse(&mut self, span: Span, message: &str) {
        if self.problem.is_none() {
            self.problem = Some(Problem { message: message.to_owned(), span, unsupported: true });
        }
    }

    fn between(&self, start: u32, end: u32) -> &str {
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }

    /// Blanks the modifiers in a range.
    fn modifiers(&mut self, start: u32, end: u32) {
        let mut found = Vec::new();
        let text = self.between(start, end);
        let mut from = 0;
        for word in text.split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '$') {
            let at = word.as_ptr() as usize - text.as_ptr() as usize;
            debug_assert!(at >= from);
            from = at;
            if MODIFIERS.contains(&word) {
                found.push(Span::new(start + at as u32, start + (at + word.len()) as u32));
            }
        }
        self.blanks.extend(found);
    }

    /// Blanks `mark` (`?` or `!`) if it is the next token.
    fn mark(&mut self, start: u32, mark: char) {
        let rest = self.text.get(start as usize..).unwrap_or_default();
        let skipped = rest.len() - rest.trim_start().len();
        if rest.trim_start().starts_with(mark) {
            let at = start + skipped as u32;
            self.blank(Span::new(at, at + 1));
        }
    }

    /// Blanks a list item and the comma after it.
    fn item(&mut self, span: Span) {
        let rest = self.text.get(span.end as usize..).unwrap_or_default();
        let skipped = rest.len() - rest.trim_start().len();
        let comma = u32::from(rest.trim_start().starts_with(','));
        self.blank(Span::new(span.start, if comma == 1 { span.end + skipped as u32 + 1 } else { span.end }));
    }

    fn after_decorators(decorators: &[Decorator<'_>], start: u32) -> u32 {
        decorators.last().map_or(start, |last| last.span.end.max(start))
    }

    fn has_values(statements: &[Statement<'_>]) -> bool {
        statements.iter().any(|statement| match statement {
            Statement::TSTypeAliasDeclaration(_)
            | Statement::TSInterfaceDeclaration(_)
            | Statement::EmptyStatement(_) => false,
            Statement::TSNamespaceDeclaration(it) => !it.declare && Self::namespace_has_values(it),
            Statement::ExportDeclaration(it) => match &it.declaration {
                Declaration::TSTypeAliasDeclaration(_) | Declaration::TSInterfaceDeclaration(_) => false,
                Declaration::TSNamespaceDeclaration(it) => !it.declare && Self::namespace_has_values(it),
                declaration => !declaration.declare(),
            },
            statement => !statement.as_declaration().is_some_and(Declaration::declare),
        })
    }

    fn namespace_has_values(it: &TSNamespaceDeclaration<'_>) -> bool {
        match &it.body {
            TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => Self::namespace_has_values(inner),
            TSNamespaceDeclarationBody::TSModuleBlock(block) => Self::has_values(&block.body),
        }
    }
}

impl<'a> Visit<'a> for Blanker<'_> {
    fn visit_statement(&mut self, it: &Statement<'a>) {
        let gone = match it {
            Statement::TSTypeAliasDeclaration(_)
            | Statement::TSInterfaceDeclaration(_)
            | Statement::TSExternalModuleDeclaration(_)
            | Statement::TSGlobalDeclaration(_)
            | Statement::TSNamespaceExportDeclaration(_) => true,
            Statement::ImportDeclaration(it) => it.import_kind.is_type(),
            Statement::ExportNamedDeclaration(it) => it.export_kind.is_type(),
            Statement::ExportFromDeclaration(it) => it.export_kind.is_type(),
            Statement::ExportAllDeclaration(it) => it.export_kind.is_type(),
            Statement::TSImportEqualsDeclaration(it) => it.import_kind.is_type(),
            Statement::ExportDeclaration(it) => is_gone(&it.declaration),
            Statement::ExportDefaultDeclaration(it) => match &it.declaration {
                ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => true,
                ExportDefaultDeclarationKind::FunctionDeclaration(it) => it.body.is_none(),
                _ => false,
            },
            statement => statement.as_declaration().is_some_and(is_gone),
        };
        if gone {
            self.blank(it.span());
        } else {
            walk::walk_statement(self, it);
        }
    }

    fn visit_ts_enum_declaration(&mut self, it: &TSEnumDeclaration<'a>) {
        self.refuse(it.span, "TypeScript enum is not supported in strip-only mode");
    }

    fn visit_ts_namespace_declaration(&mut self, it: &TSNamespaceDeclaration<'a>) {
        self.refuse(
            it.span,
            match it.kind {
                TSNamespaceDeclarationKind::Module => "`module` keyword is not supported. Use `namespace` instead.",
                TSNamespaceDeclarationKind::Namespace => {
                    "TypeScript namespace declaration is not supported in strip-only mode"
                }
            },
        );
    }

    fn visit_ts_import_equals_declaration(&mut self, it: &TSImportEqualsDeclaration<'a>) {
        self.refuse(it.span, "TypeScript import equals declaration is not supported in strip-only mode");
    }

    fn visit_ts_export_assignment(&mut self, it: &TSExportAssignment<'a>) {
        self.refuse(it.span, "TypeScript export assignment is not supported in strip-only mode");
    }

    fn visit_ts_type_assertion(&mut self, it: &TSTypeAssertion<'a>) {
        self.refuse(
            it.span,
            "The angle-bracket syntax for type assertions, `<T>expr`, is not supported in type strip mode. Instead, use \
             the 'as' syntax: `expr as T`.",
        );
    }

    fn visit_ts_type_annotation(&mut self, it: &TSTypeAnnotation<'a>) {
        self.blank(it.span);
    }

    fn visit_ts_type_parameter_declaration(&mut self, it: &TSTypeParameterDeclaration<'a>) {
        self.blank(it.span);
    }

    fn visit_ts_type_parameter_instantiation(&mut self, it: &TSTypeParameterInstantiation<'a>) {
        self.blank(it.span);
    }

    fn visit_ts_this_parameter(&mut self, it: &TSThisParameter<'a>) {
        self.item(it.span);
    }

    fn visit_ts_as_expression(&mut self, it: &TSAsExpression<'a>) {
        self.visit_expression(&it.expression);
        self.blank(Span::new(it.expression.span().end, it.span.end));
    }

    fn visit_ts_satisfies_expression(&mut self, it: &TSSatisfiesExpression<'a>) {
        self.visit_expression(&it.expression);
        self.blank(Span::new(it.expression.span().end, it.span.end));
    }

    fn visit_ts_non_null_expression(&mut self, it: &TSNonNullExpression<'a>) {
        self.visit_expression(&it.expression);
        self.blank(Span::new(it.expression.span().end, it.span.end));
    }

    fn visit_import_declaration_specifiers(&mut self, it: &oxc_allocator::Vec<'a, ImportDeclarationSpecifier<'a>>) {
        for specifier in it {
            if let ImportDeclarationSpecifier::ImportSpecifier(one) = specifier
                && one.import_kind.is_type()
            {
                self.item(one.span);
            }
        }
    }

    fn visit_export_specifier(&mut self, it: &ExportSpecifier<'a>) {
        if it.export_kind.is_type() {
            self.item(it.span);
        }
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if it.definite {
            self.mark(it.id.span().end, '!');
        }
        walk::walk_variable_declarator(self, it);
    }

    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        if it.body.is_none() {
            self.blank(it.span);
            return;
        }
        walk::walk_function(self, it, flags);
    }

    fn visit_formal_parameter(&mut self, it: &FormalParameter<'a>) {
        if it.accessibility.is_some() || it.readonly || it.r#override {
            let words_end = it.pattern.span().start;
            self.refuse(
                Span::new(words_end, it.span.end),
                "TypeScript parameter property is not supported in strip-only mode",
            );
            return;
        }
        if it.optional {
            self.mark(it.pattern.span().end, '?');
        }
        walk::walk_formal_parameter(self, it);
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        if it.r#abstract {
            let start = Self::after_decorators(&it.decorators, it.span.start);
            let end = it.id.as_ref().map_or(it.body.span.start, |id| id.span.start);
            self.modifiers(start, end);
        }
        if let Some(first) = it.implements.first() {
            let word = self.between(it.span.start, first.span.start).rfind("implements");
            let start = word.map_or(first.span.start, |at| it.span.start + at as u32);
            self.blank(Span::new(start, it.body.span.start));
        }
        if let Some(types) = &it.type_parameters {
            self.visit_ts_type_parameter_declaration(types);
        }
        for decorator in &it.decorators {
            self.visit_decorator(decorator);
        }
        if let Some(heritage) = &it.heritage {
            self.visit_class_heritage(heritage);
        }
        self.visit_class_body(&it.body);
    }

    fn visit_class_element(&mut self, it: &ClassElement<'a>) {
        let gone = match it {
            ClassElement::TSIndexSignature(_) => true,
            ClassElement::PropertyDefinition(it) => {
                it.declare || it.r#type == PropertyDefinitionType::TSAbstractPropertyDefinition
            }
            ClassElement::AccessorProperty(it) => it.r#type == AccessorPropertyType::TSAbstractAccessorProperty,
            ClassElement::MethodDefinition(it) => {
                it.r#type == MethodDefinitionType::TSAbstractMethodDefinition || it.value.body.is_none()
            }
            ClassElement::StaticBlock(_) => false,
        };
        if gone {
            self.blank(it.span());
        } else {
            walk::walk_class_element(self, it);
        }
    }

    fn visit_method_definition(&mut self, it: &MethodDefinition<'a>) {
        self.modifiers(Self::after_decorators(&it.decorators, it.span.start), it.key.span().start);
        if it.optional {
            self.mark(it.key.span().end + u32::from(it.computed), '?');
        }
        walk::walk_method_definition(self, it);
    }

    fn visit_property_definition(&mut self, it: &PropertyDefinition<'a>) {
        self.modifiers(Self::after_decorators(&it.decorators, it.span.start), it.key.span().start);
        let end = it.key.span().end + u32::from(it.computed);
        if it.optional {
            self.mark(end, '?');
        }
        if it.definite {
            self.mark(end, '!');
        }
        walk::walk_property_definition(self, it);
    }

    fn visit_accessor_property(&mut self, it: &AccessorProperty<'a>) {
        self.modifiers(Self::after_decorators(&it.decorators, it.span.start), it.key.span().start);
        if it.definite {
            self.mark(it.key.span().end + u32::from(it.computed), '!');
        }
        walk::walk_accessor_property(self, it);
    }
}

/// True if stripping removes the whole declaration.
fn is_gone(it: &Declaration<'_>) -> bool {
    match it {
        Declaration::TSTypeAliasDeclaration(_)
        | Declaration::TSInterfaceDeclaration(_)
        | Declaration::TSExternalModuleDeclaration(_)
        | Declaration::TSGlobalDeclaration(_) => true,
        Declaration::FunctionDeclaration(it) => it.body.is_none(),
        Declaration::TSNamespaceDeclaration(it) => {
            it.declare || (it.kind == TSNamespaceDeclarationKind::Namespace && !Blanker::namespace_has_values(it))
        }
        declaration => declaration.declare(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_become_blanks() {
        let cases = [
            ("let x: number = 1", "let x         = 1"),
            ("f<T>(a as any, b!)", "f   (a       , b )"),
            ("type A = 1;\nlet b", "           \nlet b"),
            ("import { type A, b } from 'x'", "import {         b } from 'x'"),
            ("function f(this: A, a?: B): C {}", "function f(         a    )    {}"),
            (
                "class A<T> implements B { private x?: T = 1; m(): void; m() {} }",
                "class A                  {         x    = 1;            m() {} }",
            ),
            ("export default abstract class implements B { x: 1 }", "export default class { x }"),
            ("class A extends f<T>(1) implements B, C {}", "class A extends f (1) {}"),
            ("abstract class A { abstract x: 1; y!: 2 }", "         class A {                y     }"),
            ("let é: '中😀' = 1", "let é   \u{2002} \u{feff}  = 1"),
            ("export type { A } from 'b'", "                          "),
            ("foo()\ntype A = 1\n(bar)", "foo()\n;         \n(bar)"),
            ("a as any\n(b)", "a ;     \n(b)"),
        ];
        for (text, wanted) in cases {
            let code = strip(text).unwrap();
            let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(words(&code), words(wanted), "{text}");
            assert_eq!(code.encode_utf16().count(), text.encode_utf16().count(), "{text}");
            assert_eq!(code.len(), text.len(), "{text}");
        }
    }

    #[test]
    fn syntax_that_generates_code_is_refused() {
        for text in [
            "enum A { B }",
            "namespace A { export const x = 1 }",
            "class A { constructor(private x) {} }",
            "import a = b.c",
        ] {
            assert!(strip(text).unwrap_err().unsupported, "{text}");
        }
    }

    #[test]
    fn problems_are_marked_with_carets() {
        for (text, number, wanted) in [
            ("enum A { B }\n", 1, "enum A { B }\n^^^^^^^^^^^^"),
            ("let a;\n\tlet é = <any>1;\n", 2, "\tlet é = <any>1;\n\t        ^^^^^^"),
            ("enum A {\n  B,\n}\n", 1, "enum A {\n^^^^^^^^"),
            ("let b: string = ;", 1, "let b: string = ;\n                ^"),
            ("x = {\n  a: 1,\n\n", 2, "  a: 1,\n       "),
        ] {
            let problem = strip(text).unwrap_err();
            assert_eq!(problem.place(text), (number, wanted.to_owned()), "{text}: {problem:?}");
        }
        for text in ["declare enum A { B }", "namespace A { export type X = 1 }"] {
            assert_eq!(strip(text).unwrap().trim(), "", "{text}");
        }
        assert!(!strip("let x = ;").unwrap_err().unsupported);
    }
}
