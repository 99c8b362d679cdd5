//! Native fast path of a request without a body: creates the request and response objects and calls the handlers.

use phasor_js::guards::{GuardList, Room, Slot};
use phasor_js::keys::{Key, Plain, make_like};
use rquickjs::{Ctx, Object, Result, Value};

use super::super::respond::is_open;
use super::super::{flag, tables};
use super::{ENDED, FAST_PATH, FRESH, Keys, Whole, ticks_waiting};

/// A head from the parser.
pub(crate) struct Head<'js> {
    /// The number of the method.
    pub(crate) number: u32,
    /// The target.
    pub(crate) line: Value<'js>,
    /// The header fields.
    pub(crate) block: Value<'js>,
    /// See `flag`.
    pub(crate) flags: u32,
}

/// Does what `onRequestHead` of `server.js` does, for a request without a body on a connection without other messages. Returns false if it
/// declined.
pub(crate) fn request<'js>(ctx: &Ctx<'js>, connection: &Object<'js>, told: &Head<'js>) -> Result<bool> {
    const USUAL: u32 = flag::KEEP_ALIVE | flag::COMPLETE | flag::HOST | 1 << flag::MINOR_SHIFT | 1 << flag::MAJOR_SHIFT;
    if told.flags != USUAL || tables::METHODS.get(told.number as usize).is_none_or(|method| *method == "HEAD") {
        return Ok(false);
    }
    let Some(known) = FAST_PATH.with_borrow(Clone::clone) else { return Ok(false) };
    let (keys, telling) = (&known.keys, &known.told);
    let mut room = Room::new();
    let Some(found) = telling.guards.make([connection], &mut room) else { return Ok(false) };
    if !known.is_untouched() {
        return Ok(false);
    }
    // The keep-alive time between two requests is over.
    keys.is_kept_alive.put(connection, false)?;

    let socket = found.object(telling.socket);
    let flags = Value::new_int(ctx.clone(), told.flags as i32);
    let method = known.methods[told.number as usize].value(ctx);
    let phase = Value::new_int(ctx.clone(), FRESH);
    let values = [socket.as_value(), &flags, &told.block, &told.line, &method, &phase];
    let Some(request) = make_like(&found.object(telling.like_request), values)? else { return Ok(false) };
    let null = Value::new_null(ctx.clone());
    let values = [request.as_value(), connection.as_value(), request.as_value(), socket.as_value(), &null, &null];
    let Some(response) = make_like(&found.object(telling.like_response), values)? else { return Ok(false) };
    keys.incoming.set(connection, request.as_value())?;
    keys.message.set(&socket, response.as_value())?;

    let event = known.event.value(ctx);
    keys.emit.call(&found.object(telling.server), [&event, request.as_value(), response.as_value()])?;

    // In Node a tick follows the end of the request; ticks that are queued now run before it and may add listeners. The tick that finishes
    // the response does not count if it calls no listener and no callback.
    let is_amid_ticks = match ticks_waiting(ctx) {
        0 => false,
        1 => !telling.is_sent(&response) || !known.heard.resolves_to(&response),
        _ => true,
    };
    let is_over = !is_amid_ticks && telling.after.make([&request, &socket], &mut Room::new()).is_some();
    if is_over && known.leaving.are_below(&request) {
        keys.phase.put(&request, ENDED)?;
        return Ok(true);
    }
    keys.told.call(connection, [request.as_value()])?;
    Ok(true)
}

/// The model of requests: its properties are those that [`request`] sets, in this order.
pub(super) fn request_model<'js>(keys: &Keys, prototype: &Object<'js>) -> Result<Object<'js>> {
    model(prototype, [keys.socket_of, keys.flags, keys.block, keys.url, keys.method, keys.phase])
}

/// The model of responses.
pub(super) fn response_model<'js>(keys: &Keys, prototype: &Object<'js>) -> Result<Object<'js>> {
    model(prototype, [keys.request, keys.connection, keys.request_of, keys.socket, keys.headers, keys.header])
}

fn model<'js, const N: usize>(prototype: &Object<'js>, keys: [Key; N]) -> Result<Object<'js>> {
    let model = Object::new_proto(prototype.ctx().clone(), Some(prototype))?;
    for key in keys {
        key.define(&model, Value::new_null(prototype.ctx().clone()))?;
    }
    Ok(model)
}

/// The preconditions for dispatching a request, and the values loaded while checking them.
pub(super) struct Telling {
    guards: GuardList,
    server: Slot,
    socket: Slot,
    like_request: Slot,
    like_response: Slot,
    /// The preconditions for ending the request directly after the handlers have run.
    after: GuardList,
    /// The preconditions of [`Telling::is_sent`].
    sent: GuardList,
    /// The response's `kHeader`, loaded by `sent`.
    header: Slot,
}

impl Telling {
    pub(super) fn new(whole: &Whole<'_, '_>) -> Result<Telling> {
        let keys = whole.keys;
        let connection = Slot::FIRST;
        let mut guards = GuardList::new(whole.ctx, 1);
        let server = guards.object(connection, keys.server);
        let socket = guards.object(connection, keys.socket_of);
        guards.is_nothing(socket, keys.message);
        guards.is(socket, keys.timeout, Plain::NULL);
        guards.is(socket, keys.paused, false);
        whole.is_writable(&mut guards, socket, false)?;
        guards.is(connection, keys.waiting, 0);
        guards.is(connection, keys.is_usual, true);
        // The server uses the default IncomingMessage and ServerResponse classes, and their prototypes are in place.
        for (key, name) in [(keys.incoming_class, "IncomingMessage"), (keys.response_class, "ServerResponse")] {
            let known: Object<'_> = whole.config.get(name)?;
            guards.is_object(server, key, &known);
            let class = guards.known(&known);
            guards.is_object(class, keys.prototype, &known.get("prototype")?);
        }
        guards.is(server, keys.unique, Plain::NULL);
        guards.is(server, keys.max_requests, 0);
        guards.is_not(server, keys.joins);
        // Diagnostics channels and performance observers do not watch new messages.
        for channel in ["startChannel", "createdChannel"] {
            whole.is_unheard(&mut guards, channel)?;
        }
        let watched = guards.known(&whole.config.get("watched")?);
        guards.is(watched, keys.http, 0);
        // The keep-alive timer is not running, or it need not be replaced by the server's socket timeout.
        guards.either(
            |guards| guards.is(connection, keys.is_kept_alive, false),
            |guards| {
                guards.is(connection, keys.is_on_socket, false);
                guards.is(server, keys.server_timeout, 0);
            },
        );
        let like_request = guards.object(connection, keys.request_model);
        let like_response = guards.object(connection, keys.response_model);
        let after = Telling::after(whole);
        let (sent, header) = Telling::sent(whole);
        Ok(Telling { guards, server, socket, like_request, like_response, after, sent, header })
    }

    /// True if the response is sent and its queued tick calls no callback.
    fn is_sent(&self, response: &Object<'_>) -> bool {
        let mut room = Room::new();
        let found = self.sent.make([response], &mut room);
        found.is_some_and(|found| !is_open(found.number(self.header)))
    }

    fn sent(whole: &Whole<'_, '_>) -> (GuardList, Slot) {
        let (keys, response) = (whole.keys, Slot::FIRST);
        let mut guards = GuardList::new(whole.ctx, 1);
        let header = guards.number(response, keys.header);
        guards
            .unless_like(response, whole.like_response, |guards| guards.is(response, keys.callback, Plain::UNDEFINED));
        (guards, header)
    }

    fn after(whole: &Whole<'_, '_>) -> GuardList {
        let keys = whole.keys;
        let (request, socket) = (Slot::FIRST, Slot::SECOND);
        let mut guards = GuardList::new(whole.ctx, 2);
        guards.is(request, keys.phase, FRESH);
        guards.either(
            |guards| guards.is_nothing(socket, keys.handle),
            |guards| {
                let handle = guards.through(socket, keys.handle);
                guards.is(handle, keys.reading, true);
            },
        );
        guards
    }
}
