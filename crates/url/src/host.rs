//! The host parser of the WHATWG URL Standard (section 3.5): domains, IPv4 in all legacy notations, IPv6, and opaque hosts.

use std::borrow::Cow;
use std::fmt::Write;
use std::net::Ipv6Addr;

use percent_encoding::{CONTROLS, percent_decode_str, utf8_percent_encode};

/// Forbidden host code points of the standard.
fn is_forbidden(character: char) -> bool {
    matches!(
        character,
        '\0' | '\t' | '\n' | '\r' | ' ' | '#' | '/' | ':' | '<' | '>' | '?' | '@' | '[' | '\\' | ']' | '^' | '|'
    )
}

/// The serialized host; `None` if it is invalid.
pub fn parse(input: &str, is_opaque: bool) -> Option<String> {
    if let Some(rest) = input.strip_prefix('[') {
        return Some(format!("[{}]", show_ipv6(rest.strip_suffix(']')?.parse().ok()?)));
    }
    if is_opaque {
        let plain = !input.chars().any(is_forbidden);
        return plain.then(|| utf8_percent_encode(input, CONTROLS).to_string());
    }
    let domain = percent_decode_str(input).decode_utf8_lossy();
    let ascii = to_ascii(&domain)?;
    if ascii.is_empty() {
        return None;
    }
    if ends_in_number(&ascii) {
        let address = parse_ipv4(&ascii)?;
        return Some(std::net::Ipv4Addr::from(address).to_string());
    }
    Some(ascii.into_owned())
}

/// The standard's "domain to ASCII" with `beStrict` false.
fn to_ascii(domain: &str) -> Option<Cow<'_, str>> {
    idna::domain_to_ascii_cow(domain.as_bytes(), idna::AsciiDenyList::URL).ok()
}

/// The standard's "ends in a number checker": then the host must be an IPv4 address.
fn ends_in_number(domain: &str) -> bool {
    let domain = domain.strip_suffix('.').unwrap_or(domain);
    let last = domain.rsplit('.').next().unwrap_or("");
    !last.is_empty() && (last.bytes().all(|byte| byte.is_ascii_digit()) || parse_number(last).is_some())
}

/// One part of an IPv4 address: decimal, octal after `0`, hexadecimal after `0x`. Values that overflow saturate.
fn parse_number(part: &str) -> Option<u64> {
    let (digits, radix) = match part.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&part[2..], 16),
        [b'0', _, ..] => (&part[1..], 8),
        [] => return None,
        _ => (part, 10),
    };
    if !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    let add = |sum: u64, digit: char| {
        sum.saturating_mul(radix.into()).saturating_add(digit.to_digit(radix).unwrap_or(0).into())
    };
    Some(digits.chars().fold(0, add))
}

fn parse_ipv4(domain: &str) -> Option<u32> {
    let domain = domain.strip_suffix('.').unwrap_or(domain);
    let numbers: Vec<u64> = domain.split('.').map(parse_number).collect::<Option<_>>()?;
    let (&last, others) = numbers.split_last()?;
    if others.len() > 3 || others.iter().any(|&number| number > 255) || last >= 256_u64.pow(4 - others.len() as u32) {
        return None;
    }
    let high = others.iter().enumerate().map(|(index, number)| number << (8 * (3 - index))).sum::<u64>();
    u32::try_from(high + last).ok()
}

/// The standard's "IPv6 serializer": compresses the longest run of zeros. Unlike `std`'s `Display`, an embedded IPv4 address is printed in
/// hexadecimal.
fn show_ipv6(address: Ipv6Addr) -> String {
    let pieces = address.segments();
    let (mut run_start, mut run_len) = (0, 1);
    let mut at = 0;
    while at < 8 {
        let len = pieces[at..].iter().take_while(|&&piece| piece == 0).count();
        if len > run_len {
            (run_start, run_len) = (at, len);
        }
        at += len.max(1);
    }
    let mut text = String::new();
    let mut at = 0;
    while at < 8 {
        if run_len > 1 && at == run_start {
            text.push_str(if at == 0 { "::" } else { ":" });
            at += run_len;
            continue;
        }
        let _ = write!(text, "{:x}", pieces[at]);
        at += 1;
        if at < 8 {
            text.push(':');
        }
    }
    text
}

/// The host in Unicode; empty if it is invalid.
pub fn to_unicode(domain: &str) -> String {
    parse(domain, false).map(|ascii| idna::domain_to_unicode(&ascii).0).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legacy_notations_of_ipv4() {
        for (input, host) in [
            ("1", Some("0.0.0.1")),
            ("0x7f.1", Some("127.0.0.1")),
            ("010.0.0.1.", Some("8.0.0.1")),
            ("256.1.1.1", None),
            ("1.2.3.4.5", None),
            ("4294967296", None),
            ("1.2.3.08", None),
            ("a.1x", Some("a.1x")),
            ("99999999999999999999999999", None),
        ] {
            assert_eq!(parse(input, false).as_deref(), host, "{input}");
        }
    }

    #[test]
    fn ipv6_is_compressed() {
        for (input, host) in [
            ("[::1]", Some("[::1]")),
            ("[1:0:0:2:0:0:0:3]", Some("[1:0:0:2::3]")),
            ("[::ffff:1.2.3.4]", Some("[::ffff:102:304]")),
            ("[0:0:0:0:0:0:0:0]", Some("[::]")),
            ("[1:2:3:4:5:6:0:8]", Some("[1:2:3:4:5:6:0:8]")),
            ("[::1", None),
            ("[1::2::3]", None),
        ] {
            assert_eq!(parse(input, false).as_deref(), host, "{input}");
        }
    }
}
