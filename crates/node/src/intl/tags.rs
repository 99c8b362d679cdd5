//! Language tags (BCP 47): canonical form, components and likely subtags, from ICU4X.

use icu_locale::{LocaleCanonicalizer, LocaleDirectionality, LocaleExpander};
use icu_locale_core::extensions::unicode::{Key, Value};
use icu_locale_core::subtags::{Language, Region, Script, language};
use icu_locale_core::{LanguageIdentifier, Locale};
use phasor_js::bytes::Utf8;
use rquickjs::function::Func;
use rquickjs::{Object, Result};

/// Defines the native functions.
pub(super) fn add(natives: &Object<'_>) -> Result<()> {
    natives.set("canonical", Func::from(canonical))?;
    natives.set("tagParts", Func::from(parts))?;
    natives.set("composeTag", Func::from(compose))?;
    natives.set("likelyTag", Func::from(likely))?;
    natives.set("isRightToLeft", Func::from(is_right_to_left))
}

/// A tag that was read. Languages of five to eight letters are well formed, but none has such a name, and the crate does not know them:
/// one that nobody speaks stands for it.
struct Tag {
    locale: Locale,
    long_language: Option<String>,
}

/// The last of the languages that ISO 639 leaves to private use.
const STAND_IN: Language = language!("qtz");

fn read(tag: &str) -> Option<Tag> {
    // The crate reads `_` as `-`; here it is wrong.
    if tag.contains('_') {
        return None;
    }
    let language = tag.split('-').next().unwrap_or_default();
    if (5..=8).contains(&language.len()) && language.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        let locale = Locale::try_from_str(&format!("{STAND_IN}{}", &tag[language.len()..])).ok()?;
        return Some(Tag { locale, long_language: Some(language.to_ascii_lowercase()) });
    }
    Some(Tag { locale: Locale::try_from_str(tag).ok()?, long_language: None })
}

impl Tag {
    /// A text of the locale's, with the language that the tag was read with.
    fn spoken(&self, text: String) -> String {
        match &self.long_language {
            Some(language) => text.replacen(STAND_IN.as_str(), language, 1),
            None => text,
        }
    }

    fn written(mut self) -> Vec<String> {
        LocaleCanonicalizer::new_extended().canonicalize(&mut self.locale);
        vec![self.spoken(self.locale.to_string()), self.spoken(self.locale.id.to_string())]
    }
}

/// The canonical form of a tag, if it is well formed; and the same without its extensions.
fn canonical(Utf8(tag): Utf8) -> Option<Vec<String>> {
    read(&tag).map(Tag::written)
}

/// Language, script and region; those that a tag has not are empty, and so is a language that is unknown.
fn parts(Utf8(tag): Utf8) -> Option<Vec<String>> {
    let tag = read(&tag)?;
    let LanguageIdentifier { language, script, region, .. } = tag.locale.id;
    let script = script.map(|script| script.to_string());
    let region = region.map(|region| region.to_string());
    let language = if language.is_unknown() { String::new() } else { tag.spoken(language.to_string()) };
    Some(vec![language, script.unwrap_or_default(), region.unwrap_or_default()])
}

/// A tag with other parts, where some are given, and with keywords: keys and values in turn. Nothing if one of them cannot be such.
fn compose(Utf8(tag): Utf8, parts: Vec<Option<String>>, keywords: Vec<String>) -> Option<String> {
    let mut tag = read(&tag)?;
    let mut parts = parts.into_iter();
    let mut next = || parts.next().flatten();
    if let Some(language) = next() {
        let Tag { locale, long_language } = read(&language).filter(|tag| is_language(&tag.locale))?;
        tag.locale.id.language = locale.id.language;
        tag.long_language = long_language;
    }
    let locale = &mut tag.locale;
    if let Some(script) = next() {
        locale.id.script = Some(Script::try_from_str(&script).ok()?);
    }
    if let Some(region) = next() {
        locale.id.region = Some(Region::try_from_str(&region).ok()?);
    }
    for pair in keywords.chunks_exact(2) {
        let (key, value) = (Key::try_from_str(&pair[0]).ok()?, Value::try_from_str(&pair[1]).ok()?);
        locale.extensions.unicode.keywords.set(key, value);
    }
    tag.written().into_iter().next()
}

/// Whether a tag is a language and nothing more.
fn is_language(locale: &Locale) -> bool {
    *locale == Locale { id: locale.id.language.into(), ..Locale::UNKNOWN }
}

/// A tag with all that is likely for it, or without what is likely anyway.
fn likely(Utf8(tag): Utf8, is_long: bool) -> Option<String> {
    let mut tag = read(&tag)?;
    let id = &mut tag.locale.id;
    let expander = LocaleExpander::new_extended();
    // The crate takes nothing to be likely of what nothing is known of; ICU takes it for English.
    if *id == LanguageIdentifier::UNKNOWN {
        id.language = language!("en");
    }
    if is_long {
        expander.maximize(id);
    } else {
        expander.minimize(id);
    }
    Some(tag.spoken(tag.locale.to_string()))
}

fn is_right_to_left(Utf8(tag): Utf8) -> bool {
    read(&tag).is_some_and(|tag| LocaleDirectionality::new_extended().is_right_to_left(&tag.locale.id))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Utf8 {
        Utf8(text.to_owned())
    }

    #[test]
    fn tags_have_one_form() {
        assert_eq!(canonical(text("EN-us-u-nu-latn")).unwrap(), ["en-US-u-nu-latn", "en-US"]);
        assert_eq!(canonical(text("iw")).unwrap()[0], "he");
        assert_eq!(canonical(text("en_US")), None);
        assert_eq!(canonical(text("en-")), None);
    }

    #[test]
    fn tags_are_taken_apart_and_put_together() {
        assert_eq!(parts(text("zh-Hant")).unwrap(), ["zh", "Hant", ""]);
        let keywords = ["hc", "h23", "kn", ""].map(str::to_owned).to_vec();
        let made = compose(text("en-US-u-hc-h12"), vec![None, None, Some("GB".to_owned())], keywords);
        assert_eq!(made.unwrap(), "en-GB-u-hc-h23-kn");
        assert_eq!(compose(text("en"), vec![Some("x".to_owned())], Vec::new()), None);
        assert_eq!(likely(text("zh"), true).unwrap(), "zh-Hans-CN");
        assert_eq!(likely(text("zh-Hans-CN"), false).unwrap(), "zh");
        assert!(is_right_to_left(text("ar")));
    }
}
