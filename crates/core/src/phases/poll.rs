//! The poll phase: registers changed interests, waits, and turns readiness into events. The only phase that blocks.
//!
//! The order of events follows `src/unix/linux.c: uv__io_poll`: file descriptors in the order that epoll returned them,
//! then signals, then child exits.

use phasor_sys::Result;
use phasor_sys::poller::BATCH;

use crate::event::Event;
use crate::face::Face;
use crate::handles::{HandleId, Kind, StreamIo, UdpIo};
use crate::platform::{INOTIFY, Readiness, Ready, SIGNALS, WAKE, orphan_of};
use crate::spin;
use crate::state::Loop;

/// The most polls in one phase. While waits return full batches, the loop polls again without blocking (`count` in
/// `src/unix/linux.c: uv__io_poll`).
const MAX_WAITS: u32 = 48;

/// The time after which registering a file descriptor is retried, if it failed for lack of memory.
const RETRY_MS: u64 = 10;

/// The readiness of a rung bell, in the form in which the platform would report it.
const WAKE_READY: Ready = Ready { token: WAKE, readiness: Readiness::READABLE };

/// An event source that has more than one event to return, between two calls of [`Loop::next`].
pub(crate) enum InProgress {
    Nothing,
    /// Changes of watched files.
    Changes,
    /// Exited children.
    Exits,
    /// Delivered signals.
    Signals,
    /// A stream that is ready, or was in the pending queue.
    Stream(StreamIo),
    /// A UDP handle that is ready, or was in the pending queue.
    Udp(UdpIo),
    /// A wake: results of finished tasks, then async handles.
    Wake,
}

/// Parts of a batch that are handled after the rest. `src/unix/linux.c: uv__io_poll` runs its signal watcher, and so
/// the watchers of children, last.
#[derive(Default)]
pub(crate) struct Deferred {
    /// Whether the signal receiver is readable.
    signals: bool,
    /// Children that have exited.
    exits: Vec<HandleId>,
    /// Whether something was deferred in this poll phase, so that it does not poll again.
    any: bool,
}

impl<F: Face> Loop<F> {
    /// Registers changed interests with the platform and waits.
    pub(crate) fn begin_poll(&mut self, timeout_ms: Option<u64>) -> Result<()> {
        self.batch.clear();
        self.batch_at = 0;
        self.waits = 0;
        // Signals that were read when a handle was started or stopped wait for this phase.
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
            // As with libuv's `UV_METRICS_IDLE_TIME`, events that a wait finds without blocking count as waiting.
            let found_before = self.batch.len();
            self.wait(Some(0))?;
            self.instrumentation.metrics.events_waiting += (self.batch.len() - found_before) as u64;
            if !self.batch.is_empty() || timeout_ms == Some(0) {
                return Ok(());
            }
        }
        self.wait(timeout_ms)
    }

    /// Waits until something is ready or the timeout has passed. Continues a wait that a signal interrupted.
    fn wait(&mut self, mut timeout_ms: Option<u64>) -> Result<()> {
        let began_ms = self.now_ms;
        let found_before = self.batch.len();
        self.waits += 1;
        self.instrumentation.nonblocking = timeout_ms == Some(0);
        loop {
            let idles = (self.instrumentation.measuring || self.instrumentation.counts_idle) && timeout_ms != Some(0);
            if idles {
                let from_ns = self.platform.now_ns();
                self.instrumentation.idle_begins(from_ns);
            }
            self.poll_begins(timeout_ms);
            let waited = if timeout_ms == Some(0) && !self.bell.is_rung() && self.platform.watches_nothing() {
                // No source can be ready, so the system call is skipped.
                Ok(())
            } else {
                self.spin_then_wait(timeout_ms)
            };
            let to_ns = self.platform.now_ns();
            if idles {
                self.instrumentation.idle.end(to_ns);
            }
            self.poll_ends(self.batch.len() - found_before);
            waited?;
            self.now_ms = to_ns / 1_000_000;
            self.time_is_fresh = true;
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

    /// Waits, unless the bell was rung meanwhile. Spins first if another thread has just woken the loop.
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
        // The loop has stopped polling the bell, its wake flag. If this wait fails, the next one must still see the wake.
        self.platform.wait(Some(0), &mut self.batch).inspect_err(|_| self.bell.rearm())?;
        let found = &self.batch[found_before..];
        if was_polling && found.iter().all(|ready| ready.token != WAKE) {
            // The bell was rung before the other descriptors were watched, so it is reported first.
            self.batch.insert(found_before, WAKE_READY);
        } else if found.is_empty() {
            // The bell is rung, but the sender may be preempted before its system call. The loop handles the wake
            // without waiting for the system call.
            self.batch.push(WAKE_READY);
        }
        Ok(())
    }

    /// Begins polling the bell, if no other descriptor is watched. With other descriptors, only the kernel knows in
    /// which order they became ready.
    pub(crate) fn begin_polling_bell(&mut self) {
        if !self.polls_bell && self.platform.watches_nothing() {
            self.polls_bell = true;
            self.bell.begin_polling();
        }
    }

    /// Ends polling the bell. Between two runs, an embedder may wait for the loop's file descriptor, so rings must
    /// reach the kernel.
    pub(crate) fn end_polling_bell(&mut self) {
        if std::mem::take(&mut self.polls_bell) && self.bell.end_polling() {
            self.bell.rearm();
        }
    }

    /// The next event of the batch.
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

    /// The next event of the source in progress.
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

    /// Handles one entry of the batch.
    fn dispatch_ready(&mut self, ready: Ready) -> Option<Event<F>> {
        self.instrumentation.metrics.events += 1;
        if ready.token == WAKE {
            self.bell.clear();
            self.wants_attention = self.bell.take_attention();
            self.mailbox.take_all(&mut self.completed);
            // The wake itself counts as one event, so only further results are added (`src/threadpool.c:
            // uv__work_done`).
            let results = self.completed.len() + self.fs_polls.collect();
            // After results of the pool the loop does not spin, because spinning would take the CPU from the pool
            // threads.
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
        // The id is stale if the handle was closed after the wait.
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

    /// Handles the deferred parts of the batch. Returns false if there is nothing left.
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

    /// The next event of a wake: first a call for attention, then results of the pool in the order in which they
    /// finished, then async handles in the order in which they were opened.
    fn next_wake_event(&mut self) -> Option<Event<F>> {
        if std::mem::take(&mut self.wants_attention) {
            self.instrumentation.idle_continues = true;
            return Some(Event::Attention);
        }
        while let Some(ended) = self.completed.pop() {
            if let Some(event) = self.task_done(ended) {
                return Some(event);
            }
        }
        self.next_fs_poll_change().or_else(|| self.asyncs.advance().map(Event::Async))
    }
}
