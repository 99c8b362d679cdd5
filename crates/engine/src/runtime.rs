//! [`Runtime`]: an instance of the engine, bound to one thread.
//!
//! # Safety
//!
//! The callbacks of the engine find the `State` through the context's private pointer. It is boxed, so that the pointer
//! stays valid, and outlives the context. A `Runtime` stays on its thread: it holds raw pointers, so it is not `Send`.
//!
//! A runtime in a thread-local variable can be reached from any code of Rust: from the closures that get a slice of the
//! engine's memory, from the destructor of a payload, which runs during a collection, and from other callbacks that
//! must not call the engine. All of these run while a scope exists. So the functions of `Runtime` that call the engine
//! panic while a scope exists (`assert_idle`).

use std::any::Any;
use std::cell::{Cell, OnceCell, RefCell};
use std::ffi::c_void;
use std::ptr::{self, NonNull};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock, TryLockError};

use mozjs::jsapi;
use mozjs_sys::jsgc::{Rootable, Rooted};
use mozjs_sys::trace::Traceable;

use crate::async_task::TaskQueue;
use crate::compiled::{self, SelfHostedCode};
use crate::engine;
use crate::error_stack::StackAccessor;
use crate::error_text::{ErrorFormat, MessageHandler};
use crate::exception::{LastThrow, Pending};
use crate::global::{Global, RootTable};
use crate::heap::HeapLimit;
use crate::microtask::{JobContexts, Queue, RejectionHandler};
use crate::module_hooks::ModuleHooks;
use crate::object::Object;
use crate::raw::{RawContext, RawTracer};
use crate::realm::{Realm, is_foreign};
use crate::sandbox;
use crate::scope::Scope;
use crate::sites::Sites;
use crate::slots::FrameList;
use crate::weak::Registries;

/// The most memory for new objects (the nursery). When the nursery is full it is collected, and the objects that
/// survive move. With the engine's default, a server's garbage does not fit into the processor's cache. Of 2, 4, 8 and
/// 16 MB, 4 MB is the smallest size with which no program of `benches/js/compute` is slower.
const NURSERY_BYTES: u32 = 4 << 20;

/// Options for a new runtime.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The most bytes that the heap may take: see [`Runtime::on_heap_limit`]. None: no limit.
    pub heap_limit_bytes: Option<u64>,
    /// How much of the thread's stack JavaScript may use. A stack overflow throws a RangeError.
    pub stack_bytes: usize,
    /// The engine's own JavaScript, compiled ahead of time. None: the engine parses its text.
    pub self_hosted: Option<SelfHostedCode>,
    /// Formats for the engine's messages. The formats of the first runtime of a process apply to all runtimes.
    pub error_formats: &'static [ErrorFormat],
}

impl Default for Options {
    fn default() -> Options {
        Options { heap_limit_bytes: None, stack_bytes: 1 << 20, self_hosted: None, error_formats: &[] }
    }
}

/// An instance of the engine, bound to one thread: a heap, and the JavaScript that runs on it.
///
/// ```
/// use phasor_engine::{Origin, Options, Runtime};
///
/// let mut runtime = Runtime::new(Options::default());
/// let realm = runtime.new_realm();
/// let sum = runtime.enter(&realm, |scope| {
///     let value = scope.eval("6 * 7", Origin::new("sum.js")).expect("it throws nothing");
///     value.to_int32()
/// });
/// assert_eq!(sum, Some(42));
/// ```
#[derive(Debug)]
pub struct Runtime {
    state: NonNull<State>,
}

/// The data that the callbacks of the engine use.
pub(crate) struct State {
    pub(crate) cx: *mut RawContext,
    pub(crate) frames: FrameList,
    pub(crate) roots: Rc<RootTable>,
    /// The exception of the last call that failed: see `exception.rs`.
    pub(crate) thrown: Cell<Pending>,
    pub(crate) last_throw: LastThrow,
    /// The value that the embedder attached with [`Runtime::set_host`].
    pub(crate) host: OnceCell<Box<dyn Any>>,
    /// The payload of a panic in a native function, until the Rust code that called JavaScript resumes it.
    pub(crate) panic: RefCell<Option<Box<dyn Any + Send>>>,
    /// The global object of the first realm. All other realms of the embedder share its compartment.
    pub(crate) first_realm: RefCell<Option<Global<Object>>>,
    interrupt: RefCell<Option<InterruptHandler>>,
    pub(crate) rejection: RefCell<Option<RejectionHandler>>,
    pub(crate) error_message: RefCell<Option<MessageHandler>>,
    pub(crate) stack_accessor: RefCell<Option<StackAccessor>>,
    pub(crate) modules: ModuleHooks,
    pub(crate) async_tasks: TaskQueue,
    pub(crate) registries: Registries,
    pub(crate) heap_limit: HeapLimit,
    pub(crate) contexts: JobContexts,
    pub(crate) sites: Sites,
    queue: RefCell<Option<Queue>>,
    interrupter: Interrupter,
    tracer: Cell<*mut Rooted<StateTracer>>,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").finish_non_exhaustive()
    }
}

impl State {
    pub(crate) fn interrupter(&self) -> &Interrupter {
        &self.interrupter
    }

    /// Stores the payload of a panic for the Rust code that called JavaScript. A callback that cannot report failure to
    /// the engine ends the running JavaScript by an interrupt.
    pub(crate) fn keep_panic(&self, payload: Box<dyn Any + Send>) {
        let earlier = self.panic.replace(Some(payload));
        // The destructor of the earlier payload may panic too, and no handler could catch that panic here.
        std::mem::forget(earlier);
    }

    /// Resumes the panic that was stored, if there is one.
    #[inline]
    pub(crate) fn resume_panic(&self) {
        let payload = self.panic.borrow_mut().take();
        if let Some(payload) = payload {
            std::panic::resume_unwind(payload);
        }
    }

    /// # Safety
    ///
    /// `tracer` is the tracer of a collection that runs now, on this thread.
    unsafe fn trace_thrown(&self, tracer: RawTracer) {
        if let Pending::Exception(mut value) = self.thrown.get() {
            // SAFETY: guaranteed by the caller. The collector may move the value, so the new one is stored.
            unsafe { crate::raw::trace_value(tracer, &raw mut value) };
            self.thrown.set(Pending::Exception(value));
        }
    }
}

type InterruptHandler = Rc<dyn Fn(Scope<'_>) -> bool>;

/// The root that lets the collector trace the slots and the globals.
///
/// The root is a `Rooted` at the bottom of the context's list, not a callback of `JS_AddExtraGCRootsTracer`: the engine
/// skips those callbacks in minor collections (`GCRuntime::traceRuntimeCommon`), which move objects too.
struct StateTracer(*const State);

// SAFETY: it traces all slots and roots.
unsafe impl Traceable for StateTracer {
    unsafe fn trace(&self, tracer: RawTracer) {
        // SAFETY: the state outlives its tracer, which is removed before the context is destroyed.
        unsafe {
            let state = self.0;
            (*state).frames.trace(tracer);
            (*state).trace_thrown(tracer);
            (*state).last_throw.trace(tracer);
            (*state).roots.trace(tracer);
            (*state).contexts.trace(tracer);
        }
    }
}

impl Rootable for StateTracer {}

impl Runtime {
    /// Starts the engine on this thread.
    ///
    /// # Panics
    ///
    /// If there is no memory for the engine, or the thread has a runtime already.
    pub fn new(options: Options) -> Runtime {
        // Without this check the engine would abort the process.
        assert!(CURRENT.get().is_null(), "this thread has a JavaScript engine already");
        engine::add_runtime(options.error_formats);
        let heap_bytes = HeapLimit::of_engine(options.heap_limit_bytes);
        // SAFETY: the engine was started. The context has no parent runtime.
        let cx = unsafe { jsapi::JS_NewContext(heap_bytes, ptr::null_mut()) };
        assert!(!cx.is_null(), "no memory for a JavaScript engine");
        let interrupter = Interrupter(Arc::new(InterruptTarget {
            cx: RwLock::new(Some(ContextPointer(cx))),
            is_requested: AtomicBool::new(false),
        }));
        let state = Box::new(State {
            cx,
            frames: FrameList::default(),
            thrown: Cell::new(Pending::Uncatchable),
            last_throw: LastThrow::default(),
            host: OnceCell::new(),
            roots: Rc::new(RootTable::default()),
            panic: RefCell::new(None),
            first_realm: RefCell::new(None),
            interrupt: RefCell::new(None),
            rejection: RefCell::new(None),
            error_message: RefCell::new(None),
            stack_accessor: RefCell::new(None),
            modules: ModuleHooks::default(),
            async_tasks: TaskQueue::default(),
            registries: Registries::default(),
            heap_limit: HeapLimit::default(),
            contexts: JobContexts::default(),
            sites: Sites::default(),
            queue: RefCell::new(None),
            interrupter,
            tracer: Cell::new(ptr::null_mut()),
        });
        let state = NonNull::from(Box::leak(state));
        CURRENT.set(state.as_ptr());
        // SAFETY: the context is new, and everything passed to it lives until `drop` has destroyed the context.
        unsafe {
            jsapi::JS_SetContextPrivate(cx, state.as_ptr().cast::<c_void>());
            let tracer = Box::into_raw(Box::new(Rooted::new_unrooted(StateTracer(state.as_ptr()))));
            Rooted::add_to_root_stack(tracer, cx);
            state.as_ref().tracer.set(tracer);
            jsapi::JS_SetGCParameter(cx, jsapi::JSGCParamKey::JSGC_MAX_BYTES, heap_bytes);
            jsapi::JS_SetGCParameter(cx, jsapi::JSGCParamKey::JSGC_MAX_NURSERY_BYTES, NURSERY_BYTES);
            jsapi::JS_SetNativeStackQuota(cx, options.stack_bytes, 0, 0);
            jsapi::SetStackFormat(cx, jsapi::StackFormat::V8);
            // Off, because with asynchronous stacks the engine captures a stack for each promise, and `await` is three
            // times slower.
            (*jsapi::ContextOptionsRef(cx)).set_asyncStack_(false);
            // Compiled code stays writable, as in V8: changing the protection for each piece of code takes a tenth of a
            // short program's time.
            let option = jsapi::JSJitCompilerOption::JSJITCOMPILER_WRITE_PROTECT_CODE;
            jsapi::JS_SetGlobalJitCompilerOption(cx, option, 0);
            assert!(compiled::load_self_hosted(cx, options.self_hosted), "no memory for the engine's own JavaScript");
            jsapi::JS_AddInterruptCallback(cx, Some(on_interrupt));
            jsapi::SetWindowProxyClass(cx, &raw const sandbox::OUTER);
            jsapi::SetWaitCallback(jsapi::JS_GetRuntime(cx), Some(before_wait), Some(after_wait), 0);
            state.as_ref().queue.replace(Some(Queue::install(cx)));
            ModuleHooks::install(cx);
            state.as_ref().async_tasks.install(cx);
            Registries::install(cx, state.as_ptr());
            HeapLimit::install(cx, state.as_ptr(), options.heap_limit_bytes);
            // `Atomics.wait` may block any thread.
            jsapi::JS_SetFutexCanWait(cx);
        }
        Runtime { state }
    }

    pub(crate) fn state(&self) -> &State {
        // SAFETY: the state is freed by `drop` alone.
        unsafe { self.state.as_ref() }
    }

    /// Attaches a value of the embedder, which [`Scope::host`] returns. The value is dropped before the heap. A second
    /// call changes nothing.
    pub fn set_host<T: 'static>(&self, host: T) {
        let _ = self.state().host.set(Box::new(host));
    }

    /// The state, for an engine call that is made without a scope.
    ///
    /// # Panics
    ///
    /// If a scope exists: see the module documentation.
    fn assert_idle(&self) -> &State {
        let state = self.state();
        assert!(state.frames.is_empty(), "the runtime is entered: use the scope");
        state
    }

    /// Makes a global object with the standard builtins, each of which is created at its first use.
    ///
    /// # Panics
    ///
    /// If the runtime is entered.
    pub fn new_realm(&self) -> Realm {
        Realm::new(self.assert_idle())
    }

    /// Runs `body` in a realm, with a scope for its locals.
    ///
    /// # Panics
    ///
    /// If the realm is of another runtime, or the runtime is entered already (a native function uses the scope that is
    /// passed to it). A panic in a native function or callback resumes here, unless a call of JavaScript in `body` has
    /// resumed it.
    pub fn enter<R>(&self, realm: &Realm, body: impl for<'s> FnOnce(Scope<'s>) -> R) -> R {
        let state = self.assert_idle();
        realm.assert_of(state);
        let result = Scope::run(state, |scope| realm.run_in(scope, body));
        state.resume_panic();
        result
    }

    /// Sets the function that is called soon after [`Interrupter::interrupt`], at the next interrupt check of the
    /// running JavaScript. If it returns false, that JavaScript ends without running `catch` and `finally`.
    pub fn on_interrupt(&self, handler: impl Fn(Scope<'_>) -> bool + 'static) {
        self.state().interrupt.replace(Some(Rc::new(handler)));
    }

    /// A handle that interrupts this runtime from any thread.
    pub fn interrupter(&self) -> Interrupter {
        self.state().interrupter.clone()
    }

    /// Collects garbage now.
    ///
    /// # Panics
    ///
    /// If the runtime is entered: see [`Scope::collect_garbage`].
    pub fn collect_garbage(&self) {
        // Called in a scope, so that destructors of payloads cannot enter the runtime.
        Scope::run(self.assert_idle(), |scope| scope.collect_garbage());
    }

    /// Sets the size of the memory for new objects (the nursery). When it is full, the collector moves the objects that
    /// are still in use. So a nursery of one page reveals values that are not rooted. For tests.
    pub fn set_nursery_bytes(&self, bytes: u32) {
        use jsapi::JSGCParamKey::{JSGC_MAX_NURSERY_BYTES, JSGC_MIN_NURSERY_BYTES};
        let cx = self.assert_idle().cx;
        // SAFETY: the context is alive. The minimum size must not exceed the maximum.
        unsafe {
            jsapi::JS_SetGCParameter(cx, JSGC_MIN_NURSERY_BYTES, bytes);
            jsapi::JS_SetGCParameter(cx, JSGC_MAX_NURSERY_BYTES, bytes);
        }
    }

    /// Collects garbage after every `every` allocations, in the given `mode` (`JS::SetGCZeal`), to find unrooted
    /// values.
    #[cfg(feature = "debug-engine")]
    ///
    /// # Panics
    ///
    /// If the runtime is entered.
    pub fn set_gc_zeal(&self, mode: u8, every: u32) {
        // SAFETY: the context is alive.
        unsafe { jsapi::SetGCZeal(self.assert_idle().cx, mode, every) };
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        let state = self.state();
        state.interrupter.0.cx.write().unwrap_or_else(PoisonError::into_inner).take();
        state.interrupt.replace(None);
        state.rejection.replace(None);
        state.contexts.promise_hooks.replace(None);
        state.error_message.replace(None);
        state.stack_accessor.replace(None);
        state.modules.clear();
        state.registries.clear();
        state.heap_limit.clear();
        state.sites.clear();
        state.contexts.observer.clear();
        // SAFETY: the context is destroyed below.
        unsafe { state.async_tasks.close(state.cx) };
        state.first_realm.replace(None);
        state.roots.close();
        // SAFETY: no scope is left that could have borrowed the value.
        drop(unsafe { (*self.state.as_ptr()).host.take() });
        let state = self.state();
        // SAFETY: no scope is left, since each borrows the runtime. The tracer is the last root: the roots above it
        // ended with their scopes. The state is freed after the context, whose finalizers may use it.
        unsafe {
            let tracer = state.tracer.get();
            (*tracer).remove_from_root_stack();
            jsapi::JS_DestroyContext(state.cx);
            drop(Box::from_raw(tracer));
            // The last payloads were dropped just now, and their destructors may have panicked.
            let panic = state.panic.take();
            drop(Box::from_raw(self.state.as_ptr()));
            CURRENT.set(ptr::null());
            engine::remove_runtime();
            if let Some(payload) = panic
                && !std::thread::panicking()
            {
                std::panic::resume_unwind(payload);
            }
        }
    }
}

thread_local! {
    /// The state of the runtime of this thread; null if it has none.
    static CURRENT: Cell<*const State> = const { Cell::new(ptr::null()) };
}

/// Calls a function of the embedder in a callback of the engine that cannot fail, on the thread of a runtime. A panic
/// ends the running JavaScript, and resumes in the Rust code that called it.
pub(crate) fn contain_panic(body: impl FnOnce()) {
    // After a panic, the panic payload is the only value used of those that the closure has borrowed.
    if let Err(payload) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(body)) {
        // SAFETY: the state exists while the thread has a runtime, and only its thread reads the pointer.
        match unsafe { CURRENT.get().as_ref() } {
            Some(state) => {
                state.keep_panic(payload);
                state.interrupter().interrupt();
            }
            None => std::process::abort(),
        }
    }
}

/// The version of the engine.
pub fn version() -> &'static str {
    // SAFETY: the engine returns a static text.
    let text = unsafe { std::ffi::CStr::from_ptr(jsapi::JS_GetImplementationVersion()) };
    text.to_str().unwrap_or_default().trim_start_matches("JavaScript-C")
}

/// Interrupts a runtime from any thread.
#[derive(Clone, Debug)]
pub struct Interrupter(Arc<InterruptTarget>);

#[derive(Debug)]
struct InterruptTarget {
    /// The context. None when the runtime is gone. A lock, so that the context is not destroyed during a request.
    cx: RwLock<Option<ContextPointer>>,
    /// Whether an interrupt was requested since the last call of the handler.
    is_requested: AtomicBool,
}

#[derive(Clone, Copy, Debug)]
struct ContextPointer(*mut RawContext);

// SAFETY: other threads use the pointer for `JS_RequestInterruptCallback` alone, which any thread may call.
unsafe impl Send for ContextPointer {}
// SAFETY: other threads use the pointer for `JS_RequestInterruptCallback` alone, which any thread may call.
unsafe impl Sync for ContextPointer {}

impl Interrupter {
    /// Makes the runtime call its interrupt handler soon, also from compiled code and from waits in `Atomics.wait`. Does nothing when
    /// the runtime is gone.
    pub fn interrupt(&self) {
        if let Some(ContextPointer(cx)) = *self.0.cx.read().unwrap_or_else(PoisonError::into_inner) {
            // Stored first, so that `before_wait` sees the request if the engine does not see the wait.
            self.0.is_requested.store(true, Ordering::SeqCst);
            // SAFETY: the context lives while the lock is held.
            unsafe { jsapi::JS_RequestInterruptCallback(cx) };
        }
    }

    /// Does what [`Interrupter::interrupt`] does, in a signal handler. Waits in `Atomics.wait` are not interrupted, and
    /// nothing happens while the runtime is being destroyed.
    pub fn interrupt_from_signal(&self) {
        let cx = match self.0.cx.try_read() {
            Ok(cx) => cx,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        if let Some(ContextPointer(cx)) = *cx {
            // SAFETY: the context lives while the lock is held. The function stores to two atomic fields of it.
            unsafe { jsapi::JS_RequestInterruptCallbackCanWait(cx) };
        }
    }
}

/// Returns the state of a context.
///
/// # Safety
///
/// `cx` is the context of a [`Runtime`] that lives for `'a`.
pub(crate) unsafe fn state_of<'a>(cx: *mut RawContext) -> &'a State {
    // SAFETY: `Runtime::new` set the pointer, and the caller guarantees the lifetime.
    unsafe { &*jsapi::JS_GetContextPrivate(cx).cast::<State>() }
}

unsafe extern "C" fn on_interrupt(cx: *mut RawContext) -> bool {
    // SAFETY: the engine calls this with a running context.
    let state = unsafe { state_of(cx) };
    // SAFETY: the object was just read.
    if unsafe { is_foreign(state, jsapi::CurrentGlobalOrNull(cx)) } {
        // The debugger would ignore the end of its JavaScript. So the interrupt is requested again for the function of
        // the program that the debugger calls next.
        state.interrupter.interrupt();
        return true;
    }
    state.interrupter.0.is_requested.store(false, Ordering::SeqCst);
    if state.panic.borrow().is_some() {
        return false;
    }
    let Some(handler) = state.interrupt.borrow().clone() else { return true };
    crate::function::guarded(state, |scope| Ok(handler(scope))).unwrap_or(false)
}

/// Called by the engine before `Atomics.wait` blocks the thread.
///
/// A request interrupts a thread that waits. A request that was made after the last interrupt check of JavaScript and
/// before the wait does not, because the engine does not check here. So this function repeats the request as soon as
/// the thread waits.
unsafe extern "C" fn before_wait(_memory: *mut u8) -> *mut c_void {
    // SAFETY: the engine calls this on the thread of a runtime that runs.
    let Some(state) = (unsafe { CURRENT.get().as_ref() }) else { return ptr::null_mut() };
    if state.interrupter.0.is_requested.load(Ordering::SeqCst) {
        let interrupter = state.interrupter.clone();
        // The engine holds a lock here. A request needs the same lock, and the wait releases it. So another thread
        // makes the request.
        let started = std::thread::Builder::new().name("interrupter".to_owned()).spawn(move || interrupter.interrupt());
        // If no thread can be started, the next request interrupts the wait.
        drop(started);
    }
    ptr::null_mut()
}

/// Does nothing; the engine requires either both callbacks or none.
extern "C" fn after_wait(_cookie: *mut c_void) {}
