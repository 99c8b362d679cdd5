//! Promises (ECMA-262 section 27.2), and unhandled rejections.

use super::{Model, Thrown};
use crate::{Awaits, Body, End, Fate, Handler, Op, Settlement, Stage};

pub(super) struct Promise<'a> {
    state: State,
    /// Whether it was resolved, possibly with a promise that is pending.
    resolved: bool,
    /// Whether a program can settle it.
    open: bool,
    handled: bool,
    /// Whether it was reported as unhandled.
    reported: bool,
    reactions: Vec<Reaction<'a>>,
}

#[derive(Clone, Copy)]
enum State {
    Pending,
    Fulfilled,
    Rejected(Thrown),
}

/// What runs when a promise is settled.
#[derive(Clone, Copy)]
pub(super) enum Reaction<'a> {
    /// Calls a handler if there is one, and settles the promise `result`.
    Then { on_fulfilled: Option<&'a Handler>, on_rejected: Option<&'a Handler>, result: usize },
    /// Settles another promise in the same way.
    Follow(usize),
    /// Resumes an async function.
    Resume(Call<'a>),
}

/// A suspended call of an async function.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    /// The current `await` and the following ones; never empty.
    stages: &'a [Stage],
    end: End,
    result: usize,
}

/// A microtask.
pub(super) enum Job<'a> {
    Call(&'a Body),
    React(Reaction<'a>, Result<(), Thrown>),
    /// Calls the `then` of the second promise, with which the first was resolved.
    Adopt(usize, usize),
    /// Calls the `then` of a thenable.
    Thenable(Call<'a>),
}

impl<'a> Model<'a> {
    pub(super) fn run_job(&mut self, job: Job<'a>) {
        match job {
            Job::Call(body) => {
                self.call(body);
            }
            Job::Adopt(promise, other) => self.react(other, Reaction::Follow(promise)),
            Job::Thenable(call) => self.jobs.push_back(Job::React(Reaction::Resume(call), Ok(()))),
            Job::React(Reaction::Follow(promise), fate) => self.settle(promise, fate),
            Job::React(Reaction::Resume(call), fate) => self.resume(call, fate),
            Job::React(Reaction::Then { on_fulfilled, on_rejected, result }, fate) => {
                let handler = if fate.is_ok() { on_fulfilled } else { on_rejected };
                match handler {
                    None => self.settle(result, fate),
                    Some(handler) => match self.run(&handler.body) {
                        Ok(()) => self.end(result, handler.end),
                        Err(thrown) => self.settle(result, Err(thrown)),
                    },
                }
            }
        }
    }

    pub(super) fn promise_op(&mut self, op: &'a Op, number: u32) {
        match op {
            Op::Promise(fate) => {
                let promise = self.new_promise(*fate == Fate::Pending);
                self.table.push(promise);
                match fate {
                    Fate::Pending => {}
                    Fate::Fulfilled => self.settle(promise, Ok(())),
                    Fate::Rejected => self.settle(promise, Err(Thrown::By(number))),
                }
            }
            Op::Settle(pick, how) => {
                let Some(promise) = self.picked(*pick).filter(|promise| self.promises[*promise].open) else { return };
                if std::mem::replace(&mut self.promises[promise].resolved, true) {
                    return;
                }
                match how {
                    Settlement::Value => self.settle(promise, Ok(())),
                    Settlement::Error => self.settle(promise, Err(Thrown::By(number))),
                    Settlement::Promise(other) => self.end(promise, End::Promise(*other)),
                }
            }
            Op::Then(pick, on_fulfilled, on_rejected) => {
                let Some(promise) = self.picked(*pick) else { return };
                let result = self.new_promise(false);
                self.react(
                    promise,
                    Reaction::Then { on_fulfilled: on_fulfilled.as_ref(), on_rejected: on_rejected.as_ref(), result },
                );
                self.table.push(result);
            }
            Op::Async(first, stages, end) => {
                let result = self.new_promise(false);
                match self.run(first) {
                    Ok(()) => self.wait_or_end(stages, *end, result),
                    Err(thrown) => self.settle(result, Err(thrown)),
                }
                // The caller gets the promise only now.
                self.table.push(result);
            }
            _ => {}
        }
    }

    fn new_promise(&mut self, open: bool) -> usize {
        let promise = Promise {
            state: State::Pending,
            resolved: false,
            open,
            handled: false,
            reported: false,
            reactions: Vec::new(),
        };
        self.promises.push(promise);
        self.promises.len() - 1
    }

    fn picked(&self, pick: u8) -> Option<usize> {
        (!self.table.is_empty()).then(|| self.table[usize::from(pick) % self.table.len()])
    }

    /// Resolves a promise with the return value of a function.
    fn end(&mut self, promise: usize, end: End) {
        let other = match end {
            End::Value => None,
            End::Promise(pick) => self.picked(pick),
        };
        match other {
            None => self.settle(promise, Ok(())),
            Some(other) if other == promise => self.settle(promise, Err(Thrown::Cycle)),
            Some(other) => self.jobs.push_back(Job::Adopt(promise, other)),
        }
    }

    fn settle(&mut self, at: usize, fate: Result<(), Thrown>) {
        let promise = &mut self.promises[at];
        promise.state = match fate {
            Ok(()) => State::Fulfilled,
            Err(thrown) => State::Rejected(thrown),
        };
        if fate.is_err() && !promise.handled {
            self.rejected.push_back(at);
        }
        for reaction in std::mem::take(&mut self.promises[at].reactions) {
            self.jobs.push_back(Job::React(reaction, fate));
        }
    }

    fn react(&mut self, at: usize, reaction: Reaction<'a>) {
        let promise = &mut self.promises[at];
        let was_handled = std::mem::replace(&mut promise.handled, true);
        match promise.state {
            State::Pending => promise.reactions.push(reaction),
            State::Fulfilled => self.jobs.push_back(Job::React(reaction, Ok(()))),
            State::Rejected(thrown) => {
                if !was_handled {
                    self.mark_handled(at);
                }
                self.jobs.push_back(Job::React(reaction, Err(thrown)));
            }
        }
    }

    // Async functions.

    fn wait_or_end(&mut self, stages: &'a [Stage], end: End, result: usize) {
        let Some(stage) = stages.first() else {
            return self.end(result, end);
        };
        let call = Call { stages, end, result };
        match stage.awaits {
            Awaits::Promise(pick) => match self.picked(pick) {
                Some(promise) => self.react(promise, Reaction::Resume(call)),
                None => self.jobs.push_back(Job::React(Reaction::Resume(call), Ok(()))),
            },
            Awaits::Value => self.jobs.push_back(Job::React(Reaction::Resume(call), Ok(()))),
            Awaits::Thenable => self.jobs.push_back(Job::Thenable(call)),
        }
    }

    fn resume(&mut self, call: Call<'a>, fate: Result<(), Thrown>) {
        let (stage, rest) = match call.stages {
            [stage, rest @ ..] => (stage, rest),
            [] => return,
        };
        if let Err(thrown) = fate {
            if !stage.caught {
                return self.settle(call.result, Err(thrown));
            }
            self.say(format!("caught {thrown} before {}", stage.body.number));
        }
        match self.run(&stage.body) {
            Ok(()) => self.wait_or_end(rest, call.end, call.result),
            Err(thrown) => self.settle(call.result, Err(thrown)),
        }
    }

    // Rejections.

    /// Handled in time if the rejection was not reported yet.
    fn mark_handled(&mut self, at: usize) {
        self.rejected.retain(|waiting| *waiting != at);
        if self.promises[at].reported {
            self.handled_late.push_back(at);
        }
    }

    /// Reports the rejections. Returns whether this may have queued work.
    pub(super) fn report_rejections(&mut self) -> bool {
        let mut reported = false;
        while let Some(promise) = self.handled_late.pop_front() {
            reported = true;
            let place = self.place(promise);
            self.say(format!("handled {place}"));
            self.answer();
        }
        for promise in std::mem::take(&mut self.rejected) {
            self.promises[promise].reported = true;
            let State::Rejected(thrown) = self.promises[promise].state else { continue };
            reported = true;
            if self.program.listens {
                let place = self.place(promise);
                self.say(format!("unhandled {thrown} {place}"));
                self.answer();
            } else {
                self.uncaught(thrown, " rejection");
            }
        }
        reported || !self.rejected.is_empty()
    }

    /// The promise's index among those that a [`Pick`](crate::Pick) can select; the script finds it by `indexOf`.
    fn place(&self, promise: usize) -> String {
        self.table.iter().position(|other| *other == promise).map_or("-1".to_owned(), |place| place.to_string())
    }
}
