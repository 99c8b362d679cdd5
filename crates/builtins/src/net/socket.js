'use strict';
// `net.Socket`: a duplex stream over a TCP or pipe handle.

const process = require('process');
const { Buffer } = require('buffer');
const { Duplex } = require('stream');
const { clearTimeout } = require('internal/scheduler');
const { noteOrigin } = require('internal/scheduler/state');
const { heard } = require('internal/channels');
const errors = require('internal/errors');
const { normalizedArgsSymbol } = require('internal/net');
const { Pipe, TCP, kOwner } = require('internal/net/handles');
const { connectToPath, defaults, kConnected, lookupAndConnect } = require('internal/net/connect');
const {
  kAfterAsyncWrite, kBuffer, kBufferCb, kBufferGen, kHandle, kTimeout, kUpdateTimer,
  onStreamRead, setStreamTimeout, shutdown, write, writev,
} = require('internal/net/stream_io');
const { kSpan, watched } = require('internal/performance/timeline');
const {
  validateInt32, validateNumber, validateString,
} = require('internal/validators');

const { errnoException, genericNodeError } = errors;

const kBytesRead = Symbol('kBytesRead');
const kBytesWritten = Symbol('kBytesWritten');
const kLastWriteQueueSize = Symbol('lastWriteQueueSize');
const kSetNoDelay = Symbol('kSetNoDelay');
const kSetKeepAlive = Symbol('kSetKeepAlive');
const kSetKeepAliveInitialDelay = Symbol('kSetKeepAliveInitialDelay');
const kRefed = Symbol('kRefed');

const noop = () => {};

// Normalizes the overloads of `connect` and `listen` to `[options, callback]`.
function normalizeArgs(args) {
  let options = {};
  let callback = null;
  if (args.length > 0) {
    const [first] = args;
    if (typeof first === 'object' && first !== null) {
      options = first;
    } else if (isPipeName(first)) {
      options.path = first;
    } else {
      options.port = first;
      if (args.length > 1 && typeof args[1] === 'string') options.host = args[1];
    }
    const last = args[args.length - 1];
    if (typeof last === 'function') callback = last;
  }
  const normalized = [options, callback];
  normalized[normalizedArgsSymbol] = true;
  return normalized;
}

const toNumber = (value) => ((value = Number(value)) >= 0 ? value : false);
const isPipeName = (value) => typeof value === 'string' && toNumber(value) === false;

// Creates a handle for a file descriptor. Its class depends on the type of the descriptor.
function handleForFd(fd, isServer) {
  validateInt32(fd, 'fd', 0);
  const kind = require('internal/resources').wrapOf(fd);
  if (kind === 'PipeWrap') return new Pipe(isServer ? Pipe.SERVER : Pipe.SOCKET);
  if (kind === 'TCPSocketWrap') return new TCP(isServer ? TCP.SERVER : TCP.SOCKET);
  throw new errors.ERR_INVALID_FD_TYPE(require('internal/resources').kindOf(fd));
}

function equip(socket) {
  socket._undestroy();
  if (socket._sockname !== null) socket._sockname = null;
  const handle = socket[kHandle];
  if (!handle) return;
  handle[kOwner] = socket;
  handle.onread = onStreamRead;
  const user = socket[kBuffer];
  if (user) handle.useUserBuffer(user === true ? (socket[kBuffer] = socket[kBufferGen]()) : user);
}

// Returns the options for the Duplex constructor. Throws for options that a socket does not support.
function streamOptions(options) {
  if (typeof options === 'number') return { fd: options };
  options = { ...options };
  for (const name of ['objectMode', 'readableObjectMode', 'writableObjectMode']) {
    if (options[name]) throw new errors.ERR_INVALID_ARG_VALUE(`options.${name}`, options[name], 'is not supported');
  }
  if (options.keepAliveInitialDelay !== undefined) {
    validateNumber(options.keepAliveInitialDelay, 'options.keepAliveInitialDelay');
    if (options.keepAliveInitialDelay < 0) options.keepAliveInitialDelay = 0;
  }
  return options;
}

function Socket(options) {
  if (!(this instanceof Socket)) return new Socket(options);
  options = streamOptions(options);

  this.connecting = false;
  this[kHandle] = null;

  // 'close' is emitted in the closing phase, not by the stream; the handle encodes strings itself.
  options.allowHalfOpen = Boolean(options.allowHalfOpen);
  options.emitClose = false;
  options.autoDestroy = true;
  options.decodeStrings = false;
  Duplex.call(this, options);

  if (options.handle) {
    this[kHandle] = options.handle;
  } else if (options.fd !== undefined) {
    const { fd } = options;
    this[kHandle] = handleForFd(fd, false);
    const status = this[kHandle].open(fd);
    // Node reports the syscall `open` if the option `fd` was passed.
    if (status !== 0) throw errnoException(status, 'open');
  }

  const { onread } = options;
  if (onread !== null && typeof onread === 'object' &&
      (ArrayBuffer.isView(onread.buffer) || typeof onread.buffer === 'function') &&
      typeof onread.callback === 'function') {
    if (typeof onread.buffer === 'function') {
      this[kBuffer] = true;
      this[kBufferGen] = onread.buffer;
    } else {
      this[kBuffer] = onread.buffer;
    }
    this[kBufferCb] = onread.callback;
  }

  if (options.noDelay) this[kSetNoDelay] = true;
  if (options.keepAlive) this[kSetKeepAlive] = true;
  const initialDelay = ~~(options.keepAliveInitialDelay / 1000);
  if (initialDelay !== 0) this[kSetKeepAliveInitialDelay] = initialDelay;
  if (options.blockList) this.blockList = require('internal/net/blocklist').checkedList(options.blockList);

  // When the peer ends the connection, the writable side ends too, unless `allowHalfOpen` is true.
  this.on('end', onReadableStreamEnd);
  equip(this);

  if (this[kHandle] && options.readable !== false) {
    if (options.pauseOnCreate) {
      this[kHandle].reading = false;
      this[kHandle].readStop();
      this.readableFlowing = false;
    } else if (!options.manualStart) {
      this.read(0);
    }
  }
}
Object.setPrototypeOf(Socket.prototype, Duplex.prototype);
Object.setPrototypeOf(Socket, Duplex);

function onReadableStreamEnd() {
  if (!this.allowHalfOpen) this.write = writeAfterFIN;
}

function writeAfterFIN(chunk, encoding, callback) {
  if (!this.writableEnded) return Duplex.prototype.write.call(this, chunk, encoding, callback);
  if (typeof encoding === 'function') callback = encoding;
  const error = genericNodeError('This socket has been ended by the other party', { code: 'EPIPE' });
  if (typeof callback === 'function') process.nextTick(callback, error);
  this.destroy(error);
  return false;
}

function tryRead(socket) {
  socket[kHandle].reading = true;
  const status = socket[kHandle].readStart();
  if (status) socket.destroy(errnoException(status, 'read'));
}

const methods = {
  // ---- Connecting
  connect(...args) {
    noteOrigin(this);
    const normalized = Array.isArray(args[0]) && args[0][normalizedArgsSymbol] ? args[0] : normalizeArgs(args);
    const [options, callback] = normalized;
    if (options.port === undefined && options.path == null) {
      throw new errors.ERR_MISSING_ARGS(['options', 'port', 'path']);
    }
    heard('net.client.socket')?.publish({ socket: this });
    // The socket may have been connected before: reset its state.
    if (this.write !== Socket.prototype.write) this.write = Socket.prototype.write;
    if (this.destroyed) {
      this[kHandle] = null;
      this._peername = undefined;
      this._sockname = null;
    }
    const { path } = options;
    if (!this[kHandle]) {
      this[kHandle] = path ? new Pipe(Pipe.SOCKET) : new TCP(TCP.SOCKET);
      equip(this);
    }
    if (options.blockList) this.blockList = require('internal/net/blocklist').checkedList(options.blockList);
    if (callback !== null) this.once('connect', callback);
    this._unrefTimer();
    this.connecting = true;
    if (path) {
      validateString(path, 'options.path');
      connectToPath(this, path);
    } else {
      lookupAndConnect(this, options);
    }
    return this;
  },

  // Installs a new handle for the attempt to connect to the next of several addresses.
  replaceHandle(handle) {
    this[kHandle]?.close();
    this[kHandle] = handle;
    handle[kOwner] = this;
    handle.onread = onStreamRead;
    if (this[kRefed] === false) handle.unref();
    const user = this[kBuffer];
    if (user) handle.useUserBuffer(user);
  },

  [kConnected](error) {
    this.connecting = false;
    this._sockname = null;
    if (error !== undefined) {
      this.destroy(error);
      return;
    }
    this._unrefTimer();
    if (this[kSetNoDelay] && this[kHandle].setNoDelay) this[kHandle].setNoDelay(true);
    if (this[kSetKeepAlive] && this[kHandle].setKeepAlive) {
      this[kHandle].setKeepAlive(true, this[kSetKeepAliveInitialDelay]);
    }
    this.emit('connect');
    this.emit('ready');
    // Starts reading, unless a 'connect' listener has paused the socket.
    if (this.readable && !this.isPaused()) this.read(0);
    if (watched.net > 0) this[kSpan]?.end();
  },

  // ---- Reading
  _read(size) {
    if (this.connecting || !this[kHandle]) {
      this.once('connect', () => this._read(size));
    } else if (!this[kHandle].reading) {
      tryRead(this);
    }
  },

  pause() {
    if (this[kBuffer] && !this.connecting && this[kHandle]?.reading) {
      this[kHandle].reading = false;
      if (!this.destroyed) {
        const status = this[kHandle].readStop();
        if (status !== 0) this.destroy(errnoException(status, 'read'));
      }
    }
    return Duplex.prototype.pause.call(this);
  },

  resume() {
    startUserRead(this);
    return Duplex.prototype.resume.call(this);
  },

  read(size) {
    startUserRead(this);
    return Duplex.prototype.read.call(this, size);
  },

  // ---- Writing
  _writeGeneric(isMany, data, encoding, callback) {
    // Data is written when the socket is connected.
    if (this.connecting) {
      this._pendingData = data;
      this._pendingEncoding = encoding;
      const onClose = () => callback(new errors.ERR_SOCKET_CLOSED_BEFORE_CONNECTION());
      this.once('connect', () => {
        this.off('close', onClose);
        this._writeGeneric(isMany, data, encoding, callback);
      });
      this.once('close', onClose);
      return;
    }
    if (this._pendingData !== null) {
      this._pendingData = null;
      this._pendingEncoding = '';
    }
    if (!this[kHandle]) {
      callback(new errors.ERR_SOCKET_CLOSED());
      return false;
    }
    this._unrefTimer();
    const waiting = write(this, data, isMany ? writev : encoding, callback);
    if (waiting > 0) this[kLastWriteQueueSize] = waiting;
  },
  _write(data, encoding, callback) { this._writeGeneric(false, data, encoding, callback); },
  _writev(chunks, callback) { this._writeGeneric(true, chunks, '', callback); },
  [kAfterAsyncWrite]() { this[kLastWriteQueueSize] = 0; },

  _final(callback) {
    if (this.connecting) {
      this.once('connect', () => this._final(callback));
      return;
    }
    if (!this[kHandle]) return callback();
    shutdown(this[kHandle], callback);
  },

  end(data, encoding, callback) {
    Duplex.prototype.end.call(this, data, encoding, callback);
    return this;
  },

  // ---- End and destruction
  destroySoon() {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', this.destroy);
  },

  resetAndDestroy() {
    if (!this[kHandle]) {
      this.destroy(new errors.ERR_SOCKET_CLOSED());
      return this;
    }
    if (!(this[kHandle] instanceof TCP)) throw new errors.ERR_INVALID_HANDLE_TYPE();
    if (this.connecting) this.once('connect', () => this._reset());
    else this._reset();
    return this;
  },

  _reset() {
    this.resetAndClosing = true;
    return this.destroy();
  },

  _destroy(error, callback) {
    this.connecting = false;
    for (let socket = this; socket !== null && socket !== undefined; socket = socket._parent) {
      clearTimeout(socket[kTimeout]);
    }
    const handle = this[kHandle];
    if (handle) {
      this[kBytesRead] = handle.bytesRead;
      this[kBytesWritten] = handle.bytesWritten;
      closeHandle(this, handle, Boolean(error));
      handle.onread = noop;
      this[kHandle] = null;
      this._sockname = null;
      callback(error);
    } else {
      callback(error);
      process.nextTick(emitClose, this);
    }
    const server = this._server;
    if (server) {
      server._connections--;
      server._emitCloseIfDrained?.();
    }
  },

  // ---- Timeouts
  setTimeout: setStreamTimeout,

  _onTimeout() {
    const handle = this[kHandle];
    const before = this[kLastWriteQueueSize];
    // A write that makes progress is activity, so the timeout starts again.
    if (before > 0 && handle) {
      const { writeQueueSize } = handle;
      if (before !== writeQueueSize) {
        this[kLastWriteQueueSize] = writeQueueSize;
        this._unrefTimer();
        return;
      }
    }
    this.emit('timeout');
  },

  _unrefTimer() {
    for (let socket = this; socket !== null && socket !== undefined; socket = socket._parent) {
      socket[kTimeout]?.refresh();
    }
  },

  // ---- Socket options
  setNoDelay(enable) {
    enable = Boolean(enable === undefined ? true : enable);
    if (!this[kHandle]) {
      this[kSetNoDelay] = enable;
      return this;
    }
    if (this[kHandle].setNoDelay && enable !== this[kSetNoDelay]) {
      this[kSetNoDelay] = enable;
      this[kHandle].setNoDelay(enable);
    }
    return this;
  },

  setKeepAlive(enable, initialDelayMsecs) {
    enable = Boolean(enable);
    const initialDelay = ~~(initialDelayMsecs / 1000);
    if (!this[kHandle]) {
      this[kSetKeepAlive] = enable;
      this[kSetKeepAliveInitialDelay] = initialDelay;
      return this;
    }
    if (!this[kHandle].setKeepAlive) return this;
    if (enable !== this[kSetKeepAlive] || (enable && this[kSetKeepAliveInitialDelay] !== initialDelay)) {
      this[kSetKeepAlive] = enable;
      this[kSetKeepAliveInitialDelay] = initialDelay;
      this[kHandle].setKeepAlive(enable, initialDelay);
    }
    return this;
  },

  ref() {
    if (!this[kHandle]) {
      this.once('connect', this.ref);
      return this;
    }
    this[kRefed] = true;
    this[kHandle].ref?.();
    return this;
  },

  unref() {
    if (!this[kHandle]) {
      this.once('connect', this.unref);
      return this;
    }
    this[kRefed] = false;
    this[kHandle].unref?.();
    return this;
  },

  // ---- Addresses
  address() { return this._getsockname(); },

  _getpeername() {
    if (!this[kHandle] || !this[kHandle].getpeername || this.connecting) return this._peername || {};
    if (!this._peername) {
      const out = {};
      const status = this[kHandle].getpeername(out);
      if (status !== 0) return out;
      this._peername = out;
    }
    return this._peername;
  },

  _getsockname() {
    if (!this[kHandle] || !this[kHandle].getsockname) return {};
    if (!this._sockname) {
      this._sockname = {};
      // On error the object stays empty, as in Node.
      this[kHandle].getsockname(this._sockname);
    }
    return this._sockname;
  },
};

// Default values of properties. They are on the prototype to keep sockets small.
const defaultValues = {
  _hadError: false,
  _parent: null,
  _host: null,
  _closeAfterHandlingError: false,
  _sockname: null,
  _pendingData: null,
  _pendingEncoding: '',
  server: null,
  _server: null,
  [kLastWriteQueueSize]: 0,
  [kTimeout]: null,
  [kBuffer]: null,
  [kBufferCb]: null,
  [kBufferGen]: null,
  [kSetNoDelay]: false,
  [kSetKeepAlive]: false,
  [kSetKeepAliveInitialDelay]: 0,
  [kBytesRead]: 0,
  [kBytesWritten]: 0,
};
Object.assign(methods, defaultValues);
for (const name of Reflect.ownKeys(methods)) {
  Object.defineProperty(Socket.prototype, name, {
    __proto__: null, value: methods[name], writable: true, enumerable: true, configurable: true,
  });
}

function emitClose(socket) {
  socket.emit('close', false);
}

function closeHandle(socket, handle, hadError) {
  const onClosed = () => socket.emit('close', hadError);
  if (socket.resetAndClosing) {
    socket.resetAndClosing = false;
    const status = handle.reset(onClosed);
    if (status === 0) return;
    socket.emit('error', errnoException(status, 'reset'));
    // Unlike Node, which leaves the handle open forever in this case, close it.
  }
  handle.close(onClosed);
}

// With the option `onread`, data bypasses the stream: reading starts as soon as possible.
function startUserRead(socket) {
  if (socket[kBuffer] && !socket.connecting && socket[kHandle] && !socket[kHandle].reading) tryRead(socket);
}

const getters = {
  _connecting: { get() { return this.connecting; } },
  // As in Node, these properties are accessors of the prototype (`lib/net.js`).
  _handle: { get() { return this[kHandle]; }, set(handle) { this[kHandle] = handle; }, configurable: true },
  pending: { get() { return !this[kHandle] || this.connecting; }, configurable: true },
  readyState: {
    get() {
      if (this.connecting) return 'opening';
      if (this.readable && this.writable) return 'open';
      if (this.readable) return 'readOnly';
      return this.writable ? 'writeOnly' : 'closed';
    },
  },
  bufferSize: { get() { return this[kHandle] ? this.writableLength : undefined; } },
  [kUpdateTimer]: { get() { return this._unrefTimer; } },
  bytesRead: { get() { return this[kHandle] ? this[kHandle].bytesRead : this[kBytesRead]; }, enumerable: true },
  _bytesDispatched: { get() { return this[kHandle] ? this[kHandle].bytesWritten : this[kBytesWritten]; } },
  bytesWritten: { get: bytesWritten, enumerable: true },
  remoteAddress: { get() { return this._getpeername().address; }, enumerable: true },
  remoteFamily: { get() { return this._getpeername().family; }, enumerable: true },
  remotePort: { get() { return this._getpeername().port; }, enumerable: true },
  localAddress: { get() { return this._getsockname().address; }, enumerable: true },
  localPort: { get() { return this._getsockname().port; }, enumerable: true },
  localFamily: { get() { return this._getsockname().family; }, enumerable: true },
};
for (const name of Reflect.ownKeys(getters)) {
  Object.defineProperty(Socket.prototype, name, { __proto__: null, configurable: true, ...getters[name] });
}

const lengthOf = (chunk, encoding) =>
  (typeof chunk === 'string' ? Buffer.byteLength(chunk, encoding) : chunk.length);

// Number of bytes written. It includes data that is queued in the stream or waits for the connection.
function bytesWritten() {
  const { writableBuffer } = this;
  // There is no buffer if the getter is called on the prototype itself (`lib/net.js: bytesWritten`).
  if (!writableBuffer) return undefined;
  let bytes = this._bytesDispatched;
  for (const { chunk, encoding } of writableBuffer) bytes += lengthOf(chunk, encoding);
  const data = this._pendingData;
  if (Array.isArray(data)) {
    for (const { chunk, encoding } of data) bytes += lengthOf(chunk, encoding);
  } else if (data) {
    bytes += lengthOf(data, this._pendingEncoding);
  }
  return bytes;
}

function connect(...args) {
  const normalized = normalizeArgs(args);
  const [options] = normalized;
  const socket = new Socket(options);
  if (options.timeout) socket.setTimeout(options.timeout);
  return socket.connect(normalized);
}

module.exports = {
  Socket,
  connect,
  defaults,
  handleForFd,
  isPipeName,
  kSetKeepAlive,
  kSetKeepAliveInitialDelay,
  kSetNoDelay,
  normalizeArgs,
  onReadableStreamEnd,
  toNumber,
};
