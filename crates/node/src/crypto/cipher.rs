//! Ciphers as streams of chunks: AES in ECB, CBC, CTR, CFB, OFB and GCM and its wrap of keys, triple DES in ECB and CBC, and
//! ChaCha20-Poly1305. Authentication is checked at the end,
//! as OpenSSL does: what was decrypted before has been given out already.

use aes::cipher::{BlockDecrypt, BlockEncrypt, KeyInit, KeyIvInit, StreamCipher};
use aes::{Aes128, Aes192, Aes256, Block};
use chacha20::ChaCha20;
use des::TdesEde3;
use ghash::GHash;
use ghash::universal_hash::UniversalHash;
use poly1305::Poly1305;
use subtle::ConstantTimeEq;

const BLOCK_BYTES: usize = 16;
/// Those of DES.
const SMALL_BYTES: usize = 8;
/// So many blocks of a counter are enciphered in one go: the processor does them side by side.
const BATCH_BLOCKS: usize = 8;
/// The longest tag, and the usual one.
const TAG_BYTES: usize = 16;

/// How blocks are chained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Ecb,
    Cbc,
    Ctr,
    Gcm,
    Cfb,
    /// By bytes, not by blocks.
    Cfb8,
    Ofb,
    /// Of keys, RFC 3394; all of it in one update.
    Wrap,
    /// Triple DES.
    DesEcb,
    DesCbc,
    /// ChaCha20 with Poly1305, which is a stream.
    Stream,
}

/// What went wrong; JavaScript makes Node's errors of the names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    KeyLength,
    Iv,
    TagLength,
    /// The call makes no sense now.
    State,
    WrongFinalBlockLength,
    BadDecrypt,
    /// The tag is missing or wrong.
    Unauthentic,
}

impl Trouble {
    pub(super) fn name(self) -> &'static str {
        match self {
            Trouble::KeyLength => "keyLength",
            Trouble::Iv => "iv",
            Trouble::TagLength => "tagLength",
            Trouble::State => "state",
            Trouble::WrongFinalBlockLength => "finalLength",
            Trouble::BadDecrypt => "badDecrypt",
            Trouble::Unauthentic => "unauthentic",
        }
    }
}

enum Aes {
    Short(Aes128),
    Middle(Aes192),
    Long(Aes256),
}

impl Aes {
    fn new(key: &[u8]) -> Option<Aes> {
        Some(match key.len() {
            16 => Aes::Short(Aes128::new_from_slice(key).ok()?),
            24 => Aes::Middle(Aes192::new_from_slice(key).ok()?),
            32 => Aes::Long(Aes256::new_from_slice(key).ok()?),
            _ => return None,
        })
    }

    fn encrypt(&self, blocks: &mut [Block]) {
        match self {
            Aes::Short(aes) => aes.encrypt_blocks(blocks),
            Aes::Middle(aes) => aes.encrypt_blocks(blocks),
            Aes::Long(aes) => aes.encrypt_blocks(blocks),
        }
    }

    fn decrypt(&self, blocks: &mut [Block]) {
        match self {
            Aes::Short(aes) => aes.decrypt_blocks(blocks),
            Aes::Middle(aes) => aes.decrypt_blocks(blocks),
            Aes::Long(aes) => aes.decrypt_blocks(blocks),
        }
    }

    fn encrypt_one(&self, block: [u8; BLOCK_BYTES]) -> [u8; BLOCK_BYTES] {
        let mut blocks = [Block::from(block)];
        self.encrypt(&mut blocks);
        blocks[0].into()
    }
}

/// The key stream of a counter.
struct Counter {
    aes: Aes,
    next: [u8; BLOCK_BYTES],
    /// Whether only the last four bytes count on, as in GCM.
    narrow: bool,
    ready: [Block; BATCH_BLOCKS],
    /// How many bytes of `ready` are used up.
    used: usize,
}

impl Counter {
    fn new(aes: Aes, first: [u8; BLOCK_BYTES], narrow: bool) -> Counter {
        Counter { aes, next: first, narrow, ready: Default::default(), used: BATCH_BLOCKS * BLOCK_BYTES }
    }

    fn step(&mut self) {
        if self.narrow {
            let (head, tail) = self.next.split_at_mut(12);
            let _ = head;
            let count = u32::from_be_bytes([tail[0], tail[1], tail[2], tail[3]]).wrapping_add(1);
            tail.copy_from_slice(&count.to_be_bytes());
        } else {
            self.next = u128::from_be_bytes(self.next).wrapping_add(1).to_be_bytes();
        }
    }

    fn apply(&mut self, bytes: &mut [u8]) {
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

/// The key stream of a register that what was enciphered goes back into.
struct Feedback {
    aes: Aes,
    mode: Mode,
    register: [u8; BLOCK_BYTES],
    /// How many bytes of the register are used up.
    used: usize,
}

impl Feedback {
    fn apply(&mut self, is_encrypting: bool, bytes: &mut [u8]) {
        for byte in bytes {
            let before = *byte;
            if self.mode == Mode::Cfb8 {
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
            if self.mode == Mode::Cfb {
                self.register[self.used] = if is_encrypting { *byte } else { before };
            }
            self.used += 1;
        }
    }
}

/// RFC 3394, either way: six times over all halves of blocks, with a counter in the integrity check.
fn wrapped(aes: &Aes, check: u64, is_wrapping: bool, data: &[u8]) -> Result<Vec<u8>, Trouble> {
    let least_bytes = if is_wrapping { 16 } else { 24 };
    if !data.len().is_multiple_of(8) || data.len() < least_bytes {
        return Err(Trouble::State);
    }
    let word = |half: &[u8]| half.iter().fold(0, |word: u64, &byte| word << 8 | u64::from(byte));
    let mut halves: Vec<u64> = data.chunks_exact(8).map(word).collect();
    let mut register = if is_wrapping { check } else { halves.remove(0) };
    let count = halves.len();
    for turn in 0..6 * count {
        let step = if is_wrapping { turn } else { 6 * count - 1 - turn };
        let (at, number) = (step % count, step as u64 + 1);
        let input = if is_wrapping { register } else { register ^ number };
        let mut block = [Block::from((u128::from(input) << 64 | u128::from(halves[at])).to_be_bytes())];
        if is_wrapping {
            aes.encrypt(&mut block);
        } else {
            aes.decrypt(&mut block);
        }
        let turned = u128::from_be_bytes(block[0].into());
        register = (turned >> 64) as u64 ^ if is_wrapping { number } else { 0 };
        halves[at] = turned as u64;
    }
    if is_wrapping {
        halves.insert(0, register);
    } else if register != check {
        return Err(Trouble::Unauthentic);
    }
    Ok(halves.iter().flat_map(|half| half.to_be_bytes()).collect())
}

/// A universal hash that takes bytes as they come.
struct Padded<H> {
    hash: H,
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

    /// Fills the block that has begun with zeros.
    fn pad(&mut self) {
        self.hash.update_padded(&self.partial);
        self.partial.clear();
    }
}

/// The two hashes of the two authenticated ciphers.
enum Seal {
    Ghash(Padded<GHash>, [u8; BLOCK_BYTES]),
    Poly(Box<Padded<Poly1305>>),
}

impl Seal {
    fn update(&mut self, bytes: &[u8]) {
        match self {
            Seal::Ghash(hash, _) => hash.update(bytes),
            Seal::Poly(hash) => hash.update(bytes),
        }
    }

    fn pad(&mut self) {
        match self {
            Seal::Ghash(hash, _) => hash.pad(),
            Seal::Poly(hash) => hash.pad(),
        }
    }

    fn finish(self, aad_bytes: u64, data_bytes: u64) -> [u8; TAG_BYTES] {
        let mut lengths = [0; BLOCK_BYTES];
        match self {
            Seal::Ghash(mut hash, mask) => {
                lengths[..8].copy_from_slice(&aad_bytes.wrapping_mul(8).to_be_bytes());
                lengths[8..].copy_from_slice(&data_bytes.wrapping_mul(8).to_be_bytes());
                hash.update(&lengths);
                let mut tag: [u8; TAG_BYTES] = hash.hash.finalize().into();
                tag.iter_mut().zip(mask).for_each(|(byte, mask)| *byte ^= mask);
                tag
            }
            Seal::Poly(mut hash) => {
                lengths[..8].copy_from_slice(&aad_bytes.to_le_bytes());
                lengths[8..].copy_from_slice(&data_bytes.to_le_bytes());
                hash.update(&lengths);
                hash.hash.finalize().into()
            }
        }
    }
}

enum Engine {
    Blocks { aes: Box<Aes>, chain: Option<[u8; BLOCK_BYTES]> },
    SmallBlocks { des: Box<TdesEde3>, chain: Option<[u8; SMALL_BYTES]> },
    Feedback(Box<Feedback>),
    Wrap { aes: Box<Aes>, check: u64 },
    Counter(Box<Counter>),
    ChaCha(Box<ChaCha20>),
}

/// What an authenticated cipher knows beside its engine.
struct Sealed {
    /// None once it is finished.
    seal: Option<Seal>,
    aad_bytes: u64,
    data_bytes: u64,
    /// How long the tag is to be, if somebody said so.
    length_bytes: Option<usize>,
    /// What was made, or is expected.
    tag: Option<Vec<u8>>,
}

/// A cipher under way.
pub(super) struct Cipher {
    engine: Engine,
    mode: Mode,
    is_encrypting: bool,
    is_padding: bool,
    is_finished: bool,
    /// Bytes that are no block yet; in decryption also the last block, which may be padding.
    held: Vec<u8>,
    sealed: Option<Sealed>,
}

/// Whether GCM has tags of this length, or Poly1305 parts of it.
fn is_tag_length(mode: Mode, length_bytes: usize) -> bool {
    match mode {
        Mode::Gcm => matches!(length_bytes, 4 | 8 | 12..=16),
        _ => (1..=TAG_BYTES).contains(&length_bytes),
    }
}

impl Cipher {
    /// As Node, the vector is looked at before the key.
    pub(super) fn new(
        mode: Mode,
        key_bytes: usize,
        is_encrypting: bool,
        key: &[u8],
        iv: &[u8],
        tag_bytes: Option<usize>,
    ) -> Result<Cipher, Trouble> {
        let is_iv = match mode {
            Mode::Ecb | Mode::DesEcb => iv.is_empty(),
            Mode::Cbc | Mode::Ctr | Mode::Cfb | Mode::Cfb8 | Mode::Ofb => iv.len() == BLOCK_BYTES,
            Mode::DesCbc | Mode::Wrap => iv.len() == SMALL_BYTES,
            Mode::Gcm => !iv.is_empty(),
            Mode::Stream => iv.len() == 12,
        };
        if !is_iv {
            return Err(Trouble::Iv);
        }
        let is_authenticated = matches!(mode, Mode::Gcm | Mode::Stream);
        if is_authenticated && tag_bytes.is_some_and(|length| !is_tag_length(mode, length)) {
            return Err(Trouble::TagLength);
        }
        if key.len() != key_bytes {
            return Err(Trouble::KeyLength);
        }
        let (engine, seal) = if mode == Mode::Stream {
            let mut stream = ChaCha20::new_from_slices(key, iv).map_err(|_| Trouble::Iv)?;
            let mut first = [0; 64];
            stream.apply_keystream(&mut first);
            let seal = Poly1305::new_from_slice(&first[..32]).map_err(|_| Trouble::KeyLength)?;
            (Engine::ChaCha(Box::new(stream)), Some(Seal::Poly(Box::new(Padded::new(seal)))))
        } else if matches!(mode, Mode::DesEcb | Mode::DesCbc) {
            let des = TdesEde3::new_from_slice(key).map_err(|_| Trouble::KeyLength)?;
            (Engine::SmallBlocks { des: Box::new(des), chain: iv.try_into().ok() }, None)
        } else {
            let aes = Aes::new(key).ok_or(Trouble::KeyLength)?;
            match (mode, <[u8; BLOCK_BYTES]>::try_from(iv)) {
                (Mode::Ecb, _) => (Engine::Blocks { aes: Box::new(aes), chain: None }, None),
                (Mode::Cbc, Ok(iv)) => (Engine::Blocks { aes: Box::new(aes), chain: Some(iv) }, None),
                (Mode::Ctr, Ok(iv)) => (Engine::Counter(Box::new(Counter::new(aes, iv, false))), None),
                (Mode::Cfb | Mode::Cfb8 | Mode::Ofb, Ok(register)) => {
                    (Engine::Feedback(Box::new(Feedback { aes, mode, register, used: BLOCK_BYTES })), None)
                }
                (Mode::Wrap, _) => {
                    let check = u64::from_be_bytes(iv.try_into().map_err(|_| Trouble::Iv)?);
                    (Engine::Wrap { aes: Box::new(aes), check }, None)
                }
                _ => gcm(aes, iv)?,
            }
        };
        let sealed = seal.map(|seal| Sealed {
            seal: Some(seal),
            aad_bytes: 0,
            data_bytes: 0,
            length_bytes: tag_bytes.or((mode == Mode::Stream).then_some(TAG_BYTES)),
            tag: None,
        });
        let held = Vec::new();
        Ok(Cipher { engine, mode, is_encrypting, is_padding: true, is_finished: false, held, sealed })
    }

    /// Data that is authenticated and not enciphered; before all other data.
    pub(super) fn set_aad(&mut self, bytes: &[u8]) -> Result<(), Trouble> {
        let is_finished = self.is_finished;
        let sealed =
            self.sealed.as_mut().filter(|sealed| !is_finished && sealed.data_bytes == 0).ok_or(Trouble::State)?;
        sealed.aad_bytes += bytes.len() as u64;
        sealed.seal.as_mut().ok_or(Trouble::State)?.update(bytes);
        Ok(())
    }

    /// The tag that the data is to have.
    pub(super) fn set_tag(&mut self, tag: &[u8]) -> Result<(), Trouble> {
        let (mode, is_finished) = (self.mode, self.is_finished);
        let sealed =
            self.sealed.as_mut().filter(|sealed| !is_finished && sealed.tag.is_none()).ok_or(Trouble::State)?;
        let is_right = match sealed.length_bytes {
            Some(length) => tag.len() == length,
            None => is_tag_length(mode, tag.len()),
        };
        if !is_right {
            return Err(Trouble::TagLength);
        }
        sealed.tag = Some(tag.to_vec());
        Ok(())
    }

    /// The tag that was made.
    pub(super) fn tag(&self) -> Result<Vec<u8>, Trouble> {
        let sealed = self.sealed.as_ref().filter(|_| self.is_finished && self.is_encrypting);
        sealed.and_then(|sealed| sealed.tag.clone()).ok_or(Trouble::State)
    }

    pub(super) fn set_padding(&mut self, is_padding: bool) -> Result<(), Trouble> {
        if self.is_finished {
            return Err(Trouble::State);
        }
        self.is_padding = is_padding;
        Ok(())
    }

    pub(super) fn update(&mut self, bytes: &[u8]) -> Result<Vec<u8>, Trouble> {
        if self.is_finished {
            return Err(Trouble::State);
        }
        if let Some(sealed) = &mut self.sealed {
            let seal = sealed.seal.as_mut().ok_or(Trouble::State)?;
            if sealed.data_bytes == 0 {
                seal.pad();
            }
            sealed.data_bytes += bytes.len() as u64;
            if !self.is_encrypting {
                seal.update(bytes);
            }
        }
        let output = match &mut self.engine {
            Engine::Counter(counter) => {
                let mut output = bytes.to_vec();
                counter.apply(&mut output);
                output
            }
            Engine::ChaCha(stream) => {
                let mut output = bytes.to_vec();
                stream.try_apply_keystream(&mut output).map_err(|_| Trouble::State)?;
                output
            }
            Engine::Feedback(feedback) => {
                let mut output = bytes.to_vec();
                feedback.apply(self.is_encrypting, &mut output);
                output
            }
            Engine::Wrap { aes, check } => wrapped(aes, *check, self.is_encrypting, bytes)?,
            Engine::Blocks { .. } | Engine::SmallBlocks { .. } => return Ok(self.update_blocks(bytes)),
        };
        if let (true, Some(seal)) = (self.is_encrypting, self.sealed.as_mut().and_then(|sealed| sealed.seal.as_mut())) {
            seal.update(&output);
        }
        Ok(output)
    }

    fn block_bytes(&self) -> usize {
        if matches!(self.engine, Engine::SmallBlocks { .. }) { SMALL_BYTES } else { BLOCK_BYTES }
    }

    fn update_blocks(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(bytes);
        let mut whole = self.held.len() - self.held.len() % self.block_bytes();
        if !self.is_encrypting && self.is_padding && whole == self.held.len() {
            whole = whole.saturating_sub(self.block_bytes());
        }
        let rest = self.held.split_off(whole);
        let output = std::mem::replace(&mut self.held, rest);
        self.run(output)
    }

    /// Whole blocks, one way or the other.
    fn run(&mut self, bytes: Vec<u8>) -> Vec<u8> {
        let (aes, chain) = match &mut self.engine {
            Engine::Blocks { aes, chain } => (aes, chain),
            Engine::SmallBlocks { des, chain } => return run_small(des, chain, self.is_encrypting, bytes),
            _ => return bytes,
        };
        let mut blocks: Vec<Block> = bytes.chunks_exact(BLOCK_BYTES).map(Block::clone_from_slice).collect();
        match (chain, self.is_encrypting) {
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

    pub(super) fn finish(&mut self) -> Result<Vec<u8>, Trouble> {
        if self.is_finished {
            return Err(Trouble::State);
        }
        self.is_finished = true;
        if let Some(sealed) = &mut self.sealed {
            return sealed.finish(self.is_encrypting).map(|()| Vec::new());
        }
        if !matches!(self.engine, Engine::Blocks { .. } | Engine::SmallBlocks { .. }) {
            return Ok(Vec::new());
        }
        let block_bytes = self.block_bytes();
        let mut held = std::mem::take(&mut self.held);
        if self.is_encrypting && self.is_padding {
            let missing = block_bytes - held.len();
            held.resize(block_bytes, missing as u8);
            return Ok(self.run(held));
        }
        if held.is_empty() && !self.is_padding {
            return Ok(held);
        }
        if held.len() != block_bytes {
            return Err(Trouble::WrongFinalBlockLength);
        }
        unpadded(self.run(held))
    }
}

/// Whole blocks of DES, one way or the other.
fn run_small(
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

/// The last block without its padding.
fn unpadded(mut block: Vec<u8>) -> Result<Vec<u8>, Trouble> {
    let count = usize::from(block.last().copied().unwrap_or(0));
    let start = block.len().checked_sub(count).filter(|_| count > 0).ok_or(Trouble::BadDecrypt)?;
    if block[start..].iter().any(|&byte| usize::from(byte) != count) {
        return Err(Trouble::BadDecrypt);
    }
    block.truncate(start);
    Ok(block)
}

fn gcm(aes: Aes, iv: &[u8]) -> Result<(Engine, Option<Seal>), Trouble> {
    let key = aes.encrypt_one([0; BLOCK_BYTES]);
    let hash = || GHash::new_from_slice(&key).map_err(|_| Trouble::KeyLength);
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
    let seal = Seal::Ghash(Padded::new(hash()?), mask);
    let mut counter = Counter::new(aes, first, true);
    counter.step();
    Ok((Engine::Counter(Box::new(counter)), Some(seal)))
}

impl Sealed {
    fn finish(&mut self, is_encrypting: bool) -> Result<(), Trouble> {
        let mut seal = self.seal.take().ok_or(Trouble::State)?;
        seal.pad();
        let made = seal.finish(self.aad_bytes, self.data_bytes);
        if is_encrypting {
            self.tag = Some(made[..self.length_bytes.unwrap_or(TAG_BYTES)].to_vec());
            return Ok(());
        }
        let expected = self.tag.as_deref().ok_or(Trouble::Unauthentic)?;
        let is_same: bool = made[..expected.len()].ct_eq(expected).into();
        if is_same { Ok(()) } else { Err(Trouble::Unauthentic) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(hex: &str) -> Vec<u8> {
        let mut output = vec![0; hex.len() / 2];
        faster_hex::hex_decode(hex.as_bytes(), &mut output).expect("hex");
        output
    }

    #[test]
    fn gcm_is_as_its_authors_say() {
        // Test case 4 of the submission to NIST.
        let key = bytes("feffe9928665731c6d6a8f9467308308");
        let iv = bytes("cafebabefacedbaddecaf888");
        let text = bytes(
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525\
             b16aedf5aa0de657ba637b39",
        );
        let aad = bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2");
        let mut cipher = Cipher::new(Mode::Gcm, 16, true, &key, &iv, None).expect("a cipher");
        cipher.set_aad(&aad).expect("aad");
        let mut sealed = Vec::new();
        for chunk in text.chunks(7) {
            sealed.extend(cipher.update(chunk).expect("data"));
        }
        cipher.finish().expect("the end");
        assert_eq!(sealed[..8], bytes("42831ec221777424"));
        assert_eq!(cipher.tag(), Ok(bytes("5bc94fbc3221a5db94fae95ae7121a47")));
    }

    #[test]
    fn what_was_changed_is_refused() {
        for (mode, key) in [(Mode::Gcm, 32), (Mode::Stream, 32)] {
            let mut cipher = Cipher::new(mode, key, true, &[1; 32], &[2; 12], None).expect("a cipher");
            let mut sealed = cipher.update(b"some text").expect("data");
            cipher.finish().expect("the end");
            sealed[0] ^= 1;
            let mut back = Cipher::new(mode, key, false, &[1; 32], &[2; 12], None).expect("a cipher");
            back.set_tag(&cipher.tag().expect("a tag")).expect("its length");
            back.update(&sealed).expect("data");
            assert_eq!(back.finish(), Err(Trouble::Unauthentic));
        }
    }

    #[test]
    fn keys_are_wrapped_as_the_rfc_says() {
        // RFC 3394, 4.1.
        let key: Vec<u8> = (0..16).collect();
        let data: Vec<u8> = (0..16).map(|at: u8| at * 0x11).collect();
        let run = |is_encrypting, data: &[u8]| {
            Cipher::new(Mode::Wrap, 16, is_encrypting, &key, &[0xA6; 8], None).expect("a cipher").update(data)
        };
        let mut wrapped = run(true, &data).expect("wrapped");
        assert_eq!(faster_hex::hex_string(&wrapped), "1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5");
        assert_eq!(run(false, &wrapped), Ok(data));
        wrapped[3] ^= 1;
        assert_eq!(run(false, &wrapped), Err(Trouble::Unauthentic));
        assert_eq!(run(true, &[0; 15]), Err(Trouble::State));
    }

    #[test]
    fn padding_goes_on_and_comes_off() {
        let modes =
            [(Mode::Cbc, 16), (Mode::DesCbc, 8), (Mode::DesEcb, 0), (Mode::Cfb, 16), (Mode::Cfb8, 16), (Mode::Ofb, 16)];
        for (length, (mode, iv_bytes)) in (0..50).flat_map(|length| modes.map(|mode| (length, mode))) {
            let iv = vec![2; iv_bytes];
            let text = vec![7; length];
            let mut cipher = Cipher::new(mode, 24, true, &[1; 24], &iv, None).expect("a cipher");
            let mut sealed = cipher.update(&text).expect("data");
            sealed.extend(cipher.finish().expect("the end"));
            let mut back = Cipher::new(mode, 24, false, &[1; 24], &iv, None).expect("a cipher");
            let mut plain = Vec::new();
            for chunk in sealed.chunks(5) {
                plain.extend(back.update(chunk).expect("data"));
            }
            plain.extend(back.finish().expect("the end"));
            assert_eq!(plain, text);
        }
    }
}
