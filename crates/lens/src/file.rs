//! The file of a recording: a header, then blocks until the end.
//!
//! ```text
//! header  "PHASOREC" · u32 version · u32 size of a record
//! block   u32 kind · u32 thread · u64 size of the payload · payload
//! ```
//!
//! | kind | payload |
//! |---|---|
//! | 1 process | u32 pid · u32 parent · u64 start, Unix ns · u64 start, monotonic ns · text runtime · u32 count, texts: the arguments |
//! | 2 thread | u64 id of the operating system · text name |
//! | 3 definitions | each u8 kind, then: 1 location: u32 id, text function, text file, u32 line, u32 column; 2 stack: u32 id, u32 count, u32 locations; 3 label: u32 id, text; 4 resource: u64 id, text |
//! | 4 records | records of 32 bytes, see [`Record`] |
//! | 5 end | nothing: the recording is complete |
//!
//! A text is a u32 size and UTF-8. All integers are little-endian. A reader skips blocks and definitions of unknown kinds
//! (the latter end their block), and reads a file that ends early up to its last whole block.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Read, Write};
use std::path::Path;

use crate::definition::{Definition, Location, ProcessInfo, ThreadInfo};
use crate::record::{RECORD_BYTES, Record, ResourceId};

/// The first bytes of a recording.
const MAGIC: &[u8; 8] = b"PHASOREC";

/// The version of the format.
pub const VERSION: u32 = 1;

mod block {
    pub(super) const PROCESS: u32 = 1;
    pub(super) const THREAD: u32 = 2;
    pub(super) const DEFINITIONS: u32 = 3;
    pub(super) const RECORDS: u32 = 4;
    pub(super) const END: u32 = 5;
}

/// The largest block that a reader accepts.
const MOST_BYTES: u64 = 1 << 32;

/// Writes a recording.
pub(crate) struct Writer<W> {
    out: W,
    payload: Vec<u8>,
}

impl<W: Write> Writer<W> {
    pub(crate) fn new(mut out: W, process: &ProcessInfo) -> io::Result<Writer<W>> {
        out.write_all(MAGIC)?;
        out.write_all(&VERSION.to_le_bytes())?;
        out.write_all(&(RECORD_BYTES as u32).to_le_bytes())?;
        let mut writer = Writer { out, payload: Vec::new() };
        writer.put_u32(process.pid);
        writer.put_u32(process.parent);
        writer.put_u64(process.started_unix_ns);
        writer.put_u64(process.started_ns);
        writer.put_text(&process.runtime);
        writer.put_u32(process.arguments.len() as u32);
        process.arguments.iter().for_each(|argument| writer.put_text(argument));
        writer.end_block(block::PROCESS, 0)?;
        Ok(writer)
    }

    pub(crate) fn thread(&mut self, thread: u32, info: &ThreadInfo) -> io::Result<()> {
        self.put_u64(info.os_id);
        self.put_text(&info.name);
        self.end_block(block::THREAD, thread)
    }

    pub(crate) fn definitions(&mut self, thread: u32, definitions: &[Definition]) -> io::Result<()> {
        for definition in definitions {
            match definition {
                Definition::Location(id, location) => {
                    self.payload.push(1);
                    self.put_u32(*id);
                    self.put_text(&location.function);
                    self.put_text(&location.file);
                    self.put_u32(location.line);
                    self.put_u32(location.column);
                }
                Definition::Stack(id, locations) => {
                    self.payload.push(2);
                    self.put_u32(*id);
                    self.put_u32(locations.len() as u32);
                    locations.iter().for_each(|location| self.put_u32(*location));
                }
                Definition::Label(id, text) => {
                    self.payload.push(3);
                    self.put_u32(*id);
                    self.put_text(text);
                }
                Definition::Resource(resource, text) => {
                    self.payload.push(4);
                    self.put_u64(resource.0);
                    self.put_text(text);
                }
            }
        }
        self.end_block(block::DEFINITIONS, thread)
    }

    /// Writes records that are given as words of the ring.
    pub(crate) fn records(&mut self, thread: u32, words: &[u64]) -> io::Result<()> {
        self.payload.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        self.end_block(block::RECORDS, thread)
    }

    pub(crate) fn end(&mut self) -> io::Result<()> {
        self.end_block(block::END, 0)?;
        self.flush()
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn put_u32(&mut self, number: u32) {
        self.payload.extend(number.to_le_bytes());
    }

    fn put_u64(&mut self, number: u64) {
        self.payload.extend(number.to_le_bytes());
    }

    fn put_text(&mut self, text: &str) {
        self.put_u32(text.len() as u32);
        self.payload.extend(text.as_bytes());
    }

    fn end_block(&mut self, kind: u32, thread: u32) -> io::Result<()> {
        let mut head = [0; 16];
        head[..4].copy_from_slice(&kind.to_le_bytes());
        head[4..8].copy_from_slice(&thread.to_le_bytes());
        head[8..].copy_from_slice(&(self.payload.len() as u64).to_le_bytes());
        let result = self.out.write_all(&head).and_then(|()| self.out.write_all(&self.payload));
        self.payload.clear();
        result
    }
}

/// A recording of one process, as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// The process.
    pub process: ProcessInfo,
    /// Its threads with loops, by their number in the file.
    pub threads: BTreeMap<u32, ThreadRecording>,
    /// False if the file ends early: the process was killed, or still runs.
    pub is_complete: bool,
}

/// What was recorded of one thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadRecording {
    /// The thread.
    pub info: ThreadInfo,
    /// The locations by number.
    pub locations: BTreeMap<u32, Location>,
    /// The stacks by number: locations by number, the innermost call first.
    pub stacks: BTreeMap<u32, Vec<u32>>,
    /// The labels by number.
    pub labels: BTreeMap<u32, String>,
    /// What is known of resources.
    pub resources: BTreeMap<ResourceId, String>,
    /// The records, in the order in which they were written. Their times may go back: a pool task is recorded when its
    /// result arrives.
    pub records: Vec<Record>,
}

/// Why a file could not be read as a recording.
#[derive(Debug)]
pub enum ReadError {
    /// The file could not be read.
    Io(io::Error),
    /// It is no recording.
    Foreign,
    /// It is a recording of another version.
    Version(u32),
    /// A block is damaged; it begins at this byte.
    Damaged(u64),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Io(error) => error.fmt(f),
            ReadError::Foreign => f.write_str("not a recording of phasor (`phasor trace -o FILE.phasor` writes one)"),
            ReadError::Version(version) => {
                write!(f, "a recording of version {version}, but this phasor reads version {VERSION}")
            }
            ReadError::Damaged(at) => write!(f, "the recording is damaged: the block at byte {at} makes no sense"),
        }
    }
}

impl std::error::Error for ReadError {}

impl Recording {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// See [`ReadError`]. A file that ends early is no error: [`Recording::is_complete`] is false then.
    pub fn read(path: &Path) -> Result<Recording, ReadError> {
        let file = std::fs::File::open(path).map_err(ReadError::Io)?;
        Recording::read_from(io::BufReader::new(file))
    }

    /// Reads a recording from a stream, as [`Recording::read`].
    ///
    /// # Errors
    ///
    /// See [`ReadError`].
    pub fn read_from(mut input: impl Read) -> Result<Recording, ReadError> {
        let mut header = [0; 16];
        match read_whole(&mut input, &mut header).map_err(ReadError::Io)? {
            true if &header[..8] == MAGIC => {}
            _ => return Err(ReadError::Foreign),
        }
        let mut header = Payload(&header[8..]);
        let (version, record_bytes) = (header.u32().unwrap_or(0), header.u32().unwrap_or(0));
        if version != VERSION || record_bytes as usize != RECORD_BYTES {
            return Err(ReadError::Version(version));
        }
        let mut recording = Recording::default();
        let (mut at, mut head, mut payload) = (16_u64, [0; 16], Vec::new());
        while read_whole(&mut input, &mut head).map_err(ReadError::Io)? {
            let mut fields = Payload(&head);
            let kind = fields.u32().unwrap_or(0);
            let thread = fields.u32().unwrap_or(0);
            let bytes = fields.u64().unwrap_or(0);
            if bytes > MOST_BYTES {
                return Err(ReadError::Damaged(at));
            }
            payload.clear();
            let read = (&mut input).take(bytes).read_to_end(&mut payload).map_err(ReadError::Io)?;
            if (read as u64) < bytes {
                return Ok(recording);
            }
            recording.add_block(kind, thread, &mut Payload(&payload)).ok_or(ReadError::Damaged(at))?;
            at += 16 + bytes;
        }
        Ok(recording)
    }

    /// `None` if the payload makes no sense.
    fn add_block(&mut self, kind: u32, thread: u32, payload: &mut Payload<'_>) -> Option<()> {
        match kind {
            block::PROCESS => {
                let (pid, parent) = (payload.u32()?, payload.u32()?);
                let (started_unix_ns, started_ns) = (payload.u64()?, payload.u64()?);
                let runtime = payload.text()?;
                let arguments = (0..payload.u32()?).map(|_| payload.text()).collect::<Option<_>>()?;
                self.process = ProcessInfo { pid, parent, arguments, runtime, started_unix_ns, started_ns };
            }
            block::THREAD => {
                let os_id = payload.u64()?;
                let name = payload.text()?;
                self.threads.entry(thread).or_default().info = ThreadInfo { name, os_id };
            }
            block::DEFINITIONS => {
                let thread = self.threads.entry(thread).or_default();
                while !payload.0.is_empty() {
                    thread.add_definition(payload)?;
                }
            }
            block::RECORDS => {
                let thread = self.threads.entry(thread).or_default();
                let (records, rest) = payload.0.as_chunks::<RECORD_BYTES>();
                if !rest.is_empty() {
                    return None;
                }
                thread.records.reserve(records.len());
                for bytes in records {
                    let (words, _) = bytes.as_chunks::<8>();
                    let words = [words[0], words[1], words[2], words[3]].map(u64::from_le_bytes);
                    // Records of unknown kinds are those of a later version: they are skipped.
                    thread.records.extend(Record::from_words(words));
                }
            }
            block::END => self.is_complete = true,
            _ => {}
        }
        Some(())
    }
}

impl ThreadRecording {
    fn add_definition(&mut self, payload: &mut Payload<'_>) -> Option<()> {
        match payload.u8()? {
            1 => {
                let id = payload.u32()?;
                let (function, file) = (payload.text()?, payload.text()?);
                let (line, column) = (payload.u32()?, payload.u32()?);
                self.locations.insert(id, Location { function, file, line, column });
            }
            2 => {
                let id = payload.u32()?;
                let locations = (0..payload.u32()?).map(|_| payload.u32()).collect::<Option<_>>()?;
                self.stacks.insert(id, locations);
            }
            3 => {
                let id = payload.u32()?;
                self.labels.insert(id, payload.text()?);
            }
            4 => {
                let resource = ResourceId(payload.u64()?);
                self.resources.insert(resource, payload.text()?);
            }
            _ => payload.0 = &[],
        }
        Some(())
    }
}

/// Fills the buffer. False if the input ends before.
fn read_whole(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match input.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// The rest of a payload. Reading past the end gives `None`.
struct Payload<'a>(&'a [u8]);

impl Payload<'_> {
    fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    fn u8(&mut self) -> Option<u8> {
        self.bytes().map(|[byte]| byte)
    }

    fn u32(&mut self) -> Option<u32> {
        self.bytes().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.bytes().map(u64::from_le_bytes)
    }

    fn text(&mut self) -> Option<String> {
        let bytes = self.u32()? as usize;
        let (text, rest) = self.0.split_at_checked(bytes)?;
        self.0 = rest;
        Some(String::from_utf8_lossy(text).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::RecordKind;

    fn sample() -> Vec<u8> {
        let process =
            ProcessInfo { pid: 7, arguments: vec!["phasor".into(), "a b.js".into()], ..ProcessInfo::default() };
        let mut writer = Writer::new(Vec::new(), &process).unwrap();
        writer.thread(1, &ThreadInfo { name: "main".into(), os_id: 9 }).unwrap();
        let location = Location { function: "f".into(), file: "ä.js".into(), line: 3, column: 4 };
        let definitions = [
            Definition::Location(1, location),
            Definition::Stack(1, vec![1]),
            Definition::Label(2, "GET /".into()),
            Definition::Resource(ResourceId::script(4), "127.0.0.1:80".into()),
        ];
        writer.definitions(1, &definitions).unwrap();
        let words: Vec<u64> = (0..3).flat_map(|n| Record::new(n, RecordKind::Turn).to_words()).collect();
        writer.records(1, &words).unwrap();
        writer.end().unwrap();
        writer.out
    }

    #[test]
    fn what_is_written_is_read() {
        let recording = Recording::read_from(sample().as_slice()).unwrap();
        assert!(recording.is_complete);
        assert_eq!((recording.process.pid, recording.process.arguments[1].as_str()), (7, "a b.js"));
        let thread = &recording.threads[&1];
        assert_eq!(thread.locations[&1].to_string(), "f (ä.js:3:4)");
        assert_eq!((thread.stacks[&1].as_slice(), thread.labels[&2].as_str()), ([1].as_slice(), "GET /"));
        assert_eq!(thread.resources[&ResourceId::script(4)], "127.0.0.1:80");
        assert_eq!(thread.records.len(), 3);
    }

    #[test]
    fn a_file_that_ends_early_is_read_up_to_its_last_whole_block_and_damage_is_reported() {
        let whole = sample();
        for end in 16..whole.len() {
            let recording = Recording::read_from(&whole[..end]).unwrap();
            assert!(!recording.is_complete, "{end}");
        }
        for end in 0..16 {
            assert!(matches!(Recording::read_from(&whole[..end]), Err(ReadError::Foreign)));
        }
        assert!(matches!(Recording::read_from(&b"#!/bin/sh\necho hello"[..]), Err(ReadError::Foreign)));
        let mut newer = whole.clone();
        newer[8] = 2;
        assert!(matches!(Recording::read_from(newer.as_slice()), Err(ReadError::Version(2))));
        // No damage may end in a panic.
        for at in 16..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0xff;
            let _ = Recording::read_from(damaged.as_slice());
        }
    }
}
