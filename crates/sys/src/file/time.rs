//! Setting a file's times. Times are seconds since the Unix epoch with a fraction, as in libuv and Node.

use std::ffi::CStr;
use std::os::fd::RawFd;

use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_NOW, UTIME_OMIT};
use rustix::io::retry_on_intr;

use crate::Result;
use crate::fd::borrow;

/// Sets the access and modification time of a file; follows symbolic links. NaN leaves a time unchanged; an infinity
/// means now.
#[doc(alias = "uv_fs_utime")]
pub fn utime(path: &CStr, atime_s: f64, mtime_s: f64) -> Result<()> {
    let times = timestamps(atime_s, mtime_s);
    Ok(retry_on_intr(|| rustix::fs::utimensat(CWD, path, &times, AtFlags::empty()))?)
}

/// [`utime`] for an open file.
#[doc(alias = "uv_fs_futime")]
pub fn futime(fd: RawFd, atime_s: f64, mtime_s: f64) -> Result<()> {
    let (fd, times) = (borrow(fd)?, timestamps(atime_s, mtime_s));
    Ok(retry_on_intr(|| rustix::fs::futimens(fd, &times))?)
}

/// [`utime`] for `path` itself, even if it is a symbolic link.
#[doc(alias = "uv_fs_lutime")]
pub fn lutime(path: &CStr, atime_s: f64, mtime_s: f64) -> Result<()> {
    let times = timestamps(atime_s, mtime_s);
    Ok(retry_on_intr(|| rustix::fs::utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW))?)
}

fn timestamps(atime_s: f64, mtime_s: f64) -> Timestamps {
    Timestamps { last_access: timespec(atime_s), last_modification: timespec(mtime_s) }
}

/// Converts seconds as `src/unix/fs.c: uv__fs_to_timespec`: the fraction is truncated, not rounded, and counts forward
/// from the second below.
///
/// A time that no file system can store becomes nanoseconds that the kernel refuses with `EINVAL`.
fn timespec(seconds: f64) -> Timespec {
    if seconds.is_infinite() {
        return Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
    }
    if seconds.is_nan() {
        return Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT };
    }
    let tv_sec = seconds as i64;
    let tv_nsec = ((seconds - tv_sec as f64) * 1e9) as i64;
    if tv_nsec < 0 {
        return Timespec { tv_sec: tv_sec.saturating_sub(1), tv_nsec: tv_nsec + 1_000_000_000 };
    }
    Timespec { tv_sec, tv_nsec }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;

    use super::super::fixture::TempDir;
    use super::super::{Stat, fstat, lstat, open, stat, symlink};
    use super::*;
    use crate::Errno;

    fn times(stat: Stat) -> [(i64, i64); 2] {
        [(stat.atime.sec, stat.atime.nsec), (stat.mtime.sec, stat.mtime.nsec)]
    }

    #[test]
    fn fractions_and_times_before_the_epoch() {
        let dir = TempDir::new();
        let file = dir.file("f", "");
        utime(&file, 400_497_753.25, 1_700_000_000.5).unwrap();
        assert_eq!(times(stat(&file).unwrap()), [(400_497_753, 250_000_000), (1_700_000_000, 500_000_000)]);
        utime(&file, -1.25, -14_245_440.0).unwrap();
        assert_eq!(times(stat(&file).unwrap()), [(-2, 750_000_000), (-14_245_440, 0)]);
        utime(&file, -0.5, 0.0).unwrap();
        assert_eq!(times(stat(&file).unwrap()), [(-1, 500_000_000), (0, 0)]);
    }

    #[test]
    fn nan_leaves_a_time_and_infinity_means_now() {
        let dir = TempDir::new();
        let file = dir.file("f", "");
        utime(&file, 1000.0, 2000.0).unwrap();
        utime(&file, f64::NAN, 3000.0).unwrap();
        assert_eq!(times(stat(&file).unwrap()), [(1000, 0), (3000, 0)]);
        utime(&file, f64::INFINITY, f64::NAN).unwrap();
        let [(atime, _), mtime] = times(stat(&file).unwrap());
        assert!(atime > 1_600_000_000);
        assert_eq!(mtime, (3000, 0));
        utime(&file, f64::NAN, f64::NEG_INFINITY).unwrap();
        assert!(times(stat(&file).unwrap())[1].0 > 1_600_000_000);
    }

    #[test]
    fn times_are_set_by_descriptor_and_on_links() {
        let dir = TempDir::new();
        let (file, name) = (dir.file("f", ""), dir.at("l"));
        symlink(c"f", &name).unwrap();
        let fd = open(&file, libc::O_RDWR, 0).unwrap();
        futime(fd.as_raw_fd(), 10.0, 20.0).unwrap();
        assert_eq!(times(fstat(fd.as_raw_fd()).unwrap()), [(10, 0), (20, 0)]);
        lutime(&name, 30.0, 40.0).unwrap();
        assert_eq!(times(lstat(&name).unwrap()), [(30, 0), (40, 0)]);
        assert_eq!(times(stat(&name).unwrap()), [(10, 0), (20, 0)]);
        utime(&name, 50.0, 60.0).unwrap();
        assert_eq!(times(stat(&file).unwrap()), [(50, 0), (60, 0)]);
    }

    #[test]
    fn times_out_of_range_are_refused() {
        let dir = TempDir::new();
        let file = dir.file("f", "");
        for vast in [1e300, -1e300, f64::MAX, f64::MIN] {
            assert_eq!(utime(&file, vast, 0.0), Err(Errno::EINVAL), "{vast}");
        }
        assert_eq!(utime(&dir.at("none"), 0.0, 0.0), Err(Errno::ENOENT));
        assert_eq!(lutime(&dir.at("none"), 0.0, 0.0), Err(Errno::ENOENT));
        assert_eq!(futime(-1, 0.0, 0.0), Err(Errno::EBADF));
    }
}
