//! The threads that run the engine's background work: the optimising compiler, and parts of collections.
//!
//! The engine's own pool starts all its threads with the first runtime, which most short programs never use. Here a
//! thread starts when a task finds no idle one. The threads are shared by all runtimes of the process and stay until it
//! ends. They are not the threads of the event loop's pool: a collection waits for its tasks, and would hang if all
//! threads of that pool wait for a slow disk.
//!
//! # Safety
//!
//! The engine hands each task over once, from any thread, and keeps owning it. The task is valid until it has run.

use std::collections::VecDeque;
use std::ffi::c_void;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// The stack size of a thread, equal to that of the engine's own threads (`vm/HelperThreads.cpp:
/// kDefaultHelperStackSize`).
const STACK_BYTES: usize = 2 << 20;

/// The most threads: more are of no use to one engine (`vm/HelperThreads.cpp: ClampDefaultCPUCount`).
const MAX_THREADS: usize = 8;

/// The fewest threads: the engine needs two to compile WebAssembly.
const MIN_THREADS: usize = 2;

type TaskCallback = unsafe extern "C" fn(*mut c_void);

// The bindings leave these functions out.
unsafe extern "C" {
    /// `JS::SetHelperThreadTaskCallback`.
    #[link_name = "_ZN2JS27SetHelperThreadTaskCallbackEPFvPNS_16HelperThreadTaskEEmm"]
    fn set_task_callback(callback: TaskCallback, threads: usize, stack_bytes: usize);

    /// `JS::RunHelperThreadTask`.
    #[link_name = "_ZN2JS19RunHelperThreadTaskEPNS_16HelperThreadTaskE"]
    fn run_task(task: *mut c_void);
}

/// A `JS::HelperThreadTask`.
struct Task(*mut c_void);

// SAFETY: a task may run on any thread.
unsafe impl Send for Task {}

/// The waiting tasks, and the count of threads.
struct Pool {
    tasks: VecDeque<Task>,
    threads: usize,
    idle: usize,
    most_threads: usize,
    /// Whether the process ends: no task begins.
    is_stopped: bool,
}

static POOL: Mutex<Pool> =
    Mutex::new(Pool { tasks: VecDeque::new(), threads: 0, idle: 0, most_threads: MIN_THREADS, is_stopped: false });

/// Signalled when a task is added.
static ADDED: Condvar = Condvar::new();

/// Signalled when a thread has nothing to do.
static IDLE: Condvar = Condvar::new();

fn pool() -> MutexGuard<'static, Pool> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Gives the engine's background work to the threads of this module.
///
/// # Safety
///
/// The engine was started, and has no runtime yet.
pub(crate) unsafe fn install() {
    // `sysconf` instead of `available_parallelism`, which reads six files to find the CPU quota of a control group.
    // SAFETY: the function has no preconditions.
    let processors = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
    let most_threads = usize::try_from(processors).unwrap_or(MIN_THREADS).clamp(MIN_THREADS, MAX_THREADS);
    pool().most_threads = most_threads;
    // SAFETY: guaranteed by the caller.
    unsafe { set_task_callback(add, most_threads, STACK_BYTES) };
}

/// Adds a task. The engine calls this while it holds its lock for helper threads, so this function must not call the engine.
unsafe extern "C" fn add(task: *mut c_void) {
    let mut pool = pool();
    if pool.is_stopped {
        return;
    }
    pool.tasks.push_back(Task(task));
    if pool.idle >= pool.tasks.len() || pool.threads == pool.most_threads {
        drop(pool);
        ADDED.notify_one();
        return;
    }
    pool.threads += 1;
    let has_others = pool.threads > 1;
    drop(pool);
    let name = "phasor-engine".to_owned();
    if let Err(error) = thread::Builder::new().name(name).stack_size(STACK_BYTES).spawn(run) {
        self::pool().threads -= 1;
        // The engine waits for its tasks, so without any thread it would wait forever.
        assert!(has_others, "cannot start a thread for the JavaScript engine: {error}");
    }
}

/// Waits until all tasks have run.
pub(crate) fn wait_until_idle() {
    let is_busy = |pool: &mut Pool| !pool.tasks.is_empty() || pool.idle < pool.threads;
    drop(IDLE.wait_while(pool(), is_busy).unwrap_or_else(PoisonError::into_inner));
}

/// Waits for the tasks that run, and begins no other. For the end of the process: the destructors of the engine's static variables destroy
/// the lock that tasks take. A task that takes longer than a second is not waited for.
pub(crate) fn stop() {
    let is_busy = |pool: &mut Pool| pool.idle < pool.threads;
    let mut pool = pool();
    pool.tasks.clear();
    pool.is_stopped = true;
    drop(IDLE.wait_timeout_while(pool, Duration::from_secs(1), is_busy));
}

fn run() {
    let mut pool = pool();
    loop {
        if let Some(task) = pool.tasks.pop_front() {
            drop(pool);
            // SAFETY: the task has not run yet.
            unsafe { run_task(task.0) };
            pool = self::pool();
        } else {
            pool.idle += 1;
            IDLE.notify_all();
            pool = ADDED.wait(pool).unwrap_or_else(PoisonError::into_inner);
            pool.idle -= 1;
        }
    }
}
