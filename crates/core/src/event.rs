//! What the loop hands out: one call the face must make now.

use phasor_sys::dns::AddrInfo;
use phasor_sys::spawn::ExitStatus;
use phasor_sys::{Errno, Result};

use crate::face::Face;
use crate::handles::{FsChange, FsPollChange, HandleId};
use crate::platform::Readiness;
use crate::requests::{FsDone, RequestId, WorkFailure};

/// One call the face must make now. It borrows nothing from the loop.
pub enum Event<F: Face> {
    /// A timer is due. If it repeats it is started again already.
    Timer(HandleId),
    /// An idle handle's turn.
    Idle(HandleId),
    /// A prepare handle's turn.
    Prepare(HandleId),
    /// A check handle's turn.
    Check(HandleId),
    /// Somebody sent to an async handle, once or more.
    Async(HandleId),
    /// A UDP handle has a datagram, perhaps: the face brings a buffer and calls [`Loop::udp_recv`](crate::Loop::udp_recv).
    Datagram(HandleId),
    /// A polled descriptor is ready. After an error the handle is stopped.
    Ready(HandleId, Result<Readiness>),
    /// A child has ended. Its handle is inactive from now on. A code below zero is the negative error number of a
    /// child whose end could not be learned, because somebody else waited for it.
    Exit(HandleId, ExitStatus),
    /// A watched file or directory changed.
    FsEvent(HandleId, FsChange),
    /// A polled path is not as it was.
    FsPoll(HandleId, Box<FsPollChange>),
    /// A signal was delivered. A one-shot handle is stopped when the call is over.
    Signal(HandleId, i32),
    /// A listening stream has a connection, which [`Loop::stream_accept`](crate::Loop::stream_accept) takes. If that is
    /// not called now, the stream does not listen on until it is. As in libuv since 1.45 errors are not told.
    Connection(HandleId, Result<()>),
    /// A stream that is being read has ended, and there is nothing to read. Reading is stopped.
    Hangup(HandleId),
    /// A stream that is being read is ready: the face brings a buffer to
    /// [`Loop::stream_read`](crate::Loop::stream_read).
    Readable(HandleId),
    /// A request is finished; what the face hung on it comes back with the outcome.
    Done(F::Request, Outcome<F>),
    /// A handle is closed and forgotten; what the face hung on it comes back, and its memory may go.
    Closed(F::Handle),
}

/// How a request ended.
pub enum Outcome<F: Face> {
    /// A file operation of [`Loop::fs`](crate::Loop::fs), with the bytes it was lent.
    Fs(FsDone<F::Bytes>),
    /// Addresses that [`Loop::getaddrinfo`](crate::Loop::getaddrinfo) found, in the system's order of preference.
    Getaddrinfo(Result<Vec<AddrInfo>>),
    /// The host's and the service's name that [`Loop::getnameinfo`](crate::Loop::getnameinfo) found.
    Getnameinfo(Result<(String, String)>),
    /// The bytes of [`Loop::random`](crate::Loop::random), filled unless there is an error.
    Random(Result<()>, F::Bytes),
    /// The datagram of [`Loop::udp_send`](crate::Loop::udp_send) was taken by the kernel, or not.
    Send {
        /// `ECANCELED` if the handle was closed before.
        result: Result<()>,
        /// The bytes that were given.
        bytes: F::Bytes,
    },
    /// The work of [`Loop::work`](crate::Loop::work) or [`Loop::work_as`](crate::Loop::work_as) was done, or why not.
    Work(Result<(), WorkFailure>),
    /// A connection of [`Loop::tcp_connect`](crate::Loop::tcp_connect) and its like.
    Connect(Result<()>),
    /// The end of writing, of [`Loop::stream_shutdown`](crate::Loop::stream_shutdown).
    Shutdown(Result<()>),
    /// A write of [`Loop::stream_write`](crate::Loop::stream_write).
    Write {
        /// Whether all of it was written.
        result: Result<()>,
        /// How many bytes were, also if not all.
        #[doc(alias = "uv_write_nwritten")]
        written: usize,
        /// What was to be written.
        bytes: F::Bytes,
    },
}

/// A request that could not be taken up. What was given comes back: nothing more will be heard of it.
///
/// Every operation that can refuse a request answers with this; those without bytes with `Refused<F, ()>`.
pub struct Refused<F: Face, B = <F as Face>::Bytes> {
    /// Why.
    pub errno: Errno,
    /// The bytes of the request.
    pub bytes: B,
    /// What the face hung on it.
    pub request: F::Request,
}

/// For those who do not need back what they gave.
impl<F: Face, B> From<Refused<F, B>> for Errno {
    fn from(refused: Refused<F, B>) -> Errno {
        refused.errno
    }
}

impl<F: Face, B> std::fmt::Debug for Refused<F, B> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Refused({:?})", self.errno)
    }
}

/// The name of an event without what it carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "each is documented at the variant of `Event` with its name")]
pub enum EventKind {
    Timer,
    Idle,
    Prepare,
    Check,
    Async,
    Datagram,
    Ready,
    Exit,
    FsEvent,
    FsPoll,
    Signal,
    Connection,
    Hangup,
    Readable,
    Done,
    Closed,
}

impl<F: Face> Event<F> {
    /// The name of this event.
    pub fn kind(&self) -> EventKind {
        match self {
            Event::Timer(_) => EventKind::Timer,
            Event::Idle(_) => EventKind::Idle,
            Event::Prepare(_) => EventKind::Prepare,
            Event::Check(_) => EventKind::Check,
            Event::Async(_) => EventKind::Async,
            Event::Datagram(_) => EventKind::Datagram,
            Event::Ready(..) => EventKind::Ready,
            Event::Exit(..) => EventKind::Exit,
            Event::FsEvent(..) => EventKind::FsEvent,
            Event::FsPoll(..) => EventKind::FsPoll,
            Event::Signal(..) => EventKind::Signal,
            Event::Connection(..) => EventKind::Connection,
            Event::Hangup(_) => EventKind::Hangup,
            Event::Readable(_) => EventKind::Readable,
            Event::Done(..) => EventKind::Done,
            Event::Closed(_) => EventKind::Closed,
        }
    }

    /// The handle it happened to. Requests have none, and a closed handle has no id any more.
    pub fn handle(&self) -> Option<HandleId> {
        match *self {
            Event::Timer(id)
            | Event::Idle(id)
            | Event::Prepare(id)
            | Event::Check(id)
            | Event::Async(id)
            | Event::Datagram(id)
            | Event::Ready(id, _)
            | Event::Exit(id, _)
            | Event::FsEvent(id, _)
            | Event::FsPoll(id, _)
            | Event::Signal(id, _)
            | Event::Connection(id, _)
            | Event::Hangup(id)
            | Event::Readable(id) => Some(id),
            Event::Done(..) | Event::Closed(_) => None,
        }
    }
}

/// A task that a thread of the pool has finished, on its way to the loop.
pub(crate) struct Completed<F: Face> {
    pub(crate) request: RequestId,
    pub(crate) outcome: Outcome<F>,
    /// When a thread began it and when it was done, by the monotonic clock; 0 if it was taken back.
    pub(crate) started_ns: u64,
    pub(crate) finished_ns: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face::Pointers;

    /// Every call of the loop moves one. The largest is a file operation's, with its bytes: what is larger is boxed.
    #[test]
    fn an_event_is_at_most_72_bytes() {
        assert!(size_of::<Event<Pointers>>() <= 72, "{}", size_of::<Event<Pointers>>());
    }
}
