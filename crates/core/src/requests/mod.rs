//! Requests: operations that were started and have no outcome yet. Each keeps the loop alive until its outcome is
//! returned.
//!
//! All requests of a loop are in one slab, including those in the queues of a stream. So an idle stream needs no memory
//! for queues, and all requests have ids, are counted and can be cancelled in the same way.

mod dns;
mod fs;
mod queue;
mod random;
mod task;
mod work;

use phasor_sys::socket::Address;
use phasor_sys::{Errno, Result};

pub use self::fs::{FsDone, FsOp, FsValue, fs_path};
pub(crate) use self::queue::RequestQueue;
pub(crate) use self::task::FinishedTask;
use self::task::{Failure, Task};
pub use self::work::WorkFailure;
use crate::face::Face;
use crate::handles::{HandleId, Write};
use crate::pool::Ticket;
use crate::slab::{END, Key, Slab};
use crate::state::Loop;

/// The id of a request of one loop. The id is stale once the outcome of the request was returned.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestId(pub(crate) Key);

impl RequestId {
    /// The id as an integer, for C structs and the like.
    pub fn to_bits(self) -> u64 {
        self.0.to_bits()
    }

    /// Converts an integer from [`RequestId::to_bits`] to the id. Other integers give `None`, or an id that all
    /// operations refuse.
    pub fn from_bits(bits: u64) -> Option<RequestId> {
        Key::from_bits(bits).map(RequestId)
    }
}

impl std::fmt::Debug for RequestId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RequestId({:?})", self.0)
    }
}

/// The kinds of requests.
#[doc(alias = "uv_req_type")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names say it")]
pub enum RequestKind {
    Connect,
    Fs,
    Getaddrinfo,
    Getnameinfo,
    Random,
    Shutdown,
    UdpSend,
    Work,
    Write,
}

impl RequestKind {
    /// libuv's name of the kind.
    #[doc(alias = "uv_req_type_name")]
    pub const fn name(self) -> &'static str {
        match self {
            RequestKind::Connect => "connect",
            RequestKind::Fs => "fs",
            RequestKind::Getaddrinfo => "getaddrinfo",
            RequestKind::Getnameinfo => "getnameinfo",
            RequestKind::Random => "random",
            RequestKind::Shutdown => "shutdown",
            RequestKind::UdpSend => "udp_send",
            RequestKind::Work => "work",
            RequestKind::Write => "write",
        }
    }
}

/// A request in the slab.
pub(crate) struct Request<F: Face> {
    /// The front end's data.
    pub(crate) face: F::Request,
    pub(crate) body: RequestBody<F>,
    /// The index of the previous request, if this one is in a [`RequestQueue`] and is not the first there.
    pub(crate) previous: u32,
    /// The index of the next request, if this one is in a [`RequestQueue`].
    pub(crate) next: u32,
}

/// The kind-specific part of a request.
pub(crate) enum RequestBody<F: Face> {
    /// A connect. The stream has this id.
    Connect(HandleId),
    /// A datagram to be sent.
    Send {
        to: Option<Address>,
        bytes: F::Bytes,
        /// The result, once a send was attempted.
        result: Result<()>,
    },
    /// A shutdown. The stream has this id.
    Shutdown(HandleId),
    /// A task of the pool.
    Task {
        /// The kind that is reported to observers.
        kind: RequestKind,
        /// The ticket of the task. `None` after cancellation, until the outcome is returned.
        ticket: Option<Ticket>,
        /// The time at which the task was submitted; 0 without an observer.
        queued_ns: u64,
    },
    /// A write.
    Write(Write<F>),
}

impl<F: Face> RequestBody<F> {
    pub(crate) fn kind(&self) -> RequestKind {
        match self {
            RequestBody::Connect(_) => RequestKind::Connect,
            RequestBody::Send { .. } => RequestKind::UdpSend,
            RequestBody::Shutdown(_) => RequestKind::Shutdown,
            RequestBody::Task { kind, .. } => *kind,
            RequestBody::Write(_) => RequestKind::Write,
        }
    }
}

impl<F: Face> Slab<Request<F>> {
    /// Adds a request, which keeps the loop alive from now on.
    #[inline]
    pub(crate) fn add(&mut self, body: RequestBody<F>, face: F::Request) -> RequestId {
        RequestId(self.insert(Request { face, body, previous: END, next: END }))
    }
}

impl<F: Face> Loop<F> {
    /// Cancels a request that has not begun. Its outcome is `ECANCELED` (`EAI_CANCELED` for name resolution), and is
    /// returned like any other outcome.
    ///
    /// A write can be cancelled until all its bytes are written; the outcome has the number of written bytes.
    /// Cancelling a finished write or a cancelled request does nothing. `EBUSY` if a task is running or done, `EINVAL`
    /// for kinds that cannot be cancelled, `EBADF` for a stale id.
    #[doc(alias = "uv_cancel")]
    pub fn cancel(&mut self, id: RequestId) -> Result<()> {
        let request = self.requests.get_mut(id.0).ok_or(Errno::EBADF)?;
        match &mut request.body {
            RequestBody::Task { ticket, .. } => {
                // A cancelled task can be cancelled again until its outcome is returned (`src/threadpool.c:
                // uv__work_cancel`).
                if let Some(submitted) = *ticket {
                    let job = self.platform.take_back(submitted).ok_or(Errno::EBUSY)?;
                    *ticket = None;
                    job.give_up(Errno::ECANCELED);
                }
                Ok(())
            }
            RequestBody::Write(write) => {
                if write.is_queued() {
                    let stream = write.stream;
                    self.write_cancel(stream, id);
                }
                Ok(())
            }
            RequestBody::Connect(_) | RequestBody::Send { .. } | RequestBody::Shutdown(_) => Err(Errno::EINVAL),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face::Pointers;

    /// The size matters, because every queued write has a request. With a buffer of two words, like the one of the C
    /// front end, a slot is one word smaller.
    #[test]
    fn a_request_slot_is_at_most_88_bytes() {
        let bytes = Slab::<Request<Pointers>>::SLOT_BYTES;
        assert!(bytes <= 88, "{bytes}");
    }
}
