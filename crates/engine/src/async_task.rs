//! Tasks of the engine that settle promises: `Atomics.waitAsync`, and work on helper threads (compilation of WebAssembly).
//!
//! The engine hands over a task when it can run, on any thread. The embedder's loop runs it on the thread of the runtime.
//!
//! # Safety
//!
//! The engine passes a task as a reference to its owning pointer (`js::UniquePtr`, which has the size of a pointer). Taking the task writes
//! null there. Each task is taken once, and then run. When the runtime ends, tasks that it has taken are run too, but settle no promise; others
//! are given back by `ReleaseFailedTask`, which may be called only inside of a callback: the engine holds its lock there. The closure of the
//! callbacks is the `TaskQueue` of the state, which outlives the context.

use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use mozjs::jsapi;

use crate::exception::Thrown;
use crate::helpers;
use crate::raw::RawContext;
use crate::runtime::Runtime;
use crate::scope::Scope;

/// A `JS::Dispatchable`.
type RawTask = *mut c_void;

unsafe extern "C" {
    /// `JS::Dispatchable::Run`, which the bindings leave out.
    #[link_name = "_ZN2JS12Dispatchable3RunEP9JSContextOSt10unique_ptrIS0_NS_12DeletePolicyIS0_EEENS0_17MaybeShuttingDownE"]
    fn run_task(cx: *mut RawContext, task: *mut RawTask, mode: RunMode);

    /// `JS::Dispatchable::ReleaseFailedTask`, which the bindings leave out.
    #[link_name = "_ZN2JS12Dispatchable17ReleaseFailedTaskEOSt10unique_ptrIS0_NS_12DeletePolicyIS0_EEE"]
    fn release_task(task: *mut RawTask);
}

/// `JS::Dispatchable::MaybeShuttingDown`
#[repr(u32)]
enum RunMode {
    Normal,
    ShuttingDown,
}

/// A task that waits to be run on the thread of its runtime.
struct Task {
    raw: RawTask,
    /// When the task is due. None: as soon as possible.
    due: Option<Instant>,
}

// SAFETY: the engine hands a task over on any thread. The task is run on the thread of its runtime.
unsafe impl Send for Task {}

impl Task {
    /// Runs the task. An exception that the task throws is ignored.
    fn run(mut self, scope: Scope<'_>) {
        // SAFETY: the task is run once, on its thread; the engine's pointer is null from now on.
        let is_pending = unsafe {
            run_task(scope.cx(), &raw mut self.raw, RunMode::Normal);
            jsapi::JS_IsExceptionPending(scope.cx())
        };
        if is_pending {
            let _ = Thrown::pending(scope);
        }
    }
}

/// The tasks of one runtime.
#[derive(Default)]
pub(crate) struct TaskQueue {
    /// The tasks. None when the runtime ends: the queue takes no more tasks.
    tasks: Mutex<Option<Vec<Task>>>,
    /// The number of tasks that the engine has begun and not run.
    unfinished: AtomicUsize,
    wake: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl TaskQueue {
    fn tasks(&self) -> MutexGuard<'_, Option<Vec<Task>>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// # Safety
    ///
    /// The context is alive and destroyed before the queue, which does not move.
    pub(crate) unsafe fn install(&self, cx: *mut RawContext) {
        *self.tasks() = Some(Vec::new());
        let closure = std::ptr::from_ref(self).cast_mut().cast::<c_void>();
        // SAFETY: guaranteed by the caller.
        unsafe {
            jsapi::InitAsyncTaskCallbacks(
                cx,
                Some(dispatch),
                Some(dispatch_later),
                Some(started),
                Some(finished),
                closure,
            );
        };
    }

    /// Ends all tasks of the queue, and releases those that the engine hands over from now on. Called before the context is
    /// destroyed, which waits for its tasks.
    ///
    /// # Safety
    ///
    /// The context is alive, and is that of the queue.
    pub(crate) unsafe fn close(&self, cx: *mut RawContext) {
        let tasks = self.tasks().take();
        // Without holding the lock: ending a task takes a lock of the engine, and the engine holds the same lock when it
        // calls `push`.
        for mut task in tasks.into_iter().flatten() {
            // SAFETY: the caller's; the task is run once, on its thread.
            unsafe { run_task(cx, &raw mut task.raw, RunMode::ShuttingDown) };
        }
    }

    /// Adds a task to the queue. Returns false when the runtime ends.
    ///
    /// # Safety
    ///
    /// `task` points to a task that the engine hands over.
    unsafe fn push(&self, task: *mut RawTask, due: Option<Instant>) -> bool {
        let mut tasks = self.tasks();
        let Some(list) = tasks.as_mut() else {
            drop(tasks);
            // SAFETY: guaranteed by the caller; the task is released.
            unsafe { release_task(task) };
            return false;
        };
        // SAFETY: guaranteed by the caller. The engine's pointer is null from now on.
        list.push(Task { raw: unsafe { task.replace(std::ptr::null_mut()) }, due });
        drop(tasks);
        if let Some(wake) = self.wake.get() {
            wake();
        }
        true
    }
}

unsafe extern "C" fn dispatch(closure: *mut c_void, task: *mut u8) -> bool {
    // SAFETY: see the module documentation.
    unsafe { (*closure.cast::<TaskQueue>()).push(task.cast(), None) }
}

unsafe extern "C" fn dispatch_later(closure: *mut c_void, task: *mut u8, delay_ms: u32) -> bool {
    let due = Instant::now() + Duration::from_millis(delay_ms.into());
    // SAFETY: see the module documentation.
    unsafe { (*closure.cast::<TaskQueue>()).push(task.cast(), Some(due)) }
}

/// Called when the engine begins an operation that ends with a task.
unsafe extern "C" fn started(closure: *mut c_void, _task: *mut jsapi::Dispatchable) {
    // SAFETY: see the module documentation.
    unsafe { (*closure.cast::<TaskQueue>()).unfinished.fetch_add(1, Ordering::Relaxed) };
}

unsafe extern "C" fn finished(closure: *mut c_void, _task: *mut jsapi::Dispatchable) {
    // SAFETY: see the module documentation.
    unsafe { (*closure.cast::<TaskQueue>()).unfinished.fetch_sub(1, Ordering::Relaxed) };
}

impl Runtime {
    /// Sets the function that is called, on any thread, when [`Scope::run_async_tasks`] has something to do. It must not call the engine. A
    /// second call changes nothing.
    pub fn on_async_task(&self, wake: impl Fn() + Send + Sync + 'static) {
        let _ = self.state().async_tasks.wake.set(Box::new(wake));
    }
}

impl Scope<'_> {
    /// Waits for the engine's helper threads, if a promise depends on them. Returns whether [`run_async_tasks`](Scope::run_async_tasks) has
    /// something to do now.
    pub fn wait_for_helpers(self) -> bool {
        let queue = &self.state().async_tasks;
        if queue.unfinished.load(Ordering::Relaxed) == 0 {
            return false;
        }
        helpers::wait_until_idle();
        let now = Instant::now();
        queue.tasks().iter().flatten().any(|task| task.due.is_none_or(|due| due <= now))
    }

    /// Runs the engine's tasks that are due, which settle promises: microtasks follow. Returns when the next of the others is due.
    pub fn run_async_tasks(self) -> Option<Instant> {
        let queue = &self.state().async_tasks;
        let now = Instant::now();
        let is_due = |task: &Task| task.due.is_none_or(|due| due <= now);
        let (mut due, rest): (Vec<_>, Vec<_>) = queue.tasks().as_mut()?.drain(..).partition(is_due);
        let next = rest.iter().filter_map(|task| task.due).min();
        if let Some(tasks) = queue.tasks().as_mut() {
            // The tasks that have just run may have queued others.
            tasks.splice(..0, rest);
        }
        // Tasks without a delay run first, the others in the order of their due times.
        due.sort_by_key(|task| task.due);
        due.into_iter().for_each(|task| task.run(self));
        next
    }
}
