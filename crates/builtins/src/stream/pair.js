'use strict';
// `duplexPair()`: two Duplex streams; each reads what the other writes.

const process = require('process');
const Duplex = require('internal/streams/duplex');

const kCallback = Symbol('Callback');
const kOther = Symbol('OtherSide');

class DuplexSide extends Duplex {
  constructor(options) {
    super(options);
    this[kCallback] = null;
    this[kOther] = null;
  }

  _read() {
    const callback = this[kCallback];
    if (callback) {
      this[kCallback] = null;
      callback();
    }
  }

  _write(chunk, encoding, callback) {
    if (chunk.length === 0) {
      process.nextTick(callback);
    } else {
      this[kOther].push(chunk);
      this[kOther][kCallback] = callback;
    }
  }

  _final(callback) {
    this[kOther].on('end', callback);
    this[kOther].push(null);
  }
}

module.exports = function duplexPair(options) {
  const one = new DuplexSide(options);
  const other = new DuplexSide(options);
  one[kOther] = other;
  other[kOther] = one;
  return [one, other];
};
