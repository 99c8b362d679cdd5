//! Converts recordings into a page or JSON: `cargo run -p phasor-lens --example convert -- FILE.phasor ... OUT.html`.

use std::fs::File;
use std::path::PathBuf;
use std::process::ExitCode;

use phasor_lens::{Recording, Trace, export};

fn main() -> ExitCode {
    let mut paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let Some(out) = paths.pop().filter(|_| !paths.is_empty()) else {
        eprintln!("usage: convert FILE.phasor ... OUT.html|OUT.json");
        return ExitCode::from(2);
    };
    match convert(&paths, &out) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Several recordings are the processes of one run.
fn convert(paths: &[PathBuf], out: &PathBuf) -> Result<(), String> {
    let mut recordings = Vec::new();
    for path in paths {
        recordings.push(Recording::read(path).map_err(|error| format!("{}: {error}", path.display()))?);
    }
    let trace = Trace::new(&recordings);
    let title = paths[0].file_stem().unwrap_or_default().to_string_lossy();
    let file = File::create(out).map_err(|error| format!("{}: {error}", out.display()))?;
    let is_json = out.extension().is_some_and(|ending| ending == "json");
    let written = if is_json { export::chrome(&trace, file) } else { export::html(&trace, &title, file) };
    written.map_err(|error| format!("{}: {error}", out.display()))
}
