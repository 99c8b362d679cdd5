//! Native verbs of `http`: a parser's function, the head of a message, and a whole response in one write.
//!
//! A parser is known to JavaScript as a function `(verb, …)`. What it finds it tells an object by its methods:
//! `onhead(…)`, `onbody(bytes)`, `onend(trailers)`, and for a handle that it reads by itself `onfault(…)` and
//! `onupgrade(rest)`. A request without a body is told by one call. Headers come as one string, with a line feed behind
//! each name and value: most requests are answered without a look at them.

pub mod head;
pub mod parser;
mod respond;
mod short;
pub mod words;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Instant;

use phasor_core::{Errno, HandleId};
use phasor_js::bytes::{Bytes, Text, string_from_latin1, string_from_str};
use phasor_js::{Tracked, state};
use rquickjs::function::{Func, Rest, This};
use rquickjs::{Array, ArrayBuffer, Ctx, FromJs, Function, IntoJs, Object, Persistent, Result, Value};

use self::parser::{Follows, Kind, Parser, Step};
use self::short::Told;
use self::words::Fault;
use crate::net::handles::hung_of;

/// Makes the object of native verbs.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let verbs = Object::new(ctx.clone())?;
    respond::define(&verbs)?;
    short::define(&verbs)?;
    verbs.set("METHODS", words::METHODS.to_vec())?;
    verbs.set("parser", Func::from(new_parser))?;
    verbs.set("isToken", Func::from(|text: Text<'_>| words::is_token_text(text.as_wtf8())))?;
    verbs.set("isValue", Func::from(|text: Text<'_>| words::is_value_text(text.as_wtf8())))?;
    Ok(verbs)
}

/// A parser, and what is known of the message that it is in.
struct Wire {
    parser: RefCell<Parser>,
    /// When the message that is being read began, or the connection before its first.
    began: Cell<Option<Instant>>,
    /// That message's head is there.
    has_head: Cell<bool>,
    /// A head is being told.
    is_telling: Cell<bool>,
    /// Another number once the parser is set up anew or given up: whoever feeds it stops.
    age: Cell<u32>,
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

/// The verbs of a parser.
const INIT: i32 = 0;
const EXECUTE: i32 = 1;
const FINISH: i32 = 2;
const CONSUME: i32 = 3;
const UNCONSUME: i32 = 4;
const FREE: i32 = 5;
const IDLE: i32 = 6;
const EXPIRED: i32 = 7;

/// How much of a head is taken, unless something else is said.
const HEAD_BYTES: usize = 16 << 10;

fn new_parser<'js>(ctx: Ctx<'js>) -> Result<Function<'js>> {
    let wire = Rc::new(Wire {
        parser: RefCell::new(Parser::new(Kind::Request, false, HEAD_BYTES, 0)),
        began: Cell::new(None),
        has_head: Cell::new(false),
        is_telling: Cell::new(false),
        age: Cell::new(0),
        consumed: Cell::new(None),
        tracked: RefCell::default(),
    });
    Function::new(ctx, move |ctx: Ctx<'js>, verb: i32, args: Rest<Value<'js>>| wire.call(&ctx, verb, &args.0))
}

fn argument<'js, T: FromJs<'js>>(ctx: &Ctx<'js>, args: &[Value<'js>], at: usize) -> Result<T> {
    T::from_js(ctx, args.get(at).cloned().unwrap_or_else(|| Value::new_undefined(ctx.clone())))
}

/// Who hears what a parser finds.
struct Ears<'js> {
    object: Object<'js>,
    onhead: Function<'js>,
    /// No script is below: the parser reads a handle by itself.
    is_consumer: bool,
}

impl<'js> Ears<'js> {
    fn of(object: Object<'js>) -> Result<Ears<'js>> {
        let onhead = object.get("onhead")?;
        Ok(Ears { object, onhead, is_consumer: false })
    }

    fn tell<A: rquickjs::function::IntoArgs<'js>>(&self, method: &str, args: A) -> Result<()> {
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
    Fault(Fault, usize),
}

/// What goes with a head, for JavaScript as bits.
mod flag {
    pub(super) const KEEP_ALIVE: u32 = 1;
    pub(super) const UPGRADE: u32 = 2;
    pub(super) const COMPLETE: u32 = 4;
    pub(super) const HOST: u32 = 8;
    pub(super) const EXPECT: u32 = 16;
    pub(super) const MINOR_SHIFT: u32 = 8;
    pub(super) const MAJOR_SHIFT: u32 = 12;
}

impl Wire {
    fn call<'js>(self: &Rc<Wire>, ctx: &Ctx<'js>, verb: i32, args: &[Value<'js>]) -> Result<Value<'js>> {
        let nothing = Value::new_undefined(ctx.clone());
        match verb {
            INIT => {
                let kind = if argument(ctx, args, 0)? { Kind::Request } else { Kind::Response };
                let most_head: f64 = argument(ctx, args, 2)?;
                let most_head = if most_head > 0.0 { most_head as usize } else { HEAD_BYTES };
                let most_words: f64 = argument(ctx, args, 3)?;
                self.parser.replace(Parser::new(kind, argument(ctx, args, 1)?, most_head, most_words as usize));
                self.age.set(self.age.get().wrapping_add(1));
                self.began.set((kind == Kind::Request).then(Instant::now));
                self.has_head.set(false);
                self.track(ctx, kind, args.get(4))?;
            }
            EXECUTE => {
                let bytes: Bytes<'js> = argument(ctx, args, 1)?;
                // Scripts run meanwhile, and may do to their buffer what they like.
                let bytes = bytes.read(<[u8]>::to_vec);
                let ears = Ears::of(argument(ctx, args, 0)?)?;
                return match self.feed(ctx, &ears, &bytes)? {
                    Fed::All | Fed::Stopped => bytes.len().into_js(ctx),
                    Fed::Upgraded(at) => at.into_js(ctx),
                    Fed::Fault(fault, at) => told(ctx, fault, at),
                };
            }
            FINISH => {
                let finished = self.parser.borrow_mut().finish();
                match finished {
                    Ok(true) => {
                        let ears = Ears::of(argument(ctx, args, 0)?)?;
                        self.as_tracked(ctx, || ears.tell("onend", (This(ears.object.clone()),)))?;
                    }
                    Ok(false) => {}
                    Err(fault) => return told(ctx, fault, 0),
                }
            }
            CONSUME => {
                let number: u32 = argument(ctx, args, 0)?;
                let Some(hung) = hung_of(number) else { return false.into_js(ctx) };
                let object: Object<'js> = argument(ctx, args, 1)?;
                let onhead: Function<'js> = object.get("onhead")?;
                hung.consume(Some(Rc::new(Consumer {
                    wire: self.clone(),
                    object: Persistent::save(ctx, object),
                    onhead: Persistent::save(ctx, onhead),
                })));
                self.consumed.set(Some(number));
            }
            UNCONSUME => self.unconsume(),
            FREE => {
                self.unconsume();
                self.age.set(self.age.get().wrapping_add(1));
                self.began.set(None);
                if let Some(scope) = self.tracked.take() {
                    scope.tracked.end(ctx);
                }
            }
            IDLE => return (self.began.get().is_none() && !self.is_telling.get()).into_js(ctx),
            EXPIRED => {
                let (head_ms, whole_ms): (f64, f64) = (argument(ctx, args, 0)?, argument(ctx, args, 1)?);
                let Some(began) = self.began.get() else { return false.into_js(ctx) };
                let since_ms = began.elapsed().as_secs_f64() * 1e3;
                let is_late = |limit_ms: f64| limit_ms > 0.0 && since_ms > limit_ms;
                return ((!self.has_head.get() && is_late(head_ms)) || is_late(whole_ms)).into_js(ctx);
            }
            _ => {}
        }
        Ok(nothing)
    }

    fn unconsume(&self) {
        if let Some(hung) = self.consumed.take().and_then(hung_of) {
            hung.consume(None);
        }
    }

    /// Has what it tells run as the object given, if there is one.
    fn track<'js>(&self, ctx: &Ctx<'js>, kind: Kind, resource: Option<&Value<'js>>) -> Result<()> {
        let Some(resource) = resource.and_then(Value::as_object) else { return Ok(()) };
        // As Node names them.
        let name = if kind == Kind::Request { "HTTPINCOMINGMESSAGE" } else { "HTTPCLIENTREQUEST" };
        let Some(tracked) = Tracked::new(ctx, name, resource, None) else { return Ok(()) };
        let resource = Persistent::save(ctx, resource.clone());
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
    fn feed<'js>(&self, ctx: &Ctx<'js>, ears: &Ears<'js>, bytes: &[u8]) -> Result<Fed> {
        self.as_tracked(ctx, || self.feed_all(ctx, ears, bytes))
    }

    fn feed_all<'js>(&self, ctx: &Ctx<'js>, ears: &Ears<'js>, bytes: &[u8]) -> Result<Fed> {
        let age = self.age.get();
        let mut at = 0;
        loop {
            let step = self.parser.borrow_mut().step(bytes, &mut at);
            match step {
                Ok(Step::More) => {
                    if self.began.get().is_none() && self.parser.borrow().is_in_message() {
                        self.begin(false);
                    }
                    return Ok(Fed::All);
                }
                Ok(Step::Head) => {
                    let follows = self.tell_head(ctx, ears, age, bytes, &mut at)?;
                    if self.age.get() != age {
                        return Ok(Fed::Stopped);
                    }
                    self.parser.borrow_mut().proceed(follows);
                }
                Ok(Step::Body(body)) => {
                    ears.tell("onbody", (This(ears.object.clone()), ArrayBuffer::new_copy(ctx.clone(), body)?))?;
                    // As Node's parser, which makes this call and no other as a callback of its own.
                    if ears.is_consumer && !state(ctx).drain_between() {
                        return Ok(Fed::Stopped);
                    }
                }
                Ok(Step::Complete) => {
                    self.began.set(None);
                    let trailers = self.words(ctx)?;
                    ears.tell("onend", (This(ears.object.clone()), trailers))?;
                }
                Ok(Step::Upgraded) => return Ok(Fed::Upgraded(at)),
                Err(fault) => {
                    self.began.set(None);
                    return Ok(Fed::Fault(fault, at));
                }
            }
            if self.age.get() != age {
                return Ok(Fed::Stopped);
            }
        }
    }

    fn begin(&self, has_head: bool) {
        self.has_head.set(has_head);
        self.began.set(Some(Instant::now()));
    }

    /// Tells a head, and the end of the message with it if that is all of it.
    fn tell_head<'js>(
        &self,
        ctx: &Ctx<'js>,
        ears: &Ears<'js>,
        age: u32,
        bytes: &[u8],
        at: &mut usize,
    ) -> Result<Follows> {
        let parser = self.parser.borrow();
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
        let line = string_from_latin1(ctx, parser.target())?;
        let number = if is_request { u32::from(parser.method()) } else { u32::from(parser.status()) };
        drop(parser);
        let block = self.words(ctx)?;
        if is_complete {
            // Nothing of it is left to wait for.
            self.began.set(None);
            let step = self.parser.borrow_mut().step(bytes, at);
            debug_assert_eq!(step, Ok(Step::Complete));
        } else {
            match self.began.get() {
                Some(_) => self.has_head.set(true),
                None => self.begin(true),
            }
        }
        self.is_telling.set(true);
        let told = Told { number, line, block, flags };
        let follows = match is_complete.then(|| short::request(ctx, &ears.object, &told)).transpose() {
            Ok(Some(true)) => Ok(Value::new_undefined(ctx.clone())),
            Ok(_) => ears.onhead.call((This(ears.object.clone()), told.number, told.line, told.block, told.flags)),
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
        let parser = self.parser.borrow();
        match parser.block() {
            [] => Ok(Value::new_undefined(ctx.clone())),
            // Without the last line feed it can be split as it is.
            block => string_from_latin1(ctx, &block[..block.len() - 1]),
        }
    }
}

/// A fault, as JavaScript gets it.
fn told<'js>(ctx: &Ctx<'js>, fault: Fault, at: usize) -> Result<Value<'js>> {
    let list = Array::new(ctx.clone())?;
    list.set(0, string_from_str(ctx, fault.code)?)?;
    list.set(1, string_from_str(ctx, fault.reason)?)?;
    list.set(2, at)?;
    Ok(list.into_value())
}

/// Reads a handle for a parser, so that what comes makes no other way through JavaScript than as events.
pub(crate) struct Consumer {
    wire: Rc<Wire>,
    object: Persistent<Object<'static>>,
    onhead: Persistent<Function<'static>>,
}

impl Consumer {
    /// Reads what is there; how many bytes, or the error, which is not for the parser.
    pub(crate) fn read(&self, ctx: &Ctx<'_>, id: HandleId) -> Result<std::result::Result<usize, Errno>> {
        // Taken: a script that is called meanwhile may read elsewhere.
        let mut slab = crate::net::take_slab();
        let got = state(ctx).core().stream_read(id, &mut slab);
        let fed = match got {
            Ok(count) if count > 0 => self.feed(ctx, &slab[..count]),
            _ => Ok(()),
        };
        crate::net::give_slab(slab);
        fed.map(|()| got)
    }

    fn feed<'js>(&self, ctx: &Ctx<'js>, bytes: &[u8]) -> Result<()> {
        let ears = Ears {
            object: self.object.clone().restore(ctx)?,
            onhead: self.onhead.clone().restore(ctx)?,
            is_consumer: true,
        };
        match self.wire.feed(ctx, &ears, bytes)? {
            Fed::All | Fed::Stopped => Ok(()),
            Fed::Upgraded(at) => {
                let rest = ArrayBuffer::new_copy(ctx.clone(), &bytes[at..])?;
                ears.tell("onupgrade", (This(ears.object.clone()), rest))
            }
            Fed::Fault(fault, at) => {
                let (fault, packet) = (told(ctx, fault, at)?, ArrayBuffer::new_copy(ctx.clone(), bytes)?);
                ears.tell("onfault", (This(ears.object.clone()), fault, packet))
            }
        }
    }
}
