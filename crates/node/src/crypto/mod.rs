//! Native functions of `crypto`: the table, and what they share. A function that gets a callback runs on the thread pool, otherwise
//! synchronously. JavaScript validates the arguments; Rust only makes sure that bad ones do not panic.
//!
//! The native functions are in the files that end in `_ops` and in `keys`. The other files do not use JavaScript values.

mod agreement_ops;
mod cipher;
mod cipher_ops;
mod curves;
mod der;
mod digest;
mod dsa_dh;
mod encrypted_key;
mod entropy;
mod hash_ops;
mod kdf_ops;
mod key;
mod keys;
mod pbkdf2_loop;
mod pem;
mod primes;
mod rsa;
mod sign_ops;
mod signature;
mod spkac;

use std::sync::{Arc, Mutex, PoisonError};

use phasor_core::{Outcome, random_fill};
use phasor_js::bytes::{Bytes, Text, string_from_str};
use phasor_js::state;
use rquickjs::{ArrayBuffer, Ctx, Exception, FromJs, Function, Object, Persistent, Result, Value};
use subtle::ConstantTimeEq;

use self::digest::Algorithm;
use self::key::Key;

/// Creates the object of native functions.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    macro_rules! define {
        ($($name:literal => $function:expr),* $(,)?) => {
            $( native.set($name, Function::new(ctx.clone(), $function)?)?; )*
        };
    }
    define! {
        "hash" => hash_ops::hash, "hashOnce" => hash_ops::hash_once, "hmac" => hash_ops::hmac,
        "digestBytes" => |name: Text<'js>| algorithm(&name).map(Algorithm::output_bytes),
        "random" => random, "uuid" => uuid, "equals" => equals,
        "pbkdf2" => kdf_ops::pbkdf2, "scrypt" => kdf_ops::scrypt, "hkdf" => kdf_ops::hkdf,
        "cipher" => cipher_ops::cipher, "crypt" => cipher_ops::crypt,
        "digest" => hash_ops::digest, "keyedDigest" => hash_ops::keyed_digest,
        "keyRead" => keys::key_read, "keyInfo" => keys::key_info, "keyPublic" => keys::key_public,
        "keyWrite" => keys::key_write, "keyParts" => keys::key_parts,
        "keyOfParts" => keys::key_of_parts, "keyGenerate" => keys::key_generate,
        "sign" => sign_ops::sign, "verify" => sign_ops::verify, "rsaCrypt" => sign_ops::rsa_crypt,
        "spkac" => sign_ops::spkac,
        "agree" => agreement_ops::agree, "curves" => agreement_ops::curves,
        "ecSecret" => agreement_ops::ec_secret, "ecPoint" => agreement_ops::ec_point, "ecForm" => agreement_ops::ec_form,
        "ecAgree" => agreement_ops::ec_agree,
        "prime" => agreement_ops::prime, "isPrime" => agreement_ops::is_prime, "power" => agreement_ops::power,
    }
    Ok(native)
}

fn algorithm(name: &Text<'_>) -> Option<Algorithm> {
    Algorithm::of(&name.to_utf8())
}

/// Calls `work` with the bytes of `data`. A string is passed as UTF-8 without creating a buffer.
fn with_data<'js, R>(ctx: &Ctx<'js>, data: &Value<'js>, work: impl FnOnce(&[u8]) -> R + Send) -> Result<R> {
    if data.is_string() {
        return Ok(work(Text::from_js(ctx, data.clone())?.to_utf8().as_bytes()));
    }
    Ok(Bytes::from_js(ctx, data.clone())?.read(work))
}

fn equals<'js>(left: Bytes<'js>, right: Bytes<'js>) -> bool {
    left.read_both(&right, |left, right| left.ct_eq(right).into())
}

fn uuid(ctx: Ctx<'_>) -> Result<Value<'_>> {
    let mut bytes = [0; 16];
    random_fill(&mut bytes).map_err(|errno| Exception::throw_message(&ctx, &errno.to_string()))?;
    // Version 4, and the variant of RFC 9562.
    bytes[6] = bytes[6] & 0x0F | 0x40;
    bytes[8] = bytes[8] & 0x3F | 0x80;
    let digits = faster_hex::hex_string(&bytes);
    let parts = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
    string_from_str(&ctx, &parts.join("-"))
}

/// A value, or an error name that JavaScript maps to Node's error.
type OpResult<T> = std::result::Result<T, &'static str>;

fn key_of(handle: &[u8]) -> OpResult<Key> {
    Key::of_handle(handle).ok_or("unsupported")
}

fn optional(bytes: Option<Bytes<'_>>) -> Option<Vec<u8>> {
    bytes.as_ref().map(copied)
}

fn hash_of(name: Option<&Text<'_>>) -> OpResult<Option<Algorithm>> {
    name.map(|name| Algorithm::of(&name.to_utf8()).ok_or("digest")).transpose()
}

/// The result of a job: bytes, or the error name.
type OpOutput = std::result::Result<Vec<u8>, &'static str>;

fn output_value<'js>(ctx: &Ctx<'js>, answer: OpOutput) -> Result<Value<'js>> {
    match answer {
        Ok(bytes) => Ok(ArrayBuffer::new(ctx.clone(), bytes)?.into_value()),
        Err(name) => string_from_str(ctx, name),
    }
}

/// Allocates `length` zero bytes; the error name "memory" if there is not enough memory.
fn zeroed(length: f64) -> OpOutput {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length as usize).map_err(|_| "memory")?;
    bytes.resize(length as usize, 0);
    Ok(bytes)
}

/// Copies bytes for a job, because a script may change its buffer meanwhile.
fn copied(bytes: &Bytes<'_>) -> Vec<u8> {
    bytes.read(<[u8]>::to_vec)
}

/// Runs synchronously, or on the pool if there is a callback.
fn run<'js>(ctx: &Ctx<'js>, done: &Value<'js>, work: impl FnOnce() -> OpOutput + Send + 'static) -> Result<Value<'js>> {
    let Some(done) = done.as_function() else {
        let answer = work();
        state(ctx).go_on()?;
        return output_value(ctx, answer);
    };
    let done = Persistent::save(ctx, done.clone());
    let slot = Arc::new(Mutex::new(Err("failed")));
    let result = slot.clone();
    state(ctx).core().work(
        move || *slot.lock().unwrap_or_else(PoisonError::into_inner) = work(),
        Box::new(move |ctx, _| {
            let answer = std::mem::replace(&mut *result.lock().unwrap_or_else(PoisonError::into_inner), Err("failed"));
            done.restore(ctx)?.call((output_value(ctx, answer)?,))
        }),
    );
    Ok(Value::new_undefined(ctx.clone()))
}

/// `(done, size)`: returns random bytes.
fn random<'js>(ctx: Ctx<'js>, done: Value<'js>, size: f64) -> Result<Value<'js>> {
    let mut bytes = match zeroed(size) {
        Ok(bytes) => bytes,
        Err(name) => return string_from_str(&ctx, name),
    };
    let Some(done) = done.as_function() else {
        let answer = random_fill(&mut bytes).map(|()| bytes).map_err(|_| "failed");
        return output_value(&ctx, answer);
    };
    let done = Persistent::save(&ctx, done.clone());
    let asked = state(&ctx).core().random(
        bytes,
        Box::new(move |ctx, outcome| {
            let answer = match outcome {
                Outcome::Random(Ok(()), bytes) => Ok(bytes),
                _ => Err("failed"),
            };
            done.restore(ctx)?.call((output_value(ctx, answer)?,))
        }),
    );
    asked.map_err(|refused| Exception::throw_message(&ctx, &refused.errno.to_string()))?;
    Ok(Value::new_undefined(ctx))
}
