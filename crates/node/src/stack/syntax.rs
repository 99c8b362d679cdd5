//! V8's words for what the engine has against a text, where the two say the same thing.

use super::messages::found;

/// What is wrong with a text of JavaScript, where both engines say the same thing.
const SYNTAX: &[(&str, &str)] = &[
    ("'let' is not a valid lexical identifier", "let is disallowed as a lexically bound name"),
    ("'super' is only valid in a method", "'super' keyword unexpected here"),
    ("Octal literals are not allowed in strict mode", "Octal literals are not allowed in strict mode."),
    ("break must be inside loop or switch", "Illegal break statement"),
    ("cannot delete a direct reference in strict mode", "Delete of an unqualified identifier in strict mode."),
    ("continue must be inside loop", "Illegal continue statement: no surrounding iteration statement"),
    ("expecting catch or finally", "Missing catch or finally after try"),
    ("function name expected", "Function statements require a function name"),
    ("invalid assignment left-hand side", "Invalid left-hand side in assignment"),
    ("invalid first character of private name", "Invalid or unexpected token"),
    ("invalid increment/decrement operand", "Invalid left-hand side expression in postfix operation"),
    ("invalid keyword: with", "Strict mode code may not include a with statement"),
    ("invalid number literal", "Invalid or unexpected token"),
    ("missing initializer for variable", "Missing initializer in const declaration"),
    ("property constructor appears more than once", "A class may only have one constructor"),
    ("return not in a function", "Illegal return statement"),
    ("super() is only valid in a derived class constructor", "'super' keyword unexpected here"),
    ("unexpected end of regexp", "Invalid regular expression: missing /"),
    ("unexpected end of string", "Invalid or unexpected token"),
    ("unexpected line terminator in regexp", "Invalid regular expression: missing /"),
    ("unsupported keyword: export", "Unexpected token 'export'"),
];

/// What the engine says of tokens that cannot be where they are.
const MISPLACED: &[&str] = &[
    "class statement requires a name",
    "from clause expected",
    "identifier expected",
    "invalid property name",
    "variable name expected",
];

/// How other messages begin.
const BEGINNINGS: &[&str] =
    &["Unexpected ", "expecting '", "invalid redefinition of ", "unexpected token in expression: '"];

/// Words that are no names.
const KEYWORDS: &[&str] = &[
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

const END: &str = "Unexpected end of input";

/// Whether a message may be one of the engine's about a text.
pub(super) fn knows(message: &str) -> bool {
    found(SYNTAX, message).is_some()
        || MISPLACED.contains(&message)
        || BEGINNINGS.iter().any(|part| message.starts_with(part))
        || declared(message).is_some()
}

/// Other words for a message. The text is in two parts, as the engine stopped before the second.
pub(super) fn words(message: &str, before: &str, rest: &str, is_module: bool) -> Option<String> {
    let line = before.rsplit('\n').next().unwrap_or_default();
    if let Some(token) = token(message) {
        return Some(match rest.trim() {
            "" => END.to_owned(),
            _ if is_token(token) => format!("Unexpected token '{token}'"),
            _ => "Invalid or unexpected token".to_owned(),
        });
    }
    if !is_module && (message.starts_with("expecting '") || message.starts_with("Unexpected ")) && imports(line, rest) {
        return Some("Cannot use import statement outside a module".to_owned());
    }
    if let Some(name) = declared(message) {
        return Some(format!("Identifier '{name}' has already been declared"));
    }
    if message.starts_with("expecting '") && name_at_end(line) == "await" {
        return Some("await is only valid in async functions and the top level bodies of modules".to_owned());
    }
    if MISPLACED.contains(&message) || message.starts_with("expecting '") {
        return Some(unexpected(rest));
    }
    if matches!(message, "invalid redefinition of lexical identifier" | "invalid redefinition of global identifier") {
        // It may be found only behind the name, and behind the end.
        let name = match name_at_start(rest.trim_start()) {
            "" => name_at_end(before),
            name => name,
        };
        return (!name.is_empty()).then(|| format!("Identifier '{name}' has already been declared"));
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

/// What V8 says of what stands at the beginning of a text, and cannot be there.
fn unexpected(rest: &str) -> String {
    let rest = rest.trim_start();
    let name = name_at_start(rest);
    match rest.chars().next() {
        None => END.to_owned(),
        Some('0'..='9') => "Unexpected number".to_owned(),
        Some('"' | '\'') => "Unexpected string".to_owned(),
        Some('`') => "Unexpected template string".to_owned(),
        _ if KEYWORDS.contains(&name) => format!("Unexpected token '{name}'"),
        _ if !name.is_empty() => format!("Unexpected identifier '{name}'"),
        _ if rest.starts_with("=>") => "Unexpected token '=>'".to_owned(),
        Some(sign) if is_token(rest) => format!("Unexpected token '{sign}'"),
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
fn name_at_start(text: &str) -> &str {
    let end = text.find(|letter: char| !is_of_name(letter)).unwrap_or(text.len());
    if text.starts_with(|first: char| first.is_ascii_digit()) { "" } else { &text[..end] }
}

/// The name that a text ends with, but for blanks; or nothing.
fn name_at_end(text: &str) -> &str {
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
            ("expecting ')'", "f(a ", "'b'", "Unexpected string"),
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
