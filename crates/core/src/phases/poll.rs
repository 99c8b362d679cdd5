//! Poll: the one place where the loop sleeps, and what it finds when it wakes.

use phasor_sys::Result;
use phasor_sys::poller::BATCH;

use crate::event::Event;
use crate::face::Face;
use crate::handles::{HandleId, Kind, StreamIo, UdpIo};
use crate::platform::{INOTIFY, Readiness, Ready, SIGNALS, WAKE, orphan_of};
use crate::spin;
use crate::state::Loop;

/// As `uv__io_poll`: while batches come back full, the loop looks again without sleeping, but so many times at most.
const MAX_WAITS: u32 = 48;

/// How soon a descriptor that could not be watched for want of memory is tried again.
const RETRY_MS: u64 = 10;

/// What the kernel tells of a bell.
const WAKE_READY: Ready = Ready { token: WAKE, readiness: Readiness::READABLE };

/// What makes several events, between two of them.
pub(crate) enum InProgress {
    Nothing,
    /// Changes of watched files.
    Changes,
    /// Children that ended.
    Exits,
    /// Signals that were delivered.
    Signals,
    /// A stream that is ready, or has something put off.
    Stream(StreamIo),
    /// A UDP handle that is ready, or has outcomes of sends.
    Udp(UdpIo),
    /// A wake: finished tasks, then async handles.
    Wake,
}

/// What of a batch is put off until the rest of it is through: as `uv__io_poll`, which runs signal watchers last.
#[derive(Default)]
pub(crate) struct Deferred {
    /// Signals wait to be read.
    signals: bool,
    /// Children that have ended.
    exits: Vec<HandleId>,
    /// Something was put off in this poll phase, so it does not wait again.
    any: bool,
}

impl<F: Face> Loop<F> {
    /// Tells the platform what changed and waits.
    pub(crate) fn begin_poll(&mut self, timeout_ms: Option<u64>) -> Result<()> {
        self.batch.clear();
        self.batch_at = 0;
        self.waits = 0;
        // Signals that were read when a handle was started or stopped are as good as ready.
        self.deferred.signals = self.signals.are_waiting();
        self.deferred.any = self.deferred.signals;
        self.resume_listeners();
        let registered = self.register_changes();
        let timeout_ms = match timeout_ms {
            _ if !self.batch.is_empty() || self.deferred.any => Some(0),
            None if !registered => Some(RETRY_MS),
            Some(ms) if !registered => Some(ms.min(RETRY_MS)),
            other => other,
        };
        if self.instrumentation.measuring {
            // As with UV_METRICS_IDLE_TIME: what is found without sleeping was waiting.
            let found_before = self.batch.len();
            self.wait(Some(0))?;
            self.instrumentation.metrics.events_waiting += (self.batch.len() - found_before) as u64;
            if !self.batch.is_empty() || timeout_ms == Some(0) {
                return Ok(());
            }
        }
        self.wait(timeout_ms)
    }

    /// Waits until something is ready or the time is over. A wait that a signal cut short is resumed.
    fn wait(&mut self, mut timeout_ms: Option<u64>) -> Result<()> {
        let began_ms = self.now_ms;
        let found_before = self.batch.len();
        self.waits += 1;
        self.instrumentation.nonblocking = timeout_ms == Some(0);
        loop {
            let idles = (self.instrumentation.measuring || self.instrumentation.counts_idle) && timeout_ms != Some(0);
            let from_ns = if idles || self.instrumentation.is_observed() { self.platform.now_ns() } else { 0 };
            if idles {
                self.instrumentation.idle.begin(from_ns);
            }
            let waited = if timeout_ms == Some(0) && !self.bell.is_rung() && self.platform.watches_nothing() {
                // A look could find nothing: no system call is made for it.
                Ok(())
            } else {
                self.spin_then_wait(timeout_ms)
            };
            let to_ns = self.platform.now_ns();
            if idles {
                self.instrumentation.idle.end(to_ns);
            }
            waited?;
            self.now_ms = to_ns / 1_000_000;
            self.time_is_fresh = true;
            self.observe_wait(from_ns, to_ns);
            if self.batch.len() > found_before {
                return Ok(());
            }
            timeout_ms = match timeout_ms {
                None => None,
                Some(ms) => match ms.saturating_sub(self.now_ms - began_ms) {
                    0 => return Ok(()),
                    rest => Some(rest),
                },
            };
        }
    }

    /// Waits, but not if somebody has rung meanwhile; and looks out for a moment first where that may save a sleep.
    fn spin_then_wait(&mut self, timeout_ms: Option<u64>) -> Result<()> {
        let may_spin = timeout_ms != Some(0) && std::mem::take(&mut self.was_woken) && spin::is_multicore();
        let mut is_rung =
            self.polls_bell && self.bell.is_rung() || may_spin && self.spinner.spin_until(|| self.bell.is_rung());
        if is_rung && self.polls_bell && self.platform.watches_nothing() {
            self.batch.push(WAKE_READY);
            return Ok(());
        }
        let was_polling = std::mem::take(&mut self.polls_bell);
        if was_polling {
            is_rung |= self.bell.end_polling();
        }
        if !is_rung {
            return self.platform.wait(timeout_ms, &mut self.batch);
        }
        let found_before = self.batch.len();
        // In the next run nobody attends: the kernel must know then what it was not told.
        self.platform.wait(Some(0), &mut self.batch).inspect_err(|_| self.bell.rearm())?;
        let found = &self.batch[found_before..];
        if was_polling && found.iter().all(|ready| ready.token != WAKE) {
            // Rung before anything else was watched, or nearly so: it comes first.
            self.batch.insert(found_before, WAKE_READY);
        } else if found.is_empty() {
            // Who rings may be kept from waking us, and we are awake: there is no sleep until that has come.
            self.batch.push(WAKE_READY);
        }
        Ok(())
    }

    /// Looks at the bell itself from now on, if nothing else could be found: what came first of several the kernel knows.
    pub(crate) fn begin_polling_bell(&mut self) {
        if !self.polls_bell && self.platform.watches_nothing() {
            self.polls_bell = true;
            self.bell.begin_polling();
        }
    }

    /// Between two runs others may wait for the loop, by its descriptor.
    pub(crate) fn end_polling_bell(&mut self) {
        if std::mem::take(&mut self.polls_bell) && self.bell.end_polling() {
            self.bell.rearm();
        }
    }

    /// The next event of what was found.
    pub(crate) fn next_ready(&mut self) -> Option<Event<F>> {
        loop {
            let event = self.next_in_progress();
            if event.is_some() {
                return event;
            }
            let Some(&ready) = self.batch.get(self.batch_at) else {
                if self.dispatch_deferred() {
                    continue;
                }
                if self.deferred.any || self.batch.len() < BATCH || self.waits >= MAX_WAITS || self.fault().is_some() {
                    return None;
                }
                self.batch.clear();
                self.batch_at = 0;
                if self.wait(Some(0)).is_err() || self.batch.is_empty() {
                    return None;
                }
                continue;
            };
            self.batch_at += 1;
            let event = self.dispatch_ready(ready);
            if event.is_some() {
                return event;
            }
        }
    }

    /// The next event of what is in hand, until that is through.
    #[inline]
    pub(crate) fn next_in_progress(&mut self) -> Option<Event<F>> {
        if let InProgress::Nothing = self.in_progress { None } else { self.resume_in_progress() }
    }

    fn resume_in_progress(&mut self) -> Option<Event<F>> {
        let event = match self.in_progress {
            InProgress::Nothing => return None,
            InProgress::Changes => self.next_fs_event(),
            InProgress::Exits => self.next_exit(),
            InProgress::Signals => self.next_signal(),
            InProgress::Stream(io) => self.stream_resume(&io),
            InProgress::Udp(io) => self.udp_resume(io),
            InProgress::Wake => self.next_wake_event(),
        };
        if event.is_none() {
            self.in_progress = InProgress::Nothing;
        }
        event
    }

    /// Begins to handle what one entry of the batch is about.
    fn dispatch_ready(&mut self, ready: Ready) -> Option<Event<F>> {
        self.instrumentation.metrics.events += 1;
        if ready.token == WAKE {
            self.bell.clear();
            self.mailbox.take_all(&mut self.completed);
            // As `uv__work_done`: the wake itself was counted, further results are counted here.
            let results = self.completed.len() + self.fs_polls.collect();
            // Not by the pool, whose threads need the CPU more than the loop does.
            self.was_woken = results == 0;
            let further = results.saturating_sub(1) as u64;
            self.instrumentation.metrics.events += further;
            self.instrumentation.metrics.events_waiting += if self.instrumentation.nonblocking { further } else { 0 };
            self.completed.reverse();
            self.asyncs.begin();
            self.in_progress = InProgress::Wake;
            return None;
        }
        if ready.token == INOTIFY {
            self.fs_events.begin();
            self.in_progress = InProgress::Changes;
            return None;
        }
        if ready.token == SIGNALS {
            self.deferred.signals = true;
            self.deferred.any = true;
            return None;
        }
        if let Some(orphan) = orphan_of(ready.token) {
            self.reap_orphan(orphan);
            return None;
        }
        // A handle that was closed since the wait began is refused here by its id.
        let id = HandleId::from_bits(ready.token)?;
        let readiness = self.wanted_readiness(id, ready.readiness)?;
        match self.kind(id)? {
            Kind::Pipe | Kind::Tcp | Kind::Tty => self.stream_ready(id, readiness),
            Kind::Poll => Some(self.poll_ready(id, readiness)),
            Kind::Process => {
                self.deferred.exits.push(id);
                self.deferred.any = true;
                None
            }
            Kind::Udp => {
                self.udp_ready(id, readiness);
                None
            }
            _ => None,
        }
    }

    /// Begins to handle what was put off. False if nothing is left of it.
    fn dispatch_deferred(&mut self) -> bool {
        if std::mem::take(&mut self.deferred.signals) {
            self.signals.read();
            self.in_progress = InProgress::Signals;
            return true;
        }
        if !self.deferred.exits.is_empty() {
            let ended = std::mem::take(&mut self.deferred.exits);
            self.reap(ended);
            self.in_progress = InProgress::Exits;
            return true;
        }
        false
    }

    /// Results of the pool first, in the order they were finished, then async handles in the order they were opened.
    fn next_wake_event(&mut self) -> Option<Event<F>> {
        while let Some(ended) = self.completed.pop() {
            if let Some(event) = self.task_done(ended) {
                return Some(event);
            }
        }
        self.next_fs_poll_change().or_else(|| self.asyncs.advance().map(Event::Async))
    }
}
