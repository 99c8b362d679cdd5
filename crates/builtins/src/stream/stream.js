'use strict';
// The module `stream`. Rarely used parts are loaded lazily, at their first call.

const { Buffer } = require('buffer');
const { Stream } = require('internal/streams/legacy');
const kinds = require('internal/streams/kinds');
const { getDefaultHighWaterMark, setDefaultHighWaterMark } = require('internal/streams/state');
const { destroyer } = require('internal/streams/destroy');
const Readable = require('internal/streams/readable');
const { PassThrough, Transform } = require('internal/streams/transform');

const kCustomPromisified = Symbol.for('nodejs.util.promisify.custom');

module.exports = Stream;

Stream.isDestroyed = kinds.isDestroyed;
Stream.isDisturbed = kinds.isDisturbed;
Stream.isErrored = kinds.isErrored;
Stream.isReadable = kinds.isReadable;
Stream.isWritable = kinds.isWritable;
Stream.Readable = Readable;

// For each operator: its name, the `length` of its function, and true if it returns a stream, false if a promise.
for (const [name, length, givesStream] of [
  ['drop', 1, true], ['filter', 2, true], ['flatMap', 2, true], ['map', 2, true], ['take', 1, true],
  ['compose', 2, true], ['every', 1, false], ['forEach', 2, false], ['reduce', 3, false], ['toArray', 1, false],
  ['some', 1, false], ['find', 2, false],
]) {
  const operator = function(...args) {
    if (new.target) {
      const { ERR_ILLEGAL_CONSTRUCTOR } = require('internal/errors');
      throw new ERR_ILLEGAL_CONSTRUCTOR();
    }
    const operators = require('internal/streams/operators');
    if (!givesStream) return operators.promiseReturning[name].apply(this, args);
    return Readable.from(operators.streamReturning[name].apply(this, args));
  };
  Object.defineProperty(operator, 'name', { __proto__: null, value: name });
  Object.defineProperty(operator, 'length', { __proto__: null, value: length });
  Object.defineProperty(Readable.prototype, name, {
    __proto__: null, value: operator, enumerable: false, configurable: true, writable: true,
  });
}

Stream.Writable = require('internal/streams/writable');
Stream.Duplex = require('internal/streams/duplex');
Stream.Transform = Transform;
Stream.PassThrough = PassThrough;
Stream.duplexPair = function duplexPair(options) {
  return require('internal/streams/pair')(options);
};
Stream.pipeline = function pipeline(...streams) {
  return require('internal/streams/pipeline').pipeline(...streams);
};
Stream.addAbortSignal = function addAbortSignal(signal, stream) {
  return require('internal/streams/abort').addAbortSignal(signal, stream);
};
Stream.finished = require('internal/streams/finished');
Stream.destroy = destroyer;
Stream.compose = function compose(...streams) {
  return require('internal/streams/compose')(...streams);
};
Stream.setDefaultHighWaterMark = setDefaultHighWaterMark;
Stream.getDefaultHighWaterMark = getDefaultHighWaterMark;

Object.defineProperty(Stream, 'promises', {
  __proto__: null, configurable: true, enumerable: true, get() { return require('stream/promises'); },
});
for (const name of ['pipeline', 'finished']) {
  Object.defineProperty(Stream[name], kCustomPromisified, {
    __proto__: null, enumerable: true, get() { return require('stream/promises')[name]; },
  });
}

Stream.Stream = Stream;
Stream._isArrayBufferView = ArrayBuffer.isView;
Stream._isUint8Array = (value) => require('internal/util/types').isUint8Array(value);
Stream._uint8ArrayToBuffer = function _uint8ArrayToBuffer(chunk) {
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
};

