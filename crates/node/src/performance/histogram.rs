//! Histograms as `perf_hooks` has them: values recorded with a fixed number of significant figures, and what Node's own
//! (HdrHistogram's C) answers about them.
//!
//! A histogram is shared by all of its clones, whichever thread they are on, and lives until the last of them is gone. JavaScript
//! knows it by a number, which is the same for all of them. A thread keeps those that its objects name, and gives them up with them
//! or at its end; a message keeps what it is about until it has been read.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

use hdrhistogram::Histogram;
use phasor_js::clone;
use phasor_sys::clock::monotonic_ns;
use rquickjs::{BigInt, Ctx, Exception, Object, Result, Value};

/// The histograms of all threads.
static ALL: LazyLock<Mutex<All>> = LazyLock::new(Mutex::default);

#[derive(Default)]
struct All {
    /// The number of the newest.
    newest: u32,
    by_number: HashMap<u32, Weak<Numbered>>,
}

thread_local! {
    /// The histograms that objects of this thread name, by number, and how many objects do.
    static NAMED: RefCell<HashMap<u32, (Shared, usize)>> = RefCell::default();
}

/// A histogram that somebody has.
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

/// What was recorded.
pub(super) struct Recorded {
    values: Histogram<u64>,
    highest: u64,
    /// How many were recorded; merged ones count even where they do not fit, as in Node.
    count: u64,
    /// How many were too large.
    exceeds: u64,
    /// When the last difference was taken, or 0.
    last_ns: u64,
}

impl Recorded {
    /// An empty one for values up to `highest`, or nothing if the bounds make no sense.
    pub(super) fn new(lowest: u64, highest: u64, figures: u8) -> Option<Recorded> {
        let values = Histogram::new_with_bounds(lowest, highest, figures).ok()?;
        Some(Recorded { values, highest, count: 0, exceeds: 0, last_ns: 0 })
    }

    fn record(&mut self, value: u64) {
        // What the buckets could take above the highest value does not count: as Node's.
        if value <= self.highest && self.values.record(value).is_ok() {
            self.count += 1;
        } else {
            self.exceeds += 1;
        }
    }

    /// Records the time since the last call, if there was one since the reset.
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
                // What does not fit is dropped, as by `hdr_add`.
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

    /// As `hdr_mean`, to the last digit: the sum is divided once. No value at all is no number.
    fn mean(&self) -> f64 {
        let weighed = |(value, count): (u64, u64)| u128::from(value) * u128::from(count);
        self.steps().map(weighed).sum::<u128>() as f64 / self.values.len() as f64
    }

    fn stddev(&self) -> f64 {
        let mean = self.mean();
        let weighed = |(value, count): (u64, u64)| (value as f64 - mean).powi(2) * count as f64;
        (self.steps().map(weighed).sum::<f64>() / self.values.len() as f64).sqrt()
    }

    /// The middle of each bucket that has values, and how many.
    fn steps(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let middle = |value| self.values.median_equivalent(value);
        self.values.iter_recorded().map(move |step| (middle(step.value_iterated_to()), step.count_at_value()))
    }

    /// As `hdr_value_at_percentile`: of so many values, rounded to the nearest, the largest.
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

    /// As `hdr_iter_percentile_init` with one step per half of the way that is left to 100.
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

/// The lock of one histogram. Nothing under it can panic.
pub(super) fn lock(shared: &Shared) -> MutexGuard<'_, Recorded> {
    shared.recorded.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The histogram of a number that an object of this thread names.
pub(super) fn find(ctx: &Ctx<'_>, number: u32) -> Result<Shared> {
    let found = NAMED.with_borrow(|named| named.get(&number).map(|(shared, _)| shared.clone()));
    found.ok_or_else(|| Exception::throw_internal(ctx, "no such histogram"))
}

/// A number or a BigInt of JavaScript, from 1 on.
fn positive(ctx: &Ctx<'_>, value: Value<'_>) -> Result<Option<u64>> {
    if let Some(number) = value.as_number() {
        return Ok((number >= 1.0).then_some(number as u64));
    }
    match value.into_big_int() {
        Some(big) => Ok(u64::try_from(big.to_i64()?).ok()),
        None => Err(Exception::throw_type(ctx, "a number or a bigint")),
    }
}

/// Puts the verbs on an object.
pub(super) fn define<'js>(ctx: &Ctx<'js>, verbs: &Object<'js>) -> Result<()> {
    verbs!(ctx, verbs,
        "histogram" => create,
        "histogramKeep" => keep,
        "histogramAdopt" => adopt,
        "histogramDrop" => release,
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

fn create<'js>(ctx: Ctx<'js>, lowest: Value<'js>, highest: Value<'js>, figures: u8) -> Result<Option<u32>> {
    let (Some(lowest), Some(highest)) = (positive(&ctx, lowest)?, positive(&ctx, highest)?) else { return Ok(None) };
    let Some(recorded) = Recorded::new(lowest, highest, figures) else { return Ok(None) };
    Ok(Some(begin(recorded)))
}

/// Gives a histogram its number; an object of this thread names it.
fn begin(recorded: Recorded) -> u32 {
    let mut all = all();
    all.newest += 1;
    let number = all.newest;
    let shared = Arc::new(Numbered { number, recorded: Mutex::new(recorded) });
    all.by_number.insert(number, Arc::downgrade(&shared));
    NAMED.with_borrow_mut(|named| named.insert(number, (shared, 1)));
    number
}

/// The message that is being written keeps it.
fn keep(ctx: Ctx<'_>, number: u32) -> Result<()> {
    clone::keep_along(find(&ctx, number)?);
    Ok(())
}

/// One more object of this thread names it: one that is made of a message, which still keeps it.
fn adopt(number: u32) {
    let Some(shared) = all().by_number.get(&number).and_then(Weak::upgrade) else { return };
    NAMED.with_borrow_mut(|named| named.entry(number).or_insert((shared, 0)).1 += 1);
}

/// One object less names it.
fn release(number: u32) {
    let gone = NAMED.with_borrow_mut(|named| {
        let (_, objects) = named.get_mut(&number)?;
        *objects -= 1;
        if *objects == 0 { named.remove(&number) } else { None }
    });
    drop(gone);
}

fn record<'js>(ctx: Ctx<'js>, number: u32, value: Value<'js>) -> Result<()> {
    if let Some(value) = positive(&ctx, value)? {
        lock(&find(&ctx, number)?).record(value);
    }
    Ok(())
}

fn record_delta(ctx: Ctx<'_>, number: u32) -> Result<()> {
    lock(&find(&ctx, number)?).record_delta();
    Ok(())
}

fn add(ctx: Ctx<'_>, number: u32, other: u32) -> Result<()> {
    let (mine, other) = (find(&ctx, number)?, find(&ctx, other)?);
    if Arc::ptr_eq(&mine, &other) {
        let mut mine = lock(&mine);
        let copy = Recorded { values: mine.values.clone(), ..*mine };
        mine.add(&copy);
    } else {
        // Copied, so that two threads that add each other's do not wait for each other for ever.
        let copy = {
            let other = lock(&other);
            Recorded { values: other.values.clone(), ..*other }
        };
        lock(&mine).add(&copy);
    }
    Ok(())
}

fn reset(ctx: Ctx<'_>, number: u32) -> Result<()> {
    lock(&find(&ctx, number)?).reset();
    Ok(())
}

/// What `count`, `exceeds`, `min` and `max` are, in this order by `which`.
fn whole(ctx: &Ctx<'_>, number: u32, which: u8) -> Result<u64> {
    let shared = find(ctx, number)?;
    let recorded = lock(&shared);
    Ok(match which {
        0 => recorded.count,
        1 => recorded.exceeds,
        2 => recorded.min(),
        _ => recorded.max(),
    })
}

fn read(ctx: Ctx<'_>, number: u32, which: u8) -> Result<f64> {
    Ok(whole(&ctx, number, which)? as f64)
}

fn read_big<'js>(ctx: Ctx<'js>, number: u32, which: u8) -> Result<BigInt<'js>> {
    let value = whole(&ctx, number, which)?;
    BigInt::from_u64(ctx, value)
}

/// The mean, or the standard deviation.
fn float(ctx: Ctx<'_>, number: u32, deviation: bool) -> Result<f64> {
    let shared = find(&ctx, number)?;
    let recorded = lock(&shared);
    Ok(if deviation { recorded.stddev() } else { recorded.mean() })
}

fn percentile(ctx: Ctx<'_>, number: u32, percentile: f64) -> Result<f64> {
    Ok(lock(&find(&ctx, number)?).percentile(percentile) as f64)
}

fn percentile_big<'js>(ctx: Ctx<'js>, number: u32, percentile: f64) -> Result<BigInt<'js>> {
    let value = lock(&find(&ctx, number)?).percentile(percentile);
    BigInt::from_u64(ctx, value)
}

/// Percentile, value, percentile, value …
fn percentiles(ctx: Ctx<'_>, number: u32) -> Result<Vec<f64>> {
    let steps = lock(&find(&ctx, number)?).percentiles();
    Ok(steps.into_iter().flat_map(|(percentile, value)| [percentile, value as f64]).collect())
}

/// As [`percentiles`], with BigInts for values.
fn percentiles_big<'js>(ctx: Ctx<'js>, number: u32) -> Result<Vec<Value<'js>>> {
    let steps = lock(&find(&ctx, number)?).percentiles();
    let mut list = Vec::with_capacity(steps.len() * 2);
    for (percentile, value) in steps {
        list.push(Value::new_number(ctx.clone(), percentile));
        list.push(BigInt::from_u64(ctx.clone(), value)?.into_value());
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
    fn an_empty_one_answers_as_nodes() {
        let empty = of(&[]);
        assert_eq!((empty.min(), empty.max(), empty.count), (i64::MAX as u64, 0, 0));
        assert!(empty.mean().is_nan() && empty.stddev().is_nan());
        assert_eq!((empty.percentile(50.0), empty.percentiles()), (0, vec![(100.0, 0)]));
    }

    #[test]
    fn percentiles_halve_the_way_to_the_end() {
        // As Node printed for these values.
        let recorded = of(&[2, 2, 2, 6]);
        assert_eq!(recorded.percentiles(), [(0.0, 2), (50.0, 2), (75.0, 2), (87.5, 6), (100.0, 6)]);
        assert_eq!((recorded.percentile(75.0), recorded.percentile(90.0)), (2, 6));
        assert_eq!(of(&[1]).percentiles(), [(0.0, 1), (100.0, 1)]);
    }

    #[test]
    fn what_is_above_the_highest_is_counted_apart() {
        let mut small = Recorded::new(1, 100, 3).unwrap();
        small.record(100);
        small.record(101);
        assert_eq!((small.count, small.exceeds, small.max()), (1, 1, 100));
        small.add(&of(&[7, 5000]));
        assert_eq!((small.count, small.exceeds, small.max(), small.min()), (3, 1, 100, 7));
        assert!(Recorded::new(5, 6, 3).is_none());
    }

    #[test]
    fn a_histogram_lives_as_long_as_somebody_names_it() {
        let is_there = |number: u32| all().by_number.contains_key(&number);
        let number = begin(of(&[1]));
        // Its thread ends without having let go of it.
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
