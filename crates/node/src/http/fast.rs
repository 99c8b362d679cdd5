//! Native fast path of an HTTP server: creates the request and response for a head without a body, calls the handlers, and sends a
//! response with one write.
//!
//! The fast path applies only if the prototypes involved are not monkey-patched and the connection is free. Every other case falls
//! back to `response.js` and `server.js` before any state changes. Those files define the semantics; this one makes the same changes
//! to the same properties.

mod end;
mod finish;
mod pending_writes;
mod request;
mod response;
mod write;

use std::cell::RefCell;
use std::rc::Rc;

use phasor_js::ascii::read_ascii;
use phasor_js::bytes::{string_from_latin1, string_from_str};
use phasor_js::fast_paths;
use phasor_js::guards::{GuardList, Slot};
use phasor_js::keys::{Key, Plain};
use phasor_js::proto_guard::{Layers, Methods};
use phasor_js::raw_fn::{self, Args, RawFn, Ret};
use phasor_js::state;
use rquickjs::function::Func;
use rquickjs::{Array, Ctx, Object, Result, Value};

use self::end::End;
use self::finish::{Finish, Finishing};
pub(crate) use self::pending_writes::PendingWrites;
use self::request::Telling;
pub(super) use self::request::{Head, request};
use self::response::{Ending, Heading};
use self::write::{Flush, Flushed, Flushing, Write};
use super::tables::{METHODS, is_token_text, is_value_text};

// Phases (`kPhase`) of a request without a Readable state, because the program has not touched its body.
/// The end of the message has not been handled.
const FRESH: i32 = 0;
/// The message is complete.
const ENDED: i32 = 1;
/// The message was discarded without emitting events.
const GONE: i32 = 2;
/// A queued tick will discard the message.
const LEFT: i32 = 3;
/// All phases. `incoming.js` describes them under these names.
const PHASES: [(&str, i32); 8] = [
    ("FRESH", FRESH),
    ("ENDED", ENDED),
    ("GONE", GONE),
    ("LEFT", LEFT),
    ("MADE", 4),
    ("ENDING", 5),
    ("LEAVING", 6),
    ("READ", 7),
];

/// The value of a socket's `kIsUnwritten` while there are pending writes, or sent ones whose completion tick has not run.
const HOLDS: i32 = 0;

phasor_js::keys! {
    /// Names of properties: Node's, or symbols that JavaScript passes to `initFastPath`.
    struct Keys;
    at: "at",
    block: "kBlock",
    callback: "kCallback",
    codes: "kCodes",
    connecting: "connecting",
    connection: "kConnection",
    corked: "kCorked",
    destroyed: "kOwnDestroyed",
    emit: "emit",
    expects: "_expect_continue",
    flags: "kFlags",
    had_error: "_hadError",
    handle: "kHandle",
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
    made_header: "kMadeHeader",
    message: "_httpMessage",
    method: "method",
    max_bytes: "highWaterMark",
    max_requests: "maxRequestsPerSocket",
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
    waiting: "outgoingData",
    writable: "_writableState",
}

/// The guards of the fast path.
struct FastPath {
    keys: Keys,
    /// The prototypes of requests, responses, sockets and servers whose methods are skipped.
    layers: Layers,
    /// The methods that dispatching a request skips.
    telling: Methods,
    /// The methods of a response that show whether it has listeners.
    heard: Methods,
    /// The same methods of a socket.
    watching: Methods,
    /// The methods of a response that `end()` and `write()` skip.
    ending: Methods,
    /// The methods of a response that building its head skips.
    heading: Methods,
    /// The methods of a socket that sending skips.
    sending: Methods,
    /// The methods of a response that finishing it skips.
    closing: Methods,
    /// The methods of a request that discarding it skips.
    leaving: Methods,
    /// The preconditions of each step.
    told: Telling,
    ended: Ending,
    headed: Heading,
    flushed: Flushing,
    finished: Finishing,
    /// The names of the HTTP methods, by the parser's numbers.
    methods: Vec<Key>,
    /// The event name 'request'.
    event: Key,
}

thread_local! {
    /// Set when `http` is loaded, unless fast paths are off.
    static FAST_PATH: RefCell<Option<Rc<FastPath>>> = const { RefCell::new(None) };
}

pub(super) fn define<'js>(natives: &Object<'js>) -> Result<()> {
    natives.set("initFastPath", Func::from(init_fast_path))?;
    raw_fn::define::<End, 4>(natives, "end")?;
    raw_fn::define::<Finish, 2>(natives, "finish")?;
    raw_fn::define::<Write, 4>(natives, "write")?;
    raw_fn::define::<Flush, 1>(natives, "flush")?;
    raw_fn::define::<Flushed, 1>(natives, "flushed")?;
    natives.set("giveUp", Func::from(write::give_up))?;
    natives.set("tried", Func::from(write::tried))?;
    match fast_paths::are_enabled() {
        true => raw_fn::define::<Field, 2>(natives, "field")?,
        false => raw_fn::define::<NoField, 2>(natives, "field")?,
    }
    natives.set("isUntouched", Func::from(is_untouched))?;
    natives.set("isLeft", Func::from(is_left))?;
    natives.set("hasTicks", Func::from(has_ticks))?;
    for (name, phase) in PHASES {
        natives.set(name, phase)?;
    }
    natives.set("HOLDS", HOLDS)?;
    natives.set("NOT_FINISHED", finish::NOT_FINISHED)?;
    natives.set("LEAVES_LATER", finish::LEAVES_LATER)?;
    natives.set("CALLED", end::CALLED)?;
    natives.set("TRIED", end::TRIED)?;
    natives.set("NOT_HELD", write::NOT_HELD)?;
    natives.set("HELD", write::HELD)?;
    natives.set("NEEDS_TICK", write::NEEDS_TICK)?;
    natives.set("FLUSHED", write::FLUSHED)?;
    natives.set("TIMED", write::TIMED)?;
    natives.set("FLUSH_TRIED", write::FLUSH_TRIED)?;
    natives.set("FULL", write::FULL)?;
    natives.set("NOT_SENT", end::NOT_SENT)
}

/// `(symbols, { channel, startChannel, createdChannel, finishChannel, watched, layers, telling, heard, ending, heading, sending, closing,
/// leaving, IncomingMessage, ServerResponse, looked, free })`: builds the guards. Returns the model objects, whose shapes new requests and
/// responses get. JavaScript keeps the functions and the models alive.
fn init_fast_path<'js>(ctx: Ctx<'js>, symbols: Object<'js>, config: Object<'js>) -> Result<Object<'js>> {
    let keys = Keys::new(&ctx, &symbols)?;
    let text = |name: &&str| Key::new(&ctx, &string_from_str(&ctx, name)?);
    let prototype = |name: &str| -> Result<Object<'js>> { config.get::<_, Object<'js>>(name)?.get("prototype") };
    let like_request = request::request_model(&keys, &prototype("IncomingMessage")?)?;
    let like_response = request::response_model(&keys, &prototype("ServerResponse")?)?;
    let models = Object::new(ctx.clone())?;
    models.set("requestModel", like_request.clone())?;
    models.set("responseModel", like_response.clone())?;
    let layers = config.get::<_, Array<'js>>("layers")?.iter().collect::<Result<Vec<Object<'js>>>>()?;
    // A response with the model's shape has none of these properties of its own, and none may be added to a prototype.
    let layers = Layers::of(&layers).without([keys.own_finished, keys.destroyed, keys.reason, keys.own_keep_alive]);
    let passed = |name: &str, values: &[Key]| -> Result<Methods> {
        let names = config.get::<_, Array<'js>>(name)?;
        let names = names.iter().map(|name| Key::new(&ctx, &name?)).collect::<Result<Vec<Key>>>()?;
        Ok(layers.methods(names, values))
    };
    let of_responses =
        |name: &str, values: &[Key]| -> Result<Methods> { Ok(passed(name, values)?.of_those_like(&like_response)) };
    let whole = Whole { ctx: &ctx, keys: &keys, config: &config, like_response: &like_response };
    let known = FastPath {
        telling: passed("telling", &[])?,
        heard: of_responses("heard", &[])?,
        watching: passed("heard", &[])?,
        ending: of_responses("ending", &Ending::defaults(&keys))?,
        heading: of_responses("heading", &Heading::defaults(&keys))?,
        sending: passed("sending", &[])?,
        closing: of_responses("closing", &Finishing::defaults(&keys))?,
        leaving: passed("leaving", &[])?.of_those_like(&like_request),
        layers,
        told: Telling::new(&whole)?,
        ended: Ending::new(&whole)?,
        headed: Heading::new(&whole),
        flushed: Flushing::new(&whole),
        finished: Finishing::new(&whole)?,
        methods: METHODS.iter().map(text).collect::<Result<_>>()?,
        event: text(&"request")?,
        keys,
    };
    // Without guards every native of this module declines.
    FAST_PATH.set(fast_paths::are_enabled().then(|| Rc::new(known)));
    Ok(models)
}

/// The parts from which the preconditions are built.
struct Whole<'a, 'js> {
    ctx: &'a Ctx<'js>,
    keys: &'a Keys,
    config: &'a Object<'js>,
    like_response: &'a Object<'js>,
}

impl Whole<'_, '_> {
    /// Requires that no write is queued on a socket. With `may_hold`, pending writes of the fast path are allowed.
    fn is_writable(&self, guards: &mut GuardList, socket: Slot, may_hold: bool) -> Result<()> {
        let (keys, looked, free) = (self.keys, self.config.get("looked")?, self.config.get("free")?);
        let is_free = |guards: &mut GuardList| {
            let state = guards.through(socket, keys.writable);
            guards.has_bits(state, keys.state, looked, free);
        };
        guards.either(
            |guards| guards.is(socket, keys.unwritten, true),
            |guards| match may_hold {
                true => guards.either(|guards| guards.is(socket, keys.unwritten, HOLDS), is_free),
                false => is_free(guards),
            },
        );
        Ok(())
    }

    /// Requires that a diagnostics channel has no subscribers: it then has the methods of the class `Channel`.
    fn is_unheard(&self, guards: &mut GuardList, channel: &str) -> Result<()> {
        let channel = guards.known(&self.config.get(channel)?);
        for pair in self.config.get::<_, Object<'_>>("channel")?.props::<Value<'_>, Object<'_>>() {
            let (name, method) = pair?;
            guards.is_object(channel, Key::new(self.ctx, &name)?, &method);
        }
        Ok(())
    }
}

impl FastPath {
    /// True if no prototype is monkey-patched in a way that dispatching a request would skip.
    fn is_untouched(&self) -> bool {
        self.telling.are_untouched() && self.layers.is_unpatched()
    }
}

/// As [`FastPath::is_untouched`], for JavaScript. False without guards.
fn is_untouched() -> bool {
    FAST_PATH.with_borrow(|known| known.as_ref().is_some_and(|known| known.is_untouched()))
}

/// `(request)`: true if the request has no listeners, and the methods that report its end are not monkey-patched.
fn is_left(request: Object<'_>) -> bool {
    let is_left = |known: &FastPath| known.leaving.resolves_to(&request) && known.layers.is_unpatched();
    FAST_PATH.with_borrow(|known| known.as_deref().is_some_and(is_left))
}

/// The number of queued ticks that may call the program: all but the ticks that flush pending writes.
fn ticks_waiting(ctx: &Ctx<'_>) -> usize {
    state(ctx).ticks_waiting().saturating_sub(pending_writes::quiet_ticks())
}

/// `(count)`: true if more than `count` queued ticks may call the program.
fn has_ticks(ctx: Ctx<'_>, count: u32) -> bool {
    ticks_waiting(&ctx) > count as usize
}

/// Stands in for [`Field`] if fast paths are off: undefined makes `setHeader` validate in JavaScript.
struct NoField;

impl RawFn<2> for NoField {
    fn call<'js>(_: &Args<'_, 'js, 2>) -> Result<Ret> {
        Ok(Ret::from(Plain::UNDEFINED))
    }
}

/// `(name, value)`: the name in lower case, if both are ASCII strings and valid in a head; else undefined.
struct Field;

impl RawFn<2> for Field {
    fn call<'js>(given: &Args<'_, 'js, 2>) -> Result<Ret> {
        let (name, value) = (given.value(0), given.value(1));
        let lower = read_ascii(&name, &value, |name, value| {
            let is_field = is_token_text(name) && is_value_text(value);
            is_field.then(|| name.iter().any(u8::is_ascii_uppercase).then(|| name.to_ascii_lowercase()))
        });
        Ok(match lower.flatten() {
            None => Ret::from(Plain::UNDEFINED),
            Some(None) => Ret::of(&name),
            Some(Some(lower)) => Ret::of(&string_from_latin1(given.ctx(), &lower)?),
        })
    }
}
