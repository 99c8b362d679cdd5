//! The only crate of Phasor that makes system calls.
//!
//! Every module is a thin, safe layer over one area of system calls. Nothing here decides *when* something happens:
//! this crate knows no event loop, no handles and no callbacks; those are in `phasor-core`. Guarantees to callers:
//!
//! - `EINTR` is retried here and never returned; `EAGAIN` is returned as [`Errno::EAGAIN`].
//! - Every file descriptor created here is close-on-exec, and nonblocking where the function says so.
//! - No call raises `SIGPIPE`.
//! - Failures are [`Errno`] values; no result of the kernel causes a panic.
//!
//! `unsafe` is denied for the crate and allowed file by file, each under a `# Safety` head.
#![deny(unsafe_code)]

pub mod backtrace;
pub mod clock;
pub mod dns;
pub mod elf;
pub mod errno;
pub mod fd;
pub mod file;
pub mod fork;
pub mod memory;
pub mod objects;
pub mod os;
pub mod poller;
pub mod process;
pub mod random;
pub mod read_buf;
pub mod signal;
pub mod socket;
pub mod spawn;
pub mod symbols;
pub mod tty;
pub mod wake;
pub mod watch;
#[cfg(feature = "zlib")]
pub mod zlib;

pub use errno::{Errno, Result};
pub use fd::Fd;
pub use read_buf::ReadBuf;
