//! Values of `Content-Length` (RFC 9112 section 6.2) and `Transfer-Encoding` (section 6.1). As in llhttp, an error is reported at the byte
//! that is wrong.

use super::{Kind, Parser, State};
use crate::tables::{Fault, fault};

const LENGTH: &str = "HPE_INVALID_CONTENT_LENGTH";
const CODING: &str = "HPE_INVALID_TRANSFER_ENCODING";
const CHUNKED: &[u8] = b"chunked";

/// Progress in the name of a transfer coding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coding {
    /// Before a name.
    Before,
    /// The number of bytes of `chunked` matched so far.
    Chunked(u8),
    /// In another name.
    Other,
}

impl Parser {
    /// Parses the first byte of a length.
    pub(super) fn length_start(&mut self) -> Result<(), Fault> {
        if self.framing.content_length.is_some() {
            // RFC 9110 section 8.6 allows repetitions of the same value; llhttp rejects every repetition.
            return Err(fault("HPE_UNEXPECTED_CONTENT_LENGTH", "Duplicate Content-Length"));
        }
        self.framing.content_length = Some(0);
        self.state = State::Length;
        Ok(())
    }

    /// Parses digits, then trailing whitespace. Any other byte is an error.
    pub(super) fn length(&mut self, byte: u8, at: &mut usize) -> Result<(), Fault> {
        match byte {
            b'\r' | b'\n' => return self.value_line_end(byte, at),
            b' ' | b'\t' => self.state = State::AfterLength,
            b'0'..=b'9' if self.state == State::Length => {
                let known = self.framing.content_length.unwrap_or(0);
                let next = known.checked_mul(10).and_then(|tens| tens.checked_add(u64::from(byte - b'0')));
                // RFC 9110 section 8.6: a length that overflows must not be truncated.
                if next.is_none() {
                    *at += 1;
                    return Err(fault(LENGTH, "Content-Length overflow"));
                }
                self.framing.content_length = next;
            }
            _ => return Err(fault(LENGTH, "Invalid character in Content-Length")),
        }
        self.block.push(byte);
        *at += 1;
        self.count(1)
    }

    /// Parses the first byte of a list of codings, which may continue an earlier `Transfer-Encoding` field.
    pub(super) fn coding_start(&mut self, at: &mut usize) -> Result<(), Fault> {
        if self.framing.chunked && self.has_chunked_last() {
            *at += 1;
            return Err(fault(CODING, "Invalid `Transfer-Encoding` header value"));
        }
        self.coding = Coding::Before;
        self.state = State::Value;
        Ok(())
    }

    /// True if `chunked` must be the last coding. Only requests require it; in a response with another last coding, the end of the
    /// connection ends the body (RFC 9112 section 6.3, rule 4).
    fn has_chunked_last(&self) -> bool {
        self.settings.kind == Kind::Request && !self.settings.lenient
    }

    /// Parses a part of the list of codings. The error has the index of the wrong byte.
    pub(super) fn codings(&mut self, run: &[u8]) -> Result<(), (usize, Fault)> {
        for (index, &byte) in run.iter().enumerate() {
            self.coding = match (self.coding, byte) {
                (coding, b',') if is_chunked(coding) && self.has_chunked_last() => {
                    return Err((index, fault(CODING, "Invalid `Transfer-Encoding` header value")));
                }
                (_, b',') => Coding::Before,
                (Coding::Before, b' ' | b'\t') => Coding::Before,
                (coding, b' ') if is_chunked(coding) => coding,
                (Coding::Before, b'c' | b'C') => Coding::Chunked(1),
                (Coding::Chunked(known), _)
                    if CHUNKED.get(usize::from(known)).is_some_and(|next| next.eq_ignore_ascii_case(&byte)) =>
                {
                    Coding::Chunked(known + 1)
                }
                _ => Coding::Other,
            };
        }
        Ok(())
    }

    /// Handles the end of a length. An empty one is an error.
    pub(super) fn length_end(&self) -> Result<(), Fault> {
        if self.is_value_empty() { Err(fault(LENGTH, "Empty Content-Length")) } else { Ok(()) }
    }

    /// Handles the end of a list of codings.
    pub(super) fn codings_end(&mut self) -> Result<(), Fault> {
        if self.is_value_empty() {
            return Err(fault(CODING, "Empty Transfer-Encoding"));
        }
        self.framing.chunked = is_chunked(self.coding);
        self.framing.transfer_encoding = true;
        Ok(())
    }
}

fn is_chunked(coding: Coding) -> bool {
    coding == Coding::Chunked(CHUNKED.len() as u8)
}
