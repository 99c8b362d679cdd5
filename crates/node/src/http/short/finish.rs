//! A response that is over, and that nobody listens to.

use phasor_js::keys::{Key, Look, Place, Plain};
use phasor_js::looks::{At, Looks, Room};
use phasor_js::verbs::{Answer, Given, Verb};
use rquickjs::{Ctx, Object, Result};

use super::super::respond::is_open;
use super::{ENDED, GONE, KNOWN, Keys, Known, LEFT, Whole, ticks_waiting};

/// What `finish` answers: it is not for this way, and nothing was done.
pub(super) const NOT_FINISHED: i32 = 1;
/// It is done, but that request and response leave by a tick to come, which somebody's may be before.
pub(super) const LEAVES_LATER: i32 = 2;

/// What has to be so when a response is over, and what is found then.
pub(super) struct Finishing {
    looks: Looks,
    connection: At,
    socket: At,
    request: At,
    header: At,
    incoming: At,
    keep_alive_ms: At,
    buffer_ms: At,
    timer: At,
    timer_ms: At,
    timeout: At,
}

impl Finishing {
    /// What a response has by its prototypes.
    pub(super) fn defaults(keys: &Keys) -> [Key; 3] {
        [keys.last, keys.listens, keys.corked]
    }

    pub(super) fn new(whole: &Whole<'_, '_>) -> Result<Finishing> {
        let keys = whole.keys;
        let response = At::FIRST;
        let mut looks = Looks::new(whole.ctx, 1);
        let connection = looks.object(response, keys.connection);
        let socket = looks.object(response, keys.socket);
        let request = looks.object(response, keys.request_of);
        let server = looks.through(connection, keys.server);
        let header = looks.number(response, keys.header);
        looks.is(request, keys.phase, ENDED);
        looks.is(socket, keys.had_error, false);
        looks.unless_like(response, whole.like_response, |looks| {
            looks.is(response, keys.last, false);
            looks.is(response, keys.listens, false);
            // One that was corked after the end uncorks the socket.
            looks.is(response, keys.corked, 0);
        });
        looks.is(connection, keys.queued, Plain::NULL);
        whole.is_unheard(&mut looks, "finishChannel")?;
        let incoming = looks.any(connection, keys.incoming);
        let keep_alive_ms = looks.number(server, keys.keep_alive);
        let buffer_ms = looks.any(server, keys.keep_alive_buffer);
        let timer = looks.any(connection, keys.timer);
        let timer_ms = looks.any(connection, keys.timer_ms);
        let timeout = looks.any(socket, keys.timeout);
        #[rustfmt::skip]
        let finishing = Finishing {
            looks, connection, socket, request, header, incoming, keep_alive_ms, buffer_ms, timer, timer_ms, timeout,
        };
        Ok(finishing)
    }
}

/// `(response, isCalled)`: what `onFinish` of `server.js` does, for a response by the short way that nobody listens to: 0,
/// [`NOT_FINISHED`] or [`LEAVES_LATER`], as those with a callback do.
pub(super) struct Finish;

impl Verb<2> for Finish {
    fn call<'js>(given: &Given<'_, 'js, 2>) -> Result<Answer> {
        let (Some(known), Some(response)) = (KNOWN.with_borrow(Clone::clone), given.object(0)) else {
            return Ok(Answer::from(NOT_FINISHED));
        };
        let is_called = given.value(1).as_bool() == Some(true);
        finish(given.ctx(), &known, &response, is_called).map(Answer::from)
    }
}

fn finish<'js>(ctx: &Ctx<'js>, known: &Known, response: &Object<'js>, is_called: bool) -> Result<i32> {
    let (keys, finishing) = (&known.keys, &known.finished);
    let mut room = Room::new();
    let Some(found) = finishing.looks.make([response], &mut room) else { return Ok(NOT_FINISHED) };
    let (header, request) = (found.number(finishing.header), found.object(finishing.request));
    let is_quiet = header >= 0.0
        && !is_open(header)
        && known.closing.are_of(response)
        && known.leaving.are_of(&request)
        && known.layers.are_complete();
    if !is_quiet {
        return Ok(NOT_FINISHED);
    }
    // The timer of the time between two requests is there already, or none is wanted.
    let keep_alive_ms = found.number(finishing.keep_alive_ms);
    let is_timed = keep_alive_ms != 0.0;
    let has_timer = found.number(finishing.timer_ms) == keep_alive_ms + found.number(finishing.buffer_ms)
        && found.look(finishing.timeout) == Look::Null;
    let timer = found.as_object(finishing.timer).filter(|_| has_timer);
    if is_timed && timer.is_none() {
        return Ok(NOT_FINISHED);
    }

    let (connection, socket) = (found.object(finishing.connection), found.object(finishing.socket));
    // If nobody has a turn before the ticks that this is in Node, they are all over at once.
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
