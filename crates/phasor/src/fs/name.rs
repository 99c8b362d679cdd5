//! Operations on names: what is asked of a path and not of an open file.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use phasor_core::{Errno, FsOp, FsValue, RequestId, Result};

use super::{Dir, DirEntry, Metadata, StatFs, entries, metadata, none, path, path_found, seconds, submit};
use crate::Loop;

/// Bits for [`access`]: the file may be executed.
pub const X_OK: i32 = 1;
/// Bits for [`access`]: the file may be written.
pub const W_OK: i32 = 2;
/// Bits for [`access`]: the file may be read.
pub const R_OK: i32 = 4;
/// For [`access`]: the file is there.
pub const F_OK: i32 = 0;

macro_rules! named {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $Arg:ty),*) -> $Value:ty, $unpack:ident, $operation:expr;)*) => {
        $($(#[$doc])*
        pub fn $name(
            l: &mut Loop,
            $($arg: $Arg,)*
            then: impl FnOnce(&mut Loop, Result<$Value>) + 'static,
        ) -> Result<RequestId> {
            Ok(submit(l, $operation, $unpack, then))
        })*
    };
}

named! {
    /// Whether the process may use a file in the ways of `mode`: [`F_OK`], or [`R_OK`], [`W_OK`] and [`X_OK`] together.
    #[doc(alias = "uv_fs_access")]
    access(name: impl AsRef<Path>, mode: i32) -> (), none, FsOp::Access { path: path(name)?, mode };
    /// Changes a file's mode.
    #[doc(alias = "uv_fs_chmod")]
    chmod(name: impl AsRef<Path>, mode: u32) -> (), none, FsOp::Chmod { path: path(name)?, mode };
    /// Changes a file's owner and group.
    #[doc(alias = "uv_fs_chown")]
    chown(name: impl AsRef<Path>, uid: u32, gid: u32) -> (), none, FsOp::Chown { path: path(name)?, uid, gid };
    /// Copies a file; `flags` are 0, or [`COPYFILE_EXCL`](super::COPYFILE_EXCL) and its like together.
    #[doc(alias = "uv_fs_copyfile")]
    copyfile(from: impl AsRef<Path>, to: impl AsRef<Path>, flags: u32) -> (), none,
        FsOp::Copyfile { from: path(from)?, to: path(to)?, flags };
    /// Changes the owner and group of a link itself.
    #[doc(alias = "uv_fs_lchown")]
    lchown(name: impl AsRef<Path>, uid: u32, gid: u32) -> (), none, FsOp::Lchown { path: path(name)?, uid, gid };
    /// Gives a file a further name.
    #[doc(alias = "uv_fs_link")]
    link(existing: impl AsRef<Path>, new: impl AsRef<Path>) -> (), none,
        FsOp::Link { existing: path(existing)?, new: path(new)? };
    /// Describes a file, or a link itself.
    #[doc(alias = "uv_fs_lstat")]
    lstat(name: impl AsRef<Path>) -> Metadata, metadata, FsOp::Lstat { path: path(name)? };
    /// Sets when a file, or a link itself, was read and changed.
    #[doc(alias = "uv_fs_lutime")]
    lutime(name: impl AsRef<Path>, read: SystemTime, changed: SystemTime) -> (), none,
        FsOp::Lutime { path: path(name)?, atime_s: seconds(read), mtime_s: seconds(changed) };
    /// Makes a directory.
    #[doc(alias = "uv_fs_mkdir")]
    mkdir(name: impl AsRef<Path>, mode: u32) -> (), none, FsOp::Mkdir { path: path(name)?, mode };
    /// Makes a directory with a name of its own: the six `X` at the end of `template` are replaced.
    #[doc(alias = "uv_fs_mkdtemp")]
    mkdtemp(template: impl AsRef<Path>) -> PathBuf, path_found, FsOp::Mkdtemp { template: path(template)? };
    /// Opens a directory, for [`readdir`].
    #[doc(alias = "uv_fs_opendir")]
    opendir(name: impl AsRef<Path>) -> Dir, opened, FsOp::Opendir { path: path(name)? };
    /// The text of a link.
    #[doc(alias = "uv_fs_readlink")]
    readlink(name: impl AsRef<Path>) -> PathBuf, path_found, FsOp::Readlink { path: path(name)? };
    /// The path without links and dots.
    #[doc(alias = "uv_fs_realpath")]
    realpath(name: impl AsRef<Path>) -> PathBuf, path_found, FsOp::Realpath { path: path(name)? };
    /// Gives a file another name. A file that has it is replaced.
    #[doc(alias = "uv_fs_rename")]
    rename(old: impl AsRef<Path>, new: impl AsRef<Path>) -> (), none,
        FsOp::Rename { old: path(old)?, new: path(new)? };
    /// Removes an empty directory.
    #[doc(alias = "uv_fs_rmdir")]
    rmdir(name: impl AsRef<Path>) -> (), none, FsOp::Rmdir { path: path(name)? };
    /// All entries of a directory, sorted by name.
    #[doc(alias = "uv_fs_scandir")]
    scandir(name: impl AsRef<Path>) -> Vec<DirEntry>, entries, FsOp::Scandir { path: path(name)? };
    /// Describes a file.
    #[doc(alias = "uv_fs_stat")]
    stat(name: impl AsRef<Path>) -> Metadata, metadata, FsOp::Stat { path: path(name)? };
    /// Describes the file system that a file is on.
    #[doc(alias = "uv_fs_statfs")]
    statfs(name: impl AsRef<Path>) -> StatFs, file_system, FsOp::Statfs { path: path(name)? };
    /// Makes a link with a text of its own.
    #[doc(alias = "uv_fs_symlink")]
    symlink(target: impl AsRef<Path>, name: impl AsRef<Path>) -> (), none,
        FsOp::Symlink { target: path(target)?, path: path(name)? };
    /// Removes a name, and with its last name the file.
    #[doc(alias = "uv_fs_unlink")]
    unlink(name: impl AsRef<Path>) -> (), none, FsOp::Unlink { path: path(name)? };
    /// Sets when a file was read and changed.
    #[doc(alias = "uv_fs_utime")]
    utime(name: impl AsRef<Path>, read: SystemTime, changed: SystemTime) -> (), none,
        FsOp::Utime { path: path(name)?, atime_s: seconds(read), mtime_s: seconds(changed) };
}

fn opened(done: phasor_core::FsDone<crate::Bytes>) -> Result<Dir> {
    match done.result? {
        FsValue::Dir(dir) => Ok(*dir),
        _ => Err(Errno::UNKNOWN),
    }
}

fn file_system(done: phasor_core::FsDone<crate::Bytes>) -> Result<StatFs> {
    match done.result? {
        FsValue::StatFs(found) => Ok(*found),
        _ => Err(Errno::UNKNOWN),
    }
}

/// Reads the next entries of a directory, at most `limit`; none is the end. The directory comes back however it
/// went; dropping it closes it.
#[doc(alias = "uv_fs_readdir")]
pub fn readdir(
    l: &mut Loop,
    dir: Dir,
    limit: usize,
    then: impl FnOnce(&mut Loop, Result<Vec<DirEntry>>, Option<Dir>) + 'static,
) -> RequestId {
    let unpack = |mut done: phasor_core::FsDone<crate::Bytes>| {
        let dir = done.dir.take().map(|dir| *dir);
        (entries(done), dir)
    };
    submit(l, FsOp::Readdir { dir: Box::new(dir), limit }, unpack, |l, (found, dir)| then(l, found, dir))
}

/// Closes a directory on a thread of the pool.
#[doc(alias = "uv_fs_closedir")]
pub fn closedir(l: &mut Loop, dir: Dir, then: impl FnOnce(&mut Loop, Result<()>) + 'static) -> RequestId {
    submit(l, FsOp::Closedir { dir: Box::new(dir) }, none, then)
}
