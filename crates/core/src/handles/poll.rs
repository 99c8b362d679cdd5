//! Poll handles: readiness of a descriptor that somebody else owns.

use std::os::fd::RawFd;

use phasor_sys::{Errno, Result};

use super::{Body, HandleId, Watch};
use crate::event::Event;
use crate::face::Face;
use crate::platform::Readiness;
use crate::state::Loop;

/// A poll handle's own state.
pub(crate) struct Poll {
    pub(crate) watch: Watch,
}

/// What may be polled for.
const POLLABLE: Readiness = Readiness::from_bits(
    Readiness::READABLE.bits()
        | Readiness::WRITABLE.bits()
        | Readiness::PEER_CLOSED.bits()
        | Readiness::PRIORITIZED.bits(),
);

impl<F: Face> Loop<F> {
    /// Opens a poll handle for a descriptor, which is made nonblocking and stays its owner's to close, after the handle
    /// was stopped or closed.
    ///
    /// `EEXIST` if another handle of this loop watches it; `EPERM` if its kind cannot be polled (a plain file).
    #[doc(alias = "uv_poll_init")]
    pub fn poll_open(&mut self, fd: RawFd, face: F::Handle) -> Result<HandleId> {
        self.check_unwatched(fd)?;
        // A try, as `uv__io_check_fd`: better refused here than in the poll phase, where nobody could be told.
        match self.platform.watch(fd, u64::MAX, Readiness::READABLE) {
            Ok(()) => self.platform.unwatch(fd),
            // Left over from a handle that wants nothing of it any more.
            Err(Errno::EEXIST) => {}
            Err(errno) => return Err(errno),
        }
        self.platform.set_nonblocking(fd)?;
        Ok(self.open(Body::Poll(Poll { watch: Watch::new(fd) }), face))
    }

    /// Starts reporting readiness of these kinds, instead of what was reported before. None of them: stops.
    #[doc(alias = "uv_poll_start")]
    pub fn poll_start(&mut self, id: HandleId, readiness: Readiness) -> Result<()> {
        let Body::Poll(poll) = &mut self.handles.open_mut(id)?.body else { return Err(Errno::EBADF) };
        let (fd, interest) = (poll.watch.fd, poll.watch.interest);
        if !POLLABLE.contains(readiness) {
            return Err(Errno::EINVAL);
        }
        if interest.is_empty() {
            self.check_unwatched(fd)?;
        }
        if readiness.is_empty() {
            return self.poll_stop(id);
        }
        // As `uv_poll_start`, which stops first: what was found for the old wish is no answer to the new one.
        self.discard_ready(id);
        self.remove_interest(id, interest.without(readiness));
        self.add_interest(id, readiness);
        self.activate(id);
        Ok(())
    }

    /// Stops reporting. The descriptor may be closed after this.
    #[doc(alias = "uv_poll_stop")]
    pub fn poll_stop(&mut self, id: HandleId) -> Result<()> {
        let Body::Poll(_) = self.handles.get(id)?.body else { return Err(Errno::EBADF) };
        self.unwatch(id);
        self.deactivate(id);
        Ok(())
    }

    /// What the poll phase does with a poll handle that is ready.
    pub(crate) fn poll_ready(&mut self, id: HandleId, readiness: Readiness) -> Event<F> {
        // As `uv__poll_io`: an error without urgent data is the kernel's way to say that the descriptor is unusable.
        if readiness.intersects(Readiness::ERROR) && !readiness.intersects(Readiness::PRIORITIZED) {
            let _ = self.poll_stop(id);
            return Event::Ready(id, Err(Errno::EBADF));
        }
        let mut reported = readiness & POLLABLE;
        if readiness.intersects(Readiness::ERROR | Readiness::HANGUP)
            && let Ok(Body::Poll(poll)) = self.handles.get(id).map(|handle| &handle.body)
        {
            reported |= poll.watch.interest;
        }
        Event::Ready(id, Ok(reported))
    }
}
