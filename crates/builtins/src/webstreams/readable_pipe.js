'use strict';
// `pipeTo()` of ReadableStream.

const { AbortError, ERR_INVALID_STATE } = require('internal/errors');
const { Deferred, handled, kState, nothing, then } = require('internal/webstreams/shared');
const { ReadableStreamDefaultReader, cancelStream, readFrom, releaseReader } = require('internal/webstreams/readable');
const {
  WritableStreamDefaultWriter, abortStream, closeWithErrorPropagation, isClosing, releaseWriter, writeTo,
} = require('internal/webstreams/writable');

function pipe(source, destination, preventClose, preventAbort, preventCancel, signal) {
  const reader = new ReadableStreamDefaultReader(source);
  const writer = new WritableStreamDefaultWriter(destination);
  const done = new Deferred();
  let isShuttingDown = false;
  let lastWrite = Promise.resolve();
  let listening;
  source[kState].disturbed = true;

  // `failed` is an argument of its own, because the error may be undefined.
  function finalize(failed, error) {
    releaseWriter(writer);
    releaseReader(reader);
    listening?.[Symbol.dispose]();
    if (failed) done.reject(error);
    else done.resolve();
  }

  async function writesDone() {
    const write = lastWrite;
    await write;
    if (write !== lastWrite) await writesDone();
  }

  // Ends the pipe after all chunks that have been read are written. `action` runs before the promise settles.
  function shutDown(failed, error, action) {
    if (isShuttingDown) return;
    isShuttingDown = true;
    const failure = (reason) => finalize(true, reason);
    const complete = () => {
      if (action === undefined) finalize(failed, error);
      else then(action(), () => finalize(failed, error), failure);
    };
    if (destination[kState].state === 'writable' && !isClosing(destination)) then(writesDone(), complete, failure);
    else complete();
  }

  function abort() {
    // The standard requires a DOMException as abort reason, not Node's AbortError.
    const { reason } = signal;
    const error = reason instanceof AbortError ?
      new (require('internal/domexception').DOMException)(reason.message, 'AbortError') : reason;
    shutDown(true, error, () => {
      const actions = [];
      if (!preventAbort) {
        actions.push(destination[kState].state === 'writable' ? abortStream(destination, error) : Promise.resolve());
      }
      if (!preventCancel) {
        actions.push(source[kState].state === 'readable' ? cancelStream(source, error) : Promise.resolve());
      }
      return Promise.all(actions);
    });
  }

  // Pipes one chunk. Resolves to true at the end of the source.
  async function step() {
    if (isShuttingDown) return true;
    await writer[kState].ready.promise;
    const read = new Deferred();
    readFrom(reader, {
      chunk(chunk) {
        lastWrite = writeTo(writer, chunk);
        handled(lastWrite);
        read.resolve(false);
      },
      close() { read.resolve(true); },
      error(error) { read.reject(error); },
    });
    return read.promise;
  }

  async function run() {
    while (!await step());
  }

  if (signal !== undefined) {
    if (signal.aborted) {
      abort();
      return done.promise;
    }
    listening = require('internal/abort').addAbortListener(signal, abort);
  }
  handled(run());

  onError(source, reader[kState].closed.promise, (error) => {
    shutDown(true, error, preventAbort ? undefined : () => abortStream(destination, error));
  });
  onError(destination, writer[kState].closed.promise, (error) => {
    shutDown(true, error, preventCancel ? undefined : () => cancelStream(source, error));
  });
  onClose(source, reader[kState].closed.promise, () => {
    shutDown(false, undefined, preventClose ? undefined : () => closeWithErrorPropagation(writer));
  });
  if (isClosing(destination) || destination[kState].state === 'closed') {
    const error = new ERR_INVALID_STATE.TypeError('Destination WritableStream is closed');
    shutDown(true, error, preventCancel ? undefined : () => cancelStream(source, error));
  }
  return done.promise;
}

function onError(stream, closed, action) {
  if (stream[kState].state === 'errored') action(stream[kState].storedError);
  else then(closed, undefined, action);
}

function onClose(stream, closed, action) {
  if (stream[kState].state === 'closed') action();
  else then(closed, action, nothing);
}

module.exports = { pipe };
