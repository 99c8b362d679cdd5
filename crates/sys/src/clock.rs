//! The clocks: the one that never goes back, and the one of the calendar.
//!
//! The C library is asked and not rustix, whose own way into the kernel's page of clocks looks for that page where
//! valgrind has put none. Both take the same few nanoseconds.
//!
//! # Safety
//! `clock_gettime` fills a struct of ours.
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

/// A clock that every system has: the call cannot fail.
fn read(clock: libc::clockid_t) -> (i64, i32) {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: fills the struct.
    unsafe { libc::clock_gettime(clock, &mut time) };
    // The kernel keeps nanoseconds below a second.
    (time.tv_sec, time.tv_nsec as i32)
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
}
