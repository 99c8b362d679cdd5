//! Hash functions and HMAC by OpenSSL's names, and PBKDF2 and HKDF on top of them. The objects that scripts hold are in `hash_ops.rs`.

use ::der::asn1::ObjectIdentifier;
use blake2::{Blake2b512, Blake2s256};
use digest::{DynDigest, ExtendableOutput, Mac, Update, XofReader};
use hmac::{Hmac, SimpleHmac};
use md5::Md5;
use ripemd::Ripemd160;
use sha1::Sha1;
use sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256};
use sha3::{Sha3_224, Sha3_256, Sha3_384, Sha3_512, Shake128, Shake256};
use sm3::Sm3;

/// A supported hash function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// MD5.
    Md5,
    /// MD5 and SHA-1 concatenated, as TLS 1.0 signatures use them.
    Md5Sha1,
    /// SHA-1.
    Sha1,
    /// SHA-224.
    Sha224,
    /// SHA-256.
    Sha256,
    /// SHA-384.
    Sha384,
    /// SHA-512.
    Sha512,
    /// SHA-512/224.
    Sha512_224,
    /// SHA-512/256.
    Sha512_256,
    /// SHA3-224.
    Sha3_224,
    /// SHA3-256.
    Sha3_256,
    /// SHA3-384.
    Sha3_384,
    /// SHA3-512.
    Sha3_512,
    /// SHAKE128, of any length.
    Shake128,
    /// SHAKE256, of any length.
    Shake256,
    /// RIPEMD-160.
    Ripemd160,
    /// BLAKE2b with 512 bits.
    Blake2b512,
    /// BLAKE2s with 256 bits.
    Blake2s256,
    /// SM3.
    Sm3,
}

/// Evaluates `$body` with the HMAC type of the algorithm, or `$otherwise` if it has none.
macro_rules! with_mac {
    ($algorithm:expr, $mac:ident => $body:expr, $otherwise:expr) => {
        with_mac!(@arms $algorithm, $mac => $body, $otherwise;
            Md5 Hmac, Sha1 Hmac, Sha224 Hmac, Sha256 Hmac, Sha384 Hmac, Sha512 Hmac, Sha512_224 Hmac, Sha512_256 Hmac,
            Sha3_224 Hmac, Sha3_256 Hmac, Sha3_384 Hmac, Sha3_512 Hmac, Ripemd160 Hmac, Sm3 Hmac,
            Blake2b512 SimpleHmac, Blake2s256 SimpleHmac)
    };
    (@arms $algorithm:expr, $mac:ident => $body:expr, $otherwise:expr; $($name:ident $kind:ident),*) => {
        match $algorithm {
            $( Algorithm::$name => { type $mac = $kind<$name>; $body } )*
            _ => $otherwise,
        }
    };
}

impl Algorithm {
    /// Finds an algorithm by OpenSSL's name or its object identifier, case-insensitively. A NUL ends the name, as in C.
    pub fn of(name: &str) -> Option<Algorithm> {
        let name = name.split('\0').next()?;
        Some(match name.to_ascii_lowercase().as_str() {
            "md5" | "rsa-md5" | "md5withrsaencryption" | "ssl3-md5" => Algorithm::Md5,
            "md5-sha1" => Algorithm::Md5Sha1,
            "sha1" | "sha-1" | "rsa-sha1" | "rsa-sha1-2" | "sha1withrsaencryption" | "ssl3-sha1" | "sha1withrsa" => {
                Algorithm::Sha1
            }
            "sha224" | "sha-224" | "sha2-224" | "rsa-sha224" | "sha224withrsaencryption" => Algorithm::Sha224,
            "sha256" | "sha-256" | "sha2-256" | "rsa-sha256" | "sha256withrsaencryption" => Algorithm::Sha256,
            "sha384" | "sha-384" | "sha2-384" | "rsa-sha384" | "sha384withrsaencryption" => Algorithm::Sha384,
            "sha512" | "sha-512" | "sha2-512" | "rsa-sha512" | "sha512withrsaencryption" => Algorithm::Sha512,
            "sha512-224" | "sha-512/224" | "sha2-512/224" | "rsa-sha512/224" | "sha512-224withrsaencryption" => {
                Algorithm::Sha512_224
            }
            "sha512-256" | "sha-512/256" | "sha2-512/256" | "rsa-sha512/256" | "sha512-256withrsaencryption" => {
                Algorithm::Sha512_256
            }
            "sha3-224" | "rsa-sha3-224" | "id-rsassa-pkcs1-v1_5-with-sha3-224" => Algorithm::Sha3_224,
            "sha3-256" | "rsa-sha3-256" | "id-rsassa-pkcs1-v1_5-with-sha3-256" => Algorithm::Sha3_256,
            "sha3-384" | "rsa-sha3-384" | "id-rsassa-pkcs1-v1_5-with-sha3-384" => Algorithm::Sha3_384,
            "sha3-512" | "rsa-sha3-512" | "id-rsassa-pkcs1-v1_5-with-sha3-512" => Algorithm::Sha3_512,
            "shake128" | "shake-128" => Algorithm::Shake128,
            "shake256" | "shake-256" => Algorithm::Shake256,
            "ripemd160" | "ripemd-160" | "ripemd" | "rmd160" | "rsa-ripemd160" | "ripemd160withrsa" => {
                Algorithm::Ripemd160
            }
            "blake2b512" | "blake2b-512" => Algorithm::Blake2b512,
            "blake2s256" | "blake2s-256" => Algorithm::Blake2s256,
            "sm3" | "rsa-sm3" | "sm3withrsaencryption" => Algorithm::Sm3,
            number => return Algorithm::of_oid(ObjectIdentifier::new(number).ok()?),
        })
    }

    /// The object identifier in key structures. `Md5Sha1` has none.
    pub fn oid(self) -> Option<ObjectIdentifier> {
        Some(ObjectIdentifier::new_unwrap(match self {
            Algorithm::Md5 => "1.2.840.113549.2.5",
            Algorithm::Md5Sha1 => return None,
            Algorithm::Sha1 => "1.3.14.3.2.26",
            Algorithm::Sha224 => "2.16.840.1.101.3.4.2.4",
            Algorithm::Sha256 => "2.16.840.1.101.3.4.2.1",
            Algorithm::Sha384 => "2.16.840.1.101.3.4.2.2",
            Algorithm::Sha512 => "2.16.840.1.101.3.4.2.3",
            Algorithm::Sha512_224 => "2.16.840.1.101.3.4.2.5",
            Algorithm::Sha512_256 => "2.16.840.1.101.3.4.2.6",
            Algorithm::Sha3_224 => "2.16.840.1.101.3.4.2.7",
            Algorithm::Sha3_256 => "2.16.840.1.101.3.4.2.8",
            Algorithm::Sha3_384 => "2.16.840.1.101.3.4.2.9",
            Algorithm::Sha3_512 => "2.16.840.1.101.3.4.2.10",
            Algorithm::Shake128 => "2.16.840.1.101.3.4.2.11",
            Algorithm::Shake256 => "2.16.840.1.101.3.4.2.12",
            Algorithm::Ripemd160 => "1.3.36.3.2.1",
            Algorithm::Blake2b512 => "1.3.6.1.4.1.1722.12.2.1.16",
            Algorithm::Blake2s256 => "1.3.6.1.4.1.1722.12.2.2.8",
            Algorithm::Sm3 => "1.2.156.10197.1.401",
        }))
    }

    /// Finds an algorithm by its object identifier.
    pub fn of_oid(oid: ObjectIdentifier) -> Option<Algorithm> {
        use Algorithm::{
            Md5, Ripemd160, Sha1, Sha3_224, Sha3_256, Sha3_384, Sha3_512, Sha224, Sha256, Sha384, Sha512, Sha512_224,
            Sha512_256,
        };
        let known = [
            Md5, Sha1, Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256, Sha3_224, Sha3_256, Sha3_384, Sha3_512,
            Ripemd160,
        ];
        known.into_iter().find(|algorithm| algorithm.oid() == Some(oid))
    }

    /// OpenSSL's name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Md5 => "md5",
            Algorithm::Md5Sha1 => "md5-sha1",
            Algorithm::Sha1 => "sha1",
            Algorithm::Sha224 => "sha224",
            Algorithm::Sha256 => "sha256",
            Algorithm::Sha384 => "sha384",
            Algorithm::Sha512 => "sha512",
            Algorithm::Sha512_224 => "sha512-224",
            Algorithm::Sha512_256 => "sha512-256",
            Algorithm::Sha3_224 => "sha3-224",
            Algorithm::Sha3_256 => "sha3-256",
            Algorithm::Sha3_384 => "sha3-384",
            Algorithm::Sha3_512 => "sha3-512",
            Algorithm::Shake128 => "shake128",
            Algorithm::Shake256 => "shake256",
            Algorithm::Ripemd160 => "ripemd160",
            Algorithm::Blake2b512 => "blake2b512",
            Algorithm::Blake2s256 => "blake2s256",
            Algorithm::Sm3 => "sm3",
        }
    }

    /// The digest of the concatenated parts, in the default length.
    pub fn digest(self, parts: &[&[u8]]) -> Vec<u8> {
        let mut hasher = self.hasher();
        for part in parts {
            hasher.update(part);
        }
        hasher.finish(self.output_bytes())
    }

    /// The default output length.
    pub fn output_bytes(self) -> usize {
        match self {
            Algorithm::Md5 | Algorithm::Shake128 => 16,
            Algorithm::Sha1 | Algorithm::Ripemd160 => 20,
            Algorithm::Sha224 | Algorithm::Sha512_224 | Algorithm::Sha3_224 => 28,
            Algorithm::Sha256 | Algorithm::Sha512_256 | Algorithm::Sha3_256 => 32,
            Algorithm::Shake256 | Algorithm::Blake2s256 | Algorithm::Sm3 => 32,
            Algorithm::Md5Sha1 => 36,
            Algorithm::Sha384 | Algorithm::Sha3_384 => 48,
            Algorithm::Sha512 | Algorithm::Sha3_512 | Algorithm::Blake2b512 => 64,
        }
    }

    /// True for extendable-output functions (XOF): the caller chooses the output length.
    pub fn is_extendable(self) -> bool {
        matches!(self, Algorithm::Shake128 | Algorithm::Shake256)
    }

    /// A new streaming hash.
    pub fn hasher(self) -> Hasher {
        fn fixed<D: DynDigest + Clone + Default + Send + 'static>() -> Hasher {
            Hasher::Fixed(Box::new(D::default()))
        }
        match self {
            Algorithm::Md5 => fixed::<Md5>(),
            Algorithm::Md5Sha1 => Hasher::Both(Md5::default(), Sha1::default()),
            Algorithm::Sha1 => fixed::<Sha1>(),
            Algorithm::Sha224 => fixed::<Sha224>(),
            Algorithm::Sha256 => fixed::<Sha256>(),
            Algorithm::Sha384 => fixed::<Sha384>(),
            Algorithm::Sha512 => fixed::<Sha512>(),
            Algorithm::Sha512_224 => fixed::<Sha512_224>(),
            Algorithm::Sha512_256 => fixed::<Sha512_256>(),
            Algorithm::Sha3_224 => fixed::<Sha3_224>(),
            Algorithm::Sha3_256 => fixed::<Sha3_256>(),
            Algorithm::Sha3_384 => fixed::<Sha3_384>(),
            Algorithm::Sha3_512 => fixed::<Sha3_512>(),
            Algorithm::Shake128 => Hasher::Shake128(Shake128::default()),
            Algorithm::Shake256 => Hasher::Shake256(Shake256::default()),
            Algorithm::Ripemd160 => fixed::<Ripemd160>(),
            Algorithm::Blake2b512 => fixed::<Blake2b512>(),
            Algorithm::Blake2s256 => fixed::<Blake2s256>(),
            Algorithm::Sm3 => fixed::<Sm3>(),
        }
    }

    /// A new streaming HMAC; `None` if the algorithm does not support HMAC.
    pub fn keyed(self, key: &[u8]) -> Option<Box<dyn Keyed>> {
        with_mac!(self, M => Some(Box::new(<M as Mac>::new_from_slice(key).ok()?) as Box<dyn Keyed>), None)
    }

    /// PBKDF2 (RFC 8018 section 5.2). Returns `false` if the algorithm does not support HMAC.
    pub fn pbkdf2(self, password: &[u8], salt: &[u8], rounds: u32, output: &mut [u8]) -> bool {
        match self {
            Algorithm::Sha256 => self.pbkdf2_by::<64, 32>(password, salt, rounds, output, super::pbkdf2_loop::sha256),
            Algorithm::Sha512 => self.pbkdf2_by::<128, 64>(password, salt, rounds, output, super::pbkdf2_loop::sha512),
            _ => with_mac!(self, M => pbkdf2::pbkdf2::<M>(password, salt, rounds, output).is_ok(), false),
        }
    }

    /// PBKDF2 with a specialized inner loop: `more` computes all rounds after the first.
    fn pbkdf2_by<const BLOCK: usize, const HALF: usize>(
        self,
        password: &[u8],
        salt: &[u8],
        rounds: u32,
        output: &mut [u8],
        more: fn(&[u8; BLOCK], &mut [u8; HALF], u32),
    ) -> bool {
        let mut key = [0; BLOCK];
        if password.len() <= BLOCK {
            key[..password.len()].copy_from_slice(password);
        } else {
            let mut hasher = self.hasher();
            hasher.update(password);
            key[..HALF].copy_from_slice(&hasher.finish(HALF));
        }
        for (chunk, number) in output.chunks_mut(HALF).zip(1_u32..) {
            let Some(mut keyed) = self.keyed(&key) else { return false };
            keyed.update(salt);
            keyed.update(&number.to_be_bytes());
            let Ok(mut block) = <[u8; HALF]>::try_from(keyed.finish()) else { return false };
            more(&key, &mut block, rounds.saturating_sub(1));
            chunk.copy_from_slice(&block[..chunk.len()]);
        }
        true
    }

    /// HKDF (RFC 5869), extract and expand. Returns `false` if the algorithm does not support HMAC or the output is too long.
    pub fn hkdf(self, key: &[u8], salt: &[u8], info: &[u8], output: &mut [u8]) -> bool {
        let Some(mut extract) = self.keyed(salt) else { return false };
        extract.update(key);
        let secret = extract.finish();
        let mut last = Vec::new();
        for (chunk, round) in output.chunks_mut(self.output_bytes()).zip(1_u32..) {
            let (Ok(round), Some(mut expand)) = (u8::try_from(round), self.keyed(&secret)) else { return false };
            expand.update(&last);
            expand.update(info);
            expand.update(&[round]);
            last = expand.finish();
            chunk.copy_from_slice(&last[..chunk.len()]);
        }
        true
    }
}

/// A streaming hash.
#[derive(Clone)]
pub enum Hasher {
    /// An algorithm with a digest of fixed length.
    Fixed(Box<dyn Forked>),
    /// MD5 and SHA-1 of the same data, for `md5-sha1`.
    Both(Md5, Sha1),
    /// SHAKE128.
    Shake128(Shake128),
    /// SHAKE256.
    Shake256(Shake256),
}

/// A hash that can be sent to another thread and copied.
pub trait Forked: DynDigest + Send {
    /// A copy with the same internal state.
    fn fork(&self) -> Box<dyn Forked>;
}

impl<D: DynDigest + Clone + Send + 'static> Forked for D {
    fn fork(&self) -> Box<dyn Forked> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Forked> {
    fn clone(&self) -> Self {
        (**self).fork()
    }
}

impl Hasher {
    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        match self {
            Hasher::Fixed(digest) => digest.update(bytes),
            Hasher::Both(first, second) => {
                Update::update(first, bytes);
                Update::update(second, bytes);
            }
            Hasher::Shake128(digest) => digest.update(bytes),
            Hasher::Shake256(digest) => digest.update(bytes),
        }
    }

    /// The digest. `length_bytes` applies only to XOFs.
    pub fn finish(self, length_bytes: usize) -> Vec<u8> {
        fn extended(mut reader: impl XofReader, length_bytes: usize) -> Vec<u8> {
            let mut output = vec![0; length_bytes];
            reader.read(&mut output);
            output
        }
        match self {
            Hasher::Fixed(mut digest) => digest.finalize_reset().into_vec(),
            Hasher::Both(first, second) => {
                use digest::Digest;
                [&first.finalize()[..], &second.finalize()[..]].concat()
            }
            Hasher::Shake128(digest) => extended(digest.finalize_xof(), length_bytes),
            Hasher::Shake256(digest) => extended(digest.finalize_xof(), length_bytes),
        }
    }
}

/// A streaming HMAC.
pub trait Keyed: Send {
    /// Adds bytes.
    fn update(&mut self, bytes: &[u8]);
    /// The digest.
    fn finish(self: Box<Self>) -> Vec<u8>;
}

impl<M: Mac + Send> Keyed for M {
    fn update(&mut self, bytes: &[u8]) {
        Mac::update(self, bytes);
    }

    fn finish(self: Box<Self>) -> Vec<u8> {
        self.finalize().into_bytes().to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        faster_hex::hex_string(bytes)
    }

    fn digest_of(name: &str, text: &str, length_bytes: usize) -> String {
        let mut hasher = Algorithm::of(name).expect("known").hasher();
        hasher.update(text.as_bytes());
        hex(&hasher.finish(length_bytes))
    }

    #[test]
    fn digests_match_the_published_vectors() {
        assert_eq!(digest_of("md5", "abc", 0), "900150983cd24fb0d6963f7d28e17f72");
        assert_eq!(digest_of("RSA-SHA1", "abc", 0), "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert_eq!(digest_of("SHA-256", "abc", 0), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(digest_of("rmd160", "abc", 0), "8eb208f7e05d987a9b044a8e98c6b087f15a0bfc");
        assert_eq!(digest_of("shake128", "", 5), "7f9c2ba4e8");
        assert_eq!(
            digest_of("md5-sha1", "abc", 0),
            "900150983cd24fb0d6963f7d28e17f72a9993e364706816aba3e25717850c26c9cd0d89d"
        );
    }

    #[test]
    fn output_bytes_matches_the_digest_length() {
        for name in ["md5", "md5-sha1", "sha1", "sha224", "sha512-256", "sha3-384", "blake2b512", "blake2s256", "sm3"] {
            let algorithm = Algorithm::of(name).expect("known");
            assert_eq!(algorithm.hasher().finish(0).len(), algorithm.output_bytes(), "{name}");
        }
    }

    #[test]
    fn specialized_pbkdf2_matches_the_generic_one() {
        for length in [0, 1, 63, 64, 65, 127, 128, 129, 300] {
            let password = vec![length as u8; length];
            let (mut quick, mut slow) = ([0; 150], [0; 150]);
            for rounds in [1, 2, 5] {
                assert!(Algorithm::Sha256.pbkdf2(&password, b"salt", rounds, &mut quick));
                pbkdf2::pbkdf2_hmac::<Sha256>(&password, b"salt", rounds, &mut slow);
                assert_eq!(quick, slow);
                assert!(Algorithm::Sha512.pbkdf2(&password, b"salt", rounds, &mut quick));
                pbkdf2::pbkdf2_hmac::<Sha512>(&password, b"salt", rounds, &mut slow);
                assert_eq!(quick, slow);
            }
        }
    }

    #[test]
    fn pbkdf2_and_hkdf_match_the_rfc_vectors() {
        let mut output = [0; 20];
        assert!(Algorithm::Sha1.pbkdf2(b"password", b"salt", 2, &mut output));
        assert_eq!(hex(&output), "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957");
        let salt: Vec<u8> = (0..=0x0c).collect();
        let info: Vec<u8> = (0xf0..=0xf9).collect();
        let mut output = [0; 42];
        assert!(Algorithm::Sha256.hkdf(&[0x0b; 22], &salt, &info, &mut output));
        let wanted = "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865";
        assert_eq!(hex(&output), wanted);
        assert!(!Algorithm::Sha256.hkdf(b"", b"", b"", &mut [0; 32 * 255 + 1]));
        assert!(!Algorithm::Shake128.pbkdf2(b"", b"", 1, &mut output));
    }
}
