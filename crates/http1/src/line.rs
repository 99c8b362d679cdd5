//! The start line of a message (RFC 9112 sections 3 and 4), and the line feeds of its head.

use super::{Kind, PROTOCOLS, Parser, State};
use crate::tables::{CONNECT, Fault, METHODS, PREFACE, fault, is_authority, is_method_prefix, method};

impl Parser {
    /// Parses the start line except its variable-length parts, and the line feeds of the head.
    pub(super) fn line(&mut self, byte: u8, at: &mut usize) -> Result<(), Fault> {
        const VERSION: &str = "HPE_INVALID_VERSION";
        let is_request = self.settings.kind == Kind::Request;
        self.state = match (self.state, byte) {
            (State::Method, b' ') if self.line == b"PRI" => State::Preface(0),
            (State::Method, b' ') => {
                let Some(method) = method(&self.line) else {
                    return Err(fault("HPE_INVALID_METHOD", "Invalid method encountered"));
                };
                self.method = method;
                self.line.clear();
                State::BeforeTarget
            }
            (State::Method, _) => {
                let was_whole = method(&self.line).is_some();
                self.line.push(byte);
                if !is_method_prefix(&self.line) {
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
            (State::BeforeVersion, b'H') => State::Protocol(0, 1),
            (State::BeforeVersion | State::Protocol(_, 0), b'R') => State::Protocol(1, 1),
            (State::BeforeVersion | State::Protocol(_, 0), b'I') => State::Protocol(2, 1),
            (State::Protocol(which, known), _) if PROTOCOLS[which as usize].get(known as usize) == Some(&byte) => {
                if byte == b'/' {
                    if is_request {
                        self.check_method(which)?;
                    }
                    State::Major
                } else {
                    State::Protocol(which, known + 1)
                }
            }
            (State::BeforeVersion | State::Protocol(..), _) => {
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
                if !self.settings.lenient && !matches!((self.major, self.minor), (0, 9) | (1, 0 | 1) | (2, 0)) {
                    *at += 1;
                    return Err(fault(VERSION, "Invalid HTTP version"));
                }
                if is_request { State::RequestCr } else { State::BeforeStatus }
            }
            (State::Minor, _) => return Err(fault(VERSION, "Invalid minor version")),
            (State::RequestCr, b'\r') => State::RequestLf,
            (State::RequestCr, b'\n') if self.settings.lenient => State::FirstField,
            (State::RequestCr, _) => {
                *at += usize::from(byte == b'\n');
                return Err(fault(VERSION, "Expected CRLF after version"));
            }
            (State::RequestLf | State::ResponseLf, b'\n') => State::FirstField,
            (State::RequestLf | State::ResponseLf, _) if self.settings.lenient => {
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
            (State::AfterStatus, b'\n') if self.settings.lenient => State::FirstField,
            (State::AfterStatus, _) => {
                *at += usize::from(byte == b'\n');
                return Err(fault("HPE_INVALID_STATUS", "Invalid response status"));
            }
            (State::ValueLf, b'\n') => State::AfterValue,
            (State::ValueLf, _) if self.is_value_empty() => {
                if !self.settings.lenient {
                    return Err(fault("HPE_STRICT", "Expected LF after CR"));
                }
                self.state = State::AfterValue;
                return Ok(());
            }
            (State::ValueLf, _) => return Err(fault("HPE_LF_EXPECTED", "Missing expected LF after header value")),
            (State::HeadLf, b'\n') => self.head_end(),
            (State::HeadLf, _) if self.settings.lenient => {
                self.state = self.head_end();
                return Ok(());
            }
            (State::HeadLf, _) => return Err(fault("HPE_STRICT", "Expected LF after headers")),
            (State::Closed, b'\r' | b'\n') => State::Closed,
            (State::Closed, _) if self.settings.lenient => {
                self.state = State::Start;
                return Ok(());
            }
            _ => return Err(fault("HPE_CLOSED_CONNECTION", "Data after `Connection: close`")),
        };
        *at += 1;
        Ok(())
    }

    /// As llhttp: RTSP and ICE have methods of their own. Methods of RTSP alone are not in [`METHODS`].
    fn check_method(&self, protocol: u8) -> Result<(), Fault> {
        const CONSTANT: &str = "HPE_INVALID_CONSTANT";
        match (PROTOCOLS[protocol as usize], METHODS.get(self.method as usize)) {
            (b"HTTP/", Some(_)) | (b"ICE/", Some(&"SOURCE")) => Ok(()),
            (b"RTSP/", None | Some(&("GET" | "POST" | "OPTIONS"))) => Ok(()),
            (b"HTTP/", None) => Err(fault(CONSTANT, "Invalid method for HTTP/x.x request")),
            (b"RTSP/", _) => Err(fault(CONSTANT, "Invalid method for RTSP/x.x request")),
            _ => Err(fault(CONSTANT, "Expected SOURCE method for ICE/x.x request")),
        }
    }

    /// llhttp recognizes the HTTP/2 connection preface (RFC 9113 section 3.4) and reports it as an error.
    fn preface(&mut self, byte: u8, at: &mut usize) -> Result<(), Fault> {
        let State::Preface(known) = self.state else { return Ok(()) };
        // The first space was consumed with the method.
        if PREFACE.get(known as usize + 1) != Some(&byte) {
            return Err(fault("HPE_INVALID_VERSION", "Expected HTTP/2 Connection Preface"));
        }
        *at += 1;
        if known as usize + 2 == PREFACE.len() {
            return Err(fault("HPE_PAUSED_H2_UPGRADE", "Pause on PRI/Upgrade"));
        }
        self.state = State::Preface(known + 1);
        Ok(())
    }

    /// Parses a request target up to its path (RFC 9112 section 3.2).
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
}
