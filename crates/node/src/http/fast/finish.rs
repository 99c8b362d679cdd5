//! Native fast path of finishing a response: resets the connection for the next request if nothing listens to the response's events.

use phasor_js::guards::{GuardList, Room, Slot};
use phasor_js::keys::{Key, Look, Place, Plain};
use phasor_js::raw_fn::{Args, RawFn, Ret};
use rquickjs::{Ctx, Object, Result};

use super::super::respond::is_open;
use super::{ENDED, FAST_PATH, FastPath, GONE, Keys, LEFT, Whole, ticks_waiting};

/// Result of `finish`: the fast path declined, and nothing has changed.
pub(super) const NOT_FINISHED: i32 = 1;
/// Result of `finish`: done, but the request is discarded by a later tick, because ticks of the program may be queued before it.
pub(super) const LEAVES_LATER: i32 = 2;

/// The preconditions for finishing a response, and the values loaded while checking them.
pub(super) struct Finishing {
    guards: GuardList,
    connection: Slot,
    socket: Slot,
    request: Slot,
    header: Slot,
    incoming: Slot,
    keep_alive_ms: Slot,
    buffer_ms: Slot,
    timer: Slot,
    timer_ms: Slot,
    timeout: Slot,
}

impl Finishing {
    /// Properties that a response inherits their default from.
    pub(super) fn defaults(keys: &Keys) -> [Key; 3] {
        [keys.last, keys.listens, keys.corked]
    }

    pub(super) fn new(whole: &Whole<'_, '_>) -> Result<Finishing> {
        let keys = whole.keys;
        let response = Slot::FIRST;
        let mut guards = GuardList::new(whole.ctx, 1);
        let connection = guards.object(response, keys.connection);
        let socket = guards.object(response, keys.socket);
        let request = guards.object(response, keys.request_of);
        let server = guards.through(connection, keys.server);
        let header = guards.number(response, keys.header);
        guards.is(request, keys.phase, ENDED);
        guards.is(socket, keys.had_error, false);
        guards.unless_like(response, whole.like_response, |guards| {
            guards.is(response, keys.last, false);
            guards.is(response, keys.listens, false);
            // A response that was corked after `end()` has to uncork the socket.
            guards.is(response, keys.corked, 0);
        });
        guards.is(connection, keys.queued, Plain::NULL);
        whole.is_unheard(&mut guards, "finishChannel")?;
        let incoming = guards.any(connection, keys.incoming);
        let keep_alive_ms = guards.number(server, keys.keep_alive);
        let buffer_ms = guards.any(server, keys.keep_alive_buffer);
        let timer = guards.any(connection, keys.timer);
        let timer_ms = guards.any(connection, keys.timer_ms);
        let timeout = guards.any(socket, keys.timeout);
        #[rustfmt::skip]
        let finishing = Finishing {
            guards, connection, socket, request, header, incoming, keep_alive_ms, buffer_ms, timer, timer_ms, timeout,
        };
        Ok(finishing)
    }
}

/// `(response, isCalled)`: does what `onFinish` of `server.js` does, for a response without listeners that the fast path has sent. Returns 0,
/// [`NOT_FINISHED`] or [`LEAVES_LATER`]. With `isCalled`, a callback of `end()` follows: never 0.
pub(super) struct Finish;

impl RawFn<2> for Finish {
    fn call<'js>(given: &Args<'_, 'js, 2>) -> Result<Ret> {
        let (Some(known), Some(response)) = (FAST_PATH.with_borrow(Clone::clone), given.object(0)) else {
            return Ok(Ret::from(NOT_FINISHED));
        };
        let is_called = given.value(1).as_bool() == Some(true);
        finish(given.ctx(), &known, &response, is_called).map(Ret::from)
    }
}

fn finish<'js>(ctx: &Ctx<'js>, known: &FastPath, response: &Object<'js>, is_called: bool) -> Result<i32> {
    let (keys, finishing) = (&known.keys, &known.finished);
    let mut room = Room::new();
    let Some(found) = finishing.guards.make([response], &mut room) else { return Ok(NOT_FINISHED) };
    let (header, request) = (found.number(finishing.header), found.object(finishing.request));
    let is_quiet = header >= 0.0
        && !is_open(header)
        && known.closing.resolves_to(response)
        && known.leaving.resolves_to(&request)
        && known.layers.is_unpatched();
    if !is_quiet {
        return Ok(NOT_FINISHED);
    }
    // The keep-alive timer must exist already with the right duration, unless there is no keep-alive timeout.
    let keep_alive_ms = found.number(finishing.keep_alive_ms);
    let is_timed = keep_alive_ms != 0.0;
    let has_timer = found.number(finishing.timer_ms) == keep_alive_ms + found.number(finishing.buffer_ms)
        && found.look(finishing.timeout) == Look::Null;
    let timer = found.as_object(finishing.timer).filter(|_| has_timer);
    if is_timed && timer.is_none() {
        return Ok(NOT_FINISHED);
    }

    let (connection, socket) = (found.object(finishing.connection), found.object(finishing.socket));
    // Node discards the request in later ticks. If no tick of the program is queued before them, the program cannot tell when: do it now.
    let is_last = !is_called && ticks_waiting(ctx) == 0;
    keys.phase.put(&request, if is_last { GONE } else { LEFT })?;
    if found.look(finishing.incoming) == Look::Object(Place::of(&request)) {
        keys.incoming.put(&connection, Plain::NULL)?;
    }
    keys.message.put(&socket, Plain::NULL)?;
    keys.socket.put(response, Plain::NULL)?;
    if is_last {
        keys.header.put(response, -1.0 - header)?;
    }
    if let Some(timer) = timer.filter(|_| is_timed) {
        keys.is_kept_alive.put(&connection, true)?;
        keys.refresh.call(&timer, [])?;
    }
    Ok(if is_last { 0 } else { LEAVES_LATER })
}
