//! `SignedPublicKeyAndChallenge`: a public key and a challenge string, signed with the private key.

use ::der::Tag;
use ::der::asn1::ObjectIdentifier;

use super::der::{self, Fields};
use super::digest::Algorithm;
use super::key::Key;
use super::signature::{self, SignOptions};

/// A signed public key and challenge, as the element `keygen` of HTML sent.
pub struct Spkac {
    /// The key.
    pub key: Key,
    /// The challenge.
    pub challenge: Vec<u8>,
    /// True if the signature is valid.
    pub is_signed: bool,
}

impl Spkac {
    /// Parses the base64 text.
    pub fn read(text: &[u8]) -> Option<Spkac> {
        let letters: Vec<u8> = text.iter().copied().filter(|letter| !letter.is_ascii_whitespace()).collect();
        let bytes = base64_simd::STANDARD.decode_to_vec(letters).ok()?;
        let mut outer = Fields::of_sequence(&bytes)?;
        let signed = outer.take(Tag::Sequence)?;
        let algorithm = outer.sequence()?.oid()?;
        let signature = outer.bits()?;
        let mut fields = Fields::of(signed)?;
        let key = Key::of_spki(&der::sequence(&[fields.take(Tag::Sequence)?]))?;
        let challenge = fields.take(Tag::Ia5String)?.to_vec();
        let manner =
            SignOptions { hash: hash_of(algorithm), is_digest: false, padding: None, salt: None, is_plain: false };
        let is_signed = signature::verify(&key, manner, &der::sequence(&[signed]), signature) == Ok(true);
        Some(Spkac { key, challenge, is_signed })
    }
}

/// The hash of an RSA, ECDSA or DSA signature algorithm; `None` for algorithms with a built-in hash.
fn hash_of(algorithm: ObjectIdentifier) -> Option<Algorithm> {
    Some(match algorithm.to_string().as_str() {
        "1.2.840.113549.1.1.4" => Algorithm::Md5,
        "1.2.840.113549.1.1.5" | "1.2.840.10045.4.1" | "1.2.840.10040.4.3" => Algorithm::Sha1,
        "1.2.840.113549.1.1.14" | "1.2.840.10045.4.3.1" | "2.16.840.1.101.3.4.3.1" => Algorithm::Sha224,
        "1.2.840.113549.1.1.11" | "1.2.840.10045.4.3.2" | "2.16.840.1.101.3.4.3.2" => Algorithm::Sha256,
        "1.2.840.113549.1.1.12" | "1.2.840.10045.4.3.3" | "2.16.840.1.101.3.4.3.3" => Algorithm::Sha384,
        "1.2.840.113549.1.1.13" | "1.2.840.10045.4.3.4" | "2.16.840.1.101.3.4.3.4" => Algorithm::Sha512,
        _ => return None,
    })
}
