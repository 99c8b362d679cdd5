//! RSA: key generation, raw operations, and the paddings of PKCS #1 (RFC 8017). The paddings are implemented here because Node lets scripts
//! choose hash, mask hash and salt independently, and the `rsa` crate does not. The arithmetic, with blinding, is the crate's.

use ::rsa::hazmat::{rsa_decrypt_and_check, rsa_encrypt};
use ::rsa::traits::{PrivateKeyParts, PublicKeyParts};
use ::rsa::{BigUint, RsaPrivateKey, RsaPublicKey};
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};

use super::der::{self, padded};
use super::digest::Algorithm;
use super::entropy::RandomStream;
use super::key::{Key, PssRule, Rsa, RsaSecret};

type OpOutput = Result<Vec<u8>, &'static str>;

/// The padding of an encryption.
pub enum Padding {
    /// None: the data is a number below the modulus.
    None,
    /// PKCS #1 v1.5 (RFC 8017 section 7.2).
    Pkcs1,
    /// OAEP (RFC 8017 section 7.1).
    Oaep {
        /// The digest of the label and of the mask.
        hash: Algorithm,
        /// The label.
        label: Vec<u8>,
    },
}

/// Generates a key.
pub fn generate(modulus_bits: usize, exponent: u32, pss: Option<Option<PssRule>>) -> Result<Key, &'static str> {
    // An even exponent has no inverse modulo p-1, and 1 is useless: the search for primes would not end.
    if modulus_bits < 128 || exponent < 3 || exponent.is_multiple_of(2) {
        return Err("failed");
    }
    let made = RsaPrivateKey::new_with_exp(&mut RandomStream::new()?, modulus_bits, &BigUint::from(exponent));
    key_of(&made.map_err(|_| "failed")?, pss).ok_or("failed")
}

fn key_of(made: &RsaPrivateKey, pss: Option<Option<PssRule>>) -> Option<Key> {
    // In OpenSSL, p is the larger prime.
    let [one, other] = made.primes() else { return None };
    let (p, q) = if one > other { (one, other) } else { (other, one) };
    let less = |prime: &BigUint| prime - BigUint::from(1_u32);
    let coefficient = inverse(q, p)?;
    let d = made.d();
    let parts = [p.clone(), q.clone(), d % less(p), d % less(q), coefficient].map(|number| number.to_bytes_be());
    let [modulus, exponent] = [made.n(), made.e()].map(BigUint::to_bytes_be);
    Some(Key::Rsa(Rsa { modulus, exponent, secret: Some(RsaSecret { exponent: d.to_bytes_be(), parts }), pss }))
}

fn inverse(number: &BigUint, modulus: &BigUint) -> Option<BigUint> {
    use num_bigint_dig::ModInverse;
    number.mod_inverse(modulus)?.to_biguint()
}

impl Rsa {
    fn bytes(&self) -> usize {
        self.modulus.len()
    }

    fn engine(&self) -> Result<RsaPrivateKey, &'static str> {
        let secret = self.secret.as_ref().ok_or("noSecret")?;
        let number = |bytes: &[u8]| BigUint::from_bytes_be(bytes);
        let primes = vec![number(&secret.parts[0]), number(&secret.parts[1])];
        RsaPrivateKey::from_components(number(&self.modulus), number(&self.exponent), number(&secret.exponent), primes)
            .map_err(|_| "failed")
    }

    /// OpenSSL's limit (`OPENSSL_RSA_MAX_MODULUS_BITS`), which bounds the time of an operation.
    fn check_size(&self) -> Result<(), &'static str> {
        const MAX_BITS: usize = 16_384;
        if self.modulus_bits() > MAX_BITS { Err("modulusTooLarge") } else { Ok(()) }
    }

    fn raise_public(&self, bytes: &[u8]) -> OpOutput {
        self.check_size()?;
        let [modulus, exponent, number] = [&self.modulus, &self.exponent, bytes].map(BigUint::from_bytes_be);
        if number >= modulus {
            return Err("tooLargeForModulus");
        }
        let key = RsaPublicKey::new_unchecked(modulus, exponent);
        let raised = rsa_encrypt(&key, &number).map_err(|_| "failed")?;
        padded(&raised.to_bytes_be(), self.bytes()).ok_or("failed")
    }

    fn raise_private(&self, bytes: &[u8]) -> OpOutput {
        self.check_size()?;
        let number = BigUint::from_bytes_be(bytes);
        if number >= BigUint::from_bytes_be(&self.modulus) {
            return Err("tooLargeForModulus");
        }
        let raised =
            rsa_decrypt_and_check(&self.engine()?, Some(&mut RandomStream::new()?), &number).map_err(|_| "failed")?;
        padded(&raised.to_bytes_be(), self.bytes()).ok_or("failed")
    }

    /// Encrypts with the public key.
    pub fn encrypt(&self, padding: &Padding, data: &[u8]) -> OpOutput {
        let block = match padding {
            Padding::None => self.unpadded(data)?,
            Padding::Pkcs1 => {
                let mut random = RandomStream::new()?;
                self.pkcs1(2, data, |count| {
                    let mut bytes = Vec::with_capacity(count);
                    while bytes.len() < count {
                        bytes.extend(random.bytes(count - bytes.len()).into_iter().filter(|&byte| byte != 0));
                    }
                    bytes
                })?
            }
            Padding::Oaep { hash, label } => self.oaep(*hash, label, data)?,
        };
        self.raise_public(&block)
    }

    /// Decrypts with the private key.
    pub fn decrypt(&self, padding: &Padding, data: &[u8]) -> OpOutput {
        if data.len() > self.bytes() {
            return Err("dataTooLong");
        }
        if data.is_empty() {
            return Err("noData");
        }
        if self.secret.is_none() {
            return Err("noSecret");
        }
        if data.len() < self.bytes() && matches!(padding, Padding::Oaep { .. }) {
            return Err("oaep");
        }
        let block = self.raise_private(data)?;
        match padding {
            Padding::None => Ok(block),
            Padding::Pkcs1 => self.opened_pkcs1(&block, data),
            Padding::Oaep { hash, label } => opened_oaep(*hash, label, &block),
        }
    }

    /// Encrypts with the private key: a signature without a digest.
    pub fn private_encrypt(&self, padding: &Padding, data: &[u8]) -> OpOutput {
        let block = match padding {
            Padding::None => self.unpadded(data)?,
            Padding::Pkcs1 => self.pkcs1(1, data, |count| vec![0xFF; count])?,
            Padding::Oaep { .. } => return Err("padding"),
        };
        self.raise_private(&block)
    }

    /// Recovers what the private key has encrypted.
    pub fn public_decrypt(&self, padding: &Padding, data: &[u8]) -> OpOutput {
        if data.len() > self.bytes() {
            return Err("dataTooLong");
        }
        let block = self.raise_public(data)?;
        match padding {
            Padding::None => Ok(block),
            Padding::Pkcs1 => {
                let rest = match &block[..] {
                    [0, 1, rest @ ..] => rest,
                    [0, ..] => return Err("blockType"),
                    _ => return Err("badPadding"),
                };
                let ones = rest.iter().take_while(|&&byte| byte == 0xFF).count();
                match rest.get(ones) {
                    Some(0) if ones >= 8 => Ok(rest[ones + 1..].to_vec()),
                    _ => Err("badPadding"),
                }
            }
            Padding::Oaep { .. } => Err("padding"),
        }
    }

    fn unpadded(&self, data: &[u8]) -> OpOutput {
        match data.len() {
            length if length > self.bytes() => Err("dataTooLarge"),
            length if length < self.bytes() => Err("dataTooSmall"),
            _ => Ok(data.to_vec()),
        }
    }

    fn pkcs1(&self, kind: u8, data: &[u8], filling: impl FnOnce(usize) -> Vec<u8>) -> OpOutput {
        let count = self.bytes().checked_sub(data.len() + 3).filter(|count| *count >= 8).ok_or("dataTooLarge")?;
        Ok([&[0, kind], &filling(count)[..], &[0], data].concat())
    }

    fn oaep(&self, hash: Algorithm, label: &[u8], data: &[u8]) -> OpOutput {
        let hash_bytes = hash.output_bytes();
        let count = self.bytes().checked_sub(data.len() + 2 * hash_bytes + 2).ok_or("dataTooLarge")?;
        let mut block = [&hash.digest(&[label])[..], &vec![0; count], &[1], data].concat();
        let mut seed = RandomStream::new()?.bytes(hash_bytes);
        mask(hash, &seed, &mut block);
        mask(hash, &block, &mut seed);
        Ok([&[0], &seed[..], &block].concat())
    }

    /// The same as in OpenSSL since 3.2 (draft-irtf-cfrg-rsa-guidance, implicit rejection): wrong padding yields
    /// pseudorandom bytes that are constant for the same input, so an attacker cannot use decryption as a padding
    /// oracle.
    fn opened_pkcs1(&self, block: &[u8], data: &[u8]) -> OpOutput {
        let substitute = self.substitute(data)?;
        // A modulus of one byte is too short for any padding.
        let [zero, kind, filled @ ..] = block else { return Ok(substitute) };
        let mut is_good = zero.ct_eq(&0) & kind.ct_eq(&2);
        let (mut start, mut is_found) = (0_u32, Choice::from(0));
        for (at, byte) in (2_u32..).zip(filled) {
            let is_zero = byte.ct_eq(&0) & !is_found;
            start.conditional_assign(&(at + 1), is_zero);
            is_found |= is_zero;
        }
        // At least eight bytes of padding before the zero (RFC 8017 section 7.2.2).
        is_good &= is_found & Choice::from(u8::from(start >= 11));
        Ok(if is_good.into() { block[start as usize..].to_vec() } else { substitute })
    }

    fn substitute(&self, data: &[u8]) -> OpOutput {
        let secret = self.secret.as_ref().ok_or("failed")?;
        let exponent = padded(&secret.exponent, self.bytes()).ok_or("failed")?;
        let keyed = |key: &[u8], parts: &[&[u8]]| -> OpOutput {
            let mut keyed = Algorithm::Sha256.keyed(key).ok_or("failed")?;
            parts.iter().for_each(|part| keyed.update(part));
            Ok(keyed.finish())
        };
        let data = padded(data, self.bytes()).ok_or("failed")?;
        let key = keyed(&Algorithm::Sha256.digest(&[&exponent]), &[&data])?;
        let stream = |label: &[u8], count: usize| -> OpOutput {
            let bits = ((count * 8) as u16).to_be_bytes();
            let mut output = Vec::new();
            for round in 0_u16.. {
                if output.len() >= count {
                    break;
                }
                output.extend(keyed(&key, &[&round.to_be_bytes(), label, &bits])?);
            }
            output.truncate(count);
            Ok(output)
        };
        let most = self.bytes().saturating_sub(2 + 8);
        let covered = (most.next_power_of_two() - 1) | most;
        let mut length = 0;
        for pair in stream(b"length", 256)?.chunks_exact(2) {
            let candidate = usize::from(u16::from_be_bytes([pair[0], pair[1]])) & covered;
            if candidate < most {
                length = candidate;
            }
        }
        let message = stream(b"message", self.bytes())?;
        Ok(message[self.bytes() - length..].to_vec())
    }

    /// PKCS #1 v1.5 (RFC 8017 section 8.2). A hash without an object identifier is signed as the bare digest.
    pub fn sign_pkcs1(&self, hash: Algorithm, digest: &[u8]) -> OpOutput {
        self.raise_private(&self.signed_block(hash, digest)?)
    }

    /// Verifies a PKCS #1 v1.5 signature (RFC 8017 section 8.2.2).
    pub fn verify_pkcs1(&self, hash: Algorithm, digest: &[u8], signature: &[u8]) -> bool {
        let Ok(block) = self.signed_block(hash, digest) else { return false };
        signature.len() == self.bytes() && self.raise_public(signature).is_ok_and(|found| found == block)
    }

    fn signed_block(&self, hash: Algorithm, digest: &[u8]) -> OpOutput {
        if digest.len() != hash.output_bytes() {
            return Err("digestLength");
        }
        let info = match hash.oid() {
            Some(oid) => der::sequence(&[&der::sequence(&[&der::oid(oid), &der::null()]), &der::octets(digest)]),
            None => digest.to_vec(),
        };
        self.pkcs1(1, &info, |count| vec![0xFF; count]).map_err(|_| "digestTooBig")
    }

    /// The longest salt that fits.
    fn max_salt_bytes(&self, hash: Algorithm) -> Option<usize> {
        self.block_bytes().checked_sub(hash.output_bytes() + 2)
    }

    /// The length of `EM` in PSS: one bit less than the modulus, rounded up to bytes (RFC 8017 section 8.1.1).
    fn block_bytes(&self) -> usize {
        self.modulus_bits().saturating_sub(1).div_ceil(8)
    }

    /// The number of unused high bits in the first byte of `EM`.
    fn unused_bits(&self) -> usize {
        self.block_bytes() * 8 - self.modulus_bits().saturating_sub(1)
    }

    /// The salt length for an option: -1 means the digest length, other negative numbers the longest that fits.
    fn salt_bytes(&self, hash: Algorithm, asked: i32) -> Result<usize, &'static str> {
        let most = self.max_salt_bytes(hash).ok_or("digestTooBig")?;
        match usize::try_from(asked) {
            Ok(bytes) if bytes <= most => Ok(bytes),
            Err(_) if asked == -1 && hash.output_bytes() <= most => Ok(hash.output_bytes()),
            Err(_) if asked != -1 => Ok(most),
            _ => Err("dataTooLarge"),
        }
    }

    /// Signs with PSS (RFC 8017 section 8.1.1).
    pub fn sign_pss(&self, hash: Algorithm, mask_hash: Algorithm, salt: i32, digest: &[u8]) -> OpOutput {
        if digest.len() != hash.output_bytes() {
            return Err("digestLength");
        }
        let salt = RandomStream::new()?.bytes(self.salt_bytes(hash, salt)?);
        let sealed = hash.digest(&[&[0; 8], digest, &salt]);
        let filling = self.block_bytes() - sealed.len() - salt.len() - 2;
        let mut block = [&vec![0; filling][..], &[1], &salt].concat();
        mask(mask_hash, &sealed, &mut block);
        block[0] &= 0xFF >> self.unused_bits();
        let block = [&block[..], &sealed, &[0xBC]].concat();
        self.raise_private(&padded(&block, self.bytes()).ok_or("failed")?)
    }

    /// A negative `salt` other than -1 accepts any salt length.
    pub fn verify_pss(
        &self,
        hash: Algorithm,
        mask_hash: Algorithm,
        salt: i32,
        digest: &[u8],
        signature: &[u8],
    ) -> bool {
        if signature.len() != self.bytes() || digest.len() != hash.output_bytes() {
            return false;
        }
        let opened = self.raise_public(signature).ok().and_then(|block| padded(&block, self.block_bytes()));
        let Some(block) = opened else { return false };
        let hash_bytes = hash.output_bytes();
        if block.len() < hash_bytes + 2 || block.last() != Some(&0xBC) || block[0] & !(0xFF >> self.unused_bits()) != 0
        {
            return false;
        }
        let (masked, rest) = block.split_at(block.len() - hash_bytes - 1);
        let sealed = &rest[..hash_bytes];
        let mut data = masked.to_vec();
        mask(mask_hash, sealed, &mut data);
        data[0] &= 0xFF >> self.unused_bits();
        let zeros = data.iter().take_while(|&&byte| byte == 0).count();
        if data.get(zeros) != Some(&1) {
            return false;
        }
        let found = &data[zeros + 1..];
        let is_length_right = match usize::try_from(salt) {
            Ok(bytes) => found.len() == bytes,
            Err(_) => salt != -1 || found.len() == hash_bytes,
        };
        is_length_right && hash.digest(&[&[0; 8], digest, found]) == sealed
    }
}

/// XORs MGF1 of the seed into the bytes (RFC 8017 appendix B.2.1).
fn mask(hash: Algorithm, seed: &[u8], bytes: &mut [u8]) {
    for (chunk, round) in bytes.chunks_mut(hash.output_bytes()).zip(0_u32..) {
        let stream = hash.digest(&[seed, &round.to_be_bytes()]);
        chunk.iter_mut().zip(stream).for_each(|(byte, mask)| *byte ^= mask);
    }
}

fn opened_oaep(hash: Algorithm, label: &[u8], block: &[u8]) -> OpOutput {
    let hash_bytes = hash.output_bytes();
    if block.len() < 2 * hash_bytes + 2 {
        return Err("oaep");
    }
    let (mut seed, mut data) = (block[1..=hash_bytes].to_vec(), block[hash_bytes + 1..].to_vec());
    mask(hash, &data, &mut seed);
    mask(hash, &seed, &mut data);
    // All faults give the same error in constant time.
    let mut is_good = block[0].ct_eq(&0) & data[..hash_bytes].ct_eq(&hash.digest(&[label]));
    let (mut start, mut is_found) = (0_u32, Choice::from(0));
    for (at, byte) in (0_u32..).zip(&data).skip(hash_bytes) {
        let is_one = byte.ct_eq(&1) & !is_found;
        is_good &= is_found | is_one | byte.ct_eq(&0);
        start.conditional_assign(&(at + 1), is_one);
        is_found |= is_one;
    }
    if (is_good & is_found).into() { Ok(data[start as usize..].to_vec()) } else { Err("oaep") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small_key() -> Rsa {
        let Ok(Key::Rsa(key)) = generate(1024, 65537, None) else { panic!("a key") };
        key
    }

    #[test]
    fn every_padding_survives_a_round_trip() {
        let key = small_key();
        let oaep = || Padding::Oaep { hash: Algorithm::Sha256, label: b"label".to_vec() };
        for padding in [Padding::Pkcs1, oaep()] {
            for length in [0, 1, 20, 62] {
                let data = vec![7; length];
                let sealed = key.encrypt(&padding, &data).expect("sealed");
                assert_eq!(key.decrypt(&padding, &sealed), Ok(data));
            }
            assert_eq!(key.encrypt(&padding, &[1; 126]), Err("dataTooLarge"));
        }
        let sealed = key.encrypt(&oaep(), b"text").expect("sealed");
        let other = Padding::Oaep { hash: Algorithm::Sha256, label: Vec::new() };
        assert_eq!(key.decrypt(&other, &sealed), Err("oaep"));
        // Wrong padding is not reported and gives the same bytes each time.
        let wrong = key.decrypt(&Padding::Pkcs1, &sealed).expect("some bytes");
        assert_eq!(key.decrypt(&Padding::Pkcs1, &sealed), Ok(wrong));
        let signed = key.private_encrypt(&Padding::Pkcs1, b"text").expect("signed");
        assert_eq!(key.public_decrypt(&Padding::Pkcs1, &signed), Ok(b"text".to_vec()));
    }

    #[test]
    fn one_byte_modulus_is_too_short_for_padding() {
        let parts = [vec![5], vec![3], vec![3], vec![1], vec![2]];
        let secret = Some(RsaSecret { exponent: vec![3], parts });
        let key = Rsa { modulus: vec![15], exponent: vec![3], secret, pss: None };
        let digest = Algorithm::Sha256.digest(&[]);
        for data in [&[0][..], &[1], &[14]] {
            assert!(key.decrypt(&Padding::Pkcs1, data).is_ok_and(|bytes| bytes.len() <= 1));
            assert!(key.public_decrypt(&Padding::Pkcs1, data).is_err());
            assert!(!key.verify_pkcs1(Algorithm::Sha256, &digest, data));
            assert!(!key.verify_pss(Algorithm::Sha256, Algorithm::Sha256, -2, &digest, data));
        }
        assert_eq!(key.encrypt(&Padding::Pkcs1, &[]), Err("dataTooLarge"));
        assert!(key.sign_pss(Algorithm::Sha256, Algorithm::Sha256, -2, &digest).is_err());
    }

    #[test]
    fn signatures_verify_only_with_their_digest() {
        for bits in [1024, 1025, 1031] {
            let Ok(Key::Rsa(key)) = generate(bits, 3, None) else { panic!("a key") };
            assert_eq!(key.modulus_bits(), bits);
            let (one, other) = (Algorithm::Sha256.digest(&[b"one"]), Algorithm::Sha256.digest(&[b"other"]));
            let signature = key.sign_pkcs1(Algorithm::Sha256, &one).expect("signed");
            assert!(key.verify_pkcs1(Algorithm::Sha256, &one, &signature));
            assert!(!key.verify_pkcs1(Algorithm::Sha256, &other, &signature));
            for (salt, verify, expected) in
                [(-2, -2, true), (-1, 32, true), (0, 0, true), (10, -2, true), (10, 11, false)]
            {
                let signature = key.sign_pss(Algorithm::Sha256, Algorithm::Sha1, salt, &one).expect("signed");
                let verify = |digest: &[u8], mask| key.verify_pss(Algorithm::Sha256, mask, verify, digest, &signature);
                assert_eq!(verify(&one, Algorithm::Sha1), expected);
                assert!(!verify(&other, Algorithm::Sha1));
                assert!(!verify(&one, Algorithm::Sha256));
            }
            assert_eq!(key.sign_pss(Algorithm::Sha256, Algorithm::Sha256, 100, &one), Err("dataTooLarge"));
        }
    }
}
