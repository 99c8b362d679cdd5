//! Native verbs of message ports and of the structured clone. JavaScript knows ends and ports by numbers.
//!
//! What an event looks like, and which errors are thrown, is in `messaging.js` and `clone.js`.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::{Rc, Weak};

use phasor_js::bytes::{Bytes, Utf8};
use phasor_js::clone::{self, Message, Parts};
use phasor_js::port::{self, Port, PortEnd};
use rquickjs::function::Func;
use rquickjs::{ArrayBuffer, Ctx, Function, Object, Result, TypedArray, Value};

/// The ends and ports of this thread by number.
#[derive(Default)]
struct Table {
    last: u32,
    /// Ends that no port was made of yet.
    ends: HashMap<u32, PortEnd>,
    /// Open ports; their handles keep them.
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

/// Gives an end a number on this thread.
pub(crate) fn keep(end: PortEnd) -> u32 {
    TABLE.with_borrow_mut(|table| {
        let number = table.number();
        table.ends.insert(number, end);
        number
    })
}

/// Takes an end that no port was made of.
pub(crate) fn take(number: u32) -> Option<PortEnd> {
    TABLE.with_borrow_mut(|table| table.ends.remove(&number))
}

/// The open port of a number.
pub(crate) fn port_of(number: u32) -> Option<Rc<Port>> {
    TABLE.with_borrow(|table| table.ports.get(&number).and_then(Weak::upgrade))
}

/// Makes the object of native verbs.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let verbs = Object::new(ctx.clone())?;
    verbs.set("structuredClone", Func::from(structured_clone))?;
    verbs.set("toBytes", Func::from(to_bytes))?;
    verbs.set("fromBytes", Func::from(from_bytes))?;
    verbs.set("pair", Func::from(pair))?;
    verbs.set("named", Func::from(|Utf8(name): Utf8| keep(PortEnd::named(&name))))?;
    verbs.set("open", Func::from(open))?;
    verbs.set("post", Func::from(post))?;
    verbs.set("say", Func::from(say))?;
    verbs.set("start", Func::from(start))?;
    verbs.set("stop", Func::from(stop))?;
    verbs.set("setRef", Func::from(set_ref))?;
    verbs.set("hasRef", Func::from(has_ref))?;
    verbs.set("close", Func::from(close))?;
    verbs.set("entangled", Func::from(entangled))?;
    verbs.set("receive", Func::from(receive))?;
    Ok(verbs)
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

/// A clone of a value as bytes; nothing if there is something in it that cannot leave the process.
fn to_bytes<'js>(ctx: Ctx<'js>, parts: Object<'js>, value: Value<'js>) -> Result<Option<TypedArray<'js, u8>>> {
    let message = clone::serialize(&ctx, &Parts::of(&parts), value, &[], Vec::new())?;
    message.to_bytes().map(|bytes| TypedArray::new(ctx, bytes)).transpose()
}

/// The value of such bytes; nothing if they are none.
fn from_bytes<'js>(ctx: Ctx<'js>, parts: Object<'js>, bytes: Bytes<'js>) -> Result<Option<Value<'js>>> {
    let Some(message) = bytes.read(Message::from_bytes) else { return Ok(None) };
    clone::deserialize(&ctx, &Parts::of(&parts), message, &[]).map(Some)
}

/// Takes the ends of ports that are sent away. In the place of one that a getter of the message has closed goes one whose other
/// side is gone, since messages name them by their places.
fn detach(ctx: &Ctx<'_>, numbers: &[u32]) -> Vec<PortEnd> {
    let end_of = |number: &u32| port_of(*number).and_then(|port| port.detach(ctx));
    numbers.iter().map(|number| end_of(number).unwrap_or_else(|| PortEnd::pair().0)).collect()
}

fn adopt<'js>(parts: &Object<'js>, end: PortEnd) -> Result<Value<'js>> {
    parts.get::<_, Function<'js>>("adopt")?.call((keep(end),))
}

/// The two ends of a new channel.
fn pair() -> Vec<u32> {
    let (one, other) = PortEnd::pair();
    vec![keep(one), keep(other)]
}

/// Makes a port of an end; the number stays the same. Nothing if it is none, or was opened before.
fn open<'js>(ctx: Ctx<'js>, number: u32, emit: Function<'js>, parts: Object<'js>) {
    let Some(end) = take(number) else { return };
    let port = port::open(&ctx, end, emit, parts, adopt);
    TABLE.with_borrow_mut(|table| table.ports.insert(number, Rc::downgrade(&port)));
}

/// A value as data, and the ports that go along. If it cannot be, nothing is detached.
pub(crate) fn pack<'js>(
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

/// Sends a value. Whether there is somebody to send it to; nothing if the port is closed.
fn post<'js>(
    ctx: Ctx<'js>,
    number: u32,
    parts: Object<'js>,
    value: Value<'js>,
    buffers: Vec<ArrayBuffer<'js>>,
    ports: Vec<Value<'js>>,
    numbers: Vec<u32>,
) -> Result<Option<bool>> {
    let (message, ends) = pack(&ctx, &parts, value, buffers, &ports, &numbers)?;
    Ok(port_of(number).and_then(|port| port.post(message, ends)))
}

/// As [`post`], for what nothing goes along with.
fn say<'js>(ctx: Ctx<'js>, number: u32, parts: Object<'js>, value: Value<'js>) -> Result<Option<bool>> {
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

/// Begins to close; the port tells when it is done, and its number is free.
fn close(ctx: Ctx<'_>, number: u32) {
    let port = TABLE.with_borrow_mut(|table| table.ports.remove(&number)).and_then(|port| port.upgrade());
    if let Some(port) = port {
        port.close(&ctx);
    }
}

/// Whether two ports are the ends of one channel.
fn entangled(one: u32, other: u32) -> bool {
    matches!((port_of(one), port_of(other)), (Some(one), Some(other)) if one.is_entangled_with(&other))
}

/// The oldest message of a port in a list of its own; nothing if there is none.
fn receive<'js>(ctx: Ctx<'js>, number: u32) -> Result<Option<Vec<Value<'js>>>> {
    let Some(port) = port_of(number) else { return Ok(None) };
    Ok(port.receive(&ctx)?.map(|value| vec![value]))
}
