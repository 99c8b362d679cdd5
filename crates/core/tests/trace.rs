//! The trace of a program over four turns on the simulated platform, compared with the trace of libuv 1.53.
#![forbid(unsafe_code)]

use phasor_core::{AsyncSender, Event, Face, HandleId, Loop, RunMode, Sim};

struct Names;

impl Face for Names {
    type Handle = &'static str;
    type Request = &'static str;
    type Bytes = Vec<u8>;
}

/// Two idle, prepare and check handles, started 1, 2. Three async handles, of which the third and then the first are
/// sent to in the first check phase. Two timers of 0 ms, and one that restarts itself and fires three times. In the
/// check phase of the fourth turn all handles are closed in the order they were opened.
struct Program {
    core: Loop<Names>,
    all: Vec<HandleId>,
    senders: Vec<AsyncSender>,
    checks: usize,
    restarts: usize,
}

impl Program {
    fn new() -> Program {
        let mut core = Loop::<Names>::on(Sim::new());
        let (mut all, mut senders) = (Vec::new(), Vec::new());
        for (idle, prepare, check) in [("i1", "p1", "c1"), ("i2", "p2", "c2")] {
            let (i, p, c) = (core.idle_open(idle), core.prepare_open(prepare), core.check_open(check));
            core.idle_start(i).unwrap();
            core.prepare_start(p).unwrap();
            core.check_start(c).unwrap();
            all.extend([i, p, c]);
        }
        for name in ["a1", "a2", "a3"] {
            let (id, sender) = core.async_open(name);
            all.push(id);
            senders.push(sender);
        }
        for name in ["T2", "T3", "Tz"] {
            let id = core.timer_open(name);
            core.timer_start(id, 0, 0).unwrap();
            all.push(id);
        }
        Program { core, all, senders, checks: 0, restarts: 0 }
    }

    /// Runs a callback of the program and returns its entry in the trace.
    fn call(&mut self, event: Event<Names>) -> String {
        let name = match event {
            Event::Closed(name) => return format!("-{name}"),
            ref other => other.handle().and_then(|id| self.core.face(id)).copied().unwrap_or("?"),
        };
        match name {
            "c1" => {
                self.checks += 1;
                if self.checks == 1 {
                    self.senders[2].send();
                    self.senders[0].send();
                } else if self.checks == 4 {
                    for &id in &self.all {
                        self.core.close(id).unwrap();
                    }
                }
                format!("{name} |")
            }
            "Tz" => {
                let fired = self.restarts;
                self.restarts += 1;
                if self.restarts < 3 {
                    self.core.timer_start(event.handle().unwrap(), 0, 0).unwrap();
                }
                format!("{name}{fired}")
            }
            _ => name.to_owned(),
        }
    }
}

#[test]
fn four_turns_match_a_libuv_trace() {
    let mut program = Program::new();
    let mut trace = Vec::new();
    while let Some(event) = program.core.next(RunMode::Default) {
        trace.push(program.call(event));
    }
    let expected = "T2 T3 Tz0 i2 i1 p2 p1 c2 c1 | Tz1 i2 i1 p2 p1 a1 a3 c2 c1 | Tz2 i2 i1 p2 p1 c2 c1 | \
                    i2 i1 p2 p1 c2 c1 | -Tz -T3 -T2 -a3 -a2 -a1 -c2 -p2 -i2 -c1 -p1 -i1";
    assert_eq!(trace.join(" "), expected);
    assert!(!program.core.is_alive() && program.core.fault().is_none());
}
