//! Chains through the values of a slab, by place: adding and removing cost the same however long they are.

use std::marker::PhantomData;

use crate::slab::Slab;

/// No neighbour.
pub(crate) const END: u32 = u32::MAX;

/// A value's neighbours in one chain.
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

/// Says which of a value's links a chain runs through.
pub(crate) trait Chain<T> {
    fn links(value: &mut T) -> &mut Links;
}

/// The two ends of a chain of kind `C`.
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

    /// The place of the first value, or [`END`].
    #[inline]
    pub(crate) fn first(&self) -> u32 {
        self.first
    }

    /// The place after this one, or [`END`].
    #[inline]
    pub(crate) fn after<T>(&self, slab: &mut Slab<T>, index: u32) -> u32
    where
        C: Chain<T>,
    {
        links::<T, C>(slab, index).next
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

    /// Takes out a value that is in this chain.
    pub(crate) fn remove<T>(&mut self, slab: &mut Slab<T>, index: u32)
    where
        C: Chain<T>,
    {
        let Links { previous, next } = std::mem::take(links::<T, C>(slab, index));
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
    C::links(slab.at_mut(index).expect("a chained value is in the slab").1)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Through;

    impl Chain<Links> for Through {
        fn links(value: &mut Links) -> &mut Links {
            value
        }
    }

    fn places(list: &List<Through>, slab: &mut Slab<Links>) -> Vec<u32> {
        let (mut places, mut at) = (Vec::new(), list.first());
        while at != END {
            places.push(at);
            at = list.after(slab, at);
        }
        places
    }

    #[test]
    fn grows_at_both_ends_and_shrinks_anywhere() {
        let (mut slab, mut list) = (Slab::new(), List::<Through>::new());
        let at: Vec<u32> = (0..4).map(|_| slab.insert(Links::default()).index).collect();
        list.push_back(&mut slab, at[1]);
        list.push_back(&mut slab, at[2]);
        list.push_front(&mut slab, at[0]);
        list.push_back(&mut slab, at[3]);
        assert_eq!(places(&list, &mut slab), [0, 1, 2, 3]);
        list.remove(&mut slab, at[1]);
        list.remove(&mut slab, at[3]);
        assert_eq!(places(&list, &mut slab), [0, 2]);
        list.remove(&mut slab, at[0]);
        list.remove(&mut slab, at[2]);
        assert!(list.is_empty());
    }
}
