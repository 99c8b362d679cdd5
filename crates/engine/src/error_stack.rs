//! The stacks of errors: frames, and the property `stack`.
//!
//! In V8 each error has an own accessor `stack`, whose text is made at the first read. Here the classes of errors get
//! the engine's hook for lazily resolved properties (`JSClassOps::resolve`), so making an error costs no more than
//! without the accessor.

use std::ptr;

use mozjs::jsapi;
use mozjs::rooted;
use mozjs_sys::jsval::Int32Value;

use crate::async_stack;
use crate::error_text::protect;
use crate::exception::{Fallible, Thrown};
use crate::function::{Function, guarded};
use crate::global::Global;
use crate::local::Local;
use crate::object::{Attributes, Object};
use crate::raw::{self, RawContext, RawObject};
use crate::realm::is_foreign;
use crate::runtime::state_of;
use crate::scope::Scope;

/// The number of `js::ErrorObject::classes`.
const CLASSES: usize = jsapi::JSExnType::JSEXN_ERROR_LIMIT as usize;

/// `js::ErrorObject::SOURCEID_SLOT`, a number that only compilation errors use. [`RESOLVED`] in this slot says that
/// `stack` was defined before. If `stack` is looked up again, the program has deleted it.
const SOURCE_ID_SLOT: u32 = 7;
const RESOLVED: i32 = -1;

/// The file of the engine's own JavaScript, in stacks.
const SELF_HOSTED: &str = "self-hosted";

/// The properties of errors that exist in the engine but not in V8.
const EXTRA_PROPERTIES: [&std::ffi::CStr; 3] = [c"fileName", c"lineNumber", c"columnNumber"];

/// The getter and the setter of `stack`.
pub(crate) type StackAccessor = [Global<Function>; 2];

/// A frame of a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackFrame {
    /// The name that the engine has for the function. None: it has no name, or there is no function.
    pub function: Option<String>,
    /// The name of the file; none for a function of the engine's own JavaScript.
    pub file: Option<String>,
    /// The line, from 1 on.
    pub line: u32,
    /// The column in UTF-16 units, from 1 on.
    pub column: u32,
    /// Whether the frame is a waiting async function. A frame without a file is a promise combinator (`Promise.all`),
    /// and the column is the index of the promise.
    pub is_async: bool,
}

impl<'s> Scope<'s> {
    /// Defines an own accessor `stack` on errors: those made from now on, and those whose `stack` was not looked up
    /// yet.
    pub fn set_stack_accessor(self, getter: Local<'_, Function>, setter: Local<'_, Function>) {
        let accessor = [Global::new(self, getter), Global::new(self, setter)];
        self.state().stack_accessor.replace(Some(accessor));
    }

    /// Captures the stack: at most `limit` frames, beginning with the caller of `above`. None if there are no frames.
    ///
    /// # Errors
    ///
    /// When there is no memory for it.
    pub fn capture_stack(self, limit: u32, above: Option<Local<'_, Function>>) -> Fallible<Option<Local<'s, Object>>> {
        if limit == 0 {
            return Ok(None);
        }
        let cx = self.cx();
        rooted!(in(cx) let mut stack = ptr::null_mut::<RawObject>());
        rooted!(in(cx) let above = above.map_or(ptr::null_mut(), |above| above.raw().to_object()));
        // SAFETY: the handles are rooted; the glue fills in the capture.
        let ok = unsafe {
            let mut capture = std::mem::zeroed::<jsapi::StackCapture>();
            jsapi::glue::JS_StackCapture_MaxFrames(limit, &raw mut capture);
            jsapi::CaptureCurrentStack(cx, stack.handle_mut().into(), &raw mut capture, above.handle().into())
        };
        Thrown::check(self, ok)?;
        // SAFETY: the object was just read.
        Ok((!stack.get().is_null()).then(|| unsafe { self.root(raw::object(stack.get())) }))
    }
}

impl Local<'_, Object> {
    /// The stack that was captured when an error was constructed.
    pub fn error_stack<'t>(self, scope: Scope<'t>) -> Option<Local<'t, Object>> {
        rooted!(in(scope.cx()) let object = self.raw().to_object());
        // SAFETY: the handle is rooted; the object is rooted at once.
        unsafe {
            let stack = jsapi::ExceptionStackOrNull(object.handle().into());
            (!stack.is_null()).then(|| scope.root(raw::object(stack)))
        }
    }

    /// The frames of a stack that [`error_stack`](Local::error_stack) or [`Scope::capture_stack`] has returned,
    /// innermost first.
    pub fn stack_frames(self, scope: Scope<'_>) -> Vec<StackFrame> {
        let cx = scope.cx();
        rooted!(in(cx) let frame = self.raw().to_object());
        if self.class_name(scope) != "SavedFrame" || !has_source(frame.get()) {
            return Vec::new();
        }
        let waiting = async_stack::cause_of(scope, frame.handle().into());
        let mut frames = plain_frames(scope, self.as_object());
        frames.extend(waiting.iter().flat_map(|cause| async_stack::decode(cause)));
        frames
    }
}

/// The frames of a stack of [`Scope::capture_stack`], without the waiting async functions.
pub(crate) fn plain_frames(scope: Scope<'_>, stack: Local<'_, Object>) -> Vec<StackFrame> {
    let cx = scope.cx();
    let mut frames = Vec::new();
    rooted!(in(cx) let mut frame = stack.raw().to_object());
    while !frame.get().is_null() {
        frames.push(frame_of(scope, frame.handle().into()));
        // SAFETY: the handle is rooted, and the object is a frame.
        frame.set(unsafe { caller_of(cx, frame.handle().into(), jsapi::SavedFrameSelfHosted::Include) });
    }
    frames
}

/// Whether an object of the class `SavedFrame` is a frame. The prototype of frames has the same class but no contents,
/// which the engine's functions do not check (`SavedFrame::isSavedFrameAndNotProto`).
fn has_source(frame: *mut RawObject) -> bool {
    /// `SavedFrame::JSSLOT_SOURCE`
    const SOURCE_SLOT: u32 = 0;
    let mut source = raw::undefined();
    // SAFETY: callers have checked the class, which has the slot.
    unsafe { mozjs::glue::JS_GetReservedSlot(frame, SOURCE_SLOT, &raw mut source) };
    source.is_string()
}

/// The frame that called a frame; null if it is the outermost.
///
/// # Safety
///
/// The context is alive; the handle is that of a saved frame.
pub(crate) unsafe fn caller_of(
    cx: *mut RawContext,
    frame: jsapi::HandleObject,
    self_hosted: jsapi::SavedFrameSelfHosted,
) -> *mut RawObject {
    rooted!(in(cx) let mut caller = ptr::null_mut::<RawObject>());
    // SAFETY: guaranteed by the caller; both handles are rooted.
    unsafe { jsapi::GetSavedFrameParent(cx, ptr::null_mut(), frame, caller.handle_mut().into(), self_hosted) };
    caller.get()
}

fn frame_of(scope: Scope<'_>, frame: jsapi::HandleObject) -> StackFrame {
    let cx = scope.cx();
    let include = jsapi::SavedFrameSelfHosted::Include;
    rooted!(in(cx) let mut source = ptr::null_mut::<raw::RawString>());
    rooted!(in(cx) let mut name = ptr::null_mut::<raw::RawString>());
    let (mut line, mut column) = (0, jsapi::TaggedColumnNumberOneOrigin { value_: 0 });
    // SAFETY: the handles are rooted, and the object is a frame.
    unsafe {
        let none = ptr::null_mut();
        jsapi::GetSavedFrameSource(cx, none, frame, source.handle_mut().into(), include);
        jsapi::GetSavedFrameFunctionDisplayName(cx, none, frame, name.handle_mut().into(), include);
        jsapi::GetSavedFrameLine(cx, none, frame, &raw mut line, include);
        jsapi::GetSavedFrameColumn(cx, none, frame, &raw mut column, include);
    }
    let text = |string: *mut raw::RawString| {
        (!string.is_null()).then(|| {
            scope.nested(|scope| {
                // SAFETY: the string is rooted, and was just read.
                let local: Local<'_, crate::string::JsString> = unsafe { scope.root(raw::string(string)) };
                local.to_text(scope).unwrap_or_default()
            })
        })
    };
    let file = text(source.get()).filter(|file| file != SELF_HOSTED);
    StackFrame { function: text(name.get()), file, line, column: column.value_, is_async: false }
}

/// Adds the hooks for `stack` to the classes of errors.
///
/// # Safety
///
/// The engine was not started: nothing reads the classes.
pub(crate) unsafe fn install() {
    unsafe extern "C" {
        /// `js::ErrorObject::classes`
        #[link_name = "_ZN2js11ErrorObject7classesE"]
        static mut ERROR_CLASSES: [jsapi::JSClass; CLASSES];
    }
    // SAFETY: guaranteed by the caller. The engine's pointers point to constants; so does the table that is leaked
    // here.
    unsafe {
        let classes = (&raw mut ERROR_CLASSES).cast::<jsapi::JSClass>();
        if !protect(classes.cast(), classes.add(CLASSES).cast()) {
            return;
        }
        let hooks = Box::leak(Box::new(jsapi::JSClassOps {
            resolve: Some(resolve),
            mayResolve: Some(may_resolve),
            newEnumerate: Some(new_enumerate),
            ..*(*classes).cOps
        }));
        for index in 0..CLASSES {
            (*classes.add(index)).cOps = hooks;
        }
        // Makes the engine respect `Error.stackTraceLimit`.
        jsapi::Prefs_experimental_error_stack_trace_limit_ = true;
    }
}

/// # Safety
///
/// The key is alive.
unsafe fn is_stack(id: jsapi::jsid) -> bool {
    // SAFETY: a key that is a string is an atom, which is linear.
    unsafe { id.is_string() && jsapi::JS_LinearStringEqualsAscii(id.to_string().cast(), c"stack".as_ptr()) }
}

unsafe extern "C" fn may_resolve(_: *const jsapi::JSAtomState, id: jsapi::jsid, _: *mut RawObject) -> bool {
    // SAFETY: the engine passes a key that is alive.
    unsafe { is_stack(id) }
}

/// # Safety
///
/// The object is an error.
unsafe fn was_resolved(error: *mut RawObject) -> bool {
    let mut slot = raw::undefined();
    // SAFETY: guaranteed by the caller.
    unsafe { mozjs::glue::JS_GetReservedSlot(error, SOURCE_ID_SLOT, &raw mut slot) };
    slot.is_int32() && slot.to_int32() == RESOLVED
}

/// Called when a property of an error is looked up that is not defined yet. Defines the own accessor `stack` at its
/// first lookup.
unsafe extern "C" fn resolve(
    cx: *mut RawContext,
    object: jsapi::HandleObject,
    id: jsapi::HandleId,
    resolved: *mut bool,
) -> bool {
    // SAFETY: the engine calls this with a running context and rooted handles of an error and a key.
    unsafe {
        *resolved = false;
        let state = state_of(cx);
        if !is_stack(id.get()) || was_resolved(object.get()) || state.stack_accessor.borrow().is_none() {
            return true;
        }
        if is_foreign(state, object.get()) {
            return true;
        }
        jsapi::JS_SetReservedSlot(object.get(), SOURCE_ID_SLOT, &Int32Value(RESOLVED));
        let defined = guarded(state, |scope| {
            let error: Local<'_, Object> = scope.root(raw::object(object.get()));
            let accessor = state.stack_accessor.borrow();
            let Some([getter, setter]) = accessor.as_ref() else { return Ok(()) };
            let (getter, setter) = (getter.get(scope), setter.get(scope));
            drop(accessor);
            error.define_accessor(scope, "stack", Some(getter), Some(setter), Attributes::METHOD)
        });
        *resolved = defined.is_some();
        defined.is_some()
    }
}

/// Called when the keys of an error are listed. `stack` comes first, as in V8, and properties that V8 does not have are
/// removed.
unsafe extern "C" fn new_enumerate(
    cx: *mut RawContext,
    object: jsapi::HandleObject,
    keys: jsapi::MutableHandleIdVector,
    enumerable_only: bool,
) -> bool {
    if enumerable_only {
        return true;
    }
    // SAFETY: the engine calls this with a running context and rooted handles.
    unsafe {
        let state = state_of(cx);
        if state.stack_accessor.borrow().is_none() {
            return true;
        }
        for name in EXTRA_PROPERTIES {
            if !jsapi::JS_DeleteProperty1(cx, object, name.as_ptr()) {
                return false;
            }
        }
        let mut has_stack = false;
        if !jsapi::JS_HasOwnProperty(cx, object, c"stack".as_ptr(), &raw mut has_stack) {
            return false;
        }
        if !has_stack {
            return true;
        }
        let atom = jsapi::JS_AtomizeString(cx, c"stack".as_ptr());
        if atom.is_null() {
            return false;
        }
        rooted!(in(cx) let id = mozjs_sys::jsid::StringId(atom));
        mozjs::glue::AppendToIdVector(keys, id.handle().into())
    }
}
