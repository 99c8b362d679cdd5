//! `postMessageToThread`: messages to any thread by its id. Each thread registers a port as its mailbox.
//!
//! Listeners and replies are in `threads.js`.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use phasor_engine::{ArrayBuffer, Fallible, Local, Object, Scope, Value, define_natives};
use phasor_js::port::PortEnd;
use phasor_js::state;

use crate::messaging;

/// The sending ends of the mailboxes, by thread id.
static BOXES: LazyLock<Mutex<HashMap<u32, PortEnd>>> = LazyLock::new(Mutex::default);

fn boxes() -> MutexGuard<'static, HashMap<u32, PortEnd>> {
    BOXES.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn define(scope: Scope<'_>, natives: Local<'_, Object>) -> Fallible<()> {
    define_natives!(scope, natives,
        "putUpBox" => |scope| messaging::register(register_mailbox(state(scope).options().thread_id)),
        "hasBox" => |_, thread: f64| boxes().keys().any(|known| f64::from(*known) == thread),
        "send" => send,
    );
    Ok(())
}

/// Registers the mailbox of a thread and returns its receiving end.
pub(super) fn register_mailbox(thread: u32) -> PortEnd {
    let (outer, inner) = PortEnd::pair();
    let old = boxes().insert(thread, outer);
    // Drop it after the lock is released: dropping wakes other threads.
    drop(old);
    inner
}

/// Removes the mailbox of a thread. Unread messages are lost, and their senders are notified.
pub(super) fn remove_mailbox(thread: u32) {
    let outer = boxes().remove(&thread);
    drop(outer);
}

/// Sends a value to a thread. Returns false if it has no mailbox; then no port or buffer is detached.
fn send<'s>(
    scope: Scope<'s>,
    thread: u32,
    parts: Local<'s, Object>,
    value: Local<'s, Value>,
    buffers: Vec<Local<'s, ArrayBuffer>>,
    ports: Vec<Local<'s, Value>>,
    numbers: Vec<u32>,
) -> Fallible<bool> {
    if !boxes().contains_key(&thread) {
        return Ok(false);
    }
    let (message, ends) = messaging::serialize(scope, parts, value, &buffers, &ports, &numbers)?;
    Ok(boxes().get(&thread).is_some_and(|outer| outer.post(message, ends)))
}
