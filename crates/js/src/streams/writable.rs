//! The native steps of a Writable: `write`, the callback of `_write`, and their ticks. See `streams` for the slow
//! paths.

use rquickjs::qjs;

use super::bits::writable::*;
use super::{Call, Done, Outcome, Which, boolean, is_null, is_nullish, is_object, number};
use crate::raw::{self, Held, Raw};

/// `write(chunk, encoding, callback)` of a stream, where nothing is before the chunk.
pub(super) fn write(call: &Call<'_>) -> Done {
    let keys = &call.known.keys;
    let (stream, chunk) = (call.this, call.arg(0));
    let (mut encoding, mut callback) = (call.arg(1), call.arg(2));
    if raw::is_function(call.ctx, encoding) {
        (encoding, callback) = (qjs::JS_NULL, encoding);
    }
    if !is_nullish(encoding) {
        return Ok(None);
    }
    let Some((state, bits)) = call.state(stream, keys.writable) else { return Ok(None) };
    let state = state.raw();
    let looked = ENDING | DESTROYED | WRITING | ERRORED | CORKED | CONSTRUCTED;
    if bits & looked != CONSTRUCTED {
        return Ok(None);
    }
    let is_objects = bits & OBJECT_MODE != 0;
    let length = match is_objects {
        true if is_null(chunk) => return Ok(None),
        true => 1.0,
        false => match call.bytes(chunk) {
            Some(length) => length,
            None => return Ok(None),
        },
    };
    call.add(state, keys.pending, 1.0)?;
    call.add(state, keys.length, length)?;
    call.put_number(state, keys.write_length, length)?;
    let mut now = bits | WRITING | SYNC | EXPECT_WRITE_CB;
    if raw::is_function(call.ctx, callback) && !call.is_no_callback(callback) {
        call.put(state, keys.write_callback, callback)?;
        now |= WRITE_CB;
    }
    call.set_bits(state, now)?;
    let to_write = call.get(stream, keys.to_write)?;
    let on_write = call.get(state, keys.on_write)?;
    // SAFETY: a name of this runtime; the new reference is held.
    let bytes = call.held(unsafe { qjs::JS_AtomToValue(call.ctx, call.known.names.bytes.atom()) })?;
    let encoding = if is_objects { encoding } else { bytes.raw() };
    call.call_named(c"stream._write", to_write.raw(), stream, &mut [chunk, encoding, on_write.raw()])?;

    let length = call.number(state, keys.length)?;
    let has_room = length == 0.0 || length < call.number(state, keys.most)?;
    let bits = call.bits(state)? & !SYNC;
    call.set_bits(state, if has_room { bits } else { bits | NEED_DRAIN })?;
    Ok(Some(boolean(has_room && bits & (DESTROYED | ERRORED) == 0)))
}

/// `(stream, error)`: what `_write` has called back, where it went well and nothing else waits.
pub(super) fn on_write(call: &Call<'_>) -> Done {
    let keys = &call.known.keys;
    let (stream, error) = (call.arg(0), call.arg(1));
    if !is_nullish(error) {
        return Ok(None);
    }
    let Some((state, bits)) = call.state(stream, keys.writable) else { return Ok(None) };
    let state = state.raw();
    if bits & (EXPECT_WRITE_CB | BUFFERED | ENDING) != EXPECT_WRITE_CB {
        return Ok(None);
    }
    let (is_sync, has_callback) = (bits & SYNC != 0, bits & WRITE_CB != 0);
    let callback = match has_callback {
        true => Some(call.get(state, keys.write_callback)?),
        false => None,
    };
    let info = match &callback {
        Some(callback) if is_sync => match same_info(call, state, bits, callback.raw()) {
            Some(info) => Some(info),
            None => return Ok(None),
        },
        _ => None,
    };
    call.put(state, keys.write_callback, qjs::JS_NULL)?;
    let bits = bits & !(WRITING | EXPECT_WRITE_CB | WRITE_CB);
    call.set_bits(state, bits)?;
    call.add(state, keys.length, -call.number(state, keys.write_length)?)?;
    call.put_number(state, keys.write_length, 0.0)?;
    match (info, callback) {
        (Some(info), _) => call.add(info.raw(), keys.count, 1.0)?,
        (None, Some(callback)) => after(call, stream, state, 1.0, Some(callback.raw()), call.with(1))?,
        (None, None) if !is_sync => after(call, stream, state, 1.0, None, call.with(1))?,
        (None, None) => after_by_tick(call, stream, state, bits)?,
    }
    Ok(Some(qjs::JS_UNDEFINED))
}

/// The tick that calls the same callback.
fn same_info(call: &Call<'_>, state: Raw, bits: u32, callback: Raw) -> Option<Held> {
    let keys = &call.known.keys;
    let info = call.look(state, keys.tick_info).filter(|info| bits & AFTER_WRITE_TICK_INFO != 0 && is_object(*info))?;
    call.look(info, keys.callback).filter(|its| raw::is_same_object(*its, callback))?;
    Some(call.hold(info))
}

/// After a write without a callback, from inside `_write`.
fn after_by_tick(call: &Call<'_>, stream: Raw, state: Raw, bits: u32) -> Outcome {
    let keys = &call.known.keys;
    let needs_tick = bits & OBJECT_MODE != 0 || bits & NEED_DRAIN != 0 && call.number(state, keys.length)? == 0.0;
    if needs_tick && bits & AFTER_WRITE_PENDING == 0 {
        call.tick(Which::AfterWrite, &[stream, state, number(1.0), qjs::JS_UNDEFINED])?;
        return call.set_bits(state, call.bits(state)? | AFTER_WRITE_PENDING);
    }
    call.add(state, keys.pending, -1.0)
}

/// `(stream, state, count, callback)`: so many writes have the same callback, if any. What comes at the end of a stream is left.
pub(super) fn after_write(call: &Call<'_>) -> Done {
    let [stream, state, count, callback] = [0, 1, 2, 3].map(|at| call.arg(at));
    let callback = raw::is_function(call.ctx, callback).then_some(callback);
    after(call, stream, state, raw::as_number(count).unwrap_or_default(), callback, call.with(1))?;
    Ok(Some(qjs::JS_UNDEFINED))
}

fn after(call: &Call<'_>, stream: Raw, state: Raw, count: f64, callback: Option<Raw>, at_end: Raw) -> Outcome {
    let keys = &call.known.keys;
    let mut bits = call.bits(state)? & !AFTER_WRITE_PENDING;
    let is_drained = bits & (ENDING | NEED_DRAIN | DESTROYED) == NEED_DRAIN && call.number(state, keys.length)? == 0.0;
    if is_drained {
        bits &= !NEED_DRAIN;
    }
    call.set_bits(state, bits)?;
    if is_drained {
        call.emit(stream, call.known.names.drain, None)?;
    }
    let mut left = count;
    while left > 0.0 {
        left -= 1.0;
        call.add(state, keys.pending, -1.0)?;
        if let Some(callback) = callback {
            call.call(callback, qjs::JS_UNDEFINED, &mut [qjs::JS_NULL])?;
        }
    }
    if call.bits(state)? & (DESTROYED | ENDING) != 0 {
        call.call(at_end, qjs::JS_UNDEFINED, &mut [stream, state])?;
    }
    Ok(())
}
