//! Big integers: prime generation, primality tests, and modular powers for Diffie-Hellman.

use num_bigint_dig::prime::{probably_prime_lucas, probably_prime_miller_rabin};
use num_bigint_dig::{BigUint, RandBigInt, RandPrime};

use super::der::padded;
use super::entropy::Draw;

/// Constraints on a prime to generate.
pub(super) struct Wish {
    pub(super) bits: usize,
    /// True for a safe prime p: (p-1)/2 is also prime.
    pub(super) is_safe: bool,
    /// The prime modulo `modulus` equals `remainder`; the default remainder is 1, or 3 for safe primes.
    pub(super) modulus: Option<Vec<u8>>,
    pub(super) remainder: Option<Vec<u8>>,
}

/// Probabilistic primality test with an error of at most 4^-checks; 0 selects the default number of checks.
pub(super) fn is_prime(number: &[u8], checks: u32) -> bool {
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
pub(super) fn generate(wish: &Wish) -> Result<Vec<u8>, &'static str> {
    let mut draw = Draw::new()?;
    let one = BigUint::from(1_u32);
    let number = match &wish.modulus {
        Some(modulus) => {
            let modulus = BigUint::from_bytes_be(modulus);
            if modulus == BigUint::from(0_u32) {
                return Err("failed");
            }
            let usual = BigUint::from(if wish.is_safe { 3_u32 } else { 1 });
            let remainder = wish.remainder.as_ref().map_or(usual, |bytes| BigUint::from_bytes_be(bytes));
            fitting(&mut draw, wish, &modulus, &remainder).ok_or("failed")?
        }
        None if !wish.is_safe && wish.bits >= 3 => draw.gen_prime(wish.bits),
        None if wish.is_safe && wish.bits >= 6 => safe(&mut draw, wish.bits),
        None => fitting(&mut draw, wish, &one, &BigUint::from(0_u32)).ok_or("failed")?,
    };
    padded(&number.to_bytes_be(), wish.bits.div_ceil(8)).ok_or("failed")
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
fn safe(draw: &mut Draw, bits: usize) -> BigUint {
    const STEPS: u32 = 1 << 16;
    let divisors = small_primes(if bits > 64 { 8192 } else { 64 });
    let (one, two) = (BigUint::from(1_u32), BigUint::from(2_u32));
    loop {
        // The two highest bits are set, so that the product of two such primes has full length; the lowest bit makes the number odd.
        let start = (draw.gen_biguint(bits - 1) | BigUint::from(3_u32) << (bits - 3)) | &one;
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

/// Generates a prime of `wish.bits` bits with the given remainder.
fn fitting(draw: &mut Draw, wish: &Wish, modulus: &BigUint, remainder: &BigUint) -> Option<BigUint> {
    let low = BigUint::from(1_u32) << (wish.bits - 1);
    let high = BigUint::from(1_u32) << wish.bits;
    for _ in 0..200_000 {
        let drawn = draw.gen_biguint_range(&low, &high);
        let number = &drawn - &drawn % modulus + remainder;
        if number.bits() != wish.bits || !is_prime_number(&number, 0) {
            continue;
        }
        if !wish.is_safe || is_prime_number(&(&number >> 1), 0) {
            return Some(number);
        }
    }
    None
}

/// A modular power, padded to the length of the modulus; `None` if the modulus is zero.
pub(super) fn power(base: &[u8], exponent: &[u8], modulus: &[u8]) -> Option<Vec<u8>> {
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
    fn primes_are_known() {
        let primes: Vec<u16> = (0..1000).filter(|number: &u16| is_prime(&number.to_be_bytes(), 0)).collect();
        assert_eq!(primes.len(), 168);
        assert!(primes.starts_with(&[2, 3, 5, 7, 11]) && primes.ends_with(&[997]));
    }

    #[test]
    fn primes_are_as_wished() {
        for bits in 2..40 {
            let wish = Wish { bits, is_safe: false, modulus: None, remainder: None };
            let prime = generate(&wish).expect("a prime");
            assert!(is_prime(&prime, 0));
            assert_eq!(BigUint::from_bytes_be(&prime).bits(), bits);
        }
        for bits in [3, 5, 6, 7, 16, 64] {
            let wish = Wish { bits, is_safe: true, modulus: None, remainder: None };
            let prime = BigUint::from_bytes_be(&generate(&wish).expect("a prime"));
            assert_eq!(prime.bits(), bits);
            assert!(is_prime_number(&(prime >> 1), 0), "{bits}");
        }
        let wish = Wish { bits: 32, is_safe: false, modulus: Some(vec![12]), remainder: Some(vec![11]) };
        let prime = BigUint::from_bytes_be(&generate(&wish).expect("a prime"));
        assert_eq!(prime % 12_u32, BigUint::from(11_u32));
        assert!(
            generate(&Wish { bits: 16, is_safe: false, modulus: Some(vec![4]), remainder: Some(vec![2]) }).is_err()
        );
    }

    #[test]
    fn powers() {
        assert_eq!(power(&[4], &[13], &[1, 0xF1]), Some(vec![1, 0xBD]));
        assert_eq!(power(&[4], &[13], &[0]), None);
    }
}
