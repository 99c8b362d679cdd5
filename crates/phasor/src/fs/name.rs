//! Operations on paths, as opposed to open files.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use phasor_core::{Errno, FsOp, FsValue, RequestId, Result};

use super::{Dir, DirEntry, Metadata, StatFs, entries, metadata, none, path, path_found, seconds, submit};
use crate::Loop;

/// Bit for [`access`]: execute permission.
pub const X_OK: i32 = 1;
/// Bit for [`access`]: write permission.
pub const W_OK: i32 = 2;
/// Bit for [`access`]: read permission.
pub const R_OK: i32 = 4;
/// For [`access`]: the file exists.
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
    /// Checks whether the process may access a file as `mode` says: [`F_OK`], or a combination of [`R_OK`], [`W_OK`]
    /// and [`X_OK`].
    #[doc(alias = "uv_fs_access")]
    access(name: impl AsRef<Path>, mode: i32) -> (), none, FsOp::Access { path: path(name)?, mode };
    /// Changes the mode of a file.
    #[doc(alias = "uv_fs_chmod")]
    chmod(name: impl AsRef<Path>, mode: u32) -> (), none, FsOp::Chmod { path: path(name)?, mode };
    /// Changes the owner and the group of a file.
    #[doc(alias = "uv_fs_chown")]
    chown(name: impl AsRef<Path>, uid: u32, gid: u32) -> (), none, FsOp::Chown { path: path(name)?, uid, gid };
    /// Copies a file; `flags` is 0 or a combination of [`COPYFILE_EXCL`](super::COPYFILE_EXCL) and the other
    /// `COPYFILE_*` bits.
    #[doc(alias = "uv_fs_copyfile")]
    copyfile(from: impl AsRef<Path>, to: impl AsRef<Path>, flags: u32) -> (), none,
        FsOp::Copyfile { from: path(from)?, to: path(to)?, flags };
    /// Changes the owner and the group of a symbolic link itself.
    #[doc(alias = "uv_fs_lchown")]
    lchown(name: impl AsRef<Path>, uid: u32, gid: u32) -> (), none, FsOp::Lchown { path: path(name)?, uid, gid };
    /// Creates a hard link.
    #[doc(alias = "uv_fs_link")]
    link(existing: impl AsRef<Path>, new: impl AsRef<Path>) -> (), none,
        FsOp::Link { existing: path(existing)?, new: path(new)? };
    /// Reads the metadata of a file; does not follow a symbolic link.
    #[doc(alias = "uv_fs_lstat")]
    lstat(name: impl AsRef<Path>) -> Metadata, metadata, FsOp::Lstat { path: path(name)? };
    /// Sets the access time and the modification time of a file; does not follow a symbolic link.
    #[doc(alias = "uv_fs_lutime")]
    lutime(name: impl AsRef<Path>, read: SystemTime, changed: SystemTime) -> (), none,
        FsOp::Lutime { path: path(name)?, atime_s: seconds(read), mtime_s: seconds(changed) };
    /// Creates a directory.
    #[doc(alias = "uv_fs_mkdir")]
    mkdir(name: impl AsRef<Path>, mode: u32) -> (), none, FsOp::Mkdir { path: path(name)?, mode };
    /// Creates a directory with a unique name: the `XXXXXX` at the end of `template` is replaced.
    #[doc(alias = "uv_fs_mkdtemp")]
    mkdtemp(template: impl AsRef<Path>) -> PathBuf, path_found, FsOp::Mkdtemp { template: path(template)? };
    /// Opens a directory for [`readdir`].
    #[doc(alias = "uv_fs_opendir")]
    opendir(name: impl AsRef<Path>) -> Dir, opened, FsOp::Opendir { path: path(name)? };
    /// Reads the target of a symbolic link.
    #[doc(alias = "uv_fs_readlink")]
    readlink(name: impl AsRef<Path>) -> PathBuf, path_found, FsOp::Readlink { path: path(name)? };
    /// The canonical absolute path, without symbolic links, `.` and `..`.
    #[doc(alias = "uv_fs_realpath")]
    realpath(name: impl AsRef<Path>) -> PathBuf, path_found, FsOp::Realpath { path: path(name)? };
    /// Renames a file or directory; replaces an existing `new`.
    #[doc(alias = "uv_fs_rename")]
    rename(old: impl AsRef<Path>, new: impl AsRef<Path>) -> (), none,
        FsOp::Rename { old: path(old)?, new: path(new)? };
    /// Removes an empty directory.
    #[doc(alias = "uv_fs_rmdir")]
    rmdir(name: impl AsRef<Path>) -> (), none, FsOp::Rmdir { path: path(name)? };
    /// All entries of a directory, sorted by name.
    #[doc(alias = "uv_fs_scandir")]
    scandir(name: impl AsRef<Path>) -> Vec<DirEntry>, entries, FsOp::Scandir { path: path(name)? };
    /// Reads the metadata of a file.
    #[doc(alias = "uv_fs_stat")]
    stat(name: impl AsRef<Path>) -> Metadata, metadata, FsOp::Stat { path: path(name)? };
    /// Reads the statistics of the file system that contains a file.
    #[doc(alias = "uv_fs_statfs")]
    statfs(name: impl AsRef<Path>) -> StatFs, file_system, FsOp::Statfs { path: path(name)? };
    /// Creates a symbolic link `name` to `target`.
    #[doc(alias = "uv_fs_symlink")]
    symlink(target: impl AsRef<Path>, name: impl AsRef<Path>) -> (), none,
        FsOp::Symlink { target: path(target)?, path: path(name)? };
    /// Removes a directory entry, and the file with its last entry.
    #[doc(alias = "uv_fs_unlink")]
    unlink(name: impl AsRef<Path>) -> (), none, FsOp::Unlink { path: path(name)? };
    /// Sets the access time and the modification time of a file.
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

/// Reads the next entries of a directory, at most `limit`; an empty result means the end. `then` gets the directory
/// back, also after an error; dropping it closes it.
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
