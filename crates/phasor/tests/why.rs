//! What keeps a loop alive: random programs whose report is compared with `is_alive` and with what they know of their handles. Closing or
//! unreferencing what is listed lets the loop end.

use std::time::Duration;

use phasor::{
    Async, Check, FsEvent, FsPoll, Idle, Loop, Prepare, Reason, RequestKind, RunMode, Tcp, Timer, Udp, fs, signal, work,
};

/// xorshift64*: the same seed gives the same program.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) % limit
    }
}

/// A loop, and how many entries its report must have.
struct Program {
    l: Loop,
    numbers: Numbers,
    handles: Vec<phasor::HandleId>,
}

/// A free port of the loopback interface.
const LOCAL: ([u8; 4], u16) = ([127, 0, 0, 1], 0);

const HOUR: Duration = Duration::from_secs(3600);

impl Program {
    fn step(&mut self) {
        let l = &mut self.l;
        let handle = match self.numbers.below(16) {
            0 => l.after(HOUR, |_| ()).id(),
            1 => l.every(HOUR, |_, _| ()).id(),
            2 => Timer::new(l).id(),
            3 => {
                let idle = Idle::new(l);
                idle.start(l, |_, _| ()).unwrap();
                idle.id()
            }
            4 => {
                let check = Check::new(l);
                check.start(l, |_, _| ()).unwrap();
                check.id()
            }
            5 => Prepare::new(l).id(),
            6 => Async::new(l, |_, _| ()).0.id(),
            7 => {
                let server = Tcp::new(l);
                server.bind(l, LOCAL).unwrap();
                server.listen(l, 8, |_, _| ()).unwrap();
                server.id()
            }
            8 => {
                let socket = Udp::new(l);
                socket.bind(l, LOCAL).unwrap();
                socket.recv_start(l, |_, _, _| ()).unwrap();
                socket.id()
            }
            9 => {
                let watch = FsEvent::new(l);
                watch.start(l, std::env::temp_dir(), |_, _, _| ()).unwrap();
                watch.id()
            }
            10 => {
                let poll = FsPoll::new(l);
                poll.start(l, std::env::temp_dir(), HOUR, |_, _, _| ()).unwrap();
                poll.id()
            }
            11 => signal::on(l, 12, |_, _, _| ()).unwrap().id(),
            12 => {
                work(l, || (), |_, done| done.unwrap());
                return;
            }
            13 => {
                fs::stat(l, "/nowhere", |_, _| ()).unwrap();
                return;
            }
            14 => {
                // Ends a random handle.
                if let Some(at) = self.pick() {
                    let handle = self.handles.swap_remove(at);
                    self.l.close(handle);
                }
                return;
            }
            _ => {
                if let Some(at) = self.pick() {
                    let keeps_alive = self.numbers.below(2) == 0;
                    self.l.set_ref(self.handles[at], keeps_alive);
                }
                return;
            }
        };
        self.handles.push(handle);
    }

    fn pick(&mut self) -> Option<usize> {
        let count = self.handles.len() as u64;
        (count > 0).then(|| self.numbers.below(count) as usize)
    }

    /// The report lists exactly what the loop counts.
    fn check(&self) {
        let (report, reasons) = (self.l.why_report(), self.l.why_alive());
        assert_eq!(report.entries.len(), reasons.len());
        assert_eq!(report.entries.is_empty(), !self.l.is_alive());
        for (entry, reason) in report.entries.iter().zip(&reasons) {
            assert!(!entry.kind.is_empty() && entry.age_ms.is_some(), "{entry:?}");
            assert_eq!(entry.has_ref, matches!(reason, Reason::Handle(..)), "{entry:?}");
        }
        // An independent count: all handles of the loop, and those that are closing.
        let views = self.l.handles();
        let active = views.iter().filter(|view| view.active && view.has_ref && !view.closing).count();
        let closing = views.iter().filter(|view| view.closing).count();
        let requests = reasons.iter().filter(|reason| matches!(reason, Reason::Request(..))).count();
        assert_eq!(reasons.len(), active + closing + requests);
    }
}

#[test]
fn closing_or_unreferencing_what_is_listed_ends_the_loop() {
    for seed in 1..=200 {
        let mut program = Program { l: Loop::new().unwrap(), numbers: Numbers(seed), handles: Vec::new() };
        program.l.keep_details();
        program.check();
        for _ in 0..program.numbers.below(30) {
            program.step();
            program.check();
            if program.numbers.below(4) == 0 {
                program.l.run(RunMode::NoWait).unwrap();
                program.check();
            }
        }
        for reason in program.l.why_alive() {
            if let Reason::Handle(id, _) = reason {
                match program.numbers.below(2) {
                    0 => program.l.close(id),
                    _ => program.l.set_ref(id, false),
                }
            }
        }
        program.check();
        assert_eq!(program.l.run(RunMode::Default), Ok(false), "seed {seed}");
        program.check();
        assert!(program.l.why_report().entries.is_empty());
    }
}

#[test]
fn a_report_names_addresses_paths_and_times() {
    let mut l = Loop::new().unwrap();
    l.keep_details();
    let server = Tcp::new(&mut l);
    server.bind(&mut l, LOCAL).unwrap();
    server.listen(&mut l, 8, |_, _| ()).unwrap();
    let address = server.local_address(&l).unwrap();
    let timer = l.after(Duration::from_secs(90), |_| ());
    let rename = fs::rename(&mut l, "/no/old", "/no/new", |_, _| ()).unwrap();
    assert_eq!(l.why_alive()[2], Reason::Request(rename, RequestKind::Fs));
    let report = l.why_report();
    let words: Vec<_> = report.entries.iter().map(|entry| (entry.kind.as_str(), entry.what.clone())).collect();
    assert_eq!(
        words,
        [
            ("tcp server", address.to_string()),
            ("timer", String::new()),
            ("file request", "rename /no/old → /no/new".to_owned())
        ]
    );
    assert_eq!(report.entries[1].deadline_ms, Some(90_000.0));
    let text = report.to_string();
    assert!(text.contains(&format!("1. tcp server {address}\n")) && text.contains("due in 1 min 30 s"), "{text}");
    server.close(&mut l);
    timer.close(&mut l);
    assert!(l.why_report().entries.iter().any(|entry| entry.what.ends_with("is being closed")));
    assert_eq!(l.run(RunMode::Default), Ok(false));
}
