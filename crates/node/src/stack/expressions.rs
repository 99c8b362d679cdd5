//! Properties of an expression that do not depend on its context: its name, and whether it is a call or `new`.
//!
//! Properties that depend on the context are in `walk.rs`.

use oxc_ast::ast::{Expression, PropertyKey};

/// The text of a property key that is an identifier or a literal.
pub(super) fn key_name(key: &PropertyKey<'_>) -> Option<String> {
    match key {
        PropertyKey::StaticIdentifier(it) => Some(it.name.to_string()),
        PropertyKey::PrivateIdentifier(it) => Some(format!("#{}", it.name)),
        PropertyKey::StringLiteral(it) => Some(it.value.to_string()),
        PropertyKey::NumericLiteral(it) => it.raw.map(|raw| raw.to_string()),
        _ => None,
    }
}

/// The text of a computed key that is a literal.
pub(super) fn written(key: &Expression<'_>) -> Option<String> {
    match key {
        Expression::StringLiteral(it) => Some(it.value.to_string()),
        Expression::NumericLiteral(it) => it.raw.map(|raw| raw.to_string()),
        _ => None,
    }
}

/// The text of a chain such as `a.b.c`, from which V8 infers function names. `prototype` is left out.
pub(super) fn chain(expression: &Expression<'_>) -> Option<String> {
    match expression {
        Expression::Identifier(it) => Some(it.name.to_string()),
        Expression::ThisExpression(_) => Some("this".to_owned()),
        Expression::StaticMemberExpression(it) if it.property.name == "prototype" => chain(&it.object),
        Expression::StaticMemberExpression(it) => Some(format!("{}.{}", chain(&it.object)?, it.property.name)),
        _ => None,
    }
}

/// Whether an expression is an anonymous function or class, which is named after the variable or property that it is assigned to.
pub(super) fn makes_function(expression: &Expression<'_>) -> bool {
    match expression {
        Expression::FunctionExpression(it) => it.id.is_none(),
        Expression::ClassExpression(it) => it.id.is_none(),
        Expression::ArrowFunctionExpression(_) => true,
        _ => false,
    }
}

/// Whether a member chain contains a call or a `?.`. V8 has other rules for the names after these.
pub(super) fn follows_call(expression: &Expression<'_>) -> bool {
    match expression {
        Expression::CallExpression(_) => true,
        Expression::StaticMemberExpression(it) => it.optional || follows_call(&it.object),
        Expression::ComputedMemberExpression(it) => it.optional || follows_call(&it.object),
        Expression::PrivateFieldExpression(it) => it.optional || follows_call(&it.object),
        Expression::TaggedTemplateExpression(it) => follows_call(&it.tag),
        _ => false,
    }
}
