//! Writes the fields of `Stats` and `BigIntStats` to typed arrays, as `src/node_file-inl.h: FillStatsArray`. `internal/fs/stats` creates the
//! objects.
//!
//! There is one pair of arrays per context, which each call overwrites. So JavaScript has to read an array before the next call.

use std::cell::RefCell;

use phasor_core::file::{Stat, Timespec};
use phasor_engine::{Bytes, ElementType, Fallible, Global, Local, Scope, TypedArray};

/// The number of fields of a file: ten counts, then four times in milliseconds, or in nanoseconds for `BigIntStats`.
const NUMBERS: usize = 14;

/// The largest number of files in one array: `fs.watchFile` reports the current and the previous state.
const FILES: usize = 2;

/// A `Float64Array` and a `BigInt64Array`, created on first use.
#[derive(Default)]
pub(super) struct Arrays {
    plain: RefCell<Option<Global<TypedArray>>>,
    exact: RefCell<Option<Global<TypedArray>>>,
}

impl Arrays {
    /// Writes the fields of the files to an array, the `BigInt64Array` if `exact`.
    pub(super) fn write<'s>(&self, scope: Scope<'s>, stats: &[&Stat], exact: bool) -> Fallible<Local<'s, TypedArray>> {
        let array = self.array(scope, exact)?;
        if let Some(bytes) = Bytes::of(array) {
            let numbers = stats.iter().flat_map(|stat| if exact { exact_bytes(stat) } else { plain_bytes(stat) });
            bytes.write(|bytes| {
                for (eight, number) in bytes.chunks_exact_mut(8).zip(numbers) {
                    eight.copy_from_slice(&number);
                }
            });
        }
        Ok(array)
    }

    fn array<'s>(&self, scope: Scope<'s>, exact: bool) -> Fallible<Local<'s, TypedArray>> {
        let (cached, element) =
            if exact { (&self.exact, ElementType::BigInt64) } else { (&self.plain, ElementType::Float64) };
        if let Some(array) = cached.borrow().as_ref() {
            return Ok(array.get(scope));
        }
        let array = TypedArray::zeroed(scope, element, NUMBERS * FILES)?;
        cached.replace(Some(Global::new(scope, array)));
        Ok(array)
    }
}

fn plain_bytes(stat: &Stat) -> [[u8; 8]; NUMBERS] {
    let (counts, times) = (counts(stat), times(stat));
    std::array::from_fn(|at| match counts.get(at) {
        Some(&count) => count as f64,
        None => ms(times[at - counts.len()]),
    })
    .map(f64::to_ne_bytes)
}

fn exact_bytes(stat: &Stat) -> [[u8; 8]; NUMBERS] {
    let (counts, times) = (counts(stat), times(stat));
    std::array::from_fn(|at| match counts.get(at) {
        Some(&count) => count as i64,
        None => ns(times[at - counts.len()]),
    })
    .map(i64::to_ne_bytes)
}

/// The fields before the times, in Node's order.
fn counts(stat: &Stat) -> [u64; 10] {
    [stat.dev, stat.mode, stat.nlink, stat.uid, stat.gid, stat.rdev, stat.blksize, stat.ino, stat.size, stat.blocks]
}

fn times(stat: &Stat) -> [Timespec; 4] {
    [stat.atime, stat.mtime, stat.ctime, stat.birthtime]
}

/// As `lib/internal/fs/utils.js: msFromTimeSpec`, converts seconds and nanoseconds separately.
fn ms(time: Timespec) -> f64 {
    time.sec as f64 * 1000.0 + time.nsec as f64 / 1e6
}

fn ns(time: Timespec) -> i64 {
    time.sec.wrapping_mul(1_000_000_000).wrapping_add(time.nsec)
}
