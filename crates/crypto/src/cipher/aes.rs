//! The AES block cipher with keys of 128, 192 and 256 bits. The modes of operation are in the other files of this folder.

use aes::cipher::{BlockDecrypt, BlockEncrypt, KeyInit};
use aes::{Aes128, Aes192, Aes256, Block};

pub(crate) const BLOCK_BYTES: usize = 16;

pub(crate) enum Aes {
    Short(Aes128),
    Middle(Aes192),
    Long(Aes256),
}

impl Aes {
    pub(crate) fn new(key: &[u8]) -> Option<Aes> {
        Some(match key.len() {
            16 => Aes::Short(Aes128::new_from_slice(key).ok()?),
            24 => Aes::Middle(Aes192::new_from_slice(key).ok()?),
            32 => Aes::Long(Aes256::new_from_slice(key).ok()?),
            _ => return None,
        })
    }

    pub(crate) fn encrypt(&self, blocks: &mut [Block]) {
        match self {
            Aes::Short(aes) => aes.encrypt_blocks(blocks),
            Aes::Middle(aes) => aes.encrypt_blocks(blocks),
            Aes::Long(aes) => aes.encrypt_blocks(blocks),
        }
    }

    pub(crate) fn decrypt(&self, blocks: &mut [Block]) {
        match self {
            Aes::Short(aes) => aes.decrypt_blocks(blocks),
            Aes::Middle(aes) => aes.decrypt_blocks(blocks),
            Aes::Long(aes) => aes.decrypt_blocks(blocks),
        }
    }

    pub(crate) fn encrypt_one(&self, block: [u8; BLOCK_BYTES]) -> [u8; BLOCK_BYTES] {
        let mut blocks = [Block::from(block)];
        self.encrypt(&mut blocks);
        blocks[0].into()
    }

    /// Encrypts a block given as a big-endian number.
    pub(crate) fn encrypt_number(&self, number: u128) -> u128 {
        u128::from_be_bytes(self.encrypt_one(number.to_be_bytes()))
    }

    pub(crate) fn decrypt_number(&self, number: u128) -> u128 {
        let mut blocks = [Block::from(number.to_be_bytes())];
        self.decrypt(&mut blocks);
        u128::from_be_bytes(blocks[0].into())
    }
}
