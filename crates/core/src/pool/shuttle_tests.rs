//! Shuttle tests of the pool, under many schedules. A job that is never run blocks its test, which shuttle reports as a
//! deadlock.

use super::*;
use crate::sync::{AtomicU64, Ordering};

const SCHEDULES: usize = 5_000;

/// A job that counts its runs, and how many jobs with the same `concurrency` run at a time.
struct Counted {
    ran: Arc<AtomicU64>,
    concurrency: Option<Arc<Concurrency>>,
}

#[derive(Default)]
struct Concurrency {
    now: AtomicU64,
    max: AtomicU64,
}

impl Job for Counted {
    fn run(self: Box<Self>) {
        if let Some(concurrency) = &self.concurrency {
            let now = concurrency.now.fetch_add(1, Ordering::SeqCst) + 1;
            concurrency.max.fetch_max(now, Ordering::SeqCst);
            thread::yield_now();
            concurrency.now.fetch_sub(1, Ordering::SeqCst);
        }
        self.ran.fetch_add(1, Ordering::SeqCst);
    }

    fn give_up(self: Box<Self>, _why: Errno) {}
}

/// A second caller of `start_threads` also returns only when every thread is running.
#[test]
fn start_threads_returns_only_when_all_threads_run() {
    shuttle::check_random(
        || {
            let pool = Pool::new(2);
            let other = {
                let pool = pool.clone();
                thread::spawn(move || {
                    pool.start_threads();
                    assert_eq!(pool.lock().running, 2);
                })
            };
            pool.start_threads();
            assert_eq!(pool.lock().running, 2);
            other.join().unwrap();
            assert_eq!(pool.lock().threads, 2, "started once");
            pool.close();
        },
        SCHEDULES,
    );
}

/// The situation after no thread could be started: the first job starts a thread, and is queued only when that thread
/// is running.
#[test]
fn a_thread_started_by_submit_runs_before_the_job_is_queued() {
    shuttle::check_random(
        || {
            let pool = Pool::start(0);
            assert_eq!(pool.lock().threads, 0);
            let ran = Arc::new(AtomicU64::new(0));
            pool.submit(Box::new(Counted { ran: ran.clone(), concurrency: None }), Class::Fast);
            assert_eq!(pool.lock().running, 1);
            pool.close();
            while ran.load(Ordering::SeqCst) < 1 {
                thread::yield_now();
            }
        },
        SCHEDULES,
    );
}

#[test]
fn every_job_is_run_once() {
    shuttle::check_random(
        || {
            let pool = Pool::start(2);
            let (all, done) = (4, Arc::new((Mutex::new(0), Condvar::new())));
            struct CountAndNotify(Arc<(Mutex<u32>, Condvar)>);
            impl Job for CountAndNotify {
                fn run(self: Box<Self>) {
                    *self.0.0.lock().unwrap() += 1;
                    self.0.1.notify_one();
                }
                fn give_up(self: Box<Self>, _why: Errno) {}
            }
            for n in 0..all {
                let class = if n % 2 == 0 { Class::Fast } else { Class::Slow };
                pool.submit(Box::new(CountAndNotify(done.clone())), class);
            }
            // The pool is still open: only `submit` has woken threads.
            let mut ran = done.0.lock().unwrap();
            while *ran < all {
                ran = done.1.wait(ran).unwrap();
            }
            drop(ran);
            pool.close();
        },
        SCHEDULES,
    );
}

#[test]
fn a_job_is_either_run_or_taken_back() {
    shuttle::check_random(
        || {
            let pool = Pool::start(2);
            let ran = Arc::new(AtomicU64::new(0));
            let tickets: Vec<_> = (0..4)
                .map(|n| {
                    let class = if n < 2 { Class::Slow } else { Class::Fast };
                    pool.submit(Box::new(Counted { ran: ran.clone(), concurrency: None }), class)
                })
                .collect();
            let other = {
                let (pool, tickets) = (pool.clone(), tickets.clone());
                thread::spawn(move || tickets.iter().filter(|&&ticket| pool.take_back(ticket).is_some()).count())
            };
            let ours = tickets.iter().rev().filter(|&&ticket| pool.take_back(ticket).is_some()).count();
            let taken = ours + other.join().unwrap();
            pool.close();
            while ran.load(Ordering::SeqCst) + (taken as u64) < 4 {
                thread::yield_now();
            }
            assert_eq!(ran.load(Ordering::SeqCst) + taken as u64, 4);
        },
        SCHEDULES,
    );
}

#[test]
fn at_most_half_of_the_threads_run_slow_jobs() {
    shuttle::check_random(
        || {
            let pool = Pool::start(3);
            let (ran, slow) = (Arc::new(AtomicU64::new(0)), Arc::new(Concurrency::default()));
            for n in 0..6 {
                let (class, concurrency) =
                    if n % 3 < 2 { (Class::Slow, Some(slow.clone())) } else { (Class::Fast, None) };
                pool.submit(Box::new(Counted { ran: ran.clone(), concurrency }), class);
            }
            pool.close();
            while ran.load(Ordering::SeqCst) < 6 {
                thread::yield_now();
            }
            assert!(slow.max.load(Ordering::SeqCst) <= 2);
        },
        SCHEDULES,
    );
}

/// Slow jobs occupy half of the threads and block. A fast job still runs.
#[test]
fn slow_jobs_leave_a_thread_for_fast_jobs() {
    shuttle::check_random(
        || {
            let pool = Pool::start(2);
            let gate = Arc::new((Mutex::new(false), Condvar::new()));
            struct BlockUntilOpen(Arc<(Mutex<bool>, Condvar)>);
            struct OpenGate(Arc<(Mutex<bool>, Condvar)>);
            impl Job for BlockUntilOpen {
                fn run(self: Box<Self>) {
                    let mut open = self.0.0.lock().unwrap();
                    while !*open {
                        open = self.0.1.wait(open).unwrap();
                    }
                }
                fn give_up(self: Box<Self>, _why: Errno) {}
            }
            impl Job for OpenGate {
                fn run(self: Box<Self>) {
                    *self.0.0.lock().unwrap() = true;
                    self.0.1.notify_all();
                }
                fn give_up(self: Box<Self>, _why: Errno) {}
            }
            for _ in 0..2 {
                pool.submit(Box::new(BlockUntilOpen(gate.clone())), Class::Slow);
            }
            pool.submit(Box::new(OpenGate(gate.clone())), Class::Fast);
            let mut open = gate.0.lock().unwrap();
            while !*open {
                open = gate.1.wait(open).unwrap();
            }
            drop(open);
            pool.close();
        },
        SCHEDULES,
    );
}
