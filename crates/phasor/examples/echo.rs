//! A TCP echo server.
//!
//! `cargo run --example echo -- --port 7000`, and in another terminal `nc localhost 7000`: every line comes back.
//! Without `--port` the kernel chooses a port. Ctrl-C ends the server and prints totals.

use std::cell::Cell;
use std::io::Write as _;
use std::net::Ipv4Addr;
use std::process::ExitCode;
use std::rc::Rc;

use phasor::{Loop, Read, Result, RunMode, Tcp, signal};

/// Backpressure: while a client's write queue exceeds this, the server stops reading from that client.
const QUEUE_BYTES: usize = 1 << 20;

/// Counters of the server.
#[derive(Default)]
pub(crate) struct Totals {
    /// The number of accepted clients.
    pub(crate) clients: Cell<u64>,
    /// The number of bytes received and sent back.
    pub(crate) bytes: Cell<u64>,
}

/// Starts the server on a port of this machine; 0 lets the kernel choose.
pub(crate) fn serve(l: &mut Loop, port: u16, totals: Rc<Totals>) -> Result<Tcp> {
    Tcp::serve(l, (Ipv4Addr::LOCALHOST, port), move |l, server| {
        let Ok(client) = server.accept(l) else { return };
        totals.clients.set(totals.clients.get() + 1);
        echo(l, client, totals.clone());
    })
}

/// Reads from one client and writes the data back.
fn echo(l: &mut Loop, client: Tcp, totals: Rc<Totals>) {
    let paused = Rc::new(Cell::new(false));
    let began = client.read_start(l, move |l, client, read| match read {
        Ok(Read::Data(bytes)) => {
            totals.bytes.set(totals.bytes.get() + bytes.len() as u64);
            let waiting = paused.clone();
            let written = client.write_then(l, bytes.to_vec(), move |l, written| {
                let has_space = client.write_queue_size(l) <= QUEUE_BYTES;
                if written.is_err() || (has_space && waiting.take() && client.read_resume(l).is_err()) {
                    client.close(l);
                }
            });
            if written.is_err() {
                client.close(l);
            } else if client.write_queue_size(l) > QUEUE_BYTES && client.read_stop(l).is_ok() {
                paused.set(true);
            }
        }
        // Shut down only after queued writes are sent.
        Ok(Read::End) => {
            if client.shutdown(l, move |l, _| client.close(l)).is_err() {
                client.close(l);
            }
        }
        Err(_) => client.close(l),
    });
    if began.is_err() {
        client.close(l);
    }
}

/// The port after `--port`, or 0.
fn port(mut args: impl Iterator<Item = String>) -> std::result::Result<u16, String> {
    match (args.next().as_deref(), args.next(), args.next()) {
        (None, ..) => Ok(0),
        (Some("--port"), Some(port), None) => {
            port.parse().map_err(|_| format!("`{port}` is not a port number (0 to 65535)"))
        }
        (Some("--port"), None, _) => Err("--port needs a number".to_owned()),
        (Some(other), ..) => Err(format!("`{other}` is not an option; the only one is --port NUMBER")),
    }
}

fn run(port: u16) -> Result<()> {
    let mut l = Loop::new()?;
    let totals = Rc::new(Totals::default());
    let server = serve(&mut l, port, totals.clone())?;
    // `println!` would panic if standard output is closed; the server runs on.
    let _ = writeln!(std::io::stdout(), "echo on {}, Ctrl-C to end", server.local_address(&l)?);
    signal::on(&mut l, signal::SIGINT, |l, _, _| l.stop())?;
    l.run(RunMode::Default)?;
    let (bytes, clients) = (totals.bytes.get(), totals.clients.get());
    let _ = writeln!(std::io::stdout(), "\n{bytes} bytes echoed to {clients} clients");
    Ok(())
}

fn main() -> ExitCode {
    let port = match port(std::env::args().skip(1)) {
        Ok(port) => port,
        Err(message) => {
            eprintln!("echo: {message}");
            return ExitCode::from(2);
        }
    };
    match run(port) {
        Ok(()) => ExitCode::SUCCESS,
        Err(errno) => {
            eprintln!("echo: cannot serve on port {port}: {errno}");
            ExitCode::FAILURE
        }
    }
}
