//! The HTTP/1 parser: bytes in, events out. No JavaScript and no sockets here, so that it can be fuzzed alone.
//!
//! It takes what Node 22 takes and refuses what Node refuses, with its codes. A machine over bytes: wherever the input is
//! cut, the same events come out, but that a body may come in other pieces. What has two readings is refused: both lengths,
//! a length twice, bare CR or LF, folded lines, space before the colon, numbers that do not fit, codings that do not end in
//! `chunked`.
//!
//! Ground rules: after [`Step::Head`] the caller may say what follows it ([`Parser::proceed`]) before the next step. After a
//! fault every step gives it again.
//!
//! Here is how a message goes on from part to part; its first line is in `line`, headers in `fields`, those that say
//! how long the body is in `lengths`, chunks in `chunks`.

mod chunks;
mod fields;
mod lengths;
mod line;
#[cfg(test)]
mod tests;

use lengths::Coding;

use super::tables::{CONNECT, Fault, GET, POST, fault};

/// So many bytes of chunk extensions are taken, as in Node.
const MOST_EXTENSION_BYTES: usize = 16 << 10;

/// What a first line may name. Requests have the first, responses may have any.
const PROTOCOLS: [&[u8]; 3] = [b"HTTP/", b"RTSP/", b"ICE/"];

/// With so many headers Node tells the first of them apart.
const MOST_AT_ONCE: usize = 32;

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
    /// Which of [`PROTOCOLS`], and how much of it.
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

/// What a parser takes.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Which end it listens to.
    pub kind: Kind,
    /// Takes what is ambiguous, as Node's `insecureHTTPParser`.
    pub lenient: bool,
    /// The limit of the head, by Node's way of counting: targets, names and values.
    pub most_head_bytes: u32,
    /// The limit of names and values in a request's head; none if 0.
    pub most_words: u32,
}

/// A parser of one side of one connection.
#[derive(Clone, Debug)]
pub struct Parser {
    settings: Settings,
    state: State,
    follows: Follows,
    /// The number in [`METHODS`](super::tables::METHODS).
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
    coding: Coding,
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
            word_start: 0,
            words: 0,
            known: Known::Other,
            coding: Coding::Before,
            said: Said::default(),
            trailing: false,
            head_bytes: 0,
            extension_bytes: 0,
            left: 0,
            fault: None,
        }
    }

    /// Has it go on with another connection. It is between two messages.
    pub fn reuse(&mut self, settings: Settings) {
        debug_assert!(self.is_between_messages());
        self.settings = settings;
    }

    /// Which end it listens to.
    pub fn kind(&self) -> Kind {
        self.settings.kind
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

    /// Whether it knows nothing but its settings: the next message may come, or the first.
    pub fn is_between_messages(&self) -> bool {
        self.state == State::Start && self.fault.is_none()
    }

    /// Whether the message asks for another protocol.
    pub fn is_upgrade(&self) -> bool {
        if self.said.upgrade && self.said.connection_upgrade {
            return self.settings.kind == Kind::Request || self.status == 101;
        }
        self.settings.kind == Kind::Request && self.method == CONNECT
    }

    /// Whether a response says that another protocol follows. As in Node it does so even if it does not name one.
    fn is_switched(&self) -> bool {
        self.settings.kind == Kind::Response && self.status == 101
    }

    /// Whether the message that is complete asked for another protocol, and did not get it.
    pub fn is_declined(&self) -> bool {
        self.follows == Follows::Message && self.is_upgrade()
    }

    /// Whether Node would tell the headers in several parts.
    pub fn is_head_long(&self) -> bool {
        self.words >= 2 * MOST_AT_ONCE
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

    /// Whether it is a response that never has a body, whatever it says.
    fn is_bodiless(&self) -> bool {
        self.settings.kind == Kind::Response && matches!(self.status, 100..200 | 204 | 304)
    }

    /// Whether the body goes on until the connection ends.
    fn ends_with_connection(&self) -> bool {
        if self.settings.kind == Kind::Request || self.follows != Follows::Message || self.is_bodiless() {
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
            _ => Err(fault("HPE_INVALID_EOF_STATE", "Invalid EOF state")),
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
            // As Node's parser, which counts the byte by which it found this.
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
                    self.around(byte, at)?;
                }
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
        if self.settings.kind == Kind::Response {
            self.state = State::Protocol(0, 0);
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

    /// The empty line is there.
    fn head_end(&mut self) -> State {
        self.head_bytes = 0;
        if self.trailing { State::Finished } else { State::HeadDone }
    }

    /// As `llhttp__after_headers_complete`.
    fn after_head(&mut self) -> Result<(), Fault> {
        self.state = if self.follows != Follows::Message || self.is_switched() {
            self.block.clear();
            State::Finished
        } else if self.said.chunked && !self.is_bodiless() {
            self.block.clear();
            State::ChunkStart
        } else if self.said.transfer_encoding && self.settings.kind == Kind::Request && !self.settings.lenient {
            return Err(fault("HPE_INVALID_TRANSFER_ENCODING", "Request has invalid `Transfer-Encoding`"));
        } else if self.ends_with_connection() || (self.said.transfer_encoding && !self.is_bodiless()) {
            State::UntilEnd
        } else {
            self.left = if self.is_bodiless() { 0 } else { self.said.content_length.unwrap_or(0) };
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
