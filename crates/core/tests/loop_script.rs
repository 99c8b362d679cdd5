//! Model-based test: random scripts run on the real loop and on a naive model of it. Events, their order, results of
//! operations and the visible state must be equal after every step.
//!
//! A failure prints the shrunk script in a form that can be pasted below as a test. `fuzz/fuzz_targets/loop_script.rs`
//! is the same test with a fuzzer.
#![forbid(unsafe_code)]

mod model;

use std::cell::Cell;

use model::check;
use model::script::{Bits, Call, Fd, Kind, Mode, Ms, Op, Pick, Script, Step, Target, Watcher};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestError, TestRunner};

/// The number of scripts in a run of the test, and the least number of steps in all of them.
const SCRIPTS: u32 = 2500;
const STEPS: usize = 100_000;

/// A step is made from four bytes: a proptest strategy for every field would take ten times as long as the test itself.
type Seed = (u8, u8, u8, u8);

/// Usually one of the first handles of the right kind, often the one whose callback is running.
fn pick(byte: u8) -> Pick {
    Pick(match byte {
        0..160 => byte % 8,
        160..184 => Pick::ANY + byte % 16,
        _ => Pick::CURRENT,
    })
}

/// Often 0, 1 or 2, so that times coincide; sometimes huge.
fn ms(byte: u8) -> Ms {
    Ms(if byte < 100 { byte % 3 } else { byte })
}

fn watcher(byte: u8) -> Watcher {
    [Watcher::Idle, Watcher::Prepare, Watcher::Check][usize::from(byte % 3)]
}

/// Usually a valid interest.
fn interest(byte: u8) -> Bits {
    Bits(if byte < 230 { byte % 16 } else { byte % 64 })
}

fn op((tag, a, b, c): Seed) -> Op {
    match tag % 64 {
        0..=2 => Op::Open(Kind::Timer),
        3..=5 => Op::Open([Kind::Idle, Kind::Prepare, Kind::Check][usize::from(a % 3)]),
        6..=7 => Op::Open(Kind::Async),
        8..=10 => Op::OpenPoll(Fd(a)),
        11..=17 => Op::TimerStart(pick(a), ms(b), ms(c)),
        18..=19 => Op::TimerStop(pick(a)),
        20..=21 => Op::TimerAgain(pick(a)),
        22 => Op::TimerSetRepeat(pick(a), ms(b)),
        23..=28 => Op::Start(watcher(a), pick(b)),
        29..=31 => Op::Stop(watcher(a), pick(b)),
        32..=36 => Op::Send(pick(a)),
        37 => Op::SendKept(pick(a)),
        38..=43 => Op::PollStart(pick(a), interest(b)),
        44..=45 => Op::PollStop(pick(a)),
        46..=49 => Op::Ready(Fd(a), Bits(b % 64)),
        50..=51 => Op::ReadyIn(ms(a), Fd(b), Bits(c % 64)),
        52..=53 => Op::SetRef(pick(a), b.is_multiple_of(2)),
        54..=57 => Op::Close(pick(a)),
        58 => Op::Advance(ms(a)),
        59 => Op::UpdateTime,
        60 => Op::StopRun,
        61..=62 => Op::Work,
        _ => Op::Cancel(a % 8),
    }
}

fn step(seed: Seed) -> Step {
    let (tag, a, b, _) = seed;
    match tag / 64 {
        0 if tag < 40 => Step::Run([Mode::Default, Mode::Once, Mode::NoWait][usize::from(a % 3)], b % 64),
        _ => Step::Do(op(seed)),
    }
}

fn call(((target, time), seeds): ((u8, u8), Vec<Seed>)) -> Call {
    let target = if target < 240 { Target::Handle(target % 16) } else { Target::Request(target % 4) };
    Call { target, time: [0, 0, 0, 1, 1, 2, 3, 4][usize::from(time % 8)], ops: seeds.into_iter().map(op).collect() }
}

/// Opens and starts a handle at the beginning of a script: callbacks find more cases with more started handles.
fn open_and_start((tag, a, b, c): Seed) -> Vec<Step> {
    // The newest handle of a kind is the last one; with fewer than 8 of each kind this may be any of them.
    let pick = Pick(c % 8);
    let ops = match tag % 8 {
        0..=2 => vec![Op::Open(Kind::Timer), Op::TimerStart(pick, ms(a), ms(b))],
        3 => vec![Op::Open(Kind::Idle), Op::Start(Watcher::Idle, pick)],
        4 => vec![Op::Open(Kind::Prepare), Op::Start(Watcher::Prepare, pick)],
        5 => vec![Op::Open(Kind::Check), Op::Start(Watcher::Check, pick)],
        6 => vec![Op::Open(Kind::Async), Op::Send(pick)],
        _ => vec![Op::OpenPoll(Fd(a)), Op::PollStart(pick, interest(b)), Op::Ready(Fd(a), Bits(b % 16))],
    };
    ops.into_iter().map(Step::Do).collect()
}

fn script() -> impl Strategy<Value = Script> {
    let seeds = |range| vec(any::<Seed>(), range);
    let calls = vec((any::<(u8, u8)>(), seeds(1..4)).prop_map(call), 0..40);
    (seeds(0..16), seeds(1..60), calls).prop_map(|(setup, seeds, calls)| {
        let setup = setup.into_iter().flat_map(open_and_start);
        Script { steps: setup.chain(seeds.into_iter().map(step)).collect(), calls }
    })
}

#[test]
fn random_scripts_agree_with_the_model() {
    let steps = Cell::new(0);
    let config = Config { failure_persistence: None, max_shrink_iters: 20_000, ..Config::with_cases(SCRIPTS) };
    let outcome = TestRunner::new(config).run(&script(), |script| {
        let made = check(&script).map_err(TestCaseError::fail)?;
        steps.set(steps.get() + made);
        Ok(())
    });
    match outcome {
        Ok(()) => assert!(steps.get() >= STEPS, "only {} steps: the scripts are too short", steps.get()),
        Err(TestError::Fail(reason, script)) => panic!("{}\n\nagree(&{script});\n", reason.message()),
        Err(TestError::Abort(reason)) => panic!("{}", reason.message()),
    }
}

#[track_caller]
fn agree(script: &Script) {
    if let Err(difference) = check(script) {
        panic!("{difference}");
    }
}

/// Scripts that once showed a difference, or that should be part of every run.
mod regressions {
    use super::Op::*;
    use super::Step::*;
    use super::Target::*;
    use super::*;

    #[test]
    fn work_after_cancelled_work_is_done_in_the_same_wait() {
        agree(&Script { steps: vec![Do(Work), Do(Cancel(0)), Do(Work), Run(Mode::Once, 0)], calls: vec![] });
    }

    #[test]
    fn a_due_time_beyond_the_clock_range_never_comes() {
        let steps = |ms| vec![Do(Open(Kind::Timer)), Do(Advance(Ms(1))), Do(TimerStart(Pick(0), Ms(ms), Ms(ms)))];
        for ms in Ms::LARGE..=u8::MAX {
            let runs = vec![
                Run(Mode::Once, 3),
                Do(Advance(Ms(ms))),
                Do(ReadyIn(Ms(ms), Fd(0), Bits(1))),
                Run(Mode::Default, 3),
            ];
            agree(&Script { steps: [steps(ms), runs].concat(), calls: vec![] });
        }
    }

    #[test]
    fn the_first_turn_runs_even_if_the_initial_timers_end_the_last_alive_handle() {
        let steps = vec![
            Do(Open(Kind::Timer)),
            Do(Open(Kind::Check)),
            Do(TimerStart(Pick(0), Ms(0), Ms(0))),
            Do(Start(Watcher::Check, Pick(0))),
            Do(SetRef(Pick(1), false)),
            Run(Mode::Default, 8),
        ];
        agree(&Script { steps, calls: vec![] });
    }

    #[test]
    fn an_async_opened_and_sent_to_in_a_pass_waits_for_the_next_one() {
        let ops = vec![Open(Kind::Async), Send(Pick(1))];
        agree(&Script {
            steps: vec![Do(Open(Kind::Async)), Do(Send(Pick(0))), Run(Mode::NoWait, 8), Run(Mode::NoWait, 8)],
            calls: vec![Call { target: Handle(0), time: 0, ops }],
        });
    }

    #[test]
    fn readiness_found_before_poll_start_is_discarded() {
        for ops in [vec![PollStart(Pick(1), Bits(1))], vec![PollStop(Pick(1)), PollStart(Pick(1), Bits(3))]] {
            agree(&Script {
                steps: vec![
                    Do(OpenPoll(Fd(0))),
                    Do(OpenPoll(Fd(1))),
                    Do(PollStart(Pick(0), Bits(1))),
                    Do(PollStart(Pick(1), Bits(1))),
                    Do(Ready(Fd(0), Bits(1))),
                    Do(Ready(Fd(1), Bits(1))),
                    Run(Mode::NoWait, 8),
                    Run(Mode::NoWait, 8),
                ],
                calls: vec![Call { target: Handle(0), time: 0, ops }],
            });
        }
    }

    #[test]
    fn a_poll_handle_stopped_before_registration_leaves_the_backend_timeout_alone() {
        let poll = [Do(OpenPoll(Fd(0))), Do(PollStart(Pick(0), Bits(1)))];
        let timer = [Do(Open(Kind::Timer)), Do(TimerStart(Pick(0), Ms(9), Ms(0)))];
        let again = [Do(PollStop(Pick(0))), Do(PollStart(Pick(0), Bits(1))), Do(Close(Pick(0)))];
        agree(&Script { steps: [&poll[..], &timer, &again].concat(), calls: vec![] });
    }

    #[test]
    fn timer_again_on_a_closing_timer_is_no_error() {
        let steps = vec![Do(Open(Kind::Timer)), Do(TimerStart(Pick(0), Ms(1), Ms(1))), Do(Close(Pick(0)))];
        let again = vec![Do(TimerAgain(Pick(0))), Run(Mode::Once, 8), Do(TimerAgain(Pick(0)))];
        agree(&Script { steps: [steps, again].concat(), calls: vec![] });
    }

    /// Random scripts seldom find this: whether mode `Once` may block is decided before the turn's first callback.
    #[test]
    fn once_mode_does_not_block_if_an_idle_handle_was_active_at_its_start() {
        let steps = vec![
            Do(Open(Kind::Idle)),
            Do(Open(Kind::Timer)),
            Do(Start(Watcher::Idle, Pick(0))),
            Do(TimerStart(Pick(0), Ms(9), Ms(0))),
            Run(Mode::Once, 8),
            Run(Mode::Once, 8),
        ];
        agree(&Script {
            steps,
            calls: vec![Call { target: Handle(0), time: 0, ops: vec![Stop(Watcher::Idle, Pick(0))] }],
        });
    }

    #[test]
    fn the_loop_is_not_alive_in_the_last_but_one_close_callback() {
        let steps = vec![Do(Open(Kind::Timer)), Do(Open(Kind::Idle)), Do(Close(Pick(0))), Do(Close(Pick(1)))];
        agree(&Script { steps: [steps, vec![Run(Mode::Default, 8)]].concat(), calls: vec![] });
    }
}
