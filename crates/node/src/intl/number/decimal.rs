//! Decimal numbers as digits, exact for BigInts and strings, and their rounding.

use std::cmp::Ordering;

/// A number that has digits, or none that can be written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Quantity {
    /// Neither infinite nor NaN.
    Finite(Decimal),
    /// With its sign.
    Infinite(bool),
    /// No number.
    Nan,
}

impl Quantity {
    /// Reads what JavaScript writes for a number, and texts of decimal digits.
    pub(crate) fn parse(text: &str) -> Quantity {
        match text {
            "Infinity" => Quantity::Infinite(false),
            "-Infinity" => Quantity::Infinite(true),
            _ => Decimal::parse(text).map_or(Quantity::Nan, Quantity::Finite),
        }
    }

    /// Whether it has a minus, as -0 has.
    pub(crate) fn is_negative(&self) -> bool {
        match self {
            Quantity::Finite(decimal) => decimal.is_negative,
            Quantity::Infinite(is_negative) => *is_negative,
            Quantity::Nan => false,
        }
    }

    /// Whether it is a zero; what is no number counts as one.
    pub(crate) fn is_zero(&self) -> bool {
        match self {
            Quantity::Finite(decimal) => decimal.is_zero(),
            Quantity::Infinite(_) => false,
            Quantity::Nan => true,
        }
    }
}

/// `±digits × 10^scale`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Decimal {
    /// Whether it has a minus, as -0 has.
    pub(crate) is_negative: bool,
    /// 0 to 9, the highest first; the first and the last are not zero. None for zero.
    digits: Vec<u8>,
    /// The power of ten of the last digit.
    scale: i32,
}

/// What is done with the digits that are too many.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mode {
    Ceil,
    Floor,
    Expand,
    Trunc,
    HalfCeil,
    HalfFloor,
    HalfExpand,
    HalfTrunc,
    HalfEven,
}

impl Mode {
    /// A mode by its name in the options.
    pub(crate) fn named(name: &str) -> Mode {
        match name {
            "ceil" => Mode::Ceil,
            "floor" => Mode::Floor,
            "expand" => Mode::Expand,
            "trunc" => Mode::Trunc,
            "halfCeil" => Mode::HalfCeil,
            "halfFloor" => Mode::HalfFloor,
            "halfTrunc" => Mode::HalfTrunc,
            "halfEven" => Mode::HalfEven,
            _ => Mode::HalfExpand,
        }
    }

    /// Whether a number goes away from zero: `rest` says what is cut off, beside the half of a step.
    fn goes_up(self, rest: Ordering, is_negative: bool, is_odd: bool) -> bool {
        let at_half = |up: bool| rest == Ordering::Greater || rest == Ordering::Equal && up;
        match self {
            Mode::Ceil => !is_negative,
            Mode::Floor => is_negative,
            Mode::Expand => true,
            Mode::Trunc => false,
            Mode::HalfCeil => at_half(!is_negative),
            Mode::HalfFloor => at_half(is_negative),
            Mode::HalfExpand => at_half(true),
            Mode::HalfTrunc => at_half(false),
            Mode::HalfEven => at_half(is_odd),
        }
    }
}

impl Decimal {
    /// Reads `-12.5e-3` and the like; nothing else is a number here.
    pub(crate) fn parse(text: &str) -> Option<Decimal> {
        let (is_negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (number, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).map(|byte| byte.wrapping_sub(b'0')).collect();
        if digits.iter().any(|&digit| digit > 9) {
            return None;
        }
        // Farther from the point than any text is long, so that nothing overflows later.
        let exponent = exponent.parse::<i32>().ok().filter(|exponent| exponent.unsigned_abs() < 1_000_000_000)?;
        let scale = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
        Some(Decimal { is_negative, digits, scale }.trimmed())
    }

    fn trimmed(mut self) -> Decimal {
        let zeros = self.digits.iter().take_while(|&&digit| digit == 0).count();
        self.digits.drain(..zeros);
        while self.digits.last() == Some(&0) {
            self.digits.pop();
            self.scale += 1;
        }
        if self.digits.is_empty() {
            self.scale = 0;
        }
        self
    }

    /// Whether it is 0 or -0.
    pub(crate) fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// The power of ten of the first digit; that of zero is 0.
    pub(crate) fn magnitude(&self) -> i32 {
        if self.is_zero() { 0 } else { self.scale + self.digits.len() as i32 - 1 }
    }

    /// How many digits there are behind the point.
    pub(crate) fn fraction_len(&self) -> i32 {
        (-self.scale).max(0)
    }

    /// Times a power of ten.
    pub(crate) fn shift(&mut self, powers: i32) {
        if !self.is_zero() {
            self.scale += powers;
        }
    }

    /// The digit at a power of ten.
    pub(crate) fn digit(&self, power: i32) -> u8 {
        let from_last = power - self.scale;
        usize::try_from(from_last)
            .ok()
            .and_then(|from_last| self.digits.len().checked_sub(1 + from_last))
            .map_or(0, |index| self.digits[index])
    }

    /// Whether it is exactly 1 or -1.
    pub(crate) fn is_one(&self) -> bool {
        self.digits == [1] && self.scale == 0
    }

    /// The part before the point, if it is small; else only its last digits, which is what plurals look at.
    pub(crate) fn last_digits(&self) -> u32 {
        (0..4).rev().fold(0, |sum, power| sum * 10 + u32::from(self.digit(power)))
    }

    /// Rounds so that nothing is left below a power of ten.
    pub(crate) fn round(&mut self, power: i32, mode: Mode) {
        self.round_to_steps(1, power, mode);
    }

    /// Rounds to a multiple of `step × 10^power`.
    pub(crate) fn round_to_steps(&mut self, step: u32, power: i32, mode: Mode) {
        if self.is_zero() || step == 1 && self.scale >= power {
            return;
        }
        let above = usize::try_from(self.magnitude() - power + 1).unwrap_or(0);
        let mut steps = Vec::with_capacity(above.min(self.digits.len() + 8));
        let mut left = 0;
        for index in 0..above {
            left = left * 10 + u32::from(self.digits.get(index).copied().unwrap_or(0));
            steps.push((left / step) as u8);
            left %= step;
        }
        let cut = self.digits.get(above..).unwrap_or(&[]);
        // A number that begins below the place behind the last that is kept is less than any half.
        let cut_half = match self.magnitude() < power - 1 {
            true => Ordering::Less,
            false => cut.first().map_or(Ordering::Less, |first| first.cmp(&5).then(cut.len().cmp(&1))),
        };
        if left > 0 || !cut.is_empty() {
            let rest = match (left.cmp(&(step / 2)), step % 2) {
                (Ordering::Equal, 1) => cut_half,
                (Ordering::Equal, _) if !cut.is_empty() => Ordering::Greater,
                (beside, _) => beside,
            };
            let is_odd = steps.last().is_some_and(|digit| digit % 2 == 1);
            if mode.goes_up(rest, self.is_negative, is_odd) {
                increment(&mut steps);
            }
        }
        multiply(&mut steps, step);
        *self = Decimal { is_negative: self.is_negative, digits: steps, scale: power }.trimmed();
    }
}

fn increment(digits: &mut Vec<u8>) {
    for digit in digits.iter_mut().rev() {
        if *digit < 9 {
            *digit += 1;
            return;
        }
        *digit = 0;
    }
    digits.insert(0, 1);
}

fn multiply(digits: &mut Vec<u8>, by: u32) {
    let mut carry = 0;
    for digit in digits.iter_mut().rev() {
        carry += u32::from(*digit) * by;
        *digit = (carry % 10) as u8;
        carry /= 10;
    }
    while carry > 0 {
        digits.insert(0, (carry % 10) as u8);
        carry /= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounded(text: &str, step: u32, power: i32, mode: Mode) -> String {
        let mut decimal = Decimal::parse(text).expect("a number");
        decimal.round_to_steps(step, power, mode);
        let digits: String = decimal.digits.iter().map(|digit| char::from(digit + b'0')).collect();
        format!("{}{digits}e{}", if decimal.is_negative { "-" } else { "" }, decimal.scale)
    }

    #[test]
    fn numbers_are_rounded_at_a_digit() {
        assert_eq!(rounded("1.005", 1, -2, Mode::HalfExpand), "101e-2");
        assert_eq!(rounded("2.5", 1, 0, Mode::HalfEven), "2e0");
        assert_eq!(rounded("3.5", 1, 0, Mode::HalfEven), "4e0");
        assert_eq!(rounded("-2.5", 1, 0, Mode::HalfCeil), "-2e0");
        assert_eq!(rounded("999.9", 1, 0, Mode::HalfExpand), "1e3");
        assert_eq!(rounded("0.04", 1, 0, Mode::Expand), "1e0");
        assert_eq!(rounded("0.04", 1, 0, Mode::HalfExpand), "e0");
        assert_eq!(rounded("0.6", 1, 1, Mode::HalfExpand), "e0");
        assert_eq!(rounded("-0.4", 1, 0, Mode::Trunc), "-e0");
    }

    #[test]
    fn numbers_are_rounded_to_steps() {
        assert_eq!(rounded("1.13", 5, -2, Mode::HalfExpand), "115e-2");
        assert_eq!(rounded("12.5", 25, 0, Mode::HalfExpand), "25e0");
        assert_eq!(rounded("12.49", 25, 0, Mode::HalfExpand), "e0");
        assert_eq!(rounded("7500", 5000, 0, Mode::HalfEven), "1e4");
        assert_eq!(rounded("2500", 5000, 0, Mode::HalfEven), "e0");
    }

    #[test]
    fn texts_are_numbers_or_none() {
        assert_eq!(
            Quantity::parse("1e+21"),
            Quantity::Finite(Decimal { is_negative: false, digits: vec![1], scale: 21 })
        );
        assert_eq!(Quantity::parse("-0"), Quantity::Finite(Decimal { is_negative: true, digits: vec![], scale: 0 }));
        assert_eq!(Quantity::parse("-Infinity"), Quantity::Infinite(true));
        assert_eq!(Quantity::parse("1x"), Quantity::Nan);
        assert_eq!(Quantity::parse("1e-2147483648"), Quantity::Nan);
    }
}
