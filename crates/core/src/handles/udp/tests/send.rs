//! Tests of sends: their order, their outcomes, and what happens when the socket buffer is full or the handle is
//! closed.

use std::io::IoSlice;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixDatagram;

use phasor_sys::Errno;
use phasor_sys::socket::Outgoing;

use super::Seen::{self, Checked, Closed, Got, Sent};
use super::{DEFAULT, TestLoop, localhost};
use crate::{HandleId, RunMode};

#[test]
fn sends_keep_their_order_and_their_outcomes_are_asynchronous() {
    let mut test = TestLoop::new();
    let (a, a_name) = test.receiver("a");
    let (b, _) = test.bound("b");
    for n in 0..45 {
        // One of the datagrams has more pieces than a batch can collect.
        let pieces = if n == 20 { vec![vec![20]; 100] } else { vec![vec![n as u8]] };
        test.core.udp_send(b, pieces, Some(a_name.clone()), n).unwrap();
    }
    assert_eq!(test.core.udp_send_queue_count(b), 45);
    assert_eq!(test.core.udp_send_queue_size(b), 144);
    let slice = [IoSlice::new(b"x")];
    let again = Err(Errno::EAGAIN);
    assert_eq!(test.core.udp_try_send(b, &slice, Some(&a_name)), again);
    assert_eq!(test.core.udp_try_send_batch(b, &[Outgoing { slices: &slice, to: Some(&a_name) }]), again);
    let (mut sent, mut got) = (0, 0);
    test.run(|test, at| match &test.seen[at] {
        Sent(n, result) => {
            assert_eq!((*n, *result), (sent, Ok(())));
            sent += 1;
            assert_eq!(test.core.udp_send_queue_count(b), 45 - sent as usize);
        }
        Got(_, bytes) => {
            assert_eq!((bytes[0], bytes.len()), (got, if got == 20 { 100 } else { 1 }));
            got += 1;
            if got == 45 {
                test.core.udp_recv_stop(a).unwrap();
            }
        }
        _ => {}
    });
    assert_eq!((sent, got, test.core.udp_send_queue_size(b)), (45, 45, 0));
    assert!(!test.core.is_active(a) && !test.core.is_active(b));
}

#[test]
fn a_send_from_an_outcome_waits_until_the_socket_is_writable() {
    let mut test = TestLoop::new();
    let (a, a_name) = test.bound("a");
    test.send(a, b"one", Some(&a_name), 1);
    let check = test.core.check_open("check");
    test.core.check_start(check).unwrap();
    test.core.set_ref(check, false).unwrap();
    test.run(|test, at| {
        if test.seen[at] == Sent(1, Ok(())) {
            test.send(a, b"two", Some(&a_name), 2);
            assert_eq!(test.core.udp_send_queue_count(a), 1);
        }
    });
    // The first outcome is reported in the pending phase of the first turn, the second one after the poll phase of that
    // turn.
    assert_eq!(test.take(), [Sent(1, Ok(())), Sent(2, Ok(())), Checked]);
    assert!(!test.core.is_active(a));
}

#[test]
fn try_send_batch_stops_at_the_first_failure() {
    let mut test = TestLoop::new();
    let (a, a_name) = test.receiver("a");
    let b = test.core.udp_open("b");
    let payloads: Vec<[u8; 1]> = (0..50).map(|n| [n]).collect();
    let slices: Vec<[IoSlice<'_>; 1]> = payloads.iter().map(|payload| [IoSlice::new(payload)]).collect();
    let batch: Vec<Outgoing<'_>> = slices.iter().map(|slices| Outgoing { slices, to: Some(&a_name) }).collect();
    assert_eq!(test.core.udp_try_send_batch(b, &batch), Err(Errno::EINVAL), "no socket");
    test.core.udp_bind(b, &localhost(), DEFAULT).unwrap();
    assert_eq!(test.core.udp_try_send_batch(b, &[]), Err(Errno::EINVAL));
    assert_eq!(test.core.udp_try_send_batch(b, &batch), Ok(50));
    test.run(|test, _| {
        if test.seen.iter().filter(|seen| matches!(seen, Got(..))).count() == 50 {
            test.core.udp_recv_stop(a).unwrap();
        }
    });
    let got: Vec<u8> = test
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
    assert_eq!(test.core.udp_try_send_batch(b, &mixed), Ok(25), "the datagrams before the one that is too long");
    assert_eq!(test.core.udp_try_send_batch(b, &mixed[25..]), Err(Errno::EMSGSIZE));
    assert_eq!(test.core.udp_try_send_batch(b, &mixed[25..26]), Err(Errno::EMSGSIZE));
}

#[test]
fn stopping_or_closing_in_the_callback_ends_the_series_of_datagrams() {
    let mut test = TestLoop::new();
    let (a, a_name) = test.receiver("a");
    for _ in 0..4 {
        test.core.udp_try_send(a, &[IoSlice::new(b"x")], Some(&a_name)).unwrap();
    }
    test.run(|test, _| test.core.udp_recv_stop(a).unwrap());
    assert_eq!(test.take(), [Got("a", b"x".to_vec())]);
    assert!(!test.core.udp_is_receiving(a));
    test.core.udp_recv_start(a).unwrap();
    test.run(|test, at| {
        // Stopping and restarting in one callback continues the series.
        test.core.udp_recv_stop(a).unwrap_or_default();
        match at {
            0 => test.core.udp_recv_start(a).unwrap(),
            1 => test.core.close(a).unwrap(),
            _ => {}
        }
    });
    let got = || Got("a", b"x".to_vec());
    assert_eq!(test.take(), [got(), got(), Closed("a")]);
}

#[test]
fn a_datagram_that_is_too_long_fails_alone() {
    let mut test = TestLoop::new();
    let (a, a_name) = test.bound("a");
    let long = vec![0; 70_000];
    assert_eq!(test.core.udp_try_send(a, &[IoSlice::new(&long)], Some(&a_name)), Err(Errno::EMSGSIZE));
    test.send(a, &long, Some(&a_name), 1);
    test.send(a, b"short", Some(&a_name), 2);
    test.send(a, &long, Some(&a_name), 3);
    test.send(a, b"short", Some(&a_name), 4);
    test.run(|_, _| {});
    let too_long = Err(Errno::EMSGSIZE);
    assert_eq!(test.take(), [Sent(1, too_long), Sent(2, Ok(())), Sent(3, too_long), Sent(4, Ok(()))]);
    assert!(!test.core.is_alive());
}

#[test]
fn an_empty_datagram_is_sent_and_received() {
    let mut test = TestLoop::new();
    let (a, a_name) = test.receiver("a");
    test.core.udp_send(a, vec![], Some(a_name), 1).unwrap();
    test.run_until(&Got("a", vec![]));
}

#[test]
fn closing_cancels_queued_sends_before_the_closed_event() {
    let mut test = TestLoop::new();
    let (a, a_name) = test.bound("a");
    let fd = test.core.fileno(a).unwrap();
    for n in 1..=4 {
        test.send(a, b"x", Some(&a_name), n);
    }
    test.core.close(a).unwrap();
    assert_eq!(test.core.close(a), Err(Errno::EALREADY));
    assert!(!test.core.is_active(a) && test.core.fileno(a) == Err(Errno::EBADF));
    assert!(!test.core.watched.is_watched(fd));
    assert_eq!(test.core.udp_recv_start(a), Err(Errno::EINVAL));
    assert_eq!(test.core.udp_send(a, vec![], Some(a_name), 9).unwrap_err().errno, Errno::EINVAL);
    test.run(|_, _| {});
    let cancelled = Err(Errno::ECANCELED);
    assert_eq!(
        test.take(),
        [Sent(1, Ok(())), Sent(2, cancelled), Sent(3, cancelled), Sent(4, cancelled), Closed("a")],
        "the first datagram was sent before the handle was closed"
    );
    assert!(!test.core.is_alive());
    assert_eq!(test.core.requests.len(), 0);
}

#[test]
fn closing_in_an_outcome_reports_completed_sends_first() {
    let mut test = TestLoop::new();
    let (a, a_name) = test.bound("a");
    for n in 1..=4 {
        test.send(a, b"x", Some(&a_name), n);
    }
    test.run(|test, at| {
        if at == 1 {
            test.core.close(a).unwrap();
        }
    });
    // The pending phase has sent the other three datagrams as well.
    assert_eq!(test.take(), [Sent(1, Ok(())), Sent(2, Ok(())), Sent(3, Ok(())), Sent(4, Ok(())), Closed("a")]);
}

/// A pair of connected sockets. The first blocks as soon as a few datagrams wait in the second.
fn small_buffer_pair(test: &mut TestLoop) -> (HandleId, HandleId) {
    let (a, b) = UnixDatagram::pair().unwrap();
    let (from, to) = (test.core.udp_open("from"), test.core.udp_open("to"));
    test.core.udp_adopt(from, OwnedFd::from(a).into(), DEFAULT).unwrap();
    test.core.udp_adopt(to, OwnedFd::from(b).into(), DEFAULT).unwrap();
    test.core.set_send_buffer_size(from, 1).unwrap();
    (from, to)
}

const TOO_MANY: u32 = 200;

/// Runs turns without blocking until nothing more is sent; returns how many sends are waiting.
fn fill(test: &mut TestLoop, from: HandleId, count: u32) -> usize {
    for n in 0..count {
        test.send(from, &[n as u8], None, n);
    }
    loop {
        let before = test.seen.len();
        while let Some(event) = test.core.next(RunMode::NoWait) {
            test.note(event, &mut [0; 8]);
        }
        if test.seen.len() == before {
            return test.core.udp_send_queue_count(from);
        }
    }
}

#[test]
fn sends_wait_while_the_socket_buffer_is_full() {
    let mut test = TestLoop::new();
    let (from, to) = small_buffer_pair(&mut test);
    let waiting = fill(&mut test, from, TOO_MANY);
    assert!(waiting > 0 && test.core.is_active(from));
    test.core.udp_recv_start(to).unwrap();
    let mut got = 0;
    test.run(|test, at| {
        if let Got(_, bytes) = &test.seen[at] {
            assert_eq!(bytes[..], [got as u8]);
            got += 1;
            if got == TOO_MANY {
                test.core.udp_recv_stop(to).unwrap();
            }
        }
    });
    let sent: Vec<u32> =
        test.seen.iter().filter_map(|seen| if let Sent(n, Ok(())) = seen { Some(*n) } else { None }).collect();
    assert!(sent.iter().copied().eq(0..TOO_MANY), "{sent:?}");
    assert!(!test.core.is_active(from));
}

#[test]
fn closing_cancels_sends_that_wait_for_the_socket() {
    let mut test = TestLoop::new();
    let (from, _to) = small_buffer_pair(&mut test);
    let waiting = fill(&mut test, from, TOO_MANY);
    assert!(waiting > 0);
    test.take();
    test.core.close(from).unwrap();
    test.run(|_, _| {});
    let mut expected: Vec<Seen> =
        (TOO_MANY - waiting as u32..TOO_MANY).map(|n| Sent(n, Err(Errno::ECANCELED))).collect();
    expected.push(Closed("from"));
    assert_eq!(test.take(), expected);
}
