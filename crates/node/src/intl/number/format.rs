//! Formats a number in English, in the same steps and order as ICU: digits, then the exponent (inner affix), then sign, currency symbol,
//! percent and compact notation (middle affix), then a unit or currency name (outer affix). Ranges use these layers.

use super::decimal::{Decimal, Quantity};
use super::parts::{Affixes, Part, text_of};
use super::precision::Precision;
use super::region::{Powers, Region};

/// Whether digits are grouped by three.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Grouping {
    Never,
    Always,
    /// Only numbers with five digits and more.
    FromFive,
}

/// Which numbers show a sign.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum SignDisplay {
    Auto,
    Always,
    Never,
    ExceptZero,
    Negative,
}

/// How large and small numbers are shortened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Notation {
    Standard,
    Scientific,
    Engineering,
    /// Short names as K.
    CompactShort,
    /// Long names as thousand.
    CompactLong,
}

/// What is around the digits whatever the number is.
#[derive(Clone, Debug)]
pub(crate) enum Style {
    Decimal,
    /// Numbers are a hundred times as large.
    Percent,
    /// A currency's symbol.
    Symbol {
        symbol: String,
        is_accounting: bool,
    },
    /// A name behind the number: for one, and for others.
    Named {
        one: Affixes,
        other: Affixes,
    },
    /// The sign of percent as a unit.
    PercentUnit,
    /// Numbers are a hundred times as large, and the sign is a name.
    PercentName(Affixes),
}

/// All that a formatter knows.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) region: &'static Region,
    pub(crate) style: Style,
    pub(crate) notation: Notation,
    pub(crate) least_integer: i32,
    pub(crate) precision: Precision,
    pub(crate) grouping: Grouping,
    pub(crate) sign: SignDisplay,
}

/// The sign that is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sign {
    None,
    Plus,
    Minus,
}

/// A number that is ready to be written.
#[derive(Debug)]
pub(crate) struct Formatted {
    pub(crate) quantity: Quantity,
    least_fraction: i32,
    /// The power of ten that scientific notation writes.
    pub(crate) exponent: Option<i32>,
    /// By which power of ten the digits are smaller than the number.
    pub(crate) power: i32,
    pub(crate) middle: Affixes,
    /// Whether a blank keeps the letters of a currency from touching the digits.
    pub(crate) is_spaced: bool,
    is_one: bool,
}

/// What keeps letters and digits apart.
pub(crate) const SPACE: &str = "\u{a0}";

impl Settings {
    /// Rounds a number and decides what is around it.
    pub(crate) fn prepare(&self, mut quantity: Quantity) -> Formatted {
        if let (Style::Percent | Style::PercentName(_), Quantity::Finite(number)) = (&self.style, &mut quantity) {
            number.shift(2);
        }
        self.prepare_scaled(quantity, false)
    }

    /// The same for a number that is a hundred times as large already, if that is what it should be.
    pub(crate) fn prepare_scaled(&self, mut quantity: Quantity, is_approximate: bool) -> Formatted {
        let (mut least_fraction, mut exponent, mut power, mut is_one) = (0, None, 0, false);
        if let Quantity::Finite(number) = &mut quantity {
            match self.notation {
                Notation::Standard => {
                    least_fraction = self.precision.apply(number);
                    is_one = is_singular(number, least_fraction, 0);
                }
                Notation::Scientific | Notation::Engineering => {
                    (power, least_fraction) = self.round_shifted(number, |magnitude| self.exponent_of(magnitude));
                    exponent = Some(power);
                    is_one = is_singular(number, least_fraction, power);
                }
                Notation::CompactShort | Notation::CompactLong => {
                    let mut whole = number.clone();
                    let least = self.precision.apply(&mut whole);
                    is_one = is_singular(&whole, least, 0);
                    (power, least_fraction) = self.round_shifted(number, |magnitude| self.named_power(magnitude));
                }
            }
        }
        let sign = self.sign_of(&quantity);
        let named = self.powers().iter().find(|(found, _)| exponent.is_none() && *found == power);
        let middle = self.middle(sign, named.map(|(_, name)| *name), is_approximate);
        let is_spaced = matches!(quantity, Quantity::Finite(_)) && self.ends_in_letter();
        Formatted { quantity, least_fraction, exponent, power, middle, is_spaced, is_one }
    }

    /// Divides by the power of ten that belongs to a number's magnitude, and rounds; rounding may make it one more.
    fn round_shifted(&self, number: &mut Decimal, power_of: impl Fn(i32) -> i32) -> (i32, i32) {
        if number.is_zero() {
            return (0, self.precision.apply(number));
        }
        let magnitude = number.magnitude();
        let power = power_of(magnitude);
        number.shift(-power);
        let least = self.precision.apply(number);
        let next = power_of(magnitude + 1);
        if number.is_zero() || number.magnitude() == magnitude - power || next == power {
            return (power, least);
        }
        number.shift(power - next);
        (next, self.precision.apply(number))
    }

    /// Whether compact notation has long names: beside the symbol of a currency there are none.
    fn has_long_powers(&self) -> bool {
        self.notation == Notation::CompactLong && !matches!(self.style, Style::Symbol { .. })
    }

    fn powers(&self) -> Powers {
        if self.has_long_powers() { self.region.long } else { self.region.short }
    }

    /// The power of ten that has a name and is not more than a number's.
    fn named_power(&self, magnitude: i32) -> i32 {
        let powers = self.powers().iter().map(|(power, _)| *power);
        powers.take_while(|power| *power <= magnitude).last().unwrap_or(0)
    }

    fn exponent_of(&self, magnitude: i32) -> i32 {
        if self.notation == Notation::Engineering { magnitude.div_euclid(3) * 3 } else { magnitude }
    }

    fn sign_of(&self, quantity: &Quantity) -> Sign {
        let sign = if quantity.is_negative() { Sign::Minus } else { Sign::Plus };
        let shown = match self.sign {
            SignDisplay::Auto => sign == Sign::Minus,
            SignDisplay::Always => true,
            SignDisplay::Never => false,
            SignDisplay::ExceptZero => !quantity.is_zero(),
            SignDisplay::Negative => sign == Sign::Minus && !quantity.is_zero(),
        };
        if shown { sign } else { Sign::None }
    }

    fn middle(&self, sign: Sign, power: Option<&str>, is_approximate: bool) -> Affixes {
        let mut around = Affixes::default();
        let has_brackets = matches!(self.style, Style::Symbol { is_accounting: true, .. }) && power.is_none();
        let in_brackets = has_brackets && sign == Sign::Minus;
        if in_brackets {
            around.before.push(Part::new("literal", "("));
        } else {
            if is_approximate {
                around.before.push(Part::new("approximatelySign", "~"));
            }
            match sign {
                Sign::None => {}
                Sign::Plus => around.before.push(Part::new("plusSign", "+")),
                Sign::Minus => around.before.push(Part::new("minusSign", "-")),
            }
        }
        if let Style::Symbol { symbol, .. } = &self.style {
            around.before.push(Part::new("currency", symbol.as_str()));
        }
        if let Some(name) = power {
            around.behind.extend(Part::named("compact", name));
        }
        match self.style {
            Style::Percent => around.behind.push(Part::new("percentSign", "%")),
            Style::PercentUnit => around.behind.push(Part::new("unit", "%")),
            _ => {}
        }
        if in_brackets {
            around.behind.push(Part::new("literal", ")"));
        }
        around
    }

    /// Whether a currency's symbol ends in something that is no symbol.
    fn ends_in_letter(&self) -> bool {
        let Style::Symbol { symbol, .. } = &self.style else { return false };
        symbol.chars().next_back().is_some_and(|last| last.is_alphanumeric() || last == '.')
    }

    /// The name around a number.
    pub(crate) fn outer(&self, is_one: bool) -> Affixes {
        match &self.style {
            Style::Named { one, .. } if is_one => one.clone(),
            Style::Named { other, .. } | Style::PercentName(other) => other.clone(),
            _ => Affixes::default(),
        }
    }

    /// The parts of a number.
    pub(crate) fn parts(&self, quantity: Quantity) -> Vec<Part> {
        self.written(&self.prepare(quantity))
    }

    /// The parts of a number that is ready.
    pub(crate) fn written(&self, ready: &Formatted) -> Vec<Part> {
        let mut parts = self.digits(ready);
        parts.extend(ready.inner(self.region));
        ready.wrap(&mut parts);
        self.outer(ready.is_one).wrap(&mut parts);
        parts
    }

    /// The text of a number. Most have nothing but digits and a sign, which need no parts.
    pub(crate) fn text(&self, quantity: Quantity) -> String {
        let ready = self.prepare(quantity);
        if ready.exponent.is_some()
            || ready.is_spaced
            || matches!(self.style, Style::Named { .. } | Style::PercentName(_))
        {
            return text_of(&self.written(&ready));
        }
        let mut text = text_of(&ready.middle.before);
        self.write_digits(&ready, |_, piece| text.push_str(piece));
        text.extend(ready.middle.behind.iter().map(|part| part.text.as_str()));
        text
    }

    /// The parts that are digits.
    pub(crate) fn digits(&self, ready: &Formatted) -> Vec<Part> {
        let mut parts = Vec::new();
        self.write_digits(ready, |kind, text| parts.push(Part::new(kind, text)));
        parts
    }

    /// Gives the digits away piece by piece, and what stands for them where there are none.
    fn write_digits(&self, ready: &Formatted, mut put: impl FnMut(&'static str, &str)) {
        let number = match &ready.quantity {
            Quantity::Finite(number) => number,
            Quantity::Infinite(_) => return put("infinity", "∞"),
            Quantity::Nan => return put("nan", "NaN"),
        };
        let digit = |power: i32| char::from(b'0' + number.digit(power));
        let highest = number.magnitude().max(self.least_integer - 1).max(0);
        let groups_from = match self.grouping {
            Grouping::Never => i32::MAX,
            Grouping::Always => 3,
            Grouping::FromFive => 4,
        };
        // Nobody has other groups in his accounts.
        let group = if matches!(self.style, Style::Symbol { is_accounting: true, .. }) { 3 } else { self.region.group };
        let mut text = String::new();
        for power in (0..=highest).rev() {
            text.push(digit(power));
            if power >= 3 && (power - 3) % group == 0 && highest >= groups_from {
                put("integer", &text);
                put("group", ",");
                text.clear();
            }
        }
        put("integer", &text);
        let fraction = number.fraction_len().max(ready.least_fraction);
        if fraction > 0 {
            text.clear();
            text.extend((1..=fraction).map(|place| digit(-place)));
            put("decimal", ".");
            put("fraction", &text);
        }
    }
}

impl Formatted {
    /// Puts the middle around parts.
    pub(crate) fn wrap(&self, parts: &mut Vec<Part>) {
        if self.is_spaced {
            parts.insert(0, Part::new("literal", SPACE));
        }
        self.middle.wrap(parts);
    }

    /// The exponent behind the digits.
    pub(crate) fn inner(&self, region: &Region) -> Vec<Part> {
        let Some(exponent) = self.exponent else { return Vec::new() };
        let mut parts = vec![Part::new("exponentSeparator", region.exponent)];
        if exponent < 0 {
            parts.push(Part::new("exponentMinusSign", "-"));
        }
        parts.push(Part::new("exponentInteger", exponent.unsigned_abs().to_string()));
        parts
    }
}

/// Whether a number that is shown like this is one of something: 1 is, 1.0 is not.
fn is_singular(number: &Decimal, least_fraction: i32, exponent: i32) -> bool {
    let mut whole = number.clone();
    whole.shift(exponent);
    whole.is_one() && least_fraction.max(number.fraction_len()) <= exponent.max(0)
}
