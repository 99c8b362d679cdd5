//! The operations that other threads may do on a loop: wake it, send to an async handle, deliver the result of a task,
//! read its idle time.
//!
//! # Ground rules
//! - A sender first writes (the handle's bit, the finished task) and then rings the bell. The loop first clears the
//!   bell and then reads. So no write is missed, and ringing a bell that is already rung costs no system call.
//! - While the loop is running and the bell is the only thing it could wait for, it *polls the bell*: it reads the flag
//!   before it blocks, and even the first ring costs no system call. Before it blocks the loop ends polling and reads
//!   the flag once more.
//! - [`AsyncSender::send`] takes no lock and does not allocate: signal handlers may call it.
//! - A sender may outlive its handle and its loop. The marks that it then sets are never read.

use std::sync::PoisonError;

use phasor_sys::clock;

use crate::face::Face;
use crate::platform::Ring;
use crate::requests::FinishedTask;
use crate::sync::{Arc, AtomicBool, AtomicU64, Mutex, MutexGuard, Ordering};

/// How many async handles share one [`Board`].
pub(crate) const BOARD: usize = 64 * 64;

/// A flag and a [`Ring`]: only the first ring after the loop cleared the flag makes a system call, and only if the loop
/// is not polling the flag.
pub(crate) struct Bell {
    rung: AtomicBool,
    polled: AtomicBool,
    /// Whether [`Remote::call_attention`] was called.
    attention: AtomicBool,
    ring: Arc<dyn Ring>,
}

impl Bell {
    pub(crate) fn new(ring: Arc<dyn Ring>) -> Bell {
        let [rung, polled, attention] = [(); 3].map(|()| AtomicBool::new(false));
        Bell { rung, polled, attention, ring }
    }

    /// Returns whether [`Remote::call_attention`] was called since the last call of this method.
    pub(crate) fn take_attention(&self) -> bool {
        self.attention.load(Ordering::Relaxed) && self.attention.swap(false, Ordering::SeqCst)
    }

    /// Rings the bell. Before this call, the caller has written its data with sequentially consistent stores. So if the
    /// flag is found set, the loop has not cleared it yet and will see that data: the flag need not be written again,
    /// which keeps its cache line shared.
    pub(crate) fn ring(&self) {
        if self.rung.load(Ordering::SeqCst) || self.rung.swap(true, Ordering::SeqCst) {
            return;
        }
        if !self.polled.load(Ordering::SeqCst) {
            self.ring.ring();
        }
    }

    /// From now on the loop reads the flag before it blocks, so ringing makes no system call.
    pub(crate) fn begin_polling(&self) {
        self.polled.store(true, Ordering::SeqCst);
    }

    /// From now on ringing makes a system call again. Returns whether the bell was rung while the loop polled it,
    /// because that ring made no system call.
    pub(crate) fn end_polling(&self) -> bool {
        self.polled.store(false, Ordering::SeqCst);
        self.is_rung()
    }

    /// Whether the bell was rung since it was last cleared.
    #[inline]
    pub(crate) fn is_rung(&self) -> bool {
        self.rung.load(Ordering::SeqCst)
    }

    /// Repeats the system call if the bell is rung. Needed in a child of `fork`, whose new eventfd has not received the
    /// ring, and after polling the bell.
    pub(crate) fn rearm(&self) {
        if self.rung.load(Ordering::SeqCst) {
            self.ring.ring();
        }
    }

    /// Clears the bell. The loop calls this before it reads the data that the senders wrote.
    pub(crate) fn clear(&self) {
        self.rung.store(false, Ordering::SeqCst);
    }
}

/// Wakes a loop that is blocked in its poll phase, and reads its idle time. A wake causes no event; an async handle
/// does.
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
    /// Makes the current or the next wait of the loop return at once. May be called from any thread and from signal
    /// handlers.
    pub fn wake(&self) {
        self.bell.ring();
    }

    /// Wakes the loop, which returns [`Event::Attention`](crate::Event::Attention) in its poll phase, once for any number
    /// of calls in between. May be called from any thread and from signal handlers.
    pub fn call_attention(&self) {
        self.bell.attention.store(true, Ordering::SeqCst);
        self.bell.ring();
    }

    /// How long the loop has been blocked in its poll phase, including the current wait. 0 unless the loop is
    /// [measuring](crate::Loop::measure) or [counting idle time](crate::Loop::count_idle). May be called from any
    /// thread.
    #[doc(alias = "uv_metrics_idle_time")]
    pub fn idle_ns(&self) -> u64 {
        self.idle.until(clock::monotonic_ns())
    }

    /// The time at which the last blocking wait of the loop ended, by the monotonic clock; `None` while it waits. Code
    /// that has been running since then may block the loop. 0 if the loop has not waited, or does not count idle time.
    /// May be called from any thread.
    pub fn busy_since_ns(&self) -> Option<u64> {
        self.idle.busy_since_ns()
    }
}

/// The idle time of a loop. The lock is taken only while the loop counts.
#[derive(Default)]
pub(crate) struct IdleTime(Mutex<Slept>);

#[derive(Clone, Copy, Default)]
struct Slept {
    /// The total duration of all finished waits.
    total_ns: u64,
    /// The time at which the current wait began.
    since_ns: Option<u64>,
    /// The time at which the last wait ended.
    ended_ns: u64,
}

impl IdleTime {
    pub(crate) fn begin(&self, at_ns: u64) {
        self.lock().since_ns = Some(at_ns);
    }

    pub(crate) fn end(&self, at_ns: u64) {
        let mut slept = self.lock();
        if let Some(since_ns) = slept.since_ns.take() {
            slept.total_ns += at_ns.saturating_sub(since_ns);
            slept.ended_ns = at_ns;
        }
    }

    fn busy_since_ns(&self) -> Option<u64> {
        let slept = *self.lock();
        if slept.since_ns.is_some() { None } else { Some(slept.ended_ns) }
    }

    fn until(&self, at_ns: u64) -> u64 {
        let slept = *self.lock();
        slept.total_ns + slept.since_ns.map_or(0, |since_ns| at_ns.saturating_sub(since_ns))
    }

    /// The idle time, for the loop itself, which is not in a wait when it calls this.
    pub(crate) fn total_ns(&self) -> u64 {
        self.lock().total_ns
    }

    /// Takes the lock. No code under it can panic.
    fn lock(&self) -> MutexGuard<'_, Slept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A bitmap of 4096 async handles: one bit for each handle that was sent to, and a summary bit for every word with a
/// bit set.
pub(crate) struct Board {
    words: [AtomicU64; 64],
    summary: AtomicU64,
}

impl Board {
    pub(crate) fn new() -> Board {
        Board { words: std::array::from_fn(|_| AtomicU64::new(0)), summary: AtomicU64::new(0) }
    }

    /// Sets a handle's bit. Returns false if it was set already.
    fn mark(&self, place: usize) -> bool {
        let bit = 1 << (place % 64);
        if self.words[place / 64].fetch_or(bit, Ordering::SeqCst) & bit != 0 {
            return false;
        }
        // In most cases the summary bit is still set: see `take_between`.
        let word = 1 << (place / 64);
        if self.summary.load(Ordering::SeqCst) & word == 0 {
            self.summary.fetch_or(word, Ordering::SeqCst);
        }
        true
    }

    /// Finds the first set bit in `from..end` and clears it.
    pub(crate) fn take_between(&self, from: usize, end: usize) -> Option<usize> {
        let mut word = from / 64;
        let mut mask = !0u64 << (from % 64);
        while word < 64 {
            // Words before `word` were handled earlier in this pass.
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
            // The summary bit is cleared only when a whole word was found empty. If a program sends to a handle all the
            // time, the handle would otherwise have its summary bit cleared and set each time.
            if bits == 0 && mask == !0 {
                self.clear_summary(word);
            }
            (word, mask) = (word + 1, !0);
        }
        None
    }

    /// Clears the summary bit of a word, and sets it again if a sender marked the word in between.
    fn clear_summary(&self, word: usize) {
        self.summary.fetch_and(!(1 << word), Ordering::SeqCst);
        if self.words[word].load(Ordering::SeqCst) != 0 {
            self.summary.fetch_or(1 << word, Ordering::SeqCst);
        }
    }
}

/// Causes the event of one async handle on the thread of its loop.
///
/// Several sends before the event is returned cause only one event.
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
    /// Marks the handle and wakes its loop. May be called from any thread and from signal handlers.
    pub fn send(&self) {
        if self.board.mark(self.place) {
            self.bell.ring();
        }
    }
}

/// The queue through which pool threads return finished tasks to a loop.
pub(crate) struct Mailbox<F: Face> {
    done: Mutex<Vec<Box<dyn FinishedTask<F>>>>,
    /// Whether the queue may contain something, so that a wake for another reason need not take the lock.
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

    /// Swaps the queue with an empty vector.
    pub(crate) fn take_all(&self, into: &mut Vec<Box<dyn FinishedTask<F>>>) {
        debug_assert!(into.is_empty());
        if !self.nonempty.load(Ordering::SeqCst) {
            return;
        }
        // The flag is cleared before the swap: a push after the swap sets it again.
        self.nonempty.store(false, Ordering::SeqCst);
        std::mem::swap(&mut *self.lock(), into);
    }

    /// Takes the lock. A poisoned lock is harmless: the only operation under it is `push`, which leaves the vector
    /// intact.
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

    #[test]
    fn a_call_for_attention_is_returned_once_and_keeps_nothing_alive() {
        let mut core = Loop::<Plain>::new().unwrap();
        let timer = core.timer_open(());
        core.timer_start(timer, 1, 0).unwrap();
        let remote = core.remote();
        remote.call_attention();
        remote.call_attention();
        // The timer may be due at once.
        let mut kinds: Vec<_> = std::iter::from_fn(|| core.next(RunMode::Default).map(|event| event.kind())).collect();
        kinds.sort();
        assert_eq!(kinds, [crate::EventKind::Timer, crate::EventKind::Attention]);
    }

    /// A mailbox owns a file descriptor, and its tasks may own more; neither may leak.
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
        assert_eq!((idle.until(130), idle.total_ns(), idle.busy_since_ns()), (30, 0, None));
        idle.end(150);
        assert_eq!(idle.busy_since_ns(), Some(150));
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
