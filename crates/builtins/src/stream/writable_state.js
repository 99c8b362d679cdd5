'use strict';
// The state of a Writable. No function in this file calls user code, except getters of the constructor's options.

const { Buffer } = require('buffer');
const { ERR_UNKNOWN_ENCODING } = require('internal/errors');
const flags = require('internal/streams/flags');
const { getDefaultHighWaterMark, getHighWaterMark } = require('internal/streams/state');

const {
  bitProperty, kAutoDestroy, kConstructed, kDefaultEncodingValue, kEmitClose, kObjectMode, kState, maybeProperty, nothing,
  valueProperty,
} = flags;

// Set while `_write` or `_final` is on the stack.
const kSync = 1 << 9;
const kFinalCalled = 1 << 10;
const kNeedDrain = 1 << 11;
const kEnding = 1 << 12;
const kFinished = 1 << 13;
const kDecodeStrings = 1 << 14;
const kWriting = 1 << 15;
const kBufferProcessing = 1 << 16;
const kPrefinished = 1 << 17;
// kAllBuffers: every buffered chunk is bytes. kAllNoop: no buffered chunk has a callback.
const kAllBuffers = 1 << 18;
const kAllNoop = 1 << 19;
const kOnFinished = 1 << 20;
const kHasWritable = 1 << 21;
const kWritable = 1 << 22;
const kCorked = 1 << 23;
const kDefaultUTF8Encoding = 1 << 24;
const kWriteCb = 1 << 25;
const kExpectWriteCb = 1 << 26;
const kAfterWriteTickInfo = 1 << 27;
const kAfterWritePending = 1 << 28;
const kBuffered = 1 << 29;
const kEnded = 1 << 30;

const kOnFinishedValue = Symbol('kOnFinishedValue');
const kWriteCbValue = Symbol('kWriteCbValue');
const kAfterWriteTickInfoValue = Symbol('kAfterWriteTickInfoValue');
const kBufferedValue = Symbol('kBufferedValue');

const noCallback = () => {};

function WritableState(options, stream, isDuplex) {
  this[kState] = kSync | kConstructed | kEmitClose | kAutoDestroy;
  if (options) {
    if (options.objectMode || (isDuplex && options.writableObjectMode)) this[kState] |= kObjectMode;
    this.highWaterMark = getHighWaterMark(this, options, 'writableHighWaterMark', isDuplex);
    if (options.decodeStrings !== false) this[kState] |= kDecodeStrings;
    if (options.emitClose === false) this[kState] &= ~kEmitClose;
    if (options.autoDestroy === false) this[kState] &= ~kAutoDestroy;
  } else {
    this.highWaterMark = getDefaultHighWaterMark(false);
    this[kState] |= kDecodeStrings;
  }
  const encoding = options ? options.defaultEncoding : null;
  if (encoding == null || encoding === 'utf8' || encoding === 'utf-8') {
    this[kState] |= kDefaultUTF8Encoding;
  } else if (Buffer.isEncoding(encoding)) {
    this[kDefaultEncodingValue] = encoding;
  } else {
    throw new ERR_UNKNOWN_ENCODING(encoding);
  }
  // Number of bytes, or of objects, that are not yet written, including the chunk that `_write` is processing.
  this.length = 0;
  this.corked = 0;
  // The callback passed to `_write`.
  this.onwrite = this.makeOnWrite(stream);
  this.writelen = 0;
  resetBuffer(this);
  // Number of callbacks that must run before 'finish'.
  this.pendingcb = 0;
}

function resetBuffer(state) {
  state[kBufferedValue] = null;
  state.bufferedIndex = 0;
  state[kState] = (state[kState] | kAllBuffers | kAllNoop) & ~kBuffered;
}

WritableState.prototype.getBuffer = function getBuffer() {
  return (this[kState] & kBuffered) === 0 ? [] : this[kBufferedValue].slice(this.bufferedIndex);
};

Object.defineProperties(WritableState.prototype, {
  ...flags.sharedProperties,
  finalCalled: bitProperty(kFinalCalled),
  needDrain: bitProperty(kNeedDrain),
  ending: bitProperty(kEnding),
  ended: bitProperty(kEnded),
  finished: bitProperty(kFinished),
  decodeStrings: bitProperty(kDecodeStrings),
  writing: bitProperty(kWriting),
  sync: bitProperty(kSync),
  bufferProcessing: bitProperty(kBufferProcessing),
  prefinished: bitProperty(kPrefinished),
  allBuffers: bitProperty(kAllBuffers),
  allNoop: bitProperty(kAllNoop),
  writable: maybeProperty(kHasWritable, kWritable, undefined),
  defaultEncoding: flags.encodingProperty(kDefaultUTF8Encoding),
  writecb: valueProperty(kWriteCb, kWriteCbValue, () => noCallback),
  afterWriteTickInfo: valueProperty(kAfterWriteTickInfo, kAfterWriteTickInfoValue, nothing),
  buffered: valueProperty(kBuffered, kBufferedValue, () => []),
  bufferedRequestCount: {
    __proto__: null,
    get() { return (this[kState] & kBuffered) === 0 ? 0 : this[kBufferedValue].length - this.bufferedIndex; },
  },
});

module.exports = {
  WritableState,
  kAfterWritePending,
  kAfterWriteTickInfo,
  kAfterWriteTickInfoValue,
  kAllBuffers,
  kAllNoop,
  kBuffered,
  kBufferedValue,
  kBufferProcessing,
  kCorked,
  kDecodeStrings,
  kDefaultUTF8Encoding,
  kEnded,
  kEnding,
  kExpectWriteCb,
  kFinalCalled,
  kFinished,
  kHasWritable,
  kNeedDrain,
  kOnFinished,
  kOnFinishedValue,
  kPrefinished,
  kSync,
  kWritable,
  kWriteCb,
  kWriteCbValue,
  kWriting,
  noCallback,
  resetBuffer,
};
