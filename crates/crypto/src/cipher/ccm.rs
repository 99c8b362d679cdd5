//! CCM (RFC 3610) over AES. The length of the data must be known in advance, so all data comes in one update, and unauthenticated plaintext
//! is never returned. The `ccm` crate fixes the lengths of nonce and tag in its types; scripts choose them at run time.

use subtle::ConstantTimeEq;

use super::aes::{Aes, BLOCK_BYTES};
use super::keystream::Counter;
use super::{Authenticated, CipherError, TAG_BYTES};

pub(crate) struct Ccm {
    /// The key stream from the second counter block on.
    counter: Counter,
    /// The first block of the key stream, which encrypts the tag.
    mask: u128,
    iv: Vec<u8>,
    tag_bytes: usize,
    is_encrypting: bool,
    /// Additional authenticated data (AAD).
    aad: Vec<u8>,
    /// The announced length of the data, if there is one.
    text_bytes: Option<usize>,
    /// The computed tag when encrypting.
    tag: Option<[u8; TAG_BYTES]>,
    /// True after the one update that is allowed.
    is_done: bool,
    /// Authentication failed. `finish` reports it, as Node's `final()` does (`src/crypto/crypto_cipher.cc: CipherBase::Final`).
    is_failed: bool,
}

/// The size of the length field: the bytes of the first block that the nonce leaves free (RFC 3610 section 2.2).
const fn length_bytes(iv: &[u8]) -> usize {
    BLOCK_BYTES - 1 - iv.len()
}

/// A formatted block: flags, nonce, and a length or counter.
fn block(flags: u8, iv: &[u8], number: u64) -> u128 {
    let mut block = [0; BLOCK_BYTES];
    block[8..].copy_from_slice(&number.to_be_bytes());
    block[0] = flags;
    block[1..=iv.len()].copy_from_slice(iv);
    u128::from_be_bytes(block)
}

impl Ccm {
    /// The nonce has 7 to 13 bytes; the tag has an even length from 4 to 16.
    pub(crate) fn new(aes: Aes, iv: &[u8], tag_bytes: usize, is_encrypting: bool) -> Ccm {
        let first = block(length_bytes(iv) as u8 - 1, iv, 0);
        let mask = aes.encrypt_number(first);
        Ccm {
            counter: Counter::new(aes, (first + 1).to_be_bytes(), false),
            mask,
            iv: iv.to_vec(),
            tag_bytes,
            is_encrypting,
            aad: Vec::new(),
            text_bytes: None,
            tag: None,
            is_done: false,
            is_failed: false,
        }
    }

    /// As `src/crypto/crypto_cipher.cc: CipherBase::InitAuthenticated`: the largest message that fits the length field, at most `INT_MAX`.
    fn max_bytes(&self) -> usize {
        match length_bytes(&self.iv) {
            2 => 0xFFFF,
            3 => 0xFF_FFFF,
            _ => i32::MAX as usize,
        }
    }

    /// The encrypted tag of the data.
    fn tag_of(&self, text: &[u8]) -> [u8; TAG_BYTES] {
        let aad_flag = if self.aad.is_empty() { 0 } else { 0x40 };
        let flags = aad_flag | ((self.tag_bytes - 2) / 2 * 8 + length_bytes(&self.iv) - 1) as u8;
        let mut sum = self.counter.aes().encrypt_number(block(flags, &self.iv, text.len() as u64));
        let mut add = |bytes: &[u8]| {
            for chunk in bytes.chunks(BLOCK_BYTES) {
                let mut filled = [0; BLOCK_BYTES];
                filled[..chunk.len()].copy_from_slice(chunk);
                sum = self.counter.aes().encrypt_number(sum ^ u128::from_be_bytes(filled));
            }
        };
        if !self.aad.is_empty() {
            let length = self.aad.len();
            let head = match u16::try_from(length) {
                Ok(length) if length < 0xFF00 => length.to_be_bytes().to_vec(),
                _ => [&[0xFF, 0xFE][..], &(length as u32).to_be_bytes()].concat(),
            };
            add(&[&head, &self.aad[..]].concat());
        }
        add(text);
        (sum ^ self.mask).to_be_bytes()
    }

    fn open(&mut self, bytes: &[u8], tag: Option<&[u8]>) -> Option<Vec<u8>> {
        let tag = tag.filter(|_| !self.is_done && self.text_bytes.is_none_or(|length| length == bytes.len()))?;
        let mut text = bytes.to_vec();
        self.counter.apply(&mut text);
        let made = self.tag_of(&text);
        bool::from(made[..self.tag_bytes].ct_eq(tag)).then_some(text)
    }
}

impl Authenticated for Ccm {
    fn add(&mut self, aad: &[u8], text_bytes: Option<usize>) -> Result<(), CipherError> {
        let text_bytes = text_bytes.ok_or(CipherError::MissingDataLength)?;
        if text_bytes > self.max_bytes() {
            return Err(CipherError::MessageLength);
        }
        self.text_bytes = Some(text_bytes);
        // In OpenSSL, each call with data replaces the AAD of the call before.
        if !aad.is_empty() {
            self.aad = aad.to_vec();
        }
        Ok(())
    }

    fn update(&mut self, bytes: &[u8], tag: Option<&[u8]>) -> Result<Vec<u8>, CipherError> {
        if bytes.len() > self.max_bytes() {
            return Err(CipherError::MessageLength);
        }
        if !self.is_encrypting {
            let opened = self.open(bytes, tag);
            self.is_failed |= opened.is_none();
            self.is_done = true;
            return Ok(opened.unwrap_or_default());
        }
        if self.is_done && bytes.is_empty() {
            return Ok(Vec::new());
        }
        if self.is_done || self.text_bytes.is_some_and(|length| length != bytes.len()) {
            return Err(CipherError::InvalidState);
        }
        self.is_done = true;
        self.tag = Some(self.tag_of(bytes));
        let mut output = bytes.to_vec();
        self.counter.apply(&mut output);
        Ok(output)
    }

    fn finish(&mut self) -> Result<(Vec<u8>, Option<[u8; TAG_BYTES]>), CipherError> {
        if self.is_failed {
            return Err(CipherError::Unauthentic);
        }
        if self.is_encrypting && !self.is_done {
            self.tag = Some(self.tag_of(&[]));
        }
        Ok((Vec::new(), self.tag))
    }
}
