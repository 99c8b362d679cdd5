//! ASN.1 DER reader and writer for keys and signatures. The `der` crate does the strict decoding. The structures of keys are in other
//! files.

use der::asn1::{AnyRef, ObjectIdentifier};
use der::{Decode, Reader, SliceReader, Tag, TagNumber};

/// A reader over consecutive fields.
pub struct Fields<'a>(SliceReader<'a>);

impl<'a> Fields<'a> {
    /// The fields in bytes that are one SEQUENCE.
    pub fn of(bytes: &'a [u8]) -> Option<Fields<'a>> {
        Some(Fields(SliceReader::new(bytes).ok()?))
    }

    /// The fields of the first sequence in `bytes`. Trailing bytes are ignored, as OpenSSL does.
    pub fn of_sequence(bytes: &'a [u8]) -> Option<Fields<'a>> {
        Fields::of(bytes)?.sequence()
    }

    /// The next field, of any tag.
    pub fn any(&mut self) -> Option<AnyRef<'a>> {
        AnyRef::decode(&mut self.0).ok()
    }

    /// The tag of the next field; `None` at the end.
    fn tag(&self) -> Option<Tag> {
        self.0.peek_tag().ok()
    }

    /// The value of the next field if it has this tag, else `None`.
    pub fn take(&mut self, tag: Tag) -> Option<&'a [u8]> {
        if self.tag()? != tag {
            return None;
        }
        Some(self.any()?.value())
    }

    /// The value of an optional context-specific field `[number]`.
    pub fn optional(&mut self, number: u8, constructed: bool) -> Option<&'a [u8]> {
        self.take(Tag::ContextSpecific { constructed, number: TagNumber::new(number) })
    }

    /// The next field, a SEQUENCE.
    pub fn sequence(&mut self) -> Option<Fields<'a>> {
        Fields::of(self.take(Tag::Sequence)?)
    }

    /// The next field, an OCTET STRING.
    pub fn octets(&mut self) -> Option<&'a [u8]> {
        self.take(Tag::OctetString)
    }

    /// A bit string without unused bits.
    pub fn bits(&mut self) -> Option<&'a [u8]> {
        match self.take(Tag::BitString)? {
            [0, bytes @ ..] => Some(bytes),
            _ => None,
        }
    }

    /// A non-negative integer without leading zeros.
    pub fn integer(&mut self) -> Option<&'a [u8]> {
        let value = self.take(Tag::Integer)?;
        if value.first().is_none_or(|&first| first & 0x80 != 0) {
            return None;
        }
        Some(trimmed(value))
    }

    /// A non-negative integer that fits into 32 bits.
    pub fn small(&mut self) -> Option<u32> {
        let value = self.integer()?;
        if value.len() > 4 {
            return None;
        }
        Some(value.iter().fold(0, |number, &byte| number << 8 | u32::from(byte)))
    }

    /// The next field, an OBJECT IDENTIFIER.
    pub fn oid(&mut self) -> Option<ObjectIdentifier> {
        if self.tag()? != Tag::ObjectIdentifier {
            return None;
        }
        ObjectIdentifier::decode(&mut self.0).ok()
    }

    /// Whether no field is left.
    pub fn is_at_end(&self) -> bool {
        self.0.is_finished()
    }
}

/// A number without leading zeros; zero becomes the empty slice.
pub fn trimmed(bytes: &[u8]) -> &[u8] {
    let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
    &bytes[zeros..]
}

/// A number padded with leading zeros to `count` bytes; `None` if it does not fit.
pub fn padded(bytes: &[u8], count: usize) -> Option<Vec<u8>> {
    let bytes = trimmed(bytes);
    let mut output = vec![0; count.checked_sub(bytes.len())?];
    output.extend_from_slice(bytes);
    Some(output)
}

/// Encodes a field: tag, length, value.
fn field(tag: u8, value: &[u8]) -> Vec<u8> {
    let length = value.len();
    let mut output = vec![tag];
    if length < 0x80 {
        output.push(length as u8);
    } else {
        let bytes = length.to_be_bytes();
        let bytes = trimmed(&bytes);
        output.push(0x80 | bytes.len() as u8);
        output.extend_from_slice(bytes);
    }
    output.extend_from_slice(value);
    output
}

/// A SEQUENCE of encoded fields.
pub fn sequence(fields: &[&[u8]]) -> Vec<u8> {
    field(0x30, &fields.concat())
}

/// An OCTET STRING.
pub fn octets(value: &[u8]) -> Vec<u8> {
    field(0x04, value)
}

/// A BIT STRING of whole bytes.
pub fn bits(value: &[u8]) -> Vec<u8> {
    field(0x03, &[&[0], value].concat())
}

/// An unsigned INTEGER, from big-endian bytes.
pub fn integer(value: &[u8]) -> Vec<u8> {
    let value = trimmed(value);
    let needs_zero = value.first().is_none_or(|&first| first & 0x80 != 0);
    field(0x02, &[if needs_zero { &[0][..] } else { &[] }, value].concat())
}

/// A small INTEGER.
pub fn small(value: u32) -> Vec<u8> {
    integer(&value.to_be_bytes())
}

/// An OBJECT IDENTIFIER.
pub fn oid(value: ObjectIdentifier) -> Vec<u8> {
    field(0x06, value.as_bytes())
}

/// NULL.
pub fn null() -> Vec<u8> {
    vec![0x05, 0x00]
}

/// A constructed context-specific field `[number]`.
pub fn tagged(number: u8, value: &[u8]) -> Vec<u8> {
    field(0xA0 | number, value)
}

/// True if `bytes` contains its first element completely: the content is not shorter than its header says.
pub fn is_whole(bytes: &[u8]) -> bool {
    let length = match bytes {
        [_, short @ 0..=0x7F, rest @ ..] => Some((usize::from(*short), rest)),
        [_, long @ 0x81..=0x88, rest @ ..] => rest.split_at_checked(usize::from(long - 0x80)).map(|(digits, rest)| {
            (digits.iter().fold(0_usize, |sum, &digit| sum.saturating_mul(0x100).saturating_add(digit.into())), rest)
        }),
        _ => None,
    };
    length.is_some_and(|(length, rest)| length <= rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn der_survives_a_round_trip() {
        let long = vec![0x81; 300];
        let bytes = sequence(&[&small(0), &integer(&long), &octets(b"x"), &tagged(1, &bits(b"yz")), &small(65537)]);
        let mut fields = Fields::of_sequence(&bytes).expect("a sequence");
        assert_eq!(fields.small(), Some(0));
        assert_eq!(fields.integer(), Some(&long[..]));
        assert_eq!(fields.octets(), Some(&b"x"[..]));
        assert_eq!(fields.optional(0, true), None);
        let inner = fields.optional(1, true).expect("a tagged field");
        assert_eq!(Fields::of(inner).and_then(|mut fields| fields.bits()), Some(&b"yz"[..]));
        assert_eq!(fields.small(), Some(65537));
        assert!(fields.is_at_end() && fields.any().is_none());
    }

    #[test]
    fn malformed_der_is_rejected() {
        assert!(Fields::of_sequence(&[0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF]).is_none());
        assert!(Fields::of(&[0x02, 0x01, 0x80]).and_then(|mut fields| fields.integer()).is_none());
        assert_eq!(padded(&[1, 2, 3], 2), None);
        assert_eq!(padded(&[0, 0, 3], 2), Some(vec![0, 3]));
    }
}
