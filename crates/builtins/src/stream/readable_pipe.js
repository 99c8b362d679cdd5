'use strict';
// `pipe` and `unpipe` of Readable. For each chunk, one closure ('data' listener) and one `write()` are called.

const process = require('process');
const { errorOrDestroy } = require('internal/streams/destroy');
const { prependListener } = require('internal/streams/legacy');
const { kState } = require('internal/streams/flags');
const { kDataListening, kEndEmitted, kFlowing, kMultiAwaitDrain } = require('internal/streams/readable_state');

function pipe(dest, options) {
  const source = this;
  const state = this._readableState;
  let ondrain;
  let isOver = false;

  if (state.pipes.length === 1 && (state[kState] & kMultiAwaitDrain) === 0) {
    state[kState] |= kMultiAwaitDrain;
    state.awaitDrainWriters = new SafeSet(state.awaitDrainWriters ? [state.awaitDrainWriters] : []);
  }
  state.pipes.push(dest);

  // pipe() never ends process.stdout and process.stderr.
  const endsIt = (!options || options.end !== false) && dest !== process.stdout && dest !== process.stderr;
  const atEnd = endsIt ? onend : unpipe;
  if ((state[kState] & kEndEmitted) !== 0) process.nextTick(atEnd);
  else source.once('end', atEnd);

  dest.on('unpipe', onunpipe);
  source.on('data', ondata);
  // This listener must run before the 'error' listeners of user code.
  prependListener(dest, 'error', onerror);
  dest.once('close', onclose);
  dest.once('finish', onfinish);
  dest.emit('pipe', source);
  if (dest.writableNeedDrain === true) waitForDrain();
  else if ((state[kState] & kFlowing) === 0) source.resume();
  return dest;

  function ondata(chunk) {
    if (dest.write(chunk) === false) waitForDrain();
  }

  function waitForDrain() {
    // If this `write()` has caused an `unpipe()`, the source must not be paused: no 'drain' listener would resume it.
    if (!isOver) {
      if (state.pipes.length === 1 && state.pipes[0] === dest) {
        state.awaitDrainWriters = dest;
        state[kState] &= ~kMultiAwaitDrain;
      } else if (state.pipes.length > 1 && state.pipes.includes(dest)) {
        state.awaitDrainWriters.add(dest);
      }
      source.pause();
    }
    if (!ondrain) {
      ondrain = () => drained(source, dest);
      dest.on('drain', ondrain);
    }
  }

  function onend() {
    dest.end();
  }

  function onerror(error) {
    unpipe();
    dest.removeListener('error', onerror);
    if (dest.listenerCount('error') !== 0) return;
    const other = dest._writableState || dest._readableState;
    // Code other than the stream itself has emitted the error: destroy the stream with the error.
    if (other && !other.errorEmitted) errorOrDestroy(dest, error);
    else dest.emit('error', error);
  }

  function onclose() {
    dest.removeListener('finish', onfinish);
    unpipe();
  }

  function onfinish() {
    dest.removeListener('close', onclose);
    unpipe();
  }

  function unpipe() {
    source.unpipe(dest);
  }

  function onunpipe(readable, info) {
    if (readable === source && info && info.hasUnpiped === false) {
      info.hasUnpiped = true;
      cleanup();
    }
  }

  function cleanup() {
    dest.removeListener('close', onclose);
    dest.removeListener('finish', onfinish);
    if (ondrain) dest.removeListener('drain', ondrain);
    dest.removeListener('error', onerror);
    dest.removeListener('unpipe', onunpipe);
    source.removeListener('end', onend);
    source.removeListener('end', unpipe);
    source.removeListener('data', ondata);
    isOver = true;
    // The 'drain' listener has been removed. If the source waits for this destination, resume the source now.
    if (ondrain && state.awaitDrainWriters && (!dest._writableState || dest._writableState.needDrain)) {
      ondrain();
    }
  }
}

function drained(source, dest) {
  const state = source._readableState;
  if (state.awaitDrainWriters === dest) state.awaitDrainWriters = null;
  else if ((state[kState] & kMultiAwaitDrain) !== 0) state.awaitDrainWriters.delete(dest);
  if ((!state.awaitDrainWriters || state.awaitDrainWriters.size === 0) && (state[kState] & kDataListening) !== 0) {
    source.resume();
  }
}

function unpipe(dest) {
  const state = this._readableState;
  if (state.pipes.length === 0) return this;
  if (!dest) {
    const all = state.pipes;
    state.pipes = [];
    this.pause();
    for (let i = 0; i < all.length; i++) all[i].emit('unpipe', this, { hasUnpiped: false });
    return this;
  }
  const at = state.pipes.indexOf(dest);
  if (at === -1) return this;
  state.pipes.splice(at, 1);
  if (state.pipes.length === 0) this.pause();
  dest.emit('unpipe', this, { hasUnpiped: false });
  return this;
}

function install(Readable) {
  Readable.prototype.pipe = pipe;
  Readable.prototype.unpipe = unpipe;
}

module.exports = { install };
