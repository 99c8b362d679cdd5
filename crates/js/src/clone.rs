//! Structured clone: a value of JavaScript as plain Rust data, and back.
//!
//! The data has no tie to an engine, so it may wait in a queue or go to another thread. What only JavaScript can do
//! without being fooled by user code (the parts of a date, a map, a view …) is asked of [`Parts`], functions that hold
//! the engine's own methods from before any user code ran. Ports and which error is thrown are not decided here.
//!
//! The data is here; `write` makes it out of a value, `read` makes a value out of it, `wire` has it as bytes.

mod read;
mod wire;
mod write;

use rquickjs::function::IntoArgs;
use rquickjs::{FromJs, Function, Object, Result};

pub use self::read::deserialize;
pub use self::write::serialize;
use crate::posted::Charge;
use crate::shared::SharedBytes;

/// A cloned value: nodes that name each other by their place.
#[derive(Debug, Clone)]
pub struct Message {
    root: Item,
    nodes: Vec<Node>,
    /// What it counts for while it waits, if a thread of JavaScript sent it.
    _charge: Option<Charge>,
}

impl Message {
    /// An array of texts, for who has no engine at hand.
    pub fn of_texts(texts: &[&str]) -> Message {
        let entry = |(at, text): (usize, &&str)| (Key::Index(at as u32), Item::Text(Text::Utf8((*text).to_owned())));
        let entries = texts.iter().enumerate().map(entry).collect();
        let nodes = vec![Node::Array { length: texts.len() as u32, entries }];
        Message { root: Item::Node(0), nodes, _charge: None }
    }
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

impl Item {
    /// About how many bytes it takes besides itself.
    fn weight(&self) -> usize {
        match self {
            Item::BigInt(text) | Item::Text(Text::Utf8(text)) => text.len(),
            Item::Text(Text::Utf16(units)) => units.len() * 2,
            _ => 0,
        }
    }
}

impl Node {
    /// About how many bytes it takes.
    fn weight(&self) -> usize {
        let all = |items: &[Item]| size_of_val(items) + items.iter().map(Item::weight).sum::<usize>();
        let more = match self {
            Node::Object(entries) | Node::Array { entries, .. } => {
                let key = |key: &Key| if let Key::Text(Text::Utf8(text)) = key { text.len() } else { 0 };
                size_of_val(&entries[..]) + entries.iter().map(|(k, item)| key(k) + item.weight()).sum::<usize>()
            }
            Node::Map(items) | Node::Set(items) | Node::Made { parts: items, .. } => all(items),
            Node::Buffer { bytes, .. } => bytes.len(),
            Node::Host { data, .. } => data.weight(),
            Node::Date(_) | Node::Shared(_) | Node::Transferred(_) => 0,
        };
        size_of::<Node>() + more
    }
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

/// What JavaScript does for the clone: functions made before any user code ran, on an object. Most messages need none of
/// them, so each is looked up when it is.
///
/// - `refuse(value)` throws the DataCloneError for a value that cannot be cloned.
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
