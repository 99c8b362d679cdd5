//! Writes a trace as one self-contained HTML page. The page itself is in `crates/lens/src/page/`.
//!
//! The page gets two texts: a JSON header with names, and the tables of the trace as bytes in base64. A table is a list of
//! columns, and a column a sequence of variable-length integers (LEB128), one for each row. `page.js: readTable` is the
//! other side.

use std::collections::HashMap;
use std::io::{self, Write};

use phasor_core::Phase;

use super::text::write_string;
use crate::record::{CallbackKind, CounterKind, FindingKind, ResourceId, ResourceKind, SpanKind};
use crate::trace::{Callback, CauseKind, Thread, Trace};

const TEMPLATE: &str = include_str!("../page/page.html");
const STYLE: &str = include_str!("../page/page.css");
/// The scripts, in the order in which they run.
const SCRIPTS: [&str; 5] = [
    include_str!("../page/data.js"),
    include_str!("../page/rows.js"),
    include_str!("../page/timeline.js"),
    include_str!("../page/panel.js"),
    include_str!("../page/page.js"),
];

/// Writes a trace as an HTML page that needs no other file and no network. It contains the lines of source text at the locations
/// of the trace, if the files can be read now.
///
/// # Errors
///
/// Those of the output.
pub fn html(trace: &Trace, title: &str, out: impl Write) -> io::Result<()> {
    let mut out = io::BufWriter::with_capacity(1 << 16, out);
    let mut tables = Tables { json: Vec::new(), bytes: Vec::new() };
    write_header(trace, title, &mut tables)?;
    // The template is split at its placeholders: nothing that is filled in is searched for one.
    let mut rest = TEMPLATE;
    while let Some((before, (name, after))) =
        rest.split_once("{{").and_then(|(before, after)| Some((before, after.split_once("}}")?)))
    {
        out.write_all(before.as_bytes())?;
        match name {
            "title" => write_escaped(&mut out, title)?,
            "style" => out.write_all(STYLE.as_bytes())?,
            "script" => SCRIPTS.iter().try_for_each(|script| out.write_all(script.as_bytes()))?,
            "header" => out.write_all(&tables.json)?,
            "tables" => write_base64(&mut out, &tables.bytes)?,
            _ => {}
        }
        rest = after;
    }
    out.write_all(rest.as_bytes())?;
    out.flush()
}

/// Writes text of HTML.
fn write_escaped(out: &mut impl Write, text: &str) -> io::Result<()> {
    for part in text.split_inclusive(['&', '<', '>', '"']) {
        let special = part.chars().next_back().map_or("", |last| match last {
            '&' => "&amp;",
            '<' => "&lt;",
            '>' => "&gt;",
            '"' => "&quot;",
            _ => "",
        });
        out.write_all(&part.as_bytes()[..part.len() - usize::from(!special.is_empty())])?;
        out.write_all(special.as_bytes())?;
    }
    Ok(())
}

/// Writes bytes in base64 (RFC 4648 section 4).
fn write_base64(out: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = Vec::with_capacity(1 << 12);
    for part in bytes.chunks(3 << 10) {
        text.clear();
        for three in part.chunks(3) {
            let byte = |index: usize| three.get(index).copied().map_or(0, u32::from);
            let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
            let digits = [18, 12, 6, 0].map(|shift| DIGITS[(bits >> shift & 63) as usize]);
            text.extend_from_slice(&digits[..three.len() + 1]);
            text.extend_from_slice(&b"=="[..3 - three.len()]);
        }
        out.write_all(&text)?;
    }
    Ok(())
}

/// How the integers of a column are to be understood.
#[derive(Clone, Copy)]
enum Coding {
    /// As they are.
    Plain,
    /// Differences from the row before; the values do not decrease.
    Delta,
    /// Signed: see [`signed`].
    Signed,
    /// Signed differences from the row before.
    Change,
}

/// A signed integer as an unsigned one: 0, -1, 1, -2, 2 …
fn signed(number: i64) -> u64 {
    (number << 1 ^ number >> 63) as u64
}

/// The difference of two numbers, for a column of [`Coding::Signed`].
fn difference(a: u64, b: u64) -> u64 {
    signed(i64::try_from(i128::from(a) - i128::from(b)).unwrap_or(0))
}

/// The numbers of JavaScript are exact up to here.
const MOST: u64 = (1 << 53) - 1;

/// A column: its name, its coding, and its value in a row, which is given by index.
type Column<'a, T> = (&'static str, Coding, &'a dyn Fn(usize, &T) -> u64);

/// The header, and the bytes of all tables.
struct Tables {
    json: Vec<u8>,
    bytes: Vec<u8>,
}

impl Tables {
    fn text(&mut self, text: &str) {
        self.json.extend(text.as_bytes());
    }

    fn string(&mut self, text: &str) -> io::Result<()> {
        write_string(&mut self.json, text)
    }

    fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Tables, &T) -> io::Result<()>) -> io::Result<()> {
        self.text("[");
        for (index, item) in items.iter().enumerate() {
            self.text(if index == 0 { "" } else { "," });
            write(self, item)?;
        }
        self.text("]");
        Ok(())
    }

    fn names(&mut self, key: &str, names: impl Iterator<Item = (u32, &'static str)>) -> io::Result<()> {
        write!(self.json, ",\"{key}\":{{")?;
        for (index, (number, name)) in names.enumerate() {
            write!(self.json, "{}\"{number}\":\"{name}\"", if index == 0 { "" } else { "," })?;
        }
        self.text("}");
        Ok(())
    }

    /// Adds a table: `{"n": rows, "columns": {name: [offset, coding, is wide]}}`. Columns of zeros are left out.
    fn table<T>(&mut self, key: &str, rows: &[T], columns: &[Column<'_, T>]) -> io::Result<()> {
        write!(self.json, ",\"{key}\":{{\"n\":{},\"columns\":{{", rows.len())?;
        let mut is_first = true;
        for (name, coding, value) in columns {
            let offset = self.bytes.len();
            let (mut before, mut all, mut most) = (0, 0, 0);
            for (index, row) in rows.iter().enumerate() {
                let number = value(index, row).min(MOST);
                most = most.max(number);
                let written = match coding {
                    Coding::Plain | Coding::Signed => number,
                    Coding::Delta => number.saturating_sub(std::mem::replace(&mut before, number)),
                    Coding::Change => difference(number, std::mem::replace(&mut before, number)),
                };
                all |= written;
                self.varint(written);
            }
            if all == 0 {
                self.bytes.truncate(offset);
                continue;
            }
            let letter = match coding {
                Coding::Plain => 'u',
                Coding::Delta => 'd',
                Coding::Signed => 's',
                Coding::Change => 'z',
            };
            let separator = if is_first { "" } else { "," };
            let is_wide = u8::from(most > u64::from(u32::MAX));
            write!(self.json, "{separator}\"{name}\":[{offset},\"{letter}\",{is_wide}]")?;
            is_first = false;
        }
        self.text("}}");
        Ok(())
    }

    fn varint(&mut self, mut number: u64) {
        while number > 0x7f {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }
}

fn write_header(trace: &Trace, title: &str, tables: &mut Tables) -> io::Result<()> {
    tables.text("{\"title\":");
    tables.string(title)?;
    write!(tables.json, ",\"startedUnixNs\":\"{}\",\"end\":{}", trace.started_unix_ns, trace.end_ns.min(MOST))?;
    tables.text(",\"phaseNames\":");
    tables.list(&Phase::ALL, |tables, phase| tables.string(phase.name()))?;
    tables.text(",\"causeNames\":");
    tables.list(&CauseKind::ALL, |tables, kind| tables.string(kind.name()))?;
    tables.names("callbackNames", CallbackKind::ALL.iter().map(|kind| (*kind as u32, kind.name())))?;
    tables.names("resourceNames", ResourceKind::ALL.iter().map(|kind| (*kind as u32, kind.name())))?;
    tables.names("spanNames", SpanKind::ALL.iter().map(|kind| (*kind as u32, kind.name())))?;
    tables.names("counterNames", CounterKind::ALL.iter().map(|kind| (*kind as u32, kind.name())))?;
    tables.names("findingNames", FindingKind::ALL.iter().map(|kind| (*kind as u32, kind.name())))?;
    tables.text(",\"locations\":");
    tables.list(&trace.locations, |tables, location| {
        tables.text("[");
        tables.string(&location.function)?;
        tables.text(",");
        tables.string(&location.file)?;
        write!(tables.json, ",{},{},{}]", location.line, location.column, u8::from(location.is_internal()))
    })?;
    tables.text(",\"sources\":");
    let sources = source_lines(trace);
    tables.list(&sources, |tables, (location, line)| {
        write!(tables.json, "[{location},")?;
        tables.string(line)?;
        tables.text("]");
        Ok(())
    })?;
    tables.text(",\"stacks\":");
    tables.list(&trace.stacks, |tables, stack| {
        tables.list(stack, |tables, location| write!(tables.json, "{}", location.0))
    })?;
    tables.text(",\"labels\":");
    tables.list(&trace.labels, |tables, label| tables.string(label))?;
    tables.text(",\"processes\":");
    tables.list(&trace.processes, |tables, process| {
        write!(tables.json, "{{\"pid\":{},\"parent\":{}", process.info.pid, process.info.parent)?;
        write!(tables.json, ",\"isComplete\":{},\"arguments\":", process.is_complete)?;
        tables.list(&process.info.arguments, |tables, argument| tables.string(argument))?;
        tables.text(",\"runtime\":");
        tables.string(&process.info.runtime)?;
        tables.text(",\"pool\":");
        tables.list(&process.pool, |tables, thread| {
            write!(tables.json, "{{\"number\":{}", thread.number)?;
            tables.table(
                "tasks",
                &thread.tasks,
                &[
                    ("begin", Coding::Delta, &|_, task| task.begin_ns),
                    ("duration", Coding::Plain, &|_, task| task.duration_ns()),
                    ("wait", Coding::Plain, &|_, task| task.wait_ns()),
                    ("thread", Coding::Plain, &|_, task| u64::from(task.thread)),
                    ("request", Coding::Change, &|_, task| optional(task.request)),
                ],
            )?;
            tables.text("}");
            Ok(())
        })?;
        tables.text("}");
        Ok(())
    })?;
    tables.table(
        "messages",
        &trace.messages,
        &[
            ("bytes", Coding::Plain, &|_, message| u64::from(message.bytes)),
            ("sentThread", Coding::Plain, &|_, message| message.sent.map_or(0, |end| u64::from(end.thread) + 1)),
            ("sentAt", Coding::Change, &|_, message| message.sent.map_or(0, |end| end.at_ns)),
            ("receivedThread", Coding::Plain, &|_, message| {
                message.received.map_or(0, |end| u64::from(end.thread) + 1)
            }),
            ("receivedAt", Coding::Change, &|_, message| message.received.map_or(0, |end| end.at_ns)),
            ("callback", Coding::Change, &|_, message| optional(message.received.and_then(|end| end.callback))),
        ],
    )?;
    tables.text(",\"threads\":");
    tables.list(&trace.threads, write_thread)?;
    tables.text("}");
    Ok(())
}

/// How much of a line of source text the page gets.
const SOURCE_LINE_MAX: usize = 200;

/// Files that are larger are not read: they were generated, and have long lines.
const SOURCE_FILE_MAX: u64 = 4 << 20;

/// The lines of source text at the locations of the program, as far as the files are still there: the number of the location, and
/// the line.
fn source_lines(trace: &Trace) -> Vec<(usize, String)> {
    let mut by_file: HashMap<&str, Vec<(usize, u32)>> = HashMap::new();
    for (number, location) in trace.locations.iter().enumerate() {
        let path = location.file.strip_prefix("file://").unwrap_or(&location.file);
        if path.starts_with('/') && location.line > 0 {
            by_file.entry(path).or_default().push((number, location.line));
        }
    }
    let mut found = Vec::new();
    for (path, locations) in by_file {
        let Some(text) = source_text(path) else { continue };
        let lines: Vec<&str> = text.lines().collect();
        for (number, line) in locations {
            let line = lines.get(line as usize - 1).map_or("", |line| line.trim());
            if !line.is_empty() {
                found.push((number, line.chars().take(SOURCE_LINE_MAX).collect()));
            }
        }
    }
    found.sort_unstable();
    found
}

/// The text of a source file: none for a device, a library or a file that is gone.
fn source_text(path: &str) -> Option<String> {
    let about = std::fs::metadata(path).ok()?;
    if !about.is_file() || about.len() > SOURCE_FILE_MAX {
        return None;
    }
    std::fs::read_to_string(path).ok()
}

/// An index that may be missing: 0, or one more than it.
fn optional(index: Option<u32>) -> u64 {
    index.map_or(0, |index| u64::from(index) + 1)
}

fn write_thread(tables: &mut Tables, thread: &Thread) -> io::Result<()> {
    write!(tables.json, "{{\"process\":{},\"name\":", thread.process)?;
    tables.string(&thread.info.name)?;
    write!(tables.json, ",\"osId\":{}", thread.info.os_id)?;
    write!(tables.json, ",\"start\":{},\"end\":{}", thread.start_ns.min(MOST), thread.end_ns.min(MOST))?;
    let indices: HashMap<ResourceId, u64> = thread.resources.iter().map(|resource| resource.id).zip(1..).collect();
    let index_of = |id: ResourceId| if id.is_some() { indices.get(&id).copied().unwrap_or(0) } else { 0 };
    write_callbacks(tables, thread, &index_of)?;
    tables.text(",\"descriptions\":");
    let described: Vec<&str> = thread.resources.iter().map(|resource| resource.description.as_str()).collect();
    let described: Vec<&str> = described.into_iter().filter(|text| !text.is_empty()).collect();
    tables.list(&described, |tables, text| tables.string(text))?;
    // A resource with a description gets the next one.
    tables.table(
        "resources",
        &thread.resources,
        &[
            ("kind", Coding::Plain, &|_, resource| resource.kind.map_or(0, |kind| kind as u64)),
            ("number", Coding::Change, &|_, resource| resource.id.script_number().unwrap_or(0)),
            ("created", Coding::Change, &|_, resource| resource.created_ns.map_or(0, |at_ns| at_ns.saturating_add(1))),
            ("closed", Coding::Change, &|_, resource| resource.closed_ns.map_or(0, |at_ns| at_ns.saturating_add(1))),
            ("stack", Coding::Plain, &|_, resource| u64::from(resource.stack.0)),
            ("createdBy", Coding::Change, &|_, resource| optional(resource.created_by)),
            ("owner", Coding::Change, &|_, resource| index_of(resource.owner)),
            ("starts", Coding::Plain, &|_, resource| u64::from(resource.starts)),
            ("callbacks", Coding::Plain, &|_, resource| u64::from(resource.callbacks)),
            ("isDescribed", Coding::Plain, &|_, resource| u64::from(!resource.description.is_empty())),
        ],
    )?;
    tables.table(
        "requests",
        &thread.requests,
        &[
            ("begin", Coding::Delta, &|_, request| request.begin_ns),
            ("kind", Coding::Plain, &|_, request| request.kind.map_or(0, |kind| kind as u64)),
            ("resource", Coding::Change, &|_, request| index_of(request.id)),
            ("stack", Coding::Plain, &|_, request| u64::from(request.stack.0)),
            ("begunBy", Coding::Change, &|_, request| optional(request.begun_by)),
            ("handle", Coding::Plain, &|_, request| index_of(request.handle)),
            ("poolThread", Coding::Plain, &|_, request| request.pool.map_or(0, |(thread, ..)| u64::from(thread))),
            ("poolBegin", Coding::Change, &|_, request| request.pool.map_or(0, |(_, begin_ns, _)| begin_ns)),
            ("poolEnd", Coding::Change, &|_, request| request.pool.map_or(0, |(.., end_ns)| end_ns)),
            ("callback", Coding::Change, &|_, request| optional(request.callback)),
        ],
    )?;
    tables.table(
        "fires",
        &thread.timer_fires,
        &[
            ("callback", Coding::Delta, &|_, fire| u64::from(fire.callback)),
            ("due", Coding::Change, &|_, fire| fire.due_ns),
            ("delay", Coding::Plain, &|_, fire| u64::from(fire.delay_ms)),
            ("repeats", Coding::Plain, &|_, fire| u64::from(fire.repeats)),
        ],
    )?;
    tables.table(
        "phases",
        &thread.phases,
        &[
            ("begin", Coding::Delta, &|_, phase| phase.begin_ns),
            ("duration", Coding::Plain, &|_, phase| phase.duration_ns()),
            ("phase", Coding::Plain, &|_, phase| phase.phase as u64),
        ],
    )?;
    tables.table(
        "polls",
        &thread.polls,
        &[
            ("begin", Coding::Delta, &|_, poll| poll.begin_ns),
            ("duration", Coding::Plain, &|_, poll| poll.duration_ns()),
            ("timeout", Coding::Plain, &|_, poll| optional(poll.timeout_ms)),
            ("ready", Coding::Plain, &|_, poll| u64::from(poll.ready)),
        ],
    )?;
    tables.table(
        "turns",
        &thread.turns,
        &[("begin", Coding::Delta, &|_, turn| turn.begin_ns), ("number", Coding::Change, &|_, turn| turn.number)],
    )?;
    tables.table(
        "spans",
        &thread.spans,
        &[
            ("begin", Coding::Delta, &|_, span| span.begin_ns),
            ("duration", Coding::Plain, &|_, span| span.end_ns.unwrap_or(thread.end_ns).saturating_sub(span.begin_ns)),
            ("isOpen", Coding::Plain, &|_, span| u64::from(span.end_ns.is_none())),
            ("kind", Coding::Plain, &|_, span| span.kind.map_or(0, |kind| kind as u64)),
            ("label", Coding::Plain, &|_, span| u64::from(span.label.0)),
            ("status", Coding::Plain, &|_, span| u64::from(span.status)),
            ("bytes", Coding::Plain, &|_, span| span.bytes),
            ("owner", Coding::Change, &|_, span| index_of(span.owner)),
            ("callback", Coding::Change, &|_, span| optional(span.callback)),
        ],
    )?;
    tables.table(
        "marks",
        &thread.marks,
        &[
            ("at", Coding::Delta, &|_, mark| mark.at_ns),
            ("label", Coding::Plain, &|_, mark| u64::from(mark.label.0)),
            ("callback", Coding::Change, &|_, mark| optional(mark.callback)),
        ],
    )?;
    tables.table(
        "counters",
        &thread.counters,
        &[
            ("at", Coding::Delta, &|_, counter| counter.at_ns),
            ("kind", Coding::Plain, &|_, counter| counter.kind as u64),
            ("value", Coding::Plain, &|_, counter| counter.value),
        ],
    )?;
    tables.table(
        "collections",
        &thread.collections,
        &[
            ("begin", Coding::Delta, &|_, collection| collection.begin_ns),
            ("duration", Coding::Plain, &|_, collection| collection.end_ns - collection.begin_ns),
            ("isFull", Coding::Plain, &|_, collection| u64::from(collection.is_full)),
        ],
    )?;
    tables.table(
        "findings",
        &thread.findings,
        &[
            ("at", Coding::Delta, &|_, finding| finding.at_ns),
            ("kind", Coding::Plain, &|_, finding| finding.kind as u64),
            ("label", Coding::Plain, &|_, finding| u64::from(finding.label.0)),
            ("stack", Coding::Change, &|_, finding| u64::from(finding.stack.0)),
            ("number", Coding::Change, &|_, finding| u64::from(finding.number)),
            ("callback", Coding::Change, &|_, finding| optional(finding.callback)),
        ],
    )?;
    tables.table(
        "losses",
        &thread.losses,
        &[
            ("begin", Coding::Delta, &|_, loss| loss.begin_ns),
            ("duration", Coding::Plain, &|_, loss| loss.end_ns - loss.begin_ns),
            ("records", Coding::Plain, &|_, loss| loss.records),
        ],
    )?;
    tables.text("}");
    Ok(())
}

fn write_callbacks(tables: &mut Tables, thread: &Thread, index_of: &dyn Fn(ResourceId) -> u64) -> io::Result<()> {
    /// What the column `flags` says.
    fn flags(callback: &Callback) -> u64 {
        let has_caller = callback.cause.is_some_and(|cause| cause.callback.is_some());
        u64::from(callback.threw) | u64::from(callback.is_cut) << 1 | u64::from(has_caller) << 2
    }
    tables.table(
        "callbacks",
        &thread.callbacks,
        &[
            ("begin", Coding::Delta, &|_, callback| callback.begin_ns),
            ("duration", Coding::Plain, &|_, callback| callback.duration_ns()),
            ("kind", Coding::Plain, &|_, callback| callback.kind.map_or(0, |kind| kind as u64)),
            ("flags", Coding::Plain, &|_, callback| flags(callback)),
            ("depth", Coding::Plain, &|_, callback| u64::from(callback.depth)),
            ("location", Coding::Plain, &|_, callback| u64::from(callback.location.0)),
            ("resource", Coding::Change, &|_, callback| index_of(callback.resource)),
            ("ticks", Coding::Plain, &|_, callback| u64::from(callback.ticks)),
            ("microtasks", Coding::Plain, &|_, callback| u64::from(callback.microtasks)),
            ("cause", Coding::Plain, &|_, callback| callback.cause.map_or(0, |cause| cause.kind as u64 + 1)),
            // 0, or one more than the thread.
            ("causeThread", Coding::Plain, &|_, callback| {
                callback.cause.map_or(0, |cause| u64::from(cause.thread) + 1)
            }),
            // How far before the callback its cause is in the list.
            ("causeBack", Coding::Signed, &|index, callback| {
                let caller = callback.cause.and_then(|cause| cause.callback);
                caller.map_or(0, |caller| difference(index as u64, u64::from(caller)))
            }),
            ("causeAgo", Coding::Signed, &|_, callback| {
                callback.cause.map_or(0, |cause| difference(callback.begin_ns, cause.at_ns))
            }),
            ("causeStack", Coding::Plain, &|_, callback| callback.cause.map_or(0, |cause| u64::from(cause.stack.0))),
        ],
    )
}
