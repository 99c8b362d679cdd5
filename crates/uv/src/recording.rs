//! Recordings of C programs: the session of the process, and for each loop the names of callbacks and of the code that
//! initialises handles and starts requests.
//!
//! With the environment variable `PHASOR_RECORD` ([`Config::VARIABLE`]) the first loop starts the session, and the end of the process
//! finishes it. A tool that is attached can start a session too (`attach`). Without a recording the cost is one branch for each event.
//!
//! # Ground rules
//! - Only the thread that uses a loop touches its [`LoopRecording`]. The one exception is [`finish`], which checks the thread.
//! - A child of `fork` neither writes to the file of its parent nor takes a lock that another thread of the parent may have held.
//!
//! # Safety
//! The contract of `access` holds. A pointer in [`LIVE`] is valid until `LoopRecording::drop` removes it.
#![allow(unsafe_code)]

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int};
use std::hash::BuildHasherDefault;
use std::io::{ErrorKind, Write};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use phasor_core::{Event, HandleId, Loop, ObserverId, Outcome, RunMode, fork_generation, thread_id};
use phasor_lens::{Config, Location, LoopObserver, Recorder, ResourceId, Session, SpanKind, WhyEntry};
use phasor_sys::backtrace::{AddressHasher, Backtracer};
use phasor_sys::symbols::{self, Symbols};

use crate::access;
use crate::attach::RUNTIME;
use crate::front_end::C;
use crate::layout::*;

/// The most frames of a stack that are recorded.
const MOST_FRAMES: usize = 8;

/// The most addresses, and the most stacks, that are cached for a loop.
const MOST_KNOWN: usize = 1 << 16;

/// The recording of one loop.
pub(crate) struct LoopRecording {
    code: Rc<Code>,
    observer: ObserverId,
    /// The thread that runs the loop, as [`thread_mark`] returns it; 0 before the first run.
    thread: Cell<usize>,
    /// The thread that initialised the loop.
    maker: usize,
}

/// Converts code addresses to numbers of the recording.
struct Code {
    recorder: Rc<Recorder>,
    locations: RefCell<AddressMap<usize, KnownCode>>,
    stacks: RefCell<AddressMap<[usize; MOST_FRAMES], u32>>,
    /// Captures stacks, without the code of this library.
    backtracer: RefCell<Backtracer>,
    /// True while the loop works and no callback runs: the program has not started anything that is started now.
    is_in_loop: Cell<bool>,
}

/// A table with addresses as keys.
type AddressMap<K, V> = HashMap<K, V, BuildHasherDefault<AddressHasher>>;

/// The cached properties of a code address.
#[derive(Clone, Copy)]
struct KnownCode {
    /// The number of the location.
    location: u32,
    /// Whether the address is in the program's function `main`.
    is_main: bool,
    /// Whether the address is in code that starts threads or the program. That code is at the bottom of all stacks.
    is_start: bool,
}

/// A recorder that [`finish`] can reach, and the thread of the recorder.
struct Live {
    thread: u32,
    recorder: *const Recorder,
}

// SAFETY: the pointer is only dereferenced on its own thread.
unsafe impl Send for Live {}

/// The recorders of all loops.
static LIVE: Mutex<Vec<Live>> = Mutex::new(Vec::new());

/// 1 + the [`fork_generation`] of the process that has read the environment variable; 0 before that.
static LOOKED: AtomicU32 = AtomicU32::new(0);

/// Held while a session is started.
static STARTING: Mutex<()> = Mutex::new(());

/// The cached names of functions.
static SYMBOLS: Mutex<Symbols> = Mutex::new(Symbols::new());

/// Whether a loop of the process is or was recorded.
static HAS_RECORDED: AtomicBool = AtomicBool::new(false);

/// Whether the main thread has run a loop.
static HAS_MAIN: AtomicBool = AtomicBool::new(false);

/// Takes a lock. `None` in a child of `fork` if another thread of the parent held the lock: in the child it stays
/// locked forever.
fn lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    if fork_generation() == 0 {
        return Some(mutex.lock().unwrap_or_else(PoisonError::into_inner));
    }
    mutex.try_lock().ok()
}

/// Begins to record a new loop, if the process is recorded or the environment variable is set.
pub(crate) fn begin(core: &mut Loop<C>) -> Option<Box<LoopRecording>> {
    let session = session()?;
    // The number of loops. The first run of a loop decides whether it is the main loop.
    static LOOPS: AtomicU32 = AtomicU32::new(1);
    let number = LOOPS.fetch_add(1, Ordering::Relaxed);
    let name = match thread_name() {
        name if name == MAIN => format!("{name}, loop {number}"),
        name => name,
    };
    let recorder = session.recorder(&name, thread_id().into());
    Some(LoopRecording::new(core, Rc::new(recorder)))
}

/// The session of the process. The first call starts it, if the environment variable is set.
fn session() -> Option<Arc<Session>> {
    let process = fork_generation() + 1;
    if LOOKED.load(Ordering::Acquire) == process {
        return Session::current();
    }
    let value = std::env::var_os(Config::VARIABLE).filter(|value| !value.is_empty())?;
    let _starting = lock(&STARTING)?;
    if LOOKED.load(Ordering::Acquire) != process {
        let config = value.to_str().ok_or_else(|| format!("{}: the value is not UTF-8", Config::VARIABLE));
        match config.and_then(Config::from_variable) {
            Ok(config) => start(Config { runtime: RUNTIME.to_owned(), ..config }),
            Err(error) => report(&error),
        }
        LOOKED.store(process, Ordering::Release);
    }
    Session::current()
}

fn start(config: Config) {
    let path = config.path.clone();
    match Session::start(config) {
        Ok(_) => {}
        // Another recording exists: a tool has attached itself, or the parent process is recorded and this program has
        // inherited its environment.
        Err(error) if matches!(error.kind(), ErrorKind::AlreadyExists | ErrorKind::ResourceBusy) => {}
        Err(error) => report(&format!("cannot record to {}: {error}", path.display())),
    }
}

/// Prints a line to standard error. The program continues even if standard error is closed.
fn report(text: &str) {
    let _ = writeln!(std::io::stderr(), "phasor: {text}");
}

/// A readable name for a loop, made from the name of the calling thread. `earlier` is the number of loops of the
/// process that have names.
pub(crate) fn loop_name(earlier: usize) -> String {
    match thread_name() {
        name if name == MAIN && earlier > 0 => format!("{name}, loop {}", earlier + 1),
        name => name,
    }
}

/// An integer that identifies the calling thread, cheaper than its id. Never 0.
#[inline]
fn thread_mark() -> usize {
    thread_local!(static MARK: u8 = const { 0 });
    MARK.with(|mark| std::ptr::from_ref(mark).addr())
}

/// The name of the main thread.
const MAIN: &str = "main";

/// A readable name of the calling thread.
fn thread_name() -> String {
    let (thread, process) = (thread_id(), std::process::id());
    if thread == process {
        return MAIN.to_owned();
    }
    let name = |thread| std::fs::read_to_string(format!("/proc/self/task/{thread}/comm")).unwrap_or_default();
    // A thread without a name of its own has the name of the program.
    match name(thread).trim() {
        named if !named.is_empty() && named != name(process).trim() => format!("{named} ({thread})"),
        _ => format!("thread {thread}"),
    }
}

/// Finishes the recording when the process ends, even if it ends in a callback.
pub(crate) fn finish() {
    let Some(session) = Session::current() else { return };
    let thread = thread_id();
    let all = lock(&LIVE);
    for live in all.iter().flat_map(|all| all.iter()).filter(|live| live.thread == thread) {
        // SAFETY: see the head of this file. The process may end in a signal handler that has interrupted the recorder,
        // so `is_in_use` is checked.
        unsafe {
            if !(*live.recorder).is_in_use() {
                (*live.recorder).end_to(0);
            }
        }
    }
    if let Err(error) = session.finish() {
        report(&format!("the recording {} is incomplete: {error}", session.path().display()));
    }
}

/// Continues the recording in a child of `fork`. The child gets its own file if the path contains the process id.
///
/// # Safety
/// `lp` is an initialised loop of this thread, and no callback of the loop's observer is being called.
pub(crate) unsafe fn after_fork(lp: *mut uv_loop_t) {
    // SAFETY: guaranteed by the caller. The two fields are borrowed separately.
    unsafe {
        let recording = &raw mut (*access::state(lp)).recording;
        if let Some(parents) = (*recording).take() {
            HAS_MAIN.store(false, Ordering::Relaxed);
            access::with(lp, |core| {
                parents.remove_observer(core);
                *recording = begin(core);
            });
        }
    }
}

impl LoopRecording {
    /// Begins to record a loop.
    pub(crate) fn new(core: &mut Loop<C>, recorder: Rc<Recorder>) -> Box<LoopRecording> {
        let own = symbols::object_of(finish as *const () as usize).map_or(0..0, |own| own.segment);
        let code = Rc::new(Code {
            recorder: Rc::clone(&recorder),
            locations: RefCell::default(),
            stacks: RefCell::default(),
            backtracer: RefCell::new(Backtracer::new(own)),
            is_in_loop: Cell::new(false),
        });
        let of_stacks = Rc::clone(&code);
        let observer = LoopObserver::new(Rc::clone(&recorder), move || of_stacks.stack());
        let observer = core.add_observer(Box::new(observer));
        HAS_RECORDED.store(true, Ordering::Relaxed);
        let thread = thread_id();
        let live = Live { thread, recorder: Rc::as_ptr(&recorder) };
        if let Some(mut all) = lock(&LIVE) {
            all.push(live);
        }
        Box::new(LoopRecording { code, observer, thread: Cell::new(0), maker: thread_mark() })
    }

    /// Ends the observation of the loop.
    pub(crate) fn remove_observer(&self, core: &mut Loop<C>) {
        core.remove_observer(self.observer);
    }

    /// Records that the calling thread runs the loop. Another thread may have initialised it.
    #[inline]
    fn set_thread(&self) {
        let mark = thread_mark();
        if self.thread.replace(mark) != mark {
            self.rename();
        }
    }

    /// Whether the calling thread runs the loop.
    fn is_of_this_thread(&self) -> bool {
        let thread = self.thread.get();
        thread_mark() == if thread == 0 { self.maker } else { thread }
    }

    /// Gives the track the name of the calling thread. The first loop that the main thread runs is the main loop.
    fn rename(&self) {
        let (name, thread) = (thread_name(), thread_id());
        if name != MAIN || !HAS_MAIN.swap(true, Ordering::Relaxed) {
            self.code.recorder.set_thread(&name, thread.into());
        }
        let recorder = Rc::as_ptr(&self.code.recorder);
        if let Some(mut all) = lock(&LIVE) {
            all.iter_mut().filter(|live| live.recorder == recorder).for_each(|live| live.thread = thread);
        }
    }
}

impl Drop for LoopRecording {
    fn drop(&mut self) {
        let recorder = Rc::as_ptr(&self.code.recorder);
        if let Some(mut all) = lock(&LIVE) {
            all.retain(|live| live.recorder != recorder);
        }
    }
}

impl Code {
    /// Returns the properties of a code address.
    fn look_up(&self, address: usize) -> KnownCode {
        if let Some(known) = self.locations.borrow().get(&address) {
            return *known;
        }
        let location = locate(address);
        let known = KnownCode {
            location: self.recorder.location(&location),
            is_main: location.function == "main",
            is_start: location.function == "_start" || location.file.starts_with("libc.so"),
        };
        let mut locations = self.locations.borrow_mut();
        if locations.len() < MOST_KNOWN {
            locations.insert(address, known);
        }
        known
    }

    /// Captures the stack of the calling code, and returns its number.
    fn stack(&self) -> u32 {
        if self.is_in_loop.get() {
            return 0;
        }
        let mut frames = [0; MOST_FRAMES];
        let count = self.backtracer.borrow_mut().capture(&mut frames);
        if let Some(number) = self.stacks.borrow().get(&frames) {
            return *number;
        }
        // A return address is the address of the next instruction, which may belong to another function. So 1 is
        // subtracted.
        let mut calls: Vec<_> = frames[..count].iter().map(|address| self.look_up(address - 1)).collect();
        if let Some(main) = calls.iter().position(|call| call.is_main) {
            calls.truncate(main + 1);
        }
        while calls.last().is_some_and(|call| call.is_start) {
            calls.pop();
        }
        let locations: Vec<u32> = calls.iter().map(|call| call.location).collect();
        let number = self.recorder.stack(&locations);
        let mut stacks = self.stacks.borrow_mut();
        if stacks.len() < MOST_KNOWN {
            stacks.insert(frames, number);
        }
        number
    }
}

/// Describes a code address in readable form.
pub(crate) fn locate(address: usize) -> Location {
    let Some(mut symbols) = lock(&SYMBOLS) else { return Location::default() };
    let found = symbols.locate(address);
    drop(symbols);
    let object = found.object.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    match (found.function, object.as_str()) {
        (Some(function), _) => Location { function, file: object, ..Location::default() },
        (None, "") => Location { file: format!("code at {address:#x}"), ..Location::default() },
        (None, _) => Location { file: format!("{object}+{:#x}", found.offset), ..Location::default() },
    }
}

/// Returns the next event of a recorded loop, and records the function that is about to be called for it.
///
/// # Safety
/// The requirements of [`crate::run::uv_run`]; the loop is recorded.
#[cold]
pub(crate) unsafe fn next(lp: *mut uv_loop_t, mode: RunMode) -> Option<Event<C>> {
    // SAFETY: guaranteed by the caller. The recording is borrowed while no code of the program runs.
    unsafe {
        let recording = (*access::state(lp)).recording.as_deref()?;
        recording.set_thread();
        recording.code.is_in_loop.set(true);
        let event = access::with(lp, |core| {
            let event = core.next(mode);
            (*lp).time = core.now_ms();
            event
        });
        recording.code.is_in_loop.set(false);
        if let Some(event) = &event {
            let address = callback(lp, event);
            if address != 0 {
                recording.code.recorder.locate(recording.code.look_up(address).location);
            }
        }
        event
    }
}

/// The address of the function that is called for an event; 0 if there is none.
///
/// # Safety
/// `lp` is an initialised loop, and the event is the last that the core has returned.
unsafe fn callback(lp: *mut uv_loop_t, event: &Event<C>) -> usize {
    /// The address in a field of the handle. The handle may be closed already.
    macro_rules! field {
        ($id:expr, $type:ty, $field:ident) => {
            access::handle_of::<$type>(lp, *$id)
                .and_then(|handle| (*handle).$field)
                .map_or(0, |function| function as usize)
        };
    }
    // SAFETY: guaranteed by the caller; the event says which type the handle has.
    unsafe {
        match event {
            Event::Timer(id) => field!(id, uv_timer_t, timer_cb),
            Event::Idle(id) => field!(id, uv_idle_t, idle_cb),
            Event::Prepare(id) => field!(id, uv_prepare_t, prepare_cb),
            Event::Check(id) => field!(id, uv_check_t, check_cb),
            Event::Async(id) => field!(id, uv_async_t, async_cb),
            Event::Attention => 0,
            Event::Datagram(id) => field!(id, uv_udp_t, recv_cb),
            Event::Ready(id, _) => field!(id, uv_poll_t, poll_cb),
            Event::Exit(id, _) => field!(id, uv_process_t, exit_cb),
            Event::FsEvent(id, _) => field!(id, uv_fs_event_t, cb),
            // `uv_fs_poll_start` has stored the function in `poll_ctx`.
            Event::FsPoll(id, _) => {
                access::handle_of::<uv_fs_poll_t>(lp, *id).map_or(0, |handle| (*handle).poll_ctx as usize)
            }
            Event::Signal(id, _) => field!(id, uv_signal_t, signal_cb),
            Event::Connection(id, _) => field!(id, uv_stream_t, connection_cb),
            Event::Hangup(id) | Event::Readable(id) => field!(id, uv_stream_t, read_cb),
            Event::Done(request, outcome) => callback_of_request(request.0.as_ptr(), outcome),
            Event::Closed(handle) => (*handle.0.as_ptr()).close_cb.map_or(0, |function| function as usize),
        }
    }
}

/// The address of the function that is called for a request.
///
/// # Safety
/// The request is live, and `outcome` is its outcome.
unsafe fn callback_of_request(request: *mut uv_req_t, outcome: &Outcome<C>) -> usize {
    macro_rules! field {
        ($type:ty, $field:ident) => {
            (*request.cast::<$type>()).$field.map_or(0, |function| function as usize)
        };
    }
    // SAFETY: guaranteed by the caller; the outcome and the field `type_` say which type the request has.
    unsafe {
        match (outcome, (*request).type_) {
            (Outcome::Connect(_), _) => field!(uv_connect_t, cb),
            (Outcome::Shutdown(_), _) => field!(uv_shutdown_t, cb),
            (Outcome::Write { .. }, _) => field!(uv_write_t, cb),
            (Outcome::Send { .. }, _) => field!(uv_udp_send_t, send_cb),
            (_, UV_FS) => field!(uv_fs_t, cb),
            (_, UV_GETADDRINFO) => field!(uv_getaddrinfo_t, cb),
            (_, UV_GETNAMEINFO) => field!(uv_getnameinfo_t, getnameinfo_cb),
            (_, UV_RANDOM) => field!(uv_random_t, cb),
            _ => field!(uv_work_t, after_work_cb),
        }
    }
}

/// Records the current properties of a handle: its addresses, its path, the id of its child. Called when one of them
/// has changed.
///
/// # Safety
/// The requirements of [`access::with_handle`].
#[inline]
pub(crate) unsafe fn describe<T>(handle: *const T) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let lp = (*handle.cast::<uv_handle_t>()).loop_;
        if (*access::state(lp)).recording.is_some() {
            describe_recorded(handle.cast());
        }
    }
}

/// # Safety
/// The requirements of [`describe`].
#[cold]
unsafe fn describe_recorded(handle: *const uv_handle_t) {
    // SAFETY: guaranteed by the caller. The recording is borrowed while no code of the program runs.
    unsafe {
        let lp = (*handle).loop_;
        let (Some(recording), Ok(id)) = ((*access::state(lp)).recording.as_deref(), access::handle_id(handle)) else {
            return;
        };
        let text = access::with(lp, |core| description(core, id));
        if !text.is_empty() {
            recording.code.recorder.describe(ResourceId::handle(id), &text);
        }
    }
}

/// Describes a handle in readable form.
fn description(core: &Loop<C>, id: HandleId) -> String {
    core.kind(id).map_or_else(String::new, |kind| WhyEntry::of_handle(core, id, kind).what)
}

/// Records the command of a child process.
///
/// # Safety
/// The child was started with these options; the contract of `access` holds.
#[inline]
pub(crate) unsafe fn describe_child(process: *const uv_process_t, options: *const uv_process_options_t) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let lp = (*process).handle.loop_;
        let Some(recording) = (*access::state(lp)).recording.as_deref() else { return };
        let Ok(id) = access::handle_id(process) else { return };
        let mut command = text((*options).file);
        let mut argument = (*options).args;
        // The first argument is the program, which is recorded already.
        while !argument.is_null() && !(*argument).is_null() && command.len() < MOST_TEXT {
            argument = argument.add(1);
            if !(*argument).is_null() {
                command = format!("{command} {}", text(*argument));
            }
        }
        command.truncate(command.floor_char_boundary(MOST_TEXT));
        recording.code.recorder.describe(ResourceId::handle(id), &format!("{command}, pid {}", (*process).pid));
    }
}

/// The length limit of a recorded command, in bytes.
const MOST_TEXT: usize = 200;

/// Records the operation of a pool task, at detail level 2 and higher: the file operation and its path, the function of
/// the program, or the host.
///
/// # Safety
/// The request has an id, its type is set, and its fields are still those that the program passed.
#[inline]
pub(crate) unsafe fn describe_task<T>(lp: *mut uv_loop_t, request: *const T, host: *const c_char) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        if (*access::state(lp)).recording.is_some() {
            describe_recorded_task(lp, request.cast(), host);
        }
    }
}

/// # Safety
/// The requirements of [`describe_task`].
#[cold]
unsafe fn describe_recorded_task(lp: *mut uv_loop_t, request: *const uv_req_t, host: *const c_char) {
    // SAFETY: guaranteed by the caller. The pool only writes results, and the fields that are read here are not
    // results.
    unsafe {
        let Some(recording) = (*access::state(lp)).recording.as_deref() else { return };
        let Some(id) = phasor_core::RequestId::from_bits((*request).id) else { return };
        if recording.code.recorder.detail() < 2 {
            return;
        }
        let words = match (*request).type_ {
            UV_FS => {
                let request = request.cast::<uv_fs_t>();
                let path = (*request).path;
                format!("{} {}", operation((*request).fs_type), text(path))
            }
            UV_WORK => match (*request.cast::<uv_work_t>()).work_cb {
                Some(function) => locate(function as usize).to_string(),
                None => return,
            },
            _ => text(host),
        };
        recording.code.recorder.describe(ResourceId::request(id), words.trim_end());
    }
}

/// A file operation that runs on the calling thread and blocks it.
#[derive(Clone, Copy)]
pub(crate) struct FsOperation {
    pub(crate) kind: uv_fs_type,
    /// The path: NULL or a C string.
    pub(crate) path: *const c_char,
}

/// Runs a file operation that blocks the thread of a loop, and records its duration. At detail level 2 and higher, also
/// records the path.
///
/// # Safety
/// `lp` is NULL or an initialised loop, which may belong to another thread, because the operation needs no loop. The
/// path is NULL or a C string.
#[inline]
pub(crate) unsafe fn synchronous<R>(lp: *mut uv_loop_t, operation: FsOperation, run: impl FnOnce() -> R) -> R {
    // SAFETY: guaranteed by the caller.
    let begun = unsafe {
        // libuv does not access the loop of a synchronous operation. Without a recording, this library does not access
        // it either.
        if !HAS_RECORDED.load(Ordering::Relaxed)
            || lp.is_null()
            || !access::is_open(lp)
            || (*access::state(lp)).recording.is_none()
        {
            return run();
        }
        begin_synchronous(lp, operation)
    };
    let result = run();
    if let Some((recorder, span)) = begun {
        recorder.span_end(span, 0, 0);
    }
    result
}

/// # Safety
/// The requirements of [`synchronous`], and the loop is recorded.
#[cold]
unsafe fn begin_synchronous(lp: *mut uv_loop_t, operation: FsOperation) -> Option<(Rc<Recorder>, ResourceId)> {
    // SAFETY: guaranteed by the caller. The thread was checked, so no other thread accesses the recording.
    unsafe {
        let recording = (*access::state(lp)).recording.as_deref().filter(|recording| recording.is_of_this_thread())?;
        let recorder = Rc::clone(&recording.code.recorder);
        let name = self::operation(operation.kind);
        let label = match recorder.detail() {
            1 => recorder.label(name),
            _ => recorder.label(format!("{name} {}", text(operation.path)).trim_end()),
        };
        let span = recorder.span_begin(SpanKind::Sync, label, ResourceId::NONE);
        Some((recorder, span))
    }
}

/// # Safety
/// `at` is NULL or a C string.
pub(crate) unsafe fn text(at: *const c_char) -> String {
    // SAFETY: guaranteed by the caller.
    if at.is_null() { String::new() } else { unsafe { CStr::from_ptr(at) }.to_string_lossy().into_owned() }
}

/// The name of a file operation.
pub(crate) fn operation(kind: uv_fs_type) -> &'static str {
    const NAMES: &[(c_int, &str)] = &[
        (UV_FS_OPEN, "open"),
        (UV_FS_CLOSE, "close"),
        (UV_FS_READ, "read"),
        (UV_FS_WRITE, "write"),
        (UV_FS_SENDFILE, "sendfile"),
        (UV_FS_STAT, "stat"),
        (UV_FS_LSTAT, "lstat"),
        (UV_FS_FSTAT, "fstat"),
        (UV_FS_FTRUNCATE, "ftruncate"),
        (UV_FS_UTIME, "utime"),
        (UV_FS_FUTIME, "futime"),
        (UV_FS_ACCESS, "access"),
        (UV_FS_CHMOD, "chmod"),
        (UV_FS_FCHMOD, "fchmod"),
        (UV_FS_FSYNC, "fsync"),
        (UV_FS_FDATASYNC, "fdatasync"),
        (UV_FS_UNLINK, "unlink"),
        (UV_FS_RMDIR, "rmdir"),
        (UV_FS_MKDIR, "mkdir"),
        (UV_FS_MKDTEMP, "mkdtemp"),
        (UV_FS_RENAME, "rename"),
        (UV_FS_SCANDIR, "scandir"),
        (UV_FS_LINK, "link"),
        (UV_FS_SYMLINK, "symlink"),
        (UV_FS_READLINK, "readlink"),
        (UV_FS_CHOWN, "chown"),
        (UV_FS_FCHOWN, "fchown"),
        (UV_FS_REALPATH, "realpath"),
        (UV_FS_COPYFILE, "copyfile"),
        (UV_FS_LCHOWN, "lchown"),
        (UV_FS_OPENDIR, "opendir"),
        (UV_FS_READDIR, "readdir"),
        (UV_FS_CLOSEDIR, "closedir"),
        (UV_FS_STATFS, "statfs"),
        (UV_FS_MKSTEMP, "mkstemp"),
        (UV_FS_LUTIME, "lutime"),
    ];
    NAMES.iter().find(|(number, _)| *number == kind).map_or("fs", |(_, name)| name)
}
