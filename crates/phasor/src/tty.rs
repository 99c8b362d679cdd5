//! Terminals.

use std::os::fd::AsRawFd;

use phasor_core::Result;
pub use phasor_core::{TtyMode, tty_reset_mode};

use crate::handle::handle;
use crate::stream::stream;
use crate::{Loop, Stream};

handle! {
    /// A terminal.
    #[doc(alias = "uv_tty_t")]
    Tty
}

stream!(Tty);

impl Tty {
    /// Opens a tty handle for a terminal, such as [`std::io::stdin`]. `EINVAL` if it is none.
    #[doc(alias = "uv_tty_init")]
    pub fn new(l: &mut Loop, fd: &impl AsRawFd) -> Result<Tty> {
        l.core.tty_open(fd.as_raw_fd(), Loop::bare()).map(Tty)
    }

    /// Changes how the terminal treats what goes through it.
    ///
    /// It is put back when the handle is closed, when the loop is dropped, and when the process exits. Who ends it in
    /// another way, from a signal handler say, calls [`tty_reset_mode`] before.
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
