//! The HTTP/1 parser: bytes in, events out. No JavaScript and no sockets here, so that it can be fuzzed alone.
//!
//! It accepts and rejects the same input as llhttp in Node 22, with the same error codes. The parser is a state machine over bytes: the
//! events do not depend on how the input is split, except that a body may arrive in other pieces.
//!
//! Ambiguous framing is rejected (RFC 9112 section 11.2, request smuggling): Content-Length with Transfer-Encoding (section 6.3, rule 3)
//! or repeated (section 6.3, rule 5), a bare CR (section 2.2), folded lines (section 5.2), whitespace before the colon (section 5.1), a
//! length that overflows (RFC 9110 section 8.6), and a request whose transfer codings do not end in `chunked` (section 6.3, rule 4). As
//! llhttp, a bare LF and a repeated Content-Length with equal values are rejected too, although the RFCs allow recipients to accept them.
//!
//! Ground rules: after [`Step::Head`] the caller may call [`Parser::proceed`] before the next step, to override what follows the head.
//! After a fault, every step returns the same fault.
//!
//! This file has the transitions between the parts of a message. The start line is in `line`, header fields are in `fields`, Content-Length
//! and Transfer-Encoding in `lengths`, the chunked coding in `chunks`.

#![forbid(unsafe_code)]

mod chunks;
mod fields;
mod lengths;
mod line;
mod tables;
#[cfg(test)]
mod tests;

use lengths::Coding;

use crate::tables::{CONNECT, GET, POST};
pub use crate::tables::{Fault, METHODS, all_methods, fault};

/// Limit of chunk extension bytes (RFC 9112 section 7.1.1), `kMaxChunkExtensionsSize` in Node's `node_http_parser.cc`.
const MAX_EXTENSION_BYTES: usize = 16 << 10;

/// Protocol names that llhttp accepts in a start line.
const PROTOCOLS: [&[u8]; 3] = [b"HTTP/", b"RTSP/", b"ICE/"];

/// Node's parser passes headers to JavaScript in batches of this many (`kMaxHeaderFieldsCount` in `node_http_parser.cc`).
const MAX_PER_BATCH: usize = 32;

/// The kind of messages to parse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Requests: this end is a server.
    Request,
    /// Responses: this end is a client.
    Response,
}

/// An event of the parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// No event: all input is consumed.
    More,
    /// The head is complete. The parser's accessors return its parts.
    Head,
    /// A piece of the body.
    Body(&'a [u8]),
    /// The message is complete. [`Parser::block`] has the trailers now.
    Complete,
    /// The rest of the input belongs to another protocol. Every further step returns this again.
    Upgraded,
}

/// What follows a head. The caller decides, because the head alone does not determine it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follows {
    /// The body that the head declares.
    Message,
    /// No body, whatever the head declares: a response to HEAD (RFC 9112 section 6.3, rule 1), or an interim response.
    NoBody,
    /// Another protocol: after a 101 response, or after a 2xx response to CONNECT (RFC 9112 section 6.3, rule 2).
    Upgrade,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Start,
    Method,
    Preface(u8),
    BeforeTarget,
    Target,
    Scheme,
    SchemeSlash(u8),
    Authority,
    BeforeVersion,
    /// Index into [`PROTOCOLS`], and the number of bytes matched so far.
    Protocol(u8, u8),
    Major,
    Dot,
    Minor,
    RequestCr,
    RequestLf,
    BeforeStatus,
    Status(u8),
    AfterStatus,
    Reason,
    ResponseLf,
    FirstField,
    Field,
    InField,
    AfterName,
    BeforeValue,
    Value,
    Length,
    AfterLength,
    ValueLf,
    AfterValue,
    HeadLf,
    HeadDone,
    AfterHead,
    Fixed,
    UntilEnd,
    ChunkStart,
    ChunkSize,
    ExtensionStart,
    ExtensionName,
    ExtensionValue,
    Quoted,
    QuotedPair,
    AfterQuoted,
    ChunkSizeLf,
    ChunkData,
    ChunkCr,
    ChunkLf,
    Finished,
    Closed,
    Upgraded,
}

/// Header fields that the parser interprets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KnownField {
    Connection,
    ContentLength,
    TransferEncoding,
    Upgrade,
    Host,
    Expect,
    Other,
}

/// Framing and connection options found in the headers of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Framing {
    /// `Connection: close`.
    pub close: bool,
    /// `Connection: keep-alive`.
    pub keep_alive: bool,
    /// `Connection: upgrade`.
    pub connection_upgrade: bool,
    /// An `Upgrade` header.
    pub upgrade: bool,
    /// A `Transfer-Encoding` header.
    pub transfer_encoding: bool,
    /// The last transfer coding is `chunked`.
    pub chunked: bool,
    /// A `Host` header.
    pub host: bool,
    /// An `Expect` header.
    pub expect: bool,
    /// The value of `Content-Length`.
    pub content_length: Option<u64>,
}

/// Settings of a parser.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Whether to parse requests or responses.
    pub kind: Kind,
    /// Accepts ambiguous input, as Node's `insecureHTTPParser` option.
    pub lenient: bool,
    /// `maxHeaderSize`. As in Node, only targets, names and values count.
    pub max_head_bytes: u32,
    /// `maxHeaderPairs`: the limit of names plus values in a request's head; 0 means no limit.
    pub max_strings: u32,
}

/// A parser of one side of one connection.
#[derive(Clone, Debug)]
pub struct Parser {
    settings: Settings,
    state: State,
    /// What follows the current head.
    follows: Follows,
    /// The index in [`METHODS`].
    method: u8,
    major: u8,
    minor: u8,
    status: u16,
    /// The target, or the reason phrase. Holds the method while the method is parsed.
    line: Vec<u8>,
    /// Names and values, each followed by LF. No name or value can contain LF.
    block: Vec<u8>,
    /// Start of the current name or value in `block`.
    string_start: usize,
    /// The number of names plus values so far.
    strings: usize,
    /// The field that is being parsed.
    known: KnownField,
    /// Progress in `Transfer-Encoding`.
    coding: Coding,
    framing: Framing,
    /// The fields being parsed are trailers (RFC 9112 section 7.1.2).
    trailing: bool,
    /// Counted against `max_head_bytes`.
    head_bytes: usize,
    /// Bytes of the current chunk extension.
    extension_bytes: usize,
    /// Remaining bytes of the body or of the chunk.
    left: u64,
    /// The first fault. No input is accepted after it.
    fault: Option<Fault>,
}

impl Parser {
    /// Creates a parser in the state before the first message.
    pub fn new(settings: Settings) -> Parser {
        Parser {
            settings,
            state: State::Start,
            follows: Follows::Message,
            method: 0,
            major: 0,
            minor: 0,
            status: 0,
            line: Vec::new(),
            block: Vec::new(),
            string_start: 0,
            strings: 0,
            known: KnownField::Other,
            coding: Coding::Before,
            framing: Framing::default(),
            trailing: false,
            head_bytes: 0,
            extension_bytes: 0,
            left: 0,
            fault: None,
        }
    }

    /// Reuses the parser for another connection. It must be between two messages.
    pub fn reuse(&mut self, settings: Settings) {
        debug_assert!(self.is_between_messages());
        self.settings = settings;
    }

    /// Whether it parses requests or responses.
    pub fn kind(&self) -> Kind {
        self.settings.kind
    }

    /// The index of the request's method in [`METHODS`].
    pub fn method(&self) -> u8 {
        self.method
    }

    /// The request target.
    pub fn target(&self) -> &[u8] {
        &self.line
    }

    /// The status code of the response.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// The reason phrase of the response.
    pub fn reason(&self) -> &[u8] {
        &self.line
    }

    /// The major and minor version.
    pub fn version(&self) -> (u8, u8) {
        (self.major, self.minor)
    }

    /// The headers, or the trailers once the message is complete: names and values, each followed by LF.
    pub fn block(&self) -> &[u8] {
        &self.block
    }

    /// Framing and connection options of the headers.
    pub fn framing(&self) -> Framing {
        self.framing
    }

    /// True if a message has begun and is not complete.
    pub fn is_in_message(&self) -> bool {
        !matches!(self.state, State::Start | State::Closed | State::Upgraded)
    }

    /// True if the parser holds no state but its settings: no message has begun since the last one.
    pub fn is_between_messages(&self) -> bool {
        self.state == State::Start && self.fault.is_none()
    }

    /// True if the message requests another protocol (RFC 9110 section 7.8) or is a CONNECT request (RFC 9110 section 9.3.6).
    pub fn is_upgrade(&self) -> bool {
        if self.framing.upgrade && self.framing.connection_upgrade {
            return self.settings.kind == Kind::Request || self.status == 101;
        }
        self.settings.kind == Kind::Request && self.method == CONNECT
    }

    /// True for a 101 response. As in llhttp (`llhttp__after_headers_complete`), another protocol follows even without an `Upgrade` header.
    fn is_switched(&self) -> bool {
        self.settings.kind == Kind::Response && self.status == 101
    }

    /// True if the message requested an upgrade that the caller declined.
    pub fn is_declined(&self) -> bool {
        self.follows == Follows::Message && self.is_upgrade()
    }

    /// True if Node would pass the headers to JavaScript in several batches.
    pub fn is_head_long(&self) -> bool {
        self.strings >= 2 * MAX_PER_BATCH
    }

    /// True if the connection persists after this message (RFC 9112 section 9.3; `llhttp_should_keep_alive`).
    pub fn keeps_alive(&self) -> bool {
        let wanted = if self.major > 0 && self.minor > 0 { !self.framing.close } else { self.framing.keep_alive };
        wanted && !self.ends_with_connection()
    }

    /// True if the head declares no body.
    pub fn has_no_body(&self) -> bool {
        !self.framing.transfer_encoding && self.framing.content_length.unwrap_or(0) == 0 && !self.ends_with_connection()
    }

    /// Sets what follows the head that [`Step::Head`] reported.
    pub fn proceed(&mut self, follows: Follows) {
        self.follows = follows;
    }

    /// True for a response that never has a body: 1xx, 204 and 304 (RFC 9112 section 6.3, rule 1).
    fn is_bodiless(&self) -> bool {
        self.settings.kind == Kind::Response && matches!(self.status, 100..200 | 204 | 304)
    }

    /// True if the end of the connection ends the body (RFC 9112 section 6.3, rules 4 and 8).
    fn ends_with_connection(&self) -> bool {
        if self.settings.kind == Kind::Request || self.follows != Follows::Message || self.is_bodiless() {
            return false;
        }
        if self.framing.transfer_encoding {
            return !self.framing.chunked;
        }
        self.framing.content_length.is_none()
    }

    /// Handles the end of the connection. Returns true if that completes a message (RFC 9112 section 6.3, rule 8), and a fault if a message
    /// is incomplete (section 8).
    pub fn finish(&mut self) -> Result<bool, Fault> {
        match self.state {
            _ if self.fault.is_some() => Ok(false),
            State::Start | State::Closed | State::Upgraded => Ok(false),
            State::UntilEnd => {
                self.state = State::Closed;
                self.block.clear();
                Ok(true)
            }
            _ => Err(fault("HPE_INVALID_EOF_STATE", "Invalid EOF state")),
        }
    }

    /// Parses from `at` to the next event and advances `at`. On a fault, `at` is the fault's position.
    pub fn step<'a>(&mut self, input: &'a [u8], at: &mut usize) -> Result<Step<'a>, Fault> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let step = self.advance(input, at);
        if let Err(fault) = step {
            self.fault = Some(fault);
            // llhttp counts the byte that revealed this error.
            if fault.code == "HPE_CLOSED_CONNECTION" {
                *at = (*at + 1).min(input.len());
            }
        }
        step
    }

    fn advance<'a>(&mut self, input: &'a [u8], at: &mut usize) -> Result<Step<'a>, Fault> {
        loop {
            match self.state {
                State::HeadDone => {
                    self.state = State::AfterHead;
                    return Ok(Step::Head);
                }
                State::AfterHead => {
                    self.after_head()?;
                    continue;
                }
                State::Finished => {
                    self.after_message();
                    return Ok(Step::Complete);
                }
                State::Upgraded => return Ok(Step::Upgraded),
                _ => {}
            }
            let Some(&byte) = input.get(*at) else { return Ok(Step::More) };
            match self.state {
                State::Fixed | State::ChunkData => return Ok(Step::Body(self.take_body(input, at))),
                State::UntilEnd => {
                    let body = &input[*at..];
                    *at = input.len();
                    return Ok(Step::Body(body));
                }
                State::Start => self.start(byte, input, at)?,
                State::Target | State::Reason | State::InField | State::Value => self.run(input, at)?,
                State::Length | State::AfterLength => self.length(byte, at)?,
                State::Field | State::FirstField | State::AfterName | State::BeforeValue | State::AfterValue => {
                    self.field_boundary(byte, at)?;
                }
                _ if self.state.is_between_chunks() => self.chunk(byte, at)?,
                _ => self.line(byte, at)?,
            }
        }
    }

    /// Skips empty lines before a message (RFC 9112 section 2.2).
    fn start(&mut self, byte: u8, input: &[u8], at: &mut usize) -> Result<(), Fault> {
        if matches!(byte, b'\r' | b'\n') {
            *at += 1;
            return Ok(());
        }
        self.line.clear();
        self.block.clear();
        self.follows = Follows::Message;
        self.framing = Framing::default();
        self.strings = 0;
        self.trailing = false;
        self.head_bytes = 0;
        self.status = 0;
        if self.settings.kind == Kind::Response {
            self.state = State::Protocol(0, 0);
            return Ok(());
        }
        // Fast path for the two most common methods.
        let rest = &input[*at..];
        (self.method, self.state) = if rest.starts_with(b"GET ") {
            *at += 4;
            (GET, State::BeforeTarget)
        } else if rest.starts_with(b"POST ") {
            *at += 5;
            (POST, State::BeforeTarget)
        } else {
            (0, State::Method)
        };
        Ok(())
    }

    /// The empty line ends the head or the trailers.
    fn head_end(&mut self) -> State {
        self.head_bytes = 0;
        if self.trailing { State::Finished } else { State::HeadDone }
    }

    /// Determines the body's framing (RFC 9112 section 6.3), as `llhttp__after_headers_complete`.
    fn after_head(&mut self) -> Result<(), Fault> {
        self.state = if self.follows != Follows::Message || self.is_switched() {
            self.block.clear();
            State::Finished
        } else if self.framing.chunked && !self.is_bodiless() {
            self.block.clear();
            State::ChunkStart
        } else if self.framing.transfer_encoding && self.settings.kind == Kind::Request && !self.settings.lenient {
            return Err(fault("HPE_INVALID_TRANSFER_ENCODING", "Request has invalid `Transfer-Encoding`"));
        } else if self.ends_with_connection() || (self.framing.transfer_encoding && !self.is_bodiless()) {
            State::UntilEnd
        } else {
            self.left = if self.is_bodiless() { 0 } else { self.framing.content_length.unwrap_or(0) };
            self.block.clear();
            if self.left == 0 { State::Finished } else { State::Fixed }
        };
        Ok(())
    }

    fn after_message(&mut self) {
        self.state = if self.follows == Follows::Upgrade || self.is_switched() {
            State::Upgraded
        } else if self.keeps_alive() {
            State::Start
        } else {
            State::Closed
        };
        // Do not hold the memory of one large head for the life of a keep-alive connection.
        self.line.shrink_to(1 << 10);
        self.block.shrink_to(4 << 10);
    }

    fn take_body<'a>(&mut self, input: &'a [u8], at: &mut usize) -> &'a [u8] {
        let rest = &input[*at..];
        let len = usize::try_from(self.left).map_or(rest.len(), |left| left.min(rest.len()));
        self.left -= len as u64;
        *at += len;
        if self.left == 0 {
            self.state = if self.state == State::Fixed { State::Finished } else { State::ChunkCr };
        }
        &rest[..len]
    }
}

impl State {
    /// True for the states between the data of two chunks.
    fn is_between_chunks(self) -> bool {
        matches!(
            self,
            State::ChunkStart
                | State::ChunkSize
                | State::ExtensionStart
                | State::ExtensionName
                | State::ExtensionValue
                | State::Quoted
                | State::QuotedPair
                | State::AfterQuoted
                | State::ChunkSizeLf
                | State::ChunkCr
                | State::ChunkLf
        )
    }
}
