//! Writes a page or JSON of a synthetic recording: `cargo run -p phasor-lens --example synthetic -- 1000000 out.html`.

mod generate;

use std::fs::File;
use std::io;
use std::time::Instant;

use phasor_lens::{Trace, export};

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(Ok(callbacks)), Some(path)) = (arguments.next().map(|count| count.parse()), arguments.next()) else {
        eprintln!("usage: synthetic CALLBACKS FILE.html|FILE.json");
        std::process::exit(2);
    };
    let recording = generate::generate(callbacks);
    let start = Instant::now();
    let trace = Trace::new(&[recording]);
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
