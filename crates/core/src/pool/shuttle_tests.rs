//! The pool under many schedules. A job that nobody runs leaves the test waiting for it, which shuttle tells.

use super::*;
use crate::sync::{AtomicU64, Ordering};

const SCHEDULES: usize = 5_000;

/// Counts how often it was run, and how many of its kind run at a time.
struct Counted {
    ran: Arc<AtomicU64>,
    at_a_time: Option<Arc<AtTime>>,
}

#[derive(Default)]
struct AtTime {
    now: AtomicU64,
    most: AtomicU64,
}

impl Job for Counted {
    fn run(self: Box<Self>) {
        if let Some(at_a_time) = &self.at_a_time {
            let now = at_a_time.now.fetch_add(1, Ordering::SeqCst) + 1;
            at_a_time.most.fetch_max(now, Ordering::SeqCst);
            thread::yield_now();
            at_a_time.now.fetch_sub(1, Ordering::SeqCst);
        }
        self.ran.fetch_add(1, Ordering::SeqCst);
    }

    fn give_up(self: Box<Self>, _why: Errno) {}
}

/// Whoever comes while another starts the pool has it as late: when every thread has begun.
#[test]
fn nobody_has_the_pool_before_its_threads_have_begun() {
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

/// As when none could be started at first: the first job starts one, and is not queued before it has begun.
#[test]
fn a_thread_that_starts_late_has_begun_before_its_job_is_queued() {
    shuttle::check_random(
        || {
            let pool = Pool::start(0);
            assert_eq!(pool.lock().threads, 0);
            let ran = Arc::new(AtomicU64::new(0));
            pool.submit(Box::new(Counted { ran: ran.clone(), at_a_time: None }), Class::Fast);
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
            struct Told(Arc<(Mutex<u32>, Condvar)>);
            impl Job for Told {
                fn run(self: Box<Self>) {
                    *self.0.0.lock().unwrap() += 1;
                    self.0.1.notify_one();
                }
                fn give_up(self: Box<Self>, _why: Errno) {}
            }
            for n in 0..all {
                let class = if n % 2 == 0 { Class::Fast } else { Class::Slow };
                pool.submit(Box::new(Told(done.clone())), class);
            }
            // Not closed yet: nobody is woken but by what was submitted.
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
                    pool.submit(Box::new(Counted { ran: ran.clone(), at_a_time: None }), class)
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
fn no_more_slow_jobs_run_at_a_time_than_may() {
    shuttle::check_random(
        || {
            let pool = Pool::start(3);
            let (ran, slow) = (Arc::new(AtomicU64::new(0)), Arc::new(AtTime::default()));
            for n in 0..6 {
                let (class, at_a_time) =
                    if n % 3 < 2 { (Class::Slow, Some(slow.clone())) } else { (Class::Fast, None) };
                pool.submit(Box::new(Counted { ran: ran.clone(), at_a_time }), class);
            }
            pool.close();
            while ran.load(Ordering::SeqCst) < 6 {
                thread::yield_now();
            }
            assert!(slow.most.load(Ordering::SeqCst) <= 2);
        },
        SCHEDULES,
    );
}

/// Slow jobs fill their half and stay; a fast one gets through all the same.
#[test]
fn slow_jobs_leave_a_thread_for_fast_ones() {
    shuttle::check_random(
        || {
            let pool = Pool::start(2);
            let gate = Arc::new((Mutex::new(false), Condvar::new()));
            struct Stays(Arc<(Mutex<bool>, Condvar)>);
            struct Opens(Arc<(Mutex<bool>, Condvar)>);
            impl Job for Stays {
                fn run(self: Box<Self>) {
                    let mut open = self.0.0.lock().unwrap();
                    while !*open {
                        open = self.0.1.wait(open).unwrap();
                    }
                }
                fn give_up(self: Box<Self>, _why: Errno) {}
            }
            impl Job for Opens {
                fn run(self: Box<Self>) {
                    *self.0.0.lock().unwrap() = true;
                    self.0.1.notify_all();
                }
                fn give_up(self: Box<Self>, _why: Errno) {}
            }
            for _ in 0..2 {
                pool.submit(Box::new(Stays(gate.clone())), Class::Slow);
            }
            pool.submit(Box::new(Opens(gate.clone())), Class::Fast);
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
