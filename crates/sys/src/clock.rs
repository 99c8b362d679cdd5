//! The clocks: the one that never goes back, and the one of the calendar.
//!
//! The C library is asked and not rustix, whose own way into the kernel's page of clocks looks for that page where
//! valgrind has put none. Both take the same few nanoseconds.
//!
//! # Safety
//! `clock_gettime` fills a struct of ours. To read the processor's counter touches no memory.
#![allow(unsafe_code)]

/// Nanoseconds of `CLOCK_MONOTONIC`: never goes back, starts at an arbitrary point.
#[doc(alias = "uv_hrtime")]
pub fn monotonic_ns() -> u64 {
    let (s, ns) = monotonic();
    // Seconds since boot and nanoseconds below a second: neither is negative.
    s as u64 * 1_000_000_000 + ns as u64
}

/// Seconds and nanoseconds of `CLOCK_MONOTONIC`.
#[doc(alias = "UV_CLOCK_MONOTONIC")]
pub fn monotonic() -> (i64, i32) {
    read(libc::CLOCK_MONOTONIC)
}

/// Seconds and nanoseconds since 1970, by the calendar: it may be set back.
#[doc(alias = "UV_CLOCK_REALTIME")]
pub fn realtime() -> (i64, i32) {
    read(libc::CLOCK_REALTIME)
}

/// Seconds and nanoseconds since the machine started, those that it slept counted where the system counts them.
pub fn since_boot() -> (i64, i32) {
    #[cfg(target_os = "linux")]
    let clock = libc::CLOCK_BOOTTIME;
    #[cfg(not(target_os = "linux"))]
    let clock = libc::CLOCK_MONOTONIC;
    read(clock)
}

/// Seconds and nanoseconds of the processor's time that this thread has taken.
pub fn of_thread() -> (i64, i32) {
    read(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// A clock that every system has: the call cannot fail.
fn read(clock: libc::clockid_t) -> (i64, i32) {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: fills the struct.
    unsafe { libc::clock_gettime(clock, &mut time) };
    // The kernel keeps nanoseconds below a second.
    (time.tv_sec, time.tv_nsec as i32)
}

/// The milliseconds of `CLOCK_MONOTONIC`, for who asks for them millions of times a second.
///
/// The clock itself is asked when the millisecond may be over. Until then the processor's counter is, which takes a third of the
/// time: while it has not come as far as the slowest one would until the end of the millisecond, that end has not come. Who has slept
/// says so, by [`forget`](Milliseconds::forget): nobody knows on which processor he wakes. Otherwise a counter that is set back is
/// seen, and asked about, unless it comes to stand in the same millisecond; it leaves that in half of one.
#[derive(Debug)]
pub struct Milliseconds {
    /// What the clock has told.
    now_ms: u64,
    /// Where the counter was before that, and how far it may come until the clock is asked again.
    from: u64,
    lasts: u64,
    /// Whether there is a counter that can be relied on.
    counts: bool,
}

impl Milliseconds {
    /// How many nanoseconds go by until the slowest counter counts one. Those of today take less, mostly a third of one.
    const SLOWEST_NS: u64 = 2;

    /// Nothing is known yet.
    pub fn new() -> Milliseconds {
        Milliseconds { now_ms: 0, from: 0, lasts: 0, counts: counter::is_steady() }
    }

    /// The milliseconds now: as [`monotonic_ns`], without what is below.
    #[inline]
    pub fn now(&mut self) -> u64 {
        let count = if self.counts { counter::read() } else { 0 };
        if count.wrapping_sub(self.from) >= self.lasts {
            self.ask(count);
        }
        self.now_ms
    }

    /// Has the clock asked the next time.
    #[inline]
    pub fn forget(&mut self) {
        self.lasts = 0;
    }

    fn ask(&mut self, count: u64) {
        const MS: u64 = 1_000_000;
        let now_ns = monotonic_ns();
        self.now_ms = now_ns / MS;
        self.from = count;
        self.lasts = if self.counts { (MS - now_ns % MS) / Self::SLOWEST_NS } else { 0 };
    }
}

impl Default for Milliseconds {
    fn default() -> Milliseconds {
        Milliseconds::new()
    }
}

/// What the processor counts.
#[cfg(target_arch = "x86_64")]
mod counter {
    use std::arch::x86_64::{__cpuid, _rdtsc};
    use std::sync::OnceLock;

    /// Whether it counts at the same rate all the time, also while the processor sleeps: it says so itself.
    pub(super) fn is_steady() -> bool {
        const LEAVES: u32 = 0x8000_0000;
        const POWER: u32 = 0x8000_0007;
        const INVARIANT: u32 = 1 << 8;
        static STEADY: OnceLock<bool> = OnceLock::new();
        *STEADY.get_or_init(|| __cpuid(LEAVES).eax >= POWER && __cpuid(POWER).edx & INVARIANT != 0)
    }

    #[inline]
    pub(super) fn read() -> u64 {
        // SAFETY: every processor of this kind has the instruction.
        unsafe { _rdtsc() }
    }
}

/// None that is known of.
#[cfg(not(target_arch = "x86_64"))]
mod counter {
    pub(super) fn is_steady() -> bool {
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
    fn the_calendar_agrees_with_the_standard_library() {
        let before = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs() as i64;
        let (s, ns) = realtime();
        assert!((s - before).abs() <= 60 && (0..1_000_000_000).contains(&ns));
    }

    #[test]
    fn both_forms_of_the_monotonic_clock_agree() {
        let before = monotonic_ns();
        let (s, ns) = monotonic();
        let between = s as u64 * 1_000_000_000 + ns as u64;
        assert!((before..=monotonic_ns()).contains(&between));
    }

    #[test]
    fn milliseconds_are_those_of_the_clock() {
        let without = Milliseconds { counts: false, ..Milliseconds::new() };
        for mut milliseconds in [Milliseconds::new(), without] {
            let (began, mut now) = (monotonic_ns(), monotonic_ns());
            // Fifty times from one millisecond to the next.
            while now < began + 50_000_000 {
                let told = milliseconds.now();
                let after = monotonic_ns();
                assert!((now / 1_000_000..=after / 1_000_000).contains(&told), "{told} between {now} and {after}");
                now = after;
            }
        }
    }
}
