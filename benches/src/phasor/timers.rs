//! million_timers, timers_restart.

use phasor_core::{Event, HandleId, Loop, RunMode};

use super::{FnFrontEnd, new_loop, run, unwrap};
use crate::measure::{Stopwatch, bench_random};
use crate::registry::{Params, Sample};

fn count_fired(_: &mut Loop<FnFrontEnd<u64>>, fired: &mut u64, _: HandleId, _: &Event<FnFrontEnd<u64>>) {
    *fired += 1;
}

/// A thousand timers per millisecond. Measures initialisation, dispatch and cleanup.
pub(crate) fn million_timers(params: &Params) -> Sample {
    let (mut core, mut fired, mut timeout_ms) = (new_loop(), 0, 0);
    let mut timers = Vec::with_capacity(usize::try_from(params.count).unwrap());
    let watch = Stopwatch::begin();
    for i in 0..params.count {
        if i % 1000 == 0 {
            timeout_ms += 1;
        }
        let timer = core.timer_open(count_fired);
        unwrap(core.timer_start(timer, timeout_ms, 0));
        timers.push(timer);
    }
    let init = watch.end(params.count);

    let watch = Stopwatch::begin();
    run(&mut core, &mut fired, RunMode::Default);
    let dispatch = watch.end(fired);

    let watch = Stopwatch::begin();
    for timer in timers {
        unwrap(core.close(timer));
    }
    let closed = run(&mut core, &mut fired, RunMode::Default);
    assert_eq!((fired, closed), (params.count, params.count));
    vec![init, dispatch, watch.end(closed)]
}

/// Idle timeouts of a server: a timer is restarted when its connection receives data. None expires.
pub(crate) fn timers_restart(params: &Params) -> Sample {
    let (mut core, mut fired, mut random) = (new_loop(), 0, 1);
    let mut timers = Vec::with_capacity(usize::try_from(params.width).unwrap());
    for _ in 0..params.width {
        let timer = core.timer_open(count_fired);
        unwrap(core.timer_start(timer, params.limit_ms, 0));
        timers.push(timer);
    }
    let watch = Stopwatch::begin();
    for i in 1..=params.count {
        let at = usize::try_from(bench_random(&mut random) % params.width).unwrap();
        unwrap(core.timer_start(timers[at], params.limit_ms, 0));
        if i % 1024 == 0 {
            run(&mut core, &mut fired, RunMode::NoWait);
        }
    }
    assert_eq!(fired, 0);
    vec![watch.end(params.count)]
}
