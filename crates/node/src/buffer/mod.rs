//! Native functions of `buffer`: encode, decode, search, compare, fill and swap, in place on the memory of the views.
//!
//! `buffer.js` validates offsets. Here they are only clamped to the memory, so that no call can panic.

mod codec;

use phasor_engine::{ArrayBuffer, Bytes, Fallible, JsString, Local, Object, Scope, Units, define_natives};

/// Creates the object of native functions.
pub fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    let native = Object::new(scope);
    define_natives!(
        scope, native,
        "utf8Slice" => utf8_slice, "latin1Slice" => latin1_slice, "asciiSlice" => ascii_slice,
        "ucs2Slice" => ucs2_slice, "hexSlice" => hex_slice, "base64Slice" => base64_slice,
        "base64urlSlice" => base64url_slice,
        "utf8Write" => utf8_write, "latin1Write" => latin1_write, "ucs2Write" => ucs2_write, "hexWrite" => hex_write,
        "base64Write" => base64_write,
        "utf8ByteLength" => utf8_byte_length, "utf8Encode" => utf8_encode, "wtf8Encode" => wtf8_encode,
        "encodeInto" => encode_into,
        "compare" => compare, "equals" => equals, "copy" => copy, "indexOf" => index_of, "fill" => fill,
        "swap16" => |_, bytes: Bytes<'_>| bytes.write(codec::swap::<2>),
        "swap32" => |_, bytes: Bytes<'_>| bytes.write(codec::swap::<4>),
        "swap64" => |_, bytes: Bytes<'_>| bytes.write(codec::swap::<8>),
        "isUtf8" => |_, bytes: Bytes<'_>| bytes.read(|bytes| std::str::from_utf8(bytes).is_ok()),
        "isAscii" => |_, bytes: Bytes<'_>| bytes.read(<[u8]>::is_ascii),
        "atob" => atob, "btoa" => btoa,
    );
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

type Text<'s> = Local<'s, JsString>;

fn utf8_slice<'s>(scope: Scope<'s>, bytes: Bytes<'s>, start: f64, end: f64) -> Fallible<Text<'s>> {
    JsString::from_buffer_utf8(scope, bytes, start as usize, end as usize)
}

fn latin1_slice<'s>(scope: Scope<'s>, bytes: Bytes<'s>, start: f64, end: f64) -> Fallible<Text<'s>> {
    JsString::from_buffer_latin1(scope, bytes, start as usize, end as usize)
}

fn ascii_slice<'s>(scope: Scope<'s>, bytes: Bytes<'s>, start: f64, end: f64) -> Fallible<Text<'s>> {
    let seven_bits = bytes.read(|bytes| part(bytes, start, end).iter().map(|byte| byte & 0x7F).collect::<Vec<_>>());
    JsString::from_latin1(scope, &seven_bits)
}

fn ucs2_slice<'s>(scope: Scope<'s>, bytes: Bytes<'s>, start: f64, end: f64) -> Fallible<Text<'s>> {
    let units = bytes.read(|bytes| {
        let pairs = part(bytes, start, end).chunks_exact(2);
        pairs.map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect::<Vec<_>>()
    });
    JsString::from_utf16(scope, &units)
}

fn hex_slice<'s>(scope: Scope<'s>, bytes: Bytes<'s>, start: f64, end: f64) -> Fallible<Text<'s>> {
    JsString::new(scope, &bytes.read(|bytes| faster_hex::hex_string(part(bytes, start, end))))
}

fn base64_slice<'s>(scope: Scope<'s>, bytes: Bytes<'s>, start: f64, end: f64) -> Fallible<Text<'s>> {
    JsString::new(scope, &bytes.read(|bytes| base64_simd::STANDARD.encode_to_string(part(bytes, start, end))))
}

fn base64url_slice<'s>(scope: Scope<'s>, bytes: Bytes<'s>, start: f64, end: f64) -> Fallible<Text<'s>> {
    JsString::new(scope, &bytes.read(|bytes| base64_simd::URL_SAFE_NO_PAD.encode_to_string(part(bytes, start, end))))
}

fn utf8_write<'s>(scope: Scope<'s>, bytes: Bytes<'s>, text: Text<'s>, offset: f64, length: f64) -> Fallible<usize> {
    text.write_to(scope, bytes, |bytes, units| units.write_utf8(room(bytes, offset, length)).1)
}

/// Calls `work` with the low byte of each code unit.
fn with_low_bytes<R>(units: Units<'_>, work: impl FnOnce(&[u8]) -> R) -> R {
    match units {
        Units::Latin1(bytes) => work(bytes),
        Units::Utf16(units) => work(&units.iter().map(|&unit| unit as u8).collect::<Vec<_>>()),
    }
}

fn latin1_write<'s>(scope: Scope<'s>, bytes: Bytes<'s>, text: Text<'s>, offset: f64, length: f64) -> Fallible<usize> {
    text.write_to(scope, bytes, |bytes, units| {
        let room = room(bytes, offset, length);
        let count = room.len().min(units.len());
        match units {
            Units::Latin1(units) => room[..count].copy_from_slice(&units[..count]),
            Units::Utf16(units) => room.iter_mut().zip(units).for_each(|(byte, &unit)| *byte = unit as u8),
        }
        count
    })
}

fn ucs2_write<'s>(scope: Scope<'s>, bytes: Bytes<'s>, text: Text<'s>, offset: f64, length: f64) -> Fallible<usize> {
    text.write_to(scope, bytes, |bytes, units| {
        let room = room(bytes, offset, length);
        let count = (room.len() / 2).min(units.len());
        let pairs = room.chunks_exact_mut(2);
        match units {
            Units::Latin1(units) => pairs.zip(units).for_each(|(pair, &unit)| pair.copy_from_slice(&[unit, 0])),
            Units::Utf16(units) => pairs.zip(units).for_each(|(pair, unit)| pair.copy_from_slice(&unit.to_le_bytes())),
        }
        count * 2
    })
}

fn hex_write<'s>(scope: Scope<'s>, bytes: Bytes<'s>, text: Text<'s>, offset: f64, length: f64) -> Fallible<usize> {
    text.write_to(scope, bytes, |bytes, units| {
        with_low_bytes(units, |digits| codec::hex_decode(digits, room(bytes, offset, length)))
    })
}

fn base64_write<'s>(scope: Scope<'s>, bytes: Bytes<'s>, text: Text<'s>, offset: f64, length: f64) -> Fallible<usize> {
    text.write_to(scope, bytes, |bytes, units| {
        with_low_bytes(units, |digits| codec::base64_decode(digits, room(bytes, offset, length)))
    })
}

fn utf8_byte_length(scope: Scope<'_>, text: Text<'_>) -> Fallible<usize> {
    text.read_units(scope, |units| units.utf8_len())
}

/// The text as UTF-8 in a new array buffer. Lone surrogates become U+FFFD.
fn utf8_encode<'s>(scope: Scope<'s>, text: Text<'s>) -> Fallible<Local<'s, ArrayBuffer>> {
    ArrayBuffer::from_vec(scope, text.read_units(scope, |units| units.to_utf8())?)
}

/// The text as WTF-8 in a new array buffer: lone surrogates are kept.
fn wtf8_encode<'s>(scope: Scope<'s>, text: Text<'s>) -> Fallible<Local<'s, ArrayBuffer>> {
    ArrayBuffer::from_vec(scope, text.to_wtf8(scope)?)
}

/// `TextEncoder.encodeInto`: returns `[read, written]`, in code units and bytes.
fn encode_into<'s>(scope: Scope<'s>, text: Text<'s>, bytes: Bytes<'s>) -> Fallible<[usize; 2]> {
    let (read, written) = text.write_to(scope, bytes, |bytes, units| units.write_utf8(bytes))?;
    Ok([read, written])
}

fn compare<'s>(_: Scope<'s>, left: Bytes<'s>, right: Bytes<'s>) -> i32 {
    left.read_both(right, |left, right| left.cmp(right) as i32)
}

fn equals<'s>(_: Scope<'s>, left: Bytes<'s>, right: Bytes<'s>) -> bool {
    left.read_both(right, |left, right| left == right)
}

fn copy<'s>(_: Scope<'s>, source: Bytes<'s>, target: Bytes<'s>, at: f64, from: f64, count: f64) -> usize {
    source.copy_to(target, at as usize, from as usize, count as usize)
}

fn index_of<'s>(_: Scope<'s>, hay: Bytes<'s>, needle: Bytes<'s>, from: f64, forward: bool, step: f64) -> f64 {
    hay.read_both(needle, |hay, needle| {
        let found = codec::find(hay, needle, from as usize, forward, (step as usize).max(1));
        found.map_or(-1.0, |at| at as f64)
    })
}

/// Fills `start..end` with repetitions of `pattern`.
fn fill<'s>(_: Scope<'s>, bytes: Bytes<'s>, pattern: Bytes<'s>, start: f64, end: f64) {
    let pattern = pattern.to_vec();
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

/// The decoded text, or undefined if it is ill-formed.
fn atob<'s>(scope: Scope<'s>, text: Text<'s>) -> Fallible<Option<Text<'s>>> {
    let decoded = text.read_units(scope, |units| match units {
        Units::Latin1(text) => codec::forgiving_base64_decode(text),
        // A two-byte string may still contain only code units up to 255.
        Units::Utf16(_) => codec::forgiving_base64_decode(&units.to_utf8()),
    })?;
    decoded.map(|bytes| JsString::from_latin1(scope, &bytes)).transpose()
}

/// The encoded text, or undefined if a code unit is above 255.
fn btoa<'s>(scope: Scope<'s>, text: Text<'s>) -> Fallible<Option<Text<'s>>> {
    let encoded = text.read_units(scope, |units| match units {
        Units::Latin1(bytes) => Some(base64_simd::STANDARD.encode_to_string(bytes)),
        Units::Utf16(units) => {
            let bytes: Option<Vec<u8>> = units.iter().map(|&unit| u8::try_from(unit).ok()).collect();
            bytes.map(|bytes| base64_simd::STANDARD.encode_to_string(bytes))
        }
    })?;
    encoded.map(|text| JsString::new(scope, &text)).transpose()
}
