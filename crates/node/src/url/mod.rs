//! Native functions of `url`: the WHATWG URL parser and setters, domain conversion, and `application/x-www-form-urlencoded`.
//!
//! A URL is passed to JavaScript as an array: its serialization and the offsets of its components. The serialization is ASCII, so byte
//! offsets equal UTF-16 offsets. JavaScript keeps the array; no Rust object stays alive.

use phasor_engine::{Array, Fallible, IntoJs, Local, Object, Scope, define_natives};

use phasor_url::{Url, host, serialize};

/// Creates the object of native functions.
pub(crate) fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    let native = Object::new(scope);
    define_natives!(scope, native,
        "parse" => parse,
        "canParse" => can_parse,
        "update" => update,
        "domainToASCII" => domain_to_ascii,
        "domainToUnicode" => domain_to_unicode,
        "toASCII" => to_ascii,
        "parseForm" => parse_form,
        "serializeForm" => serialize_form,
    );
    Ok(native)
}

/// Parses as `new URL(input, base)`.
fn parsed(input: &str, base: Option<&str>) -> Option<Url> {
    match base {
        Some(base) => Url::parse(input, Some(&Url::parse(base, None)?)),
        None => Url::parse(input, None),
    }
}

fn parse<'s>(scope: Scope<'s>, input: String, base: Option<String>) -> Fallible<Option<Local<'s, Array>>> {
    parsed(&input, base.as_deref()).map(|url| record(scope, &url)).transpose()
}

fn can_parse(_: Scope<'_>, input: String, base: Option<String>) -> bool {
    parsed(&input, base.as_deref()).is_some()
}

/// The array that represents a URL in JavaScript: the serialization, then the offsets named in `whatwg.js`.
fn record<'s>(scope: Scope<'s>, url: &Url) -> Fallible<Local<'s, Array>> {
    let (text, offsets) = serialize(url);
    let mut parts = vec![text.into_js(scope)?];
    for offset in offsets {
        parts.push(offset.into_js(scope)?);
    }
    Array::new(scope, &parts)
}

/// Runs the setter of one component and returns the new array.
fn update<'s>(scope: Scope<'s>, href: String, part: String, value: String) -> Fallible<Option<Local<'s, Array>>> {
    let Some(mut url) = Url::parse(&href, None) else {
        return Ok(None);
    };
    url.update(&part, &value);
    record(scope, &url).map(Some)
}

/// The domain in ASCII; empty if it is invalid.
fn domain_to_ascii(_: Scope<'_>, domain: String) -> String {
    host::parse(&domain, false).unwrap_or_default()
}

/// The domain in Unicode; empty if it is invalid.
fn domain_to_unicode(_: Scope<'_>, domain: String) -> String {
    host::to_unicode(&domain)
}

/// A host name in ASCII without the standard's checks, for the legacy `url.parse`; `undefined` if it is invalid.
fn to_ascii(_: Scope<'_>, host: String) -> Option<String> {
    idna::domain_to_ascii_cow(host.as_bytes(), idna::AsciiDenyList::EMPTY).ok().map(std::borrow::Cow::into_owned)
}

/// The names and values of a query, alternating.
fn parse_form(_: Scope<'_>, text: String) -> Vec<String> {
    form_urlencoded::parse(text.as_bytes()).flat_map(|(name, value)| [name.into_owned(), value.into_owned()]).collect()
}

/// Serializes alternating names and values to a query.
fn serialize_form(_: Scope<'_>, list: Vec<String>) -> String {
    let mut form = form_urlencoded::Serializer::new(String::new());
    for pair in list.chunks_exact(2) {
        form.append_pair(&pair[0], &pair[1]);
    }
    form.finish()
}
