//! The handling of a stream that is ready, in the stages of `src/unix/stream.c: uv__stream_io`. Events are returned
//! between the stages.
//!
//! A connect in progress excludes everything else. Otherwise: reads, hangup, writes, outcomes of writes, and the
//! shutdown when all is written. Every stage looks the stream up again, because the callback may have stopped or closed
//! it.

use super::{Flags, HandleBody, HandleId, Kind};
use crate::event::{Event, Outcome};
use crate::face::Face;
use crate::phases::InProgress;
use crate::platform::Readiness;
use crate::slab::END;
use crate::state::Loop;

/// The most reads of a stream for one readiness, so that a fast peer does not starve other handles (`count` in
/// `src/unix/stream.c: uv__read`).
const MAX_READS: u8 = 32;

/// The progress of handling one readiness.
#[derive(Clone, Copy)]
pub(crate) struct StreamIo {
    id: HandleId,
    readiness: Readiness,
    stage: Stage,
}

/// The next stage.
#[derive(Clone, Copy)]
enum Stage {
    Begin,
    /// The callback has received the error of the connect.
    ConnectFailed,
    Read(Reads),
    Hangup,
    Write,
    /// Report the outcomes of writes, up to this request.
    Outcomes {
        last: u32,
        /// Whether the stage `Drain` follows.
        drain: bool,
    },
    Drain,
    /// The callback has received a connection.
    Accepted,
}

#[derive(Clone, Copy)]
struct Reads {
    /// How many more reads are allowed.
    left: u8,
    /// Whether [`Event::Readable`] was returned. The result of the read decides how to continue.
    offered: bool,
    /// Whether these are the last reads of a stream that has hung up.
    hung_up: bool,
}

impl Reads {
    const fn begin(hung_up: bool) -> Stage {
        Stage::Read(Reads { left: MAX_READS, offered: false, hung_up })
    }
}

/// The next stage, if any, and the event to return before it.
type Next<F> = (Option<Stage>, Option<Event<F>>);

impl<F: Face> Loop<F> {
    /// Handles the readiness of a stream, in the poll phase.
    pub(crate) fn stream_ready(&mut self, id: HandleId, readiness: Readiness) -> Option<Event<F>> {
        let listening = self.handles.stream(id).is_ok_and(|stream| stream.flags.has(Flags::LISTENING));
        if !listening {
            return self.stream_advance(StreamIo { id, readiness, stage: Stage::Begin });
        }
        let event = self.listener_ready(id)?;
        self.in_progress = InProgress::Stream(StreamIo { id, readiness, stage: Stage::Accepted });
        Some(event)
    }

    /// Handles a stream from the pending queue.
    pub(crate) fn stream_pending(&mut self, id: HandleId) -> Option<Event<F>> {
        let handle = self.handles.get(id).ok()?;
        let HandleBody::Stream(stream) = &handle.body else { return None };
        // `src/unix/stream.c: uv__io_close` removes the stream from the pending queue: unfinished requests are returned
        // in the closing phase.
        if handle.closing || stream.flags.has(Flags::LISTENING) {
            return None;
        }
        let last = stream.done.last();
        let stage = match stream.connect {
            // While connecting, the stream is not writable yet, and its error is not known: only cancelled writes are
            // reported.
            Some(_) if stream.delayed_error.is_none() => Stage::Outcomes { last, drain: false },
            Some(_) => Stage::Begin,
            None if stream.queued.is_empty() => return self.next_outcome(id, last, true),
            None => Stage::Write,
        };
        self.stream_advance(StreamIo { id, readiness: Readiness::WRITABLE, stage })
    }

    /// Continues with the stream in progress. The stages `Outcomes` and `Drain`, which follow every write, take a fast
    /// path.
    #[inline]
    pub(crate) fn stream_resume(&mut self, io: &StreamIo) -> Option<Event<F>> {
        match io.stage {
            Stage::Drain => {
                self.in_progress = InProgress::Nothing;
                self.drain(io.id)
            }
            Stage::Outcomes { last, drain } => self.next_outcome(io.id, last, drain),
            _ => self.stream_advance(*io),
        }
    }

    /// Runs the stages up to the next event. `None` when the readiness is handled.
    pub(crate) fn stream_advance(&mut self, mut io: StreamIo) -> Option<Event<F>> {
        let id = io.id;
        loop {
            let (next, event) = match io.stage {
                Stage::Begin => self.io_begin(io),
                Stage::ConnectFailed => self.io_connect_failed(id),
                Stage::Read(reads) => self.io_read(id, reads),
                Stage::Hangup => self.io_hangup(io),
                Stage::Write => self.io_write(io),
                Stage::Outcomes { last, drain } => return self.next_outcome(id, last, drain),
                Stage::Drain => (None, self.drain(id)),
                Stage::Accepted => {
                    self.after_connection_event(id);
                    (None, None)
                }
            };
            match (next, event) {
                (None, event) => {
                    self.in_progress = InProgress::Nothing;
                    return event;
                }
                (Some(stage), Some(event)) => {
                    self.in_progress = InProgress::Stream(StreamIo { stage, ..io });
                    return Some(event);
                }
                (Some(stage), None) => io.stage = stage,
            }
        }
    }

    /// Whether the stream is between [`Event::Readable`] and the next call of [`Loop::next`].
    pub(super) fn is_read_offered(&self, id: HandleId) -> bool {
        matches!(self.in_progress, InProgress::Stream(StreamIo { id: at, stage: Stage::Read(_), .. }) if at == id)
    }

    /// Whether the stream is offered for reading again because the last read filled its buffer: a shortcut for
    /// [`Loop::next`] returning [`Event::Readable`] for it. Always false if there is an observer, which must be
    /// notified of each event.
    pub fn stream_reads_again(&mut self, id: HandleId) -> bool {
        let InProgress::Stream(StreamIo { id: at, readiness, stage: Stage::Read(reads) }) = self.in_progress else {
            return false;
        };
        let Ok(handle) = self.handles.get_mut(id) else { return false };
        let HandleBody::Stream(stream) = &mut handle.body else { return false };
        if at != id || reads.left == 0 || handle.closing || self.instrumentation.has_observers() {
            return false;
        }
        if !stream.flags.has(Flags::FILLED) || !stream.flags.has(Flags::READING) || stream.flags.has(Flags::FAILED) {
            return false;
        }
        stream.flags.remove(Flags::FILLED);
        self.time_is_fresh = false;
        self.in_progress =
            InProgress::Stream(StreamIo { id, readiness, stage: Stage::Read(Reads { left: reads.left - 1, ..reads }) });
        true
    }

    fn io_begin(&mut self, io: StreamIo) -> Next<F> {
        let Ok(stream) = self.handles.stream(io.id) else { return (None, None) };
        if stream.connect.is_some() {
            return match self.connect_outcome(io.id) {
                Some((request, result)) => {
                    let next = result.is_err().then_some(Stage::ConnectFailed);
                    (next, Some(Event::Done(request, Outcome::Connect(result))))
                }
                None => (None, None),
            };
        }
        let reads = io.readiness.intersects(Readiness::READABLE | Readiness::ERROR);
        (Some(if reads { Reads::begin(false) } else { Stage::Hangup }), None)
    }

    /// After a failed connect, cancels the queued writes, unless the callback closed the stream (`src/unix/stream.c:
    /// uv__stream_connect`).
    fn io_connect_failed(&mut self, id: HandleId) -> Next<F> {
        if self.is_closing(id) {
            return (None, None);
        }
        self.cancel_queued(id);
        let last = self.handles.stream(id).map_or(END, |stream| stream.done.last());
        (Some(Stage::Outcomes { last, drain: false }), None)
    }

    /// Continues to read while the buffers are filled, up to the limit (`src/unix/stream.c: uv__read`).
    fn io_read(&mut self, id: HandleId, reads: Reads) -> Next<F> {
        if self.is_closing(id) {
            return (None, None);
        }
        let after = if reads.hung_up { Stage::Write } else { Stage::Hangup };
        let Ok(stream) = self.handles.stream_mut(id) else { return (None, None) };
        if reads.offered && stream.flags.has(Flags::FAILED) {
            stream.flags.remove(Flags::FAILED);
            let _ = self.stream_read_stop(id);
            return (Some(after), None);
        }
        let again = !reads.offered || stream.flags.has(Flags::FILLED);
        if !again || reads.left == 0 || !stream.flags.has(Flags::READING) {
            return (Some(after), None);
        }
        stream.flags.remove(Flags::FILLED);
        let next = Stage::Read(Reads { left: reads.left - 1, offered: true, ..reads });
        (Some(next), Some(Event::Readable(id)))
    }

    /// The peer has hung up and there is nothing to read: reports end of file without a read. A terminal may still have
    /// data, so it is read.
    fn io_hangup(&mut self, io: StreamIo) -> Next<F> {
        let Ok(stream) = self.handles.stream(io.id) else { return (None, None) };
        let reads = stream.flags.has(Flags::READING) && !stream.flags.has(Flags::ENDED);
        let was_readable = io.readiness.intersects(Readiness::READABLE);
        let is_drained = F::EOF_IN_SAME_TURN
            && reads
            && was_readable
            && io.readiness.intersects(Readiness::HANGUP)
            && stream.flags.has(Flags::PARTIAL);
        let has_ended = reads && !was_readable && io.readiness.intersects(Readiness::HANGUP | Readiness::PEER_CLOSED);
        if !is_drained && !has_ended {
            return (Some(Stage::Write), None);
        }
        // After a message with a file descriptor, the read was partial although more data may follow.
        if stream.kind == Kind::Tty || (is_drained && stream.flags.has(Flags::IPC)) {
            return (Some(Reads::begin(true)), None);
        }
        self.end_of_stream(io.id);
        (Some(Stage::Write), Some(Event::Hangup(io.id)))
    }

    fn io_write(&mut self, io: StreamIo) -> Next<F> {
        if self.is_closing(io.id)
            || !io.readiness.intersects(Readiness::WRITABLE | Readiness::ERROR | Readiness::HANGUP)
        {
            return (None, None);
        }
        self.write_queued(io.id);
        let last = self.handles.stream(io.id).map_or(END, |stream| stream.done.last());
        (Some(Stage::Outcomes { last, drain: true }), None)
    }

    /// Reports the writes that had finished when the stage began, up to the write in slot `last`, even if a callback
    /// closes the stream (`src/unix/stream.c: uv__write_callbacks`). Continues with the stage `Drain` if `drain` is
    /// set.
    fn next_outcome(&mut self, id: HandleId, last: u32, drain: bool) -> Option<Event<F>> {
        self.in_progress = InProgress::Nothing;
        if last != END
            && let Some((slot, event)) = self.write_outcome(id)
        {
            let stage = if slot == last { Stage::Drain } else { Stage::Outcomes { last, drain } };
            if slot != last || drain {
                self.in_progress = InProgress::Stream(StreamIo { id, readiness: Readiness::WRITABLE, stage });
            }
            return Some(event);
        }
        if drain { self.drain(id) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use phasor_sys::{Errno, Result, socket};

    use super::*;
    use crate::phase::RunMode;

    struct Names;

    impl Face for Names {
        type Handle = &'static str;
        type Request = &'static str;
        type Bytes = Vec<u8>;
    }

    #[test]
    fn a_hangup_without_data_is_reported_as_eof_before_writes() {
        let mut core = Loop::<Names>::new().unwrap();
        let (near, _far) = socket::stream_pair([true, true]).unwrap();
        let pipe = core.pipe_open(false, "pipe");
        core.pipe_adopt(pipe, near).unwrap();
        core.stream_read_start(pipe).unwrap();
        core.stream_write(pipe, b"x".to_vec(), "write").unwrap();
        let event = core.stream_ready(pipe, Readiness::HANGUP | Readiness::WRITABLE);
        assert!(matches!(event, Some(Event::Hangup(id)) if id == pipe));
        assert!(!core.is_active(pipe) && !core.stream_is_reading(pipe));
        let event = core.next_in_progress();
        assert!(matches!(event, Some(Event::Done("write", Outcome::Write { result: Ok(()), written: 1, .. }))));
        assert!(core.next_in_progress().is_none());
        assert!(core.stream_ready(pipe, Readiness::HANGUP).is_none(), "the stream is not being read");
        assert!(core.next(RunMode::Default).is_none());
    }

    struct ToTheEnd;

    impl Face for ToTheEnd {
        type Handle = &'static str;
        type Request = &'static str;
        type Bytes = Vec<u8>;
        const EOF_IN_SAME_TURN: bool = true;
    }

    /// Counts the reads that are offered in one turn after the peer has written and closed. `None` stands for end of
    /// file without a read.
    fn reads_of_a_turn<F: Face<Handle = &'static str, Request = &'static str, Bytes = Vec<u8>>>(
        ipc: bool,
    ) -> Vec<Option<Result<usize>>> {
        let mut core = Loop::<F>::new().unwrap();
        let (near, far) = socket::stream_pair([true, true]).unwrap();
        let pipe = core.pipe_open(ipc, "pipe");
        core.pipe_adopt(pipe, near).unwrap();
        core.stream_read_start(pipe).unwrap();
        socket::writev(&far, socket::Transport::Socket, &[std::io::IoSlice::new(b"last")]).unwrap();
        drop(far);
        let mut reads = Vec::new();
        let mut event = core.stream_ready(pipe, Readiness::READABLE | Readiness::HANGUP);
        while let Some(next) = event {
            reads.push(match next {
                Event::Readable(id) => Some(core.stream_read(id, &mut [0; 64])),
                Event::Hangup(_) => None,
                _ => unreachable!("only reading was started"),
            });
            event = core.next_in_progress();
        }
        reads
    }

    #[test]
    fn eof_after_a_short_read_comes_in_the_same_turn_only_if_the_front_end_asks_for_it() {
        assert_eq!(reads_of_a_turn::<Names>(false), [Some(Ok(4))]);
        assert_eq!(reads_of_a_turn::<ToTheEnd>(false), [Some(Ok(4)), None]);
        assert_eq!(reads_of_a_turn::<ToTheEnd>(true), [Some(Ok(4)), Some(Err(Errno::EOF))]);
    }
}
