//! Makes the recording of a program that does not exist: an HTTP server that reads files, with a worker, late timers, a slow
//! report and a pool that is too small. It exercises everything that a trace can show, in any size.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use phasor_lens::{
    CallbackKind, CounterKind, FindingKind, Location, ProcessInfo, Record, RecordKind, Recording, ResourceId,
    ResourceKind, SpanKind, THREW, ThreadInfo, ThreadRecording,
};

const US: u64 = 1000;
const MS: u64 = 1_000_000;

/// What will happen, by its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Happening {
    /// A timer is due: its resource, the interval, and what it does.
    Timer(u64, u64, u8),
    /// A request of an HTTP client arrives.
    Arrival(u64),
    /// A file operation is done: its request, its span, the step of the HTTP request, the pool thread, its start and end.
    FileDone(u64, u64, u8, u16, u64, u64),
    /// The worker has answered.
    Message(u64),
}

/// Writes the records of one thread.
struct Writer {
    thread: ThreadRecording,
    now_ns: u64,
    random: u64,
    /// The begins of open callbacks: the causes of what their code asks for.
    open: Vec<u64>,
    callbacks: usize,
}

impl Writer {
    fn new(name: &str, os_id: u64, seed: u64) -> Writer {
        let info = ThreadInfo { name: name.to_owned(), os_id };
        let thread = ThreadRecording { info, ..ThreadRecording::default() };
        Writer { thread, now_ns: 40 * US, random: seed, open: Vec::new(), callbacks: 0 }
    }

    /// A number below `end`.
    fn random(&mut self, end: u64) -> u64 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) % end.max(1)
    }

    fn record(&mut self, kind: RecordKind, code: u16, word: u32, a: u64, b: u64) {
        self.thread.records.push(Record { code, word, a, b, ..Record::new(self.now_ns, kind) });
    }

    fn location(&mut self, function: &str, file: &str, line: u32) -> u32 {
        let location = Location { function: function.into(), file: file.into(), line, column: 9 };
        let known = self.thread.locations.iter().find(|(_, known)| **known == location).map(|(id, _)| *id);
        known.unwrap_or_else(|| {
            let id = self.thread.locations.len() as u32 + 1;
            self.thread.locations.insert(id, location);
            id
        })
    }

    fn stack(&mut self, locations: Vec<u32>) -> u32 {
        let known = self.thread.stacks.iter().find(|(_, known)| **known == locations).map(|(id, _)| *id);
        known.unwrap_or_else(|| {
            let id = self.thread.stacks.len() as u32 + 1;
            self.thread.stacks.insert(id, locations);
            id
        })
    }

    fn label(&mut self, text: &str) -> u32 {
        let known = self.thread.labels.iter().find(|(_, known)| *known == text).map(|(id, _)| *id);
        known.unwrap_or_else(|| {
            let id = self.thread.labels.len() as u32 + 1;
            self.thread.labels.insert(id, text.into());
            id
        })
    }

    /// Runs for up to twice this time.
    fn work(&mut self, ns: u64) {
        self.now_ns += ns / 2 + self.random(ns);
    }

    fn begin(&mut self, kind: CallbackKind, location: u32, resource: u64, cause_ns: u64) {
        self.record(RecordKind::CallbackBegin, kind as u16, location, resource, cause_ns);
        self.open.push(self.now_ns);
        self.callbacks += 1;
        self.now_ns += 300;
    }

    fn end(&mut self, ticks: u32, microtasks: u64) {
        self.now_ns += 200;
        self.open.pop();
        self.record(RecordKind::CallbackEnd, 0, ticks, microtasks, 0);
    }

    /// The cause of what the innermost callback asks for.
    fn cause(&self) -> u64 {
        self.open.last().copied().unwrap_or(0)
    }
}

/// The threads of the server.
struct Server {
    main: Writer,
    worker: Writer,
    happenings: BinaryHeap<Reverse<(u64, Happening)>>,
    /// When each of the four threads of the pool is free.
    pool: [u64; 4],
    next_id: u64,
    immediates: Vec<(u64, u64)>,
    pending: u64,
}

/// The recording of a run with about this many callbacks.
pub(crate) fn generate(callbacks: usize) -> Recording {
    let mut server = Server {
        main: Writer::new("main", 4711, 7),
        worker: Writer::new("worker 1", 4713, 11),
        happenings: BinaryHeap::new(),
        pool: [0; 4],
        next_id: 100,
        immediates: Vec::new(),
        pending: 0,
    };
    server.script();
    while server.main.callbacks + server.worker.callbacks < callbacks {
        server.turn();
    }
    server.close();
    let process = ProcessInfo {
        pid: 4711,
        parent: 1,
        arguments: vec!["phasor".into(), "server.js".into()],
        runtime: "phasor 0.1.0".into(),
        started_unix_ns: 1_795_000_000_000_000_000,
        started_ns: 5_000_000_000,
    };
    Recording { process, threads: [(1, server.main.thread), (2, server.worker.thread)].into(), is_complete: true }
}

impl Server {
    fn id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    fn at(&mut self, time_ns: u64, happening: Happening) {
        self.happenings.push(Reverse((time_ns, happening)));
    }

    fn start_timer(&mut self, location: u32, delay_ms: u64, repeats: bool, action: u8) {
        let id = ResourceId::script(self.id()).0;
        let main = &mut self.main;
        let listen = main.location("listen", "/srv/app/server.js", 12);
        let stack = main.stack(vec![location, listen]);
        let interval = if repeats { delay_ms } else { 0 };
        main.record(RecordKind::Created, ResourceKind::Timeout as u16, stack, id, 0);
        main.record(RecordKind::TimerStarted, 0, stack, id, delay_ms | interval << 32);
        let due = main.now_ns + delay_ms * MS;
        self.at(due, Happening::Timer(id, interval, action));
    }

    fn script(&mut self) {
        let main = &mut self.main;
        let script = main.location("", "/srv/app/server.js", 1);
        main.begin(CallbackKind::Script, script, 0, 0);
        for (name, ms) in [("node:http", 3), ("express", 21), ("./routes.js", 9), ("./report.js", 4)] {
            let (label, span) = (main.label(name), ResourceId::span(ms).0);
            main.record(RecordKind::SpanBegin, SpanKind::Module as u16, label, span, 0);
            main.work(ms * MS);
            if name == "./routes.js" {
                let (label, inner) = (main.label("readFileSync config.json"), ResourceId::span(1000).0);
                main.record(RecordKind::SpanBegin, SpanKind::Sync as u16, label, inner, 0);
                main.work(2 * MS);
                main.record(RecordKind::SpanEnd, 0, 0, inner, 0);
            }
            main.record(RecordKind::SpanEnd, 0, 0, span, 0);
        }
        let label = main.label("listening");
        main.record(RecordKind::Mark, 0, label, 0, 0);
        let (stats, watchdog, report) = (
            main.location("collectStats", "/srv/app/stats.js", 31),
            main.location("checkSessions", "/srv/app/sessions.js", 8),
            main.location("scheduleReport", "/srv/app/report.js", 70),
        );
        self.start_timer(stats, 10, true, 0);
        self.start_timer(watchdog, 100, true, 1);
        self.start_timer(report, 400, true, 2);
        let (end, cause) = (self.main.now_ns, self.main.cause());
        self.immediates.push((cause, 0));
        for number in 0..24 {
            self.at(end + number * 130 * US, Happening::Arrival(number));
        }
        self.main.end(3, 41);
    }

    /// One turn of the loop: timers, poll, check.
    fn turn(&mut self) {
        self.main.record(RecordKind::Turn, 0, 0, self.main.callbacks as u64, 0);
        self.main.now_ns += 250;
        let now_ns = self.main.now_ns;
        let mut due = Vec::new();
        let mut others = Vec::new();
        while let Some(Reverse((at_ns, happening))) = self.happenings.pop() {
            match happening {
                _ if at_ns > now_ns => {
                    self.happenings.push(Reverse((at_ns, happening)));
                    break;
                }
                Happening::Timer(id, interval, action) => due.push((at_ns, id, interval, action)),
                _ => others.push(happening),
            }
        }
        if !due.is_empty() {
            self.timers_phase(due);
        }
        // The poll waits if there is nothing to do.
        let next_ns = self.happenings.peek().map_or(self.main.now_ns, |Reverse((at_ns, _))| *at_ns);
        let waits = others.is_empty() && self.immediates.is_empty() && next_ns > self.main.now_ns;
        let timeout = if waits { ((next_ns - self.main.now_ns) / MS) as u32 + 1 } else { 0 };
        self.main.record(RecordKind::PollBegin, 0, timeout, 0, 0);
        self.main.now_ns = if waits { next_ns.max(self.main.now_ns) } else { self.main.now_ns + 400 };
        self.main.record(RecordKind::PollEnd, 0, others.len() as u32, 0, 0);
        if !others.is_empty() {
            self.main.record(RecordKind::PhaseBegin, 4, 0, 0, 0);
            others.into_iter().for_each(|happening| self.poll_event(happening));
            self.main.record(RecordKind::PhaseEnd, 4, 0, 0, 0);
        }
        self.check_phase();
    }

    fn timers_phase(&mut self, due: Vec<(u64, u64, u64, u8)>) {
        self.main.record(RecordKind::PhaseBegin, 0, 0, 0, 0);
        self.main.begin(CallbackKind::Timer, 0, 0, 0);
        for (due_ns, id, interval, action) in due {
            let late_us = self.main.now_ns.saturating_sub(due_ns) / US;
            self.main.record(RecordKind::Counter, CounterKind::TimerLateness as u16, 0, late_us, 0);
            let main = &mut self.main;
            let (function, file, line) = match action {
                0 => ("collectStats", "/srv/app/stats.js", 32),
                1 => ("checkSessions", "/srv/app/sessions.js", 9),
                2 => ("renderReport", "/srv/app/report.js", 88),
                _ => ("onTimeout", "/srv/app/routes.js", 140),
            };
            let location = main.location(function, file, line);
            main.begin(CallbackKind::Timeout, location, id, 0);
            match action {
                0 => main.work(60 * US),
                1 => self.sweep(),
                2 => self.report(),
                _ => main.work(15 * US),
            }
            self.main.end(0, 2);
            if interval > 0 {
                self.at(self.main.now_ns + interval * MS, Happening::Timer(id, interval, action));
            }
        }
        self.main.end(0, 0);
        self.main.record(RecordKind::PhaseEnd, 0, 0, 0, 0);
    }

    /// Many microtasks, each with a record.
    fn sweep(&mut self) {
        let main = &mut self.main;
        main.work(200 * US);
        let location = main.location("expire", "/srv/app/sessions.js", 21);
        let cause = main.cause();
        main.begin(CallbackKind::Drain, 0, 0, 0);
        for _ in 0..12 {
            main.begin(CallbackKind::Microtask, location, 0, cause);
            main.work(9 * US);
            main.end(0, 0);
        }
        main.end(0, 0);
        let value = 30_000_000 + main.random(20_000_000);
        main.record(RecordKind::Counter, CounterKind::HeapBytes as u16, 0, value, 0);
    }

    /// The code that blocks: a report, with a garbage collection in it, and an answer of the worker.
    fn report(&mut self) {
        let main = &mut self.main;
        main.work(40 * MS);
        let began = main.now_ns;
        main.work(4 * MS);
        main.record(RecordKind::Collection, 1, 0, main.now_ns, 0);
        if let Some(last) = main.thread.records.last_mut() {
            last.time_ns = began;
        }
        main.work(30 * MS);
        let flow = self.id();
        let main = &mut self.main;
        main.record(RecordKind::MessageSent, 0, 18_432, flow, 3);
        let sent_ns = main.now_ns;
        // The worker gets it, works, and answers.
        let worker = &mut self.worker;
        worker.now_ns = worker.now_ns.max(sent_ns);
        worker.record(RecordKind::PollBegin, 0, u32::MAX, 0, 0);
        worker.now_ns += 40 * US;
        worker.record(RecordKind::PollEnd, 0, 1, 0, 0);
        worker.record(RecordKind::PhaseBegin, 4, 0, 0, 0);
        worker.begin(CallbackKind::Async, 0, 5, 0);
        let location = worker.location("onJob", "/srv/app/worker.js", 5);
        worker.begin(CallbackKind::Message, location, 0, 0);
        worker.record(RecordKind::MessageReceived, 0, 18_432, flow, 3);
        worker.work(22 * MS);
        let answer = flow + 500_000_000;
        worker.record(RecordKind::MessageSent, 0, 2_048, answer, 3);
        let answered_ns = worker.now_ns;
        worker.end(1, 4);
        worker.end(0, 0);
        worker.record(RecordKind::PhaseEnd, 4, 0, 0, 0);
        self.at(answered_ns + 30 * US, Happening::Message(answer));
    }

    fn poll_event(&mut self, happening: Happening) {
        match happening {
            Happening::Arrival(connection) => self.arrival(connection),
            Happening::FileDone(request, span, step, thread, started_ns, finished_ns) => {
                self.file_done(request, span, step, (thread, started_ns, finished_ns));
            }
            Happening::Message(flow) => {
                let main = &mut self.main;
                main.begin(CallbackKind::Async, 0, 9, 0);
                main.record(RecordKind::MessageReceived, 0, 2_048, flow, 3);
                let location = main.location("onReport", "/srv/app/report.js", 104);
                main.begin(CallbackKind::Message, location, 0, 0);
                main.work(120 * US);
                main.end(1, 6);
                main.end(0, 0);
            }
            Happening::Timer(..) => {}
        }
    }

    /// A request of a client: the handler begins to read a file.
    fn arrival(&mut self, connection: u64) {
        let handle = 1 << 60 | (connection + 10);
        let span = ResourceId::span(self.id()).0;
        let main = &mut self.main;
        let parser = main.location("parserOnIncoming", "node:_http_server", 1050);
        main.begin(CallbackKind::Readable, parser, handle, 0);
        if main.thread.resources.insert(ResourceId(handle), format!("127.0.0.1:{}", 40_000 + connection)).is_none() {
            let stack = main.stack(vec![parser]);
            main.record(RecordKind::Created, ResourceKind::Tcp as u16, stack, handle, 0);
        }
        main.work(12 * US);
        let path = ["/", "/users/17", "/users/17/orders", "/report", "/style.css"][main.random(5) as usize];
        let label = main.label(&format!("GET {path}"));
        main.record(RecordKind::SpanBegin, SpanKind::HttpServer as u16, label, span, handle);
        let handler = main.location("onRequest", "/srv/app/routes.js", 24);
        main.begin(CallbackKind::Listener, handler, 0, main.cause());
        main.work(25 * US);
        self.read_file(span, 1, handler);
        let main = &mut self.main;
        let cause = main.cause();
        main.end(0, 0);
        let tick = main.location("readNext", "/srv/app/stream.js", 51);
        main.begin(CallbackKind::Tick, tick, 0, cause);
        main.work(6 * US);
        main.end(0, 0);
        main.end(0, 3);
    }

    fn read_file(&mut self, span: u64, step: u8, caller: u32) {
        let request = 2 << 60 | self.id();
        let main = &mut self.main;
        let read = main.location("readTemplate", "/srv/app/templates.js", 17);
        let stack = main.stack(vec![read, caller]);
        main.record(RecordKind::RequestBegun, ResourceKind::Fs as u16, stack, request, 0);
        let file = ["index.html", "user.html", "orders.html"][main.random(3) as usize];
        if main.thread.resources.len() < 5000 {
            main.thread.resources.insert(ResourceId(request), format!("read /srv/app/templates/{file}"));
        }
        let queued_ns = main.now_ns;
        let duration_ns = 150 * US + main.random(500 * US) + if main.random(60) == 0 { 12 * MS } else { 0 };
        let (number, free_ns) = self.pool.iter_mut().enumerate().min_by_key(|(_, free)| **free).expect("four threads");
        let started_ns = (*free_ns).max(queued_ns + 8 * US);
        let finished_ns = started_ns + duration_ns;
        *free_ns = finished_ns;
        self.pending += 1;
        let pending = self.pending;
        self.main.record(RecordKind::Counter, CounterKind::PoolTasks as u16, 0, pending, 0);
        let done = Happening::FileDone(request, span, step, number as u16 + 1, started_ns, finished_ns);
        self.at(finished_ns + 10 * US, done);
    }

    fn file_done(&mut self, request: u64, span: u64, step: u8, (thread, started_ns, finished_ns): (u16, u64, u64)) {
        self.pending -= 1;
        let pending = self.pending;
        let main = &mut self.main;
        let begun = main
            .thread
            .records
            .iter()
            .rev()
            .find(|record| record.kind == RecordKind::RequestBegun && record.a == request);
        let queued_us = started_ns.saturating_sub(begun.map_or(started_ns, |record| record.time_ns)) / US;
        main.record(RecordKind::PoolTask, thread, queued_us as u32, request, finished_ns);
        if let Some(last) = main.thread.records.last_mut() {
            last.time_ns = started_ns;
        }
        main.record(RecordKind::Counter, CounterKind::PoolTasks as u16, 0, pending, 0);
        let location = main.location("onTemplate", "/srv/app/templates.js", 29);
        main.begin(CallbackKind::Done, location, request, 0);
        main.work(30 * US);
        if step < 3 {
            self.read_file(span, step + 1, location);
            self.main.end(1, 2);
            return;
        }
        let (render, cause) = (main.location("render", "/srv/app/templates.js", 44), main.cause());
        main.begin(CallbackKind::Microtask, render, 0, cause);
        main.work(45 * US);
        let cause = main.cause();
        self.immediates.push((cause, span));
        let main = &mut self.main;
        main.end(0, 0);
        main.end(2, 5);
    }

    /// The immediates: the answers to HTTP requests.
    fn check_phase(&mut self) {
        let immediates = std::mem::take(&mut self.immediates);
        if immediates.is_empty() {
            return;
        }
        self.main.record(RecordKind::PhaseBegin, 5, 0, 0, 0);
        self.main.begin(CallbackKind::Check, 0, 3, 0);
        for (cause_ns, span) in immediates {
            let main = &mut self.main;
            let location = main.location("sendResponse", "/srv/app/routes.js", 61);
            main.begin(CallbackKind::Immediate, location, 0, cause_ns);
            main.work(18 * US);
            let fails = span != 0 && main.random(400) == 0;
            if span != 0 {
                main.record(RecordKind::SpanEnd, 0, if fails { 500 } else { 200 }, span, 4_096);
            }
            main.end(1, 1);
            if fails {
                if let Some(last) = main.thread.records.last_mut() {
                    last.flags = THREW;
                }
                let label = main.label("'error' of Socket");
                main.record(RecordKind::Finding, FindingKind::EventBeforeListener as u16, label, 1, 1);
            }
            // The client asks again after a while.
            let pause = 300 * US + main.random(2 * MS);
            let (next_ns, connection) = (main.now_ns + pause, main.random(24));
            if span != 0 {
                self.at(next_ns, Happening::Arrival(connection));
            }
        }
        self.main.end(0, 0);
        self.main.record(RecordKind::PhaseEnd, 5, 0, 0, 0);
    }

    fn close(&mut self) {
        let main = &mut self.main;
        main.record(RecordKind::PhaseBegin, 6, 0, 0, 0);
        main.begin(CallbackKind::Closed, 0, 1 << 60 | 10, 0);
        main.work(5 * US);
        main.end(0, 0);
        main.record(RecordKind::PhaseEnd, 6, 0, 0, 0);
    }
}

/// Recordings as no program should make them: two processes, one of them killed, many threads, callbacks that are nested deeply or take no
/// time, ends without begins, numbers that nothing defines, missing records.
pub(crate) fn generate_odd() -> Vec<Recording> {
    let mut first = Recording { is_complete: false, ..Recording::default() };
    first.process.arguments = vec!["odd </script> & \"names\"".into(), "\u{1f980}".into()];
    for number in 1..=40 {
        let mut writer = Writer::new(&format!("worker {number}"), 0, number);
        writer.now_ns = number * MS;
        writer.record(RecordKind::Lost, 0, 0, 1_000 * number, 0);
        writer.record(RecordKind::CallbackEnd, 0, 0, 0, 0);
        for _ in 0..number {
            writer.begin(CallbackKind::Microtask, 77, 99, 5);
            writer.work(US);
        }
        for _ in 0..number {
            writer.end(0, u64::MAX);
        }
        writer.record(RecordKind::CallbackBegin, 999, 3, 0, u64::MAX);
        writer.record(RecordKind::CallbackEnd, 0, 0, 0, 0);
        writer.record(RecordKind::Lost, 0, 0, 7, 0);
        writer.work(2 * MS);
        writer.record(RecordKind::PollBegin, 0, u32::MAX, 0, 0);
        writer.work(3 * MS);
        writer.record(RecordKind::SpanBegin, SpanKind::User as u16, 5, 1, 0);
        writer.record(RecordKind::MessageReceived, 0, 5, number, 0);
        writer.record(RecordKind::Finding, 2, 0, 0, 3);
        writer.begin(CallbackKind::Timer, 0, 0, 0);
        first.threads.insert(number as u32, writer.thread);
    }
    let mut second = Recording::default();
    second.process.started_ns = 3 * MS;
    second.process.pid = 7;
    second.threads.insert(1, ThreadRecording::default());
    vec![first, second]
}
