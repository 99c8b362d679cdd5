//! Reading from streams: start, stop, and the read that the front end makes for each `Readable` event.

use phasor_sys::socket;
use phasor_sys::{Errno, ReadBuf, Result};

use super::{Flags, HandleId};
use crate::face::Face;
use crate::platform::Readiness;
use crate::state::Loop;

impl<F: Face> Loop<F> {
    /// Starts reading: [`Event::Readable`](crate::Event::Readable) is returned whenever there is data.
    ///
    /// `EINVAL` for a closing stream, `EALREADY` if the stream is being read, `ENOTCONN` if it is not readable.
    #[doc(alias = "uv_read_start")]
    pub fn stream_read_start(&mut self, id: HandleId) -> Result<()> {
        let stream = self.handles.open_stream_mut(id)?;
        if stream.flags.has(Flags::READING) {
            return Err(Errno::EALREADY);
        }
        if !stream.flags.has(Flags::READABLE) {
            return Err(Errno::ENOTCONN);
        }
        stream.flags.remove(Flags::ENDED);
        stream.flags.add(Flags::READING);
        self.add_interest(id, Readiness::READABLE);
        self.activate(id);
        Ok(())
    }

    /// Stops reading. Received data stays in the kernel. Does nothing if the stream is not being read.
    #[doc(alias = "uv_read_stop")]
    pub fn stream_read_stop(&mut self, id: HandleId) -> Result<()> {
        let stream = self.handles.stream_mut(id)?;
        if stream.flags.has(Flags::READING) {
            stream.flags.remove(Flags::READING);
            self.remove_interest(id, Readiness::READABLE);
            self.deactivate(id);
        }
        Ok(())
    }

    /// Whether the stream is being read.
    pub fn stream_is_reading(&self, id: HandleId) -> bool {
        self.handles.stream(id).is_ok_and(|stream| stream.flags.has(Flags::READING))
    }

    /// Reads once, in response to [`Event::Readable`](crate::Event::Readable). The front end passes the result on to
    /// its user:
    ///
    /// - `Ok(n)`: the buffer has `n` bytes. If they fill it the event is returned again, up to 32 times in a row.
    /// - `Ok(0)`: there was no data, and reading continues. libuv calls `read_cb` with 0.
    /// - `Err(EOF)`: end of file. Reading is stopped; the stream is still writable.
    /// - `Err(ENOBUFS)`: the buffer is empty and nothing was read. The event is returned again in the next turn.
    /// - Another error: the stream is neither readable nor writable any more, and should be closed. Reading stops after
    ///   the event.
    pub fn stream_read(&mut self, id: HandleId, buffer: &mut [u8]) -> Result<usize> {
        self.stream_read_into(id, buffer.into())
    }

    /// Reads like [`Loop::stream_read`], into a buffer that may be uninitialized.
    pub fn stream_read_into(&mut self, id: HandleId, buf: ReadBuf<'_>) -> Result<usize> {
        let len = buf.len();
        let stream = self.handles.stream_mut(id)?;
        let fd = stream.fd.as_ref().ok_or(Errno::EBADF)?;
        stream.flags.remove(Flags::FILLED);
        stream.flags.remove(Flags::PARTIAL);
        if len == 0 {
            return Err(Errno::ENOBUFS);
        }
        let got = if stream.flags.has(Flags::IPC) {
            let mut passed = Vec::new();
            let got = socket::recv_with_fds(fd, buf, &mut passed);
            stream.take_passed(passed);
            got
        } else {
            socket::read(fd, buf)
        };
        match got {
            Ok(0) => {
                self.end_of_stream(id);
                Err(Errno::EOF)
            }
            Ok(count) => {
                stream.flags.set(Flags::FILLED, count == len);
                stream.flags.set(Flags::PARTIAL, count < len);
                Ok(count)
            }
            Err(Errno::EAGAIN) => Ok(0),
            Err(errno) => {
                stream.flags.remove(Flags::DUPLEX);
                if self.is_read_offered(id) {
                    if let Ok(stream) = self.handles.stream_mut(id) {
                        stream.flags.add(Flags::FAILED);
                    }
                } else {
                    self.stream_read_stop(id)?;
                }
                Err(errno)
            }
        }
    }

    /// Handles end of file: reading is stopped before the callback (`src/unix/stream.c: uv__stream_eof`).
    pub(super) fn end_of_stream(&mut self, id: HandleId) {
        if let Ok(stream) = self.handles.stream_mut(id) {
            stream.flags.add(Flags::ENDED);
        }
        let _ = self.stream_read_stop(id);
    }
}
