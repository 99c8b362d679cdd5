//! Structured clone: a value of JavaScript as plain Rust data, and back.
//!
//! The data has no tie to an engine, so it may wait in a queue or go to another thread. What only JavaScript can do
//! without being fooled by user code (the parts of a date, a map, a view …) is asked of [`Parts`], functions that hold
//! the engine's own methods from before any user code ran. Ports and which error is thrown are not decided here.
//!
//! The data is here; `write` makes it out of a value, `read` makes a value out of it, `wire` has it as bytes; `along` is for
//! what goes along without being data.

mod along;
mod read;
mod wire;
mod write;

use rquickjs::function::IntoArgs;
use rquickjs::{FromJs, Function, Object, Result};

use self::along::Along;
pub use self::along::{if_lost, keep_along};
pub use self::read::deserialize;
pub use self::write::serialize;
use crate::memory::blocks::Block;
use crate::message_quota::Charge;
use crate::shared::SharedBytes;

/// A cloned value: nodes that name each other by their place.
#[derive(Debug, Clone, Default)]
pub struct Message {
    root: Item,
    nodes: Vec<Node>,
    /// The bytes of all texts.
    texts: Vec<u8>,
    /// What it counts for while it waits, if a thread of JavaScript sent it.
    _charge: Option<Charge>,
    along: Along,
}

impl Message {
    /// An array of texts, for who has no engine at hand.
    pub fn of_texts(texts: &[&str]) -> Message {
        let mut message = Message::default();
        let entry = |(at, text): (u32, &&str)| (Key::Index(at), Item::Text(message.add_text(text.as_bytes(), false)));
        let entries = (0..).zip(texts).map(entry).collect();
        message.nodes.push(Node::Array { length: texts.len() as u32, entries });
        message.root = Item::Node(0);
        message
    }

    /// Takes down a text of less than 4 GB, which is more than an engine has in one.
    fn add_text(&mut self, bytes: &[u8], is_wide: bool) -> Text {
        let at = self.texts.len();
        self.texts.extend_from_slice(bytes);
        Text { at, len: bytes.len() as u32, is_wide }
    }

    /// About how many bytes it takes.
    fn weight(&self) -> usize {
        size_of::<Message>() + self.texts.len() + self.nodes.iter().map(Node::weight).sum::<usize>()
    }
}

/// A value inside of a message.
#[derive(Debug, Clone, Copy, Default)]
enum Item {
    #[default]
    Undefined,
    Null,
    Bool(bool),
    Int(i32),
    Float(f64),
    /// Its digits.
    BigInt(Text),
    Text(Text),
    /// The node at this place.
    Node(usize),
}

impl Node {
    /// About how many bytes it takes.
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

/// A string of JavaScript: where it is among the message's texts. Most are UTF-8; one with half of a pair is *wide*: its code
/// units, two bytes each, the lower one first.
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
        bytes: Block,
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

/// What JavaScript does for the clone: functions made before any user code ran, on an object. Most messages need none of
/// them, so each is looked up when it is.
///
/// - `refuse(value)` throws the DataCloneError for a value that cannot be cloned.
/// - `plain(proxy)`: what is cloned in its place, if it is one of Node's own objects that need not be a proxy; throws for
///   any other.
/// - `take(kind, value)`: the parts of a value of that kind, as an array.
/// - `make(kind, parts)`: a value of that kind out of its parts; for maps and sets the empty one.
/// - `fill(kind, value, items)` puts items into a map, a set or an object of Node's.
/// - `host(value)`: `[class, data]` of an object of one of Node's classes that can be cloned, else undefined.
/// - `marked`: whether any object was ever marked as one that cannot be cloned: then each is asked about.
pub struct Parts<'js>(Object<'js>);

impl<'js> Parts<'js> {
    /// The functions are on the object that JavaScript handed in.
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
    fn messages_may_travel() {
        fn is_send<T: Send>() {}
        is_send::<Message>();
    }
}
