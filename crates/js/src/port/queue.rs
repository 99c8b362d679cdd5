//! The queues of message ports, which threads share: groups of ends, queued messages, and the wakeup of the owning thread.
//!
//! No JavaScript values here. Under `--cfg shuttle` the locks are shuttle's, which explores many schedules.
//!
//! # Ground rules
//! A queue's lock is held for a push, or to take all queued messages; the reader then iterates without a lock. Lock
//! order: the registry of names, a group's members, a queue. Dropping a message may make an end leave its group, so
//! messages are dropped without a lock.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, LazyLock, OnceLock, PoisonError, Weak};
#[cfg(not(shuttle))]
use std::sync::{Mutex, MutexGuard};

use phasor_core::AsyncSender;
#[cfg(shuttle)]
use shuttle::sync::{Mutex, MutexGuard};

use crate::clone::Message;

/// Wakes the thread that owns a queue.
pub(super) trait Wake: Send + Sync {
    fn wake(&self);
}

impl Wake for AsyncSender {
    fn wake(&self) {
        self.send();
    }
}

/// An entry of a queue.
pub(super) enum Envelope {
    /// A message, and the ports that travel with it.
    Message(Message, Vec<PortEnd>),
    /// A message with several receivers.
    Broadcast(Arc<Message>),
    /// The other end has closed.
    Close,
}

impl Envelope {
    /// The message and its ports; `None` for a close.
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

/// One end of a channel. When dropped, it leaves its group, and its queued messages are lost.
pub struct PortEnd {
    inner: Arc<Inner>,
    /// Messages taken from the queue that precede the rest of it.
    taken: RefCell<VecDeque<Envelope>>,
}

impl Drop for PortEnd {
    fn drop(&mut self) {
        self.leave();
        // A queued message may carry an end whose queue holds a message that carries an end, and so on. Drop them
        // iteratively: recursion could overflow the stack.
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
    /// The key of the port among the group's members.
    seat: u64,
    /// The other end of a pair.
    peer: OnceLock<Weak<Inner>>,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Envelope>,
    /// Wakes the thread on which the port is open.
    owner: Option<Arc<dyn Wake>>,
}

/// Ends that receive each other's messages.
struct Group {
    /// The name of a broadcast channel. A pair has none, and closes when one of its ends does.
    name: Option<String>,
    members: Mutex<Members>,
}

/// The members of a group, in the order they joined. A map, because thousands may leave one name at once.
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

/// The named groups of all threads.
static NAMED: LazyLock<Mutex<HashMap<String, Weak<Group>>>> = LazyLock::new(Mutex::default);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A queue stays consistent if a thread panics: ignore poisoning.
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

    /// Creates the two ends of a new channel.
    pub fn pair() -> (PortEnd, PortEnd) {
        let group = Arc::new(Group { name: None, members: Mutex::default() });
        let (one, other) = (PortEnd::join(group.clone()), PortEnd::join(group));
        for (end, peer) in [(&one, &other), (&other, &one)] {
            let _ = end.inner.peer.set(Arc::downgrade(&peer.inner));
        }
        (one, other)
    }

    /// Creates an end in the group with this name.
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

    /// Sends to every other end of the group. Returns whether there was one.
    pub fn post(&self, message: Message, ports: Vec<PortEnd>) -> bool {
        match self.inner.peer.get() {
            Some(peer) => self.post_to(peer, message, ports),
            // Only a channel of two ports can carry ports.
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
        // Push under the lock, so that all receivers get concurrent messages in the same order.
        for other in &others {
            other.push(Envelope::Broadcast(message.clone()));
        }
        // The last reference to a message may be here: drop it after unlocking.
        drop(members);
        !others.is_empty()
    }

    /// Sets the owning thread. It is woken for each message, and now if messages are queued.
    pub(super) fn set_owner(&self, owner: Arc<dyn Wake>) {
        let mut queue = lock(&self.inner.queue);
        if !queue.waiting.is_empty() || !self.taken.borrow().is_empty() {
            owner.wake();
        }
        queue.owner = Some(owner);
    }

    /// Clears the owner: no thread is woken from now on.
    pub(super) fn disown(&self) {
        let owner = lock(&self.inner.queue).owner.take();
        drop(owner);
    }

    /// Wakes the owner if messages are queued.
    pub(super) fn wake_if_queued(&self) {
        let queue = lock(&self.inner.queue);
        if let (false, Some(owner)) = (queue.waiting.is_empty() && self.taken.borrow().is_empty(), &queue.owner) {
            owner.wake();
        }
    }

    /// The number of queued entries.
    pub(super) fn waiting(&self) -> usize {
        lock(&self.inner.queue).waiting.len() + self.taken.borrow().len()
    }

    /// The oldest entry, if the predicate accepts it.
    pub(super) fn take_if(&self, wanted: impl FnOnce(&Envelope) -> bool) -> Option<Envelope> {
        let mut taken = self.taken.borrow_mut();
        if taken.is_empty() {
            std::mem::swap(&mut *taken, &mut lock(&self.inner.queue).waiting);
        }
        if wanted(taken.front()?) { taken.pop_front() } else { None }
    }

    /// All queued entries.
    fn take_all(&self) -> VecDeque<Envelope> {
        let mut all = self.taken.take();
        all.append(&mut lock(&self.inner.queue).waiting);
        all
    }

    /// Whether the two ends belong to the same channel.
    pub(super) fn is_entangled_with(&self, other: &PortEnd) -> bool {
        self.others().iter().any(|inner| Arc::ptr_eq(inner, &other.inner))
    }

    fn others(&self) -> Vec<Arc<Inner>> {
        let Some(group) = lock(&self.inner.group).clone() else { return Vec::new() };
        let members = lock(&group.members);
        members.others_than(&self.inner)
    }

    /// Leaves the group. Closes the other end of a pair.
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
        // Wake after unlocking: the woken thread takes the lock first. A thread that has given up the end finds no
        // message and ignores the wakeup.
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
