//! Writes a trace in the Trace Event Format, which Perfetto (<https://ui.perfetto.dev>) and `chrome://tracing` open.
//!
//! The format is JSON: <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>. Callbacks, phases and
//! polls are complete events (`X`), which nest by their times; causes are flows (`s`, `t`, `f`); spans are asynchronous events
//! (`b`, `e`); marks are instant events (`i`); counters are `C`. Times are microseconds with three decimals.

use std::collections::HashSet;
use std::io::{self, Write};

use super::text::{callback_name, write_string};
use crate::definition::Location;
use crate::record::CounterKind;
use crate::trace::{Callback, CauseKind, PoolTask, StackId, Thread, Trace};

/// The numbers of pool threads, which have no id of the operating system in a recording, follow this one.
const POOL_THREADS: u64 = 1_000_000_000;

/// Ids given to processes and threads whose own are unknown or used twice.
const SUBSTITUTES: u64 = 2_000_000_000;

/// Writes a trace as JSON in the Trace Event Format.
///
/// # Errors
///
/// Those of the output.
pub fn chrome(trace: &Trace, out: impl Write) -> io::Result<()> {
    let ids = Ids::new(trace);
    let mut out = io::BufWriter::with_capacity(1 << 16, out);
    write!(
        out,
        r#"{{"displayTimeUnit":"ns","otherData":{{"startedUnixNs":"{}"}},"traceEvents":["#,
        trace.started_unix_ns
    )?;
    let mut writer = EventWriter { trace, ids: &ids, out, is_first: true };
    for number in 0..trace.processes.len() {
        writer.process(number)?;
    }
    for (number, thread) in trace.threads.iter().enumerate() {
        writer.thread(number, thread)?;
    }
    writer.out.write_all(b"\n]}\n")?;
    writer.out.flush()
}

/// The ids of processes and threads in the output.
struct Ids {
    processes: Vec<u64>,
    threads: Vec<u64>,
}

impl Ids {
    fn new(trace: &Trace) -> Ids {
        let mut used = HashSet::new();
        let mut unique = |id: u64, number: usize| {
            if id != 0 && used.insert(id) { id } else { SUBSTITUTES + number as u64 }
        };
        let processes = trace.processes.iter().zip(0..);
        let processes = processes.map(|(process, number)| unique(u64::from(process.info.pid), number)).collect();
        let mut used = HashSet::new();
        let mut unique = |id: u64, process: u32, number: usize| {
            if id != 0 && used.insert((process, id)) { id } else { SUBSTITUTES + number as u64 }
        };
        let threads = trace.threads.iter().zip(0..);
        let threads = threads.map(|(thread, number)| unique(thread.info.os_id, thread.process, number)).collect();
        Ids { processes, threads }
    }
}

struct EventWriter<'a, W> {
    trace: &'a Trace,
    ids: &'a Ids,
    out: W,
    is_first: bool,
}

impl<W: Write> EventWriter<'_, W> {
    /// Begins an event: its type, its process and thread, its name and category.
    fn begin(&mut self, kind: char, pid: u64, tid: u64, name: &str, category: &str) -> io::Result<()> {
        self.out.write_all(if self.is_first { b"\n" } else { b",\n" })?;
        self.is_first = false;
        write!(self.out, r#"{{"ph":"{kind}","pid":{pid},"tid":{tid},"name":"#)?;
        write_string(&mut self.out, name)?;
        self.out.write_all(br#","cat":"#)?;
        write_string(&mut self.out, category)
    }

    fn time(&mut self, key: &str, ns: u64) -> io::Result<()> {
        write!(self.out, r#","{key}":{}.{:03}"#, ns / 1000, ns % 1000)
    }

    fn end(&mut self) -> io::Result<()> {
        self.out.write_all(b"}")
    }

    fn metadata(&mut self, pid: u64, tid: u64, name: &str, key: &str, value: &str) -> io::Result<()> {
        self.begin('M', pid, tid, name, "__metadata")?;
        write!(self.out, r#","ts":0,"args":{{"{key}":"#)?;
        match value.parse::<u64>() {
            Ok(number) if key == "sort_index" => write!(self.out, "{number}")?,
            _ => write_string(&mut self.out, value)?,
        }
        self.out.write_all(b"}}")
    }

    fn process(&mut self, number: usize) -> io::Result<()> {
        let (trace, pid) = (self.trace, self.ids.processes[number]);
        let process = &trace.processes[number];
        let first = process.threads.first().map_or(pid, |thread| self.ids.threads[*thread as usize]);
        let name = process.info.arguments.join(" ");
        self.metadata(pid, first, "process_name", "name", if name.is_empty() { "phasor" } else { &name })?;
        self.metadata(pid, first, "process_sort_index", "sort_index", &number.to_string())?;
        if !process.info.runtime.is_empty() {
            self.metadata(pid, first, "process_labels", "labels", &process.info.runtime)?;
        }
        for pool_thread in &process.pool {
            let tid = POOL_THREADS + u64::from(pool_thread.number);
            self.metadata(pid, tid, "thread_name", "name", &format!("pool {}", pool_thread.number))?;
            self.metadata(pid, tid, "thread_sort_index", "sort_index", &tid.to_string())?;
            pool_thread.tasks.iter().try_for_each(|task| self.pool_task(pid, tid, task))?;
        }
        Ok(())
    }

    fn pool_task(&mut self, pid: u64, tid: u64, task: &PoolTask) -> io::Result<()> {
        let thread = self.trace.threads.get(task.thread as usize);
        let request = thread.zip(task.request).and_then(|(thread, request)| thread.requests.get(request as usize));
        let name = request.and_then(|request| request.kind).map_or("task", |kind| kind.name());
        self.begin('X', pid, tid, name, "pool")?;
        self.time("ts", task.begin_ns)?;
        self.time("dur", task.duration_ns())?;
        self.out.write_all(br#","args":{"#)?;
        write!(self.out, r#""queued_us":{}.{:03}"#, task.wait_ns() / 1000, task.wait_ns() % 1000)?;
        if let Some((thread, request)) = thread.zip(request) {
            let description = thread.resource(request.id).map_or("", |resource| &resource.description);
            self.text_argument("about", description)?;
            self.stack_argument(request.stack)?;
        }
        self.out.write_all(b"}")?;
        self.end()?;
        // The flow from the request to its callback goes through the pool.
        let callback = request.and_then(|request| request.callback);
        let caused =
            thread.zip(callback).and_then(|(thread, index)| Some((thread.callbacks.get(index as usize)?, index)));
        if let Some((callback, index)) = caused
            && callback.cause.is_some_and(|cause| cause.callback.is_some() && cause.kind == CauseKind::RequestBegun)
        {
            self.flow('t', pid, tid, task.begin_ns, (task.thread, index), CauseKind::RequestBegun.name())?;
        }
        Ok(())
    }

    fn flow(&mut self, kind: char, pid: u64, tid: u64, at_ns: u64, to: (u32, u32), name: &str) -> io::Result<()> {
        self.begin(kind, pid, tid, name, "cause")?;
        self.time("ts", at_ns)?;
        write!(self.out, r#","id":"{:x}""#, u64::from(to.0) << 32 | u64::from(to.1))?;
        if kind == 'f' {
            self.out.write_all(br#","bp":"e""#)?;
        }
        self.end()
    }

    fn text_argument(&mut self, key: &str, text: &str) -> io::Result<()> {
        if !text.is_empty() {
            write!(self.out, r#","{key}":"#)?;
            write_string(&mut self.out, text)?;
        }
        Ok(())
    }

    fn stack_argument(&mut self, stack: StackId) -> io::Result<()> {
        let lines: Vec<String> = self.trace.stack(stack).map(Location::to_string).collect();
        self.text_argument("stack", &lines.join("\n"))
    }

    fn thread(&mut self, number: usize, thread: &Thread) -> io::Result<()> {
        let pid = self.ids.processes[thread.process as usize];
        let tid = self.ids.threads[number];
        self.metadata(pid, tid, "thread_name", "name", &thread.info.name)?;
        self.metadata(pid, tid, "thread_sort_index", "sort_index", &number.to_string())?;
        for phase in &thread.phases {
            self.slice(pid, tid, phase.phase.name(), "phase", phase.begin_ns, phase.end_ns)?;
            self.end()?;
        }
        for poll in thread.polls.iter().filter(|poll| poll.duration_ns() > 0) {
            self.slice(pid, tid, "poll", "poll", poll.begin_ns, poll.end_ns)?;
            let timeout = poll.timeout_ms.map_or("null".to_owned(), |ms| ms.to_string());
            write!(self.out, r#","args":{{"timeout_ms":{timeout},"ready":{}}}"#, poll.ready)?;
            self.end()?;
        }
        for (callback, index) in thread.callbacks.iter().zip(0..) {
            self.callback(pid, tid, thread, callback)?;
            self.cause(pid, tid, callback, (number as u32, index))?;
        }
        for collection in &thread.collections {
            let name = if collection.is_full { "full garbage collection" } else { "garbage collection" };
            self.slice(pid, tid, name, "gc", collection.begin_ns, collection.end_ns)?;
            self.end()?;
        }
        self.spans(pid, tid, thread)?;
        for mark in &thread.marks {
            self.instant(pid, tid, self.trace.label(mark.label), "mark", mark.at_ns)?;
        }
        for finding in &thread.findings {
            let name = format!("{}: {}", finding.kind.name(), self.trace.label(finding.label));
            self.instant(pid, tid, &name, "finding", finding.at_ns)?;
        }
        for loss in &thread.losses {
            self.instant(pid, tid, &format!("{} records are missing", loss.records), "lost", loss.begin_ns)?;
        }
        for counter in &thread.counters {
            // Perfetto keeps counters by process and name.
            let name = match counter.kind {
                CounterKind::TimerLateness => format!("{}: timer lateness (µs)", thread.info.name),
                kind => format!("{}: {}", thread.info.name, kind.name()),
            };
            self.begin('C', pid, tid, &name, "counter")?;
            self.time("ts", counter.at_ns)?;
            write!(self.out, r#","args":{{"value":{}}}"#, counter.value)?;
            self.end()?;
        }
        Ok(())
    }

    /// Begins a complete event.
    fn slice(&mut self, pid: u64, tid: u64, name: &str, category: &str, begin_ns: u64, end_ns: u64) -> io::Result<()> {
        self.begin('X', pid, tid, name, category)?;
        self.time("ts", begin_ns)?;
        self.time("dur", end_ns - begin_ns)
    }

    fn instant(&mut self, pid: u64, tid: u64, name: &str, category: &str, at_ns: u64) -> io::Result<()> {
        self.begin('i', pid, tid, name, category)?;
        self.time("ts", at_ns)?;
        self.out.write_all(br#","s":"t""#)?;
        self.end()
    }

    fn callback(&mut self, pid: u64, tid: u64, thread: &Thread, callback: &Callback) -> io::Result<()> {
        let name = callback_name(self.trace, thread, callback);
        let kind = callback.kind.map_or("callback", |kind| kind.name());
        self.slice(pid, tid, &name, kind, callback.begin_ns, callback.end_ns)?;
        self.out.write_all(br#","args":{"kind":"#)?;
        write_string(&mut self.out, kind)?;
        if let Some(location) = self.trace.location(callback.location) {
            self.text_argument("location", &location.to_string())?;
        }
        if let Some(resource) = thread.resource(callback.resource) {
            self.text_argument("resource", resource.kind.map_or("", |kind| kind.name()))?;
            self.text_argument("about", &resource.description)?;
        }
        for (key, count) in [("ticks", callback.ticks), ("microtasks", callback.microtasks)] {
            if count > 0 {
                write!(self.out, r#","{key}":{count}"#)?;
            }
        }
        for (key, flag) in [("threw", callback.threw), ("cut", callback.is_cut)] {
            if flag {
                write!(self.out, r#","{key}":true"#)?;
            }
        }
        if let Some(cause) = callback.cause {
            self.text_argument("cause", cause.kind.name())?;
            self.stack_argument(cause.stack)?;
        }
        self.out.write_all(b"}")?;
        self.end()
    }

    fn cause(&mut self, pid: u64, tid: u64, callback: &Callback, to: (u32, u32)) -> io::Result<()> {
        let Some(cause) = callback.cause else { return Ok(()) };
        let Some(thread) = self.trace.threads.get(cause.thread as usize) else { return Ok(()) };
        let Some(from) = cause.callback.and_then(|index| thread.callbacks.get(index as usize)) else { return Ok(()) };
        let from_pid = self.ids.processes[thread.process as usize];
        let from_tid = self.ids.threads[cause.thread as usize];
        // A flow starts in the slice that is open at its time.
        let at_ns = cause.at_ns.clamp(from.begin_ns, from.end_ns.saturating_sub(1).max(from.begin_ns));
        self.flow('s', from_pid, from_tid, at_ns, to, cause.kind.name())?;
        self.flow('f', pid, tid, callback.begin_ns, to, cause.kind.name())
    }

    fn spans(&mut self, pid: u64, tid: u64, thread: &Thread) -> io::Result<()> {
        for span in &thread.spans {
            let kind = span.kind.map_or("span", |kind| kind.name());
            let label = self.trace.label(span.label);
            let name = if label.is_empty() { kind } else { label };
            let ends = [('b', span.begin_ns), ('e', span.end_ns.unwrap_or(thread.end_ns).max(span.begin_ns))];
            for (event, at_ns) in ends {
                self.begin(event, pid, tid, name, kind)?;
                self.time("ts", at_ns)?;
                write!(self.out, r#","id":"{:x}""#, span.id.0)?;
                if event == 'e' {
                    write!(self.out, r#","args":{{"status":{},"bytes":{}}}"#, span.status, span.bytes)?;
                }
                self.end()?;
            }
        }
        Ok(())
    }
}
