//! A parser on a connection: what JavaScript knows as one, and how it hears what comes.
//!
//! The object that carries a parser hears of what is found by its methods: `onhead(…)`, `onbody(bytes)`, `onend(trailers)`,
//! and if it reads a handle by itself `onfault(…)` and `onupgrade(rest)`. A request without a body is told by one call.
//! Headers come as one string, with a line feed behind each name and value: most requests are answered without a look at
//! them.
//!
//! Ground rule: between two messages a connection has no parser, only the settings for one. Most connections wait, and all
//! of a thread share the one that goes from hand to hand.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Instant;

use phasor_core::{Errno, HandleId};
use phasor_js::bytes::{Bytes, string_from_latin1, string_from_str};
use phasor_js::{NativeData, NativeObject, Tracked, state};
use rquickjs::function::{Func, IntoArgs, Opt, This};
use rquickjs::{Array, ArrayBuffer, Ctx, Function, IntoJs, Object, Persistent, Result, Value};

use super::fast::{self, Head};
use super::flag;
use super::parser::{Follows, Kind, Parser, Settings, Step};
use super::tables::{Fault, fault};
use crate::net::handles::binding_of;

/// A parser, and what is known of the message that it is in.
pub(crate) struct ParserBinding {
    settings: Cell<Settings>,
    parser: RefCell<Option<Box<Parser>>>,
    /// When the message that is being read began, or the connection before its first.
    began: Cell<Option<Instant>>,
    /// That message's head is there.
    has_head: Cell<bool>,
    /// There were trailers, or many headers: from then on Node's parser tells headers before the head.
    in_parts: Cell<bool>,
    /// The last head asked for another protocol, which nobody wanted. Node's parser tells of no fault until the next head.
    has_declined: Cell<bool>,
    /// A head is being told.
    is_telling: Cell<bool>,
    /// Another number once the parser is set up anew or given up: whoever feeds it stops.
    age: Cell<u32>,
    /// Who was told something threw: as Node's parser, it takes no more.
    broken: Cell<Option<Fault>>,
    /// The handle that it reads by itself.
    consumed: Cell<Option<u32>>,
    /// What `async_hooks` knows it by, if somebody asks.
    tracked: RefCell<Option<Rc<Scope>>>,
}

/// What stands for a parser's messages, and what is known of it.
struct Scope {
    tracked: Tracked,
    resource: Persistent<Object<'static>>,
}

/// As Node names what was thrown by whom a head was told, or anything else.
const HEAD_THREW: Fault = fault("HPE_CB_HEADERS_COMPLETE", "User callback error");
const THREW: Fault = fault("HPE_JS_EXCEPTION", "JS Exception");

/// How much of a head is taken, unless something else is said.
const HEAD_BYTES: u32 = 16 << 10;

/// An object that is a parser.
type Parsing<'js> = NativeObject<'js, ParserBinding>;

thread_local! {
    /// A parser that is between two messages.
    static SPARE: Cell<Option<Box<Parser>>> = const { Cell::new(None) };
}

/// Puts the verbs on an object. All but the first have the parser first.
pub(super) fn define<'js>(verbs: &Object<'js>) -> Result<()> {
    verbs.set("parser", Func::from(new))?;
    verbs.set("initialize", Func::from(initialize))?;
    verbs.set("execute", Func::from(execute))?;
    verbs.set("finishParsing", Func::from(finish))?;
    verbs.set("consume", Func::from(consume))?;
    verbs.set("unconsume", Func::from(|parser: Parsing<'js>| parser.borrow().unconsume()))?;
    verbs.set("free", Func::from(free))?;
    verbs.set("isIdle", Func::from(|parser: Parsing<'js>| parser.borrow().is_idle()))?;
    verbs.set("isExpired", Func::from(is_expired))
}

/// `(prototype)`: an object of it that is a parser.
fn new(prototype: Object<'_>) -> Result<Parsing<'_>> {
    let settings = Settings { kind: Kind::Request, lenient: false, most_head_bytes: HEAD_BYTES, most_words: 0 };
    let wire = ParserBinding {
        settings: Cell::new(settings),
        parser: RefCell::default(),
        began: Cell::new(None),
        has_head: Cell::new(false),
        in_parts: Cell::new(false),
        has_declined: Cell::new(false),
        is_telling: Cell::new(false),
        age: Cell::new(0),
        broken: Cell::new(None),
        consumed: Cell::new(None),
        tracked: RefCell::default(),
    };
    NativeData::by(prototype, wire)
}

/// Sets it up for a connection. The resource is what it tells of runs as, if somebody asks.
fn initialize<'js>(
    ctx: Ctx<'js>,
    parser: Parsing<'js>,
    is_request: bool,
    lenient: bool,
    most_head_bytes: f64,
    most_words: f64,
    resource: Opt<Value<'js>>,
) -> Result<()> {
    let kind = if is_request { Kind::Request } else { Kind::Response };
    let wire = parser.borrow();
    let most_head_bytes = if most_head_bytes > 0.0 { most_head_bytes as u32 } else { HEAD_BYTES };
    wire.settings.set(Settings { kind, lenient, most_head_bytes, most_words: most_words as u32 });
    wire.parser.take();
    wire.broken.set(None);
    wire.age.set(wire.age.get().wrapping_add(1));
    wire.began.set(is_request.then(Instant::now));
    wire.has_head.set(false);
    wire.in_parts.set(false);
    wire.has_declined.set(false);
    match resource.0.and_then(Value::into_object) {
        Some(resource) => wire.track(&ctx, kind, resource),
        None => Ok(()),
    }
}

/// Parses what JavaScript has read: how many bytes were taken, or the fault.
fn execute<'js>(ctx: Ctx<'js>, parser: Parsing<'js>, bytes: Bytes<'js>) -> Result<Value<'js>> {
    // Scripts run meanwhile, and may do to their buffer what they like.
    let bytes = bytes.read(<[u8]>::to_vec);
    let listener = Listener { object: (*parser).clone(), is_consumer: false };
    match parser.borrow().feed(&ctx, &listener, &bytes)? {
        Fed::All | Fed::Stopped => bytes.len().into_js(&ctx),
        Fed::Upgraded(at) | Fed::Declined(at) => at.into_js(&ctx),
        Fed::Fault(fault, at) => fault_array(&ctx, fault, at),
    }
}

/// The other end is done: the fault if something is missing.
fn finish<'js>(ctx: Ctx<'js>, parser: Parsing<'js>) -> Result<Option<Value<'js>>> {
    let wire = parser.borrow();
    let finished = wire.parser.borrow_mut().as_mut().map_or(Ok(false), |parser| parser.finish());
    match finished {
        Ok(true) => {
            let listener = Listener { object: (*parser).clone(), is_consumer: false };
            wire.as_tracked(&ctx, || listener.tell("onend", (This(listener.object.clone()),)))?;
            Ok(None)
        }
        Ok(false) => Ok(None),
        Err(_) if wire.has_declined.get() => Ok(None),
        Err(fault) => fault_array(&ctx, fault, 0).map(Some),
    }
}

/// Has it read a handle by itself. Whether there is one.
fn consume<'js>(ctx: Ctx<'js>, parser: Parsing<'js>, number: u32) -> bool {
    let Some(binding) = binding_of(number) else { return false };
    parser.borrow().consumed.set(Some(number));
    binding.consume(Some(Persistent::save(&ctx, parser.into_inner())));
    true
}

/// Gives it up: it is no connection's.
fn free<'js>(ctx: Ctx<'js>, parser: Parsing<'js>) {
    let wire = parser.borrow();
    wire.unconsume();
    wire.age.set(wire.age.get().wrapping_add(1));
    wire.began.set(None);
    let scope = wire.tracked.take();
    if let Some(scope) = scope {
        scope.tracked.end(&ctx);
    }
}

/// Whether the message that comes takes longer than its head may, or all of it.
fn is_expired(parser: Parsing<'_>, head_ms: f64, whole_ms: f64) -> bool {
    let wire = parser.borrow();
    let Some(began) = wire.began.get() else { return false };
    let since_ms = began.elapsed().as_secs_f64() * 1e3;
    let is_late = |limit_ms: f64| limit_ms > 0.0 && since_ms > limit_ms;
    (!wire.has_head.get() && is_late(head_ms)) || is_late(whole_ms)
}

/// Who hears what a parser finds.
struct Listener<'js> {
    object: Object<'js>,
    /// No script is below: the parser reads a handle by itself.
    is_consumer: bool,
}

impl<'js> Listener<'js> {
    fn tell(&self, method: &str, args: impl IntoArgs<'js>) -> Result<Value<'js>> {
        let method: Function<'js> = self.object.get(method)?;
        method.call(args)
    }
}

/// How feeding ended, and after how many bytes.
enum Fed {
    All,
    /// The parser was given up by whom it told something.
    Stopped,
    Upgraded(usize),
    /// Another protocol was asked for, and nobody wanted it.
    Declined(usize),
    Fault(Fault, usize),
}

impl ParserBinding {
    fn unconsume(&self) {
        if let Some(binding) = self.consumed.take().and_then(binding_of) {
            binding.consume(None);
        }
    }

    /// Whether no message is being read.
    fn is_idle(&self) -> bool {
        self.began.get().is_none() && !self.is_telling.get()
    }

    /// Does something with the parser, which it gets if it has none.
    fn with_parser<T>(&self, call: impl FnOnce(&mut Parser) -> T) -> T {
        let mut parser = self.parser.borrow_mut();
        call(parser.get_or_insert_with(|| match SPARE.take() {
            Some(mut parser) => {
                parser.reuse(self.settings.get());
                parser
            }
            None => Box::new(Parser::new(self.settings.get())),
        }))
    }

    /// Gives the parser away if it is between two messages.
    fn rest(&self) {
        let mut parser = self.parser.borrow_mut();
        if parser.as_ref().is_some_and(|parser| parser.is_between_messages()) {
            SPARE.set(parser.take());
        }
    }

    /// Has what it tells run as the object given.
    fn track<'js>(&self, ctx: &Ctx<'js>, kind: Kind, resource: Object<'js>) -> Result<()> {
        // As Node names them.
        let name = if kind == Kind::Request { "HTTPINCOMINGMESSAGE" } else { "HTTPCLIENTREQUEST" };
        let Some(tracked) = Tracked::new(ctx, name, &resource, None) else { return Ok(()) };
        let resource = Persistent::save(ctx, resource);
        let before = self.tracked.replace(Some(Rc::new(Scope { tracked, resource })));
        drop(before);
        Ok(())
    }

    fn as_tracked<T>(&self, ctx: &Ctx<'_>, call: impl FnOnce() -> Result<T>) -> Result<T> {
        let scope = self.tracked.borrow().clone();
        match scope {
            Some(scope) => scope.tracked.call(ctx, &scope.resource.clone().restore(ctx)?, call),
            None => call(),
        }
    }

    /// Parses, and tells what is found.
    fn feed<'js>(&self, ctx: &Ctx<'js>, listener: &Listener<'js>, bytes: &[u8]) -> Result<Fed> {
        if let Some(fault) = self.broken.get() {
            return Ok(Fed::Fault(fault, 0));
        }
        let fed = self.as_tracked(ctx, || self.feed_all(ctx, listener, bytes));
        self.rest();
        fed
    }

    fn feed_all<'js>(&self, ctx: &Ctx<'js>, listener: &Listener<'js>, bytes: &[u8]) -> Result<Fed> {
        let age = self.age.get();
        let mut at = 0;
        loop {
            let step = self.with_parser(|parser| parser.step(bytes, &mut at));
            match step {
                Ok(Step::More) => {
                    if self.began.get().is_none() && self.with_parser(|parser| parser.is_in_message()) {
                        self.begin(false);
                    }
                    return Ok(Fed::All);
                }
                Ok(Step::Head) => {
                    self.in_parts.set(self.in_parts.get() || self.with_parser(|parser| parser.is_head_long()));
                    if self.in_parts.get() && !self.between_parts(ctx, listener, age) {
                        return Ok(Fed::Stopped);
                    }
                    let follows = self.tell_head(ctx, listener, age, bytes, &mut at);
                    let follows = self.or_breaks(age, HEAD_THREW, follows)?;
                    if self.age.get() != age {
                        return Ok(Fed::Stopped);
                    }
                    self.has_declined.set(self.with_parser(|parser| {
                        parser.proceed(follows);
                        parser.is_declined()
                    }));
                }
                Ok(Step::Body(body)) => {
                    let body = ArrayBuffer::new_copy(ctx.clone(), body)?;
                    self.or_breaks(age, THREW, listener.tell("onbody", (This(listener.object.clone()), body)))?;
                    // As Node's parser, which makes this call and no other as a callback of its own.
                    if listener.is_consumer && !state(ctx).drain_between() {
                        if self.age.get() == age {
                            self.breaks(THREW);
                        }
                        // And no other call follows, nor its drain.
                        state(ctx).skip_drain();
                        return Ok(Fed::Stopped);
                    }
                }
                Ok(Step::Complete) => {
                    self.began.set(None);
                    let trailers = self.words(ctx)?;
                    if !trailers.is_undefined() {
                        self.in_parts.set(true);
                        if !self.between_parts(ctx, listener, age) {
                            return Ok(Fed::Stopped);
                        }
                    }
                    self.or_breaks(age, THREW, listener.tell("onend", (This(listener.object.clone()), trailers)))?;
                    // As Node, which stops for a protocol that nobody wanted: what comes next is HTTP again.
                    if self.age.get() == age && self.with_parser(|parser| parser.is_declined()) {
                        return Ok(Fed::Declined(at));
                    }
                }
                Ok(Step::Upgraded) => return Ok(Fed::Upgraded(at)),
                Err(fault) => {
                    self.began.set(None);
                    return Ok(if self.has_declined.get() { Fed::Declined(at) } else { Fed::Fault(fault, at) });
                }
            }
            if self.age.get() != age {
                return Ok(Fed::Stopped);
            }
        }
    }

    /// Node tells a part of the headers by a callback of its own, which drains. Whether to go on.
    fn between_parts<'js>(&self, ctx: &Ctx<'js>, listener: &Listener<'js>, age: u32) -> bool {
        if listener.is_consumer {
            // What a tick throws keeps Node's parser from nothing here.
            state(ctx).drain_between();
        }
        self.age.get() == age && !state(ctx).is_leaving()
    }

    /// What was told by a parser of this age; if that threw, it breaks.
    fn or_breaks<T>(&self, age: u32, fault: Fault, told: Result<T>) -> Result<T> {
        if told.is_err() && self.age.get() == age {
            self.breaks(fault);
        }
        told
    }

    fn breaks(&self, fault: Fault) {
        self.broken.set(Some(fault));
        self.parser.take();
    }

    fn begin(&self, has_head: bool) {
        self.has_head.set(has_head);
        self.began.set(Some(Instant::now()));
    }

    /// Tells a head, and the end of the message with it if that is all of it.
    fn tell_head<'js>(
        &self,
        ctx: &Ctx<'js>,
        listener: &Listener<'js>,
        age: u32,
        bytes: &[u8],
        at: &mut usize,
    ) -> Result<Follows> {
        let (is_complete, flags, number) = self.with_parser(|parser| {
            let (said, (major, minor)) = (parser.said(), parser.version());
            let is_request = parser.kind() == Kind::Request;
            let is_complete = is_request && !parser.is_upgrade() && parser.has_no_body();
            let mut flags = u32::from(minor) << flag::MINOR_SHIFT | u32::from(major) << flag::MAJOR_SHIFT;
            for (is_set, bit) in [
                (parser.keeps_alive(), flag::KEEP_ALIVE),
                (parser.is_upgrade(), flag::UPGRADE),
                (is_complete, flag::COMPLETE),
                (said.host, flag::HOST),
                (said.expect, flag::EXPECT),
            ] {
                flags |= if is_set { bit } else { 0 };
            }
            let number = if is_request { u32::from(parser.method()) } else { u32::from(parser.status()) };
            (is_complete, flags, number)
        });
        let line = self.with_parser(|parser| string_from_latin1(ctx, parser.target()))?;
        let block = self.words(ctx)?;
        if is_complete {
            // Nothing of it is left to wait for.
            self.began.set(None);
            let step = self.with_parser(|parser| parser.step(bytes, at));
            debug_assert_eq!(step, Ok(Step::Complete));
        } else {
            match self.began.get() {
                Some(_) => self.has_head.set(true),
                None => self.begin(true),
            }
        }
        self.is_telling.set(true);
        let told = Head { number, line, block, flags };
        let follows = match is_complete.then(|| fast::request(ctx, &listener.object, &told)).transpose() {
            Ok(Some(true)) => Ok(Value::new_undefined(ctx.clone())),
            Ok(_) => {
                listener.tell("onhead", (This(listener.object.clone()), told.number, told.line, told.block, told.flags))
            }
            Err(error) => Err(error),
        };
        self.is_telling.set(false);
        if self.age.get() != age {
            follows?;
            return Ok(Follows::Message);
        }
        Ok(match follows?.as_int() {
            Some(1) => Follows::NoBody,
            Some(2) => Follows::Upgrade,
            _ => Follows::Message,
        })
    }

    /// The headers or trailers that are there: one string, undefined if there are none.
    fn words<'js>(&self, ctx: &Ctx<'js>) -> Result<Value<'js>> {
        self.with_parser(|parser| match parser.block() {
            [] => Ok(Value::new_undefined(ctx.clone())),
            // Without the last line feed it can be split as it is.
            block => string_from_latin1(ctx, &block[..block.len() - 1]),
        })
    }
}

/// A fault, as JavaScript gets it.
fn fault_array<'js>(ctx: &Ctx<'js>, fault: Fault, at: usize) -> Result<Value<'js>> {
    let list = Array::new(ctx.clone())?;
    list.set(0, string_from_str(ctx, fault.code)?)?;
    list.set(1, string_from_str(ctx, fault.reason)?)?;
    list.set(2, at)?;
    Ok(list.into_value())
}

/// Reads a handle for a parser, so that what comes makes no other way through JavaScript than as events, which find it counted.
/// The error is not for the parser.
pub(crate) fn read<'js>(
    ctx: &Ctx<'js>,
    object: Object<'js>,
    id: HandleId,
    count: impl FnOnce(usize),
) -> Result<std::result::Result<(), Errno>> {
    // Taken: a script that is called meanwhile may read elsewhere.
    let mut slab = crate::net::take_slab();
    let got = state(ctx).core().stream_read(id, &mut slab);
    let fed = match got {
        Ok(got) if got > 0 => {
            count(got);
            feed(ctx, object, &slab[..got])
        }
        _ => Ok(()),
    };
    crate::net::give_slab(slab);
    fed.map(|()| got.map(drop))
}

fn feed<'js>(ctx: &Ctx<'js>, object: Object<'js>, bytes: &[u8]) -> Result<()> {
    let Some(parser) = Parsing::from_object(&object) else { return Ok(()) };
    let listener = Listener { object, is_consumer: true };
    match parser.borrow().feed(ctx, &listener, bytes)? {
        Fed::All | Fed::Stopped | Fed::Declined(_) => Ok(()),
        Fed::Upgraded(at) => {
            let rest = ArrayBuffer::new_copy(ctx.clone(), &bytes[at..])?;
            listener.tell("onupgrade", (This(listener.object.clone()), rest)).map(drop)
        }
        Fed::Fault(fault, at) => {
            let (fault, packet) = (fault_array(ctx, fault, at)?, ArrayBuffer::new_copy(ctx.clone(), bytes)?);
            listener.tell("onfault", (This(listener.object.clone()), fault, packet)).map(drop)
        }
    }
}
