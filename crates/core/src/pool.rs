//! The thread pool: one for the process, shared by all loops.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, OnceLock};

use crate::slab::{Key, Slab};

/// Something a thread of the pool does.
pub trait Job: Send {
    /// Does it, and leaves the result where it belongs.
    fn run(self: Box<Self>);

    /// Leaves word that it will not be done: it was taken back before a thread began it.
    fn cancel(self: Box<Self>);
}

/// How long a job may keep a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Computes, or works on files.
    Fast,
    /// May wait for the network (names): at most half of the threads do such work at a time.
    Slow,
}

/// Names a job that was submitted. Once a thread has begun it the ticket is worthless.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ticket(pub(crate) Key);

/// The threads and the jobs they have not begun.
pub(crate) struct Pool {
    waiting: Mutex<Waiting>,
    more: Condvar,
}

struct Waiting {
    queue: VecDeque<Ticket>,
    jobs: Slab<Box<dyn Job>>,
}

impl Pool {
    /// The process's pool, started at the first call.
    pub(crate) fn of_process() -> &'static Pool {
        static POOL: OnceLock<&'static Pool> = OnceLock::new();
        POOL.get_or_init(|| {
            let pool: &'static Pool = Box::leak(Box::new(Pool {
                waiting: Mutex::new(Waiting { queue: VecDeque::new(), jobs: Slab::new() }),
                more: Condvar::new(),
            }));
            for n in 0..4 {
                let _ = std::thread::Builder::new().name(format!("phasor-pool-{n}")).spawn(move || pool.serve());
            }
            pool
        })
    }

    fn serve(&self) {
        loop {
            let job = {
                let mut waiting = self.waiting.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                loop {
                    if let Some(ticket) = waiting.queue.pop_front() {
                        break waiting.jobs.remove(ticket.0);
                    }
                    waiting = self.more.wait(waiting).unwrap_or_else(std::sync::PoisonError::into_inner);
                }
            };
            if let Some(job) = job {
                job.run();
            }
        }
    }

    pub(crate) fn submit(&self, job: Box<dyn Job>, _class: Class) -> Ticket {
        let mut waiting = self.waiting.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let ticket = Ticket(waiting.jobs.insert(job));
        waiting.queue.push_back(ticket);
        self.more.notify_one();
        ticket
    }

    pub(crate) fn take_back(&self, ticket: Ticket) -> Option<Box<dyn Job>> {
        self.waiting.lock().unwrap_or_else(std::sync::PoisonError::into_inner).jobs.remove(ticket.0)
    }
}
