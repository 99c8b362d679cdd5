//! Tests of requests on the process's pool: cancellation, order, large numbers, dropped loops, and failing thread
//! creation. Tests that occupy all threads run one at a time.

use std::process::Command;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Barrier, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use phasor_core::dns::{Hints, NameFlags, Query};
use phasor_core::{
    Class, Errno, Event, Face, FsDone, FsOp, Loop, Outcome, Reason, RequestId, RequestKind, RunMode, WorkFailure,
    fs_path,
};

/// Long enough for any machine: a test that waits this long has failed.
const LIMIT: Duration = Duration::from_secs(60);

/// The default size of the pool.
const THREADS: usize = 4;

struct Plain;

impl Face for Plain {
    type Handle = ();
    type Request = usize;
    type Bytes = Vec<u8>;
}

fn core() -> Loop<Plain> {
    Loop::new().unwrap()
}

/// Runs the loop to its end and collects the outcomes.
fn outcomes(core: &mut Loop<Plain>) -> Vec<(usize, Outcome<Plain>)> {
    let mut all = Vec::new();
    while let Some(event) = core.next(RunMode::Default) {
        let Event::Done(name, outcome) = event else { panic!("unexpected event") };
        all.push((name, outcome));
    }
    all
}

/// Locks out other tests that need several threads at a time.
fn exclusive() -> MutexGuard<'static, ()> {
    static EXCLUSIVE: Mutex<()> = Mutex::new(());
    EXCLUSIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Occupies every thread of the pool until it is dropped. One test at a time can have it.
struct Busy {
    end: Vec<Sender<()>>,
    _exclusive: MutexGuard<'static, ()>,
}

impl Busy {
    fn new(core: &mut Loop<Plain>) -> Busy {
        assert!(std::env::var_os("UV_THREADPOOL_SIZE").is_none(), "these tests know the default size");
        let exclusive = exclusive();
        let (begun, begins) = channel();
        let end = (0..THREADS)
            .map(|_| {
                let (end, ends) = channel::<()>();
                let begun = begun.clone();
                core.work(
                    move || {
                        let _ = begun.send(());
                        let _ = ends.recv();
                    },
                    usize::MAX,
                );
                end
            })
            .collect();
        (0..THREADS).for_each(|_| begins.recv_timeout(LIMIT).unwrap());
        Busy { end, _exclusive: exclusive }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.end.clear();
    }
}

fn query(host: &str) -> Query {
    let hints = Hints { flags: Hints::NUMERICHOST, socktype: Hints::STREAM, ..Hints::default() };
    Query::new(Some(host.as_bytes()), None, Some(hints)).unwrap()
}

#[test]
fn every_kind_of_task_has_its_cancellation_error() {
    let mut core = core();
    let busy = Busy::new(&mut core);
    let address = "127.0.0.1:80".parse().unwrap();
    let ids: [RequestId; 7] = [
        core.work(|| panic!("was cancelled"), 0),
        core.fs(FsOp::Read { fd: 0, bytes: b"kept".to_vec(), offset: None }, 1),
        core.fs(FsOp::Stat { path: fs_path("/").unwrap() }, 2),
        core.getaddrinfo(query("127.0.0.1"), 3),
        core.getnameinfo(address, NameFlags::NUMERICHOST, 4),
        core.random(b"kept".to_vec(), 5).unwrap(),
        core.fs(FsOp::Opendir { path: fs_path("/").unwrap() }, 6),
    ];
    let kept = core.work(|| {}, 7);
    for id in ids {
        core.cancel(id).unwrap();
        assert_eq!(core.cancel(id), Ok(()), "cancelling again before the outcome is returned does nothing");
    }
    drop(busy);
    let done = outcomes(&mut core);
    assert_eq!(done.len(), 7 + THREADS + 1);
    // They were put into the mailbox before all other results, in the order of their cancellation.
    for (n, (name, outcome)) in done.into_iter().take(7).enumerate() {
        assert_eq!(name, n);
        match outcome {
            Outcome::Work(Err(WorkFailure::NotBegun(Errno::ECANCELED))) => assert_eq!(n, 0),
            Outcome::Fs(FsDone { result: Err(Errno::ECANCELED), bytes, dir: None }) => match n {
                1 => assert_eq!(bytes.as_deref(), Some(&b"kept"[..])),
                _ => assert!([2, 6].contains(&n) && bytes.is_none()),
            },
            Outcome::Getaddrinfo(Err(Errno::EAI_CANCELED)) => assert_eq!(n, 3),
            Outcome::Getnameinfo(Err(Errno::EAI_CANCELED)) => assert_eq!(n, 4),
            Outcome::Random(Err(Errno::ECANCELED), bytes) => assert_eq!((n, &bytes[..]), (5, &b"kept"[..])),
            _ => panic!("{n} has another outcome"),
        }
    }
    assert_eq!(core.cancel(kept), Err(Errno::EBADF));
}

#[test]
fn work_as_reports_another_request_kind() {
    let mut core = core();
    let busy = Busy::new(&mut core);
    let ids = [
        core.work_as(RequestKind::Fs, Class::Fast, || panic!("was cancelled"), 0),
        core.work_as(RequestKind::Getaddrinfo, Class::Slow, || {}, 1),
    ];
    let notify = core.why_alive();
    assert!(notify.contains(&Reason::Request(ids[0], RequestKind::Fs)));
    assert!(notify.contains(&Reason::Request(ids[1], RequestKind::Getaddrinfo)));
    core.cancel(ids[0]).unwrap();
    drop(busy);
    let done = outcomes(&mut core);
    let of = |n| done.iter().find(|(name, _)| *name == n).map(|(_, outcome)| outcome);
    assert!(matches!(of(0), Some(Outcome::Work(Err(WorkFailure::NotBegun(Errno::ECANCELED))))));
    assert!(matches!(of(1), Some(Outcome::Work(Ok(())))));
}

#[test]
fn a_running_task_cannot_be_cancelled() {
    let mut core = core();
    let (begun, begins) = channel();
    let (end, ends) = channel::<()>();
    let id = core.work(
        move || {
            begun.send(()).unwrap();
            let _ = ends.recv();
        },
        1,
    );
    begins.recv_timeout(LIMIT).unwrap();
    assert_eq!(core.cancel(id), Err(Errno::EBUSY));
    assert_eq!(core.next(RunMode::NoWait).map(|_| ()), None);
    end.send(()).unwrap();
    assert!(matches!(outcomes(&mut core)[..], [(1, Outcome::Work(Ok(())))]));
}

/// The directory of a cancelled request is returned to the caller.
#[test]
fn a_cancelled_readdir_returns_its_directory() {
    let mut core = core();
    let open = || Box::new(phasor_core::file::opendir(&fs_path("/").unwrap()).unwrap());
    let busy = Busy::new(&mut core);
    for operation in [FsOp::Readdir { dir: open(), limit: 1 }, FsOp::Closedir { dir: open() }] {
        let id = core.fs(operation, 1);
        core.cancel(id).unwrap();
    }
    drop(busy);
    let back = outcomes(&mut core).into_iter().filter(|(_, outcome)| {
        matches!(outcome, Outcome::Fs(FsDone { dir: Some(_), result: Err(Errno::ECANCELED), .. }))
    });
    assert_eq!(back.count(), 2);
}

#[test]
fn results_come_in_the_order_they_were_finished() {
    let _exclusive = exclusive();
    let mut core = core();
    let (first, second) = (Arc::new(Barrier::new(2)), Arc::new(Barrier::new(2)));
    for (n, barrier) in [(1, first.clone()), (2, second.clone())] {
        let wait = move || {
            barrier.wait();
        };
        core.work(wait, n);
    }
    second.wait();
    let early = core.next(RunMode::Default);
    assert!(matches!(early, Some(Event::Done(2, Outcome::Work(Ok(()))))));
    first.wait();
    assert!(matches!(outcomes(&mut core)[..], [(1, Outcome::Work(Ok(())))]));
}

#[test]
fn getaddrinfo_and_getnameinfo_resolve_localhost() {
    let mut core = core();
    core.getaddrinfo(query("127.0.0.1"), 1);
    core.getaddrinfo(query("not-a-number"), 2);
    core.getnameinfo("[::1]:8080".parse().unwrap(), NameFlags::NUMERICHOST | NameFlags::NUMERICSERV, 3);
    let kinds: Vec<_> = core
        .why_alive()
        .into_iter()
        .map(|reason| match reason {
            Reason::Request(_, kind) => kind,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(kinds, [RequestKind::Getaddrinfo, RequestKind::Getaddrinfo, RequestKind::Getnameinfo]);
    let done = outcomes(&mut core);
    assert_eq!(done.len(), 3);
    for (name, outcome) in done {
        match (name, outcome) {
            (1, Outcome::Getaddrinfo(Ok(found))) => assert_eq!(found[0].address.to_string(), "127.0.0.1:0"),
            (2, Outcome::Getaddrinfo(Err(errno))) => assert_eq!(errno, Errno::EAI_NONAME),
            (3, Outcome::Getnameinfo(Ok(names))) => assert_eq!(names, ("::1".to_owned(), "8080".to_owned())),
            (name, _) => panic!("{name} has another outcome"),
        }
    }
}

#[test]
fn random_bytes_differ() {
    let mut core = core();
    core.random(vec![0; 10_000], 1).unwrap();
    core.random(vec![0; 10_000], 2).unwrap();
    core.random(Vec::new(), 3).unwrap();
    let mut filled: Vec<_> = outcomes(&mut core)
        .into_iter()
        .map(|(_, outcome)| match outcome {
            Outcome::Random(Ok(()), bytes) => bytes,
            _ => panic!("another outcome"),
        })
        .collect();
    filled.sort();
    filled.dedup();
    assert_eq!(filled.iter().map(Vec::len).collect::<Vec<_>>().iter().sum::<usize>(), 20_000);
    assert!(filled.iter().all(|bytes| bytes.is_empty() || bytes.iter().any(|&byte| byte != 0)));
}

#[test]
fn a_panic_is_reported_and_its_thread_survives() {
    let mut core = core();
    for n in 0..2 * THREADS {
        core.work(|| std::panic::resume_unwind(Box::new("on purpose")), n);
    }
    let done = outcomes(&mut core);
    assert_eq!(done.len(), 2 * THREADS);
    for (_, outcome) in done {
        let Outcome::Work(Err(failure)) = outcome else { panic!("no failure") };
        assert_eq!(failure.errno(), Errno::UNKNOWN);
        let WorkFailure::Panicked(payload) = failure else { panic!("not run") };
        assert_eq!(payload.downcast_ref(), Some(&"on purpose"));
    }
    core.work(|| {}, 0);
    assert!(matches!(outcomes(&mut core)[..], [(0, Outcome::Work(Ok(())))]));
}

#[test]
fn a_hundred_thousand_tasks_run_once_each() {
    const ALL: usize = 100_000;
    let mut core = core();
    let done = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let relaxed = std::sync::atomic::Ordering::Relaxed;
    for n in 0..ALL {
        let done = done.clone();
        core.work(
            move || {
                done.fetch_add(1, relaxed);
            },
            n,
        );
    }
    let mut seen = vec![false; ALL];
    for (n, _) in outcomes(&mut core) {
        assert!(!std::mem::replace(&mut seen[n], true));
    }
    assert_eq!((done.load(relaxed), seen.contains(&false)), (ALL, false));
}

#[test]
fn a_hundred_thousand_tasks_are_cancelled() {
    const ALL: usize = 100_000;
    let mut core = core();
    let busy = Busy::new(&mut core);
    let ids: Vec<_> = (0..ALL).map(|n| core.work(|| panic!("was cancelled"), n)).collect();
    ids.iter().rev().for_each(|&id| core.cancel(id).unwrap());
    drop(busy);
    let cancelled = outcomes(&mut core)
        .into_iter()
        .filter(|(_, outcome)| matches!(outcome, Outcome::Work(Err(WorkFailure::NotBegun(Errno::ECANCELED)))));
    assert_eq!(cancelled.count(), ALL);
}

/// Notifies a channel when it is dropped, on any thread.
struct NotifyOnDrop(Sender<()>);

impl Drop for NotifyOnDrop {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

#[test]
fn a_loop_can_be_dropped_while_its_work_runs() {
    let (begun, begins) = channel();
    let (end, ends) = channel::<()>();
    let (dropped, drops): (_, Receiver<()>) = channel();
    let notify = NotifyOnDrop(dropped);
    let mut core = core();
    core.work(
        move || {
            begun.send(()).unwrap();
            let _ = ends.recv();
            drop(notify);
        },
        1,
    );
    core.fs(FsOp::Stat { path: fs_path("/").unwrap() }, 2);
    begins.recv_timeout(LIMIT).unwrap();
    drop(core);
    end.send(()).unwrap();
    drops.recv_timeout(LIMIT).unwrap();
    // The pool still works.
    let mut core = self::core();
    core.work(|| {}, 3);
    assert_eq!(outcomes(&mut core).len(), 1);
}

/// Runs one of the tests below in a child process, which does the real work.
fn in_child(test: &str, size: Option<&str>) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([test, "--exact", "--nocapture", "--test-threads=1"]).env("PHASOR_TEST_CHILD", "1");
    match size {
        Some(size) => command.env("UV_THREADPOOL_SIZE", size),
        None => command.env_remove("UV_THREADPOOL_SIZE"),
    };
    let output = command.output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    assert!(output.status.success() && text.contains("1 passed"), "{size:?}: {text}");
}

fn is_child() -> bool {
    std::env::var_os("PHASOR_TEST_CHILD").is_some()
}

/// The number of pool threads of this process.
fn pool_threads() -> usize {
    let names = std::fs::read_dir("/proc/self/task").unwrap().filter_map(|entry| {
        // A thread may end between being listed and being read.
        std::fs::read_to_string(entry.ok()?.path().join("comm")).ok()
    });
    names.filter(|name| name.trim_end() == "libuv-worker").count()
}

/// Waits until the threads have set their names, which happens a moment after their start.
fn wait_for_threads(expected: usize) {
    let end = Instant::now() + LIMIT;
    while pool_threads() < expected {
        assert!(Instant::now() < end, "{} threads instead of {expected}", pool_threads());
        std::thread::yield_now();
    }
    assert_eq!(pool_threads(), expected);
}

#[test]
fn uv_threadpool_size_is_read_at_the_first_task() {
    if !is_child() {
        for size in [None, Some("1"), Some("2"), Some("7"), Some("nonsense"), Some("-3")] {
            in_child("uv_threadpool_size_is_read_at_the_first_task", size);
        }
        return;
    }
    let expected = match std::env::var("UV_THREADPOOL_SIZE").as_deref() {
        Err(_) => 4,
        Ok("nonsense") => 1,
        Ok("-3") => 1024,
        Ok(size) => size.parse().unwrap(),
    };
    let mut core = core();
    assert_eq!(pool_threads(), 0, "no thread before there is a task");
    core.work(|| {}, 0);
    wait_for_threads(expected);
    assert_eq!(outcomes(&mut core).len(), 1);
    let mut other = self::core();
    other.work(|| {}, 0);
    assert_eq!(outcomes(&mut other).len(), 1);
    assert_eq!(pool_threads(), expected, "one pool for all loops");
}

#[test]
fn tasks_fail_with_eagain_if_no_thread_can_start() {
    if !is_child() {
        return in_child("tasks_fail_with_eagain_if_no_thread_can_start", None);
    }
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let mut core = core();
    let before = getrlimit(Resource::As);
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let size_kb = status.lines().find_map(|line| line.strip_prefix("VmSize:")).unwrap();
    let size_kb: u64 = size_kb.trim().trim_end_matches(" kB").parse().unwrap();
    // Less than the stack of one pool thread.
    let tight = Rlimit { current: Some((size_kb + 4096) * 1024), maximum: before.maximum };
    setrlimit(Resource::As, tight).unwrap();
    let id = core.work(|| panic!("there is no thread to run it"), 1);
    core.fs(FsOp::Read { fd: 0, bytes: b"kept".to_vec(), offset: None }, 2);
    assert_eq!(core.cancel(id), Err(Errno::EBUSY));
    let done = outcomes(&mut core);
    setrlimit(Resource::As, before).unwrap();
    let [(1, Outcome::Work(Err(failure))), (2, Outcome::Fs(file))] = &done[..] else { panic!("another outcome") };
    assert_eq!((failure.errno(), file.result.as_ref().err()), (Errno::EAGAIN, Some(&Errno::EAGAIN)));
    assert_eq!(file.bytes.as_deref(), Some(&b"kept"[..]));
    // With enough memory a thread is started.
    core.work(|| {}, 3);
    assert!(matches!(outcomes(&mut core)[..], [(3, Outcome::Work(Ok(())))]));
    wait_for_threads(1);
}

#[test]
fn the_pool_works_with_fewer_threads_than_requested() {
    if !is_child() {
        return in_child("the_pool_works_with_fewer_threads_than_requested", Some("1024"));
    }
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let mut core = core();
    let before = getrlimit(Resource::As);
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let size_kb = status.lines().find_map(|line| line.strip_prefix("VmSize:")).unwrap();
    let size_kb: u64 = size_kb.trim().trim_end_matches(" kB").parse().unwrap();
    // Enough for some stacks, but not for a thousand.
    setrlimit(Resource::As, Rlimit { current: Some((size_kb << 10) + (200 << 20)), maximum: before.maximum }).unwrap();
    for n in 0..100 {
        core.work(|| {}, n);
    }
    assert_eq!(outcomes(&mut core).len(), 100);
    let threads = pool_threads();
    assert!(threads > 0 && threads < 100, "{threads}");
}
