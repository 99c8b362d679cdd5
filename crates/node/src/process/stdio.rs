//! Standard descriptors: their types, blocking writes, and terminals.
//!
//! As in Node, writes to a terminal are synchronous, and a terminal is read through a core handle. Pipes and files are streams of `net` and
//! `fs`.

use std::cell::{Cell, RefCell};
use std::io::IoSlice;
use std::rc::Rc;

use phasor_core::{Errno, Event, HandleId, file};
use phasor_js::bytes::{Bytes, Utf8};
use phasor_js::{JsFace, OnEvent, state};
use phasor_sys::fd::wait_writable;
use phasor_sys::tty::{self, Kind, Mode};
use rquickjs::function::Func;
use rquickjs::{Ctx, Function, IntoJs, Object, Persistent, Result, TypedArray, Value};

/// The read size.
const CHUNK_BYTES: usize = 64 << 10;

/// Defines the native functions.
pub(super) fn define<'js>(natives: &Object<'js>) -> Result<()> {
    natives.set("kindOf", Func::from(kind_of))?;
    natives.set("writeBytes", Func::from(|fd: i32, bytes: Bytes<'js>| bytes.read(|bytes| write_all(fd, bytes))))?;
    natives.set("writeText", Func::from(|fd: i32, Utf8(text): Utf8| write_all(fd, text.as_bytes())))?;
    natives.set("windowSize", Func::from(window_size))?;
    natives.set("terminal", Func::from(terminal))?;
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

/// Writes all bytes, blocking. Returns 0 or a negative error number.
pub(crate) fn write_all(fd: i32, mut bytes: &[u8]) -> i32 {
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
    callback: Persistent<Function<'static>>,
    /// Called once, in the closing phase.
    on_closed: RefCell<Option<Persistent<Function<'static>>>>,
    /// `None` once the handle is closing.
    handle: Cell<Option<HandleId>>,
}

/// The user data of the handle.
struct OnTerminal(Rc<Terminal>);

impl OnEvent for OnTerminal {
    fn on_event(&self, ctx: &Ctx<'_>, id: HandleId, event: Event<JsFace>) -> Result<()> {
        match event {
            Event::Readable(_) => self.0.read(ctx, id),
            Event::Hangup(_) => self.0.callback.clone().restore(ctx)?.call((-Errno::EOF.raw(),)),
            _ => Ok(()),
        }
    }

    fn on_closed(&self, ctx: &Ctx<'_>) -> Result<()> {
        match self.0.on_closed.take() {
            Some(callback) => callback.restore(ctx)?.call(()),
            None => Ok(()),
        }
    }
}

impl Terminal {
    fn read(&self, ctx: &Ctx<'_>, id: HandleId) -> Result<()> {
        let mut bytes = vec![0; CHUNK_BYTES];
        let got = state(ctx).core().stream_read(id, &mut bytes);
        let callback = self.callback.clone().restore(ctx)?;
        match got {
            Ok(0) => Ok(()),
            Ok(count) => {
                bytes.truncate(count);
                bytes.shrink_to_fit();
                callback.call((TypedArray::<u8>::new(ctx.clone(), bytes)?,))
            }
            Err(errno) => callback.call((-errno.raw(),)),
        }
    }

    fn start(&self, ctx: &Ctx<'_>) -> i32 {
        let Some(id) = self.handle.get() else { return -Errno::EBADF.raw() };
        match state(ctx).core().stream_read_start(id) {
            Ok(()) | Err(Errno::EALREADY) => 0,
            Err(errno) => -errno.raw(),
        }
    }

    fn stop(&self, ctx: &Ctx<'_>) {
        if let Some(id) = self.handle.get() {
            let _ = state(ctx).core().stream_read_stop(id);
        }
    }

    fn set_ref(&self, ctx: &Ctx<'_>, keeps_alive: bool) {
        if let Some(id) = self.handle.get() {
            let _ = state(ctx).core().set_ref(id, keeps_alive);
        }
    }

    fn set_raw(&self, ctx: &Ctx<'_>, raw: bool) -> i32 {
        let Some(id) = self.handle.get() else { return -Errno::EBADF.raw() };
        let mode = if raw { Mode::Raw } else { Mode::Normal };
        let result = state(ctx).core().tty_set_mode(id, mode);
        result.map_or_else(|errno| -errno.raw(), |()| 0)
    }

    /// Shuts down the writing side. As `uv_shutdown`, calls back from the loop.
    fn shut_down<'js>(&self, ctx: &Ctx<'js>, callback: Function<'js>) -> i32 {
        let Some(id) = self.handle.get() else { return -Errno::EBADF.raw() };
        let callback = Persistent::save(ctx, callback);
        let request = Box::new(move |ctx: &Ctx<'_>, _outcome| callback.restore(ctx)?.call(()));
        let begun = state(ctx).core().stream_shutdown(id, request);
        begun.map_or_else(|refused| -refused.errno.raw(), |_| 0)
    }

    fn close<'js>(&self, ctx: &Ctx<'js>, callback: Function<'js>) {
        if let Some(id) = self.handle.take() {
            *self.on_closed.borrow_mut() = Some(Persistent::save(ctx, callback));
            let _ = state(ctx).core().close(id);
        }
    }
}

/// Opens a terminal. Returns an object of native functions, or a negative error number.
fn terminal<'js>(ctx: Ctx<'js>, fd: i32, callback: Function<'js>) -> Result<Value<'js>> {
    let terminal = Rc::new(Terminal {
        callback: Persistent::save(&ctx, callback),
        on_closed: RefCell::default(),
        handle: Cell::new(None),
    });
    let face: Rc<dyn OnEvent> = Rc::new(OnTerminal(terminal.clone()));
    let opened = state(&ctx).core().tty_open(fd, face);
    match opened {
        Ok(id) => terminal.handle.set(Some(id)),
        Err(errno) => return (-errno.raw()).into_js(&ctx),
    }
    let natives = Object::new(ctx.clone())?;
    let on = terminal.clone();
    natives.set("start", Function::new(ctx.clone(), move |ctx: Ctx<'js>| on.start(&ctx))?)?;
    let on = terminal.clone();
    natives.set("stop", Function::new(ctx.clone(), move |ctx: Ctx<'js>| on.stop(&ctx))?)?;
    let on = terminal.clone();
    natives.set(
        "setRef",
        Function::new(ctx.clone(), move |ctx: Ctx<'js>, on_or_off: bool| on.set_ref(&ctx, on_or_off))?,
    )?;
    let on = terminal.clone();
    natives.set("setRaw", Function::new(ctx.clone(), move |ctx: Ctx<'js>, raw: bool| on.set_raw(&ctx, raw))?)?;
    let on = terminal.clone();
    let shut_down = move |ctx: Ctx<'js>, callback: Function<'js>| on.shut_down(&ctx, callback);
    natives.set("shutdown", Function::new(ctx.clone(), shut_down)?)?;
    let close = move |ctx: Ctx<'js>, callback: Function<'js>| terminal.close(&ctx, callback);
    natives.set("close", Function::new(ctx.clone(), close)?)?;
    natives.into_js(&ctx)
}
