//! File event handles: changes of files and directories, from the kernel. Where it cannot tell, poll: `fs_poll`.
//!
//! # Ground rules
//! - A loop has one inotify instance, made at the first start. The kernel numbers watches by inode, so handles that
//!   watch the same thing share a number; the last one to stop ends the watch.
//! - A change is for those who watched when its turn came. Who was stopped, closed or started anew in a call before
//!   does not hear of the change that was under way; its seat tells.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ffi::{CStr, CString, OsStr};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;

use phasor_sys::watch::{Change, Watcher};
use phasor_sys::{Errno, Result};

use super::{Body, HandleId};
use crate::event::Event;
use crate::face::Face;
use crate::platform::{INOTIFY, Readiness};
use crate::state::Loop;

/// How often changes are read for one readiness. libuv reads until there are none, so a callback that changes what it
/// watches never lets go of its loop; here it does after so many.
const READS: u32 = 32;

/// A number that the kernel gives to no watch.
const NO_WATCH: i32 = -1;

/// A change that a file event handle tells of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FsChange {
    /// [`FsChange::RENAME`], [`FsChange::CHANGE`] or both.
    pub kind: i32,
    /// The entry that changed in a watched directory, else the last part of the watched path. Always there on Linux.
    pub name: Option<Vec<u8>>,
}

impl FsChange {
    /// Something appeared, went away or was renamed; also: the watch has ended.
    #[doc(alias = "UV_RENAME")]
    pub const RENAME: i32 = Change::RENAME;
    /// Content or attributes are different.
    #[doc(alias = "UV_CHANGE")]
    pub const CHANGE: i32 = Change::CHANGE;

    /// The name, as paths are made of.
    pub fn file_name(&self) -> Option<&OsStr> {
        self.name.as_deref().map(OsStr::from_bytes)
    }
}

/// A file event handle's own state, while it is started.
pub(crate) struct FsEvent {
    path: CString,
    /// The kernel's number of the watch.
    wd: i32,
    /// Its seat among those who share the watch.
    order: u64,
}

/// What the loop keeps for all its file event handles.
#[derive(Default)]
pub(crate) struct FsEvents {
    watcher: Option<Watcher>,
    /// Who shares a watch, by seats. As libuv's list: one takes the last seat when it starts, and again whenever it is
    /// told of a change.
    watches: HashMap<i32, BTreeMap<u64, HandleId>>,
    /// The next seat.
    next_order: u64,
    /// Changes that were read and have not been handed out, oldest first.
    changes: VecDeque<Change>,
    /// How often they may still be read in this poll phase.
    reads_left: u32,
    /// The change that is being handed out, and the first seat of those who do not hear of it.
    current: Option<(Change, u64)>,
}

impl FsEvents {
    /// The last seat among those who share a watch.
    fn append_sharer(&mut self, wd: i32, id: HandleId) -> u64 {
        let order = self.next_order;
        self.next_order += 1;
        self.watches.entry(wd).or_default().insert(order, id);
        order
    }

    /// Begins to take what changed.
    pub(crate) fn begin(&mut self) {
        self.reads_left = READS;
    }

    /// The next change. As `uv__inotify_read`: what changes meanwhile is told too, before anything else.
    fn pop(&mut self) -> Option<Change> {
        if self.changes.is_empty() && self.reads_left > 0 {
            self.reads_left -= 1;
            self.read();
        }
        self.changes.pop_front()
    }

    /// Takes what changed. An error leaves what was read before it.
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
        self.open(Body::FsEvent(None), face)
    }

    /// Starts to tell of changes: of a file, or of a directory and its entries, but not of directories below. libuv does not
    /// look at its `uv_fs_event_flags` on Linux, so there are none here.
    ///
    /// `EINVAL` if it is started, and what the kernel says of the path.
    #[doc(alias = "uv_fs_event_start")]
    pub fn fs_event_start(&mut self, id: HandleId, path: &CStr) -> Result<()> {
        let Body::FsEvent(state) = &self.handles.open_mut(id)?.body else { return Err(Errno::EBADF) };
        if state.is_some() {
            return Err(Errno::EINVAL);
        }
        let wd = self.fs_event_watcher()?.add(path)?;
        let order = self.fs_events.append_sharer(wd, id);
        if let Body::FsEvent(state) = &mut self.handles.get_mut(id)?.body {
            *state = Some(Box::new(FsEvent { path: path.to_owned(), wd, order }));
        }
        self.activate(id);
        Ok(())
    }

    /// The loop's inotify instance, made and watched if it is not there yet.
    fn fs_event_watcher(&mut self) -> Result<&Watcher> {
        if self.fs_events.watcher.is_none() {
            let watcher = Watcher::new()?;
            self.platform.watch(watcher.as_raw_fd(), INOTIFY, Readiness::READABLE)?;
            self.fs_events.watcher = Some(watcher);
        }
        self.fs_events.watcher.as_ref().ok_or(Errno::EBADF)
    }

    /// In a child of `fork`: watches the same paths with an instance of its own. A path that is gone is an error; the
    /// handle then stays started and hears nothing.
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
            if let Body::FsEvent(Some(state)) = &mut self.handles.get_mut(id)?.body {
                state.wd = wd.unwrap_or(NO_WATCH);
            }
            if let Ok(wd) = wd {
                self.fs_events.watches.entry(wd).or_default().insert(order, id);
            }
        }
        result
    }

    /// Stops a file event handle. One that is not started stays so.
    #[doc(alias = "uv_fs_event_stop")]
    pub fn fs_event_stop(&mut self, id: HandleId) -> Result<()> {
        let Body::FsEvent(_) = self.handles.get(id)?.body else { return Err(Errno::EBADF) };
        self.fs_event_end(id);
        Ok(())
    }

    /// The path it was started with. `EINVAL` if it is not started.
    #[doc(alias = "uv_fs_event_getpath")]
    pub fn fs_event_path(&self, id: HandleId) -> Result<&CStr> {
        match &self.handles.get(id)?.body {
            Body::FsEvent(Some(state)) => Ok(&state.path),
            Body::FsEvent(None) => Err(Errno::EINVAL),
            _ => Err(Errno::EBADF),
        }
    }

    pub(crate) fn fs_event_end(&mut self, id: HandleId) {
        let Ok(handle) = self.handles.get_mut(id) else { return };
        let Body::FsEvent(state) = &mut handle.body else { return };
        let Some(state) = state.take() else { return };
        if let Some(sharers) = self.fs_events.watches.get_mut(&state.wd) {
            sharers.remove(&state.order);
            if sharers.is_empty() {
                self.fs_events.watches.remove(&state.wd);
                if let Some(watcher) = &self.fs_events.watcher {
                    // Refused when the kernel ended the watch first, because the file is gone.
                    let _ = watcher.remove(state.wd);
                }
            }
        }
        self.deactivate(id);
    }

    /// The next event of the changes that were read. As `uv__inotify_read`: change by change, each to all who watch.
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
                let Ok(Body::FsEvent(Some(state))) = self.handles.get_mut(id).map(|handle| &mut handle.body) else {
                    continue;
                };
                state.order = order;
                let name = name.unwrap_or_else(|| basename(&state.path).to_vec());
                return Some(Event::FsEvent(id, FsChange { kind, name: Some(name) }));
            }
            self.fs_events.current = None;
            let change = self.fs_events.pop()?;
            // Nobody watches under the number of a change that comes late, nor under that of an overflow.
            if self.fs_events.watches.contains_key(&change.wd) {
                self.fs_events.current = Some((change, self.fs_events.next_order));
            }
        }
    }
}

/// What follows the last slash, as `uv__basename_r`.
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
