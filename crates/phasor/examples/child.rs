//! Starts a child with pipes, shows what it writes line by line, and tells how it ended.
//!
//! `cargo run --example child -- ls -l` shows what `ls` writes, each line behind `out` or `err`, and the status. Without
//! arguments a small shell script is run that is sent a line, writes to both and exits with 3. The status is passed on.

use std::cell::Cell;
use std::io::Write as _;
use std::process::ExitCode;
use std::rc::Rc;

use phasor::process::{Command, ExitStatus, Stdio};
use phasor::{Loop, Pipe, Read, Result, RunMode};

const SCRIPT: &str = "read line; echo \"I was sent: $line\"; echo 'and I complain' >&2; exit 3";

/// Prints a line. Who reads what we print may have had enough, as `head` has; `println!` would panic then.
fn print(line: std::fmt::Arguments<'_>) -> std::io::Result<()> {
    writeln!(std::io::stdout(), "{line}")
}

/// Prints every line that comes out of a pipe, then closes it. It is closed as well when nobody reads what we print,
/// so that the child learns of it.
fn show(l: &mut Loop, pipe: Pipe, label: &'static str) -> Result<()> {
    let mut begun = Vec::new();
    pipe.read_start(l, move |l, pipe, read| match read {
        Ok(Read::Data(bytes)) => {
            begun.extend_from_slice(bytes);
            let whole = begun.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
            let lines: Vec<u8> = begun.drain(..whole).collect();
            for line in String::from_utf8_lossy(&lines).lines() {
                if print(format_args!("{label} │ {line}")).is_err() {
                    return pipe.close(l);
                }
            }
        }
        end => {
            if !begun.is_empty() {
                let _ = print(format_args!("{label} │ {}", String::from_utf8_lossy(&begun)));
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
        // A child that does not read may be gone by then: that is no error of ours.
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
