//! Poll handles: readiness of descriptors that other code owns.

use std::os::fd::AsRawFd;

use phasor_core::{Readiness, Result};

use crate::Loop;
use crate::face::HandleEvent;
use crate::handle::handle;

handle! {
    /// Called when a descriptor that another library owns is readable or writable.
    ///
    /// ```
    /// use std::io::{Read, Write};
    /// use std::os::unix::net::UnixStream;
    /// use phasor::{Loop, Poll, Readiness, RunMode};
    ///
    /// let mut l = Loop::new()?;
    /// let (mut ours, mut theirs) = UnixStream::pair()?;
    /// let poll = Poll::new(&mut l, &ours)?;
    /// poll.start(&mut l, Readiness::READABLE, move |l, poll, ready| {
    ///     assert_eq!(ready, Ok(Readiness::READABLE));
    ///     let mut word = [0; 5];
    ///     ours.read_exact(&mut word).unwrap();
    ///     poll.close(l);
    /// })?;
    /// theirs.write_all(b"hello")?;
    /// l.run(RunMode::Default)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[doc(alias = "uv_poll_t")]
    Poll
}

impl Poll {
    /// Opens a poll handle for a descriptor, which is made nonblocking. The descriptor's owner must not close it before
    /// the handle is stopped or closed.
    ///
    /// `EEXIST` if another handle of this loop polls it; `EPERM` if its type cannot be polled (a regular file).
    #[doc(alias = "uv_poll_init")]
    pub fn new(l: &mut Loop, fd: &impl AsRawFd) -> Result<Poll> {
        l.core.poll_open(fd.as_raw_fd(), Loop::no_hooks()).map(Poll)
    }

    /// Starts the handle: `call` is called whenever the descriptor is ready for one of `readiness`. Replaces an earlier
    /// start.
    ///
    /// It is level-triggered: called again as long as the descriptor stays ready. After an error the handle is stopped.
    #[doc(alias = "uv_poll_start")]
    pub fn start(
        self,
        l: &mut Loop,
        readiness: Readiness,
        mut call: impl FnMut(&mut Loop, Poll, Result<Readiness>) + 'static,
    ) -> Result<()> {
        l.core.poll_start(self.0, readiness)?;
        l.set_hook(
            self.0,
            Box::new(move |l, id, event| {
                if let HandleEvent::Ready(ready) = *event {
                    call(l, Poll(id), ready);
                }
            }),
        );
        Ok(())
    }

    /// Stops the handle. The descriptor may be closed afterwards.
    #[doc(alias = "uv_poll_stop")]
    pub fn stop(self, l: &mut Loop) -> Result<()> {
        l.core.poll_stop(self.0)
    }
}
