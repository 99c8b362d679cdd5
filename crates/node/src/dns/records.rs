//! Converts DNS responses to the values that `dns` returns, in the shapes of `src/cares_wrap.cc`.

use phasor_js::bytes::{Bytes, string_from_latin1};
use rquickjs::{Array, ArrayBuffer, Ctx, IntoJs, Object, Result, Value};

use super::wire::{self, Answer, CLASS_CHAOS, CLASS_IN, Data, Record, kind};

/// The header of a response: `[id, is truncated, response code, record count, name, type, class]`. `None` if it is malformed.
pub(super) fn head<'js>(ctx: Ctx<'js>, bytes: Bytes<'js>) -> Result<Option<Array<'js>>> {
    let Some(answer) = bytes.read(wire::answer) else { return Ok(None) };
    let list = Array::new(ctx)?;
    list.set(0, answer.id)?;
    list.set(1, answer.is_truncated())?;
    list.set(2, answer.response_code())?;
    list.set(3, answer.records.len())?;
    list.set(4, answer.question.0)?;
    list.set(5, answer.question.1)?;
    list.set(6, answer.question.2)?;
    Ok(Some(list))
}

/// The records of the requested type: `[value]`, `[value, ttls]`, or an error code.
pub(super) fn records<'js>(ctx: Ctx<'js>, bytes: Bytes<'js>, of: u16) -> Result<Value<'js>> {
    let Some(answer) = bytes.read(wire::answer) else { return "EBADRESP".into_js(&ctx) };
    if answer.records.is_empty() && !matches!(of, kind::ANY | kind::TLSA | kind::SOA) {
        return "ENODATA".into_js(&ctx);
    }
    let list = Array::new(ctx.clone())?;
    let found = match of {
        kind::A | kind::AAAA => {
            let ttls = Array::new(ctx.clone())?;
            for (at, (address, ttl)) in addresses(&answer, of).iter().enumerate() {
                list.set(at, address)?;
                ttls.set(at, f64::from(*ttl))?;
            }
            if list.is_empty() && !has_alias(&answer) {
                return "ENODATA".into_js(&ctx);
            }
            return vec![list, ttls].into_js(&ctx);
        }
        // As `src/cares_wrap.cc: ParseGeneralReply`, which reads `h_name` of the parsed host: for a name with addresses but no alias, the
        // canonical name is the queried name.
        kind::CNAME => {
            let target = alias(&answer).map(str::to_owned);
            let is_host = !addresses(&answer, kind::A).is_empty();
            let Some(name) = target.or_else(|| is_host.then(|| answer.question.0.clone())) else {
                return "ENODATA".into_js(&ctx);
            };
            list.set(0, name)?;
            true
        }
        kind::NS | kind::PTR => {
            push(&ctx, &list, &answer, of, false)?;
            !list.is_empty()
        }
        kind::SOA => {
            let Some(soa) = of_class(&answer).find(|record| matches!(record.data, Data::Soa { .. })) else {
                return "EBADRESP".into_js(&ctx);
            };
            let soa = value(&ctx, &soa.data, false)?;
            return vec![soa].into_js(&ctx);
        }
        kind::ANY => {
            any(&ctx, &list, &answer)?;
            true
        }
        _ => {
            push(&ctx, &list, &answer, of, false)?;
            true
        }
    };
    if found { vec![list].into_js(&ctx) } else { "ENODATA".into_js(&ctx) }
}

/// All records, in the order of `src/cares_wrap.cc: AnyTraits::Parse`.
fn any<'js>(ctx: &Ctx<'js>, list: &Array<'js>, answer: &Answer) -> Result<()> {
    match alias(answer) {
        Some(name) => {
            let object = Object::new(ctx.clone())?;
            object.set("value", name)?;
            object.set("type", "CNAME")?;
            list.set(0, object)?;
        }
        None => push_addresses(ctx, list, answer, kind::A, "A")?,
    }
    push_addresses(ctx, list, answer, kind::AAAA, "AAAA")?;
    for of in [kind::MX, kind::NS, kind::TXT, kind::SRV, kind::PTR, kind::NAPTR] {
        push(ctx, list, answer, of, true)?;
    }
    if let Some(soa) = of_class(answer).find(|record| matches!(record.data, Data::Soa { .. })) {
        list.set(list.len(), value(ctx, &soa.data, true)?)?;
    }
    push(ctx, list, answer, kind::TLSA, true)?;
    push(ctx, list, answer, kind::CAA, true)
}

fn push_addresses<'js>(ctx: &Ctx<'js>, list: &Array<'js>, answer: &Answer, of: u16, name: &str) -> Result<()> {
    for (address, ttl) in addresses(answer, of) {
        let object = Object::new(ctx.clone())?;
        object.set("address", address)?;
        object.set("ttl", f64::from(ttl))?;
        object.set("type", name)?;
        list.set(list.len(), object)?;
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
fn push<'js>(ctx: &Ctx<'js>, list: &Array<'js>, answer: &Answer, of: u16, typed: bool) -> Result<()> {
    for record in answer.records.iter().filter(|record| kind_of(&record.data) == of) {
        // As c-ares: CAA records may also be of class CHAOS, TLSA records of any class.
        let fits = match record.data {
            Data::Caa { .. } => matches!(record.class, CLASS_IN | CLASS_CHAOS),
            Data::Tlsa { .. } => true,
            _ => record.class == CLASS_IN,
        };
        if fits {
            list.set(list.len(), value(ctx, &record.data, typed)?)?;
        }
    }
    Ok(())
}

/// The bytes before the first NUL, as C reads a string.
fn until_nul(bytes: &[u8]) -> &[u8] {
    bytes.split(|&byte| byte == 0).next().unwrap_or_default()
}

fn value<'js>(ctx: &Ctx<'js>, data: &Data, typed: bool) -> Result<Value<'js>> {
    let object = Object::new(ctx.clone())?;
    let name = match data {
        Data::Ns(name) | Data::Ptr(name) if !typed => return name.as_str().into_js(ctx),
        Data::Ns(name) => {
            object.set("value", name.as_str())?;
            "NS"
        }
        Data::Ptr(name) => {
            object.set("value", name.as_str())?;
            "PTR"
        }
        Data::Mx { preference, exchange } => {
            object.set("exchange", exchange.as_str())?;
            object.set("priority", *preference)?;
            "MX"
        }
        Data::Txt(strings) => {
            let entries = Array::new(ctx.clone())?;
            for (at, string) in strings.iter().enumerate() {
                entries.set(at, string_from_latin1(ctx, string)?)?;
            }
            if !typed {
                return Ok(entries.into_value());
            }
            object.set("entries", entries)?;
            "TXT"
        }
        Data::Srv { priority, weight, port, target } => {
            object.set("name", target.as_str())?;
            object.set("port", *port)?;
            object.set("priority", *priority)?;
            object.set("weight", *weight)?;
            "SRV"
        }
        Data::Naptr { order, preference, flags, service, regexp, replacement } => {
            object.set("flags", string_from_latin1(ctx, until_nul(flags))?)?;
            object.set("service", string_from_latin1(ctx, until_nul(service))?)?;
            object.set("regexp", string_from_latin1(ctx, until_nul(regexp))?)?;
            object.set("replacement", replacement.as_str())?;
            object.set("order", *order)?;
            object.set("preference", *preference)?;
            "NAPTR"
        }
        Data::Soa { nsname, hostmaster, serial, refresh, retry, expire, minttl } => {
            object.set("nsname", nsname.as_str())?;
            object.set("hostmaster", hostmaster.as_str())?;
            object.set("serial", f64::from(*serial))?;
            object.set("refresh", refresh.cast_signed())?;
            object.set("retry", retry.cast_signed())?;
            object.set("expire", expire.cast_signed())?;
            object.set("minttl", f64::from(*minttl))?;
            "SOA"
        }
        Data::Tlsa { usage, selector, matching, data } => {
            object.set("certUsage", *usage)?;
            object.set("selector", *selector)?;
            object.set("match", *matching)?;
            object.set("data", ArrayBuffer::new_copy(ctx.clone(), data)?)?;
            // Node sets no `type` on these records.
            return Ok(object.into_value());
        }
        Data::Caa { critical, tag, value } => {
            object.set("critical", *critical)?;
            object.set(string_from_latin1(ctx, until_nul(tag))?, string_from_latin1(ctx, until_nul(value))?)?;
            "CAA"
        }
        Data::A(_) | Data::Aaaa(_) | Data::Cname(_) | Data::Other => return Ok(Value::new_undefined(ctx.clone())),
    };
    if typed {
        object.set("type", name)?;
    }
    Ok(object.into_value())
}
