//! What records refer to by number: locations in source code, stacks, labels, names of resources, threads.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

use crate::record::ResourceId;

/// A place in source code, or a function of a C program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Location {
    /// The name of the function; empty if it has none.
    pub function: String,
    /// The file; for a C function the library or program it is in.
    pub file: String,
    /// The line, from 1; 0 if it is not known.
    pub line: u32,
    /// The column, from 1; 0 if it is not known.
    pub column: u32,
}

impl Location {
    /// Whether the code belongs to the runtime and not to the program.
    pub fn is_internal(&self) -> bool {
        self.file.is_empty() || self.file.starts_with("node:") || self.file.starts_with("phasor:")
    }
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.function.as_str(), self.line) {
            ("", 0) => f.write_str(&self.file),
            (function, 0) => write!(f, "{function} ({})", self.file),
            ("", line) => write!(f, "{}:{line}:{}", self.file, self.column),
            (function, line) => write!(f, "{function} ({}:{line}:{})", self.file, self.column),
        }
    }
}

/// What a number in a record means. Numbers are those of one thread, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Definition {
    /// A location.
    Location(u32, Location),
    /// A stack: its locations by number, the innermost call first.
    Stack(u32, Vec<u32>),
    /// A text.
    Label(u32, String),
    /// What is known of a resource: an address, a path, a command.
    Resource(ResourceId, String),
}

/// Which thread a track of a recording is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadInfo {
    /// The name that people see: `main`, `worker 1`.
    pub name: String,
    /// The thread's id of the operating system.
    pub os_id: u64,
}

/// Which process was recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessInfo {
    /// Its id, and that of its parent.
    pub pid: u32,
    /// The parent's id.
    pub parent: u32,
    /// Its arguments, the program first.
    pub arguments: Vec<String>,
    /// The runtime: `phasor 0.1.0`, or `libuv` of a C program.
    pub runtime: String,
    /// The start of the recording, in nanoseconds since the Unix epoch and of the monotonic clock.
    pub started_unix_ns: u64,
    /// The same by the monotonic clock, which all processes of the machine share.
    pub started_ns: u64,
}

/// The numbers that were given to values of one kind. The memory is bounded: after [`MOST`](Numbers::MOST) values, new ones
/// get no number.
pub(crate) struct Numbers<T>(HashMap<T, u32>);

impl<T> Default for Numbers<T> {
    fn default() -> Numbers<T> {
        Numbers(HashMap::new())
    }
}

impl<T: Hash + Eq + Clone> Numbers<T> {
    /// How many values get a number.
    pub(crate) const MOST: usize = 1 << 16;

    /// The value of a number. Slow.
    pub(crate) fn value(&self, number: u32) -> Option<&T> {
        self.0.iter().find(|(_, other)| **other == number).map(|(value, _)| value)
    }

    /// The number of a value, from 1, and whether it is new. 0 if there are too many values.
    pub(crate) fn number<B: Hash + Eq + ToOwned<Owned = T> + ?Sized>(&mut self, value: &B) -> (u32, bool)
    where
        T: Borrow<B>,
    {
        if let Some(number) = self.0.get(value) {
            return (*number, false);
        }
        if self.0.len() == Self::MOST {
            return (0, false);
        }
        let number = self.0.len() as u32 + 1;
        self.0.insert(value.to_owned(), number);
        (number, true)
    }
}
