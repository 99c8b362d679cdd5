//! Standard descriptors: their types, blocking writes, and terminals.
//!
//! As in Node, writes to a terminal are synchronous, and a terminal is read through a core handle. Pipes and files are streams of `net` and
//! `fs`.

use std::cell::{Cell, RefCell};
use std::io::IoSlice;
use std::rc::Rc;

use phasor_core::{Errno, Event, HandleId, file};
use phasor_engine::{
    ArrayBuffer, Bytes, Fallible, Function, Global, IntoJs, Local, Object, Scope, Value, define_natives, native_fn,
};
use phasor_js::{About, JsFace, OnEvent, state};
use phasor_sys::fd::wait_writable;
use phasor_sys::tty::{self, Kind, Mode};

/// The read size.
const CHUNK_BYTES: usize = 64 << 10;

/// Defines the native functions.
pub(super) fn define(scope: Scope<'_>, natives: Local<'_, Object>) -> Fallible<()> {
    define_natives!(scope, natives,
        "kindOf" => |_: Scope<'_>, fd: i32| kind_of(fd),
        "writeBytes" => |scope: Scope<'_>, fd: i32, bytes: Bytes<'_>| {
            let write = || bytes.read(|bytes| write_all(fd, bytes));
            state(scope).blocking_at_times(scope, WRITE, write)
        },
        "writeText" => |scope: Scope<'_>, fd: i32, text: String| write_shown(scope, fd, text.as_bytes()),
        "windowSize" => |_: Scope<'_>, fd: i32| window_size(fd),
        "terminal" => terminal,
    );
    Ok(())
}

/// The type of a descriptor, with the names of `util.guessHandleType`.
fn kind_of(fd: i32) -> &'static str {
    match tty::guess_kind(fd) {
        Kind::Tty => "TTY",
        Kind::File => "FILE",
        Kind::NamedPipe => "PIPE",
        Kind::Tcp => "TCP",
        Kind::Udp => "UDP",
        Kind::Unknown => "UNKNOWN",
    }
}

/// Columns and rows; `None` if it is not a terminal.
fn window_size(fd: i32) -> Option<Vec<u16>> {
    tty::window_size(fd).ok().map(|(columns, rows)| vec![columns, rows])
}

/// What blocks the loop while the reader of a pipe or terminal is slow.
const WRITE: &str = "a write to a standard stream";

/// As [`write_all`]; the watchdog knows of it.
pub(crate) fn write_shown(scope: Scope<'_>, fd: i32, bytes: &[u8]) -> i32 {
    state(scope).blocking_at_times(scope, WRITE, || write_all(fd, bytes))
}

/// Writes all bytes, blocking. Returns 0 or a negative error number.
fn write_all(fd: i32, mut bytes: &[u8]) -> i32 {
    while !bytes.is_empty() {
        match file::write(fd, &[IoSlice::new(bytes)], None) {
            Ok(0) => return -Errno::EIO.raw(),
            Ok(count) => bytes = &bytes[count..],
            // Another process may have made the terminal or pipe non-blocking: poll for writability.
            Err(Errno::EAGAIN) if wait_writable(fd).is_ok() => {}
            Err(errno) => return -errno.raw(),
        }
    }
    0
}

/// A terminal open for reading. `callback` gets bytes, or a negative error number (libuv's UV_EOF at the end).
struct Terminal {
    callback: Global<Function>,
    /// Called once, in the closing phase.
    on_closed: RefCell<Option<Global<Function>>>,
    /// `None` once the handle is closing.
    handle: Cell<Option<HandleId>>,
}

/// The user data of the handle.
struct OnTerminal(Rc<Terminal>);

impl OnEvent for OnTerminal {
    fn describe<'s>(&self, scope: Scope<'s>, about: &mut About<'s>) {
        about.callback = Some(self.0.callback.get(scope));
    }

    fn on_event(&self, scope: Scope<'_>, id: HandleId, event: Event<JsFace>) -> Fallible<()> {
        match event {
            Event::Readable(_) => self.0.read(scope, id),
            Event::Hangup(_) => self.0.callback.get(scope).call_with(scope, (), (-Errno::EOF.raw(),)).map(drop),
            _ => Ok(()),
        }
    }

    fn on_closed(&self, scope: Scope<'_>) -> Fallible<()> {
        match self.0.on_closed.take() {
            Some(callback) => callback.get(scope).call_with(scope, (), ()).map(drop),
            None => Ok(()),
        }
    }
}

impl Terminal {
    fn read(&self, scope: Scope<'_>, id: HandleId) -> Fallible<()> {
        let mut bytes = vec![0; CHUNK_BYTES];
        let got = state(scope).core().stream_read(id, &mut bytes);
        let callback = self.callback.get(scope);
        match got {
            Ok(0) => Ok(()),
            Ok(count) => {
                bytes.truncate(count);
                bytes.shrink_to_fit();
                let length = bytes.len();
                let bytes = ArrayBuffer::from_vec(scope, bytes)?.bytes(scope, 0, length)?;
                callback.call_with(scope, (), (bytes,)).map(drop)
            }
            Err(errno) => callback.call_with(scope, (), (-errno.raw(),)).map(drop),
        }
    }

    fn start(&self, scope: Scope<'_>) -> i32 {
        let Some(id) = self.handle.get() else { return -Errno::EBADF.raw() };
        match state(scope).core().stream_read_start(id) {
            Ok(()) | Err(Errno::EALREADY) => 0,
            Err(errno) => -errno.raw(),
        }
    }

    fn stop(&self, scope: Scope<'_>) {
        if let Some(id) = self.handle.get() {
            let _ = state(scope).core().stream_read_stop(id);
        }
    }

    fn set_ref(&self, scope: Scope<'_>, keeps_alive: bool) {
        if let Some(id) = self.handle.get() {
            let _ = state(scope).core().set_ref(id, keeps_alive);
        }
    }

    fn set_raw(&self, scope: Scope<'_>, raw: bool) -> i32 {
        let Some(id) = self.handle.get() else { return -Errno::EBADF.raw() };
        let mode = if raw { Mode::Raw } else { Mode::Normal };
        let result = state(scope).core().tty_set_mode(id, mode);
        result.map_or_else(|errno| -errno.raw(), |()| 0)
    }

    /// Shuts down the writing side. As `uv_shutdown`, calls back from the loop.
    fn shut_down(&self, scope: Scope<'_>, callback: Local<'_, Function>) -> i32 {
        let Some(id) = self.handle.get() else { return -Errno::EBADF.raw() };
        let callback = Global::new(scope, callback);
        let request = phasor_js::request(move |scope, _outcome| callback.get(scope).call_with(scope, (), ()).map(drop));
        let begun = state(scope).core().stream_shutdown(id, request);
        begun.map_or_else(|refused| -refused.errno.raw(), |_| 0)
    }

    fn close(&self, scope: Scope<'_>, callback: Local<'_, Function>) {
        if let Some(id) = self.handle.take() {
            *self.on_closed.borrow_mut() = Some(Global::new(scope, callback));
            let _ = state(scope).core().close(id);
        }
    }
}

/// Opens a terminal. Returns an object of native functions, or a negative error number.
fn terminal<'s>(scope: Scope<'s>, fd: i32, callback: Local<'s, Function>) -> Fallible<Local<'s, Value>> {
    let terminal = Rc::new(Terminal {
        callback: Global::new(scope, callback),
        on_closed: RefCell::default(),
        handle: Cell::new(None),
    });
    let face: Rc<dyn OnEvent> = Rc::new(OnTerminal(terminal.clone()));
    let opened = state(scope).core().tty_open(fd, face);
    match opened {
        Ok(id) => terminal.handle.set(Some(id)),
        Err(errno) => return (-errno.raw()).into_js(scope),
    }
    let natives = Object::new(scope);
    let on = terminal.clone();
    let start = move |scope: Scope<'_>| on.start(scope);
    natives.define_function(scope, "start", 0, native_fn!(&start))?;
    let on = terminal.clone();
    let stop = move |scope: Scope<'_>| on.stop(scope);
    natives.define_function(scope, "stop", 0, native_fn!(&stop))?;
    let on = terminal.clone();
    let set_ref = move |scope: Scope<'_>, keeps_alive: bool| on.set_ref(scope, keeps_alive);
    natives.define_function(scope, "setRef", 1, native_fn!(&set_ref))?;
    let on = terminal.clone();
    let set_raw = move |scope: Scope<'_>, raw: bool| on.set_raw(scope, raw);
    natives.define_function(scope, "setRaw", 1, native_fn!(&set_raw))?;
    let on = terminal.clone();
    let shut_down = move |scope: Scope<'_>, callback: Local<'_, Function>| on.shut_down(scope, callback);
    natives.define_function(scope, "shutdown", 1, native_fn!(&shut_down))?;
    let close = move |scope: Scope<'_>, callback: Local<'_, Function>| terminal.close(scope, callback);
    natives.define_function(scope, "close", 1, native_fn!(&close))?;
    Ok(natives.as_value())
}
