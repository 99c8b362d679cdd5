//! Native fast path of `net.Socket`. Received bytes go directly to the 'data' listener. A small chunk goes directly to the kernel if no
//! write is queued before it and no listener observes it.
//!
//! Every other case falls back to `stream_io.js` and `socket.js` before any state changes. Those files define the semantics; this one
//! makes the same changes to the same properties.

use std::cell::RefCell;
use std::rc::Rc;

use phasor_js::bytes::{Bytes, array_of, string_from_str};
use phasor_js::fast_paths;
use phasor_js::guards::{Found, GuardList, Room, Slot};
use phasor_js::keys::{Key, Look, Place, Plain};
use phasor_js::proto_guard::{Layers, Methods};
use phasor_js::raw_fn::{self, Args, RawFn, Ret};
use rquickjs::function::Func;
use rquickjs::{Array, Ctx, FromJs, Object, Result, Value};

use super::{LATER, handles, write_bytes};

/// Result of `send`: all bytes are written. No error number has this value.
const SENT: i32 = -1_000_000;
/// Result of `send`: the fast path declined, and nothing has changed.
const NOT_SENT: i32 = SENT - 1;

phasor_js::keys! {
    /// Names of properties: Node's, or symbols that JavaScript passes to `initFastPath`.
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

/// Bits of a stream's state that the fast path requires.
struct Bits {
    /// The mask of the compared bits.
    looked: u32,
    /// Their values.
    wanted: u32,
}

/// The preconditions for passing a chunk to the listener, beginning at the stream's handle, and the values loaded while checking them.
struct Reading {
    guards: GuardList,
    stream: Slot,
    state: Slot,
    bits: Slot,
    /// `Buffer.prototype`.
    prototype: Slot,
}

impl Reading {
    fn new(ctx: &Ctx<'_>, keys: &Keys, on_read: &Object<'_>, readable: Bits) -> Reading {
        let handle = Slot::FIRST;
        let mut guards = GuardList::new(ctx, 1);
        guards.is_object(handle, keys.read, on_read);
        let stream = guards.object(handle, keys.owner);
        let prototype = guards.object(handle, keys.bytes);
        let state = guards.object(stream, keys.readable);
        guards.has_bits(state, keys.state, readable.looked, readable.wanted);
        let bits = guards.number(state, keys.state);
        guards.is(state, keys.length, 0);
        guards.is(stream, keys.timeout, Plain::NULL);
        guards.is(stream, keys.parent, Plain::NULL);
        guards.is_nothing(stream, keys.buffer);
        Reading { guards, stream, state, bits, prototype }
    }
}

/// The values of a stream's state that are read again after the 'data' listener has run.
struct After {
    guards: GuardList,
    bits: Slot,
    length: Slot,
    most: Slot,
}

impl After {
    fn new(ctx: &Ctx<'_>, keys: &Keys) -> After {
        let mut guards = GuardList::new(ctx, 1);
        let bits = guards.number(Slot::FIRST, keys.state);
        let length = guards.any(Slot::FIRST, keys.length);
        let most = guards.any(Slot::FIRST, keys.most);
        After { guards, bits, length, most }
    }
}

/// The preconditions for writing a chunk, beginning at the socket, and the values loaded while checking them.
struct Writing {
    guards: GuardList,
    handle: Slot,
    number: Slot,
    most: Slot,
    timeout: Slot,
    parent: Slot,
}

impl Writing {
    fn new(ctx: &Ctx<'_>, keys: &Keys, writable: Bits) -> Writing {
        let socket = Slot::FIRST;
        let mut guards = GuardList::new(ctx, 1);
        let handle = guards.object(socket, keys.handle);
        let number = guards.number(handle, keys.at);
        let state = guards.through(socket, keys.writable);
        guards.has_bits(state, keys.state, writable.looked, writable.wanted);
        let most = guards.number(state, keys.most);
        guards.is(socket, keys.connecting, false);
        let timeout = guards.any(socket, keys.timeout);
        let parent = guards.any(socket, keys.parent);
        Writing { guards, handle, number, most, timeout, parent }
    }
}

/// The guards of the fast path.
struct FastPath {
    keys: Keys,
    /// The event name 'data'.
    data: Key,
    /// The prototype chain of sockets.
    layers: Layers,
    /// The methods that reading skips.
    by_reading: Methods,
    /// The methods that writing skips.
    by_writing: Methods,
    read: Reading,
    after: After,
    written: Writing,
    data_emitted: u32,
    ended: u32,
    reading: u32,
}

thread_local! {
    /// Set when `net/socket.js` is loaded, unless fast paths are off.
    static FAST_PATH: RefCell<Option<Rc<FastPath>>> = const { RefCell::new(None) };
}

pub(super) fn define<'js>(natives: &Object<'js>) -> Result<()> {
    natives.set("initFastPath", Func::from(init_fast_path))?;
    raw_fn::define::<Send, 2>(natives, "send")?;
    raw_fn::define::<IsRead, 1>(natives, "isRead")?;
    natives.set("SENT", SENT)?;
    natives.set("NOT_SENT", NOT_SENT)
}

/// `(symbols, { onRead, layers, reading, writing, readable, writable, kDataEmitted, kEnded, kReading })`: builds the guards. JavaScript keeps
/// `onRead` alive.
fn init_fast_path<'js>(ctx: Ctx<'js>, symbols: Object<'js>, config: Object<'js>) -> Result<()> {
    let keys = Keys::new(&ctx, &symbols)?;
    let bits = |name: &str| -> Result<Bits> {
        let bits: Array<'js> = config.get(name)?;
        Ok(Bits { looked: bits.get(0)?, wanted: bits.get(1)? })
    };
    let layers = config.get::<_, Array<'js>>("layers")?.iter().collect::<Result<Vec<Object<'js>>>>()?;
    let layers = Layers::of(&layers);
    let methods = |name: &str| -> Result<Methods> {
        let names: Array<'js> = config.get(name)?;
        let keys = names.iter::<Value<'js>>().map(|name| Key::new(&ctx, &name?)).collect::<Result<Vec<Key>>>()?;
        Ok(layers.methods(keys, &[]))
    };
    let known = FastPath {
        data: Key::new(&ctx, &string_from_str(&ctx, "data")?)?,
        by_reading: methods("reading")?,
        by_writing: methods("writing")?,
        layers,
        read: Reading::new(&ctx, &keys, &config.get("onRead")?, bits("readable")?),
        after: After::new(&ctx, &keys),
        written: Writing::new(&ctx, &keys, bits("writable")?),
        data_emitted: config.get("kDataEmitted")?,
        ended: config.get("kEnded")?,
        reading: config.get("kReading")?,
        keys,
    };
    // Without guards every native of this module declines.
    FAST_PATH.set(fast_paths::are_enabled().then(|| Rc::new(known)));
    Ok(())
}

/// The guards, if they belong to this host: an earlier host on the same thread may have left its own.
fn known(ctx: &Ctx<'_>) -> Option<Rc<FastPath>> {
    FAST_PATH.with_borrow(|known| known.as_ref().filter(|known| known.data.is_of(ctx)).cloned())
}

/// Stores a handle's number on its object, under a symbol and not enumerable.
pub(super) fn note_number<'js>(ctx: &Ctx<'js>, object: &Object<'js>, number: u32) -> Result<()> {
    match known(ctx) {
        Some(known) => known.keys.at.hide(object, Value::new_number(ctx.clone(), f64::from(number))),
        None => Ok(()),
    }
}

impl FastPath {
    fn set_bits(&self, state: &Object<'_>, bits: u32) -> Result<()> {
        self.keys.state.put(state, bits as i32)
    }

    /// True if a lookup on the stream finds Node's own methods.
    fn is_plain(&self, stream: &Object<'_>, methods: &Methods) -> bool {
        methods.resolves_to(stream) && self.layers.is_unpatched()
    }
}

/// `(stream)`: true if the methods that reading skips are not monkey-patched.
struct IsRead;

impl RawFn<1> for IsRead {
    fn call<'js>(given: &Args<'_, 'js, 1>) -> Result<Ret> {
        let (Some(known), Some(stream)) = (known(given.ctx()), given.object(0)) else { return Ok(Ret::from(false)) };
        Ok(Ret::from(known.is_plain(&stream, &known.by_reading)))
    }
}

/// A stream whose chunks may go directly to its 'data' listeners.
pub(super) struct FastReader<'a, 'js> {
    known: Rc<FastPath>,
    handle: &'a Object<'js>,
    found: Found<'a, 'js>,
}

impl<'a, 'js> FastReader<'a, 'js> {
    /// Checks the preconditions of [`Reading`] for a handle.
    pub(super) fn of(handle: &'a Object<'js>, room: &'a mut Room) -> Option<FastReader<'a, 'js>> {
        let known = known(handle.ctx())?;
        let found = known.read.guards.make([handle], room)?;
        let is_straight = known.is_plain(&found.object(known.read.stream), &known.by_reading);
        is_straight.then_some(FastReader { known, handle, found })
    }

    /// Copies bytes to a Buffer.
    pub(super) fn chunk(&self, bytes: &[u8]) -> Result<Value<'js>> {
        array_of(&self.found.object(self.known.read.prototype), bytes)
    }

    /// Emits 'data' with a chunk, as `give` in `stream_io.js`.
    pub(super) fn give(&self, chunk: &Value<'js>) -> Result<()> {
        let FastReader { known, handle, found } = self;
        let (keys, stream, state) = (&known.keys, found.object(known.read.stream), &found.object(known.read.state));
        keys.awaits.put(state, Plain::NULL)?;
        known.set_bits(state, found.number(known.read.bits) as i64 as u32 | known.data_emitted)?;
        keys.emit.call(&stream, [&known.data.value(handle.ctx()), chunk])?;
        let mut room = Room::new();
        let Some(after) = known.after.guards.make([state], &mut room) else { return Ok(()) };
        let (bits, length) = (after.number(known.after.bits) as i64 as u32, after.number(known.after.length));
        let wants_more = bits & known.ended == 0 && (length == 0.0 || length < after.number(known.after.most));
        if !wants_more {
            known.set_bits(state, bits & !known.reading)?;
            keys.stop.call(handle, [])?;
        }
        Ok(())
    }
}

/// `(socket, chunk)`: writes the chunk if no write is queued before it. Returns [`SENT`] or [`NOT_SENT`]; or, if not all of it was written, the
/// number of bytes written, or libuv's error number.
struct Send;

impl RawFn<2> for Send {
    fn call<'js>(given: &Args<'_, 'js, 2>) -> Result<Ret> {
        let (Some(known), Some(socket), Some(chunk)) = (known(given.ctx()), given.object(0), given.object(1)) else {
            return Ok(Ret::from(NOT_SENT));
        };
        send(&known, &socket, &chunk).map(Ret::from)
    }
}

fn send<'js>(known: &FastPath, socket: &Object<'js>, chunk: &Object<'js>) -> Result<f64> {
    let (keys, writing) = (&known.keys, &known.written);
    if !chunk.is_typed_array::<u8>() {
        return Ok(f64::from(NOT_SENT));
    }
    let mut room = Room::new();
    let Some(found) = writing.guards.make([socket], &mut room) else { return Ok(f64::from(NOT_SENT)) };
    let number = found.number(writing.number) as u32;
    let place = Place::of(&found.object(writing.handle));
    let is_open = handles::opened(number).is_some_and(|(_, binding)| binding.place() == place);
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
