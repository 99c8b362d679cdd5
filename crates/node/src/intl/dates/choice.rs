//! Selects the pattern of a locale that matches a skeleton best, adjusts the widths of its fields and appends missing fields. The algorithm
//! is that of ICU's `DateTimePatternGenerator`, so that the same options give the same text.

use super::locale::Locale;
use super::pattern::rewritten;
use super::skeleton::{DATE, Distance, Field, Mask, Skeleton, TIME, field_of};

/// A pattern that is known, and what it is for.
struct Known {
    skeleton: Skeleton,
    pattern: &'static str,
    /// The data name the skeleton; else it is the pattern's own.
    is_given: bool,
}

/// The patterns of a locale, filed by the first letters of their skeletons.
pub(super) struct Choice {
    /// How date and time stand together, for dates of each style.
    at_time: [&'static str; 4],
    known: Vec<Known>,
    /// What fields are called that have no place in a pattern.
    names: [&'static str; 6],
    /// What stands before the fractions of seconds.
    decimal: &'static str,
}

/// What may be done to a pattern that was found.
#[derive(Clone, Copy)]
pub(super) struct Manner {
    /// The letter of the hours that the locale, or its keyword, wants: `h`, `H`, `K` or `k`.
    pub(super) hour: u8,
    /// Hours are as wide as they were asked for, not as the pattern has them.
    pub(super) keeps_hour_width: bool,
}

impl Choice {
    pub(super) fn of(locale: &Locale) -> Self {
        let mut made = Self {
            at_time: locale.styles("at"),
            known: Vec::new(),
            names: [0, 1, 2, 3, 4, 5].map(|index| locale.one("fields", index)),
            decimal: locale.value("decimal"),
        };
        for pattern in ["G", "y", "M", "E", "d", "a", "H", "m", "s", "S", "v"] {
            made.add(pattern, None);
        }
        for pattern in locale.styles("times").into_iter().chain(locale.styles("dates")) {
            made.add(pattern, None);
        }
        for &(skeleton, pattern) in locale.patterns() {
            made.add(pattern, Some(skeleton));
        }
        made.known.sort_by_key(|known| known.skeleton.first_letter());
        made
    }

    /// Patterns with a skeleton of their own take the place of those without; else the first that comes stays.
    fn add(&mut self, pattern: &'static str, given: Option<&str>) {
        let skeleton = Skeleton::of(given.unwrap_or(pattern));
        let is_given = given.is_some();
        if !is_given && self.known.iter().any(|known| known.skeleton.base == skeleton.base && !known.is_given) {
            return;
        }
        let same = self.known.iter().find(|known| known.skeleton.written == skeleton.written);
        if same.is_some_and(|same| !is_given || same.is_given) {
            return;
        }
        let twin = self
            .known
            .iter_mut()
            .find(|known| known.skeleton.base == skeleton.base && known.skeleton.has_forms_of(&skeleton));
        match twin {
            Some(twin) => (twin.pattern, twin.is_given) = (pattern, is_given),
            None => self.known.push(Known { skeleton, pattern, is_given }),
        }
    }

    /// The best pattern for a skeleton.
    pub(super) fn best(&self, skeleton: &str, manner: Manner) -> String {
        let wanted = Skeleton::of(skeleton);
        let (known, distance) = self.nearest(&wanted, Mask::MAX);
        if distance.missing == 0 && distance.extra == 0 {
            return adjust(known.pattern, &wanted, known, manner, None);
        }
        let mask = wanted.mask();
        let date = self.appended(&wanted, mask & DATE, manner);
        let time = self.appended(&wanted, mask & TIME, manner);
        match (date.is_empty(), time.is_empty()) {
            (true, _) => time,
            (_, true) => date,
            _ => {
                let (_, month) = wanted.base[Field::Month as usize];
                let style = match month {
                    4 if wanted.has(Field::Weekday) => 0,
                    4 => 1,
                    3 => 2,
                    _ => 3,
                };
                joined(self.at_time[style], &time, &date)
            }
        }
    }

    fn nearest(&self, wanted: &Skeleton, mask: Mask) -> (&Known, Distance) {
        let mut best = (&self.known[0], wanted.distance(&self.known[0].skeleton, mask));
        for known in &self.known[1..] {
            let found = wanted.distance(&known.skeleton, mask);
            if found.far < best.1.far || found.far == best.1.far && best.1.missing < found.missing {
                best = (known, found);
            }
            if best.1.far == 0 {
                break;
            }
        }
        best
    }

    /// The best pattern for some of the fields. Whatever no pattern has together is put behind it, one after the other.
    fn appended(&self, wanted: &Skeleton, mask: Mask, manner: Manner) -> String {
        if mask == 0 {
            return String::new();
        }
        let (mut known, mut distance) = self.nearest(wanted, mask);
        let mut made = adjust(known.pattern, wanted, known, manner, None);
        let seconds = Field::Second.bit() | Field::Fraction.bit();
        let mut missing_before = 0;
        while distance.missing != 0 && distance.missing != missing_before {
            if distance.missing & seconds == Field::Fraction.bit() && mask & seconds == seconds {
                made = adjust(&made, wanted, known, manner, Some(self.decimal));
                distance.missing &= !Field::Fraction.bit();
                continue;
            }
            let missing = distance.missing;
            (known, distance) = self.nearest(wanted, missing);
            let more = adjust(known.pattern, wanted, known, manner, None);
            let found = missing & !distance.missing;
            made = self.with(found.checked_ilog2().unwrap_or(0), &made, &more);
            missing_before = distance.missing;
        }
        made
    }

    /// A pattern with a field put behind it.
    fn with(&self, field: u32, made: &str, more: &str) -> String {
        let named = [Field::Month, Field::Day, Field::DayPeriod, Field::Hour, Field::Minute, Field::Second];
        let name = named.into_iter().position(|named| named as u32 == field).map(|at| self.names[at]);
        match name {
            // For these the data have no form: it is ICU's own.
            Some(name) if field == Field::DayPeriod as u32 => format!("{made} ├'{name}': {more}┤"),
            None if field == Field::Fraction as u32 => format!("{made} ├'F14': {more}┤"),
            Some(name) => format!("{made} ('{name}': {more})"),
            None => format!("{made} {more}"),
        }
    }
}

/// Puts time and date into a text with `{0}` and `{1}`.
pub(super) fn joined(text: &str, time: &str, date: &str) -> String {
    let mut made = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        made.push_str(&rest[..at]);
        made.push_str(if rest[at..].starts_with("{0}") { time } else { date });
        rest = &rest[at + 3..];
    }
    made + rest
}

/// A pattern with its fields in the forms that are wanted; and with fractions behind the seconds, if something is given to stand
/// between them.
fn adjust(pattern: &str, wanted: &Skeleton, known: &Known, manner: Manner, decimal: Option<&str>) -> String {
    rewritten(pattern, |made, letter, len| {
        let mut run = (letter, len);
        let mut fraction = 0;
        if let Some((field, is_number)) = field_of(letter, len) {
            if decimal.is_some() && field == Field::Second {
                fraction = usize::from(wanted.written[Field::Fraction as usize].1);
            } else if wanted.has(field) {
                run = adjusted(field, run, is_number, wanted, known, manner);
            }
        }
        made.extend(std::iter::repeat_n(char::from(run.0), run.1));
        if fraction > 0 {
            made.push_str(decimal.unwrap_or_default());
            made.extend(std::iter::repeat_n('S', fraction));
        }
    })
}

/// One field of a pattern, in the form that is wanted.
fn adjusted(
    field: Field,
    (letter, len): (u8, usize),
    is_number: bool,
    wanted: &Skeleton,
    known: &Known,
    manner: Manner,
) -> (u8, usize) {
    let (asked, width) = wanted.written[field as usize];
    let asked_len = if asked == b'E' { usize::from(width).max(3) } else { usize::from(width) };
    let keeps_len = match field {
        Field::Hour if !manner.keeps_hour_width => true,
        Field::Minute | Field::Second => true,
        _ if known.is_given && asked != b'c' => {
            let (_, given) = known.skeleton.written[field as usize];
            usize::from(given) == asked_len || is_number != wanted.is_number(field)
        }
        _ => false,
    };
    let made_len = if keeps_len { len } else { asked_len };
    let made = match field {
        Field::Hour => match (asked, manner.hour) {
            (asked, hour) if asked == hour => hour,
            (b'h', b'K') => b'K',
            (b'H', b'k') => b'k',
            (b'k', b'H') => b'H',
            (b'K', b'h') => b'h',
            _ => letter,
        },
        Field::Month | Field::Weekday | Field::Year => letter,
        _ => asked,
    };
    (made, made_len)
}
