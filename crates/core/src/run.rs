//! The run of the loop: [`Loop::next`] finds the next event. The work of each phase is in `phases`, the loop's state in
//! `state`.

use phasor_sys::Errno;

use crate::event::Event;
use crate::face::Face;
use crate::phase::{Phase, RunMode};
use crate::state::Loop;

/// The position in the run, kept between two calls of [`Loop::next`].
#[derive(Default)]
pub(crate) struct Run {
    step: Step,
    /// Whether [`Loop::stop`] was called, and the run has not ended since.
    stopped: bool,
    /// Whether this turn may block in mode [`RunMode::Once`]: nothing was pending and no idle handle was active when
    /// the turn began.
    may_sleep: bool,
    /// The error of the platform's wait that ended the last run.
    fault: Option<Errno>,
}

/// The part of the turn with which `next` continues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Step {
    /// Between two runs.
    #[default]
    NotRunning,
    /// The timer pass before the first turn of a run in default mode.
    InitialTimers,
    Pending,
    Idle,
    Prepare,
    Poll,
    /// The pending queue is drained again, after poll. The number counts the rounds.
    Drain(u8),
    Check,
    Closing,
    Timers,
}

impl Step {
    const fn phase(self) -> Phase {
        match self {
            Step::Pending | Step::Drain(_) => Phase::Pending,
            Step::Idle => Phase::Idle,
            Step::Prepare => Phase::Prepare,
            Step::Poll => Phase::Poll,
            Step::Check => Phase::Check,
            Step::Closing => Phase::Closing,
            Step::NotRunning | Step::InitialTimers | Step::Timers => Phase::Timers,
        }
    }
}

/// The most rounds of draining the pending queue after poll, so that a queue that refills itself does not starve the
/// loop (`src/unix/core.c: uv_run`).
const DRAIN_ROUNDS: u8 = 8;

impl<F: Face> Loop<F> {
    /// Returns the next event, or `None` when the run is over.
    ///
    /// A run begins with the first call and is over when this returns `None`; the next call begins another run. After
    /// that, [`Loop::is_alive`] returns whether another run would have something to do.
    #[doc(alias = "uv_run")]
    pub fn next(&mut self, mode: RunMode) -> Option<Event<F>> {
        self.time_is_fresh = false;
        if !self.instrumentation.has_observers() {
            return self.advance(mode);
        }
        self.end_callback();
        let event = self.advance(mode)?;
        self.observe_event(&event, self.run.step.phase());
        Some(event)
    }

    /// Runs one turn (`src/unix/core.c: uv_run`): each phase returns its events one by one, then the next phase begins.
    /// The next call continues at the step that was reached.
    fn advance(&mut self, mode: RunMode) -> Option<Event<F>> {
        macro_rules! hand_out {
            ($event:expr) => {
                // The event is returned as a whole, without matching its parts: it is as large as a cache line.
                let event = $event;
                if event.is_some() {
                    return event;
                }
            };
        }
        if self.run.step == Step::NotRunning {
            self.begin_run(mode)?;
        }
        loop {
            if self.run.step == Step::InitialTimers {
                hand_out!(self.next_timer());
                self.end_turn(true)?;
            }
            if self.run.step == Step::Pending {
                hand_out!(self.next_pending());
                self.enter(Step::Idle);
                self.idle.begin();
            }
            if self.run.step == Step::Idle {
                hand_out!(self.idle.advance(&self.handles.slab).map(Event::Idle));
                self.enter(Step::Prepare);
                self.prepare.begin();
            }
            if self.run.step == Step::Prepare {
                hand_out!(self.prepare.advance(&self.handles.slab).map(Event::Prepare));
                self.enter(Step::Poll);
                self.sleep(mode);
            }
            if self.run.step == Step::Poll {
                hand_out!(self.next_ready());
                self.after_poll(0)?;
            }
            while let Step::Drain(rounds) = self.run.step {
                hand_out!(self.next_pending());
                self.after_poll(rounds)?;
            }
            if self.run.step == Step::Check {
                hand_out!(self.check.advance(&self.handles.slab).map(Event::Check));
                self.enter(Step::Closing);
                self.closing.swap();
            }
            if self.run.step == Step::Closing {
                hand_out!(self.next_closed());
                self.enter(Step::Timers);
                if !self.time_is_fresh {
                    self.update_time();
                }
                self.begin_timers();
            }
            if self.run.step == Step::Timers {
                hand_out!(self.next_timer());
                let another = mode == RunMode::Default && self.is_alive();
                self.end_turn(another)?;
            }
        }
    }

    /// Enters the first step of a run, or ends a run that has nothing to do.
    fn begin_run(&mut self, mode: RunMode) -> Option<()> {
        self.run.fault = None;
        if !self.is_alive() {
            self.update_time();
            return self.end_run();
        }
        if mode != RunMode::Default || self.run.stopped {
            return self.end_turn(true);
        }
        self.update_time();
        self.enter(Step::InitialTimers);
        self.begin_timers();
        Some(())
    }

    /// Begins the next turn, or ends the run.
    ///
    /// Like in `src/unix/core.c: uv_run`, aliveness is checked before the initial timer pass and after each turn, but
    /// not in between.
    #[inline]
    fn end_turn(&mut self, another: bool) -> Option<()> {
        if !another || self.run.stopped {
            return self.end_run();
        }
        self.turn_begins();
        self.enter(Step::Pending);
        self.run.may_sleep = self.pending.next().is_empty() && self.idle.started.is_empty();
        self.pending.swap();
        Some(())
    }

    fn end_run(&mut self) -> Option<()> {
        self.phase_changes(None);
        self.end_polling_bell();
        self.run.step = Step::NotRunning;
        self.run.stopped = false;
        None
    }

    /// Drains the pending queue again while it refills, at most [`DRAIN_ROUNDS`] times; then enters the check phase.
    #[inline]
    fn after_poll(&mut self, rounds: u8) -> Option<()> {
        if self.run.fault.is_some() {
            return self.end_run();
        }
        if rounds < DRAIN_ROUNDS && !self.pending.next().is_empty() {
            self.enter(Step::Drain(rounds + 1));
            self.pending.swap();
        } else {
            self.enter(Step::Check);
            self.check.begin();
        }
        Some(())
    }

    #[inline]
    fn enter(&mut self, step: Step) {
        self.run.step = step;
        self.phase_changes(Some(step.phase()));
    }

    /// Runs the wait of the poll phase, with the timeout that the run mode and the pending work allow.
    fn sleep(&mut self, mode: RunMode) {
        let sleeps = match mode {
            RunMode::Default => true,
            RunMode::Once => self.run.may_sleep,
            RunMode::NoWait => false,
        };
        let timeout_ms = if sleeps { self.poll_timeout() } else { Some(0) };
        self.instrumentation.metrics.turns += 1;
        if let Err(errno) = self.begin_poll(timeout_ms) {
            self.run.fault = Some(errno);
        }
        // Only in default mode is there always a next turn that reads the bell. In the other modes the run may end
        // here, and an embedder may wait for the loop's file descriptor.
        if mode == RunMode::Default {
            self.begin_polling_bell();
        }
    }

    /// How long poll may block: 0 if there is work, otherwise until the next timer, `None` without a limit
    /// (`src/unix/core.c: uv__backend_timeout`).
    pub(crate) fn poll_timeout(&self) -> Option<u64> {
        let at_once = self.run.stopped
            || !self.has_work()
            || !self.pending.next().is_empty()
            || !self.idle.started.is_empty()
            || !self.closing.next().is_empty();
        if at_once {
            return Some(0);
        }
        match (self.next_timer_in(), self.accept_backoff.ends_in(self.now_ms)) {
            (Some(timer_ms), Some(backoff_ms)) => Some(timer_ms.min(backoff_ms)),
            (timer_ms, backoff_ms) => timer_ms.or(backoff_ms),
        }
    }

    /// Ends the run after the current turn, without blocking. If it is called between two runs, the next run ends at
    /// once.
    #[doc(alias = "uv_stop")]
    pub fn stop(&mut self) {
        self.run.stopped = true;
    }

    /// The error of the platform's wait, if it ended the last run although the loop was alive and not stopped. Handles
    /// and requests keep their state, but no more readiness is reported.
    pub fn fault(&self) -> Option<Errno> {
        self.run.fault
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::{Readiness, Sim};

    /// A front end for tests that uses names as handle data, so that traces are readable.
    struct Names;

    impl Face for Names {
        type Handle = &'static str;
        type Request = &'static str;
        type Bytes = Vec<u8>;
    }

    fn test_loop() -> (Loop<Names>, Sim) {
        let sim = Sim::new();
        (Loop::on(sim.clone()), sim)
    }

    /// The name of an event in a trace: the name of its handle, with a prefix for requests and closes.
    fn name(core: &Loop<Names>, event: &Event<Names>) -> String {
        match event {
            Event::Done(name, _) => format!("done {name}"),
            Event::Closed(name) => format!("closed {name}"),
            other => other.handle().and_then(|id| core.face(id)).map_or("?".into(), ToString::to_string),
        }
    }

    fn turn(core: &mut Loop<Names>) -> Vec<String> {
        std::iter::from_fn(|| core.next(RunMode::NoWait).map(|event| name(core, &event))).collect()
    }

    #[test]
    fn one_turn_runs_the_phases_in_order_and_the_newest_watcher_first() {
        let (mut core, sim) = test_loop();
        for (idle, prepare, check) in [("i1", "p1", "c1"), ("i2", "p2", "c2")] {
            let (i, p, c) = (core.idle_open(idle), core.prepare_open(prepare), core.check_open(check));
            core.idle_start(i).unwrap();
            core.prepare_start(p).unwrap();
            core.check_start(c).unwrap();
        }
        let poll = core.poll_open(7, "poll").unwrap();
        core.poll_start(poll, Readiness::READABLE).unwrap();
        sim.set_ready(7, Readiness::READABLE);
        let (wake, sender) = core.async_open("async");
        sender.send();
        sender.send();
        let timer = core.timer_open("timer");
        core.timer_start(timer, 0, 0).unwrap();
        let gone = core.timer_open("gone");
        core.close(gone).unwrap();
        let order = ["i2", "i1", "p2", "p1", "async", "poll", "c2", "c1", "closed gone", "timer"];
        assert_eq!(turn(&mut core), order);
        assert!(core.is_active(wake) && !core.is_active(timer));
    }

    #[test]
    fn default_mode_runs_due_timers_before_the_first_turn() {
        let (mut core, _) = test_loop();
        let (timer, check) = (core.timer_open("timer"), core.check_open("check"));
        core.timer_start(timer, 0, 0).unwrap();
        core.check_start(check).unwrap();
        assert!(matches!(core.next(RunMode::Default), Some(Event::Timer(id)) if id == timer));
        core.set_ref(check, false).unwrap();
        // Nothing is alive after the initial timers, but libuv checks aliveness only after a whole turn.
        assert!(matches!(core.next(RunMode::Default), Some(Event::Check(id)) if id == check));
        assert!(core.next(RunMode::Default).is_none());
    }

    #[test]
    fn a_timer_started_in_a_pass_waits_for_the_next_one() {
        let (mut core, _) = test_loop();
        let timer = core.timer_open("zero");
        core.timer_start(timer, 0, 0).unwrap();
        let mut turns = 0;
        while let Some(event) = core.next(RunMode::Once) {
            assert!(matches!(event, Event::Timer(_)));
            turns += 1;
            core.timer_start(timer, 0, 0).unwrap();
        }
        assert_eq!(turns, 1);
    }

    #[test]
    fn poll_blocks_until_the_nearest_timer_is_due() {
        let (mut core, sim) = test_loop();
        for (name, after_ms) in [("b", 20), ("a", 10), ("c", 20)] {
            let timer = core.timer_open(name);
            core.timer_start(timer, after_ms, 0).unwrap();
        }
        let order: Vec<_> =
            std::iter::from_fn(|| core.next(RunMode::Default).map(|e| (name(&core, &e), sim.now_ms()))).collect();
        assert_eq!(order, [("a".into(), 10), ("b".into(), 20), ("c".into(), 20)]);
    }

    #[test]
    fn closing_is_last_in_first_out_and_a_close_in_a_close_callback_waits_a_turn() {
        let (mut core, _) = test_loop();
        let ids = ["a", "b", "c"].map(|name| core.timer_open(name));
        core.close(ids[0]).unwrap();
        core.close(ids[1]).unwrap();
        assert_eq!(core.close(ids[1]), Err(Errno::EALREADY));
        assert!(matches!(core.next(RunMode::NoWait), Some(Event::Closed("b"))));
        core.close(ids[2]).unwrap();
        assert_eq!(turn(&mut core), ["closed a"]);
        assert_eq!(turn(&mut core), ["closed c"]);
        assert_eq!(core.close(ids[0]), Err(Errno::EBADF));
        assert!(!core.is_alive());
    }

    #[test]
    fn a_stopped_loop_finishes_its_turn_without_blocking() {
        let (mut core, sim) = test_loop();
        let (timer, check) = (core.timer_open("timer"), core.check_open("check"));
        core.timer_start(timer, 1000, 0).unwrap();
        core.check_start(check).unwrap();
        let prepare = core.prepare_open("prepare");
        core.prepare_start(prepare).unwrap();
        assert!(matches!(core.next(RunMode::Default), Some(Event::Prepare(_))));
        core.stop();
        assert!(matches!(core.next(RunMode::Default), Some(Event::Check(_))));
        assert!(core.next(RunMode::Default).is_none());
        assert_eq!(sim.now_ms(), 0);
        core.stop();
        assert!(core.next(RunMode::Default).is_none(), "a stop between runs ends the next run");
        assert!(core.is_alive());
    }

    #[test]
    fn a_loop_is_vacant_after_its_last_closed_event() {
        let (mut core, _) = test_loop();
        let timer = core.timer_open("timer");
        assert!(!core.is_alive() && !core.is_vacant(), "an inactive handle counts");
        core.close(timer).unwrap();
        assert!(!core.is_vacant());
        while core.next(RunMode::Default).is_some() {}
        assert!(core.is_vacant());
        core.work(|| {}, "work");
        assert!(!core.is_vacant());
    }

    #[test]
    fn work_is_done_in_the_poll_phase_and_can_be_cancelled_before_it_begins() {
        let (mut core, _) = test_loop();
        core.work(|| {}, "one");
        let two = core.work(|| panic!("was cancelled"), "two");
        core.cancel(two).unwrap();
        assert_eq!(core.cancel(two), Ok(()));
        assert_eq!(core.why_alive().len(), 2);
        let mut done = Vec::new();
        while let Some(event) = core.next(RunMode::Default) {
            if let Event::Done(name, crate::Outcome::Work(result)) = event {
                done.push((name, result.map_err(|failure| failure.errno())));
            }
        }
        assert_eq!(done, [("two", Err(Errno::ECANCELED)), ("one", Ok(()))]);
        assert_eq!(core.cancel(two), Err(Errno::EBADF));
    }

    #[test]
    fn tasks_finished_before_the_loop_blocks_count_as_waiting() {
        for (measuring, waiting) in [(true, 3), (false, 2)] {
            let (mut core, _) = test_loop();
            core.measure(measuring);
            for name in ["one", "two", "three"] {
                core.work(|| {}, name);
            }
            assert_eq!(turn(&mut core), ["done one", "done two", "done three"]);
            let metrics = core.metrics();
            assert_eq!((metrics.events, metrics.events_waiting), (3, waiting));
        }
    }

    #[test]
    fn an_endless_wait_on_the_simulated_platform_is_a_fault() {
        let (mut core, _) = test_loop();
        core.async_open("lonely");
        assert!(core.next(RunMode::Default).is_none());
        assert!(core.fault().is_some() && core.is_alive());
    }
}
