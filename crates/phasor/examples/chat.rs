//! A chat server: each line that a client sends goes to all other clients.
//!
//! `cargo run --example chat -- --port 7000`, and in several other terminals `nc localhost 7000`. A new client gets a
//! name, and the others are notified, as they are when a client leaves; `/name Ada` changes the name. Ctrl-C ends the
//! server.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::net::Ipv4Addr;
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::Arc;

use phasor::{Loop, Read, Result, RunMode, Tcp, signal};

/// Longer lines are truncated.
const LINE_BYTES: usize = 4096;

/// A client whose write queue exceeds this does not read, and is disconnected.
const QUEUE_BYTES: usize = 1 << 20;

/// The connected clients.
#[derive(Default)]
struct Room {
    guests: BTreeMap<Tcp, Guest>,
    /// The number of clients that have ever connected.
    joined: u32,
}

struct Guest {
    name: String,
    /// The received part of an incomplete line.
    partial_line: Vec<u8>,
}

type Shared = Rc<RefCell<Room>>;

/// Starts the server on a port of this machine; 0 lets the kernel choose.
pub(crate) fn serve(l: &mut Loop, port: u16) -> Result<Tcp> {
    let room = Shared::default();
    Tcp::serve(l, (Ipv4Addr::LOCALHOST, port), move |l, server| {
        if let Ok(guest) = server.accept(l) {
            join(l, guest, &room);
        }
    })
}

fn join(l: &mut Loop, guest: Tcp, room: &Shared) {
    let name = {
        let mut room = room.borrow_mut();
        room.joined += 1;
        let name = format!("guest-{}", room.joined);
        room.guests.insert(guest, Guest { name: name.clone(), partial_line: Vec::new() });
        name
    };
    broadcast(l, room, Some(guest), &format!("* {name} came in\n"));
    let _ = guest.write(l, format!("* you are {name}, /name NAME changes that\n"));
    let shared = room.clone();
    let began = guest.read_start(l, move |l, guest, read| match read {
        Ok(Read::Data(bytes)) => receive(l, guest, bytes, &shared),
        Ok(Read::End) | Err(_) => leave(l, guest, &shared),
    });
    if began.is_err() {
        leave(l, guest, room);
    }
}

/// Splits received data into lines.
fn receive(l: &mut Loop, guest: Tcp, bytes: &[u8], room: &Shared) {
    for part in bytes.split_inclusive(|&byte| byte == b'\n') {
        let line = {
            let mut room = room.borrow_mut();
            let Some(Guest { partial_line, .. }) = room.guests.get_mut(&guest) else { return };
            let space_left = LINE_BYTES.saturating_sub(partial_line.len());
            partial_line.extend_from_slice(&part[..part.len().min(space_left)]);
            if !part.ends_with(b"\n") {
                continue;
            }
            std::mem::take(partial_line)
        };
        handle_line(l, guest, String::from_utf8_lossy(&line).trim(), room);
    }
}

/// Executes a `/name` command, or broadcasts the line.
fn handle_line(l: &mut Loop, guest: Tcp, line: &str, room: &Shared) {
    let Some(name) = room.borrow().guests.get(&guest).map(|guest| guest.name.clone()) else { return };
    match line.strip_prefix("/name ").map(str::trim) {
        Some(new_name) if new_name.is_empty() || new_name.len() > 40 => {
            let _ = guest.write(l, "* a name has 1 to 40 bytes\n");
        }
        Some(new_name) => {
            if let Some(guest) = room.borrow_mut().guests.get_mut(&guest) {
                guest.name = new_name.to_owned();
            }
            broadcast(l, room, None, &format!("* {name} is now {new_name}\n"));
        }
        None if line.is_empty() => {}
        None => broadcast(l, room, Some(guest), &format!("{name}: {line}\n")),
    }
}

fn leave(l: &mut Loop, guest: Tcp, room: &Shared) {
    guest.close(l);
    let gone = room.borrow_mut().guests.remove(&guest);
    if let Some(Guest { name, .. }) = gone {
        broadcast(l, room, None, &format!("* {name} left\n"));
    }
}

/// Sends a message to all clients but one. The text is stored once, shared by all writes.
fn broadcast(l: &mut Loop, room: &Shared, except: Option<Tcp>, text: &str) {
    let text: Arc<str> = text.into();
    let recipients: Vec<Tcp> = room.borrow().guests.keys().copied().filter(|&guest| Some(guest) != except).collect();
    for guest in recipients {
        // Disconnect a client that does not read. Errors of the others are handled in their read closures.
        if guest.write_queue_size(l) > QUEUE_BYTES {
            leave(l, guest, room);
        } else {
            let _ = guest.write(l, text.clone());
        }
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
    let server = serve(&mut l, port)?;
    // `println!` would panic if standard output is closed; the server runs on.
    let _ = writeln!(std::io::stdout(), "chat on {}, Ctrl-C to end", server.local_address(&l)?);
    signal::on(&mut l, signal::SIGINT, |l, _, _| l.stop())?;
    l.run(RunMode::Default).map(drop)
}

fn main() -> ExitCode {
    let port = match port(std::env::args().skip(1)) {
        Ok(port) => port,
        Err(message) => {
            eprintln!("chat: {message}");
            return ExitCode::from(2);
        }
    };
    match run(port) {
        Ok(()) => ExitCode::SUCCESS,
        Err(errno) => {
            eprintln!("chat: cannot serve on port {port}: {errno}");
            ExitCode::FAILURE
        }
    }
}
