//! Tests of the detectors, on small recordings by hand.

use super::*;
use crate::file::{Recording, ThreadRecording};
use crate::record::{Record, RecordKind, ResourceKind};
use crate::why::{WhyEntry, WhyLoop, WhyReport};

/// Milliseconds of a recording.
const MS: u64 = 1_000_000;

/// A thread that is recorded by hand. Times are milliseconds.
#[derive(Default)]
struct Sheet(Vec<Record>);

impl Sheet {
    fn write(&mut self, at_ms: u64, kind: RecordKind, change: impl FnOnce(&mut Record)) {
        let mut record = Record::new(at_ms * MS, kind);
        change(&mut record);
        self.0.push(record);
    }

    /// A callback of a resource, at a location: 1 is `own`, 2 is `other`.
    fn callback(&mut self, begin_ms: u64, end_ms: u64, kind: CallbackKind, resource: u64, location: u32) {
        self.write(begin_ms, RecordKind::CallbackBegin, |record| {
            (record.code, record.a, record.word) = (kind as u16, resource, location);
        });
        self.write(end_ms, RecordKind::CallbackEnd, |_| {});
    }

    fn timer(&mut self, at_ms: u64, resource: u64, delay_ms: u64, repeat_ms: u64) {
        self.write(at_ms, RecordKind::TimerStarted, |record| {
            (record.a, record.b, record.word) = (resource, delay_ms | repeat_ms << 32, 1);
        });
    }

    fn pool_task(&mut self, thread: u16, request: u64, queued_ms: u64, begin_ms: u64, end_ms: u64) {
        self.write(begin_ms, RecordKind::PoolTask, |record| {
            (record.code, record.a, record.b) = (thread, request, end_ms * MS);
            record.word = ((begin_ms - queued_ms) * 1000) as u32;
        });
    }

    fn request(&mut self, at_ms: u64, request: u64, kind: ResourceKind, stack: u32) {
        self.write(at_ms, RecordKind::RequestBegun, |record| {
            (record.code, record.a, record.word) = (kind as u16, request, stack);
        });
    }

    fn diagnose(self) -> Vec<Diagnosis> {
        let mut thread = ThreadRecording { records: self.0, ..ThreadRecording::default() };
        let location = |function: &str, file: &str, line| Location {
            function: function.into(),
            file: file.into(),
            line,
            column: 1,
        };
        thread.locations.insert(1, location("own", "/app/own.js", 7));
        thread.locations.insert(2, location("other", "/app/other.js", 9));
        thread.locations.insert(3, location("read", "node:fs", 1));
        thread.locations.insert(4, location("lib", "/app/node_modules/lib/index.js", 3));
        thread.stacks.insert(1, vec![3, 4, 1]);
        thread.stacks.insert(2, vec![3, 2]);
        thread.stacks.insert(3, vec![3]);
        diagnose(&Trace::new(&[Recording { threads: [(1, thread)].into(), is_complete: true, ..Recording::default() }]))
    }
}

fn ids(found: &[Diagnosis]) -> Vec<&'static str> {
    found.iter().map(|diagnosis| diagnosis.detector.id()).collect()
}

fn line(diagnosis: &Diagnosis) -> (&str, u32) {
    diagnosis.location.as_ref().map_or(("", 0), |location| (location.function.as_str(), location.line))
}

#[test]
fn a_long_callback_is_a_block_only_if_something_waits() {
    let mut sheet = Sheet::default();
    sheet.timer(1, 5, 20, 0);
    sheet.callback(10, 200, CallbackKind::Readable, 9, 1);
    sheet.callback(200, 201, CallbackKind::Timeout, 5, 2);
    let found = sheet.diagnose();
    assert_eq!(ids(&found), ["blocked-loop"]);
    assert_eq!(line(&found[0]), ("own", 7));
    assert!(found[0].title.contains("190 ms: own (/app/own.js:7)"), "{}", found[0].title);
    assert!(found[0].evidence.iter().any(|sentence| sentence.contains("1 timer")), "{:?}", found[0].evidence);

    let mut sheet = Sheet::default();
    sheet.callback(10, 200, CallbackKind::Readable, 9, 1);
    assert_eq!(sheet.diagnose(), []);
}

#[test]
fn samples_name_the_code_that_ran() {
    let mut sheet = Sheet::default();
    sheet.timer(1, 5, 20, 0);
    sheet
        .write(10, RecordKind::CallbackBegin, |record| (record.code, record.word) = (CallbackKind::Readable as u16, 2));
    for at_ms in [50, 70, 90] {
        sheet.write(at_ms, RecordKind::Finding, |record| {
            (record.code, record.b) = (FindingKind::Running as u16, 1 << 32);
        });
    }
    sheet.write(200, RecordKind::CallbackEnd, |_| {});
    sheet.callback(200, 201, CallbackKind::Timeout, 5, 2);
    let found = sheet.diagnose();
    // The program's own code, not the runtime's nor the package's that it calls.
    assert_eq!(line(&found[0]), ("own", 7));
    assert!(found[0].evidence.iter().any(|sentence| sentence.contains("3 of 3 samples")), "{:?}", found[0].evidence);
}

#[test]
fn a_timer_that_is_late_on_a_busy_machine_is_no_finding() {
    let late = |runs: bool| {
        let mut sheet = Sheet::default();
        sheet.timer(1, 5, 10, 0);
        if runs {
            for at_ms in 2..20 {
                sheet.callback(at_ms * 10, at_ms * 10 + 9, CallbackKind::Immediate, 0, 2);
            }
        }
        sheet.callback(200, 201, CallbackKind::Timeout, 5, 1);
        sheet.diagnose()
    };
    assert_eq!(late(false), []);
    let found = late(true);
    assert_eq!(ids(&found), ["late-timers"]);
    assert_eq!(line(&found[0]), ("other", 9));
}

#[test]
fn an_interval_drifts_if_its_calls_are_long() {
    let interval = |call_ms: u64, period_ms: u64| {
        let mut sheet = Sheet::default();
        sheet.timer(0, 5, 10, 10);
        for call in 1..=20 {
            sheet.callback(call * period_ms, call * period_ms + call_ms, CallbackKind::Timeout, 5, 1);
        }
        sheet.diagnose()
    };
    let found = interval(25, 26);
    assert_eq!(ids(&found), ["interval-drift"]);
    assert!(found[0].title.contains("each call of own (/app/own.js:7) takes 25 ms"), "{}", found[0].title);
    // The machine was late, not the program.
    assert_eq!(interval(1, 26), []);
    assert_eq!(interval(5, 11), []);
}

#[test]
fn a_full_pool_is_a_finding_if_other_work_waits() {
    let pool = |waiter: u32, task_ms: u64| {
        let mut sheet = Sheet::default();
        for request in 1..=2 {
            sheet.request(1, request, ResourceKind::Work, 1);
        }
        sheet.request(1, 3, ResourceKind::Fs, waiter);
        sheet.pool_task(1, 1, 1, 1, 1 + task_ms);
        sheet.pool_task(2, 2, 1, 1, 1 + task_ms);
        sheet.pool_task(1, 3, 1, 1 + task_ms, 2 + task_ms);
        sheet.diagnose()
    };
    let found = pool(2, 150);
    assert_eq!(ids(&found), ["pool-saturation"]);
    assert_eq!(line(&found[0]), ("own", 7));
    assert!(
        found[0].evidence[1].contains("file operations of other (/app/other.js:9) waited"),
        "{:?}",
        found[0].evidence
    );
    assert_eq!(pool(2, 50), []);
}

#[test]
fn handles_leak_if_they_are_made_over_time_and_not_closed() {
    let sockets = |closes: bool, in_one_callback: bool| {
        let mut sheet = Sheet::default();
        for number in 1..=80 {
            let at_ms = number * 10;
            if !in_one_callback || number == 1 {
                sheet.write(at_ms, RecordKind::CallbackBegin, |record| record.code = CallbackKind::Timeout as u16);
            }
            sheet.write(at_ms, RecordKind::Created, |record| {
                (record.code, record.a, record.word) = (ResourceKind::Udp as u16, 100 + number, 1);
            });
            if closes {
                sheet.write(at_ms, RecordKind::Closed, |record| {
                    (record.code, record.a) = (ResourceKind::Udp as u16, 100 + number);
                });
            }
            if !in_one_callback {
                sheet.write(at_ms, RecordKind::CallbackEnd, |_| {});
            }
        }
        sheet.write(2000, RecordKind::Turn, |_| {});
        let found = sheet.diagnose();
        found.into_iter().filter(|diagnosis| diagnosis.detector == Detector::HandleLeak).collect::<Vec<_>>()
    };
    let found = sockets(false, false);
    assert_eq!(found.len(), 1);
    assert_eq!(line(&found[0]), ("own", 7));
    assert_eq!(sockets(true, false), []);
    assert_eq!(sockets(false, true), []);
}

#[test]
fn an_event_that_is_emitted_again_was_not_missed() {
    let event = |is_emitted_again: bool, adder: u64| {
        let mut sheet = Sheet::default();
        let mut finding = |at_ms, kind: FindingKind, stack: u64| {
            sheet.write(at_ms, RecordKind::Finding, |record| {
                (record.code, record.a, record.b) = (kind as u16, 1, stack << 32 | 1);
            });
        };
        finding(1, FindingKind::EventUnheard, 1);
        finding(5, FindingKind::EventBeforeListener, adder);
        if is_emitted_again {
            finding(9, FindingKind::EventHeard, 0);
        }
        ids(&sheet.diagnose()).len()
    };
    // Stack 3 is the runtime alone; in stack 2, code of the runtime has added the listener for the program.
    assert_eq!((event(false, 3), event(false, 2), event(true, 3)), (0, 0, 0));
}

#[test]
fn a_process_with_a_server_is_not_kept_alive_by_a_listener() {
    let report = |kinds: &[&str], for_ms| WhyReport {
        pid: 1,
        loops: vec![WhyLoop {
            thread: "main".into(),
            activity: crate::why::LoopActivity::Idle { for_ms },
            entries: kinds.iter().map(|kind| WhyEntry::new(*kind, "")).collect(),
        }],
    };
    assert_eq!(ids(&diagnose_alive(&report(&["message port"], 2000.0))), ["keeps-alive"]);
    assert_eq!(diagnose_alive(&report(&["message port", "tcp server"], 2000.0)), []);
    assert_eq!(diagnose_alive(&report(&["message port"], 100.0)), []);
    assert_eq!(diagnose_alive(&report(&[], 2000.0)), []);
}
