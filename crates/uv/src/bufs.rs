//! Arrays of buffers, as programs give them to what is written, sent and read.
//!
//! # Safety
//! An array has as many elements as is said, and what they name stays as long as it is used.
#![allow(unsafe_code)]

use std::borrow::Cow;
use std::ffi::{c_uint, c_void};
use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::{ptr, slice};

use phasor_core::{Errno, ReadBuf, Result};

use crate::allocator;
use crate::layout::uv_buf_t;

/// As `uv__check_before_write`: more buffers than this are a sign that was lost.
pub(crate) const MOST: c_uint = 1024 * 1024;

/// `EINVAL` for no buffers, and for more than there can be.
pub(crate) fn countable(count: c_uint) -> Result<()> {
    if (1..=MOST).contains(&count) { Ok(()) } else { Err(Errno::EINVAL) }
}

/// How many a request has room for.
const OWN: usize = 4;

/// Copies an array of buffers to `own`, which has room for four, or to a block of the allocator. NULL if there is none.
///
/// # Safety
/// `bufs` has `count` elements, `own` room for four.
pub(crate) unsafe fn keep(own: *mut uv_buf_t, bufs: *const uv_buf_t, count: usize) -> *mut uv_buf_t {
    let list = if count <= OWN { own } else { allocator::malloc(count * size_of::<uv_buf_t>()).cast() };
    if !list.is_null() {
        // SAFETY: the caller's promise, and the block is as long.
        unsafe { list.copy_from_nonoverlapping(bufs, count) };
    }
    list
}

/// Lets go of a request's array, which is then NULL.
///
/// # Safety
/// `*list` is NULL or from [`keep`] with the same `own`.
pub(crate) unsafe fn free(own: *mut uv_buf_t, list: *mut *mut uv_buf_t) {
    // SAFETY: the caller's promise.
    unsafe {
        if *list != own {
            allocator::free((*list).cast());
        }
        *list = ptr::null_mut();
    }
}

/// Where the bytes of a buffer are. A program may say NULL, which no slice can be: without bytes that is harmless, and with
/// some the kernel refuses the place that stands for it as it refuses NULL, with `EFAULT`.
#[inline]
pub(crate) fn place(buf: &uv_buf_t) -> *mut u8 {
    if buf.base.is_null() { ptr::dangling_mut() } else { buf.base.cast() }
}

/// The memory of a buffer that a program brought to be filled, and which it need not have written to.
///
/// # Safety
/// There is room for as many bytes as is said, for nobody else as long as it is used; or the place is NULL.
#[inline]
pub(crate) unsafe fn read_buf<'a>(base: *mut c_void, len: usize) -> ReadBuf<'a> {
    if base.is_null() || len == 0 {
        let none: &mut [MaybeUninit<u8>] = &mut [];
        return ReadBuf::from(none);
    }
    // SAFETY: the caller's promise; of memory that holds nothing only this kind of slice may be made.
    ReadBuf::from(unsafe { slice::from_raw_parts_mut(base.cast::<MaybeUninit<u8>>(), len) })
}

/// The program's array of buffers as the kernel's.
///
/// # Safety
/// `bufs` is an array of so many, whose bytes stay as long as the slices are used.
pub(crate) unsafe fn slices<'a>(bufs: *const uv_buf_t, count: usize) -> Cow<'a, [IoSlice<'a>]> {
    if bufs.is_null() || count == 0 {
        return Cow::Borrowed(&[]);
    }
    // SAFETY: the caller's promise.
    unsafe {
        let list = slice::from_raw_parts(bufs, count);
        as_slices(list).map_or_else(
            || Cow::Owned(list.iter().map(|buf| IoSlice::new(slice::from_raw_parts(place(buf), buf.len))).collect()),
            Cow::Borrowed,
        )
    }
}

/// Buffers as what the kernel takes, unless one of them is at NULL, which no slice can be.
///
/// # Safety
/// The bytes stay as long as the slices are used.
#[inline]
pub(crate) unsafe fn as_slices(list: &[uv_buf_t]) -> Option<&[IoSlice<'_>]> {
    if list.iter().any(|buf| buf.base.is_null()) {
        return None;
    }
    // SAFETY: the caller's promise; a `uv_buf_t` and an `IoSlice` are both laid out as `struct iovec`.
    Some(unsafe { slice::from_raw_parts(list.as_ptr().cast(), list.len()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_lie_in_the_request_and_many_in_a_block() {
        let mut own = [uv_buf_t { base: ptr::null_mut(), len: 0 }; OWN];
        let given: Vec<_> = (0..=OWN).map(|len| uv_buf_t { base: ptr::null_mut(), len }).collect();
        // SAFETY: as many elements as is said.
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
        // SAFETY: as many elements as is said.
        let (both, second) = unsafe { (slices(list.as_ptr(), 2), slices(list[1..].as_ptr(), 1)) };
        assert_eq!((both[0].len(), &*both[1], &*second[0]), (0, &b"ab"[..], &b"ab"[..]));
        assert!(matches!(second, Cow::Borrowed(_)));
    }
}
