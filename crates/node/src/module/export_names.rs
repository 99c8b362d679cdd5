//! Detects the export names of a CommonJS source, for `import` of CommonJS modules.
//!
//! As Node's `cjs-module-lexer` (`deps/cjs-module-lexer/lexer.js`): looks for the patterns that people and transpilers write, anywhere in
//! the text, and does not track variables.

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    Argument, AssignmentExpression, AssignmentOperator, AssignmentTarget, CallExpression, Expression, FunctionBody,
    ObjectExpression, ObjectPropertyKind, PropertyKey, Statement, StringLiteral, VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_parser::{ParseOptions, Parser};
use oxc_span::{GetSpan, SourceType};

/// The detected exports.
#[derive(Default, Debug, PartialEq)]
pub(super) struct Names {
    /// Export names, in source order.
    pub(super) exports: Vec<String>,
    /// Specifiers whose exports are re-exported.
    pub(super) reexports: Vec<String>,
}

/// Analyzes a source. After a syntax error, returns what was found before it.
pub(super) fn of(text: &str) -> Names {
    let arena = Allocator::default();
    let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
    let parsed = Parser::new(&arena, text, SourceType::script()).with_options(options).parse();
    let mut reader = ExportFinder { text, names: Names::default(), star: Vec::new(), required: Vec::new() };
    reader.visit_program(&parsed.program);
    let ExportFinder { mut names, star, .. } = reader;
    names.reexports.extend(star);
    names
}

struct ExportFinder<'t, 'a> {
    text: &'t str,
    names: Names,
    /// Specifiers re-exported by an `__exportStar` helper. All of them count, but of several assignments to `module.exports` only the last one.
    star: Vec<String>,
    /// Variables initialized with `require('specifier')`.
    required: Vec<(&'a str, &'a str)>,
}

impl<'a> ExportFinder<'_, 'a> {
    fn add(&mut self, name: &str) {
        if !self.names.exports.iter().any(|known| known == name) {
            self.names.exports.push(name.to_owned());
        }
    }

    /// Adds a name given as a string literal. Names with lone surrogates cannot be exported.
    fn add_text(&mut self, text: &StringLiteral<'a>) {
        if !text.lone_surrogates {
            self.add(text.value.as_str());
        } else if let Some(whole) = join_surrogates(text.value.as_str()) {
            self.add(&whole);
        }
    }

    /// `module.exports = { … }`: reads members up to the first whose value is not an identifier.
    fn literal(&mut self, object: &ObjectExpression<'a>) {
        for property in &object.properties {
            match property {
                ObjectPropertyKind::SpreadProperty(spread) => {
                    if let Some(request) = required_specifier(&spread.argument) {
                        self.names.reexports.push(request.to_owned());
                    }
                }
                ObjectPropertyKind::ObjectProperty(property) => {
                    if property.computed {
                        return;
                    }
                    if property.kind != oxc_ast::ast::PropertyKind::Init {
                        // As the lexer, which takes `get` of an accessor for the name.
                        let word = if property.kind == oxc_ast::ast::PropertyKind::Get { "get" } else { "set" };
                        self.add(word);
                        return;
                    }
                    let Some(name) = key_text(&property.key) else { return };
                    let begin = self.text.as_bytes().get(property.value.span().start as usize);
                    let is_name = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$') || *byte >= 128;
                    if !property.method && !begin.is_some_and(is_name) {
                        return;
                    }
                    self.add(name);
                    if property.method || !matches!(property.value, Expression::Identifier(_)) {
                        return;
                    }
                }
            }
        }
    }

    /// `Object.defineProperty(exports, 'name', { … })`.
    fn defined(&mut self, call: &CallExpression<'a>) -> Option<()> {
        let [Argument::Identifier(_) | Argument::StaticMemberExpression(_), Argument::StringLiteral(name), what] =
            &call.arguments[..]
        else {
            return None;
        };
        if !is_exports(call.arguments[0].as_expression()?) {
            return None;
        }
        let Argument::ObjectExpression(what) = what else { return None };
        let mut properties = what.properties.iter().filter_map(|property| match property {
            ObjectPropertyKind::ObjectProperty(property) => Some(property),
            ObjectPropertyKind::SpreadProperty(_) => None,
        });
        let mut property = properties.next()?;
        if key_text(&property.key)? == "enumerable" {
            if !matches!(&property.value, Expression::BooleanLiteral(it) if it.value) {
                return None;
            }
            property = properties.next()?;
        }
        match (key_text(&property.key)?, &property.value) {
            ("value", _) => self.add_text(name),
            ("get", Expression::FunctionExpression(getter)) if returns_a_member(getter.body.as_deref()?) => {
                self.add_text(name);
            }
            _ => {}
        }
        None
    }

    /// `Object.keys(_x).forEach(function (key) { … exports[key] = _x[key] … })`.
    fn keys(&mut self, call: &CallExpression<'a>) -> Option<()> {
        let Expression::StaticMemberExpression(callee) = &call.callee else { return None };
        if callee.property.name != "forEach" {
            return None;
        }
        let Expression::CallExpression(keys) = &callee.object else { return None };
        if !is_member_of(&keys.callee, "Object", "keys") {
            return None;
        }
        let Argument::Identifier(from) = keys.arguments.first()? else { return None };
        let Argument::FunctionExpression(body) = call.arguments.first()? else { return None };
        let text = self.text.get(body.span.start as usize..body.span.end as usize)?;
        if !text.contains("exports") || !text.contains("default") {
            return None;
        }
        let (_, request) = self.required.iter().rev().find(|(name, _)| *name == from.name.as_str())?;
        self.star.push((*request).to_owned());
        Some(())
    }
}

impl<'a> Visit<'a> for ExportFinder<'_, 'a> {
    fn visit_assignment_expression(&mut self, it: &AssignmentExpression<'a>) {
        if it.operator == AssignmentOperator::Assign {
            match &it.left {
                AssignmentTarget::StaticMemberExpression(left) if is_exports(&left.object) => {
                    self.add(left.property.name.as_str());
                }
                AssignmentTarget::StaticMemberExpression(left)
                    if is_module_exports(&left.object, &left.property.name) =>
                {
                    self.names.reexports.clear();
                    match &it.right {
                        Expression::ObjectExpression(object) => self.literal(object),
                        right => self.names.reexports.extend(required_specifier(right).map(str::to_owned)),
                    }
                }
                AssignmentTarget::ComputedMemberExpression(left) if is_exports(&left.object) => {
                    if let Expression::StringLiteral(name) = &left.expression {
                        self.add_text(name);
                    }
                }
                _ => {}
            }
        }
        walk::walk_assignment_expression(self, it);
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        if is_member_of(&it.callee, "Object", "defineProperty") {
            self.defined(it);
        }
        self.keys(it);
        let name = match &it.callee {
            Expression::Identifier(id) => Some(id.name.as_str()),
            Expression::StaticMemberExpression(member) => Some(member.property.name.as_str()),
            _ => None,
        };
        if matches!(name, Some("__export" | "__exportStar"))
            && let Some(request) = it.arguments.first().and_then(Argument::as_expression).and_then(required_specifier)
        {
            self.star.push(request.to_owned());
        }
        walk::walk_call_expression(self, it);
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if let (Some(id), Some(init)) = (it.id.get_binding_identifier(), &it.init) {
            let request = required_specifier(init).or_else(|| match init {
                // `_interopRequireWildcard(require('x'))`
                Expression::CallExpression(call) => {
                    call.arguments.first().and_then(Argument::as_expression).and_then(required_specifier)
                }
                _ => None,
            });
            if let Some(request) = request {
                self.required.push((id.name.as_str(), request));
            }
        }
        walk::walk_variable_declarator(self, it);
    }
}

fn is_module_exports(object: &Expression<'_>, property: &str) -> bool {
    property == "exports" && matches!(object, Expression::Identifier(id) if id.name == "module")
}

/// True for `exports` and `module.exports`.
fn is_exports(it: &Expression<'_>) -> bool {
    match it {
        Expression::Identifier(id) => id.name == "exports",
        Expression::StaticMemberExpression(member) => is_module_exports(&member.object, &member.property.name),
        _ => false,
    }
}

fn is_member_of(it: &Expression<'_>, object: &str, property: &str) -> bool {
    matches!(it, Expression::StaticMemberExpression(member) if member.property.name == property
        && matches!(&member.object, Expression::Identifier(id) if id.name == object))
}

/// The specifier of `require('specifier')`.
fn required_specifier<'a>(it: &Expression<'a>) -> Option<&'a str> {
    let Expression::CallExpression(call) = it else { return None };
    match (&call.callee, &call.arguments[..]) {
        (Expression::Identifier(id), [Argument::StringLiteral(request)]) if id.name == "require" => {
            Some(request.value.as_str())
        }
        _ => None,
    }
}

/// Rejoins surrogate pairs of a string in which the parser has encoded each surrogate as U+FFFD and four hex digits; `None` if one is lone.
fn join_surrogates(text: &str) -> Option<String> {
    let mut parts = text.split('\u{FFFD}');
    let mut units: Vec<u16> = parts.next()?.encode_utf16().collect();
    for part in parts {
        units.push(u16::from_str_radix(part.get(..4)?, 16).ok()?);
        units.extend(part[4..].encode_utf16());
    }
    String::from_utf16(&units).ok()
}

fn key_text<'k>(key: &'k PropertyKey<'_>) -> Option<&'k str> {
    match key {
        PropertyKey::StaticIdentifier(id) => Some(id.name.as_str()),
        PropertyKey::StringLiteral(text) => Some(text.value.as_str()),
        _ => None,
    }
}

/// True if the body is only `return a`, `return a.b` or `return a['b']`.
fn returns_a_member(body: &FunctionBody<'_>) -> bool {
    let [Statement::ReturnStatement(it)] = &body.statements[..] else { return false };
    match &it.argument {
        Some(Expression::Identifier(_)) => true,
        Some(Expression::StaticMemberExpression(member)) => matches!(member.object, Expression::Identifier(_)),
        Some(Expression::ComputedMemberExpression(member)) => {
            matches!(member.object, Expression::Identifier(_))
                && matches!(member.expression, Expression::StringLiteral(_))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, exports: &str, reexports: &str) {
        let names = of(text);
        assert_eq!((names.exports.join(" "), names.reexports.join(" ")), (exports.into(), reexports.into()), "{text}");
    }

    #[test]
    fn finds_the_exports_that_node_finds() {
        check("module.exports = { a, b: c, d: 1, e: 'x', g }", "a b", "");
        check("module.exports = { a: 1, b: 2 }", "", "");
        check("module.exports = { a: x, b: y, c() {}, d: z }", "a b c", "");
        check("module.exports = { 'a': x, 'b-c': y, ...d, ...require('e'), [f]: g, h }", "a b-c", "e");
        check("module.exports = { a: require('x'), c }", "a", "");
        check("module.exports = { get a() { return 1 }, c }", "get", "");
        check("exports.a = exports.b = 1; module.exports['c'] = 2; exports.d ??= 1; e.exports.f = 1", "a b c", "");
        check("if (1) { module.exports = require('a') } else { module.exports = require('b') }", "", "b");
        check(
            "exports.x = 1; module.exports = { y }; __export(require('a')); t.__exportStar(require('b'))",
            "x y",
            "a b",
        );
        check("0 && (module.exports = { a, b }); return", "a b", "");
        check(
            r"exports['\u{D83C}'] = 1; exports['a\uD83C\u{DF10}b'] = 1; exports['\uFFFD'] = 1",
            "a\u{1F310}b \u{FFFD}",
            "",
        );
    }

    #[test]
    fn finds_defined_properties() {
        check("Object.defineProperty(exports, 'a', { value: 1 })", "a", "");
        check("Object.defineProperty(exports, 'a', { enumerable: false, value: 1 })", "", "");
        check("Object.defineProperty(module.exports, 'a', { enumerable: true, get() { return q.z } })", "a", "");
        check(
            "Object.defineProperty(exports, 'a', { enumerable: true, get: function () { return q['z']; } })",
            "a",
            "",
        );
        check("Object.defineProperty(exports, 'a', { enumerable: true, get: () => q.z })", "", "");
        check("Object.defineProperty(exports, 'a', { get: function () { return 1; } })", "", "");
    }

    #[test]
    fn finds_the_export_star_of_babel() {
        let text = "var _d = require('d'); Object.keys(_d).forEach(function (key) {
            if (key === 'default' || key === '__esModule') return; exports[key] = _d[key]; });";
        check(text, "", "d");
    }
}
