//! Message ports: two queues that send to each other, and named groups of them (broadcast channels).
//!
//! A [`PortEnd`] is the part that may travel to another thread; a port that is open on a thread has an async handle of
//! that thread's loop, so messages are delivered by the poll phase, each followed by a drain of its own. What an event
//! looks like to JavaScript is not decided here: the function given to [`open`] makes it.
//!
//! # Ground rules
//! The queue's lock is held for a push or a pop, never while JavaScript runs. The registry of names is locked before a
//! group's members, those before a queue.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::rc::Rc;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

use phasor_core::{AsyncSender, Event, HandleId};
use rquickjs::{Ctx, Function, Object, Persistent, Result, Value};

use crate::clone::{Message, Parts};
use crate::dispatch::Ended;
use crate::face::{JsFace, OnEvent};
use crate::state::state;

/// How many messages one wake may deliver at least; a longer queue is delivered as far as it was long. As Node: a port
/// that is fed by its own listener must not hold the loop for ever.
const LEAST_PER_WAKE: usize = 1000;

/// What waits in a queue.
enum Envelope {
    /// A message, and the ports that travel with it.
    Message(Arc<Message>, Vec<PortEnd>),
    /// The other side has gone.
    Close,
}

/// The side of a channel that a port stands for. Dropped, it leaves its group, and what waits in it is lost.
pub struct PortEnd(Arc<Inner>);

impl Drop for PortEnd {
    fn drop(&mut self) {
        self.leave();
    }
}

struct Inner {
    queue: Mutex<Queue>,
    group: Mutex<Option<Arc<Group>>>,
    /// Its key among the group's members.
    seat: u64,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Envelope>,
    /// Wakes the thread on which the port is open.
    owner: Option<AsyncSender>,
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
        let inner = Arc::new(Inner { queue: Mutex::default(), group: Mutex::new(Some(group.clone())), seat });
        members.by_seat.insert(seat, Arc::downgrade(&inner));
        drop(members);
        PortEnd(inner)
    }

    /// The two ends of a new channel.
    pub fn pair() -> (PortEnd, PortEnd) {
        let group = Arc::new(Group { name: None, members: Mutex::default() });
        (PortEnd::join(group.clone()), PortEnd::join(group))
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
    pub fn post(&self, message: Message, mut ports: Vec<PortEnd>) -> bool {
        let message = Arc::new(message);
        let Some(group) = lock(&self.0.group).clone() else { return false };
        let members = lock(&group.members);
        let others = members.others_than(&self.0);
        // Under the lock: who hears of two messages hears of them in the same order as everybody else.
        for other in &others {
            // Only pairs carry ports, and a pair has one other.
            other.push(Envelope::Message(message.clone(), std::mem::take(&mut ports)));
        }
        // The last of one may be here: it goes after the lock.
        drop(members);
        !others.is_empty()
    }

    fn others(&self) -> Vec<Arc<Inner>> {
        let Some(group) = lock(&self.0.group).clone() else { return Vec::new() };
        let members = lock(&group.members);
        members.others_than(&self.0)
    }

    /// Leaves the group. The other end of a pair is told to close.
    fn leave(&self) {
        let Some(group) = lock(&self.0.group).take() else { return };
        let Some(name) = &group.name else {
            let others = std::mem::take(&mut lock(&group.members).by_seat);
            for other in others.values().filter_map(Weak::upgrade).filter(|other| !Arc::ptr_eq(other, &self.0)) {
                other.push(Envelope::Close);
            }
            return;
        };
        let mut named = lock(&NAMED);
        let mut members = lock(&group.members);
        members.by_seat.remove(&self.0.seat);
        if members.by_seat.is_empty() {
            named.remove(name);
        }
    }
}

impl Inner {
    fn push(&self, envelope: Envelope) {
        let mut queue = lock(&self.queue);
        queue.waiting.push_back(envelope);
        if let Some(owner) = &queue.owner {
            owner.send();
        }
    }
}

/// A port that is open on this thread.
pub struct Port {
    id: Cell<Option<HandleId>>,
    end: RefCell<Option<PortEnd>>,
    /// Whether messages are delivered; a close is in any case.
    receiving: Cell<bool>,
    /// `(kind, value, ports)`: 'message', 'messageerror' or 'close'.
    emit: RefCell<Option<Persistent<Function<'static>>>>,
    /// The functions of the clone.
    parts: RefCell<Option<Persistent<Object<'static>>>>,
    /// Makes JavaScript's port of one that came with a message.
    adopt: Adopt,
}

/// Makes JavaScript's port of an end that came with a message; gets the functions of the clone.
pub type Adopt = for<'js> fn(&Object<'js>, PortEnd) -> Result<Value<'js>>;

/// Opens an end on this thread's loop: an async handle that does not keep the loop alive yet, and delivers nothing.
pub fn open<'js>(ctx: &Ctx<'js>, end: PortEnd, emit: Function<'js>, parts: Object<'js>, adopt: Adopt) -> Rc<Port> {
    let port = Rc::new(Port {
        id: Cell::new(None),
        end: RefCell::new(None),
        receiving: Cell::new(false),
        emit: RefCell::new(Some(Persistent::save(ctx, emit))),
        parts: RefCell::new(Some(Persistent::save(ctx, parts))),
        adopt,
    });
    let host = state(ctx);
    let (id, sender) = host.core().async_open(port.clone());
    // A new handle is there: it cannot be refused.
    let _ = host.core().set_ref(id, false);
    port.id.set(Some(id));
    {
        let mut queue = lock(&end.0.queue);
        if !queue.waiting.is_empty() {
            sender.send();
        }
        queue.owner = Some(sender);
    }
    *port.end.borrow_mut() = Some(end);
    port
}

impl Port {
    /// Sends a message to the other side. Whether there was one; nothing if this one is gone.
    pub fn post(&self, message: Message, ports: Vec<PortEnd>) -> Option<bool> {
        self.end.borrow().as_ref().map(|end| end.post(message, ports))
    }

    /// Whether the two are the ends of one channel.
    pub fn is_entangled_with(&self, other: &Port) -> bool {
        let (end, other) = (self.end.borrow(), other.end.borrow());
        let (Some(end), Some(other)) = (end.as_ref(), other.as_ref()) else { return false };
        end.others().iter().any(|inner| Arc::ptr_eq(inner, &other.0))
    }

    /// Delivers messages from now on.
    pub fn start(&self) {
        self.receiving.set(true);
        let end = self.end.borrow();
        let Some(end) = end.as_ref() else { return };
        let queue = lock(&end.0.queue);
        if let (false, Some(owner)) = (queue.waiting.is_empty(), &queue.owner) {
            owner.send();
        }
    }

    /// Delivers nothing more until it is started again.
    pub fn stop(&self) {
        self.receiving.set(false);
    }

    /// Whether the port keeps the loop alive; nothing once it is closed.
    pub fn has_ref(&self, ctx: &Ctx<'_>) -> Option<bool> {
        self.id.get().map(|id| state(ctx).core().has_ref(id))
    }

    /// Says whether the port keeps the loop alive.
    pub fn set_ref(&self, ctx: &Ctx<'_>, keeps_alive: bool) {
        if let Some(id) = self.id.get() {
            let _ = state(ctx).core().set_ref(id, keeps_alive);
        }
    }

    /// Begins to close: the rest happens in the closing phase.
    pub fn close(&self, ctx: &Ctx<'_>) {
        if let Some(id) = self.id.take() {
            let _ = state(ctx).core().close(id);
        }
    }

    /// Takes the end away, to send it elsewhere; the port is closed.
    pub fn detach(&self, ctx: &Ctx<'_>) -> Option<PortEnd> {
        let end = self.end.take()?;
        lock(&end.0.queue).owner = None;
        self.close(ctx);
        Some(end)
    }

    /// The next of the queue, if it may be delivered now.
    fn next(&self) -> Option<Envelope> {
        let end = self.end.borrow();
        let mut queue = lock(&end.as_ref()?.0.queue);
        match queue.waiting.front() {
            Some(Envelope::Close) => queue.waiting.pop_front(),
            Some(Envelope::Message(..)) if self.receiving.get() => queue.waiting.pop_front(),
            _ => None,
        }
    }

    /// Takes the oldest message by hand, started or not.
    pub fn receive<'js>(&self, ctx: &Ctx<'js>) -> Result<Option<Value<'js>>> {
        let taken = {
            let end = self.end.borrow();
            let Some(end) = end.as_ref() else { return Ok(None) };
            let mut queue = lock(&end.0.queue);
            match queue.waiting.front() {
                Some(Envelope::Message(..)) => queue.waiting.pop_front(),
                _ => None,
            }
        };
        let Some(Envelope::Message(message, ports)) = taken else { return Ok(None) };
        self.open_message(ctx, message, ports).map(|(value, _)| Some(value))
    }

    fn open_message<'js>(
        &self,
        ctx: &Ctx<'js>,
        message: Arc<Message>,
        ports: Vec<PortEnd>,
    ) -> Result<(Value<'js>, Vec<Value<'js>>)> {
        let Some(parts) = self.parts.borrow().clone() else {
            return Ok((Value::new_undefined(ctx.clone()), Vec::new()));
        };
        let parts = parts.restore(ctx)?;
        let ports = ports.into_iter().map(|end| (self.adopt)(&parts, end)).collect::<Result<Vec<_>>>()?;
        let message = Arc::try_unwrap(message).unwrap_or_else(|shared| (*shared).clone());
        let value = crate::clone::deserialize(ctx, &Parts::of(&parts)?, message, &ports)?;
        Ok((value, ports))
    }

    fn deliver<'js>(&self, ctx: &Ctx<'js>, message: Arc<Message>, ports: Vec<PortEnd>) -> Result<()> {
        let Some(emit) = self.emit.borrow().clone() else { return Ok(()) };
        let emit = emit.restore(ctx)?;
        match self.open_message(ctx, message, ports) {
            Ok((value, ports)) => emit.call(("message", value, ports)),
            Err(rquickjs::Error::Exception) => emit.call(("messageerror", ctx.catch(), Vec::<Value<'js>>::new())),
            Err(error) => Err(error),
        }
    }
}

impl Port {
    /// Delivers what waits, whether it was started or not, as far as it waits now: for one whose other side has ended.
    pub fn deliver_rest(&self, ctx: &Ctx<'_>) {
        self.receiving.set(true);
        self.deliver_waiting(ctx);
    }

    fn deliver_waiting(&self, ctx: &Ctx<'_>) {
        let host = state(ctx);
        let waiting = self.end.borrow().as_ref().map_or(0, |end| lock(&end.0.queue).waiting.len());
        let limit = waiting.max(LEAST_PER_WAKE);
        for _ in 0..limit {
            let result = match self.next() {
                None => return,
                Some(Envelope::Message(message, ports)) => self.deliver(ctx, message, ports),
                Some(Envelope::Close) => return self.close(ctx),
            };
            let ended = match host.settled(ctx, result) {
                Ok(Ended::Well) => host.run_next_ticks(),
                other => other,
            };
            match ended {
                Ok(Ended::Well) => {}
                // As Node's `OnMessage`: after an exception the rest waits for the next turn, and so do the ticks.
                Ok(Ended::Badly) => break,
                Err(_) => return,
            }
        }
        if self.receiving.get() {
            self.start();
        }
    }
}

impl OnEvent for Port {
    fn on_event(&self, ctx: &Ctx<'_>, _id: HandleId, _event: Event<JsFace>) -> Result<()> {
        // Each message is a callback of its own and is drained as such. The event is none: it may come for no message.
        state(ctx).skip_drain();
        self.deliver_waiting(ctx);
        Ok(())
    }

    fn on_closed(&self, ctx: &Ctx<'_>) -> Result<()> {
        if let Some(end) = self.end.take() {
            lock(&end.0.queue).owner = None;
        }
        // Each is given up after its borrow: freeing may run finalizers.
        drop(self.parts.take());
        let Some(emit) = self.emit.take() else { return Ok(()) };
        emit.restore(ctx)?.call(("close",))
    }
}
