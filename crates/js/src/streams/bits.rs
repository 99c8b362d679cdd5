//! The bits of a stream's state. Their positions are Node's, as defined in `flags.js`, `readable_state.js` and
//! `writable_state.js` of `phasor-node`.

macro_rules! bits {
    ($(#[$about:meta])* $module:ident, $all:ident; $($name:ident, $shown:literal: $place:literal;)*) => {
        $(#[$about])*
        pub(super) mod $module {
            $(pub(in super::super) const $name: u32 = 1 << $place;)*
        }

        /// The bits that the steps use, by their names in JavaScript.
        pub const $all: &[(&str, u32)] = &[$(($shown, $module::$name),)*];
    };
}

bits! {
    /// Of a Readable.
    readable, READABLE_BITS;
    OBJECT_MODE, "kObjectMode": 0;
    ERROR_EMITTED, "kErrorEmitted": 1;
    DESTROYED, "kDestroyed": 4;
    CLOSE_EMITTED, "kCloseEmitted": 6;
    ERRORED, "kErrored": 7;
    CONSTRUCTED, "kConstructed": 8;
    ENDED, "kEnded": 9;
    READING, "kReading": 11;
    SYNC, "kSync": 12;
    NEED_READABLE, "kNeedReadable": 13;
    EMITTED_READABLE, "kEmittedReadable": 14;
    READABLE_LISTENING, "kReadableListening": 15;
    RESUME_SCHEDULED, "kResumeScheduled": 16;
    MULTI_AWAIT_DRAIN, "kMultiAwaitDrain": 17;
    READING_MORE, "kReadingMore": 18;
    DATA_EMITTED, "kDataEmitted": 19;
    DECODER, "kDecoder": 21;
    HAS_FLOWING, "kHasFlowing": 23;
    FLOWING, "kFlowing": 24;
    HAS_PAUSED, "kHasPaused": 25;
    PAUSED, "kPaused": 26;
    DATA_LISTENING, "kDataListening": 27;
}

bits! {
    /// Of a Writable.
    writable, WRITABLE_BITS;
    OBJECT_MODE, "kObjectMode": 0;
    DESTROYED, "kDestroyed": 4;
    ERRORED, "kErrored": 7;
    CONSTRUCTED, "kConstructed": 8;
    SYNC, "kSync": 9;
    NEED_DRAIN, "kNeedDrain": 11;
    ENDING, "kEnding": 12;
    WRITING, "kWriting": 15;
    CORKED, "kCorked": 23;
    WRITE_CB, "kWriteCb": 25;
    EXPECT_WRITE_CB, "kExpectWriteCb": 26;
    AFTER_WRITE_TICK_INFO, "kAfterWriteTickInfo": 27;
    AFTER_WRITE_PENDING, "kAfterWritePending": 28;
    BUFFERED, "kBuffered": 29;
    ENDED, "kEnded": 30;
}
