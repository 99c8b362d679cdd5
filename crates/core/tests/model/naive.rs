//! The model: the rules of libuv's loop in plain words, without any thought of speed. It shares no code with the loop.
//!
//! [`Naive::run`] is `uv_run` read from top to bottom; a call is a call. Whether a handle is active is never stored, but
//! seen from where it stands. What must not live here: anything that the loop's own source would have to be read for.

use super::script::{Bits, Fd, Kind, Mode, Watcher};
use super::{Answer, Deed, Happening, View, Why};

const EBADF: i32 = 9;
const EBUSY: i32 = 16;
const EEXIST: i32 = 17;
const EINVAL: i32 = 22;
const EALREADY: i32 = 114;
const ECANCELED: i32 = 125;

/// What poll handles may ask for.
const POLLABLE: u32 = Bits::READABLE | Bits::WRITABLE | Bits::PEER_CLOSED | Bits::PRIORITIZED;

/// A run that makes so many turns without an event would make them for ever.
const TURNS_WITHOUT_EVENT: usize = 1000;

/// Makes a call: everything the script wants done in it.
pub(crate) type Caller<'a> = &'a mut dyn FnMut(&mut Naive, Happening) -> Result<(), String>;

/// A handle's kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Plain(Kind),
    Poll,
}

struct Handle {
    sort: Sort,
    has_ref: bool,
    closing: bool,
    /// Its close was reported.
    gone: bool,
    timer: Timer,
    poll: Poll,
    /// An async handle that was sent to.
    marked: bool,
}

#[derive(Default)]
struct Timer {
    ever_started: bool,
    armed: bool,
    due_ms: u64,
    /// Which start of all it was.
    start: u64,
    repeat_ms: u64,
}

#[derive(Default)]
struct Poll {
    fd: i32,
    wanted: u32,
    /// What the world was told when the loop last began to wait; 0 if it does not watch.
    told: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Request {
    Queued,
    /// Done, and not reported.
    Over,
    /// Not reported either.
    Cancelled,
    Gone,
}

#[derive(Clone, Copy)]
enum Found {
    Wake,
    Ready(usize, u32),
}

pub(crate) struct Naive {
    handles: Vec<Handle>,
    requests: Vec<Request>,
    now_ms: u64,
    stopped: bool,
    fault: bool,
    starts: u64,
    /// The timers of the pass under way that were not called yet.
    passing: Vec<usize>,
    /// Idle, prepare and check: who is started, next first.
    started: [Vec<usize>; 3],
    /// Who the phase under way has still to call.
    waiting: [Vec<usize>; 3],
    /// In the order they were closed.
    closing: Vec<usize>,
    /// What the last wait found and was not looked at yet.
    batch: Vec<Found>,
    /// Results of work that the loop has not collected.
    mailbox: Vec<(usize, Answer)>,
    /// The next wait ends at once.
    rung: bool,
    // The world.
    clock_ns: u64,
    /// Who is ready for what, in the order it happened.
    ready: Vec<(i32, u32)>,
    /// When who will be.
    script: Vec<(u64, i32, u32)>,
}

impl Naive {
    pub(crate) fn new() -> Naive {
        Naive {
            handles: Vec::new(),
            requests: Vec::new(),
            now_ms: 0,
            stopped: false,
            fault: false,
            starts: 0,
            passing: Vec::new(),
            started: Default::default(),
            waiting: Default::default(),
            closing: Vec::new(),
            batch: Vec::new(),
            mailbox: Vec::new(),
            rung: false,
            clock_ns: 0,
            ready: Vec::new(),
            script: Vec::new(),
        }
    }

    pub(crate) fn sorts(&self) -> Vec<Sort> {
        self.handles.iter().map(|handle| handle.sort).collect()
    }

    pub(crate) fn requests(&self) -> usize {
        self.requests.len()
    }

    // The run.

    pub(crate) fn run(&mut self, mode: Mode, call: Caller<'_>) -> Result<(), String> {
        self.fault = false;
        let mut alive = self.is_alive();
        if !alive {
            self.update_time();
        }
        if mode == Mode::Default && alive && !self.stopped {
            self.update_time();
            self.timers(call)?;
        }
        let mut silent = 0;
        // The priming pass may have ended what kept the loop alive: libuv does not look again before the first turn.
        while alive && !self.stopped {
            let mut events = 0;
            self.turn(mode, &mut |naive, event| {
                events += 1;
                call(naive, event)
            })?;
            silent = if events == 0 { silent + 1 } else { 0 };
            if silent > TURNS_WITHOUT_EVENT {
                return Err("the model makes turns for ever".into());
            }
            alive = self.is_alive();
            if self.fault || mode != Mode::Default {
                break;
            }
        }
        self.stopped = false;
        Ok(())
    }

    fn turn(&mut self, mode: Mode, call: Caller<'_>) -> Result<(), String> {
        let can_sleep = self.started[Watcher::Idle as usize].is_empty();
        self.watchers(Watcher::Idle, call)?;
        self.watchers(Watcher::Prepare, call)?;
        let timeout_ms = match mode {
            Mode::Default => self.timeout(),
            Mode::Once if can_sleep => self.timeout(),
            _ => Some(0),
        };
        self.wait(timeout_ms);
        if self.fault {
            return Ok(());
        }
        self.poll(call)?;
        self.watchers(Watcher::Check, call)?;
        // All that were closed before this phase, the last one first.
        let mut closing = std::mem::take(&mut self.closing);
        while let Some(h) = closing.pop() {
            self.handles[h].gone = true;
            call(self, Happening::Closed(h))?;
        }
        self.update_time();
        self.timers(call)
    }

    fn timers(&mut self, call: Caller<'_>) -> Result<(), String> {
        while let Some(h) = self.first_timer().filter(|&h| self.handles[h].timer.due_ms <= self.now_ms) {
            self.handles[h].timer.armed = false;
            self.passing.push(h);
        }
        while !self.passing.is_empty() {
            let h = self.passing.remove(0);
            let repeat_ms = self.handles[h].timer.repeat_ms;
            if repeat_ms != 0 {
                self.arm(h, repeat_ms, repeat_ms);
            }
            call(self, Happening::Timer(h))?;
        }
        Ok(())
    }

    fn watchers(&mut self, which: Watcher, call: Caller<'_>) -> Result<(), String> {
        let n = which as usize;
        self.waiting[n] = std::mem::take(&mut self.started[n]);
        while !self.waiting[n].is_empty() {
            let h = self.waiting[n].remove(0);
            self.started[n].push(h);
            call(self, Happening::Watcher(which, h))?;
        }
        Ok(())
    }

    fn poll(&mut self, call: Caller<'_>) -> Result<(), String> {
        while !self.batch.is_empty() {
            match self.batch.remove(0) {
                Found::Wake => self.wake(call)?,
                Found::Ready(h, bits) => {
                    let event = self.readiness(h, bits);
                    call(self, event)?;
                }
            }
        }
        Ok(())
    }

    /// Results of work, then async handles, the oldest first; those opened in the meantime wait for the next wake.
    fn wake(&mut self, call: Caller<'_>) -> Result<(), String> {
        let handles = self.handles.len();
        for (r, result) in std::mem::take(&mut self.mailbox) {
            self.requests[r] = Request::Gone;
            call(self, Happening::Done(r, result))?;
        }
        for h in 0..handles {
            if std::mem::take(&mut self.handles[h].marked) && !self.handles[h].closing {
                call(self, Happening::Async(h))?;
            }
        }
        Ok(())
    }

    fn readiness(&mut self, h: usize, mut bits: u32) -> Happening {
        let poll = &mut self.handles[h].poll;
        if bits & Bits::ERROR != 0 && bits & Bits::PRIORITIZED == 0 {
            (poll.wanted, poll.told) = (0, 0);
            return Happening::Ready(h, Err(EBADF));
        }
        if bits & (Bits::ERROR | Bits::HANGUP) != 0 {
            bits |= poll.wanted;
        }
        Happening::Ready(h, Ok(bits & POLLABLE))
    }

    // The world.

    fn wait(&mut self, timeout_ms: Option<u64>) {
        for handle in &mut self.handles {
            if handle.poll.wanted != 0 {
                handle.poll.told = handle.poll.wanted;
            }
        }
        for r in 0..self.requests.len() {
            if self.requests[r] == Request::Queued {
                self.requests[r] = Request::Over;
                self.mailbox.push((r, Ok(())));
                self.rung = true;
            }
        }
        // A time that the clock cannot show never comes.
        let end_ns = timeout_ms.and_then(|ms| ms.checked_mul(1_000_000)?.checked_add(self.clock_ns));
        loop {
            self.follow_script();
            if std::mem::take(&mut self.rung) {
                self.batch.push(Found::Wake);
            }
            for &(fd, bits) in &self.ready {
                for (h, handle) in self.handles.iter().enumerate() {
                    let seen = bits & (handle.poll.told | Bits::ERROR | Bits::HANGUP);
                    if handle.poll.fd == fd && handle.poll.told != 0 && seen != 0 {
                        self.batch.push(Found::Ready(h, seen));
                    }
                }
            }
            if !self.batch.is_empty() {
                break;
            }
            let next_ns = self.script.iter().map(|line| line.0).min();
            match (end_ns, next_ns) {
                (Some(end_ns), Some(next_ns)) if next_ns <= end_ns => self.clock_ns = next_ns,
                (Some(end_ns), _) => {
                    self.clock_ns = end_ns;
                    break;
                }
                (None, Some(next_ns)) => self.clock_ns = next_ns,
                (None, None) => {
                    self.fault = true;
                    return;
                }
            }
        }
        self.update_time();
    }

    fn follow_script(&mut self) {
        self.script.sort_by_key(|line| line.0);
        while let Some(&(at_ns, fd, bits)) = self.script.first()
            && at_ns <= self.clock_ns
        {
            self.script.remove(0);
            self.set_ready(fd, bits);
        }
    }

    fn set_ready(&mut self, fd: i32, bits: u32) {
        self.ready.retain(|&(other, _)| other != fd);
        if bits != 0 {
            self.ready.push((fd, bits));
        }
    }

    // What can be asked.

    fn is_active(&self, h: usize) -> bool {
        let handle = &self.handles[h];
        let runs =
            |which: Watcher| self.started[which as usize].contains(&h) || self.waiting[which as usize].contains(&h);
        match handle.sort {
            Sort::Plain(Kind::Timer) => handle.timer.armed,
            Sort::Plain(Kind::Idle) => runs(Watcher::Idle),
            Sort::Plain(Kind::Prepare) => runs(Watcher::Prepare),
            Sort::Plain(Kind::Check) => runs(Watcher::Check),
            Sort::Plain(Kind::Async) => !handle.closing,
            Sort::Poll => handle.poll.wanted != 0,
        }
    }

    fn counting(&self) -> Vec<usize> {
        (0..self.handles.len()).filter(|&h| self.is_active(h) && self.handles[h].has_ref).collect()
    }

    fn outstanding(&self) -> Vec<usize> {
        (0..self.requests.len()).filter(|&r| self.requests[r] != Request::Gone).collect()
    }

    fn is_alive(&self) -> bool {
        !self.counting().is_empty() || !self.outstanding().is_empty() || !self.closing.is_empty()
    }

    fn first_timer(&self) -> Option<usize> {
        let armed = (0..self.handles.len()).filter(|&h| self.handles[h].timer.armed);
        armed.min_by_key(|&h| (self.handles[h].timer.due_ms, self.handles[h].timer.start))
    }

    /// How long the poll phase may sleep.
    fn timeout(&self) -> Option<u64> {
        let idle = Watcher::Idle as usize;
        let busy = self.stopped
            || (self.counting().is_empty() && self.outstanding().is_empty())
            || !self.started[idle].is_empty()
            || !self.waiting[idle].is_empty()
            || !self.closing.is_empty();
        if busy {
            return Some(0);
        }
        self.first_timer().map(|h| self.handles[h].timer.due_ms.saturating_sub(self.now_ms))
    }

    pub(crate) fn view(&self) -> View {
        let numbers = 0..self.handles.len();
        let untold = |handle: &Handle| handle.poll.wanted != 0 && handle.poll.wanted != handle.poll.told;
        let mut reasons: Vec<Why> = self.counting().into_iter().map(Why::Handle).collect();
        reasons.extend(self.outstanding().into_iter().map(Why::Request));
        reasons.extend(self.closing.iter().copied().map(Why::Closing));
        reasons.sort();
        let flags = |h: usize| match &self.handles[h] {
            handle if handle.gone => (false, false, true),
            handle => (self.is_active(h), handle.has_ref, handle.closing),
        };
        let times = |handle: &Handle| match handle.sort {
            Sort::Plain(Kind::Timer) if !handle.gone => {
                Ok((handle.timer.due_ms.saturating_sub(self.now_ms), handle.timer.repeat_ms))
            }
            _ => Err(EBADF),
        };
        let interest = |fd: i32| {
            let told = self.handles.iter().find(|handle| handle.poll.fd == fd && handle.poll.told != 0);
            told.map(|handle| handle.poll.told)
        };
        View {
            now_ms: self.now_ms,
            clock_ms: self.clock_ns / 1_000_000,
            alive: self.is_alive(),
            // Who watches the backend from outside must not sleep on what the backend does not know.
            backend_timeout: if self.handles.iter().any(untold) { Some(0) } else { self.timeout() },
            fault: self.fault,
            order: numbers.clone().filter(|&h| !self.handles[h].gone).collect(),
            flags: numbers.map(flags).collect(),
            times: self.handles.iter().map(times).collect(),
            reasons,
            interests: Fd::ALL.iter().map(|&fd| interest(fd)).collect(),
        }
    }

    // What can be done.

    pub(crate) fn apply(&mut self, deed: Deed) -> Answer {
        match deed {
            Deed::Open(kind) => self.open(Sort::Plain(kind), -1),
            Deed::OpenPoll(fd) => {
                if self.handles.iter().any(|handle| handle.poll.fd == fd && handle.poll.wanted != 0) {
                    return Err(EEXIST);
                }
                self.open(Sort::Poll, fd)
            }
            Deed::TimerStart(h, after_ms, repeat_ms) => {
                self.expect_open(h, Sort::Plain(Kind::Timer))?;
                self.disarm(h);
                self.arm(h, after_ms, repeat_ms);
                Ok(())
            }
            Deed::TimerStop(h) => {
                self.expect(h, Sort::Plain(Kind::Timer))?;
                self.disarm(h);
                Ok(())
            }
            Deed::TimerAgain(h) => {
                self.expect(h, Sort::Plain(Kind::Timer))?;
                let Timer { ever_started, repeat_ms, .. } = self.handles[h].timer;
                if !ever_started {
                    return Err(EINVAL);
                }
                if repeat_ms != 0 && !self.handles[h].closing {
                    self.disarm(h);
                    self.arm(h, repeat_ms, repeat_ms);
                }
                Ok(())
            }
            Deed::TimerSetRepeat(h, repeat_ms) => {
                self.expect(h, Sort::Plain(Kind::Timer))?;
                self.handles[h].timer.repeat_ms = repeat_ms;
                Ok(())
            }
            Deed::Start(which, h) => {
                self.expect_open(h, sort_of(which))?;
                if !self.is_active(h) {
                    self.started[which as usize].insert(0, h);
                }
                Ok(())
            }
            Deed::Stop(which, h) => {
                self.expect(h, sort_of(which))?;
                self.unstart(h);
                Ok(())
            }
            Deed::Send(h) => {
                self.expect(h, Sort::Plain(Kind::Async))?;
                self.send(h);
                Ok(())
            }
            Deed::SendKept(h) => {
                if self.handles[h].sort == Sort::Plain(Kind::Async) {
                    self.send(h);
                }
                Ok(())
            }
            Deed::PollStart(h, bits) => self.poll_start(h, bits),
            Deed::PollStop(h) => {
                self.expect(h, Sort::Poll)?;
                self.unpoll(h);
                Ok(())
            }
            Deed::SetRef(h, keeps_alive) => {
                self.expect(h, self.handles[h].sort)?;
                self.handles[h].has_ref = keeps_alive;
                Ok(())
            }
            Deed::Close(h) => self.close(h),
            Deed::Work => {
                self.requests.push(Request::Queued);
                Ok(())
            }
            Deed::Cancel(r) => self.cancel(r),
            other => {
                self.change_world(other);
                Ok(())
            }
        }
    }

    fn change_world(&mut self, deed: Deed) {
        match deed {
            Deed::Ready(fd, bits) => self.set_ready(fd, bits),
            Deed::ReadyIn(ms, fd, bits) => {
                let at_ms = (self.clock_ns / 1_000_000).saturating_add(ms);
                self.script.push((at_ms.saturating_mul(1_000_000), fd, bits));
                self.follow_script();
            }
            Deed::Advance(ms) => {
                self.clock_ns = self.clock_ns.saturating_add(ms.saturating_mul(1_000_000));
                self.follow_script();
            }
            Deed::UpdateTime => self.update_time(),
            Deed::StopRun => self.stopped = true,
            _ => {}
        }
    }

    fn open(&mut self, sort: Sort, fd: i32) -> Answer {
        let poll = Poll { fd, wanted: 0, told: 0 };
        let timer = Timer::default();
        self.handles.push(Handle { sort, has_ref: true, closing: false, gone: false, timer, poll, marked: false });
        Ok(())
    }

    fn expect(&self, h: usize, sort: Sort) -> Answer {
        if self.handles[h].gone || self.handles[h].sort != sort { Err(EBADF) } else { Ok(()) }
    }

    fn expect_open(&self, h: usize, sort: Sort) -> Answer {
        if self.handles[h].closing && !self.handles[h].gone {
            return Err(EINVAL);
        }
        self.expect(h, sort)
    }

    fn update_time(&mut self) {
        self.now_ms = self.clock_ns / 1_000_000;
    }

    fn arm(&mut self, h: usize, after_ms: u64, repeat_ms: u64) {
        let due_ms = self.now_ms.saturating_add(after_ms);
        self.handles[h].timer = Timer { ever_started: true, armed: true, due_ms, start: self.starts, repeat_ms };
        self.starts += 1;
    }

    fn disarm(&mut self, h: usize) {
        self.handles[h].timer.armed = false;
        self.passing.retain(|&other| other != h);
    }

    fn unstart(&mut self, h: usize) {
        for list in self.started.iter_mut().chain(&mut self.waiting) {
            list.retain(|&other| other != h);
        }
    }

    fn send(&mut self, h: usize) {
        if !std::mem::replace(&mut self.handles[h].marked, true) {
            self.rung = true;
        }
    }

    fn poll_start(&mut self, h: usize, bits: u32) -> Answer {
        self.expect_open(h, Sort::Poll)?;
        if bits & !POLLABLE != 0 {
            return Err(EINVAL);
        }
        let fd = self.handles[h].poll.fd;
        let taken =
            |other: usize| other != h && self.handles[other].poll.fd == fd && self.handles[other].poll.wanted != 0;
        if (0..self.handles.len()).any(taken) {
            return Err(EEXIST);
        }
        let told = self.handles[h].poll.told;
        self.unpoll(h);
        if bits != 0 {
            self.handles[h].poll = Poll { fd, wanted: bits, told };
        }
        Ok(())
    }

    /// Also what the last wait found out about the descriptor is forgotten.
    fn unpoll(&mut self, h: usize) {
        (self.handles[h].poll.wanted, self.handles[h].poll.told) = (0, 0);
        self.batch.retain(|found| !matches!(found, Found::Ready(other, _) if *other == h));
    }

    fn close(&mut self, h: usize) -> Answer {
        self.expect(h, self.handles[h].sort)?;
        if self.handles[h].closing {
            return Err(EALREADY);
        }
        self.handles[h].closing = true;
        self.disarm(h);
        self.unstart(h);
        self.unpoll(h);
        self.closing.push(h);
        Ok(())
    }

    fn cancel(&mut self, r: usize) -> Answer {
        match self.requests[r] {
            Request::Queued => {
                self.requests[r] = Request::Cancelled;
                self.mailbox.push((r, Err(ECANCELED)));
                self.rung = true;
                Ok(())
            }
            Request::Cancelled => Ok(()),
            Request::Over => Err(EBUSY),
            Request::Gone => Err(EBADF),
        }
    }
}

fn sort_of(which: Watcher) -> Sort {
    Sort::Plain(match which {
        Watcher::Idle => Kind::Idle,
        Watcher::Prepare => Kind::Prepare,
        Watcher::Check => Kind::Check,
    })
}
