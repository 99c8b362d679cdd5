//! A request that is told whole by its head, made with its response and given to the handlers.

use phasor_js::bytes::string_from_str;
use phasor_js::keys::{Key, Look};
use rquickjs::function::This;
use rquickjs::{Ctx, Function, Object, Result, Value};

use super::super::{flag, words};
use super::{ENDED, FRESH, KNOWN, Known, are_own};

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
        && known.is_usual_server(&server)?
        && known.is_unwatched(connection)?;
    if !is_alone || !known.end_idle_time(connection, &server)? {
        return Ok(false);
    }

    let new = |class: Key| -> Result<Object<'js>> {
        let class = class.object(&server)?;
        let prototype = class.map(|class| keys.prototype.object(&class)).transpose()?.flatten();
        Object::new_proto(ctx.clone(), prototype.as_ref())
    };
    let request = new(keys.incoming_class)?;
    keys.socket_of.define(&request, socket.clone().into_value())?;
    keys.flags.define(&request, Value::new_int(ctx.clone(), told.flags as i32))?;
    keys.block.define(&request, told.block.clone())?;
    keys.url.define(&request, told.line.clone())?;
    keys.method.define(&request, string_from_str(ctx, words::METHODS[told.number as usize])?)?;
    let response = new(keys.response_class)?;
    keys.request.define(&response, request.clone().into_value())?;
    keys.connection.define(&response, connection.clone().into_value())?;
    keys.socket.define(&response, socket.clone().into_value())?;
    keys.incoming.set(connection, request.clone().into_value())?;
    keys.message.set(&socket, response.clone().into_value())?;

    let emit: Function<'js> = keys.emit.get(&server)?.get()?;
    emit.call::<_, Value<'js>>((This(server), string_from_str(ctx, "request")?, request.clone(), response))?;

    let handle = keys.handle.object(&socket)?;
    let is_read =
        handle.is_none_or(|handle| keys.reading.look(&handle).is_ok_and(|reading| reading == Look::Bool(true)));
    if is_read && keys.phase.look(&request)? == Look::Number(FRESH) {
        keys.phase.set_number(&request, ENDED)?;
        return Ok(true);
    }
    let told: Function<'js> = keys.told.get(connection)?.get()?;
    told.call::<_, Value<'js>>((This(connection.clone()), request))?;
    Ok(true)
}

impl Known {
    /// Whether a server makes messages as most do.
    fn is_usual_server(&self, server: &Object<'_>) -> Result<bool> {
        let keys = &self.keys;
        Ok(keys.incoming_class.look(server)? == Look::Object(self.incoming_message)
            && keys.response_class.look(server)? == Look::Object(self.server_response)
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
