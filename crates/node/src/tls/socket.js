'use strict';
// `TLSSocket`, of a program without TLS: one can be made and looked at, as packages do when they are loaded, and fails when something is
// read from it or written to it.

const net = require('net');
const { ERR_NO_CRYPTO } = require('internal/errors');
const { setImmediate } = require('timers');

// A stream in the place of the socket that TLS would speak through.
class JSStreamSocket extends net.Socket {
  constructor(stream) {
    super();
    this.stream = stream;
  }

  _read() { this.destroy(new ERR_NO_CRYPTO()); }

  _write(chunk, encoding, callback) { callback(new ERR_NO_CRYPTO()); }
}

class TLSSocket extends net.Socket {
  constructor(socket, options = undefined) {
    super(options);
    const _parentWrap = socket instanceof net.Socket ? undefined : new JSStreamSocket(socket);
    this._handle = { _parentWrap, close(closed) { setImmediate(closed); } };
    this.encrypted = true;
    this.authorized = false;
    this.authorizationError = null;
  }

  _read() { this.destroy(new ERR_NO_CRYPTO()); }

  _write(chunk, encoding, callback) { callback(new ERR_NO_CRYPTO()); }
}

module.exports = { TLSSocket };
