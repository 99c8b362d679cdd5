//! The thread pool: one for the process, shared by all loops, started with the first job.
//!
//! # Ground rules
//! - What is next is decided in [`queue`](self::queue), under the one lock. A job is run, given up and dropped without
//!   it.
//! - Whenever the lock is let go, and there is something to take and a thread asleep, at least one thread is on its way
//!   (`waking`), at most [`MAX_WAKING`]. Each that arrives wakes another if it leaves something. So a burst of short jobs
//!   costs a system call or two, not one for each, and long jobs spread over all threads one after the other.
//! - Of the threads that run out of jobs one stays awake for a moment and counts as on its way (`has_lookout`).
//! - A thread never ends, whatever a job does, unless the pool is closed. A child of `fork` has none of them: there the pool
//!   is started anew, and what was queued is lost, as in libuv.
//! - Nobody has the pool before all of its threads have begun, as `init_threads`. A thread that is just being set up may
//!   hold locks of the C library, and a child of `fork` would find them locked for ever.

mod queue;
#[cfg(all(test, shuttle))]
mod shuttle_tests;
#[cfg(all(test, not(shuttle)))]
mod tests;

use std::cell::Cell;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex as StaticMutex, PoisonError};

use phasor_sys::{Errno, fork};

pub(crate) use self::queue::{Number, Queue};
use crate::spin;
use crate::sync::{Arc, AtomicBool, Condvar, Mutex, MutexGuard, Ordering, thread};

/// Something a thread of the pool does.
pub trait Job: Send {
    /// Does it, and leaves the result where it belongs.
    fn run(self: Box<Self>);

    /// Leaves word that it will not be done, and why: `ECANCELED` if it was taken back before a thread began it,
    /// `EAGAIN` if no thread could be started.
    fn give_up(self: Box<Self>, why: Errno);
}

/// How long a job may keep a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Computes, or works on files.
    Fast,
    /// May wait for the network (names): at most half of the threads do such work at a time.
    Slow,
}

/// Names a job that was submitted. Once a thread has begun it the ticket is worthless.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ticket {
    pub(crate) number: Number,
    /// Which process's pool it was given to, see [`fork::generation`].
    pub(crate) generation: u32,
}

/// libuv's name for them: profilers, debuggers and people know the threads of the pool by it.
const THREAD_NAME: &str = "libuv-worker";

/// What libuv calls the number of threads when nobody says another.
const DEFAULT_THREADS: usize = 4;
const MAX_THREADS: u32 = 1024;
/// How many threads are on their way at a time. One starts them one after the other, and then a wide burst of file
/// operations was slower than with libuv; all of them at once woke most for nothing.
const MAX_WAKING: usize = 2;
const STACK_BYTES: usize = 8 << 20;

/// The threads and the jobs they have not begun.
///
/// What is touched for every job lies together at the front, with the lock: two lines of memory go from CPU to CPU for it, where
/// four did.
#[repr(C, align(64))]
pub(crate) struct Pool {
    state: Mutex<State>,
    work_available: Condvar,
    /// Told by the last of the threads that were started, once all have [begun](State::begun).
    all_running: Condvar,
    /// Whether something was queued since the [lookout](State::has_lookout) began. A hint: what is so is under the lock.
    job_queued: AtomicBool,
    /// Whether a thread with nothing to do [stays awake](lookout::pays) for a moment.
    spins: bool,
    /// Of the process whose threads these are.
    generation: u32,
    /// Whether it is [closed](Pool::close), for those who would bring a job.
    is_closed: AtomicBool,
}

#[repr(C)]
struct State {
    queue: Queue,
    /// How many threads are still to be started, see [`Pool::ready`].
    wanted: usize,
    /// How many were started.
    threads: usize,
    /// How many of them run.
    running: usize,
    /// How many threads are asleep, or were and do not have the lock yet.
    idle: usize,
    /// How many of the idle ones were woken and have not looked yet.
    waking: usize,
    /// Whether a thread with nothing to do is still awake, looking for news. It takes the lock before it sleeps.
    has_spinner: bool,
    /// How many threads do slow jobs.
    slow: usize,
    /// No more jobs will come: threads end when there is nothing to do.
    closed: bool,
    /// To wait for the threads' ends.
    workers: Vec<thread::JoinHandle<()>>,
}

impl State {
    fn new(wanted: usize) -> State {
        State {
            queue: Queue::new(),
            wanted,
            threads: 0,
            running: 0,
            idle: 0,
            waking: 0,
            has_spinner: false,
            slow: 0,
            closed: false,
            workers: Vec::new(),
        }
    }

    /// As `slow_work_thread_threshold`: half of the threads, rounded up.
    fn slow_may_run(&self) -> bool {
        self.slow < self.threads.div_ceil(2)
    }

    /// Whether a thread has to be woken before the lock is let go.
    fn reserve_wake(&mut self) -> bool {
        let slow_may_run = self.slow_may_run();
        let coming = self.waking + usize::from(self.has_spinner);
        let wakes =
            self.idle > self.waking && coming < MAX_WAKING.min(self.queue.len()) && self.queue.has_next(slow_may_run);
        self.waking += usize::from(wakes);
        wakes
    }
}

thread_local! {
    /// Whether this thread is one of a pool.
    static IS_POOL_THREAD: Cell<bool> = const { Cell::new(false) };
}

/// The process's pool, once it is started.
static POOL: StaticMutex<Option<Arc<Pool>>> = StaticMutex::new(None);

/// Ends the threads of the process's pool: returns when everything that was given to it is done, and they are gone. A pool
/// that is needed after this is started anew.
///
/// As `uv_library_shutdown`, and like it for the end of a process: a job that does not end is waited for.
#[doc(alias = "uv_library_shutdown")]
pub fn shut_pool_down() {
    // Held in a child of `fork` only if it was held in the parent, by a thread that the child does not have.
    let Ok(pool) = POOL.try_lock().map(|mut pool| pool.take()) else { return };
    if let Some(pool) = pool.filter(|pool| pool.is_usable()) {
        pool.close();
        pool.join();
    }
}

impl Pool {
    /// The process's pool, started at the first call.
    pub(crate) fn of_process() -> Arc<Pool> {
        let mut shared = POOL.lock().unwrap_or_else(PoisonError::into_inner);
        let pool = match &*shared {
            Some(pool) if pool.is_usable() => pool.clone(),
            _ => shared.insert(Pool::new(size(std::env::var_os("UV_THREADPOOL_SIZE").as_deref()))).clone(),
        };
        // Not held while the threads start: a child of `fork` would wait for it in vain.
        drop(shared);
        pool.start_threads();
        pool
    }

    /// False in a child of the process that started it, and once it is closed.
    pub(crate) fn is_usable(&self) -> bool {
        self.generation == fork::generation() && !self.is_closed.load(Ordering::Relaxed)
    }

    /// A pool of so many threads, or of as many of them as there can be, all of which have begun.
    #[cfg(test)]
    pub(crate) fn start(size: usize) -> Arc<Pool> {
        let pool = Pool::new(size);
        pool.start_threads();
        pool
    }

    /// A pool that is to have so many threads, and has none yet.
    fn new(size: usize) -> Arc<Pool> {
        Arc::new(Pool {
            state: Mutex::new(State::new(size)),
            work_available: Condvar::new(),
            all_running: Condvar::new(),
            job_queued: AtomicBool::new(false),
            spins: spin::is_multicore(),
            generation: fork::generation(),
            is_closed: AtomicBool::new(false),
        })
    }

    /// Starts the threads that are still wanted, and returns when all have begun. If one cannot be started there are as many as
    /// could be.
    fn start_threads(self: &Arc<Pool>) {
        let mut state = self.lock();
        for _ in 0..std::mem::take(&mut state.wanted) {
            if !self.start_thread(&mut state) {
                break;
            }
        }
        drop(self.wait_until_running(state));
    }

    /// Waits until every thread that was started has begun.
    fn wait_until_running<'a>(&self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        while state.running < state.threads {
            state = self.all_running.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state
    }

    fn start_thread(self: &Arc<Pool>, state: &mut State) -> bool {
        let builder = thread::Builder::new().name(THREAD_NAME.into()).stack_size(STACK_BYTES);
        let pool = self.clone();
        let Ok(worker) = builder.spawn(move || pool.run_worker()) else { return false };
        state.workers.push(worker);
        state.threads += 1;
        true
    }

    /// What each thread does.
    fn run_worker(&self) {
        IS_POOL_THREAD.set(true);
        let mut state = self.lock();
        state.running += 1;
        if state.running == state.threads {
            self.all_running.notify_all();
        }
        let mut has_spun = false;
        loop {
            let slow_may_run = state.slow_may_run();
            let Some((job, class)) = state.queue.pop(slow_may_run) else {
                if state.closed {
                    return;
                }
                if !std::mem::replace(&mut has_spun, true) && !state.has_spinner && self.spins {
                    state = self.spin(state);
                    continue;
                }
                state.idle += 1;
                state = self.work_available.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.idle -= 1;
                // Whoever was woken: this one looks now. Waking nobody in particular, the count may be too low, never
                // too high: that would leave somebody asleep.
                state.waking = state.waking.saturating_sub(1);
                continue;
            };
            has_spun = false;
            state.slow += usize::from(class == Class::Slow);
            let wakes = state.reserve_wake();
            drop(state);
            if wakes {
                self.work_available.notify_one();
            }
            // Jobs of this crate see to their panics themselves; this is so that no other one ends the thread. The
            // payload is somebody's value, and dropping it may panic again.
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| job.run())) {
                std::mem::forget(payload);
            }
            state = self.lock();
            state.slow -= usize::from(class == Class::Slow);
        }
    }

    /// Stays awake for a moment, until there is news.
    fn spin<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        state.has_spinner = true;
        self.job_queued.store(false, Ordering::Relaxed);
        drop(state);
        spin::yield_until(|| self.job_queued.load(Ordering::Relaxed));
        state = self.lock();
        state.has_spinner = false;
        state
    }

    /// Puts a job at the end of the queue. If there is no thread and none can be started it is given up at once.
    pub(crate) fn submit(self: &Arc<Pool>, job: Box<dyn Job>, class: Class) -> Ticket {
        let mut state = self.lock();
        let has_threads = state.threads > 0 || self.start_thread(&mut state);
        state = self.wait_until_running(state);
        let number = state.queue.push(job, class);
        if state.has_spinner {
            self.job_queued.store(true, Ordering::Relaxed);
        }
        let given_up = if has_threads { None } else { state.queue.take_back(number) };
        let wakes = state.reserve_wake();
        drop(state);
        if wakes {
            self.work_available.notify_one();
        }
        if let Some(job) = given_up {
            job.give_up(Errno::EAGAIN);
        }
        Ticket { number, generation: self.generation }
    }

    /// Takes a job back that no thread has begun.
    pub(crate) fn take_back(&self, ticket: Ticket) -> Option<Box<dyn Job>> {
        if ticket.generation != self.generation {
            return None;
        }
        self.lock().queue.take_back(ticket.number)
    }

    /// Lets the threads end when everything is done.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
        self.lock().closed = true;
        self.work_available.notify_all();
    }

    /// Waits until the threads have ended, but for the one that asks: a job may end the process.
    fn join(&self) {
        let workers = std::mem::take(&mut self.lock().workers);
        // Only asked on a thread of a pool: elsewhere, such as a C program's first thread, the answer is memory that nobody
        // frees before the end.
        let own = IS_POOL_THREAD.get().then(|| thread::current().id());
        for worker in workers {
            if Some(worker.thread().id()) != own {
                // No job's panic ends a thread, and none would matter here.
                let _ = worker.join();
            }
        }
    }

    /// No code of others runs under the lock, so a panic cannot leave the state half changed.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How many threads a value of `UV_THREADPOOL_SIZE` asks for.
///
/// As `init_threads`: read by `atoi` into an unsigned number, so that words are 0, which is 1, and negative numbers are
/// very large, which is the maximum. A value longer than the buffer it is read into counts as none.
fn size(value: Option<&OsStr>) -> usize {
    const BUFFER: usize = 16;
    let Some(value) = value.map(OsStr::as_bytes).filter(|value| value.len() < BUFFER) else { return DEFAULT_THREADS };
    let value = value.trim_ascii_start();
    let (negative, digits) = match value {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, value),
    };
    // Fewer than 16 digits fit; as in C the upper half is lost.
    let number =
        digits.iter().take_while(|byte| byte.is_ascii_digit()).fold(0_i64, |n, d| n * 10 + i64::from(d - b'0'));
    let number = if negative { -number } else { number } as u32;
    number.clamp(1, MAX_THREADS) as usize
}
