//! A room in which everybody hears everybody, line by line.
//!
//! `cargo run --example chat -- --port 7000`, and in several other terminals `nc localhost 7000`. Who comes in is told
//! their name and the others hear of it, as they do when somebody leaves; `/name Ada` takes another name. Ctrl-C ends it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::net::Ipv4Addr;
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::Arc;

use phasor::{Loop, Read, Result, RunMode, Tcp, signal};

/// Longer lines are cut here.
const LINE_BYTES: usize = 4096;

/// Who lets more than this pile up does not listen, and is shown out.
const QUEUE_BYTES: usize = 1 << 20;

/// Everybody who is in.
#[derive(Default)]
struct Room {
    guests: BTreeMap<Tcp, Guest>,
    /// How many ever came.
    came: u32,
}

struct Guest {
    name: String,
    /// What was read of a line that has not ended.
    begun: Vec<u8>,
}

type Shared = Rc<RefCell<Room>>;

/// Opens the room on a port of this machine; 0 is any free one.
pub(crate) fn serve(l: &mut Loop, port: u16) -> Result<Tcp> {
    let room = Shared::default();
    Tcp::serve(l, (Ipv4Addr::LOCALHOST, port), move |l, server| {
        if let Ok(guest) = server.accept(l) {
            enter(l, guest, &room);
        }
    })
}

fn enter(l: &mut Loop, guest: Tcp, room: &Shared) {
    let name = {
        let mut room = room.borrow_mut();
        room.came += 1;
        let name = format!("guest-{}", room.came);
        room.guests.insert(guest, Guest { name: name.clone(), begun: Vec::new() });
        name
    };
    tell(l, room, Some(guest), &format!("* {name} came in\n"));
    let _ = guest.write(l, format!("* you are {name}, /name NAME changes that\n"));
    let here = room.clone();
    let began = guest.read_start(l, move |l, guest, read| match read {
        Ok(Read::Data(bytes)) => hear(l, guest, bytes, &here),
        Ok(Read::End) | Err(_) => leave(l, guest, &here),
    });
    if began.is_err() {
        leave(l, guest, room);
    }
}

/// Takes what a guest has sent apart into lines.
fn hear(l: &mut Loop, guest: Tcp, bytes: &[u8], room: &Shared) {
    for part in bytes.split_inclusive(|&byte| byte == b'\n') {
        let line = {
            let mut room = room.borrow_mut();
            let Some(Guest { begun, .. }) = room.guests.get_mut(&guest) else { return };
            let room_left = LINE_BYTES.saturating_sub(begun.len());
            begun.extend_from_slice(&part[..part.len().min(room_left)]);
            if !part.ends_with(b"\n") {
                continue;
            }
            std::mem::take(begun)
        };
        say(l, guest, String::from_utf8_lossy(&line).trim(), room);
    }
}

/// Does what a line asks for.
fn say(l: &mut Loop, guest: Tcp, line: &str, room: &Shared) {
    let Some(name) = room.borrow().guests.get(&guest).map(|guest| guest.name.clone()) else { return };
    match line.strip_prefix("/name ").map(str::trim) {
        Some(wish) if wish.is_empty() || wish.len() > 40 => {
            let _ = guest.write(l, "* a name has 1 to 40 bytes\n");
        }
        Some(wish) => {
            if let Some(guest) = room.borrow_mut().guests.get_mut(&guest) {
                guest.name = wish.to_owned();
            }
            tell(l, room, None, &format!("* {name} is now {wish}\n"));
        }
        None if line.is_empty() => {}
        None => tell(l, room, Some(guest), &format!("{name}: {line}\n")),
    }
}

fn leave(l: &mut Loop, guest: Tcp, room: &Shared) {
    guest.close(l);
    let gone = room.borrow_mut().guests.remove(&guest);
    if let Some(Guest { name, .. }) = gone {
        tell(l, room, None, &format!("* {name} left\n"));
    }
}

/// Tells everybody but one. The words are stored once, however many hear them.
fn tell(l: &mut Loop, room: &Shared, but: Option<Tcp>, words: &str) {
    let words: Arc<str> = words.into();
    let ears: Vec<Tcp> = room.borrow().guests.keys().copied().filter(|&guest| Some(guest) != but).collect();
    for guest in ears {
        // One who has not listened for long is shown out; that of others is told by what they read.
        if guest.write_queue_size(l) > QUEUE_BYTES {
            leave(l, guest, room);
        } else {
            let _ = guest.write(l, words.clone());
        }
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
    let server = serve(&mut l, port)?;
    // Serves on though nobody reads this, where `println!` would panic.
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
