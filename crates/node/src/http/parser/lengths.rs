//! The values that say how long a body is, `Content-Length` and `Transfer-Encoding`: what is wrong in them is found at the
//! byte where it is.

use super::{Kind, Parser, State};
use crate::http::tables::{Fault, fault};

const LENGTH: &str = "HPE_INVALID_CONTENT_LENGTH";
const CODING: &str = "HPE_INVALID_TRANSFER_ENCODING";
const CHUNKED: &[u8] = b"chunked";

/// How much of a transfer coding's name is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coding {
    /// Its name may begin.
    Before,
    /// So many bytes of `chunked`.
    Chunked(u8),
    /// Another one.
    Other,
}

impl Parser {
    /// The first byte of a length.
    pub(super) fn length_start(&mut self) -> Result<(), Fault> {
        if self.said.content_length.is_some() {
            return Err(fault("HPE_UNEXPECTED_CONTENT_LENGTH", "Duplicate Content-Length"));
        }
        self.said.content_length = Some(0);
        self.state = State::Length;
        Ok(())
    }

    /// Digits, then blanks, and nothing else.
    pub(super) fn length(&mut self, byte: u8, at: &mut usize) -> Result<(), Fault> {
        match byte {
            b'\r' | b'\n' => return self.value_line_end(byte, at),
            b' ' | b'\t' => self.state = State::AfterLength,
            b'0'..=b'9' if self.state == State::Length => {
                let known = self.said.content_length.unwrap_or(0);
                let next = known.checked_mul(10).and_then(|tens| tens.checked_add(u64::from(byte - b'0')));
                if next.is_none() {
                    *at += 1;
                    return Err(fault(LENGTH, "Content-Length overflow"));
                }
                self.said.content_length = next;
            }
            _ => return Err(fault(LENGTH, "Invalid character in Content-Length")),
        }
        self.block.push(byte);
        *at += 1;
        self.count(1)
    }

    /// The first byte of a list of codings, and perhaps not of the first list.
    pub(super) fn coding_start(&mut self, at: &mut usize) -> Result<(), Fault> {
        if self.said.chunked && self.has_chunked_last() {
            *at += 1;
            return Err(fault(CODING, "Invalid `Transfer-Encoding` header value"));
        }
        self.coding = Coding::Before;
        self.state = State::Value;
        Ok(())
    }

    /// Whether nothing may come behind `chunked`. A response that has something there ends with the connection.
    fn has_chunked_last(&self) -> bool {
        self.settings.kind == Kind::Request && !self.settings.lenient
    }

    /// A part of the list of codings: at which of its bytes it is wrong.
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

    /// The end of a length: there has to be one.
    pub(super) fn length_end(&self) -> Result<(), Fault> {
        if self.is_value_empty() { Err(fault(LENGTH, "Empty Content-Length")) } else { Ok(()) }
    }

    /// The end of a list of codings.
    pub(super) fn codings_end(&mut self) -> Result<(), Fault> {
        if self.is_value_empty() {
            return Err(fault(CODING, "Empty Transfer-Encoding"));
        }
        self.said.chunked = is_chunked(self.coding);
        self.said.transfer_encoding = true;
        Ok(())
    }
}

fn is_chunked(coding: Coding) -> bool {
    coding == Coding::Chunked(CHUNKED.len() as u8)
}
