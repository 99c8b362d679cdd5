//! What keeps the loops of a process alive, as a report for people and for tools.
//!
//! A front end makes the entries: it knows what its users call a resource. This file has the report, its text and its JSON.

mod entry;

use std::fmt::{self, Write};

use crate::definition::Location;
use crate::json::Json;

/// What keeps a process alive: the loops of its threads.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WhyReport {
    /// The process.
    pub pid: u32,
    /// The loops of its threads, that of the main thread first.
    pub loops: Vec<WhyLoop>,
}

/// What keeps one loop alive. Without entries the loop is not alive: it ends when the callback returns that runs now.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WhyLoop {
    /// The thread: `main`, `worker 1`.
    pub thread: String,
    /// What the loop does now.
    pub activity: LoopActivity,
    /// Everything that keeps it alive.
    pub entries: Vec<WhyEntry>,
}

/// What a loop does.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum LoopActivity {
    /// It is not known.
    #[default]
    Unknown,
    /// It waits for events, and did nothing for this time.
    Idle {
        /// The time in milliseconds.
        for_ms: f64,
    },
    /// It runs a callback.
    Callback {
        /// For how long, in milliseconds; `None` if it is not known.
        for_ms: Option<f64>,
        /// The function.
        location: Option<Location>,
    },
}

/// One thing that keeps a loop alive.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WhyEntry {
    /// What it is, in the singular: `tcp server`, `timeout`, `file request`.
    pub kind: String,
    /// Which one: an address, a path, a command; may be empty.
    pub what: String,
    /// Whether it keeps the loop alive because of a reference that can be given up with `unref()`. False for requests and closing handles,
    /// which end on their own.
    pub has_ref: bool,
    /// For how long it exists, in milliseconds.
    pub age_ms: Option<f64>,
    /// When it is due, in milliseconds from now.
    pub deadline_ms: Option<f64>,
    /// Where it was made: the stack, the innermost call first.
    pub created_at: Vec<Location>,
    /// The function that it will call.
    pub callback: Option<Location>,
    /// How the program ends it: `server.close()`; may be empty.
    pub remedy: String,
}

impl WhyEntry {
    /// An entry of which nothing else is known.
    pub fn new(kind: impl Into<String>, what: impl Into<String>) -> WhyEntry {
        WhyEntry { kind: kind.into(), what: what.into(), has_ref: true, ..WhyEntry::default() }
    }

    /// The line of the program that made it: the innermost location that is not of the runtime or of a package, else of a package.
    pub fn creation_line(&self) -> Option<&Location> {
        let is_of_package = |location: &&Location| location.file.contains("/node_modules/");
        let mut own = self.created_at.iter().filter(|location| !location.is_internal());
        own.clone().find(|location| !is_of_package(location)).or_else(|| own.next())
    }
}

impl WhyReport {
    /// The report as JSON.
    ///
    /// `{ pid, loops: [{ thread, state: 'idle' | 'callback' | 'unknown', forMs?, callback?, entries: [{ kind, what, hasRef, ageMs?,
    /// deadlineMs?, createdAt?, stack?, callback?, remedy? }] }] }`. A location is `{ file, line, column, function }`; `createdAt` is the
    /// line of the program, `stack` all calls, the innermost first.
    pub fn to_json(&self) -> Json {
        Json::object([("pid", self.pid.into()), ("loops", list(&self.loops, WhyLoop::to_json))])
    }

    /// The report of [`WhyReport::to_json`]. What is missing or of another type is left out.
    pub fn from_json(json: &Json) -> WhyReport {
        let loops = json.get("loops").map_or(&[] as &[Json], Json::items);
        WhyReport { pid: json.number("pid") as u32, loops: loops.iter().map(WhyLoop::from_json).collect() }
    }
}

/// For people: a list for each loop, in which resources that the same line made are one item.
impl fmt::Display for WhyReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, of) in self.loops.iter().enumerate() {
            if at > 0 {
                f.write_str("\n")?;
            }
            of.fmt(f)?;
        }
        Ok(())
    }
}

/// Entries of one kind that one line made.
struct Group<'a> {
    first: &'a WhyEntry,
    entries: Vec<&'a WhyEntry>,
}

impl WhyLoop {
    fn groups(&self) -> Vec<Group<'_>> {
        let mut groups: Vec<Group<'_>> = Vec::new();
        let mut places = std::collections::HashMap::new();
        for entry in &self.entries {
            let key = (&entry.kind, entry.creation_line(), &entry.callback, &entry.remedy);
            let place = *places.entry(key).or_insert(groups.len());
            match groups.get_mut(place) {
                Some(group) => group.entries.push(entry),
                None => groups.push(Group { first: entry, entries: vec![entry] }),
            }
        }
        groups
    }

    /// As JSON: an item of `loops` in [`WhyReport::to_json`].
    pub fn to_json(&self) -> Json {
        let (state, for_ms, location) = match &self.activity {
            LoopActivity::Unknown => ("unknown", None, None),
            LoopActivity::Idle { for_ms } => ("idle", Some(*for_ms), None),
            LoopActivity::Callback { for_ms, location } => ("callback", *for_ms, location.as_ref()),
        };
        members([
            ("thread", Some(self.thread.as_str().into())),
            ("state", Some(state.into())),
            ("forMs", number(for_ms)),
            ("callback", location.map(location_json)),
            ("entries", Some(list(&self.entries, WhyEntry::to_json))),
        ])
    }

    /// The loop of [`WhyLoop::to_json`].
    pub fn from_json(json: &Json) -> WhyLoop {
        let for_ms = json.get("forMs").and_then(Json::as_f64);
        let activity = match json.text("state") {
            "idle" => LoopActivity::Idle { for_ms: for_ms.unwrap_or_default() },
            "callback" => LoopActivity::Callback { for_ms, location: json.get("callback").map(location_of) },
            _ => LoopActivity::Unknown,
        };
        let entries = json.get("entries").map_or(&[] as &[Json], Json::items);
        WhyLoop {
            thread: json.text("thread").into(),
            activity,
            entries: entries.iter().map(WhyEntry::from_json).collect(),
        }
    }
}

impl WhyEntry {
    /// As JSON: an item of `entries` in [`WhyReport::to_json`].
    pub fn to_json(&self) -> Json {
        members([
            ("kind", Some(self.kind.as_str().into())),
            ("what", Some(self.what.as_str().into())),
            ("hasRef", Some(self.has_ref.into())),
            ("ageMs", number(self.age_ms)),
            ("deadlineMs", number(self.deadline_ms)),
            ("createdAt", self.creation_line().map(location_json)),
            ("stack", (!self.created_at.is_empty()).then(|| list(&self.created_at, location_json))),
            ("callback", self.callback.as_ref().map(location_json)),
            ("remedy", (!self.remedy.is_empty()).then(|| self.remedy.as_str().into())),
        ])
    }

    /// The entry of [`WhyEntry::to_json`].
    pub fn from_json(json: &Json) -> WhyEntry {
        let stack = json.get("stack").map_or(&[] as &[Json], Json::items).iter().map(location_of);
        WhyEntry {
            kind: json.text("kind").into(),
            what: json.text("what").into(),
            has_ref: json.get("hasRef").and_then(Json::as_bool).unwrap_or_default(),
            age_ms: json.get("ageMs").and_then(Json::as_f64),
            deadline_ms: json.get("deadlineMs").and_then(Json::as_f64),
            created_at: stack.collect(),
            callback: json.get("callback").map(location_of),
            remedy: json.text("remedy").into(),
        }
    }
}

impl fmt::Display for WhyLoop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.entries.len();
        match count {
            0 => write!(f, "Nothing keeps the event loop of thread {} alive", self.thread)?,
            1 => write!(f, "One thing keeps the event loop of thread {} alive", self.thread)?,
            _ => write!(f, "{} things keep the event loop of thread {} alive", Count(count), self.thread)?,
        }
        match &self.activity {
            LoopActivity::Unknown => f.write_str(".\n")?,
            LoopActivity::Idle { for_ms } => writeln!(f, ". It has been idle for {}.", Time(*for_ms))?,
            LoopActivity::Callback { for_ms: None, location: None } => f.write_str(". It runs a callback.\n")?,
            LoopActivity::Callback { for_ms, location } => {
                f.write_str(". It runs a callback")?;
                if let Some(location) = location {
                    write!(f, ", {location}")?;
                }
                match for_ms {
                    Some(for_ms) => writeln!(f, ", for {} now.", Time(*for_ms))?,
                    None => f.write_str(".\n")?,
                }
            }
        }
        for (at, group) in self.groups().iter().enumerate() {
            write!(f, "\n{:>3}. {group}", at + 1)?;
        }
        Ok(())
    }
}

impl fmt::Display for Group<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// How many members of a group are named.
        const MOST_NAMED: usize = 3;
        let Group { first, entries } = self;
        if entries.len() == 1 {
            f.write_str(&first.kind)?;
        } else {
            write!(f, "{} {}", Count(entries.len()), plural(&first.kind))?;
        }
        let mut names: Vec<&str> = Vec::new();
        for entry in entries {
            if !entry.what.is_empty() && !names.contains(&entry.what.as_str()) {
                names.push(&entry.what);
                if names.len() > MOST_NAMED {
                    break;
                }
            }
        }
        if !names.is_empty() {
            let separator = if entries.len() == 1 { " " } else { ": " };
            write!(f, "{separator}{}", names[..names.len().min(MOST_NAMED)].join("; "))?;
            if names.len() > MOST_NAMED {
                f.write_str("; …")?;
            }
        }
        if !first.has_ref {
            f.write_str(" (ends on its own)")?;
        }
        f.write_str("\n")?;
        if let Some(line) = first.creation_line() {
            writeln!(f, "     created at {line}")?;
        }
        if let Some(callback) = &first.callback {
            writeln!(f, "     callback {callback}")?;
        }
        let times = Times::of(entries);
        if !times.is_empty() {
            writeln!(f, "     {times}")?;
        }
        if !first.remedy.is_empty() {
            writeln!(f, "     to end it: {}", first.remedy)?;
        }
        Ok(())
    }
}

/// The smallest and the largest of some times.
#[derive(Clone, Copy)]
struct Span(f64, f64);

impl Span {
    fn of(times: impl Iterator<Item = Option<f64>>) -> Option<Span> {
        times.flatten().fold(None, |span, time| match span {
            None => Some(Span(time, time)),
            Some(Span(least, most)) => Some(Span(least.min(time), most.max(time))),
        })
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (least, most) = (Time(self.0).to_string(), Time(self.1).to_string());
        if least == most { f.write_str(&least) } else { write!(f, "{least} to {most}") }
    }
}

/// The ages and deadlines of a group.
struct Times {
    ages: Option<Span>,
    deadlines: Option<Span>,
}

impl Times {
    fn of(entries: &[&WhyEntry]) -> Times {
        Times {
            ages: Span::of(entries.iter().map(|entry| entry.age_ms)),
            deadlines: Span::of(entries.iter().map(|entry| entry.deadline_ms)),
        }
    }

    fn is_empty(&self) -> bool {
        self.ages.is_none() && self.deadlines.is_none()
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.ages, self.deadlines) {
            (Some(ages), Some(deadlines)) => write!(f, "{ages} old, due in {deadlines}"),
            (Some(ages), None) => write!(f, "{ages} old"),
            (None, Some(deadlines)) => write!(f, "due in {deadlines}"),
            (None, None) => Ok(()),
        }
    }
}

/// A time in milliseconds, for people: `3 ms`, `4.2 s`, `3 min 5 s`, `2 h 10 min`.
struct Time(f64);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = self.0.max(0.0);
        let s = (ms / 1000.0).round() as u64;
        match s {
            _ if ms < 1000.0 => write!(f, "{} ms", ms.round()),
            0..10 => write!(f, "{:.1} s", ms / 1000.0),
            10..60 => write!(f, "{s} s"),
            60..3600 => write!(f, "{} min {} s", s / 60, s % 60),
            _ => write!(f, "{} h {} min", s / 3600, s % 3600 / 60),
        }
    }
}

/// A count with separators: `1,000`.
struct Count(usize);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                f.write_char(',')?;
            }
            f.write_char(digit)?;
        }
        Ok(())
    }
}

/// The plural of a kind.
fn plural(kind: &str) -> String {
    match kind {
        _ if kind.ends_with("ss") => format!("{kind}es"),
        _ if kind.ends_with('y') => format!("{}ies", &kind[..kind.len() - 1]),
        _ if kind.ends_with('s') => kind.to_owned(),
        _ => format!("{kind}s"),
    }
}

fn list<T>(items: &[T], to_json: impl FnMut(&T) -> Json) -> Json {
    Json::List(items.iter().map(to_json).collect())
}

/// An object of the members that have a value.
fn members<const N: usize>(members: [(&str, Option<Json>); N]) -> Json {
    Json::Object(members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect())
}

/// Milliseconds, to the microsecond.
fn number(ms: Option<f64>) -> Option<Json> {
    ms.filter(|ms| ms.is_finite()).map(|ms| ((ms * 1000.0).round() / 1000.0).into())
}

fn location_json(location: &Location) -> Json {
    Json::object([
        ("file", location.file.as_str().into()),
        ("line", location.line.into()),
        ("column", location.column.into()),
        ("function", location.function.as_str().into()),
    ])
}

fn location_of(json: &Json) -> Location {
    Location {
        function: json.text("function").into(),
        file: json.text("file").into(),
        line: json.number("line") as u32,
        column: json.number("column") as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn location(function: &str, file: &str, line: u32) -> Location {
        Location { function: function.into(), file: file.into(), line, column: 3 }
    }

    fn report(entries: Vec<WhyEntry>) -> WhyReport {
        let activity = LoopActivity::Idle { for_ms: 2_345.0 };
        WhyReport { pid: 7, loops: vec![WhyLoop { thread: "main".into(), activity, entries }] }
    }

    fn socket(port: u32) -> WhyEntry {
        WhyEntry {
            created_at: vec![
                location("listen", "node:net", 9),
                location("get", "/app/node_modules/pool/index.js", 77),
                location("connect", "/app/server.js", 12),
            ],
            age_ms: Some(f64::from(port) * 100.0),
            remedy: "socket.destroy()".into(),
            ..WhyEntry::new("tcp socket", format!("127.0.0.1:{port}"))
        }
    }

    #[test]
    fn the_text_names_what_where_and_how_to_end_it() {
        let server = WhyEntry {
            remedy: "server.close(), or server.unref()".into(),
            callback: Some(location("onRequest", "/app/server.js", 4)),
            ..WhyEntry::new("tcp server", "0.0.0.0:3000, 2 connections")
        };
        let timeout = WhyEntry { deadline_ms: Some(61_200.0), ..WhyEntry::new("timeout", "of 2 h") };
        let file = WhyEntry { has_ref: false, ..WhyEntry::new("file request", "open /etc/hosts") };
        assert_eq!(
            report(vec![server, timeout, file]).to_string(),
            "3 things keep the event loop of thread main alive. It has been idle for 2.3 s.\n\
             \n  1. tcp server 0.0.0.0:3000, 2 connections\n     callback onRequest (/app/server.js:4:3)\n     \
             to end it: server.close(), or server.unref()\n\
             \n  2. timeout of 2 h\n     due in 1 min 1 s\n\
             \n  3. file request open /etc/hosts (ends on its own)\n"
        );
    }

    #[test]
    fn resources_of_one_line_are_one_item() {
        let text = report((1..=1000).map(socket).collect()).to_string();
        assert_eq!(
            text,
            "1,000 things keep the event loop of thread main alive. It has been idle for 2.3 s.\n\
             \n  1. 1,000 tcp sockets: 127.0.0.1:1; 127.0.0.1:2; 127.0.0.1:3; …\n     \
             created at connect (/app/server.js:12:3)\n     100 ms to 1 min 40 s old\n     \
             to end it: socket.destroy()\n"
        );
    }

    #[test]
    fn a_loop_that_nothing_keeps_alive_says_so() {
        let mut empty = report(Vec::new());
        assert_eq!(
            empty.to_string(),
            "Nothing keeps the event loop of thread main alive. It has been idle for 2.3 s.\n"
        );
        empty.loops[0].activity =
            LoopActivity::Callback { for_ms: Some(70.0), location: Some(location("", "/app/a.js", 1)) };
        assert_eq!(
            empty.to_string(),
            "Nothing keeps the event loop of thread main alive. It runs a callback, /app/a.js:1:3, for 70 ms now.\n"
        );
    }

    #[test]
    fn the_json_has_all_fields_and_can_be_read_back() {
        let entry = WhyEntry { callback: Some(location("f", "/a.js", 1)), ..socket(5) };
        let timeout = WhyEntry { deadline_ms: Some(f64::INFINITY), ..WhyEntry::new("timeout", "") };
        let json = report(vec![entry.clone(), timeout]).to_json();
        let read = Json::parse(&json.to_string()).unwrap();
        assert_eq!(read, json);
        let read_report = WhyReport::from_json(&read);
        assert_eq!(read_report.loops[0].entries[0], entry);
        assert_eq!(read_report, report(vec![entry, WhyEntry::new("timeout", "")]));
        assert_eq!(
            json.get("loops").unwrap().items()[0].get("entries").unwrap().items()[0].to_string(),
            r#"{"kind":"tcp socket","what":"127.0.0.1:5","hasRef":true,"ageMs":500,"createdAt":{"file":"/app/server.js","line":12,"column":3,"function":"connect"},"stack":[{"file":"node:net","line":9,"column":3,"function":"listen"},{"file":"/app/node_modules/pool/index.js","line":77,"column":3,"function":"get"},{"file":"/app/server.js","line":12,"column":3,"function":"connect"}],"callback":{"file":"/a.js","line":1,"column":3,"function":"f"},"remedy":"socket.destroy()"}"#
        );
    }

    #[test]
    fn times_and_plurals_are_for_people() {
        let texts = [0.4, 999.0, 9_960.0, 59_000.0, 3_599_000.0, 7_800_000.0].map(|ms| Time(ms).to_string());
        assert_eq!(texts, ["0 ms", "999 ms", "10 s", "59 s", "59 min 59 s", "2 h 10 min"]);
        assert_eq!(["child process", "tcp socket", "query"].map(plural), ["child processes", "tcp sockets", "queries"]);
    }
}
