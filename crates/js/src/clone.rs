//! Structured clone: a value of JavaScript as plain Rust data, and back.
//!
//! The data has no tie to an engine, so it may wait in a queue or go to another thread. What only JavaScript can do
//! without being fooled by user code (the parts of a date, a map, a view …) is asked of [`Parts`], functions that hold
//! the engine's own methods from before any user code ran. Ports and which error is thrown are not decided here.
//!
//! The walk keeps its own stack: a deep value is no danger to the thread's. Nothing is detached before the whole value
//! has been taken, so a refused value leaves everything as it was.
//!
//! # Safety
//! Reads the class of live values, and copies the bytes of buffers before anything else runs.
#![allow(unsafe_code)]

use std::collections::HashMap;
use std::sync::OnceLock;

use rquickjs::object::{Filter, Property};
use rquickjs::{Array, ArrayBuffer, Atom, BigInt, Ctx, Error, FromJs, Function, Object, Result, Value, qjs};

use crate::bytes::{string_from_str, string_from_utf16};
use crate::shared::SharedBytes;

/// A cloned value: nodes that name each other by their place.
#[derive(Debug, Clone)]
pub struct Message {
    root: Item,
    nodes: Vec<Node>,
}

/// A value inside of a message.
#[derive(Debug, Clone)]
enum Item {
    Undefined,
    Null,
    Bool(bool),
    Int(i32),
    Float(f64),
    BigInt(String),
    Text(Text),
    /// The node at this place.
    Node(usize),
}

/// A string of JavaScript. Most are Unicode; one with half of a pair is kept in code units.
#[derive(Debug, Clone)]
enum Text {
    Utf8(String),
    Utf16(Vec<u16>),
}

/// The key of a property.
#[derive(Debug, Clone)]
enum Key {
    Index(u32),
    Text(Text),
}

/// An object inside of a message.
#[derive(Debug, Clone)]
enum Node {
    Object(Vec<(Key, Item)>),
    Array {
        length: u32,
        entries: Vec<(Key, Item)>,
    },
    /// Keys and values by turns.
    Map(Vec<Item>),
    Set(Vec<Item>),
    Date(f64),
    /// Made again out of its parts by `Parts::make`: regular expressions, boxed primitives, errors, views.
    Made {
        kind: String,
        parts: Vec<Item>,
    },
    Buffer {
        bytes: Vec<u8>,
        max_bytes: Option<usize>,
    },
    /// The memory itself is shared.
    Shared(SharedBytes),
    /// The thing at this place of the list of what is transferred beside the message.
    Transferred(usize),
    /// An object of one of Node's classes, filled from the data it gave.
    Host {
        class: String,
        data: Item,
    },
}

/// What JavaScript does for the clone: functions made before any user code ran.
pub struct Parts<'js> {
    /// `(value)`: throws the DataCloneError for a value that cannot be cloned.
    refuse: Function<'js>,
    /// `(kind, value)`: the parts of a value of that kind, as an array.
    take: Function<'js>,
    /// `(kind, parts)`: a value of that kind out of its parts; for maps and sets the empty one.
    make: Function<'js>,
    /// `(kind, value, items)`: puts items into a map, a set or an object of Node's.
    fill: Function<'js>,
    /// `(value)`: `[class, data]` of an object of one of Node's classes that can be cloned, else undefined.
    host: Function<'js>,
    /// Whether any object was ever marked as one that cannot be cloned: then each is asked about.
    marked: bool,
}

impl<'js> Parts<'js> {
    /// Takes the functions out of the object that JavaScript handed in.
    pub fn of(object: &Object<'js>) -> Result<Parts<'js>> {
        Ok(Parts {
            refuse: object.get("refuse")?,
            take: object.get("take")?,
            make: object.get("make")?,
            fill: object.get("fill")?,
            host: object.get("host")?,
            marked: object.get("marked")?,
        })
    }
}

/// What an object is to the clone.
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

/// The classes that can be cloned, by the engine's numbers.
struct Classes(Vec<Option<Class>>);

/// The engine's own classes come first; there are fewer than this.
const MOST_CLASSES: u32 = 96;

impl Classes {
    /// The engine gives its classes no public numbers, but names. Both are the same for every runtime of a process.
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
    // SAFETY: an unknown number has no name; the atom is ours and given up.
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

/// The engine's number of the class of an object; 0 for a primitive.
fn class_id(value: &Value<'_>) -> u32 {
    // SAFETY: a lookup on a live value.
    unsafe { qjs::JS_GetClassID(value.as_raw()) }
}

/// `Object.prototype` as it was made.
fn object_prototype<'js>(ctx: &Ctx<'js>) -> Value<'js> {
    const CLASS_OBJECT: u32 = 1;
    // SAFETY: the first class is that of plain objects; the result is owned by the Value.
    unsafe { Value::from_raw(ctx.clone(), qjs::JS_GetClassProto(ctx.as_raw().as_ptr(), CLASS_OBJECT)) }
}

/// Turns a value into data. `transferred` are the objects that go along beside it (ports), `buffers` those whose bytes
/// leave; they are detached at the end, when nothing can fail any more.
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
        nodes: Vec::new(),
        places: HashMap::new(),
        stack: Vec::new(),
    };
    for (at, object) in transferred.iter().enumerate() {
        let place = writer.place(object, Node::Transferred(at));
        debug_assert_eq!(place, at);
    }
    let root = writer.run(value)?;
    let nodes = writer.nodes;
    for mut buffer in buffers {
        buffer.detach();
    }
    Ok(Message { root, nodes })
}

/// A node whose children are being taken.
struct Frame<'js> {
    place: usize,
    rest: Rest<'js>,
}

/// The children that a node still waits for.
enum Rest<'js> {
    /// Properties: each is read when its turn comes, for a getter may remove the next.
    Properties { object: Object<'js>, keys: std::vec::IntoIter<Atom<'js>> },
    /// Values at hand.
    Values(std::vec::IntoIter<Value<'js>>),
}

struct Writer<'a, 'js> {
    ctx: &'a Ctx<'js>,
    parts: &'a Parts<'js>,
    classes: &'static Classes,
    /// `Object.prototype`: what plain objects have.
    plain: Value<'js>,
    nodes: Vec<Node>,
    /// Where each object is that was met. This keeps them alive, so that none takes another's address.
    places: HashMap<Value<'js>, usize>,
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
                    Some(key) => {
                        if !object.contains_key(key.clone())? {
                            self.stack.push(frame);
                            continue;
                        }
                        let value = object.get::<_, Value<'js>>(key.clone())?;
                        Some((Some(self.key(&key)?), value))
                    }
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
        match (&mut self.nodes[place], key) {
            (Node::Object(entries) | Node::Array { entries, .. }, Some(key)) => entries.push((key, item)),
            (Node::Map(items) | Node::Set(items) | Node::Made { parts: items, .. }, _) => items.push(item),
            (Node::Host { data, .. }, _) => *data = item,
            _ => {}
        }
    }

    fn place(&mut self, object: &Value<'js>, node: Node) -> usize {
        let place = self.nodes.len();
        self.nodes.push(node);
        self.places.insert(object.clone(), place);
        place
    }

    /// Takes a value; if it has children they are on the stack afterwards.
    fn enter(&mut self, value: Value<'js>) -> Result<Item> {
        use rquickjs::Type;
        match value.type_of() {
            Type::Undefined | Type::Uninitialized => Ok(Item::Undefined),
            Type::Null => Ok(Item::Null),
            Type::Bool => Ok(Item::Bool(value.as_bool() == Some(true))),
            Type::Int => Ok(Item::Int(value.as_int().unwrap_or_default())),
            Type::Float => Ok(Item::Float(value.as_float().unwrap_or_default())),
            Type::BigInt => {
                let digits = self.parts.take.call::<_, Vec<String>>(("bigint", value))?;
                Ok(Item::BigInt(digits.into_iter().next().unwrap_or_default()))
            }
            Type::String => Ok(Item::Text(text_of(self.ctx, value)?)),
            Type::Symbol => self.refuse(value),
            _ => self.enter_object(value),
        }
    }

    fn refuse(&self, value: Value<'js>) -> Result<Item> {
        self.parts.refuse.call::<_, ()>((value,))?;
        Err(Error::Unknown)
    }

    fn enter_object(&mut self, value: Value<'js>) -> Result<Item> {
        if let Some(place) = self.places.get(&value) {
            return Ok(Item::Node(*place));
        }
        if value.is_proxy() || value.is_function() {
            return self.refuse(value);
        }
        let Some(class) = self.classes.of(&value) else { return self.refuse(value) };
        if self.may_be_nodes(&value, class) {
            let host = self.parts.host.call::<_, Option<Array<'js>>>((value.clone(),))?;
            if let Some(host) = host {
                let place = self.place(&value, Node::Host { class: host.get(0)?, data: Item::Undefined });
                self.stack.push(Frame { place, rest: Rest::Values(vec![host.get(1)?].into_iter()) });
                return Ok(Item::Node(place));
            }
        }
        let place = match class {
            Class::Object => return self.with_keys(value, Node::Object(Vec::new())),
            Class::Array => {
                // Up to 2³² - 1, which is not an integer to the engine.
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
                let time = self.parts.take.call::<_, Vec<f64>>(("date", value.clone()))?;
                self.place(&value, Node::Date(time.first().copied().unwrap_or(f64::NAN)))
            }
            Class::Buffer | Class::Shared => self.buffer(value, class)?,
        };
        Ok(Item::Node(place))
    }

    /// Whether a value may be of one of Node's classes, which JavaScript knows.
    fn may_be_nodes(&self, value: &Value<'js>, class: Class) -> bool {
        match class {
            Class::Object => {
                let parent = value.as_object().and_then(Object::get_prototype);
                self.parts.marked || parent.is_some_and(|parent| *parent.as_value() != self.plain)
            }
            Class::Error => true,
            _ => self.parts.marked,
        }
    }

    fn with_keys(&mut self, value: Value<'js>, node: Node) -> Result<Item> {
        let object = Object::from_js(self.ctx, value.clone())?;
        let keys: Vec<Atom<'js>> = object.own_keys(Filter::new().string().enum_only()).collect::<Result<_>>()?;
        let place = self.place(&value, node);
        self.stack.push(Frame { place, rest: Rest::Properties { object, keys: keys.into_iter() } });
        Ok(Item::Node(place))
    }

    fn with_values(&mut self, kind: &str, value: Value<'js>, node: Node) -> Result<Item> {
        let values = self.parts.take.call::<_, Vec<Value<'js>>>((kind, value.clone()))?;
        let place = self.place(&value, node);
        self.stack.push(Frame { place, rest: Rest::Values(values.into_iter()) });
        Ok(Item::Node(place))
    }

    fn made(&mut self, kind: &str, value: Value<'js>) -> Result<Item> {
        self.with_values(kind, value, Node::Made { kind: kind.to_owned(), parts: Vec::new() })
    }

    /// A view: its buffer is taken first, so that it is there when the view is made again.
    fn view(&mut self, value: Value<'js>) -> Result<Item> {
        let parts = self.parts.take.call::<_, Vec<Value<'js>>>(("view", value.clone()))?;
        let mut items = Vec::with_capacity(parts.len());
        for part in parts {
            items.push(self.enter(part)?);
        }
        let place = self.place(&value, Node::Made { kind: "view".to_owned(), parts: items });
        Ok(Item::Node(place))
    }

    fn buffer(&mut self, value: Value<'js>, class: Class) -> Result<usize> {
        // `[detached, maxByteLength of a resizable one]`
        let about = self.parts.take.call::<_, Array<'js>>(("buffer", value.clone()))?;
        let max_bytes = about.get::<Option<f64>>(1)?.map(|max| max as usize);
        if class == Class::Shared {
            return match SharedBytes::of(&value, max_bytes.unwrap_or(0)) {
                Some(bytes) => Ok(self.place(&value, Node::Shared(bytes))),
                None => self.refuse(value).map(|_| 0),
            };
        }
        // SAFETY: the bytes are copied before anything else runs.
        let bytes = ArrayBuffer::from_value(value.clone())
            .and_then(|buffer| unsafe { buffer.as_bytes() }.map(<[u8]>::to_vec))
            .unwrap_or_default();
        let node = Node::Buffer { bytes, max_bytes };
        Ok(self.place(&value, node))
    }

    fn key(&self, key: &Atom<'js>) -> Result<Key> {
        let value = key.to_value()?;
        if let Some(index) = value.as_number() {
            return Ok(Key::Index(index as u32));
        }
        Ok(Key::Text(text_of(self.ctx, value)?))
    }
}

/// Turns data into a value. `transferred` are the objects that came along.
pub fn deserialize<'js>(
    ctx: &Ctx<'js>,
    parts: &Parts<'js>,
    message: Message,
    transferred: &[Value<'js>],
) -> Result<Value<'js>> {
    let mut reader = Reader { ctx, parts, transferred, objects: Vec::with_capacity(message.nodes.len()) };
    let mut later = Vec::new();
    for node in message.nodes {
        let (object, rest) = reader.open(node)?;
        if let Some(rest) = rest {
            later.push((reader.objects.len(), rest));
        }
        reader.objects.push(object);
    }
    // Objects of Node's classes look at their data when they are filled: they come last.
    let (hosts, others): (Vec<_>, Vec<_>) = later.into_iter().partition(|(_, rest)| matches!(rest, Node::Host { .. }));
    for (place, node) in others.into_iter().chain(hosts) {
        reader.fill(place, node)?;
    }
    reader.value(message.root)
}

struct Reader<'a, 'js> {
    ctx: &'a Ctx<'js>,
    parts: &'a Parts<'js>,
    transferred: &'a [Value<'js>],
    objects: Vec<Value<'js>>,
}

impl<'js> Reader<'_, 'js> {
    /// Makes the object of a node, empty if it can have a cycle through it; then what is left of the node comes back.
    fn open(&mut self, node: Node) -> Result<(Value<'js>, Option<Node>)> {
        let ctx = self.ctx.clone();
        Ok(match node {
            Node::Object(_) => (Object::new(ctx)?.into_value(), Some(node)),
            Node::Array { length, .. } => {
                let array = Array::new(ctx)?;
                if length > 0 {
                    array.as_object().set("length", length)?;
                }
                (array.into_value(), Some(node))
            }
            Node::Map(_) => (self.make("map", &[])?, Some(node)),
            Node::Set(_) => (self.make("set", &[])?, Some(node)),
            Node::Date(time) => (self.make("date", &[Item::Float(time)])?, None),
            Node::Made { ref kind, ref parts } if kind == "error" => {
                // The cause, which comes last, may be the error itself: it is put in later.
                (self.make(kind, &parts[..parts.len().min(3)])?, (parts.len() > 3).then_some(node))
            }
            Node::Made { kind, parts } => (self.make(&kind, &parts)?, None),
            Node::Buffer { bytes, max_bytes: None } => (ArrayBuffer::new(ctx, bytes)?.into_value(), None),
            Node::Buffer { bytes, max_bytes: Some(max) } => {
                let bytes = ArrayBuffer::new(ctx, bytes)?;
                let max = Value::new_float(self.ctx.clone(), max as f64);
                (self.parts.make.call(("resizable", vec![bytes.into_value(), max]))?, None)
            }
            Node::Shared(bytes) => (bytes.to_buffer(self.ctx)?, None),
            Node::Transferred(at) => {
                (self.transferred.get(at).cloned().unwrap_or_else(|| Value::new_undefined(ctx)), None)
            }
            Node::Host { ref class, .. } => (self.parts.make.call(("host", vec![class.as_str()]))?, Some(node)),
        })
    }

    fn make(&self, kind: &str, parts: &[Item]) -> Result<Value<'js>> {
        let values = parts.iter().map(|item| self.value(item.clone())).collect::<Result<Vec<_>>>()?;
        self.parts.make.call((kind, values))
    }

    fn fill(&self, place: usize, node: Node) -> Result<()> {
        let object = &self.objects[place];
        let (kind, items) = match node {
            Node::Object(entries) | Node::Array { entries, .. } => return self.properties(object, entries),
            Node::Map(items) => ("map", items),
            Node::Set(items) => ("set", items),
            Node::Made { parts, .. } => ("cause", parts.into_iter().skip(3).collect()),
            Node::Host { class, data } => {
                let class = string_from_str(self.ctx, &class)?;
                let values = vec![class, self.value(data)?];
                return self.parts.fill.call(("host", object.clone(), values));
            }
            _ => return Ok(()),
        };
        let values = items.into_iter().map(|item| self.value(item)).collect::<Result<Vec<_>>>()?;
        self.parts.fill.call((kind, object.clone(), values))
    }

    fn properties(&self, object: &Value<'js>, entries: Vec<(Key, Item)>) -> Result<()> {
        let object = Object::from_js(self.ctx, object.clone())?;
        for (key, item) in entries {
            let key = match key {
                Key::Index(index) => Atom::from_u32(self.ctx.clone(), index)?,
                Key::Text(text) => Atom::from_value(self.ctx.clone(), &self.text(text)?)?,
            };
            // Defined, not set: a property may be called `__proto__`.
            object.prop(key, Property::from(self.value(item)?).writable().enumerable().configurable())?;
        }
        Ok(())
    }

    fn value(&self, item: Item) -> Result<Value<'js>> {
        let ctx = self.ctx.clone();
        Ok(match item {
            Item::Undefined => Value::new_undefined(ctx),
            Item::Null => Value::new_null(ctx),
            Item::Bool(value) => Value::new_bool(ctx, value),
            Item::Int(value) => Value::new_int(ctx, value),
            Item::Float(value) => Value::new_float(ctx, value),
            Item::BigInt(digits) => match digits.parse::<i64>() {
                Ok(small) => BigInt::from_i64(ctx, small)?.into_value(),
                Err(_) => self.parts.make.call(("bigint", vec![digits]))?,
            },
            Item::Text(text) => self.text(text)?,
            Item::Node(place) => self.objects[place].clone(),
        })
    }

    fn text(&self, text: Text) -> Result<Value<'js>> {
        match text {
            Text::Utf8(text) => string_from_str(self.ctx, &text),
            Text::Utf16(units) => string_from_utf16(self.ctx, &units),
        }
    }
}

/// A string as data.
fn text_of<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Text> {
    let text = crate::bytes::Text::from_js(ctx, value)?;
    Ok(match std::str::from_utf8(text.as_wtf8()) {
        Ok(text) => Text::Utf8(text.to_owned()),
        Err(_) => Text::Utf16(code_units(text.as_wtf8())),
    })
}

/// Code units out of UTF-8 in which halves of pairs are written like any other code point.
fn code_units(bytes: &[u8]) -> Vec<u16> {
    let mut units = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let first = bytes[at];
        let (size, start) = match first {
            0..=0x7f => (1, u32::from(first)),
            0x80..=0xdf => (2, u32::from(first & 0x1f)),
            0xe0..=0xef => (3, u32::from(first & 0x0f)),
            _ => (4, u32::from(first & 0x07)),
        };
        let end = (at + size).min(bytes.len());
        let point = bytes[at + 1..end].iter().fold(start, |point, byte| point << 6 | u32::from(byte & 0x3f));
        match char::from_u32(point) {
            Some(scalar) => units.extend_from_slice(scalar.encode_utf16(&mut [0; 2])),
            None => units.push(point as u16),
        }
        at = end;
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_pairs_survive() {
        assert_eq!(code_units("aé€😀".as_bytes()), "aé€😀".encode_utf16().collect::<Vec<_>>());
        assert_eq!(code_units(&[0xed, 0xa0, 0x80, b'x']), [0xd800, u16::from(b'x')]);
    }

    #[test]
    fn messages_may_travel() {
        fn is_send<T: Send>() {}
        is_send::<Message>();
    }
}
