//! Date patterns of UTS 35: letters stand for fields, the rest is literal text.

/// A piece of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// A letter, and how often it stands.
    Field(u8, usize),
    /// Text in quotes, with the quotes; or a character that is no letter.
    Text(&'a str),
}

/// The pieces of a pattern, or of a skeleton.
pub(super) fn pieces(pattern: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = pattern;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let (len, piece) = if first.is_ascii_alphabetic() {
            let len = rest.bytes().take_while(|&byte| byte == first as u8).count();
            (len, Piece::Field(first as u8, len))
        } else {
            let len = if first == '\'' { quoted(rest) } else { first.len_utf8() };
            (len, Piece::Text(&rest[..len]))
        };
        rest = &rest[len..];
        Some(piece)
    })
}

/// A pattern whose fields are written otherwise; its text stays.
pub(super) fn rewritten(pattern: &str, mut write: impl FnMut(&mut String, u8, usize)) -> String {
    let mut made = String::new();
    for piece in pieces(pattern) {
        match piece {
            Piece::Text(text) => made.push_str(text),
            Piece::Field(letter, len) => write(&mut made, letter, len),
        }
    }
    made
}

/// How long the quoted text at the beginning is. Two quotes are one that is meant.
fn quoted(text: &str) -> usize {
    let mut at = 1;
    while let Some(found) = text[at..].find('\'') {
        at += found + 1;
        if !text[at..].starts_with('\'') {
            return at;
        }
        at += 1;
    }
    text.len()
}

/// What a piece of text says.
pub(super) fn unquoted(text: &str) -> String {
    match text {
        "''" => "'".to_owned(),
        _ => match text.strip_prefix('\'') {
            Some(inner) => inner.strip_suffix('\'').unwrap_or(inner).replace("''", "'"),
            None => text.to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_read() {
        let read: Vec<_> = pieces("MMM d 'at' h'o''clock'").collect();
        let expected = [
            Piece::Field(b'M', 3),
            Piece::Text(" "),
            Piece::Field(b'd', 1),
            Piece::Text(" "),
            Piece::Text("'at'"),
            Piece::Text(" "),
            Piece::Field(b'h', 1),
            Piece::Text("'o''clock'"),
        ];
        assert_eq!(read, expected);
        assert_eq!(unquoted("'o''clock'"), "o'clock");
        assert_eq!(unquoted("''"), "'");
    }
}
