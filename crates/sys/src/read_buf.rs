//! [`ReadBuf`]: memory to read bytes into, which may be uninitialized. No system call happens here.
//!
//! # Safety
//! A [`ReadBuf`] may be a `&mut [u8]` in disguise, whose owner reads it afterwards. So no uninitialized byte may be
//! written into it. Only this crate can write to it, and it lets only the kernel do so.
#![allow(unsafe_code)]

use std::io::IoSliceMut;
use std::mem::MaybeUninit;

/// A buffer for a call that reads: either an initialized `&mut [u8]` or uninitialized memory, of which no `&mut [u8]`
/// may be made.
pub struct ReadBuf<'a>(&'a mut [MaybeUninit<u8>]);

impl<'a> ReadBuf<'a> {
    /// The capacity in bytes.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if the capacity is 0.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The first `bytes` bytes of the buffer, or all of it if it is shorter.
    #[inline]
    pub fn up_to(self, bytes: usize) -> ReadBuf<'a> {
        let len = self.0.len().min(bytes);
        ReadBuf(&mut self.0[..len])
    }

    /// Splits the buffer into chunks of exactly `bytes` bytes. A shorter remainder is left out.
    pub fn chunks(self, bytes: usize) -> impl Iterator<Item = ReadBuf<'a>> {
        self.0.chunks_exact_mut(bytes).map(ReadBuf)
    }

    /// The memory, for calls that fill one buffer.
    #[inline]
    pub(crate) fn as_uninit(&mut self) -> &mut [MaybeUninit<u8>] {
        self.0
    }

    /// The memory as an `iovec`, for calls that fill several buffers (`recvmsg(2)`).
    pub(crate) fn as_slice_mut(&mut self) -> IoSliceMut<'_> {
        let slice = libc::iovec { iov_base: self.0.as_mut_ptr().cast(), iov_len: self.0.len() };
        // SAFETY: the standard library guarantees that an `IoSliceMut` has the layout of an `iovec`; it cannot outlive
        // the borrow of the memory. The callers in this crate only pass it to the kernel and never read the bytes
        // through it.
        unsafe { std::mem::transmute::<libc::iovec, IoSliceMut<'_>>(slice) }
    }
}

impl<'a> From<&'a mut [MaybeUninit<u8>]> for ReadBuf<'a> {
    #[inline]
    fn from(memory: &'a mut [MaybeUninit<u8>]) -> ReadBuf<'a> {
        ReadBuf(memory)
    }
}

impl<'a> From<&'a mut [u8]> for ReadBuf<'a> {
    #[inline]
    fn from(bytes: &'a mut [u8]) -> ReadBuf<'a> {
        // SAFETY: `u8` and `MaybeUninit<u8>` have the same layout, and no uninitialized byte is ever written: see the
        // head of this file.
        ReadBuf(unsafe { std::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), bytes.len()) })
    }
}

impl<'a, const N: usize> From<&'a mut [u8; N]> for ReadBuf<'a> {
    #[inline]
    fn from(bytes: &'a mut [u8; N]) -> ReadBuf<'a> {
        ReadBuf::from(&mut bytes[..])
    }
}

impl<'a> From<&'a mut Vec<u8>> for ReadBuf<'a> {
    #[inline]
    fn from(bytes: &'a mut Vec<u8>) -> ReadBuf<'a> {
        ReadBuf::from(&mut bytes[..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::socket::{self, Transport};

    #[test]
    fn uninitialized_memory_is_filled_up_to_its_limit() {
        let (a, b) = socket::stream_pair([true, true]).unwrap();
        socket::write(&a, Transport::Socket, b"hello").unwrap();
        let mut memory = [MaybeUninit::<u8>::uninit(); 8];
        let buf = ReadBuf::from(&mut memory[..]).up_to(3);
        assert_eq!((buf.len(), buf.is_empty()), (3, false));
        assert_eq!(socket::read(&b, buf), Ok(3));
        // SAFETY: the kernel has written the first three bytes.
        let got: Vec<u8> = memory[..3].iter().map(|byte| unsafe { byte.assume_init() }).collect();
        assert_eq!(got, b"hel");
        let mut rest = vec![b'.'; 4];
        assert_eq!(socket::read(&b, &mut rest), Ok(2));
        assert_eq!(rest, b"lo..");
    }

    #[test]
    fn chunks_leave_out_a_shorter_remainder() {
        let mut bytes = [0; 7];
        assert_eq!(ReadBuf::from(&mut bytes).chunks(3).map(|chunk| chunk.len()).collect::<Vec<_>>(), [3, 3]);
    }
}
