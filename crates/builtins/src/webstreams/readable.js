'use strict';
// ReadableStream, its default reader and default controller, per the WHATWG Streams Standard, with Node's error messages.
// Loaded lazily: byte streams (readable_bytes.js), iteration (readable_iterate.js), pipeTo (readable_pipe.js), tee
// (readable_tee.js).
//
// A read request is an object with three methods: chunk, close, error. Exactly one of the methods is called, once.

const {
  ERR_ILLEGAL_CONSTRUCTOR, ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_INVALID_THIS,
} = require('internal/errors');
const { kDeserialize, kMoved, kStayed, kTransfer, kTransferList } = require('internal/clone_symbols');
const { kEmptyObject } = require('internal/util');
const {
  kValidateObjectAllowObjects, kValidateObjectAllowObjectsAndNull, validateAbortSignal, validateObject,
} = require('internal/validators');
const {
  kControllerErrorFunction, kIsClosedPromise, kIsDisturbed, kIsErrored, kIsReadable,
} = require('internal/streams/kinds');
const {
  Deferred, apply, brand, dequeue, enqueueSized, finishClass, handled, inspectAs, invalid, kInspect, kInternal, kState,
  kType, markOf, nothing, one, optionalCallback, resetQueue, settled, sizeOf, then,
} = require('internal/webstreams/shared');
const { isLocked: isWritableLocked, isWritableStream } = require('internal/webstreams/writable');

// Internal methods that default controllers and byte controllers implement.
const kCancel = Symbol('kCancel');
const kPull = Symbol('kPull');
const kRelease = Symbol('kRelease');

const isReadableStream = brand('ReadableStream');
const isDefaultReader = brand('ReadableStreamDefaultReader');
const isByteController = (controller) => controller?.[kType] === 'ReadableByteStreamController';
const isByobReader = brand('ReadableStreamBYOBReader');

// Loaded lazily: rarely used.
const bytes = () => require('internal/webstreams/readable_bytes');
const iteration = () => require('internal/webstreams/readable_iterate');
const transfer = () => require('internal/webstreams/transfer');

function prepare(stream) {
  stream[kState] = {
    controller: undefined, disturbed: false, reader: undefined, state: 'readable', storedError: undefined,
  };
  stream[kIsClosedPromise] = new Deferred();
  stream[kControllerErrorFunction] = nothing;
}

class ReadableStream {
  constructor(source = kEmptyObject, strategy = kEmptyObject) {
    validateObject(source, 'source', kValidateObjectAllowObjects);
    validateObject(strategy, 'strategy', kValidateObjectAllowObjectsAndNull);
    prepare(this);
    // The standard defines the order of these reads. It is observable: each property may be a getter that throws.
    const size = strategy?.size;
    const highWaterMark = strategy?.highWaterMark;
    const { type } = source;
    if (`${type}` === 'bytes') {
      if (size !== undefined) throw new ERR_INVALID_ARG_VALUE.RangeError('strategy.size', size);
      bytes().setUpFromSource(this, source, markOf(highWaterMark, 0));
      return;
    }
    if (type !== undefined) throw new ERR_INVALID_ARG_VALUE('source.type', type);
    const mark = markOf(highWaterMark, 1);
    const sized = sizeOf(size);
    const controller = new ReadableStreamDefaultController(kInternal);
    setUp(this, controller, algorithmsOf(source, controller), mark, sized);
  }

  static from(iterable) {
    return iteration().fromIterable(iterable);
  }

  get [kIsDisturbed]() { return this[kState].disturbed; }

  get [kIsErrored]() { return this[kState].state === 'errored'; }

  get [kIsReadable]() { return this[kState].state === 'readable'; }

  get locked() {
    if (!isReadableStream(this)) throw new ERR_INVALID_THIS('ReadableStream');
    return isLocked(this);
  }

  cancel(reason = undefined) {
    if (!isReadableStream(this)) return Promise.reject(new ERR_INVALID_THIS('ReadableStream'));
    if (isLocked(this)) return Promise.reject(invalid('ReadableStream is locked'));
    return cancelStream(this, reason);
  }

  getReader(options = kEmptyObject) {
    if (!isReadableStream(this)) throw new ERR_INVALID_THIS('ReadableStream');
    validateObject(options, 'options', kValidateObjectAllowObjectsAndNull);
    const mode = options?.mode;
    if (mode === undefined) return new ReadableStreamDefaultReader(this);
    if (`${mode}` !== 'byob') throw new ERR_INVALID_ARG_VALUE('options.mode', mode);
    return new (require('internal/webstreams/readable_byob').ReadableStreamBYOBReader)(this);
  }

  pipeThrough(transform, options = kEmptyObject) {
    if (!isReadableStream(this)) throw new ERR_INVALID_THIS('ReadableStream');
    const readable = transform?.readable;
    if (!isReadableStream(readable)) throw new ERR_INVALID_ARG_TYPE('transform.readable', 'ReadableStream', readable);
    const writable = transform?.writable;
    if (!isWritableStream(writable)) throw new ERR_INVALID_ARG_TYPE('transform.writable', 'WritableStream', writable);
    handled(startPipe(this, writable, options));
    return readable;
  }

  pipeTo(destination, options = kEmptyObject) {
    try {
      if (!isReadableStream(this)) throw new ERR_INVALID_THIS('ReadableStream');
      if (!isWritableStream(destination)) {
        throw new ERR_INVALID_ARG_TYPE('transform.writable', 'WritableStream', destination);
      }
      return startPipe(this, destination, options);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  tee() {
    if (!isReadableStream(this)) throw new ERR_INVALID_THIS('ReadableStream');
    const { teeBytes, teeDefault } = require('internal/webstreams/readable_tee');
    return isByteController(this[kState].controller) ? teeBytes(this) : teeDefault(this);
  }

  values(options = kEmptyObject) {
    if (!isReadableStream(this)) throw new ERR_INVALID_THIS('ReadableStream');
    validateObject(options, 'options', kValidateObjectAllowObjectsAndNull);
    return iteration().iterate(new ReadableStreamDefaultReader(this), !!options?.preventCancel);
  }

  [kInspect](depth, options) {
    return inspectAs(this, depth, options, 'ReadableStream', {
      locked: this.locked,
      state: this[kState].state,
      supportsBYOB: isByteController(this[kState].controller),
    });
  }

  [kTransferList]() { return transfer().open(this); }

  [kTransfer]() {
    return { data: transfer().readableData(this), deserializeInfo: 'internal/webstreams/readable:ReadableStream' };
  }

  [kMoved]() { transfer().moveReadable(this); }

  [kStayed]() { transfer().close(this); }
}
Object.defineProperty(ReadableStream, kDeserialize, {
  __proto__: null,
  value: {
    shell: () => Object.create(ReadableStream.prototype),
    fill: (stream, { port }) => transfer().readableOver(port, true, 0, stream),
  },
});
finishClass(ReadableStream, ['locked', 'cancel', 'getReader', 'pipeThrough', 'pipeTo', 'tee', 'values']);
Object.defineProperty(ReadableStream, 'from', { enumerable: true });
Object.defineProperty(ReadableStream.prototype, Symbol.asyncIterator, {
  __proto__: null, configurable: true, enumerable: false, writable: true, value: ReadableStream.prototype.values,
});

function startPipe(source, destination, options) {
  validateObject(options, 'options', kValidateObjectAllowObjectsAndNull);
  // The order of these reads is observable: each property may be a getter.
  const preventAbort = options?.preventAbort;
  const preventCancel = options?.preventCancel;
  const preventClose = options?.preventClose;
  const signal = options?.signal;
  if (signal !== undefined) validateAbortSignal(signal, 'options.signal');
  if (isLocked(source)) throw invalid('The ReadableStream is locked');
  if (isWritableLocked(destination)) throw invalid('The WritableStream is locked');
  const { pipe } = require('internal/webstreams/readable_pipe');
  return pipe(source, destination, !!preventClose, !!preventAbort, !!preventCancel, signal);
}

// ---- Readers

class DefaultReadRequest {
  constructor() {
    this.deferred = new Deferred();
  }
  chunk(value) { this.deferred.resolve({ value, done: false }); }
  close() { this.deferred.resolve({ value: undefined, done: true }); }
  error(error) { this.deferred.reject(error); }
}

class ReadableStreamDefaultReader {
  constructor(stream) {
    if (!isReadableStream(stream)) throw new ERR_INVALID_ARG_TYPE('stream', 'ReadableStream', stream);
    if (isLocked(stream)) throw invalid('ReadableStream is locked');
    this[kState] = { requests: [], stream: undefined, closed: undefined };
    bindReader(this, stream);
  }

  read() {
    if (!isDefaultReader(this)) return Promise.reject(new ERR_INVALID_THIS('ReadableStreamDefaultReader'));
    if (this[kState].stream === undefined) return Promise.reject(invalid('The reader is not attached to a stream'));
    const request = new DefaultReadRequest();
    readFrom(this, request);
    return request.deferred.promise;
  }

  [kInspect](depth, options) {
    const { stream, requests, closed } = this[kState];
    return inspectAs(this, depth, options, 'ReadableStreamDefaultReader', {
      stream, readRequests: requests.length, close: closed.promise,
    });
  }
}
finishReader(ReadableStreamDefaultReader, isDefaultReader);

// Adds the methods that default and BYOB readers share.
function finishReader(Reader, isReader) {
  const { name } = Reader;
  const shared = {
    releaseLock() {
      if (!isReader(this)) throw new ERR_INVALID_THIS(name);
      if (this[kState].stream !== undefined) releaseAndFail(this);
    },
    get closed() {
      if (!isReader(this)) return Promise.reject(new ERR_INVALID_THIS(name));
      return this[kState].closed.promise;
    },
    cancel(reason = undefined) {
      if (!isReader(this)) return Promise.reject(new ERR_INVALID_THIS(name));
      const { stream } = this[kState];
      if (stream === undefined) return Promise.reject(invalid('The reader is not attached to a stream'));
      return cancelStream(stream, reason);
    },
  };
  Object.defineProperties(Reader.prototype, Object.getOwnPropertyDescriptors(shared));
  finishClass(Reader, ['closed', 'read', 'releaseLock', 'cancel']);
}

function bindReader(reader, stream) {
  const own = reader[kState];
  const { state, storedError } = stream[kState];
  own.stream = stream;
  stream[kState].reader = reader;
  if (state === 'readable') own.closed = new Deferred();
  else if (state === 'closed') own.closed = Deferred.resolved();
  else own.closed = Deferred.rejected(storedError);
}

let releasedError;
let releasingError;

function releaseReader(reader) {
  const own = reader[kState];
  const { stream } = own;
  releasedError ??= invalid('Reader released');
  if (stream[kState].state === 'readable') {
    own.closed.reject(releasedError);
    handled(own.closed.promise);
  } else {
    own.closed = Deferred.rejected(releasedError);
  }
  stream[kState].controller[kRelease]();
  stream[kState].reader = undefined;
  own.stream = undefined;
}

// `releaseLock()` called by a program: rejects the pending reads (ReadableStreamDefaultReaderRelease).
function releaseAndFail(reader) {
  releaseReader(reader);
  releasingError ??= invalid('Releasing reader');
  failRequests(reader, releasingError);
}

function failRequests(reader, error) {
  const { requests } = reader[kState];
  reader[kState].requests = [];
  for (const request of requests) request.error(error);
}

function closeRequests(reader) {
  const { requests } = reader[kState];
  reader[kState].requests = [];
  for (const request of requests) request.close();
}

function readFrom(reader, request) {
  const state = reader[kState].stream[kState];
  state.disturbed = true;
  if (state.state === 'closed') request.close();
  else if (state.state === 'errored') request.error(state.storedError);
  else state.controller[kPull](request);
}

const hasDefaultReader = (stream) => isDefaultReader(stream[kState].reader);
const hasByobReader = (stream) => isByobReader(stream[kState].reader);
const waitingReads = (stream) => stream[kState].reader[kState].requests.length;

// ---- The stream

const isLocked = (stream) => stream[kState].reader !== undefined;

function cancelStream(stream, reason) {
  const state = stream[kState];
  state.disturbed = true;
  if (state.state === 'closed') return Promise.resolve();
  if (state.state === 'errored') return Promise.reject(state.storedError);
  closeStream(stream);
  if (hasByobReader(stream)) closeRequests(state.reader);
  return then(state.controller[kCancel](reason), nothing);
}

function closeStream(stream) {
  const state = stream[kState];
  state.state = 'closed';
  stream[kIsClosedPromise].resolve();
  if (state.reader === undefined) return;
  state.reader[kState].closed.resolve();
  if (hasDefaultReader(stream)) closeRequests(state.reader);
}

function errorStream(stream, error) {
  const state = stream[kState];
  state.state = 'errored';
  state.storedError = error;
  handled(stream[kIsClosedPromise].promise);
  stream[kIsClosedPromise].reject(error);
  if (state.reader === undefined) return;
  const { closed } = state.reader[kState];
  handled(closed.promise);
  closed.reject(error);
  failRequests(state.reader, error);
}

// ---- The default controller

class ReadableStreamDefaultController {
  constructor(mark = undefined) {
    if (mark !== kInternal) throw new ERR_ILLEGAL_CONSTRUCTOR();
  }

  get desiredSize() { return desiredSize(this); }

  close() {
    if (!canEnqueue(this)) throw invalid('Controller is already closed');
    closeController(this);
  }

  enqueue(chunk = undefined) {
    if (!canEnqueue(this)) throw invalid('Controller is already closed');
    enqueue(this, chunk);
  }

  error(error = undefined) { errorController(this, error); }

  [kCancel](reason) {
    const own = this[kState];
    resetQueue(own);
    const result = own.cancel(reason);
    clearAlgorithms(own);
    return result;
  }

  [kPull](request) {
    const own = this[kState];
    if (own.queue.length === 0) {
      own.stream[kState].reader[kState].requests.push(request);
      pullIfNeeded(this);
      return;
    }
    const chunk = dequeue(own);
    if (own.closeRequested && own.queue.length === 0) {
      clearAlgorithms(own);
      closeStream(own.stream);
    } else {
      pullIfNeeded(this);
    }
    request.chunk(chunk);
  }

  [kRelease]() {}

  [kInspect](depth, options) { return inspectAs(this, depth, options, 'ReadableStreamDefaultController', {}); }
}
finishClass(ReadableStreamDefaultController, ['desiredSize', 'close', 'enqueue', 'error']);

function algorithmsOf(source, controller) {
  const { start, pull, cancel } = source;
  return {
    start: start ? () => apply(start, source, [controller]) : nothing,
    pull: optionalCallback('source.pull', pull, source),
    cancel: optionalCallback('source.cancel', cancel, source),
  };
}

function setUp(stream, controller, algorithms, highWaterMark, size) {
  const own = controller[kState] = {
    cancel: algorithms.cancel,
    closeRequested: false,
    highWaterMark,
    pull: algorithms.pull,
    pullAgain: false,
    pulling: false,
    queue: [],
    queueSize: 0,
    size,
    started: false,
    stream,
  };
  stream[kState].controller = controller;
  stream[kControllerErrorFunction] = (error) => errorController(controller, error);
  const result = algorithms.start();
  then(settled(result), () => {
    own.started = true;
    pullIfNeeded(controller);
  }, (error) => errorController(controller, error));
}

// Creates a stream from internal algorithms (CreateReadableStream), for TransformStream, tee and transferred streams.
function createReadableStream(algorithms, highWaterMark = 1, size = one, stream = Object.create(ReadableStream.prototype)) {
  prepare(stream);
  setUp(stream, new ReadableStreamDefaultController(kInternal), algorithms, highWaterMark, size);
  return stream;
}

function desiredSize(controller) {
  const { stream, highWaterMark, queueSize } = controller[kState];
  const { state } = stream[kState];
  return state === 'errored' ? null : state === 'closed' ? 0 : highWaterMark - queueSize;
}

const canEnqueue = (controller) =>
  !controller[kState].closeRequested && controller[kState].stream[kState].state === 'readable';

function wantsPull(controller) {
  const { stream, started } = controller[kState];
  if (!started || !canEnqueue(controller)) return false;
  return (isLocked(stream) && waitingReads(stream) > 0) || desiredSize(controller) > 0;
}

// Calls `pull` of a default controller or a byte controller, if it needs data; `fail` errors such a controller.
function pullIfNeeded(controller, fail = errorController) {
  if (!wantsPull(controller)) return;
  const own = controller[kState];
  if (own.pulling) {
    own.pullAgain = true;
    return;
  }
  own.pulling = true;
  then(own.pull(controller), () => {
    own.pulling = false;
    if (own.pullAgain) {
      own.pullAgain = false;
      pullIfNeeded(controller, fail);
    }
  }, (error) => fail(controller, error));
}

function enqueue(controller, chunk) {
  if (!canEnqueue(controller)) return;
  const own = controller[kState];
  const { stream } = own;
  if (isLocked(stream) && waitingReads(stream) > 0) {
    stream[kState].reader[kState].requests.shift().chunk(chunk);
  } else {
    try {
      enqueueSized(own, chunk, (0, own.size)(chunk));
    } catch (error) {
      errorController(controller, error);
      throw error;
    }
  }
  pullIfNeeded(controller);
}

function closeController(controller) {
  if (!canEnqueue(controller)) return;
  const own = controller[kState];
  own.closeRequested = true;
  if (own.queue.length === 0) {
    clearAlgorithms(own);
    closeStream(own.stream);
  }
}

function errorController(controller, error) {
  const own = controller[kState];
  if (own.stream[kState].state !== 'readable') return;
  resetQueue(own);
  clearAlgorithms(own);
  errorStream(own.stream, error);
}

function clearAlgorithms(own) {
  own.pull = undefined;
  own.cancel = undefined;
  own.size = undefined;
}

module.exports = {
  ReadableStream,
  ReadableStreamDefaultController,
  ReadableStreamDefaultReader,
  algorithmsOf,
  bindReader,
  canEnqueue,
  cancelStream,
  closeController,
  closeStream,
  createReadableStream,
  desiredSize,
  enqueue,
  errorController,
  errorStream,
  finishReader,
  hasByobReader,
  hasDefaultReader,
  isByobReader,
  isLocked,
  isReadableStream,
  kCancel,
  kPull,
  kRelease,
  prepare,
  pullIfNeeded,
  readFrom,
  releaseReader,
  waitingReads,
  wantsPull,
};
