//! Copying a file by path, with its mode, owner and times.

use std::ffi::CStr;
use std::os::fd::RawFd;

use rustix::fs::{Timespec, Timestamps};
use rustix::io::retry_on_intr;

use super::send::is_smb;
use super::{MAX_IO_BYTES, Stat, close, fchmod, fchown, fstat, ftruncate, open, sendfile, unlink};
use crate::fd::borrow;
use crate::{Errno, Result};

/// Fail with `EEXIST` if the target exists.
#[doc(alias = "UV_FS_COPYFILE_EXCL")]
pub const COPYFILE_EXCL: u32 = 1;
/// Share the blocks (copy-on-write clone) if the file system supports it, else copy.
#[doc(alias = "UV_FS_COPYFILE_FICLONE")]
pub const COPYFILE_FICLONE: u32 = 2;
/// Share the blocks or fail.
#[doc(alias = "UV_FS_COPYFILE_FICLONE_FORCE")]
pub const COPYFILE_FICLONE_FORCE: u32 = 4;

/// Copies `from` to `to`, replacing its content. `flags` is a combination of the `COPYFILE_*` bits; other bits are
/// `EINVAL`.
///
/// As `src/unix/fs.c: uv__fs_copyfile`: the mode is copied, owner and times are copied if that is allowed; copying a
/// file onto itself does nothing and succeeds; after a failure the target is removed, unless it could not be opened. If
/// the source shrinks during the copy, the copy ends; libuv would loop for ever.
#[doc(alias = "uv_fs_copyfile")]
pub fn copyfile(from: &CStr, to: &CStr, flags: u32) -> Result<()> {
    if flags & !(COPYFILE_EXCL | COPYFILE_FICLONE | COPYFILE_FICLONE_FORCE) != 0 {
        return Err(Errno::EINVAL);
    }
    // Numbers instead of `Fd`: closing is a step whose failure is reported, and these are closed even if they are 0, 1
    // or 2.
    let source = open(from, libc::O_RDONLY, 0)?.release();
    let (found, target) = match open_target(source, to, flags) {
        Ok(opened) => opened,
        Err(error) => {
            let _ = close(source);
            return Err(error);
        }
    };
    let done = copy_open(source, &found, target, flags).and(close(source));
    let done = done.and(close(target));
    if done.is_err() {
        let _ = unlink(to);
    }
    done
}

fn open_target(source: RawFd, to: &CStr, flags: u32) -> Result<(Stat, RawFd)> {
    let found = fstat(source)?;
    let exclusive = if flags & COPYFILE_EXCL != 0 { libc::O_EXCL } else { 0 };
    let target = open(to, libc::O_WRONLY | libc::O_CREAT | exclusive, found.mode as u32)?;
    Ok((found, target.release()))
}

fn copy_open(source: RawFd, found: &Stat, target: RawFd, flags: u32) -> Result<()> {
    if flags & COPYFILE_EXCL == 0 {
        let before = fstat(target)?;
        if (before.dev, before.ino) == (found.dev, found.ino) {
            return Ok(());
        }
        match ftruncate(target, 0) {
            // ceph-fuse refuses to truncate a new read-only file; an empty file does not have to be truncated.
            Err(Errno::EACCES) if before.size == 0 => {}
            cut => cut?,
        }
    }
    copy_attributes(found, target)?;
    if flags & (COPYFILE_FICLONE | COPYFILE_FICLONE_FORCE) != 0 {
        let (source, target) = (borrow(source)?, borrow(target)?);
        match retry_on_intr(|| rustix::fs::ioctl_ficlone(target, source)) {
            Ok(()) => return Ok(()),
            Err(error) if flags & COPYFILE_FICLONE_FORCE != 0 => return Err(error.into()),
            Err(_) => {}
        }
    }
    copy_content(source, found.size, target)
}

/// Copies owner, times and mode. Errors for owner and times are ignored, as in `cp -p`; the mode must succeed, except
/// on SMB shares, which refuse it.
fn copy_attributes(found: &Stat, target: RawFd) -> Result<()> {
    let fd = borrow(target)?;
    let time = |at: super::Timespec| Timespec { tv_sec: at.sec, tv_nsec: at.nsec };
    let times = Timestamps { last_access: time(found.atime), last_modification: time(found.mtime) };
    let _ = retry_on_intr(|| rustix::fs::futimens(fd, &times));
    let _ = fchown(target, found.uid as u32, found.gid as u32);
    match fchmod(target, found.mode as u32) {
        Err(Errno::EPERM) if is_smb(fd) => Ok(()),
        result => result,
    }
}

fn copy_content(source: RawFd, size: u64, target: RawFd) -> Result<()> {
    let mut copied = 0;
    while copied < size {
        let chunk = usize::try_from(size - copied).unwrap_or(MAX_IO_BYTES).min(MAX_IO_BYTES);
        match sendfile(target, source, copied, chunk)? {
            0 => break,
            sent => copied += sent as u64,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::{Seek, SeekFrom, Write};
    use std::path::Path;

    use super::super::fixture::TempDir;
    use super::super::{access, chmod, link, mkdir, stat, symlink, utime};
    use super::*;

    fn exists(path: &CStr) -> bool {
        access(path, libc::F_OK).is_ok()
    }

    #[test]
    fn content_and_attributes_of_a_large_file_are_copied() {
        let dir = TempDir::new();
        let bytes: Vec<u8> = (0..5_000_003_u32).map(|i| (i ^ (i >> 8)) as u8).collect();
        let (from, to) = (dir.file("from", &bytes), dir.file("to", vec![0; 9_000_000]));
        chmod(&from, 0o751).unwrap();
        utime(&from, 1000.5, 2000.25).unwrap();
        copyfile(&from, &to, 0).unwrap();
        assert!(dir.content("to") == bytes, "longer old content is truncated");
        assert_eq!(stat(&to).unwrap().mode & 0o7777, 0o751);
        copyfile(&from, &dir.at("new"), COPYFILE_EXCL | COPYFILE_FICLONE).unwrap();
        assert!(dir.content("new") == bytes);
        assert_eq!(stat(&dir.at("new")).unwrap().mode & 0o7777, 0o751);
    }

    #[test]
    fn the_times_of_an_empty_file_are_copied() {
        let dir = TempDir::new();
        let (from, to) = (dir.file("from", ""), dir.at("to"));
        utime(&from, 1000.5, 2000.25).unwrap();
        copyfile(&from, &to, 0).unwrap();
        let (old, new) = (stat(&from).unwrap(), stat(&to).unwrap());
        assert_eq!((new.size, new.mode, new.mtime), (0, old.mode, old.mtime));
        assert_eq!((new.mtime.sec, new.mtime.nsec), (2000, 250_000_000));
    }

    #[test]
    fn holes_are_copied_as_zeros() {
        let dir = TempDir::new();
        let mut file = std::fs::File::create(dir.root().join("from")).unwrap();
        file.write_all(b"head").unwrap();
        file.seek(SeekFrom::Start(8_000_000)).unwrap();
        file.write_all(b"tail").unwrap();
        drop(file);
        copyfile(&dir.at("from"), &dir.at("to"), 0).unwrap();
        let copy = dir.content("to");
        assert_eq!((copy.len(), &copy[..4], &copy[8_000_000..]), (8_000_004, b"head".as_slice(), b"tail".as_slice()));
        assert!(copy[4..8_000_000].iter().all(|&byte| byte == 0));
    }

    #[test]
    fn copying_a_file_onto_itself_does_nothing() {
        let dir = TempDir::new();
        let (file, second, soft) = (dir.file("f", "kept"), dir.at("second"), dir.at("soft"));
        link(&file, &second).unwrap();
        symlink(c"f", &soft).unwrap();
        for to in [&file, &second, &soft] {
            assert_eq!(copyfile(&file, to, 0), Ok(()));
            assert_eq!(dir.content("f"), b"kept");
        }
        assert_eq!(copyfile(&file, &file, COPYFILE_EXCL), Err(Errno::EEXIST));
        assert_eq!(dir.content("f"), b"kept");
    }

    #[test]
    fn copyfile_excl_refuses_an_existing_target() {
        let dir = TempDir::new();
        let (from, to) = (dir.file("from", "new"), dir.file("to", "old"));
        assert_eq!(copyfile(&from, &to, COPYFILE_EXCL), Err(Errno::EEXIST));
        assert_eq!(dir.content("to"), b"old");
    }

    #[test]
    fn ficlone_force_shares_blocks_or_fails() {
        let dir = TempDir::new();
        let (from, to) = (dir.file("from", "x"), dir.at("to"));
        match copyfile(&from, &to, COPYFILE_FICLONE_FORCE) {
            Ok(()) => assert_eq!(dir.content("to"), b"x"),
            Err(error) => {
                assert!([Errno::ENOTSUP, Errno::ENOTTY, Errno::ENOSYS, Errno::EINVAL].contains(&error), "{error:?}");
                assert!(!exists(&to), "the target is removed after a failure");
            }
        }
        assert_eq!(copyfile(&from, &to, COPYFILE_FICLONE), Ok(()));
        assert_eq!(dir.content("to"), b"x");
    }

    #[test]
    fn failed_copies_leave_no_target() {
        let dir = TempDir::new();
        mkdir(&dir.at("d"), 0o700).unwrap();
        let (file, to) = (dir.file("f", "x"), dir.at("to"));
        assert_eq!(copyfile(&dir.at("none"), &to, 0), Err(Errno::ENOENT));
        assert_eq!(copyfile(&dir.at("f/x"), &to, 0), Err(Errno::ENOTDIR));
        assert_eq!(copyfile(&dir.at("d"), &to, 0), Err(Errno::EISDIR));
        assert!(!exists(&to));
        assert_eq!(copyfile(&file, &dir.at("d"), 0), Err(Errno::EISDIR));
        assert_eq!(copyfile(&file, &dir.at("none/to"), 0), Err(Errno::ENOENT));
        assert_eq!(copyfile(&file, &to, 8), Err(Errno::EINVAL));
    }

    #[test]
    fn files_are_copied_across_file_systems() {
        let shm = Path::new("/dev/shm");
        if !shm.exists() {
            return;
        }
        let (here, there) = (TempDir::new(), TempDir::below(shm));
        let bytes = vec![9; 3_000_000];
        copyfile(&here.file("f", &bytes), &there.at("f"), 0).unwrap();
        assert!(there.content("f") == bytes);
    }
}
