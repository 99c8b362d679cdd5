//! Signal handles: which handles receive a signal. `phasor_sys::signal` defines how a signal gets from the signal
//! handler to the loop.
//!
//! # Ground rules
//! - A loop has one receiver, created by the first start. The poll phase only notes that the receiver is readable. It
//!   reads the receiver after the rest of the batch, because `src/unix/linux.c: uv__io_poll` runs its signal watcher
//!   last.
//! - The recipients of a signal are looked up when it is reported: in the order of starts, one-shot handles last. In
//!   libuv every delivery writes a message to each handle (`src/unix/signal.c: uv__signal_handler`). So a handle that
//!   was started after the delivery does not receive it, and a handle that was stopped and restarted for the same
//!   signal receives it. To get the same result, delivered signals are also read whenever a handle starts or stops.

use std::collections::{BTreeMap, VecDeque};
use std::os::fd::AsRawFd;

use phasor_sys::signal::Receiver;
use phasor_sys::{Errno, Result};

use super::{HandleBody, HandleId};
use crate::event::Event;
use crate::face::Face;
use crate::platform::{Readiness, SIGNALS};
use crate::state::Loop;

/// The state of a signal handle.
#[derive(Default)]
pub(crate) struct Signal {
    /// The signal that the handle is started for; 0 if it is stopped.
    signum: i32,
    oneshot: bool,
    /// The number of the last start of the handle.
    start: u64,
    /// The handle does not receive signals that were read when the loop had counted at most this many starts.
    since: u64,
    /// The state of the handle before it was last stopped.
    previous: PreviousStart,
}

impl Signal {
    /// The signal that the handle is started for; 0 if it is stopped.
    pub(crate) fn signum(&self) -> i32 {
        self.signum
    }
}

/// The state of a handle before it was stopped.
#[derive(Clone, Copy, Default)]
struct PreviousStart {
    signum: i32,
    since: u64,
    /// How many signals the loop had read at that time.
    read: u64,
}

/// Per-loop state of the signal handles.
#[derive(Default)]
pub(crate) struct Signals {
    receiver: Option<Receiver>,
    /// The started handles, ordered by signal, one-shot flag and start number. libuv's tree has the same order, with
    /// addresses in place of start numbers (`src/unix/signal.c: uv__signal_compare`).
    started: BTreeMap<(i32, bool, u64), HandleId>,
    /// The number of starts of all handles so far.
    starts: u64,
    /// Signals that were read and not reported, oldest first, each with the number of starts at that time.
    arrived: VecDeque<(i32, u64)>,
    /// The total number of signals that were read.
    read: u64,
    /// How many of `arrived` belong to the current poll phase. Signals that callbacks raise wait for the next poll
    /// phase.
    in_this_phase: usize,
    /// The handles that still have to receive the current signal, and the signal number.
    recipients: VecDeque<(HandleId, i32)>,
    current_starts: u64,
    /// The one-shot handle whose event was returned last: it is stopped after the callback.
    fired_oneshot: Option<HandleId>,
}

impl Signals {
    /// Reads delivered signals when the poll phase begins to handle signals.
    pub(crate) fn read(&mut self) {
        self.read_delivered();
        self.in_this_phase = self.arrived.len();
    }

    /// Whether signals were read and wait for a poll phase.
    #[inline]
    pub(crate) fn are_waiting(&self) -> bool {
        !self.arrived.is_empty()
    }

    /// Reads delivered signals. An error means that the pipe is closed, and all signals in it are lost.
    fn read_delivered(&mut self) {
        let mut numbers = Vec::new();
        if let Some(receiver) = &self.receiver {
            let _ = receiver.read(&mut numbers);
        }
        self.read += numbers.len() as u64;
        let starts = self.starts;
        self.arrived.extend(numbers.into_iter().map(|number| (number, starts)));
    }

    /// How many signals were reported to all their recipients.
    fn handed_out(&self) -> u64 {
        self.read - self.arrived.len() as u64 - u64::from(!self.recipients.is_empty())
    }
}

impl<F: Face> Loop<F> {
    /// Opens a signal handle.
    #[doc(alias = "uv_signal_init")]
    pub fn signal_open(&mut self, face: F::Handle) -> HandleId {
        self.open(HandleBody::Signal(Signal::default()), face)
    }

    /// Starts receiving a signal: one event for each delivery, for every started handle of every loop.
    ///
    /// Starting for another signal switches to it; starting for the same signal does nothing. `EINVAL` for 0, for an
    /// invalid number, and for a signal that cannot be caught; the handle is then stopped, unless the number was 0.
    #[doc(alias = "uv_signal_start")]
    pub fn signal_start(&mut self, id: HandleId, signum: i32) -> Result<()> {
        self.signal_begin(id, signum, false)
    }

    /// Starts like [`Loop::signal_start`], for one delivery: the handle is stopped after the callback, even if the
    /// callback restarted it.
    #[doc(alias = "uv_signal_start_oneshot")]
    pub fn signal_start_oneshot(&mut self, id: HandleId, signum: i32) -> Result<()> {
        self.signal_begin(id, signum, true)
    }

    fn signal_begin(&mut self, id: HandleId, signum: i32, oneshot: bool) -> Result<()> {
        let HandleBody::Signal(signal) = &self.handles.open_mut(id)?.body else { return Err(Errno::EBADF) };
        if signum == 0 {
            return Err(Errno::EINVAL);
        }
        if signal.signum == signum {
            return Ok(());
        }
        self.signal_end(id);
        self.signal_receiver()?.watch(signum, oneshot)?;
        self.signals.read_delivered();
        let (start, handed_out) = (self.signals.starts, self.signals.handed_out());
        self.signals.starts += 1;
        self.signals.started.insert((signum, oneshot, start), id);
        if let HandleBody::Signal(signal) = &mut self.handles.get_mut(id)?.body {
            let previous = signal.previous;
            // A signal that was delivered before the stop has not been reported yet.
            let continues = previous.signum == signum && handed_out < previous.read;
            let since = if continues { previous.since } else { start };
            *signal = Signal { signum, oneshot, start, since, previous };
        }
        self.activate(id);
        Ok(())
    }

    /// The loop's receiver. The first call creates and watches it.
    fn signal_receiver(&mut self) -> Result<&mut Receiver> {
        if self.signals.receiver.is_none() {
            let receiver = Receiver::new()?;
            self.platform.watch(receiver.as_raw_fd(), SIGNALS, Readiness::READABLE)?;
            self.signals.receiver = Some(receiver);
        }
        self.signals.receiver.as_mut().ok_or(Errno::EBADF)
    }

    /// Called in a child of `fork`: drops the signals of the parent, and receives those of the child.
    pub(crate) fn signals_renew(&mut self) -> Result<()> {
        self.signals.arrived.clear();
        self.signals.recipients.clear();
        let Some(receiver) = &mut self.signals.receiver else { return Ok(()) };
        receiver.renew()?;
        self.platform.watch(receiver.as_raw_fd(), SIGNALS, Readiness::READABLE)
    }

    /// Stops a signal handle. Does nothing if it is stopped.
    #[doc(alias = "uv_signal_stop")]
    pub fn signal_stop(&mut self, id: HandleId) -> Result<()> {
        let HandleBody::Signal(_) = self.handles.get(id)?.body else { return Err(Errno::EBADF) };
        self.signal_end(id);
        Ok(())
    }

    /// The signal that a handle is started for; 0 if it is stopped.
    pub fn signal_number(&self, id: HandleId) -> Result<i32> {
        match &self.handles.get(id)?.body {
            HandleBody::Signal(signal) => Ok(signal.signum),
            _ => Err(Errno::EBADF),
        }
    }

    pub(crate) fn signal_end(&mut self, id: HandleId) {
        let Ok(handle) = self.handles.get_mut(id) else { return };
        let HandleBody::Signal(signal) = &mut handle.body else { return };
        let Signal { signum, oneshot, start, since, .. } = *signal;
        if signum == 0 {
            return;
        }
        self.signals.read_delivered();
        *signal = Signal { previous: PreviousStart { signum, since, read: self.signals.read }, ..Signal::default() };
        self.signals.started.remove(&(signum, oneshot, start));
        if let Some(receiver) = &mut self.signals.receiver {
            // The call cannot fail, because the signal has been watched since the start.
            let _ = receiver.unwatch(signum, oneshot);
        }
        self.deactivate(id);
    }

    /// The next event of the signals that were read: one signal after the other, in the order of delivery
    /// (`src/unix/signal.c: uv__signal_event`).
    pub(crate) fn next_signal(&mut self) -> Option<Event<F>> {
        if let Some(id) = self.signals.fired_oneshot.take() {
            // `src/unix/signal.c: uv__signal_event` checks the one-shot flag after the callback, even if the callback
            // restarted the handle.
            if matches!(
                self.handles.get(id).map(|handle| &handle.body),
                Ok(HandleBody::Signal(Signal { oneshot: true, .. }))
            ) {
                self.signal_end(id);
            }
        }
        loop {
            while let Some((id, signum)) = self.signals.recipients.pop_front() {
                // Skips handles that were stopped, closed or switched to another signal.
                let Ok(HandleBody::Signal(signal)) = self.handles.get(id).map(|handle| &handle.body) else { continue };
                if signal.signum == signum && signal.since < self.signals.current_starts {
                    self.signals.fired_oneshot = signal.oneshot.then_some(id);
                    return Some(Event::Signal(id, signum));
                }
            }
            self.signals.in_this_phase = self.signals.in_this_phase.checked_sub(1)?;
            let (signum, starts) = self.signals.arrived.pop_front()?;
            self.signals.current_starts = starts;
            let recipients = self.signals.started.range((signum, false, 0)..=(signum, true, u64::MAX));
            self.signals.recipients.extend(recipients.map(|(_, &id)| (id, signum)));
        }
    }
}
