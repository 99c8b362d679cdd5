//! Process handles: children, from their start to their end. How a child is made is in `phasor_sys::spawn`.
//!
//! # Ground rules
//! - A child is watched through its pidfd, not through `SIGCHLD`: the signal stays the program's, and no child of
//!   somebody else is ever waited for.
//! - The poll phase only notes that a child ended. When the rest of the batch and its signals are through, all that
//!   ended are reaped, in the order of their spawns, and then reported one by one. As `uv__wait_children`; so what a
//!   child wrote before its end is read before its end is told.
//! - A child whose handle is closed becomes an orphan: it is reaped when it ends and nobody is told. In libuv it stays a
//!   zombie.

use std::collections::{HashMap, VecDeque};
use std::ffi::CString;
use std::os::fd::{AsRawFd, RawFd};

use phasor_sys::socket::{self, Transport};
use phasor_sys::spawn::{self, Child, Command, ExitStatus};
use phasor_sys::{Errno, Fd, Result};

use super::stream::Flags;
use super::{Body, HandleId, Kind, Watch};
use crate::event::Event;
use crate::face::Face;
use crate::platform::{Readiness, orphan_token};
use crate::state::Loop;

/// What to start, and in which surroundings.
#[doc(alias = "uv_process_options_t")]
#[derive(Clone, Debug, Default)]
pub struct Spawn {
    /// A path if it has a slash, else a name looked for along `PATH` (the child's, if `env` is given).
    pub program: CString,
    /// The child's `argv`, the name it is called by included.
    pub args: Vec<CString>,
    /// The child's whole environment as `KEY=value`; `None` is the parent's.
    pub env: Option<Vec<CString>>,
    /// The child's working directory; `None` is the parent's.
    pub cwd: Option<CString>,
    /// At index n what becomes the child's descriptor n. 0, 1 and 2 are ignored if the list ends before.
    pub stdio: Vec<Stdio>,
    /// The user to become. Extra groups are dropped whenever this or `gid` is set.
    pub uid: Option<u32>,
    /// The group to become.
    pub gid: Option<u32>,
    /// Whether the child leads a new session, and so survives its parent's terminal.
    #[doc(alias = "UV_PROCESS_DETACHED")]
    pub detached: bool,
}

/// What one of a child's descriptors is.
#[doc(alias = "uv_stdio_container_t")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stdio {
    /// `/dev/null` for 0, 1 and 2; others are not there.
    #[doc(alias = "UV_IGNORE")]
    #[default]
    Ignore,
    /// A copy of this descriptor.
    #[doc(alias = "UV_INHERIT_FD")]
    Inherit(RawFd),
    /// A copy of this handle's descriptor.
    #[doc(alias = "UV_INHERIT_STREAM")]
    Stream(HandleId),
    /// One end of a new pair of sockets, whose other end goes into a pipe handle. The directions are the child's.
    #[doc(alias = "UV_CREATE_PIPE")]
    Pipe {
        /// A pipe handle of this loop that has no descriptor yet.
        handle: HandleId,
        /// Whether the child reads from it, so that the handle is written to.
        #[doc(alias = "UV_READABLE_PIPE")]
        readable: bool,
        /// Whether the child writes to it, so that the handle is read from.
        #[doc(alias = "UV_WRITABLE_PIPE")]
        writable: bool,
    },
}

/// The descriptors that a child gets, while it is made.
#[derive(Default)]
struct StdioEnds {
    /// What becomes the child's number n.
    stdio: Vec<Option<RawFd>>,
    /// The child's ends of new pairs: closed here once it has them.
    theirs: Vec<Fd>,
    /// Our ends, and the handles they go into.
    ours: Vec<(HandleId, Flags, Fd)>,
}

/// A process handle's own state.
pub(crate) struct Process {
    pub(crate) watch: Watch,
    /// The child, until it is reaped.
    child: Option<Child>,
    /// The child's number, also after its end; 0 before its start.
    pid: i32,
    /// Which of the loop's spawns it was.
    spawned: u64,
}

/// What the loop keeps for all its children.
#[derive(Default)]
pub(crate) struct Processes {
    /// How many spawns there were.
    spawns: u64,
    /// Children that were reaped and have not been reported.
    reaped: VecDeque<(HandleId, ExitStatus)>,
    /// Running children whose handles are closed, by their descriptors.
    orphans: HashMap<RawFd, Child>,
}

impl<F: Face> Loop<F> {
    /// Opens a process handle, which has no child yet.
    pub fn process_open(&mut self, face: F::Handle) -> HandleId {
        let process = Process { watch: Watch::new(-1), child: None, pid: 0, spawned: 0 };
        self.open(Body::Process(Box::new(process)), face)
    }

    /// Starts a handle's child and returns its number. The handle is active until [`Event::Exit`].
    ///
    /// After an error there is no child, and the handle may be tried again or closed. `EALREADY` if it has or had one,
    /// `EINVAL` if a handle or descriptor of `stdio` is not usable, `EBUSY` if a pipe handle has a descriptor. When it
    /// was the program that could not be started, the pipe handles have got their ends all the same, as Node expects of
    /// libuv, and read their end at once.
    #[doc(alias = "uv_spawn")]
    pub fn process_spawn(&mut self, id: HandleId, spawn: Spawn) -> Result<i32> {
        let Body::Process(process) = &self.handles.open_mut(id)?.body else { return Err(Errno::EBADF) };
        if process.pid != 0 {
            return Err(Errno::EALREADY);
        }
        let StdioEnds { stdio, theirs, ours } = self.process_ends(&spawn.stdio)?;
        let Spawn { program, args, env, cwd, uid, gid, detached, .. } = spawn;
        let made = spawn::spawn(&Command { program, args, env, cwd, stdio, uid, gid, detached });
        drop(theirs);
        for (pipe, flags, end) in ours {
            // Cannot be refused: that it has none was looked at just now.
            let _ = self.stream_attach_fd(pipe, end, Transport::Socket, flags);
        }
        let child = made?;
        let (pid, spawned) = (child.pid, self.processes.spawns);
        self.processes.spawns += 1;
        if let Body::Process(process) = &mut self.handles.get_mut(id)?.body {
            process.watch = Watch::new(child.pidfd.as_raw_fd());
            process.child = Some(child);
            process.pid = pid;
            process.spawned = spawned;
        }
        self.add_interest(id, Readiness::READABLE);
        self.activate(id);
        Ok(pid)
    }

    /// Works out a child's descriptors and makes the pairs.
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

    /// Sends a signal to the child; 0 only asks whether it is there. `ESRCH` if it has ended or was never started.
    ///
    /// Unlike [`kill`](crate::kill) this can never hit another process that was given the same number.
    #[doc(alias = "uv_process_kill")]
    pub fn process_kill(&self, id: HandleId, signum: i32) -> Result<()> {
        let Body::Process(process) = &self.handles.get(id)?.body else { return Err(Errno::EBADF) };
        let child = process.child.as_ref().ok_or(Errno::ESRCH)?;
        spawn::kill_child(&child.pidfd, signum)
    }

    /// The child's number, also after its end; 0 before its start.
    #[doc(alias = "uv_process_get_pid")]
    pub fn process_pid(&self, id: HandleId) -> Result<i32> {
        match &self.handles.get(id)?.body {
            Body::Process(process) => Ok(process.pid),
            _ => Err(Errno::EBADF),
        }
    }

    /// Lets go of a child whose handle closes.
    pub(crate) fn process_detach(&mut self, id: HandleId) {
        self.unwatch(id);
        let Ok(handle) = self.handles.get_mut(id) else { return };
        let Body::Process(process) = &mut handle.body else { return };
        process.watch = Watch::new(-1);
        if let Some(child) = process.child.take() {
            let raw = child.pidfd.as_raw_fd();
            if self.platform.watch(raw, orphan_token(raw), Readiness::READABLE).is_ok() {
                self.processes.orphans.insert(raw, child);
            }
        }
    }

    /// In a child of `fork`: the parent's children are not its own, and those without a handle are of no interest.
    pub(crate) fn processes_renew(&mut self) {
        self.processes.orphans.clear();
        self.processes.reaped.clear();
    }

    /// Reaps an orphan that has ended.
    pub(crate) fn reap_orphan(&mut self, raw: RawFd) {
        let ended =
            self.processes.orphans.get(&raw).is_some_and(|child| !matches!(spawn::wait(&child.pidfd), Ok(None)));
        if ended {
            self.platform.unwatch(raw);
            self.processes.orphans.remove(&raw);
        }
    }

    /// Reaps children that were seen to have ended, all before the first of them is reported: a call for one of them
    /// finds the others gone as well.
    pub(crate) fn reap(&mut self, mut ended: Vec<HandleId>) {
        ended.sort_by_key(|&id| match self.handles.get(id).map(|handle| &handle.body) {
            Ok(Body::Process(process)) => process.spawned,
            _ => u64::MAX,
        });
        for id in ended {
            let Ok(Body::Process(process)) = self.handles.get_mut(id).map(|handle| &mut handle.body) else { continue };
            let Some(child) = &process.child else { continue };
            let status = match spawn::wait(&child.pidfd) {
                Ok(None) => continue,
                Ok(Some(status)) => status,
                // Somebody else took it. libuv would keep the handle active for ever; a code below zero is how Node
                // tells an error from an exit.
                Err(errno) => ExitStatus { code: -i64::from(errno.raw()), signal: 0 },
            };
            self.processes.reaped.push_back((id, status));
            self.unwatch(id);
            if let Ok(Body::Process(process)) = self.handles.get_mut(id).map(|handle| &mut handle.body) {
                process.watch = Watch::new(-1);
                process.child = None;
            }
        }
    }

    /// The next child that was reaped. Its handle is inactive from then on.
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

/// As `uv__process_stdio_bufsize`: a small buffer means many wake-ups for bulk output. A larger one is left as it is.
fn enlarge_buffers(end: &Fd) {
    const SIZE_BYTES: u32 = 64 * 1024;
    if socket::recv_buffer_size(end).is_ok_and(|size| size < SIZE_BYTES as usize) {
        let _ = socket::set_recv_buffer_size(end, SIZE_BYTES);
    }
    if socket::send_buffer_size(end).is_ok_and(|size| size < SIZE_BYTES as usize) {
        let _ = socket::set_send_buffer_size(end, SIZE_BYTES);
    }
}
