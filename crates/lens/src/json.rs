//! JSON for the control socket and other small texts: a value, its parser (RFC 8259) and its text.

use std::fmt::{self, Write};

/// A JSON value.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Json {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(f64),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Json>),
    /// An object, with its members in order.
    Object(Vec<(String, Json)>),
}

/// How deep arrays and objects may be nested.
const MOST_DEPTH: u32 = 32;

impl Json {
    /// An object of these members.
    pub fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
        Json::Object(members.map(|(name, value)| (name.to_owned(), value)).into())
    }

    /// An array of these values.
    pub fn list<T: Into<Json>>(values: impl IntoIterator<Item = T>) -> Json {
        Json::List(values.into_iter().map(Into::into).collect())
    }

    /// Parses a text.
    ///
    /// # Errors
    ///
    /// What is wrong, and at which byte.
    pub fn parse(text: &str) -> Result<Json, String> {
        let mut parser = Parser { bytes: text.as_bytes(), text, at: 0 };
        let value = parser.value(0)?;
        parser.skip_blanks();
        if parser.at == text.len() { Ok(value) } else { Err(parser.fault("unexpected text after the value")) }
    }

    /// The member of an object.
    pub fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => members.iter().find(|(other, _)| other == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A number.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Json::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// A number that is a non-negative integer.
    pub fn as_u64(&self) -> Option<u64> {
        self.as_f64().filter(|number| *number >= 0.0 && number.fract() == 0.0).map(|number| number as u64)
    }

    /// A boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Json::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The values of an array; none if it is something else.
    pub fn items(&self) -> &[Json] {
        match self {
            Json::List(values) => values,
            _ => &[],
        }
    }

    /// The text of a member, or the empty text.
    pub fn text(&self, name: &str) -> &str {
        self.get(name).and_then(Json::as_str).unwrap_or_default()
    }

    /// The number of a member, or 0.
    pub fn number(&self, name: &str) -> f64 {
        self.get(name).and_then(Json::as_f64).unwrap_or_default()
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Json {
        Json::Text(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Json {
        Json::Text(text)
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Json {
        Json::Bool(value)
    }
}

impl From<f64> for Json {
    fn from(number: f64) -> Json {
        Json::Number(number)
    }
}

impl From<u32> for Json {
    fn from(number: u32) -> Json {
        Json::Number(number.into())
    }
}

/// Numbers above 2^53 are rounded.
impl From<u64> for Json {
    fn from(number: u64) -> Json {
        Json::Number(number as f64)
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => f.write_str("null"),
            Json::Bool(value) => value.fmt(f),
            Json::Number(number) if number.is_finite() => number.fmt(f),
            Json::Number(_) => f.write_str("null"),
            Json::Text(text) => quote(f, text),
            Json::List(values) => {
                f.write_char('[')?;
                for (at, value) in values.iter().enumerate() {
                    write!(f, "{}{value}", if at == 0 { "" } else { "," })?;
                }
                f.write_char(']')
            }
            Json::Object(members) => {
                f.write_char('{')?;
                for (at, (name, value)) in members.iter().enumerate() {
                    f.write_str(if at == 0 { "" } else { "," })?;
                    quote(f, name)?;
                    write!(f, ":{value}")?;
                }
                f.write_char('}')
            }
        }
    }
}

fn quote(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for letter in text.chars() {
        match letter {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            letter if letter < ' ' => write!(f, "\\u{:04x}", u32::from(letter))?,
            letter => f.write_char(letter)?,
        }
    }
    f.write_char('"')
}

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn fault(&self, what: &str) -> String {
        format!("{what} at byte {}", self.at)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    /// Skips this byte, after blanks, if it is next.
    fn skip(&mut self, byte: u8) -> bool {
        self.skip_blanks();
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn value(&mut self, depth: u32) -> Result<Json, String> {
        if depth > MOST_DEPTH {
            return Err(self.fault("nested too deeply"));
        }
        self.skip_blanks();
        match self.peek() {
            Some(b'{') => self.object_at(depth),
            Some(b'[') => self.list_at(depth),
            Some(b'"') => self.string().map(Json::Text),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => {
                for (word, value) in [("null", Json::Null), ("true", Json::Bool(true)), ("false", Json::Bool(false))] {
                    if self.bytes[self.at..].starts_with(word.as_bytes()) {
                        self.at += word.len();
                        return Ok(value);
                    }
                }
                Err(self.fault("expected a value"))
            }
        }
    }

    fn object_at(&mut self, depth: u32) -> Result<Json, String> {
        self.at += 1;
        let mut members = Vec::new();
        if self.skip(b'}') {
            return Ok(Json::Object(members));
        }
        loop {
            self.skip_blanks();
            let name = self.string()?;
            if !self.skip(b':') {
                return Err(self.fault("expected ':'"));
            }
            members.push((name, self.value(depth + 1)?));
            if self.skip(b'}') {
                return Ok(Json::Object(members));
            }
            if !self.skip(b',') {
                return Err(self.fault("expected ',' or '}'"));
            }
        }
    }

    fn list_at(&mut self, depth: u32) -> Result<Json, String> {
        self.at += 1;
        let mut values = Vec::new();
        if self.skip(b']') {
            return Ok(Json::List(values));
        }
        loop {
            values.push(self.value(depth + 1)?);
            if self.skip(b']') {
                return Ok(Json::List(values));
            }
            if !self.skip(b',') {
                return Err(self.fault("expected ',' or ']'"));
            }
        }
    }

    fn number(&mut self) -> Result<Json, String> {
        let begin = self.at;
        while matches!(self.peek(), Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')) {
            self.at += 1;
        }
        self.text[begin..self.at].parse().map(Json::Number).map_err(|_| self.fault("bad number"))
    }

    fn string(&mut self) -> Result<String, String> {
        if self.peek() != Some(b'"') {
            return Err(self.fault("expected a string"));
        }
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = &self.text[self.at..];
            let end = rest.find(['"', '\\']).ok_or_else(|| self.fault("unterminated string"))?;
            out.push_str(&rest[..end]);
            self.at += end + 1;
            if rest.as_bytes()[end] == b'"' {
                return Ok(out);
            }
            out.push(self.escape()?);
        }
    }

    fn escape(&mut self) -> Result<char, String> {
        let letter = self.peek().ok_or_else(|| self.fault("unterminated string"))?;
        self.at += 1;
        Ok(match letter {
            b'"' | b'\\' | b'/' => letter.into(),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let first = self.hex()?;
                // A pair of surrogates is one character; a lone one is none.
                if (0xd800..0xdc00).contains(&first) && self.bytes[self.at..].starts_with(b"\\u") {
                    self.at += 2;
                    let second = self.hex()?;
                    let low = second.wrapping_sub(0xdc00) & 0x3ff;
                    char::from_u32(0x10000 + ((first - 0xd800) << 10) + low).unwrap_or(char::REPLACEMENT_CHARACTER)
                } else {
                    char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER)
                }
            }
            _ => return Err(self.fault("bad escape")),
        })
    }

    fn hex(&mut self) -> Result<u32, String> {
        let digits = self.text.get(self.at..self.at + 4).ok_or_else(|| self.fault("bad escape"))?;
        let number = u32::from_str_radix(digits, 16).map_err(|_| self.fault("bad escape"))?;
        self.at += 4;
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_survives_its_text() {
        let text = r#"{"a":[1,-2.5,true,null],"b":{"c":"ä\n\"\\\u0001"},"d":[],"e":{}}"#;
        let value = Json::parse(text).unwrap();
        assert_eq!(value.to_string(), text);
        assert_eq!(value.get("a").unwrap().items()[0].as_u64(), Some(1));
        assert_eq!(value.get("b").unwrap().text("c"), "ä\n\"\\\u{1}");
        assert_eq!(Json::parse(" \"\\ud83d\\ude00\\/\" ").unwrap(), Json::from("😀/"));
    }

    #[test]
    fn garbage_is_refused_without_a_panic() {
        let deep = "[".repeat(100_000);
        let bad =
            ["", "{", "[1,", "{\"a\"}", "\"", "\"\\u12", "\"\\x\"", "1 2", "nul", "--", "{1:2}", "\"\\u00é", &deep];
        for text in bad {
            assert!(Json::parse(text).is_err(), "{text:.20}");
        }
    }
}
