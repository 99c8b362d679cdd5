//! Arrays of `uv_buf_t` for writes, sends and reads.
//!
//! # Safety
//! An array has as many elements as the function states, and the bytes that they point to stay valid while they are used.
#![allow(unsafe_code)]

use std::borrow::Cow;
use std::ffi::{c_uint, c_void};
use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::{ptr, slice};

use phasor_core::{Errno, ReadBuf, Result};

use crate::allocator;
use crate::layout::uv_buf_t;

/// The limit of `src/unix/stream.c: uv__check_before_write`: a larger count is most likely a negative number.
pub(crate) const MOST: c_uint = 1024 * 1024;

/// `EINVAL` if there are no buffers or more than [`MOST`].
pub(crate) fn countable(count: c_uint) -> Result<()> {
    if (1..=MOST).contains(&count) { Ok(()) } else { Err(Errno::EINVAL) }
}

/// How many buffers fit in `bufsml` of a request.
const OWN: usize = 4;

/// Copies an array of buffers to `own` (a request's `bufsml`) if it fits, else to an allocated block. NULL if there is no memory.
///
/// # Safety
/// `bufs` has `count` elements, `own` has [`OWN`].
pub(crate) unsafe fn keep(own: *mut uv_buf_t, bufs: *const uv_buf_t, count: usize) -> *mut uv_buf_t {
    let list = if count <= OWN { own } else { allocator::malloc(count * size_of::<uv_buf_t>()).cast() };
    if !list.is_null() {
        // SAFETY: guaranteed by the caller; the block has `count` elements.
        unsafe { list.copy_from_nonoverlapping(bufs, count) };
    }
    list
}

/// Frees the array of a request, unless it is `own`, and sets it to NULL.
///
/// # Safety
/// `*list` is NULL or from [`keep`] with the same `own`.
pub(crate) unsafe fn free(own: *mut uv_buf_t, list: *mut *mut uv_buf_t) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        if *list != own {
            allocator::free((*list).cast());
        }
        *list = ptr::null_mut();
    }
}

/// The address of a buffer's bytes. A slice cannot be at NULL, so NULL becomes a dangling address: without bytes it is not accessed,
/// and with bytes the kernel fails with `EFAULT` for it, as it does for NULL.
#[inline]
pub(crate) fn place(buf: &uv_buf_t) -> *mut u8 {
    if buf.base.is_null() { ptr::dangling_mut() } else { buf.base.cast() }
}

/// The memory of a buffer that a program provides to be filled, and that may be uninitialised.
///
/// # Safety
/// `base` is NULL, or points to `len` bytes that nothing else accesses while the result is in use.
#[inline]
pub(crate) unsafe fn read_buf<'a>(base: *mut c_void, len: usize) -> ReadBuf<'a> {
    if base.is_null() || len == 0 {
        let none: &mut [MaybeUninit<u8>] = &mut [];
        return ReadBuf::from(none);
    }
    // SAFETY: guaranteed by the caller; the memory may be uninitialised, hence `MaybeUninit`.
    ReadBuf::from(unsafe { slice::from_raw_parts_mut(base.cast::<MaybeUninit<u8>>(), len) })
}

/// An array of `uv_buf_t` as `IoSlice`s; copied only if one of the buffers is at NULL.
///
/// # Safety
/// `bufs` has `count` elements, whose bytes stay valid while the slices are used.
pub(crate) unsafe fn slices<'a>(bufs: *const uv_buf_t, count: usize) -> Cow<'a, [IoSlice<'a>]> {
    if bufs.is_null() || count == 0 {
        return Cow::Borrowed(&[]);
    }
    // SAFETY: guaranteed by the caller.
    unsafe {
        let list = slice::from_raw_parts(bufs, count);
        as_slices(list).map_or_else(
            || Cow::Owned(list.iter().map(|buf| IoSlice::new(slice::from_raw_parts(place(buf), buf.len))).collect()),
            Cow::Borrowed,
        )
    }
}

/// Buffers reinterpreted as `IoSlice`s; nothing if one of them is at NULL, where no slice can be.
///
/// # Safety
/// The bytes stay valid while the slices are used.
#[inline]
pub(crate) unsafe fn as_slices(list: &[uv_buf_t]) -> Option<&[IoSlice<'_>]> {
    if list.iter().any(|buf| buf.base.is_null()) {
        return None;
    }
    // SAFETY: guaranteed by the caller; `uv_buf_t` and `IoSlice` both have the layout of `struct iovec`.
    Some(unsafe { slice::from_raw_parts(list.as_ptr().cast(), list.len()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_lie_in_the_request_and_many_in_a_block() {
        let mut own = [uv_buf_t { base: ptr::null_mut(), len: 0 }; OWN];
        let given: Vec<_> = (0..=OWN).map(|len| uv_buf_t { base: ptr::null_mut(), len }).collect();
        // SAFETY: the arrays have the lengths that are passed.
        unsafe {
            let mut list = keep(own.as_mut_ptr(), given.as_ptr(), OWN);
            assert_eq!((list, own[OWN - 1].len), (own.as_mut_ptr(), OWN - 1));
            free(own.as_mut_ptr(), &mut list);
            assert!(list.is_null());
            list = keep(own.as_mut_ptr(), given.as_ptr(), OWN + 1);
            assert!(list != own.as_mut_ptr() && (*list.add(OWN)).len == OWN);
            free(own.as_mut_ptr(), &mut list);
            assert!(list.is_null());
        }
    }

    #[test]
    fn a_buffer_of_nothing_at_null_is_a_slice_of_nothing() {
        let mut bytes = *b"ab";
        let list = [uv_buf_t { base: ptr::null_mut(), len: 0 }, uv_buf_t { base: bytes.as_mut_ptr().cast(), len: 2 }];
        // SAFETY: the array has the lengths that are passed.
        let (both, second) = unsafe { (slices(list.as_ptr(), 2), slices(list[1..].as_ptr(), 1)) };
        assert_eq!((both[0].len(), &*both[1], &*second[0]), (0, &b"ab"[..], &b"ab"[..]));
        assert!(matches!(second, Cow::Borrowed(_)));
    }
}
