//! File operations.
//!
//! # Safety
//! The promises of `door` hold: requests are the program's, alive, and of the kind that is said.
#![allow(unsafe_code)]

use phasor_core::{FsDone, file};

use crate::face::Bufs;
use crate::layout::{uv_fs_t, uv_loop_t, uv_stat_t, uv_timespec_t};

/// A file's description as C has it.
pub(crate) fn stat_of(stat: &file::Stat) -> uv_stat_t {
    let time = |time: file::Timespec| uv_timespec_t { tv_sec: time.sec, tv_nsec: time.nsec };
    uv_stat_t {
        st_dev: stat.dev,
        st_mode: stat.mode,
        st_nlink: stat.nlink,
        st_uid: stat.uid,
        st_gid: stat.gid,
        st_rdev: stat.rdev,
        st_ino: stat.ino,
        st_size: stat.size,
        st_blksize: stat.blksize,
        st_blocks: stat.blocks,
        st_flags: stat.flags,
        st_gen: stat.generation,
        st_atim: time(stat.atime),
        st_mtim: time(stat.mtime),
        st_ctim: time(stat.ctime),
        st_birthtim: time(stat.birthtime),
    }
}

/// A file operation is over.
///
/// # Safety
/// The head of this file.
pub(crate) unsafe fn on_fs(_lp: *mut uv_loop_t, request: *mut uv_fs_t, done: FsDone<Bufs>) {
    // SAFETY: the head of this file.
    unsafe {
        if let Err(errno) = done.result {
            (*request).result = -errno.raw() as isize;
        }
        if let Some(call) = (*request).cb {
            call(request);
        }
    }
}
