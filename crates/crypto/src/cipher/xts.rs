//! XTS-AES (IEEE 1619). As in OpenSSL, every update is one sector, always with the same sector number.

use super::CipherError;
use super::aes::{Aes, BLOCK_BYTES};

pub(crate) struct Xts {
    aes: Aes,
    /// The tweak of the first block of a sector.
    first: u128,
}

impl Xts {
    /// The first half of the key encrypts the data, the second the sector number. Encrypting with equal halves is insecure and refused, as
    /// in OpenSSL.
    pub(crate) fn new(key: &[u8], sector: [u8; BLOCK_BYTES], is_encrypting: bool) -> Result<Xts, CipherError> {
        let (data, number) = key.split_at(key.len() / 2);
        if is_encrypting && data == number {
            return Err(CipherError::SameHalves);
        }
        let aes = |half| Aes::new(half).ok_or(CipherError::KeyLength);
        let first = u128::from_le_bytes(aes(number)?.encrypt_one(sector));
        Ok(Xts { aes: aes(data)?, first })
    }

    /// An incomplete last block uses ciphertext stealing.
    pub(crate) fn update(&self, is_encrypting: bool, bytes: &[u8]) -> Result<Vec<u8>, CipherError> {
        let rest = bytes.len() % BLOCK_BYTES;
        let lent = if rest == 0 { 0 } else { BLOCK_BYTES + rest };
        let Some(own) = bytes.len().checked_sub(lent).filter(|_| !bytes.is_empty()) else {
            return Err(CipherError::InvalidState);
        };
        let (whole, ending) = bytes.split_at(own);
        let mut output = Vec::with_capacity(bytes.len());
        let mut mix = self.first;
        for block in whole.as_chunks::<BLOCK_BYTES>().0 {
            output.extend(self.one(is_encrypting, *block, mix));
            mix = doubled(mix);
        }
        if let Some((last, tail)) = ending.split_first_chunk::<BLOCK_BYTES>() {
            let next = doubled(mix);
            let (mix, next) = if is_encrypting { (mix, next) } else { (next, mix) };
            let turned = self.one(is_encrypting, *last, mix);
            let mut filled = turned;
            filled[..rest].copy_from_slice(tail);
            output.extend(self.one(is_encrypting, filled, next));
            output.extend(&turned[..rest]);
        }
        Ok(output)
    }

    fn one(&self, is_encrypting: bool, block: [u8; BLOCK_BYTES], mix: u128) -> [u8; BLOCK_BYTES] {
        let mix = mix.swap_bytes();
        let number = u128::from_be_bytes(block) ^ mix;
        let made = if is_encrypting { self.aes.encrypt_number(number) } else { self.aes.decrypt_number(number) };
        (made ^ mix).to_be_bytes()
    }
}

/// The tweak of the next block: multiplication by 2 in GF(2^128).
fn doubled(mix: u128) -> u128 {
    const BACK: u128 = 0x87;
    mix << 1 ^ if mix >> 127 == 1 { BACK } else { 0 }
}
