//! Timers, as in `lib/internal/timers.js`: a list per duration, lists ordered by expiry, and a single timer of the loop.
//!
//! If two compared times differ by less than half a unit, the result depends on milliseconds, and the program is undetermined.

use std::collections::VecDeque;

use super::{Doubt, Ended, Model};
use crate::Body;

#[derive(Default)]
pub(super) struct Timers<'a> {
    all: Vec<Timer<'a>>,
    /// How many of the first timers a [`Pick`](crate::Pick) cannot select.
    hidden: usize,
    lists: Vec<List>,
    lists_made: u64,
    /// When the loop's timer is due, if it is started.
    pub(super) wakes_ms: Option<u64>,
    /// The expiry that the loop's timer was started for.
    next_expiry_ms: Option<u64>,
    /// Number of waiting referenced timers.
    ref_count: usize,
    /// Whether the loop's timer is referenced. Corrected after each timer phase.
    handle_ref: bool,
}

struct Timer<'a> {
    body: &'a Body,
    duration_ms: u64,
    start_ms: u64,
    /// For an interval, how many calls are left.
    calls: Option<u8>,
    has_ref: bool,
    /// Whether it has fired or was cleared.
    over: bool,
    /// Whether it was cleared, so that its body is never called again.
    cleared: bool,
    /// Whether it was cleared while it waited. One cleared after it fired can be restarted, and then only keeps the loop alive.
    dead: bool,
}

struct List {
    duration_ms: u64,
    expiry_ms: u64,
    /// Of two lists with the same expiry the older one runs first.
    age: u64,
    members: VecDeque<usize>,
}

impl Timers<'_> {
    pub(super) fn keep_loop(&self) -> bool {
        self.wakes_ms.is_some() && self.handle_ref
    }

    pub(super) fn any_waits(&self) -> bool {
        self.lists.iter().any(|list| !list.members.is_empty())
    }

    pub(super) fn hide_all(&mut self) {
        self.hidden = self.all.len();
    }

    fn begin_pass(&mut self) {
        self.wakes_ms = None;
        self.next_expiry_ms = None;
    }

    pub(super) fn set_ref(&mut self, at: usize, has_ref: bool) {
        let timer = &mut self.all[at];
        if timer.has_ref != has_ref {
            timer.has_ref = has_ref;
            if !timer.over {
                self.count(has_ref);
            }
        }
    }

    /// Counts a referenced timer more or less.
    fn count(&mut self, more: bool) {
        self.ref_count = if more { self.ref_count + 1 } else { self.ref_count - 1 };
        if self.ref_count == usize::from(more) {
            self.handle_ref = more;
        }
    }

    fn first(&self) -> Option<usize> {
        (0..self.lists.len()).min_by_key(|at| (self.lists[*at].expiry_ms, self.lists[*at].age))
    }

    /// The index of the list with this age.
    fn aged(&self, age: u64) -> Option<usize> {
        self.lists.iter().position(|list| list.age == age)
    }

    fn unlink(&mut self, timer: usize) {
        for list in &mut self.lists {
            list.members.retain(|member| *member != timer);
        }
    }

    fn is_listed(&self, timer: usize) -> bool {
        self.lists.iter().any(|list| list.members.contains(&timer))
    }

    /// Marks a timer as fired. The loop's timer is updated after the pass.
    fn finish(&mut self, at: usize) {
        let timer = &mut self.all[at];
        if !std::mem::replace(&mut timer.over, true) {
            self.ref_count -= usize::from(timer.has_ref);
        }
    }

    fn new_age(&mut self) -> u64 {
        self.lists_made += 1;
        self.lists_made
    }
}

impl<'a> Model<'a> {
    pub(super) fn set_timer(&mut self, units: u8, calls: Option<u8>, body: &'a Body) {
        self.update_clock();
        let duration_ms = u64::from(units) * self.unit_ms;
        let at = self.timers.all.len();
        let (over, cleared, dead) = (false, false, false);
        let timer = Timer { body, duration_ms, start_ms: self.now_ms, calls, has_ref: true, over, cleared, dead };
        self.timers.all.push(timer);
        self.list_timer(at, self.now_ms);
        self.timers.count(true);
    }

    pub(super) fn with_timer(&mut self, pick: u8, work: impl FnOnce(&mut Self, usize)) {
        let (hidden, count) = (self.timers.hidden, self.timers.all.len());
        if hidden < count {
            work(self, hidden + usize::from(pick) % (count - hidden));
        }
    }

    /// Appends a timer to its list, and starts the loop's timer if a new list is the first to expire.
    fn list_timer(&mut self, at: usize, start_ms: u64) {
        let timers = &mut self.timers;
        timers.unlink(at);
        timers.all[at].start_ms = start_ms;
        let duration_ms = timers.all[at].duration_ms;
        if let Some(list) = timers.lists.iter_mut().find(|list| list.duration_ms == duration_ms) {
            list.members.push_back(at);
            return;
        }
        let (expiry_ms, age) = (start_ms + duration_ms, timers.new_age());
        timers.lists.push(List { duration_ms, expiry_ms, age, members: VecDeque::from([at]) });
        if timers.next_expiry_ms.is_none_or(|next| expiry_ms < next) {
            timers.next_expiry_ms = Some(expiry_ms);
            timers.wakes_ms = Some(self.cached_ms + duration_ms);
        }
    }

    pub(super) fn clear_timer(&mut self, at: usize) {
        let timers = &mut self.timers;
        if timers.all[at].cleared {
            return;
        }
        timers.all[at].cleared = true;
        if timers.all[at].over {
            return;
        }
        timers.all[at].over = true;
        timers.all[at].dead = true;
        timers.unlink(at);
        if timers.all[at].has_ref {
            // As `lib/timers.js: unenroll`: an empty list is removed, except after clearing an unreferenced timer.
            let duration_ms = timers.all[at].duration_ms;
            timers.lists.retain(|list| list.duration_ms != duration_ms || !list.members.is_empty());
            timers.count(false);
        }
    }

    pub(super) fn refresh_timer(&mut self, at: usize) {
        if self.timers.all[at].dead {
            return;
        }
        self.update_clock();
        self.list_timer(at, self.now_ms);
        let timer = &mut self.timers.all[at];
        if std::mem::take(&mut timer.over) && timer.has_ref {
            self.timers.count(true);
        }
    }

    /// Whether a timer is due. Undetermined if that is close, unless the loop slept until exactly this time.
    fn is_due(&mut self, due_ms: u64, now_ms: u64, sure: bool) -> bool {
        if !sure && due_ms.abs_diff(now_ms) * 2 < self.unit_ms {
            self.doubt.get_or_insert(Doubt::Time);
        }
        due_ms <= now_ms
    }

    pub(super) fn timer_phase(&mut self, slept: bool) {
        let Some(wakes_ms) = self.timers.wakes_ms else { return };
        if !self.is_due(wakes_ms, self.cached_ms, slept) || self.doubt.is_some() {
            return;
        }
        let now_ms = self.now_ms;
        let mut sure = slept.then_some(wakes_ms);
        loop {
            self.timers.begin_pass();
            // An exception ends the pass over the lists; it continues where it was.
            if self.run_lists(now_ms, &mut sure) == Ended::Completed || self.doubt.is_some() {
                break;
            }
        }
        // Starts the loop's timer for the list that expires next.
        let next_ms = self.timers.first().map(|list| self.timers.lists[list].expiry_ms);
        let timers = &mut self.timers;
        if let Some(next_ms) = next_ms {
            timers.next_expiry_ms = Some(next_ms);
            timers.wakes_ms = Some(next_ms.max(self.cached_ms + 1));
        }
        timers.handle_ref = next_ms.is_some() && timers.ref_count > 0;
        self.update_clock();
        self.drain();
    }

    fn run_lists(&mut self, now_ms: u64, sure: &mut Option<u64>) -> Ended {
        let mut first = true;
        loop {
            let Some(list) = self.next_due(now_ms, sure) else { return Ended::Completed };
            if !std::mem::take(&mut first) && self.drain() == Ended::Threw {
                return Ended::Threw;
            }
            // The drain may have removed the list.
            let Some(at) = self.timers.aged(list) else { continue };
            let expiry_ms = self.timers.lists[at].expiry_ms;
            let sure_head = sure.take() == Some(expiry_ms);
            if self.run_list(list, now_ms, sure_head) == Ended::Threw {
                return Ended::Threw;
            }
            if self.doubt.is_some() {
                return Ended::Completed;
            }
        }
    }

    /// The age of the next list if it is due. Undetermined if two lists expire at almost the same time.
    fn next_due(&mut self, now_ms: u64, sure: &Option<u64>) -> Option<u64> {
        let first = self.timers.first()?;
        let List { expiry_ms, age, .. } = self.timers.lists[first];
        let near = |list: &List| list.age != age && list.expiry_ms.abs_diff(expiry_ms) * 2 < self.unit_ms;
        if expiry_ms <= now_ms && self.timers.lists.iter().any(near) {
            self.doubt.get_or_insert(Doubt::Time);
        }
        self.is_due(expiry_ms, now_ms, *sure == Some(expiry_ms)).then_some(age)
    }

    fn run_list(&mut self, age: u64, now_ms: u64, mut sure: bool) -> Ended {
        let mut first = true;
        while let Some(list) = self.timers.aged(age) {
            let Some(at) = self.timers.lists[list].members.front().copied() else {
                self.timers.lists.remove(list);
                return Ended::Completed;
            };
            let due_ms = self.timers.all[at].start_ms + self.timers.all[at].duration_ms;
            if !self.is_due(due_ms, now_ms, std::mem::take(&mut sure)) {
                let age = self.timers.new_age();
                let list = &mut self.timers.lists[list];
                (list.expiry_ms, list.age) = (due_ms.max(now_ms + 1), age);
                return Ended::Completed;
            }
            if !std::mem::take(&mut first) && self.drain() == Ended::Threw {
                return Ended::Threw;
            }
            // Ticks may have cleared the timer. If they have restarted it, it fires nevertheless.
            self.timers.unlink(at);
            if self.timers.all[at].cleared {
                self.timers.finish(at);
            } else if self.fire(at) == Ended::Threw {
                return Ended::Threw;
            }
            if self.doubt.is_some() {
                return Ended::Completed;
            }
        }
        Ended::Completed
    }

    fn fire(&mut self, at: usize) -> Ended {
        let interval = self.timers.all[at].calls.is_some();
        let start_ms = self.now_ms;
        if interval {
            self.update_clock();
        }
        let body = self.timers.all[at].body;
        self.say(body.number.to_string());
        if let Some(calls) = &mut self.timers.all[at].calls {
            *calls = calls.saturating_sub(1);
            if *calls == 0 {
                self.clear_timer(at);
            }
        }
        let result = self.run_ops(body);
        if interval && !self.timers.all[at].dead {
            self.list_timer(at, start_ms);
        } else if !self.timers.is_listed(at) {
            self.timers.finish(at);
        }
        match result {
            Ok(()) => Ended::Completed,
            Err(thrown) => {
                self.uncaught(thrown, "");
                Ended::Threw
            }
        }
    }
}
