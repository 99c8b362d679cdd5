//! What a face hangs on the loop's hooks.

use std::io::{IoSlice, IoSliceMut};

/// A front door of the loop: what it hangs on handles and requests, and what its bytes are.
///
/// The loop keeps these values, gives them back, and never looks inside, except for the bytes it has to read or write.
pub trait Face: 'static {
    /// Hung on a handle; given back by [`Event::Closed`](crate::Event::Closed).
    type Handle;
    /// Hung on a request; given back by [`Event::Done`](crate::Event::Done).
    type Request;
    /// The bytes of writes, sends and file operations; given back with the outcome.
    type Bytes: Buffers;

    /// Whether the process keeps its disposition of `SIGPIPE`. Else it is ignored from the first stream on that is no
    /// socket, if it is the default, which ends the process.
    const KEEPS_SIGPIPE: bool = false;

    /// Whether the end of a stream whose peer is gone is told in the same turn, without a read, when what it had did not fill the
    /// buffer. As libuv up to 1.51, which Node 22 has; later ones leave it to the next turn.
    const EOF_IN_SAME_TURN: bool = false;

    /// Tells how many bytes are queued on a stream, whenever that changes. A face that shows the number to its program,
    /// as C's struct does, notes it here; nothing else may happen, and nothing is called.
    fn write_queue_changed(_handle: &Self::Handle, _bytes: usize) {}

    /// As [`Face::show_queued`], for a UDP handle: how many bytes wait to be sent or reported, and in how many sends.
    fn send_queue_changed(_handle: &Self::Handle, _bytes: usize, _count: usize) {}
}

/// Bytes in one or several pieces, which a write takes from and a file read fills.
///
/// They travel to a thread of the pool and back, hence `Send`.
pub trait Buffers: Send + 'static {
    /// How many bytes there are in all pieces.
    fn len(&self) -> usize;

    /// Whether there are no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many pieces there are, the empty ones among them.
    fn count(&self) -> usize {
        1
    }

    /// All pieces in the kernel's own form, if that is how they lie in memory: then nobody has to gather them. Empty ones
    /// are among them.
    fn slices(&self) -> Option<&[IoSlice<'_>]> {
        None
    }

    /// The bytes after the first `skip`, handed piece by piece to `take` until it answers `false`.
    fn pieces<'a>(&'a self, skip: usize, take: &mut dyn FnMut(IoSlice<'a>) -> bool);

    /// All pieces, to be written into.
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

/// So many pieces are gathered without memory from the heap.
const INLINE_SLICES: usize = 8;

/// Calls with all pieces in the kernel's form, if they are few or have that form already.
#[inline]
pub(crate) fn with_few_slices<T>(bytes: &impl Buffers, call: impl FnOnce(&[IoSlice<'_>]) -> T) -> Option<T> {
    if let Some(slices) = bytes.slices() {
        return Some(call(slices));
    }
    let mut slices = [IoSlice::new(&[]); INLINE_SLICES];
    gather(bytes, &mut slices, 0).map(|count| call(&slices[..count]))
}

/// Adds all pieces to those that `slices` has already; gives how many there are then. `None` if there is no room for all.
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

/// As a C face: a pointer on everything. Tests of sizes measure with it.
#[cfg(test)]
pub(crate) struct Pointers;

#[cfg(test)]
impl Face for Pointers {
    type Handle = std::ptr::NonNull<()>;
    type Request = std::ptr::NonNull<()>;
    type Bytes = Vec<u8>;
}
