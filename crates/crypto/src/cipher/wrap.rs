//! Key wrapping, all data in one update: RFC 3394, RFC 5649 (with padding), and RFC 3217 for triple DES.

use des::TdesEde3;
use subtle::ConstantTimeEq;

use super::super::digest::Algorithm;
use super::super::entropy::RandomStream;
use super::CipherError;
use super::aes::Aes;
use super::blocks::{SMALL_BYTES, run_des};

/// The wrapping cipher and its integrity check value.
pub(crate) enum Wrap {
    Plain { aes: Aes, check: u64 },
    Padded { aes: Aes, check: u32 },
    Des(Box<TdesEde3>),
}

impl Wrap {
    pub(crate) fn update(&self, is_wrapping: bool, data: &[u8]) -> Result<Vec<u8>, CipherError> {
        // In OpenSSL, empty input gives empty output.
        if data.is_empty() {
            return Ok(Vec::new());
        }
        match self {
            Wrap::Plain { aes, check } if is_wrapping => wrapped(aes, *check, data),
            Wrap::Plain { aes, check } => match opened(aes, data)? {
                (found, key) if found == *check => Ok(key),
                _ => Err(CipherError::Unauthentic),
            },
            Wrap::Padded { aes, check } if is_wrapping => wrapped_padded(aes, *check, data),
            Wrap::Padded { aes, check } => opened_padded(aes, *check, data),
            Wrap::Des(des) if is_wrapping => wrapped_des(des, data),
            Wrap::Des(des) => opened_des(des, data).ok_or(CipherError::Unauthentic),
        }
    }
}

fn halves_of(data: &[u8]) -> Vec<u64> {
    data.chunks_exact(8).map(|half| half.iter().fold(0, |word, &byte| word << 8 | u64::from(byte))).collect()
}

fn bytes_of(halves: &[u64]) -> Vec<u8> {
    halves.iter().flat_map(|half| half.to_be_bytes()).collect()
}

const fn join(high: u64, low: u64) -> u128 {
    (high as u128) << 64 | low as u128
}

/// RFC 3394 section 2.2.1: six rounds over all 64-bit halves, with the step counter mixed into the integrity check.
fn wrapped(aes: &Aes, check: u64, data: &[u8]) -> Result<Vec<u8>, CipherError> {
    if !data.len().is_multiple_of(8) || data.len() < 16 {
        return Err(CipherError::InvalidState);
    }
    let mut halves = halves_of(data);
    let (mut register, count) = (check, halves.len());
    for step in 0..6 * count {
        let turned = aes.encrypt_number(join(register, halves[step % count]));
        register = (turned >> 64) as u64 ^ (step as u64 + 1);
        halves[step % count] = turned as u64;
    }
    halves.insert(0, register);
    Ok(bytes_of(&halves))
}

/// RFC 3394 section 2.2.2. Returns the integrity check value and the key.
fn opened(aes: &Aes, data: &[u8]) -> Result<(u64, Vec<u8>), CipherError> {
    if !data.len().is_multiple_of(8) || data.len() < 24 {
        return Err(CipherError::InvalidState);
    }
    let mut halves = halves_of(data);
    let mut register = halves.remove(0);
    let count = halves.len();
    for step in (0..6 * count).rev() {
        let turned = aes.decrypt_number(join(register ^ (step as u64 + 1), halves[step % count]));
        register = (turned >> 64) as u64;
        halves[step % count] = turned as u64;
    }
    Ok((register, bytes_of(&halves)))
}

fn wrapped_padded(aes: &Aes, check: u32, data: &[u8]) -> Result<Vec<u8>, CipherError> {
    let length = u32::try_from(data.len()).map_err(|_| CipherError::InvalidState)?;
    let check = u64::from(check) << 32 | u64::from(length);
    let mut filled = data.to_vec();
    filled.resize(data.len().next_multiple_of(8), 0);
    match halves_of(&filled)[..] {
        // A padded key of 8 bytes is encrypted as a single block with its check (RFC 5649 section 4.1).
        [only] => Ok(aes.encrypt_number(join(check, only)).to_be_bytes().to_vec()),
        _ => wrapped(aes, check, &filled),
    }
}

fn opened_padded(aes: &Aes, check: u32, data: &[u8]) -> Result<Vec<u8>, CipherError> {
    let (found, mut key) = if let Ok(block) = <[u8; 16]>::try_from(data) {
        let turned = aes.decrypt_number(u128::from_be_bytes(block));
        ((turned >> 64) as u64, (turned as u64).to_be_bytes().to_vec())
    } else {
        opened(aes, data)?
    };
    let length = (found as u32) as usize;
    let is_length = length <= key.len() && length + 8 > key.len() && length > 0;
    if (found >> 32) as u32 != check || !is_length || key[length..].iter().any(|&byte| byte != 0) {
        return Err(CipherError::Unauthentic);
    }
    key.truncate(length);
    Ok(key)
}

/// The IV of the second encryption (RFC 3217 section 3.1).
const DES_VECTOR: [u8; SMALL_BYTES] = [0x4A, 0xDD, 0xA2, 0x2C, 0x79, 0xE8, 0x21, 0x05];

fn checksum(key: &[u8]) -> [u8; SMALL_BYTES] {
    let mut sum = [0; SMALL_BYTES];
    sum.copy_from_slice(&Algorithm::Sha1.digest(&[key])[..SMALL_BYTES]);
    sum
}

/// RFC 3217 section 3.1: encrypt, reverse the bytes, encrypt again.
fn wrapped_des(des: &TdesEde3, data: &[u8]) -> Result<Vec<u8>, CipherError> {
    if !data.len().is_multiple_of(SMALL_BYTES) {
        return Err(CipherError::InvalidState);
    }
    let drawn = RandomStream::new().map_err(|_| CipherError::InvalidState)?.bytes(SMALL_BYTES);
    let iv = <[u8; SMALL_BYTES]>::try_from(&drawn[..]).map_err(|_| CipherError::InvalidState)?;
    let inner = run_des(des, &mut Some(iv), true, [data, &checksum(data)].concat());
    let mut turned = [&iv[..], &inner].concat();
    turned.reverse();
    Ok(run_des(des, &mut Some(DES_VECTOR), true, turned))
}

fn opened_des(des: &TdesEde3, data: &[u8]) -> Option<Vec<u8>> {
    if !data.len().is_multiple_of(SMALL_BYTES) || data.len() < 3 * SMALL_BYTES {
        return None;
    }
    let mut turned = run_des(des, &mut Some(DES_VECTOR), false, data.to_vec());
    turned.reverse();
    let (iv, inner) = turned.split_at(SMALL_BYTES);
    let mut key = run_des(des, &mut Some(iv.try_into().ok()?), false, inner.to_vec());
    let sum = key.split_off(key.len() - SMALL_BYTES);
    bool::from(checksum(&key)[..].ct_eq(&sum)).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_wrap_matches_the_rfc_vectors() {
        // RFC 3394 section 4.1.
        let aes = || Aes::new(&(0..16).collect::<Vec<u8>>()).expect("a key");
        let data: Vec<u8> = (0..16).map(|at: u8| at * 0x11).collect();
        let wrap = Wrap::Plain { aes: aes(), check: 0xA6A6_A6A6_A6A6_A6A6 };
        let mut wrapped = wrap.update(true, &data).expect("wrapped");
        assert_eq!(faster_hex::hex_string(&wrapped), "1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5");
        assert_eq!(wrap.update(false, &wrapped), Ok(data));
        wrapped[3] ^= 1;
        assert_eq!(wrap.update(false, &wrapped), Err(CipherError::Unauthentic));
        assert_eq!(wrap.update(true, &[0; 15]), Err(CipherError::InvalidState));
        // RFC 5649 section 6.
        let mut key = [0; 24];
        faster_hex::hex_decode(b"5840df6e29b02af1ab493b705bf16ea1ae8338f4dcc176a8", &mut key).expect("hex");
        let wrap = Wrap::Padded { aes: Aes::new(&key).expect("a key"), check: 0xA659_59A6 };
        let mut data = [0; 20];
        faster_hex::hex_decode(b"c37b7e6492584340bed12207808941155068f738", &mut data).expect("hex");
        for (length, start) in [(20, "138bdeaa9b8fa7fc61f97742e72248ee"), (7, "")] {
            let wrapped = wrap.update(true, &data[..length]).expect("wrapped");
            assert!(faster_hex::hex_string(&wrapped).starts_with(start));
            assert_eq!(wrap.update(false, &wrapped), Ok(data[..length].to_vec()));
        }
    }
}
