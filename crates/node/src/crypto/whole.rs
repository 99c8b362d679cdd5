//! Digests, keyed digests and ciphers of data that is there in one piece: what the Web's interface asks for, on the pool. What comes in
//! pieces is in the parent.

use rquickjs::{Ctx, Object, Result, Value};

use phasor_js::bytes::{Bytes, Text, string_from_str};

use super::cipher::{Cipher, Mode, Trouble};
use super::digest::Algorithm;
use super::{Answer, copied, run};

/// `(done, name, data)`.
pub(super) fn digest<'js>(ctx: Ctx<'js>, done: Value<'js>, name: Text<'js>, data: Bytes<'js>) -> Result<Value<'js>> {
    let Some(algorithm) = Algorithm::of(&name.to_utf8()) else { return string_from_str(&ctx, "digest") };
    let data = copied(&data);
    run(&ctx, &done, move || Ok(algorithm.digest(&[&data])))
}

/// `(done, name, key, data)`.
pub(super) fn keyed_digest<'js>(
    ctx: Ctx<'js>,
    done: Value<'js>,
    name: Text<'js>,
    key: Bytes<'js>,
    data: Bytes<'js>,
) -> Result<Value<'js>> {
    let Some(algorithm) = Algorithm::of(&name.to_utf8()) else { return string_from_str(&ctx, "digest") };
    let (key, data) = (copied(&key), copied(&data));
    run(&ctx, &done, move || {
        let mut keyed = algorithm.keyed(&key).ok_or("failed")?;
        keyed.update(&data);
        Ok(keyed.finish())
    })
}

/// What is to be done with data, and with which key.
struct Task {
    is_encrypting: bool,
    key: Vec<u8>,
    /// The vector; of a counter, its first block.
    iv: Vec<u8>,
    /// Data that is authenticated only.
    aad: Vec<u8>,
    tag_bytes: usize,
    /// How many bits of the block count.
    counter_bits: u32,
}

/// `(done, mode, data, options)`: the modes are AES's "cbc", "ctr", "gcm" (the tag at the end) and "kw", the wrap of RFC 3394.
pub(super) fn crypt<'js>(
    ctx: Ctx<'js>,
    done: Value<'js>,
    mode: Text<'js>,
    data: Bytes<'js>,
    options: Object<'js>,
) -> Result<Value<'js>> {
    let bytes = |name: &str| -> Result<Vec<u8>> {
        let given: Option<Bytes<'js>> = options.get(name)?;
        Ok(given.as_ref().map(copied).unwrap_or_default())
    };
    let task = Task {
        is_encrypting: options.get("isEncrypting")?,
        key: bytes("key")?,
        iv: bytes("iv")?,
        aad: bytes("aad")?,
        tag_bytes: options.get::<_, Option<usize>>("tagBytes")?.unwrap_or(16),
        counter_bits: options.get::<_, Option<u32>>("counterBits")?.unwrap_or(128),
    };
    let mode = mode.to_utf8().into_owned();
    let data = copied(&data);
    run(&ctx, &done, move || match mode.as_str() {
        "cbc" => task.through(Mode::Cbc, &task.iv, &data).map_err(Trouble::name),
        "ctr" => task.counted(&data),
        "gcm" => task.sealed(&data).map_err(Trouble::name),
        _ => task.through(Mode::Wrap, &[0xA6; 8], &data).map_err(|_| "cipherFailed"),
    })
}

impl Task {
    fn cipher(&self, mode: Mode, is_encrypting: bool, iv: &[u8]) -> std::result::Result<Cipher, Trouble> {
        let tag_bytes = (mode == Mode::Gcm).then_some(self.tag_bytes);
        Cipher::new(mode, self.key.len(), is_encrypting, &self.key, iv, tag_bytes)
    }

    fn through(&self, mode: Mode, iv: &[u8], data: &[u8]) -> std::result::Result<Vec<u8>, Trouble> {
        let mut cipher = self.cipher(mode, self.is_encrypting, iv)?;
        let mut output = cipher.update(data)?;
        output.extend(cipher.finish()?);
        Ok(output)
    }

    /// Only the last bits of the block count on, and begin at nought again; never may a block come twice.
    fn counted(&self, data: &[u8]) -> Answer {
        let first = <[u8; 16]>::try_from(&self.iv[..]).map_err(|_| "iv")?;
        let blocks = data.len().div_ceil(16) as u128;
        if self.counter_bits >= 128 {
            return self.through(Mode::Ctr, &first, data).map_err(Trouble::name);
        }
        let round = 1_u128 << self.counter_bits;
        if blocks > round {
            return Err("failed");
        }
        let start = u128::from_be_bytes(first);
        let before = (round - start % round).min(blocks);
        let (head, tail) = data.split_at(data.len().min(before as usize * 16));
        let mut output = self.through(Mode::Ctr, &first, head).map_err(Trouble::name)?;
        let again = (start - start % round).to_be_bytes();
        output.extend(self.through(Mode::Ctr, &again, tail).map_err(Trouble::name)?);
        Ok(output)
    }

    fn sealed(&self, data: &[u8]) -> std::result::Result<Vec<u8>, Trouble> {
        let mut cipher = self.cipher(Mode::Gcm, self.is_encrypting, &self.iv)?;
        cipher.set_aad(&self.aad)?;
        if self.is_encrypting {
            let mut output = cipher.update(data)?;
            cipher.finish()?;
            output.extend(cipher.tag()?);
            return Ok(output);
        }
        let at = data.len().checked_sub(self.tag_bytes).ok_or(Trouble::TagLength)?;
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
    fn a_short_counter_begins_again() {
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
