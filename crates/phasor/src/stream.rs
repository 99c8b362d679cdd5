//! The methods that TCP connections, pipes and terminals share: reading, writing, shutting down, listening, accepting.

use std::io::IoSlice;

use phasor_core::{Errno, HandleId, Outcome, RequestId, Result};

use crate::Loop;
use crate::bytes::Bytes;
use crate::face::{Completion, HandleEvent};
use crate::handle::handle;

/// The result of reading a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read<'a> {
    /// At least one byte, in the loop's buffer, valid during the call.
    Data(&'a [u8]),
    /// End of stream: the peer has shut down its writing side. Reading is stopped; writing is still possible.
    #[doc(alias = "UV_EOF")]
    End,
}

handle! {
    /// A stream of any type: [`Tcp`](crate::Tcp), [`Pipe`](crate::Pipe) or [`Tty`](crate::Tty), converted by [`From`].
    ///
    /// ```
    /// use phasor::{Loop, Pipe, RunMode, Stream};
    ///
    /// fn greet(l: &mut Loop, stream: impl Into<Stream>) {
    ///     stream.into().write_then(l, "hello", |_, written| assert_eq!(written, Ok(()))).unwrap();
    /// }
    ///
    /// let mut l = Loop::new()?;
    /// let (a, _b) = Pipe::pair(&mut l)?;
    /// greet(&mut l, a);
    /// l.run(RunMode::Default)?;
    /// # Ok::<(), phasor::Errno>(())
    /// ```
    #[doc(alias = "uv_stream_t")]
    Stream
}

/// Defines the methods that all streams have.
macro_rules! stream {
    ($Name:ident) => {
        impl $Name {
            /// Starts reading: `call` is called with the data that arrives, until end of stream, an error, or
            /// [`read_stop`](Self::read_stop). A stream that is already reading gets the new closure.
            ///
            /// After an error the stream is unusable and should be closed. `ENOTCONN` if it is not readable.
            #[doc(alias = "uv_read_start")]
            pub fn read_start(
                self,
                l: &mut crate::Loop,
                mut call: impl FnMut(&mut crate::Loop, $Name, phasor_core::Result<crate::Read<'_>>) + 'static,
            ) -> phasor_core::Result<()> {
                if !l.core.stream_is_reading(self.0) {
                    l.core.stream_read_start(self.0)?;
                }
                l.set_hook(
                    self.0,
                    Box::new(move |l, id, event| {
                        if let crate::face::HandleEvent::Read(read) = *event {
                            call(l, $Name(id), read);
                        }
                    }),
                );
                Ok(())
            }

            /// Stops reading. Incoming data stays in the kernel, whose full buffer then slows the peer down
            /// (backpressure).
            #[doc(alias = "uv_read_stop")]
            pub fn read_stop(self, l: &mut crate::Loop) -> phasor_core::Result<()> {
                l.core.stream_read_stop(self.0)
            }

            /// Resumes reading after [`read_stop`](Self::read_stop) with the closure it had. Does nothing if it is
            /// reading. `EINVAL` if [`read_start`](Self::read_start) was never called.
            #[doc(alias = "uv_read_start")]
            pub fn read_resume(self, l: &mut crate::Loop) -> phasor_core::Result<()> {
                if !l.core.face(self.0).is_some_and(|hooks| hooks.was_set) {
                    return Err(phasor_core::Errno::EINVAL);
                }
                if l.core.stream_is_reading(self.0) { Ok(()) } else { l.core.stream_read_start(self.0) }
            }

            /// Writes as much as fits at once and queues the rest; writes complete in the order of the calls. Use
            /// [`write_then`](Self::write_then) to get the result.
            ///
            /// `EPIPE` if the stream is not writable any more, `EBADF` if it is not connected.
            #[doc(alias = "uv_write")]
            pub fn write(
                self,
                l: &mut crate::Loop,
                bytes: impl Into<crate::Bytes>,
            ) -> phasor_core::Result<phasor_core::RequestId> {
                // A boxed closure that captures nothing does not allocate.
                crate::stream::write(l, self.0, bytes.into(), Box::new(|_, _| ()))
            }

            /// Like [`write`](Self::write), and calls `then` when everything is written, or with the error.
            #[doc(alias = "uv_write")]
            pub fn write_then(
                self,
                l: &mut crate::Loop,
                bytes: impl Into<crate::Bytes>,
                then: impl FnOnce(&mut crate::Loop, phasor_core::Result<()>) + 'static,
            ) -> phasor_core::Result<phasor_core::RequestId> {
                crate::stream::write(l, self.0, bytes.into(), crate::stream::written(then))
            }

            /// Writes as many bytes as fit at once and returns their number. `EAGAIN` if none fits, or if earlier
            /// writes are queued.
            #[doc(alias = "uv_try_write")]
            pub fn try_write(self, l: &mut crate::Loop, bytes: &[u8]) -> phasor_core::Result<usize> {
                crate::stream::try_write(l, self.0, bytes)
            }

            /// The number of bytes in the write queue. Check it before writing more, to limit the memory in use
            /// (backpressure).
            #[doc(alias = "uv_stream_get_write_queue_size")]
            pub fn write_queue_size(self, l: &crate::Loop) -> usize {
                l.core.stream_write_queue_size(self.0)
            }

            /// Shuts down the writing side after all queued writes; the peer then reads end of stream. `then` is called
            /// with the result.
            ///
            /// `ENOTCONN` if the stream is not writable.
            #[doc(alias = "uv_shutdown")]
            pub fn shutdown(
                self,
                l: &mut crate::Loop,
                then: impl FnOnce(&mut crate::Loop, phasor_core::Result<()>) + 'static,
            ) -> phasor_core::Result<phasor_core::RequestId> {
                crate::stream::shutdown(l, self.0, then)
            }

            /// Sets whether the descriptor is blocking. A write to a blocking descriptor blocks the loop until it is
            /// complete.
            #[doc(alias = "uv_stream_set_blocking")]
            pub fn set_blocking(self, l: &mut crate::Loop, blocking: bool) -> phasor_core::Result<()> {
                l.core.stream_set_blocking(self.0, blocking)
            }

            /// Sets the size of the kernel's send buffer (`SO_SNDBUF`).
            #[doc(alias = "uv_send_buffer_size")]
            pub fn set_send_buffer_size(self, l: &mut crate::Loop, size_bytes: u32) -> phasor_core::Result<()> {
                l.core.set_send_buffer_size(self.0, size_bytes)
            }

            /// Sets the size of the kernel's receive buffer (`SO_RCVBUF`).
            #[doc(alias = "uv_recv_buffer_size")]
            pub fn set_recv_buffer_size(self, l: &mut crate::Loop, size_bytes: u32) -> phasor_core::Result<()> {
                l.core.set_recv_buffer_size(self.0, size_bytes)
            }

            /// True if the stream is readable.
            #[doc(alias = "uv_is_readable")]
            pub fn is_readable(self, l: &crate::Loop) -> bool {
                l.core.stream_is_readable(self.0)
            }

            /// True if the stream is writable.
            #[doc(alias = "uv_is_writable")]
            pub fn is_writable(self, l: &crate::Loop) -> bool {
                l.core.stream_is_writable(self.0)
            }

            /// The descriptor, if there is one. The handle still owns it.
            #[doc(alias = "uv_fileno")]
            pub fn fd(self, l: &crate::Loop) -> Option<std::os::fd::RawFd> {
                l.core.fileno(self.0).ok()
            }
        }
    };
}

pub(crate) use stream;

stream!(Stream);

/// Defines the methods of streams that listen and connect.
macro_rules! listener {
    ($Name:ident) => {
        impl $Name {
            /// Listens on the bound address: `call` is called for every connection, which [`accept`](Self::accept)
            /// takes. `backlog` is the length of the kernel's queue of connections.
            ///
            /// While a connection is not accepted, no further call is made.
            #[doc(alias = "uv_listen")]
            pub fn listen(
                self,
                l: &mut crate::Loop,
                backlog: i32,
                mut call: impl FnMut(&mut crate::Loop, $Name) + 'static,
            ) -> phasor_core::Result<()> {
                l.core.stream_listen(self.0, backlog)?;
                l.set_hook(
                    self.0,
                    Box::new(move |l, id, event| {
                        if let crate::face::HandleEvent::Connection = *event {
                            call(l, $Name(id));
                        }
                    }),
                );
                Ok(())
            }

            /// Accepts the connection that the closure of [`listen`](Self::listen) was called for. `EAGAIN` if there is
            /// none.
            #[doc(alias = "uv_accept")]
            pub fn accept(self, l: &mut crate::Loop) -> phasor_core::Result<$Name> {
                let client = $Name::new(l);
                crate::stream::accept(l, self.0, client.0)?;
                Ok(client)
            }
        }

        impl From<$Name> for crate::Stream {
            fn from(stream: $Name) -> crate::Stream {
                crate::Stream(stream.0)
            }
        }
    };
}

pub(crate) use listener;

/// The default backlog, as in Node (`lib/net.js: setupListenHandle`).
pub(crate) const BACKLOG: i32 = 511;

pub(crate) fn write(l: &mut Loop, id: HandleId, bytes: Bytes, completion: Completion) -> Result<RequestId> {
    l.core.stream_write(id, bytes, completion).map_err(|refused| refused.errno)
}

pub(crate) fn written(then: impl FnOnce(&mut Loop, Result<()>) + 'static) -> Completion {
    Box::new(|l, outcome| {
        if let Outcome::Write { result, .. } = outcome {
            then(l, result);
        }
    })
}

pub(crate) fn try_write(l: &mut Loop, id: HandleId, bytes: &[u8]) -> Result<usize> {
    l.core.stream_try_write(id, &[IoSlice::new(bytes)])
}

pub(crate) fn shutdown(
    l: &mut Loop,
    id: HandleId,
    then: impl FnOnce(&mut Loop, Result<()>) + 'static,
) -> Result<RequestId> {
    let completion = |l: &mut Loop, outcome: Outcome<_>| {
        if let Outcome::Shutdown(result) = outcome {
            then(l, result);
        }
    };
    Ok(l.core.stream_shutdown(id, Box::new(completion))?)
}

pub(crate) fn connected(then: impl FnOnce(&mut Loop, Result<()>) + 'static) -> Completion {
    Box::new(|l, outcome| {
        if let Outcome::Connect(result) = outcome {
            then(l, result);
        }
    })
}

/// Accepts into a newly opened handle, which is closed on failure.
pub(crate) fn accept(l: &mut Loop, server: HandleId, client: HandleId) -> Result<()> {
    let accepted = l.core.stream_accept(server, client);
    if accepted.is_err() {
        l.close(client);
    }
    accepted
}

impl Loop {
    /// Reads from a readable stream and calls its closure with the result.
    pub(crate) fn readable(&mut self, id: HandleId) {
        self.with_buffer(|l, buffer| {
            let read = match l.core.stream_read(id, buffer) {
                Ok(0) => return,
                Ok(len) => Ok(Read::Data(buffer.get(..len).unwrap_or_default())),
                Err(Errno::EOF) => Ok(Read::End),
                Err(errno) => Err(errno),
            };
            l.call(id, &HandleEvent::Read(read));
        });
    }
}
