//! The order of the jobs that no thread has started. This file uses no locks and no threads.
//!
//! The order is that of `src/threadpool.c: worker` and `post`. Fast jobs are in one queue, first in, first out. Slow
//! jobs are in a second queue, and one token in the first queue stands for all of them (`run_slow_work_message`). A
//! thread that gets the token starts the first slow job and puts the token back at the end if there are more. While the
//! maximum of slow jobs is running the token also goes to the end, so that it does not block fast jobs.
//!
//! Submitting and starting a job usually happen on different CPUs. So the two operations share little memory: each
//! accesses one end of a queue, and no neighbours of the job.

use std::collections::VecDeque;
use std::num::NonZeroU64;

use super::{Class, Job};

/// Identifies a job or a token; numbers increase.
pub(crate) type Number = NonZeroU64;

/// The queued jobs, in the order in which they will start.
#[repr(C)]
pub(crate) struct JobQueue {
    /// The fast jobs and the token.
    order: GapQueue,
    /// The number of the next job, or of the token when it is queued again.
    next: Number,
    /// The number of the token, while there are slow jobs.
    token: Option<Number>,
    /// The slow jobs. Boxed, because operations on fast jobs do not access them.
    slow: Box<GapQueue>,
}

impl JobQueue {
    pub(crate) fn new() -> JobQueue {
        JobQueue { order: GapQueue::new(), slow: Box::new(GapQueue::new()), token: None, next: Number::MIN }
    }

    /// Appends a job.
    pub(crate) fn push(&mut self, job: Box<dyn Job>, class: Class) -> Number {
        let number = self.number();
        match class {
            Class::Fast => self.order.push(number, Content::Job(job)),
            Class::Slow => {
                self.slow.push(number, Content::Job(job));
                if self.token.is_none() {
                    self.push_token();
                }
            }
        }
        number
    }

    /// The number of queued jobs.
    pub(crate) fn len(&self) -> usize {
        self.order.len + self.slow.len - usize::from(self.token.is_some())
    }

    /// Whether [`JobQueue::pop`] would return a job.
    pub(crate) fn has_next(&self, slow_may_run: bool) -> bool {
        self.order.len > usize::from(self.token.is_some() && !slow_may_run)
    }

    /// Removes and returns the next job. Returns a slow job only if one more slow job may run.
    pub(crate) fn pop(&mut self, slow_may_run: bool) -> Option<(Box<dyn Job>, Class)> {
        if !self.has_next(slow_may_run) {
            return None;
        }
        if self.order.first() == self.token && !slow_may_run {
            self.order.pop();
            self.push_token();
        }
        match self.order.pop()? {
            Content::Job(job) => Some((job, Class::Fast)),
            Content::Token => {
                self.token = None;
                let job = self.slow.pop()?.job()?;
                if self.slow.len > 0 {
                    self.push_token();
                }
                Some((job, Class::Slow))
            }
        }
    }

    /// Removes a queued job. `None` if it was started already.
    pub(crate) fn take_back(&mut self, number: Number) -> Option<Box<dyn Job>> {
        if let Some(content) = self.order.take(number) {
            return content.job();
        }
        let job = self.slow.take(number)?.job();
        if self.slow.len == 0
            && let Some(token) = self.token.take()
        {
            self.order.take(token);
        }
        job
    }

    fn push_token(&mut self) {
        let number = self.number();
        self.token = Some(number);
        self.order.push(number, Content::Token);
    }

    fn number(&mut self) -> Number {
        let number = self.next;
        // Even with one job each nanosecond the numbers last for five hundred years.
        self.next = number.saturating_add(1);
        number
    }
}

/// An entry of a [`GapQueue`].
enum Content {
    Job(Box<dyn Job>),
    Token,
}

impl Content {
    fn job(self) -> Option<Box<dyn Job>> {
        match self {
            Content::Job(job) => Some(job),
            Content::Token => None,
        }
    }
}

/// A queue ordered by numbers. Removing an entry from the middle leaves a gap. There are never more gaps than entries
/// plus [`MAX_SPARE_GAPS`], and none at either end.
struct GapQueue {
    slots: VecDeque<(Number, Option<Content>)>,
    /// The number of entries that are not gaps.
    len: usize,
}

/// Fewer gaps than this are not worth compacting.
const MAX_SPARE_GAPS: usize = 32;

impl GapQueue {
    fn new() -> GapQueue {
        GapQueue { slots: VecDeque::new(), len: 0 }
    }

    fn push(&mut self, number: Number, content: Content) {
        self.slots.push_back((number, Some(content)));
        self.len += 1;
    }

    fn first(&self) -> Option<Number> {
        self.slots.front().map(|&(number, _)| number)
    }

    fn pop(&mut self) -> Option<Content> {
        let (_, content) = self.slots.pop_front()?;
        self.after_removal();
        content
    }

    /// Removes the entry with this number.
    fn take(&mut self, number: Number) -> Option<Content> {
        let slot = self.slots.binary_search_by_key(&number, |&(number, _)| number).ok()?;
        let content = self.slots[slot].1.take()?;
        self.after_removal();
        Some(content)
    }

    /// Counts the removal of an entry and removes gaps.
    fn after_removal(&mut self) {
        self.len -= 1;
        if self.slots.len() == self.len {
            return;
        }
        while let Some((_, None)) = self.slots.front() {
            self.slots.pop_front();
        }
        while let Some((_, None)) = self.slots.back() {
            self.slots.pop_back();
        }
        if self.slots.len() > 2 * self.len + MAX_SPARE_GAPS {
            self.slots.retain(|(_, content)| content.is_some());
        }
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

    fn push(queue: &mut JobQueue, number: u32, class: Class) -> Number {
        queue.push(Box::new(Numbered(number)), class)
    }

    fn number(job: Box<dyn Job>) -> u32 {
        job.run();
        RAN.get()
    }

    fn drain(queue: &mut JobQueue, slow_may_run: bool) -> Vec<u32> {
        std::iter::from_fn(|| queue.pop(slow_may_run).map(|(job, _)| number(job))).collect()
    }

    #[test]
    fn fast_jobs_run_between_slow_jobs() {
        let mut queue = JobQueue::new();
        for n in 0..10 {
            push(&mut queue, n, if n < 4 { Class::Slow } else { Class::Fast });
        }
        assert_eq!(drain(&mut queue, true), [0, 4, 5, 6, 7, 8, 9, 1, 2, 3]);
    }

    #[test]
    fn slow_jobs_over_the_limit_do_not_block_fast_jobs() {
        let mut queue = JobQueue::new();
        for (n, class) in [(0, Class::Slow), (1, Class::Fast), (2, Class::Slow), (3, Class::Fast)] {
            push(&mut queue, n, class);
        }
        assert_eq!(drain(&mut queue, false), [1, 3]);
        assert!(queue.has_next(true) && !queue.has_next(false));
        assert_eq!(drain(&mut queue, true), [0, 2]);
        assert!(!queue.has_next(true));
    }

    #[test]
    fn a_job_that_was_taken_back_is_neither_run_nor_taken_back_again() {
        let mut queue = JobQueue::new();
        let keys: Vec<_> = (0..8).map(|n| push(&mut queue, n, [Class::Fast, Class::Slow][n as usize % 2])).collect();
        for n in [0, 1, 4, 7] {
            assert_eq!(queue.take_back(keys[n]).map(number), Some(n as u32));
            assert!(queue.take_back(keys[n]).is_none());
        }
        assert_eq!(drain(&mut queue, true), [3, 2, 6, 5]);
        assert!(keys.iter().all(|&key| queue.take_back(key).is_none()));
    }

    #[test]
    fn taking_back_the_last_slow_job_removes_the_token() {
        let mut queue = JobQueue::new();
        let slow = push(&mut queue, 0, Class::Slow);
        assert!(queue.take_back(slow).is_some());
        assert!(queue.pop(true).is_none() && queue.pop(false).is_none());
        push(&mut queue, 1, Class::Fast);
        push(&mut queue, 2, Class::Slow);
        assert_eq!(drain(&mut queue, true), [1, 2]);
    }

    #[test]
    fn taking_back_a_million_jobs_is_fast_and_leaves_no_gaps() {
        let mut queue = JobQueue::new();
        for _ in 0..2 {
            let keys: Vec<_> = (0..1_000_000).map(|n| push(&mut queue, n, Class::Fast)).collect();
            // The jobs are removed from the middle outwards, so that neither end is a special case.
            for (a, b) in keys[..500_000].iter().rev().zip(&keys[500_000..]) {
                assert!(queue.take_back(*a).is_some() && queue.take_back(*b).is_some());
            }
            assert!(queue.pop(true).is_none());
            assert_eq!((queue.order.slots.len(), queue.len()), (0, 0));
        }
    }

    #[test]
    fn gaps_behind_a_waiting_job_are_bounded() {
        let mut queue = JobQueue::new();
        push(&mut queue, 0, Class::Fast);
        let mut last = push(&mut queue, 1, Class::Fast);
        for n in 2..10_000 {
            let next = push(&mut queue, n, Class::Fast);
            assert_eq!(queue.take_back(last).map(number), Some(n - 1));
            last = next;
            assert!(queue.order.slots.len() <= 2 * queue.len() + MAX_SPARE_GAPS);
        }
        assert_eq!(drain(&mut queue, true), [0, 9_999]);
    }

    /// Compares the queue with a simple implementation of the same order.
    #[test]
    fn random_operations_agree_with_a_naive_copy_of_threadpool_c() {
        let mut random = 1_u64;
        let mut next = move |below: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) % below
        };
        // The lists contain numbers of jobs; 0 is the token.
        let (mut queue, mut order, mut slow) = (JobQueue::new(), Vec::<u32>::new(), Vec::<u32>::new());
        let mut keys = Vec::new();
        for n in 1..20_000 {
            match next(5) {
                0 | 1 => {
                    keys.push((n, push(&mut queue, n, Class::Fast)));
                    order.push(n);
                }
                2 => {
                    keys.push((n, push(&mut queue, n, Class::Slow)));
                    if slow.is_empty() {
                        order.push(0);
                    }
                    slow.push(n);
                }
                3 if !keys.is_empty() => {
                    let (n, key) = keys.swap_remove(next(keys.len() as u64) as usize);
                    let waits = order.contains(&n) || slow.contains(&n);
                    order.retain(|&other| other != n);
                    slow.retain(|&other| other != n);
                    if slow.is_empty() {
                        order.retain(|&other| other != 0);
                    }
                    assert_eq!(queue.take_back(key).map(number), waits.then_some(n));
                }
                _ => {
                    let slow_may_run = next(2) == 0;
                    if order.first() == Some(&0) && !slow_may_run && order.len() > 1 {
                        order.rotate_left(1);
                    }
                    let expected = match order.first() {
                        Some(0) if !slow_may_run => None,
                        Some(0) => {
                            order.remove(0);
                            let n = slow.remove(0);
                            if !slow.is_empty() {
                                order.push(0);
                            }
                            Some(n)
                        }
                        Some(_) => Some(order.remove(0)),
                        None => None,
                    };
                    assert_eq!(queue.has_next(slow_may_run), expected.is_some());
                    assert_eq!(queue.pop(slow_may_run).map(|(job, _)| number(job)), expected);
                }
            }
            assert_eq!(queue.len(), order.iter().filter(|&&n| n != 0).count() + slow.len());
        }
    }
}
