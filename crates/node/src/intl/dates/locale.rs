//! Names and patterns of the English locales, from CLDR 48 (`locales.txt`). A locale inherits from its parent. The data is parsed on first
//! use and cached.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use super::choice::Choice;

/// A section for each locale: its name and its parent's, then keys and values with tabs between them.
static TEXT: &str = include_str!("locales.txt");

pub(super) struct Locale {
    /// As `en-GB`.
    name: &'static str,
    /// Whatever has one value: its own, else that of its parent.
    values: HashMap<&'static str, &'static str>,
    /// Skeletons and their patterns, the locale's own first.
    patterns: Vec<(&'static str, &'static str)>,
    /// Skeletons of two dates, the letter of the largest field in which these differ, and the pattern.
    intervals: Vec<(&'static str, u8, &'static str)>,
    choice: OnceCell<Choice>,
}

thread_local! {
    static KNOWN: RefCell<HashMap<String, Rc<Locale>>> = RefCell::default();
}

/// The names of all locales, and each one's parent.
fn heads() -> impl Iterator<Item = (&'static str, Option<&'static str>, &'static str)> {
    TEXT.split("# ").skip(1).filter_map(|section| {
        let (head, lines) = section.split_once('\n')?;
        let mut names = head.split(' ');
        Some((names.next()?, names.next(), lines))
    })
}

/// The names of all locales.
pub(super) fn names() -> Vec<&'static str> {
    heads().map(|(name, ..)| name).collect()
}

impl Locale {
    pub(super) fn find(name: &str) -> Option<Rc<Self>> {
        KNOWN.with_borrow_mut(|known| {
            if let Some(found) = known.get(name) {
                return Some(found.clone());
            }
            let made = Rc::new(Self::read(name)?);
            known.insert(name.to_owned(), made.clone());
            Some(made)
        })
    }

    fn read(name: &str) -> Option<Self> {
        let (name, parent, lines) = heads().find(|head| head.0 == name)?;
        let mut made =
            Self { name, values: HashMap::new(), patterns: Vec::new(), intervals: Vec::new(), choice: OnceCell::new() };
        made.add(lines);
        let mut parent = parent;
        while let Some((_, grandparent, lines)) = heads().find(|head| Some(head.0) == parent) {
            made.add(lines);
            parent = grandparent;
        }
        Some(made)
    }

    fn add(&mut self, lines: &'static str) {
        for (key, value) in lines.lines().filter_map(|line| line.split_once('\t')) {
            let mut words = key.split(' ');
            match (words.next(), words.next(), words.next()) {
                (Some("pattern"), Some(skeleton), _) => self.patterns.push((skeleton, value)),
                (Some("interval"), Some(skeleton), Some(field)) => {
                    let field = field.as_bytes()[0];
                    if !self.intervals.iter().any(|known| (known.0, known.1) == (skeleton, field)) {
                        self.intervals.push((skeleton, field, value));
                    }
                }
                _ => {
                    self.values.entry(key).or_insert(value);
                }
            }
        }
    }

    /// What stands under a key; nothing if there is none.
    pub(super) fn value(&self, key: &str) -> &'static str {
        self.values.get(key).copied().unwrap_or_default()
    }

    /// The `index`-th of the values under a key.
    pub(super) fn one(&self, key: &str, index: usize) -> &'static str {
        self.value(key).split('\t').nth(index).unwrap_or_default()
    }

    /// Full, long, medium and short.
    pub(super) fn styles(&self, key: &str) -> [&'static str; 4] {
        [0, 1, 2, 3].map(|index| self.one(key, index))
    }

    pub(super) fn patterns(&self) -> &[(&'static str, &'static str)] {
        &self.patterns
    }

    pub(super) fn intervals(&self) -> &[(&'static str, u8, &'static str)] {
        &self.intervals
    }

    pub(super) fn choice(&self) -> &Choice {
        self.choice.get_or_init(|| Choice::of(self))
    }

    /// The letter of the hours that it prefers.
    pub(super) fn hour(&self) -> u8 {
        self.value("hour").as_bytes()[0]
    }

    /// The country that it is spoken in.
    pub(super) fn region(&self) -> &'static str {
        self.name.split_once('-').map_or("US", |(_, region)| region)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_locales_can_be_read() {
        for name in names() {
            let locale = Locale::find(name).unwrap();
            assert_eq!(locale.value("months wide").split('\t').count(), 12, "{name}");
            assert!(b"hH".contains(&locale.hour()), "{name}");
            assert!(!locale.intervals().is_empty());
        }
        assert_eq!(Locale::find("en-GB").unwrap().one("periods abbreviated", 0), "am");
        assert!(Locale::find("de").is_none());
    }
}
