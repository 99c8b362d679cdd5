//! Terminals.

use std::os::fd::AsRawFd;

use phasor_core::Result;
pub use phasor_core::{TtyMode, tty_reset_mode};

use crate::handle::handle;
use crate::stream::stream;
use crate::{Loop, Stream};

handle! {
    /// A terminal.
    ///
    /// ```no_run
    /// use phasor::{Loop, Read, RunMode, Tty, TtyMode};
    ///
    /// let mut l = Loop::new()?;
    /// let stdin = Tty::new(&mut l, &std::io::stdin())?;
    /// stdin.set_mode(&mut l, TtyMode::Raw)?;
    /// stdin.read_start(&mut l, |l, stdin, read| match read {
    ///     Ok(Read::Data(b"q")) | Ok(Read::End) | Err(_) => stdin.close(l),
    ///     Ok(Read::Data(keys)) => print!("{keys:?}\r\n"),
    /// })?;
    /// l.run(RunMode::Default)?;
    /// # Ok::<(), phasor::Errno>(())
    /// ```
    #[doc(alias = "uv_tty_t")]
    Tty
}

stream!(Tty);

impl Tty {
    /// Opens a handle for a terminal, such as [`std::io::stdin`]. `EINVAL` if it is not a terminal.
    #[doc(alias = "uv_tty_init")]
    pub fn new(l: &mut Loop, fd: &impl AsRawFd) -> Result<Tty> {
        l.core.tty_open(fd.as_raw_fd(), Loop::no_hooks()).map(Tty)
    }

    /// Sets the terminal's mode.
    ///
    /// The original mode is restored when the handle is closed, when the loop is dropped, and when the process exits.
    /// Call [`tty_reset_mode`] before ending the process in another way, for instance in a signal handler.
    #[doc(alias = "uv_tty_set_mode")]
    pub fn set_mode(self, l: &mut Loop, mode: TtyMode) -> Result<()> {
        phasor_core::tty_reset_mode_at_exit();
        l.core.tty_set_mode(self.0, mode)
    }

    /// The size of the terminal's window: columns, rows.
    #[doc(alias = "uv_tty_get_winsize")]
    pub fn window_size(self, l: &Loop) -> Result<(u16, u16)> {
        l.core.tty_window_size(self.0)
    }
}

impl From<Tty> for Stream {
    fn from(tty: Tty) -> Stream {
        Stream(tty.0)
    }
}
