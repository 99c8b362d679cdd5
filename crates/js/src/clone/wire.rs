//! A message as bytes, for another process of this program, and back.
//!
//! What comes back may have been written by anybody: nothing in it is believed. Every place that is named must exist, and
//! what is made at once out of its parts may only name what was made before it.

use super::{Item, Key, Message, Node, Text};

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
    /// The message as bytes; nothing if there is something in it that cannot leave the process: shared memory, what is
    /// transferred, an object of one of Node's classes.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        item_out(&mut out, &self.root);
        length_out(&mut out, self.nodes.len());
        for node in &self.nodes {
            node_out(&mut out, node)?;
        }
        Some(out)
    }

    /// The message of such bytes; nothing if they are not one.
    pub fn from_bytes(bytes: &[u8]) -> Option<Message> {
        let mut input = Input(bytes);
        let root = input.item()?;
        let count = input.length()?;
        let nodes = (0..count).map(|_| input.node()).collect::<Option<Vec<_>>>()?;
        let message = Message { root, nodes, _charge: None };
        (input.0.is_empty() && message.is_sound()).then_some(message)
    }

    /// Whether it names only what is there when it is asked for.
    fn is_sound(&self) -> bool {
        let is_there = |item: &Item, end: usize| !matches!(item, Item::Node(place) if *place >= end);
        let count = self.nodes.len();
        let is_node_sound = |(place, node): (usize, &Node)| match node {
            Node::Object(entries) | Node::Array { entries, .. } => {
                entries.iter().all(|(_, item)| is_there(item, count))
            }
            Node::Map(items) => items.len() % 2 == 0 && items.iter().all(|item| is_there(item, count)),
            Node::Set(items) => items.iter().all(|item| is_there(item, count)),
            // One of Node's classes is not made by its name alone.
            Node::Made { kind, .. } if kind == "host" => false,
            // The cause of an error, which comes fourth, is put in when all are there.
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

/// A length, seven bits to a byte, the lowest first.
fn length_out(out: &mut Vec<u8>, mut length: usize) {
    while length > 0x7f {
        out.push(length as u8 | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
}

fn bytes_out(out: &mut Vec<u8>, bytes: &[u8]) {
    length_out(out, bytes.len());
    out.extend_from_slice(bytes);
}

fn text_out(out: &mut Vec<u8>, text: &Text) {
    match text {
        Text::Utf8(text) => {
            out.push(UTF8);
            bytes_out(out, text.as_bytes());
        }
        Text::Utf16(units) => {
            out.push(UTF16);
            length_out(out, units.len());
            out.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
        }
    }
}

fn item_out(out: &mut Vec<u8>, item: &Item) {
    match item {
        Item::Undefined => out.push(UNDEFINED),
        Item::Null => out.push(NULL),
        Item::Bool(value) => out.push(if *value { TRUE } else { FALSE }),
        Item::Int(value) => {
            out.push(INT);
            out.extend_from_slice(&value.to_le_bytes());
        }
        Item::Float(value) => {
            out.push(FLOAT);
            out.extend_from_slice(&value.to_bits().to_le_bytes());
        }
        Item::BigInt(digits) => {
            out.push(BIGINT);
            bytes_out(out, digits.as_bytes());
        }
        Item::Text(text) => {
            out.push(TEXT);
            text_out(out, text);
        }
        Item::Node(place) => {
            out.push(PLACE);
            length_out(out, *place);
        }
    }
}

fn items_out(out: &mut Vec<u8>, items: &[Item]) {
    length_out(out, items.len());
    items.iter().for_each(|item| item_out(out, item));
}

fn entries_out(out: &mut Vec<u8>, entries: &[(Key, Item)]) {
    length_out(out, entries.len());
    for (key, item) in entries {
        match key {
            Key::Index(index) => {
                out.push(INDEX);
                out.extend_from_slice(&index.to_le_bytes());
            }
            Key::Text(text) => text_out(out, text),
        }
        item_out(out, item);
    }
}

fn node_out(out: &mut Vec<u8>, node: &Node) -> Option<()> {
    match node {
        Node::Object(entries) => {
            out.push(OBJECT);
            entries_out(out, entries);
        }
        Node::Array { length, entries } => {
            out.push(ARRAY);
            out.extend_from_slice(&length.to_le_bytes());
            entries_out(out, entries);
        }
        Node::Map(items) => {
            out.push(MAP);
            items_out(out, items);
        }
        Node::Set(items) => {
            out.push(SET);
            items_out(out, items);
        }
        Node::Date(time) => {
            out.push(DATE);
            out.extend_from_slice(&time.to_bits().to_le_bytes());
        }
        Node::Made { kind, parts } => {
            out.push(MADE);
            bytes_out(out, kind.as_bytes());
            items_out(out, parts);
        }
        Node::Buffer { bytes, max_bytes } => {
            out.push(BUFFER);
            bytes_out(out, bytes);
            // One more than it is, so that 0 is none.
            length_out(out, max_bytes.map_or(0, |max| max.saturating_add(1)));
        }
        Node::Shared(_) | Node::Transferred(_) | Node::Host { .. } => return None,
    }
    Some(())
}

/// What is left to be read.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
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

    /// How many follow. Each takes a byte at least, so that no number makes room for more than came.
    fn length(&mut self) -> Option<usize> {
        self.number().filter(|&length| length <= self.0.len())
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.length()?;
        self.take(length)
    }

    fn string(&mut self) -> Option<String> {
        std::str::from_utf8(self.bytes()?).ok().map(str::to_owned)
    }

    fn text(&mut self, kind: u8) -> Option<Text> {
        match kind {
            UTF8 => self.string().map(Text::Utf8),
            UTF16 => {
                let length = self.length()?;
                let bytes = self.take(length.checked_mul(2)?)?;
                Some(Text::Utf16(bytes.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect()))
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
            BIGINT => Item::BigInt(self.string()?),
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
            MADE => Node::Made { kind: self.string()?, parts: self.items()? },
            BUFFER => Node::Buffer { bytes: self.bytes()?.to_vec(), max_bytes: self.number()?.checked_sub(1) },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Message {
        let text = |text: &str| Text::Utf8(text.to_owned());
        let nodes = vec![
            Node::Object(vec![
                (Key::Text(text("list")), Item::Node(1)),
                (Key::Text(Text::Utf16(vec![0xd800])), Item::Text(text("half"))),
                (Key::Index(7), Item::BigInt("-123456789012345678901234567890".to_owned())),
            ]),
            Node::Array {
                length: 9,
                entries: vec![(Key::Index(3), Item::Float(-0.0)), (Key::Index(4), Item::Node(0))],
            },
            Node::Map(vec![Item::Null, Item::Undefined]),
            Node::Set(vec![Item::Bool(true), Item::Bool(false), Item::Int(-1)]),
            Node::Date(1.5),
            Node::Buffer { bytes: vec![1; 300], max_bytes: Some(400) },
            Node::Made { kind: "view".to_owned(), parts: vec![Item::Text(text("Uint8Array")), Item::Node(5)] },
            Node::Made {
                kind: "error".to_owned(),
                parts: vec![Item::Text(text("Error")), Item::Undefined, Item::Undefined, Item::Node(7)],
            },
        ];
        Message { root: Item::Node(0), nodes, _charge: None }
    }

    #[test]
    fn what_was_written_is_read() {
        let message = sample();
        let bytes = message.to_bytes().unwrap();
        let again = Message::from_bytes(&bytes).unwrap();
        assert_eq!(format!("{message:?}"), format!("{again:?}"));
    }

    #[test]
    fn what_cannot_leave_is_not_written() {
        let message = Message { root: Item::Node(0), nodes: vec![Node::Transferred(0)], _charge: None };
        assert!(message.to_bytes().is_none());
    }

    #[test]
    fn what_is_cut_short_or_too_long_is_refused() {
        let mut bytes = sample().to_bytes().unwrap();
        for end in 0..bytes.len() {
            assert!(Message::from_bytes(&bytes[..end]).is_none(), "{end}");
        }
        bytes.push(0);
        assert!(Message::from_bytes(&bytes).is_none());
    }

    #[test]
    fn places_that_are_not_there_are_refused() {
        let refused = |root: Item, nodes: Vec<Node>| {
            let bytes = Message { root, nodes, _charge: None }.to_bytes().unwrap();
            assert!(Message::from_bytes(&bytes).is_none());
        };
        refused(Item::Node(0), vec![]);
        refused(Item::Node(0), vec![Node::Set(vec![Item::Node(1)])]);
        refused(Item::Null, vec![Node::Made { kind: "view".to_owned(), parts: vec![Item::Node(0)] }]);
        refused(Item::Null, vec![Node::Map(vec![Item::Null])]);
    }

    #[test]
    fn any_byte_may_be_wrong() {
        let bytes = sample().to_bytes().unwrap();
        for at in 0..bytes.len() {
            for wrong in [0, 1, 0x7f, 0x80, 0xff] {
                let mut bytes = bytes.clone();
                bytes[at] = wrong;
                // Read or refused: only a panic is wrong.
                let _ = Message::from_bytes(&bytes);
            }
        }
    }
}
