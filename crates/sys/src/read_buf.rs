//! Room for bytes that come in: memory which may hold nothing yet. No system call happens here.
//!
//! # Safety
//! What is behind a [`ReadBuf`] may be a slice of bytes that its owner looks at afterwards, so nothing but bytes may ever be
//! put into it: only this crate can, and it leaves that to the kernel.
#![allow(unsafe_code)]

use std::io::IoSliceMut;
use std::mem::MaybeUninit;

/// Where bytes are to be put. A slice of bytes is one, and so is memory that was never written to, of which no slice of
/// bytes may be made.
pub struct ReadBuf<'a>(&'a mut [MaybeUninit<u8>]);

impl<'a> ReadBuf<'a> {
    /// How many bytes fit.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether none fits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// No more of it than so many bytes.
    #[inline]
    pub fn up_to(self, bytes: usize) -> ReadBuf<'a> {
        let len = self.0.len().min(bytes);
        ReadBuf(&mut self.0[..len])
    }

    /// Parts of so many bytes each; a last one that would be shorter is left out.
    pub fn chunks(self, bytes: usize) -> impl Iterator<Item = ReadBuf<'a>> {
        self.0.chunks_exact_mut(bytes).map(ReadBuf)
    }

    /// For calls that fill it.
    #[inline]
    pub(crate) fn as_uninit(&mut self) -> &mut [MaybeUninit<u8>] {
        self.0
    }

    /// For calls that take several.
    pub(crate) fn as_slice_mut(&mut self) -> IoSliceMut<'_> {
        let slice = libc::iovec { iov_base: self.0.as_mut_ptr().cast(), iov_len: self.0.len() };
        // SAFETY: an `IoSliceMut` is laid out as an `iovec`, as the standard library promises, and lives as long as the
        // borrow of the memory. Whoever gets it hands it to the kernel and does not look at the bytes.
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
        // SAFETY: a byte and a byte that may be none are laid out alike, and none is ever put there: the head of this file.
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
    fn memory_that_holds_nothing_is_filled_and_no_further_than_it_goes() {
        let (a, b) = socket::stream_pair([true, true]).unwrap();
        socket::write(&a, Transport::Socket, b"hello").unwrap();
        let mut memory = [MaybeUninit::<u8>::uninit(); 8];
        let buf = ReadBuf::from(&mut memory[..]).up_to(3);
        assert_eq!((buf.len(), buf.is_empty()), (3, false));
        assert_eq!(socket::read(&b, buf), Ok(3));
        // SAFETY: the kernel has written the first three.
        let got: Vec<u8> = memory[..3].iter().map(|byte| unsafe { byte.assume_init() }).collect();
        assert_eq!(got, b"hel");
        let mut rest = vec![b'.'; 4];
        assert_eq!(socket::read(&b, &mut rest), Ok(2));
        assert_eq!(rest, b"lo..");
    }

    #[test]
    fn chunks_are_whole() {
        let mut bytes = [0; 7];
        assert_eq!(ReadBuf::from(&mut bytes).chunks(3).map(|chunk| chunk.len()).collect::<Vec<_>>(), [3, 3]);
    }
}
