//! Work that a program brings itself.

use phasor_sys::{Errno, Result, clock};

use super::{RequestId, RequestKind};
use crate::event::{Completed, Outcome};
use crate::face::Face;
use crate::pool::{Class, Job};
use crate::remote::Mailbox;
use crate::sync::Arc;
use crate::walk::Loop;

struct Work<F: Face, W> {
    work: W,
    request: RequestId,
    mailbox: Arc<Mailbox<F>>,
}

impl<F: Face, W: FnOnce() + Send> Job for Work<F, W> {
    fn run(self: Box<Self>) {
        let started_ns = clock::monotonic_ns();
        (self.work)();
        let outcome = Outcome::Work(Ok(()));
        let finished_ns = clock::monotonic_ns();
        self.mailbox.leave(Completed { request: self.request, outcome, started_ns, finished_ns });
    }

    fn cancel(self: Box<Self>) {
        let outcome = Outcome::Work(Err(Errno::ECANCELED));
        self.mailbox.leave(Completed { request: self.request, outcome, started_ns: 0, finished_ns: 0 });
    }
}

impl<F: Face> Loop<F> {
    /// Runs `work` on a thread of the pool. [`Outcome::Work`] tells when it is done.
    #[doc(alias = "uv_queue_work")]
    pub fn work(&mut self, work: impl FnOnce() + Send + 'static, face: F::Request) -> Result<RequestId> {
        let mailbox = self.mailbox.clone();
        Ok(self.submit(RequestKind::Work, Class::Fast, face, |request| Box::new(Work { work, request, mailbox })))
    }
}
