//! File poll handles: a path is checked with `stat` at an interval, for file systems that report no changes.
//!
//! # Ground rules
//! - A started handle either has a `stat` in flight on the pool, or is in the timers' heap under its own index, without
//!   a timer handle.
//! - Each result carries the number of the start that it belongs to. Results for a handle that was stopped, closed or
//!   restarted are dropped. So closing does not wait for the pool. In libuv it does (`src/fs-poll.c:
//!   uv__fs_poll_close`).

use std::collections::VecDeque;
use std::ffi::CStr;

use phasor_sys::file::{self, Stat};
use phasor_sys::{Errno, Result};

use super::{HandleBody, HandleId};
use crate::event::Event;
use crate::face::Face;
use crate::heap::Due;
use crate::pool::{Class, Job};
use crate::remote::Bell;
use crate::state::Loop;
use crate::sync::{Arc, AtomicBool, Mutex, Ordering};

/// A difference between two `stat` results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FsPollChange {
    /// The previous result; all zeros if there was none.
    pub previous: Stat,
    /// The new result.
    pub current: Result<Stat>,
}

/// The state of a started file poll handle.
pub(crate) struct FsPoll {
    path: Arc<CStr>,
    interval_ms: u64,
    /// The time at which the last `stat` was submitted.
    began_ms: u64,
    /// The time at which the next `stat` is due; `None` while a `stat` is in flight.
    due: Option<Due>,
    last_result: LastResult,
    /// The last successful result.
    last: Stat,
    /// The number of the start of this handle; results of earlier starts are dropped.
    start: u64,
}

/// The last result.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LastResult {
    Nothing,
    Failed(Errno),
    Found,
}

/// Per-loop state of the file poll handles.
#[derive(Default)]
pub(crate) struct FsPolls {
    /// Where pool threads put their results.
    results: Arc<StatResults>,
    /// How many `stat` calls are in flight. If there are none, a wake does not check for results.
    stats_in_flight: usize,
    /// Results that were collected and not handled.
    collected: VecDeque<StatResult>,
    /// The number of starts of all handles so far.
    starts: u64,
}

/// Results of pool threads, and a flag that says whether there are any.
#[derive(Default)]
struct StatResults {
    queue: Mutex<Vec<StatResult>>,
    nonempty: AtomicBool,
}

struct StatResult {
    handle: HandleId,
    start: u64,
    stat: Result<Stat>,
}

/// A job that calls `stat` once on the pool.
struct StatJob {
    path: Arc<CStr>,
    handle: HandleId,
    start: u64,
    results: Arc<StatResults>,
    bell: Arc<Bell>,
}

impl StatJob {
    fn push_result(self, stat: Result<Stat>) {
        let result = StatResult { handle: self.handle, start: self.start, stat };
        self.results.queue.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(result);
        self.results.nonempty.store(true, Ordering::SeqCst);
        self.bell.ring();
    }
}

impl Job for StatJob {
    fn run(self: Box<Self>) {
        let stat = file::stat(&self.path);
        self.push_result(stat);
    }

    fn give_up(self: Box<Self>, why: Errno) {
        self.push_result(Err(why));
    }
}

impl FsPolls {
    /// Collects the results, and returns how many there were.
    pub(crate) fn collect(&mut self) -> usize {
        if self.stats_in_flight == 0 || !self.results.nonempty.swap(false, Ordering::SeqCst) {
            return 0;
        }
        let mut results = self.results.queue.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let count = results.len();
        self.stats_in_flight -= count;
        self.collected.extend(results.drain(..));
        count
    }
}

impl<F: Face> Loop<F> {
    /// Opens a file poll handle.
    #[doc(alias = "uv_fs_poll_init")]
    pub fn fs_poll_open(&mut self, face: F::Handle) -> HandleId {
        self.open(HandleBody::FsPoll(None), face)
    }

    /// Starts checking a path, immediately and then every `interval_ms` milliseconds (0 counts as 1). The first `stat`
    /// only sets the baseline. Later each difference is an event, and so is each error that differs from the previous
    /// result.
    ///
    /// Does nothing if the handle is started.
    #[doc(alias = "uv_fs_poll_start")]
    pub fn fs_poll_start(&mut self, id: HandleId, path: &CStr, interval_ms: u64) -> Result<()> {
        let (start, began_ms) = (self.fs_polls.starts, self.now_ms);
        let HandleBody::FsPoll(state) = &mut self.handles.open_mut(id)?.body else { return Err(Errno::EBADF) };
        if state.is_some() {
            return Ok(());
        }
        *state = Some(Box::new(FsPoll {
            path: path.into(),
            interval_ms: interval_ms.max(1),
            began_ms,
            due: None,
            last_result: LastResult::Nothing,
            last: Stat::default(),
            start,
        }));
        self.fs_polls.starts += 1;
        self.activate(id);
        self.fs_poll_stat(id);
        Ok(())
    }

    /// Stops a file poll handle. Does nothing if it is stopped.
    #[doc(alias = "uv_fs_poll_stop")]
    pub fn fs_poll_stop(&mut self, id: HandleId) -> Result<()> {
        let HandleBody::FsPoll(_) = self.handles.get(id)?.body else { return Err(Errno::EBADF) };
        self.fs_poll_end(id);
        Ok(())
    }

    /// The path with which the handle was started. `EINVAL` if it is stopped.
    #[doc(alias = "uv_fs_poll_getpath")]
    pub fn fs_poll_path(&self, id: HandleId) -> Result<&CStr> {
        match &self.handles.get(id)?.body {
            HandleBody::FsPoll(Some(state)) => Ok(&state.path),
            HandleBody::FsPoll(None) => Err(Errno::EINVAL),
            _ => Err(Errno::EBADF),
        }
    }

    /// The interval with which the handle was started. `EINVAL` if it is stopped.
    pub(crate) fn fs_poll_interval_ms(&self, id: HandleId) -> Result<u64> {
        match &self.handles.get(id)?.body {
            HandleBody::FsPoll(Some(state)) => Ok(state.interval_ms),
            HandleBody::FsPoll(None) => Err(Errno::EINVAL),
            _ => Err(Errno::EBADF),
        }
    }

    pub(crate) fn fs_poll_end(&mut self, id: HandleId) {
        let Ok(handle) = self.handles.get_mut(id) else { return };
        let HandleBody::FsPoll(state) = &mut handle.body else { return };
        let Some(state) = state.take() else { return };
        if state.due.is_some() {
            // The call does nothing if the current timer pass has removed the handle from the heap. `fs_poll_due` then
            // ignores the outdated due time.
            self.timers.heap.remove(id.0.index);
        }
        self.deactivate(id);
    }

    /// Submits a `stat` to the pool.
    fn fs_poll_stat(&mut self, id: HandleId) {
        let Ok(HandleBody::FsPoll(Some(state))) = self.handles.get(id).map(|handle| &handle.body) else { return };
        let job = StatJob {
            path: state.path.clone(),
            handle: id,
            start: state.start,
            results: self.fs_polls.results.clone(),
            bell: self.bell.clone(),
        };
        self.fs_polls.stats_in_flight += 1;
        self.platform.submit(Box::new(job), Class::Fast);
    }

    /// Called in a child of `fork`: submits the `stat` calls again that were in flight on the parent's pool.
    pub(crate) fn fs_polls_renew(&mut self) {
        self.fs_polls.results = Arc::default();
        self.fs_polls.stats_in_flight = 0;
        self.fs_polls.collected.clear();
        let stat_in_flight = |body: &HandleBody| matches!(body, HandleBody::FsPoll(Some(state)) if state.due.is_none());
        let all = self.handles.slab.iter().filter(|(_, handle)| stat_in_flight(&handle.body));
        let ids: Vec<HandleId> = all.map(|(key, _)| HandleId(key)).collect();
        for id in ids {
            self.fs_poll_stat(id);
        }
    }

    /// Called when the handle is due in the current timer pass: submits the next `stat`.
    #[cold]
    pub(crate) fn fs_poll_due(&mut self, id: HandleId, due: Due) {
        let now_ms = self.now_ms;
        let Ok(HandleBody::FsPoll(Some(state))) = self.handles.get_mut(id).map(|handle| &mut handle.body) else {
            return;
        };
        if state.due == Some(due) {
            state.due = None;
            state.began_ms = now_ms;
            self.fs_poll_stat(id);
        }
    }

    /// The next difference among the collected results (`src/fs-poll.c: poll_cb`).
    pub(crate) fn next_fs_poll_change(&mut self) -> Option<Event<F>> {
        while let Some(StatResult { handle: id, start, stat }) = self.fs_polls.collected.pop_front() {
            let Ok(HandleBody::FsPoll(Some(state))) = self.handles.get_mut(id).map(|handle| &mut handle.body) else {
                continue;
            };
            if state.start != start {
                continue;
            }
            let previous = state.last;
            let differs = match (state.last_result, stat) {
                (LastResult::Nothing, Ok(_)) => false,
                (LastResult::Failed(before), Err(errno)) => before != errno,
                (LastResult::Found, Ok(stat)) => !is_same(&previous, &stat),
                (LastResult::Failed(_), Ok(_)) | (LastResult::Nothing | LastResult::Found, Err(_)) => true,
            };
            match stat {
                Ok(stat) => (state.last_result, state.last) = (LastResult::Found, stat),
                Err(errno) => state.last_result = LastResult::Failed(errno),
            }
            // The duration of the `stat` is part of the interval.
            let took_ms = self.now_ms.saturating_sub(state.began_ms);
            let due = self.timers.due_at(self.now_ms.saturating_add(state.interval_ms - took_ms % state.interval_ms));
            state.due = Some(due);
            self.timers.heap.insert(id.0.index, due);
            if differs {
                return Some(Event::FsPoll(id, Box::new(FsPollChange { previous, current: stat })));
            }
        }
        None
    }
}

/// Whether two results count as equal. The compared fields are those of `src/fs-poll.c: statbuf_eq`; the access time is
/// not among them.
fn is_same(a: &Stat, b: &Stat) -> bool {
    let compared = |stat: &Stat| {
        let Stat { dev, ino, mode, uid, gid, size, flags, generation, mtime, ctime, birthtime, .. } = *stat;
        ([dev, ino, mode, uid, gid, size, flags, generation], [mtime, ctime, birthtime])
    };
    compared(a) == compared(b)
}
