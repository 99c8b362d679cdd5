//! The verbs of `crypto`. Digests and ciphers under way are functions `(verb, value)`; what a key is derived from, and how long
//! it takes, is JavaScript's choice: a verb that is given a callback works on the pool, else here and now.
//!
//! Arguments come checked by JavaScript; here they are only kept from panics.

mod asymmetric;
mod cipher;
mod curves;
mod der;
mod digest;
mod entropy;
mod key;
mod pem;
mod primes;
mod rounds;
mod rsa;
mod sealed;
mod signature;
mod whole;

use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

use phasor_core::{Outcome, random_fill};
use phasor_js::bytes::{Bytes, Text, string_from_str};
use phasor_js::state;
use rquickjs::{ArrayBuffer, Ctx, Exception, FromJs, Function, Object, Persistent, Result, Value};
use subtle::ConstantTimeEq;

use self::cipher::{Cipher, Mode, Trouble};
use self::digest::Algorithm;

/// The verbs.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    macro_rules! verbs {
        ($($name:literal => $verb:expr),* $(,)?) => {
            $( native.set($name, Function::new(ctx.clone(), $verb)?)?; )*
        };
    }
    verbs! {
        "hash" => hash, "hashOnce" => hash_once, "hmac" => hmac,
        "digestBytes" => |name: Text<'js>| algorithm(&name).map(Algorithm::output_bytes),
        "random" => random, "uuid" => uuid, "equals" => equals,
        "pbkdf2" => pbkdf2, "scrypt" => scrypt, "hkdf" => hkdf,
        "cipher" => cipher,
        "digest" => whole::digest, "keyedDigest" => whole::keyed_digest, "crypt" => whole::crypt,
        "keyRead" => asymmetric::key_read, "keyInfo" => asymmetric::key_info, "keyPublic" => asymmetric::key_public,
        "keyWrite" => asymmetric::key_write, "keyParts" => asymmetric::key_parts,
        "keyOfParts" => asymmetric::key_of_parts, "keyGenerate" => asymmetric::key_generate,
        "sign" => asymmetric::sign, "verify" => asymmetric::verify, "rsaCrypt" => asymmetric::rsa_crypt,
        "agree" => asymmetric::agree, "curves" => asymmetric::curves,
        "ecSecret" => asymmetric::ec_secret, "ecPoint" => asymmetric::ec_point, "ecForm" => asymmetric::ec_form,
        "ecAgree" => asymmetric::ec_agree,
        "prime" => asymmetric::prime, "isPrime" => asymmetric::is_prime, "power" => asymmetric::power,
    }
    Ok(native)
}

fn algorithm(name: &Text<'_>) -> Option<Algorithm> {
    Algorithm::of(&name.to_utf8())
}

/// Text is hashed as UTF-8, without a copy of it as a buffer.
fn with_data<'js, R>(ctx: &Ctx<'js>, data: &Value<'js>, work: impl FnOnce(&[u8]) -> R + Send) -> Result<R> {
    if data.is_string() {
        return Ok(work(Text::from_js(ctx, data.clone())?.to_utf8().as_bytes()));
    }
    Ok(Bytes::from_js(ctx, data.clone())?.read(work))
}

/// Hexadecimal text is made here, the other encodings by Buffer.
fn digest_value<'js>(ctx: &Ctx<'js>, digest: Vec<u8>, encoding: &Value<'js>) -> Result<Value<'js>> {
    if encoding.is_string() {
        return string_from_str(ctx, &faster_hex::hex_string(&digest));
    }
    Ok(ArrayBuffer::new(ctx.clone(), digest)?.into_value())
}

/// The verbs of a digest under way.
const UPDATE: i32 = 0;
const DIGEST: i32 = 1;
const COPY: i32 = 2;

/// `(name, length)`: a digest, null if there is none of that name, false if it has no such length. A negative length is the
/// digest's own.
fn hash<'js>(ctx: Ctx<'js>, name: Text<'js>, length: f64) -> Result<Value<'js>> {
    match algorithm(&name) {
        Some(algorithm) => hash_under_way(&ctx, algorithm, algorithm.hasher(), length),
        None => Ok(Value::new_null(ctx)),
    }
}

fn hash_under_way<'js>(
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
    let verbs = move |ctx: Ctx<'js>, verb: i32, value: Value<'js>| -> Result<Value<'js>> {
        let Some(mut hasher) = own.take() else { return Err(Exception::throw_message(&ctx, "Digest already called")) };
        match verb {
            UPDATE => {
                let hasher = with_data(&ctx, &value, move |bytes| {
                    hasher.update(bytes);
                    hasher
                })?;
                own.replace(Some(hasher));
                Ok(Value::new_undefined(ctx))
            }
            COPY => {
                let copy = hasher.clone();
                own.replace(Some(hasher));
                hash_under_way(&ctx, algorithm, copy, f64::from_js(&ctx, value)?)
            }
            _ => {
                debug_assert_eq!(verb, DIGEST);
                digest_value(&ctx, hasher.finish(length_bytes), &value)
            }
        }
    };
    Ok(Function::new(ctx.clone(), verbs)?.into_value())
}

/// `(name, data, encoding)`: the digest, or null if there is none of that name.
fn hash_once<'js>(ctx: Ctx<'js>, name: Text<'js>, data: Value<'js>, encoding: Value<'js>) -> Result<Value<'js>> {
    let Some(algorithm) = algorithm(&name) else { return Ok(Value::new_null(ctx)) };
    let digest = with_data(&ctx, &data, |bytes| {
        let mut hasher = algorithm.hasher();
        hasher.update(bytes);
        hasher.finish(algorithm.output_bytes())
    })?;
    digest_value(&ctx, digest, &encoding)
}

/// `(name, key)`: a keyed digest, null if there is none of that name, false if it cannot be keyed.
fn hmac<'js>(ctx: Ctx<'js>, name: Text<'js>, key: Bytes<'js>) -> Result<Value<'js>> {
    let Some(algorithm) = algorithm(&name) else { return Ok(Value::new_null(ctx)) };
    let Some(keyed) = key.read(|key| algorithm.keyed(key)) else { return Ok(Value::new_bool(ctx, false)) };
    let own = RefCell::new(Some(keyed));
    let verbs = move |ctx: Ctx<'js>, verb: i32, value: Value<'js>| -> Result<Value<'js>> {
        let Some(mut keyed) = own.take() else { return Err(Exception::throw_message(&ctx, "Digest already called")) };
        if verb == UPDATE {
            let keyed = with_data(&ctx, &value, move |bytes| {
                keyed.update(bytes);
                keyed
            })?;
            own.replace(Some(keyed));
            return Ok(Value::new_undefined(ctx));
        }
        digest_value(&ctx, keyed.finish(), &value)
    };
    Ok(Function::new(ctx, verbs)?.into_value())
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

/// What a job gives: bytes, or the name of what went wrong.
type Answer = std::result::Result<Vec<u8>, &'static str>;

fn answer_value<'js>(ctx: &Ctx<'js>, answer: Answer) -> Result<Value<'js>> {
    match answer {
        Ok(bytes) => Ok(ArrayBuffer::new(ctx.clone(), bytes)?.into_value()),
        Err(name) => string_from_str(ctx, name),
    }
}

/// Memory for so many bytes, or a failure that a script can live with.
fn room(length: f64) -> Answer {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length as usize).map_err(|_| "memory")?;
    bytes.resize(length as usize, 0);
    Ok(bytes)
}

/// Bytes that a job takes along: a script may change its own meanwhile.
fn copied(bytes: &Bytes<'_>) -> Vec<u8> {
    bytes.read(<[u8]>::to_vec)
}

/// Works here and now, or on the pool if there is a function to call with the answer.
fn run<'js>(ctx: &Ctx<'js>, done: &Value<'js>, work: impl FnOnce() -> Answer + Send + 'static) -> Result<Value<'js>> {
    let Some(done) = done.as_function() else {
        let answer = work();
        state(ctx).go_on()?;
        return answer_value(ctx, answer);
    };
    let done = Persistent::save(ctx, done.clone());
    let slot = Arc::new(Mutex::new(Err("failed")));
    let result = slot.clone();
    state(ctx).core().work(
        move || *slot.lock().unwrap_or_else(PoisonError::into_inner) = work(),
        Box::new(move |ctx, _| {
            let answer = std::mem::replace(&mut *result.lock().unwrap_or_else(PoisonError::into_inner), Err("failed"));
            done.restore(ctx)?.call((answer_value(ctx, answer)?,))
        }),
    );
    Ok(Value::new_undefined(ctx.clone()))
}

/// `(done, size)`: random bytes.
fn random<'js>(ctx: Ctx<'js>, done: Value<'js>, size: f64) -> Result<Value<'js>> {
    let mut bytes = match room(size) {
        Ok(bytes) => bytes,
        Err(name) => return string_from_str(&ctx, name),
    };
    let Some(done) = done.as_function() else {
        let answer = random_fill(&mut bytes).map(|()| bytes).map_err(|_| "failed");
        return answer_value(&ctx, answer);
    };
    let done = Persistent::save(&ctx, done.clone());
    let asked = state(&ctx).core().random(
        bytes,
        Box::new(move |ctx, outcome| {
            let answer = match outcome {
                Outcome::Random(Ok(()), bytes) => Ok(bytes),
                _ => Err("failed"),
            };
            done.restore(ctx)?.call((answer_value(ctx, answer)?,))
        }),
    );
    asked.map_err(|refused| Exception::throw_message(&ctx, &refused.errno.to_string()))?;
    Ok(Value::new_undefined(ctx))
}

/// `(done, password, salt, rounds, length, digest)`.
fn pbkdf2<'js>(
    ctx: Ctx<'js>,
    done: Value<'js>,
    password: Bytes<'js>,
    salt: Bytes<'js>,
    rounds: f64,
    length: f64,
    digest: Text<'js>,
) -> Result<Value<'js>> {
    let Some(algorithm) = algorithm(&digest) else { return string_from_str(&ctx, "digest") };
    let (password, salt) = (copied(&password), copied(&salt));
    run(&ctx, &done, move || {
        let mut output = room(length)?;
        let is_well = length > 0.0 && algorithm.pbkdf2(&password, &salt, rounds as u32, &mut output);
        if is_well { Ok(output) } else { Err("failed") }
    })
}

/// `(done, digest, key, salt, info, length)`.
fn hkdf<'js>(
    ctx: Ctx<'js>,
    done: Value<'js>,
    digest: Text<'js>,
    key: Bytes<'js>,
    salt: Bytes<'js>,
    info: Bytes<'js>,
    length: f64,
) -> Result<Value<'js>> {
    let Some(algorithm) = algorithm(&digest) else { return string_from_str(&ctx, "digest") };
    if length > (algorithm.output_bytes() * 255) as f64 {
        return string_from_str(&ctx, "keyLength");
    }
    let [key, salt, info] = [key, salt, info].map(|bytes| copied(&bytes));
    run(&ctx, &done, move || {
        let mut output = room(length)?;
        let is_well = length > 0.0 && algorithm.hkdf(&key, &salt, &info, &mut output);
        if is_well { Ok(output) } else { Err("failed") }
    })
}

/// What scrypt is to cost.
#[derive(Clone, Copy)]
struct Cost {
    n: f64,
    r: f64,
    p: f64,
    most_bytes: f64,
}

impl Cost {
    /// As OpenSSL: what makes no sense is "parameters", what is too much is "limit".
    fn check(self) -> std::result::Result<::scrypt::Params, &'static str> {
        let Cost { n, r, p, most_bytes } = self;
        let whole = n as u64;
        if !whole.is_power_of_two() || whole < 2 || r < 1.0 || p < 1.0 {
            return Err("parameters");
        }
        let log_n = whole.trailing_zeros();
        let need_bytes = 128.0 * r * p + 128.0 * r * (n + 2.0);
        if p > f64::from((1 << 30) - 1) / r || f64::from(log_n) >= 16.0 * r || need_bytes > most_bytes {
            return Err("limit");
        }
        // The length is only for those who store it beside the key.
        ::scrypt::Params::new(log_n as u8, r as u32, p as u32, ::scrypt::Params::RECOMMENDED_LEN).map_err(|_| "limit")
    }
}

/// `(done, password, salt, length, [n, r, p, memory])`. The parameters are looked at before anything begins.
fn scrypt<'js>(
    ctx: Ctx<'js>,
    done: Value<'js>,
    password: Bytes<'js>,
    salt: Bytes<'js>,
    length: f64,
    cost: Vec<f64>,
) -> Result<Value<'js>> {
    let [n, r, p, most_bytes] = cost[..] else { return string_from_str(&ctx, "parameters") };
    let parameters = match (Cost { n, r, p, most_bytes }).check() {
        Ok(parameters) => parameters,
        Err(name) => return string_from_str(&ctx, name),
    };
    let (password, salt) = (copied(&password), copied(&salt));
    run(&ctx, &done, move || {
        let mut output = room(length)?;
        if length > 0.0 {
            ::scrypt::scrypt(&password, &salt, &parameters, &mut output).map_err(|_| "failed")?;
        }
        Ok(output)
    })
}

/// The verbs of a cipher under way.
const CIPHER_UPDATE: i32 = 0;
const CIPHER_FINAL: i32 = 1;
const CIPHER_AAD: i32 = 2;
const CIPHER_SET_TAG: i32 = 3;
const CIPHER_GET_TAG: i32 = 4;
const CIPHER_PADDING: i32 = 5;

/// `(mode, key length, encrypt, key, iv, tag length)`: a cipher, or the name of what is wrong with the arguments.
fn cipher<'js>(
    ctx: Ctx<'js>,
    mode: Text<'js>,
    key_bytes: usize,
    is_encrypting: bool,
    key: Bytes<'js>,
    iv: Bytes<'js>,
    tag_bytes: Option<usize>,
) -> Result<Value<'js>> {
    let mode = match &*mode.to_utf8() {
        "ecb" => Mode::Ecb,
        "cbc" => Mode::Cbc,
        "ctr" => Mode::Ctr,
        "gcm" => Mode::Gcm,
        "cfb" => Mode::Cfb,
        "cfb8" => Mode::Cfb8,
        "ofb" => Mode::Ofb,
        "wrap" => Mode::Wrap,
        "des-ecb" => Mode::DesEcb,
        "des-cbc" => Mode::DesCbc,
        _ => Mode::Stream,
    };
    let made = key.read_both(&iv, |key, iv| Cipher::new(mode, key_bytes, is_encrypting, key, iv, tag_bytes));
    let own = match made {
        Ok(cipher) => RefCell::new(Some(cipher)),
        Err(trouble) => return string_from_str(&ctx, trouble.name()),
    };
    let verbs = move |ctx: Ctx<'js>, verb: i32, value: Value<'js>| -> Result<Value<'js>> {
        let Some(mut cipher) = own.take() else { return string_from_str(&ctx, Trouble::State.name()) };
        let data = |cipher: Cipher, work: fn(&mut Cipher, &[u8]) -> std::result::Result<Vec<u8>, Trouble>| {
            let mut cipher = cipher;
            with_data(&ctx, &value, move |bytes| {
                let answer = work(&mut cipher, bytes);
                (cipher, answer)
            })
        };
        let (cipher, answer) = match verb {
            CIPHER_UPDATE => data(cipher, Cipher::update)?,
            CIPHER_AAD => data(cipher, |cipher, bytes| cipher.set_aad(bytes).map(|()| Vec::new()))?,
            CIPHER_SET_TAG => data(cipher, |cipher, bytes| cipher.set_tag(bytes).map(|()| Vec::new()))?,
            CIPHER_GET_TAG => {
                let tag = cipher.tag();
                (cipher, tag)
            }
            CIPHER_PADDING => {
                let answer = cipher.set_padding(value.as_bool().unwrap_or(true)).map(|()| Vec::new());
                (cipher, answer)
            }
            _ => {
                debug_assert_eq!(verb, CIPHER_FINAL);
                let answer = cipher.finish();
                (cipher, answer)
            }
        };
        own.replace(Some(cipher));
        answer_value(&ctx, answer.map_err(Trouble::name))
    };
    Ok(Function::new(ctx, verbs)?.into_value())
}
