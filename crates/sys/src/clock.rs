//! The clocks: the one that never goes back, and the one of the calendar.

/// Nanoseconds of `CLOCK_MONOTONIC`: never goes back, starts at an arbitrary point.
#[doc(alias = "uv_hrtime")]
pub fn monotonic_ns() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    // Seconds since boot and nanoseconds below a second: neither is negative.
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Seconds and nanoseconds of `CLOCK_MONOTONIC`.
#[doc(alias = "UV_CLOCK_MONOTONIC")]
pub fn monotonic() -> (i64, i32) {
    parts(rustix::time::clock_gettime(rustix::time::ClockId::Monotonic))
}

/// Seconds and nanoseconds since 1970, by the calendar: it may be set back.
#[doc(alias = "UV_CLOCK_REALTIME")]
pub fn realtime() -> (i64, i32) {
    parts(rustix::time::clock_gettime(rustix::time::ClockId::Realtime))
}

/// The kernel keeps nanoseconds below a second.
fn parts(time: rustix::time::Timespec) -> (i64, i32) {
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
