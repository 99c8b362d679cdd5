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

/// How far a request is while nobody has looked at its body: it comes, it is complete, it is gone, it is left to a tick.
const FRESH: i32 = 0;
const ENDED: i32 = 1;
const GONE: i32 = 2;
const LEFT: i32 = 3;
/// All that there are, by the names under which `incoming.js` says what they mean.
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

/// In the place of whether a socket is unwritten: what was written is held, or is sent and was not told of.
const HOLDS: i32 = 0;

phasor_js::keys! {
    /// The properties, by Node's names or by the symbols that JavaScript gives.
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

/// What the short way compares with.
struct FastPath {
    keys: Keys,
    /// What this goes past, with the properties that would be used: to tell a request, of a response and of a socket that have
    /// listeners, of a response at its end and for its head, of a socket that it is sent by, and of a response and a request that are
    /// over.
    layers: Layers,
    telling: Methods,
    heard: Methods,
    watching: Methods,
    ending: Methods,
    heading: Methods,
    sending: Methods,
    closing: Methods,
    leaving: Methods,
    /// What is looked at, at each step.
    told: Telling,
    ended: Ending,
    headed: Heading,
    flushed: Flushing,
    finished: Finishing,
    /// The names of methods, by their numbers, and that of the event.
    methods: Vec<Key>,
    event: Key,
}

thread_local! {
    /// Set when `http` is loaded, and used by nobody before.
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
/// leaving, IncomingMessage, ServerResponse, looked, free })`: what there is to know. JavaScript keeps the functions alive, and what this gives: what requests and responses are made like.
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
    // A response like the model has none of these, unless they are all at once everybody's.
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
    // Without a record every native of this module declines.
    FAST_PATH.set(fast_paths::are_enabled().then(|| Rc::new(known)));
    Ok(models)
}

/// What lists of looks are made of.
struct Whole<'a, 'js> {
    ctx: &'a Ctx<'js>,
    keys: &'a Keys,
    config: &'a Object<'js>,
    like_response: &'a Object<'js>,
}

impl Whole<'_, '_> {
    /// Nothing may be before what is written next, but what is held if it may.
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

    /// A diagnostics channel has to be one that nobody listens to, by its methods.
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
    /// Whether a program has left all that is gone past as it was.
    fn is_untouched(&self) -> bool {
        self.telling.are_untouched() && self.layers.is_unpatched()
    }
}

/// Whether a program has left all that is gone past as it was.
fn is_untouched() -> bool {
    FAST_PATH.with_borrow(|known| known.as_ref().is_some_and(|known| known.is_untouched()))
}

/// `(request)`: whether nobody hears of a request's end, nor has made something of the methods by which it would come.
fn is_left(request: Object<'_>) -> bool {
    let is_left = |known: &FastPath| known.leaving.resolves_to(&request) && known.layers.is_unpatched();
    FAST_PATH.with_borrow(|known| known.as_deref().is_some_and(is_left))
}

/// How many ticks wait in which somebody may be called.
fn ticks_waiting(ctx: &Ctx<'_>) -> usize {
    state(ctx).ticks_waiting().saturating_sub(pending_writes::quiet_ticks())
}

/// `(count)`: whether more ticks wait than these, in which somebody may be called.
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

/// `(name, value)`: the name in lower case if both may be in a head as they are.
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
