//! Binds an HTTP parser to a JavaScript object and to a connection.
//!
//! The object that owns a parser gets calls of its methods: `onhead(…)`, `onbody(bytes)`, `onend(trailers)`, and if the parser reads a
//! handle directly, `onfault(…)` and `onupgrade(rest)`. A request without a body is a single call. Headers are one string with LF after
//! each name and value, because most requests are answered without reading them.
//!
//! Ground rule: a connection between two messages owns no parser, only its settings. Idle connections share one spare parser per thread.

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

/// A parser that a JavaScript object owns, and the state of its current message.
pub(crate) struct ParserBinding {
    settings: Cell<Settings>,
    /// `None` between two messages.
    parser: RefCell<Option<Box<Parser>>>,
    /// When the current message began, or the connection if there was no message yet. Timeouts are measured from here.
    began: Cell<Option<Instant>>,
    /// True if the head of the current message is complete.
    has_head: Cell<bool>,
    /// Trailers or more than `kMaxHeaderFieldsCount` headers arrived: from then on Node's parser passes headers to `kOnHeaders` before the
    /// head (`src/node_http_parser.cc: Parser::Flush`).
    in_parts: Cell<bool>,
    /// The last head requested an upgrade that was declined. Node's parser reports no error until the next head.
    has_declined: Cell<bool>,
    /// True while the head callback runs.
    is_in_onhead: Cell<bool>,
    /// Incremented when the parser is initialized again or freed: a feed in progress then stops.
    generation: Cell<u32>,
    /// Set when a JavaScript callback threw: as Node's parser, this one accepts no more input.
    broken: Cell<Option<Fault>>,
    /// The handle that the parser reads directly.
    consumed: Cell<Option<u32>>,
    /// The async resource of the current message, if async hooks are enabled.
    tracked: RefCell<Option<Rc<Scope>>>,
}

/// An async resource and its registration with the hooks.
struct Scope {
    tracked: Tracked,
    resource: Persistent<Object<'static>>,
}

/// llhttp errors after a JavaScript exception: in the head callback, and in any other callback.
const HEAD_THREW: Fault = fault("HPE_CB_HEADERS_COMPLETE", "User callback error");
const THREW: Fault = fault("HPE_JS_EXCEPTION", "JS Exception");

/// The default `maxHeaderSize`.
const HEAD_BYTES: u32 = 16 << 10;

/// A JavaScript object that owns a parser.
type ParserObject<'js> = NativeObject<'js, ParserBinding>;

thread_local! {
    /// A spare parser, between two messages.
    static SPARE: Cell<Option<Box<Parser>>> = const { Cell::new(None) };
}

/// Defines the native functions. All but the first take the parser as first argument.
pub(super) fn define<'js>(natives: &Object<'js>) -> Result<()> {
    natives.set("parser", Func::from(new))?;
    natives.set("initialize", Func::from(initialize))?;
    natives.set("execute", Func::from(execute))?;
    natives.set("finishParsing", Func::from(finish))?;
    natives.set("consume", Func::from(consume))?;
    natives.set("unconsume", Func::from(|parser: ParserObject<'js>| parser.borrow().unconsume()))?;
    natives.set("free", Func::from(free))?;
    natives.set("isIdle", Func::from(|parser: ParserObject<'js>| parser.borrow().is_idle()))?;
    natives.set("isExpired", Func::from(is_expired))
}

/// `(prototype)`: creates an object with this prototype that owns a parser.
fn new(prototype: Object<'_>) -> Result<ParserObject<'_>> {
    let settings = Settings { kind: Kind::Request, lenient: false, max_head_bytes: HEAD_BYTES, max_strings: 0 };
    let this = ParserBinding {
        settings: Cell::new(settings),
        parser: RefCell::default(),
        began: Cell::new(None),
        has_head: Cell::new(false),
        in_parts: Cell::new(false),
        has_declined: Cell::new(false),
        is_in_onhead: Cell::new(false),
        generation: Cell::new(0),
        broken: Cell::new(None),
        consumed: Cell::new(None),
        tracked: RefCell::default(),
    };
    NativeData::by(prototype, this)
}

/// Initializes the parser for a connection. `resource` is its async resource, if hooks are enabled.
fn initialize<'js>(
    ctx: Ctx<'js>,
    parser: ParserObject<'js>,
    is_request: bool,
    lenient: bool,
    max_head_bytes: f64,
    max_strings: f64,
    resource: Opt<Value<'js>>,
) -> Result<()> {
    let kind = if is_request { Kind::Request } else { Kind::Response };
    let this = parser.borrow();
    let max_head_bytes = if max_head_bytes > 0.0 { max_head_bytes as u32 } else { HEAD_BYTES };
    this.settings.set(Settings { kind, lenient, max_head_bytes, max_strings: max_strings as u32 });
    this.parser.take();
    this.broken.set(None);
    this.generation.set(this.generation.get().wrapping_add(1));
    this.began.set(is_request.then(Instant::now));
    this.has_head.set(false);
    this.in_parts.set(false);
    this.has_declined.set(false);
    match resource.0.and_then(Value::into_object) {
        Some(resource) => this.track(&ctx, kind, resource),
        None => Ok(()),
    }
}

/// Parses bytes that JavaScript has read. Returns the number of bytes consumed, or the fault.
fn execute<'js>(ctx: Ctx<'js>, parser: ParserObject<'js>, bytes: Bytes<'js>) -> Result<Value<'js>> {
    // Scripts run during the parse and may change their buffer.
    let bytes = bytes.read(<[u8]>::to_vec);
    let listener = Listener { object: (*parser).clone(), is_consumer: false };
    match parser.borrow().feed(&ctx, &listener, &bytes)? {
        Fed::All | Fed::Stopped => bytes.len().into_js(&ctx),
        Fed::Upgraded(at) | Fed::Declined(at) => at.into_js(&ctx),
        Fed::Fault(fault, at) => fault_array(&ctx, fault, at),
    }
}

/// Handles the end of input. Returns the fault if the message is incomplete.
fn finish<'js>(ctx: Ctx<'js>, parser: ParserObject<'js>) -> Result<Option<Value<'js>>> {
    let this = parser.borrow();
    let finished = this.parser.borrow_mut().as_mut().map_or(Ok(false), |parser| parser.finish());
    match finished {
        Ok(true) => {
            let listener = Listener { object: (*parser).clone(), is_consumer: false };
            this.as_tracked(&ctx, || listener.call("onend", (This(listener.object.clone()),)))?;
            Ok(None)
        }
        Ok(false) => Ok(None),
        Err(_) if this.has_declined.get() => Ok(None),
        Err(fault) => fault_array(&ctx, fault, 0).map(Some),
    }
}

/// Lets the parser read a handle directly. Returns whether the handle exists.
fn consume<'js>(ctx: Ctx<'js>, parser: ParserObject<'js>, number: u32) -> bool {
    let Some(binding) = binding_of(number) else { return false };
    parser.borrow().consumed.set(Some(number));
    binding.consume(Some(Persistent::save(&ctx, parser.into_inner())));
    true
}

/// Detaches the parser from its connection.
fn free<'js>(ctx: Ctx<'js>, parser: ParserObject<'js>) {
    let this = parser.borrow();
    this.unconsume();
    this.generation.set(this.generation.get().wrapping_add(1));
    this.began.set(None);
    let scope = this.tracked.take();
    if let Some(scope) = scope {
        scope.tracked.end(&ctx);
    }
}

/// True if the current message exceeds the headers timeout or the request timeout.
fn is_expired(parser: ParserObject<'_>, head_ms: f64, whole_ms: f64) -> bool {
    let this = parser.borrow();
    let Some(began) = this.began.get() else { return false };
    let since_ms = began.elapsed().as_secs_f64() * 1e3;
    let is_late = |limit_ms: f64| limit_ms > 0.0 && since_ms > limit_ms;
    (!this.has_head.get() && is_late(head_ms)) || is_late(whole_ms)
}

/// The object whose methods receive the parser's events.
struct Listener<'js> {
    object: Object<'js>,
    /// No script is on the stack: the parser reads a handle directly.
    is_consumer: bool,
}

impl<'js> Listener<'js> {
    fn call(&self, method: &str, args: impl IntoArgs<'js>) -> Result<Value<'js>> {
        let method: Function<'js> = self.object.get(method)?;
        method.call(args)
    }
}

/// How a feed ended, and after how many bytes.
enum Fed {
    All,
    /// A callback freed the parser.
    Stopped,
    Upgraded(usize),
    /// An upgrade was requested and declined.
    Declined(usize),
    Fault(Fault, usize),
}

impl ParserBinding {
    fn unconsume(&self) {
        if let Some(binding) = self.consumed.take().and_then(binding_of) {
            binding.consume(None);
        }
    }

    /// True if no message is being read.
    fn is_idle(&self) -> bool {
        self.began.get().is_none() && !self.is_in_onhead.get()
    }

    /// Runs a closure with the parser, and takes or creates one first if there is none.
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

    /// Returns the parser to the thread's spare if it is between two messages.
    fn return_spare(&self) {
        let mut parser = self.parser.borrow_mut();
        if parser.as_ref().is_some_and(|parser| parser.is_between_messages()) {
            SPARE.set(parser.take());
        }
    }

    /// Sets the async resource in which the callbacks run.
    fn track<'js>(&self, ctx: &Ctx<'js>, kind: Kind, resource: Object<'js>) -> Result<()> {
        // Node's async resource names.
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

    /// Parses bytes and calls the listener for each event.
    fn feed<'js>(&self, ctx: &Ctx<'js>, listener: &Listener<'js>, bytes: &[u8]) -> Result<Fed> {
        if let Some(fault) = self.broken.get() {
            return Ok(Fed::Fault(fault, 0));
        }
        let fed = self.as_tracked(ctx, || self.feed_all(ctx, listener, bytes));
        self.return_spare();
        fed
    }

    fn feed_all<'js>(&self, ctx: &Ctx<'js>, listener: &Listener<'js>, bytes: &[u8]) -> Result<Fed> {
        let generation = self.generation.get();
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
                    if self.in_parts.get() && !self.between_parts(ctx, listener, generation) {
                        return Ok(Fed::Stopped);
                    }
                    let follows = self.call_onhead(ctx, listener, generation, bytes, &mut at);
                    let follows = self.or_set_broken(generation, HEAD_THREW, follows)?;
                    if self.generation.get() != generation {
                        return Ok(Fed::Stopped);
                    }
                    self.has_declined.set(self.with_parser(|parser| {
                        parser.proceed(follows);
                        parser.is_declined()
                    }));
                }
                Ok(Step::Body(body)) => {
                    let body = ArrayBuffer::new_copy(ctx.clone(), body)?;
                    self.or_set_broken(
                        generation,
                        THREW,
                        listener.call("onbody", (This(listener.object.clone()), body)),
                    )?;
                    // In Node's parser only this callback is a `MakeCallback`, so it drains.
                    if listener.is_consumer && !state(ctx).drain_between() {
                        if self.generation.get() == generation {
                            self.set_broken(THREW);
                        }
                        // The script is exiting: skip the remaining callbacks and the drain.
                        state(ctx).skip_drain();
                        return Ok(Fed::Stopped);
                    }
                }
                Ok(Step::Complete) => {
                    self.began.set(None);
                    let trailers = self.header_block(ctx)?;
                    if !trailers.is_undefined() {
                        self.in_parts.set(true);
                        if !self.between_parts(ctx, listener, generation) {
                            return Ok(Fed::Stopped);
                        }
                    }
                    self.or_set_broken(
                        generation,
                        THREW,
                        listener.call("onend", (This(listener.object.clone()), trailers)),
                    )?;
                    // As Node: stop after a declined upgrade; the next bytes are HTTP again.
                    if self.generation.get() == generation && self.with_parser(|parser| parser.is_declined()) {
                        return Ok(Fed::Declined(at));
                    }
                }
                Ok(Step::Upgraded) => return Ok(Fed::Upgraded(at)),
                Err(fault) => {
                    self.began.set(None);
                    return Ok(if self.has_declined.get() { Fed::Declined(at) } else { Fed::Fault(fault, at) });
                }
            }
            if self.generation.get() != generation {
                return Ok(Fed::Stopped);
            }
        }
    }

    /// Node passes a batch of headers with a callback of its own, which drains. Returns whether to continue.
    fn between_parts<'js>(&self, ctx: &Ctx<'js>, listener: &Listener<'js>, generation: u32) -> bool {
        if listener.is_consumer {
            // An exception in a tick does not stop Node's parser here.
            state(ctx).drain_between();
        }
        self.generation.get() == generation && !state(ctx).is_leaving()
    }

    /// Returns a callback's result. If it threw and the parser was not reinitialized, the parser is broken.
    fn or_set_broken<T>(&self, generation: u32, fault: Fault, result: Result<T>) -> Result<T> {
        if result.is_err() && self.generation.get() == generation {
            self.set_broken(fault);
        }
        result
    }

    fn set_broken(&self, fault: Fault) {
        self.broken.set(Some(fault));
        self.parser.take();
    }

    fn begin(&self, has_head: bool) {
        self.has_head.set(has_head);
        self.began.set(Some(Instant::now()));
    }

    /// Passes a head to JavaScript, together with the end of the message if there is no body.
    fn call_onhead<'js>(
        &self,
        ctx: &Ctx<'js>,
        listener: &Listener<'js>,
        generation: u32,
        bytes: &[u8],
        at: &mut usize,
    ) -> Result<Follows> {
        let (is_complete, flags, number) = self.with_parser(|parser| {
            let (framing, (major, minor)) = (parser.framing(), parser.version());
            let is_request = parser.kind() == Kind::Request;
            let is_complete = is_request && !parser.is_upgrade() && parser.has_no_body();
            let mut flags = u32::from(minor) << flag::MINOR_SHIFT | u32::from(major) << flag::MAJOR_SHIFT;
            for (is_set, bit) in [
                (parser.keeps_alive(), flag::KEEP_ALIVE),
                (parser.is_upgrade(), flag::UPGRADE),
                (is_complete, flag::COMPLETE),
                (framing.host, flag::HOST),
                (framing.expect, flag::EXPECT),
            ] {
                flags |= if is_set { bit } else { 0 };
            }
            let number = if is_request { u32::from(parser.method()) } else { u32::from(parser.status()) };
            (is_complete, flags, number)
        });
        let line = self.with_parser(|parser| string_from_latin1(ctx, parser.target()))?;
        let block = self.header_block(ctx)?;
        if is_complete {
            // The message is complete: no timeout applies.
            self.began.set(None);
            let step = self.with_parser(|parser| parser.step(bytes, at));
            debug_assert_eq!(step, Ok(Step::Complete));
        } else {
            match self.began.get() {
                Some(_) => self.has_head.set(true),
                None => self.begin(true),
            }
        }
        self.is_in_onhead.set(true);
        let head = Head { number, line, block, flags };
        let follows = match is_complete.then(|| fast::request(ctx, &listener.object, &head)).transpose() {
            Ok(Some(true)) => Ok(Value::new_undefined(ctx.clone())),
            Ok(_) => {
                listener.call("onhead", (This(listener.object.clone()), head.number, head.line, head.block, head.flags))
            }
            Err(error) => Err(error),
        };
        self.is_in_onhead.set(false);
        if self.generation.get() != generation {
            follows?;
            return Ok(Follows::Message);
        }
        Ok(match follows?.as_int() {
            Some(1) => Follows::NoBody,
            Some(2) => Follows::Upgrade,
            _ => Follows::Message,
        })
    }

    /// The headers or trailers as one string; undefined if there are none.
    fn header_block<'js>(&self, ctx: &Ctx<'js>) -> Result<Value<'js>> {
        self.with_parser(|parser| match parser.block() {
            [] => Ok(Value::new_undefined(ctx.clone())),
            // Without the last LF, so that JavaScript can split the string.
            block => string_from_latin1(ctx, &block[..block.len() - 1]),
        })
    }
}

/// Converts a fault to the array that JavaScript gets.
fn fault_array<'js>(ctx: &Ctx<'js>, fault: Fault, at: usize) -> Result<Value<'js>> {
    let list = Array::new(ctx.clone())?;
    list.set(0, string_from_str(ctx, fault.code)?)?;
    list.set(1, string_from_str(ctx, fault.reason)?)?;
    list.set(2, at)?;
    Ok(list.into_value())
}

/// Reads a handle for a parser, without passing the bytes through JavaScript. The parser does not handle the read error.
pub(crate) fn read<'js>(
    ctx: &Ctx<'js>,
    object: Object<'js>,
    id: HandleId,
    count: impl FnOnce(usize),
) -> Result<std::result::Result<(), Errno>> {
    // Take the slab: a script called meanwhile may read another handle.
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
    let Some(parser) = ParserObject::from_object(&object) else { return Ok(()) };
    let listener = Listener { object, is_consumer: true };
    match parser.borrow().feed(ctx, &listener, bytes)? {
        Fed::All | Fed::Stopped | Fed::Declined(_) => Ok(()),
        Fed::Upgraded(at) => {
            let rest = ArrayBuffer::new_copy(ctx.clone(), &bytes[at..])?;
            listener.call("onupgrade", (This(listener.object.clone()), rest)).map(drop)
        }
        Fed::Fault(fault, at) => {
            let (fault, packet) = (fault_array(ctx, fault, at)?, ArrayBuffer::new_copy(ctx.clone(), bytes)?);
            listener.call("onfault", (This(listener.object.clone()), fault, packet)).map(drop)
        }
    }
}
