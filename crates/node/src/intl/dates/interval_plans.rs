//! Builds the interval patterns for each largest field in which two dates differ. As ICU's `DateIntervalFormat` does, combines the locale's
//! patterns for dates alone and times alone.

use super::choice::{Manner, joined};
use super::interval::{Difference, Interval, Plan, ignores};
use super::locale::Locale;
use super::pattern::{Piece, pieces, rewritten};

use Difference::{Day, Era, HalfOfDay, Hour, Millisecond, Minute, Month, Second, Year};

/// What the parts of a skeleton of date and time are.
#[derive(Default)]
struct Split {
    date: String,
    time: String,
    /// The same with each field in the form that the data have it in.
    plain_date: String,
    plain_time: String,
}

pub(super) struct Maker<'a> {
    pub(super) locale: &'a Locale,
    pub(super) manner: Manner,
    pub(super) skeleton: &'a str,
}

/// The skeleton of a date, the nearest that has patterns, and both with the fields that were missing in them.
struct Skeletons {
    wanted: String,
    best: String,
    longer: Option<(String, String)>,
    /// What is longer is used from here on.
    goes_on: bool,
}

impl Skeletons {
    fn now(&self) -> (String, String) {
        match &self.longer {
            Some(longer) if self.goes_on => longer.clone(),
            _ => (self.wanted.clone(), self.best.clone()),
        }
    }

    /// Puts a field before both; gives the second.
    fn lengthen(&mut self, letter: char) -> String {
        let (wanted, best) = self.now();
        let best = format!("{letter}{best}");
        self.longer = Some((format!("{letter}{wanted}"), best.clone()));
        best
    }
}

/// How the skeleton that was found differs from the one that was wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Match {
    Same,
    Widths,
    /// As the data have it in other letters: `z` for `v`, `K` for `h`.
    Letters,
    Fields,
}

impl Maker<'_> {
    fn best(&self, skeleton: &str) -> String {
        self.locale.choice().best(skeleton, self.manner)
    }

    pub(super) fn make(&self) -> Interval {
        let mut made = Interval {
            pattern: self.best(self.skeleton),
            plans: Default::default(),
            halves: None,
            join: self.locale.value("join"),
            between: self.locale.value("fallback"),
        };
        let split = split(&self.with_usual_hours());
        let is_found = self.plan_parts(&mut made, &split);
        match (split.date.is_empty(), split.time.is_empty()) {
            (_, true) => {}
            (true, false) => {
                // Times of different days are written with their dates.
                let whole = self.best(&format!("yMd{}", split.time));
                for difference in [Year, Month, Day] {
                    made.plans[difference as usize] = Plan::Whole(whole.clone());
                }
                made.plans[Era as usize] = Plan::Whole(self.best(&format!("GyMd{}", split.time)));
            }
            (false, false) if is_found => {
                let mut skeleton = self.skeleton.to_owned();
                for difference in [Day, Month, Year, Era] {
                    if !split.date.contains(char::from(difference.letter())) {
                        skeleton.insert(0, char::from(difference.letter()));
                        made.plans[difference as usize] = Plan::Whole(self.best(&skeleton));
                    }
                }
                let date = self.best(&split.date);
                for difference in [HalfOfDay, Hour, Minute] {
                    let plan = &mut made.plans[difference as usize];
                    if let Plan::Parts(first, second) = plan {
                        *plan = parts(&joined(made.join, &format!("{first}{second}"), &date));
                    }
                }
            }
            (false, false) => {}
        }
        made
    }

    /// The skeleton with hours in the letter that the locale writes, and halves of the day behind them where it needs these.
    fn with_usual_hours(&self) -> String {
        let is_hour = |letter: char| "hHkK".contains(letter);
        let is_period = |letter: char| "abB".contains(letter);
        let Some(asked) = self.skeleton.chars().find(|&letter| is_hour(letter)) else {
            return self.skeleton.to_owned();
        };
        let hours = self.skeleton.chars().filter(|&letter| is_hour(letter)).count();
        let periods = self.skeleton.chars().filter(|&letter| is_period(letter)).count();
        let mut letters = Vec::new();
        for piece in pieces(&self.best(&asked.to_string())) {
            if let Piece::Field(letter, _) = piece {
                letters.push(char::from(letter));
            }
        }
        let hour = "hKk".chars().find(|letter| letters.contains(letter)).unwrap_or('H');
        let asked_period = self.skeleton.chars().find(|&letter| is_period(letter));
        let period = "bB".chars().find(|letter| letters.contains(letter)).or(asked_period).unwrap_or('a');
        let mut usual = String::from(hour);
        if "hK".contains(hour) {
            let len = match (periods, hours) {
                (5.., _) | (_, 5..) => 5,
                (3.., _) | (_, 3..) => 3,
                _ => 1,
            };
            usual.extend(std::iter::repeat_n(period, len));
        }
        let mut made = String::new();
        for letter in self.skeleton.chars().filter(|&letter| !is_period(letter)) {
            match is_hour(letter) {
                true => made.push_str(&std::mem::take(&mut usual)),
                false => made.push(letter),
            }
        }
        made
    }

    /// Finds the patterns for the times, else for the dates; tells if there are any.
    fn plan_parts(&self, made: &mut Interval, split: &Split) -> bool {
        let skeleton = if split.plain_time.is_empty() { &split.plain_date } else { &split.plain_time };
        let Some((best, found)) = self.nearest(skeleton) else {
            return false;
        };
        if !split.plain_date.is_empty() && !split.plain_time.is_empty() {
            made.halves = Some((self.best(&split.plain_date), self.best(&split.plain_time)));
        }
        if found == Match::Fields {
            return false;
        }
        if !split.plain_time.is_empty() {
            for difference in [Minute, Hour, HalfOfDay] {
                self.plan(made, difference, skeleton, best, found);
            }
            return true;
        }
        let mut skeletons = Skeletons { wanted: skeleton.clone(), best: best.to_owned(), longer: None, goes_on: false };
        self.plan_date(made, Day, &mut skeletons, found);
        skeletons.goes_on = self.plan_date(made, Month, &mut skeletons, found) && skeletons.longer.is_some();
        self.plan_date(made, Year, &mut skeletons, found);
        self.plan_date(made, Era, &mut skeletons, found);
        true
    }

    fn pattern(&self, skeleton: &str, difference: Difference) -> Option<&'static str> {
        let letters: &[u8] = match difference {
            HalfOfDay => b"aB",
            Hour => b"hH",
            Era | Year | Month | Day | Minute => &[difference.letter()],
            Second | Millisecond => &[],
        };
        let mut known = self.locale.intervals().iter();
        known.find(|known| known.0 == skeleton && letters.contains(&known.1)).map(|known| known.2)
    }

    fn plan(&self, made: &mut Interval, difference: Difference, skeleton: &str, best: &str, found: Match) {
        let pattern = match self.pattern(best, difference) {
            Some(pattern) => Some((pattern, found != Match::Same)),
            None if ignores(best, difference) => None,
            // With 24 hours, forenoon and afternoon differ as hours do.
            None if difference == HalfOfDay => self.pattern(best, Hour).map(|pattern| (pattern, true)),
            None => None,
        };
        if let Some((pattern, adjusts)) = pattern {
            let pattern = if adjusts { widened(pattern, skeleton, best, found) } else { pattern.to_owned() };
            made.plans[difference as usize] = parts(&pattern);
        }
    }

    /// The same for a field that may not be in the skeleton: with it, there may be a pattern. Tells if there is one.
    fn plan_date(&self, made: &mut Interval, difference: Difference, skeletons: &mut Skeletons, found: Match) -> bool {
        let mut found = found;
        let (_, mut best) = skeletons.now();
        let mut pattern = self.pattern(&best, difference);
        if pattern.is_none() {
            if ignores(&best, difference) {
                return false;
            }
            let longer = skeletons.lengthen(char::from(difference.letter()));
            pattern = self.pattern(&longer, difference);
            if pattern.is_none()
                && found == Match::Same
                && let Some((nearest, is)) = self.nearest(&longer)
            {
                found = is;
                if is != Match::Fields {
                    pattern = self.pattern(nearest, difference);
                    best = nearest.to_owned();
                }
            } else if skeletons.goes_on {
                best = longer;
            }
        }
        let Some(pattern) = pattern else {
            return false;
        };
        let (wanted, _) = skeletons.now();
        let adjusted = if found == Match::Same { pattern.to_owned() } else { widened(pattern, &wanted, &best, found) };
        made.plans[difference as usize] = parts(&adjusted);
        true
    }

    /// The skeleton with patterns that is the nearest.
    fn nearest(&self, skeleton: &str) -> Option<(&'static str, Match)> {
        let in_usual_letters: String = skeleton
            .chars()
            .filter(|letter| !"ab".contains(*letter))
            .map(|letter| match letter {
                'z' => 'v',
                'k' => 'H',
                'K' => 'h',
                letter => letter,
            })
            .collect();
        let mut best: Option<(&'static str, i32, bool)> = None;
        for &(known, ..) in self.locale.intervals() {
            let (far, has_same_fields) = distance(&in_usual_letters, known);
            if best.is_none_or(|best| far < best.1) {
                best = Some((known, far, has_same_fields));
            }
        }
        let (known, far, has_same_fields) = best?;
        let is = match (has_same_fields, far) {
            (false, _) => Match::Fields,
            _ if in_usual_letters != skeleton => Match::Letters,
            (true, 0) => Match::Same,
            (true, _) => Match::Widths,
        };
        Some((known, is))
    }
}

fn count(text: &str, letter: u8) -> i32 {
    text.bytes().filter(|&byte| byte == letter).count() as i32
}

/// How far two skeletons are from each other, and if they have the same fields.
fn distance(one: &str, other: &str) -> (i32, bool) {
    let mut far = 0;
    let mut has_same_fields = true;
    for letter in (b'A'..=b'Z').chain(b'a'..=b'z') {
        match (count(one, letter), count(other, letter)) {
            (one, other) if one == other => {}
            (0, _) | (_, 0) => {
                far += 0x1000;
                has_same_fields = false;
            }
            (one, other) if letter == b'M' && (one <= 2) != (other <= 2) => far += 0x100,
            (one, other) => far += (one - other).abs(),
        }
    }
    (far, has_same_fields)
}

fn split(skeleton: &str) -> Split {
    let mut made = Split::default();
    for letter in skeleton.chars() {
        match letter {
            'E' | 'd' | 'M' | 'y' => made.date.push(letter),
            'G' | 'L' | 'c' => {
                made.date.push(letter);
                made.plain_date.push(letter);
            }
            'h' | 'H' | 'k' | 'K' | 'm' | 'z' | 'v' => made.time.push(letter),
            'a' | 'b' | 'B' | 's' | 'S' => {
                made.time.push(letter);
                made.plain_time.push(letter);
            }
            _ => {}
        }
    }
    let mut plain = |to_date: bool, letter: char, len: i32| {
        let to = if to_date { &mut made.plain_date } else { &mut made.plain_time };
        to.extend(std::iter::repeat_n(letter, len as usize));
    };
    plain(true, 'y', count(skeleton, b'y'));
    let months = count(skeleton, b'M');
    plain(true, 'M', if months < 3 { months.min(1) } else { months.min(5) });
    let weekdays = count(skeleton, b'E');
    plain(true, 'E', if weekdays <= 3 { weekdays.min(1) } else { weekdays.min(5) });
    plain(true, 'd', count(skeleton, b'd').min(1));
    if let Some(hour) = skeleton.chars().find(|letter| "hHkK".contains(*letter)) {
        plain(false, hour, 1);
    }
    for letter in ['m', 'z', 'v'] {
        plain(false, letter, count(skeleton, letter as u8).min(1));
    }
    made
}

/// A pattern of the data with its fields as wide as they are in the wanted skeleton, and in its letters.
fn widened(pattern: &str, skeleton: &str, best: &str, found: Match) -> String {
    rewritten(pattern, |made, letter, len| {
        let wants = |letter: char| found == Match::Letters && skeleton.contains(letter);
        let letter = match letter {
            b'v' if wants('z') => b'z',
            b'h' if wants('K') => b'K',
            b'H' if wants('k') => b'k',
            b'a' if wants('b') => b'b',
            letter => letter,
        };
        let counted = if letter == b'L' { b'M' } else { letter };
        let known = match counted {
            // Skeletons of the data leave it out.
            b'a' | b'b' => count(best, counted).max(1),
            _ => count(best, counted),
        };
        let wanted = count(skeleton, counted);
        let len = if known == len as i32 && wanted > known { wanted as usize } else { len };
        made.extend(std::iter::repeat_n(char::from(letter), len));
    })
}

/// Cuts a pattern in two where a field comes for the second time.
fn parts(pattern: &str) -> Plan {
    let mut seen = Vec::new();
    let mut at = 0;
    for piece in pieces(pattern) {
        match piece {
            Piece::Text(text) => at += text.len(),
            Piece::Field(letter, _) if seen.contains(&letter) => break,
            Piece::Field(letter, len) => {
                seen.push(letter);
                at += len;
            }
        }
    }
    Plan::Parts(pattern[..at].to_owned(), pattern[at..].to_owned())
}
