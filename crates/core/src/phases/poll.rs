//! Poll: the one place where the loop sleeps, and what it finds when it wakes.

use phasor_sys::Result;
use phasor_sys::poller::BATCH;

use crate::event::Event;
use crate::face::Face;
use crate::handles::{HandleId, Kind, StreamTurn, UdpTurn};
use crate::lookout;
use crate::platform::{INOTIFY, Readiness, Ready, SIGNALS, WAKE, orphan_of};
use crate::state::Loop;

/// As `uv__io_poll`: while batches come back full, the loop looks again without sleeping, but so many times at most.
const WAITS: u32 = 48;

/// How soon a descriptor that could not be watched for want of memory is tried again.
const RETRY_MS: u64 = 10;

/// What the kernel tells of a bell.
const WOKEN: Ready = Ready { token: WAKE, readiness: Readiness::READABLE };

/// What makes several events, between two of them.
pub(crate) enum InHand {
    Nothing,
    /// Changes of watched files.
    Changes,
    /// Children that ended.
    Exits,
    /// Signals that were delivered.
    Signals,
    /// A stream that is ready, or has something put off.
    Stream(StreamTurn),
    /// A UDP handle that is ready, or has outcomes of sends.
    Udp(UdpTurn),
    /// A wake: finished tasks, then async handles.
    Wake,
}

/// What of a batch is put off until the rest of it is through: as `uv__io_poll`, which runs signal watchers last.
#[derive(Default)]
pub(crate) struct Late {
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
        self.late.signals = self.signals.are_waiting();
        self.late.any = self.late.signals;
        self.wake_resting();
        let told = self.tell_changes();
        let timeout_ms = match timeout_ms {
            _ if !self.batch.is_empty() || self.late.any => Some(0),
            None if !told => Some(RETRY_MS),
            Some(ms) if !told => Some(ms.min(RETRY_MS)),
            other => other,
        };
        if self.tower.measuring {
            // As with UV_METRICS_IDLE_TIME: what is found without sleeping was waiting.
            let found_before = self.batch.len();
            self.wait(Some(0))?;
            self.tower.metrics.events_waiting += (self.batch.len() - found_before) as u64;
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
        self.tower.at_once = timeout_ms == Some(0);
        loop {
            let idles = (self.tower.measuring || self.tower.counts_idle) && timeout_ms != Some(0);
            let from_ns = if idles || self.tower.is_manned() { self.platform.now_ns() } else { 0 };
            if idles {
                self.tower.idle.begin(from_ns);
            }
            let waited = if timeout_ms == Some(0) && !self.bell.is_up() && self.platform.watches_nothing() {
                // A look could find nothing: no system call is made for it.
                Ok(())
            } else {
                self.wait_or_see(timeout_ms)
            };
            let to_ns = self.platform.now_ns();
            if idles {
                self.tower.idle.end(to_ns);
            }
            waited?;
            self.now_ms = to_ns / 1_000_000;
            self.time_is_fresh = true;
            self.note_waited(from_ns, to_ns);
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
    fn wait_or_see(&mut self, timeout_ms: Option<u64>) -> Result<()> {
        let looks = timeout_ms != Some(0) && std::mem::take(&mut self.was_woken) && lookout::pays();
        let mut is_up = self.attends && self.bell.is_up() || looks && self.lookout.sees(|| self.bell.is_up());
        if is_up && self.attends && self.platform.watches_nothing() {
            self.batch.push(WOKEN);
            return Ok(());
        }
        let attended = std::mem::take(&mut self.attends);
        if attended {
            is_up |= self.bell.leave();
        }
        if !is_up {
            return self.platform.wait(timeout_ms, &mut self.batch);
        }
        let found_before = self.batch.len();
        // In the next run nobody attends: the kernel must know then what it was not told.
        self.platform.wait(Some(0), &mut self.batch).inspect_err(|_| self.bell.ring_anew())?;
        let found = &self.batch[found_before..];
        if attended && found.iter().all(|ready| ready.token != WAKE) {
            // Rung before anything else was watched, or nearly so: it comes first.
            self.batch.insert(found_before, WOKEN);
        } else if found.is_empty() {
            // Who rings may be kept from waking us, and we are awake: there is no sleep until that has come.
            self.batch.push(WOKEN);
        }
        Ok(())
    }

    /// Looks at the bell itself from now on, if nothing else could be found: what came first of several the kernel knows.
    pub(crate) fn attend(&mut self) {
        if !self.attends && self.platform.watches_nothing() {
            self.attends = true;
            self.bell.attend();
        }
    }

    /// Between two runs others may wait for the loop, by its descriptor.
    pub(crate) fn stop_attending(&mut self) {
        if std::mem::take(&mut self.attends) && self.bell.leave() {
            self.bell.ring_anew();
        }
    }

    /// The next event of what was found.
    pub(crate) fn next_ready(&mut self) -> Option<Event<F>> {
        loop {
            let event = self.next_in_hand();
            if event.is_some() {
                return event;
            }
            let Some(&ready) = self.batch.get(self.batch_at) else {
                if self.take_up_late() {
                    continue;
                }
                if self.late.any || self.batch.len() < BATCH || self.waits >= WAITS || self.fault().is_some() {
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
            let event = self.take_up(ready);
            if event.is_some() {
                return event;
            }
        }
    }

    /// The next event of what is in hand, until that is through.
    #[inline]
    pub(crate) fn next_in_hand(&mut self) -> Option<Event<F>> {
        if let InHand::Nothing = self.in_hand { None } else { self.resume_in_hand() }
    }

    fn resume_in_hand(&mut self) -> Option<Event<F>> {
        let event = match self.in_hand {
            InHand::Nothing => return None,
            InHand::Changes => self.next_of_changes(),
            InHand::Exits => self.next_of_exits(),
            InHand::Signals => self.next_of_signals(),
            InHand::Stream(turn) => self.stream_resume(&turn),
            InHand::Udp(turn) => self.udp_resume(turn),
            InHand::Wake => self.next_of_wake(),
        };
        if event.is_none() {
            self.in_hand = InHand::Nothing;
        }
        event
    }

    /// Begins to handle what one entry of the batch is about.
    fn take_up(&mut self, ready: Ready) -> Option<Event<F>> {
        self.tower.metrics.events += 1;
        if ready.token == WAKE {
            self.bell.lower();
            self.mailbox.collect(&mut self.completed);
            // As `uv__work_done`: the wake itself was counted, further results are counted here.
            let results = self.completed.len() + self.fs_polls.collect();
            // Not by the pool, whose threads need the CPU more than the loop does.
            self.was_woken = results == 0;
            let further = results.saturating_sub(1) as u64;
            self.tower.metrics.events += further;
            self.tower.metrics.events_waiting += if self.tower.at_once { further } else { 0 };
            self.completed.reverse();
            self.asyncs.begin();
            self.in_hand = InHand::Wake;
            return None;
        }
        if ready.token == INOTIFY {
            self.fs_events.begin();
            self.in_hand = InHand::Changes;
            return None;
        }
        if ready.token == SIGNALS {
            self.late.signals = true;
            self.late.any = true;
            return None;
        }
        if let Some(orphan) = orphan_of(ready.token) {
            self.bury_orphan(orphan);
            return None;
        }
        // A handle that was closed since the wait began is refused here by its id.
        let id = HandleId::from_bits(ready.token)?;
        let news = self.news(id, ready.readiness)?;
        match self.kind(id)? {
            Kind::Pipe | Kind::Tcp | Kind::Tty => self.stream_ready(id, news),
            Kind::Poll => Some(self.poll_ready(id, news)),
            Kind::Process => {
                self.late.exits.push(id);
                self.late.any = true;
                None
            }
            Kind::Udp => {
                self.udp_ready(id, news);
                None
            }
            _ => None,
        }
    }

    /// Begins to handle what was put off. False if nothing is left of it.
    fn take_up_late(&mut self) -> bool {
        if std::mem::take(&mut self.late.signals) {
            self.signals.read();
            self.in_hand = InHand::Signals;
            return true;
        }
        if !self.late.exits.is_empty() {
            let ended = std::mem::take(&mut self.late.exits);
            self.reap(ended);
            self.in_hand = InHand::Exits;
            return true;
        }
        false
    }

    /// Results of the pool first, in the order they were finished, then async handles in the order they were opened.
    fn next_of_wake(&mut self) -> Option<Event<F>> {
        while let Some(ended) = self.completed.pop() {
            if let Some(event) = self.task_done(ended) {
                return Some(event);
            }
        }
        self.next_of_looks().or_else(|| self.asyncs.advance().map(Event::Async))
    }
}
