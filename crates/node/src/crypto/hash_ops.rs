//! Native functions for hashes and HMACs. A streaming hash is a closure `(operation, value)`. One-shot data can run on the thread pool.

use std::cell::RefCell;

use phasor_js::bytes::{Bytes, Text, string_from_str};
use rquickjs::{ArrayBuffer, Ctx, Exception, FromJs, Function, Result, Value};

use super::digest::{self, Algorithm, Keyed};
use super::{algorithm, copied, run, with_data};

/// Encodes hexadecimal text here; Buffer does the other encodings.
fn digest_value<'js>(ctx: &Ctx<'js>, digest: Vec<u8>, encoding: &Value<'js>) -> Result<Value<'js>> {
    if encoding.is_string() {
        return string_from_str(ctx, &faster_hex::hex_string(&digest));
    }
    Ok(ArrayBuffer::new(ctx.clone(), digest)?.into_value())
}

fn digest_already_called(ctx: &Ctx<'_>) -> rquickjs::Error {
    Exception::throw_message(ctx, "Digest already called")
}

/// Operations of a streaming hash.
const UPDATE: i32 = 0;
const DIGEST: i32 = 1;
const COPY: i32 = 2;

/// `(name, length)`: a hash, null if the name is unknown, false if the length is not supported. A negative length selects the default.
pub(super) fn hash<'js>(ctx: Ctx<'js>, name: Text<'js>, length: f64) -> Result<Value<'js>> {
    match algorithm(&name) {
        Some(algorithm) => streaming_hash(&ctx, algorithm, algorithm.hasher(), length),
        None => Ok(Value::new_null(ctx)),
    }
}

fn streaming_hash<'js>(
    ctx: &Ctx<'js>,
    algorithm: Algorithm,
    hasher: digest::Hasher,
    length: f64,
) -> Result<Value<'js>> {
    let own_bytes = algorithm.output_bytes();
    let length_bytes = if length < 0.0 { own_bytes } else { length as usize };
    if length_bytes != own_bytes && !algorithm.is_extendable() {
        return Ok(Value::new_bool(ctx.clone(), false));
    }
    let own = RefCell::new(Some(hasher));
    let operations = move |ctx: Ctx<'js>, operation: i32, value: Value<'js>| -> Result<Value<'js>> {
        let mut own = own.borrow_mut();
        let Some(hasher) = own.as_mut() else { return Err(digest_already_called(&ctx)) };
        match operation {
            UPDATE => {
                with_data(&ctx, &value, |bytes| hasher.update(bytes))?;
                Ok(Value::new_undefined(ctx))
            }
            COPY => streaming_hash(&ctx, algorithm, hasher.clone(), f64::from_js(&ctx, value)?),
            _ => {
                debug_assert_eq!(operation, DIGEST);
                let digest = own.take().map(|hasher| hasher.finish(length_bytes)).unwrap_or_default();
                digest_value(&ctx, digest, &value)
            }
        }
    };
    Ok(Function::new(ctx.clone(), operations)?.into_value())
}

/// `(name, data, encoding)`: the digest, or null if the name is unknown.
pub(super) fn hash_once<'js>(
    ctx: Ctx<'js>,
    name: Text<'js>,
    data: Value<'js>,
    encoding: Value<'js>,
) -> Result<Value<'js>> {
    let Some(algorithm) = algorithm(&name) else { return Ok(Value::new_null(ctx)) };
    let digest = with_data(&ctx, &data, |bytes| {
        let mut hasher = algorithm.hasher();
        hasher.update(bytes);
        hasher.finish(algorithm.output_bytes())
    })?;
    digest_value(&ctx, digest, &encoding)
}

/// `(name, key)`: an HMAC, null if the name is unknown, false if the hash does not support HMAC.
pub(super) fn hmac<'js>(ctx: Ctx<'js>, name: Text<'js>, key: Bytes<'js>) -> Result<Value<'js>> {
    let Some(algorithm) = algorithm(&name) else { return Ok(Value::new_null(ctx)) };
    let Some(keyed) = key.read(|key| algorithm.keyed(key)) else { return Ok(Value::new_bool(ctx, false)) };
    let own = RefCell::new(Some(keyed));
    let operations = move |ctx: Ctx<'js>, operation: i32, value: Value<'js>| -> Result<Value<'js>> {
        let mut own = own.borrow_mut();
        let Some(keyed) = own.as_mut() else { return Err(digest_already_called(&ctx)) };
        if operation == UPDATE {
            with_data(&ctx, &value, |bytes| keyed.update(bytes))?;
            return Ok(Value::new_undefined(ctx));
        }
        let digest = own.take().map(Keyed::finish).unwrap_or_default();
        digest_value(&ctx, digest, &value)
    };
    Ok(Function::new(ctx, operations)?.into_value())
}

/// `(done, name, data)`: hashes the data.
pub(super) fn digest<'js>(ctx: Ctx<'js>, done: Value<'js>, name: Text<'js>, data: Bytes<'js>) -> Result<Value<'js>> {
    let Some(algorithm) = algorithm(&name) else { return string_from_str(&ctx, "digest") };
    let data = copied(&data);
    run(&ctx, &done, move || Ok(algorithm.digest(&[&data])))
}

/// `(done, name, key, data)`: computes the HMAC of the data.
pub(super) fn keyed_digest<'js>(
    ctx: Ctx<'js>,
    done: Value<'js>,
    name: Text<'js>,
    key: Bytes<'js>,
    data: Bytes<'js>,
) -> Result<Value<'js>> {
    let Some(algorithm) = algorithm(&name) else { return string_from_str(&ctx, "digest") };
    let (key, data) = (copied(&key), copied(&data));
    run(&ctx, &done, move || {
        let mut keyed = algorithm.keyed(&key).ok_or("failed")?;
        keyed.update(&data);
        Ok(keyed.finish())
    })
}
