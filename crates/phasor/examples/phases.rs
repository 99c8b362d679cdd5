//! Draws three turns of the loop: which closure is called in which phase.
//!
//! `cargo run --example phases` takes no arguments. It prints a column per turn and a row per phase, in the order in
//! which the loop walks them. A bullet is an event, followed by what its closure did; a dot is a phase without events.
//! The program: a timer sends a question through a socket, the other end passes it to the thread pool, the answer comes
//! back through the socket, and everything is closed.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::Write as _;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::{Duration, Instant};

use phasor::{
    Check, EventKind, HandleId, Loop, ObservedEvent, Observer, Phase, Pipe, Prepare, Read, RequestId, RequestKind,
    RunMode, TaskSpan, work,
};

fn main() -> ExitCode {
    if std::env::args().len() > 1 {
        eprintln!("phases takes no arguments: cargo run --example phases");
        return ExitCode::from(2);
    }
    match draw_run(&Recorder::default()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(errno) => {
            eprintln!("phases: {errno}");
            ExitCode::FAILURE
        }
    }
}

/// Opens the handles, runs the loop and prints the picture.
fn draw_run(recorder: &Recorder) -> phasor::Result<()> {
    let mut l = Loop::new()?;
    l.measure(true);
    l.observe(Some(Box::new(recorder.clone())));

    // Two connected sockets: one answers with the help of the pool, the other one asks and reads the answer.
    let (asking, answering) = Pipe::pair(&mut l)?;
    let log = recorder.clone();
    answering.read_start(&mut l, move |l, answering, read| {
        if let Ok(Read::Data(_)) = read {
            log.note("reads \"6 × 7?\", asks pool");
            answer(l, answering, log.clone());
        }
    })?;

    // Handles that are called in every turn. Unreferenced, since they would keep the loop alive for ever.
    let (prepare, check) = (Prepare::new(&mut l), Check::new(&mut l));
    prepare.start(&mut l, |_, _| ())?;
    check.start(&mut l, |_, _| ())?;
    prepare.set_ref(&mut l, false);
    check.set_ref(&mut l, false);

    let log = recorder.clone();
    asking.read_start(&mut l, move |l, asking, read| {
        if let Ok(Read::Data(_)) = read {
            log.note("reads \"42\", closes all");
            asking.close(l);
            answering.close(l);
            prepare.close(l);
            check.close(l);
        }
    })?;

    let log = recorder.clone();
    l.after(Duration::ZERO, move |l| {
        log.note("writes \"6 × 7?\",");
        log.note("wants an immediate");
        let _ = asking.write(l, "6 × 7?");
        immediate(l, log);
    });

    recorder.0.borrow_mut().names = HashMap::from([
        (asking.id(), "socket, asking end"),
        (answering.id(), "socket, answering end"),
        (prepare.id(), "prepare, every turn"),
        (check.id(), "check, every turn"),
    ]);
    let mut text = String::from("Before the run the loop is alive because of:\n");
    for reason in l.why_alive() {
        text += &format!("  {}\n", recorder.0.borrow().reason(reason));
    }
    l.run(RunMode::Default)?;
    let picture = recorder.0.borrow();
    text += &picture.draw();
    let (turns, slept_ms) = (l.metrics().turns, l.metrics().idle_ns as f64 / 1e6);
    text += &format!("{} events in {turns} turns, {slept_ms:.1} ms asleep: only poll sleeps.\n", picture.events);
    text += &format!("After the run nothing keeps the loop alive, so it ended: {} reasons.\n", l.why_alive().len());
    // Ignore errors: standard output may be closed, as by `head`.
    let _ = std::io::stdout().write_all(text.as_bytes());
    Ok(())
}

/// Computes on the pool, then writes the answer.
fn answer(l: &mut Loop, socket: Pipe, log: Recorder) {
    let think = || {
        std::thread::sleep(Duration::from_millis(5));
        6 * 7
    };
    work(l, think, move |l, product: phasor::Result<u32>| {
        log.note("writes \"42\",");
        log.note("starts a 0 ms timer");
        if let Ok(product) = product {
            let _ = socket.write(l, product.to_string());
        }
        l.after(Duration::ZERO, move |_| log.note("fires in its own phase"));
    });
}

/// A check handle that is called once, as Node's `setImmediate`.
fn immediate(l: &mut Loop, log: Recorder) {
    let check = Check::new(l);
    let _ = check.start(l, move |l, check| {
        log.note("once, as setImmediate");
        check.close(l);
    });
}

/// The rows of the picture. Pending has a second row after poll: calls that polling queues are made before check.
const ROWS: [(&str, Phase); 8] = [
    ("timers", Phase::Timers),
    ("pending", Phase::Pending),
    ("idle", Phase::Idle),
    ("prepare", Phase::Prepare),
    ("poll", Phase::Poll),
    ("pending", Phase::Pending),
    ("check", Phase::Check),
    ("closing", Phase::Closing),
];

/// The width of a column in characters.
const WIDTH: usize = 28;

/// The lines of every cell, and the state for adding more.
#[derive(Default)]
struct Picture {
    /// When the loop began to poll.
    poll_began: Option<Instant>,
    names: HashMap<HandleId, &'static str>,
    turns: Vec<[Vec<String>; ROWS.len()]>,
    row: usize,
    events: u32,
    /// The number of handles closed in this turn.
    closed: u32,
    /// True if the next event completes a task of the pool.
    from_pool: bool,
}

impl Picture {
    fn begin(&mut self, phase: Phase) {
        if phase == Phase::Timers {
            self.turns.push(Default::default());
            self.closed = 0;
        }
        let after_poll = self.row >= 4 && phase == Phase::Pending;
        let row = ROWS.iter().position(|&(_, each)| each == phase).unwrap_or(0);
        self.row = if after_poll { 5 } else { row };
    }

    fn line(&mut self, line: String) {
        let row = self.row;
        if let Some(turn) = self.turns.last_mut() {
            turn[row].push(line);
        }
    }

    fn event(&mut self, seen: ObservedEvent) {
        self.events += 1;
        let named = seen.handle.and_then(|id| self.names.get(&id)).copied();
        let text = match seen.kind {
            EventKind::Timer => "timer",
            EventKind::Check => named.unwrap_or("check, the immediate"),
            EventKind::Done if std::mem::take(&mut self.from_pool) => "pool: task is done",
            EventKind::Done => "write is done",
            EventKind::Closed => return self.closed(),
            _ => named.unwrap_or(seen.phase.name()),
        };
        self.line(format!("● {text}"));
    }

    /// Shows all handles that a turn closes as one line.
    fn closed(&mut self) {
        self.closed += 1;
        let (row, closed) = (self.row, self.closed);
        if let Some(turn) = self.turns.last_mut() {
            let plural = if closed == 1 { " is" } else { "s are" };
            turn[row] = vec![format!("● {closed} handle{plural} closed")];
        }
    }

    fn reason(&self, reason: phasor::Reason) -> String {
        match reason {
            phasor::Reason::Handle(id, kind) => match self.names.get(&id) {
                Some(name) => format!("{}: {name}", kind.name()),
                None => format!("{}: due at once", kind.name()),
            },
            other => format!("{other:?}"),
        }
    }

    fn draw(&self) -> String {
        // The run ends by checking the timers once more; a column without events is left out.
        let turns: Vec<_> = self.turns.iter().filter(|turn| turn.iter().any(|cell| !cell.is_empty())).collect();
        let rule = |left: char, cross: char, right: char| {
            let columns = vec!["─".repeat(WIDTH + 1); turns.len()];
            format!("{left}─────────{cross}{}{right}\n", columns.join(&cross.to_string()))
        };
        let heads: Vec<String> = (1..=turns.len()).map(|turn| format!(" {:WIDTH$}", format!("turn {turn}"))).collect();
        let mut text = rule('┌', '┬', '┐') + &format!("│ phase   │{}│\n", heads.join("│")) + &rule('├', '┼', '┤');
        for (row, (name, _)) in ROWS.iter().enumerate() {
            let height = turns.iter().map(|turn| turn[row].len()).max().unwrap_or(0);
            if height == 0 && row == 5 {
                continue;
            }
            for line in 0..height.max(1) {
                let cells = turns.iter().map(|turn| match turn[row].get(line) {
                    Some(cell) => format!(" {cell:WIDTH$}"),
                    None if line == 0 => format!(" {:WIDTH$}", "·"),
                    None => " ".repeat(WIDTH + 1),
                });
                let name = if line == 0 { *name } else { "" };
                text += &format!("│ {name:7} │{}│\n", cells.collect::<Vec<_>>().join("│"));
            }
        }
        text + &rule('└', '┴', '┘')
    }
}

/// Records into the picture, as the loop's observer and from its closures.
#[derive(Clone, Default)]
struct Recorder(Rc<RefCell<Picture>>);

impl Recorder {
    /// Adds a line about what a closure does.
    fn note(&self, words: &str) {
        self.0.borrow_mut().line(format!("  {words}"));
    }
}

impl Observer for Recorder {
    fn phase_begin(&mut self, phase: Phase) {
        self.0.borrow_mut().begin(phase);
    }

    fn callback_begin(&mut self, seen: ObservedEvent) {
        self.0.borrow_mut().event(seen);
    }

    fn poll_begin(&mut self, _timeout_ms: Option<u64>) {
        self.0.borrow_mut().poll_began = Some(Instant::now());
    }

    fn poll_end(&mut self, _ready: usize) {
        let mut picture = self.0.borrow_mut();
        let slept_ms = picture.poll_began.map_or(0.0, |began| began.elapsed().as_secs_f64() * 1e3);
        if slept_ms >= 0.5 {
            picture.line(format!("z sleeps {slept_ms:.1} ms"));
        }
    }

    fn task_done(&mut self, _request: RequestId, _kind: RequestKind, _span: TaskSpan) {
        self.0.borrow_mut().from_pool = true;
    }
}
