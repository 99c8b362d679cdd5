//! The control socket: through it `phasor why`, `phasor top` and `phasor trace` talk to a process that runs.
//!
//! A Unix socket of mode 0600, in a folder that only its user may enter. Each line is a JSON object: a request, or its
//! answer, in order.
//!
//! | request | answer |
//! |---|---|
//! | `{"ask":"info"}` | `pid`, `runtime`, `arguments`, `loops`: `number`, `name`, `thread` of each |
//! | `{"ask":"why"}` | a [`WhyReport`](crate::WhyReport); of a loop that does not answer only `thread` and `blockedMs` |
//! | `{"ask":"idle"}` | `loops`: `name` of each, and `idleMs`, how long it has waited for events. Wakes no loop |
//! | `{"ask":"stats"}` | `loops`, `pool`: see [`stats_of_process`]. Loops are observed until the connection ends. With `"locations":true`, slow callbacks have the place of their code |
//! | `{"ask":"record","config":"path=…;detail=1"}` | `path`. Recorded until `stop`, or until the connection ends |
//! | `{"ask":"dump"}` | `path`, after what the recording has kept was written |
//! | `{"ask":"stop"}` | `path`, after the recording was ended and written. The recording may be one from the start of the process |
//! | `{"ask":"ping"}` | nothing |
//!
//! An answer has a member `error` if the request failed.
//!
//! # Ground rules
//! - The threads of this file do nothing on the loops' threads but through the [registry](crate::registry), and a loop
//!   never waits for them. What a peer sends is bounded in size and number; a peer that does not read is dropped.
//! - Only root and the user of this process get an answer (`SO_PEERCRED`).

use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use phasor_core::{Phase, monotonic_ns, peer_user, pool_status, user_ids, with_signals_blocked};

use crate::config::Config;
use crate::json::Json;
use crate::registry::{LoopEntry, NoAnswer, loops};
use crate::session::Session;
use crate::stats::{self, EVENT_KINDS, Enabled, HANDLE_KINDS, Located, Snapshot};

/// The environment variable that has a program on `libuv.so.1` open its control socket at start if it is `1`. A program of
/// `phasor` opens it for SIGUSR1, or for this variable too.
pub const VARIABLE: &str = "PHASOR_CONTROL";

/// How many connections are served at a time; more are closed at once.
const MOST_CONNECTIONS: usize = 8;

/// The longest request, in bytes.
const MOST_LINE: usize = 16 << 10;

/// A peer that sends nothing for so long is dropped.
const IDLE_LIMIT: Duration = Duration::from_secs(60);

/// A peer that does not read its answer for so long is dropped.
const WRITE_LIMIT: Duration = Duration::from_secs(2);

/// How long the thread rests after it has refused a connection, or could not accept one. So a flood costs nothing.
const REFUSAL_REST: Duration = Duration::from_millis(20);

/// A loop that does not answer for so long counts as blocked.
const ANSWER_LIMIT: Duration = Duration::from_millis(500);

/// The socket of this process, once it is open.
static OPEN: Mutex<Option<Socket>> = Mutex::new(None);

/// The open socket, and the process that has opened it: not that of its children of `fork`.
struct Socket {
    path: PathBuf,
    pid: u32,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens the control socket and starts its thread. Returns the path. Does nothing if it is open.
///
/// # Errors
///
/// There is no folder for the socket that only this user may write to, or the system refuses the socket or the thread.
pub fn start(runtime: &str) -> io::Result<PathBuf> {
    let mut open = lock(&OPEN);
    let pid = std::process::id();
    if let Some(socket) = open.as_ref().filter(|socket| socket.pid == pid) {
        return Ok(socket.path.clone());
    }
    let [_, user, ..] = user_ids();
    let folder = own_folder(user)?;
    remove_stale(&folder, pid);
    let path = path_in(&folder, pid);
    let listener = UnixListener::bind(&path)?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
    let runtime = runtime.to_owned();
    let thread = thread::Builder::new().name("phasor-control".into());
    with_signals_blocked(|| thread.spawn(move || accept(&listener, user, &Arc::new(runtime))))?;
    *open = Some(Socket { path: path.clone(), pid });
    Ok(path)
}

/// Removes the control socket, if it is open. Called when the process ends.
pub fn end() {
    // At exit the thread that opens the socket may be in the middle of it, or be gone in a child of `fork`.
    let Ok(mut open) = OPEN.try_lock() else { return };
    if let Some(socket) = open.take().filter(|socket| socket.pid == std::process::id()) {
        let _ = fs::remove_file(socket.path);
    }
}

/// Removes the sockets of processes that have ended without doing so, and that of an earlier process with this id.
fn remove_stale(folder: &Path, own_pid: u32) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|name| name.strip_suffix(".sock"));
        let pid = pid.and_then(|name| name.strip_prefix("phasor-").unwrap_or(name).parse::<u32>().ok());
        let is_stale = |pid: u32| pid == own_pid || !Path::new("/proc").join(pid.to_string()).exists();
        // Only names that this file makes: other programs keep files in `XDG_RUNTIME_DIR` too.
        if let Some(pid) = pid.filter(|pid| is_stale(*pid) && path_in(folder, *pid) == entry.path()) {
            let _ = fs::remove_file(path_in(folder, pid));
        }
    }
}

/// Where a user's control sockets may be, the first one preferred. `runtime_folder` is `XDG_RUNTIME_DIR`.
fn folders(user: u32, runtime_folder: Option<PathBuf>) -> Vec<PathBuf> {
    let runtime_folder = runtime_folder.filter(|folder| folder.is_absolute());
    runtime_folder.into_iter().chain([PathBuf::from(format!("/tmp/phasor-{user}"))]).collect()
}

fn path_in(folder: &Path, pid: u32) -> PathBuf {
    // In a folder of its own the name needs no prefix.
    let is_own = folder.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"phasor-"));
    folder.join(if is_own { format!("{pid}.sock") } else { format!("phasor-{pid}.sock") })
}

/// Where the control socket of a process can be. `environment` reads a variable of that process.
pub fn paths(pid: u32, user: u32, environment: impl Fn(&str) -> Option<PathBuf>) -> Vec<PathBuf> {
    folders(user, environment("XDG_RUNTIME_DIR")).iter().map(|folder| path_in(folder, pid)).collect()
}

/// The first folder that this user alone may write to.
fn own_folder(user: u32) -> io::Result<PathBuf> {
    let mut problem = io::Error::other("there is no folder for the control socket");
    for folder in folders(user, std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from)) {
        if folder.starts_with("/tmp") {
            // Fails if it exists, which is checked next.
            let _ = fs::DirBuilder::new().mode(0o700).create(&folder);
        }
        // Not through a link, which another user could have made.
        match fs::symlink_metadata(&folder) {
            Ok(found) if found.is_dir() && found.uid() == user && found.mode() & 0o077 == 0 => return Ok(folder),
            Ok(_) => {
                let text = format!("{} is not a folder that only this user may enter", folder.display());
                problem = io::Error::new(io::ErrorKind::PermissionDenied, text);
            }
            Err(error) => problem = io::Error::new(error.kind(), format!("{}: {error}", folder.display())),
        }
    }
    Err(problem)
}

/// The main function of the thread that accepts connections.
fn accept(listener: &UnixListener, user: u32, runtime: &Arc<String>) {
    let connections = Arc::new(AtomicUsize::new(0));
    loop {
        // Out of descriptors or memory: the program may free some.
        let Ok((stream, _)) = listener.accept() else {
            thread::sleep(REFUSAL_REST);
            continue;
        };
        let is_welcome = peer_user(&stream).is_ok_and(|peer| peer == user || peer == 0);
        if !is_welcome || connections.load(Ordering::SeqCst) >= MOST_CONNECTIONS {
            drop(stream);
            thread::sleep(REFUSAL_REST);
            continue;
        }
        connections.fetch_add(1, Ordering::SeqCst);
        let counted = Counted(Arc::clone(&connections));
        let runtime = Arc::clone(runtime);
        let serve = move || {
            let _counted = counted;
            // The peer has gone, or was too slow.
            let _ = Connection { stream, runtime, stats: None, locations: None, session: None }.serve();
        };
        // Without a thread the connection is closed.
        let _ = thread::Builder::new().name("phasor-control".into()).spawn(serve);
    }
}

/// Counts a connection while it lives.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// One connection, on its thread.
struct Connection {
    stream: UnixStream,
    runtime: Arc<String>,
    /// This connection wants statistics.
    stats: Option<Enabled>,
    /// It wants the locations of slow callbacks.
    locations: Option<Located>,
    /// The recording that it has started.
    session: Option<Arc<Session>>,
}

impl Connection {
    fn serve(&mut self) -> io::Result<()> {
        self.stream.set_read_timeout(Some(IDLE_LIMIT))?;
        self.stream.set_write_timeout(Some(WRITE_LIMIT))?;
        let mut lines = Lines { stream: self.stream.try_clone()?, buffer: Vec::new() };
        while let Some(line) = lines.next_line()? {
            let request = std::str::from_utf8(&line).map_err(|error| error.to_string()).and_then(Json::parse);
            let answer = request.and_then(|request| self.answer(&request));
            let is_ok = answer.is_ok();
            let answer = answer.unwrap_or_else(|error| Json::object([("error", error.into())]));
            self.stream.write_all(format!("{answer}\n").as_bytes())?;
            if !is_ok && !line.starts_with(b"{") {
                // Whatever this is, it does not speak the protocol.
                break;
            }
        }
        Ok(())
    }

    fn answer(&mut self, request: &Json) -> Result<Json, String> {
        match request.text("ask") {
            "info" => Ok(self.info()),
            "why" => Ok(why()),
            "stats" => {
                self.stats.get_or_insert_with(stats::enable);
                if request.get("locations").and_then(Json::as_bool) == Some(true) {
                    self.locations.get_or_insert_with(stats::locate);
                    loops().iter().for_each(|entry| entry.update_locations());
                }
                Ok(stats_of_process())
            }
            "record" => self.record(request.text("config")),
            "idle" => Ok(idle()),
            "dump" => {
                let session = self.session.clone().or_else(Session::current).ok_or("nothing is being recorded")?;
                session.dump();
                Ok(Json::object([("path", session.path().to_string_lossy().into_owned().into())]))
            }
            "stop" => {
                let session = self.session.take().or_else(Session::current).ok_or("nothing is being recorded")?;
                stop(&session)?;
                Ok(Json::object([("path", session.path().to_string_lossy().into_owned().into())]))
            }
            "ping" => Ok(Json::object([])),
            other => Err(format!("unknown request {other:?}")),
        }
    }

    fn info(&self) -> Json {
        let arguments = std::env::args_os().map(|argument| argument.to_string_lossy().into_owned());
        let each = |entry: &Arc<LoopEntry>| {
            Json::object([
                ("number", entry.number().into()),
                ("name", entry.name().into()),
                ("thread", entry.os_id().into()),
            ])
        };
        Json::object([
            ("pid", std::process::id().into()),
            ("runtime", self.runtime.as_str().into()),
            ("arguments", Json::list(arguments)),
            ("loops", Json::List(loops().iter().map(each).collect())),
        ])
    }

    fn record(&mut self, text: &str) -> Result<Json, String> {
        let mut config = Config::from_variable(text)?;
        config.runtime.clone_from(&self.runtime);
        let path = config.path.display().to_string();
        let session = Session::start(config).map_err(|error| format!("cannot record to {path}: {error}"))?;
        let path = session.path().to_string_lossy().into_owned();
        // A loop that is blocked is recorded once it goes on. Loops that begin later find the session themselves.
        for entry in loops() {
            let session = Arc::clone(&session);
            entry.ask(move |entry, front_end| {
                let recorder = session.recorder(entry.name(), entry.os_id().into());
                front_end.record(Some(std::rc::Rc::new(recorder)));
            });
        }
        self.session = Some(session);
        Ok(Json::object([("path", path.into())]))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Some(session) = self.session.take() {
            // An error is ignored: the peer is gone.
            let _ = stop(&session);
        }
    }
}

/// Ends a recording.
fn stop(session: &Session) -> Result<(), String> {
    let answers: Vec<_> = loops().iter().map(|entry| entry.ask(|_, front_end| front_end.record(None))).collect();
    for answer in answers {
        // A loop that is blocked stops recording later; its track ends early.
        let _ = answer.wait(ANSWER_LIMIT);
    }
    session.finish().map_err(|error| format!("cannot write {}: {error}", session.path().display()))
}

/// Why each loop is alive.
fn why() -> Json {
    let asked: Vec<_> =
        loops().into_iter().map(|entry| (entry.name().to_owned(), entry.ask(|_, front_end| front_end.why()))).collect();
    let answers = asked.into_iter().filter_map(|(thread, answer)| match answer.wait(ANSWER_LIMIT) {
        Ok(mut why) => {
            why.thread = thread;
            Some(why.to_json())
        }
        Err(NoAnswer::Blocked(ms)) => Some(Json::object([("thread", thread.into()), ("blockedMs", ms.into())])),
        Err(NoAnswer::Ended) => None,
    });
    Json::object([("pid", std::process::id().into()), ("loops", Json::List(answers.collect()))])
}

/// How long each loop has waited for events.
fn idle() -> Json {
    let each = |entry: &Arc<LoopEntry>| {
        Json::object([("name", entry.name().into()), ("idleMs", (entry.idle_ns() as f64 / 1e6).into())])
    };
    Json::object([("loops", Json::List(loops().iter().map(each).collect()))])
}

/// The statistics of all loops as JSON, times in nanoseconds: for each loop `number`, `name`, `blockedMs`, and, once it is
/// observed, `observed`, `turns`, `idle`, `phases`, `callbacks` (`[kind, count, time]`), `handles` (`[kind, count]`), `delays`
/// (`[bucket, count]`), `slow`; for the pool `threads`, `busy`, `queued`.
pub fn stats_of_process() -> Json {
    let pool = pool_status();
    let each = |entry: &Arc<LoopEntry>| {
        let mut members = vec![
            ("number".to_owned(), entry.number().into()),
            ("name".to_owned(), entry.name().into()),
            ("thread".to_owned(), entry.os_id().into()),
            ("busyMs".to_owned(), entry.busy_ms().into()),
        ];
        if let Some(stats) = entry.stats() {
            members.extend(stats_members(&stats.snapshot()));
        }
        Json::Object(members)
    };
    Json::object([
        ("at", monotonic_ns().into()),
        ("loops", Json::List(loops().iter().map(each).collect())),
        (
            "pool",
            Json::object([
                ("threads", (pool.threads as u64).into()),
                ("busy", (pool.busy as u64).into()),
                ("queued", (pool.queued as u64).into()),
            ]),
        ),
    ])
}

fn stats_members(snapshot: &Snapshot) -> Vec<(String, Json)> {
    let phases = Phase::ALL.iter().zip(snapshot.phase_ns);
    let callbacks = EVENT_KINDS.iter().zip(snapshot.callbacks).filter(|(_, (count, _))| *count > 0);
    let handles = HANDLE_KINDS.iter().zip(snapshot.handles).filter(|(_, count)| *count > 0);
    let slow = snapshot.slow.iter().map(|slow| {
        Json::object([
            ("kind", slow.kind.into()),
            ("took", slow.took_ns.into()),
            ("ago", snapshot.at_ns.saturating_sub(slow.ended_ns).into()),
            ("location", slow.location.as_str().into()),
        ])
    });
    let current = snapshot.current.map_or(Json::Null, |(kind, ns)| Json::List(vec![kind.into(), ns.into()]));
    [
        ("observed", snapshot.observed_ns.into()),
        ("turns", snapshot.turns.into()),
        ("idle", snapshot.idle_ns.into()),
        ("phases", Json::List(phases.map(|(phase, ns)| Json::List(vec![phase.name().into(), ns.into()])).collect())),
        (
            "callbacks",
            Json::List(
                callbacks
                    .map(|((_, name), (count, ns))| Json::List(vec![(*name).into(), count.into(), ns.into()]))
                    .collect(),
            ),
        ),
        (
            "handles",
            Json::List(handles.map(|((_, name), count)| Json::List(vec![(*name).into(), count.into()])).collect()),
        ),
        ("delays", snapshot.delays.to_json()),
        ("current", current),
        ("slow", Json::List(slow.collect())),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}

/// Reads lines of bounded length.
struct Lines {
    stream: UnixStream,
    buffer: Vec<u8>,
}

impl Lines {
    /// The next line without its end; `None` at the end of the stream. A line that is too long is an error.
    fn next_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut searched = 0;
        loop {
            if let Some(end) = self.buffer[searched..].iter().position(|byte| *byte == b'\n') {
                let rest = self.buffer.split_off(searched + end + 1);
                let mut line = std::mem::replace(&mut self.buffer, rest);
                line.pop();
                return Ok(Some(line));
            }
            searched = self.buffer.len();
            if searched > MOST_LINE {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "the line is too long"));
            }
            let mut bytes = [0; 4096];
            match self.stream.read(&mut bytes) {
                Ok(0) => return Ok(None),
                Ok(count) => self.buffer.extend(&bytes[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// The other end: a connection to the control socket of a process.
#[derive(Debug)]
pub struct Client {
    lines: Lines,
}

impl std::fmt::Debug for Lines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Lines")
    }
}

/// How long a client waits for an answer: the process may be stopped.
const CLIENT_LIMIT: Duration = Duration::from_secs(10);

impl Client {
    /// Connects to a socket of [`paths`].
    ///
    /// # Errors
    ///
    /// There is no such socket, or no process that listens on it.
    pub fn connect(path: &Path) -> io::Result<Client> {
        let stream = UnixStream::connect(path)?;
        stream.set_read_timeout(Some(CLIENT_LIMIT))?;
        stream.set_write_timeout(Some(CLIENT_LIMIT))?;
        Ok(Client { lines: Lines { stream, buffer: Vec::new() } })
    }

    /// The user of the process that listens.
    pub fn peer_user(&self) -> Option<u32> {
        peer_user(&self.lines.stream).ok()
    }

    /// Sends a request and waits for its answer.
    ///
    /// # Errors
    ///
    /// The process has ended (`UnexpectedEof`, `BrokenPipe`), does not answer (`WouldBlock`), or has answered with an error
    /// (`Other`).
    pub fn ask(&mut self, request: &Json) -> io::Result<Json> {
        self.lines.stream.write_all(format!("{request}\n").as_bytes())?;
        let line = self.lines.next_answer()?;
        let answer = Json::parse(&String::from_utf8_lossy(&line))
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        match answer.get("error") {
            Some(error) => Err(io::Error::other(error.as_str().unwrap_or("the request failed").to_owned())),
            None => Ok(answer),
        }
    }
}

impl Lines {
    /// As [`Lines::next_line`], for answers: they are as long as they have to be.
    fn next_answer(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; 64 << 10];
        while !self.buffer.contains(&b'\n') {
            match self.stream.read(&mut bytes) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => self.buffer.extend(&bytes[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.next_line().map(Option::unwrap_or_default)
    }
}
