//! What TCP connections, pipes and terminals share: reading, writing, ending.

use std::io::IoSlice;

use phasor_core::{Errno, HandleId, Outcome, RequestId, Result};

use crate::Loop;
use crate::bytes::Bytes;
use crate::face::{Finish, Happening};
use crate::handle::handle;

/// What reading a stream gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read<'a> {
    /// Some bytes, at least one, in the loop's buffer for the time of the call.
    Data(&'a [u8]),
    /// The peer writes no more, and reading is over. The stream can still be written to.
    #[doc(alias = "UV_EOF")]
    End,
}

handle! {
    /// A stream of any kind, for code that does not care which: [`Tcp`](crate::Tcp), [`Pipe`](crate::Pipe) or
    /// [`Tty`](crate::Tty), by [`From`].
    #[doc(alias = "uv_stream_t")]
    Stream
}

/// Makes the methods that streams of all kinds have.
macro_rules! stream {
    ($Name:ident) => {
        impl $Name {
            /// Starts reading: `call` is called with what arrives, until the end, an error, or
            /// [`read_stop`](Self::read_stop). A stream that is being read gets this closure.
            ///
            /// After an error the stream is broken and should be closed. `ENOTCONN` if it cannot be read.
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
                    Box::new(move |l, id, happening| {
                        if let crate::face::Happening::Read(read) = *happening {
                            call(l, $Name(id), read);
                        }
                    }),
                );
                Ok(())
            }

            /// Stops reading. What arrives stays in the kernel, and in the end holds the peer up.
            #[doc(alias = "uv_read_stop")]
            pub fn read_stop(self, l: &mut crate::Loop) -> phasor_core::Result<()> {
                l.core.stream_read_stop(self.0)
            }

            /// Reads on after [`read_stop`](Self::read_stop), with the closure it has. `EINVAL` if it never had one; one that
            /// is being read goes on.
            #[doc(alias = "uv_read_start")]
            pub fn read_resume(self, l: &mut crate::Loop) -> phasor_core::Result<()> {
                if !l.core.face(self.0).is_some_and(|hooks| hooks.given) {
                    return Err(phasor_core::Errno::EINVAL);
                }
                if l.core.stream_is_reading(self.0) { Ok(()) } else { l.core.stream_read_start(self.0) }
            }

            /// Writes, at once as far as there is room, the rest later, in the order of the calls. Who wants to know how
            /// it went uses [`write_then`](Self::write_then).
            ///
            /// `EPIPE` if it cannot be written to any more, `EBADF` if it is not connected.
            #[doc(alias = "uv_write")]
            pub fn write(
                self,
                l: &mut crate::Loop,
                bytes: impl Into<crate::Bytes>,
            ) -> phasor_core::Result<phasor_core::RequestId> {
                // A closure that holds nothing takes no memory.
                crate::stream::write(l, self.0, bytes.into(), Box::new(|_, _| ()))
            }

            /// Writes as [`write`](Self::write) does, and tells `then` when all is written, or why it is not.
            #[doc(alias = "uv_write")]
            pub fn write_then(
                self,
                l: &mut crate::Loop,
                bytes: impl Into<crate::Bytes>,
                then: impl FnOnce(&mut crate::Loop, phasor_core::Result<()>) + 'static,
            ) -> phasor_core::Result<phasor_core::RequestId> {
                crate::stream::write(l, self.0, bytes.into(), crate::stream::written(then))
            }

            /// Writes what can be written at once, and says how much that was. `EAGAIN` if it is nothing, also if other
            /// writes wait.
            #[doc(alias = "uv_try_write")]
            pub fn try_write(self, l: &mut crate::Loop, bytes: &[u8]) -> phasor_core::Result<usize> {
                crate::stream::try_write(l, self.0, bytes)
            }

            /// How many bytes wait to be written: who writes much looks here before writing more.
            #[doc(alias = "uv_stream_get_write_queue_size")]
            pub fn write_queue_size(self, l: &crate::Loop) -> usize {
                l.core.stream_write_queue_size(self.0)
            }

            /// Ends writing once everything before is written; the peer then reads the end. `then` is told when.
            ///
            /// `ENOTCONN` if it cannot be written to.
            #[doc(alias = "uv_shutdown")]
            pub fn shutdown(
                self,
                l: &mut crate::Loop,
                then: impl FnOnce(&mut crate::Loop, phasor_core::Result<()>) + 'static,
            ) -> phasor_core::Result<phasor_core::RequestId> {
                crate::stream::shutdown(l, self.0, then)
            }

            /// Makes the descriptor block, or not. With one that does, a write holds the loop up until it is written.
            #[doc(alias = "uv_stream_set_blocking")]
            pub fn set_blocking(self, l: &mut crate::Loop, blocking: bool) -> phasor_core::Result<()> {
                l.core.stream_set_blocking(self.0, blocking)
            }

            /// Asks the kernel to keep so much of what is being sent.
            #[doc(alias = "uv_send_buffer_size")]
            pub fn set_send_buffer_size(self, l: &mut crate::Loop, size_bytes: u32) -> phasor_core::Result<()> {
                l.core.set_send_buffer_size(self.0, size_bytes)
            }

            /// Asks the kernel to keep so much of what was received.
            #[doc(alias = "uv_recv_buffer_size")]
            pub fn set_recv_buffer_size(self, l: &mut crate::Loop, size_bytes: u32) -> phasor_core::Result<()> {
                l.core.set_recv_buffer_size(self.0, size_bytes)
            }

            /// Whether it can be read.
            #[doc(alias = "uv_is_readable")]
            pub fn is_readable(self, l: &crate::Loop) -> bool {
                l.core.stream_is_readable(self.0)
            }

            /// Whether it can be written to.
            #[doc(alias = "uv_is_writable")]
            pub fn is_writable(self, l: &crate::Loop) -> bool {
                l.core.stream_is_writable(self.0)
            }

            /// The descriptor, if it has one. It stays the handle's.
            #[doc(alias = "uv_fileno")]
            pub fn fd(self, l: &crate::Loop) -> Option<std::os::fd::RawFd> {
                l.core.fileno(self.0).ok()
            }
        }
    };
}

pub(crate) use stream;

stream!(Stream);

/// Makes the methods of streams that listen and connect.
macro_rules! listener {
    ($Name:ident) => {
        impl $Name {
            /// Listens on the address it is bound to: `call` is called for every connection, which
            /// [`accept`](Self::accept) takes. `backlog` is how many may wait.
            ///
            /// As long as a connection is not accepted, no further one is told of.
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
                    Box::new(move |l, id, happening| {
                        if let crate::face::Happening::Connection = *happening {
                            call(l, $Name(id));
                        }
                    }),
                );
                Ok(())
            }

            /// Takes the connection that the closure of [`listen`](Self::listen) was called for. `EAGAIN` if there is
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

/// How many connections may wait, unless a program says otherwise. Node's number.
pub(crate) const BACKLOG: i32 = 511;

pub(crate) fn write(l: &mut Loop, id: HandleId, bytes: Bytes, finish: Finish) -> Result<RequestId> {
    l.core.stream_write(id, bytes, finish).map_err(|refused| refused.errno)
}

pub(crate) fn written(then: impl FnOnce(&mut Loop, Result<()>) + 'static) -> Finish {
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
    let finish = |l: &mut Loop, outcome: Outcome<_>| {
        if let Outcome::Shutdown(result) = outcome {
            then(l, result);
        }
    };
    Ok(l.core.stream_shutdown(id, Box::new(finish))?)
}

pub(crate) fn connected(then: impl FnOnce(&mut Loop, Result<()>) + 'static) -> Finish {
    Box::new(|l, outcome| {
        if let Outcome::Connect(result) = outcome {
            then(l, result);
        }
    })
}

/// Accepts into a handle that was opened for it, which is closed if that fails.
pub(crate) fn accept(l: &mut Loop, server: HandleId, client: HandleId) -> Result<()> {
    let accepted = l.core.stream_accept(server, client);
    if accepted.is_err() {
        l.close(client);
    }
    accepted
}

impl Loop {
    /// Reads from a stream that has something and calls its closure with it.
    pub(crate) fn readable(&mut self, id: HandleId) {
        self.with_buffer(|l, buffer| {
            let read = match l.core.stream_read(id, buffer) {
                Ok(0) => return,
                Ok(len) => Ok(Read::Data(buffer.get(..len).unwrap_or_default())),
                Err(Errno::EOF) => Ok(Read::End),
                Err(errno) => Err(errno),
            };
            l.call(id, &Happening::Read(read));
        });
    }
}
