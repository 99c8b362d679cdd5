//! Finds destructuring patterns in source text and the expressions that they destructure, for V8's "is not iterable" and "Cannot
//! destructure" messages.
//!
//! The engine reports only a position near the pattern; `Map::pattern` selects the pattern.

use oxc_ast::ast::{
    AssignmentExpression, AssignmentTargetProperty, BindingPattern, CatchParameter, ForOfStatement, ForStatementLeft,
    FormalParameter, ObjectAssignmentTarget, ObjectPattern, Program, VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};

use super::expressions::key_name;

/// The value that a pattern destructures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Taken {
    /// The value of an expression.
    Value(Span),
    /// An argument of a function.
    Argument,
    /// An argument of a function, or its default value.
    ArgumentOrDefault,
    /// An element of the iterable of `for of`.
    Element,
    /// The exception of a `catch` clause.
    Thrown,
    /// A part of the value that an enclosing pattern destructures.
    Part,
}

/// An object pattern, in braces.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) start: u32,
    /// The offset of the first property.
    pub(super) at: u32,
    /// The name of the first property.
    pub(super) first: Option<String>,
    pub(super) taken: Taken,
}

/// All object patterns of a text, in source order.
pub(super) fn of(program: &Program<'_>) -> Vec<Pattern> {
    let mut found = Finder::default();
    found.visit_program(program);
    found.patterns.sort_by_key(|pattern| pattern.start);
    found.patterns
}

#[derive(Default)]
struct Finder {
    patterns: Vec<Pattern>,
    /// The value that the next pattern destructures; `None` for a part of the value of an enclosing pattern.
    taken: Option<Taken>,
}

impl Finder {
    fn note(&mut self, span: Span, property: Option<Span>, first: Option<String>) {
        let taken = self.taken.take().unwrap_or(Taken::Part);
        self.patterns.push(Pattern { start: span.start, at: property.unwrap_or(span).start, first, taken });
    }

    /// Visits a pattern that destructures `taken`. Patterns inside an array pattern destructure parts only.
    fn enter(&mut self, pattern: &BindingPattern<'_>, taken: Taken) {
        self.taken = matches!(pattern, BindingPattern::ObjectPattern(_)).then_some(taken);
        self.visit_binding_pattern(pattern);
        self.taken = None;
    }
}

impl<'a> Visit<'a> for Finder {
    fn visit_object_pattern(&mut self, it: &ObjectPattern<'a>) {
        let property = it.properties.first();
        self.note(it.span, property.map(GetSpan::span), property.and_then(|property| key_name(&property.key)));
        walk::walk_object_pattern(self, it);
    }

    fn visit_object_assignment_target(&mut self, it: &ObjectAssignmentTarget<'a>) {
        let property = it.properties.first();
        let first = property.and_then(|property| match property {
            AssignmentTargetProperty::AssignmentTargetPropertyIdentifier(it) => Some(it.binding.name.to_string()),
            AssignmentTargetProperty::AssignmentTargetPropertyProperty(it) => key_name(&it.name),
        });
        self.note(it.span, property.map(GetSpan::span), first);
        walk::walk_object_assignment_target(self, it);
    }

    fn visit_assignment_pattern(&mut self, it: &oxc_ast::ast::AssignmentPattern<'a>) {
        // The pattern has a default value, which is destructured if the part is undefined.
        self.enter(&it.left, Taken::Value(it.right.span()));
        self.visit_expression(&it.right);
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if let Some(init) = &it.init {
            self.enter(&it.id, Taken::Value(init.span()));
            self.visit_expression(init);
        }
    }

    fn visit_formal_parameter(&mut self, it: &FormalParameter<'a>) {
        let taken = if it.initializer.is_some() { Taken::ArgumentOrDefault } else { Taken::Argument };
        self.enter(&it.pattern, taken);
        if let Some(default_value) = &it.initializer {
            self.visit_expression(default_value);
        }
    }

    fn visit_for_of_statement(&mut self, it: &ForOfStatement<'a>) {
        if let ForStatementLeft::VariableDeclaration(all) = &it.left
            && let Some(one) = all.declarations.first()
        {
            self.enter(&one.id, Taken::Element);
        } else {
            self.visit_for_statement_left(&it.left);
        }
        self.visit_expression(&it.right);
        self.visit_statement(&it.body);
    }

    fn visit_catch_parameter(&mut self, it: &CatchParameter<'a>) {
        self.enter(&it.pattern, Taken::Thrown);
    }

    fn visit_assignment_expression(&mut self, it: &AssignmentExpression<'a>) {
        let is_object = matches!(it.left, oxc_ast::ast::AssignmentTarget::ObjectAssignmentTarget(_));
        self.taken = is_object.then_some(Taken::Value(it.right.span()));
        self.visit_assignment_target(&it.left);
        self.taken = None;
        self.visit_expression(&it.right);
    }
}
