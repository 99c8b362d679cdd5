//! Streams and datagrams on loopback: the examples' servers, and every way to close in a call.

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
#[allow(dead_code, reason = "the example's own main is not called here")]
mod chat;
#[path = "../examples/echo.rs"]
#[allow(dead_code, reason = "the example's own main is not called here")]
mod echo;

/// How many clients are there at a time: few enough for the usual limit of descriptors.
const AT_A_TIME: usize = 200;

/// Starts the next client, until there were a thousand. Each writes a text of its own and waits to get it back.
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
            let mut heard = Vec::new();
            client
                .read_start(l, move |l, client, read| match read.unwrap() {
                    Read::Data(bytes) => heard.extend_from_slice(bytes),
                    Read::End => {
                        assert_eq!(heard, *text);
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
fn a_thousand_connections_get_back_what_they_sent() {
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
fn an_echo_larger_than_every_buffer_arrives_whole() {
    let mut l = Loop::new().unwrap();
    let server = echo::serve(&mut l, 0, Rc::default()).unwrap();
    let address = server.local_address(&l).unwrap();
    let sent: Vec<u8> = (0..8u32 << 20).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let expected = sent.clone();
    // The client writes much before it reads anything, so that the server's queue fills.
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
        let mut heard = Vec::new();
        socket.read_to_end(&mut heard).unwrap();
        writer.join().unwrap();
        heard
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
    assert!(client.join().unwrap() == expected, "what came back is not what was sent");
}

/// A guest who talks with blocking calls.
struct Guest(BufReader<TcpStream>);

impl Guest {
    fn new(address: SocketAddr) -> Guest {
        let socket = TcpStream::connect(address).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        Guest(BufReader::new(socket))
    }

    fn say(&mut self, words: &str) {
        self.0.get_mut().write_all(words.as_bytes()).unwrap();
    }

    fn hears(&mut self, expected: &str) {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        assert_eq!(line.trim_end(), expected);
    }
}

#[test]
fn three_guests_hear_each_other_come_talk_and_leave() {
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
            ada.hears("* you are guest-1, /name NAME changes that");
            let mut bob = Guest::new(address);
            bob.hears("* you are guest-2, /name NAME changes that");
            ada.hears("* guest-2 came in");
            let mut cyd = Guest::new(address);
            cyd.hears("* you are guest-3, /name NAME changes that");
            ada.hears("* guest-3 came in");
            bob.hears("* guest-3 came in");
            ada.say("/name Ada\n");
            for guest in [&mut ada, &mut bob, &mut cyd] {
                guest.hears("* guest-1 is now Ada");
            }
            // A line in two pieces, and two lines in one.
            ada.say("hel");
            ada.say("lo\nagain\n");
            for guest in [&mut bob, &mut cyd] {
                guest.hears("Ada: hello");
                guest.hears("Ada: again");
            }
            drop(ada);
            bob.hears("* Ada left");
            cyd.hears("* Ada left");
            bob.say("bye\n");
            cyd.hears("guest-2: bye");
        }));
        end.send();
        outcome
    });
    l.run(RunMode::Default).unwrap();
    guests.join().unwrap().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

#[test]
fn streams_may_be_closed_in_every_call_of_theirs() {
    let mut l = Loop::new().unwrap();
    let said = Rc::new(RefCell::new(Vec::new()));
    let note = |words: &'static str| {
        let said = said.clone();
        move || said.borrow_mut().push(words)
    };
    // In the call of a connection, before and after it is accepted.
    let heard = note("connection");
    let server = Tcp::serve(&mut l, (Ipv4Addr::LOCALHOST, 0), move |l, server| {
        heard();
        server.close(l);
        assert!(server.accept(l).is_err(), "it went with its server");
    })
    .unwrap();
    let address = server.local_address(&l).unwrap();
    let client = Tcp::new(&mut l);
    let heard = note("connected");
    client
        .connect(&mut l, address, move |l, connected| {
            assert_eq!(connected, Ok(()));
            heard();
            client.close(l);
        })
        .unwrap();
    // In the calls of a read, a write and a shutdown.
    let (a, b) = Pipe::pair(&mut l).unwrap();
    let heard = note("read");
    b.read_start(&mut l, move |l, b, read| {
        assert_eq!(read, Ok(Read::Data(b"bytes")));
        heard();
        b.close(l);
    })
    .unwrap();
    let heard = note("written");
    a.write_then(&mut l, "bytes", move |l, written| {
        assert_eq!(written, Ok(()));
        heard();
        a.close(l);
    })
    .unwrap();
    let (c, d) = Pipe::pair(&mut l).unwrap();
    let heard = note("shut");
    c.shutdown(&mut l, move |l, _| {
        heard();
        c.close(l);
    })
    .unwrap();
    let heard = note("end");
    d.read_start(&mut l, move |l, d, read| {
        assert_eq!(read, Ok(Read::End));
        heard();
        d.close(l);
    })
    .unwrap();
    assert_eq!(l.run(RunMode::Default), Ok(false));
    said.borrow_mut().sort_unstable();
    assert_eq!(*said.borrow(), ["connected", "connection", "end", "read", "shut", "written"]);
    assert!(l.handles().is_empty());
}

#[test]
fn closing_tells_requests_that_they_were_cancelled() {
    let mut l = Loop::new().unwrap();
    let (a, _b) = Pipe::pair(&mut l).unwrap();
    let told = Rc::new(RefCell::new(Vec::new()));
    for n in 0..3 {
        let told = told.clone();
        a.write_then(&mut l, vec![n; 1 << 20], move |_, written| told.borrow_mut().push((n, written))).unwrap();
    }
    assert!(a.write_queue_size(&l) > 1 << 20);
    a.close(&mut l);
    assert_eq!(a.write(&mut l, "late").err(), Some(Errno::EBADF));
    l.run(RunMode::NoWait).unwrap();
    assert_eq!(*told.borrow(), [0, 1, 2].map(|n| (n, Err(Errno::ECANCELED))));
}

#[test]
fn a_read_closure_may_be_replaced_and_panic() {
    let mut l = Loop::new().unwrap();
    let (a, b) = Pipe::pair(&mut l).unwrap();
    let said = Rc::new(RefCell::new(Vec::new()));
    let first = said.clone();
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
        // The bytes are still whole: the buffer is not given out twice.
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
    assert_eq!(*said.borrow(), [b"one", b"two"]);
}

#[test]
fn reading_stops_and_goes_on_with_the_same_closure() {
    let mut l = Loop::new().unwrap();
    let (a, b) = Pipe::pair(&mut l).unwrap();
    assert_eq!(b.read_resume(&mut l), Err(Errno::EINVAL));
    let heard = Rc::new(Cell::new(0));
    let count = heard.clone();
    b.read_start(&mut l, move |l, b, read| {
        if let Ok(Read::Data(bytes)) = read {
            count.set(count.get() + bytes.len());
            b.read_stop(l).unwrap();
            // From inside the closure and from outside.
            if count.get() == 1 {
                b.read_resume(l).unwrap();
            }
        }
    })
    .unwrap();
    a.write(&mut l, "1").unwrap();
    l.run(RunMode::Once).unwrap();
    a.write(&mut l, "2").unwrap();
    while heard.get() < 2 {
        l.run(RunMode::Once).unwrap();
    }
    a.write(&mut l, "3").unwrap();
    assert_eq!(l.run(RunMode::NoWait), Ok(false), "nobody reads and all is written");
    assert_eq!(heard.get(), 2);
    b.read_resume(&mut l).unwrap();
    l.run(RunMode::Once).unwrap();
    assert_eq!(heard.get(), 3);
}

#[test]
fn code_for_any_stream_takes_all_kinds() {
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
    let heard = Rc::new(RefCell::new(Vec::new()));
    let note = heard.clone();
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
    assert_eq!(*heard.borrow(), b"hello");
}

#[test]
fn nobody_there_is_an_error_value() {
    let mut l = Loop::new().unwrap();
    let free = Tcp::serve(&mut l, (Ipv4Addr::LOCALHOST, 0), |_, _| ()).unwrap();
    let address = free.local_address(&l).unwrap();
    assert_eq!(Tcp::serve(&mut l, address, |_, _| ()), Err(Errno::EADDRINUSE));
    free.close(&mut l);
    l.run(RunMode::Default).unwrap();
    let client = Tcp::new(&mut l);
    let told = Rc::new(Cell::new(None));
    let note = told.clone();
    client
        .connect(&mut l, address, move |l, connected| {
            note.set(Some(connected));
            client.close(l);
        })
        .unwrap();
    l.run(RunMode::Default).unwrap();
    assert_eq!(told.get(), Some(Err(Errno::ECONNREFUSED)));
}

#[test]
fn a_datagram_handle_may_be_closed_in_its_calls() {
    let mut l = Loop::new().unwrap();
    let server = Udp::new(&mut l);
    server.bind(&mut l, (Ipv4Addr::LOCALHOST, 0)).unwrap();
    let to = server.local_address(&l).unwrap();
    let heard = Rc::new(RefCell::new(Vec::new()));
    let note = heard.clone();
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
    assert_eq!(*heard.borrow(), [b"one".to_vec(), b"".to_vec()]);
}

#[test]
fn a_handle_can_be_passed_through_a_pipe() {
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
