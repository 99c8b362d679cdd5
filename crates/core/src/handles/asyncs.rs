//! Async handles: events caused by other threads and signal handlers.
//!
//! The sender's half is in `remote`: a bit on a [`Board`]. A handle keeps its place (the index of its bit) for life,
//! and places are never reused. So the order of places is the order of creation, in which libuv visits its handles
//! (`src/unix/async.c: uv__async_io`). A pass takes one step for each marked handle and each board, not for each
//! handle.

use std::collections::VecDeque;

use phasor_sys::{Errno, Result};

use super::{HandleBody, HandleId};
use crate::face::Face;
use crate::remote::{AsyncSender, BOARD, Board};
use crate::state::Loop;
use crate::sync::Arc;

/// The boards of a loop's async handles, in the order of their places.
#[derive(Default)]
pub(crate) struct Asyncs {
    boards: VecDeque<OwnedBoard>,
    /// The next unused place.
    next: u64,
    /// Where the current pass continues and where it ends; `None` outside of a pass.
    cursor: Option<(u64, u64)>,
}

/// A board and the handles of its places.
struct OwnedBoard {
    board: Arc<Board>,
    /// The place of the first bit of the board.
    first: u64,
    owners: Vec<Option<HandleId>>,
    /// The number of handles of the board that are not closed.
    live: usize,
}

impl Asyncs {
    /// Allocates the next place.
    fn allocate(&mut self) -> (Arc<Board>, u64) {
        let place = self.next;
        self.next += 1;
        if self.boards.back().is_none_or(|last| last.owners.len() == BOARD) {
            self.boards.push_back(OwnedBoard {
                board: Arc::new(Board::new()),
                first: place,
                owners: Vec::new(),
                live: 0,
            });
        }
        let last = self.boards.back_mut().expect("a board was just added");
        last.owners.push(None);
        last.live += 1;
        (last.board.clone(), place)
    }

    /// The index of the board that contains a place.
    fn board_of(&self, place: u64) -> Option<usize> {
        self.boards.partition_point(|board| board.first <= place).checked_sub(1)
    }

    fn release(&mut self, place: u64) {
        let Some(index) = self.board_of(place) else { return };
        let board = &mut self.boards[index];
        board.owners[(place - board.first) as usize] = None;
        board.live -= 1;
        // A full board whose handles are all closed is removed: it will not get new handles.
        if board.live == 0 && board.owners.len() == BOARD {
            self.boards.remove(index);
        }
    }

    /// Begins a pass over the marked handles. Handles opened from now on wait for the next pass.
    pub(crate) fn begin(&mut self) {
        self.cursor = Some((0, self.next));
    }

    /// The next marked handle. A handle that is marked during the pass is included if it comes later in the order.
    pub(crate) fn advance(&mut self) -> Option<HandleId> {
        let (mut from, end) = self.cursor?;
        let mut index = self.boards.partition_point(|board| board.first + BOARD as u64 <= from);
        while let Some(board) = self.boards.get(index) {
            let skip = from.saturating_sub(board.first) as usize;
            let stop = end.saturating_sub(board.first).min(BOARD as u64) as usize;
            match board.board.take_between(skip, stop) {
                Some(place) => {
                    from = board.first + place as u64 + 1;
                    // The entry is `None` for a closed handle, whose senders may still mark it.
                    if let Some(&Some(id)) = board.owners.get(place) {
                        self.cursor = Some((from, end));
                        return Some(id);
                    }
                }
                None => index += 1,
            }
        }
        self.cursor = None;
        None
    }
}

impl<F: Face> Loop<F> {
    /// Opens an async handle, which is active until it is closed. Also returns its sender.
    #[doc(alias = "uv_async_init")]
    pub fn async_open(&mut self, face: F::Handle) -> (HandleId, AsyncSender) {
        let (board, place) = self.asyncs.allocate();
        let id = self.open(HandleBody::Async { place }, face);
        let mut index_on_board = 0;
        // The new place is on the newest board.
        if let Some(owners) = self.asyncs.boards.back_mut() {
            index_on_board = (place - owners.first) as usize;
            owners.owners[index_on_board] = Some(id);
        }
        self.activate(id);
        (id, AsyncSender { board, place: index_on_board, bell: self.bell.clone() })
    }

    /// Makes another sender of an async handle.
    pub fn async_sender(&self, id: HandleId) -> Result<AsyncSender> {
        let HandleBody::Async { place } = self.handles.get(id)?.body else { return Err(Errno::EBADF) };
        let owners = self.asyncs.board_of(place).and_then(|index| self.asyncs.boards.get(index)).ok_or(Errno::EBADF)?;
        Ok(AsyncSender { board: owners.board.clone(), place: (place - owners.first) as usize, bell: self.bell.clone() })
    }

    pub(crate) fn async_release(&mut self, id: HandleId) {
        if let Ok(&HandleBody::Async { place }) = self.handles.get(id).map(|handle| &handle.body) {
            self.asyncs.release(place);
        }
    }
}
