'use strict';
// stream.Transform and PassThrough. When the readable side is full, the write callback is delayed (backpressure).

const process = require('process');
const { ERR_METHOD_NOT_IMPLEMENTED } = require('internal/errors');
const Duplex = require('internal/streams/duplex');
const { getHighWaterMark } = require('internal/streams/state');

// Key of the write callback that waits until the readable side has space.
const kCallback = Symbol('kCallback');

Object.setPrototypeOf(Transform.prototype, Duplex.prototype);
Object.setPrototypeOf(Transform, Duplex);

function Transform(options) {
  if (!(this instanceof Transform)) return new Transform(options);
  // With readableHighWaterMark 0 no chunk may be buffered, so the writable side gets 0 too.
  const mark = options ? getHighWaterMark(this, options, 'readableHighWaterMark', true) : null;
  if (mark === 0) {
    options = {
      ...options,
      highWaterMark: null,
      readableHighWaterMark: mark,
      writableHighWaterMark: options.writableHighWaterMark || 0,
    };
  }
  Duplex.call(this, options);
  // The built-in `_read` never pushes by itself, so chunks pushed by `_transform` may be emitted synchronously.
  this._readableState.sync = false;
  this[kCallback] = null;
  if (options) {
    if (typeof options.transform === 'function') this._transform = options.transform;
    if (typeof options.flush === 'function') this._flush = options.flush;
  }
  this.on('prefinish', prefinish);
}

function final(callback) {
  if (typeof this._flush !== 'function' || this.destroyed) {
    this.push(null);
    if (callback) callback();
    return;
  }
  this._flush((error, data) => {
    if (error) {
      if (callback) callback(error);
      else this.destroy(error);
      return;
    }
    if (data != null) this.push(data);
    this.push(null);
    if (callback) callback();
  });
}

// If a subclass overrides `_final`, the built-in `final` runs at 'prefinish', after the `_final` of the subclass.
function prefinish() {
  if (this._final !== final) final.call(this);
}

Transform.prototype._final = final;

Transform.prototype._transform = function(chunk, encoding, callback) {
  throw new ERR_METHOD_NOT_IMPLEMENTED('_transform()');
};

// The write callback is called at once if the readable side is below its highWaterMark, otherwise at the next `_read`.
Transform.prototype._write = function(chunk, encoding, callback) {
  const readable = this._readableState;
  const before = readable.length;
  this._transform(chunk, encoding, (error, value) => {
    if (error) {
      callback(error);
      return;
    }
    if (value != null) this.push(value);
    // After `push(null)` the callback waits for a tick, so that it sees the ended readable side.
    if (readable.ended) process.nextTick(callback);
    else if (hasRoom(this, readable, before)) callback();
    else this[kCallback] = callback;
  });
};

// Like Node, returns true also if the transform has pushed nothing, or if the writable side has ended
// (`lib/internal/streams/transform.js: Transform.prototype._write`).
function hasRoom(stream, readable, before) {
  return stream._writableState.ended || readable.length === before || readable.length < readable.highWaterMark;
}

Transform.prototype._read = function() {
  const callback = this[kCallback];
  if (callback) {
    this[kCallback] = null;
    callback();
  }
};

Object.setPrototypeOf(PassThrough.prototype, Transform.prototype);
Object.setPrototypeOf(PassThrough, Transform);

function PassThrough(options) {
  if (!(this instanceof PassThrough)) return new PassThrough(options);
  Transform.call(this, options);
}

PassThrough.prototype._transform = function(chunk, encoding, cb) {
  cb(null, chunk);
};

module.exports = { PassThrough, Transform };
