//! V8's messages for syntax errors that QuickJS reports for the same reason.

use super::brackets;
use super::messages::found;
use super::syntax_messages;

/// What is wrong with a text of JavaScript, where both engines say the same thing.
const SYNTAX: &[(&str, &str)] = &[
    (
        "\"use strict\" not allowed in function with default or destructuring parameter",
        "Illegal 'use strict' directive in function with non-simple parameter list",
    ),
    (
        "'arguments' identifier is not allowed in class field initializer",
        "'arguments' is not allowed in class field initializer or static initialization block",
    ),
    ("'for of' expression cannot start with 'async'", "The left-hand side of a for-of loop may not be 'async'."),
    ("'let' is not a valid lexical identifier", "let is disallowed as a lexically bound name"),
    ("'super' is only valid in a method", "'super' keyword unexpected here"),
    ("Octal escape sequences are not allowed in strict mode", "Octal escape sequences are not allowed in strict mode."),
    (
        "Octal escape sequences are not allowed in template strings",
        "Octal escape sequences are not allowed in template strings.",
    ),
    (
        "a declaration in the head of a for-in loop can't have an initializer",
        "for-in loop variable declaration may not have an initializer.",
    ),
    (
        "a declaration in the head of a for-of loop can't have an initializer",
        "for-of loop variable declaration may not have an initializer.",
    ),
    ("assignment rest property must be last", "Rest element must be last element"),
    ("await in default expression", "Illegal await-expression in formal parameters of async function"),
    ("break must be inside loop or switch", "Illegal break statement"),
    ("cannot delete a direct reference in strict mode", "Delete of an unqualified identifier in strict mode."),
    ("cannot delete a private class field", "Private fields can not be deleted"),
    ("class declarations can't appear in single-statement context", "Unexpected token 'class'"),
    ("continue must be inside loop", "Illegal continue statement: no surrounding iteration statement"),
    ("duplicate __proto__ property name", "Duplicate __proto__ fields are not allowed in object literals"),
    ("duplicate default", "More than one default clause in switch statement"),
    ("expected '}' after template expression", "Missing } in template expression"),
    ("expecting catch or finally", "Missing catch or finally after try"),
    ("import.meta only valid in module code", "Cannot use 'import.meta' outside a module"),
    ("invalid argument name in strict code", "Unexpected eval or arguments in strict mode"),
    ("invalid assignment left-hand side", "Invalid left-hand side in assignment"),
    ("invalid field name", "Classes may not have a field named 'constructor'"),
    ("invalid first character of private name", "Invalid or unexpected token"),
    ("invalid for in/of left hand-side", "Invalid left-hand side in for-loop"),
    ("invalid function name in strict code", "Unexpected eval or arguments in strict mode"),
    ("invalid keyword: with", "Strict mode code may not include a with statement"),
    ("invalid lvalue in strict mode", "Unexpected eval or arguments in strict mode"),
    ("invalid use of 'import()'", "Cannot use new with import"),
    ("invalid variable name in strict mode", "Unexpected eval or arguments in strict mode"),
    ("line terminator not allowed after throw", "Illegal newline after throw"),
    ("missing initializer for variable", "Missing initializer in const declaration"),
    ("new.target only allowed within functions", "new.target expression is not allowed here"),
    ("property constructor appears more than once", "A class may only have one constructor"),
    ("rest element must be the last one", "Rest element must be last element"),
    ("return in a static initializer block", "Illegal return statement"),
    ("return not in a function", "Illegal return statement"),
    ("super() is only valid in a derived class constructor", "'super' keyword unexpected here"),
    ("unexpected 'await' keyword", "Unexpected reserved word"),
    ("unexpected 'yield' keyword", "Unexpected strict mode reserved word"),
    ("unexpected character", "Invalid or unexpected token"),
    ("unexpected end of comment", "Invalid or unexpected token"),
    ("unexpected end of regexp", "Invalid regular expression: missing /"),
    ("unexpected line terminator in regexp", "Invalid regular expression: missing /"),
    (
        "unparenthesized unary expression can't appear on the left-hand side of '**'",
        "Unary operator used immediately before exponentiation expression. Parenthesis must be used to disambiguate \
         operator precedence",
    ),
    ("unsupported keyword: enum", "Unexpected reserved word"),
    ("unsupported keyword: export", "Unexpected token 'export'"),
    ("yield in default expression", "Yield expression not allowed in formal parameter"),
];

/// What the engine says of tokens that cannot be where they are.
const MISPLACED: &[&str] = &[
    "'for await' loop should be used with 'of'",
    "class statement requires a name",
    "expected 'of' or 'in' in for control expression",
    "expecting field name",
    "expecting target",
    "from clause expected",
    "identifier expected",
    "invalid property name",
    "invalid switch statement",
    "meta expected",
    "missing formal parameter",
    "variable name expected",
];

/// How other messages begin.
const BEGINNINGS: &[&str] = &[
    "Unexpected ",
    "expecting '",
    "invalid redefinition of ",
    "undefined private field '",
    "unexpected token in expression: '",
];

/// Words that are no names.
pub(super) const KEYWORDS: &[&str] = &[
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "import",
    "in",
    "instanceof",
    "new",
    "null",
    "return",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "var",
    "void",
    "while",
    "with",
];

/// Words that are names only outside of strict mode.
const RESERVED_IF_STRICT: &[&str] =
    &["implements", "interface", "let", "package", "private", "protected", "public", "static", "yield"];

/// Tokens of more than one sign, longer ones first.
const LONG_TOKENS: &[&str] = &[
    ">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==", "!=", "<=", ">=", "&&",
    "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>", "**",
];

pub(super) const END: &str = "Unexpected end of input";

const STRICT_WORD: &str = "Unexpected strict mode reserved word";

/// Whether a message may be one of the engine's about a text.
pub(super) fn knows(message: &str) -> bool {
    found(SYNTAX, message).is_some()
        || MISPLACED.contains(&message)
        || syntax_messages::MESSAGES.contains(&message)
        || BEGINNINGS.iter().any(|part| message.starts_with(part))
        || declared(message).is_some()
}

/// Other words for a message. The text is in two parts, as the engine stopped before the second.
pub(super) fn words(message: &str, before: &str, rest: &str, is_module: bool) -> Option<String> {
    let line = before.rsplit('\n').next().unwrap_or_default();
    if let Some(token) = token(message) {
        return Some(match rest.trim() {
            "" => END.to_owned(),
            _ if token == ")" && before.trim_end().ends_with("import(") => "import() requires a specifier".to_owned(),
            _ if RESERVED_IF_STRICT.contains(&token) => STRICT_WORD.to_owned(),
            _ if is_token(token) => format!("Unexpected token '{token}'"),
            _ => "Invalid or unexpected token".to_owned(),
        });
    }
    let is_misplaced = MISPLACED.contains(&message);
    let is_unexpected = message.starts_with("expecting '") || message.starts_with("Unexpected ");
    if !is_module && is_unexpected && imports(line, rest) {
        return Some("Cannot use import statement outside a module".to_owned());
    }
    if let Some(name) = declared(message) {
        return Some(format!("Identifier '{name}' has already been declared"));
    }
    if let Some(name) = message.strip_prefix("undefined private field '") {
        return Some(format!("Private field '{name} must be declared in an enclosing class"));
    }
    if let Some(open) = brackets::innermost(before).filter(|_| is_unexpected)
        && let Some(other) = syntax_messages::in_brackets(message, open, rest)
    {
        return Some(other);
    }
    if is_unexpected && rest.trim().is_empty() {
        return Some(END.to_owned());
    }
    if message.starts_with("expecting '") && name_at_end(line) == "await" {
        return Some("await is only valid in async functions and the top level bodies of modules".to_owned());
    }
    if let Some(other) = syntax_messages::words(message, before, rest, is_module) {
        return Some(other);
    }
    if is_misplaced || message.starts_with("expecting '") || message == "Unexpected identifier 'await'" {
        let is_name = is_module || message == "variable name expected";
        return Some(unexpected(rest, is_name));
    }
    found(SYNTAX, message).map(str::to_owned)
}

/// The same for a text that is not kept: what would have to be read in it stays as the engine says it.
pub(super) fn words_unread(message: &str) -> Option<String> {
    let token = token(message);
    let is_whole = token.is_some() || declared(message).is_some() || found(SYNTAX, message).is_some();
    if is_whole { words(message, "", token.unwrap_or_default(), false) } else { None }
}

/// The token in `unexpected token in expression: 'token'`.
fn token(message: &str) -> Option<&str> {
    message.strip_prefix("unexpected token in expression: '")?.strip_suffix('\'')
}

/// The name in `'name' already declared`.
fn declared(message: &str) -> Option<&str> {
    message.strip_prefix('\'')?.strip_suffix("' already declared")
}

/// Whether a line is a statement that imports.
fn imports(line: &str, rest: &str) -> bool {
    let line = format!("{line}{}", rest.lines().next().unwrap_or_default());
    let after = line.trim_start().strip_prefix("import");
    after.is_some_and(|after| name_at_start(after).is_empty() && !after.trim_start().starts_with(['(', '.']))
}

/// What V8 says of what stands at the beginning of a text, and cannot be there: in strict mode some words are no names.
pub(super) fn unexpected(rest: &str, is_strict: bool) -> String {
    let rest = rest.trim_start();
    let name = name_at_start(rest);
    let is_fraction = rest.strip_prefix('.').is_some_and(|rest| rest.starts_with(|next: char| next.is_ascii_digit()));
    match rest.chars().next() {
        None => END.to_owned(),
        Some('0'..='9') => "Unexpected number".to_owned(),
        _ if is_fraction => "Unexpected number".to_owned(),
        _ if matches!(name, "await" | "enum") => "Unexpected reserved word".to_owned(),
        _ if is_strict && RESERVED_IF_STRICT.contains(&name) => STRICT_WORD.to_owned(),
        Some('"' | '\'') => "Unexpected string".to_owned(),
        Some('`') => "Unexpected template string".to_owned(),
        _ if KEYWORDS.contains(&name) => format!("Unexpected token '{name}'"),
        _ if !name.is_empty() => format!("Unexpected identifier '{name}'"),
        Some(sign) if is_token(rest) => {
            let long = LONG_TOKENS.iter().find(|token| rest.starts_with(**token));
            format!("Unexpected token '{}'", long.map_or_else(|| sign.to_string(), |token| (*token).to_owned()))
        }
        _ => "Invalid or unexpected token".to_owned(),
    }
}

/// Whether a text begins with what may begin one of V8's tokens.
fn is_token(text: &str) -> bool {
    text.starts_with(|first: char| first.is_alphanumeric() || "$_\"'`{}()[];,<>+*/%&|^!~?:=.-".contains(first))
}

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '$' | '_' | '\u{200c}' | '\u{200d}')
}

/// The name that a text begins with, or nothing.
pub(super) fn name_at_start(text: &str) -> &str {
    let end = text.find(|letter: char| !is_of_name(letter)).unwrap_or(text.len());
    if text.starts_with(|first: char| first.is_ascii_digit()) { "" } else { &text[..end] }
}

/// The name that a text ends with, but for blanks; or nothing.
pub(super) fn name_at_end(text: &str) -> &str {
    let text = text.trim_end();
    let start = text.char_indices().rev().take_while(|(_, letter)| is_of_name(*letter)).last();
    name_at_start(start.map_or("", |(start, _)| &text[start..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_named_as_v8_does() {
        for (message, before, rest, other) in [
            ("expecting ';'", "foo ", "bar", "Unexpected identifier 'bar'"),
            ("expecting ';'", "foo ", "new x", "Unexpected token 'new'"),
            ("expecting ';'", "1 ", "2", "Unexpected number"),
            ("expecting ')'", "if (a ", "'b'", "Unexpected string"),
            ("Unexpected string", "f(a ", "'b'", "missing ) after argument list"),
            ("expecting ';'", "a ?? b ", "|| c", "Unexpected token '||'"),
            ("expecting '{'", "class A ", "=> 1", "Unexpected token '=>'"),
            ("expecting ']'", "[1", "", END),
            (
                "expecting ';'",
                "x\n  await ",
                "1",
                "await is only valid in async functions and the top level bodies of modules",
            ),
            ("Unexpected identifier 'x'", "import ", "x from 'y'", "Cannot use import statement outside a module"),
            ("variable name expected", "let ", "\u{7}", "Invalid or unexpected token"),
            ("unexpected token in expression: ''", "if (", "", END),
            ("unexpected token in expression: ')'", "if (", ")", "Unexpected token ')'"),
            ("'a' already declared", "", "", "Identifier 'a' has already been declared"),
            (
                "invalid redefinition of lexical identifier",
                "let a; let ",
                "a",
                "Identifier 'a' has already been declared",
            ),
            (
                "invalid redefinition of lexical identifier",
                "let a; let a",
                "",
                "Identifier 'a' has already been declared",
            ),
            ("return not in a function", "", "return", "Illegal return statement"),
        ] {
            assert!(knows(message), "{message}");
            assert_eq!(words(message, before, rest, false).as_deref(), Some(other), "{message} {before}|{rest}");
        }
        assert_eq!(words("something else", "", "", false), None);
    }

    #[test]
    fn what_would_have_to_be_read_is_left_where_the_text_is_not_kept() {
        assert_eq!(words_unread("unexpected token in expression: ')'").as_deref(), Some("Unexpected token ')'"));
        assert_eq!(words_unread("unexpected token in expression: ''").as_deref(), Some(END));
        assert_eq!(words_unread("return not in a function").as_deref(), Some("Illegal return statement"));
        assert_eq!(words_unread("expecting ';'"), None);
    }
}
