//! The timer lists, without the engine: a linked list per duration, in order of start, and a heap of the lists by
//! expiry.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::class::{Kind, ObjectCache};
use crate::raw::{self, Args, ObjPtr, Raw, RawCtx, Work};

/// A timer's index in the slab.
pub(super) type Place = u32;

/// The null index, of a timer or a list.
pub(super) const NO: u32 = u32::MAX;

/// Value of [`Timer::list`] for the latest timer, which is not in a list yet. See [`Timers::latest`].
const LATEST: u32 = NO - 1;

/// A timer, kept while it is in a list or its `Timeout` object lives. One cache line: many timers fire in another order
/// than they were created in, so each costs a cache miss.
#[repr(align(64))]
pub(super) struct Timer {
    /// The object, if there is one. A counted reference only while the timer is in a list.
    pub(super) object: ObjPtr,
    /// The callback; none after `clearTimeout` or `_onTimeout = null`.
    pub(super) callback: ObjPtr,
    pub(super) args: Args,
    /// The loop time at its start.
    pub(super) start_ms: u64,
    /// Its id, larger for later timers.
    pub(super) id: u64,
    /// The delay; negative after `clearTimeout` of a pending timer, which cannot be restarted.
    pub(super) idle_ms: i32,
    /// The period of an interval; 0 for none.
    pub(super) repeat_ms: i32,
    /// Its list, [`LATEST`], or [`NO`].
    pub(super) list: u32,
    pub(super) prev: Place,
    pub(super) next: Place,
    /// Whether it keeps the loop alive while it is pending.
    pub(super) has_ref: bool,
    /// Whether it has fired or was cleared: it is not pending.
    pub(super) over: bool,
    /// Whether its id was requested, so that `clearTimeout(id)` must find it.
    pub(super) named: bool,
}

const _: () = assert!(size_of::<Timer>() == 64);

impl Timer {
    /// A timer before it is started.
    pub(super) const NEW: Timer = Timer {
        object: ObjPtr::NONE,
        callback: ObjPtr::NONE,
        args: None,
        list: NO,
        prev: NO,
        next: NO,
        start_ms: 0,
        idle_ms: 1,
        repeat_ms: 0,
        id: 0,
        has_ref: true,
        over: false,
        named: false,
    };
}

/// The pending timers of one duration.
struct List {
    ms: i32,
    head: Place,
    tail: Place,
    /// Its index in the heap.
    heap_at: u32,
    /// A creation stamp. Lists may reuse an index, but never a stamp.
    made: u64,
}

/// A heap entry: the expiry of a list. Equal expiries are ordered by when they were set, as `lib/internal/timers.js:
/// compareTimersLists`.
#[derive(Clone, Copy)]
struct Entry {
    expiry_ms: u64,
    order: u64,
    list: u32,
}

impl Entry {
    fn before(&self, other: &Entry) -> bool {
        (self.expiry_ms, self.order) < (other.expiry_ms, other.order)
    }
}

/// A fast hasher: keys are small integers, and one multiplication spreads them well enough.
#[derive(Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(26);
    }

    fn write_i32(&mut self, number: i32) {
        self.write_u64(number as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

type Map<K, V> = HashMap<K, V, BuildHasherDefault<Spread>>;

/// All timers of a thread.
#[derive(Default)]
pub(crate) struct Timers {
    pub(super) kind: Kind,
    slab: Vec<Timer>,
    free: Vec<Place>,
    lists: Vec<List>,
    free_lists: Vec<u32>,
    by_ms: Map<i32, u32>,
    heap: Vec<Entry>,
    /// The newest timer. It is inserted into its list only when the next timer is started or the lists are read. Many
    /// timers are cleared before that, and then no list is created and dropped for them.
    latest: Option<Place>,
    spare: ObjectCache,
    /// Timers whose id was requested.
    named: Map<u64, Place>,
    /// The fractional part of a delay. It does not delay the timer, but `_idleTimeout` includes it.
    fractions: HashMap<Place, f64>,
    /// The number of pending timers that keep the loop alive.
    ref_count: usize,
    /// Whether there were any when [`Timers::ref_change`] was last called.
    was_referenced: bool,
    /// When the core timer will fire; 0 before the first timer.
    pub(super) next_expiry_ms: u64,
    /// Whether a pass is running: it restarts the core timer at its end.
    pub(super) in_pass: bool,
    /// The source of timer ids, list stamps and heap order.
    count: u64,
}

impl Timers {
    pub(crate) fn ref_count(&self) -> usize {
        self.ref_count
    }

    /// Returns whether timers keep the loop alive, if that has changed since the last call.
    #[inline]
    pub(super) fn ref_change(&mut self) -> Option<bool> {
        let keeps = self.ref_count > 0;
        (std::mem::replace(&mut self.was_referenced, keeps) != keeps).then_some(keeps)
    }

    #[inline]
    pub(super) fn timer(&self, place: Place) -> &Timer {
        &self.slab[place as usize]
    }

    #[inline]
    pub(super) fn timer_mut(&mut self, place: Place) -> &mut Timer {
        &mut self.slab[place as usize]
    }

    fn stamp(&mut self) -> u64 {
        self.count += 1;
        self.count
    }

    /// Adds a pending timer that is in no list yet.
    pub(super) fn add(&mut self, mut timer: Timer) -> Place {
        timer.id = self.stamp();
        self.ref_count += usize::from(timer.has_ref);
        match self.free.pop() {
            Some(place) => {
                self.slab[place as usize] = timer;
                place
            }
            None => {
                raw::push(&mut self.slab, timer);
                self.slab.len() as Place - 1
            }
        }
    }

    /// An object without other references, to recycle: the cached one, or that of the newest timer. The caller owns the
    /// reference.
    #[inline]
    pub(super) fn take_recycled(&mut self, ctx: RawCtx) -> Option<Raw> {
        let latest = self.latest.and_then(|latest| self.slab.get_mut(latest as usize)).filter(|latest| !latest.named);
        self.spare.take(self.kind, ctx, latest.map(|latest| &mut latest.object))
    }

    /// Recycles the object of a fired timer and frees the slab entry, if the caller's reference is the last. The caller
    /// owns the returned values.
    #[inline]
    pub(super) fn recycle(&mut self, ctx: RawCtx, place: Place, object: Raw) -> Option<Work> {
        self.spare.keep(self.kind, ctx, object).then(|| self.forget(place))
    }

    /// Frees the slab entry of a timer that is in no list and whose object is gone or belongs to another timer. The
    /// caller owns the returned values.
    #[inline]
    pub(super) fn forget(&mut self, place: Place) -> Work {
        self.set_fraction(place, 0.0);
        self.free.push(place);
        let timer = &mut self.slab[place as usize];
        timer.object = ObjPtr::NONE;
        let work = Work::take(&mut timer.callback, &mut timer.args);
        if std::mem::take(&mut timer.named) {
            let id = timer.id;
            self.named.remove(&id);
        }
        work
    }

    pub(super) fn set_fraction(&mut self, place: Place, fraction: f64) {
        if fraction != 0.0 {
            self.fractions.insert(place, fraction);
        } else if !self.fractions.is_empty() {
            self.fractions.remove(&place);
        }
    }

    /// A delay with its fractional part.
    pub(super) fn requested_ms(&self, place: Place, ms: i32) -> f64 {
        f64::from(ms) + if ms > 0 { self.fractions.get(&place).copied().unwrap_or(0.0) } else { 0.0 }
    }

    /// Sets the delay from the next start on. A pending timer stays in its list.
    pub(super) fn set_idle(&mut self, place: Place, ms: i32) {
        self.insert_latest();
        self.timer_mut(place).idle_ms = ms;
    }

    /// Inserts a timer at the end of its list. If it expires before the core timer fires, returns the new delay for the
    /// core timer.
    #[inline]
    pub(super) fn insert(&mut self, place: Place, start_ms: u64) -> Option<u64> {
        // Even if `latest` is this timer: its earlier expiry creates a list that Node would have as well.
        self.insert_latest();
        self.unlink(place);
        self.latest = Some(place);
        let timer = self.timer_mut(place);
        (timer.start_ms, timer.list) = (start_ms, LATEST);
        // The expiry of a new list. If this duration has a list already, that list expires earlier, so the comparison
        // is false.
        let (ms, expiry_ms) = (timer.idle_ms as u64, start_ms + timer.idle_ms as u64);
        let is_sooner = !self.in_pass && (self.next_expiry_ms == 0 || self.next_expiry_ms > expiry_ms);
        is_sooner.then(|| {
            self.next_expiry_ms = expiry_ms;
            ms
        })
    }

    /// Inserts the newest timer into its list, if it is not there yet.
    #[inline]
    fn insert_latest(&mut self) {
        if let Some(place) = self.latest.take() {
            self.append(place);
        }
    }

    fn append(&mut self, place: Place) {
        let timer = self.timer(place);
        let (ms, expiry_ms) = (timer.idle_ms, timer.start_ms + timer.idle_ms as u64);
        let list = match self.by_ms.get(&ms) {
            Some(list) => *list,
            None => self.new_list(ms, expiry_ms),
        };
        let tail = std::mem::replace(&mut self.lists[list as usize].tail, place);
        match tail {
            NO => self.lists[list as usize].head = place,
            tail => self.timer_mut(tail).next = place,
        }
        let timer = self.timer_mut(place);
        (timer.list, timer.prev, timer.next) = (list, tail, NO);
    }

    /// Removes a timer from its list, if it is in one. An empty list stays.
    #[inline]
    pub(super) fn unlink(&mut self, place: Place) {
        let timer = self.timer_mut(place);
        match std::mem::replace(&mut timer.list, NO) {
            NO => {}
            LATEST => self.latest = None,
            list => self.unlink_from(place, list),
        }
    }

    fn unlink_from(&mut self, place: Place, list: u32) {
        let (prev, next) = (self.timer(place).prev, self.timer(place).next);
        match prev {
            NO => self.lists[list as usize].head = next,
            prev => self.timer_mut(prev).next = next,
        }
        match next {
            NO => self.lists[list as usize].tail = prev,
            next => self.timer_mut(next).prev = prev,
        }
    }

    /// Cancels a timer. If it was in a list, the caller owns the reference to its object.
    ///
    /// As `lib/timers.js: unenroll`: a timer that has fired stays as it is. An empty list is dropped at once only if
    /// the timer was referenced. That includes the list of a timer whose callback is running.
    pub(super) fn cancel(&mut self, place: Place) {
        if self.timer(place).over {
            return;
        }
        let has_ref = self.timer(place).has_ref;
        if !has_ref || self.timer(place).list != LATEST {
            // Insert the latest timer first: this timer may leave an empty list behind, or the latest timer may belong
            // to the list that is checked below.
            self.insert_latest();
        }
        let timer = self.timer(place);
        let list = match timer.list {
            NO | LATEST => self.by_ms.get(&timer.idle_ms).copied(),
            list => Some(list),
        };
        self.unlink(place);
        if has_ref
            && let Some(list) = list
            && self.lists[list as usize].head == NO
        {
            self.drop_list(list);
        }
        self.timer_mut(place).idle_ms = -1;
        self.end(place);
    }

    /// Marks a timer as fired or cleared: it is no longer pending, and its id becomes invalid.
    pub(super) fn end(&mut self, place: Place) {
        let timer = self.timer_mut(place);
        if std::mem::replace(&mut timer.over, true) {
            return;
        }
        let (id, named, has_ref) = (timer.id, std::mem::take(&mut timer.named), timer.has_ref);
        self.ref_count -= usize::from(has_ref);
        if named {
            self.named.remove(&id);
        }
    }

    /// Marks a fired timer as pending again.
    pub(super) fn revive(&mut self, place: Place) {
        let timer = self.timer_mut(place);
        if std::mem::take(&mut timer.over) {
            let has_ref = timer.has_ref;
            self.ref_count += usize::from(has_ref);
        }
    }

    pub(super) fn set_ref(&mut self, place: Place, has_ref: bool) {
        let timer = self.timer_mut(place);
        if std::mem::replace(&mut timer.has_ref, has_ref) == has_ref || timer.over {
            return;
        }
        if has_ref {
            self.ref_count += 1;
        } else {
            self.ref_count -= 1;
        }
    }

    /// The timer's id, by which [`Timers::known`] finds it until it fires or is cleared. As Node, requesting the id of
    /// a fired timer registers it too (`lib/internal/timers.js: Timeout[SymbolToPrimitive]`).
    pub(super) fn name(&mut self, place: Place) -> u64 {
        let timer = self.timer_mut(place);
        timer.named = true;
        let id = timer.id;
        self.named.insert(id, place);
        id
    }

    pub(super) fn known(&self, id: u64) -> Option<Place> {
        self.named.get(&id).copied()
    }

    pub(super) fn first_list(&mut self) -> Option<u32> {
        self.insert_latest();
        self.heap.first().map(|entry| entry.list)
    }

    pub(super) fn first_expiry_ms(&mut self) -> Option<u64> {
        self.insert_latest();
        self.heap.first().map(|entry| entry.expiry_ms)
    }

    pub(super) fn expiry_ms(&self, list: u32) -> u64 {
        self.heap[self.lists[list as usize].heap_at as usize].expiry_ms
    }

    pub(super) fn made(&self, list: u32) -> u64 {
        self.lists[list as usize].made
    }

    /// The first timer of a list, if it is due. If the first timer is not due, updates the list's expiry; if the list
    /// is empty, drops it.
    pub(super) fn due_head(&mut self, list: u32, made: u64, now: u64) -> Option<Place> {
        self.insert_latest();
        let this = self.lists.get(list as usize).filter(|this| this.made == made)?;
        let (head, ms, heap_at) = (this.head, this.ms as u64, this.heap_at);
        if head == NO {
            self.drop_list(list);
            return None;
        }
        let start_ms = self.timer(head).start_ms;
        if now.saturating_sub(start_ms) >= ms {
            return Some(head);
        }
        let order = self.stamp();
        self.heap[heap_at as usize] = Entry { expiry_ms: (start_ms + ms).max(now + 1), order, list };
        self.sink(heap_at as usize);
        None
    }

    /// Prefetches the next timers of a list before a callback runs: with a million timers, neighbours in a list are far
    /// apart in memory. Each step reads what the previous callback's step has prefetched.
    pub(super) fn prefetch_next(&self, place: Place) {
        let Some(next) = self.slab.get(self.timer(place).next as usize) else { return };
        next.object.fetch_properties();
        let Some(second) = self.slab.get(next.next as usize) else { return };
        second.object.fetch();
        if let Some(third) = self.slab.get(second.next as usize) {
            raw::fetch(third);
        }
    }

    /// Takes every reference that the lists and the object cache hold. The caller owns them.
    pub(super) fn take_all(&mut self) -> Vec<Raw> {
        let mut held = vec![self.spare.take_object()];
        for place in 0..self.slab.len() as Place {
            if std::mem::replace(&mut self.timer_mut(place).list, NO) == NO {
                continue;
            }
            if self.timer(place).object != ObjPtr::NONE {
                held.push(self.timer(place).object.raw());
            } else {
                held.extend(self.forget(place).values());
            }
        }
        self.latest = None;
        self.heap.clear();
        self.lists.clear();
        self.free_lists.clear();
        self.by_ms.clear();
        held
    }

    fn new_list(&mut self, ms: i32, expiry_ms: u64) -> u32 {
        let made = self.stamp();
        let heap_at = self.heap.len() as u32;
        let new = List { ms, head: NO, tail: NO, heap_at, made };
        let list = match self.free_lists.pop() {
            Some(list) => {
                self.lists[list as usize] = new;
                list
            }
            None => {
                self.lists.push(new);
                self.lists.len() as u32 - 1
            }
        };
        self.by_ms.insert(ms, list);
        self.heap.push(Entry { expiry_ms, order: made, list });
        self.rise(heap_at as usize);
        list
    }

    fn drop_list(&mut self, list: u32) {
        let List { ms, heap_at, .. } = self.lists[list as usize];
        self.lists[list as usize].made = 0;
        self.by_ms.remove(&ms);
        self.free_lists.push(list);
        let at = heap_at as usize;
        self.heap.swap_remove(at);
        if let Some(moved) = self.heap.get(at) {
            self.lists[moved.list as usize].heap_at = heap_at;
            self.sink(at);
            self.rise(at);
        }
    }

    fn rise(&mut self, mut at: usize) {
        while at > 0 {
            let parent = (at - 1) / 2;
            if !self.heap[at].before(&self.heap[parent]) {
                break;
            }
            self.swap(at, parent);
            at = parent;
        }
    }

    fn sink(&mut self, mut at: usize) {
        loop {
            let mut least = at;
            for child in [2 * at + 1, 2 * at + 2] {
                if child < self.heap.len() && self.heap[child].before(&self.heap[least]) {
                    least = child;
                }
            }
            if least == at {
                return;
            }
            self.swap(at, least);
            at = least;
        }
    }

    fn swap(&mut self, one: usize, other: usize) {
        self.heap.swap(one, other);
        self.lists[self.heap[one].list as usize].heap_at = one as u32;
        self.lists[self.heap[other].list as usize].heap_at = other as u32;
    }
}

#[cfg(test)]
mod tests;
