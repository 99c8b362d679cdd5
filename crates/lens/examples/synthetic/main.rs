//! Writes a page or JSON of a synthetic recording: `cargo run -p phasor-lens --example synthetic -- 1000000 out.html`. In place of the
//! number, `odd` is for recordings as no program should make them, and `empty` for none.

mod generate;

use std::fs::File;
use std::io;
use std::time::Instant;

use phasor_lens::{Trace, export};

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(content), Some(path)) = (arguments.next(), arguments.next()) else { usage() };
    let recordings = match content.as_str() {
        "odd" => generate::generate_odd(),
        "empty" => Vec::new(),
        number => vec![generate::generate(number.parse().unwrap_or_else(|_| usage()))],
    };
    let start = Instant::now();
    let trace = Trace::new(&recordings);
    let built = start.elapsed();
    let file = File::create(&path)?;
    if path.ends_with(".json") {
        export::chrome(&trace, file)?;
    } else {
        export::html(&trace, "server.js", file)?;
    }
    println!(
        "{path}: {} callbacks, built in {built:?}, written in {:?}",
        trace.callback_count(),
        start.elapsed() - built
    );
    Ok(())
}

fn usage() -> ! {
    eprintln!("usage: synthetic CALLBACKS|odd|empty FILE.html|FILE.json");
    std::process::exit(2);
}
