'use strict';
// Byte streams: ReadableByteStreamController and ReadableStreamBYOBRequest. The BYOB reader is in readable_byob.js.
//
// A pull (the standard's pull-into descriptor) is { buffer, bufferLength, offset, length, filled, least, elementSize, View, kind }. Its kind is
// 'byob' (buffer of a BYOB reader), 'default' (allocated by the controller for a default reader) or 'none' (the reader has been released). A buffer
// that is passed on is transferred, so that the previous owner cannot observe or change its bytes.

const { Buffer } = require('buffer');
const {
  ERR_ILLEGAL_CONSTRUCTOR, ERR_INVALID_ARG_VALUE, ERR_INVALID_STATE, ERR_INVALID_THIS,
} = require('internal/errors');
const { kUntransferable } = require('internal/clone_symbols');
const { validateBuffer } = require('internal/validators');
const {
  brand, finishClass, inspectAs, invalid, kInspect, kInternal, kState, resetQueue, settled, then,
} = require('internal/webstreams/shared');
const {
  ReadableStream, algorithmsOf, closeStream, desiredSize, errorStream, hasByobReader, hasDefaultReader, kCancel, kPull,
  kRelease, prepare, pullIfNeeded, waitingReads,
} = require('internal/webstreams/readable');

const isRequest = brand('ReadableStreamBYOBRequest');
const isController = brand('ReadableByteStreamController');

class ReadableStreamBYOBRequest {
  constructor(mark = undefined, controller, view) {
    if (mark !== kInternal) throw new ERR_ILLEGAL_CONSTRUCTOR();
    this[kState] = { controller, view };
  }

  get view() {
    if (!isRequest(this)) throw new ERR_INVALID_THIS('ReadableStreamBYOBRequest');
    return this[kState].view;
  }

  respond(bytesWritten) {
    if (!isRequest(this)) throw new ERR_INVALID_THIS('ReadableStreamBYOBRequest');
    const { controller, view } = this[kState];
    if (controller === undefined) throw invalid('This BYOB request has been invalidated');
    if (view.buffer.detached) throw invalid('Viewed ArrayBuffer is detached');
    respond(controller, bytesWritten);
  }

  respondWithNewView(view) {
    if (!isRequest(this)) throw new ERR_INVALID_THIS('ReadableStreamBYOBRequest');
    const { controller } = this[kState];
    if (controller === undefined) throw invalid('This BYOB request has been invalidated');
    validateBuffer(view, 'view');
    if (view.buffer.detached) throw invalid('Viewed ArrayBuffer is detached');
    respondWithNewView(controller, view);
  }

  [kInspect](depth, options) {
    const { controller } = this[kState];
    return inspectAs(this, depth, options, 'ReadableStreamBYOBRequest', { view: this.view, controller });
  }
}
finishClass(ReadableStreamBYOBRequest, ['view', 'respond', 'respondWithNewView']);

class ReadableByteStreamController {
  constructor(mark = undefined) {
    if (mark !== kInternal) throw new ERR_ILLEGAL_CONSTRUCTOR();
  }

  get byobRequest() {
    if (!isController(this)) throw new ERR_INVALID_THIS('ReadableByteStreamController');
    const own = this[kState];
    if (own.byobRequest === null && own.pulls.length > 0) {
      const { buffer, offset, filled, length } = own.pulls[0];
      const view = new Uint8Array(buffer, offset + filled, length - filled);
      own.byobRequest = new ReadableStreamBYOBRequest(kInternal, this, view);
    }
    return own.byobRequest;
  }

  get desiredSize() {
    if (!isController(this)) throw new ERR_INVALID_THIS('ReadableByteStreamController');
    return desiredSize(this);
  }

  close() {
    if (!isController(this)) throw new ERR_INVALID_THIS('ReadableByteStreamController');
    checkOpen(this);
    close(this);
  }

  enqueue(chunk) {
    if (!isController(this)) throw new ERR_INVALID_THIS('ReadableByteStreamController');
    validateBuffer(chunk);
    if (chunk.byteLength === 0 || chunk.buffer.byteLength === 0) {
      throw invalid('chunk ArrayBuffer is zero-length or detached');
    }
    checkOpen(this);
    enqueue(this, chunk);
  }

  error(reason = undefined) {
    if (!isController(this)) throw new ERR_INVALID_THIS('ReadableByteStreamController');
    error(this, reason);
  }

  [kCancel](reason) {
    const own = this[kState];
    clearPulls(own);
    resetQueue(own);
    const result = own.cancel(reason);
    clearAlgorithms(own);
    return result;
  }

  [kPull](request) {
    const own = this[kState];
    if (own.queueSize > 0) {
      giveFromQueue(this, request);
      return;
    }
    const size = own.autoAllocateChunkSize;
    if (size !== undefined) {
      let buffer;
      try {
        buffer = new ArrayBuffer(size);
      } catch (failure) {
        request.error(failure);
        return;
      }
      own.pulls.push(pullOf(buffer, size, 0, size, 1, Uint8Array, 1, 'default'));
    }
    own.stream[kState].reader[kState].requests.push(request);
    pullIfNeeded(this, error);
  }

  [kRelease]() {
    const own = this[kState];
    if (own.pulls.length > 0) {
      own.pulls[0].kind = 'none';
      own.pulls = [own.pulls[0]];
    }
  }

  [kInspect](depth, options) { return inspectAs(this, depth, options, 'ReadableByteStreamController', {}); }
}
finishClass(ReadableByteStreamController, ['byobRequest', 'desiredSize', 'close', 'enqueue', 'error']);

function checkOpen(controller) {
  const { closeRequested, stream } = controller[kState];
  if (closeRequested) throw invalid('Controller is already closed');
  if (stream[kState].state !== 'readable') throw invalid('ReadableStream is already closed');
}

function pullOf(buffer, bufferLength, offset, length, elementSize, View, least, kind) {
  return { buffer, bufferLength, offset, length, filled: 0, least, elementSize, View, kind };
}

// ---- Setup

function setUp(stream, controller, algorithms, highWaterMark, autoAllocateChunkSize) {
  const own = controller[kState] = {
    autoAllocateChunkSize,
    byobRequest: null,
    cancel: algorithms.cancel,
    closeRequested: false,
    highWaterMark,
    pull: algorithms.pull,
    pullAgain: false,
    pulling: false,
    pulls: [],
    queue: [],
    queueSize: 0,
    started: false,
    stream,
  };
  stream[kState].controller = controller;
  const result = algorithms.start();
  then(settled(result), () => {
    own.started = true;
    pullIfNeeded(controller, error);
  }, (reason) => error(controller, reason));
}

function setUpFromSource(stream, source, highWaterMark) {
  const controller = new ReadableByteStreamController(kInternal);
  const { autoAllocateChunkSize } = source;
  const algorithms = algorithmsOf(source, controller);
  if (autoAllocateChunkSize === 0) {
    throw new ERR_INVALID_ARG_VALUE('source.autoAllocateChunkSize', autoAllocateChunkSize);
  }
  setUp(stream, controller, algorithms, highWaterMark, autoAllocateChunkSize);
}

function createByteStream(algorithms) {
  const stream = Object.create(ReadableStream.prototype);
  prepare(stream);
  setUp(stream, new ReadableByteStreamController(kInternal), algorithms, 0, undefined);
  return stream;
}

// ---- Controller operations

function clearAlgorithms(own) {
  own.pull = undefined;
  own.cancel = undefined;
}

function dropRequest(own) {
  if (own.byobRequest === null) return;
  own.byobRequest[kState].controller = undefined;
  own.byobRequest[kState].view = null;
  own.byobRequest = null;
}

function clearPulls(own) {
  dropRequest(own);
  own.pulls = [];
}

function error(controller, reason) {
  const own = controller[kState];
  if (own.stream[kState].state !== 'readable') return;
  clearPulls(own);
  resetQueue(own);
  clearAlgorithms(own);
  errorStream(own.stream, reason);
}

function close(controller) {
  const own = controller[kState];
  if (own.closeRequested || own.stream[kState].state !== 'readable') return;
  if (own.queueSize > 0) {
    own.closeRequested = true;
    return;
  }
  if (own.pulls.length > 0 && own.pulls[0].filled % own.pulls[0].elementSize !== 0) {
    const partial = invalid('Partial read');
    error(controller, partial);
    throw partial;
  }
  clearAlgorithms(own);
  closeStream(own.stream);
}

function queueDrained(controller) {
  const own = controller[kState];
  if (own.queueSize === 0 && own.closeRequested) {
    clearAlgorithms(own);
    closeStream(own.stream);
  } else {
    pullIfNeeded(controller, error);
  }
}

function putInQueue(own, buffer, offset, length) {
  own.queue.push({ buffer, offset, length });
  own.queueSize += length;
}

function giveFromQueue(controller, request) {
  const own = controller[kState];
  const { buffer, offset, length } = own.queue.shift();
  own.queueSize -= length;
  queueDrained(controller);
  request.chunk(new Uint8Array(buffer, offset, length));
}

// Takes the buffer of a chunk. A Buffer of the pool is copied: a transfer would detach all other Buffers in the same pool slab.
function takeBuffer({ buffer, byteOffset, byteLength }) {
  if (buffer[kUntransferable]) return [buffer.slice(byteOffset, byteOffset + byteLength), 0];
  return [buffer.transfer(), byteOffset];
}

function enqueue(controller, chunk) {
  const own = controller[kState];
  const { stream } = own;
  const { byteLength } = chunk;
  if (own.closeRequested || stream[kState].state !== 'readable') return;
  const [buffer, byteOffset] = takeBuffer(chunk);
  if (own.pulls.length > 0) {
    const first = own.pulls[0];
    if (first.buffer.detached) throw invalid('Destination ArrayBuffer is detached');
    dropRequest(own);
    first.buffer = first.buffer.transfer();
    if (first.kind === 'none') detachedToQueue(controller, first);
  }
  if (hasDefaultReader(stream)) {
    const { requests } = stream[kState].reader[kState];
    while (requests.length > 0 && own.queueSize > 0) giveFromQueue(controller, requests.shift());
    if (requests.length === 0) {
      putInQueue(own, buffer, byteOffset, byteLength);
    } else {
      if (own.pulls.length > 0) own.pulls.shift();
      requests.shift().chunk(new Uint8Array(buffer, byteOffset, byteLength));
    }
  } else {
    putInQueue(own, buffer, byteOffset, byteLength);
    if (hasByobReader(stream)) commitAll(stream, fillFromQueue(own));
  }
  pullIfNeeded(controller, error);
}

// A reader was released while its read was pending: moves the bytes of that read into the queue for the next reader
// (ReadableByteStreamControllerEnqueueDetachedPullIntoToQueue).
function detachedToQueue(controller, pull) {
  const own = controller[kState];
  if (pull.filled > 0) {
    let copy;
    try {
      copy = pull.buffer.slice(pull.offset, pull.offset + pull.filled);
    } catch (failure) {
      error(controller, failure);
      throw failure;
    }
    putInQueue(own, copy, 0, pull.filled);
  }
  own.pulls.shift();
}

// Fills a pull from the queue. Returns true if the pull has at least its minimum (FillPullIntoDescriptorFromQueue).
function fill(own, pull) {
  const available = Math.min(own.queueSize, pull.length - pull.filled);
  const aligned = pull.filled + available - ((pull.filled + available) % pull.elementSize);
  const isReady = aligned >= pull.least;
  let left = isReady ? aligned - pull.filled : available;
  while (left > 0) {
    const head = own.queue[0];
    const count = Math.min(left, head.length);
    new Uint8Array(pull.buffer, pull.offset + pull.filled, count).set(new Uint8Array(head.buffer, head.offset, count));
    if (head.length === count) {
      own.queue.shift();
    } else {
      head.offset += count;
      head.length -= count;
    }
    own.queueSize -= count;
    pull.filled += count;
    left -= count;
  }
  return isReady;
}

function fillFromQueue(own) {
  const ready = [];
  while (own.pulls.length > 0 && own.queueSize > 0) {
    if (fill(own, own.pulls[0])) ready.push(own.pulls.shift());
  }
  return ready;
}

function viewOf(pull) {
  const { buffer, filled, length, offset, View, elementSize } = pull;
  if (filled > length) throw new ERR_INVALID_STATE.RangeError('The buffer size is invalid');
  const moved = buffer.transfer();
  return View === Buffer ? Buffer.from(moved, offset, filled / elementSize) : new View(moved, offset, filled / elementSize);
}

function commit(stream, pull) {
  const isDone = stream[kState].state === 'closed';
  const view = viewOf(pull);
  const request = stream[kState].reader[kState].requests.shift();
  if (isDone) request.close(view);
  else request.chunk(view);
}

function commitAll(stream, pulls) {
  for (const pull of pulls) commit(stream, pull);
}

function readInto(reader, view, least, request) {
  const { stream } = reader[kState];
  const { state, storedError, controller } = stream[kState];
  stream[kState].disturbed = true;
  if (state === 'errored') {
    request.error(storedError);
    return;
  }
  const own = controller[kState];
  const isData = view instanceof DataView;
  const View = isData ? DataView : view.constructor;
  const elementSize = isData ? 1 : View.BYTES_PER_ELEMENT;
  const { byteOffset, byteLength } = view;
  const bufferLength = view.buffer.byteLength;
  let buffer;
  try {
    if (view.buffer[kUntransferable]) throw new TypeError('Cannot transfer object of unsupported type.');
    buffer = view.buffer.transfer();
  } catch (failure) {
    request.error(failure);
    return;
  }
  const pull = pullOf(buffer, bufferLength, byteOffset, byteLength, elementSize, View, least * elementSize, 'byob');
  if (own.pulls.length === 0) {
    if (state === 'closed') {
      request.close(new View(buffer, byteOffset, 0));
      return;
    }
    if (own.queueSize > 0) {
      if (fill(own, pull)) {
        const filled = viewOf(pull);
        queueDrained(controller);
        request.chunk(filled);
        return;
      }
      if (own.closeRequested) {
        const closed = invalid('ReadableStream closed');
        error(controller, closed);
        request.error(closed);
        return;
      }
    }
  }
  const isFirst = own.pulls.length === 0;
  own.pulls.push(pull);
  reader[kState].requests.push(request);
  if (isFirst) pullIfNeeded(controller, error);
}

// ---- BYOB requests: respond() and respondWithNewView()

function respond(controller, bytesWritten) {
  const own = controller[kState];
  const pull = own.pulls[0];
  if (own.stream[kState].state === 'closed') {
    if (bytesWritten !== 0) throw new ERR_INVALID_ARG_VALUE('bytesWritten', bytesWritten);
  } else {
    if (!bytesWritten) throw new ERR_INVALID_ARG_VALUE('bytesWritten', bytesWritten);
    if (pull.filled + bytesWritten > pull.length) throw new ERR_INVALID_ARG_VALUE.RangeError('bytesWritten', bytesWritten);
  }
  pull.buffer = pull.buffer.transfer();
  answer(controller, bytesWritten);
}

function respondWithNewView(controller, view) {
  const own = controller[kState];
  const pull = own.pulls[0];
  if (own.stream[kState].state === 'closed') {
    if (view.byteLength !== 0) throw invalid('View is not zero-length');
  } else if (view.byteLength === 0) {
    throw invalid('View is zero-length');
  }
  if (pull.offset + pull.filled !== view.byteOffset || pull.filled + view.byteLength > pull.length ||
      pull.bufferLength !== view.buffer.byteLength) {
    throw new ERR_INVALID_ARG_VALUE.RangeError('view', view);
  }
  const { byteLength } = view;
  pull.buffer = view.buffer.transfer();
  answer(controller, byteLength);
}

function answer(controller, bytesWritten) {
  const own = controller[kState];
  const { stream } = own;
  const pull = own.pulls[0];
  dropRequest(own);
  if (stream[kState].state === 'closed') {
    if (bytesWritten) throw invalid('Controller is closed but view is not zero-length');
    answerClosed(own, pull);
  } else {
    if (!bytesWritten) throw invalid('View cannot be zero-length');
    answerReadable(controller, bytesWritten, pull);
  }
  pullIfNeeded(controller, error);
}

function answerClosed(own, pull) {
  const { stream } = own;
  if (pull.kind === 'none') own.pulls.shift();
  if (hasByobReader(stream)) commitAll(stream, own.pulls.splice(0, waitingReads(stream)));
}

function answerReadable(controller, bytesWritten, pull) {
  const own = controller[kState];
  const { stream } = own;
  if (pull.filled + bytesWritten > pull.length) throw new ERR_INVALID_STATE.RangeError('The buffer size is invalid');
  pull.filled += bytesWritten;
  if (pull.kind === 'none') {
    detachedToQueue(controller, pull);
    commitAll(stream, fillFromQueue(own));
    return;
  }
  if (pull.filled < pull.least) return;
  own.pulls.shift();
  // Bytes of an incomplete element go back to the queue for the next read.
  const rest = pull.filled % pull.elementSize;
  if (rest > 0) {
    const end = pull.offset + pull.filled;
    putInQueue(own, pull.buffer.slice(end - rest, end), 0, rest);
    pull.filled -= rest;
  }
  const ready = fillFromQueue(own);
  commit(stream, pull);
  commitAll(stream, ready);
}

module.exports = {
  ReadableByteStreamController,
  ReadableStreamBYOBRequest,
  close,
  createByteStream,
  enqueue,
  error,
  isController,
  readInto,
  respond,
  respondWithNewView,
  setUpFromSource,
};
