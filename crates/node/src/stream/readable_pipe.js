'use strict';
// `pipe` and `unpipe` of a Readable. A pipe is one object that is its own set of listeners: a chunk passes through one
// closure and `write`, nothing else.

const process = require('process');
const { errorOrDestroy } = require('internal/streams/destroy');
const { prependListener } = require('internal/streams/legacy');
const { kState } = require('internal/streams/flags');
const { kDataListening, kEndEmitted, kFlowing, kMultiAwaitDrain } = require('internal/streams/readable_state');

function pipe(destination, options) {
  const source = this;
  const state = this._readableState;
  let ondrain;
  let isOver = false;

  if (state.pipes.length === 1 && (state[kState] & kMultiAwaitDrain) === 0) {
    state[kState] |= kMultiAwaitDrain;
    state.awaitDrainWriters = new Set(state.awaitDrainWriters ? [state.awaitDrainWriters] : []);
  }
  state.pipes.push(destination);

  // The process's own output is never ended by a pipe.
  const endsIt = (!options || options.end !== false) && destination !== process.stdout && destination !== process.stderr;
  const atEnd = endsIt ? onend : unpipe;
  if ((state[kState] & kEndEmitted) !== 0) process.nextTick(atEnd);
  else source.once('end', atEnd);

  destination.on('unpipe', onunpipe);
  source.on('data', ondata);
  // Before the listeners of users.
  prependListener(destination, 'error', onerror);
  destination.once('close', onclose);
  destination.once('finish', onfinish);
  destination.emit('pipe', source);
  if (destination.writableNeedDrain === true) waitForDrain();
  else if ((state[kState] & kFlowing) === 0) source.resume();
  return destination;

  function ondata(chunk) {
    if (destination.write(chunk) === false) waitForDrain();
  }

  function waitForDrain() {
    // It may have been unpiped by that very write: then nobody would resume.
    if (!isOver) {
      if (state.pipes.length === 1 && state.pipes[0] === destination) {
        state.awaitDrainWriters = destination;
        state[kState] &= ~kMultiAwaitDrain;
      } else if (state.pipes.length > 1 && state.pipes.includes(destination)) {
        state.awaitDrainWriters.add(destination);
      }
      source.pause();
    }
    if (!ondrain) {
      ondrain = () => drained(source, destination);
      destination.on('drain', ondrain);
    }
  }

  function onend() {
    destination.end();
  }

  function onerror(error) {
    unpipe();
    destination.removeListener('error', onerror);
    if (destination.listenerCount('error') !== 0) return;
    const other = destination._writableState || destination._readableState;
    // Not emitted by the stream itself: make it an error of the stream.
    if (other && !other.errorEmitted) errorOrDestroy(destination, error);
    else destination.emit('error', error);
  }

  function onclose() {
    destination.removeListener('finish', onfinish);
    unpipe();
  }

  function onfinish() {
    destination.removeListener('close', onclose);
    unpipe();
  }

  function unpipe() {
    source.unpipe(destination);
  }

  function onunpipe(readable, info) {
    if (readable === source && info && info.hasUnpiped === false) {
      info.hasUnpiped = true;
      cleanup();
    }
  }

  function cleanup() {
    destination.removeListener('close', onclose);
    destination.removeListener('finish', onfinish);
    if (ondrain) destination.removeListener('drain', ondrain);
    destination.removeListener('error', onerror);
    destination.removeListener('unpipe', onunpipe);
    source.removeListener('end', onend);
    source.removeListener('end', unpipe);
    source.removeListener('data', ondata);
    isOver = true;
    // A 'drain' that is waited for would not be heard any more.
    if (ondrain && state.awaitDrainWriters && (!destination._writableState || destination._writableState.needDrain)) {
      ondrain();
    }
  }
}

function drained(source, destination) {
  const state = source._readableState;
  if (state.awaitDrainWriters === destination) state.awaitDrainWriters = null;
  else if ((state[kState] & kMultiAwaitDrain) !== 0) state.awaitDrainWriters.delete(destination);
  if ((!state.awaitDrainWriters || state.awaitDrainWriters.size === 0) && (state[kState] & kDataListening) !== 0) {
    source.resume();
  }
}

function unpipe(destination) {
  const state = this._readableState;
  if (state.pipes.length === 0) return this;
  if (!destination) {
    const all = state.pipes;
    state.pipes = [];
    this.pause();
    for (let i = 0; i < all.length; i++) all[i].emit('unpipe', this, { hasUnpiped: false });
    return this;
  }
  const at = state.pipes.indexOf(destination);
  if (at === -1) return this;
  state.pipes.splice(at, 1);
  if (state.pipes.length === 0) this.pause();
  destination.emit('unpipe', this, { hasUnpiped: false });
  return this;
}

function install(Readable) {
  Readable.prototype.pipe = pipe;
  Readable.prototype.unpipe = unpipe;
}

module.exports = { install };
