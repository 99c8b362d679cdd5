//! Native functions of message ports and structured clone. JavaScript refers to channel ends and ports by numbers.
//!
//! Event objects and errors are created in `messaging.js` and `clone.js`.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::{Rc, Weak};

use phasor_engine::{ArrayBuffer, BuiltinClass, Fallible, Function, Local, Object, Scope, Value, define_natives};
use phasor_js::clone::{self, Message, Parts};
use phasor_js::port::{self, Port, PortEnd};

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
pub(crate) fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    let natives = Object::new(scope);
    define_natives!(scope, natives,
        "structuredClone" => structured_clone,
        "classOf" => class_of,
        "nonIndexKeys" => |scope, object: Local<'_, Object>| object.non_index_keys(scope, true),
        "pair" => |_| pair(),
        "named" => |_, name: String| register(PortEnd::named(&name)),
        "open" => open,
        "post" => post,
        "postPlain" => post_plain,
        "start" => |_, number: u32| port_of(number).inspect(|port| port.start()).is_some(),
        "stop" => |_, number: u32| port_of(number).inspect(|port| port.stop()).is_some(),
        "setRef" => set_ref,
        "functionOf" => function_of,
        "hasRef" => |scope, number: u32| port_of(number).and_then(|port| port.has_ref(scope)),
        "close" => close,
        "entangled" => |_, one: u32, other: u32| are_entangled(one, other),
        "receive" => receive,
    );
    Ok(natives)
}

/// The number of an object's builtin class, for `clone.js`. 0 for a plain object.
fn class_of(scope: Scope<'_>, object: Local<'_, Object>) -> u32 {
    object.builtin_class(scope) as u32
}

// The constants of `clone.js` have these numbers.
const _: () = assert!(BuiltinClass::Plain as u32 == 0 && BuiltinClass::Other as u32 == 12);

/// Clones a value within this thread.
fn structured_clone<'s>(
    scope: Scope<'s>,
    parts: Local<'s, Object>,
    value: Local<'s, Value>,
    buffers: Vec<Local<'s, ArrayBuffer>>,
    ports: Vec<Local<'s, Value>>,
    numbers: Vec<u32>,
) -> Fallible<Local<'s, Value>> {
    let message = clone::serialize(scope, Parts(parts), value, &ports, &buffers)?;
    let ends = detach(scope, &numbers);
    let ports = ends.into_iter().map(|end| adopt(scope, parts, end)).collect::<Fallible<Vec<_>>>()?;
    clone::deserialize(scope, Parts(parts), message, &ports)
}

/// Detaches the ports that a message transfers. A port that a getter closed during serialization is replaced by an end whose peer is
/// closed, because the message refers to ports by index.
fn detach(scope: Scope<'_>, numbers: &[u32]) -> Vec<PortEnd> {
    let end_of = |number: &u32| port_of(*number).and_then(|port| port.detach(scope));
    numbers.iter().map(|number| end_of(number).unwrap_or_else(|| PortEnd::pair().0)).collect()
}

fn adopt<'s>(scope: Scope<'s>, parts: Local<'_, Object>, end: PortEnd) -> Fallible<Local<'s, Value>> {
    let adopt: Local<'_, Function> = parts.get_as(scope, "adopt")?;
    adopt.call_with(scope, parts, (register(end),))
}

/// Creates a channel and returns the numbers of both ends.
fn pair() -> [u32; 2] {
    let (one, other) = PortEnd::pair();
    [register(one), register(other)]
}

/// Opens a port on an end; the number stays the same. Does nothing if there is no such end or it was opened before.
fn open(scope: Scope<'_>, number: u32, emit: Local<'_, Function>, parts: Local<'_, Object>) {
    let Some(end) = take(number) else { return };
    let port = port::open(scope, end, emit, parts, adopt);
    TABLE.with_borrow_mut(|table| table.ports.insert(number, Rc::downgrade(&port)));
}

/// Serializes a value and the ports that it transfers. On failure no port is detached.
pub(crate) fn serialize<'s>(
    scope: Scope<'s>,
    parts: Local<'s, Object>,
    value: Local<'s, Value>,
    buffers: &[Local<'_, ArrayBuffer>],
    ports: &[Local<'_, Value>],
    numbers: &[u32],
) -> Fallible<(Message, Vec<PortEnd>)> {
    let message = clone::serialize(scope, Parts(parts), value, ports, buffers)?;
    Ok((message, detach(scope, numbers)))
}

/// Posts a message. Returns whether a receiver exists; `None` if the port is closed.
fn post<'s>(
    scope: Scope<'s>,
    number: u32,
    parts: Local<'s, Object>,
    value: Local<'s, Value>,
    buffers: Vec<Local<'s, ArrayBuffer>>,
    ports: Vec<Local<'s, Value>>,
    numbers: Vec<u32>,
) -> Fallible<Option<bool>> {
    let (message, ends) = serialize(scope, parts, value, &buffers, &ports, &numbers)?;
    Ok(port_of(number).and_then(|port| port.post_recorded(scope, message, ends)))
}

/// Posts a message without a transfer list.
fn post_plain<'s>(
    scope: Scope<'s>,
    number: u32,
    parts: Local<'s, Object>,
    value: Local<'s, Value>,
) -> Fallible<Option<bool>> {
    let message = clone::serialize(scope, Parts(parts), value, &[], &[])?;
    Ok(port_of(number).and_then(|port| port.post_recorded(scope, message, Vec::new())))
}

/// The function that is called for the events of a port.
fn function_of(scope: Scope<'_>, number: u32) -> Option<Local<'_, Function>> {
    port_of(number)?.emit_function(scope)
}

fn set_ref(scope: Scope<'_>, number: u32, keeps_alive: bool) {
    if let Some(port) = port_of(number) {
        port.set_ref(scope, keeps_alive);
    }
}

/// Starts to close a port and frees its number. The port emits 'close' when it is done.
fn close(scope: Scope<'_>, number: u32) {
    let port = TABLE.with_borrow_mut(|table| table.ports.remove(&number)).and_then(|port| port.upgrade());
    if let Some(port) = port {
        port.close(scope);
    }
}

/// True if two ports are the ends of one channel.
fn are_entangled(one: u32, other: u32) -> bool {
    matches!((port_of(one), port_of(other)), (Some(one), Some(other)) if one.is_entangled_with(&other))
}

/// The oldest queued message, in a list of one; `None` if there is none.
fn receive<'s>(scope: Scope<'s>, number: u32) -> Fallible<Option<Vec<Local<'s, Value>>>> {
    let Some(port) = port_of(number) else { return Ok(None) };
    Ok(port.receive(scope)?.map(|value| vec![value]))
}
