//! Binary data: [`ArrayBuffer`], [`BufferView`] (typed arrays and `DataView`), and [`Bytes`], which is any of them.
//!
//! # Safety
//!
//! A slice of a buffer's memory lives for one closure only, and the closure is `Send`. Scopes and locals are not, so the closure cannot call
//! the engine, and nothing can move, detach, resize or collect the buffer meanwhile. Two buffers may share memory, so [`Bytes::copy_to`] is
//! a `memmove` on raw pointers. Another thread may write to a `SharedArrayBuffer` while we read: ECMA-262 allows that race; the result is a
//! mixture of old and new bytes, and no pointer or length is ever read from such memory.

use std::ffi::c_void;
use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::slice;

use mozjs::jsapi;
use mozjs::rooted;

use crate::convert::{FromJs, IntoJs};
use crate::exception::{Fallible, Thrown};
use crate::local::{Kind, Local, sealed};
use crate::object::IsObject;
use crate::raw::{self, RawObject};
use crate::scope::Scope;
use crate::value::Value;

/// An `ArrayBuffer`.
#[derive(Debug)]
pub enum ArrayBuffer {}

/// A typed array or a `DataView`.
#[derive(Debug)]
pub enum BufferView {}

/// An array of bytes.
#[derive(Debug)]
pub enum Uint8Array {}

/// A typed array with elements of any type.
#[derive(Debug)]
pub enum TypedArray {}

/// A `SharedArrayBuffer`.
#[derive(Debug)]
pub enum SharedArrayBuffer {}

impl sealed::Sealed for ArrayBuffer {}
impl sealed::Sealed for BufferView {}
impl sealed::Sealed for Uint8Array {}
impl sealed::Sealed for TypedArray {}
impl sealed::Sealed for SharedArrayBuffer {}

impl Kind for ArrayBuffer {
    fn matches(value: sealed::Raw) -> bool {
        // SAFETY: the value is an object.
        value.0.is_object() && unsafe { jsapi::JS::IsArrayBufferObject(value.0.to_object()) }
    }
}

impl Kind for BufferView {
    fn matches(value: sealed::Raw) -> bool {
        // SAFETY: the value is an object.
        value.0.is_object() && unsafe { jsapi::JS_IsArrayBufferViewObject(value.0.to_object()) }
    }
}

impl Kind for Uint8Array {
    fn matches(value: sealed::Raw) -> bool {
        // SAFETY: the value is an object.
        value.0.is_object() && unsafe { !jsapi::UnwrapUint8Array(value.0.to_object()).is_null() }
    }
}

impl Kind for TypedArray {
    fn matches(value: sealed::Raw) -> bool {
        // SAFETY: the value is an object.
        value.0.is_object() && unsafe { jsapi::JS_IsTypedArrayObject(value.0.to_object()) }
    }
}

impl Kind for SharedArrayBuffer {
    fn matches(value: sealed::Raw) -> bool {
        // SAFETY: the value is an object.
        value.0.is_object() && unsafe { jsapi::JS::IsSharedArrayBufferObject(value.0.to_object()) }
    }
}

impl IsObject for ArrayBuffer {}
impl IsObject for BufferView {}
impl IsObject for Uint8Array {}
impl IsObject for TypedArray {}
impl IsObject for SharedArrayBuffer {}

/// The types of the elements of typed arrays that Rust makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementType {
    /// `Uint8Array`
    Uint8,
    /// `Int32Array`
    Int32,
    /// `Uint32Array`
    Uint32,
    /// `Float64Array`
    Float64,
    /// `BigInt64Array`
    BigInt64,
    /// `BigUint64Array`
    BigUint64,
}

impl TypedArray {
    /// A typed array of zeros. [`Bytes`] accesses its memory.
    ///
    /// # Errors
    ///
    /// A RangeError if there is no memory for it.
    pub fn zeroed<'s>(scope: Scope<'s>, element: ElementType, length: usize) -> Fallible<Local<'s, TypedArray>> {
        let make = match element {
            ElementType::Uint8 => jsapi::JS_NewUint8Array,
            ElementType::Int32 => jsapi::JS_NewInt32Array,
            ElementType::Uint32 => jsapi::JS_NewUint32Array,
            ElementType::Float64 => jsapi::JS_NewFloat64Array,
            ElementType::BigInt64 => jsapi::JS_NewBigInt64Array,
            ElementType::BigUint64 => jsapi::JS_NewBigUint64Array,
        };
        // SAFETY: the context is in a realm.
        let object = unsafe { make(scope.cx(), length) };
        if object.is_null() {
            return Err(Thrown::pending(scope));
        }
        // SAFETY: the object is new.
        Ok(unsafe { scope.root(raw::object(object)) })
    }
}

impl ArrayBuffer {
    /// A buffer that takes over the memory of a vector.
    ///
    /// # Errors
    ///
    /// When there is no memory for the object.
    pub fn from_vec<'s>(scope: Scope<'s>, bytes: Vec<u8>) -> Fallible<Local<'s, ArrayBuffer>> {
        /// Shorter contents are copied into the object itself.
        const INLINE_BYTES: usize = 96;
        if bytes.len() <= INLINE_BYTES {
            return ArrayBuffer::copy_of(scope, &bytes);
        }
        let bytes = Box::into_raw(bytes.into_boxed_slice());
        // SAFETY: the engine frees the memory once by `free_bytes`, which gets the length.
        unsafe {
            let length = bytes.len();
            let object = jsapi::glue::NewExternalArrayBuffer(
                scope.cx(),
                length,
                bytes.cast::<c_void>(),
                Some(free_bytes),
                length as *mut c_void,
            );
            if object.is_null() {
                return Err(Thrown::pending(scope));
            }
            Ok(scope.root(raw::object(object)))
        }
    }

    /// A buffer with a copy of some bytes.
    ///
    /// # Errors
    ///
    /// When there is no memory for it.
    pub fn copy_of<'s>(scope: Scope<'s>, bytes: &[u8]) -> Fallible<Local<'s, ArrayBuffer>> {
        let buffer = ArrayBuffer::zeroed(scope, bytes.len())?;
        let (start, length) = range_of(buffer.raw().to_object());
        debug_assert_eq!(length, bytes.len());
        // SAFETY: the buffer is new and of this length.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), start, length) };
        Ok(buffer)
    }

    /// A buffer of zeros.
    ///
    /// # Errors
    ///
    /// A RangeError if there is no memory for it.
    pub fn zeroed<'s>(scope: Scope<'s>, length: usize) -> Fallible<Local<'s, ArrayBuffer>> {
        // SAFETY: the context is in a realm.
        let object = unsafe { jsapi::NewArrayBuffer(scope.cx(), length) };
        if object.is_null() {
            return Err(Thrown::pending(scope));
        }
        // SAFETY: the object is new.
        Ok(unsafe { scope.root(raw::object(object)) })
    }
}

/// Frees the memory of [`ArrayBuffer::from_vec`]; the engine may call it on a helper thread.
unsafe extern "C" fn free_bytes(contents: *mut c_void, length: *mut c_void) {
    // SAFETY: they are the parts of a boxed slice.
    drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(contents.cast::<u8>(), length as usize)) });
}

/// A function of the engine that makes a typed array of a buffer.
type MakeView = unsafe extern "C" fn(*mut raw::RawContext, jsapi::HandleObject, usize, i64) -> *mut RawObject;

impl<'s> Local<'s, ArrayBuffer> {
    /// A `Uint8Array` of this buffer, from `offset` on.
    ///
    /// # Errors
    ///
    /// A RangeError if the buffer is shorter.
    pub fn bytes(self, scope: Scope<'s>, offset: usize, length: usize) -> Fallible<Local<'s, Uint8Array>> {
        let cx = scope.cx();
        rooted!(in(cx) let buffer = self.raw().to_object());
        // SAFETY: the handle is rooted.
        let object = unsafe { jsapi::JS_NewUint8ArrayWithBuffer(cx, buffer.handle().into(), offset, length as i64) };
        if object.is_null() {
            return Err(Thrown::pending(scope));
        }
        // SAFETY: the object is new.
        Ok(unsafe { scope.root(raw::object(object)) })
    }

    /// An `Int32Array` of the whole buffer.
    ///
    /// # Errors
    ///
    /// A RangeError if the length of the buffer is not a multiple of 4.
    pub fn int32_view(self, scope: Scope<'s>) -> Fallible<Local<'s, BufferView>> {
        self.view(scope, jsapi::JS_NewInt32ArrayWithBuffer)
    }

    /// A `Float64Array` of the whole buffer.
    ///
    /// # Errors
    ///
    /// A RangeError if the length of the buffer is not a multiple of 8.
    pub fn float64_view(self, scope: Scope<'s>) -> Fallible<Local<'s, BufferView>> {
        self.view(scope, jsapi::JS_NewFloat64ArrayWithBuffer)
    }

    fn view(self, scope: Scope<'s>, make: MakeView) -> Fallible<Local<'s, BufferView>> {
        let cx = scope.cx();
        rooted!(in(cx) let buffer = self.raw().to_object());
        // SAFETY: the handle is rooted; -1 stands for the rest of the buffer.
        let object = unsafe { make(cx, buffer.handle().into(), 0, -1) };
        if object.is_null() {
            return Err(Thrown::pending(scope));
        }
        // SAFETY: the object is new.
        Ok(unsafe { scope.root(raw::object(object)) })
    }

    /// Takes the memory away: the buffer has length 0 from now on.
    ///
    /// # Errors
    ///
    /// A TypeError if the buffer cannot be detached (memory of WebAssembly).
    pub fn detach(self, scope: Scope<'_>) -> Fallible<()> {
        let cx = scope.cx();
        rooted!(in(cx) let buffer = self.raw().to_object());
        // SAFETY: the handle is rooted.
        let ok = unsafe { jsapi::DetachArrayBuffer(cx, buffer.handle().into()) };
        Thrown::check(scope, ok)
    }
}

/// The memory of a buffer or view, valid until the next call into the engine; dangling if there is none.
fn range_of(object: *mut RawObject) -> (*mut u8, usize) {
    let (mut length, mut is_shared, mut data) = (0, false, std::ptr::null_mut());
    // SAFETY: the object is alive; the functions read its fields.
    unsafe {
        if jsapi::JS_IsArrayBufferViewObject(object) {
            jsapi::js::GetArrayBufferViewLengthAndData(object, &raw mut length, &raw mut is_shared, &raw mut data);
        } else if jsapi::JS::IsArrayBufferObject(object) {
            jsapi::JS::GetArrayBufferLengthAndData(object, &raw mut length, &raw mut is_shared, &raw mut data);
        } else {
            jsapi::JS::GetSharedArrayBufferLengthAndData(object, &raw mut length, &raw mut is_shared, &raw mut data);
        }
    }
    if length == 0 || data.is_null() { (NonNull::dangling().as_ptr(), 0) } else { (data, length) }
}

/// A typed array, `DataView`, `ArrayBuffer` or `SharedArrayBuffer` whose memory Rust may read or change during one closure.
#[derive(Clone, Copy, Debug)]
pub struct Bytes<'s>(Local<'s, Value>);

impl<'s> FromJs<'s> for Bytes<'s> {
    fn from_js(scope: Scope<'s>, value: Local<'s, Value>) -> Fallible<Self> {
        Bytes::of(value).ok_or_else(|| scope.throw_type("cannot convert to a typed array or array buffer"))
    }
}

impl<'s> IntoJs<'s> for Bytes<'_> {
    fn into_js(self, scope: Scope<'s>) -> Fallible<Local<'s, Value>> {
        self.0.into_js(scope)
    }
}

impl<'s> Bytes<'s> {
    /// The bytes of a value, if it has some.
    pub fn of<T>(value: Local<'s, T>) -> Option<Bytes<'s>> {
        let value = value.as_value();
        let raw = value.raw();
        // SAFETY: the value is an object.
        let has_bytes = raw.is_object()
            && unsafe {
                let object = raw.to_object();
                jsapi::JS_IsArrayBufferViewObject(object)
                    || jsapi::JS::IsArrayBufferObject(object)
                    || jsapi::JS::IsSharedArrayBufferObject(object)
            };
        has_bytes.then_some(Bytes(value))
    }

    /// The value itself.
    pub fn as_value(self) -> Local<'s, Value> {
        self.0
    }

    /// The current number of bytes; 0 if the buffer was detached.
    pub fn len(self) -> usize {
        self.range().1
    }

    /// Whether there are no bytes.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// A pointer to the bytes, valid until the next call into the engine.
    pub(crate) fn range(self) -> (*mut u8, usize) {
        range_of(self.0.raw().to_object())
    }

    /// Passes `bytes[start..end]`, clamped to the length, to a closure as memory that stays where it is until the engine has copied it into a
    /// new string.
    ///
    /// Memory that the engine may move is at most `MOVABLE_BYTES` long and copied first. The engine copies longer text before it allocates
    /// the string (`NewStringCopyNDontDeflateNonStaticValidLength` in `vm/StringType.cpp`), which alone could free the memory.
    pub(crate) fn with_unmoved<R>(self, start: usize, end: usize, body: impl FnOnce(*const [u8]) -> R) -> R {
        /// `Nursery::MaxNurseryBufferSize` in `gc/Nursery.h`: longer contents of typed arrays are not in movable memory.
        const MOVABLE_BYTES: usize = 1024;
        let (first, length) = self.range();
        let end = end.min(length);
        let start = start.min(end);
        let length = end - start;
        // SAFETY: the position is in the range.
        let first = unsafe { first.add(start) };
        if length > MOVABLE_BYTES {
            return body(std::ptr::slice_from_raw_parts(first, length));
        }
        let mut copy = [const { MaybeUninit::<u8>::uninit() }; MOVABLE_BYTES];
        // SAFETY: the lengths were just compared; the copy is initialised up to this length.
        unsafe { std::ptr::copy_nonoverlapping(first, copy.as_mut_ptr().cast(), length) };
        body(std::ptr::slice_from_raw_parts(copy.as_ptr().cast(), length))
    }

    /// Passes the bytes to a closure.
    pub fn read<R>(self, look: impl FnOnce(&[u8]) -> R + Send) -> R {
        let (start, length) = self.range();
        // SAFETY: the range is alive; the closure cannot reach the engine (see the head of the file).
        look(unsafe { slice::from_raw_parts(start, length) })
    }

    /// Passes the bytes of two values, which may share memory, to a closure.
    pub fn read_both<R>(self, other: Bytes<'_>, look: impl FnOnce(&[u8], &[u8]) -> R + Send) -> R {
        let ((mine, mine_length), (theirs, their_length)) = (self.range(), other.range());
        // SAFETY: as in `read`; shared slices may overlap.
        look(unsafe { slice::from_raw_parts(mine, mine_length) }, unsafe {
            slice::from_raw_parts(theirs, their_length)
        })
    }

    /// Passes the bytes to a closure that changes them.
    pub fn write<R>(self, change: impl FnOnce(&mut [u8]) -> R + Send) -> R {
        let (start, length) = self.range();
        // SAFETY: as in `read`, and this is the only slice of the memory while the closure runs.
        change(unsafe { slice::from_raw_parts_mut(start, length) })
    }

    /// Copies the bytes.
    pub fn to_vec(self) -> Vec<u8> {
        self.read(<[u8]>::to_vec)
    }

    /// Copies up to `count` bytes, starting at `from`, to position `at` of `target`, as `memmove`; fewer if either range ends earlier.
    /// Returns the number copied.
    pub fn copy_to(self, target: Bytes<'_>, at: usize, from: usize, count: usize) -> usize {
        let ((source, source_length), (goal, goal_length)) = (self.range(), target.range());
        let count = count.min(source_length.saturating_sub(from)).min(goal_length.saturating_sub(at));
        if count > 0 {
            // SAFETY: both ranges were just limited to the buffers' lengths; `copy` allows overlap.
            unsafe { std::ptr::copy(source.add(from), goal.add(at), count) };
        }
        count
    }
}

/// A chunk that a script writes to a stream: bytes in the script's memory, or bytes of Rust.
#[derive(Debug)]
pub enum Part<'s> {
    /// A typed array or array buffer; read directly from its memory.
    Bytes(Bytes<'s>),
    /// Bytes of Rust.
    Owned(Vec<u8>),
}

impl Part<'_> {
    fn range(&self) -> (*const u8, usize) {
        match self {
            Part::Bytes(bytes) => {
                let (start, length) = bytes.range();
                (start.cast_const(), length)
            }
            Part::Owned(bytes) => (bytes.as_ptr(), bytes.len()),
        }
    }

    /// The current number of bytes.
    pub fn len(&self) -> usize {
        self.range().1
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Passes the bytes of several parts to a closure, as a system call takes them.
    pub fn with_io_slices<R>(parts: &[Part<'_>], look: impl FnOnce(&[IoSlice<'_>]) -> R + Send) -> R {
        const FEW: usize = 16;
        let slice = |part: &Part<'_>| {
            let (start, length) = part.range();
            // SAFETY: as in `Bytes::read`.
            IoSlice::new(unsafe { slice::from_raw_parts(start, length) })
        };
        if parts.len() <= FEW {
            let mut few = [IoSlice::new(&[]); FEW];
            few.iter_mut().zip(parts).for_each(|(place, part)| *place = slice(part));
            return look(&few[..parts.len()]);
        }
        look(&parts.iter().map(slice).collect::<Vec<_>>())
    }

    /// Passes the bytes of several parts to a closure.
    pub fn with_slices<R>(parts: &[Part<'_>], look: impl FnOnce(&[&[u8]]) -> R + Send) -> R {
        let slices: Vec<&[u8]> = parts
            .iter()
            .map(|part| {
                let (start, length) = part.range();
                // SAFETY: as in `Bytes::read`.
                unsafe { slice::from_raw_parts(start, length) }
            })
            .collect();
        look(&slices)
    }

    /// Appends the bytes to a vector.
    pub fn append_to(&self, bytes: &mut Vec<u8>) {
        Part::with_slices(slice::from_ref(self), |slices| slices.iter().for_each(|part| bytes.extend_from_slice(part)));
    }
}
