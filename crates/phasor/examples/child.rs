//! Starts a child process with pipes, prints its output line by line, and prints how it ended.
//!
//! `cargo run --example child -- ls -l` prints the output of `ls`, each line labeled `out` or `err`, and the exit
//! status, with which this program exits too. Without arguments it runs a small shell script that reads a line, writes
//! to both outputs and exits with 3.

use std::cell::Cell;
use std::io::Write as _;
use std::process::ExitCode;
use std::rc::Rc;

use phasor::process::{Command, ExitStatus, Stdio};
use phasor::{Loop, Pipe, Read, Result, RunMode};

const SCRIPT: &str = "read line; echo \"I was sent: $line\"; echo 'and I complain' >&2; exit 3";

/// Prints a line. Returns an error if standard output is closed, as by `head`, where `println!` would panic.
fn print(line: std::fmt::Arguments<'_>) -> std::io::Result<()> {
    writeln!(std::io::stdout(), "{line}")
}

/// Prints every line from a pipe and closes the pipe at its end. Also closes it when standard output is closed, so that
/// the child's next write fails.
fn show(l: &mut Loop, pipe: Pipe, label: &'static str) -> Result<()> {
    let mut partial_line = Vec::new();
    pipe.read_start(l, move |l, pipe, read| match read {
        Ok(Read::Data(bytes)) => {
            partial_line.extend_from_slice(bytes);
            let whole = partial_line.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
            let lines: Vec<u8> = partial_line.drain(..whole).collect();
            for line in String::from_utf8_lossy(&lines).lines() {
                if print(format_args!("{label} │ {line}")).is_err() {
                    return pipe.close(l);
                }
            }
        }
        end => {
            if !partial_line.is_empty() {
                let _ = print(format_args!("{label} │ {}", String::from_utf8_lossy(&partial_line)));
            }
            if let Err(errno) = end {
                let _ = print(format_args!("{label} │ ({errno})"));
            }
            pipe.close(l);
        }
    })
}

fn run(command: &Command) -> Result<Option<ExitStatus>> {
    let mut l = Loop::new()?;
    let end = Rc::new(Cell::new(None));
    let note = end.clone();
    let child = command.spawn(&mut l, move |_, _, status| note.set(Some(status)))?;
    let _ = print(format_args!("started as process {}", child.process.pid(&l)?));
    for (pipe, label) in [(child.stdout(), "out"), (child.stderr(), "err")] {
        if let Some(pipe) = pipe {
            show(&mut l, pipe, label)?;
        }
    }
    if let Some(stdin) = child.stdin() {
        // A child that does not read may have ended already: not an error here.
        let _ = stdin.write(&mut l, "hello, child\n");
        if stdin.shutdown(&mut l, move |l, _| stdin.close(l)).is_err() {
            stdin.close(&mut l);
        }
    }
    l.run(RunMode::Default)?;
    Ok(end.get())
}

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    let program = args.next();
    let mut command = match &program {
        Some(program) => Command::new(program),
        None => Command::new("sh"),
    };
    match program {
        Some(_) => command.args(args),
        None => command.args(["-c", SCRIPT]),
    };
    command.stdin(Stdio::Pipe).stdout(Stdio::Pipe).stderr(Stdio::Pipe);
    match run(&command) {
        Ok(Some(ExitStatus { code, signal: 0 })) => {
            let _ = print(format_args!("exited with {code}"));
            ExitCode::from(u8::try_from(code).unwrap_or(1))
        }
        Ok(Some(ExitStatus { signal, .. })) => {
            let _ = print(format_args!("ended by signal {signal}"));
            ExitCode::FAILURE
        }
        Ok(None) => {
            eprintln!("child: the loop ended before the child did");
            ExitCode::FAILURE
        }
        Err(errno) => {
            eprintln!("child: cannot start it: {errno}");
            ExitCode::FAILURE
        }
    }
}
