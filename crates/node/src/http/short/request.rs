//! A request that is told whole by its head, made with its response and given to the handlers.

use phasor_js::keys::{Key, Look, Place, make_like};
use rquickjs::{Ctx, Object, Result, Value};

use super::super::{flag, words};
use super::{ENDED, FRESH, KNOWN, Keys, Known, are_own};

/// A head as the parser tells it: for a request the number of its method.
pub(crate) struct Told<'js> {
    pub(crate) number: u32,
    pub(crate) line: Value<'js>,
    pub(crate) block: Value<'js>,
    pub(crate) flags: u32,
}

/// Does what `onRequestHead` of `server.js` does, for a request without a body on a connection where nothing else is. Whether
/// it did.
pub(crate) fn request<'js>(ctx: &Ctx<'js>, connection: &Object<'js>, told: &Told<'js>) -> Result<bool> {
    const USUAL: u32 = flag::KEEP_ALIVE | flag::COMPLETE | flag::HOST | 1 << flag::MINOR_SHIFT | 1 << flag::MAJOR_SHIFT;
    if told.flags != USUAL || words::METHODS.get(told.number as usize).is_none_or(|method| *method == "HEAD") {
        return Ok(false);
    }
    let Some(known) = KNOWN.with_borrow(Clone::clone) else { return Ok(false) };
    let keys = &known.keys;
    let (Some(server), Some(socket)) = (keys.server.object(connection)?, keys.socket_of.object(connection)?) else {
        return Ok(false);
    };
    let is_alone = matches!(keys.message.look(&socket)?, Look::Undefined | Look::Null)
        && keys.timeout.look(&socket)? == Look::Null
        && keys.paused.look(&socket)? == Look::Bool(false)
        && known.is_writable(&socket)?
        && keys.waiting.look(connection)? == Look::Number(0.0)
        && keys.is_usual.look(connection)? == Look::Bool(true)
        && known.is_untouched()
        && known.is_usual_server(&server)?
        && known.is_unwatched(connection)?;
    if !is_alone || !known.end_idle_time(connection, &server)? {
        return Ok(false);
    }

    let (Some(like_request), Some(like_response)) =
        (keys.request_model.object(connection)?, keys.response_model.object(connection)?)
    else {
        return Ok(false);
    };
    let flags = Value::new_int(ctx.clone(), told.flags as i32);
    let method = known.methods[told.number as usize].value(ctx);
    let phase = Value::new_int(ctx.clone(), FRESH as i32);
    let values = [socket.as_value(), &flags, &told.block, &told.line, &method, &phase];
    let Some(request) = make_like(&like_request, values)? else { return Ok(false) };
    let null = Value::new_null(ctx.clone());
    let values = [request.as_value(), connection.as_value(), request.as_value(), socket.as_value(), &null, &null];
    let Some(response) = make_like(&like_response, values)? else { return Ok(false) };
    keys.incoming.set(connection, request.as_value().clone())?;
    keys.message.set(&socket, response.as_value().clone())?;

    keys.emit.call(&server, [&known.event.value(ctx), request.as_value(), response.as_value()])?;

    let handle = keys.handle.object(&socket)?;
    let is_read =
        handle.is_none_or(|handle| keys.reading.look(&handle).is_ok_and(|reading| reading == Look::Bool(true)));
    if is_read && keys.phase.look(&request)? == Look::Number(FRESH) && known.leaving.are_below(&request) {
        keys.phase.set_number(&request, ENDED)?;
        return Ok(true);
    }
    keys.told.call(connection, [request.as_value()])?;
    Ok(true)
}

/// What requests are made like: the values that [`request`] gives them, in this order.
pub(super) fn request_model<'js>(keys: &Keys, prototype: &Object<'js>) -> Result<Object<'js>> {
    model(prototype, [keys.socket_of, keys.flags, keys.block, keys.url, keys.method, keys.phase])
}

/// What responses are made like.
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

impl Known {
    /// Whether a server makes messages as most do.
    fn is_usual_server(&self, server: &Object<'_>) -> Result<bool> {
        let keys = &self.keys;
        let is_usual = |class: Key, (place, prototype): (Place, Place)| -> Result<bool> {
            let Some(class) = class.object(server)? else { return Ok(false) };
            Ok(Place::of(&class) == place && keys.prototype.look(&class)? == Look::Object(prototype))
        };
        Ok(is_usual(keys.incoming_class, self.incoming_message)?
            && is_usual(keys.response_class, self.server_response)?
            && keys.unique.look(server)? == Look::Null
            && keys.most_requests.look(server)? == Look::Number(0.0)
            && matches!(keys.joins.look(server)?, Look::Undefined | Look::Bool(false)))
    }

    /// Whether nobody is told of new messages by other ways than events.
    fn is_unwatched(&self, connection: &Object<'_>) -> Result<bool> {
        let keys = &self.keys;
        for channel in [keys.started, keys.created] {
            let Some(channel) = channel.object(connection)? else { return Ok(false) };
            if !are_own(&channel, &self.of_channel)? {
                return Ok(false);
            }
        }
        let Some(watched) = keys.watched.object(connection)? else { return Ok(false) };
        Ok(keys.http.look(&watched)? == Look::Number(0.0))
    }

    /// The time between two requests is over, if it had begun. Whether that is all there is to it.
    fn end_idle_time<'js>(&self, connection: &Object<'js>, server: &Object<'js>) -> Result<bool> {
        let keys = &self.keys;
        if keys.is_kept_alive.look(connection)? == Look::Bool(false) {
            return Ok(true);
        }
        let is_own = keys.is_on_socket.look(connection)? == Look::Bool(false)
            && keys.server_timeout.look(server)? == Look::Number(0.0);
        if is_own {
            keys.is_kept_alive.set(connection, Value::new_bool(connection.ctx().clone(), false))?;
        }
        Ok(is_own)
    }
}
