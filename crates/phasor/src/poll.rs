//! Readiness of descriptors that belong to somebody else.

use std::os::fd::AsRawFd;

use phasor_core::{Readiness, Result};

use crate::Loop;
use crate::face::Happening;
use crate::handle::handle;

handle! {
    /// Tells when a descriptor of another library can be read or written.
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
    /// Opens a poll handle for a descriptor, which is made nonblocking. It stays its owner's, who closes it only after
    /// the handle was stopped or closed.
    ///
    /// `EEXIST` if another handle of this loop watches it; `EPERM` if its kind cannot be polled (a plain file).
    #[doc(alias = "uv_poll_init")]
    pub fn new(l: &mut Loop, fd: &impl AsRawFd) -> Result<Poll> {
        l.core.poll_open(fd.as_raw_fd(), Loop::bare()).map(Poll)
    }

    /// Starts calling `call` whenever the descriptor is ready for any of these, instead of what was asked before.
    ///
    /// It is called again as long as the descriptor stays ready. After an error the handle is stopped.
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
            Box::new(move |l, id, happening| {
                if let Happening::Ready(ready) = *happening {
                    call(l, Poll(id), ready);
                }
            }),
        );
        Ok(())
    }

    /// Stops it. The descriptor may be closed after this.
    #[doc(alias = "uv_poll_stop")]
    pub fn stop(self, l: &mut Loop) -> Result<()> {
        l.core.poll_stop(self.0)
    }
}
