//! Serializes a JavaScript value to a message.
//!
//! The traversal keeps its own stack, so a deeply nested value cannot overflow the thread's. Buffers are detached only
//! after the whole value was read, so a refused value leaves everything unchanged.
//!
//! # Safety
//! Reads the class of live values, and copies the bytes of buffers before any other code runs.
#![allow(unsafe_code)]

use std::collections::HashMap;
use std::sync::OnceLock;

use rquickjs::{Array, ArrayBuffer, Ctx, Error, FromJs, Object, Result, Value, qjs};

use super::{Attachments, Item, Key, Message, Node, Parts, Text};
use crate::bytes::{self, Units};
use crate::memory::blocks::Block;
use crate::raw::{is_same_object, object_address};
use crate::shared::SharedBytes;
use crate::state::state;

/// Serializes a value. `transferred` are the objects of the transfer list that have no bytes (ports), `buffers` the
/// array buffers on it. The buffers are detached last, when nothing can fail any more.
pub fn serialize<'js>(
    ctx: &Ctx<'js>,
    parts: &Parts<'js>,
    value: Value<'js>,
    transferred: &[Value<'js>],
    buffers: Vec<ArrayBuffer<'js>>,
) -> Result<Message> {
    let mut writer = Writer {
        ctx,
        parts,
        plain: object_prototype(ctx),
        classes: Classes::get(ctx),
        message: Message::default(),
        leaving: &buffers,
        left_at: vec![None; buffers.len()],
        places: Places::default(),
        marked: parts.marked()?,
        stack: Vec::new(),
    };
    for (at, object) in transferred.iter().enumerate() {
        let place = writer.place(object, Node::Transferred(at));
        debug_assert_eq!(place, at);
    }
    let (root, attachments) = Attachments::of(|| writer.run(value))?;
    let Writer { mut message, left_at, .. } = writer;
    message.root = root;
    message.attachments = attachments;
    for (buffer, place) in buffers.into_iter().zip(left_at) {
        let taken = Block::take(buffer);
        if let Some(Node::Buffer { bytes, .. }) = place.and_then(|place| message.nodes.get_mut(place)) {
            *bytes = taken;
        }
    }
    message._charge = Some(state(ctx).charge(message.weight()));
    Ok(message)
}

/// The objects found so far, in the order of their nodes. Each is held, so that its address stays unique.
#[derive(Default)]
struct Places<'js> {
    met: Vec<Value<'js>>,
    /// Nodes by address, once there are too many objects for a linear search.
    by_address: HashMap<usize, usize>,
}

/// Up to this many objects, a linear search is faster than hashing.
const FEW: usize = 12;

impl<'js> Places<'js> {
    fn push(&mut self, object: Value<'js>) {
        self.met.push(object);
        let new = match self.met.len() {
            ..=FEW => self.met.len(),
            // The first insertion into the map: add all objects.
            length if length == FEW + 1 => 0,
            length => length - 1,
        };
        for (place, object) in self.met.iter().enumerate().skip(new) {
            self.by_address.insert(object_address(object.as_raw()), place);
        }
    }

    fn find(&self, object: &Value<'js>) -> Option<usize> {
        let address = object_address(object.as_raw());
        match self.met.len() {
            ..=FEW => self.met.iter().position(|other| object_address(other.as_raw()) == address),
            _ => self.by_address.get(&address).copied(),
        }
    }
}

/// A node whose children are being read.
struct Frame<'js> {
    place: usize,
    rest: Rest<'js>,
}

/// The children of a node that are still to be read.
enum Rest<'js> {
    /// Each property is read in its turn, because a getter may delete a later one.
    Properties { object: Value<'js>, keys: Keys<'js> },
    /// Values read already.
    Values(std::vec::IntoIter<Value<'js>>),
}

/// The property names of an object that are still to be read.
struct Keys<'js> {
    ctx: Ctx<'js>,
    /// The engine's list of all names.
    names: *mut qjs::JSPropertyEnum,
    count: u32,
    next: u32,
}

impl<'js> Keys<'js> {
    /// The enumerable own string keys.
    fn of(ctx: &Ctx<'js>, object: &Value<'js>) -> Result<Keys<'js>> {
        let mut keys = Keys { ctx: ctx.clone(), names: std::ptr::null_mut(), count: 0, next: 0 };
        let which = (qjs::JS_GPN_STRING_MASK | qjs::JS_GPN_ENUM_ONLY) as i32;
        let raw = ctx.as_raw().as_ptr();
        // SAFETY: the object is alive; we own the list and free it in `Drop`.
        match unsafe { qjs::JS_GetOwnPropertyNames(raw, &mut keys.names, &mut keys.count, object.as_raw(), which) } {
            0.. => Ok(keys),
            _ => Err(Error::Exception),
        }
    }

    /// The next name; the list keeps its reference.
    fn next(&mut self) -> Option<qjs::JSAtom> {
        if self.next == self.count {
            return None;
        }
        // SAFETY: `next` is below the number of names in the list.
        let name = unsafe { (*self.names.add(self.next as usize)).atom };
        self.next += 1;
        Some(name)
    }
}

impl Drop for Keys<'_> {
    fn drop(&mut self) {
        if !self.names.is_null() {
            // SAFETY: the list is freed once.
            unsafe { qjs::JS_FreePropertyEnum(self.ctx.as_raw().as_ptr(), self.names, self.count) };
        }
    }
}

struct Writer<'a, 'js> {
    ctx: &'a Ctx<'js>,
    parts: &'a Parts<'js>,
    classes: &'static Classes,
    /// `Object.prototype`, the prototype of plain objects.
    plain: Value<'js>,
    message: Message,
    /// The array buffers to transfer, and the node of each that was found.
    leaving: &'a [ArrayBuffer<'js>],
    left_at: Vec<Option<usize>>,
    /// The node of each object found. Holds the objects, so that their addresses stay unique.
    places: Places<'js>,
    /// Whether any object was marked as uncloneable or untransferable.
    marked: bool,
    stack: Vec<Frame<'js>>,
}

impl<'js> Writer<'_, 'js> {
    fn run(&mut self, value: Value<'js>) -> Result<Item> {
        let root = self.enter(value)?;
        while let Some(mut frame) = self.stack.pop() {
            let next = match &mut frame.rest {
                Rest::Values(values) => values.next().map(|value| (None, value)),
                Rest::Properties { object, keys } => match keys.next() {
                    None => None,
                    Some(name) => match property(object, name)? {
                        Some(value) => Some((Some(self.key(name)?), value)),
                        None => {
                            self.stack.push(frame);
                            continue;
                        }
                    },
                },
            };
            let Some((key, value)) = next else { continue };
            let place = frame.place;
            self.stack.push(frame);
            let item = self.enter(value)?;
            self.put(place, key, item);
        }
        Ok(root)
    }

    fn put(&mut self, place: usize, key: Option<Key>, item: Item) {
        match (&mut self.message.nodes[place], key) {
            (Node::Object(entries) | Node::Array { entries, .. }, Some(key)) => entries.push((key, item)),
            (Node::Map(items) | Node::Set(items) | Node::Made { parts: items, .. }, _) => items.push(item),
            (Node::Host { data, .. }, _) => *data = item,
            _ => {}
        }
    }

    fn place(&mut self, object: &Value<'js>, node: Node) -> usize {
        let place = self.message.nodes.len();
        self.message.nodes.push(node);
        self.places.push(object.clone());
        place
    }

    /// Serializes a value. If it has children, pushes them on the stack.
    fn enter(&mut self, value: Value<'js>) -> Result<Item> {
        use rquickjs::Type;
        match value.type_of() {
            Type::Undefined | Type::Uninitialized => Ok(Item::Undefined),
            Type::Null => Ok(Item::Null),
            Type::Bool => Ok(Item::Bool(value.as_bool() == Some(true))),
            Type::Int => Ok(Item::Int(value.as_int().unwrap_or_default())),
            Type::Float => Ok(Item::Float(value.as_float().unwrap_or_default())),
            Type::BigInt => {
                let digits = self.parts.call::<_, Vec<String>>("take", ("bigint", value))?;
                let digits = digits.first().map_or("", String::as_str);
                Ok(Item::BigInt(self.message.add_text(digits.as_bytes(), false)))
            }
            Type::String => Ok(Item::Text(self.text(value)?)),
            Type::Symbol => self.refuse(value),
            _ => self.enter_object(value),
        }
    }

    fn refuse(&self, value: Value<'js>) -> Result<Item> {
        self.parts.call::<_, ()>("refuse", (value,))?;
        Err(Error::Unknown)
    }

    fn enter_object(&mut self, value: Value<'js>) -> Result<Item> {
        if let Some(place) = self.places.find(&value) {
            return Ok(Item::Node(place));
        }
        if value.is_function() {
            return self.refuse(value);
        }
        if value.is_proxy() {
            let plain = self.parts.call::<_, Object<'js>>("plain", (value,))?;
            return self.with_keys(plain.into_value(), Node::Object(Vec::new()));
        }
        let Some(class) = self.classes.of(&value) else { return self.refuse(value) };
        if self.may_be_nodes(&value, class) {
            let host = self.parts.call::<_, Option<Array<'js>>>("host", (value.clone(),))?;
            if let Some(host) = host {
                let place = self.place(&value, Node::Host { class: host.get(0)?, data: Item::Undefined });
                self.stack.push(Frame { place, rest: Rest::Values(vec![host.get(1)?].into_iter()) });
                return Ok(Item::Node(place));
            }
        }
        let place = match class {
            Class::Object => return self.with_keys(value, Node::Object(Vec::new())),
            Class::Array => {
                // Up to 2³² - 1, which the engine does not represent as an integer.
                let length = value.as_object().map_or(Ok(0.0), |array| array.get::<_, f64>("length"))? as u32;
                return self.with_keys(value, Node::Array { length, entries: Vec::new() });
            }
            Class::Map => return self.with_values("map", value, Node::Map(Vec::new())),
            Class::Set => return self.with_values("set", value, Node::Set(Vec::new())),
            Class::Error => return self.made("error", value),
            Class::RegExp => return self.made("regexp", value),
            Class::Boxed => return self.made("boxed", value),
            Class::View => return self.view(value),
            Class::Date => {
                let time = self.parts.call::<_, Vec<f64>>("take", ("date", value.clone()))?;
                self.place(&value, Node::Date(time.first().copied().unwrap_or(f64::NAN)))
            }
            Class::Buffer | Class::Shared => self.buffer(value, class)?,
        };
        Ok(Item::Node(place))
    }

    /// Whether a value may belong to one of Node's cloneable classes; JavaScript then decides.
    fn may_be_nodes(&self, value: &Value<'js>, class: Class) -> bool {
        match class {
            Class::Object => {
                let parent = value.as_object().and_then(Object::get_prototype);
                self.marked || parent.is_some_and(|parent| *parent.as_value() != self.plain)
            }
            Class::Error => true,
            // As in V8, marks on other objects have no effect.
            _ => false,
        }
    }

    fn with_keys(&mut self, value: Value<'js>, node: Node) -> Result<Item> {
        let keys = Keys::of(self.ctx, &value)?;
        let place = self.place(&value, node);
        if let Node::Object(entries) | Node::Array { entries, .. } = &mut self.message.nodes[place] {
            entries.reserve_exact(keys.count as usize);
        }
        self.stack.push(Frame { place, rest: Rest::Properties { object: value, keys } });
        Ok(Item::Node(place))
    }

    fn with_values(&mut self, kind: &str, value: Value<'js>, node: Node) -> Result<Item> {
        let values = self.parts.call::<_, Vec<Value<'js>>>("take", (kind, value.clone()))?;
        let place = self.place(&value, node);
        self.stack.push(Frame { place, rest: Rest::Values(values.into_iter()) });
        Ok(Item::Node(place))
    }

    fn made(&mut self, kind: &str, value: Value<'js>) -> Result<Item> {
        self.with_values(kind, value, Node::Made { kind: kind.to_owned(), parts: Vec::new() })
    }

    /// A view. Its buffer is serialized first, because deserializing creates the view on it.
    fn view(&mut self, value: Value<'js>) -> Result<Item> {
        let parts = self.parts.call::<_, Vec<Value<'js>>>("take", ("view", value.clone()))?;
        let mut items = Vec::with_capacity(parts.len());
        for part in parts {
            items.push(self.enter(part)?);
        }
        let place = self.place(&value, Node::Made { kind: "view".to_owned(), parts: items });
        Ok(Item::Node(place))
    }

    fn buffer(&mut self, value: Value<'js>, class: Class) -> Result<usize> {
        // `[detached, maxByteLength of a resizable one]`
        let about = self.parts.call::<_, Array<'js>>("take", ("buffer", value.clone()))?;
        let max_bytes = about.get::<Option<f64>>(1)?.map(|max| max as usize);
        if class == Class::Shared {
            return match SharedBytes::of(&value, max_bytes.unwrap_or(0)) {
                Some(bytes) => Ok(self.place(&value, Node::Shared(bytes))),
                None => self.refuse(value).map(|_| 0),
            };
        }
        if let Some(at) =
            self.leaving.iter().position(|buffer| is_same_object(buffer.as_value().as_raw(), value.as_raw()))
        {
            // The bytes are moved last, when nothing can fail any more.
            let place = self.place(&value, Node::Buffer { bytes: Block::default(), max_bytes });
            self.left_at[at] = Some(place);
            return Ok(place);
        }
        // SAFETY: the bytes are copied before any other code runs.
        let bytes = ArrayBuffer::from_value(value.clone())
            .and_then(|buffer| unsafe { buffer.as_bytes() }.map(Block::copy_of))
            .unwrap_or_default();
        Ok(self.place(&value, Node::Buffer { bytes, max_bytes }))
    }

    fn key(&mut self, name: qjs::JSAtom) -> Result<Key> {
        // SAFETY: the atom is alive, as its list is; the new reference goes to the value.
        let value = unsafe {
            let raw = qjs::JS_AtomToValue(self.ctx.as_raw().as_ptr(), name);
            Value::from_raw(self.ctx.clone(), raw)
        };
        match value.as_number() {
            Some(index) => Ok(Key::Index(index as u32)),
            None => Ok(Key::Text(self.text(value)?)),
        }
    }

    /// A string as data.
    fn text(&mut self, value: Value<'js>) -> Result<Text> {
        let text = bytes::Text::from_js(self.ctx, value.clone())?;
        if std::str::from_utf8(text.as_wtf8()).is_ok() {
            return Ok(self.message.add_text(text.as_wtf8(), false));
        }
        let units = Units::from_js(self.ctx, value)?;
        let bytes: Vec<u8> = units.as_slice().iter().flat_map(|unit| unit.to_le_bytes()).collect();
        Ok(self.message.add_text(&bytes, true))
    }
}

/// The value of a property; `None` if it was deleted meanwhile.
fn property<'js>(object: &Value<'js>, name: qjs::JSAtom) -> Result<Option<Value<'js>>> {
    let ctx = object.ctx();
    let raw = ctx.as_raw().as_ptr();
    // SAFETY: object and name are alive; the new reference goes to the value.
    unsafe {
        let value = qjs::JS_GetProperty(raw, object.as_raw(), name);
        if qjs::JS_IsException(value) {
            return Err(Error::Exception);
        }
        let is_there = match qjs::JS_IsUndefined(value) {
            true => qjs::JS_HasProperty(raw, object.as_raw(), name),
            false => 1,
        };
        match is_there {
            0 => Ok(None),
            1.. => Ok(Some(Value::from_raw(ctx.clone(), value))),
            _ => Err(Error::Exception),
        }
    }
}

/// The class of an object, as far as structured clone distinguishes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Object,
    Array,
    Error,
    Date,
    RegExp,
    Map,
    Set,
    Buffer,
    Shared,
    Boxed,
    View,
}

/// Cloneable classes by the engine's class ids.
struct Classes(Vec<Option<Class>>);

/// An upper bound of the ids of the engine's builtin classes, which come first.
const MOST_CLASSES: u32 = 96;

impl Classes {
    /// Maps class ids by name, because the engine does not export its ids. Names and ids are the same for every runtime
    /// of a process.
    fn get(ctx: &Ctx<'_>) -> &'static Classes {
        static CLASSES: OnceLock<Classes> = OnceLock::new();
        CLASSES.get_or_init(|| Classes((0..MOST_CLASSES).map(|id| class_of(&class_name(ctx, id)?)).collect()))
    }

    fn of(&self, value: &Value<'_>) -> Option<Class> {
        self.0.get(class_id(value) as usize).copied().flatten()
    }
}

fn class_of(name: &str) -> Option<Class> {
    Some(match name {
        "Object" => Class::Object,
        "Array" => Class::Array,
        "Error" => Class::Error,
        "Date" => Class::Date,
        "RegExp" => Class::RegExp,
        "Map" => Class::Map,
        "Set" => Class::Set,
        "ArrayBuffer" => Class::Buffer,
        "SharedArrayBuffer" => Class::Shared,
        "Number" | "String" | "Boolean" | "BigInt" => Class::Boxed,
        "DataView" | "Int8Array" | "Uint8Array" | "Uint8ClampedArray" | "Int16Array" | "Uint16Array" | "Int32Array"
        | "Uint32Array" | "Float16Array" | "Float32Array" | "Float64Array" | "BigInt64Array" | "BigUint64Array" => {
            Class::View
        }
        _ => return None,
    })
}

fn class_name(ctx: &Ctx<'_>, id: u32) -> Option<String> {
    // SAFETY: an unknown id has no name; the atom is ours and is freed.
    unsafe {
        let raw = ctx.as_raw().as_ptr();
        let atom = qjs::JS_GetClassName(qjs::JS_GetRuntime(raw), id);
        if atom == qjs::JS_ATOM_NULL {
            return None;
        }
        let name = Value::from_raw(ctx.clone(), qjs::JS_AtomToString(raw, atom));
        qjs::JS_FreeAtom(raw, atom);
        name.as_string()?.to_string().ok()
    }
}

/// The class id of an object; 0 for a primitive.
fn class_id(value: &Value<'_>) -> u32 {
    // SAFETY: a lookup on a live value.
    unsafe { qjs::JS_GetClassID(value.as_raw()) }
}

/// The original `Object.prototype`.
fn object_prototype<'js>(ctx: &Ctx<'js>) -> Value<'js> {
    const CLASS_OBJECT: u32 = 1;
    // SAFETY: the class with id 1 is that of plain objects; the result is owned by the Value.
    unsafe { Value::from_raw(ctx.clone(), qjs::JS_GetClassProto(ctx.as_raw().as_ptr(), CLASS_OBJECT)) }
}
