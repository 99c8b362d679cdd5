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
pub const fn fault(code: &'static str, reason: &'static str) -> Fault {
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
pub(crate) const GET: u8 = 1;
/// The number of POST.
pub(crate) const POST: u8 = 3;
/// The number of CONNECT.
pub(crate) const CONNECT: u8 = 5;

/// The HTTP/2 connection preface after its method `PRI` (RFC 9113 section 3.4).
pub(crate) const PREFACE: &[u8] = b" * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// True for bytes of a token, which names and methods are (RFC 9110 section 5.6.2).
pub(crate) const fn is_token(byte: u8) -> bool {
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
pub(crate) const fn is_value(byte: u8) -> bool {
    byte == b'\t' || (byte >= 0x20 && byte != 0x7f)
}

/// True for bytes of a request target. As llhttp in strict mode: printable ASCII only.
pub(crate) const fn is_target(byte: u8) -> bool {
    byte > 0x20 && byte < 0x7f
}

/// True for bytes of the authority of a target (RFC 3986 section 3.2).
pub(crate) const fn is_authority(byte: u8) -> bool {
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
pub fn all_methods() -> impl Iterator<Item = &'static str> {
    METHODS.iter().chain(RTSP).copied()
}

/// The number of a method; `None` if it is unknown.
pub(crate) fn method(word: &[u8]) -> Option<u8> {
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
pub(crate) fn is_method_prefix(word: &[u8]) -> bool {
    b"PRI".starts_with(word) || all_methods().any(|method| method.as_bytes().starts_with(word))
}
