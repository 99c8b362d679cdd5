//! `phasor trace`: records what event loops do, and writes pages and files of it.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use phasor_core::{Event, Face, Loop, RunMode};
use phasor_lens::agent::{self, Client};
use phasor_lens::json::Json;
use phasor_lens::{Config, Mode, RecordKind, Recording, Trace, export};

use crate::child::{self, SIGINT, SIGUSR2, Watcher};
use crate::commands::{Arguments, Failure, Target, duration};
use crate::target;

/// What an output is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Html,
    Json,
    Raw,
}

impl Format {
    /// The format that a file name stands for.
    fn of(path: &Path) -> Result<Format, Failure> {
        match path.extension().and_then(OsStr::to_str) {
            Some("html" | "htm") => Ok(Format::Html),
            Some("json") => Ok(Format::Json),
            Some("phasor") => Ok(Format::Raw),
            _ => Err(Failure::usage(format!("the output {} should end with .html, .json or .phasor", path.display()))),
        }
    }
}

/// The command.
pub(crate) fn run(mut arguments: Arguments) -> Result<ExitCode, Failure> {
    if !Path::new("convert").exists() && arguments.take_switch("convert") {
        return convert(arguments.rest());
    }
    let mut config = Config::new("");
    let (mut output, mut limit) = (None, None);
    loop {
        if let Some(path) = arguments.take_value("-o")? {
            output = Some(PathBuf::from(path));
        } else if let Some(text) = arguments.take_value("--for")? {
            let time = duration(&text);
            limit = Some(
                time.ok_or_else(|| Failure::usage(format!("--for={} is not a time such as 10s", text.display())))?,
            );
        } else if let Some(text) = arguments.take_value("--ring")? {
            let set = config.set_ring(&text.to_string_lossy());
            set.map_err(|expected| Failure::usage(format!("--ring={} is not {expected}", text.display())))?;
            config.mode = Mode::FlightRecorder;
        } else if let Some(text) = arguments.take_value("--detail")? {
            let set = config.set_detail(&text.to_string_lossy());
            set.map_err(|expected| Failure::usage(format!("--detail={} is not {expected}", text.display())))?;
        } else {
            break;
        }
    }
    let target = arguments.target()?;
    let output = output.unwrap_or_else(|| PathBuf::from(format!("{}.trace.html", target.name())));
    let recorder = Output::new(&output, config)?;
    match target {
        Target::Process(pid) => trace_process(pid, recorder, limit),
        _ => trace_program(&target, recorder, limit),
    }
}

/// The output, and the recordings beside it from which it is made: one of each process.
struct Output {
    path: PathBuf,
    format: Format,
    config: Config,
    /// The folder and the beginning of the names of the recordings.
    folder: PathBuf,
    prefix: OsString,
    /// Recordings that were there before.
    foreign: HashSet<PathBuf>,
}

impl Output {
    /// Checks that the output can be written, before anything is recorded.
    fn new(path: &Path, mut config: Config) -> Result<Output, Failure> {
        let format = Format::of(path)?;
        let path = std::path::absolute(path).map_err(|error| cannot_write(path, &error))?;
        let existed = path.exists();
        File::options().append(true).create(true).open(&path).map_err(|error| cannot_write(&path, &error))?;
        if !existed {
            let _ = std::fs::remove_file(&path);
        }
        let folder = path.parent().unwrap_or(Path::new("/")).to_owned();
        let mut prefix = path.file_name().unwrap_or_default().to_owned();
        prefix.push(".");
        let mut name = prefix.clone();
        name.push("%p.phasor");
        config.path = folder.join(name);
        let mut output = Output { path, format, config, folder, prefix, foreign: HashSet::new() };
        output.foreign = output.recordings().into_iter().map(|(_, path)| path).collect();
        Ok(output)
    }

    /// The recordings with the ids of their processes, the first process first.
    fn recordings(&self) -> Vec<(u32, PathBuf)> {
        let Ok(entries) = std::fs::read_dir(&self.folder) else { return Vec::new() };
        let pid_of = |name: &OsStr| -> Option<u32> {
            let rest =
                name.as_encoded_bytes().strip_prefix(self.prefix.as_encoded_bytes())?.strip_suffix(b".phasor")?;
            std::str::from_utf8(rest).ok()?.parse().ok()
        };
        let found = entries.flatten().filter_map(|entry| Some((pid_of(&entry.file_name())?, entry.path())));
        let mut found: Vec<_> = found.filter(|(_, path)| !self.foreign.contains(path)).collect();
        found.sort_unstable();
        found
    }

    /// Makes the output of the recordings, and removes those. Prints a line about it.
    fn write(&self, is_final: bool) -> Result<(), Failure> {
        let found = self.recordings();
        if found.is_empty() {
            return Err(Failure::Work(
                "nothing was recorded: the program has no event loop of Phasor, or ended before it ran".into(),
            ));
        }
        let mut recordings = Vec::new();
        for (_, path) in &found {
            recordings.push(Recording::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?);
        }
        if self.format == Format::Raw {
            let (_, first) = &found[0];
            let moved =
                if is_final { std::fs::rename(first, &self.path) } else { std::fs::copy(first, &self.path).map(drop) };
            moved.map_err(|error| cannot_write(&self.path, &error))?;
        } else {
            write_as(self.format, &recordings, &self.path)?;
            if is_final {
                found.iter().for_each(|(_, path)| drop(std::fs::remove_file(path)));
            }
        }
        let others = if self.format == Format::Raw { &found[1..] } else { &[] };
        crate::print_error(&summary(&recordings, &self.path, others));
        Ok(())
    }
}

/// A line about what was recorded, and where it is.
fn summary(recordings: &[Recording], output: &Path, others: &[(u32, PathBuf)]) -> String {
    let plural = |count: usize, what: &str| match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {}", if what.ends_with("ss") { format!("{what}es") } else { format!("{what}s") }),
    };
    let threads = recordings.iter().flat_map(|recording| recording.threads.values());
    let records = || threads.clone().flat_map(|thread| &thread.records);
    let callbacks = records().filter(|record| record.kind == RecordKind::CallbackBegin).count();
    // The first record of a thread says how much a flight recorder has overwritten.
    let later = threads.clone().flat_map(|thread| thread.records.iter().skip(1));
    let lost: u64 = later.filter(|record| record.kind == RecordKind::Lost).map(|record| record.a).sum();
    let lost = if lost == 0 { String::new() } else { format!(" ({lost} records were lost: the disk was too slow)") };
    let others: String = others.iter().map(|(_, path)| format!(", {}", path.display())).collect();
    let bytes = output.metadata().map_or(0, |found| found.len());
    let size = if bytes < 1 << 20 { format!("{} KB", bytes.div_ceil(1 << 10)) } else { format!("{} MB", bytes >> 20) };
    format!(
        "phasor trace: {} of {} in {}{lost}: {} ({size}){others}\n",
        plural(callbacks, "callback"),
        plural(threads.clone().count(), "thread"),
        plural(recordings.len(), "process"),
        output.display()
    )
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::Work(format!("cannot write {}: {error}", path.display()))
}

/// Writes recordings as a page or as JSON.
fn write_as(format: Format, recordings: &[Recording], path: &Path) -> Result<(), Failure> {
    let trace = Trace::new(recordings);
    let title = path.file_stem().unwrap_or_default().to_string_lossy();
    let title = title.strip_suffix(".trace").unwrap_or(&title);
    let write = || -> io::Result<()> {
        let mut out = BufWriter::new(File::create(path)?);
        match format {
            Format::Html => export::html(&trace, title, &mut out)?,
            Format::Json | Format::Raw => export::chrome(&trace, &mut out)?,
        }
        out.flush()
    };
    write().map_err(|error| cannot_write(path, &error))
}

/// `phasor trace convert`.
fn convert(mut paths: Vec<OsString>) -> Result<ExitCode, Failure> {
    let output = paths.pop().map(PathBuf::from).filter(|_| !paths.is_empty());
    let output = output.ok_or_else(|| Failure::usage("convert needs a recording and an output"))?;
    let format = Format::of(&output)?;
    let mut recordings = Vec::new();
    for path in &paths {
        let recording = Recording::read(Path::new(path)).map_err(|error| format!("{}: {error}", path.display()))?;
        if !recording.is_complete {
            crate::print_error(&format!(
                "phasor trace: {} ends early: its process was killed, or still runs\n",
                path.display()
            ));
        }
        recordings.push(recording);
    }
    match (format, paths.as_slice()) {
        (Format::Raw, [path]) => {
            std::fs::copy(path, &output).map_err(|error| cannot_write(&output, &error))?;
        }
        (Format::Raw, _) => return Err(Failure::usage("several recordings cannot become one .phasor file")),
        _ => write_as(format, &recordings, &output)?,
    }
    crate::print_error(&summary(&recordings, &output, &[]));
    Ok(ExitCode::SUCCESS)
}

/// Runs a program and records it.
fn trace_program(target: &Target, output: Output, limit: Option<Duration>) -> Result<ExitCode, Failure> {
    let mut environment = vec![(Config::VARIABLE, OsString::from(output.config.to_variable()?))];
    if limit.is_some() || output.config.mode == Mode::FlightRecorder {
        // To end the recording before the program ends, or to write what was kept.
        environment.push((agent::VARIABLE, "1".into()));
    }
    let Some(mut command) = target.command(&environment)? else { return Ok(ExitCode::SUCCESS) };
    let mut watcher = TraceWatcher { output, limit, began: Instant::now(), is_written: false };
    let status = child::watch(&mut command, &mut watcher)
        .map_err(|error| format!("cannot start {}: {error}", command.get_program().display()))?;
    if !watcher.is_written {
        watcher.output.write(true)?;
    }
    Ok(child::exit_code(status))
}

/// Ends the recording of a program that runs, or writes what its flight recorder has kept.
struct TraceWatcher {
    output: Output,
    limit: Option<Duration>,
    began: Instant,
    is_written: bool,
}

impl TraceWatcher {
    /// Asks all recorded processes that still run.
    fn ask_all(&self, what: &str) {
        for (pid, path) in self.output.recordings() {
            // A process that has ended has written its recording.
            let answer =
                target::connect_started(pid).map(|mut client| client.ask(&Json::object([("ask", what.into())])));
            if let Some(Err(error)) = answer {
                crate::print_error(&format!("phasor trace: {}: {error}\n", path.display()));
            }
        }
    }

    fn write(&self, is_final: bool) {
        if let Err(Failure::Work(text) | Failure::Usage(text)) = self.output.write(is_final) {
            crate::print_error(&format!("phasor trace: {text}\n"));
        }
    }
}

impl Watcher for TraceWatcher {
    fn signal(&mut self, signum: i32) -> bool {
        let dumps = signum == SIGUSR2 && self.output.config.mode == Mode::FlightRecorder && !self.is_written;
        if dumps {
            self.ask_all("dump");
            self.write(false);
        }
        dumps
    }

    fn tick_ms(&self) -> u64 {
        if self.limit.is_some() { 50 } else { 0 }
    }

    fn tick(&mut self) {
        if !self.is_written && self.limit.is_some_and(|limit| self.began.elapsed() >= limit) {
            self.is_written = true;
            self.ask_all("stop");
            self.write(true);
        }
    }
}

/// Records a process that runs, until the time is over, Ctrl-C, or the end of the process.
fn trace_process(pid: u32, output: Output, limit: Option<Duration>) -> Result<ExitCode, Failure> {
    let mut client = target::connect(pid)?;
    let failed = |error: io::Error| Failure::Work(target::explain_answer(pid, &error));
    let request = Json::object([("ask", "record".into()), ("config", output.config.to_variable()?.into())]);
    client.ask(&request).map_err(failed)?;
    let has_ended = wait(&mut client, limit).map_err(|error| format!("cannot wait: {error}"))?;
    if !has_ended {
        match client.ask(&Json::object([("ask", "stop".into())])) {
            Err(error) if error.kind() == io::ErrorKind::Other => return Err(failed(error)),
            // The process has ended in the meantime, and has written its recording.
            _ => {}
        }
    }
    output.write(true)?;
    Ok(ExitCode::SUCCESS)
}

struct Plain;

impl Face for Plain {
    type Handle = ();
    type Request = ();
    type Bytes = Vec<u8>;
}

/// Waits until the time is over, or for Ctrl-C. Returns true if the process has ended.
fn wait(client: &mut Client, limit: Option<Duration>) -> io::Result<bool> {
    const SIGTERM: i32 = 15;
    const TICK_MS: u64 = 200;
    let failed = |errno: phasor_core::Errno| io::Error::from_raw_os_error(errno.raw());
    let mut core = Loop::<Plain>::new().map_err(failed)?;
    for signum in [SIGINT, SIGTERM] {
        let signal = core.signal_open(());
        core.signal_start(signal, signum).map_err(failed)?;
    }
    let end = core.timer_open(());
    if let Some(limit) = limit {
        core.timer_start(end, limit.as_millis() as u64, 0).map_err(failed)?;
    }
    let tick = core.timer_open(());
    core.timer_start(tick, TICK_MS, TICK_MS).map_err(failed)?;
    while let Some(event) = core.next(RunMode::Default) {
        match event {
            // The connection must not look idle, and the process may have ended.
            Event::Timer(id) if id == tick => match client.ask(&Json::object([("ask", "ping".into())])) {
                Ok(_) => {}
                Err(_) => return Ok(true),
            },
            Event::Timer(_) | Event::Signal(..) => return Ok(false),
            _ => {}
        }
    }
    Ok(false)
}
