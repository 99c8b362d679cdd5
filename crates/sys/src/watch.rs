//! Watching files and directories: inotify.
//!
//! One [`Watcher`] holds many watches. The kernel knows a watch by the *inode*: watching the same file twice, under
//! whatever names, gives the same number both times, and one [`Watcher::remove`] ends it for all. Whoever lets several
//! handles watch one file has to count them per number. Which handle hears of a change is decided elsewhere.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, RawFd};

use rustix::fs::inotify::{self, CreateFlags, Reader, WatchFlags};

use crate::{Errno, Fd, Result};

/// How many changes one [`Watcher::read`] may bring before it leaves the rest for the next: as many as the kernel
/// queues by default. A directory that is written to without pause would otherwise never let go of the reader.
const BATCH: usize = 16 * 1024;

/// One change that was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The watch that saw it, as [`Watcher::add`] numbered it; -1 with [`Change::overflow`].
    pub wd: i32,
    /// The kernel's `IN_*` bits.
    pub mask: u32,
    /// The entry that changed in a watched directory. `None` when the change is of the watched thing itself.
    pub name: Option<Vec<u8>>,
}

impl Change {
    /// Bit of [`Change::kind`]: something appeared, went away or was renamed.
    #[doc(alias = "UV_RENAME")]
    pub const RENAME: i32 = 1;
    /// Bit of [`Change::kind`]: content or attributes are different.
    #[doc(alias = "UV_CHANGE")]
    pub const CHANGE: i32 = 2;

    /// What happened, in libuv's two words.
    ///
    /// As `uv__inotify_read`: every bit besides those of content and attributes counts as a rename. So new attributes
    /// of a *directory* are both, since the kernel marks directories with a bit of their own, and the end of a watch
    /// is a rename too.
    pub fn kind(&self) -> i32 {
        let content = libc::IN_ATTRIB | libc::IN_MODIFY;
        let change = if self.mask & content != 0 { Change::CHANGE } else { 0 };
        let rename = if self.mask & !content != 0 { Change::RENAME } else { 0 };
        change | rename
    }

    /// Whether the kernel's queue ran over: changes were lost, of any watch.
    pub fn overflow(&self) -> bool {
        self.mask & libc::IN_Q_OVERFLOW != 0
    }

    /// Whether the watch has ended (removed, or its file is gone or unmounted): no change will carry this number again,
    /// until the kernel gives it to a new watch.
    pub fn ignored(&self) -> bool {
        self.mask & libc::IN_IGNORED != 0
    }
}

/// An inotify instance, nonblocking and close-on-exec. Readable when changes wait.
#[derive(Debug)]
pub struct Watcher {
    inotify: Fd,
}

impl Watcher {
    /// A new instance. `EMFILE` when the user has too many.
    pub fn new() -> Result<Watcher> {
        let inotify = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?.into();
        Ok(Watcher { inotify })
    }

    /// Watches a file or directory, and returns the number of the watch: that of the inode, so the same one again for
    /// what is watched already. `ENOSPC` when the user has too many.
    pub fn add(&self, path: &CStr) -> Result<i32> {
        // As `uv_fs_event_start`.
        let interest = WatchFlags::ATTRIB
            | WatchFlags::CREATE
            | WatchFlags::MODIFY
            | WatchFlags::DELETE
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO;
        Ok(rustix::io::retry_on_intr(|| inotify::add_watch(&self.inotify, path, interest))?)
    }

    /// Ends a watch. Changes seen before may still be read, and then one that is [`Change::ignored`]. `EINVAL` if there
    /// is no such watch, also when the kernel ended it first.
    pub fn remove(&self, wd: i32) -> Result<()> {
        Ok(inotify::remove_watch(&self.inotify, wd)?)
    }

    /// Appends the waiting changes to `changes`, in order. None waiting is no error; what comes above a limit stays,
    /// and the descriptor stays readable. On an error `changes` has what was read before it.
    pub fn read(&self, changes: &mut Vec<Change>) -> Result<()> {
        let limit = changes.len().saturating_add(BATCH);
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut reader = Reader::new(&self.inotify, &mut buffer);
        // What is already in the buffer is out of the kernel's queue and must not be left.
        while changes.len() < limit || !reader.is_buffer_empty() {
            match reader.next() {
                Ok(event) => changes.push(Change {
                    wd: event.wd(),
                    mask: event.events().bits(),
                    name: event.file_name().map(|name| name.to_bytes().to_vec()),
                }),
                Err(errno) => match Errno::from(errno) {
                    Errno::EINTR => {}
                    Errno::EAGAIN => break,
                    other => return Err(other),
                },
            }
        }
        Ok(())
    }
}

impl AsRawFd for Watcher {
    fn as_raw_fd(&self) -> RawFd {
        self.inotify.as_raw_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CString;
    use std::fs;
    use std::os::unix::ffi::OsStrExt;
    use std::path::{Path, PathBuf};
    use std::sync::atomic::{AtomicU32, Ordering};

    /// A directory that goes away with the test.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new() -> Scratch {
            static NEXT: AtomicU32 = AtomicU32::new(0);
            let name = format!("phasor-watch-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
            let path = std::env::temp_dir().join(name);
            fs::create_dir(&path).unwrap();
            Scratch(path)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn c(path: &Path) -> CString {
        CString::new(path.as_os_str().as_bytes()).unwrap()
    }

    /// inotify queues a change before the call that made it returns, so nothing has to be waited for.
    fn seen(watcher: &Watcher) -> Vec<(i32, i32, Option<String>)> {
        let mut changes = Vec::new();
        watcher.read(&mut changes).unwrap();
        changes
            .into_iter()
            .map(|change| (change.wd, change.kind(), change.name.map(|name| String::from_utf8(name).unwrap())))
            .collect()
    }

    #[test]
    fn entries_of_a_directory_come_with_their_names() {
        let (scratch, watcher) = (Scratch::new(), Watcher::new().unwrap());
        let wd = watcher.add(&c(&scratch.0)).unwrap();
        assert_eq!(seen(&watcher), []);
        fs::write(scratch.0.join("a"), "text").unwrap();
        fs::rename(scratch.0.join("a"), scratch.0.join("b")).unwrap();
        fs::remove_file(scratch.0.join("b")).unwrap();
        let named = |kind, name: &str| (wd, kind, Some(name.to_owned()));
        assert_eq!(
            seen(&watcher),
            [
                named(Change::RENAME, "a"),
                named(Change::CHANGE, "a"),
                named(Change::RENAME, "a"),
                named(Change::RENAME, "b"),
                named(Change::RENAME, "b"),
            ]
        );
    }

    #[test]
    fn one_inode_is_one_watch() {
        let (scratch, watcher) = (Scratch::new(), Watcher::new().unwrap());
        let (file, link) = (scratch.0.join("file"), scratch.0.join("link"));
        fs::write(&file, "").unwrap();
        fs::hard_link(&file, &link).unwrap();
        let wd = watcher.add(&c(&file)).unwrap();
        assert_eq!(watcher.add(&c(&file)), Ok(wd));
        assert_eq!(watcher.add(&c(&link)), Ok(wd));
        fs::write(&link, "text").unwrap();
        assert_eq!(seen(&watcher), [(wd, Change::CHANGE, None)]);
    }

    #[test]
    fn a_file_that_goes_away_ends_its_watch() {
        let (scratch, watcher) = (Scratch::new(), Watcher::new().unwrap());
        let file = scratch.0.join("file");
        fs::write(&file, "").unwrap();
        let wd = watcher.add(&c(&file)).unwrap();
        fs::remove_file(&file).unwrap();
        let mut changes = Vec::new();
        watcher.read(&mut changes).unwrap();
        let kinds: Vec<_> = changes.iter().map(Change::kind).collect();
        assert_eq!(kinds, [Change::CHANGE, Change::RENAME, Change::RENAME], "attributes, deletion, end of the watch");
        assert!(changes[2].ignored() && !changes[1].ignored());
        assert_eq!(watcher.remove(wd), Err(Errno::EINVAL));
    }

    #[test]
    fn a_removed_watch_says_so_and_is_silent_then() {
        let (scratch, watcher) = (Scratch::new(), Watcher::new().unwrap());
        let wd = watcher.add(&c(&scratch.0)).unwrap();
        watcher.remove(wd).unwrap();
        fs::write(scratch.0.join("a"), "").unwrap();
        let mut changes = Vec::new();
        watcher.read(&mut changes).unwrap();
        assert_eq!(changes.len(), 1);
        assert!(changes[0].ignored() && changes[0].wd == wd && !changes[0].overflow());
    }

    #[test]
    fn attributes_of_a_directory_are_both_kinds() {
        let (scratch, watcher) = (Scratch::new(), Watcher::new().unwrap());
        let wd = watcher.add(&c(&scratch.0)).unwrap();
        fs::set_permissions(&scratch.0, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
        assert_eq!(seen(&watcher), [(wd, Change::RENAME | Change::CHANGE, None)]);
    }

    #[test]
    fn more_than_one_buffer_is_read_whole_and_in_order() {
        let (scratch, watcher) = (Scratch::new(), Watcher::new().unwrap());
        watcher.add(&c(&scratch.0)).unwrap();
        for i in 0..500 {
            fs::create_dir(scratch.0.join(format!("{i:0100}"))).unwrap();
        }
        let names: Vec<_> =
            seen(&watcher).into_iter().map(|(_, _, name)| name.unwrap().parse::<u32>().unwrap()).collect();
        assert!(names.iter().copied().eq(0..500), "{names:?}");
    }

    #[test]
    fn an_overflow_is_told() {
        let change = Change { wd: -1, mask: libc::IN_Q_OVERFLOW, name: None };
        assert!(change.overflow() && !change.ignored());
    }

    #[test]
    fn what_is_not_there_cannot_be_watched() {
        let watcher = Watcher::new().unwrap();
        assert_eq!(watcher.add(c"/nonexistent/file"), Err(Errno::ENOENT));
        assert_eq!(watcher.remove(12345), Err(Errno::EINVAL));
    }
}
