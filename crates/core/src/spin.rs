//! Adaptive spinning: a thread spins briefly before it blocks, when a wake-up is likely to come soon.
//!
//! Waking a blocked thread costs microseconds for the waker and more until the woken thread runs. A thread that was
//! just woken is often needed again at once: a pool thread by the next short job, a loop by the reply to a message that
//! it sent. The condition passed to these functions is only a hint; the caller checks the real state afterwards.

use std::sync::atomic::{AtomicUsize, Ordering};

use phasor_sys::os;

use crate::sync::thread;

/// How often a pool thread checks its condition. A `sched_yield` follows each check. The checks take some microseconds,
/// about the cost of a wake-up.
const YIELDS: u32 = if cfg!(shuttle) { 2 } else { 30 };

/// How often a loop checks its condition. The checks take as long as the [`YIELDS`] checks of a pool thread.
const SPINS: u32 = if cfg!(shuttle) { 2 } else { 1000 };

/// The most spins that are skipped after unsuccessful ones.
const MAX_SKIPS: u32 = 63;

/// Whether spinning can help. With one CPU, no other thread can make the condition true meanwhile.
pub(crate) fn is_multicore() -> bool {
    // The number of CPUs; 0 until it is computed. This is not a `OnceLock`: in a child of `fork` the thread that
    // initializes it may not exist.
    static CPUS: AtomicUsize = AtomicUsize::new(0);
    let mut cpus = CPUS.load(Ordering::Relaxed);
    if cpus == 0 {
        cpus = os::available_parallelism();
        CPUS.store(cpus, Ordering::Relaxed);
    }
    cfg!(shuttle) || cpus > 1
}

/// Returns when the condition is true, or after [`YIELDS`] checks. Used by pool threads: it yields the CPU to runnable
/// threads.
pub(crate) fn yield_until(is_ready: impl Fn() -> bool) {
    check(YIELDS, is_ready, thread::yield_now);
}

/// The spinner of a loop. It does not call `sched_yield`: if other threads never block, the loop would lose its time
/// slice.
///
/// After an unsuccessful spin the next ones are skipped, up to [`MAX_SKIPS`] of them: the scheduler runs a thread that
/// uses up its time slice last.
#[derive(Default)]
pub(crate) struct Spinner {
    /// How many spins are skipped after each unsuccessful spin: 0, 1, 3, 7, … 63.
    skips: u32,
    /// How many spins are still to be skipped.
    skips_left: u32,
}

impl Spinner {
    /// Spins until the condition is true, and returns true; false if it did not become true in time. Returns false at
    /// once if this spin is skipped.
    pub(crate) fn spin_until(&mut self, is_ready: impl Fn() -> bool) -> bool {
        if self.skips_left > 0 {
            self.skips_left -= 1;
            return false;
        }
        let ready = check(SPINS, is_ready, std::hint::spin_loop);
        self.skips = if ready { 0 } else { MAX_SKIPS.min(2 * self.skips + 1) };
        self.skips_left = self.skips;
        ready
    }
}

fn check(times: u32, is_ready: impl Fn() -> bool, pause: impl Fn()) -> bool {
    for _ in 0..times {
        if is_ready() {
            return true;
        }
        pause();
    }
    false
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn yield_until_returns_when_ready_or_after_its_limit() {
        let checks_until = |ready: u32| {
            let checks = Cell::new(0);
            yield_until(|| checks.replace(checks.get() + 1) + 1 == ready);
            checks.get()
        };
        assert_eq!(checks_until(1), 1);
        assert_eq!(checks_until(5), 5);
        assert_eq!(checks_until(u32::MAX), YIELDS);
    }

    #[test]
    fn unsuccessful_spins_are_followed_by_a_growing_number_of_skips() {
        let mut spinner = Spinner::default();
        let tried = Cell::new(false);
        let mut skips_until_tried = |ready: bool| {
            let mut skips = 0;
            loop {
                tried.set(false);
                spinner.spin_until(|| tried.replace(true) && ready);
                if tried.get() {
                    return skips;
                }
                skips += 1;
            }
        };
        assert_eq!([(); 9].map(|()| skips_until_tried(false)), [0, 1, 3, 7, 15, 31, 63, 63, 63]);
        assert_eq!([skips_until_tried(true), skips_until_tried(true), skips_until_tried(false)], [63, 0, 0]);
        assert_eq!(skips_until_tried(false), 1);
    }
}
