//! Entries from what the loop itself knows of its handles and requests. A front end that knows more replaces the words.

use std::ffi::CStr;

use phasor_core::{
    Address, Face, HandleDescription, HandleDetail, HandleId, Kind, Loop, Readiness, Reason, RequestDescription,
    RequestId, RequestKind, StreamDetail,
};

use super::{LoopActivity, WhyEntry, WhyLoop};

impl WhyEntry {
    /// The entry of one reason of [`Loop::why_alive`].
    pub fn of_reason<F: Face>(core: &Loop<F>, reason: Reason) -> WhyEntry {
        match reason {
            Reason::Handle(id, kind) => WhyEntry::of_handle(core, id, kind),
            Reason::Request(id, kind) => WhyEntry::of_request(core, id, kind),
            Reason::Closing(id, kind) => WhyEntry::of_handle(core, id, kind).ending("is being closed"),
            Reason::Pending(id, kind) => WhyEntry::of_handle(core, id, kind).ending("has a result to report"),
            Reason::Counted(count) => WhyEntry::new("counted handle", format!("{count} counted without a handle")),
        }
    }

    /// The entry of a handle.
    pub fn of_handle<F: Face>(core: &Loop<F>, id: HandleId, kind: Kind) -> WhyEntry {
        match core.describe(id) {
            Some(handle) => of_handle(handle),
            None => WhyEntry::new(kind.name(), ""),
        }
    }

    /// The entry of a request.
    pub fn of_request<F: Face>(core: &Loop<F>, id: RequestId, kind: RequestKind) -> WhyEntry {
        let Some(request) = core.describe_request(id) else { return WhyEntry::new(kind.name(), "") };
        let handle = request.handle.and_then(|handle| core.describe(handle));
        of_request(request, handle)
    }

    /// The entry of something that ends without a call of the program.
    fn ending(mut self, how: &str) -> WhyEntry {
        self.has_ref = false;
        self.add(how);
        self
    }

    /// Adds words to what it is.
    pub fn add(&mut self, words: &str) {
        if !self.what.is_empty() && !words.is_empty() {
            self.what.push_str(", ");
        }
        self.what.push_str(words);
    }
}

impl WhyLoop {
    /// What the loop itself knows of what keeps it alive. The thread is not filled in.
    pub fn of_loop<F: Face>(core: &Loop<F>) -> WhyLoop {
        let entries = core.why_alive().into_iter().map(|reason| WhyEntry::of_reason(core, reason));
        WhyLoop { thread: String::new(), activity: LoopActivity::of_idle(core), entries: entries.collect() }
    }
}

impl LoopActivity {
    /// What a loop does that has waited until now, if its idle time is counted.
    pub fn of_idle<F: Face>(core: &Loop<F>) -> LoopActivity {
        match core.idle_since_ns() {
            Some(since_ns) => {
                LoopActivity::Idle { for_ms: phasor_core::monotonic_ns().saturating_sub(since_ns) as f64 / 1e6 }
            }
            None => LoopActivity::Unknown,
        }
    }
}

fn of_handle(handle: HandleDescription) -> WhyEntry {
    let mut entry = WhyEntry::new(handle.kind.name(), "");
    entry.has_ref = handle.has_ref;
    match handle.detail {
        HandleDetail::None => entry.kind = format!("{} handle", handle.kind.name()),
        HandleDetail::Timer { due_in_ms, repeat_ms } => {
            entry.deadline_ms = due_in_ms.map(|ms| ms as f64);
            if repeat_ms != 0 {
                entry.what = format!("every {repeat_ms} ms");
            }
        }
        HandleDetail::Stream(stream) => {
            entry.kind = stream_kind(handle.kind, &stream).into();
            entry.what = stream_name(&stream);
            if stream.queued_bytes > 0 {
                entry.add(&format!("{} bytes to write", stream.queued_bytes));
            }
        }
        HandleDetail::Udp { local, peer, queued_bytes } => {
            entry.kind = "udp socket".into();
            entry.what = ends(local.as_ref(), peer.as_ref());
            if queued_bytes > 0 {
                entry.add(&format!("{queued_bytes} bytes to send"));
            }
        }
        HandleDetail::Process { pid } => {
            entry.kind = "child process".into();
            entry.what = pid.map(|pid| format!("pid {pid}")).unwrap_or_default();
        }
        HandleDetail::Signal { signum } => {
            entry.kind = "signal handle".into();
            entry.what = format!("signal {signum}");
        }
        HandleDetail::Watch { path, interval_ms } => {
            entry.kind = "file watcher".into();
            entry.what = path.as_deref().map(text).unwrap_or_default();
            if let Some(interval_ms) = interval_ms {
                entry.add(&format!("checked every {interval_ms} ms"));
            }
        }
        HandleDetail::Poll { interest } => {
            entry.kind = "poll handle".into();
            let waits = [(Readiness::READABLE, "reading"), (Readiness::WRITABLE, "writing")];
            let waits: Vec<&str> =
                waits.into_iter().filter(|(bit, _)| interest.intersects(*bit)).map(|(_, name)| name).collect();
            entry.what = handle.fd.map(|fd| format!("file descriptor {fd}")).unwrap_or_default();
            if !waits.is_empty() {
                entry.add(&format!("waits for {}", waits.join(" and ")));
            }
        }
    }
    entry
}

fn of_request(request: RequestDescription, handle: Option<HandleDescription>) -> WhyEntry {
    let mut entry = WhyEntry { has_ref: false, ..WhyEntry::new(request_kind(request.kind), "") };
    if let Some(task) = request.task {
        if request.kind == RequestKind::Fs {
            entry.what = task.operation.to_owned();
        }
        let mut paths = task.paths.iter().map(|path| text(path));
        if let Some(path) = paths.next() {
            entry.what = format!("{} {path}", entry.what);
        }
        if let Some(path) = paths.next() {
            entry.what = format!("{} → {path}", entry.what);
        }
        if let Some(fd) = task.fd {
            entry.add(&format!("file descriptor {fd}"));
        }
        entry.add(&task.host.unwrap_or_default());
    }
    let bytes = request.bytes.map(|bytes| format!("{bytes} bytes"));
    entry.add(&bytes.unwrap_or_default());
    if let Some(to) = &request.to {
        entry.add(&format!("to {}", address(to)));
    }
    if let Some(handle) = handle {
        entry.add(&of_handle(handle).what);
    }
    entry
}

fn request_kind(kind: RequestKind) -> &'static str {
    match kind {
        RequestKind::Connect => "connect request",
        RequestKind::Fs => "file request",
        RequestKind::Getaddrinfo => "dns lookup",
        RequestKind::Getnameinfo => "reverse dns lookup",
        RequestKind::Random => "random request",
        RequestKind::Shutdown => "shutdown request",
        RequestKind::UdpSend => "udp send request",
        RequestKind::Work => "work request",
        RequestKind::Write => "write request",
    }
}

fn stream_kind(kind: Kind, stream: &StreamDetail) -> &'static str {
    match (kind, stream.is_listening) {
        (Kind::Tcp, true) => "tcp server",
        (Kind::Tcp, false) => "tcp socket",
        (Kind::Tty, _) => "terminal",
        (_, true) => "unix socket server",
        (_, false) if stream.local.is_none() => "pipe",
        (_, false) => "unix socket",
    }
}

/// The addresses of a stream, or the name of its file.
fn stream_name(stream: &StreamDetail) -> String {
    match &stream.path {
        Some(path) => text(path),
        None => ends(stream.local.as_ref(), stream.peer.as_ref()),
    }
}

/// The ends of a connection that have an address.
fn ends(local: Option<&Address>, peer: Option<&Address>) -> String {
    let [local, peer] = [local, peer].map(|end| end.map(address).filter(|address| !address.is_empty()));
    match (local, peer) {
        (Some(local), Some(peer)) => format!("{local} → {peer}"),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => String::new(),
    }
}

/// An address for people: `127.0.0.1:80`, `[::1]:80`, a path, `@name` for an abstract name; empty for an unnamed Unix socket.
fn address(address: &Address) -> String {
    match address {
        Address::V4(v4) => v4.to_string(),
        Address::V6(v6) => v6.to_string(),
        Address::Unix(name) => match name.as_bytes() {
            [0, name @ ..] => format!("@{}", String::from_utf8_lossy(name)),
            name => String::from_utf8_lossy(name).into_owned(),
        },
    }
}

fn text(path: &CStr) -> String {
    path.to_string_lossy().into_owned()
}
