//! `localeCompare` and `Intl.Collator`: the root collation of CLDR, which English uses, from ICU4X.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::sync::LazyLock;

use icu_collator::options::{AlternateHandling, CaseLevel, CollatorOptions, Strength};
use icu_collator::preferences::{CollationCaseFirst, CollationNumericOrdering, CollationType};
use icu_collator::{Collator, CollatorBorrowed, CollatorPreferences};
use phasor_js::bytes::{Text, Utf8, to_utf8};
use phasor_js::collation;
use rquickjs::convert::Coerced;
use rquickjs::function::Func;
use rquickjs::{Ctx, Exception, FromJs, Function, Object, Result, String as JsString, Value};

/// Defines the native functions.
pub(super) fn add(natives: &Object<'_>) -> Result<()> {
    natives.set("collator", Func::from(collator))?;
    natives.set("knowAsUsual", Func::from(know_as_usual))?;
    let compare = |left: Text<'_>, right: Text<'_>| USUAL.compare(left.as_wtf8(), right.as_wtf8()) as i32;
    natives.set("compare", Func::from(compare))
}

/// Makes `String.prototype.localeCompare`. What is more than comparing two texts as usual does another function.
pub(crate) fn locale_compare<'js>(ctx: Ctx<'js>, otherwise: Function<'js>) -> Result<Value<'js>> {
    collation::locale_compare(&ctx, order_for, &otherwise)
}

thread_local! {
    /// The locale that was asked for last, if its order is the usual one: a comparison is seldom alone.
    static USUAL_FOR: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Remembers a locale whose order is the usual one.
fn know_as_usual(Utf8(locale): Utf8) {
    USUAL_FOR.set(locale.into_bytes());
}

fn order_for(left: &[u8], right: &[u8], locale: Option<&[u8]>) -> Option<Ordering> {
    let is_usual = locale.is_none_or(|locale| !locale.is_empty() && USUAL_FOR.with_borrow(|usual| usual == locale));
    is_usual.then(|| USUAL.compare(left, right))
}

/// What comes without options.
static USUAL: LazyLock<Order> = LazyLock::new(|| {
    let collator = CollatorBorrowed::try_new(CollatorPreferences::default(), CollatorOptions::default());
    Order {
        collator: collator.expect("the root is in the program"),
        quick: Quick { ties: Some(Ordering::Less), ..Quick::default() },
    }
});

/// An order of texts.
struct Order {
    collator: CollatorBorrowed<'static>,
    quick: Quick,
}

/// What is needed to order texts of ASCII without the tables.
#[derive(Default)]
struct Quick {
    /// How a small letter is to the same one as a capital, if that matters.
    ties: Option<Ordering>,
    /// Whether only letters and digits count.
    ignores_punctuation: bool,
    /// Whether digits are numbers together.
    is_numeric: bool,
    /// Whether the order is one of another kind.
    is_special: bool,
}

impl Order {
    fn compare(&self, left: &[u8], right: &[u8]) -> Ordering {
        let quick = left.is_ascii() && right.is_ascii();
        match quick.then(|| self.quick.compare(left, right)).flatten() {
            Some(order) => order,
            None => self.collator.compare(&to_utf8(left), &to_utf8(right)),
        }
    }
}

/// The characters of ASCII in their order; capitals are with the small letters. What is not here is ignored.
const ASCII: &[u8] = b"\t\n\x0b\x0c\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz";

/// The place of each character in that order, from 1.
const PLACES: [u8; 128] = {
    let mut places = [0; 128];
    let mut at = 0;
    while at < ASCII.len() {
        places[ASCII[at] as usize] = at as u8 + 1;
        places[ASCII[at].to_ascii_uppercase() as usize] = at as u8 + 1;
        at += 1;
    }
    places
};

impl Quick {
    /// The order of texts of ASCII. In it no characters belong together and none has an accent: the first place that differs
    /// decides, and if there is none, the first letter whose case does. Nothing where that is not all.
    fn compare(&self, left: &[u8], right: &[u8]) -> Option<Ordering> {
        if self.is_special {
            return None;
        }
        if self.is_numeric {
            return self.compare_numbers(left, right);
        }
        let mut tie = Ordering::Equal;
        for (&one, &other) in left.iter().zip(right) {
            let (place, other_place) = (self.place(one)?, self.place(other)?);
            if place != other_place {
                return Some(place.cmp(&other_place));
            }
            // A capital comes before its small letter in ASCII.
            if one != other && tie == Ordering::Equal {
                tie = if one > other { Ordering::Less } else { Ordering::Greater };
            }
        }
        if left.len() != right.len() {
            let longer = if left.len() > right.len() { left } else { right };
            self.place(longer[left.len().min(right.len())])?;
            return Some(left.len().cmp(&right.len()));
        }
        Some(self.by_case(tie))
    }

    /// The same where digits are numbers together: they have no zeros in front, and the longer one is larger.
    fn compare_numbers(&self, mut left: &[u8], mut right: &[u8]) -> Option<Ordering> {
        let mut tie = Ordering::Equal;
        loop {
            let (&one, &other) = match (left.first(), right.first()) {
                (None, None) => return Some(self.by_case(tie)),
                (Some(one), Some(other)) => (one, other),
                (one, other) => {
                    self.place(*one.or(other)?)?;
                    return Some(left.len().cmp(&right.len()));
                }
            };
            if one.is_ascii_digit() && other.is_ascii_digit() {
                let (number, other_number) = (take_number(&mut left)?, take_number(&mut right)?);
                let order = number.len().cmp(&other_number.len()).then_with(|| number.cmp(other_number));
                if order.is_ne() {
                    return Some(order);
                }
                continue;
            }
            let (place, other_place) = (self.place(one)?, self.place(other)?);
            if place != other_place {
                return Some(place.cmp(&other_place));
            }
            if one != other && tie == Ordering::Equal {
                tie = if one > other { Ordering::Less } else { Ordering::Greater };
            }
            (left, right) = (&left[1..], &right[1..]);
        }
    }

    /// The order of texts that differ in the case of a letter at most.
    fn by_case(&self, tie: Ordering) -> Ordering {
        match self.ties {
            None => Ordering::Equal,
            Some(Ordering::Less) => tie,
            Some(_) => tie.reverse(),
        }
    }

    fn place(&self, byte: u8) -> Option<u8> {
        let place = PLACES[usize::from(byte)];
        let counts = place != 0 && (!self.ignores_punctuation || byte.is_ascii_alphanumeric());
        counts.then_some(place)
    }
}

/// Takes the digits that a text begins with, without zeros in front. Nothing if they are so many that the tables have them in parts.
fn take_number<'t>(text: &mut &'t [u8]) -> Option<&'t [u8]> {
    const MOST_DIGITS: usize = 254;
    let zeros = text.iter().take_while(|byte| **byte == b'0').count();
    let digits = text[zeros..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = &text[zeros..zeros + digits];
    *text = &text[zeros + digits..];
    (digits <= MOST_DIGITS).then_some(number)
}

/// A function that compares two values as texts.
fn collator<'js>(
    ctx: Ctx<'js>,
    sensitivity: String,
    ignores_punctuation: bool,
    is_numeric: bool,
    case_first: String,
    kind: String,
) -> Result<Function<'js>> {
    let mut options = CollatorOptions::default();
    options.strength = Some(match sensitivity.as_str() {
        "base" | "case" => Strength::Primary,
        "accent" => Strength::Secondary,
        _ => Strength::Tertiary,
    });
    options.case_level = Some(if sensitivity == "case" { CaseLevel::On } else { CaseLevel::Off });
    options.alternate_handling =
        Some(if ignores_punctuation { AlternateHandling::Shifted } else { AlternateHandling::NonIgnorable });
    let mut preferences = CollatorPreferences::default();
    preferences.numeric_ordering =
        Some(if is_numeric { CollationNumericOrdering::True } else { CollationNumericOrdering::False });
    preferences.case_first = Some(match case_first.as_str() {
        "upper" => CollationCaseFirst::Upper,
        "lower" => CollationCaseFirst::Lower,
        _ => CollationCaseFirst::False,
    });
    preferences.collation_type = match kind.as_str() {
        "emoji" => Some(CollationType::Emoji),
        "eor" => Some(CollationType::Eor),
        "search" => Some(CollationType::Search),
        _ => None,
    };
    let Ok(collator) = Collator::try_new(preferences, options) else {
        return Err(Exception::throw_type(&ctx, "Internal error. Icu error."));
    };
    let capitals_first = if case_first == "upper" { Ordering::Greater } else { Ordering::Less };
    let ties = matches!(sensitivity.as_str(), "case" | "variant").then_some(capitals_first);
    let is_special = preferences.collation_type.is_some();
    let order = Order { collator, quick: Quick { ties, ignores_punctuation, is_numeric, is_special } };
    Function::new(ctx, move |ctx: Ctx<'js>, left: Value<'js>, right: Value<'js>| {
        let (left, right) = (text_of(&ctx, left)?, text_of(&ctx, right)?);
        Ok::<_, rquickjs::Error>(order.compare(left.as_wtf8(), right.as_wtf8()) as i32)
    })?
    .with_name("")
}

fn text_of<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Text<'js>> {
    if value.is_string() {
        return Text::from_js(ctx, value);
    }
    let Coerced(text) = value.get::<Coerced<JsString<'js>>>()?;
    Text::from_js(ctx, text.into_value())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts of ASCII, each from a number.
    fn text(mut seed: u64) -> String {
        let mut text = String::new();
        while seed > 0 {
            text.push(char::from((seed % 128) as u8));
            seed /= 131;
        }
        text
    }

    #[test]
    fn ascii_is_ordered_as_by_the_tables() {
        let mut seed = 1u64;
        for _ in 0..200_000 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let (left, right) = (text(seed >> 36), text((seed >> 12) & 0xff_ffff));
            if let Some(order) = USUAL.quick.compare(left.as_bytes(), right.as_bytes()) {
                assert_eq!(order, USUAL.collator.compare(&left, &right), "{left:?} {right:?}");
            }
        }
        for (one, other) in (0..128u8).flat_map(|one| (0..128u8).map(move |other| (one, other))) {
            let found = USUAL.quick.compare(&[one], &[other]);
            let (left, right) = (char::from(one).to_string(), char::from(other).to_string());
            assert_eq!(
                found.unwrap_or_else(|| USUAL.collator.compare(&left, &right)),
                USUAL.collator.compare(&left, &right)
            );
            assert_eq!(found.is_none(), PLACES[usize::from(one)] == 0 || PLACES[usize::from(other)] == 0);
        }
    }

    #[test]
    fn numbers_are_ordered_as_by_the_tables() {
        let mut preferences = CollatorPreferences::default();
        preferences.numeric_ordering = Some(CollationNumericOrdering::True);
        let tables = CollatorBorrowed::try_new(preferences, CollatorOptions::default()).unwrap();
        let quick = Quick { ties: Some(Ordering::Less), is_numeric: true, ..Quick::default() };
        let text = |mut seed: u64| {
            let mut text = String::new();
            while seed > 0 {
                text.push(char::from(b"0019aB -"[(seed % 8) as usize]));
                seed /= 9;
            }
            text
        };
        let mut seed = 1u64;
        for _ in 0..200_000 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let (left, right) = (text(seed >> 40), text((seed >> 16) & 0xff_ffff));
            let order = quick.compare(left.as_bytes(), right.as_bytes());
            assert_eq!(order, Some(tables.compare(&left, &right)), "{left:?} {right:?}");
        }
        assert_eq!(quick.compare("1".repeat(254).as_bytes(), b"2"), Some(Ordering::Greater));
        assert_eq!(quick.compare("1".repeat(255).as_bytes(), b"2"), None);
    }

    #[test]
    fn accents_come_after_their_letters_and_before_the_next() {
        let mut words = ["b", "a", "B", "ä", "A", "z", "é"];
        words.sort_by(|left, right| USUAL.collator.compare(left, right));
        assert_eq!(words, ["a", "A", "ä", "b", "B", "é", "z"]);
    }
}
