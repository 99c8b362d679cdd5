//! Stack frames for the async functions that wait for the running job: V8's `at async f`. They follow the synchronous
//! frames of a stack.
//!
//! The engine's own asynchronous stacks are off, because they cost a stack for each promise (docs/decisions/0025). V8
//! has no such cost: it follows the reactions of promises when an error is made (`Isolate::CaptureAsyncStackTrace`).
//! This file does so too.
//!
//! # How
//!
//! The engine captures each stack by `JS::CaptureCurrentStack`. A program that is linked with [`WRAP_STACK_FLAG`] calls
//! [`capture_current_stack`] instead, which adds the waiting functions as the "asynchronous cause" of the first frame, a string that the engine
//! keeps and does not read. [`Local::stack_frames`](crate::Local::stack_frames) turns it into frames.
//!
//! # Safety
//!
//! The engine has no function for the reactions of a promise, nor for the position of a suspended function, so they are read from its objects:
//! the slots of reactions, combinators and generators (`Promise.cpp`, `GeneratorObject.h`, `AsyncIteration.h`) and the bytecode of a script
//! (`JSScript.h`, `SharedStencil.h`). The class of an object is checked first. The tests of conformance/errors fail if a new engine lays them
//! out differently. Nothing here allocates before the chain is read, so no object moves meanwhile.

use std::cell::Cell;
use std::ffi::{CStr, c_char};
use std::ptr;

use mozjs::jsapi;
use mozjs::rooted;

use crate::error_stack::{StackFrame, caller_of};
use crate::function::Function;
use crate::inspect::{engine_class, is_native, script_of};
use crate::local::Local;
use crate::raw::{self, RawContext, RawObject, RawString, RawValue};
use crate::runtime::{State, state_of};
use crate::scope::Scope;
use crate::string::JsString;

/// The linker flag that adds the waiting async functions to stacks. The build script of a program passes it, like
/// [`WRAP_FLAG`](crate::WRAP_FLAG).
pub const WRAP_STACK_FLAG: &str = "-Wl,--wrap=_ZN2JS19CaptureCurrentStackEP9JSContextNS_13MutableHandleIP8JSObjectEEON7mozilla7VariantIJNS_9AllFramesENS_9MaxFramesENS_18FirstSubsumedFrameEEEENS_6HandleIS4_EE";

/// The limit of asynchronous frames. V8's only limit is `Error.stackTraceLimit`; longer chains do not help a reader.
const MOST_FRAMES: usize = 200;

/// The limit of promises that are followed. Promises that wait for each other form a cycle.
const MOST_LINKS: usize = 1000;

/// Separates the frames, and their fields, in an asynchronous cause.
const FRAME_END: char = '\u{1}';
const FIELD_END: char = '\u{2}';

/// The job (microtask) that runs now.
#[derive(Default)]
pub(crate) struct RunningJob(Cell<*const RawValue>);

impl RunningJob {
    /// Sets the rooted slot of the job that begins. Returns the slot of the interrupted job; the caller sets it again
    /// when the new job ends.
    pub(crate) fn replace(&self, slot: *const RawValue) -> *const RawValue {
        self.0.replace(slot)
    }
}

impl Default for Chain {
    fn default() -> Chain {
        Chain { frames: Vec::new(), most: MOST_FRAMES }
    }
}

/// The waiting functions that were found so far.
struct Chain {
    frames: Vec<StackFrame>,
    most: usize,
}

type CaptureFn = unsafe extern "C" fn(
    *mut RawContext,
    jsapi::MutableHandleObject,
    *mut jsapi::StackCapture,
    jsapi::HandleObject,
) -> bool;

// The engine's function, or null in a program that is linked without the flag. Rust has no weak references to symbols.
std::arch::global_asm!(
    ".weak __real__ZN2JS19CaptureCurrentStackEP9JSContextNS_13MutableHandleIP8JSObjectEEON7mozilla7VariantIJNS_9AllFramesENS_9MaxFramesENS_18FirstSubsumedFrameEEEENS_6HandleIS4_EE",
    ".pushsection .data.rel.ro.phasor,\"aw\",@progbits",
    ".p2align 3",
    ".globl phasor_capture_current_stack",
    "phasor_capture_current_stack:",
    ".quad __real__ZN2JS19CaptureCurrentStackEP9JSContextNS_13MutableHandleIP8JSObjectEEON7mozilla7VariantIJNS_9AllFramesENS_9MaxFramesENS_18FirstSubsumedFrameEEEENS_6HandleIS4_EE",
    ".popsection",
);

/// Takes the place of `JS::CaptureCurrentStack`.
#[unsafe(export_name = "__wrap__ZN2JS19CaptureCurrentStackEP9JSContextNS_13MutableHandleIP8JSObjectEEON7mozilla7VariantIJNS_9AllFramesENS_9MaxFramesENS_18FirstSubsumedFrameEEEENS_6HandleIS4_EE")]
unsafe extern "C" fn capture_current_stack(
    cx: *mut RawContext,
    stack: jsapi::MutableHandleObject,
    capture: *mut jsapi::StackCapture,
    above: jsapi::HandleObject,
) -> bool {
    unsafe extern "C" {
        #[link_name = "phasor_capture_current_stack"]
        static REAL: Option<CaptureFn>;
    }
    // SAFETY: the engine calls this with a running context and rooted handles, as it would call its own function.
    unsafe {
        let Some(real) = REAL else { return false };
        let most = frame_limit(capture);
        if !real(cx, stack, capture, above) || (*stack.ptr).is_null() {
            return !jsapi::JS_IsExceptionPending(cx);
        }
        let state = state_of(cx);
        let job = state.contexts.running.0.get();
        if job.is_null() {
            return true;
        }
        let taken = frame_count(cx, *stack.ptr, most);
        let mut chain = Chain { frames: Vec::new(), most: most.saturating_sub(taken) };
        chain.follow_job((*job).to_object());
        chain.attach(state, stack)
    }
}

/// Returns the most frames that a capture asks for. The capture is the engine's variant of `AllFrames`, `MaxFrames` and
/// `FirstSubsumedFrame`, whose tag follows three words.
///
/// # Safety
///
/// `capture` points to a variant of the engine.
unsafe fn frame_limit(capture: *const jsapi::StackCapture) -> usize {
    // SAFETY: guaranteed by the caller; the layout is that of `mozilla::Variant`.
    unsafe {
        match *capture.cast::<u8>().add(24) {
            1 => *capture.cast::<u32>() as usize,
            0 => MOST_FRAMES,
            _ => 0,
        }
    }
}

/// How many frames a stack has; `most` at most.
///
/// # Safety
///
/// `frame` is a saved frame.
unsafe fn frame_count(cx: *mut RawContext, frame: *mut RawObject, most: usize) -> usize {
    rooted!(in(cx) let mut frame = frame);
    let mut count = 0;
    while !frame.get().is_null() && count < most {
        // SAFETY: the handle is rooted, and the object is a frame.
        frame.set(unsafe { caller_of(cx, frame.handle().into(), jsapi::SavedFrameSelfHosted::Exclude) });
        count += 1;
    }
    count
}

/// Reads a reserved slot of an object.
///
/// # Safety
///
/// The object is native and has the slot.
unsafe fn slot(object: *mut RawObject, index: u32) -> RawValue {
    let mut value = raw::undefined();
    // SAFETY: guaranteed by the caller.
    unsafe { mozjs::glue::JS_GetReservedSlot(object, index, &raw mut value) };
    value
}

/// The object in a slot, if its class has the name `class`.
///
/// # Safety
///
/// The requirements of [`slot`].
unsafe fn object_in(object: *mut RawObject, index: u32, class: &str) -> Option<*mut RawObject> {
    // SAFETY: guaranteed by the caller.
    let value = unsafe { slot(object, index) };
    (value.is_object() && engine_class(value.to_object()) == class).then(|| value.to_object())
}

/// The object that a builtin function has in one of its extended slots.
///
/// # Safety
///
/// The value was just read.
unsafe fn kept_by(function: RawValue, index: usize) -> Option<RawValue> {
    // SAFETY: guaranteed by the caller; the code first checks that the function has these slots.
    unsafe {
        let function = function.is_object().then(|| function.to_object())?;
        if engine_class(function) != "Function"
            || !is_native(function)
            || !jsapi::js::FunctionHasNativeReserved(function)
        {
            return None;
        }
        Some(*jsapi::js::GetFunctionNativeReserved(function, index))
    }
}

/// `PromiseReactionRecord::Slots` and its flags.
mod reaction {
    pub(super) const PROMISE: u32 = 0;
    pub(super) const ON_FULFILLED: u32 = 5;
    pub(super) const ON_REJECTED: u32 = 6;
    pub(super) const RESOLVE: u32 = 7;
    pub(super) const FLAGS: u32 = 9;
    pub(super) const TARGET: u32 = 10;

    pub(super) const IS_RESOLVED: i32 = 0x1;
    pub(super) const IS_FULFILLED: i32 = 0x2;
    pub(super) const RESOLVES_PROMISE: i32 = 0x4;
    pub(super) const IS_ASYNC_FUNCTION: i32 = 0x8;
    pub(super) const IS_ASYNC_GENERATOR: i32 = 0x10;
}

/// `PromiseSlot_Flags`, `PromiseSlot_ReactionsOrResult`, and `PROMISE_FLAG_RESOLVED`.
mod promise {
    pub(super) const FLAGS: u32 = 0;
    pub(super) const REACTIONS: u32 = 1;

    pub(super) const IS_SETTLED: i32 = 0x1;
}

/// Slots of `AbstractGeneratorObject`, and the further slots that async functions and async generators add.
mod generator {
    pub(super) const CALLEE: u32 = 0;
    pub(super) const RESUME_INDEX: u32 = 4;
    pub(super) const PROMISE: u32 = 5;
    pub(super) const REQUEST: u32 = 6;
    /// `AsyncGeneratorRequest::Slot_Promise`
    pub(super) const REQUEST_PROMISE: u32 = 2;
}

/// The function that a job calls, or the async function that it resumes. None for jobs that call no function of the program.
///
/// # Safety
///
/// `job` is a task that was just taken out of the queue.
pub(crate) unsafe fn function_of_job(job: RawValue) -> Option<*mut RawObject> {
    // SAFETY: the caller's, and the classes of objects.
    unsafe {
        let job =
            job.is_object().then(|| job.to_object()).filter(|job| engine_class(*job) == "PromiseReactionRecord")?;
        let flags = slot(job, reaction::FLAGS).to_int32();
        if flags & (reaction::RESOLVES_PROMISE | reaction::IS_RESOLVED) != reaction::IS_RESOLVED {
            return None;
        }
        let function = if flags & (reaction::IS_ASYNC_FUNCTION | reaction::IS_ASYNC_GENERATOR) != 0 {
            let generator = slot(job, reaction::TARGET);
            slot(generator.is_object().then(|| generator.to_object())?, generator::CALLEE)
        } else if flags & reaction::IS_FULFILLED != 0 {
            slot(job, reaction::ON_FULFILLED)
        } else {
            slot(job, reaction::ON_REJECTED)
        };
        function.is_object().then(|| function.to_object())
    }
}

impl Chain {
    /// Follows the running job from the promise that it settles. The function that the job resumes is on the
    /// synchronous stack, so it is not added.
    ///
    /// # Safety
    ///
    /// `job` is a job of the engine.
    unsafe fn follow_job(&mut self, job: *mut RawObject) {
        // SAFETY: guaranteed by the caller, and the classes of the objects are checked.
        unsafe {
            if engine_class(job) != "PromiseReactionRecord" {
                return;
            }
            let next = self.behind_reaction(job, false);
            self.follow(next);
        }
    }

    /// Follows a chain of promises: from each promise to the promise that its only reaction settles.
    ///
    /// # Safety
    ///
    /// `promise` is a promise.
    unsafe fn follow(&mut self, promise: Option<*mut RawObject>) {
        let mut next = promise;
        for _ in 0..MOST_LINKS {
            let Some(promise) = next.filter(|_| self.frames.len() < self.most) else { return };
            // SAFETY: guaranteed by the caller, and the classes of the objects are checked.
            next = unsafe {
                let flags = slot(promise, promise::FLAGS);
                if !flags.is_int32() || flags.to_int32() & promise::IS_SETTLED != 0 {
                    return;
                }
                object_in(promise, promise::REACTIONS, "PromiseReactionRecord")
                    .and_then(|reaction| self.behind_reaction(reaction, true))
            };
        }
    }

    /// Adds the frame of the function that a reaction resumes. Returns the promise that is settled when that function
    /// ends.
    ///
    /// # Safety
    ///
    /// `reaction` is a `PromiseReactionRecord`.
    unsafe fn behind_reaction(&mut self, reaction: *mut RawObject, is_waiting: bool) -> Option<*mut RawObject> {
        // SAFETY: guaranteed by the caller, and the classes of the objects are checked.
        unsafe {
            let flags = slot(reaction, reaction::FLAGS).to_int32();
            if flags & reaction::RESOLVES_PROMISE != 0 {
                return object_in(reaction, reaction::TARGET, "Promise");
            }
            if flags & (reaction::IS_ASYNC_FUNCTION | reaction::IS_ASYNC_GENERATOR) != 0 {
                let target = slot(reaction, reaction::TARGET);
                let generator = target.is_object().then(|| target.to_object())?;
                if is_waiting {
                    self.frames.push(suspended(generator)?);
                }
                if flags & reaction::IS_ASYNC_FUNCTION != 0 {
                    return object_in(generator, generator::PROMISE, "Promise");
                }
                let request = object_in(generator, generator::REQUEST, "AsyncGeneratorRequest")?;
                return object_in(request, generator::REQUEST_PROMISE, "Promise");
            }
            if flags & reaction::IS_RESOLVED == 0
                && let Some((frame, promise)) = combined(reaction)
            {
                self.frames.push(frame);
                return promise;
            }
            let settles = |function: RawValue| {
                let promise = kept_by(function, 0).filter(|value| value.is_object())?.to_object();
                (engine_class(promise) == "Promise").then_some(promise)
            };
            object_in(reaction, reaction::PROMISE, "Promise")
                .or_else(|| settles(slot(reaction, reaction::RESOLVE)))
                .or_else(|| settles(slot(reaction, reaction::ON_REJECTED)))
        }
    }

    /// Stores the frames in the stack as its asynchronous cause. Returns false if an exception is pending.
    ///
    /// # Safety
    ///
    /// The stack is rooted.
    unsafe fn attach(self, state: &State, stack: jsapi::MutableHandleObject) -> bool {
        if self.frames.is_empty() {
            return true;
        }
        let text: String = self.frames.iter().map(encode).collect();
        let chars = mozjs::conversions::Utf8Chars::from(text.as_str());
        /// `mozilla::Maybe<size_t>` without a value: no limit of frames.
        #[repr(C)]
        struct Maybe {
            value: usize,
            is_some: u8,
        }
        unsafe extern "C" {
            #[link_name = "_ZN2JS14CopyAsyncStackEP9JSContextNS_6HandleIP8JSObjectEENS2_IP8JSStringEENS_13MutableHandleIS4_EERKN7mozilla5MaybeImEE"]
            fn copy_async_stack(
                cx: *mut RawContext,
                stack: jsapi::HandleObject,
                cause: jsapi::Handle<*mut RawString>,
                copy: jsapi::MutableHandleObject,
                most: *const Maybe,
            ) -> bool;
        }
        // SAFETY: the handles are rooted.
        unsafe {
            rooted!(in(state.cx) let cause = jsapi::JS_NewStringCopyUTF8N(state.cx, &raw const *chars));
            rooted!(in(state.cx) let whole = *stack.ptr);
            let most = Maybe { value: usize::MAX, is_some: 1 };
            !cause.get().is_null()
                && copy_async_stack(state.cx, whole.handle().into(), cause.handle().into(), stack, &raw const most)
        }
    }
}

/// If a reaction belongs to a combinator: its frame, `async Promise.all (index 1)`, and the combinator's promise.
///
/// # Safety
///
/// `reaction` is a `PromiseReactionRecord`.
unsafe fn combined(reaction: *mut RawObject) -> Option<(StackFrame, Option<*mut RawObject>)> {
    // The functions that a combinator (`Promise.all` and the like) passes to `then` have two slots (`PromiseCombinatorElementFunctionSlots`):
    // the index of the element, or the other function of the element, which has the index; and the data that all elements share.
    // SAFETY: `reaction` is a reaction, as the caller ensures; the class of other objects is checked before their slots are read.
    unsafe {
        let element = |index| {
            let function = slot(reaction, index);
            let data = kept_by(function, 1).filter(|value| value.is_object())?.to_object();
            if engine_class(data) != "PromiseCombinatorDataHolder" {
                return None;
            }
            Some((kept_by(function, 0)?, data))
        };
        // The second function of `allSettled` has the first in its slot.
        let has_first = kept_by(slot(reaction, reaction::ON_REJECTED), 0)
            .is_some_and(|first| first == slot(reaction, reaction::ON_FULFILLED));
        let (name, (index, data)) = match (element(reaction::ON_FULFILLED), element(reaction::ON_REJECTED)) {
            (Some(both), _) if has_first => ("allSettled", both),
            (Some(one), _) => ("all", one),
            (None, Some(one)) => ("any", one),
            (None, None) => return None,
        };
        if !index.is_int32() {
            return None;
        }
        let frame = StackFrame {
            function: Some(format!("Promise.{name}")),
            file: None,
            line: 0,
            column: index.to_int32() as u32,
            is_async: true,
        };
        Some((frame, object_in(data, 0, "Promise")))
    }
}

/// `SharedImmutableScriptData`
#[repr(C)]
struct SharedData {
    reference_count: u32,
    hash: u32,
    data: *const ScriptData,
}

/// `ImmutableScriptData`. One byte of flags and the bytecode follow.
#[repr(C)]
struct ScriptData {
    /// The distance in bytes from this field to the first resume offset.
    resume_offsets: u32,
    code_length: u32,
    main_offset: u32,
    fixed_count: u32,
    slot_count: u32,
    body_scope_index: u32,
    inline_cache_count: u32,
    lengths: [u16; 2],
}

/// The frame of a suspended function.
///
/// # Safety
///
/// `generator` is the object of an async function or an async generator.
unsafe fn suspended(generator: *mut RawObject) -> Option<StackFrame> {
    unsafe extern "C" {
        #[link_name = "_ZN2js14PCToLineNumberEP8JSScriptPhPN2JS28LimitedColumnNumberOneOriginE"]
        fn line_of(script: *mut jsapi::JSScript, pc: *const u8, column: *mut u32) -> u32;
    }
    // SAFETY: guaranteed by the caller. A suspended function has bytecode, which is never freed while it is suspended.
    unsafe {
        let (callee, index) = (slot(generator, generator::CALLEE), slot(generator, generator::RESUME_INDEX));
        if !callee.is_object() || !index.is_int32() {
            return None;
        }
        let script = script_of(callee.to_object())?;
        let shared = (*script).shared_data.cast::<SharedData>();
        let data = if shared.is_null() { return None } else { (*shared).data };
        let script = script.cast_mut().cast::<jsapi::JSScript>();
        let bytes = data.cast::<u8>();
        let code = bytes.add(size_of::<ScriptData>() + 1);
        let offsets = bytes.add((*data).resume_offsets as usize).cast::<u32>();
        let offset = *offsets.add(usize::try_from(index.to_int32()).ok()?);
        let mut column = 0;
        let line = line_of(script, code.add(offset as usize), &raw mut column);
        let name = jsapi::JS_GetMaybePartialFunctionDisplayId(callee.to_object().cast());
        let file = jsapi::JS_GetScriptFilename(script);
        Some(StackFrame { function: text_of_name(name), file: text_of(file), line, column, is_async: true })
    }
}

/// # Safety
///
/// `name` is an atom that is alive.
unsafe fn text_of_name(name: *mut RawString) -> Option<String> {
    if name.is_null() {
        return None;
    }
    // SAFETY: an atom is linear.
    unsafe {
        let name = name.cast::<jsapi::JSLinearString>();
        let length = jsapi::glue::GetLinearStringLength(name);
        let units: Vec<u16> = (0..length).map(|at| jsapi::glue::GetLinearStringCharAt(name, at)).collect();
        Some(String::from_utf16_lossy(&units))
    }
}

/// # Safety
///
/// `text` is null or ends with a zero.
unsafe fn text_of(text: *const c_char) -> Option<String> {
    // SAFETY: guaranteed by the caller.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

fn encode(frame: &StackFrame) -> String {
    let function = frame.function.as_deref().unwrap_or_default();
    let file = frame.file.as_deref().unwrap_or_default();
    format!("{function}{FIELD_END}{file}{FIELD_END}{}{FIELD_END}{}{FRAME_END}", frame.line, frame.column)
}

/// Parses the frames out of an asynchronous cause.
pub(crate) fn decode(cause: &str) -> impl Iterator<Item = StackFrame> {
    let filled = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    cause.split(FRAME_END).filter_map(move |frame| {
        let mut fields = frame.split(FIELD_END);
        let (function, file) = (filled(fields.next()?), filled(fields.next()?));
        let (line, column) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
        Some(StackFrame { function, file, line, column, is_async: true })
    })
}

impl Scope<'_> {
    /// The async functions that wait for the promise whose `reject` function is given.
    pub fn frames_waiting_for(self, reject: Local<'_, Function>) -> Vec<StackFrame> {
        let mut chain = Chain::default();
        // SAFETY: the class is checked, so the object has the slot `RejectFunctionSlot_Promise`.
        unsafe {
            let promise = kept_by(reject.raw(), 0).filter(|value| value.is_object()).map(|value| value.to_object());
            chain.follow(promise.filter(|promise| engine_class(*promise) == "Promise"));
        }
        chain.frames
    }
}

/// Reads the asynchronous cause of a frame.
pub(crate) fn cause_of(scope: Scope<'_>, frame: jsapi::HandleObject) -> Option<String> {
    rooted!(in(scope.cx()) let mut cause = ptr::null_mut::<RawString>());
    // SAFETY: the handles are rooted, and the object is a frame.
    unsafe {
        jsapi::GetSavedFrameAsyncCause(
            scope.cx(),
            ptr::null_mut(),
            frame,
            cause.handle_mut().into(),
            jsapi::SavedFrameSelfHosted::Include,
        );
        if cause.get().is_null() {
            return None;
        }
        let cause: Local<'_, JsString> = scope.root(raw::string(cause.get()));
        cause.to_text(scope).ok()
    }
}
