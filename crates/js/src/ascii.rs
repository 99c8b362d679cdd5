//! Borrowed access to ASCII strings: the characters are the bytes, so nothing is copied or decoded. HTTP heads consist mostly of
//! such strings.
//!
//! # Safety
//! As `bytes`: a slice lives for one closure, which is `Send` and so cannot capture the engine. A string that is held
//! does not change.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::os::raw::c_int;
use std::slice;

use rquickjs::{Object, Value};

use crate::engine::engine_patch;

/// The characters of a string that is all ASCII and stored in one piece (not a rope).
pub(crate) fn ascii_of<'a>(value: &'a Value<'_>) -> Option<&'a [u8]> {
    let mut count = 0;
    // SAFETY: reads a value that is held; its characters do not move while it lives.
    unsafe {
        let first = (engine_patch()?.ascii)(&value.as_raw(), &mut count);
        (!first.is_null()).then(|| slice::from_raw_parts(first, count))
    }
}

/// Reads the characters of two strings. `None` unless both are all ASCII and stored in one piece.
pub fn read_ascii<R>(one: &Value<'_>, other: &Value<'_>, look: impl FnOnce(&[u8], &[u8]) -> R + Send) -> Option<R> {
    Some(look(ascii_of(one)?, ascii_of(other)?))
}

/// A header line: its name and its value. Mirrors the struct in `engine/phasor_engine.h`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Line {
    name: *const u8,
    name_count: usize,
    value: *const u8,
    value_count: usize,
}

/// Reads header lines from the object in which `setHeader` keeps them: for each line an array of name and value.
/// Returns false if a name or value is not an ASCII string, or if there are too many lines.
pub fn read_lines(headers: &Object<'_>, mut look: impl FnMut(&[u8], &[u8]) + Send) -> bool {
    const MOST: usize = 32;
    let mut lines = [const { MaybeUninit::<Line>::uninit() }; MOST];
    let Some(added) = engine_patch() else { return false };
    // SAFETY: there is room for `MOST` lines; the engine returns how many it wrote.
    let count = unsafe { (added.lines)(&headers.as_value().as_raw(), lines.as_mut_ptr().cast(), MOST as c_int) };
    let Ok(count) = usize::try_from(count) else { return false };
    for line in &lines[..count] {
        // SAFETY: the headers hold the strings, and the closure cannot reach the engine (see the head), so they stay
        // alive.
        unsafe {
            let Line { name, name_count, value, value_count } = line.assume_init();
            look(slice::from_raw_parts(name, name_count), slice::from_raw_parts(value, value_count));
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use rquickjs::{Context, Runtime};

    use super::*;

    #[test]
    fn only_ascii_strings_are_read() {
        Context::full(&Runtime::new().unwrap()).unwrap().with(|ctx| {
            let read = |one: &str, other: &str| {
                let value = |code: &str| ctx.eval::<Value<'_>, _>(code).unwrap();
                read_ascii(&value(one), &value(other), |one, other| [one, other].concat())
            };
            assert_eq!(read("'some'", "' text'").unwrap(), b"some text");
            assert_eq!(read("''", "'x'.repeat(99)").unwrap(), [b'x'; 99]);
            for other in ["'caf\\xe9'", "'eight by\\x80'", "'\\x80 eight b'", "'\\u20ac'", "5", "null", "({})"] {
                assert!(read("'a'", other).is_none(), "{other}");
                assert!(read(other, "'a'").is_none(), "{other}");
            }
        });
    }

    #[test]
    fn header_lines_are_read_in_order_or_declined() {
        Context::full(&Runtime::new().unwrap()).unwrap().with(|ctx| {
            let read = |code: &str| {
                let mut text = Vec::new();
                let headers: Object<'_> = ctx.eval(format!("({code})")).unwrap();
                let add = |name: &[u8], value: &[u8]| text.extend([name, b"=", value, b";"].concat());
                read_lines(&headers, add).then(|| String::from_utf8(text).unwrap())
            };
            assert_eq!(read("{ __proto__: null, b: ['B', '1'], a: ['a', ''] }").unwrap(), "B=1;a=;");
            assert_eq!(read("{}").unwrap(), "");
            let without = "(() => { const it = { a: ['a', '1'], b: ['b', '2'] }; delete it.a; return it; })()";
            assert_eq!(read(without).unwrap(), "b=2;");
            let many = "Object.fromEntries(Array.from({ length: 33 }, (_, at) => ['h' + at, ['h', 'v']]))";
            for other in [
                "{ a: ['a', 1] }",
                "{ a: ['a', ['1', '2']] }",
                "{ a: ['a', '\\xe9'] }",
                "{ b: ['b', '1'], 7: ['7', '2'] }",
                "{ a: ['a'] }",
                "{ a: 'a' }",
                "{ get a() {} }",
                "[['a', '1']]",
                "new Proxy({}, {})",
                many,
            ] {
                assert!(read(other).is_none(), "{other}");
            }
        });
    }
}
