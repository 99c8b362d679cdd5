//! The parts of a formatted number, as `formatToParts` returns them.

/// A piece of a formatted number, and what it is, by the name that `formatToParts` gives.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Part {
    pub(crate) kind: &'static str,
    pub(crate) text: String,
}

impl Part {
    pub(crate) fn new(kind: &'static str, text: impl Into<String>) -> Part {
        Part { kind, text: text.into() }
    }

    /// A name, and the blank before it apart.
    pub(crate) fn named(kind: &'static str, name: &str) -> Vec<Part> {
        let bare = name.trim_start();
        let blank = &name[..name.len() - bare.len()];
        let parts = [Part::new("literal", blank), Part::new(kind, bare)];
        parts.into_iter().filter(|part| !part.text.is_empty()).collect()
    }
}

/// What is put around a number: before it and behind.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Affixes {
    pub(crate) before: Vec<Part>,
    pub(crate) behind: Vec<Part>,
}

impl Affixes {
    /// How many characters that are.
    pub(crate) fn len(&self) -> usize {
        self.before.iter().chain(&self.behind).map(|part| part.text.chars().count()).sum()
    }

    /// Puts itself around parts.
    pub(crate) fn wrap(&self, parts: &mut Vec<Part>) {
        parts.splice(0..0, self.before.iter().cloned());
        parts.extend(self.behind.iter().cloned());
    }
}

/// The whole text.
pub(crate) fn text_of(parts: &[Part]) -> String {
    parts.iter().map(|part| part.text.as_str()).collect()
}
