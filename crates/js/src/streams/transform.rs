//! The native steps of a Transform: `_write`, `_read`, and `_transform` of a PassThrough. See `streams` for the slow
//! paths.

use rquickjs::qjs;

use super::bits::{readable, writable};
use super::{Call, Done, Which, is_nullish, made, number};
use crate::raw;

/// `_write(chunk, encoding, callback)`: has the chunk transformed.
pub(super) fn write(call: &Call<'_>) -> Done {
    let keys = &call.known.keys;
    let (stream, callback) = (call.this, call.arg(2));
    let reading = call.get(stream, keys.readable)?;
    let before = call.number(reading.raw(), keys.length)?;
    let mut with = [stream, callback, reading.raw(), number(before)];
    let transformed = call.held(made(call.ctx, Which::Transformed, &mut with))?;
    call.call_method(
        c"this._transform",
        stream,
        keys.to_transform,
        &mut [call.arg(0), call.arg(1), transformed.raw()],
    )?;
    Ok(Some(qjs::JS_UNDEFINED))
}

/// `(error, value)`: what `_transform` has called back. It was made with the stream, the callback of the write, the state of the
/// readable side, and how long that was before.
pub(super) fn transformed(call: &Call<'_>) -> Done {
    let keys = &call.known.keys;
    let [stream, callback, reading, before] = [0, 1, 2, 3].map(|at| call.with(at));
    let (error, value) = (call.arg(0), call.arg(1));
    if call.is_true(error) {
        call.call_named(c"callback", callback, qjs::JS_UNDEFINED, &mut [error])?;
        return Ok(Some(qjs::JS_UNDEFINED));
    }
    if !is_nullish(value) {
        call.call_method(c"this.push", stream, keys.push, &mut [value])?;
    }
    if call.bits(reading)? & readable::ENDED != 0 {
        call.tick_function(callback, &[])?;
        return Ok(Some(qjs::JS_UNDEFINED));
    }
    let length = call.number(reading, keys.length)?;
    let writing = call.get(stream, keys.writable)?;
    let has_room = call.bits(writing.raw())? & writable::ENDED != 0
        || raw::as_number(before) == Some(length)
        || length < call.number(reading, keys.most)?;
    if has_room {
        call.call_named(c"callback", callback, qjs::JS_UNDEFINED, &mut [])?;
    } else {
        call.put(stream, keys.held, callback)?;
    }
    Ok(Some(qjs::JS_UNDEFINED))
}

/// `_read()`: there is room again for a write that waits.
pub(super) fn read(call: &Call<'_>) -> Done {
    let held = call.known.keys.held;
    let callback = call.get(call.this, held)?;
    if call.is_true(callback.raw()) {
        call.put(call.this, held, qjs::JS_NULL)?;
        call.call_named(c"callback", callback.raw(), qjs::JS_UNDEFINED, &mut [])?;
    }
    Ok(Some(qjs::JS_UNDEFINED))
}

/// `_transform(chunk, encoding, callback)` that changes nothing.
pub(super) fn pass_on(call: &Call<'_>) -> Done {
    call.call_named(c"cb", call.arg(2), qjs::JS_UNDEFINED, &mut [qjs::JS_NULL, call.arg(0)])?;
    Ok(Some(qjs::JS_UNDEFINED))
}
