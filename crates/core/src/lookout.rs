//! Staying awake for a moment before going to sleep, where news is likely soon.
//!
//! Waking a thread costs some microseconds here and many more until it runs there. Who has just been woken is often wanted again
//! at once: a thread of the pool by the next short job, a loop by the answer to what it sent. What the news is stays with the
//! caller, who looks properly afterwards; here is only a hint of when.

use std::sync::OnceLock;

use phasor_sys::os;

use crate::sync::thread;

/// How often a thread of the pool looks, giving way to others in between: some microseconds, about what being woken would cost.
const LOOKS: u32 = if cfg!(shuttle) { 2 } else { 30 };

/// How often a loop looks, which takes as long.
const SPINS: u32 = 1000;

/// Whether it pays. With one CPU to run on nobody can bring news meanwhile: whom one gives way to would call back for each
/// single thing.
pub(crate) fn pays() -> bool {
    static PAYS: OnceLock<bool> = OnceLock::new();
    *PAYS.get_or_init(|| cfg!(shuttle) || os::available_parallelism() > 1)
}

/// Returns when there is news, or after a moment. For a thread of the pool: it gives way, as there may be others to run.
pub(crate) fn give_way(is_news: impl Fn() -> bool) {
    look(LOOKS, is_news, thread::yield_now);
}

/// Returns when there is news, or after a moment. For a loop: among threads that always run it would lose its turn by giving way.
pub(crate) fn spin(is_news: impl Fn() -> bool) {
    look(SPINS, is_news, std::hint::spin_loop);
}

fn look(times: u32, is_news: impl Fn() -> bool, between: impl Fn()) {
    for _ in 0..times {
        if is_news() {
            return;
        }
        between();
    }
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn looks_until(is_news: impl Fn(u32) -> bool) -> u32 {
        let looks = Cell::new(0);
        give_way(|| {
            looks.set(looks.get() + 1);
            is_news(looks.get())
        });
        looks.get()
    }

    #[test]
    fn it_ends_with_the_news_or_after_a_moment() {
        assert_eq!(looks_until(|_| true), 1);
        assert_eq!(looks_until(|looks| looks == 5), 5);
        assert_eq!(looks_until(|_| false), LOOKS);
    }
}
