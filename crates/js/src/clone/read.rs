//! Deserializes a message to a JavaScript value.
//!
//! Every object is created before any is filled, because objects may refer to each other in cycles.
//!
//! # Safety
//! Each new reference goes to a value of rquickjs or to the engine.
#![allow(unsafe_code)]

use rquickjs::{Array, BigInt, Ctx, Error, Object, Result, Value, qjs};

use super::{Item, Key, Message, Node, Parts, Text};
use crate::bytes::{string_from_str, string_from_utf16};
use crate::raw;

/// Deserializes a message. `transferred` are the objects that were transferred with it.
pub fn deserialize<'js>(
    ctx: &Ctx<'js>,
    parts: &Parts<'js>,
    message: Message,
    transferred: &[Value<'js>],
) -> Result<Value<'js>> {
    let Message { root, mut nodes, texts, mut attachments, .. } = message;
    let mut reader = Reader { ctx, parts, transferred, texts: &texts, objects: Vec::with_capacity(nodes.len()) };
    let mut has_hosts = false;
    for node in &mut nodes {
        has_hosts |= matches!(node, Node::Host { .. });
        let object = reader.open(node)?;
        reader.objects.push(object);
    }
    for (node, object) in nodes.iter().zip(&reader.objects) {
        reader.fill(object, node)?;
    }
    // Objects of Node's classes read their data when they are filled, so they come last. By then the attached resources
    // have their new owner.
    attachments.arrive();
    if has_hosts {
        for (node, object) in nodes.iter().zip(&reader.objects) {
            reader.fill_host(object, node)?;
        }
    }
    reader.value(root)
}

struct Reader<'a, 'js> {
    ctx: &'a Ctx<'js>,
    parts: &'a Parts<'js>,
    transferred: &'a [Value<'js>],
    texts: &'a [u8],
    objects: Vec<Value<'js>>,
}

impl<'js> Reader<'_, 'js> {
    /// Creates the object of a node; an empty one if it may be part of a cycle.
    fn open(&self, node: &mut Node) -> Result<Value<'js>> {
        let ctx = self.ctx;
        match node {
            Node::Object(_) => Ok(Object::new(ctx.clone())?.into_value()),
            Node::Array { .. } => Ok(Array::new(ctx.clone())?.into_value()),
            Node::Map(_) => self.make("map", &[]),
            Node::Set(_) => self.make("set", &[]),
            Node::Date(time) => self.make("date", &[Item::Float(*time)]),
            // Leave out the cause, which comes last: it may be the error itself. It is set later.
            Node::Made { kind, parts } if kind == "error" => self.make(kind, &parts[..parts.len().min(3)]),
            Node::Made { kind, parts } => self.make(kind, parts),
            // A resizable buffer with `maxByteLength` 0.
            Node::Buffer { max_bytes: Some(0), bytes } => {
                let bytes = std::mem::take(bytes).into_buffer(ctx, 0)?;
                self.parts.call("make", ("resizable", vec![bytes, Value::new_int(ctx.clone(), 0)]))
            }
            Node::Buffer { bytes, max_bytes } => std::mem::take(bytes).into_buffer(ctx, max_bytes.unwrap_or(0)),
            Node::Shared(bytes) => bytes.to_buffer(ctx),
            Node::Transferred(at) => {
                Ok(self.transferred.get(*at).cloned().unwrap_or_else(|| Value::new_undefined(ctx.clone())))
            }
            Node::Host { class, .. } => self.parts.call("make", ("host", vec![class.as_str()])),
        }
    }

    fn make(&self, kind: &str, parts: &[Item]) -> Result<Value<'js>> {
        self.parts.call("make", (kind, self.values(parts)?))
    }

    fn values(&self, items: &[Item]) -> Result<Vec<Value<'js>>> {
        items.iter().map(|item| self.value(*item)).collect()
    }

    fn fill(&self, object: &Value<'js>, node: &Node) -> Result<()> {
        let (kind, items) = match node {
            Node::Object(entries) => return self.properties(object, entries),
            Node::Array { length, entries } => {
                self.properties(object, entries)?;
                let is_whole =
                    matches!(entries.last(), Some((Key::Index(last), _)) if last.checked_add(1) == Some(*length));
                return match object.as_object() {
                    Some(array) if !is_whole && *length > 0 => array.set("length", *length),
                    _ => Ok(()),
                };
            }
            Node::Map(items) => ("map", &items[..]),
            Node::Set(items) => ("set", &items[..]),
            Node::Made { kind, parts } if kind == "error" && parts.len() > 3 => ("cause", &parts[3..]),
            _ => return Ok(()),
        };
        self.parts.call("fill", (kind, object.clone(), self.values(items)?))
    }

    fn fill_host(&self, object: &Value<'js>, node: &Node) -> Result<()> {
        let Node::Host { class, data } = node else { return Ok(()) };
        let values = vec![string_from_str(self.ctx, class)?, self.value(*data)?];
        self.parts.call("fill", ("host", object.clone(), values))
    }

    fn properties(&self, object: &Value<'js>, entries: &[(Key, Item)]) -> Result<()> {
        let ctx = self.ctx.as_raw().as_ptr();
        let flags = (qjs::JS_PROP_C_W_E | qjs::JS_PROP_THROW) as i32;
        for (key, item) in entries {
            let value = self.value(*item)?;
            let name = self.name(*key)?;
            // SAFETY: the property name is freed; the engine takes another reference to the value.
            unsafe {
                let value = raw::dup(ctx, value.as_raw());
                // Define, do not set: a property may be named `__proto__`.
                let defined = qjs::JS_DefinePropertyValue(ctx, object.as_raw(), name, value, flags);
                qjs::JS_FreeAtom(ctx, name);
                if defined < 0 {
                    return Err(Error::Exception);
                }
            }
        }
        Ok(())
    }

    /// The atom of a property key, with a reference.
    fn name(&self, key: Key) -> Result<qjs::JSAtom> {
        let ctx = self.ctx.as_raw().as_ptr();
        // SAFETY: the engine copies the bytes; the value is alive.
        let name = unsafe {
            match key {
                Key::Index(index) => qjs::JS_NewAtomUInt32(ctx, index),
                Key::Text(text) if text.is_wide => qjs::JS_ValueToAtom(ctx, self.text(text)?.as_raw()),
                Key::Text(text) => {
                    let bytes = text.bytes(self.texts);
                    qjs::JS_NewAtomLen(ctx, bytes.as_ptr().cast(), bytes.len() as _)
                }
            }
        };
        if name == qjs::JS_ATOM_NULL { Err(Error::Exception) } else { Ok(name) }
    }

    fn value(&self, item: Item) -> Result<Value<'js>> {
        let ctx = self.ctx.clone();
        Ok(match item {
            Item::Undefined => Value::new_undefined(ctx),
            Item::Null => Value::new_null(ctx),
            Item::Bool(value) => Value::new_bool(ctx, value),
            Item::Int(value) => Value::new_int(ctx, value),
            Item::Float(value) => Value::new_float(ctx, value),
            Item::BigInt(digits) => {
                let digits = String::from_utf8_lossy(digits.bytes(self.texts));
                match digits.parse::<i64>() {
                    Ok(small) => BigInt::from_i64(ctx, small)?.into_value(),
                    Err(_) => self.parts.call("make", ("bigint", vec![digits.into_owned()]))?,
                }
            }
            Item::Text(text) => self.text(text)?,
            Item::Node(place) => self.objects[place].clone(),
        })
    }

    fn text(&self, text: Text) -> Result<Value<'js>> {
        let bytes = text.bytes(self.texts);
        if text.is_wide {
            let units: Vec<u16> = bytes.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect();
            return string_from_utf16(self.ctx, &units);
        }
        // SAFETY: the engine copies the bytes, which are UTF-8; the new reference goes to the value.
        unsafe {
            let string = qjs::JS_NewStringLen(self.ctx.as_raw().as_ptr(), bytes.as_ptr().cast(), bytes.len() as _);
            if qjs::JS_IsException(string) {
                return Err(Error::Exception);
            }
            Ok(Value::from_raw(self.ctx.clone(), string))
        }
    }
}
