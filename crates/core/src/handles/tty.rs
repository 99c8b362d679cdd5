//! Tty handles: operations that terminals have in addition to those of all streams.

use std::os::fd::{AsRawFd, RawFd};

use phasor_sys::socket::Transport;
use phasor_sys::tty::{self, Mode};
use phasor_sys::{Errno, Result};

use super::stream::Flags;
use super::{HandleId, Kind};
use crate::face::Face;
use crate::state::Loop;

impl<F: Face> Loop<F> {
    /// Opens a tty handle for a terminal.
    ///
    /// The device is reopened if possible, so that other users of `fd` do not find it nonblocking (`src/unix/tty.c:
    /// uv_tty_init`). In that case the caller keeps `fd`. Otherwise the handle owns `fd` and writes block. `EINVAL` for
    /// a regular file.
    #[doc(alias = "uv_tty_init")]
    pub fn tty_open(&mut self, fd: RawFd, face: F::Handle) -> Result<HandleId> {
        let file = tty::open(fd)?;
        let mut flags = Flags::NONE;
        flags.set(Flags::READABLE, file.readable);
        flags.set(Flags::WRITABLE, file.writable);
        flags.set(Flags::BLOCKING_WRITES, file.blocking_writes);
        let transport = Transport::of(&file.fd);
        let id = self.stream_open(Kind::Tty, Flags::NONE, face);
        match self.stream_attach_fd(id, file.fd, transport, flags) {
            Ok(()) => Ok(id),
            Err((errno, _)) => {
                // The id was not returned to the caller, so no `Closed` event is needed.
                self.handles.remove(id);
                Err(errno)
            }
        }
    }

    /// Sets the terminal's mode.
    #[doc(alias = "uv_tty_set_mode")]
    pub fn tty_set_mode(&mut self, id: HandleId, mode: Mode) -> Result<()> {
        let stream = self.handles.open_kind_mut(id, Kind::Tty)?;
        let raw = stream.fd()?.as_raw_fd();
        stream.rare().tty.set_mode(raw, mode)
    }

    /// The size of the terminal's window: columns and rows.
    #[doc(alias = "uv_tty_get_winsize")]
    pub fn tty_window_size(&self, id: HandleId) -> Result<(u16, u16)> {
        let stream = self.handles.stream(id)?;
        if stream.kind != Kind::Tty {
            return Err(Errno::EBADF);
        }
        tty::window_size(stream.fd()?.as_raw_fd())
    }

    /// Whether writes to the terminal block, because its device could not be reopened.
    pub fn tty_blocks(&self, id: HandleId) -> bool {
        self.handles.stream(id).is_ok_and(|stream| stream.flags.has(Flags::BLOCKING_WRITES))
    }
}
