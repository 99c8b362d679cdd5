//! udp_pummel: one sender and one receiver; the sender sends a datagram of five buffers whenever the previous one was sent.

use std::net::{Ipv4Addr, SocketAddrV4};

use phasor_core::{Address, Event, HandleId, Loop, Outcome, Received, RunMode, UdpBind};

use super::{Finish, FnFrontEnd, Pieces, new_loop, run, unwrap};
use crate::measure::Stopwatch;
use crate::registry::{Params, Sample};

static TEXT: &[u8] = b"RANG TANG DING DONG I AM THE JAPANESE SANDMAN";
static PIECES: &[&[u8]] = &[b"RANG TANG ", b"DING DONG ", b"I AM THE J", b"APANESE SA", b"NDMAN"];

struct State {
    sender: HandleId,
    to: Address,
    left: u64,
    received: u64,
    slab: Vec<u8>,
}

fn take(core: &mut Loop<FnFrontEnd<State>>, state: &mut State, id: HandleId, _: &Event<FnFrontEnd<State>>) {
    if let Received::Datagram(datagram) = unwrap(core.udp_recv(id, &mut state.slab)) {
        assert_eq!(&state.slab[..datagram.len], TEXT);
        state.received += 1;
    }
}

fn send_next(core: &mut Loop<FnFrontEnd<State>>, state: &mut State) {
    fn sent(core: &mut Loop<FnFrontEnd<State>>, state: &mut State, _: usize, outcome: Outcome<FnFrontEnd<State>>) {
        let Outcome::Send { result, .. } = outcome else { panic!("not a send") };
        unwrap(result);
        send_next(core, state);
    }
    if state.left == 0 {
        unwrap(core.close(state.sender));
        return;
    }
    state.left -= 1;
    let sent: (Finish<State>, usize) = (sent, 0);
    unwrap(core.udp_send(state.sender, Pieces(PIECES), Some(state.to.clone()), sent).map_err(|refused| refused.errno));
}

pub(crate) fn udp_pummel(params: &Params) -> Sample {
    fn never_called(_: &mut Loop<FnFrontEnd<State>>, _: &mut State, _: HandleId, _: &Event<FnFrontEnd<State>>) {}
    let mut core = new_loop();
    let receiver = core.udp_open(take);
    unwrap(core.udp_bind(receiver, &Address::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0)), UdpBind::default()));
    let to = unwrap(core.udp_local_address(receiver));
    unwrap(core.udp_recv_start(receiver));
    unwrap(core.set_ref(receiver, false));
    let sender = core.udp_open(never_called);
    let mut state = State { sender, to, left: params.count, received: 0, slab: vec![0; 65536] };
    let watch = Stopwatch::begin();
    send_next(&mut core, &mut state);
    run(&mut core, &mut state, RunMode::Default);
    // Loopback may drop a few datagrams, but not many, because the receiver reads in every turn.
    assert!(state.received * 10 >= params.count * 9);
    vec![watch.end(state.received)]
}
