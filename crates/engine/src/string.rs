//! [`JsString`]: strings, and their way between Rust and JavaScript.

use std::slice;

use mozjs::jsapi;

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
    /// When there is no memory for it, or it is longer than a string may be.
    pub fn new<'s>(scope: Scope<'s>, text: &str) -> Fallible<Local<'s, JsString>> {
        let string = if text.is_ascii() {
            // SAFETY: the pointer and length are those of the text, which the engine copies as Latin-1.
            unsafe { jsapi::JS_NewStringCopyN(scope.cx(), text.as_ptr().cast(), text.len()) }
        } else {
            let chars = mozjs::conversions::Utf8Chars::from(text);
            // SAFETY: as above, as UTF-8.
            unsafe { jsapi::JS_NewStringCopyUTF8N(scope.cx(), &raw const *chars) }
        };
        from_engine(scope, string)
    }

    /// Copies UTF-16 code units into JavaScript.
    ///
    /// # Errors
    ///
    /// As [`new`](JsString::new).
    pub fn from_utf16<'s>(scope: Scope<'s>, units: &[u16]) -> Fallible<Local<'s, JsString>> {
        // SAFETY: the pointer and length are those of the slice, which the engine copies.
        let string = unsafe { jsapi::JS_NewUCStringCopyN(scope.cx(), units.as_ptr(), units.len()) };
        from_engine(scope, string)
    }

    /// Copies bytes into JavaScript, each as the code unit of the same number.
    ///
    /// # Errors
    ///
    /// As [`new`](JsString::new).
    pub fn from_latin1<'s>(scope: Scope<'s>, bytes: &[u8]) -> Fallible<Local<'s, JsString>> {
        // SAFETY: as above.
        let string = unsafe { jsapi::JS_NewStringCopyN(scope.cx(), bytes.as_ptr().cast(), bytes.len()) };
        from_engine(scope, string)
    }
}

fn from_engine<'s>(scope: Scope<'s>, string: *mut raw::RawString) -> Fallible<Local<'s, JsString>> {
    if string.is_null() {
        return Err(Thrown::pending(scope));
    }
    // SAFETY: the engine has just made the string.
    Ok(unsafe { scope.root(raw::string(string)) })
}

/// The code units of a string.
enum Units<'a> {
    Latin1(&'a [u8]),
    Utf16(&'a [u16]),
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

    /// Calls `read` with the code units. A string that the engine keeps in parts is joined first.
    fn with_units<R>(self, scope: Scope<'_>, read: impl FnOnce(Units<'_>) -> R) -> Fallible<R> {
        let cx = scope.cx();
        // SAFETY: joining the parts may collect, so the pointer to the string is taken from the result. The characters stay where they
        // are while `read` runs, which has no scope and so cannot call the engine.
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
    /// When there is no memory to join its parts.
    pub fn to_text(self, scope: Scope<'_>) -> Fallible<String> {
        self.with_units(scope, |units| match units {
            Units::Latin1(bytes) => bytes.iter().map(|&byte| char::from(byte)).collect(),
            Units::Utf16(units) => String::from_utf16_lossy(units),
        })
    }

    /// Copies the string into Rust as WTF-8: UTF-8 in which a lone surrogate is encoded as three bytes, like any other character.
    ///
    /// # Errors
    ///
    /// As [`to_text`](Local::to_text).
    pub fn to_wtf8(self, scope: Scope<'_>) -> Fallible<Vec<u8>> {
        self.with_units(scope, |units| match units {
            Units::Latin1(bytes) if bytes.is_ascii() => bytes.to_vec(),
            Units::Latin1(bytes) => bytes.iter().map(|&byte| char::from(byte)).collect::<String>().into_bytes(),
            Units::Utf16(units) => {
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
        })
    }

    /// Copies the UTF-16 code units into Rust.
    ///
    /// # Errors
    ///
    /// As [`to_text`](Local::to_text).
    pub fn to_utf16(self, scope: Scope<'_>) -> Fallible<Vec<u16>> {
        self.with_units(scope, |units| match units {
            Units::Latin1(bytes) => bytes.iter().map(|&byte| u16::from(byte)).collect(),
            Units::Utf16(units) => units.to_vec(),
        })
    }
}
