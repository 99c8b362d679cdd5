//! loop_count, million_async, async_pummel: the turns of the loop, and waking it from other threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use phasor_core::{AsyncSender, Event, HandleId, Loop, RunMode};

use super::{FnFrontEnd, new_loop, run, unwrap};
use crate::measure::{Stopwatch, bench_random};
use crate::registry::{Measure, Params, Sample};

struct Count {
    events: u64,
    target: u64,
}

pub(crate) fn loop_count(params: &Params) -> Sample {
    fn count_turn(core: &mut Loop<FnFrontEnd<Count>>, count: &mut Count, id: HandleId, _: &Event<FnFrontEnd<Count>>) {
        count.events += 1;
        if count.events == count.target {
            unwrap(core.idle_stop(id));
        }
    }
    let mut core = new_loop();
    let mut count = Count { events: 0, target: params.count };
    let idle = core.idle_open(count_turn);
    unwrap(core.idle_start(idle));
    let watch = Stopwatch::begin();
    run(&mut core, &mut count, RunMode::Default);
    assert_eq!(count.events, params.count);
    vec![watch.end(count.events)]
}

/// Threads that send until `join` is called.
struct Senders {
    running: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Senders {
    fn start(count: u64, send: impl Fn(&mut u64) + Send + Clone + 'static) -> Senders {
        let running = Arc::new(AtomicBool::new(true));
        let threads = (0..count).map(|_| {
            let (running, send, mut state) = (running.clone(), send.clone(), 1);
            std::thread::spawn(move || {
                while running.load(Ordering::Relaxed) {
                    send(&mut state);
                }
            })
        });
        Senders { threads: threads.collect(), running }
    }

    fn join(&mut self) {
        self.running.store(false, Ordering::SeqCst);
        for thread in self.threads.drain(..) {
            thread.join().expect("a sender does not panic");
        }
    }
}

struct AsyncState {
    count: Count,
    senders: Senders,
    watch: Stopwatch,
    measure: Option<Measure>,
    asyncs: Vec<HandleId>,
}

/// As libuv's `benchmark-million-async.c`: a thread wakes handles at random.
pub(crate) fn million_async(params: &Params) -> Sample {
    fn count_async(
        _: &mut Loop<FnFrontEnd<AsyncState>>,
        state: &mut AsyncState,
        _: HandleId,
        _: &Event<FnFrontEnd<AsyncState>>,
    ) {
        state.count.events += 1;
    }
    fn time_is_up(
        core: &mut Loop<FnFrontEnd<AsyncState>>,
        state: &mut AsyncState,
        id: HandleId,
        _: &Event<FnFrontEnd<AsyncState>>,
    ) {
        state.measure = Some(state.watch.end(state.count.events));
        state.senders.join();
        for &id in &state.asyncs {
            unwrap(core.close(id));
        }
        unwrap(core.close(id));
    }
    let mut core = new_loop();
    let (asyncs, senders): (Vec<HandleId>, Vec<AsyncSender>) =
        (0..params.width).map(|_| core.async_open(count_async)).unzip();
    core.update_time();
    let timer = core.timer_open(time_is_up);
    unwrap(core.timer_start(timer, params.limit_ms, 0));
    let senders = Arc::new(senders);
    let width = params.width;
    let senders = Senders::start(1, move |state| senders[usize::try_from(bench_random(state) % width).unwrap()].send());
    let count = Count { events: 0, target: 0 };
    let mut state = AsyncState { count, senders, watch: Stopwatch::begin(), measure: None, asyncs };
    run(&mut core, &mut state, RunMode::Default);
    vec![state.measure.expect("the time was up")]
}

pub(crate) fn async_pummel(params: &Params) -> Sample {
    fn count_pummel(
        core: &mut Loop<FnFrontEnd<AsyncState>>,
        state: &mut AsyncState,
        id: HandleId,
        _: &Event<FnFrontEnd<AsyncState>>,
    ) {
        state.count.events += 1;
        if state.count.events == state.count.target {
            state.measure = Some(state.watch.end(state.count.events));
            state.senders.join();
            unwrap(core.close(id));
        }
    }
    let mut core = new_loop();
    let (_, sender) = core.async_open(count_pummel);
    let senders = Senders::start(params.width, move |_| sender.send());
    let count = Count { events: 0, target: params.count };
    let mut state = AsyncState { count, senders, watch: Stopwatch::begin(), measure: None, asyncs: Vec::new() };
    run(&mut core, &mut state, RunMode::Default);
    vec![state.measure.expect("all were counted")]
}
