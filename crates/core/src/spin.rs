//! Staying awake for a moment before going to sleep, where news is likely soon.
//!
//! Waking a thread costs some microseconds here and many more until it runs there. Who has just been woken is often wanted again
//! at once: a thread of the pool by the next short job, a loop by the answer to what it sent. What the news is stays with the
//! caller, who looks properly afterwards; here is only a hint of when.

use std::sync::atomic::{AtomicUsize, Ordering};

use phasor_sys::os;

use crate::sync::thread;

/// How often a thread of the pool looks, giving way to others in between: some microseconds, about what being woken would cost.
const YIELDS: u32 = if cfg!(shuttle) { 2 } else { 30 };

/// How often a loop looks, which takes as long.
const SPINS: u32 = if cfg!(shuttle) { 2 } else { 1000 };

/// How many times a loop goes to sleep at once, at most, before it tries again whether there is news.
const MAX_SKIPS: u32 = 63;

/// Whether it pays. With one CPU to run on nobody can bring news meanwhile: whom one gives way to would call back for each
/// single thing.
pub(crate) fn is_multicore() -> bool {
    // 0 before anybody has counted. Nobody waits for whoever is counting: in a child of `fork` that thread may be missing.
    static CPUS: AtomicUsize = AtomicUsize::new(0);
    let mut cpus = CPUS.load(Ordering::Relaxed);
    if cpus == 0 {
        cpus = os::available_parallelism();
        CPUS.store(cpus, Ordering::Relaxed);
    }
    cfg!(shuttle) || cpus > 1
}

/// Returns when there is news, or after a moment. For a thread of the pool: it gives way, as there may be others to run.
pub(crate) fn yield_until(is_ready: impl Fn() -> bool) {
    check(YIELDS, is_ready, thread::yield_now);
}

/// For a loop. It gives way to nobody, as among threads that always run it would lose its turn. Where that was in vain it is not
/// done again at once: who uses up its time for nothing is let in last when there is something.
#[derive(Default)]
pub(crate) struct Spinner {
    /// How many times in a row it was in vain, as the number of rests that follow.
    skips: u32,
    /// How many of them are left.
    skips_left: u32,
}

impl Spinner {
    /// Whether there is news, now or in a moment.
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
