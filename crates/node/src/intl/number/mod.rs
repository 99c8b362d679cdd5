//! Native functions of `Intl.NumberFormat` and of the other formatters that print numbers: settings in, text or parts out.

mod currency;
mod decimal;
mod format;
mod parts;
mod precision;
mod range;
mod region;
mod unit;

use phasor_js::bytes::Utf8;
use rquickjs::convert::Coerced;
use rquickjs::function::{Func, Opt};
use rquickjs::{Array, Ctx, Exception, Function, IntoJs, Object, Result, Value};

use decimal::{Mode, Quantity};
use format::{Grouping, Notation, Settings, SignDisplay, Style};
use parts::{Affixes, Part};
use precision::{Counted, Digits, Precision};
use range::Source;
use region::Region;

/// Defines the native functions.
pub(super) fn add(natives: &Object<'_>) -> Result<()> {
    natives.set("formatter", Func::from(formatter))?;
    natives.set("plural", Func::from(plural))?;
    natives.set("currencyDigits", Func::from(|Utf8(code): Utf8| currency::digits_of(&code)))?;
    natives.set("isUnit", Func::from(|Utf8(name): Utf8| unit::is_known(&name)))?;
    natives.set("units", Func::from(unit::all))
}

/// A function that formats: a number, or from one to another; as text, or as parts if the third argument says so. Numbers are
/// numbers, or texts of decimal digits.
fn formatter<'js>(ctx: Ctx<'js>, options: Object<'js>) -> Result<Function<'js>> {
    let settings = settings_of(&options, false)?;
    // Ranges are otherwise for these alone.
    let is_percent = matches!(settings.style, Style::PercentUnit);
    let in_ranges = is_percent.then(|| settings_of(&options, true)).transpose()?;
    Function::new(
        ctx,
        move |ctx: Ctx<'js>, start: Value<'js>, end: Opt<Value<'js>>, in_parts: Opt<bool>| -> Result<Value<'js>> {
            let quantity = writable(&ctx, &settings, quantity_of(&start)?)?;
            let in_parts = in_parts.0.unwrap_or(false);
            match end.0.filter(|end| !end.is_undefined()) {
                Some(end) => {
                    let are_same = start.as_number().is_some_and(|start| Some(start) == end.as_number());
                    let last = writable(&ctx, &settings, quantity_of(&end)?)?;
                    let found = in_ranges.as_ref().unwrap_or(&settings).range(quantity, last, are_same);
                    if in_parts {
                        return list_of(&ctx, found.iter().map(|(source, part)| (part, Some(*source))));
                    }
                    found.iter().map(|(_, part)| part.text.as_str()).collect::<String>().into_js(&ctx)
                }
                None if in_parts => list_of(&ctx, settings.parts(quantity).iter().map(|part| (part, None))),
                None => settings.text(quantity).into_js(&ctx),
            }
        },
    )
}

/// With their commas, so many digits are almost the longest text.
const MOST_DIGITS: i32 = 400_000_000;

/// Refuses a number of which more would be written than a text can hold.
fn writable(ctx: &Ctx<'_>, settings: &Settings, quantity: Quantity) -> Result<Quantity> {
    let is_long = |quantity: &Quantity| match quantity {
        Quantity::Finite(number) => number.magnitude().max(number.fraction_len()) > MOST_DIGITS,
        _ => false,
    };
    if is_long(&quantity) && is_long(&settings.prepare(quantity.clone()).quantity) {
        return Err(Exception::throw_range(ctx, "Invalid string length"));
    }
    Ok(quantity)
}

/// The plural category of a number: of how many there are, or of which one it is.
fn plural<'js>(options: Object<'js>, value: Value<'js>, is_ordinal: bool) -> Result<&'static str> {
    let Quantity::Finite(mut number) = quantity_of(&value)? else { return Ok("other") };
    let least = precision_of(&options)?.apply(&mut number);
    if !is_ordinal {
        return Ok(if number.is_one() && least == 0 { "one" } else { "other" });
    }
    let last = number.last_digits() % 100;
    Ok(match last % 10 {
        _ if number.fraction_len() > 0 || (11..=13).contains(&last) => "other",
        1 => "one",
        2 => "two",
        3 => "few",
        _ => "other",
    })
}

/// A number has the digits that JavaScript writes for it.
fn quantity_of(value: &Value<'_>) -> Result<Quantity> {
    if value.as_float().is_some_and(|number| number == 0.0 && number.is_sign_negative()) {
        return Ok(Quantity::parse("-0"));
    }
    let Coerced(text) = value.get::<Coerced<String>>()?;
    Ok(Quantity::parse(&text))
}

fn list_of<'js, 'a>(ctx: &Ctx<'js>, parts: impl Iterator<Item = (&'a Part, Option<Source>)>) -> Result<Value<'js>> {
    let list = Array::new(ctx.clone())?;
    for (index, (part, source)) in parts.enumerate() {
        let object = Object::new(ctx.clone())?;
        object.set("type", part.kind)?;
        object.set("value", part.text.as_str())?;
        if let Some(source) = source {
            object.set("source", source.name())?;
        }
        list.set(index, object)?;
    }
    Ok(list.into_value())
}

fn settings_of(options: &Object<'_>, is_range: bool) -> Result<Settings> {
    // What is not a text is not there, or is `false`.
    let text = |name: &str| -> Result<String> {
        let value: Value<'_> = options.get(name)?;
        value.as_string().map_or(Ok(String::new()), rquickjs::String::to_string)
    };
    let locale = text("locale")?;
    let code = locale.split('-').nth(1).filter(|part| part.len() == 2).unwrap_or("");
    let notation = match (text("notation")?.as_str(), text("compactDisplay")?.as_str()) {
        ("scientific", _) => Notation::Scientific,
        ("engineering", _) => Notation::Engineering,
        ("compact", "long") => Notation::CompactLong,
        ("compact", _) => Notation::CompactShort,
        _ => Notation::Standard,
    };
    let is_compact = matches!(notation, Notation::CompactShort | Notation::CompactLong);
    let style = match text("style")?.as_str() {
        // ICU has units in compact notation, and percent is one.
        "percent" if is_compact => {
            Style::PercentName(Affixes { before: Vec::new(), behind: vec![Part::new("unit", "%")] })
        }
        "percent" => Style::Percent,
        "currency" => {
            let (currency, display) = (text("currency")?, text("currencyDisplay")?);
            let is_accounting = text("currencySign")? == "accounting";
            match display == "name" {
                true => named(currency::names_of(&currency, code), "currency", " "),
                false => Style::Symbol { symbol: currency::symbol_of(&currency, code, &display), is_accounting },
            }
        }
        "unit" => {
            let (name, display) = (text("unit")?, text("unitDisplay")?);
            match unit::names_of(&name, code, &display) {
                _ if unit::is_percent(&name, &display) && !is_compact && !(is_range && name != "percent") => {
                    Style::PercentUnit
                }
                Some(names) => named(names, "unit", ""),
                None => Style::Decimal,
            }
        }
        _ => Style::Decimal,
    };
    let grouping = match text("useGrouping")?.as_str() {
        "auto" if is_compact => Grouping::FromFive,
        "auto" | "always" => Grouping::Always,
        "min2" => Grouping::FromFive,
        _ => Grouping::Never,
    };
    let sign = match text("signDisplay")?.as_str() {
        "always" => SignDisplay::Always,
        "never" => SignDisplay::Never,
        "exceptZero" => SignDisplay::ExceptZero,
        "negative" => SignDisplay::Negative,
        _ => SignDisplay::Auto,
    };
    let least_integer = options.get("minimumIntegerDigits")?;
    Ok(Settings {
        region: Region::of(code),
        style,
        notation,
        least_integer,
        precision: precision_of(options)?,
        grouping,
        sign,
    })
}

/// A style of names.
fn named((one, other): (String, String), kind: &'static str, between: &str) -> Style {
    let affixes = |name: String| Affixes { before: Vec::new(), behind: Part::named(kind, &format!("{between}{name}")) };
    Style::Named { one: affixes(one), other: affixes(other) }
}

fn precision_of(options: &Object<'_>) -> Result<Precision> {
    let digits = |kind: &str| -> Result<Option<Digits>> {
        let least: Option<i32> = options.get(format!("minimum{kind}Digits"))?;
        let most: Option<i32> = options.get(format!("maximum{kind}Digits"))?;
        Ok(least.zip(most).map(|(least, most)| Digits { least, most }))
    };
    let (fraction, significant) = (digits("Fraction")?, digits("Significant")?);
    let step = options.get::<_, Option<u32>>("roundingIncrement")?.unwrap_or(1);
    let more_wins = options.get::<_, String>("roundingPriority")? == "morePrecision";
    let counted = match (fraction, significant) {
        (Some(fraction), Some(significant)) => Counted::Both { fraction, significant, more_wins },
        (Some(fraction), None) if step > 1 => Counted::Steps(fraction, step),
        (Some(fraction), None) => Counted::Fraction(fraction),
        (None, Some(significant)) => Counted::Significant(significant),
        (None, None) => Counted::Fraction(Digits { least: 0, most: 3 }),
    };
    let mode = Mode::named(&options.get::<_, String>("roundingMode")?);
    let strips_if_whole = options.get::<_, String>("trailingZeroDisplay")? == "stripIfInteger";
    Ok(Precision { counted, mode, strips_if_whole })
}
