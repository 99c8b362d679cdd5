//! Native functions of TextDecoder: labels and streaming decoders of the WHATWG Encoding Standard, from `encoding_rs`.

use std::cell::RefCell;

use encoding_rs::{CoderResult, Decoder, DecoderResult, Encoding};
use phasor_engine::{Bytes, Fallible, Function, JsString, Local, Object, Scope, define_natives, native_fn};

/// Creates the object of native functions.
pub fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    let native = Object::new(scope);
    define_natives!(scope, native, "encodingOf" => encoding_of, "decoder" => decoder);
    Ok(native)
}

/// The lower-case name of the encoding with this label; undefined if there is none.
fn encoding_of(_: Scope<'_>, label: String) -> Option<String> {
    Some(Encoding::for_label_no_replacement(label.as_bytes())?.name().to_ascii_lowercase())
}

/// Creates a function `(bytes, flush, fatal)` that decodes the next chunk of a stream; a flush ends the stream. It returns undefined if
/// `fatal` is set and the bytes are malformed.
fn decoder<'s>(scope: Scope<'s>, label: String, keep_bom: bool) -> Fallible<Local<'s, Function>> {
    let encoding = Encoding::for_label(label.as_bytes()).unwrap_or(encoding_rs::UTF_8);
    let start = move || {
        if keep_bom { encoding.new_decoder_without_bom_handling() } else { encoding.new_decoder_with_bom_removal() }
    };
    let state = RefCell::new(start());
    Function::new(
        scope,
        "decode",
        3,
        native_fn!(|scope, bytes: Bytes<'_>, flush: bool, fatal: bool| {
            let mut decoder = state.replace(start());
            let (text, decoder) = bytes.read(move |bytes| {
                let text = if fatal {
                    decode_fatal(&mut decoder, bytes, flush)
                } else {
                    Some(decode(&mut decoder, bytes, flush))
                };
                (text, decoder)
            });
            // Encoding Standard, `TextDecoder.decode`: keep the decoder only if the stream continues and no error occurred.
            if !flush && text.is_some() {
                state.replace(decoder);
            }
            text.map(|text| JsString::new(scope, &text)).transpose()
        }),
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
