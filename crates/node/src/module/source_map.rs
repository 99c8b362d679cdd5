//! Native parts of source maps: magic comments of a text, the lengths of its lines, and the mappings of a map of version 3.

use memchr::memmem;

/// Digits of base64 by their value.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The value of the last magic comment of a kind, as `sourceMappingURL`. As in V8 (`src/parsing/scanner.cc: TryToParseMagicComment`), the
/// value has no spaces and no quotes, and nothing stands behind it on its line.
pub(crate) fn magic_comment<'t>(text: &'t str, kind: &str) -> Option<&'t str> {
    let mut end = text.len();
    while let Some(at) = memmem::rfind(&text.as_bytes()[..end], kind.as_bytes()) {
        end = at;
        let before = text[..at].trim_end_matches([' ', '\t']);
        let is_comment = before.len() < at && (before.ends_with("//#") || before.ends_with("//@"));
        let Some(rest) = text[at + kind.len()..].strip_prefix('=').filter(|_| is_comment) else { continue };
        let line = rest.split(['\n', '\r', '\u{2028}', '\u{2029}']).next().unwrap_or_default().trim();
        if !line.is_empty() && !line.contains(|letter: char| letter.is_whitespace() || matches!(letter, '"' | '\'')) {
            return Some(line);
        }
    }
    None
}

/// The lengths of the lines of a text in units of UTF-16. A carriage return belongs to its line (`lib/internal/source_map/source_map_cache.js:
/// lineLengths`).
pub(super) fn line_lengths(text: &str) -> Vec<u32> {
    text.split(['\n', '\u{2028}', '\u{2029}']).map(|line| line.encode_utf16().count() as u32).collect()
}

/// Reads numbers in base64 VLQ.
struct Reader<'t> {
    text: &'t [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// A number. As in Node, what is no digit is 0 and ends it.
    fn number(&mut self) -> i32 {
        let (mut value, mut shift) = (0_u64, 0_u32);
        loop {
            let letter = self.peek();
            self.at += 1;
            let digit = letter.and_then(|letter| DIGITS.iter().position(|one| *one == letter)).unwrap_or(0) as u32;
            value = value.wrapping_add(u64::from((digit & 31).wrapping_shl(shift)));
            shift += 5;
            if digit & 32 == 0 {
                break;
            }
        }
        let value = value as u32;
        let magnitude = (value >> 1) as i32;
        // The lowest bit alone is the smallest number.
        if value & 1 == 1 { magnitude.wrapping_neg() | i32::MIN } else { magnitude }
    }

    fn is_at_separator(&self) -> bool {
        matches!(self.peek(), Some(b',' | b';'))
    }
}

/// The entries of a `mappings` text, six numbers each: the line and column of the generated text, the number of the source, the line and
/// column there, and the number of the name. Lines and columns are from 0; what is missing is -1. As in Node, an entry at the very end has
/// the last name (`lib/internal/source_map/source_map.js: #parseMap`).
pub(super) fn decode(mappings: &str) -> Vec<i32> {
    let mut reader = Reader { text: mappings.as_bytes(), at: 0 };
    let mut entries = Vec::with_capacity(mappings.len());
    let (mut line, mut column) = (0_i32, 0_i32);
    let (mut source, mut source_line, mut source_column, mut name) = (0_i32, 0_i32, 0_i32, 0_i32);
    loop {
        if reader.peek() == Some(b',') {
            reader.at += 1;
        } else {
            while reader.peek() == Some(b';') {
                line = line.wrapping_add(1);
                column = 0;
                reader.at += 1;
            }
            if reader.peek().is_none() {
                return entries;
            }
        }
        column = column.wrapping_add(reader.number());
        if reader.is_at_separator() {
            entries.extend([line, column, -1, -1, -1, -1]);
            continue;
        }
        source = source.wrapping_add(reader.number());
        source_line = source_line.wrapping_add(reader.number());
        source_column = source_column.wrapping_add(reader.number());
        let mut own = -1;
        if !reader.is_at_separator() {
            name = name.wrapping_add(reader.number());
            own = name;
        }
        entries.extend([line, column, source, source_line, source_column, own]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_comment_counts() {
        let url = |text| magic_comment(text, "sourceMappingURL");
        assert_eq!(url("a\n//# sourceMappingURL=a.map\nb//# sourceMappingURL=b.map  \n"), Some("b.map"));
        assert_eq!(url("//@ sourceMappingURL=old.map\r\n"), Some("old.map"));
        assert_eq!(url("//#\tsourceMappingURL=a.map"), Some("a.map"));
        for text in [
            "//#sourceMappingURL=a",
            "/*# sourceMappingURL=a */",
            "'//# sourceMappingURL=' + x",
            "//# sourceMappingURL=a b",
            "",
        ] {
            assert_eq!(url(text), None, "{text}");
        }
        assert_eq!(magic_comment("é//# sourceURL=ü.js", "sourceURL"), Some("ü.js"));
    }

    #[test]
    fn lines_are_counted_in_units() {
        assert_eq!(line_lengths("a\r\n\u{1f600}\u{2028}\n"), [2, 2, 0, 0]);
        assert_eq!(line_lengths(""), [0]);
    }

    #[test]
    fn mappings_are_decoded() {
        let entries = [[0, 0, 0, 0, 0, 0], [0, 1, 0, 1, 1, 0], [2, 2, -1, 0, 0, -1], [2, 3, -1, -1, -1, -1]];
        assert_eq!(decode("AAAAA,CACCA;;EDDD,C;"), entries.concat());
        assert_eq!(decode("gBAAA;")[..2], [0, 16]);
        // The last entry ends the text: Node gives it a name.
        assert_eq!(decode("AAAA")[5], 0);
        assert_eq!(decode("B;")[1], i32::MIN);
        assert!(decode("").is_empty());
    }
}
