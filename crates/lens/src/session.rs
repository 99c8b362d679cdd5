//! A recording in progress: the tracks of all threads, and the thread that writes them to a file.
//!
//! A process has at most one session, which its threads find with [`Session::current`].
//!
//! # Ground rules
//! - A child of `fork` has the session of its parent, but not the thread that writes, and locks may be held for ever. There
//!   the parent's session takes no lock and writes nothing, and the child may start a session of its own.

use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::JoinHandle;
use std::time::Duration;

use phasor_core::{fork_generation, monotonic_ns, realtime, with_signals_blocked};

use crate::config::{Config, Mode};
use crate::definition::{Definition, ProcessInfo, ThreadInfo};
use crate::file::Writer;
use crate::record::{RECORD_BYTES, Record, RecordKind};
use crate::recorder::Recorder;
use crate::ring::Ring;

/// How often the writer looks for records, unless a ring is half full.
const PERIOD: Duration = Duration::from_millis(20);

/// A recording in progress.
pub struct Session {
    config: Config,
    /// The file that is written.
    path: PathBuf,
    process: ProcessInfo,
    /// The process whose session it is, see [`fork_generation`].
    generation: u32,
    tracks: Mutex<Vec<Arc<Track>>>,
    /// The number of the next track.
    next_track: AtomicU32,
    /// Numbers of spans and messages.
    next_flow: AtomicU64,
    wake: Arc<Wake>,
    writer: Mutex<Option<JoinHandle<io::Result<()>>>>,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("config", &self.config).finish_non_exhaustive()
    }
}

/// Tells the writer thread to look for records.
#[derive(Default)]
struct Wake {
    state: Mutex<WakeState>,
    changed: Condvar,
}

#[derive(Default)]
struct WakeState {
    has_records: bool,
    dumps: bool,
    ends: bool,
    /// The writer has ended, perhaps because of an error.
    has_ended: bool,
    /// How many dumps are written.
    dumped: u64,
}

/// The part of a recording that belongs to one thread.
pub(crate) struct Track {
    number: u32,
    /// The process whose session it is.
    generation: u32,
    info: Mutex<ThreadInfo>,
    /// `info` is not written yet, or was changed.
    has_news: AtomicBool,
    ring: Ring,
    /// Definitions that are not written yet.
    definitions: Mutex<Vec<Definition>>,
    has_ended: AtomicBool,
    /// Nothing is kept.
    is_blind: bool,
}

impl Track {
    #[inline]
    pub(crate) fn ring(&self) -> &Ring {
        &self.ring
    }

    pub(crate) fn define(&self, definition: Definition) {
        if !self.is_blind && self.generation == fork_generation() {
            lock(&self.definitions).push(definition);
        }
    }

    /// Says which thread it is from now on.
    pub(crate) fn set_info(&self, info: ThreadInfo) {
        if self.generation == fork_generation() {
            *lock(&self.info) = info;
            self.has_news.store(true, Ordering::Release);
        }
    }

    pub(crate) fn end(&self) {
        self.has_ended.store(true, Ordering::Release);
    }
}

/// No code that can panic runs under the locks of this file.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The session of the process.
static CURRENT: Mutex<Option<Arc<Session>>> = Mutex::new(None);

/// The session of the process. `None` in a child of `fork` if another thread of the parent had the lock.
fn lock_current() -> Option<MutexGuard<'static, Option<Arc<Session>>>> {
    if fork_generation() == 0 {
        return Some(lock(&CURRENT));
    }
    match CURRENT.try_lock() {
        Ok(current) => Some(current),
        Err(TryLockError::Poisoned(current)) => Some(current.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

impl Session {
    /// Starts the recording of this process.
    ///
    /// # Errors
    ///
    /// The file cannot be created, another process records into it (`ResourceBusy`), there is a session already
    /// (`AlreadyExists`), or no thread can be started.
    pub fn start(config: Config) -> io::Result<Arc<Session>> {
        let exists = || io::Error::new(io::ErrorKind::AlreadyExists, "this process is being recorded already");
        let mut current = lock_current().ok_or_else(exists)?;
        if current.as_ref().is_some_and(|session| session.is_of_this_process()) {
            return Err(exists());
        }
        // The session of the parent, whose parts may be in use.
        std::mem::forget(current.take());
        let process = process_info(&config);
        let path = config.path_of_process();
        let mut file = Writer::new(BufWriter::with_capacity(1 << 16, create(&path)?), &process)?;
        // A reader that comes early finds a recording without records.
        file.flush()?;
        let session = Arc::new(Session {
            config,
            path,
            process,
            generation: fork_generation(),
            tracks: Mutex::default(),
            next_track: AtomicU32::new(1),
            next_flow: AtomicU64::new(1),
            wake: Arc::default(),
            writer: Mutex::default(),
        });
        let writing = Arc::clone(&session);
        let thread = std::thread::Builder::new().name("phasor-recorder".into());
        let writer = with_signals_blocked(|| {
            thread.spawn(move || {
                let written = writing.run_writer(file);
                // No thread may wait for another dump: the disk may be full.
                lock(&writing.wake.state).has_ended = true;
                writing.wake.changed.notify_all();
                written
            })
        })?;
        *lock(&session.writer) = Some(writer);
        *current = Some(Arc::clone(&session));
        Ok(session)
    }

    /// A session that keeps nothing. A recorder of it knows where the code of callbacks is, for statistics.
    pub fn blind() -> Arc<Session> {
        let config = Config { mode: Mode::FlightRecorder, ring_bytes: 0, ..Config::new("") };
        Arc::new(Session {
            process: process_info(&config),
            config,
            path: PathBuf::new(),
            generation: fork_generation(),
            tracks: Mutex::default(),
            next_track: AtomicU32::new(1),
            next_flow: AtomicU64::new(1),
            wake: Arc::default(),
            writer: Mutex::default(),
        })
    }

    fn is_blind(&self) -> bool {
        self.path.as_os_str().is_empty()
    }

    /// The session of this process, if it is being recorded.
    pub fn current() -> Option<Arc<Session>> {
        lock_current()?.as_ref().filter(|session| session.is_of_this_process()).cloned()
    }

    /// False in a child of `fork`, for the session of its parent.
    fn is_of_this_process(&self) -> bool {
        self.generation == fork_generation()
    }

    /// How it records.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The start of the recording by the monotonic clock.
    #[inline]
    pub(crate) fn base_ns(&self) -> u64 {
        self.process.started_ns
    }

    /// A number that no other span or message of the process has.
    pub fn next_flow(&self) -> u64 {
        self.next_flow.fetch_add(1, Ordering::Relaxed)
    }

    /// A recorder for the calling thread. Its track ends when the recorder is dropped.
    pub fn recorder(self: &Arc<Session>, name: &str, os_id: u64) -> Recorder {
        let records = self.config.ring_bytes / RECORD_BYTES;
        let track = Arc::new(Track {
            number: self.next_track.fetch_add(1, Ordering::Relaxed),
            generation: self.generation,
            info: Mutex::new(ThreadInfo { name: name.to_owned(), os_id }),
            has_news: AtomicBool::new(true),
            ring: Ring::new(records, self.config.mode == Mode::FlightRecorder),
            definitions: Mutex::default(),
            has_ended: AtomicBool::new(false),
            is_blind: self.is_blind(),
        });
        if self.is_of_this_process() && !self.is_blind() {
            lock(&self.tracks).push(Arc::clone(&track));
        }
        Recorder::new(Arc::clone(self), track)
    }

    /// Writes what a flight recorder has kept. Returns when it is written.
    pub fn dump(&self) {
        if !self.is_of_this_process() {
            return;
        }
        let mut state = lock(&self.wake.state);
        let before = state.dumped;
        state.dumps = true;
        self.wake.changed.notify_all();
        while state.dumped == before && !state.ends && !state.has_ended {
            state = self.wake.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Ends the recording: writes what is left and closes the file. Threads that still record write into the void.
    ///
    /// # Errors
    ///
    /// The file could not be written: the disk is full.
    pub fn finish(&self) -> io::Result<()> {
        if !self.is_of_this_process() {
            return Ok(());
        }
        let Some(writer) = lock(&self.writer).take() else { return Ok(()) };
        lock(&self.wake.state).ends = true;
        self.wake.changed.notify_all();
        let written = writer.join();
        if let Some(mut current) = lock_current()
            && current.as_ref().is_some_and(|current| std::ptr::eq(&**current, self))
        {
            *current = None;
        }
        written.unwrap_or_else(|_| Err(io::Error::other("the thread that writes the recording panicked")))
    }

    /// The file that is written.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the writer look for records now. Called a few times for each filling of a ring.
    #[cold]
    pub(crate) fn wake_writer(&self) {
        if self.config.mode == Mode::Stream && self.is_of_this_process() {
            lock(&self.wake.state).has_records = true;
            self.wake.changed.notify_all();
        }
    }

    /// The main function of the writer thread.
    fn run_writer(&self, mut file: Writer<BufWriter<File>>) -> io::Result<()> {
        loop {
            let mut state = lock(&self.wake.state);
            if !state.has_records && !state.ends && !state.dumps {
                (state, _) = self.wake.changed.wait_timeout(state, PERIOD).unwrap_or_else(PoisonError::into_inner);
            }
            let (ends, dumps) = (state.ends, std::mem::take(&mut state.dumps));
            state.has_records = false;
            drop(state);
            let takes_records = self.config.mode == Mode::Stream || ends || dumps;
            self.write_tracks(&mut file, takes_records)?;
            // What is in the file survives the process, however it ends.
            file.flush()?;
            if ends {
                return file.end();
            }
            // A process that is killed loses only what it has recorded since.
            file.flush()?;
            if dumps {
                lock(&self.wake.state).dumped += 1;
                self.wake.changed.notify_all();
            }
        }
    }

    /// Writes what the tracks have collected.
    fn write_tracks<W: io::Write>(&self, file: &mut Writer<W>, takes_records: bool) -> io::Result<()> {
        let tracks = lock(&self.tracks).clone();
        let mut words = Vec::new();
        for track in &tracks {
            if track.has_news.swap(false, Ordering::Acquire) {
                let info = lock(&track.info).clone();
                file.thread(track.number, &info)?;
            }
            let has_ended = track.has_ended.load(Ordering::Acquire);
            if takes_records || has_ended {
                words.clear();
                let lost = track.ring.take(&mut words);
                if lost > 0 {
                    // A full ring refuses the newest records; a flight recorder overwrites the oldest.
                    let (place, at_ns) = match (self.config.mode, words.first()) {
                        (Mode::FlightRecorder, Some(first_ns)) => (0, *first_ns),
                        _ => (words.len(), monotonic_ns().saturating_sub(self.base_ns())),
                    };
                    let record = Record { a: lost, ..Record::new(at_ns, RecordKind::Lost) };
                    words.splice(place..place, record.to_words());
                }
            }
            // After the records: a definition is made before the record that refers to it.
            let definitions = std::mem::take(&mut *lock(&track.definitions));
            if !definitions.is_empty() {
                file.definitions(track.number, &definitions)?;
            }
            if !words.is_empty() {
                file.records(track.number, &words)?;
                words.clear();
            }
            if has_ended {
                lock(&self.tracks).retain(|other| other.number != track.number);
            }
        }
        Ok(())
    }
}

/// What a recording says of this process.
fn process_info(config: &Config) -> ProcessInfo {
    let (s, ns) = realtime();
    ProcessInfo {
        pid: std::process::id(),
        parent: std::os::unix::process::parent_id(),
        arguments: std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect(),
        runtime: config.runtime.clone(),
        started_unix_ns: s.max(0) as u64 * 1_000_000_000 + ns as u64,
        started_ns: monotonic_ns(),
    }
}

/// Creates the file, readable by its owner only: it names files and addresses. The file is locked while it is written,
/// because a program may start others with the same environment.
fn create(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let file = File::options().write(true).create(true).truncate(false).mode(0o600).open(path)?;
    if file.metadata()?.is_file() {
        match file.try_lock() {
            Ok(()) => file.set_len(0)?,
            Err(std::fs::TryLockError::WouldBlock) => {
                return Err(io::Error::new(io::ErrorKind::ResourceBusy, "another process records into this file"));
            }
            // A file system without locks.
            Err(std::fs::TryLockError::Error(_)) => file.set_len(0)?,
        }
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use crate::file::Recording;
    use crate::record::{CallbackKind, ResourceId};

    #[test]
    fn a_session_writes_the_records_of_all_threads() {
        let path = std::env::temp_dir().join(format!("phasor-session-{}.phasor", std::process::id()));
        let session = Session::start(Config::new(&path)).unwrap();
        assert!(Session::start(Config::new(&path)).is_err(), "one session for a process");
        std::thread::scope(|scope| {
            for name in ["main", "worker"] {
                let session = &session;
                scope.spawn(move || {
                    let recorder = session.recorder(name, 0);
                    let label = recorder.label("hello");
                    for number in 0..50_000 {
                        recorder.begin(CallbackKind::Timeout, 0, ResourceId::script(number), 0);
                        recorder.end(0, 0);
                    }
                    recorder.mark(label);
                    recorder.begin(CallbackKind::Tick, 0, ResourceId::NONE, 0);
                });
            }
        });
        session.finish().unwrap();
        assert!(Session::current().is_none());
        let recording = Recording::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(recording.is_complete);
        assert_eq!(recording.threads.len(), 2);
        for thread in recording.threads.values() {
            let count = |kind| thread.records.iter().filter(|record| record.kind == kind).count();
            let lost: u64 =
                thread.records.iter().filter(|record| record.kind == RecordKind::Lost).map(|record| record.a).sum();
            assert_eq!(count(RecordKind::CallbackBegin) + count(RecordKind::CallbackEnd) + lost as usize, 100_002);
            assert!(thread.records.is_sorted_by_key(|record| record.time_ns));
            assert_eq!(thread.labels[&1], "hello");
        }
    }

    #[test]
    fn a_file_that_another_session_writes_is_refused_and_left_alone() {
        let path = std::env::temp_dir().join(format!("phasor-session-lock-{}.phasor", std::process::id()));
        let writing = create(&path).unwrap();
        (&writing).write_all(b"recording").unwrap();
        assert_eq!(create(&path).unwrap_err().kind(), io::ErrorKind::ResourceBusy);
        assert_eq!(std::fs::read(&path).unwrap(), b"recording");
        drop(writing);
        create(&path).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"");
        std::fs::remove_file(&path).unwrap();
    }
}
