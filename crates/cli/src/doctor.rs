//! `phasor doctor`: runs a program with the recorder, and says what keeps it from running well.

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, ExitStatus};
use std::time::{Duration, Instant};

use phasor_lens::agent::{self, Client};
use phasor_lens::doctor::{self, Diagnosis, Style};
use phasor_lens::json::Json;
use phasor_lens::{Config, Recording, Trace, WhyReport};

use crate::child::{self, Watcher};
use crate::commands::{Arguments, Failure, Target, duration};
use crate::why::{IdleProbe, STACKS_VARIABLE};

/// The exit code with findings.
const HAS_FINDINGS: u8 = 1;

/// The exit code when the program could not be examined.
const FAILED: u8 = 2;

/// How long a program may take to end after SIGTERM when the time of `--for` is over.
const END_LIMIT: Duration = Duration::from_secs(2);

const SIGKILL: i32 = 9;
const SIGTERM: i32 = 15;

/// The command.
pub(crate) fn run(arguments: Arguments) -> Result<ExitCode, Failure> {
    match examine(arguments) {
        // Status 1 says that there are findings.
        Err(Failure::Work(text)) => {
            crate::print_error(&format!("phasor doctor: {text}\n"));
            Ok(ExitCode::from(FAILED))
        }
        other => other,
    }
}

fn examine(mut arguments: Arguments) -> Result<ExitCode, Failure> {
    let (mut is_json, mut output, mut limit) = (false, None, None);
    loop {
        if arguments.take_switch("--json") {
            is_json = true;
        } else if let Some(path) = arguments.take_value("-o")? {
            output = Some(PathBuf::from(path));
        } else if let Some(text) = arguments.take_value("--for")? {
            let time = duration(&text);
            limit = Some(
                time.ok_or_else(|| Failure::usage(format!("--for={} is not a time such as 10s", text.display())))?,
            );
        } else {
            break;
        }
    }
    let target = arguments.target()?;
    if let Target::Process(pid) = target {
        return Err(Failure::usage(format!(
            "process {pid} runs already, and the doctor has to see a program from its start: give it the script"
        )));
    }
    // Checked before the program runs, so that its run is not useless.
    let mut out: Box<dyn Write> = match &output {
        None => Box::new(std::io::stderr()),
        Some(path) => {
            let file = std::fs::File::create(path);
            Box::new(file.map_err(|error| format!("cannot write {}: {error}", path.display()))?)
        }
    };
    let folder = Folder::new()?;
    let mut config = Config::new(folder.0.join("%p.phasor"));
    config.findings = true;
    let environment = [
        (Config::VARIABLE, OsString::from(config.to_variable()?)),
        (agent::VARIABLE, "1".into()),
        (STACKS_VARIABLE, "1".into()),
    ];
    let Some(mut command) = target.command(&environment)? else { return Ok(ExitCode::SUCCESS) };
    let mut watcher = DoctorWatcher::new(limit);
    let status = child::watch(&mut command, &mut watcher)
        .map_err(|error| format!("cannot start {}: {error}", command.get_program().display()))?;

    let trace = Trace::new(&folder.recordings()?);
    if trace.callback_count() == 0 && !status.success() {
        let how = how_it_ended(status).unwrap_or_default();
        return Err(Failure::Work(format!("the event loop has not run: {how}")));
    }
    let mut found = doctor::diagnose(&trace);
    // A program that has ended on its own was not kept alive.
    let was_stopped = watcher.was_stopped || status.signal().is_some();
    if let Some(report) = watcher.report.filter(|_| was_stopped) {
        found.extend(doctor::diagnose_alive(&report));
    }
    let ended = if watcher.has_terminated { None } else { Some(status) };
    let text = if is_json { json(&trace, &found, status) } else { text(&trace, &found, ended, output.is_none()) };
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    if let (Err(error), Some(path)) = (written, &output) {
        return Err(Failure::Work(format!("cannot write {}: {error}", path.display())));
    }
    Ok(if found.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(HAS_FINDINGS) })
}

fn json(trace: &Trace, found: &[Diagnosis], status: ExitStatus) -> String {
    let mut json = doctor::to_json(trace, found);
    if let Json::Object(members) = &mut json {
        if let Some(code) = status.code() {
            members.push(("exitCode".to_owned(), f64::from(code).into()));
        }
        if let Some(signal) = status.signal() {
            members.push(("signal".to_owned(), f64::from(signal).into()));
        }
    }
    format!("{json}\n")
}

fn text(trace: &Trace, found: &[Diagnosis], status: Option<ExitStatus>, is_on_terminal: bool) -> String {
    let folder = std::env::current_dir().unwrap_or_default();
    let is_plain = |name: &str, value: Option<&str>| {
        std::env::var_os(name).is_some_and(|found| !found.is_empty() && value.is_none_or(|value| found == value))
    };
    let has_colours = is_on_terminal
        && std::io::stderr().is_terminal()
        && !is_plain("NO_COLOR", None)
        && !is_plain("TERM", Some("dumb"));
    let style = Style { has_colours, folder: folder.to_str().unwrap_or_default() };
    let mut text = format!("\n{}", style.report(trace, found));
    if let Some(how) = status.and_then(how_it_ended) {
        text.push_str(&format!("\nNote: {how}.\n"));
    }
    text
}

/// How a program ended, if it did not end well.
fn how_it_ended(status: ExitStatus) -> Option<String> {
    match (status.code(), status.signal()) {
        (Some(0), _) => None,
        (Some(code), _) => Some(format!("the program ended with exit code {code}")),
        (None, signal) => Some(format!("the program was ended by signal {}", signal?)),
    }
}

/// A folder for recordings, which is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Folder, Failure> {
        let base = std::env::temp_dir();
        let mut number = 0;
        loop {
            let path = base.join(format!("phasor-doctor-{}-{number}", std::process::id()));
            match std::fs::DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Folder(path)),
                // A process with this id was killed before.
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && number < 100 => number += 1,
                Err(error) => return Err(Failure::Work(format!("cannot make the folder {}: {error}", path.display()))),
            }
        }
    }

    /// The recordings of all processes.
    fn recordings(&self) -> Result<Vec<Recording>, Failure> {
        let entries =
            std::fs::read_dir(&self.0).map_err(|error| format!("cannot read {}: {error}", self.0.display()))?;
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        let read = |path: &Path| {
            Recording::read(path).map_err(|error| Failure::Work(format!("cannot read {}: {error}", path.display())))
        };
        let recordings = paths.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
        if recordings.iter().all(|recording| recording.threads.is_empty()) {
            let text = "nothing was recorded: the program has no event loop of Phasor, or ended before it ran";
            return Err(Failure::Work(text.into()));
        }
        Ok(recordings)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Asks an idle program what keeps it alive, and ends it when its time is over.
struct DoctorWatcher {
    pid: u32,
    limit: Option<Duration>,
    began: Instant,
    probe: IdleProbe,
    /// The report of what kept the program alive after it had been idle for a while.
    report: Option<WhyReport>,
    /// A signal was passed on to the program, or its time is over.
    was_stopped: bool,
    /// This process has ended the program.
    has_terminated: bool,
    has_killed: bool,
}

impl DoctorWatcher {
    fn new(limit: Option<Duration>) -> DoctorWatcher {
        DoctorWatcher {
            pid: 0,
            limit,
            began: Instant::now(),
            probe: IdleProbe::new(),
            report: None,
            was_stopped: false,
            has_terminated: false,
            has_killed: false,
        }
    }

    /// Ends the recording, and the program.
    fn terminate(&mut self) {
        self.was_stopped = true;
        self.has_terminated = true;
        if let Some(client) = self.client() {
            // Buffered records that are not in the file yet are written.
            let _ = client.ask(&Json::object([("ask", "stop".into())]));
        }
        let _ = phasor_core::kill(self.pid as i32, SIGTERM);
    }

    fn client(&mut self) -> Option<&mut Client> {
        self.probe.client(self.pid)
    }
}

impl Watcher for DoctorWatcher {
    fn started(&mut self, pid: u32) {
        self.pid = pid;
        self.began = Instant::now();
    }

    fn signal(&mut self, signum: i32) -> bool {
        self.was_stopped |= matches!(signum, child::SIGINT | child::SIGQUIT | SIGTERM);
        false
    }

    fn tick_ms(&self) -> u64 {
        100
    }

    fn tick(&mut self) {
        if self.report.is_none() && !self.has_terminated && self.probe.has_become_idle(self.pid) {
            let answer = self.client().map(|client| client.ask(&Json::object([("ask", "why".into())])));
            if let Some(Ok(answer)) = answer {
                let report = WhyReport::from_json(&answer);
                if !doctor::diagnose_alive(&report).is_empty() && self.limit.is_none() {
                    crate::print_error(
                        "phasor doctor: the program is idle and waits for a listener; Ctrl-C ends it, and the report follows\n",
                    );
                }
                self.report = Some(report);
            }
        }
        let Some(limit) = self.limit else { return };
        if !self.has_terminated && self.began.elapsed() >= limit {
            self.terminate();
        } else if self.has_terminated && !self.has_killed && self.began.elapsed() >= limit + END_LIMIT {
            self.has_killed = true;
            let _ = phasor_core::kill(self.pid as i32, SIGKILL);
        }
    }
}
