//! ping_pongs, tcp_write_batch, tcp_pump, idle_tcp_memory. Except in the last, both ends of each connection are on the same loop.

use std::net::{Ipv4Addr, SocketAddr};

use phasor_core::{Errno, Event, HandleId, Loop, Outcome, RunMode, TcpBind};

use super::{Call, Finish, FnFrontEnd, Pieces, new_loop, run, unwrap};
use crate::measure::{Stopwatch, bench_connect, bench_resident_bytes};
use crate::registry::{Measure, Params, Sample};

const BACKLOG: i32 = 1024;

type Core = Loop<FnFrontEnd<State>>;
type LoopEvent = Event<FnFrontEnd<State>>;

struct State {
    params: Params,
    server: HandleId,
    clients: Vec<HandleId>,
    accepted: Vec<HandleId>,
    connected: usize,
    /// The read callback of an accepted connection.
    serve: Call<State>,
    /// Called when a connection was accepted.
    arrived: fn(&mut Core, &mut State),
    /// Pongs, writes or bytes, depending on the benchmark.
    count: u64,
    /// The received bytes of an incomplete pong.
    part: usize,
    watch: Option<Stopwatch>,
    measure: Option<Measure>,
    slab: Vec<u8>,
}

impl State {
    fn begin(&mut self) {
        self.watch = Some(Stopwatch::begin());
    }

    fn end(&mut self) {
        self.measure = self.watch.map(|watch| watch.end(self.count));
    }
}

fn listen(core: &mut Core, backlog: i32) -> (HandleId, SocketAddr) {
    let server = core.tcp_open(accept_one);
    unwrap(core.tcp_bind(server, (Ipv4Addr::LOCALHOST, 0).into(), TcpBind::default()));
    let address = unwrap(core.tcp_local_address(server));
    unwrap(core.stream_listen(server, backlog));
    (server, address)
}

fn accept_one(core: &mut Core, state: &mut State, listener: HandleId, event: &LoopEvent) {
    if let Event::Connection(_, result) = event {
        unwrap(*result);
        let stream = core.tcp_open(state.serve);
        unwrap(core.stream_accept(listener, stream));
        unwrap(core.stream_read_start(stream));
        state.accepted.push(stream);
        (state.arrived)(core, state);
    }
}

fn new_state(params: &Params, server: HandleId, serve: Call<State>) -> State {
    State {
        params: *params,
        server,
        clients: Vec::new(),
        accepted: Vec::new(),
        connected: 0,
        serve,
        arrived: |_, _| {},
        count: 0,
        part: 0,
        watch: None,
        measure: None,
        slab: vec![0; 65536],
    }
}

/// Listens, connects `width` clients with the read callback `on_read`, and runs the loop; `on_connect` starts the measurement.
fn run_with(
    params: &Params,
    serve: Call<State>,
    on_read: Call<State>,
    on_connect: Finish<State>,
    arrived: fn(&mut Core, &mut State),
) -> Sample {
    let mut core = new_loop();
    let (server, address) = listen(&mut core, BACKLOG);
    let mut state = State { arrived, ..new_state(params, server, serve) };
    for _ in 0..params.width {
        let client = core.tcp_open(on_read);
        unwrap(core.tcp_connect(client, address, (on_connect, 0)));
        state.clients.push(client);
    }
    run(&mut core, &mut state, RunMode::Default);
    vec![state.measure.expect("it was measured")]
}

fn close_one(core: &mut Core, id: HandleId) {
    if !core.is_closing(id) {
        unwrap(core.close(id));
    }
}

fn close_all(core: &mut Core, state: &mut State) {
    close_one(core, state.server);
    for &id in state.clients.iter().chain(&state.accepted) {
        close_one(core, id);
    }
}

fn connected(outcome: &Outcome<FnFrontEnd<State>>) {
    let Outcome::Connect(result) = outcome else { panic!("not a connection") };
    unwrap(*result);
}

fn write(core: &mut Core, id: HandleId, pieces: &'static [&'static [u8]], then: (Finish<State>, usize)) {
    unwrap(core.stream_write(id, Pieces(pieces), then).map_err(|refused| refused.errno));
}

static PING: &[u8] = &[0; 64];
static PING_PIECES: &[&[u8]] = &[PING];

fn ping(core: &mut Core, id: HandleId) {
    fn written(_: &mut Core, _: &mut State, _: usize, outcome: Outcome<FnFrontEnd<State>>) {
        assert!(matches!(outcome, Outcome::Write { result: Ok(()) | Err(Errno::ECANCELED), .. }));
    }
    write(core, id, PING_PIECES, (written, 0));
}

pub(crate) fn ping_pongs(params: &Params) -> Sample {
    fn echo(core: &mut Core, state: &mut State, id: HandleId, _: &LoopEvent) {
        // A ping is one TCP segment, so one read returns all of it.
        assert_eq!(unwrap(core.stream_read(id, &mut state.slab)), PING.len());
        ping(core, id);
    }
    fn take_pong(core: &mut Core, state: &mut State, id: HandleId, _: &LoopEvent) {
        state.part += unwrap(core.stream_read(id, &mut state.slab));
        if state.part < PING.len() {
            return;
        }
        state.part -= PING.len();
        state.count += 1;
        if state.count < state.params.count {
            ping(core, id);
        } else {
            state.end();
            close_all(core, state);
        }
    }
    fn begin(core: &mut Core, state: &mut State, _: usize, outcome: Outcome<FnFrontEnd<State>>) {
        connected(&outcome);
        unwrap(core.stream_read_start(state.clients[0]));
        state.begin();
        ping(core, state.clients[0]);
    }
    run_with(params, echo, take_pong, begin, |_, _| {})
}

/// The read callback of clients that never read.
fn never_read(_: &mut Core, _: &mut State, _: HandleId, _: &LoopEvent) {
    panic!("nothing is sent to clients");
}

pub(crate) fn tcp_write_batch(params: &Params) -> Sample {
    static HELLO: &[&[u8]] = &[b"Hello, world."];
    fn drop_until_end(core: &mut Core, state: &mut State, id: HandleId, event: &LoopEvent) {
        match event {
            Event::Readable(_) => match core.stream_read(id, &mut state.slab) {
                Err(Errno::EOF) => close_all(core, state),
                other => drop(unwrap(other)),
            },
            _ => close_all(core, state),
        }
    }
    fn count_written(_: &mut Core, state: &mut State, _: usize, outcome: Outcome<FnFrontEnd<State>>) {
        assert!(matches!(outcome, Outcome::Write { result: Ok(()), .. }));
        state.count += 1;
    }
    fn ended(core: &mut Core, state: &mut State, _: usize, outcome: Outcome<FnFrontEnd<State>>) {
        assert!(matches!(outcome, Outcome::Shutdown(Ok(()))));
        state.end();
        close_one(core, state.clients[0]);
    }
    fn begin(core: &mut Core, state: &mut State, _: usize, outcome: Outcome<FnFrontEnd<State>>) {
        connected(&outcome);
        state.begin();
        for _ in 0..state.params.count {
            write(core, state.clients[0], HELLO, (count_written, 0));
        }
        unwrap(core.stream_shutdown(state.clients[0], (ended as Finish<State>, 0)));
    }
    let sample = run_with(params, drop_until_end, never_read, begin, |_, _| {});
    assert_eq!(sample[0].amount, params.count);
    sample
}

static PUMP: &[u8] = &[0; 8192];
static PUMP_PIECES: &[&[u8]] = &[PUMP];

pub(crate) fn tcp_pump(params: &Params) -> Sample {
    fn take_pumped(core: &mut Core, state: &mut State, id: HandleId, _: &LoopEvent) {
        let length = unwrap(core.stream_read(id, &mut state.slab)) as u64;
        if state.count >= state.params.count {
            return;
        }
        state.count += length;
        if state.count >= state.params.count {
            state.end();
            close_all(core, state);
        }
    }
    /// Starts only when both ends of every connection exist: otherwise the first bytes would race with the last accepts.
    fn pump_if_all_connected(core: &mut Core, state: &mut State) {
        if state.connected < state.clients.len() || state.accepted.len() < state.clients.len() {
            return;
        }
        state.begin();
        for at in 0..state.clients.len() {
            write(core, state.clients[at], PUMP_PIECES, (pump_more, at));
        }
    }
    fn pump_more(core: &mut Core, state: &mut State, at: usize, outcome: Outcome<FnFrontEnd<State>>) {
        if state.count < state.params.count {
            assert!(matches!(outcome, Outcome::Write { result: Ok(()), .. }));
            write(core, state.clients[at], PUMP_PIECES, (pump_more, at));
        }
    }
    fn pump_connected(core: &mut Core, state: &mut State, _: usize, outcome: Outcome<FnFrontEnd<State>>) {
        connected(&outcome);
        state.connected += 1;
        pump_if_all_connected(core, state);
    }
    run_with(params, take_pumped, never_read, pump_connected, pump_if_all_connected)
}

/// The memory of an idle connection in this process. The client ends are descriptors of another process.
pub(crate) fn idle_tcp_memory(params: &Params) -> Sample {
    const BATCH: usize = 100;
    fn never_readable(_: &mut Core, _: &mut State, _: HandleId, _: &LoopEvent) {
        panic!("an idle connection was readable");
    }
    /// Connects in batches that are smaller than the backlog, and accepts each batch before the next.
    fn connect_until(core: &mut Core, state: &mut State, port: u16, target: usize) {
        while state.accepted.len() < target {
            let batch_end = (state.accepted.len() + BATCH).min(target);
            assert_eq!(bench_connect(port, (batch_end - state.accepted.len()) as u64), 0);
            while state.accepted.len() < batch_end {
                run(core, state, RunMode::Once);
            }
        }
    }
    let mut core = new_loop();
    let (server, address) = listen(&mut core, BATCH as i32 * 2);
    let mut state = new_state(params, server, never_readable);
    let width = usize::try_from(params.width).unwrap();
    // The C side finds its handles through pointers, so this list unwrap not count: it is allocated before the measurement.
    state.accepted.reserve_exact(BATCH + width);
    state.accepted.resize(BATCH + width, server);
    state.accepted.clear();
    // The first batch includes allocations that a process makes once.
    connect_until(&mut core, &mut state, address.port(), BATCH);
    let watch = Stopwatch::begin();
    let before = bench_resident_bytes();
    connect_until(&mut core, &mut state, address.port(), BATCH + width);
    let after = bench_resident_bytes();
    vec![watch.end((after - before) / params.width)]
}
