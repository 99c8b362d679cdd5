//! Message ports: pairs of queues that send to each other, and named groups of them (broadcast channels).
//!
//! A [`PortEnd`] can be transferred to another thread. An open port has an async handle on its thread's loop, so the poll phase delivers
//! messages, each followed by its own drain. The `emit` function passed to [`open`] creates the JavaScript event.
//!
//! The queues, which threads share, are in `queue`.

mod queue;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use phasor_core::{Event, HandleId};
use phasor_engine::{Array, Fallible, Function, Global, Local, Object, Scope, Value};
use phasor_lens::CallbackKind;

use self::queue::Envelope;
pub use self::queue::PortEnd;
use crate::clone::{Message, Parts};
use crate::dispatch::Ended;
use crate::face::{JsFace, OnEvent};
use crate::state::state;
use crate::why::About;

/// The minimum number of messages that one wakeup may deliver; a longer queue is delivered up to its length at that time. As
/// `src/node_messaging.cc: MessagePort::OnMessage`: a port whose listener posts to itself must not block the loop forever.
const LEAST_PER_WAKE: usize = 1000;

/// Time limit for the messages beyond that number.
const MOST_PER_WAKE: Duration = Duration::from_millis(20);

/// A port that is open on this thread.
pub struct Port {
    id: Cell<Option<HandleId>>,
    end: RefCell<Option<PortEnd>>,
    /// Whether messages are delivered. A close is always delivered.
    receiving: Cell<bool>,
    /// `(event, value, ports)`: the first is a number of [`PortEvent`].
    emit: RefCell<Option<Global<Function>>>,
    /// The functions that [`Parts`] uses to deserialize.
    parts: RefCell<Option<Global<Object>>>,
    /// Creates the JavaScript port for an end that came with a message.
    adopt: Adopt,
}

impl std::fmt::Debug for Port {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Port").field("id", &self.id.get()).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for PortEnd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PortEnd").finish_non_exhaustive()
    }
}

/// Creates the JavaScript port for a transferred end.
pub type Adopt = for<'s> fn(Scope<'s>, Local<'_, Object>, PortEnd) -> Fallible<Local<'s, Value>>;

/// Opens an end on this thread's loop. Its async handle is unreferenced, and nothing is delivered yet.
pub fn open(
    scope: Scope<'_>,
    end: PortEnd,
    emit: Local<'_, Function>,
    parts: Local<'_, Object>,
    adopt: Adopt,
) -> Rc<Port> {
    let port = Rc::new(Port {
        id: Cell::new(None),
        end: RefCell::new(None),
        receiving: Cell::new(false),
        emit: RefCell::new(Some(Global::new(scope, emit))),
        parts: RefCell::new(Some(Global::new(scope, parts))),
        adopt,
    });
    let host = state(scope);
    let (id, sender) = host.core().async_open(port.clone());
    // Cannot fail: the handle was just opened.
    let _ = host.core().set_ref(id, false);
    port.id.set(Some(id));
    end.set_owner(Arc::new(sender));
    *port.end.borrow_mut() = Some(end);
    port
}

impl Port {
    /// Sends a message to the other end. Returns whether there was one; `None` if this port is closed.
    pub fn post(&self, message: Message, ports: Vec<PortEnd>) -> Option<bool> {
        self.end.borrow().as_ref().map(|end| end.post(message, ports))
    }

    /// Posts a message like [`Port::post`]. Called by JavaScript: the message appears in the recording of this thread.
    pub fn post_recorded(&self, scope: Scope<'_>, mut message: Message, ports: Vec<PortEnd>) -> Option<bool> {
        message.flow = state(scope).message_posted(scope, self.id.get(), || message.len_bytes());
        self.post(message, ports)
    }

    /// Whether the two are the ends of one channel.
    pub fn is_entangled_with(&self, other: &Port) -> bool {
        let (end, other) = (self.end.borrow(), other.end.borrow());
        let (Some(end), Some(other)) = (end.as_ref(), other.as_ref()) else { return false };
        end.is_entangled_with(other)
    }

    /// The function that [`open`] was given; `None` once the port is closed.
    pub fn emit_function<'s>(&self, scope: Scope<'s>) -> Option<Local<'s, Function>> {
        self.emit.borrow().as_ref().map(|emit| emit.get(scope))
    }

    /// Starts delivering messages.
    pub fn start(&self) {
        self.receiving.set(true);
        if let Some(end) = self.end.borrow().as_ref() {
            end.wake_if_queued();
        }
    }

    /// Stops delivering messages until the next start.
    pub fn stop(&self) {
        self.receiving.set(false);
    }

    /// Whether the port keeps the loop alive; `None` once it is closed.
    pub fn has_ref(&self, scope: Scope<'_>) -> Option<bool> {
        self.id.get().map(|id| state(scope).core().has_ref(id))
    }

    /// Sets whether the port keeps the loop alive.
    pub fn set_ref(&self, scope: Scope<'_>, keeps_alive: bool) {
        if let Some(id) = self.id.get() {
            let _ = state(scope).core().set_ref(id, keeps_alive);
        }
    }

    /// Starts closing; the closing phase does the rest.
    pub fn close(&self, scope: Scope<'_>) {
        if let Some(id) = self.id.take() {
            let _ = state(scope).core().close(id);
        }
    }

    /// Detaches the end for a transfer; the port is closed.
    pub fn detach(&self, scope: Scope<'_>) -> Option<PortEnd> {
        let end = self.end.take()?;
        end.disown();
        self.close(scope);
        Some(end)
    }

    /// The next message, if it may be delivered now.
    fn next(&self) -> Option<Envelope> {
        let is_wanted = |envelope: &Envelope| self.receiving.get() || matches!(envelope, Envelope::Close);
        self.end.borrow().as_ref()?.take_if(is_wanted)
    }

    /// Takes the oldest message synchronously, whether the port is started or not (`receiveMessageOnPort`).
    ///
    /// # Errors
    ///
    /// When the message cannot be deserialized.
    pub fn receive<'s>(&self, scope: Scope<'s>) -> Fallible<Option<Local<'s, Value>>> {
        let is_message = |envelope: &Envelope| !matches!(envelope, Envelope::Close);
        let taken = self.end.borrow().as_ref().and_then(|end| end.take_if(is_message));
        let Some((message, ports)) = taken.and_then(Envelope::into_message) else { return Ok(None) };
        self.open_message(scope, message, ports).map(|(value, _)| Some(value))
    }

    #[allow(clippy::type_complexity)]
    fn open_message<'s>(
        &self,
        scope: Scope<'s>,
        message: Message,
        ports: Vec<PortEnd>,
    ) -> Fallible<(Local<'s, Value>, Vec<Local<'s, Value>>)> {
        let parts = self.parts.borrow().as_ref().map(|parts| parts.get(scope));
        let Some(parts) = parts else { return Ok((scope.undefined(), Vec::new())) };
        let ports = ports.into_iter().map(|end| (self.adopt)(scope, parts, end)).collect::<Fallible<Vec<_>>>()?;
        let value = crate::clone::deserialize(scope, Parts(parts), message, &ports)?;
        Ok((value, ports))
    }

    fn deliver(&self, scope: Scope<'_>, message: Message, ports: Vec<PortEnd>) -> Fallible<()> {
        let emit = self.emit.borrow().as_ref().map(|emit| emit.get(scope));
        let Some(emit) = emit else { return Ok(()) };
        let this = scope.undefined();
        match self.open_message(scope, message, ports) {
            Ok((value, ports)) if ports.is_empty() => {
                emit.call(scope, this, &[PortEvent::Message.number(scope), value])
            }
            Ok((value, ports)) => {
                let ports = Array::new(scope, &ports)?;
                emit.call(scope, this, &[PortEvent::Message.number(scope), value, ports.as_value()])
            }
            Err(thrown) => match scope.caught(thrown) {
                Some(error) => emit.call(scope, this, &[PortEvent::MessageError.number(scope), error]),
                None => Err(scope.terminate()),
            },
        }
        .map(|_| ())
    }
}

/// Events of a port.
#[derive(Clone, Copy)]
enum PortEvent {
    Message = 0,
    MessageError = 1,
    Close = 2,
}

impl PortEvent {
    fn number(self, scope: Scope<'_>) -> Local<'_, Value> {
        scope.number(self as i32)
    }
}

impl Port {
    /// Delivers all messages queued now, even if the port is not started: for a port whose other end is closed.
    pub fn deliver_rest(&self, scope: Scope<'_>) {
        self.receiving.set(true);
        self.deliver_waiting(scope, true);
    }

    fn deliver_waiting(&self, scope: Scope<'_>, takes_all: bool) {
        let host = state(scope);
        let waiting = self.end.borrow().as_ref().map_or(0, PortEnd::waiting);
        let limit = waiting.max(LEAST_PER_WAKE);
        let began = Instant::now();
        for count in 0..limit {
            // Unlike Node, limit the time too: if other threads post faster than this port's listener runs, each delivery in Node is
            // longer than the last.
            if count >= LEAST_PER_WAKE && count % 64 == 0 && !takes_all && began.elapsed() > MOST_PER_WAKE {
                break;
            }
            let Some(envelope) = self.next() else { return };
            let Some((message, ports)) = envelope.into_message() else { return self.close(scope) };
            host.watch_begins(scope, CallbackKind::Message);
            let ended = scope.nested(|scope| {
                let ended = host.recorded_message(scope, self.id.get(), message, |message| {
                    let result = self.deliver(scope, message, ports);
                    let ended = host.settled(scope, result);
                    host.leave_scopes(scope);
                    ended
                });
                match ended {
                    Ok(Ended::Completed) => host.run_next_ticks(scope),
                    other => other,
                }
            });
            match ended {
                Ok(Ended::Completed) => {}
                // After an exception, the remaining messages and the ticks wait for the next iteration
                // (`src/node_messaging.cc: MessagePort::OnMessage`).
                Ok(Ended::Threw) => break,
                Err(_) => return,
            }
        }
        // Wake again even if a listener has stopped the port: a close in the queue is still delivered.
        if let Some(end) = self.end.borrow().as_ref() {
            end.wake_if_queued();
        }
    }
}

impl OnEvent for Port {
    fn describe<'s>(&self, scope: Scope<'s>, about: &mut About<'s>) {
        about.entry.kind = "message port".into();
        about.callback = self.emit.borrow().as_ref().map(|emit| emit.get(scope));
    }

    fn on_event(&self, scope: Scope<'_>, _id: HandleId, _event: Event<JsFace>) -> Fallible<()> {
        // Each message is a callback with its own drain. The event itself is not: it may deliver no message.
        state(scope).skip_drain();
        self.deliver_waiting(scope, false);
        Ok(())
    }

    fn on_closed(&self, scope: Scope<'_>) -> Fallible<()> {
        if let Some(end) = self.end.take() {
            end.disown();
        }
        drop(self.parts.take());
        let Some(emit) = self.emit.take() else { return Ok(()) };
        emit.get(scope).call(scope, scope.undefined(), &[PortEvent::Close.number(scope)]).map(|_| ())
    }
}
