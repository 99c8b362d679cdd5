//! Watching files and directories: a thin layer over `inotify(7)`.
//!
//! One [`Watcher`] holds many watches. The kernel identifies a watch by the *inode*: watching one file twice, even by
//! different names, returns the same watch descriptor, and one [`Watcher::remove`] ends it for all. Callers that let
//! several handles watch one file must count them per watch descriptor. Dispatching changes to handles is not done
//! here.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, RawFd};

use rustix::fs::inotify::{self, CreateFlags, Reader, WatchFlags};

use crate::{Errno, Fd, Result};

/// The most changes that one [`Watcher::read`] returns: the kernel's default queue length (`max_queued_events`).
/// Without a limit, a directory that is written to without pause would keep the reader busy forever.
const BATCH: usize = 16 * 1024;

/// One change to a watched file or directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The watch descriptor, as [`Watcher::add`] returned it; -1 with [`Change::overflow`].
    pub wd: i32,
    /// The kernel's `IN_*` bits.
    pub mask: u32,
    /// The name of the entry that changed in a watched directory. `None` if the watched file or directory itself
    /// changed.
    pub name: Option<Vec<u8>>,
}

impl Change {
    /// Bit of [`Change::kind`]: an entry appeared, disappeared or was renamed.
    #[doc(alias = "UV_RENAME")]
    pub const RENAME: i32 = 1;
    /// Bit of [`Change::kind`]: content or attributes changed.
    #[doc(alias = "UV_CHANGE")]
    pub const CHANGE: i32 = 2;

    /// The change as libuv classifies it: [`Change::RENAME`], [`Change::CHANGE`] or both.
    ///
    /// As `src/unix/linux.c: uv__inotify_read`: every bit other than `IN_ATTRIB` and `IN_MODIFY` counts as a rename. So
    /// an attribute change of a *directory* is both, because the kernel adds `IN_ISDIR`; and the end of a watch
    /// (`IN_IGNORED`) is a rename.
    pub fn kind(&self) -> i32 {
        let content = libc::IN_ATTRIB | libc::IN_MODIFY;
        let change = if self.mask & content != 0 { Change::CHANGE } else { 0 };
        let rename = if self.mask & !content != 0 { Change::RENAME } else { 0 };
        change | rename
    }

    /// True if the kernel's queue overflowed: changes of any watch may be lost.
    pub fn overflow(&self) -> bool {
        self.mask & libc::IN_Q_OVERFLOW != 0
    }

    /// True if the watch has ended (removed, or its file was deleted or unmounted). No change has this watch descriptor
    /// afterwards until the kernel reuses it for a new watch.
    pub fn ignored(&self) -> bool {
        self.mask & libc::IN_IGNORED != 0
    }
}

/// An inotify instance, nonblocking and close-on-exec. Its descriptor is readable while changes are queued.
#[derive(Debug)]
pub struct Watcher {
    inotify: Fd,
}

impl Watcher {
    /// A new instance. `EMFILE` if the user has too many instances.
    pub fn new() -> Result<Watcher> {
        let inotify = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?.into();
        Ok(Watcher { inotify })
    }

    /// Watches a file or directory and returns the watch descriptor. An inode that is watched already returns the same
    /// one again. `ENOSPC` if the user has too many watches.
    pub fn add(&self, path: &CStr) -> Result<i32> {
        // The events are those that `src/unix/linux.c: uv_fs_event_start` watches.
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

    /// Ends a watch. Earlier changes may still be read, followed by one that is [`Change::ignored`]. `EINVAL` if there
    /// is no such watch, also if the kernel has ended it.
    pub fn remove(&self, wd: i32) -> Result<()> {
        Ok(inotify::remove_watch(&self.inotify, wd)?)
    }

    /// Appends the queued changes to `changes`, oldest first. Returns `Ok` if there are none. Beyond a limit of changes
    /// the rest stays queued and the descriptor stays readable. On an error, `changes` has the changes that were read
    /// before it.
    pub fn read(&self, changes: &mut Vec<Change>) -> Result<()> {
        let limit = changes.len().saturating_add(BATCH);
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut reader = Reader::new(&self.inotify, &mut buffer);
        // Changes in the buffer have left the kernel's queue, so all of them must be taken.
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

    /// A temporary directory that is removed on drop.
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

    /// Reads the queued changes. inotify queues a change before the system call that causes it returns, so the test
    /// does not have to wait.
    fn seen(watcher: &Watcher) -> Vec<(i32, i32, Option<String>)> {
        let mut changes = Vec::new();
        watcher.read(&mut changes).unwrap();
        changes
            .into_iter()
            .map(|change| (change.wd, change.kind(), change.name.map(|name| String::from_utf8(name).unwrap())))
            .collect()
    }

    #[test]
    fn changes_in_a_directory_have_the_names_of_the_entries() {
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
    fn deleting_a_file_ends_its_watch() {
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
    fn a_removed_watch_reports_only_that_it_is_ignored() {
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
    fn an_attribute_change_of_a_directory_is_both_kinds() {
        let (scratch, watcher) = (Scratch::new(), Watcher::new().unwrap());
        let wd = watcher.add(&c(&scratch.0)).unwrap();
        fs::set_permissions(&scratch.0, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
        assert_eq!(seen(&watcher), [(wd, Change::RENAME | Change::CHANGE, None)]);
    }

    #[test]
    fn more_changes_than_a_buffer_are_read_in_order() {
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
    fn a_queue_overflow_is_recognized() {
        let change = Change { wd: -1, mask: libc::IN_Q_OVERFLOW, name: None };
        assert!(change.overflow() && !change.ignored());
    }

    #[test]
    fn a_missing_file_cannot_be_watched() {
        let watcher = Watcher::new().unwrap();
        assert_eq!(watcher.add(c"/nonexistent/file"), Err(Errno::ENOENT));
        assert_eq!(watcher.remove(12345), Err(Errno::EINVAL));
    }
}
