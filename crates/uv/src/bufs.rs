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
pub(crate) const MAX_COUNT: c_uint = 1024 * 1024;

/// `EINVAL` if there are no buffers or more than [`MAX_COUNT`].
pub(crate) fn check_count(count: c_uint) -> Result<()> {
    if (1..=MAX_COUNT).contains(&count) { Ok(()) } else { Err(Errno::EINVAL) }
}

/// How many buffers fit in `bufsml` of a request.
const INLINE_COUNT: usize = 4;

/// Copies an array of buffers to `own` (a request's `bufsml`) if it fits, otherwise to an allocated block. Returns NULL
/// if there is no memory.
///
/// # Safety
/// `bufs` has `count` elements, `own` has [`INLINE_COUNT`].
pub(crate) unsafe fn store(own: *mut uv_buf_t, bufs: *const uv_buf_t, count: usize) -> *mut uv_buf_t {
    let list = if count <= INLINE_COUNT { own } else { allocator::malloc(count * size_of::<uv_buf_t>()).cast() };
    if !list.is_null() {
        // SAFETY: guaranteed by the caller; the block has `count` elements.
        unsafe { list.copy_from_nonoverlapping(bufs, count) };
    }
    list
}

/// Frees the array of a request, unless it is `own`, and sets it to NULL.
///
/// # Safety
/// `*list` is NULL, or was returned by [`store`] with the same `own`.
pub(crate) unsafe fn free(own: *mut uv_buf_t, list: *mut *mut uv_buf_t) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        if *list != own {
            allocator::free((*list).cast());
        }
        *list = ptr::null_mut();
    }
}

/// The address of a buffer's bytes. A slice cannot be at NULL, so NULL becomes a dangling address: without bytes it is
/// not accessed, and with bytes the kernel fails with `EFAULT`, as it does for NULL.
#[inline]
pub(crate) fn base_of(buf: &uv_buf_t) -> *mut u8 {
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
            || Cow::Owned(list.iter().map(|buf| IoSlice::new(slice::from_raw_parts(base_of(buf), buf.len))).collect()),
            Cow::Borrowed,
        )
    }
}

/// Buffers reinterpreted as `IoSlice`s. `None` if one of them is at NULL, where no slice can be.
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
    fn a_short_array_is_inline_and_a_long_one_allocated() {
        let mut own = [uv_buf_t { base: ptr::null_mut(), len: 0 }; INLINE_COUNT];
        let long: Vec<_> = (0..=INLINE_COUNT).map(|len| uv_buf_t { base: ptr::null_mut(), len }).collect();
        // SAFETY: the arrays have the lengths that are passed.
        unsafe {
            let mut list = store(own.as_mut_ptr(), long.as_ptr(), INLINE_COUNT);
            assert_eq!((list, own[INLINE_COUNT - 1].len), (own.as_mut_ptr(), INLINE_COUNT - 1));
            free(own.as_mut_ptr(), &mut list);
            assert!(list.is_null());
            list = store(own.as_mut_ptr(), long.as_ptr(), INLINE_COUNT + 1);
            assert!(list != own.as_mut_ptr() && (*list.add(INLINE_COUNT)).len == INLINE_COUNT);
            free(own.as_mut_ptr(), &mut list);
            assert!(list.is_null());
        }
    }

    #[test]
    fn an_empty_buffer_at_null_is_an_empty_slice() {
        let mut bytes = *b"ab";
        let list = [uv_buf_t { base: ptr::null_mut(), len: 0 }, uv_buf_t { base: bytes.as_mut_ptr().cast(), len: 2 }];
        // SAFETY: the array has the lengths that are passed.
        let (both, second) = unsafe { (slices(list.as_ptr(), 2), slices(list[1..].as_ptr(), 1)) };
        assert_eq!((both[0].len(), &*both[1], &*second[0]), (0, &b"ab"[..], &b"ab"[..]));
        assert!(matches!(second, Cow::Borrowed(_)));
    }
}
