//! Requests that a thread of the pool sees to: how they get there, are taken back, and return.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use phasor_sys::{Errno, Result, clock};

use super::{Body, Request, RequestId, RequestKind};
use crate::event::{Completed, Event, Outcome};
use crate::face::Face;
use crate::pool::{Class, Job};
use crate::remote::Mailbox;
use crate::state::Loop;
use crate::sync::Arc;

/// What a thread of the pool does for a request.
pub(crate) trait Task<F: Face>: Send + 'static {
    /// What comes of it.
    type Value;

    /// Does it, on whatever thread. What a caller lent stays inside, also when this panics.
    fn perform(&mut self) -> Result<Self::Value>;

    /// How the face is told of the end, and what it gets back.
    fn outcome(self, ended: Result<Self::Value, Failure>) -> Outcome<F>;
}

/// Why there is no value.
pub(crate) enum Failure {
    /// It failed, or was not begun.
    Errno(Errno),
    /// It panicked, with this.
    Panicked(Box<dyn Any + Send>),
}

impl From<Failure> for Errno {
    fn from(failure: Failure) -> Errno {
        match failure {
            Failure::Errno(errno) => errno,
            // Where no face can be told more; the panic's own message is on stderr.
            Failure::Panicked(_) => Errno::UNKNOWN,
        }
    }
}

/// A task on its way through the pool.
struct Errand<F: Face, T> {
    task: T,
    request: RequestId,
    mailbox: Arc<Mailbox<F>>,
    /// Whether somebody wants to know when it was begun and done.
    timed: bool,
}

impl<F: Face, T: Task<F>> Errand<F, T> {
    fn now_ns(&self) -> u64 {
        if self.timed { clock::monotonic_ns() } else { 0 }
    }
}

impl<F: Face, T: Task<F>> Job for Errand<F, T> {
    fn run(mut self: Box<Self>) {
        let started_ns = self.now_ns();
        // The task is not looked at after a panic, except to hand back what a caller lent it.
        let ended = match catch_unwind(AssertUnwindSafe(|| self.task.perform())) {
            Ok(result) => result.map_err(Failure::Errno),
            Err(payload) => Err(Failure::Panicked(payload)),
        };
        let finished_ns = self.now_ns();
        let Errand { task, request, mailbox, .. } = *self;
        mailbox.leave(Completed { request, outcome: task.outcome(ended), started_ns, finished_ns });
    }

    fn give_up(self: Box<Self>, why: Errno) {
        let Errand { task, request, mailbox, .. } = *self;
        let outcome = task.outcome(Err(Failure::Errno(why)));
        mailbox.leave(Completed { request, outcome, started_ns: 0, finished_ns: 0 });
    }
}

impl<F: Face> Loop<F> {
    /// Hands a task to the pool on behalf of a request.
    pub(crate) fn submit<T: Task<F>>(
        &mut self,
        kind: RequestKind,
        class: Class,
        face: F::Request,
        task: T,
    ) -> RequestId {
        let body = Body::Task { kind, ticket: None, queued_ns: 0 };
        let id = self.requests.add(body, face);
        let queued = self.note_task_queued(id, kind);
        let timed = self.tower.observer.is_some();
        let errand = Errand { task, request: id, mailbox: self.mailbox.clone(), timed };
        let given = self.platform.submit(Box::new(errand), class);
        if let Some(Request { body: Body::Task { ticket, queued_ns, .. }, .. }) = self.requests.get_mut(id.0) {
            *ticket = Some(given);
            *queued_ns = queued;
        }
        id
    }

    /// Turns a finished task into the event that tells of it.
    pub(crate) fn task_done(&mut self, completed: Completed<F>) -> Option<Event<F>> {
        let request = self.requests.remove(completed.request.0)?;
        let Body::Task { kind, queued_ns, .. } = request.body else { return None };
        self.note_task_done(&completed, kind, queued_ns);
        Some(Event::Done(request.face, completed.outcome))
    }
}
