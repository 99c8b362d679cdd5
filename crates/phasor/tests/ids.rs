//! Misused ids: ids of another loop, where the same id is a handle of another type, and ids of closed handles. Every
//! call returns, none panics, and the loop stays usable.

use std::time::Duration;

use phasor::process::Command;
use phasor::{
    Async, Check, FsEvent, FsPoll, Idle, Loop, Pipe, Poll, Prepare, Readiness, RunMode, Signal, Stream, Tcp, Timer, Udp,
};

const MS: Duration = Duration::from_millis(1);
const ANY: ([u8; 4], u16) = ([127, 0, 0, 1], 0);
const KINDS: usize = 12;

/// Opens one handle of each type that needs no other resource, starting with type number `first`.
fn open_all(l: &mut Loop, first: usize) {
    for kind in (first..first + KINDS).map(|kind| kind % KINDS) {
        match kind {
            0 => drop(Timer::new(l)),
            1 => drop(Tcp::new(l)),
            2 => drop(Udp::new(l)),
            3 => drop(Pipe::new(l)),
            4 => drop(Idle::new(l)),
            5 => drop(FsEvent::new(l)),
            6 => drop(FsPoll::new(l)),
            7 => drop(Signal::new(l)),
            8 => drop(Async::new(l, |_, _| ())),
            9 => drop(Prepare::new(l)),
            10 => drop(Check::new(l)),
            _ => drop(Pipe::new_ipc(l)),
        }
    }
}

struct Ids {
    timer: Timer,
    tcp: Tcp,
    udp: Udp,
    pipe: Pipe,
    idle: Idle,
    event: FsEvent,
    fs_poll: FsPoll,
    signal: Signal,
    wake: Async,
    poll: Poll,
}

impl Ids {
    fn of(l: &mut Loop, polled: &std::net::UdpSocket) -> Ids {
        Ids {
            timer: Timer::new(l),
            tcp: Tcp::new(l),
            udp: Udp::new(l),
            pipe: Pipe::new(l),
            idle: Idle::new(l),
            event: FsEvent::new(l),
            fs_poll: FsPoll::new(l),
            signal: Signal::new(l),
            wake: Async::new(l, |_, _| ()).0,
            poll: Poll::new(l, polled).unwrap(),
        }
    }

    /// Calls every method and returns the number of calls that failed.
    fn use_all(&self, l: &mut Loop) -> usize {
        let mut refused = 0;
        macro_rules! call {
            ($($call:expr;)*) => { $(refused += usize::from($call.is_err());)* };
        }
        let Ids { timer, tcp, udp, pipe, idle, event, fs_poll, signal, wake, poll } = *self;
        call! {
            timer.start(l, MS, MS, |l, timer| timer.close(l)); timer.again(l); timer.set_repeat(l, MS);
            timer.repeat(l); timer.due_in(l); timer.stop(l);
            idle.start(l, |_, _| ()); idle.stop(l);
            event.start(l, "/", |_, _, _| ()); event.stop(l);
            fs_poll.start(l, "/", MS, |_, _, _| ()); fs_poll.stop(l);
            signal.start(l, 10, |_, _, _| ()); signal.start_oneshot(l, 10, |_, _, _| ()); signal.stop(l);
            wake.sender(l);
            poll.start(l, Readiness::READABLE, |_, _, _| ()); poll.stop(l);
        }
        for stream in [Stream::from(tcp), Stream::from(pipe)] {
            call! {
                stream.read_start(l, |_, _, _| ()); stream.read_resume(l); stream.read_stop(l);
                stream.write(l, "x"); stream.write_then(l, "", |_, _| ()); stream.try_write(l, b"x");
                stream.shutdown(l, |_, _| ()); stream.set_blocking(l, false); stream.set_send_buffer_size(l, 1);
            }
            let _ = (stream.write_queue_size(l), stream.is_readable(l), stream.is_writable(l), stream.fd(l));
        }
        call! {
            tcp.bind(l, ANY); tcp.listen(l, 1, |_, _| ()); tcp.accept(l); tcp.connect(l, ANY, |_, _| ());
            tcp.local_address(l); tcp.peer_address(l); tcp.set_nodelay(l, true); tcp.set_keepalive(l, None);
            tcp.close_reset(l);
            pipe.bind(l, ""); pipe.listen(l, 1, |_, _| ()); pipe.connect(l, "", |_, _| ());
            pipe.accept(l); pipe.accept_tcp(l); pipe.accept_udp(l); pipe.local_name(l); pipe.peer_name(l);
            pipe.chmod(l, true, true); pipe.write_with_handle(l, "x", tcp, |_, _| ());
            udp.bind(l, ANY); udp.recv_start(l, |_, _, _| ()); udp.recv_stop(l); udp.send(l, "x", None, |_, _| ());
            udp.try_send(l, b"x", None); udp.set_ttl(l, 1); udp.local_address(l); udp.connect(l, None);
        }
        let _ = (pipe.pending_count(l), pipe.pending_kind(l), udp.send_queue_size(l));
        refused
    }
}

#[test]
fn ids_of_another_loop_do_not_panic() {
    let mut home = Loop::new().unwrap();
    let socket = std::net::UdpSocket::bind(("127.0.0.1", 0)).unwrap();
    let ids = Ids::of(&mut home, &socket);
    let child = Command::new("true").spawn(&mut home, |_, _, _| ()).unwrap();
    for first in 0..KINDS {
        let mut l = Loop::new().unwrap();
        open_all(&mut l, first);
        assert!(ids.use_all(&mut l) > 0);
        assert!(child.process.kill(&mut l, 0).is_err());
        for handle in l.handles() {
            l.close(handle.id);
        }
        assert_eq!(l.run(RunMode::Default), Ok(false), "starting with type {first}");
    }
}

#[test]
fn ids_of_closed_handles_are_refused() {
    let mut l = Loop::new().unwrap();
    let socket = std::net::UdpSocket::bind(("127.0.0.1", 0)).unwrap();
    let ids = Ids::of(&mut l, &socket);
    for handle in l.handles() {
        l.close(handle.id);
    }
    ids.use_all(&mut l);
    assert_eq!(l.run(RunMode::Default), Ok(false));
    open_all(&mut l, 0);
    let calls = 18 + 2 * 9 + 9 + 10 + 8;
    assert_eq!(ids.use_all(&mut l), calls, "their slots are reused by other handles");
}
