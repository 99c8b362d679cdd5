//! Big integers: prime generation, primality tests, and modular powers for Diffie-Hellman.

use num_bigint_dig::prime::{probably_prime_lucas, probably_prime_miller_rabin};
use num_bigint_dig::{BigUint, RandBigInt, RandPrime};

use super::der::padded;
use super::entropy::RandomStream;

/// Constraints on a prime to generate.
pub struct PrimeSpec {
    /// The exact bit length.
    pub bits: usize,
    /// True for a safe prime p: (p-1)/2 is also prime.
    pub is_safe: bool,
    /// The prime modulo `modulus` equals `remainder`; the default remainder is 1, or 3 for safe primes.
    pub modulus: Option<Vec<u8>>,
    /// The remainder of the prime by `add`.
    pub remainder: Option<Vec<u8>>,
}

/// Probabilistic primality test with an error of at most 4^-checks; 0 selects the default number of checks.
pub fn is_prime(number: &[u8], checks: u32) -> bool {
    is_prime_number(&BigUint::from_bytes_be(number), checks)
}

fn is_prime_number(number: &BigUint, checks: u32) -> bool {
    let rounds = if checks == 0 { 20 } else { checks.min(256) as usize };
    let small = |value: u32| BigUint::from(value);
    if *number < small(2) {
        return false;
    }
    for divisor in [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53] {
        if number == &small(divisor) {
            return true;
        }
        if number % divisor == small(0) {
            return false;
        }
    }
    probably_prime_miller_rabin(number, rounds, true) && probably_prime_lucas(number)
}

/// Generates a prime, padded to the bytes of its bit length. Returns "failed" after many attempts, because no prime may satisfy `modulus`.
pub fn generate(spec: &PrimeSpec) -> Result<Vec<u8>, &'static str> {
    let mut random = RandomStream::new()?;
    let one = BigUint::from(1_u32);
    let number = match &spec.modulus {
        Some(modulus) => {
            let modulus = BigUint::from_bytes_be(modulus);
            if modulus == BigUint::from(0_u32) {
                return Err("failed");
            }
            let usual = BigUint::from(if spec.is_safe { 3_u32 } else { 1 });
            let remainder = spec.remainder.as_ref().map_or(usual, |bytes| BigUint::from_bytes_be(bytes));
            fitting(&mut random, spec, &modulus, &remainder).ok_or("failed")?
        }
        None if !spec.is_safe && spec.bits >= 3 => random.gen_prime(spec.bits),
        None if spec.is_safe && spec.bits >= 6 => safe(&mut random, spec.bits),
        None => fitting(&mut random, spec, &one, &BigUint::from(0_u32)).ok_or("failed")?,
    };
    padded(&number.to_bytes_be(), spec.bits.div_ceil(8)).ok_or("failed")
}

/// The odd primes below `limit` (sieve of Eratosthenes).
fn small_primes(limit: usize) -> Vec<u32> {
    let mut is_composite = vec![false; limit];
    let mut primes = Vec::new();
    for number in (3..limit).step_by(2) {
        if !is_composite[number] {
            primes.push(number as u32);
            (number * number..limit).step_by(number).for_each(|multiple| is_composite[multiple] = true);
        }
    }
    primes
}

/// Generates a safe prime. From a random start, candidates are sieved by the small divisors of both p and (p-1)/2. The sieve updates only
/// the remainders, so big-integer operations are rare.
fn safe(random: &mut RandomStream, bits: usize) -> BigUint {
    const STEPS: u32 = 1 << 16;
    let divisors = small_primes(if bits > 64 { 8192 } else { 64 });
    let (one, two) = (BigUint::from(1_u32), BigUint::from(2_u32));
    loop {
        // The two highest bits are set, so that the product of two such primes has full length; the lowest bit makes the number odd.
        let start = (random.gen_biguint(bits - 1) | BigUint::from(3_u32) << (bits - 3)) | &one;
        let mut remainders: Vec<u32> = divisors.iter().map(|&divisor| remainder(&start, divisor)).collect();
        for step in 0..STEPS {
            let mut is_candidate = true;
            for (rest, &divisor) in remainders.iter_mut().zip(&divisors) {
                // Skip the sieve for small numbers: it would reject primes that are themselves small divisors.
                if bits > 16 && (*rest == 0 || *rest * 2 + 1 == divisor) {
                    is_candidate = false;
                }
                *rest = (*rest + 2) % divisor;
            }
            if !is_candidate {
                continue;
            }
            let half = &start + &two * BigUint::from(step);
            let whole = (&half << 1) + &one;
            if whole.bits() != bits {
                break;
            }
            let is_likely = probably_prime_miller_rabin(&half, 1, true) && probably_prime_miller_rabin(&whole, 1, true);
            if is_likely && is_prime_number(&whole, 0) && is_prime_number(&half, 0) {
                return whole;
            }
        }
    }
}

fn remainder(number: &BigUint, divisor: u32) -> u32 {
    (number % divisor).to_bytes_le().iter().rev().fold(0, |rest, &byte| rest << 8 | u32::from(byte))
}

/// Generates a prime of `spec.bits` bits with the given remainder.
fn fitting(random: &mut RandomStream, spec: &PrimeSpec, modulus: &BigUint, remainder: &BigUint) -> Option<BigUint> {
    let low = BigUint::from(1_u32) << (spec.bits - 1);
    let high = BigUint::from(1_u32) << spec.bits;
    for _ in 0..200_000 {
        let drawn = random.gen_biguint_range(&low, &high);
        let number = &drawn - &drawn % modulus + remainder;
        if number.bits() != spec.bits || !is_prime_number(&number, 0) {
            continue;
        }
        if !spec.is_safe || is_prime_number(&(&number >> 1), 0) {
            return Some(number);
        }
    }
    None
}

/// A modular power, padded to the length of the modulus; `None` if the modulus is zero.
pub fn power(base: &[u8], exponent: &[u8], modulus: &[u8]) -> Option<Vec<u8>> {
    let count = super::der::trimmed(modulus).len();
    let [base, exponent, modulus] = [base, exponent, modulus].map(BigUint::from_bytes_be);
    if count == 0 {
        return None;
    }
    padded(&base.modpow(&exponent, &modulus).to_bytes_be(), count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_primes_are_recognized() {
        let primes: Vec<u16> = (0..1000).filter(|number: &u16| is_prime(&number.to_be_bytes(), 0)).collect();
        assert_eq!(primes.len(), 168);
        assert!(primes.starts_with(&[2, 3, 5, 7, 11]) && primes.ends_with(&[997]));
    }

    #[test]
    fn generated_primes_satisfy_their_spec() {
        for bits in 2..40 {
            let spec = PrimeSpec { bits, is_safe: false, modulus: None, remainder: None };
            let prime = generate(&spec).expect("a prime");
            assert!(is_prime(&prime, 0));
            assert_eq!(BigUint::from_bytes_be(&prime).bits(), bits);
        }
        for bits in [3, 5, 6, 7, 16, 64] {
            let spec = PrimeSpec { bits, is_safe: true, modulus: None, remainder: None };
            let prime = BigUint::from_bytes_be(&generate(&spec).expect("a prime"));
            assert_eq!(prime.bits(), bits);
            assert!(is_prime_number(&(prime >> 1), 0), "{bits}");
        }
        let spec = PrimeSpec { bits: 32, is_safe: false, modulus: Some(vec![12]), remainder: Some(vec![11]) };
        let prime = BigUint::from_bytes_be(&generate(&spec).expect("a prime"));
        assert_eq!(prime % 12_u32, BigUint::from(11_u32));
        assert!(
            generate(&PrimeSpec { bits: 16, is_safe: false, modulus: Some(vec![4]), remainder: Some(vec![2]) })
                .is_err()
        );
    }

    #[test]
    fn modular_powers_are_padded() {
        assert_eq!(power(&[4], &[13], &[1, 0xF1]), Some(vec![1, 0xBD]));
        assert_eq!(power(&[4], &[13], &[0]), None);
    }
}
