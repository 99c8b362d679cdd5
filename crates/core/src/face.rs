//! The traits of a front end, and of the buffers that are written from and read into.

use std::io::{IoSlice, IoSliceMut};

/// A front end: the types of the data that it attaches to handles and requests, and of its buffers.
///
/// The loop stores this data and returns it. It never inspects the data, except for the buffers.
pub trait Face: 'static {
    /// Data attached to a handle; returned by [`Event::Closed`](crate::Event::Closed).
    type Handle;
    /// Data attached to a request; returned by [`Event::Done`](crate::Event::Done).
    type Request;
    /// The buffers of writes, sends and file operations; returned with the outcome.
    type Bytes: Buffers;

    /// If true the core leaves the disposition of `SIGPIPE` alone. If false it ignores `SIGPIPE` as soon as there is a
    /// stream that is not a socket, provided that the disposition is the default, which ends the process.
    const KEEPS_SIGPIPE: bool = false;

    /// If true, end of file behind a partial read is reported in the same turn, without another read, when the peer has
    /// hung up. libuv 1.51, which is in Node 22, does this (`src/unix/stream.c: uv__stream_io`); later versions report
    /// end of file in the next turn.
    const EOF_IN_SAME_TURN: bool = false;

    /// Called whenever the number of queued bytes of a stream changes. A front end that exposes the number in memory,
    /// such as `uv_stream_t.write_queue_size`, stores it in this method and does nothing else: the method runs inside
    /// the core.
    fn write_queue_changed(_handle: &Self::Handle, _bytes: usize) {}

    /// Called whenever the number of bytes or sends of a UDP handle changes that are waiting or not reported; see
    /// [`Face::write_queue_changed`].
    fn send_queue_changed(_handle: &Self::Handle, _bytes: usize, _count: usize) {}
}

/// A buffer in one or several pieces: the source of a write, or the target of a file read.
///
/// The trait requires `Send`, because a buffer moves to a pool thread and back.
pub trait Buffers: Send + 'static {
    /// The number of bytes in all pieces.
    fn len(&self) -> usize;

    /// Whether there are no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of pieces, including empty ones.
    fn count(&self) -> usize {
        1
    }

    /// All pieces as an `iovec` array, including empty ones, if the buffer is stored as such an array. Then the pieces
    /// need not be collected.
    fn slices(&self) -> Option<&[IoSlice<'_>]> {
        None
    }

    /// Calls `take` with the pieces after the first `skip` bytes, until it returns `false`.
    fn pieces<'a>(&'a self, skip: usize, take: &mut dyn FnMut(IoSlice<'a>) -> bool);

    /// Calls `take` like [`Buffers::pieces`], with mutable pieces and from the beginning.
    fn pieces_mut<'a>(&'a mut self, take: &mut dyn FnMut(IoSliceMut<'a>) -> bool);
}

impl Buffers for Vec<u8> {
    fn len(&self) -> usize {
        Vec::len(self)
    }

    fn pieces<'a>(&'a self, skip: usize, take: &mut dyn FnMut(IoSlice<'a>) -> bool) {
        take(IoSlice::new(&self[skip.min(Vec::len(self))..]));
    }

    fn pieces_mut<'a>(&'a mut self, take: &mut dyn FnMut(IoSliceMut<'a>) -> bool) {
        take(IoSliceMut::new(self));
    }
}

impl Buffers for Vec<Vec<u8>> {
    fn len(&self) -> usize {
        self.iter().map(Vec::len).sum()
    }

    fn pieces<'a>(&'a self, mut skip: usize, take: &mut dyn FnMut(IoSlice<'a>) -> bool) {
        for piece in self {
            if skip >= piece.len() {
                skip -= piece.len();
                continue;
            }
            if !take(IoSlice::new(&piece[skip..])) {
                return;
            }
            skip = 0;
        }
    }

    fn pieces_mut<'a>(&'a mut self, take: &mut dyn FnMut(IoSliceMut<'a>) -> bool) {
        for piece in self {
            if !take(IoSliceMut::new(piece)) {
                return;
            }
        }
    }
}

/// The most pieces that are collected in an array on the stack.
const INLINE_SLICES: usize = 8;

/// Calls `call` with all pieces, if they are few or stored as an `iovec` array. `None` otherwise.
#[inline]
pub(crate) fn with_few_slices<T>(bytes: &impl Buffers, call: impl FnOnce(&[IoSlice<'_>]) -> T) -> Option<T> {
    if let Some(slices) = bytes.slices() {
        return Some(call(slices));
    }
    let mut slices = [IoSlice::new(&[]); INLINE_SLICES];
    gather(bytes, &mut slices, 0).map(|count| call(&slices[..count]))
}

/// Appends all pieces to the first `used` entries of `slices` and returns the new number of entries. `None` if they do
/// not fit.
pub(crate) fn gather<'a>(bytes: &'a impl Buffers, slices: &mut [IoSlice<'a>], used: usize) -> Option<usize> {
    let mut end = used;
    let mut fits = true;
    bytes.pieces(0, &mut |piece| {
        match slices.get_mut(end) {
            Some(slot) => *slot = piece,
            None => fits = false,
        }
        end += usize::from(fits);
        fits
    });
    fits.then_some(end)
}

/// A front end with pointers as data, like the front end for C. The tests of struct sizes use it.
#[cfg(test)]
pub(crate) struct Pointers;

#[cfg(test)]
impl Face for Pointers {
    type Handle = std::ptr::NonNull<()>;
    type Request = std::ptr::NonNull<()>;
    type Bytes = Vec<u8>;
}
