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
        "putUpBox" => put_up,
        "hasBox" => |thread: u32| boxes().contains_key(&thread),
        "send" => send,
    }
    Ok(())
}

/// Puts up the letter box of this thread, and gives the number of its inner end.
fn put_up(ctx: Ctx<'_>) -> u32 {
    let (outer, inner) = PortEnd::pair();
    let old = boxes().insert(state(&ctx).options().thread_id, outer);
    drop(old);
    MINE.set(Some(state(&ctx).options().thread_id));
    messaging::keep(inner)
}

thread_local! {
    /// The thread whose letter box this is.
    static MINE: std::cell::Cell<Option<u32>> = const { std::cell::Cell::new(None) };
}

/// Takes the letter box of this thread down.
pub(super) fn forget() {
    if let Some(thread) = MINE.take() {
        let outer = boxes().remove(&thread);
        drop(outer);
    }
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
