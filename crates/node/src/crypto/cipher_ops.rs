//! Native functions for ciphers. A streaming cipher is a closure `(operation, value, number)`. One-shot data can run on the thread pool,
//! which Web Crypto needs.

use std::cell::RefCell;

use phasor_engine::{Bytes, Fallible, FromJs, Local, Object, Scope, Value};

use super::{OpOutput, error_name, output_value, run, streaming, with_data};
use phasor_crypto::cipher::{Cipher, CipherError, Mode};

/// Operations of a streaming cipher: the first argument of its closure.
const CIPHER_UPDATE: i32 = 0;
const CIPHER_FINAL: i32 = 1;
const CIPHER_AAD: i32 = 2;
const CIPHER_SET_TAG: i32 = 3;
const CIPHER_GET_TAG: i32 = 4;
const CIPHER_PADDING: i32 = 5;

/// `(mode, key length, encrypt, key, iv, tag length)`: a cipher, or the name of the invalid argument.
pub(super) fn cipher<'s>(
    scope: Scope<'s>,
    mode: String,
    key_bytes: usize,
    is_encrypting: bool,
    key: Bytes<'s>,
    iv: Bytes<'s>,
    tag_bytes: Option<usize>,
) -> Fallible<Local<'s, Value>> {
    let Some(mode) = Mode::of(&mode) else { return error_name(scope, CipherError::InvalidState.name()) };
    let made = key.read_both(iv, |key, iv| Cipher::new(mode, key_bytes, is_encrypting, key, iv, tag_bytes));
    let own = match made {
        Ok(cipher) => RefCell::new(cipher),
        Err(trouble) => return error_name(scope, trouble.name()),
    };
    let nothing = |()| Vec::new();
    streaming(scope, move |scope, arguments| {
        let operation = i32::from_js(scope, arguments.get(scope, 0))?;
        let value = arguments.get(scope, 1);
        let number = Option::<usize>::from_js(scope, arguments.get(scope, 2))?;
        let cipher = &mut *own.borrow_mut();
        let answer = match operation {
            CIPHER_UPDATE => with_data(scope, value, |bytes| cipher.update(bytes))?,
            CIPHER_AAD => with_data(scope, value, |bytes| cipher.set_aad(bytes, number))?.map(nothing),
            CIPHER_SET_TAG => with_data(scope, value, |bytes| cipher.set_tag(bytes))?.map(nothing),
            CIPHER_GET_TAG => cipher.tag(),
            CIPHER_PADDING => cipher.set_padding(value.to_bool().unwrap_or(true)).map(nothing),
            _ => {
                debug_assert_eq!(operation, CIPHER_FINAL);
                cipher.finish()
            }
        };
        output_value(scope, answer.map_err(CipherError::name))
    })
}

/// A one-shot cipher operation.
struct Task {
    is_encrypting: bool,
    key: Vec<u8>,
    /// The IV; in counter mode, the first counter block.
    iv: Vec<u8>,
    /// Additional authenticated data (AAD).
    aad: Vec<u8>,
    tag_bytes: usize,
    /// The number of counter bits in the block.
    counter_bits: u32,
}

/// `(done, mode, data, options)`: AES modes "cbc", "ctr", "gcm" (the tag is appended) and "kw", the key wrap of RFC 3394.
pub(super) fn crypt<'s>(
    scope: Scope<'s>,
    done: Local<'s, Value>,
    mode: String,
    data: Bytes<'s>,
    options: Local<'s, Object>,
) -> Fallible<Local<'s, Value>> {
    let bytes = |name: &str| -> Fallible<Vec<u8>> {
        let given: Option<Bytes<'s>> = options.get_as(scope, name)?;
        Ok(given.map(Bytes::to_vec).unwrap_or_default())
    };
    let task = Task {
        is_encrypting: options.get_as(scope, "isEncrypting")?,
        key: bytes("key")?,
        iv: bytes("iv")?,
        aad: bytes("aad")?,
        tag_bytes: options.get_as::<Option<usize>>(scope, "tagBytes")?.unwrap_or(16),
        counter_bits: options.get_as::<Option<u32>>(scope, "counterBits")?.unwrap_or(128),
    };
    let data = data.to_vec();
    run(scope, done, move || match mode.as_str() {
        "cbc" => task.through(Mode::Cbc, &task.iv, &data).map_err(CipherError::name),
        "ctr" => task.counted(&data),
        "gcm" => task.sealed(&data).map_err(CipherError::name),
        _ => task.through(Mode::Wrap, &[0xA6; 8], &data).map_err(|_| "cipherFailed"),
    })
}

impl Task {
    fn cipher(&self, mode: Mode, is_encrypting: bool, iv: &[u8]) -> Result<Cipher, CipherError> {
        let tag_bytes = (mode == Mode::Gcm).then_some(self.tag_bytes);
        Cipher::new(mode, self.key.len(), is_encrypting, &self.key, iv, tag_bytes)
    }

    fn through(&self, mode: Mode, iv: &[u8], data: &[u8]) -> Result<Vec<u8>, CipherError> {
        let mut cipher = self.cipher(mode, self.is_encrypting, iv)?;
        let mut output = cipher.update(data)?;
        output.extend(cipher.finish()?);
        Ok(output)
    }

    /// Web Crypto's AES-CTR: only the low `counter_bits` of the block are the counter, which wraps to 0. Fails if a counter block would
    /// repeat.
    fn counted(&self, data: &[u8]) -> OpOutput {
        let first = <[u8; 16]>::try_from(&self.iv[..]).map_err(|_| "iv")?;
        let blocks = data.len().div_ceil(16) as u128;
        if self.counter_bits >= 128 {
            return self.through(Mode::Ctr, &first, data).map_err(CipherError::name);
        }
        let round = 1_u128 << self.counter_bits;
        if blocks > round {
            return Err("failed");
        }
        let start = u128::from_be_bytes(first);
        let before = (round - start % round).min(blocks);
        let (head, tail) = data.split_at(data.len().min(before as usize * 16));
        let mut output = self.through(Mode::Ctr, &first, head).map_err(CipherError::name)?;
        let again = (start - start % round).to_be_bytes();
        output.extend(self.through(Mode::Ctr, &again, tail).map_err(CipherError::name)?);
        Ok(output)
    }

    fn sealed(&self, data: &[u8]) -> Result<Vec<u8>, CipherError> {
        let mut cipher = self.cipher(Mode::Gcm, self.is_encrypting, &self.iv)?;
        cipher.set_aad(&self.aad, None)?;
        if self.is_encrypting {
            let mut output = cipher.update(data)?;
            cipher.finish()?;
            output.extend(cipher.tag()?);
            return Ok(output);
        }
        let at = data.len().checked_sub(self.tag_bytes).ok_or(CipherError::TagLength)?;
        let (data, tag) = data.split_at(at);
        cipher.set_tag(tag)?;
        let output = cipher.update(data)?;
        cipher.finish()?;
        Ok(output)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(is_encrypting: bool, key: &[u8]) -> Task {
        Task { is_encrypting, key: key.to_vec(), iv: Vec::new(), aad: Vec::new(), tag_bytes: 16, counter_bits: 128 }
    }

    #[test]
    fn short_counter_wraps_to_zero() {
        let counted = |first: [u8; 16], bits, count| {
            let task = Task { iv: first.to_vec(), counter_bits: bits, ..task(true, &[1; 16]) };
            task.counted(&vec![0; count])
        };
        let around = counted([0xFF; 16], 4, 40).expect("counted");
        let mut again = [0xFF; 16];
        again[15] = 0xF0;
        assert_eq!(around[..16], counted([0xFF; 16], 128, 16).expect("counted"));
        assert_eq!(around[16..], counted(again, 128, 24).expect("counted"));
        assert_eq!(counted([0xFF; 16], 1, 40), Err("failed"));
    }
}
