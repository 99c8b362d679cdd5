//! The thread pool. The process has one, which all loops share. The first job starts it.
//!
//! # Ground rules
//! - [`queue`] decides which job is next, under the one lock. Jobs are run, given up and dropped without
//!   the lock.
//! - Whenever the lock is released while a job could be started and a thread is idle, at least one and at most
//!   [`MAX_WAKING`] threads are waking up (`waking`). A thread that wakes up wakes another one if it leaves jobs
//!   behind. So a burst of short jobs costs one or two system calls instead of one for each, and long jobs spread over
//!   all threads.
//! - One of the threads without a job spins for a moment before it blocks, and counts as waking (`has_spinner`).
//! - A thread ends only when the pool is closed, even if a job panics. A child of `fork` has none of the threads: a new
//!   pool is started in the child, and queued jobs are lost, as in libuv (`src/threadpool.c: init_once`).
//! - The pool is used only after all its threads are running, as in `src/threadpool.c: init_threads`. A thread that is
//!   being set up may hold locks of the C library, which would stay locked in a child of `fork`.

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

pub(crate) use self::queue::{JobQueue, Number};
use crate::spin;
use crate::sync::{Arc, AtomicBool, Condvar, Mutex, MutexGuard, Ordering, thread};

/// Work for a pool thread.
pub trait Job: Send {
    /// Does the work and delivers the result.
    fn run(self: Box<Self>);

    /// Delivers the error of a job that is not run: `ECANCELED` if it was taken back before a thread started it,
    /// `EAGAIN` if no thread could be started.
    fn give_up(self: Box<Self>, why: Errno);
}

/// How long a job may occupy a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Computation and file operations.
    Fast,
    /// Name resolution, which may wait for the network: at most half of the threads run such jobs at a time.
    Slow,
}

/// Identifies a submitted job, so that it can be taken back. A ticket has no effect once a thread has started the job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ticket {
    pub(crate) number: Number,
    /// The process that owns the pool, see [`fork::generation`].
    pub(crate) generation: u32,
}

/// The name of pool threads in libuv, which profilers and debuggers show (`src/threadpool.c: worker`).
const THREAD_NAME: &str = "libuv-worker";

/// The number of threads if `UV_THREADPOOL_SIZE` is not set, as in libuv (`src/threadpool.c: init_threads`).
const DEFAULT_THREADS: usize = 4;
const MAX_THREADS: u32 = 1024;
/// How many threads may be waking up at a time. With one such thread, a burst of file operations was slower than with
/// libuv. Waking all threads at once woke most of them for nothing.
const MAX_WAKING: usize = 2;
const STACK_BYTES: usize = 8 << 20;

/// The threads and the queue of jobs.
///
/// The fields that every job touches come first, with the lock: two cache lines move between the CPUs for each job,
/// instead of four.
#[repr(C, align(64))]
pub(crate) struct Pool {
    state: Mutex<PoolState>,
    work_available: Condvar,
    /// Notified by the last of the started threads, when all threads are [running](PoolState::running).
    all_running: Condvar,
    /// Whether a job was queued since a thread began [spinning](PoolState::has_spinner). This is only a hint; the queue
    /// is under the lock.
    job_queued: AtomicBool,
    /// Whether idle threads spin before they block: [`spin::is_multicore`].
    spins: bool,
    /// [`fork::generation`] when the pool was made. In a child of `fork` the number differs: the threads belong to the
    /// parent.
    generation: u32,
    /// Whether the pool is [closed](Pool::close); read without the lock.
    is_closed: AtomicBool,
}

#[repr(C)]
struct PoolState {
    queue: JobQueue,
    /// How many threads still have to be started, see [`Pool::start_threads`].
    wanted: usize,
    /// How many threads were started.
    threads: usize,
    /// How many of the started threads run.
    running: usize,
    /// How many threads are blocked, or were woken and do not have the lock yet.
    idle: usize,
    /// How many of the idle threads were woken and do not have the lock yet.
    waking: usize,
    /// Whether an idle thread is spinning. That thread takes the lock before it blocks.
    has_spinner: bool,
    /// How many threads are running slow jobs.
    slow: usize,
    /// Whether the pool is closed: no more jobs will come, and threads end when the queue is empty.
    closed: bool,
    /// The handles with which the threads are joined.
    workers: Vec<thread::JoinHandle<()>>,
}

impl PoolState {
    fn new(wanted: usize) -> PoolState {
        PoolState {
            queue: JobQueue::new(),
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

    /// Whether one more slow job may run: at most half of the threads, rounded up, run slow jobs (`src/threadpool.c:
    /// slow_work_thread_threshold`).
    fn slow_may_run(&self) -> bool {
        self.slow < self.threads.div_ceil(2)
    }

    /// Whether the caller has to wake a thread after it releases the lock; if so, it is counted in `waking`.
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
    /// The number of this thread in its pool, from 1; 0 on other threads.
    static THREAD_NUMBER: Cell<u32> = const { Cell::new(0) };
}

/// The number of the calling thread in its pool, from 1; 0 on other threads.
pub(crate) fn thread_number() -> u32 {
    THREAD_NUMBER.get()
}

/// The process's pool, once it is started.
static POOL: StaticMutex<Option<Arc<Pool>>> = StaticMutex::new(None);

/// Shuts the process's pool down: waits until all queued jobs are done and the threads have ended. A later job starts a
/// new pool.
///
/// Corresponds to `uv_library_shutdown`, and is intended for the end of a process: a job that never ends blocks this
/// call.
#[doc(alias = "uv_library_shutdown")]
pub fn shut_pool_down() {
    // In a child of `fork` the lock may be held forever, by a thread of the parent.
    let Ok(pool) = POOL.try_lock().map(|mut pool| pool.take()) else { return };
    if let Some(pool) = pool.filter(|pool| pool.is_usable()) {
        pool.close();
        pool.join();
    }
}

/// The activity of the threads of the process's pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolStatus {
    /// How many threads there are; 0 before the first job.
    pub threads: usize,
    /// How many of the threads run a job.
    pub busy: usize,
    /// How many jobs wait for a thread.
    pub queued: usize,
}

/// Returns the current activity of the process's pool. May be called from any thread.
pub fn pool_status() -> PoolStatus {
    let pool = POOL.try_lock().ok().and_then(|pool| pool.clone());
    let Some(pool) = pool.filter(|pool| pool.is_usable()) else { return PoolStatus::default() };
    let state = pool.lock();
    let without_job = state.idle + usize::from(state.has_spinner);
    PoolStatus { threads: state.running, busy: state.running.saturating_sub(without_job), queued: state.queue.len() }
}

impl Pool {
    /// Returns the process's pool. The first call starts it.
    pub(crate) fn of_process() -> Arc<Pool> {
        let mut shared = POOL.lock().unwrap_or_else(PoisonError::into_inner);
        let pool = match &*shared {
            Some(pool) if pool.is_usable() => pool.clone(),
            _ => shared.insert(Pool::new(size(std::env::var_os("UV_THREADPOOL_SIZE").as_deref()))).clone(),
        };
        // The lock is released while the threads start: it would stay locked in a child that is forked meanwhile.
        drop(shared);
        pool.start_threads();
        pool
    }

    /// Whether the pool can be used. False in a child of the process that started the pool, and after the pool was
    /// closed.
    pub(crate) fn is_usable(&self) -> bool {
        self.generation == fork::generation() && !self.is_closed.load(Ordering::Relaxed)
    }

    /// Starts a pool with `size` threads, or as many as can be started. Returns when they are running.
    #[cfg(test)]
    pub(crate) fn start(size: usize) -> Arc<Pool> {
        let pool = Pool::new(size);
        pool.start_threads();
        pool
    }

    /// Makes a pool that has no threads yet.
    fn new(size: usize) -> Arc<Pool> {
        Arc::new(Pool {
            state: Mutex::new(PoolState::new(size)),
            work_available: Condvar::new(),
            all_running: Condvar::new(),
            job_queued: AtomicBool::new(false),
            spins: spin::is_multicore(),
            generation: fork::generation(),
            is_closed: AtomicBool::new(false),
        })
    }

    /// Starts the threads that are still to be started, and returns when all are running. If one cannot be started the
    /// pool works with fewer.
    fn start_threads(self: &Arc<Pool>) {
        let mut state = self.lock();
        for _ in 0..std::mem::take(&mut state.wanted) {
            if !self.start_thread(&mut state) {
                break;
            }
        }
        drop(self.wait_until_running(state));
    }

    /// Waits until every started thread is running.
    fn wait_until_running<'a>(&self, mut state: MutexGuard<'a, PoolState>) -> MutexGuard<'a, PoolState> {
        while state.running < state.threads {
            state = self.all_running.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state
    }

    fn start_thread(self: &Arc<Pool>, state: &mut PoolState) -> bool {
        let builder = thread::Builder::new().name(THREAD_NAME.into()).stack_size(STACK_BYTES);
        let pool = self.clone();
        let Ok(worker) = builder.spawn(move || pool.run_worker()) else { return false };
        state.workers.push(worker);
        state.threads += 1;
        true
    }

    /// The main function of a pool thread.
    fn run_worker(&self) {
        let mut state = self.lock();
        state.running += 1;
        THREAD_NUMBER.set(state.running as u32);
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
                // A condvar does not tell which thread was woken on purpose. The count may become too low, which costs
                // a needless wake. A count that is too high would leave a job without a thread.
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
            // The jobs of this crate handle their panics; this protects the thread from other jobs. Dropping the
            // payload may panic again, so it is leaked.
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| job.run())) {
                std::mem::forget(payload);
            }
            state = self.lock();
            state.slow -= usize::from(class == Class::Slow);
        }
    }

    /// Spins until a job is queued, or for a short time.
    fn spin<'a>(&'a self, mut state: MutexGuard<'a, PoolState>) -> MutexGuard<'a, PoolState> {
        state.has_spinner = true;
        self.job_queued.store(false, Ordering::Relaxed);
        drop(state);
        spin::yield_until(|| self.job_queued.load(Ordering::Relaxed));
        state = self.lock();
        state.has_spinner = false;
        state
    }

    /// Appends a job to the queue. If the pool has no thread and none can be started, the job is given up.
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

    /// Removes a job that no thread has started.
    pub(crate) fn take_back(&self, ticket: Ticket) -> Option<Box<dyn Job>> {
        if ticket.generation != self.generation {
            return None;
        }
        self.lock().queue.take_back(ticket.number)
    }

    /// Makes the threads end when the queue is empty.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
        self.lock().closed = true;
        self.work_available.notify_all();
    }

    /// Waits until the threads have ended, except the calling thread: a job may end the process.
    fn join(&self) {
        let workers = std::mem::take(&mut self.lock().workers);
        // Called only on pool threads: on other threads, `thread::current` may allocate memory that is never freed,
        // which leak checkers of C programs report.
        let own = (thread_number() != 0).then(|| thread::current().id());
        for worker in workers {
            if Some(worker.thread().id()) != own {
                // A pool thread does not panic, so the result of the join is ignored.
                let _ = worker.join();
            }
        }
    }

    /// Takes the lock. No user code runs under it, so a poisoned lock still protects consistent state.
    fn lock(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The number of threads for a given value of `UV_THREADPOOL_SIZE`.
///
/// The value is parsed like in `src/threadpool.c: init_threads`, which stores `atoi(value)` in an unsigned number: text
/// is 0, which becomes 1, and a negative number is huge, which becomes the maximum. libuv 1.53 ignores a value that
/// does not fit its buffer of 16 bytes.
fn size(value: Option<&OsStr>) -> usize {
    const BUFFER: usize = 16;
    let Some(value) = value.map(OsStr::as_bytes).filter(|value| value.len() < BUFFER) else { return DEFAULT_THREADS };
    let value = value.trim_ascii_start();
    let (negative, digits) = match value {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, value),
    };
    // Fewer than 16 digits fit into an `i64`; the cast drops the upper half, as in C.
    let number =
        digits.iter().take_while(|byte| byte.is_ascii_digit()).fold(0_i64, |n, d| n * 10 + i64::from(d - b'0'));
    let number = if negative { -number } else { number } as u32;
    number.clamp(1, MAX_THREADS) as usize
}
