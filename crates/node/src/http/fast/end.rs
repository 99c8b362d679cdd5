//! Native `response.end()`: sends the whole body, or the last part of it.

use phasor_core::Errno;
use phasor_js::bytes::Part;
use phasor_js::guards::Room;
use phasor_js::keys::{Look, Plain};
use phasor_js::raw_fn::{Args, RawFn, Ret};
use rquickjs::{Ctx, Result, Value};

use super::super::head::out;
use super::super::respond::{self, LENGTH, PARTS, STATUS};
use super::response::{FastResponse, Headed, Step};
use super::write::try_held;
use super::{FAST_PATH, HOLDS};

/// Result of `end`: the fast path declined, and nothing has changed.
pub(super) const NOT_SENT: i32 = 1;
/// Bit of the result: sent; the response has listeners or the socket has a timeout.
const HEARD: i32 = 2;
/// Bit of the result: sent; `end()` got a callback.
pub(super) const CALLED: i32 = 4;
/// Bit of the result: the pending writes were tried and not all written; the stream takes over, and `tried` returns the result of the try.
pub(super) const TRIED: i32 = 8;

/// A body of this length or more does not fit the number that `kHeader` becomes.
const MAX_BYTES: usize = 1 << 30;

/// The largest size of the framing of a chunk with the last chunk (RFC 9112 section 7.1).
const CHUNK_FRAME: usize = 24;

/// The result of a write: bits for the result of `end`, 0 if all bytes were written.
type Written = std::result::Result<u32, Errno>;

/// The arguments of `end`: the body, if there is one, and whether there is a callback. `None` declines.
fn given_to_end<'js>(given: &Args<'_, 'js, 4>) -> Result<Option<(Option<Part<'js>>, bool)>> {
    let (chunk, encoding, callback) = (given.value(1), given.value(2), given.value(3));
    let is_nothing = |value: &Value<'js>| value.is_undefined() || value.is_null();
    let is_called = if chunk.is_function() {
        return Ok(Some((None, true)));
    } else if encoding.is_function() {
        true
    } else {
        if !respond::is_utf8(&encoding)? || !(is_nothing(&callback) || callback.is_function()) {
            return Ok(None);
        }
        callback.is_function()
    };
    if is_nothing(&chunk) {
        return Ok(Some((None, is_called)));
    }
    if !respond::is_body(&chunk) {
        return Ok(None);
    }
    Ok(Some((respond::body_of(given.ctx(), chunk.clone())?, is_called)))
}

/// `(response, chunk, encoding, callback)`: the arguments of `end()`. Returns 0 if the response is sent and only `finish` remains; else the bits
/// [`NOT_SENT`], [`HEARD`], [`CALLED`], [`TRIED`] and `UNFINISHED`; or libuv's error number.
pub(super) struct End;

impl RawFn<4> for End {
    fn call<'js>(given: &Args<'_, 'js, 4>) -> Result<Ret> {
        let (Some(known), Some(response)) = (FAST_PATH.with_borrow(Clone::clone), given.object(0)) else {
            return Ok(Ret::from(NOT_SENT));
        };
        let mut room = Room::new();
        let Some(way) = FastResponse::of(&known, &response, &mut room) else { return Ok(Ret::from(NOT_SENT)) };
        end(&way, given).map(Ret::from)
    }
}

fn end<'js>(way: &FastResponse<'_, 'js>, given: &Args<'_, 'js, 4>) -> Result<i32> {
    let (known, ctx) = (way.known, given.ctx());
    let Some((body, is_called)) = given_to_end(given)? else { return Ok(NOT_SENT) };
    let sent = match way.step() {
        // The pending writes belong to another response.
        Step::Fresh | Step::Headed if matches!(way.found.look(known.ended.unwritten), Look::Number(_)) => None,
        Step::Fresh => send_whole(way, ctx, body)?,
        Step::Headed => send_headed(way, ctx, body)?,
        Step::Open => send_last(way, ctx, body)?,
        Step::Other => None,
    };
    Ok(match sent {
        None => NOT_SENT,
        Some(Err(errno)) => -errno.raw(),
        Some(Ok(bits)) => {
            let is_heard = !known.heard.resolves_to(way.response)
                || !matches!(way.found.look(known.ended.timeout), Look::Undefined | Look::Null);
            bits as i32 | if is_heard { HEARD } else { 0 } | if is_called { CALLED } else { 0 }
        }
    })
}

/// Builds the head and sends it with the body. `None` declines.
fn send_whole<'js>(way: &FastResponse<'_, 'js>, ctx: &Ctx<'js>, body: Option<Part<'js>>) -> Result<Option<Written>> {
    let keys = &way.known.keys;
    let length = body.as_ref().map_or(0, Part::len);
    if length >= MAX_BYTES {
        return Ok(None);
    }
    let Some(Headed { bytes, out, status }) = way.head(ctx, Some(length))? else { return Ok(None) };
    if way.is_seen_full(bytes.len() + length) {
        return Ok(None);
    }
    let written = respond::write(ctx, (way.number, way.id), bytes, body, false);
    // JavaScript computes `_header`, `_contentLength` and others from this number.
    keys.header.put(way.response, f64::from(way.bits) + status * STATUS + length as f64 * LENGTH)?;
    if out & out::LAST != 0 && written.is_ok() {
        keys.last.put(way.response, true)?;
    }
    Ok(Some(written))
}

/// Sends a body with a head that JavaScript has built. `None` declines.
fn send_headed<'js>(way: &FastResponse<'_, 'js>, ctx: &Ctx<'js>, body: Option<Part<'js>>) -> Result<Option<Written>> {
    let length = body.as_ref().map_or(0, |body| body.len() + CHUNK_FRAME);
    if !way.has_no_trailer()? || way.is_seen_full(way.made_length()? + length) {
        return Ok(None);
    }
    let written = respond::write(ctx, (way.number, way.id), way.take_head()?, body, way.plan.is_chunked);
    way.known.keys.header.put(way.response, f64::from(way.bits | PARTS))?;
    Ok(Some(written))
}

/// Sends the pending writes, the last part if there is one, and the last chunk of a chunked body. `None` declines.
fn send_last<'js>(way: &FastResponse<'_, 'js>, ctx: &Ctx<'js>, body: Option<Part<'js>>) -> Result<Option<Written>> {
    let (keys, response) = (&way.known.keys, way.response);
    let (length, needs_drain) = way.binding.with_pending_writes(|held| (held.len(), held.needs_drain));
    let length = length + body.as_ref().map_or(0, |body| body.len() + CHUNK_FRAME);
    let is_usual = way.holds() && !needs_drain && !way.is_seen_full(length);
    if !is_usual || !way.has_no_trailer()? {
        return Ok(None);
    }
    if let Some(body) = body {
        way.binding.with_pending_writes(|held| held.add(None, &body, way.plan.is_chunked));
    }
    let is_out =
        try_held(ctx, (way.number, way.id), &way.binding, if way.plan.is_chunked { b"0\r\n\r\n" } else { b"" });
    keys.header.put(response, way.found.number(way.known.ended.header) - LENGTH)?;
    let socket = way.found.object(way.known.ended.socket);
    // Without pending writes the stream is untouched again.
    let is_over = way.binding.with_pending_writes(|held| held.is_over());
    if is_over != (way.found.look(way.known.ended.unwritten) == Look::Bool(true)) {
        keys.unwritten.put(&socket, if is_over { Plain::from(true) } else { Plain::from(HOLDS) })?;
    }
    Ok(Some(Ok(if is_out { 0 } else { TRIED as u32 })))
}
