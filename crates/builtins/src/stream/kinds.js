'use strict';
// Duck-typed checks of the kind and state of a stream, which also work for streams of other implementations, http
// messages and web streams (Node: `lib/internal/streams/utils.js`).

const kIsDestroyed = Symbol.for('nodejs.stream.destroyed');
const kIsErrored = Symbol.for('nodejs.stream.errored');
const kIsReadable = Symbol.for('nodejs.stream.readable');
const kIsWritable = Symbol.for('nodejs.stream.writable');
const kIsDisturbed = Symbol.for('nodejs.stream.disturbed');
const kIsClosedPromise = Symbol.for('nodejs.webstream.isClosedPromise');
const kControllerErrorFunction = Symbol.for('nodejs.webstream.controllerErrorFunction');

const has = (object, name) => typeof object[name] === 'function';

// ---- Kind of stream

function isReadableNodeStream(object, strict = false) {
  if (!object || !has(object, 'pipe') || !has(object, 'on')) return false;
  if (strict && !(has(object, 'pause') && has(object, 'resume'))) return false;
  // A Writable also has `pipe`, which only reports an error.
  return !object._writableState || !!(object._readableState && object._readableState.readable !== false);
}

function isWritableNodeStream(object) {
  return !!object && has(object, 'write') && has(object, 'on') &&
    (!object._readableState || object._writableState?.writable !== false);
}

function isDuplexNodeStream(object) {
  return !!(object && has(object, 'pipe') && object._readableState && has(object, 'on') && has(object, 'write'));
}

function isNodeStream(object) {
  return object && (object._readableState || object._writableState ||
    (has(object, 'on') && (has(object, 'write') || has(object, 'pipe'))));
}

function isReadableStream(object) {
  return !!(object && !isNodeStream(object) && has(object, 'pipeThrough') && has(object, 'getReader') &&
    has(object, 'cancel'));
}

function isWritableStream(object) {
  return !!(object && !isNodeStream(object) && has(object, 'getWriter') && has(object, 'abort'));
}

function isTransformStream(object) {
  return !!(object && !isNodeStream(object) && typeof object.readable === 'object' &&
    typeof object.writable === 'object');
}

const isWebStream = (object) => isReadableStream(object) || isWritableStream(object) || isTransformStream(object);

// `isAsync` true accepts only async iterables, false only sync ones; undefined accepts both.
function isIterable(object, isAsync) {
  if (object == null) return false;
  return (isAsync !== false && typeof object[Symbol.asyncIterator] === 'function') ||
    (isAsync !== true && typeof object[Symbol.iterator] === 'function');
}

// ---- State of a stream. The functions return null if the state cannot be determined.

function isDestroyed(stream) {
  if (!isNodeStream(stream)) return null;
  const state = stream._writableState || stream._readableState;
  return !!(stream.destroyed || stream[kIsDestroyed] || state?.destroyed);
}

function isWritableEnded(stream) {
  if (!isWritableNodeStream(stream)) return null;
  if (stream.writableEnded === true) return true;
  const state = stream._writableState;
  if (state?.errored) return false;
  return typeof state?.ended === 'boolean' ? state.ended : null;
}

// If not strict, a stream that has ended with nothing buffered counts as finished before 'finish' is emitted.
function isWritableFinished(stream, strict) {
  if (!isWritableNodeStream(stream)) return null;
  if (stream.writableFinished === true) return true;
  const state = stream._writableState;
  if (state?.errored) return false;
  if (typeof state?.finished !== 'boolean') return null;
  return state.finished || (strict === false && state.ended === true && state.length === 0);
}

function isReadableFinished(stream, strict) {
  if (!isReadableNodeStream(stream)) return null;
  const state = stream._readableState;
  if (state?.errored) return false;
  if (typeof state?.endEmitted !== 'boolean') return null;
  return state.endEmitted || (strict === false && state.ended === true && state.length === 0);
}

function isReadable(stream) {
  if (stream && stream[kIsReadable] != null) return stream[kIsReadable];
  if (typeof stream?.readable !== 'boolean') return null;
  if (isDestroyed(stream)) return false;
  return isReadableNodeStream(stream) && stream.readable && !isReadableFinished(stream);
}

function isWritable(stream) {
  if (stream && stream[kIsWritable] != null) return stream[kIsWritable];
  if (typeof stream?.writable !== 'boolean') return null;
  if (isDestroyed(stream)) return false;
  return isWritableNodeStream(stream) && stream.writable && !isWritableEnded(stream);
}

function isFinished(stream, options) {
  if (!isNodeStream(stream)) return null;
  if (isDestroyed(stream)) return true;
  if (options?.readable !== false && isReadable(stream)) return false;
  return !(options?.writable !== false && isWritable(stream));
}

function isWritableErrored(stream) {
  if (!isNodeStream(stream)) return null;
  return stream.writableErrored || (stream._writableState?.errored ?? null);
}

function isReadableErrored(stream) {
  if (!isNodeStream(stream)) return null;
  return stream.readableErrored || (stream._readableState?.errored ?? null);
}

function isClosed(stream) {
  if (!isNodeStream(stream)) return null;
  if (typeof stream.closed === 'boolean') return stream.closed;
  const written = stream._writableState?.closed;
  const read = stream._readableState?.closed;
  if (typeof written === 'boolean' || typeof read === 'boolean') return written || read;
  return typeof stream._closed === 'boolean' && isOutgoingMessage(stream) ? stream._closed : null;
}

function isDisturbed(stream) {
  return !!(stream && (stream[kIsDisturbed] ?? (stream.readableDidRead || stream.readableAborted)));
}

function isErrored(stream) {
  if (!stream) return false;
  const read = stream._readableState;
  const written = stream._writableState;
  return !!(stream[kIsErrored] ?? stream.readableErrored ?? stream.writableErrored ?? read?.errorEmitted ??
    written?.errorEmitted ?? read?.errored ?? written?.errored);
}

// ---- http messages

function isOutgoingMessage(stream) {
  return typeof stream._closed === 'boolean' && typeof stream._defaultKeepAlive === 'boolean' &&
    typeof stream._removedConnection === 'boolean' && typeof stream._removedContLen === 'boolean';
}

function isServerResponse(stream) {
  return typeof stream._sent100 === 'boolean' && isOutgoingMessage(stream);
}

function isServerRequest(stream) {
  return typeof stream._consuming === 'boolean' && typeof stream._dumped === 'boolean' &&
    stream.req?.upgradeOrConnect === undefined;
}

// A ClientRequest, or an object of a package that imitates one.
const isRequest = (stream) => stream?.setHeader && typeof stream.abort === 'function';

// True if the stream is certain to emit 'close'.
function willEmitClose(stream) {
  if (!isNodeStream(stream)) return null;
  const state = stream._writableState || stream._readableState;
  if (!state) return isServerResponse(stream);
  return !!(state.autoDestroy && state.emitClose && state.closed === false);
}

module.exports = {
  isClosed,
  isDestroyed,
  isDisturbed,
  isDuplexNodeStream,
  isErrored,
  isFinished,
  isIterable,
  isNodeStream,
  isReadable,
  isReadableErrored,
  isReadableFinished,
  isReadableNodeStream,
  isReadableStream,
  isRequest,
  isServerRequest,
  isTransformStream,
  isWebStream,
  isWritable,
  isWritableEnded,
  isWritableErrored,
  isWritableFinished,
  isWritableNodeStream,
  isWritableStream,
  kControllerErrorFunction,
  kIsClosedPromise,
  kIsDestroyed,
  kIsDisturbed,
  kIsErrored,
  kIsReadable,
  kIsWritable,
  willEmitClose,
};
