//! Native functions for key agreement (DH, ECDH), EC point conversion, primes and modular powers.

use phasor_engine::{Bytes, Fallible, Local, Scope, Value};

use super::{OpResult, key_of, optional, output_value, run};
use phasor_crypto::curves::{Curve, Form};
use phasor_crypto::entropy::RandomStream;
use phasor_crypto::key::{Key, RawKind};
use phasor_crypto::primes::{self, PrimeSpec};

/// `(done, private key, public key)`: computes the shared secret.
pub(super) fn agree<'s>(
    scope: Scope<'s>,
    done: Local<'s, Value>,
    mine: Bytes<'s>,
    theirs: Bytes<'s>,
) -> Fallible<Local<'s, Value>> {
    let (mine, theirs) = (mine.to_vec(), theirs.to_vec());
    run(scope, done, move || match (key_of(&mine)?, key_of(&theirs)?) {
        (Key::Ec(mine), Key::Ec(theirs)) if mine.curve == theirs.curve => {
            mine.curve.agree(&mine.secret.ok_or("failed")?, &theirs.point).ok_or("failed")
        }
        (Key::Raw(mine), Key::Raw(theirs)) if mine.kind == theirs.kind => {
            let (secret, point) = (mine.secret.ok_or("failed")?, theirs.public);
            let shared = match mine.kind {
                RawKind::X25519 => x25519_dalek::x25519(fixed(&secret)?, fixed(&point)?).to_vec(),
                RawKind::X448 => crrl::x448::x448(&fixed(&point)?, &fixed(&secret)?).to_vec(),
                RawKind::Ed25519 | RawKind::Ed448 => return Err("operation"),
            };
            // A shared secret of zeros comes from a public key of small order (RFC 7748 sections 6.1 and 6.2).
            if shared.iter().all(|&byte| byte == 0) { Err("failed") } else { Ok(shared) }
        }
        (Key::Ec(_), Key::Ec(_)) => Err("parameters"),
        (Key::DsaDh(mine), Key::DsaDh(theirs)) if mine.domain.kind == theirs.domain.kind => mine.agree(&theirs),
        (mine, theirs) if mine.kind() != theirs.kind() => Err("types"),
        _ => Err("operation"),
    })
}

fn fixed<const N: usize>(bytes: &[u8]) -> OpResult<[u8; N]> {
    bytes.try_into().map_err(|_| "failed")
}

/// OpenSSL's names of the supported curves.
pub(super) fn curves(_: Scope<'_>) -> Vec<&'static str> {
    Curve::ALL.iter().map(|curve| curve.name()).collect()
}

/// `(curve)`: generates a private scalar.
pub(super) fn ec_secret<'s>(scope: Scope<'s>, curve: String) -> Fallible<Local<'s, Value>> {
    let made = Curve::of(&curve).ok_or("curve").and_then(|curve| Ok(curve.generate(&mut RandomStream::new()?)));
    output_value(scope, made)
}

/// `(curve, secret)`: the public point, or an error name.
pub(super) fn ec_point<'s>(scope: Scope<'s>, curve: String, secret: Bytes<'s>) -> Fallible<Local<'s, Value>> {
    let curve = Curve::of(&curve);
    let point = secret.read(|secret| curve.ok_or("curve")?.public_of(secret).ok_or("range"));
    output_value(scope, point)
}

/// `(curve, point, form)`: the point in another encoding, or an error name.
pub(super) fn ec_form<'s>(
    scope: Scope<'s>,
    curve: String,
    point: Bytes<'s>,
    form: String,
) -> Fallible<Local<'s, Value>> {
    let curve = Curve::of(&curve);
    let form = match form.as_str() {
        "compressed" => Form::Compressed,
        "hybrid" => Form::Hybrid,
        _ => Form::Uncompressed,
    };
    output_value(scope, point.read(|point| curve.ok_or("curve")?.convert(point, form).ok_or("point")))
}

/// `(curve, secret, point)`: the shared secret, or an error name.
pub(super) fn ec_agree<'s>(
    scope: Scope<'s>,
    curve: String,
    secret: Bytes<'s>,
    point: Bytes<'s>,
) -> Fallible<Local<'s, Value>> {
    let curve = Curve::of(&curve);
    let shared = secret.read_both(point, |secret, point| {
        let curve = curve.ok_or("curve")?;
        curve.convert(point, Form::Uncompressed).ok_or("point")?;
        curve.agree(secret, point).ok_or("failed")
    });
    output_value(scope, shared)
}

/// `(done, bits, is safe, modulus, remainder)`: generates a prime.
pub(super) fn prime<'s>(
    scope: Scope<'s>,
    done: Local<'s, Value>,
    bits: f64,
    is_safe: bool,
    modulus: Option<Bytes<'s>>,
    remainder: Option<Bytes<'s>>,
) -> Fallible<Local<'s, Value>> {
    let spec = PrimeSpec { bits: bits as usize, is_safe, modulus: optional(modulus), remainder: optional(remainder) };
    run(scope, done, move || primes::generate(&spec))
}

/// `(done, number, checks)`: tests primality; the result is one byte.
pub(super) fn is_prime<'s>(
    scope: Scope<'s>,
    done: Local<'s, Value>,
    number: Bytes<'s>,
    checks: f64,
) -> Fallible<Local<'s, Value>> {
    let number = number.to_vec();
    run(scope, done, move || Ok(vec![u8::from(primes::is_prime(&number, checks as u32))]))
}

/// `(base, exponent, modulus)`: modular power, padded to the length of the modulus.
pub(super) fn power<'s>(
    scope: Scope<'s>,
    base: Bytes<'s>,
    exponent: Bytes<'s>,
    modulus: Bytes<'s>,
) -> Fallible<Local<'s, Value>> {
    let [base, exponent, modulus] = [base, exponent, modulus].map(|bytes| bytes.to_vec());
    output_value(scope, primes::power(&base, &exponent, &modulus).ok_or("failed"))
}
