//! Native functions of `buffer`: encode, decode, search, compare, fill and swap, in place on the memory of the views.
//!
//! `buffer.js` validates offsets. Here they are only clamped to the memory, so that no call can panic.

mod codec;

use phasor_js::bytes::{
    Bytes, Text, Units, replace_surrogates, string_from_latin1, string_from_str, string_from_utf16,
};
use rquickjs::{ArrayBuffer, Ctx, FromJs, Function, Object, Result, Value};

/// Creates the object of native functions.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    define_natives! { ctx, native,
        "utf8Slice" => utf8_slice, "latin1Slice" => latin1_slice, "asciiSlice" => ascii_slice,
        "ucs2Slice" => ucs2_slice, "hexSlice" => hex_slice, "base64Slice" => base64_slice,
        "base64urlSlice" => base64url_slice,
        "utf8Write" => utf8_write, "latin1Write" => latin1_write, "ucs2Write" => ucs2_write, "hexWrite" => hex_write,
        "base64Write" => base64_write,
        "utf8ByteLength" => utf8_byte_length, "utf8Encode" => utf8_encode, "wtf8Encode" => wtf8_encode, "encodeInto" => encode_into,
        "compare" => compare, "equals" => equals, "copy" => copy, "indexOf" => index_of, "fill" => fill,
        "swap16" => |bytes: Bytes<'js>| bytes.write(codec::swap::<2>),
        "swap32" => |bytes: Bytes<'js>| bytes.write(codec::swap::<4>),
        "swap64" => |bytes: Bytes<'js>| bytes.write(codec::swap::<8>),
        "subarray" => subarray,
        "isUtf8" => |bytes: Bytes<'js>| bytes.read(|bytes| std::str::from_utf8(bytes).is_ok()),
        "isAscii" => |bytes: Bytes<'js>| bytes.read(<[u8]>::is_ascii),
        "atob" => atob, "btoa" => btoa,
    }
    Ok(native)
}

/// `bytes[start..end]`, clamped to the slice.
fn part(bytes: &[u8], start: f64, end: f64) -> &[u8] {
    let end = (end as usize).min(bytes.len());
    &bytes[(start as usize).min(end)..end]
}

/// The `length` bytes from `offset`, clamped to the slice.
fn room(bytes: &mut [u8], offset: f64, length: f64) -> &mut [u8] {
    let start = (offset as usize).min(bytes.len());
    let end = start.saturating_add(length as usize).min(bytes.len());
    &mut bytes[start..end]
}

/// `Buffer.prototype.subarray` for views with `prototype`. `otherwise` is the slow path in JavaScript, called if the fast path declines.
fn subarray<'js>(ctx: Ctx<'js>, prototype: Object<'js>, otherwise: Function<'js>) -> Result<Value<'js>> {
    phasor_js::subarray::subarray(&ctx, &prototype, &otherwise)
}

fn utf8_slice<'js>(bytes: Bytes<'js>, start: f64, end: f64) -> Result<Value<'js>> {
    bytes.to_string_utf8(start as usize, end as usize)
}

fn latin1_slice<'js>(bytes: Bytes<'js>, start: f64, end: f64) -> Result<Value<'js>> {
    bytes.to_string_latin1(start as usize, end as usize)
}

fn ascii_slice<'js>(ctx: Ctx<'js>, bytes: Bytes<'js>, start: f64, end: f64) -> Result<Value<'js>> {
    let seven_bits = bytes.read(|bytes| part(bytes, start, end).iter().map(|byte| byte & 0x7F).collect::<Vec<_>>());
    string_from_latin1(&ctx, &seven_bits)
}

fn ucs2_slice<'js>(ctx: Ctx<'js>, bytes: Bytes<'js>, start: f64, end: f64) -> Result<Value<'js>> {
    let units = bytes.read(|bytes| {
        let pairs = part(bytes, start, end).chunks_exact(2);
        pairs.map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect::<Vec<_>>()
    });
    string_from_utf16(&ctx, &units)
}

fn hex_slice<'js>(ctx: Ctx<'js>, bytes: Bytes<'js>, start: f64, end: f64) -> Result<Value<'js>> {
    string_from_str(&ctx, &bytes.read(|bytes| faster_hex::hex_string(part(bytes, start, end))))
}

fn base64_slice<'js>(ctx: Ctx<'js>, bytes: Bytes<'js>, start: f64, end: f64) -> Result<Value<'js>> {
    string_from_str(&ctx, &bytes.read(|bytes| base64_simd::STANDARD.encode_to_string(part(bytes, start, end))))
}

fn base64url_slice<'js>(ctx: Ctx<'js>, bytes: Bytes<'js>, start: f64, end: f64) -> Result<Value<'js>> {
    string_from_str(&ctx, &bytes.read(|bytes| base64_simd::URL_SAFE_NO_PAD.encode_to_string(part(bytes, start, end))))
}

fn utf8_write<'js>(bytes: Bytes<'js>, text: Text<'js>, offset: f64, length: f64) -> usize {
    let text = text.as_wtf8();
    bytes.write(|bytes| {
        let room = room(bytes, offset, length);
        let end = codec::whole_characters(text, room.len());
        room[..end].copy_from_slice(&text[..end]);
        replace_surrogates(&mut room[..end]);
        end
    })
}

/// Calls `work` with the low byte of each code unit of the string.
fn with_low_bytes<'js, R>(ctx: &Ctx<'js>, text: Value<'js>, work: impl FnOnce(&[u8]) -> R) -> Result<R> {
    let narrow = Text::from_js(ctx, text.clone())?;
    if narrow.as_wtf8().is_ascii() {
        return Ok(work(narrow.as_wtf8()));
    }
    let units = Units::from_js(ctx, text)?;
    Ok(work(&units.as_slice().iter().map(|&unit| unit as u8).collect::<Vec<_>>()))
}

fn latin1_write<'js>(ctx: Ctx<'js>, bytes: Bytes<'js>, text: Value<'js>, offset: f64, length: f64) -> Result<usize> {
    with_low_bytes(&ctx, text, |text| {
        bytes.write(|bytes| {
            let room = room(bytes, offset, length);
            let count = room.len().min(text.len());
            room[..count].copy_from_slice(&text[..count]);
            count
        })
    })
}

fn ucs2_write<'js>(bytes: Bytes<'js>, text: Units<'js>, offset: f64, length: f64) -> usize {
    let units = text.as_slice();
    bytes.write(|bytes| {
        let room = room(bytes, offset, length);
        let count = (room.len() / 2).min(units.len());
        for (pair, unit) in room.chunks_exact_mut(2).zip(units) {
            pair.copy_from_slice(&unit.to_le_bytes());
        }
        count * 2
    })
}

fn hex_write<'js>(ctx: Ctx<'js>, bytes: Bytes<'js>, text: Value<'js>, offset: f64, length: f64) -> Result<usize> {
    with_low_bytes(&ctx, text, |text| bytes.write(|bytes| codec::hex_decode(text, room(bytes, offset, length))))
}

fn base64_write<'js>(ctx: Ctx<'js>, bytes: Bytes<'js>, text: Value<'js>, offset: f64, length: f64) -> Result<usize> {
    with_low_bytes(&ctx, text, |text| bytes.write(|bytes| codec::base64_decode(text, room(bytes, offset, length))))
}

fn utf8_byte_length(text: Text<'_>) -> usize {
    text.as_wtf8().len()
}

/// The text as UTF-8 in a new array buffer. Lone surrogates become U+FFFD.
fn utf8_encode<'js>(ctx: Ctx<'js>, text: Text<'js>) -> Result<ArrayBuffer<'js>> {
    let mut bytes = text.as_wtf8().to_vec();
    replace_surrogates(&mut bytes);
    ArrayBuffer::new(ctx, bytes)
}

/// The text as WTF-8 in a new array buffer: lone surrogates are kept.
fn wtf8_encode<'js>(ctx: Ctx<'js>, text: Text<'js>) -> Result<ArrayBuffer<'js>> {
    ArrayBuffer::new(ctx, text.as_wtf8().to_vec())
}

/// `TextEncoder.encodeInto`: returns `[read, written]`, in code units and bytes.
fn encode_into<'js>(text: Text<'js>, bytes: Bytes<'js>) -> Vec<usize> {
    let text = text.as_wtf8();
    bytes.write(|room| {
        let end = codec::whole_characters(text, room.len());
        room[..end].copy_from_slice(&text[..end]);
        replace_surrogates(&mut room[..end]);
        // A character of four bytes is two code units; every other character is one.
        let units = text[..end].iter().map(|&byte| usize::from(byte & 0xC0 != 0x80) + usize::from(byte >= 0xF0)).sum();
        vec![units, end]
    })
}

fn compare<'js>(left: Bytes<'js>, right: Bytes<'js>) -> i32 {
    left.read_both(&right, |left, right| left.cmp(right) as i32)
}

fn equals<'js>(left: Bytes<'js>, right: Bytes<'js>) -> bool {
    left.read_both(&right, |left, right| left == right)
}

fn copy<'js>(source: Bytes<'js>, target: Bytes<'js>, at: f64, from: f64, count: f64) -> usize {
    source.copy_to(&target, at as usize, from as usize, count as usize)
}

fn index_of<'js>(hay: Bytes<'js>, needle: Bytes<'js>, from: f64, forward: bool, step: f64) -> f64 {
    hay.read_both(&needle, |hay, needle| {
        let found = codec::find(hay, needle, from as usize, forward, (step as usize).max(1));
        found.map_or(-1.0, |at| at as f64)
    })
}

/// Fills `start..end` with repetitions of `pattern`.
fn fill<'js>(bytes: Bytes<'js>, pattern: Bytes<'js>, start: f64, end: f64) {
    let pattern = pattern.read(<[u8]>::to_vec);
    bytes.write(|bytes| {
        let end = (end as usize).min(bytes.len());
        let range = &mut bytes[(start as usize).min(end)..end];
        match pattern[..] {
            [] => {}
            [byte] => range.fill(byte),
            _ => {
                for chunk in range.chunks_mut(pattern.len()) {
                    chunk.copy_from_slice(&pattern[..chunk.len()]);
                }
            }
        }
    });
}

/// The decoded text, or null if it is ill-formed.
fn atob<'js>(ctx: Ctx<'js>, text: Text<'js>) -> Result<Option<Value<'js>>> {
    codec::forgiving_base64_decode(text.as_wtf8()).map(|bytes| string_from_latin1(&ctx, &bytes)).transpose()
}

/// The encoded text, or null if a code unit is above 255.
fn btoa<'js>(ctx: Ctx<'js>, text: Units<'js>) -> Result<Option<Value<'js>>> {
    let bytes: Option<Vec<u8>> = text.as_slice().iter().map(|&unit| u8::try_from(unit).ok()).collect();
    bytes.map(|bytes| string_from_str(&ctx, &base64_simd::STANDARD.encode_to_string(bytes))).transpose()
}
