//! Bytes and strings passed between JavaScript and Rust, without a copy where the engine allows it.
//!
//! [`Bytes`] is a typed array or an array buffer whose memory Rust may read or change during one closure. [`Text`] and
//! [`Units`] are a string as UTF-8 and as UTF-16, [`Utf8`] is an owned copy, and `string_from_*` create strings.
//! Encodings are defined in `node/buffer` and `node/encoding`, not here.
//!
//! # Safety
//! - A slice of an array buffer's memory lives for one closure only, and the closure is `Send`. `Ctx` and `Value` are
//!   not, so the closure cannot capture the engine, and nothing can detach, resize or collect the buffer meanwhile.
//! - The pointer is read anew each time, from a value that is held, so it is never stale.
//! - Two buffers may share memory: [`Bytes::copy_to`] is a `memmove` on raw pointers, and [`Bytes::read_both`] passes
//!   shared slices only.
//! - Another thread may write to a `SharedArrayBuffer` while we read. ECMA-262 allows that race; the result is a
//!   mixture of old and new bytes, and no pointer or length is ever read from such memory.
//! - Strings are buffers of the engine, freed on drop. The context is held beside each.
#![allow(unsafe_code)]

use std::borrow::Cow;
use std::io::IoSlice;
use std::slice;

use phasor_core::{Address, Errno, HandleId, Loop};
use rquickjs::{ArrayBuffer, Ctx, Error, FromJs, Object, TypedArray, Value, qjs};

use crate::ascii::ascii_of;
use crate::engine::engine_patch;
use crate::face::JsFace;
use crate::raw;

type Result<T, E = Error> = std::result::Result<T, E>;

/// A typed array or array buffer passed by a script.
pub struct Bytes<'js>(Value<'js>);

impl<'js> FromJs<'js> for Bytes<'js> {
    fn from_js(_ctx: &Ctx<'js>, value: Value<'js>) -> Result<Self> {
        // SAFETY: only reads the tag and class of a value that is held.
        let is_known =
            unsafe { qjs::JS_GetTypedArrayType(value.as_raw()) >= 0 || qjs::JS_IsArrayBuffer(value.as_raw()) };
        // The last check is for shared buffers. It rejects detached buffers, which the first accepts as empty.
        if is_known || value.as_object().is_some_and(Object::is_array_buffer) {
            return Ok(Bytes(value));
        }
        Err(Error::new_from_js(value.type_name(), "typed array or array buffer"))
    }
}

impl<'js> Bytes<'js> {
    /// The value itself.
    pub fn as_value(&self) -> &Value<'js> {
        &self.0
    }

    /// The current number of bytes; 0 if the buffer was detached.
    pub fn len(&self) -> usize {
        self.raw().1
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Passes the bytes to a closure.
    pub fn read<R>(&self, look: impl FnOnce(&[u8]) -> R + Send) -> R {
        let (pointer, len) = self.raw();
        // SAFETY: `raw` returns a live range; the closure cannot reach the engine (see the head).
        look(unsafe { slice::from_raw_parts(pointer, len) })
    }

    /// Passes the bytes of two values, which may share memory, to a closure.
    pub fn read_both<R>(&self, other: &Bytes<'js>, look: impl FnOnce(&[u8], &[u8]) -> R + Send) -> R {
        let ((mine, mine_len), (theirs, theirs_len)) = (self.raw(), other.raw());
        // SAFETY: as in `read`; shared slices may overlap.
        look(unsafe { slice::from_raw_parts(mine, mine_len) }, unsafe { slice::from_raw_parts(theirs, theirs_len) })
    }

    /// Passes the bytes to a closure that changes them.
    pub fn write<R>(&self, change: impl FnOnce(&mut [u8]) -> R + Send) -> R {
        let (pointer, len) = self.raw();
        // SAFETY: as in `read`, and this is the only slice of the memory while the closure runs.
        change(unsafe { slice::from_raw_parts_mut(pointer, len) })
    }

    /// Copies up to `count` bytes, starting at `from`, to position `at` of `target`, as `memmove`; fewer if either
    /// range ends earlier. Returns the number copied.
    pub fn copy_to(&self, target: &Bytes<'js>, at: usize, from: usize, count: usize) -> usize {
        let ((source, source_len), (goal, goal_len)) = (self.raw(), target.raw());
        let count = count.min(source_len.saturating_sub(from)).min(goal_len.saturating_sub(at));
        if count > 0 {
            // SAFETY: both ranges were just limited to the buffers' lengths; `copy` allows overlap.
            unsafe { std::ptr::copy(source.add(from), goal.add(at), count) };
        }
        count
    }

    /// Decodes the bytes from `start` to `end` as UTF-8, with ill-formed sequences replaced.
    pub fn to_string_utf8(&self, start: usize, end: usize) -> Result<Value<'js>> {
        self.to_string_by(start, end, string_from_utf8)
    }

    /// Decodes the bytes from `start` to `end` as Latin-1.
    pub fn to_string_latin1(&self, start: usize, end: usize) -> Result<Value<'js>> {
        self.to_string_by(start, end, string_from_latin1)
    }

    /// Creates a string directly from the memory. `make` is a function of this file, which allocates but never runs a
    /// script.
    fn to_string_by(
        &self,
        start: usize,
        end: usize,
        make: fn(&Ctx<'js>, &[u8]) -> Result<Value<'js>>,
    ) -> Result<Value<'js>> {
        let (pointer, len) = self.raw();
        // SAFETY: `raw` returns a live range; creating a string neither detaches nor resizes a buffer that is held.
        let bytes = unsafe { slice::from_raw_parts(pointer, len) };
        let end = end.min(len);
        make(self.0.ctx(), &bytes[start.min(end)..end])
    }

    /// A pointer to the bytes, valid for a slice of the returned length; dangling if there are none.
    fn raw(&self) -> (*mut u8, usize) {
        let mut count = 0;
        // SAFETY: reads a value that is held.
        let known = engine_patch().map(|added| unsafe { (added.bytes)(&self.0.as_raw(), &mut count) });
        match known.filter(|first| !first.is_null()) {
            Some(first) if count > 0 => (first, count),
            _ => self.raw_of_any(),
        }
    }

    /// As [`raw`](Bytes::raw), for every kind of value.
    fn raw_of_any(&self) -> (*mut u8, usize) {
        let nothing = (std::ptr::NonNull::<u8>::dangling().as_ptr(), 0);
        let context = self.0.ctx().as_raw().as_ptr();
        let mut len: qjs::size_t = 0;
        // SAFETY: the value is held and of its context. The engine's calls set `len` or throw; the exception (detached,
        // out of bounds) is dropped, because such a buffer is treated as empty.
        unsafe {
            let kind = qjs::JS_GetTypedArrayType(self.0.as_raw());
            let pointer = if kind < 0 {
                qjs::JS_GetArrayBuffer(context, &mut len, self.0.as_raw())
            } else {
                let (mut offset, mut element): (qjs::size_t, qjs::size_t) = (0, 1);
                let buffer = qjs::JS_GetTypedArrayBuffer(context, self.0.as_raw(), &mut offset, &mut len, &mut element);
                if qjs::JS_IsException(buffer) {
                    std::ptr::null_mut()
                } else {
                    let mut whole: qjs::size_t = 0;
                    let start = qjs::JS_GetArrayBuffer(context, &mut whole, buffer);
                    // The typed array holds its buffer, so the memory outlives this reference to it.
                    qjs::JS_FreeValue(context, buffer);
                    if start.is_null() || offset > whole {
                        std::ptr::null_mut()
                    } else {
                        let room = whole - offset;
                        if len > room || len < room && self.has_grown(len / element) {
                            len = room - room % element;
                        }
                        start.add(offset as usize)
                    }
                }
            };
            if pointer.is_null() {
                if qjs::JS_HasException(context) {
                    qjs::JS_FreeValue(context, qjs::JS_GetException(context));
                }
                return nothing;
            }
            if len == 0 { nothing } else { (pointer, len as usize) }
        }
    }

    /// Whether a length-tracking view has an element at its original end: the engine keeps returning the original
    /// length of such a view after its resizable buffer has grown. (A shrunk view is reported correctly.)
    fn has_grown(&self, at: qjs::size_t) -> bool {
        // Integers of 31 bits are atoms without memory of their own.
        let Some(index) = u32::try_from(at).ok().filter(|index| *index <= i32::MAX as u32) else { return false };
        let context = self.0.ctx().as_raw().as_ptr();
        // SAFETY: the value is held and of its context; checking an index of a typed array runs no script.
        unsafe { qjs::JS_HasProperty(context, self.0.as_raw(), qjs::JS_NewAtomUInt32(context, index)) == 1 }
    }
}

/// A string as UTF-8. A lone surrogate is encoded as three bytes, like any other character (WTF-8).
pub struct Text<'js> {
    /// The engine's buffer, freed on drop.
    pointer: *const std::ffi::c_char,
    /// The number of bytes, without the terminating nul.
    len: usize,
    /// The context that frees it.
    context: Ctx<'js>,
}

impl<'js> FromJs<'js> for Text<'js> {
    fn from_js(context: &Ctx<'js>, value: Value<'js>) -> Result<Self> {
        if !value.is_string() {
            return Err(Error::new_from_js(value.type_name(), "string"));
        }
        let mut len: qjs::size_t = 0;
        if let Some(text) = ascii_of(&value) {
            // The characters are the bytes. `Drop` frees the new reference to the string.
            let (pointer, len) = (text.as_ptr().cast(), text.len());
            raw::dup(context.as_raw().as_ptr(), value.as_raw());
            return Ok(Text { pointer, len, context: context.clone() });
        }
        // SAFETY: the value is a string of this context; `Drop` frees the result.
        let pointer = unsafe { qjs::JS_ToCStringLen2(context.as_raw().as_ptr(), &mut len, value.as_raw(), false) };
        if pointer.is_null() {
            return Err(Error::Exception);
        }
        Ok(Text { pointer, len: len as usize, context: context.clone() })
    }
}

impl Text<'_> {
    /// The bytes, including encoded lone surrogates.
    pub fn as_wtf8(&self) -> &[u8] {
        // SAFETY: the engine returned this range and keeps it until `Drop`.
        unsafe { slice::from_raw_parts(self.pointer.cast::<u8>(), self.len) }
    }

    /// The text, each lone surrogate replaced by U+FFFD, as every encoder of Node does.
    pub fn to_utf8(&self) -> Cow<'_, str> {
        to_utf8(self.as_wtf8())
    }
}

/// Decodes WTF-8, each lone surrogate replaced by U+FFFD.
pub fn to_utf8(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => {
            let mut bytes = bytes.to_vec();
            replace_surrogates(&mut bytes);
            Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
        }
    }
}

impl Drop for Text<'_> {
    fn drop(&mut self) {
        // SAFETY: returned by `JS_ToCStringLen2` of this context and freed once.
        unsafe { qjs::JS_FreeCString(self.context.as_raw().as_ptr(), self.pointer) };
    }
}

/// An owned string, each lone surrogate replaced by U+FFFD. For any string from a script: the conversion of rquickjs to
/// `String` throws on a lone surrogate.
pub struct Utf8(pub String);

impl<'js> FromJs<'js> for Utf8 {
    fn from_js(context: &Ctx<'js>, value: Value<'js>) -> Result<Self> {
        Text::from_js(context, value).map(|text| Utf8(text.to_utf8().into_owned()))
    }
}

/// Replaces the three bytes of each encoded lone surrogate by those of U+FFFD, in place.
pub fn replace_surrogates(bytes: &mut [u8]) {
    let mut at = 0;
    while at + 2 < bytes.len() {
        if bytes[at] == 0xED && bytes[at + 1] >= 0xA0 {
            bytes[at..at + 3].copy_from_slice("\u{FFFD}".as_bytes());
            at += 3;
        } else {
            at += 1;
        }
    }
}

/// A string as UTF-16 code units.
pub struct Units<'js> {
    /// The engine's buffer, freed on drop.
    pointer: *const u16,
    /// The number of code units.
    len: usize,
    /// The context that frees it.
    context: Ctx<'js>,
}

impl<'js> FromJs<'js> for Units<'js> {
    fn from_js(context: &Ctx<'js>, value: Value<'js>) -> Result<Self> {
        if !value.is_string() {
            return Err(Error::new_from_js(value.type_name(), "string"));
        }
        let mut len: qjs::size_t = 0;
        // SAFETY: the value is a string of this context; `Drop` frees the result.
        let pointer = unsafe { qjs::JS_ToCStringLenUTF16(context.as_raw().as_ptr(), &mut len, value.as_raw()) };
        if pointer.is_null() {
            return Err(Error::Exception);
        }
        Ok(Units { pointer, len: len as usize, context: context.clone() })
    }
}

impl Units<'_> {
    /// The code units.
    pub fn as_slice(&self) -> &[u16] {
        // SAFETY: the engine returned this range and keeps it until `Drop`.
        unsafe { slice::from_raw_parts(self.pointer, self.len) }
    }
}

impl Drop for Units<'_> {
    fn drop(&mut self) {
        // SAFETY: returned by `JS_ToCStringLenUTF16` of this context and freed once.
        unsafe { qjs::JS_FreeCStringUTF16(self.context.as_raw().as_ptr(), self.pointer) };
    }
}

/// A chunk that a script writes to a stream.
pub enum Part<'js> {
    /// A typed array or array buffer; written directly from its memory.
    Bytes(Bytes<'js>),
    /// A string as WTF-8. If lone surrogates must not be written, convert the string to bytes first.
    Text(Text<'js>),
    /// A string in another encoding.
    Owned(Vec<u8>),
}

impl Part<'_> {
    /// A pointer to the bytes, valid for a slice of the returned length.
    fn raw(&self) -> (*const u8, usize) {
        match self {
            Part::Bytes(bytes) => {
                let (pointer, len) = bytes.raw();
                (pointer.cast_const(), len)
            }
            Part::Text(text) => (text.as_wtf8().as_ptr(), text.len),
            Part::Owned(bytes) => (bytes.as_ptr(), bytes.len()),
        }
    }

    /// The current number of bytes.
    pub fn len(&self) -> usize {
        self.raw().1
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends the bytes to a vector.
    pub fn append_to(&self, bytes: &mut Vec<u8>) {
        with_slices(slice::from_ref(self), |slices| slices.iter().for_each(|slice| bytes.extend_from_slice(slice)));
    }
}

/// Writes the parts to a stream directly from their memory, in one system call. Returns the number of bytes that were
/// written at once.
pub fn try_write(core: &mut Loop<JsFace>, id: HandleId, parts: &[Part<'_>]) -> Result<usize, Errno> {
    with_slices(parts, |slices| core.stream_try_write(id, slices))
}

/// Sends a datagram of the parts now, or fails.
pub fn try_send(
    core: &mut Loop<JsFace>,
    id: HandleId,
    parts: &[Part<'_>],
    to: Option<&Address>,
) -> Result<usize, Errno> {
    with_slices(parts, |slices| core.udp_try_send(id, slices, to))
}

/// A copy of the parts without the first `skip` bytes.
pub fn copy_after(parts: &[Part<'_>], mut skip: usize) -> Vec<u8> {
    with_slices(parts, |slices| {
        let mut rest = Vec::with_capacity(slices.iter().map(|slice| slice.len()).sum::<usize>().saturating_sub(skip));
        for slice in slices {
            let from = skip.min(slice.len());
            skip -= from;
            rest.extend_from_slice(&slice[from..]);
        }
        rest
    })
}

/// Passes slices of the parts to a closure. Private: the closures above only call the loop and the allocator, neither
/// of which runs a script.
fn with_slices<R>(parts: &[Part<'_>], call: impl FnOnce(&[IoSlice<'_>]) -> R) -> R {
    const FEW: usize = 16;
    let slice = |part: &Part<'_>| {
        let (pointer, len) = part.raw();
        // SAFETY: `raw` returns live ranges of values that `parts` holds; nothing that runs meanwhile can detach,
        // resize or collect them (see above).
        IoSlice::new(unsafe { slice::from_raw_parts(pointer, len) })
    };
    if parts.len() <= FEW {
        let mut few = [IoSlice::new(&[]); FEW];
        for (place, part) in few.iter_mut().zip(parts) {
            *place = slice(part);
        }
        return call(&few[..parts.len()]);
    }
    call(&parts.iter().map(slice).collect::<Vec<_>>())
}

/// A `Uint8Array` with the given prototype, such as `Buffer.prototype`, on a copy of the bytes.
pub fn array_of<'js>(prototype: &Object<'js>, bytes: &[u8]) -> Result<Value<'js>> {
    let ctx = prototype.ctx();
    let Some(added) = engine_patch() else {
        let array = TypedArray::new_copy(ctx.clone(), bytes)?.into_object();
        array.set_prototype(Some(prototype))?;
        return Ok(array.into_value());
    };
    let mut made = qjs::JS_UNDEFINED;
    // SAFETY: the prototype is alive, and the bytes are copied; the new reference goes to the value.
    let made = unsafe {
        let prototype = prototype.as_value().as_raw();
        (added.make_bytes)(ctx.as_raw().as_ptr(), &prototype, bytes.as_ptr(), bytes.len(), &mut made);
        Value::from_raw(ctx.clone(), made)
    };
    if made.is_exception() { Err(Error::Exception) } else { Ok(made) }
}

/// A `Uint8Array` with the given prototype, such as `Buffer.prototype`, that owns the bytes.
pub fn array_on<'js>(prototype: &Object<'js>, bytes: Vec<u8>) -> Result<Value<'js>> {
    let ctx = prototype.ctx();
    let buffer = ArrayBuffer::new(ctx.clone(), bytes)?;
    let Some(added) = engine_patch() else {
        let array = TypedArray::<u8>::from_arraybuffer(buffer)?.into_object();
        array.set_prototype(Some(prototype))?;
        return Ok(array.into_value());
    };
    let mut made = qjs::JS_UNDEFINED;
    // SAFETY: the prototype and the buffer are alive; the new reference goes to the value.
    let made = unsafe {
        let (prototype, buffer) = (prototype.as_value().as_raw(), buffer.as_value().as_raw());
        (added.make_view)(ctx.as_raw().as_ptr(), &prototype, &buffer, &mut made);
        Value::from_raw(ctx.clone(), made)
    };
    if made.is_exception() { Err(Error::Exception) } else { Ok(made) }
}

/// Creates a string from `text`.
pub fn string_from_str<'js>(context: &Ctx<'js>, text: &str) -> Result<Value<'js>> {
    Ok(rquickjs::String::from_str(context.clone(), text)?.into_value())
}

/// Decodes UTF-8, each ill-formed sequence replaced by U+FFFD as in the Encoding Standard.
pub fn string_from_utf8<'js>(context: &Ctx<'js>, bytes: &[u8]) -> Result<Value<'js>> {
    string_from_str(context, &String::from_utf8_lossy(bytes))
}

/// Creates a string whose code units are the bytes.
pub fn string_from_latin1<'js>(context: &Ctx<'js>, bytes: &[u8]) -> Result<Value<'js>> {
    if let Some(added) = engine_patch() {
        let mut made = qjs::JS_UNDEFINED;
        // SAFETY: the bytes are copied; the new reference goes to the value.
        let made = unsafe {
            (added.make_latin1)(context.as_raw().as_ptr(), bytes.as_ptr(), bytes.len(), &mut made);
            Value::from_raw(context.clone(), made)
        };
        return if made.is_exception() { Err(Error::Exception) } else { Ok(made) };
    }
    match std::str::from_utf8(bytes) {
        Ok(text) if text.is_ascii() => string_from_str(context, text),
        _ => string_from_str(context, &bytes.iter().map(|&byte| char::from(byte)).collect::<String>()),
    }
}

/// Creates a string from UTF-16 code units, including lone surrogates.
pub fn string_from_utf16<'js>(context: &Ctx<'js>, units: &[u16]) -> Result<Value<'js>> {
    // The engine would store two bytes per unit. If all units fit into one byte, create a one-byte string.
    if units.iter().all(|&unit| unit < 0x100) {
        return string_from_str(context, &units.iter().map(|&unit| char::from(unit as u8)).collect::<String>());
    }
    // SAFETY: the engine copies the units; we own the returned value, which may be an exception.
    unsafe {
        let value = qjs::JS_NewStringUTF16(context.as_raw().as_ptr(), units.as_ptr(), units.len() as qjs::size_t);
        if qjs::JS_IsException(value) {
            return Err(Error::Exception);
        }
        Ok(Value::from_raw(context.clone(), value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rquickjs::{Context, Runtime};

    fn with_context(test: impl FnOnce(Ctx)) {
        let runtime = Runtime::new().expect("runtime");
        Context::full(&runtime).expect("context").with(test);
    }

    #[test]
    fn immutable_buffers_are_not_sorted() {
        with_context(|context| {
            let told: String = context
                .eval(
                    "var fixed = new Uint8Array(new Uint8Array([3, 1, 2]).buffer.transferToImmutable()), name = '';
                    try { fixed.sort((a, b) => a - b); } catch (error) { name = error.name; }
                    `${name} ${fixed}`",
                )
                .unwrap();
            assert_eq!(told, "TypeError 3,1,2");
        });
    }

    #[test]
    fn views_see_their_part_of_the_buffer() {
        with_context(|context| {
            let view: Bytes = context
                .eval("var b = new ArrayBuffer(8); new Uint8Array(b).set([0,1,2,3,4,5,6,7]); new Uint16Array(b, 2, 2)")
                .unwrap();
            assert_eq!(view.read(<[u8]>::to_vec), [2, 3, 4, 5]);
            view.write(|bytes| bytes.fill(9));
            let whole: Bytes = context.eval("b").unwrap();
            assert_eq!(whole.read(<[u8]>::to_vec), [0, 1, 9, 9, 9, 9, 6, 7]);
            assert_eq!(whole.copy_to(&whole, 1, 0, 100), 7);
            assert_eq!(whole.read(<[u8]>::to_vec), [0, 0, 1, 9, 9, 9, 9, 6]);
        });
    }

    #[test]
    fn a_detached_buffer_is_empty() {
        with_context(|context| {
            let view: Bytes =
                context.eval("var b = new ArrayBuffer(8), v = new Uint8Array(b); b.transfer(); v").unwrap();
            assert!(view.is_empty());
            assert!(!context.has_exception());
            let empty: Bytes = context.eval("new Uint8Array(0)").unwrap();
            assert!(empty.read(<[u8]>::is_empty));
        });
    }

    #[test]
    fn lone_surrogates_are_replaced() {
        with_context(|context| {
            let text: Text = context.eval(r"'a\ud800b\ud83d\ude00\udc00'").unwrap();
            assert_eq!(text.to_utf8(), "a\u{FFFD}b\u{1F600}\u{FFFD}");
            let Utf8(kept) = context.eval(r"'a\ud800'").unwrap();
            assert_eq!(kept, "a\u{FFFD}");
            let units: Units = context.eval(r"'a\ud800'").unwrap();
            assert_eq!(units.as_slice(), [0x61, 0xD800]);
            let back = string_from_utf16(&context, units.as_slice()).unwrap();
            context.globals().set("back", back).unwrap();
            assert!(context.eval::<bool, _>(r"back === 'a\ud800'").unwrap());
        });
    }
}
