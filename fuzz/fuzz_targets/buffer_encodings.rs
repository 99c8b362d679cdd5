//! Fuzzes the encodings and searches of `Buffer`: compares them with naive implementations, and decodes what was encoded.
//!
//! `cargo +nightly fuzz run buffer_encodings`.
#![no_main]
#![forbid(unsafe_code)]

#[allow(dead_code, reason = "the target takes what it checks")]
#[path = "../../crates/node/src/buffer/codec.rs"]
mod codec;

/// Node's lenient base64 decoding, bit by bit.
fn naive_base64(text: &[u8]) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    };
    let end = text.iter().position(|&byte| byte == b'=').unwrap_or(text.len());
    let digits: Vec<u8> = text[..end].iter().copied().filter_map(value).collect();
    let bits: Vec<bool> = digits.iter().flat_map(|digit| (0..6).rev().map(move |at| digit >> at & 1 == 1)).collect();
    bits.chunks_exact(8).map(|byte| byte.iter().fold(0, |all, &bit| all << 1 | u8::from(bit))).collect()
}

fn naive_hex(text: &[u8]) -> Vec<u8> {
    let pairs = text.chunks_exact(2).map(|pair| {
        let digit = |byte: u8| char::from(byte).to_digit(16);
        Some((digit(pair[0])? << 4 | digit(pair[1])?) as u8)
    });
    pairs.map_while(|pair| pair).collect()
}

fn decoded(decode: fn(&[u8], &mut [u8]) -> usize, text: &[u8], room: usize) -> Vec<u8> {
    let mut out = vec![0; room];
    let written = decode(text, &mut out);
    out.truncate(written);
    out
}

fn check_decoders(data: &[u8], room: usize) {
    for (decode, naive) in [
        (codec::base64_decode as fn(&[u8], &mut [u8]) -> usize, naive_base64 as fn(&[u8]) -> Vec<u8>),
        (codec::hex_decode, naive_hex),
    ] {
        let whole = naive(data);
        assert_eq!(decoded(decode, data, data.len()), whole);
        // A buffer that is too small receives the beginning.
        assert_eq!(decoded(decode, data, room), whole[..room.min(whole.len())]);
    }
    let hex: String = data.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(decoded(codec::hex_decode, hex.as_bytes(), data.len()), data);
    if let Some(strict) = codec::forgiving_base64_decode(data) {
        assert_eq!(strict, naive_base64(data), "what atob takes, Buffer takes");
    }
}

fn check_search(hay: &[u8], needle: &[u8], from: usize) {
    if needle.is_empty() {
        return;
    }
    for step in [1, 2] {
        let hits = || (0..hay.len()).filter(|&at| at % step == 0 && hay[at..].starts_with(needle));
        assert_eq!(codec::find(hay, needle, from, true, step), hits().find(|&at| at >= from));
        assert_eq!(codec::find(hay, needle, from, false, step), hits().filter(|&at| at <= from).last());
    }
}

libfuzzer_sys::fuzz_target!(|input: (&[u8], usize, usize)| {
    let (data, room, cut) = input;
    // Limits the time of the quadratic searches.
    let data = &data[..data.len().min(2048)];
    let (room, cut) = (room % (data.len() + 2), cut % (data.len() + 1));
    check_decoders(data, room);
    check_search(&data[cut..], &data[..cut.min(8)], room);
    if let Ok(text) = std::str::from_utf8(data) {
        let end = codec::whole_characters(data, room);
        assert!(end <= room && text.is_char_boundary(end));
        assert!(end == text.len() || text[end..].chars().next().is_some_and(|next| end + next.len_utf8() > room));
    }
    let mut twice = data.to_vec();
    codec::swap::<4>(&mut twice);
    codec::swap::<4>(&mut twice);
    assert_eq!(twice, data);
});
