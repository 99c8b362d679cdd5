'use strict';
// TransformStream and its controller, per the WHATWG Streams Standard.

const {
  ERR_ILLEGAL_CONSTRUCTOR, ERR_INVALID_ARG_VALUE, ERR_INVALID_STATE, ERR_INVALID_THIS,
} = require('internal/errors');
const { kDeserialize, kTransfer, kTransferList } = require('internal/clone_symbols');
const { kEmptyObject } = require('internal/util');
const {
  kValidateObjectAllowObjects, kValidateObjectAllowObjectsAndNull, validateObject,
} = require('internal/validators');
const {
  Deferred, apply, brand, finishClass, inspectAs, kInspect, kInternal, kState, markOf, optionalCallback, promiseCallback,
  sizeOf, then,
} = require('internal/webstreams/shared');
const {
  canEnqueue, closeController, createReadableStream, desiredSize, enqueue, errorController, wantsPull,
} = require('internal/webstreams/readable');
const { createWritableStream, errorIfWritable } = require('internal/webstreams/writable');

const isTransformStream = brand('TransformStream');
const isController = brand('TransformStreamDefaultController');

class TransformStream {
  constructor(transformer = kEmptyObject, writableStrategy = kEmptyObject, readableStrategy = kEmptyObject) {
    validateObject(transformer, 'transformer', kValidateObjectAllowObjects);
    validateObject(writableStrategy, 'writableStrategy', kValidateObjectAllowObjectsAndNull);
    validateObject(readableStrategy, 'readableStrategy', kValidateObjectAllowObjectsAndNull);
    const { readableType, writableType, start } = transformer;
    if (readableType !== undefined) {
      throw new ERR_INVALID_ARG_VALUE.RangeError('transformer.readableType', readableType);
    }
    if (writableType !== undefined) {
      throw new ERR_INVALID_ARG_VALUE.RangeError('transformer.writableType', writableType);
    }
    const readableMark = readableStrategy?.highWaterMark;
    const readableSize = readableStrategy?.size;
    const writableMark = writableStrategy?.highWaterMark;
    const writableSize = writableStrategy?.size;
    const readable = [markOf(readableMark, 0), sizeOf(readableSize)];
    const writable = [markOf(writableMark, 1), sizeOf(writableSize)];
    const started = new Deferred();
    makeSides(this, started.promise, writable, readable);
    const controller = new TransformStreamDefaultController(kInternal);
    const { transform, flush, cancel } = transformer;
    controller[kState] = {
      stream: this,
      transform: transform ? promiseCallback('transformer.transform', transform, transformer) : passThrough,
      flush: optionalCallback('transformer.flush', flush, transformer),
      cancel: optionalCallback('transformer.cancel', cancel, transformer),
      finished: undefined,
    };
    this[kState].controller = controller;
    started.resolve(start !== undefined ? apply(start, transformer, [controller]) : undefined);
  }

  get readable() {
    if (!isTransformStream(this)) throw new ERR_INVALID_THIS('TransformStream');
    return this[kState].readable;
  }

  get writable() {
    if (!isTransformStream(this)) throw new ERR_INVALID_THIS('TransformStream');
    return this[kState].writable;
  }

  [kInspect](depth, options) {
    const { readable, writable, backpressure } = this[kState];
    return inspectAs(this, depth, options, 'TransformStream', { readable, writable, backpressure });
  }

  [kTransferList]() {
    const { readable, writable } = this[kState];
    return [readable, writable];
  }

  // `readable` and `writable` check by themselves whether they can be transferred.
  [kTransfer]() {
    const { readable, writable } = this[kState];
    return { data: { readable, writable }, deserializeInfo: 'internal/webstreams/transform:TransformStream' };
  }
}
Object.defineProperty(TransformStream, kDeserialize, {
  __proto__: null,
  value: {
    shell: () => Object.create(TransformStream.prototype),
    fill(stream, { readable, writable }) { stream[kState] = { readable, writable, backpressure: undefined }; },
  },
});
finishClass(TransformStream, ['readable', 'writable']);

class TransformStreamDefaultController {
  constructor(mark = undefined) {
    if (mark !== kInternal) throw new ERR_ILLEGAL_CONSTRUCTOR();
  }

  get desiredSize() {
    if (!isController(this)) throw new ERR_INVALID_THIS('TransformStreamDefaultController');
    return desiredSize(readableControllerOf(this[kState].stream));
  }

  enqueue(chunk = undefined) {
    if (!isController(this)) throw new ERR_INVALID_THIS('TransformStreamDefaultController');
    put(this, chunk);
  }

  error(reason = undefined) {
    if (!isController(this)) throw new ERR_INVALID_THIS('TransformStreamDefaultController');
    errorBoth(this[kState].stream, reason);
  }

  terminate() {
    if (!isController(this)) throw new ERR_INVALID_THIS('TransformStreamDefaultController');
    const { stream } = this[kState];
    closeController(readableControllerOf(stream));
    errorWritable(stream, new ERR_INVALID_STATE.TypeError('TransformStream has been terminated'));
  }

  [kInspect](depth, options) {
    return inspectAs(this, depth, options, 'TransformStreamDefaultController', { stream: this[kState].stream });
  }
}
finishClass(TransformStreamDefaultController, ['desiredSize', 'enqueue', 'error', 'terminate']);

const readableControllerOf = (stream) => stream[kState].readable[kState].controller;

async function passThrough(chunk, controller) {
  put(controller, chunk);
}

function makeSides(stream, started, writable, readable) {
  const start = () => started;
  const own = stream[kState] = {
    backpressure: undefined,
    // Deferred promise that is resolved when `backpressure` changes.
    change: undefined,
    controller: undefined,
    readable: undefined,
    writable: undefined,
  };
  own.writable = createWritableStream({
    start,
    write: (chunk) => write(stream, chunk),
    close: () => finish(stream, 'flush', own.controller, stream[kState].readable, closeController),
    abort: async (reason) => finish(stream, 'cancel', reason, stream[kState].readable,
                                    (controller) => errorController(controller, reason)),
  }, ...writable);
  own.readable = createReadableStream({
    start,
    pull() {
      setBackpressure(own, false);
      return own.change.promise;
    },
    cancel: (reason) => cancel(stream, reason),
  }, ...readable);
  setBackpressure(own, true);
}

function setBackpressure(own, backpressure) {
  own.change?.resolve();
  own.change = new Deferred();
  own.backpressure = backpressure;
}

function clearAlgorithms(controller) {
  const own = controller[kState];
  own.transform = undefined;
  own.flush = undefined;
  own.cancel = undefined;
}

function errorBoth(stream, error) {
  errorController(readableControllerOf(stream), error);
  errorWritable(stream, error);
}

function errorWritable(stream, error) {
  const own = stream[kState];
  clearAlgorithms(own.controller);
  errorIfWritable(own.writable[kState].controller, error);
  unblock(own);
}

function unblock(own) {
  if (own.backpressure) setBackpressure(own, false);
}

function put(controller, chunk) {
  const { stream } = controller[kState];
  const own = stream[kState];
  const target = readableControllerOf(stream);
  if (!canEnqueue(target)) throw new ERR_INVALID_STATE.TypeError('Unable to enqueue');
  try {
    enqueue(target, chunk);
  } catch (error) {
    errorWritable(stream, error);
    throw own.readable[kState].storedError;
  }
  const backpressure = !wantsPull(target);
  if (backpressure !== own.backpressure) setBackpressure(own, true);
}

async function transformChunk(controller, chunk) {
  try {
    return await controller[kState].transform(chunk, controller);
  } catch (error) {
    errorBoth(controller[kState].stream, error);
    throw error;
  }
}

function write(stream, chunk) {
  const own = stream[kState];
  if (!own.backpressure) return transformChunk(own.controller, chunk);
  return then(own.change.promise, () => {
    const { state, storedError } = own.writable[kState];
    if (state === 'erroring') throw storedError;
    return transformChunk(own.controller, chunk);
  });
}

// Called when the writable side has ended: calls `flush` or `cancel`; then `settle` closes or errors the readable side.
function finish(stream, name, argument, readable, settle) {
  const own = stream[kState].controller[kState];
  if (own.finished !== undefined) return own.finished.promise;
  const finished = own.finished = new Deferred();
  const result = own[name](argument);
  clearAlgorithms(stream[kState].controller);
  then(result, () => {
    const { state, storedError, controller } = readable[kState];
    if (state === 'errored') {
      finished.reject(storedError);
    } else {
      settle(controller);
      finished.resolve();
    }
  }, (error) => {
    errorController(readable[kState].controller, error);
    finished.reject(error);
  });
  return finished.promise;
}

// Called when the readable side has been cancelled (TransformStreamDefaultSourceCancelAlgorithm).
function cancel(stream, reason) {
  const own = stream[kState].controller[kState];
  if (own.finished !== undefined) return own.finished.promise;
  const finished = own.finished = new Deferred();
  const { writable } = stream[kState];
  const result = own.cancel(reason);
  clearAlgorithms(stream[kState].controller);
  then(result, () => {
    const { state, storedError, controller } = writable[kState];
    if (state === 'errored') {
      finished.reject(storedError);
      return;
    }
    errorIfWritable(controller, reason);
    unblock(stream[kState]);
    finished.resolve();
  }, (error) => {
    errorIfWritable(writable[kState].controller, error);
    unblock(stream[kState]);
    finished.reject(error);
  });
  return finished.promise;
}

module.exports = { TransformStream, TransformStreamDefaultController, isTransformStream };
