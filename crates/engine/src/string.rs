//! [`JsString`]: strings, and their conversion between Rust and JavaScript.

use std::slice;

use encoding_rs::mem;
use mozjs::jsapi;

use crate::bytes::Bytes;
use crate::exception::{Fallible, Thrown};
use crate::local::{Kind, Local, sealed};
use crate::raw;
use crate::scope::Scope;

/// A string of JavaScript: UTF-16 code units, which may hold lone surrogates.
#[derive(Debug)]
pub enum JsString {}

impl sealed::Sealed for JsString {}

impl Kind for JsString {
    fn matches(value: sealed::Raw) -> bool {
        value.0.is_string()
    }
}

impl JsString {
    /// Copies a text into JavaScript.
    ///
    /// # Errors
    ///
    /// If there is no memory for the string, or it is longer than the engine allows.
    pub fn new<'s>(scope: Scope<'s>, text: &str) -> Fallible<Local<'s, JsString>> {
        JsString::from_utf8_lossy(scope, text.as_bytes())
    }

    /// Copies UTF-16 code units into JavaScript.
    ///
    /// # Errors
    ///
    /// The errors of [`new`](JsString::new).
    pub fn from_utf16<'s>(scope: Scope<'s>, units: &[u16]) -> Fallible<Local<'s, JsString>> {
        // SAFETY: the pointer and length are those of the slice, which the engine copies.
        let string = unsafe { jsapi::JS_NewUCStringCopyN(scope.cx(), units.as_ptr(), units.len()) };
        from_engine(scope, string)
    }

    /// Makes a string from bytes; each byte becomes the code unit with the same number.
    ///
    /// # Errors
    ///
    /// The errors of [`new`](JsString::new).
    pub fn from_latin1<'s>(scope: Scope<'s>, bytes: &[u8]) -> Fallible<Local<'s, JsString>> {
        // SAFETY: the pointer and length are those of the slice, which the engine copies.
        let string = unsafe { jsapi::JS_NewStringCopyN(scope.cx(), bytes.as_ptr().cast(), bytes.len()) };
        from_engine(scope, string)
    }

    /// Decodes UTF-8. Each ill-formed sequence becomes U+FFFD, as in the Encoding Standard.
    ///
    /// # Errors
    ///
    /// The errors of [`new`](JsString::new).
    pub fn from_utf8_lossy<'s>(scope: Scope<'s>, bytes: &[u8]) -> Fallible<Local<'s, JsString>> {
        if bytes.is_ascii() { JsString::from_latin1(scope, bytes) } else { decode(bytes).into_string(scope) }
    }

    /// Decodes UTF-8 like [`from_utf8_lossy`](JsString::from_utf8_lossy), from the memory of a buffer:
    /// `bytes[start..end]`, clamped to its length.
    ///
    /// # Errors
    ///
    /// The errors of [`new`](JsString::new).
    pub fn from_buffer_utf8<'s>(
        scope: Scope<'s>,
        bytes: Bytes<'_>,
        start: usize,
        end: usize,
    ) -> Fallible<Local<'s, JsString>> {
        bytes.with_unmoved(start, end, |part| {
            // SAFETY: `with_unmoved` guarantees that the bytes neither move nor change until the engine has copied
            // them.
            let bytes = unsafe { &*part };
            JsString::from_utf8_lossy(scope, bytes)
        })
    }

    /// Makes a string like [`from_latin1`](JsString::from_latin1), from the memory of a buffer: `bytes[start..end]`,
    /// clamped to its length.
    ///
    /// # Errors
    ///
    /// The errors of [`new`](JsString::new).
    pub fn from_buffer_latin1<'s>(
        scope: Scope<'s>,
        bytes: Bytes<'_>,
        start: usize,
        end: usize,
    ) -> Fallible<Local<'s, JsString>> {
        bytes.with_unmoved(start, end, |part| {
            // SAFETY: `with_unmoved` guarantees that the bytes neither move nor change until the engine has copied
            // them.
            let bytes = unsafe { &*part };
            JsString::from_latin1(scope, bytes)
        })
    }
}

/// Text in the form that the engine stores.
enum Decoded {
    Latin1(Vec<u8>),
    Utf16(Vec<u16>),
}

impl Decoded {
    fn into_string<'s>(self, scope: Scope<'s>) -> Fallible<Local<'s, JsString>> {
        match self {
            Decoded::Latin1(bytes) => JsString::from_latin1(scope, &bytes),
            Decoded::Utf16(units) => JsString::from_utf16(scope, &units),
        }
    }
}

/// Decodes UTF-8 that is not ASCII.
fn decode(bytes: &[u8]) -> Decoded {
    if mem::is_utf8_latin1(bytes) {
        let mut latin1 = vec![0; bytes.len()];
        let length = mem::convert_utf8_to_latin1_lossy(bytes, &mut latin1);
        latin1.truncate(length);
        return Decoded::Latin1(latin1);
    }
    // The converter requires room for one unit more than the text can have.
    let mut units = vec![0; bytes.len() + 1];
    let length = mem::convert_utf8_to_utf16(bytes, &mut units);
    units.truncate(length);
    Decoded::Utf16(units)
}

fn from_engine<'s>(scope: Scope<'s>, string: *mut raw::RawString) -> Fallible<Local<'s, JsString>> {
    if string.is_null() {
        return Err(Thrown::pending(scope));
    }
    // SAFETY: the engine has just made the string.
    Ok(unsafe { scope.root(raw::string(string)) })
}

/// The code units of a string, as the engine stores them.
#[derive(Clone, Copy, Debug)]
pub enum Units<'a> {
    /// Code units that are all below 256, one byte each.
    Latin1(&'a [u8]),
    /// Any code units, including lone surrogates.
    Utf16(&'a [u16]),
}

impl Units<'_> {
    /// The number of code units.
    pub fn len(self) -> usize {
        match self {
            Units::Latin1(bytes) => bytes.len(),
            Units::Utf16(units) => units.len(),
        }
    }

    /// Whether there are no code units.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The length as UTF-8, in which a lone surrogate takes three bytes.
    pub fn utf8_len(self) -> usize {
        match self {
            Units::Latin1(bytes) => bytes.len() + bytes.iter().filter(|&&byte| byte >= 0x80).count(),
            Units::Utf16(units) => {
                let bytes = |&unit: &u16| 1 + usize::from(unit >= 0x80) + usize::from(unit >= 0x800);
                let is_pair = |pair: &&[u16]| pair[0] & 0xFC00 == 0xD800 && pair[1] & 0xFC00 == 0xDC00;
                // A pair of surrogates takes four bytes instead of two times three.
                units.iter().map(bytes).sum::<usize>() - 2 * units.windows(2).filter(is_pair).count()
            }
        }
    }

    /// Encodes code units as UTF-8 until `target` is full, without cutting a character. A lone surrogate becomes
    /// U+FFFD. Returns the numbers of units read and of bytes written.
    pub fn write_utf8(self, target: &mut [u8]) -> (usize, usize) {
        match self {
            Units::Latin1(bytes) => mem::convert_latin1_to_utf8_partial(bytes, target),
            Units::Utf16(units) => mem::convert_utf16_to_utf8_partial(units, target),
        }
    }

    /// The text as UTF-8; a lone surrogate becomes U+FFFD.
    pub fn to_utf8(self) -> Vec<u8> {
        if let Units::Latin1(bytes) = self
            && bytes.is_ascii()
        {
            return bytes.to_vec();
        }
        let mut text = vec![0; self.utf8_len()];
        let (_, written) = self.write_utf8(&mut text);
        text.truncate(written);
        text
    }
}

impl<'s> Local<'s, JsString> {
    /// The number of UTF-16 code units.
    pub fn len(self) -> usize {
        // SAFETY: the value is a string.
        unsafe { jsapi::JS_GetStringLength(self.raw().to_string()) }
    }

    /// Whether the string has no code units.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Passes the code units to a closure. A rope is flattened first.
    ///
    /// # Errors
    ///
    /// If there is no memory to flatten the string.
    pub fn read_units<R>(self, scope: Scope<'_>, read: impl FnOnce(Units<'_>) -> R + Send) -> Fallible<R> {
        self.with_units(scope, read)
    }

    /// Passes the memory of a buffer and the code units to a closure that writes the units into the memory.
    ///
    /// # Errors
    ///
    /// The errors of [`read_units`](Local::read_units).
    pub fn write_to<R>(
        self,
        scope: Scope<'_>,
        target: Bytes<'_>,
        write: impl FnOnce(&mut [u8], Units<'_>) -> R + Send,
    ) -> Fallible<R> {
        // The address of the buffer is read after the string was flattened, because flattening may move the buffer.
        self.with_units(scope, |units| {
            // SAFETY: the range is alive: neither this closure nor `write`, which is `Send`, can reach the engine. The engine keeps the
            // characters of strings and the memory of buffers apart.
            unsafe { target.range().write(|bytes| write(bytes, units)) }
        })
    }

    /// Calls `read`, which must not call the engine, with the code units. A rope is flattened first.
    fn with_units<R>(self, scope: Scope<'_>, read: impl FnOnce(Units<'_>) -> R) -> Fallible<R> {
        let cx = scope.cx();
        // SAFETY: flattening may collect, so the pointer to the string is taken from its result. The characters do not
        // move while `read` runs, because `read` does not call the engine.
        unsafe {
            let linear = jsapi::JS_EnsureLinearString(cx, self.raw().to_string());
            if linear.is_null() {
                return Err(Thrown::pending(scope));
            }
            let string = mozjs::glue::JS_ForgetStringLinearness(linear);
            let mut length = 0;
            Ok(if jsapi::JS_DeprecatedStringHasLatin1Chars(string) {
                let start = jsapi::JS_GetLatin1StringCharsAndLength(cx, std::ptr::null(), string, &raw mut length);
                read(Units::Latin1(slice::from_raw_parts(start, length)))
            } else {
                let start = jsapi::JS_GetTwoByteStringCharsAndLength(cx, std::ptr::null(), string, &raw mut length);
                read(Units::Utf16(slice::from_raw_parts(start, length)))
            })
        }
    }

    /// Copies the string into Rust. A lone surrogate becomes U+FFFD.
    ///
    /// # Errors
    ///
    /// If there is no memory to flatten the string.
    pub fn to_text(self, scope: Scope<'_>) -> Fallible<String> {
        self.with_units(scope, |units| {
            // SAFETY: the encoder writes well-formed UTF-8 only.
            unsafe { String::from_utf8_unchecked(units.to_utf8()) }
        })
    }

    /// Copies the string into Rust as WTF-8: UTF-8 in which a lone surrogate is encoded as three bytes, like other code
    /// points of that range.
    ///
    /// # Errors
    ///
    /// The errors of [`to_text`](Local::to_text).
    pub fn to_wtf8(self, scope: Scope<'_>) -> Fallible<Vec<u8>> {
        self.with_units(scope, |units| match units {
            Units::Utf16(units) if mem::utf16_valid_up_to(units) < units.len() => {
                let mut bytes = Vec::with_capacity(units.len() * 2);
                for unit in char::decode_utf16(units.iter().copied()) {
                    match unit {
                        Ok(char) => bytes.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
                        Err(lone) => {
                            let unit = lone.unpaired_surrogate();
                            bytes.extend([
                                0xE0 | (unit >> 12) as u8,
                                0x80 | (unit >> 6 & 0x3F) as u8,
                                0x80 | (unit & 0x3F) as u8,
                            ]);
                        }
                    }
                }
                bytes
            }
            units => units.to_utf8(),
        })
    }

    /// Appends the string to a vector as UTF-8. A lone surrogate becomes U+FFFD.
    ///
    /// # Errors
    ///
    /// The errors of [`to_text`](Local::to_text).
    pub fn append_utf8(self, scope: Scope<'_>, bytes: &mut Vec<u8>) -> Fallible<()> {
        self.with_units(scope, |units| match units {
            Units::Latin1(units) if units.is_ascii() => bytes.extend_from_slice(units),
            Units::Latin1(units) => {
                bytes.reserve(2 * units.len());
                for &unit in units {
                    bytes.extend_from_slice(char::from(unit).encode_utf8(&mut [0; 2]).as_bytes());
                }
            }
            Units::Utf16(units) => {
                bytes.reserve(3 * units.len());
                for unit in char::decode_utf16(units.iter().copied()) {
                    let char = unit.unwrap_or(char::REPLACEMENT_CHARACTER);
                    bytes.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
                }
            }
        })
    }

    /// Appends the low byte of each UTF-16 code unit to a vector.
    ///
    /// # Errors
    ///
    /// The errors of [`to_text`](Local::to_text).
    pub fn append_latin1(self, scope: Scope<'_>, bytes: &mut Vec<u8>) -> Fallible<()> {
        self.with_units(scope, |units| match units {
            Units::Latin1(units) => bytes.extend_from_slice(units),
            Units::Utf16(units) => bytes.extend(units.iter().map(|&unit| unit as u8)),
        })
    }

    /// Copies the UTF-16 code units into Rust.
    ///
    /// # Errors
    ///
    /// The errors of [`to_text`](Local::to_text).
    pub fn to_utf16(self, scope: Scope<'_>) -> Fallible<Vec<u16>> {
        self.with_units(scope, |units| match units {
            Units::Latin1(bytes) => bytes.iter().map(|&byte| u16::from(byte)).collect(),
            Units::Utf16(units) => units.to_vec(),
        })
    }
}
