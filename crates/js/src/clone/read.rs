//! Data as a value.
//!
//! Every object is made before any is filled, since each may hold each other.

use rquickjs::object::Property;
use rquickjs::{Array, ArrayBuffer, Atom, BigInt, Ctx, FromJs, Object, Result, Value};

use super::{Item, Key, Message, Node, Parts, Text};
use crate::bytes::{string_from_str, string_from_utf16};

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
                (self.parts.call("make", ("resizable", vec![bytes.into_value(), max]))?, None)
            }
            Node::Shared(bytes) => (bytes.to_buffer(self.ctx)?, None),
            Node::Transferred(at) => {
                (self.transferred.get(at).cloned().unwrap_or_else(|| Value::new_undefined(ctx)), None)
            }
            Node::Host { ref class, .. } => (self.parts.call("make", ("host", vec![class.as_str()]))?, Some(node)),
        })
    }

    fn make(&self, kind: &str, parts: &[Item]) -> Result<Value<'js>> {
        let values = parts.iter().map(|item| self.value(item.clone())).collect::<Result<Vec<_>>>()?;
        self.parts.call("make", (kind, values))
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
                return self.parts.call("fill", ("host", object.clone(), values));
            }
            _ => return Ok(()),
        };
        let values = items.into_iter().map(|item| self.value(item)).collect::<Result<Vec<_>>>()?;
        self.parts.call("fill", (kind, object.clone(), values))
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
                Err(_) => self.parts.call("make", ("bigint", vec![digits]))?,
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
