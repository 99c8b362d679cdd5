//! Native functions of `crypto`: the table of the functions, and the code that they share. A function with a callback argument runs on the
//! thread pool, otherwise synchronously. JavaScript validates the arguments; Rust only makes sure that invalid ones do not panic.
//!
//! The algorithms are in the crate `phasor-crypto`.

mod agreement_ops;
mod cipher_ops;
mod hash_ops;
mod kdf_ops;
mod keys;
mod sign_ops;

use std::sync::{Arc, Mutex, PoisonError};

use phasor_core::{Outcome, random_fill};
use phasor_engine::{
    ArrayBuffer, Bytes, ErrorKind, Fallible, FromJs, Function, Global, IntoJs, Local, Native, Object, Scope, Thrown,
    Value, define_natives,
};
use phasor_js::{About, JsFace, OnDone, state};
use subtle::ConstantTimeEq;

use phasor_crypto::digest::Algorithm;
use phasor_crypto::key::Key;

/// Creates the object of native functions.
pub(crate) fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    let native = Object::new(scope);
    define_natives!(scope, native,
        "hash" => hash_ops::hash, "hashOnce" => hash_ops::hash_once, "hmac" => hash_ops::hmac,
        "digestBytes" => digest_bytes,
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
    );
    Ok(native)
}

/// `(name)`: the length of the digest; `undefined` if the name is unknown.
fn digest_bytes(_: Scope<'_>, name: String) -> Option<usize> {
    Algorithm::of(&name).map(Algorithm::output_bytes)
}

/// Calls `work` with the bytes of `data`. A string is passed as UTF-8 without creating a buffer.
fn with_data<'s, R>(scope: Scope<'s>, data: Local<'s, Value>, work: impl FnOnce(&[u8]) -> R + Send) -> Fallible<R> {
    match Bytes::of(data) {
        Some(bytes) => Ok(bytes.read(work)),
        None => Ok(work(String::from_js(scope, data)?.as_bytes())),
    }
}

fn equals(_: Scope<'_>, left: Bytes<'_>, right: Bytes<'_>) -> bool {
    left.read_both(right, |left, right| left.ct_eq(right).into())
}

fn uuid(scope: Scope<'_>) -> Fallible<String> {
    let mut bytes = [0; 16];
    random_fill(&mut bytes).map_err(|errno| failed(scope, errno))?;
    // Version 4, and the variant of RFC 9562.
    bytes[6] = bytes[6] & 0x0F | 0x40;
    bytes[8] = bytes[8] & 0x3F | 0x80;
    let digits = faster_hex::hex_string(&bytes);
    let parts = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
    Ok(parts.join("-"))
}

/// Throws an error with the text of a system error.
fn failed(scope: Scope<'_>, errno: phasor_core::Errno) -> Thrown {
    scope.throw_error(ErrorKind::Error, &errno.to_string())
}

/// A value, or an error name that JavaScript maps to Node's error.
type OpResult<T> = Result<T, &'static str>;

fn key_of(handle: &[u8]) -> OpResult<Key> {
    Key::of_handle(handle).ok_or("unsupported")
}

fn optional(bytes: Option<Bytes<'_>>) -> Option<Vec<u8>> {
    bytes.map(Bytes::to_vec)
}

fn hash_of(name: Option<&String>) -> OpResult<Option<Algorithm>> {
    name.map(|name| Algorithm::of(name).ok_or("digest")).transpose()
}

/// The result of a job: bytes, or the error name.
type OpOutput = Result<Vec<u8>, &'static str>;

fn output_value<'s>(scope: Scope<'s>, answer: OpOutput) -> Fallible<Local<'s, Value>> {
    match answer {
        Ok(bytes) => Ok(ArrayBuffer::from_vec(scope, bytes)?.as_value()),
        Err(name) => error_name(scope, name),
    }
}

fn error_name<'s>(scope: Scope<'s>, name: &str) -> Fallible<Local<'s, Value>> {
    name.into_js(scope)
}

/// Creates the JavaScript function `(operation, ...)` of a streaming operation. The closure owns the state.
fn streaming<'s>(scope: Scope<'s>, operations: impl Native) -> Fallible<Local<'s, Value>> {
    Ok(Function::new(scope, "", 2, operations)?.as_value())
}

/// Allocates `length` zero bytes; the error name "memory" if there is not enough memory.
fn zeroed(length: f64) -> OpOutput {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length as usize).map_err(|_| "memory")?;
    bytes.resize(length as usize, 0);
    Ok(bytes)
}

/// Runs `work` on the thread pool if `done` is a function, else synchronously.
fn run<'s>(
    scope: Scope<'s>,
    done: Local<'s, Value>,
    work: impl FnOnce() -> OpOutput + Send + 'static,
) -> Fallible<Local<'s, Value>> {
    run_shown(scope, done, String::new, work)
}

/// As [`run`]. `shown` are the arguments in the report of a synchronous call that blocks the loop.
fn run_shown<'s>(
    scope: Scope<'s>,
    done: Local<'s, Value>,
    shown: impl FnOnce() -> String,
    work: impl FnOnce() -> OpOutput + Send + 'static,
) -> Fallible<Local<'s, Value>> {
    let Some(done) = done.cast::<Function>() else {
        let output = state(scope).blocking(scope, "crypto", shown, work);
        return output_value(scope, output);
    };
    let done = Global::new(scope, done);
    let slot = Arc::new(Mutex::new(Err("failed")));
    let result = slot.clone();
    state(scope).core().work(
        move || *slot.lock().unwrap_or_else(PoisonError::into_inner) = work(),
        Box::new(OpRequest { done, result }),
    );
    Ok(scope.undefined())
}

/// An operation on the pool.
struct OpRequest {
    done: Global<Function>,
    result: Arc<Mutex<OpOutput>>,
}

impl OnDone for OpRequest {
    fn on_done(self: Box<Self>, scope: Scope<'_>, _outcome: Outcome<JsFace>) -> Fallible<()> {
        let mut result = self.result.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = std::mem::replace(&mut *result, Err("failed"));
        drop(result);
        call_back(scope, &self.done, answer)
    }

    fn describe<'s>(&self, scope: Scope<'s>, about: &mut About<'s>) {
        about.entry.kind = "crypto request".into();
        about.callback = Some(self.done.get(scope));
    }
}

fn call_back(scope: Scope<'_>, done: &Global<Function>, answer: OpOutput) -> Fallible<()> {
    let answer = output_value(scope, answer)?;
    state(scope).locate(scope, done.get(scope));
    done.get(scope).call(scope, scope.undefined(), &[answer]).map(|_| ())
}

/// `(done, size)`: returns random bytes.
fn random<'s>(scope: Scope<'s>, done: Local<'s, Value>, size: f64) -> Fallible<Local<'s, Value>> {
    let mut bytes = match zeroed(size) {
        Ok(bytes) => bytes,
        Err(name) => return error_name(scope, name),
    };
    let Some(done) = done.cast::<Function>() else {
        let answer = random_fill(&mut bytes).map(|()| bytes).map_err(|_| "failed");
        return output_value(scope, answer);
    };
    let done = Global::new(scope, done);
    let submitted = state(scope).core().random(
        bytes,
        phasor_js::request(move |scope, outcome| {
            let answer = match outcome {
                Outcome::Random(Ok(()), bytes) => Ok(bytes),
                _ => Err("failed"),
            };
            call_back(scope, &done, answer)
        }),
    );
    submitted.map_err(|refused| failed(scope, refused.errno))?;
    Ok(scope.undefined())
}
