//! V8's messages for syntax errors that depend on more than the next token: on the enclosing brackets, on the previous token, or on the
//! kind of function.

use super::brackets::Open;
use super::syntax::{END, KEYWORDS, name_at_end, name_at_start, unexpected};

/// The messages of the engine that these are for, but for those of tokens that it did not expect.
pub(super) const MESSAGES: &[&str] = &[
    "Octal literals are not allowed in strict mode",
    "break/continue label not found",
    "duplicate import binding",
    "duplicate label name",
    "function declarations can't appear in single-statement context",
    "function name expected",
    "invalid destructuring target",
    "invalid increment/decrement operand",
    "invalid method name",
    "invalid number literal",
    "invalid number of arguments for getter or setter",
    "lexical declarations can't appear in single-statement context",
    "private class field is already defined",
    "unexpected end of string",
];

/// What a token means that was not expected inside of brackets.
pub(super) fn in_brackets(message: &str, open: Open<'_>, rest: &str) -> Option<String> {
    let tail = open.behind.trim_end();
    let of_rest =
        || name_at_end(tail).len() + 3 <= tail.len() && tail[..tail.len() - name_at_end(tail).len()].ends_with("...");
    match (open.sign, rest.chars().next()) {
        ('(', Some(',')) if of_rest() => Some("Rest parameter must be last formal parameter".to_owned()),
        ('(', Some('=')) if of_rest() => Some("Rest parameter may not have a default initializer".to_owned()),
        ('(', _) if message.starts_with("Unexpected ") && is_call(open.before) => {
            Some("missing ) after argument list".to_owned())
        }
        ('{', Some('=')) if message.starts_with("Unexpected ") => {
            let member = last_member(tail);
            let is_name = !member.is_empty() && name_at_start(member) == member;
            Some(if is_name { "Invalid shorthand property initializer".to_owned() } else { unexpected(member, false) })
        }
        ('{', Some('}')) if message == "Unexpected token '}'" && is_object(open.before) => {
            let member = last_member(tail);
            let is_alone = !member.is_empty() && !member.contains([':', '(']);
            is_alone.then(|| unexpected(member, false))
        }
        ('{', Some(':')) if message == "expecting ';'" && is_class(open.before) => {
            Some(unexpected(name_at_end(tail), false))
        }
        _ => None,
    }
}

/// Whether a bracket behind a text begins the arguments of a call.
fn is_call(before: &str) -> bool {
    let before = before.trim_end();
    let name = name_at_end(before);
    if name.is_empty() {
        return before.ends_with([')', ']', '`']);
    }
    let head = before[..before.len() - name.len()].trim_end().trim_end_matches('*').trim_end();
    let is_function = name_at_end(head) == "function";
    name == "super" || !KEYWORDS.contains(&name) && name != "catch" && !is_function && !is_method(head)
}

/// Whether what comes behind a text is a method of a class or of an object.
fn is_method(head: &str) -> bool {
    let is_first = head.is_empty()
        || head.ends_with(['{', '}', ';', ','])
        || matches!(name_at_end(head), "async" | "get" | "set" | "static");
    is_first
        && super::brackets::innermost(head)
            .is_some_and(|open| open.sign == '{' && (is_class(open.before) || is_object(open.before)))
}

/// Whether a brace behind a text begins the body of a class.
fn is_class(before: &str) -> bool {
    let head = before.rsplit([';', '{', '}']).next().unwrap_or_default();
    head.split_whitespace().any(|word| word == "class" || word.ends_with("(class"))
}

/// Whether a brace behind a text begins an object.
fn is_object(before: &str) -> bool {
    let before = before.trim_end();
    before.ends_with(['=', '(', ',', ':', '[', '?']) || name_at_end(before) == "return"
}

/// Whether there is nothing at all where a pattern needs a target, or a word that can be none.
fn is_no_target(before: &str, rest: &str) -> bool {
    let is_bare = before.trim_end().ends_with([':', '[', '{', ',', '(']) && rest.starts_with([']', '}', ')', ',', ':']);
    is_bare || rest.starts_with('=') || KEYWORDS.contains(&name_at_start(rest))
}

/// What stands behind the last comma.
fn last_member(tail: &str) -> &str {
    tail.rsplit(',').next().unwrap_or_default().trim()
}

/// The words for the other messages.
pub(super) fn words(message: &str, before: &str, rest: &str, is_module: bool) -> Option<String> {
    Some(match message {
        "function name expected" if rest.trim().is_empty() => END.to_owned(),
        "function name expected" => "Function statements require a function name".to_owned(),
        "variable name expected" if rest.starts_with(['{', '[']) => match super::brackets::innermost(rest) {
            None => "Missing initializer in destructuring declaration".to_owned(),
            Some(_) => END.to_owned(),
        },
        "expecting field name" if rest.starts_with('`') => "Invalid tagged template on optional chain".to_owned(),
        "expected 'of' or 'in' in for control expression" if rest.starts_with(',') => {
            let head = rest.split(')').next().unwrap_or_default();
            let verb = ["of", "in"].into_iter().find(|verb| head.split_whitespace().any(|word| word == *verb))?;
            format!("Invalid left-hand side in for-{verb} loop: Must have a single binding.")
        }
        "unexpected end of string" if rest.starts_with(['`', '}']) => END.to_owned(),
        "unexpected end of string" => "Invalid or unexpected token".to_owned(),
        "invalid increment/decrement operand" => {
            let side = if rest.starts_with("++") || rest.starts_with("--") { "postfix" } else { "prefix" };
            format!("Invalid left-hand side expression in {side} operation")
        }
        "invalid destructuring target" if rest.starts_with('.') => "Illegal property in declaration context".to_owned(),
        "invalid destructuring target" if is_no_target(before, rest) => unexpected(rest, false),
        "invalid destructuring target" => "Invalid destructuring assignment target".to_owned(),
        "duplicate import binding" => format!("Identifier '{}' has already been declared", name_at_end(before)),
        "duplicate label name" => format!("Label '{}' has already been declared", name_at_start(rest)),
        "break/continue label not found" => format!("Undefined label '{}'", name_at_start(rest)),
        "private class field is already defined" => {
            format!("Identifier '#{}' has already been declared", name_at_end(before))
        }
        "invalid redefinition of parameter name" => {
            format!("Identifier '{}' has already been declared", name_at_end(before))
        }
        "invalid redefinition of lexical identifier" | "invalid redefinition of global identifier" => {
            // It may be found only behind the name, and behind the end.
            let name = match name_at_start(rest.trim_start()) {
                "" if before.trim_end().ends_with('}') => last_declared(before),
                "" | "of" | "in" => name_at_end(before),
                name => name,
            };
            (!name.is_empty()).then(|| format!("Identifier '{name}' has already been declared"))?
        }
        "lexical declarations can't appear in single-statement context" if rest.starts_with("let") => {
            "Lexical declaration cannot appear in a single-statement context".to_owned()
        }
        "lexical declarations can't appear in single-statement context" => unexpected(rest, false),
        "function declarations can't appear in single-statement context" => misplaced_function(before, rest, is_module),
        "invalid number literal" => {
            let end = rest.find(|sign: char| !sign.is_alphanumeric() && !"._".contains(sign)).unwrap_or(rest.len());
            match &rest[..end] {
                number if number.contains("__") => "Only one underscore is allowed as numeric separator",
                number if number.ends_with('_') => "Numeric separators are not allowed at the end of numeric literals",
                _ => "Invalid or unexpected token",
            }
            .to_owned()
        }
        "Octal literals are not allowed in strict mode"
            if rest.starts_with(['8', '9']) || rest.starts_with("08") || rest.starts_with("09") =>
        {
            "Decimals with leading zeros are not allowed in strict mode.".to_owned()
        }
        "Octal literals are not allowed in strict mode" => format!("{message}."),
        "invalid method name" => invalid_method(before),
        "invalid number of arguments for getter or setter" => {
            let head = super::brackets::innermost(before)?.before.trim_end();
            let kind = name_at_end(head[..head.len() - name_at_end(head).len()].trim_end());
            match kind {
                "get" => "Getter must not have any formal parameters.".to_owned(),
                _ => "Setter must have exactly one formal parameter.".to_owned(),
            }
        }
        _ => return None,
    })
}

/// The name of the last function or class that a text declares outside of brackets that it closes.
fn last_declared(before: &str) -> &str {
    let words = before.match_indices("function").chain(before.match_indices("class"));
    let bodies = words.map(|(at, word)| (at, before[at + word.len()..].trim_start_matches([' ', '*'])));
    let whole = bodies.filter(|(_, rest)| super::brackets::innermost(rest).is_none());
    whole.map(|(at, rest)| (at, name_at_start(rest))).filter(|(_, name)| !name.is_empty()).max().unwrap_or_default().1
}

/// A function was declared where only a statement can be.
fn misplaced_function(before: &str, rest: &str, is_module: bool) -> String {
    let is_strict = is_module || before.contains("\"use strict\"") || before.contains("'use strict'");
    if rest.starts_with("async") {
        return "Async functions can only be declared at the top level or inside a block.".to_owned();
    }
    if rest.strip_prefix("function").is_some_and(|rest| rest.trim_start().starts_with('*')) {
        return "Generators can only be declared at the top level or inside a block.".to_owned();
    }
    match is_strict {
        true => "In strict mode code, functions can only be declared at top level or inside a block.".to_owned(),
        false => "In non-strict mode code, functions can only be declared at top level, inside a block, or as the body of an \
                  if statement."
            .to_owned(),
    }
}

/// A method of a class has a name that it may not have.
fn invalid_method(before: &str) -> String {
    let before = before.trim_end();
    let name = name_at_end(before);
    let head = before[..before.len() - name.len()].trim_end();
    match (name, name_at_end(head)) {
        ("prototype", _) => "Classes may not have a static property named 'prototype'",
        _ if head.ends_with('#') => "Classes may not have a field named 'constructor'",
        _ if head.ends_with('*') => "Class constructor may not be a generator",
        (_, "async") => "Class constructor may not be an async method",
        _ => "Class constructor may not be an accessor",
    }
    .to_owned()
}
