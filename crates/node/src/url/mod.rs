//! Native functions of `url`: the WHATWG URL parser and setters, domain conversion, and `application/x-www-form-urlencoded`.
//!
//! A URL is passed to JavaScript as an array: its serialization and the offsets of its components. The serialization is ASCII, so byte
//! offsets equal UTF-16 offsets. JavaScript keeps the array; no Rust object stays alive.

mod host;
mod parser;
mod record;

use phasor_js::bytes::Text;
use rquickjs::{Array, Ctx, Function, Object, Result};

use self::record::{Url, serialize};

/// Creates the object of native functions.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    native.set("parse", Function::new(ctx.clone(), parse)?)?;
    native.set("canParse", Function::new(ctx.clone(), can_parse)?)?;
    native.set("update", Function::new(ctx.clone(), update)?)?;
    native.set("domainToASCII", Function::new(ctx.clone(), domain_to_ascii)?)?;
    native.set("domainToUnicode", Function::new(ctx.clone(), domain_to_unicode)?)?;
    native.set("toASCII", Function::new(ctx.clone(), to_ascii)?)?;
    native.set("parseForm", Function::new(ctx.clone(), parse_form)?)?;
    native.set("serializeForm", Function::new(ctx.clone(), serialize_form)?)?;
    Ok(native)
}

/// Parses as `new URL(input, base)`.
fn parsed(input: &Text<'_>, base: Option<&Text<'_>>) -> Option<Url> {
    match base {
        Some(base) => Url::parse(&input.to_utf8(), Some(&Url::parse(&base.to_utf8(), None)?)),
        None => Url::parse(&input.to_utf8(), None),
    }
}

fn parse<'js>(ctx: Ctx<'js>, input: Text<'js>, base: Option<Text<'js>>) -> Result<Option<Array<'js>>> {
    parsed(&input, base.as_ref()).map(|url| record(&ctx, &url)).transpose()
}

fn can_parse<'js>(input: Text<'js>, base: Option<Text<'js>>) -> bool {
    parsed(&input, base.as_ref()).is_some()
}

/// The array that represents a URL in JavaScript: the serialization, then the offsets named in `whatwg.js`.
fn record<'js>(ctx: &Ctx<'js>, url: &Url) -> Result<Array<'js>> {
    let (text, offsets) = serialize(url);
    let array = Array::new(ctx.clone())?;
    array.set(0, text)?;
    for (index, offset) in offsets.into_iter().enumerate() {
        array.set(index + 1, offset)?;
    }
    Ok(array)
}

/// Runs the setter of one component and returns the new array.
fn update<'js>(ctx: Ctx<'js>, href: Text<'js>, part: Text<'js>, value: Text<'js>) -> Result<Option<Array<'js>>> {
    let Some(mut url) = Url::parse(&href.to_utf8(), None) else {
        return Ok(None);
    };
    url.update(&part.to_utf8(), &value.to_utf8());
    record(&ctx, &url).map(Some)
}

/// The domain in ASCII; empty if it is invalid.
fn domain_to_ascii(domain: Text<'_>) -> String {
    host::parse(&domain.to_utf8(), false).unwrap_or_default()
}

/// The domain in Unicode; empty if it is invalid.
fn domain_to_unicode(domain: Text<'_>) -> String {
    host::to_unicode(&domain.to_utf8())
}

/// A host name in ASCII without the standard's checks, for the legacy `url.parse`; null if it is invalid.
fn to_ascii(host: Text<'_>) -> Option<String> {
    idna::domain_to_ascii_cow(host.to_utf8().as_bytes(), idna::AsciiDenyList::EMPTY)
        .ok()
        .map(std::borrow::Cow::into_owned)
}

/// The names and values of a query, alternating.
fn parse_form(text: Text<'_>) -> Vec<String> {
    let text = text.to_utf8();
    form_urlencoded::parse(text.as_bytes()).flat_map(|(name, value)| [name.into_owned(), value.into_owned()]).collect()
}

/// Serializes alternating names and values to a query.
fn serialize_form<'js>(list: Vec<Text<'js>>) -> String {
    let mut form = form_urlencoded::Serializer::new(String::new());
    for pair in list.chunks_exact(2) {
        form.append_pair(&pair[0].to_utf8(), &pair[1].to_utf8());
    }
    form.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses `input`, runs a setter, and compares the serialization.
    fn check(input: &str, base: Option<&str>, set: Option<(&str, &str)>, expected: Option<&str>) {
        let base = base.map(|base| Url::parse(base, None).expect("a base"));
        let mut url = Url::parse(input, base.as_ref());
        if let (Some(url), Some((part, value))) = (&mut url, set) {
            url.update(part, value);
        }
        assert_eq!(url.map(|url| serialize(&url).0).as_deref(), expected, "{input} {set:?}");
    }

    #[test]
    fn parses_as_in_the_url_standard() {
        check(
            " http://USER:p w@EXAMPLE.com:80/a/../b?q '#f ",
            None,
            None,
            Some("http://USER:p%20w@example.com/b?q%20%27#f"),
        );
        check("file:///C|/x/../..", None, None, Some("file:///C:/"));
        check("file:////a//b", None, None, Some("file:////a//b"));
        check("///x", Some("http://h/"), None, Some("http://x/"));
        check("/..//x", Some("foo:/a"), None, Some("foo:/.//x"));
        check("x", Some("mailto:y"), None, None);
        check("#x", Some("mailto:y"), None, Some("mailto:y#x"));
        check("http://a:99999", None, None, None);
        check("http://@/x", None, None, None);
    }

    #[test]
    fn setters_start_the_parser_in_their_state() {
        check("http://h:8/p", None, Some(("host", "b:9/c")), Some("http://b:9/p"));
        check("http://h:8/p", None, Some(("hostname", "b:9")), Some("http://h:8/p"));
        check("http://h:8/p", None, Some(("port", "9x")), Some("http://h:9/p"));
        check("http://h/p", None, Some(("protocol", "file")), Some("file://h/p"));
        check("http://h/p", None, Some(("protocol", "foo")), Some("http://h/p"));
        check("foo:/p", None, Some(("pathname", "//q")), Some("foo:/.//q"));
        check("data:x  ?y", None, Some(("search", "")), Some("data:x"));
    }
}
