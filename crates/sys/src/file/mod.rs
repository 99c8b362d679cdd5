//! Files: the blocking operations, with libuv's results.
//!
//! Each function does on the calling thread what the `uv_fs_` function of that name does on a pool thread of libuv's.
//! Who runs them where is decided above; nothing here knows of a pool.
//!
//! - Paths are [`CStr`](std::ffi::CStr): what the kernel wants, and what a C program already has. Other callers make
//!   one with [`path`], which refuses a NUL inside.
//! - Descriptors are numbers that a program keeps ([`RawFd`](std::os::fd::RawFd)). A negative or unknown one is
//!   `EBADF`. New ones come as [`Fd`](crate::Fd), so that a result nobody takes is closed, not leaked.
//! - Flags and modes are the kernel's own bits, passed as they are.
//! - `EINTR` is retried. libuv shows it to the caller of `uv_fs_read`; this crate promises that nobody sees it.
//! - Writing to a pipe or socket without a reader raises `SIGPIPE` unless the process ignores it, as in libuv.

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

/// What one call may move: the kernel's own limit, a page short of 2 GiB. As `UV__IO_MAX_BYTES`.
pub const MAX_IO_BYTES: usize = 0x7FFF_F000;

/// A path from its bytes. A NUL among them is `EINVAL`.
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
