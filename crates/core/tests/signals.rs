//! Tests of signal handles, with real signals. A signal belongs to the whole process, so these tests run one at a time.

use std::sync::{Mutex, MutexGuard, PoisonError};

use phasor_core::{Errno, Event, Face, HandleId, Loop, RunMode, kill};
use phasor_sys::signal::Receiver;

const SIGUSR1: i32 = 10;
const SIGUSR2: i32 = 12;
const SIGKILL: i32 = 9;

/// A test fails if an expected event does not come within this time.
const LIMIT_MS: u64 = 10_000;

struct Names;

impl Face for Names {
    type Handle = &'static str;
    type Request = ();
    type Bytes = Vec<u8>;
}

/// Locks out the other tests of this file.
///
/// The kernel may deliver a signal on any thread, so it can arrive after the test that raised it has stopped all
/// handles. The default disposition would then kill the process: a permanent receiver watches both signals from the
/// first test on.
fn exclusive() -> MutexGuard<'static, Option<Receiver>> {
    static EXCLUSIVE: Mutex<Option<Receiver>> = Mutex::new(None);
    let mut exclusive = EXCLUSIVE.lock().unwrap_or_else(PoisonError::into_inner);
    let permanent = exclusive.get_or_insert_with(|| {
        let mut permanent = Receiver::new().unwrap();
        permanent.watch(SIGUSR1, false).unwrap();
        permanent.watch(SIGUSR2, false).unwrap();
        permanent
    });
    permanent.read(&mut Vec::new()).unwrap();
    exclusive
}

fn raise(signum: i32) {
    kill(std::process::id() as i32, signum).unwrap();
}

/// A loop with an unreferenced timer that fails a test which would wait for ever.
fn test_loop() -> Loop<Names> {
    let mut core = Loop::new().unwrap();
    let limit = core.timer_open("limit");
    core.timer_start(limit, LIMIT_MS, 0).unwrap();
    core.set_ref(limit, false).unwrap();
    core
}

fn started(core: &mut Loop<Names>, name: &'static str, signum: i32) -> HandleId {
    let id = core.signal_open(name);
    core.signal_start(id, signum).unwrap();
    id
}

/// The next signal and the name of its handle.
fn next_signal(core: &mut Loop<Names>) -> Option<(&'static str, i32)> {
    while let Some(event) = core.next(RunMode::Default) {
        match event {
            Event::Signal(id, signum) => return Some((*core.face(id).unwrap(), signum)),
            Event::Timer(_) => panic!("timed out"),
            _ => {}
        }
    }
    None
}

#[test]
fn every_handle_receives_every_delivery_in_start_order() {
    let _exclusive = exclusive();
    let mut core = test_loop();
    let once = core.signal_open("once");
    core.signal_start_oneshot(once, SIGUSR1).unwrap();
    started(&mut core, "a", SIGUSR1);
    started(&mut core, "other", SIGUSR2);
    started(&mut core, "b", SIGUSR1);
    raise(SIGUSR1);
    let received: Vec<_> = (0..3).map(|_| next_signal(&mut core).unwrap()).collect();
    assert_eq!(received, [("a", SIGUSR1), ("b", SIGUSR1), ("once", SIGUSR1)]);
    raise(SIGUSR1);
    let received: Vec<_> = (0..2).map(|_| next_signal(&mut core).unwrap()).collect();
    assert_eq!(received, [("a", SIGUSR1), ("b", SIGUSR1)]);
    assert!(!core.is_active(once));
}

#[test]
fn a_oneshot_handle_is_active_in_its_callback_and_stopped_after_it() {
    let _exclusive = exclusive();
    let mut core = test_loop();
    let id = core.signal_open("once");
    core.signal_start_oneshot(id, SIGUSR1).unwrap();
    raise(SIGUSR1);
    assert_eq!(next_signal(&mut core), Some(("once", SIGUSR1)));
    assert!(core.is_active(id));
    assert_eq!(next_signal(&mut core), None, "nothing keeps the loop alive");
    assert_eq!((core.is_active(id), core.signal_number(id)), (false, Ok(0)));
    core.signal_start_oneshot(id, SIGUSR1).unwrap();
    raise(SIGUSR1);
    assert_eq!(next_signal(&mut core), Some(("once", SIGUSR1)));
}

#[test]
fn a_started_handle_switches_to_another_signal() {
    let _exclusive = exclusive();
    let mut core = test_loop();
    let guard = started(&mut core, "guard", SIGUSR1);
    let id = started(&mut core, "id", SIGUSR1);
    core.signal_start(id, SIGUSR2).unwrap();
    assert_eq!(core.signal_number(id), Ok(SIGUSR2));
    raise(SIGUSR1);
    assert_eq!(next_signal(&mut core), Some(("guard", SIGUSR1)));
    raise(SIGUSR2);
    assert_eq!(next_signal(&mut core), Some(("id", SIGUSR2)));
    core.signal_stop(id).unwrap();
    core.signal_stop(id).unwrap();
    core.close(guard).unwrap();
    assert_eq!(next_signal(&mut core), None);
}

#[test]
fn invalid_signal_numbers_are_refused() {
    let _exclusive = exclusive();
    let mut core = test_loop();
    let id = started(&mut core, "id", SIGUSR1);
    assert_eq!(core.signal_start(id, 0), Err(Errno::EINVAL));
    assert!(core.is_active(id), "0 is refused before the handle is stopped");
    for signum in [-1, 65, SIGKILL] {
        assert_eq!(core.signal_start(id, signum), Err(Errno::EINVAL));
    }
    assert!(!core.is_active(id));
    core.close(id).unwrap();
    assert_eq!(core.signal_start(id, SIGUSR1), Err(Errno::EINVAL));
    let timer = core.timer_open("timer");
    assert_eq!(core.signal_start(timer, SIGUSR1), Err(Errno::EBADF));
}

#[test]
fn stops_and_starts_in_a_callback_apply_to_the_current_delivery() {
    let _exclusive = exclusive();
    let mut core = test_loop();
    let first = started(&mut core, "first", SIGUSR1);
    let second = started(&mut core, "second", SIGUSR1);
    raise(SIGUSR1);
    raise(SIGUSR1);
    assert_eq!(next_signal(&mut core), Some(("first", SIGUSR1)));
    core.signal_stop(second).unwrap();
    let late = started(&mut core, "late", SIGUSR1);
    // The two deliveries may have been merged, or the second one may be read in a later turn; `second` receives
    // neither.
    core.signal_stop(late).unwrap();
    core.signal_stop(first).unwrap();
    assert_eq!(next_signal(&mut core), None);
}

#[test]
fn signals_come_after_everything_else_that_was_ready() {
    let _exclusive = exclusive();
    let mut core = test_loop();
    started(&mut core, "signal", SIGUSR1);
    let (_, sender) = core.async_open("async");
    raise(SIGUSR1);
    sender.send();
    let mut order = Vec::new();
    while order.len() < 2 {
        match core.next(RunMode::Default).unwrap() {
            Event::Timer(_) => panic!("timed out: {order:?}"),
            other => order.push(other.handle().and_then(|id| core.face(id)).copied().unwrap()),
        }
    }
    assert_eq!(order, ["async", "signal"]);
}

#[test]
fn two_loops_on_two_threads_receive_one_signal() {
    let _exclusive = exclusive();
    let (ready, is_ready) = std::sync::mpsc::channel();
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let ready = ready.clone();
            std::thread::spawn(move || {
                let mut core = test_loop();
                started(&mut core, "id", SIGUSR2);
                ready.send(()).unwrap();
                next_signal(&mut core)
            })
        })
        .collect();
    (0..2).for_each(|_| is_ready.recv().unwrap());
    raise(SIGUSR2);
    for thread in threads {
        assert_eq!(thread.join().unwrap(), Some(("id", SIGUSR2)));
    }
}

#[test]
fn the_last_of_many_signals_is_delivered() {
    let _exclusive = exclusive();
    let mut core = test_loop();
    let ids: Vec<_> = (0..50).map(|_| started(&mut core, "many", SIGUSR1)).collect();
    let end = started(&mut core, "end", SIGUSR2);
    let sender = std::thread::spawn(|| {
        for _ in 0..5_000 {
            raise(SIGUSR1);
        }
        raise(SIGUSR2);
    });
    // Of two signals that are pending for a thread the kernel runs the handler of the later one first.
    let (mut received, mut has_ended) = (0, false);
    while !has_ended || received == 0 || received % 50 != 0 {
        match next_signal(&mut core).unwrap().0 {
            "many" => received += 1,
            _ => has_ended = true,
        }
    }
    sender.join().unwrap();
    for id in ids.into_iter().chain([end]) {
        core.close(id).unwrap();
    }
    while next_signal(&mut core).is_some() {}
    assert!(!core.is_alive());
}

/// Raises a signal and waits until every receiver has it: the permanent receiver was registered first and is written to
/// last.
fn deliver(permanent: &Option<Receiver>, signum: i32) {
    raise(signum);
    let began = std::time::Instant::now();
    while permanent.as_ref().unwrap().read(&mut Vec::new()).unwrap() == 0 {
        assert!(began.elapsed().as_millis() < LIMIT_MS.into());
        std::thread::yield_now();
    }
}

#[test]
fn a_handle_receives_only_signals_raised_while_it_was_started() {
    let permanent = exclusive();
    let mut core = test_loop();
    let (early, again) = (started(&mut core, "early", SIGUSR1), started(&mut core, "again", SIGUSR1));
    deliver(&permanent, SIGUSR1);
    // `again`, stopped and restarted, is still a recipient; `late` is not.
    core.signal_stop(again).unwrap();
    core.signal_start(again, SIGUSR1).unwrap();
    let late = started(&mut core, "late", SIGUSR1);
    assert_eq!(core.backend_timeout_ms(), Some(0));
    assert_eq!(next_signal(&mut core), Some(("early", SIGUSR1)));
    assert_eq!(next_signal(&mut core), Some(("again", SIGUSR1)));
    // A signal that is delivered while `again` is stopped is not for it.
    core.signal_stop(again).unwrap();
    deliver(&permanent, SIGUSR1);
    core.signal_start(again, SIGUSR1).unwrap();
    assert_eq!(next_signal(&mut core), Some(("early", SIGUSR1)));
    assert_eq!(next_signal(&mut core), Some(("late", SIGUSR1)));
    for id in [early, again, late] {
        core.close(id).unwrap();
    }
    assert_eq!(next_signal(&mut core), None);
}

#[test]
fn a_handle_that_restarts_itself_misses_no_signal() {
    let permanent = exclusive();
    let mut core = test_loop();
    let (first, second) = (started(&mut core, "first", SIGUSR1), started(&mut core, "second", SIGUSR1));
    for _ in 0..4 {
        deliver(&permanent, SIGUSR1);
    }
    for _ in 0..4 {
        for name in ["first", "second"] {
            assert_eq!(next_signal(&mut core), Some((name, SIGUSR1)));
            for id in [first, second] {
                core.signal_stop(id).unwrap();
                core.signal_start(id, SIGUSR1).unwrap();
            }
        }
    }
    core.close(first).unwrap();
    core.close(second).unwrap();
    assert_eq!(next_signal(&mut core), None);
}

#[test]
fn a_callback_that_raises_the_signal_does_not_extend_the_phase() {
    let permanent = exclusive();
    let mut core = test_loop();
    let id = started(&mut core, "signal", SIGUSR1);
    deliver(&permanent, SIGUSR1);
    for _ in 0..3 {
        assert!(matches!(core.next(RunMode::NoWait), Some(Event::Signal(..))));
        deliver(&permanent, SIGUSR1);
        core.signal_stop(id).unwrap();
        core.signal_start(id, SIGUSR1).unwrap();
        assert!(core.next(RunMode::NoWait).is_none(), "raised signals wait for the next turn");
    }
}
