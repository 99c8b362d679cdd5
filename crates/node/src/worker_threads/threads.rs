//! Messages to any thread by its number: the letter boxes that threads put up.
//!
//! Who listens, and what the answer is, is in `threads.js`.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use phasor_js::port::PortEnd;
use phasor_js::state;
use rquickjs::{ArrayBuffer, Ctx, Object, Result, Value};

use crate::messaging;

/// The outer ends of the letter boxes, by thread.
static BOXES: LazyLock<Mutex<HashMap<u32, PortEnd>>> = LazyLock::new(Mutex::default);

fn boxes() -> MutexGuard<'static, HashMap<u32, PortEnd>> {
    BOXES.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn define<'js>(ctx: &Ctx<'js>, verbs: &Object<'js>) -> Result<()> {
    verbs! { ctx, verbs,
        "putUpBox" => |ctx: Ctx<'js>| messaging::keep(put_up(state(&ctx).options().thread_id)),
        "hasBox" => |thread: f64| boxes().keys().any(|known| f64::from(*known) == thread),
        "send" => send,
    }
    Ok(())
}

/// Puts up the letter box of a thread, and gives its inner end.
pub(super) fn put_up(thread: u32) -> PortEnd {
    let (outer, inner) = PortEnd::pair();
    let old = boxes().insert(thread, outer);
    // Dropped after the lock: others are told.
    drop(old);
    inner
}

/// Takes the letter box of a thread down. What is in it is lost, and its senders are told.
pub(super) fn take_down(thread: u32) {
    let outer = boxes().remove(&thread);
    drop(outer);
}

/// Sends a value to a thread. Whether it has a letter box; without one nothing is detached.
fn send<'js>(
    ctx: Ctx<'js>,
    thread: u32,
    parts: Object<'js>,
    value: Value<'js>,
    buffers: Vec<ArrayBuffer<'js>>,
    ports: Vec<Value<'js>>,
    numbers: Vec<u32>,
) -> Result<bool> {
    if !boxes().contains_key(&thread) {
        return Ok(false);
    }
    let (message, ends) = messaging::pack(&ctx, &parts, value, buffers, &ports, &numbers)?;
    Ok(boxes().get(&thread).is_some_and(|outer| outer.post(message, ends)))
}
