//! Bytes and strings passed between JavaScript and the loop.
//!
//! # Safety
//!
//! [`Part::with_io_slices`] wants a closure that is `Send`, because such a closure cannot call the engine. A loop is not `Send`, but the two
//! calls made here only call the system: they never call back into JavaScript.
#![allow(unsafe_code)]

use std::borrow::Cow;
use std::io::IoSlice;

use phasor_core::{Address, Errno, HandleId, Loop};
use phasor_engine::{ArrayBuffer, Fallible, FromJs, JsString, Local, Object, Scope, Value};
pub use phasor_engine::{Bytes, Part};

use crate::face::JsFace;

/// A loop that is borrowed on its own thread.
struct Borrowed<'a>(&'a mut Loop<JsFace>);

// SAFETY: see the head of the file. The value does not leave its thread.
unsafe impl Send for Borrowed<'_> {}

impl Borrowed<'_> {
    fn try_write(self, id: HandleId, slices: &[IoSlice<'_>]) -> Result<usize, Errno> {
        self.0.stream_try_write(id, slices)
    }

    fn try_send(self, id: HandleId, slices: &[IoSlice<'_>], to: Option<&Address>) -> Result<usize, Errno> {
        self.0.udp_try_send(id, slices, to)
    }
}

/// Writes the parts to a stream directly from their memory, in one system call. Returns the number of bytes that were written at once.
///
/// # Errors
///
/// The error of the system call.
pub fn try_write(core: &mut Loop<JsFace>, id: HandleId, parts: &[Part<'_>]) -> Result<usize, Errno> {
    let core = Borrowed(core);
    Part::with_io_slices(parts, move |slices| core.try_write(id, slices))
}

/// Sends a datagram of the parts now, or fails.
///
/// # Errors
///
/// The error of the system call.
pub fn try_send(
    core: &mut Loop<JsFace>,
    id: HandleId,
    parts: &[Part<'_>],
    to: Option<&Address>,
) -> Result<usize, Errno> {
    let core = Borrowed(core);
    Part::with_io_slices(parts, move |slices| core.try_send(id, slices, to))
}

/// A copy of the parts without the first `skip` bytes.
pub fn copy_after(parts: &[Part<'_>], skip: usize) -> Vec<u8> {
    let mut rest = Vec::new();
    for part in parts {
        part.append_to(&mut rest);
    }
    rest.drain(..skip.min(rest.len()));
    rest
}

/// A `Uint8Array` with the given prototype, such as `Buffer.prototype`, on a copy of the bytes.
///
/// # Errors
///
/// When there is no memory for it.
pub fn array_of<'s>(scope: Scope<'s>, prototype: Local<'_, Object>, bytes: &[u8]) -> Fallible<Local<'s, Value>> {
    let buffer = ArrayBuffer::copy_of(scope, bytes)?;
    view_of(scope, prototype, buffer, bytes.len())
}

/// A `Uint8Array` with the given prototype, such as `Buffer.prototype`, that owns the bytes.
///
/// # Errors
///
/// When there is no memory for it.
pub fn array_on<'s>(scope: Scope<'s>, prototype: Local<'_, Object>, bytes: Vec<u8>) -> Fallible<Local<'s, Value>> {
    let length = bytes.len();
    let buffer = ArrayBuffer::from_vec(scope, bytes)?;
    view_of(scope, prototype, buffer, length)
}

fn view_of<'s>(
    scope: Scope<'s>,
    prototype: Local<'_, Object>,
    buffer: Local<'s, ArrayBuffer>,
    length: usize,
) -> Fallible<Local<'s, Value>> {
    let array = buffer.bytes(scope, 0, length)?;
    array.set_prototype(scope, Some(prototype))?;
    Ok(array.as_value())
}

/// A string as UTF-8. A lone surrogate is encoded as three bytes, like any other character (WTF-8).
#[derive(Clone, Debug)]
pub struct Text(Vec<u8>);

impl<'s> FromJs<'s> for Text {
    fn from_js(scope: Scope<'s>, value: Local<'s, Value>) -> Fallible<Self> {
        Local::<'s, JsString>::from_js(scope, value)?.to_wtf8(scope).map(Text)
    }
}

impl Text {
    /// The bytes, including encoded lone surrogates.
    pub fn as_wtf8(&self) -> &[u8] {
        &self.0
    }

    /// The text, each lone surrogate replaced by U+FFFD, as every encoder of Node does.
    pub fn to_utf8(&self) -> Cow<'_, str> {
        to_utf8(&self.0)
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
#[derive(Clone, Debug)]
pub struct Units(Vec<u16>);

impl<'s> FromJs<'s> for Units {
    fn from_js(scope: Scope<'s>, value: Local<'s, Value>) -> Fallible<Self> {
        Local::<'s, JsString>::from_js(scope, value)?.to_utf16(scope).map(Units)
    }
}

impl Units {
    /// The code units.
    pub fn as_slice(&self) -> &[u16] {
        &self.0
    }
}

/// Creates a string from `text`.
///
/// # Errors
///
/// When there is no memory for it, or it is longer than a string may be.
pub fn string_from_str<'s>(scope: Scope<'s>, text: &str) -> Fallible<Local<'s, Value>> {
    Ok(JsString::new(scope, text)?.as_value())
}

/// Decodes UTF-8, each ill-formed sequence replaced by U+FFFD as in the Encoding Standard.
///
/// # Errors
///
/// The errors of [`string_from_str`].
pub fn string_from_utf8<'s>(scope: Scope<'s>, bytes: &[u8]) -> Fallible<Local<'s, Value>> {
    string_from_str(scope, &String::from_utf8_lossy(bytes))
}

/// Creates a string whose code units are the bytes.
///
/// # Errors
///
/// The errors of [`string_from_str`].
pub fn string_from_latin1<'s>(scope: Scope<'s>, bytes: &[u8]) -> Fallible<Local<'s, Value>> {
    Ok(JsString::from_latin1(scope, bytes)?.as_value())
}

/// Creates a string from UTF-16 code units, including lone surrogates.
///
/// # Errors
///
/// The errors of [`string_from_str`].
pub fn string_from_utf16<'s>(scope: Scope<'s>, units: &[u16]) -> Fallible<Local<'s, Value>> {
    Ok(JsString::from_utf16(scope, units)?.as_value())
}
