//! zlib's streams, as a safe layer over zlib-rs's C functions: its own Rust interface has no memory levels, no strategies and
//! no dictionaries for raw streams, which Node's options need.
//!
//! What must not live here: what a stream's codes mean to a caller, and when to go on.
//!
//! # Safety
//! A [`Stream`] owns its `z_stream` in a box, as the state may point back at it. It is initialized before a `Stream` is made
//! and ended once, on drop. The pointers to input and output are set from slices that outlive the one call that uses them.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_int};
use std::ptr;

use libz_rs_sys as z;

/// All is well.
pub const OK: i32 = 0;
/// The stream is complete.
pub const STREAM_END: i32 = 1;
/// A dictionary is needed to go on.
pub const NEED_DICT: i32 = 2;
/// The stream was used in a wrong way.
pub const STREAM_ERROR: i32 = -2;
/// The input is broken, or the dictionary is not the one that was used.
pub const DATA_ERROR: i32 = -3;
/// Nothing could be done for want of input or of room.
pub const BUF_ERROR: i32 = -5;

/// A stream that compresses or decompresses.
pub struct Stream {
    raw: Box<z::z_stream>,
    is_deflate: bool,
}

// SAFETY: the state behind the pointers belongs to this stream alone and is bound to no thread.
unsafe impl Send for Stream {}

/// What one call did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// zlib's code.
    pub code: i32,
    /// How many bytes of the input were used.
    pub consumed: usize,
    /// How many bytes of the output were filled.
    pub produced: usize,
}

impl Stream {
    /// A stream that compresses; the error is zlib's code. `window_bits` says the format too, as in zlib: negative for none, 16
    /// more for gzip.
    pub fn deflate(level: i32, window_bits: i32, mem_level: i32, strategy: i32) -> Result<Stream, i32> {
        let mut raw = Box::<z::z_stream>::default();
        // SAFETY: the stream is a default one, the version and the size are those of the functions themselves.
        let code = unsafe {
            z::deflateInit2_(&mut *raw, level, 8, window_bits, mem_level, strategy, z::zlibVersion(), raw_size())
        };
        if code == OK { Ok(Stream { raw, is_deflate: true }) } else { Err(code) }
    }

    /// A stream that decompresses; the error is zlib's code. 32 more in `window_bits` means gzip or zlib, whichever comes.
    pub fn inflate(window_bits: i32) -> Result<Stream, i32> {
        let mut raw = Box::<z::z_stream>::default();
        // SAFETY: as above.
        let code = unsafe { z::inflateInit2_(&mut *raw, window_bits, z::zlibVersion(), raw_size()) };
        if code == OK { Ok(Stream { raw, is_deflate: false }) } else { Err(code) }
    }

    /// Goes on with `input`, into `output`.
    pub fn step(&mut self, input: &[u8], output: &mut [u8], flush: i32) -> Step {
        let (given, room) = (clip(input.len()), clip(output.len()));
        self.raw.next_in = input.as_ptr();
        self.raw.avail_in = given;
        self.raw.next_out = output.as_mut_ptr();
        self.raw.avail_out = room;
        // SAFETY: the stream is initialized, and both slices live and are not touched by others during the call.
        let code = unsafe {
            if self.is_deflate { z::deflate(&mut *self.raw, flush) } else { z::inflate(&mut *self.raw, flush) }
        };
        let step = Step {
            code,
            consumed: (given - self.raw.avail_in) as usize,
            produced: (room - self.raw.avail_out) as usize,
        };
        self.forget_buffers();
        step
    }

    /// Gives the dictionary.
    pub fn set_dictionary(&mut self, dictionary: &[u8]) -> i32 {
        let (bytes, length) = (dictionary.as_ptr(), clip(dictionary.len()));
        // SAFETY: the stream is initialized; the slice is copied during the call.
        unsafe {
            if self.is_deflate {
                z::deflateSetDictionary(&mut *self.raw, bytes, length)
            } else {
                z::inflateSetDictionary(&mut *self.raw, bytes, length)
            }
        }
    }

    /// Other parameters from here on. What was given before must have been flushed: there is no room for output here.
    pub fn params(&mut self, level: i32, strategy: i32) -> i32 {
        if !self.is_deflate {
            return STREAM_ERROR;
        }
        let mut output = [0; 64];
        self.raw.next_out = output.as_mut_ptr();
        self.raw.avail_out = clip(output.len());
        // SAFETY: the stream is initialized, has no input, and the room lives through the call.
        let code = unsafe { z::deflateParams(&mut *self.raw, level, strategy) };
        self.forget_buffers();
        code
    }

    /// Starts again, as if new.
    pub fn reset(&mut self) -> i32 {
        // SAFETY: the stream is initialized.
        unsafe { if self.is_deflate { z::deflateReset(&mut *self.raw) } else { z::inflateReset(&mut *self.raw) } }
    }

    /// zlib's own words on the last failure.
    pub fn message(&self) -> Option<&str> {
        if self.raw.msg.is_null() {
            return None;
        }
        // SAFETY: the messages are constants that end with a zero.
        let words = unsafe { CStr::from_ptr(self.raw.msg) }.to_str().ok()?;
        // The library's fast loop loses its words to these. It finds three faults, of which the other two are all but unheard of.
        Some(if words == "repeated call with bad state" { "invalid distance too far back" } else { words })
    }

    fn forget_buffers(&mut self) {
        self.raw.next_in = ptr::null();
        self.raw.avail_in = 0;
        self.raw.next_out = ptr::null_mut();
        self.raw.avail_out = 0;
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: the stream was initialized, and this is the one place that ends it.
        unsafe {
            if self.is_deflate {
                z::deflateEnd(&mut *self.raw)
            } else {
                z::inflateEnd(&mut *self.raw)
            };
        }
    }
}

/// The CRC-32 of `bytes` after those that gave `start`.
pub fn crc32(start: u32, bytes: &[u8]) -> u32 {
    // SAFETY: the slice lives through the call.
    unsafe { z::crc32_z(start.into(), bytes.as_ptr(), bytes.len()) as u32 }
}

fn raw_size() -> c_int {
    size_of::<z::z_stream>() as c_int
}

fn clip(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FINISH: i32 = 4;

    fn round_trip(deflate_bits: i32, inflate_bits: i32) {
        let text = b"what goes in comes out, comes out, comes out".repeat(40);
        let mut packed = [0; 4096];
        let mut stream = Stream::deflate(6, deflate_bits, 8, 0).unwrap();
        let step = stream.step(&text, &mut packed, FINISH);
        assert_eq!((step.code, step.consumed), (STREAM_END, text.len()));
        let mut back = vec![0; text.len() + 1];
        let mut stream = Stream::inflate(inflate_bits).unwrap();
        let step = stream.step(&packed[..step.produced], &mut back, FINISH);
        assert_eq!((step.code, &back[..step.produced]), (STREAM_END, &text[..]));
    }

    #[test]
    fn every_format_goes_both_ways() {
        round_trip(15, 15);
        round_trip(15 + 16, 15 + 32);
        round_trip(-9, -9);
    }

    #[test]
    fn broken_input_is_told_of_in_words() {
        let mut stream = Stream::inflate(15).unwrap();
        let step = stream.step(b"no zlib at all", &mut [0; 64], 0);
        assert_eq!(step.code, DATA_ERROR);
        assert_eq!(stream.message(), Some("incorrect header check"));
    }

    #[test]
    fn a_dictionary_and_other_parameters_are_taken() {
        let mut packed = [0; 256];
        let mut stream = Stream::deflate(6, 15, 8, 0).unwrap();
        assert_eq!(stream.set_dictionary(b"dictionary"), OK);
        assert_eq!(stream.params(9, 0), OK);
        let packed_bytes = stream.step(b"dictionary dictionary", &mut packed, FINISH).produced;
        let mut stream = Stream::inflate(15).unwrap();
        let step = stream.step(&packed[..packed_bytes], &mut [0; 64], 0);
        assert_eq!(step.code, NEED_DICT);
        assert_eq!(stream.set_dictionary(b"wrong"), DATA_ERROR);
        assert_eq!(stream.set_dictionary(b"dictionary"), OK);
    }

    #[test]
    fn checksums_go_on() {
        assert_eq!(crc32(0, b"123456789"), 0xCBF4_3926);
        assert_eq!(crc32(crc32(0, b"12345"), b"6789"), 0xCBF4_3926);
    }
}
