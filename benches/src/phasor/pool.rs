//! fs_stat (synchronous and on the pool) and queue_work: the round trip through the thread pool.

use phasor_core::{FsDone, FsOp, Loop, Outcome, RunMode, fs_path};

use super::{Finish, FnFrontEnd, Pieces, new_loop, run, unwrap};
use crate::measure::{Stopwatch, bench_random};
use crate::registry::{Params, Sample};

fn stat_op() -> FsOp<Pieces> {
    FsOp::Stat { path: unwrap(fs_path(".")) }
}

pub(crate) fn fs_stat_sync(params: &Params) -> Sample {
    let watch = Stopwatch::begin();
    for _ in 0..params.count {
        unwrap(stat_op().run().result);
    }
    vec![watch.end(params.count)]
}

struct Remaining {
    left: u64,
    done: u64,
}

/// Keeps `width` requests in progress, which `start` starts, until `count` are done. Runs twice, the first time to warm up.
fn keep_busy(params: &Params, start: fn(&mut Loop<FnFrontEnd<Remaining>>)) -> Sample {
    let mut core = new_loop();
    let mut round = |count: u64| {
        let mut left = Remaining { left: count - params.width, done: 0 };
        for _ in 0..params.width {
            start(&mut core);
        }
        run(&mut core, &mut left, RunMode::Default);
        assert_eq!(left.done, count);
    };
    round(params.width * 8);
    let watch = Stopwatch::begin();
    round(params.count);
    vec![watch.end(params.count)]
}

/// Starts a new request in place of a finished one.
fn start_next(
    core: &mut Loop<FnFrontEnd<Remaining>>,
    left: &mut Remaining,
    start: fn(&mut Loop<FnFrontEnd<Remaining>>),
) {
    left.done += 1;
    if left.left > 0 {
        left.left -= 1;
        start(core);
    }
}

pub(crate) fn fs_stat(params: &Params) -> Sample {
    fn start(core: &mut Loop<FnFrontEnd<Remaining>>) {
        core.fs(stat_op(), (stat_next as Finish<Remaining>, 0));
    }
    fn stat_next(
        core: &mut Loop<FnFrontEnd<Remaining>>,
        left: &mut Remaining,
        _: usize,
        outcome: Outcome<FnFrontEnd<Remaining>>,
    ) {
        let Outcome::Fs(FsDone { result, .. }) = outcome else { panic!("not a file operation") };
        unwrap(result);
        start_next(core, left, start);
    }
    keep_busy(params, start)
}

pub(crate) fn queue_work(params: &Params) -> Sample {
    fn start(core: &mut Loop<FnFrontEnd<Remaining>>) {
        let work = || {
            // Trivial work that the compiler may not optimise away.
            std::hint::black_box(bench_random(&mut 1));
        };
        core.work(work, (work_next as Finish<Remaining>, 0));
    }
    fn work_next(
        core: &mut Loop<FnFrontEnd<Remaining>>,
        left: &mut Remaining,
        _: usize,
        outcome: Outcome<FnFrontEnd<Remaining>>,
    ) {
        assert!(matches!(outcome, Outcome::Work(Ok(()))), "the work was not done");
        start_next(core, left, start);
    }
    keep_busy(params, start)
}
