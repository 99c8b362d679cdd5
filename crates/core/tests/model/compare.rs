//! Does a script on both sides and compares everything that can be seen, at every step.

use super::naive::{Naive, Sort};
use super::real::Real;
use super::script::{Call, Kind, Mode, Op, Pick, Script, Step, Watcher, Who};
use super::{Deed, Happening};

/// No script makes more steps than this.
const MOST_STEPS: usize = 5000;

/// Does a script on the real loop and on the model. Says how many steps were compared, or what differed first.
pub(crate) fn check(script: &Script) -> Result<usize, String> {
    let mut naive = Naive::new();
    let mut rest =
        Rest { real: Real::new(), calls: &script.calls, seen: Vec::new(), called: None, told: 0, limit: 0, steps: 0 };
    rest.compare(&naive, "before the first step")?;
    for step in &script.steps {
        if rest.steps >= MOST_STEPS {
            break;
        }
        match step {
            Step::Do(op) => rest.apply(&mut naive, op)?,
            Step::Run(mode, limit) => {
                (rest.told, rest.limit) = (0, usize::from(*limit) + 1);
                naive.run(*mode, &mut |naive, event| rest.hand_out(naive, *mode, &event))?;
                if let Some(event) = rest.real.next(*mode) {
                    return Err(format!("the model ends the run ({mode:?}), the loop hands out {event:?}"));
                }
                rest.compare(&naive, &format!("after a run ({mode:?})"))?;
            }
        }
    }
    Ok(rest.steps)
}

/// Everything but the model, which is busy with its run while this is called.
struct Rest<'a> {
    real: Real,
    calls: &'a [Call],
    /// Whose events were handed out so far.
    seen: Vec<Who>,
    /// The handle that is being called.
    called: Option<usize>,
    /// How many events this run handed out, and when it is stopped.
    told: usize,
    limit: usize,
    steps: usize,
}

impl Rest<'_> {
    /// The model says what the next event is: so must the loop. Then everything that is to be done in that call.
    fn hand_out(&mut self, naive: &mut Naive, mode: Mode, event: &Happening) -> Result<(), String> {
        let real = self.real.next(mode);
        if real.as_ref() != Some(event) {
            return Err(format!("the model hands out {event:?} ({mode:?}), the loop {real:?}"));
        }
        self.compare(naive, &format!("when {event:?} was handed out"))?;
        let who = match *event {
            Happening::Done(r, _) => Who::Request(u8::try_from(r).unwrap_or(u8::MAX)),
            Happening::Timer(h)
            | Happening::Watcher(_, h)
            | Happening::Async(h)
            | Happening::Ready(h, _)
            | Happening::Closed(h) => Who::Handle(u8::try_from(h).unwrap_or(u8::MAX)),
            Happening::Strange(_) => return Err(format!("the model made {event:?}")),
        };
        let time = self.seen.iter().filter(|&&other| other == who).count();
        self.seen.push(who);
        self.called = match who {
            Who::Handle(h) => Some(usize::from(h)),
            Who::Request(_) => None,
        };
        for call in self.calls.iter().filter(|call| call.who == who && usize::from(call.time) == time) {
            for op in &call.ops {
                self.apply(naive, op).map_err(|text| format!("in the call of {event:?}: {text}"))?;
            }
        }
        self.called = None;
        self.told += 1;
        if self.told >= self.limit || self.steps >= MOST_STEPS {
            self.apply(naive, &Op::StopRun)?;
        }
        Ok(())
    }

    fn apply(&mut self, naive: &mut Naive, op: &Op) -> Result<(), String> {
        let Some(deed) = resolve(naive, self.called, op) else { return Ok(()) };
        let (expected, real) = (naive.apply(deed), self.real.apply(deed));
        if expected != real {
            return Err(format!("{deed:?} answers {expected:?} in the model, {real:?} in the loop"));
        }
        self.compare(naive, &format!("after {deed:?}"))
    }

    fn compare(&mut self, naive: &Naive, when: &str) -> Result<(), String> {
        self.steps += 1;
        let (expected, real) = (naive.view(), self.real.view());
        if expected == real {
            return Ok(());
        }
        // Field by field, so that the difference is not lost among what is equal.
        let (expected, real) = (format!("{expected:#?}"), format!("{real:#?}"));
        let differing = expected.lines().zip(real.lines()).find(|(a, b)| a != b);
        Err(format!("{when}: {differing:?} differ\nthe model: {expected}\nthe loop: {real}"))
    }
}

/// Chooses the handles of an operation. Nothing if there are none.
fn resolve(naive: &Naive, called: Option<usize>, op: &Op) -> Option<Deed> {
    let sorts = naive.sorts();
    let choose = |h: Pick, sort| h.choose(&sorts, sort, called);
    let watcher = |which: Watcher| match which {
        Watcher::Idle => Sort::Plain(Kind::Idle),
        Watcher::Prepare => Sort::Plain(Kind::Prepare),
        Watcher::Check => Sort::Plain(Kind::Check),
    };
    let (timer, wake) = (Some(Sort::Plain(Kind::Timer)), Some(Sort::Plain(Kind::Async)));
    Some(match *op {
        Op::Open(kind) => Deed::Open(kind),
        Op::OpenPoll(fd) => Deed::OpenPoll(fd.number()),
        Op::TimerStart(h, after, repeat) => Deed::TimerStart(choose(h, timer)?, after.ms(), repeat.ms()),
        Op::TimerStop(h) => Deed::TimerStop(choose(h, timer)?),
        Op::TimerAgain(h) => Deed::TimerAgain(choose(h, timer)?),
        Op::TimerSetRepeat(h, repeat) => Deed::TimerSetRepeat(choose(h, timer)?, repeat.ms()),
        Op::Start(which, h) => Deed::Start(which, choose(h, Some(watcher(which)))?),
        Op::Stop(which, h) => Deed::Stop(which, choose(h, Some(watcher(which)))?),
        Op::Send(h) => Deed::Send(choose(h, wake)?),
        Op::SendKept(h) => Deed::SendKept(choose(h, wake)?),
        Op::PollStart(h, bits) => Deed::PollStart(choose(h, Some(Sort::Poll))?, bits.epoll()),
        Op::PollStop(h) => Deed::PollStop(choose(h, Some(Sort::Poll))?),
        Op::Ready(fd, bits) => Deed::Ready(fd.number(), bits.epoll()),
        Op::ReadyIn(ms, fd, bits) => Deed::ReadyIn(ms.ms(), fd.number(), bits.epoll()),
        Op::SetRef(h, keeps_alive) => Deed::SetRef(choose(h, None)?, keeps_alive),
        Op::Close(h) => Deed::Close(choose(h, None)?),
        Op::Advance(ms) => Deed::Advance(ms.ms()),
        Op::UpdateTime => Deed::UpdateTime,
        Op::StopRun => Deed::StopRun,
        Op::Work => Deed::Work,
        Op::Cancel(r) => Deed::Cancel(usize::from(r).checked_rem(naive.requests())?),
    })
}
