//! The histograms of `perf_hooks`: values with a fixed number of significant digits, and the statistics that Node computes with
//! HdrHistogram (`deps/histogram/src/hdr_histogram.c`).
//!
//! A histogram is shared by its clones on all threads and lives until the last clone is gone. JavaScript refers to it by a number that is
//! the same on all threads. A thread owns the histograms that its objects refer to, until these are collected or the thread ends. A message
//! owns its histograms until it is deserialized.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

use hdrhistogram::Histogram;
use phasor_engine::{BigInt, ErrorKind, Fallible, IntoJs, Local, Object, Scope, Value, define_natives};
use phasor_sys::clock::monotonic_ns;

/// The histograms of all threads.
static ALL: LazyLock<Mutex<All>> = LazyLock::new(Mutex::default);

#[derive(Default)]
struct All {
    /// The last number given out.
    newest: u32,
    by_number: HashMap<u32, Weak<Numbered>>,
}

thread_local! {
    /// The histograms that this thread's objects refer to, by number, each with the number of objects.
    static NAMED: RefCell<HashMap<u32, (Shared, usize)>> = RefCell::default();
}

/// A strong reference to a histogram.
pub(super) type Shared = Arc<Numbered>;

pub(super) struct Numbered {
    number: u32,
    recorded: Mutex<Recorded>,
}

impl Drop for Numbered {
    fn drop(&mut self) {
        all().by_number.remove(&self.number);
    }
}

/// The recorded values.
pub(super) struct Recorded {
    values: Histogram<u64>,
    /// The largest value that can be recorded.
    highest: u64,
    /// The number of recorded values. As in Node, the values of an added histogram count even if they do not fit.
    count: u64,
    /// The number of values above `highest`.
    exceeds: u64,
    /// The time of the last call of `record_delta`; 0 after a reset.
    last_ns: u64,
}

impl Recorded {
    /// An empty histogram for values up to `highest`; `None` if the bounds are invalid.
    pub(super) fn new(lowest: u64, highest: u64, figures: u8) -> Option<Recorded> {
        let values = Histogram::new_with_bounds(lowest, highest, figures).ok()?;
        Some(Recorded { values, highest, count: 0, exceeds: 0, last_ns: 0 })
    }

    fn record(&mut self, value: u64) {
        // The top bucket would accept some values above `highest`; as `hdr_record_value`, reject them.
        if value <= self.highest && self.values.record(value).is_ok() {
            self.count += 1;
        } else {
            self.exceeds += 1;
        }
    }

    /// Records the time since the last call. The first call after a reset records nothing.
    pub(super) fn record_delta(&mut self) {
        let now_ns = monotonic_ns();
        if self.last_ns > 0 {
            self.record(now_ns.saturating_sub(self.last_ns));
        }
        self.last_ns = now_ns;
    }

    fn reset(&mut self) {
        self.values.reset();
        (self.count, self.exceeds, self.last_ns) = (0, 0, 0);
    }

    fn add(&mut self, other: &Recorded) {
        self.count += other.count;
        self.exceeds += other.exceeds;
        self.last_ns = self.last_ns.max(other.last_ns);
        for step in other.values.iter_recorded() {
            let value = step.value_iterated_to();
            if value <= self.highest {
                // As `hdr_add`, values that do not fit are dropped.
                let _ = self.values.record_n(value, step.count_at_value());
            }
        }
    }

    fn min(&self) -> u64 {
        if self.values.is_empty() { i64::MAX as u64 } else { self.values.min() }
    }

    fn max(&self) -> u64 {
        if self.values.is_empty() { 0 } else { self.values.max() }
    }

    /// As `hdr_mean`, with the same rounding: the sum is divided once. NaN if there are no values.
    fn mean(&self) -> f64 {
        let weighed = |(value, count): (u64, u64)| u128::from(value) * u128::from(count);
        self.steps().map(weighed).sum::<u128>() as f64 / self.values.len() as f64
    }

    fn stddev(&self) -> f64 {
        let mean = self.mean();
        let weighed = |(value, count): (u64, u64)| (value as f64 - mean).powi(2) * count as f64;
        (self.steps().map(weighed).sum::<f64>() / self.values.len() as f64).sqrt()
    }

    /// The median of each non-empty bucket, and its count.
    fn steps(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let middle = |value| self.values.median_equivalent(value);
        self.values.iter_recorded().map(move |step| (middle(step.value_iterated_to()), step.count_at_value()))
    }

    /// As `hdr_value_at_percentile`: the highest value of the bucket in which the cumulative count reaches the percentile, rounded to the
    /// nearest count.
    fn percentile(&self, percentile: f64) -> u64 {
        let wanted = ((percentile.min(100.0) / 100.0 * self.values.len() as f64 + 0.5) as u64).max(1);
        let mut seen = 0;
        for step in self.values.iter_recorded() {
            seen += step.count_at_value();
            if seen >= wanted {
                return self.values.highest_equivalent(step.value_iterated_to());
            }
        }
        0
    }

    /// As `hdr_iter_percentile_init` with one step per half distance to 100.
    fn percentiles(&self) -> Vec<(f64, u64)> {
        let total = self.values.len();
        let mut steps = Vec::new();
        let (mut next, mut seen, mut value) = (0.0_f64, 0, 0);
        'values: for step in self.values.iter_recorded() {
            seen += step.count_at_value();
            value = self.values.lowest_equivalent(step.value_iterated_to());
            while next <= 100.0 * seen as f64 / total as f64 {
                steps.push((next, value));
                let halves = ((100.0 / (100.0 - next)).log2() as i64 + 1).min(1023) as i32;
                next += 100.0 / 2.0_f64.powi(halves);
                if seen == total {
                    break 'values;
                }
            }
        }
        steps.push((100.0, value));
        steps
    }
}

fn all() -> MutexGuard<'static, All> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Locks one histogram. No code can panic while the lock is held.
pub(super) fn lock(shared: &Shared) -> MutexGuard<'_, Recorded> {
    shared.recorded.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The histogram with this number, if an object of this thread refers to it.
pub(super) fn find(scope: Scope<'_>, number: u32) -> Fallible<Shared> {
    let found = NAMED.with_borrow(|named| named.get(&number).map(|(shared, _)| shared.clone()));
    found.ok_or_else(|| scope.throw_error(ErrorKind::Error, "no such histogram"))
}

/// A Number or BigInt of at least 1.
fn positive(scope: Scope<'_>, value: Local<'_, Value>) -> Fallible<Option<u64>> {
    if let Some(number) = value.to_f64() {
        return Ok((number >= 1.0).then_some(number as u64));
    }
    match value.cast::<BigInt>() {
        Some(big) => Ok(u64::try_from(big.to_i64_wrapping()).ok()),
        None => Err(scope.throw_type("a number or a bigint")),
    }
}

/// Defines the native functions.
pub(super) fn define<'s>(scope: Scope<'s>, natives: Local<'s, Object>) -> Fallible<()> {
    define_natives!(
        scope, natives,
        "histogram" => create,
        "histogramKeep" => keep,
        "histogramAdopt" => |_, number: u32| adopt(number),
        "histogramDrop" => |_, number: u32| release(number),
        "histogramRecord" => record,
        "histogramDelta" => record_delta,
        "histogramAdd" => add,
        "histogramReset" => reset,
        "histogramRead" => read,
        "histogramReadBig" => read_big,
        "histogramFloat" => float,
        "histogramPercentile" => percentile,
        "histogramPercentileBig" => percentile_big,
        "histogramPercentiles" => percentiles,
        "histogramPercentilesBig" => percentiles_big,
    );
    Ok(())
}

fn create<'s>(
    scope: Scope<'s>,
    lowest: Local<'s, Value>,
    highest: Local<'s, Value>,
    figures: u8,
) -> Fallible<Option<u32>> {
    let (Some(lowest), Some(highest)) = (positive(scope, lowest)?, positive(scope, highest)?) else { return Ok(None) };
    let Some(recorded) = Recorded::new(lowest, highest, figures) else { return Ok(None) };
    Ok(Some(begin(recorded)))
}

/// Registers a histogram with a new number and one reference of this thread.
fn begin(recorded: Recorded) -> u32 {
    let mut all = all();
    all.newest += 1;
    let number = all.newest;
    let shared = Arc::new(Numbered { number, recorded: Mutex::new(recorded) });
    all.by_number.insert(number, Arc::downgrade(&shared));
    NAMED.with_borrow_mut(|named| named.insert(number, (shared, 1)));
    number
}

/// Makes the message that is being serialized own the histogram.
fn keep(scope: Scope<'_>, number: u32) -> Fallible<()> {
    phasor_js::clone::keep_along(find(scope, number)?);
    Ok(())
}

/// Adds a reference of this thread, from an object that is being deserialized. The message still owns the histogram.
fn adopt(number: u32) {
    let Some(shared) = all().by_number.get(&number).and_then(Weak::upgrade) else { return };
    NAMED.with_borrow_mut(|named| named.entry(number).or_insert((shared, 0)).1 += 1);
}

/// Removes one reference of this thread.
fn release(number: u32) {
    let gone = NAMED.with_borrow_mut(|named| {
        let (_, objects) = named.get_mut(&number)?;
        *objects -= 1;
        if *objects == 0 { named.remove(&number) } else { None }
    });
    drop(gone);
}

fn record<'s>(scope: Scope<'s>, number: u32, value: Local<'s, Value>) -> Fallible<()> {
    if let Some(value) = positive(scope, value)? {
        lock(&find(scope, number)?).record(value);
    }
    Ok(())
}

fn record_delta(scope: Scope<'_>, number: u32) -> Fallible<()> {
    lock(&find(scope, number)?).record_delta();
    Ok(())
}

fn add(scope: Scope<'_>, number: u32, other: u32) -> Fallible<()> {
    let (mine, other) = (find(scope, number)?, find(scope, other)?);
    if Arc::ptr_eq(&mine, &other) {
        let mut mine = lock(&mine);
        let copy = Recorded { values: mine.values.clone(), ..*mine };
        mine.add(&copy);
    } else {
        // Copy the other histogram first: two threads that add each other's histogram would deadlock on both locks.
        let copy = {
            let other = lock(&other);
            Recorded { values: other.values.clone(), ..*other }
        };
        lock(&mine).add(&copy);
    }
    Ok(())
}

fn reset(scope: Scope<'_>, number: u32) -> Fallible<()> {
    lock(&find(scope, number)?).reset();
    Ok(())
}

/// `which`: 0 `count`, 1 `exceeds`, 2 `min`, 3 `max`.
fn whole(scope: Scope<'_>, number: u32, which: u8) -> Fallible<u64> {
    let shared = find(scope, number)?;
    let recorded = lock(&shared);
    Ok(match which {
        0 => recorded.count,
        1 => recorded.exceeds,
        2 => recorded.min(),
        _ => recorded.max(),
    })
}

fn read(scope: Scope<'_>, number: u32, which: u8) -> Fallible<f64> {
    Ok(whole(scope, number, which)? as f64)
}

fn read_big<'s>(scope: Scope<'s>, number: u32, which: u8) -> Fallible<Local<'s, BigInt>> {
    let value = whole(scope, number, which)?;
    BigInt::from_u64(scope, value)
}

/// The mean or the standard deviation.
fn float(scope: Scope<'_>, number: u32, deviation: bool) -> Fallible<f64> {
    let shared = find(scope, number)?;
    let recorded = lock(&shared);
    Ok(if deviation { recorded.stddev() } else { recorded.mean() })
}

fn percentile(scope: Scope<'_>, number: u32, percentile: f64) -> Fallible<f64> {
    Ok(lock(&find(scope, number)?).percentile(percentile) as f64)
}

fn percentile_big<'s>(scope: Scope<'s>, number: u32, percentile: f64) -> Fallible<Local<'s, BigInt>> {
    let value = lock(&find(scope, number)?).percentile(percentile);
    BigInt::from_u64(scope, value)
}

/// The percentiles as a flat list: percentile, value, percentile, value …
fn percentiles(scope: Scope<'_>, number: u32) -> Fallible<Vec<f64>> {
    let steps = lock(&find(scope, number)?).percentiles();
    Ok(steps.into_iter().flat_map(|(percentile, value)| [percentile, value as f64]).collect())
}

/// As [`percentiles`], with BigInt values.
fn percentiles_big<'s>(scope: Scope<'s>, number: u32) -> Fallible<Vec<Local<'s, Value>>> {
    let steps = lock(&find(scope, number)?).percentiles();
    let mut list = Vec::with_capacity(steps.len() * 2);
    for (percentile, value) in steps {
        list.push(percentile.into_js(scope)?);
        list.push(BigInt::from_u64(scope, value)?.as_value());
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[u64]) -> Recorded {
        let mut recorded = Recorded::new(1, 1 << 53, 3).unwrap();
        for value in values {
            recorded.record(*value);
        }
        recorded
    }

    #[test]
    fn empty_histogram_has_the_statistics_of_node() {
        let empty = of(&[]);
        assert_eq!((empty.min(), empty.max(), empty.count), (i64::MAX as u64, 0, 0));
        assert!(empty.mean().is_nan() && empty.stddev().is_nan());
        assert_eq!((empty.percentile(50.0), empty.percentiles()), (0, vec![(100.0, 0)]));
    }

    #[test]
    fn percentile_steps_halve_the_distance_to_100() {
        // Expected values printed by Node.
        let recorded = of(&[2, 2, 2, 6]);
        assert_eq!(recorded.percentiles(), [(0.0, 2), (50.0, 2), (75.0, 2), (87.5, 6), (100.0, 6)]);
        assert_eq!((recorded.percentile(75.0), recorded.percentile(90.0)), (2, 6));
        assert_eq!(of(&[1]).percentiles(), [(0.0, 1), (100.0, 1)]);
    }

    #[test]
    fn values_above_the_highest_count_as_exceeding() {
        let mut small = Recorded::new(1, 100, 3).unwrap();
        small.record(100);
        small.record(101);
        assert_eq!((small.count, small.exceeds, small.max()), (1, 1, 100));
        small.add(&of(&[7, 5000]));
        assert_eq!((small.count, small.exceeds, small.max(), small.min()), (3, 1, 100, 7));
        assert!(Recorded::new(5, 6, 3).is_none());
    }

    #[test]
    fn histogram_lives_until_its_last_reference_is_released() {
        let is_there = |number: u32| all().by_number.contains_key(&number);
        let number = begin(of(&[1]));
        // A thread that ends releases its references.
        std::thread::spawn(move || adopt(number)).join().unwrap();
        adopt(number);
        release(number);
        assert!(is_there(number));
        release(number);
        assert!(!is_there(number));
        adopt(number);
        assert!(!is_there(number));
        let left = std::thread::spawn(|| begin(of(&[1]))).join().unwrap();
        assert!(!is_there(left));
    }
}
