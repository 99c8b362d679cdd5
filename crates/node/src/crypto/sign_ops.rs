//! Native functions for signatures, SPKAC and RSA encryption.

use phasor_engine::{ArrayBuffer, Bytes, Fallible, IntoJs, Local, Object, Scope, Value};

use super::{OpResult, error_name, hash_of, key_of, optional, run};
use phasor_crypto::digest::Algorithm;
use phasor_crypto::key::Key;
use phasor_crypto::pem;
use phasor_crypto::rsa::Padding;
use phasor_crypto::signature::{self, SignOptions};
use phasor_crypto::spkac::Spkac;

fn options_of(scope: Scope<'_>, options: Local<'_, Object>) -> Fallible<OpResult<SignOptions>> {
    let hash: Option<String> = options.get_as(scope, "hash")?;
    let hash = match hash_of(hash.as_ref()) {
        Ok(hash) => hash,
        Err(word) => return Ok(Err(word)),
    };
    Ok(Ok(SignOptions {
        hash,
        is_digest: options.get_as::<Option<bool>>(scope, "isDigest")?.unwrap_or(false),
        padding: options.get_as(scope, "padding")?,
        salt: options.get_as(scope, "salt")?,
        is_plain: options.get_as::<Option<bool>>(scope, "isPlain")?.unwrap_or(false),
    }))
}

/// `(done, key, data, options)`: creates a signature.
pub(super) fn sign<'s>(
    scope: Scope<'s>,
    done: Local<'s, Value>,
    handle: Bytes<'s>,
    data: Bytes<'s>,
    options: Local<'s, Object>,
) -> Fallible<Local<'s, Value>> {
    let manner = match options_of(scope, options)? {
        Ok(manner) => manner,
        Err(word) => return error_name(scope, word),
    };
    let (handle, data) = (handle.to_vec(), data.to_vec());
    run(scope, done, move || signature::sign(&key_of(&handle)?, manner, &data))
}

/// `(done, key, data, options, signature)`: verifies a signature; the result is one byte.
pub(super) fn verify<'s>(
    scope: Scope<'s>,
    done: Local<'s, Value>,
    handle: Bytes<'s>,
    data: Bytes<'s>,
    options: Local<'s, Object>,
    signature: Bytes<'s>,
) -> Fallible<Local<'s, Value>> {
    let manner = match options_of(scope, options)? {
        Ok(manner) => manner,
        Err(word) => return error_name(scope, word),
    };
    let [handle, data, signature] = [handle, data, signature].map(|bytes| bytes.to_vec());
    run(scope, done, move || {
        signature::verify(&key_of(&handle)?, manner, &data, &signature).map(|is_good| vec![u8::from(is_good)])
    })
}

/// OpenSSL's padding constants.
const PKCS1_PADDING: i32 = 1;
const NO_PADDING: i32 = 3;
const OAEP_PADDING: i32 = 4;

/// `(done, operation, key, data, options)`: encrypts or decrypts with RSA.
pub(super) fn rsa_crypt<'s>(
    scope: Scope<'s>,
    done: Local<'s, Value>,
    operation: String,
    handle: Bytes<'s>,
    data: Bytes<'s>,
    options: Local<'s, Object>,
) -> Fallible<Local<'s, Value>> {
    let hash: Option<String> = options.get_as(scope, "hash")?;
    let label: Option<Bytes<'s>> = options.get_as(scope, "label")?;
    let padding: i32 = options.get_as(scope, "padding")?;
    // OpenSSL has two errors for an unsupported padding: one for `publicEncrypt` and `privateDecrypt`, another for the other two operations.
    let is_message = matches!(operation.as_str(), "publicEncrypt" | "privateDecrypt");
    let padding = match (padding, hash_of(hash.as_ref())) {
        (_, Err(word)) => return error_name(scope, word),
        (PKCS1_PADDING, _) => Ok(Padding::Pkcs1),
        (NO_PADDING, _) => Ok(Padding::None),
        (OAEP_PADDING, Ok(hash)) => {
            Ok(Padding::Oaep { hash: hash.unwrap_or(Algorithm::Sha1), label: optional(label).unwrap_or_default() })
        }
        _ => Err(if is_message { "unknownPadding" } else { "padding" }),
    };
    let (handle, data) = (handle.to_vec(), data.to_vec());
    run(scope, done, move || {
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
pub(super) fn spkac<'s>(scope: Scope<'s>, text: Bytes<'s>) -> Fallible<Local<'s, Value>> {
    let Some(Spkac { key, challenge, is_signed }) = text.read(Spkac::read) else { return Ok(scope.null()) };
    let pem = pem::text("PUBLIC KEY", "", &key.to_spki()).into_bytes();
    let (pem, challenge) = (ArrayBuffer::from_vec(scope, pem)?, ArrayBuffer::from_vec(scope, challenge)?);
    [scope.boolean(is_signed), pem.as_value(), challenge.as_value()].into_js(scope)
}
