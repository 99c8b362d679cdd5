//! Native functions for hashes and HMACs. A streaming hash is a closure `(operation, value)`. One-shot data can run on the thread pool.

use std::cell::RefCell;

use phasor_engine::{ArrayBuffer, Bytes, ErrorKind, Fallible, FromJs, JsString, Local, Scope, Thrown, Value};

use super::{error_name, run, streaming, with_data};
use phasor_crypto::digest::{self, Algorithm, Keyed};

/// The digest as hexadecimal text if `encoding` is a string, else as an array buffer. JavaScript does the other encodings with `Buffer`.
fn digest_value<'s>(scope: Scope<'s>, digest: Vec<u8>, encoding: Local<'s, Value>) -> Fallible<Local<'s, Value>> {
    if encoding.is::<JsString>() {
        return Ok(JsString::new(scope, &faster_hex::hex_string(&digest))?.as_value());
    }
    Ok(ArrayBuffer::from_vec(scope, digest)?.as_value())
}

fn digest_already_called(scope: Scope<'_>) -> Thrown {
    scope.throw_error(ErrorKind::Error, "Digest already called")
}

/// Operations of a streaming hash.
const UPDATE: i32 = 0;
const DIGEST: i32 = 1;
const COPY: i32 = 2;

/// `(name, length)`: a hash, null if the name is unknown, false if the length is not supported. A negative length selects the default.
pub(super) fn hash<'s>(scope: Scope<'s>, name: String, length: f64) -> Fallible<Local<'s, Value>> {
    match Algorithm::of(&name) {
        Some(algorithm) => streaming_hash(scope, algorithm, algorithm.hasher(), length),
        None => Ok(scope.null()),
    }
}

fn streaming_hash<'s>(
    scope: Scope<'s>,
    algorithm: Algorithm,
    hasher: digest::Hasher,
    length: f64,
) -> Fallible<Local<'s, Value>> {
    let own_bytes = algorithm.output_bytes();
    let length_bytes = if length < 0.0 { own_bytes } else { length as usize };
    if length_bytes != own_bytes && !algorithm.is_extendable() {
        return Ok(scope.boolean(false));
    }
    let own = RefCell::new(Some(hasher));
    streaming(scope, move |scope, arguments| {
        let operation = i32::from_js(scope, arguments.get(scope, 0))?;
        let value = arguments.get(scope, 1);
        let mut own = own.borrow_mut();
        let Some(hasher) = own.as_mut() else { return Err(digest_already_called(scope)) };
        match operation {
            UPDATE => {
                with_data(scope, value, |bytes| hasher.update(bytes))?;
                Ok(scope.undefined())
            }
            COPY => streaming_hash(scope, algorithm, hasher.clone(), f64::from_js(scope, value)?),
            _ => {
                debug_assert_eq!(operation, DIGEST);
                let digest = own.take().map(|hasher| hasher.finish(length_bytes)).unwrap_or_default();
                digest_value(scope, digest, value)
            }
        }
    })
}

/// `(name, data, encoding)`: the digest, or null if the name is unknown.
pub(super) fn hash_once<'s>(
    scope: Scope<'s>,
    name: String,
    data: Local<'s, Value>,
    encoding: Local<'s, Value>,
) -> Fallible<Local<'s, Value>> {
    let Some(algorithm) = Algorithm::of(&name) else { return Ok(scope.null()) };
    let digest = with_data(scope, data, |bytes| {
        let mut hasher = algorithm.hasher();
        hasher.update(bytes);
        hasher.finish(algorithm.output_bytes())
    })?;
    digest_value(scope, digest, encoding)
}

/// `(name, key)`: an HMAC, null if the name is unknown, false if the hash does not support HMAC.
pub(super) fn hmac<'s>(scope: Scope<'s>, name: String, key: Bytes<'s>) -> Fallible<Local<'s, Value>> {
    let Some(algorithm) = Algorithm::of(&name) else { return Ok(scope.null()) };
    let Some(keyed) = key.read(|key| algorithm.keyed(key)) else { return Ok(scope.boolean(false)) };
    let own = RefCell::new(Some(keyed));
    streaming(scope, move |scope, arguments| {
        let operation = i32::from_js(scope, arguments.get(scope, 0))?;
        let value = arguments.get(scope, 1);
        let mut own = own.borrow_mut();
        let Some(keyed) = own.as_mut() else { return Err(digest_already_called(scope)) };
        if operation == UPDATE {
            with_data(scope, value, |bytes| keyed.update(bytes))?;
            return Ok(scope.undefined());
        }
        let digest = own.take().map(Keyed::finish).unwrap_or_default();
        digest_value(scope, digest, value)
    })
}

/// `(done, name, data)`: hashes the data.
pub(super) fn digest<'s>(
    scope: Scope<'s>,
    done: Local<'s, Value>,
    name: String,
    data: Bytes<'s>,
) -> Fallible<Local<'s, Value>> {
    let Some(algorithm) = Algorithm::of(&name) else { return error_name(scope, "digest") };
    let data = data.to_vec();
    run(scope, done, move || Ok(algorithm.digest(&[&data])))
}

/// `(done, name, key, data)`: computes the HMAC of the data.
pub(super) fn keyed_digest<'s>(
    scope: Scope<'s>,
    done: Local<'s, Value>,
    name: String,
    key: Bytes<'s>,
    data: Bytes<'s>,
) -> Fallible<Local<'s, Value>> {
    let Some(algorithm) = Algorithm::of(&name) else { return error_name(scope, "digest") };
    let (key, data) = (key.to_vec(), data.to_vec());
    run(scope, done, move || {
        let mut keyed = algorithm.keyed(&key).ok_or("failed")?;
        keyed.update(&data);
        Ok(keyed.finish())
    })
}
