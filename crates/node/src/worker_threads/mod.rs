//! Native functions of `worker_threads`: threads with one host each, and the state that both sides share.
//!
//! The parent's JavaScript refers to a worker by a number. Messages go through ports. This file handles only what a port cannot report:
//! that the thread has ended, and why.
//!
//! # Ground rules
//! A thread ends its own workers and joins them before it reports its end to its parent. So no thread outlives its parent, and a parent's
//! loop outlives the threads that wake it.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use phasor_core::{Event, HandleId};
use phasor_engine::{Fallible, Function, Global, Local, Object, Scope, define_natives};
use phasor_js::clone::Message;
use phasor_js::port::PortEnd;
use phasor_js::{
    About, AtExit, Host, HostError, JsFace, OnEvent, Options, ResourceId, StopReason, ThreadControl, state,
};

use crate::fs::descriptors;
use crate::messaging;
use crate::process::environment::{self, Environment};
use crate::process::node_flags;

/// Stack for native code in addition to the JavaScript stack.
const STACK_MARGIN_BYTES: usize = 1 << 20;

/// The default `stackSizeMb` of a worker (`src/node_worker.h: Worker::stack_size_`).
const STACK_MB: f64 = 4.0;

/// The time that an ending thread waits for its operations in the pool. After that, descriptors in use stay open.
const MAX_TO_SETTLE: Duration = Duration::from_secs(2);

/// The last thread id; the main thread has 0.
static LAST_THREAD: AtomicU32 = AtomicU32::new(0);

/// The data that a new thread starts with.
struct ThreadStart {
    options: Options,
    about: WorkerInfo,
    environment: Environment,
    /// The worker's end of the channel for the runtime's own messages.
    control: PortEnd,
    /// The worker's end of `parentPort`.
    public: PortEnd,
    /// The receiving end for `postMessageToThread`.
    mailbox: PortEnd,
    /// `trackUnmanagedFds`: close descriptors when the thread ends.
    tracks_descriptors: bool,
}

/// The properties that a worker sees of itself.
#[derive(Clone)]
struct WorkerInfo {
    thread: u32,
    name: String,
    /// `resourceLimits`: young generation, old generation, code range, stack.
    limits_mb: [f64; 4],
}

/// The result of a thread.
struct Ended {
    code: i32,
    /// Code and message of the error that the parent emits.
    error: Option<(&'static str, String)>,
}

/// State shared by both threads.
struct Shared {
    /// Terminates the worker's script from the parent.
    thread_control: Arc<ThreadControl>,
    /// Set by the worker's thread before it wakes the parent.
    ended: Mutex<Option<Ended>>,
}

/// A worker, as its parent sees it.
struct Worker {
    number: u32,
    /// The async handle through which the thread wakes this loop; `None` once it is closing.
    handle: Cell<Option<HandleId>>,
    shared: Arc<Shared>,
    /// Joined when the thread has ended.
    thread: RefCell<Option<JoinHandle<()>>>,
    /// The parent's ports, the public one first. Their remaining messages are delivered before 'exit'.
    ports: [u32; 2],
    /// Called with exit code, error code and error message.
    on_exit: RefCell<Option<Global<Function>>>,
    /// Its life in a recording.
    span: Cell<ResourceId>,
}

thread_local! {
    /// The properties of this thread and the numbers of its ports, if it is a worker.
    static SELF: RefCell<Option<(WorkerInfo, [u32; 3])>> = const { RefCell::new(None) };
    /// The running workers of this thread.
    static WORKERS: RefCell<HashMap<u32, Rc<Worker>>> = RefCell::default();
}

/// Creates the object of native functions.
pub(crate) fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    let natives = Object::new(scope);
    define_natives!(scope, natives,
        "about" => about,
        "start" => start,
        "terminate" => |_, number: u32| with(number, |worker| worker.shared.thread_control.end(StopReason::Terminated)),
        "setRef" => set_ref,
        "hasRef" => has_ref,
        "loopTimes" => |_, number: u32| loop_times(number),
        "isFlagOfNode" => |_, word: String| node_flags::is_allowed_in_environment(&word),
    );
    threads::define(scope, natives)?;
    Ok(natives)
}

mod threads;

fn with<R>(number: u32, work: impl FnOnce(&Rc<Worker>) -> R) -> Option<R> {
    let worker = WORKERS.with_borrow(|workers| workers.get(&number).cloned());
    worker.as_ref().map(work)
}

/// The properties of this worker; `None` on the main thread.
fn about(scope: Scope<'_>) -> Fallible<Option<Local<'_, Object>>> {
    let Some((about, [control, public, mailbox])) = SELF.with_borrow(Clone::clone) else { return Ok(None) };
    let object = Object::new(scope);
    object.set(scope, "threadId", about.thread)?;
    object.set(scope, "name", about.name)?;
    object.set(scope, "limits", about.limits_mb)?;
    object.set(scope, "control", control)?;
    object.set(scope, "public", public)?;
    object.set(scope, "box", mailbox)?;
    Ok(Some(object))
}

/// True if this thread is a worker.
pub(crate) fn is_worker() -> bool {
    SELF.with_borrow(Option::is_some)
}

/// Sends text for a worker's standard stream to its parent. Returns false if this thread is not a worker.
pub(crate) fn write_through_parent(fd: i32, text: &str) -> bool {
    let Some(control) = SELF.with_borrow(|me| me.as_ref().map(|(_, [control, ..])| *control)) else { return false };
    if let Some(port) = messaging::port_of(control) {
        port.post(Message::of_texts(&["text", if fd == 2 { "stderr" } else { "stdout" }, text]), Vec::new());
    }
    true
}

fn megabytes(limit_mb: f64) -> usize {
    (limit_mb * f64::from(1 << 20)) as usize
}

/// Starts a thread. `given` is `{ name, script, limits, execArgv, flags, env, tracks, ports: [public, control] of the parent, ends: [public,
/// control] of the worker }`. Returns the thread id, or 0 if the thread cannot be created.
fn start(scope: Scope<'_>, given: Local<'_, Object>, on_exit: Local<'_, Function>) -> Fallible<u32> {
    let host = state(scope);
    let ends: Vec<u32> = given.get_as(scope, "ends")?;
    let (Some(public), Some(control)) = (messaging::take(ends[0]), messaging::take(ends[1])) else {
        return Ok(0);
    };
    let thread = LAST_THREAD.fetch_add(1, Ordering::Relaxed) + 1;
    let mut limits_mb = [-1.0; 4];
    for (limit, requested) in limits_mb.iter_mut().zip(given.get_as::<Vec<f64>>(scope, "limits")?) {
        *limit = requested;
    }
    let stack_mb = if limits_mb[3] > 0.0 { limits_mb[3] } else { STACK_MB };
    limits_mb[3] = stack_mb;
    let name: String = given.get_as(scope, "name")?;
    let about = WorkerInfo { thread, name, limits_mb };
    let thread_control = Arc::new(ThreadControl::default());
    // The engine has one heap: add the limits of both generations.
    let heap_mb = limits_mb[1].max(0.0) + if limits_mb[1] > 0.0 { limits_mb[0].max(0.0) } else { 0.0 };
    let options = Options {
        at_exit: AtExit::Return,
        exec_argv: given.get_as(scope, "execArgv")?,
        flags: given.get_as(scope, "flags")?,
        args: Vec::new(),
        eval: None,
        eval_file: "[worker eval]",
        print: false,
        heap_limit_bytes: (heap_mb > 0.0).then(|| megabytes(heap_mb)),
        stack_bytes: Some(megabytes(stack_mb)),
        thread_control: Some(thread_control.clone()),
        thread_id: thread,
        ..host.options().clone()
    };
    let start_data = ThreadStart {
        options,
        about,
        environment: environment::of_worker(scope, given)?,
        control,
        public,
        mailbox: threads::register_mailbox(thread),
        tracks_descriptors: given.get_as(scope, "tracks")?,
    };
    let shared = Arc::new(Shared { thread_control, ended: Mutex::default() });
    let ports: Vec<u32> = given.get_as(scope, "ports")?;
    let worker = Rc::new(Worker {
        number: thread,
        handle: Cell::new(None),
        shared: shared.clone(),
        thread: RefCell::new(None),
        ports: [ports[0], ports[1]],
        on_exit: RefCell::new(Some(Global::new(scope, on_exit))),
        span: Cell::new(ResourceId::NONE),
    });
    let (handle, parent) = host.core().async_open(worker.clone());
    worker.handle.set(Some(handle));
    let stack_bytes = megabytes(stack_mb).saturating_add(STACK_MARGIN_BYTES);
    // Linux truncates thread names to 15 bytes.
    let name =
        if start_data.about.name.is_empty() { "worker".to_owned() } else { start_data.about.name.replace('\0', "") };
    let spawned = std::thread::Builder::new().name(name).stack_size(stack_bytes).spawn(move || {
        run(start_data, &shared);
        parent.send();
    });
    match spawned {
        Ok(thread) => *worker.thread.borrow_mut() = Some(thread),
        Err(_) => {
            // Cannot fail: the handle was just opened.
            let _ = host.core().close(handle);
            threads::remove_mailbox(thread);
            return Ok(0);
        }
    }
    if host.is_recorded() {
        worker.span.set(host.worker_started(scope, handle, &given.get_as::<String>(scope, "script")?));
    }
    WORKERS.with_borrow_mut(|workers| workers.insert(thread, worker));
    Ok(thread)
}

/// The main function of a worker's thread.
fn run(start_data: ThreadStart, shared: &Shared) {
    let thread_control = shared.thread_control.clone();
    let thread = start_data.about.thread;
    let ended = catch_unwind(AssertUnwindSafe(|| run_to_exit(start_data))).unwrap_or_else(|_| Ended {
        code: 1,
        error: Some(("ERR_WORKER_INIT_FAILED", "the thread has crashed".to_owned())),
    });
    threads::remove_mailbox(thread);
    let ended = match thread_control.ending() {
        Some(StopReason::OutOfMemory) => {
            Ended { code: 1, error: Some(("ERR_WORKER_OUT_OF_MEMORY", "JS heap out of memory".to_owned())) }
        }
        _ => ended,
    };
    *shared.ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(ended);
}

fn run_to_exit(start_data: ThreadStart) -> Ended {
    environment::set_current(start_data.environment);
    if start_data.tracks_descriptors {
        descriptors::keep_list();
    }
    let numbers = [start_data.control, start_data.public, start_data.mailbox].map(messaging::register);
    SELF.set(Some((start_data.about, numbers)));
    let thread_control = start_data.options.thread_control.clone();
    let host = match Host::new(start_data.options) {
        Ok(host) => host,
        // Terminated before it started: not an error.
        Err(_) if thread_control.is_some_and(|control| matches!(control.ending(), Some(StopReason::Terminated))) => {
            return Ended { code: 1, error: None };
        }
        // As Node, the message is only the name of the system error.
        Err(HostError::Loop(errno)) => {
            return Ended { code: 1, error: Some(("ERR_WORKER_INIT_FAILED", format!("{errno:?}"))) };
        }
    };
    // A guard: the workers of this thread own functions of this host, so they have to end first, even if this thread panics.
    let workers = EndWorkers;
    let code = host.run();
    drop(workers);
    // As Node, wait for operations in the pool. The wait is limited because an operation may block forever (a FIFO).
    let can_close = host.settle(descriptors::can_close, MAX_TO_SETTLE);
    drop(host);
    if can_close {
        descriptors::close_all();
    }
    Ended { code, error: None }
}

/// On drop, ends the workers of this thread and joins them.
struct EndWorkers;

impl Drop for EndWorkers {
    fn drop(&mut self) {
        let workers = WORKERS.take();
        for worker in workers.values() {
            worker.shared.thread_control.end(StopReason::Terminated);
        }
        for worker in workers.values() {
            let thread = worker.thread.borrow_mut().take();
            // A thread that panicked has also ended.
            let _ = thread.map(JoinHandle::join);
        }
    }
}

impl OnEvent for Worker {
    fn describe<'s>(&self, scope: Scope<'s>, about: &mut About<'s>) {
        about.entry.kind = "worker".into();
        about.entry.what = format!("thread {}", self.number);
        about.callback = self.on_exit.borrow().as_ref().map(|on_exit| on_exit.get(scope));
    }

    fn on_event(&self, scope: Scope<'_>, id: HandleId, _event: Event<JsFace>) -> Fallible<()> {
        let Some(ended) = self.shared.ended.lock().unwrap_or_else(PoisonError::into_inner).take() else {
            return Ok(());
        };
        let thread = self.thread.borrow_mut().take();
        let _ = thread.map(JoinHandle::join);
        // Deliver all messages that the worker has posted before 'exit'.
        for port in self.ports {
            if let Some(port) = messaging::port_of(port) {
                port.deliver_rest(scope);
            }
        }
        let on_exit = self.on_exit.take().filter(|_| !state(scope).is_leaving());
        state(scope).end_span(self.span.take(), ended.code as u32, 0);
        let (error, text) = ended.error.unzip();
        // As in Node, async hooks see the handle until 'exit' was emitted.
        let called = on_exit
            .map_or(Ok(()), |on_exit| on_exit.get(scope).call_with(scope, (), (ended.code, error, text)).map(|_| ()));
        WORKERS.with_borrow_mut(|workers| workers.remove(&self.number));
        self.handle.set(None);
        let _ = state(scope).core().close(id);
        called
    }
}

/// `worker.ref()` and `worker.unref()`.
fn set_ref(scope: Scope<'_>, number: u32, keeps_alive: bool) {
    with(number, |worker| worker.handle.get().map(|id| state(scope).core().set_ref(id, keeps_alive)));
}

/// Whether the worker keeps the loop alive; `None` if it has ended.
fn has_ref(scope: Scope<'_>, number: u32) -> Option<bool> {
    with(number, |worker| worker.handle.get().map(|id| state(scope).core().has_ref(id)))?
}

/// Idle time and total time of the worker's loop in milliseconds; `None` if the loop is not running.
fn loop_times(number: u32) -> Option<Vec<f64>> {
    let (idle, total) = with(number, |worker| worker.shared.thread_control.loop_times_ns())??;
    Some(vec![idle as f64 / 1e6, total as f64 / 1e6])
}
