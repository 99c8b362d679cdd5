//! The single entry point into JavaScript, and the drain after each call.
//!
//! As `lib/internal/process/task_queues.js: processTicksAndRejections` and `src/api/callback.cc: InternalCallbackScope::Close`: if ticks
//! are queued, run ticks, then microtasks, until both queues are empty. If none are queued, run microtasks first, then the ticks that they
//! queued. Then report unhandled rejections, and repeat if that queued work. After a callback whose exception was handled there is no
//! drain: the next drain runs what it queued.

use std::io::Write;

use phasor_core::Event;
use phasor_engine::{Fallible, Object, Scope, Thrown};

use crate::face::JsFace;
use crate::state::{Hook, State};

/// The JavaScript thread is exiting: no more JavaScript may run.
#[derive(Debug, Clone, Copy)]
pub struct Exiting;

/// How a JavaScript call ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ended {
    /// The callback returned.
    Completed,
    /// The callback threw, and the exception was handled ('uncaughtException').
    Threw,
}

type Flow<T = ()> = Result<T, Exiting>;

impl State {
    /// Calls the JavaScript for an event, then drains.
    pub(crate) fn dispatch(&self, scope: Scope<'_>, event: Event<JsFace>) -> Flow {
        if let Some(own) = self.own.get() {
            match event {
                Event::Check(id) if id == own.check => return self.run_immediates(scope),
                Event::Idle(id) if id == own.idle => return Ok(()),
                Event::Timer(id) if id == own.timer => return self.run_timers(scope),
                _ => {}
            }
        }
        if self.is_recorded() {
            self.scheduler.set_unlocated(scope);
        }
        let result = match event {
            Event::Attention => {
                self.serve_tools(scope);
                return Ok(());
            }
            Event::Done(request, outcome) => request.on_done(scope, outcome),
            Event::Closed(handle) => handle.on_closed(scope),
            event => match event.handle().and_then(|id| Some((id, self.core().face(id)?.clone()))) {
                Some((id, handle)) => handle.on_event(scope, id, event),
                None => Ok(()),
            },
        };
        self.sample_after_return(scope);
        let undrained = self.undrained.take();
        let ended = self.settled(scope, result)?;
        self.leave_scopes(scope);
        let drained = match ended {
            Ended::Completed if !undrained => self.drain(scope),
            _ => Ok(()),
        };
        self.run_deferred_drops();
        drained
    }

    /// Skips the drain after the current event. For handlers that call no JavaScript, or that drain after each of several calls.
    pub fn skip_drain(&self) {
        self.undrained.set(true);
    }

    /// Drains between two calls for one event, where Node does so. Returns false if a tick threw or JavaScript may no longer run.
    pub fn drain_between(&self, scope: Scope<'_>) -> bool {
        matches!(self.run_next_ticks(scope), Ok(Ended::Completed))
    }

    /// Runs ticks and microtasks until both queues are empty, and reports rejections.
    pub(crate) fn drain(&self, scope: Scope<'_>) -> Flow {
        self.run_next_ticks(scope).map(|_| ())
    }

    /// Drains the queues like [`drain`](State::drain), and returns whether a tick threw.
    #[inline]
    pub(crate) fn run_next_ticks(&self, scope: Scope<'_>) -> Flow<Ended> {
        if !self.scheduler.has_ticks(scope) {
            if scope.has_microtasks() {
                self.recorded_microtasks(scope, || self.run_microtasks(scope))?;
            }
            if !self.scheduler.has_ticks(scope) && !self.scheduler.has_rejections(scope) {
                scope.clear_kept_objects();
                return Ok(Ended::Completed);
            }
        }
        scope.nested(|scope| match self.call_hook(scope, Hook::ProcessTicks, &[]) {
            Some(result) => self.settled(scope, result),
            None => Ok(Ended::Completed),
        })
    }

    /// Runs microtasks until the queue is empty. Reports an exception before the next one.
    pub(crate) fn run_microtasks(&self, scope: Scope<'_>) -> Flow {
        self.watch_microtasks(scope);
        while let Err(thrown) = scope.run_microtasks() {
            self.report(scope, thrown)?;
        }
        scope.clear_kept_objects();
        if self.leaving.get().is_some() || self.poll_control() { Err(Exiting) } else { Ok(()) }
    }

    /// The result of a call: an exception is reported.
    pub(crate) fn settled<T>(&self, scope: Scope<'_>, result: Fallible<T>) -> Flow<Ended> {
        match result {
            Ok(_) if self.leaving.get().is_some() => Err(Exiting),
            Ok(_) => Ok(Ended::Completed),
            Err(thrown) => self.report(scope, thrown).map(|()| Ended::Threw),
        }
    }

    /// Passes an exception to the fatal exception handler. If that does not handle it, the thread exits.
    pub(crate) fn report(&self, scope: Scope<'_>, thrown: Thrown) -> Flow {
        scope.nested(|scope| {
            let exception = scope.caught(thrown);
            if self.leaving.get().is_some() || self.poll_control() {
                return Err(Exiting);
            }
            // Ctrl-C at the prompt has ended a callback. The loop goes on.
            if exception.is_none() && self.take_interruption() {
                self.leave_scopes(scope);
                return Ok(());
            }
            let Some(exception) = exception else {
                // Terminated by nothing that this thread knows: the engine is out of memory in a way that cannot be caught.
                self.leaving.set(Some(1));
                return Err(Exiting);
            };
            let result = self.call_hook(scope, Hook::Fatal, &[exception]);
            if self.leaving.get().is_some() || self.poll_control() {
                return Err(Exiting);
            }
            match result {
                Some(Ok(_)) => {
                    self.leave_scopes(scope);
                    Ok(())
                }
                result => {
                    // The handler itself failed: the engine is out of memory or stack, or was never bootstrapped.
                    let exception = match result {
                        Some(Err(thrown)) => scope.caught(thrown).unwrap_or(exception),
                        _ => exception,
                    };
                    let mut text = exception.to_text(scope).unwrap_or_default();
                    if let Some(object) = exception.cast::<Object>()
                        && let Ok(stack) = object.get_as::<String>(scope, "stack")
                    {
                        text = format!("{text}\n{stack}");
                    }
                    // Ignore a write error: standard error may be closed.
                    let _ = writeln!(std::io::stderr(), "phasor: an exception could not be reported: {text}");
                    self.leaving.set(Some(7));
                    Err(Exiting)
                }
            }
        })
    }
}
