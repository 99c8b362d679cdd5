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
