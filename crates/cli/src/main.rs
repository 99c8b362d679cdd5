//! The program `phasor`: reads the command line, and runs a script in a host.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use phasor_js::{AtExit, Host, Options};
use phasor_node::{BUILTINS, BYTECODE};

fn main() -> ExitCode {
    phasor_node::performance::start();
    let options = match read(std::env::args().collect()) {
        Ok(options) => options,
        Err(code) => return code,
    };
    match Host::new(options) {
        // Ends here without freeing the engine: the system takes the memory back faster.
        Ok(host) => std::process::exit(host.run()),
        Err(error) => {
            eprintln!("phasor: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Options of the runtime come first, then the script, then what is the script's own.
fn read(mut args: Vec<String>) -> Result<Options, ExitCode> {
    let exec_path = std::env::current_exe().map_or_else(|_| "phasor".to_owned(), |path| path.to_string_lossy().into());
    let argv0 = if args.is_empty() { "phasor".to_owned() } else { args.remove(0) };
    let mut options = Options {
        builtins: BUILTINS,
        bytecode: BYTECODE,
        at_exit: AtExit::EndProcess,
        exec_path,
        argv0,
        exec_argv: Vec::new(),
        args: Vec::new(),
        eval: None,
        print: false,
    };
    let mut rest = args.into_iter();
    while let Some(arg) = rest.next() {
        match arg.as_str() {
            "-v" | "--version" => {
                println!("v{}", env!("CARGO_PKG_VERSION"));
                return Err(ExitCode::SUCCESS);
            }
            "-e" | "--eval" | "-p" | "--print" | "-pe" => {
                options.print = arg.contains('p');
                let Some(code) = rest.next() else {
                    eprintln!("phasor: {arg} requires an argument");
                    return Err(ExitCode::from(9));
                };
                options.eval = Some(code);
            }
            "--" => break,
            flag if flag.starts_with('-') && flag.len() > 1 => options.exec_argv.push(arg),
            _ => {
                options.args.push(arg);
                break;
            }
        }
    }
    options.args.extend(rest);
    if options.eval.is_none() && options.args.is_empty() {
        eprintln!("usage: phasor FILE [arguments] | phasor -e CODE");
        return Err(ExitCode::from(9));
    }
    Ok(options)
}
