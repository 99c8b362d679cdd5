//! A listener in a process without free file descriptors. In a process of its own, because it changes the process's
//! limit.

mod common;

use std::io::Read;
use std::net::TcpStream;
use std::time::Duration;

use common::*;
use phasor_core::{Event, RunMode};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

#[test]
fn a_listener_out_of_fds_sheds_connections_and_recovers() {
    let mut core = test_loop();
    let (server, address) = listener(&mut core);
    let mut peers: Vec<TcpStream> = (0..3).map(|_| TcpStream::connect(address).unwrap()).collect();
    let old = getrlimit(Resource::Nofile);
    let used = std::fs::read_dir("/proc/self/fd").unwrap().count() as u64 + 64;
    setrlimit(Resource::Nofile, Rlimit { current: Some(used), maximum: old.maximum }).unwrap();
    let mut held = Vec::new();
    exhaust_fds(&mut held);

    // The connections are shed: the peers read end of file or a reset, and there is no event.
    let mut turns = 0;
    while core.metrics().events < 1 {
        assert!(core.next(RunMode::Once).is_none());
        turns += 1;
        assert!(turns < 100);
    }
    for peer in &mut peers {
        peer.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        assert!(matches!(peer.read(&mut [0; 8]), Ok(0) | Err(_)));
    }
    drop(peers);

    // The spare file descriptor was opened again, so shedding works a second time. The peer needs one file descriptor
    // itself.
    exhaust_fds(&mut held);
    held.pop();
    let mut peer = TcpStream::connect(address).unwrap();
    let before = core.metrics().events;
    while core.metrics().events == before {
        assert!(core.next(RunMode::Once).is_none());
    }
    peer.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    assert!(matches!(peer.read(&mut [0; 8]), Ok(0) | Err(_)));
    drop(peer);

    // A listener without a spare file descriptor pauses instead of spinning, and loses no connection.
    exhaust_fds(&mut held);
    // For an epoll, an eventfd and a socket.
    held.truncate(held.len() - 3);
    let mut no_spare = test_loop();
    let (_, no_spare_address) = listener(&mut no_spare);
    assert!(std::fs::File::open("/dev/null").is_err());
    held.pop();
    let waiting_peer = TcpStream::connect(no_spare_address).unwrap();
    let tick = no_spare.timer_open("tick");
    no_spare.timer_start(tick, 100, 0).unwrap();
    run(&mut no_spare, |_, event| matches!(event, Event::Timer(_)));
    let events = no_spare.metrics().events;
    assert!((1..=20).contains(&events), "{events} events in 100 ms");
    held.truncate(held.len() - 2);
    run(&mut no_spare, |_, event| matches!(event, Event::Connection(_, Ok(()))));
    drop((waiting_peer, no_spare));

    // With free file descriptors the listener accepts again.
    setrlimit(Resource::Nofile, old).unwrap();
    drop(held);
    let _peer = TcpStream::connect(address).unwrap();
    let client = core.tcp_open("accepted");
    run(&mut core, |core, event| match event {
        Event::Connection(id, Ok(())) => {
            core.stream_accept(id, client).unwrap();
            true
        }
        _ => false,
    });
    assert!(core.stream_is_readable(client) && core.is_active(server));
}

/// Opens files until there are no free file descriptors.
fn exhaust_fds(held: &mut Vec<std::fs::File>) {
    while let Ok(file) = std::fs::File::open("/dev/null") {
        held.push(file);
    }
}
