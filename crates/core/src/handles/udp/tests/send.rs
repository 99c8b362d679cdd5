//! Sends: their order, their outcomes, and what becomes of them when the kernel is full or the handle is closed.

use std::io::IoSlice;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixDatagram;

use phasor_sys::Errno;
use phasor_sys::socket::Outgoing;

use super::Seen::{self, Checked, Closed, Got, Sent};
use super::{DEFAULT, World, localhost};
use crate::{HandleId, RunMode};

#[test]
fn sends_keep_their_order_and_their_outcomes_wait_for_the_loop() {
    let mut world = World::new();
    let (a, a_name) = world.receiver("a");
    let (b, _) = world.bound("b");
    for n in 0..45 {
        // Some in more pieces than a batch gathers.
        let pieces = if n == 20 { vec![vec![20]; 100] } else { vec![vec![n as u8]] };
        world.core.udp_send(b, pieces, Some(a_name.clone()), n).unwrap();
    }
    assert_eq!(world.core.udp_send_queue_count(b), 45);
    assert_eq!(world.core.udp_send_queue_size(b), 144);
    let slice = [IoSlice::new(b"x")];
    let again = Err(Errno::EAGAIN);
    assert_eq!(world.core.udp_try_send(b, &slice, Some(&a_name)), again);
    assert_eq!(world.core.udp_try_send_batch(b, &[Outgoing { slices: &slice, to: Some(&a_name) }]), again);
    let (mut sent, mut got) = (0, 0);
    world.run(|world, at| match &world.seen[at] {
        Sent(n, result) => {
            assert_eq!((*n, *result), (sent, Ok(())));
            sent += 1;
            assert_eq!(world.core.udp_send_queue_count(b), 45 - sent as usize);
        }
        Got(_, bytes) => {
            assert_eq!((bytes[0], bytes.len()), (got, if got == 20 { 100 } else { 1 }));
            got += 1;
            if got == 45 {
                world.core.udp_recv_stop(a).unwrap();
            }
        }
        _ => {}
    });
    assert_eq!((sent, got, world.core.udp_send_queue_size(b)), (45, 45, 0));
    assert!(!world.core.is_active(a) && !world.core.is_active(b));
}

#[test]
fn a_send_from_an_outcome_waits_until_the_socket_is_writable() {
    let mut world = World::new();
    let (a, a_name) = world.bound("a");
    world.send(a, b"one", Some(&a_name), 1);
    let check = world.core.check_open("check");
    world.core.check_start(check).unwrap();
    world.core.set_ref(check, false).unwrap();
    world.run(|world, at| {
        if world.seen[at] == Sent(1, Ok(())) {
            world.send(a, b"two", Some(&a_name), 2);
            assert_eq!(world.core.udp_send_queue_count(a), 1);
        }
    });
    // The first outcome comes in the pending phase of the first turn, the second one after the poll of that turn.
    assert_eq!(world.take(), [Sent(1, Ok(())), Sent(2, Ok(())), Checked]);
    assert!(!world.core.is_active(a));
}

#[test]
fn a_batch_that_is_tried_leaves_no_gap() {
    let mut world = World::new();
    let (a, a_name) = world.receiver("a");
    let b = world.core.udp_open("b");
    let payloads: Vec<[u8; 1]> = (0..50).map(|n| [n]).collect();
    let slices: Vec<[IoSlice<'_>; 1]> = payloads.iter().map(|payload| [IoSlice::new(payload)]).collect();
    let batch: Vec<Outgoing<'_>> = slices.iter().map(|slices| Outgoing { slices, to: Some(&a_name) }).collect();
    assert_eq!(world.core.udp_try_send_batch(b, &batch), Err(Errno::EINVAL), "no socket");
    world.core.udp_bind(b, &localhost(), DEFAULT).unwrap();
    assert_eq!(world.core.udp_try_send_batch(b, &[]), Err(Errno::EINVAL));
    assert_eq!(world.core.udp_try_send_batch(b, &batch), Ok(50));
    world.run(|world, _| {
        if world.seen.iter().filter(|seen| matches!(seen, Got(..))).count() == 50 {
            world.core.udp_recv_stop(a).unwrap();
        }
    });
    let got: Vec<u8> = world
        .take()
        .iter()
        .filter_map(|seen| match seen {
            Got(_, bytes) => Some(bytes[0]),
            _ => None,
        })
        .collect();
    assert!(got.iter().copied().eq(0..50), "{got:?}");

    let long = vec![0; 70_000];
    let long = [IoSlice::new(&long)];
    let mut mixed = batch[..30].to_vec();
    mixed[25].slices = &long;
    assert_eq!(world.core.udp_try_send_batch(b, &mixed), Ok(25), "those before the one that is too long");
    assert_eq!(world.core.udp_try_send_batch(b, &mixed[25..]), Err(Errno::EMSGSIZE));
    assert_eq!(world.core.udp_try_send_batch(b, &mixed[25..26]), Err(Errno::EMSGSIZE));
}

#[test]
fn stopping_and_closing_inside_the_call_end_the_row() {
    let mut world = World::new();
    let (a, a_name) = world.receiver("a");
    for _ in 0..4 {
        world.core.udp_try_send(a, &[IoSlice::new(b"x")], Some(&a_name)).unwrap();
    }
    world.run(|world, _| world.core.udp_recv_stop(a).unwrap());
    assert_eq!(world.take(), [Got("a", b"x".to_vec())]);
    assert!(!world.core.udp_is_receiving(a));
    world.core.udp_recv_start(a).unwrap();
    world.run(|world, at| {
        // Stopped and started again in one call: it goes on.
        world.core.udp_recv_stop(a).unwrap_or_default();
        match at {
            0 => world.core.udp_recv_start(a).unwrap(),
            1 => world.core.close(a).unwrap(),
            _ => {}
        }
    });
    let got = || Got("a", b"x".to_vec());
    assert_eq!(world.take(), [got(), got(), Closed("a")]);
}

#[test]
fn a_datagram_that_is_too_long_fails_alone() {
    let mut world = World::new();
    let (a, a_name) = world.bound("a");
    let long = vec![0; 70_000];
    assert_eq!(world.core.udp_try_send(a, &[IoSlice::new(&long)], Some(&a_name)), Err(Errno::EMSGSIZE));
    world.send(a, &long, Some(&a_name), 1);
    world.send(a, b"short", Some(&a_name), 2);
    world.send(a, &long, Some(&a_name), 3);
    world.send(a, b"short", Some(&a_name), 4);
    world.run(|_, _| {});
    let too_long = Err(Errno::EMSGSIZE);
    assert_eq!(world.take(), [Sent(1, too_long), Sent(2, Ok(())), Sent(3, too_long), Sent(4, Ok(()))]);
    assert!(!world.core.is_alive());
}

#[test]
fn an_empty_datagram_is_one() {
    let mut world = World::new();
    let (a, a_name) = world.receiver("a");
    world.core.udp_send(a, vec![], Some(a_name), 1).unwrap();
    world.run_until(&Got("a", vec![]));
}

#[test]
fn closing_gives_back_what_was_queued_and_then_the_handle() {
    let mut world = World::new();
    let (a, a_name) = world.bound("a");
    let fd = world.core.fileno(a).unwrap();
    for n in 1..=4 {
        world.send(a, b"x", Some(&a_name), n);
    }
    world.core.close(a).unwrap();
    assert_eq!(world.core.close(a), Err(Errno::EALREADY));
    assert!(!world.core.is_active(a) && world.core.fileno(a) == Err(Errno::EBADF));
    assert!(!world.core.watched.is_watched(fd));
    assert_eq!(world.core.udp_recv_start(a), Err(Errno::EINVAL));
    assert_eq!(world.core.udp_send(a, vec![], Some(a_name), 9).unwrap_err().errno, Errno::EINVAL);
    world.run(|_, _| {});
    let cancelled = Err(Errno::ECANCELED);
    assert_eq!(
        world.take(),
        [Sent(1, Ok(())), Sent(2, cancelled), Sent(3, cancelled), Sent(4, cancelled), Closed("a")],
        "the first was on its way when the handle was closed"
    );
    assert!(!world.core.is_alive());
    assert_eq!(world.core.requests.len(), 0);
}

#[test]
fn closing_in_an_outcome_lets_those_that_were_sent_come_first() {
    let mut world = World::new();
    let (a, a_name) = world.bound("a");
    for n in 1..=4 {
        world.send(a, b"x", Some(&a_name), n);
    }
    world.run(|world, at| {
        if at == 1 {
            world.core.close(a).unwrap();
        }
    });
    // The turn in the pending phase sends the other three as well.
    assert_eq!(world.take(), [Sent(1, Ok(())), Sent(2, Ok(())), Sent(3, Ok(())), Sent(4, Ok(())), Closed("a")]);
}

/// Two ends, the first of which is full as soon as a few datagrams wait in the second.
fn narrow(world: &mut World) -> (HandleId, HandleId) {
    let (a, b) = UnixDatagram::pair().unwrap();
    let (from, to) = (world.core.udp_open("from"), world.core.udp_open("to"));
    world.core.udp_adopt(from, OwnedFd::from(a).into(), DEFAULT).unwrap();
    world.core.udp_adopt(to, OwnedFd::from(b).into(), DEFAULT).unwrap();
    world.core.set_send_buffer_size(from, 1).unwrap();
    (from, to)
}

const TOO_MANY: u32 = 200;

/// Turns without waiting until no more goes out; returns how many wait.
fn fill(world: &mut World, from: HandleId, count: u32) -> usize {
    for n in 0..count {
        world.send(from, &[n as u8], None, n);
    }
    loop {
        let before = world.seen.len();
        while let Some(event) = world.core.next(RunMode::NoWait) {
            world.note(event, &mut [0; 8]);
        }
        if world.seen.len() == before {
            return world.core.udp_send_queue_count(from);
        }
    }
}

#[test]
fn what_the_kernel_has_no_room_for_waits_until_it_has() {
    let mut world = World::new();
    let (from, to) = narrow(&mut world);
    let waiting = fill(&mut world, from, TOO_MANY);
    assert!(waiting > 0 && world.core.is_active(from));
    world.core.udp_recv_start(to).unwrap();
    let mut got = 0;
    world.run(|world, at| {
        if let Got(_, bytes) = &world.seen[at] {
            assert_eq!(bytes[..], [got as u8]);
            got += 1;
            if got == TOO_MANY {
                world.core.udp_recv_stop(to).unwrap();
            }
        }
    });
    let sent: Vec<u32> =
        world.seen.iter().filter_map(|seen| if let Sent(n, Ok(())) = seen { Some(*n) } else { None }).collect();
    assert!(sent.iter().copied().eq(0..TOO_MANY), "{sent:?}");
    assert!(!world.core.is_active(from));
}

#[test]
fn what_still_waits_is_cancelled_by_closing() {
    let mut world = World::new();
    let (from, _to) = narrow(&mut world);
    let waiting = fill(&mut world, from, TOO_MANY);
    assert!(waiting > 0);
    world.take();
    world.core.close(from).unwrap();
    world.run(|_, _| {});
    let mut expected: Vec<Seen> =
        (TOO_MANY - waiting as u32..TOO_MANY).map(|n| Sent(n, Err(Errno::ECANCELED))).collect();
    expected.push(Closed("from"));
    assert_eq!(world.take(), expected);
}
