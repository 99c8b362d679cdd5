//! The real loop on a simulated platform, with the interface of the model.

use phasor_core::{
    AsyncSender, Errno, Event, Face, HandleId, Loop, Outcome, Readiness, Reason, RequestId, RunMode, Sim,
};

use super::script::{Fd, Kind, Mode, Watcher};
use super::{Action, AliveReason, Observed, OpResult, View};

/// Numbers as data of handles and requests.
struct Numbers;

impl Face for Numbers {
    type Handle = usize;
    type Request = usize;
    type Bytes = Vec<u8>;
}

pub(crate) struct Real {
    core: Loop<Numbers>,
    sim: Sim,
    ids: Vec<HandleId>,
    senders: Vec<Option<AsyncSender>>,
    requests: Vec<RequestId>,
}

impl Real {
    pub(crate) fn new() -> Real {
        let sim = Sim::new();
        Real { core: Loop::on(sim.clone()), sim, ids: Vec::new(), senders: Vec::new(), requests: Vec::new() }
    }

    pub(crate) fn apply(&mut self, action: Action) -> OpResult {
        self.try_apply(action).map_err(Errno::raw)
    }

    fn try_apply(&mut self, action: Action) -> Result<(), Errno> {
        let core = &mut self.core;
        let number = self.ids.len();
        match action {
            Action::Open(kind) => {
                let (id, sender) = match kind {
                    Kind::Timer => (core.timer_open(number), None),
                    Kind::Idle => (core.idle_open(number), None),
                    Kind::Prepare => (core.prepare_open(number), None),
                    Kind::Check => (core.check_open(number), None),
                    Kind::Async => {
                        let (id, sender) = core.async_open(number);
                        (id, Some(sender))
                    }
                };
                self.ids.push(id);
                self.senders.push(sender);
                Ok(())
            }
            Action::OpenPoll(fd) => {
                self.ids.push(core.poll_open(fd, number)?);
                self.senders.push(None);
                Ok(())
            }
            Action::TimerStart(h, after_ms, repeat_ms) => core.timer_start(self.ids[h], after_ms, repeat_ms),
            Action::TimerStop(h) => core.timer_stop(self.ids[h]),
            Action::TimerAgain(h) => core.timer_again(self.ids[h]),
            Action::TimerSetRepeat(h, repeat_ms) => core.timer_set_repeat(self.ids[h], repeat_ms),
            Action::Start(Watcher::Idle, h) => core.idle_start(self.ids[h]),
            Action::Start(Watcher::Prepare, h) => core.prepare_start(self.ids[h]),
            Action::Start(Watcher::Check, h) => core.check_start(self.ids[h]),
            Action::Stop(Watcher::Idle, h) => core.idle_stop(self.ids[h]),
            Action::Stop(Watcher::Prepare, h) => core.prepare_stop(self.ids[h]),
            Action::Stop(Watcher::Check, h) => core.check_stop(self.ids[h]),
            Action::Send(h) => core.async_sender(self.ids[h]).map(|sender| sender.send()),
            Action::SendKept(h) => match &self.senders[h] {
                Some(sender) => {
                    sender.send();
                    Ok(())
                }
                None => Ok(()),
            },
            Action::PollStart(h, bits) => core.poll_start(self.ids[h], Readiness::from_bits(bits)),
            Action::PollStop(h) => core.poll_stop(self.ids[h]),
            Action::Ready(fd, bits) => {
                self.sim.set_ready(fd, Readiness::from_bits(bits));
                Ok(())
            }
            Action::ReadyIn(ms, fd, bits) => {
                let at_ms = self.sim.now_ms().saturating_add(ms);
                self.sim.set_ready_at(at_ms, fd, Readiness::from_bits(bits));
                Ok(())
            }
            Action::SetRef(h, keeps_alive) => core.set_ref(self.ids[h], keeps_alive),
            Action::Close(h) => core.close(self.ids[h]),
            Action::Advance(ms) => {
                self.sim.advance_ms(ms);
                Ok(())
            }
            Action::UpdateTime => {
                core.update_time();
                Ok(())
            }
            Action::StopRun => {
                core.stop();
                Ok(())
            }
            Action::Work => {
                self.requests.push(core.work(|| {}, self.requests.len()));
                Ok(())
            }
            Action::Cancel(r) => core.cancel(self.requests[r]),
        }
    }

    pub(crate) fn next(&mut self, mode: Mode) -> Option<Observed> {
        let mode = match mode {
            Mode::Default => RunMode::Default,
            Mode::Once => RunMode::Once,
            Mode::NoWait => RunMode::NoWait,
        };
        let event = self.core.next(mode)?;
        let number = event.handle().and_then(|id| self.core.face(id)).copied();
        Some(match (event, number) {
            (Event::Timer(_), Some(h)) => Observed::Timer(h),
            (Event::Idle(_), Some(h)) => Observed::Watcher(Watcher::Idle, h),
            (Event::Prepare(_), Some(h)) => Observed::Watcher(Watcher::Prepare, h),
            (Event::Check(_), Some(h)) => Observed::Watcher(Watcher::Check, h),
            (Event::Async(_), Some(h)) => Observed::Async(h),
            (Event::Ready(_, result), Some(h)) => Observed::Ready(h, result.map(Readiness::bits).map_err(Errno::raw)),
            (Event::Done(r, Outcome::Work(result)), None) => {
                Observed::Done(r, result.map_err(|failure| failure.errno().raw()))
            }
            (Event::Closed(h), None) => Observed::Closed(h),
            (event, number) => Observed::Unexpected(format!("{:?} of {number:?}", event.kind())),
        })
    }

    pub(crate) fn view(&mut self) -> View {
        let core = &mut self.core;
        let requests = &self.requests;
        let number = |core: &Loop<Numbers>, id| core.face(id).copied().unwrap_or(usize::MAX);
        let why = |core: &Loop<Numbers>, reason| match reason {
            Reason::Handle(id, _) => AliveReason::Handle(number(core, id)),
            Reason::Closing(id, _) => AliveReason::Closing(number(core, id)),
            Reason::Request(id, _) => {
                // The id of a finished request is stale, so a reused slot is not taken for an earlier request.
                AliveReason::Request(requests.iter().position(|&other| other == id).unwrap_or(usize::MAX))
            }
            other => AliveReason::Unexpected(format!("{other:?}")),
        };
        let mut reasons: Vec<AliveReason> = core.why_alive().into_iter().map(|reason| why(core, reason)).collect();
        reasons.sort();
        View {
            now_ms: core.now_ms(),
            clock_ms: self.sim.now_ms(),
            alive: core.is_alive(),
            backend_timeout: core.backend_timeout_ms(),
            fault: core.fault().is_some(),
            order: core.handles().iter().map(|view| number(core, view.id)).collect(),
            flags: self.ids.iter().map(|&id| (core.is_active(id), core.has_ref(id), core.is_closing(id))).collect(),
            times: self
                .ids
                .iter()
                .map(|&id| Ok((core.timer_due_in_ms(id)?, core.timer_repeat_ms(id)?)))
                .map(|times: Result<_, Errno>| times.map_err(Errno::raw))
                .collect(),
            reasons,
            interests: Fd::ALL.iter().map(|&fd| self.sim.interest(fd).map(Readiness::bits)).collect(),
        }
    }
}
