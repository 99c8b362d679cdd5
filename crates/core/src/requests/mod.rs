//! Requests: what was asked for and is not done yet. Each keeps the loop alive until its outcome is handed out.
//!
//! All requests of a loop live in one slab, also those that wait in a stream's queue, so a stream that is idle needs no
//! memory for queues, and everything can be named, counted and cancelled in the same way.

mod dns;
mod fs;
mod queue;
mod random;
mod task;
mod work;

use phasor_sys::socket::Address;
use phasor_sys::{Errno, Result};

pub use self::fs::{FsDone, FsOp, FsValue, fs_path};
pub(crate) use self::queue::Queue;
pub(crate) use self::task::FinishedTask;
use self::task::{Failure, Task};
pub use self::work::WorkFailure;
use crate::face::Face;
use crate::handles::Write;
use crate::pool::Ticket;
use crate::slab::{END, Key, Slab};
use crate::state::Loop;

/// Names one request of one loop. Stale once its outcome was handed out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestId(pub(crate) Key);

impl RequestId {
    /// The id as one word, for C structs and the like.
    pub fn to_bits(self) -> u64 {
        self.0.to_bits()
    }

    /// The id of a word from [`RequestId::to_bits`]. Other words give nothing, or an id that will be refused.
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
    /// What the face gets back.
    pub(crate) face: F::Request,
    pub(crate) body: Body<F>,
    /// The place of the request before this one, if it waits in a [`Queue`] and is not the first there.
    pub(crate) previous: u32,
    /// The place of the request after this one, if it waits in a [`Queue`].
    pub(crate) next: u32,
}

/// What a request is waiting for.
pub(crate) enum Body<F: Face> {
    /// A connection; its stream knows it.
    Connect,
    /// A datagram socket's turn.
    Send {
        to: Option<Address>,
        bytes: F::Bytes,
        /// How it went, once it is tried.
        result: Result<()>,
    },
    /// The end of writing; its stream knows it.
    Shutdown,
    /// A thread of the pool.
    Task {
        /// What it does there.
        kind: RequestKind,
        /// None once it was taken back, from then until its outcome is handed out.
        ticket: Option<Ticket>,
        /// When it was handed in, if somebody observes.
        queued_ns: u64,
    },
    /// Room in a stream.
    Write(Write<F>),
}

impl<F: Face> Body<F> {
    pub(crate) fn kind(&self) -> RequestKind {
        match self {
            Body::Connect => RequestKind::Connect,
            Body::Send { .. } => RequestKind::UdpSend,
            Body::Shutdown => RequestKind::Shutdown,
            Body::Task { kind, .. } => *kind,
            Body::Write(_) => RequestKind::Write,
        }
    }
}

impl<F: Face> Slab<Request<F>> {
    /// Adds a request, which from now on keeps the loop alive.
    #[inline]
    pub(crate) fn add(&mut self, body: Body<F>, face: F::Request) -> RequestId {
        RequestId(self.insert(Request { face, body, previous: END, next: END }))
    }
}

impl<F: Face> Loop<F> {
    /// Cancels a request that has not begun: its outcome is then `ECANCELED` (`EAI_CANCELED` for names), and comes as any
    /// other does.
    ///
    /// A write can be cancelled as long as not all of it is written: how much was, the outcome tells. For one that is
    /// written nothing happens, nor for a request that is cancelled. `EBUSY` if a task is under way or done, `EINVAL` for
    /// kinds that cannot be cancelled, `EBADF` for a stale id.
    #[doc(alias = "uv_cancel")]
    pub fn cancel(&mut self, id: RequestId) -> Result<()> {
        let request = self.requests.get_mut(id.0).ok_or(Errno::EBADF)?;
        match &mut request.body {
            Body::Task { ticket, .. } => {
                // As `uv__work_cancel`: what was taken back and has not been told yet can be cancelled again.
                if let Some(given) = *ticket {
                    let job = self.platform.take_back(given).ok_or(Errno::EBUSY)?;
                    *ticket = None;
                    job.give_up(Errno::ECANCELED);
                }
                Ok(())
            }
            Body::Write(write) => {
                if write.is_queued() {
                    let stream = write.stream;
                    self.write_cancel(stream, id);
                }
                Ok(())
            }
            Body::Connect | Body::Send { .. } | Body::Shutdown => Err(Errno::EINVAL),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face::Pointers;

    /// Each write has one for as long as it waits. A face whose bytes are two words, as C's are, has one word less.
    #[test]
    fn a_request_slot_is_at_most_88_bytes() {
        let bytes = Slab::<Request<Pointers>>::SLOT_BYTES;
        assert!(bytes <= 88, "{bytes}");
    }
}
