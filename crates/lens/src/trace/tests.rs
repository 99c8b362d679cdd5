//! Tests of the model: small recordings by hand, and random records.

use proptest::prelude::*;

use super::*;
use crate::definition::ProcessInfo;
use crate::file::{Recording, ThreadRecording};
use crate::record::{Record, RecordKind, THREW};

fn record(time_ns: u64, kind: RecordKind) -> Record {
    Record::new(time_ns, kind)
}

fn begin(time_ns: u64, kind: CallbackKind, resource: u64, cause_ns: u64) -> Record {
    Record { code: kind as u16, a: resource, b: cause_ns, ..record(time_ns, RecordKind::CallbackBegin) }
}

fn end(time_ns: u64) -> Record {
    record(time_ns, RecordKind::CallbackEnd)
}

fn thread(records: Vec<Record>) -> ThreadRecording {
    let mut thread = ThreadRecording { records, ..ThreadRecording::default() };
    let location = |function: &str| Location { function: function.into(), file: "a.js".into(), line: 1, column: 2 };
    thread.locations.insert(1, location("f"));
    thread.locations.insert(2, location("g"));
    thread.stacks.insert(1, vec![2, 9, 1]);
    thread.labels.insert(1, "GET /".into());
    thread
}

fn trace(threads: Vec<Vec<Record>>) -> Trace {
    let threads = (1..).zip(threads.into_iter().map(thread)).collect();
    Trace::new(&[Recording { threads, is_complete: true, ..Recording::default() }])
}

#[test]
fn callbacks_nest_and_have_own_time() {
    let trace = trace(vec![vec![
        Record { code: 0, ..record(10, RecordKind::PhaseBegin) },
        begin(10, CallbackKind::Timer, 5, 0),
        begin(20, CallbackKind::Timeout, 6, 0),
        Record { word: 1, ..record(21, RecordKind::CallbackLocated) },
        Record { flags: THREW, word: 3, a: 4, ..end(50) },
        begin(50, CallbackKind::Timeout, 7, 0),
        end(60),
        end(100),
        Record { code: 0, ..record(100, RecordKind::PhaseEnd) },
    ]]);
    let callbacks = &trace.threads[0].callbacks;
    assert_eq!(callbacks.len(), 3);
    assert_eq!((callbacks[0].duration_ns(), callbacks[0].self_ns()), (90, 50));
    assert_eq!((callbacks[1].parent, callbacks[1].depth, callbacks[1].threw), (Some(0), 1, true));
    assert_eq!((callbacks[1].ticks, callbacks[1].microtasks), (3, 4));
    assert_eq!(trace.location(callbacks[1].location).unwrap().function, "f");
    assert_eq!(trace.threads[0].inner_callbacks(0).len(), 2);
    assert_eq!(trace.threads[0].outermost_callback(2), 0);
    assert_eq!(trace.threads[0].busy_ns(), 90);
    assert_eq!(trace.phase_totals(None)[0].total_ns, 90);
    assert_eq!(trace.longest_callbacks(10), [CallbackRef { thread: 0, index: 0 }]);
    let files = trace.file_totals(None);
    assert_eq!((files[0].file.as_str(), files[0].self_ns), ("", 60));
    assert_eq!((files[1].file.as_str(), files[1].self_ns), ("a.js", 30));
}

#[test]
fn a_callback_knows_the_code_that_asked_for_it() {
    let trace = trace(vec![vec![
        begin(10, CallbackKind::Script, 0, 0),
        Record { word: 1, a: 6, b: 5, ..record(15, RecordKind::TimerStarted) },
        Record { code: 33, word: 1, a: 7, b: 8, ..record(16, RecordKind::RequestBegun) },
        begin(20, CallbackKind::Tick, 0, 10),
        end(30),
        begin(30, CallbackKind::Tick, 0, 20),
        end(40),
        end(50),
        begin(60, CallbackKind::Timeout, 6, 0),
        end(61),
        // A cause after an inner callback: the outer one went on.
        begin(70, CallbackKind::Immediate, 0, 40),
        end(71),
        Record { code: 2, word: 0, a: 7, b: 68, ..record(55, RecordKind::PoolTask) },
        begin(80, CallbackKind::Done, 7, 0),
        end(81),
    ]]);
    let thread = &trace.threads[0];
    let cause = |index: usize| thread.callbacks[index].cause.unwrap();
    assert_eq!(thread.callbacks[0].cause, None);
    assert_eq!((cause(1).callback, cause(1).kind), (Some(0), CauseKind::Queued));
    assert_eq!(cause(2).callback, Some(1));
    assert_eq!((cause(3).callback, cause(3).kind, cause(3).at_ns), (Some(0), CauseKind::TimerStarted, 15));
    let stack: Vec<&str> = trace.stack(cause(3).stack).map(|location| location.function.as_str()).collect();
    assert_eq!(stack, ["g", "f"]);
    assert_eq!(cause(4).callback, Some(0));
    assert_eq!((cause(5).callback, cause(5).kind), (Some(0), CauseKind::RequestBegun));
    let request = thread.request(ResourceId(7)).unwrap();
    assert_eq!((request.pool, request.callback, request.begun_by), (Some((2, 55, 68)), Some(5), Some(0)));
    assert_eq!(trace.processes[0].pool[0].tasks[0].request, Some(0));
}

#[test]
fn a_message_is_caused_by_its_sender() {
    let message = |time_ns, kind, flow| Record { word: 100, a: flow, b: 3, ..record(time_ns, kind) };
    let trace = trace(vec![
        vec![
            begin(100, CallbackKind::Async, 1, 0),
            message(101, RecordKind::MessageReceived, 9),
            begin(102, CallbackKind::Message, 0, 0),
            end(103),
            begin(104, CallbackKind::Message, 0, 0),
            message(105, RecordKind::MessageReceived, 8),
            message(106, RecordKind::MessageReceived, 10),
            end(107),
            end(110),
        ],
        vec![
            begin(10, CallbackKind::Script, 0, 0),
            message(20, RecordKind::MessageSent, 9),
            message(30, RecordKind::MessageSent, 8),
            end(40),
        ],
    ]);
    let main = &trace.threads[0];
    for (index, at_ns) in [(1, 20), (2, 30)] {
        let cause = main.callbacks[index].cause.unwrap();
        assert_eq!(
            (cause.kind, cause.thread, cause.callback, cause.at_ns),
            (CauseKind::MessageSent, 1, Some(0), at_ns)
        );
    }
    assert_eq!(main.callbacks[0].cause, None);
    assert_eq!(trace.messages.len(), 3);
    assert_eq!(trace.messages[2].sent, None);
}

#[test]
fn timers_are_late_by_the_time_they_were_started_with() {
    let started = |time_ns, b| Record { a: 5, b, ..record(time_ns, RecordKind::TimerStarted) };
    const MS: u64 = 1_000_000;
    let trace = trace(vec![vec![
        started(0, 10),
        begin(14 * MS, CallbackKind::Timer, 5, 0),
        end(15 * MS),
        // A repeating timer, which the loop starts again before its callback.
        started(20 * MS, 10 | 10 << 32),
        started(33 * MS, 10 | 10 << 32),
        begin(33 * MS, CallbackKind::Timer, 5, 0),
        end(34 * MS),
        // And one that starts itself again.
        begin(44 * MS, CallbackKind::Timer, 5, 0),
        end(45 * MS),
        begin(59 * MS, CallbackKind::Timer, 5, 0),
        end(60 * MS),
    ]]);
    let late: Vec<u64> = trace.threads[0].timer_fires.iter().map(|fire| fire.late_ns / MS).collect();
    assert_eq!(late, [4, 3, 1, 5]);
    let latest = trace.latest_timers(2);
    assert_eq!((latest[0].0.index, latest[0].1.due_ns), (3, 54 * MS));
    assert_eq!(latest[1].0.index, 0);
    assert_eq!(trace.threads[0].timer_fire(1).unwrap().late_ns, 3 * MS);
}

#[test]
fn lost_records_cut_what_is_open() {
    let trace = trace(vec![vec![
        end(5),
        begin(10, CallbackKind::Check, 0, 0),
        begin(20, CallbackKind::Immediate, 0, 0),
        Record { a: 7, ..record(90, RecordKind::Lost) },
        end(95),
        record(100, RecordKind::Turn),
        begin(110, CallbackKind::Check, 0, 0),
        record(120, RecordKind::PollBegin),
        end(130),
        begin(140, CallbackKind::Check, 0, 0),
    ]]);
    let thread = &trace.threads[0];
    let times: Vec<(u64, u64, bool)> =
        thread.callbacks.iter().map(|callback| (callback.begin_ns, callback.end_ns, callback.is_cut)).collect();
    assert_eq!(times, [(10, 20, true), (20, 20, true), (110, 120, true), (140, 140, true)]);
    assert_eq!(thread.losses, [Loss { begin_ns: 20, end_ns: 95, records: 7 }]);
}

#[test]
fn processes_share_one_clock() {
    let recording = |started_ns, records| Recording {
        process: ProcessInfo { started_ns, started_unix_ns: started_ns + 7, ..ProcessInfo::default() },
        threads: [(1, thread(records))].into(),
        is_complete: true,
    };
    let records =
        || vec![begin(10, CallbackKind::Script, 0, 0), begin(20, CallbackKind::Tick, 0, 10), end(30), end(40)];
    let trace = Trace::new(&[recording(5000, records()), recording(1000, records())]);
    assert_eq!(trace.started_unix_ns, 1007);
    assert_eq!((trace.threads[0].callbacks[0].begin_ns, trace.threads[1].callbacks[0].begin_ns), (10, 4010));
    assert_eq!(trace.threads[1].callbacks[1].cause.unwrap().callback, Some(0));
    assert_eq!(trace.end_ns, 4040);
}

#[test]
fn spans_may_end_on_another_thread() {
    let trace = trace(vec![
        vec![Record { word: 4, a: 6, b: 9, ..record(50, RecordKind::SpanEnd) }],
        vec![
            Record { code: 6, word: 1, a: 6, ..record(20, RecordKind::SpanBegin) },
            Record { code: 1, word: 1, a: 7, ..record(21, RecordKind::SpanBegin) },
            Record { word: 200, a: 7, b: 9, ..record(25, RecordKind::SpanEnd) },
        ],
    ]);
    let spans = &trace.threads[1].spans;
    assert_eq!((spans[0].end_ns, spans[0].status, trace.label(spans[0].label)), (Some(50), 4, "GET /"));
    assert_eq!((spans[1].end_ns, spans[1].kind), (Some(25), Some(SpanKind::HttpServer)));
}

fn any_record() -> impl Strategy<Value = Record> {
    let kind = prop_oneof![
        6 => Just(RecordKind::CallbackBegin),
        6 => Just(RecordKind::CallbackEnd),
        4 => (0..RecordKind::ALL.len()).prop_map(|index| RecordKind::ALL[index]),
    ];
    let number = || prop_oneof![8 => 0..40_u64, 1 => any::<u64>()];
    (number(), kind, any::<u8>(), 0..80_u16, 0..6_u32, number(), number())
        .prop_map(|(time_ns, kind, flags, code, word, a, b)| Record { time_ns, kind, flags, code, word, a, b })
}

proptest! {
    #[test]
    fn any_records_make_a_trace(
        records in prop::collection::vec(prop::collection::vec(any_record(), 0..200), 0..4),
        starts in prop::collection::vec(any::<u64>(), 1..3),
        in_order in any::<bool>(),
    ) {
        let recordings: Vec<Recording> = starts.iter().map(|started_ns| {
            let threads = records.iter().cloned().map(|mut records| {
                if in_order {
                    records.sort_by_key(|record| record.time_ns);
                }
                thread(records)
            });
            Recording {
                process: ProcessInfo { started_ns: *started_ns, ..ProcessInfo::default() },
                threads: (1..).zip(threads).collect(),
                is_complete: false,
            }
        }).collect();
        let trace = Trace::new(&recordings);
        for thread in &trace.threads {
            for (callback, index) in thread.callbacks.iter().zip(0_u32..) {
                prop_assert!(callback.begin_ns <= callback.end_ns);
                prop_assert!(callback.inner_ns <= callback.duration_ns());
                if let Some(parent) = callback.parent {
                    prop_assert!(parent < index);
                    let parent = &thread.callbacks[parent as usize];
                    prop_assert!(parent.begin_ns <= callback.begin_ns && callback.end_ns <= parent.end_ns);
                    prop_assert_eq!(parent.depth + 1, callback.depth);
                }
                if let Some(cause) = callback.cause {
                    let caller = cause.callback.map(|index| &trace.threads[cause.thread as usize].callbacks[index as usize]);
                    prop_assert!(caller.is_none_or(|caller| caller.begin_ns <= cause.at_ns));
                    prop_assert!(cause.kind == CauseKind::MessageSent || cause.callback.is_none_or(|cause| cause < index));
                }
                prop_assert!(thread.outermost_callback(index) <= index);
            }
            prop_assert!(thread.callbacks.is_sorted_by_key(|callback| callback.begin_ns));
            prop_assert!(thread.polls.is_sorted_by_key(|poll| poll.begin_ns));
            prop_assert!(thread.timer_fires.is_sorted_by_key(|fire| fire.callback));
            let begins = thread.callbacks.iter().filter(|callback| callback.depth == 0);
            prop_assert!(begins.is_sorted_by(|a, b| a.end_ns <= b.begin_ns));
        }
        crate::export::chrome(&trace, std::io::sink()).unwrap();
        crate::export::html(&trace, "random", std::io::sink()).unwrap();
        let found = crate::doctor::diagnose(&trace);
        crate::doctor::Style::default().report(&trace, &found);
        trace.location_totals(None);
        trace.file_totals(Some(0));
        trace.phase_totals(None);
        trace.pool_total(0);
        trace.longest_pool_waits(0, 5);
        for callback in trace.longest_callbacks(5) {
            trace.dominant_callback(callback);
        }
        prop_assert!(trace.latest_timers(5).is_sorted_by_key(|(_, fire)| std::cmp::Reverse(fire.late_ns)));
    }
}
