//! File poll handles: a path is looked at again and again, for file systems whose kernel does not tell of changes.
//!
//! # Ground rules
//! - A started handle is in one of two states: a look is under way on the pool, or the handle stands in the timers' heap
//!   under its own place, without a timer that anybody could see.
//! - Every answer carries the number of the start it belongs to: what comes for a handle that was stopped, closed or
//!   started anew since is dropped. So closing does not wait for the pool, as it does in libuv.

use std::collections::VecDeque;
use std::ffi::CStr;

use phasor_sys::file::{self, Stat};
use phasor_sys::{Errno, Result};

use super::{Body, HandleId};
use crate::event::Event;
use crate::face::Face;
use crate::heap::Due;
use crate::pool::{Class, Job};
use crate::remote::Bell;
use crate::state::Loop;
use crate::sync::{Arc, AtomicBool, Mutex, Ordering};

/// A difference that a file poll handle has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FsPollChange {
    /// What was last known of the path; all zero if nothing was.
    pub previous: Stat,
    /// What is known now, or why nothing is.
    pub current: Result<Stat>,
}

/// A file poll handle's own state, while it is started.
pub(crate) struct FsPoll {
    path: Arc<CStr>,
    interval_ms: u64,
    /// When the last look began.
    began_ms: u64,
    /// When the next look is due; none while one is under way.
    due: Option<Due>,
    last_result: LastResult,
    /// What the last look that succeeded found.
    last: Stat,
    /// Which of the loop's starts this was.
    start: u64,
}

/// How the last look ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LastResult {
    Nothing,
    Failed(Errno),
    Found,
}

/// What the loop keeps for all its file poll handles.
#[derive(Default)]
pub(crate) struct FsPolls {
    /// Where threads of the pool leave their answers.
    results: Arc<StatResults>,
    /// How many looks are under way: while there are none, a wake need not look for answers.
    stats_in_flight: usize,
    /// Answers that were collected and have not been handled.
    collected: VecDeque<StatResult>,
    /// How many starts there were.
    starts: u64,
}

/// Answers, and whether there are any.
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

/// One look at a path.
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
    /// Collects the answers that were left, and says how many.
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
        self.open(Body::FsPoll(None), face)
    }

    /// Starts to look at a path, at once and then every `interval_ms` (0 counts as 1). The first look only learns what
    /// is there; after it each difference makes an event, and so does each error that is another than the one before.
    ///
    /// Starting a started handle changes nothing.
    #[doc(alias = "uv_fs_poll_start")]
    pub fn fs_poll_start(&mut self, id: HandleId, path: &CStr, interval_ms: u64) -> Result<()> {
        let (start, began_ms) = (self.fs_polls.starts, self.now_ms);
        let Body::FsPoll(state) = &mut self.handles.open_mut(id)?.body else { return Err(Errno::EBADF) };
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

    /// Stops a file poll handle. One that is not started stays so.
    #[doc(alias = "uv_fs_poll_stop")]
    pub fn fs_poll_stop(&mut self, id: HandleId) -> Result<()> {
        let Body::FsPoll(_) = self.handles.get(id)?.body else { return Err(Errno::EBADF) };
        self.fs_poll_end(id);
        Ok(())
    }

    /// The path it was started with. `EINVAL` if it is not started.
    #[doc(alias = "uv_fs_poll_getpath")]
    pub fn fs_poll_path(&self, id: HandleId) -> Result<&CStr> {
        match &self.handles.get(id)?.body {
            Body::FsPoll(Some(state)) => Ok(&state.path),
            Body::FsPoll(None) => Err(Errno::EINVAL),
            _ => Err(Errno::EBADF),
        }
    }

    pub(crate) fn fs_poll_end(&mut self, id: HandleId) {
        let Ok(handle) = self.handles.get_mut(id) else { return };
        let Body::FsPoll(state) = &mut handle.body else { return };
        let Some(state) = state.take() else { return };
        if state.due.is_some() {
            // Not in it any more if the timer pass under way has taken it out; its due time is refused there.
            self.timers.heap.remove(id.0.index);
        }
        self.deactivate(id);
    }

    /// Begins a look.
    fn fs_poll_stat(&mut self, id: HandleId) {
        let Ok(Body::FsPoll(Some(state))) = self.handles.get(id).map(|handle| &handle.body) else { return };
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

    /// In a child of `fork`: the looks under way were the parent's, and begin again here.
    pub(crate) fn fs_polls_renew(&mut self) {
        self.fs_polls.results = Arc::default();
        self.fs_polls.stats_in_flight = 0;
        self.fs_polls.collected.clear();
        let stat_in_flight = |body: &Body| matches!(body, Body::FsPoll(Some(state)) if state.due.is_none());
        let all = self.handles.slab.iter().filter(|(_, handle)| stat_in_flight(&handle.body));
        let ids: Vec<HandleId> = all.map(|(key, _)| HandleId(key)).collect();
        for id in ids {
            self.fs_poll_stat(id);
        }
    }

    /// The timer pass has come to a handle: the next look begins.
    #[cold]
    pub(crate) fn fs_poll_due(&mut self, id: HandleId, due: Due) {
        let now_ms = self.now_ms;
        let Ok(Body::FsPoll(Some(state))) = self.handles.get_mut(id).map(|handle| &mut handle.body) else { return };
        if state.due == Some(due) {
            state.due = None;
            state.began_ms = now_ms;
            self.fs_poll_stat(id);
        }
    }

    /// The next difference among the answers that were collected. As `poll_cb` of libuv's `fs-poll.c`.
    pub(crate) fn next_fs_poll_change(&mut self) -> Option<Event<F>> {
        while let Some(StatResult { handle: id, start, stat }) = self.fs_polls.collected.pop_front() {
            let Ok(Body::FsPoll(Some(state))) = self.handles.get_mut(id).map(|handle| &mut handle.body) else {
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
            // What the look took is part of the interval.
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

/// As libuv's `statbuf_eq`: what tells one state of a file from another. Reading it, for one, does not.
fn is_same(a: &Stat, b: &Stat) -> bool {
    let compared = |stat: &Stat| {
        let Stat { dev, ino, mode, uid, gid, size, flags, generation, mtime, ctime, birthtime, .. } = *stat;
        ([dev, ino, mode, uid, gid, size, flags, generation], [mtime, ctime, birthtime])
    };
    compared(a) == compared(b)
}
