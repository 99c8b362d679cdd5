//! Creates and verifies signatures: selects digest, padding and encoding by the key type.

use crrl::ed448;
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};

use super::der::{self, Fields, padded};
use super::digest::Algorithm;
use super::dsa_dh::{DsaDh, Kind};
use super::entropy::RandomStream;
use super::key::{Key, Raw, RawKind, Rsa};

/// The options of a signature.
#[derive(Clone, Copy, Debug)]
pub struct SignOptions {
    /// `None` selects the default of the key.
    pub hash: Option<Algorithm>,
    /// True if the data is already a digest.
    pub is_digest: bool,
    /// RSA: OpenSSL's padding constant. `None` selects the default of the key.
    pub padding: Option<i32>,
    /// RSA-PSS: the salt length. `None` selects the default of the key, -1 the digest length, -2 the longest (verify: any).
    pub salt: Option<i32>,
    /// ECDSA and DSA: r and s concatenated ("ieee-p1363") instead of the DER structure.
    pub is_plain: bool,
}

const PKCS1_PADDING: i32 = 1;
const NO_PADDING: i32 = 3;
const PSS_PADDING: i32 = 6;

impl SignOptions {
    fn digest_of(&self, hash: Algorithm, data: &[u8]) -> Vec<u8> {
        if self.is_digest { data.to_vec() } else { hash.digest(&[data]) }
    }

    fn hash_for(&self, key: &Key) -> Algorithm {
        let own = match key {
            Key::Rsa(Rsa { pss: Some(Some(rule)), .. }) => rule.hash,
            _ => Algorithm::Sha256,
        };
        self.hash.unwrap_or(own)
    }
}

/// Signs data.
pub fn sign(key: &Key, manner: SignOptions, data: &[u8]) -> Result<Vec<u8>, &'static str> {
    let hash = manner.hash_for(key);
    match key {
        Key::Rsa(rsa) => {
            let digest = manner.digest_of(hash, data);
            match scheme(rsa, manner, hash)? {
                Scheme::Pkcs1 => rsa.sign_pkcs1(hash, &digest),
                Scheme::Pss { mask_hash, salt } => rsa.sign_pss(hash, mask_hash, salt, &digest),
            }
        }
        Key::Ec(key) => {
            let secret = key.secret.as_ref().ok_or("failed")?;
            let digest = manner.digest_of(curve_hash(hash)?, data);
            let both = key.curve.sign(secret, &digest, &mut RandomStream::new()?).ok_or("failed")?;
            Ok(if manner.is_plain { both } else { structured(&both) })
        }
        Key::DsaDh(key) => {
            let both = key.sign(&manner.digest_of(dsa_hash(key, hash)?, data))?;
            Ok(if manner.is_plain { both } else { structured(&both) })
        }
        Key::Raw(key) => {
            let secret = key.secret.as_deref().ok_or("failed")?;
            match hashes_itself(key, manner)? {
                Edwards::Short => {
                    let secret = secret.try_into().map_err(|_| "failed")?;
                    Ok(SigningKey::from_bytes(secret).sign(data).to_vec())
                }
                Edwards::Long => Ok(ed448::PrivateKey::decode(secret).ok_or("failed")?.sign_raw(data).to_vec()),
            }
        }
    }
}

/// Verifies a signature. Returns an error name if the key cannot be used this way.
pub fn verify(key: &Key, manner: SignOptions, data: &[u8], signature: &[u8]) -> Result<bool, &'static str> {
    let hash = manner.hash_for(key);
    match key {
        Key::Rsa(rsa) => {
            let digest = manner.digest_of(hash, data);
            Ok(match scheme(rsa, manner, hash)? {
                Scheme::Pkcs1 => rsa.verify_pkcs1(hash, &digest, signature),
                // OpenSSL does not accept any salt length for a key with restrictions.
                Scheme::Pss { .. } if matches!(rsa.pss, Some(Some(_))) && accepts_any_salt(manner) => {
                    return Err("saltGuessed");
                }
                Scheme::Pss { mask_hash, .. } => {
                    rsa.verify_pss(hash, mask_hash, manner.salt.unwrap_or(-2), &digest, signature)
                }
            })
        }
        Key::Ec(key) => {
            let digest = manner.digest_of(curve_hash(hash)?, data);
            let both = both_of(manner, signature, key.curve.field_bytes());
            Ok(both.is_some_and(|both| key.curve.verify(&key.point, &digest, &both)))
        }
        Key::DsaDh(key) => {
            let digest = manner.digest_of(dsa_hash(key, hash)?, data);
            key.verify(&digest, &both_of(manner, signature, key.order_bytes()).unwrap_or_default())
        }
        Key::Raw(key) => match hashes_itself(key, manner)? {
            Edwards::Short => {
                let point = key.public[..].try_into().ok().and_then(|bytes| VerifyingKey::from_bytes(bytes).ok());
                let signature = Signature::from_slice(signature);
                Ok(point.zip(signature.ok()).is_some_and(|(point, signature)| {
                    use ed25519_dalek::Verifier;
                    point.verify(data, &signature).is_ok()
                }))
            }
            Edwards::Long => {
                Ok(ed448::PublicKey::decode(&key.public).is_some_and(|point| point.verify_raw(signature, data)))
            }
        },
    }
}

/// True if verification accepts any salt length.
fn accepts_any_salt(manner: SignOptions) -> bool {
    match manner.salt {
        Some(salt) => salt == -2,
        None => manner.padding.is_some(),
    }
}

enum Edwards {
    Short,
    Long,
}

/// Edwards curves sign the message itself and allow no digest option; X25519 and X448 do not sign.
fn hashes_itself(key: &Raw, manner: SignOptions) -> Result<Edwards, &'static str> {
    let kind = match key.kind {
        RawKind::Ed25519 => Edwards::Short,
        RawKind::Ed448 => Edwards::Long,
        RawKind::X25519 | RawKind::X448 => return Err("operation"),
    };
    match manner {
        SignOptions { is_digest: true, .. } => Err("operation"),
        SignOptions { hash: Some(_), .. } => Err("digestGiven"),
        _ => Ok(kind),
    }
}

/// In OpenSSL, XOFs have no fixed digest length to sign.
fn curve_hash(hash: Algorithm) -> Result<Algorithm, &'static str> {
    if hash.is_extendable() { Err("digestGiven") } else { Ok(hash) }
}

/// DSA allows only NIST hashes. DH keys do not sign.
fn dsa_hash(key: &DsaDh, hash: Algorithm) -> Result<Algorithm, &'static str> {
    use Algorithm::{Blake2b512, Blake2s256, Md5, Md5Sha1, Ripemd160, Shake128, Shake256, Sm3};
    if key.domain.kind == Kind::Dh {
        return Err("operation");
    }
    match hash {
        Blake2b512 | Blake2s256 | Md5 | Md5Sha1 | Ripemd160 | Shake128 | Shake256 | Sm3 => Err("digestNotAllowed"),
        _ => Ok(hash),
    }
}

enum Scheme {
    Pkcs1,
    Pss { mask_hash: Algorithm, salt: i32 },
}

/// Selects the RSA signature scheme from the options and the restrictions of the key.
fn scheme(key: &Rsa, manner: SignOptions, hash: Algorithm) -> Result<Scheme, &'static str> {
    let padding = manner.padding.unwrap_or(if key.pss.is_some() { PSS_PADDING } else { PKCS1_PADDING });
    if matches!(hash, Algorithm::Shake128 | Algorithm::Shake256 | Algorithm::Blake2b512 | Algorithm::Blake2s256) {
        return Err("digestNotAllowed");
    }
    match (padding, key.pss) {
        (PKCS1_PADDING, None) => Ok(Scheme::Pkcs1),
        (PSS_PADDING, None | Some(None)) => Ok(Scheme::Pss { mask_hash: hash, salt: manner.salt.unwrap_or(-2) }),
        (PSS_PADDING, Some(Some(rule))) => {
            let least = rule.salt_bytes as i32;
            let salt = manner.salt.unwrap_or(least);
            let is_short = (0..least).contains(&salt) || salt == -1 && hash.output_bytes() < rule.salt_bytes as usize;
            // OpenSSL checks in this order: with a message, the digest before the salt; with a digest, the salt first.
            match (rule.hash == hash, is_short) {
                (true, true) => return Err("saltTooSmall"),
                (false, true) if manner.is_digest => return Err("saltTooSmall"),
                (false, _) => return Err("digestNotAllowed"),
                (true, false) => {}
            }
            Ok(Scheme::Pss { mask_hash: rule.mask_hash, salt })
        }
        (NO_PADDING, None) => Err("paddingMode"),
        _ => Err("padding"),
    }
}

/// The DER structure of a signature given as r and s.
fn structured(both: &[u8]) -> Vec<u8> {
    let (r, s) = both.split_at(both.len() / 2);
    der::sequence(&[&der::integer(r), &der::integer(s)])
}

/// r and s concatenated, each padded to `number_bytes`; `None` if malformed.
fn both_of(manner: SignOptions, signature: &[u8], number_bytes: usize) -> Option<Vec<u8>> {
    if manner.is_plain {
        return Some(signature.to_vec());
    }
    let mut fields = Fields::of_sequence(signature)?;
    let [r, s] = [fields.integer()?, fields.integer()?];
    // In OpenSSL, only the canonical DER encoding without trailing bytes is valid.
    if der::sequence(&[&der::integer(r), &der::integer(s)]) != signature {
        return None;
    }
    Some([padded(r, number_bytes)?, padded(s, number_bytes)?].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curves::Curve;
    use crate::key::Ec;

    fn usual() -> SignOptions {
        SignOptions { hash: Some(Algorithm::Sha256), is_digest: false, padding: None, salt: None, is_plain: false }
    }

    #[test]
    fn ecdsa_signs_in_both_encodings() {
        let mut random = RandomStream::new().expect("random");
        for curve in Curve::ALL {
            let key = Ec::private(curve, &curve.generate(&mut random)).expect("a key");
            for is_plain in [false, true] {
                let manner = SignOptions { is_plain, ..usual() };
                let signature = sign(&key, manner, b"text").expect("signed");
                assert_eq!(verify(&key, manner, b"text", &signature), Ok(true));
                assert_eq!(verify(&key, manner, b"other", &signature), Ok(false));
                assert_eq!(verify(&key, SignOptions { is_plain: !is_plain, ..manner }, b"text", &signature), Ok(false));
                let longer = [&signature[..], &[0]].concat();
                assert_eq!(verify(&key, manner, b"text", &longer), Ok(false));
            }
        }
    }

    #[test]
    fn eddsa_matches_the_rfc_vectors() {
        // RFC 8032 section 7.1, test 1.
        let mut secret = [0; 32];
        let words = b"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
        faster_hex::hex_decode(words, &mut secret).expect("hex");
        let key = Raw::private(RawKind::Ed25519, &secret).expect("a key");
        let manner = SignOptions { hash: None, ..usual() };
        let signature = sign(&key, manner, b"").expect("signed");
        assert!(
            faster_hex::hex_string(&signature)
                .starts_with("e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155")
        );
        assert_eq!(verify(&key, manner, b"", &signature), Ok(true));
        assert_eq!(sign(&key, usual(), b""), Err("digestGiven"));
        // RFC 8032 section 7.4, "Blank".
        let mut secret = [0; 57];
        let words = b"6c82a562cb808d10d632be89c8513ebf6c929f34ddfa8c9f63c9960ef6e348a3528c8a3fcc2f044e39a3fc5b94492f8f032e7549a20098f95b";
        faster_hex::hex_decode(words, &mut secret).expect("hex");
        let key = Raw::private(RawKind::Ed448, &secret).expect("a key");
        let signature = sign(&key, manner, b"").expect("signed");
        assert!(
            faster_hex::hex_string(&signature)
                .starts_with("533a37f6bbe457251f023c0d88f976ae2dfb504a843e34d2074fd823d41a591f")
        );
        assert_eq!(verify(&key, manner, b"", &signature), Ok(true));
        assert_eq!(verify(&key, manner, b"x", &signature), Ok(false));
    }
}
