//! Digit options of ECMA-402 (`SetNumberFormatDigitOptions`), applied as ICU does.

use super::decimal::{Decimal, Mode};

/// A least and a most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Digits {
    pub(crate) least: i32,
    pub(crate) most: i32,
}

/// Which digits count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Counted {
    /// Those behind the point.
    Fraction(Digits),
    /// Those from the first that is not zero.
    Significant(Digits),
    /// Both, and the one that shows more of the number wins, or the one that shows less.
    Both { fraction: Digits, significant: Digits, more_wins: bool },
    /// Those behind the point, and the last is a multiple of a step.
    Steps(Digits, u32),
}

/// How a number is rounded, and how many zeros are shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Precision {
    pub(crate) counted: Counted,
    pub(crate) mode: Mode,
    /// Whether whole numbers are shown without zeros behind the point.
    pub(crate) strips_if_whole: bool,
}

impl Precision {
    /// Rounds the number, and tells how many digits behind the point it has to be shown with at least.
    pub(crate) fn apply(&self, number: &mut Decimal) -> i32 {
        let least = match self.counted {
            Counted::Fraction(fraction) => {
                number.round(-fraction.most, self.mode);
                fraction.least
            }
            Counted::Significant(significant) => {
                number.round(number.magnitude() - significant.most + 1, self.mode);
                significant.least - 1 - number.magnitude()
            }
            Counted::Steps(fraction, step) => {
                number.round_to_steps(step, -fraction.most, self.mode);
                fraction.least
            }
            Counted::Both { fraction, significant, more_wins } => self.both(number, fraction, significant, more_wins),
        };
        if self.strips_if_whole && number.fraction_len() == 0 { 0 } else { least.max(0) }
    }

    fn both(&self, number: &mut Decimal, fraction: Digits, significant: Digits, more_wins: bool) -> i32 {
        let by_fraction = -fraction.most;
        let mut by_significant = number.magnitude() - significant.most + 1;
        let before = (!number.is_zero()).then(|| number.magnitude());
        let power = if more_wins { by_fraction.min(by_significant) } else { by_fraction.max(by_significant) };
        number.round(power, self.mode);
        // A number that has become a digit longer has fewer significant digits behind the point.
        if before.is_some_and(|before| !number.is_zero() && number.magnitude() != before)
            && by_fraction == by_significant
        {
            by_significant += 1;
        }
        if (by_significant <= by_fraction) == more_wins {
            significant.least - 1 - number.magnitude()
        } else {
            fraction.least
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(counted: Counted, text: &str) -> (Decimal, i32) {
        let precision = Precision { counted, mode: Mode::HalfExpand, strips_if_whole: false };
        let mut number = Decimal::parse(text).expect("a number");
        let least = precision.apply(&mut number);
        (number, least)
    }

    #[test]
    fn digits_are_counted_from_the_point_or_from_the_first() {
        let two = Digits { least: 2, most: 2 };
        let number = |text| Decimal::parse(text).expect("a number");
        assert_eq!(applied(Counted::Fraction(two), "1.255"), (number("1.26"), 2));
        assert_eq!(applied(Counted::Significant(two), "0.0999"), (number("0.1"), 2));
        let compact = |text| {
            let (fraction, significant) = (Digits { least: 0, most: 0 }, Digits { least: 1, most: 2 });
            applied(Counted::Both { fraction, significant, more_wins: true }, text).0
        };
        assert_eq!(compact("1.26"), number("1.3"));
        assert_eq!(compact("126.3"), number("126"));
    }
}
