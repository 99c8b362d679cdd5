//! A model of the rules of order: phases, the drain after each callback, and the effects of operations on the queues.
//!
//! It is naive on purpose and shares no code with the runtime. Timers are in `timers`, promises and rejections in `promises`. Oddities of
//! Node that no program should rely on are not modelled: a program that depends on one gets a [`Doubt`].

mod promises;
mod timers;

use std::collections::VecDeque;

use self::promises::{Job, Promise};
use self::timers::Timers;
use crate::{Body, Op, Program, Root};

/// Why the order of a program is undetermined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// It depends on milliseconds.
    Time,
    /// The program prints or lasts too long.
    Endless,
    /// The last immediate of a check phase threw, and the program could notice that Node then runs newly queued immediates in the same
    /// phase.
    LastImmediateThrew,
    /// The listener for an exception of one immediate cleared the next one, which Node handles wrongly.
    ClearedAfterThrow,
}

/// Maximum number of lines that a program may print.
const MAX_LINES: usize = 150;

/// Maximum duration of a program, in units.
const MAX_UNITS: u64 = 60;

/// The output of a program.
///
/// # Errors
///
/// The reason, if the order is undetermined.
pub fn play(program: &Program, unit_ms: u64) -> Result<Vec<String>, Doubt> {
    let mut model = Model {
        program,
        unit_ms,
        now_ms: 0,
        cached_ms: 0,
        lines: Vec::new(),
        doubt: None,
        answers: program.answers.iter(),
        ticks: VecDeque::new(),
        jobs: VecDeque::new(),
        timers: Timers::default(),
        immediates: Vec::new(),
        check: VecDeque::new(),
        ref_immediates: 0,
        messages: VecDeque::new(),
        promises: Vec::new(),
        table: Vec::new(),
        rejected: VecDeque::new(),
        handled_late: VecDeque::new(),
    };
    model.run_to_exit();
    model.doubt.map_or(Ok(model.lines), Err)
}

/// A thrown value: the error of a body with this number, or the engine's error for a promise resolved with itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Thrown {
    By(u32),
    Cycle,
}

impl std::fmt::Display for Thrown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Thrown::By(number) => write!(f, "{number}"),
            Thrown::Cycle => f.write_str("cycle"),
        }
    }
}

/// An entry of the tick queue.
#[derive(Clone, Copy)]
enum Tick<'a> {
    Call(&'a Body),
    /// Rethrows the exception of a message listener.
    Throw(Thrown),
}

struct Immediate<'a> {
    /// `None` for the empty immediate that follows a handled exception.
    body: Option<&'a Body>,
    has_ref: bool,
    over: bool,
}

struct Model<'a> {
    program: &'a Program,
    unit_ms: u64,
    /// The current time.
    now_ms: u64,
    /// The loop's cached time.
    cached_ms: u64,
    lines: Vec<String>,
    doubt: Option<Doubt>,
    answers: std::slice::Iter<'a, Body>,
    ticks: VecDeque<Tick<'a>>,
    jobs: VecDeque<Job<'a>>,
    timers: Timers<'a>,
    /// All immediates ever created, including the empty ones, which a [`Pick`](crate::Pick) cannot select.
    immediates: Vec<Immediate<'a>>,
    /// The immediates for the next check phase.
    check: VecDeque<usize>,
    ref_immediates: usize,
    messages: VecDeque<&'a Body>,
    /// All promises ever created.
    promises: Vec<Promise<'a>>,
    /// The promises that a [`Pick`](crate::Pick) can select.
    table: Vec<usize>,
    /// Rejections that were not reported yet.
    rejected: VecDeque<usize>,
    /// Reported rejections that were handled later.
    handled_late: VecDeque<usize>,
}

/// Whether a callback threw.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ended {
    Completed,
    Threw,
}

impl<'a> Model<'a> {
    // The loop.

    fn run_to_exit(&mut self) {
        let body = &self.program.body;
        match self.program.root {
            Root::Main => {
                self.call(body);
                // The drain follows even if the main script threw.
                self.drain();
            }
            Root::Immediate => self.set_immediate(Some(body)),
            Root::Timer => {
                self.set_timer(1, None, body);
                self.timers.hide_all();
            }
            Root::Message => self.messages.push_back(body),
        }
        let mut alive = self.alive();
        if alive {
            // One more pass over the timers before the first poll.
            self.end_of_turn(false);
        }
        while alive && self.doubt.is_none() {
            let slept = self.poll_phase();
            self.check_phase();
            self.end_of_turn(slept);
            alive = self.alive();
        }
    }

    fn alive(&self) -> bool {
        self.timers.keep_loop() || self.ref_immediates > 0 || !self.messages.is_empty()
    }

    fn update_clock(&mut self) {
        self.cached_ms = self.now_ms;
        if self.now_ms > MAX_UNITS * self.unit_ms {
            self.doubt = Some(Doubt::Endless);
        }
    }

    /// Returns whether it slept until the loop's timer was due.
    fn poll_phase(&mut self) -> bool {
        let mut slept = false;
        if self.messages.is_empty()
            && self.ref_immediates == 0
            && self.alive()
            && let Some(due_ms) = self.timers.wakes_ms
            && due_ms > self.cached_ms
        {
            // The cached time is updated only afterwards, so it sleeps the time that callbacks took since the last update again.
            self.now_ms += due_ms - self.cached_ms;
            slept = true;
        }
        self.update_clock();
        while let Some(body) = self.messages.pop_front() {
            if let Err(thrown) = self.run(body) {
                self.ticks.push_back(Tick::Throw(thrown));
            }
            // After an exception the remaining messages wait for the next turn.
            if self.drain() == Ended::Threw {
                break;
            }
        }
        slept
    }

    fn check_phase(&mut self) {
        if self.check.is_empty() {
            return;
        }
        // Ticks and microtasks that are left after an exception.
        self.drain();
        let mut running = std::mem::take(&mut self.check);
        let (mut drained, mut threw) = (true, false);
        while let Some(index) = running.pop_front() {
            if !drained {
                self.drain();
            }
            if self.immediates[index].over {
                if threw {
                    self.doubt = Some(Doubt::ClearedAfterThrow);
                }
                continue;
            }
            self.end_immediate(index);
            (drained, threw) = (false, false);
            if let Some(body) = self.immediates[index].body
                && self.call(body) == Ended::Threw
            {
                (drained, threw) = (true, true);
            }
        }
        if threw {
            self.last_immediate_threw();
        }
        if !drained {
            self.drain();
        }
    }

    /// Node then runs immediates that were queued meanwhile in the same check phase. The model does not: here only the empty immediate may
    /// be affected, if the program cannot observe it.
    fn last_immediate_threw(&mut self) {
        let others =
            self.check.iter().any(|index| self.immediates[*index].body.is_some() && !self.immediates[*index].over);
        let leftovers = !self.ticks.is_empty() || !self.jobs.is_empty() || !self.rejected.is_empty();
        if others || leftovers || self.timers.any_waits() || !self.handled_late.is_empty() {
            self.doubt = Some(Doubt::LastImmediateThrew);
        }
    }

    fn end_of_turn(&mut self, slept: bool) {
        self.update_clock();
        self.timer_phase(slept);
    }

    // The drain.

    /// The drain after a callback that did not throw.
    fn drain(&mut self) -> Ended {
        if self.ticks.is_empty() {
            self.run_jobs();
            if self.ticks.is_empty() && self.rejected.is_empty() && self.handled_late.is_empty() {
                return Ended::Completed;
            }
        }
        loop {
            while let Some(tick) = self.ticks.pop_front() {
                let result = match tick {
                    Tick::Call(body) => self.run(body),
                    Tick::Throw(thrown) => Err(thrown),
                };
                if let Err(thrown) = result {
                    self.uncaught(thrown, "");
                    return Ended::Threw;
                }
            }
            self.run_jobs();
            if self.ticks.is_empty() && !self.report_rejections() {
                return Ended::Completed;
            }
        }
    }

    fn run_jobs(&mut self) {
        while let Some(job) = self.jobs.pop_front() {
            self.run_job(job);
        }
    }

    // Bodies.

    /// Calls a body and reports its exception.
    fn call(&mut self, body: &'a Body) -> Ended {
        match self.run(body) {
            Ok(()) => Ended::Completed,
            Err(thrown) => {
                self.uncaught(thrown, "");
                Ended::Threw
            }
        }
    }

    /// Reports an exception to the listener. An empty immediate follows.
    fn uncaught(&mut self, thrown: Thrown, origin: &str) {
        self.say(format!("uncaught {thrown}{origin}"));
        self.answer();
        self.set_immediate(None);
    }

    fn answer(&mut self) {
        if let Some(body) = self.answers.next() {
            let _ = self.run(body);
        }
    }

    fn say(&mut self, line: String) {
        if self.lines.len() >= MAX_LINES {
            self.doubt = Some(Doubt::Endless);
        } else {
            self.lines.push(line);
        }
    }

    fn run(&mut self, body: &'a Body) -> Result<(), Thrown> {
        self.say(body.number.to_string());
        self.run_ops(body)
    }

    fn run_ops(&mut self, body: &'a Body) -> Result<(), Thrown> {
        // An undetermined program is not run further, because it may not end.
        let ops = if self.doubt.is_some() { &[] } else { &body.ops[..] };
        for op in ops {
            match op {
                Op::Tick(body) => self.ticks.push_back(Tick::Call(body)),
                Op::Microtask(body) => self.jobs.push_back(Job::Call(body)),
                Op::Immediate(body) => self.set_immediate(Some(body)),
                Op::Message(body) => self.messages.push_back(body),
                Op::Timeout(units, body) => self.set_timer(*units, None, body),
                Op::Interval(units, calls, body) => self.set_timer(*units, Some(*calls), body),
                Op::Clear(pick) => self.with_timer(*pick, Self::clear_timer),
                Op::Refresh(pick) => self.with_timer(*pick, Self::refresh_timer),
                Op::Unref(pick) => self.with_timer(*pick, |model, timer| model.timers.set_ref(timer, false)),
                Op::Ref(pick) => self.with_timer(*pick, |model, timer| model.timers.set_ref(timer, true)),
                Op::ClearImmediate(pick) => self.with_immediate(*pick, Self::end_immediate),
                Op::UnrefImmediate(pick) => self.with_immediate(*pick, |model, at| model.set_immediate_ref(at, false)),
                Op::RefImmediate(pick) => self.with_immediate(*pick, |model, at| model.set_immediate_ref(at, true)),
                Op::Advance(units) => self.now_ms += u64::from(*units) * self.unit_ms,
                Op::Throw => return Err(Thrown::By(body.number)),
                Op::Promise(..) | Op::Settle(..) | Op::Then(..) | Op::Async(..) => self.promise_op(op, body.number),
            }
        }
        Ok(())
    }

    // Immediates.

    fn set_immediate(&mut self, body: Option<&'a Body>) {
        self.check.push_back(self.immediates.len());
        self.immediates.push(Immediate { body, has_ref: true, over: false });
        self.ref_immediates += 1;
    }

    /// Selects among the immediates that the program created: not the empty ones, and not the one that called its first body.
    fn with_immediate(&mut self, pick: u8, work: impl FnOnce(&mut Self, usize)) {
        let root = &raw const self.program.body;
        let made = |immediate: &Immediate<'a>| immediate.body.is_some_and(|body| !std::ptr::eq(body, root));
        let all: Vec<usize> = (0..self.immediates.len()).filter(|at| made(&self.immediates[*at])).collect();
        if !all.is_empty() {
            work(self, all[usize::from(pick) % all.len()]);
        }
    }

    /// Marks an immediate as started or cleared.
    fn end_immediate(&mut self, at: usize) {
        let immediate = &mut self.immediates[at];
        if !immediate.over {
            immediate.over = true;
            self.ref_immediates -= usize::from(std::mem::take(&mut immediate.has_ref));
        }
    }

    fn set_immediate_ref(&mut self, at: usize, has_ref: bool) {
        let immediate = &mut self.immediates[at];
        if !immediate.over && immediate.has_ref != has_ref {
            immediate.has_ref = has_ref;
            self.ref_immediates = if has_ref { self.ref_immediates + 1 } else { self.ref_immediates - 1 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(ops: Vec<Op>) -> Body {
        Body { number: 0, ops }
    }

    fn program(ops: Vec<Op>) -> Program {
        let mut program = Program { root: Root::Immediate, listens: true, body: body(ops), answers: vec![] };
        program.number();
        program
    }

    fn lines(ops: Vec<Op>) -> String {
        play(&program(ops), 10).unwrap().join(" ")
    }

    #[test]
    fn ticks_run_before_microtasks_and_due_timers_before_immediates() {
        let ops = || vec![Op::Immediate(body(vec![])), Op::Timeout(1, body(vec![])), Op::Microtask(body(vec![]))];
        assert_eq!(lines([ops(), vec![Op::Tick(body(vec![])), Op::Advance(2)]].concat()), "0 4 3 2 1");
        assert_eq!(lines(ops()), "0 3 1 2");
    }

    #[test]
    fn an_order_that_depends_on_milliseconds_is_undetermined() {
        let two = vec![Op::Timeout(1, body(vec![])), Op::Timeout(1, body(vec![]))];
        assert_eq!(play(&program(two.clone()), 10), Err(Doubt::Time));
        assert_eq!(lines([two, vec![Op::Advance(2)]].concat()), "0 1 2");
    }

    #[test]
    fn an_endless_program_is_undetermined() {
        let again = vec![Op::Timeout(1, body(vec![Op::Refresh(0)]))];
        assert_eq!(play(&program(again), 10), Err(Doubt::Endless));
    }

    #[test]
    fn after_a_tick_throws_the_rest_run_after_the_next_callback() {
        let ops = vec![Op::Tick(body(vec![Op::Throw])), Op::Tick(body(vec![])), Op::Immediate(body(vec![]))];
        assert_eq!(lines(ops), "0 1 uncaught 1 2 3");
    }

    #[test]
    fn a_rejection_is_told_at_the_end_of_the_drain_and_when_it_is_handled_late() {
        use crate::{End, Fate, Handler};
        let handler = Handler { body: body(vec![]), end: End::Value };
        let late = Op::Immediate(body(vec![Op::Then(0, None, Some(handler))]));
        let ops = vec![Op::Promise(Fate::Rejected), Op::Microtask(body(vec![])), late];
        assert_eq!(lines(ops), "0 1 unhandled 0 0 2 3 handled 0");
    }
}
