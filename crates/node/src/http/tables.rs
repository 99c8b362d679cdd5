//! Constant tables of the HTTP parser: methods, byte classes, and errors with the codes and messages of llhttp.

/// What a message was refused for: Node's code, and its words behind "Parse Error: ".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// `HPE_…`.
    pub code: &'static str,
    /// As llhttp says it; empty if it says nothing.
    pub reason: &'static str,
}

/// A fault.
pub(super) const fn fault(code: &'static str, reason: &'static str) -> Fault {
    Fault { code, reason }
}

/// Every method of HTTP, in Node's order of numbers.
pub const METHODS: &[&str] = &[
    "DELETE",
    "GET",
    "HEAD",
    "POST",
    "PUT",
    "CONNECT",
    "OPTIONS",
    "TRACE",
    "COPY",
    "LOCK",
    "MKCOL",
    "MOVE",
    "PROPFIND",
    "PROPPATCH",
    "SEARCH",
    "UNLOCK",
    "BIND",
    "REBIND",
    "UNBIND",
    "ACL",
    "REPORT",
    "MKACTIVITY",
    "CHECKOUT",
    "MERGE",
    "M-SEARCH",
    "NOTIFY",
    "SUBSCRIBE",
    "UNSUBSCRIBE",
    "PATCH",
    "PURGE",
    "MKCALENDAR",
    "LINK",
    "UNLINK",
    "SOURCE",
    "QUERY",
];

/// The number of GET.
pub(super) const GET: u8 = 1;
/// The number of POST.
pub(super) const POST: u8 = 3;
/// The number of CONNECT.
pub(super) const CONNECT: u8 = 5;

/// How the first line of HTTP/2 goes on after its method, `PRI`.
pub(super) const PREFACE: &[u8] = b" * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Whether a byte may stand in a token: names of headers, methods.
pub(super) const fn is_token(byte: u8) -> bool {
    TOKEN[byte as usize]
}

const TOKEN: [bool; 256] = {
    let mut table = [false; 256];
    let mut at = 0;
    while at < 256 {
        let byte = at as u8;
        table[at] = byte.is_ascii_alphanumeric()
            || matches!(
                byte,
                b'!' | b'#' | b'$' | b'%' | b'&' | b'\'' | b'*' | b'+' | b'-' | b'.' | b'^' | b'_' | b'`' | b'|' | b'~'
            );
        at += 1;
    }
    table
};

/// Whether a byte may stand in a header's value.
pub(super) const fn is_value(byte: u8) -> bool {
    byte == b'\t' || (byte >= 0x20 && byte != 0x7f)
}

/// Whether text of JavaScript, in UTF-8, is a token, and not empty.
pub(super) fn is_token_text(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(|&byte| is_token(byte))
}

/// Whether text of JavaScript, in UTF-8, may be a header's value: no control but tab, no character that is more than a byte.
pub(super) fn is_value_text(text: &[u8]) -> bool {
    let mut bytes = text.iter();
    while let Some(&byte) = bytes.next() {
        let is_well = match byte {
            // What two bytes of UTF-8 say up to U+00FF.
            0xc2 | 0xc3 => bytes.next().is_some(),
            _ => byte < 0x80 && is_value(byte),
        };
        if !is_well {
            return false;
        }
    }
    true
}

/// Whether a byte may stand in a target. As llhttp in its strict mode: ASCII only.
pub(super) const fn is_target(byte: u8) -> bool {
    byte > 0x20 && byte < 0x7f
}

/// Whether a byte may stand in the authority of a target.
pub(super) const fn is_authority(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'-' | b'_'
                | b'.'
                | b'!'
                | b'~'
                | b'*'
                | b'\''
                | b'('
                | b')'
                | b'%'
                | b';'
                | b':'
                | b'&'
                | b'='
                | b'+'
                | b'$'
                | b','
                | b'['
                | b']'
                | b'@'
        )
}

/// The methods by their numbers: those of HTTP, then those of RTSP alone.
pub(super) fn all_methods() -> impl Iterator<Item = &'static str> {
    METHODS.iter().chain(RTSP).copied()
}

/// The number of a method.
pub(super) fn method(word: &[u8]) -> Option<u8> {
    all_methods().position(|method| method.as_bytes() == word).map(|at| at as u8)
}

/// Methods that only another protocol has.
const RTSP: &[&str] = &[
    "DESCRIBE",
    "ANNOUNCE",
    "SETUP",
    "PLAY",
    "PAUSE",
    "TEARDOWN",
    "GET_PARAMETER",
    "SET_PARAMETER",
    "REDIRECT",
    "RECORD",
    "FLUSH",
];

/// Whether a method, or the preface of HTTP/2, begins so.
pub(super) fn begins_a_method(word: &[u8]) -> bool {
    b"PRI".starts_with(word) || all_methods().any(|method| method.as_bytes().starts_with(word))
}
