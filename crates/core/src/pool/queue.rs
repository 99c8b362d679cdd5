//! The jobs that no thread has begun, and which of them is next. No locks and no threads here.
//!
//! As in `threadpool.c` there is one queue, first in, first out. Slow jobs wait in a second one, of which a token in the
//! first tells; a thread that meets the token takes the first slow job, and the token goes to the tail if there are
//! more. While as many slow jobs run as may, the token goes to the tail as well, so that nobody waits behind it.

use super::{Class, Job};
use crate::list::{Chain, Links, List};
use crate::slab::{END, Key, Slab};

/// Jobs in the order they are to be begun. Every operation costs the same however many there are.
pub(crate) struct Queue {
    waiting: Slab<Waiting>,
    /// Fast jobs, and the token.
    order: List<InOrder>,
    slow: List<InOrder>,
    /// The token's place.
    token: u32,
}

struct Waiting {
    links: Links,
    class: Class,
    /// The token has none.
    job: Option<Box<dyn Job>>,
}

/// The chain that a job is in: by its class there is only one that it can be in.
struct InOrder;

impl Chain<Waiting> for InOrder {
    fn links(waiting: &Waiting) -> &Links {
        &waiting.links
    }

    fn links_mut(waiting: &mut Waiting) -> &mut Links {
        &mut waiting.links
    }
}

impl Queue {
    pub(crate) fn new() -> Queue {
        let mut waiting = Slab::new();
        let token = waiting.insert(Waiting { links: Links::default(), class: Class::Fast, job: None }).index;
        Queue { waiting, order: List::new(), slow: List::new(), token }
    }

    /// Adds a job at the end.
    pub(crate) fn push(&mut self, job: Box<dyn Job>, class: Class) -> Key {
        let key = self.waiting.insert(Waiting { links: Links::default(), class, job: Some(job) });
        match class {
            Class::Fast => self.order.push_back(&mut self.waiting, key.index),
            Class::Slow => {
                if self.slow.is_empty() {
                    self.order.push_back(&mut self.waiting, self.token);
                }
                self.slow.push_back(&mut self.waiting, key.index);
            }
        }
        key
    }

    /// How many jobs wait.
    pub(crate) fn len(&self) -> usize {
        // The token is no job.
        self.waiting.len() - 1
    }

    /// Whether [`Queue::pop`] would find a job.
    pub(crate) fn has_next(&mut self, slow_may_run: bool) -> bool {
        let first = self.order.first();
        first != END && (first != self.token || slow_may_run || self.order.after(&self.waiting, first) != END)
    }

    /// Takes out the job that is next; slow ones only if one more of them may run.
    pub(crate) fn pop(&mut self, slow_may_run: bool) -> Option<(Box<dyn Job>, Class)> {
        let mut place = self.order.first();
        if place == self.token && !slow_may_run {
            place = self.order.after(&self.waiting, place);
            if place != END {
                self.order.remove(&mut self.waiting, self.token);
                self.order.push_back(&mut self.waiting, self.token);
            }
        }
        if place == END {
            return None;
        }
        if place == self.token {
            place = self.slow.first();
            self.order.remove(&mut self.waiting, self.token);
            self.slow.remove(&mut self.waiting, place);
            if !self.slow.is_empty() {
                self.order.push_back(&mut self.waiting, self.token);
            }
        } else {
            self.order.remove(&mut self.waiting, place);
        }
        let (key, _) = self.waiting.at(place)?;
        let Waiting { job, class, .. } = self.waiting.remove(key)?;
        Some((job?, class))
    }

    /// Takes a job out that nobody has begun.
    pub(crate) fn take_back(&mut self, key: Key) -> Option<Box<dyn Job>> {
        match self.waiting.get(key)?.class {
            Class::Fast => self.order.remove(&mut self.waiting, key.index),
            Class::Slow => {
                self.slow.remove(&mut self.waiting, key.index);
                if self.slow.is_empty() {
                    self.order.remove(&mut self.waiting, self.token);
                }
            }
        }
        self.waiting.remove(key)?.job
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use phasor_sys::Errno;

    use super::*;

    thread_local!(static RAN: Cell<u32> = const { Cell::new(0) });

    struct Numbered(u32);

    impl Job for Numbered {
        fn run(self: Box<Self>) {
            RAN.set(self.0);
        }

        fn give_up(self: Box<Self>, _why: Errno) {
            RAN.set(self.0);
        }
    }

    fn push(queue: &mut Queue, number: u32, class: Class) -> Key {
        queue.push(Box::new(Numbered(number)), class)
    }

    fn number(job: Box<dyn Job>) -> u32 {
        job.run();
        RAN.get()
    }

    fn drain(queue: &mut Queue, slow_may_run: bool) -> Vec<u32> {
        std::iter::from_fn(|| queue.pop(slow_may_run).map(|(job, _)| number(job))).collect()
    }

    #[test]
    fn slow_jobs_step_back_one_by_one() {
        let mut queue = Queue::new();
        for n in 0..10 {
            push(&mut queue, n, if n < 4 { Class::Slow } else { Class::Fast });
        }
        assert_eq!(drain(&mut queue, true), [0, 4, 5, 6, 7, 8, 9, 1, 2, 3]);
    }

    #[test]
    fn slow_jobs_that_may_not_run_block_nobody() {
        let mut queue = Queue::new();
        for (n, class) in [(0, Class::Slow), (1, Class::Fast), (2, Class::Slow), (3, Class::Fast)] {
            push(&mut queue, n, class);
        }
        assert_eq!(drain(&mut queue, false), [1, 3]);
        assert!(queue.has_next(true) && !queue.has_next(false));
        assert_eq!(drain(&mut queue, true), [0, 2]);
        assert!(!queue.has_next(true));
    }

    #[test]
    fn what_was_taken_back_is_neither_run_nor_taken_back_again() {
        let mut queue = Queue::new();
        let keys: Vec<_> = (0..8).map(|n| push(&mut queue, n, [Class::Fast, Class::Slow][n as usize % 2])).collect();
        for n in [0, 1, 4, 7] {
            assert_eq!(queue.take_back(keys[n]).map(number), Some(n as u32));
            assert!(queue.take_back(keys[n]).is_none());
        }
        assert_eq!(drain(&mut queue, true), [3, 2, 6, 5]);
        assert!(keys.iter().all(|&key| queue.take_back(key).is_none()));
    }

    #[test]
    fn the_token_leaves_with_the_last_slow_job() {
        let mut queue = Queue::new();
        let slow = push(&mut queue, 0, Class::Slow);
        assert!(queue.take_back(slow).is_some());
        assert!(queue.pop(true).is_none() && queue.pop(false).is_none());
        push(&mut queue, 1, Class::Fast);
        push(&mut queue, 2, Class::Slow);
        assert_eq!(drain(&mut queue, true), [1, 2]);
    }

    #[test]
    fn a_million_jobs_are_taken_back_in_no_time_and_leave_no_trace() {
        let mut queue = Queue::new();
        for _ in 0..2 {
            let keys: Vec<_> = (0..1_000_000).map(|n| push(&mut queue, n, Class::Fast)).collect();
            // From the middle outwards: neither end may be cheap by chance.
            for (a, b) in keys[..500_000].iter().rev().zip(&keys[500_000..]) {
                assert!(queue.take_back(*a).is_some() && queue.take_back(*b).is_some());
            }
            assert!(queue.pop(true).is_none());
            assert_eq!(queue.waiting.len(), 1, "only the token");
        }
    }
}
