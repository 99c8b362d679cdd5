//! Encodes a message as bytes for another Phasor process (`child_process` with `serialization: 'advanced'`), and
//! decodes it.
//!
//! Decoding trusts nothing, because another program may have written the bytes. Every index must exist. A node that is
//! created from its parts in one step may only refer to nodes created before it.

use super::{Item, Key, Message, Node, Text};
use crate::memory::blocks::Block;

const UNDEFINED: u8 = 0;
const NULL: u8 = 1;
const FALSE: u8 = 2;
const TRUE: u8 = 3;
const INT: u8 = 4;
const FLOAT: u8 = 5;
const BIGINT: u8 = 6;
const TEXT: u8 = 7;
const PLACE: u8 = 8;

const OBJECT: u8 = 0;
const ARRAY: u8 = 1;
const MAP: u8 = 2;
const SET: u8 = 3;
const DATE: u8 = 4;
const MADE: u8 = 5;
const BUFFER: u8 = 6;

const UTF8: u8 = 0;
const UTF16: u8 = 1;
const INDEX: u8 = 2;

impl Message {
    /// Encodes the message. `None` if it contains a value that cannot leave the process: shared memory, a transferred
    /// object, or an object of one of Node's classes.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        let mut output = Output { out: Vec::new(), texts: &self.texts };
        output.item(&self.root);
        output.length(self.nodes.len());
        for node in &self.nodes {
            output.node(node)?;
        }
        Some(output.out)
    }

    /// Decodes a message; `None` if the bytes are not valid.
    pub fn from_bytes(bytes: &[u8]) -> Option<Message> {
        let mut input = Input { rest: bytes, message: Message::default() };
        let root = input.item()?;
        let count = input.length()?;
        let nodes = (0..count).map(|_| input.node()).collect::<Option<Vec<_>>>()?;
        let message = Message { root, nodes, ..input.message };
        (input.rest.is_empty() && message.is_sound()).then_some(message)
    }

    /// Whether every reference points to a node that exists at the time it is used.
    fn is_sound(&self) -> bool {
        let is_there = |item: &Item, end: usize| !matches!(item, Item::Node(place) if *place >= end);
        let count = self.nodes.len();
        let is_node_sound = |(place, node): (usize, &Node)| match node {
            Node::Object(entries) | Node::Array { entries, .. } => {
                entries.iter().all(|(_, item)| is_there(item, count))
            }
            Node::Map(items) => items.len() % 2 == 0 && items.iter().all(|item| is_there(item, count)),
            Node::Set(items) => items.iter().all(|item| is_there(item, count)),
            // A kind `host` would call a constructor by name: refuse it.
            Node::Made { kind, .. } if kind == "host" => false,
            // The cause of an error, the fourth part, is set after all nodes were created.
            Node::Made { kind, parts } => parts.iter().enumerate().all(|(at, item)| {
                let is_late = kind == "error" && at >= 3;
                is_there(item, if is_late { count } else { place })
            }),
            Node::Buffer { .. } | Node::Date(_) => true,
            Node::Shared(_) | Node::Transferred(_) | Node::Host { .. } => false,
        };
        is_there(&self.root, count) && self.nodes.iter().enumerate().all(is_node_sound)
    }
}

/// The encoder, with the strings of the message.
struct Output<'a> {
    out: Vec<u8>,
    texts: &'a [u8],
}

impl Output<'_> {
    /// A length as LEB128: seven bits per byte, the lowest first.
    fn length(&mut self, mut length: usize) {
        while length > 0x7f {
            self.out.push(length as u8 | 0x80);
            length >>= 7;
        }
        self.out.push(length as u8);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.length(bytes.len());
        self.out.extend_from_slice(bytes);
    }

    fn text(&mut self, text: Text) {
        let bytes = text.bytes(self.texts);
        self.out.push(if text.is_wide { UTF16 } else { UTF8 });
        self.length(if text.is_wide { bytes.len() / 2 } else { bytes.len() });
        self.out.extend_from_slice(bytes);
    }

    fn item(&mut self, item: &Item) {
        match *item {
            Item::Undefined => self.out.push(UNDEFINED),
            Item::Null => self.out.push(NULL),
            Item::Bool(value) => self.out.push(if value { TRUE } else { FALSE }),
            Item::Int(value) => {
                self.out.push(INT);
                self.out.extend_from_slice(&value.to_le_bytes());
            }
            Item::Float(value) => {
                self.out.push(FLOAT);
                self.out.extend_from_slice(&value.to_bits().to_le_bytes());
            }
            Item::BigInt(digits) => {
                self.out.push(BIGINT);
                self.bytes(digits.bytes(self.texts));
            }
            Item::Text(text) => {
                self.out.push(TEXT);
                self.text(text);
            }
            Item::Node(place) => {
                self.out.push(PLACE);
                self.length(place);
            }
        }
    }

    fn items(&mut self, items: &[Item]) {
        self.length(items.len());
        items.iter().for_each(|item| self.item(item));
    }

    fn entries(&mut self, entries: &[(Key, Item)]) {
        self.length(entries.len());
        for (key, item) in entries {
            match *key {
                Key::Index(index) => {
                    self.out.push(INDEX);
                    self.out.extend_from_slice(&index.to_le_bytes());
                }
                Key::Text(text) => self.text(text),
            }
            self.item(item);
        }
    }

    fn node(&mut self, node: &Node) -> Option<()> {
        match node {
            Node::Object(entries) => {
                self.out.push(OBJECT);
                self.entries(entries);
            }
            Node::Array { length, entries } => {
                self.out.push(ARRAY);
                self.out.extend_from_slice(&length.to_le_bytes());
                self.entries(entries);
            }
            Node::Map(items) => {
                self.out.push(MAP);
                self.items(items);
            }
            Node::Set(items) => {
                self.out.push(SET);
                self.items(items);
            }
            Node::Date(time) => {
                self.out.push(DATE);
                self.out.extend_from_slice(&time.to_bits().to_le_bytes());
            }
            Node::Made { kind, parts } => {
                self.out.push(MADE);
                self.bytes(kind.as_bytes());
                self.items(parts);
            }
            Node::Buffer { bytes, max_bytes } => {
                self.out.push(BUFFER);
                self.bytes(bytes);
                // Plus one, so that 0 means none.
                self.length(max_bytes.map_or(0, |max| max.saturating_add(1)));
            }
            Node::Shared(_) | Node::Transferred(_) | Node::Host { .. } => return None,
        }
        Some(())
    }
}

/// The decoder: the remaining bytes, and the message decoded so far.
struct Input<'a> {
    rest: &'a [u8],
    message: Message,
}

impl<'a> Input<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn number(&mut self) -> Option<usize> {
        let mut number = 0usize;
        for shift in (0..usize::BITS).step_by(7) {
            let byte = self.byte()?;
            number |= usize::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// The number of entries that follow. Each takes at least one byte, so a false number cannot make the decoder
    /// allocate more than it received.
    fn length(&mut self) -> Option<usize> {
        self.number().filter(|&length| length <= self.rest.len())
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.length()?;
        self.take(length)
    }

    fn string(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    fn utf8(&mut self) -> Option<Text> {
        let text = self.string().filter(|text| u32::try_from(text.len()).is_ok())?;
        Some(self.message.add_text(text.as_bytes(), false))
    }

    fn text(&mut self, kind: u8) -> Option<Text> {
        match kind {
            UTF8 => self.utf8(),
            UTF16 => {
                let length = self.length()?;
                let bytes = self.take(length.checked_mul(2)?).filter(|bytes| u32::try_from(bytes.len()).is_ok())?;
                Some(self.message.add_text(bytes, true))
            }
            _ => None,
        }
    }

    fn item(&mut self) -> Option<Item> {
        Some(match self.byte()? {
            UNDEFINED => Item::Undefined,
            NULL => Item::Null,
            FALSE => Item::Bool(false),
            TRUE => Item::Bool(true),
            INT => Item::Int(i32::from_le_bytes(self.array()?)),
            FLOAT => Item::Float(f64::from_bits(u64::from_le_bytes(self.array()?))),
            BIGINT => Item::BigInt(self.utf8()?),
            TEXT => {
                let kind = self.byte()?;
                Item::Text(self.text(kind)?)
            }
            PLACE => Item::Node(self.number()?),
            _ => return None,
        })
    }

    fn items(&mut self) -> Option<Vec<Item>> {
        let count = self.length()?;
        (0..count).map(|_| self.item()).collect()
    }

    fn entries(&mut self) -> Option<Vec<(Key, Item)>> {
        let count = self.length()?;
        let entry = |input: &mut Self| {
            let key = match input.byte()? {
                INDEX => Key::Index(u32::from_le_bytes(input.array()?)),
                kind => Key::Text(input.text(kind)?),
            };
            Some((key, input.item()?))
        };
        (0..count).map(|_| entry(self)).collect()
    }

    fn node(&mut self) -> Option<Node> {
        Some(match self.byte()? {
            OBJECT => Node::Object(self.entries()?),
            ARRAY => Node::Array { length: u32::from_le_bytes(self.array()?), entries: self.entries()? },
            MAP => Node::Map(self.items()?),
            SET => Node::Set(self.items()?),
            DATE => Node::Date(f64::from_bits(u64::from_le_bytes(self.array()?))),
            MADE => Node::Made { kind: self.string()?.to_owned(), parts: self.items()? },
            BUFFER => Node::Buffer { bytes: Block::copy_of(self.bytes()?), max_bytes: self.number()?.checked_sub(1) },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Message {
        let mut message = Message::default();
        let half = message.add_text(&[0x00, 0xd8], true);
        let mut text = |text: &str| message.add_text(text.as_bytes(), false);
        let nodes = vec![
            Node::Object(vec![
                (Key::Text(text("list")), Item::Node(1)),
                (Key::Text(half), Item::Text(text("half"))),
                (Key::Index(7), Item::BigInt(text("-123456789012345678901234567890"))),
            ]),
            Node::Array {
                length: 9,
                entries: vec![(Key::Index(3), Item::Float(-0.0)), (Key::Index(4), Item::Node(0))],
            },
            Node::Map(vec![Item::Null, Item::Undefined]),
            Node::Set(vec![Item::Bool(true), Item::Bool(false), Item::Int(-1)]),
            Node::Date(1.5),
            Node::Buffer { bytes: Block::copy_of(&[1; 300]), max_bytes: Some(400) },
            Node::Made { kind: "view".to_owned(), parts: vec![Item::Text(text("Uint8Array")), Item::Node(5)] },
            Node::Made {
                kind: "error".to_owned(),
                parts: vec![Item::Text(text("Error")), Item::Undefined, Item::Undefined, Item::Node(7)],
            },
        ];
        Message { root: Item::Node(0), nodes, ..message }
    }

    #[test]
    fn encoded_messages_are_decoded() {
        let bytes = sample().to_bytes().unwrap();
        let again = Message::from_bytes(&bytes).unwrap();
        assert_eq!(again.to_bytes().unwrap(), bytes);
        assert_eq!(again.nodes.len(), sample().nodes.len());
        assert!(matches!(&again.nodes[5], Node::Buffer { bytes, max_bytes: Some(400) } if bytes[..] == [1; 300]));
    }

    #[test]
    fn shared_memory_and_transfers_are_not_encoded() {
        let message = Message { root: Item::Node(0), nodes: vec![Node::Transferred(0)], ..Message::default() };
        assert!(message.to_bytes().is_none());
    }

    #[test]
    fn truncated_or_longer_input_is_rejected() {
        let mut bytes = sample().to_bytes().unwrap();
        for end in 0..bytes.len() {
            assert!(Message::from_bytes(&bytes[..end]).is_none(), "{end}");
        }
        bytes.push(0);
        assert!(Message::from_bytes(&bytes).is_none());
    }

    #[test]
    fn references_to_missing_nodes_are_rejected() {
        let refused = |root: Item, nodes: Vec<Node>| {
            let bytes = Message { root, nodes, ..Message::default() }.to_bytes().unwrap();
            assert!(Message::from_bytes(&bytes).is_none());
        };
        refused(Item::Node(0), vec![]);
        refused(Item::Node(0), vec![Node::Set(vec![Item::Node(1)])]);
        refused(Item::Null, vec![Node::Made { kind: "view".to_owned(), parts: vec![Item::Node(0)] }]);
        refused(Item::Null, vec![Node::Map(vec![Item::Null])]);
    }

    #[test]
    fn corrupt_bytes_do_not_panic() {
        let bytes = sample().to_bytes().unwrap();
        for at in 0..bytes.len() {
            for wrong in [0, 1, 0x7f, 0x80, 0xff] {
                let mut bytes = bytes.clone();
                bytes[at] = wrong;
                // Any result is fine, but a panic fails the test.
                let _ = Message::from_bytes(&bytes);
            }
        }
    }
}
