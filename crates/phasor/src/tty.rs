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

    /// Changes how the terminal treats what goes through it. [`tty_reset_mode`] puts it back, at the end of a program.
    #[doc(alias = "uv_tty_set_mode")]
    pub fn set_mode(self, l: &mut Loop, mode: TtyMode) -> Result<()> {
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
