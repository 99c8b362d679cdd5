//! English names of measurement units.

use super::region::row;

/// A line for each: its identifier, what short numbers have behind them (for one, for others), what narrow ones have (for one, for others), the
/// long name (for one, for others), and what stands behind `/` in the short and in the narrow form. What is empty is as what it is beside:
/// others are named as one is, and what stands behind `/` is what stands behind a number. Those at the end are one unit per another that
/// have short names of their own.
const TABLE: &str = include_str!("units.txt");

/// Those that are otherwise in some regions.
const ELSEWHERE: &str = include_str!("units_elsewhere.txt");

fn fields(unit: &str, region: &str) -> Option<Vec<&'static str>> {
    row(TABLE, ELSEWHERE, region, unit)
}

fn or(text: &'static str, otherwise: &'static str) -> &'static str {
    if text.is_empty() { otherwise } else { text }
}

/// The identifiers, in their order.
pub(crate) fn all() -> Vec<&'static str> {
    TABLE.lines().filter_map(|line| line.split('|').next()).filter(|unit| !unit.contains("-per-")).collect()
}

/// Whether there is such a unit: one of the table, or one per another.
pub(crate) fn is_known(unit: &str) -> bool {
    match unit.split_once("-per-") {
        Some((counted, per)) => fields(counted, "").is_some() && fields(per, "").is_some(),
        None => fields(unit, "").is_some(),
    }
}

/// Whether a unit is shown as the sign of percent, whatever it is per.
pub(crate) fn is_percent(unit: &str, display: &str) -> bool {
    display != "long" && (unit == "percent" || unit.starts_with("percent-per-"))
}

/// What stands behind one, and behind others.
pub(crate) fn names_of(unit: &str, region: &str, display: &str) -> Option<(String, String)> {
    let (counted, per) = match unit.split_once("-per-") {
        Some(parts) if display == "long" || fields(unit, region).is_none() => (parts.0, Some(parts.1)),
        _ => (unit, None),
    };
    let names = fields(counted, region)?;
    let (one, other) = match display {
        "short" => (names[1].to_owned(), or(names[2], names[1]).to_owned()),
        "narrow" => (names[3].to_owned(), or(names[4], names[3]).to_owned()),
        _ => (format!(" {}", names[5]), format!(" {}", or(names[6], names[5]))),
    };
    let Some(per) = per else { return Some((one, other)) };
    let names = fields(per, region)?;
    let per = match display {
        "short" => format!("/{}", or(names[7], names[1].trim_start())),
        "narrow" => format!("/{}", or(names[8], names[3].trim_start())),
        _ => format!(" per {}", names[5]),
    };
    Some((one + &per, other + &per))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_have_names() {
        let names_in = |region, unit, display| {
            names_of(unit, region, display).map(|(one, other)| format!("{one},{other}")).unwrap_or_default()
        };
        let names = |unit, display| names_in("US", unit, display);
        assert_eq!(names_in("GB", "meter-per-second", "long"), " metre per second, metres per second");
        assert_eq!(names_in("IN", "kilometer-per-hour", "short"), " kph, kph");
        assert_eq!(names("day", "short"), " day, days");
        assert_eq!(names("kilometer-per-hour", "short"), " km/h, km/h");
        assert_eq!(names("foot-per-minute", "narrow"), "′/min,′/min");
        assert_eq!(names("mile-per-hour", "narrow"), "mph,mph");
        assert_eq!(names("mile-per-hour", "long"), " mile per hour, miles per hour");
        assert_eq!(names("parsec", "long"), "");
        assert!(is_known("acre") && is_known("acre-per-acre") && !is_known("acr") && !is_known("per-acre"));
    }
}
