//! The process that a command attaches to: whether it can be, and the connection to its control socket.
//!
//! SIGUSR1 is sent only to a process that runs phasor and catches the signal: the signal would end any other process.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use phasor_core::user_ids;
use phasor_lens::agent::{self, Client};

use crate::child::SIGUSR1;

/// How long a process may take to open its control socket.
const OPEN_LIMIT: Duration = Duration::from_secs(5);

/// Bytes that are in phasor and in its `libuv.so.1`, and in no other file.
const MARKER: &[u8] = agent::VARIABLE.as_bytes();

/// Bytes of programs and libraries that have a libuv.
const UV_RUN: &[u8] = b"uv_run\0";

/// The data of `/proc/PID/status`.
struct Status {
    state: char,
    user: u32,
    group_leader: u32,
    /// The signals that the process catches: bit `signum - 1`.
    caught: u64,
}

impl Status {
    fn read(pid: u32) -> Option<Status> {
        let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let field =
            |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim);
        Some(Status {
            state: field("State")?.chars().next()?,
            // The four user ids: real, effective, saved, file system.
            user: field("Uid")?.split_whitespace().nth(1)?.parse().ok()?,
            group_leader: field("Tgid")?.parse().ok()?,
            caught: u64::from_str_radix(field("SigCgt")?, 16).ok()?,
        })
    }

    fn catches(&self, signum: i32) -> bool {
        self.caught >> (signum - 1) & 1 == 1
    }
}

/// Connects to the control socket of a process; makes it open the socket if needed.
///
/// # Errors
///
/// A readable reason why the connection is not possible.
pub(crate) fn connect(pid: u32) -> Result<Client, String> {
    let status = Status::read(pid).ok_or_else(|| format!("there is no process {pid}"))?;
    if status.group_leader != pid {
        return Err(format!("{pid} is a thread of process {}", status.group_leader));
    }
    if matches!(status.state, 'Z' | 'X') {
        return Err(format!("process {pid} has ended"));
    }
    let [_, own_user, ..] = user_ids();
    if own_user != 0 && own_user != status.user {
        let owner = user_name(status.user);
        let others = if status.user == 0 { "" } else { " and root" };
        return Err(format!("process {pid} belongs to {owner}: only {owner}{others} may look into it"));
    }
    if matches!(status.state, 'T' | 't') {
        return Err(format!("process {pid} is stopped, and answers when it goes on: `kill -CONT {pid}`"));
    }
    if let Some(client) = try_connect(pid, &status) {
        return Ok(client);
    }
    let program = PathBuf::from(format!("/proc/{pid}/exe"));
    if !contains(&program, MARKER).map_err(|error| format!("cannot read the program of process {pid}: {error}"))? {
        return Err(explain_foreign(pid, &program));
    }
    if !status.catches(SIGUSR1) {
        return Err(format!("process {pid} is a phasor that is not running a program, or is just starting"));
    }
    phasor_core::kill(pid as i32, SIGUSR1).map_err(|errno| {
        format!("cannot send SIGUSR1 to process {pid}: {}", io::Error::from_raw_os_error(errno.raw()))
    })?;
    let began = Instant::now();
    while began.elapsed() < OPEN_LIMIT {
        if let Some(client) = try_connect(pid, &status) {
            return Ok(client);
        }
        if Status::read(pid).is_none_or(|status| matches!(status.state, 'Z' | 'X')) {
            return Err(format!("process {pid} has ended"));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Err(format!(
        "process {pid} has not opened its control socket for {} s: it is in a native call that takes long{}, or the program listens for \
         SIGUSR1 itself (start it with {}=1 then)",
        OPEN_LIMIT.as_secs(),
        current_call(pid),
        agent::VARIABLE
    ))
}

/// Waits until a process that was just started has opened its socket. `None` if it ends before, or does not open one.
pub(crate) fn connect_started(pid: u32) -> Option<Client> {
    Status::read(pid).and_then(|status| try_connect(pid, &status))
}

/// Connects if the socket is open and belongs to the process's user.
fn try_connect(pid: u32, status: &Status) -> Option<Client> {
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let of_process = |name: &str| {
        let mut pairs = environment.split(|byte| *byte == 0);
        let value = pairs.find_map(|pair| pair.strip_prefix(name.as_bytes())?.strip_prefix(b"="))?;
        Some(PathBuf::from(std::ffi::OsString::from_vec(value.to_vec())))
    };
    let own = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let mut paths = agent::paths(pid, status.user, of_process);
    paths.extend(agent::paths(pid, status.user, own));
    // Another user may have made a socket with this name.
    paths.iter().find_map(|path| Client::connect(path).ok().filter(|client| client.peer_user() == Some(status.user)))
}

/// Why a process that is not phasor cannot be attached to.
fn explain_foreign(pid: u32, program: &Path) -> String {
    let name = fs::read_link(program).map_or_else(|_| "its program".into(), |path| path.display().to_string());
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
    let mapped = maps.lines().filter_map(|line| line.find('/').map(|at| &line[at..]));
    let library = mapped.clone().find(|path| path.rsplit('/').next().is_some_and(|name| name.starts_with("libuv")));
    match library {
        Some(library) if contains(Path::new(library), MARKER).unwrap_or(false) => format!(
            "process {pid} runs on Phasor's libuv, but without a control socket: start it with `phasor with -- {name}`, or with {}=1",
            agent::VARIABLE
        ),
        Some(library) => format!(
            "process {pid} runs on {library}, which Phasor cannot look into: start it with `phasor with -- {name}`, which gives it Phasor's"
        ),
        None if contains(program, UV_RUN).unwrap_or(false) => format!(
            "process {pid} has its own libuv built in ({name}), which Phasor cannot look into: a program has to load libuv as a shared library"
        ),
        None => format!("process {pid} ({name}) is neither a program of phasor nor one on Phasor's libuv"),
    }
}

/// Why a process that has a control socket gave no answer.
pub(crate) fn explain_answer(pid: u32, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset => {
            match Status::read(pid) {
                None => format!("process {pid} has ended"),
                Some(_) => {
                    format!("process {pid} has closed the connection: it serves too many others, or was interrupted")
                }
            }
        }
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
            format!("process {pid} does not answer: it may be stopped")
        }
        _ => error.to_string(),
    }
}

/// The system call that a process is in, in words for a message.
fn current_call(pid: u32) -> String {
    match fs::read_to_string(format!("/proc/{pid}/wchan")) {
        Ok(name) if !name.is_empty() && name != "0" => format!(" (the kernel's {name})"),
        _ => String::new(),
    }
}

/// The name of a user; the number if it has none.
fn user_name(user: u32) -> String {
    let passwd = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let name = passwd.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(user)).then(|| name.to_owned())
    });
    name.unwrap_or_else(|| format!("user {user}"))
}

/// Whether a file contains these bytes.
fn contains(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    let mut file = File::open(path)?;
    let (mut buffer, mut kept) = (vec![0; 1 << 20], 0);
    loop {
        let count = file.read(&mut buffer[kept..])?;
        if count == 0 {
            return Ok(false);
        }
        let filled = kept + count;
        if memchr::memmem::find(&buffer[..filled], bytes).is_some() {
            return Ok(true);
        }
        // The bytes may begin at the end of this piece.
        kept = filled.min(bytes.len() - 1);
        buffer.copy_within(filled - kept..filled, 0);
    }
}
