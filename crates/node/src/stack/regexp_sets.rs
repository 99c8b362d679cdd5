//! Syntax errors in character classes of the `v` flag: nested sets, intersection, subtraction and string literals.

use super::regexp::{Member, NO_RANGE, OUT_OF_ORDER, Read, Reader, UNTERMINATED_CLASS};

const INVALID_SIGN: &str = "Invalid character in character class";
const INVALID_OPERATION: &str = "Invalid set operation in character class";

/// Signs that mean something in a class.
const SYNTAX: &str = "()[]{}/-\\|";

/// Signs that may mean something one day where there are two of them.
const DOUBLE: &str = "&!#$%*+,.:;<=>?@^`~";

/// Signs that are themselves behind a backslash.
const ESCAPED: &str = "&-!#%,:;<=>@`~";

impl Reader {
    /// A class, behind its bracket: whether some of its strings are longer than one character.
    pub(super) fn set(&mut self) -> Read<bool> {
        let is_negated = self.takes("^");
        let has_strings = match self.sees("]") {
            true => false,
            false => self.members()?,
        };
        self.at_end()?;
        self.takes("]");
        if is_negated && has_strings { Err("Negated character class may contain strings") } else { Ok(has_strings) }
    }

    fn at_end(&self) -> Read {
        if self.next(0).is_none() { Err(UNTERMINATED_CLASS) } else { Ok(()) }
    }

    /// The first member says by what follows it what the class is.
    fn members(&mut self) -> Read<bool> {
        let first = self.operand()?;
        let has_strings = matches!(first, Member::Strings);
        if self.sees("--") {
            self.operands("--")?;
            return Ok(has_strings);
        }
        if self.sees("&&") {
            return Ok(self.operands("&&")? && has_strings);
        }
        self.union(first)
    }

    /// What follows the first member of a class that cuts out, or keeps only what all have: whether all the others have strings.
    fn operands(&mut self, operator: &str) -> Read<bool> {
        let mut all_have_strings = true;
        while !self.sees("]") {
            self.at_end()?;
            if !self.takes(operator) {
                return Err(INVALID_OPERATION);
            }
            if operator == "&&" && self.sees("&") {
                return Err(INVALID_SIGN);
            }
            all_have_strings &= matches!(self.operand()?, Member::Strings);
        }
        Ok(all_have_strings)
    }

    fn union(&mut self, first: Member) -> Read<bool> {
        let mut has_strings = matches!(first, Member::Strings);
        let mut last = first;
        while !self.sees("]") {
            self.at_end()?;
            if self.sees("--") {
                return Err(INVALID_OPERATION);
            }
            if !self.takes("-") {
                last = self.operand()?;
                has_strings |= matches!(last, Member::Strings);
                continue;
            }
            let Member::Sign(from) = last else { return Err(NO_RANGE) };
            match self.operand()? {
                Member::Sign(to) if from > to => return Err(OUT_OF_ORDER),
                Member::Sign(_) => last = Member::Several,
                _ => return Err(NO_RANGE),
            }
        }
        Ok(has_strings)
    }

    fn operand(&mut self) -> Read<Member> {
        self.at_end()?;
        if self.takes("[") {
            return Ok(if self.set()? { Member::Strings } else { Member::Several });
        }
        if self.sees("\\q{") {
            return Ok(if self.strings()? { Member::Strings } else { Member::Several });
        }
        self.one()
    }

    /// A character, or an escape that may be more.
    fn one(&mut self) -> Read<Member> {
        if self.takes("\\") {
            if let Some(sign) = self.next(0).filter(|sign| ESCAPED.contains(*sign)) {
                self.take();
                return Ok(Member::Sign(u32::from(sign)));
            }
            return self.class_escape();
        }
        match self.next(0) {
            Some(sign) if SYNTAX.contains(sign) => Err(INVALID_SIGN),
            Some(sign) if DOUBLE.contains(sign) && self.next(1) == Some(sign) => Err(INVALID_OPERATION),
            _ => self.take().map(Member::Sign).ok_or(UNTERMINATED_CLASS),
        }
    }

    /// `\q{one|another}`: whether one of them is not one character.
    fn strings(&mut self) -> Read<bool> {
        self.takes("\\q{");
        let (mut length, mut has_strings) = (0, false);
        while !self.takes("}") {
            self.at_end()?;
            if self.takes("|") {
                has_strings |= length != 1;
                length = 0;
                continue;
            }
            self.one()?;
            length += 1;
        }
        Ok(has_strings || length != 1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::regexp::trouble;

    #[test]
    fn sets_are_read_as_v8_does() {
        for (pattern, words) in [
            ("[a&&&b]", Some("Invalid character in character class")),
            ("[&&a]", Some("Invalid set operation in character class")),
            ("[a--b&&c]", Some("Invalid set operation in character class")),
            ("[a&&b]", None),
            ("[[a-z]--[aeiou]]", None),
            ("[a-b-c]", Some("Invalid character class")),
            ("[(]", Some("Invalid character in character class")),
            (r"[\(\&]", None),
            (r"[\q{a|b]", Some("Invalid character in character class")),
            (r"[^\q{ab}]", Some("Negated character class may contain strings")),
            (r"[^\q{a}]", None),
            (r"[^\q{ab}&&\w]", None),
            (r"[^\p{RGI_Emoji}--\q{a}]", Some("Negated character class may contain strings")),
            (r"[\P{RGI_Emoji}]", Some("Invalid property name in character class")),
            ("[a&&[b", Some("Unterminated character class")),
        ] {
            assert_eq!(trouble(pattern, "v", false), words, "/{pattern}/v");
        }
    }
}
