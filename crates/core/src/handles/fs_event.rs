//! File event handles: changes of files and directories, reported by inotify. The module `fs_poll` is for file systems
//! that do not report changes.
//!
//! # Ground rules
//! - A loop has one inotify instance, created by the first start. The kernel identifies watches by inode, so handles
//!   that watch the same file share a watch descriptor; the last handle to stop removes the watch.
//! - A change is reported to each handle that is watching at the time of the report. A handle that a callback stopped,
//!   closed or restarted does not receive the current change; the loop recognizes it by its order number.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ffi::{CStr, CString, OsStr};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;

use phasor_sys::watch::{Change, Watcher};
use phasor_sys::{Errno, Result};

use super::{HandleBody, HandleId};
use crate::event::Event;
use crate::face::Face;
use crate::platform::{INOTIFY, Readiness};
use crate::state::Loop;

/// The most reads for one readiness. libuv reads until nothing is left (`src/unix/linux.c: uv__inotify_read`), so a
/// callback that changes the file it watches blocks its loop forever.
const READS: u32 = 32;

/// A number that is not a valid watch descriptor.
const NO_WATCH: i32 = -1;

/// A change that a file event handle reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FsChange {
    /// [`FsChange::RENAME`], [`FsChange::CHANGE`] or both.
    pub kind: i32,
    /// The entry that changed in a watched directory, otherwise the last component of the watched path. Always present
    /// on Linux.
    pub name: Option<Vec<u8>>,
}

impl FsChange {
    /// An entry was created, removed or renamed, or the watch has ended.
    #[doc(alias = "UV_RENAME")]
    pub const RENAME: i32 = Change::RENAME;
    /// The content or the attributes have changed.
    #[doc(alias = "UV_CHANGE")]
    pub const CHANGE: i32 = Change::CHANGE;

    /// The name as part of a path.
    pub fn file_name(&self) -> Option<&OsStr> {
        self.name.as_deref().map(OsStr::from_bytes)
    }
}

/// The state of a started file event handle.
pub(crate) struct FsEvent {
    path: CString,
    /// The watch descriptor.
    wd: i32,
    /// The position of the handle among the handles that share the watch.
    order: u64,
}

/// Per-loop state of the file event handles.
#[derive(Default)]
pub(crate) struct FsEvents {
    watcher: Option<Watcher>,
    /// The handles of each watch, in their order. As in libuv's list, a handle moves to the end when it starts and
    /// whenever a change is reported to it.
    watches: HashMap<i32, BTreeMap<u64, HandleId>>,
    /// The next order number.
    next_order: u64,
    /// Changes that were read and not reported, oldest first.
    changes: VecDeque<Change>,
    /// How many more reads this readiness allows.
    reads_left: u32,
    /// The change that is being reported, and the first order number that does not receive it.
    current: Option<(Change, u64)>,
}

impl FsEvents {
    /// Adds a handle at the end of the order.
    fn append_sharer(&mut self, wd: i32, id: HandleId) -> u64 {
        let order = self.next_order;
        self.next_order += 1;
        self.watches.entry(wd).or_default().insert(order, id);
        order
    }

    /// Begins to handle a readiness.
    pub(crate) fn begin(&mut self) {
        self.reads_left = READS;
    }

    /// The next change. Changes that callbacks cause are reported in the same phase (`src/unix/linux.c:
    /// uv__inotify_read`).
    fn pop(&mut self) -> Option<Change> {
        if self.changes.is_empty() && self.reads_left > 0 {
            self.reads_left -= 1;
            self.read();
        }
        self.changes.pop_front()
    }

    /// Reads changes. After an error the changes that were read before are kept.
    fn read(&mut self) {
        let mut changes = Vec::new();
        if let Some(watcher) = &self.watcher {
            let _ = watcher.read(&mut changes);
        }
        self.changes.extend(changes);
    }
}

impl<F: Face> Loop<F> {
    /// Opens a file event handle.
    #[doc(alias = "uv_fs_event_init")]
    pub fn fs_event_open(&mut self, face: F::Handle) -> HandleId {
        self.open(HandleBody::FsEvent(None), face)
    }

    /// Starts reporting changes of a file, or of a directory and its entries, but not of subdirectories. libuv ignores
    /// its `uv_fs_event_flags` on Linux, so this function has no flags.
    ///
    /// `EINVAL` if the handle is started, and the errors of `inotify_add_watch`.
    #[doc(alias = "uv_fs_event_start")]
    pub fn fs_event_start(&mut self, id: HandleId, path: &CStr) -> Result<()> {
        let HandleBody::FsEvent(state) = &self.handles.open_mut(id)?.body else { return Err(Errno::EBADF) };
        if state.is_some() {
            return Err(Errno::EINVAL);
        }
        let wd = self.fs_event_watcher()?.add(path)?;
        let order = self.fs_events.append_sharer(wd, id);
        if let HandleBody::FsEvent(state) = &mut self.handles.get_mut(id)?.body {
            *state = Some(Box::new(FsEvent { path: path.to_owned(), wd, order }));
        }
        self.activate(id);
        Ok(())
    }

    /// The loop's inotify instance. The first call creates and watches it.
    fn fs_event_watcher(&mut self) -> Result<&Watcher> {
        if self.fs_events.watcher.is_none() {
            let watcher = Watcher::new()?;
            self.platform.watch(watcher.as_raw_fd(), INOTIFY, Readiness::READABLE)?;
            self.fs_events.watcher = Some(watcher);
        }
        self.fs_events.watcher.as_ref().ok_or(Errno::EBADF)
    }

    /// Called in a child of `fork`: watches the same paths with a new instance. A path that does not exist any more is
    /// an error; its handle stays started and receives nothing.
    pub(crate) fn fs_events_renew(&mut self) -> Result<()> {
        self.fs_events.changes.clear();
        self.fs_events.current = None;
        if self.fs_events.watcher.take().is_none() {
            return Ok(());
        }
        let watches = std::mem::take(&mut self.fs_events.watches);
        let mut result = Ok(());
        for (order, id) in watches.into_values().flatten() {
            let wd = self.fs_event_path(id).map(CStr::to_owned).and_then(|path| self.fs_event_watcher()?.add(&path));
            result = result.and(wd.map(drop));
            if let HandleBody::FsEvent(Some(state)) = &mut self.handles.get_mut(id)?.body {
                state.wd = wd.unwrap_or(NO_WATCH);
            }
            if let Ok(wd) = wd {
                self.fs_events.watches.entry(wd).or_default().insert(order, id);
            }
        }
        result
    }

    /// Stops a file event handle. Does nothing if it is stopped.
    #[doc(alias = "uv_fs_event_stop")]
    pub fn fs_event_stop(&mut self, id: HandleId) -> Result<()> {
        let HandleBody::FsEvent(_) = self.handles.get(id)?.body else { return Err(Errno::EBADF) };
        self.fs_event_end(id);
        Ok(())
    }

    /// The path with which the handle was started. `EINVAL` if it is stopped.
    #[doc(alias = "uv_fs_event_getpath")]
    pub fn fs_event_path(&self, id: HandleId) -> Result<&CStr> {
        match &self.handles.get(id)?.body {
            HandleBody::FsEvent(Some(state)) => Ok(&state.path),
            HandleBody::FsEvent(None) => Err(Errno::EINVAL),
            _ => Err(Errno::EBADF),
        }
    }

    pub(crate) fn fs_event_end(&mut self, id: HandleId) {
        let Ok(handle) = self.handles.get_mut(id) else { return };
        let HandleBody::FsEvent(state) = &mut handle.body else { return };
        let Some(state) = state.take() else { return };
        if let Some(sharers) = self.fs_events.watches.get_mut(&state.wd) {
            sharers.remove(&state.order);
            if sharers.is_empty() {
                self.fs_events.watches.remove(&state.wd);
                if let Some(watcher) = &self.fs_events.watcher {
                    // The call fails if the kernel has removed the watch, because the file is gone.
                    let _ = watcher.remove(state.wd);
                }
            }
        }
        self.deactivate(id);
    }

    /// The next event: one change after the other, each for all handles of its watch (`src/unix/linux.c:
    /// uv__inotify_read`).
    pub(crate) fn next_fs_event(&mut self) -> Option<Event<F>> {
        loop {
            if let Some((change, limit)) = &self.fs_events.current
                && let Some(sharers) = self.fs_events.watches.get_mut(&change.wd)
                && let Some(first) = sharers.first_entry()
                && first.key() < limit
            {
                let (id, name, kind) = (first.remove(), change.name.clone(), change.kind());
                let wd = change.wd;
                let order = self.fs_events.append_sharer(wd, id);
                let Ok(HandleBody::FsEvent(Some(state))) = self.handles.get_mut(id).map(|handle| &mut handle.body)
                else {
                    continue;
                };
                state.order = order;
                let name = name.unwrap_or_else(|| basename(&state.path).to_vec());
                return Some(Event::FsEvent(id, FsChange { kind, name: Some(name) }));
            }
            self.fs_events.current = None;
            let change = self.fs_events.pop()?;
            // Two kinds of changes have no handles: a late change of a removed watch, and an overflow of the kernel's
            // queue.
            if self.fs_events.watches.contains_key(&change.wd) {
                self.fs_events.current = Some((change, self.fs_events.next_order));
            }
        }
    }
}

/// The last component of a path (`src/unix/linux.c: uv__basename_r`).
fn basename(path: &CStr) -> &[u8] {
    let bytes = path.to_bytes();
    let from = bytes.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
    bytes.get(from..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn basename_returns_the_last_path_component() {
        for (path, name) in [(c"a", "a"), (c"/tmp/a.txt", "a.txt"), (c"/tmp/", ""), (c"", "")] {
            assert_eq!(basename(path), name.as_bytes());
        }
    }
}
