//! Native parts of source maps: magic comments of a text, the lengths of its lines, and the mappings of a map of version 3.

use memchr::memmem;

use super::syntax;

/// Digits of base64 by their value.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The value of the last magic comment of a kind, as `sourceMappingURL`. The rules are those of V8 (`src/parsing/scanner.cc:
/// TryToParseMagicComment`): the comment begins with `//`, the value has no spaces and no quotes, and no other text follows on its line.
/// A last comment without such a value hides those before it.
pub(crate) fn magic_comment<'t>(text: &'t str, kind: &str) -> Option<&'t str> {
    let mut end = text.len();
    let mut comments = None;
    while let Some(at) = memmem::rfind(&text.as_bytes()[..end], kind.as_bytes()) {
        end = at;
        let Some(rest) = text[at + kind.len()..].strip_prefix('=') else { continue };
        let Some(start) = start_of_comment(&text[..at]) else { continue };
        let line = rest.split(LINE_ENDS).next().unwrap_or_default();
        let is_whole_line = text[..start].rsplit(LINE_ENDS).next().unwrap_or_default().trim().is_empty();
        // If no text follows, this comment cannot be inside of a template literal or of a block comment, which would have to end later.
        let is_last = rest[line.len()..].trim().is_empty();
        if !(is_whole_line && is_last) {
            let comments: &Option<Vec<usize>> = comments.get_or_insert_with(|| syntax::line_comments(text));
            if comments.as_ref().is_some_and(|all| all.binary_search(&start).is_err()) {
                continue;
            }
        }
        let value = line.trim();
        let is_refused = |letter: char| letter.is_whitespace() || matches!(letter, '"' | '\'');
        return Some(value).filter(|value| !value.is_empty() && !value.contains(is_refused));
    }
    None
}

/// Line terminators (ECMA-262 section 12.3).
const LINE_ENDS: [char; 4] = ['\n', '\r', '\u{2028}', '\u{2029}'];

/// The offset of the comment mark (`//#` or `//@`) at the end of `before`, the text before the name of a magic comment.
fn start_of_comment(before: &str) -> Option<usize> {
    let before = before.strip_suffix(|letter: char| letter.is_whitespace() && !LINE_ENDS.contains(&letter))?;
    Some(before.strip_suffix("//#").or_else(|| before.strip_suffix("//@"))?.len())
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

    /// Reads a number. As in Node, an invalid character counts as the digit 0 and ends the number.
    fn number(&mut self) -> i64 {
        let (mut value, mut shift) = (0_u64, 0_u32);
        loop {
            let letter = self.peek();
            self.at += 1;
            let digit = letter.and_then(|letter| DIGITS.iter().position(|one| *one == letter)).unwrap_or(0) as u32;
            value = value.wrapping_add(u64::from((digit & 31).wrapping_shl(shift)));
            shift = shift.wrapping_add(5);
            if digit & 32 == 0 {
                break;
            }
        }
        let value = value as u32;
        let magnitude = (value >> 1) as i32;
        // As in Node, the sign bit with the magnitude 0 ("-0") is the smallest 32-bit number.
        i64::from(if value & 1 == 1 { magnitude.wrapping_neg() | i32::MIN } else { magnitude })
    }

    fn is_at_separator(&self) -> bool {
        matches!(self.peek(), Some(b',' | b';'))
    }
}

/// The entries of a `mappings` text, six numbers each: the line and column of the generated text, the number of the source, the line and
/// column there, and the number of the name. Lines and columns are from 0.
#[derive(Debug, PartialEq)]
pub(super) enum Entries {
    /// A missing number is `i32::MIN`.
    Small(Vec<i32>),
    /// For a map with numbers that exceed `i32`. A missing number is NaN.
    Large(Vec<f64>),
}

/// Decodes a `mappings` text as Node does (`lib/internal/source_map/source_map.js: #parseMap`): if an entry without a name ends the text, it
/// gets the last name before it.
pub(super) fn decode(mappings: &str) -> Entries {
    // Node reads UTF-16 code units. Replace each one outside of ASCII by `!`, which is also an invalid digit.
    let ascii: String;
    let text = match mappings.is_ascii() {
        true => mappings,
        false => {
            ascii =
                mappings.encode_utf16().map(|unit| if unit < 0x80 { char::from(unit as u8) } else { '!' }).collect();
            &ascii
        }
    };
    let small = |number: i64| i32::try_from(number).ok().filter(|number| *number != i32::MIN);
    match entries(text.as_bytes(), small, i32::MIN) {
        Some(entries) => Entries::Small(entries),
        None => Entries::Large(entries(text.as_bytes(), |number| Some(number as f64), f64::NAN).unwrap_or_default()),
    }
}

/// Decodes all entries. Returns `None` if `convert` returns `None` for a number.
fn entries<N: Copy>(mappings: &[u8], convert: impl Fn(i64) -> Option<N>, none: N) -> Option<Vec<N>> {
    let mut reader = Reader { text: mappings, at: 0 };
    let mut entries = Vec::with_capacity(mappings.len());
    let (mut line, mut column) = (0_i64, 0_i64);
    let (mut source, mut source_line, mut source_column, mut name) = (0_i64, 0_i64, 0_i64, 0_i64);
    loop {
        if reader.peek() == Some(b',') {
            reader.at += 1;
        } else {
            while reader.peek() == Some(b';') {
                line += 1;
                column = 0;
                reader.at += 1;
            }
            if reader.peek().is_none() {
                return Some(entries);
            }
        }
        column += reader.number();
        if reader.is_at_separator() {
            entries.extend([convert(line)?, convert(column)?, none, none, none, none]);
            continue;
        }
        source += reader.number();
        source_line += reader.number();
        source_column += reader.number();
        let mut own = none;
        if !reader.is_at_separator() {
            name += reader.number();
            own = convert(name)?;
        }
        let place = [convert(line)?, convert(column)?];
        entries.extend([place[0], place[1], convert(source)?, convert(source_line)?, convert(source_column)?, own]);
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
    fn comments_in_other_texts_do_not_count() {
        let url = |text: String| magic_comment(&text, "sourceMappingURL").map(str::to_owned);
        let real = "//# sourceMappingURL=a.map";
        for other in [
            "`//# sourceMappingURL=b`",
            "`\n//# sourceMappingURL=b\n`;",
            "/*\n//# sourceMappingURL=b\n*/",
            "// see //# sourceMappingURL=b",
            "//#  sourceMappingURL=b",
            "x = '//# sourceMappingURL=b'",
            "//# sourceMappingURL",
        ] {
            assert_eq!(url(format!("{real}\n{other}")), Some("a.map".to_owned()), "{other}");
        }
        assert_eq!(url(format!("return `//` /\\/\\// {real}")), Some("a.map".to_owned()));
        // V8 takes the last one, also without a value.
        for other in ["//# sourceMappingURL=", "//# sourceMappingURL=a b", "//# sourceMappingURL=\"b\""] {
            assert_eq!(url(format!("{real}\n{other}")), None, "{other}");
        }
    }

    fn decoded(mappings: &str) -> Vec<i32> {
        match decode(mappings) {
            Entries::Small(entries) => entries,
            Entries::Large(entries) => panic!("{entries:?}"),
        }
    }

    #[test]
    fn mappings_are_decoded() {
        const NONE: i32 = i32::MIN;
        let entries = [[0, 0, 0, 0, 0, 0], [0, 1, 0, 1, 1, 0], [2, 2, -1, 0, 0, NONE], [2, 3, NONE, NONE, NONE, NONE]];
        assert_eq!(decoded("AAAAA,CACCA;;EDDD,C;"), entries.concat());
        assert_eq!(decoded("gBAAA;")[..2], [0, 16]);
        // The last entry ends the text: Node gives it a name.
        assert_eq!(decoded("AAAA")[5], 0);
        assert!(decoded("").is_empty());
        // Two UTF-16 code units: each is one number.
        assert_eq!(decoded("\u{1f600};"), [0, 0, 0, 0, 0, 0]);
        assert_eq!(decoded("\u{e9};"), [0, 0, NONE, NONE, NONE, NONE]);
        // A number that does not end.
        decoded(&"g".repeat(1 << 16));
    }

    #[test]
    fn numbers_may_add_up_to_large_ones() {
        let smallest = f64::from(i32::MIN);
        let Entries::Large(entries) = decode("B,BAAA;") else { panic!("not large") };
        assert_eq!(entries[..2], [0.0, smallest]);
        assert!(entries[2..6].iter().all(|number| number.is_nan()));
        assert_eq!(entries[6..11], [0.0, 2.0 * smallest, 0.0, 0.0, 0.0]);
    }
}
