//! A TCP server that sends back whatever it is sent.
//!
//! `cargo run --example echo -- --port 7000`, and in another terminal `nc localhost 7000`: every line comes back. Without
//! `--port` the system chooses one. Ctrl-C ends it and tells how much was echoed.

use std::cell::Cell;
use std::io::Write as _;
use std::net::Ipv4Addr;
use std::process::ExitCode;
use std::rc::Rc;

use phasor::{Loop, Read, Result, RunMode, Tcp, signal};

/// A client that does not read gets no more than this: then its server does not read either, until there is room.
const QUEUE_BYTES: usize = 1 << 20;

/// What was echoed.
#[derive(Default)]
pub(crate) struct Totals {
    /// How many clients there were.
    pub(crate) clients: Cell<u64>,
    /// How many bytes went both ways.
    pub(crate) bytes: Cell<u64>,
}

/// Serves on a port of this machine; 0 is any free one.
pub(crate) fn serve(l: &mut Loop, port: u16, totals: Rc<Totals>) -> Result<Tcp> {
    Tcp::serve(l, (Ipv4Addr::LOCALHOST, port), move |l, server| {
        let Ok(client) = server.accept(l) else { return };
        totals.clients.set(totals.clients.get() + 1);
        echo(l, client, totals.clone());
    })
}

/// Reads from one client and writes back.
fn echo(l: &mut Loop, client: Tcp, totals: Rc<Totals>) {
    let paused = Rc::new(Cell::new(false));
    let began = client.read_start(l, move |l, client, read| match read {
        Ok(Read::Data(bytes)) => {
            totals.bytes.set(totals.bytes.get() + bytes.len() as u64);
            let waiting = paused.clone();
            let written = client.write_then(l, bytes.to_vec(), move |l, written| {
                let room = client.write_queue_size(l) <= QUEUE_BYTES;
                if written.is_err() || (room && waiting.take() && client.read_resume(l).is_err()) {
                    client.close(l);
                }
            });
            if written.is_err() {
                client.close(l);
            } else if client.write_queue_size(l) > QUEUE_BYTES && client.read_stop(l).is_ok() {
                paused.set(true);
            }
        }
        // What is still queued is written before the connection is ended.
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

/// The port of `--port`, or 0.
fn port(mut args: impl Iterator<Item = String>) -> std::result::Result<u16, String> {
    match (args.next().as_deref(), args.next(), args.next()) {
        (None, ..) => Ok(0),
        (Some("--port"), Some(port), None) => port.parse().map_err(|_| format!("`{port}` is no port, 0 to 65535")),
        (Some("--port"), None, _) => Err("--port wants a number".to_owned()),
        (Some(other), ..) => Err(format!("`{other}` is not understood; the only option is --port NUMBER")),
    }
}

fn run(port: u16) -> Result<()> {
    let mut l = Loop::new()?;
    let totals = Rc::new(Totals::default());
    let server = serve(&mut l, port, totals.clone())?;
    // Serves on though nobody reads this, where `println!` would panic.
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
