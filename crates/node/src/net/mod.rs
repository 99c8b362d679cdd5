//! Native functions of `net`: TCP and pipe handles of the core. JavaScript refers to a handle by its number.
//!
//! Functions return libuv's error numbers: negative for an error, else 0 or the result. An event calls a method of the JavaScript object that
//! the handle was opened with (see `callbacks.rs`).
//!
//! All reads of a thread use one slab, and each chunk is copied into a buffer of its exact size. Writes go directly from the script's
//! buffers; only the part that the kernel does not accept at once is copied.

pub mod address;
pub(crate) mod binding;
pub(crate) mod callbacks;
pub mod handles;
mod open;
mod write;

use std::cell::RefCell;

use phasor_core::{Errno, HandleId, Kind, Loop};
use phasor_engine::{Bytes, Fallible, Local, Object, Scope, define_natives};
use phasor_js::{JsFace, ResourceId, SpanKind, state};

pub(crate) use self::binding::{HandleBinding, HandleReader, request};
use self::handles::{Listed, Wrap, binding_of, id_of};
pub(crate) use self::write::parts_of;

/// The read size that libuv suggests.
const SLAB_BYTES: usize = 64 << 10;

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
pub(crate) fn return_slab(slab: Vec<u8>) {
    SLAB.set(slab);
}

/// Creates the object of native functions.
pub(crate) fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    let natives = Object::new(scope);
    open::define(scope, natives)?;
    address::define(scope, natives)?;
    write::define(scope, natives)?;
    define_natives!(scope, natives,
        "setCallbacks" => callbacks::set,
        "accept" => accept,
        "active" => handles::active,
        "activeObjects" => handles::active_objects,
        "bytesRead" => |_: Scope<'_>, number: u32| binding_of(number).map_or(0.0, |binding| binding.bytes_read() as f64),
        "bytesWritten" => |_: Scope<'_>, number: u32| {
            binding_of(number).map_or(0.0, |binding| binding.bytes_written() as f64)
        },
        "close" => close,
        "fd" => fd,
        "getBufferSize" => buffer_size,
        "hasRef" => |scope: Scope<'_>, number: u32| id_of(number).is_some_and(|id| state(scope).core().has_ref(id)),
        "listen" => listen,
        "passedKind" => passed_kind,
        "readStart" => read_start,
        "readStop" => |scope: Scope<'_>, number: u32| with(scope, number, Loop::stream_read_stop),
        "setRef" => |scope: Scope<'_>, number: u32, keeps: bool| with(scope, number, |core, id| core.set_ref(id, keeps)),
        "shutdown" => shutdown,
        "traceSpan" => trace_span,
        "useUserBuffer" => use_user_buffer,
    );
    Ok(natives)
}

/// Runs a call on a handle: returns 0 or libuv's error number.
pub(crate) fn with(
    scope: Scope<'_>,
    number: u32,
    call: impl FnOnce(&mut Loop<JsFace>, HandleId) -> Result<(), Errno>,
) -> i32 {
    match id_of(number) {
        Some(id) => call(&mut state(scope).core(), id).map_or_else(|errno| -errno.raw(), |()| 0),
        None => -Errno::EBADF.raw(),
    }
}

fn accept(scope: Scope<'_>, number: u32, client: u32) -> i32 {
    let Some(client_id) = id_of(client) else { return -Errno::EBADF.raw() };
    let status = with(scope, number, |core, id| core.stream_accept(id, client_id));
    let state = state(scope);
    if status == 0
        && state.is_recorded()
        && let (Some(binding), Some(server)) = (binding_of(client), id_of(number))
    {
        binding.begin_span(scope, SpanKind::Connection, client_id, || format!("at {}", state.words_of_handle(server)));
        state.describe_handle(client_id);
    }
    status
}

fn listen(scope: Scope<'_>, number: u32, backlog: i32) -> i32 {
    let status = with(scope, number, |core, id| core.stream_listen(id, backlog));
    if let (0, Some(id)) = (status, id_of(number)) {
        state(scope).describe_handle(id);
    }
    status
}

/// `(number, kind, text)`: a span of a recording begins, which belongs to a handle. Returns its number.
fn trace_span(scope: Scope<'_>, number: u32, kind: u32, text: String) -> f64 {
    let Some(kind) = SpanKind::from_number(kind as u16) else { return 0.0 };
    let owner = id_of(number).map_or(ResourceId::NONE, ResourceId::handle);
    state(scope).begin_span(kind, owner, || text).number() as f64
}

/// Starts closing the handle. Its number is invalid from now on.
fn close(scope: Scope<'_>, number: u32) -> i32 {
    end_span(scope, number);
    let Some(id) = handles::forget(number) else { return -Errno::EBADF.raw() };
    let closed = state(scope).core().close(id);
    closed.map_or_else(|errno| -errno.raw(), |()| 0)
}

/// The connection ends in the recording.
pub(super) fn end_span(scope: Scope<'_>, number: u32) {
    if state(scope).is_recorded()
        && let Some(binding) = binding_of(number)
    {
        binding.end_span(scope, 0);
    }
}

fn fd(scope: Scope<'_>, number: u32) -> i32 {
    let Some(id) = id_of(number) else { return -1 };
    state(scope).core().fileno(id).unwrap_or(-1)
}

/// The size of the kernel's socket buffer, after setting it if `size` is not 0.
fn buffer_size(scope: Scope<'_>, number: u32, size: u32, receive: bool) -> i32 {
    let Some(id) = id_of(number) else { return -Errno::EBADF.raw() };
    let mut core = state(scope).core();
    let result = match (size, receive) {
        (0, true) => core.recv_buffer_size(id),
        (0, false) => core.send_buffer_size(id),
        (_, true) => core.set_recv_buffer_size(id, size).map(|()| 0),
        (_, false) => core.set_send_buffer_size(id, size).map(|()| 0),
    };
    result.map_or_else(|errno| -errno.raw(), |size| i32::try_from(size).unwrap_or(i32::MAX))
}

/// Starting to read a stream twice is not an error.
fn read_start(scope: Scope<'_>, number: u32) -> i32 {
    with(scope, number, |core, id| match core.stream_read_start(id) {
        Err(Errno::EALREADY) => Ok(()),
        other => other,
    })
}

fn shutdown(scope: Scope<'_>, number: u32, object: Local<'_, Object>) -> i32 {
    let Some(id) = id_of(number) else { return -Errno::EBADF.raw() };
    let request = request(scope, number, Listed::new(Wrap::Shutdown), object);
    let begun = state(scope).core().stream_shutdown(id, request);
    begun.map_or_else(|refused| -refused.errno.raw(), |_| 0)
}

fn use_user_buffer(scope: Scope<'_>, number: u32, buffer: Bytes<'_>) {
    if let Some(binding) = binding_of(number) {
        binding.read_into(scope, buffer);
    }
}

/// The type of the next pending handle of an IPC pipe; `None` if there is none.
fn passed_kind(scope: Scope<'_>, number: u32) -> Option<&'static str> {
    match state(scope).core().pipe_pending_kind(id_of(number)?)? {
        Kind::Pipe => Some("Pipe"),
        Kind::Tcp => Some("TCP"),
        Kind::Udp => Some("UDP"),
        _ => None,
    }
}
