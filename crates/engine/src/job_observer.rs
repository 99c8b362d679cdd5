//! An observer of microtasks, for records of what a program does: [`Scope::observe_microtasks`].
//!
//! Without an observer each microtask costs one branch. A number that the observer gives to a new reaction or microtask is kept by the position
//! of its job in the queue, or, for a reaction to a pending promise, in an object that takes the place of the reaction's context and has it.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use crate::async_stack::function_of_job;
use crate::exception::Fallible;
use crate::function::Function;
use crate::local::Local;
use crate::object::Object;
use crate::raw::{self, RawObject, RawValue};
use crate::scope::Scope;
use crate::value::Value;

/// What happens to a microtask.
#[derive(Debug)]
pub enum MicrotaskStep<'a> {
    /// It begins. The function is the one that it calls, or the async function that it resumes, if it is one of JavaScript. The number is that of
    /// [`MicrotaskObserver::made`], or 0.
    Begins(Option<Local<'a, Function>>, u64),
    /// It has ended.
    Ends,
}

/// An observer of the microtasks of a runtime.
pub trait MicrotaskObserver {
    /// Code asks for a microtask: it calls `queueMicrotask` or `then`, or awaits (`is_reaction`). Returns a number for it, or 0.
    fn made(&self, scope: Scope<'_>, is_reaction: bool) -> u64;

    /// A microtask begins or ends.
    fn run(&self, scope: Scope<'_>, step: MicrotaskStep<'_>);
}

/// The observer, and the numbers of jobs in the queue.
#[derive(Default)]
pub(crate) struct JobObserver {
    is_on: Cell<bool>,
    /// Whether a number was kept with a reaction. From then on all data of reactions may be a [`Numbered`].
    has_numbered: Cell<bool>,
    observer: RefCell<Option<Rc<dyn MicrotaskObserver>>>,
    /// Each with the number of its job, counted as the queue does.
    numbers: RefCell<VecDeque<(u64, u64)>>,
    /// `numbers` of the queues that the engine has put aside.
    interrupted: RefCell<Vec<VecDeque<(u64, u64)>>>,
}

/// The payload of an object that stands for a reaction's context, which is its property [`CONTEXT`].
struct Numbered(u64);

const CONTEXT: &str = "context";

impl JobObserver {
    #[inline]
    pub(crate) fn is_on(&self) -> bool {
        self.is_on.get()
    }

    pub(crate) fn begin_interruption(&self) {
        let saved = self.numbers.take();
        self.interrupted.borrow_mut().push(saved);
    }

    pub(crate) fn end_interruption(&self) {
        if let Some(saved) = self.interrupted.borrow_mut().pop() {
            self.numbers.replace(saved);
        }
    }

    pub(crate) fn clear(&self) {
        self.is_on.set(false);
        self.observer.take();
    }

    fn current(&self) -> Option<Rc<dyn MicrotaskObserver>> {
        self.observer.borrow().clone()
    }

    /// Code asks for the job with this position in the queue.
    #[cold]
    pub(crate) fn job_made(&self, scope: Scope<'_>, job: u64, is_reaction: bool) {
        let number = self.current().map_or(0, |observer| observer.made(scope, is_reaction));
        let mut numbers = self.numbers.borrow_mut();
        // The engine may have asked without queueing a job.
        if numbers.back().is_some_and(|(last, _)| *last == job) {
            numbers.pop_back();
        }
        if number != 0 {
            numbers.push_back((job, number));
        }
    }

    /// Code makes a reaction to a pending promise, in a context. Returns an object to keep for it instead, if it gets a number.
    #[cold]
    pub(crate) fn reaction_made<'s>(
        &self,
        scope: Scope<'s>,
        context: Local<'_, Value>,
    ) -> Fallible<Option<Local<'s, Object>>> {
        let number = self.current().map_or(0, |observer| observer.made(scope, true));
        if number == 0 {
            return Ok(None);
        }
        self.has_numbered.set(true);
        let object = Object::with_payload(scope, None, Numbered(number))?;
        object.set_prototype(scope, None)?;
        object.set(scope, CONTEXT, context)?;
        Ok(Some(object))
    }

    /// The context that was kept for a reaction, and its number, from the object that [`JobObserver::reaction_made`] may have made.
    #[inline]
    pub(crate) fn unwrap(&self, scope: Scope<'_>, kept: RawValue) -> (RawValue, u64) {
        if !self.has_numbered.get() || !kept.is_object() {
            return (kept, 0);
        }
        self.unwrap_object(scope, kept)
    }

    #[cold]
    fn unwrap_object(&self, scope: Scope<'_>, kept: RawValue) -> (RawValue, u64) {
        // SAFETY: the value was just read.
        let object: Local<'_, Object> = unsafe { scope.root(kept) };
        match object.payload::<Numbered>() {
            // The property is the object's own, so that no JavaScript runs.
            Some(Numbered(number)) => {
                (object.get(scope, CONTEXT).map_or(raw::undefined(), |value| value.raw()), *number)
            }
            None => (kept, 0),
        }
    }

    /// A job begins: it has this position in the queue. `kept` is the number that was kept with its reaction.
    #[cold]
    pub(crate) fn job_begins(&self, scope: Scope<'_>, job: u64, kept: u64, task: Local<'_, Value>) {
        let mut number = kept;
        let mut numbers = self.numbers.borrow_mut();
        while let Some(&(first, of_first)) = numbers.front()
            && first <= job
        {
            if first == job {
                number = of_first;
            }
            numbers.pop_front();
        }
        drop(numbers);
        let Some(observer) = self.current() else { return };
        let function = task.cast::<Function>().or_else(|| {
            // SAFETY: the task is rooted, and what is found is rooted at once.
            unsafe {
                let function: *mut RawObject = function_of_job(task.raw())?;
                scope.value(raw::object(function)).cast()
            }
        });
        observer.run(scope, MicrotaskStep::Begins(function, number));
    }

    #[cold]
    pub(crate) fn job_ends(&self, scope: Scope<'_>) {
        if let Some(observer) = self.current() {
            observer.run(scope, MicrotaskStep::Ends);
        }
    }
}

impl Scope<'_> {
    /// Sets the observer of microtasks, or removes it.
    pub fn observe_microtasks(self, observer: Option<Rc<dyn MicrotaskObserver>>) {
        let jobs = &self.state().contexts.observer;
        jobs.is_on.set(observer.is_some());
        let before = jobs.observer.replace(observer);
        drop(before);
    }
}
