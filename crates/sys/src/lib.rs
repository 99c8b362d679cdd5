//! The one room of Phasor that talks to the kernel.
//!
//! Every module is a thin, safe layer over one area of system calls. Nothing here decides *when* something happens:
//! this crate has never heard of a loop, a handle or a callback. What it promises its callers:
//!
//! - `EINTR` is retried here and never seen above; `EAGAIN` is reported as [`Errno::EAGAIN`].
//! - Every descriptor made here is close-on-exec, and nonblocking where the function says so.
//! - No call raises `SIGPIPE`.
//! - Failures are [`Errno`] values; nothing panics on what the kernel answers.
//!
//! `unsafe` is denied for the crate and allowed file by file, each under a `# Safety` head.
#![deny(unsafe_code)]

pub mod clock;
pub mod dns;
pub mod errno;
pub mod fd;
pub mod file;
pub mod fork;
pub mod memory;
pub mod os;
pub mod own;
pub mod poller;
pub mod random;
pub mod read_buf;
pub mod signal;
pub mod socket;
pub mod spawn;
pub mod tty;
pub mod wake;
pub mod watch;
#[cfg(feature = "zlib")]
pub mod zlib;

pub use errno::{Errno, Result};
pub use fd::Fd;
pub use read_buf::ReadBuf;
