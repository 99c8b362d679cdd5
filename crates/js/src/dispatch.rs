//! The single entry point into JavaScript, and the drain after each call.
//!
//! As `lib/internal/process/task_queues.js: processTicksAndRejections` and `src/api/callback.cc:
//! InternalCallbackScope::Close`: if ticks are queued, run ticks, then microtasks, until both queues are empty. If none
//! are queued, run microtasks first, then the ticks that they queued. Then report unhandled rejections, and repeat if
//! that queued work. After a callback whose exception was handled there is no drain: the next drain runs what it
//! queued.
//!
//! # Safety
//! Takes the engine's pending exception and passes it on. Each reference is released once.
#![allow(unsafe_code)]

use std::io::Write;

use phasor_core::Event;
use rquickjs::{Ctx, Error, qjs};

use crate::face::JsFace;
use crate::host::AtExit;
use crate::raw::{self, Raw};
use crate::state::{Hook, State};

/// The JavaScript thread is exiting: no more JavaScript may run.
#[derive(Debug, Clone, Copy)]
pub struct Exiting;

/// How a JavaScript call ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// It returned.
    Completed,
    /// It threw, and the exception was handled ('uncaughtException').
    Threw,
}

type Flow<T = ()> = Result<T, Exiting>;

impl State {
    /// Calls the JavaScript for an event, then drains.
    pub(crate) fn dispatch(&self, ctx: &Ctx<'_>, event: Event<JsFace>) -> Flow {
        if let Some(own) = self.own.get() {
            match event {
                Event::Check(id) if id == own.check => return self.run_immediates(),
                Event::Idle(id) if id == own.idle => return Ok(()),
                Event::Timer(id) if id == own.timer => return self.run_timers(),
                _ => {}
            }
        }
        let result = match event {
            Event::Done(request, outcome) => request(ctx, outcome),
            Event::Closed(handle) => handle.on_closed(ctx),
            event => match event.handle().and_then(|id| Some((id, self.core().face(id)?.clone()))) {
                Some((id, handle)) => handle.on_event(ctx, id, event),
                None => Ok(()),
            },
        };
        let undrained = self.undrained.take();
        let ended = self.settled(ctx, result)?;
        self.leave_all();
        let drained = match ended {
            Ended::Completed if !undrained => self.drain(),
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
    pub fn drain_between(&self) -> bool {
        matches!(self.run_next_ticks(), Ok(Ended::Completed))
    }

    /// Runs ticks and microtasks until both queues are empty, and reports rejections.
    pub(crate) fn drain(&self) -> Flow {
        self.run_next_ticks().map(|_| ())
    }

    /// Whether there is nothing to drain.
    #[inline]
    pub(crate) fn is_drained(&self) -> bool {
        self.no_ticks() && !self.has_microtasks() && self.no_rejections()
    }

    /// As [`drain`](State::drain), and returns whether a tick threw.
    #[inline]
    pub(crate) fn run_next_ticks(&self) -> Flow<Ended> {
        if self.no_ticks() {
            if self.has_microtasks() {
                self.run_microtasks()?;
            }
            if self.no_ticks() && self.no_rejections() {
                return Ok(Ended::Completed);
            }
        }
        loop {
            if self.run_ticks()? == Ended::Threw {
                return Ok(Ended::Threw);
            }
            self.run_microtasks()?;
            if self.no_ticks() && !self.report_rejections()? {
                return Ok(Ended::Completed);
            }
        }
    }

    /// Calls a hook and returns its result, which the caller owns. Returns `None` if the hook is not installed or
    /// threw.
    pub(crate) fn call_hook(&self, hook: Hook, args: &mut [Raw]) -> Flow<Option<Raw>> {
        let function = self.hook(hook);
        if !raw::is_function(self.ctx, function) {
            return Ok(None);
        }
        let result = raw::call(self.ctx, function, qjs::JS_UNDEFINED, args);
        if raw::is_exception(result) {
            self.report()?;
            return Ok(None);
        }
        Ok(Some(result))
    }

    /// Releases a call's result. If it is an exception, reports it.
    #[inline]
    pub(crate) fn settle(&self, result: Raw) -> Flow<Ended> {
        if raw::is_exception(result) {
            self.report()?;
            return Ok(Ended::Threw);
        }
        raw::free(self.ctx, result);
        Ok(Ended::Completed)
    }

    /// As [`settle`](State::settle), for the result of a native.
    pub(crate) fn settled<T>(&self, ctx: &Ctx<'_>, result: rquickjs::Result<T>) -> Flow<Ended> {
        match result {
            Ok(_) if self.leaving.get().is_some() => Err(Exiting),
            Ok(_) => Ok(Ended::Completed),
            Err(Error::Exception) => self.report().map(|()| Ended::Threw),
            Err(error) => {
                // The native failed without throwing: convert the error to an exception.
                rquickjs::Exception::throw_message(ctx, &error.to_string());
                self.report().map(|()| Ended::Threw)
            }
        }
    }

    /// Passes the pending exception to the fatal exception handler. If that does not handle it, the thread exits.
    pub(crate) fn report(&self) -> Flow {
        // SAFETY: the pending exception becomes ours.
        let exception = unsafe { qjs::JS_GetException(self.ctx) };
        if self.leaving.get().is_some() || self.poll_control() {
            raw::free(self.ctx, exception);
            return Err(Exiting);
        }
        // Lift the memory limit: if it caused the exception, the handler needs memory as well.
        self.limit_memory(None);
        let result = raw::call(self.ctx, self.hook(Hook::Fatal), qjs::JS_UNDEFINED, &mut [exception]);
        raw::free(self.ctx, exception);
        self.limit_memory(self.options.heap_limit_bytes);
        if self.leaving.get().is_some() || self.poll_control() {
            if raw::is_exception(result) {
                self.drop_exception();
            }
            return Err(Exiting);
        }
        if raw::is_exception(result) {
            // The handler itself failed: the engine is out of memory or stack, or was never bootstrapped.
            self.drop_exception();
            // Ignore a write error: standard error may be closed.
            let _ = writeln!(std::io::stderr(), "phasor: an exception could not be reported");
            self.leaving.set(Some(7));
            return Err(Exiting);
        }
        raw::free(self.ctx, result);
        Ok(())
    }

    /// Sets or lifts the engine's memory limit, if the host was created with one.
    fn limit_memory(&self, bytes: Option<usize>) {
        let engines_own = self.options.at_exit == AtExit::Return && self.options.thread_control.is_none();
        if self.options.heap_limit_bytes.is_some() && engines_own {
            // SAFETY: the runtime lives as long as the host.
            unsafe { qjs::JS_SetMemoryLimit(self.runtime, bytes.unwrap_or(0) as _) };
        }
    }

    /// Drops the pending exception.
    pub(crate) fn drop_exception(&self) {
        // SAFETY: the pending exception becomes ours and is released.
        raw::free(self.ctx, unsafe { qjs::JS_GetException(self.ctx) });
    }
}
