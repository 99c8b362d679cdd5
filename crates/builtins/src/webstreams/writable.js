'use strict';
// WritableStream, its writer and its controller, per the WHATWG Streams Standard, with Node's error messages.
//
// States: 'writable' -> 'closed', or 'writable' -> 'erroring' (until the write in flight settles) -> 'errored'.

const {
  ERR_ILLEGAL_CONSTRUCTOR, ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_INVALID_THIS,
} = require('internal/errors');
const { kDeserialize, kMoved, kStayed, kTransfer, kTransferList } = require('internal/clone_symbols');
const { kEmptyObject } = require('internal/util');
const {
  kValidateObjectAllowObjects, kValidateObjectAllowObjectsAndNull, validateObject,
} = require('internal/validators');
const { kControllerErrorFunction, kIsClosedPromise, kIsErrored, kIsWritable } = require('internal/streams/kinds');
const {
  Deferred, apply, brand, dequeue, enqueueSized, finishClass, handled, inspectAs, invalid, kInspect, kInternal, kState,
  markOf, nothing, one, optionalCallback, resetQueue, settled, sizeOf, then,
} = require('internal/webstreams/shared');

// The close sentinel: the queue entry after the last write.
const kClose = Symbol('kCloseSentinel');

const isWritableStream = brand('WritableStream');
const isWriter = brand('WritableStreamDefaultWriter');
const isController = brand('WritableStreamDefaultController');

// Loaded lazily: rarely used.
const transfer = () => require('internal/webstreams/transfer');

function prepare(stream) {
  stream[kState] = {
    backpressure: false,
    closeRequest: undefined,
    controller: undefined,
    inFlightClose: undefined,
    inFlightWrite: undefined,
    // { deferred, reason, wasErroring }
    pendingAbort: undefined,
    state: 'writable',
    storedError: undefined,
    writeRequests: [],
    writer: undefined,
  };
  stream[kIsClosedPromise] = new Deferred();
  stream[kControllerErrorFunction] = nothing;
}

class WritableStream {
  constructor(sink = kEmptyObject, strategy = kEmptyObject) {
    validateObject(sink, 'sink', kValidateObjectAllowObjects);
    validateObject(strategy, 'strategy', kValidateObjectAllowObjectsAndNull);
    const type = sink?.type;
    if (type !== undefined) throw new ERR_INVALID_ARG_VALUE.RangeError('type', type);
    prepare(this);
    const size = sizeOf(strategy?.size);
    const mark = markOf(strategy?.highWaterMark, 1);
    const controller = new WritableStreamDefaultController(kInternal);
    const { start, write, close, abort } = sink;
    setUp(this, controller, {
      start: start ? () => apply(start, sink, [controller]) : nothing,
      write: optionalCallback('sink.write', write, sink),
      close: optionalCallback('sink.close', close, sink),
      abort: optionalCallback('sink.abort', abort, sink),
    }, mark, size);
  }

  get [kIsErrored]() { return this[kState].state === 'errored'; }

  get [kIsWritable]() { return this[kState].state === 'writable'; }

  get locked() {
    if (!isWritableStream(this)) throw new ERR_INVALID_THIS('WritableStream');
    return isLocked(this);
  }

  abort(reason = undefined) {
    if (!isWritableStream(this)) return Promise.reject(new ERR_INVALID_THIS('WritableStream'));
    if (isLocked(this)) return Promise.reject(invalid('WritableStream is locked'));
    return abortStream(this, reason);
  }

  close() {
    if (!isWritableStream(this)) return Promise.reject(new ERR_INVALID_THIS('WritableStream'));
    if (isLocked(this)) return Promise.reject(invalid('WritableStream is locked'));
    if (isClosing(this)) return Promise.reject(invalid('Failure closing WritableStream'));
    return closeStream(this);
  }

  getWriter() {
    if (!isWritableStream(this)) throw new ERR_INVALID_THIS('WritableStream');
    return new WritableStreamDefaultWriter(this);
  }

  [kInspect](depth, options) {
    return inspectAs(this, depth, options, 'WritableStream', { locked: this.locked, state: this[kState].state });
  }

  [kTransferList]() { return transfer().open(this); }

  [kTransfer]() {
    return { data: transfer().writableData(this), deserializeInfo: 'internal/webstreams/writable:WritableStream' };
  }

  [kMoved]() { transfer().moveWritable(this); }

  [kStayed]() { transfer().close(this); }
}
Object.defineProperty(WritableStream, kDeserialize, {
  __proto__: null,
  value: {
    shell: () => Object.create(WritableStream.prototype),
    fill: (stream, { port }) => transfer().writableOver(port, true, stream),
  },
});
finishClass(WritableStream, ['locked', 'abort', 'close', 'getWriter']);

class WritableStreamDefaultWriter {
  constructor(stream) {
    if (!isWritableStream(stream)) throw new ERR_INVALID_ARG_TYPE('stream', 'WritableStream', stream);
    this[kState] = { stream: undefined, closed: undefined, ready: undefined };
    bindWriter(this, stream);
  }

  get closed() {
    if (!isWriter(this)) return Promise.reject(new ERR_INVALID_THIS('WritableStreamDefaultWriter'));
    return this[kState].closed.promise;
  }

  get desiredSize() {
    if (!isWriter(this)) throw new ERR_INVALID_THIS('WritableStreamDefaultWriter');
    const { stream } = this[kState];
    if (stream === undefined) throw invalid('Writer is not bound to a WritableStream');
    const { state, controller } = stream[kState];
    if (state === 'errored' || state === 'erroring') return null;
    return state === 'closed' ? 0 : desiredSize(controller[kState]);
  }

  get ready() {
    if (!isWriter(this)) return Promise.reject(new ERR_INVALID_THIS('WritableStreamDefaultWriter'));
    return this[kState].ready.promise;
  }

  abort(reason = undefined) {
    if (!isWriter(this)) return Promise.reject(new ERR_INVALID_THIS('WritableStreamDefaultWriter'));
    const { stream } = this[kState];
    if (stream === undefined) return Promise.reject(invalid('Writer is not bound to a WritableStream'));
    return abortStream(stream, reason);
  }

  close() {
    if (!isWriter(this)) return Promise.reject(new ERR_INVALID_THIS('WritableStreamDefaultWriter'));
    const { stream } = this[kState];
    if (stream === undefined) return Promise.reject(invalid('Writer is not bound to a WritableStream'));
    if (isClosing(stream)) return Promise.reject(invalid('Failure to close WritableStream'));
    return closeStream(stream);
  }

  releaseLock() {
    if (!isWriter(this)) throw new ERR_INVALID_THIS('WritableStreamDefaultWriter');
    if (this[kState].stream !== undefined) releaseWriter(this);
  }

  write(chunk = undefined) {
    if (!isWriter(this)) return Promise.reject(new ERR_INVALID_THIS('WritableStreamDefaultWriter'));
    if (this[kState].stream === undefined) return Promise.reject(invalid('Writer is not bound to a WritableStream'));
    return writeTo(this, chunk);
  }

  [kInspect](depth, options) {
    const { stream, closed, ready } = this[kState];
    return inspectAs(this, depth, options, 'WritableStreamDefaultWriter', {
      stream, close: closed.promise, ready: ready.promise, desiredSize: this.desiredSize,
    });
  }
}
finishClass(WritableStreamDefaultWriter, ['closed', 'ready', 'desiredSize', 'abort', 'close', 'releaseLock', 'write']);

class WritableStreamDefaultController {
  constructor(mark = undefined) {
    if (mark !== kInternal) throw new ERR_ILLEGAL_CONSTRUCTOR();
  }

  get signal() {
    if (!isController(this)) throw new ERR_INVALID_THIS('WritableStreamDefaultController');
    return this[kState].abortController.signal;
  }

  error(error = undefined) {
    if (!isController(this)) throw new ERR_INVALID_THIS('WritableStreamDefaultController');
    errorIfWritable(this, error);
  }

  [kInspect](depth, options) {
    return inspectAs(this, depth, options, 'WritableStreamDefaultController', { stream: this[kState].stream });
  }
}
finishClass(WritableStreamDefaultController, ['signal', 'error']);

// ---- The stream

const isLocked = (stream) => stream[kState].writer !== undefined;

const isClosing = (stream) =>
  stream[kState].closeRequest !== undefined || stream[kState].inFlightClose !== undefined;

function abortStream(stream, reason) {
  const state = stream[kState];
  if (state.state === 'closed' || state.state === 'errored') return Promise.resolve();
  state.controller[kState].abortController.abort(reason);
  if (state.pendingAbort !== undefined) return state.pendingAbort.deferred.promise;
  // Listeners of the controller's abort signal may have closed or errored the stream.
  if (state.state === 'closed' || state.state === 'errored') return Promise.resolve();
  const wasErroring = state.state === 'erroring';
  const deferred = new Deferred();
  state.pendingAbort = { deferred, reason: wasErroring ? undefined : reason, wasErroring };
  if (!wasErroring) startErroring(stream, reason);
  return deferred.promise;
}

function closeStream(stream) {
  const state = stream[kState];
  if (state.state === 'closed' || state.state === 'errored') return Promise.reject(invalid('WritableStream is closed'));
  const request = state.closeRequest = new Deferred();
  if (state.writer !== undefined && state.backpressure && state.state === 'writable') state.writer[kState].ready.resolve();
  enqueueSized(state.controller[kState], kClose, 0);
  advance(state.controller);
  return request.promise;
}

function setBackpressure(stream, backpressure) {
  const state = stream[kState];
  if (state.writer !== undefined && state.backpressure !== backpressure) {
    if (backpressure) state.writer[kState].ready = new Deferred();
    else state.writer[kState].ready.resolve();
  }
  state.backpressure = backpressure;
}

function startErroring(stream, reason) {
  const state = stream[kState];
  state.state = 'erroring';
  state.storedError = reason;
  if (state.writer !== undefined) rejectDeferred(state.writer[kState], 'ready', reason);
  if (state.inFlightWrite === undefined && state.inFlightClose === undefined && state.controller[kState].started) {
    finishErroring(stream);
  }
}

// Called when the stream is erroring and no operation is in flight: rejects the queued writes, then calls the sink's `abort()` if an abort is pending
// (WritableStreamFinishErroring).
function finishErroring(stream) {
  const state = stream[kState];
  state.state = 'errored';
  resetQueue(state.controller[kState]);
  const requests = state.writeRequests;
  state.writeRequests = [];
  for (const request of requests) request.reject(state.storedError);
  const abort = state.pendingAbort;
  state.pendingAbort = undefined;
  if (abort === undefined) {
    rejectClosed(stream);
  } else if (abort.wasErroring) {
    abort.deferred.reject(state.storedError);
    rejectClosed(stream);
  } else {
    const { controller } = state;
    const result = controller[kState].abort(abort.reason);
    clearAlgorithms(controller);
    then(result, () => {
      abort.deferred.resolve();
      rejectClosed(stream);
    }, (error) => {
      abort.deferred.reject(error);
      rejectClosed(stream);
    });
  }
}

function rejectClosed(stream) {
  const state = stream[kState];
  if (state.closeRequest !== undefined) {
    state.closeRequest.reject(state.storedError);
    state.closeRequest = undefined;
  }
  handled(stream[kIsClosedPromise].promise);
  stream[kIsClosedPromise].reject(state.storedError);
  if (state.writer !== undefined) {
    const { closed } = state.writer[kState];
    handled(closed.promise);
    closed.reject(state.storedError);
  }
}

function dealWithRejection(stream, error) {
  if (stream[kState].state === 'writable') startErroring(stream, error);
  else finishErroring(stream);
}

function closeDone(stream) {
  const state = stream[kState];
  state.inFlightClose.resolve();
  state.inFlightClose = undefined;
  // The close has succeeded, so an error that occurred in the meantime is dropped (WritableStreamFinishInFlightClose).
  if (state.state === 'erroring') {
    state.storedError = undefined;
    if (state.pendingAbort !== undefined) {
      state.pendingAbort.deferred.resolve();
      state.pendingAbort = undefined;
    }
  }
  state.state = 'closed';
  if (state.writer !== undefined) state.writer[kState].closed.resolve();
  stream[kIsClosedPromise].resolve();
}

function closeFailed(stream, error) {
  const state = stream[kState];
  state.inFlightClose.reject(error);
  state.inFlightClose = undefined;
  if (state.pendingAbort !== undefined) {
    state.pendingAbort.deferred.reject(error);
    state.pendingAbort = undefined;
  }
  dealWithRejection(stream, error);
}

// ---- The writer

function bindWriter(writer, stream) {
  if (isLocked(stream)) throw invalid('WritableStream is locked');
  const own = writer[kState];
  const state = stream[kState];
  own.stream = stream;
  state.writer = writer;
  if (state.state === 'writable') {
    own.ready = !isClosing(stream) && state.backpressure ? new Deferred() : Deferred.resolved();
    own.closed = new Deferred();
  } else if (state.state === 'erroring') {
    own.ready = Deferred.rejected(state.storedError);
    own.closed = new Deferred();
  } else if (state.state === 'closed') {
    own.ready = Deferred.resolved();
    own.closed = Deferred.resolved();
  } else {
    own.ready = Deferred.rejected(state.storedError);
    own.closed = Deferred.rejected(state.storedError);
  }
}

function rejectDeferred(own, name, error) {
  if (own[name].isPending) {
    own[name].reject(error);
    handled(own[name].promise);
  } else {
    own[name] = Deferred.rejected(error);
  }
}

let releasedError;

function releaseWriter(writer) {
  const own = writer[kState];
  releasedError ??= invalid('Writer has been released');
  rejectDeferred(own, 'ready', releasedError);
  rejectDeferred(own, 'closed', releasedError);
  own.stream[kState].writer = undefined;
  own.stream = undefined;
}

function writeTo(writer, chunk) {
  const { stream } = writer[kState];
  const state = stream[kState];
  const { controller } = state;
  const size = chunkSize(controller, chunk);
  // `size` of the strategy is user code: it may have released the writer or closed the stream.
  if (stream !== writer[kState].stream) return Promise.reject(invalid('Mismatched WritableStreams'));
  if (state.state === 'errored') return Promise.reject(state.storedError);
  if (isClosing(stream) || state.state === 'closed') return Promise.reject(invalid('WritableStream is closed'));
  if (state.state === 'erroring') return Promise.reject(state.storedError);
  const request = new Deferred();
  state.writeRequests.push(request);
  writeChunk(controller, chunk, size);
  return request.promise;
}

function closeWithErrorPropagation(writer) {
  const { stream } = writer[kState];
  const { state, storedError } = stream[kState];
  if (isClosing(stream) || state === 'closed') return Promise.resolve();
  if (state === 'errored') return Promise.reject(storedError);
  return closeStream(stream);
}

// ---- The controller

function setUp(stream, controller, algorithms, highWaterMark, size) {
  const own = controller[kState] = {
    abort: algorithms.abort,
    abortController: new (require('internal/abort_controller').AbortController)(),
    close: algorithms.close,
    highWaterMark,
    queue: [],
    queueSize: 0,
    size,
    started: false,
    stream,
    write: algorithms.write,
  };
  stream[kState].controller = controller;
  stream[kControllerErrorFunction] = (error) => errorIfWritable(controller, error);
  setBackpressure(stream, desiredSize(own) <= 0);
  const result = algorithms.start();
  then(settled(result), () => {
    own.started = true;
    advance(controller);
  }, (error) => {
    own.started = true;
    dealWithRejection(stream, error);
  });
}

// Creates a stream from internal algorithms (CreateWritableStream), for TransformStream and transferred streams.
function createWritableStream(algorithms, highWaterMark = 1, size = one, stream = Object.create(WritableStream.prototype)) {
  prepare(stream);
  setUp(stream, new WritableStreamDefaultController(kInternal), algorithms, highWaterMark, size);
  return stream;
}

const desiredSize = (own) => own.highWaterMark - own.queueSize;

function chunkSize(controller, chunk) {
  const { size } = controller[kState];
  if (size === undefined) return 1;
  try {
    return size(chunk);
  } catch (error) {
    errorIfWritable(controller, error);
    return 1;
  }
}

function writeChunk(controller, chunk, size) {
  const own = controller[kState];
  try {
    enqueueSized(own, chunk, size);
  } catch (error) {
    errorIfWritable(controller, error);
    return;
  }
  if (!isClosing(own.stream) && own.stream[kState].state === 'writable') setBackpressure(own.stream, desiredSize(own) <= 0);
  advance(controller);
}

// Passes the next queued chunk to the sink if no write is in flight
// (WritableStreamDefaultControllerAdvanceQueueIfNeeded).
function advance(controller) {
  const own = controller[kState];
  const { stream } = own;
  const state = stream[kState];
  if (!own.started || state.inFlightWrite !== undefined) return;
  if (state.state === 'erroring') {
    finishErroring(stream);
    return;
  }
  if (own.queue.length === 0) return;
  const { value } = own.queue[0];
  if (value === kClose) {
    state.inFlightClose = state.closeRequest;
    state.closeRequest = undefined;
    dequeue(own);
    const result = own.close();
    clearAlgorithms(controller);
    then(result, () => closeDone(stream), (error) => closeFailed(stream, error));
  } else {
    state.inFlightWrite = state.writeRequests.shift();
    then(own.write(value, controller), () => writeDone(controller), (error) => writeFailed(controller, error));
  }
}

function writeDone(controller) {
  const own = controller[kState];
  const { stream } = own;
  const state = stream[kState];
  state.inFlightWrite.resolve();
  state.inFlightWrite = undefined;
  dequeue(own);
  if (!isClosing(stream) && state.state === 'writable') setBackpressure(stream, desiredSize(own) <= 0);
  advance(controller);
}

function writeFailed(controller, error) {
  const { stream } = controller[kState];
  const state = stream[kState];
  if (state.state === 'writable') clearAlgorithms(controller);
  state.inFlightWrite.reject(error);
  state.inFlightWrite = undefined;
  dealWithRejection(stream, error);
}

function errorIfWritable(controller, error) {
  const { stream } = controller[kState];
  if (stream[kState].state !== 'writable') return;
  clearAlgorithms(controller);
  startErroring(stream, error);
}

function clearAlgorithms(controller) {
  const own = controller[kState];
  own.write = undefined;
  own.close = undefined;
  own.abort = undefined;
  own.size = undefined;
}

module.exports = {
  WritableStream,
  WritableStreamDefaultController,
  WritableStreamDefaultWriter,
  abortStream,
  closeWithErrorPropagation,
  createWritableStream,
  errorIfWritable,
  isClosing,
  isLocked,
  isWritableStream,
  releaseWriter,
  writeTo,
};
