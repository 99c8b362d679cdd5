//! The verbs of `url`: the WHATWG parser and its setters, by the crate `url`; domains; forms.
//!
//! A URL crosses as an array: its serialization, then where its parts end. The serialization is ASCII, so that offsets in
//! bytes are offsets in code units. JavaScript keeps that array; there is no object in Rust to keep alive.

use phasor_js::bytes::Text;
use rquickjs::{Array, Ctx, Function, Object, Result};
use ::url::{Url, form_urlencoded, quirks};

/// The verbs.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    native.set("parse", Function::new(ctx.clone(), parse)?)?;
    native.set("canParse", Function::new(ctx.clone(), can_parse)?)?;
    native.set("update", Function::new(ctx.clone(), update)?)?;
    native.set("domainToASCII", Function::new(ctx.clone(), |domain: Text<'js>| quirks::domain_to_ascii(&domain.to_utf8()))?)?;
    native.set("domainToUnicode", Function::new(ctx.clone(), domain_to_unicode)?)?;
    native.set("toASCII", Function::new(ctx.clone(), to_ascii)?)?;
    native.set("parseForm", Function::new(ctx.clone(), parse_form)?)?;
    native.set("serializeForm", Function::new(ctx.clone(), serialize_form)?)?;
    Ok(native)
}

/// Parses, as `new URL(input, base)` does.
fn parsed(input: &str, base: Option<&str>) -> Option<Url> {
    match base {
        Some(base) => Url::parse(base).ok()?.join(input).ok(),
        None => Url::parse(input).ok(),
    }
}

fn parse<'js>(ctx: Ctx<'js>, input: Text<'js>, base: Option<Text<'js>>) -> Result<Option<Array<'js>>> {
    let base = base.as_ref().map(Text::to_utf8);
    parsed(&input.to_utf8(), base.as_deref()).map(|url| record(&ctx, &url)).transpose()
}

fn can_parse<'js>(input: Text<'js>, base: Option<Text<'js>>) -> bool {
    let base = base.as_ref().map(Text::to_utf8);
    parsed(&input.to_utf8(), base.as_deref()).is_some()
}

/// What JavaScript keeps of a URL: the text, then where the parts begin and end (`whatwg.js` names the places).
///
/// Not by [`url::Position`]: its debug assertions refuse a user name without a password.
fn record<'js>(ctx: &Ctx<'js>, url: &Url) -> Result<Array<'js>> {
    let text = url.as_str();
    let parts = quirks::internal_components(url);
    let (scheme_end, username_end) = (parts.scheme_end as usize, parts.username_end as usize);
    let (host_start, host_end) = (parts.host_start as usize, parts.host_end as usize);
    let path_start = parts.path_start as usize;
    let username_start = scheme_end + if text[scheme_end..].starts_with("://") { "://".len() } else { ":".len() };
    let has_password = username_end < host_start && text.as_bytes()[username_end] == b':';
    let (password_start, password_end) =
        if has_password { (username_end + 1, host_start - 1) } else { (username_end, username_end) };
    let port = parts.port.map_or(0, |port| port.to_string().len());
    let port_start = host_end + usize::from(port > 0);
    let query_end = parts.fragment_start.map_or(text.len(), |at| at as usize);
    let path_end = parts.query_start.map_or(query_end, |at| at as usize);
    let array = Array::new(ctx.clone())?;
    array.set(0, text)?;
    let places = [
        scheme_end, username_start, username_end, password_start, password_end, host_start, host_end,
        port_start, port_start + port, path_start, path_end, query_end,
    ];
    for (index, place) in places.into_iter().enumerate() {
        array.set(index + 1, place)?;
    }
    Ok(array)
}

/// Sets one part of a URL, as its setter does; gives the new record, or null if nothing changed.
fn update<'js>(ctx: Ctx<'js>, href: Text<'js>, part: Text<'js>, value: Text<'js>) -> Result<Option<Array<'js>>> {
    let Ok(mut url) = Url::parse(&href.to_utf8()) else {
        return Ok(None);
    };
    let value = value.to_utf8();
    let done = match part.as_wtf8() {
        b"protocol" => quirks::set_protocol(&mut url, &value),
        b"username" => quirks::set_username(&mut url, &value),
        b"password" => quirks::set_password(&mut url, &value),
        b"host" => quirks::set_host(&mut url, &value),
        b"hostname" => quirks::set_hostname(&mut url, &value),
        b"port" => quirks::set_port(&mut url, &value),
        b"pathname" => {
            quirks::set_pathname(&mut url, &value);
            Ok(())
        }
        b"search" => {
            quirks::set_search(&mut url, &value);
            Ok(())
        }
        b"hash" => {
            quirks::set_hash(&mut url, &value);
            Ok(())
        }
        _ => Err(()),
    };
    done.ok().map(|()| record(&ctx, &url)).transpose()
}

/// The domain in Unicode; nothing if it is no domain.
fn domain_to_unicode(domain: Text<'_>) -> String {
    // As Node: the text is made a host first, so `xn--iñvalid.com` is none.
    let ascii = quirks::domain_to_ascii(&domain.to_utf8());
    quirks::domain_to_unicode(&ascii)
}

/// A host name in ASCII, leniently, for the old parser; null if it cannot be one.
fn to_ascii(host: Text<'_>) -> Option<String> {
    idna::domain_to_ascii_cow(host.to_utf8().as_bytes(), idna::AsciiDenyList::EMPTY).ok().map(|host| host.into_owned())
}

/// The names and values of a query or form, in turn.
fn parse_form(text: Text<'_>) -> Vec<String> {
    let text = text.to_utf8();
    form_urlencoded::parse(text.as_bytes()).flat_map(|(name, value)| [name.into_owned(), value.into_owned()]).collect()
}

/// A query or form of names and values in turn.
fn serialize_form<'js>(list: Vec<Text<'js>>) -> String {
    let mut form = form_urlencoded::Serializer::new(String::new());
    for pair in list.chunks_exact(2) {
        form.append_pair(&pair[0].to_utf8(), &pair[1].to_utf8());
    }
    form.finish()
}
