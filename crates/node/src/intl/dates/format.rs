//! Formats a date by a pattern.

use std::fmt::Write;

use super::locale::Locale;
use super::moment::Moment;
use super::pattern::{Piece, pieces, unquoted};
use super::zone::Zone;
use super::zone_names;

/// A pattern that is ready to be used.
pub(super) struct Format {
    items: Vec<Item>,
    /// Parts of the day are told by what the text shows: noon is 12:00, or any time from 12 to 1 if there are hours alone.
    has_minute: bool,
    has_second: bool,
}

enum Item {
    Text(String),
    Field(u8, usize),
}

/// Where a field stands in a text, and its letter.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    pub(super) letter: u8,
    pub(super) from: usize,
    pub(super) to: usize,
}

/// A text, and the fields in it.
#[derive(Default)]
pub(super) struct Written {
    pub(super) text: String,
    pub(super) marks: Vec<Mark>,
}

impl Written {
    /// The text as programs are used to it: V8 takes back the narrow space that CLDR puts before AM and PM, but not from parts.
    pub(super) fn with_spaces(self) -> String {
        if self.text.contains('\u{202f}') { self.text.replace('\u{202f}', " ") } else { self.text }
    }
}

/// Whose words are used, and whose clock.
pub(super) struct Place<'a> {
    pub(super) locale: &'a Locale,
    pub(super) zone: &'a Zone,
}

impl Format {
    pub(super) fn of(pattern: &str) -> Self {
        let mut made = Self { items: Vec::new(), has_minute: false, has_second: false };
        for piece in pieces(pattern) {
            match (piece, made.items.last_mut()) {
                (Piece::Text(text), Some(Item::Text(before))) => before.push_str(&unquoted(text)),
                (Piece::Text(text), _) => made.items.push(Item::Text(unquoted(text))),
                (Piece::Field(letter, len), _) => {
                    made.has_minute |= letter == b'm';
                    made.has_second |= letter == b's';
                    made.items.push(Item::Field(letter, len));
                }
            }
        }
        made
    }

    /// Writes a moment behind what is there.
    pub(super) fn write(&self, place: &Place<'_>, moment: &Moment, out: &mut Written) {
        for item in &self.items {
            match item {
                Item::Text(text) => out.text.push_str(text),
                &Item::Field(letter, len) => {
                    let from = out.text.len();
                    self.field(place, moment, letter, len, &mut out.text);
                    out.marks.push(Mark { letter, from, to: out.text.len() });
                }
            }
        }
    }

    fn field(&self, place: &Place<'_>, moment: &Moment, letter: u8, len: usize, text: &mut String) {
        let locale = place.locale;
        let second = moment.second_of_time;
        match (letter, len) {
            (b'G', _) => text.push_str(locale.one(key("eras", len), usize::from(!moment.is_before_christ()))),
            (b'y', 2) => number(text, moment.year_of_era() % 100, 2),
            (b'y', _) => number(text, moment.year_of_era(), len),
            (b'M' | b'L', 1 | 2) => number(text, moment.month as i64 + 1, len),
            (b'M', _) => text.push_str(locale.one(key("months", len), moment.month)),
            (b'L', _) => text.push_str(locale.one(key("alone months", len), moment.month)),
            (b'E', _) => text.push_str(locale.one(key("days", len), moment.weekday)),
            (b'c', _) => text.push_str(locale.one(key("alone days", len), moment.weekday)),
            (b'd', _) => number(text, i64::from(moment.day), len),
            (b'a', _) => text.push_str(locale.one(key("periods", len), usize::from(moment.hour >= 12))),
            (b'B', _) => text.push_str(locale.one(key("periods", len), self.period(moment))),
            (b'H', _) => number(text, i64::from(moment.hour), len),
            (b'k', _) => number(text, i64::from((moment.hour + 23) % 24 + 1), len),
            (b'K', _) => number(text, i64::from(moment.hour % 12), len),
            (b'h', _) => number(text, i64::from((moment.hour + 11) % 12 + 1), len),
            (b'm', _) => number(text, i64::from(moment.minute), len),
            (b's', _) => number(text, i64::from(moment.second), len),
            (b'S', _) => number(text, i64::from(moment.millisecond) / [100, 10, 1][len.clamp(1, 3) - 1], len),
            (b'z', _) => text.push_str(&zone_names::specific(locale, place.zone, second, len >= 4)),
            (b'v', _) => text.push_str(&zone_names::generic(locale, place.zone, second, len >= 4)),
            (b'O', _) => text.push_str(&zone_names::offset(moment.offset, len >= 4)),
            _ => {}
        }
    }

    /// Which of the day's parts it is, as its place among the words. Midnight is never called so.
    fn period(&self, moment: &Moment) -> usize {
        let is_sharp = (!self.has_minute || moment.minute == 0) && (!self.has_second || moment.second == 0);
        match moment.hour {
            12 if is_sharp => 3,
            0..=11 => 4,
            12..=17 => 5,
            18..=20 => 6,
            _ => 7,
        }
    }
}

/// The key of the words of a kind in the width that so many letters ask for.
fn key(kind: &str, len: usize) -> &'static str {
    match (kind, len) {
        ("eras", 4) => "eras wide",
        ("eras", 5) => "eras narrow",
        ("eras", _) => "eras abbreviated",
        ("months", 4) => "months wide",
        ("months", 5) => "months narrow",
        ("months", _) => "months abbreviated",
        ("alone months", 4) => "alone months wide",
        ("alone months", 5) => "alone months narrow",
        ("alone months", _) => "alone months abbreviated",
        ("days", 4) => "days wide",
        ("days", 5) => "days narrow",
        ("days", _) => "days abbreviated",
        ("alone days", 4) => "alone days wide",
        ("alone days", 5) => "alone days narrow",
        ("alone days", _) => "alone days abbreviated",
        ("periods", 4) => "periods wide",
        ("periods", 5) => "periods narrow",
        _ => "periods abbreviated",
    }
}

fn number(text: &mut String, value: i64, width: usize) {
    // Writing to a string cannot fail.
    let _ = write!(text, "{value:0width$}");
}
