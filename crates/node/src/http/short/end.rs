//! A response that comes whole with `end`.

use phasor_core::{Errno, HandleId};
use phasor_js::ascii::read_lines;
use phasor_js::bytes::{Part, Text};
use phasor_js::keys::{Key, Look, Place, Plain};
use phasor_js::looks::{At, Found, Looks, Room};
use phasor_js::verbs::{Answer, Given, Verb};
use rquickjs::{Atom, Ctx, FromJs, Object, Result, Value};

use super::super::head::{Head, Plan, out, push_number};
use super::super::respond::{self, LENGTH, STATUS};
use super::{KNOWN, Keys, Known, Whole};
use crate::net::handles::opened;

/// What `end` answers: it is not for this way, and nothing was done.
pub(super) const NOT_SENT: i32 = 1;
/// It is sent, and somebody may want to hear of it.
const HEARD: i32 = 2;
/// It is sent, and there is a callback.
pub(super) const CALLED: i32 = 4;

/// The names of lines that change what follows the head, or how it is written.
const NOT_PLAIN: [&[u8]; 4] = [b"content-disposition", b"expect", b"trailer", b"transfer-encoding"];

/// What is longer has no room in the number that is left of the head.
const MOST_BYTES: usize = 1 << 30;

/// What came of a write: 0, or that there is a rest.
type Written = std::result::Result<u32, Errno>;

/// What has to be so for a response to go out now, and what is found then.
pub(super) struct Ending {
    looks: Looks,
    server: At,
    socket: At,
    number: At,
    plan: At,
    handle: At,
    header: At,
    timeout: At,
}

impl Ending {
    /// What a response has by its prototypes.
    pub(super) fn defaults(keys: &Keys) -> [Key; 3] {
        [keys.strict, keys.output, keys.corked]
    }

    pub(super) fn new(whole: &Whole<'_, '_>) -> Result<Ending> {
        let keys = whole.keys;
        let response = At::FIRST;
        let mut looks = Looks::new(whole.ctx, 1);
        let connection = looks.through(response, keys.connection);
        let socket = looks.object(response, keys.socket);
        let server = looks.object(connection, keys.server);
        let number = looks.number(connection, keys.at);
        let plan = looks.number(response, keys.plan);
        let handle = looks.object(socket, keys.handle);
        looks.is(socket, keys.connecting, false);
        whole.is_writable(&mut looks, socket)?;
        looks.unless_like(response, whole.like_response, |looks| {
            looks.is(response, keys.strict, false);
            looks.is(response, keys.own_finished, Plain::UNDEFINED);
            looks.is(response, keys.destroyed, Plain::UNDEFINED);
            looks.is(response, keys.output, Plain::NULL);
            looks.is(response, keys.corked, 0);
        });
        let header = looks.any(response, keys.header);
        let timeout = looks.any(socket, keys.timeout);
        Ok(Ending { looks, server, socket, number, plan, handle, header, timeout })
    }
}

/// What has to be so for a head to be made, of a response and a server, and what is found then.
pub(super) struct Heading {
    looks: Looks,
    status: At,
    own_keep_alive: At,
    keep_alive: At,
    headers: At,
}

impl Heading {
    /// What a response has by its prototypes.
    pub(super) fn defaults(keys: &Keys) -> [Key; 2] {
        [keys.expects, keys.unique]
    }

    pub(super) fn new(whole: &Whole<'_, '_>) -> Heading {
        let keys = whole.keys;
        let (response, server) = (At::FIRST, At::SECOND);
        let mut looks = Looks::new(whole.ctx, 2);
        let mut own_keep_alive = response;
        looks.unless_like(response, whole.like_response, |looks| {
            looks.is(response, keys.expects, false);
            looks.is(response, keys.unique, Plain::NULL);
            looks.is(response, keys.reason, Plain::UNDEFINED);
            own_keep_alive = looks.any(response, keys.own_keep_alive);
        });
        looks.is(server, keys.most_requests, 0);
        let status = looks.number(response, keys.status);
        let keep_alive = looks.any(server, keys.keep_alive);
        let headers = looks.any(response, keys.headers);
        Heading { looks, status, own_keep_alive, keep_alive, headers }
    }
}

/// A response that can go out now, and where to.
struct Way<'a, 'js> {
    known: &'a Known,
    response: &'a Object<'js>,
    found: Found<'a, 'js>,
    number: u32,
    id: HandleId,
    /// As JavaScript has the plan.
    bits: u32,
    plan: Plan,
}

impl<'a, 'js> Way<'a, 'js> {
    fn of(known: &'a Known, response: &'a Object<'js>, room: &'a mut Room) -> Option<Way<'a, 'js>> {
        let ending = &known.ended;
        let found = ending.looks.make([response], room)?;
        let (number, bits) = (found.number(ending.number) as u32, found.number(ending.plan) as u32);
        let plan = Plan::from_bits(bits);
        let (id, hung) = opened(number)?;
        let is_free = plan.has_body
            && Place::of(&found.object(ending.handle)) == hung.place()
            && known.ending.are_of(response)
            && known.sending.are_of(&found.object(ending.socket))
            && known.layers.are_complete();
        is_free.then_some(Way { known, response, found, number, id, bits, plan })
    }

    /// Sends head and body. Nothing if it is not for this way.
    fn send_whole(&self, ctx: &Ctx<'js>, body: Option<Part<'js>>) -> Result<Option<Written>> {
        let (known, response) = (self.known, self.response);
        let (keys, heading) = (&known.keys, &known.headed);
        // What goes in chunks for other reasons than its headers goes the long way.
        let is_plain = !self.plan.is_chunked && !self.plan.removed_length && known.heading.are_of(response);
        let server = self.found.object(known.ended.server);
        let mut room = Room::new();
        let Some(found) = heading.looks.make([response, &server], &mut room).filter(|_| is_plain) else {
            return Ok(None);
        };
        let status = found.number(heading.status);
        let has_body = (200.0..=999.0).contains(&status) && status.fract() == 0.0 && status != 204.0 && status != 304.0;
        let keep_alive_ms = match found.look(heading.own_keep_alive) {
            Look::Undefined => found.look(heading.keep_alive),
            own => own,
        };
        let Look::Number(keep_alive_ms) = keep_alive_ms else { return Ok(None) };
        let length = body.as_ref().map_or(0, Part::len);
        if !has_body || length >= MOST_BYTES {
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
        if let Some(headers) = found.as_object(heading.headers)
            && !add_fields(ctx, &mut head, &headers)?
        {
            return Ok(None);
        }
        let bits = head.end();
        let written = respond::write(ctx, (self.number, self.id), bytes, body, false);
        // What `_header`, `_contentLength` and others are worked out from.
        keys.header.put(response, f64::from(self.bits) + status * STATUS + length as f64 * LENGTH)?;
        if bits & out::LAST != 0 && written.is_ok() {
            keys.last.put(response, true)?;
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
        keys.head_sent.put(response, true)?;
        keys.finished.put(response, true)?;
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
fn given_to_end<'js>(given: &Given<'_, 'js, 4>) -> Result<Option<(Option<Part<'js>>, bool)>> {
    let (chunk, encoding, callback) = (given.value(1), given.value(2), given.value(3));
    let is_nothing = |value: &Value<'js>| value.is_undefined() || value.is_null();
    let is_called = if chunk.is_function() {
        return Ok(Some((None, true)));
    } else if encoding.is_function() {
        true
    } else {
        let is_utf8 =
            is_nothing(&encoding) || (encoding.is_string() && encoding.get::<Text<'js>>()?.as_wtf8() == b"utf8");
        if !is_utf8 || !(is_nothing(&callback) || callback.is_function()) {
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
    Ok(Some((respond::body_of(given.ctx(), chunk.clone())?, is_called)))
}

/// `(response, chunk, encoding, callback)`, as `end` was called: 0 if it is sent and over but for `finish`; the bits
/// [`NOT_SENT`], [`HEARD`], [`CALLED`] and `UNFINISHED`; or libuv's number.
pub(super) struct End;

impl Verb<4> for End {
    fn call<'js>(given: &Given<'_, 'js, 4>) -> Result<Answer> {
        let (Some(known), Some(response)) = (KNOWN.with_borrow(Clone::clone), given.object(0)) else {
            return Ok(Answer::from(NOT_SENT));
        };
        let mut room = Room::new();
        let Some(way) = Way::of(&known, &response, &mut room) else { return Ok(Answer::from(NOT_SENT)) };
        end(&way, given).map(Answer::from)
    }
}

fn end<'js>(way: &Way<'_, 'js>, given: &Given<'_, 'js, 4>) -> Result<i32> {
    let (known, ctx) = (way.known, given.ctx());
    let Some((body, is_called)) = given_to_end(given)? else { return Ok(NOT_SENT) };
    let sent = match way.found.look(known.ended.header) {
        Look::Null => way.send_whole(ctx, body)?,
        Look::Text => way.send_rest(ctx, body)?,
        _ => None,
    };
    Ok(match sent {
        None => NOT_SENT,
        Some(Err(errno)) => -errno.raw(),
        Some(Ok(unfinished)) => {
            let is_heard = !known.heard.are_of(way.response)
                || !matches!(way.found.look(known.ended.timeout), Look::Undefined | Look::Null);
            unfinished as i32 | if is_heard { HEARD } else { 0 } | if is_called { CALLED } else { 0 }
        }
    })
}

/// Whether a line changes neither what follows the head nor how it is written.
fn is_plain(name: &[u8]) -> bool {
    NOT_PLAIN.iter().all(|word| !name.eq_ignore_ascii_case(word))
}

/// Adds the lines of `setHeader`. Whether they are all plain.
fn add_fields<'js>(ctx: &Ctx<'js>, head: &mut Head<'_>, headers: &Object<'js>) -> Result<bool> {
    let mut are_plain = true;
    let are_read = read_lines(headers, |name, value| {
        are_plain &= is_plain(name);
        head.header(name, value);
    });
    if are_read { Ok(are_plain) } else { add_others(ctx, head, headers) }
}

/// The same, where they are not all of ASCII.
fn add_others<'js>(ctx: &Ctx<'js>, head: &mut Head<'_>, headers: &Object<'js>) -> Result<bool> {
    for line in headers.props::<Atom<'js>, Object<'js>>() {
        let (_, entry) = line?;
        let name = Text::from_js(ctx, entry.get(0)?)?;
        if !is_plain(name.as_wtf8()) {
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
