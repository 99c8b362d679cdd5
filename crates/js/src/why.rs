//! Reports what keeps the loop of this thread alive. The loop and the objects attached to its handles and requests
//! provide one part; the builtin `internal/why` adds what JavaScript knows: timers, immediates, and the objects of the
//! program.
//!
//! With the environment variable `PHASOR_WHY=1` the stack is captured where handles, requests, timers and immediates are made.

use std::cell::RefCell;

use phasor_core::{Reason, monotonic_ns};
use phasor_engine::{Array, Fallible, FromJs, Function, IntoJs, Local, Object, Scope, StackFrame, Value};
use phasor_lens::{Location, LoopActivity, Origins, ResourceId, WhyEntry, WhyLoop};

use crate::builtins;
use crate::recording::readable_name;
use crate::state::State;

/// The environment variable. If it is `1`, stacks are captured.
const VARIABLE: &str = "PHASOR_WHY";

/// The most frames of a stack that are captured. The innermost frames may belong to the runtime.
const MOST_FRAMES: u32 = 24;

/// The description of a handle or request that keeps the loop alive.
#[derive(Debug)]
pub struct About<'s> {
    /// The part of the description that the loop provides.
    pub entry: WhyEntry,
    /// The number of the stack of the code that made the handle or request; 0 if it was not captured.
    pub stack: u32,
    /// The JavaScript object of the handle or request.
    pub object: Option<Local<'s, Object>>,
    /// The function that is called for the events of the object. It may belong to the runtime.
    pub callback: Option<Local<'s, Function>>,
}

/// The origins of handles and requests, if they are collected.
#[derive(Debug, Default)]
pub(crate) struct OriginCollection(RefCell<Option<Origins>>);

impl State {
    /// Starts to collect the origins of handles and requests, if the environment asks for it.
    pub(crate) fn link_origins(&self) {
        if std::env::var_os(VARIABLE).is_none_or(|value| value != "1") {
            return;
        }
        let (origins, end) = (Origins::default(), self.native_end());
        // The observer is notified in the middle of a call of the loop, when no stack may be captured.
        self.core().add_observer(origins.observer(move || end.request()));
        self.origins.0.replace(Some(origins));
    }

    /// Attaches the stack to the objects that were made by the native function that has just ended.
    pub(crate) fn settle_origins(&self, scope: Scope<'_>) {
        let origins = self.origins.0.borrow();
        if let Some(origins) = origins.as_ref().filter(|origins| origins.wants_stack()) {
            origins.settle(capture_stack(scope));
        }
    }

    /// Whether origins are collected.
    pub(crate) fn collects_origins(&self) -> bool {
        self.origins.0.borrow().is_some()
    }

    /// Lists everything that keeps the loop alive, except timers and immediates. All timers share one handle, and so do
    /// all immediates; these two handles are left out.
    pub fn reasons_alive<'s>(&self, scope: Scope<'s>) -> Vec<About<'s>> {
        self.sync_handles(scope);
        let reasons = self.core().why_alive();
        let own = self.own.get();
        let is_own = |reason: &Reason| match (reason, own) {
            (Reason::Handle(id, _), Some(own)) => [own.timer, own.check, own.idle].contains(id),
            _ => false,
        };
        reasons.into_iter().filter(|reason| !is_own(reason)).map(|reason| self.about(scope, reason)).collect()
    }

    fn about<'s>(&self, scope: Scope<'s>, reason: Reason) -> About<'s> {
        let resource = match reason {
            Reason::Handle(id, _) | Reason::Closing(id, _) | Reason::Pending(id, _) => ResourceId::handle(id),
            Reason::Request(id, _) => ResourceId::request(id),
            Reason::Counted(_) => ResourceId::NONE,
        };
        let origin = self.origins.0.borrow().as_ref().and_then(|origins| origins.of(resource));
        let core = self.core();
        let mut entry = WhyEntry::of_reason(&core, reason);
        entry.age_ms = origin.map(|origin| origin.age_ms());
        let stack = origin.map_or(0, |origin| origin.stack);
        let mut about = About { entry, stack, object: None, callback: None };
        match reason {
            Reason::Handle(id, _) | Reason::Closing(id, _) | Reason::Pending(id, _) => {
                let face = core.face(id).cloned();
                drop(core);
                if let Some(face) = face {
                    face.describe(scope, &mut about);
                }
            }
            Reason::Request(id, _) => {
                if let Some(request) = core.request_face(id) {
                    request.describe(scope, &mut about);
                }
            }
            Reason::Counted(_) => {}
        }
        about
    }

    /// Lists everything that keeps the loop alive. Runs JavaScript of the runtime, so it is called between two
    /// callbacks.
    ///
    /// # Errors
    ///
    /// An exception of the engine: it is out of memory, or the thread is being terminated.
    pub fn why_alive(&self, scope: Scope<'_>) -> Fallible<WhyLoop> {
        let builtin: Local<'_, Object> = FromJs::from_js(scope, builtins::require(scope, "internal/why")?)?;
        let entries: Local<'_, Function> = builtin.get_as(scope, "entries")?;
        let entries = Vec::<Local<'_, Object>>::from_js(scope, entries.call(scope, scope.undefined(), &[])?)?;
        let entries = entries.into_iter().map(|entry| entry_of(scope, entry)).collect::<Fallible<_>>()?;
        let thread = match self.options().thread_id {
            0 => "main".to_owned(),
            id => format!("worker {id}"),
        };
        Ok(WhyLoop { thread, activity: LoopActivity::of_idle(&self.core()), entries })
    }
}

/// The entry of an object of `internal/why`.
fn entry_of(scope: Scope<'_>, object: Local<'_, Object>) -> Fallible<WhyEntry> {
    let callback: Option<Local<'_, Object>> = object.get_as(scope, "callback")?;
    let stack: Option<Vec<Local<'_, Object>>> = object.get_as(scope, "stack")?;
    let stack = stack.unwrap_or_default().into_iter();
    Ok(WhyEntry {
        kind: object.get_as(scope, "kind")?,
        what: object.get_as(scope, "what")?,
        has_ref: object.get_as(scope, "hasRef")?,
        age_ms: object.get_as(scope, "ageMs")?,
        deadline_ms: object.get_as(scope, "deadlineMs")?,
        created_at: stack.map(|frame| location_of(scope, frame)).collect::<Fallible<_>>()?,
        callback: callback.map(|site| location_of(scope, site)).transpose()?,
        remedy: object.get_as(scope, "remedy")?,
    })
}

fn location_of(scope: Scope<'_>, object: Local<'_, Object>) -> Fallible<Location> {
    Ok(Location {
        function: object.get_as(scope, "function")?,
        file: object.get_as(scope, "file")?,
        line: object.get_as(scope, "line")?,
        column: object.get_as(scope, "column")?,
    })
}

/// The number of the stack of the JavaScript that runs, for [`stack_frames`].
pub(crate) fn capture_stack(scope: Scope<'_>) -> u32 {
    scope.stack_number(MOST_FRAMES).number
}

/// The monotonic clock in milliseconds.
pub(crate) fn now_ms() -> f64 {
    monotonic_ns() as f64 / 1e6
}

/// The frames of a numbered stack that have a file, the innermost first: `{ file, line, column, function }`.
///
/// # Errors
///
/// When there is no memory for them.
pub fn stack_frames(scope: Scope<'_>, stack: u32) -> Fallible<Local<'_, Array>> {
    let frame = |StackFrame { function, file, line, column, .. }: StackFrame| {
        Some(site_object(scope, &readable_name(&function.unwrap_or_default()), &file?, line, column))
    };
    let frames = scope.numbered_frames(stack).into_iter().filter_map(frame);
    let frames: Vec<Local<'_, Value>> = frames.map(|frame| frame?.into_js(scope)).collect::<Fallible<_>>()?;
    Array::new(scope, &frames)
}

/// Where a function is defined, as a frame of [`stack_frames`]; `None` for a native function.
///
/// # Errors
///
/// When there is no memory for it.
pub fn function_site<'s>(scope: Scope<'s>, function: Local<'s, Function>) -> Fallible<Option<Local<'s, Object>>> {
    let Some(site) = scope.function_site(function) else { return Ok(None) };
    site_object(scope, &readable_name(&site.name), &site.file, site.line, site.column).map(Some)
}

fn site_object<'s>(scope: Scope<'s>, name: &str, file: &str, line: u32, column: u32) -> Fallible<Local<'s, Object>> {
    let object = Object::new(scope);
    object.set(scope, "file", file)?;
    object.set(scope, "line", line)?;
    object.set(scope, "column", column)?;
    object.set(scope, "function", name)?;
    Ok(object)
}
