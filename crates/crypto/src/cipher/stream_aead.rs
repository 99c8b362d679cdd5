//! Authenticated modes built from a key stream and a universal hash: GCM (NIST SP 800-38D) and ChaCha20-Poly1305 (RFC 8439). Data may come
//! in pieces of any length.

use aes::cipher::{KeyInit, KeyIvInit, StreamCipher};
use chacha20::ChaCha20;
use ghash::GHash;
use ghash::universal_hash::UniversalHash;
use poly1305::Poly1305;

use super::aes::{Aes, BLOCK_BYTES};
use super::keystream::{Counter, Keystream};
use super::{Authenticated, CipherError, TAG_BYTES};

/// A universal hash that accepts input of any length.
struct Padded<H> {
    hash: H,
    /// Input of an incomplete block.
    partial: Vec<u8>,
}

impl<H: UniversalHash<BlockSize = digest::consts::U16>> Padded<H> {
    fn new(hash: H) -> Padded<H> {
        Padded { hash, partial: Vec::new() }
    }

    fn update(&mut self, mut bytes: &[u8]) {
        if !self.partial.is_empty() {
            let count = bytes.len().min(BLOCK_BYTES - self.partial.len());
            self.partial.extend_from_slice(&bytes[..count]);
            bytes = &bytes[count..];
            if self.partial.len() < BLOCK_BYTES {
                return;
            }
            self.hash.update_padded(&self.partial);
            self.partial.clear();
        }
        let whole = bytes.len() - bytes.len() % BLOCK_BYTES;
        self.hash.update_padded(&bytes[..whole]);
        self.partial.extend_from_slice(&bytes[whole..]);
    }

    /// Completes a partial block with zeros.
    fn pad(&mut self) {
        self.hash.update_padded(&self.partial);
        self.partial.clear();
    }
}

/// The hash of the mode. GCM also has a mask that encrypts the tag.
enum Hash {
    Ghash(Padded<GHash>, [u8; BLOCK_BYTES]),
    Poly(Box<Padded<Poly1305>>),
}

impl Hash {
    fn update(&mut self, bytes: &[u8]) {
        match self {
            Hash::Ghash(hash, _) => hash.update(bytes),
            Hash::Poly(hash) => hash.update(bytes),
        }
    }

    fn pad(&mut self) {
        match self {
            Hash::Ghash(hash, _) => hash.pad(),
            Hash::Poly(hash) => hash.pad(),
        }
    }

    fn finish(self, aad_bytes: u64, data_bytes: u64) -> [u8; TAG_BYTES] {
        let mut lengths = [0; BLOCK_BYTES];
        match self {
            Hash::Ghash(mut hash, mask) => {
                lengths[..8].copy_from_slice(&aad_bytes.wrapping_mul(8).to_be_bytes());
                lengths[8..].copy_from_slice(&data_bytes.wrapping_mul(8).to_be_bytes());
                hash.update(&lengths);
                let mut tag: [u8; TAG_BYTES] = hash.hash.finalize().into();
                tag.iter_mut().zip(mask).for_each(|(byte, mask)| *byte ^= mask);
                tag
            }
            Hash::Poly(mut hash) => {
                lengths[..8].copy_from_slice(&aad_bytes.to_le_bytes());
                lengths[8..].copy_from_slice(&data_bytes.to_le_bytes());
                hash.update(&lengths);
                hash.hash.finalize().into()
            }
        }
    }
}

/// The state of a streaming cipher of this kind.
pub(crate) struct StreamAead {
    stream: Keystream,
    /// `None` after `finish`.
    hash: Option<Hash>,
    is_encrypting: bool,
    aad_bytes: u64,
    data_bytes: u64,
}

impl StreamAead {
    pub(crate) fn gcm(aes: Aes, iv: &[u8], is_encrypting: bool) -> Result<StreamAead, CipherError> {
        let key = aes.encrypt_one([0; BLOCK_BYTES]);
        let hash = || GHash::new_from_slice(&key).map_err(|_| CipherError::KeyLength);
        let mut first = [0; BLOCK_BYTES];
        if iv.len() == 12 {
            first[..12].copy_from_slice(iv);
            first[15] = 1;
        } else {
            let mut hash = Padded::new(hash()?);
            hash.update(iv);
            hash.pad();
            let mut lengths = [0; BLOCK_BYTES];
            lengths[8..].copy_from_slice(&(iv.len() as u64).wrapping_mul(8).to_be_bytes());
            hash.update(&lengths);
            first = hash.hash.finalize().into();
        }
        let mask = aes.encrypt_one(first);
        let mut counter = Counter::new(aes, first, true);
        counter.step();
        Ok(StreamAead::new(
            Keystream::Counter(Box::new(counter)),
            Hash::Ghash(Padded::new(hash()?), mask),
            is_encrypting,
        ))
    }

    pub(crate) fn chacha(key: &[u8], iv: &[u8], is_encrypting: bool) -> Result<StreamAead, CipherError> {
        let mut stream = ChaCha20::new_from_slices(key, iv).map_err(|_| CipherError::Iv)?;
        // The first 32 bytes of key stream block 0 are the Poly1305 key (RFC 8439 section 2.6).
        let mut first = [0; 64];
        stream.apply_keystream(&mut first);
        let hash = Poly1305::new_from_slice(&first[..32]).map_err(|_| CipherError::KeyLength)?;
        let stream = Keystream::ChaCha(Box::new(stream));
        Ok(StreamAead::new(stream, Hash::Poly(Box::new(Padded::new(hash))), is_encrypting))
    }

    fn new(stream: Keystream, hash: Hash, is_encrypting: bool) -> StreamAead {
        StreamAead { stream, hash: Some(hash), is_encrypting, aad_bytes: 0, data_bytes: 0 }
    }
}

impl Authenticated for StreamAead {
    fn add(&mut self, aad: &[u8], _text_bytes: Option<usize>) -> Result<(), CipherError> {
        let hash = self.hash.as_mut().filter(|_| self.data_bytes == 0).ok_or(CipherError::InvalidState)?;
        self.aad_bytes += aad.len() as u64;
        hash.update(aad);
        Ok(())
    }

    fn update(&mut self, bytes: &[u8], _tag: Option<&[u8]>) -> Result<Vec<u8>, CipherError> {
        let hash = self.hash.as_mut().ok_or(CipherError::InvalidState)?;
        if self.data_bytes == 0 {
            hash.pad();
        }
        self.data_bytes += bytes.len() as u64;
        let output = self.stream.update(self.is_encrypting, bytes)?;
        hash.update(if self.is_encrypting { &output } else { bytes });
        Ok(output)
    }

    fn finish(&mut self) -> Result<(Vec<u8>, Option<[u8; TAG_BYTES]>), CipherError> {
        let mut hash = self.hash.take().ok_or(CipherError::InvalidState)?;
        hash.pad();
        Ok((Vec::new(), Some(hash.finish(self.aad_bytes, self.data_bytes))))
    }
}
