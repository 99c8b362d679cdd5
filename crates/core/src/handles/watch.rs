//! The file descriptors of handles, the interest in their readiness, and its registration with the platform.
//!
//! # Ground rules
//! - Starting and stopping only change the *interest* of a handle. The platform is updated before the next wait, once
//!   for any number of changes.
//! - A handle without interest stays registered until its file descriptor is ready or closed: a stop followed by a
//!   start costs no system call. `src/unix/linux.c: uv__io_poll` likewise removes a file descriptor without a watcher
//!   only when epoll reports it.
//! - A file descriptor is unregistered before it is closed: if another process has a copy of it, epoll would continue
//!   to report it.

use std::os::fd::RawFd;

use phasor_sys::{Errno, Result};

use super::HandleId;
use crate::face::Face;
use crate::platform::{Readiness, Ready};
use crate::state::Loop;

/// The token of a batch entry that was discarded.
const NO_HANDLE: u64 = 0;

/// The file descriptor of a handle and its interest.
pub(crate) struct Watch {
    pub(crate) fd: RawFd,
    /// The readiness for which the handle wants to be notified.
    pub(crate) interest: Readiness,
    /// The readiness that the platform has registered; empty if the file descriptor is not registered.
    registered: Readiness,
    /// Whether the handle is in the list of changed interests.
    queued: bool,
}

impl Watch {
    pub(crate) const fn new(fd: RawFd) -> Watch {
        Watch { fd, interest: Readiness::NONE, registered: Readiness::NONE, queued: false }
    }
}

/// The interests of all handles of a loop.
#[derive(Default)]
pub(crate) struct Watched {
    /// Handles whose interest changed since the platform was last updated.
    changed: Vec<HandleId>,
    /// For each file descriptor, the slot of the handle that is interested in it, plus 1; 0 if there is no such handle.
    owners: Vec<u32>,
}

impl Watched {
    fn set_owner(&mut self, fd: RawFd, owner: u32) {
        let Ok(index) = usize::try_from(fd) else { return };
        if self.owners.len() <= index {
            if owner == 0 {
                return;
            }
            self.owners.resize((index + 1).next_power_of_two(), 0);
        }
        self.owners[index] = owner;
    }

    fn owner(&self, fd: RawFd) -> u32 {
        usize::try_from(fd).ok().and_then(|index| self.owners.get(index)).copied().unwrap_or(0)
    }

    /// Whether a handle of the loop is interested in a file descriptor.
    pub(crate) fn is_watched(&self, fd: RawFd) -> bool {
        self.owner(fd) != 0
    }

    /// Whether another handle is interested in a file descriptor. In that case the user closed the file descriptor, and
    /// its number was reused.
    fn is_owned_by_another(&self, fd: RawFd, id: HandleId) -> bool {
        self.is_watched(fd) && self.owner(fd) != id.0.index + 1
    }
}

impl<F: Face> Loop<F> {
    /// Adds to the interest of a handle.
    pub(crate) fn add_interest(&mut self, id: HandleId, readiness: Readiness) {
        let Some(watch) = self.handles.get_mut(id).ok().and_then(|handle| handle.body.watch_mut()) else { return };
        if watch.interest.contains(readiness) || watch.fd < 0 {
            return;
        }
        watch.interest |= readiness;
        self.watched.set_owner(watch.fd, id.0.index + 1);
        if watch.interest != watch.registered && !watch.queued {
            watch.queued = true;
            self.watched.changed.push(id);
        }
    }

    /// Removes from the interest of a handle.
    pub(crate) fn remove_interest(&mut self, id: HandleId, readiness: Readiness) {
        let Some(watch) = self.handles.get_mut(id).ok().and_then(|handle| handle.body.watch_mut()) else { return };
        if !watch.interest.intersects(readiness) {
            return;
        }
        watch.interest = watch.interest.without(readiness);
        if watch.interest.is_empty() {
            if !self.watched.is_owned_by_another(watch.fd, id) {
                self.watched.set_owner(watch.fd, 0);
            }
        } else if watch.interest != watch.registered && !watch.queued {
            watch.queued = true;
            self.watched.changed.push(id);
        }
    }

    /// Removes all interest of a handle, and unregisters its file descriptor at once.
    pub(crate) fn unwatch(&mut self, id: HandleId) {
        let Some(watch) = self.handles.get_mut(id).ok().and_then(|handle| handle.body.watch_mut()) else { return };
        let owned_by_another = self.watched.is_owned_by_another(watch.fd, id);
        if !watch.interest.is_empty() && !owned_by_another {
            self.watched.set_owner(watch.fd, 0);
        }
        watch.interest = Readiness::NONE;
        if !watch.registered.is_empty() {
            watch.registered = Readiness::NONE;
            if !owned_by_another {
                self.platform.unwatch(watch.fd);
            }
        }
    }

    /// Discards the readiness of a handle that the last wait found and that was not handled yet. The readiness may
    /// belong to a closed file descriptor whose number was reused (`src/unix/linux.c: uv__platform_invalidate_fd`).
    pub(crate) fn discard_ready(&mut self, id: HandleId) {
        for ready in self.batch.iter_mut().skip(self.batch_at).filter(|ready| ready.token == id.to_bits()) {
            ready.token = NO_HANDLE;
        }
    }

    /// Marks all file descriptors as unregistered, after the platform has lost all registrations.
    pub(crate) fn reregister_all(&mut self) {
        let ids: Vec<HandleId> = self.handles.slab.iter().map(|(key, _)| HandleId(key)).collect();
        for id in ids {
            let Some(watch) = self.handles.get_mut(id).ok().and_then(|handle| handle.body.watch_mut()) else {
                continue;
            };
            watch.registered = Readiness::NONE;
            if !watch.interest.is_empty() && !watch.queued {
                watch.queued = true;
                self.watched.changed.push(id);
            }
        }
    }

    /// Whether an interest has to be registered before the next wait. A change that was reverted does not count.
    pub(crate) fn has_interest_changes(&self) -> bool {
        self.watched.changed.iter().any(|&id| {
            let watch = self.handles.get(id).ok().and_then(|handle| handle.body.watch());
            watch.is_some_and(|watch| !watch.interest.is_empty() && watch.interest != watch.registered)
        })
    }

    /// Registers changed interests with the platform. Returns true if all were registered.
    ///
    /// A file descriptor that cannot be registered (a regular file, for example) is reported as ready with an error in
    /// each turn: the handle then finds the error by using the descriptor, and a regular file is always ready. If
    /// memory is short the registration is retried before the next wait.
    pub(crate) fn register_changes(&mut self) -> bool {
        if self.watched.changed.is_empty() {
            return true;
        }
        let mut retry = Vec::new();
        let mut changed = std::mem::take(&mut self.watched.changed);
        for id in changed.drain(..) {
            let Some(watch) = self.handles.get_mut(id).ok().and_then(|handle| handle.body.watch_mut()) else {
                continue;
            };
            watch.queued = false;
            if watch.interest.is_empty() || watch.interest == watch.registered {
                continue;
            }
            let (fd, token, interest) = (watch.fd, id.to_bits(), watch.interest);
            let result = if watch.registered.is_empty() {
                self.platform.watch(fd, token, interest).or_else(|errno| match errno {
                    // Another handle, which has lost interest in the descriptor, has registered it.
                    Errno::EEXIST => self.platform.rewatch(fd, token, interest),
                    other => Err(other),
                })
            } else {
                self.platform.rewatch(fd, token, interest).or_else(|errno| match errno {
                    // The user closed the file descriptor, and its number was reused.
                    Errno::ENOENT => self.platform.watch(fd, token, interest),
                    other => Err(other),
                })
            };
            match result {
                Ok(()) => watch.registered = interest,
                Err(Errno::ENOMEM | Errno::ENOSPC) => {
                    watch.queued = true;
                    retry.push(id);
                }
                Err(_) => {
                    watch.registered = Readiness::NONE;
                    watch.queued = true;
                    retry.push(id);
                    self.batch.push(Ready { token, readiness: Readiness::ERROR });
                }
            }
        }
        let all = retry.is_empty();
        // The vector is stored again to keep its capacity.
        self.watched.changed = if all { changed } else { retry };
        all
    }

    /// The part of a reported readiness that a handle is interested in. A handle without interest is unregistered.
    pub(crate) fn wanted_readiness(&mut self, id: HandleId, readiness: Readiness) -> Option<Readiness> {
        let watch = self.handles.get_mut(id).ok()?.body.watch_mut()?;
        if watch.interest.is_empty() {
            self.unwatch(id);
            return None;
        }
        // Errors and hangups are always kept (`src/unix/linux.c: uv__io_poll`). The kinds add their interest if they
        // need it.
        let reported = readiness & (watch.interest | Readiness::ERROR | Readiness::HANGUP);
        (!reported.is_empty()).then_some(reported)
    }

    /// `EEXIST` if a handle of this loop already watches the file descriptor.
    pub(crate) fn check_unwatched(&self, fd: RawFd) -> Result<()> {
        if self.watched.is_watched(fd) { Err(Errno::EEXIST) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::{AsRawFd, OwnedFd};

    use phasor_sys::Fd;
    use phasor_sys::socket::{self, Transport};

    use super::super::stream::Flags;
    use super::*;
    use crate::event::Event;
    use crate::phase::RunMode;

    struct Names;

    impl Face for Names {
        type Handle = &'static str;
        type Request = ();
        type Bytes = Vec<u8>;
    }

    #[test]
    fn a_handle_with_a_closed_fd_does_not_disturb_the_next_owner_of_its_number() {
        let mut core = Loop::<Names>::new().unwrap();
        let (near, _far) = socket::stream_pair([true, true]).unwrap();
        let raw = near.as_raw_fd();
        let poll = core.poll_open(raw, "poll").unwrap();
        core.poll_start(poll, Readiness::READABLE).unwrap();
        while core.next(RunMode::NoWait).is_some() {}
        // The test closes the file descriptor without telling the loop, and reuses its number.
        let (other, far) = socket::stream_pair([true, true]).unwrap();
        let mut number = OwnedFd::from(near);
        rustix::io::dup2(&other, &mut number).unwrap();
        drop(other);
        let pipe = core.pipe_open(false, "pipe");
        core.stream_attach_fd(pipe, Fd::from(number), Transport::Socket, Flags::DUPLEX)
            .map_err(|(errno, _)| errno)
            .unwrap();
        core.stream_read_start(pipe).unwrap();
        while core.next(RunMode::NoWait).is_some() {}
        core.close(poll).unwrap();
        assert_eq!(core.check_unwatched(raw), Err(Errno::EEXIST));
        socket::write(&far, Transport::Socket, b"x").unwrap();
        let limit = core.timer_open("limit");
        core.timer_start(limit, 10_000, 0).unwrap();
        let got_event = loop {
            match core.next(RunMode::Default) {
                Some(Event::Readable(id)) => break id == pipe,
                Some(Event::Timer(_)) | None => break false,
                _ => {}
            }
        };
        assert!(got_event);
    }
}
