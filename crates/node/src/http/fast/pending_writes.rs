//! Buffered writes of a response: its parts are collected until a later tick sends them with one system call, while Node would cork the
//! socket. No JavaScript values are kept here, except the entries that move to the stream's own buffer.
//!
//! # Ground rules
//! - A socket has pending writes only while its stream state is untouched, and `kIsUnwritten` is `HOLDS` exactly while they are not
//!   finished.
//! - All pending writes belong to one response, and a tick to send them is scheduled. `end()` sends them at once, or moves them to the
//!   stream.
//! - Code that needs the stream's state first moves all pending writes to the stream. They are not used again for that socket.

use std::cell::Cell;

use phasor_js::bytes::{Part, string_from_latin1, string_from_utf8};
use rquickjs::{Array, ArrayBuffer, Ctx, Result, Value};

use super::super::respond::{self, push_hex};

thread_local! {
    /// The number of quiet ticks of all sockets, see [`quiet_ticks`].
    static QUIET: Cell<usize> = const { Cell::new(0) };
}

/// The number of queued ticks that only flush pending writes, and so do not call the program.
pub(super) fn quiet_ticks() -> usize {
    QUIET.get()
}

/// The line end after the size and after the data of a chunk.
const CRLF: &[u8] = b"\r\n";

/// The type of a part that was passed to `write()`: a string or bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Bytes,
}

/// The position of one write in the bytes. It begins where the one before ends.
#[derive(Clone, Copy)]
struct Written {
    /// The end of the response head, if the write has one, and of the chunk size. A chunk has a [`CRLF`] here.
    before: usize,
    /// The end of the part. A chunk has a [`CRLF`] here.
    end: usize,
    kind: Kind,
    is_chunk: bool,
}

/// The pending writes of a socket whose stream state is untouched.
#[derive(Default)]
pub(crate) struct PendingWrites {
    bytes: Vec<u8>,
    writes: Vec<Written>,
    /// The length as a stream counts it: UTF-16 code units of text, bytes of buffers.
    length: usize,
    /// The number of queued ticks for these writes, which are in [`QUIET`].
    quiet: usize,
    /// The number of sent flushes whose completion tick has not run.
    pub(super) untold: u32,
    /// `write()` has returned false, so 'drain' must be emitted.
    pub(super) needs_drain: bool,
}

impl Drop for PendingWrites {
    fn drop(&mut self) {
        self.count_quiet(0);
    }
}

impl PendingWrites {
    /// True if there are writes that a queued tick will send.
    pub(super) fn is_corked(&self) -> bool {
        !self.writes.is_empty()
    }

    /// True if nothing is pending: no writes, no completion and no 'drain'.
    pub(super) fn is_over(&self) -> bool {
        !self.is_corked() && self.untold == 0 && !self.needs_drain
    }

    /// True if the length has reached the highWaterMark.
    pub(super) fn is_full(&self, most: f64) -> bool {
        self.length as f64 >= most
    }

    /// The length as a stream counts it.
    pub(super) fn len(&self) -> usize {
        self.length
    }

    pub(super) fn is_empty(&self) -> bool {
        self.length == 0
    }

    pub(super) fn bytes_mut(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Appends a part, after the response head if there is one.
    pub(super) fn add(&mut self, head: Option<Vec<u8>>, part: &Part<'_>, is_chunk: bool) {
        let start = self.bytes.len();
        let kind = if matches!(part, Part::Bytes(_)) { Kind::Bytes } else { Kind::Text };
        if let Some(mut head) = head {
            if kind == Kind::Bytes || is_chunk {
                respond::make_latin1(&mut head);
            }
            if self.bytes.capacity() == 0 {
                self.bytes = head;
            } else {
                self.bytes.extend_from_slice(&head);
            }
        } else if self.bytes.capacity() == 0 {
            self.bytes = respond::scratch();
        }
        if is_chunk {
            push_hex(&mut self.bytes, part.len());
        }
        let before = self.bytes.len();
        if is_chunk {
            self.bytes.extend_from_slice(CRLF);
        }
        let from = self.bytes.len();
        part.append_to(&mut self.bytes);
        let end = self.bytes.len();
        self.length += match kind {
            Kind::Text if !is_chunk => units(&self.bytes[start..end]),
            Kind::Text => before - start + units(&self.bytes[from..end]),
            Kind::Bytes => before - start + end - from,
        };
        if is_chunk {
            self.bytes.extend_from_slice(CRLF);
            self.length += 2 * CRLF.len();
        }
        self.writes.push(Written { before, end, kind, is_chunk });
    }

    /// Removes all writes, which are sent.
    pub(super) fn clear(&mut self) {
        respond::give_scratch(std::mem::take(&mut self.bytes));
        self.writes.clear();
        self.length = 0;
    }

    /// Counts a queued tick as quiet.
    pub(super) fn add_quiet(&mut self) {
        self.count_quiet(self.quiet + 1);
    }

    /// A quiet tick runs now. It may have been counted off by a drop before.
    pub(super) fn end_quiet(&mut self) {
        self.count_quiet(self.quiet.saturating_sub(1));
    }

    fn count_quiet(&mut self, count: usize) {
        let _ = QUIET.try_with(|quiet| quiet.set(quiet.get() + count - self.quiet));
        self.quiet = count;
    }

    /// The content of a stream's buffer after the same writes in Node. A list: [`untold`](Self::untold), [`needs_drain`](Self::needs_drain), then
    /// three elements for each entry: the chunk, its encoding (undefined for bytes), and whether it is the last of its write.
    pub(super) fn entries<'js>(&self, ctx: &Ctx<'js>) -> Result<Array<'js>> {
        let list = Array::new(ctx.clone())?;
        list.set(0, self.untold)?;
        list.set(1, self.needs_drain)?;
        let add = |chunk: Value<'js>, encoding: Option<&str>, is_last: bool| -> Result<()> {
            let at = list.len();
            list.set(at, chunk)?;
            list.set(at + 1, encoding)?;
            list.set(at + 2, is_last)
        };
        let raw = |bytes: &[u8]| Ok::<_, rquickjs::Error>(ArrayBuffer::new_copy(ctx.clone(), bytes)?.into_value());
        let mut start = 0;
        for &Written { before, end, kind, is_chunk } in &self.writes {
            let line_end = if is_chunk { CRLF.len() } else { 0 };
            let (head, part) = (&self.bytes[start..before], &self.bytes[before + line_end..end]);
            let whole = &self.bytes[start..end];
            start = end + line_end;
            // As `lib/_http_outgoing.js: _send`: the head is prepended to a string that follows it.
            if kind == Kind::Text && !is_chunk {
                add(string_from_utf8(ctx, whole)?, Some("utf8"), true)?;
                continue;
            }
            if !head.is_empty() {
                add(string_from_latin1(ctx, head)?, Some("latin1"), false)?;
            }
            if is_chunk {
                add(raw(CRLF)?, None, false)?;
            }
            match kind {
                Kind::Text => add(string_from_utf8(ctx, part)?, Some("utf8"), false)?,
                Kind::Bytes => add(raw(part)?, None, !is_chunk)?,
            }
            if is_chunk {
                add(raw(CRLF)?, None, true)?;
            }
        }
        Ok(list)
    }
}

/// The number of UTF-16 code units of UTF-8 text.
fn units(text: &[u8]) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    // One for each first byte of a character, and one more for characters of four bytes.
    text.iter().map(|byte| usize::from(*byte & 0xC0 != 0x80) + usize::from(*byte >= 0xF0)).sum()
}

#[cfg(test)]
mod tests {
    use rquickjs::{Context, Runtime};

    use super::*;

    #[test]
    fn pending_length_matches_the_stream() {
        assert_eq!(units(b"abc"), 3);
        assert_eq!(units("\u{e4}\u{20ac}\u{1f600}".as_bytes()), 4);
        let mut held = PendingWrites::default();
        held.add(Some(b"head".to_vec()), &Part::Owned("\u{20ac}".into()), true);
        assert_eq!((&*held.bytes, held.length), ("head3\r\n\u{20ac}\r\n".as_bytes(), 10));
        held.add(None, &Part::Owned(b"x".to_vec()), false);
        assert_eq!((held.bytes.len(), held.length), (13, 11));
        assert!(held.is_full(11.0) && !held.is_full(12.0));
        held.clear();
        assert!(held.is_empty() && !held.is_corked() && held.is_over());
    }

    #[test]
    fn surrendered_writes_match_what_node_writes() {
        Context::full(&Runtime::new().unwrap()).unwrap().with(|ctx| {
            let mut held = PendingWrites::default();
            (held.untold, held.needs_drain) = (1, true);
            held.add(Some("h\u{e4}".into()), &Part::Owned("\u{e4}".into()), true);
            held.add(Some("h\u{e4}".into()), &Part::Owned("x".into()), false);
            ctx.globals().set("held", held.entries(&ctx).unwrap()).unwrap();
            let told: String = ctx
                .eval("held.map((one) => one instanceof ArrayBuffer ? String([...new Uint8Array(one)]) : String(one)).join('|')")
                .unwrap();
            let all = [
                "1|true",
                "h\u{e4}2|latin1|false",
                "13,10|undefined|false",
                "\u{e4}|utf8|false",
                "13,10|undefined|true",
                "h\u{e4}x|utf8|true",
            ];
            assert_eq!(told, all.join("|"));
        });
    }

    #[test]
    fn pending_ticks_are_counted_until_run_or_surrendered() {
        let mut held = PendingWrites::default();
        held.add_quiet();
        held.add_quiet();
        assert_eq!(quiet_ticks(), 2);
        held.end_quiet();
        assert_eq!(quiet_ticks(), 1);
        drop(held);
        assert_eq!(quiet_ticks(), 0);
    }
}
