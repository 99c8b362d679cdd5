//! Serializes the head of an outgoing message, and derives its framing. Uses no JavaScript values.
//!
//! Names and values are already validated: no byte in them can end a line.

use std::cell::RefCell;
use std::time::{SystemTime, UNIX_EPOCH};

/// The properties of Node's `OutgoingMessage` that determine its head (`lib/_http_outgoing.js: _storeHeader`).
#[derive(Clone, Copy, Debug, Default)]
pub struct Plan {
    /// `sendDate`: add a `Date` header.
    pub send_date: bool,
    /// `shouldKeepAlive`: keep the connection open.
    pub should_keep_alive: bool,
    /// `_hasBody`: the message may have a body.
    pub has_body: bool,
    /// `useChunkedEncodingByDefault`: a body of unknown length is chunked.
    pub chunked_by_default: bool,
    /// `_removedConnection`: the caller removed `Connection`.
    pub removed_connection: bool,
    /// `_removedContLen`: the caller removed `Content-Length`.
    pub removed_length: bool,
    /// `_removedTE`: the caller removed `Transfer-Encoding`.
    pub removed_encoding: bool,
    /// `_defaultKeepAlive`: the caller did not set `Keep-Alive`.
    pub default_keep_alive: bool,
    /// The message has an `agent`.
    pub has_agent: bool,
    /// `maxRequestsOnConnectionReached`: this is the last message on the connection.
    pub is_limit_reached: bool,
    /// `chunkedEncoding`: the body is chunked.
    pub is_chunked: bool,
    /// The status is 204 or 304: no body (RFC 9110 sections 15.3.5 and 15.4.5).
    pub is_bodiless: bool,
    /// The `timeout` parameter of `Keep-Alive`; `None` omits the header.
    pub keep_alive_secs: Option<f64>,
    /// The `max` parameter of `Keep-Alive`; 0 omits it.
    pub max_requests: u32,
    /// `_contentLength`: the length of the body, if known.
    pub length: Option<u64>,
}

/// The bits of a [`Plan`] in JavaScript, in the order of its fields.
#[allow(missing_docs, reason = "each is named as its field")]
pub mod bit {
    pub const SEND_DATE: u32 = 1 << 0;
    pub const SHOULD_KEEP_ALIVE: u32 = 1 << 1;
    pub const HAS_BODY: u32 = 1 << 2;
    pub const CHUNKED_BY_DEFAULT: u32 = 1 << 3;
    pub const REMOVED_CONNECTION: u32 = 1 << 4;
    pub const REMOVED_LENGTH: u32 = 1 << 5;
    pub const REMOVED_ENCODING: u32 = 1 << 6;
    pub const DEFAULT_KEEP_ALIVE: u32 = 1 << 7;
    pub const HAS_AGENT: u32 = 1 << 8;
    pub const IS_LIMIT_REACHED: u32 = 1 << 9;
    pub const IS_CHUNKED: u32 = 1 << 10;
    pub const IS_BODILESS: u32 = 1 << 11;
}

impl Plan {
    /// Decodes the bits that JavaScript passes.
    pub fn from_bits(bits: u32) -> Plan {
        let has = |bit: u32| bits & bit != 0;
        Plan {
            send_date: has(bit::SEND_DATE),
            should_keep_alive: has(bit::SHOULD_KEEP_ALIVE),
            has_body: has(bit::HAS_BODY),
            chunked_by_default: has(bit::CHUNKED_BY_DEFAULT),
            removed_connection: has(bit::REMOVED_CONNECTION),
            removed_length: has(bit::REMOVED_LENGTH),
            removed_encoding: has(bit::REMOVED_ENCODING),
            default_keep_alive: has(bit::DEFAULT_KEEP_ALIVE),
            has_agent: has(bit::HAS_AGENT),
            is_limit_reached: has(bit::IS_LIMIT_REACHED),
            is_chunked: has(bit::IS_CHUNKED),
            is_bodiless: has(bit::IS_BODILESS),
            ..Plan::default()
        }
    }
}

/// The bits of a plan after its head was built with the result `out` (bits of [`out`]): `_storeHeader` changes these properties of the
/// message.
pub fn bits_after(bits: u32, out: u32) -> u32 {
    let with = |bits: u32, bit: u32, is_set: bool| if is_set { bits | bit } else { bits & !bit };
    let mut bits = with(bits, bit::SHOULD_KEEP_ALIVE, out & out::KEEP_ALIVE != 0);
    for (said, bit) in [
        (out::CONNECTION, bit::REMOVED_CONNECTION),
        (out::LENGTH, bit::REMOVED_LENGTH),
        (out::ENCODING, bit::REMOVED_ENCODING),
        (out::KEEP_ALIVE_HEADER, bit::DEFAULT_KEEP_ALIVE),
    ] {
        if out & said != 0 {
            bits &= !bit;
        }
    }
    with(bits, bit::IS_CHUNKED, out & out::CHUNKED != 0)
}

/// Which headers the caller has set.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    connection: bool,
    length: bool,
    encoding: bool,
    date: bool,
    trailer: bool,
}

/// The result of building a head, as bits for JavaScript.
pub mod out {
    /// The body is chunked.
    pub const CHUNKED: u32 = 1;
    /// `_last`: the connection closes after the message.
    pub const LAST: u32 = 2;
    /// `shouldKeepAlive`: the connection stays open.
    pub const KEEP_ALIVE: u32 = 4;
    /// The head has a `Connection` header from the caller.
    pub const CONNECTION: u32 = 8;
    /// The head has a `Content-Length` header from the caller.
    pub const LENGTH: u32 = 16;
    /// The head has a `Transfer-Encoding` header from the caller.
    pub const ENCODING: u32 = 32;
    /// The head has an `Expect` header.
    pub const EXPECT: u32 = 64;
    /// The head has a `Keep-Alive` header.
    pub const KEEP_ALIVE_HEADER: u32 = 128;
    /// The head has a `Trailer` header, but the body is not chunked (ERR_HTTP_TRAILER_INVALID).
    pub const BAD_TRAILER: u32 = 256;
}

/// A head under construction.
pub struct Head<'a> {
    bytes: &'a mut Vec<u8>,
    plan: Plan,
    seen: Seen,
    /// Bits of [`out`] found so far.
    out: u32,
}

impl<'a> Head<'a> {
    /// Starts a head. `bytes` already holds the start line.
    pub fn new(bytes: &'a mut Vec<u8>, plan: Plan) -> Head<'a> {
        Head { bytes, plan, seen: Seen::default(), out: 0 }
    }

    /// Appends a header of the caller.
    pub fn header(&mut self, name: &[u8], value: &[u8]) {
        self.bytes.extend_from_slice(name);
        self.bytes.extend_from_slice(b": ");
        self.bytes.extend_from_slice(value);
        self.bytes.extend_from_slice(b"\r\n");
        match name.len() {
            4 if name.eq_ignore_ascii_case(b"date") => self.seen.date = true,
            6 if name.eq_ignore_ascii_case(b"expect") => self.out |= out::EXPECT,
            7 if name.eq_ignore_ascii_case(b"trailer") => self.seen.trailer = true,
            10 if name.eq_ignore_ascii_case(b"connection") => {
                self.seen.connection = true;
                self.plan.removed_connection = false;
                if has_word(value, b"close") {
                    self.out |= out::LAST;
                } else {
                    self.plan.should_keep_alive = true;
                }
            }
            10 if name.eq_ignore_ascii_case(b"keep-alive") => {
                self.plan.default_keep_alive = false;
                self.out |= out::KEEP_ALIVE_HEADER;
            }
            14 if name.eq_ignore_ascii_case(b"content-length") => {
                self.seen.length = true;
                self.plan.removed_length = false;
            }
            17 if name.eq_ignore_ascii_case(b"transfer-encoding") => {
                self.seen.encoding = true;
                self.plan.removed_encoding = false;
                self.plan.is_chunked |= has_word(value, b"chunked");
            }
            _ => {}
        }
    }

    /// Appends the automatic headers and the empty line. Returns bits of [`out`].
    pub fn end(mut self) -> u32 {
        if self.plan.send_date && !self.seen.date {
            self.bytes.extend_from_slice(b"Date: ");
            push_date(self.bytes);
            self.bytes.extend_from_slice(b"\r\n");
        }
        if self.plan.is_chunked && self.plan.is_bodiless {
            self.plan.is_chunked = false;
            self.plan.should_keep_alive = false;
        }
        self.connection();
        self.length();
        if self.seen.trailer && !self.plan.is_chunked {
            self.out |= out::BAD_TRAILER;
        }
        self.bytes.extend_from_slice(b"\r\n");
        let bit = |is_set: bool, bit: u32| if is_set { bit } else { 0 };
        self.out
            | bit(self.plan.is_chunked, out::CHUNKED)
            | bit(self.plan.should_keep_alive, out::KEEP_ALIVE)
            | bit(self.seen.connection, out::CONNECTION)
            | bit(self.seen.length, out::LENGTH)
            | bit(self.seen.encoding, out::ENCODING)
    }

    fn connection(&mut self) {
        let plan = self.plan;
        if plan.removed_connection {
            // As `_storeHeader`: `shouldKeepAlive` alone decides, not an earlier header.
            self.out &= !out::LAST;
            if !plan.should_keep_alive {
                self.out |= out::LAST;
            }
            return;
        }
        if self.seen.connection {
            return;
        }
        let keeps = plan.should_keep_alive && (self.seen.length || plan.chunked_by_default || plan.has_agent);
        if !keeps || plan.is_limit_reached {
            if !keeps {
                self.out |= out::LAST;
            }
            self.bytes.extend_from_slice(b"Connection: close\r\n");
            return;
        }
        self.bytes.extend_from_slice(b"Connection: keep-alive\r\n");
        if let Some(secs) = plan.keep_alive_secs
            && plan.default_keep_alive
        {
            self.bytes.extend_from_slice(b"Keep-Alive: timeout=");
            push_secs(self.bytes, secs);
            if plan.max_requests > 0 {
                self.bytes.extend_from_slice(b", max=");
                push_number(self.bytes, u64::from(plan.max_requests));
            }
            self.bytes.extend_from_slice(b"\r\n");
        }
    }

    fn length(&mut self) {
        if self.seen.length || self.seen.encoding {
            return;
        }
        if !self.plan.has_body {
            self.plan.is_chunked = false;
        } else if !self.plan.chunked_by_default {
            self.out |= out::LAST;
        } else if let Some(length) = self.plan.length
            && !self.seen.trailer
            && !self.plan.removed_length
        {
            self.bytes.extend_from_slice(b"Content-Length: ");
            push_number(self.bytes, length);
            self.bytes.extend_from_slice(b"\r\n");
        } else if !self.plan.removed_encoding {
            self.bytes.extend_from_slice(b"Transfer-Encoding: chunked\r\n");
            self.plan.is_chunked = true;
        } else {
            // Without length and chunks, the end of the connection ends the body (RFC 9112 section 6.3, rule 8).
            self.out |= out::LAST;
        }
    }
}

/// The keep-alive timeout, formatted as JavaScript formats numbers: the value comes from the script.
fn push_secs(bytes: &mut Vec<u8>, secs: f64) {
    match secs {
        secs if (0.0..1e15).contains(&secs) => push_number(bytes, secs as u64),
        secs if secs.is_infinite() => bytes.extend_from_slice(if secs > 0.0 { b"Infinity" } else { b"-Infinity" }),
        secs if secs.abs() >= 1e21 => bytes.extend_from_slice(format!("{secs:e}").replace('e', "e+").as_bytes()),
        secs => bytes.extend_from_slice(format!("{secs}").as_bytes()),
    }
}

/// Appends a decimal number.
pub fn push_number(bytes: &mut Vec<u8>, number: u64) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    let mut left = number;
    loop {
        at -= 1;
        digits[at] = b'0' + (left % 10) as u8;
        left /= 10;
        if left == 0 {
            break;
        }
    }
    bytes.extend_from_slice(&digits[at..]);
}

/// Matches `/(?:^|\W)word(?:$|\W)/i`, as the expressions of `lib/_http_outgoing.js`.
fn has_word(value: &[u8], word: &[u8]) -> bool {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    (0..value.len().saturating_sub(word.len() - 1)).any(|at| {
        value[at..at + word.len()].eq_ignore_ascii_case(word)
            && !value[..at].last().is_some_and(is_word)
            && !value.get(at + word.len()).is_some_and(is_word)
    })
}

thread_local! {
    /// The current second and its date as text.
    static DATE: RefCell<(u64, Vec<u8>)> = const { RefCell::new((u64::MAX, Vec::new())) };
}

/// Appends the current date in the format of `Date.prototype.toUTCString` (RFC 9110 section 5.6.7). The text is cached for one second.
pub fn push_date(bytes: &mut Vec<u8>) {
    let secs = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    DATE.with_borrow_mut(|(of, text)| {
        if *of != secs {
            *text = date(secs).into_bytes();
            *of = secs;
        }
        bytes.extend_from_slice(text);
    });
}

fn date(secs: u64) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (days, in_day) = (secs / 86_400, secs % 86_400);
    // Days to date by eras of 400 years that begin on March 1 (Howard Hinnant, `civil_from_days`).
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 2 } else { month - 10 };
    let year = year_of_era + era * 400 + u64::from(month < 2);
    format!(
        "{}, {day:02} {} {year:04} {:02}:{:02}:{:02} GMT",
        DAYS[(days % 7) as usize],
        MONTHS[month as usize],
        in_day / 3_600,
        in_day / 60 % 60,
        in_day % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(headers: &[(&str, &str)], plan: Plan) -> (String, u32) {
        let mut bytes = b"HTTP/1.1 200 OK\r\n".to_vec();
        let mut head = Head::new(&mut bytes, plan);
        for (name, value) in headers {
            head.header(name.as_bytes(), value.as_bytes());
        }
        let bits = head.end();
        (String::from_utf8(bytes).unwrap(), bits)
    }

    const USUAL: Plan = Plan {
        send_date: false,
        should_keep_alive: true,
        has_body: true,
        chunked_by_default: true,
        removed_connection: false,
        removed_length: false,
        removed_encoding: false,
        default_keep_alive: true,
        has_agent: false,
        is_limit_reached: false,
        is_chunked: false,
        is_bodiless: false,
        keep_alive_secs: Some(5.0),
        max_requests: 0,
        length: None,
    };

    #[test]
    fn heads_contain_the_framing_of_the_body() {
        let (text, bits) = built(&[], Plan { length: Some(5), ..USUAL });
        assert_eq!(
            text,
            "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5\r\nContent-Length: 5\r\n\r\n"
        );
        assert_eq!(bits, out::KEEP_ALIVE);
        let (text, bits) = built(&[], USUAL);
        assert!(text.ends_with("Transfer-Encoding: chunked\r\n\r\n"));
        assert_eq!(bits, out::KEEP_ALIVE | out::CHUNKED);
        let (_, bits) = built(&[("Trailer", "x")], Plan { length: Some(5), removed_encoding: true, ..USUAL });
        assert_ne!(bits & out::BAD_TRAILER, 0);
        let (text, bits) = built(&[("connection", "foo, CLOSE")], Plan { length: Some(0), ..USUAL });
        assert_eq!(text, "HTTP/1.1 200 OK\r\nconnection: foo, CLOSE\r\nContent-Length: 0\r\n\r\n");
        assert_ne!(bits & out::LAST, 0);
    }

    #[test]
    fn building_a_head_updates_the_plan() {
        let kept = bit::SHOULD_KEEP_ALIVE | bit::DEFAULT_KEEP_ALIVE;
        assert_eq!(bits_after(kept, out::KEEP_ALIVE | out::CHUNKED), kept | bit::IS_CHUNKED);
        let said = out::CONNECTION | out::LENGTH | out::ENCODING | out::KEEP_ALIVE_HEADER;
        let removed = bit::REMOVED_CONNECTION | bit::REMOVED_LENGTH | bit::REMOVED_ENCODING;
        assert_eq!(bits_after(bit::SEND_DATE | kept | removed | bit::IS_CHUNKED, said), bit::SEND_DATE);
    }

    #[test]
    fn has_word_matches_whole_words() {
        assert!(has_word(b"close", b"close"));
        assert!(has_word(b"a,Close", b"close"));
        assert!(!has_word(b"closed", b"close"));
        assert!(!has_word(b"_close", b"close"));
        assert!(!has_word(b"", b"close"));
    }

    #[test]
    fn dates_follow_the_gregorian_calendar() {
        assert_eq!(date(0), "Thu, 01 Jan 1970 00:00:00 GMT");
        assert_eq!(date(951_782_400), "Tue, 29 Feb 2000 00:00:00 GMT");
        assert_eq!(date(1_794_741_496), "Sun, 15 Nov 2026 11:18:16 GMT");
        assert_eq!(date(4_107_542_399), "Sun, 28 Feb 2100 23:59:59 GMT");
    }
}
