//! Queues of requests that wait in a handle: FIFO linked lists of values in the slab. An empty queue is two integers,
//! and removing a request takes constant time at any position.

use super::{Request, RequestId};
use crate::face::Face;
use crate::slab::{END, Slab};

/// Requests in the order in which they were made. A request is in at most one queue, and is removed from it before it
/// is removed from the slab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RequestQueue {
    first: u32,
    last: u32,
}

impl RequestQueue {
    pub(crate) const EMPTY: RequestQueue = RequestQueue { first: END, last: END };

    #[inline]
    pub(crate) const fn is_empty(self) -> bool {
        self.first == END
    }

    /// The index of the oldest request, or [`END`]. Its successor is `Request::next`.
    #[inline]
    pub(crate) const fn first(self) -> u32 {
        self.first
    }

    /// The index of the newest request, or [`END`].
    #[inline]
    pub(crate) const fn last(self) -> u32 {
        self.last
    }

    /// Appends a request.
    #[inline]
    pub(crate) fn push<F: Face>(&mut self, requests: &mut Slab<Request<F>>, id: RequestId) {
        let index = id.0.index;
        if let Some((_, request)) = requests.at_mut(index) {
            (request.previous, request.next) = (self.last, END);
        }
        match requests.at_mut(self.last) {
            Some((_, last)) if !self.is_empty() => last.next = index,
            _ => self.first = index,
        }
        self.last = index;
    }

    /// Removes the oldest request from the queue; it stays in the slab.
    #[inline]
    pub(crate) fn pop<F: Face>(&mut self, requests: &mut Slab<Request<F>>) -> Option<RequestId> {
        let (key, request) = requests.at_mut(self.first)?;
        self.first = std::mem::replace(&mut request.next, END);
        if self.first == END {
            self.last = END;
        }
        Some(RequestId(key))
    }

    /// Removes a request from any position of this queue.
    pub(crate) fn remove<F: Face>(&mut self, requests: &mut Slab<Request<F>>, id: RequestId) {
        let index = id.0.index;
        let Some(request) = requests.get_mut(id.0) else { return };
        // The `previous` of the first request may be out of date, because `pop` does not update the next request.
        let (before, after) = (if index == self.first { END } else { request.previous }, request.next);
        request.next = END;
        match requests.at_mut(before) {
            Some((_, request)) if before != END => request.next = after,
            _ => self.first = after,
        }
        match requests.at_mut(after) {
            Some((_, request)) if after != END => request.previous = before,
            _ => self.last = before,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{RequestBody, RequestKind};
    use super::*;

    struct Numbers;

    impl Face for Numbers {
        type Handle = ();
        type Request = u32;
        type Bytes = Vec<u8>;
    }

    #[test]
    fn first_in_first_out_and_usable_again_when_empty() {
        let mut slab = Slab::<Request<Numbers>>::new();
        let mut queue = RequestQueue::EMPTY;
        for round in 0..2 {
            assert!(queue.is_empty());
            assert_eq!(queue.pop(&mut slab), None);
            for face in 0..3 {
                let body = RequestBody::Task { kind: RequestKind::Work, ticket: None, queued_ns: 0 };
                let key = slab.insert(Request { face: round * 10 + face, body, previous: END, next: END });
                queue.push(&mut slab, RequestId(key));
            }
            let mut seen = Vec::new();
            while let Some(id) = queue.pop(&mut slab) {
                seen.extend(slab.remove(id.0).map(|request| request.face));
            }
            assert_eq!(seen, [round * 10, round * 10 + 1, round * 10 + 2]);
        }
        assert_eq!((queue, queue.first()), (RequestQueue::EMPTY, END));
    }

    #[test]
    fn a_request_is_removed_from_any_position() {
        let mut slab = Slab::<Request<Numbers>>::new();
        let mut queue = RequestQueue::EMPTY;
        let ids: Vec<RequestId> = (0..5)
            .map(|face| {
                let body = RequestBody::Shutdown(crate::HandleId::from_bits(1 << 32).unwrap());
                let request = Request { face, body, previous: END, next: END };
                let id = RequestId(slab.insert(request));
                queue.push(&mut slab, id);
                id
            })
            .collect();
        for index in [2, 4, 0] {
            queue.remove(&mut slab, ids[index]);
        }
        assert_eq!((queue.first(), queue.last()), (1, 3));
        queue.push(&mut slab, ids[4]);
        assert_eq!(std::iter::from_fn(|| queue.pop(&mut slab)).collect::<Vec<_>>(), [ids[1], ids[3], ids[4]]);
        assert!(queue.is_empty());
        for index in [0, 1, 2] {
            queue.push(&mut slab, ids[index]);
        }
        assert_eq!(queue.pop(&mut slab), Some(ids[0]));
        queue.remove(&mut slab, ids[1]);
        assert_eq!((queue.first(), queue.last()), (2, 2), "removed behind a popped request");
        queue.remove(&mut slab, ids[2]);
        assert_eq!(queue, RequestQueue::EMPTY);
    }
}
