//! The format of a record: what happened on a thread with a loop, in 32 bytes.
//!
//! | bytes | field | |
//! |---|---|---|
//! | 0..8 | `time_ns` | nanoseconds since the start of the recording |
//! | 8 | `kind` | a [`RecordKind`] |
//! | 9 | `flags` | see [`RecordKind`] |
//! | 10..12 | `code` | a number whose meaning depends on the kind |
//! | 12..16 | `word` | as `code`; often the id of a definition: a location, a stack or a label |
//! | 16..24 | `a` | as `code`; often a [`ResourceId`] |
//! | 24..32 | `b` | as `code` |
//!
//! All integers are little-endian. Ids of definitions are those of the record's thread; 0 means none.

/// A record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Nanoseconds since the start of the recording.
    pub time_ns: u64,
    /// What happened.
    pub kind: RecordKind,
    /// Depends on the kind.
    pub flags: u8,
    /// Depends on the kind.
    pub code: u16,
    /// Depends on the kind.
    pub word: u32,
    /// Depends on the kind.
    pub a: u64,
    /// Depends on the kind.
    pub b: u64,
}

/// The size of a record.
pub const RECORD_BYTES: usize = 32;

/// Declares an enum whose values are numbers of the file format, with the conversion back and names for people.
macro_rules! numbered {
    ($(#[$attribute:meta])* $name:ident: $number:ty { $($(#[$doc:meta])* $variant:ident = $value:literal, $text:literal;)* }) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr($ number)]
        pub enum $name { $($(#[$doc])* $variant = $value,)* }

        impl $name {
            /// All values.
            pub const ALL: &[$name] = &[$($name::$variant,)*];

            /// The value of a number in a file.
            pub fn from_number(number: $number) -> Option<$name> {
                match number {
                    $($value => Some($name::$variant),)*
                    _ => None,
                }
            }

            /// The name that people see.
            pub fn name(self) -> &'static str {
                match self {
                    $($name::$variant => $text,)*
                }
            }
        }
    };
}

numbered! {
    /// What a record says, and what its fields mean. Fields that are not named are 0.
    RecordKind: u8 {
        /// A turn of the loop begins. `a`: its number, from 1.
        Turn = 1, "turn";
        /// A phase begins. `code`: its index in the order of the phases. Written only if a callback runs in the phase.
        PhaseBegin = 2, "phase begins";
        /// The phase ends. `code`: as for its beginning.
        PhaseEnd = 3, "phase ends";
        /// The loop polls for events. `word`: the timeout in milliseconds; 2^32 - 1 means none. A poll that did not block and
        /// found nothing has no records.
        PollBegin = 4, "poll begins";
        /// The poll has ended. `word`: the number of ready descriptors and wakes.
        PollEnd = 5, "poll ends";
        /// A callback begins. `code`: a [`CallbackKind`]; `word`: the location of the function, or 0; `a`: the resource
        /// it belongs to; `b`: when the code ran that asked for it, or 0. Callbacks nest: the callback of a loop event
        /// contains those of timers, immediates, ticks and microtasks that run for the event.
        CallbackBegin = 6, "callback begins";
        /// The innermost open callback gets a location. `word`: the location.
        CallbackLocated = 7, "callback located";
        /// The innermost open callback ends. Bit 0 of `flags`: it threw an exception. `word`: how many ticks ran in it,
        /// `a`: how many microtasks, if they have no records of their own.
        CallbackEnd = 8, "callback ends";
        /// A resource was made. `code`: a [`ResourceKind`]; `word`: the stack of the code that made it; `a`: the
        /// resource; `b`: the resource that it belongs to, or 0.
        Created = 9, "created";
        /// A resource was closed, or will cause nothing more. `code`: a [`ResourceKind`]; `a`: the resource.
        Closed = 10, "closed";
        /// A timer was started. `word`: the stack of the code that started it; `a`: the resource; `b`: the delay in
        /// milliseconds, in its upper 32 bits the interval of repetition.
        TimerStarted = 11, "timer started";
        /// A request was begun. `code`: a [`ResourceKind`]; `word`: the stack of the code that began it; `a`: the
        /// request; `b`: the handle it belongs to, or 0.
        RequestBegun = 12, "request begun";
        /// A task of the pool has run; `time_ns` is when it started. `code`: the number of the pool thread, from 1;
        /// `word`: how long it waited in the queue, in microseconds; `a`: the request; `b`: when it finished.
        PoolTask = 13, "pool task";
        /// A message was sent to another thread. `word`: its size in bytes; `a`: the id of the flow, unique in the
        /// process; `b`: the port, in its upper 32 bits the stack of the code that sent it.
        MessageSent = 14, "message sent";
        /// A message arrived: the fields are those of its sending, without a stack.
        MessageReceived = 15, "message received";
        /// A span begins: an operation that callbacks interrupt. `code`: a [`SpanKind`]; `word`: its label; `a`: the span;
        /// `b`: the resource that it belongs to, or 0. A span that is recorded at its end begins before the records around it.
        SpanBegin = 16, "span begins";
        /// A span ends. `word`: the status (of HTTP, or an exit code); `a`: the span; `b`: bytes, or 0.
        SpanEnd = 17, "span ends";
        /// A mark of the program, such as `performance.mark`. `word`: its label.
        Mark = 18, "mark";
        /// The value of a counter. `code`: a [`CounterKind`]; `a`: the value.
        Counter = 19, "counter";
        /// Garbage was collected; `time_ns` is when it began. `code`: 0 for the nursery, 1 for the whole heap; `a`: when
        /// it ended.
        Collection = 20, "garbage collection";
        /// Records are missing here, because the writer was too slow, or because a flight recorder has overwritten them.
        /// `a`: how many.
        Lost = 21, "lost";
        /// Something that a detector of `phasor doctor` looks for. `code`: a [`FindingKind`]; `word`: its label; `a`: what it
        /// is about, a number that findings of one subject share, or 0; `b`: a number, and in its upper 32 bits the stack of
        /// the code that ran.
        Finding = 22, "finding";
    }
}

numbered! {
    /// Why a callback runs. The first seventeen are the events of the loop; the others run within them.
    CallbackKind: u16 {
        /// A timer of the loop. In JavaScript it contains the callbacks of all due timers.
        Timer = 1, "timer";
        /// An idle handle.
        Idle = 2, "idle";
        /// A prepare handle.
        Prepare = 3, "prepare";
        /// A check handle. In JavaScript it contains the immediates.
        Check = 4, "check";
        /// An async handle: another thread has woken the loop.
        Async = 5, "async";
        /// A datagram arrived.
        Datagram = 6, "datagram";
        /// A descriptor of a poll handle is ready.
        Ready = 7, "poll handle";
        /// A child process has ended.
        Exit = 8, "child exit";
        /// A watched file has changed.
        FsEvent = 9, "file changed";
        /// A polled file has changed.
        FsPoll = 10, "polled file changed";
        /// A signal.
        Signal = 11, "signal";
        /// A connection can be accepted.
        Connection = 12, "connection";
        /// The other side of a stream has hung up.
        Hangup = 13, "hangup";
        /// A stream can be read.
        Readable = 14, "read";
        /// A request has completed.
        Done = 15, "request done";
        /// A handle was closed.
        Closed = 16, "closed";
        /// Another thread wanted something of the runtime: the start of a recording, or an answer for a tool.
        Attention = 17, "attention";
        /// The main script, before the loop runs.
        Script = 32, "script";
        /// `setTimeout`, `setInterval`.
        Timeout = 33, "timeout";
        /// `setImmediate`.
        Immediate = 34, "immediate";
        /// `process.nextTick`.
        Tick = 35, "tick";
        /// `queueMicrotask` and reactions of promises.
        Microtask = 36, "microtask";
        /// A message of a port.
        Message = 37, "message";
        /// A listener of an event emitter.
        Listener = 38, "listener";
        /// All ticks and microtasks that run after a callback.
        Drain = 39, "ticks and microtasks";
    }
}

numbered! {
    /// What a resource is: a handle, a request, or something of JavaScript.
    ResourceKind: u16 {
        /// A handle of this kind.
        Async = 1, "async";
        /// A check handle.
        Check = 2, "check";
        /// A watcher of files.
        FsEvent = 3, "fs_event";
        /// A polling watcher of a file.
        FsPoll = 4, "fs_poll";
        /// An idle handle.
        Idle = 5, "idle";
        /// A Unix socket or a pipe.
        Pipe = 6, "pipe";
        /// A poll handle.
        Poll = 7, "poll";
        /// A prepare handle.
        Prepare = 8, "prepare";
        /// A child process.
        Process = 9, "process";
        /// A signal handle.
        Signal = 10, "signal";
        /// A TCP socket or server.
        Tcp = 11, "tcp";
        /// A timer of the loop.
        Timer = 12, "timer";
        /// A terminal.
        Tty = 13, "tty";
        /// A UDP socket.
        Udp = 14, "udp";
        /// A connect request.
        Connect = 32, "connect";
        /// A file operation.
        Fs = 33, "fs";
        /// A name resolution.
        Getaddrinfo = 34, "getaddrinfo";
        /// A reverse name resolution.
        Getnameinfo = 35, "getnameinfo";
        /// Random bytes.
        Random = 36, "random";
        /// The end of writing.
        Shutdown = 37, "shutdown";
        /// A datagram that is sent.
        UdpSend = 38, "udp_send";
        /// Work for the pool.
        Work = 39, "work";
        /// A write.
        Write = 40, "write";
        /// `setTimeout`, `setInterval`.
        Timeout = 64, "timeout";
        /// `setImmediate`.
        Immediate = 65, "immediate";
        /// `process.nextTick`.
        Tick = 66, "tick";
        /// A promise.
        Promise = 67, "promise";
        /// `queueMicrotask`.
        Microtask = 68, "microtask";
        /// A message port.
        Port = 69, "port";
        /// A worker thread.
        Worker = 70, "worker";
        /// An HTTP server.
        HttpServer = 71, "http server";
    }
}

numbered! {
    /// What a span is.
    SpanKind: u16 {
        /// A request that an HTTP server answers.
        HttpServer = 1, "http request";
        /// A request that an HTTP client makes.
        HttpClient = 2, "http client request";
        /// A name resolution.
        Dns = 3, "dns";
        /// The life of a connection.
        Connection = 4, "connection";
        /// The life of a child process.
        Child = 5, "child process";
        /// The life of a worker.
        Worker = 6, "worker";
        /// The loading of a module.
        Module = 7, "module";
        /// A span of the program: `console.time`, `performance.measure`.
        User = 8, "span";
        /// A synchronous operation that blocks the thread, such as `fs.readFileSync`.
        Sync = 9, "synchronous call";
    }
}

numbered! {
    /// What a counter counts.
    CounterKind: u16 {
        /// Ticks in the queue.
        Ticks = 1, "ticks queued";
        /// Immediates in the queue.
        Immediates = 2, "immediates queued";
        /// Timers that wait.
        Timers = 3, "timers";
        /// Tasks that the pool has not finished.
        PoolTasks = 4, "pool tasks";
        /// Bytes that are to be written, of all streams.
        WriteBytes = 5, "bytes to write";
        /// How late the timer is whose callback begins next, in microseconds.
        TimerLateness = 6, "timer lateness";
        /// Bytes of the JavaScript heap.
        HeapBytes = 7, "heap bytes";
    }
}

numbered! {
    /// What detectors of `phasor doctor` look for and only the front end can notice.
    FindingKind: u16 {
        /// A listener was added for an event that had been emitted before without one. The label is the event; the number is
        /// how many times it was emitted before; the subject is that of the [`EventUnheard`](FindingKind::EventUnheard).
        EventBeforeListener = 1, "event before listener";
        /// `write` had returned false, and the program went on writing. The label is the class of the stream; the number is
        /// the KiB in its queue.
        BackpressureIgnored = 2, "backpressure ignored";
        /// The process ended with a top-level await that nothing can settle.
        UnsettledAwait = 3, "unsettled top-level await";
        /// An event was emitted without a listener for the first time. The label is the event.
        EventUnheard = 4, "event without listener";
        /// An event was emitted again after an [`EventBeforeListener`](FindingKind::EventBeforeListener): the listener was
        /// not too late for this one.
        EventHeard = 5, "event heard";
        /// The outermost callback has run for a while: the stack is what it executes now.
        Running = 6, "running";
    }
}

/// The flag of [`RecordKind::CallbackEnd`]: the callback threw an exception.
pub const THREW: u8 = 1;

/// What a record is about. Handles and requests are those of the record's thread, as are the numbers of JavaScript.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResourceId(pub u64);

/// The upper four bits of a [`ResourceId`], which tell whose number the rest is.
mod tag {
    pub(super) const SHIFT: u32 = 60;
    pub(super) const HANDLE: u64 = 1;
    pub(super) const REQUEST: u64 = 2;
    pub(super) const SCRIPT: u64 = 3;
    pub(super) const SPAN: u64 = 4;
}

impl ResourceId {
    /// No resource.
    pub const NONE: ResourceId = ResourceId(0);

    const fn tagged(tag: u64, number: u64) -> ResourceId {
        ResourceId(tag << tag::SHIFT | (number & ((1 << tag::SHIFT) - 1)))
    }

    /// A handle of the loop.
    pub fn handle(id: phasor_core::HandleId) -> ResourceId {
        ResourceId::tagged(tag::HANDLE, id.to_bits())
    }

    /// A request of the loop.
    pub fn request(id: phasor_core::RequestId) -> ResourceId {
        ResourceId::tagged(tag::REQUEST, id.to_bits())
    }

    /// A timer, immediate, tick or promise of JavaScript, by its async id.
    pub const fn script(number: u64) -> ResourceId {
        ResourceId::tagged(tag::SCRIPT, number)
    }

    /// A span, by its number in the process.
    pub const fn span(number: u64) -> ResourceId {
        ResourceId::tagged(tag::SPAN, number)
    }

    /// The async id of a timer, immediate, tick or promise of JavaScript.
    pub const fn script_number(self) -> Option<u64> {
        if self.0 >> tag::SHIFT == tag::SCRIPT { Some(self.0 & ((1 << tag::SHIFT) - 1)) } else { None }
    }

    /// The number without what tells whose number it is.
    pub const fn number(self) -> u64 {
        self.0 & ((1 << tag::SHIFT) - 1)
    }

    /// Whether there is a resource.
    pub const fn is_some(self) -> bool {
        self.0 != 0
    }
}

impl Record {
    /// A record whose fields are 0 but for these.
    pub const fn new(time_ns: u64, kind: RecordKind) -> Record {
        Record { time_ns, kind, flags: 0, code: 0, word: 0, a: 0, b: 0 }
    }

    /// As four integers, whose little-endian bytes are the format of the file.
    #[inline]
    pub fn to_words(self) -> [u64; 4] {
        let head =
            self.kind as u64 | u64::from(self.flags) << 8 | u64::from(self.code) << 16 | u64::from(self.word) << 32;
        [self.time_ns, head, self.a, self.b]
    }

    /// The record of four integers; `None` for an unknown kind.
    pub fn from_words([time_ns, head, a, b]: [u64; 4]) -> Option<Record> {
        let kind = RecordKind::from_number(head as u8)?;
        Some(Record {
            time_ns,
            kind,
            flags: (head >> 8) as u8,
            code: (head >> 16) as u16,
            word: (head >> 32) as u32,
            a,
            b,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_survives_the_way_through_the_ring() {
        let record = Record {
            time_ns: 1 << 60,
            kind: RecordKind::Finding,
            flags: 0xfe,
            code: 0xfffe,
            word: 0xffff_fffe,
            a: 7,
            b: !1,
        };
        assert_eq!(Record::from_words(record.to_words()), Some(record));
        assert_eq!(Record::from_words([0; 4]), None);
        assert_eq!(Record::from_words([0, 255, 0, 0]), None);
    }

    #[test]
    fn every_number_has_its_value() {
        assert!(RecordKind::ALL.iter().all(|kind| RecordKind::from_number(*kind as u8) == Some(*kind)));
        assert!(CallbackKind::ALL.iter().all(|kind| CallbackKind::from_number(*kind as u16) == Some(*kind)));
        assert!(ResourceKind::ALL.iter().all(|kind| ResourceKind::from_number(*kind as u16) == Some(*kind)));
    }
}
