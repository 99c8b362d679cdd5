//! The chunked transfer coding (RFC 9112 section 7.1): chunk sizes and extensions.

use super::{MAX_EXTENSION_BYTES, Parser, State};
use crate::tables::{Fault, fault, is_token, is_value};

impl Parser {
    /// Parses a byte between two chunks' data: `chunk-size [ chunk-ext ] CRLF` (RFC 9112 section 7.1).
    pub(super) fn chunk(&mut self, byte: u8, at: &mut usize) -> Result<(), Fault> {
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
                // RFC 9112 section 7.1: a chunk size that overflows must not be truncated.
                if self.left >> 60 != 0 {
                    *at += 1;
                    return Err(fault(SIZE, "Chunk size overflow"));
                }
                self.left = self.left << 4 | u64::from((byte as char).to_digit(16).unwrap_or(0));
                State::ChunkSize
            }
            (State::ChunkStart, _) => return Err(fault(SIZE, "Invalid character in chunk size")),
            (State::ChunkSize, b' ' | b'\t') if self.settings.lenient => State::ChunkSize,
            (State::ChunkSize, b'\r') => State::ChunkSizeLf,
            (State::ChunkSize, b';') => State::ExtensionStart,
            (State::ChunkSize, b'\n') if !self.settings.lenient => {
                *at += 1;
                return Err(fault(CR, "Missing expected CR after chunk size"));
            }
            (State::ChunkSize | State::ExtensionName | State::ExtensionValue | State::AfterQuoted, b'\n')
                if self.settings.lenient =>
            {
                self.size_end()
            }
            (State::ChunkSize, _) => {
                *at += usize::from(matches!(byte, b' ' | b'\t'));
                return Err(fault(SIZE, "Invalid character in chunk size"));
            }
            (State::ExtensionStart, b' ' | b'\r') => {
                *at += 1;
                return Err(fault(STRICT, "Invalid character in chunk extensions"));
            }
            (State::ExtensionStart | State::ExtensionName, b'=') => State::ExtensionValue,
            (State::ExtensionStart | State::ExtensionName, b';') => State::ExtensionStart,
            (State::ExtensionStart | State::ExtensionName, _) if is_token(byte) => {
                self.extension(State::ExtensionName)?
            }
            (State::ExtensionName | State::ExtensionValue | State::AfterQuoted, b'\r') => State::ChunkSizeLf,
            (State::ExtensionStart | State::ExtensionName, b'\n') => {
                return Err(fault(CR, "Missing expected CR after chunk extension name"));
            }
            (State::ExtensionStart | State::ExtensionName, _) => {
                *at += 1;
                return Err(fault(STRICT, "Invalid character in chunk extensions name"));
            }
            (State::ExtensionValue, b'"') => self.extension(State::Quoted)?,
            (State::ExtensionValue | State::AfterQuoted, b';') => State::ExtensionStart,
            (State::ExtensionValue, _) if is_token(byte) => self.extension(State::ExtensionValue)?,
            (State::ExtensionValue | State::AfterQuoted, b'\n') => {
                return Err(fault(CR, "Missing expected CR after chunk extension value"));
            }
            (State::ExtensionValue, _) => {
                *at += 1;
                return Err(fault(STRICT, "Invalid character in chunk extensions value"));
            }
            (State::Quoted, b'"') => self.extension(State::AfterQuoted)?,
            (State::Quoted, b'\\') => self.extension(State::QuotedPair)?,
            (State::Quoted | State::QuotedPair, _) if is_value(byte) => self.extension(State::Quoted)?,
            (State::Quoted, _) => {
                *at += 1;
                return Err(fault(STRICT, "Invalid character in chunk extensions quoted value"));
            }
            (State::QuotedPair, _) => {
                *at += 1;
                return Err(fault(STRICT, "Invalid quoted-pair in chunk extensions quoted value"));
            }
            (State::AfterQuoted, _) => return Err(fault(STRICT, "Invalid character in chunk extensions quote value")),
            (State::ChunkSizeLf, b'\n') => self.size_end(),
            (State::ChunkSizeLf, _) if self.settings.lenient => {
                self.state = self.size_end();
                return Ok(());
            }
            (State::ChunkSizeLf, _) => return Err(fault(STRICT, "Expected LF after chunk size")),
            (State::ChunkCr, b'\r') => State::ChunkLf,
            (State::ChunkCr, b'\n') if !self.settings.lenient => {
                *at += 1;
                return Err(fault(CR, "Missing expected CR after chunk data"));
            }
            (State::ChunkCr | State::ChunkLf, b'\n') => State::ChunkStart,
            (State::ChunkCr | State::ChunkLf, _) if self.settings.lenient => {
                self.state = State::ChunkStart;
                return Ok(());
            }
            (State::ChunkCr | State::ChunkLf, _) => return Err(fault(STRICT, "Expected LF after chunk data")),
            _ => return self.line(byte, at),
        };
        *at += 1;
        Ok(())
    }

    /// Counts a byte of a chunk extension (RFC 9112 section 7.1.1).
    fn extension(&mut self, next: State) -> Result<State, Fault> {
        self.extension_bytes += 1;
        if self.extension_bytes > MAX_EXTENSION_BYTES {
            return Err(fault("HPE_CHUNK_EXTENSIONS_OVERFLOW", "Chunk extensions overflow"));
        }
        Ok(next)
    }

    /// Handles the end of a chunk-size line. Trailers follow the last chunk, whose size is 0 (RFC 9112 section 7.1.2).
    fn size_end(&mut self) -> State {
        if self.left > 0 {
            return State::ChunkData;
        }
        self.trailing = true;
        self.strings = 0;
        State::Field
    }
}
