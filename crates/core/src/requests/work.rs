//! Closures of the user that run on pool threads.

use std::any::Any;
use std::fmt;

use phasor_sys::{Errno, Result};

use super::{Failure, RequestId, RequestKind, Task};
use crate::describe::TaskDetail;
use crate::event::Outcome;
use crate::face::Face;
use crate::pool::Class;
use crate::state::Loop;

/// Why work was not done.
pub enum WorkFailure {
    /// The work was not run: `ECANCELED` if it was cancelled, `EAGAIN` if no thread could be started.
    NotBegun(Errno),
    /// The work panicked with this payload. The pool thread survives.
    Panicked(Box<dyn Any + Send>),
}

impl WorkFailure {
    /// The failure as an error number, for front ends without panics. `UNKNOWN` for a panic.
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

    fn detail(&self) -> TaskDetail {
        TaskDetail::of("work")
    }

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
    /// Runs `work` on a pool thread. The result is an [`Outcome::Work`].
    #[doc(alias = "uv_queue_work")]
    pub fn work(&mut self, work: impl FnOnce() + Send + 'static, request: F::Request) -> RequestId {
        self.work_as(RequestKind::Work, Class::Fast, work, request)
    }

    /// Runs work like [`Loop::work`], for a front end that implements other kinds of requests itself, on memory that
    /// the core does not own. For example, a file operation of a C program uses the program's own `uv_fs_t`. Observers
    /// are notified with `kind`.
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
