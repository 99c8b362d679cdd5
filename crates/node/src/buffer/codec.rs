//! Codecs of `Buffer`: lenient base64 and hex decoding, cutting UTF-8 at character boundaries, search and byte swapping.
//!
//! Pure functions on slices, without JavaScript values. Decoding follows `src/string_bytes.cc: StringBytes::Write`: base64 skips characters
//! outside the alphabet and stops at `=`; hex stops at the first pair that is not hexadecimal.

/// Marks a byte that is not a base64 digit.
const NONE: u8 = 0xFF;

/// The value of each digit in both alphabets (RFC 4648 sections 4 and 5).
static DIGITS: [u8; 256] = {
    let mut table = [NONE; 256];
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut value = 0;
    while value < 64 {
        table[alphabet[value] as usize] = value as u8;
        value += 1;
    }
    table[b'-' as usize] = 62;
    table[b'_' as usize] = 63;
    table
};

/// Decodes base64 or base64url into `out` until either ends. Returns the number of bytes written.
pub(crate) fn base64_decode(text: &[u8], out: &mut [u8]) -> usize {
    let mut digits = text;
    while let [rest @ .., b'='] = digits {
        digits = rest;
    }
    // Fast path: well-formed text is decoded with SIMD. It is checked first because a failed decode leaves partial output.
    if digits.len() / 4 * 3 + (digits.len() % 4).saturating_sub(1) <= out.len()
        && base64_simd::STANDARD_NO_PAD.check(digits).is_ok()
        && let Ok(done) = base64_simd::STANDARD_NO_PAD.decode(digits, base64_simd::Out::from_slice(&mut out[..]))
    {
        return done.len();
    }
    base64_decode_lenient(text, out)
}

/// Slow path: digit by digit, skipping characters outside the alphabet.
fn base64_decode_lenient(text: &[u8], out: &mut [u8]) -> usize {
    let (mut written, mut bits, mut held) = (0, 0u32, 0);
    for &byte in text {
        if byte == b'=' || written == out.len() {
            break;
        }
        let value = DIGITS[byte as usize];
        if value == NONE {
            continue;
        }
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            out[written] = (bits >> held) as u8;
            written += 1;
        }
    }
    written
}

/// The "forgiving-base64 decode" of the WHATWG Infra Standard, which `atob` uses; `None` if the text is ill-formed.
pub(crate) fn forgiving_base64_decode(text: &[u8]) -> Option<Vec<u8>> {
    base64_simd::forgiving_decode_to_vec(text).ok()
}

fn hex_digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

/// Decodes hex into `out` until either ends or a pair is not hexadecimal. Returns the number of bytes written.
pub(crate) fn hex_decode(text: &[u8], out: &mut [u8]) -> usize {
    let pairs = (text.len() / 2).min(out.len());
    if faster_hex::hex_decode(&text[..pairs * 2], &mut out[..pairs]).is_ok() {
        return pairs;
    }
    for (written, pair) in text.chunks_exact(2).take(pairs).enumerate() {
        match (hex_digit(pair[0]), hex_digit(pair[1])) {
            (Some(high), Some(low)) => out[written] = high << 4 | low,
            _ => return written,
        }
    }
    pairs
}

/// Finds `needle` in `hay`: the first match at or after `from` if `forward`, else the last one at or before it. Only offsets from the start
/// of `hay` that are a multiple of `step` count: UTF-16 searches use a step of 2.
pub(crate) fn find(hay: &[u8], needle: &[u8], from: usize, forward: bool, step: usize) -> Option<usize> {
    if needle.len() > hay.len() {
        return None;
    }
    let last = hay.len() - needle.len();
    if forward {
        let mut at = from;
        let finder = memchr::memmem::Finder::new(needle);
        while at <= last {
            let hit = at + finder.find(&hay[at..])?;
            if hit.is_multiple_of(step) {
                return Some(hit);
            }
            at = hit + 1;
        }
        return None;
    }
    let mut end = from.min(last) + needle.len();
    let finder = memchr::memmem::FinderRev::new(needle);
    loop {
        let hit = finder.rfind(&hay[..end])?;
        if hit.is_multiple_of(step) {
            return Some(hit);
        }
        end = hit + needle.len() - 1;
    }
}

/// Reverses each group of `WIDTH` bytes.
pub(crate) fn swap<const WIDTH: usize>(bytes: &mut [u8]) {
    for group in bytes.chunks_exact_mut(WIDTH) {
        group.reverse();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base64(text: &str) -> Vec<u8> {
        let mut out = vec![0; text.len()];
        let written = base64_decode(text.as_bytes(), &mut out);
        out.truncate(written);
        out
    }

    #[test]
    fn base64_is_lenient() {
        for (text, bytes) in [
            ("YQ==YQ==", &b"a"[..]),
            ("YW Jj\nZGVm", b"abcdef"),
            ("YWJjZ", b"abc"),
            ("*YQ", b"a"),
            ("YR==", b"a"),
            ("YW-_", b"ao\xbf"),
            ("=", b""),
            ("", b""),
        ] {
            assert_eq!(base64(text), bytes, "{text}");
        }
        let mut out = [b'.'; 4];
        assert_eq!(base64_decode(b"YWJjZGVmZ2hp", &mut out), 4);
        assert_eq!(&out, b"abcd");
    }

    #[test]
    fn hex_ends_at_the_first_bad_pair() {
        let mut out = [0; 4];
        assert_eq!(hex_decode(b"abc", &mut out), 1);
        assert_eq!(hex_decode(b"AbCdg0ff", &mut out), 2);
        assert_eq!(out[..2], [0xab, 0xcd]);
    }

    #[test]
    fn finds_forward_and_backward_in_steps() {
        assert_eq!(find(b"abcabc", b"bc", 2, true, 1), Some(4));
        assert_eq!(find(b"abcabc", b"bc", 3, false, 1), Some(1));
        assert_eq!(find(b"\0a\0a\0", b"a\0", 0, true, 2), None);
        assert_eq!(find(b"a\0\0a\0a\0", b"a\0", 9, false, 2), Some(0));
        assert_eq!(find(b"", b"a", 0, false, 1), None);
    }
}
