//! Names of time zones by the rules of UTS 35 ("Time Zone Format Terminology"): the name of the zone, else that of its metazone, else a
//! location or an offset.

use super::locale::Locale;
use super::zone::{Zone, standing_for};

/// Summer time counts for the name if it is within half a year.
const NEAR: i64 = 184 * 86_400;

/// `GMT-8` or `GMT-08:00`.
pub(super) fn offset(seconds: i32, is_long: bool) -> String {
    let sign = if seconds < 0 { '-' } else { '+' };
    let (hours, minutes, rest) = (seconds.abs() / 3600, seconds.abs() / 60 % 60, seconds.abs() % 60);
    let mut text = if is_long { format!("GMT{sign}{hours:02}") } else { format!("GMT{sign}{hours}") };
    if is_long || minutes != 0 || rest != 0 {
        text.push_str(&format!(":{minutes:02}"));
    }
    if rest != 0 {
        text.push_str(&format!(":{rest:02}"));
    }
    text
}

// The names of a zone or a metazone, in the order of the data.
const GENERIC: usize = 0;
const STANDARD: usize = 1;
const SUMMER: usize = 2;
const SHORT: usize = 3;

/// The name for the time that the clock shows: `Pacific Standard Time`, `PST`.
pub(super) fn specific(locale: &Locale, zone: &Zone, second: i64, is_long: bool) -> String {
    let clock = zone.clock(second);
    let kind = if clock.is_summer { SUMMER } else { STANDARD } + if is_long { 0 } else { SHORT };
    match named(locale, zone, second, kind) {
        "" => offset(clock.offset, is_long),
        name => name.to_owned(),
    }
}

/// What summer or standard time is called now, whichever it is.
pub(super) fn of_today(locale: &Locale, zone: &Zone, is_summer: bool, now: i64) -> String {
    match named(locale, zone, now, if is_summer { SUMMER } else { STANDARD }) {
        "" => {
            let clock = zone.clock(now);
            let hours = i32::from(is_summer) - i32::from(clock.is_summer);
            offset(clock.offset + hours * 3600, true)
        }
        name => name.to_owned(),
    }
}

/// The name for all of the year: `Pacific Time`, `PT`, `Germany Time`.
pub(super) fn generic(locale: &Locale, zone: &Zone, second: i64, is_long: bool) -> String {
    let name = not_of_a_place(locale, zone, second, if is_long { 0 } else { SHORT }).or_else(|| place(locale, zone));
    name.unwrap_or_else(|| offset(zone.clock(second).offset, is_long))
}

fn named(locale: &Locale, zone: &Zone, second: i64, kind: usize) -> &'static str {
    if !zone.has_names() {
        return "";
    }
    match locale.one(&format!("zone {}", zone.id()), kind) {
        "" => zone.metazone(second).map_or("", |metazone| of_metazone(locale, metazone, kind)),
        own => own,
    }
}

fn of_metazone(locale: &Locale, metazone: &str, kind: usize) -> &'static str {
    locale.one(&format!("metazone {metazone}"), kind)
}

fn not_of_a_place(locale: &Locale, zone: &Zone, second: i64, width: usize) -> Option<String> {
    let own = locale.one(&format!("zone {}", zone.id()), GENERIC + width);
    if !own.is_empty() {
        return Some(own.to_owned());
    }
    let metazone = zone.metazone(second)?;
    let generic = of_metazone(locale, metazone, GENERIC + width);
    let clock = zone.clock(second);
    if !clock.is_summer && !zone.has_summer_near(second, NEAR) {
        let standard = named(locale, zone, second, STANDARD + width);
        // Where both are called the same it is as if there was no standard time.
        if !standard.is_empty() && !standard.eq_ignore_ascii_case(generic) {
            return Some(standard.to_owned());
        }
    }
    if generic.is_empty() {
        return None;
    }
    let standing = standing_for(metazone, locale.region()).filter(|&standing| standing != zone.id());
    let agrees = standing
        .and_then(Zone::find)
        .is_none_or(|standing| standing.clock_at_local(second + i64::from(clock.offset)) == clock);
    Some(if agrees { generic.to_owned() } else { format!("{generic} ({})", location(locale, zone, metazone)) })
}

/// `Germany Time`, `Los Angeles Time`.
fn place(locale: &Locale, zone: &Zone) -> Option<String> {
    let (country, is_first) = zone.country()?;
    let place = if is_first { locale.value(&format!("country {country}")).to_owned() } else { city(locale, zone) };
    Some(format!("{place} Time"))
}

/// Where a zone is that goes otherwise than the rest of its metazone.
fn location(locale: &Locale, zone: &Zone, metazone: &str) -> String {
    match zone.country() {
        Some((country, _)) if standing_for(metazone, country) == Some(zone.id()) => {
            locale.value(&format!("country {country}")).to_owned()
        }
        _ => city(locale, zone),
    }
}

fn city(locale: &Locale, zone: &Zone) -> String {
    match locale.value(&format!("city {}", zone.id())) {
        "" => zone.id().rsplit('/').next().unwrap_or_default().replace('_', " "),
        own => own.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_have_the_names_of_their_locale() {
        let at = |locale: &str, zone: &str, second: i64| {
            let (locale, zone) = (Locale::find(locale).unwrap(), Zone::find(zone).unwrap());
            let specific = [true, false].map(|is_long| specific(&locale, &zone, second, is_long));
            let generic = [true, false].map(|is_long| generic(&locale, &zone, second, is_long));
            [specific, generic].concat().join(", ")
        };
        let summer = 1_783_000_000;
        assert_eq!(at("en", "America/Los_Angeles", summer), "Pacific Daylight Time, PDT, Pacific Time, PT");
        assert_eq!(
            at("en", "Europe/Berlin", 0),
            "Central European Standard Time, GMT+1, Central European Standard Time, Germany Time"
        );
        assert_eq!(
            at("en-GB", "Europe/London", summer),
            "British Summer Time, BST, United Kingdom Time, United Kingdom Time"
        );
        assert_eq!(at("en", "Asia/Kolkata", summer), "India Standard Time, GMT+5:30, India Standard Time, India Time");
        assert_eq!(offset(-17_762, true), "GMT-04:56:02");
        assert_eq!(offset(0, false), "GMT+0");
    }
}
