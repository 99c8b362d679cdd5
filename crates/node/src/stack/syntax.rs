//! V8's messages for syntax errors that name the unexpected token.

use phasor_engine::ErrorReport;

/// The engine's messages for which V8 reports the token at the position.
const UNEXPECTED: &[&str] = &[
    "JSMSG_AS_AFTER_IMPORT_STAR",
    "JSMSG_AS_AFTER_RESERVED_WORD",
    "JSMSG_BAD_ARROW_ARGS",
    "JSMSG_BAD_CLASS_MEMBER_DEF",
    "JSMSG_BAD_COALESCE_MIXING",
    "JSMSG_BAD_PROP_ID",
    "JSMSG_BAD_SWITCH",
    "JSMSG_BRACKET_AFTER_LIST",
    "JSMSG_BRACKET_IN_INDEX",
    "JSMSG_CATCH_IDENTIFIER",
    "JSMSG_CATCH_WITHOUT_TRY",
    "JSMSG_COLON_AFTER_CASE",
    "JSMSG_COLON_AFTER_ID",
    "JSMSG_COLON_IN_COND",
    "JSMSG_COMP_PROP_UNTERM_EXPR",
    "JSMSG_CURLY_AFTER_BODY",
    "JSMSG_CURLY_AFTER_CATCH",
    "JSMSG_CURLY_AFTER_FINALLY",
    "JSMSG_CURLY_AFTER_LIST",
    "JSMSG_CURLY_AFTER_TRY",
    "JSMSG_CURLY_BEFORE_BODY",
    "JSMSG_CURLY_BEFORE_CATCH",
    "JSMSG_CURLY_BEFORE_CLASS",
    "JSMSG_CURLY_BEFORE_FINALLY",
    "JSMSG_CURLY_BEFORE_SWITCH",
    "JSMSG_CURLY_BEFORE_TRY",
    "JSMSG_CURLY_IN_COMPOUND",
    "JSMSG_DECLARATION_AFTER_EXPORT",
    "JSMSG_DECLARATION_AFTER_IMPORT",
    "JSMSG_FINALLY_WITHOUT_TRY",
    "JSMSG_FOR_AWAIT_OUTSIDE_ASYNC",
    "JSMSG_FROM_AFTER_EXPORT_STAR",
    "JSMSG_FROM_AFTER_IMPORT_CLAUSE",
    "JSMSG_MISSING_EXPR_AFTER_THROW",
    "JSMSG_MISSING_FORMAL",
    "JSMSG_MODULE_SPEC_AFTER_FROM",
    "JSMSG_NAME_AFTER_DOT",
    "JSMSG_NO_BINDING_NAME",
    "JSMSG_NO_EXPORT_NAME",
    "JSMSG_NO_IMPORT_NAME",
    "JSMSG_NO_VARIABLE_NAME",
    "JSMSG_PAREN_AFTER_CATCH",
    "JSMSG_PAREN_AFTER_COND",
    "JSMSG_PAREN_AFTER_FOR",
    "JSMSG_PAREN_AFTER_FORMAL",
    "JSMSG_PAREN_AFTER_FOR_CTRL",
    "JSMSG_PAREN_AFTER_SWITCH",
    "JSMSG_PAREN_AFTER_WITH",
    "JSMSG_PAREN_BEFORE_CATCH",
    "JSMSG_PAREN_BEFORE_COND",
    "JSMSG_PAREN_BEFORE_FORMAL",
    "JSMSG_PAREN_BEFORE_SWITCH",
    "JSMSG_PAREN_BEFORE_WITH",
    "JSMSG_PAREN_IN_PAREN",
    "JSMSG_RC_AFTER_EXPORT_SPEC_LIST",
    "JSMSG_RC_AFTER_IMPORT_SPEC_LIST",
    "JSMSG_RESERVED_ID",
    "JSMSG_SEMI_AFTER_FOR_COND",
    "JSMSG_SEMI_AFTER_FOR_INIT",
    "JSMSG_UNEXPECTED_PARAMLIST_END",
    "JSMSG_UNEXPECTED_TOKEN",
    "JSMSG_UNEXPECTED_TOKEN_NO_EXPECT",
    "JSMSG_UNNAMED_CLASS_STMT",
    "JSMSG_WHILE_AFTER_DO",
    "JSMSG_YIELD_OUTSIDE_GENERATOR",
];

/// The engine's messages for text that is not a token.
const NO_TOKEN: &[&str] = &[
    "JSMSG_EOF_IN_ESCAPE_IN_LITERAL",
    "JSMSG_EOL_BEFORE_END_OF_STRING",
    "JSMSG_IDSTART_AFTER_NUMBER",
    "JSMSG_ILLEGAL_CHARACTER",
    "JSMSG_MISSING_BINARY_DIGITS",
    "JSMSG_MISSING_EXPONENT",
    "JSMSG_MISSING_HEXDIGITS",
    "JSMSG_MISSING_OCTAL_DIGITS",
    "JSMSG_MISSING_PRIVATE_NAME",
    "JSMSG_UNTERMINATED_COMMENT",
];

/// V8's reasons why a regular expression is invalid, by the engine's message.
const PATTERNS: &[(&str, &str)] = &[
    ("JSMSG_BAD_CLASS_RANGE", "Range out of order in character class"),
    ("JSMSG_ESCAPE_AT_END_OF_REGEXP", "\\ at end of pattern"),
    ("JSMSG_INVALID_DECIMAL_ESCAPE", "Invalid decimal escape"),
    ("JSMSG_INVALID_GROUP", "Invalid group"),
    ("JSMSG_REPEATED_FLAG", "Invalid group"),
    ("JSMSG_INVALID_FLAG_GROUP", "Invalid group"),
    ("JSMSG_INVALID_IDENTITY_ESCAPE", "Invalid escape"),
    ("JSMSG_INVALID_UNICODE_ESCAPE", "Invalid Unicode escape"),
    ("JSMSG_MISSING_PAREN", "Unterminated group"),
    ("JSMSG_NOTHING_TO_REPEAT", "Nothing to repeat"),
    ("JSMSG_NUMBERS_OUT_OF_ORDER", "numbers out of order in {} quantifier"),
    ("JSMSG_RANGE_WITH_CLASS_ESCAPE", "Invalid character class"),
    ("JSMSG_RAW_BRACKET_IN_REGEXP", "Lone quantifier brackets"),
    ("JSMSG_TOO_MANY_PARENS", "Too many captures"),
    ("JSMSG_UNMATCHED_RIGHT_PAREN", "Unmatched ')'"),
    ("JSMSG_UNTERM_CLASS", "Unterminated character class"),
    ("JSMSG_INVALID_PROPERTY_NAME", "Invalid property name"),
    ("JSMSG_INVALID_CLASS_PROPERTY_NAME", "Invalid property name in character class"),
    ("JSMSG_INCOMPLETE_QUANTIFIER", "Incomplete quantifier"),
    ("JSMSG_INVALID_QUANTIFIER", "Nothing to repeat"),
    ("JSMSG_INVALID_CAPTURE_NAME", "Invalid capture group name"),
    ("JSMSG_DUPLICATE_CAPTURE_NAME", "Duplicate capture group name"),
    ("JSMSG_INVALID_NAMED_REF", "Invalid named reference"),
    ("JSMSG_INVALID_NAMED_CAPTURE_REF", "Invalid named capture referenced"),
    ("JSMSG_INVALID_CLASS_SET_OP", "Invalid set operation in character class"),
    ("JSMSG_INVALID_CHAR_IN_CLASS", "Invalid character in character class"),
    ("JSMSG_NEGATED_CLASS_WITH_STR", "Negated character class may contain strings"),
    ("JSMSG_MULTIPLE_FLAG_DASHES", "Multiple dashes in flag group"),
];

/// Reserved words.
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

/// Words that are reserved only in strict mode.
const RESERVED_IF_STRICT: &[&str] =
    &["implements", "interface", "let", "package", "private", "protected", "public", "static", "yield"];

/// Tokens of more than one character, longer ones first.
const LONG_TOKENS: &[&str] = &[
    ">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==", "!=", "<=", ">=", "&&",
    "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>", "**",
];

const END: &str = "Unexpected end of input";
const NO_PREFIX_OPERAND: &str = "Invalid left-hand side expression in prefix operation";
const NO_POSTFIX_OPERAND: &str = "Invalid left-hand side expression in postfix operation";
const NOT_A_TOKEN: &str = "Invalid or unexpected token";

/// V8's message for a syntax error; `None` if the engine's message is the same. `is_behind_end` returns whether the position is after the end
/// of the text, in the end of a wrapper function that the engine has appended.
pub(super) fn rewrite(report: &ErrorReport<'_>, is_behind_end: impl FnOnce() -> bool) -> Option<String> {
    if report.name == "JSMSG_GARBAGE_AFTER_INPUT" {
        return Some("Unexpected token '}'".to_owned());
    }
    let names_token = UNEXPECTED.contains(&report.name);
    if names_token && is_behind_end() {
        return Some(END.to_owned());
    }
    let Some((line, at)) = report.line_text else {
        // The engine reports no line text for a position at the end of a line. The error position of a postfix operator is inside of the line,
        // so this is a prefix operator.
        if report.name == "JSMSG_BAD_INCOP_OPERAND" {
            return Some(NO_PREFIX_OPERAND.to_owned());
        }
        // The position is in the last line, which is empty.
        return (names_token || report.message.ends_with("end of script")).then(|| END.to_owned());
    };
    let (before, rest) = line.split_at_checked(at)?;
    let (before, rest) = (String::from_utf16_lossy(before), String::from_utf16_lossy(rest));
    if let Some((_, reason)) = PATTERNS.iter().find(|(name, _)| *name == report.name) {
        return of_pattern(&String::from_utf16_lossy(line), before.len(), &rest, reason);
    }
    if NO_TOKEN.contains(&report.name) {
        return Some(NOT_A_TOKEN.to_owned());
    }
    match report.name {
        "JSMSG_EOF_BEFORE_END_OF_LITERAL" if report.message.starts_with('`') => Some(END.to_owned()),
        "JSMSG_EOF_BEFORE_END_OF_LITERAL" => Some(NOT_A_TOKEN.to_owned()),
        "JSMSG_BAD_REGEXP_FLAG" => Some("Invalid regular expression flags".to_owned()),
        "JSMSG_COLON_AFTER_ID" if rest.starts_with('=') => Some("Invalid shorthand property initializer".to_owned()),
        "JSMSG_BAD_INCOP_OPERAND" => {
            let is_prefix = before.trim_end().ends_with(['+', '-']);
            Some(if is_prefix { NO_PREFIX_OPERAND } else { NO_POSTFIX_OPERAND }.to_owned())
        }
        "JSMSG_BAD_STRICT_ASSIGN" => Some("Unexpected eval or arguments in strict mode".to_owned()),
        "JSMSG_LABEL_NOT_FOUND" => Some(format!("Undefined label '{}'", name_at(&before, &rest))),
        "JSMSG_DUPLICATE_LABEL" => Some(format!("Label '{}' has already been declared", name_at(&before, &rest))),
        "JSMSG_ACCESSOR_WRONG_ARGS" if report.message.starts_with("getter") => {
            Some("Getter must not have any formal parameters.".to_owned())
        }
        "JSMSG_ACCESSOR_WRONG_ARGS" => Some("Setter must have exactly one formal parameter.".to_owned()),
        "JSMSG_FORBIDDEN_AS_STATEMENT" if rest.starts_with("let") || rest.starts_with("const") => {
            Some("Lexical declaration cannot appear in a single-statement context".to_owned())
        }
        // `++ -a`: V8 parses the whole operand, including its unary operators, before it checks that the operand can be assigned.
        "JSMSG_UNEXPECTED_TOKEN" if has_operator(&before) && rest.starts_with(['+', '-', '!', '~']) => {
            Some(NO_PREFIX_OPERAND.to_owned())
        }
        _ if names_token => Some(unexpected(&rest, report.name == "JSMSG_RESERVED_ID")),
        _ => None,
    }
}

/// Whether a text ends with an increment or decrement operator.
fn has_operator(before: &str) -> bool {
    let before = before.trim_end();
    before.ends_with("++") || before.ends_with("--")
}

/// V8's message for an invalid regular expression. The line contains a literal, or is the pattern (of `new RegExp`).
fn of_pattern(line: &str, at: usize, rest: &str, reason: &str) -> Option<String> {
    // A literal begins at a slash before the position and ends at a slash after it.
    let literal = line.get(..at).and_then(|before| before.rfind('/')).zip(rest.find('/'));
    let (pattern, flags) = match literal {
        Some((start, length)) => {
            let behind = line.get(at + length + 1..)?;
            let flags = behind.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(behind.len());
            (line.get(start + 1..at + length)?, &behind[..flags])
        }
        None => (line, ""),
    };
    Some(format!("Invalid regular expression: /{pattern}/{flags}: {reason}"))
}

/// V8's message for the unexpected token at the start of a text.
fn unexpected(rest: &str, is_reserved: bool) -> String {
    let rest = rest.trim_start();
    let name = name_at_start(rest);
    let is_fraction = rest.strip_prefix('.').is_some_and(|rest| rest.starts_with(|next: char| next.is_ascii_digit()));
    match rest.chars().next() {
        None => END.to_owned(),
        Some('0'..='9') => "Unexpected number".to_owned(),
        _ if is_fraction => "Unexpected number".to_owned(),
        _ if matches!(name, "await" | "enum") => "Unexpected reserved word".to_owned(),
        _ if is_reserved && RESERVED_IF_STRICT.contains(&name) => "Unexpected strict mode reserved word".to_owned(),
        Some('"' | '\'') => "Unexpected string".to_owned(),
        Some('`') => "Unexpected template string".to_owned(),
        _ if KEYWORDS.contains(&name) => format!("Unexpected token '{name}'"),
        _ if !name.is_empty() => format!("Unexpected identifier '{name}'"),
        Some(sign) if "{}()[];,<>+*/%&|^!~?:=.-".contains(sign) => {
            let long = LONG_TOKENS.iter().find(|token| rest.starts_with(**token));
            format!("Unexpected token '{}'", long.map_or_else(|| sign.to_string(), |token| (*token).to_owned()))
        }
        _ => NOT_A_TOKEN.to_owned(),
    }
}

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '$' | '_' | '\u{200c}' | '\u{200d}')
}

/// The identifier at the start of a text; empty if there is none.
fn name_at_start(text: &str) -> &str {
    let end = text.find(|letter: char| !is_of_name(letter)).unwrap_or(text.len());
    if text.starts_with(|first: char| first.is_ascii_digit()) { "" } else { &text[..end] }
}

/// The identifier at a position, or the one before the position if there is none.
fn name_at<'t>(before: &'t str, rest: &'t str) -> &'t str {
    match name_at_start(rest) {
        "" => {
            let before = before.trim_end();
            let start = before.char_indices().rev().take_while(|(_, letter)| is_of_name(*letter)).last();
            name_at_start(start.map_or("", |(start, _)| &before[start..]))
        }
        name => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_named_as_v8_does() {
        for (name, line, at, expected) in [
            ("JSMSG_UNEXPECTED_TOKEN", "if (", 4, END),
            ("JSMSG_UNEXPECTED_TOKEN", "if ()", 4, "Unexpected token ')'"),
            ("JSMSG_UNEXPECTED_TOKEN_NO_EXPECT", "foo bar", 4, "Unexpected identifier 'bar'"),
            ("JSMSG_UNEXPECTED_TOKEN_NO_EXPECT", "1 2", 2, "Unexpected number"),
            ("JSMSG_CURLY_BEFORE_CLASS", "class A => 1", 8, "Unexpected token '=>'"),
            ("JSMSG_UNEXPECTED_TOKEN", "-----a", 2, NO_PREFIX_OPERAND),
            ("JSMSG_UNEXPECTED_TOKEN_NO_EXPECT", "a++ !b", 4, "Unexpected token '!'"),
            ("JSMSG_ILLEGAL_CHARACTER", "let \u{7}", 4, NOT_A_TOKEN),
            ("JSMSG_MISSING_PAREN", "x = /(a/g", 7, "Invalid regular expression: /(a/g: Unterminated group"),
        ] {
            let units: Vec<u16> = line.encode_utf16().collect();
            let report = ErrorReport { name, message: "", file: "", line: 1, column: 1, line_text: Some((&units, at)) };
            assert_eq!(rewrite(&report, || false).as_deref(), Some(expected), "{line}");
        }
    }
}
