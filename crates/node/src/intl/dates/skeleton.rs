//! Skeletons of UTS 35: the fields of a date and their widths. The distance between two skeletons, with which a pattern is selected, uses
//! the rules of UTS 35 ("Matching Skeletons") and ICU's weights.

use super::pattern::{Piece, pieces};

/// The fields that can be asked for, those of the date first. The order says which of two equally near patterns is the better.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum Field {
    Era,
    Year,
    Month,
    Weekday,
    Day,
    DayPeriod,
    Hour,
    Minute,
    Second,
    Fraction,
    Zone,
}

pub(super) const FIELDS: usize = 11;

/// A bit for each field.
pub(super) type Mask = u32;

pub(super) const DATE: Mask = (1 << Field::DayPeriod as usize) - 1;
pub(super) const TIME: Mask = ((1 << FIELDS) - 1) & !DATE;

impl Field {
    pub(super) const fn bit(self) -> Mask {
        1 << self as usize
    }
}

// Forms of fields: numbers are above zero, names below. Related forms are near each other.
const NUMERIC: i32 = 0x100;
const NARROW: i32 = -0x101;
const SHORT: i32 = -0x103;
const LONG: i32 = -0x104;
const DELTA: i32 = 0x10;

/// What is missing in a pattern can be appended; what is too much cannot be taken away.
const MISSING: i32 = 0x1000;
const EXTRA: i32 = 0x10000;

/// The field and the form of a letter that stands `len` times, and from how many of them on the form is the same.
fn form(letter: u8, len: usize) -> Option<(Field, i32, u8)> {
    use Field::*;
    let name = |field, delta: i32, least: u8| match len {
        5.. => (field, NARROW - delta, 5),
        4 => (field, LONG - delta, 4),
        _ => (field, SHORT - delta, least),
    };
    let named = |field, delta: i32| match len {
        3.. => name(field, delta, 3),
        _ => (field, NUMERIC + delta + len as i32, 1),
    };
    let number = |field, delta: i32| (field, NUMERIC + delta * DELTA + len as i32, 1);
    Some(match letter {
        b'G' => name(Era, 0, 1),
        b'y' => number(Year, 0),
        b'M' => named(Month, 0),
        b'L' => named(Month, DELTA),
        b'E' => name(Weekday, 0, 1),
        b'c' => named(Weekday, 2 * DELTA),
        b'd' => number(Day, 0),
        b'a' => name(DayPeriod, 0, 1),
        b'b' => name(DayPeriod, DELTA, 1),
        b'B' => name(DayPeriod, 3 * DELTA, 1),
        b'h' => number(Hour, 0),
        b'K' => number(Hour, 1),
        b'H' => number(Hour, 10),
        b'k' => number(Hour, 11),
        b'm' => number(Minute, 0),
        b's' => number(Second, 0),
        b'S' => number(Fraction, 0),
        b'z' => zone(len, 0),
        b'O' => zone(len, DELTA),
        b'v' => zone(len, 2 * DELTA),
        _ => return None,
    })
}

fn zone(len: usize, delta: i32) -> (Field, i32, u8) {
    if len >= 4 { (Field::Zone, LONG - delta, 4) } else { (Field::Zone, SHORT - delta, 1) }
}

/// The field of a letter, and whether that many of it are a number.
pub(super) fn field_of(letter: u8, len: usize) -> Option<(Field, bool)> {
    form(letter, len).map(|(field, form, _)| (field, form > 0))
}

/// A letter, and how often it stands; not at all if the field is not wanted.
pub(super) type Run = (u8, u8);

#[derive(Clone, PartialEq, Eq)]
pub(super) struct Skeleton {
    forms: [i32; FIELDS],
    /// As it was written.
    pub(super) written: [Run; FIELDS],
    /// With each letter as often as it takes for its form.
    pub(super) base: [Run; FIELDS],
    /// A clock of twelve hours needs halves of the day, even if nobody asked for them.
    has_added_day_period: bool,
}

impl Skeleton {
    /// Of a skeleton, or of a pattern.
    pub(super) fn of(text: &str) -> Self {
        let mut made =
            Self { forms: [0; FIELDS], written: [(0, 0); FIELDS], base: [(0, 0); FIELDS], has_added_day_period: false };
        for piece in pieces(text) {
            if let Piece::Field(letter, len) = piece {
                made.put(letter, len);
            }
        }
        // Minutes and fractions of seconds make no sense without the seconds.
        if made.has(Field::Minute) && made.has(Field::Fraction) && !made.has(Field::Second) {
            made.put(b's', 1);
        }
        if made.has(Field::Hour) {
            if matches!(made.written[Field::Hour as usize].0, b'h' | b'K') {
                if !made.has(Field::DayPeriod) {
                    made.put(b'a', 1);
                    made.has_added_day_period = true;
                }
            } else {
                let at = Field::DayPeriod as usize;
                (made.forms[at], made.written[at], made.base[at]) = (0, (0, 0), (0, 0));
            }
        }
        made
    }

    fn put(&mut self, letter: u8, len: usize) {
        if let Some((field, form, least)) = form(letter, len) {
            let at = field as usize;
            self.forms[at] = form;
            self.written[at] = (letter, len as u8);
            // For numbers the base is a single letter: how many there are is part of the form.
            self.base[at] = (letter, least);
        }
    }

    pub(super) fn has(&self, field: Field) -> bool {
        self.forms[field as usize] != 0
    }

    pub(super) fn is_number(&self, field: Field) -> bool {
        self.forms[field as usize] > 0
    }

    pub(super) fn mask(&self) -> Mask {
        (0..FIELDS).filter(|&at| self.forms[at] != 0).map(|at| 1 << at).sum()
    }

    pub(super) fn has_forms_of(&self, other: &Self) -> bool {
        self.forms == other.forms
    }

    /// The letter that patterns with such a skeleton are filed under.
    pub(super) fn first_letter(&self) -> u8 {
        self.base.iter().map(|run| run.0).find(|&letter| letter != 0).unwrap_or(0)
    }

    /// How far another one is from the fields `wanted` of this, and what it lacks and has too much.
    pub(super) fn distance(&self, other: &Self, wanted: Mask) -> Distance {
        let mut found = Distance { far: 0, missing: 0, extra: 0 };
        for at in 0..FIELDS {
            let mine = if wanted & (1 << at) == 0 { 0 } else { self.forms[at] };
            match (mine, other.forms[at]) {
                (mine, theirs) if mine == theirs => {}
                (0, _) => {
                    found.far += EXTRA;
                    found.extra |= 1 << at;
                }
                (_, 0) => {
                    found.far += MISSING;
                    found.missing |= 1 << at;
                }
                (mine, theirs) => found.far += (mine - theirs).abs(),
            }
        }
        found
    }

    /// As text, without what was added to it.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for (at, &(letter, len)) in self.written.iter().enumerate() {
            if at != Field::DayPeriod as usize || !self.has_added_day_period {
                text.extend(std::iter::repeat_n(char::from(letter), usize::from(len)));
            }
        }
        text
    }
}

#[derive(Clone, Copy)]
pub(super) struct Distance {
    pub(super) far: i32,
    pub(super) missing: Mask,
    pub(super) extra: Mask,
}
