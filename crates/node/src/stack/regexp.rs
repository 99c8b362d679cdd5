//! V8's message for a regular expression that QuickJS rejects: the first error in the order in which V8 parses.
//!
//! QuickJS stops at the same place with another message, so the pattern is parsed again. Only QuickJS knows whether a Unicode property
//! name exists; if it rejected one, that error is taken as the first. Classes of the `v` flag are in `regexp_sets.rs`.

use oxc_syntax::identifier::{is_identifier_part, is_identifier_start};

/// What is wrong, in V8's words.
pub(super) type Read<T = ()> = Result<T, &'static str>;

pub(super) const UNTERMINATED_CLASS: &str = "Unterminated character class";
pub(super) const NO_RANGE: &str = "Invalid character class";
pub(super) const OUT_OF_ORDER: &str = "Range out of order in character class";
const INVALID_ESCAPE: &str = "Invalid escape";
const INVALID_UNICODE: &str = "Invalid Unicode escape";
const INVALID_NAME: &str = "Invalid capture group name";

/// Properties that stand for strings of more than one character: only classes of the flag `v` have them, and not their opposite.
const OF_STRINGS: &[&str] = &[
    "Basic_Emoji",
    "Emoji_Keycap_Sequence",
    "RGI_Emoji",
    "RGI_Emoji_Flag_Sequence",
    "RGI_Emoji_Modifier_Sequence",
    "RGI_Emoji_Tag_Sequence",
    "RGI_Emoji_ZWJ_Sequence",
];

/// The first thing that is wrong with a pattern; nothing if it seems all right. The engine may know of a property that there is not.
pub(super) fn trouble(pattern: &str, flags: &str, has_unknown: bool) -> Option<&'static str> {
    let has_sets = flags.contains('v');
    let is_unicode = has_sets || flags.contains('u');
    let signs = match is_unicode {
        true => pattern.chars().map(u32::from).collect(),
        false => pattern.encode_utf16().map(u32::from).collect(),
    };
    let (has_names, names) = (is_unicode, Vec::new());
    let mut reader = Reader { signs, at: 0, is_unicode, has_sets, has_names, has_unknown, groups: 0, names };
    reader.count_groups();
    reader.pattern().err()
}

/// What an escape in a class, or any other part of one, stands for.
pub(super) enum Member {
    Sign(u32),
    /// More than one, as `\d`.
    Several,
    /// Some that are longer than one character.
    Strings,
}

/// Whoever has read a group's end knows what may follow.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    Plain,
    /// Looks ahead, which may be repeated outside of Unicode.
    Ahead,
    Behind,
}

pub(super) struct Reader {
    /// Characters, or units of UTF-16 outside of Unicode.
    signs: Vec<u32>,
    at: usize,
    is_unicode: bool,
    has_sets: bool,
    /// Whether `\k` names a group.
    has_names: bool,
    /// Whether there is no property of the first name.
    has_unknown: bool,
    groups: u32,
    names: Vec<String>,
}

impl Reader {
    pub(super) fn next(&self, ahead: usize) -> Option<char> {
        // Half of a pair is no sign of the language.
        self.signs.get(self.at + ahead).map(|sign| char::from_u32(*sign).unwrap_or('\u{fffd}'))
    }

    pub(super) fn sees(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(ahead, sign)| self.next(ahead) == Some(sign))
    }

    /// Goes behind a text, if it is there.
    pub(super) fn takes(&mut self, text: &str) -> bool {
        let is_there = self.sees(text);
        self.at += if is_there { text.chars().count() } else { 0 };
        is_there
    }

    pub(super) fn take(&mut self) -> Option<u32> {
        let sign = self.signs.get(self.at).copied();
        self.at += usize::from(sign.is_some());
        sign
    }

    /// Counts the groups that capture, wherever they are, and hears whether one has a name.
    fn count_groups(&mut self) {
        let mut is_class = false;
        while let Some(sign) = self.next(0) {
            match sign {
                '\\' => self.at += 1,
                '[' => is_class = true,
                ']' => is_class = false,
                '(' if !is_class => {
                    let is_named = self.sees("(?<") && !matches!(self.next(3), Some('=' | '!'));
                    self.has_names |= is_named;
                    self.groups += u32::from(is_named || !self.sees("(?"));
                }
                _ => {}
            }
            self.at += 1;
        }
        self.at = 0;
    }

    fn pattern(&mut self) -> Read {
        let mut open = Vec::new();
        let mut named = Vec::new();
        while let Some(sign) = self.next(0) {
            match sign {
                ')' => {
                    let Some(group) = open.pop() else { return Err("Unmatched ')'") };
                    self.at += 1;
                    if group == Group::Behind || group == Group::Ahead && self.is_unicode {
                        if self.sees_quantifier() {
                            return Err("Invalid quantifier");
                        }
                        continue;
                    }
                }
                '(' => {
                    open.push(self.group()?);
                    continue;
                }
                '|' | '^' | '$' => {
                    self.at += 1;
                    continue;
                }
                '*' | '+' | '?' => return Err("Nothing to repeat"),
                '{' if self.sees_quantifier() => return Err("Nothing to repeat"),
                '{' | '}' | ']' if self.is_unicode => return Err("Lone quantifier brackets"),
                '[' if self.has_sets => {
                    self.at += 1;
                    self.set()?;
                }
                '[' => self.class()?,
                '\\' => {
                    self.at += 1;
                    if self.takes("b") || self.takes("B") {
                        continue;
                    }
                    self.escape(&mut named)?;
                }
                _ => self.at += 1,
            }
            self.quantifier()?;
        }
        match named.iter().all(|name| self.names.contains(name)) {
            _ if !open.is_empty() => Err("Unterminated group"),
            true => Ok(()),
            false => Err("Invalid named capture referenced"),
        }
    }

    fn group(&mut self) -> Read<Group> {
        self.at += 1;
        if !self.takes("?") || self.takes(":") {
            return Ok(Group::Plain);
        }
        if self.takes("=") || self.takes("!") {
            return Ok(Group::Ahead);
        }
        if self.takes("<=") || self.takes("<!") {
            return Ok(Group::Behind);
        }
        if !self.takes("<") {
            return Err("Invalid group");
        }
        let name = self.name()?;
        if self.names.contains(&name) {
            return Err("Duplicate capture group name");
        }
        self.names.push(name);
        Ok(Group::Plain)
    }

    /// A group's name, behind `<`.
    fn name(&mut self) -> Read<String> {
        let mut name = String::new();
        while !self.takes(">") {
            let is_half = |sign: u32, first: u32| sign & 0xfc00 == first;
            let sign = match self.take() {
                Some(sign) if sign == u32::from('\\') && self.takes("u") => {
                    self.unicode(true).ok_or(INVALID_UNICODE)?
                }
                Some(first) => match self.signs.get(self.at) {
                    Some(second) if is_half(first, 0xd800) && is_half(*second, 0xdc00) => {
                        self.at += 1;
                        0x10000 + ((first & 0x3ff) << 10) + (self.signs[self.at - 1] & 0x3ff)
                    }
                    _ => first,
                },
                None => return Err(INVALID_NAME),
            };
            let is_of_name = |sign: &char| match name.is_empty() {
                true => is_identifier_start(*sign),
                false => is_identifier_part(*sign),
            };
            name.push(char::from_u32(sign).filter(is_of_name).ok_or(INVALID_NAME)?);
        }
        if name.is_empty() { Err(INVALID_NAME) } else { Ok(name) }
    }

    /// Whether what is next says how often, whatever stands before.
    fn sees_quantifier(&self) -> bool {
        matches!(self.next(0), Some('*' | '+' | '?')) || self.interval().is_some()
    }

    /// `{1}`, `{1,}` or `{1,2}`: how long it is, and whether the numbers are in order.
    fn interval(&self) -> Option<(usize, bool)> {
        if self.next(0) != Some('{') {
            return None;
        }
        let digits = |from: usize| (from..).map_while(|ahead| self.next(ahead).filter(char::is_ascii_digit));
        let number = |from| digits(from).collect::<String>().parse::<f64>().unwrap_or(f64::INFINITY);
        let first = digits(1).count();
        let mut end = 1 + first;
        if first == 0 {
            return None;
        }
        let mut is_ordered = true;
        if self.next(end) == Some(',') {
            let second = digits(end + 1).count();
            is_ordered = second == 0 || number(1) <= number(end + 1);
            end += 1 + second;
        }
        (self.next(end) == Some('}')).then_some((end + 1, is_ordered))
    }

    /// How often something is repeated, behind it.
    fn quantifier(&mut self) -> Read {
        match (self.next(0), self.interval()) {
            (Some('*' | '+' | '?'), _) => self.at += 1,
            (_, Some((_, false))) => return Err("numbers out of order in {} quantifier"),
            (_, Some((length, true))) => self.at += length,
            (Some('{'), None) if self.is_unicode => return Err("Incomplete quantifier"),
            _ => return Ok(()),
        }
        self.takes("?");
        Ok(())
    }

    /// What stands behind a backslash outside of classes. Names of groups are put to those that must exist.
    fn escape(&mut self, named: &mut Vec<String>) -> Read {
        match self.next(0) {
            Some('1'..='9') if self.is_unicode => {
                let digits = (0..).map_while(|ahead| self.next(ahead).filter(char::is_ascii_digit));
                let digits: String = digits.collect();
                self.at += digits.len();
                if digits.parse().is_ok_and(|group: u32| group <= self.groups) { Ok(()) } else { Err(INVALID_ESCAPE) }
            }
            Some('0') if self.is_unicode && self.next(1).is_some_and(|next| next.is_ascii_digit()) => {
                Err("Invalid decimal escape")
            }
            Some('k') if self.has_names => {
                self.at += 1;
                if !self.takes("<") {
                    return Err("Invalid named reference");
                }
                named.push(self.name()?);
                Ok(())
            }
            Some('p' | 'P') if self.is_unicode => self.property().map(drop).ok_or("Invalid property name"),
            _ => self.sign().map(drop),
        }
    }

    /// `{name}` behind `\p`: whether it stands for strings.
    fn property(&mut self) -> Option<bool> {
        let is_opposite = self.take() == Some(u32::from('P'));
        let is_of_name = |sign: &char| sign.is_ascii_alphanumeric() || matches!(sign, '_' | '=');
        let name: String = (1..).map_while(|ahead| self.next(ahead).filter(is_of_name)).collect();
        let is_whole = self.takes("{") && !name.is_empty();
        self.at += name.len();
        let is_of_strings = OF_STRINGS.contains(&name.as_str());
        let is_allowed = !is_of_strings || self.has_sets && !is_opposite;
        (is_whole && self.takes("}") && is_allowed && !self.has_unknown).then_some(is_of_strings)
    }

    /// One character behind a backslash.
    fn sign(&mut self) -> Read<u32> {
        let Some(sign) = self.take() else { return Err("\\ at end of pattern") };
        let known = char::from_u32(sign).unwrap_or('\u{fffd}');
        let control = |letter: char| u32::from(letter) % 32;
        Ok(match known {
            't' => 9,
            'n' => 10,
            'v' => 11,
            'f' => 12,
            'r' => 13,
            '0' if !self.next(0).is_some_and(|next| next.is_ascii_digit()) => 0,
            'c' => match self.next(0).filter(char::is_ascii_alphabetic) {
                Some(letter) => {
                    self.at += 1;
                    control(letter)
                }
                None if self.is_unicode => return Err(INVALID_UNICODE),
                None => sign,
            },
            'x' => match self.digits(2) {
                Some(code) => code,
                None if self.is_unicode => return Err(INVALID_ESCAPE),
                None => sign,
            },
            'u' => match self.unicode(self.is_unicode) {
                Some(code) => code,
                None if self.is_unicode => return Err(INVALID_UNICODE),
                None => sign,
            },
            'd' | 'D' | 's' | 'S' | 'w' | 'W' => sign,
            _ if !self.is_unicode || "^$\\.*+?()[]{}|/".contains(known) => sign,
            _ => return Err(INVALID_ESCAPE),
        })
    }

    /// So many digits of base 16.
    fn digits(&mut self, count: usize) -> Option<u32> {
        let code = (0..count).try_fold(0, |code, ahead| Some(code * 16 + self.next(ahead)?.to_digit(16)?))?;
        self.at += count;
        Some(code)
    }

    /// What stands behind `\u`, maybe in braces.
    fn unicode(&mut self, may_be_long: bool) -> Option<u32> {
        if !may_be_long || !self.sees("{") {
            return self.digits(4);
        }
        let digits: String = (1..).map_while(|ahead| self.next(ahead).filter(char::is_ascii_hexdigit)).collect();
        let code = u32::from_str_radix(digits.trim_start_matches('0'), 16).unwrap_or(0);
        self.at += 1 + digits.len();
        (!digits.is_empty() && digits.trim_start_matches('0').len() < 8 && code <= 0x10ffff && self.takes("}"))
            .then_some(code)
    }

    /// A class without the flag `v`.
    fn class(&mut self) -> Read {
        self.at += 1;
        self.takes("^");
        while !self.takes("]") {
            let first = self.member()?;
            let is_range = self.sees("-") && !self.sees("-]") && self.next(1).is_some();
            if !is_range {
                continue;
            }
            self.at += 1;
            match (first, self.member()?) {
                (Member::Sign(first), Member::Sign(last)) if first > last => return Err(OUT_OF_ORDER),
                (Member::Sign(_), Member::Sign(_)) => {}
                _ if self.is_unicode => return Err(NO_RANGE),
                _ => {}
            }
        }
        Ok(())
    }

    fn member(&mut self) -> Read<Member> {
        if self.takes("\\") {
            return self.class_escape();
        }
        self.take().map(Member::Sign).ok_or(UNTERMINATED_CLASS)
    }

    /// What stands behind a backslash in a class.
    pub(super) fn class_escape(&mut self) -> Read<Member> {
        match self.next(0) {
            Some('b') => {
                self.at += 1;
                Ok(Member::Sign(8))
            }
            Some('d' | 'D' | 's' | 'S' | 'w' | 'W') => {
                self.at += 1;
                Ok(Member::Several)
            }
            Some('p' | 'P') if self.is_unicode => match self.property() {
                Some(true) => Ok(Member::Strings),
                Some(false) => Ok(Member::Several),
                None => Err("Invalid property name in character class"),
            },
            Some('-') if self.is_unicode => Ok(Member::Sign(self.take().unwrap_or_default())),
            Some('1'..='7') if self.is_unicode => Err("Invalid class escape"),
            Some('0') if self.is_unicode && self.next(1).is_some_and(|next| next.is_ascii_digit()) => {
                Err("Invalid class escape")
            }
            Some('0'..='7') => {
                let octal = (0..3).map_while(|ahead| self.next(ahead)?.to_digit(8)).collect::<Vec<u32>>();
                let length = if octal[0] > 3 { octal.len().min(2) } else { octal.len() };
                self.at += length;
                Ok(Member::Sign(octal[..length].iter().fold(0, |code, digit| code * 8 + digit)))
            }
            _ => self.sign().map(Member::Sign),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::trouble;

    #[test]
    fn patterns_are_read_as_v8_does() {
        for (pattern, flags, words) in [
            (r"\1", "u", Some("Invalid escape")),
            (r"\1(a)", "u", None),
            (r"\01", "u", Some("Invalid decimal escape")),
            (r"\01", "", None),
            (r"\k", "u", Some("Invalid named reference")),
            (r"\k<b>(?<a>)", "", Some("Invalid named capture referenced")),
            (r"(?<a>x)(?<\u0061>y)", "", Some("Duplicate capture group name")),
            ("(?=a)*", "u", Some("Invalid quantifier")),
            ("(?=a)*", "", None),
            ("(?<=a)*", "", Some("Invalid quantifier")),
            ("a{1", "u", Some("Incomplete quantifier")),
            ("a{2,1}", "", Some("numbers out of order in {} quantifier")),
            ("{", "u", Some("Lone quantifier brackets")),
            ("{1}", "", Some("Nothing to repeat")),
            (r"[\B]", "u", Some("Invalid escape")),
            (r"[\00]", "u", Some("Invalid class escape")),
            (r"[a-\d]", "u", Some("Invalid character class")),
            (r"[a-\d]", "", None),
            (r"[\pL]", "u", Some("Invalid property name in character class")),
            ("[\u{1f600}-\u{1f601}]", "", Some("Range out of order in character class")),
            ("[\u{1f600}-\u{1f601}]", "u", None),
            ("[a-", "", Some("Unterminated character class")),
            (r"[a\", "", Some(r"\ at end of pattern")),
            ("(?i", "", Some("Invalid group")),
            ("(a", "", Some("Unterminated group")),
        ] {
            assert_eq!(trouble(pattern, flags, false), words, "/{pattern}/{flags}");
        }
        assert_eq!(trouble(r"\p{Foo}(", "u", true), Some("Invalid property name"));
        assert_eq!(trouble(r"[\p{Foo}]", "v", true), Some("Invalid property name in character class"));
    }
}
