//! Differences of the number formats of regional English from American English.

/// Powers of ten, and what they are called.
pub(crate) type Powers = &'static [(i32, &'static str)];

/// A way to write numbers.
#[derive(Debug)]
pub(crate) struct Region {
    /// What compact notation calls powers of ten where it is short.
    pub(crate) short: Powers,
    /// And where it is long, with the blank before the name.
    pub(crate) long: Powers,
    /// How many digits are in the groups beyond the first three.
    pub(crate) group: i32,
    /// What stands before an exponent.
    pub(crate) exponent: &'static str,
}

static AMERICAN: Region = Region {
    short: &[(3, "K"), (6, "M"), (9, "B"), (12, "T")],
    long: &[(3, " thousand"), (6, " million"), (9, " billion"), (12, " trillion")],
    group: 3,
    exponent: "E",
};
static AUSTRALIAN: Region = Region { exponent: "e", ..AMERICAN };
static BRITISH: Region = Region { short: &[(3, "k"), (6, "m"), (9, "bn"), (12, "tn")], ..AMERICAN };
static INDIAN: Region = Region {
    short: &[(3, "K"), (5, "L"), (7, "Cr"), (10, "KCr"), (12, "LCr")],
    long: &[(3, " thousand"), (5, "\u{202f}lakh"), (7, "\u{202f}crore"), (12, "\u{202f}lakh\u{202f}crore")],
    group: 2,
    ..AMERICAN
};

impl Region {
    /// The one with a code; all others write as Americans do.
    pub(crate) fn of(code: &str) -> &'static Region {
        match code {
            "AU" => &AUSTRALIAN,
            "GB" => &BRITISH,
            "IN" => &INDIAN,
            _ => &AMERICAN,
        }
    }
}

/// The fields of a row, by its first. A table has fields between bars; in that of elsewhere, the regions that a row is for stand before it.
pub(crate) fn row(table: &'static str, elsewhere: &'static str, region: &str, key: &str) -> Option<Vec<&'static str>> {
    let has_key = |line: &str| line.strip_prefix(key).is_some_and(|rest| rest.starts_with('|'));
    let there = elsewhere
        .lines()
        .filter_map(|line| line.split_once('|'))
        .find(|(regions, line)| has_key(line) && regions.split(' ').any(|found| found == region));
    let line = there.map(|(_, line)| line).or_else(|| table.lines().find(|line| has_key(line)))?;
    Some(line.split('|').collect())
}
