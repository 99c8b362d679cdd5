//! DSA and Diffie-Hellman keys (powers modulo a prime). The `dsa` crate generates only four key sizes and rejects others that OpenSSL
//! generates.

use ::der::asn1::ObjectIdentifier;
use num_bigint_dig::{BigUint, ModInverse, RandBigInt};

use super::der::{self, Fields, padded};
use super::entropy::RandomStream;
use super::key::Key;
use super::primes::{self, PrimeSpec};

/// OpenSSL's limit (`OPENSSL_DH_MAX_MODULUS_BITS`), which bounds the time of a modular power.
const MAX_BITS: usize = 10_000;

/// The algorithm of a key over a group modulo a prime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Signatures (FIPS 186-4).
    Dsa,
    /// Key agreement (PKCS #3).
    Dh,
}

impl Kind {
    const fn oid(self) -> ObjectIdentifier {
        match self {
            Kind::Dsa => ObjectIdentifier::new_unwrap("1.2.840.10040.4.1"),
            Kind::Dh => ObjectIdentifier::new_unwrap("1.2.840.113549.1.3.1"),
        }
    }

    /// The kind with an object identifier.
    pub fn of_oid(oid: ObjectIdentifier) -> Option<Kind> {
        [Kind::Dsa, Kind::Dh].into_iter().find(|kind| kind.oid() == oid)
    }

    /// Node's name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Dsa => "dsa",
            Kind::Dh => "dh",
        }
    }
}

/// The domain parameters of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domain {
    /// The algorithm of the keys.
    pub kind: Kind,
    /// The modulus.
    pub prime: BigUint,
    /// DSA only: the prime order of the generator (q).
    pub order: BigUint,
    generator: BigUint,
    /// DH only: the length of the private value, if specified.
    secret_bits: Option<u32>,
}

/// A DSA or DH key.
#[derive(Clone, Debug)]
pub struct DsaDh {
    /// The group.
    pub domain: Domain,
    public: BigUint,
    /// The secret exponent; None in a public key.
    pub secret: Option<BigUint>,
}

fn one() -> BigUint {
    BigUint::from(1_u32)
}

fn number(bytes: &[u8]) -> BigUint {
    BigUint::from_bytes_be(bytes)
}

impl Domain {
    /// Diffie-Hellman parameters.
    pub fn dh(prime: &[u8], generator: &[u8]) -> Option<Domain> {
        let [prime, generator] = [prime, generator].map(number);
        Domain { kind: Kind::Dh, prime, order: number(&[]), generator, secret_bits: None }.validated()
    }

    /// Decodes the parameters that follow the algorithm identifier.
    pub fn read(kind: Kind, algorithm: &mut Fields<'_>) -> Option<Domain> {
        let mut fields = algorithm.sequence()?;
        let prime = number(fields.integer()?);
        let order = if kind == Kind::Dsa { number(fields.integer()?) } else { number(&[]) };
        let generator = number(fields.integer()?);
        let secret_bits = if kind == Kind::Dh { fields.small() } else { None };
        Domain { kind, prime, order, generator, secret_bits }.validated()
    }

    /// Rejects parameters for which modular powers are undefined or too slow.
    fn validated(self) -> Option<Domain> {
        let is_odd = &self.prime % 2_u32 == one();
        let is_order = self.kind == Kind::Dh || self.order > one() && self.order < self.prime;
        let is_generator = self.generator > one() && self.generator < self.prime;
        (is_odd && is_order && is_generator && self.prime.bits() <= MAX_BITS).then_some(self)
    }

    /// The parameters in DER.
    pub fn write(&self) -> Vec<u8> {
        let integer = |number: &BigUint| der::integer(&number.to_bytes_be());
        let order = if self.kind == Kind::Dsa { integer(&self.order) } else { Vec::new() };
        let secret_bits = self.secret_bits.map(der::small).unwrap_or_default();
        let fields = der::sequence(&[&integer(&self.prime), &order, &integer(&self.generator), &secret_bits]);
        der::sequence(&[&der::oid(self.kind.oid()), &fields])
    }

    /// A public key of the group; None if it is out of range.
    pub fn public(self, public: &[u8]) -> Option<Key> {
        let public = number(public);
        (public > one() && public < self.prime).then(|| Key::DsaDh(DsaDh { domain: self, public, secret: None }))
    }

    /// A private key of the group; None if it is out of range.
    pub fn private(self, secret: &[u8]) -> Option<Key> {
        let secret = number(secret);
        let most = if self.kind == Kind::Dsa { &self.order } else { &self.prime };
        if secret < one() || secret >= *most {
            return None;
        }
        let public = self.generator.modpow(&secret, &self.prime);
        Some(Key::DsaDh(DsaDh { domain: self, public, secret: Some(secret) }))
    }

    /// Generates a key. A DH private value has 512 bits by default: twice the security strength of the largest prime in use.
    pub fn generate(self) -> Result<Key, &'static str> {
        let two = BigUint::from(2_u32);
        let most = match self.kind {
            Kind::Dsa => self.order.clone(),
            Kind::Dh => (&self.prime - &two).min(one() << self.secret_bits.unwrap_or(512).clamp(160, 4096) as usize),
        };
        let secret = RandomStream::new()?.gen_biguint_range(&one(), &most);
        self.private(&secret.to_bytes_be()).ok_or("failed")
    }
}

/// Generates DSA parameters (FIPS 186-4 appendix A): a prime, a prime divisor of that prime minus one, and a generator of that order. As
/// OpenSSL, a modulus length below 2048 bits is rounded up to a multiple of 64.
pub fn dsa_domain(bits: usize, order_bits: usize) -> Result<Domain, &'static str> {
    let order_bits = match order_bits {
        0 if bits >= 2048 => 256,
        0 => 160,
        _ => order_bits,
    };
    if !(512..=MAX_BITS).contains(&bits) || !matches!(order_bits, 160 | 224 | 256) {
        return Err("keymgmt");
    }
    let bits = if bits < 2048 { bits.next_multiple_of(64) } else { bits };
    if bits < 1024 {
        return Err("ffc");
    }
    let spec = PrimeSpec { bits: order_bits, is_safe: false, modulus: None, remainder: None };
    let order = number(&primes::generate(&spec)?);
    let twice = (&order << 1_usize).to_bytes_be();
    let spec = PrimeSpec { bits, is_safe: false, modulus: Some(twice), remainder: Some(vec![1]) };
    let prime = number(&primes::generate(&spec)?);
    let exponent = (&prime - one()) / &order;
    let mut random = RandomStream::new()?;
    loop {
        let generator = random.gen_biguint_range(&BigUint::from(2_u32), &(&prime - one())).modpow(&exponent, &prime);
        if generator > one() {
            return Ok(Domain { kind: Kind::Dsa, prime, order, generator, secret_bits: None });
        }
    }
}

impl DsaDh {
    /// `DSAPrivateKey`, OpenSSL's traditional structure.
    pub fn of_old_dsa(bytes: &[u8]) -> Option<Key> {
        let mut fields = Fields::of_sequence(bytes)?;
        fields.small().filter(|version| *version == 0)?;
        let [prime, order, generator] = [fields.integer()?, fields.integer()?, fields.integer()?].map(number);
        let _public = fields.integer()?;
        let secret = fields.integer()?;
        Domain { kind: Kind::Dsa, prime, order, generator, secret_bits: None }.validated()?.private(secret)
    }

    /// The public number as an INTEGER.
    pub fn public_field(&self) -> Vec<u8> {
        der::integer(&self.public.to_bytes_be())
    }

    /// The secret number as an INTEGER.
    pub fn secret_field(&self) -> Option<Vec<u8>> {
        Some(der::integer(&self.secret.as_ref()?.to_bytes_be()))
    }

    /// The length of r and of s in a signature.
    pub fn order_bytes(&self) -> usize {
        self.domain.order.bits().div_ceil(8)
    }

    /// The leftmost bits of the digest, as many as the order has (FIPS 186-4 section 4.6).
    fn digest_number(&self, digest: &[u8]) -> BigUint {
        let surplus = (digest.len() * 8).saturating_sub(self.domain.order.bits());
        number(digest) >> surplus
    }

    /// The signature as r and s, concatenated.
    pub fn sign(&self, digest: &[u8]) -> Result<Vec<u8>, &'static str> {
        let DsaDh { domain: Domain { kind: Kind::Dsa, prime, order, generator, .. }, secret: Some(secret), .. } = self
        else {
            return Err("operation");
        };
        let (mut random, digest) = (RandomStream::new()?, self.digest_number(digest));
        // Signing fails with negligible probability (r or s is zero) and is retried with another nonce. The number of attempts is limited,
        // because the order of an imported key may not be prime, and then inversion can fail each time.
        for _ in 0..8 {
            let nonce = random.gen_biguint_range(&one(), order);
            // The exponent always has the same bit length, so the time of the power does not leak the nonce.
            let even =
                if (&nonce + order).bits() > order.bits() { &nonce + order } else { &nonce + (order << 1_usize) };
            let r = generator.modpow(&even, prime) % order;
            // The nonce is blinded with a random factor before inversion, so the time of the inversion does not leak it.
            let blind = random.gen_biguint_range(&one(), order);
            let inverse = (&nonce * &blind % order).mod_inverse(order).and_then(|inverse| inverse.to_biguint());
            let Some(inverse) = inverse else { continue };
            let s = (&blind * &digest + &blind * secret % order * &r) % order * inverse % order;
            let [r, s] = [r, s].map(|number| padded(&number.to_bytes_be(), self.order_bytes()));
            if let (Some(r), Some(s)) = (r, s)
                && [&r, &s].into_iter().all(|number| number.iter().any(|&byte| byte != 0))
            {
                return Ok([r, s].concat());
            }
        }
        Err("failed")
    }

    /// Verifies a signature, a SEQUENCE of two numbers.
    pub fn verify(&self, digest: &[u8], signature: &[u8]) -> Result<bool, &'static str> {
        let Domain { kind: Kind::Dsa, prime, order, generator, .. } = &self.domain else { return Err("operation") };
        if signature.len() != 2 * self.order_bytes() {
            return Ok(false);
        }
        let (r, s) = signature.split_at(self.order_bytes());
        let [r, s] = [r, s].map(number);
        let is_within = |number: &BigUint| *number >= one() && number < order;
        let Some(inverse) = (&s).mod_inverse(order).and_then(|inverse| inverse.to_biguint()) else { return Ok(false) };
        if !is_within(&r) || !is_within(&s) {
            return Ok(false);
        }
        let [one, other] = [self.digest_number(digest), r.clone()].map(|number| number * &inverse % order);
        let found = generator.modpow(&one, prime) * self.public.modpow(&other, prime) % prime % order;
        Ok(found == r)
    }

    /// The shared secret, padded to the length of the prime.
    pub fn agree(&self, theirs: &DsaDh) -> Result<Vec<u8>, &'static str> {
        let (prime, secret) = (&self.domain.prime, self.secret.as_ref().ok_or("failed")?);
        if [prime, &self.domain.generator] != [&theirs.domain.prime, &theirs.domain.generator] {
            return Err("parameters");
        }
        if theirs.public >= prime - one() {
            return Err("failed");
        }
        padded(&theirs.public.modpow(secret, prime).to_bytes_be(), prime.bits().div_ceil(8)).ok_or("failed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dsa_dh(key: Key) -> DsaDh {
        let Key::DsaDh(key) = key else { panic!("another kind of key") };
        key
    }

    #[test]
    fn signatures_verify_only_with_their_digest() {
        let domain = dsa_domain(1000, 160).expect("numbers");
        assert_eq!((domain.prime.bits(), domain.order.bits()), (1024, 160));
        let [mine, other] = [domain.clone(), domain].map(|domain| dsa_dh(domain.generate().expect("a key")));
        for digest_bytes in [16, 20, 32, 64] {
            let digest = vec![7; digest_bytes];
            let signature = mine.sign(&digest).expect("signed");
            assert_eq!(mine.verify(&digest, &signature), Ok(true));
            assert_eq!(mine.verify(&[8; 20], &signature), Ok(false));
            assert_eq!(other.verify(&digest, &signature), Ok(false));
            assert_eq!(mine.verify(&digest, &vec![0; signature.len()]), Ok(false));
        }
        assert_eq!(dsa_domain(1024, 100).err(), Some("keymgmt"));
    }

    #[test]
    fn both_sides_compute_the_same_secret() {
        let spec = PrimeSpec { bits: 256, is_safe: true, modulus: None, remainder: None };
        let domain = Domain::dh(&primes::generate(&spec).expect("a prime"), &[2]).expect("numbers");
        let [mine, theirs] = [domain.clone(), domain].map(|domain| dsa_dh(domain.generate().expect("a key")));
        assert_eq!(mine.agree(&theirs), theirs.agree(&mine));
        let back = Key::of_handle(&Key::DsaDh(mine.clone()).to_handle()).expect("the key");
        assert!(back.is_private());
        assert_eq!(dsa_dh(back).agree(&theirs), mine.agree(&theirs));
        assert!(Domain::dh(&[22], &[5]).is_none() && Domain::dh(&[23], &[1]).is_none());
    }
}
