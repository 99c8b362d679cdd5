'use strict';
// Transform, and PassThrough, which changes nothing: what is written comes out of `read`, and a full readable side holds the
// write back.

const { ERR_METHOD_NOT_IMPLEMENTED } = require('internal/errors');
const Duplex = require('internal/streams/duplex');
const { getHighWaterMark } = require('internal/streams/state');
const { kCallback, step } = require('internal/streams/steps');

Object.setPrototypeOf(Transform.prototype, Duplex.prototype);
Object.setPrototypeOf(Transform, Duplex);

function Transform(options) {
  if (!(this instanceof Transform)) return new Transform(options);
  // Nothing shall be held: then not on the writable side either.
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
  // `_read` is here and never pushes: what `_transform` pushes may be emitted at once.
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

// Streams with a `_final` of their own are flushed after it.
function prefinish() {
  if (this._final !== final) final.call(this);
}

Transform.prototype._final = final;

Transform.prototype._transform = function(chunk, encoding, callback) {
  throw new ERR_METHOD_NOT_IMPLEMENTED('_transform()');
};

// (chunk, encoding, callback): calls back when what `_transform` made of the chunk has found room; else `_read` does so.
Transform.prototype._write = step('transform');
Transform.prototype._read = step('release');

Object.setPrototypeOf(PassThrough.prototype, Transform.prototype);
Object.setPrototypeOf(PassThrough, Transform);

function PassThrough(options) {
  if (!(this instanceof PassThrough)) return new PassThrough(options);
  Transform.call(this, options);
}

PassThrough.prototype._transform = step('passOn');

module.exports = { PassThrough, Transform };
