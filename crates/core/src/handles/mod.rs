//! Handles: long-lived objects that cause events. This file has the parts that all kinds share; each kind has a file of
//! its own.
//!
//! # Ground rules
//! - A handle is *active* while it can cause events. Active handles with a reference keep the loop alive.
//!   [`Handle::set_active`] is the only function that changes whether a handle is active, and it updates the count.
//! - Closing stops a handle at once and releases its system resources. Its slot is freed in the closing phase, when
//!   [`Event::Closed`](crate::Event::Closed) is returned.
//! - Every public operation takes a [`HandleId`]. It returns `EBADF` for a stale id or another kind, and `EINVAL` for a
//!   closing handle.

mod asyncs;
mod descriptor;
mod fs_event;
mod fs_poll;
mod pipe;
mod poll;
mod process;
mod signal;
mod stream;
mod tcp;
mod timer;
mod tty;
mod udp;
mod watch;
mod watcher;

use phasor_sys::{Errno, Result};

pub(crate) use self::asyncs::Asyncs;
pub use self::fs_event::FsChange;
pub(crate) use self::fs_event::{FsEvent, FsEvents};
pub use self::fs_poll::FsPollChange;
pub(crate) use self::fs_poll::{FsPoll, FsPolls};
use self::poll::Poll;
pub use self::process::{PreparedSpawn, Spawn, StartedSpawn, Stdio};
pub(crate) use self::process::{Process, Processes};
pub(crate) use self::signal::{Signal, Signals};
pub(crate) use self::stream::{AcceptBackoff, Stream, StreamIo, Write};
pub use self::tcp::TcpBind;
pub(crate) use self::timer::{Timer, TimerState, Timers};
pub use self::udp::Received;
pub(crate) use self::udp::{Udp, UdpIo};
pub(crate) use self::watch::{Watch, Watched};
pub(crate) use self::watcher::Watchers;
use crate::face::Face;
use crate::list::{Chain, Links, List, Side};
use crate::slab::{Key, Slab};
use crate::state::Loop;

/// The id of a handle of one loop. After the handle is closed the id is refused everywhere, even when its slot is
/// reused.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HandleId(pub(crate) Key);

impl HandleId {
    /// The id as an integer, for C structs and the like.
    pub fn to_bits(self) -> u64 {
        self.0.to_bits()
    }

    /// Converts an integer from [`HandleId::to_bits`] to the id. Other integers give `None`, or an id that all
    /// operations refuse.
    pub fn from_bits(bits: u64) -> Option<HandleId> {
        Key::from_bits(bits).map(HandleId)
    }
}

impl std::fmt::Debug for HandleId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "HandleId({:?})", self.0)
    }
}

/// The kinds of handles.
#[doc(alias = "uv_handle_type")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names say it; docs/handles has a page on each")]
pub enum Kind {
    Async,
    Check,
    FsEvent,
    FsPoll,
    Idle,
    Pipe,
    Poll,
    Prepare,
    Process,
    Signal,
    Tcp,
    Timer,
    Tty,
    Udp,
}

impl Kind {
    /// libuv's name of the kind.
    #[doc(alias = "uv_handle_type_name")]
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Async => "async",
            Kind::Check => "check",
            Kind::FsEvent => "fs_event",
            Kind::FsPoll => "fs_poll",
            Kind::Idle => "idle",
            Kind::Pipe => "pipe",
            Kind::Poll => "poll",
            Kind::Prepare => "prepare",
            Kind::Process => "process",
            Kind::Signal => "signal",
            Kind::Tcp => "tcp",
            Kind::Timer => "timer",
            Kind::Tty => "tty",
            Kind::Udp => "udp",
        }
    }
}

/// The public state of a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandleView {
    /// The id of the handle.
    pub id: HandleId,
    /// The kind of the handle.
    pub kind: Kind,
    /// Whether the handle is active: it can cause events.
    pub active: bool,
    /// Whether the handle keeps the loop alive while it is active.
    pub has_ref: bool,
    /// Whether the handle is being closed.
    pub closing: bool,
}

/// A handle in the slab.
pub(crate) struct Handle<F: Face> {
    /// Whether the handle is active. Only [`Handle::set_active`] changes this field.
    active: bool,
    pub(crate) has_ref: bool,
    pub(crate) closing: bool,
    /// The half of the pending queue that contains the handle; `None` if it is not queued.
    pub(crate) fed: Option<Side>,
    /// Links of the list of all handles, oldest first.
    created: Links,
    /// Links of the pending queue, or of the closing list once the handle is closed.
    waiting: Links,
    pub(crate) body: HandleBody,
    pub(crate) face: F::Handle,
}

impl<F: Face> Handle<F> {
    /// Whether the handle can cause events.
    pub(crate) fn active(&self) -> bool {
        self.active
    }

    /// Sets whether the handle is active, and updates the loop's count of active and referenced handles.
    #[inline]
    pub(crate) fn set_active(&mut self, active: bool, active_handles: &mut usize) {
        *active_handles -= usize::from(self.has_ref && self.active);
        self.active = active;
        *active_handles += usize::from(self.has_ref && self.active);
    }
}

/// The kind-specific part of a handle. Large variants are boxed, so that a million timers need little memory.
pub(crate) enum HandleBody {
    Async {
        place: u64,
    },
    Check(Links),
    FsEvent(Option<Box<FsEvent>>),
    FsPoll(Option<Box<FsPoll>>),
    Idle(Links),
    Poll(Poll),
    Prepare(Links),
    Process(Box<Process>),
    Signal(Signal),
    /// A tcp, pipe or tty handle.
    Stream(Box<Stream>),
    Timer(Timer),
    Udp(Box<Udp>),
}

impl HandleBody {
    pub(crate) fn kind(&self) -> Kind {
        match self {
            HandleBody::Async { .. } => Kind::Async,
            HandleBody::Check(_) => Kind::Check,
            HandleBody::FsEvent(_) => Kind::FsEvent,
            HandleBody::FsPoll(_) => Kind::FsPoll,
            HandleBody::Idle(_) => Kind::Idle,
            HandleBody::Poll(_) => Kind::Poll,
            HandleBody::Prepare(_) => Kind::Prepare,
            HandleBody::Process(_) => Kind::Process,
            HandleBody::Signal(_) => Kind::Signal,
            HandleBody::Stream(stream) => stream.kind,
            HandleBody::Timer(_) => Kind::Timer,
            HandleBody::Udp(_) => Kind::Udp,
        }
    }

    /// The file descriptor and interest for the poll phase, for kinds that have a file descriptor.
    pub(crate) fn watch(&self) -> Option<&Watch> {
        match self {
            HandleBody::Poll(poll) => Some(&poll.watch),
            HandleBody::Process(process) => Some(&process.watch),
            HandleBody::Stream(stream) => Some(&stream.watch),
            HandleBody::Udp(udp) => Some(&udp.watch),
            _ => None,
        }
    }

    /// Returns the same as [`HandleBody::watch`], mutable.
    pub(crate) fn watch_mut(&mut self) -> Option<&mut Watch> {
        match self {
            HandleBody::Poll(poll) => Some(&mut poll.watch),
            HandleBody::Process(process) => Some(&mut process.watch),
            HandleBody::Stream(stream) => Some(&mut stream.watch),
            HandleBody::Udp(udp) => Some(&mut udp.watch),
            _ => None,
        }
    }
}

/// All handles of a loop.
pub(crate) struct Handles<F: Face> {
    pub(crate) slab: Slab<Handle<F>>,
    created: List<Created>,
}

/// The chain of all handles, in the order of creation.
struct Created;

impl<F: Face> Chain<Handle<F>> for Created {
    fn links(handle: &Handle<F>) -> &Links {
        &handle.created
    }

    fn links_mut(handle: &mut Handle<F>) -> &mut Links {
        &mut handle.created
    }
}

/// The chain of the pending queue or the closing list.
pub(crate) struct Waiting;

impl<F: Face> Chain<Handle<F>> for Waiting {
    fn links(handle: &Handle<F>) -> &Links {
        &handle.waiting
    }

    fn links_mut(handle: &mut Handle<F>) -> &mut Links {
        &mut handle.waiting
    }
}

impl<F: Face> Handles<F> {
    pub(crate) const fn new() -> Handles<F> {
        Handles { slab: Slab::new(), created: List::new() }
    }

    #[inline]
    pub(crate) fn get(&self, id: HandleId) -> Result<&Handle<F>> {
        self.slab.get(id.0).ok_or(Errno::EBADF)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, id: HandleId) -> Result<&mut Handle<F>> {
        self.slab.get_mut(id.0).ok_or(Errno::EBADF)
    }

    /// Looks a handle up like [`Handles::get_mut`], but refuses a closing handle.
    #[inline]
    pub(crate) fn open_mut(&mut self, id: HandleId) -> Result<&mut Handle<F>> {
        let handle = self.get_mut(id)?;
        if handle.closing { Err(Errno::EINVAL) } else { Ok(handle) }
    }

    /// Removes a handle from the slab.
    pub(crate) fn remove(&mut self, id: HandleId) -> Option<Handle<F>> {
        self.slab.get(id.0)?;
        self.created.remove(&mut self.slab, id.0.index);
        self.slab.remove(id.0)
    }
}

impl<F: Face> Loop<F> {
    /// Adds a handle, which is inactive and referenced.
    pub(crate) fn open(&mut self, body: HandleBody, face: F::Handle) -> HandleId {
        let (created, waiting, kind) = (Links::default(), Links::default(), body.kind());
        let handle = Handle { active: false, has_ref: true, closing: false, fed: None, created, waiting, body, face };
        let key = self.handles.slab.insert(handle);
        self.handles.created.push_back(&mut self.handles.slab, key.index);
        self.instrumentation.handle_opened(HandleId(key), kind);
        HandleId(key)
    }

    #[inline]
    pub(crate) fn activate(&mut self, id: HandleId) {
        if let Ok(handle) = self.handles.get_mut(id) {
            handle.set_active(true, &mut self.active_handles);
        }
    }

    #[inline]
    pub(crate) fn deactivate(&mut self, id: HandleId) {
        if let Ok(handle) = self.handles.get_mut(id) {
            handle.set_active(false, &mut self.active_handles);
        }
    }

    /// Sets whether a handle keeps the loop alive while it is active. New handles keep it alive.
    #[doc(alias = "uv_ref")]
    #[doc(alias = "uv_unref")]
    pub fn set_ref(&mut self, id: HandleId, keeps_alive: bool) -> Result<()> {
        let handle = self.handles.get_mut(id)?;
        let active = handle.active;
        handle.set_active(false, &mut self.active_handles);
        handle.has_ref = keeps_alive;
        handle.set_active(active, &mut self.active_handles);
        Ok(())
    }

    /// Whether the handle keeps the loop alive while it is active. False for a stale id.
    #[doc(alias = "uv_has_ref")]
    pub fn has_ref(&self, id: HandleId) -> bool {
        self.handles.get(id).is_ok_and(|handle| handle.has_ref)
    }

    /// Whether the handle can cause events. False for a stale id.
    #[doc(alias = "uv_is_active")]
    pub fn is_active(&self, id: HandleId) -> bool {
        self.handles.get(id).is_ok_and(|handle| handle.active)
    }

    /// Whether the handle is being closed, or was closed.
    #[doc(alias = "uv_is_closing")]
    pub fn is_closing(&self, id: HandleId) -> bool {
        self.handles.get(id).map_or(true, |handle| handle.closing)
    }

    /// The handle's kind, unless the id is stale.
    #[doc(alias = "uv_handle_get_type")]
    pub fn kind(&self, id: HandleId) -> Option<Kind> {
        self.handles.get(id).ok().map(|handle| handle.body.kind())
    }

    /// The front end's data of a handle.
    #[inline]
    pub fn face(&self, id: HandleId) -> Option<&F::Handle> {
        self.handles.get(id).ok().map(|handle| &handle.face)
    }

    /// The front end's data of a handle, mutable.
    #[inline]
    pub fn face_mut(&mut self, id: HandleId) -> Option<&mut F::Handle> {
        self.handles.get_mut(id).ok().map(|handle| &mut handle.face)
    }

    /// All handles in the order they were opened, including closing ones.
    #[doc(alias = "uv_walk")]
    pub fn handles(&self) -> Vec<HandleView> {
        let view = |(key, handle): (Key, &Handle<F>)| HandleView {
            id: HandleId(key),
            kind: handle.body.kind(),
            active: handle.active,
            has_ref: handle.has_ref,
            closing: handle.closing,
        };
        self.handles.created.iter(&self.handles.slab).map(view).collect()
    }

    /// Closes a handle: stops it and releases its file descriptor at once. [`Event::Closed`](crate::Event::Closed) is
    /// returned in the closing phase. `EBADF` for a stale id, `EALREADY` for a closing handle.
    #[doc(alias = "uv_close")]
    pub fn close(&mut self, id: HandleId) -> Result<()> {
        let handle = self.handles.get_mut(id)?;
        if handle.closing {
            return Err(Errno::EALREADY);
        }
        handle.closing = true;
        let kind = handle.body.kind();
        self.instrumentation.handle_closing(id, kind);
        match kind {
            Kind::Timer => self.timer_disarm(id),
            Kind::Idle => self.idle_stop(id)?,
            Kind::Prepare => self.prepare_stop(id)?,
            Kind::Check => self.check_stop(id)?,
            Kind::Async => self.async_release(id),
            Kind::FsEvent => self.fs_event_end(id),
            Kind::FsPoll => self.fs_poll_end(id),
            Kind::Poll => self.unwatch(id),
            Kind::Process => self.process_detach(id),
            Kind::Signal => self.signal_end(id),
            Kind::Udp => self.udp_close(id),
            Kind::Pipe | Kind::Tcp | Kind::Tty => self.stream_close(id),
        }
        self.unfeed(id);
        self.deactivate(id);
        self.closing.next_mut().0.push_front(&mut self.handles.slab, id.0.index);
        Ok(())
    }
}
