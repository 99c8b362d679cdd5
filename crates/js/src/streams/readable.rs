//! The native steps of a Readable: `push`, `read`, `resume`, `pause` and their ticks. See `streams` for the slow paths.

use rquickjs::qjs;

use super::bits::readable::*;
use super::{Call, Done, Outcome, Thrown, Which, boolean, is_null, is_undefined, number};
use crate::raw::{self, Held, Raw};

/// `push(chunk)` of an object, or of bytes that nobody wants as text.
pub(super) fn push(call: &Call<'_>) -> Done {
    let (stream, chunk) = (call.this, call.arg(0));
    if is_null(chunk) {
        return Ok(None);
    }
    let Some((state, bits)) = call.state(stream, call.known.keys.readable) else { return Ok(None) };
    if bits & (ENDED | DESTROYED | ERRORED | DECODER) != 0 {
        return Ok(None);
    }
    let length = match bits & OBJECT_MODE != 0 {
        true => 1.0,
        false => match call.bytes(chunk) {
            Some(length) => length,
            None => return Ok(None),
        },
    };
    add_chunk(call, stream, state.raw(), chunk, length, bits & !READING)?;
    Ok(Some(boolean(wants_more(call, state.raw())?)))
}

/// Gives a chunk to who listens, or puts it last in the queue.
fn add_chunk(call: &Call<'_>, stream: Raw, state: Raw, chunk: Raw, length: f64, bits: u32) -> Outcome {
    let keys = &call.known.keys;
    let is_flowing = bits & (FLOWING | SYNC | DATA_LISTENING) == FLOWING | DATA_LISTENING;
    let before = call.number(state, keys.length)?;
    if is_flowing && before == 0.0 {
        call.set_bits(state, bits | DATA_EMITTED)?;
        forget_drains(call, state, bits)?;
        call.emit(stream, call.known.names.data, Some(chunk))?;
    } else {
        call.set_bits(state, bits)?;
        call.put_number(state, keys.length, before + length)?;
        let buffer = call.get(state, keys.buffer)?;
        call.call_method(c"state.buffer.push", buffer.raw(), keys.push, &mut [chunk])?;
        if bits & NEED_READABLE != 0 {
            readable_by_tick(call, stream, state, bits)?;
        }
    }
    read_more_by_tick(call, stream, state)
}

fn forget_drains(call: &Call<'_>, state: Raw, bits: u32) -> Outcome {
    let keys = &call.known.keys;
    if bits & MULTI_AWAIT_DRAIN == 0 {
        return call.put(state, keys.awaits, qjs::JS_NULL);
    }
    let awaits = call.get(state, keys.awaits)?;
    call.call_method(c"state.awaitDrainWriters.clear", awaits.raw(), keys.clear, &mut [])?;
    Ok(())
}

fn wants_more(call: &Call<'_>, state: Raw) -> Outcome<bool> {
    let keys = &call.known.keys;
    if call.bits(state)? & ENDED != 0 {
        return Ok(false);
    }
    let length = call.number(state, keys.length)?;
    Ok(length == 0.0 || length < call.number(state, keys.most)?)
}

fn readable_by_tick(call: &Call<'_>, stream: Raw, state: Raw, bits: u32) -> Outcome {
    call.set_bits(state, bits & !NEED_READABLE | EMITTED_READABLE)?;
    match bits & EMITTED_READABLE {
        0 => call.tick(Which::EmitReadable, &[stream]),
        _ => Ok(()),
    }
}

fn read_more_by_tick(call: &Call<'_>, stream: Raw, state: Raw) -> Outcome {
    let bits = call.bits(state)?;
    if bits & (READING_MORE | READING | CONSTRUCTED) != CONSTRUCTED {
        return Ok(());
    }
    call.set_bits(state, bits | READING_MORE)?;
    call.tick(Which::ReadMore, &[stream, state])
}

/// `read()` and `read(0)` of a stream that has not ended, and that nobody wants as text. It was made with `takeFrom`, `endByTick` and
/// `errorOrDestroy` as well.
pub(super) fn read(call: &Call<'_>) -> Done {
    let keys = &call.known.keys;
    let stream = call.this;
    let wants_all = match call.arg(0) {
        size if is_undefined(size) => true,
        size if raw::as_number(size) == Some(0.0) => false,
        _ => return Ok(None),
    };
    let Some((held, mut bits)) = call.state(stream, keys.readable) else { return Ok(None) };
    if bits & (ENDED | DECODER) != 0 {
        return Ok(None);
    }
    let state = held.raw();
    let length = call.number(state, keys.length)?;
    let most = call.number(state, keys.most)?;
    if wants_all {
        bits &= !EMITTED_READABLE;
    } else if bits & NEED_READABLE != 0 && length > 0.0 && length >= most {
        readable_by_tick(call, stream, state, bits)?;
        return Ok(Some(qjs::JS_NULL));
    }
    let mut count = available(call, state, wants_all, length, bits)?;
    let is_idle = bits & (READING | DESTROYED | ERRORED | CONSTRUCTED) == CONSTRUCTED;
    if is_idle && (bits & NEED_READABLE != 0 || length == 0.0 || length - count < most) {
        bits |= if length == 0.0 { READING | SYNC | NEED_READABLE } else { READING | SYNC };
        call.set_bits(state, bits)?;
        let result = call.call_method(c"this._read", stream, keys.to_read, &mut [number(most)]);
        if result.is_err() {
            fail(call, stream)?;
        }
        bits = call.bits(state)? & !SYNC;
        if bits & READING == 0 {
            count = available(call, state, wants_all, call.number(state, keys.length)?, bits)?;
        }
    }
    call.set_bits(state, bits)?;
    let taken = if count > 0.0 { take(call, state, count, bits)? } else { None };
    let (mut length, most) = (call.number(state, keys.length)?, call.number(state, keys.most)?);
    if taken.is_none() {
        if length <= most {
            bits |= NEED_READABLE;
        }
        count = 0.0;
    } else {
        length -= count;
        call.put_number(state, keys.length, length)?;
        forget_drains(call, state, bits)?;
    }
    if length == 0.0 && bits & ENDED == 0 {
        bits |= NEED_READABLE;
    }
    let is_told = taken.is_some() && bits & (ERROR_EMITTED | CLOSE_EMITTED) == 0;
    if is_told {
        bits |= DATA_EMITTED;
    }
    call.set_bits(state, bits)?;
    if length == 0.0 && bits & ENDED != 0 && (wants_all || count != 0.0) {
        call.call(call.with(2), qjs::JS_UNDEFINED, &mut [stream, state])?;
    }
    let Some(taken) = taken else { return Ok(Some(qjs::JS_NULL)) };
    if is_told {
        call.emit_named(c"this.emit", stream, call.known.names.data, Some(taken.raw()))?;
    }
    Ok(Some(raw::dup(call.ctx, taken.raw())))
}

/// What `_read` has thrown is an error of the stream.
#[cold]
fn fail(call: &Call<'_>, stream: Raw) -> Outcome {
    // SAFETY: the exception is held; one that nobody may catch is thrown again.
    let error = unsafe {
        let error = Held::new(call.ctx, qjs::JS_GetException(call.ctx));
        if qjs::JS_IsUncatchableError(error.raw()) {
            qjs::JS_Throw(call.ctx, raw::dup(call.ctx, error.raw()));
            return Err(Thrown);
        }
        error
    };
    call.call(call.with(3), qjs::JS_UNDEFINED, &mut [stream, error.raw()])?;
    Ok(())
}

/// How much there is to give now, of a size of all or nothing.
fn available(call: &Call<'_>, state: Raw, wants_all: bool, length: f64, bits: u32) -> Outcome<f64> {
    if !wants_all || length == 0.0 && bits & ENDED != 0 {
        return Ok(0.0);
    }
    if bits & OBJECT_MODE != 0 {
        return Ok(1.0);
    }
    if bits & FLOWING == 0 || length == 0.0 {
        return Ok(length);
    }
    let first = first_of(call, state)?;
    length_of(call, first.raw())
}

fn length_of(call: &Call<'_>, chunk: Raw) -> Outcome<f64> {
    match call.bytes(chunk) {
        Some(length) => Ok(length),
        None => call.number(chunk, call.known.keys.length),
    }
}

/// The next chunk in the queue.
fn first_of(call: &Call<'_>, state: Raw) -> Outcome<Held> {
    let keys = &call.known.keys;
    let buffer = call.get(state, keys.buffer)?;
    element(call, buffer.raw(), call.number(state, keys.index)?)
}

fn element(call: &Call<'_>, list: Raw, at: f64) -> Outcome<Held> {
    // SAFETY: a held list.
    call.held(unsafe { qjs::JS_GetPropertyUint32(call.ctx, list, at as u32) })
}

/// So many chunks are left where they were before the list is made shorter, by JavaScript.
const MOST_TAKEN: f64 = 1024.0;

/// Takes so much off the queue: a whole chunk, or else by JavaScript. Nothing if the queue is empty.
fn take(call: &Call<'_>, state: Raw, count: f64, bits: u32) -> Outcome<Option<Held>> {
    let keys = &call.known.keys;
    let length = call.number(state, keys.length)?;
    if length == 0.0 {
        return Ok(None);
    }
    let buffer = call.get(state, keys.buffer)?;
    let at = call.number(state, keys.index)?;
    let left = call.number(buffer.raw(), keys.length)? - at - 1.0;
    let first = element(call, buffer.raw(), at)?;
    // All that there is goes out as one.
    let is_whole =
        bits & OBJECT_MODE != 0 || if count >= length { left == 0.0 } else { count == length_of(call, first.raw())? };
    if !is_whole || at >= MOST_TAKEN {
        let taken = call.call(call.with(1), qjs::JS_UNDEFINED, &mut [number(count), state])?;
        return Ok((!is_null(taken.raw())).then_some(taken));
    }
    if left == 0.0 {
        call.put_number(buffer.raw(), keys.length, 0.0)?;
        call.put_number(state, keys.index, 0.0)?;
        return Ok(Some(first));
    }
    // SAFETY: a held list, and a value without a reference.
    if unsafe { qjs::JS_SetPropertyUint32(call.ctx, buffer.raw(), at as u32, qjs::JS_NULL) } < 0 {
        return Err(Thrown);
    }
    call.put_number(state, keys.index, at + 1.0)?;
    Ok(Some(first))
}

/// `(stream, state)`: asks the source as long as there is room.
pub(super) fn read_more(call: &Call<'_>) -> Done {
    let keys = &call.known.keys;
    let (stream, state) = (call.arg(0), call.arg(1));
    loop {
        let bits = call.bits(state)?;
        let before = call.number(state, keys.length)?;
        let has_room = || Ok(before < call.number(state, keys.most)? || bits & FLOWING != 0 && before == 0.0);
        if bits & (READING | ENDED) != 0 || !has_room()? {
            break;
        }
        call.call_method(c"stream.read", stream, keys.read, &mut [number(0.0)])?;
        if before == call.number(state, keys.length)? {
            break;
        }
    }
    call.set_bits(state, call.bits(state)? & !READING_MORE)?;
    Ok(Some(qjs::JS_UNDEFINED))
}

/// `(stream)`: tells who waits for 'readable'.
pub(super) fn emit_readable(call: &Call<'_>) -> Done {
    let keys = &call.known.keys;
    let stream = call.arg(0);
    let held = call.get(stream, keys.readable)?;
    let state = held.raw();
    let mut bits = call.bits(state)?;
    if bits & (DESTROYED | ERRORED) == 0 && (bits & ENDED != 0 || call.number(state, keys.length)? != 0.0) {
        call.emit(stream, call.known.names.readable, None)?;
        bits = call.bits(state)? & !EMITTED_READABLE;
    }
    if bits & (FLOWING | ENDED) == 0 && call.number(state, keys.length)? <= call.number(state, keys.most)? {
        bits |= NEED_READABLE;
    }
    call.set_bits(state, bits)?;
    flow(call, stream, state)?;
    Ok(Some(qjs::JS_UNDEFINED))
}

fn flow(call: &Call<'_>, stream: Raw, state: Raw) -> Outcome {
    while call.bits(state)? & FLOWING != 0 {
        if is_null(call.call_method(c"stream.read", stream, call.known.keys.read, &mut [])?.raw()) {
            break;
        }
    }
    Ok(())
}

/// `resume()`.
pub(super) fn resume(call: &Call<'_>) -> Done {
    let stream = call.this;
    let held = call.get(stream, call.known.keys.readable)?;
    let state = held.raw();
    let bits = call.bits(state)?;
    let mut now = bits;
    if bits & FLOWING == 0 {
        // With a listener of 'readable' it is not flowing, but 'resume' comes all the same.
        now |= if bits & READABLE_LISTENING == 0 { HAS_FLOWING | FLOWING } else { HAS_FLOWING } | RESUME_SCHEDULED;
        call.set_bits(state, now)?;
        if bits & RESUME_SCHEDULED == 0 {
            call.tick(Which::Resumed, &[stream, state])?;
            now = call.bits(state)?;
        }
    }
    call.set_bits(state, now & !PAUSED | HAS_PAUSED)?;
    Ok(Some(raw::dup(call.ctx, stream)))
}

/// `(stream, state)`: flows from now on.
pub(super) fn resumed(call: &Call<'_>) -> Done {
    let keys = &call.known.keys;
    let (stream, state) = (call.arg(0), call.arg(1));
    if call.bits(state)? & READING == 0 {
        call.call_method(c"stream.read", stream, keys.read, &mut [number(0.0)])?;
    }
    call.set_bits(state, call.bits(state)? & !RESUME_SCHEDULED)?;
    call.emit(stream, call.known.names.resume, None)?;
    flow(call, stream, state)?;
    if call.bits(state)? & (FLOWING | READING) == FLOWING {
        call.call_method(c"stream.read", stream, keys.read, &mut [number(0.0)])?;
    }
    Ok(Some(qjs::JS_UNDEFINED))
}

/// `pause()`.
pub(super) fn pause(call: &Call<'_>) -> Done {
    let stream = call.this;
    let held = call.get(stream, call.known.keys.readable)?;
    let state = held.raw();
    let mut bits = call.bits(state)?;
    if bits & (HAS_FLOWING | FLOWING) != HAS_FLOWING {
        call.set_bits(state, bits & !FLOWING | HAS_FLOWING)?;
        call.emit_named(c"this.emit", stream, call.known.names.pause, None)?;
        bits = call.bits(state)?;
    }
    call.set_bits(state, bits | HAS_PAUSED | PAUSED)?;
    Ok(Some(raw::dup(call.ctx, stream)))
}
