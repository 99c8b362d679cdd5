//! A response that comes whole with `end`.

use phasor_core::{Errno, HandleId};
use phasor_js::bytes::{Part, Text};
use phasor_js::keys::{KnownObject, Look};
use rquickjs::{Atom, Ctx, FromJs, Object, Result, Value};

use super::super::head::{Head, Plan, out, push_number};
use super::super::respond::{self, LENGTH, STATUS};
use super::{KNOWN, Known};
use crate::net::handles::opened;

/// What `end` answers: it is not for this way, and nothing was done.
pub(super) const NOT_SENT: i32 = 1;
/// It is sent, and somebody may want to hear of it.
const HEARD: i32 = 2;
/// It is sent, and there is a callback.
pub(super) const CALLED: i32 = 4;

/// Lines that change what follows the head, or how it is written.
const NOT_PLAIN: [&[u8]; 4] = [b"content-disposition", b"expect", b"trailer", b"transfer-encoding"];

/// What is longer has no room in the number that is left of the head.
const MOST_BYTES: usize = 1 << 30;

/// What came of a write: 0, or that there is a rest.
type Written = std::result::Result<u32, Errno>;

/// A response that can go out now, and where to.
struct Way<'a, 'js> {
    known: &'a Known,
    response: &'a Object<'js>,
    connection: KnownObject<'js>,
    socket: KnownObject<'js>,
    number: u32,
    id: HandleId,
    /// As JavaScript has the plan.
    bits: u32,
    plan: Plan,
}

impl<'a, 'js> Way<'a, 'js> {
    fn of(known: &'a Known, response: &'a Object<'js>) -> Result<Option<Way<'a, 'js>>> {
        let keys = &known.keys;
        let (Some(connection), Some(socket)) = (keys.connection.object(response)?, keys.socket.object(response)?)
        else {
            return Ok(None);
        };
        let (Look::Number(number), Look::Number(bits)) = (keys.at.look(&connection)?, keys.plan.look(response)?) else {
            return Ok(None);
        };
        let (number, bits) = (number as u32, bits as u32);
        let plan = Plan::from_bits(bits);
        let Some((id, hung)) = opened(number) else { return Ok(None) };
        let is_free = plan.has_body
            && keys.handle.look(&socket)? == Look::Object(hung.place())
            && keys.connecting.look(&socket)? == Look::Bool(false)
            && known.is_writable(&socket)?
            && keys.strict.look(response)? == Look::Bool(false)
            && keys.own_finished.look(response)? == Look::Undefined
            && keys.destroyed.look(response)? == Look::Undefined
            && keys.output.look(response)? == Look::Null
            && keys.corked.look(response)? == Look::Number(0.0)
            && known.ending.are_of(response)
            && known.sending.are_of(&socket)
            && known.layers.are_complete();
        Ok(is_free.then_some(Way { known, response, connection, socket, number, id, bits, plan }))
    }

    /// Sends head and body. Nothing if it is not for this way.
    fn send_whole(&self, ctx: &Ctx<'js>, body: Option<Part<'js>>) -> Result<Option<Written>> {
        let (keys, response) = (&self.known.keys, self.response);
        let Some(server) = keys.server.object(&self.connection)? else { return Ok(None) };
        // What goes in chunks for other reasons than its headers goes the long way.
        let is_plain = !self.plan.is_chunked
            && !self.plan.removed_length
            && keys.expects.look(response)? == Look::Bool(false)
            && keys.unique.look(response)? == Look::Null
            && keys.reason.look(response)? == Look::Undefined
            && keys.most_requests.look(&server)? == Look::Number(0.0)
            && self.known.heading.are_of(response);
        let Look::Number(status) = keys.status.look(response)? else { return Ok(None) };
        let has_body = (200.0..=999.0).contains(&status) && status.fract() == 0.0 && status != 204.0 && status != 304.0;
        let keep_alive_ms = match keys.own_keep_alive.look(response)? {
            Look::Undefined => keys.keep_alive.look(&server)?,
            own => own,
        };
        let Look::Number(keep_alive_ms) = keep_alive_ms else { return Ok(None) };
        let length = body.as_ref().map_or(0, Part::len);
        if !is_plain || !has_body || length >= MOST_BYTES {
            return Ok(None);
        }
        let plan = Plan {
            keep_alive_secs: (keep_alive_ms != 0.0 && !keep_alive_ms.is_nan()).then(|| (keep_alive_ms / 1e3).floor()),
            length: Some(length as u64),
            ..self.plan
        };
        let mut bytes = respond::scratch();
        bytes.extend_from_slice(b"HTTP/1.1 ");
        self.push_status(ctx, status, &mut bytes)?;
        let mut head = Head::new(&mut bytes, plan);
        if let Some(headers) = keys.headers.object(response)?
            && !add_fields(ctx, &mut head, &headers)?
        {
            return Ok(None);
        }
        let bits = head.end();
        let written = respond::write(ctx, (self.number, self.id), bytes, body, false);
        // What `_header`, `_contentLength` and others are worked out from.
        keys.header.set_number(response, f64::from(self.bits) + status * STATUS + length as f64 * LENGTH)?;
        if bits & out::LAST != 0 && written.is_ok() {
            keys.last.set(response, Value::new_bool(ctx.clone(), true))?;
        }
        Ok(Some(written))
    }

    /// Sends a body with a head that was made before. Nothing if it is not for this way.
    fn send_rest(&self, ctx: &Ctx<'js>, body: Option<Part<'js>>) -> Result<Option<Written>> {
        let (keys, response) = (&self.known.keys, self.response);
        let is_sent = keys.own_head_sent.look(response)? == Look::Bool(true);
        let trailer = keys.trailer.get(response)?;
        if is_sent || !trailer.is_string() || !trailer.get::<Text<'js>>()?.as_wtf8().is_empty() {
            return Ok(None);
        }
        let mut bytes = respond::scratch();
        bytes.extend_from_slice(keys.header.get(response)?.get::<Text<'js>>()?.to_utf8().as_bytes());
        let written = respond::write(ctx, (self.number, self.id), bytes, body, self.plan.is_chunked);
        keys.head_sent.set(response, Value::new_bool(ctx.clone(), true))?;
        keys.finished.set(response, Value::new_bool(ctx.clone(), true))?;
        Ok(Some(written))
    }

    /// The number and the words of the first line.
    fn push_status(&self, ctx: &Ctx<'js>, status: f64, bytes: &mut Vec<u8>) -> Result<()> {
        push_number(bytes, status as u64);
        bytes.push(b' ');
        if status == 200.0 {
            bytes.extend_from_slice(b"OK");
        } else {
            let codes = self.known.keys.codes.object(self.response)?;
            let words: Option<Value<'js>> = codes.map(|codes| codes.get(status as u32)).transpose()?;
            match words.filter(Value::is_string) {
                Some(words) => bytes.extend_from_slice(Text::from_js(ctx, words)?.to_utf8().as_bytes()),
                None => bytes.extend_from_slice(b"unknown"),
            }
        }
        bytes.extend_from_slice(b"\r\n");
        Ok(())
    }
}

/// What `end` was given: the body, if there is one, and whether there is a callback. Nothing if it is not for this way.
fn given<'js>(
    ctx: &Ctx<'js>,
    chunk: Value<'js>,
    encoding: &Value<'js>,
    callback: &Value<'js>,
) -> Result<Option<(Option<Part<'js>>, bool)>> {
    let is_nothing = |value: &Value<'js>| value.is_undefined() || value.is_null();
    let is_called = if chunk.is_function() {
        return Ok(Some((None, true)));
    } else if encoding.is_function() {
        true
    } else {
        let is_utf8 =
            is_nothing(encoding) || (encoding.is_string() && encoding.get::<Text<'js>>()?.as_wtf8() == b"utf8");
        if !is_utf8 || !(is_nothing(callback) || callback.is_function()) {
            return Ok(None);
        }
        callback.is_function()
    };
    if is_nothing(&chunk) {
        return Ok(Some((None, is_called)));
    }
    if !chunk.is_string() && !chunk.as_object().is_some_and(Object::is_typed_array::<u8>) {
        return Ok(None);
    }
    Ok(Some((respond::body_of(ctx, chunk)?, is_called)))
}

/// `(response, chunk, encoding, callback)`, as `end` was called: 0 if it is sent and over but for `finish`; the bits
/// [`NOT_SENT`], [`HEARD`], [`CALLED`] and `UNFINISHED`; or libuv's number.
pub(super) fn end<'js>(
    ctx: Ctx<'js>,
    response: Object<'js>,
    chunk: Value<'js>,
    encoding: Value<'js>,
    callback: Value<'js>,
) -> Result<i32> {
    let Some(known) = KNOWN.with_borrow(Clone::clone) else { return Ok(NOT_SENT) };
    let keys = &known.keys;
    let Some(way) = Way::of(&known, &response)? else { return Ok(NOT_SENT) };
    let Some((body, is_called)) = given(&ctx, chunk, &encoding, &callback)? else { return Ok(NOT_SENT) };
    let sent = match keys.header.look(&response)? {
        Look::Null => way.send_whole(&ctx, body)?,
        Look::Text => way.send_rest(&ctx, body)?,
        _ => None,
    };
    Ok(match sent {
        None => NOT_SENT,
        Some(Err(errno)) => -errno.raw(),
        Some(Ok(unfinished)) => {
            let is_heard = !known.heard.are_of(&response)
                || !matches!(keys.timeout.look(&way.socket)?, Look::Undefined | Look::Null);
            unfinished as i32 | if is_heard { HEARD } else { 0 } | if is_called { CALLED } else { 0 }
        }
    })
}

/// Adds the lines of `setHeader`. Whether they are all plain.
fn add_fields<'js>(ctx: &Ctx<'js>, head: &mut Head<'_>, headers: &Object<'js>) -> Result<bool> {
    for line in headers.props::<Atom<'js>, Object<'js>>() {
        let (_, entry) = line?;
        let name = Text::from_js(ctx, entry.get(0)?)?;
        if NOT_PLAIN.iter().any(|word| name.as_wtf8().eq_ignore_ascii_case(word)) {
            return Ok(false);
        }
        let value: Value<'js> = entry.get(1)?;
        let is_one = value.is_string() || value.is_number();
        if is_one {
            head.header(name.as_wtf8(), respond::text_of(ctx, value)?.to_utf8().as_bytes());
            continue;
        }
        let Some(list) = value.as_array().filter(|_| !name.as_wtf8().eq_ignore_ascii_case(b"cookie")) else {
            return Ok(false);
        };
        for one in list.iter::<Value<'js>>() {
            head.header(name.as_wtf8(), respond::text_of(ctx, one?)?.to_utf8().as_bytes());
        }
    }
    Ok(true)
}
