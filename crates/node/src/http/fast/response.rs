//! Preconditions of the native `write()` and `end()` of a response, the values loaded while checking them, and the response head.

use std::rc::Rc;

use phasor_core::HandleId;
use phasor_js::ascii::read_lines;
use phasor_js::bytes::Text;
use phasor_js::guards::{Found, GuardList, Room, Slot};
use phasor_js::keys::{Key, Look, Place, Plain};
use rquickjs::{Atom, Ctx, FromJs, Object, Result, Value};

use super::super::head::{Head, Plan, push_number};
use super::super::respond::{self, LENGTH, PARTS};
use super::super::tables::is_value_text;
use super::{FastPath, Keys, Whole};
use crate::net::HandleBinding;
use crate::net::handles::opened;

/// Names of header fields that change the body's framing, or how the head is encoded.
const NOT_PLAIN: [&[u8]; 4] = [b"content-disposition", b"expect", b"trailer", b"transfer-encoding"];

/// The preconditions of the native `end()` and `write()`, and the values loaded while checking them.
pub(super) struct Ending {
    guards: GuardList,
    server: Slot,
    pub(super) socket: Slot,
    number: Slot,
    plan: Slot,
    handle: Slot,
    pub(super) header: Slot,
    own_head_sent: Slot,
    pub(super) most: Slot,
    pub(super) timeout: Slot,
    pub(super) unwritten: Slot,
}

impl Ending {
    /// Properties that a response inherits their default from.
    pub(super) fn defaults(keys: &Keys) -> [Key; 3] {
        [keys.strict, keys.output, keys.corked]
    }

    pub(super) fn new(whole: &Whole<'_, '_>) -> Result<Ending> {
        let keys = whole.keys;
        let response = Slot::FIRST;
        let mut guards = GuardList::new(whole.ctx, 1);
        let connection = guards.through(response, keys.connection);
        let socket = guards.object(response, keys.socket);
        let server = guards.object(connection, keys.server);
        let number = guards.number(connection, keys.at);
        let plan = guards.number(response, keys.plan);
        let handle = guards.object(socket, keys.handle);
        guards.is(socket, keys.connecting, false);
        let unwritten = guards.any(socket, keys.unwritten);
        whole.is_writable(&mut guards, socket, true)?;
        let mut own_head_sent = response;
        guards.unless_like(response, whole.like_response, |guards| {
            own_head_sent = guards.any(response, keys.own_head_sent);
            guards.is(response, keys.strict, false);
            guards.is(response, keys.own_finished, Plain::UNDEFINED);
            guards.is(response, keys.destroyed, Plain::UNDEFINED);
            guards.is(response, keys.output, Plain::NULL);
            guards.is(response, keys.corked, 0);
        });
        let header = guards.any(response, keys.header);
        let most = guards.any(server, keys.max_bytes);
        let timeout = guards.any(socket, keys.timeout);
        #[rustfmt::skip]
        let ending = Ending {
            guards, server, socket, number, plan, handle, header, own_head_sent, most, timeout, unwritten,
        };
        Ok(ending)
    }
}

/// The preconditions for building a head, beginning at the response and the server, and the values loaded while checking them.
pub(super) struct Heading {
    guards: GuardList,
    status: Slot,
    own_keep_alive: Slot,
    keep_alive: Slot,
    headers: Slot,
}

impl Heading {
    /// Properties that a response inherits their default from.
    pub(super) fn defaults(keys: &Keys) -> [Key; 2] {
        [keys.expects, keys.unique]
    }

    pub(super) fn new(whole: &Whole<'_, '_>) -> Heading {
        let keys = whole.keys;
        let (response, server) = (Slot::FIRST, Slot::SECOND);
        let mut guards = GuardList::new(whole.ctx, 2);
        let mut own_keep_alive = response;
        guards.unless_like(response, whole.like_response, |guards| {
            guards.is(response, keys.expects, false);
            guards.is(response, keys.unique, Plain::NULL);
            guards.is(response, keys.reason, Plain::UNDEFINED);
            own_keep_alive = guards.any(response, keys.own_keep_alive);
        });
        guards.is(server, keys.max_requests, 0);
        let status = guards.number(response, keys.status);
        let keep_alive = guards.any(server, keys.keep_alive);
        let headers = guards.any(response, keys.headers);
        Heading { guards, status, own_keep_alive, keep_alive, headers }
    }
}

/// The progress of a response.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// There is no head.
    Fresh,
    /// JavaScript has built the head, and it is not sent.
    Headed,
    /// The head and perhaps parts of the body were written by the fast path.
    Open,
    /// The fast path does not apply.
    Other,
}

/// A complete head.
pub(super) struct Headed {
    pub(super) bytes: Vec<u8>,
    /// The bits of `head::out`.
    pub(super) out: u32,
    /// The status code.
    pub(super) status: f64,
}

/// A response for which the preconditions hold, and its socket handle.
pub(super) struct FastResponse<'a, 'js> {
    pub(super) known: &'a FastPath,
    pub(super) response: &'a Object<'js>,
    pub(super) found: Found<'a, 'js>,
    pub(super) number: u32,
    pub(super) id: HandleId,
    pub(super) binding: Rc<HandleBinding>,
    /// The plan as JavaScript stores it (`kPlan`).
    pub(super) bits: u32,
    pub(super) plan: Plan,
}

impl<'a, 'js> FastResponse<'a, 'js> {
    pub(super) fn of(
        known: &'a FastPath,
        response: &'a Object<'js>,
        room: &'a mut Room,
    ) -> Option<FastResponse<'a, 'js>> {
        let ending = &known.ended;
        let found = ending.guards.make([response], room)?;
        let (number, bits) = (found.number(ending.number) as u32, found.number(ending.plan) as u32);
        let plan = Plan::from_bits(bits);
        let (id, binding) = opened(number)?;
        let is_free = plan.has_body
            && Place::of(&found.object(ending.handle)) == binding.place()
            && known.ending.resolves_to(response)
            && known.sending.resolves_to(&found.object(ending.socket))
            && known.layers.is_unpatched();
        is_free.then_some(FastResponse { known, response, found, number, id, binding, bits, plan })
    }

    /// The progress of the response.
    pub(super) fn step(&self) -> Step {
        let ending = &self.known.ended;
        match self.found.look(ending.header) {
            Look::Null => Step::Fresh,
            Look::Number(header) if respond::is_open(header) => Step::Open,
            Look::Text => match self.found.look(ending.own_head_sent) {
                Look::Bool(false) | Look::Undefined => Step::Headed,
                _ => Step::Other,
            },
            _ => Step::Other,
        }
    }

    /// True if the stream state of the socket is untouched, so that parts become pending writes.
    pub(super) fn holds(&self) -> bool {
        matches!(self.found.look(self.known.ended.unwritten), Look::Bool(true) | Look::Number(_))
    }

    /// True if this length reaches the highWaterMark and the program could tell: 'drain' must then be emitted.
    pub(super) fn is_seen_full(&self, length: usize) -> bool {
        let Look::Number(most) = self.found.look(self.known.ended.most) else { return true };
        length as f64 >= most
            && !(self.holds() && self.known.watching.resolves_to(&self.found.object(self.known.ended.socket)))
    }

    /// The length of the head that JavaScript has built.
    pub(super) fn made_length(&self) -> Result<usize> {
        Ok(self.known.keys.header.get(self.response)?.get::<Text<'js>>()?.as_wtf8().len())
    }

    /// Takes the head that JavaScript has built, and marks it as sent. The response keeps the string under `kMadeHeader`.
    pub(super) fn take_head(&self) -> Result<Vec<u8>> {
        let (keys, response) = (&self.known.keys, self.response);
        let head = keys.header.get(response)?;
        let mut bytes = respond::scratch();
        bytes.extend_from_slice(head.get::<Text<'js>>()?.to_utf8().as_bytes());
        keys.made_header.set(response, &head)?;
        keys.own_head_sent.put(response, true)?;
        keys.header.put(response, f64::from(self.bits | PARTS) + LENGTH)?;
        Ok(bytes)
    }

    /// True if there are no trailers.
    pub(super) fn has_no_trailer(&self) -> Result<bool> {
        let trailer = self.known.keys.trailer.get(self.response)?;
        Ok(trailer.is_string() && trailer.get::<Text<'js>>()?.as_wtf8().is_empty())
    }

    /// Builds the head, for a body of this length if it is known. `None` declines.
    pub(super) fn head(&self, ctx: &Ctx<'js>, length: Option<usize>) -> Result<Option<Headed>> {
        let (known, response) = (self.known, self.response);
        let heading = &known.headed;
        // The fast path does not build a head if chunked coding was chosen before, or if `Content-Length` was removed.
        let is_plain = !self.plan.is_chunked && !self.plan.removed_length && known.heading.resolves_to(response);
        let server = self.found.object(known.ended.server);
        let mut room = Room::new();
        let Some(found) = heading.guards.make([response, &server], &mut room).filter(|_| is_plain) else {
            return Ok(None);
        };
        let status = found.number(heading.status);
        let has_body = (200.0..=999.0).contains(&status) && status.fract() == 0.0 && status != 204.0 && status != 304.0;
        let keep_alive_ms = match found.look(heading.own_keep_alive) {
            Look::Undefined => found.look(heading.keep_alive),
            own => own,
        };
        let Look::Number(keep_alive_ms) = keep_alive_ms else { return Ok(None) };
        if !has_body {
            return Ok(None);
        }
        let plan = Plan {
            keep_alive_secs: (keep_alive_ms != 0.0 && !keep_alive_ms.is_nan()).then(|| (keep_alive_ms / 1e3).floor()),
            length: length.map(|length| length as u64),
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
        let out = head.end();
        Ok(Some(Headed { bytes, out, status }))
    }

    /// Appends the status code and the reason phrase.
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

/// True if a field changes neither the body's framing nor the encoding of the head.
fn is_plain(name: &[u8]) -> bool {
    NOT_PLAIN.iter().all(|word| !name.eq_ignore_ascii_case(word))
}

/// Adds the fields of `setHeader`. Returns whether all are [plain](is_plain).
fn add_fields<'js>(ctx: &Ctx<'js>, head: &mut Head<'_>, headers: &Object<'js>) -> Result<bool> {
    let mut are_plain = true;
    let are_read = read_lines(headers, |name, value| {
        are_plain &= is_plain(name);
        head.header(name, value);
    });
    if are_read { Ok(are_plain) } else { add_others(ctx, head, headers) }
}

/// As [`add_fields`], for fields that are not all ASCII strings.
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
            // The array may have changed since `setHeader` checked it, and objects may convert to another text now: the slow path
            // checks the text that it sends.
            let one = one?;
            if !one.is_string() && !one.is_number() {
                return Ok(false);
            }
            let text = respond::text_of(ctx, one)?;
            if !is_value_text(text.to_utf8().as_bytes()) {
                return Ok(false);
            }
            head.header(name.as_wtf8(), text.to_utf8().as_bytes());
        }
    }
    Ok(true)
}
