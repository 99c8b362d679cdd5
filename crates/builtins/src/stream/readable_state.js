'use strict';
// The state of a Readable and its queue of chunks. No function in this file calls user code.

const { Buffer } = require('buffer');
const { ERR_UNKNOWN_ENCODING } = require('internal/errors');
const flags = require('internal/streams/flags');
const { getDefaultHighWaterMark, getHighWaterMark } = require('internal/streams/state');

const {
  bitProperty, kAutoDestroy, kConstructed, kEmitClose, kObjectMode, kState, maybeProperty, nothing, valueProperty,
} = flags;

const kEnded = 1 << 9;
const kEndEmitted = 1 << 10;
const kReading = 1 << 11;
// Set while `_read` is on the stack, and before its first call.
const kSync = 1 << 12;
const kNeedReadable = 1 << 13;
const kEmittedReadable = 1 << 14;
const kReadableListening = 1 << 15;
const kResumeScheduled = 1 << 16;
const kMultiAwaitDrain = 1 << 17;
const kReadingMore = 1 << 18;
const kDataEmitted = 1 << 19;
const kDefaultUTF8Encoding = 1 << 20;
const kDecoder = 1 << 21;
const kEncoding = 1 << 22;
const kHasFlowing = 1 << 23;
const kFlowing = 1 << 24;
const kHasPaused = 1 << 25;
const kPaused = 1 << 26;
const kDataListening = 1 << 27;

const kDecoderValue = Symbol('kDecoderValue');
const kEncodingValue = Symbol('kEncodingValue');

function ReadableState(options, stream, isDuplex) {
  this[kState] = kEmitClose | kAutoDestroy | kConstructed | kSync;
  if (options) {
    if (options.objectMode || (isDuplex && options.readableObjectMode)) this[kState] |= kObjectMode;
    this.highWaterMark = getHighWaterMark(this, options, 'readableHighWaterMark', isDuplex);
  } else {
    this.highWaterMark = getDefaultHighWaterMark(false);
  }
  // Unread chunks start at `bufferIndex`; earlier entries have been read.
  this.buffer = [];
  this.bufferIndex = 0;
  this.length = 0;
  this.pipes = [];
  const encoding = options ? options.defaultEncoding : undefined;
  if (options) {
    if (options.emitClose === false) this[kState] &= ~kEmitClose;
    if (options.autoDestroy === false) this[kState] &= ~kAutoDestroy;
  }
  if (encoding == null || encoding === 'utf8' || encoding === 'utf-8') this[kState] |= kDefaultUTF8Encoding;
  else if (Buffer.isEncoding(encoding)) this.defaultEncoding = encoding;
  else throw new ERR_UNKNOWN_ENCODING(encoding);
  // The destination whose 'drain' is awaited, or a Set of destinations once there is more than one pipe.
  this.awaitDrainWriters = null;
  if (options?.encoding) {
    const { StringDecoder } = require('string_decoder');
    this.decoder = new StringDecoder(options.encoding);
    this.encoding = options.encoding;
  }
}

Object.defineProperties(ReadableState.prototype, {
  ...flags.sharedProperties,
  ended: bitProperty(kEnded),
  endEmitted: bitProperty(kEndEmitted),
  reading: bitProperty(kReading),
  sync: bitProperty(kSync),
  needReadable: bitProperty(kNeedReadable),
  emittedReadable: bitProperty(kEmittedReadable),
  readableListening: bitProperty(kReadableListening),
  resumeScheduled: bitProperty(kResumeScheduled),
  multiAwaitDrain: bitProperty(kMultiAwaitDrain),
  readingMore: bitProperty(kReadingMore),
  dataEmitted: bitProperty(kDataEmitted),
  defaultEncoding: flags.encodingProperty(kDefaultUTF8Encoding),
  decoder: valueProperty(kDecoder, kDecoderValue, nothing),
  encoding: valueProperty(kEncoding, kEncodingValue, nothing),
  flowing: maybeProperty(kHasFlowing, kFlowing, null),
  pipesCount: { __proto__: null, get() { return this.pipes.length; } },
  paused: {
    __proto__: null,
    get() { return (this[kState] & kPaused) !== 0; },
    set(value) { this[kState] = (this[kState] | kHasPaused) & ~kPaused | (value ? kPaused : 0); },
  },
});

// ---- Chunk queue

function putLast(state, chunk) {
  state.length += (state[kState] & kObjectMode) !== 0 ? 1 : chunk.length;
  state.buffer.push(chunk);
}

function putFirst(state, chunk) {
  state.length += (state[kState] & kObjectMode) !== 0 ? 1 : chunk.length;
  if (state.bufferIndex > 0) state.buffer[--state.bufferIndex] = chunk;
  else state.buffer.unshift(chunk);
}

// Removes and returns the next `size` bytes or characters: all data if size is 0 or more than is buffered, and one object in object mode. The caller
// subtracts the amount from `length`.
function takeFrom(size, state) {
  if (state.length === 0) return null;
  const { buffer } = state;
  const bits = state[kState];
  let at = state.bufferIndex;
  let taken;
  if ((bits & kObjectMode) !== 0) {
    taken = buffer[at];
    buffer[at++] = null;
  } else {
    const first = buffer[at];
    const all = !size || size >= state.length;
    if (all ? buffer.length - at === 1 : size === first.length) {
      // In a stream with a decoder, unshifted bytes are returned as a string, joined with the rest of the buffer
      // (`lib/internal/streams/readable.js: fromList`).
      taken = all && (bits & kDecoder) !== 0 ? `${first}` : first;
      buffer[at++] = null;
    } else if (!all && size < first.length) {
      taken = first.slice(0, size);
      buffer[at] = first.slice(size);
    } else {
      [taken, at] = join(state, at, all ? state.length : size, (bits & kDecoder) !== 0);
    }
  }
  if (at === buffer.length) {
    buffer.length = 0;
    state.bufferIndex = 0;
  } else if (at > 1024) {
    buffer.splice(0, at);
    state.bufferIndex = 0;
  } else {
    state.bufferIndex = at;
  }
  return taken;
}

// Concatenates several chunks. Returns [joined chunk, index of the first unread chunk].
function join(state, at, size, isText) {
  const { buffer } = state;
  const parts = [];
  let left = size;
  while (left > 0 && at < buffer.length) {
    const part = buffer[at];
    if (part.length <= left) {
      parts.push(part);
      buffer[at++] = null;
      left -= part.length;
    } else {
      parts.push(part.slice(0, left));
      buffer[at] = part.slice(left);
      left = 0;
    }
  }
  return [isText ? parts.join('') : Buffer.concat(parts, size), at];
}

module.exports = {
  ReadableState,
  kDataEmitted,
  kDataListening,
  kDecoder,
  kDecoderValue,
  kEmittedReadable,
  kEnded,
  kEndEmitted,
  kFlowing,
  kHasFlowing,
  kHasPaused,
  kMultiAwaitDrain,
  kNeedReadable,
  kPaused,
  kReadableListening,
  kReading,
  kReadingMore,
  kResumeScheduled,
  kSync,
  putFirst,
  putLast,
  takeFrom,
};
