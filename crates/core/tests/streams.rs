//! Tests of tcp streams on the loopback interface: the events and their order.

mod common;

use std::io::{IoSlice, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsRawFd, IntoRawFd};

use common::*;
use phasor_core::{Errno, Event, Fd, Keepalive, Outcome, RunMode, TcpBind};

#[test]
fn an_echo_is_followed_by_eof() {
    let mut core = test_loop();
    let (client, peer) = pair(&mut core);
    core.stream_read_start(peer).unwrap();
    core.stream_read_start(client).unwrap();
    core.stream_write(client, vec![b"hello ".to_vec(), b"world".to_vec()], "write").unwrap();
    core.stream_shutdown(client, "shutdown").unwrap();
    assert!(!core.stream_is_writable(client));
    let (mut received, mut ends, mut order) = (Vec::new(), 0, Vec::new());
    run(&mut core, |core, event| {
        order.push(describe(core, &event));
        if let Event::Readable(id) = event {
            let mut buffer = [0; 64];
            match core.stream_read(id, &mut buffer) {
                Ok(count) if id == peer => {
                    core.stream_write(peer, vec![buffer[..count].to_vec()], "echo").unwrap();
                }
                Ok(count) => received.extend_from_slice(&buffer[..count]),
                Err(errno) => {
                    assert_eq!(errno, Errno::EOF);
                    assert!(!core.stream_is_reading(id) && !core.is_active(id));
                    ends += 1;
                    core.close(id).unwrap();
                    if ends == 1 && id == peer {
                        return false;
                    }
                }
            }
        }
        false
    });
    assert_eq!(received, b"hello world");
    assert_eq!(ends, 2);
    assert_eq!(order[..2], ["write ok 11", "shutdown ok"], "both in the pending phase, before poll");
    assert!(!core.is_alive());
}

#[test]
fn a_slow_reader_grows_the_write_queue_and_outcomes_stay_in_order() {
    let mut core = test_loop();
    let (client, peer) = pair(&mut core);
    let names: Vec<&'static str> = (0..100).map(|n| &*format!("w{n}").leak()).collect();
    for (n, name) in names.iter().enumerate() {
        core.stream_write(client, vec![vec![n as u8; 50_000], vec![n as u8; 50_000]], name).unwrap();
    }
    let queued = core.stream_write_queue_size(client);
    assert!(queued > 0, "the socket buffers hold less than ten megabytes");
    assert_eq!(core.stream_try_write(client, &[IoSlice::new(b"x")]), Err(Errno::EAGAIN));
    core.stream_read_start(peer).unwrap();
    let (mut got, mut done, mut buffer) = (Vec::new(), Vec::new(), vec![0; 65536]);
    let mut least = queued;
    run(&mut core, |core, event| {
        match event {
            Event::Readable(id) => {
                let count = core.stream_read(id, &mut buffer).unwrap();
                got.extend_from_slice(&buffer[..count]);
            }
            Event::Done(name, Outcome::Write { result, written, bytes }) => {
                assert_eq!((result, written, bytes.len()), (Ok(()), 100_000, 2));
                assert!(core.stream_write_queue_size(client) <= least);
                least = core.stream_write_queue_size(client);
                done.push(name);
            }
            _ => {}
        }
        got.len() == 10_000_000 && done.len() == 100
    });
    assert_eq!(done, names);
    assert_eq!(core.stream_write_queue_size(client), 0);
    assert!(got.chunks(100_000).enumerate().all(|(n, part)| part.iter().all(|&byte| byte == n as u8)));
}

#[test]
fn outcomes_are_asynchronous_also_for_a_write_in_a_write_callback() {
    let mut core = test_loop();
    let (client, _peer) = pair(&mut core);
    core.stream_write(client, vec![b"a".to_vec()], "a").unwrap();
    core.stream_write(client, vec![b"b".to_vec()], "b").unwrap();
    let check = core.check_open("check");
    core.check_start(check).unwrap();
    let mut order = Vec::new();
    while let Some(event) = core.next(RunMode::NoWait) {
        order.push(describe(&core, &event));
        if let Event::Done("a", _) = event {
            core.stream_write(client, vec![b"c".to_vec()], "c").unwrap();
        }
    }
    assert_eq!(order, ["a ok 1", "b ok 1", "c ok 1", "Check"], "c in the rounds after poll");
}

#[test]
fn more_slices_than_the_kernel_takes_arrive_whole() {
    let mut core = test_loop();
    let (client, peer) = pair(&mut core);
    let pieces: Vec<Vec<u8>> = (0..5000u32).map(|n| n.to_le_bytes().to_vec()).collect();
    let all = pieces.concat();
    core.stream_write(client, pieces, "many").unwrap();
    core.stream_write(client, vec![], "none").unwrap();
    core.stream_write(client, vec![vec![], vec![]], "empty").unwrap();
    core.stream_read_start(peer).unwrap();
    let (mut got, mut done) = (Vec::new(), Vec::new());
    run(&mut core, |core, event| {
        match event {
            Event::Readable(id) => {
                let mut buffer = vec![0; 3000];
                let count = core.stream_read(id, &mut buffer).unwrap();
                got.extend_from_slice(&buffer[..count]);
            }
            ref event @ Event::Done(..) => done.push(describe(core, event)),
            _ => {}
        }
        got.len() == all.len() && done.len() == 3
    });
    assert_eq!(got, all);
    assert_eq!(done, ["many ok 20000", "none ok 0", "empty ok 0"]);
}

#[test]
fn a_stream_is_read_32_times_for_one_readiness_if_buffers_come_back_full() {
    let mut core = test_loop();
    let (client, peer) = pair(&mut core);
    core.stream_write(client, vec![vec![7; 100]], "write").unwrap();
    core.stream_read_start(peer).unwrap();
    let check = core.check_open("check");
    core.check_start(check).unwrap();
    let (mut reads, mut turns) = (0, Vec::new());
    run(&mut core, |core, event| {
        match event {
            Event::Readable(id) => {
                reads += core.stream_read(id, &mut [0]).unwrap();
            }
            Event::Check(_) if reads > 0 => turns.push(std::mem::take(&mut reads)),
            _ => {}
        }
        turns.iter().sum::<usize>() == 100
    });
    assert_eq!(turns, [32, 32, 32, 4]);
}

#[test]
fn a_short_read_ends_the_readiness_and_eagain_is_ok_0() {
    let mut core = test_loop();
    let (client, peer) = pair(&mut core);
    core.stream_write(client, vec![vec![7; 4]], "write").unwrap();
    core.stream_read_start(peer).unwrap();
    let mut results = Vec::new();
    run(&mut core, |core, event| {
        if let Event::Readable(id) = event {
            results.push(core.stream_read(id, &mut [0; 4]));
        }
        results.len() == 2
    });
    assert_eq!(results, [Ok(4), Ok(0)], "a full buffer is followed by another read");
    core.stream_write(client, vec![vec![7; 3]], "write").unwrap();
    core.stream_write(client, vec![vec![7; 3]], "last").unwrap();
    let mut reads = 0;
    run(&mut core, |core, event| match event {
        Event::Readable(id) => {
            reads += 1;
            assert_eq!(core.stream_read(id, &mut []), Err(Errno::ENOBUFS));
            assert_eq!(core.stream_read(id, &mut [0; 64]), Ok(6));
            true
        }
        _ => false,
    });
    assert_eq!(core.next(RunMode::NoWait).map(|event| describe(&core, &event)), None);
    assert_eq!(reads, 1);
}

#[test]
fn read_stop_in_the_callback_takes_effect_at_once() {
    let mut core = test_loop();
    let (client, peer) = pair(&mut core);
    core.stream_write(client, vec![vec![7; 4]], "write").unwrap();
    core.stream_read_start(peer).unwrap();
    assert_eq!(core.stream_read_start(peer), Err(Errno::EALREADY));
    run(&mut core, |core, event| match event {
        Event::Readable(id) => {
            assert_eq!(core.stream_read(id, &mut [0; 2]), Ok(2));
            core.stream_read_stop(id).unwrap();
            true
        }
        _ => false,
    });
    assert!(!core.is_active(peer));
    assert!(core.next(RunMode::NoWait).is_none(), "the buffer was filled, but reading is stopped");
    core.stream_read_start(peer).unwrap();
    run(&mut core, |core, event| match event {
        Event::Readable(id) => {
            assert_eq!(core.stream_read(id, &mut [0; 9]), Ok(2));
            core.close(id).unwrap();
            assert_eq!(core.stream_read(id, &mut [0; 9]), Err(Errno::EBADF));
            assert_eq!(core.stream_read_start(id), Err(Errno::EINVAL));
            true
        }
        _ => false,
    });
}

#[test]
fn a_half_closed_connection_still_receives() {
    let mut core = test_loop();
    let (client, peer) = pair(&mut core);
    core.stream_shutdown(client, "shutdown").unwrap();
    assert_eq!(refusal(core.stream_shutdown(client, "again")), Errno::ENOTCONN);
    let refused = core.stream_write(client, vec![b"x".to_vec()], "late").unwrap_err();
    assert_eq!((refused.errno, refused.request, refused.bytes.len()), (Errno::EPIPE, "late", 1));
    core.stream_read_start(peer).unwrap();
    core.stream_read_start(client).unwrap();
    let (mut received, mut order) = (Vec::new(), Vec::new());
    run(&mut core, |core, event| {
        order.push(describe(core, &event));
        if let Event::Readable(id) = event {
            let mut buffer = [0; 64];
            match core.stream_read(id, &mut buffer) {
                Ok(count) => {
                    received.extend_from_slice(&buffer[..count]);
                    core.close(client).unwrap();
                    core.close(peer).unwrap();
                }
                Err(errno) => {
                    assert_eq!((errno, id), (Errno::EOF, peer));
                    core.stream_write(peer, vec![b"still here".to_vec()], "answer").unwrap();
                }
            }
        }
        false
    });
    assert_eq!(received, b"still here");
    assert_eq!(order[0], "shutdown ok");
    assert_eq!(order[order.len() - 2..], ["closed peer", "closed client"]);
}

#[test]
fn a_reset_is_reported_as_econnreset_and_breaks_the_stream() {
    let mut core = test_loop();
    let (client, peer) = pair(&mut core);
    core.stream_read_start(peer).unwrap();
    core.tcp_close_reset(client).unwrap();
    assert_eq!(core.tcp_close_reset(client), Err(Errno::EINVAL), "closing already");
    run(&mut core, |core, event| match event {
        Event::Readable(id) => {
            assert_eq!(core.stream_read(id, &mut [0; 8]), Err(Errno::ECONNRESET));
            assert!(core.is_active(id), "active until the event was handled");
            true
        }
        _ => false,
    });
    while core.next(RunMode::NoWait).is_some() {}
    assert!(!core.is_active(peer) && !core.stream_is_readable(peer) && !core.stream_is_writable(peer));
    assert_eq!(core.stream_read_start(peer), Err(Errno::ENOTCONN));
    let refused = core.stream_write(peer, vec![b"x".to_vec()], "late").unwrap_err();
    assert_eq!(refused.errno, Errno::EPIPE);
    let (client, _peer) = pair(&mut core);
    core.stream_shutdown(client, "shutdown").unwrap();
    assert_eq!(core.tcp_close_reset(client), Err(Errno::EINVAL));
}

#[test]
fn a_closed_peer_fails_every_queued_write_separately() {
    let mut core = test_loop();
    let (client, peer) = pair(&mut core);
    core.tcp_close_reset(peer).unwrap();
    run(&mut core, |_, event| matches!(event, Event::Closed("peer")));
    // The first write gets the pending error of the socket.
    let order: Vec<String> = {
        for name in ["a", "b", "c"] {
            core.stream_write(client, vec![b"x".to_vec()], name).unwrap();
        }
        assert_eq!(core.stream_write_queue_size(client), 3, "bytes of a failed write count until it is reported");
        trace(&mut core)
    };
    assert_eq!(order, ["a ECONNRESET 0", "b EPIPE 0", "c EPIPE 0"]);
    assert_eq!(core.stream_write_queue_size(client), 0);
}

#[test]
fn a_refused_connection_is_reported_later_and_cancels_its_writes() {
    let mut core = test_loop();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    drop(taken);
    let client = core.tcp_open("client");
    core.tcp_connect(client, address, "connect").unwrap();
    assert_eq!(refusal(core.tcp_connect(client, address, "twice")), Errno::EALREADY);
    core.stream_write(client, vec![b"abc".to_vec()], "write").unwrap();
    assert_eq!(core.stream_write_queue_size(client), 3);
    assert_eq!(core.stream_try_write(client, &[IoSlice::new(b"x")]), Err(Errno::EAGAIN));
    assert_eq!(trace(&mut core), ["connect ECONNREFUSED", "write ECANCELED 0"]);
    assert_eq!(core.stream_write_queue_size(client), 0);
}

#[test]
fn eaddrinuse_is_delayed_until_listen_connect_or_getsockname() {
    let mut core = test_loop();
    let (_server, address) = listener(&mut core);
    let second = core.tcp_open("second");
    core.tcp_bind(second, address, TcpBind::default()).unwrap();
    assert_eq!(core.tcp_local_address(second), Err(Errno::EADDRINUSE));
    assert_eq!(core.stream_listen(second, 1), Err(Errno::EADDRINUSE));
    core.tcp_connect(second, address, "connect").unwrap();
    assert_eq!(core.next(RunMode::NoWait).map(|e| describe(&core, &e)).unwrap(), "connect EADDRINUSE");
    let third = core.tcp_open("third");
    assert_eq!(core.tcp_bind(third, address, TcpBind { ipv6_only: true, reuse_port: false }), Err(Errno::EINVAL));
    assert_eq!(core.tcp_local_address(third), Err(Errno::EBADF));
    core.stream_listen(third, 1).unwrap();
    assert_ne!(core.tcp_local_address(third).unwrap().port(), 0);
}

#[test]
fn closing_a_connecting_stream_returns_all_requests() {
    let mut core = test_loop();
    let (server, address) = listener(&mut core);
    core.set_ref(server, false).unwrap();
    let client = core.tcp_open("client");
    core.tcp_connect(client, address, "connect").unwrap();
    core.stream_write(client, vec![b"abc".to_vec()], "w1").unwrap();
    core.stream_write(client, vec![b"d".to_vec()], "w2").unwrap();
    core.stream_shutdown(client, "shutdown").unwrap();
    core.close(client).unwrap();
    assert_eq!(core.fileno(client), Err(Errno::EBADF), "released at once");
    let order = trace(&mut core);
    let own: Vec<&String> = order.iter().filter(|line| !line.starts_with("connection")).collect();
    let wanted = ["connect ECANCELED", "w1 ECANCELED 0", "w2 ECANCELED 0", "shutdown ECANCELED", "closed client"];
    assert_eq!(own, wanted.iter().collect::<Vec<_>>());
}

#[test]
fn closing_reports_finished_writes_first_and_cancels_the_rest() {
    let mut core = test_loop();
    let (client, _peer) = pair(&mut core);
    core.stream_write(client, vec![b"abc".to_vec()], "small").unwrap();
    core.stream_write(client, vec![vec![0; 20_000_000]], "large").unwrap();
    core.stream_write(client, vec![b"abc".to_vec()], "behind").unwrap();
    core.stream_shutdown(client, "shutdown").unwrap();
    core.close(client).unwrap();
    let order = trace(&mut core);
    assert_eq!(order[0], "small ok 3");
    let written: usize = order[1].strip_prefix("large ECANCELED ").unwrap().parse().unwrap();
    assert!(written > 0 && written < 20_000_000);
    assert_eq!(order[2..], ["behind ECANCELED 0", "shutdown ECANCELED", "closed client"]);
}

#[test]
fn a_queued_write_can_be_cancelled_at_any_position() {
    let mut core = test_loop();
    let (client, peer) = pair(&mut core);
    let large = core.stream_write(client, vec![vec![1; 20_000_000]], "large").unwrap();
    let middle = core.stream_write(client, vec![vec![2; 10]], "middle").unwrap();
    core.stream_write(client, vec![vec![3; 10]], "last").unwrap();
    core.cancel(middle).unwrap();
    core.cancel(large).unwrap();
    assert!(core.stream_write_queue_size(client) > 10, "cancelled writes count until they are reported");
    let mut order = Vec::new();
    core.stream_read_start(peer).unwrap();
    let (mut got, mut buffer) = (0usize, vec![0; 65536]);
    let mut ends_with = 0;
    run(&mut core, |core, event| {
        match event {
            Event::Readable(id) => {
                let count = core.stream_read(id, &mut buffer).unwrap();
                got += count;
                if count > 0 {
                    ends_with = buffer[count - 1];
                }
            }
            ref event => order.push(describe(core, event)),
        }
        ends_with == 3 && order.len() == 3
    });
    assert_eq!(order[0], "middle ECANCELED 0");
    let written: usize = order[1].strip_prefix("large ECANCELED ").unwrap().parse().unwrap();
    assert_eq!(order[2], "last ok 10");
    assert_eq!(got, written + 10, "the reported number of bytes has arrived");
    assert_eq!(core.stream_write_queue_size(client), 0);
    assert_eq!(core.cancel(middle), Err(Errno::EBADF));
}

#[test]
fn cancelling_a_write_does_not_end_a_connect_in_progress() {
    let mut core = test_loop();
    let (server, address) = listener(&mut core);
    let client = core.tcp_open("client");
    core.tcp_connect(client, address, "connect").unwrap();
    let write = core.stream_write(client, vec![b"abc".to_vec()], "write").unwrap();
    core.stream_write(client, vec![b"def".to_vec()], "kept").unwrap();
    core.cancel(write).unwrap();
    core.set_ref(server, false).unwrap();
    let order: Vec<String> = trace(&mut core).into_iter().filter(|line| !line.starts_with("connection")).collect();
    assert_eq!(order, ["write ECANCELED 0", "connect ok", "kept ok 3"]);
}

#[test]
fn a_listener_pauses_until_its_connection_is_accepted() {
    let mut core = test_loop();
    let (server, address) = listener(&mut core);
    let acceptor = core.tcp_open("acceptor");
    assert_eq!(core.stream_accept(server, acceptor), Err(Errno::EAGAIN));
    let _peers: Vec<TcpStream> = (0..3).map(|_| TcpStream::connect(address).unwrap()).collect();
    let mut connections = 0;
    run(&mut core, |_, event| {
        connections += i32::from(matches!(event, Event::Connection(..)));
        connections == 1
    });
    for _ in 0..3 {
        assert!(core.next(RunMode::NoWait).is_none(), "the first connection is not accepted yet");
    }
    core.stream_accept(server, acceptor).unwrap();
    run(&mut core, |core, event| match event {
        Event::Connection(id, Ok(())) => {
            connections += 1;
            assert_eq!(core.stream_accept(id, acceptor), Err(Errno::EBUSY), "closes the connection");
            connections == 3
        }
        _ => false,
    });
    assert_eq!(connections, 3);
    assert!(core.stream_is_readable(acceptor) && core.stream_is_writable(acceptor));
    core.close(server).unwrap();
    assert_eq!(core.stream_accept(server, acceptor), Err(Errno::EAGAIN));
    core.close(acceptor).unwrap();
    assert_eq!(trace(&mut core), ["closed acceptor", "closed server"]);
}

#[test]
fn closing_in_a_write_callback_reports_other_finished_writes_first() {
    let mut core = test_loop();
    let (client, _peer) = pair(&mut core);
    core.stream_write(client, vec![b"a".to_vec()], "a").unwrap();
    core.stream_write(client, vec![b"b".to_vec()], "b").unwrap();
    core.stream_shutdown(client, "shutdown").unwrap();
    let mut order = Vec::new();
    run(&mut core, |core, event| {
        order.push(describe(core, &event));
        if let Event::Done("a", _) = event {
            core.close(client).unwrap();
        }
        false
    });
    assert_eq!(order, ["a ok 1", "b ok 1", "shutdown ECANCELED", "closed client"]);
}

#[test]
fn ids_that_are_stale_or_of_another_kind_are_refused() {
    let mut core = test_loop();
    let timer = core.timer_open("timer");
    let gone = core.tcp_open("gone");
    core.close(gone).unwrap();
    trace(&mut core);
    for id in [timer, gone] {
        assert_eq!(core.stream_read_start(id), Err(Errno::EBADF));
        assert_eq!(core.stream_read(id, &mut [0]), Err(Errno::EBADF));
        assert_eq!(core.stream_write(id, vec![], "w").unwrap_err().errno, Errno::EBADF);
        assert_eq!(refusal(core.stream_shutdown(id, "s")), Errno::EBADF);
        assert_eq!(core.stream_listen(id, 1), Err(Errno::EBADF));
        assert_eq!(refusal(core.tcp_connect(id, localhost(), "c")), Errno::EBADF);
        assert_eq!(core.tcp_nodelay(id, true), Err(Errno::EBADF));
        assert!(!core.stream_is_readable(id) && core.fileno(id).is_err());
    }
    let unopened = core.tcp_open("fresh");
    assert_eq!(core.stream_write(unopened, vec![], "w").unwrap_err().errno, Errno::EBADF);
    assert_eq!(core.stream_read_start(unopened), Err(Errno::ENOTCONN));
    assert_eq!(refusal(core.stream_shutdown(unopened, "s")), Errno::ENOTCONN);
    assert_eq!(core.tcp_close_reset(unopened), Err(Errno::EBADF));
    assert!(!core.is_closing(unopened));
}

#[test]
fn an_adopted_socket_is_taken_over_or_left_unchanged() {
    let mut core = test_loop();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let socket = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (mut other, _) = listener.accept().unwrap();
    let raw = socket.as_raw_fd();
    let tcp = core.tcp_open("tcp");
    core.tcp_nodelay(tcp, true).unwrap();
    core.tcp_keepalive(tcp, Some(Keepalive { idle_s: 30, interval_s: 1, count: 10 })).unwrap();
    core.tcp_adopt(tcp, Fd::adopt(socket.into_raw_fd()).unwrap()).unwrap();
    core.stream_read_start(tcp).unwrap();
    let second = core.tcp_open("second");
    let (errno, same) = core.tcp_adopt(second, Fd::adopt(raw).unwrap()).unwrap_err();
    assert_eq!((errno, same.release()), (Errno::EEXIST, raw));
    let (errno, other_socket) = core.tcp_adopt(tcp, Fd::adopt(listener.into_raw_fd()).unwrap()).unwrap_err();
    assert_eq!(errno, Errno::EBUSY);
    drop(other_socket);
    assert_eq!(core.fileno(tcp), Ok(raw));
    assert_eq!(core.stream_try_write(tcp, &[IoSlice::new(b"he"), IoSlice::new(b"llo")]), Ok(5));
    let mut buffer = [0; 5];
    other.read_exact(&mut buffer).unwrap();
    assert_eq!(&buffer, b"hello");
    other.write_all(b"x").unwrap();
    drop(other);
    let mut results = Vec::new();
    run(&mut core, |core, event| {
        if let Event::Readable(id) = event {
            results.push(core.stream_read(id, &mut [0; 8]));
        }
        results.len() == 2
    });
    assert_eq!(results, [Ok(1), Err(Errno::EOF)]);
    core.set_send_buffer_size(tcp, 10_000).unwrap();
    assert_eq!(core.send_buffer_size(tcp), Ok(20_000));
    let timer = core.timer_open("timer");
    assert_eq!(core.send_buffer_size(timer), Err(Errno::ENOTSUP));
    assert_eq!(core.fileno(timer), Err(Errno::EINVAL));
}

#[test]
fn a_shutdown_requested_while_connecting_completes_after_the_connect() {
    let mut core = test_loop();
    let (server, address) = listener(&mut core);
    core.set_ref(server, false).unwrap();
    let client = core.tcp_open("client");
    core.tcp_connect(client, address, "connect").unwrap();
    core.stream_shutdown(client, "shutdown").unwrap();
    let order: Vec<String> = trace(&mut core).into_iter().filter(|line| !line.starts_with("connection")).collect();
    assert_eq!(order, ["connect ok", "shutdown ok"]);
}
