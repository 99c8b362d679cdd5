//! The ring between a thread that records and the thread that writes: one producer, one consumer, no lock.
//!
//! # Ground rules
//! - The producer writes a record, then publishes the new `head` (release). The consumer reads `head` (acquire), copies
//!   records, then publishes `tail`.
//! - A ring that *streams* loses new records while it is full and counts them; a *flight recorder* overwrites the oldest.
//! - In a flight recorder the producer may overwrite a record while it is copied. The consumer reads `head` again after
//!   the copy and drops all records that may have been overwritten meanwhile, one more included: the producer may be in
//!   the middle of it.

use std::sync::atomic::{AtomicU64, Ordering, fence};

use crate::record::Record;

/// The ring of one thread.
pub(crate) struct Ring {
    /// Four words for each record.
    words: Box<[AtomicU64]>,
    /// The number of records that the producer has written.
    head: AtomicU64,
    /// The number of records that the consumer has taken.
    tail: AtomicU64,
    /// How many records did not fit.
    lost: AtomicU64,
    /// Whether the oldest record is overwritten when the ring is full.
    overwrites: bool,
}

/// The producer's end: what it knows of the ring without touching what the consumer writes.
#[derive(Default)]
pub(crate) struct Producer {
    head: u64,
    /// The last value read of `tail`.
    tail: u64,
}

impl Ring {
    /// A ring for at least this many records.
    pub(crate) fn new(records: usize, overwrites: bool) -> Ring {
        let records = records.max(64).next_power_of_two();
        let words = (0..records * 4).map(|_| AtomicU64::new(0)).collect();
        Ring { words, head: AtomicU64::new(0), tail: AtomicU64::new(0), lost: AtomicU64::new(0), overwrites }
    }

    pub(crate) fn capacity(&self) -> u64 {
        (self.words.len() / 4) as u64
    }

    /// Adds a record. Returns true after each quarter of the ring: then the consumer should be woken. Only the thread of the
    /// producer calls this.
    #[inline]
    pub(crate) fn push(&self, producer: &mut Producer, record: Record) -> bool {
        if !self.overwrites && producer.head - producer.tail == self.capacity() {
            producer.tail = self.tail.load(Ordering::Acquire);
            if producer.head - producer.tail == self.capacity() {
                self.lost.fetch_add(1, Ordering::Relaxed);
                return false;
            }
        }
        let at = (producer.head as usize * 4) & (self.words.len() - 1);
        // One check of the bounds for four words.
        if let Some(slot) = self.words.get(at..at + 4) {
            for (place, word) in slot.iter().zip(record.to_words()) {
                place.store(word, Ordering::Relaxed);
            }
        }
        producer.head += 1;
        self.head.store(producer.head, Ordering::Release);
        producer.head & (self.capacity() / 4 - 1) == 0
    }

    /// Appends the records that were not taken yet, as words, and takes them. Returns how many were lost since the last
    /// call.
    pub(crate) fn take(&self, into: &mut Vec<u64>) -> u64 {
        let tail = self.tail.load(Ordering::Relaxed);
        let (taken, overwritten) = self.copy_since(tail, into);
        self.tail.store(taken, Ordering::Release);
        self.lost.swap(0, Ordering::Relaxed) + overwritten
    }

    /// Appends all records from number `since` on that are still there. Returns the number of the next one, and how many
    /// were overwritten.
    fn copy_since(&self, since: u64, into: &mut Vec<u64>) -> (u64, u64) {
        let end = self.head.load(Ordering::Acquire);
        let begin = since.max(end.saturating_sub(self.capacity()));
        let first = into.len();
        for number in begin..end {
            let at = (number as usize * 4) & (self.words.len() - 1);
            into.extend(self.words[at..at + 4].iter().map(|word| word.load(Ordering::Relaxed)));
        }
        if !self.overwrites {
            return (end, begin - since);
        }
        fence(Ordering::Acquire);
        let safe = (self.head.load(Ordering::Relaxed) + 1).saturating_sub(self.capacity()).clamp(begin, end);
        into.drain(first..first + (safe - begin) as usize * 4);
        (end, safe - since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::RecordKind;

    fn record(number: u64) -> Record {
        Record { a: number, b: !number, word: number as u32, ..Record::new(number, RecordKind::Turn) }
    }

    fn records(words: &[u64]) -> Vec<Record> {
        words.chunks(4).map(|four| Record::from_words(four.try_into().unwrap()).unwrap()).collect()
    }

    #[test]
    fn a_full_ring_loses_new_records_and_counts_them() {
        let (ring, mut producer, mut words) = (Ring::new(64, false), Producer::default(), Vec::new());
        let quarters = (0..70).filter(|number| ring.push(&mut producer, record(*number))).count();
        assert_eq!(quarters, 4);
        assert_eq!(ring.take(&mut words), 6);
        assert_eq!(records(&words), (0..64).map(record).collect::<Vec<_>>());
        ring.push(&mut producer, record(70));
        words.clear();
        assert_eq!(ring.take(&mut words), 0);
        assert_eq!(records(&words), [record(70)]);
    }

    #[test]
    fn a_flight_recorder_keeps_the_newest_records() {
        let (ring, mut producer, mut words) = (Ring::new(64, true), Producer::default(), Vec::new());
        for number in 0..1000 {
            ring.push(&mut producer, record(number));
        }
        let lost = ring.take(&mut words);
        let kept = records(&words);
        assert_eq!(kept.last(), Some(&record(999)));
        assert_eq!(lost + kept.len() as u64, 1000);
        assert!(kept.len() >= 63);
    }

    #[test]
    fn records_are_whole_and_in_order_while_a_thread_writes() {
        for overwrites in [false, true] {
            let ring = Ring::new(256, overwrites);
            std::thread::scope(|scope| {
                let writer = scope.spawn(|| {
                    let mut producer = Producer::default();
                    for number in 0..300_000 {
                        ring.push(&mut producer, record(number));
                    }
                });
                let (mut next, mut lost, mut seen, mut words) = (0, 0, 0, Vec::new());
                loop {
                    let is_done = writer.is_finished();
                    words.clear();
                    lost += ring.take(&mut words);
                    for found in records(&words) {
                        assert!(found.a >= next && found == record(found.a));
                        next = found.a + 1;
                        seen += 1;
                    }
                    if is_done && words.is_empty() {
                        break;
                    }
                }
                assert_eq!(seen + lost, 300_000);
            });
        }
    }
}
