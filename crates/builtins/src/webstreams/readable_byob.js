'use strict';
// ReadableStreamBYOBReader: reads into buffers supplied by the caller.

const { ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_INVALID_THIS, ERR_OUT_OF_RANGE } = require('internal/errors');
const { kEmptyObject } = require('internal/util');
const { kValidateObjectAllowObjectsAndNull, validateObject } = require('internal/validators');
const { Deferred, inspectAs, invalid, kInspect, kState } = require('internal/webstreams/shared');
const { bindReader, finishReader, isByobReader, isLocked, isReadableStream } = require('internal/webstreams/readable');
const { isController, readInto } = require('internal/webstreams/readable_bytes');

class ReadIntoRequest {
  constructor() { this.deferred = new Deferred(); }
  chunk(value) { this.deferred.resolve({ value, done: false }); }
  close(value) { this.deferred.resolve({ value, done: true }); }
  error(error) { this.deferred.reject(error); }
}

class ReadableStreamBYOBReader {
  constructor(stream) {
    if (!isReadableStream(stream)) throw new ERR_INVALID_ARG_TYPE('stream', 'ReadableStream', stream);
    if (isLocked(stream)) throw invalid('ReadableStream is locked');
    if (!isController(stream[kState].controller)) {
      throw new ERR_INVALID_ARG_VALUE('stream', stream, 'must be a byte stream');
    }
    this[kState] = { requests: [], stream: undefined, closed: undefined };
    bindReader(this, stream);
  }

  async read(view, options = kEmptyObject) {
    if (!isByobReader(this)) throw new ERR_INVALID_THIS('ReadableStreamBYOBReader');
    if (!ArrayBuffer.isView(view)) {
      throw new ERR_INVALID_ARG_TYPE('view', ['Buffer', 'TypedArray', 'DataView'], view);
    }
    validateObject(options, 'options', kValidateObjectAllowObjectsAndNull);
    if (view.byteLength === 0 || view.buffer.byteLength === 0) {
      throw invalid('View or Viewed ArrayBuffer is zero-length or detached');
    }
    const least = options?.min ?? 1;
    checkLeast(least, view);
    if (this[kState].stream === undefined) throw invalid('The reader is not attached to a stream');
    const request = new ReadIntoRequest();
    readInto(this, view, least, request);
    return request.deferred.promise;
  }

  [kInspect](depth, options) {
    const { stream, requests, closed } = this[kState];
    return inspectAs(this, depth, options, 'ReadableStreamBYOBReader', {
      stream, readIntoRequests: requests.length, close: closed.promise,
    });
  }
}
finishReader(ReadableStreamBYOBReader, isByobReader);

function checkLeast(least, view) {
  if (typeof least !== 'number') throw new ERR_INVALID_ARG_TYPE('options.min', 'number', least);
  if (!Number.isInteger(least)) throw new ERR_INVALID_ARG_VALUE('options.min', least, 'must be an integer');
  if (least <= 0) throw new ERR_INVALID_ARG_VALUE('options.min', least, 'must be greater than 0');
  if (!(view instanceof DataView)) {
    if (least > view.length) throw new ERR_OUT_OF_RANGE('options.min', '<= view.length', least);
  } else if (least > view.byteLength) {
    throw new ERR_OUT_OF_RANGE('options.min', '<= view.byteLength', least);
  }
}

module.exports = { ReadableStreamBYOBReader };
