//! Streams and datagrams on loopback: the example servers, and closing handles in each of their calls.

use std::cell::{Cell, RefCell};
use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use phasor::{Errno, Loop, Pipe, Read, RunMode, Stream, Tcp, Udp};

#[path = "../examples/chat.rs"]
#[allow(dead_code, reason = "the example's main is unused")]
mod chat;
#[path = "../examples/echo.rs"]
#[allow(dead_code, reason = "the example's main is unused")]
mod echo;

/// The number of concurrent clients: low enough for the usual limit of descriptors.
const AT_A_TIME: usize = 200;

/// Starts the next of a thousand clients. Each writes its own text and expects it back.
fn next_client(l: &mut Loop, address: SocketAddr, server: Tcp, left: Rc<Cell<usize>>, done: Rc<Cell<usize>>) {
    if left.get() == 0 {
        return;
    }
    left.set(left.get() - 1);
    let text: Arc<[u8]> = format!("client {} says this, ", left.get()).repeat(left.get() % 50 + 1).into_bytes().into();
    let client = Tcp::new(l);
    client
        .connect(l, address, move |l, connected| {
            connected.unwrap();
            client.write(l, text.clone()).unwrap();
            client.shutdown(l, |_, shut| shut.unwrap()).unwrap();
            let mut received = Vec::new();
            client
                .read_start(l, move |l, client, read| match read.unwrap() {
                    Read::Data(bytes) => received.extend_from_slice(bytes),
                    Read::End => {
                        assert_eq!(received, *text);
                        client.close(l);
                        done.set(done.get() + 1);
                        next_client(l, address, server, left.clone(), done.clone());
                        if done.get() == 1000 {
                            server.close(l);
                        }
                    }
                })
                .unwrap();
        })
        .unwrap();
}

#[test]
fn a_thousand_connections_are_echoed() {
    let mut l = Loop::new().unwrap();
    let totals = Rc::new(echo::Totals::default());
    let server = echo::serve(&mut l, 0, totals.clone()).unwrap();
    let address = server.local_address(&l).unwrap();
    let (left, done) = (Rc::new(Cell::new(1000)), Rc::new(Cell::new(0)));
    for _ in 0..AT_A_TIME {
        next_client(&mut l, address, server, left.clone(), done.clone());
    }
    assert_eq!(l.run(RunMode::Default), Ok(false));
    assert_eq!((done.get(), totals.clients.get()), (1000, 1000));
    assert!(l.handles().is_empty());
}

#[test]
fn an_echo_larger_than_all_buffers_arrives_complete() {
    let mut l = Loop::new().unwrap();
    let server = echo::serve(&mut l, 0, Rc::default()).unwrap();
    let address = server.local_address(&l).unwrap();
    let sent: Vec<u8> = (0..8u32 << 20).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let expected = sent.clone();
    // The client writes a lot before it reads, so that the server's queue fills up.
    let client = thread::spawn(move || {
        let mut socket = TcpStream::connect(address).unwrap();
        let mut other = socket.try_clone().unwrap();
        let (half, wait) = mpsc::channel();
        let writer = thread::spawn(move || {
            let (first, rest) = sent.split_at(1 << 20);
            other.write_all(first).unwrap();
            half.send(()).unwrap();
            other.write_all(rest).unwrap();
            other.shutdown(std::net::Shutdown::Write).unwrap();
        });
        wait.recv().unwrap();
        let mut received = Vec::new();
        socket.read_to_end(&mut received).unwrap();
        writer.join().unwrap();
        received
    });
    let watch = l.every(Duration::from_millis(5), {
        let mut began = false;
        move |l, timer| {
            let busy = l.handles().len() > 2;
            began |= busy;
            if began && !busy {
                timer.close(l);
                server.close(l);
            }
        }
    });
    assert_eq!(l.run(RunMode::Default), Ok(false));
    assert!(watch.is_closing(&l));
    assert!(client.join().unwrap() == expected, "the echo differs from what was sent");
}

/// A chat client with blocking calls.
struct Guest(BufReader<TcpStream>);

impl Guest {
    fn new(address: SocketAddr) -> Guest {
        let socket = TcpStream::connect(address).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        Guest(BufReader::new(socket))
    }

    fn send(&mut self, words: &str) {
        self.0.get_mut().write_all(words.as_bytes()).unwrap();
    }

    fn expect_line(&mut self, expected: &str) {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        assert_eq!(line.trim_end(), expected);
    }
}

#[test]
fn chat_clients_see_each_other_join_talk_and_leave() {
    let mut l = Loop::new().unwrap();
    let server = chat::serve(&mut l, 0).unwrap();
    let address = server.local_address(&l).unwrap();
    let (_, end) = phasor::Async::new(&mut l, move |l, _| {
        for handle in l.handles() {
            l.close(handle.id);
        }
    });
    let guests = thread::spawn(move || {
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let mut ada = Guest::new(address);
            ada.expect_line("* you are guest-1, /name NAME changes that");
            let mut bob = Guest::new(address);
            bob.expect_line("* you are guest-2, /name NAME changes that");
            ada.expect_line("* guest-2 came in");
            let mut cyd = Guest::new(address);
            cyd.expect_line("* you are guest-3, /name NAME changes that");
            ada.expect_line("* guest-3 came in");
            bob.expect_line("* guest-3 came in");
            ada.send("/name Ada\n");
            for guest in [&mut ada, &mut bob, &mut cyd] {
                guest.expect_line("* guest-1 is now Ada");
            }
            // A line in two writes, and two lines in one.
            ada.send("hel");
            ada.send("lo\nagain\n");
            for guest in [&mut bob, &mut cyd] {
                guest.expect_line("Ada: hello");
                guest.expect_line("Ada: again");
            }
            drop(ada);
            bob.expect_line("* Ada left");
            cyd.expect_line("* Ada left");
            bob.send("bye\n");
            cyd.expect_line("guest-2: bye");
        }));
        end.send();
        outcome
    });
    l.run(RunMode::Default).unwrap();
    guests.join().unwrap().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

#[test]
fn streams_may_be_closed_in_each_of_their_calls() {
    let mut l = Loop::new().unwrap();
    let log = Rc::new(RefCell::new(Vec::new()));
    let note = |words: &'static str| {
        let log = log.clone();
        move || log.borrow_mut().push(words)
    };
    // In the connection closure of a listener, before accepting.
    let record = note("connection");
    let server = Tcp::serve(&mut l, (Ipv4Addr::LOCALHOST, 0), move |l, server| {
        record();
        server.close(l);
        assert!(server.accept(l).is_err(), "the pending connection was closed with the listener");
    })
    .unwrap();
    let address = server.local_address(&l).unwrap();
    let client = Tcp::new(&mut l);
    let record = note("connected");
    client
        .connect(&mut l, address, move |l, connected| {
            assert_eq!(connected, Ok(()));
            record();
            client.close(l);
        })
        .unwrap();
    // In the closures of a read, a write and a shutdown.
    let (a, b) = Pipe::pair(&mut l).unwrap();
    let record = note("read");
    b.read_start(&mut l, move |l, b, read| {
        assert_eq!(read, Ok(Read::Data(b"bytes")));
        record();
        b.close(l);
    })
    .unwrap();
    let record = note("written");
    a.write_then(&mut l, "bytes", move |l, written| {
        assert_eq!(written, Ok(()));
        record();
        a.close(l);
    })
    .unwrap();
    let (c, d) = Pipe::pair(&mut l).unwrap();
    let record = note("shut");
    c.shutdown(&mut l, move |l, _| {
        record();
        c.close(l);
    })
    .unwrap();
    let record = note("end");
    d.read_start(&mut l, move |l, d, read| {
        assert_eq!(read, Ok(Read::End));
        record();
        d.close(l);
    })
    .unwrap();
    assert_eq!(l.run(RunMode::Default), Ok(false));
    log.borrow_mut().sort_unstable();
    assert_eq!(*log.borrow(), ["connected", "connection", "end", "read", "shut", "written"]);
    assert!(l.handles().is_empty());
}

#[test]
fn closing_cancels_pending_writes() {
    let mut l = Loop::new().unwrap();
    let (a, _b) = Pipe::pair(&mut l).unwrap();
    let results = Rc::new(RefCell::new(Vec::new()));
    for n in 0..3 {
        let results = results.clone();
        a.write_then(&mut l, vec![n; 1 << 20], move |_, written| results.borrow_mut().push((n, written))).unwrap();
    }
    assert!(a.write_queue_size(&l) > 1 << 20);
    a.close(&mut l);
    assert_eq!(a.write(&mut l, "late").err(), Some(Errno::EBADF));
    l.run(RunMode::NoWait).unwrap();
    assert_eq!(*results.borrow(), [0, 1, 2].map(|n| (n, Err(Errno::ECANCELED))));
}

#[test]
fn a_read_closure_may_be_replaced_and_may_panic() {
    let mut l = Loop::new().unwrap();
    let (a, b) = Pipe::pair(&mut l).unwrap();
    let log = Rc::new(RefCell::new(Vec::new()));
    let first = log.clone();
    b.read_start(&mut l, move |l, b, read| {
        let Ok(Read::Data(bytes)) = read else { return };
        first.borrow_mut().push(bytes.to_vec());
        let second = first.clone();
        b.read_start(l, move |l, b, read| {
            if let Ok(Read::Data(bytes)) = read {
                second.borrow_mut().push(bytes.to_vec());
                b.close(l);
                panic!("after the second");
            }
        })
        .unwrap();
        // The bytes are intact: the buffer is not lent twice.
        assert_eq!(bytes, b"one");
    })
    .unwrap();
    a.write_then(&mut l, "one", move |l, _| {
        l.after(Duration::from_millis(1), move |l| {
            a.write(l, "two").unwrap();
        });
    })
    .unwrap();
    assert!(catch_unwind(AssertUnwindSafe(|| l.run(RunMode::Default))).is_err());
    a.close(&mut l);
    assert_eq!(l.run(RunMode::Default), Ok(false));
    assert_eq!(*log.borrow(), [b"one", b"two"]);
}

#[test]
fn reading_resumes_with_the_same_closure() {
    let mut l = Loop::new().unwrap();
    let (a, b) = Pipe::pair(&mut l).unwrap();
    assert_eq!(b.read_resume(&mut l), Err(Errno::EINVAL));
    let received = Rc::new(Cell::new(0));
    let count = received.clone();
    b.read_start(&mut l, move |l, b, read| {
        if let Ok(Read::Data(bytes)) = read {
            count.set(count.get() + bytes.len());
            b.read_stop(l).unwrap();
            // Resumed from inside the closure, and later from outside.
            if count.get() == 1 {
                b.read_resume(l).unwrap();
            }
        }
    })
    .unwrap();
    a.write(&mut l, "1").unwrap();
    l.run(RunMode::Once).unwrap();
    a.write(&mut l, "2").unwrap();
    while received.get() < 2 {
        l.run(RunMode::Once).unwrap();
    }
    a.write(&mut l, "3").unwrap();
    assert_eq!(l.run(RunMode::NoWait), Ok(false), "reading is stopped and everything is written");
    assert_eq!(received.get(), 2);
    b.read_resume(&mut l).unwrap();
    l.run(RunMode::Once).unwrap();
    assert_eq!(received.get(), 3);
}

#[test]
fn a_generic_function_accepts_every_stream_type() {
    fn greet(l: &mut Loop, stream: impl Into<Stream>) {
        stream.into().write(l, vec![b"hel".to_vec(), b"lo".to_vec()]).unwrap();
    }
    let mut l = Loop::new().unwrap();
    let name = format!("\0phasor-net-{}", std::process::id());
    let server = Pipe::serve(&mut l, name.as_str(), |l, server| {
        let client = server.accept(l).unwrap();
        greet(l, client);
        client.close(l);
        server.close(l);
    })
    .unwrap();
    assert_eq!(server.local_name(&l), Ok(name.clone().into_bytes()));
    let client = Pipe::new(&mut l);
    let received = Rc::new(RefCell::new(Vec::new()));
    let note = received.clone();
    client
        .connect(&mut l, name.as_str(), move |l, connected| {
            connected.unwrap();
            client
                .read_start(l, move |l, client, read| match read.unwrap() {
                    Read::Data(bytes) => note.borrow_mut().extend_from_slice(bytes),
                    Read::End => client.close(l),
                })
                .unwrap();
        })
        .unwrap();
    l.run(RunMode::Default).unwrap();
    assert_eq!(*received.borrow(), b"hello");
}

#[test]
fn address_errors_are_returned() {
    let mut l = Loop::new().unwrap();
    let free = Tcp::serve(&mut l, (Ipv4Addr::LOCALHOST, 0), |_, _| ()).unwrap();
    let address = free.local_address(&l).unwrap();
    assert_eq!(Tcp::serve(&mut l, address, |_, _| ()), Err(Errno::EADDRINUSE));
    free.close(&mut l);
    l.run(RunMode::Default).unwrap();
    let client = Tcp::new(&mut l);
    let results = Rc::new(Cell::new(None));
    let note = results.clone();
    client
        .connect(&mut l, address, move |l, connected| {
            note.set(Some(connected));
            client.close(l);
        })
        .unwrap();
    l.run(RunMode::Default).unwrap();
    assert_eq!(results.get(), Some(Err(Errno::ECONNREFUSED)));
}

#[test]
fn a_udp_handle_may_be_closed_in_its_calls() {
    let mut l = Loop::new().unwrap();
    let server = Udp::new(&mut l);
    server.bind(&mut l, (Ipv4Addr::LOCALHOST, 0)).unwrap();
    let to = server.local_address(&l).unwrap();
    let received = Rc::new(RefCell::new(Vec::new()));
    let note = received.clone();
    server
        .recv_start(&mut l, move |l, server, datagram| {
            let datagram = datagram.unwrap();
            assert!(datagram.from.is_some() && !datagram.truncated);
            note.borrow_mut().push(datagram.bytes.to_vec());
            if note.borrow().len() == 2 {
                server.close(l);
            }
        })
        .unwrap();
    let client = Udp::new(&mut l);
    assert_eq!(client.send(&mut l, "no address", None, |_, _| ()).err(), Some(Errno::EDESTADDRREQ));
    client.connect(&mut l, to).unwrap();
    client.send(&mut l, "one", None, |_, sent| sent.unwrap()).unwrap();
    client
        .send(&mut l, "", None, move |l, sent| {
            sent.unwrap();
            client.close(l);
        })
        .unwrap();
    assert_eq!(l.run(RunMode::Default), Ok(false));
    assert_eq!(*received.borrow(), [b"one".to_vec(), b"".to_vec()]);
}

#[test]
fn a_tcp_handle_is_passed_through_a_pipe() {
    let mut l = Loop::new().unwrap();
    let (ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
    let (a, b) = (Pipe::new_ipc(&mut l), Pipe::new_ipc(&mut l));
    a.adopt(&mut l, ours).unwrap();
    b.adopt(&mut l, theirs).unwrap();
    let listener = Tcp::new(&mut l);
    listener.bind(&mut l, (Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_address(&l).unwrap();
    a.write_with_handle(&mut l, "here", listener, move |l, written| {
        written.unwrap();
        listener.close(l);
        a.close(l);
    })
    .unwrap();
    b.read_start(&mut l, move |l, b, read| {
        if read == Ok(Read::Data(b"here")) {
            assert_eq!(b.pending_kind(l), Some(phasor::Kind::Tcp));
            let passed = b.accept_tcp(l).unwrap();
            assert_eq!(passed.local_address(l), Ok(address));
            passed.close(l);
        }
        b.close(l);
    })
    .unwrap();
    assert_eq!(l.run(RunMode::Default), Ok(false));
}
