//! zlib streams: a safe layer over the C API of zlib-rs. Its Rust API has no memory levels, no strategies and no
//! dictionaries for raw streams, which the options of `node:zlib` need.
//!
//! Not here: the meaning of the return codes for a caller, and the loop that feeds a stream.
//!
//! # Safety
//! A [`Stream`] owns its `z_stream` in a box, because zlib's state points back at it. The `z_stream` is initialized
//! before a `Stream` is created and ended once, on drop. The input and output pointers are set from slices that outlive
//! the single call that uses them.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_int};
use std::ptr;

use libz_rs_sys as z;

/// Success (`Z_OK`).
pub const OK: i32 = 0;
/// The stream is complete (`Z_STREAM_END`).
pub const STREAM_END: i32 = 1;
/// A dictionary is needed to continue (`Z_NEED_DICT`).
pub const NEED_DICT: i32 = 2;
/// The stream was used incorrectly (`Z_STREAM_ERROR`).
pub const STREAM_ERROR: i32 = -2;
/// The input is corrupt, or the dictionary is the wrong one (`Z_DATA_ERROR`).
pub const DATA_ERROR: i32 = -3;
/// No progress is possible without more input or more space for output (`Z_BUF_ERROR`).
pub const BUF_ERROR: i32 = -5;

/// A compressing or decompressing zlib stream.
pub struct Stream {
    raw: Box<z::z_stream>,
    is_deflate: bool,
}

// SAFETY: the state behind the pointers belongs to this stream alone and is not bound to a thread.
unsafe impl Send for Stream {}

/// The result of one [`Stream::step`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// zlib's return code.
    pub code: i32,
    /// The number of input bytes that were used.
    pub consumed: usize,
    /// The number of output bytes that were written.
    pub produced: usize,
}

impl Stream {
    /// A compressing stream; the error is zlib's code. `window_bits` selects the format too, as in `deflateInit2`:
    /// negative for raw deflate, plus 16 for gzip.
    pub fn deflate(level: i32, window_bits: i32, mem_level: i32, strategy: i32) -> Result<Stream, i32> {
        let mut raw = Box::<z::z_stream>::default();
        // SAFETY: the stream is a default one; the version and the size are those that zlib-rs was compiled with.
        let code = unsafe {
            z::deflateInit2_(&mut *raw, level, 8, window_bits, mem_level, strategy, z::zlibVersion(), raw_size())
        };
        if code == OK { Ok(Stream { raw, is_deflate: true }) } else { Err(code) }
    }

    /// A decompressing stream; the error is zlib's code. `window_bits` plus 32 detects gzip or zlib by the header
    /// (`inflateInit2`).
    pub fn inflate(window_bits: i32) -> Result<Stream, i32> {
        let mut raw = Box::<z::z_stream>::default();
        // SAFETY: the stream is a default one; the version and the size are those that zlib-rs was compiled with.
        let code = unsafe { z::inflateInit2_(&mut *raw, window_bits, z::zlibVersion(), raw_size()) };
        if code == OK { Ok(Stream { raw, is_deflate: false }) } else { Err(code) }
    }

    /// Compresses or decompresses `input` into `output`, as far as either lasts. `flush` is one of zlib's `Z_*_FLUSH`
    /// or `Z_FINISH`.
    pub fn step(&mut self, input: &[u8], output: &mut [u8], flush: i32) -> Step {
        let (in_len, out_len) = (clip(input.len()), clip(output.len()));
        self.raw.next_in = input.as_ptr();
        self.raw.avail_in = in_len;
        self.raw.next_out = output.as_mut_ptr();
        self.raw.avail_out = out_len;
        // SAFETY: the stream is initialized, and the slices are borrowed during the call.
        let code = unsafe {
            if self.is_deflate { z::deflate(&mut *self.raw, flush) } else { z::inflate(&mut *self.raw, flush) }
        };
        let step = Step {
            code,
            consumed: (in_len - self.raw.avail_in) as usize,
            produced: (out_len - self.raw.avail_out) as usize,
        };
        self.clear_buffers();
        step
    }

    /// Sets the dictionary and returns zlib's code.
    pub fn set_dictionary(&mut self, dictionary: &[u8]) -> i32 {
        let (bytes, length) = (dictionary.as_ptr(), clip(dictionary.len()));
        // SAFETY: the stream is initialized; zlib copies the slice during the call.
        unsafe {
            if self.is_deflate {
                z::deflateSetDictionary(&mut *self.raw, bytes, length)
            } else {
                z::inflateSetDictionary(&mut *self.raw, bytes, length)
            }
        }
    }

    /// Changes level and strategy from here on (`deflateParams`). The caller must have flushed earlier input: only a
    /// small buffer takes the output of this call, and it is discarded.
    pub fn params(&mut self, level: i32, strategy: i32) -> i32 {
        if !self.is_deflate {
            return STREAM_ERROR;
        }
        let mut output = [0; 64];
        self.raw.next_out = output.as_mut_ptr();
        self.raw.avail_out = clip(output.len());
        // SAFETY: the stream is initialized and has no input, and the output buffer outlives the call.
        let code = unsafe { z::deflateParams(&mut *self.raw, level, strategy) };
        self.clear_buffers();
        code
    }

    /// Resets the stream to its initial state.
    pub fn reset(&mut self) -> i32 {
        // SAFETY: the stream is initialized.
        unsafe { if self.is_deflate { z::deflateReset(&mut *self.raw) } else { z::inflateReset(&mut *self.raw) } }
    }

    /// zlib's message about the last failure.
    pub fn message(&self) -> Option<&str> {
        if self.raw.msg.is_null() {
            return None;
        }
        // SAFETY: the messages are NUL-terminated constants.
        let message = unsafe { CStr::from_ptr(self.raw.msg) }.to_str().ok()?;
        // The fast loop of zlib-rs's inflate loses its message and leaves this one. Of the three faults that it
        // detects, this one is by far the most common.
        Some(if message == "repeated call with bad state" { "invalid distance too far back" } else { message })
    }

    // Clears the pointers into the caller's slices, which do not outlive the call.
    fn clear_buffers(&mut self) {
        self.raw.next_in = ptr::null();
        self.raw.avail_in = 0;
        self.raw.next_out = ptr::null_mut();
        self.raw.avail_out = 0;
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: the stream was initialized, and only this function ends it.
        unsafe {
            if self.is_deflate {
                z::deflateEnd(&mut *self.raw)
            } else {
                z::inflateEnd(&mut *self.raw)
            };
        }
    }
}

/// Continues a CRC-32 over `bytes`; `start` is 0 or the result for the bytes before them.
pub fn crc32(start: u32, bytes: &[u8]) -> u32 {
    // SAFETY: the slice outlives the call.
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
    fn every_format_round_trips() {
        round_trip(15, 15);
        round_trip(15 + 16, 15 + 32);
        round_trip(-9, -9);
    }

    #[test]
    fn corrupt_input_has_a_message() {
        let mut stream = Stream::inflate(15).unwrap();
        let step = stream.step(b"no zlib at all", &mut [0; 64], 0);
        assert_eq!(step.code, DATA_ERROR);
        assert_eq!(stream.message(), Some("incorrect header check"));
    }

    #[test]
    fn dictionary_and_parameters_can_be_set() {
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
    fn crc32_can_be_continued() {
        assert_eq!(crc32(0, b"123456789"), 0xCBF4_3926);
        assert_eq!(crc32(crc32(0, b"12345"), b"6789"), 0xCBF4_3926);
    }
}
