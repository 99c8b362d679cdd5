//! The priority queue of the timers.
//!
//! The queue is a 4-ary min-heap. The keys are stored inline in one array, and the position of each timer in another
//! array. Sifting touches only these two arrays. libuv's heap (`src/heap-inl.h`) is a tree of pointers inside the
//! handles, with a cache miss for each comparison. The difference matters with very many timers.

/// The due time of a timer, and its order among timers that are due at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Due {
    pub(crate) at_ms: u64,
    /// The number of the timer's start: of two timers with the same due time, the timer that was started first comes
    /// first.
    pub(crate) start: u64,
}

#[derive(Clone, Copy)]
struct Entry {
    due: Due,
    owner: u32,
}

/// Owners (small dense integers that the caller chooses) ordered by [`Due`]. An owner is in the heap at most once.
#[derive(Default)]
pub(crate) struct Heap {
    entries: Vec<Entry>,
    /// The position of each owner in `entries`, or `ABSENT`.
    positions: Vec<u32>,
}

const ARITY: usize = 4;
const ABSENT: u32 = u32::MAX;

impl Heap {
    /// The earliest due time.
    #[inline]
    pub(crate) fn first(&self) -> Option<Due> {
        self.entries.first().map(|entry| entry.due)
    }

    /// Adds an owner that is not in the heap.
    pub(crate) fn insert(&mut self, owner: u32, due: Due) {
        if self.positions.len() <= owner as usize {
            self.positions.resize(owner as usize + 1, ABSENT);
        }
        debug_assert_eq!(self.positions[owner as usize], ABSENT, "a timer is started once");
        self.entries.push(Entry { due, owner });
        self.sift_up(self.entries.len() - 1);
    }

    /// Removes an owner. Returns false if it was not in the heap.
    pub(crate) fn remove(&mut self, owner: u32) -> bool {
        let Some(&position) = self.positions.get(owner as usize).filter(|&&position| position != ABSENT) else {
            return false;
        };
        self.take(position as usize);
        true
    }

    /// Removes and returns the earliest owner if it is due at `now_ms`.
    #[inline]
    pub(crate) fn pop_due(&mut self, now_ms: u64) -> Option<(u32, Due)> {
        let &Entry { due, owner } = self.entries.first().filter(|entry| entry.due.at_ms <= now_ms)?;
        self.take(0);
        Some((owner, due))
    }

    fn take(&mut self, position: usize) {
        let removed = self.entries.swap_remove(position);
        self.positions[removed.owner as usize] = ABSENT;
        if position < self.entries.len() {
            // `swap_remove` moved the last entry to this position; the heap order is restored from here.
            if position > 0 && self.entries[position].due < self.entries[(position - 1) / ARITY].due {
                self.sift_up(position);
            } else {
                self.sift_down(position);
            }
        }
    }

    fn sift_up(&mut self, mut position: usize) {
        let moving = self.entries[position];
        while position > 0 {
            let parent = (position - 1) / ARITY;
            if self.entries[parent].due <= moving.due {
                break;
            }
            self.put(position, self.entries[parent]);
            position = parent;
        }
        self.put(position, moving);
    }

    fn sift_down(&mut self, mut position: usize) {
        let moving = self.entries[position];
        loop {
            let first = position * ARITY + 1;
            let children = match self.entries.get(first..) {
                Some(rest) if !rest.is_empty() => &rest[..rest.len().min(ARITY)],
                _ => break,
            };
            let mut least = 0;
            for child in 1..children.len() {
                if children[child].due < children[least].due {
                    least = child;
                }
            }
            let child = children[least];
            if moving.due <= child.due {
                break;
            }
            self.put(position, child);
            position = first + least;
        }
        self.put(position, moving);
    }

    #[inline]
    fn put(&mut self, position: usize, entry: Entry) {
        self.entries[position] = entry;
        self.positions[entry.owner as usize] = position as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timers_due_at_the_same_time_pop_in_start_order() {
        let mut heap = Heap::default();
        for owner in [3, 1, 2, 0] {
            heap.insert(owner, Due { at_ms: 5, start: u64::from(owner) });
        }
        let order: Vec<u32> = std::iter::from_fn(|| heap.pop_due(5)).map(|(owner, _)| owner).collect();
        assert_eq!(order, [0, 1, 2, 3]);
    }

    #[test]
    fn agrees_with_a_btree_under_random_inserts_and_removes() {
        let mut state = 1u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % below
        };
        let (mut heap, mut naive) = (Heap::default(), std::collections::BTreeSet::new());
        let mut due_of = std::collections::HashMap::new();
        for start in 0..20_000 {
            let owner = random(500) as u32;
            if let Some(due) = due_of.remove(&owner) {
                assert!(heap.remove(owner));
                naive.remove(&(due, owner));
            } else {
                let due = Due { at_ms: random(1000), start };
                heap.insert(owner, due);
                naive.insert((due, owner));
                due_of.insert(owner, due);
            }
            assert_eq!(heap.first(), naive.first().map(|&(due, _)| due));
        }
        let rest: Vec<u32> = std::iter::from_fn(|| heap.pop_due(u64::MAX)).map(|(owner, _)| owner).collect();
        assert_eq!(rest, naive.into_iter().map(|(_, owner)| owner).collect::<Vec<_>>());
        assert_eq!(heap.first(), None);
    }

    #[test]
    fn pop_due_returns_no_timer_before_its_time() {
        let mut heap = Heap::default();
        heap.insert(0, Due { at_ms: 10, start: 0 });
        assert_eq!(heap.pop_due(9), None);
        assert!(!heap.remove(7), "never inserted");
        assert!(heap.pop_due(10).is_some());
    }
}
