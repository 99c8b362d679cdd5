//! Tests of the pool with real threads. Each test has its own pool, so they do not wait for each other.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use super::*;

/// Long enough for any machine: a test that waits this long has failed.
const LIMIT: Duration = Duration::from_secs(60);

/// A job made from a closure.
struct Call<W>(W);

impl<W: FnOnce() + Send> Job for Call<W> {
    fn run(self: Box<Self>) {
        (self.0)();
    }

    fn give_up(self: Box<Self>, _why: Errno) {}
}

/// A pool that is closed with its test.
struct Guard(Arc<Pool>);

impl Guard {
    fn new(size: usize) -> Guard {
        Guard(Pool::start(size))
    }

    fn call(&self, class: Class, work: impl FnOnce() + Send + 'static) -> Ticket {
        self.0.submit(Box::new(Call(work)), class)
    }

    /// Submits a job that signals its start, and ends when the sender is used or dropped.
    fn hold(&self, class: Class) -> (Receiver<()>, Sender<()>) {
        let (started, begins) = channel();
        let (end, ends) = channel::<()>();
        self.call(class, move || {
            let _ = started.send(());
            let _ = ends.recv();
        });
        (begins, end)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.close();
    }
}

fn count(ran: &AtomicUsize) {
    ran.fetch_add(1, Ordering::SeqCst);
}

#[test]
fn the_size_is_read_as_libuv_reads_it() {
    let cases: [(&str, usize); 17] = [
        ("8", 8),
        ("1", 1),
        ("1024", 1024),
        ("1025", 1024),
        ("0", 1),
        ("", 1),
        ("many", 1),
        (" \t7", 7),
        ("+5", 5),
        ("12 threads", 12),
        ("3.9", 3),
        ("-1", 1024),
        ("--1", 1),
        ("4294967296", 1),
        ("4294967299", 3),
        ("000000000000009", 9),
        ("0000000000000009", DEFAULT_THREADS),
    ];
    for (value, threads) in cases {
        assert_eq!(size(Some(OsStr::new(value))), threads, "{value:?}");
    }
    assert_eq!(size(Some(OsStr::from_bytes(b"6\xff"))), 6);
    assert_eq!(size(None), DEFAULT_THREADS);
}

#[test]
fn one_thread_runs_jobs_in_order() {
    let pool = Guard::new(1);
    let (sender, receiver) = channel();
    for n in 0..1000 {
        let sender = sender.clone();
        pool.call(Class::Fast, move || sender.send(n).unwrap());
    }
    let order: Vec<i32> = (0..1000).map(|_| receiver.recv_timeout(LIMIT).unwrap()).collect();
    assert_eq!(order, (0..1000).collect::<Vec<_>>());
}

#[test]
fn half_of_the_threads_are_reserved_for_fast_jobs() {
    for threads in [1, 2, 3, 4, 5] {
        let pool = Guard::new(threads);
        let cap = threads.div_ceil(2);
        let held: Vec<_> = (0..threads + 3).map(|_| pool.hold(Class::Slow)).collect();
        for (begins, _) in &held[..cap] {
            begins.recv_timeout(LIMIT).unwrap();
        }
        // With one thread no thread is reserved; with more, fast jobs overtake the waiting slow ones.
        if threads > 1 {
            let (sender, receiver) = channel();
            for n in 0..100 {
                let sender = sender.clone();
                pool.call(Class::Fast, move || sender.send(n).unwrap());
            }
            assert!((0..100).all(|_| receiver.recv_timeout(LIMIT).is_ok()));
        }
        assert!(held[cap..].iter().all(|(begins, _)| begins.try_recv().is_err()), "{threads} threads");
        // Each slow job that finishes lets another slow job start.
        for n in 0..held.len() {
            held[n].1.send(()).unwrap();
            if let Some((begins, _)) = held.get(n + cap) {
                begins.recv_timeout(LIMIT).unwrap();
            }
        }
    }
}

#[test]
fn fast_jobs_use_all_threads() {
    let pool = Guard::new(4);
    let held: Vec<_> = (0..4).map(|_| pool.hold(Class::Fast)).collect();
    held.iter().for_each(|(begins, _)| begins.recv_timeout(LIMIT).unwrap());
}

#[test]
fn only_jobs_that_have_not_begun_are_taken_back() {
    let pool = Guard::new(1);
    let (begins, end) = pool.hold(Class::Fast);
    begins.recv_timeout(LIMIT).unwrap();
    let ran = Arc::new(AtomicUsize::new(0));
    let tickets: Vec<_> = (0..100)
        .map(|n| {
            let ran = ran.clone();
            let class = if n % 3 == 0 { Class::Slow } else { Class::Fast };
            pool.call(class, move || count(&ran))
        })
        .collect();
    for ticket in &tickets[..60] {
        assert!(pool.0.take_back(*ticket).is_some());
        assert!(pool.0.take_back(*ticket).is_none());
    }
    end.send(()).unwrap();
    let (sender, receiver) = channel();
    pool.call(Class::Slow, move || sender.send(()).unwrap());
    receiver.recv_timeout(LIMIT).unwrap();
    assert_eq!(ran.load(Ordering::SeqCst), 40);
    assert!(tickets.iter().all(|&ticket| pool.0.take_back(ticket).is_none()));
}

#[test]
fn a_ticket_of_another_process_is_refused() {
    let pool = Guard::new(1);
    let (begins, _end) = pool.hold(Class::Fast);
    begins.recv_timeout(LIMIT).unwrap();
    let ticket = pool.call(Class::Fast, || {});
    assert!(pool.0.take_back(Ticket { generation: ticket.generation + 1, ..ticket }).is_none());
    assert!(pool.0.take_back(ticket).is_some());
}

#[test]
fn a_job_for_the_spinning_thread_wakes_no_other_thread() {
    let mut state = PoolState { threads: 3, idle: 2, has_spinner: true, ..PoolState::new(0) };
    let mut woken = Vec::new();
    for _ in 0..3 {
        state.queue.push(Box::new(Call(|| {})), Class::Fast);
        woken.push(state.reserve_wake());
    }
    // The spinning thread takes the first job. The second job needs a wake. For the third job, MAX_WAKING threads are
    // already waking.
    assert_eq!(woken, [false, true, false]);
    state.has_spinner = false;
    assert!(state.reserve_wake(), "without a spinning thread a wake is needed");
}

#[test]
fn a_job_that_panics_leaves_its_thread_alive() {
    let pool = Guard::new(1);
    for _ in 0..3 {
        pool.call(Class::Slow, || std::panic::resume_unwind(Box::new("on purpose")));
    }
    let (sender, receiver) = channel();
    pool.call(Class::Slow, move || sender.send(()).unwrap());
    receiver.recv_timeout(LIMIT).unwrap();
}

#[test]
fn thread_names_fit_the_kernel_limit() {
    let pool = Guard::new(2);
    let (sender, receiver) = channel();
    pool.call(Class::Fast, move || {
        let name = thread::current().name().map(str::to_owned);
        sender.send((name, std::fs::read_to_string("/proc/thread-self/comm").unwrap())).unwrap();
    });
    let (name, comm) = receiver.recv_timeout(LIMIT).unwrap();
    assert_eq!(name.as_deref(), Some("libuv-worker"));
    assert_eq!(name.as_deref(), Some(comm.trim_end()));
}

#[test]
fn jobs_submitted_by_several_threads_are_all_run() {
    let pool = Guard::new(3);
    let ran = Arc::new(AtomicUsize::new(0));
    let taken = AtomicUsize::new(0);
    thread::scope(|scope| {
        for thread_number in 0..4 {
            let (pool, ran, taken) = (&pool, &ran, &taken);
            scope.spawn(move || {
                for n in 0..5_000 {
                    let ran = ran.clone();
                    let class = if (n + thread_number) % 5 == 0 { Class::Slow } else { Class::Fast };
                    let ticket = pool.call(class, move || count(&ran));
                    if n % 7 == 0 && pool.0.take_back(ticket).is_some() {
                        taken.fetch_add(1, Ordering::SeqCst);
                    }
                }
            });
        }
    });
    let end = std::time::Instant::now() + LIMIT;
    while ran.load(Ordering::SeqCst) + taken.load(Ordering::SeqCst) < 20_000 {
        assert!(std::time::Instant::now() < end, "{ran:?} ran, {taken:?} were taken back");
        thread::yield_now();
    }
    assert_eq!(ran.load(Ordering::SeqCst) + taken.load(Ordering::SeqCst), 20_000);
}

#[test]
fn submit_starts_a_thread_if_the_pool_has_none() {
    let pool = Guard::new(0);
    let (sender, receiver) = channel();
    pool.call(Class::Slow, move || sender.send(()).unwrap());
    receiver.recv_timeout(LIMIT).unwrap();
    assert_eq!(pool.0.lock().threads, 1);
}

#[test]
fn start_returns_when_all_threads_run() {
    for _ in 0..100 {
        let pool = Guard::new(4);
        assert_eq!(pool.0.lock().running, 4);
    }
}

#[test]
fn a_closed_pool_runs_its_queue_and_then_its_threads_end() {
    let pool = Pool::start(2);
    let ran = Arc::new(AtomicUsize::new(0));
    for _ in 0..100 {
        let ran = ran.clone();
        pool.submit(Box::new(Call(move || count(&ran))), Class::Fast);
    }
    pool.close();
    assert!(!pool.is_usable());
    pool.join();
    assert_eq!(ran.load(Ordering::SeqCst), 100);
    assert_eq!(Arc::strong_count(&pool), 1, "the threads have ended");
}
