//! Heads that are built for JavaScript, and responses that go out in one write.

use std::cell::RefCell;

use phasor_core::Errno;
use phasor_js::bytes::{Bytes, Part, Text, copy_after, string_from_utf8, try_write};
use phasor_js::state;
use rquickjs::function::Func;
use rquickjs::{Array, ArrayBuffer, Coerced, Ctx, FromJs, Object, Result, Value};

use super::head::{Head, Plan, push_number};
use crate::net::count_written;
use crate::net::handles::id_of;

/// Bodies up to this go into one piece with the head: a copy is cheaper than a second piece.
const SMALL_BYTES: usize = 16 << 10;

/// Added to the bits of a response that did not go out whole. `rest` gives what is left.
const UNFINISHED: u32 = 2048;

/// The length of the body stands above the bits.
const LENGTH: f64 = 4096.0;

thread_local! {
    /// What heads are built in.
    static SCRATCH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// What did not go out of the last response.
    static REST: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

pub(super) fn define<'js>(_ctx: &Ctx<'js>, verbs: &Object<'js>) -> Result<()> {
    verbs.set("head", Func::from(head))?;
    verbs.set("respond", Func::from(respond))?;
    verbs.set("rest", Func::from(rest))?;
    verbs.set("UNFINISHED", UNFINISHED)?;
    verbs.set("LENGTH", LENGTH)
}

/// Adds the headers of a list of names and values.
fn add_all<'js>(ctx: &Ctx<'js>, head: &mut Head<'_>, headers: Value<'js>) -> Result<()> {
    let Some(list) = headers.as_array() else { return Ok(()) };
    let text = |value: Value<'js>| match value.is_string() {
        true => Text::from_js(ctx, value),
        false => Text::from_js(ctx, Coerced::<rquickjs::String<'js>>::from_js(ctx, value)?.0.into_value()),
    };
    for at in 0..list.len() / 2 {
        let (name, value) = (text(list.get(at * 2)?)?, text(list.get(at * 2 + 1)?)?);
        head.header(name.to_utf8().as_bytes(), value.to_utf8().as_bytes());
    }
    Ok(())
}

/// `(firstLine, headers, bits, keepAliveSecs, mostRequests, length)`: `[text, bits]`. Numbers below 0 are not known.
fn head<'js>(
    ctx: Ctx<'js>,
    first_line: Text<'js>,
    headers: Value<'js>,
    bits: u32,
    keep_alive_secs: f64,
    most_requests: f64,
    length: f64,
) -> Result<Array<'js>> {
    let mut bytes = first_line.to_utf8().as_bytes().to_vec();
    let plan = Plan {
        keep_alive_secs: (keep_alive_secs >= 0.0).then_some(keep_alive_secs as u32),
        most_requests: most_requests as u32,
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

/// `(handle, status, reason, headers, bits, keepAliveSecs, body)`: the bits of the head, and the length of the body above them;
/// or libuv's number.
fn respond<'js>(
    number: u32,
    status: u32,
    reason: Value<'js>,
    headers: Value<'js>,
    bits: u32,
    keep_alive_secs: f64,
    body: Value<'js>,
) -> Result<f64> {
    let ctx = body.ctx().clone();
    let Some(id) = id_of(number) else { return Ok(f64::from(-Errno::EBADF.raw())) };
    let body = match body {
        body if body.is_string() => {
            let text = Text::from_js(&ctx, body)?;
            match std::str::from_utf8(text.as_wtf8()) {
                Ok(_) => Some(Part::Text(text)),
                Err(_) => Some(Part::Owned(text.to_utf8().into_owned().into_bytes())),
            }
        }
        body if body.is_undefined() => None,
        body => Some(Part::Bytes(Bytes::from_js(&ctx, body)?)),
    };
    let mut bytes = SCRATCH.take();
    bytes.clear();
    bytes.extend_from_slice(b"HTTP/1.1 ");
    if reason.is_undefined() {
        bytes.extend_from_slice(b"200 OK\r\n");
    } else {
        push_number(&mut bytes, u64::from(status));
        bytes.push(b' ');
        bytes.extend_from_slice(Text::from_js(&ctx, reason)?.to_utf8().as_bytes());
        bytes.extend_from_slice(b"\r\n");
    }
    let plan = Plan {
        keep_alive_secs: (keep_alive_secs >= 0.0).then_some(keep_alive_secs as u32),
        length: Some(body.as_ref().map_or(0, |body| body.len() as u64)),
        ..Plan::from_bits(bits)
    };
    let mut head = Head::new(&mut bytes, plan);
    add_all(&ctx, &mut head, headers)?;
    let bits = head.end();
    // As Node: a head that goes with bytes is of Latin-1, one that goes with text is of UTF-8.
    if matches!(body, Some(Part::Bytes(_)) | None) && !bytes.is_ascii() {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        bytes.clear();
        bytes.extend(text.chars().map(|character| character as u8));
    }
    let (has_body, length) = (plan.has_body, plan.length.unwrap_or(0) as f64 * LENGTH);
    let mut parts = Vec::with_capacity(2);
    match body.filter(|_| has_body) {
        Some(body) if body.len() <= SMALL_BYTES => {
            body.append_to(&mut bytes);
            parts.push(Part::Owned(bytes));
        }
        Some(body) => {
            parts.push(Part::Owned(bytes));
            parts.push(body);
        }
        None => parts.push(Part::Owned(bytes)),
    }
    let total: usize = parts.iter().map(Part::len).sum();
    let written = match try_write(&mut state(&ctx).core(), id, &parts) {
        Ok(count) => Ok(count),
        Err(Errno::EAGAIN | Errno::ENOSYS) => Ok(0),
        Err(errno) => Err(errno),
    };
    let result = match written {
        Ok(count) if count >= total => {
            count_written(number, count);
            f64::from(bits) + length
        }
        Ok(count) => {
            // The rest is counted by who writes it.
            count_written(number, count);
            REST.set(copy_after(&parts, count));
            f64::from(bits | UNFINISHED) + length
        }
        Err(errno) => f64::from(-errno.raw()),
    };
    if let Some(Part::Owned(bytes)) = parts.into_iter().next() {
        SCRATCH.set(bytes);
    }
    Ok(result)
}

/// What was not written of the last response.
fn rest(ctx: Ctx<'_>) -> Result<ArrayBuffer<'_>> {
    ArrayBuffer::new_copy(ctx, REST.take())
}
