//! The short way of bytes through a socket. What was read goes straight to who listens to 'data'; a small chunk that nothing is
//! before, and that nobody wants to hear of, goes straight to the kernel.
//!
//! Whatever is not so is left to JavaScript, in `stream_io.js` and `socket.js`, before anything is done: these say what a stream is,
//! and this does the same to the same properties.

use std::cell::RefCell;
use std::rc::Rc;

use phasor_js::bytes::{Bytes, array_of, string_from_str};
use phasor_js::keys::{Key, KnownObject, Look, Place};
use phasor_js::layers::{Layers, Methods};
use rquickjs::function::Func;
use rquickjs::{Array, Ctx, FromJs, Object, Result, Value};

use super::{LATER, handles, write};

/// What `send` answers: it is all written.
const SENT: f64 = f64::NEG_INFINITY;
/// It is not for this way, and nothing was done.
const NOT_SENT: f64 = f64::INFINITY;

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

/// What the short way compares with.
struct Known {
    keys: Keys,
    data: Key,
    /// What a handle's `onread` is.
    on_read: Place,
    /// What this goes past, with the methods that reading and writing would call.
    layers: Layers,
    by_reading: Methods,
    by_writing: Methods,
    readable: Bits,
    writable: Bits,
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
    verbs.set("send", Func::from(send))?;
    verbs.set("isRead", Func::from(is_read))?;
    verbs.set("SENT", SENT)?;
    verbs.set("NOT_SENT", NOT_SENT)
}

/// `(symbols, { onRead, layers, reading, writing, readable, writable, kDataEmitted, kEnded, kReading })`: what there is to know.
/// JavaScript keeps the function alive.
fn know<'js>(ctx: Ctx<'js>, symbols: Object<'js>, told: Object<'js>) -> Result<()> {
    let place = |name: &str| -> Result<Place> { Ok(Place::of(&told.get(name)?)) };
    let bits = |name: &str| -> Result<Bits> {
        let bits: Array<'js> = told.get(name)?;
        Ok(Bits { looked: bits.get(0)?, wanted: bits.get(1)? })
    };
    let layers = told.get::<_, Array<'js>>("layers")?.iter().collect::<Result<Vec<Object<'js>>>>()?;
    let layers = Layers::of(&layers);
    let methods = |name: &str| -> Result<Methods> {
        let names: Array<'js> = told.get(name)?;
        let keys = names.iter::<Value<'js>>().map(|name| Key::new(&ctx, &name?)).collect::<Result<Vec<Key>>>()?;
        Ok(layers.methods(keys))
    };
    let known = Known {
        keys: Keys::new(&ctx, &symbols)?,
        data: Key::new(&ctx, &string_from_str(&ctx, "data")?)?,
        on_read: place("onRead")?,
        by_reading: methods("reading")?,
        by_writing: methods("writing")?,
        layers,
        readable: bits("readable")?,
        writable: bits("writable")?,
        data_emitted: told.get("kDataEmitted")?,
        ended: told.get("kEnded")?,
        reading: told.get("kReading")?,
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
    /// The bits of a stream's state.
    fn bits(&self, state: &Object<'_>) -> Result<Option<u32>> {
        Ok(match self.keys.state.look(state)? {
            Look::Number(bits) => Some(bits as i64 as u32),
            _ => None,
        })
    }

    fn set_bits(&self, state: &Object<'_>, bits: u32) -> Result<()> {
        self.keys.state.set_number(state, f64::from(bits as i32))
    }

    /// Whether a stream has these methods of Node's, and none of its own.
    fn is_plain(&self, stream: &Object<'_>, methods: &Methods) -> bool {
        methods.are_of(stream) && self.layers.are_complete()
    }
}

/// `(stream)`: whether what is read goes past no method that a program has made.
fn is_read<'js>(ctx: Ctx<'js>, stream: Object<'js>) -> bool {
    known(&ctx).is_some_and(|known| known.is_plain(&stream, &known.by_reading))
}

/// A stream whose chunks go straight to who listens to 'data'.
pub(super) struct Straight<'js> {
    known: Rc<Known>,
    handle: Object<'js>,
    stream: KnownObject<'js>,
    state: KnownObject<'js>,
    bits: u32,
    /// What buffers inherit from.
    prototype: KnownObject<'js>,
}

impl<'js> Straight<'js> {
    /// The stream of a handle, if it is such a one.
    pub(super) fn of(handle: &Object<'js>) -> Result<Option<Straight<'js>>> {
        let Some(known) = known(handle.ctx()) else { return Ok(None) };
        let keys = &known.keys;
        if keys.read.look(handle)? != Look::Object(known.on_read) {
            return Ok(None);
        }
        let (Some(stream), Some(prototype)) = (keys.owner.object(handle)?, keys.bytes.object(handle)?) else {
            return Ok(None);
        };
        let Some(state) = keys.readable.object(&stream)? else { return Ok(None) };
        let Some(bits) = known.bits(&state)? else { return Ok(None) };
        let is_straight = bits & known.readable.looked == known.readable.wanted
            && keys.length.look(&state)? == Look::Number(0.0)
            && known.is_plain(&stream, &known.by_reading)
            && keys.timeout.look(&stream)? == Look::Null
            && keys.parent.look(&stream)? == Look::Null
            && matches!(keys.buffer.look(&stream)?, Look::Null | Look::Undefined);
        let handle = handle.clone();
        Ok(is_straight.then_some(Straight { known, handle, stream, state, bits, prototype }))
    }

    /// Bytes as scripts get them.
    pub(super) fn chunk(&self, bytes: &[u8]) -> Result<Value<'js>> {
        array_of(&self.prototype, bytes)
    }

    /// Gives a chunk to who listens, as `give` of `stream_io.js`.
    pub(super) fn give(&self, chunk: &Value<'js>) -> Result<()> {
        let Straight { known, handle, stream, state, bits, .. } = self;
        let (keys, ctx) = (&known.keys, handle.ctx());
        keys.awaits.set(state, Value::new_null(ctx.clone()))?;
        known.set_bits(state, bits | known.data_emitted)?;
        keys.emit.call(stream, [&known.data.value(ctx), chunk])?;
        let Some(bits) = known.bits(state)? else { return Ok(()) };
        let wants_more = bits & known.ended == 0
            && match (keys.length.look(state)?, keys.most.look(state)?) {
                (Look::Number(length), Look::Number(most)) => length == 0.0 || length < most,
                _ => false,
            };
        if !wants_more {
            known.set_bits(state, bits & !known.reading)?;
            keys.stop.call(handle, [])?;
        }
        Ok(())
    }
}

/// `(socket, chunk)`: writes the chunk, if it is all that there is to be written. [`SENT`], [`NOT_SENT`], or what is said of a try
/// that left a rest: how many bytes went, or libuv's number.
fn send<'js>(ctx: Ctx<'js>, socket: Object<'js>, chunk: Value<'js>) -> Result<f64> {
    let Some(known) = known(&ctx) else { return Ok(NOT_SENT) };
    let keys = &known.keys;
    if !chunk.as_object().is_some_and(Object::is_typed_array::<u8>) {
        return Ok(NOT_SENT);
    }
    let (Some(handle), Some(state)) = (keys.handle.object(&socket)?, keys.writable.object(&socket)?) else {
        return Ok(NOT_SENT);
    };
    let Look::Number(number) = keys.at.look(&handle)? else { return Ok(NOT_SENT) };
    let number = number as u32;
    let is_open = handles::opened(number).is_some_and(|(_, hung)| hung.place() == Place::of(&handle));
    let is_free = is_open
        && known.bits(&state)?.is_some_and(|bits| bits & known.writable.looked == known.writable.wanted)
        && keys.connecting.look(&socket)? == Look::Bool(false)
        && known.is_plain(&socket, &known.by_writing);
    let length = Bytes::from_js(&ctx, chunk.clone())?.len() as f64;
    if !is_free || length == 0.0 || !matches!(keys.most.look(&state)?, Look::Number(most) if length < most) {
        return Ok(NOT_SENT);
    }
    if keys.timeout.look(&socket)? != Look::Null || keys.parent.look(&socket)? != Look::Null {
        keys.unref_timer.call(&socket, [])?;
    }
    Ok(match write(ctx, number, chunk, false)? {
        written if (0.0..LATER).contains(&written) => SENT,
        written if written < 0.0 => written,
        written => written - LATER,
    })
}
