//! Header fields (RFC 9112 section 5), and the other variable-length parts of a head: the target and the reason phrase.

use memchr::memchr2;

use super::{Kind, KnownField, Parser, State};
use crate::tables::{Fault, fault, is_target, is_token, is_value};

impl Parser {
    /// Consumes a run of bytes of a target, a reason phrase, a field name or a field value.
    pub(super) fn run(&mut self, input: &[u8], at: &mut usize) -> Result<(), Fault> {
        let rest = &input[*at..];
        let len = match self.state {
            State::Target => rest.iter().position(|&byte| !is_target(byte)),
            State::Reason => memchr2(b'\r', b'\n', rest),
            State::InField => rest.iter().position(|&byte| !is_token(byte)),
            _ if self.settings.lenient => memchr2(b'\r', b'\n', rest),
            _ => rest.iter().position(|&byte| !is_value(byte)),
        };
        let run = &rest[..len.unwrap_or(rest.len())];
        match self.state {
            State::Target | State::Reason => self.line.extend_from_slice(run),
            _ => self.block.extend_from_slice(run),
        }
        if self.state == State::Value && self.known == KnownField::TransferEncoding {
            self.codings(run).map_err(|(index, fault)| {
                *at += index + 1;
                fault
            })?;
        }
        *at += run.len();
        let is_field = matches!(self.state, State::InField | State::Value);
        self.count(run.len()).inspect_err(|_| {
            // llhttp counts the byte that ends a name or a value.
            *at += usize::from(is_field && *at < input.len());
        })?;
        let Some(&byte) = rest.get(run.len()) else { return Ok(()) };
        match self.state {
            State::Target => self.target_end(byte, at),
            State::InField if byte == b':' => {
                *at += 1;
                self.name_end()
            }
            // No whitespace before the colon (RFC 9112 section 5.1). llhttp reports another error after a name that it recognizes.
            State::InField if byte == b' ' && self.is_known_field() => {
                *at += 1;
                if !self.settings.lenient {
                    return Err(fault("HPE_INVALID_HEADER_TOKEN", "Invalid header field char"));
                }
                self.block.push(byte);
                self.state = State::AfterName;
                Ok(())
            }
            State::InField => Err(fault("HPE_INVALID_HEADER_TOKEN", "Invalid header token")),
            State::Reason => {
                self.run_end(byte, at, State::ResponseLf, State::FirstField, "Missing expected CR after response line")
            }
            _ => self.value_line_end(byte, at),
        }
    }

    /// Handles the end of a line with a field value.
    pub(super) fn value_line_end(&mut self, byte: u8, at: &mut usize) -> Result<(), Fault> {
        self.run_end(byte, at, State::ValueLf, State::AfterValue, "Missing expected CR after header value")
    }

    /// True if no byte of the value was read yet.
    pub(super) fn is_value_empty(&self) -> bool {
        self.block.len() == self.string_start
    }

    fn is_known_field(&self) -> bool {
        const KNOWN: [&[u8]; 5] =
            [b"connection", b"proxy-connection", b"content-length", b"transfer-encoding", b"upgrade"];
        let name = &self.block[self.string_start..];
        KNOWN.iter().any(|known| name.eq_ignore_ascii_case(known))
    }

    fn target_end(&mut self, byte: u8, at: &mut usize) -> Result<(), Fault> {
        match byte {
            b' ' => self.state = State::BeforeVersion,
            // llhttp: a request line without a version is HTTP/0.9.
            b'\r' => {
                (self.major, self.minor) = (0, 9);
                self.state = State::RequestLf;
            }
            b'\n' if self.settings.lenient => {
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

    /// Handles the end of a line whose last part was a run. RFC 9112 section 2.2 allows a recipient to accept a bare LF as line terminator.
    /// As llhttp, it is accepted only if lenient, because parsers that disagree about it enable request smuggling.
    fn run_end(&mut self, byte: u8, at: &mut usize, lf: State, next: State, reason: &'static str) -> Result<(), Fault> {
        match byte {
            b'\r' => self.state = lf,
            b'\n' if self.settings.lenient => self.state = next,
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

    /// Handles the start of a field line and the bytes around its colon. Of the two reactions to whitespace between the start line and the
    /// first field that RFC 9112 section 2.2 allows, llhttp rejects the message.
    pub(super) fn field_boundary(&mut self, byte: u8, at: &mut usize) -> Result<(), Fault> {
        const TOKEN: &str = "HPE_INVALID_HEADER_TOKEN";
        match (self.state, byte) {
            (State::FirstField, b' ') if !self.settings.lenient => {
                *at += 1;
                return Err(fault("HPE_UNEXPECTED_SPACE", "Unexpected space after start line"));
            }
            (State::FirstField, b' ') => *at += 1,
            (State::FirstField | State::Field, b'\r') => {
                self.state = State::HeadLf;
                *at += 1;
            }
            (State::FirstField | State::Field, b'\n') => {
                *at += 1;
                if !self.settings.lenient {
                    return Err(fault(TOKEN, "Invalid header field char"));
                }
                self.state = self.head_end();
            }
            (State::FirstField | State::Field, _) if is_token(byte) => {
                self.string_start = self.block.len();
                self.state = State::InField;
            }
            (State::FirstField | State::Field, _) => return Err(fault(TOKEN, "Invalid header token")),
            (State::BeforeValue, b' ' | b'\t') => *at += 1,
            (State::BeforeValue, b'\n') if !self.settings.lenient => {
                *at += 1;
                return Err(fault(TOKEN, "Invalid header value char"));
            }
            (State::AfterName, b' ') => {
                self.block.push(byte);
                *at += 1;
            }
            (State::AfterName, b':') => {
                *at += 1;
                self.name_end()?;
            }
            (State::AfterName, _) => return Err(fault(TOKEN, "Invalid header token")),
            (State::BeforeValue, b'\r' | b'\n') => self.state = State::Value,
            (State::BeforeValue, _) => match self.known {
                KnownField::ContentLength => self.length_start()?,
                KnownField::TransferEncoding => self.coding_start(at)?,
                _ => self.state = State::Value,
            },
            // Obsolete line folding: rejected unless lenient (RFC 9112 section 5.2).
            (State::AfterValue, b' ' | b'\t') if self.settings.lenient => {
                // Never for the codings: recipients disagree about a folded list, which enables request smuggling. llhttp accepts it
                // and takes the message as not chunked.
                if self.known == KnownField::TransferEncoding {
                    *at += 1;
                    return Err(fault("HPE_INVALID_TRANSFER_ENCODING", "Folded `Transfer-Encoding` header"));
                }
                if self.known == KnownField::ContentLength && !self.is_value_empty() {
                    return self.length_start();
                }
                if !self.is_value_empty() {
                    self.block.push(byte);
                }
                self.state = State::BeforeValue;
                *at += 1;
            }
            (State::AfterValue, b' ' | b'\t') => {
                if self.is_value_empty() {
                    *at += 1;
                    return Err(fault(TOKEN, "Invalid header value char"));
                }
                return Err(fault(TOKEN, "Unexpected whitespace after header value"));
            }
            _ => {
                self.value_end()?;
                self.state = State::Field;
            }
        }
        Ok(())
    }

    pub(super) fn count(&mut self, bytes: usize) -> Result<(), Fault> {
        self.head_bytes += bytes;
        if self.head_bytes >= self.settings.max_head_bytes as usize && bytes > 0 {
            return Err(fault("HPE_HEADER_OVERFLOW", "Header overflow"));
        }
        Ok(())
    }

    /// Handles the end of a name. Rejects Content-Length together with Transfer-Encoding (RFC 9112 section 6.3, rule 3).
    fn name_end(&mut self) -> Result<(), Fault> {
        let name = self.block[self.string_start..].trim_ascii_end();
        self.known = match name.len() {
            4 if name.eq_ignore_ascii_case(b"host") => KnownField::Host,
            6 if name.eq_ignore_ascii_case(b"expect") => KnownField::Expect,
            7 if name.eq_ignore_ascii_case(b"upgrade") => KnownField::Upgrade,
            10 if name.eq_ignore_ascii_case(b"connection") => KnownField::Connection,
            14 if name.eq_ignore_ascii_case(b"content-length") => KnownField::ContentLength,
            16 if name.eq_ignore_ascii_case(b"proxy-connection") => KnownField::Connection,
            17 if name.eq_ignore_ascii_case(b"transfer-encoding") => KnownField::TransferEncoding,
            _ => KnownField::Other,
        };
        // As `src/node_http_parser.cc: Parser::TrackHeaderPair`, only requests have this limit.
        if self.settings.kind == Kind::Request {
            self.strings += 2;
            if self.settings.max_strings > 0 && self.strings > self.settings.max_strings as usize {
                return Err(fault("HPE_HEADER_OVERFLOW", "Header overflow"));
            }
        }
        match self.known {
            KnownField::ContentLength if self.framing.transfer_encoding && !self.settings.lenient => {
                return Err(fault(
                    "HPE_INVALID_CONTENT_LENGTH",
                    "Content-Length can't be present with Transfer-Encoding",
                ));
            }
            KnownField::TransferEncoding if self.framing.content_length.is_some() && !self.settings.lenient => {
                return Err(fault(
                    "HPE_INVALID_TRANSFER_ENCODING",
                    "Transfer-Encoding can't be present with Content-Length",
                ));
            }
            _ => {}
        }
        self.block.push(b'\n');
        self.string_start = self.block.len();
        self.state = State::BeforeValue;
        Ok(())
    }

    fn value_end(&mut self) -> Result<(), Fault> {
        while self.block.len() > self.string_start && matches!(self.block.last(), Some(b' ' | b'\t')) {
            self.block.pop();
        }
        let value = &self.block[self.string_start..];
        match self.known {
            KnownField::Other => {}
            KnownField::Host => self.framing.host = true,
            KnownField::Expect => self.framing.expect = true,
            KnownField::Upgrade => self.framing.upgrade = true,
            KnownField::Connection => {
                for word in value.split(|&byte| byte == b',').map(<[u8]>::trim_ascii) {
                    self.framing.close |= word.eq_ignore_ascii_case(b"close");
                    self.framing.keep_alive |= word.eq_ignore_ascii_case(b"keep-alive");
                    self.framing.connection_upgrade |= word.eq_ignore_ascii_case(b"upgrade");
                }
            }
            KnownField::ContentLength => self.length_end()?,
            KnownField::TransferEncoding => self.codings_end()?,
        }
        self.block.push(b'\n');
        Ok(())
    }
}
