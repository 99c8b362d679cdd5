//! Native `response.write()`. Parts are buffered while Node would cork the socket, and sent by a later tick or by `end()`.

use std::cell::Cell;
use std::io::IoSlice;

use phasor_core::{Errno, HandleId};
use phasor_js::bytes::Part;
use phasor_js::guards::{GuardList, Room, Slot};
use phasor_js::keys::{Look, Place, Plain};
use phasor_js::raw_fn::{Args, RawFn, Ret};
use phasor_js::state;
use rquickjs::{Array, Ctx, Result, Value};

use super::super::head::{bits_after, out};
use super::super::respond::{self, LENGTH, PARTS, STATUS};
use super::pending_writes::PendingWrites;
use super::response::{FastResponse, Headed, Step};
use super::{FAST_PATH, HOLDS, Whole};
use crate::net::handles::{binding_of, opened};
use crate::net::{HandleBinding, count_written};

/// Result of `write`: the fast path declined, and nothing has changed.
pub(super) const NOT_HELD: i32 = 0;
/// Bit of the result: the part is a pending write.
pub(super) const HELD: i32 = 1;
/// Bit of the result: JavaScript must queue a tick that flushes.
pub(super) const NEEDS_TICK: i32 = 2;
/// Bit of the result: the pending writes have reached the highWaterMark.
pub(super) const FULL: i32 = 4;

/// Result of `flush`: there are no pending writes.
const NOTHING: i32 = 0;
/// Bit of the result: all is sent, and JavaScript must queue a tick that calls `flushed`.
pub(super) const FLUSHED: i32 = 1;
/// Bit of the result: the socket has a timeout, which must be restarted.
pub(super) const TIMED: i32 = 2;
/// Result of `flush`: not all was written; the stream takes over, and `tried` returns the result of the try.
pub(super) const FLUSH_TRIED: i32 = 4;
/// Result of `flush`: the fast path declined; the stream takes over.
const STREAM: i32 = 8;

/// A longer part is not copied to the pending writes.
const MAX_BYTES: usize = 1 << 20;

thread_local! {
    /// The result of the last try: the number of bytes written, or libuv's error number.
    static LAST: Cell<f64> = const { Cell::new(0.0) };
}

/// `()`: the result of the last try, for the stream that takes over.
pub(super) fn tried() -> f64 {
    LAST.get()
}

/// Tries to write the pending writes, followed by `after`. Returns true if all bytes were written; the pending writes are then cleared.
/// Otherwise they stay as they are, and [`tried`] returns the result.
pub(super) fn try_held(ctx: &Ctx<'_>, (number, id): (u32, HandleId), binding: &HandleBinding, after: &[u8]) -> bool {
    let mut bytes = binding.with_pending_writes(|held| {
        held.bytes_mut().extend_from_slice(after);
        std::mem::take(held.bytes_mut())
    });
    let total = bytes.len();
    let written = match total {
        0 => Ok(0),
        _ => match state(ctx).core().stream_try_write(id, &[IoSlice::new(&bytes)]) {
            Err(Errno::EAGAIN | Errno::ENOSYS) => Ok(0),
            other => other,
        },
    };
    let is_out = written == Ok(total);
    if written.is_err() || is_out {
        count_written(number, total);
    }
    binding.with_pending_writes(|held| {
        bytes.truncate(total - after.len());
        *held.bytes_mut() = bytes;
        if is_out {
            held.clear();
        }
    });
    LAST.set(written.map_or_else(|errno| f64::from(-errno.raw()), |count| count as f64));
    is_out
}

/// `(response, chunk, encoding, callback)`: the arguments of `write()`. Returns [`NOT_HELD`], or the bits [`HELD`], [`NEEDS_TICK`] and [`FULL`].
pub(super) struct Write;

impl RawFn<4> for Write {
    fn call<'js>(given: &Args<'_, 'js, 4>) -> Result<Ret> {
        let (Some(known), Some(response)) = (FAST_PATH.with_borrow(Clone::clone), given.object(0)) else {
            return Ok(Ret::from(NOT_HELD));
        };
        let Some(part) = given_to_write(given)? else { return Ok(Ret::from(NOT_HELD)) };
        let mut room = Room::new();
        let Some(way) = FastResponse::of(&known, &response, &mut room).filter(FastResponse::holds) else {
            return Ok(Ret::from(NOT_HELD));
        };
        hold(&way, given.ctx(), &part).map(Ret::from)
    }
}

/// The chunk of `write()`. `None` declines.
fn given_to_write<'js>(given: &Args<'_, 'js, 4>) -> Result<Option<Part<'js>>> {
    let (chunk, encoding, callback) = (given.value(1), given.value(2), given.value(3));
    if !respond::is_utf8(&encoding)? || !respond::is_body(&chunk) || callback.is_function() {
        return Ok(None);
    }
    Ok(respond::body_of(given.ctx(), chunk.clone())?.filter(|part| part.len() <= MAX_BYTES))
}

fn hold<'js>(way: &FastResponse<'_, 'js>, ctx: &Ctx<'js>, part: &Part<'js>) -> Result<i32> {
    let keys = &way.known.keys;
    let Look::Number(most) = way.found.look(way.known.ended.most) else { return Ok(NOT_HELD) };
    let mut is_chunk = way.plan.is_chunked;
    let head = match way.step() {
        Step::Other => return Ok(NOT_HELD),
        Step::Open => None,
        Step::Headed => Some(way.take_head()?),
        Step::Fresh => {
            let Some(headed) = way.head(ctx, None)? else { return Ok(NOT_HELD) };
            is_chunk = headed.out & out::CHUNKED != 0;
            note_head(way, &headed)?;
            Some(headed.bytes)
        }
    };
    let answer = way.binding.with_pending_writes(|held| {
        let needs_tick = !held.is_corked();
        held.add(head, part, is_chunk);
        if needs_tick {
            held.add_quiet();
        }
        let is_full = held.is_full(most);
        held.needs_drain |= is_full;
        HELD | if needs_tick { NEEDS_TICK } else { 0 } | if is_full { FULL } else { 0 }
    });
    if way.found.look(way.known.ended.unwritten) == Look::Bool(true) {
        keys.unwritten.put(&way.found.object(way.known.ended.socket), HOLDS)?;
    }
    Ok(answer)
}

/// Makes the changes of `_storeHeader` (`outgoing.js`) for a head.
fn note_head(way: &FastResponse<'_, '_>, headed: &Headed) -> Result<()> {
    let (keys, response, out) = (&way.known.keys, way.response, headed.out);
    let bits = bits_after(way.bits, out);
    if bits != way.bits {
        keys.plan.put(response, bits as i32)?;
    }
    if out & out::LAST != 0 {
        keys.last.put(response, true)?;
    }
    keys.header.put(response, f64::from(way.bits | PARTS) + headed.status * STATUS + LENGTH)
}

/// The values of a socket that the ticks of pending writes need.
pub(super) struct Flushing {
    guards: GuardList,
    number: Slot,
    handle: Slot,
    timeout: Slot,
    unwritten: Slot,
}

impl Flushing {
    pub(super) fn new(whole: &Whole<'_, '_>) -> Flushing {
        let (keys, socket) = (whole.keys, Slot::FIRST);
        let mut guards = GuardList::new(whole.ctx, 1);
        let connection = guards.through(socket, keys.connection);
        let number = guards.number(connection, keys.at);
        let handle = guards.any(socket, keys.handle);
        let timeout = guards.any(socket, keys.timeout);
        let unwritten = guards.any(socket, keys.unwritten);
        Flushing { guards, number, handle, timeout, unwritten }
    }
}

/// `(socket)`: sends the pending writes. Returns [`NOTHING`], [`FLUSHED`] possibly with [`TIMED`], [`FLUSH_TRIED`] or [`STREAM`].
pub(super) struct Flush;

impl RawFn<1> for Flush {
    fn call<'js>(given: &Args<'_, 'js, 1>) -> Result<Ret> {
        let (Some(known), Some(socket)) = (FAST_PATH.with_borrow(Clone::clone), given.object(0)) else {
            return Ok(Ret::from(STREAM));
        };
        let flushing = &known.flushed;
        let mut room = Room::new();
        let Some(found) = flushing.guards.make([&socket], &mut room) else { return Ok(Ret::from(STREAM)) };
        let number = found.number(flushing.number) as u32;
        let is_same = |binding: &HandleBinding| is_handle_of(binding, found.look(flushing.handle));
        let Some((id, binding)) = opened(number).filter(|(_, binding)| is_same(binding)) else {
            return Ok(Ret::from(STREAM));
        };
        binding.with_pending_writes(PendingWrites::end_quiet);
        let is_corked = match found.look(flushing.unwritten) {
            Look::Bool(true) => return Ok(Ret::from(NOTHING)),
            Look::Number(_) => binding.with_pending_writes(|held| held.is_corked()),
            _ => return Ok(Ret::from(STREAM)),
        };
        if !is_corked {
            return Ok(Ret::from(NOTHING));
        }
        if !known.sending.resolves_to(&socket) || !known.layers.is_unpatched() {
            return Ok(Ret::from(STREAM));
        }
        if !try_held(given.ctx(), (number, id), &binding, b"") {
            return Ok(Ret::from(FLUSH_TRIED));
        }
        binding.with_pending_writes(|held| held.untold += 1);
        let is_timed = !matches!(found.look(flushing.timeout), Look::Undefined | Look::Null);
        Ok(Ret::from(FLUSHED | if is_timed { TIMED } else { 0 }))
    }
}

/// `(socket)`: completes a flush, as the stream's `afterWrite` tick. Returns whether to emit 'drain'; undefined if the stream must complete it.
pub(super) struct Flushed;

impl RawFn<1> for Flushed {
    fn call<'js>(given: &Args<'_, 'js, 1>) -> Result<Ret> {
        let (Some(known), Some(socket)) = (FAST_PATH.with_borrow(Clone::clone), given.object(0)) else {
            return Ok(Ret::from(Plain::UNDEFINED));
        };
        let flushing = &known.flushed;
        let mut room = Room::new();
        let found = flushing.guards.make([&socket], &mut room);
        let found = found.filter(|found| matches!(found.look(flushing.unwritten), Look::Number(_)));
        let binding = found.and_then(|found| {
            let binding = binding_of(found.number(flushing.number) as u32)?;
            is_handle_of(&binding, found.look(flushing.handle)).then_some(binding)
        });
        let Some(binding) = binding else { return Ok(Ret::from(Plain::UNDEFINED)) };
        let (is_drained, is_over) = binding.with_pending_writes(|held| {
            held.untold = held.untold.saturating_sub(1);
            let is_drained = held.needs_drain && held.is_empty();
            held.needs_drain &= !is_drained;
            (is_drained, held.is_over())
        });
        if is_over {
            known.keys.unwritten.put(&socket, true)?;
        }
        Ok(Ret::from(is_drained))
    }
}

/// True if the binding belongs to the socket's handle: a handle number may have been reused.
fn is_handle_of(binding: &HandleBinding, handle: Look) -> bool {
    handle == Look::Object(binding.place())
}

/// `(handle, number)`: removes the pending writes of a socket whose stream takes over, and returns [`PendingWrites::entries`].
pub(super) fn give_up<'js>(ctx: Ctx<'js>, handle: Value<'js>, number: u32) -> Result<Option<Array<'js>>> {
    let handle = handle.as_object().map_or(Look::Undefined, |handle| Look::Object(Place::of(handle)));
    let binding = binding_of(number).filter(|binding| is_handle_of(binding, handle));
    binding.and_then(|binding| binding.take_pending_writes()).map(|held| held.entries(&ctx)).transpose()
}
