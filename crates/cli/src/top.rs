//! `phasor top`: a live view of the event loops of a process in the terminal.

mod sample;
mod screen;

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, IsTerminal, Read, Write};
use std::process::{Child, ExitCode, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use phasor_lens::agent::{self, Client};
use phasor_lens::json::Json;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};

use self::sample::Sample;
use self::screen::View;
use crate::child;
use crate::commands::{Arguments, Failure, Target};
use crate::target;

/// The interval between two requests to the process.
const PERIOD: Duration = Duration::from_secs(1);

/// The length of the first period, after which the view has data.
const FIRST_PERIOD: Duration = Duration::from_millis(200);

/// How long the view waits for a key.
const KEY_LIMIT: Duration = Duration::from_millis(100);

/// How long a program that was started may take to open its control socket.
const START_LIMIT: Duration = Duration::from_secs(20);

/// The number of lines of a program's output that are stored.
const MOST_LINES: usize = 200;

/// The command.
pub(crate) fn run(arguments: Arguments) -> Result<ExitCode, Failure> {
    let target = arguments.target()?;
    if !std::io::stdout().is_terminal() {
        return Err(Failure::Work(
            "standard output is no terminal; --metrics serves the same numbers to programs".into(),
        ));
    }
    match target {
        Target::Process(pid) => {
            let mut client = target::connect(pid)?;
            let mut view = View::new(pid, info(&mut client, pid)?, None);
            show(&mut client, &mut view, None)?;
            if view.has_ended {
                crate::print_error(&format!("phasor top: process {pid} has ended\n"));
            }
            Ok(ExitCode::SUCCESS)
        }
        _ => run_program(&target),
    }
}

/// The data that a process reports about itself.
fn info(client: &mut Client, pid: u32) -> Result<Json, Failure> {
    let answer = client.ask(&Json::object([("ask", "info".into())]));
    answer.map_err(|error| Failure::Work(target::explain_answer(pid, &error)))
}

/// The last lines that a program has printed.
pub(super) type Output = Arc<Mutex<VecDeque<String>>>;

/// A program that this one has started. It is ended with it.
struct Program {
    child: Child,
    output: Output,
}

impl Program {
    fn status(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        const SIGTERM: i32 = 15;
        const LIMIT: Duration = Duration::from_secs(2);
        let began = Instant::now();
        let _ = phasor_core::kill(self.child.id() as i32, SIGTERM);
        while self.status().is_none() {
            if began.elapsed() > LIMIT {
                let _ = self.child.kill();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Runs a program, whose output would destroy the view: its last lines are shown in the view, and again at the end.
fn run_program(target: &Target) -> Result<ExitCode, Failure> {
    let Some(mut command) = target.command(&[(agent::VARIABLE, "1".into())])? else { return Ok(ExitCode::SUCCESS) };
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child =
        command.spawn().map_err(|error| format!("cannot start {}: {error}", command.get_program().display()))?;
    let output = Output::default();
    if let Some(stdout) = child.stdout.take() {
        keep_lines(stdout, &output);
    }
    if let Some(stderr) = child.stderr.take() {
        keep_lines(stderr, &output);
    }
    let mut program = Program { child, output: Arc::clone(&output) };
    let pid = program.child.id();
    let began = Instant::now();
    let client = loop {
        if let Some(client) = target::connect_started(pid) {
            break Some(client);
        }
        if program.status().is_some() || began.elapsed() > START_LIMIT {
            break None;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let shown = match client {
        Some(mut client) => {
            let mut view = View::new(pid, info(&mut client, pid).unwrap_or_default(), Some(output));
            show(&mut client, &mut view, Some(&mut program))
        }
        None => Ok(()),
    };
    let status = program.status();
    let lines = std::mem::take(&mut *lock(&program.output));
    drop(program);
    let mut stdout = std::io::stdout();
    for line in lines {
        // A closed pipe is no error.
        let _ = writeln!(stdout, "{line}");
    }
    shown?;
    Ok(match status {
        Some(status) => {
            crate::print_error(&format!("phasor top: the program has ended ({status})\n"));
            child::exit_code(status)
        }
        None => ExitCode::SUCCESS,
    })
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps the last lines of a pipe, on a thread.
fn keep_lines(pipe: impl Read + Send + 'static, output: &Output) {
    let output = Arc::clone(output);
    let read = move || {
        let mut pipe = BufReader::new(pipe);
        let mut line = Vec::new();
        while pipe.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
            let mut lines = lock(&output);
            lines.push_back(String::from_utf8_lossy(line.trim_ascii_end()).into_owned());
            if lines.len() > MOST_LINES {
                lines.pop_front();
            }
            drop(lines);
            line.clear();
        }
    };
    // Without the thread the program's output is lost, and it would block: it gets SIGPIPE instead.
    let _ = std::thread::Builder::new().name("output".into()).spawn(read);
}

/// Shows the view until the user ends it. The terminal is restored even after a panic.
fn show(client: &mut Client, view: &mut View, program: Option<&mut Program>) -> Result<(), Failure> {
    let mut terminal = ratatui::try_init().map_err(|error| format!("cannot use the terminal: {error}"))?;
    let result = show_in(&mut terminal, client, view, program);
    ratatui::restore();
    result.map_err(|error| Failure::Work(format!("cannot use the terminal: {error}")))
}

fn show_in(
    terminal: &mut DefaultTerminal,
    client: &mut Client,
    view: &mut View,
    mut program: Option<&mut Program>,
) -> std::io::Result<()> {
    let request = Json::object([("ask", "stats".into()), ("locations", true.into())]);
    let (mut last, mut period) = (Instant::now(), Duration::ZERO);
    let mut before: Option<Json> = None;
    loop {
        if !view.has_ended && last.elapsed() >= period {
            last = Instant::now();
            match client.ask(&request) {
                Ok(now) => {
                    if let Some(before) = &before {
                        view.sample = Sample::between(before, &now);
                    }
                    period = if before.is_some() { PERIOD } else { FIRST_PERIOD };
                    before = Some(now);
                    view.is_silent = false;
                }
                // The process may be stopped.
                Err(error) if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {
                    view.is_silent = true;
                }
                Err(_) => view.has_ended = true,
            }
        }
        if program.as_mut().is_some_and(|program| program.status().is_some()) {
            view.has_ended = true;
        }
        terminal.draw(|frame| view.draw(frame))?;
        if !event::poll(KEY_LIMIT)? {
            continue;
        }
        if let Event::Key(key) = event::read()?
            && key.kind == KeyEventKind::Press
        {
            let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
            match key.code {
                KeyCode::Char('q') | KeyCode::Esc => return Ok(()),
                KeyCode::Char('c') if is_control => return Ok(()),
                KeyCode::Down | KeyCode::Right | KeyCode::Char('j') => view.select(1),
                KeyCode::Up | KeyCode::Left | KeyCode::Char('k') => view.select(-1),
                _ => {}
            }
        }
    }
}
