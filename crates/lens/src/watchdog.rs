//! The watchdog: names the code that blocks a loop, while it does.
//!
//! A watched thread stores when its current callback began ([`Watched::begin`]). The watchdog thread sleeps until the
//! callback can have reached a limit. Then it asks the front end for a *sample*, which says where the code is: the front
//! end interrupts the code, and calls [`Watched::sample`] on its own thread. A native function that may block for long
//! registers itself ([`Watched::enter`]), because code that is blocked in it cannot be interrupted: then the watchdog
//! reports what was registered.
//!
//! The limits are that of the process ([`set_limit`]), whose reports go to standard error, and those of listeners
//! ([`Watched::set_listener_limits`]), which get a [`Block`] when the callback has ended.

use std::fmt::{self, Write as _};
use std::io::Write as _;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicU16, AtomicU64};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread::Thread;
use std::time::Duration;

use phasor_core::monotonic_ns;

use crate::definition::Location;
use crate::record::CallbackKind;

const MILLISECOND: u64 = 1_000_000;
const SECOND: u64 = 1_000 * MILLISECOND;

/// How long the watchdog waits for a sample before it looks whether a native function blocks.
const NATIVE_GRACE: u64 = 3 * MILLISECOND;

/// After this time without a sample and without a registered function, the report says so.
const UNKNOWN_GRACE: u64 = 150 * MILLISECOND;

/// A sample that comes later was delayed by a native function that is not registered, or by other programs.
const LATE: u64 = 10 * MILLISECOND;

/// How often a sample is repeated that shows no code of the program.
const MOST_ATTEMPTS: u32 = 4;

/// How many samples in a row may show the same place. A regular expression that is interrupted starts again, and the
/// engine gives up after four interruptions.
const MOST_SAME: u32 = 3;

/// How many frames a report shows.
const FRAMES: usize = 12;

/// A watchdog that wakes this much too late was stopped, or the machine is overloaded: what it sees is no block.
const STOPPED: u64 = 500 * MILLISECOND;

/// The limit whose reports go to standard error, in nanoseconds; 0: none.
static LIMIT: AtomicU64 = AtomicU64::new(0);

/// The watched threads.
static WATCHED: Mutex<Vec<Weak<Watched>>> = Mutex::new(Vec::new());

/// The watchdog thread, once it runs.
static WATCHDOG: OnceLock<Option<Thread>> = OnceLock::new();

/// No code that can panic runs under the locks of this file.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reports callbacks of all watched threads on standard error that run for this long.
pub fn set_limit(limit: Duration) {
    LIMIT.store(u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX).max(MILLISECOND), Relaxed);
    wake();
}

/// The limit of [`set_limit`].
pub fn limit() -> Option<Duration> {
    Some(LIMIT.load(Relaxed)).filter(|limit| *limit > 0).map(Duration::from_nanos)
}

/// The time that a text such as `50ms`, `1.5s` or `50` (milliseconds) names.
///
/// # Errors
///
/// The text names no time, or one below a millisecond.
pub fn parse_limit(text: &str) -> Result<Duration, String> {
    let (number, unit_ms) = match text.strip_suffix("ms") {
        Some(number) => (number, 1.0),
        None => text.strip_suffix('s').map_or((text, 1.0), |number| (number, 1_000.0)),
    };
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    match number.parse::<f64>() {
        Ok(value) if is_number && (1.0..=1e9).contains(&(value * unit_ms)) => {
            Ok(Duration::from_nanos((value * unit_ms * MILLISECOND as f64) as u64))
        }
        _ => Err(format!("{text:?} is no time of a millisecond or more, such as 50ms or 1.5s")),
    }
}

/// A frame of a stack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The function and its place.
    pub location: Location,
    /// Whether it is an async function that waits for the frames before it.
    pub is_async: bool,
}

impl Frame {
    fn is_programs(&self) -> bool {
        !self.location.file.is_empty() && !self.location.is_internal()
    }

    /// `file:line:column`; `native` for a function of the engine.
    fn place(&self) -> String {
        let Location { file, line, column, .. } = &self.location;
        if file.is_empty() {
            return "native".to_owned();
        }
        let file = file.strip_prefix("file://").unwrap_or(file);
        format!("{file}:{line}:{column}")
    }
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_async = if self.is_async { "async " } else { "" };
        match self.location.function.as_str() {
            "" => write!(f, "{is_async}{}", self.place()),
            name => write!(f, "{is_async}{name} ({})", self.place()),
        }
    }
}

/// Where the code of a callback is at some time.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// The stack, from the innermost frame on.
    pub frames: Vec<Frame>,
    /// The native function that blocks, with its arguments.
    pub native: Option<String>,
    /// The function that the callback calls, if no frame shows it.
    pub callback: Option<Frame>,
    /// Ticks and microtasks that have run in the callback.
    pub ticks: u64,
    /// See `ticks`.
    pub microtasks: u64,
    /// The callback has returned: another sample would show no more.
    pub is_last: bool,
    /// What the callback belongs to: an HTTP request, the value of an async context.
    pub context: Vec<String>,
}

impl Sample {
    /// The innermost frame of the program.
    fn place(&self) -> Option<&Frame> {
        self.frames.iter().find(|frame| frame.is_programs()).or(self.callback.as_ref())
    }

    fn shows_program(&self) -> bool {
        self.frames.iter().any(Frame::is_programs)
    }
}

/// A callback that has reached a limit, and has ended.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// How long it ran.
    pub took: Duration,
    /// The stack at the last sample, a line for each frame; empty if there is no sample.
    pub stack: String,
    /// The native function in which it was at the last sample, with its arguments.
    pub native: Option<String>,
}

/// A native function that may block.
#[derive(Debug)]
struct NativeCall {
    text: String,
    began_ns: u64,
    /// The stack; none if it is captured when the function returns.
    frames: Option<Arc<[Frame]>>,
    context: Vec<String>,
}

/// What is known of the callback that has reached a limit.
#[derive(Debug, Default)]
struct Progress {
    /// When the callback began.
    began_ns: u64,
    /// Something was printed.
    is_printed: bool,
    /// The place that was printed last.
    printed: String,
    /// The last sample.
    sample: Option<Sample>,
    /// The innermost frame of the last samples, and how many in a row showed it.
    innermost: Option<Frame>,
    same: u32,
    attempts: u32,
}

/// A thread that is watched: its loop runs one callback at a time.
pub struct Watched {
    /// `main`, `worker 1`.
    name: String,
    /// When the current callback began, by the monotonic clock; 0: none runs.
    began_ns: AtomicU64,
    kind: AtomicU16,
    /// The callback that a sample is wanted of, and since when. 0: none.
    wanted: AtomicU64,
    wanted_since_ns: AtomicU64,
    /// The callback that has reached a limit.
    reached: AtomicU64,
    native: Mutex<Option<NativeCall>>,
    progress: Mutex<Progress>,
    listener_limits: Mutex<Vec<u64>>,
    interrupt: Box<dyn Fn() + Send + Sync>,
}

impl fmt::Debug for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watched").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Watched {
    /// Watches the calling thread until the result is dropped. `interrupt` makes the code of the thread call
    /// [`Watched::sample`] soon; other threads call it.
    pub fn new(name: &str, interrupt: impl Fn() + Send + Sync + 'static) -> Arc<Watched> {
        let watched = Arc::new(Watched {
            name: name.to_owned(),
            began_ns: AtomicU64::new(0),
            kind: AtomicU16::new(0),
            wanted: AtomicU64::new(0),
            wanted_since_ns: AtomicU64::new(0),
            reached: AtomicU64::new(0),
            native: Mutex::default(),
            progress: Mutex::default(),
            listener_limits: Mutex::default(),
            interrupt: Box::new(interrupt),
        });
        lock(&WATCHED).push(Arc::downgrade(&watched));
        wake();
        watched
    }

    /// Sets the limits of listeners.
    pub fn set_listener_limits(&self, limits: &[Duration]) {
        let limits = limits.iter().map(|limit| u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX).max(MILLISECOND));
        *lock(&self.listener_limits) = limits.collect();
        wake();
    }

    /// A callback begins now. The one before has ended.
    #[inline]
    pub fn begin(&self, kind: CallbackKind, now_ns: u64) {
        self.kind.store(kind as u16, Relaxed);
        self.began_ns.store(now_ns, Release);
    }

    /// What the current callback is.
    pub fn kind(&self) -> Option<CallbackKind> {
        CallbackKind::from_number(self.kind.load(Relaxed))
    }

    /// No callback runs from now on. Returns whether it had reached a limit: then [`Watched::ended`] must be called.
    #[inline]
    pub fn end(&self) -> bool {
        // This thread alone writes it.
        let began_ns = self.began_ns.load(Relaxed);
        self.began_ns.store(0, Release);
        began_ns != 0 && self.reached.load(SeqCst) == began_ns
    }

    /// Whether a sample of the current callback is wanted.
    #[inline]
    pub fn wants_sample(&self) -> bool {
        self.wanted.load(Relaxed) != 0
    }

    /// Takes the request for a sample. False if there is none, or its callback has ended.
    pub fn take_request(&self) -> bool {
        let wanted = self.wanted.swap(0, SeqCst);
        wanted != 0 && wanted == self.began_ns.load(Acquire)
    }

    /// The sample that [`Watched::take_request`] was asked for. Called on the watched thread.
    pub fn sample(&self, sample: Sample) {
        let began_ns = self.began_ns.load(Acquire);
        if began_ns == 0 {
            return;
        }
        let now_ns = monotonic_ns();
        let mut progress = self.progress_of(began_ns);
        let innermost = sample.frames.first().cloned();
        if innermost == progress.innermost {
            progress.same += 1;
        } else {
            (progress.innermost, progress.same) = (innermost, 1);
        }
        progress.attempts += 1;
        if sample.native.is_none() && !sample.is_last && !sample.shows_program() && progress.attempts < MOST_ATTEMPTS {
            drop(progress);
            // The next step of the code may be in the program.
            self.wanted.store(began_ns, SeqCst);
            (self.interrupt)();
            return;
        }
        progress.attempts = 0;
        let is_late = now_ns.saturating_sub(self.wanted_since_ns.load(Relaxed)) > LATE;
        self.report(progress, sample, now_ns.saturating_sub(began_ns), is_late);
    }

    /// Registers a native function of the watched thread that may block, until the result is dropped. Without `frames` the
    /// watchdog waits for [`Calling::returned`]. `context` is as in [`Sample`].
    pub fn enter(self: &Arc<Watched>, text: String, frames: Option<Arc<[Frame]>>, context: Vec<String>) -> Calling {
        let call = NativeCall { text, began_ns: monotonic_ns(), frames, context };
        let outer = lock(&self.native).replace(call);
        Calling { watched: Arc::clone(self), outer }
    }

    /// The callback that [`Watched::end`] was called for has reached a limit. Prints how long it took, and returns what
    /// listeners are told. `sample` names the callback if there is no other sample.
    pub fn ended(&self, sample: impl FnOnce() -> Sample) -> Option<Block> {
        let began_ns = self.reached.swap(0, SeqCst);
        let took_ns = monotonic_ns().saturating_sub(began_ns);
        let progress = std::mem::take(&mut *self.progress_of(began_ns));
        let is_calling = self.wanted.swap(0, SeqCst) == began_ns && progress.sample.is_none();
        let sample = if is_calling { Some(sample()) } else { progress.sample };
        let limit = LIMIT.load(Relaxed);
        if progress.is_printed || (is_calling && limit > 0 && took_ns >= limit) {
            let place = sample.as_ref().and_then(Sample::place).map(|frame| shorten(&frame.place()));
            let mut text = format!("phasor: {} was blocked for {}", self.loop_name(), milliseconds(took_ns));
            match place {
                Some(place) if is_calling => {
                    let _ = write!(text, " by native code in the callback at {place}");
                }
                Some(place) => {
                    let _ = write!(text, " at {place}");
                }
                None => {
                    let _ = write!(text, " by native code");
                }
            }
            if is_calling {
                let _ = write!(text, ", in {}", self.callback_name());
            }
            print(&text);
        }
        let sample = sample.unwrap_or_default();
        let stack = sample.frames.iter().map(|frame| format!("    at {frame}")).collect::<Vec<_>>().join("\n");
        Some(Block { took: Duration::from_nanos(took_ns), stack, native: sample.native })
    }

    fn progress_of(&self, began_ns: u64) -> MutexGuard<'_, Progress> {
        let mut progress = lock(&self.progress);
        if progress.began_ns != began_ns {
            *progress = Progress { began_ns, ..Progress::default() };
        }
        progress
    }

    fn loop_name(&self) -> String {
        if self.name == "main" { "the loop".to_owned() } else { format!("the loop of {}", self.name) }
    }

    /// What callback runs.
    fn callback_name(&self) -> &'static str {
        match self.kind() {
            Some(CallbackKind::Script) => "the main script",
            Some(CallbackKind::Timer | CallbackKind::Timeout) => "a timer",
            Some(CallbackKind::Check | CallbackKind::Immediate) => "an immediate",
            Some(CallbackKind::Async | CallbackKind::Message) => "a message of another thread",
            Some(CallbackKind::Readable) => "data of a socket or pipe",
            Some(CallbackKind::Connection) => "a new connection",
            Some(CallbackKind::Datagram) => "a datagram",
            Some(CallbackKind::Done) => "the result of an operation (fs, dns, crypto, zlib or a write)",
            Some(CallbackKind::Exit) => "the end of a child process",
            Some(CallbackKind::FsEvent | CallbackKind::FsPoll) => "the change of a file",
            Some(CallbackKind::Signal) => "a signal",
            Some(CallbackKind::Listener) => "a listener of 'exit'",
            Some(CallbackKind::Closed) => "the end of a handle",
            Some(other) => other.name(),
            None => "a callback",
        }
    }

    /// Prints a sample if it is the first of its callback, or another line runs than in the last report.
    fn report(&self, mut progress: MutexGuard<'_, Progress>, sample: Sample, for_ns: u64, is_late: bool) {
        let place = sample.place().map(Frame::place).unwrap_or_default();
        let shown = format!("{place} {}", sample.native.as_deref().unwrap_or_default());
        let limit = LIMIT.load(Relaxed);
        let text = (limit > 0 && for_ns >= limit && (!progress.is_printed || progress.printed != shown))
            .then(|| self.text_of(&sample, for_ns, is_late));
        if text.is_some() {
            progress.is_printed = true;
            progress.printed = shown;
        }
        progress.sample = Some(sample);
        // Standard error may block.
        drop(progress);
        if let Some(text) = text {
            print(&text);
        }
    }

    fn text_of(&self, sample: &Sample, for_ns: u64, is_late: bool) -> String {
        let place = sample.place().map(|frame| shorten(&frame.place()));
        let mut text = format!("phasor: {} is blocked for {}", self.loop_name(), milliseconds(for_ns));
        let _ = match (&sample.native, place) {
            (Some(native), Some(place)) => write!(text, " by {native} at {place}"),
            (Some(native), None) => write!(text, " by {native}"),
            (None, Some(place)) if !sample.shows_program() => write!(text, " by the callback at {place}"),
            (None, Some(place)) if is_late => write!(text, " at or just before {place}"),
            (None, Some(place)) => write!(text, " by {place}"),
            (None, None) => {
                let innermost = sample.frames.first().map(ToString::to_string);
                write!(text, " by {}", innermost.as_deref().unwrap_or("native code"))
            }
        };
        // Frames of the runtime above the program's are what the program called.
        let skipped = sample.frames.iter().position(Frame::is_programs).unwrap_or(0);
        let frames: Vec<&Frame> = sample.frames.iter().filter(|frame| frame.is_programs()).collect();
        let (frames, rest) = match frames.len() {
            0 => (sample.frames.iter().collect::<Vec<_>>(), 0),
            count => (frames, count.saturating_sub(FRAMES)),
        };
        if let Some(inner) = skipped.checked_sub(1).and_then(|index| sample.frames.get(index))
            && sample.native.is_none()
        {
            let _ = write!(text, "\n    in {inner}");
        }
        for frame in frames.iter().take(FRAMES) {
            let _ = write!(text, "\n    at {frame}");
        }
        if rest > 0 {
            let _ = write!(text, "\n    … and {rest} more");
        }
        let _ = write!(text, "\n    callback: {}", self.callback_name());
        if let Some(callback) = sample.callback.as_ref().filter(|_| !sample.shows_program()) {
            let _ = write!(text, ", {callback}");
        }
        if sample.ticks > 0 || sample.microtasks > 0 {
            let count = |count, one: &str| format!("{} {one}{}", grouped(count), if count == 1 { "" } else { "s" });
            let (ticks, microtasks) = (count(sample.ticks, "tick"), count(sample.microtasks, "microtask"));
            let _ = write!(text, "; {ticks} and {microtasks} ran in it so far");
        }
        for context in &sample.context {
            let _ = write!(text, "\n    {context}");
        }
        text
    }

    /// The next limit of a callback that has run for some time.
    fn next_limit(&self, after_ns: u64) -> Option<u64> {
        let limit = LIMIT.load(Relaxed);
        let listeners = lock(&self.listener_limits);
        let mut repeats = [SECOND, 10 * SECOND, 100 * SECOND, 1_000 * SECOND].into_iter();
        let repeat = repeats.find(|repeat| *repeat > after_ns && limit > 0 && *repeat >= limit * 2);
        let limits = listeners.iter().copied().chain([limit]).filter(|limit| *limit > after_ns && *limit > 0);
        limits.chain(repeat).min()
    }
}

/// A registered native function that runs.
#[derive(Debug)]
pub struct Calling {
    watched: Arc<Watched>,
    /// The one that called it, through JavaScript.
    outer: Option<NativeCall>,
}

impl Calling {
    /// The function has returned: if it was registered without frames and a sample is wanted, the text of the call.
    pub fn returned(&self) -> Option<String> {
        if !self.watched.wants_sample() {
            return None;
        }
        lock(&self.watched.native).as_ref().filter(|call| call.frames.is_none()).map(|call| call.text.clone())
    }
}

impl Drop for Calling {
    fn drop(&mut self) {
        *lock(&self.watched.native) = self.outer.take();
    }
}

/// A duration as people read it: `1,234 ms`.
fn milliseconds(ns: u64) -> String {
    format!("{} ms", grouped(ns / MILLISECOND))
}

/// A number with commas between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A path below the current directory, relative to that.
fn shorten(place: &str) -> String {
    let directory = std::env::current_dir().unwrap_or_default();
    let inside = directory.to_str().and_then(|directory| place.strip_prefix(directory)?.strip_prefix('/'));
    inside.unwrap_or(place).to_owned()
}

/// Writes a report in one piece. Standard error may be closed.
fn print(text: &str) {
    let _ = std::io::stderr().lock().write_all(format!("{text}\n").as_bytes());
}

/// Starts the watchdog thread, or makes it read the limits again.
fn wake() {
    let thread = WATCHDOG.get_or_init(|| {
        let thread = std::thread::Builder::new().name("watchdog".into()).spawn(watch);
        thread.ok().map(|handle| handle.thread().clone())
    });
    if let Some(thread) = thread {
        thread.unpark();
    }
}

/// What the watchdog knows of a thread.
struct Seen {
    watched: Arc<Watched>,
    /// The callback that it saw last.
    began_ns: u64,
    /// The limit that the callback reaches next.
    next_ns: Option<u64>,
    /// Since when it waits for a sample.
    asked_ns: Option<u64>,
    said_unknown: bool,
}

/// The main function of the watchdog thread.
fn watch() {
    let mut seen: Vec<Seen> = Vec::new();
    let mut expected_ns = u64::MAX;
    loop {
        update(&mut seen);
        let now_ns = monotonic_ns();
        let was_stopped = now_ns.saturating_sub(STOPPED) > expected_ns;
        let mut wait_ns = None;
        for seen in &mut seen {
            let wait = seen.look(now_ns, was_stopped);
            wait_ns = [wait_ns, wait].into_iter().flatten().min();
        }
        match wait_ns {
            Some(wait_ns) => {
                let wait_ns = wait_ns.max(MILLISECOND);
                expected_ns = now_ns.saturating_add(wait_ns);
                std::thread::park_timeout(Duration::from_nanos(wait_ns));
            }
            None => {
                expected_ns = u64::MAX;
                seen.clear();
                std::thread::park();
            }
        }
    }
}

/// Removes threads that have ended, and adds new ones.
fn update(seen: &mut Vec<Seen>) {
    let mut list = lock(&WATCHED);
    // The watchdog's own reference is the last one of a thread that has ended.
    seen.retain(|seen| Arc::strong_count(&seen.watched) > 1);
    list.retain(|weak| weak.strong_count() > 0);
    if seen.len() == list.len() {
        return;
    }
    for watched in list.iter().filter_map(Weak::upgrade) {
        if !seen.iter().any(|seen| Arc::ptr_eq(&seen.watched, &watched)) {
            seen.push(Seen { watched, began_ns: 0, next_ns: None, asked_ns: None, said_unknown: false });
        }
    }
}

impl Seen {
    /// Looks at the thread, and acts if its callback has reached a limit. Returns when to look again at the latest.
    fn look(&mut self, now_ns: u64, was_stopped: bool) -> Option<u64> {
        let watched = Arc::clone(&self.watched);
        let first_ns = watched.next_limit(0)?;
        let began_ns = watched.began_ns.load(Acquire);
        if began_ns == 0 {
            return Some(first_ns);
        }
        if self.began_ns != began_ns {
            (self.began_ns, self.next_ns, self.asked_ns, self.said_unknown) = (began_ns, Some(first_ns), None, false);
        }
        let for_ns = now_ns.saturating_sub(began_ns);
        if was_stopped && self.asked_ns.is_none() && self.next_ns.is_some_and(|next_ns| for_ns >= next_ns) {
            self.next_ns = None;
        }
        // A callback that begins just after this look is seen before it reaches its first limit.
        let next_ns = match self.next_ns {
            None => return Some(first_ns),
            Some(next_ns) if for_ns < next_ns => return Some((next_ns - for_ns).min(first_ns)),
            Some(next_ns) => next_ns,
        };
        match self.asked_ns {
            None => self.ask(now_ns, next_ns),
            Some(asked_ns) => {
                if watched.wanted.load(SeqCst) != began_ns {
                    return self.proceed(for_ns, first_ns);
                }
                self.look_at_native(now_ns, asked_ns, for_ns)
            }
        }
    }

    /// Asks for a sample.
    fn ask(&mut self, now_ns: u64, next_ns: u64) -> Option<u64> {
        let watched = &self.watched;
        let same = watched.progress_of(self.began_ns).same;
        watched.reached.store(self.began_ns, SeqCst);
        if same >= MOST_SAME {
            // It would be the same again.
            self.next_ns = None;
            return Some(next_ns);
        }
        self.asked_ns = Some(now_ns);
        watched.wanted_since_ns.store(now_ns, Relaxed);
        watched.wanted.store(self.began_ns, SeqCst);
        (watched.interrupt)();
        Some(MILLISECOND)
    }

    /// The limit is dealt with; the next one follows.
    fn proceed(&mut self, for_ns: u64, first_ns: u64) -> Option<u64> {
        self.asked_ns = None;
        self.next_ns = self.watched.next_limit(for_ns);
        Some(self.next_ns.map_or(first_ns, |next_ns| (next_ns - for_ns).min(first_ns)))
    }

    /// No sample has come: reports the native function that blocks.
    fn look_at_native(&mut self, now_ns: u64, asked_ns: u64, for_ns: u64) -> Option<u64> {
        let watched = &self.watched;
        let native = lock(&watched.native);
        let call = native.as_ref().filter(|call| call.began_ns.saturating_add(NATIVE_GRACE) <= now_ns);
        let (text, frames, context) = match call {
            Some(call) => (Some(call.text.clone()), call.frames.clone(), call.context.clone()),
            None => (None, None, Vec::new()),
        };
        drop(native);
        if let Some(frames) = frames {
            // If the thread has taken the request meanwhile, it reports.
            if watched.wanted.compare_exchange(self.began_ns, 0, SeqCst, SeqCst).is_ok() {
                let sample = Sample { frames: frames.to_vec(), native: text, context, ..Sample::default() };
                let mut progress = watched.progress_of(self.began_ns);
                progress.attempts = 0;
                watched.report(progress, sample, for_ns, false);
            }
            return Some(MILLISECOND);
        }
        if now_ns.saturating_sub(asked_ns) > UNKNOWN_GRACE && !self.said_unknown {
            self.said_unknown = true;
            let mut progress = watched.progress_of(self.began_ns);
            let limit = LIMIT.load(Relaxed);
            if limit > 0 && for_ns >= limit && !progress.is_printed {
                progress.is_printed = true;
                drop(progress);
                let name = text.as_deref().unwrap_or("native code");
                let (thread, time) = (watched.loop_name(), milliseconds(for_ns));
                print(&format!("phasor: {thread} is blocked for {time} by {name}; its line follows when it returns"));
            }
        }
        Some(2 * MILLISECOND)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_have_units() {
        assert_eq!(parse_limit("50ms"), Ok(Duration::from_millis(50)));
        assert_eq!(parse_limit("50"), Ok(Duration::from_millis(50)));
        assert_eq!(parse_limit("1.5s"), Ok(Duration::from_millis(1500)));
        for text in ["", "ms", "-1", "0", "0.5ms", "1m", "1e3", "inf", "nan", "5 ms", "app.js"] {
            assert!(parse_limit(text).is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn a_callback_that_reaches_a_listeners_limit_is_sampled() {
        let (sender, interrupts) = std::sync::mpsc::channel();
        let watched = Watched::new("test", move || {
            let _ = sender.send(());
        });
        watched.set_listener_limits(&[Duration::from_millis(2)]);
        watched.begin(CallbackKind::Script, monotonic_ns());
        interrupts.recv_timeout(Duration::from_secs(20)).expect("an interrupt");
        assert!(watched.take_request() && !watched.take_request());
        let location = Location { function: "f".into(), file: "/a.js".into(), line: 1, column: 2 };
        watched.sample(Sample { frames: vec![Frame { location, is_async: false }], ..Sample::default() });
        assert!(watched.end() && !watched.end());
        let block = watched.ended(Sample::default).expect("a block");
        assert!(block.took >= Duration::from_millis(2));
        assert_eq!(block.stack, "    at f (/a.js:1:2)");
    }

    #[test]
    fn a_native_function_is_reported_while_it_blocks() {
        let watched = Watched::new("test", || {});
        watched.set_listener_limits(&[Duration::from_millis(2)]);
        watched.begin(CallbackKind::Timeout, monotonic_ns());
        let frames = [Frame { location: Location { file: "/b.js".into(), ..Location::default() }, is_async: false }];
        let calling = watched.enter("read(3)".into(), Some(Arc::from(frames)), Vec::new());
        let until_ns = monotonic_ns() + 20 * SECOND;
        while lock(&watched.progress).sample.is_none() {
            assert!(monotonic_ns() < until_ns, "no report");
            std::thread::yield_now();
        }
        drop(calling);
        assert!(watched.end());
        let block = watched.ended(Sample::default).expect("a block");
        assert_eq!(block.native.as_deref(), Some("read(3)"));
    }
}
