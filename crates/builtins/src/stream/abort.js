'use strict';
// `addAbortSignal()`: destroys a stream when a signal aborts.

const { AbortError, ERR_INVALID_ARG_TYPE } = require('internal/errors');
const { isNodeStream, isWebStream, kControllerErrorFunction } = require('internal/streams/kinds');

const isSignal = (value) => typeof value === 'object' && 'aborted' in value;

function addAbortSignal(signal, stream) {
  if (!isSignal(signal)) throw new ERR_INVALID_ARG_TYPE('signal', 'AbortSignal', signal);
  if (!isNodeStream(stream) && !isWebStream(stream)) {
    throw new ERR_INVALID_ARG_TYPE('stream', ['ReadableStream', 'WritableStream', 'Stream'], stream);
  }
  return addAbortSignalNoValidate(signal, stream);
}

function addAbortSignalNoValidate(signal, stream) {
  if (!isSignal(signal)) return stream;
  const onAbort = () => {
    const error = new AbortError(undefined, { cause: signal.reason });
    if (isNodeStream(stream)) stream.destroy(error);
    else stream[kControllerErrorFunction](error);
  };
  if (signal.aborted) {
    onAbort();
  } else {
    const listening = require('internal/abort').addAbortListener(signal, onAbort);
    require('internal/streams/finished')(stream, listening[Symbol.dispose]);
  }
  return stream;
}

module.exports = { addAbortSignal, addAbortSignalNoValidate };
