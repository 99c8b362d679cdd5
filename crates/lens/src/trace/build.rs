//! Builds a [`Trace`] from recordings: one pass over the records of each thread, then what crosses threads.

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasherDefault;

use phasor_core::Phase;

use super::{
    Callback, Cause, CauseKind, Collection, CounterValue, Finding, IdHasher, IdMap, LabelId, LocationId, Loss, Mark,
    Message, MessageEnd, PhaseSpan, Poll, PoolTask, PoolThread, Process, Request, Resource, Span, StackId, Thread,
    TimerFire, Trace, Turn,
};
use crate::definition::Location;
use crate::file::{Recording, ThreadRecording};
use crate::record::{
    CallbackKind, CounterKind, FindingKind, Record, RecordKind, ResourceId, ResourceKind, SpanKind, THREW,
};

/// No callback.
const NONE: u32 = u32::MAX;

/// How far a timer may fire before its due time by the clock of the recording: the loop counts in whole milliseconds.
const TIMER_SLACK_NS: u64 = 2_000_000;

impl Trace {
    /// Builds the trace of the processes of one run. Their clocks are brought together by the monotonic clock.
    pub fn new(recordings: &[Recording]) -> Trace {
        let first_ns = recordings.iter().map(|recording| recording.process.started_ns).min().unwrap_or(0);
        let started = recordings.iter().filter(|recording| recording.process.started_ns == first_ns);
        let mut trace = Trace {
            started_unix_ns: started.map(|recording| recording.process.started_unix_ns).min().unwrap_or(0),
            ..Trace::default()
        };
        let mut interner = Interner::default();
        let mut crossing = Crossing::default();
        let mut sorted: Vec<&Recording> = recordings.iter().collect();
        sorted.sort_by_key(|recording| recording.process.started_ns);
        for recording in sorted {
            let process = trace.processes.len() as u32;
            let start_ns = recording.process.started_ns - first_ns;
            let mut threads = Vec::new();
            let mut pool = BTreeMap::new();
            for recorded in recording.threads.values() {
                let number = trace.threads.len() as u32;
                threads.push(number);
                let ids = Ids::new(recorded, &mut interner);
                let mut builder = ThreadBuilder::new(process, number, start_ns, &ids, &mut pool, &mut crossing);
                builder.thread.info = recorded.info.clone();
                recorded.records.iter().for_each(|record| builder.add(record));
                let thread = builder.finish(recorded);
                trace.end_ns = trace.end_ns.max(thread.end_ns);
                trace.threads.push(thread);
            }
            let pool = pool.into_iter().map(|(number, mut tasks): (u16, Vec<PoolTask>)| {
                tasks.sort_by_key(|task| (task.begin_ns, task.end_ns));
                PoolThread { number, tasks }
            });
            trace.processes.push(Process {
                info: recording.process.clone(),
                start_ns,
                threads,
                pool: pool.collect(),
                is_complete: recording.is_complete,
            });
        }
        crossing.apply(&mut trace);
        interner.finish(&mut trace);
        trace
    }
}

/// Gives locations, stacks and labels their numbers in the trace.
#[derive(Default)]
struct Interner {
    locations: Numbering<Location>,
    stacks: Numbering<Vec<LocationId>>,
    labels: Numbering<String>,
}

/// Numbers from 1 for different values; 0 is the default value.
struct Numbering<T>(HashMap<T, u32>);

impl<T> Default for Numbering<T> {
    fn default() -> Numbering<T> {
        Numbering(HashMap::new())
    }
}

impl<T: std::hash::Hash + Eq + Default + Clone> Numbering<T> {
    fn number(&mut self, value: T) -> u32 {
        if value == T::default() {
            return 0;
        }
        let next = self.0.len() as u32 + 1;
        *self.0.entry(value).or_insert(next)
    }

    fn into_values(self) -> Vec<T> {
        let mut values = vec![T::default(); self.0.len() + 1];
        for (value, number) in self.0 {
            values[number as usize] = value;
        }
        values
    }
}

impl Interner {
    fn finish(self, trace: &mut Trace) {
        trace.locations = self.locations.into_values();
        trace.stacks = self.stacks.into_values();
        trace.labels = self.labels.into_values();
    }
}

/// The numbers of the trace for the numbers of one thread.
struct Ids {
    locations: HashMap<u32, u32, BuildHasherDefault<IdHasher>>,
    stacks: HashMap<u32, u32, BuildHasherDefault<IdHasher>>,
    labels: HashMap<u32, u32, BuildHasherDefault<IdHasher>>,
}

impl Ids {
    fn new(recorded: &ThreadRecording, interner: &mut Interner) -> Ids {
        let mut ids = Ids { locations: HashMap::default(), stacks: HashMap::default(), labels: HashMap::default() };
        for (id, location) in &recorded.locations {
            ids.locations.insert(*id, interner.locations.number(location.clone()));
        }
        for (id, stack) in &recorded.stacks {
            let known = stack.iter().map(|location| ids.location(*location)).filter(|location| location.is_some());
            let known: Vec<LocationId> = known.collect();
            ids.stacks.insert(*id, interner.stacks.number(known));
        }
        for (id, label) in &recorded.labels {
            ids.labels.insert(*id, interner.labels.number(label.clone()));
        }
        ids
    }

    fn location(&self, id: u32) -> LocationId {
        LocationId(if id == 0 { 0 } else { self.locations.get(&id).copied().unwrap_or(0) })
    }

    fn stack(&self, id: u32) -> StackId {
        StackId(if id == 0 { 0 } else { self.stacks.get(&id).copied().unwrap_or(0) })
    }

    fn label(&self, id: u32) -> LabelId {
        LabelId(if id == 0 { 0 } else { self.labels.get(&id).copied().unwrap_or(0) })
    }
}

/// What the records of one thread say of another.
#[derive(Default)]
struct Crossing {
    sent: Vec<MessageRecord>,
    received: Vec<MessageRecord>,
    /// Ends of spans that did not begin on the thread: process, span, time, status, bytes.
    span_ends: Vec<(u32, ResourceId, u64, u32, u64)>,
}

/// A message that was sent or that arrived.
#[derive(Clone, Copy)]
struct MessageRecord {
    process: u32,
    flow: u64,
    port: u64,
    bytes: u32,
    end: MessageEnd,
    /// The stack of the code that sent it.
    stack: StackId,
}

impl Crossing {
    fn apply(mut self, trace: &mut Trace) {
        self.sent.sort_by_key(|record| record.end.at_ns);
        let mut by_flow: HashMap<(u32, u64), (u32, StackId)> = HashMap::new();
        for MessageRecord { process, flow, port, bytes, end, stack } in self.sent {
            by_flow.insert((process, flow), (trace.messages.len() as u32, stack));
            trace.messages.push(Message { process, flow, port, bytes, sent: Some(end), received: None });
        }
        for MessageRecord { process, flow, port, bytes, end, .. } in self.received {
            let known = by_flow
                .get(&(process, flow))
                .and_then(|(index, stack)| Some((trace.messages.get_mut(*index as usize)?, *stack)));
            match known {
                Some((message, stack)) => {
                    message.received = Some(end);
                    let target = trace.threads.get_mut(end.thread as usize).zip(end.callback);
                    let target = target.and_then(|(thread, callback)| thread.callbacks.get_mut(callback as usize));
                    if let (Some(callback), Some(sent)) = (target, message.sent) {
                        callback.cause = Some(Cause {
                            kind: CauseKind::MessageSent,
                            at_ns: sent.at_ns,
                            stack,
                            thread: sent.thread,
                            callback: sent.callback,
                        });
                    }
                }
                None => {
                    trace.messages.push(Message { process, flow, port, bytes, sent: None, received: Some(end) });
                }
            }
        }
        if !self.span_ends.is_empty() {
            let mut open: HashMap<(u32, ResourceId), (usize, usize)> = HashMap::new();
            for (number, thread) in trace.threads.iter().enumerate() {
                for (index, span) in thread.spans.iter().enumerate().filter(|(_, span)| span.end_ns.is_none()) {
                    open.insert((thread.process, span.id), (number, index));
                }
            }
            for (process, id, at_ns, status, bytes) in self.span_ends {
                if let Some((thread, index)) = open.remove(&(process, id)) {
                    trace.threads[thread].spans[index].end(at_ns, status, bytes);
                }
            }
        }
    }
}

impl Span {
    fn end(&mut self, at_ns: u64, status: u32, bytes: u64) {
        self.end_ns = Some(at_ns.max(self.begin_ns));
        self.status = status;
        self.bytes = bytes;
    }
}

/// What is known of a resource while records are read, beside what the trace keeps.
#[derive(Clone, Copy, Default)]
struct Asked {
    /// The last cause of a callback of the resource: what the code did, when, its stack and its callback.
    cause: Option<(CauseKind, u64, StackId, u32)>,
    timer: Option<Armed>,
    /// The timer that is due now, if it was started again before its callback began.
    due: Option<Armed>,
}

/// A timer that is running.
#[derive(Clone, Copy)]
struct Armed {
    due_ns: u64,
    delay_ms: u32,
    interval_ms: u32,
}

/// Reads the records of one thread.
struct ThreadBuilder<'a> {
    number: u32,
    offset_ns: u64,
    ids: &'a Ids,
    pool: &'a mut BTreeMap<u16, Vec<PoolTask>>,
    crossing: &'a mut Crossing,
    thread: Thread,
    asked: Vec<Asked>,
    /// The latest time of a record of the loop: time does not go back.
    now_ns: u64,
    is_started: bool,
    /// Open callbacks, the outermost first.
    open: Vec<u32>,
    /// The innermost open callback after each begin and end.
    innermost: Vec<(u64, u32)>,
    phase: Option<usize>,
    is_polling: bool,
    open_spans: IdMap,
    /// Messages that arrived and whose callback has not begun: indices in `crossing.received`, with the depth of the
    /// callback in which they arrived.
    arrived: Vec<(usize, usize)>,
    loss: Option<usize>,
}

impl<'a> ThreadBuilder<'a> {
    fn new(
        process: u32,
        number: u32,
        offset_ns: u64,
        ids: &'a Ids,
        pool: &'a mut BTreeMap<u16, Vec<PoolTask>>,
        crossing: &'a mut Crossing,
    ) -> ThreadBuilder<'a> {
        ThreadBuilder {
            number,
            offset_ns,
            ids,
            pool,
            crossing,
            thread: Thread { process, ..Thread::default() },
            asked: Vec::new(),
            now_ns: 0,
            is_started: false,
            open: Vec::new(),
            innermost: Vec::new(),
            phase: None,
            is_polling: false,
            open_spans: IdMap::default(),
            arrived: Vec::new(),
            loss: None,
        }
    }

    /// A time of the recording as a time of the trace.
    fn time(&self, time_ns: u64) -> u64 {
        time_ns.saturating_add(self.offset_ns)
    }

    fn add(&mut self, record: &Record) {
        let at_ns = self.time(record.time_ns);
        // Their time is a begin that lies before the records around them.
        if matches!(record.kind, RecordKind::PoolTask | RecordKind::Collection) {
            let end_ns = self.time(if record.kind == RecordKind::PoolTask { record.b } else { record.a });
            self.add_finished(record, at_ns, end_ns.max(at_ns));
            return;
        }
        if !self.is_started {
            self.is_started = true;
            self.thread.start_ns = at_ns;
        }
        if record.kind == RecordKind::Lost {
            self.lose(record.a, at_ns);
            return;
        }
        let recorded_ns = at_ns;
        // A span that was recorded at its end began earlier.
        if !matches!(record.kind, RecordKind::SpanBegin | RecordKind::SpanEnd) {
            self.now_ns = self.now_ns.max(at_ns);
        }
        let at_ns = self.now_ns;
        if let Some(loss) = self.loss.take().and_then(|loss| self.thread.losses.get_mut(loss)) {
            loss.end_ns = at_ns.max(loss.begin_ns);
        }
        match record.kind {
            RecordKind::Turn => {
                self.settle();
                self.end_phase();
                if let Some(last) = self.thread.turns.last_mut() {
                    last.end_ns = at_ns;
                }
                self.thread.turns.push(Turn { number: record.a, begin_ns: at_ns, end_ns: at_ns });
            }
            RecordKind::PhaseBegin => {
                self.settle();
                self.end_phase();
                if let Some(phase) = Phase::ALL.get(usize::from(record.code)) {
                    self.phase = Some(self.thread.phases.len());
                    self.thread.phases.push(PhaseSpan { phase: *phase, begin_ns: at_ns, end_ns: at_ns });
                }
            }
            RecordKind::PhaseEnd => {
                self.settle();
                self.end_phase();
            }
            RecordKind::PollBegin => {
                self.settle();
                self.end_poll(0);
                self.is_polling = true;
                let timeout_ms = (record.word != u32::MAX).then_some(record.word);
                self.thread.polls.push(Poll { begin_ns: at_ns, end_ns: at_ns, timeout_ms, ready: 0 });
            }
            RecordKind::PollEnd => self.end_poll(record.word),
            RecordKind::CallbackBegin => self.begin_callback(record),
            RecordKind::CallbackLocated => {
                let location = self.ids.location(record.word);
                if let Some(callback) = self.innermost_mut() {
                    callback.location = location;
                }
            }
            RecordKind::CallbackEnd => {
                if let Some(callback) = self.innermost_mut() {
                    callback.threw = record.flags & THREW != 0;
                    callback.ticks = record.word;
                    callback.microtasks = u32::try_from(record.a).unwrap_or(u32::MAX);
                    self.end_callback(at_ns);
                }
            }
            RecordKind::Created => {
                let stack = self.ids.stack(record.word);
                let created_by = self.open.last().copied();
                let index = self.resource(ResourceId(record.a));
                let resource = &mut self.thread.resources[index];
                resource.kind = ResourceKind::from_number(record.code).or(resource.kind);
                resource.created_ns = Some(at_ns);
                resource.stack = stack;
                resource.created_by = created_by;
                resource.owner = ResourceId(record.b);
                self.ask(index, CauseKind::Created, stack);
            }
            RecordKind::Closed => {
                let index = self.resource(ResourceId(record.a));
                let resource = &mut self.thread.resources[index];
                resource.kind = resource.kind.or(ResourceKind::from_number(record.code));
                resource.closed_ns = Some(at_ns);
                self.asked[index].timer = None;
            }
            RecordKind::TimerStarted => self.start_timer(record),
            RecordKind::RequestBegun => {
                let stack = self.ids.stack(record.word);
                let id = ResourceId(record.a);
                let kind = ResourceKind::from_number(record.code);
                let index = self.resource(id);
                let resource = &mut self.thread.resources[index];
                resource.kind = kind.or(resource.kind);
                resource.request = Some(self.thread.requests.len() as u32);
                self.thread.requests.push(Request {
                    id,
                    kind,
                    begin_ns: at_ns,
                    stack,
                    begun_by: self.open.last().copied(),
                    handle: ResourceId(record.b),
                    pool: None,
                    callback: None,
                });
                self.ask(index, CauseKind::RequestBegun, stack);
            }
            RecordKind::MessageSent => {
                let sent = self.message(record, self.open.last().copied());
                self.crossing.sent.push(sent);
            }
            RecordKind::MessageReceived => self.receive(record),
            RecordKind::SpanBegin => {
                let id = ResourceId(record.a);
                self.open_spans.insert(id, self.thread.spans.len() as u32);
                self.thread.spans.push(Span {
                    id,
                    kind: SpanKind::from_number(record.code),
                    label: self.ids.label(record.word),
                    begin_ns: recorded_ns,
                    end_ns: None,
                    status: 0,
                    bytes: 0,
                    owner: ResourceId(record.b),
                    callback: self.open.last().copied(),
                });
            }
            RecordKind::SpanEnd => {
                let id = ResourceId(record.a);
                match self.open_spans.remove(&id) {
                    Some(index) => self.thread.spans[index as usize].end(recorded_ns, record.word, record.b),
                    None => {
                        self.crossing.span_ends.push((self.thread.process, id, recorded_ns, record.word, record.b));
                    }
                }
            }
            RecordKind::Mark => {
                let label = self.ids.label(record.word);
                self.thread.marks.push(Mark { at_ns, label, callback: self.open.last().copied() });
            }
            RecordKind::Counter => {
                if let Some(kind) = CounterKind::from_number(record.code) {
                    self.thread.counters.push(CounterValue { at_ns, kind, value: record.a });
                }
            }
            RecordKind::Finding => {
                if let Some(kind) = FindingKind::from_number(record.code) {
                    self.thread.findings.push(Finding {
                        at_ns,
                        kind,
                        label: self.ids.label(record.word),
                        subject: record.a,
                        number: record.b as u32,
                        stack: self.ids.stack((record.b >> 32) as u32),
                        callback: self.open.last().copied(),
                    });
                }
            }
            RecordKind::PoolTask | RecordKind::Collection | RecordKind::Lost => {}
        }
    }

    /// A record of what had ended when it was written.
    fn add_finished(&mut self, record: &Record, begin_ns: u64, end_ns: u64) {
        if record.kind == RecordKind::Collection {
            self.thread.collections.push(Collection { begin_ns, end_ns, is_full: record.code != 0 });
            return;
        }
        let resource = self.thread.resource_index.get(&ResourceId(record.a)).copied();
        let request = resource.and_then(|index| self.thread.resources[index as usize].request);
        if let Some(request) = request.and_then(|index| self.thread.requests.get_mut(index as usize)) {
            request.pool = Some((record.code, begin_ns, end_ns));
        }
        let queued_ns = begin_ns.saturating_sub(u64::from(record.word) * 1000);
        let task = PoolTask { queued_ns, begin_ns, end_ns, thread: self.number, request };
        self.pool.entry(record.code).or_default().push(task);
    }

    /// Records are missing. What was open may have ended meanwhile, so that it ends here.
    fn lose(&mut self, records: u64, at_ns: u64) {
        let begin_ns = if self.now_ns == 0 { at_ns } else { self.now_ns };
        self.settle();
        self.end_phase();
        self.end_poll(0);
        self.loss = Some(self.thread.losses.len());
        self.thread.losses.push(Loss { begin_ns, end_ns: at_ns.max(begin_ns), records });
    }

    fn innermost_mut(&mut self) -> Option<&mut Callback> {
        self.thread.callbacks.get_mut(*self.open.last()? as usize)
    }

    /// Cuts callbacks that are still open at the last time: they cannot be, or nothing more is known of them.
    fn settle(&mut self) {
        while let Some(callback) = self.innermost_mut() {
            callback.is_cut = true;
            self.end_callback(self.now_ns);
        }
    }

    fn end_phase(&mut self) {
        if let Some(phase) = self.phase.take().and_then(|phase| self.thread.phases.get_mut(phase)) {
            phase.end_ns = self.now_ns.max(phase.begin_ns);
        }
    }

    fn end_poll(&mut self, ready: u32) {
        if std::mem::take(&mut self.is_polling)
            && let Some(poll) = self.thread.polls.last_mut()
        {
            poll.end_ns = self.now_ns;
            poll.ready = ready;
        }
    }

    /// The innermost callback that was open at a time; of callbacks that began just then, the last one.
    fn callback_at(&self, at_ns: u64) -> u32 {
        let end = self.innermost.partition_point(|(time_ns, _)| *time_ns <= at_ns);
        let same = self.innermost[..end].iter().rev().take_while(|(time_ns, _)| *time_ns == at_ns).take(16);
        let began = |index: u32| self.thread.callbacks.get(index as usize).is_some_and(|at| at.begin_ns == at_ns);
        let just_began = same.map(|(_, index)| *index).find(|index| began(*index));
        just_began.or_else(|| self.innermost[..end].last().map(|(_, index)| *index)).unwrap_or(NONE)
    }

    fn begin_callback(&mut self, record: &Record) {
        let begin_ns = self.now_ns;
        self.end_poll(0);
        let kind = CallbackKind::from_number(record.code);
        let resource = ResourceId(record.a);
        let index = self.thread.callbacks.len() as u32;
        let known = if resource.is_some() { self.thread.resource_index.get(&resource).copied() } else { None };
        let mut asked = None;
        if let Some(known) = known.map(|known| known as usize) {
            let resource = &mut self.thread.resources[known];
            resource.callbacks = resource.callbacks.saturating_add(1);
            let request = resource.request.and_then(|request| self.thread.requests.get_mut(request as usize));
            if let Some(request) = request
                && request.callback.is_none()
            {
                request.callback = Some(index);
            }
            asked = self.asked[known].cause;
            if matches!(kind, Some(CallbackKind::Timer | CallbackKind::Timeout)) {
                self.fire_timer(known, index);
            }
        }
        let mut cause = self.cause(record.b, asked);
        // Each of these is made by the call that queues it.
        if let Some(cause) = &mut cause
            && matches!(kind, Some(CallbackKind::Immediate | CallbackKind::Tick | CallbackKind::Microtask))
            && cause.kind == CauseKind::Created
        {
            cause.kind = CauseKind::Queued;
        }
        self.thread.callbacks.push(Callback {
            begin_ns,
            end_ns: begin_ns,
            kind,
            threw: false,
            is_cut: false,
            depth: u16::try_from(self.open.len()).unwrap_or(u16::MAX),
            parent: self.open.last().copied(),
            location: self.ids.location(record.word),
            resource,
            ticks: 0,
            microtasks: 0,
            inner_ns: 0,
            cause,
        });
        self.open.push(index);
        self.innermost.push((begin_ns, index));
        if kind == Some(CallbackKind::Message)
            && let Some((message, _)) = self.arrived.pop()
        {
            self.crossing.received[message].end.callback = Some(index);
        }
    }

    /// The cause of a callback: the code that ran at `at_ns`, else what the resource was last asked for.
    fn cause(&self, at_ns: u64, asked: Option<(CauseKind, u64, StackId, u32)>) -> Option<Cause> {
        if at_ns == 0 {
            let (kind, at_ns, stack, callback) = asked?;
            let callback = (callback != NONE).then_some(callback);
            return Some(Cause { kind, at_ns, stack, thread: self.number, callback });
        }
        let at_ns = self.time(at_ns);
        let callback = self.callback_at(at_ns);
        // What was recorded of the resource may add its stack.
        let (kind, stack) = match asked {
            Some((kind, _, stack, by)) if by == callback => (kind, stack),
            _ => (CauseKind::Queued, StackId(0)),
        };
        Some(Cause { kind, at_ns, stack, thread: self.number, callback: (callback != NONE).then_some(callback) })
    }

    fn end_callback(&mut self, at_ns: u64) {
        let Some(index) = self.open.pop() else { return };
        let callback = &mut self.thread.callbacks[index as usize];
        callback.end_ns = at_ns.max(callback.begin_ns);
        let duration_ns = callback.duration_ns();
        if let Some(parent) = callback.parent {
            self.thread.callbacks[parent as usize].inner_ns += duration_ns;
        }
        self.innermost.push((at_ns, self.open.last().copied().unwrap_or(NONE)));
        while self.arrived.last().is_some_and(|(_, depth)| *depth > self.open.len()) {
            self.arrived.pop();
        }
    }

    /// The index of a resource, which is added if no record has named it.
    fn resource(&mut self, id: ResourceId) -> usize {
        let next = self.thread.resources.len() as u32;
        let index = *self.thread.resource_index.entry(id).or_insert(next);
        if index == next {
            self.asked.push(Asked::default());
            self.thread.resources.push(Resource {
                id,
                kind: None,
                created_ns: None,
                stack: StackId(0),
                created_by: None,
                owner: ResourceId::NONE,
                closed_ns: None,
                starts: 0,
                repeat_ms: 0,
                callbacks: 0,
                request: None,
                description: String::new(),
            });
        }
        index as usize
    }

    /// The code that runs now asks for callbacks of a resource.
    fn ask(&mut self, resource: usize, kind: CauseKind, stack: StackId) {
        let callback = self.open.last().copied().unwrap_or(NONE);
        let asked = &mut self.asked[resource];
        // The loop itself starts a repeating timer again: that hides the code that started it first.
        if callback == NONE && !stack.is_some() && asked.cause.is_some() {
            return;
        }
        asked.cause = Some((kind, self.now_ns, stack, callback));
    }

    fn start_timer(&mut self, record: &Record) {
        let stack = self.ids.stack(record.word);
        let index = self.resource(ResourceId(record.a));
        let resource = &mut self.thread.resources[index];
        resource.starts = resource.starts.saturating_add(1);
        let (delay_ms, interval_ms) = (record.b as u32, (record.b >> 32) as u32);
        resource.repeat_ms = interval_ms;
        let asked = &mut self.asked[index];
        // The loop starts a repeating timer again before it calls it.
        if let Some(before) = asked.timer
            && before.interval_ms > 0
            && before.due_ns <= self.now_ns.saturating_add(TIMER_SLACK_NS)
            && self.open.is_empty()
        {
            asked.due = Some(before);
        }
        let due_ns = self.now_ns.saturating_add(u64::from(delay_ms) * 1_000_000);
        asked.timer = Some(Armed { due_ns, delay_ms, interval_ms });
        self.ask(index, CauseKind::TimerStarted, stack);
    }

    fn fire_timer(&mut self, resource: usize, callback: u32) {
        let asked = &mut self.asked[resource];
        let (fired, was_restarted) = match asked.due.take() {
            Some(due) => (due, true),
            None => match asked.timer.take() {
                Some(timer) => (timer, false),
                None => return,
            },
        };
        if !was_restarted && fired.interval_ms > 0 {
            let due_ns = self.now_ns.saturating_add(u64::from(fired.interval_ms) * 1_000_000);
            asked.timer = Some(Armed { due_ns, delay_ms: fired.interval_ms, ..fired });
        }
        self.thread.timer_fires.push(TimerFire {
            callback,
            due_ns: fired.due_ns,
            late_ns: self.now_ns.saturating_sub(fired.due_ns),
            delay_ms: fired.delay_ms,
            repeats: fired.interval_ms > 0,
        });
    }

    fn message(&self, record: &Record, callback: Option<u32>) -> MessageRecord {
        MessageRecord {
            process: self.thread.process,
            flow: record.a,
            port: record.b & u64::from(u32::MAX),
            bytes: record.word,
            stack: self.ids.stack((record.b >> 32) as u32),
            end: MessageEnd { thread: self.number, at_ns: self.now_ns, callback },
        }
    }

    /// A message belongs to the callback of its port: the one that is open, else the next one within the open callback,
    /// else the open callback itself.
    fn receive(&mut self, record: &Record) {
        let innermost = self.open.last().copied();
        let index = self.crossing.received.len();
        let taken = self.crossing.received.last().is_some_and(|last| {
            last.end.thread == self.number && last.end.callback == innermost && innermost.is_some()
        });
        let received = self.message(record, innermost);
        self.crossing.received.push(received);
        let callback = innermost.and_then(|index| self.thread.callbacks.get(index as usize));
        let is_own = callback.is_some_and(|callback| callback.kind == Some(CallbackKind::Message)) && !taken;
        if !is_own {
            self.arrived.push((index, self.open.len()));
        }
    }

    fn finish(mut self, recorded: &ThreadRecording) -> Thread {
        self.settle();
        self.end_phase();
        self.end_poll(0);
        if let Some(turn) = self.thread.turns.last_mut() {
            turn.end_ns = self.now_ns.max(turn.begin_ns);
        }
        for (id, text) in &recorded.resources {
            let index = self.resource(*id);
            self.thread.resources[index].description.clone_from(text);
        }
        let last_ns = self.thread.spans.iter().map(|span| span.end_ns.unwrap_or(span.begin_ns)).max().unwrap_or(0);
        self.thread.end_ns = self.now_ns.max(last_ns).max(self.thread.start_ns);
        self.thread.spans.sort_by_key(|span| span.begin_ns);
        self.thread.collections.sort_by_key(|collection| collection.begin_ns);
        self.thread
    }
}
