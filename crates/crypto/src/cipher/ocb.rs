//! OCB (RFC 7253) over AES as a stream: whole blocks are returned as soon as they are complete. The `ocb3` crate takes all data at once and
//! fixes the lengths of nonce and tag in its types.

use super::aes::{Aes, BLOCK_BYTES};
use super::{Authenticated, CipherError, TAG_BYTES};

/// A sequence of numbered blocks, each masked by an offset that depends on its number.
#[derive(Default)]
struct Run {
    /// The offset of the last complete block.
    offset: u128,
    /// The number of complete blocks.
    count: u64,
    /// Input of an incomplete block.
    held: Vec<u8>,
}

pub(crate) struct Ocb {
    aes: Aes,
    is_encrypting: bool,
    /// `L_*` of RFC 7253 section 4.1, for an incomplete last block.
    star: u128,
    /// `L_$`, `L_0`, `L_1` … of RFC 7253 section 4.1, each the double of the one before. Extended on demand.
    doubles: Vec<u128>,
    data: Run,
    /// The XOR of all plaintext blocks.
    checksum: u128,
    aad: Run,
    /// The XOR of the encrypted AAD blocks.
    aad_sum: u128,
}

/// Doubling in GF(2^128) (RFC 7253 section 2).
const fn doubled(number: u128) -> u128 {
    (number << 1) ^ ((number >> 127) * 0x87)
}

/// An incomplete block padded with a 1 bit and zeros.
fn closed(rest: &[u8]) -> u128 {
    let mut block = [0; BLOCK_BYTES];
    block[..rest.len()].copy_from_slice(rest);
    block[rest.len()] = 0x80;
    u128::from_be_bytes(block)
}

impl Run {
    /// Adds input and calls `each` with every complete block and its offset.
    fn blocks(&mut self, doubles: &mut Vec<u128>, bytes: &[u8], mut each: impl FnMut(u128, u128)) {
        self.held.extend_from_slice(bytes);
        let whole = self.held.len() - self.held.len() % BLOCK_BYTES;
        let rest = self.held.split_off(whole);
        for chunk in std::mem::replace(&mut self.held, rest).chunks_exact(BLOCK_BYTES) {
            self.count += 1;
            let at = self.count.trailing_zeros() as usize + 1;
            while doubles.len() <= at {
                doubles.push(doubled(doubles[doubles.len() - 1]));
            }
            self.offset ^= doubles[at];
            let number = chunk.iter().fold(0, |number: u128, &byte| number << 8 | u128::from(byte));
            each(number, self.offset);
        }
    }
}

impl Ocb {
    /// The nonce has 1 to 15 bytes, the tag at most 16.
    pub(crate) fn new(aes: Aes, iv: &[u8], tag_bytes: usize, is_encrypting: bool) -> Ocb {
        let star = aes.encrypt_number(0);
        let iv_number = iv.iter().fold(1, |number: u128, &byte| number << 8 | u128::from(byte));
        let nonce = ((tag_bytes * 8 % 128) as u128) << 121 | iv_number;
        let bottom = (nonce & 0x3F) as u32;
        let top = aes.encrypt_number(nonce & !0x3F);
        // `Stretch` of RFC 7253 section 4.2: 192 bits, of which 128 are taken from bit `bottom` on.
        let more = (top >> 64) as u64 ^ ((top >> 56) as u64);
        let offset = if bottom == 0 { top } else { top << bottom | u128::from(more >> (64 - bottom)) };
        let data = Run { offset, ..Run::default() };
        let doubles = vec![doubled(star)];
        Ocb { aes, is_encrypting, star, doubles, data, checksum: 0, aad: Run::default(), aad_sum: 0 }
    }
}

impl Authenticated for Ocb {
    fn add(&mut self, aad: &[u8], _text_bytes: Option<usize>) -> Result<(), CipherError> {
        let (aes, sum) = (&self.aes, &mut self.aad_sum);
        self.aad.blocks(&mut self.doubles, aad, |block, offset| *sum ^= aes.encrypt_number(block ^ offset));
        Ok(())
    }

    fn update(&mut self, bytes: &[u8], _tag: Option<&[u8]>) -> Result<Vec<u8>, CipherError> {
        let mut output = Vec::with_capacity(self.data.held.len() + bytes.len());
        let (aes, sum, is_encrypting) = (&self.aes, &mut self.checksum, self.is_encrypting);
        self.data.blocks(&mut self.doubles, bytes, |block, offset| {
            let turned =
                if is_encrypting { aes.encrypt_number(block ^ offset) } else { aes.decrypt_number(block ^ offset) };
            let made = turned ^ offset;
            *sum ^= if is_encrypting { block } else { made };
            output.extend_from_slice(&made.to_be_bytes());
        });
        Ok(output)
    }

    fn finish(&mut self) -> Result<(Vec<u8>, Option<[u8; TAG_BYTES]>), CipherError> {
        let mut rest = std::mem::take(&mut self.data.held);
        if !rest.is_empty() {
            self.data.offset ^= self.star;
            let pad = self.aes.encrypt_number(self.data.offset).to_be_bytes();
            let before = closed(&rest);
            rest.iter_mut().zip(pad).for_each(|(byte, pad)| *byte ^= pad);
            self.checksum ^= if self.is_encrypting { before } else { closed(&rest) };
        }
        let aad = std::mem::take(&mut self.aad.held);
        if !aad.is_empty() {
            self.aad_sum ^= self.aes.encrypt_number(closed(&aad) ^ self.aad.offset ^ self.star);
        }
        let tag = self.aes.encrypt_number(self.checksum ^ self.data.offset ^ self.doubles[0]) ^ self.aad_sum;
        Ok((rest, Some(tag.to_be_bytes())))
    }
}
