//! Binary data: [`ArrayBuffer`], [`BufferView`] (typed arrays and `DataView`), and [`Bytes`], which is any of them.
//!
//! # Safety
//!
//! A slice of a buffer's memory lives for one closure only, and the closure is `Send`. Scopes and locals are not, so
//! the closure cannot call the engine, and nothing can move, detach, resize or collect the buffer meanwhile. (A runtime
//! in a thread-local variable refuses to be entered meanwhile: `runtime.rs`.) Two buffers may share memory, so
//! [`Bytes::copy_to`] is a `memmove` on raw pointers.
//!
//! Another thread may write to a `SharedArrayBuffer` while we read. ECMA-262 allows that race: the result is a mixture of old and new bytes.
//! But a slice of Rust must not change while it exists; code may check its content and rely on that, as `str::from_utf8` does. So slices of
//! shared memory are slices of a copy.

use std::borrow::Cow;
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
    /// Makes a typed array of zeros. [`Bytes`] accesses its memory.
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
    /// Makes a buffer that takes over the memory of a vector.
    ///
    /// # Errors
    ///
    /// When there is no memory for the object.
    pub fn from_vec<'s>(scope: Scope<'s>, bytes: Vec<u8>) -> Fallible<Local<'s, ArrayBuffer>> {
        /// The engine copies contents of up to this length into the object itself.
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

    /// Makes a buffer with a copy of `bytes`.
    ///
    /// # Errors
    ///
    /// When there is no memory for it.
    pub fn copy_of<'s>(scope: Scope<'s>, bytes: &[u8]) -> Fallible<Local<'s, ArrayBuffer>> {
        let buffer = ArrayBuffer::zeroed(scope, bytes.len())?;
        let Range { start, length, .. } = range_of(buffer.raw().to_object());
        assert_eq!(length, bytes.len());
        // SAFETY: the buffer is new and of this length.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), start, length) };
        Ok(buffer)
    }

    /// Makes a buffer of zeros.
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

/// Frees the memory that [`ArrayBuffer::from_vec`] took over. The engine may call this function on a helper thread.
unsafe extern "C" fn free_bytes(contents: *mut c_void, length: *mut c_void) {
    // SAFETY: the pointer and the length are the parts of a boxed slice that `from_vec` leaked.
    drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(contents.cast::<u8>(), length as usize)) });
}

/// An engine function that makes a typed array on a buffer.
type MakeView = unsafe extern "C" fn(*mut raw::RawContext, jsapi::HandleObject, usize, i64) -> *mut RawObject;

impl<'s> Local<'s, ArrayBuffer> {
    /// Makes a `Uint8Array` on this buffer, which begins at `offset`.
    ///
    /// # Errors
    ///
    /// A RangeError if the buffer is shorter.
    pub fn bytes(self, scope: Scope<'s>, offset: usize, length: usize) -> Fallible<Local<'s, Uint8Array>> {
        /// The engine adds the offset and the length without a check for overflow: `TypedArrayObject.cpp:
        /// computeAndCheckLength` asserts numbers below 2⁵³.
        const MOST: usize = (1 << 53) - 1;
        let cx = scope.cx();
        rooted!(in(cx) let buffer = self.raw().to_object());
        let (offset, length) = (offset.min(MOST), length.min(MOST) as i64);
        // SAFETY: the handle is rooted.
        let object = unsafe { jsapi::JS_NewUint8ArrayWithBuffer(cx, buffer.handle().into(), offset, length) };
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

    /// Detaches the buffer and frees its memory: the buffer has length 0 from now on.
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

/// The memory of a buffer or view, valid until the next call into the engine. The pointer is dangling if there is no
/// memory.
#[derive(Clone, Copy)]
pub(crate) struct Range {
    start: *mut u8,
    length: usize,
    /// True for shared memory: other threads may write to it.
    is_shared: bool,
}

impl Range {
    /// The bytes of the range. For shared memory, a copy of them.
    ///
    /// # Safety
    ///
    /// Nothing calls the engine, or writes to memory that is not shared, during `'a`.
    unsafe fn bytes<'a>(self) -> Cow<'a, [u8]> {
        if self.is_shared {
            return Cow::Owned(self.copy());
        }
        // SAFETY: guaranteed by the caller.
        Cow::Borrowed(unsafe { slice::from_raw_parts(self.start, self.length) })
    }

    fn copy(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.length);
        // SAFETY: the range is alive, and the vector has room for the length of the range. A race with another thread
        // leaves a mixture of bytes.
        unsafe {
            std::ptr::copy_nonoverlapping(self.start, bytes.as_mut_ptr(), self.length);
            bytes.set_len(self.length);
        }
        bytes
    }

    /// Passes the bytes to a closure that changes them. For shared memory, the closure gets a copy, and the bytes that
    /// it has changed are stored afterwards.
    ///
    /// # Safety
    ///
    /// The closure does not call the engine, and has no other access to memory that is not shared.
    pub(crate) unsafe fn write<R>(self, change: impl FnOnce(&mut [u8]) -> R) -> R {
        if !self.is_shared {
            // SAFETY: guaranteed by the caller.
            return change(unsafe { slice::from_raw_parts_mut(self.start, self.length) });
        }
        let before = self.copy();
        let mut after = before.clone();
        let result = change(&mut after);
        for (at, (old, new)) in before.into_iter().zip(after).enumerate() {
            if old != new {
                // SAFETY: the position is in the range: shared memory never shrinks.
                unsafe { self.start.add(at).write(new) };
            }
        }
        result
    }
}

fn range_of(object: *mut RawObject) -> Range {
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
    if length == 0 || data.is_null() {
        return Range { start: NonNull::dangling().as_ptr(), length: 0, is_shared: false };
    }
    Range { start: data, length, is_shared }
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
        self.range().length
    }

    /// Whether there are no bytes.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The memory, valid until the next call into the engine.
    pub(crate) fn range(self) -> Range {
        range_of(self.0.raw().to_object())
    }

    /// Passes `bytes[start..end]`, clamped to the length, to a closure as memory that neither moves nor changes until
    /// the engine has copied it into a new string.
    ///
    /// Memory that the engine may move is at most `MOVABLE_BYTES` long and copied first, and so is shared memory. The
    /// engine copies longer text before it allocates the string (`NewStringCopyNDontDeflateNonStaticValidLength` in
    /// `vm/StringType.cpp`); only the allocation could free the memory.
    pub(crate) fn with_unmoved<R>(self, start: usize, end: usize, body: impl FnOnce(*const [u8]) -> R) -> R {
        /// Contents of typed arrays that are longer are not in movable memory (`Nursery::MaxNurseryBufferSize` in
        /// `gc/Nursery.h`).
        const MOVABLE_BYTES: usize = 1024;
        let range = self.range();
        let end = end.min(range.length);
        let start = start.min(end);
        let length = end - start;
        // SAFETY: the position is in the range.
        let first = unsafe { range.start.add(start) };
        if length > MOVABLE_BYTES {
            if range.is_shared {
                return body(&raw const *Range { start: first, length, ..range }.copy());
            }
            return body(std::ptr::slice_from_raw_parts(first, length));
        }
        let mut copy = [const { MaybeUninit::<u8>::uninit() }; MOVABLE_BYTES];
        // SAFETY: the lengths were just compared; the copy is initialised up to this length.
        unsafe { std::ptr::copy_nonoverlapping(first, copy.as_mut_ptr().cast(), length) };
        body(std::ptr::slice_from_raw_parts(copy.as_ptr().cast(), length))
    }

    /// Passes the bytes to a closure.
    pub fn read<R>(self, look: impl FnOnce(&[u8]) -> R + Send) -> R {
        // SAFETY: the range is alive; the closure cannot reach the engine (see the module documentation).
        look(&unsafe { self.range().bytes() })
    }

    /// Passes the bytes of two values, which may share memory, to a closure.
    pub fn read_both<R>(self, other: Bytes<'_>, look: impl FnOnce(&[u8], &[u8]) -> R + Send) -> R {
        // SAFETY: as in `read`; slices that are not written to may overlap.
        let (mine, theirs) = unsafe { (self.range().bytes(), other.range().bytes()) };
        look(&mine, &theirs)
    }

    /// Passes the bytes to a closure that changes them.
    pub fn write<R>(self, change: impl FnOnce(&mut [u8]) -> R + Send) -> R {
        // SAFETY: as in `read`, and this is the only slice of the memory while the closure runs.
        unsafe { self.range().write(change) }
    }

    /// Copies the bytes.
    pub fn to_vec(self) -> Vec<u8> {
        self.read(<[u8]>::to_vec)
    }

    /// Copies up to `count` bytes, starting at `from`, to position `at` of `target`, like `memmove`. Copies fewer bytes
    /// if either range ends earlier. Returns the number copied.
    pub fn copy_to(self, target: Bytes<'_>, at: usize, from: usize, count: usize) -> usize {
        let (source, goal) = (self.range(), target.range());
        let count = count.min(source.length.saturating_sub(from)).min(goal.length.saturating_sub(at));
        if count > 0 {
            // SAFETY: both ranges were just limited to the buffers' lengths; `copy` allows overlap.
            unsafe { std::ptr::copy(source.start.add(from), goal.start.add(at), count) };
        }
        count
    }
}

/// A chunk that a script writes to a stream: bytes in the script's memory, or bytes that Rust owns.
#[derive(Debug)]
pub enum Part<'s> {
    /// A typed array or array buffer; read directly from its memory.
    Bytes(Bytes<'s>),
    /// Bytes that Rust owns.
    Owned(Vec<u8>),
}

impl Part<'_> {
    /// The bytes of the part. Only shared memory is copied.
    ///
    /// # Safety
    ///
    /// The requirements of [`Range::bytes`].
    unsafe fn bytes(&self) -> Cow<'_, [u8]> {
        match self {
            // SAFETY: guaranteed by the caller.
            Part::Bytes(bytes) => unsafe { bytes.range().bytes() },
            Part::Owned(bytes) => Cow::Borrowed(bytes),
        }
    }

    /// The current number of bytes.
    pub fn len(&self) -> usize {
        match self {
            Part::Bytes(bytes) => bytes.len(),
            Part::Owned(bytes) => bytes.len(),
        }
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Passes the bytes of several parts to a closure, in the form that `writev` takes.
    pub fn with_io_slices<R>(parts: &[Part<'_>], look: impl FnOnce(&[IoSlice<'_>]) -> R + Send) -> R {
        const FEW: usize = 16;
        // SAFETY: as in `Bytes::read`.
        let bytes = |part| unsafe { Part::bytes(part) };
        if parts.len() <= FEW {
            let mut kept = [const { Cow::Borrowed(&[] as &[u8]) }; FEW];
            kept.iter_mut().zip(parts).for_each(|(place, part)| *place = bytes(part));
            let few = kept.each_ref().map(|bytes| IoSlice::new(bytes));
            return look(&few[..parts.len()]);
        }
        let kept: Vec<_> = parts.iter().map(bytes).collect();
        look(&kept.iter().map(|bytes| IoSlice::new(bytes)).collect::<Vec<_>>())
    }

    /// Passes the bytes of several parts to a closure.
    pub fn with_slices<R>(parts: &[Part<'_>], look: impl FnOnce(&[&[u8]]) -> R + Send) -> R {
        let kept: Vec<_> = parts
            .iter()
            // SAFETY: as in `Bytes::read`.
            .map(|part| unsafe { part.bytes() })
            .collect();
        look(&kept.iter().map(|bytes| &**bytes).collect::<Vec<_>>())
    }

    /// Appends the bytes to a vector.
    pub fn append_to(&self, bytes: &mut Vec<u8>) {
        Part::with_slices(slice::from_ref(self), |slices| slices.iter().for_each(|part| bytes.extend_from_slice(part)));
    }
}
