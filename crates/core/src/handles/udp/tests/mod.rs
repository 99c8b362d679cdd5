//! Tests of UDP handles with real sockets on the loopback interface.

mod send;

use std::collections::HashMap;
use std::io::IoSlice;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::AsRawFd;

use phasor_sys::socket::{
    self, Address, CHUNK_BYTES, Datagram, Domain, Interface, Membership, Outgoing, UdpBind, UnixName,
};
use phasor_sys::{Errno, Fd};

use super::Received;
use crate::{Event, Face, HandleId, Loop, Outcome, RunMode};

struct Test;

impl Face for Test {
    type Handle = &'static str;
    type Request = u32;
    type Bytes = Vec<Vec<u8>>;
}

/// The events of a test, in order.
#[derive(Debug, PartialEq, Eq)]
enum Seen {
    Got(&'static str, Vec<u8>),
    Nothing(&'static str),
    Error(&'static str, Errno),
    Failed(&'static str, Errno, Vec<u8>),
    Sent(u32, Result<(), Errno>),
    Closed(&'static str),
    Checked,
}

use Seen::{Checked, Closed, Error, Failed, Got, Nothing, Sent};

struct TestLoop {
    core: Loop<Test>,
    seen: Vec<Seen>,
    guard: HandleId,
    /// The sender of the last datagram, by receiving handle.
    senders: HashMap<&'static str, Option<Address>>,
}

const DEFAULT: UdpBind = UdpBind { ipv6_only: false, reuse_address: false, reuse_port: false, receive_errors: false };
const LIMIT_MS: u64 = 20_000;

fn localhost() -> Address {
    SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into()
}

impl TestLoop {
    fn new() -> TestLoop {
        let mut core = Loop::new().unwrap();
        let guard = core.timer_open("guard");
        core.timer_start(guard, LIMIT_MS, 0).unwrap();
        core.set_ref(guard, false).unwrap();
        TestLoop { core, seen: Vec::new(), guard, senders: HashMap::new() }
    }

    fn bound(&mut self, name: &'static str) -> (HandleId, Address) {
        let id = self.core.udp_open(name);
        self.core.udp_bind(id, &localhost(), DEFAULT).unwrap();
        let address = self.core.udp_local_address(id).unwrap();
        (id, address)
    }

    fn receiver(&mut self, name: &'static str) -> (HandleId, Address) {
        let (id, address) = self.bound(name);
        self.core.udp_recv_start(id).unwrap();
        (id, address)
    }

    fn send(&mut self, id: HandleId, bytes: &[u8], to: Option<&Address>, request: u32) {
        self.core.udp_send(id, vec![bytes.to_vec()], to.cloned(), request).unwrap();
    }

    /// Records one event. A datagram is received into `buffer`.
    fn note(&mut self, event: Event<Test>, buffer: &mut [u8]) {
        let seen = match event {
            Event::Timer(id) if id == self.guard => panic!("timed out; so far {:?}", self.seen),
            Event::Datagram(id) => {
                let name = *self.core.face(id).unwrap();
                match self.core.udp_recv(id, buffer) {
                    Ok(Received::Nothing) => Nothing(name),
                    Ok(Received::Datagram(datagram)) => {
                        self.senders.insert(name, datagram.sender);
                        Got(name, buffer[..datagram.len].to_vec())
                    }
                    Ok(Received::Failure { errno, datagram, .. }) => {
                        Failed(name, errno, buffer[..datagram.len].to_vec())
                    }
                    Err(errno) => Error(name, errno),
                }
            }
            Event::Done(request, Outcome::Send { result, .. }) => Sent(request, result),
            Event::Closed(name) => Closed(name),
            Event::Check(_) => Checked,
            _ => panic!("unexpected event"),
        };
        self.seen.push(seen);
    }

    /// Runs until the loop has nothing to do; `act` is called with the index of each recorded event.
    fn run(&mut self, mut act: impl FnMut(&mut TestLoop, usize)) {
        let mut buffer = vec![0; 64 * 1024];
        while let Some(event) = self.core.next(RunMode::Default) {
            self.note(event, &mut buffer);
            act(self, self.seen.len() - 1);
        }
    }

    /// Runs until the event `seen` was recorded.
    fn run_until(&mut self, seen: &Seen) {
        let mut buffer = vec![0; 64 * 1024];
        while !self.seen.contains(seen) {
            match self.core.next(RunMode::Once) {
                Some(event) => self.note(event, &mut buffer),
                None => assert!(self.core.is_alive(), "nothing left to do; so far {:?}", self.seen),
            }
        }
    }

    fn take(&mut self) -> Vec<Seen> {
        std::mem::take(&mut self.seen)
    }
}

#[test]
fn a_datagram_is_echoed() {
    let mut test = TestLoop::new();
    let (server, there) = test.receiver("server");
    let client = test.core.udp_open("client");
    assert_eq!(test.core.fileno(client), Err(Errno::EBADF));
    assert_eq!(test.core.udp_local_address(client), Err(Errno::EBADF));
    test.core.udp_send(client, vec![b"he".to_vec(), b"llo".to_vec()], Some(there.clone()), 1).unwrap();
    assert_eq!((test.core.udp_send_queue_count(client), test.core.udp_send_queue_size(client)), (1, 5));
    assert!(test.core.is_active(client));
    test.core.udp_recv_start(client).unwrap();
    assert_eq!(test.core.udp_recv_start(client), Err(Errno::EALREADY));
    test.run(|test, at| match &test.seen[at] {
        Got("server", bytes) => {
            let (bytes, back) = (bytes.clone(), test.senders["server"].clone());
            test.core.udp_send(server, vec![bytes], back, 2).unwrap();
        }
        Got("client", _) => {
            assert_eq!(test.senders["client"].as_ref(), Some(&there));
            test.core.close(client).unwrap();
            test.core.close(server).unwrap();
        }
        _ => {}
    });
    // The record of an empty socket is removed: the kernel decides whether the server finds its socket empty before the
    // client receives the answer.
    let seen: Vec<Seen> = test.take().into_iter().filter(|seen| !matches!(seen, Nothing(_))).collect();
    let place =
        |what: &Seen| seen.iter().position(|seen| seen == what).unwrap_or_else(|| panic!("{what:?} in {seen:?}"));
    let expected = [Sent(1, Ok(())), Got("server", b"hello".to_vec()), Got("client", b"hello".to_vec())];
    assert!(expected.iter().map(place).is_sorted(), "{seen:?}");
    assert!(place(&Sent(2, Ok(()))) > place(&expected[1]));
    assert_eq!(seen[seen.len() - 2..], [Closed("server"), Closed("client")]);
}

#[test]
fn a_connected_handle_refuses_addresses_and_an_unconnected_one_needs_them() {
    let mut test = TestLoop::new();
    let (_, a_name) = test.receiver("a");
    let (b, b_name) = test.bound("b");
    assert_eq!(test.core.udp_bind(b, &b_name, DEFAULT), Err(Errno::EINVAL), "it is bound");
    let send = |test: &mut TestLoop, to: Option<&Address>| {
        let bytes = vec![b"kept".to_vec()];
        let refused = test.core.udp_send(b, bytes, to.cloned(), 7).unwrap_err();
        assert_eq!((refused.bytes, refused.request), (vec![b"kept".to_vec()], 7));
        let slice = [IoSlice::new(b"x")];
        assert_eq!(test.core.udp_try_send(b, &slice, to), Err(refused.errno));
        let batch = [Outgoing { slices: &slice, to }; 2];
        assert_eq!(test.core.udp_try_send_batch(b, &batch), Err(refused.errno));
        refused.errno
    };
    assert_eq!(send(&mut test, None), Errno::EDESTADDRREQ);
    assert_eq!(test.core.udp_connect(b, None), Err(Errno::ENOTCONN));
    assert_eq!(test.core.udp_peer_address(b), Err(Errno::ENOTCONN));
    test.core.udp_connect(b, Some(&a_name)).unwrap();
    assert_eq!(test.core.udp_connect(b, Some(&a_name)), Err(Errno::EISCONN));
    assert_eq!(test.core.udp_peer_address(b), Ok(a_name.clone()));
    assert_eq!(send(&mut test, Some(&a_name)), Errno::EISCONN);
    test.send(b, b"connected", None, 1);
    test.run_until(&Got("a", b"connected".to_vec()));
    assert_eq!(test.senders["a"].as_ref(), Some(&b_name));
    test.core.udp_connect(b, None).unwrap();
    assert_eq!(send(&mut test, None), Errno::EDESTADDRREQ);
    let unix = Address::Unix(UnixName::new(b"/nowhere").unwrap());
    assert_eq!(test.core.udp_connect(b, Some(&unix)), Err(Errno::EINVAL));
    assert_eq!(test.core.udp_bind(b, &unix, DEFAULT), Err(Errno::EINVAL));
    let fresh = test.core.udp_open("fresh");
    assert_eq!(test.core.udp_connect(fresh, Some(&unix)), Err(Errno::EINVAL));
    test.core.udp_connect(fresh, Some(&a_name)).unwrap();
    assert_eq!(test.core.udp_try_send(fresh, &[IoSlice::new(b"bo"), IoSlice::new(b"th")], None), Ok(4));
    test.run_until(&Got("a", b"both".to_vec()));
}

#[test]
fn recv_batch_takes_many_datagrams_with_one_call() {
    let mut test = TestLoop::new();
    let (a, a_name) = test.receiver("a");
    let (b, b_name) = test.bound("b");
    for n in 0..45u8 {
        test.core.udp_try_send(b, &[IoSlice::new(&[n])], Some(&a_name)).unwrap();
    }
    let mut buffer = vec![0; 20 * CHUNK_BYTES + 5];
    let mut counts = Vec::new();
    let mut firsts = Vec::new();
    let mut received = Vec::new();
    while firsts.len() < 45 {
        match test.core.next(RunMode::Once) {
            Some(Event::Datagram(id)) => {
                assert_eq!(id, a);
                let count = test.core.udp_recv_batch(a, &mut buffer, &mut received).unwrap();
                counts.push(count);
                for (k, one) in received.drain(..).enumerate() {
                    let datagram = Datagram { len: 1, sender: Some(b_name.clone()), truncated: false };
                    assert_eq!(one, Received::Datagram(datagram));
                    firsts.push(buffer[k * CHUNK_BYTES]);
                }
            }
            Some(Event::Timer(_)) => panic!("timed out"),
            _ => {}
        }
    }
    assert!(firsts.iter().copied().eq(0..45));
    assert_eq!(counts, [20, 20, 5], "calls are made until 32 datagrams were received");
    assert_eq!(test.core.udp_recv_batch(a, &mut buffer, &mut received), Ok(0));
    assert_eq!(test.core.udp_recv_batch(a, &mut buffer[..100], &mut received), Err(Errno::EINVAL));
    assert_eq!(test.core.udp_recv_batch(a, &mut [], &mut received), Err(Errno::ENOBUFS));
}

#[test]
fn one_readiness_delivers_at_most_32_datagrams() {
    let mut test = TestLoop::new();
    let (a, a_name) = test.receiver("a");
    for _ in 0..40 {
        test.core.udp_try_send(a, &[IoSlice::new(b"x")], Some(&a_name)).unwrap();
    }
    let check = test.core.check_open("check");
    test.core.check_start(check).unwrap();
    test.core.set_ref(check, false).unwrap();
    test.run(|test, at| {
        if test.seen[at] == Nothing("a") {
            test.core.udp_recv_stop(a).unwrap();
        }
    });
    let checks: Vec<usize> = (0..test.seen.len()).filter(|&at| test.seen[at] == Checked).collect();
    assert_eq!(checks, [32, 42], "32 datagrams; in the next turn 8, an empty read, and the check");
}

#[test]
fn a_datagram_refused_with_enobufs_is_offered_again_in_the_next_poll() {
    let mut test = TestLoop::new();
    let (a, a_name) = test.receiver("a");
    test.core.udp_try_send(a, &[IoSlice::new(b"x")], Some(&a_name)).unwrap();
    let mut offers = 0;
    while let Some(event) = test.core.next(RunMode::NoWait) {
        assert!(matches!(event, Event::Datagram(id) if id == a));
        assert_eq!(test.core.udp_recv(a, &mut []), Err(Errno::ENOBUFS));
        offers += 1;
    }
    assert_eq!(offers, 1);
    test.run_until(&Got("a", b"x".to_vec()));
}

#[test]
fn a_datagram_longer_than_the_buffer_is_truncated() {
    let mut test = TestLoop::new();
    let (a, a_name) = test.bound("a");
    test.core.udp_try_send(a, &[IoSlice::new(b"long")], Some(&a_name)).unwrap();
    let mut buffer = [0; 2];
    let expected = Datagram { len: 2, sender: Some(a_name), truncated: true };
    // On the loopback interface the datagram is delivered before the send returns.
    assert_eq!(test.core.udp_recv(a, &mut buffer), Ok(Received::Datagram(expected)));
    assert_eq!(test.core.udp_recv(a, &mut buffer), Ok(Received::Nothing));
}

/// A port of this machine without a receiver: datagrams to it are refused with ICMP.
fn closed_port(test: &mut TestLoop) -> Address {
    let (id, address) = test.bound("closed port");
    let (_, elsewhere) = test.bound("elsewhere");
    test.core.udp_connect(id, Some(&elsewhere)).unwrap();
    address
}

#[test]
fn a_handle_bound_with_receive_errors_reports_econnrefused() {
    let mut test = TestLoop::new();
    let there = closed_port(&mut test);
    let a = test.core.udp_open("a");
    test.core.udp_bind(a, &localhost(), UdpBind { receive_errors: true, ..DEFAULT }).unwrap();
    test.core.udp_recv_start(a).unwrap();
    test.send(a, b"lost", Some(&there), 1);
    let failed = Failed("a", Errno::ECONNREFUSED, b"lost".to_vec());
    test.run(|test, at| {
        if at > 0 && test.seen[at - 1] == failed {
            test.core.close(a).unwrap();
        }
    });
    let seen = test.take();
    let refused = Errno::ECONNREFUSED;
    assert_eq!(seen, [Sent(1, Ok(())), Error("a", refused), failed, Nothing("a"), Closed("a")]);
}

#[test]
fn recv_batch_reads_the_error_queue() {
    let mut test = TestLoop::new();
    let there = closed_port(&mut test);
    let a = test.core.udp_open("a");
    test.core.udp_bind(a, &localhost(), UdpBind { receive_errors: true, ..DEFAULT }).unwrap();
    test.core.udp_recv_start(a).unwrap();
    test.core.udp_try_send(a, &[IoSlice::new(b"lost")], Some(&there)).unwrap();
    let mut buffer = vec![0; 2 * CHUNK_BYTES];
    let mut received = Vec::new();
    while received.is_empty() {
        match test.core.next(RunMode::Once) {
            Some(Event::Datagram(id)) => {
                let _ = test.core.udp_recv_batch(id, &mut buffer, &mut received);
            }
            Some(Event::Timer(_)) => panic!("timed out"),
            _ => {}
        }
    }
    assert!(matches!(received[..], [Received::Failure { errno: Errno::ECONNREFUSED, .. }]), "{received:?}");
    assert_eq!(&buffer[..4], b"lost");
}

#[test]
fn a_connected_handle_reports_econnrefused() {
    let mut test = TestLoop::new();
    let there = closed_port(&mut test);
    let (a, _) = test.bound("a");
    test.core.udp_connect(a, Some(&there)).unwrap();
    test.core.udp_recv_start(a).unwrap();
    test.send(a, b"lost", None, 1);
    test.run_until(&Error("a", Errno::ECONNREFUSED));
    test.core.close(a).unwrap();
}

#[test]
fn broadcast_needs_set_broadcast() {
    let mut test = TestLoop::new();
    let broadcast: Address = SocketAddr::from((Ipv4Addr::BROADCAST, 9)).into();
    let a = test.core.udp_open("a");
    assert_eq!(test.core.udp_set_broadcast(a, true), Err(Errno::EBADF), "no socket");
    test.core.udp_bind(a, &SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)).into(), DEFAULT).unwrap();
    let refused = test.core.udp_try_send(a, &[IoSlice::new(b"x")], Some(&broadcast)).unwrap_err();
    // A machine without a network returns `ENETUNREACH`.
    assert!([Errno::EACCES, Errno::ENETUNREACH].contains(&refused), "{refused:?}");
    test.core.udp_set_broadcast(a, true).unwrap();
    assert_ne!(test.core.udp_try_send(a, &[IoSlice::new(b"x")], Some(&broadcast)), Err(Errno::EACCES));
}

#[test]
fn members_receive_datagrams_of_their_multicast_group() {
    let mut test = TestLoop::new();
    let group: IpAddr = "239.255.0.78".parse().unwrap();
    let loopback = Some(Interface::V4(Ipv4Addr::LOCALHOST));
    let member = test.core.udp_open("member");
    // Joining a group binds the handle.
    test.core.udp_set_membership(member, group, loopback, Membership::Join).unwrap();
    let port = test.core.udp_local_address(member).unwrap().inet().unwrap().port();
    test.core.udp_recv_start(member).unwrap();
    let sender = test.core.udp_open_family(Domain::V4, "sender").unwrap();
    test.core.udp_set_multicast_interface(sender, loopback).unwrap();
    test.core.udp_set_multicast_loop(sender, true).unwrap();
    test.core.udp_set_multicast_ttl(sender, 0).unwrap();
    test.send(sender, b"all", Some(&Address::from((group, port))), 1);
    test.run_until(&Got("member", b"all".to_vec()));
    test.core.udp_set_membership(member, group, loopback, Membership::Leave).unwrap();
    let left = test.core.udp_set_membership(member, group, loopback, Membership::Leave);
    assert_eq!(left, Err(Errno::EADDRNOTAVAIL));
    let (group, source) = ("232.1.1.2".parse().unwrap(), IpAddr::V4(Ipv4Addr::LOCALHOST));
    test.core.udp_set_source_membership(member, group, loopback, source, Membership::Join).unwrap();
    test.core.udp_set_source_membership(member, group, loopback, source, Membership::Leave).unwrap();
    test.core.udp_set_multicast_interface(sender, None).unwrap();
}

#[test]
fn ipv6_works_like_ipv4() {
    let mut test = TestLoop::new();
    let a = test.core.udp_open("a");
    let only = UdpBind { ipv6_only: true, ..DEFAULT };
    match test.core.udp_bind(a, &SocketAddr::from((Ipv6Addr::LOCALHOST, 0)).into(), only) {
        // The machine has no IPv6.
        Err(Errno::EADDRNOTAVAIL | Errno::EAFNOSUPPORT) => return,
        other => other.unwrap(),
    }
    let a_name = test.core.udp_local_address(a).unwrap();
    test.core.udp_recv_start(a).unwrap();
    test.core.udp_set_ttl(a, 3).unwrap();
    test.core.udp_set_multicast_ttl(a, 3).unwrap();
    test.core.udp_set_multicast_loop(a, false).unwrap();
    test.core.udp_set_multicast_interface(a, None).unwrap();
    let b = test.core.udp_open("b");
    test.send(b, b"six", Some(&a_name), 1);
    test.run_until(&Got("a", b"six".to_vec()));
    let from = test.senders["a"].as_ref().and_then(Address::inet).unwrap();
    assert_eq!(from.ip(), IpAddr::V6(Ipv6Addr::LOCALHOST));
    assert_eq!(test.core.udp_bind(a, &localhost(), DEFAULT), Err(Errno::EINVAL), "another family than the socket's");
}

#[test]
fn options_reach_the_kernel_and_are_range_checked() {
    let mut test = TestLoop::new();
    let (a, _) = test.bound("a");
    test.core.set_send_buffer_size(a, 10_000).unwrap();
    test.core.set_recv_buffer_size(a, 10_000).unwrap();
    assert_eq!(test.core.send_buffer_size(a), Ok(20_000));
    assert_eq!(test.core.recv_buffer_size(a), Ok(20_000));
    test.core.udp_set_ttl(a, 255).unwrap();
    for ttl in [-1, 0, 256] {
        assert_eq!(test.core.udp_set_ttl(a, ttl), Err(Errno::EINVAL));
    }
    assert_eq!(test.core.udp_set_multicast_ttl(a, 256), Err(Errno::EINVAL));
    let only = UdpBind { ipv6_only: true, ..DEFAULT };
    let b = test.core.udp_open("b");
    assert_eq!(test.core.udp_bind(b, &localhost(), only), Err(Errno::EINVAL));
    assert_eq!(test.core.fileno(b), Err(Errno::EBADF), "invalid options are refused before the socket is created");
    assert_eq!(test.core.udp_open_family(Domain::Unix, "c"), Err(Errno::EINVAL));
}

#[test]
fn an_adopted_socket_is_taken_over_or_returned() {
    let mut test = TestLoop::new();
    let shared = UdpBind { reuse_address: true, ..DEFAULT };
    let (a, a_name) = test.receiver("a");
    let fresh = |to: Option<&Address>| {
        let fd = socket::udp_socket(Domain::V4).unwrap();
        if let Some(to) = to {
            socket::udp_connect(&fd, to).unwrap();
        }
        fd
    };
    assert_eq!(test.core.udp_adopt(a, fresh(None), shared).unwrap_err().0, Errno::EBUSY);
    let b = test.core.udp_open("b");
    let only = UdpBind { ipv6_only: true, ..DEFAULT };
    let (errno, fd) = test.core.udp_adopt(b, fresh(None), only).unwrap_err();
    assert_eq!(errno, Errno::EINVAL);
    drop(fd);
    let watched = Fd::adopt(test.core.fileno(a).unwrap()).unwrap();
    let (errno, watched) = test.core.udp_adopt(b, watched, shared).unwrap_err();
    assert_eq!(errno, Errno::EEXIST);
    watched.release();
    let fd = fresh(Some(&a_name));
    let number = fd.as_raw_fd();
    test.core.udp_adopt(b, fd, shared).unwrap();
    assert_eq!(test.core.fileno(b), Ok(number));
    assert_eq!(test.core.udp_connect(b, Some(&a_name)), Err(Errno::EISCONN), "it was connected already");
    test.send(b, b"adopted", None, 1);
    test.run_until(&Got("a", b"adopted".to_vec()));
}

#[test]
fn unix_datagram_sockets_can_be_adopted() {
    let mut test = TestLoop::new();
    let name = Address::Unix(UnixName::new(format!("\0phasor-udp-{}", std::process::id()).as_bytes()).unwrap());
    let bare = test.core.udp_open("bare");
    let refused = test.core.udp_send(bare, vec![], Some(name.clone()), 1).unwrap_err();
    assert_eq!(refused.errno, Errno::EINVAL, "no socket is created for a family that cannot be bound");
    let (named, nameless) = (test.core.udp_open("named"), test.core.udp_open("nameless"));
    let fd = socket::udp_socket(Domain::Unix).unwrap();
    socket::bind(&fd, &name).unwrap();
    test.core.udp_adopt(named, fd, DEFAULT).unwrap();
    test.core.udp_adopt(nameless, socket::udp_socket(Domain::Unix).unwrap(), DEFAULT).unwrap();
    test.core.udp_recv_start(named).unwrap();
    test.send(nameless, b"x", Some(&name), 2);
    test.run_until(&Got("named", b"x".to_vec()));
}

#[test]
fn stale_ids_and_other_kinds_are_refused() {
    let mut test = TestLoop::new();
    let (a, a_name) = test.bound("a");
    test.core.close(a).unwrap();
    test.run(|_, _| {});
    for id in [a, test.guard] {
        let core = &mut test.core;
        assert_eq!(core.udp_recv_start(id), Err(Errno::EBADF));
        assert_eq!(core.udp_recv_stop(id), Err(Errno::EBADF));
        assert_eq!(core.udp_recv(id, &mut [0]), Err(Errno::EBADF));
        assert_eq!(core.udp_bind(id, &a_name, DEFAULT), Err(Errno::EBADF));
        assert_eq!(core.udp_connect(id, None), Err(Errno::EBADF));
        assert_eq!(core.udp_send(id, vec![], None, 1).unwrap_err().errno, Errno::EBADF);
        assert_eq!(core.udp_try_send(id, &[], None), Err(Errno::EBADF));
        assert_eq!(core.udp_set_ttl(id, 1), Err(Errno::EBADF));
        assert_eq!((core.udp_send_queue_count(id), core.udp_send_queue_size(id)), (0, 0));
        assert!(!core.udp_is_receiving(id));
    }
}
