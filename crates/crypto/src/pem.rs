//! PEM: the text encoding of RFC 7468, and the older headers of RFC 1421. Does not interpret the bytes.

use std::str;

/// A decoded PEM block.
pub struct PemBlock<'a> {
    /// The label after BEGIN.
    pub label: &'a str,
    /// Cipher name and IV of the header `DEK-Info`, if the block is encrypted in the style of RFC 1421.
    pub sealed: Option<(&'a str, Vec<u8>)>,
    /// The decoded bytes.
    pub bytes: Vec<u8>,
}

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";

/// The PEM blocks of a text in order. Text between blocks and malformed blocks are skipped.
pub fn pieces(text: &[u8]) -> Vec<PemBlock<'_>> {
    let mut found = Vec::new();
    // Everything in a PEM block is ASCII: parsing stops at the first byte that is not UTF-8.
    let Ok(mut rest) = str::from_utf8(text).or_else(|error| str::from_utf8(&text[..error.valid_up_to()])) else {
        return found;
    };
    while let Some(at) = rest.find(BEGIN) {
        rest = &rest[at + BEGIN.len()..];
        let Some((label, after)) = rest.split_once(DASHES) else { break };
        // In OpenSSL, BEGIN must be on a line of its own.
        let Some((after, true)) = after.split_once('\n').map(|(end, after)| (after, end.trim().is_empty())) else {
            continue;
        };
        let Some(end) = after.find(&format!("{END}{label}{DASHES}")) else { continue };
        if let Some(piece) = piece(label, &after[..end]) {
            found.push(piece);
        }
        rest = &after[end..];
    }
    found
}

fn piece<'a>(label: &'a str, body: &'a str) -> Option<PemBlock<'a>> {
    let mut sealed = None;
    let mut text = String::with_capacity(body.len());
    for line in body.lines().map(str::trim) {
        match line.split_once(':') {
            Some(("DEK-Info", value)) => {
                let (cipher, iv) = value.trim().split_once(',')?;
                let mut bytes = vec![0; iv.len() / 2];
                faster_hex::hex_decode(iv.as_bytes(), &mut bytes).ok()?;
                sealed = Some((cipher, bytes));
            }
            Some(_) => {}
            None => text.extend(line.chars().filter(|letter| !letter.is_whitespace())),
        }
    }
    let bytes = base64_simd::STANDARD.decode_to_vec(text.as_bytes()).ok()?;
    Some(PemBlock { label, sealed, bytes })
}

/// Encodes bytes as PEM with lines of 64 characters, after the `headers`.
pub fn text(label: &str, headers: &str, bytes: &[u8]) -> String {
    let letters = base64_simd::STANDARD.encode_to_string(bytes);
    let mut output = format!("{BEGIN}{label}{DASHES}\n{headers}");
    for line in letters.as_bytes().chunks(64) {
        output.extend(line.iter().map(|&letter| char::from(letter)));
        output.push('\n');
    }
    output.push_str(&format!("{END}{label}{DASHES}\n"));
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pem_survives_a_round_trip() {
        let bytes: Vec<u8> = (0..=255).collect();
        let text = format!("words\n{}{}", text("A KEY", "", &bytes), text("B", "Proc-Type: 4,ENCRYPTED\n\n", b"b"));
        let found = pieces(text.as_bytes());
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].label, &found[0].bytes), ("A KEY", &bytes));
        assert_eq!((found[1].label, &found[1].bytes[..]), ("B", &b"b"[..]));
        assert!(text.lines().all(|line| line.len() <= 64));
    }

    #[test]
    fn rfc_1421_headers_are_parsed() {
        let text = "-----BEGIN X-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00FF\n\nAQI=\r\n-----END X-----";
        let found = pieces(text.as_bytes());
        assert_eq!(found[0].sealed, Some(("AES-128-CBC", vec![0, 255])));
        assert_eq!(found[0].bytes, [1, 2]);
    }

    #[test]
    fn malformed_pem_has_no_blocks() {
        for text in
            ["", "-----BEGIN ", "-----BEGIN A-----\nAQI=\n-----END B-----", "-----BEGIN A-----\n*\n-----END A-----"]
        {
            assert!(pieces(text.as_bytes()).is_empty(), "{text}");
        }
        assert!(pieces(&[0xFF, 0xFE]).is_empty());
    }
}
