//! Writing to a stream: a synchronous try first, as `src/stream_base.cc: StreamBase::Write` does, and a request for the rest.

use phasor_core::{Errno, HandleId};
use phasor_engine::{Array, Bytes, Fallible, FromJs, JsString, Local, Object, Part, Scope, Value, define_natives};
use phasor_js::bytes::{copy_after, try_write};
use phasor_js::state;

use super::handles::{Listed, Wrap, binding_of, id_of};
use super::request;

/// Defines the native functions.
pub(super) fn define(scope: Scope<'_>, natives: Local<'_, Object>) -> Fallible<()> {
    define_natives!(scope, natives,
        "write" => write,
        "writeHandle" => write_handle,
        "writeRest" => write_rest,
        "writeQueueSize" => |scope: Scope<'_>, number: u32| {
            id_of(number).map_or(0.0, |id| state(scope).core().stream_write_queue_size(id) as f64)
        },
    );
    Ok(())
}

/// The error number that JavaScript gets for a number without a handle.
const NO_HANDLE: f64 = -Errno::EBADF.raw() as f64;

/// Counts bytes written through a handle.
fn count_written(number: u32, bytes: usize) {
    if let Some(binding) = binding_of(number) {
        binding.count_written(bytes);
    }
}

/// `(number, data, isLatin1)`: tries to write a buffer, a string (UTF-8 or Latin-1) or a list of both without blocking. Returns the number
/// of bytes that are left, or libuv's error number.
fn write<'s>(scope: Scope<'s>, number: u32, data: Local<'s, Value>, is_latin1: bool) -> Fallible<f64> {
    let Some(id) = id_of(number) else { return Ok(NO_HANDLE) };
    with_parts(scope, data, is_latin1, |parts| {
        write_parts(scope, number, id, parts, |total| {
            // As `src/stream_base.cc: StreamBase::WriteString`: a refused write counts as well, except for a short string, which Node tries to
            // write from a stack buffer before it counts the bytes.
            let room_bytes = if is_latin1 { total } else { 3 * total };
            !data.is::<JsString>() || room_bytes > UNCOUNTED_BYTES
        })
    })
}

/// The size of Node's stack buffer (`stack_storage` of `StreamBase::WriteString`). If a string may be longer, Node counts its bytes as written
/// before it tries to write them, so they count even if the write is refused.
const UNCOUNTED_BYTES: usize = 16 << 10;

fn write_parts(
    scope: Scope<'_>,
    number: u32,
    id: HandleId,
    parts: &[Part<'_>],
    is_counted: impl FnOnce(usize) -> bool,
) -> f64 {
    let total: usize = parts.iter().map(Part::len).sum();
    match try_write(&mut state(scope).core(), id, parts) {
        Ok(count) if count >= total => {
            count_written(number, total);
            0.0
        }
        Ok(count) => (total - count) as f64,
        Err(Errno::EAGAIN | Errno::ENOSYS) => total as f64,
        Err(errno) => {
            if is_counted(total) {
                count_written(number, total);
            }
            f64::from(-errno.raw())
        }
    }
}

/// `(number, request, data, isLatin1, left)`: queues the rest of a partial [`write()`] as a request. Returns the total number of bytes, or
/// libuv's error number.
fn write_rest<'s>(
    scope: Scope<'s>,
    number: u32,
    object: Local<'s, Object>,
    data: Local<'s, Value>,
    is_latin1: bool,
    left: usize,
) -> Fallible<f64> {
    let Some(id) = id_of(number) else { return Ok(NO_HANDLE) };
    let (total, rest) = with_parts(scope, data, is_latin1, |parts| {
        let total: usize = parts.iter().map(Part::len).sum();
        (total, copy_after(parts, total.saturating_sub(left)))
    })?;
    let request = request(scope, number, Listed::new(Wrap::Write), object);
    let begun = state(scope).core().stream_write(id, rest, request);
    if begun.is_ok() {
        count_written(number, total);
    }
    Ok(begun.map_or_else(|refused| f64::from(-refused.errno.raw()), |_| total as f64))
}

/// `(number, request, data, passed)`: writes to an IPC pipe with a duplicate of another handle's descriptor, as a request. Returns the number
/// of bytes, or libuv's error number.
fn write_handle<'s>(
    scope: Scope<'s>,
    number: u32,
    object: Local<'s, Object>,
    data: Local<'s, Value>,
    passed: u32,
) -> Fallible<f64> {
    let (Some(id), Some(passed)) = (id_of(number), id_of(passed)) else { return Ok(NO_HANDLE) };
    let bytes = with_parts(scope, data, false, |parts| copy_after(parts, 0))?;
    let total = bytes.len();
    let request = request(scope, number, Listed::new(Wrap::Write), object);
    let begun = state(scope).core().stream_write_with_handle(id, bytes, passed, request);
    if begun.is_ok() {
        count_written(number, total);
    }
    Ok(begun.map_or_else(|refused| f64::from(-refused.errno.raw()), |_| total as f64))
}

fn with_parts<'s, R>(
    scope: Scope<'s>,
    data: Local<'s, Value>,
    is_latin1: bool,
    call: impl FnOnce(&[Part<'s>]) -> R,
) -> Fallible<R> {
    match data.cast::<Array>() {
        Some(list) => Ok(call(&parts_of(scope, list)?)),
        None => Ok(call(&[part_of(scope, data, is_latin1)?])),
    }
}

/// The parts of a list of buffers and strings.
pub(crate) fn parts_of<'s>(scope: Scope<'s>, list: Local<'s, Array>) -> Fallible<Vec<Part<'s>>> {
    (0..list.len(scope) as u32).map(|index| part_of(scope, list.get(scope, index)?, false)).collect()
}

fn part_of<'s>(scope: Scope<'s>, value: Local<'s, Value>, is_latin1: bool) -> Fallible<Part<'s>> {
    let Some(string) = value.cast::<JsString>() else { return Bytes::from_js(scope, value).map(Part::Bytes) };
    let mut bytes = Vec::new();
    if is_latin1 {
        string.append_latin1(scope, &mut bytes)?;
    } else {
        string.append_utf8(scope, &mut bytes)?;
    }
    Ok(Part::Owned(bytes))
}
