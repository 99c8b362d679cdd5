//! Native functions that build message heads, and that write a response head and body in one system call.

use std::cell::RefCell;

use phasor_core::{Errno, HandleId};
use phasor_js::bytes::{Bytes, Part, Text, copy_after, string_from_utf8, try_write};
use phasor_js::state;
use rquickjs::function::Func;
use rquickjs::{Array, ArrayBuffer, Coerced, Ctx, FromJs, Object, Result, Value};

use super::head::{Head, Plan, bit};
use crate::net::count_written;

/// Bodies up to this size are copied behind the head: a copy is cheaper than a second iovec.
const SMALL_BYTES: usize = 16 << 10;

/// Set in the result bits if the kernel did not accept all bytes. `rest` returns the remaining ones.
pub(super) const UNFINISHED: u32 = 2048;

/// A response is one number: the plan's bits, above them the status, above both the length of the body.
pub(super) const STATUS: f64 = 4096.0;
pub(super) const LENGTH: f64 = 1024.0 * STATUS;
/// The body is written in parts. Reuses the bit of `agent`, which responses do not have; the length field is 1 until the end.
pub(super) const PARTS: u32 = bit::HAS_AGENT;

/// True if the number is that of a response in parts that has not ended.
pub(super) fn is_open(header: f64) -> bool {
    header >= LENGTH && header as u64 as u32 & PARTS != 0
}

thread_local! {
    /// The buffer in which heads are built.
    static SCRATCH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// The unwritten bytes of the last response.
    static REST: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

pub(super) fn define<'js>(natives: &Object<'js>) -> Result<()> {
    natives.set("head", Func::from(head))?;
    natives.set("rest", Func::from(rest))?;
    natives.set("UNFINISHED", UNFINISHED)?;
    natives.set("PARTS", PARTS)?;
    natives.set("STATUS", STATUS)?;
    natives.set("LENGTH", LENGTH)
}

/// A value converted to a string.
pub(super) fn text_of<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Text<'js>> {
    if value.is_string() {
        return Text::from_js(ctx, value);
    }
    Text::from_js(ctx, Coerced::<rquickjs::String<'js>>::from_js(ctx, value)?.0.into_value())
}

/// Takes the scratch buffer, empty.
pub(super) fn scratch() -> Vec<u8> {
    let mut bytes = SCRATCH.take();
    bytes.clear();
    bytes
}

/// Returns the scratch buffer, unless it has grown large.
pub(super) fn give_scratch(bytes: Vec<u8>) {
    if bytes.capacity() <= SMALL_BYTES * 4 {
        SCRATCH.set(bytes);
    }
}

/// Converts UTF-8 to Latin-1.
pub(super) fn make_latin1(bytes: &mut Vec<u8>) {
    if !bytes.is_ascii() {
        *bytes = String::from_utf8_lossy(bytes).chars().map(|character| character as u8).collect();
    }
}

/// Appends the headers of a flat list of names and values.
fn add_all<'js>(ctx: &Ctx<'js>, head: &mut Head<'_>, headers: Value<'js>) -> Result<()> {
    let Some(list) = headers.as_array() else { return Ok(()) };
    for at in 0..list.len() / 2 {
        let (name, value) = (text_of(ctx, list.get(at * 2)?)?, text_of(ctx, list.get(at * 2 + 1)?)?);
        head.header(name.to_utf8().as_bytes(), value.to_utf8().as_bytes());
    }
    Ok(())
}

/// `(firstLine, headers, bits, keepAliveSecs, maxRequests, length)`: returns `[text, bits]`. A negative length means unknown; NaN as
/// `keepAliveSecs` means none.
fn head<'js>(
    ctx: Ctx<'js>,
    first_line: Text<'js>,
    headers: Value<'js>,
    bits: u32,
    keep_alive_secs: f64,
    max_requests: f64,
    length: f64,
) -> Result<Array<'js>> {
    let mut bytes = first_line.to_utf8().as_bytes().to_vec();
    let plan = Plan {
        keep_alive_secs: Some(keep_alive_secs).filter(|secs| !secs.is_nan()),
        max_requests: max_requests as u32,
        length: (length >= 0.0).then_some(length as u64),
        ..Plan::from_bits(bits)
    };
    let mut head = Head::new(&mut bytes, plan);
    add_all(&ctx, &mut head, headers)?;
    let bits = head.end();
    let list = Array::new(ctx.clone())?;
    list.set(0, string_from_utf8(&ctx, &bytes)?)?;
    list.set(1, bits)?;
    Ok(list)
}

/// True if the encoding argument of `write` or `end` means UTF-8.
pub(super) fn is_utf8(encoding: &Value<'_>) -> Result<bool> {
    Ok(encoding.is_undefined()
        || encoding.is_null()
        || encoding.is_string() && encoding.get::<Text<'_>>()?.as_wtf8() == b"utf8")
}

/// True if `chunk` has a type that the fast path can write: a string or a Uint8Array.
pub(super) fn is_body(chunk: &Value<'_>) -> bool {
    chunk.is_string() || chunk.as_object().is_some_and(Object::is_typed_array::<u8>)
}

/// The body argument of `write` or `end`; `None` if it is empty.
pub(super) fn body_of<'js>(ctx: &Ctx<'js>, body: Value<'js>) -> Result<Option<Part<'js>>> {
    let body = match body {
        body if body.is_undefined() => return Ok(None),
        body if body.is_string() => {
            let text = Text::from_js(ctx, body)?;
            match std::str::from_utf8(text.as_wtf8()) {
                Ok(_) => Part::Text(text),
                Err(_) => Part::Owned(text.to_utf8().into_owned().into_bytes()),
            }
        }
        body => Part::Bytes(Bytes::from_js(ctx, body)?),
    };
    Ok(Some(body).filter(|body| !body.is_empty()))
}

/// Writes a head and a body at once. Returns 0, or [`UNFINISHED`] if bytes remain.
pub(super) fn write(
    ctx: &Ctx<'_>,
    (number, id): (u32, HandleId),
    mut bytes: Vec<u8>,
    body: Option<Part<'_>>,
    is_chunked: bool,
) -> std::result::Result<u32, Errno> {
    // As `lib/_http_outgoing.js: _send`: a head that is sent with a string is encoded as UTF-8, one before bytes or a chunk as Latin-1.
    let is_text = !is_chunked && matches!(body, Some(Part::Text(_) | Part::Owned(_)));
    if !is_text {
        make_latin1(&mut bytes);
    }
    let mut end: &[u8] = if is_chunked { b"0\r\n\r\n" } else { b"" };
    if let Some(body) = body.as_ref().filter(|_| is_chunked) {
        push_hex(&mut bytes, body.len());
        bytes.extend_from_slice(b"\r\n");
        end = b"\r\n0\r\n\r\n";
    }
    let mut parts = Vec::with_capacity(3);
    match body {
        Some(body) if body.len() > SMALL_BYTES => {
            parts.extend([Part::Owned(bytes), body, Part::Owned(end.to_vec())]);
        }
        body => {
            if let Some(body) = body {
                body.append_to(&mut bytes);
            }
            bytes.extend_from_slice(end);
            parts.push(Part::Owned(bytes));
        }
    }
    let total: usize = parts.iter().map(Part::len).sum();
    let written = match try_write(&mut state(ctx).core(), id, &parts) {
        Err(Errno::EAGAIN | Errno::ENOSYS) => Ok(0),
        other => other,
    };
    if written.is_err() {
        // Count the bytes even if the write failed, as for every write of several pieces.
        count_written(number, total);
    }
    let outcome = written.map(|count| {
        // The writer of the remaining bytes counts those.
        count_written(number, count);
        if count >= total {
            return 0;
        }
        REST.set(copy_after(&parts, count));
        UNFINISHED
    });
    if let Some(Part::Owned(bytes)) = parts.into_iter().next() {
        give_scratch(bytes);
    }
    outcome
}

/// Appends a hexadecimal number: a chunk size.
pub(super) fn push_hex(bytes: &mut Vec<u8>, number: usize) {
    let digits = (usize::BITS - number.leading_zeros()).div_ceil(4).max(1);
    bytes.extend((0..digits).rev().map(|at| b"0123456789abcdef"[number >> (4 * at) & 15]));
}

/// Returns the unwritten bytes of the last response.
fn rest(ctx: Ctx<'_>) -> Result<ArrayBuffer<'_>> {
    ArrayBuffer::new_copy(ctx, REST.take())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunk_sizes_are_hexadecimal() {
        for number in [0, 1, 15, 16, 255, 256, 65_535, 65_536, usize::MAX] {
            let mut bytes = Vec::new();
            push_hex(&mut bytes, number);
            assert_eq!(bytes, format!("{number:x}").as_bytes());
        }
    }

    #[test]
    fn response_in_parts_is_open_until_its_end() {
        let header = f64::from(PARTS | 7) + 200.0 * STATUS;
        assert!(is_open(header + LENGTH) && !is_open(header) && !is_open(-1.0 - header - LENGTH));
        assert!(!is_open(7.0 + 200.0 * STATUS + 5.0 * LENGTH), "a complete response has its length in that field");
    }
}
