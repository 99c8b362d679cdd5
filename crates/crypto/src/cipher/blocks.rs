//! Block modes ECB and CBC with PKCS #7 padding, for AES and triple DES.

use aes::Block;
use des::TdesEde3;
use des::cipher::{BlockDecrypt, BlockEncrypt};

use super::CipherError;
use super::aes::{Aes, BLOCK_BYTES};

/// The block size of DES.
pub(crate) const SMALL_BYTES: usize = 8;

/// The block cipher. `chain` is the previous ciphertext block or the IV in CBC, and `None` in ECB.
pub(crate) enum Engine {
    Aes { aes: Box<Aes>, chain: Option<[u8; BLOCK_BYTES]> },
    Des { des: Box<TdesEde3>, chain: Option<[u8; SMALL_BYTES]> },
}

impl Engine {
    fn block_bytes(&self) -> usize {
        match self {
            Engine::Aes { .. } => BLOCK_BYTES,
            Engine::Des { .. } => SMALL_BYTES,
        }
    }

    /// Encrypts or decrypts whole blocks.
    fn run(&mut self, is_encrypting: bool, bytes: Vec<u8>) -> Vec<u8> {
        match self {
            Engine::Aes { aes, chain } => run_aes(aes, chain, is_encrypting, &bytes),
            Engine::Des { des, chain } => run_des(des, chain, is_encrypting, bytes),
        }
    }
}

/// The state of a streaming block cipher.
pub(crate) struct Blocks {
    engine: Engine,
    is_encrypting: bool,
    pub(crate) is_padding: bool,
    /// Input of an incomplete block. When decrypting with padding also the last complete block, which may be the padding.
    held: Vec<u8>,
}

impl Blocks {
    pub(crate) fn new(engine: Engine, is_encrypting: bool) -> Blocks {
        Blocks { engine, is_encrypting, is_padding: true, held: Vec::new() }
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(bytes);
        let mut whole = self.held.len() - self.held.len() % self.engine.block_bytes();
        if !self.is_encrypting && self.is_padding && whole == self.held.len() {
            whole = whole.saturating_sub(self.engine.block_bytes());
        }
        let rest = self.held.split_off(whole);
        let output = std::mem::replace(&mut self.held, rest);
        self.engine.run(self.is_encrypting, output)
    }

    pub(crate) fn finish(&mut self) -> Result<Vec<u8>, CipherError> {
        let block_bytes = self.engine.block_bytes();
        let mut held = std::mem::take(&mut self.held);
        if self.is_encrypting && self.is_padding {
            let missing = block_bytes - held.len();
            held.resize(block_bytes, missing as u8);
            return Ok(self.engine.run(true, held));
        }
        if held.is_empty() && !self.is_padding {
            return Ok(held);
        }
        if held.len() != block_bytes {
            return Err(CipherError::WrongFinalBlockLength);
        }
        unpadded(self.engine.run(self.is_encrypting, held))
    }
}

fn run_aes(aes: &Aes, chain: &mut Option<[u8; BLOCK_BYTES]>, is_encrypting: bool, bytes: &[u8]) -> Vec<u8> {
    let mut blocks: Vec<Block> = bytes.chunks_exact(BLOCK_BYTES).map(Block::clone_from_slice).collect();
    match (chain, is_encrypting) {
        (None, true) => aes.encrypt(&mut blocks),
        (None, false) => aes.decrypt(&mut blocks),
        (Some(chain), true) => {
            for block in &mut blocks {
                block.iter_mut().zip(*chain).for_each(|(byte, before)| *byte ^= before);
                aes.encrypt(std::slice::from_mut(block));
                *chain = (*block).into();
            }
        }
        (Some(chain), false) => {
            aes.decrypt(&mut blocks);
            for (block, sealed) in blocks.iter_mut().zip(bytes.chunks_exact(BLOCK_BYTES)) {
                block.iter_mut().zip(*chain).for_each(|(byte, before)| *byte ^= before);
                chain.copy_from_slice(sealed);
            }
        }
    }
    blocks.concat()
}

/// Encrypts or decrypts whole DES blocks.
pub(crate) fn run_des(
    des: &TdesEde3,
    chain: &mut Option<[u8; SMALL_BYTES]>,
    is_encrypting: bool,
    mut bytes: Vec<u8>,
) -> Vec<u8> {
    let add = |block: &mut [u8; SMALL_BYTES], chain: &Option<[u8; SMALL_BYTES]>| {
        block.iter_mut().zip(chain.unwrap_or_default()).for_each(|(byte, before)| *byte ^= before);
    };
    for chunk in bytes.chunks_exact_mut(SMALL_BYTES) {
        let mut block = [0; SMALL_BYTES];
        block.copy_from_slice(chunk);
        if is_encrypting {
            add(&mut block, chain);
            des.encrypt_block((&mut block).into());
            *chain = chain.map(|_| block);
        } else {
            let sealed = block;
            des.decrypt_block((&mut block).into());
            add(&mut block, chain);
            *chain = chain.map(|_| sealed);
        }
        chunk.copy_from_slice(&block);
    }
    bytes
}

/// Removes the padding of the last block (RFC 5652 section 6.3).
fn unpadded(mut block: Vec<u8>) -> Result<Vec<u8>, CipherError> {
    let count = usize::from(block.last().copied().unwrap_or(0));
    let start = block.len().checked_sub(count).filter(|_| count > 0).ok_or(CipherError::BadDecrypt)?;
    if block[start..].iter().any(|&byte| usize::from(byte) != count) {
        return Err(CipherError::BadDecrypt);
    }
    block.truncate(start);
    Ok(block)
}
