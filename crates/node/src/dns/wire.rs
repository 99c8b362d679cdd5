//! The wire format of DNS (RFC 1035 section 4): encodes queries, decodes responses, on top of hickory's encoder and decoder.
//!
//! No sockets and no JavaScript here. Responses are accepted or refused as c-ares does: exactly one question, and every record of every
//! section well-formed. Records of unsupported types are only checked for their form.

use std::net::{Ipv4Addr, Ipv6Addr};

use hickory_proto::rr::Name;
use hickory_proto::serialize::binary::{BinDecodable, BinDecoder, BinEncodable, BinEncoder, Restrict};

/// Numbers of the supported record types.
pub mod kind {
    #![allow(missing_docs, reason = "each is named as the registry names it")]
    pub const A: u16 = 1;
    pub const NS: u16 = 2;
    pub const CNAME: u16 = 5;
    pub const SOA: u16 = 6;
    pub const PTR: u16 = 12;
    pub const MX: u16 = 15;
    pub const TXT: u16 = 16;
    pub const AAAA: u16 = 28;
    pub const SRV: u16 = 33;
    pub const NAPTR: u16 = 35;
    pub const TLSA: u16 = 52;
    pub const ANY: u16 = 255;
    pub const CAA: u16 = 257;
}

/// Class IN.
pub const CLASS_IN: u16 = 1;
/// Class CHAOS, in which c-ares also accepts CAA records.
pub const CLASS_CHAOS: u16 = 3;

/// The decoded data of a record.
#[derive(Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "fields are named as the registry names them")]
pub enum Data {
    A(Ipv4Addr),
    Aaaa(Ipv6Addr),
    Cname(String),
    Ns(String),
    Ptr(String),
    Mx {
        preference: u16,
        exchange: String,
    },
    Txt(Vec<Vec<u8>>),
    Srv {
        priority: u16,
        weight: u16,
        port: u16,
        target: String,
    },
    Naptr {
        order: u16,
        preference: u16,
        flags: Vec<u8>,
        service: Vec<u8>,
        regexp: Vec<u8>,
        replacement: String,
    },
    Soa {
        nsname: String,
        hostmaster: String,
        serial: u32,
        refresh: u32,
        retry: u32,
        expire: u32,
        minttl: u32,
    },
    Tlsa {
        usage: u8,
        selector: u8,
        matching: u8,
        data: Vec<u8>,
    },
    Caa {
        critical: u8,
        tag: Vec<u8>,
        value: Vec<u8>,
    },
    /// An unsupported record type.
    Other,
}

/// A record of the answer section.
#[derive(Debug)]
pub struct Record {
    /// Normally [`CLASS_IN`].
    pub class: u16,
    /// The time to live, in seconds.
    pub ttl: u32,
    /// The decoded data.
    pub data: Data,
}

/// A decoded response.
#[derive(Debug)]
pub struct Answer {
    /// The id of the query.
    pub id: u16,
    /// The second word of the header (RFC 1035 section 4.1.1).
    pub flags: u16,
    /// The question: name as text, type, class.
    pub question: (String, u16, u16),
    /// The answer section.
    pub records: Vec<Record>,
}

impl Answer {
    /// The TC flag: the query has to be repeated over TCP.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        self.flags & 0x0200 != 0
    }

    /// The RCODE: 0, or an error.
    #[must_use]
    pub fn response_code(&self) -> u16 {
        self.flags & 0xf
    }
}

/// Encodes a query for one name with recursion desired. `None` if the name is invalid. As c-ares: labels of 1 to 63 letters, digits and
/// `-_/*`.
#[must_use]
pub fn question(id: u16, name: &str, kind: u16) -> Option<Vec<u8>> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-_/*".contains(&byte);
    let name = name.strip_suffix('.').unwrap_or(name);
    let labels: Vec<&[u8]> = if name.is_empty() { Vec::new() } else { name.split('.').map(str::as_bytes).collect() };
    if labels.iter().any(|label| label.is_empty() || label.len() > 63 || !label.iter().copied().all(fits)) {
        return None;
    }
    let mut name = Name::from_labels(labels).ok()?;
    name.set_fqdn(true);
    let mut bytes = Vec::with_capacity(64);
    let mut encoder = BinEncoder::new(&mut bytes);
    // Header: id, flags with RD set, one question, no records.
    for word in [id, 0x0100, 1, 0, 0, 0] {
        encoder.emit_u16(word).ok()?;
    }
    name.emit(&mut encoder).ok()?;
    encoder.emit_u16(kind).ok()?;
    encoder.emit_u16(CLASS_IN).ok()?;
    Some(bytes)
}

/// Decodes a response. `None` if it is malformed.
#[must_use]
pub fn answer(bytes: &[u8]) -> Option<Answer> {
    let mut reader = Reader(BinDecoder::new(bytes));
    let id = reader.u16()?;
    let flags = reader.u16()?;
    let counts = [reader.u16()?, reader.u16()?, reader.u16()?, reader.u16()?];
    if counts[0] != 1 {
        return None;
    }
    let question = (reader.name()?, reader.u16()?, reader.u16()?);
    let mut records = Vec::new();
    for _ in 0..counts[1] {
        records.push(reader.record()?);
    }
    for _ in 0..u32::from(counts[2]) + u32::from(counts[3]) {
        reader.record()?;
    }
    Some(Answer { id, flags, question, records })
}

struct Reader<'a>(BinDecoder<'a>);

impl<'a> Reader<'a> {
    fn u8(&mut self) -> Option<u8> {
        self.0.read_u8().ok().map(Restrict::unverified)
    }

    fn u16(&mut self) -> Option<u16> {
        self.0.read_u16().ok().map(Restrict::unverified)
    }

    fn u32(&mut self) -> Option<u32> {
        self.0.read_u32().ok().map(Restrict::unverified)
    }

    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        self.0.read_slice(count).ok().map(Restrict::unverified)
    }

    /// A string with a length byte before it (RFC 1035 section 3.3).
    fn string(&mut self) -> Option<Vec<u8>> {
        let count = self.u8()?;
        self.bytes(count.into()).map(<[u8]>::to_vec)
    }

    fn name(&mut self) -> Option<String> {
        Name::read(&mut self.0).ok().map(|name| text_of(&name))
    }

    fn record(&mut self) -> Option<Record> {
        self.name()?;
        let kind = self.u16()?;
        let class = self.u16()?;
        let ttl = self.u32()?;
        let length = usize::from(self.u16()?);
        if length > self.0.len() {
            return None;
        }
        let end = self.0.index() + length;
        let data = self.data(kind, end)?;
        // As c-ares: records of a supported type must have a known class.
        if data != Data::Other && !matches!(class, CLASS_IN | CLASS_CHAOS | 4 | 254 | 255) {
            return None;
        }
        // Trailing bytes of a record are skipped. `checked_sub` fails if the data reached beyond the end of the record.
        let rest = end.checked_sub(self.0.index())?;
        self.bytes(rest)?;
        Some(Record { class, ttl, data })
    }

    /// The number of bytes that remain in the record.
    fn left(&self, end: usize) -> usize {
        end.saturating_sub(self.0.index())
    }

    fn data(&mut self, of: u16, end: usize) -> Option<Data> {
        Some(match of {
            kind::A => Data::A(Ipv4Addr::from(<[u8; 4]>::try_from(self.bytes(4)?).ok()?)),
            kind::AAAA => Data::Aaaa(Ipv6Addr::from(<[u8; 16]>::try_from(self.bytes(16)?).ok()?)),
            kind::CNAME => Data::Cname(self.name()?),
            kind::NS => Data::Ns(self.name()?),
            kind::PTR => Data::Ptr(self.name()?),
            kind::MX => Data::Mx { preference: self.u16()?, exchange: self.name()? },
            kind::TXT => Data::Txt(self.strings(end)?),
            kind::SRV => {
                Data::Srv { priority: self.u16()?, weight: self.u16()?, port: self.u16()?, target: self.name()? }
            }
            kind::NAPTR => Data::Naptr {
                order: self.u16()?,
                preference: self.u16()?,
                flags: self.string()?,
                service: self.string()?,
                regexp: self.string()?,
                replacement: self.name()?,
            },
            kind::SOA => Data::Soa {
                nsname: self.name()?,
                hostmaster: self.name()?,
                serial: self.u32()?,
                refresh: self.u32()?,
                retry: self.u32()?,
                expire: self.u32()?,
                minttl: self.u32()?,
            },
            kind::TLSA => {
                let (usage, selector, matching) = (self.u8()?, self.u8()?, self.u8()?);
                let left = self.left(end);
                Data::Tlsa { usage, selector, matching, data: self.filled(left)? }
            }
            kind::CAA => {
                let (critical, tag) = (self.u8()?, self.string()?);
                let left = self.left(end);
                Data::Caa { critical, tag, value: self.filled(left)? }
            }
            _ => Data::Other,
        })
    }

    /// The next `count` bytes; `None` if `count` is 0.
    fn filled(&mut self, count: usize) -> Option<Vec<u8>> {
        if count == 0 {
            return None;
        }
        self.bytes(count).map(<[u8]>::to_vec)
    }

    /// All remaining strings, at least one.
    fn strings(&mut self, end: usize) -> Option<Vec<Vec<u8>>> {
        let mut strings = Vec::new();
        while self.left(end) > 0 || strings.is_empty() {
            if self.left(end) == 0 {
                return None;
            }
            strings.push(self.string()?);
        }
        Some(strings)
    }
}

/// A name as text, without the final dot. As c-ares: special characters are escaped with a backslash, unprintable ones as `\DDD`.
fn text_of(name: &Name) -> String {
    let mut text = String::new();
    for label in name {
        if !text.is_empty() {
            text.push('.');
        }
        for &byte in label {
            match byte {
                b'"' | b'.' | b';' | b'\\' | b'(' | b')' | b'@' | b'$' => {
                    text.push('\\');
                    text.push(char::from(byte));
                }
                0x20..=0x7e => text.push(char::from(byte)),
                _ => text.push_str(&format!("\\{byte:03}")),
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A response to `question`; each record's name is a compression pointer to the name of the question.
    fn reply(question: &[u8], records: &[(u16, &[u8])]) -> Vec<u8> {
        let mut bytes = question.to_vec();
        bytes[2] = 0x81;
        bytes[7] = u8::try_from(records.len()).unwrap();
        for (kind, data) in records {
            bytes.extend([0xc0, 12]);
            bytes.extend(kind.to_be_bytes());
            bytes.extend([0, 1, 0, 0, 0, 60]);
            bytes.extend(u16::try_from(data.len()).unwrap().to_be_bytes());
            bytes.extend(*data);
        }
        bytes
    }

    #[test]
    fn query_and_response_survive_a_round_trip() {
        let query = question(7, "a.Example", kind::A).unwrap();
        let read = answer(&reply(&query, &[(kind::A, &[10, 1, 2, 3]), (kind::TXT, b"\x01a\x02bc")])).unwrap();
        assert_eq!(read.id, 7);
        assert_eq!(read.question, ("a.Example".to_owned(), kind::A, CLASS_IN));
        assert_eq!(read.records[0].data, Data::A(Ipv4Addr::new(10, 1, 2, 3)));
        assert_eq!(read.records[1].data, Data::Txt(vec![b"a".to_vec(), b"bc".to_vec()]));
        assert!(!read.is_truncated());
        assert_eq!(read.response_code(), 0);
    }

    #[test]
    fn invalid_names_have_no_query() {
        for name in ["a..b", ".a", "a b", "a\\b", "é"] {
            assert_eq!(question(1, name, kind::A), None, "{name}");
        }
        assert_eq!(question(1, &"x".repeat(64), kind::A), None);
        assert_eq!(question(1, &vec!["x".repeat(63); 4].join("."), kind::A), None);
        assert!(question(1, "", kind::NS).is_some());
        assert!(question(1, "_sip._tcp.x.", kind::SRV).is_some());
    }

    #[test]
    fn responses_truncated_at_any_length_are_rejected() {
        let query = question(7, "a.example", kind::ANY).unwrap();
        let whole = reply(&query, &[(kind::MX, &[0, 1, 1, b'm', 0xc0, 12]), (kind::CAA, b"\x00\x05issuex")]);
        assert!(answer(&whole).is_some());
        for end in 0..whole.len() {
            assert!(answer(&whole[..end]).is_none(), "{end}");
        }
        // A compression pointer to itself, and a record shorter than its data.
        assert!(answer(&reply(&query, &[(kind::NS, &[0xc0, 39])])).is_none());
        assert!(answer(&reply(&query, &[(kind::A, &[1, 2, 3])])).is_none());
    }

    #[test]
    fn special_characters_in_names_are_escaped() {
        let query = question(7, "x", kind::NS).unwrap();
        let read = answer(&reply(&query, &[(kind::NS, b"\x05a.b\x00\xff\x01(\x00")])).unwrap();
        assert_eq!(read.records[0].data, Data::Ns("a\\.b\\000\\255.\\(".to_owned()));
    }
}
