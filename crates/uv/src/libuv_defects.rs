//! Tests of known defects of libuv that this library must not have. The comment of each test states what libuv does.
//!
//! # Safety
//! All pointers are to locals that outlive their loop; loops are run until they are empty, and closed.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint, c_void};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, IntoRawFd};
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use phasor_core::Errno;

use crate::asyncs::{uv_async_init, uv_async_send};
use crate::handle::uv_close;
use crate::layout::*;
use crate::loop_::{uv_backend_fd, uv_loop_alive, uv_loop_close, uv_loop_init};
use crate::poll::{uv_poll_init, uv_poll_start};
use crate::run::uv_run;
use crate::signal::{uv_signal_init, uv_signal_start, uv_signal_stop};
use crate::stream::uv_read_start;
use crate::tcp::{uv_tcp_init, uv_tcp_open};
use crate::timer::{uv_timer_init, uv_timer_start};
use crate::udp::{uv_udp_init_ex, uv_udp_try_send2};

/// A loop in a box, because it must not move.
fn new_loop() -> Box<MaybeUninit<uv_loop_t>> {
    let mut lp = Box::new(MaybeUninit::uninit());
    // SAFETY: the box has the size of a loop.
    assert_eq!(unsafe { uv_loop_init(lp.as_mut_ptr()) }, 0);
    lp
}

fn run_and_close(mut lp: Box<MaybeUninit<uv_loop_t>>) {
    // SAFETY: the loop is from `new_loop`.
    unsafe {
        assert_eq!(uv_run(lp.as_mut_ptr(), UV_RUN_DEFAULT), 0);
        assert_eq!(uv_loop_close(lp.as_mut_ptr()), 0);
    }
}

/// libuv sends datagrams 0 to 19 and 40 to 49 of fifty and returns 30, because `i` advances twice per batch
/// (`src/unix/udp.c: uv__udp_sendmsgv`).
#[test]
fn a_long_batch_of_datagrams_is_sent_completely_and_in_order() {
    const COUNT: usize = 50;
    let receiver = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let mut storage = crate::address::SockaddrBuf::EMPTY;
    let to = storage.write(&receiver.local_addr().unwrap().into());
    let mut lp = new_loop();
    let mut udp = Box::new(MaybeUninit::<uv_udp_t>::uninit());
    let mut bytes: Vec<u8> = (0..COUNT as u8).collect();
    let mut bufs: Vec<uv_buf_t> =
        bytes.iter_mut().map(|byte| uv_buf_t { base: ptr::from_mut(byte).cast(), len: 1 }).collect();
    let mut lists: Vec<*mut uv_buf_t> = bufs.iter_mut().map(ptr::from_mut).collect();
    let mut counts = vec![1 as c_uint; COUNT];
    let mut addresses = vec![to.cast_mut(); COUNT];
    // SAFETY: see the head of this file.
    unsafe {
        assert_eq!(uv_udp_init_ex(lp.as_mut_ptr(), udp.as_mut_ptr(), libc::AF_INET as c_uint), 0);
        let sent = uv_udp_try_send2(
            udp.as_mut_ptr(),
            COUNT as c_uint,
            lists.as_mut_ptr(),
            counts.as_mut_ptr(),
            addresses.as_mut_ptr(),
            0,
        );
        assert_eq!(sent, COUNT as c_int);
        uv_close(udp.as_mut_ptr().cast(), None);
    }
    run_and_close(lp);
    let mut got = [0];
    for expected in 0..COUNT as u8 {
        assert_eq!(receiver.recv(&mut got).unwrap(), 1);
        assert_eq!(got[0], expected);
    }
}

unsafe extern "C" fn one_byte_buffer(handle: *mut uv_handle_t, _suggested: usize, buf: *mut uv_buf_t) {
    // SAFETY: `data` points to a byte of the test.
    unsafe { *buf = uv_buf_t { base: (*handle).data.cast(), len: 1 } }
}

unsafe extern "C" fn note_read(stream: *mut uv_stream_t, nread: isize, _buf: *const uv_buf_t) {
    // SAFETY: the test never writes, so it can store the result in `write_queue_size`.
    unsafe {
        (*stream).write_queue_size = nread.unsigned_abs();
        uv_close(stream.cast(), None);
    }
}

/// libuv calls `abort()` when epoll refuses a descriptor that the program has closed.
#[test]
fn a_stream_with_a_closed_descriptor_reports_an_error() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let mut lp = new_loop();
    let mut byte = 0u8;
    let mut tcp = Box::new(MaybeUninit::<uv_tcp_t>::uninit());
    // SAFETY: see the head of this file.
    unsafe {
        assert_eq!(uv_tcp_init(lp.as_mut_ptr(), tcp.as_mut_ptr()), 0);
        let raw = client.into_raw_fd();
        assert_eq!(uv_tcp_open(tcp.as_mut_ptr(), raw), 0);
        (*tcp.as_mut_ptr()).stream.handle.data = ptr::from_mut(&mut byte).cast();
        // Opens a directory at the same descriptor number: epoll refuses it and it cannot be read, and no other test
        // can reuse the number.
        let directory = std::fs::File::open("/").unwrap();
        assert_eq!(libc::dup2(directory.as_raw_fd(), raw), raw);
        assert_eq!(uv_read_start(tcp.as_mut_ptr().cast(), Some(one_byte_buffer), Some(note_read)), 0);
        assert_eq!(uv_run(lp.as_mut_ptr(), UV_RUN_DEFAULT), 0);
        let errno = (*tcp.as_mut_ptr()).stream.write_queue_size as c_int;
        assert!([libc::EBADF, libc::EPERM, libc::EISDIR, libc::ENOTSOCK].contains(&errno), "{errno}");
    }
    run_and_close(lp);
}

/// libuv calls `abort()` when it cannot wait. Here the run ends, and `uv_loop_alive` must not suggest running again.
#[test]
fn a_loop_with_a_closed_epoll_descriptor_is_not_alive() {
    let mut lp = new_loop();
    let mut timer = Box::new(MaybeUninit::<uv_timer_t>::uninit());
    // SAFETY: see the head of this file.
    unsafe {
        let lp = lp.as_mut_ptr();
        assert_eq!(uv_timer_init(lp, timer.as_mut_ptr()), 0);
        assert_eq!(uv_timer_start(timer.as_mut_ptr(), Some(ignore_timer), 60_000, 0), 0);
        assert_eq!(uv_loop_alive(lp), 1);
        // Saves the epoll descriptor, to restore it below, and replaces it by a descriptor that epoll cannot wait on.
        let (backend, null) = (uv_backend_fd(lp), std::fs::File::open("/dev/null").unwrap());
        let kept = libc::fcntl(backend, libc::F_DUPFD_CLOEXEC, 0);
        assert!(kept >= 0 && libc::dup2(null.as_raw_fd(), backend) == backend);
        assert_eq!((uv_run(lp, UV_RUN_DEFAULT), uv_loop_alive(lp)), (0, 0));
        assert!(libc::dup2(kept, backend) == backend && libc::close(kept) == 0);
        assert_eq!((uv_run(lp, UV_RUN_NOWAIT), uv_loop_alive(lp)), (1, 1));
        uv_close(timer.as_mut_ptr().cast(), None);
    }
    run_and_close(lp);
}

unsafe extern "C" fn ignore_timer(_timer: *mut uv_timer_t) {}

unsafe extern "C" fn note_poll(handle: *mut uv_poll_t, status: c_int, _events: c_int) {
    // SAFETY: `data` points to a number of the test.
    unsafe {
        *(*handle).handle.data.cast::<c_int>() = status;
        uv_close(handle.cast(), None);
    }
}

/// libuv calls `abort()` when epoll refuses the descriptor of a poll handle.
#[test]
fn a_poll_handle_with_a_closed_descriptor_reports_an_error() {
    let (reader, _writer) = std::io::pipe().unwrap();
    let mut lp = new_loop();
    let mut poll = Box::new(MaybeUninit::<uv_poll_t>::uninit());
    let mut status: c_int = 0;
    // SAFETY: see the head of this file.
    unsafe {
        assert_eq!(uv_poll_init(lp.as_mut_ptr(), poll.as_mut_ptr(), reader.as_raw_fd()), 0);
        (*poll.as_mut_ptr()).handle.data = ptr::from_mut(&mut status).cast();
        let file = std::fs::File::open("/dev/null").unwrap();
        assert_eq!(libc::dup2(file.as_raw_fd(), reader.as_raw_fd()), reader.as_raw_fd());
        assert_eq!(uv_poll_start(poll.as_mut_ptr(), UV_READABLE, Some(note_poll)), 0);
        assert_eq!(uv_run(lp.as_mut_ptr(), UV_RUN_DEFAULT), 0);
    }
    assert!([-Errno::EBADF.raw(), -Errno::EPERM.raw()].contains(&status), "{status}");
    run_and_close(lp);
}

static WAKES: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn count_wake(_handle: *mut uv_async_t) {
    WAKES.fetch_add(1, Ordering::Relaxed);
}

/// The CPU time of this thread, in nanoseconds, for waking one of `handles` async handles 2000 times.
fn wake_one_of(handles: usize) -> u64 {
    const TIMES: usize = 2_000;
    let mut lp = new_loop();
    let mut all: Vec<MaybeUninit<uv_async_t>> = (0..handles).map(|_| MaybeUninit::uninit()).collect();
    // SAFETY: see the head of this file.
    unsafe {
        for handle in &mut all {
            assert_eq!(uv_async_init(lp.as_mut_ptr(), handle.as_mut_ptr(), Some(count_wake)), 0);
        }
        let (before, from) = (WAKES.load(Ordering::Relaxed), thread_time_ns());
        for _ in 0..TIMES {
            uv_async_send(all[handles / 2].as_mut_ptr());
            uv_run(lp.as_mut_ptr(), UV_RUN_NOWAIT);
        }
        let spent = thread_time_ns() - from;
        assert_eq!(WAKES.load(Ordering::Relaxed) - before, TIMES);
        for handle in &mut all {
            uv_close(handle.as_mut_ptr().cast(), None);
        }
        run_and_close(lp);
        spent
    }
}

fn thread_time_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is writable.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// libuv checks every async handle on every wake (`src/unix/async.c: uv__async_io`), so 10,000 times as many handles cost thousands
/// of times as much.
#[test]
fn the_cost_of_a_wake_does_not_depend_on_the_number_of_handles() {
    let (few, many) = (wake_one_of(2), wake_one_of(20_000));
    assert!(many < few * 50, "{few} ns with 2 handles, {many} ns with 20000");
}

static CAUGHT: AtomicUsize = AtomicUsize::new(0);

extern "C" fn own_handler(_signum: c_int) {
    CAUGHT.fetch_add(1, Ordering::SeqCst);
}

unsafe extern "C" fn ignore_signal(_handle: *mut uv_signal_t, _signum: c_int) {}

/// libuv restores the default action when the last watcher stops (`src/unix/signal.c: uv__signal_unregister_handler`): the program's
/// own handler is lost, and the next signal kills it.
#[test]
fn the_previous_signal_handler_is_restored_after_the_last_watcher() {
    let signum = libc::SIGRTMIN() + 3;
    let mut lp = new_loop();
    let mut watcher = Box::new(MaybeUninit::<uv_signal_t>::uninit());
    // SAFETY: see the head of this file; the signal handler only adds to an atomic.
    unsafe {
        libc::signal(signum, own_handler as *const c_void as libc::sighandler_t);
        assert_eq!(uv_signal_init(lp.as_mut_ptr(), watcher.as_mut_ptr()), 0);
        assert_eq!(uv_signal_start(watcher.as_mut_ptr(), Some(ignore_signal), signum), 0);
        libc::raise(signum);
        assert_eq!(CAUGHT.load(Ordering::SeqCst), 0);
        assert_eq!(uv_signal_stop(watcher.as_mut_ptr()), 0);
        libc::raise(signum);
        assert_eq!(CAUGHT.load(Ordering::SeqCst), 1);
        uv_close(watcher.as_mut_ptr().cast(), None);
    }
    run_and_close(lp);
}

/// libuv without assertions follows a null pointer in `uv__loop_close`; with assertions it overwrites the closed loop, which then
/// seems to have requests (`src/uv-common.c: uv_loop_close`).
#[test]
fn a_loop_that_was_closed_is_busy() {
    let mut lp = new_loop();
    // SAFETY: see the head of this file.
    unsafe {
        assert_eq!(uv_loop_close(lp.as_mut_ptr()), 0);
        assert_eq!(uv_loop_close(lp.as_mut_ptr()), -Errno::EBUSY.raw());
        assert_eq!(uv_loop_init(lp.as_mut_ptr()), 0);
    }
    run_and_close(lp);
}
