//! The queues of ports, which threads share: who hears whom, what waits, and the wake of who owns it.
//!
//! Nothing of JavaScript is here. Under `--cfg shuttle` the locks are shuttle's, which tries many schedules.
//!
//! # Ground rules
//! A queue's lock is held for a push, or to take all that waits: who reads has it one by one without a lock. The registry of
//! names is locked before a group's members, those before a queue. What is dropped may leave a group of its own, so it is dropped
//! under no lock.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, LazyLock, OnceLock, PoisonError, Weak};
#[cfg(not(shuttle))]
use std::sync::{Mutex, MutexGuard};

use phasor_core::AsyncSender;
#[cfg(shuttle)]
use shuttle::sync::{Mutex, MutexGuard};

use crate::clone::Message;

/// Wakes a thread that owns a queue.
pub(super) trait Wake: Send + Sync {
    fn wake(&self);
}

impl Wake for AsyncSender {
    fn wake(&self) {
        self.send();
    }
}

/// What waits in a queue.
pub(super) enum Envelope {
    /// A message, and the ports that travel with it.
    Message(Message, Vec<PortEnd>),
    /// One that several hear.
    Broadcast(Arc<Message>),
    /// The other side has gone.
    Close,
}

impl Envelope {
    /// The message and its ports; nothing if it is none.
    pub(super) fn into_message(self) -> Option<(Message, Vec<PortEnd>)> {
        match self {
            Envelope::Message(message, ports) => Some((message, ports)),
            Envelope::Broadcast(shared) => {
                Some((Arc::try_unwrap(shared).unwrap_or_else(|shared| (*shared).clone()), Vec::new()))
            }
            Envelope::Close => None,
        }
    }
}

/// The side of a channel that a port stands for. Dropped, it leaves its group, and what waits in it is lost.
pub struct PortEnd {
    inner: Arc<Inner>,
    /// What was taken out of the queue, and comes before the rest of it.
    taken: RefCell<VecDeque<Envelope>>,
}

impl Drop for PortEnd {
    fn drop(&mut self) {
        self.leave();
        // A message that waits may carry an end, in whose queue a message waits that carries one, and so on for as long as a
        // script likes: they go one after the other, where each inside the other would need a stack as deep.
        let mut lost = self.take_all();
        while let Some(envelope) = lost.pop_front() {
            let Envelope::Message(_, ends) = envelope else { continue };
            for end in ends {
                end.leave();
                lost.append(&mut end.take_all());
            }
        }
    }
}

struct Inner {
    queue: Mutex<Queue>,
    group: Mutex<Option<Arc<Group>>>,
    /// Its key among the group's members.
    seat: u64,
    /// The other one of a pair.
    peer: OnceLock<Weak<Inner>>,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Envelope>,
    /// Wakes the thread on which the port is open.
    owner: Option<Arc<dyn Wake>>,
}

/// Ends that hear each other.
struct Group {
    /// A broadcast channel's name; a pair has none, and ends when one of it does.
    name: Option<String>,
    members: Mutex<Members>,
}

/// In the order they came, and found without a walk: thousands may leave a name at once.
#[derive(Default)]
struct Members {
    by_seat: BTreeMap<u64, Weak<Inner>>,
    next_seat: u64,
}

impl Members {
    fn others_than(&self, one: &Arc<Inner>) -> Vec<Arc<Inner>> {
        self.by_seat.values().filter_map(Weak::upgrade).filter(|member| !Arc::ptr_eq(member, one)).collect()
    }
}

/// The groups with a name, of all threads.
static NAMED: LazyLock<Mutex<HashMap<String, Weak<Group>>>> = LazyLock::new(Mutex::default);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What a panicking thread left is still a queue.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl PortEnd {
    fn join(group: Arc<Group>) -> PortEnd {
        let mut members = lock(&group.members);
        let seat = members.next_seat;
        members.next_seat += 1;
        let (queue, group_of) = (Mutex::default(), Mutex::new(Some(group.clone())));
        let inner = Arc::new(Inner { queue, group: group_of, seat, peer: OnceLock::new() });
        members.by_seat.insert(seat, Arc::downgrade(&inner));
        drop(members);
        PortEnd { inner, taken: RefCell::default() }
    }

    /// The two ends of a new channel.
    pub fn pair() -> (PortEnd, PortEnd) {
        let group = Arc::new(Group { name: None, members: Mutex::default() });
        let (one, other) = (PortEnd::join(group.clone()), PortEnd::join(group));
        for (end, peer) in [(&one, &other), (&other, &one)] {
            let _ = end.inner.peer.set(Arc::downgrade(&peer.inner));
        }
        (one, other)
    }

    /// An end of the group of a name.
    pub fn named(name: &str) -> PortEnd {
        let mut named = lock(&NAMED);
        let known = named.get(name).and_then(Weak::upgrade);
        let group = known.unwrap_or_else(|| {
            let group = Arc::new(Group { name: Some(name.to_owned()), members: Mutex::default() });
            named.insert(name.to_owned(), Arc::downgrade(&group));
            group
        });
        PortEnd::join(group)
    }

    /// Sends to everybody else of the group. Whether there was anybody.
    pub fn post(&self, message: Message, ports: Vec<PortEnd>) -> bool {
        match self.inner.peer.get() {
            Some(peer) => self.post_to(peer, message, ports),
            // Only pairs carry ports.
            None => self.broadcast(message),
        }
    }

    fn post_to(&self, peer: &Weak<Inner>, message: Message, ports: Vec<PortEnd>) -> bool {
        let is_open = lock(&self.inner.group).is_some();
        let Some(peer) = peer.upgrade().filter(|_| is_open) else { return false };
        peer.push(Envelope::Message(message, ports));
        true
    }

    fn broadcast(&self, message: Message) -> bool {
        let message = Arc::new(message);
        let Some(group) = lock(&self.inner.group).clone() else { return false };
        let members = lock(&group.members);
        let others = members.others_than(&self.inner);
        // Under the lock: who hears of two messages hears of them in the same order as everybody else.
        for other in &others {
            other.push(Envelope::Broadcast(message.clone()));
        }
        // The last of one may be here: it goes after the lock.
        drop(members);
        !others.is_empty()
    }

    /// Makes a thread the owner: it is woken for whatever comes, and now if something waits.
    pub(super) fn set_owner(&self, owner: Arc<dyn Wake>) {
        let mut queue = lock(&self.inner.queue);
        if !queue.waiting.is_empty() || !self.taken.borrow().is_empty() {
            owner.wake();
        }
        queue.owner = Some(owner);
    }

    /// Nobody is woken from now on.
    pub(super) fn disown(&self) {
        let owner = lock(&self.inner.queue).owner.take();
        drop(owner);
    }

    /// Wakes the owner if something waits.
    pub(super) fn remind(&self) {
        let queue = lock(&self.inner.queue);
        if let (false, Some(owner)) = (queue.waiting.is_empty() && self.taken.borrow().is_empty(), &queue.owner) {
            owner.wake();
        }
    }

    /// How much waits.
    pub(super) fn waiting(&self) -> usize {
        lock(&self.inner.queue).waiting.len() + self.taken.borrow().len()
    }

    /// The oldest that waits, if it is wanted.
    pub(super) fn take_if(&self, wanted: impl FnOnce(&Envelope) -> bool) -> Option<Envelope> {
        let mut taken = self.taken.borrow_mut();
        if taken.is_empty() {
            std::mem::swap(&mut *taken, &mut lock(&self.inner.queue).waiting);
        }
        if wanted(taken.front()?) { taken.pop_front() } else { None }
    }

    /// Everything that waits.
    fn take_all(&self) -> VecDeque<Envelope> {
        let mut all = self.taken.take();
        all.append(&mut lock(&self.inner.queue).waiting);
        all
    }

    /// Whether the two hear each other.
    pub(super) fn is_entangled_with(&self, other: &PortEnd) -> bool {
        self.others().iter().any(|inner| Arc::ptr_eq(inner, &other.inner))
    }

    fn others(&self) -> Vec<Arc<Inner>> {
        let Some(group) = lock(&self.inner.group).clone() else { return Vec::new() };
        let members = lock(&group.members);
        members.others_than(&self.inner)
    }

    /// Leaves the group. The other end of a pair is told to close.
    fn leave(&self) {
        let Some(group) = lock(&self.inner.group).take() else { return };
        let Some(name) = &group.name else {
            let others = std::mem::take(&mut lock(&group.members).by_seat);
            for other in others.values().filter_map(Weak::upgrade).filter(|other| !Arc::ptr_eq(other, &self.inner)) {
                other.push(Envelope::Close);
            }
            return;
        };
        let mut named = lock(&NAMED);
        let mut members = lock(&group.members);
        members.by_seat.remove(&self.inner.seat);
        if members.by_seat.is_empty() {
            named.remove(name);
        }
    }
}

impl Inner {
    fn push(&self, envelope: Envelope) {
        let owner = {
            let mut queue = lock(&self.queue);
            queue.waiting.push_back(envelope);
            queue.owner.clone()
        };
        // After the lock, which is the first thing that whoever wakes wants. One who is not the owner any more finds nothing.
        if let Some(owner) = owner {
            owner.wake();
        }
    }
}

#[cfg(all(test, shuttle))]
mod shuttle_tests;

#[cfg(all(test, not(shuttle)))]
mod tests {
    use super::*;

    #[test]
    fn a_long_chain_of_ends_in_queues_of_ends_is_dropped_on_a_short_stack() {
        let chain = || {
            let (mut inner, _) = PortEnd::pair();
            for _ in 0..100_000 {
                let (sender, end) = PortEnd::pair();
                assert!(sender.post(Message::of_texts(&[]), vec![inner]));
                inner = end;
            }
            drop(inner);
        };
        std::thread::Builder::new().stack_size(128 << 10).spawn(chain).unwrap().join().unwrap();
    }
}
