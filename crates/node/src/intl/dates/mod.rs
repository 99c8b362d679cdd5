//! Native functions behind `Intl.DateTimeFormat`. `date_time_format.js` defines the semantics of its options.
//!
//! A formatter is a closure that owns its pattern; JavaScript keeps it.

mod choice;
mod format;
mod interval;
mod interval_plans;
mod locale;
mod moment;
mod pattern;
mod skeleton;
mod zone;
mod zone_names;

use std::cell::OnceCell;
use std::rc::Rc;

use rquickjs::{Array, Ctx, Function, IntoJs, Object, Result, Value};

use self::choice::{Manner, joined};
use self::format::{Format, Mark, Place, Written};
use self::interval::Interval;
use self::locale::Locale;
use self::moment::Moment;
use self::skeleton::Skeleton;
use self::zone::Zone;
use phasor_js::bytes::Utf8;

/// Defines the native functions.
pub(super) fn natives<'js>(ctx: &Ctx<'js>, natives: &Object<'js>) -> Result<()> {
    define_natives!(ctx, natives,
        "dateLocales" => locale::names,
        "timeZones" => zone::names,
        "timeZonesOf" => |Utf8(country): Utf8| zone::names_in(&country),
        "currentTimeZone" => zone::current,
        "timeZone" => |Utf8(name): Utf8| Zone::find(&name).map(|zone| zone.name().to_owned()),
        "timeZoneName" => time_zone_name,
        "preferredHour" => |Utf8(name): Utf8| locale_of(&name).value("hour"),
        "bestPattern" => best_pattern,
        "stylePattern" => style_pattern,
        "skeletonOf" => |Utf8(pattern): Utf8| Skeleton::of(&pattern).text(),
        "makeDateFormat" => make,
    );
    Ok(())
}

/// JavaScript asks for locales that are there alone; whatever else is English.
fn locale_of(name: &str) -> Rc<Locale> {
    Locale::find(name).or_else(|| Locale::find("en")).expect("English is among the locales")
}

/// The name of a zone at a moment, as `Date.prototype.toString` has it: the one of today for the time of the year then.
fn time_zone_name(Utf8(name): Utf8, time: f64, now: f64) -> Option<String> {
    let zone = Zone::find(&name)?;
    let second = |time: f64| (time / 1000.0).floor() as i64;
    Some(zone_names::of_today(&locale_of("en"), &zone, zone.clock(second(time)).is_summer, second(now)))
}

/// The pattern for a skeleton, with hours as wide as asked.
fn best_pattern(Utf8(locale): Utf8, Utf8(skeleton): Utf8) -> String {
    let locale = locale_of(&locale);
    locale.choice().best(&skeleton, Manner { hour: locale.hour(), keeps_hour_width: true })
}

/// The pattern for styles: 0 is full, 3 is short.
fn style_pattern(Utf8(locale): Utf8, date: Option<usize>, time: Option<usize>) -> Option<String> {
    let locale = locale_of(&locale);
    let of = |key: &str, style: Option<usize>| locale.styles(key).get(style?).copied();
    match (of("dates", date), of("times", time)) {
        (Some(dates), Some(times)) => Some(joined(of("at", date)?, times, dates)),
        (dates, times) => dates.or(times).map(str::to_owned),
    }
}

/// What a formatter can be told to do: these, or the parts of a range. `date_time_format.js` and `dates.js` have the same numbers.
const TEXT: u32 = 0;
const PARTS: u32 = 1;
const RANGE: u32 = 2;

/// A formatter, as a function of what to do and of one or two times.
fn make<'js>(
    ctx: Ctx<'js>,
    Utf8(locale): Utf8,
    Utf8(pattern): Utf8,
    Utf8(hour): Utf8,
    Utf8(zone): Utf8,
) -> Result<Option<Function<'js>>> {
    let Some(zone) = Zone::find(&zone) else {
        return Ok(None);
    };
    let locale = locale_of(&locale);
    let hour = hour.bytes().next().unwrap_or(locale.hour());
    let formatter = Formatter { locale, zone, hour, format: Format::of(&pattern), pattern, interval: OnceCell::new() };
    let call = move |ctx: Ctx<'js>, verb: u32, from: f64, to: f64| -> Result<Value<'js>> {
        match verb {
            TEXT => formatter.one(from).with_spaces().into_js(&ctx),
            PARTS => parts(&ctx, &formatter.one(from), None),
            RANGE => match formatter.two(from, to) {
                (written, Some(_)) => written.text.into_js(&ctx),
                (written, None) => written.with_spaces().into_js(&ctx),
            },
            _ => {
                let (written, spans) = formatter.two(from, to);
                parts(&ctx, &written, Some(spans))
            }
        }
    };
    Function::new(ctx, call).map(Some)
}

struct Formatter {
    locale: Rc<Locale>,
    zone: Rc<Zone>,
    /// The letter of its hours.
    hour: u8,
    format: Format,
    pattern: String,
    /// Made when two times are first written.
    interval: OnceCell<Interval>,
}

/// Where the text of the first time stands, and that of the second.
type Spans = Option<[(usize, usize); 2]>;

impl Formatter {
    fn one(&self, time: f64) -> Written {
        let mut written = Written::default();
        self.format.write(&self.place(), &Moment::of(time, &self.zone), &mut written);
        written
    }

    fn two(&self, from: f64, to: f64) -> (Written, Spans) {
        let interval =
            self.interval.get_or_init(|| Interval::of(&self.locale, &Skeleton::of(&self.pattern).text(), self.hour));
        let moment = |time| Moment::of(time, &self.zone);
        let written = interval.write(&self.place(), &moment(from), &moment(to));
        match written.and_then(|written| spans(&written.marks).map(|spans| (written, Some(spans)))) {
            Some(both) => both,
            None => (self.one(from), None),
        }
    }

    fn place(&self) -> Place<'_> {
        Place { locale: &self.locale, zone: &self.zone }
    }
}

/// The fields that come twice, from the first to the last of them.
fn spans(marks: &[Mark]) -> Spans {
    let mut found: Spans = None;
    for (index, first) in marks.iter().enumerate() {
        if let Some(second) = marks[index + 1..].iter().find(|second| second.letter == first.letter) {
            let wider = |(from, to): (usize, usize), mark: &Mark| (from.min(mark.from), to.max(mark.to));
            let [one, two] = found.unwrap_or([(usize::MAX, 0); 2]);
            found = Some([wider(one, first), wider(two, second)]);
        }
    }
    found
}

/// The parts of a text: kinds and texts in turn, and with spans, whose part it is.
fn parts<'js>(ctx: &Ctx<'js>, written: &Written, spans: Option<Spans>) -> Result<Value<'js>> {
    let made = Array::new(ctx.clone())?;
    let mut index = 0;
    let mut push = |kind: &str, from: usize, to: usize| -> Result<()> {
        made.set(index, kind)?;
        made.set(index + 1, &written.text[from..to])?;
        index += 2;
        if let Some(spans) = spans {
            let within = |(start, end): (usize, usize)| start <= from && to <= end;
            let source = match spans {
                Some([first, _]) if within(first) => "startRange",
                Some([_, second]) if within(second) => "endRange",
                _ => "shared",
            };
            made.set(index, source)?;
            index += 1;
        }
        Ok(())
    };
    let mut end = 0;
    for mark in &written.marks {
        if end < mark.from {
            push("literal", end, mark.from)?;
        }
        push(kind(mark.letter), mark.from, mark.to)?;
        end = mark.to;
    }
    if end < written.text.len() {
        push("literal", end, written.text.len())?;
    }
    Ok(made.into_value())
}

fn kind(letter: u8) -> &'static str {
    match letter {
        b'G' => "era",
        b'y' => "year",
        b'M' | b'L' => "month",
        b'E' | b'c' => "weekday",
        b'd' => "day",
        b'a' | b'b' | b'B' => "dayPeriod",
        b'h' | b'H' | b'k' | b'K' => "hour",
        b'm' => "minute",
        b's' => "second",
        b'S' => "fractionalSecond",
        _ => "timeZoneName",
    }
}
