//! Ciphers that add a stream of bytes to the data: a counter, a register that is fed back, ChaCha20. They begin and end anywhere.

use aes::Block;
use chacha20::ChaCha20;
use chacha20::cipher::{StreamCipher, StreamCipherSeek};

use super::Trouble;
use super::aes::{Aes, BLOCK_BYTES};

/// So many blocks of a counter are enciphered in one go: the processor does them side by side.
const BATCH_BLOCKS: usize = 8;

pub(super) enum Keystream {
    Counter(Counter),
    Feedback(Feedback),
    ChaCha(Box<ChaCha20>),
}

impl Keystream {
    /// OpenSSL's ChaCha20 takes the counter, its lowest byte first, and the nonce in one.
    pub(super) fn chacha(key: &[u8], iv: &[u8; 16]) -> Option<Keystream> {
        use chacha20::cipher::KeyIvInit;
        let mut stream = ChaCha20::new_from_slices(key, &iv[4..]).ok()?;
        let count = u32::from_le_bytes([iv[0], iv[1], iv[2], iv[3]]);
        stream.try_seek(u64::from(count) * 64).ok()?;
        Some(Keystream::ChaCha(Box::new(stream)))
    }

    pub(super) fn update(&mut self, is_encrypting: bool, bytes: &[u8]) -> Result<Vec<u8>, Trouble> {
        let mut output = bytes.to_vec();
        match self {
            Keystream::Counter(counter) => counter.apply(&mut output),
            Keystream::Feedback(feedback) => feedback.apply(is_encrypting, &mut output),
            Keystream::ChaCha(stream) => stream.try_apply_keystream(&mut output).map_err(|_| Trouble::State)?,
        }
        Ok(output)
    }
}

/// The key stream of a counter.
pub(super) struct Counter {
    aes: Aes,
    next: [u8; BLOCK_BYTES],
    /// Whether only the last four bytes count on, as in GCM.
    narrow: bool,
    ready: [Block; BATCH_BLOCKS],
    /// How many bytes of `ready` are used up.
    used: usize,
}

impl Counter {
    pub(super) fn new(aes: Aes, first: [u8; BLOCK_BYTES], narrow: bool) -> Counter {
        Counter { aes, next: first, narrow, ready: Default::default(), used: BATCH_BLOCKS * BLOCK_BYTES }
    }

    pub(super) fn aes(&self) -> &Aes {
        &self.aes
    }

    pub(super) fn step(&mut self) {
        let number = u128::from_be_bytes(self.next);
        let next = if self.narrow {
            number & !u128::from(u32::MAX) | u128::from((number as u32).wrapping_add(1))
        } else {
            number.wrapping_add(1)
        };
        self.next = next.to_be_bytes();
    }

    pub(super) fn apply(&mut self, bytes: &mut [u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            if self.used == BATCH_BLOCKS * BLOCK_BYTES {
                for at in 0..BATCH_BLOCKS {
                    self.ready[at] = self.next.into();
                    self.step();
                }
                self.aes.encrypt(&mut self.ready);
                self.used = 0;
            }
            let (block, from) = (self.used / BLOCK_BYTES, self.used % BLOCK_BYTES);
            let count = rest.len().min(BLOCK_BYTES - from);
            let (now, later) = rest.split_at_mut(count);
            for (byte, key) in now.iter_mut().zip(&self.ready[block][from..]) {
                *byte ^= key;
            }
            self.used += count;
            rest = later;
        }
    }
}

/// How a register is fed back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Back {
    /// What was enciphered, by blocks.
    Cfb,
    /// The same, by bytes.
    Cfb8,
    /// The stream itself.
    Ofb,
}

/// The key stream of a register that what was enciphered goes back into.
pub(super) struct Feedback {
    aes: Aes,
    back: Back,
    register: [u8; BLOCK_BYTES],
    /// How many bytes of the register are used up.
    used: usize,
}

impl Feedback {
    pub(super) fn new(aes: Aes, back: Back, register: [u8; BLOCK_BYTES]) -> Feedback {
        Feedback { aes, back, register, used: BLOCK_BYTES }
    }

    fn apply(&mut self, is_encrypting: bool, bytes: &mut [u8]) {
        for byte in bytes {
            let before = *byte;
            if self.back == Back::Cfb8 {
                *byte ^= self.aes.encrypt_one(self.register)[0];
                self.register.rotate_left(1);
                self.register[BLOCK_BYTES - 1] = if is_encrypting { *byte } else { before };
                continue;
            }
            if self.used == BLOCK_BYTES {
                self.register = self.aes.encrypt_one(self.register);
                self.used = 0;
            }
            *byte ^= self.register[self.used];
            if self.back == Back::Cfb {
                self.register[self.used] = if is_encrypting { *byte } else { before };
            }
            self.used += 1;
        }
    }
}
