//! Microtasks: the queue of promise reactions and of functions that the embedder enqueues.
//!
//! The engine owns the queue. The embedder's event loop decides when it runs.
//!
//! # Contexts
//!
//! [`Scope::propagate_context`] makes jobs of promises run in the asynchronous context in which their reaction was
//! made, as `HostMakeJobCallback` of ECMA-262 allows. The engine asks for the context when it makes a reaction to a
//! pending promise (`JobQueue::getHostDefinedData`) and keeps it with the reaction. For a settled promise, the engine
//! asks only for the global object (`getHostDefinedGlobal`), just before it queues the job. So this file stores the
//! context of such a job, keyed by the position of the job in the queue.
//!
//! # Safety
//!
//! The engine calls the traps with a running context. The job queue is freed after the context.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use mozjs::glue::{CreateJobQueue, DeleteJobQueue, JobQueueTraps};
use mozjs::jsapi;
use mozjs::rooted;
use mozjs_sys::jsapi::JS::JobQueue;

use crate::async_stack::RunningJob;
use crate::exception::{Fallible, Thrown};
use crate::function::Function;
use crate::job_observer::JobObserver;
use crate::local::Local;
use crate::object::Object;
use crate::promise_hooks::PromiseHooks;
use crate::raw::{self, RawContext, RawObject, RawTracer, RawValue};
use crate::realm::is_foreign;
use crate::runtime::{Runtime, contain_panic, state_of};
use crate::scope::Scope;
use crate::value::Value;

static TRAPS: JobQueueTraps = JobQueueTraps {
    getHostDefinedData: Some(host_defined_data),
    getHostDefinedGlobal: Some(host_defined_global),
    runJobs: Some(run_jobs),
    traceNonGCThingMicroTask: Some(trace_no_thing),
};

/// The engine's interface to the part of the queue that the embedder implements.
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

/// The asynchronous contexts of jobs.
#[derive(Default)]
pub(crate) struct JobContexts {
    /// The object that has the current context as a property, and the name of the property, which the engine never frees. Undefined while
    /// contexts are not propagated.
    holder: Cell<Option<RawValue>>,
    key: Cell<Option<jsapi::jsid>>,
    /// How many jobs have been taken out of the queue.
    taken: Cell<u64>,
    /// The contexts of jobs of settled promises, each with the number of its job. `taken` counts the same numbers.
    settled: RefCell<VecDeque<(u64, RawValue)>>,
    /// The hooks for reactions and their jobs; none until a program observes promises.
    pub(crate) promise_hooks: RefCell<Option<Rc<PromiseHooks>>>,
    /// `taken` and `settled` of the queues that the engine has saved while it calls a debugger hook.
    interrupted: RefCell<Vec<SavedQueue>>,
    /// The job that runs now; stacks show the functions that wait for it.
    pub(crate) running: RunningJob,
    pub(crate) observer: JobObserver,
}

/// The state of [`JobContexts`] that belongs to one queue.
struct SavedQueue {
    taken: u64,
    settled: VecDeque<(u64, RawValue)>,
}

impl JobContexts {
    /// # Safety
    ///
    /// `tracer` is the tracer of a collection that runs now, on this thread.
    pub(crate) unsafe fn trace(&self, tracer: RawTracer) {
        if let Some(mut holder) = self.holder.get() {
            // SAFETY: guaranteed by the caller. The collector may move the value, so the new one is stored.
            unsafe { raw::trace_value(tracer, &raw mut holder) };
            self.holder.set(Some(holder));
        }
        for (_, value) in self.settled.borrow_mut().iter_mut() {
            // SAFETY: the value is initialised; the borrow shows that nothing else accesses it.
            unsafe { raw::trace_value(tracer, &raw mut *value) };
        }
        for (_, value) in self.interrupted.borrow_mut().iter_mut().flat_map(|saved| saved.settled.iter_mut()) {
            // SAFETY: the value is initialised; the borrow shows that nothing else accesses it.
            unsafe { raw::trace_value(tracer, &raw mut *value) };
        }
    }

    /// Called when the engine has saved its queue and calls a debugger hook. Jobs that are queued meanwhile run when
    /// the hook ends.
    pub(crate) fn begin_interruption(&self) {
        let saved = SavedQueue { taken: self.taken.get(), settled: self.settled.take() };
        self.interrupted.borrow_mut().push(saved);
        self.observer.begin_interruption();
    }

    fn end_interruption(&self) {
        self.observer.end_interruption();
        if let Some(saved) = self.interrupted.borrow_mut().pop() {
            self.taken.set(saved.taken);
            self.settled.replace(saved.settled);
        }
    }

    /// The value to store in a new promise reaction: the current context, or the value that a hook returns in its place.
    /// None if an exception is pending in the engine.
    fn of_reaction(&self, cx: *mut RawContext) -> Option<RawValue> {
        let hooks = self.promise_hooks.borrow().as_ref().filter(|hooks| hooks.is_on()).cloned();
        let Some(hooks) = hooks else { return self.current(cx) };
        // SAFETY: the caller's context runs.
        crate::function::guarded(unsafe { state_of(cx) }, |scope| hooks.of_reaction(scope))
    }

    /// The current context: an object, or undefined. None: a getter of the holder has thrown, and the exception is pending in the engine.
    fn current(&self, cx: *mut RawContext) -> Option<RawValue> {
        let (Some(holder), Some(key)) = (self.holder.get(), self.key.get()) else { return Some(raw::undefined()) };
        rooted!(in(cx) let object = holder.to_object());
        rooted!(in(cx) let id = key);
        rooted!(in(cx) let mut value = raw::undefined());
        // SAFETY: all handles are rooted.
        let ok = unsafe {
            jsapi::JS_GetPropertyById(cx, object.handle().into(), id.handle().into(), value.handle_mut().into())
        };
        ok.then(|| value.get())
    }

    fn set_current(&self, scope: Scope<'_>, context: RawValue) -> Fallible<()> {
        let cx = scope.cx();
        let (Some(holder), Some(key)) = (self.holder.get(), self.key.get()) else { return Ok(()) };
        rooted!(in(cx) let object = holder.to_object());
        rooted!(in(cx) let id = key);
        rooted!(in(cx) let value = context);
        // SAFETY: all handles are rooted.
        let ok =
            unsafe { jsapi::JS_SetPropertyById(cx, object.handle().into(), id.handle().into(), value.handle().into()) };
        Thrown::check(scope, ok)
    }

    /// Returns the context of the job that was just taken out of the queue, and the number that the observer gave to its reaction.
    ///
    /// # Safety
    ///
    /// `job` is a task of the engine.
    unsafe fn of_job(&self, scope: Scope<'_>, number: u64, job: *mut RawObject) -> (RawValue, u64) {
        let cx = scope.cx();
        let mut context = raw::undefined();
        let mut settled = self.settled.borrow_mut();
        while let Some(&(first, value)) = settled.front()
            && first <= number
        {
            if first == number {
                context = value;
            }
            settled.pop_front();
        }
        drop(settled);
        rooted!(in(cx) let mut global = std::ptr::null_mut::<RawObject>());
        rooted!(in(cx) let mut data = std::ptr::null_mut::<RawObject>());
        // SAFETY: the handles are rooted; the function neither runs JavaScript nor collects.
        let found = unsafe {
            jsapi::MaybeGetHostDefinedDataFromJSMicroTask(job, global.handle_mut().into(), data.handle_mut().into())
        };
        if !found || data.get().is_null() {
            return (context, 0);
        }
        let (kept, traced) = self.observer.unwrap(scope, raw::object(data.get()));
        match self.holder.get() {
            // The holder object stands for the context `undefined`, because the engine stores only objects.
            Some(holder) if kept.is_object() && std::ptr::eq(holder.to_object(), kept.to_object()) => {
                (raw::undefined(), traced)
            }
            _ => (kept, traced),
        }
    }
}

unsafe extern "C" fn host_defined_data(
    cx: *mut RawContext,
    incumbent_global: jsapi::MutableHandle<*mut RawObject>,
    data: jsapi::MutableHandle<*mut RawObject>,
) -> bool {
    // SAFETY: the engine calls this with a running context and rooted handles.
    unsafe {
        let contexts = &state_of(cx).contexts;
        let is_observed = contexts.observer.is_on();
        if contexts.holder.get().is_none() && !is_observed {
            return true;
        }
        let context = match contexts.holder.get() {
            Some(_) => contexts.of_reaction(cx),
            None => Some(raw::undefined()),
        };
        let Some(context) = context else { return false };
        let mut context = if context.is_object() { Some(context) } else { contexts.holder.get() };
        if is_observed {
            rooted!(in(cx) let kept = context.unwrap_or(raw::undefined()));
            let made = crate::function::guarded(state_of(cx), |scope| {
                let made = contexts.observer.reaction_made(scope, scope.value(kept.get()))?;
                Ok(made.map(|object| object.raw()))
            });
            match made {
                Some(Some(object)) => context = Some(object),
                Some(None) => context = kept.is_object().then(|| kept.get()),
                None => return false,
            }
        }
        let Some(context) = context else { return true };
        *incumbent_global.ptr = jsapi::CurrentGlobalOrNull(cx);
        *data.ptr = context.to_object();
    }
    true
}

unsafe extern "C" fn host_defined_global(cx: *mut RawContext, _data: jsapi::MutableHandle<*mut RawObject>) -> bool {
    // SAFETY: the engine calls this with a running context.
    unsafe {
        let contexts = &state_of(cx).contexts;
        if contexts.observer.is_on() {
            let job = contexts.taken.get() + jsapi::GetRegularMicroTaskCount(cx) as u64;
            let made = crate::function::guarded(state_of(cx), |scope| {
                contexts.observer.job_made(scope, job, true);
                Ok(())
            });
            if made.is_none() {
                return false;
            }
        }
        if contexts.holder.get().is_none() {
            return true;
        }
        let Some(context) = contexts.of_reaction(cx) else { return false };
        let number = contexts.taken.get() + jsapi::GetRegularMicroTaskCount(cx) as u64;
        let mut settled = contexts.settled.borrow_mut();
        // The engine may have asked for the global object without queueing a job.
        if settled.back().is_some_and(|(last, _)| *last == number) {
            settled.pop_back();
        }
        if context.is_object() {
            settled.push_back((number, context));
        }
    }
    true
}

/// Runs all jobs. Called for the debugger's own jobs only.
unsafe extern "C" fn run_jobs(cx: *mut RawContext) {
    // SAFETY: the engine calls this with a running context.
    let state = unsafe { state_of(cx) };
    let run = |scope: Scope<'_>| {
        while let Err(thrown) = scope.run_microtasks() {
            if scope.caught(thrown).is_none() {
                // JavaScript is ending. The debugger would ignore the failure, so it is repeated as an interrupt.
                state.interrupter().interrupt();
            }
        }
    };
    // The loop ends, because each job is taken out of the queue before it runs. SAFETY: the engine calls this function
    // with a running context.
    while unsafe { jsapi::HasAnyMicroTasks(cx) } {
        contain_panic(|| Scope::run(state, run));
    }
    state.contexts.end_interruption();
}

unsafe extern "C" fn trace_no_thing(_tracer: RawTracer, _value: *mut RawValue) {}

/// Called when a promise is rejected without a handler (`is_handled` is false), or gets its first handler afterwards.
pub(crate) type RejectionHandler = Rc<dyn Fn(Scope<'_>, Local<'_, Object>, Local<'_, Value>, bool)>;

impl Runtime {
    /// Sets the handler of unhandled rejections (ECMA-262 `HostPromiseRejectionTracker`). It is called with a promise
    /// and its reason when the promise is rejected without a handler (`false`), and again when the promise gets its
    /// first handler afterwards (`true`).
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
    // SAFETY: the engine calls this with a running context.
    let state = unsafe { state_of(cx) };
    // SAFETY: the promise is rooted.
    if unsafe { is_foreign(state, promise.get()) } {
        return;
    }
    let Some(handler) = state.rejection.borrow().clone() else { return };
    let is_handled = kind == jsapi::PromiseRejectionHandlingState::Handled;
    let done = crate::function::guarded(state, |scope| {
        let reason = scope.out();
        // SAFETY: both handles are rooted; the promise was just read.
        let promise: Local<'_, Object> = unsafe {
            mozjs::glue::JS_GetPromiseResult(promise, raw::handle_mut(reason.slot().cast_mut()));
            scope.root(raw::object(promise.get()))
        };
        handler(scope, promise, reason, is_handled);
        Ok(())
    });
    if done.is_none() {
        state.interrupter().interrupt();
    }
}

impl<'s> Scope<'s> {
    /// Whether a microtask is queued.
    #[inline]
    pub fn has_microtasks(self) -> bool {
        // SAFETY: the context is alive.
        unsafe { jsapi::HasAnyMicroTasks(self.cx()) }
    }

    /// How many microtasks have begun to run in this runtime.
    #[inline]
    pub fn microtask_count(self) -> u64 {
        self.state().contexts.taken.get()
    }

    /// Queues a call of a function without arguments.
    ///
    /// # Errors
    ///
    /// When there is no memory for it.
    pub fn enqueue_microtask(self, function: Local<'_, Function>) -> Fallible<()> {
        let contexts = &self.state().contexts;
        if contexts.observer.is_on() {
            // SAFETY: the context is alive.
            let job = contexts.taken.get() + unsafe { jsapi::GetRegularMicroTaskCount(self.cx()) } as u64;
            contexts.observer.job_made(self, job, false);
        }
        // SAFETY: the value is rooted.
        let ok = unsafe { jsapi::EnqueueMicroTask(self.cx(), &function.raw()) };
        Thrown::check(self, ok)
    }

    /// Runs microtasks until none is left, or one throws.
    ///
    /// # Errors
    ///
    /// The exception that a microtask throws. The remaining microtasks stay queued.
    pub fn run_microtasks(self) -> Fallible<()> {
        while self.has_microtasks() {
            self.nested(|scope| scope.run_microtask())?;
        }
        Ok(())
    }

    /// Makes jobs of promises run in the asynchronous context in which their reaction was made. The context is the
    /// property `name` of `holder`, an object or undefined. It is read when a reaction is made, and set while the job
    /// of the reaction runs. Between jobs it is undefined. A second call changes nothing.
    ///
    /// # Errors
    ///
    /// When there is no memory for it.
    pub fn propagate_context(self, holder: Local<'_, Object>, name: &str) -> Fallible<()> {
        let contexts = &self.state().contexts;
        if contexts.holder.get().is_some() {
            return Ok(());
        }
        // SAFETY: the context is alive; the engine copies the name, and never frees the string.
        let string = unsafe { jsapi::JS_AtomizeAndPinStringN(self.cx(), name.as_ptr().cast(), name.len()) };
        if string.is_null() {
            return Err(Thrown::pending(self));
        }
        rooted!(in(self.cx()) let string = string);
        rooted!(in(self.cx()) let mut key = jsapi::jsid { asBits_: 0 });
        // SAFETY: both handles are rooted.
        let ok = unsafe { jsapi::JS_StringToId(self.cx(), string.handle().into(), key.handle_mut().into()) };
        Thrown::check(self, ok)?;
        contexts.key.set(Some(key.get()));
        contexts.holder.set(Some(holder.raw()));
        Ok(())
    }

    /// The promise that a task settles, or undefined if it settles none.
    ///
    /// # Safety
    ///
    /// `task` is a task of the engine.
    unsafe fn promise_of_task(self, task: *mut RawObject) -> Local<'s, Value> {
        // SAFETY: guaranteed by the caller; the promise is rooted at once.
        let promise = unsafe { jsapi::MaybeGetPromiseFromJSMicroTask(task) };
        self.value(if promise.is_null() { raw::undefined() } else { raw::object(promise) })
    }

    fn run_microtask(self) -> Fallible<()> {
        let cx = self.cx();
        let contexts = &self.state().contexts;
        let number = contexts.taken.get();
        contexts.taken.set(number + 1);
        let task = self.out();
        // SAFETY: the slot is rooted.
        unsafe { mozjs::glue::JS_DequeueNextMicroTask(cx, raw::handle_mut(task.slot().cast_mut())) };
        if !contexts.observer.is_on() {
            return self.run_task(number, task, None);
        }
        // SAFETY: the value is a task of the engine if the function says so.
        let (context, traced) = unsafe {
            match jsapi::IsJSMicroTask(&task.raw()) {
                true => contexts.of_job(self, number, task.raw().to_object()),
                false => (raw::undefined(), 0),
            }
        };
        let context = self.value(context);
        contexts.observer.job_begins(self, number, traced, task);
        let result = self.run_task(number, task, Some(context));
        contexts.observer.job_ends(self);
        result
    }

    /// Runs a task that was taken out of the queue, where it had this number. The context is that of the task, if it is known.
    fn run_task(self, number: u64, task: Local<'_, Value>, context: Option<Local<'_, Value>>) -> Fallible<()> {
        let cx = self.cx();
        let contexts = &self.state().contexts;
        // SAFETY: the value is a task of the engine.
        if unsafe { jsapi::IsJSMicroTask(&task.raw()) } {
            rooted!(in(cx) let job = task.raw().to_object());
            let has_context = contexts.holder.get().is_some();
            let mut hooked = self.undefined();
            if has_context {
                // SAFETY: the object is a task of the engine.
                let of_job = || unsafe { contexts.of_job(self, number, job.get()).0 };
                let context = context.map_or_else(of_job, |context| context.raw());
                let hooks = contexts.promise_hooks.borrow().clone();
                match &hooks {
                    Some(hooks) => {
                        let context = self.value(context);
                        // SAFETY: the object is a task of the engine.
                        let promise = unsafe { self.promise_of_task(job.get()) };
                        hooked = hooks.begin(self, context, promise)?;
                    }
                    None => contexts.set_current(self, context)?,
                }
            }
            // SAFETY: the job is rooted; the realm is left before the function returns.
            let ok = unsafe {
                let global = jsapi::GetExecutionGlobalFromJSMicroTask(job.get());
                if global.is_null() {
                    return Ok(());
                }
                let outer = jsapi::EnterRealm(cx, global);
                let interrupted = contexts.running.replace(task.slot());
                let ok = jsapi::RunJSMicroTask(cx, job.handle().into());
                contexts.running.replace(interrupted);
                jsapi::LeaveRealm(cx, outer);
                ok
            };
            let mut result = Thrown::check(self, ok);
            let hooks = contexts.promise_hooks.borrow().clone();
            if let Some(hooks) = hooks
                && result.is_ok()
            {
                // SAFETY: the object is a task of the engine.
                let promise = unsafe { self.promise_of_task(job.get()) };
                result = hooks.end(self, hooked, promise);
            }
            if has_context {
                result = result.and(contexts.set_current(self, raw::undefined()));
            }
            return result;
        }
        match task.cast::<Function>() {
            Some(function) => function.call(self, self.undefined(), &[]).map(|_| ()),
            None => Ok(()),
        }
    }
}
