//! Tests of pipe handles: names, FIFOs, and passing file descriptors.

mod common;

use std::io::IoSlice;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use common::*;
use phasor_core::{Errno, Event, HandleId, Kind, Outcome, RunMode, UdpBind, pipe_pair, stream_pair};

/// A path in a directory, also as the bytes of a pipe's name.
fn name(dir: &Scratch, file: &str) -> (PathBuf, Vec<u8>) {
    let path = dir.0.join(file);
    let bytes = path.to_str().unwrap().as_bytes().to_vec();
    (path, bytes)
}

/// Connects to a listening pipe and accepts. Returns the connecting and the accepted end.
fn connect_and_accept(core: &mut Core, server: HandleId, name: &[u8]) -> (HandleId, HandleId) {
    let client = core.pipe_open(false, "client");
    core.pipe_connect(client, name, "connect").unwrap();
    let (mut connected, mut accepted) = (false, None);
    run(core, |core, event| {
        match event {
            Event::Done("connect", Outcome::Connect(result)) => {
                result.unwrap();
                connected = true;
            }
            Event::Connection(id, Ok(())) => {
                assert_eq!(id, server);
                let peer = core.pipe_open(false, "peer");
                core.stream_accept(server, peer).unwrap();
                accepted = Some(peer);
            }
            _ => {}
        }
        connected && accepted.is_some()
    });
    (client, accepted.unwrap())
}

/// Two connected IPC pipes.
fn ipc_pair(core: &mut Core) -> (HandleId, HandleId) {
    let (a, b) = stream_pair([true, true]).unwrap();
    let (left, right) = (core.pipe_open(true, "left"), core.pipe_open(true, "right"));
    core.pipe_adopt(left, a).unwrap();
    core.pipe_adopt(right, b).unwrap();
    (left, right)
}

#[test]
fn the_socket_file_exists_while_the_handle_is_open() {
    let (mut core, dir) = (test_loop(), Scratch::new());
    let (path, name) = name(&dir, "socket");
    let server = core.pipe_open(false, "server");
    assert_eq!(core.stream_listen(server, 1), Err(Errno::EINVAL), "not bound");
    core.pipe_bind(server, &name, true).unwrap();
    assert_eq!(core.pipe_bind(server, &name, true), Err(Errno::EINVAL));
    core.stream_listen(server, 8).unwrap();
    core.pipe_chmod(server, true, true).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o666);
    assert_eq!(core.pipe_chmod(server, false, false), Err(Errno::EINVAL));
    let (client, peer) = connect_and_accept(&mut core, server, &name);
    assert_eq!(core.pipe_local_name(server), Ok(name.clone()));
    assert_eq!(core.pipe_peer_name(client), Ok(name.clone()));
    assert_eq!(core.pipe_local_name(client), Ok(vec![]));
    let second = core.pipe_open(false, "second");
    assert_eq!(core.pipe_bind(second, &name, true), Err(Errno::EADDRINUSE));
    core.stream_write(client, vec![b"hi".to_vec()], "write").unwrap();
    core.stream_read_start(peer).unwrap();
    run(&mut core, |core, event| match event {
        Event::Readable(id) => core.stream_read(id, &mut [0; 9]) == Ok(2),
        _ => false,
    });
    core.close(server).unwrap();
    assert!(!path.exists(), "unlinked at once");
    core.close(client).unwrap();
    run(&mut core, |core, event| match event {
        Event::Readable(id) => {
            assert_eq!((id, core.stream_read(id, &mut [0; 9])), (peer, Err(Errno::EOF)));
            true
        }
        Event::Hangup(id) => id == peer,
        _ => false,
    });
}

#[test]
fn abstract_names_leave_no_file_and_autobind_works() {
    let mut core = test_loop();
    let name = format!("\0phasor-core\0{}", std::process::id()).into_bytes();
    for bound in [name, vec![]] {
        let server = core.pipe_open(false, "server");
        core.pipe_bind(server, &bound, true).unwrap();
        core.stream_listen(server, 8).unwrap();
        let reported = core.pipe_local_name(server).unwrap();
        assert!(reported[0] == 0 && (bound.is_empty() || reported == bound));
        connect_and_accept(&mut core, server, &reported);
        core.close(server).unwrap();
    }
}

#[test]
fn bad_names_are_refused_as_libuv_does() {
    let (mut core, dir) = (test_loop(), Scratch::new());
    let (_, missing) = name(&dir, "no/such/socket");
    let pipe = core.pipe_open(false, "pipe");
    assert_eq!(core.pipe_bind(pipe, &missing, true), Err(Errno::EACCES));
    assert_eq!(core.pipe_bind(pipe, b"a\0b", true), Err(Errno::EINVAL));
    assert_eq!(core.pipe_bind(pipe, &[b'x'; 300], true), Err(Errno::EINVAL));
    assert_eq!(refusal(core.pipe_connect_checked(pipe, b"", true, "c")), Errno::EINVAL);
    assert_eq!(refusal(core.pipe_connect_checked(pipe, &[b'x'; 300], true, "c")), Errno::EINVAL);
    // All other errors are reported later, also that of an empty name.
    core.pipe_connect(pipe, &missing, "missing").unwrap();
    assert_eq!(refusal(core.pipe_connect(pipe, &missing, "twice")), Errno::EALREADY);
    assert_eq!(trace(&mut core), ["missing ENOENT"]);
    let other = core.pipe_open(false, "other");
    core.pipe_connect(other, b"", "empty").unwrap();
    core.stream_write(other, vec![b"x".to_vec()], "early").unwrap_err();
    assert_eq!(trace(&mut core), ["empty EINVAL"]);
    let (file, name) = name(&dir, "file");
    std::fs::write(file, b"").unwrap();
    core.pipe_connect(pipe, &name, "file").unwrap();
    assert_eq!(trace(&mut core), ["file ECONNREFUSED"]);
}

#[test]
fn a_pipe_end_has_one_direction_and_sigpipe_is_ignored() {
    let mut core = test_loop();
    let (reader, writer) = pipe_pair([false, false]).unwrap();
    let (source, sink) = (core.pipe_open(false, "source"), core.pipe_open(false, "sink"));
    core.pipe_adopt(source, reader).unwrap();
    core.pipe_adopt(sink, writer).unwrap();
    assert!(core.stream_is_readable(source) && !core.stream_is_writable(source));
    assert!(core.stream_is_writable(sink) && !core.stream_is_readable(sink));
    assert_eq!(core.stream_read_start(sink), Err(Errno::ENOTCONN));
    let refused = core.stream_write(source, vec![b"x".to_vec()], "w").unwrap_err();
    assert_eq!(refused.errno, Errno::EPIPE);
    core.stream_write(sink, vec![b"through".to_vec(), b" a pipe".to_vec()], "write").unwrap();
    core.stream_read_start(source).unwrap();
    run(&mut core, |core, event| match event {
        Event::Readable(id) => {
            let mut buffer = [0; 64];
            assert_eq!(core.stream_read(id, &mut buffer), Ok(14));
            assert_eq!(&buffer[..14], b"through a pipe");
            core.close(id).unwrap();
            true
        }
        _ => false,
    });
    run(&mut core, |_, event| matches!(event, Event::Closed("source")));
    while core.next(RunMode::NoWait).is_some() {}
    core.stream_write(sink, vec![b"x".to_vec()], "broken").unwrap();
    assert_eq!(trace(&mut core), ["broken EPIPE 0"]);
}

#[test]
fn eof_of_a_pipe_with_a_closed_writer_is_reported_without_a_read() {
    let mut core = test_loop();
    let (reader, writer) = pipe_pair([true, true]).unwrap();
    let source = core.pipe_open(false, "source");
    core.pipe_adopt(source, reader).unwrap();
    core.stream_read_start(source).unwrap();
    drop(writer);
    let mut ends = 0;
    run(&mut core, |_, event| {
        ends += usize::from(matches!(event, Event::Hangup(id) if id == source));
        assert!(!matches!(event, Event::Readable(_)), "no read is offered");
        false
    });
    assert_eq!(ends, 1);
    assert!(!core.stream_is_reading(source) && !core.is_active(source));
}

#[test]
fn a_write_end_made_readable_reports_the_closed_read_end() {
    let mut core = test_loop();
    let (theirs, ours) = pipe_pair([false, true]).unwrap();
    let sink = core.pipe_open(false, "sink");
    core.pipe_adopt(sink, ours).unwrap();
    assert_eq!(core.stream_read_start(sink), Err(Errno::ENOTCONN));
    core.stream_add_directions(sink, true, false).unwrap();
    core.stream_read_start(sink).unwrap();
    assert_eq!((core.active_handles(), core.active_requests()), (1, 0));
    drop(theirs);
    let mut reported = false;
    run(&mut core, |core, event| {
        match event {
            Event::Readable(id) => reported = core.stream_read(id, &mut [0; 8]).is_err(),
            Event::Hangup(_) => reported = true,
            _ => {}
        }
        reported
    });
    assert!(reported);
}

#[test]
fn handles_travel_through_ipc_pipes_in_order() {
    let mut core = test_loop();
    let (left, right) = ipc_pair(&mut core);
    assert_eq!(core.stream_listen(left, 1), Err(Errno::EINVAL), "an IPC pipe cannot listen");
    let (server, address) = listener(&mut core);
    let udp = core.udp_open("udp");
    core.udp_bind(udp, &localhost().into(), UdpBind::default()).unwrap();
    let (end, other_end) = stream_pair([true, true]).unwrap();
    let pipe = core.pipe_open(false, "pipe");
    core.pipe_adopt(pipe, end).unwrap();
    let timer = core.timer_open("timer");
    let refused = core.stream_write_with_handle(left, vec![b"x".to_vec()], timer, "w").unwrap_err();
    assert_eq!(refused.errno, Errno::EBADF);
    let refused = core.stream_write_with_handle(pipe, vec![b"x".to_vec()], server, "w").unwrap_err();
    assert_eq!(refused.errno, Errno::EINVAL, "not an IPC pipe");
    core.stream_write(left, vec![b"0".to_vec()], "plain").unwrap();
    core.stream_write_with_handle(left, vec![b"1".to_vec()], server, "tcp").unwrap();
    core.stream_write_with_handle(left, vec![b"2".to_vec()], pipe, "pipe").unwrap();
    assert_eq!(core.stream_try_write_with_handle(left, &[IoSlice::new(b"3")], udp), Ok(1));
    core.stream_read_start(right).unwrap();
    assert_eq!((core.pipe_pending_count(right), core.pipe_pending_kind(right)), (0, None));
    let mut got = Vec::new();
    let mut taken = Vec::new();
    run(&mut core, |core, event| {
        if let Event::Readable(id) = event {
            let mut buffer = [0; 64];
            let count = core.stream_read(id, &mut buffer).unwrap();
            got.extend_from_slice(&buffer[..count]);
            while let Some(kind) = core.pipe_pending_kind(id) {
                let client = match kind {
                    Kind::Tcp => core.tcp_open("passed tcp"),
                    Kind::Pipe => core.pipe_open(false, "passed pipe"),
                    Kind::Udp => core.udp_open("passed udp"),
                    other => panic!("{other:?}"),
                };
                let before = core.pipe_pending_count(id);
                core.stream_accept(id, client).unwrap();
                assert_eq!(core.pipe_pending_count(id), before - 1);
                taken.push((kind, client));
            }
        }
        taken.len() == 3
    });
    assert_eq!(got, b"0123");
    assert_eq!(taken.iter().map(|&(kind, _)| kind).collect::<Vec<_>>(), [Kind::Tcp, Kind::Pipe, Kind::Udp]);
    assert_eq!(core.tcp_local_address(taken[0].1), Ok(address), "the same socket");
    core.stream_write(taken[1].1, vec![b"hi".to_vec()], "hi").unwrap();
    let third = core.pipe_open(false, "third");
    core.pipe_adopt(third, other_end).unwrap();
    core.stream_read_start(third).unwrap();
    run(&mut core, |core, event| match event {
        Event::Readable(id) if id == third => core.stream_read(id, &mut [0; 9]) == Ok(2),
        _ => false,
    });
    // The received listener works after the original one was closed.
    core.close(server).unwrap();
    core.stream_listen(taken[0].1, 8).unwrap();
    let peer = std::net::TcpStream::connect(address).unwrap();
    run(&mut core, |_, event| matches!(event, Event::Connection(id, Ok(())) if id == taken[0].1));
    drop(peer);
}

#[test]
fn unaccepted_fds_are_closed_with_the_ipc_pipe() {
    let mut core = test_loop();
    let (left, right) = ipc_pair(&mut core);
    let (end, other_end) = stream_pair([true, true]).unwrap();
    let passed = core.pipe_open(false, "passed");
    core.pipe_adopt(passed, end).unwrap();
    for _ in 0..20 {
        core.stream_write_with_handle(left, vec![b"x".to_vec()], passed, "write").unwrap();
    }
    core.close(passed).unwrap();
    core.stream_read_start(right).unwrap();
    run(&mut core, |core, event| {
        if let Event::Readable(id) = event {
            core.stream_read(id, &mut [0; 64]).unwrap();
        }
        core.pipe_pending_count(right) == 20
    });
    core.close(right).unwrap();
    core.close(left).unwrap();
    trace(&mut core);
    let watcher = core.pipe_open(false, "watcher");
    core.pipe_adopt(watcher, other_end).unwrap();
    core.stream_read_start(watcher).unwrap();
    let mut ended = false;
    run(&mut core, |core, event| {
        ended = match event {
            Event::Readable(id) => core.stream_read(id, &mut [0; 64]) == Err(Errno::EOF),
            Event::Hangup(_) => true,
            _ => false,
        };
        ended
    });
    assert!(ended, "all copies of the other end are closed");
}

#[test]
fn closing_a_handle_before_it_is_passed_fails_only_its_write() {
    let mut core = test_loop();
    let (left, right) = ipc_pair(&mut core);
    let (server, _) = listener(&mut core);
    core.stream_write(left, vec![vec![0; 5_000_000]], "large").unwrap();
    core.stream_write_with_handle(left, vec![b"x".to_vec()], server, "handle").unwrap();
    core.stream_write(left, vec![b"y".to_vec()], "behind").unwrap();
    core.close(server).unwrap();
    core.stream_read_start(right).unwrap();
    let (mut order, mut got, mut buffer) = (Vec::new(), 0, vec![0; 65536]);
    run(&mut core, |core, event| {
        match event {
            Event::Readable(id) => got += core.stream_read(id, &mut buffer).unwrap(),
            Event::Done(..) => order.push(describe(core, &event)),
            _ => {}
        }
        order.len() == 3 && got == 5_000_001
    });
    assert_eq!(order, ["large ok 5000000", "handle EBADF 0", "behind ok 1"]);
}
