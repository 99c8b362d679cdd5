//! Native verbs of `performance`: the clock that starts with the process.

use std::sync::OnceLock;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use rquickjs::function::Func;
use rquickjs::{Ctx, Object, Result};

/// When this process started, by both clocks.
static START: OnceLock<(Instant, SystemTime)> = OnceLock::new();

/// Takes down when the process started. The first thing that `main` does, else the first look at the clock counts.
pub fn start() {
    START.get_or_init(|| (Instant::now(), SystemTime::now()));
}

/// Milliseconds since the process started.
pub fn now_ms() -> f64 {
    let (start, _) = START.get_or_init(|| (Instant::now(), SystemTime::now()));
    start.elapsed().as_nanos() as f64 / 1e6
}

/// When the process started, in milliseconds since 1970.
fn time_origin_ms() -> f64 {
    let (_, start) = START.get_or_init(|| (Instant::now(), SystemTime::now()));
    // A clock before 1970 is nonsense, but no reason to fall over.
    start.duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_micros() as f64 / 1e3)
}

/// Makes the object of native verbs.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let verbs = Object::new(ctx.clone())?;
    verbs.set("now", Func::from(now_ms))?;
    verbs.set("timeOrigin", time_origin_ms())?;
    Ok(verbs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_goes_on_from_zero() {
        start();
        let first = now_ms();
        let second = now_ms();
        assert!(first >= 0.0 && second >= first);
        assert!(time_origin_ms() > 1.7e12);
    }
}
