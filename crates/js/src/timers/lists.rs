//! The lists of timers, without the engine: a linked list per duration, in order of start, and a heap of the lists.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::class::{Kind, ObjectCache};
use crate::raw::{self, Args, ObjPtr, Raw, RawCtx, Work};

/// A timer's index in the slab.
pub(super) type Place = u32;

/// No timer, or no list.
pub(super) const NO: u32 = u32::MAX;

/// In the place of a list: the timer that was set last, which is on its way into one.
const LATEST: u32 = NO - 1;

/// What is kept of one `Timeout`, as long as it waits or the object lives. One line of the processor's cache: a million of them are
/// walked in another order than they were made.
#[repr(align(64))]
pub(super) struct Timer {
    /// The object, if there is one. A counted reference only while the timer is in a list.
    pub(super) object: ObjPtr,
    /// What it calls; nothing once it was cleared, or that was taken away.
    pub(super) callback: ObjPtr,
    pub(super) args: Args,
    /// When its countdown began.
    pub(super) start_ms: u64,
    /// Its number: larger for later timers.
    pub(super) id: u64,
    /// How long it waits; below 0 once it was cleared while it waited: it can never be started again.
    pub(super) idle_ms: i32,
    /// The period of an interval; 0 for none.
    pub(super) repeat_ms: i32,
    /// The list it is in, or on its way into; or [`NO`].
    pub(super) list: u32,
    pub(super) prev: Place,
    pub(super) next: Place,
    /// Whether it keeps the loop alive while it waits.
    pub(super) has_ref: bool,
    /// Whether it has fired, or was cleared: it does not count as waiting.
    pub(super) over: bool,
    /// Whether its number was asked for.
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

/// All timers of one duration that wait.
struct List {
    ms: i32,
    head: Place,
    tail: Place,
    /// Where in the heap it is.
    heap_at: u32,
    /// No two lists share this, though they may share an index one after the other.
    made: u64,
}

/// What the heap looks at: when a list is due, and among equals the order in which that was set.
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

/// Durations are small whole numbers: multiplying spreads them well enough.
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

/// What is kept of timers.
#[derive(Default)]
pub(crate) struct Timers {
    pub(super) kind: Kind,
    slab: Vec<Timer>,
    free: Vec<Place>,
    lists: Vec<List>,
    free_lists: Vec<u32>,
    by_ms: Map<i32, u32>,
    heap: Vec<Entry>,
    /// The timer that was set last. It goes into its list when the next one is set, or when somebody looks at the
    /// lists: many are cleared before that, and have made no list to throw away.
    latest: Option<Place>,
    spare: ObjectCache,
    /// Timers whose number was asked for.
    named: Map<u64, Place>,
    /// What of a millisecond was asked for besides. Nothing waits for it, but it can be read.
    fractions: HashMap<Place, f64>,
    /// How many that wait keep the loop alive.
    ref_count: usize,
    /// Whether any did when that was last asked.
    kept: bool,
    /// When the core's timer will fire, or 0 before the first.
    pub(super) next_expiry_ms: u64,
    /// Whether a pass is under way: it will see to the core's timer at its end.
    pub(super) in_pass: bool,
    /// Counts timers, lists and settings of a due time.
    count: u64,
}

impl Timers {
    pub(crate) fn ref_count(&self) -> usize {
        self.ref_count
    }

    /// Whether the loop is to be kept alive, if that is not what it was when this was last asked.
    #[inline]
    pub(super) fn keeps_changed(&mut self) -> Option<bool> {
        let keeps = self.ref_count > 0;
        (std::mem::replace(&mut self.kept, keeps) != keeps).then_some(keeps)
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

    /// Adds a timer that counts as waiting; it is in no list yet.
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

    /// An object that nobody has: the spare one, or that of the timer that was set last. Its reference is the caller's.
    #[inline]
    pub(super) fn take_unseen(&mut self, ctx: RawCtx) -> Option<Raw> {
        let latest = self.latest.and_then(|latest| self.slab.get_mut(latest as usize)).filter(|latest| !latest.named);
        self.spare.take(self.kind, ctx, latest.map(|latest| &mut latest.object))
    }

    /// Keeps the object of a timer that has fired for the next one, if nobody else has it. Then the timer is forgotten.
    #[inline]
    pub(super) fn keep_unseen(&mut self, ctx: RawCtx, place: Place, object: Raw) -> Option<Work> {
        self.spare.keep(self.kind, ctx, object).then(|| self.forget(place))
    }

    /// Forgets a timer whose object is gone, or serves another. It is in no list. What it held is the caller's.
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

    /// Milliseconds as they were asked for, of the whole ones.
    pub(super) fn as_asked(&self, place: Place, ms: i32) -> f64 {
        f64::from(ms) + if ms > 0 { self.fractions.get(&place).copied().unwrap_or(0.0) } else { 0.0 }
    }

    /// Has a timer wait for another time from the next start on. Where it waits already it stays.
    pub(super) fn set_idle(&mut self, place: Place, ms: i32) {
        self.place_latest();
        self.timer_mut(place).idle_ms = ms;
    }

    /// Puts a timer at the end of its list. Tells in how many milliseconds the core's timer has to fire, if that is sooner
    /// than it will.
    #[inline]
    pub(super) fn insert(&mut self, place: Place, start_ms: u64) -> Option<u64> {
        // Also if it is this one, which has made a list by when it was due before.
        self.place_latest();
        self.unlink(place);
        self.latest = Some(place);
        let timer = self.timer_mut(place);
        (timer.start_ms, timer.list) = (start_ms, LATEST);
        // No list of this duration could be there: it would be due before.
        let (ms, expiry_ms) = (timer.idle_ms as u64, start_ms + timer.idle_ms as u64);
        let is_sooner = !self.in_pass && (self.next_expiry_ms == 0 || self.next_expiry_ms > expiry_ms);
        is_sooner.then(|| {
            self.next_expiry_ms = expiry_ms;
            ms
        })
    }

    /// Puts the timer that was set last into its list, if it is not there yet.
    #[inline]
    fn place_latest(&mut self) {
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

    /// Takes a timer out of its list, if it is in one. The list stays, though it be empty.
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

    /// Clears a timer for good. Its object's reference, if it was in a list, is the caller's.
    ///
    /// As Node's `unenroll`: one that has fired already is left as it is. An empty list goes at once only if the timer had a
    /// reference, also that of a timer whose callback is under way.
    pub(super) fn cancel(&mut self, place: Place) {
        if self.timer(place).over {
            return;
        }
        let has_ref = self.timer(place).has_ref;
        if !has_ref || self.timer(place).list != LATEST {
            // What it leaves behind is its list; or the one that was set last may be on its way there.
            self.place_latest();
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

    /// A timer has fired, or was cleared: it does not count as waiting, and its number means nothing.
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

    /// A timer that has fired counts as waiting again.
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

    /// The timer's number. It can be found by it from now on, until it fires or is cleared: as Node, also if it has been before.
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
        self.place_latest();
        self.heap.first().map(|entry| entry.list)
    }

    pub(super) fn first_expiry_ms(&mut self) -> Option<u64> {
        self.place_latest();
        self.heap.first().map(|entry| entry.expiry_ms)
    }

    pub(super) fn expiry_ms(&self, list: u32) -> u64 {
        self.heap[self.lists[list as usize].heap_at as usize].expiry_ms
    }

    pub(super) fn made(&self, list: u32) -> u64 {
        self.lists[list as usize].made
    }

    /// The first timer of a list, if it is due. If it is not, the list is put off; if there is none, the list goes.
    pub(super) fn due_head(&mut self, list: u32, made: u64, now: u64) -> Option<Place> {
        self.place_latest();
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

    /// Has the next timers of a list on their way into the cache while the one before them is called: among a million,
    /// neighbours in a list are far apart in memory. Each step needs what the one before it has fetched.
    pub(super) fn look_ahead(&self, place: Place) {
        let Some(next) = self.slab.get(self.timer(place).next as usize) else { return };
        next.object.fetch_properties();
        let Some(second) = self.slab.get(next.next as usize) else { return };
        second.object.fetch();
        if let Some(third) = self.slab.get(second.next as usize) {
            raw::fetch(third);
        }
    }

    /// Every reference that the lists hold and what is kept beside them, which are the caller's from now on.
    pub(super) fn take_all(&mut self) -> Vec<Raw> {
        let mut held = vec![self.spare.give_up()];
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
