//! Operations on directory entries: creating, renaming, resolving and removing them. File contents are not touched
//! here.

use std::ffi::{CStr, CString, OsStr};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use rustix::fs::Mode;
use rustix::io::retry_on_intr;

use crate::{Errno, Result};

/// Creates a hard link.
#[doc(alias = "uv_fs_link")]
pub fn link(existing: &CStr, new: &CStr) -> Result<()> {
    Ok(retry_on_intr(|| rustix::fs::link(existing, new))?)
}

/// Creates the symbolic link `path` with the text `target`, which need not exist.
#[doc(alias = "uv_fs_symlink")]
pub fn symlink(target: &CStr, path: &CStr) -> Result<()> {
    Ok(retry_on_intr(|| rustix::fs::symlink(target, path))?)
}

/// The target text of a symbolic link, of any length. `EINVAL` if `path` is not a symbolic link.
#[doc(alias = "uv_fs_readlink")]
pub fn readlink(path: &CStr) -> Result<CString> {
    Ok(retry_on_intr(|| rustix::fs::readlink(path, Vec::new()))?)
}

/// The canonical absolute path of an existing file, with symbolic links, `.` and `..` resolved.
#[doc(alias = "uv_fs_realpath")]
pub fn realpath(path: &CStr) -> Result<CString> {
    loop {
        // The standard library calls the C library's `realpath(3)` with a null buffer, as libuv does, so the length is
        // not limited.
        match std::fs::canonicalize(OsStr::from_bytes(path.to_bytes())).map_err(Errno::from) {
            Err(Errno::EINTR) => {}
            found => return super::path(found?.into_os_string().into_vec()),
        }
    }
}

/// Renames a file or directory; replaces an existing `new`.
#[doc(alias = "uv_fs_rename")]
pub fn rename(old: &CStr, new: &CStr) -> Result<()> {
    Ok(retry_on_intr(|| rustix::fs::rename(old, new))?)
}

/// Removes a directory entry that is not a directory.
#[doc(alias = "uv_fs_unlink")]
pub fn unlink(path: &CStr) -> Result<()> {
    Ok(retry_on_intr(|| rustix::fs::unlink(path))?)
}

/// Creates a directory with this mode, less the process's umask.
#[doc(alias = "uv_fs_mkdir")]
pub fn mkdir(path: &CStr, mode: u32) -> Result<()> {
    Ok(retry_on_intr(|| rustix::fs::mkdir(path, Mode::from_bits_retain(mode)))?)
}

/// Removes an empty directory.
#[doc(alias = "uv_fs_rmdir")]
pub fn rmdir(path: &CStr) -> Result<()> {
    Ok(retry_on_intr(|| rustix::fs::rmdir(path))?)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::fixture::TempDir;
    use super::super::{lstat, stat};
    use super::*;

    #[test]
    fn a_hard_link_is_the_same_file() {
        let dir = TempDir::new();
        let (a, b) = (dir.file("a", "x"), dir.at("b"));
        link(&a, &b).unwrap();
        let (one, two) = (stat(&a).unwrap(), stat(&b).unwrap());
        assert_eq!((one.ino, one.nlink), (two.ino, 2));
        assert_eq!(link(&a, &b), Err(Errno::EEXIST));
        assert_eq!(link(&dir.at("none"), &dir.at("c")), Err(Errno::ENOENT));
        unlink(&a).unwrap();
        assert_eq!(stat(&b).unwrap().nlink, 1);
    }

    #[test]
    fn symbolic_links_of_any_length_are_read() {
        let dir = TempDir::new();
        for length in [1, 255, 256, 257, 1023, 1024, 4095] {
            let (text, name) = (CString::new(vec![b'x'; length]).unwrap(), dir.at(&length.to_string()));
            symlink(&text, &name).unwrap();
            assert_eq!(readlink(&name).unwrap(), text);
        }
        let too_long = CString::new(vec![b'x'; 4096]).unwrap();
        assert_eq!(symlink(&too_long, &dir.at("l")), Err(Errno::ENAMETOOLONG));
        assert_eq!(symlink(c"x", &dir.at("1")), Err(Errno::EEXIST));
        assert_eq!(readlink(&dir.file("f", "")), Err(Errno::EINVAL));
        assert_eq!(readlink(&dir.at("none")), Err(Errno::ENOENT));
        assert!(!readlink(c"/proc/self/exe").unwrap().is_empty(), "a link whose st_size is 0");
    }

    #[test]
    fn realpath_resolves_links_and_dots() {
        let dir = TempDir::new();
        let root = realpath(&dir.root_c()).unwrap();
        let mut deep = root.to_str().unwrap().to_owned();
        while deep.len() < 3500 {
            deep = format!("{deep}/{}", "d".repeat(200));
        }
        std::fs::create_dir_all(&deep).unwrap();
        symlink(&CString::new(deep.clone()).unwrap(), &dir.at("l")).unwrap();
        let found = realpath(&dir.at("l/.././/../l/."));
        assert_eq!(found, Err(Errno::ENOENT), "dots are resolved after the link is followed");
        assert_eq!(realpath(&dir.at("./l/.")).unwrap().to_str().unwrap(), deep);
        assert_eq!(realpath(c"/../..").unwrap().as_c_str(), c"/");
    }

    #[test]
    fn realpath_reports_missing_files_and_loops() {
        let dir = TempDir::new();
        symlink(c"b", &dir.at("a")).unwrap();
        symlink(c"a", &dir.at("b")).unwrap();
        dir.file("f", "");
        assert_eq!(realpath(&dir.at("a")), Err(Errno::ELOOP));
        assert_eq!(stat(&dir.at("a")).unwrap_err(), Errno::ELOOP);
        assert_eq!(realpath(&dir.at("none")), Err(Errno::ENOENT));
        assert_eq!(realpath(&dir.at("f/x")), Err(Errno::ENOTDIR));
        assert_eq!(realpath(c""), Err(Errno::ENOENT));
    }

    #[test]
    fn rename_replaces_files_and_refuses_nonempty_directories() {
        let dir = TempDir::new();
        let (a, b) = (dir.file("a", "new"), dir.file("b", "old"));
        rename(&a, &b).unwrap();
        assert_eq!(dir.content("b"), b"new");
        assert_eq!(rename(&a, &b), Err(Errno::ENOENT));
        mkdir(&dir.at("d"), 0o777).unwrap();
        mkdir(&dir.at("e"), 0o777).unwrap();
        dir.file("e/f", "");
        assert_eq!(rename(&dir.at("d"), &dir.at("e")), Err(Errno::ENOTEMPTY));
        assert_eq!(rename(&b, &dir.at("d")), Err(Errno::EISDIR));
        assert_eq!(rename(&dir.at("d"), &b), Err(Errno::ENOTDIR));
    }

    #[test]
    fn rename_and_link_do_not_cross_file_systems() {
        let (here, shm) = (TempDir::new(), Path::new("/dev/shm"));
        let other = match std::fs::metadata(shm) {
            Ok(_) => TempDir::below(shm),
            Err(_) => return,
        };
        let (from, to) = (here.file("f", "x"), other.at("f"));
        if stat(&from).unwrap().dev != stat(&other.root_c()).unwrap().dev {
            assert_eq!(rename(&from, &to), Err(Errno::EXDEV));
            assert_eq!(link(&from, &to), Err(Errno::EXDEV));
        }
    }

    #[test]
    fn directories_are_created_and_removed() {
        let dir = TempDir::new();
        let d = dir.at("d");
        mkdir(&d, 0o700).unwrap();
        assert_eq!(lstat(&d).unwrap().mode, u64::from(libc::S_IFDIR) | 0o700);
        assert_eq!(mkdir(&d, 0o700), Err(Errno::EEXIST));
        assert_eq!(mkdir(&dir.at("x/y"), 0o700), Err(Errno::ENOENT));
        let f = dir.file("d/f", "");
        assert_eq!(rmdir(&d), Err(Errno::ENOTEMPTY));
        assert_eq!(rmdir(&f), Err(Errno::ENOTDIR));
        assert_eq!(unlink(&d), Err(Errno::EISDIR));
        unlink(&f).unwrap();
        rmdir(&d).unwrap();
        assert_eq!(rmdir(&d), Err(Errno::ENOENT));
        assert_eq!(unlink(&f), Err(Errno::ENOENT));
    }
}
