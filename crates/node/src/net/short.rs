//! The short way of bytes through a socket. What was read goes straight to who listens to 'data'; a small chunk that nothing is
//! before, and that nobody wants to hear of, goes straight to the kernel.
//!
//! Whatever is not so is left to JavaScript, in `stream_io.js` and `socket.js`, before anything is done: these say what a stream is,
//! and this does the same to the same properties.

use std::cell::RefCell;
use std::rc::Rc;

use phasor_js::bytes::{Bytes, array_of, string_from_str};
use phasor_js::keys::{Key, Look, Place, Plain};
use phasor_js::layers::{Layers, Methods};
use phasor_js::looks::{At, Found, Looks, Room};
use phasor_js::verbs::{self, Answer, Given, Verb};
use rquickjs::function::Func;
use rquickjs::{Array, Ctx, FromJs, Object, Result, Value};

use super::{LATER, handles, write_bytes};

/// What `send` answers: it is all written. No error has the number.
const SENT: i32 = -1_000_000;
/// It is not for this way, and nothing was done.
const NOT_SENT: i32 = SENT - 1;

phasor_js::keys! {
    /// The properties, by Node's names or by the symbols that JavaScript gives.
    struct Keys;
    at: "kAt",
    awaits: "awaitDrainWriters",
    buffer: "kBuffer",
    bytes: "kBytes",
    connecting: "connecting",
    emit: "emit",
    handle: "kHandle",
    length: "length",
    most: "highWaterMark",
    owner: "kOwner",
    parent: "_parent",
    read: "onread",
    readable: "_readableState",
    state: "kState",
    stop: "kStop",
    timeout: "kTimeout",
    unref_timer: "_unrefTimer",
    writable: "_writableState",
}

/// The bits of a stream's state that are looked at, and how they are when this is its way.
struct Bits {
    looked: u32,
    wanted: u32,
}

/// What has to be so for a chunk to be read, of a handle, and what is found then.
struct Reading {
    looks: Looks,
    stream: At,
    state: At,
    bits: At,
    /// What buffers inherit from.
    prototype: At,
}

impl Reading {
    fn new(ctx: &Ctx<'_>, keys: &Keys, on_read: &Object<'_>, readable: Bits) -> Reading {
        let handle = At::FIRST;
        let mut looks = Looks::new(ctx, 1);
        looks.is_object(handle, keys.read, on_read);
        let stream = looks.object(handle, keys.owner);
        let prototype = looks.object(handle, keys.bytes);
        let state = looks.object(stream, keys.readable);
        looks.has_bits(state, keys.state, readable.looked, readable.wanted);
        let bits = looks.number(state, keys.state);
        looks.is(state, keys.length, 0);
        looks.is(stream, keys.timeout, Plain::NULL);
        looks.is(stream, keys.parent, Plain::NULL);
        looks.is_nothing(stream, keys.buffer);
        Reading { looks, stream, state, bits, prototype }
    }
}

/// What is looked at of a stream's state when a chunk was given to who listens.
struct After {
    looks: Looks,
    bits: At,
    length: At,
    most: At,
}

impl After {
    fn new(ctx: &Ctx<'_>, keys: &Keys) -> After {
        let mut looks = Looks::new(ctx, 1);
        let bits = looks.number(At::FIRST, keys.state);
        let length = looks.any(At::FIRST, keys.length);
        let most = looks.any(At::FIRST, keys.most);
        After { looks, bits, length, most }
    }
}

/// What has to be so for a chunk to be written, of a socket, and what is found then.
struct Writing {
    looks: Looks,
    handle: At,
    number: At,
    most: At,
    timeout: At,
    parent: At,
}

impl Writing {
    fn new(ctx: &Ctx<'_>, keys: &Keys, writable: Bits) -> Writing {
        let socket = At::FIRST;
        let mut looks = Looks::new(ctx, 1);
        let handle = looks.object(socket, keys.handle);
        let number = looks.number(handle, keys.at);
        let state = looks.through(socket, keys.writable);
        looks.has_bits(state, keys.state, writable.looked, writable.wanted);
        let most = looks.number(state, keys.most);
        looks.is(socket, keys.connecting, false);
        let timeout = looks.any(socket, keys.timeout);
        let parent = looks.any(socket, keys.parent);
        Writing { looks, handle, number, most, timeout, parent }
    }
}

/// What the short way compares with.
struct Known {
    keys: Keys,
    data: Key,
    /// What this goes past, with the methods that reading and writing would call.
    layers: Layers,
    by_reading: Methods,
    by_writing: Methods,
    /// What is looked at.
    read: Reading,
    after: After,
    written: Writing,
    data_emitted: u32,
    ended: u32,
    reading: u32,
}

thread_local! {
    /// Set when sockets are loaded.
    static KNOWN: RefCell<Option<Rc<Known>>> = const { RefCell::new(None) };
}

pub(super) fn define<'js>(verbs: &Object<'js>) -> Result<()> {
    verbs.set("know", Func::from(know))?;
    verbs::define::<Send, 2>(verbs, "send")?;
    verbs::define::<IsRead, 1>(verbs, "isRead")?;
    verbs.set("SENT", SENT)?;
    verbs.set("NOT_SENT", NOT_SENT)
}

/// `(symbols, { onRead, layers, reading, writing, readable, writable, kDataEmitted, kEnded, kReading })`: what there is to know.
/// JavaScript keeps the function alive.
fn know<'js>(ctx: Ctx<'js>, symbols: Object<'js>, told: Object<'js>) -> Result<()> {
    let keys = Keys::new(&ctx, &symbols)?;
    let bits = |name: &str| -> Result<Bits> {
        let bits: Array<'js> = told.get(name)?;
        Ok(Bits { looked: bits.get(0)?, wanted: bits.get(1)? })
    };
    let layers = told.get::<_, Array<'js>>("layers")?.iter().collect::<Result<Vec<Object<'js>>>>()?;
    let layers = Layers::of(&layers);
    let methods = |name: &str| -> Result<Methods> {
        let names: Array<'js> = told.get(name)?;
        let keys = names.iter::<Value<'js>>().map(|name| Key::new(&ctx, &name?)).collect::<Result<Vec<Key>>>()?;
        Ok(layers.methods(keys, &[]))
    };
    let known = Known {
        data: Key::new(&ctx, &string_from_str(&ctx, "data")?)?,
        by_reading: methods("reading")?,
        by_writing: methods("writing")?,
        layers,
        read: Reading::new(&ctx, &keys, &told.get("onRead")?, bits("readable")?),
        after: After::new(&ctx, &keys),
        written: Writing::new(&ctx, &keys, bits("writable")?),
        data_emitted: told.get("kDataEmitted")?,
        ended: told.get("kEnded")?,
        reading: told.get("kReading")?,
        keys,
    };
    KNOWN.set(Some(Rc::new(known)));
    Ok(())
}

/// What is known, if it is of this host: one before it on the same thread may have left its own.
fn known(ctx: &Ctx<'_>) -> Option<Rc<Known>> {
    KNOWN.with_borrow(|known| known.as_ref().filter(|known| known.data.is_of(ctx)).cloned())
}

/// Notes the number of a handle on its object, unseen.
pub(super) fn note_number<'js>(ctx: &Ctx<'js>, object: &Object<'js>, number: u32) -> Result<()> {
    match known(ctx) {
        Some(known) => known.keys.at.hide(object, Value::new_number(ctx.clone(), f64::from(number))),
        None => Ok(()),
    }
}

impl Known {
    fn set_bits(&self, state: &Object<'_>, bits: u32) -> Result<()> {
        self.keys.state.put(state, bits as i32)
    }

    /// Whether a stream has these methods of Node's, and none of its own.
    fn is_plain(&self, stream: &Object<'_>, methods: &Methods) -> bool {
        methods.are_of(stream) && self.layers.are_complete()
    }
}

/// `(stream)`: whether what is read goes past no method that a program has made.
struct IsRead;

impl Verb<1> for IsRead {
    fn call<'js>(given: &Given<'_, 'js, 1>) -> Result<Answer> {
        let (Some(known), Some(stream)) = (known(given.ctx()), given.object(0)) else { return Ok(Answer::from(false)) };
        Ok(Answer::from(known.is_plain(&stream, &known.by_reading)))
    }
}

/// A stream whose chunks go straight to who listens to 'data'.
pub(super) struct Straight<'a, 'js> {
    known: Rc<Known>,
    handle: &'a Object<'js>,
    found: Found<'a, 'js>,
}

impl<'a, 'js> Straight<'a, 'js> {
    /// The stream of a handle, if it is such a one.
    pub(super) fn of(handle: &'a Object<'js>, room: &'a mut Room) -> Option<Straight<'a, 'js>> {
        let known = known(handle.ctx())?;
        let found = known.read.looks.make([handle], room)?;
        let is_straight = known.is_plain(&found.object(known.read.stream), &known.by_reading);
        is_straight.then_some(Straight { known, handle, found })
    }

    /// Bytes as scripts get them.
    pub(super) fn chunk(&self, bytes: &[u8]) -> Result<Value<'js>> {
        array_of(&self.found.object(self.known.read.prototype), bytes)
    }

    /// Gives a chunk to who listens, as `give` of `stream_io.js`.
    pub(super) fn give(&self, chunk: &Value<'js>) -> Result<()> {
        let Straight { known, handle, found } = self;
        let (keys, stream, state) = (&known.keys, found.object(known.read.stream), &found.object(known.read.state));
        keys.awaits.put(state, Plain::NULL)?;
        known.set_bits(state, found.number(known.read.bits) as i64 as u32 | known.data_emitted)?;
        keys.emit.call(&stream, [&known.data.value(handle.ctx()), chunk])?;
        let mut room = Room::new();
        let Some(after) = known.after.looks.make([state], &mut room) else { return Ok(()) };
        let (bits, length) = (after.number(known.after.bits) as i64 as u32, after.number(known.after.length));
        let wants_more = bits & known.ended == 0 && (length == 0.0 || length < after.number(known.after.most));
        if !wants_more {
            known.set_bits(state, bits & !known.reading)?;
            keys.stop.call(handle, [])?;
        }
        Ok(())
    }
}

/// `(socket, chunk)`: writes the chunk, if it is all that there is to be written. [`SENT`], [`NOT_SENT`], or what is said of a try
/// that left a rest: how many bytes went, or libuv's number.
struct Send;

impl Verb<2> for Send {
    fn call<'js>(given: &Given<'_, 'js, 2>) -> Result<Answer> {
        let (Some(known), Some(socket), Some(chunk)) = (known(given.ctx()), given.object(0), given.object(1)) else {
            return Ok(Answer::from(NOT_SENT));
        };
        send(&known, &socket, &chunk).map(Answer::from)
    }
}

fn send<'js>(known: &Known, socket: &Object<'js>, chunk: &Object<'js>) -> Result<f64> {
    let (keys, writing) = (&known.keys, &known.written);
    if !chunk.is_typed_array::<u8>() {
        return Ok(f64::from(NOT_SENT));
    }
    let mut room = Room::new();
    let Some(found) = writing.looks.make([socket], &mut room) else { return Ok(f64::from(NOT_SENT)) };
    let number = found.number(writing.number) as u32;
    let place = Place::of(&found.object(writing.handle));
    let is_open = handles::opened(number).is_some_and(|(_, hung)| hung.place() == place);
    let bytes = Bytes::from_js(chunk.ctx(), chunk.as_value().clone())?;
    let length = bytes.len() as f64;
    let is_small = length > 0.0 && length < found.number(writing.most);
    if !is_open || !is_small || !known.is_plain(socket, &known.by_writing) {
        return Ok(f64::from(NOT_SENT));
    }
    if found.look(writing.timeout) != Look::Null || found.look(writing.parent) != Look::Null {
        keys.unref_timer.call(socket, [])?;
    }
    Ok(match write_bytes(chunk.ctx(), number, bytes) {
        written if (0.0..LATER).contains(&written) => f64::from(SENT),
        written if written < 0.0 => written,
        written => written - LATER,
    })
}
