//! Prints an expression as V8 does in messages: `o.p is not a function`, `f(...).x is not iterable`.

use oxc_allocator::Allocator;
use oxc_ast::ast::{ArrayExpressionElement, ChainElement, Expression};
use oxc_parser::Parser;
use oxc_span::{GetSpan, SourceType};

/// V8's text for an expression that has no name.
const NAMELESS: &str = "(intermediate value)";

/// V8's text for an expression.
pub(super) enum Named {
    /// The printed expression.
    Text(String),
    /// The expression is a call; the printed callee.
    CallOf(String),
}

/// Parses and prints an expression.
pub(super) fn named(text: &str) -> Named {
    let arena = Allocator::default();
    match Parser::new(&arena, text, SourceType::mjs().with_typescript(true)).parse_expression() {
        Ok(Expression::CallExpression(it)) => Named::CallOf(print(&it.callee, text)),
        Ok(it) => Named::Text(print(&it, text)),
        Err(_) => Named::Text(NAMELESS.to_owned()),
    }
}

/// Whether an expression reads a property.
pub(super) fn is_member(text: &str) -> bool {
    let arena = Allocator::default();
    let read = Parser::new(&arena, text, SourceType::mjs().with_typescript(true)).parse_expression();
    read.is_ok_and(|it| it.is_member_expression())
}

/// Prints the expression of a value. V8 prints an optional chain (`?.`) as `(intermediate value)`.
pub(super) fn value(text: &str) -> String {
    let arena = Allocator::default();
    match Parser::new(&arena, text, SourceType::mjs().with_typescript(true)).parse_expression() {
        Ok(Expression::ChainExpression(_)) => NAMELESS.to_owned(),
        _ => callee(text),
    }
}

/// Prints a callee.
pub(super) fn callee(text: &str) -> String {
    match named(text) {
        Named::Text(text) => text,
        Named::CallOf(text) => format!("{text}(...)"),
    }
}

fn static_member(object: &Expression<'_>, name: &str, optional: bool, source: &str) -> String {
    format!("{}{}.{name}", print(object, source), if optional { "?" } else { "" })
}

fn computed_member(object: &Expression<'_>, key: &Expression<'_>, optional: bool, source: &str) -> String {
    match key {
        Expression::StringLiteral(name) => static_member(object, name.value.as_str(), optional, source),
        key => format!("{}{}[{}]", print(object, source), if optional { "?." } else { "" }, print(key, source)),
    }
}

/// Prints an operand of an operator.
fn operand(it: &Expression<'_>, source: &str) -> String {
    if let Expression::ChainExpression(_) = it { NAMELESS.to_owned() } else { print(it, source) }
}

fn print(it: &Expression<'_>, source: &str) -> String {
    let raw = || source.get(it.span().start as usize..it.span().end as usize).unwrap_or_default().to_owned();
    match it {
        Expression::Identifier(it) => it.name.to_string(),
        Expression::ThisExpression(_) => "this".to_owned(),
        Expression::StringLiteral(it) => format!("\"{}\"", it.value),
        Expression::BooleanLiteral(_)
        | Expression::NullLiteral(_)
        | Expression::NumericLiteral(_)
        | Expression::BigIntLiteral(_)
        | Expression::RegExpLiteral(_) => raw(),
        Expression::TemplateLiteral(it) if it.expressions.is_empty() => {
            let text = it.quasis.first().and_then(|part| part.value.cooked).map(|text| text.to_string());
            format!("\"{}\"", text.unwrap_or_default())
        }
        Expression::TemplateLiteral(it) => it.expressions.iter().map(|part| print(part, source)).collect(),
        Expression::ParenthesizedExpression(it) => print(&it.expression, source),
        Expression::StaticMemberExpression(it) => {
            static_member(&it.object, it.property.name.as_str(), it.optional, source)
        }
        Expression::ComputedMemberExpression(it) => computed_member(&it.object, &it.expression, it.optional, source),
        Expression::PrivateFieldExpression(it) => format!("{}.#{}", print(&it.object, source), it.field.name),
        Expression::CallExpression(it) => format!("{}(...)", print(&it.callee, source)),
        Expression::ChainExpression(it) => match &it.expression {
            ChainElement::CallExpression(it) => format!("{}(...)", print(&it.callee, source)),
            ChainElement::StaticMemberExpression(it) => {
                static_member(&it.object, it.property.name.as_str(), it.optional, source)
            }
            ChainElement::ComputedMemberExpression(it) => {
                computed_member(&it.object, &it.expression, it.optional, source)
            }
            _ => NAMELESS.to_owned(),
        },
        Expression::LogicalExpression(it) => {
            format!("({} {} {})", operand(&it.left, source), it.operator.as_str(), operand(&it.right, source))
        }
        Expression::BinaryExpression(it) => {
            format!("({} {} {})", print(&it.left, source), it.operator.as_str(), print(&it.right, source))
        }
        Expression::UnaryExpression(it) => {
            let gap = if it.operator.is_keyword() { " " } else { "" };
            format!("({}{gap}{})", it.operator.as_str(), print(&it.argument, source))
        }
        Expression::UpdateExpression(_) => format!("({})", raw()),
        Expression::SequenceExpression(it) => {
            let parts: Vec<String> = it.expressions.iter().map(|part| print(part, source)).collect();
            format!("({})", parts.join(" , "))
        }
        Expression::ArrayExpression(it) => {
            let parts = it.elements.iter().map(|part| match part {
                ArrayExpressionElement::SpreadElement(it) => format!("(...{})", print(&it.argument, source)),
                ArrayExpressionElement::Elision(_) => String::new(),
                other => other.as_expression().map(|part| print(part, source)).unwrap_or_default(),
            });
            format!("[{}]", parts.collect::<Vec<_>>().join(","))
        }
        Expression::ObjectExpression(it) => format!("{{{}}}", NAMELESS.repeat(it.properties.len())),
        Expression::ConditionalExpression(_) => NAMELESS.repeat(3),
        Expression::TSAsExpression(it) => print(&it.expression, source),
        Expression::TSSatisfiesExpression(it) => print(&it.expression, source),
        Expression::TSNonNullExpression(it) => print(&it.expression, source),
        _ => NAMELESS.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_named_as_v8_does() {
        for (text, name) in [
            ("o.p['q']", "o.p.q"),
            ("o[a+1]", "o[(a + 1)]"),
            ("o['a'+b]", "o[(\"a\" + b)]"),
            ("f(1,2).x", "f(...).x"),
            ("o?.p", "o?.p"),
            ("o?.[a]", "o?.[a]"),
            ("(0, a)", "(0 , a)"),
            ("(a ?? b)", "(a ?? b)"),
            ("new K().x", "(intermediate value).x"),
            ("(()=>1)()", "(intermediate value)(...)"),
            ("({k:1}).x", "{(intermediate value)}.x"),
            ("[1,a].x", "[1,a].x"),
            ("`t`.x", "\"t\".x"),
            ("(typeof a)", "(typeof a)"),
            ("(!a)", "(!a)"),
            ("super.x", "(intermediate value).x"),
        ] {
            assert_eq!(callee(text), name, "{text}");
        }
    }
}
