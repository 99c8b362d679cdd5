//! Formats a date range; common fields appear once. As ICU's `DateIntervalFormat`, with the interval patterns of the locale.

use super::choice::Manner;
use super::format::{Format, Place, Written};
use super::interval_plans::Maker;
use super::locale::Locale;
use super::moment::Moment;
use super::pattern::{Piece, pieces};

/// The largest field in which two moments differ.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(usize)]
pub(super) enum Difference {
    Era,
    Year,
    Month,
    Day,
    HalfOfDay,
    Hour,
    Minute,
    Second,
    Millisecond,
}

use Difference::{Day, Era, HalfOfDay, Hour, Millisecond, Minute, Month, Second, Year};

impl Difference {
    fn between(from: &Moment, to: &Moment) -> Option<Self> {
        let fields = |moment: &Moment| {
            [
                i64::from(moment.is_before_christ()),
                moment.year,
                moment.month as i64,
                i64::from(moment.day),
                i64::from(moment.hour / 12),
                i64::from(moment.hour % 12),
                i64::from(moment.minute),
                i64::from(moment.second),
                i64::from(moment.millisecond),
            ]
        };
        let kinds = [Era, Year, Month, Day, HalfOfDay, Hour, Minute, Second, Millisecond];
        let at = fields(from).into_iter().zip(fields(to)).position(|(from, to)| from != to)?;
        Some(kinds[at])
    }

    /// The letter that the data name it by.
    pub(super) fn letter(self) -> u8 {
        b"GyMdahmsS"[self as usize]
    }

    /// How small it is.
    fn level(self) -> i32 {
        [0, 10, 20, 30, 40, 50, 60, 70, 80][self as usize]
    }

    fn is_within_a_day(self) -> bool {
        self >= HalfOfDay
    }
}

/// How small the field of a letter is; nothing of a date is at -1.
fn level_of(letter: u8) -> i32 {
    match letter {
        b'G' | b'O' | b'v' | b'z' => 0,
        b'y' => 10,
        b'M' | b'L' => 20,
        b'E' | b'c' | b'd' => 30,
        b'a' => 40,
        b'h' | b'H' | b'k' | b'K' => 50,
        b'm' => 60,
        b's' => 70,
        b'S' => 80,
        _ => -1,
    }
}

/// A pattern shows nothing as small as the difference.
pub(super) fn ignores(pattern: &str, difference: Difference) -> bool {
    !pieces(pattern).any(|piece| matches!(piece, Piece::Field(letter, _) if difference.level() <= level_of(letter)))
}

/// What to do with a difference.
#[derive(Clone, Default)]
pub(super) enum Plan {
    /// There is no pattern for it.
    #[default]
    None,
    /// Each of the two is written whole, by this pattern.
    Whole(String),
    /// The first by one, the second by the other.
    Parts(String, String),
}

pub(super) struct Interval {
    /// For a single moment.
    pub(super) pattern: String,
    pub(super) plans: [Plan; 9],
    /// What is written once, and what twice, if two times are on one day and nothing better is known.
    pub(super) halves: Option<(String, String)>,
    /// How date and time stand together.
    pub(super) join: &'static str,
    /// How two wholes stand together.
    pub(super) between: &'static str,
}

impl Interval {
    pub(super) fn of(locale: &Locale, skeleton: &str, hour: u8) -> Self {
        Maker { locale, manner: Manner { hour, keeps_hour_width: false }, skeleton }.make()
    }

    /// Both moments, or nothing if they look the same.
    pub(super) fn write(&self, place: &Place<'_>, from: &Moment, to: &Moment) -> Option<Written> {
        let difference = Difference::between(from, to)?;
        let mut out = Written::default();
        match &self.plans[difference as usize] {
            Plan::None if ignores(&self.pattern, difference) => return None,
            Plan::None => match &self.halves {
                Some((date, time)) if difference.is_within_a_day() => {
                    let (head, tail) = self.join.split_once("{0}")?;
                    for part in head.split_inclusive("{1}") {
                        out.text.push_str(part.trim_end_matches("{1}"));
                        if part.ends_with("{1}") {
                            Format::of(date).write(place, from, &mut out);
                        }
                    }
                    self.both(time, place, from, to, &mut out);
                    out.text.push_str(tail);
                }
                _ => self.both(&self.pattern, place, from, to, &mut out),
            },
            Plan::Whole(pattern) => self.both(pattern, place, from, to, &mut out),
            Plan::Parts(first, second) => {
                Format::of(first).write(place, from, &mut out);
                Format::of(second).write(place, to, &mut out);
            }
        }
        Some(out)
    }

    fn both(&self, pattern: &str, place: &Place<'_>, from: &Moment, to: &Moment, out: &mut Written) {
        let format = Format::of(pattern);
        format.write(place, from, out);
        out.text.push_str(self.between.trim_start_matches("{0}").trim_end_matches("{1}"));
        format.write(place, to, out);
    }
}
