//! Signal handles: who hears of a signal. How it comes from the handler to the loop is in `phasor_sys::signal`.
//!
//! # Ground rules
//! - A loop has one receiver, made at the first start. The poll phase only notes that it is readable; it is read when
//!   the rest of the batch is through, as `uv__io_poll` runs its signal watcher last.
//! - Who hears of a signal is looked up when its turn comes: in the order of starts, one-shot handles after the others.
//!   As in libuv, where each delivery is a message to each handle: one that was started after the delivery does not hear
//!   of it, and one that was stopped and started again for the same signal does. So what was delivered is also read
//!   whenever a handle starts or stops.

use std::collections::{BTreeMap, VecDeque};
use std::os::fd::AsRawFd;

use phasor_sys::signal::Receiver;
use phasor_sys::{Errno, Result};

use super::{Body, HandleId};
use crate::event::Event;
use crate::face::Face;
use crate::platform::{Readiness, SIGNALS};
use crate::state::Loop;

/// A signal handle's own state.
#[derive(Default)]
pub(crate) struct Signal {
    /// The signal it is started for; 0 if it is not.
    signum: i32,
    oneshot: bool,
    /// Which of the loop's starts was its last.
    start: u64,
    /// Signals that were read when there had been no more starts than this are not for it.
    since: u64,
    /// What it was started for when it was last stopped.
    previous: PreviousStart,
}

/// What a handle was before it was stopped.
#[derive(Clone, Copy, Default)]
struct PreviousStart {
    signum: i32,
    since: u64,
    /// How many signals the loop had read.
    read: u64,
}

/// What the loop keeps for all its signal handles.
#[derive(Default)]
pub(crate) struct Signals {
    receiver: Option<Receiver>,
    /// The started handles under signal, one-shot, start. As libuv's tree, with starts in place of addresses.
    started: BTreeMap<(i32, bool, u64), HandleId>,
    /// How many starts there were.
    starts: u64,
    /// Signals that were read and have not been handed out, oldest first, and how many starts there were when they were.
    arrived: VecDeque<(i32, u64)>,
    /// How many signals were read in all.
    read: u64,
    /// How many of those that arrived are for the poll phase under way: a call may raise more, and so on for ever.
    in_this_phase: usize,
    /// Who has still to hear of the signal under way, and how many starts there were when it was read.
    recipients: VecDeque<(HandleId, i32)>,
    current_starts: u64,
    /// A one-shot handle whose event was handed out last: it is stopped when the call is over.
    fired_oneshot: Option<HandleId>,
}

impl Signals {
    /// Takes what was delivered, for the poll phase that begins with it.
    pub(crate) fn read(&mut self) {
        self.take_delivered();
        self.in_this_phase = self.arrived.len();
    }

    /// Whether signals were read and wait for a poll phase.
    #[inline]
    pub(crate) fn are_waiting(&self) -> bool {
        !self.arrived.is_empty()
    }

    /// Takes what was delivered. An error could only mean that the pipe is gone, and with it whatever it held.
    fn take_delivered(&mut self) {
        let mut numbers = Vec::new();
        if let Some(receiver) = &self.receiver {
            let _ = receiver.read(&mut numbers);
        }
        self.read += numbers.len() as u64;
        let starts = self.starts;
        self.arrived.extend(numbers.into_iter().map(|number| (number, starts)));
    }

    /// How many of those that were read have been handed out to everybody.
    fn handed_out(&self) -> u64 {
        self.read - self.arrived.len() as u64 - u64::from(!self.recipients.is_empty())
    }
}

impl<F: Face> Loop<F> {
    /// Opens a signal handle.
    #[doc(alias = "uv_signal_init")]
    pub fn signal_open(&mut self, face: F::Handle) -> HandleId {
        self.open(Body::Signal(Signal::default()), face)
    }

    /// Starts to tell of a signal: one event for each delivery, to every handle of every loop that is started for it.
    ///
    /// Starting for another signal switches to it; starting for the same one changes nothing. `EINVAL` for 0, for what
    /// is no signal and for what cannot be caught; the handle is then stopped, unless the number was 0.
    #[doc(alias = "uv_signal_start")]
    pub fn signal_start(&mut self, id: HandleId, signum: i32) -> Result<()> {
        self.signal_begin(id, signum, false)
    }

    /// As [`Loop::signal_start`], for one delivery: the handle is stopped when the call that tells of it is over, even
    /// if it was started again in the call.
    #[doc(alias = "uv_signal_start_oneshot")]
    pub fn signal_start_oneshot(&mut self, id: HandleId, signum: i32) -> Result<()> {
        self.signal_begin(id, signum, true)
    }

    fn signal_begin(&mut self, id: HandleId, signum: i32, oneshot: bool) -> Result<()> {
        let Body::Signal(signal) = &self.handles.open_mut(id)?.body else { return Err(Errno::EBADF) };
        if signum == 0 {
            return Err(Errno::EINVAL);
        }
        if signal.signum == signum {
            return Ok(());
        }
        self.signal_end(id);
        self.signal_receiver()?.watch(signum, oneshot)?;
        self.signals.take_delivered();
        let (start, handed_out) = (self.signals.starts, self.signals.handed_out());
        self.signals.starts += 1;
        self.signals.started.insert((signum, oneshot, start), id);
        if let Body::Signal(signal) = &mut self.handles.get_mut(id)?.body {
            let previous = signal.previous;
            // Something that was delivered before it was stopped has still to be handed out.
            let continues = previous.signum == signum && handed_out < previous.read;
            let since = if continues { previous.since } else { start };
            *signal = Signal { signum, oneshot, start, since, previous };
        }
        self.activate(id);
        Ok(())
    }

    /// The loop's receiver, made and watched if it is not there yet.
    fn signal_receiver(&mut self) -> Result<&mut Receiver> {
        if self.signals.receiver.is_none() {
            let receiver = Receiver::new()?;
            self.platform.watch(receiver.as_raw_fd(), SIGNALS, Readiness::READABLE)?;
            self.signals.receiver = Some(receiver);
        }
        self.signals.receiver.as_mut().ok_or(Errno::EBADF)
    }

    /// In a child of `fork`: hears the child's signals, and forgets those of the parent.
    pub(crate) fn signals_renew(&mut self) -> Result<()> {
        self.signals.arrived.clear();
        self.signals.recipients.clear();
        let Some(receiver) = &mut self.signals.receiver else { return Ok(()) };
        receiver.renew()?;
        self.platform.watch(receiver.as_raw_fd(), SIGNALS, Readiness::READABLE)
    }

    /// Stops a signal handle. One that is not started stays so.
    #[doc(alias = "uv_signal_stop")]
    pub fn signal_stop(&mut self, id: HandleId) -> Result<()> {
        let Body::Signal(_) = self.handles.get(id)?.body else { return Err(Errno::EBADF) };
        self.signal_end(id);
        Ok(())
    }

    /// The signal that a handle is started for; 0 if it is not.
    pub fn signal_number(&self, id: HandleId) -> Result<i32> {
        match &self.handles.get(id)?.body {
            Body::Signal(signal) => Ok(signal.signum),
            _ => Err(Errno::EBADF),
        }
    }

    pub(crate) fn signal_end(&mut self, id: HandleId) {
        let Ok(handle) = self.handles.get_mut(id) else { return };
        let Body::Signal(signal) = &mut handle.body else { return };
        let Signal { signum, oneshot, start, since, .. } = *signal;
        if signum == 0 {
            return;
        }
        self.signals.take_delivered();
        *signal = Signal { previous: PreviousStart { signum, since, read: self.signals.read }, ..Signal::default() };
        self.signals.started.remove(&(signum, oneshot, start));
        if let Some(receiver) = &mut self.signals.receiver {
            // It was watched at the start, so this cannot fail.
            let _ = receiver.unwatch(signum, oneshot);
        }
        self.deactivate(id);
    }

    /// The next event of the signals that were read. As `uv__signal_event`: signal by signal, in the order they came.
    pub(crate) fn next_signal(&mut self) -> Option<Event<F>> {
        if let Some(id) = self.signals.fired_oneshot.take() {
            // As there: it is the handle that is one-shot, whatever it was started for in the call.
            if matches!(self.handles.get(id).map(|handle| &handle.body), Ok(Body::Signal(Signal { oneshot: true, .. })))
            {
                self.signal_end(id);
            }
        }
        loop {
            while let Some((id, signum)) = self.signals.recipients.pop_front() {
                // Stopped, closed or switched since.
                let Ok(Body::Signal(signal)) = self.handles.get(id).map(|handle| &handle.body) else { continue };
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
