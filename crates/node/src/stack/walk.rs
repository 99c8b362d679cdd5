//! Walks over source text and records positions in the order in which the engine's compiler does.
//!
//! The engine maps an instruction to the last position that its compiler noted before it (`BytecodeEmitter::updateSourceCoordNotes`).
//! Calls have a position of their own; other operations have that of the statement, argument or operand that they are in. Noting the same
//! positions in the same order maps a reported position back to the expression that ran.

use oxc_ast::ast::{
    Argument, ArrayExpression, ArrayExpressionElement, ArrowFunctionExpression, AssignmentExpression, AssignmentTarget,
    AwaitExpression, BinaryExpression, BindingPattern, CallExpression, Class, ClassElement, ComputedMemberExpression,
    Expression, ExpressionStatement, ForOfStatement, ForStatementLeft, FormalParameters, Function, MethodDefinition,
    MethodDefinitionKind, NewExpression, ObjectProperty, PrivateFieldExpression, PropertyDefinition, PropertyKind,
    ReturnStatement, SimpleAssignmentTarget, StaticMemberExpression, TaggedTemplateExpression, TemplateLiteral,
    ThrowStatement, UnaryExpression, UpdateExpression, VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};
use oxc_syntax::operator::UnaryOperator;
use oxc_syntax::scope::ScopeFlags;

use super::expressions::{chain, follows_call, key_name, makes_function, written};
use super::map::{Inner, Kind, Spot};

/// The names of the function that is visited next.
struct Naming {
    own: String,
    shown: Option<String>,
}

/// The state of the walk, and the positions recorded so far.
#[derive(Default)]
pub(super) struct Walker<'t> {
    text: &'t str,
    /// Where lines begin.
    pub(super) lines: Vec<u32>,
    /// The offset that the compiler noted last.
    last: u32,
    naming: Option<Naming>,
    /// The names of the enclosing classes.
    classes: Vec<String>,
    pub(super) spots: Vec<Spot>,
    pub(super) functions: Vec<Inner>,
}

impl<'t> Walker<'t> {
    /// Creates a walker at the start of a text.
    pub(super) fn new(text: &'t str) -> Walker<'t> {
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at as u32 + 1)).collect();
        Walker { text, lines, ..Walker::default() }
    }
}

impl Walker<'_> {
    /// Records an operation at the last position.
    fn spot(&mut self, kind: Kind, v8: u32, name: Option<String>, subject: Span, bare: bool) {
        let engine = self.last;
        self.spots.push(Spot { engine, v8, kind, name, subject, bare, sure: false, argument: None });
    }

    /// Adds the callee and the first argument to the call that was recorded last.
    fn call(&mut self, callee: &Expression<'_>, arguments: &[Argument<'_>]) {
        if let Some(spot) = self.spots.last_mut() {
            let callee = callee.without_parentheses();
            spot.sure = matches!(callee, Expression::FunctionExpression(_) | Expression::ArrowFunctionExpression(_));
            spot.argument = arguments.first().map(GetSpan::span);
        }
    }

    /// Notes an offset as the last position.
    fn note(&mut self, offset: u32) {
        self.last = offset;
    }

    /// Notes the position of an operand, an argument or an element, unless it is a literal.
    fn note_operand(&mut self, expression: &Expression<'_>) {
        if !expression.without_parentheses().is_literal() {
            self.note(expression.without_parentheses().span().start);
        }
    }

    /// Notes the start of the line that contains `offset`, unless the last noted position is on that line. Here the compiler notes only a
    /// new line, without a column (`BytecodeEmitter::updateLineNumberNotes`).
    fn note_line(&mut self, offset: u32) {
        let line_of = |offset: u32| self.lines.partition_point(|start| *start <= offset);
        let line = line_of(offset);
        if line != line_of(self.last) {
            self.last = self.lines.get(line - 1).copied().unwrap_or_default();
        }
    }

    /// The offset of the next occurrence of a character.
    fn find(&self, from: u32, character: char) -> u32 {
        self.text.get(from as usize..).and_then(|rest| rest.find(character)).map_or(from, |at| from + at as u32)
    }

    fn arguments(&mut self, arguments: &[Argument<'_>]) {
        for argument in arguments {
            match argument {
                Argument::SpreadElement(it) => {
                    self.note(it.span.start);
                    self.visit_expression(&it.argument);
                    let bare = matches!(it.argument, Expression::Identifier(_));
                    self.spot(Kind::Spread, it.argument.span().start, None, it.argument.span(), bare);
                }
                other => {
                    if let Some(expression) = other.as_expression() {
                        self.note_operand(expression);
                        self.visit_expression(expression);
                    }
                }
            }
        }
    }

    /// Visits a callee. Returns its name, V8's offset of the call, and whether the callee is a single identifier.
    fn callee(&mut self, callee: &Expression<'_>) -> (Option<String>, u32, bool) {
        match callee {
            Expression::StaticMemberExpression(it) => {
                self.visit_static_member_expression(it);
                (Some(it.property.name.to_string()), it.property.span.start, false)
            }
            Expression::PrivateFieldExpression(it) => {
                self.visit_expression(&it.object);
                (Some(format!("#{}", it.field.name)), self.find(it.span.end, '('), false)
            }
            Expression::Identifier(it) => (Some(it.name.to_string()), it.span.start, true),
            Expression::Super(it) => (None, it.span.start, false),
            other => {
                self.visit_expression(other);
                let name = match other {
                    Expression::ComputedMemberExpression(it) => written(&it.expression),
                    _ => None,
                };
                (name, self.find(other.span().end, '('), false)
            }
        }
    }

    /// Visits a function. Positions noted inside do not affect the code after it.
    fn inside(&mut self, span: Span, own: Option<String>, visit: impl FnOnce(&mut Self)) {
        let naming = self.naming.take();
        let (own, shown) = match (own, naming) {
            (None, Some(naming)) => (naming.own, naming.shown),
            (Some(own), _) => (own, None),
            (None, None) => (String::new(), None),
        };
        let last = self.last;
        self.note(span.start);
        self.functions.push(Inner { span, own, shown });
        visit(self);
        self.last = last;
    }

    /// Records the iteration of an array pattern. The compiler emits it before the code of the value.
    fn pattern(&mut self, pattern: &BindingPattern<'_>, subject: Span, bare: bool) {
        if let BindingPattern::ArrayPattern(_) = pattern {
            self.spot(Kind::IterateInto, subject.start, None, subject, bare);
        }
    }
}

impl<'a> Visit<'a> for Walker<'_> {
    fn visit_expression(&mut self, it: &Expression<'a>) {
        self.note_line(it.span().start);
        walk::walk_expression(self, it);
    }

    fn visit_expression_statement(&mut self, it: &ExpressionStatement<'a>) {
        self.note(it.span.start);
        walk::walk_expression_statement(self, it);
    }

    fn visit_throw_statement(&mut self, it: &ThrowStatement<'a>) {
        self.note(it.span.start);
        walk::walk_throw_statement(self, it);
    }

    fn visit_return_statement(&mut self, it: &ReturnStatement<'a>) {
        self.note(it.span.start);
        walk::walk_return_statement(self, it);
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        let (name, v8, bare) = self.callee(&it.callee);
        let parenthesis = self.find(it.callee.span().end, '(');
        let v8 = if it.optional { parenthesis } else { v8 };
        self.arguments(&it.arguments);
        // `BytecodeEmitter::getCoordNode`. If the call is a statement, the position of its name was already noted for the statement.
        let own = match it.callee.without_parentheses() {
            Expression::StaticMemberExpression(callee) if !callee.optional => callee.property.span.start,
            Expression::Identifier(callee) => callee.span.start,
            Expression::Super(_) => it.span.start,
            _ => parenthesis,
        };
        let places = if bare && own != parenthesis { [Some(own), Some(parenthesis)] } else { [Some(own), None] };
        for place in places.into_iter().flatten() {
            self.note(place);
            self.spot(Kind::Call, v8, name.clone(), it.callee.span(), bare);
            self.call(&it.callee, &it.arguments);
        }
        self.note(own);
    }

    fn visit_new_expression(&mut self, it: &NewExpression<'a>) {
        self.visit_expression(&it.callee);
        self.arguments(&it.arguments);
        let (name, bare) = match &it.callee {
            Expression::Identifier(callee) => (Some(callee.name.to_string()), true),
            Expression::StaticMemberExpression(callee) => (Some(callee.property.name.to_string()), false),
            _ => (None, false),
        };
        self.note(it.span.start);
        self.spot(Kind::New, it.span.start, name, it.callee.span(), bare);
        self.call(&it.callee, &it.arguments);
    }

    fn visit_tagged_template_expression(&mut self, it: &TaggedTemplateExpression<'a>) {
        let (name, _, bare) = self.callee(&it.tag);
        walk::walk_template_literal(self, &it.quasi);
        self.note(it.quasi.span.start);
        self.spot(Kind::Call, it.quasi.span.start, name, it.tag.span(), bare);
    }

    fn visit_template_literal(&mut self, it: &TemplateLiteral<'a>) {
        for expression in &it.expressions {
            self.note(expression.span().start);
            self.visit_expression(expression);
        }
        if !it.expressions.is_empty() {
            self.spot(Kind::Join, it.span.start, None, it.span, false);
        }
    }

    fn visit_static_member_expression(&mut self, it: &StaticMemberExpression<'a>) {
        self.visit_expression(&it.object);
        let v8 = match (it.optional, follows_call(&it.object)) {
            (true, _) => self.find(it.object.span().end, '?'),
            (false, true) => self.find(it.object.span().end, '.'),
            (false, false) => it.property.span.start,
        };
        self.spot(Kind::Read, v8, Some(it.property.name.to_string()), it.span, false);
    }

    fn visit_computed_member_expression(&mut self, it: &ComputedMemberExpression<'a>) {
        self.visit_expression(&it.object);
        self.visit_expression(&it.expression);
        let at = self.find(it.object.span().end, '[');
        self.spot(Kind::Read, at, written(&it.expression), it.span, false);
    }

    fn visit_private_field_expression(&mut self, it: &PrivateFieldExpression<'a>) {
        self.visit_expression(&it.object);
        self.spot(Kind::Read, it.field.span.start, Some(format!("#{}", it.field.name)), it.span, false);
    }

    fn visit_assignment_expression(&mut self, it: &AssignmentExpression<'a>) {
        let operator = self.find(it.left.span().end, it.operator.as_str().chars().next().unwrap_or('='));
        let mut target = None;
        match &it.left {
            AssignmentTarget::AssignmentTargetIdentifier(left) => {
                if makes_function(&it.right) {
                    self.naming = Some(Naming { own: left.name.to_string(), shown: None });
                }
                target = Some((Kind::Assign, Some(left.name.to_string())));
            }
            AssignmentTarget::StaticMemberExpression(left) => {
                self.visit_expression(&left.object);
                if it.operator.as_str() != "=" {
                    self.spot(Kind::Read, it.span.start, Some(left.property.name.to_string()), left.span, false);
                }
                if makes_function(&it.right) {
                    let shown = chain(&left.object).map(|object| format!("{object}.{}", left.property.name));
                    self.naming = Some(Naming { own: String::new(), shown });
                }
                target = Some((Kind::Write, Some(left.property.name.to_string())));
            }
            AssignmentTarget::ComputedMemberExpression(left) => {
                self.visit_expression(&left.object);
                self.visit_expression(&left.expression);
                if let (true, Expression::StringLiteral(key)) = (makes_function(&it.right), &left.expression) {
                    let shown = Some(format!("Object.{}", key.value));
                    self.naming = Some(Naming { own: String::new(), shown });
                }
                target = Some((Kind::Write, None));
            }
            AssignmentTarget::PrivateFieldExpression(left) => {
                self.visit_expression(&left.object);
                target = Some((Kind::Write, Some(format!("#{}", left.field.name))));
            }
            other => self.visit_assignment_target(other),
        }
        self.visit_expression(&it.right);
        self.naming = None;
        if let Some((kind, name)) = target {
            self.spot(kind, operator, name, it.left.span(), kind == Kind::Assign);
        }
    }

    fn visit_update_expression(&mut self, it: &UpdateExpression<'a>) {
        walk::walk_update_expression(self, it);
        let (kind, name) = match &it.argument {
            SimpleAssignmentTarget::AssignmentTargetIdentifier(variable) => {
                (Kind::Assign, Some(variable.name.to_string()))
            }
            SimpleAssignmentTarget::StaticMemberExpression(member) => {
                (Kind::Write, Some(member.property.name.to_string()))
            }
            _ => (Kind::Write, None),
        };
        self.spot(kind, it.span.start, name, it.argument.span(), false);
    }

    fn visit_unary_expression(&mut self, it: &UnaryExpression<'a>) {
        self.note(it.span.start);
        walk::walk_unary_expression(self, it);
        if it.operator == UnaryOperator::Delete {
            let name = match &it.argument {
                Expression::StaticMemberExpression(member) => Some(member.property.name.to_string()),
                _ => None,
            };
            self.spot(Kind::Delete, it.span.start, name, it.argument.span(), false);
        } else {
            self.spot(Kind::Operator, it.span.start, None, it.span, false);
        }
    }

    fn visit_binary_expression(&mut self, it: &BinaryExpression<'a>) {
        self.visit_expression(&it.left);
        self.note_operand(&it.right);
        self.visit_expression(&it.right);
        let behind = self.text.get(it.left.span().end as usize..).unwrap_or_default();
        let between = behind.find(it.operator.as_str()).unwrap_or_default();
        self.spot(Kind::Operator, it.left.span().end + between as u32, None, it.span, false);
    }

    fn visit_await_expression(&mut self, it: &AwaitExpression<'a>) {
        walk::walk_await_expression(self, it);
        self.spot(Kind::Await, it.span.start, None, it.span, false);
    }

    fn visit_array_expression(&mut self, it: &ArrayExpression<'a>) {
        for element in &it.elements {
            match element {
                ArrayExpressionElement::SpreadElement(it) => {
                    self.note(it.span.start);
                    self.visit_expression(&it.argument);
                    let bare = matches!(it.argument, Expression::Identifier(_));
                    self.spot(Kind::Iterate, it.argument.span().start, None, it.argument.span(), bare);
                }
                other => {
                    if let Some(expression) = other.as_expression() {
                        self.note_operand(expression);
                        self.visit_expression(expression);
                    }
                }
            }
        }
    }

    fn visit_for_of_statement(&mut self, it: &ForOfStatement<'a>) {
        self.note(it.right.span().start);
        self.visit_expression(&it.right);
        let bare = matches!(it.right, Expression::Identifier(_));
        let kind = if it.r#await { Kind::IterateAsync } else { Kind::Iterate };
        self.spot(kind, it.right.span().start, None, it.right.span(), bare);
        self.visit_for_statement_left(&it.left);
        self.visit_statement(&it.body);
        if it.r#await {
            let variable = match &it.left {
                ForStatementLeft::VariableDeclaration(all) => all.declarations.first().map(|one| one.id.span()),
                _ => None,
            };
            self.note(it.span.start);
            self.spot(Kind::Await, variable.unwrap_or(it.left.span()).start, None, it.span, false);
        }
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        let Some(init) = &it.init else { return };
        self.note(init.span().start);
        match &it.id {
            BindingPattern::BindingIdentifier(id) => {
                if makes_function(init) {
                    self.naming = Some(Naming { own: id.name.to_string(), shown: None });
                }
            }
            pattern => self.pattern(pattern, init.span(), matches!(init, Expression::Identifier(_))),
        }
        self.visit_expression(init);
        self.naming = None;
    }

    fn visit_formal_parameters(&mut self, it: &FormalParameters<'a>) {
        for parameter in &it.items {
            self.pattern(&parameter.pattern, Span::new(parameter.span.start, parameter.span.start), false);
            if let Some(value) = &parameter.initializer {
                self.visit_expression(value);
            }
        }
    }

    fn visit_function(&mut self, it: &Function<'a>, _flags: ScopeFlags) {
        let own = it.id.as_ref().map(|id| id.name.to_string());
        self.inside(it.span, own, |walker| {
            walker.visit_formal_parameters(&it.params);
            if let Some(body) = &it.body {
                walker.visit_function_body(body);
            }
        });
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        self.inside(it.span, None, |walker| {
            walker.visit_formal_parameters(&it.params);
            match it.get_expression() {
                Some(value) => {
                    walker.note(value.span().start);
                    walker.visit_expression(value);
                }
                None => walker.visit_arrow_function_body(&it.body),
            }
        });
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        self.note(it.span.start);
        let naming = self.naming.take();
        let name = it.id.as_ref().map(|id| id.name.to_string()).or(naming.map(|naming| naming.own)).unwrap_or_default();
        if let Some(heritage) = &it.heritage {
            self.visit_expression(&heritage.expression);
        }
        self.classes.push(name);
        for element in &it.body.body {
            match element {
                ClassElement::MethodDefinition(it) => self.visit_method_definition(it),
                ClassElement::PropertyDefinition(it) => self.visit_property_definition(it),
                ClassElement::StaticBlock(it) => {
                    self.inside(it.span, Some("<static_initializer>".to_owned()), |walker| {
                        walk::walk_static_block(walker, it);
                    });
                }
                _ => {}
            }
        }
        self.classes.pop();
    }

    fn visit_method_definition(&mut self, it: &MethodDefinition<'a>) {
        if it.computed {
            self.visit_property_key(&it.key);
        }
        let class = self.classes.last().cloned().unwrap_or_default();
        let key = key_name(&it.key).unwrap_or_default();
        self.naming = Some(match it.kind {
            MethodDefinitionKind::Constructor => Naming { shown: Some(format!("new {class}")), own: class },
            MethodDefinitionKind::Get => Naming { own: format!("get {key}"), shown: None },
            MethodDefinitionKind::Set => Naming { own: format!("set {key}"), shown: None },
            MethodDefinitionKind::Method if key.starts_with('#') || class.is_empty() => {
                Naming { own: key, shown: None }
            }
            MethodDefinitionKind::Method => Naming { shown: Some(format!("{class}.{key}")), own: key },
        });
        self.visit_function(&it.value, ScopeFlags::Function);
    }

    fn visit_property_definition(&mut self, it: &PropertyDefinition<'a>) {
        let Some(value) = &it.value else { return };
        let initializer = if it.r#static { "<static_initializer>" } else { "<instance_members_initializer>" };
        self.inside(value.span(), Some(initializer.to_owned()), |walker| {
            if let (true, Some(key)) = (makes_function(value), key_name(&it.key)) {
                let class = walker.classes.last().filter(|class| !class.is_empty() && !key.starts_with('#'));
                walker.naming = Some(Naming { shown: class.map(|class| format!("{class}.{key}")), own: key });
            }
            walker.visit_expression(value);
            walker.naming = None;
        });
    }

    fn visit_object_property(&mut self, it: &ObjectProperty<'a>) {
        self.note(it.span.start);
        if it.shorthand {
            return;
        }
        if it.computed {
            self.visit_property_key(&it.key);
        }
        if let (true, Some(key)) = (makes_function(&it.value), key_name(&it.key)) {
            self.naming = Some(match it.kind {
                PropertyKind::Init => Naming { shown: Some(format!("Object.{key}")), own: key },
                PropertyKind::Get => Naming { own: format!("get {key}"), shown: None },
                PropertyKind::Set => Naming { own: format!("set {key}"), shown: None },
            });
        }
        self.visit_expression(&it.value);
        self.naming = None;
    }
}
