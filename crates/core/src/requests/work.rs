//! Work that a program brings itself.

use std::any::Any;
use std::fmt;

use phasor_sys::{Errno, Result};

use super::{Failure, RequestId, RequestKind, Task};
use crate::event::Outcome;
use crate::face::Face;
use crate::pool::Class;
use crate::state::Loop;

/// Why work was not done.
pub enum WorkFailure {
    /// It was never begun: `ECANCELED` if it was taken back, `EAGAIN` if no thread could be started.
    NotBegun(Errno),
    /// It panicked, with this; its thread lives on.
    Panicked(Box<dyn Any + Send>),
}

impl WorkFailure {
    /// The failure as a number, for faces that have no panics: theirs cannot, so `UNKNOWN` stands for one.
    pub fn errno(&self) -> Errno {
        match self {
            WorkFailure::NotBegun(errno) => *errno,
            WorkFailure::Panicked(_) => Errno::UNKNOWN,
        }
    }
}

impl fmt::Debug for WorkFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WorkFailure::NotBegun(errno) => f.debug_tuple("NotBegun").field(errno).finish(),
            WorkFailure::Panicked(_) => f.write_str("Panicked"),
        }
    }
}

struct Work<W>(Option<W>);

impl<F: Face, W: FnOnce() + Send + 'static> Task<F> for Work<W> {
    type Value = ();

    fn perform(&mut self) -> Result<()> {
        if let Some(work) = self.0.take() {
            work();
        }
        Ok(())
    }

    fn outcome(self, ended: Result<(), Failure>) -> Outcome<F> {
        Outcome::Work(ended.map_err(|failure| match failure {
            Failure::Errno(errno) => WorkFailure::NotBegun(errno),
            Failure::Panicked(payload) => WorkFailure::Panicked(payload),
        }))
    }
}

impl<F: Face> Loop<F> {
    /// Runs `work` on a thread of the pool. [`Outcome::Work`] tells when it is done.
    #[doc(alias = "uv_queue_work")]
    pub fn work(&mut self, work: impl FnOnce() + Send + 'static, request: F::Request) -> RequestId {
        self.work_as(RequestKind::Work, Class::Fast, work, request)
    }

    /// As [`Loop::work`], for a face that does itself what a request of another kind is for, on memory that the core knows
    /// nothing of: a C program's file operation reads and writes its own struct. `kind` is what observers are told.
    pub fn work_as(
        &mut self,
        kind: RequestKind,
        class: Class,
        work: impl FnOnce() + Send + 'static,
        request: F::Request,
    ) -> RequestId {
        self.submit(kind, class, request, Work(Some(work)))
    }
}
