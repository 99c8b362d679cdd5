//! Creates `Stats` and `BigIntStats` objects with all their properties.

use std::cell::OnceCell;

use phasor_core::file::{Stat, Timespec};
use phasor_js::{Record, require_builtin, state};
use rquickjs::{BigInt, Ctx, Object, Result, Value};

/// The properties of both classes in Node's order; the last four, in nanoseconds, are those of `BigIntStats` alone.
const NAMES: [&str; 18] = [
    "dev",
    "mode",
    "nlink",
    "uid",
    "gid",
    "rdev",
    "blksize",
    "ino",
    "size",
    "blocks",
    "atimeMs",
    "mtimeMs",
    "ctimeMs",
    "birthtimeMs",
    "atimeNs",
    "mtimeNs",
    "ctimeNs",
    "birthtimeNs",
];

/// How many of `NAMES` `Stats` has.
const PLAIN: usize = 14;

/// The record layouts of both classes, created on first use.
#[derive(Default)]
pub(super) struct Kinds {
    plain: OnceCell<Record>,
    exact: OnceCell<Record>,
}

impl Kinds {
    /// Creates the object; a `BigIntStats` if `exact`.
    pub(super) fn make<'js>(&self, ctx: &Ctx<'js>, stat: &Stat, exact: bool) -> Result<Value<'js>> {
        let times = [stat.atime, stat.mtime, stat.ctime, stat.birthtime];
        if !exact {
            let record = kind(&self.plain, ctx, "Stats", &NAMES[..PLAIN])?;
            let numbers = counts(stat).map(|count| count as f64).into_iter().chain(times.map(ms));
            let values = numbers.map(|number| Value::new_number(ctx.clone(), number));
            return state(ctx).make_record(ctx, record, values);
        }
        let record = kind(&self.exact, ctx, "BigIntStats", &NAMES)?;
        let (ms, ns) = (times.map(|time| ns(time) / 1_000_000), times.map(ns));
        let numbers = counts(stat).map(|count| count as i64).into_iter().chain(ms).chain(ns);
        // Create the BigInts before the object: each allocation may fail.
        let values = numbers.map(|number| Ok(BigInt::from_i64(ctx.clone(), number)?.into_value()));
        let values = values.collect::<Result<Vec<_>>>()?;
        state(ctx).make_record(ctx, record, values)
    }
}

fn kind(known: &OnceCell<Record>, ctx: &Ctx<'_>, class: &str, names: &[&str]) -> Result<Record> {
    if let Some(record) = known.get() {
        return Ok(*record);
    }
    let classes = require_builtin(ctx, "internal/fs/stats")?.get::<Object<'_>>()?;
    let prototype = classes.get::<_, Object<'_>>(class)?.get::<_, Object<'_>>("prototype")?;
    let record = state(ctx).new_record(&prototype, names);
    Ok(*known.get_or_init(|| record))
}

/// The fields before the times, in Node's order.
fn counts(stat: &Stat) -> [u64; 10] {
    [stat.dev, stat.mode, stat.nlink, stat.uid, stat.gid, stat.rdev, stat.blksize, stat.ino, stat.size, stat.blocks]
}

/// As `lib/internal/fs/utils.js: msFromTimeSpec`, converts seconds and nanoseconds separately.
fn ms(time: Timespec) -> f64 {
    time.sec as f64 * 1000.0 + time.nsec as f64 / 1e6
}

fn ns(time: Timespec) -> i64 {
    time.sec.wrapping_mul(1_000_000_000).wrapping_add(time.nsec)
}
