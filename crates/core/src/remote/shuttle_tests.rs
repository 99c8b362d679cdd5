//! Shuttle tests of the wake-up path, under many schedules. A lost send or result blocks the loop forever, which
//! shuttle reports as a deadlock. The loop is real; the platform replaces only the wait.

use std::os::fd::RawFd;

use phasor_sys::{Errno, Result};

use super::*;
use crate::event::{Event, Outcome};
use crate::phase::RunMode;
use crate::platform::{Platform, Readiness, Ready, WAKE};
use crate::pool::{Class, Job, Pool, Ticket};
use crate::requests::WorkFailure;
use crate::state::Loop;
use crate::sync::{Condvar, thread};

const SCHEDULES: usize = 2_000;

struct Plain;

impl Face for Plain {
    type Handle = usize;
    type Request = usize;
    type Bytes = Vec<u8>;
}

/// The replacement of the eventfd and epoll.
#[derive(Default)]
struct Gate {
    rung: Mutex<bool>,
    opens: Condvar,
}

impl Ring for Gate {
    fn ring(&self) {
        *self.rung.lock().unwrap() = true;
        self.opens.notify_one();
    }
}

/// A platform with a real pool. Only a ring ends its waits.
struct TestPlatform {
    gate: Arc<Gate>,
    pool: Arc<Pool>,
    faults: Arc<Faults>,
}

/// Faults that a test injects into a platform that a loop owns.
#[derive(Default)]
struct Faults {
    /// Whether the platform claims to watch a descriptor.
    is_watching: AtomicBool,
    /// Whether the next wait fails.
    fail_next_wait: AtomicBool,
}

impl Platform for TestPlatform {
    fn now_ns(&mut self) -> u64 {
        0
    }

    fn wait(&mut self, timeout_ms: Option<u64>, ready: &mut Vec<Ready>) -> Result<()> {
        if self.faults.fail_next_wait.swap(false, Ordering::SeqCst) {
            return Err(Errno::EIO);
        }
        let mut rung = self.gate.rung.lock().unwrap();
        while !*rung && timeout_ms.is_none() {
            rung = self.gate.opens.wait(rung).unwrap();
        }
        if std::mem::replace(&mut *rung, false) {
            ready.push(Ready { token: WAKE, readiness: Readiness::READABLE });
        }
        Ok(())
    }

    fn set_nonblocking(&mut self, _fd: RawFd) -> Result<()> {
        Err(Errno::ENOSYS)
    }

    fn watch(&mut self, _fd: RawFd, _token: u64, _interest: Readiness) -> Result<()> {
        Err(Errno::ENOSYS)
    }

    fn rewatch(&mut self, _fd: RawFd, _token: u64, _interest: Readiness) -> Result<()> {
        Err(Errno::ENOSYS)
    }

    fn unwatch(&mut self, _fd: RawFd) {}

    fn watches_nothing(&self) -> bool {
        !self.faults.is_watching.load(Ordering::SeqCst)
    }

    fn ring(&self) -> Arc<dyn Ring> {
        self.gate.clone()
    }

    fn submit(&mut self, job: Box<dyn Job>, class: Class) -> Ticket {
        self.pool.submit(job, class)
    }

    fn take_back(&mut self, ticket: Ticket) -> Option<Box<dyn Job>> {
        self.pool.take_back(ticket)
    }

    fn backend_fd(&self) -> Option<RawFd> {
        None
    }
}

fn test_loop(pool: &Arc<Pool>) -> Loop<Plain> {
    test_loop_with_faults(pool).0
}

fn test_loop_with_faults(pool: &Arc<Pool>) -> (Loop<Plain>, Arc<Faults>) {
    let faults = Arc::<Faults>::default();
    (Loop::on(TestPlatform { gate: Arc::default(), pool: pool.clone(), faults: faults.clone() }), faults)
}

/// When the event of the last send is returned, the loop sees what the sender wrote before that send.
#[test]
fn every_send_after_the_last_event_leads_to_another() {
    shuttle::check_random(
        || {
            let pool = Pool::start(0);
            let mut core = test_loop(&pool);
            let senders: Vec<_> = (0..70).map(|n| core.async_open(n).1).collect();
            let written: Arc<[AtomicU64; 3]> = Arc::new(std::array::from_fn(|_| AtomicU64::new(0)));
            // Two of the places are in one word of the board and one is in another, so that there are races for the
            // summary bits as well.
            let places = [3, 5, 69];
            for (n, &place) in places.iter().enumerate() {
                let (sender, written) = (senders[place].clone(), written.clone());
                thread::spawn(move || {
                    for count in 1..=2 {
                        written[n].store(count, Ordering::SeqCst);
                        sender.send();
                    }
                });
            }
            let mut last = [0; 3];
            while last != [2; 3] {
                let Some(Event::Async(id)) = core.next(RunMode::Default) else { panic!("unexpected event") };
                let place = *core.face(id).unwrap();
                let n = places.iter().position(|&other| other == place).unwrap();
                last[n] = written[n].load(Ordering::SeqCst);
            }
        },
        SCHEDULES,
    );
}

#[test]
fn every_result_is_handed_out_once() {
    shuttle::check_random(
        || {
            let pool = Pool::start(2);
            let mut core = test_loop(&pool);
            for n in 0..4 {
                core.work(|| {}, n);
            }
            let mut seen = [0; 4];
            while let Some(event) = core.next(RunMode::Default) {
                let Event::Done(n, Outcome::Work(Ok(()))) = event else { panic!("unexpected event") };
                seen[n] += 1;
            }
            assert_eq!(seen, [1; 4]);
            pool.close();
        },
        SCHEDULES,
    );
}

#[test]
fn a_task_is_either_cancelled_or_run() {
    shuttle::check_random(
        || {
            let pool = Pool::start(2);
            let mut core = test_loop(&pool);
            let ran = Arc::new(AtomicU64::new(0));
            let ids: Vec<_> = (0..3)
                .map(|n| {
                    let ran = ran.clone();
                    let work = move || {
                        ran.fetch_add(1, Ordering::SeqCst);
                    };
                    core.work(work, n)
                })
                .collect();
            let cancelled = ids.iter().rev().filter(|&&id| core.cancel(id).is_ok()).count();
            let (mut done, mut not_begun) = (0, 0);
            while let Some(event) = core.next(RunMode::Default) {
                match event {
                    Event::Done(_, Outcome::Work(Ok(()))) => done += 1,
                    Event::Done(_, Outcome::Work(Err(WorkFailure::NotBegun(Errno::ECANCELED)))) => not_begun += 1,
                    _ => panic!("unexpected event"),
                }
            }
            assert_eq!((done, not_begun, done), (3 - cancelled, cancelled, ran.load(Ordering::SeqCst) as usize));
            pool.close();
        },
        SCHEDULES,
    );
}

/// Results may arrive after the loop was dropped.
#[test]
fn a_loop_may_be_dropped_while_tasks_run() {
    shuttle::check_random(
        || {
            let pool = Pool::start(2);
            let mut core = test_loop(&pool);
            for n in 0..3 {
                core.work(|| {}, n);
            }
            core.next(RunMode::NoWait);
            let mailbox = Arc::downgrade(&core.mailbox);
            drop(core);
            pool.close();
            while mailbox.strong_count() > 0 {
                thread::yield_now();
            }
        },
        SCHEDULES,
    );
}

#[test]
fn a_wake_is_never_lost() {
    shuttle::check_random(
        || {
            let pool = Pool::start(0);
            let mut core = test_loop(&pool);
            // The async handle keeps the loop alive, so that it blocks.
            core.async_open(0);
            let wakes = Arc::new(AtomicU64::new(0));
            for _ in 0..2 {
                let (remote, wakes) = (core.remote(), wakes.clone());
                thread::spawn(move || {
                    wakes.fetch_add(1, Ordering::SeqCst);
                    remote.wake();
                });
            }
            while wakes.load(Ordering::SeqCst) < 2 {
                assert!(core.next(RunMode::Once).is_none());
            }
        },
        SCHEDULES,
    );
}

/// Tests all run modes, with and without other watched descriptors, and after a failed wait.
#[test]
fn no_send_is_lost_when_the_loop_starts_or_stops_polling_the_bell() {
    shuttle::check_random(
        || {
            let pool = Pool::start(0);
            let (mut core, faults) = test_loop_with_faults(&pool);
            let (_, sender) = core.async_open(0);
            let written = Arc::new(AtomicU64::new(0));
            for _ in 0..2 {
                let (sender, written) = (sender.clone(), written.clone());
                thread::spawn(move || {
                    for _ in 0..8 {
                        written.fetch_add(1, Ordering::SeqCst);
                        sender.send();
                    }
                });
            }
            let mut last = 0;
            while last < 16 {
                let random = shuttle::rand::Rng::r#gen::<u8>(&mut shuttle::rand::thread_rng());
                faults.is_watching.store(random & 1 != 0, Ordering::SeqCst);
                faults.fail_next_wait.store(random & 6 == 6, Ordering::SeqCst);
                if random & 48 == 48 {
                    core.stop();
                }
                let mode =
                    [RunMode::Default, RunMode::Default, RunMode::Once, RunMode::NoWait][usize::from(random >> 6)];
                if core.next(mode).is_some() {
                    last = written.load(Ordering::SeqCst);
                }
                thread::yield_now();
            }
        },
        SCHEDULES,
    );
}
