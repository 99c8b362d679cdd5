//! Staying awake for a moment before going to sleep, where news is likely soon.
//!
//! Waking a thread costs some microseconds here and many more until it runs there. Who has just been woken is often wanted again
//! at once: a thread of the pool by the next short job, a loop by the answer to what it sent. What the news is stays with the
//! caller, who looks properly afterwards; here is only a hint of when.

use std::sync::atomic::{AtomicUsize, Ordering};

use phasor_sys::os;

use crate::sync::thread;

/// How often a thread of the pool looks, giving way to others in between: some microseconds, about what being woken would cost.
const LOOKS: u32 = if cfg!(shuttle) { 2 } else { 30 };

/// How often a loop looks, which takes as long.
const SPINS: u32 = if cfg!(shuttle) { 2 } else { 1000 };

/// How many times a loop goes to sleep at once, at most, before it tries again whether there is news.
const MOST_RESTS: u32 = 63;

/// Whether it pays. With one CPU to run on nobody can bring news meanwhile: whom one gives way to would call back for each
/// single thing.
pub(crate) fn pays() -> bool {
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
pub(crate) fn give_way(is_news: impl Fn() -> bool) {
    look(LOOKS, is_news, thread::yield_now);
}

/// For a loop. It gives way to nobody, as among threads that always run it would lose its turn. Where that was in vain it is not
/// done again at once: who uses up its time for nothing is let in last when there is something.
#[derive(Default)]
pub(crate) struct Lookout {
    /// How many times in a row it was in vain, as the number of rests that follow.
    rests: u32,
    /// How many of them are left.
    left: u32,
}

impl Lookout {
    /// Whether there is news, now or in a moment.
    pub(crate) fn sees(&mut self, is_news: impl Fn() -> bool) -> bool {
        if self.left > 0 {
            self.left -= 1;
            return false;
        }
        let sees = look(SPINS, is_news, std::hint::spin_loop);
        self.rests = if sees { 0 } else { MOST_RESTS.min(2 * self.rests + 1) };
        self.left = self.rests;
        sees
    }
}

fn look(times: u32, is_news: impl Fn() -> bool, between: impl Fn()) -> bool {
    for _ in 0..times {
        if is_news() {
            return true;
        }
        between();
    }
    false
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn it_ends_with_the_news_or_after_a_moment() {
        let looks_until = |news: u32| {
            let looks = Cell::new(0);
            give_way(|| looks.replace(looks.get() + 1) + 1 == news);
            looks.get()
        };
        assert_eq!(looks_until(1), 1);
        assert_eq!(looks_until(5), 5);
        assert_eq!(looks_until(u32::MAX), LOOKS);
    }

    #[test]
    fn what_was_in_vain_is_not_tried_again_at_once() {
        let mut lookout = Lookout::default();
        let tried = Cell::new(false);
        let mut rests_until_tried = |news: bool| {
            let mut rests = 0;
            loop {
                tried.set(false);
                lookout.sees(|| tried.replace(true) && news);
                if tried.get() {
                    return rests;
                }
                rests += 1;
            }
        };
        assert_eq!([(); 9].map(|()| rests_until_tried(false)), [0, 1, 3, 7, 15, 31, 63, 63, 63]);
        assert_eq!([rests_until_tried(true), rests_until_tried(true), rests_until_tried(false)], [63, 0, 0]);
        assert_eq!(rests_until_tried(false), 1);
    }
}
