//! Events: each is one callback that the front end must make now.

use phasor_sys::dns::AddrInfo;
use phasor_sys::spawn::ExitStatus;
use phasor_sys::{Errno, Result};

use crate::face::Face;
use crate::handles::{FsChange, FsPollChange, HandleId};
use crate::platform::Readiness;
use crate::requests::{FsDone, RequestId, WorkFailure};

/// One callback that the front end must make before it calls [`Loop::next`](crate::Loop::next) again. An event borrows
/// nothing from the loop.
pub enum Event<F: Face> {
    /// A timer is due. A repeating timer has been restarted already.
    Timer(HandleId),
    /// The callback of an idle handle.
    Idle(HandleId),
    /// The callback of a prepare handle.
    Prepare(HandleId),
    /// The callback of a check handle.
    Check(HandleId),
    /// An async handle was sent to, once or several times.
    Async(HandleId),
    /// Another thread has called [`Remote::call_attention`](crate::Remote::call_attention): it requests an operation
    /// that the front end can do only on the loop's thread.
    Attention,
    /// A UDP handle may have a datagram: the front end calls [`Loop::udp_recv`](crate::Loop::udp_recv) with a buffer.
    Datagram(HandleId),
    /// A polled file descriptor is ready. After an error the handle is stopped.
    Ready(HandleId, Result<Readiness>),
    /// A child process has exited, and its handle is inactive. A negative code is the error number of a failed wait,
    /// when other code of the process has reaped the child.
    Exit(HandleId, ExitStatus),
    /// A watched file or directory changed.
    FsEvent(HandleId, FsChange),
    /// The `stat` of a polled path changed.
    FsPoll(HandleId, Box<FsPollChange>),
    /// A signal was delivered. A one-shot handle is stopped after the callback.
    Signal(HandleId, i32),
    /// A listening stream has a connection, to be accepted with [`Loop::stream_accept`](crate::Loop::stream_accept). If
    /// the callback does not accept it, the stream stops accepting until it does. The result is always `Ok`: libuv
    /// reports no errors of `accept` since 1.45 (`src/unix/stream.c: uv__server_io`).
    Connection(HandleId, Result<()>),
    /// End of file on a stream that is being read. The front end makes no read and passes no buffer. Reading is
    /// stopped.
    Hangup(HandleId),
    /// A stream that is being read is readable: the front end calls [`Loop::stream_read`](crate::Loop::stream_read)
    /// with a buffer.
    Readable(HandleId),
    /// A request has ended; returns the front end's data of the request and the outcome.
    Done(F::Request, Outcome<F>),
    /// A handle is closed and its id is stale; returns the front end's data of the handle, whose memory may be freed.
    Closed(F::Handle),
}

/// How a request ended.
pub enum Outcome<F: Face> {
    /// The result of [`Loop::fs`](crate::Loop::fs), with the buffer that was passed to it.
    Fs(FsDone<F::Bytes>),
    /// The addresses that [`Loop::getaddrinfo`](crate::Loop::getaddrinfo) found, in the resolver's order.
    Getaddrinfo(Result<Vec<AddrInfo>>),
    /// The host and the service name that [`Loop::getnameinfo`](crate::Loop::getnameinfo) found.
    Getnameinfo(Result<(String, String)>),
    /// The buffer of [`Loop::random`](crate::Loop::random), filled unless there is an error.
    Random(Result<()>, F::Bytes),
    /// The result of [`Loop::udp_send`](crate::Loop::udp_send).
    Send {
        /// `ECANCELED` if the handle was closed before the datagram was sent.
        result: Result<()>,
        /// The buffer of the request.
        bytes: F::Bytes,
    },
    /// The result of [`Loop::work`](crate::Loop::work) or [`Loop::work_as`](crate::Loop::work_as).
    Work(Result<(), WorkFailure>),
    /// The result of [`Loop::tcp_connect`](crate::Loop::tcp_connect) or
    /// [`Loop::pipe_connect`](crate::Loop::pipe_connect).
    Connect(Result<()>),
    /// The result of [`Loop::stream_shutdown`](crate::Loop::stream_shutdown).
    Shutdown(Result<()>),
    /// The result of [`Loop::stream_write`](crate::Loop::stream_write).
    Write {
        /// `Ok` if all bytes were written.
        result: Result<()>,
        /// How many bytes were written, even if there is an error.
        #[doc(alias = "uv_write_nwritten")]
        written: usize,
        /// The buffer of the request.
        bytes: F::Bytes,
    },
}

/// A refused request. It returns everything that was passed to the operation; no event follows.
///
/// All operations that can refuse a request return this; those without a buffer return `Refused<F, ()>`.
pub struct Refused<F: Face, B = <F as Face>::Bytes> {
    /// The error.
    pub errno: Errno,
    /// The buffer of the request.
    pub bytes: B,
    /// The front end's data of the request.
    pub request: F::Request,
}

/// Converts a refusal to its error, for callers that need only the error.
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

/// The variant of an [`Event`] without its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "each is documented at the variant of `Event` with its name")]
pub enum EventKind {
    Timer,
    Idle,
    Prepare,
    Check,
    Async,
    Attention,
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
    /// The variant of this event.
    pub fn kind(&self) -> EventKind {
        match self {
            Event::Timer(_) => EventKind::Timer,
            Event::Idle(_) => EventKind::Idle,
            Event::Prepare(_) => EventKind::Prepare,
            Event::Check(_) => EventKind::Check,
            Event::Async(_) => EventKind::Async,
            Event::Attention => EventKind::Attention,
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

    /// The handle of the event. Requests and calls for attention have none, and the id of a closed handle is stale.
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
            Event::Attention | Event::Done(..) | Event::Closed(_) => None,
        }
    }
}

/// The result of a finished task, before it becomes an event.
pub(crate) struct Completed<F: Face> {
    pub(crate) request: RequestId,
    pub(crate) outcome: Outcome<F>,
    /// When a pool thread started and finished the task, by the monotonic clock; 0 if it was cancelled.
    pub(crate) started_ns: u64,
    pub(crate) finished_ns: u64,
    /// The number of the pool thread, from 1.
    pub(crate) thread: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face::Pointers;

    /// The size matters, because every call of [`Loop::next`](crate::Loop::next) moves an event. The largest variant is
    /// a file operation's outcome; larger data is boxed.
    #[test]
    fn an_event_is_at_most_72_bytes() {
        assert!(size_of::<Event<Pointers>>() <= 72, "{}", size_of::<Event<Pointers>>());
    }
}
