//! Stream modes: CTR over AES, CFB and OFB over AES or triple DES, and ChaCha20. Input of any length is accepted at any time.

use aes::Block;
use chacha20::ChaCha20;
use chacha20::cipher::{StreamCipher, StreamCipherSeek};
use des::TdesEde3;
use des::cipher::BlockEncrypt;

use super::CipherError;
use super::aes::{Aes, BLOCK_BYTES};

/// Counter blocks encrypted per batch: the processor pipelines them.
const BATCH_BLOCKS: usize = 8;

pub(crate) enum Keystream {
    Counter(Box<Counter>),
    Feedback(Feedback),
    ChaCha(Box<ChaCha20>),
}

impl Keystream {
    /// OpenSSL's ChaCha20 IV is the block counter (32 bits, little-endian) followed by the nonce.
    pub(crate) fn chacha(key: &[u8], iv: &[u8; 16]) -> Option<Keystream> {
        use chacha20::cipher::KeyIvInit;
        let mut stream = ChaCha20::new_from_slices(key, &iv[4..]).ok()?;
        let count = u32::from_le_bytes([iv[0], iv[1], iv[2], iv[3]]);
        stream.try_seek(u64::from(count) * 64).ok()?;
        Some(Keystream::ChaCha(Box::new(stream)))
    }

    pub(crate) fn update(&mut self, is_encrypting: bool, bytes: &[u8]) -> Result<Vec<u8>, CipherError> {
        let mut output = bytes.to_vec();
        match self {
            Keystream::Counter(counter) => counter.apply(&mut output),
            Keystream::Feedback(feedback) => feedback.apply(is_encrypting, &mut output),
            Keystream::ChaCha(stream) => {
                stream.try_apply_keystream(&mut output).map_err(|_| CipherError::InvalidState)?;
            }
        }
        Ok(output)
    }
}

/// The key stream of counter mode.
pub(crate) struct Counter {
    aes: Aes,
    /// The next counter block.
    next: [u8; BLOCK_BYTES],
    /// True if only the last four bytes count, as in GCM (NIST SP 800-38D section 6.2).
    narrow: bool,
    /// The encrypted counter blocks of the current batch.
    ready: [Block; BATCH_BLOCKS],
    /// How many bytes of `ready` are consumed.
    used: usize,
}

impl Counter {
    pub(crate) fn new(aes: Aes, first: [u8; BLOCK_BYTES], narrow: bool) -> Counter {
        Counter { aes, next: first, narrow, ready: Default::default(), used: BATCH_BLOCKS * BLOCK_BYTES }
    }

    pub(crate) fn aes(&self) -> &Aes {
        &self.aes
    }

    pub(crate) fn step(&mut self) {
        let number = u128::from_be_bytes(self.next);
        let next = if self.narrow {
            number & !u128::from(u32::MAX) | u128::from((number as u32).wrapping_add(1))
        } else {
            number.wrapping_add(1)
        };
        self.next = next.to_be_bytes();
    }

    pub(crate) fn apply(&mut self, bytes: &mut [u8]) {
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

/// The feedback modes of NIST SP 800-38A.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FeedbackMode {
    /// Feeds back whole ciphertext blocks.
    Cfb,
    /// Feeds back one ciphertext byte at a time.
    Cfb8,
    /// Feeds back one ciphertext bit at a time.
    Cfb1,
    /// Feeds back the key stream.
    Ofb,
}

/// A block cipher that encrypts one block in place.
pub(crate) trait OneBlock: Send {
    fn encrypt_in_place(&self, block: &mut [u8]);
}

impl OneBlock for Aes {
    fn encrypt_in_place(&self, block: &mut [u8]) {
        if let Some(block) = block.first_chunk_mut() {
            *block = self.encrypt_one(*block);
        }
    }
}

impl OneBlock for TdesEde3 {
    fn encrypt_in_place(&self, block: &mut [u8]) {
        if let Some(block) = block.first_chunk_mut::<8>() {
            self.encrypt_block(block.into());
        }
    }
}

/// The key stream of a feedback mode.
pub(crate) struct Feedback {
    cipher: Box<dyn OneBlock>,
    back: FeedbackMode,
    /// The shift register; it starts as the IV.
    register: Vec<u8>,
    /// How many bytes of the register are consumed.
    used: usize,
}

impl Feedback {
    /// The register has the length of a block. The block of AES is the longest.
    pub(crate) fn new(cipher: Box<dyn OneBlock>, back: FeedbackMode, register: &[u8]) -> Feedback {
        Feedback { cipher, back, register: register.to_vec(), used: register.len() }
    }

    fn apply(&mut self, is_encrypting: bool, bytes: &mut [u8]) {
        for byte in bytes {
            let before = *byte;
            match self.back {
                FeedbackMode::Cfb8 => {
                    *byte ^= self.first_of_next();
                    self.register.rotate_left(1);
                    self.put_last(if is_encrypting { *byte } else { before });
                }
                FeedbackMode::Cfb1 => {
                    for place in (0..8).rev() {
                        *byte ^= self.first_of_next() >> 7 << place;
                        self.push_bit((if is_encrypting { *byte } else { before }) >> place & 1);
                    }
                }
                FeedbackMode::Cfb | FeedbackMode::Ofb => {
                    if self.used == self.register.len() {
                        self.cipher.encrypt_in_place(&mut self.register);
                        self.used = 0;
                    }
                    *byte ^= self.register[self.used];
                    if self.back == FeedbackMode::Cfb {
                        self.register[self.used] = if is_encrypting { *byte } else { before };
                    }
                    self.used += 1;
                }
            }
        }
    }

    /// The first byte of the encrypted register. The register itself is unchanged.
    fn first_of_next(&self) -> u8 {
        let mut next = [0; BLOCK_BYTES];
        next[..self.register.len()].copy_from_slice(&self.register);
        self.cipher.encrypt_in_place(&mut next);
        next[0]
    }

    fn put_last(&mut self, byte: u8) {
        if let Some(last) = self.register.last_mut() {
            *last = byte;
        }
    }

    fn push_bit(&mut self, mut bit: u8) {
        for byte in self.register.iter_mut().rev() {
            let out = *byte >> 7;
            *byte = *byte << 1 | bit;
            bit = out;
        }
    }
}
