//! Binds an HTTP parser to a JavaScript object and to a connection.
//!
//! For each event the parser calls a method of its object: `onhead`, `onbody`, `onend`, and if the parser reads a handle directly, `onfault`
//! and `onupgrade`. The calls go through functions that `http/common.js` sets once. A request without a body is a single call. The headers
//! are one string with LF between names and values, because many requests are answered without reading them.
//!
//! Ground rule: a connection between two messages owns no parser, only the settings of its parser. Each thread keeps one spare parser, so
//! that idle connections need no memory for one.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Instant;

use phasor_core::{Errno, HandleId};
use phasor_engine::{
    ArrayBuffer, Bytes, Fallible, Function, Global, IntoJs, JsString, Local, Object, Scope, Value, define_natives,
};
use phasor_js::{Tracked, call_tracked, state};

use crate::net::handles::binding_of;
use crate::net::{HandleBinding, HandleReader, return_slab, take_slab};
use phasor_http1::{Fault, Follows, Kind, Parser, Settings, Step, fault};

/// A parser that a JavaScript object owns, and the state of its current message.
struct ParserBinding {
    settings: Cell<Settings>,
    /// `None` between two messages.
    parser: RefCell<Option<Box<Parser>>>,
    /// The start of the current message, or of the connection before its first message. Timeouts are measured from this time.
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
    tracked: RefCell<Option<Rc<Resource>>>,
}

/// An async resource and its registration with the hooks.
struct Resource {
    tracked: Tracked,
    object: Global<Object>,
}

/// llhttp errors after a JavaScript exception: in the head callback, and in any other callback.
const HEAD_THREW: Fault = fault("HPE_CB_HEADERS_COMPLETE", "User callback error");
const THREW: Fault = fault("HPE_JS_EXCEPTION", "JS Exception");

/// The default `maxHeaderSize`.
const HEAD_BYTES: u32 = 16 << 10;

/// A method of a parser's object.
#[derive(Clone, Copy)]
enum Event {
    /// `onhead(major, minor, methodOrStatus, urlOrReason, headers, keepsAlive, isUpgrade, isComplete, hasHost, hasExpect)`: a head.
    /// `methodOrStatus` is the index of the method, or the status. Returns 1 if no body follows, 2 if another protocol follows.
    Head,
    /// `onbody(bytes)`: a piece of the body.
    Body,
    /// `onend(trailers)`: the message is complete.
    End,
    /// `onfault(fault, packet)`: the bytes read from the handle are not valid HTTP.
    Fault,
    /// `onupgrade(rest)`: the connection was upgraded; `rest` are the bytes read after the head, which belong to the other protocol.
    Upgrade,
}

const EVENT_NAMES: [&str; 5] = ["onhead", "onbody", "onend", "onfault", "onupgrade"];

thread_local! {
    /// A spare parser, between two messages.
    static SPARE: Cell<Option<Box<Parser>>> = const { Cell::new(None) };
    /// The functions `(object, ...arguments)` that call a method of a parser's object, in the order of [`EVENT_NAMES`].
    static FUNCTIONS: RefCell<Vec<Global<Function>>> = const { RefCell::new(Vec::new()) };
}

/// Defines the native functions. All but the first two take the parser as first argument.
pub(super) fn define(scope: Scope<'_>, natives: Local<'_, Object>) -> Fallible<()> {
    define_natives!(scope, natives,
        "setCallbacks" => set_callbacks,
        "parser" => new,
        "initialize" => initialize,
        "execute" => execute,
        "finishParsing" => finish,
        "consume" => consume,
        "unconsume" => |_: Scope<'_>, parser: Local<'_, Object>| with(parser, ParserBinding::unconsume),
        "free" => free,
        "isIdle" => |_: Scope<'_>, parser: Local<'_, Object>| with(parser, ParserBinding::is_idle),
        "isExpired" => is_expired,
    );
    Ok(())
}

/// Calls `body` with the binding of a parser's object. `None` if it is another object.
fn with<R>(parser: Local<'_, Object>, body: impl FnOnce(&ParserBinding) -> R) -> Option<R> {
    parser.payload::<ParserBinding>().map(body)
}

/// `(functions)`: an object with a function `(parser, ...arguments)` for each event.
fn set_callbacks(scope: Scope<'_>, functions: Local<'_, Object>) -> Fallible<()> {
    let functions: Fallible<Vec<_>> = EVENT_NAMES
        .iter()
        .map(|name| Ok(Global::new(scope, functions.get_as::<Local<'_, Function>>(scope, *name)?)))
        .collect();
    let before = FUNCTIONS.replace(functions?);
    drop(before);
    Ok(())
}

/// `(prototype)`: creates an object with this prototype that owns a parser.
fn new<'s>(scope: Scope<'s>, prototype: Local<'s, Object>) -> Fallible<Local<'s, Object>> {
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
    Object::with_payload(scope, Some(prototype), this)
}

/// Initializes the parser for a connection. `resource` is its async resource, if hooks are enabled.
fn initialize(
    scope: Scope<'_>,
    parser: Local<'_, Object>,
    is_request: bool,
    lenient: bool,
    max_head_bytes: f64,
    max_strings: f64,
    resource: Option<Local<'_, Object>>,
) {
    let Some(this) = parser.payload::<ParserBinding>() else { return };
    let kind = if is_request { Kind::Request } else { Kind::Response };
    let max_head_bytes = if max_head_bytes > 0.0 { max_head_bytes as u32 } else { HEAD_BYTES };
    this.settings.set(Settings { kind, lenient, max_head_bytes, max_strings: max_strings as u32 });
    this.parser.take();
    this.broken.set(None);
    this.generation.set(this.generation.get().wrapping_add(1));
    this.began.set(is_request.then(Instant::now));
    this.has_head.set(false);
    this.in_parts.set(false);
    this.has_declined.set(false);
    if let Some(resource) = resource {
        this.track(scope, kind, resource);
    }
}

/// Parses bytes that JavaScript has read. Returns the number of bytes consumed, or the fault.
fn execute<'s>(scope: Scope<'s>, parser: Local<'s, Object>, bytes: Bytes<'s>) -> Fallible<Local<'s, Value>> {
    let Some(this) = parser.payload::<ParserBinding>() else { return Ok(scope.undefined()) };
    // JavaScript runs during the parse and may change its buffer.
    let bytes = bytes.to_vec();
    match this.feed(scope, &Listener { object: parser, is_consumer: false }, &bytes)? {
        Fed::All | Fed::Stopped => bytes.len().into_js(scope),
        Fed::Upgraded(at) | Fed::Declined(at) => at.into_js(scope),
        Fed::Fault(fault, at) => fault_array(scope, fault, at),
    }
}

/// Handles the end of input. Returns the fault if the message is incomplete.
fn finish<'s>(scope: Scope<'s>, parser: Local<'s, Object>) -> Fallible<Option<Local<'s, Value>>> {
    let Some(this) = parser.payload::<ParserBinding>() else { return Ok(None) };
    let finished = this.parser.borrow_mut().as_mut().map_or(Ok(false), |parser| parser.finish());
    match finished {
        Ok(true) => {
            let listener = Listener { object: parser, is_consumer: false };
            this.as_tracked(scope, || listener.call(scope, Event::End, &[scope.undefined()]).map(drop))?;
            Ok(None)
        }
        Ok(false) => Ok(None),
        Err(_) if this.has_declined.get() => Ok(None),
        Err(fault) => fault_array(scope, fault, 0).map(Some),
    }
}

/// Lets the parser read a handle directly. Returns whether the handle exists.
fn consume(scope: Scope<'_>, parser: Local<'_, Object>, number: u32) -> bool {
    let (Some(this), Some(binding)) = (parser.payload::<ParserBinding>(), binding_of(number)) else { return false };
    this.consumed.set(Some(number));
    binding.set_reader(Some(Rc::new(Consumer(Global::new(scope, parser)))));
    true
}

/// Detaches the parser from its connection.
fn free(scope: Scope<'_>, parser: Local<'_, Object>) {
    let Some(this) = parser.payload::<ParserBinding>() else { return };
    this.unconsume();
    this.generation.set(this.generation.get().wrapping_add(1));
    this.began.set(None);
    let resource = this.tracked.take();
    if let Some(resource) = resource {
        resource.tracked.end(scope);
    }
}

/// True if the current message exceeds the headers timeout or the request timeout.
fn is_expired(_: Scope<'_>, parser: Local<'_, Object>, head_ms: f64, whole_ms: f64) -> bool {
    let Some(this) = parser.payload::<ParserBinding>() else { return false };
    let Some(began) = this.began.get() else { return false };
    let since_ms = began.elapsed().as_secs_f64() * 1e3;
    let is_late = |limit_ms: f64| limit_ms > 0.0 && since_ms > limit_ms;
    (!this.has_head.get() && is_late(head_ms)) || is_late(whole_ms)
}

/// The object whose methods receive the parser's events.
struct Listener<'s> {
    object: Local<'s, Object>,
    /// No JavaScript is on the stack: the parser reads a handle directly.
    is_consumer: bool,
}

impl Listener<'_> {
    /// Calls a method with up to ten arguments.
    fn call<'t>(&self, scope: Scope<'t>, event: Event, arguments: &[Local<'_, Value>]) -> Fallible<Local<'t, Value>> {
        let function = FUNCTIONS.with_borrow(|all| all.get(event as usize).map(|function| function.get(scope)));
        let function = function.ok_or_else(|| scope.throw_type("the builtin internal/http/common is not loaded"))?;
        let mut list = [self.object.as_value(); 11];
        let count = 1 + arguments.len();
        for (place, argument) in list[1..count].iter_mut().zip(arguments) {
            *place = *argument;
        }
        function.call(scope, scope.undefined(), &list[..count])
    }
}

/// The end of a feed, with the number of parsed bytes.
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
            binding.set_reader(None);
        }
    }

    /// True if no message is being read.
    fn is_idle(&self) -> bool {
        self.began.get().is_none() && !self.is_in_onhead.get()
    }

    /// Runs a closure with the parser. If the binding has no parser, takes the spare one or creates one.
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
    fn track(&self, scope: Scope<'_>, kind: Kind, resource: Local<'_, Object>) {
        // Node's async resource names.
        let name = if kind == Kind::Request { "HTTPINCOMINGMESSAGE" } else { "HTTPCLIENTREQUEST" };
        let Some(tracked) = Tracked::new(scope, name, resource, None) else { return };
        let before = self.tracked.replace(Some(Rc::new(Resource { tracked, object: Global::new(scope, resource) })));
        drop(before);
    }

    fn as_tracked<T>(&self, scope: Scope<'_>, call: impl FnOnce() -> Fallible<T>) -> Fallible<T> {
        let resource = self.tracked.borrow().clone();
        match resource {
            Some(resource) => call_tracked(scope, Some(&resource.tracked), resource.object.get(scope), call),
            None => call(),
        }
    }

    /// Parses bytes and calls the listener for each event.
    fn feed(&self, scope: Scope<'_>, listener: &Listener<'_>, bytes: &[u8]) -> Fallible<Fed> {
        if let Some(fault) = self.broken.get() {
            return Ok(Fed::Fault(fault, 0));
        }
        let fed = self.as_tracked(scope, || self.feed_all(scope, listener, bytes));
        self.return_spare();
        fed
    }

    fn feed_all(&self, scope: Scope<'_>, listener: &Listener<'_>, bytes: &[u8]) -> Fallible<Fed> {
        let generation = self.generation.get();
        let mut at = 0;
        loop {
            if let Some(fed) = scope.nested(|scope| self.feed_step(scope, listener, generation, bytes, &mut at))? {
                return Ok(fed);
            }
            if self.generation.get() != generation {
                return Ok(Fed::Stopped);
            }
        }
    }

    /// Parses up to the next event and calls the listener for it. Returns `None` if the caller has to call this function again, because
    /// `bytes` may contain further events.
    fn feed_step(
        &self,
        scope: Scope<'_>,
        listener: &Listener<'_>,
        generation: u32,
        bytes: &[u8],
        at: &mut usize,
    ) -> Fallible<Option<Fed>> {
        match self.with_parser(|parser| parser.step(bytes, at)) {
            Ok(Step::More) => {
                if self.began.get().is_none() && self.with_parser(|parser| parser.is_in_message()) {
                    self.begin(false);
                }
                return Ok(Some(Fed::All));
            }
            Ok(Step::Head) => {
                self.in_parts.set(self.in_parts.get() || self.with_parser(|parser| parser.is_head_long()));
                if self.in_parts.get() && !self.between_parts(scope, listener, generation) {
                    return Ok(Some(Fed::Stopped));
                }
                let follows = self.call_onhead(scope, listener, generation, bytes, at);
                let follows = self.or_set_broken(generation, HEAD_THREW, follows)?;
                if self.generation.get() != generation {
                    return Ok(Some(Fed::Stopped));
                }
                self.has_declined.set(self.with_parser(|parser| {
                    parser.proceed(follows);
                    parser.is_declined()
                }));
            }
            Ok(Step::Body(body)) => {
                let body = ArrayBuffer::copy_of(scope, body)?.as_value();
                self.or_set_broken(generation, THREW, listener.call(scope, Event::Body, &[body]))?;
                // `src/node_http_parser.cc: Parser::on_body` uses `MakeCallback`, so ticks and microtasks run after this callback.
                if listener.is_consumer && !state(scope).drain_between(scope) {
                    if self.generation.get() == generation {
                        self.set_broken(THREW);
                    }
                    // The script is exiting: skip the remaining callbacks and the drain.
                    state(scope).skip_drain();
                    return Ok(Some(Fed::Stopped));
                }
            }
            Ok(Step::Complete) => {
                self.began.set(None);
                let trailers = self.header_block(scope)?;
                if !trailers.is_undefined() {
                    self.in_parts.set(true);
                    if !self.between_parts(scope, listener, generation) {
                        return Ok(Some(Fed::Stopped));
                    }
                }
                self.or_set_broken(generation, THREW, listener.call(scope, Event::End, &[trailers]))?;
                // As in Node, stop after a declined upgrade. The next `execute` or read parses HTTP again.
                if self.generation.get() == generation && self.with_parser(|parser| parser.is_declined()) {
                    return Ok(Some(Fed::Declined(*at)));
                }
            }
            Ok(Step::Upgraded) => return Ok(Some(Fed::Upgraded(*at))),
            Err(fault) => {
                self.began.set(None);
                return Ok(Some(if self.has_declined.get() { Fed::Declined(*at) } else { Fed::Fault(fault, *at) }));
            }
        }
        Ok(None)
    }

    /// Runs ticks and microtasks, as after the separate callback with which Node passes a batch of headers (`src/node_http_parser.cc:
    /// Parser::Flush`). Returns whether to continue.
    fn between_parts(&self, scope: Scope<'_>, listener: &Listener<'_>, generation: u32) -> bool {
        if listener.is_consumer {
            // The result is ignored: in Node an exception in one of these ticks does not stop the parser.
            state(scope).drain_between(scope);
        }
        self.generation.get() == generation && !state(scope).is_leaving()
    }

    /// Returns a callback's result. If it threw and the parser was not reinitialized, the parser is broken.
    fn or_set_broken<T>(&self, generation: u32, fault: Fault, result: Fallible<T>) -> Fallible<T> {
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
    fn call_onhead(
        &self,
        scope: Scope<'_>,
        listener: &Listener<'_>,
        generation: u32,
        bytes: &[u8],
        at: &mut usize,
    ) -> Fallible<Follows> {
        let headers = self.header_block(scope)?;
        let (is_complete, arguments) = self.with_parser(|parser| {
            let (framing, (major, minor)) = (parser.framing(), parser.version());
            let is_request = parser.kind() == Kind::Request;
            let is_complete = is_request && !parser.is_upgrade() && parser.has_no_body();
            let number = if is_request { u16::from(parser.method()) } else { parser.status() };
            let line = JsString::from_latin1(scope, parser.target())?;
            let arguments = [
                scope.number(major),
                scope.number(minor),
                scope.number(number),
                line.as_value(),
                headers,
                scope.boolean(parser.keeps_alive()),
                scope.boolean(parser.is_upgrade()),
                scope.boolean(is_complete),
                scope.boolean(framing.host),
                scope.boolean(framing.expect),
            ];
            Ok((is_complete, arguments))
        })?;
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
        let follows = listener.call(scope, Event::Head, &arguments);
        self.is_in_onhead.set(false);
        let follows = follows?.to_int32();
        if self.generation.get() != generation {
            return Ok(Follows::Message);
        }
        Ok(match follows {
            Some(1) => Follows::NoBody,
            Some(2) => Follows::Upgrade,
            _ => Follows::Message,
        })
    }

    /// The headers or trailers as one string; undefined if there are none.
    fn header_block<'s>(&self, scope: Scope<'s>) -> Fallible<Local<'s, Value>> {
        self.with_parser(|parser| match parser.block() {
            [] => Ok(scope.undefined()),
            // Without the last LF, so that JavaScript can split the string.
            block => Ok(JsString::from_latin1(scope, &block[..block.len() - 1])?.as_value()),
        })
    }
}

/// Converts a fault to the array that JavaScript gets.
fn fault_array<'s>(scope: Scope<'s>, fault: Fault, at: usize) -> Fallible<Local<'s, Value>> {
    vec![fault.code.into_js(scope)?, fault.reason.into_js(scope)?, at.into_js(scope)?].into_js(scope)
}

/// A parser that reads a handle.
struct Consumer(Global<Object>);

impl HandleReader for Consumer {
    /// Reads without passing the bytes through JavaScript. A read error is passed to the `onread` of the handle's object.
    fn read(&self, scope: Scope<'_>, binding: &HandleBinding, id: HandleId) -> Fallible<()> {
        // Take the slab: JavaScript that runs meanwhile may read another handle.
        let mut slab = take_slab();
        let got = state(scope).core().stream_read(id, &mut slab);
        let fed = match got {
            Ok(count) if count > 0 => {
                binding.count_read(count);
                self.feed(scope, &slab[..count])
            }
            _ => Ok(()),
        };
        return_slab(slab);
        fed?;
        got.map_or_else(|errno: Errno| binding.call_onread(scope, -errno.raw()), |_| Ok(()))
    }
}

impl Consumer {
    fn feed(&self, scope: Scope<'_>, bytes: &[u8]) -> Fallible<()> {
        let object = self.0.get(scope);
        let Some(this) = object.payload::<ParserBinding>() else { return Ok(()) };
        let listener = Listener { object, is_consumer: true };
        match this.feed(scope, &listener, bytes)? {
            Fed::All | Fed::Stopped | Fed::Declined(_) => Ok(()),
            Fed::Upgraded(at) => {
                let rest = ArrayBuffer::copy_of(scope, &bytes[at..])?.as_value();
                listener.call(scope, Event::Upgrade, &[rest]).map(drop)
            }
            Fed::Fault(fault, at) => {
                let packet = ArrayBuffer::copy_of(scope, bytes)?.as_value();
                listener.call(scope, Event::Fault, &[fault_array(scope, fault, at)?, packet]).map(drop)
            }
        }
    }
}
