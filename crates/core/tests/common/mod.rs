//! Shared test helpers: a front end with names, a loop with a watchdog, connected pairs, temporary directories.
#![allow(dead_code, reason = "each test file uses a part")]

use std::ffi::CString;
use std::fs;
use std::net::SocketAddr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use phasor_core::{Errno, Event, Face, HandleId, Loop, Outcome, RunMode, TcpBind};

/// Names as data of handles and requests, for readable traces.
pub(crate) struct Names;

impl Face for Names {
    type Handle = &'static str;
    type Request = &'static str;
    type Bytes = Vec<Vec<u8>>;
}

pub(crate) type Core = Loop<Names>;

/// A directory that is removed after the test.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new() -> Scratch {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("phasor-core-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path).unwrap();
        Scratch(path)
    }

    /// Creates an empty file in it.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, "").unwrap();
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A path as a C string.
pub(crate) fn c(path: &Path) -> CString {
    CString::new(path.as_os_str().as_bytes()).unwrap()
}

/// A loop with an unreferenced timer that fails a test which would wait for ever.
pub(crate) fn test_loop() -> Core {
    let mut core = Core::new().unwrap();
    let watchdog = core.timer_open("watchdog");
    core.timer_start(watchdog, 20_000, 0).unwrap();
    core.set_ref(watchdog, false).unwrap();
    core
}

/// Runs until `on` returns true or the run ends. `on` gets every event.
pub(crate) fn run(core: &mut Core, mut on: impl FnMut(&mut Core, Event<Names>) -> bool) {
    while let Some(event) = core.next(RunMode::Default) {
        if let Event::Timer(id) = event {
            assert_ne!(core.face(id), Some(&"watchdog"), "no progress for 20 seconds");
        }
        if on(core, event) {
            return;
        }
    }
}

pub(crate) fn localhost() -> SocketAddr {
    "127.0.0.1:0".parse().unwrap()
}

/// A listening tcp handle and its address.
pub(crate) fn listener(core: &mut Core) -> (HandleId, SocketAddr) {
    let server = core.tcp_open("server");
    core.tcp_bind(server, localhost(), TcpBind::default()).unwrap();
    core.stream_listen(server, 128).unwrap();
    (server, core.tcp_local_address(server).unwrap())
}

/// Two connected tcp handles, the connecting one first. The listener is closed.
pub(crate) fn pair(core: &mut Core) -> (HandleId, HandleId) {
    let (server, address) = listener(core);
    let client = core.tcp_open("client");
    core.tcp_connect(client, address, "connect").unwrap();
    let (mut accepted, mut connected) = (None, false);
    run(core, |core, event| {
        match event {
            Event::Connection(id, result) => {
                result.unwrap();
                let peer = core.tcp_open("peer");
                core.stream_accept(id, peer).unwrap();
                core.close(id).unwrap();
                accepted = Some(peer);
            }
            Event::Done("connect", Outcome::Connect(result)) => {
                result.unwrap();
                connected = true;
            }
            _ => {}
        }
        accepted.is_some() && connected && core.kind(server).is_none()
    });
    // Finishes the turn, so that the test begins with a new one.
    while core.next(RunMode::NoWait).is_some() {}
    (client, accepted.unwrap())
}

/// An event as a line of a trace.
pub(crate) fn describe(core: &Core, event: &Event<Names>) -> String {
    let name = |id: &HandleId| core.face(*id).copied().unwrap_or("?");
    let result = |result: &Result<(), Errno>| match result {
        Ok(()) => "ok".to_string(),
        Err(errno) => errno.name().unwrap_or("?").to_string(),
    };
    match event {
        Event::Readable(id) => format!("readable {}", name(id)),
        Event::Hangup(id) => format!("hangup {}", name(id)),
        Event::Connection(id, r) => format!("connection {} {}", name(id), result(r)),
        Event::Done(request, Outcome::Connect(r) | Outcome::Shutdown(r)) => format!("{request} {}", result(r)),
        Event::Done(request, Outcome::Write { result: r, written, .. }) => {
            format!("{request} {} {written}", result(r))
        }
        Event::Closed(face) => format!("closed {face}"),
        other => format!("{:?}", other.kind()),
    }
}

/// The trace of all events until the run ends.
pub(crate) fn trace(core: &mut Core) -> Vec<String> {
    let mut lines = Vec::new();
    run(core, |core, event| {
        lines.push(describe(core, &event));
        false
    });
    lines
}

/// The number of open file descriptors of this process.
pub(crate) fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

/// The error of a refused request.
pub(crate) fn refusal<T>(result: Result<T, impl Into<Errno>>) -> Errno {
    result.map_or_else(Into::into, |_| panic!("the request was accepted"))
}
