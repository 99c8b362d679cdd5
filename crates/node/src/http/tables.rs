//! Constant tables of the HTTP parser: methods, byte classes, and errors with the codes and messages of llhttp.

/// An llhttp error: Node's `code`, and the message after "Parse Error: ".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// `HPE_…`.
    pub code: &'static str,
    /// llhttp's message; empty if it has none.
    pub reason: &'static str,
}

/// Creates a fault.
pub(super) const fn fault(code: &'static str, reason: &'static str) -> Fault {
    Fault { code, reason }
}

/// The methods of HTTP in llhttp's order (`HTTP_METHOD_MAP`); the index is the method's number.
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

/// The HTTP/2 connection preface after its method `PRI` (RFC 9113 section 3.4).
pub(super) const PREFACE: &[u8] = b" * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// True for bytes of a token, which names and methods are (RFC 9110 section 5.6.2).
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

/// True for bytes of a field value (RFC 9110 section 5.5).
pub(super) const fn is_value(byte: u8) -> bool {
    byte == b'\t' || (byte >= 0x20 && byte != 0x7f)
}

/// True if a JavaScript string, as UTF-8, is a non-empty token.
pub(super) fn is_token_text(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(|&byte| is_token(byte))
}

/// True if a JavaScript string, as UTF-8, is a valid field value: no control characters except tab, and no code unit above 255.
pub(super) fn is_value_text(text: &[u8]) -> bool {
    let mut bytes = text.iter();
    while let Some(&byte) = bytes.next() {
        let is_well = match byte {
            // The lead bytes of U+0080 to U+00FF.
            0xc2 | 0xc3 => bytes.next().is_some(),
            _ => byte < 0x80 && is_value(byte),
        };
        if !is_well {
            return false;
        }
    }
    true
}

/// True for bytes of a request target. As llhttp in strict mode: printable ASCII only.
pub(super) const fn is_target(byte: u8) -> bool {
    byte > 0x20 && byte < 0x7f
}

/// True for bytes of the authority of a target (RFC 3986 section 3.2).
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

/// The methods in order of their numbers: those of HTTP, then those of RTSP alone.
pub(super) fn all_methods() -> impl Iterator<Item = &'static str> {
    METHODS.iter().chain(RTSP).copied()
}

/// The number of a method; `None` if it is unknown.
pub(super) fn method(word: &[u8]) -> Option<u8> {
    all_methods().position(|method| method.as_bytes() == word).map(|at| at as u8)
}

/// Methods of RTSP that HTTP does not have.
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

/// True if `word` is a prefix of a method or of the HTTP/2 preface.
pub(super) fn is_method_prefix(word: &[u8]) -> bool {
    b"PRI".starts_with(word) || all_methods().any(|method| method.as_bytes().starts_with(word))
}
