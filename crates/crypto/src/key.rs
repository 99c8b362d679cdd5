//! Asymmetric keys: their components and DER structures (PKCS #1, PKCS #8, SEC 1, SubjectPublicKeyInfo). Operations on keys are in `rsa`,
//! `curves`, `dsa_dh` and `signature`; PEM and passphrases in `pem` and `encrypted_key`.

use ::der::Tag;
use ::der::asn1::ObjectIdentifier;

use super::curves::{Curve, Form};
use super::der::{self, Fields};
use super::digest::Algorithm;
use super::dsa_dh::{self, Domain, DsaDh};

/// A key. A private key also has its public part.
#[derive(Clone, Debug)]
pub enum Key {
    /// RSA.
    Rsa(Rsa),
    /// A key on a NIST curve or secp256k1.
    Ec(Ec),
    /// A key on curve 25519 or 448.
    Raw(Raw),
    /// A key over a group modulo a prime.
    DsaDh(DsaDh),
}

/// An RSA key. Numbers are big-endian without leading zeros.
#[derive(Clone, Debug)]
pub struct Rsa {
    /// The modulus.
    pub modulus: Vec<u8>,
    /// The public exponent.
    pub exponent: Vec<u8>,
    /// The private numbers; None in a public key.
    pub secret: Option<RsaSecret>,
    /// `Some` for a key of type "rsa-pss", with its restrictions if it has any.
    pub pss: Option<Option<PssRule>>,
}

/// The private numbers of an RSA key (RFC 8017 section 3.2), big-endian.
#[derive(Clone, Debug)]
pub struct RsaSecret {
    /// The private exponent.
    pub exponent: Vec<u8>,
    /// p, q, d mod (p-1), d mod (q-1) and q^-1 mod p, in the order of PKCS #1.
    pub parts: [Vec<u8>; 5],
}

/// The restrictions of an RSA-PSS key (`RSASSA-PSS-params`, RFC 4055 section 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PssRule {
    /// The digest of the message.
    pub hash: Algorithm,
    /// The digest of the mask generation function.
    pub mask_hash: Algorithm,
    /// The minimum length of the salt.
    pub salt_bytes: u32,
}

/// A key on a curve with points of two coordinates.
#[derive(Clone, Debug)]
pub struct Ec {
    /// The curve.
    pub curve: Curve,
    /// The public point, uncompressed.
    pub point: Vec<u8>,
    /// The private scalar, as long as the curve's field.
    pub secret: Option<Vec<u8>>,
}

/// A key of curve 25519 or 448, whose encoding is a byte string (RFC 8410).
#[derive(Clone, Debug)]
pub struct Raw {
    /// The curve, and what the key is for.
    pub kind: RawKind,
    /// The public bytes.
    pub public: Vec<u8>,
    /// The private bytes; None in a public key.
    pub secret: Option<Vec<u8>>,
}

/// Keys that are plain bytes (RFC 8410).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawKind {
    /// Signatures on curve 25519.
    Ed25519,
    /// Signatures on curve 448.
    Ed448,
    /// Key agreement on curve 25519.
    X25519,
    /// Key agreement on curve 448.
    X448,
}

impl RawKind {
    /// All kinds.
    pub const ALL: [RawKind; 4] = [RawKind::Ed25519, RawKind::Ed448, RawKind::X25519, RawKind::X448];

    /// The value of Node's `asymmetricKeyType`.
    pub fn name(self) -> &'static str {
        match self {
            RawKind::Ed25519 => "ed25519",
            RawKind::Ed448 => "ed448",
            RawKind::X25519 => "x25519",
            RawKind::X448 => "x448",
        }
    }

    /// The kind with Node's name.
    pub fn of(name: &str) -> Option<RawKind> {
        RawKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    fn oid(self) -> ObjectIdentifier {
        match self {
            RawKind::X25519 => ObjectIdentifier::new_unwrap("1.3.101.110"),
            RawKind::X448 => ObjectIdentifier::new_unwrap("1.3.101.111"),
            RawKind::Ed25519 => ObjectIdentifier::new_unwrap("1.3.101.112"),
            RawKind::Ed448 => ObjectIdentifier::new_unwrap("1.3.101.113"),
        }
    }

    fn of_oid(oid: ObjectIdentifier) -> Option<RawKind> {
        RawKind::ALL.into_iter().find(|kind| kind.oid() == oid)
    }

    /// The length of the public key and of the private key.
    pub fn bytes(self) -> usize {
        match self {
            RawKind::Ed25519 | RawKind::X25519 => 32,
            RawKind::X448 => 56,
            RawKind::Ed448 => 57,
        }
    }
}

const RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");
const MASK: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.8");
const RSA_PSS: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.10");
const EC: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");

impl Key {
    /// The value of Node's `asymmetricKeyType`.
    pub fn kind(&self) -> &'static str {
        match self {
            Key::Rsa(Rsa { pss: None, .. }) => "rsa",
            Key::Rsa(_) => "rsa-pss",
            Key::Ec(_) => "ec",
            Key::Raw(key) => key.kind.name(),
            Key::DsaDh(key) => key.domain.kind.name(),
        }
    }

    /// Whether it has a private part.
    pub fn is_private(&self) -> bool {
        match self {
            Key::Rsa(key) => key.secret.is_some(),
            Key::Ec(key) => key.secret.is_some(),
            Key::Raw(key) => key.secret.is_some(),
            Key::DsaDh(key) => key.secret.is_some(),
        }
    }

    /// Parses `PrivateKeyInfo` (RFC 5208), or `OneAsymmetricKey` (RFC 5958), which may contain the public key.
    pub fn of_pkcs8(bytes: &[u8]) -> Option<Key> {
        let mut fields = Fields::of_sequence(bytes)?;
        fields.small().filter(|version| *version <= 1)?;
        let mut algorithm = fields.sequence()?;
        let inner = fields.octets()?;
        let kind = algorithm.oid()?;
        match kind {
            RSA => Rsa::of_pkcs1_private(inner, None),
            RSA_PSS => Rsa::of_pkcs1_private(inner, Some(PssRule::read(&mut algorithm)?)),
            EC => Ec::of_sec1(inner, Some(Curve::of_oid(algorithm.oid()?)?)),
            _ => match dsa_dh::Kind::of_oid(kind) {
                Some(kind) => Domain::read(kind, &mut algorithm)?.private(Fields::of(inner)?.integer()?),
                None => Raw::private(RawKind::of_oid(kind)?, Fields::of(inner)?.octets()?),
            },
        }
    }

    /// Parses `SubjectPublicKeyInfo` (RFC 5280 section 4.1).
    pub fn of_spki(bytes: &[u8]) -> Option<Key> {
        let mut fields = Fields::of_sequence(bytes)?;
        let mut algorithm = fields.sequence()?;
        let inner = fields.bits()?;
        let kind = algorithm.oid()?;
        match kind {
            RSA => Rsa::of_pkcs1_public(inner, None),
            RSA_PSS => Rsa::of_pkcs1_public(inner, Some(PssRule::read(&mut algorithm)?)),
            EC => Ec::public(Curve::of_oid(algorithm.oid()?)?, inner),
            _ => match dsa_dh::Kind::of_oid(kind) {
                Some(kind) => Domain::read(kind, &mut algorithm)?.public(Fields::of(inner)?.integer()?),
                None => Raw::public(RawKind::of_oid(kind)?, inner),
            },
        }
    }

    /// Extracts the subject's public key from an X.509 certificate.
    pub fn of_certificate(bytes: &[u8]) -> Option<Key> {
        let mut certificate = Fields::of_sequence(bytes)?;
        let mut fields = certificate.sequence()?;
        let _version = fields.optional(0, true);
        fields.integer()?;
        // Skips signature algorithm, issuer, validity and subject.
        for _ in 0..4 {
            fields.take(Tag::Sequence)?;
        }
        let info = fields.take(Tag::Sequence)?;
        Key::of_spki(&der::sequence(&[info]))
    }

    fn algorithm(&self) -> Vec<u8> {
        match self {
            Key::Rsa(Rsa { pss: None, .. }) => der::sequence(&[&der::oid(RSA), &der::null()]),
            Key::Rsa(Rsa { pss: Some(rule), .. }) => {
                der::sequence(&[&der::oid(RSA_PSS), &rule.map(PssRule::write).unwrap_or_default()])
            }
            Key::Ec(key) => der::sequence(&[&der::oid(EC), &der::oid(key.curve.oid())]),
            Key::Raw(key) => der::sequence(&[&der::oid(key.kind.oid())]),
            Key::DsaDh(key) => key.domain.write(),
        }
    }

    /// Encodes `SubjectPublicKeyInfo`.
    pub fn to_spki(&self) -> Vec<u8> {
        let inner = match self {
            Key::Rsa(key) => key.to_pkcs1_public(),
            Key::Ec(key) => key.point.clone(),
            Key::Raw(key) => key.public.clone(),
            Key::DsaDh(key) => key.public_field(),
        };
        der::sequence(&[&self.algorithm(), &der::bits(&inner)])
    }

    /// Encodes `PrivateKeyInfo`; `None` for a public key.
    pub fn to_pkcs8(&self) -> Option<Vec<u8>> {
        let inner = match self {
            Key::Rsa(key) => key.to_pkcs1_private()?,
            Key::Ec(key) => key.to_sec1(false)?,
            Key::Raw(key) => der::octets(key.secret.as_ref()?),
            Key::DsaDh(key) => key.secret_field()?,
        };
        Some(der::sequence(&[&der::small(0), &self.algorithm(), &der::octets(&inner)]))
    }

    /// The bytes that represent the key in JavaScript: PKCS #8 of a private key, SubjectPublicKeyInfo of a public key.
    pub fn to_handle(&self) -> Vec<u8> {
        self.to_pkcs8().unwrap_or_else(|| self.to_spki())
    }

    /// Parses the result of [`Key::to_handle`].
    pub fn of_handle(bytes: &[u8]) -> Option<Key> {
        Key::of_spki(bytes).or_else(|| Key::of_pkcs8(bytes))
    }
}

impl Rsa {
    /// Rejects numbers for which modular powers are undefined: an even modulus, an empty exponent, or one longer than the modulus.
    fn is_valid(&self) -> bool {
        let is_odd = self.modulus.last().is_some_and(|last| last & 1 == 1);
        is_odd && !self.exponent.is_empty() && self.exponent.len() <= self.modulus.len()
    }

    /// Reads an RSAPublicKey (RFC 8017 appendix A.1.1).
    pub fn of_pkcs1_public(bytes: &[u8], pss: Option<Option<PssRule>>) -> Option<Key> {
        let mut fields = Fields::of_sequence(bytes)?;
        let [modulus, exponent] = [fields.integer()?.to_vec(), fields.integer()?.to_vec()];
        let key = Rsa { modulus, exponent, secret: None, pss };
        key.is_valid().then_some(Key::Rsa(key))
    }

    /// Reads an RSAPrivateKey (RFC 8017 appendix A.1.2).
    pub fn of_pkcs1_private(bytes: &[u8], pss: Option<Option<PssRule>>) -> Option<Key> {
        let mut fields = Fields::of_sequence(bytes)?;
        // Version 0; keys with more than two primes have version 1 (RFC 8017 appendix A.1.2).
        fields.small().filter(|version| *version == 0)?;
        let mut number = || fields.integer().map(<[u8]>::to_vec);
        let [modulus, exponent] = [number()?, number()?];
        let secret = RsaSecret { exponent: number()?, parts: [number()?, number()?, number()?, number()?, number()?] };
        let key = Rsa { modulus, exponent, secret: Some(secret), pss };
        key.is_valid().then_some(Key::Rsa(key))
    }

    /// Writes an RSAPublicKey.
    pub fn to_pkcs1_public(&self) -> Vec<u8> {
        der::sequence(&[&der::integer(&self.modulus), &der::integer(&self.exponent)])
    }

    /// Writes an RSAPrivateKey; None for a public key.
    pub fn to_pkcs1_private(&self) -> Option<Vec<u8>> {
        let secret = self.secret.as_ref()?;
        let mut fields = vec![der::small(0)];
        let numbers = [&self.modulus, &self.exponent, &secret.exponent].into_iter().chain(&secret.parts);
        fields.extend(numbers.map(|number| der::integer(number)));
        Some(der::sequence(&fields.iter().map(|field| &field[..]).collect::<Vec<_>>()))
    }

    /// The length of the modulus.
    pub fn modulus_bits(&self) -> usize {
        self.modulus.first().map_or(0, |first| self.modulus.len() * 8 - first.leading_zeros() as usize)
    }
}

impl PssRule {
    /// The defaults of absent fields.
    const USUAL: PssRule = PssRule { hash: Algorithm::Sha1, mask_hash: Algorithm::Sha1, salt_bytes: 20 };

    /// Reads the parameters of an RSA-PSS key. The outer `None` means malformed, the inner `None` no restrictions.
    fn read(algorithm: &mut Fields<'_>) -> Option<Option<PssRule>> {
        if algorithm.is_at_end() {
            return Some(None);
        }
        let mut fields = algorithm.sequence()?;
        let mut rule = PssRule::USUAL;
        if let Some(inner) = fields.optional(0, true) {
            rule.hash = Algorithm::of_oid(Fields::of_sequence(inner)?.oid()?)?;
        }
        if let Some(inner) = fields.optional(1, true) {
            let mut mask = Fields::of_sequence(inner)?;
            mask.oid().filter(|oid| *oid == MASK)?;
            rule.mask_hash = Algorithm::of_oid(mask.sequence()?.oid()?)?;
        }
        if let Some(inner) = fields.optional(2, true) {
            rule.salt_bytes = Fields::of(inner)?.small()?;
        }
        Some(Some(rule))
    }

    fn write(self) -> Vec<u8> {
        let hash_of = |hash: Algorithm| match hash.oid() {
            Some(oid) => der::sequence(&[&der::oid(oid), &der::null()]),
            None => Vec::new(),
        };
        let mut fields = Vec::new();
        if self.hash != PssRule::USUAL.hash {
            fields.extend(der::tagged(0, &hash_of(self.hash)));
        }
        if self.mask_hash != PssRule::USUAL.mask_hash {
            fields.extend(der::tagged(1, &der::sequence(&[&der::oid(MASK), &hash_of(self.mask_hash)])));
        }
        if self.salt_bytes != PssRule::USUAL.salt_bytes {
            fields.extend(der::tagged(2, &der::small(self.salt_bytes)));
        }
        der::sequence(&[&fields])
    }
}

impl Ec {
    /// A public key; None if the point is not on the curve.
    pub fn public(curve: Curve, point: &[u8]) -> Option<Key> {
        let point = curve.convert(point, Form::Uncompressed)?;
        Some(Key::Ec(Ec { curve, point, secret: None }))
    }

    /// A private key; None if the number is out of range.
    pub fn private(curve: Curve, secret: &[u8]) -> Option<Key> {
        let point = curve.public_of(secret)?;
        Some(Key::Ec(Ec { curve, point, secret: Some(der::padded(secret, curve.field_bytes())?) }))
    }

    /// Parses `ECPrivateKey` (RFC 5915). Inside PKCS #8 the curve is in the algorithm identifier, and passed as `curve`.
    pub fn of_sec1(bytes: &[u8], curve: Option<Curve>) -> Option<Key> {
        let mut fields = Fields::of_sequence(bytes)?;
        fields.small().filter(|version| *version == 1)?;
        let secret = fields.octets()?;
        let said = match fields.optional(0, true) {
            Some(inner) => Some(Curve::of_oid(Fields::of(inner)?.oid()?)?),
            None => None,
        };
        Ec::private(curve.or(said)?, secret)
    }

    /// Writes an ECPrivateKey (RFC 5915); None for a public key.
    pub fn to_sec1(&self, with_curve: bool) -> Option<Vec<u8>> {
        let curve = if with_curve { der::tagged(0, &der::oid(self.curve.oid())) } else { Vec::new() };
        let point = der::tagged(1, &der::bits(&self.point));
        Some(der::sequence(&[&der::small(1), &der::octets(self.secret.as_ref()?), &curve, &point]))
    }
}

impl Raw {
    /// A public key; None if the length is wrong.
    pub fn public(kind: RawKind, bytes: &[u8]) -> Option<Key> {
        (bytes.len() == kind.bytes()).then(|| Key::Raw(Raw { kind, public: bytes.to_vec(), secret: None }))
    }

    /// A private key; None if the length is wrong.
    pub fn private(kind: RawKind, bytes: &[u8]) -> Option<Key> {
        let public = match kind {
            RawKind::Ed25519 => {
                ed25519_dalek::SigningKey::from_bytes(bytes.try_into().ok()?).verifying_key().to_bytes().to_vec()
            }
            RawKind::X25519 => {
                x25519_dalek::x25519(bytes.try_into().ok()?, x25519_dalek::X25519_BASEPOINT_BYTES).to_vec()
            }
            RawKind::Ed448 => crrl::ed448::PrivateKey::decode(bytes)?.public_key.encode().to_vec(),
            RawKind::X448 => crrl::x448::x448_base(bytes.try_into().ok()?).to_vec(),
        };
        Some(Key::Raw(Raw { kind, public, secret: Some(bytes.to_vec()) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::RandomStream;

    #[test]
    fn keys_survive_a_der_round_trip() {
        let mut random = RandomStream::new().expect("random");
        let mut keys =
            RawKind::ALL.map(|kind| Raw::private(kind, &random.bytes(kind.bytes())).expect("a key")).to_vec();
        keys.extend(Curve::ALL.map(|curve| Ec::private(curve, &curve.generate(&mut random)).expect("a key")));
        let rule = PssRule { hash: Algorithm::Sha256, mask_hash: Algorithm::Sha512, salt_bytes: 7 };
        for pss in [None, Some(None), Some(Some(PssRule::USUAL)), Some(Some(rule))] {
            let secret = RsaSecret { exponent: vec![3], parts: [vec![5], vec![7], vec![1], vec![2], vec![0x80]] };
            keys.push(Key::Rsa(Rsa { modulus: vec![35], exponent: vec![17], secret: Some(secret), pss }));
        }
        for key in keys {
            let handle = key.to_handle();
            let back = Key::of_handle(&handle).expect("the key");
            assert!(back.is_private());
            assert_eq!((back.kind(), back.to_handle()), (key.kind(), handle));
            let back = Key::of_handle(&key.to_spki()).expect("the key");
            assert!(!back.is_private());
            assert_eq!((back.kind(), back.to_spki()), (key.kind(), key.to_spki()));
        }
    }

    #[test]
    fn malformed_keys_are_rejected() {
        let secret = RsaSecret { exponent: vec![3], parts: Default::default() };
        let key = Rsa { modulus: vec![34], exponent: vec![17], secret: Some(secret), pss: None };
        assert!(Key::of_handle(&Key::Rsa(key).to_handle()).is_none(), "an even modulus");
        assert!(Ec::private(Curve::P256, &[0; 32]).is_none());
        assert!(Ec::public(Curve::P256, &[4; 65]).is_none());
        for length in 0..40 {
            assert!(Key::of_handle(&vec![0x30; length]).is_none());
        }
    }
}
