'use strict';
// `TLSSocket` without TLS: it can be created and inspected, as packages do when they are loaded; reading or writing
// fails.

const net = require('net');
const { ERR_NO_CRYPTO } = require('internal/errors');
const { setImmediate } = require('timers');

// Adapts a JavaScript stream to a socket.
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
