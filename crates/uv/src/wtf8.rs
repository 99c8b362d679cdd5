//! Conversion between UTF-16 and WTF-8, which is UTF-8 that can also encode unpaired surrogates.
//!
//! # Safety
//! A UTF-16 text has as many code units as its length says, or ends with a zero if the length is negative. WTF-8 texts are C strings.
//! Buffers have the size that is passed with them, plus one byte for the NUL.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int};

use phasor_sys::Errno;

use crate::allocator;

/// Decodes one code point. Also returns its length in bytes. `None` for an invalid sequence.
///
/// Like `src/idna.c: uv__wtf8_decode1`, it accepts overlong sequences of three and four bytes.
fn decode(bytes: &[u8]) -> Option<(u32, usize)> {
    let tail = |index: usize| bytes.get(index).filter(|byte| **byte & 0xC0 == 0x80).map(|byte| u32::from(byte & 0x3F));
    let first = *bytes.first()?;
    let lead = u32::from(first);
    match first {
        0..=0x7F => Some((lead, 1)),
        0xC2..=0xDF => Some(((lead & 0x1F) << 6 | tail(1)?, 2)),
        0xE0..=0xEF => Some(((lead & 0xF) << 12 | tail(1)? << 6 | tail(2)?, 3)),
        0xF0..=0xF4 => {
            let point = (lead & 7) << 18 | tail(1)? << 12 | tail(2)? << 6 | tail(3)?;
            (point <= 0x10_FFFF).then_some((point, 4))
        }
        _ => None,
    }
}

/// Iterator over the UTF-16 code units of a WTF-8 text, without its NUL. It ends at the first invalid byte.
struct Units<'a> {
    bytes: &'a [u8],
    /// The low surrogate that follows the last returned code unit.
    next: Option<u16>,
    /// True after an invalid byte was found.
    failed: bool,
}

impl Iterator for Units<'_> {
    type Item = u16;

    fn next(&mut self) -> Option<u16> {
        if let Some(half) = self.next.take() {
            return Some(half);
        }
        if self.bytes.is_empty() || self.failed {
            return None;
        }
        let Some((point, len)) = decode(self.bytes) else {
            self.failed = true;
            return None;
        };
        self.bytes = &self.bytes[len..];
        match point.checked_sub(0x1_0000) {
            None => Some(point as u16),
            Some(rest) => {
                self.next = Some(0xDC00 + (rest & 0x3FF) as u16);
                Some(0xD800 + (rest >> 10) as u16)
            }
        }
    }
}

/// # Safety
/// `text` is a C string that outlives the iterator.
unsafe fn units<'a>(text: *const c_char) -> Units<'a> {
    // SAFETY: guaranteed by the caller.
    Units { bytes: unsafe { CStr::from_ptr(text) }.to_bytes(), next: None, failed: false }
}

/// The number of UTF-16 code units of a WTF-8 text, including the NUL; `EINVAL` if it is not valid WTF-8.
///
/// # Safety
/// `wtf8` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_wtf8_length_as_utf16(wtf8: *const c_char) -> isize {
    // SAFETY: guaranteed by the caller.
    let mut units = unsafe { units(wtf8) };
    let count = units.by_ref().count() + 1;
    if units.failed { -(Errno::EINVAL.raw() as isize) } else { count as isize }
}

/// Converts to UTF-16 with a NUL. The length must be the result of [`uv_wtf8_length_as_utf16`]; no more code units are written.
///
/// # Safety
/// `wtf8` is a C string, `utf16` has `utf16_len` code units.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_wtf8_to_utf16(wtf8: *const c_char, utf16: *mut u16, utf16_len: usize) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        for (index, unit) in units(wtf8).chain([0]).take(utf16_len).enumerate() {
            *utf16.add(index) = unit;
        }
    }
}

/// The code units of a UTF-16 text; a negative length means that it is NUL-terminated.
///
/// # Safety
/// See the head of this file; the text outlives the slice.
unsafe fn slice<'a>(utf16: *const u16, len: isize) -> &'a [u16] {
    let len = usize::try_from(len).unwrap_or_else(|_| {
        let mut len = 0;
        // SAFETY: the caller guarantees that the text has a NUL, where the loop stops.
        while unsafe { *utf16.add(len) } != 0 {
            len += 1;
        }
        len
    });
    if len == 0 {
        return &[];
    }
    // SAFETY: guaranteed by the caller.
    unsafe { std::slice::from_raw_parts(utf16, len) }
}

/// The code points of a UTF-16 text; an unpaired surrogate is a code point of its own.
fn points(text: &[u16]) -> impl Iterator<Item = u32> {
    char::decode_utf16(text.iter().copied())
        .map(|point| point.map_or_else(|half| u32::from(half.unpaired_surrogate()), u32::from))
}

/// Encodes a code point. The second value is the number of bytes that are used.
fn encode(point: u32) -> ([u8; 4], usize) {
    let tail = |shift: u32| 0x80 | (point >> shift & 0x3F) as u8;
    match point {
        0..0x80 => ([point as u8, 0, 0, 0], 1),
        0x80..0x800 => ([0xC0 | (point >> 6) as u8, tail(0), 0, 0], 2),
        0x800..0x1_0000 => ([0xE0 | (point >> 12) as u8, tail(6), tail(0), 0], 3),
        _ => ([0xF0 | (point >> 18) as u8, tail(12), tail(6), tail(0)], 4),
    }
}

fn encoded_len(text: &[u16]) -> usize {
    points(text).map(|point| encode(point).1).sum()
}

/// The length of a text in WTF-8, without a NUL.
///
/// # Safety
/// See the head of this file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_utf16_length_as_wtf8(utf16: *const u16, utf16_len: isize) -> usize {
    // SAFETY: guaranteed by the caller.
    encoded_len(unsafe { slice(utf16, utf16_len) })
}

/// Converts to WTF-8 with a NUL.
///
/// If `wtf8_ptr` is NULL, only the length is computed. If `*wtf8_ptr` is NULL, the text is allocated. Otherwise as much
/// as fits is written, and `ENOBUFS` means that the required length, without the NUL, is in `*wtf8_len_ptr`.
///
/// # Safety
/// See the head of this file. If `*wtf8_ptr` is not NULL, `*wtf8_len_ptr` is its size without the byte for the NUL; otherwise
/// `wtf8_len_ptr` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_utf16_to_wtf8(
    utf16: *const u16,
    utf16_len: isize,
    wtf8_ptr: *mut *mut c_char,
    wtf8_len_ptr: *mut usize,
) -> c_int {
    // SAFETY: guaranteed by the caller; no byte is written after the capacity, except for the NUL, for which the caller
    // guarantees one byte.
    unsafe {
        let text = slice(utf16, utf16_len);
        let needed = encoded_len(text);
        let given = !wtf8_ptr.is_null() && !(*wtf8_ptr).is_null();
        let capacity = if given { *wtf8_len_ptr } else { needed };
        if !wtf8_len_ptr.is_null() {
            *wtf8_len_ptr = needed;
        }
        if wtf8_ptr.is_null() {
            return 0;
        }
        if !given {
            *wtf8_ptr = allocator::malloc(needed + 1).cast();
            if (*wtf8_ptr).is_null() {
                return -Errno::ENOMEM.raw();
            }
        }
        let bytes = points(text).flat_map(|point| {
            let (bytes, len) = encode(point);
            bytes.into_iter().take(len)
        });
        for (index, byte) in bytes.take(capacity).enumerate() {
            *(*wtf8_ptr).add(index) = byte as c_char;
        }
        *(*wtf8_ptr).add(needed.min(capacity)) = 0;
        if needed > capacity { -Errno::ENOBUFS.raw() } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_point_round_trips() {
        for point in (1..=0x10_FFFF).step_by(7).chain([0x7F, 0x80, 0x7FF, 0x800, 0xD800, 0xDFFF, 0xFFFF, 0x1_0000]) {
            let (bytes, len) = encode(point);
            assert_eq!(decode(&bytes[..len]), Some((point, len)), "{point:x}");
            let units: Vec<u16> = Units { bytes: &bytes[..len], next: None, failed: false }.collect();
            assert_eq!(points(&units).collect::<Vec<_>>(), [point]);
        }
    }

    #[test]
    fn invalid_bytes_are_rejected() {
        for text in [c"\x80", c"\xC1\x80", c"a\xC3", c"\xC3(", c"\xE2\x82", c"\xF4\x90\x80\x80", c"\xF5\x80\x80\x80"] {
            // SAFETY: the texts are C strings.
            assert_eq!(unsafe { uv_wtf8_length_as_utf16(text.as_ptr()) }, -(libc::EINVAL as isize), "{text:?}");
        }
    }

    #[test]
    fn a_small_buffer_gets_a_truncated_text() {
        let text = [0x61, 0x20AC, 0xD83D, 0xDE00, 0];
        for (capacity, status) in [(0, -libc::ENOBUFS), (2, -libc::ENOBUFS), (7, -libc::ENOBUFS), (8, 0), (9, 0)] {
            for len in [-1, 4] {
                let mut buffer = [b'x' as c_char; 11];
                let (mut pointer, mut size) = (buffer.as_mut_ptr(), capacity);
                // SAFETY: the text has four code units and a NUL, and the buffer is longer than the capacity.
                let result = unsafe { uv_utf16_to_wtf8(text.as_ptr(), len, &mut pointer, &mut size) };
                assert_eq!((result, size), (status, 8), "{capacity} {len}");
                let whole = b"a\xE2\x82\xAC\xF0\x9F\x98\x80";
                let kept = capacity.min(8);
                assert!(buffer.iter().zip(&whole[..kept]).all(|(a, b)| *a as u8 == *b) && buffer[kept] == 0);
                assert_eq!(buffer[kept + 1] as u8, b'x');
            }
        }
    }
}
