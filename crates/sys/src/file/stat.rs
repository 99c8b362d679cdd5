//! Metadata of files (`stat(2)`, `statx(2)`) and of file systems (`statfs(2)`).

use std::ffi::CStr;
use std::os::fd::{BorrowedFd, RawFd};
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, CWD, FileType, Statx, StatxFlags, StatxTimestamp};
use rustix::io::retry_on_intr;

use super::FileKind;
use crate::fd::borrow;
use crate::{Errno, Result};

/// A time relative to the Unix epoch. The seconds are negative before 1970; the nanoseconds always count forward.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timespec {
    /// Seconds since the Unix epoch.
    pub sec: i64,
    /// Nanoseconds within the second.
    pub nsec: i64,
}

impl Timespec {
    /// Converts to a [`SystemTime`]; `None` if it cannot represent the time.
    pub fn system_time(self) -> Option<SystemTime> {
        let seconds = Duration::from_secs(self.sec.unsigned_abs());
        let second = match self.sec {
            0.. => SystemTime::UNIX_EPOCH.checked_add(seconds),
            _ => SystemTime::UNIX_EPOCH.checked_sub(seconds),
        };
        second?.checked_add(Duration::from_nanos(u64::try_from(self.nsec).ok()?))
    }
}

/// The metadata of a file: the fields of `uv_stat_t`, in its order.
#[doc(alias = "uv_stat_t")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stat {
    /// The id of the device that contains the file.
    pub dev: u64,
    /// File type and permission bits, as `st_mode`.
    pub mode: u64,
    /// The number of hard links.
    pub nlink: u64,
    /// The user id of the owner.
    pub uid: u64,
    /// The group id of the owner.
    pub gid: u64,
    /// The device id, if the file is a device.
    pub rdev: u64,
    /// The inode number.
    pub ino: u64,
    /// The length in bytes.
    pub size: u64,
    /// The preferred block size for I/O, in bytes.
    pub blksize: u64,
    /// The allocated size in units of 512 bytes.
    pub blocks: u64,
    /// `st_flags` of BSD. Always 0 on Linux.
    pub flags: u64,
    /// `st_gen` of BSD. Always 0 on Linux.
    pub generation: u64,
    /// The time of the last access.
    pub atime: Timespec,
    /// The time of the last change of the content.
    pub mtime: Timespec,
    /// The time of the last change of the content or the inode.
    pub ctime: Timespec,
    /// The time of creation. 0 if the file system does not record it; `ctime` if `statx(2)` is unavailable.
    pub birthtime: Timespec,
}

impl Stat {
    /// The file type, from the mode.
    pub fn kind(&self) -> FileKind {
        FileType::from_raw_mode(u32::try_from(self.mode).unwrap_or(0)).into()
    }
}

/// The statistics of a file system: the fields of `uv_statfs_t`.
#[doc(alias = "uv_statfs_t")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct StatFs {
    /// The magic number of the file system's type (`f_type`).
    pub fs_type: u64,
    /// The optimal transfer size in bytes.
    pub bsize: u64,
    /// The total number of blocks of `frsize` bytes.
    pub blocks: u64,
    /// The number of free blocks.
    pub bfree: u64,
    /// The number of free blocks for unprivileged users.
    pub bavail: u64,
    /// The total number of inodes.
    pub files: u64,
    /// The number of free inodes.
    pub ffree: u64,
    /// The block size in bytes.
    pub frsize: u64,
}

/// The metadata of a file; follows symbolic links.
#[doc(alias = "uv_fs_stat")]
pub fn stat(path: &CStr) -> Result<Stat> {
    stat_at(CWD, path, AtFlags::empty())
}

/// The metadata of `path` itself, even if it is a symbolic link.
#[doc(alias = "uv_fs_lstat")]
pub fn lstat(path: &CStr) -> Result<Stat> {
    stat_at(CWD, path, AtFlags::SYMLINK_NOFOLLOW)
}

/// The metadata of an open file.
#[doc(alias = "uv_fs_fstat")]
pub fn fstat(fd: RawFd) -> Result<Stat> {
    stat_at(borrow(fd)?, c"", AtFlags::EMPTY_PATH)
}

/// The statistics of the file system that contains `path`.
#[doc(alias = "uv_fs_statfs")]
pub fn statfs(path: &CStr) -> Result<StatFs> {
    let found = retry_on_intr(|| rustix::fs::statfs(path))?;
    Ok(StatFs {
        fs_type: found.f_type as u64,
        bsize: found.f_bsize as u64,
        blocks: found.f_blocks,
        bfree: found.f_bfree,
        bavail: found.f_bavail,
        files: found.f_files,
        ffree: found.f_ffree,
        frsize: found.f_frsize as u64,
    })
}

/// Reads metadata by `statx`, which reports the time of creation, as `src/unix/fs.c: uv__fs_statx`. Falls back to
/// `stat` if the kernel (`ENOSYS`, `EINVAL`), a seccomp filter (`EPERM`) or a network file system (`ENOTSUP`) refuses
/// `statx`. libuv never tries `statx` again after that; here each call tries it, since one such file should not cost
/// all others their time of creation.
fn stat_at(at: BorrowedFd<'_>, path: &CStr, flags: AtFlags) -> Result<Stat> {
    let mask = StatxFlags::BASIC_STATS | StatxFlags::BTIME;
    match retry_on_intr(|| rustix::fs::statx(at, path, flags, mask)).map_err(Errno::from) {
        Ok(found) => Ok(from_statx(&found)),
        Err(Errno::EINVAL | Errno::EPERM | Errno::ENOSYS | Errno::ENOTSUP) => stat_without_birthtime(at, path, flags),
        Err(error) => Err(error),
    }
}

fn stat_without_birthtime(at: BorrowedFd<'_>, path: &CStr, flags: AtFlags) -> Result<Stat> {
    let found = if flags == AtFlags::EMPTY_PATH {
        retry_on_intr(|| rustix::fs::fstat(at))?
    } else {
        retry_on_intr(|| rustix::fs::statat(at, path, flags))?
    };
    let ctime = Timespec { sec: found.st_ctime as i64, nsec: found.st_ctime_nsec as i64 };
    Ok(Stat {
        dev: found.st_dev,
        mode: u64::from(found.st_mode),
        // The types of `st_nlink` and `st_blksize` differ between architectures.
        #[allow(clippy::useless_conversion)]
        nlink: found.st_nlink.into(),
        uid: u64::from(found.st_uid),
        gid: u64::from(found.st_gid),
        rdev: found.st_rdev,
        ino: found.st_ino,
        size: found.st_size as u64,
        blksize: found.st_blksize as u64,
        blocks: found.st_blocks as u64,
        flags: 0,
        generation: 0,
        atime: Timespec { sec: found.st_atime as i64, nsec: found.st_atime_nsec as i64 },
        mtime: Timespec { sec: found.st_mtime as i64, nsec: found.st_mtime_nsec as i64 },
        ctime,
        birthtime: ctime,
    })
}

fn from_statx(found: &Statx) -> Stat {
    let time = |at: &StatxTimestamp| Timespec { sec: at.tv_sec, nsec: i64::from(at.tv_nsec) };
    Stat {
        dev: rustix::fs::makedev(found.stx_dev_major, found.stx_dev_minor),
        mode: u64::from(found.stx_mode),
        nlink: u64::from(found.stx_nlink),
        uid: u64::from(found.stx_uid),
        gid: u64::from(found.stx_gid),
        rdev: rustix::fs::makedev(found.stx_rdev_major, found.stx_rdev_minor),
        ino: found.stx_ino,
        size: found.stx_size,
        blksize: u64::from(found.stx_blksize),
        blocks: found.stx_blocks,
        flags: 0,
        generation: 0,
        atime: time(&found.stx_atime),
        mtime: time(&found.stx_mtime),
        ctime: time(&found.stx_ctime),
        birthtime: time(&found.stx_btime),
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::MetadataExt;

    use super::super::fixture::TempDir;
    use super::super::{open, symlink};
    use super::*;

    #[test]
    fn every_field_equals_that_of_the_standard_library() {
        let dir = TempDir::new();
        let path = dir.file("f", vec![1; 5000]);
        let (ours, std) = (stat(&path).unwrap(), std::fs::metadata(dir.root().join("f")).unwrap());
        assert_eq!((ours.dev, ours.rdev, ours.ino, ours.nlink), (std.dev(), std.rdev(), std.ino(), std.nlink()));
        assert_eq!((ours.mode, ours.uid, ours.gid), (std.mode().into(), std.uid().into(), std.gid().into()));
        assert_eq!((ours.size, ours.blksize, ours.blocks), (std.size(), std.blksize(), std.blocks()));
        assert_eq!((ours.atime.sec, ours.atime.nsec), (std.atime(), std.atime_nsec()));
        assert_eq!((ours.mtime.sec, ours.mtime.nsec), (std.mtime(), std.mtime_nsec()));
        assert_eq!((ours.ctime.sec, ours.ctime.nsec), (std.ctime(), std.ctime_nsec()));
        if let Ok(born) = std.created() {
            let born = born.duration_since(std::time::UNIX_EPOCH).unwrap();
            assert_eq!(ours.birthtime.sec as u64, born.as_secs());
            assert_eq!(ours.birthtime.nsec, i64::from(born.subsec_nanos()));
        }
        assert_eq!((ours.flags, ours.generation), (0, 0));
    }

    #[test]
    fn stat_follows_links_and_lstat_does_not() {
        let dir = TempDir::new();
        let (file, name) = (dir.file("f", "abc"), dir.at("l"));
        symlink(c"f", &name).unwrap();
        assert_eq!(stat(&name).unwrap(), stat(&file).unwrap());
        let itself = lstat(&name).unwrap();
        assert_eq!(itself.mode & u64::from(libc::S_IFMT), u64::from(libc::S_IFLNK));
        assert_eq!(itself.size, 1);
        let fd = open(&name, libc::O_RDONLY, 0).unwrap();
        assert_eq!(fstat(fd.as_raw_fd()).unwrap(), stat(&file).unwrap());
    }

    #[test]
    fn the_fallback_differs_only_in_birthtime() {
        let dir = TempDir::new();
        let (file, name) = (dir.file("f", "abc"), dir.at("l"));
        symlink(c"f", &name).unwrap();
        let fd = open(&file, libc::O_RDONLY, 0).unwrap();
        let cut = |stat: Stat| Stat { birthtime: stat.ctime, ..stat };
        let plain = |path: &CStr, flags| stat_without_birthtime(CWD, path, flags).unwrap();
        assert_eq!(plain(&name, AtFlags::empty()), cut(stat(&name).unwrap()));
        assert_eq!(plain(&name, AtFlags::SYMLINK_NOFOLLOW), cut(lstat(&name).unwrap()));
        let open = stat_without_birthtime(borrow(fd.as_raw_fd()).unwrap(), c"", AtFlags::EMPTY_PATH).unwrap();
        assert_eq!(open, cut(fstat(fd.as_raw_fd()).unwrap()));
    }

    #[test]
    fn a_device_has_its_device_number() {
        let null = stat(c"/dev/null").unwrap();
        assert_eq!(null.rdev, libc::makedev(1, 3));
        assert_eq!(null.mode & u64::from(libc::S_IFMT), u64::from(libc::S_IFCHR));
    }

    #[test]
    fn statfs_reports_plausible_numbers() {
        let dir = TempDir::new();
        let found = statfs(&dir.root_c()).unwrap();
        assert!(found.fs_type != 0 && found.bsize > 0 && found.frsize > 0 && found.blocks >= found.bfree);
        assert!(found.bfree >= found.bavail && found.files >= found.ffree);
        assert_eq!(statfs(c"/proc").unwrap().fs_type, libc::PROC_SUPER_MAGIC as u64);
        assert_eq!(statfs(&dir.at("none")), Err(Errno::ENOENT));
    }

    #[test]
    fn missing_files_and_invalid_descriptors_fail() {
        let dir = TempDir::new();
        dir.file("f", "");
        assert_eq!(stat(&dir.at("none")), Err(Errno::ENOENT));
        assert_eq!(lstat(&dir.at("f/x")), Err(Errno::ENOTDIR));
        assert_eq!(stat(c""), Err(Errno::ENOENT));
        assert_eq!(fstat(-1), Err(Errno::EBADF));
        assert_eq!(fstat(libc::AT_FDCWD), Err(Errno::EBADF));
        assert_eq!(fstat(1_000_000_000), Err(Errno::EBADF));
        let long = super::super::path("x".repeat(300)).unwrap();
        assert_eq!(stat(&long), Err(Errno::ENAMETOOLONG));
    }

    #[test]
    fn kinds_and_times_convert_to_std_types() {
        let dir = TempDir::new();
        dir.file("f", "");
        assert_eq!(stat(&dir.at("f")).unwrap().kind(), FileKind::File);
        assert_eq!(stat(&dir.at("")).unwrap().kind(), FileKind::Dir);
        assert_eq!(stat(c"/dev/null").unwrap().kind(), FileKind::Char);
        let modified = std::fs::metadata("/").unwrap().modified().unwrap();
        assert_eq!(stat(c"/").unwrap().mtime.system_time(), Some(modified));
        let half_before = SystemTime::UNIX_EPOCH - Duration::from_millis(500);
        assert_eq!(Timespec { sec: -1, nsec: 500_000_000 }.system_time(), Some(half_before));
        assert_eq!(Timespec { sec: 0, nsec: -1 }.system_time(), None);
        assert_eq!(Timespec { sec: i64::MAX, nsec: i64::MAX }.system_time(), None);
    }
}
