//! Native verbs of `worker_threads`: threads with a host each, and what the two sides know of each other.
//!
//! JavaScript of the parent knows a worker by a number. What is said between the two goes through ports; here is only what
//! a port cannot tell: that the thread has ended, and why.
//!
//! # Ground rules
//! A thread ends its own workers, and waits for them, before it tells its parent that it has ended. So nobody is left
//! behind, and a parent's loop outlives what wakes it.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use phasor_core::{Event, HandleId};
use phasor_js::bytes::Utf8;
use phasor_js::clone::Message;
use phasor_js::port::PortEnd;
use phasor_js::{AtExit, Host, HostError, JsFace, OnEvent, Options, StopReason, ThreadControl, state};
use rquickjs::{Ctx, Function, Object, Persistent, Result};

use crate::fs::descriptors;
use crate::messaging;
use crate::process::environment::{self, Environment};

/// What natives may need of a thread's stack besides JavaScript's part.
const STACK_MARGIN_BYTES: usize = 1 << 20;

/// As Node, whose workers have 4 MB if nothing is said.
const STACK_MB: f64 = 4.0;

/// How long a thread that ends waits for the pool; what is open then stays open.
const MOST_TO_SETTLE: Duration = Duration::from_secs(2);

/// The numbers of threads; the main one has 0.
static LAST_THREAD: AtomicU32 = AtomicU32::new(0);

/// What a thread is born with.
struct Birth {
    options: Options,
    about: About,
    environment: Environment,
    control: PortEnd,
    public: PortEnd,
    letters: PortEnd,
    tracks_descriptors: bool,
}

/// What a worker knows of itself.
#[derive(Clone)]
struct About {
    thread: u32,
    name: String,
    /// As they were given, or their defaults: young, old, code, stack.
    limits_mb: [f64; 4],
}

/// How a thread has ended.
struct Ended {
    code: i32,
    /// The code of the error that the parent is to emit, and what it says.
    error: Option<(&'static str, String)>,
}

/// What the two sides share.
struct Shared {
    outside: Arc<ThreadControl>,
    ended: Mutex<Option<Ended>>,
}

/// A worker as its parent has it.
struct Worker {
    number: u32,
    handle: Cell<Option<HandleId>>,
    shared: Arc<Shared>,
    thread: RefCell<Option<JoinHandle<()>>>,
    /// The parent's ports, the public one first: what waits in them is delivered before the end is.
    ports: [u32; 2],
    /// `(code, error's code, error's text)`
    on_exit: RefCell<Option<Persistent<Function<'static>>>>,
}

thread_local! {
    /// What this thread is, if it is a worker, and the numbers of its ports.
    static SELF: RefCell<Option<(About, [u32; 3])>> = const { RefCell::new(None) };
    /// The workers of this thread that have not ended.
    static WORKERS: RefCell<HashMap<u32, Rc<Worker>>> = RefCell::default();
}

/// Makes the object of native verbs.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let verbs = Object::new(ctx.clone())?;
    verbs! { ctx, verbs,
        "about" => about,
        "start" => start,
        "terminate" => |number: u32| with(number, |worker| worker.shared.outside.end(StopReason::Terminated)),
        "setRef" => set_ref,
        "hasRef" => has_ref,
        "loopTimes" => loop_times,
    }
    threads::define(ctx, &verbs)?;
    Ok(verbs)
}

mod threads;

fn with<R>(number: u32, work: impl FnOnce(&Rc<Worker>) -> R) -> Option<R> {
    let worker = WORKERS.with_borrow(|workers| workers.get(&number).cloned());
    worker.as_ref().map(work)
}

/// What this worker is; nothing on the main thread.
fn about<'js>(ctx: Ctx<'js>) -> Result<Option<Object<'js>>> {
    let Some((about, [control, public, letters])) = SELF.with_borrow(Clone::clone) else { return Ok(None) };
    let object = Object::new(ctx)?;
    object.set("threadId", about.thread)?;
    object.set("name", about.name)?;
    object.set("limits", about.limits_mb.to_vec())?;
    object.set("control", control)?;
    object.set("public", public)?;
    object.set("box", letters)?;
    Ok(Some(object))
}

/// Whether this thread is a worker.
pub(crate) fn is_worker() -> bool {
    SELF.with_borrow(Option::is_some)
}

/// Writes a text to a standard stream of a worker, which is the parent's business. Whether this thread is a worker.
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

/// Starts a thread. `given` is `{ name, limits, execArgv, flags, env, tracks, ports: [ours public, ours control], ends:
/// [theirs public, theirs control] }`. Gives the thread's number; 0 if the system has no thread to give.
fn start<'js>(ctx: Ctx<'js>, given: Object<'js>, on_exit: Function<'js>) -> Result<u32> {
    let host = state(&ctx);
    let ends: Vec<u32> = given.get("ends")?;
    let (Some(public), Some(control)) = (messaging::take(ends[0]), messaging::take(ends[1])) else {
        return Ok(0);
    };
    let thread = LAST_THREAD.fetch_add(1, Ordering::Relaxed) + 1;
    let mut limits_mb = [-1.0; 4];
    for (limit, asked) in limits_mb.iter_mut().zip(given.get::<_, Vec<f64>>("limits")?) {
        *limit = asked;
    }
    let stack_mb = if limits_mb[3] > 0.0 { limits_mb[3] } else { STACK_MB };
    limits_mb[3] = stack_mb;
    let Utf8(name) = given.get("name")?;
    let about = About { thread, name, limits_mb };
    let outside = Arc::new(ThreadControl::default());
    // Young and old are one here.
    let heap_mb = limits_mb[1].max(0.0) + if limits_mb[1] > 0.0 { limits_mb[0].max(0.0) } else { 0.0 };
    let options = Options {
        at_exit: AtExit::Return,
        exec_argv: given.get("execArgv")?,
        flags: given.get("flags")?,
        args: Vec::new(),
        eval: None,
        eval_file: "[worker eval]",
        print: false,
        heap_limit_bytes: (heap_mb > 0.0).then(|| megabytes(heap_mb)),
        stack_bytes: Some(megabytes(stack_mb)),
        outside: Some(outside.clone()),
        thread_id: thread,
        ..host.options().clone()
    };
    let birth = Birth {
        options,
        about,
        environment: environment::of_worker(&given)?,
        control,
        public,
        letters: threads::put_up(thread),
        tracks_descriptors: given.get("tracks")?,
    };
    let shared = Arc::new(Shared { outside, ended: Mutex::default() });
    let ports: Vec<u32> = given.get("ports")?;
    let worker = Rc::new(Worker {
        number: thread,
        handle: Cell::new(None),
        shared: shared.clone(),
        thread: RefCell::new(None),
        ports: [ports[0], ports[1]],
        on_exit: RefCell::new(Some(Persistent::save(&ctx, on_exit))),
    });
    let (handle, parent) = host.core().async_open(worker.clone());
    worker.handle.set(Some(handle));
    let stack_bytes = megabytes(stack_mb).saturating_add(STACK_MARGIN_BYTES);
    // The system shows 15 bytes of it.
    let name = if birth.about.name.is_empty() { "worker".to_owned() } else { birth.about.name.replace('\0', "") };
    let spawned = std::thread::Builder::new().name(name).stack_size(stack_bytes).spawn(move || {
        run(birth, &shared);
        parent.send();
    });
    match spawned {
        Ok(thread) => *worker.thread.borrow_mut() = Some(thread),
        Err(_) => {
            // It was opened just now.
            let _ = host.core().close(handle);
            threads::take_down(thread);
            return Ok(0);
        }
    }
    WORKERS.with_borrow_mut(|workers| workers.insert(thread, worker));
    Ok(thread)
}

/// The life of a worker's thread.
fn run(birth: Birth, shared: &Shared) {
    let outside = shared.outside.clone();
    let thread = birth.about.thread;
    let ended = catch_unwind(AssertUnwindSafe(|| run_to_exit(birth))).unwrap_or_else(|_| Ended {
        code: 1,
        error: Some(("ERR_WORKER_INIT_FAILED", "the thread has crashed".to_owned())),
    });
    threads::take_down(thread);
    let ended = match outside.ending() {
        Some(StopReason::OutOfMemory) => {
            Ended { code: 1, error: Some(("ERR_WORKER_OUT_OF_MEMORY", "JS heap out of memory".to_owned())) }
        }
        _ => ended,
    };
    *shared.ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(ended);
}

fn run_to_exit(birth: Birth) -> Ended {
    environment::become_mine(birth.environment);
    if birth.tracks_descriptors {
        descriptors::keep_list();
    }
    let numbers = [birth.control, birth.public, birth.letters].map(messaging::keep);
    SELF.set(Some((birth.about, numbers)));
    let outside = birth.options.outside.clone();
    let host = match Host::new(birth.options) {
        Ok(host) => host,
        // Told to end before it had begun: that is no failure.
        Err(_) if outside.is_some_and(|outside| matches!(outside.ending(), Some(StopReason::Terminated))) => {
            return Ended { code: 1, error: None };
        }
        // As Node, which names the system's reason alone.
        Err(error) => {
            let text = if let HostError::Loop(errno) = error { format!("{errno:?}") } else { error.to_string() };
            return Ended { code: 1, error: Some(("ERR_WORKER_INIT_FAILED", text)) };
        }
    };
    // Also if this thread crashes: they have functions of the host's.
    let workers = EndWorkers;
    let code = host.run();
    drop(workers);
    // As Node: what the pool is at is waited for. But a file may keep it waiting for ever.
    let can_close = host.settle(descriptors::can_close, MOST_TO_SETTLE);
    drop(host);
    if can_close {
        descriptors::close_all();
    }
    Ended { code, error: None }
}

/// Dropped, ends the workers of this thread and waits for them.
struct EndWorkers;

impl Drop for EndWorkers {
    fn drop(&mut self) {
        let workers = WORKERS.take();
        for worker in workers.values() {
            worker.shared.outside.end(StopReason::Terminated);
        }
        for worker in workers.values() {
            let thread = worker.thread.borrow_mut().take();
            // A thread that has crashed is an ended one.
            let _ = thread.map(JoinHandle::join);
        }
    }
}

impl OnEvent for Worker {
    fn on_event(&self, ctx: &Ctx<'_>, id: HandleId, _event: Event<JsFace>) -> Result<()> {
        let Some(ended) = self.shared.ended.lock().unwrap_or_else(PoisonError::into_inner).take() else {
            return Ok(());
        };
        let thread = self.thread.borrow_mut().take();
        let _ = thread.map(JoinHandle::join);
        // All that it has said comes first.
        for port in self.ports {
            if let Some(port) = messaging::port_of(port) {
                port.deliver_rest(ctx);
            }
        }
        let on_exit = self.on_exit.take().filter(|_| !state(ctx).is_leaving());
        let (error, text) = ended.error.unzip();
        // As in Node, hooks see the handle until 'exit' was told.
        let told = on_exit.map_or(Ok(()), |on_exit| on_exit.restore(ctx)?.call((ended.code, error, text)));
        WORKERS.with_borrow_mut(|workers| workers.remove(&self.number));
        self.handle.set(None);
        let _ = state(ctx).core().close(id);
        told
    }
}

/// Says whether a worker keeps the loop alive.
fn set_ref(ctx: Ctx<'_>, number: u32, keeps_alive: bool) {
    with(number, |worker| worker.handle.get().map(|id| state(&ctx).core().set_ref(id, keeps_alive)));
}

/// Whether a worker keeps the loop alive; nothing if it has ended.
fn has_ref(ctx: Ctx<'_>, number: u32) -> Option<bool> {
    with(number, |worker| worker.handle.get().map(|id| state(&ctx).core().has_ref(id)))?
}

/// How long a worker's loop has slept and how long it has been turning, in milliseconds; nothing if it does not turn.
fn loop_times(number: u32) -> Option<Vec<f64>> {
    let (idle, total) = with(number, |worker| worker.shared.outside.loop_times_ns())??;
    Some(vec![idle as f64 / 1e6, total as f64 / 1e6])
}
