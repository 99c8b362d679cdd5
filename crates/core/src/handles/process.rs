//! Process handles: children from spawn to exit. `phasor_sys::spawn` creates a child.
//!
//! # Ground rules
//! - A child is watched through its pidfd, not through `SIGCHLD`: the program can use the signal, and the loop reaps
//!   only its own children.
//! - The poll phase only notes that a child has exited. After the rest of the batch and the signals, all exited
//!   children are reaped in the order of their spawns and then reported one by one (`src/unix/process.c:
//!   uv__wait_children`). So the output of a child is read before its exit is reported.
//! - A child whose handle is closed becomes an orphan: it is reaped when it exits, without an event. In libuv the child
//!   stays a zombie.

use std::collections::{HashMap, VecDeque};
use std::ffi::CString;
use std::os::fd::{AsRawFd, RawFd};

use phasor_sys::socket::{self, Transport};
use phasor_sys::spawn::{self, Child, Command, ExitStatus};
use phasor_sys::{Errno, Fd, Result};

use super::stream::Flags;
use super::{HandleBody, HandleId, Kind, Watch};
use crate::event::Event;
use crate::face::Face;
use crate::platform::{Readiness, orphan_token};
use crate::state::Loop;

/// The program of a child and its environment.
#[doc(alias = "uv_process_options_t")]
#[derive(Clone, Debug, Default)]
pub struct Spawn {
    /// The program: a path if it contains a slash, otherwise a name that is searched for in `PATH` (the child's `PATH`,
    /// if `env` is set).
    pub program: CString,
    /// The child's `argv`, including `argv[0]`.
    pub args: Vec<CString>,
    /// The child's environment as `KEY=value`; `None` inherits the parent's environment.
    pub env: Option<Vec<CString>>,
    /// The child's working directory; `None` inherits the parent's directory.
    pub cwd: Option<CString>,
    /// Entry `n` becomes the child's file descriptor `n`. 0, 1 and 2 are [`Stdio::Ignore`] if the list is shorter.
    pub stdio: Vec<Stdio>,
    /// The user id. Supplementary groups are dropped if this or `gid` is set.
    pub uid: Option<u32>,
    /// The group id.
    pub gid: Option<u32>,
    /// Makes the child the leader of a new session (`setsid`), so the child survives its parent's terminal.
    #[doc(alias = "UV_PROCESS_DETACHED")]
    pub detached: bool,
    /// Runs the functions that the process has registered with `pthread_atfork`, in the parent and in the child. This
    /// is slower, because the child is created by `fork`. The functions may use the loop only if the child is spawned
    /// in steps, by [`Loop::process_prepare`].
    #[doc(alias = "pthread_atfork")]
    pub fork_handlers: bool,
}

/// A spawn whose child does not exist yet, made by [`Loop::process_prepare`].
#[derive(Debug)]
pub struct PreparedSpawn {
    id: HandleId,
    command: Command,
    ends: StdioEnds,
}

/// The outcome of starting a child, for [`Loop::process_adopt`].
#[derive(Debug)]
#[must_use = "the child is not watched until the loop adopts it"]
pub struct StartedSpawn {
    id: HandleId,
    child: Result<Child>,
    ends: StdioEnds,
}

impl PreparedSpawn {
    /// Creates the child. The loop is not borrowed meanwhile, so functions registered with `pthread_atfork` may use it.
    /// In the child, these functions call [`Loop::after_fork`] first.
    pub fn start(mut self) -> StartedSpawn {
        let child = spawn::spawn(&self.command);
        self.ends.theirs.clear();
        StartedSpawn { id: self.id, child, ends: self.ends }
    }
}

/// One file descriptor of a child.
#[doc(alias = "uv_stdio_container_t")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stdio {
    /// `/dev/null` for the descriptors 0, 1 and 2; other descriptors are closed.
    #[doc(alias = "UV_IGNORE")]
    #[default]
    Ignore,
    /// A copy of the given file descriptor.
    #[doc(alias = "UV_INHERIT_FD")]
    Inherit(RawFd),
    /// A copy of the file descriptor of the given handle.
    #[doc(alias = "UV_INHERIT_STREAM")]
    Stream(HandleId),
    /// One end of a new socket pair, whose other end goes to a pipe handle. The directions are those of the child's
    /// end.
    #[doc(alias = "UV_CREATE_PIPE")]
    Pipe {
        /// A pipe handle of this loop without a file descriptor.
        handle: HandleId,
        /// The child reads from its end, so the handle is writable.
        #[doc(alias = "UV_READABLE_PIPE")]
        readable: bool,
        /// The child writes to its end, so the handle is readable.
        #[doc(alias = "UV_WRITABLE_PIPE")]
        writable: bool,
    },
}

/// The file descriptors for a child, while it is spawned.
#[derive(Debug, Default)]
struct StdioEnds {
    /// Entry `n` becomes the child's file descriptor `n`.
    stdio: Vec<Option<RawFd>>,
    /// The child's ends of new pairs, which the parent closes after the spawn.
    theirs: Vec<Fd>,
    /// The parent's ends of new pairs, and their handles.
    ours: Vec<(HandleId, Flags, Fd)>,
}

/// The state of a process handle.
pub(crate) struct Process {
    pub(crate) watch: Watch,
    /// The child, until it is reaped.
    child: Option<Child>,
    /// The child's process id, even after its exit; 0 before the spawn.
    pid: i32,
    /// The position of the spawn among all spawns of the loop.
    spawned: u64,
}

/// Per-loop state of the process handles.
#[derive(Default)]
pub(crate) struct Processes {
    /// The number of spawns.
    spawns: u64,
    /// Children that were reaped and whose exit was not reported yet.
    reaped: VecDeque<(HandleId, ExitStatus)>,
    /// Running children whose handles are closed, by pidfd.
    orphans: HashMap<RawFd, Child>,
}

impl<F: Face> Loop<F> {
    /// Opens a process handle without a child.
    pub fn process_open(&mut self, face: F::Handle) -> HandleId {
        let process = Process { watch: Watch::new(-1), child: None, pid: 0, spawned: 0 };
        self.open(HandleBody::Process(Box::new(process)), face)
    }

    /// Spawns the child of a handle and returns its process id. The handle is active until [`Event::Exit`].
    ///
    /// After an error there is no child, and the handle may be used again or closed. `EALREADY` if the handle has or
    /// had a child, `EINVAL` if a handle or file descriptor in `stdio` is unusable, `EBUSY` if a pipe handle has a file
    /// descriptor. If the program could not be executed, the pipe handles nevertheless have their ends, and read end of
    /// file at once. Node relies on that.
    #[doc(alias = "uv_spawn")]
    pub fn process_spawn(&mut self, id: HandleId, spawn: Spawn) -> Result<i32> {
        let prepared = self.process_prepare(id, spawn)?;
        self.process_adopt(prepared.start())
    }

    /// The first step of [`process_spawn`](Self::process_spawn), to be followed by [`PreparedSpawn::start`] and
    /// [`process_adopt`](Self::process_adopt).
    pub fn process_prepare(&mut self, id: HandleId, spawn: Spawn) -> Result<PreparedSpawn> {
        let HandleBody::Process(process) = &self.handles.open_mut(id)?.body else { return Err(Errno::EBADF) };
        if process.pid != 0 {
            return Err(Errno::EALREADY);
        }
        let mut ends = self.process_ends(&spawn.stdio)?;
        let stdio = std::mem::take(&mut ends.stdio);
        let Spawn { program, args, env, cwd, uid, gid, detached, fork_handlers, .. } = spawn;
        let command = Command { program, args, env, cwd, stdio, uid, gid, detached, fork_handlers };
        Ok(PreparedSpawn { id, command, ends })
    }

    /// The last step of a spawn: gives the child and the ends of pipes to their handles. Returns the process id, or the
    /// error of the start.
    ///
    /// If a function of `pthread_atfork` has closed the handle, the child is reaped when it exits, without an event.
    pub fn process_adopt(&mut self, started: StartedSpawn) -> Result<i32> {
        let StartedSpawn { id, child, ends } = started;
        for (pipe, flags, end) in ends.ours {
            // The call fails only if a function of `pthread_atfork` has used the handle: `process_ends` has checked
            // that the handle has no file descriptor.
            let _ = self.stream_attach_fd(pipe, end, Transport::Socket, flags);
        }
        let child = child?;
        let (pid, spawned) = (child.pid, self.processes.spawns);
        let Ok(HandleBody::Process(process)) = self.handles.open_mut(id).map(|handle| &mut handle.body) else {
            self.watch_orphan(child);
            return Ok(pid);
        };
        self.processes.spawns += 1;
        process.watch = Watch::new(child.pidfd.as_raw_fd());
        process.child = Some(child);
        process.pid = pid;
        process.spawned = spawned;
        self.add_interest(id, Readiness::READABLE);
        self.activate(id);
        Ok(pid)
    }

    /// Resolves the child's file descriptors and creates the socket pairs.
    fn process_ends(&mut self, stdio: &[Stdio]) -> Result<StdioEnds> {
        let mut ends = StdioEnds::default();
        for item in stdio {
            let number = match *item {
                Stdio::Ignore => None,
                Stdio::Inherit(fd) if fd < 0 => return Err(Errno::EINVAL),
                Stdio::Inherit(fd) => Some(fd),
                Stdio::Stream(stream) => Some(self.fileno(stream).map_err(|_| Errno::EINVAL)?),
                Stdio::Pipe { handle, readable, writable } => {
                    if self.kind(handle) != Some(Kind::Pipe) || self.is_closing(handle) {
                        return Err(Errno::EINVAL);
                    }
                    if self.fileno(handle).is_ok() || ends.ours.iter().any(|&(other, ..)| other == handle) {
                        return Err(Errno::EBUSY);
                    }
                    let (our, their) = socket::stream_pair([true, false])?;
                    for end in [&our, &their] {
                        enlarge_buffers(end);
                    }
                    let mut flags = Flags::NONE;
                    flags.set(Flags::READABLE, writable);
                    flags.set(Flags::WRITABLE, readable);
                    ends.ours.push((handle, flags, our));
                    let number = their.as_raw_fd();
                    ends.theirs.push(their);
                    Some(number)
                }
            };
            ends.stdio.push(number);
        }
        Ok(ends)
    }

    /// Sends a signal to the child; signal 0 only checks that the child exists. `ESRCH` if it has exited or was never
    /// spawned.
    ///
    /// Unlike [`kill`](crate::kill), this function cannot signal another process that has reused the process id.
    #[doc(alias = "uv_process_kill")]
    pub fn process_kill(&self, id: HandleId, signum: i32) -> Result<()> {
        let HandleBody::Process(process) = &self.handles.get(id)?.body else { return Err(Errno::EBADF) };
        let child = process.child.as_ref().ok_or(Errno::ESRCH)?;
        spawn::kill_child(&child.pidfd, signum)
    }

    /// The child's process id, even after its exit; 0 before the spawn.
    #[doc(alias = "uv_process_get_pid")]
    pub fn process_pid(&self, id: HandleId) -> Result<i32> {
        match &self.handles.get(id)?.body {
            HandleBody::Process(process) => Ok(process.pid),
            _ => Err(Errno::EBADF),
        }
    }

    /// Makes the child of a closing handle an orphan.
    pub(crate) fn process_detach(&mut self, id: HandleId) {
        self.unwatch(id);
        let Ok(handle) = self.handles.get_mut(id) else { return };
        let HandleBody::Process(process) = &mut handle.body else { return };
        process.watch = Watch::new(-1);
        if let Some(child) = process.child.take() {
            self.watch_orphan(child);
        }
    }

    /// Watches a child without a handle until it can be reaped.
    fn watch_orphan(&mut self, child: Child) {
        let raw = child.pidfd.as_raw_fd();
        if self.platform.watch(raw, orphan_token(raw), Readiness::READABLE).is_ok() {
            self.processes.orphans.insert(raw, child);
        }
    }

    /// Called in a child of `fork`: the children of the parent do not belong to this process, and orphans are not
    /// needed.
    pub(crate) fn processes_renew(&mut self) {
        self.processes.orphans.clear();
        self.processes.reaped.clear();
    }

    /// Reaps an orphan that has exited.
    pub(crate) fn reap_orphan(&mut self, raw: RawFd) {
        let ended =
            self.processes.orphans.get(&raw).is_some_and(|child| !matches!(spawn::wait(&child.pidfd), Ok(None)));
        if ended {
            self.platform.unwatch(raw);
            self.processes.orphans.remove(&raw);
        }
    }

    /// Reaps all exited children before the first of them is reported: during the first callback, the other children
    /// are already reaped.
    pub(crate) fn reap(&mut self, mut ended: Vec<HandleId>) {
        ended.sort_by_key(|&id| match self.handles.get(id).map(|handle| &handle.body) {
            Ok(HandleBody::Process(process)) => process.spawned,
            _ => u64::MAX,
        });
        for id in ended {
            let Ok(HandleBody::Process(process)) = self.handles.get_mut(id).map(|handle| &mut handle.body) else {
                continue;
            };
            let Some(child) = &process.child else { continue };
            let status = match spawn::wait(&child.pidfd) {
                Ok(None) => continue,
                Ok(Some(status)) => status,
                // Other code has reaped the child. libuv keeps the handle active forever; here a negative exit code
                // stands for an error.
                Err(errno) => ExitStatus { code: -i64::from(errno.raw()), signal: 0 },
            };
            self.processes.reaped.push_back((id, status));
            self.unwatch(id);
            if let Ok(HandleBody::Process(process)) = self.handles.get_mut(id).map(|handle| &mut handle.body) {
                process.watch = Watch::new(-1);
                process.child = None;
            }
        }
    }

    /// Returns the exit of the next reaped child. Its handle becomes inactive.
    pub(crate) fn next_exit(&mut self) -> Option<Event<F>> {
        while let Some((id, status)) = self.processes.reaped.pop_front() {
            if !self.is_closing(id) {
                self.deactivate(id);
                return Some(Event::Exit(id, status));
            }
        }
        None
    }
}

/// Enlarges small buffers of a pipe, which cause many wake-ups for bulk output (`src/unix/process.c:
/// uv__process_stdio_bufsize` of libuv 1.53). Larger buffers are not changed.
fn enlarge_buffers(end: &Fd) {
    const SIZE_BYTES: u32 = 64 * 1024;
    if socket::recv_buffer_size(end).is_ok_and(|size| size < SIZE_BYTES as usize) {
        let _ = socket::set_recv_buffer_size(end, SIZE_BYTES);
    }
    if socket::send_buffer_size(end).is_ok_and(|size| size < SIZE_BYTES as usize) {
        let _ = socket::set_send_buffer_size(end, SIZE_BYTES);
    }
}
