//! File system operations: blocking, with libuv's results.
//!
//! Each function performs on the calling thread the operation that the `uv_fs_*` function of the same name performs on
//! a thread of libuv's pool. Scheduling them on a pool is done in `phasor-core`.
//!
//! - Paths are [`CStr`](std::ffi::CStr), as the kernel takes them and C programs have them. Rust callers make one with
//!   [`path`], which refuses an embedded NUL.
//! - Descriptors are numbers that a program keeps ([`RawFd`](std::os::fd::RawFd)). A negative or unknown one is
//!   `EBADF`. New ones are returned as [`Fd`](crate::Fd), so that an unused result is closed and does not leak.
//! - Flags and modes are the kernel's bits, passed unchanged.
//! - `EINTR` is retried. libuv returns it from `uv_fs_read`.
//! - Writing to a pipe or socket whose read end is closed raises `SIGPIPE` unless the process ignores it, as in libuv.

mod copy;
mod descriptor;
mod dir;
#[cfg(test)]
mod fixture;
mod name;
mod permission;
mod send;
mod stat;
mod temp;
mod time;

use std::ffi::CString;

pub use copy::{COPYFILE_EXCL, COPYFILE_FICLONE, COPYFILE_FICLONE_FORCE, copyfile};
pub use descriptor::{close, fdatasync, fsync, ftruncate, open, read, read_list, read_more, write, write_list};
pub use dir::{Dir, DirEntry, FileKind, list, opendir, scandir};
pub use name::{link, mkdir, readlink, realpath, rename, rmdir, symlink, unlink};
pub use permission::{access, chmod, chown, fchmod, fchown, lchown};
pub use send::sendfile;
pub use stat::{Stat, StatFs, Timespec, fstat, lstat, stat, statfs};
pub use temp::{mkdtemp, mkstemp};
pub use time::{futime, lutime, utime};

use crate::{Errno, Result};

/// The most bytes that one system call transfers on Linux: a page less than 2 GiB. Corresponds to libuv's
/// `UV__IO_MAX_BYTES`.
pub const MAX_IO_BYTES: usize = 0x7FFF_F000;

/// A path from its bytes. `EINVAL` if they contain NUL.
pub fn path(bytes: impl Into<Vec<u8>>) -> Result<CString> {
    CString::new(bytes).map_err(|_| Errno::EINVAL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nul_in_a_path_is_refused() {
        assert_eq!(path("a\0b"), Err(Errno::EINVAL));
        assert_eq!(path("ab").unwrap().as_c_str(), c"ab");
    }
}
