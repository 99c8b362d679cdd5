//! Poll handles: readiness of a file descriptor that the user owns.

use std::os::fd::RawFd;

use phasor_sys::{Errno, Result};

use super::{HandleBody, HandleId, Watch};
use crate::event::Event;
use crate::face::Face;
use crate::platform::Readiness;
use crate::state::Loop;

/// The state of a poll handle.
pub(crate) struct Poll {
    pub(crate) watch: Watch,
}

/// The kinds of readiness that can be requested.
const POLLABLE: Readiness = Readiness::from_bits(
    Readiness::READABLE.bits()
        | Readiness::WRITABLE.bits()
        | Readiness::PEER_CLOSED.bits()
        | Readiness::PRIORITIZED.bits(),
);

impl<F: Face> Loop<F> {
    /// Opens a poll handle for a file descriptor, which is made nonblocking. The user closes it, after stopping or
    /// closing the handle.
    ///
    /// `EEXIST` if another handle of this loop watches the file descriptor. `EPERM` if it cannot be polled (a regular
    /// file).
    #[doc(alias = "uv_poll_init")]
    pub fn poll_open(&mut self, fd: RawFd, face: F::Handle) -> Result<HandleId> {
        self.check_unwatched(fd)?;
        // The descriptor is registered for a trial, because the poll phase could not report the error
        // (`src/unix/linux.c: uv__io_check_fd`).
        match self.platform.watch(fd, u64::MAX, Readiness::READABLE) {
            Ok(()) => self.platform.unwatch(fd),
            // A handle that has lost interest in the descriptor has registered it.
            Err(Errno::EEXIST) => {}
            Err(errno) => return Err(errno),
        }
        self.platform.set_nonblocking(fd)?;
        Ok(self.open(HandleBody::Poll(Poll { watch: Watch::new(fd) }), face))
    }

    /// Starts reporting the given kinds of readiness, instead of the previous ones. An empty set stops the handle.
    #[doc(alias = "uv_poll_start")]
    pub fn poll_start(&mut self, id: HandleId, readiness: Readiness) -> Result<()> {
        let HandleBody::Poll(poll) = &mut self.handles.open_mut(id)?.body else { return Err(Errno::EBADF) };
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
        // `src/unix/poll.c: uv_poll_start` stops the handle first, and so discards readiness that was found before.
        self.discard_ready(id);
        self.remove_interest(id, interest.without(readiness));
        self.add_interest(id, readiness);
        self.activate(id);
        Ok(())
    }

    /// Stops reporting. The file descriptor may be closed afterwards.
    #[doc(alias = "uv_poll_stop")]
    pub fn poll_stop(&mut self, id: HandleId) -> Result<()> {
        let HandleBody::Poll(_) = self.handles.get(id)?.body else { return Err(Errno::EBADF) };
        self.unwatch(id);
        self.deactivate(id);
        Ok(())
    }

    /// Makes the event of a ready poll handle.
    pub(crate) fn poll_ready(&mut self, id: HandleId, readiness: Readiness) -> Event<F> {
        // An error without urgent data means that the file descriptor is unusable; sysfs files report both
        // (`src/unix/poll.c: uv__poll_io`).
        if readiness.intersects(Readiness::ERROR) && !readiness.intersects(Readiness::PRIORITIZED) {
            let _ = self.poll_stop(id);
            return Event::Ready(id, Err(Errno::EBADF));
        }
        let mut reported = readiness & POLLABLE;
        if readiness.intersects(Readiness::ERROR | Readiness::HANGUP)
            && let Ok(HandleBody::Poll(poll)) = self.handles.get(id).map(|handle| &handle.body)
        {
            reported |= poll.watch.interest;
        }
        Event::Ready(id, Ok(reported))
    }
}
