//! Native functions of TextDecoder: labels and streaming decoders of the WHATWG Encoding Standard, from `encoding_rs`.

use std::cell::RefCell;

use encoding_rs::{CoderResult, Decoder, DecoderResult, Encoding};
use phasor_js::bytes::{Bytes, Text, string_from_str};
use rquickjs::{Ctx, Function, Object, Result, Value};

/// Creates the object of native functions.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    native.set("encodingOf", Function::new(ctx.clone(), encoding_of)?)?;
    native.set("decoder", Function::new(ctx.clone(), decoder)?)?;
    Ok(native)
}

/// The lower-case name of the encoding with this label; null if there is none.
fn encoding_of(label: Text<'_>) -> Option<String> {
    Some(Encoding::for_label_no_replacement(label.as_wtf8())?.name().to_ascii_lowercase())
}

/// Creates a function `(bytes, flush, fatal)` that decodes the next chunk of a stream; a flush ends the stream. It returns null if `fatal`
/// is set and the bytes are malformed.
fn decoder<'js>(ctx: Ctx<'js>, label: Text<'js>, keep_bom: bool) -> Result<Function<'js>> {
    let encoding = Encoding::for_label(label.as_wtf8()).unwrap_or(encoding_rs::UTF_8);
    let start = move || {
        if keep_bom { encoding.new_decoder_without_bom_handling() } else { encoding.new_decoder_with_bom_removal() }
    };
    let state = RefCell::new(start());
    Function::new(
        ctx,
        move |ctx: Ctx<'js>, bytes: Bytes<'js>, flush: bool, fatal: bool| -> Result<Option<Value<'js>>> {
            let mut decoder = state.replace(start());
            let (text, decoder) = bytes.read(move |bytes| {
                let text = if fatal {
                    decode_fatal(&mut decoder, bytes, flush)
                } else {
                    Some(decode(&mut decoder, bytes, flush))
                };
                (text, decoder)
            });
            // As the standard: the decoder's state survives a chunk only if the stream goes on and no error occurred.
            if !flush && text.is_some() {
                state.replace(decoder);
            }
            text.map(|text| string_from_str(&ctx, &text)).transpose()
        },
    )
}

/// Decodes a chunk; malformed sequences become U+FFFD.
fn decode(decoder: &mut Decoder, mut bytes: &[u8], last: bool) -> String {
    let mut text = String::new();
    loop {
        text.reserve(decoder.max_utf8_buffer_length(bytes.len()).unwrap_or(bytes.len()).max(16));
        let (result, read, _) = decoder.decode_to_string(bytes, &mut text, last);
        bytes = &bytes[read..];
        if result == CoderResult::InputEmpty {
            return text;
        }
    }
}

/// Decodes a chunk; `None` if it is malformed.
fn decode_fatal(decoder: &mut Decoder, mut bytes: &[u8], last: bool) -> Option<String> {
    let mut text = String::new();
    loop {
        let wanted = decoder.max_utf8_buffer_length_without_replacement(bytes.len());
        text.reserve(wanted.unwrap_or(bytes.len()).max(16));
        let (result, read) = decoder.decode_to_string_without_replacement(bytes, &mut text, last);
        bytes = &bytes[read..];
        match result {
            DecoderResult::InputEmpty => return Some(text),
            DecoderResult::OutputFull => {}
            DecoderResult::Malformed(..) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_may_be_split_between_chunks() {
        let mut decoder = encoding_rs::UTF_8.new_decoder_with_bom_removal();
        assert_eq!(decode(&mut decoder, b"\xEF\xBB", false), "");
        assert_eq!(decode(&mut decoder, b"\xBFa\xE2\x82", false), "a");
        assert_eq!(decode(&mut decoder, b"\xAC\xFF", true), "\u{20AC}\u{FFFD}");
    }

    #[test]
    fn fatal_mode_rejects_malformed_input() {
        let mut decoder = encoding_rs::UTF_8.new_decoder_with_bom_removal();
        assert_eq!(decode_fatal(&mut decoder, b"a\xE2", false).as_deref(), Some("a"));
        assert_eq!(decode_fatal(&mut decoder, b"", true), None);
    }
}
