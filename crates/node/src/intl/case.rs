//! Locale-sensitive `toLowerCase` and `toUpperCase`, from the `icu_casemap` crate (Unicode's ICU4X).

use icu_casemap::CaseMapper;
use icu_locale_core::LanguageIdentifier;
use phasor_js::bytes::Utf8;
use rquickjs::function::Func;
use rquickjs::{Object, Result};

/// Defines the native functions.
pub(super) fn add(natives: &Object<'_>) -> Result<()> {
    natives.set("lowerCase", Func::from(lower))?;
    natives.set("upperCase", Func::from(upper))
}

/// The small letters of a text, in a language.
fn lower(Utf8(text): Utf8, Utf8(language): Utf8) -> String {
    CaseMapper::new().lowercase_to_string(&text, &language_of(&language)).into_owned()
}

/// The capitals of a text, in a language.
fn upper(Utf8(text): Utf8, Utf8(language): Utf8) -> String {
    CaseMapper::new().uppercase_to_string(&text, &language_of(&language)).into_owned()
}

fn language_of(tag: &str) -> LanguageIdentifier {
    tag.parse().unwrap_or(LanguageIdentifier::UNKNOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turkish_has_two_of_a_letter() {
        let given = |text: &str, language: &str| (Utf8(text.to_owned()), Utf8(language.to_owned()));
        let ((text, turkish), (other, english)) = (given("Iı", "tr"), given("Iı", "en"));
        assert_eq!(lower(text, turkish), "ıı");
        assert_eq!(lower(other, english), "iı");
        let (text, greek) = given("άλλο", "el");
        assert_eq!(upper(text, greek), "ΑΛΛΟ");
    }
}
