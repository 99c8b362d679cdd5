//! A vector with reusable slots. Keys contain a generation, so a key of a removed value is recognized as stale.

use std::num::NonZeroU32;

/// The key of a value in a [`Slab`]: the index of its slot, and the generation of the slot.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) index: u32,
    generation: NonZeroU32,
}

impl Key {
    /// The key as an integer. The integer is at least 2^32, so small numbers are free for other uses, such as the
    /// tokens of `platform`.
    pub(crate) const fn to_bits(self) -> u64 {
        (self.generation.get() as u64) << 32 | self.index as u64
    }

    /// The key for an integer, unless it is less than 2^32.
    pub(crate) const fn from_bits(bits: u64) -> Option<Key> {
        match NonZeroU32::new((bits >> 32) as u32) {
            Some(generation) => Some(Key { index: bits as u32, generation }),
            None => None,
        }
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.index, self.generation)
    }
}

/// Values with stable keys. Looking up a stale key returns `None`.
pub(crate) struct Slab<T> {
    slots: Vec<Slot<T>>,
    /// The slot freed last, which is used next; `END` if all slots are in use.
    free: u32,
    len: usize,
    /// The key of the value that was removed last.
    removed_last: Option<Key>,
}

struct Slot<T> {
    /// The generation of the value in the slot, or of the next value.
    generation: NonZeroU32,
    content: Content<T>,
}

enum Content<T> {
    Full(T),
    /// The slot is free. Contains the index of the next free slot.
    Free(u32),
}

/// An index that stands for no slot: the end of a list. No value ever has this index.
pub(crate) const END: u32 = u32::MAX;

impl<T> Slab<T> {
    /// The size of one slot.
    #[cfg(test)]
    pub(crate) const SLOT_BYTES: usize = size_of::<Slot<T>>();

    pub(crate) const fn new() -> Slab<T> {
        Slab { slots: Vec::new(), free: END, len: 0, removed_last: None }
    }

    /// The number of values.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Adds a value. Inlined, so that the compiler constructs the value in its slot instead of copying it.
    #[inline(always)]
    pub(crate) fn insert(&mut self, value: T) -> Key {
        if self.free == END {
            self.grow();
        }
        let index = self.free;
        let slot = &mut self.slots[index as usize];
        if let Content::Free(next) = slot.content {
            self.free = next;
        }
        slot.content = Content::Full(value);
        self.len += 1;
        Key { index, generation: slot.generation }
    }

    /// Adds a slot to the vector.
    #[cold]
    fn grow(&mut self) {
        let index = u32::try_from(self.slots.len()).ok().filter(|&i| i != END).expect("fewer than 2^32 - 1 values");
        self.slots.push(Slot { generation: NonZeroU32::MIN, content: Content::Free(END) });
        self.free = index;
    }

    pub(crate) fn remove(&mut self, key: Key) -> Option<T> {
        let slot = self.slots.get_mut(key.index as usize).filter(|slot| slot.generation == key.generation)?;
        if let Content::Free(_) = slot.content {
            return None;
        }
        let Content::Full(value) = std::mem::replace(&mut slot.content, Content::Free(self.free)) else { return None };
        // A slot that has used all 2^32 - 1 generations is not reused, because its keys would repeat.
        if let Some(generation) = slot.generation.checked_add(1) {
            slot.generation = generation;
            self.free = key.index;
        }
        self.len -= 1;
        self.removed_last = Some(key);
        Some(value)
    }

    /// The key of the value that was removed last; it is stale.
    pub(crate) fn removed_last(&self) -> Option<Key> {
        self.removed_last
    }

    #[inline]
    pub(crate) fn get(&self, key: Key) -> Option<&T> {
        match self.slots.get(key.index as usize) {
            Some(Slot { generation, content: Content::Full(value) }) if *generation == key.generation => Some(value),
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, key: Key) -> Option<&mut T> {
        match self.slots.get_mut(key.index as usize) {
            Some(Slot { generation, content: Content::Full(value) }) if *generation == key.generation => Some(value),
            _ => None,
        }
    }

    /// The value in a slot, with its key, if there is one.
    #[inline]
    pub(crate) fn at_mut(&mut self, index: u32) -> Option<(Key, &mut T)> {
        match self.slots.get_mut(index as usize) {
            Some(Slot { generation, content: Content::Full(value) }) => {
                Some((Key { index, generation: *generation }, value))
            }
            _ => None,
        }
    }

    /// The value in a slot, with its key, if there is one.
    #[inline]
    pub(crate) fn at(&self, index: u32) -> Option<(Key, &T)> {
        match self.slots.get(index as usize) {
            Some(Slot { generation, content: Content::Full(value) }) => {
                Some((Key { index, generation: *generation }, value))
            }
            _ => None,
        }
    }

    /// All values with their keys, in the order of their slots.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Key, &T)> {
        (0..self.slots.len() as u32).filter_map(|index| self.at(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_stale_once_its_slot_is_reused() {
        let mut slab = Slab::new();
        let old = slab.insert("old");
        assert_eq!(slab.remove(old), Some("old"));
        let new = slab.insert("new");
        assert_eq!(new.index, old.index);
        assert_eq!(slab.get(old), None);
        assert_eq!(slab.remove(old), None);
        assert_eq!((slab.get(new), slab.len()), (Some(&"new"), 1));
    }

    #[test]
    fn a_slot_that_has_used_all_generations_is_retired() {
        let mut slab = Slab::new();
        let first = slab.insert("first");
        slab.slots[first.index as usize].generation = NonZeroU32::MAX;
        let last = Key { generation: NonZeroU32::MAX, ..first };
        assert_eq!(slab.remove(last), Some("first"));
        assert_eq!(slab.get(last), None);
        assert_eq!(slab.insert("other").index, 1);
    }

    #[test]
    fn keys_convert_to_u64_and_small_numbers_are_not_keys() {
        let mut slab = Slab::new();
        let key = slab.insert(());
        assert_eq!(Key::from_bits(key.to_bits()), Some(key));
        assert!((0..100).all(|word| Key::from_bits(word).is_none()));
    }

    #[test]
    fn slots_are_reused_last_freed_first() {
        let mut slab = Slab::new();
        let keys: Vec<Key> = (0..4).map(|n| slab.insert(n)).collect();
        slab.remove(keys[1]);
        slab.remove(keys[3]);
        assert_eq!(slab.insert(8).index, 3);
        assert_eq!(slab.insert(9).index, 1);
        assert_eq!(slab.insert(10).index, 4);
        assert_eq!(slab.iter().map(|(_, &n)| n).collect::<Vec<_>>(), [0, 9, 2, 8, 10]);
    }
}
