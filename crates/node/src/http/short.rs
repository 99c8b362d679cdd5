//! The short way of a request and its response. A request that is told whole, by its head, is made here with its response
//! and given to the handlers. A response that comes whole with `end`, has a connection that is free, and whose methods are
//! all Node's own goes out by one call; and if nobody listens to it, it is over by another.
//!
//! Whatever is not so is left to JavaScript, in `response.js` and `server.js`, before anything is done: these say what a
//! response is, and this does the same to the same properties.

use std::cell::RefCell;
use std::rc::Rc;

use phasor_core::{Errno, HandleId};
use phasor_js::bytes::{Part, Text, string_from_str};
use phasor_js::keys::{Key, Look, Place};
use rquickjs::function::{Func, This};
use rquickjs::{Atom, Ctx, FromJs, Function, Object, Result, Value};

use super::flag;
use super::head::{Head, Plan, out, push_number};
use super::respond::{self, LENGTH};
use super::words::{self, is_token_text, is_value_text};
use crate::net::handles::opened;

/// What `end` answers: it is not for this way, and nothing was done.
const NOT_SENT: i32 = 1;
/// It is sent, and somebody may want to hear of it.
const HEARD: i32 = 2;

/// How far a request is while nobody has looked at its body: it comes, it is complete, it is gone. As in `incoming.js`.
const FRESH: f64 = 0.0;
const ENDED: f64 = 1.0;
const GONE: f64 = 2.0;

const HAS_BODY: u32 = 4;
const CHUNKED: u32 = 1024;

/// Lines that change what follows the head, or how it is written.
const NOT_PLAIN: [&[u8]; 4] = [b"content-disposition", b"expect", b"trailer", b"transfer-encoding"];

/// The properties, by Node's names or by the symbols that JavaScript gives.
macro_rules! keys {
    ($($field:ident: $name:literal,)*) => {
        struct Keys { $($field: Key,)* }

        impl Keys {
            fn new<'js>(ctx: &Ctx<'js>, symbols: &Object<'js>) -> Result<Keys> {
                let key = |name: &str| {
                    let symbol: Value<'js> = symbols.get(name)?;
                    if symbol.is_symbol() { Key::new(ctx, &symbol) } else { Key::new(ctx, &string_from_str(ctx, name)?) }
                };
                Ok(Keys { $($field: key($name)?,)* })
            }
        }
    };
}

keys! {
    at: "at",
    block: "kBlock",
    codes: "kCodes",
    connecting: "connecting",
    connection: "kConnection",
    connection_of: "connection",
    corked: "kCorked",
    created: "createdChannel",
    destroyed: "kOwnDestroyed",
    emit: "emit",
    events: "_events",
    expects: "_expect_continue",
    finished: "finished",
    flags: "kFlags",
    had_error: "_hadError",
    handle: "kHandle",
    head_sent: "_headerSent",
    header: "kHeader",
    headers: "kOutHeaders",
    http: "http",
    incoming: "incoming",
    incoming_class: "kIncomingMessage",
    is_kept_alive: "isKeptAlive",
    is_on_socket: "isOnSocket",
    is_usual: "isUsual",
    joins: "joinDuplicateHeaders",
    keep_alive: "keepAliveTimeout",
    keep_alive_buffer: "keepAliveTimeoutBuffer",
    last: "_last",
    length: "length",
    listens: "kListens",
    message: "_httpMessage",
    method: "method",
    most_requests: "maxRequestsPerSocket",
    outgoing: "outgoing",
    output: "kOutput",
    own_finished: "kOwnFinished",
    own_head_sent: "kOwnHeaderSent",
    own_keep_alive: "kOwnKeepAlive",
    parser: "parser",
    paused: "_paused",
    phase: "kPhase",
    plan: "kPlan",
    prototype: "prototype",
    reading: "reading",
    reason: "kOwnReason",
    refresh: "refresh",
    request: "req",
    response_class: "kServerResponse",
    server: "server",
    server_timeout: "timeout",
    socket: "kSocket",
    socket_of: "socket",
    started: "startChannel",
    state: "kState",
    status: "statusCode",
    strict: "strictContentLength",
    timeout: "kTimeout",
    timer: "timer",
    timer_ms: "timerMs",
    told: "told",
    trailer: "_trailer",
    unique: "kUniqueHeaders",
    url: "url",
    watched: "watched",
    waiting: "outgoingData",
    writable: "_writableState",
    write: "write",
}

/// What the short way compares with.
struct Known {
    keys: Keys,
    /// The methods of a response that Node would call, and of a socket.
    of_response: Vec<(Key, Place)>,
    of_head: Vec<(Key, Place)>,
    of_end: Vec<(Key, Place)>,
    /// The methods of a diagnostics channel that nobody listens to.
    of_channel: Vec<(Key, Place)>,
    socket_write: Place,
    incoming_message: Place,
    server_response: Place,
    /// The bits of a writable that are looked at, and how they are when nothing is before the response.
    looked: u32,
    free: u32,
}

thread_local! {
    /// Set when `http` is loaded.
    static KNOWN: RefCell<Option<Rc<Known>>> = const { RefCell::new(None) };
}

pub(super) fn define<'js>(verbs: &Object<'js>) -> Result<()> {
    verbs.set("know", Func::from(know))?;
    verbs.set("end", Func::from(end))?;
    verbs.set("finish", Func::from(finish))?;
    verbs.set("field", Func::from(field))?;
    verbs.set("NOT_SENT", NOT_SENT)
}

/// `(symbols, { response, head, end, channel, socketWrite, IncomingMessage, ServerResponse, looked, free })`: what there is
/// to know. JavaScript keeps the functions alive.
fn know<'js>(ctx: Ctx<'js>, symbols: Object<'js>, told: Object<'js>) -> Result<()> {
    let methods = |name: &str| -> Result<Vec<(Key, Place)>> {
        let methods: Object<'js> = told.get(name)?;
        let pair = |pair: Result<(Value<'js>, Object<'js>)>| {
            let (name, method) = pair?;
            Ok((Key::new(&ctx, &name)?, Place::of(&method)))
        };
        methods.props::<Value<'js>, Object<'js>>().map(pair).collect()
    };
    let known = Known {
        keys: Keys::new(&ctx, &symbols)?,
        of_response: methods("response")?,
        of_head: methods("head")?,
        of_end: methods("end")?,
        of_channel: methods("channel")?,
        socket_write: Place::of(&told.get("socketWrite")?),
        incoming_message: Place::of(&told.get("IncomingMessage")?),
        server_response: Place::of(&told.get("ServerResponse")?),
        looked: told.get("looked")?,
        free: told.get("free")?,
    };
    KNOWN.set(Some(Rc::new(known)));
    Ok(())
}

fn are_own(object: &Object<'_>, methods: &[(Key, Place)]) -> Result<bool> {
    for (key, place) in methods {
        if key.look(object)? != Look::Object(*place) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A head as the parser tells it: for a request the number of its method.
pub(super) struct Told<'js> {
    pub(super) number: u32,
    pub(super) line: Value<'js>,
    pub(super) block: Value<'js>,
    pub(super) flags: u32,
}

/// Does what `onRequestHead` of `server.js` does, for a request without a body on a connection where nothing else is. Whether
/// it did.
pub(super) fn request<'js>(ctx: &Ctx<'js>, parser: &Object<'js>, told: &Told<'js>) -> Result<bool> {
    const USUAL: u32 = flag::KEEP_ALIVE | flag::COMPLETE | flag::HOST | 1 << flag::MINOR_SHIFT | 1 << flag::MAJOR_SHIFT;
    if told.flags != USUAL || words::METHODS.get(told.number as usize).is_none_or(|method| *method == "HEAD") {
        return Ok(false);
    }
    let Some(known) = KNOWN.with_borrow(Clone::clone) else { return Ok(false) };
    let keys = &known.keys;
    let Some(connection) = keys.connection_of.object(parser)? else { return Ok(false) };
    let (Some(server), Some(socket)) = (keys.server.object(&connection)?, keys.socket_of.object(&connection)?) else {
        return Ok(false);
    };
    let Some(incoming) = keys.incoming.object(&connection)? else { return Ok(false) };
    let is_alone = keys.length.look(&incoming)? == Look::Number(0.0)
        && matches!(keys.message.look(&socket)?, Look::Undefined | Look::Null)
        && keys.timeout.look(&socket)? == Look::Null
        && keys.paused.look(&socket)? == Look::Bool(false)
        && known.is_writable(&socket)?
        && keys.waiting.look(&connection)? == Look::Number(0.0)
        && keys.is_usual.look(&connection)? == Look::Bool(true)
        && known.is_usual_server(&server)?
        && known.is_unwatched(&connection)?;
    if !is_alone || !known.end_idle_time(&connection, &server)? {
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
    keys.incoming.set(parser, request.clone().into_value())?;
    incoming.set(0, request.clone())?;
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
    let told: Function<'js> = keys.told.get(&connection)?.get()?;
    told.call::<_, Value<'js>>((This(connection), request))?;
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

/// A response that can go out now, and where to.
struct Way<'js> {
    connection: Object<'js>,
    socket: Object<'js>,
    number: u32,
    id: HandleId,
    plan: u32,
}

impl<'js> Way<'js> {
    fn of(known: &Known, response: &Object<'js>) -> Result<Option<Way<'js>>> {
        let keys = &known.keys;
        let (Some(connection), Some(socket)) = (keys.connection.object(response)?, keys.socket.object(response)?)
        else {
            return Ok(None);
        };
        let (Look::Number(number), Look::Number(plan)) = (keys.at.look(&connection)?, keys.plan.look(response)?) else {
            return Ok(None);
        };
        let (number, plan) = (number as u32, plan as u32);
        let Some((id, hung)) = opened(number) else { return Ok(None) };
        let is_free = plan & HAS_BODY != 0
            && keys.handle.look(&socket)? == Look::Object(hung.place())
            && keys.connecting.look(&socket)? == Look::Bool(false)
            && keys.write.look(&socket)? == Look::Object(known.socket_write)
            && known.is_writable(&socket)?
            && keys.strict.look(response)? == Look::Bool(false)
            && keys.own_finished.look(response)? == Look::Undefined
            && keys.destroyed.look(response)? == Look::Undefined
            && keys.output.look(response)? == Look::Null
            && keys.corked.look(response)? == Look::Number(0.0)
            && are_own(response, &known.of_response)?;
        Ok(is_free.then_some(Way { connection, socket, number, id, plan }))
    }
}

impl Known {
    /// Whether nothing is before what is written next.
    fn is_writable(&self, socket: &Object<'_>) -> Result<bool> {
        let Some(state) = self.keys.writable.object(socket)? else { return Ok(false) };
        Ok(match self.keys.state.look(&state)? {
            Look::Number(bits) => bits as i64 as u32 & self.looked == self.free,
            _ => false,
        })
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
    let is_heard = if chunk.is_function() {
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
        return Ok(Some((None, is_heard)));
    }
    if !chunk.is_string() && !chunk.as_object().is_some_and(Object::is_typed_array::<u8>) {
        return Ok(None);
    }
    Ok(Some((respond::body_of(ctx, chunk)?, is_heard)))
}

/// `(response, chunk, encoding, callback)`, as `end` was called: 0 if it is sent and over but for `finish`; the bits
/// [`NOT_SENT`], [`HEARD`] and `UNFINISHED`; or libuv's number.
fn end<'js>(
    ctx: Ctx<'js>,
    response: Object<'js>,
    chunk: Value<'js>,
    encoding: Value<'js>,
    callback: Value<'js>,
) -> Result<i32> {
    let Some(known) = KNOWN.with_borrow(Clone::clone) else { return Ok(NOT_SENT) };
    let keys = &known.keys;
    let Some(way) = Way::of(&known, &response)? else { return Ok(NOT_SENT) };
    let Some((body, is_heard)) = given(&ctx, chunk, &encoding, &callback)? else { return Ok(NOT_SENT) };
    let sent = match keys.header.look(&response)? {
        Look::Null => send_whole(&ctx, &known, &response, &way, body)?,
        Look::Text => send_rest(&ctx, &known, &response, &way, body)?,
        _ => None,
    };
    Ok(match sent {
        None => NOT_SENT,
        Some(Err(errno)) => -errno.raw(),
        Some(Ok(unfinished)) => {
            let is_heard = is_heard
                || keys.events.look(&response)? != Look::Undefined
                || !matches!(keys.timeout.look(&way.socket)?, Look::Undefined | Look::Null);
            unfinished as i32 | if is_heard { HEARD } else { 0 }
        }
    })
}

/// What came of a write: 0, or that there is a rest.
type Written = std::result::Result<u32, Errno>;

/// Sends head and body. Nothing if it is not for this way.
fn send_whole<'js>(
    ctx: &Ctx<'js>,
    known: &Known,
    response: &Object<'js>,
    way: &Way<'js>,
    body: Option<Part<'js>>,
) -> Result<Option<Written>> {
    let keys = &known.keys;
    let Some(server) = keys.server.object(&way.connection)? else { return Ok(None) };
    let is_plain = keys.expects.look(response)? == Look::Bool(false)
        && keys.unique.look(response)? == Look::Null
        && keys.most_requests.look(&server)? == Look::Number(0.0)
        && are_own(response, &known.of_head)?;
    let Look::Number(status) = keys.status.look(response)? else { return Ok(None) };
    let has_body = (200.0..=999.0).contains(&status) && status.fract() == 0.0 && status != 204.0 && status != 304.0;
    let keep_alive_ms = match keys.own_keep_alive.look(response)? {
        Look::Undefined => keys.keep_alive.look(&server)?,
        own => own,
    };
    let Look::Number(keep_alive_ms) = keep_alive_ms else { return Ok(None) };
    if !is_plain || !has_body {
        return Ok(None);
    }
    let length = body.as_ref().map_or(0, Part::len);
    let plan = Plan {
        keep_alive_secs: (keep_alive_ms > 0.0).then(|| (keep_alive_ms / 1e3) as u32),
        length: Some(length as u64),
        ..Plan::from_bits(way.plan)
    };
    let mut bytes = respond::scratch();
    bytes.extend_from_slice(b"HTTP/1.1 ");
    if !push_status(ctx, known, response, status, &mut bytes)? {
        return Ok(None);
    }
    let mut head = Head::new(&mut bytes, plan);
    if let Some(headers) = keys.headers.object(response)?
        && !add_fields(ctx, &mut head, &headers)?
    {
        return Ok(None);
    }
    let bits = head.end();
    let written = respond::write(ctx, (way.number, way.id), bytes, body, false);
    // What `_header`, `_contentLength` and others are worked out from.
    keys.header.set_number(response, f64::from(way.plan) + length as f64 * LENGTH)?;
    if bits & out::LAST != 0 && written.is_ok() {
        keys.last.set(response, Value::new_bool(ctx.clone(), true))?;
    }
    Ok(Some(written))
}

/// Sends a body with a head that was made before.
fn send_rest<'js>(
    ctx: &Ctx<'js>,
    known: &Known,
    response: &Object<'js>,
    way: &Way<'js>,
    body: Option<Part<'js>>,
) -> Result<Option<Written>> {
    let keys = &known.keys;
    let is_sent = keys.own_head_sent.look(response)? == Look::Bool(true);
    let trailer = keys.trailer.get(response)?;
    if is_sent || !trailer.is_string() || !trailer.get::<Text<'js>>()?.as_wtf8().is_empty() {
        return Ok(None);
    }
    let mut bytes = respond::scratch();
    bytes.extend_from_slice(keys.header.get(response)?.get::<Text<'js>>()?.to_utf8().as_bytes());
    let written = respond::write(ctx, (way.number, way.id), bytes, body, way.plan & CHUNKED != 0);
    keys.head_sent.set(response, Value::new_bool(ctx.clone(), true))?;
    keys.finished.set(response, Value::new_bool(ctx.clone(), true))?;
    Ok(Some(written))
}

/// The number and the words of the first line. Whether they are good.
fn push_status<'js>(
    ctx: &Ctx<'js>,
    known: &Known,
    response: &Object<'js>,
    status: f64,
    bytes: &mut Vec<u8>,
) -> Result<bool> {
    let own = known.keys.reason.get(response)?;
    let own = if own.is_undefined() { None } else { Some(own) };
    if own.as_ref().is_some_and(|own| !own.is_string()) {
        return Ok(false);
    }
    let own = own.map(|own| Text::from_js(ctx, own)).transpose()?.filter(|own| !own.as_wtf8().is_empty());
    push_number(bytes, status as u64);
    bytes.push(b' ');
    match own {
        Some(own) if !is_value_text(own.as_wtf8()) => return Ok(false),
        Some(own) => bytes.extend_from_slice(own.to_utf8().as_bytes()),
        None if status == 200.0 => bytes.extend_from_slice(b"OK"),
        None => {
            let codes = known.keys.codes.object(response)?;
            let words: Option<Value<'js>> = codes.map(|codes| codes.get(status as u32)).transpose()?;
            match words.filter(Value::is_string) {
                Some(words) => bytes.extend_from_slice(Text::from_js(ctx, words)?.to_utf8().as_bytes()),
                None => bytes.extend_from_slice(b"unknown"),
            }
        }
    }
    bytes.extend_from_slice(b"\r\n");
    Ok(true)
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

/// What `[kOnFinish]` of `server.js` does, for a response by the short way that nobody listens to. Whether it did.
fn finish<'js>(ctx: Ctx<'js>, response: Object<'js>, channel: Object<'js>) -> Result<bool> {
    let Some(known) = KNOWN.with_borrow(Clone::clone) else { return Ok(false) };
    let keys = &known.keys;
    let (Some(connection), Some(socket)) = (keys.connection.object(&response)?, keys.socket.object(&response)?) else {
        return Ok(false);
    };
    let objects = (
        keys.request.object(&response)?,
        keys.incoming.object(&connection)?,
        keys.outgoing.object(&connection)?,
        keys.parser.object(&connection)?,
        keys.server.object(&connection)?,
    );
    let (Some(request), Some(incoming), Some(outgoing), Some(parser), Some(server)) = objects else { return Ok(false) };
    let Look::Number(header) = keys.header.look(&response)? else { return Ok(false) };
    let is_quiet = header >= 0.0
        && keys.events.look(&response)? == Look::Undefined
        && keys.events.look(&request)? == Look::Undefined
        && keys.phase.look(&request)? == Look::Number(ENDED)
        && keys.had_error.look(&socket)? == Look::Bool(false)
        && keys.last.look(&response)? == Look::Bool(false)
        && keys.listens.look(&response)? == Look::Bool(false)
        && keys.length.look(&incoming)? == Look::Number(1.0)
        && keys.length.look(&outgoing)? == Look::Number(0.0)
        && are_own(&response, &known.of_end)?
        && are_own(&channel, &known.of_channel)?;
    if !is_quiet {
        return Ok(false);
    }
    let Some(timer) = idle_timer(keys, &connection, &socket, &server)? else { return Ok(false) };
    let nothing = || Value::new_null(ctx.clone());
    keys.length.set_number(&incoming, 0.0)?;
    keys.phase.set_number(&request, GONE)?;
    if keys.incoming.look(&parser)? == Look::Object(Place::of(&request)) {
        keys.incoming.set(&parser, nothing())?;
    }
    keys.message.set(&socket, nothing())?;
    keys.socket.set(&response, nothing())?;
    keys.header.set_number(&response, -1.0 - header)?;
    if let Some(timer) = timer {
        keys.is_kept_alive.set(&connection, Value::new_bool(ctx.clone(), true))?;
        let refresh: Function<'js> = keys.refresh.get(&timer)?.get()?;
        refresh.call::<_, Value<'js>>((This(timer),))?;
    }
    Ok(true)
}

/// The timer of the time between two requests, which is there already; none if none is wanted. Nothing if it is to be made.
fn idle_timer<'js>(
    keys: &Keys,
    connection: &Object<'js>,
    socket: &Object<'js>,
    server: &Object<'js>,
) -> Result<Option<Option<Object<'js>>>> {
    let Look::Number(keep_alive_ms) = keys.keep_alive.look(server)? else { return Ok(None) };
    if keep_alive_ms == 0.0 {
        return Ok(Some(None));
    }
    let Look::Number(buffer_ms) = keys.keep_alive_buffer.look(server)? else { return Ok(None) };
    let is_same = keys.timer_ms.look(connection)? == Look::Number(keep_alive_ms + buffer_ms)
        && keys.timeout.look(socket)? == Look::Null;
    match keys.timer.object(connection)? {
        Some(timer) if is_same => Ok(Some(Some(timer))),
        _ => Ok(None),
    }
}

/// `(name, value)`: the name in lower case if both may be in a head as they are.
fn field<'js>(name: Value<'js>, value: Value<'js>) -> Result<Option<Value<'js>>> {
    if !name.is_string() || !value.is_string() {
        return Ok(None);
    }
    let ctx = name.ctx().clone();
    let text = Text::from_js(&ctx, name.clone())?;
    let bytes = text.as_wtf8();
    if !is_token_text(bytes) || !is_value_text(Text::from_js(&ctx, value)?.as_wtf8()) {
        return Ok(None);
    }
    if bytes.iter().any(u8::is_ascii_uppercase) {
        let lower = text.to_utf8().to_ascii_lowercase();
        return string_from_str(&ctx, &lower).map(Some);
    }
    Ok(Some(name))
}
