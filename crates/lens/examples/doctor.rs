//! Diagnoses recordings: `cargo run -p phasor-lens --example doctor FILE...`.

use std::process::ExitCode;

use phasor_lens::doctor::{Style, diagnose};
use phasor_lens::{Recording, Trace};

fn main() -> ExitCode {
    let recordings: Result<Vec<_>, _> =
        std::env::args_os().skip(1).map(|path| Recording::read(path.as_ref())).collect();
    match recordings {
        Ok(recordings) => {
            let trace = Trace::new(&recordings);
            print!("{}", Style::default().report(&trace, &diagnose(&trace)));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("doctor: {error}");
            ExitCode::FAILURE
        }
    }
}
