//! The front end of C programs, which implements the trait `Face` of the core. For each handle, request and buffer
//! list the loop stores a pointer into the program.
//!
//! # Safety
//! libuv's contract makes the pointers valid: a handle lives until its close callback, a request until its callback, and its buffers
//! as long as the request. Nothing here is a reference; each dereference states why it is valid.
#![allow(unsafe_code)]

use std::io::{IoSlice, IoSliceMut};
use std::ptr::NonNull;
use std::slice;

use phasor_core::{Buffers, Face};

use crate::bufs;
use crate::layout::{uv_buf_t, uv_handle_t, uv_req_t, uv_stream_t, uv_udp_t};

/// The type that stands for the front end of C programs.
pub struct C;

impl Face for C {
    type Handle = Handle;
    type Request = Request;
    type Bytes = Bufs;

    /// libuv neither blocks nor ignores SIGPIPE. A program may rely on being killed by it when its output pipe has no
    /// reader, and a child started without `uv_spawn` would inherit a change.
    const KEEPS_SIGPIPE: bool = true;

    #[inline]
    fn write_queue_changed(handle: &Handle, bytes: usize) {
        // SAFETY: only stream handles have a write queue, and the program keeps a stream until its close callback.
        unsafe { (*handle.cast::<uv_stream_t>()).write_queue_size = bytes }
    }

    #[inline]
    fn send_queue_changed(handle: &Handle, bytes: usize, count: usize) {
        let udp = handle.cast::<uv_udp_t>();
        // SAFETY: the pointer belongs to a UDP handle, and the program keeps a handle until its close callback.
        unsafe { ((*udp).send_queue_size, (*udp).send_queue_count) = (bytes, count) }
    }
}

/// Pointer to a handle of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Handle(pub NonNull<uv_handle_t>);

// SAFETY: the pointer is only dereferenced on the thread of the handle's loop.
unsafe impl Send for Handle {}

impl Handle {
    /// The pointer as a specific handle type, which begins with a `uv_handle_t`.
    #[inline]
    pub(crate) fn cast<T>(self) -> *mut T {
        self.0.as_ptr().cast()
    }
}

/// Pointer to a request of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Request(pub NonNull<uv_req_t>);

// SAFETY: the pointer is only dereferenced on the thread of the request's loop, and by the pool task of the request.
unsafe impl Send for Request {}

impl Request {
    /// The pointer as a specific request type, which begins with a `uv_req_t`.
    #[inline]
    pub(crate) fn cast<T>(self) -> *mut T {
        self.0.as_ptr().cast()
    }
}

/// The buffers of a request: an array of `uv_buf_t` that stays valid until the request has ended.
///
/// The array belongs to the request (its `bufsml`, or a block of the replaceable allocator), and is freed with it.
#[derive(Clone, Copy, Debug)]
pub struct Bufs {
    list: *const uv_buf_t,
    count: usize,
}

// SAFETY: libuv's contract is that no other code accesses the buffers of a request until it has ended.
unsafe impl Send for Bufs {}

impl Bufs {
    /// An empty list.
    pub const NONE: Bufs = Bufs { list: std::ptr::null(), count: 0 };

    /// # Safety
    /// The array and its buffers stay valid until this value and its copies are dropped, and no other code writes to them.
    #[inline]
    pub unsafe fn new(list: *const uv_buf_t, count: usize) -> Bufs {
        if list.is_null() { Bufs::NONE } else { Bufs { list, count } }
    }

    #[inline]
    fn list(&self) -> &[uv_buf_t] {
        if self.count == 0 {
            return &[];
        }
        // SAFETY: the caller of `new` guarantees an array that outlives this value.
        unsafe { slice::from_raw_parts(self.list, self.count) }
    }
}

impl Buffers for Bufs {
    fn len(&self) -> usize {
        self.list().iter().fold(0, |sum: usize, buf| sum.saturating_add(buf.len))
    }

    fn count(&self) -> usize {
        self.count
    }

    #[inline]
    fn slices(&self) -> Option<&[IoSlice<'_>]> {
        // SAFETY: the caller of `new` guarantees an array and buffers that outlive this value.
        unsafe { bufs::as_slices(self.list()) }
    }

    fn pieces<'a>(&'a self, mut skip: usize, take: &mut dyn FnMut(IoSlice<'a>) -> bool) {
        for buf in self.list() {
            if skip >= buf.len {
                skip -= buf.len;
                continue;
            }
            // SAFETY: the caller of `new` guarantees buffers that outlive this value; `skip` is less than the length of
            // this buffer.
            let piece = unsafe { slice::from_raw_parts(bufs::base_of(buf).wrapping_add(skip), buf.len - skip) };
            if !take(IoSlice::new(piece)) {
                return;
            }
            skip = 0;
        }
    }

    fn pieces_mut<'a>(&'a mut self, take: &mut dyn FnMut(IoSliceMut<'a>) -> bool) {
        for buf in self.list() {
            if buf.len == 0 {
                continue;
            }
            // SAFETY: the caller of `new` guarantees buffers that outlive this value. This value is borrowed mutably,
            // so no other slice of the bytes exists.
            let piece = unsafe { slice::from_raw_parts_mut(bufs::base_of(buf), buf.len) };
            if !take(IoSliceMut::new(piece)) {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_start_after_the_skipped_bytes_and_omit_empty_buffers() {
        let (mut one, mut two) = (*b"abc", *b"defg");
        let buf = |bytes: &mut [u8]| uv_buf_t { base: bytes.as_mut_ptr().cast(), len: bytes.len() };
        let list = [buf(&mut one), buf(&mut []), buf(&mut two)];
        // SAFETY: the arrays outlive `bufs`.
        let mut bufs = unsafe { Bufs::new(list.as_ptr(), list.len()) };
        assert_eq!(bufs.len(), 7);
        let mut seen = Vec::new();
        bufs.pieces(4, &mut |piece| {
            seen.push(piece.to_vec());
            true
        });
        assert_eq!(seen, [b"efg".to_vec()]);
        bufs.pieces_mut(&mut |mut piece| {
            piece[0] = b'X';
            true
        });
        assert_eq!((&one, &two), (b"Xbc", b"Xefg"));
        assert_eq!(Bufs::NONE.len(), 0);
    }
}
