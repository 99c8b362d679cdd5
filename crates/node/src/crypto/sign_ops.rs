//! Native functions for signatures, SPKAC and RSA encryption.

use phasor_js::bytes::{Bytes, Text, string_from_str};
use rquickjs::{Array, ArrayBuffer, Ctx, Object, Result, Value};

use super::digest::Algorithm;
use super::key::Key;
use super::rsa::Padding;
use super::signature::{self, SignOptions};
use super::spkac::Spkac;
use super::{OpResult, copied, hash_of, key_of, optional, pem, run};

fn options_of(options: &Object<'_>) -> Result<OpResult<SignOptions>> {
    let hash: Option<Text<'_>> = options.get("hash")?;
    let hash = match hash_of(hash.as_ref()) {
        Ok(hash) => hash,
        Err(word) => return Ok(Err(word)),
    };
    Ok(Ok(SignOptions {
        hash,
        is_digest: options.get::<_, Option<bool>>("isDigest")?.unwrap_or(false),
        padding: options.get("padding")?,
        salt: options.get("salt")?,
        is_plain: options.get::<_, Option<bool>>("isPlain")?.unwrap_or(false),
    }))
}

/// `(done, key, data, options)`: creates a signature.
pub(super) fn sign<'js>(
    ctx: Ctx<'js>,
    done: Value<'js>,
    handle: Bytes<'js>,
    data: Bytes<'js>,
    options: Object<'js>,
) -> Result<Value<'js>> {
    let manner = match options_of(&options)? {
        Ok(manner) => manner,
        Err(word) => return string_from_str(&ctx, word),
    };
    let (handle, data) = (copied(&handle), copied(&data));
    run(&ctx, &done, move || signature::sign(&key_of(&handle)?, manner, &data))
}

/// `(done, key, data, options, signature)`: verifies a signature; the result is one byte.
pub(super) fn verify<'js>(
    ctx: Ctx<'js>,
    done: Value<'js>,
    handle: Bytes<'js>,
    data: Bytes<'js>,
    options: Object<'js>,
    signature: Bytes<'js>,
) -> Result<Value<'js>> {
    let manner = match options_of(&options)? {
        Ok(manner) => manner,
        Err(word) => return string_from_str(&ctx, word),
    };
    let [handle, data, signature] = [handle, data, signature].map(|bytes| copied(&bytes));
    run(&ctx, &done, move || {
        signature::verify(&key_of(&handle)?, manner, &data, &signature).map(|is_good| vec![u8::from(is_good)])
    })
}

/// OpenSSL's padding constants.
const PKCS1_PADDING: i32 = 1;
const NO_PADDING: i32 = 3;
const OAEP_PADDING: i32 = 4;

/// `(done, operation, key, data, options)`: encrypts or decrypts with RSA.
pub(super) fn rsa_crypt<'js>(
    ctx: Ctx<'js>,
    done: Value<'js>,
    operation: Text<'js>,
    handle: Bytes<'js>,
    data: Bytes<'js>,
    options: Object<'js>,
) -> Result<Value<'js>> {
    let hash: Option<Text<'js>> = options.get("hash")?;
    let label: Option<Bytes<'js>> = options.get("label")?;
    let padding: i32 = options.get("padding")?;
    let operation = operation.to_utf8().into_owned();
    // OpenSSL reports an unsupported padding of `publicEncrypt` and `privateDecrypt` with another error than one of the other two
    // operations.
    let is_message = matches!(operation.as_str(), "publicEncrypt" | "privateDecrypt");
    let padding = match (padding, hash_of(hash.as_ref())) {
        (_, Err(word)) => return string_from_str(&ctx, word),
        (PKCS1_PADDING, _) => Ok(Padding::Pkcs1),
        (NO_PADDING, _) => Ok(Padding::None),
        (OAEP_PADDING, Ok(hash)) => {
            Ok(Padding::Oaep { hash: hash.unwrap_or(Algorithm::Sha1), label: optional(label).unwrap_or_default() })
        }
        _ => Err(if is_message { "unknownPadding" } else { "padding" }),
    };
    let (handle, data) = (copied(&handle), copied(&data));
    run(&ctx, &done, move || {
        let Key::Rsa(key) = key_of(&handle)? else { return Err("operation") };
        if key.pss.is_some() {
            return Err(if is_message { "pssOperation" } else { "padding" });
        }
        let padding = padding?;
        match operation.as_str() {
            "publicEncrypt" => key.encrypt(&padding, &data),
            "privateDecrypt" => key.decrypt(&padding, &data),
            "privateEncrypt" => key.private_encrypt(&padding, &data),
            _ => key.public_decrypt(&padding, &data),
        }
    })
}

/// `(text)`: whether the signature is valid, the key as PEM, and the challenge; null if it cannot be parsed.
pub(super) fn spkac<'js>(ctx: Ctx<'js>, text: Bytes<'js>) -> Result<Value<'js>> {
    let Some(Spkac { key, challenge, is_signed }) = text.read(Spkac::read) else { return Ok(Value::new_null(ctx)) };
    let answer = Array::new(ctx.clone())?;
    answer.set(0, is_signed)?;
    answer.set(1, ArrayBuffer::new(ctx.clone(), pem::text("PUBLIC KEY", "", &key.to_spki()).into_bytes())?)?;
    answer.set(2, ArrayBuffer::new(ctx, challenge)?)?;
    Ok(answer.into_value())
}
