//! [`Array`]: arrays.

use std::ffi::CStr;

use mozjs::jsapi;
use mozjs::rooted;

use crate::exception::{Fallible, Thrown};
use crate::local::{Kind, Local, sealed};
use crate::object::IsObject;
use crate::raw;
use crate::scope::Scope;
use crate::value::Value;

/// An array of this engine; a proxy of an array is not of this kind.
#[derive(Debug)]
pub enum Array {}

impl sealed::Sealed for Array {}

impl Kind for Array {
    fn matches(value: sealed::Raw) -> bool {
        if !value.0.is_object() {
            return false;
        }
        // SAFETY: the object is alive, and its class lives as long as the process. No other class of the engine has this name, and the
        // classes of this crate do not.
        unsafe { CStr::from_ptr((*mozjs::rust::get_object_class(value.0.to_object())).name) == c"Array" }
    }
}

impl IsObject for Array {}

impl Array {
    /// Makes an array of `values`.
    ///
    /// # Errors
    ///
    /// When there is no memory for it.
    pub fn new<'s>(scope: Scope<'s>, values: &[Local<'_, Value>]) -> Fallible<Local<'s, Array>> {
        let cx = scope.cx();
        rooted!(in(cx) let values = values.iter().map(|local| local.raw()).collect::<Vec<_>>());
        let contents = jsapi::HandleValueArray { length_: values.len(), elements_: (*values).as_ptr() };
        // SAFETY: the values are rooted.
        let array = unsafe { jsapi::NewArrayObject(cx, &raw const contents) };
        if array.is_null() {
            return Err(Thrown::pending(scope));
        }
        // SAFETY: the array has just been made.
        Ok(unsafe { scope.root(raw::object(array)) })
    }
}

impl Local<'_, Array> {
    /// The number of elements.
    pub fn len(self, scope: Scope<'_>) -> usize {
        let cx = scope.cx();
        rooted!(in(cx) let array = self.raw().to_object());
        let mut length = 0;
        // SAFETY: the handle is rooted; for an array this cannot fail.
        unsafe { jsapi::GetArrayLength(cx, array.handle().into(), &raw mut length) };
        length as usize
    }
}
