//! Requests that run on pool threads: submission, cancellation, and the delivery of the result.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use phasor_sys::{Errno, Result, clock};

use super::{Request, RequestBody, RequestId, RequestKind};
use crate::describe::TaskDetail;
use crate::event::{Completed, Event, Outcome};
use crate::face::Face;
use crate::pool::{Class, Job, thread_number};
use crate::remote::Mailbox;
use crate::state::Loop;
use crate::sync::Arc;

/// The work of a request.
pub(crate) trait Task<F: Face>: Send + 'static {
    /// The result of the work.
    type Value: Send;

    /// Describes the work, for [`Loop::keep_task_details`].
    fn detail(&self) -> TaskDetail;

    /// Does the work, on any thread. Buffers of the caller stay in `self`, even if this method panics.
    fn perform(&mut self) -> Result<Self::Value>;

    /// Makes the outcome for the front end. Runs on the loop's thread, so it must not block.
    fn outcome(self, ended: Result<Self::Value, Failure>) -> Outcome<F>;
}

/// Why a task has no result.
pub(crate) enum Failure {
    /// The work failed or was not run, with this error.
    Errno(Errno),
    /// The work panicked with this payload.
    Panicked(Box<dyn Any + Send>),
}

impl From<Failure> for Errno {
    fn from(failure: Failure) -> Errno {
        match failure {
            Failure::Errno(errno) => errno,
            // Some outcomes have only an error number; the panic message is on stderr.
            Failure::Panicked(_) => Errno::UNKNOWN,
        }
    }
}

/// A task while it is in the pool. The loop's thread both allocates and drops it: memory that one thread allocates and
/// another frees costs both threads a lock.
struct PoolTask<F: Face, T: Task<F>> {
    task: T,
    request: RequestId,
    /// The result, once there is one.
    ended: Option<Result<T::Value, Failure>>,
    /// The start and end of the task, which the pool thread fills in if there is an observer.
    span: Option<Span>,
    /// The mailbox for the finished task. `None` once the task is in it: a task in the mailbox that references the
    /// mailbox would be a cycle.
    mailbox: Option<Arc<Mailbox<F>>>,
}

/// The thread and the times at which a task ran, by the monotonic clock. All fields are zero if it was cancelled.
#[derive(Clone, Copy, Default)]
struct Span {
    started_ns: u64,
    finished_ns: u64,
    thread: u32,
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
        if let Some(span) = &mut self.span {
            *span = Span { started_ns: clock::monotonic_ns(), finished_ns: 0, thread: thread_number() };
        }
        // The closure is unwind safe: after a panic the task is only used to return the caller's buffer.
        let ended = match catch_unwind(AssertUnwindSafe(|| self.task.perform())) {
            Ok(result) => result.map_err(Failure::Errno),
            Err(payload) => Err(Failure::Panicked(payload)),
        };
        if let Some(span) = &mut self.span {
            span.finished_ns = clock::monotonic_ns();
        }
        self.end(ended);
    }

    fn give_up(self: Box<Self>, why: Errno) {
        self.end(Err(Failure::Errno(why)));
    }
}

/// A finished task in the mailbox of a loop.
pub(crate) trait FinishedTask<F: Face>: Send {
    fn completed(self: Box<Self>) -> Option<Completed<F>>;
}

impl<F: Face, T: Task<F>> FinishedTask<F> for PoolTask<F, T> {
    fn completed(self: Box<Self>) -> Option<Completed<F>> {
        let PoolTask { task, request, ended, span, .. } = *self;
        let Span { started_ns, finished_ns, thread } = span.unwrap_or_default();
        Some(Completed { request, outcome: task.outcome(ended?), started_ns, finished_ns, thread })
    }
}

impl<F: Face> Loop<F> {
    /// Submits a task to the pool for a new request.
    pub(crate) fn submit<T: Task<F>>(
        &mut self,
        kind: RequestKind,
        class: Class,
        face: F::Request,
        task: T,
    ) -> RequestId {
        let body = RequestBody::Task { kind, ticket: None, queued_ns: 0 };
        let id = self.requests.add(body, face);
        let is_observed = self.instrumentation.has_observers();
        let queued = if is_observed { clock::monotonic_ns() } else { 0 };
        self.instrumentation.request_begun(id, kind, None);
        let span = is_observed.then(Span::default);
        if let Some(details) = &mut self.task_details {
            details.insert(id, task.detail());
        }
        let pool_task = PoolTask { task, request: id, ended: None, span, mailbox: Some(self.mailbox.clone()) };
        let submitted = self.platform.submit(Box::new(pool_task), class);
        if let Some(Request { body: RequestBody::Task { ticket, queued_ns, .. }, .. }) = self.requests.get_mut(id.0) {
            *ticket = Some(submitted);
            *queued_ns = queued;
        }
        id
    }

    /// Turns a finished task into its event.
    pub(crate) fn task_done(&mut self, ended: Box<dyn FinishedTask<F>>) -> Option<Event<F>> {
        let completed = ended.completed()?;
        let request = self.requests.remove(completed.request.0)?;
        if let Some(details) = &mut self.task_details {
            details.remove(&completed.request);
        }
        let RequestBody::Task { kind, queued_ns, .. } = request.body else { return None };
        self.observe_task_done(&completed, kind, queued_ns);
        Some(Event::Done(request.face, completed.outcome))
    }
}
