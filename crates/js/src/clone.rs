//! Structured clone: a JavaScript value as plain Rust data, and back.
//!
//! The data is independent of any engine, so it may wait in a queue or move to another thread. Steps that need
//! JavaScript (the parts of a Date, Map, typed array …) go through [`Parts`]: functions that hold the original builtin
//! methods, so that user code cannot replace them. Transferring ports and choosing error classes is not done here.
//!
//! This file has the data types. `write` serializes a value, `read` deserializes it, `wire` encodes a message as bytes,
//! `attachments` keeps native resources that accompany a message.

mod attachments;
mod read;
mod wire;
mod write;

use rquickjs::function::IntoArgs;
use rquickjs::{FromJs, Function, Object, Result};

use self::attachments::Attachments;
pub use self::attachments::{if_lost, keep_along};
pub use self::read::deserialize;
pub use self::write::serialize;
use crate::memory::blocks::Block;
use crate::message_quota::Charge;
use crate::shared::SharedBytes;

/// A serialized value: nodes that refer to each other by index.
#[derive(Debug, Clone, Default)]
pub struct Message {
    root: Item,
    nodes: Vec<Node>,
    /// The bytes of all strings.
    texts: Vec<u8>,
    /// The bytes charged to the sending thread until the message is dropped.
    _charge: Option<Charge>,
    attachments: Attachments,
}

impl Message {
    /// An array of strings, for senders without an engine.
    pub fn of_texts(texts: &[&str]) -> Message {
        let mut message = Message::default();
        let entry = |(at, text): (u32, &&str)| (Key::Index(at), Item::Text(message.add_text(text.as_bytes(), false)));
        let entries = (0..).zip(texts).map(entry).collect();
        message.nodes.push(Node::Array { length: texts.len() as u32, entries });
        message.root = Item::Node(0);
        message
    }

    /// Appends a string of less than 4 GB. The engine's strings are shorter than that.
    fn add_text(&mut self, bytes: &[u8], is_wide: bool) -> Text {
        let at = self.texts.len();
        self.texts.extend_from_slice(bytes);
        Text { at, len: bytes.len() as u32, is_wide }
    }

    /// Its approximate size in bytes.
    fn weight(&self) -> usize {
        size_of::<Message>() + self.texts.len() + self.nodes.iter().map(Node::weight).sum::<usize>()
    }
}

/// A value inside a message.
#[derive(Debug, Clone, Copy, Default)]
enum Item {
    #[default]
    Undefined,
    Null,
    Bool(bool),
    Int(i32),
    Float(f64),
    /// Its decimal digits.
    BigInt(Text),
    Text(Text),
    /// The node at this index.
    Node(usize),
}

impl Node {
    /// Its approximate size in bytes.
    fn weight(&self) -> usize {
        let more = match self {
            Node::Object(entries) | Node::Array { entries, .. } => size_of_val(&entries[..]),
            Node::Map(items) | Node::Set(items) | Node::Made { parts: items, .. } => size_of_val(&items[..]),
            Node::Buffer { bytes, .. } => bytes.len(),
            Node::Date(_) | Node::Shared(_) | Node::Transferred(_) | Node::Host { .. } => 0,
        };
        size_of::<Node>() + more
    }
}

/// A JavaScript string, as a range of the message's `texts`. Most are UTF-8. A string with a lone surrogate is *wide*:
/// UTF-16 code units, little-endian.
#[derive(Debug, Clone, Copy)]
struct Text {
    at: usize,
    /// In bytes.
    len: u32,
    is_wide: bool,
}

impl Text {
    fn bytes(self, texts: &[u8]) -> &[u8] {
        texts.get(self.at..).and_then(|rest| rest.get(..self.len as usize)).unwrap_or_default()
    }
}

/// The key of a property.
#[derive(Debug, Clone, Copy)]
enum Key {
    Index(u32),
    Text(Text),
}

/// An object inside a message.
#[derive(Debug, Clone)]
enum Node {
    Object(Vec<(Key, Item)>),
    Array {
        length: u32,
        entries: Vec<(Key, Item)>,
    },
    /// Keys and values, alternating.
    Map(Vec<Item>),
    Set(Vec<Item>),
    Date(f64),
    /// Created from its parts by `Parts::make`: regular expressions, boxed primitives, errors, views.
    Made {
        kind: String,
        parts: Vec<Item>,
    },
    Buffer {
        bytes: Block,
        max_bytes: Option<usize>,
    },
    /// The memory itself is shared, not copied.
    Shared(SharedBytes),
    /// The transferred object at this index of the transfer list.
    Transferred(usize),
    /// An object of one of Node's cloneable classes, filled from the data that its clone method returned.
    Host {
        class: String,
        data: Item,
    },
}

/// The JavaScript functions that cloning uses, captured before any user code ran. Most messages need none of them, so
/// each is looked up when it is first called.
///
/// - `refuse(value)` throws the DataCloneError for a value that cannot be cloned.
/// - `plain(proxy)`: the object to clone in place of one of Node's own proxies; throws for any other proxy.
/// - `take(kind, value)`: the parts of a value of that kind, as an array.
/// - `make(kind, parts)`: a value of that kind from its parts; an empty one for maps and sets.
/// - `fill(kind, value, items)` adds items to a map, a set or an object of one of Node's classes.
/// - `host(value)`: `[class, data]` of an object of one of Node's cloneable classes, else undefined.
/// - `marked`: whether any object was ever marked as untransferable or uncloneable; if so, each object is checked.
pub struct Parts<'js>(Object<'js>);

impl<'js> Parts<'js> {
    /// Wraps the object that has the functions.
    pub fn of(object: &Object<'js>) -> Parts<'js> {
        Parts(object.clone())
    }

    fn call<A: IntoArgs<'js>, R: FromJs<'js>>(&self, name: &str, args: A) -> Result<R> {
        self.0.get::<_, Function<'js>>(name)?.call(args)
    }

    fn marked(&self) -> Result<bool> {
        self.0.get("marked")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_send() {
        fn is_send<T: Send>() {}
        is_send::<Message>();
    }
}
