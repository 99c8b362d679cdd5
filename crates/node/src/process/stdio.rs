//! The process's own descriptors: writing that waits, and reading that the loop does.
//!
//! Standard output and error are written at once, whatever they are, as Node's on Linux are for files, terminals and
//! pipes. Standard input is a terminal's or a pipe's handle of the core, or, for a file, a read of the pool at a time.

use std::cell::{Cell, RefCell};
use std::io::IoSlice;
use std::rc::Rc;

use phasor_core::{Errno, Event, Fd, FsOp, FsValue, HandleId, Outcome, file};
use phasor_js::bytes::Bytes;
use phasor_js::{JsFace, OnEvent, state};
use phasor_sys::tty::{self, Kind, Mode};
use rquickjs::function::Func;
use rquickjs::{Ctx, Function, IntoJs, Object, Persistent, Result, TypedArray, Value};

/// How much is read at a time.
const CHUNK_BYTES: usize = 64 << 10;

/// Puts the verbs on an object.
pub(super) fn define<'js>(verbs: &Object<'js>) -> Result<()> {
    verbs.set("kindOf", Func::from(kind_of))?;
    verbs.set("writeBytes", Func::from(|fd: i32, bytes: Bytes<'js>| bytes.read(|bytes| write_all(fd, bytes))))?;
    verbs.set("writeText", Func::from(write_text))?;
    verbs.set("windowSize", Func::from(window_size))?;
    verbs.set("reader", Func::from(reader))?;
    Ok(())
}

/// What a descriptor is, in libuv's words.
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

/// Columns and rows; nothing if it is no terminal.
fn window_size(fd: i32) -> Option<Vec<u16>> {
    tty::window_size(fd).ok().map(|(columns, rows)| vec![columns, rows])
}

/// Writes all of it before anything else happens. 0, or a negative error number.
pub(crate) fn write_all(fd: i32, mut bytes: &[u8]) -> i32 {
    while !bytes.is_empty() {
        match file::write(fd, &[IoSlice::new(bytes)], None) {
            Ok(0) => return -Errno::EIO.raw(),
            Ok(count) => bytes = &bytes[count..],
            // A terminal or pipe that somebody has made non-blocking: wait for room.
            Err(Errno::EAGAIN) => std::thread::sleep(std::time::Duration::from_millis(1)),
            Err(errno) => return -errno.raw(),
        }
    }
    0
}

/// Writes all of a text, as [`write_all`].
pub(crate) fn write_text(fd: i32, text: String) -> i32 {
    write_all(fd, text.as_bytes())
}

/// Something that is read: called with bytes, or with 0 at the end, or with a negative error number.
struct Reader {
    fd: i32,
    callback: Persistent<Function<'static>>,
    /// The handle of a terminal, pipe or socket; a file has none.
    handle: Cell<Option<HandleId>>,
    /// Whether more is wanted, and whether the pool is reading.
    wanted: Cell<bool>,
    busy: Cell<bool>,
    /// The bytes that the pool has used, for its next read.
    spare: RefCell<Vec<u8>>,
}

/// Hung on the handle.
struct OnReadable(Rc<Reader>);

impl OnEvent for OnReadable {
    fn on_event(&self, ctx: &Ctx<'_>, id: HandleId, event: Event<JsFace>) -> Result<()> {
        match event {
            Event::Readable(_) => {}
            // The writer of a pipe is gone and left nothing.
            Event::Hangup(_) => return self.0.say(ctx, 0),
            _ => return Ok(()),
        }
        let mut bytes = vec![0; CHUNK_BYTES];
        let got = state(ctx).core().stream_read(id, &mut bytes);
        match got {
            Ok(0) => Ok(()),
            Ok(count) => {
                bytes.truncate(count);
                self.0.say_bytes(ctx, bytes)
            }
            Err(Errno::EOF) => self.0.say(ctx, 0),
            Err(errno) => self.0.say(ctx, -errno.raw()),
        }
    }
}

impl Reader {
    fn say_bytes(&self, ctx: &Ctx<'_>, mut bytes: Vec<u8>) -> Result<()> {
        bytes.shrink_to_fit();
        let bytes = TypedArray::<u8>::new(ctx.clone(), bytes)?;
        self.callback.clone().restore(ctx)?.call((bytes,))
    }

    fn say(&self, ctx: &Ctx<'_>, number: i32) -> Result<()> {
        self.callback.clone().restore(ctx)?.call((number,))
    }

    fn start(self: &Rc<Reader>, ctx: &Ctx<'_>) -> i32 {
        self.wanted.set(true);
        match self.handle.get() {
            Some(id) => match state(ctx).core().stream_read_start(id) {
                Ok(()) | Err(Errno::EALREADY) => 0,
                Err(errno) => -errno.raw(),
            },
            None => {
                self.read_file(ctx);
                0
            }
        }
    }

    fn stop(&self, ctx: &Ctx<'_>) {
        self.wanted.set(false);
        if let Some(id) = self.handle.get() {
            let _ = state(ctx).core().stream_read_stop(id);
        }
    }

    /// Asks the pool for the next part of a file, if it is not at it.
    fn read_file(self: &Rc<Reader>, ctx: &Ctx<'_>) {
        if self.busy.replace(true) {
            return;
        }
        let mut bytes = self.spare.take();
        bytes.resize(CHUNK_BYTES, 0);
        let reader = self.clone();
        state(ctx).core().fs(
            FsOp::Read { fd: self.fd, bytes, offset: None },
            Box::new(move |ctx, outcome| {
                reader.busy.set(false);
                let Outcome::Fs(done) = outcome else { return Ok(()) };
                let bytes = done.bytes.unwrap_or_default();
                match done.result {
                    Ok(FsValue::Count(count)) if count > 0 => {
                        let part = bytes[..count.min(bytes.len())].to_vec();
                        *reader.spare.borrow_mut() = bytes;
                        reader.say_bytes(ctx, part)?;
                        if reader.wanted.get() {
                            reader.read_file(ctx);
                        }
                        Ok(())
                    }
                    Ok(_) => reader.say(ctx, 0),
                    Err(errno) => reader.say(ctx, -errno.raw()),
                }
            }),
        );
    }
}

/// Makes a reader of a descriptor: an object of verbs, or a negative error number.
fn reader<'js>(ctx: Ctx<'js>, fd: i32, callback: Function<'js>) -> Result<Value<'js>> {
    let reader = Rc::new(Reader {
        fd,
        callback: Persistent::save(&ctx, callback),
        handle: Cell::new(None),
        wanted: Cell::new(false),
        busy: Cell::new(false),
        spare: RefCell::default(),
    });
    let on_readable: Rc<dyn OnEvent> = Rc::new(OnReadable(reader.clone()));
    let opened = match tty::guess_kind(fd) {
        Kind::Tty => state(&ctx).core().tty_open(fd, on_readable).map(Some),
        Kind::NamedPipe | Kind::Tcp => open_pipe(&ctx, fd, on_readable).map(Some),
        Kind::File => Ok(None),
        Kind::Udp | Kind::Unknown => Err(Errno::EBADF),
    };
    match opened {
        Ok(id) => reader.handle.set(id),
        Err(errno) => return (-errno.raw()).into_js(&ctx),
    }
    let verbs = Object::new(ctx.clone())?;
    let on = reader.clone();
    verbs.set("start", Function::new(ctx.clone(), move |ctx: Ctx<'js>| on.start(&ctx))?)?;
    let on = reader.clone();
    verbs.set("stop", Function::new(ctx.clone(), move |ctx: Ctx<'js>| on.stop(&ctx))?)?;
    let on = reader.clone();
    let set_ref = move |ctx: Ctx<'js>, keeps_alive: bool| {
        if let Some(id) = on.handle.get() {
            let _ = state(&ctx).core().set_ref(id, keeps_alive);
        }
    };
    verbs.set("setRef", Function::new(ctx.clone(), set_ref)?)?;
    let on = reader.clone();
    let set_raw = move |ctx: Ctx<'js>, raw: bool| -> i32 {
        let Some(id) = on.handle.get() else { return -Errno::EINVAL.raw() };
        let mode = if raw { Mode::Raw } else { Mode::Normal };
        let result = state(&ctx).core().tty_set_mode(id, mode);
        result.map_or_else(|errno| -errno.raw(), |()| 0)
    };
    verbs.set("setRaw", Function::new(ctx.clone(), set_raw)?)?;
    let close = move |ctx: Ctx<'js>| {
        reader.wanted.set(false);
        if let Some(id) = reader.handle.take() {
            let _ = state(&ctx).core().close(id);
        }
    };
    verbs.set("close", Function::new(ctx.clone(), close)?)?;
    verbs.into_js(&ctx)
}

fn open_pipe(ctx: &Ctx<'_>, fd: i32, face: Rc<dyn OnEvent>) -> phasor_core::Result<HandleId> {
    let state = state(ctx);
    let mut core = state.core();
    let file = Fd::adopt(fd)?;
    let id = core.pipe_open(false, face);
    match core.pipe_adopt(id, file) {
        Ok(()) => Ok(id),
        Err((errno, file)) => {
            // The descriptor stays the process's.
            file.release();
            let _ = core.close(id);
            Err(errno)
        }
    }
}
