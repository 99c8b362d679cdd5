//! The short way of a request and its response. A request that is told whole, by its head, is made here with its response
//! and given to the handlers. A response that comes whole with `end`, has a connection that is free, and whose methods are
//! all Node's own goes out by one call; and if nobody listens to it, it is over by another.
//!
//! Whatever is not so is left to JavaScript, in `response.js` and `server.js`, before anything is done: these say what a
//! response is, and this does the same to the same properties.

mod end;
mod request;

use std::cell::RefCell;
use std::rc::Rc;

use phasor_js::bytes::{Text, string_from_str};
use phasor_js::keys::{Key, KnownObject, Look, Place};
use phasor_js::layers::{Layers, Methods};
use phasor_js::state;
use rquickjs::function::Func;
use rquickjs::{Array, Ctx, FromJs, Object, Result, Value};

pub(super) use self::request::{Told, request};
use super::words::{METHODS, is_token_text, is_value_text};

/// How far a request is while nobody has looked at its body: it comes, it is complete, it is gone. As in `incoming.js`.
const FRESH: f64 = 0.0;
const ENDED: f64 = 1.0;
const GONE: f64 = 2.0;

phasor_js::keys! {
    /// The properties, by Node's names or by the symbols that JavaScript gives.
    struct Keys;
    at: "at",
    block: "kBlock",
    codes: "kCodes",
    connecting: "connecting",
    connection: "kConnection",
    corked: "kCorked",
    created: "createdChannel",
    destroyed: "kOwnDestroyed",
    emit: "emit",
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
    listens: "kListens",
    message: "_httpMessage",
    method: "method",
    most_requests: "maxRequestsPerSocket",
    output: "kOutput",
    own_finished: "kOwnFinished",
    own_head_sent: "kOwnHeaderSent",
    own_keep_alive: "kOwnKeepAlive",
    paused: "_paused",
    phase: "kPhase",
    plan: "kPlan",
    prototype: "prototype",
    queued: "queued",
    reading: "reading",
    reason: "kOwnReason",
    refresh: "refresh",
    request: "req",
    request_of: "kRequest",
    request_model: "requestModel",
    response_class: "kServerResponse",
    response_model: "responseModel",
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
    unwritten: "kIsUnwritten",
    url: "url",
    watched: "watched",
    waiting: "outgoingData",
    writable: "_writableState",
}

/// What the short way compares with.
struct Known {
    keys: Keys,
    /// What this goes past, with the properties that would be used: to tell a request, of who has listeners, of a response at its
    /// end and for its head, of a socket that it is sent by, and of a response and a request that are over.
    layers: Layers,
    telling: Methods,
    heard: Methods,
    ending: Methods,
    heading: Methods,
    sending: Methods,
    closing: Methods,
    leaving: Methods,
    /// The methods of a diagnostics channel that nobody listens to.
    of_channel: Vec<(Key, Place)>,
    /// The classes of messages, each with its prototype.
    incoming_message: (Place, Place),
    server_response: (Place, Place),
    /// The names of methods, by their numbers, and that of the event.
    methods: Vec<Key>,
    event: Key,
    /// The bits of a writable that are looked at, and how they are when nothing is before the response.
    looked: u32,
    free: u32,
}

thread_local! {
    /// Set when `http` is loaded, and used by nobody before.
    static KNOWN: RefCell<Option<Rc<Known>>> = const { RefCell::new(None) };
}

pub(super) fn define<'js>(verbs: &Object<'js>) -> Result<()> {
    verbs.set("know", Func::from(know))?;
    verbs.set("end", Func::from(end::end))?;
    verbs.set("finish", Func::from(finish))?;
    verbs.set("field", Func::from(field))?;
    verbs.set("isUntouched", Func::from(is_untouched))?;
    verbs.set("isLeft", Func::from(is_left))?;
    verbs.set("NOT_FINISHED", NOT_FINISHED)?;
    verbs.set("CLOSES_LATER", CLOSES_LATER)?;
    verbs.set("CALLED", end::CALLED)?;
    verbs.set("NOT_SENT", end::NOT_SENT)
}

/// `(symbols, { channel, layers, telling, heard, ending, heading, sending, closing, leaving, IncomingMessage, ServerResponse, looked,
/// free })`: what there is to know. JavaScript keeps the functions alive, and what this gives: what requests and responses are made like.
fn know<'js>(ctx: Ctx<'js>, symbols: Object<'js>, told: Object<'js>) -> Result<Object<'js>> {
    let methods = |name: &str| -> Result<Vec<(Key, Place)>> {
        let methods: Object<'js> = told.get(name)?;
        let pair = |pair: Result<(Value<'js>, Object<'js>)>| {
            let (name, method) = pair?;
            Ok((Key::new(&ctx, &name)?, Place::of(&method)))
        };
        methods.props::<Value<'js>, Object<'js>>().map(pair).collect()
    };
    let keys = Keys::new(&ctx, &symbols)?;
    let class = |name: &str| -> Result<(Place, Object<'js>)> {
        let class: Object<'js> = told.get(name)?;
        Ok((Place::of(&class), class.get("prototype")?))
    };
    let ((incoming, of_requests), (server_response, of_responses)) =
        (class("IncomingMessage")?, class("ServerResponse")?);
    let models = Object::new(ctx.clone())?;
    let like_request = request::request_model(&keys, &of_requests)?;
    let like_response = request::response_model(&keys, &of_responses)?;
    models.set("requestModel", like_request.clone())?;
    models.set("responseModel", like_response.clone())?;
    let text = |name: &&str| Key::new(&ctx, &string_from_str(&ctx, name)?);
    let layers = told.get::<_, Array<'js>>("layers")?.iter().collect::<Result<Vec<Object<'js>>>>()?;
    let layers = Layers::of(&layers);
    let passed = |name: &str| -> Result<Methods> {
        let names = told.get::<_, Array<'js>>(name)?;
        Ok(layers.methods(names.iter().map(|name| Key::new(&ctx, &name?)).collect::<Result<Vec<Key>>>()?))
    };
    let known = Known {
        telling: passed("telling")?,
        heard: passed("heard")?.of_those_like(&like_response),
        ending: passed("ending")?.of_those_like(&like_response),
        heading: passed("heading")?.of_those_like(&like_response),
        sending: passed("sending")?,
        closing: passed("closing")?.of_those_like(&like_response),
        leaving: passed("leaving")?.of_those_like(&like_request),
        layers,
        of_channel: methods("channel")?,
        incoming_message: (incoming, Place::of(&of_requests)),
        server_response: (server_response, Place::of(&of_responses)),
        methods: METHODS.iter().map(text).collect::<Result<_>>()?,
        event: text(&"request")?,
        keys,
        looked: told.get("looked")?,
        free: told.get("free")?,
    };
    KNOWN.set(Some(Rc::new(known)));
    Ok(models)
}

fn are_own(object: &Object<'_>, methods: &[(Key, Place)]) -> Result<bool> {
    for (key, place) in methods {
        if key.look(object)? != Look::Object(*place) {
            return Ok(false);
        }
    }
    Ok(true)
}

impl Known {
    /// Whether a program has left all that is gone past as it was.
    fn is_untouched(&self) -> bool {
        self.telling.are_untouched() && self.layers.are_complete()
    }

    /// Whether a request's end is nobody's matter.
    fn is_left(&self, request: &Object<'_>) -> bool {
        self.leaving.are_of(request) && self.layers.are_complete()
    }

    /// Whether nothing is before what is written next.
    fn is_writable(&self, socket: &Object<'_>) -> Result<bool> {
        if self.keys.unwritten.look(socket)? == Look::Bool(true) {
            return Ok(true);
        }
        let Some(state) = self.keys.writable.object(socket)? else { return Ok(false) };
        Ok(match self.keys.state.look(&state)? {
            Look::Number(bits) => bits as i64 as u32 & self.looked == self.free,
            _ => false,
        })
    }
}

/// Whether a program has left all that is gone past as it was.
fn is_untouched() -> bool {
    KNOWN.with_borrow(|known| known.as_ref().is_some_and(|known| known.is_untouched()))
}

/// `(request)`: whether nobody hears of a request's end, nor has made something of the methods by which it would come.
fn is_left(request: Object<'_>) -> bool {
    KNOWN.with_borrow(|known| known.as_ref().is_some_and(|known| known.is_left(&request)))
}

/// What `finish` answers: it is not for this way, and nothing was done.
const NOT_FINISHED: i32 = 1;
/// It is done, but that the response is closed by a tick to come, which somebody's is before.
const CLOSES_LATER: i32 = 2;

/// `(response, channel, isCalled)`: what `onFinish` of `server.js` does, for a response by the short way that nobody listens to: 0,
/// [`NOT_FINISHED`] or [`CLOSES_LATER`]. One with a callback is closed after that.
fn finish<'js>(ctx: Ctx<'js>, response: Object<'js>, channel: Object<'js>, is_called: bool) -> Result<i32> {
    let Some(known) = KNOWN.with_borrow(Clone::clone) else { return Ok(NOT_FINISHED) };
    let keys = &known.keys;
    let (Some(connection), Some(socket)) = (keys.connection.object(&response)?, keys.socket.object(&response)?) else {
        return Ok(NOT_FINISHED);
    };
    let (Some(request), Some(server)) = (keys.request_of.object(&response)?, keys.server.object(&connection)?) else {
        return Ok(NOT_FINISHED);
    };
    let Look::Number(header) = keys.header.look(&response)? else { return Ok(NOT_FINISHED) };
    let is_quiet = header >= 0.0
        && known.closing.are_of(&response)
        && known.is_left(&request)
        && keys.phase.look(&request)? == Look::Number(ENDED)
        && keys.had_error.look(&socket)? == Look::Bool(false)
        && keys.last.look(&response)? == Look::Bool(false)
        && keys.listens.look(&response)? == Look::Bool(false)
        && keys.queued.look(&connection)? == Look::Null
        && are_own(&channel, &known.of_channel)?;
    if !is_quiet {
        return Ok(NOT_FINISHED);
    }
    let Some(timer) = idle_timer(keys, &connection, &socket, &server)? else { return Ok(NOT_FINISHED) };
    let nothing = || Value::new_null(ctx.clone());
    keys.phase.set_number(&request, GONE)?;
    if keys.incoming.look(&connection)? == Look::Object(Place::of(&request)) {
        keys.incoming.set(&connection, nothing())?;
    }
    keys.message.set(&socket, nothing())?;
    keys.socket.set(&response, nothing())?;
    let is_next = state(&ctx).no_ticks();
    if is_next && !is_called {
        keys.header.set_number(&response, -1.0 - header)?;
    }
    if let Some(timer) = timer {
        keys.is_kept_alive.set(&connection, Value::new_bool(ctx.clone(), true))?;
        keys.refresh.call(&timer, [])?;
    }
    Ok(if is_next { 0 } else { CLOSES_LATER })
}

/// The timer of the time between two requests, which is there already; none if none is wanted. Nothing if it is to be made.
fn idle_timer<'js>(
    keys: &Keys,
    connection: &Object<'js>,
    socket: &Object<'js>,
    server: &Object<'js>,
) -> Result<Option<Option<KnownObject<'js>>>> {
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
