//! Copies a file in chunks on threads of the pool, and shows the progress.
//!
//! `cargo run --example copy -- FROM TO` prints the number of bytes copied five times a second, and the speed at the
//! end. An existing TO is not overwritten.

use std::cell::Cell;
use std::io::Write as _;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::{Duration, Instant};

use phasor::fs::{self, File, FileKind, OpenOptions};
use phasor::{Errno, Loop, Result, RunMode};

/// The size of a chunk.
const PIECE_BYTES: usize = 256 * 1024;

/// A running copy.
struct Copy {
    from: File,
    to: File,
    size: u64,
    done: Cell<u64>,
    /// The result, once it has ended.
    end: Cell<Option<Result<()>>>,
}

impl Copy {
    /// Reads the next chunk.
    fn read(self: Rc<Copy>, l: &mut Loop, buffer: Vec<u8>) {
        let copy = self.clone();
        fs::read(l, &self.from, buffer, Some(self.done.get()), move |l, read, mut buffer| match read {
            Ok(0) => copy.end.set(Some(Ok(()))),
            Ok(len) => {
                buffer.truncate(len);
                copy.write(l, buffer);
            }
            Err(errno) => copy.end.set(Some(Err(errno))),
        });
    }

    /// Writes a chunk. After a partial write the rest is read and written again.
    fn write(self: Rc<Copy>, l: &mut Loop, piece: Vec<u8>) {
        let copy = self.clone();
        fs::write(l, &self.to, piece, Some(self.done.get()), move |l, written, piece| match written {
            Ok(0) => copy.end.set(Some(Err(Errno::EIO))),
            Ok(len) => {
                copy.done.set(copy.done.get() + len as u64);
                let mut buffer = piece.into_vec();
                buffer.resize(PIECE_BYTES, 0);
                copy.read(l, buffer);
            }
            Err(errno) => copy.end.set(Some(Err(errno))),
        });
    }

    fn show(&self) {
        // Files in /proc have a size of 0 but content.
        let (done, size) = (self.done.get(), self.size.max(self.done.get()));
        let percent = (done * 100).checked_div(size).unwrap_or(100);
        eprint!("\r{percent:3} %  {done} of {size} bytes");
        let _ = std::io::stderr().flush();
    }
}

/// Runs one request and returns its result, for the steps that do not overlap with others.
fn wait<T: 'static>(
    l: &mut Loop,
    submit: impl FnOnce(&mut Loop, Box<dyn FnOnce(&mut Loop, Result<T>)>) -> Result<()>,
) -> Result<T> {
    let slot = Rc::new(Cell::new(None));
    let result_slot = slot.clone();
    submit(l, Box::new(move |_, result| result_slot.set(Some(result))))?;
    l.run(RunMode::Default)?;
    slot.take().unwrap_or(Err(Errno::ECANCELED))
}

fn copy(from: &str, to: &str) -> std::result::Result<u64, String> {
    let mut l = Loop::new().map_err(|errno| errno.to_string())?;
    let source = wait(&mut l, |l, then| fs::open(l, from, OpenOptions::new().read(), then).map(drop))
        .map_err(|errno| format!("cannot read {from}: {errno}"))?;
    let metadata = wait(&mut l, |l, then| {
        fs::fstat(l, &source, then);
        Ok(())
    })
    .map_err(|errno| format!("cannot read {from}: {errno}"))?;
    if metadata.kind() != FileKind::File {
        return Err(format!("{from} is not a regular file"));
    }
    let mode = u32::try_from(metadata.mode & 0o777).unwrap_or(0o666);
    let target =
        wait(&mut l, |l, then| fs::open(l, to, OpenOptions::new().write().create_new().mode(mode), then).map(drop))
            .map_err(|errno| format!("cannot create {to}: {errno}"))?;

    let copy =
        Rc::new(Copy { from: source, to: target, size: metadata.size, done: Cell::new(0), end: Cell::new(None) });
    let shown = copy.clone();
    let timer = l.every(Duration::from_millis(200), move |_, _| shown.show());
    // The progress timer must not keep the loop alive.
    timer.set_ref(&mut l, false);
    copy.clone().read(&mut l, vec![0; PIECE_BYTES]);
    l.run(RunMode::Default).map_err(|errno| errno.to_string())?;
    copy.show();
    eprintln!();
    match copy.end.get() {
        Some(Ok(())) => Ok(copy.done.get()),
        Some(Err(errno)) => Err(format!("stopped after {} bytes: {errno}", copy.done.get())),
        None => Err("the loop ended before the copy".to_owned()),
    }
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [from, to] = &args[..] else {
        eprintln!("copy: needs two paths: cargo run --example copy -- FROM TO");
        return ExitCode::from(2);
    };
    let began = Instant::now();
    match copy(from, to) {
        Ok(bytes) => {
            let seconds = began.elapsed().as_secs_f64();
            println!("{bytes} bytes in {seconds:.3} s, {:.0} MB/s", bytes as f64 / 1e6 / seconds.max(1e-9));
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("copy: {message}");
            ExitCode::FAILURE
        }
    }
}
