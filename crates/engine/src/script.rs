//! Scripts: source text that is compiled and run in the current realm.
//!
//! # Safety
//!
//! A [`Script`] is an object with a slot for the engine's script, which the collector traces like any value. The slot is set when the object
//! is made.

use std::ffi::CStr;

use mozjs::jsapi;
use mozjs::rooted;

use crate::compile::{CompileOptions, EnvironmentChain, Source, Text};
use crate::exception::{Fallible, Thrown};
use crate::local::{Kind, Local, sealed};
use crate::object::Object;
use crate::raw::{self, RawObject, RawValue};
use crate::sandbox;
use crate::scope::Scope;
use crate::value::Value;

/// The origin of source text, which errors show.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The name of the file.
    pub file: &'a str,
    /// The number of the first line.
    pub line: u32,
}

impl<'a> Origin<'a> {
    /// The first line of a file.
    pub fn new(file: &'a str) -> Origin<'a> {
        Origin { file, line: 1 }
    }
}

/// A script that was compiled for a realm. Programs must not see this object.
#[derive(Debug)]
pub enum Script {}

impl sealed::Sealed for Script {}

impl Kind for Script {
    fn matches(value: sealed::Raw) -> bool {
        // SAFETY: the object is alive.
        value.0.is_object() && unsafe { is_script(value.0.to_object()) }
    }
}

static HOLDER: jsapi::JSClass = jsapi::JSClass {
    name: c"Script".as_ptr(),
    flags: 2 << jsapi::JSCLASS_RESERVED_SLOTS_SHIFT,
    cOps: std::ptr::null(),
    spec: std::ptr::null(),
    ext: std::ptr::null(),
    oOps: std::ptr::null(),
};

/// The slot of the holder with the engine's script.
const SCRIPT_SLOT: u32 = 0;

/// The slot of the holder with the global object that the script was compiled for.
const GLOBAL_SLOT: u32 = 1;

/// # Safety
///
/// `object` is alive.
unsafe fn is_script(object: *mut RawObject) -> bool {
    // SAFETY: guaranteed by the caller. Classes are compared by name, because the address of the static may differ
    // between parts of a program.
    unsafe { CStr::from_ptr((*mozjs::rust::get_object_class(object)).name) == CStr::from_ptr(HOLDER.name) }
}

/// Wraps a heap cell that is not a value of JavaScript in a value: `JS::PrivateGCThingValue`.
fn thing_value(thing: *mut jsapi::JSScript) -> RawValue {
    const TAG: u64 = 0x1fff0 | jsapi::JSValueType::JSVAL_TYPE_PRIVATE_GCTHING as u64;
    RawValue { asBits_: (TAG << 47) | thing as u64 }
}

fn thing_of(value: RawValue) -> *mut jsapi::JSScript {
    (value.asBits_ & ((1 << 47) - 1)) as *mut jsapi::JSScript
}

impl Script {
    /// Compiles a script for the current realm.
    ///
    /// # Errors
    ///
    /// A SyntaxError.
    pub fn compile<'s>(scope: Scope<'s>, source: Source<'_>) -> Fallible<Local<'s, Script>> {
        let cx = scope.cx();
        let text = Text::of(scope, source.text)?;
        let options = CompileOptions::new(scope, source.file, source.line, source.column);
        // SAFETY: text and options live during the call; the script is rooted at once, and the holder before it gets the script.
        unsafe {
            if !outer_global(scope).is_null() {
                options.in_environment();
            }
            let script = match &text {
                Text::Utf8(text) => {
                    let mut text = mozjs::rust::transform_str_to_source_text(text);
                    jsapi::Compile1(cx, options.as_ptr(), &raw mut text)
                }
                Text::Utf16(text) => {
                    let mut text = mozjs::rust::transform_u16_to_source_text(text);
                    jsapi::Compile(cx, options.as_ptr(), &raw mut text)
                }
            };
            if script.is_null() {
                return Err(Thrown::pending(scope));
            }
            rooted!(in(cx) let script = script);
            if let Some(referrer) = source.referrer {
                jsapi::SetScriptPrivate(script.get(), &referrer.raw());
            }
            let holder = jsapi::JS_NewObjectWithGivenProto(cx, &raw const HOLDER, jsapi::HandleObject::null());
            if holder.is_null() {
                return Err(Thrown::pending(scope));
            }
            jsapi::JS_SetReservedSlot(holder, SCRIPT_SLOT, &thing_value(script.get()));
            jsapi::JS_SetReservedSlot(holder, GLOBAL_SLOT, &raw::object(jsapi::CurrentGlobalOrNull(cx)));
            Ok(scope.root(raw::object(holder)))
        }
    }
}

impl Local<'_, Script> {
    /// Runs the script in the current realm, which is the realm that it was compiled for. Returns the value of its last
    /// statement.
    ///
    /// # Errors
    ///
    /// The exception that the script throws.
    ///
    /// # Panics
    ///
    /// If the current realm is another realm: the compiled script refers to the global object of its own realm.
    pub fn run<'t>(self, scope: Scope<'t>) -> Fallible<Local<'t, Value>> {
        let cx = scope.cx();
        let (mut slot, mut global) = (raw::undefined(), raw::undefined());
        let value = scope.out();
        // SAFETY: the holder has the slots; all handles are rooted.
        unsafe {
            mozjs::glue::JS_GetReservedSlot(self.raw().to_object(), GLOBAL_SLOT, &raw mut global);
            assert!(global.to_object() == jsapi::CurrentGlobalOrNull(cx), "the script is of another realm");
            mozjs::glue::JS_GetReservedSlot(self.raw().to_object(), SCRIPT_SLOT, &raw mut slot);
            rooted!(in(cx) let script = thing_of(slot));
            let out = raw::handle_mut(value.slot().cast_mut());
            let outer = outer_global(scope);
            let ok = if outer.is_null() {
                jsapi::JS_ExecuteScript(cx, script.handle().into(), out)
            } else {
                let outer: Local<'_, Object> = scope.root(raw::object(outer));
                let chain = EnvironmentChain::new(scope, Some(outer));
                jsapi::JS_ExecuteScript2(cx, chain.as_ptr(), script.handle().into(), out)
            };
            Thrown::check(scope, ok)?;
        }
        Ok(value)
    }
}

/// The outer global object of the current realm; null if it has no sandbox.
fn outer_global(scope: Scope<'_>) -> *mut RawObject {
    // SAFETY: a scope of the embedder is always in a realm.
    unsafe { sandbox::outer_of(jsapi::CurrentGlobalOrNull(scope.cx())) }
}

impl<'s> Scope<'s> {
    /// Compiles and runs a script in the current realm. Returns the value of its last statement.
    ///
    /// # Errors
    ///
    /// A SyntaxError, or the exception that the script throws.
    pub fn eval(self, source: &str, origin: Origin<'_>) -> Fallible<Local<'s, Value>> {
        let cx = self.cx();
        let options = CompileOptions::new(self, origin.file, origin.line, 1);
        rooted!(in(cx) let mut value = raw::undefined());
        // SAFETY: the source and the options live during the call; the handle is rooted.
        let ok = unsafe {
            let mut text = mozjs::rust::transform_str_to_source_text(source);
            jsapi::Evaluate2(cx, options.as_ptr(), &raw mut text, value.handle_mut().into())
        };
        Thrown::check(self, ok)?;
        Ok(self.value(value.get()))
    }
}
