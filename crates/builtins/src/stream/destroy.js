'use strict';
// `destroy()`, the order of 'error' and 'close', and `_construct`, which delays both events.

const { ERR_MULTIPLE_CALLBACK, AbortError, aggregateTwoErrors } = require('internal/errors');
const {
  kAutoDestroy,
  kCloseEmitted,
  kClosed,
  kConstructed,
  kDestroyed,
  kEmitClose,
  kErrorEmitted,
  kErrored,
  kState,
} = require('internal/streams/flags');
const { isDestroyed, isFinished, isRequest, isServerRequest, kIsDestroyed } = require('internal/streams/kinds');

const process = require('process');

// Event names that only the functions of this file emit and listen to.
const kDestroy = Symbol('kDestroy');
const kConstruct = Symbol('kConstruct');

// Sets the bits in both states of a Duplex, or in the one state that the stream has.
function setBits(stream, bits) {
  const r = stream._readableState;
  const w = stream._writableState;
  if (w) w[kState] |= bits;
  if (r) r[kState] |= bits;
}

function anyBits(stream, bits) {
  const r = stream._readableState;
  const w = stream._writableState;
  return (w && (w[kState] & bits) !== 0) || (r && (r[kState] & bits) !== 0);
}

// Stores an error in the state, unless the state has an error already.
function remember(stream, error) {
  const r = stream._readableState;
  const w = stream._writableState;
  if (w && !w.errored) w.errored = error;
  if (r && !r.errored) r.errored = error;
}

function destroy(error, callback) {
  if (anyBits(this, kDestroyed)) {
    if (typeof callback === 'function') callback();
    return this;
  }
  if (error) remember(this, error);
  setBits(this, kDestroyed);
  const state = this._writableState || this._readableState;
  if ((state[kState] & kConstructed) === 0) {
    this.once(kDestroy, function(early) { callDestroy(this, aggregateTwoErrors(early, error), callback); });
  } else {
    callDestroy(this, error, callback);
  }
  return this;
}

function callDestroy(stream, error, callback) {
  let isCalled = false;
  function onDestroy(outcome) {
    if (isCalled) return;
    isCalled = true;
    if (outcome) remember(stream, outcome);
    setBits(stream, kClosed);
    if (typeof callback === 'function') callback(outcome);
    if (outcome) process.nextTick(emitErrorAndClose, stream, outcome);
    else process.nextTick(emitClose, stream);
  }
  try {
    stream._destroy(error || null, onDestroy);
  } catch (thrown) {
    onDestroy(thrown);
  }
}

function emitErrorAndClose(stream, error) {
  emitError(stream, error);
  emitClose(stream);
}

function emitClose(stream) {
  setBits(stream, kCloseEmitted);
  if (anyBits(stream, kEmitClose)) stream.emit('close');
}

function emitError(stream, error) {
  if (anyBits(stream, kErrorEmitted)) return;
  setBits(stream, kErrorEmitted);
  stream.emit('error', error);
}

// Resets the state so that a net.Socket can connect again.
function undestroy() {
  const r = this._readableState;
  const w = this._writableState;
  const fresh = {
    constructed: true, destroyed: false, closed: false, closeEmitted: false, errored: null, errorEmitted: false,
  };
  if (r) {
    const isOff = r.readable === false;
    Object.assign(r, fresh, { reading: false, ended: isOff, endEmitted: isOff });
  }
  if (w) {
    const isOff = w.writable === false;
    Object.assign(w, fresh, { finalCalled: false, prefinished: false, ended: isOff, ending: isOff, finished: isOff });
  }
}

// Reports an error of the stream itself. With autoDestroy the stream is destroyed. Otherwise only 'error' is emitted: on nextTick if `sync` is true,
// because then the public method has not returned yet.
function errorOrDestroy(stream, error, sync) {
  const r = stream._readableState;
  const w = stream._writableState;
  // The state objects of other stream implementations have no kState bits.
  if ((w && (w[kState] ? (w[kState] & kDestroyed) !== 0 : w.destroyed)) ||
      (r && (r[kState] ? (r[kState] & kDestroyed) !== 0 : r.destroyed))) {
    return;
  }
  if (anyBits(stream, kAutoDestroy)) {
    stream.destroy(error);
  } else if (error) {
    if (w && (w[kState] & kErrored) === 0) w.errored = error;
    if (r && (r[kState] & kErrored) === 0) r.errored = error;
    if (sync) process.nextTick(emitError, stream, error);
    else emitError(stream, error);
  }
}

// Calls `_construct` on nextTick after the constructor, and `done` after its callback.
function construct(stream, done) {
  if (typeof stream._construct !== 'function') return;
  const r = stream._readableState;
  const w = stream._writableState;
  if (r) r[kState] &= ~kConstructed;
  if (w) w[kState] &= ~kConstructed;
  stream.once(kConstruct, done);
  // Both sides of a Duplex call this function; only the first call schedules `_construct`.
  if (stream.listenerCount(kConstruct) > 1) return;
  process.nextTick(callConstruct, stream);
}

function callConstruct(stream) {
  let isCalled = false;
  function onConstruct(error) {
    if (isCalled) {
      errorOrDestroy(stream, error ?? new ERR_MULTIPLE_CALLBACK());
      return;
    }
    isCalled = true;
    setBits(stream, kConstructed);
    if ((stream._writableState || stream._readableState).destroyed) stream.emit(kDestroy, error);
    else if (error) errorOrDestroy(stream, error, true);
    else stream.emit(kConstruct);
  }
  try {
    stream._construct((error) => process.nextTick(onConstruct, error));
  } catch (error) {
    process.nextTick(onConstruct, error);
  }
}

// ---- Destroying any stream-like object

function emitCloseOnly(stream) {
  stream.emit('close');
}

function emitErrorThenClose(stream, error) {
  stream.emit('error', error);
  process.nextTick(emitCloseOnly, stream);
}

function destroyer(stream, error) {
  if (!stream || isDestroyed(stream)) return;
  if (!error && !isFinished(stream)) error = new AbortError();
  if (isServerRequest(stream)) {
    stream.socket = null;
    stream.destroy(error);
  } else if (isRequest(stream)) {
    stream.abort();
  } else if (isRequest(stream.req)) {
    stream.req.abort();
  } else if (typeof stream.destroy === 'function') {
    stream.destroy(error);
  } else if (typeof stream.close === 'function') {
    stream.close();
  } else if (error) {
    process.nextTick(emitErrorThenClose, stream, error);
  } else {
    process.nextTick(emitCloseOnly, stream);
  }
  if (!stream.destroyed) stream[kIsDestroyed] = true;
}

module.exports = { construct, destroy, destroyer, errorOrDestroy, undestroy };
