//! Tests of signal delivery: they send real signals to this process.
#![allow(unsafe_code)]

use super::*;
use std::time::{Duration, Instant};

/// Signal dispositions belong to the process, so the tests that change them hold this lock.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sends a signal to this thread: the handler has run when `raise(3)` returns.
fn raise(signum: i32) {
    // SAFETY: no memory is involved.
    assert_eq!(unsafe { libc::raise(signum) }, 0);
}

fn disposition(signum: i32) -> libc::sigaction {
    // SAFETY: only reads the disposition.
    unsafe {
        let mut action = std::mem::zeroed();
        assert_eq!(libc::sigaction(signum, std::ptr::null(), &mut action), 0);
        action
    }
}

fn numbers(receiver: &Receiver) -> Vec<i32> {
    let mut numbers = Vec::new();
    let count = receiver.read(&mut numbers).unwrap();
    assert_eq!(count, numbers.len());
    numbers
}

#[test]
fn each_receiver_gets_its_signals_in_order() {
    let _alone = alone();
    let (mut one, mut two) = (Receiver::new().unwrap(), Receiver::new().unwrap());
    one.watch(libc::SIGUSR1, false).unwrap();
    one.watch(libc::SIGUSR2, false).unwrap();
    two.watch(libc::SIGUSR2, false).unwrap();
    for signum in [libc::SIGUSR2, libc::SIGUSR1, libc::SIGUSR2] {
        raise(signum);
    }
    assert_eq!(numbers(&one), [libc::SIGUSR2, libc::SIGUSR1, libc::SIGUSR2]);
    assert_eq!(numbers(&two), [libc::SIGUSR2, libc::SIGUSR2]);
    assert_eq!(numbers(&two), []);
}

#[test]
fn a_signal_to_the_process_makes_the_descriptor_readable() {
    let _alone = alone();
    let mut receiver = Receiver::new().unwrap();
    receiver.watch(libc::SIGWINCH, false).unwrap();
    // SAFETY: no memory is involved.
    assert_eq!(unsafe { libc::kill(libc::getpid(), libc::SIGWINCH) }, 0);
    let limit = Instant::now() + Duration::from_secs(10);
    let mut seen = Vec::new();
    while seen.is_empty() && Instant::now() < limit {
        let mut poll = [rustix::event::PollFd::new(&receiver.read_end, rustix::event::PollFlags::IN)];
        let second = rustix::event::Timespec { tv_sec: 1, tv_nsec: 0 };
        let _ = rustix::event::poll(&mut poll, Some(&second));
        receiver.read(&mut seen).unwrap();
    }
    assert_eq!(seen, [libc::SIGWINCH]);
}

#[test]
fn watches_are_counted_and_the_disposition_is_restored() {
    let _alone = alone();
    extern "C" fn mine(_: libc::c_int) {}
    let handler: extern "C" fn(libc::c_int) = mine;
    // SAFETY: the handler does nothing.
    let before = unsafe { libc::signal(libc::SIGUSR1, handler as libc::sighandler_t) };
    let mut receiver = Receiver::new().unwrap();
    receiver.watch(libc::SIGUSR1, false).unwrap();
    receiver.watch(libc::SIGUSR1, false).unwrap();
    receiver.unwatch(libc::SIGUSR1, false).unwrap();
    assert_eq!(receiver.unwatch(libc::SIGUSR1, true), Err(Errno::EINVAL), "never watched as one-shot");
    raise(libc::SIGUSR1);
    assert_eq!(numbers(&receiver), [libc::SIGUSR1]);
    receiver.unwatch(libc::SIGUSR1, false).unwrap();
    assert_eq!(disposition(libc::SIGUSR1).sa_sigaction, handler as libc::sighandler_t);
    raise(libc::SIGUSR1);
    assert_eq!(numbers(&receiver), []);
    assert_eq!(receiver.unwatch(libc::SIGUSR1, false), Err(Errno::EINVAL));
    // SAFETY: restores the disposition that was there before.
    unsafe { libc::signal(libc::SIGUSR1, before) };
}

#[test]
fn dropping_ends_the_watches() {
    let _alone = alone();
    let before = disposition(libc::SIGUSR2).sa_sigaction;
    let mut receiver = Receiver::new().unwrap();
    receiver.watch(libc::SIGUSR2, false).unwrap();
    receiver.watch(libc::SIGUSR2, true).unwrap();
    assert_ne!(disposition(libc::SIGUSR2).sa_sigaction, before);
    drop(receiver);
    assert_eq!(disposition(libc::SIGUSR2).sa_sigaction, before);
}

#[test]
fn one_shots_alone_reset_the_handler() {
    let _alone = alone();
    // The default of SIGWINCH is to be ignored, so a second one is harmless.
    let before = disposition(libc::SIGWINCH).sa_sigaction;
    let mut receiver = Receiver::new().unwrap();
    receiver.watch(libc::SIGWINCH, true).unwrap();
    raise(libc::SIGWINCH);
    raise(libc::SIGWINCH);
    assert_eq!(numbers(&receiver), [libc::SIGWINCH]);
    receiver.watch(libc::SIGWINCH, true).unwrap();
    raise(libc::SIGWINCH);
    assert_eq!(numbers(&receiver), [libc::SIGWINCH], "a new one-shot watch installs the handler again");

    receiver.watch(libc::SIGWINCH, false).unwrap();
    assert_eq!(disposition(libc::SIGWINCH).sa_flags & libc::SA_RESETHAND, 0);
    raise(libc::SIGWINCH);
    raise(libc::SIGWINCH);
    assert_eq!(numbers(&receiver), [libc::SIGWINCH, libc::SIGWINCH], "one persistent watcher keeps the handler");
    receiver.unwatch(libc::SIGWINCH, false).unwrap();
    assert_ne!(disposition(libc::SIGWINCH).sa_flags & libc::SA_RESETHAND, 0);
    receiver.unwatch(libc::SIGWINCH, true).unwrap();
    receiver.unwatch(libc::SIGWINCH, true).unwrap();
    assert_eq!(disposition(libc::SIGWINCH).sa_sigaction, before);
}

#[test]
fn signals_that_cannot_be_caught_are_refused() {
    let mut receiver = Receiver::new().unwrap();
    for signum in [0, -1, 65, i32::MAX, i32::MIN, libc::SIGKILL, libc::SIGSTOP] {
        assert_eq!(receiver.watch(signum, false), Err(Errno::EINVAL), "{signum}");
    }
    assert_eq!(receiver.node.wanted.load(SeqCst), 0);
}

#[test]
fn the_handler_preserves_errno_and_a_full_pipe_drops_signals() {
    let _alone = alone();
    let mut receiver = Receiver::new().unwrap();
    receiver.watch(libc::SIGUSR1, false).unwrap();
    for _ in 0..70_000 {
        raise(libc::SIGUSR1);
    }
    // SAFETY: this thread's errno.
    unsafe { *libc::__errno_location() = 1234 };
    // The pipe is full, so `write` in the handler fails and sets errno.
    raise(libc::SIGUSR1);
    // SAFETY: this thread's `errno`.
    assert_eq!(unsafe { *libc::__errno_location() }, 1234);
    assert_eq!(numbers(&receiver).len(), 65_536);
}

#[test]
fn receivers_are_created_and_dropped_under_concurrent_signals() {
    let _alone = alone();
    const THREADS: usize = 4;
    const EACH: usize = 2_500;
    let mut witness = Receiver::new().unwrap();
    witness.watch(libc::SIGUSR1, false).unwrap();
    let storm = AtomicUsize::new(THREADS);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                (0..EACH).for_each(|_| raise(libc::SIGUSR1));
                storm.fetch_sub(1, SeqCst);
            });
        }
        for _ in 0..2 {
            scope.spawn(|| {
                while storm.load(SeqCst) > 0 {
                    let mut receiver = Receiver::new().unwrap();
                    receiver.watch(libc::SIGUSR1, false).unwrap();
                    drop(receiver);
                    // This pipe gets the descriptor numbers that were just closed: the handler must never write to it.
                    let (innocent, _writer) = pipe_with(PipeFlags::NONBLOCK | PipeFlags::CLOEXEC).unwrap();
                    std::thread::yield_now();
                    assert_eq!(rustix::io::read(&innocent, &mut [0; 8]), Err(rustix::io::Errno::AGAIN));
                }
            });
        }
    });
    assert_eq!(numbers(&witness), vec![libc::SIGUSR1; THREADS * EACH]);
}

#[test]
fn nodes_are_reused() {
    let _alone = alone();
    let count = || {
        // SAFETY: null or leaked nodes.
        std::iter::successors(unsafe { NODES.load(SeqCst).as_ref() }, |node| unsafe { node.next.as_ref() }).count()
    };
    drop(Receiver::new().unwrap());
    let before = count();
    (0..100).for_each(|_| drop(Receiver::new().unwrap()));
    // Concurrent tests that do not hold the lock may add a node each.
    assert!(count() <= before + 5, "{} nodes after {before}", count());
}

#[test]
fn a_receiver_takes_a_signal_from_a_stored_function_while_it_watches() {
    static CALLED: AtomicUsize = AtomicUsize::new(0);
    let _alone = alone();
    // SAFETY: the function only counts.
    unsafe { call_on(libc::SIGTTIN, || _ = CALLED.fetch_add(1, SeqCst)) }.unwrap();
    raise(libc::SIGTTIN);
    assert_eq!(CALLED.load(SeqCst), 1);
    let mut receiver = Receiver::new().unwrap();
    receiver.watch(libc::SIGTTIN, false).unwrap();
    raise(libc::SIGTTIN);
    assert_eq!((numbers(&receiver), CALLED.load(SeqCst)), (vec![libc::SIGTTIN], 1));
    receiver.unwatch(libc::SIGTTIN, false).unwrap();
    raise(libc::SIGTTIN);
    assert_eq!(CALLED.load(SeqCst), 2);
    // SAFETY: the function is never called.
    assert_eq!(unsafe { call_on(0, || ()) }, Err(Errno::EINVAL));
}
