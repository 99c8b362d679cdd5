//! Native functions of message ports and structured clone. JavaScript refers to channel ends and ports by numbers.
//!
//! Event objects and errors are created in `messaging.js` and `clone.js`.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::{Rc, Weak};

use phasor_js::bytes::{Bytes, Utf8};
use phasor_js::clone::{self, Message, Parts};
use phasor_js::port::{self, Port, PortEnd};
use rquickjs::function::Func;
use rquickjs::{ArrayBuffer, Ctx, Function, Object, Result, TypedArray, Value};

/// The channel ends and ports of this thread, by number.
#[derive(Default)]
struct Table {
    last: u32,
    /// Ends without an open port.
    ends: HashMap<u32, PortEnd>,
    /// Open ports. Their handles own them.
    ports: HashMap<u32, Weak<Port>>,
}

thread_local! {
    static TABLE: RefCell<Table> = RefCell::default();
}

impl Table {
    fn number(&mut self) -> u32 {
        self.last = self.last.wrapping_add(1);
        self.last
    }
}

/// Registers an end and returns its number.
pub(crate) fn register(end: PortEnd) -> u32 {
    TABLE.with_borrow_mut(|table| {
        let number = table.number();
        table.ends.insert(number, end);
        number
    })
}

/// Removes an end without an open port from the table.
pub(crate) fn take(number: u32) -> Option<PortEnd> {
    TABLE.with_borrow_mut(|table| table.ends.remove(&number))
}

/// The open port with this number.
pub(crate) fn port_of(number: u32) -> Option<Rc<Port>> {
    TABLE.with_borrow(|table| table.ports.get(&number).and_then(Weak::upgrade))
}

/// Creates the object of native functions.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let natives = Object::new(ctx.clone())?;
    natives.set("structuredClone", Func::from(structured_clone))?;
    natives.set("toBytes", Func::from(to_bytes))?;
    natives.set("fromBytes", Func::from(from_bytes))?;
    natives.set("pair", Func::from(pair))?;
    natives.set("named", Func::from(|Utf8(name): Utf8| register(PortEnd::named(&name))))?;
    natives.set("open", Func::from(open))?;
    natives.set("post", Func::from(post))?;
    natives.set("postPlain", Func::from(post_plain))?;
    natives.set("start", Func::from(start))?;
    natives.set("stop", Func::from(stop))?;
    natives.set("setRef", Func::from(set_ref))?;
    natives.set("hasRef", Func::from(has_ref))?;
    natives.set("close", Func::from(close))?;
    natives.set("entangled", Func::from(entangled))?;
    natives.set("receive", Func::from(receive))?;
    Ok(natives)
}

/// Clones a value within this thread.
fn structured_clone<'js>(
    ctx: Ctx<'js>,
    parts: Object<'js>,
    value: Value<'js>,
    buffers: Vec<ArrayBuffer<'js>>,
    ports: Vec<Value<'js>>,
    numbers: Vec<u32>,
) -> Result<Value<'js>> {
    let functions = Parts::of(&parts);
    let message = clone::serialize(&ctx, &functions, value, &ports, buffers)?;
    let ends = detach(&ctx, &numbers);
    let ports = ends.into_iter().map(|end| adopt(&parts, end)).collect::<Result<Vec<_>>>()?;
    clone::deserialize(&ctx, &functions, message, &ports)
}

/// Serializes a value to bytes; `None` if it contains something that cannot leave the process.
fn to_bytes<'js>(ctx: Ctx<'js>, parts: Object<'js>, value: Value<'js>) -> Result<Option<TypedArray<'js, u8>>> {
    let message = clone::serialize(&ctx, &Parts::of(&parts), value, &[], Vec::new())?;
    message.to_bytes().map(|bytes| TypedArray::new(ctx, bytes)).transpose()
}

/// Deserializes such bytes; `None` if they are malformed.
fn from_bytes<'js>(ctx: Ctx<'js>, parts: Object<'js>, bytes: Bytes<'js>) -> Result<Option<Value<'js>>> {
    let Some(message) = bytes.read(Message::from_bytes) else { return Ok(None) };
    clone::deserialize(&ctx, &Parts::of(&parts), message, &[]).map(Some)
}

/// Detaches the ports that a message transfers. A port that a getter closed during serialization is replaced by an end whose peer is
/// closed, because the message refers to ports by index.
fn detach(ctx: &Ctx<'_>, numbers: &[u32]) -> Vec<PortEnd> {
    let end_of = |number: &u32| port_of(*number).and_then(|port| port.detach(ctx));
    numbers.iter().map(|number| end_of(number).unwrap_or_else(|| PortEnd::pair().0)).collect()
}

fn adopt<'js>(parts: &Object<'js>, end: PortEnd) -> Result<Value<'js>> {
    parts.get::<_, Function<'js>>("adopt")?.call((register(end),))
}

/// Creates a channel and returns the numbers of both ends.
fn pair() -> Vec<u32> {
    let (one, other) = PortEnd::pair();
    vec![register(one), register(other)]
}

/// Opens a port on an end; the number stays the same. Does nothing if there is no such end or it was opened before.
fn open<'js>(ctx: Ctx<'js>, number: u32, emit: Function<'js>, parts: Object<'js>) {
    let Some(end) = take(number) else { return };
    let port = port::open(&ctx, end, emit, parts, adopt);
    TABLE.with_borrow_mut(|table| table.ports.insert(number, Rc::downgrade(&port)));
}

/// Serializes a value and the ports that it transfers. On failure no port is detached.
pub(crate) fn serialize<'js>(
    ctx: &Ctx<'js>,
    parts: &Object<'js>,
    value: Value<'js>,
    buffers: Vec<ArrayBuffer<'js>>,
    ports: &[Value<'js>],
    numbers: &[u32],
) -> Result<(Message, Vec<PortEnd>)> {
    let message = clone::serialize(ctx, &Parts::of(parts), value, ports, buffers)?;
    Ok((message, detach(ctx, numbers)))
}

/// Posts a message. Returns whether a receiver exists; `None` if the port is closed.
fn post<'js>(
    ctx: Ctx<'js>,
    number: u32,
    parts: Object<'js>,
    value: Value<'js>,
    buffers: Vec<ArrayBuffer<'js>>,
    ports: Vec<Value<'js>>,
    numbers: Vec<u32>,
) -> Result<Option<bool>> {
    let (message, ends) = serialize(&ctx, &parts, value, buffers, &ports, &numbers)?;
    Ok(port_of(number).and_then(|port| port.post(message, ends)))
}

/// Posts a message without a transfer list.
fn post_plain<'js>(ctx: Ctx<'js>, number: u32, parts: Object<'js>, value: Value<'js>) -> Result<Option<bool>> {
    let message = clone::serialize(&ctx, &Parts::of(&parts), value, &[], Vec::new())?;
    Ok(port_of(number).and_then(|port| port.post(message, Vec::new())))
}

fn start(number: u32) {
    if let Some(port) = port_of(number) {
        port.start();
    }
}

fn stop(number: u32) {
    if let Some(port) = port_of(number) {
        port.stop();
    }
}

fn set_ref(ctx: Ctx<'_>, number: u32, keeps_alive: bool) {
    if let Some(port) = port_of(number) {
        port.set_ref(&ctx, keeps_alive);
    }
}

fn has_ref(ctx: Ctx<'_>, number: u32) -> Option<bool> {
    port_of(number)?.has_ref(&ctx)
}

/// Starts to close a port and frees its number. The port emits 'close' when it is done.
fn close(ctx: Ctx<'_>, number: u32) {
    let port = TABLE.with_borrow_mut(|table| table.ports.remove(&number)).and_then(|port| port.upgrade());
    if let Some(port) = port {
        port.close(&ctx);
    }
}

/// True if two ports are the ends of one channel.
fn entangled(one: u32, other: u32) -> bool {
    matches!((port_of(one), port_of(other)), (Some(one), Some(other)) if one.is_entangled_with(&other))
}

/// The oldest queued message, in a list of one; `None` if there is none.
fn receive<'js>(ctx: Ctx<'js>, number: u32) -> Result<Option<Vec<Value<'js>>>> {
    let Some(port) = port_of(number) else { return Ok(None) };
    Ok(port.receive(&ctx)?.map(|value| vec![value]))
}
