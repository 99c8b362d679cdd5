//! Native functions for key derivation: PBKDF2, HKDF, scrypt.

use phasor_js::bytes::{Bytes, Text, string_from_str};
use rquickjs::{Ctx, Result, Value};

use super::{algorithm, copied, run, zeroed};

/// `(done, password, salt, rounds, length, digest)`: derives a key with PBKDF2.
pub(super) fn pbkdf2<'js>(
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
        let mut output = zeroed(length)?;
        let is_well = length > 0.0 && algorithm.pbkdf2(&password, &salt, rounds as u32, &mut output);
        if is_well { Ok(output) } else { Err("failed") }
    })
}

/// `(done, digest, key, salt, info, length)`: derives a key with HKDF.
pub(super) fn hkdf<'js>(
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
    fn check(self) -> std::result::Result<::scrypt::Params, &'static str> {
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
pub(super) fn scrypt<'js>(
    ctx: Ctx<'js>,
    done: Value<'js>,
    password: Bytes<'js>,
    salt: Bytes<'js>,
    length: f64,
    cost: Vec<f64>,
) -> Result<Value<'js>> {
    let [n, r, p, max_bytes] = cost[..] else { return string_from_str(&ctx, "parameters") };
    let parameters = match (Cost { n, r, p, max_bytes }).check() {
        Ok(parameters) => parameters,
        Err(name) => return string_from_str(&ctx, name),
    };
    let (password, salt) = (copied(&password), copied(&salt));
    run(&ctx, &done, move || {
        let mut output = zeroed(length)?;
        if length > 0.0 {
            ::scrypt::scrypt(&password, &salt, &parameters, &mut output).map_err(|_| "failed")?;
        }
        Ok(output)
    })
}
