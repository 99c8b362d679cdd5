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
    type Value: Send;

    /// Does it, on whatever thread. What a caller lent stays inside, also when this panics.
    fn perform(&mut self) -> Result<Self::Value>;

    /// How the face is told of the end, and what it gets back. On the loop's thread, so nothing here may wait.
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

/// A task on its way to the pool and back. The loop makes it and the loop takes it apart: memory that one thread asks for
/// and another gives back costs both of them a lock.
struct PoolTask<F: Face, T: Task<F>> {
    task: T,
    request: RequestId,
    /// How it ended, once it has.
    ended: Option<Result<T::Value, Failure>>,
    /// When it was begun and done, if somebody wants to know.
    span: Option<(u64, u64)>,
    /// Where it is left when it has ended. Not what has ended: the mailbox and what is left in it would hold each other.
    mailbox: Option<Arc<Mailbox<F>>>,
}

impl<F: Face, T: Task<F>> PoolTask<F, T> {
    fn end(mut self: Box<Self>, ended: Result<T::Value, Failure>) {
        self.ended = Some(ended);
        if let Some(mailbox) = self.mailbox.take() {
            mailbox.push(self);
        }
    }
}

impl<F: Face, T: Task<F>> Job for PoolTask<F, T> {
    fn run(mut self: Box<Self>) {
        if let Some((started_ns, _)) = &mut self.span {
            *started_ns = clock::monotonic_ns();
        }
        // The task is not looked at after a panic, except to hand back what a caller lent it.
        let ended = match catch_unwind(AssertUnwindSafe(|| self.task.perform())) {
            Ok(result) => result.map_err(Failure::Errno),
            Err(payload) => Err(Failure::Panicked(payload)),
        };
        if let Some((_, finished_ns)) = &mut self.span {
            *finished_ns = clock::monotonic_ns();
        }
        self.end(ended);
    }

    fn give_up(self: Box<Self>, why: Errno) {
        self.end(Err(Failure::Errno(why)));
    }
}

/// A task that has ended, on its way to the loop.
pub(crate) trait FinishedTask<F: Face>: Send {
    fn completed(self: Box<Self>) -> Option<Completed<F>>;
}

impl<F: Face, T: Task<F>> FinishedTask<F> for PoolTask<F, T> {
    fn completed(self: Box<Self>) -> Option<Completed<F>> {
        let PoolTask { task, request, ended, span, .. } = *self;
        let (started_ns, finished_ns) = span.unwrap_or_default();
        Some(Completed { request, outcome: task.outcome(ended?), started_ns, finished_ns })
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
        let queued = self.observe_task_queued(id, kind);
        let span = self.instrumentation.observer.is_some().then_some((0, 0));
        let pool_task = PoolTask { task, request: id, ended: None, span, mailbox: Some(self.mailbox.clone()) };
        let submitted = self.platform.submit(Box::new(pool_task), class);
        if let Some(Request { body: Body::Task { ticket, queued_ns, .. }, .. }) = self.requests.get_mut(id.0) {
            *ticket = Some(submitted);
            *queued_ns = queued;
        }
        id
    }

    /// Turns a task that has ended into the event that tells of it.
    pub(crate) fn task_done(&mut self, ended: Box<dyn FinishedTask<F>>) -> Option<Event<F>> {
        let completed = ended.completed()?;
        let request = self.requests.remove(completed.request.0)?;
        let Body::Task { kind, queued_ns, .. } = request.body else { return None };
        self.observe_task_done(&completed, kind, queued_ns);
        Some(Event::Done(request.face, completed.outcome))
    }
}
