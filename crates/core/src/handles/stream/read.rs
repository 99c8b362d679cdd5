//! Reading: when the face is asked for a buffer, and what goes into it.

use phasor_sys::socket;
use phasor_sys::{Errno, ReadBuf, Result};

use super::{Flags, HandleId};
use crate::face::Face;
use crate::platform::Readiness;
use crate::state::Loop;

impl<F: Face> Loop<F> {
    /// Starts reading: from now on [`Event::Readable`](crate::Event::Readable) comes whenever there is something.
    ///
    /// `EINVAL` for a stream that is closing, `EALREADY` for one that is being read, `ENOTCONN` for one that cannot be.
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

    /// Stops reading. What has arrived stays in the kernel. A stream that is not being read is no error.
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

    /// Reads once, for [`Event::Readable`](crate::Event::Readable). The face is told what this returns as it is:
    ///
    /// - `Ok(n)`: so many bytes are in the buffer. If they fill it the event comes again, up to 32 times in a row.
    /// - `Ok(0)`: nothing is there after all; reading goes on. libuv's `read_cb` is called with 0.
    /// - `Err(EOF)`: the end; reading is stopped already, and the stream can still be written to.
    /// - `Err(ENOBUFS)`: the buffer is empty. Nothing was tried; the event comes again in the next turn.
    /// - any other error: the stream is broken, can neither be read nor written, and should be closed. Reading stops
    ///   when the event is over.
    pub fn stream_read(&mut self, id: HandleId, buffer: &mut [u8]) -> Result<usize> {
        self.stream_read_into(id, buffer.into())
    }

    /// As [`Loop::stream_read`], into memory that may hold nothing yet.
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

    /// As `uv__stream_eof`: reading is over before the face is told.
    pub(super) fn end_of_stream(&mut self, id: HandleId) {
        if let Ok(stream) = self.handles.stream_mut(id) {
            stream.flags.add(Flags::ENDED);
        }
        let _ = self.stream_read_stop(id);
    }
}
