//! The monotonic clock.

/// Nanoseconds of `CLOCK_MONOTONIC`: never goes back, starts at an arbitrary point.
#[doc(alias = "uv_hrtime")]
pub fn monotonic_ns() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    // Seconds since boot and nanoseconds below a second: neither is negative.
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
