//! Runs a script on the real loop and on the model, and compares the visible state after every step.

use super::naive::{AnyKind, Naive};
use super::real::Real;
use super::script::{Call, Kind, Mode, Op, Pick, Script, Step, Target, Watcher};
use super::{Action, Observed};

/// The maximum number of steps of a script.
const MAX_STEPS: usize = 5000;

/// Runs a script on both sides. Returns the number of compared steps, or the first difference.
pub(crate) fn check(script: &Script) -> Result<usize, String> {
    let mut naive = Naive::new();
    let mut comparison = Comparison {
        real: Real::new(),
        calls: &script.calls,
        seen: Vec::new(),
        current: None,
        delivered: 0,
        limit: 0,
        steps: 0,
    };
    comparison.compare(&naive, "before the first step")?;
    for step in &script.steps {
        if comparison.steps >= MAX_STEPS {
            break;
        }
        match step {
            Step::Do(op) => comparison.apply(&mut naive, op)?,
            Step::Run(mode, limit) => {
                (comparison.delivered, comparison.limit) = (0, usize::from(*limit) + 1);
                naive.run(*mode, &mut |naive, event| comparison.deliver(naive, *mode, &event))?;
                if let Some(event) = comparison.real.next(*mode) {
                    return Err(format!("the model ends the run ({mode:?}), the loop hands out {event:?}"));
                }
                comparison.compare(&naive, &format!("after a run ({mode:?})"))?;
            }
        }
    }
    Ok(comparison.steps)
}

/// Everything except the model, which is borrowed by its own run while the callbacks run.
struct Comparison<'a> {
    real: Real,
    calls: &'a [Call],
    /// The targets of the events so far.
    seen: Vec<Target>,
    /// The handle whose callback is running.
    current: Option<usize>,
    /// The number of events in this run, and the number at which the run is stopped.
    delivered: usize,
    limit: usize,
    steps: usize,
}

impl Comparison<'_> {
    /// The model has determined the next event: the loop must return the same. Then runs the script's operations for
    /// this callback.
    fn deliver(&mut self, naive: &mut Naive, mode: Mode, event: &Observed) -> Result<(), String> {
        let real = self.real.next(mode);
        if real.as_ref() != Some(event) {
            return Err(format!("the model hands out {event:?} ({mode:?}), the loop {real:?}"));
        }
        self.compare(naive, &format!("when {event:?} was handed out"))?;
        let target = match *event {
            Observed::Done(r, _) => Target::Request(u8::try_from(r).unwrap_or(u8::MAX)),
            Observed::Timer(h)
            | Observed::Watcher(_, h)
            | Observed::Async(h)
            | Observed::Ready(h, _)
            | Observed::Closed(h) => Target::Handle(u8::try_from(h).unwrap_or(u8::MAX)),
            Observed::Unexpected(_) => return Err(format!("the model made {event:?}")),
        };
        let time = self.seen.iter().filter(|&&other| other == target).count();
        self.seen.push(target);
        self.current = match target {
            Target::Handle(h) => Some(usize::from(h)),
            Target::Request(_) => None,
        };
        for call in self.calls.iter().filter(|call| call.target == target && usize::from(call.time) == time) {
            for op in &call.ops {
                self.apply(naive, op).map_err(|text| format!("in the call of {event:?}: {text}"))?;
            }
        }
        self.current = None;
        self.delivered += 1;
        if self.delivered >= self.limit || self.steps >= MAX_STEPS {
            self.apply(naive, &Op::StopRun)?;
        }
        Ok(())
    }

    fn apply(&mut self, naive: &mut Naive, op: &Op) -> Result<(), String> {
        let Some(action) = resolve(naive, self.current, op) else { return Ok(()) };
        let (expected, real) = (naive.apply(action), self.real.apply(action));
        if expected != real {
            return Err(format!("{action:?} answers {expected:?} in the model, {real:?} in the loop"));
        }
        self.compare(naive, &format!("after {action:?}"))
    }

    fn compare(&mut self, naive: &Naive, when: &str) -> Result<(), String> {
        self.steps += 1;
        let (expected, real) = (naive.view(), self.real.view());
        if expected == real {
            return Ok(());
        }
        // Line by line, to show the difference first.
        let (expected, real) = (format!("{expected:#?}"), format!("{real:#?}"));
        let differing = expected.lines().zip(real.lines()).find(|(a, b)| a != b);
        Err(format!("{when}: {differing:?} differ\nthe model: {expected}\nthe loop: {real}"))
    }
}

/// Chooses the handles of an operation. `None` if there are none.
fn resolve(naive: &Naive, current: Option<usize>, op: &Op) -> Option<Action> {
    let kinds = naive.kinds();
    let choose = |h: Pick, kind| h.choose(&kinds, kind, current);
    let watcher = |which: Watcher| match which {
        Watcher::Idle => AnyKind::Plain(Kind::Idle),
        Watcher::Prepare => AnyKind::Plain(Kind::Prepare),
        Watcher::Check => AnyKind::Plain(Kind::Check),
    };
    let (timer, wake) = (Some(AnyKind::Plain(Kind::Timer)), Some(AnyKind::Plain(Kind::Async)));
    Some(match *op {
        Op::Open(kind) => Action::Open(kind),
        Op::OpenPoll(fd) => Action::OpenPoll(fd.number()),
        Op::TimerStart(h, after, repeat) => Action::TimerStart(choose(h, timer)?, after.ms(), repeat.ms()),
        Op::TimerStop(h) => Action::TimerStop(choose(h, timer)?),
        Op::TimerAgain(h) => Action::TimerAgain(choose(h, timer)?),
        Op::TimerSetRepeat(h, repeat) => Action::TimerSetRepeat(choose(h, timer)?, repeat.ms()),
        Op::Start(which, h) => Action::Start(which, choose(h, Some(watcher(which)))?),
        Op::Stop(which, h) => Action::Stop(which, choose(h, Some(watcher(which)))?),
        Op::Send(h) => Action::Send(choose(h, wake)?),
        Op::SendKept(h) => Action::SendKept(choose(h, wake)?),
        Op::PollStart(h, bits) => Action::PollStart(choose(h, Some(AnyKind::Poll))?, bits.epoll()),
        Op::PollStop(h) => Action::PollStop(choose(h, Some(AnyKind::Poll))?),
        Op::Ready(fd, bits) => Action::Ready(fd.number(), bits.epoll()),
        Op::ReadyIn(ms, fd, bits) => Action::ReadyIn(ms.ms(), fd.number(), bits.epoll()),
        Op::SetRef(h, keeps_alive) => Action::SetRef(choose(h, None)?, keeps_alive),
        Op::Close(h) => Action::Close(choose(h, None)?),
        Op::Advance(ms) => Action::Advance(ms.ms()),
        Op::UpdateTime => Action::UpdateTime,
        Op::StopRun => Action::StopRun,
        Op::Work => Action::Work,
        Op::Cancel(r) => Action::Cancel(usize::from(r).checked_rem(naive.requests())?),
    })
}
