//! Permissions and ownership: checking access, changing mode and owner.

use std::ffi::CStr;
use std::os::fd::RawFd;

use rustix::fs::{Access, AtFlags, CWD, Gid, Mode, Uid};
use rustix::io::retry_on_intr;

use crate::Result;
use crate::fd::borrow;

/// Checks whether the real user may access a file as `mode` (`F_OK`, `R_OK`, `W_OK`, `X_OK`) says. `EINVAL` for unknown
/// bits.
#[doc(alias = "uv_fs_access")]
pub fn access(path: &CStr, mode: i32) -> Result<()> {
    Ok(retry_on_intr(|| rustix::fs::access(path, Access::from_bits_retain(mode as u32)))?)
}

/// Sets the permission bits of a file; follows symbolic links.
#[doc(alias = "uv_fs_chmod")]
pub fn chmod(path: &CStr, mode: u32) -> Result<()> {
    Ok(retry_on_intr(|| rustix::fs::chmod(path, Mode::from_bits_retain(mode)))?)
}

/// Sets the permission bits of an open file.
#[doc(alias = "uv_fs_fchmod")]
pub fn fchmod(fd: RawFd, mode: u32) -> Result<()> {
    let fd = borrow(fd)?;
    Ok(retry_on_intr(|| rustix::fs::fchmod(fd, Mode::from_bits_retain(mode)))?)
}

/// Sets the owner and the group of a file; follows symbolic links. `u32::MAX` (-1 in C) leaves the id unchanged.
#[doc(alias = "uv_fs_chown")]
pub fn chown(path: &CStr, uid: u32, gid: u32) -> Result<()> {
    Ok(retry_on_intr(|| rustix::fs::chown(path, user(uid), group(gid)))?)
}

/// Sets the owner and the group of an open file. `u32::MAX` (-1 in C) leaves the id unchanged.
#[doc(alias = "uv_fs_fchown")]
pub fn fchown(fd: RawFd, uid: u32, gid: u32) -> Result<()> {
    let fd = borrow(fd)?;
    Ok(retry_on_intr(|| rustix::fs::fchown(fd, user(uid), group(gid)))?)
}

/// Sets the owner and the group of `path` itself, even if it is a symbolic link. `u32::MAX` (-1 in C) leaves the id
/// unchanged.
#[doc(alias = "uv_fs_lchown")]
pub fn lchown(path: &CStr, uid: u32, gid: u32) -> Result<()> {
    Ok(retry_on_intr(|| rustix::fs::chownat(CWD, path, user(uid), group(gid), AtFlags::SYMLINK_NOFOLLOW))?)
}

fn user(uid: u32) -> Option<Uid> {
    (uid != u32::MAX).then(|| Uid::from_raw(uid))
}

fn group(gid: u32) -> Option<Gid> {
    (gid != u32::MAX).then(|| Gid::from_raw(gid))
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;

    use super::super::fixture::TempDir;
    use super::super::{lstat, open, stat, symlink};
    use super::*;
    use crate::Errno;

    const KEEP: u32 = u32::MAX;

    #[test]
    fn access_checks_permissions_and_reports_errors() {
        let dir = TempDir::new();
        let file = dir.file("f", "x");
        assert_eq!(access(&file, libc::F_OK), Ok(()));
        assert_eq!(access(&file, libc::R_OK | libc::W_OK), Ok(()));
        chmod(&file, 0o644).unwrap();
        assert_eq!(access(&file, libc::X_OK), Err(Errno::EACCES), "root cannot execute a file without an execute bit");
        assert_eq!(access(&file, 0x100), Err(Errno::EINVAL));
        assert_eq!(access(&dir.at("none"), libc::F_OK), Err(Errno::ENOENT));
        assert_eq!(access(&dir.at("f/below"), libc::F_OK), Err(Errno::ENOTDIR));
    }

    #[test]
    fn modes_are_set_by_path_and_descriptor() {
        let dir = TempDir::new();
        let file = dir.file("f", "x");
        chmod(&file, 0o600).unwrap();
        assert_eq!(stat(&file).unwrap().mode & 0o7777, 0o600);
        let fd = open(&file, libc::O_RDONLY, 0).unwrap();
        fchmod(fd.as_raw_fd(), 0o4751).unwrap();
        assert_eq!(stat(&file).unwrap().mode & 0o7777, 0o4751);
        assert_eq!(chmod(&dir.at("none"), 0o600), Err(Errno::ENOENT));
        assert_eq!(fchmod(-1, 0o600), Err(Errno::EBADF));
    }

    #[test]
    fn owners_are_set_and_links_are_followed_or_not() {
        let dir = TempDir::new();
        let (file, name) = (dir.file("f", "x"), dir.at("l"));
        symlink(c"f", &name).unwrap();
        let fd = open(&file, libc::O_RDONLY, 0).unwrap();
        assert_eq!(chown(&file, KEEP, KEEP), Ok(()));
        assert_eq!(fchown(fd.as_raw_fd(), KEEP, KEEP), Ok(()));
        assert_eq!(lchown(&name, KEEP, KEEP), Ok(()));
        if !rustix::process::geteuid().is_root() {
            assert_eq!(chown(&file, 0, KEEP), Err(Errno::EPERM));
            return;
        }
        let owners = |s: super::super::Stat| (s.uid, s.gid);
        let before = owners(lstat(&name).unwrap());
        chown(&name, 41, 42).unwrap();
        assert_eq!(owners(stat(&file).unwrap()), (41, 42));
        assert_eq!(owners(lstat(&name).unwrap()), before);
        lchown(&name, 43, 44).unwrap();
        assert_eq!(owners(lstat(&name).unwrap()), (43, 44));
        fchown(fd.as_raw_fd(), KEEP, 45).unwrap();
        assert_eq!(owners(stat(&file).unwrap()), (41, 45));
    }

    #[test]
    fn changing_the_owner_of_a_missing_file_fails() {
        let dir = TempDir::new();
        assert_eq!(chown(&dir.at("none"), KEEP, KEEP), Err(Errno::ENOENT));
        assert_eq!(lchown(&dir.at("none"), KEEP, KEEP), Err(Errno::ENOENT));
        assert_eq!(fchown(-1, KEEP, KEEP), Err(Errno::EBADF));
    }
}
