//! Finds the brackets that are still open at a syntax error. V8's message for the next token depends on them.

/// A bracket that is open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Open<'t> {
    pub(super) sign: char,
    /// The text before it.
    pub(super) before: &'t str,
    /// The text from behind it on.
    pub(super) behind: &'t str,
}

/// The innermost bracket that is open at the end of a text. What stands in quotes, comments and patterns counts for nothing.
pub(super) fn innermost(text: &str) -> Option<Open<'_>> {
    let at = read(text).0.pop()?;
    Some(Open { sign: text[at..].chars().next()?, before: &text[..at], behind: &text[at + 1..] })
}

/// Where the first brace stands that closes nothing.
pub(super) fn unopened(text: &str) -> Option<usize> {
    read(text).1
}

/// Where the brackets are that are open at the end, and the first brace that closes none.
fn read(text: &str) -> (Vec<usize>, Option<usize>) {
    let mut open: Vec<usize> = Vec::new();
    let mut unopened = None;
    let mut at = 0;
    while let Some(sign) = text[at..].chars().next() {
        let next = at + sign.len_utf8();
        let is_in_template = open.last().is_some_and(|&last| text[last..].starts_with('`'));
        at = match sign {
            // Nothing in a template means anything but its end, a mask and an expression.
            '$' if is_in_template && text[next..].starts_with('{') => {
                open.push(next);
                next + 1
            }
            '\\' if is_in_template => next + text[next..].chars().next().map_or(0, char::len_utf8),
            _ if is_in_template && sign != '`' => next,
            '"' | '\'' => after_quote(text, next, sign),
            '/' if text[next..].starts_with('/') => text[next..].find('\n').map_or(text.len(), |end| next + end),
            '/' if text[next..].starts_with('*') => {
                text[next + 1..].find("*/").map_or(text.len(), |end| next + end + 3)
            }
            '/' if begins_pattern(&text[..at]) => after_pattern(text, next),
            '`' => {
                // A second one closes the first, or what stands in it goes on behind an expression.
                if is_in_template {
                    open.pop();
                } else {
                    open.push(at);
                }
                next
            }
            '(' | '[' | '{' => {
                open.push(at);
                next
            }
            ')' | ']' | '}' => {
                if open.pop().is_none() && sign == '}' {
                    unopened.get_or_insert(at);
                }
                next
            }
            _ => next,
        };
    }
    (open, unopened)
}

fn after_quote(text: &str, from: usize, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, sign) in text[from..].char_indices() {
        if !is_escaped && (sign == quote || sign == '\n') {
            return from + at + 1;
        }
        is_escaped = sign == '\\' && !is_escaped;
    }
    text.len()
}

/// Whether a slash behind a text begins a pattern, and divides nothing.
fn begins_pattern(before: &str) -> bool {
    before.trim_end().chars().next_back().is_none_or(|last| "(,=:[!&|?{};+-*%<>~^".contains(last))
}

fn after_pattern(text: &str, from: usize) -> usize {
    let (mut is_escaped, mut is_class) = (false, false);
    for (at, sign) in text[from..].char_indices() {
        match sign {
            '\n' => return from + at,
            _ if is_escaped => {}
            '[' => is_class = true,
            ']' => is_class = false,
            '/' if !is_class => return from + at + 1,
            _ => {}
        }
        is_escaped = sign == '\\' && !is_escaped;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_is_found_past_what_is_no_bracket() {
        for (text, sign, before) in [
            ("f(a ", '(', "f"),
            ("f(\"(\" ", '(', "f"),
            ("f(/[(\"]/ ", '(', "f"),
            ("a / b; g([1], ", '(', "a / b; g"),
            ("f(a /* { */ ", '(', "f"),
            ("f(`a ${b} (` ", '(', "f"),
            ("f(`a ${b ", '{', "f(`a $"),
            ("f(`it's`, ", '(', "f"),
            ("f(`a // b \\` /* `, [`'`], ", '(', "f"),
            ("x = {a, b ", '{', "x = "),
            ("// (\n[", '[', "// (\n"),
            ("'it\\'s (' + [", '[', "'it\\'s (' + "),
        ] {
            let found = innermost(text).unwrap();
            assert_eq!((found.sign, found.before), (sign, before), "{text}");
        }
        assert_eq!(innermost("f(a) + [b]"), None);
        assert_eq!(unopened("{ a } b } c }"), Some(8));
        assert_eq!(unopened("'}' + `}` + /}/ // }"), None);
    }
}
