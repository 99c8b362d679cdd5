//! Native functions of `net`: TCP and pipe handles of the core. JavaScript refers to a handle by its number.
//!
//! Functions return libuv's error numbers: negative for an error, else 0 or the result. Events call methods of the object that the handle
//! was opened with: `onread(count, bytes)`, `accepting(status)`, `exited(code, signal)`, `closed()`; a request's object gets
//! `oncomplete(status)`. JavaScript defines their meaning.
//!
//! All reads of a thread use one slab, and each chunk is copied into a buffer of its exact size. Writes go directly from the script's
//! buffers; only the part that the kernel does not accept at once is copied.

pub mod address;
mod fast;
pub mod handles;
mod open;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use phasor_core::{Errno, Event, HandleId, Kind, Loop, Outcome};
use phasor_js::bytes::{Bytes, Part, Text, copy_after, try_write};
use phasor_js::guards::Room;
use phasor_js::keys::Place;
use phasor_js::{JsFace, OnEvent, Request, Tracked, call_tracked, state};
use rquickjs::function::{Func, This};
use rquickjs::{Array, ArrayBuffer, Ctx, FromJs, Function, Object, Persistent, Result, Value};

use self::fast::FastReader;
use self::handles::{Entry, Listed, Wrap, binding_of, id_of};
use crate::http::{PendingWrites, binding};

/// The read size that libuv suggests.
const SLAB_BYTES: usize = 64 << 10;

/// Added to the result of `write` if only a part could be written.
const LATER: f64 = (1u64 << 40) as f64;

thread_local! {
    /// The read buffer of all sockets, allocated on first use.
    static SLAB: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Borrows the slab, of [`SLAB_BYTES`].
pub(crate) fn with_slab<R>(call: impl FnOnce(&mut [u8]) -> R) -> R {
    SLAB.with_borrow_mut(|slab| {
        slab.resize(SLAB_BYTES, 0);
        call(slab)
    })
}

/// Takes the slab, for a reader that calls scripts while it uses the bytes.
pub(crate) fn take_slab() -> Vec<u8> {
    let mut slab = SLAB.take();
    slab.resize(SLAB_BYTES, 0);
    slab
}

/// Returns the slab.
pub(crate) fn give_slab(slab: Vec<u8>) {
    SLAB.set(slab);
}

/// Creates the object of native functions.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let natives = Object::new(ctx.clone())?;
    open::define(&natives)?;
    fast::define(&natives)?;
    address::define(&natives)?;
    natives.set("accept", Func::from(accept))?;
    natives.set("active", Func::from(handles::active))?;
    natives.set("activeObjects", Func::from(handles::active_objects))?;
    natives.set("bytesRead", Func::from(bytes_read))?;
    natives.set("bytesWritten", Func::from(bytes_written))?;
    natives.set("close", Func::from(close))?;
    natives.set("fd", Func::from(fd))?;
    natives.set("getBufferSize", Func::from(buffer_size))?;
    natives.set("hasRef", Func::from(has_ref))?;
    natives.set(
        "listen",
        Func::from(|ctx: Ctx<'js>, number: u32, backlog: i32| {
            with(&ctx, number, |core, id| core.stream_listen(id, backlog))
        }),
    )?;
    natives.set("passedKind", Func::from(passed_kind))?;
    natives.set("readStart", Func::from(read_start))?;
    natives.set("readStop", Func::from(|ctx: Ctx<'js>, number: u32| with(&ctx, number, Loop::stream_read_stop)))?;
    natives.set(
        "setRef",
        Func::from(|ctx: Ctx<'js>, number: u32, keeps: bool| with(&ctx, number, |core, id| core.set_ref(id, keeps))),
    )?;
    natives.set("shutdown", Func::from(shutdown))?;
    natives.set("useUserBuffer", Func::from(use_user_buffer))?;
    natives.set("write", Func::from(write))?;
    natives.set("writeHandle", Func::from(write_handle))?;
    natives.set("writeRest", Func::from(write_rest))?;
    natives.set("writeQueueSize", Func::from(write_queue_size))?;
    natives.set("LATER", LATER)?;
    Ok(natives)
}

/// Runs a call on a handle: returns 0 or libuv's error number.
pub(crate) fn with(
    ctx: &Ctx<'_>,
    number: u32,
    call: impl FnOnce(&mut Loop<JsFace>, HandleId) -> std::result::Result<(), Errno>,
) -> i32 {
    match id_of(number) {
        Some(id) => call(&mut state(ctx).core(), id).map_or_else(|errno| -errno.raw(), |()| 0),
        None => -Errno::EBADF.raw(),
    }
}

/// Attached to a core handle: the JavaScript object that gets its events. Keeps the object alive until the handle is closed.
pub(crate) struct HandleBinding {
    entry: Entry,
    /// `None` after the handle was closed.
    object: RefCell<Option<Persistent<Object<'static>>>>,
    /// The address of the JavaScript object, with which fast paths find the binding.
    place: Place,
    /// The async resource, if async hooks are enabled.
    tracked: Option<Box<Tracked>>,
    reader: RefCell<Reader>,
    /// `socket.bytesRead` so far.
    bytes_read: Cell<u64>,
    /// `socket.bytesWritten` so far, including queued bytes.
    bytes_written: Cell<u64>,
    /// Writes of an HTTP response that wait for a tick.
    pending_writes: RefCell<Option<Box<PendingWrites>>>,
}

/// The destination of read bytes.
#[derive(Clone)]
enum Reader {
    /// The object's `onread`, with a new buffer for each read.
    Object,
    /// A buffer of the script.
    Buffer(Persistent<Value<'static>>),
    /// An HTTP parser.
    Parser(Persistent<Object<'static>>),
}

impl HandleBinding {
    pub(crate) fn new<'js>(ctx: &Ctx<'js>, wrap: Wrap, object: Object<'js>) -> Rc<HandleBinding> {
        let tracked = wrap.track(ctx, &object, None);
        Rc::new(HandleBinding {
            entry: Entry::new(wrap),
            place: Place::of(&object),
            tracked: tracked.map(Box::new),
            object: RefCell::new(Some(Persistent::save(ctx, object))),
            reader: RefCell::new(Reader::Object),
            bytes_read: Cell::new(0),
            bytes_written: Cell::new(0),
            pending_writes: RefCell::new(None),
        })
    }

    /// Runs a closure with the writes that `http` has buffered.
    pub(crate) fn with_pending_writes<R>(&self, call: impl FnOnce(&mut PendingWrites) -> R) -> R {
        call(self.pending_writes.borrow_mut().get_or_insert_default())
    }

    /// Takes the buffered writes.
    pub(crate) fn take_pending_writes(&self) -> Option<Box<PendingWrites>> {
        self.pending_writes.take()
    }

    /// The address of the object that gets the handle's events.
    pub(crate) fn place(&self) -> Place {
        self.place
    }

    /// Attaches it to a handle, and returns the handle's number.
    pub(crate) fn opened(self: &Rc<HandleBinding>, id: HandleId) -> u32 {
        self.entry.opened(id, self)
    }

    fn object<'js>(&self, ctx: &Ctx<'js>) -> Result<Option<Object<'js>>> {
        self.object.borrow().clone().map(|object| object.restore(ctx)).transpose()
    }

    /// Calls a method of the object, if there is one.
    pub(crate) fn call_method<'js, A>(
        &self,
        ctx: &Ctx<'js>,
        method: &str,
        args: impl FnOnce(This<Object<'js>>) -> A,
    ) -> Result<()>
    where
        A: rquickjs::function::IntoArgs<'js>,
    {
        let Some(object) = self.object(ctx)? else { return Ok(()) };
        let method: Value<'js> = object.get(method)?;
        match method.as_function() {
            Some(method) => {
                call_tracked(ctx, self.tracked.as_deref(), &object.clone(), || method.call(args(This(object))))
            }
            None => Ok(()),
        }
    }

    /// Creates the object of an incoming connection if the server is tracked by async hooks. As in Node, it is created without an async
    /// context, so that it has no `AsyncLocalStorage` store.
    fn new_client<'js>(&self, ctx: &Ctx<'js>) -> Result<Option<Object<'js>>> {
        let (Some(tracked), Some(object)) = (&self.tracked, self.object(ctx)?) else { return Ok(None) };
        let make: Function<'js> = object.get("newClient")?;
        tracked.triggering(ctx, || make.call((This(object),)))
    }

    /// Passes all read bytes to a parser from now on, or stops doing so.
    pub(crate) fn consume(&self, parser: Option<Persistent<Object<'static>>>) {
        self.set_reader(parser.map_or(Reader::Object, Reader::Parser));
    }

    fn set_reader(&self, reader: Reader) {
        // Drop after the borrow ends.
        let before = self.reader.replace(reader);
        drop(before);
    }

    fn count(&self, bytes: usize) {
        self.bytes_read.set(self.bytes_read.get() + bytes as u64);
    }

    fn read<'js>(&self, ctx: &Ctx<'js>, id: HandleId) -> Result<()> {
        let reader = self.reader.borrow().clone();
        match reader {
            Reader::Object => self.read_for_object(ctx, id),
            Reader::Buffer(buffer) => self.read_for_user(ctx, id, &Bytes::from_js(ctx, buffer.restore(ctx)?)?),
            Reader::Parser(parser) => match binding::read(ctx, parser.restore(ctx)?, id, |count| self.count(count))? {
                Ok(()) => Ok(()),
                Err(errno) => self.call_method(ctx, "onread", |this| (this, -errno.raw())),
            },
        }
    }

    fn read_for_object(&self, ctx: &Ctx<'_>, id: HandleId) -> Result<()> {
        let Some(object) = self.object(ctx)? else { return Ok(()) };
        // Async hooks run before the callback and may change the stream, so a tracked handle takes the slow path.
        let mut room = Room::new();
        let fast = if self.tracked.is_none() { FastReader::of(&object, &mut room) } else { None };
        let (got, bytes) = with_slab(|slab| {
            let got = state(ctx).core().stream_read(id, slab);
            let bytes = match (got, &fast) {
                (Ok(count), Some(fast)) if count > 0 => Some(fast.chunk(&slab[..count])),
                (Ok(count), None) if count > 0 => {
                    Some(ArrayBuffer::new_copy(ctx.clone(), &slab[..count]).map(ArrayBuffer::into_value))
                }
                _ => None,
            };
            (got, bytes.transpose())
        });
        match (got, bytes?, fast) {
            (Ok(count), Some(bytes), fast) => {
                self.count(count);
                match fast {
                    Some(fast) => fast.give(&bytes),
                    None => self.call_method(ctx, "onread", |this| (this, count as i32, bytes)),
                }
            }
            (Ok(_), None, _) => Ok(()),
            (Err(errno), ..) => self.call_method(ctx, "onread", |this| (this, -errno.raw())),
        }
    }

    fn read_for_user<'js>(&self, ctx: &Ctx<'js>, id: HandleId, user: &Bytes<'js>) -> Result<()> {
        let got = with_slab(|slab| {
            let room = user.len().min(SLAB_BYTES);
            let got = state(ctx).core().stream_read(id, &mut slab[..room]);
            if let Ok(count) = got {
                let read = &slab[..count];
                user.write(|bytes| bytes[..count.min(room)].copy_from_slice(read));
            }
            got
        });
        match got {
            Ok(0) => Ok(()),
            Ok(count) => {
                self.count(count);
                self.call_method(ctx, "onread", |this| (this, count as i32))
            }
            Err(errno) => self.call_method(ctx, "onread", |this| (this, -errno.raw())),
        }
    }
}

impl OnEvent for HandleBinding {
    fn on_event(&self, ctx: &Ctx<'_>, id: HandleId, event: Event<JsFace>) -> Result<()> {
        match event {
            Event::Readable(_) => self.read(ctx, id),
            Event::Hangup(_) => self.call_method(ctx, "onread", |this| (this, -Errno::EOF.raw())),
            Event::Connection(_, result) => {
                let status = result.map_or_else(|errno| -errno.raw(), |()| 0);
                let client = if result.is_ok() { self.new_client(ctx)? } else { None };
                self.call_method(ctx, "accepting", |this| (this, status, client))
            }
            Event::Datagram(_) => crate::dgram::receive(self, ctx, id),
            Event::Timer(_) => self.call_method(ctx, "ontimeout", |this| (this,)),
            Event::Exit(_, status) => self.call_method(ctx, "exited", |this| (this, status.code as f64, status.signal)),
            _ => Ok(()),
        }
    }

    fn on_closed(&self, ctx: &Ctx<'_>) -> Result<()> {
        self.entry.release();
        let called = self.call_method(ctx, "closed", |this| (this,));
        if let Some(tracked) = &self.tracked {
            tracked.end(ctx);
        }
        self.set_reader(Reader::Object);
        self.object.take();
        called
    }
}

/// A request on a handle that calls `oncomplete`, and is listed as active until then.
pub(crate) fn request<'js>(ctx: &Ctx<'js>, number: u32, listed: Listed, object: Object<'js>) -> Request {
    let trigger = binding_of(number).and_then(|binding| binding.tracked.as_deref().map(Tracked::id));
    let tracked = listed.wrap().track(ctx, &object, trigger);
    let object = Persistent::save(ctx, object);
    Box::new(move |ctx, outcome| {
        state(ctx).drop_after_drain(listed);
        let object = object.restore(ctx)?;
        let status = match outcome {
            Outcome::Connect(result) | Outcome::Shutdown(result) => result,
            Outcome::Write { result, .. } | Outcome::Send { result, .. } => result,
            _ => Ok(()),
        };
        let status = status.map_or_else(|errno| -errno.raw(), |()| 0);
        let done: Function<'_> = object.get("oncomplete")?;
        if let Some(tracked) = &tracked {
            tracked.end(ctx);
        }
        call_tracked(ctx, tracked.as_ref(), &object.clone(), || done.call((This(object), status)))
    })
}

fn accept(ctx: Ctx<'_>, number: u32, client: u32) -> i32 {
    let Some(client) = id_of(client) else { return -Errno::EBADF.raw() };
    with(&ctx, number, |core, id| core.stream_accept(id, client))
}

/// Starts closing the handle. Its number is invalid from now on.
fn close(ctx: Ctx<'_>, number: u32) -> i32 {
    let Some(id) = handles::forget(number) else { return -Errno::EBADF.raw() };
    let closed = state(&ctx).core().close(id);
    closed.map_or_else(|errno| -errno.raw(), |()| 0)
}

fn bytes_read(number: u32) -> f64 {
    binding_of(number).map_or(0.0, |binding| binding.bytes_read.get() as f64)
}

fn bytes_written(number: u32) -> f64 {
    binding_of(number).map_or(0.0, |binding| binding.bytes_written.get() as f64)
}

/// Counts bytes written through a handle.
pub(crate) fn count_written(number: u32, bytes: usize) {
    if let Some(binding) = binding_of(number) {
        binding.bytes_written.set(binding.bytes_written.get() + bytes as u64);
    }
}

fn fd(ctx: Ctx<'_>, number: u32) -> i32 {
    let Some(id) = id_of(number) else { return -1 };
    state(&ctx).core().fileno(id).unwrap_or(-1)
}

fn has_ref(ctx: Ctx<'_>, number: u32) -> bool {
    id_of(number).is_some_and(|id| state(&ctx).core().has_ref(id))
}

/// The size of the kernel's socket buffer, after setting it if `size` is not 0.
fn buffer_size(ctx: Ctx<'_>, number: u32, size: u32, receive: bool) -> i32 {
    let Some(id) = id_of(number) else { return -Errno::EBADF.raw() };
    let state = state(&ctx);
    let mut core = state.core();
    let result = match (size, receive) {
        (0, true) => core.recv_buffer_size(id),
        (0, false) => core.send_buffer_size(id),
        (_, true) => core.set_recv_buffer_size(id, size).map(|()| 0),
        (_, false) => core.set_send_buffer_size(id, size).map(|()| 0),
    };
    result.map_or_else(|errno| -errno.raw(), |size| i32::try_from(size).unwrap_or(i32::MAX))
}

/// Starting to read a stream twice is not an error.
fn read_start(ctx: Ctx<'_>, number: u32) -> i32 {
    with(&ctx, number, |core, id| match core.stream_read_start(id) {
        Err(Errno::EALREADY) => Ok(()),
        other => other,
    })
}

fn shutdown<'js>(ctx: Ctx<'js>, number: u32, object: Object<'js>) -> i32 {
    let Some(id) = id_of(number) else { return -Errno::EBADF.raw() };
    let request = request(&ctx, number, Listed::new(Wrap::Shutdown), object);
    let begun = state(&ctx).core().stream_shutdown(id, request);
    begun.map_or_else(|refused| -refused.errno.raw(), |_| 0)
}

fn use_user_buffer<'js>(ctx: Ctx<'js>, number: u32, buffer: Value<'js>) {
    if let Some(binding) = binding_of(number) {
        binding.set_reader(Reader::Buffer(Persistent::save(&ctx, buffer)));
    }
}

fn write_queue_size(ctx: Ctx<'_>, number: u32) -> f64 {
    id_of(number).map_or(0.0, |id| state(&ctx).core().stream_write_queue_size(id) as f64)
}

/// Tries to write a buffer, a string (UTF-8 or Latin-1) or a list of both without blocking, as `src/stream_base.cc: StreamBase::Write` does
/// first. Returns the number of bytes if all were written, else the number of bytes written plus [`LATER`], or libuv's error number.
fn write<'js>(ctx: Ctx<'js>, number: u32, data: Value<'js>, latin1: bool) -> Result<f64> {
    let Some(id) = id_of(number) else { return Ok(f64::from(-Errno::EBADF.raw())) };
    let is_text = data.is_string();
    with_parts(&ctx, data, latin1, |parts| {
        write_parts(&ctx, number, id, parts, |total| {
            // As `src/stream_base.cc: StreamBase::WriteString`: a refused write counts as well, except a short string, which Node tries
            // from a stack buffer before it counts.
            let room_bytes = if latin1 { total } else { 3 * total };
            !is_text || room_bytes > UNCOUNTED_BYTES
        })
    })
}

/// As [`write()`], for bytes.
fn write_bytes<'js>(ctx: &Ctx<'js>, number: u32, bytes: Bytes<'js>) -> f64 {
    let Some(id) = id_of(number) else { return f64::from(-Errno::EBADF.raw()) };
    write_parts(ctx, number, id, &[Part::Bytes(bytes)], |_| true)
}

fn write_parts(
    ctx: &Ctx<'_>,
    number: u32,
    id: HandleId,
    parts: &[Part<'_>],
    is_counted: impl FnOnce(usize) -> bool,
) -> f64 {
    let total: usize = parts.iter().map(Part::len).sum();
    match try_write(&mut state(ctx).core(), id, parts) {
        Ok(count) if count >= total => {
            count_written(number, total);
            total as f64
        }
        Ok(count) => LATER + count as f64,
        Err(Errno::EAGAIN | Errno::ENOSYS) => LATER,
        Err(errno) => {
            if is_counted(total) {
                count_written(number, total);
            }
            f64::from(-errno.raw())
        }
    }
}

/// The size of Node's stack buffer (`stack_storage` of `StreamBase::WriteString`): strings that may need more are counted before the first
/// try.
const UNCOUNTED_BYTES: usize = 16 << 10;

/// Queues the rest of a partial [`write()`] as a request. Returns the total number of bytes, or libuv's error number.
fn write_rest<'js>(
    ctx: Ctx<'js>,
    number: u32,
    object: Object<'js>,
    data: Value<'js>,
    latin1: bool,
    written: f64,
) -> Result<f64> {
    let Some(id) = id_of(number) else { return Ok(f64::from(-Errno::EBADF.raw())) };
    let (total, rest) = with_parts(&ctx, data, latin1, |parts| {
        (parts.iter().map(Part::len).sum::<usize>(), copy_after(parts, written as usize))
    })?;
    let request = request(&ctx, number, Listed::new(Wrap::Write), object);
    let begun = state(&ctx).core().stream_write(id, rest, request);
    if begun.is_ok() {
        count_written(number, total);
    }
    Ok(begun.map_or_else(|refused| f64::from(-refused.errno.raw()), |_| total as f64))
}

/// Writes to an IPC pipe with a duplicate of another handle's descriptor, as a request. Returns the number of bytes, or libuv's error
/// number.
fn write_handle<'js>(ctx: Ctx<'js>, number: u32, object: Object<'js>, data: Value<'js>, passed: u32) -> Result<f64> {
    let (Some(id), Some(passed)) = (id_of(number), id_of(passed)) else { return Ok(f64::from(-Errno::EBADF.raw())) };
    let bytes = with_parts(&ctx, data, false, |parts| copy_after(parts, 0))?;
    let total = bytes.len();
    let request = request(&ctx, number, Listed::new(Wrap::Write), object);
    let begun = state(&ctx).core().stream_write_with_handle(id, bytes, passed, request);
    if begun.is_ok() {
        count_written(number, total);
    }
    Ok(begun.map_or_else(|refused| f64::from(-refused.errno.raw()), |_| total as f64))
}

/// The type of the next pending handle of an IPC pipe; `None` if there is none.
fn passed_kind(ctx: Ctx<'_>, number: u32) -> Option<&'static str> {
    match state(&ctx).core().pipe_pending_kind(id_of(number)?)? {
        Kind::Pipe => Some("Pipe"),
        Kind::Tcp => Some("TCP"),
        Kind::Udp => Some("UDP"),
        _ => None,
    }
}

fn with_parts<'js, R>(
    ctx: &Ctx<'js>,
    data: Value<'js>,
    latin1: bool,
    call: impl FnOnce(&[Part<'js>]) -> R,
) -> Result<R> {
    match data.as_array() {
        Some(list) => Ok(call(&parts_of(ctx, list)?)),
        None => Ok(call(std::slice::from_ref(&part_of(ctx, data, latin1)?))),
    }
}

/// The parts of a list of buffers and strings.
pub(crate) fn parts_of<'js>(ctx: &Ctx<'js>, list: &Array<'js>) -> Result<Vec<Part<'js>>> {
    list.iter::<Value<'js>>().map(|part| part_of(ctx, part?, false)).collect()
}

fn part_of<'js>(ctx: &Ctx<'js>, value: Value<'js>, latin1: bool) -> Result<Part<'js>> {
    if !value.is_string() {
        return Bytes::from_js(ctx, value).map(Part::Bytes);
    }
    if latin1 {
        let units = phasor_js::bytes::Units::from_js(ctx, value)?;
        return Ok(Part::Owned(units.as_slice().iter().map(|&unit| unit as u8).collect()));
    }
    let text = Text::from_js(ctx, value)?;
    // Lone surrogates become U+FFFD.
    match std::str::from_utf8(text.as_wtf8()) {
        Ok(_) => Ok(Part::Text(text)),
        Err(_) => Ok(Part::Owned(text.to_utf8().into_owned().into_bytes())),
    }
}
