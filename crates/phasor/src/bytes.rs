//! [`Bytes`]: the data that writes and sends take.

use std::io::{IoSlice, IoSliceMut};
use std::sync::Arc;

use phasor_core::Buffers;

/// Data to write: owned or shared, in one or several buffers. Created by [`From`] from the usual types:
///
/// ```
/// use std::sync::Arc;
/// use phasor::Bytes;
///
/// let all: [Bytes; 5] = [
///     "a static text".into(),
///     b"static bytes".into(),
///     vec![1, 2, 3].into(),
///     Arc::<[u8]>::from(*b"written to many, stored once").into(),
///     vec![b"several ".to_vec(), b"pieces, one system call".to_vec()].into(),
/// ];
/// assert_eq!(all.map(|bytes| bytes.len()), [13, 12, 3, 28, 31]);
/// ```
///
/// A write may complete long after the call, so borrowed data has to be copied: `bytes.to_vec()`.
#[derive(Clone, Debug)]
pub struct Bytes(Repr);

#[derive(Clone, Debug)]
enum Repr {
    Static(&'static [u8]),
    Owned(Vec<u8>),
    Shared(Arc<[u8]>),
    Pieces(Vec<Vec<u8>>),
}

impl Bytes {
    /// The total number of bytes.
    pub fn len(&self) -> usize {
        Buffers::len(self)
    }

    /// True if there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the vector that the value was created from; copies into a new one if it was created from something else.
    pub fn into_vec(self) -> Vec<u8> {
        match self.0 {
            Repr::Static(bytes) => bytes.to_vec(),
            Repr::Owned(bytes) => bytes,
            Repr::Shared(bytes) => bytes.to_vec(),
            Repr::Pieces(pieces) => pieces.concat(),
        }
    }
}

impl Default for Bytes {
    fn default() -> Bytes {
        Bytes(Repr::Static(&[]))
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Bytes {
        Bytes(Repr::Owned(bytes))
    }
}

impl From<Box<[u8]>> for Bytes {
    fn from(bytes: Box<[u8]>) -> Bytes {
        Bytes(Repr::Owned(bytes.into()))
    }
}

impl<const N: usize> From<[u8; N]> for Bytes {
    fn from(bytes: [u8; N]) -> Bytes {
        Bytes(Repr::Owned(bytes.into()))
    }
}

impl From<String> for Bytes {
    fn from(text: String) -> Bytes {
        Bytes(Repr::Owned(text.into_bytes()))
    }
}

impl From<&'static [u8]> for Bytes {
    fn from(bytes: &'static [u8]) -> Bytes {
        Bytes(Repr::Static(bytes))
    }
}

impl<const N: usize> From<&'static [u8; N]> for Bytes {
    fn from(bytes: &'static [u8; N]) -> Bytes {
        Bytes(Repr::Static(bytes))
    }
}

impl From<&'static str> for Bytes {
    fn from(text: &'static str) -> Bytes {
        Bytes(Repr::Static(text.as_bytes()))
    }
}

impl From<Arc<[u8]>> for Bytes {
    fn from(bytes: Arc<[u8]>) -> Bytes {
        Bytes(Repr::Shared(bytes))
    }
}

impl From<Arc<str>> for Bytes {
    fn from(text: Arc<str>) -> Bytes {
        Bytes(Repr::Shared(text.into()))
    }
}

impl From<Vec<Vec<u8>>> for Bytes {
    fn from(pieces: Vec<Vec<u8>>) -> Bytes {
        Bytes(Repr::Pieces(pieces))
    }
}

impl Buffers for Bytes {
    fn len(&self) -> usize {
        match &self.0 {
            Repr::Static(bytes) => bytes.len(),
            Repr::Owned(bytes) => bytes.len(),
            Repr::Shared(bytes) => bytes.len(),
            Repr::Pieces(pieces) => Buffers::len(pieces),
        }
    }

    fn pieces<'a>(&'a self, skip: usize, take: &mut dyn FnMut(IoSlice<'a>) -> bool) {
        let whole: &[u8] = match &self.0 {
            Repr::Static(bytes) => bytes,
            Repr::Owned(bytes) => bytes,
            Repr::Shared(bytes) => bytes,
            Repr::Pieces(pieces) => return pieces.pieces(skip, take),
        };
        take(IoSlice::new(&whole[skip.min(whole.len())..]));
    }

    /// Only owned buffers are writable; shared and static ones yield no pieces.
    fn pieces_mut<'a>(&'a mut self, take: &mut dyn FnMut(IoSliceMut<'a>) -> bool) {
        match &mut self.0 {
            Repr::Owned(bytes) => bytes.pieces_mut(take),
            Repr::Pieces(pieces) => pieces.pieces_mut(take),
            Repr::Static(_) | Repr::Shared(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variant_yields_the_same_bytes_after_any_skip() {
        let kinds: [Bytes; 7] = [
            (*b"abcdef").into(),
            Box::<[u8]>::from(*b"abcdef").into(),
            "abcdef".into(),
            b"abcdef".to_vec().into(),
            String::from("abcdef").into(),
            Arc::<str>::from("abcdef").into(),
            vec![b"ab".to_vec(), vec![], b"cdef".to_vec()].into(),
        ];
        for bytes in kinds {
            for skip in 0..=7 {
                let mut seen = Vec::new();
                bytes.pieces(skip, &mut |piece| {
                    seen.extend_from_slice(&piece);
                    true
                });
                assert_eq!(seen, b"abcdef"[skip.min(6)..], "{bytes:?} after {skip}");
            }
            assert_eq!(bytes.into_vec(), b"abcdef");
        }
        assert!(Bytes::default().is_empty());
    }
}
