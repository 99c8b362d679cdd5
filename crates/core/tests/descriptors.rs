//! Ten thousand connections leak nothing. In a process of its own, because it counts file descriptors.

mod common;

use common::*;
use phasor_core::{Event, Outcome};

#[test]
fn ten_thousand_connections_leak_no_fd_and_no_slot() {
    let mut core = test_loop();
    let (server, address) = listener(&mut core);
    let before = descriptors();
    let (mut opened, mut closed, mut alive) = (0, 0, 0);
    let mut most_handles = 0;
    let connect = |core: &mut Core| {
        let client = core.tcp_open("client");
        core.tcp_connect(client, address, "connect").unwrap();
        core.stream_write(client, vec![b"ping".to_vec()], "ping").unwrap();
        core.stream_read_start(client).unwrap();
    };
    for _ in 0..20 {
        connect(&mut core);
        opened += 1;
    }
    run(&mut core, |core, event| {
        match event {
            Event::Connection(id, Ok(())) => {
                let peer = core.tcp_open("peer");
                core.stream_accept(id, peer).unwrap();
                core.stream_read_start(peer).unwrap();
                alive += 1;
            }
            Event::Done(_, Outcome::Connect(result)) => result.unwrap(),
            Event::Done("ping", Outcome::Write { result, .. }) => result.unwrap(),
            Event::Readable(id) => {
                let mut buffer = [0; 16];
                let read = core.stream_read(id, &mut buffer);
                match (core.face(id), read) {
                    (Some(&"peer"), Ok(4)) => {
                        core.stream_write(id, vec![buffer[..4].to_vec()], "pong").unwrap();
                    }
                    (Some(&"client"), Ok(4)) => core.tcp_close_reset(id).unwrap(),
                    (Some(_), Ok(0)) => {}
                    (Some(&"peer"), Err(_)) => core.close(id).unwrap(),
                    (face, read) => panic!("{face:?} read {read:?}"),
                }
            }
            Event::Hangup(id) => core.close(id).unwrap(),
            Event::Closed(face) => {
                closed += 1;
                if face == "client" && opened < 10_000 {
                    connect(core);
                    opened += 1;
                }
            }
            _ => {}
        }
        most_handles = most_handles.max(core.handles().len());
        closed == 20_000
    });
    assert_eq!((opened, alive, closed), (10_000, 10_000, 20_000));
    assert!(most_handles < 100, "{most_handles}");
    assert_eq!(descriptors(), before);
    assert_eq!(core.handles().len(), 2, "the server and the watchdog");
    core.close(server).unwrap();
    assert_eq!(trace(&mut core), ["closed server"]);
    assert_eq!(descriptors(), before - 1);
}
