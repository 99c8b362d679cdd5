//! The commands: `phasor trace`, `phasor why` and so on. This file has their table, and finds what a command is about.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

use crate::{INVALID_ARGUMENT, print_error, print_text, with};

/// A command.
pub(crate) struct CommandInfo {
    pub(crate) name: &'static str,
    /// The usage text that follows the name, one line for each form of the call.
    pub(crate) usage: &'static [&'static str],
    /// A sentence for `phasor --help`.
    pub(crate) summary: &'static str,
    /// More sentences for `phasor NAME --help`.
    pub(crate) details: &'static str,
    /// The options, with their descriptions.
    pub(crate) options: &'static [(&'static str, &'static str)],
    /// Examples, with their descriptions.
    pub(crate) examples: &'static [(&'static str, &'static str)],
    run: fn(Arguments) -> Result<ExitCode, Failure>,
}

/// All commands.
pub(crate) const COMMANDS: &[CommandInfo] = &[
    CommandInfo {
        name: "doctor",
        usage: &["[options] app.js [arguments]", "[options] -- program [arguments]"],
        summary: "run a program and say what makes it slow, late, or never end",
        details: "Records the program until it ends, until Ctrl-C, or for the time of --for, and then prints what it found on standard \
                  error: what happened, the line of the program, what was measured, and what to do. It finds a blocked loop, ticks and \
                  microtasks without end, connections that wait for immediates, a full thread pool, late timers and slow intervals, \
                  events before their listener, writes that ignore backpressure, handles that are never closed, an await that never \
                  settles, and listeners that keep an idle process alive. The exit code is 0 without findings, 1 with findings and 2 if \
                  the program could not be examined; that of the program is in the report.",
        options: &[
            ("--for TIME", "end the program with SIGTERM after this time: 500ms, 10s, 2m"),
            ("--json", "write the report as JSON"),
            ("-o FILE", "write the report to a file"),
        ],
        examples: &[
            ("phasor doctor app.js", "examine a program until it ends, or until Ctrl-C"),
            ("phasor doctor --for 30s --json -o report.json server.js", "examine a server for half a minute"),
            ("phasor doctor -- nvim file.txt", "examine a program that uses libuv"),
        ],
        run: crate::doctor::run,
    },
    CommandInfo {
        name: "top",
        usage: &["PID", "app.js [arguments]", "-- program [arguments]"],
        summary: "show live what the event loops of a process do",
        details: "Shows, for each event loop of the process: utilisation, delay, time by phase, callbacks by kind, open handles, the \
                  slowest callbacks of the last seconds, and the thread pool. The arrow keys select a loop, q ends. \
                  A program that the command has started ends with it.",
        options: &[],
        examples: &[
            ("phasor top 4711", "watch a server that runs"),
            ("phasor top app.js", "run a program and watch it"),
        ],
        run: crate::top::run,
    },
    CommandInfo {
        name: "trace",
        usage: &[
            "[options] app.js [arguments]",
            "[options] -- program [arguments]",
            "[options] PID",
            "convert IN.phasor... OUT",
        ],
        summary: "record what the event loop does, and write a page with a timeline",
        details: "Records the program and the programs that it starts, until they end. The name of the output says its format: .html is \
                  one self-contained page, .json is for Perfetto and Chrome's about:tracing, .phasor is the recording itself.",
        options: &[
            ("-o FILE", "the output; NAME.trace.html by default"),
            ("--for TIME", "how long to record: 500ms, 10s, 2m; required for a PID unless Ctrl-C ends the recording"),
            (
                "--ring SIZE",
                "keep only the newest records, in SIZE bytes of memory for each thread (64M), and write them at the end",
            ),
            (
                "--detail N",
                "1: callbacks, requests, handles and timers with their causes (the default); 2: also ticks and microtasks; 3: also promises",
            ),
        ],
        examples: &[
            ("phasor trace app.js", "record a program, and write app.trace.html"),
            ("phasor trace --for 10s 4711", "record a server that runs for ten seconds"),
            ("phasor trace -o nvim.json -- nvim file.txt", "record a program that uses libuv, for Perfetto"),
            ("phasor trace convert a.phasor a.html", "make a page of a recording"),
        ],
        run: crate::trace::run,
    },
    CommandInfo {
        name: "why",
        usage: &["PID", "app.js [arguments]", "-- program [arguments]"],
        summary: "show what keeps a process alive",
        details: "Prints everything that keeps the event loops of the process alive, with the line that made it. Closing all of it, or \
                  calling unref(), lets the process end. A program that the command runs is examined when it has been idle for two \
                  seconds, and at each Ctrl-\\.",
        options: &[("--json", "print the report as JSON")],
        examples: &[
            ("phasor why app.js", "run a program that does not end"),
            ("phasor why 4711", "look into a process that runs"),
        ],
        run: crate::why::run,
    },
    CommandInfo {
        name: "with",
        usage: &["-- program [arguments]"],
        summary: "run a program on Phasor's libuv.so.1",
        details: "Runs a program that loads libuv as a shared library on Phasor's, so that `phasor why`, `phasor top` and `phasor trace` \
                  can look into it. A program with a built-in libuv is refused.",
        options: &[],
        examples: &[("phasor with -- nvim", "run Neovim on Phasor's event loop")],
        run: run_with,
    },
];

/// Why a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The arguments are wrong.
    Usage(String),
    /// The operation of the command is not possible.
    Work(String),
}

impl From<String> for Failure {
    fn from(text: String) -> Failure {
        Failure::Work(text)
    }
}

impl Failure {
    pub(crate) fn usage(text: impl Into<String>) -> Failure {
        Failure::Usage(text.into())
    }
}

/// Runs the command that the arguments name, if they name one. A file with the name of a command is a script: the file is run.
pub(crate) fn run(arguments: &[OsString]) -> Option<ExitCode> {
    let name = arguments.first()?;
    let command = COMMANDS.iter().find(|command| name == command.name)?;
    if Path::new(name).is_file() {
        return None;
    }
    if arguments.get(1).is_some_and(|argument| argument == "--help" || argument == "-h") {
        return Some(print_text(&help(command)));
    }
    let failure = match (command.run)(Arguments { rest: arguments[1..].to_vec().into() }) {
        Ok(code) => return Some(code),
        Err(failure) => failure,
    };
    let name = command.name;
    Some(match failure {
        Failure::Usage(text) => {
            print_error(&format!("phasor {name}: {text}\nTry `phasor {name} --help`.\n"));
            ExitCode::from(INVALID_ARGUMENT)
        }
        Failure::Work(text) => {
            print_error(&format!("phasor {name}: {text}\n"));
            ExitCode::FAILURE
        }
    })
}

/// The text of `phasor NAME --help`.
fn help(command: &CommandInfo) -> String {
    let mut text = String::new();
    for (at, usage) in command.usage.iter().enumerate() {
        text.push_str(&format!("{} phasor {} {usage}\n", if at == 0 { "Usage:" } else { "      " }, command.name));
    }
    text.push('\n');
    crate::help::paragraph(&mut text, command.details);
    if !command.options.is_empty() {
        text.push_str("\nOptions:\n");
        for (option, what) in command.options {
            crate::help::entry(&mut text, option, what);
        }
    }
    text.push_str("\nExamples:\n");
    for (example, what) in command.examples {
        text.push_str(&format!("  # {what}\n  {example}\n"));
    }
    text
}

/// The arguments of a command that were not used yet.
pub(crate) struct Arguments {
    rest: std::collections::VecDeque<OsString>,
}

impl Arguments {
    /// Takes an option without a value, if it is next.
    pub(crate) fn take_switch(&mut self, name: &str) -> bool {
        let is_next = self.rest.front().is_some_and(|next| next == name);
        if is_next {
            self.rest.pop_front();
        }
        is_next
    }

    /// Takes an option and its value, if the option is next: `--name VALUE`, `--name=VALUE`.
    pub(crate) fn take_value(&mut self, name: &str) -> Result<Option<OsString>, Failure> {
        let Some(next) = self.rest.front() else { return Ok(None) };
        let joined = next.as_bytes().strip_prefix(name.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
        if let Some(value) = joined {
            let value = OsStr::from_bytes(value).to_owned();
            self.rest.pop_front();
            return Ok(Some(value));
        }
        if !self.take_switch(name) {
            return Ok(None);
        }
        self.rest.pop_front().map(Some).ok_or_else(|| Failure::usage(format!("{name} requires a value")))
    }

    /// Takes all remaining arguments.
    pub(crate) fn rest(self) -> Vec<OsString> {
        self.rest.into()
    }

    /// The subject of the command: the arguments after its options.
    pub(crate) fn target(mut self) -> Result<Target, Failure> {
        let Some(first) = self.rest.front() else {
            return Err(Failure::usage("a script, a PID, or `-- program` is missing"));
        };
        if first == "--" {
            self.rest.pop_front();
            let Some(program) = self.rest.pop_front() else {
                return Err(Failure::usage("a program is missing after --"));
            };
            return Ok(Target::Program(program, self.rest.into()));
        }
        let is_number = !first.is_empty() && first.as_bytes().iter().all(u8::is_ascii_digit);
        if is_number && !Path::new(first).exists() {
            let pid =
                first.to_str().and_then(|text| text.parse().ok()).filter(|pid| *pid > 0 && *pid <= i32::MAX as u32);
            let pid =
                pid.ok_or_else(|| Failure::usage(format!("{} is not the number of a process", first.display())))?;
            if let Some(extra) = self.rest.get(1) {
                return Err(Failure::usage(format!("unexpected argument {} after the PID", extra.display())));
            }
            return Ok(Target::Process(pid));
        }
        Ok(Target::Script(self.rest.into()))
    }
}

/// The subject of a command.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A running process.
    Process(u32),
    /// A script that this program runs: the arguments of `phasor`.
    Script(Vec<OsString>),
    /// A program that runs on our libuv, and its arguments.
    Program(OsString, Vec<OsString>),
}

impl Target {
    /// The start of the program, with additional environment variables; `None` for a running process.
    pub(crate) fn command(&self, environment: &[(&str, OsString)]) -> Result<Option<Command>, Failure> {
        let mut command = match self {
            Target::Process(_) => return Ok(None),
            Target::Script(arguments) => {
                let own =
                    std::env::current_exe().map_err(|error| format!("cannot find this program's own file: {error}"))?;
                let mut command = Command::new(own);
                command.args(arguments);
                command
            }
            Target::Program(program, arguments) => with::command(&with::WithOptions::default(), program, arguments)?,
        };
        command.envs(environment.iter().map(|(name, value)| (name, value)));
        Ok(Some(command))
    }

    /// The program's name, for messages and file names.
    pub(crate) fn name(&self) -> String {
        let stem = |path: &OsString| {
            let stem = Path::new(path).file_stem().unwrap_or(path);
            stem.to_string_lossy().into_owned()
        };
        match self {
            Target::Process(pid) => format!("phasor-{pid}"),
            // Options of phasor may come before the script.
            Target::Script(arguments) => arguments
                .iter()
                .find(|argument| Path::new(argument).is_file())
                .map_or_else(|| "phasor".to_owned(), stem),
            Target::Program(program, _) => stem(program),
        }
    }
}

/// A time such as `500ms`, `10s`, `2m`, or a number of seconds.
pub(crate) fn duration(text: &OsStr) -> Option<Duration> {
    let text = text.to_str()?;
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit_s = match &text[digits.len()..] {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    let number: f64 = digits.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0)?;
    Duration::try_from_secs_f64(number * unit_s).ok()
}

/// `phasor with`.
fn run_with(mut arguments: Arguments) -> Result<ExitCode, Failure> {
    // `--` is optional: every word is the program's.
    arguments.take_switch("--");
    let mut rest = arguments.rest().into_iter();
    let program = rest.next().ok_or_else(|| Failure::usage("a program is missing"))?;
    if program.as_bytes().starts_with(b"-") {
        return Err(Failure::usage(format!("unknown option {}", program.display())));
    }
    let environment = vec![(phasor_lens::agent::VARIABLE.into(), "1".into())];
    let arguments: Vec<_> = rest.collect();
    Ok(with::run(&with::WithOptions { environment }, &program, &arguments)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(words: &[&str]) -> Arguments {
        Arguments { rest: words.iter().map(OsString::from).collect() }
    }

    #[test]
    fn options_come_before_the_target() {
        let mut words = arguments(&["--for=2s", "-o", "x.html", "--expose-gc", "app.js", "-o", "y"]);
        assert_eq!(words.take_value("-o").unwrap(), None);
        assert_eq!(words.take_value("--for").unwrap(), Some("2s".into()));
        assert_eq!(words.take_value("-o").unwrap(), Some("x.html".into()));
        let script = ["--expose-gc", "app.js", "-o", "y"].map(OsString::from);
        assert_eq!(words.target().unwrap(), Target::Script(script.into()));
        assert!(arguments(&["--for"]).take_value("--for").is_err());
        assert_eq!(arguments(&["4711"]).target().unwrap(), Target::Process(4711));
        assert_eq!(arguments(&["--", "a", "-b"]).target().unwrap(), Target::Program("a".into(), vec!["-b".into()]));
        for bad in [&[] as &[&str], &["--"], &["4711", "x"], &["0"], &["99999999999"]] {
            assert!(matches!(arguments(bad).target(), Err(Failure::Usage(_))), "{bad:?}");
        }
    }

    #[test]
    fn times_have_units() {
        let of = |text: &str| duration(OsStr::new(text)).map(|time| time.as_millis());
        assert_eq!(
            [of("500ms"), of("10s"), of("2m"), of("1.5"), of("1h")],
            [Some(500), Some(10_000), Some(120_000), Some(1500), Some(3_600_000)]
        );
        assert_eq!([of(""), of("s"), of("-1s"), of("0"), of("1d"), of("inf")], [None; 6]);
    }

    #[test]
    fn commands_are_sorted_and_have_examples() {
        assert!(COMMANDS.is_sorted_by_key(|command| command.name));
        for command in COMMANDS {
            let text = help(command);
            assert!(!command.examples.is_empty() && text.contains("Usage: phasor "));
            assert!(text.lines().all(|line| line.len() <= 80 && line.trim_end() == line), "{text}");
        }
    }
}
