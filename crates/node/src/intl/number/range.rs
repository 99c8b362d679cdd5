//! Formats a number range. As ICU's `NumberRangeFormatter`, common affixes are collapsed if they are long enough.

use super::decimal::Quantity;
use super::format::{Formatted, SPACE, Settings};
use super::parts::{Affixes, Part};

/// Which of the numbers a part belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Source {
    Start,
    End,
    Shared,
}

impl Source {
    /// The name that `formatRangeToParts` gives.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Source::Start => "startRange",
            Source::End => "endRange",
            Source::Shared => "shared",
        }
    }
}

impl Settings {
    /// The parts of a range. Its ends may be the same to JavaScript and yet not have the same sign.
    pub(crate) fn range(&self, start: Quantity, end: Quantity, are_same: bool) -> Vec<(Source, Part)> {
        let (first, second) = (self.prepare(start), self.prepare(end));
        let has_one_middle = first.middle == second.middle;
        let are_equal = are_same || first.power == second.power && first.quantity == second.quantity;
        if has_one_middle && are_equal {
            return self.approximately(first);
        }
        // A middle of one character is written twice: `$3 – $5`, but `CA$3–5`.
        let collapses = has_one_middle && first.middle.len() > 1;
        let mut parts = self.side(&first, collapses, Source::Start);
        let is_repeated = first.exponent.is_some() || !collapses && first.middle.len() > 0;
        parts.push((Source::Shared, Part::new("literal", if is_repeated { " – " } else { "–" })));
        parts.extend(self.side(&second, collapses, Source::End));
        if collapses {
            if first.is_spaced {
                parts.insert(0, (Source::Shared, Part::new("literal", SPACE)));
            }
            wrap(&first.middle, &mut parts);
            if first.is_spaced {
                displace(&mut parts);
            }
        }
        // Whatever the two are, a range of something is many.
        wrap(&self.outer(false), &mut parts);
        join_literals(parts)
    }

    fn side(&self, ready: &Formatted, collapses: bool, source: Source) -> Vec<(Source, Part)> {
        let mut parts = self.digits(ready);
        parts.extend(ready.inner(self.region));
        if !collapses {
            ready.wrap(&mut parts);
        }
        parts.into_iter().map(|part| (source, part)).collect()
    }

    /// Both are the same when they are rounded.
    fn approximately(&self, mut ready: Formatted) -> Vec<(Source, Part)> {
        if let Quantity::Finite(number) = &mut ready.quantity {
            number.shift(ready.power);
        }
        let parts = self.written(&self.prepare_scaled(ready.quantity, true));
        parts.into_iter().map(|part| (Source::Shared, part)).collect()
    }
}

fn wrap(affixes: &Affixes, parts: &mut Vec<(Source, Part)>) {
    parts.splice(0..0, affixes.before.iter().map(|part| (Source::Shared, part.clone())));
    parts.extend(affixes.behind.iter().map(|part| (Source::Shared, part.clone())));
}

/// What is between the parts that have a meaning is one part, which belongs to both numbers unless all of it is of one.
fn join_literals(parts: Vec<(Source, Part)>) -> Vec<(Source, Part)> {
    let mut joined: Vec<(Source, Part)> = Vec::with_capacity(parts.len());
    for (source, part) in parts {
        match joined.last_mut() {
            Some((last_source, last)) if last.kind == "literal" && part.kind == "literal" => {
                last.text.push_str(&part.text);
                if *last_source != source {
                    *last_source = Source::Shared;
                }
            }
            _ => joined.push((source, part)),
        }
    }
    joined
}

/// As in ICU, which forgets the blank behind a currency when it tells where the numbers are: each seems to be one character before
/// its place, and a part that is not wholly in either belongs to both.
fn displace(parts: &mut [(Source, Part)]) {
    let len = |part: &Part| part.text.chars().count();
    let span = |source: Source| {
        let before = parts.iter().take_while(|(found, _)| *found != source).map(|(_, part)| len(part)).sum::<usize>();
        let own = parts.iter().filter(|(found, _)| *found == source).map(|(_, part)| len(part)).sum::<usize>();
        before - 1..=before - 1 + own
    };
    let spans = [(Source::Start, span(Source::Start)), (Source::End, span(Source::End))];
    let mut at = 0;
    for (source, part) in parts {
        let ends = [at, at + len(part)];
        let owner = spans.iter().find(|(_, span)| ends.iter().all(|end| span.contains(end)));
        *source = owner.map_or(Source::Shared, |(source, _)| *source);
        at = ends[1];
    }
}
