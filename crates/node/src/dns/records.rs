//! Converts DNS responses to the values that `dns` returns, in the shapes of `src/cares_wrap.cc`.

use phasor_engine::{Array, ArrayBuffer, Bytes, Fallible, IntoJs, JsString, Local, Object, Scope, Value};
use phasor_js::bytes::string_from_latin1;

use super::wire::{self, Answer, CLASS_CHAOS, CLASS_IN, Data, Record, kind};

/// The header of a response: `[id, is truncated, response code, record count, name, type, class]`. `None` if it is malformed.
pub(super) fn head<'s>(scope: Scope<'s>, bytes: Bytes<'s>) -> Fallible<Option<Local<'s, Array>>> {
    let Some(answer) = bytes.read(wire::answer) else { return Ok(None) };
    let (name, kind, class) = &answer.question;
    let parts = [
        scope.number(answer.id),
        scope.boolean(answer.is_truncated()),
        scope.number(answer.response_code()),
        scope.number(answer.records.len() as f64),
        name.into_js(scope)?,
        scope.number(*kind),
        scope.number(*class),
    ];
    Array::new(scope, &parts).map(Some)
}

/// A list of values.
type List<'s> = Vec<Local<'s, Value>>;

fn array_of<'s>(scope: Scope<'s>, list: &List<'s>) -> Fallible<Local<'s, Value>> {
    Ok(Array::new(scope, list)?.as_value())
}

/// The records of the requested type: `[value]`, `[value, ttls]`, or an error code.
pub(super) fn records<'s>(scope: Scope<'s>, bytes: Bytes<'s>, of: u16) -> Fallible<Local<'s, Value>> {
    let Some(answer) = bytes.read(wire::answer) else { return "EBADRESP".into_js(scope) };
    if answer.records.is_empty() && !matches!(of, kind::ANY | kind::TLSA | kind::SOA) {
        return "ENODATA".into_js(scope);
    }
    let mut list = List::new();
    let found = match of {
        kind::A | kind::AAAA => {
            let mut ttls = List::new();
            for (address, ttl) in addresses(&answer, of) {
                list.push(address.into_js(scope)?);
                ttls.push(scope.number(ttl));
            }
            if list.is_empty() && !has_alias(&answer) {
                return "ENODATA".into_js(scope);
            }
            return array_of(scope, &vec![array_of(scope, &list)?, array_of(scope, &ttls)?]);
        }
        // As `src/cares_wrap.cc: ParseGeneralReply`, which reads `h_name` of the parsed host: for a name with addresses but no alias, the
        // canonical name is the queried name.
        kind::CNAME => {
            let target = alias(&answer).map(str::to_owned);
            let is_host = !addresses(&answer, kind::A).is_empty();
            let Some(name) = target.or_else(|| is_host.then(|| answer.question.0.clone())) else {
                return "ENODATA".into_js(scope);
            };
            list.push(name.into_js(scope)?);
            true
        }
        kind::NS | kind::PTR => {
            push(scope, &mut list, &answer, of, false)?;
            !list.is_empty()
        }
        kind::SOA => {
            let Some(soa) = of_class(&answer).find(|record| matches!(record.data, Data::Soa { .. })) else {
                return "EBADRESP".into_js(scope);
            };
            return array_of(scope, &vec![value(scope, &soa.data, false)?]);
        }
        kind::ANY => {
            any(scope, &mut list, &answer)?;
            true
        }
        _ => {
            push(scope, &mut list, &answer, of, false)?;
            true
        }
    };
    if found { array_of(scope, &vec![array_of(scope, &list)?]) } else { "ENODATA".into_js(scope) }
}

/// All records, in the order of `src/cares_wrap.cc: AnyTraits::Parse`.
fn any<'s>(scope: Scope<'s>, list: &mut List<'s>, answer: &Answer) -> Fallible<()> {
    match alias(answer) {
        Some(name) => {
            let object = Object::new(scope);
            object.set(scope, "value", name)?;
            object.set(scope, "type", "CNAME")?;
            list.push(object.as_value());
        }
        None => push_addresses(scope, list, answer, kind::A, "A")?,
    }
    push_addresses(scope, list, answer, kind::AAAA, "AAAA")?;
    for of in [kind::MX, kind::NS, kind::TXT, kind::SRV, kind::PTR, kind::NAPTR] {
        push(scope, list, answer, of, true)?;
    }
    if let Some(soa) = of_class(answer).find(|record| matches!(record.data, Data::Soa { .. })) {
        list.push(value(scope, &soa.data, true)?);
    }
    push(scope, list, answer, kind::TLSA, true)?;
    push(scope, list, answer, kind::CAA, true)
}

fn push_addresses<'s>(scope: Scope<'s>, list: &mut List<'s>, answer: &Answer, of: u16, name: &str) -> Fallible<()> {
    for (address, ttl) in addresses(answer, of) {
        let object = Object::new(scope);
        object.set(scope, "address", address)?;
        object.set(scope, "ttl", ttl)?;
        object.set(scope, "type", name)?;
        list.push(object.as_value());
    }
    Ok(())
}

fn of_class(answer: &Answer) -> impl Iterator<Item = &Record> {
    answer.records.iter().filter(|record| record.class == CLASS_IN)
}

/// The target of the first CNAME record.
fn alias(answer: &Answer) -> Option<&str> {
    of_class(answer).find_map(|record| match &record.data {
        Data::Cname(name) => Some(name.as_str()),
        _ => None,
    })
}

fn has_alias(answer: &Answer) -> bool {
    alias(answer).is_some()
}

/// The addresses of a family. Their TTL is at most the smallest TTL of the CNAME records.
fn addresses(answer: &Answer, family: u16) -> Vec<(String, u32)> {
    let aliases = of_class(answer).filter(|record| matches!(record.data, Data::Cname(_)));
    // As c-ares, TTLs are compared as signed numbers.
    let limit = aliases.map(|record| record.ttl.cast_signed()).min().unwrap_or(i32::MAX);
    let found = of_class(answer).filter_map(|record| {
        let address = match (&record.data, family) {
            (Data::A(ip), kind::A) => ip.to_string(),
            (Data::Aaaa(ip), kind::AAAA) => ip.to_string(),
            _ => return None,
        };
        Some((address, record.ttl.cast_signed().min(limit).cast_unsigned()))
    });
    found.collect()
}

fn kind_of(data: &Data) -> u16 {
    match data {
        Data::A(_) => kind::A,
        Data::Aaaa(_) => kind::AAAA,
        Data::Cname(_) => kind::CNAME,
        Data::Ns(_) => kind::NS,
        Data::Ptr(_) => kind::PTR,
        Data::Mx { .. } => kind::MX,
        Data::Txt(_) => kind::TXT,
        Data::Srv { .. } => kind::SRV,
        Data::Naptr { .. } => kind::NAPTR,
        Data::Soa { .. } => kind::SOA,
        Data::Tlsa { .. } => kind::TLSA,
        Data::Caa { .. } => kind::CAA,
        Data::Other => 0,
    }
}

/// Appends the records of a type to a list. With `typed`, each gets a property `type`.
fn push<'s>(scope: Scope<'s>, list: &mut List<'s>, answer: &Answer, of: u16, typed: bool) -> Fallible<()> {
    for record in answer.records.iter().filter(|record| kind_of(&record.data) == of) {
        // As c-ares: CAA records may also be of class CHAOS, TLSA records of any class.
        let fits = match record.data {
            Data::Caa { .. } => matches!(record.class, CLASS_IN | CLASS_CHAOS),
            Data::Tlsa { .. } => true,
            _ => record.class == CLASS_IN,
        };
        if fits {
            list.push(value(scope, &record.data, typed)?);
        }
    }
    Ok(())
}

/// The bytes before the first NUL, as C reads a string.
fn until_nul(bytes: &[u8]) -> &[u8] {
    bytes.split(|&byte| byte == 0).next().unwrap_or_default()
}

fn value<'s>(scope: Scope<'s>, data: &Data, typed: bool) -> Fallible<Local<'s, Value>> {
    let object = Object::new(scope);
    let name = match data {
        Data::Ns(name) | Data::Ptr(name) if !typed => return name.as_str().into_js(scope),
        Data::Ns(name) => {
            object.set(scope, "value", name.as_str())?;
            "NS"
        }
        Data::Ptr(name) => {
            object.set(scope, "value", name.as_str())?;
            "PTR"
        }
        Data::Mx { preference, exchange } => {
            object.set(scope, "exchange", exchange.as_str())?;
            object.set(scope, "priority", *preference)?;
            "MX"
        }
        Data::Txt(strings) => {
            let entries: List<'s> =
                strings.iter().map(|string| string_from_latin1(scope, string)).collect::<Fallible<_>>()?;
            let entries = array_of(scope, &entries)?;
            if !typed {
                return Ok(entries);
            }
            object.set(scope, "entries", entries)?;
            "TXT"
        }
        Data::Srv { priority, weight, port, target } => {
            object.set(scope, "name", target.as_str())?;
            object.set(scope, "port", *port)?;
            object.set(scope, "priority", *priority)?;
            object.set(scope, "weight", *weight)?;
            "SRV"
        }
        Data::Naptr { order, preference, flags, service, regexp, replacement } => {
            object.set(scope, "flags", string_from_latin1(scope, until_nul(flags))?)?;
            object.set(scope, "service", string_from_latin1(scope, until_nul(service))?)?;
            object.set(scope, "regexp", string_from_latin1(scope, until_nul(regexp))?)?;
            object.set(scope, "replacement", replacement.as_str())?;
            object.set(scope, "order", *order)?;
            object.set(scope, "preference", *preference)?;
            "NAPTR"
        }
        Data::Soa { nsname, hostmaster, serial, refresh, retry, expire, minttl } => {
            object.set(scope, "nsname", nsname.as_str())?;
            object.set(scope, "hostmaster", hostmaster.as_str())?;
            object.set(scope, "serial", f64::from(*serial))?;
            object.set(scope, "refresh", refresh.cast_signed())?;
            object.set(scope, "retry", retry.cast_signed())?;
            object.set(scope, "expire", expire.cast_signed())?;
            object.set(scope, "minttl", f64::from(*minttl))?;
            "SOA"
        }
        Data::Tlsa { usage, selector, matching, data } => {
            object.set(scope, "certUsage", *usage)?;
            object.set(scope, "selector", *selector)?;
            object.set(scope, "match", *matching)?;
            object.set(scope, "data", ArrayBuffer::copy_of(scope, data)?)?;
            // Node sets no `type` on these records.
            return Ok(object.as_value());
        }
        Data::Caa { critical, tag, value } => {
            object.set(scope, "critical", *critical)?;
            let tag = JsString::from_latin1(scope, until_nul(tag))?;
            object.set(scope, tag, string_from_latin1(scope, until_nul(value))?)?;
            "CAA"
        }
        Data::A(_) | Data::Aaaa(_) | Data::Cname(_) | Data::Other => return Ok(scope.undefined()),
    };
    if typed {
        object.set(scope, "type", name)?;
    }
    Ok(object.as_value())
}
