'use strict';
// The base class `Stream`: an EventEmitter with the old-style (streams1) `pipe` for classes that inherit from it
// directly.

const EventEmitter = require('events');

function Stream(options) {
  EventEmitter.call(this, options);
}
Object.setPrototypeOf(Stream.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Stream, EventEmitter);

Stream.prototype.pipe = function(destination, options) {
  const source = this;
  let isOver = false;

  function ondata(chunk) {
    if (destination.writable && destination.write(chunk) === false && source.pause) source.pause();
  }
  function ondrain() {
    if (source.readable && source.resume) source.resume();
  }
  function onend() {
    if (isOver) return;
    isOver = true;
    destination.end();
  }
  function onclose() {
    if (isOver) return;
    isOver = true;
    if (typeof destination.destroy === 'function') destination.destroy();
  }
  function onerror(error) {
    cleanup();
    if (EventEmitter.listenerCount(this, 'error') === 0) this.emit('error', error);
  }
  function cleanup() {
    source.removeListener('data', ondata);
    destination.removeListener('drain', ondrain);
    source.removeListener('end', onend);
    source.removeListener('close', onclose);
    source.removeListener('error', onerror);
    destination.removeListener('error', onerror);
    source.removeListener('end', cleanup);
    source.removeListener('close', cleanup);
    destination.removeListener('close', cleanup);
  }

  source.on('data', ondata);
  destination.on('drain', ondrain);
  if (!destination._isStdio && (!options || options.end !== false)) {
    source.on('end', onend);
    source.on('close', onclose);
  }
  prependListener(source, 'error', onerror);
  prependListener(destination, 'error', onerror);
  source.on('end', cleanup);
  source.on('close', cleanup);
  destination.on('close', cleanup);
  destination.emit('pipe', source);
  return destination;
};

// Stream constructors preallocate keys of `_events` with the value undefined. `eventNames()` must not return those without a listener.
Stream.prototype.eventNames = function eventNames() {
  const names = [];
  // http server messages create `_events` lazily, at the first listener.
  for (const key of Reflect.ownKeys(this._events ?? {})) {
    const listener = this._events[key];
    if (typeof listener === 'function' || (Array.isArray(listener) && listener.length > 0)) names.push(key);
  }
  return names;
};

// Emitters of other implementations may lack `prependListener`.
function prependListener(emitter, type, listener) {
  if (typeof emitter.prependListener === 'function') return emitter.prependListener(type, listener);
  const before = emitter._events?.[type];
  if (!before) emitter.on(type, listener);
  else if (Array.isArray(before)) before.unshift(listener);
  else emitter._events[type] = [listener, before];
}

module.exports = { Stream, prependListener };
