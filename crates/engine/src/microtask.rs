//! Microtasks: the queue of promise reactions and of functions that the embedder adds.
//!
//! The queue is the engine's. The embedder runs it when its event loop says so.
//!
//! # Safety
//!
//! The traps are called by the engine with a context that runs. The job queue is freed after the context.

use std::rc::Rc;

use mozjs::glue::{CreateJobQueue, DeleteJobQueue, JobQueueTraps};
use mozjs::jsapi;
use mozjs::rooted;
use mozjs_sys::jsapi::JS::JobQueue;

use crate::exception::{Fallible, Thrown};
use crate::function::Function;
use crate::local::Local;
use crate::object::Object;
use crate::raw::{self, RawContext, RawObject, RawTracer, RawValue};
use crate::runtime::{Runtime, state_of};
use crate::scope::Scope;
use crate::value::Value;

static TRAPS: JobQueueTraps = JobQueueTraps {
    getHostDefinedData: Some(host_defined_data),
    getHostDefinedGlobal: Some(host_defined_global),
    runJobs: Some(run_jobs),
    traceNonGCThingMicroTask: Some(trace_no_thing),
};

/// The engine's interface to the embedder's part of the queue.
pub(crate) struct Queue(*mut JobQueue);

impl Queue {
    /// # Safety
    ///
    /// The context is alive, and destroyed before the queue is dropped.
    pub(crate) unsafe fn install(cx: *mut RawContext) -> Queue {
        // SAFETY: the traps live as long as the process.
        unsafe {
            let queue = CreateJobQueue(&raw const TRAPS).cast::<JobQueue>();
            jsapi::SetJobQueue(cx, queue);
            Queue(queue)
        }
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // SAFETY: `CreateJobQueue` made it.
        unsafe { DeleteJobQueue(self.0.cast()) };
    }
}

unsafe extern "C" fn host_defined_data(
    _cx: *mut RawContext,
    _incumbent_global: jsapi::MutableHandle<*mut RawObject>,
    _data: jsapi::MutableHandle<*mut RawObject>,
) -> bool {
    true
}

unsafe extern "C" fn host_defined_global(_cx: *mut RawContext, _data: jsapi::MutableHandle<*mut RawObject>) -> bool {
    true
}

/// Called for the debugger's own jobs only.
unsafe extern "C" fn run_jobs(cx: *mut RawContext) {
    // SAFETY: the engine calls this with a context that runs.
    let state = unsafe { state_of(cx) };
    Scope::run(state, |scope| while scope.run_microtasks().is_err() {});
}

unsafe extern "C" fn trace_no_thing(_tracer: RawTracer, _value: *mut RawValue) {}

/// Called when a promise is rejected without a handler (`is_handled` is false), or gets its first handler afterwards.
pub(crate) type RejectionHandler = Rc<dyn Fn(Scope<'_>, Local<'_, Object>, Local<'_, Value>, bool)>;

impl Runtime {
    /// Sets the function that is called with a promise and its reason when it is rejected without a handler (`false`), and again when it
    /// gets its first handler afterwards (`true`): ECMA-262 `HostPromiseRejectionTracker`.
    pub fn on_rejection(&self, handler: impl Fn(Scope<'_>, Local<'_, Object>, Local<'_, Value>, bool) + 'static) {
        let state = self.state();
        state.rejection.replace(Some(Rc::new(handler)));
        // SAFETY: the context is alive.
        unsafe {
            jsapi::SetPromiseRejectionTrackerCallback(state.cx, Some(on_rejection), std::ptr::null_mut());
        }
    }
}

unsafe extern "C" fn on_rejection(
    cx: *mut RawContext,
    _muted_errors: bool,
    promise: jsapi::HandleObject,
    kind: jsapi::PromiseRejectionHandlingState,
    _data: *mut std::ffi::c_void,
) {
    // SAFETY: the engine calls this with a context that runs.
    let state = unsafe { state_of(cx) };
    let Some(handler) = state.rejection.borrow().clone() else { return };
    let is_handled = kind == jsapi::PromiseRejectionHandlingState::Handled;
    crate::function::guarded(state, |scope| {
        let reason = scope.out();
        // SAFETY: both handles are rooted; the promise was just read.
        let promise: Local<'_, Object> = unsafe {
            mozjs::glue::JS_GetPromiseResult(promise, raw::handle_mut(reason.slot().cast_mut()));
            scope.root(raw::object(promise.get()))
        };
        handler(scope, promise, reason, is_handled);
        Ok(())
    });
}

impl Scope<'_> {
    /// Whether a microtask is queued.
    #[inline]
    pub fn has_microtasks(self) -> bool {
        // SAFETY: the context is alive.
        unsafe { jsapi::HasAnyMicroTasks(self.cx()) }
    }

    /// Queues a call of a function without arguments.
    ///
    /// # Errors
    ///
    /// When there is no memory for it.
    pub fn enqueue_microtask(self, function: Local<'_, Function>) -> Fallible<()> {
        // SAFETY: the value is rooted.
        let ok = unsafe { jsapi::EnqueueMicroTask(self.cx(), &function.raw()) };
        Thrown::check(self, ok)
    }

    /// Runs microtasks until none is left, or one throws.
    ///
    /// # Errors
    ///
    /// What the microtask throws. The others stay queued.
    pub fn run_microtasks(self) -> Fallible<()> {
        while self.has_microtasks() {
            self.nested(|scope| scope.run_microtask())?;
        }
        Ok(())
    }

    fn run_microtask(self) -> Fallible<()> {
        let cx = self.cx();
        let task = self.out();
        // SAFETY: the slot is rooted.
        unsafe { mozjs::glue::JS_DequeueNextMicroTask(cx, raw::handle_mut(task.slot().cast_mut())) };
        // SAFETY: the value is a task of the engine.
        if unsafe { jsapi::IsJSMicroTask(&task.raw()) } {
            rooted!(in(cx) let job = task.raw().to_object());
            // SAFETY: the job is rooted; the realm is left before the function returns.
            let ok = unsafe {
                let global = jsapi::GetExecutionGlobalFromJSMicroTask(job.get());
                if global.is_null() {
                    return Ok(());
                }
                let outer = jsapi::EnterRealm(cx, global);
                let ok = jsapi::RunJSMicroTask(cx, job.handle().into());
                jsapi::LeaveRealm(cx, outer);
                ok
            };
            return Thrown::check(self, ok);
        }
        match task.cast::<Function>() {
            Some(function) => function.call(self, self.undefined(), &[]).map(|_| ()),
            None => Ok(()),
        }
    }
}
