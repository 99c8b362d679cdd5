//! The HTTP/1 parser: bytes in, events out. No JavaScript and no sockets here, so that it can be fuzzed alone.
//!
//! It takes what Node 22 takes and refuses what Node refuses, with its codes. A machine over bytes: wherever the input is
//! cut, the same events come out, but that a body may come in other pieces. What has two readings is refused: both lengths,
//! a length twice, bare CR or LF, folded lines, space before the colon, numbers that do not fit, codings that do not end in
//! `chunked`.
//!
//! Ground rules: after [`Step::Head`] the caller may say what follows it ([`Parser::proceed`]) before the next step. After a
//! fault every step gives it again.

use memchr::memchr2;

use super::words::{
    CONNECT, Fault, GET, POST, PREFACE, begins_a_method, fault, is_authority, is_rtsp, is_target, is_token, is_value,
    method,
};

/// So many bytes of chunk extensions are taken, as in Node.
const MOST_EXTENSION_BYTES: usize = 16 << 10;

/// Which end of a connection is listened to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Requests come: this is a server.
    Request,
    /// Responses come: this is a client.
    Response,
}

/// What there is to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// Nothing: all input is used.
    More,
    /// The head is there. See the parser's fields by its methods.
    Head,
    /// A piece of the body.
    Body(&'a [u8]),
    /// The message is complete. [`Parser::block`] has the trailers now.
    Complete,
    /// What follows is another protocol. Said again at each step.
    Upgraded,
}

/// What follows a head, if the head does not say it all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follows {
    /// What the head says, in HTTP.
    Message,
    /// No body, whatever the head says: the answer to HEAD, or one before the last.
    NoBody,
    /// Another protocol.
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
    Protocol(u8),
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
    BeforeValue,
    Value,
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

/// A header that means something to the parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Connection,
    ContentLength,
    TransferEncoding,
    Upgrade,
    Host,
    Expect,
    Other,
}

/// What the headers of a message said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// `Connection: close`.
    pub close: bool,
    /// `Connection: keep-alive`.
    pub keep_alive: bool,
    /// `Connection: upgrade`.
    pub connection_upgrade: bool,
    /// An `Upgrade` header.
    pub upgrade: bool,
    /// A `Transfer-Encoding`.
    pub transfer_encoding: bool,
    /// One that ends in `chunked`.
    pub chunked: bool,
    /// A `Host`.
    pub host: bool,
    /// An `Expect`.
    pub expect: bool,
    /// The length.
    pub content_length: Option<u64>,
}

/// A parser of one side of one connection.
#[derive(Clone, Debug)]
pub struct Parser {
    kind: Kind,
    /// Takes what is ambiguous, as Node's `insecureHTTPParser`.
    lenient: bool,
    /// The limit of the head, by Node's way of counting: targets, names and values.
    most_head_bytes: usize,
    /// The limit of names and values in a request's head; none if 0.
    most_words: usize,
    state: State,
    follows: Follows,
    /// The number in [`METHODS`](super::words::METHODS).
    method: u8,
    major: u8,
    minor: u8,
    status: u16,
    /// The target, or the reason phrase; the method while that is read.
    line: Vec<u8>,
    /// Names and values, each with a line feed behind, none of which can be in them.
    block: Vec<u8>,
    /// Where the name or value that is read now begins in the block.
    word_start: usize,
    words: usize,
    known: Known,
    said: Said,
    /// What is read now are trailers.
    trailing: bool,
    head_bytes: usize,
    extension_bytes: usize,
    /// What is left of the body or the chunk.
    left: u64,
    /// What was refused. Nothing is taken after that.
    fault: Option<Fault>,
}

impl Parser {
    /// A parser before its first message.
    pub fn new(kind: Kind, lenient: bool, most_head_bytes: usize, most_words: usize) -> Parser {
        Parser {
            kind,
            lenient,
            most_head_bytes,
            most_words,
            state: State::Start,
            follows: Follows::Message,
            method: 0,
            major: 0,
            minor: 0,
            status: 0,
            line: Vec::new(),
            block: Vec::new(),
            word_start: 0,
            words: 0,
            known: Known::Other,
            said: Said::default(),
            trailing: false,
            head_bytes: 0,
            extension_bytes: 0,
            left: 0,
            fault: None,
        }
    }

    /// Which end it listens to.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The number of the request's method.
    pub fn method(&self) -> u8 {
        self.method
    }

    /// The request's target.
    pub fn target(&self) -> &[u8] {
        &self.line
    }

    /// The response's status.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// The response's reason phrase.
    pub fn reason(&self) -> &[u8] {
        &self.line
    }

    /// Major and minor version.
    pub fn version(&self) -> (u8, u8) {
        (self.major, self.minor)
    }

    /// The headers, or the trailers once the message is complete: names and values, each with a line feed behind.
    pub fn block(&self) -> &[u8] {
        &self.block
    }

    /// What the headers said.
    pub fn said(&self) -> Said {
        self.said
    }

    /// Whether a message has begun that is not complete.
    pub fn is_in_message(&self) -> bool {
        !matches!(self.state, State::Start | State::Closed | State::Upgraded)
    }

    /// Whether the message asks for another protocol.
    pub fn is_upgrade(&self) -> bool {
        if self.said.upgrade && self.said.connection_upgrade {
            return self.kind == Kind::Request || self.status == 101;
        }
        self.kind == Kind::Request && self.method == CONNECT
    }

    /// Whether the connection may be used again after this message.
    pub fn keeps_alive(&self) -> bool {
        let wanted = if self.major > 0 && self.minor > 0 { !self.said.close } else { self.said.keep_alive };
        wanted && !self.ends_with_connection()
    }

    /// Whether nothing of a body follows the head.
    pub fn has_no_body(&self) -> bool {
        !self.said.transfer_encoding && self.said.content_length.unwrap_or(0) == 0 && !self.ends_with_connection()
    }

    /// Says what follows the head that was just told.
    pub fn proceed(&mut self, follows: Follows) {
        self.follows = follows;
    }

    /// Whether the body goes on until the connection ends.
    fn ends_with_connection(&self) -> bool {
        if self.kind == Kind::Request || self.follows != Follows::Message || matches!(self.status, 100..200 | 204 | 304)
        {
            return false;
        }
        if self.said.transfer_encoding {
            return !self.said.chunked;
        }
        self.said.content_length.is_none()
    }

    /// The connection has ended: whether that completes a message.
    pub fn finish(&mut self) -> Result<bool, Fault> {
        match self.state {
            _ if self.fault.is_some() => Ok(false),
            State::Start | State::Closed | State::Upgraded => Ok(false),
            State::UntilEnd => {
                self.state = State::Closed;
                self.block.clear();
                Ok(true)
            }
            _ => Err(fault("HPE_INVALID_EOF_STATE", "")),
        }
    }

    /// Goes on from `at` to the next event, and moves `at` there; on a fault, to its place.
    pub fn step<'a>(&mut self, input: &'a [u8], at: &mut usize) -> Result<Step<'a>, Fault> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let step = self.advance(input, at);
        if let Err(fault) = step {
            self.fault = Some(fault);
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
                State::Field | State::FirstField | State::BeforeValue | State::AfterValue => self.around(byte, at)?,
                _ if self.state.is_between_chunks() => self.chunk(byte, at)?,
                _ => self.line(byte, at)?,
            }
        }
    }

    /// Before a message: empty lines are passed over.
    fn start(&mut self, byte: u8, input: &[u8], at: &mut usize) -> Result<(), Fault> {
        if matches!(byte, b'\r' | b'\n') {
            *at += 1;
            return Ok(());
        }
        self.line.clear();
        self.block.clear();
        self.follows = Follows::Message;
        self.said = Said::default();
        self.words = 0;
        self.trailing = false;
        self.head_bytes = 0;
        self.status = 0;
        if self.kind == Kind::Response {
            self.state = State::Protocol(0);
            return Ok(());
        }
        // Most begin so.
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

    /// The first line, but for its long parts, and line feeds.
    fn line(&mut self, byte: u8, at: &mut usize) -> Result<(), Fault> {
        const VERSION: &str = "HPE_INVALID_VERSION";
        let is_request = self.kind == Kind::Request;
        self.state = match (self.state, byte) {
            (State::Method, b' ') if self.line == b"PRI" => State::Preface(0),
            (State::Method, b' ') => {
                let Some(method) = method(&self.line) else {
                    return Err(match is_rtsp(&self.line) {
                        true => fault("HPE_INVALID_CONSTANT", "Invalid method for HTTP/x.x request"),
                        false => fault("HPE_INVALID_METHOD", "Invalid method encountered"),
                    });
                };
                self.method = method;
                self.line.clear();
                State::BeforeTarget
            }
            (State::Method, _) => {
                let was_whole = method(&self.line).is_some();
                self.line.push(byte);
                if !begins_a_method(&self.line) {
                    let reason = if was_whole { "Expected space after method" } else { "Invalid method encountered" };
                    return Err(fault("HPE_INVALID_METHOD", reason));
                }
                State::Method
            }
            (State::Preface(_), _) => return self.preface(byte, at),
            (State::BeforeTarget, b' ') => State::BeforeTarget,
            (State::BeforeTarget | State::Scheme | State::SchemeSlash(_) | State::Authority, _) => {
                return self.target_start(byte, at);
            }
            (State::BeforeVersion, b' ') => State::BeforeVersion,
            (State::BeforeVersion, b'H') => State::Protocol(1),
            (State::Protocol(known), _) if b"HTTP/".get(known as usize) == Some(&byte) => {
                if known == 4 {
                    State::Major
                } else {
                    State::Protocol(known + 1)
                }
            }
            (State::BeforeVersion | State::Protocol(_), _) => {
                return Err(fault("HPE_INVALID_CONSTANT", "Expected HTTP/, RTSP/ or ICE/"));
            }
            (State::Major, b'0'..=b'9') => {
                self.major = byte - b'0';
                State::Dot
            }
            (State::Major, _) => return Err(fault(VERSION, "Invalid major version")),
            (State::Dot, b'.') => State::Minor,
            (State::Dot, _) => return Err(fault(VERSION, "Expected dot")),
            (State::Minor, b'0'..=b'9') => {
                self.minor = byte - b'0';
                if !self.lenient && !matches!((self.major, self.minor), (0, 9) | (1, 0 | 1) | (2, 0)) {
                    *at += 1;
                    return Err(fault(VERSION, "Invalid HTTP version"));
                }
                if is_request { State::RequestCr } else { State::BeforeStatus }
            }
            (State::Minor, _) => return Err(fault(VERSION, "Invalid minor version")),
            (State::RequestCr, b'\r') => State::RequestLf,
            (State::RequestCr, b'\n') if self.lenient => State::FirstField,
            (State::RequestCr, _) => return Err(fault(VERSION, "Expected CRLF after version")),
            (State::RequestLf | State::ResponseLf, b'\n') => State::FirstField,
            (State::RequestLf | State::ResponseLf, _) if self.lenient => {
                self.state = State::FirstField;
                return Ok(());
            }
            (State::RequestLf, _) => return Err(fault("HPE_STRICT", "Expected CRLF after version")),
            (State::ResponseLf, _) => return Err(fault("HPE_STRICT", "Expected LF after CR")),
            (State::BeforeStatus, b' ') => State::Status(0),
            (State::BeforeStatus, _) => return Err(fault(VERSION, "Expected space after version")),
            (State::Status(digits), b'0'..=b'9') => {
                self.status = self.status * 10 + u16::from(byte - b'0');
                if digits == 2 { State::AfterStatus } else { State::Status(digits + 1) }
            }
            (State::Status(_), _) => return Err(fault("HPE_INVALID_STATUS", "Invalid status code")),
            (State::AfterStatus, b' ') => State::Reason,
            (State::AfterStatus, b'\r') => State::ResponseLf,
            (State::AfterStatus, b'\n') if self.lenient => State::FirstField,
            (State::AfterStatus, _) => return Err(fault("HPE_INVALID_STATUS", "Invalid response status")),
            (State::ValueLf, b'\n') => State::AfterValue,
            (State::ValueLf, _) if self.lenient => {
                self.state = State::AfterValue;
                return Ok(());
            }
            (State::ValueLf, _) => return Err(fault("HPE_LF_EXPECTED", "Missing expected LF after header value")),
            (State::HeadLf, b'\n') => self.head_end(),
            (State::HeadLf, _) if self.lenient => {
                self.state = self.head_end();
                return Ok(());
            }
            (State::HeadLf, _) => return Err(fault("HPE_STRICT", "Expected LF after headers")),
            (State::Closed, b'\r' | b'\n') => State::Closed,
            (State::Closed, _) if self.lenient => {
                self.state = State::Start;
                return Ok(());
            }
            _ => return Err(fault("HPE_CLOSED_CONNECTION", "Data after `Connection: close`")),
        };
        *at += 1;
        Ok(())
    }

    /// The first line of HTTP/2 is known, and not for us.
    fn preface(&mut self, byte: u8, at: &mut usize) -> Result<(), Fault> {
        let State::Preface(known) = self.state else { return Ok(()) };
        // The first space was taken with the method.
        if PREFACE.get(known as usize + 1) != Some(&byte) {
            return Err(fault("HPE_INVALID_CONSTANT", "Expected HTTP/2 Connection Preface"));
        }
        *at += 1;
        if known as usize + 2 == PREFACE.len() {
            return Err(fault("HPE_PAUSED_H2_UPGRADE", "Pause on PRI/Upgrade"));
        }
        self.state = State::Preface(known + 1);
        Ok(())
    }

    /// A target up to its path.
    fn target_start(&mut self, byte: u8, at: &mut usize) -> Result<(), Fault> {
        const URL: &str = "HPE_INVALID_URL";
        let is_end = matches!(byte, b' ' | b'\r' | b'\n' | b'\t' | 0x0c);
        self.state = match (self.state, byte) {
            (State::BeforeTarget, _) if self.method == CONNECT && is_authority(byte) => State::Authority,
            (State::BeforeTarget, b'/' | b'*') => State::Target,
            (State::BeforeTarget, _) if byte.is_ascii_alphabetic() => State::Scheme,
            (State::BeforeTarget, _) => return Err(fault(URL, "Unexpected start char in url")),
            (State::Scheme, _) if byte.is_ascii_alphabetic() => State::Scheme,
            (State::Scheme, b':') => State::SchemeSlash(0),
            (State::SchemeSlash(0), b'/') => State::SchemeSlash(1),
            (State::SchemeSlash(1), b'/') => State::Authority,
            (State::Scheme | State::SchemeSlash(_), _) if is_end => {
                *at += 1;
                return Err(fault(URL, "Invalid characters in url"));
            }
            (State::Scheme | State::SchemeSlash(_), _) => return Err(fault(URL, "Unexpected char in url schema")),
            (State::Authority, b'/' | b'?') => State::Target,
            (State::Authority, _) if is_authority(byte) => State::Authority,
            // The path is empty.
            (_, _) if is_end => {
                self.state = State::Target;
                return Ok(());
            }
            _ => return Err(fault(URL, "Unexpected char in url server")),
        };
        self.line.push(byte);
        *at += 1;
        self.count(1)
    }

    /// Takes a run of the long parts: the path, the reason phrase, a name, a value.
    fn run(&mut self, input: &[u8], at: &mut usize) -> Result<(), Fault> {
        let rest = &input[*at..];
        let len = match self.state {
            State::Target => rest.iter().position(|&byte| !is_target(byte)),
            State::Reason => memchr2(b'\r', b'\n', rest),
            State::InField => rest.iter().position(|&byte| !is_token(byte)),
            _ if self.lenient => memchr2(b'\r', b'\n', rest),
            _ => rest.iter().position(|&byte| !is_value(byte)),
        };
        let run = &rest[..len.unwrap_or(rest.len())];
        match self.state {
            State::Target | State::Reason => self.line.extend_from_slice(run),
            _ => self.block.extend_from_slice(run),
        }
        *at += run.len();
        self.count(run.len())?;
        let Some(&byte) = rest.get(run.len()) else { return Ok(()) };
        match self.state {
            State::Target => self.target_end(byte, at),
            State::InField if byte == b':' => {
                *at += 1;
                self.name_end()
            }
            State::InField => Err(fault("HPE_INVALID_HEADER_TOKEN", "Invalid header token")),
            State::Reason => {
                self.run_end(byte, at, State::ResponseLf, State::FirstField, "Missing expected CR after response line")
            }
            _ => self.run_end(byte, at, State::ValueLf, State::AfterValue, "Missing expected CR after header value"),
        }
    }

    fn target_end(&mut self, byte: u8, at: &mut usize) -> Result<(), Fault> {
        match byte {
            b' ' => self.state = State::BeforeVersion,
            // As llhttp: a line without a version is of HTTP/0.9.
            b'\r' => {
                (self.major, self.minor) = (0, 9);
                self.state = State::RequestLf;
            }
            b'\n' if self.lenient => {
                (self.major, self.minor) = (0, 9);
                self.state = State::FirstField;
            }
            b'\t' | b'\n' | 0x0c => {
                *at += 1;
                return Err(fault("HPE_INVALID_URL", "Invalid characters in url"));
            }
            _ => {
                let reason = if self.line.contains(&b'#') {
                    "Invalid char in url fragment start"
                } else if self.line.contains(&b'?') {
                    "Invalid char in url query"
                } else {
                    "Invalid char in url path"
                };
                return Err(fault("HPE_INVALID_URL", reason));
            }
        }
        *at += 1;
        Ok(())
    }

    /// The end of a line whose last part was a run.
    fn run_end(&mut self, byte: u8, at: &mut usize, lf: State, next: State, reason: &'static str) -> Result<(), Fault> {
        match byte {
            b'\r' => self.state = lf,
            b'\n' if self.lenient => self.state = next,
            b'\n' => {
                if lf == State::ResponseLf {
                    *at += 1;
                }
                return Err(fault("HPE_CR_EXPECTED", reason));
            }
            _ => return Err(fault("HPE_INVALID_HEADER_TOKEN", "Invalid header value char")),
        }
        *at += 1;
        Ok(())
    }

    /// Where a line of the head begins, and around its colon.
    fn around(&mut self, byte: u8, at: &mut usize) -> Result<(), Fault> {
        const TOKEN: &str = "HPE_INVALID_HEADER_TOKEN";
        match (self.state, byte) {
            (State::FirstField, b' ' | b'\t') if !self.lenient => {
                *at += 1;
                return Err(fault("HPE_UNEXPECTED_SPACE", "Unexpected space after start line"));
            }
            (State::FirstField, b' ' | b'\t') => *at += 1,
            (State::FirstField | State::Field, b'\r') => {
                self.state = State::HeadLf;
                *at += 1;
            }
            (State::FirstField | State::Field, b'\n') => {
                *at += 1;
                if !self.lenient {
                    return Err(fault(TOKEN, "Invalid header field char"));
                }
                self.state = self.head_end();
            }
            (State::FirstField | State::Field, _) if is_token(byte) => {
                self.word_start = self.block.len();
                self.state = State::InField;
            }
            (State::FirstField | State::Field, _) => return Err(fault(TOKEN, "Invalid header token")),
            (State::BeforeValue, b' ' | b'\t') => *at += 1,
            (State::BeforeValue, b'\n') if !self.lenient => {
                *at += 1;
                return Err(fault(TOKEN, "Invalid header value char"));
            }
            (State::BeforeValue, _) => self.state = State::Value,
            // A folded line.
            (State::AfterValue, b' ' | b'\t') if self.lenient => {
                self.block.push(b' ');
                self.state = State::BeforeValue;
                *at += 1;
            }
            (State::AfterValue, b' ' | b'\t') => {
                let is_empty = self.block.len() == self.word_start;
                let reason =
                    if is_empty { "Invalid header value char" } else { "Unexpected whitespace after header value" };
                return Err(fault(TOKEN, reason));
            }
            _ => {
                self.value_end()?;
                self.state = State::Field;
            }
        }
        Ok(())
    }

    fn count(&mut self, bytes: usize) -> Result<(), Fault> {
        self.head_bytes += bytes;
        if self.head_bytes >= self.most_head_bytes && bytes > 0 {
            return Err(fault("HPE_HEADER_OVERFLOW", "Header overflow"));
        }
        Ok(())
    }

    /// A name is there: what has to be refused by now is.
    fn name_end(&mut self) -> Result<(), Fault> {
        let name = &self.block[self.word_start..];
        self.known = match name.len() {
            4 if name.eq_ignore_ascii_case(b"host") => Known::Host,
            6 if name.eq_ignore_ascii_case(b"expect") => Known::Expect,
            7 if name.eq_ignore_ascii_case(b"upgrade") => Known::Upgrade,
            10 if name.eq_ignore_ascii_case(b"connection") => Known::Connection,
            14 if name.eq_ignore_ascii_case(b"content-length") => Known::ContentLength,
            16 if name.eq_ignore_ascii_case(b"proxy-connection") => Known::Connection,
            17 if name.eq_ignore_ascii_case(b"transfer-encoding") => Known::TransferEncoding,
            _ => Known::Other,
        };
        if self.kind == Kind::Request {
            self.words += 2;
            if self.most_words > 0 && self.words > self.most_words {
                return Err(fault("HPE_HEADER_OVERFLOW", "Header overflow"));
            }
        }
        match self.known {
            Known::ContentLength if self.said.content_length.is_some() => {
                return Err(fault("HPE_UNEXPECTED_CONTENT_LENGTH", "Duplicate Content-Length"));
            }
            Known::ContentLength if self.said.transfer_encoding && !self.lenient => {
                return Err(fault(
                    "HPE_INVALID_CONTENT_LENGTH",
                    "Content-Length can't be present with Transfer-Encoding",
                ));
            }
            Known::TransferEncoding if self.said.content_length.is_some() && !self.lenient => {
                return Err(fault(
                    "HPE_INVALID_TRANSFER_ENCODING",
                    "Transfer-Encoding can't be present with Content-Length",
                ));
            }
            Known::TransferEncoding if self.said.chunked && !self.lenient => {
                return Err(fault("HPE_INVALID_TRANSFER_ENCODING", "Invalid `Transfer-Encoding` header value"));
            }
            _ => {}
        }
        self.block.push(b'\n');
        self.word_start = self.block.len();
        self.state = State::BeforeValue;
        Ok(())
    }

    fn value_end(&mut self) -> Result<(), Fault> {
        while self.block.len() > self.word_start && matches!(self.block.last(), Some(b' ' | b'\t')) {
            self.block.pop();
        }
        let value = &self.block[self.word_start..];
        match self.known {
            Known::Other => {}
            Known::Host => self.said.host = true,
            Known::Expect => self.said.expect = true,
            Known::Upgrade => self.said.upgrade = true,
            Known::Connection => {
                for word in value.split(|&byte| byte == b',').map(<[u8]>::trim_ascii) {
                    self.said.close |= word.eq_ignore_ascii_case(b"close");
                    self.said.keep_alive |= word.eq_ignore_ascii_case(b"keep-alive");
                    self.said.connection_upgrade |= word.eq_ignore_ascii_case(b"upgrade");
                }
            }
            Known::ContentLength => self.said.content_length = Some(length(value)?),
            Known::TransferEncoding => {
                self.said.chunked = ends_chunked(value, self.lenient)?;
                self.said.transfer_encoding = true;
            }
        }
        self.block.push(b'\n');
        Ok(())
    }

    /// The empty line is there.
    fn head_end(&mut self) -> State {
        self.head_bytes = 0;
        if self.trailing { State::Finished } else { State::HeadDone }
    }

    /// As `llhttp__after_headers_complete`.
    fn after_head(&mut self) -> Result<(), Fault> {
        self.state = if self.follows != Follows::Message {
            self.block.clear();
            State::Finished
        } else if self.said.chunked {
            self.block.clear();
            State::ChunkStart
        } else if self.said.transfer_encoding && self.kind == Kind::Request && !self.lenient {
            return Err(fault("HPE_INVALID_TRANSFER_ENCODING", "Request has invalid `Transfer-Encoding`"));
        } else if self.ends_with_connection() || self.said.transfer_encoding {
            State::UntilEnd
        } else {
            self.left = self.said.content_length.unwrap_or(0);
            // These never have one, whatever they say.
            if self.kind == Kind::Response && matches!(self.status, 100..200 | 204 | 304) {
                self.left = 0;
            }
            self.block.clear();
            if self.left == 0 { State::Finished } else { State::Fixed }
        };
        Ok(())
    }

    fn after_message(&mut self) {
        self.state = if self.follows == Follows::Upgrade {
            State::Upgraded
        } else if self.keeps_alive() {
            State::Start
        } else {
            State::Closed
        };
        // A connection that is kept must not keep the memory of one large head.
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

    /// The lines between chunks.
    fn chunk(&mut self, byte: u8, at: &mut usize) -> Result<(), Fault> {
        const SIZE: &str = "HPE_INVALID_CHUNK_SIZE";
        const STRICT: &str = "HPE_STRICT";
        const CR: &str = "HPE_CR_EXPECTED";
        self.state = match (self.state, byte) {
            (State::ChunkStart | State::ChunkSize, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => {
                if self.state == State::ChunkStart {
                    self.left = 0;
                    self.head_bytes = 0;
                    self.extension_bytes = 0;
                }
                if self.left >> 60 != 0 {
                    return Err(fault(SIZE, "Chunk size overflow"));
                }
                self.left = self.left << 4 | u64::from((byte as char).to_digit(16).unwrap_or(0));
                State::ChunkSize
            }
            (State::ChunkStart, _) => return Err(fault(SIZE, "Invalid character in chunk size")),
            (State::ChunkSize, b' ' | b'\t') if self.lenient => State::ChunkSize,
            (State::ChunkSize, b'\r') => State::ChunkSizeLf,
            (State::ChunkSize, b';') => State::ExtensionStart,
            (State::ChunkSize, b'\n') if !self.lenient => {
                *at += 1;
                return Err(fault(CR, "Missing expected CR after chunk size"));
            }
            (State::ChunkSize | State::ExtensionName | State::ExtensionValue | State::AfterQuoted, b'\n')
                if self.lenient =>
            {
                self.size_end()
            }
            (State::ChunkSize, _) => {
                *at += 1;
                return Err(fault(SIZE, "Invalid character in chunk size"));
            }
            (State::ExtensionStart, b' ' | b'\r' | b'\n') => {
                *at += 1;
                return Err(fault(STRICT, "Invalid character in chunk extensions"));
            }
            (State::ExtensionStart | State::ExtensionName, b'=') => State::ExtensionValue,
            (State::ExtensionStart | State::ExtensionName, b';') => State::ExtensionStart,
            (State::ExtensionStart | State::ExtensionName, _) if is_token(byte) => {
                self.extension(State::ExtensionName)?
            }
            (State::ExtensionName | State::ExtensionValue | State::AfterQuoted, b'\r') => State::ChunkSizeLf,
            (State::ExtensionName, b'\n') => return Err(fault(CR, "Missing expected CR after chunk extension name")),
            (State::ExtensionStart | State::ExtensionName, _) => {
                return Err(fault(STRICT, "Invalid character in chunk extensions name"));
            }
            (State::ExtensionValue, b'"') => self.extension(State::Quoted)?,
            (State::ExtensionValue | State::AfterQuoted, b';') => State::ExtensionStart,
            (State::ExtensionValue, _) if is_token(byte) => self.extension(State::ExtensionValue)?,
            (State::ExtensionValue | State::AfterQuoted, b'\n') => {
                return Err(fault(CR, "Missing expected CR after chunk extension value"));
            }
            (State::ExtensionValue, _) => return Err(fault(STRICT, "Invalid character in chunk extensions value")),
            (State::Quoted, b'"') => self.extension(State::AfterQuoted)?,
            (State::Quoted, b'\\') => self.extension(State::QuotedPair)?,
            (State::Quoted | State::QuotedPair, _) if is_value(byte) => self.extension(State::Quoted)?,
            (State::Quoted, _) => return Err(fault(STRICT, "Invalid character in chunk extensions quoted value")),
            (State::QuotedPair, _) => {
                return Err(fault(STRICT, "Invalid quoted-pair in chunk extensions quoted value"));
            }
            (State::AfterQuoted, _) => return Err(fault(STRICT, "Invalid character in chunk extensions quote value")),
            (State::ChunkSizeLf, b'\n') => self.size_end(),
            (State::ChunkSizeLf, _) if self.lenient => {
                self.state = self.size_end();
                return Ok(());
            }
            (State::ChunkSizeLf, _) => return Err(fault(STRICT, "Expected LF after chunk size")),
            (State::ChunkCr, b'\r') => State::ChunkLf,
            (State::ChunkCr, b'\n') if !self.lenient => {
                *at += 1;
                return Err(fault(CR, "Missing expected CR after chunk data"));
            }
            (State::ChunkCr | State::ChunkLf, b'\n') => State::ChunkStart,
            (State::ChunkCr | State::ChunkLf, _) if self.lenient => {
                self.state = State::ChunkStart;
                return Ok(());
            }
            (State::ChunkCr | State::ChunkLf, _) => return Err(fault(STRICT, "Expected LF after chunk data")),
            _ => return self.line(byte, at),
        };
        *at += 1;
        Ok(())
    }

    /// A byte of an extension counts.
    fn extension(&mut self, next: State) -> Result<State, Fault> {
        self.extension_bytes += 1;
        if self.extension_bytes > MOST_EXTENSION_BYTES {
            return Err(fault("HPE_CHUNK_EXTENSIONS_OVERFLOW", "Chunk extensions overflow"));
        }
        Ok(next)
    }

    /// The line with a chunk's size has ended. The last chunk is followed by trailers.
    fn size_end(&mut self) -> State {
        if self.left > 0 {
            return State::ChunkData;
        }
        self.trailing = true;
        self.words = 0;
        State::Field
    }
}

impl State {
    /// Whether it is one of the lines between chunks.
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

/// A length: digits and nothing else.
fn length(value: &[u8]) -> Result<u64, Fault> {
    const LENGTH: &str = "HPE_INVALID_CONTENT_LENGTH";
    if value.is_empty() {
        return Err(fault(LENGTH, "Empty Content-Length"));
    }
    let mut length = 0u64;
    for &byte in value {
        if !byte.is_ascii_digit() {
            return Err(fault(LENGTH, "Invalid character in Content-Length"));
        }
        let next = length.checked_mul(10).and_then(|tens| tens.checked_add(u64::from(byte - b'0')));
        length = next.ok_or(fault(LENGTH, "Content-Length overflow"))?;
    }
    Ok(length)
}

/// Whether the last coding is `chunked`. It may be no other.
fn ends_chunked(value: &[u8], lenient: bool) -> Result<bool, Fault> {
    const CODING: &str = "HPE_INVALID_TRANSFER_ENCODING";
    if value.is_empty() {
        return Err(fault(CODING, "Empty Transfer-Encoding"));
    }
    let mut is_chunked = false;
    for word in value.split(|&byte| byte == b',').map(<[u8]>::trim_ascii) {
        if is_chunked && !lenient {
            return Err(fault(CODING, "Invalid `Transfer-Encoding` header value"));
        }
        is_chunked = word.eq_ignore_ascii_case(b"chunked");
    }
    Ok(is_chunked)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a parser tells, in words.
    fn told(kind: Kind, input: &[u8], cut: usize) -> (Vec<String>, Result<(), Fault>) {
        let mut parser = Parser::new(kind, false, 16 << 10, 2000);
        let mut events: Vec<String> = Vec::new();
        for piece in input.chunks(cut) {
            let mut at = 0;
            loop {
                match parser.step(piece, &mut at) {
                    Ok(Step::More) => break,
                    Ok(Step::Head) => {
                        let text = String::from_utf8_lossy(parser.block()).replace('\n', "|");
                        let line = String::from_utf8_lossy(parser.target()).into_owned();
                        events.push(format!("{} {} {line} {text}", parser.method(), parser.status()));
                        if parser.is_upgrade() {
                            parser.proceed(Follows::Upgrade);
                        }
                    }
                    Ok(Step::Body(body)) => match events.last_mut() {
                        Some(last) if last.starts_with("body ") => last.push_str(&String::from_utf8_lossy(body)),
                        _ => events.push(format!("body {}", String::from_utf8_lossy(body))),
                    },
                    Ok(Step::Complete) => {
                        events.push(format!("end {}", String::from_utf8_lossy(parser.block()).replace('\n', "|")));
                    }
                    Ok(Step::Upgraded) => {
                        events.push("upgraded".to_owned());
                        return (events, Ok(()));
                    }
                    Err(fault) => return (events, Err(fault)),
                }
            }
        }
        (events, Ok(()))
    }

    #[test]
    fn messages_come_out_the_same_however_they_are_cut() {
        let requests: &[&[u8]] = &[
            b"\r\nGET /a?b HTTP/1.1\r\nHost: x\r\nA:  b \t\r\n\r\nPOST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello",
            b"PUT / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n5;a=\"b\\\"\"\r\nhello\r\n0\r\nX: y\r\n\r\n",
            b"CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\nrest",
            b"M-SEARCH http://a@b:1?c HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
        ];
        for input in requests {
            let whole = told(Kind::Request, input, input.len());
            assert_eq!(whole.1, Ok(()));
            assert!(whole.0.len() >= 2);
            for cut in 1..input.len() {
                assert_eq!(told(Kind::Request, input, cut), whole, "cut by {cut}");
            }
        }
        assert_eq!(
            told(Kind::Response, b"HTTP/1.1 100 \r\n\r\nHTTP/1.1 200 OK\r\nX: \xe9\r\n\r\nab", 3).0,
            ["0 100  ", "end ", "0 200 OK X|\u{FFFD}|", "body ab"]
        );
    }

    #[test]
    fn what_has_two_readings_is_refused() {
        for (head, code) in [
            ("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "HPE_INVALID_TRANSFER_ENCODING"),
            ("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "HPE_INVALID_CONTENT_LENGTH"),
            ("Content-Length: 5\r\nContent-Length: 5\r\n", "HPE_UNEXPECTED_CONTENT_LENGTH"),
            ("Content-Length: 5, 5\r\n", "HPE_INVALID_CONTENT_LENGTH"),
            ("Content-Length: +5\r\n", "HPE_INVALID_CONTENT_LENGTH"),
            ("Content-Length: 18446744073709551616\r\n", "HPE_INVALID_CONTENT_LENGTH"),
            ("Transfer-Encoding: gzip\r\n", "HPE_INVALID_TRANSFER_ENCODING"),
            ("Transfer-Encoding: chunked, gzip\r\n", "HPE_INVALID_TRANSFER_ENCODING"),
            ("Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n", "HPE_INVALID_TRANSFER_ENCODING"),
            ("Transfer-Encoding: xchunked\r\n", "HPE_INVALID_TRANSFER_ENCODING"),
            ("Host : a\r\n", "HPE_INVALID_HEADER_TOKEN"),
            ("A: b\r\n c\r\n", "HPE_INVALID_HEADER_TOKEN"),
            ("A: b\nC: d\r\n", "HPE_CR_EXPECTED"),
            ("A: b\rC: d\r\n", "HPE_LF_EXPECTED"),
            ("A: b\0\r\n", "HPE_INVALID_HEADER_TOKEN"),
        ] {
            let input = format!("POST / HTTP/1.1\r\n{head}\r\n");
            let (_, result) = told(Kind::Request, input.as_bytes(), 1000);
            assert_eq!(result.map_err(|fault| fault.code), Err(code), "{head:?}");
        }
        for (chunks, code) in [
            ("5\nhello\r\n", "HPE_CR_EXPECTED"),
            ("5\r\nhello\n", "HPE_CR_EXPECTED"),
            ("5\r\nhelloX", "HPE_STRICT"),
            ("0x5\r\n", "HPE_INVALID_CHUNK_SIZE"),
            ("-5\r\n", "HPE_INVALID_CHUNK_SIZE"),
            ("5 \r\n", "HPE_INVALID_CHUNK_SIZE"),
            ("\r\n", "HPE_INVALID_CHUNK_SIZE"),
            ("FFFFFFFFFFFFFFFFF\r\n", "HPE_INVALID_CHUNK_SIZE"),
            ("0\r\nContent-Length: 5\r\n\r\n", "HPE_INVALID_CONTENT_LENGTH"),
        ] {
            let input = format!("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}");
            let (_, result) = told(Kind::Request, input.as_bytes(), 1000);
            assert_eq!(result.map_err(|fault| fault.code), Err(code), "{chunks:?}");
        }
    }

    #[test]
    fn heads_and_extensions_have_limits() {
        let long = "a".repeat(17_000);
        for (input, code) in [
            (format!("GET /{long} HTTP/1.1\r\n"), "HPE_HEADER_OVERFLOW"),
            (format!("GET / HTTP/1.1\r\nA: {long}\r\n"), "HPE_HEADER_OVERFLOW"),
            (format!("GET / HTTP/1.1\r\n{}", "A: b\r\n".repeat(1001)), "HPE_HEADER_OVERFLOW"),
            (format!("PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5;{long}"), "HPE_CHUNK_EXTENSIONS_OVERFLOW"),
        ] {
            for cut in [7, input.len()] {
                let (_, result) = told(Kind::Request, input.as_bytes(), cut);
                assert_eq!(result.map_err(|fault| fault.code), Err(code));
            }
        }
    }

    #[test]
    fn the_end_of_the_connection_ends_a_body_without_length() {
        let mut parser = Parser::new(Kind::Response, false, 16 << 10, 0);
        let mut at = 0;
        let input = b"HTTP/1.1 200 OK\r\n\r\nab";
        assert_eq!(parser.step(input, &mut at), Ok(Step::Head));
        assert!(!parser.keeps_alive());
        assert_eq!(parser.step(input, &mut at), Ok(Step::Body(b"ab")));
        assert_eq!(parser.finish(), Ok(true));
        assert_eq!(parser.finish(), Ok(false));
        let mut parser = Parser::new(Kind::Request, false, 16 << 10, 0);
        assert_eq!(parser.step(b"GET", &mut 0), Ok(Step::More));
        assert_eq!(parser.finish().map_err(|fault| fault.code), Err("HPE_INVALID_EOF_STATE"));
    }
}
