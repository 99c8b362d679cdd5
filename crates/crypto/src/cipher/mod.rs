//! Ciphers as streams of chunks: mode, key and IV checks, the state machine, and the authentication tag. The modes themselves are the other
//! files of this folder.
//!
//! As in OpenSSL, the tag is checked at the end: except for CCM, decrypted data has already been returned by then.

mod aes;
mod blocks;
mod ccm;
mod keystream;
mod ocb;
mod stream_aead;
mod wrap;
mod xts;

use des::TdesEde3;
use des::cipher::KeyInit;
use subtle::ConstantTimeEq;

use self::aes::{Aes, BLOCK_BYTES};
use self::blocks::{Blocks, SMALL_BYTES};
use self::ccm::Ccm;
use self::keystream::{Counter, Feedback, FeedbackMode, Keystream, OneBlock};
use self::ocb::Ocb;
use self::stream_aead::StreamAead;
use self::wrap::Wrap;
use self::xts::Xts;

/// The longest and default tag length.
const TAG_BYTES: usize = 16;

/// The mode of operation. The block cipher is AES unless the name says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Electronic codebook.
    Ecb,
    /// Cipher block chaining.
    Cbc,
    /// Counter mode.
    Ctr,
    /// Galois/counter mode (NIST SP 800-38D).
    Gcm,
    /// Counter with CBC-MAC (RFC 3610).
    Ccm,
    /// Offset codebook (RFC 7253).
    Ocb,
    /// Cipher feedback, 128 bits.
    Cfb,
    /// CFB by bytes.
    Cfb8,
    /// CFB by bits.
    Cfb1,
    /// Output feedback.
    Ofb,
    /// XTS; each update is one sector.
    Xts,
    /// Key wrap (RFC 3394); all data in one update.
    Wrap,
    /// Key wrap with padding (RFC 5649); all data in one update.
    WrapPad,
    /// Triple DES with two or three keys.
    DesEcb,
    /// Triple DES, cipher block chaining.
    DesCbc,
    /// Triple DES, cipher feedback of 64 bits.
    DesCfb,
    /// Triple DES, cipher feedback of 8 bits.
    DesCfb8,
    /// Triple DES, cipher feedback of 1 bit.
    DesCfb1,
    /// Triple DES, output feedback.
    DesOfb,
    /// Triple DES key wrap (RFC 3217).
    DesWrap,
    /// ChaCha20, with a 16-byte counter and nonce as in OpenSSL.
    ChaCha,
    /// ChaCha20-Poly1305 (RFC 8439).
    ChaChaPoly,
}

impl Mode {
    /// Finds a mode by the name that JavaScript uses.
    pub fn of(word: &str) -> Option<Mode> {
        Some(match word {
            "ecb" => Mode::Ecb,
            "cbc" => Mode::Cbc,
            "ctr" => Mode::Ctr,
            "gcm" => Mode::Gcm,
            "ccm" => Mode::Ccm,
            "ocb" => Mode::Ocb,
            "cfb" => Mode::Cfb,
            "cfb8" => Mode::Cfb8,
            "cfb1" => Mode::Cfb1,
            "ofb" => Mode::Ofb,
            "xts" => Mode::Xts,
            "wrap" => Mode::Wrap,
            "wrap-pad" => Mode::WrapPad,
            "des-ecb" => Mode::DesEcb,
            "des-cbc" => Mode::DesCbc,
            "des-cfb" => Mode::DesCfb,
            "des-cfb8" => Mode::DesCfb8,
            "des-cfb1" => Mode::DesCfb1,
            "des-ofb" => Mode::DesOfb,
            "des-wrap" => Mode::DesWrap,
            "chacha" => Mode::ChaCha,
            "chacha-poly" => Mode::ChaChaPoly,
            _ => return None,
        })
    }

    fn is_iv_length(self, length_bytes: usize) -> bool {
        match self {
            Mode::Ecb | Mode::DesEcb | Mode::DesWrap => length_bytes == 0,
            Mode::Cbc | Mode::Ctr | Mode::Cfb | Mode::Cfb8 | Mode::Cfb1 | Mode::Ofb | Mode::Xts | Mode::ChaCha => {
                length_bytes == BLOCK_BYTES
            }
            Mode::DesCbc | Mode::DesCfb | Mode::DesCfb8 | Mode::DesCfb1 | Mode::DesOfb | Mode::Wrap => {
                length_bytes == SMALL_BYTES
            }
            Mode::WrapPad => length_bytes == 4,
            // OpenSSL's limit: 1024 bits.
            Mode::Gcm => (1..=128).contains(&length_bytes),
            Mode::Ccm => (7..=13).contains(&length_bytes),
            Mode::Ocb => (1..=15).contains(&length_bytes),
            Mode::ChaChaPoly => length_bytes == 12,
        }
    }

    /// Validates the requested tag length of an authenticated mode. `Ok(None)` if the length is unset and the tag passed later determines
    /// it.
    fn tag_length(self, asked: Option<usize>) -> Result<Option<usize>, CipherError> {
        let is_fit = |length: usize| match self {
            Mode::Gcm => matches!(length, 4 | 8 | 12..=TAG_BYTES),
            Mode::Ccm => matches!(length, 4 | 6 | 8 | 10 | 12 | 14 | TAG_BYTES),
            Mode::Ocb => length <= TAG_BYTES,
            Mode::ChaChaPoly => (1..=TAG_BYTES).contains(&length),
            _ => true,
        };
        match asked {
            None if matches!(self, Mode::Ccm | Mode::Ocb) => Err(CipherError::MissingTagLength),
            None if self == Mode::ChaChaPoly => Ok(Some(TAG_BYTES)),
            Some(length) if !is_fit(length) => Err(CipherError::TagLength),
            _ => Ok(asked),
        }
    }
}

/// Why a cipher operation failed. JavaScript maps the names to Node's errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CipherError {
    /// The key has another length.
    KeyLength,
    /// Both halves of an XTS key are equal.
    SameHalves,
    /// The initialization vector is not of a possible length.
    Iv,
    /// The tag is not of a possible length.
    TagLength,
    /// The mode requires a tag length and none was given.
    MissingTagLength,
    /// The mode requires the data length and none was given.
    MissingDataLength,
    /// The data is longer than the mode allows.
    MessageLength,
    /// The call is invalid in the current state.
    InvalidState,
    /// The data ends within a block.
    WrongFinalBlockLength,
    /// The padding of the last block is wrong.
    BadDecrypt,
    /// The tag is missing or wrong.
    Unauthentic,
}

impl CipherError {
    /// OpenSSL's name of the error.
    pub fn name(self) -> &'static str {
        match self {
            CipherError::KeyLength => "keyLength",
            CipherError::SameHalves => "sameHalves",
            CipherError::Iv => "iv",
            CipherError::TagLength => "tagLength",
            CipherError::MissingTagLength => "tagUnsaid",
            CipherError::MissingDataLength => "textLength",
            CipherError::MessageLength => "messageLength",
            CipherError::InvalidState => "state",
            CipherError::WrongFinalBlockLength => "finalLength",
            CipherError::BadDecrypt => "badDecrypt",
            CipherError::Unauthentic => "unauthentic",
        }
    }
}

/// A mode with an authentication tag.
trait Authenticated: Send {
    /// Adds AAD; only before other data. `text_bytes` is the length of the data that will follow.
    fn add(&mut self, aad: &[u8], text_bytes: Option<usize>) -> Result<(), CipherError>;

    /// `tag` is the expected tag, if it is known already.
    fn update(&mut self, bytes: &[u8], tag: Option<&[u8]>) -> Result<Vec<u8>, CipherError>;

    /// The remaining output, and the tag; no tag if the mode has compared it already.
    fn finish(&mut self) -> Result<(Vec<u8>, Option<[u8; TAG_BYTES]>), CipherError>;
}

enum Engine {
    Blocks(Blocks),
    Keystream(Keystream),
    Wrap(Box<Wrap>),
    Xts(Box<Xts>),
    Authenticated(Box<dyn Authenticated>),
}

/// The state of a streaming cipher.
pub struct Cipher {
    engine: Engine,
    mode: Mode,
    is_encrypting: bool,
    is_finished: bool,
    /// The requested tag length, if any.
    tag_bytes: Option<usize>,
    /// The computed tag when encrypting, the expected tag when decrypting.
    tag: Option<Vec<u8>>,
}

impl Cipher {
    /// As `src/crypto/crypto_cipher.cc: CipherBase::InitIv`, the IV is validated before the key.
    pub fn new(
        mode: Mode,
        key_bytes: usize,
        is_encrypting: bool,
        key: &[u8],
        iv: &[u8],
        tag_bytes: Option<usize>,
    ) -> Result<Cipher, CipherError> {
        if !mode.is_iv_length(iv.len()) {
            return Err(CipherError::Iv);
        }
        let tag_bytes = mode.tag_length(tag_bytes)?;
        if key.len() != key_bytes {
            return Err(CipherError::KeyLength);
        }
        let engine = Engine::new(mode, is_encrypting, key, iv, tag_bytes.unwrap_or(TAG_BYTES))?;
        Ok(Cipher { engine, mode, is_encrypting, is_finished: false, tag_bytes, tag: None })
    }

    fn authenticated(&mut self) -> Result<&mut Box<dyn Authenticated>, CipherError> {
        match &mut self.engine {
            Engine::Authenticated(engine) if !self.is_finished => Ok(engine),
            _ => Err(CipherError::InvalidState),
        }
    }

    /// Adds AAD; only before other data. `text_bytes` is the length of the data that will follow.
    pub fn set_aad(&mut self, bytes: &[u8], text_bytes: Option<usize>) -> Result<(), CipherError> {
        self.authenticated()?.add(bytes, text_bytes)
    }

    /// Sets the expected tag.
    pub fn set_tag(&mut self, tag: &[u8]) -> Result<(), CipherError> {
        self.authenticated()?;
        if self.tag.is_some() {
            return Err(CipherError::InvalidState);
        }
        if self.tag_bytes.is_some_and(|length| tag.len() != length) {
            return Err(CipherError::TagLength);
        }
        self.mode.tag_length(Some(tag.len()))?;
        self.tag = Some(tag.to_vec());
        Ok(())
    }

    /// The computed tag; only after the end of an encryption.
    pub fn tag(&self) -> Result<Vec<u8>, CipherError> {
        let made = self.tag.clone().filter(|_| self.is_finished && self.is_encrypting);
        made.ok_or(CipherError::InvalidState)
    }

    /// Switches the padding of the last block.
    pub fn set_padding(&mut self, is_padding: bool) -> Result<(), CipherError> {
        if self.is_finished {
            return Err(CipherError::InvalidState);
        }
        if let Engine::Blocks(blocks) = &mut self.engine {
            blocks.is_padding = is_padding;
        }
        Ok(())
    }

    /// Processes bytes and returns what is complete.
    pub fn update(&mut self, bytes: &[u8]) -> Result<Vec<u8>, CipherError> {
        if self.is_finished {
            return Err(CipherError::InvalidState);
        }
        match &mut self.engine {
            Engine::Blocks(blocks) => Ok(blocks.update(bytes)),
            Engine::Keystream(stream) => stream.update(self.is_encrypting, bytes),
            Engine::Wrap(wrap) => wrap.update(self.is_encrypting, bytes),
            Engine::Xts(xts) => xts.update(self.is_encrypting, bytes),
            Engine::Authenticated(engine) => engine.update(bytes, self.tag.as_deref()),
        }
    }

    /// Processes the rest.
    pub fn finish(&mut self) -> Result<Vec<u8>, CipherError> {
        if self.is_finished {
            return Err(CipherError::InvalidState);
        }
        self.is_finished = true;
        let (rest, made) = match &mut self.engine {
            Engine::Blocks(blocks) => return blocks.finish(),
            Engine::Keystream(_) | Engine::Wrap(_) | Engine::Xts(_) => return Ok(Vec::new()),
            Engine::Authenticated(engine) => engine.finish()?,
        };
        match made {
            Some(made) if self.is_encrypting => {
                self.tag = Some(made[..self.tag_bytes.unwrap_or(TAG_BYTES)].to_vec());
                Ok(rest)
            }
            Some(made) => {
                let expected = self.tag.as_deref().ok_or(CipherError::Unauthentic)?;
                let is_same: bool = made[..expected.len()].ct_eq(expected).into();
                if is_same { Ok(rest) } else { Err(CipherError::Unauthentic) }
            }
            None => Ok(rest),
        }
    }
}

impl Engine {
    /// The lengths of key and IV are valid.
    fn new(mode: Mode, is_encrypting: bool, key: &[u8], iv: &[u8], tag_bytes: usize) -> Result<Engine, CipherError> {
        let aes = || Aes::new(key).ok_or(CipherError::KeyLength);
        // Two-key triple DES uses the first key again as the third.
        let three = if key.len() == 2 * SMALL_BYTES { &[key, &key[..SMALL_BYTES]].concat() } else { key };
        let des = || TdesEde3::new_from_slice(three).map(Box::new).map_err(|_| CipherError::KeyLength);
        let block = || <[u8; BLOCK_BYTES]>::try_from(iv).map_err(|_| CipherError::Iv);
        let blocks = |engine| Engine::Blocks(Blocks::new(engine, is_encrypting));
        let feedback =
            |cipher: Box<dyn OneBlock>, back| Engine::Keystream(Keystream::Feedback(Feedback::new(cipher, back, iv)));
        let number = iv.iter().fold(0, |number: u64, &byte| number << 8 | u64::from(byte));
        Ok(match mode {
            Mode::Ecb => blocks(blocks::Engine::Aes { aes: Box::new(aes()?), chain: None }),
            Mode::Cbc => blocks(blocks::Engine::Aes { aes: Box::new(aes()?), chain: Some(block()?) }),
            Mode::DesEcb | Mode::DesCbc => blocks(blocks::Engine::Des { des: des()?, chain: iv.try_into().ok() }),
            Mode::Ctr => Engine::Keystream(Keystream::Counter(Box::new(Counter::new(aes()?, block()?, false)))),
            Mode::Cfb => feedback(Box::new(aes()?), FeedbackMode::Cfb),
            Mode::Cfb8 => feedback(Box::new(aes()?), FeedbackMode::Cfb8),
            Mode::Cfb1 => feedback(Box::new(aes()?), FeedbackMode::Cfb1),
            Mode::Ofb => feedback(Box::new(aes()?), FeedbackMode::Ofb),
            Mode::DesCfb => feedback(des()?, FeedbackMode::Cfb),
            Mode::DesCfb8 => feedback(des()?, FeedbackMode::Cfb8),
            Mode::DesCfb1 => feedback(des()?, FeedbackMode::Cfb1),
            Mode::DesOfb => feedback(des()?, FeedbackMode::Ofb),
            Mode::Xts => Engine::Xts(Box::new(Xts::new(key, block()?, is_encrypting)?)),
            Mode::ChaCha => Engine::Keystream(Keystream::chacha(key, &block()?).ok_or(CipherError::KeyLength)?),
            Mode::Wrap => Engine::Wrap(Box::new(Wrap::Plain { aes: aes()?, check: number })),
            Mode::WrapPad => Engine::Wrap(Box::new(Wrap::Padded { aes: aes()?, check: number as u32 })),
            Mode::DesWrap => Engine::Wrap(Box::new(Wrap::Des(des()?))),
            Mode::Gcm => Engine::Authenticated(Box::new(StreamAead::gcm(aes()?, iv, is_encrypting)?)),
            Mode::ChaChaPoly => Engine::Authenticated(Box::new(StreamAead::chacha(key, iv, is_encrypting)?)),
            Mode::Ccm => Engine::Authenticated(Box::new(Ccm::new(aes()?, iv, tag_bytes, is_encrypting))),
            Mode::Ocb => Engine::Authenticated(Box::new(Ocb::new(aes()?, iv, tag_bytes, is_encrypting))),
        })
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

    /// The encrypted data followed by the tag, encrypted in updates of `piece` bytes.
    fn sealed(mode: Mode, key: &[u8], iv: &[u8], tag_bytes: usize, aad: &[u8], text: &[u8], piece: usize) -> Vec<u8> {
        let mut cipher = Cipher::new(mode, key.len(), true, key, iv, Some(tag_bytes)).expect("a cipher");
        cipher.set_aad(aad, Some(text.len())).expect("aad");
        let mut output = Vec::new();
        for chunk in text.chunks(piece) {
            output.extend(cipher.update(chunk).expect("data"));
        }
        output.extend(cipher.finish().expect("the end"));
        output.extend(cipher.tag().expect("a tag"));
        output
    }

    #[test]
    fn gcm_matches_the_published_vector() {
        // McGrew and Viega, "The Galois/Counter Mode of Operation" (submission to NIST), test case 4.
        let text = bytes(
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525\
             b16aedf5aa0de657ba637b39",
        );
        let (key, iv) = (bytes("feffe9928665731c6d6a8f9467308308"), bytes("cafebabefacedbaddecaf888"));
        let aad = bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2");
        let sealed = sealed(Mode::Gcm, &key, &iv, 16, &aad, &text, 7);
        assert_eq!(sealed[..8], bytes("42831ec221777424"));
        assert_eq!(sealed[text.len()..], bytes("5bc94fbc3221a5db94fae95ae7121a47"));
    }

    #[test]
    fn ccm_matches_the_rfc_vector() {
        // RFC 3610 section 8, packet vector 1.
        let key: Vec<u8> = (0xC0..0xD0).collect();
        let (aad, text): (Vec<u8>, Vec<u8>) = ((0..8).collect(), (8..0x1F).collect());
        let sealed = sealed(Mode::Ccm, &key, &bytes("00000003020100a0a1a2a3a4a5"), 8, &aad, &text, 100);
        assert_eq!(sealed, bytes("588c979a61c663d2f066d0c2c0f989806d5f6b61dac38417e8d12cfdf926e0"));
    }

    #[test]
    fn ocb_matches_the_rfc_vectors() {
        // RFC 7253, appendix A.
        let key: Vec<u8> = (0..16).collect();
        let data: Vec<u8> = (0..40).collect();
        let nonce = |last: u8| [&bytes("bbaa99887766554433221100")[..11], &[last]].concat();
        for piece in [1, 7, 16, 40] {
            assert_eq!(
                sealed(Mode::Ocb, &key, &nonce(1), 16, &data[..8], &data[..8], piece),
                bytes("6820b3657b6f615a5725bda0d3b4eb3a257c9af1f8f03009")
            );
            assert_eq!(
                sealed(Mode::Ocb, &key, &nonce(0x0D), 16, &data, &data, piece),
                bytes(
                    "d5ca91748410c1751ff8a2f618255b68a0a12e093ff454606e59f9c1d0ddc54b65e8628e568bad7aed07ba06a4a69483\
                     a7035490c5769e60"
                )
            );
        }
    }

    #[test]
    fn modified_data_fails_authentication() {
        for (mode, iv_bytes) in [(Mode::Gcm, 12), (Mode::ChaChaPoly, 12), (Mode::Ccm, 7), (Mode::Ocb, 15)] {
            let iv = vec![2; iv_bytes];
            let mut sealed = sealed(mode, &[1; 32], &iv, 16, b"more", b"some text", 100);
            for is_changed in [false, true] {
                sealed[0] ^= u8::from(is_changed);
                let (data, tag) = sealed.split_at(9);
                let mut back = Cipher::new(mode, 32, false, &[1; 32], &iv, Some(16)).expect("a cipher");
                back.set_tag(tag).expect("its length");
                back.set_aad(b"more", Some(9)).expect("aad");
                let text = back.update(data).expect("data");
                let end = back.finish();
                if is_changed {
                    assert_eq!(end, Err(CipherError::Unauthentic), "{mode:?}");
                } else {
                    assert_eq!([text, end.expect("the end")].concat(), b"some text", "{mode:?}");
                }
            }
        }
    }

    #[test]
    fn padding_is_added_and_removed() {
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
