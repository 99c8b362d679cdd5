//! Doubly linked lists of values in a slab. Links are slot indexes, so adding and removing take constant time and no
//! allocation.

use std::marker::PhantomData;

use crate::slab::{END, Key, Slab};

/// The neighbours of a value in one list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Links {
    previous: u32,
    next: u32,
}

impl Default for Links {
    fn default() -> Links {
        Links { previous: END, next: END }
    }
}

/// Selects the links that a list uses: a value may be in several lists.
pub(crate) trait Chain<T> {
    fn links(value: &T) -> &Links;
    fn links_mut(value: &mut T) -> &mut Links;
}

/// The two ends of a list of kind `C`.
pub(crate) struct List<C> {
    first: u32,
    last: u32,
    chain: PhantomData<C>,
}

impl<C> List<C> {
    pub(crate) const fn new() -> List<C> {
        List { first: END, last: END, chain: PhantomData }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.first == END
    }

    /// The index of the first value, or [`END`].
    #[inline]
    pub(crate) fn first(&self) -> u32 {
        self.first
    }

    /// The index of the value after `index`, or [`END`].
    #[inline]
    pub(crate) fn after<T>(&self, slab: &Slab<T>, index: u32) -> u32
    where
        C: Chain<T>,
    {
        C::links(slab.at(index).expect(CHAINED).1).next
    }

    /// All values with their keys, from the first to the last.
    pub(crate) fn iter<'a, T>(&self, slab: &'a Slab<T>) -> impl Iterator<Item = (Key, &'a T)>
    where
        C: Chain<T>,
    {
        let mut at = self.first;
        std::iter::from_fn(move || {
            let (key, value) = slab.at(at)?;
            at = C::links(value).next;
            Some((key, value))
        })
    }

    pub(crate) fn push_front<T>(&mut self, slab: &mut Slab<T>, index: u32)
    where
        C: Chain<T>,
    {
        *links::<T, C>(slab, index) = Links { previous: END, next: self.first };
        match self.first {
            END => self.last = index,
            first => links::<T, C>(slab, first).previous = index,
        }
        self.first = index;
    }

    pub(crate) fn push_back<T>(&mut self, slab: &mut Slab<T>, index: u32)
    where
        C: Chain<T>,
    {
        *links::<T, C>(slab, index) = Links { previous: self.last, next: END };
        match self.last {
            END => self.first = index,
            last => links::<T, C>(slab, last).next = index,
        }
        self.last = index;
    }

    /// Removes a value, which must be in this list.
    pub(crate) fn remove<T>(&mut self, slab: &mut Slab<T>, index: u32)
    where
        C: Chain<T>,
    {
        // The links of the removed value are not reset: adding the value again overwrites them.
        let Links { previous, next } = *links::<T, C>(slab, index);
        match previous {
            END => self.first = next,
            previous => links::<T, C>(slab, previous).next = next,
        }
        match next {
            END => self.last = previous,
            next => links::<T, C>(slab, next).previous = previous,
        }
    }
}

#[inline]
fn links<T, C: Chain<T>>(slab: &mut Slab<T>, index: u32) -> &mut Links {
    C::links_mut(slab.at_mut(index).expect(CHAINED).1)
}

/// A value is removed from all lists before it is removed from the slab.
const CHAINED: &str = "a linked value is in the slab";

/// A list that is processed in rounds. A value that is added during a round waits for the next round. libuv does this
/// with `uv__queue_move`.
pub(crate) struct DoubleBuffer<C> {
    lists: [List<C>; 2],
    /// The list to which new values are added.
    side: Side,
}

/// Which list of a [`DoubleBuffer`] contains a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

impl<C> DoubleBuffer<C> {
    pub(crate) const fn new() -> DoubleBuffer<C> {
        DoubleBuffer { lists: [List::new(), List::new()], side: Side::Left }
    }

    /// The list of the next round.
    #[inline]
    pub(crate) fn next(&self) -> &List<C> {
        &self.lists[self.side as usize]
    }

    /// The list of the next round, for an addition, and which of the two it is.
    #[inline]
    pub(crate) fn next_mut(&mut self) -> (&mut List<C>, Side) {
        (&mut self.lists[self.side as usize], self.side)
    }

    /// The list that contains a value.
    pub(crate) fn of(&mut self, side: Side) -> &mut List<C> {
        &mut self.lists[side as usize]
    }

    /// The remaining entries of the current round.
    #[inline]
    pub(crate) fn current(&mut self) -> &mut List<C> {
        &mut self.lists[1 - self.side as usize]
    }

    /// Begins a round with everything that was added so far. The previous round must be finished.
    #[inline]
    pub(crate) fn swap(&mut self) {
        debug_assert!(self.current().is_empty(), "the previous round is finished");
        self.side = if self.side == Side::Left { Side::Right } else { Side::Left };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Through;

    impl Chain<Links> for Through {
        fn links(value: &Links) -> &Links {
            value
        }

        fn links_mut(value: &mut Links) -> &mut Links {
            value
        }
    }

    fn indexes(list: &List<Through>, slab: &Slab<Links>) -> Vec<u32> {
        list.iter(slab).map(|(key, _)| key.index).collect()
    }

    #[test]
    fn additions_after_a_swap_wait_for_the_next_swap() {
        let (mut slab, mut buffer) = (Slab::new(), DoubleBuffer::<Through>::new());
        let at: Vec<u32> = (0..3).map(|_| slab.insert(Links::default()).index).collect();
        buffer.next_mut().0.push_back(&mut slab, at[0]);
        let (list, side) = buffer.next_mut();
        list.push_back(&mut slab, at[1]);
        buffer.swap();
        buffer.next_mut().0.push_back(&mut slab, at[2]);
        buffer.of(side).remove(&mut slab, at[0]);
        assert_eq!((indexes(buffer.current(), &slab), indexes(buffer.next(), &slab)), (vec![1], vec![2]));
    }

    #[test]
    fn values_are_added_at_both_ends_and_removed_anywhere() {
        let (mut slab, mut list) = (Slab::new(), List::<Through>::new());
        let at: Vec<u32> = (0..4).map(|_| slab.insert(Links::default()).index).collect();
        list.push_back(&mut slab, at[1]);
        list.push_back(&mut slab, at[2]);
        list.push_front(&mut slab, at[0]);
        list.push_back(&mut slab, at[3]);
        assert_eq!(indexes(&list, &slab), [0, 1, 2, 3]);
        list.remove(&mut slab, at[1]);
        list.remove(&mut slab, at[3]);
        assert_eq!(indexes(&list, &slab), [0, 2]);
        list.remove(&mut slab, at[0]);
        list.remove(&mut slab, at[2]);
        assert!(list.is_empty());
    }
}
