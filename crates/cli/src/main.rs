//! The `phasor` program: parses the command line and runs a script in a host.
#![forbid(unsafe_code)]

mod child;
mod commands;
mod completion;
mod doctor;
mod flags;
mod help;
mod man;
mod panics;
mod repl;
mod table;
mod target;
mod top;
mod trace;
mod why;
mod with;

use std::io::{IsTerminal, Read, Write};
use std::process::ExitCode;

use phasor_js::{AtExit, Host, Options};
use phasor_lens::{Config, Session, watchdog};

use crate::completion::Shell;
use crate::flags::CommandLine;

/// Node's exit code for an invalid command line.
const INVALID_ARGUMENT: u8 = 9;

/// Stack bytes per unit of `--stack-size`, which V8 counts in KiB. The engine's frames are about four times as large as V8's, so a unit
/// is 4 KiB, just as the default stack is 4 MB instead of V8's 984 KB.
const STACK_BYTES_PER_KIB: usize = 4 << 10;

fn main() -> ExitCode {
    panics::install();
    phasor_node::performance::start();
    phasor_sys::signal::reset_inherited();
    if std::env::var_os(why::STACKS_VARIABLE).is_some_and(|value| value == "1") {
        // Ctrl-\ is for `phasor why`, which runs this program.
        phasor_sys::signal::ignore(child::SIGQUIT);
    }
    // As `src/node.cc: PlatformInit`: raise the limit of open files, because a server has many connections.
    phasor_sys::process::allow_all_descriptors();
    let arguments: Vec<_> = std::env::args_os().collect();
    if let Some(code) = commands::run(arguments.get(1..).unwrap_or_default()) {
        return code;
    }
    // Arguments that are not valid UTF-8 are converted lossily.
    let mut args: Vec<String> = arguments.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
    let argv0 = if args.is_empty() { "phasor".to_owned() } else { args.remove(0) };
    let environment = std::env::var_os("NODE_OPTIONS").map(|text| text.to_string_lossy().into_owned());
    let mut parsed = match flags::read(environment.as_deref(), args) {
        Ok(parsed) => parsed,
        Err(message) => {
            print_error(&format!("{argv0}: {message}\n"));
            return ExitCode::from(INVALID_ARGUMENT);
        }
    };
    parsed.add_variables(|name| std::env::var(name).ok());
    if parsed.has("version") {
        return print_text(&format!("{}\n", help::version(&argv0)));
    }
    if parsed.has("help") {
        return print_text(&help::help());
    }
    if parsed.has("man") {
        return print_text(&man::page());
    }
    if let Some((_, shell)) = Shell::ALL.into_iter().find(|(flag, _)| parsed.has(flag)) {
        return print_text(&completion::script(shell));
    }
    warn(&parsed);
    if let Some(address) = parsed.value("metrics")
        && let Err(error) = phasor_lens::metrics::serve(address)
    {
        print_error(&format!("{argv0}: cannot serve metrics at {address}: {error}\n"));
        // A child of `child_process.fork` inherits the flag, and the address is in use by its parent.
        if std::env::var_os("NODE_CHANNEL_FD").is_none() {
            return ExitCode::from(INVALID_ARGUMENT);
        }
    }
    if let Some(value) = std::env::var_os(Config::VARIABLE)
        && let Err(error) = start_recording(&value.to_string_lossy())
    {
        print_error(&format!("phasor: {error}\n"));
    }
    if let Some(limit) = parsed.value("blocked").and_then(|text| watchdog::parse_limit(text).ok()) {
        watchdog::set_limit(limit);
    }
    match options(parsed, argv0).map(Host::new) {
        // Exit without freeing the engine: the system reclaims the memory faster.
        Some(Ok(host)) => phasor_js::exit_process(repl::run(&host)),
        Some(Err(error)) => {
            print_error(&format!("phasor: {error}\n"));
            ExitCode::FAILURE
        }
        None => {
            print_error(&help::help());
            ExitCode::from(INVALID_ARGUMENT)
        }
    }
}

/// Records this process, as the variable `PHASOR_RECORD` says.
fn start_recording(value: &str) -> Result<(), String> {
    if value.is_empty() {
        return Ok(());
    }
    let config = Config { runtime: format!("phasor {}", env!("CARGO_PKG_VERSION")), ..Config::from_variable(value)? };
    let path = config.path.clone();
    let session = Session::start(config).map_err(|error| format!("cannot record to {}: {error}", path.display()))?;
    drop(session);
    Ok(())
}

/// Prints a text. Like Node, it ignores a closed pipe and a full disk.
fn print_text(text: &str) -> ExitCode {
    let _ = std::io::stdout().write_all(text.as_bytes());
    ExitCode::SUCCESS
}

/// Prints an error. If standard error is closed, the exit code still reports it.
fn print_error(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Warns of settings in the environment that Phasor does not have.
fn warn(parsed: &CommandLine) {
    let variable = |name: &str| std::env::var(name).is_ok_and(|value| !value.is_empty());
    if parsed.switch("warnings") == Some(false) || std::env::var("NODE_NO_WARNINGS").as_deref() == Ok("1") {
        return;
    }
    if !parsed.ignored.is_empty() {
        let (flags, plural) = (parsed.ignored.join(", "), if parsed.ignored.len() == 1 { "" } else { "s" });
        print_error(&format!(
            "phasor: warning: ignoring {flags} in NODE_OPTIONS: Phasor does not have the flag{plural}\n"
        ));
    }
    if variable("NODE_V8_COVERAGE") {
        print_error("phasor: warning: NODE_V8_COVERAGE is set, but Phasor collects no coverage\n");
    }
}

/// The options of the host; `None` if there is nothing to run.
fn options(parsed: CommandLine, argv0: String) -> Option<Options> {
    let exec_path = std::env::current_exe().map_or_else(|_| "phasor".to_owned(), |path| path.to_string_lossy().into());
    let mut eval_file = "[eval]";
    let mut eval = parsed.eval.clone();
    // As `src/node.cc: StartExecution`: with `-i` the REPL reads standard input even if it is not a terminal.
    let interactive = parsed.has("interactive");
    let has_task = parsed.value("run").is_some();
    let has_program = eval.is_some() || has_task;
    let prompts = !has_program && parsed.args.is_empty() && (interactive || std::io::stdin().is_terminal());
    if prompts && parsed.has("check") {
        return None;
    }
    // In Node, an empty name is not a script.
    if !prompts && !has_program && parsed.args.first().is_none_or(|first| first == "-" || first.is_empty()) {
        let mut bytes = Vec::new();
        // In Node, a standard input that cannot be read counts as an empty program.
        let _ = std::io::stdin().lock().read_to_end(&mut bytes);
        eval = Some(String::from_utf8_lossy(&bytes).into_owned());
        eval_file = "[stdin]";
    }
    let number =
        |name: &str| parsed.value(name).and_then(|text| text.parse::<usize>().ok()).filter(|number| *number > 0);
    Some(Options {
        builtins: phasor_node::builtins(),
        at_exit: AtExit::EndProcess,
        exec_path,
        argv0,
        thread_control: None,
        thread_id: 0,
        heap_limit_bytes: number("max-old-space-size").map(|mib| mib.saturating_mul(1 << 20)),
        stack_bytes: number("stack-size").map(|kib| kib.saturating_mul(STACK_BYTES_PER_KIB)),
        print: parsed.has("print"),
        exec_argv: parsed.exec_argv,
        flags: parsed.flags,
        args: parsed.args,
        eval,
        eval_file,
    })
}
