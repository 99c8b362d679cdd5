//! Units of measurement, as American English names them.

/// A line for each: its identifier, what short numbers have behind them (for one, for others), what narrow ones have, the long name (for one,
/// for others), and what stands behind `/` in the short and in the narrow form. What is empty is as the one before it: the name for one
/// also names others, and what stands behind `/` is what stands behind a number.
const TABLE: &str = include_str!("units.txt");

/// Those that have names of their own, short and narrow.
const COMPOUND: [(&str, &str, &str); 2] = [("mile-per-gallon", " mpg", "mpg"), ("mile-per-hour", " mph", "mph")];

fn fields(unit: &str) -> Option<Vec<&'static str>> {
    let line = TABLE.lines().find(|line| line.strip_prefix(unit).is_some_and(|rest| rest.starts_with('|')))?;
    Some(line.split('|').collect())
}

fn or<'a>(text: &'a str, otherwise: &'a str) -> &'a str {
    if text.is_empty() { otherwise } else { text }
}

/// The identifiers, in their order.
pub(crate) fn all() -> Vec<&'static str> {
    TABLE.lines().filter_map(|line| line.split('|').next()).collect()
}

/// Whether there is such a unit: one of the table, or one per another.
pub(crate) fn is_known(unit: &str) -> bool {
    match unit.split_once("-per-") {
        Some((counted, per)) => fields(counted).is_some() && fields(per).is_some(),
        None => fields(unit).is_some(),
    }
}

/// Whether a unit is shown as the sign of percent, whatever it is per.
pub(crate) fn is_percent(unit: &str, display: &str) -> bool {
    display != "long" && (unit == "percent" || unit.starts_with("percent-per-"))
}

/// What stands behind one, and behind others.
pub(crate) fn names_of(unit: &str, display: &str) -> Option<(String, String)> {
    if let Some((_, short, narrow)) = COMPOUND.iter().find(|(name, ..)| *name == unit && display != "long") {
        let text = if display == "short" { *short } else { *narrow };
        return Some((text.to_owned(), text.to_owned()));
    }
    let (counted, per) = unit.split_once("-per-").map_or((unit, None), |(counted, per)| (counted, Some(per)));
    let names = fields(counted)?;
    let (one, other) = match display {
        "short" => (names[1].to_owned(), or(names[2], names[1]).to_owned()),
        "narrow" => (names[3].to_owned(), names[3].to_owned()),
        _ => (format!(" {}", names[4]), format!(" {}", or(names[5], names[4]))),
    };
    let Some(per) = per else { return Some((one, other)) };
    let names = fields(per)?;
    let per = match display {
        "short" => format!("/{}", or(names[6], names[1].trim_start())),
        "narrow" => format!("/{}", or(names[7], names[3])),
        _ => format!(" per {}", names[4]),
    };
    Some((one + &per, other + &per))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_have_names() {
        let names =
            |unit, display| names_of(unit, display).map(|(one, other)| format!("{one},{other}")).unwrap_or_default();
        assert_eq!(names("day", "short"), " day, days");
        assert_eq!(names("kilometer-per-hour", "short"), " km/h, km/h");
        assert_eq!(names("foot-per-minute", "narrow"), "′/min,′/min");
        assert_eq!(names("mile-per-hour", "narrow"), "mph,mph");
        assert_eq!(names("mile-per-hour", "long"), " mile per hour, miles per hour");
        assert_eq!(names("parsec", "long"), "");
        assert!(is_known("acre") && is_known("acre-per-acre") && !is_known("acr") && !is_known("per-acre"));
    }
}
