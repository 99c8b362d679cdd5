//! Clocks: monotonic, real time, time since boot, CPU time of a thread, and [`MillisecondClock`], a cache of the
//! monotonic one.
//!
//! Calls the C library's `clock_gettime`, not rustix's: rustix finds the vDSO by itself and fails under valgrind, which
//! maps none. Both cost the same few nanoseconds.
//!
//! # Safety
//! `clock_gettime` fills a struct of ours. Reading the timestamp counter touches no memory.
#![allow(unsafe_code)]

/// Nanoseconds of `CLOCK_MONOTONIC`: never goes back, with an arbitrary start.
#[doc(alias = "uv_hrtime")]
pub fn monotonic_ns() -> u64 {
    let (s, ns) = monotonic();
    // Neither part is negative, so the casts are lossless.
    s as u64 * 1_000_000_000 + ns as u64
}

/// Seconds and nanoseconds of `CLOCK_MONOTONIC`.
#[doc(alias = "UV_CLOCK_MONOTONIC")]
pub fn monotonic() -> (i64, i32) {
    read(libc::CLOCK_MONOTONIC)
}

/// Seconds and nanoseconds since the Unix epoch (`CLOCK_REALTIME`). May jump when the clock is set.
#[doc(alias = "UV_CLOCK_REALTIME")]
pub fn realtime() -> (i64, i32) {
    read(libc::CLOCK_REALTIME)
}

/// Seconds and nanoseconds since boot. On Linux this includes the time in suspend (`CLOCK_BOOTTIME`).
pub fn since_boot() -> (i64, i32) {
    #[cfg(target_os = "linux")]
    let clock = libc::CLOCK_BOOTTIME;
    #[cfg(not(target_os = "linux"))]
    let clock = libc::CLOCK_MONOTONIC;
    read(clock)
}

/// Seconds and nanoseconds of CPU time that the calling thread has used.
pub fn thread_cpu() -> (i64, i32) {
    read(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// Reads a clock that exists on every system, so the call cannot fail.
fn read(clock: libc::clockid_t) -> (i64, i32) {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: fills the struct.
    unsafe { libc::clock_gettime(clock, &mut time) };
    // The kernel keeps nanoseconds below a second, so they fit.
    (time.tv_sec, time.tv_nsec as i32)
}

/// The milliseconds of `CLOCK_MONOTONIC`, cheap enough to read millions of times a second.
///
/// [`now`](MillisecondClock::now) reads the processor's timestamp counter (TSC), which takes a third of the time of
/// `clock_gettime`, and reads the clock only if the current millisecond may be over. The clock was last read with some
/// time left in its millisecond; as long as the TSC has advanced by less than the slowest possible TSC would in that
/// time, the millisecond has not ended.
///
/// The TSC may differ between processors. Call [`invalidate`](MillisecondClock::invalidate) after a sleep, since the
/// thread may wake on another processor. A thread that migrates without sleeping sees the TSC jump and reads the clock,
/// unless the TSC lands within the same window; then the result is at most half a millisecond late.
#[derive(Debug)]
pub struct MillisecondClock {
    /// The result of the last reading of the clock.
    now_ms: u64,
    /// The TSC at that reading, and by how much it may advance before the clock has to be read again.
    tsc: u64,
    valid_counts: u64,
    /// True if the TSC exists and runs at a constant rate.
    has_tsc: bool,
}

impl MillisecondClock {
    /// Nanoseconds per count of the slowest TSC that is supported. Current processors need about a third of a
    /// nanosecond.
    const SLOWEST_COUNT_NS: u64 = 2;

    /// A clock that has not been read yet.
    pub fn new() -> MillisecondClock {
        MillisecondClock { now_ms: 0, tsc: 0, valid_counts: 0, has_tsc: tsc::is_invariant() }
    }

    /// The current time: [`monotonic_ns`] in whole milliseconds.
    #[inline]
    pub fn now(&mut self) -> u64 {
        let count = if self.has_tsc { tsc::read() } else { 0 };
        if count.wrapping_sub(self.tsc) >= self.valid_counts {
            self.read_clock(count);
        }
        self.now_ms
    }

    /// Makes the next call of [`now`](MillisecondClock::now) read the clock.
    #[inline]
    pub fn invalidate(&mut self) {
        self.valid_counts = 0;
    }

    fn read_clock(&mut self, count: u64) {
        const MS: u64 = 1_000_000;
        let now_ns = monotonic_ns();
        self.now_ms = now_ns / MS;
        self.tsc = count;
        self.valid_counts = if self.has_tsc { (MS - now_ns % MS) / Self::SLOWEST_COUNT_NS } else { 0 };
    }
}

impl Default for MillisecondClock {
    fn default() -> MillisecondClock {
        MillisecondClock::new()
    }
}

/// The nanoseconds of `CLOCK_MONOTONIC`, at half the cost of `clock_gettime`, for code that reads the time around each of
/// millions of short calls.
///
/// [`now_ns`](NanosecondClock::now_ns) reads the processor's timestamp counter (TSC) and adds the time since the clock
/// was last read. The clock is read again every few milliseconds, which also measures the rate of the TSC; in between
/// the result is off by some tens of nanoseconds. Results never go back.
#[derive(Debug)]
pub struct NanosecondClock {
    /// The clock and the TSC, when both were last read.
    base_ns: u64,
    base_tsc: u64,
    /// The same two since which the rate is measured next.
    measured_from: (u64, u64),
    /// Nanoseconds per count, in units of 2^-32; 0 until the rate is known.
    rate: u64,
    /// After this many counts the clock is read again.
    valid_counts: u64,
    /// The last result.
    last_ns: u64,
    has_tsc: bool,
}

impl NanosecondClock {
    /// The longest time for which the rate of the TSC is trusted.
    const VALID_NS: u64 = 4_000_000;
    /// The shortest time over which the rate is measured.
    const MEASURED_NS: u64 = 200_000;

    /// A clock whose rate is measured by the first readings.
    pub fn new() -> NanosecondClock {
        let has_tsc = tsc::is_invariant();
        let (base_ns, base_tsc) = if has_tsc { read_both() } else { (0, 0) };
        let measured_from = (base_ns, base_tsc);
        NanosecondClock { base_ns, base_tsc, measured_from, rate: 0, valid_counts: 0, last_ns: 0, has_tsc }
    }

    /// The current time.
    #[inline]
    pub fn now_ns(&mut self) -> u64 {
        let tsc = if self.has_tsc { tsc::read() } else { 0 };
        let counts = tsc.wrapping_sub(self.base_tsc);
        let now_ns = if counts < self.valid_counts {
            // Below 2^64: the counts are those of a few milliseconds.
            self.base_ns + ((counts * self.rate) >> 32)
        } else {
            self.read_clock()
        };
        self.last_ns = self.last_ns.max(now_ns);
        self.last_ns
    }

    /// Makes the next call of [`now_ns`](NanosecondClock::now_ns) read the clock. Call it after a sleep: the thread may
    /// wake on a processor whose TSC differs.
    #[inline]
    pub fn invalidate(&mut self) {
        self.valid_counts = 0;
    }

    #[cold]
    fn read_clock(&mut self) -> u64 {
        if !self.has_tsc {
            return monotonic_ns();
        }
        let (now_ns, tsc) = read_both();
        let (measured_ns, measured_tsc) = self.measured_from;
        let (passed_ns, counts) = (now_ns - measured_ns, tsc.wrapping_sub(measured_tsc));
        if passed_ns >= Self::MEASURED_NS && counts > 0 {
            let rate = ((u128::from(passed_ns) << 32) / u128::from(counts)) as u64;
            // The clock stands still while the machine is suspended, and the TSC may go on: the rate is measured anew.
            let has_changed = self.rate != 0 && rate.abs_diff(self.rate) > self.rate / 100;
            if has_changed {
                self.measured_from = (now_ns, tsc);
            }
            self.rate = if has_changed { 0 } else { rate };
        }
        (self.base_ns, self.base_tsc) = (now_ns, tsc);
        // The rate is trusted for as long as it was measured.
        let valid_ns = passed_ns.min(Self::VALID_NS);
        self.valid_counts = (valid_ns << 32).checked_div(self.rate).unwrap_or(0);
        now_ns
    }
}

/// The clock and the TSC at one moment. The thread may be preempted between the two readings: then they are read again.
fn read_both() -> (u64, u64) {
    /// Some microseconds.
    const MOST_COUNTS: u64 = 10_000;
    let mut last = (0, 0);
    for _ in 0..8 {
        let before = tsc::read();
        last = (monotonic_ns(), before);
        if tsc::read().wrapping_sub(before) < MOST_COUNTS {
            break;
        }
    }
    last
}

impl Default for NanosecondClock {
    fn default() -> NanosecondClock {
        NanosecondClock::new()
    }
}

/// The timestamp counter.
#[cfg(target_arch = "x86_64")]
mod tsc {
    use std::arch::x86_64::{__cpuid, _rdtsc};
    use std::sync::OnceLock;

    /// True if the TSC is invariant: constant rate in all power states (CPUID 8000_0007H, EDX bit 8; Intel SDM volume
    /// 3, "Invariant TSC").
    pub(super) fn is_invariant() -> bool {
        const LEAVES: u32 = 0x8000_0000;
        const POWER: u32 = 0x8000_0007;
        const INVARIANT: u32 = 1 << 8;
        static STEADY: OnceLock<bool> = OnceLock::new();
        *STEADY.get_or_init(|| __cpuid(LEAVES).eax >= POWER && __cpuid(POWER).edx & INVARIANT != 0)
    }

    #[inline]
    pub(super) fn read() -> u64 {
        // SAFETY: every x86-64 processor has the instruction.
        unsafe { _rdtsc() }
    }
}

/// No counter is used on other architectures.
#[cfg(not(target_arch = "x86_64"))]
mod tsc {
    pub(super) fn is_invariant() -> bool {
        false
    }

    pub(super) fn read() -> u64 {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn realtime_agrees_with_the_standard_library() {
        let before = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs() as i64;
        let (s, ns) = realtime();
        assert!((s - before).abs() <= 60 && (0..1_000_000_000).contains(&ns));
    }

    #[test]
    fn monotonic_and_monotonic_ns_agree() {
        let before = monotonic_ns();
        let (s, ns) = monotonic();
        let between = s as u64 * 1_000_000_000 + ns as u64;
        assert!((before..=monotonic_ns()).contains(&between));
    }

    #[test]
    fn nanosecond_clock_agrees_with_the_monotonic_clock_and_never_goes_back() {
        let without = NanosecondClock { has_tsc: false, ..NanosecondClock::new() };
        for mut nanoseconds in [NanosecondClock::new(), without] {
            let (began, mut last) = (monotonic_ns(), 0);
            while last < began + 50_000_000 {
                let before = monotonic_ns();
                let now = nanoseconds.now_ns();
                let after = monotonic_ns();
                assert!(now >= last && (before - 5_000..=after + 5_000).contains(&now), "{now} in {before}..{after}");
                last = now;
                if now % 7 == 0 {
                    nanoseconds.invalidate();
                }
            }
        }
    }

    #[test]
    fn millisecond_clock_agrees_with_the_monotonic_clock() {
        let without = MillisecondClock { has_tsc: false, ..MillisecondClock::new() };
        for mut milliseconds in [MillisecondClock::new(), without] {
            let (began, mut now) = (monotonic_ns(), monotonic_ns());
            // Crosses fifty boundaries of a millisecond.
            while now < began + 50_000_000 {
                let read = milliseconds.now();
                let after = monotonic_ns();
                assert!((now / 1_000_000..=after / 1_000_000).contains(&read), "{read} between {now} and {after}");
                now = after;
            }
        }
    }
}
