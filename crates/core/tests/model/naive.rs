//! The model: libuv's loop written as simply as possible, without regard to speed. It shares no code with the loop.
//!
//! [`Naive::run`] is `src/unix/core.c: uv_run` from top to bottom, with real callbacks. Whether a handle is active is
//! computed from the lists it is in. What must not live here: anything derived from the source of the real loop.

use super::script::{Bits, Fd, Kind, Mode, Watcher};
use super::{Action, AliveReason, Observed, OpResult, View};

const EBADF: i32 = 9;
const EBUSY: i32 = 16;
const EEXIST: i32 = 17;
const EINVAL: i32 = 22;
const EALREADY: i32 = 114;
const ECANCELED: i32 = 125;

/// The valid interests of poll handles.
const POLLABLE: u32 = Bits::READABLE | Bits::WRITABLE | Bits::PEER_CLOSED | Bits::PRIORITIZED;

/// A run with this many turns without an event would never end.
const TURNS_WITHOUT_EVENT: usize = 1000;

/// Runs a callback: all operations of the script for it.
pub(crate) type Caller<'a> = &'a mut dyn FnMut(&mut Naive, Observed) -> Result<(), String>;

/// The kind of a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnyKind {
    Plain(Kind),
    Poll,
}

struct Handle {
    kind: AnyKind,
    has_ref: bool,
    closing: bool,
    /// Its `Closed` event was returned.
    closed: bool,
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
    /// The number of its start.
    start: u64,
    repeat_ms: u64,
}

#[derive(Default)]
struct Poll {
    fd: i32,
    interest: u32,
    /// What the platform had registered when the loop last began to wait; 0 if nothing.
    registered: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Request {
    Queued,
    /// Done and not reported.
    Finished,
    /// Cancelled and not reported.
    Cancelled,
    Reported,
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
    /// The timers of the current pass whose callbacks were not called yet.
    due_timers: Vec<usize>,
    /// The started idle, prepare and check handles; the next one first.
    started: [Vec<usize>; 3],
    /// The handles that the current phase has still to call.
    waiting: [Vec<usize>; 3],
    /// In the order they were closed.
    closing: Vec<usize>,
    /// Results of the last wait that were not handled.
    batch: Vec<Found>,
    /// Results of work that the loop has not collected.
    mailbox: Vec<(usize, OpResult)>,
    /// The next wait ends at once.
    rung: bool,
    // The simulated platform.
    clock_ns: u64,
    /// Descriptors and their readiness, in the order in which it occurred.
    ready: Vec<(i32, u32)>,
    /// Future readiness: time, descriptor, readiness.
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
            due_timers: Vec::new(),
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

    pub(crate) fn kinds(&self) -> Vec<AnyKind> {
        self.handles.iter().map(|handle| handle.kind).collect()
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
        let mut empty_turns = 0;
        // The initial timers may have stopped what kept the loop alive: libuv does not check that before the first
        // turn.
        while alive && !self.stopped {
            let mut events = 0;
            self.turn(mode, &mut |naive, event| {
                events += 1;
                call(naive, event)
            })?;
            empty_turns = if events == 0 { empty_turns + 1 } else { 0 };
            if empty_turns > TURNS_WITHOUT_EVENT {
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
        // All handles that were closed before this phase, the last one first.
        let mut closing = std::mem::take(&mut self.closing);
        while let Some(h) = closing.pop() {
            self.handles[h].closed = true;
            call(self, Observed::Closed(h))?;
        }
        self.update_time();
        self.timers(call)
    }

    fn timers(&mut self, call: Caller<'_>) -> Result<(), String> {
        while let Some(h) = self.first_timer().filter(|&h| self.handles[h].timer.due_ms <= self.now_ms) {
            self.handles[h].timer.armed = false;
            self.due_timers.push(h);
        }
        while !self.due_timers.is_empty() {
            let h = self.due_timers.remove(0);
            let repeat_ms = self.handles[h].timer.repeat_ms;
            if repeat_ms != 0 {
                self.arm(h, repeat_ms, repeat_ms);
            }
            call(self, Observed::Timer(h))?;
        }
        Ok(())
    }

    fn watchers(&mut self, which: Watcher, call: Caller<'_>) -> Result<(), String> {
        let n = which as usize;
        self.waiting[n] = std::mem::take(&mut self.started[n]);
        while !self.waiting[n].is_empty() {
            let h = self.waiting[n].remove(0);
            self.started[n].push(h);
            call(self, Observed::Watcher(which, h))?;
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

    /// Results of work, then async handles, the oldest first. Handles opened meanwhile wait for the next wake.
    fn wake(&mut self, call: Caller<'_>) -> Result<(), String> {
        let handles = self.handles.len();
        for (r, result) in std::mem::take(&mut self.mailbox) {
            self.requests[r] = Request::Reported;
            call(self, Observed::Done(r, result))?;
        }
        for h in 0..handles {
            if std::mem::take(&mut self.handles[h].marked) && !self.handles[h].closing {
                call(self, Observed::Async(h))?;
            }
        }
        Ok(())
    }

    fn readiness(&mut self, h: usize, mut bits: u32) -> Observed {
        let poll = &mut self.handles[h].poll;
        if bits & Bits::ERROR != 0 && bits & Bits::PRIORITIZED == 0 {
            (poll.interest, poll.registered) = (0, 0);
            return Observed::Ready(h, Err(EBADF));
        }
        if bits & (Bits::ERROR | Bits::HANGUP) != 0 {
            bits |= poll.interest;
        }
        Observed::Ready(h, Ok(bits & POLLABLE))
    }

    // The simulated platform.

    fn wait(&mut self, timeout_ms: Option<u64>) {
        for handle in &mut self.handles {
            if handle.poll.interest != 0 {
                handle.poll.registered = handle.poll.interest;
            }
        }
        for r in 0..self.requests.len() {
            if self.requests[r] == Request::Queued {
                self.requests[r] = Request::Finished;
                self.mailbox.push((r, Ok(())));
                self.rung = true;
            }
        }
        // A time beyond the range of the clock never comes.
        let end_ns = timeout_ms.and_then(|ms| ms.checked_mul(1_000_000)?.checked_add(self.clock_ns));
        loop {
            self.follow_script();
            if std::mem::take(&mut self.rung) {
                self.batch.push(Found::Wake);
            }
            for &(fd, bits) in &self.ready {
                for (h, handle) in self.handles.iter().enumerate() {
                    let seen = bits & (handle.poll.registered | Bits::ERROR | Bits::HANGUP);
                    if handle.poll.fd == fd && handle.poll.registered != 0 && seen != 0 {
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

    // Queries.

    fn is_active(&self, h: usize) -> bool {
        let handle = &self.handles[h];
        let runs =
            |which: Watcher| self.started[which as usize].contains(&h) || self.waiting[which as usize].contains(&h);
        match handle.kind {
            AnyKind::Plain(Kind::Timer) => handle.timer.armed,
            AnyKind::Plain(Kind::Idle) => runs(Watcher::Idle),
            AnyKind::Plain(Kind::Prepare) => runs(Watcher::Prepare),
            AnyKind::Plain(Kind::Check) => runs(Watcher::Check),
            AnyKind::Plain(Kind::Async) => !handle.closing,
            AnyKind::Poll => handle.poll.interest != 0,
        }
    }

    fn referenced_active(&self) -> Vec<usize> {
        (0..self.handles.len()).filter(|&h| self.is_active(h) && self.handles[h].has_ref).collect()
    }

    fn unreported_requests(&self) -> Vec<usize> {
        (0..self.requests.len()).filter(|&r| self.requests[r] != Request::Reported).collect()
    }

    fn is_alive(&self) -> bool {
        !self.referenced_active().is_empty() || !self.unreported_requests().is_empty() || !self.closing.is_empty()
    }

    fn first_timer(&self) -> Option<usize> {
        let armed = (0..self.handles.len()).filter(|&h| self.handles[h].timer.armed);
        armed.min_by_key(|&h| (self.handles[h].timer.due_ms, self.handles[h].timer.start))
    }

    /// The timeout of the poll phase.
    fn timeout(&self) -> Option<u64> {
        let idle = Watcher::Idle as usize;
        let busy = self.stopped
            || (self.referenced_active().is_empty() && self.unreported_requests().is_empty())
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
        let unregistered =
            |handle: &Handle| handle.poll.interest != 0 && handle.poll.interest != handle.poll.registered;
        let mut reasons: Vec<AliveReason> = self.referenced_active().into_iter().map(AliveReason::Handle).collect();
        reasons.extend(self.unreported_requests().into_iter().map(AliveReason::Request));
        reasons.extend(self.closing.iter().copied().map(AliveReason::Closing));
        reasons.sort();
        let flags = |h: usize| match &self.handles[h] {
            handle if handle.closed => (false, false, true),
            handle => (self.is_active(h), handle.has_ref, handle.closing),
        };
        let times = |handle: &Handle| match handle.kind {
            AnyKind::Plain(Kind::Timer) if !handle.closed => {
                Ok((handle.timer.due_ms.saturating_sub(self.now_ms), handle.timer.repeat_ms))
            }
            _ => Err(EBADF),
        };
        let interest = |fd: i32| {
            let registered = self.handles.iter().find(|handle| handle.poll.fd == fd && handle.poll.registered != 0);
            registered.map(|handle| handle.poll.registered)
        };
        View {
            now_ms: self.now_ms,
            clock_ms: self.clock_ns / 1_000_000,
            alive: self.is_alive(),
            // An embedder must not block while an interest is not registered with the backend.
            backend_timeout: if self.handles.iter().any(unregistered) { Some(0) } else { self.timeout() },
            fault: self.fault,
            order: numbers.clone().filter(|&h| !self.handles[h].closed).collect(),
            flags: numbers.map(flags).collect(),
            times: self.handles.iter().map(times).collect(),
            reasons,
            interests: Fd::ALL.iter().map(|&fd| interest(fd)).collect(),
        }
    }

    // Operations.

    pub(crate) fn apply(&mut self, action: Action) -> OpResult {
        match action {
            Action::Open(kind) => self.open(AnyKind::Plain(kind), -1),
            Action::OpenPoll(fd) => {
                if self.handles.iter().any(|handle| handle.poll.fd == fd && handle.poll.interest != 0) {
                    return Err(EEXIST);
                }
                self.open(AnyKind::Poll, fd)
            }
            Action::TimerStart(h, after_ms, repeat_ms) => {
                self.expect_open(h, AnyKind::Plain(Kind::Timer))?;
                self.disarm(h);
                self.arm(h, after_ms, repeat_ms);
                Ok(())
            }
            Action::TimerStop(h) => {
                self.expect(h, AnyKind::Plain(Kind::Timer))?;
                self.disarm(h);
                Ok(())
            }
            Action::TimerAgain(h) => {
                self.expect(h, AnyKind::Plain(Kind::Timer))?;
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
            Action::TimerSetRepeat(h, repeat_ms) => {
                self.expect(h, AnyKind::Plain(Kind::Timer))?;
                self.handles[h].timer.repeat_ms = repeat_ms;
                Ok(())
            }
            Action::Start(which, h) => {
                self.expect_open(h, kind_of(which))?;
                if !self.is_active(h) {
                    self.started[which as usize].insert(0, h);
                }
                Ok(())
            }
            Action::Stop(which, h) => {
                self.expect(h, kind_of(which))?;
                self.watcher_stop(h);
                Ok(())
            }
            Action::Send(h) => {
                self.expect(h, AnyKind::Plain(Kind::Async))?;
                self.send(h);
                Ok(())
            }
            Action::SendKept(h) => {
                if self.handles[h].kind == AnyKind::Plain(Kind::Async) {
                    self.send(h);
                }
                Ok(())
            }
            Action::PollStart(h, bits) => self.poll_start(h, bits),
            Action::PollStop(h) => {
                self.expect(h, AnyKind::Poll)?;
                self.poll_stop(h);
                Ok(())
            }
            Action::SetRef(h, keeps_alive) => {
                self.expect(h, self.handles[h].kind)?;
                self.handles[h].has_ref = keeps_alive;
                Ok(())
            }
            Action::Close(h) => self.close(h),
            Action::Work => {
                self.requests.push(Request::Queued);
                Ok(())
            }
            Action::Cancel(r) => self.cancel(r),
            other => {
                self.change_world(other);
                Ok(())
            }
        }
    }

    fn change_world(&mut self, action: Action) {
        match action {
            Action::Ready(fd, bits) => self.set_ready(fd, bits),
            Action::ReadyIn(ms, fd, bits) => {
                let at_ms = (self.clock_ns / 1_000_000).saturating_add(ms);
                self.script.push((at_ms.saturating_mul(1_000_000), fd, bits));
                self.follow_script();
            }
            Action::Advance(ms) => {
                self.clock_ns = self.clock_ns.saturating_add(ms.saturating_mul(1_000_000));
                self.follow_script();
            }
            Action::UpdateTime => self.update_time(),
            Action::StopRun => self.stopped = true,
            _ => {}
        }
    }

    fn open(&mut self, kind: AnyKind, fd: i32) -> OpResult {
        let poll = Poll { fd, interest: 0, registered: 0 };
        let timer = Timer::default();
        self.handles.push(Handle { kind, has_ref: true, closing: false, closed: false, timer, poll, marked: false });
        Ok(())
    }

    fn expect(&self, h: usize, kind: AnyKind) -> OpResult {
        if self.handles[h].closed || self.handles[h].kind != kind { Err(EBADF) } else { Ok(()) }
    }

    fn expect_open(&self, h: usize, kind: AnyKind) -> OpResult {
        if self.handles[h].closing && !self.handles[h].closed {
            return Err(EINVAL);
        }
        self.expect(h, kind)
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
        self.due_timers.retain(|&other| other != h);
    }

    fn watcher_stop(&mut self, h: usize) {
        for list in self.started.iter_mut().chain(&mut self.waiting) {
            list.retain(|&other| other != h);
        }
    }

    fn send(&mut self, h: usize) {
        if !std::mem::replace(&mut self.handles[h].marked, true) {
            self.rung = true;
        }
    }

    fn poll_start(&mut self, h: usize, bits: u32) -> OpResult {
        self.expect_open(h, AnyKind::Poll)?;
        if bits & !POLLABLE != 0 {
            return Err(EINVAL);
        }
        let fd = self.handles[h].poll.fd;
        let taken =
            |other: usize| other != h && self.handles[other].poll.fd == fd && self.handles[other].poll.interest != 0;
        if (0..self.handles.len()).any(taken) {
            return Err(EEXIST);
        }
        let registered = self.handles[h].poll.registered;
        self.poll_stop(h);
        if bits != 0 {
            self.handles[h].poll = Poll { fd, interest: bits, registered };
        }
        Ok(())
    }

    /// Also discards the readiness that the last wait found.
    fn poll_stop(&mut self, h: usize) {
        (self.handles[h].poll.interest, self.handles[h].poll.registered) = (0, 0);
        self.batch.retain(|found| !matches!(found, Found::Ready(other, _) if *other == h));
    }

    fn close(&mut self, h: usize) -> OpResult {
        self.expect(h, self.handles[h].kind)?;
        if self.handles[h].closing {
            return Err(EALREADY);
        }
        self.handles[h].closing = true;
        self.disarm(h);
        self.watcher_stop(h);
        self.poll_stop(h);
        self.closing.push(h);
        Ok(())
    }

    fn cancel(&mut self, r: usize) -> OpResult {
        match self.requests[r] {
            Request::Queued => {
                self.requests[r] = Request::Cancelled;
                self.mailbox.push((r, Err(ECANCELED)));
                self.rung = true;
                Ok(())
            }
            Request::Cancelled => Ok(()),
            Request::Finished => Err(EBUSY),
            Request::Reported => Err(EBADF),
        }
    }
}

fn kind_of(which: Watcher) -> AnyKind {
    AnyKind::Plain(match which {
        Watcher::Idle => Kind::Idle,
        Watcher::Prepare => Kind::Prepare,
        Watcher::Check => Kind::Check,
    })
}
