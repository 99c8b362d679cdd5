//! Starts a child with pipes, shows what it writes line by line, and tells how it ended.
//!
//! `cargo run --example child -- ls -l` shows what `ls` writes, each line behind `out` or `err`, and the status. Without
//! arguments a small shell script is run that is sent a line, writes to both and exits with 3. The status is passed on.

use std::cell::Cell;
use std::process::ExitCode;
use std::rc::Rc;

use phasor::process::{Command, ExitStatus, Stdio};
use phasor::{Loop, Pipe, Read, Result, RunMode};

const SCRIPT: &str = "read line; echo \"I was sent: $line\"; echo 'and I complain' >&2; exit 3";

/// Prints every line that comes out of a pipe, then closes it.
fn show(l: &mut Loop, pipe: Pipe, label: &'static str) -> Result<()> {
    let mut begun = Vec::new();
    pipe.read_start(l, move |l, pipe, read| match read {
        Ok(Read::Data(bytes)) => {
            begun.extend_from_slice(bytes);
            while let Some(end) = begun.iter().position(|&byte| byte == b'\n') {
                println!("{label} │ {}", String::from_utf8_lossy(&begun[..end]));
                begun.drain(..=end);
            }
        }
        end => {
            if !begun.is_empty() {
                println!("{label} │ {}", String::from_utf8_lossy(&begun));
            }
            if let Err(errno) = end {
                println!("{label} │ ({errno})");
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
    println!("started as process {}", child.process.pid(&l)?);
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
            println!("exited with {code}");
            ExitCode::from(u8::try_from(code).unwrap_or(1))
        }
        Ok(Some(ExitStatus { signal, .. })) => {
            println!("ended by signal {signal}");
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
