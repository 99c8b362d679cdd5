//! What other threads may do to a loop: wake it, mark an async handle, leave the result of a task, ask how long it has
//! slept.
//!
//! # Ground rules
//! - A sender writes first (the handle's bit, the finished task) and rings after; the loop lowers the bell first and
//!   looks after. So nothing is left behind unseen, and while the bell is up a further ring costs no system call.
//! - Nor does the first, while the loop is awake and would find nothing but the bell in the kernel: it looks by itself before it
//!   sleeps. It says when it will not any more, and looks once again after that.
//! - [`AsyncSender::send`] takes no lock and allocates nothing: it may be called from a signal handler.
//! - A sender may outlive its handle and its loop. What it marks then is never looked at.

use std::sync::PoisonError;

use phasor_sys::clock;

use crate::face::Face;
use crate::platform::Ring;
use crate::requests::FinishedTask;
use crate::sync::{Arc, AtomicBool, AtomicU64, Mutex, MutexGuard, Ordering};

/// How many async handles share one [`Board`].
pub(crate) const BOARD: usize = 64 * 64;

/// A bell with a memory: only the first ring since the loop last looked reaches the kernel, and only if the loop does not attend.
pub(crate) struct Bell {
    rung: AtomicBool,
    polled: AtomicBool,
    ring: Arc<dyn Ring>,
}

impl Bell {
    pub(crate) fn new(ring: Arc<dyn Ring>) -> Bell {
        Bell { rung: AtomicBool::new(false), polled: AtomicBool::new(false), ring }
    }

    /// Whoever rings has written what it is about before, sequentially consistently: so a bell that is found up has not
    /// been lowered for a look that could miss it, and need not be written to.
    pub(crate) fn ring(&self) {
        if self.rung.load(Ordering::SeqCst) || self.rung.swap(true, Ordering::SeqCst) {
            return;
        }
        if !self.polled.load(Ordering::SeqCst) {
            self.ring.ring();
        }
    }

    /// From now on the loop looks whether it is up, and need not be woken.
    pub(crate) fn begin_polling(&self) {
        self.polled.store(true, Ordering::SeqCst);
    }

    /// From now on the loop must be woken. Whether somebody has rung before: that may not have reached the kernel.
    pub(crate) fn end_polling(&self) -> bool {
        self.polled.store(false, Ordering::SeqCst);
        self.is_rung()
    }

    /// Whether somebody has rung since the loop last looked.
    #[inline]
    pub(crate) fn is_rung(&self) -> bool {
        self.rung.load(Ordering::SeqCst)
    }

    /// If it is up, the kernel is told again: in a child of `fork`, where the parent has heard it, and when the loop no longer attends.
    pub(crate) fn rearm(&self) {
        if self.rung.load(Ordering::SeqCst) {
            self.ring.ring();
        }
    }

    /// Called by the loop before it looks at what the ringing was about.
    pub(crate) fn clear(&self) {
        self.rung.store(false, Ordering::SeqCst);
    }
}

/// Wakes a loop that sleeps in its poll phase, and tells how long it has slept. No event comes of a wake; for that use
/// an async handle.
///
/// ```
/// # use phasor_core::{Loop, RunMode};
/// # struct Plain;
/// # impl phasor_core::Face for Plain { type Handle = (); type Request = (); type Bytes = Vec<u8>; }
/// let mut core = Loop::<Plain>::new().unwrap();
/// let remote = core.remote();
/// std::thread::spawn(move || remote.wake());
/// assert!(core.next(RunMode::Once).is_none());
/// ```
#[derive(Clone)]
pub struct Remote {
    pub(crate) bell: Arc<Bell>,
    pub(crate) idle: Arc<IdleTime>,
}

impl std::fmt::Debug for Remote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Remote")
    }
}

impl Remote {
    /// Makes the current or the next wait of the loop return at once. From any thread or signal handler.
    pub fn wake(&self) {
        self.bell.ring();
    }

    /// How long the loop has slept in its poll phase, the sleep under way included; 0 unless it is
    /// [measuring](crate::Loop::measure) or [counting that](crate::Loop::count_idle). From any thread.
    #[doc(alias = "uv_metrics_idle_time")]
    pub fn idle_ns(&self) -> u64 {
        self.idle.until(clock::monotonic_ns())
    }
}

/// How long a loop has slept. Its lock is taken only while the loop measures.
#[derive(Default)]
pub(crate) struct IdleTime(Mutex<Slept>);

#[derive(Clone, Copy, Default)]
struct Slept {
    /// In sleeps that are over.
    total_ns: u64,
    /// When the sleep under way began.
    since_ns: Option<u64>,
}

impl IdleTime {
    pub(crate) fn begin(&self, at_ns: u64) {
        self.lock().since_ns = Some(at_ns);
    }

    pub(crate) fn end(&self, at_ns: u64) {
        let mut slept = self.lock();
        if let Some(since_ns) = slept.since_ns.take() {
            slept.total_ns += at_ns.saturating_sub(since_ns);
        }
    }

    fn until(&self, at_ns: u64) -> u64 {
        let slept = *self.lock();
        slept.total_ns + slept.since_ns.map_or(0, |since_ns| at_ns.saturating_sub(since_ns))
    }

    /// As a loop itself sees it, which is never asleep when it is asked.
    pub(crate) fn total_ns(&self) -> u64 {
        self.lock().total_ns
    }

    /// Nothing under the lock can panic.
    fn lock(&self) -> MutexGuard<'_, Slept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Which of 4096 async handles have been sent to. One bit each, and one bit for every word that has any.
pub(crate) struct Board {
    words: [AtomicU64; 64],
    summary: AtomicU64,
}

impl Board {
    pub(crate) fn new() -> Board {
        Board { words: std::array::from_fn(|_| AtomicU64::new(0)), summary: AtomicU64::new(0) }
    }

    /// False if it was marked already.
    fn mark(&self, place: usize) -> bool {
        let bit = 1 << (place % 64);
        if self.words[place / 64].fetch_or(bit, Ordering::SeqCst) & bit != 0 {
            return false;
        }
        // Most often it is there: see `take_between`.
        let word = 1 << (place / 64);
        if self.summary.load(Ordering::SeqCst) & word == 0 {
            self.summary.fetch_or(word, Ordering::SeqCst);
        }
        true
    }

    /// The first marked place that is `from` or after it, and before `end`; its mark is taken off.
    pub(crate) fn take_between(&self, from: usize, end: usize) -> Option<usize> {
        let mut word = from / 64;
        let mut mask = !0u64 << (from % 64);
        while word < 64 {
            // Words before this one are not of interest in this pass.
            let candidates = self.summary.load(Ordering::SeqCst) & (!0u64 << word);
            if candidates == 0 {
                return None;
            }
            let next = candidates.trailing_zeros() as usize;
            if next != word {
                (word, mask) = (next, !0);
            }
            let bits = self.words[word].load(Ordering::SeqCst);
            if bits & mask != 0 {
                let bit = (bits & mask).trailing_zeros() as usize;
                if word * 64 + bit >= end {
                    return None;
                }
                self.words[word].fetch_and(!(1 << bit), Ordering::SeqCst);
                return Some(word * 64 + bit);
            }
            // Its summary bit stays until a whole pass finds nothing: a handle that is sent to again and again would
            // have it taken off and put back each time.
            if bits == 0 && mask == !0 {
                self.clear_summary(word);
            }
            (word, mask) = (word + 1, !0);
        }
        None
    }

    /// Takes a word's summary bit off, and puts it back if a sender marked the word in between.
    fn clear_summary(&self, word: usize) {
        self.summary.fetch_and(!(1 << word), Ordering::SeqCst);
        if self.words[word].load(Ordering::SeqCst) != 0 {
            self.summary.fetch_or(1 << word, Ordering::SeqCst);
        }
    }
}

/// Makes the event of one async handle happen, soon, on its loop's thread.
///
/// Sends before the event is handed out melt into one.
#[doc(alias = "uv_async_send")]
#[derive(Clone)]
pub struct AsyncSender {
    pub(crate) board: Arc<Board>,
    pub(crate) place: usize,
    pub(crate) bell: Arc<Bell>,
}

impl std::fmt::Debug for AsyncSender {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AsyncSender").field("place", &self.place).finish_non_exhaustive()
    }
}

impl AsyncSender {
    /// From any thread, and from a signal handler.
    pub fn send(&self) {
        if self.board.mark(self.place) {
            self.bell.ring();
        }
    }
}

/// Where threads of the pool leave what they have finished.
pub(crate) struct Mailbox<F: Face> {
    done: Mutex<Vec<Box<dyn FinishedTask<F>>>>,
    /// Whether there is something in it, so that a wake for another reason need not take the lock.
    nonempty: AtomicBool,
    bell: Arc<Bell>,
}

impl<F: Face> Mailbox<F> {
    pub(crate) fn new(bell: Arc<Bell>) -> Mailbox<F> {
        Mailbox { done: Mutex::new(Vec::new()), nonempty: AtomicBool::new(false), bell }
    }

    pub(crate) fn push(&self, ended: Box<dyn FinishedTask<F>>) {
        self.lock().push(ended);
        self.nonempty.store(true, Ordering::SeqCst);
        self.bell.ring();
    }

    /// Swaps the full box for an empty one.
    pub(crate) fn take_all(&self, into: &mut Vec<Box<dyn FinishedTask<F>>>) {
        debug_assert!(into.is_empty());
        if !self.nonempty.load(Ordering::SeqCst) {
            return;
        }
        // Before the lock: what is left after the swap says so again.
        self.nonempty.store(false, Ordering::SeqCst);
        std::mem::swap(&mut *self.lock(), into);
    }

    /// A thread that panicked while it held the lock left the vector whole: pushing is all that happens under it.
    fn lock(&self) -> impl std::ops::DerefMut<Target = Vec<Box<dyn FinishedTask<F>>>> {
        self.done.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(all(test, shuttle))]
mod shuttle_tests;

#[cfg(all(test, not(shuttle)))]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::{Duration, Instant};

    use super::*;
    use crate::phase::RunMode;
    use crate::state::Loop;

    struct Plain;

    impl Face for Plain {
        type Handle = ();
        type Request = ();
        type Bytes = Vec<u8>;
    }

    /// A mailbox has a descriptor, and so may have what is left in it.
    #[test]
    fn a_mailbox_is_dropped_with_its_loop_even_when_it_holds_results() {
        for loop_dropped_first in [false, true] {
            let mut core = Loop::<Plain>::new().unwrap();
            let mailbox = Arc::downgrade(&core.mailbox);
            let (go, go_receiver) = channel();
            core.work(move || go_receiver.recv().unwrap_or_default(), ());
            if loop_dropped_first {
                core.next(RunMode::NoWait);
                drop(core);
                go.send(()).unwrap();
            } else {
                go.send(()).unwrap();
                until(|| core.mailbox.nonempty.load(Ordering::SeqCst));
                drop(core);
            }
            until(|| mailbox.strong_count() == 0);
        }
    }

    fn until(condition: impl Fn() -> bool) {
        let began = Instant::now();
        while !condition() {
            assert!(began.elapsed() < Duration::from_secs(20));
            thread::sleep(Duration::from_millis(1));
        }
    }

    fn drain(board: &Board) -> Vec<usize> {
        let (mut places, mut from) = (Vec::new(), 0);
        while let Some(place) = board.take_between(from, BOARD) {
            places.push(place);
            from = place + 1;
        }
        places
    }

    #[test]
    fn idle_time_includes_the_wait_in_progress() {
        let idle = IdleTime::default();
        idle.begin(100);
        assert_eq!((idle.until(130), idle.total_ns()), (30, 0));
        idle.end(150);
        assert_eq!((idle.until(500), idle.total_ns()), (50, 50));
    }

    #[test]
    fn marks_come_out_in_order_and_once() {
        let board = Board::new();
        for place in [4095, 64, 0, 63, 65, 64, 1000] {
            board.mark(place);
        }
        assert_eq!(drain(&board), [0, 63, 64, 65, 1000, 4095]);
        assert_eq!(drain(&board), []);
        assert_eq!(drain(&board), []);
        assert_eq!(board.summary.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn a_mark_behind_the_cursor_waits_for_the_next_pass() {
        let board = Board::new();
        board.mark(10);
        assert_eq!(board.take_between(0, BOARD), Some(10));
        board.mark(3);
        board.mark(12);
        assert_eq!(board.take_between(11, 12), None);
        assert_eq!(board.take_between(11, 13), Some(12));
        assert_eq!(board.take_between(13, BOARD), None);
        assert_eq!(board.take_between(0, BOARD), Some(3));
    }
}
