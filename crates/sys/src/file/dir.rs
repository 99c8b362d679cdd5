//! Directories: listing all entries, or a limited number at a time. `.` and `..` are never listed.

use std::collections::VecDeque;
use std::ffi::{CStr, CString, OsStr};
use std::mem::MaybeUninit;
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt;

use rustix::fs::{FileType, RawDir};

use super::{close, open};
use crate::fd::borrow;
use crate::{Errno, Result};

/// The buffer size that the C library's `readdir(3)` uses for `getdents64`.
const BUFFER_BYTES: usize = 32 * 1024;

/// The type of the file that an entry names, with libuv's numbers.
#[doc(alias = "uv_dirent_type_t")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum FileKind {
    /// The file system does not report types in directories; `lstat` does.
    Unknown = 0,
    /// A regular file.
    File = 1,
    /// A directory.
    Dir = 2,
    /// A symbolic link.
    Link = 3,
    /// A named pipe.
    Fifo = 4,
    /// A socket.
    Socket = 5,
    /// A character device.
    Char = 6,
    /// A block device.
    Block = 7,
}

impl From<FileType> for FileKind {
    fn from(kind: FileType) -> FileKind {
        match kind {
            FileType::RegularFile => FileKind::File,
            FileType::Directory => FileKind::Dir,
            FileType::Symlink => FileKind::Link,
            FileType::Fifo => FileKind::Fifo,
            FileType::Socket => FileKind::Socket,
            FileType::CharacterDevice => FileKind::Char,
            FileType::BlockDevice => FileKind::Block,
            FileType::Unknown => FileKind::Unknown,
        }
    }
}

/// An entry of a directory.
#[doc(alias = "uv_dirent_t")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DirEntry {
    /// The file name, without the directory.
    pub name: CString,
    /// The type of the file.
    pub kind: FileKind,
}

impl DirEntry {
    /// The file name as an `OsStr`, for paths: `folder.join(entry.file_name())`.
    pub fn file_name(&self) -> &OsStr {
        OsStr::from_bytes(self.name.as_bytes())
    }
}

/// The value of [`Dir`]'s descriptor after it was closed.
const CLOSED: RawFd = -1;

/// An open directory. Dropping it closes it.
#[doc(alias = "uv_dir_t")]
#[derive(Debug)]
pub struct Dir {
    /// Owned. A number instead of an `Fd`, because [`close`] closes 0, 1 and 2 too and ignores that other code closed
    /// it.
    fd: RawFd,
    /// The types of the entries that were fetched from the kernel and not yet returned.
    kinds: VecDeque<FileKind>,
    /// The names of the fetched entries, each with its NUL; returned names are at the front.
    names: Vec<u8>,
    /// The offset of the first name that was not returned yet.
    next_name: usize,
}

/// All entries of a directory, sorted by the bytes of their names.
#[doc(alias = "uv_fs_scandir")]
pub fn scandir(path: &CStr) -> Result<Vec<DirEntry>> {
    let mut entries = Vec::new();
    list(path, |name, kind| entries.push(DirEntry { name: name.to_owned(), kind }))?;
    entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    Ok(entries)
}

/// Calls `take` with each entry of a directory, in the file system's order. Entries passed to `take` before an error
/// are not taken back.
pub fn list(path: &CStr, mut take: impl FnMut(&CStr, FileKind)) -> Result<()> {
    let dir = opendir(path)?;
    while fetch(dir.fd, &mut take)? {}
    Ok(())
}

/// Opens a directory for reading a limited number of entries at a time.
#[doc(alias = "uv_fs_opendir")]
pub fn opendir(path: &CStr) -> Result<Dir> {
    let fd = open(path, libc::O_RDONLY | libc::O_DIRECTORY | libc::O_NONBLOCK, 0)?;
    Ok(Dir { fd: fd.release(), kinds: VecDeque::new(), names: Vec::new(), next_name: 0 })
}

impl Dir {
    /// Closes the directory; never fails, as `src/unix/fs.c: uv__fs_closedir`. Afterwards reading returns the entries
    /// that were fetched before, then `EBADF`.
    #[doc(alias = "uv_fs_closedir")]
    pub fn close(&mut self) {
        let fd = std::mem::replace(&mut self.fd, CLOSED);
        if fd != CLOSED {
            let _ = close(fd);
        }
    }

    /// The next entries, at most `limit`, in the file system's order. An empty result means the end, unless `limit` is
    /// 0.
    #[doc(alias = "uv_fs_readdir")]
    pub fn read(&mut self, limit: usize) -> Result<Vec<DirEntry>> {
        let mut entries = Vec::new();
        self.read_each(limit, |name, kind| entries.push(DirEntry { name: name.to_owned(), kind }))?;
        Ok(entries)
    }

    /// [`Dir::read`] that calls `take` with each entry. On an error `take` was not called.
    pub fn read_each(&mut self, limit: usize, mut take: impl FnMut(&CStr, FileKind)) -> Result<()> {
        while self.kinds.len() < limit && self.refill()? {}
        for kind in self.kinds.drain(..limit.min(self.kinds.len())) {
            // Each type has a name, so this cannot fail.
            let Ok(name) = CStr::from_bytes_until_nul(&self.names[self.next_name..]) else { break };
            self.next_name += name.count_bytes() + 1;
            take(name, kind);
        }
        Ok(())
    }

    /// Fetches one buffer of entries. Returns false at the end of the directory.
    fn refill(&mut self) -> Result<bool> {
        self.names.drain(..self.next_name);
        self.next_name = 0;
        fetch(self.fd, |name, kind| {
            self.kinds.push_back(kind);
            self.names.extend_from_slice(name.to_bytes_with_nul());
        })
    }
}

/// Reads one buffer of entries by `getdents64`. Returns false at the end of the directory.
fn fetch(fd: RawFd, mut take: impl FnMut(&CStr, FileKind)) -> Result<bool> {
    let mut buffer = [MaybeUninit::uninit(); BUFFER_BYTES];
    let mut listing = RawDir::new(borrow(fd)?, &mut buffer);
    loop {
        match listing.next() {
            // A directory that was removed while open is at its end, as in the C library's `readdir(3)`.
            None | Some(Err(rustix::io::Errno::NOENT)) => return Ok(false),
            Some(Err(rustix::io::Errno::INTR)) => continue,
            Some(Err(error)) => return Err(Errno::from(error)),
            Some(Ok(entry)) => {
                let name = entry.file_name();
                if name != c"." && name != c".." {
                    take(name, entry.file_type().into());
                }
            }
        }
        if listing.is_buffer_empty() {
            return Ok(true);
        }
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        self.close();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::fixture::TempDir;
    use super::super::{mkdir, rmdir, symlink};
    use super::*;

    fn names(entries: &[DirEntry]) -> Vec<&str> {
        entries.iter().map(|entry| entry.name.to_str().unwrap()).collect()
    }

    #[test]
    fn entries_are_sorted_by_bytes_and_have_kinds() {
        let dir = TempDir::new();
        for name in ["b", "a", "B", "é", ".hidden", "a.1"] {
            dir.file(name, "");
        }
        mkdir(&dir.at("dir"), 0o700).unwrap();
        symlink(c"nowhere", &dir.at("link")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, dir.at("fifo"), rustix::fs::Mode::RUSR).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(dir.root().join("sock")).unwrap();
        let found = scandir(&dir.root_c()).unwrap();
        assert_eq!(names(&found), [".hidden", "B", "a", "a.1", "b", "dir", "fifo", "link", "sock", "é"]);
        let kind = |name: &str| found.iter().find(|e| e.name.to_str() == Ok(name)).unwrap().kind;
        // A file system that does not report types reports Unknown for all entries.
        if kind("a") != FileKind::Unknown {
            assert_eq!((kind("a"), kind("dir"), kind("link")), (FileKind::File, FileKind::Dir, FileKind::Link));
            assert_eq!((kind("fifo"), kind("sock")), (FileKind::Fifo, FileKind::Socket));
        }
        let devices = scandir(c"/dev").unwrap();
        let null = devices.iter().find(|entry| entry.name.as_c_str() == c"null").unwrap();
        assert_eq!(null.kind, FileKind::Char);
    }

    #[test]
    fn ten_thousand_entries_are_listed_whole_and_in_portions() {
        let dir = TempDir::new();
        for i in 0..10_000 {
            dir.file(&format!("{i:05}"), "");
        }
        let found = scandir(&dir.root_c()).unwrap();
        assert_eq!(found.len(), 10_000);
        assert!(found.iter().enumerate().all(|(i, entry)| entry.name.to_str() == Ok(&format!("{i:05}"))));

        let mut open = opendir(&dir.root_c()).unwrap();
        let mut seen = BTreeSet::new();
        loop {
            let some = open.read(37).unwrap();
            seen.extend(some.iter().map(|entry| entry.name.clone()));
            if some.len() < 37 {
                break;
            }
        }
        assert_eq!(open.read(37), Ok(vec![]), "reading after the end returns nothing");
        assert_eq!(seen, found.into_iter().map(|entry| entry.name).collect());
        open.close();
    }

    #[test]
    fn empty_and_removed_directories_have_no_entries() {
        let dir = TempDir::new();
        let path = dir.at("d");
        mkdir(&path, 0o700).unwrap();
        assert_eq!(scandir(&path), Ok(vec![]));
        let mut open = opendir(&path).unwrap();
        rmdir(&path).unwrap();
        assert_eq!(open.read(1), Ok(vec![]));
    }

    #[test]
    fn files_and_missing_paths_are_refused() {
        let dir = TempDir::new();
        let file = dir.file("f", "");
        assert_eq!(scandir(&file), Err(Errno::ENOTDIR));
        assert_eq!(scandir(&dir.at("none")), Err(Errno::ENOENT));
        assert_eq!(opendir(&file).unwrap_err(), Errno::ENOTDIR);
        assert_eq!(opendir(&dir.at("none")).unwrap_err(), Errno::ENOENT);
    }

    #[test]
    fn a_directory_moves_between_threads() {
        let dir = TempDir::new();
        dir.file("f", "");
        let mut open = opendir(&dir.root_c()).unwrap();
        let read = std::thread::spawn(move || open.read(10)).join().unwrap().unwrap();
        assert_eq!(names(&read), ["f"]);
        let mut stranger = opendir(&dir.root_c()).unwrap();
        assert_eq!(stranger.read(0), Ok(vec![]));
        assert_eq!(names(&stranger.read(1).unwrap()), ["f"]);
    }
}
