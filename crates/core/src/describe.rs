//! Readable descriptions of handles and requests: addresses, paths, due times, and what the tasks of the pool do.
//!
//! A description is made on demand, from the state of the loop and of the kernel. Tasks of the pool are an exception,
//! because the loop does not own them while they run. Their details are stored only after a call of
//! [`Loop::keep_task_details`].

use std::collections::HashMap;
use std::ffi::CString;
use std::net::SocketAddr;
use std::os::fd::{AsRawFd, RawFd};

use phasor_sys::socket::{self, Address};
use phasor_sys::{Fd, file};

use crate::face::{Buffers, Face};
use crate::handles::{HandleBody, HandleId, Kind, TimerState, Udp};
use crate::platform::Readiness;
use crate::requests::{RequestBody, RequestId, RequestKind};
use crate::state::Loop;

/// The description of a handle.
#[derive(Clone, Debug)]
pub struct HandleDescription {
    /// The kind of the handle.
    pub kind: Kind,
    /// Whether the handle is active: it can cause events.
    pub active: bool,
    /// Whether the handle keeps the loop alive while it is active.
    pub has_ref: bool,
    /// Whether the handle is being closed.
    pub closing: bool,
    /// The file descriptor of the handle.
    pub fd: Option<RawFd>,
    /// The part of the description that depends on the kind.
    pub detail: HandleDetail,
}

/// The part of a handle's description that depends on its kind.
#[derive(Clone, Debug)]
pub enum HandleDetail {
    /// An async, check, idle or prepare handle, which has no details.
    None,
    /// A timer.
    Timer {
        /// The time until the timer is due; `None` if it is stopped.
        due_in_ms: Option<u64>,
        /// The repeat interval; 0 for none.
        repeat_ms: u64,
    },
    /// A tcp, pipe or tty handle.
    Stream(StreamDetail),
    /// A UDP socket.
    Udp {
        /// The local address of the socket.
        local: Option<Address>,
        /// The address of the peer, if the socket is connected.
        peer: Option<Address>,
        /// The bytes of sends whose outcome was not reported.
        queued_bytes: usize,
    },
    /// A child process.
    Process {
        /// The process id; `None` before the spawn.
        pid: Option<i32>,
    },
    /// A signal handle.
    Signal {
        /// The signal; 0 if it is stopped.
        signum: i32,
    },
    /// A watched file or directory.
    Watch {
        /// The path; `None` if the handle is stopped.
        path: Option<CString>,
        /// The interval of the checks; `None` if the kernel reports changes.
        interval_ms: Option<u64>,
    },
    /// A poll handle.
    Poll {
        /// The kinds of readiness that the handle waits for.
        interest: Readiness,
    },
}

/// The description of a tcp, pipe or tty handle.
#[derive(Clone, Debug, Default)]
pub struct StreamDetail {
    /// Whether the stream accepts connections.
    pub is_listening: bool,
    /// Whether the stream is connecting.
    pub is_connecting: bool,
    /// Whether the stream is being read.
    pub is_reading: bool,
    /// The local address of the stream.
    pub local: Option<Address>,
    /// The address of the peer.
    pub peer: Option<Address>,
    /// For a descriptor that is not a socket, the name that the kernel gives the file: `/dev/pts/0`, `pipe:[123]`.
    pub path: Option<CString>,
    /// The number of bytes that are queued and not written.
    pub queued_bytes: usize,
}

/// The description of a request.
#[derive(Clone, Debug)]
pub struct RequestDescription {
    /// The kind of the request.
    pub kind: RequestKind,
    /// The handle that the request belongs to; `None` for tasks of the pool.
    pub handle: Option<HandleId>,
    /// The number of bytes of a write or send.
    pub bytes: Option<usize>,
    /// The destination of a datagram.
    pub to: Option<Address>,
    /// The work of a task of the pool; see [`Loop::keep_task_details`].
    pub task: Option<TaskDetail>,
}

/// The work of a task of the pool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskDetail {
    /// The name of the operation: `open`, `getaddrinfo`.
    pub operation: &'static str,
    /// The paths of the operation; two for operations such as `rename`.
    pub paths: Vec<CString>,
    /// The file descriptor of the operation.
    pub fd: Option<RawFd>,
    /// The host or the address that is resolved.
    pub host: Option<String>,
}

impl TaskDetail {
    /// Makes the details of a task of which only the operation is known.
    pub(crate) fn of(operation: &'static str) -> TaskDetail {
        TaskDetail { operation, ..TaskDetail::default() }
    }

    pub(crate) fn of_address(operation: &'static str, address: &SocketAddr) -> TaskDetail {
        TaskDetail { host: Some(address.to_string()), ..TaskDetail::of(operation) }
    }
}

/// The details of the tasks that are in the pool.
pub(crate) type TaskDetails = HashMap<RequestId, TaskDetail>;

impl<F: Face> Loop<F> {
    /// Sets whether the loop stores the details of the tasks of the pool while they run: the paths of file operations,
    /// the names to resolve. Only tasks that are submitted from now on have details.
    pub fn keep_task_details(&mut self, keeps: bool) {
        self.task_details = keeps.then(Box::default);
    }

    /// Describes a handle; `None` for a stale id. Asks the kernel for addresses.
    pub fn describe(&self, id: HandleId) -> Option<HandleDescription> {
        let handle = self.handles.get(id).ok()?;
        let (kind, watch) = (handle.body.kind(), handle.body.watch());
        let fd = watch.map(|watch| watch.fd).filter(|fd| *fd >= 0 && kind != Kind::Process);
        let detail = match &handle.body {
            HandleBody::Async { .. } | HandleBody::Check(_) | HandleBody::Idle(_) | HandleBody::Prepare(_) => {
                HandleDetail::None
            }
            HandleBody::FsEvent(_) => {
                HandleDetail::Watch { path: self.fs_event_path(id).ok().map(Into::into), interval_ms: None }
            }
            HandleBody::FsPoll(_) => HandleDetail::Watch {
                path: self.fs_poll_path(id).ok().map(Into::into),
                interval_ms: self.fs_poll_interval_ms(id).ok(),
            },
            HandleBody::Poll(poll) => HandleDetail::Poll { interest: poll.watch.interest },
            HandleBody::Process(_) => HandleDetail::Process { pid: self.process_pid(id).ok().filter(|pid| *pid != 0) },
            HandleBody::Signal(signal) => HandleDetail::Signal { signum: signal.signum() },
            HandleBody::Stream(stream) => HandleDetail::Stream(stream.describe()),
            HandleBody::Timer(timer) => HandleDetail::Timer {
                due_in_ms: matches!(timer.state, TimerState::Armed | TimerState::Ready)
                    .then(|| timer.due.at_ms.saturating_sub(self.now_ms)),
                repeat_ms: timer.repeat_ms,
            },
            HandleBody::Udp(udp) => {
                let (local, peer) = udp.fd().map_or((None, None), addresses);
                HandleDetail::Udp { local, peer, queued_bytes: self.udp_send_queue_size(id) }
            }
        };
        Some(HandleDescription {
            kind,
            active: handle.active(),
            has_ref: handle.has_ref,
            closing: handle.closing,
            fd,
            detail,
        })
    }

    /// Describes a request; `None` for a stale id.
    pub fn describe_request(&self, id: RequestId) -> Option<RequestDescription> {
        let request = self.requests.get(id.0)?;
        let mut description =
            RequestDescription { kind: request.body.kind(), handle: None, bytes: None, to: None, task: None };
        match &request.body {
            RequestBody::Connect(handle) | RequestBody::Shutdown(handle) => description.handle = Some(*handle),
            RequestBody::Send { to, bytes, .. } => {
                (description.to, description.bytes) = (to.clone(), Some(bytes.len()));
                description.handle = self.handle_of_send(id);
            }
            RequestBody::Task { .. } => {
                description.task = self.task_details.as_ref().and_then(|details| details.get(&id).cloned());
            }
            RequestBody::Write(write) => {
                (description.handle, description.bytes) = (Some(write.stream), Some(write.len_bytes()));
            }
        }
        Some(description)
    }

    /// The UDP handle whose queues contain a send. The queues are searched, because a send does not store its handle.
    fn handle_of_send(&self, send: RequestId) -> Option<HandleId> {
        let is_of = |udp: &Udp| {
            udp.queues().iter().any(|queue| {
                let mut at = queue.first();
                while let Some((key, request)) = self.requests.at(at) {
                    if key == send.0 {
                        return true;
                    }
                    at = request.next;
                }
                false
            })
        };
        self.handles.slab.iter().find_map(|(key, handle)| match &handle.body {
            HandleBody::Udp(udp) if is_of(udp) => Some(HandleId(key)),
            _ => None,
        })
    }

    /// The front end's data of a request.
    pub fn request_face(&self, id: RequestId) -> Option<&F::Request> {
        self.requests.get(id.0).map(|request| &request.face)
    }
}

/// The addresses of a socket.
pub(crate) fn addresses(fd: &Fd) -> (Option<Address>, Option<Address>) {
    (socket::local_address(fd).ok(), socket::peer_address(fd).ok())
}

/// The name that the kernel gives the file of a descriptor.
pub(crate) fn path_of(fd: &Fd) -> Option<CString> {
    let link = CString::new(format!("/proc/self/fd/{}", fd.as_raw_fd())).ok()?;
    file::readlink(&link).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phase::RunMode;
    use crate::requests::{FsOp, fs_path};

    struct Plain;

    impl Face for Plain {
        type Handle = ();
        type Request = ();
        type Bytes = Vec<u8>;
    }

    fn stream(core: &Loop<Plain>, id: HandleId) -> StreamDetail {
        match core.describe(id).unwrap().detail {
            HandleDetail::Stream(stream) => stream,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn handles_have_addresses_paths_and_due_times() {
        let mut core = Loop::<Plain>::new().unwrap();
        let timer = core.timer_open(());
        assert!(matches!(core.describe(timer).unwrap().detail, HandleDetail::Timer { due_in_ms: None, .. }));
        core.timer_start(timer, 5000, 20).unwrap();
        let described = core.describe(timer).unwrap();
        assert!(described.active && described.has_ref && described.fd.is_none());
        assert!(matches!(described.detail, HandleDetail::Timer { due_in_ms: Some(5000), repeat_ms: 20 }));

        let server = core.tcp_open(());
        core.tcp_bind(server, "127.0.0.1:0".parse().unwrap(), Default::default()).unwrap();
        core.stream_listen(server, 1).unwrap();
        let address = core.tcp_local_address(server).unwrap();
        let listening = stream(&core, server);
        assert_eq!(listening.local.and_then(|local| local.inet()), Some(address));
        assert!(listening.is_listening && listening.peer.is_none());

        let client = core.tcp_open(());
        let request = core.tcp_connect(client, address, ()).map_err(|refused| refused.errno).unwrap();
        assert!(stream(&core, client).is_connecting);
        assert_eq!(core.describe_request(request).unwrap().handle, Some(client));
        while core.describe_request(request).is_some() {
            core.next(RunMode::Default);
        }
        assert_eq!(stream(&core, client).peer.and_then(|peer| peer.inet()), Some(address));

        let watch = core.fs_event_open(());
        core.fs_event_start(watch, &fs_path(std::env::temp_dir()).unwrap()).unwrap();
        let HandleDetail::Watch { path, .. } = core.describe(watch).unwrap().detail else { panic!() };
        assert_eq!(path, fs_path(std::env::temp_dir()).ok());
        core.close(watch).unwrap();
        assert!(core.describe(watch).unwrap().closing);
    }

    #[test]
    fn details_of_tasks_are_kept_while_they_run_if_wanted() {
        let mut core = Loop::<Plain>::new().unwrap();
        let rename = || FsOp::Rename { old: fs_path("/no/a").unwrap(), new: fs_path("/no/b").unwrap() };
        let unkept = core.fs(rename(), ());
        assert_eq!(core.describe_request(unkept).unwrap().task, None);
        core.keep_task_details(true);
        let kept = core.fs(rename(), ());
        let task = core.describe_request(kept).unwrap().task.unwrap();
        assert_eq!((task.operation, task.paths.len()), ("rename", 2));
        while core.next(RunMode::Default).is_some() {}
        assert!(core.describe_request(kept).is_none());
        assert!(core.task_details.unwrap().is_empty());
    }

    #[test]
    fn all_observers_are_told_and_can_be_removed() {
        use std::cell::Cell;
        use std::rc::Rc;

        struct Counts(Rc<Cell<u32>>);

        impl crate::Observer for Counts {
            fn handle_opened(&mut self, _handle: HandleId, _kind: Kind) {
                self.0.set(self.0.get() + 1);
            }
        }

        let mut core = Loop::<Plain>::on(crate::Sim::new());
        let counts: [Rc<Cell<u32>>; 2] = Default::default();
        let added = core.add_observer(Box::new(Counts(counts[0].clone())));
        core.observe(Some(Box::new(Counts(counts[1].clone()))));
        core.timer_open(());
        assert!(core.observe(None).is_some());
        core.timer_open(());
        assert!(core.remove_observer(added).is_some() && core.remove_observer(added).is_none());
        core.timer_open(());
        assert_eq!(counts.map(|count| count.get()), [2, 1]);
    }
}
