//! Native functions that parse, encode and generate asymmetric keys.
//!
//! A key in JavaScript is its DER encoding ([`Key::to_handle`]), which every function parses again: so a key can be sent to the pool or to
//! another thread as plain bytes. Functions return an error name on failure; JavaScript maps it to Node's error.

use phasor_engine::{ArrayBuffer, Bytes, Fallible, IntoJs, Local, Object, Scope, Value};

use super::{OpOutput, OpResult, error_name, hash_of, key_of, optional, output_value, run_shown};
use phasor_crypto::curves::Curve;
use phasor_crypto::der::{self, trimmed};
use phasor_crypto::digest::Algorithm;
use phasor_crypto::dsa_dh::{self, Domain, DsaDh};
use phasor_crypto::encrypted_key::{self, KeyCipher};
use phasor_crypto::entropy::RandomStream;
use phasor_crypto::key::{Ec, Key, PssRule, Raw, RawKind, Rsa, RsaSecret};
use phasor_crypto::primes::{self, PrimeSpec};
use phasor_crypto::{pem, rsa};

/// `(bytes, is text, type, is public wanted, passphrase)`: whether the key is private, and the key; or an error name.
pub(super) fn key_read<'s>(
    scope: Scope<'s>,
    bytes: Bytes<'s>,
    is_text: bool,
    kind: Option<String>,
    is_public_wanted: bool,
    passphrase: Option<Bytes<'s>>,
) -> Fallible<Local<'s, Value>> {
    let passphrase = optional(passphrase);
    let kind = kind.unwrap_or_default();
    let read = bytes.read(|bytes| match (is_text, is_public_wanted) {
        (true, false) => private_of_text(bytes, passphrase.as_deref()),
        (true, true) => public_of_text(bytes, passphrase.as_deref()),
        (false, false) => private_of_der(bytes, &kind, passphrase.as_deref()),
        (false, true) => public_of_der(bytes, &kind, passphrase.as_deref()),
    });
    match read {
        Ok(key) => {
            let handle = ArrayBuffer::from_vec(scope, key.to_handle())?;
            [scope.boolean(key.is_private()), handle.as_value()].into_js(scope)
        }
        Err(word) => error_name(scope, word),
    }
}

fn private_of_text(text: &[u8], passphrase: Option<&[u8]>) -> OpResult<Key> {
    for piece in pem::pieces(text) {
        let decrypted = match &piece.sealed {
            Some((cipher, iv)) => {
                encrypted_key::decrypt_pem(cipher, iv, &piece.bytes, passphrase.ok_or("passphrase")?)?
            }
            None => piece.bytes,
        };
        let was_encrypted = piece.sealed.is_some();
        let key = match piece.label {
            "PRIVATE KEY" => Key::of_pkcs8(&decrypted),
            // As OpenSSL: PKCS #8 is accepted under the traditional labels too, for a key of that type.
            "RSA PRIVATE KEY" => Rsa::of_pkcs1_private(&decrypted, None).or_else(|| pkcs8_of_kind(&decrypted, "rsa")),
            "EC PRIVATE KEY" => Ec::of_sec1(&decrypted, None).or_else(|| pkcs8_of_kind(&decrypted, "ec")),
            "DSA PRIVATE KEY" => DsaDh::of_old_dsa(&decrypted),
            "ENCRYPTED PRIVATE KEY" => return decrypt_pkcs8(&decrypted, passphrase),
            _ => continue,
        };
        // Malformed bytes after decryption mean that the passphrase was wrong.
        return key.ok_or_else(|| match Key::of_pkcs8(&decrypted) {
            _ if was_encrypted => "badDecrypt",
            Some(_) => "unsupported",
            None => "unreadable",
        });
    }
    Err("unsupported")
}

fn pkcs8_of_kind(bytes: &[u8], kind: &str) -> Option<Key> {
    Key::of_pkcs8(bytes).filter(|key| key.kind() == kind)
}

fn decrypt_pkcs8(bytes: &[u8], passphrase: Option<&[u8]>) -> OpResult<Key> {
    let decrypted = encrypted_key::decrypt(bytes, passphrase.ok_or("passphrase")?)?;
    Key::of_pkcs8(&decrypted).ok_or("badDecrypt")
}

fn public_of_text(text: &[u8], passphrase: Option<&[u8]>) -> OpResult<Key> {
    for piece in pem::pieces(text) {
        let key = match piece.label {
            "PUBLIC KEY" => Key::of_spki(&piece.bytes),
            "RSA PUBLIC KEY" => Rsa::of_pkcs1_public(&piece.bytes, None),
            "CERTIFICATE" | "X509 CERTIFICATE" | "TRUSTED CERTIFICATE" => Key::of_certificate(&piece.bytes),
            _ => continue,
        };
        return key.ok_or(if der::is_whole(&piece.bytes) { "wrongTag" } else { "tooLong" });
    }
    private_of_text(text, passphrase)
}

/// As OpenSSL: with type "pkcs1" or "sec1" the structure is detected from the bytes.
fn private_of_der(bytes: &[u8], kind: &str, passphrase: Option<&[u8]>) -> OpResult<Key> {
    let is_old = matches!(kind, "pkcs1" | "sec1");
    if !is_old && encrypted_key::is_encrypted(bytes) {
        return decrypt_pkcs8(bytes, passphrase);
    }
    let mut key = Key::of_pkcs8(bytes);
    if is_old {
        key = key.or_else(|| Rsa::of_pkcs1_private(bytes, None)).or_else(|| Ec::of_sec1(bytes, None));
        key = key.or_else(|| DsaDh::of_old_dsa(bytes));
    }
    key.ok_or(match bytes {
        [] => "nothing",
        _ if !der::is_whole(bytes) => "notEnough",
        _ if is_old => "unreadable",
        _ => "wrongTag",
    })
}

fn public_of_der(bytes: &[u8], kind: &str, passphrase: Option<&[u8]>) -> OpResult<Key> {
    match kind {
        "pkcs1" => Rsa::of_pkcs1_public(bytes, None).map_or_else(|| private_of_der(bytes, kind, passphrase), Ok),
        "spki" => Key::of_spki(bytes).ok_or("unsupported"),
        _ => private_of_der(bytes, kind, passphrase),
    }
}

/// `(key)`: the key's type and details.
pub(super) fn key_info<'s>(scope: Scope<'s>, handle: Bytes<'s>) -> Fallible<Local<'s, Object>> {
    let info = Object::new(scope);
    let Ok(key) = handle.read(key_of) else { return Ok(info) };
    info.set(scope, "kind", key.kind())?;
    match &key {
        Key::Rsa(rsa) => {
            info.set(scope, "bits", rsa.modulus_bits())?;
            info.set(scope, "exponent", faster_hex::hex_string(&rsa.exponent))?;
            if let Some(Some(rule)) = rsa.pss {
                info.set(scope, "hash", rule.hash.name())?;
                info.set(scope, "maskHash", rule.mask_hash.name())?;
                info.set(scope, "salt", rule.salt_bytes)?;
            }
        }
        Key::Ec(ec) => info.set(scope, "curve", ec.curve.name())?,
        Key::Raw(_) => {}
        Key::DsaDh(key) if key.domain.kind == dsa_dh::Kind::Dh => {}
        Key::DsaDh(key) => {
            info.set(scope, "bits", key.domain.prime.bits())?;
            info.set(scope, "divisorBits", key.domain.order.bits())?;
        }
    }
    Ok(info)
}

/// `(key)`: the public key.
pub(super) fn key_public<'s>(scope: Scope<'s>, handle: Bytes<'s>) -> Fallible<Local<'s, Value>> {
    output_value(scope, handle.read(|bytes| Ok(key_of(bytes)?.to_spki())))
}

/// `(key, type, is text, cipher, passphrase)`: encodes the key.
pub(super) fn key_write<'s>(
    scope: Scope<'s>,
    handle: Bytes<'s>,
    kind: String,
    is_text: bool,
    cipher: Option<String>,
    passphrase: Option<Bytes<'s>>,
) -> Fallible<Local<'s, Value>> {
    let passphrase = optional(passphrase).unwrap_or_default();
    let encode = handle.read(|bytes| {
        let seal = cipher.map(|name| KeyCipher::of(&name).ok_or("cipher")).transpose()?;
        encode(&key_of(bytes)?, &kind, is_text, seal, &passphrase)
    });
    output_value(scope, encode)
}

fn encode(key: &Key, kind: &str, is_text: bool, seal: Option<&KeyCipher>, passphrase: &[u8]) -> OpOutput {
    let (label, bytes) = match (kind, key) {
        ("spki", key) => ("PUBLIC KEY", key.to_spki()),
        ("pkcs8", key) => ("PRIVATE KEY", key.to_pkcs8().ok_or("failed")?),
        ("pkcs1", Key::Rsa(rsa)) if rsa.secret.is_none() => ("RSA PUBLIC KEY", rsa.to_pkcs1_public()),
        ("pkcs1", Key::Rsa(rsa)) => ("RSA PRIVATE KEY", rsa.to_pkcs1_private().ok_or("failed")?),
        ("sec1", Key::Ec(ec)) => ("EC PRIVATE KEY", ec.to_sec1(true).ok_or("failed")?),
        _ => return Err("type"),
    };
    match seal {
        Some(seal) if kind == "pkcs8" => {
            let sealed = encrypted_key::encrypt(seal, &bytes, passphrase)?;
            Ok(if is_text { pem::text("ENCRYPTED PRIVATE KEY", "", &sealed).into_bytes() } else { sealed })
        }
        Some(seal) => {
            let (headers, sealed) = encrypted_key::encrypt_pem(seal, &bytes, passphrase)?;
            Ok(pem::text(label, &headers, &sealed).into_bytes())
        }
        None if is_text => Ok(pem::text(label, "", &bytes).into_bytes()),
        None => Ok(bytes),
    }
}

/// `(key)`: the components, public ones first: n, e, d, p, q, dp, dq, qi for RSA; x, y, d for EC; x, d for the others.
pub(super) fn key_parts<'s>(scope: Scope<'s>, handle: Bytes<'s>) -> Fallible<Vec<Local<'s, ArrayBuffer>>> {
    let parts: Vec<Vec<u8>> = match handle.read(key_of) {
        Ok(Key::Rsa(key)) => {
            let mut parts = vec![key.modulus, key.exponent];
            if let Some(secret) = key.secret {
                parts.push(secret.exponent);
                parts.extend(secret.parts);
            }
            parts
        }
        Ok(Key::Ec(key)) => {
            let (x, y) = key.point[1..].split_at(key.curve.field_bytes());
            [x.to_vec(), y.to_vec()].into_iter().chain(key.secret).collect()
        }
        Ok(Key::Raw(key)) => [key.public].into_iter().chain(key.secret).collect(),
        Ok(Key::DsaDh(_)) | Err(_) => Vec::new(),
    };
    parts.into_iter().map(|part| ArrayBuffer::from_vec(scope, part)).collect()
}

/// `(kind, parts)`: builds a key from the components that [`key_parts`] returns. For an EC key, `kind` is the name of the curve.
pub(super) fn key_of_parts<'s>(scope: Scope<'s>, kind: String, parts: Vec<Bytes<'s>>) -> Fallible<Local<'s, Value>> {
    let parts: Vec<Vec<u8>> = parts.into_iter().map(Bytes::to_vec).collect();
    let key = of_parts(&kind, parts);
    output_value(scope, key.map(|key| key.to_handle()).ok_or("parts"))
}

fn of_parts(kind: &str, parts: Vec<Vec<u8>>) -> Option<Key> {
    let raw = |kind, parts: &[Vec<u8>]| match parts {
        [public] => Raw::public(kind, public),
        [public, secret] => {
            Raw::private(kind, secret).filter(|key| matches!(key, Key::Raw(raw) if raw.public == *public))
        }
        _ => None,
    };
    match kind {
        "rsa" => {
            let parts: Vec<Vec<u8>> = parts.iter().map(|part| trimmed(part).to_vec()).collect();
            let mut parts = parts.into_iter();
            let (modulus, exponent) = (parts.next()?, parts.next()?);
            let secret = match parts.next() {
                Some(exponent) => Some(RsaSecret { exponent, parts: parts.collect::<Vec<_>>().try_into().ok()? }),
                None => None,
            };
            let key = Rsa { modulus, exponent, secret, pss: None };
            // Encoding and parsing the key again validates it.
            Key::of_handle(&Key::Rsa(key).to_handle())
        }
        _ if RawKind::of(kind).is_some() => raw(RawKind::of(kind)?, &parts),
        _ => {
            let curve = Curve::of(kind)?;
            let [x, y, secret @ ..] = &parts[..] else { return None };
            let [x, y] = [x, y].map(|part| der::padded(part, curve.field_bytes()));
            let public = Ec::public(curve, &[&[4], &x?[..], &y?[..]].concat())?;
            match secret {
                [] => Some(public),
                [secret] => Ec::private(curve, secret).filter(|key| key.to_spki() == public.to_spki()),
                _ => None,
            }
        }
    }
}

/// `(done, kind, options)`: generates a private key.
pub(super) fn key_generate<'s>(
    scope: Scope<'s>,
    done: Local<'s, Value>,
    kind: String,
    options: Local<'s, Object>,
) -> Fallible<Local<'s, Value>> {
    let (bits, exponent): (Option<u32>, Option<f64>) =
        (options.get_as(scope, "bits")?, options.get_as(scope, "exponent")?);
    let curve: Option<String> = options.get_as(scope, "curve")?;
    let curve = curve.and_then(|name| Curve::of(&name));
    let divisor_bits: Option<usize> = options.get_as(scope, "divisorBits")?;
    let [prime, generator]: [Option<Bytes<'s>>; 2] =
        [options.get_as(scope, "prime")?, options.get_as(scope, "generator")?];
    let [prime, generator] = [prime, generator].map(optional);
    let rule = match pss_rule(scope, options)? {
        Ok(rule) => rule,
        Err(word) => return error_name(scope, word),
    };
    let (bits, exponent) = (bits.unwrap_or(0) as usize, exponent.unwrap_or(65537.0) as u32);
    let shown = format!("{kind}, {bits} bits");
    run_shown(
        scope,
        done,
        || shown,
        move || {
            let key = match kind.as_str() {
                "rsa" => rsa::generate(bits, exponent, None)?,
                "rsa-pss" => rsa::generate(bits, exponent, Some(rule))?,
                "dsa" => dsa_dh::dsa_domain(bits, divisor_bits.unwrap_or(0))?.generate()?,
                "dh" => dh_domain(bits, prime, &generator.unwrap_or_default())?.generate()?,
                "ec" => {
                    let curve = curve.ok_or("curve")?;
                    Ec::private(curve, &curve.generate(&mut RandomStream::new()?)).ok_or("failed")?
                }
                name => {
                    let kind = RawKind::of(name).ok_or("failed")?;
                    Raw::private(kind, &RandomStream::new()?.bytes(kind.bytes())).ok_or("failed")?
                }
            };
            Ok(key.to_handle())
        },
    )
}

/// DH parameters with the given prime, or with a generated prime of `bits` bits.
fn dh_domain(bits: usize, prime: Option<Vec<u8>>, generator: &[u8]) -> OpResult<Domain> {
    const LEAST_BYTES: usize = 64;
    if prime.as_ref().map_or(bits.div_ceil(8), |prime| trimmed(prime).len()) < LEAST_BYTES {
        return Err("smallModulus");
    }
    if matches!(trimmed(generator), [] | [1]) {
        return Err("badGenerator");
    }
    let prime = match prime {
        Some(prime) => prime,
        None => primes::generate(&PrimeSpec { bits, is_safe: true, modulus: None, remainder: None })?,
    };
    Domain::dh(&prime, generator).ok_or("failed")
}

/// The restrictions of a new RSA-PSS key: none if no option is set, otherwise defaults for the unset options.
fn pss_rule(scope: Scope<'_>, options: Local<'_, Object>) -> Fallible<OpResult<Option<PssRule>>> {
    let [hash, mask_hash]: [Option<String>; 2] = [options.get_as(scope, "hash")?, options.get_as(scope, "maskHash")?];
    let salt: Option<u32> = options.get_as(scope, "salt")?;
    let (hash, mask_hash) = match (hash_of(hash.as_ref()), hash_of(mask_hash.as_ref())) {
        (Ok(hash), Ok(mask_hash)) => (hash, mask_hash),
        (Err(_), _) => return Ok(Err("digest")),
        (_, Err(_)) => return Ok(Err("maskDigest")),
    };
    if hash.is_none() && mask_hash.is_none() && salt.is_none() {
        return Ok(Ok(None));
    }
    let hash = hash.unwrap_or(Algorithm::Sha1);
    let mask_hash = mask_hash.unwrap_or(hash);
    Ok(Ok(Some(PssRule { hash, mask_hash, salt_bytes: salt.unwrap_or(hash.output_bytes() as u32) })))
}
