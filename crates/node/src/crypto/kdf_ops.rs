//! Native functions for key derivation: PBKDF2, HKDF, scrypt.

use phasor_engine::{Bytes, Fallible, Local, Scope, Value};

use super::{error_name, run, run_shown, zeroed};
use phasor_crypto::digest::Algorithm;

/// `(done, password, salt, rounds, length, digest)`: derives a key with PBKDF2.
pub(super) fn pbkdf2<'s>(
    scope: Scope<'s>,
    done: Local<'s, Value>,
    password: Bytes<'s>,
    salt: Bytes<'s>,
    rounds: f64,
    length: f64,
    digest: String,
) -> Fallible<Local<'s, Value>> {
    let Some(algorithm) = Algorithm::of(&digest) else { return error_name(scope, "digest") };
    let (password, salt) = (password.to_vec(), salt.to_vec());
    let shown = || format!("{digest}, {rounds} rounds, {length} bytes");
    run_shown(scope, done, shown, move || {
        let mut output = zeroed(length)?;
        let is_well = length > 0.0 && algorithm.pbkdf2(&password, &salt, rounds as u32, &mut output);
        if is_well { Ok(output) } else { Err("failed") }
    })
}

/// `(done, digest, key, salt, info, length)`: derives a key with HKDF.
pub(super) fn hkdf<'s>(
    scope: Scope<'s>,
    done: Local<'s, Value>,
    digest: String,
    key: Bytes<'s>,
    salt: Bytes<'s>,
    info: Bytes<'s>,
    length: f64,
) -> Fallible<Local<'s, Value>> {
    let Some(algorithm) = Algorithm::of(&digest) else { return error_name(scope, "digest") };
    if length > (algorithm.output_bytes() * 255) as f64 {
        return error_name(scope, "keyLength");
    }
    let [key, salt, info] = [key, salt, info].map(|bytes| bytes.to_vec());
    run(scope, done, move || {
        let mut output = zeroed(length)?;
        let is_well = length > 0.0 && algorithm.hkdf(&key, &salt, &info, &mut output);
        if is_well { Ok(output) } else { Err("failed") }
    })
}

/// Cost parameters of scrypt.
#[derive(Clone, Copy)]
struct Cost {
    n: f64,
    r: f64,
    p: f64,
    /// The `maxmem` option.
    max_bytes: f64,
}

impl Cost {
    /// Validates as OpenSSL does: "parameters" for invalid parameters, "limit" for too much memory.
    fn check(self) -> Result<::scrypt::Params, &'static str> {
        let Cost { n, r, p, max_bytes } = self;
        let whole = n as u64;
        if !whole.is_power_of_two() || whole < 2 || r < 1.0 || p < 1.0 {
            return Err("parameters");
        }
        let log_n = whole.trailing_zeros();
        let need_bytes = 128.0 * r * p + 128.0 * r * (n + 2.0);
        if p > f64::from((1 << 30) - 1) / r || f64::from(log_n) >= 16.0 * r || need_bytes > max_bytes {
            return Err("limit");
        }
        // The length parameter is used only in the PHC string format, so any valid value will do.
        ::scrypt::Params::new(log_n as u8, r as u32, p as u32, ::scrypt::Params::RECOMMENDED_LEN).map_err(|_| "limit")
    }
}

/// `(done, password, salt, length, [n, r, p, memory])`: derives a key with scrypt. Validates the parameters before the job starts.
pub(super) fn scrypt<'s>(
    scope: Scope<'s>,
    done: Local<'s, Value>,
    password: Bytes<'s>,
    salt: Bytes<'s>,
    length: f64,
    cost: Vec<f64>,
) -> Fallible<Local<'s, Value>> {
    let [n, r, p, max_bytes] = cost[..] else { return error_name(scope, "parameters") };
    let parameters = match (Cost { n, r, p, max_bytes }).check() {
        Ok(parameters) => parameters,
        Err(name) => return error_name(scope, name),
    };
    let (password, salt) = (password.to_vec(), salt.to_vec());
    let shown = || format!("N {n}, r {r}, p {p}, {length} bytes");
    run_shown(scope, done, shown, move || {
        let mut output = zeroed(length)?;
        if length > 0.0 {
            ::scrypt::scrypt(&password, &salt, &parameters, &mut output).map_err(|_| "failed")?;
        }
        Ok(output)
    })
}
