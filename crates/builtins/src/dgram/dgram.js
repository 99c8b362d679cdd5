'use strict';
// The `dgram` module: UDP sockets.

const process = require('process');
const { Buffer } = require('buffer');
const EventEmitter = require('events');
const { heard } = require('internal/channels');
const errors = require('internal/errors');
const { UDP, _createSocketHandle, healthCheck, kStateSymbol } = require('internal/dgram');
const { bufferSize, methods: optionMethods } = require('internal/dgram/options');
const { doSend, listOf, part } = require('internal/dgram/sending');
const { kOwner } = require('internal/net/handles');
const {
  isInt32, validateAbortSignal, validateFunction, validateNumber, validatePort, validateString, validateUint32,
} = require('internal/validators');

const { errnoException, exceptionWithHostPort } = errors;
const FastBuffer = Buffer[Symbol.species];

const checkedList = (list, name) => require('internal/net/blocklist').checkedList(list, name);

const unbound = 0;
const binding = 1;
const isBound = 2;
const disconnected = 0;
const connecting = 1;
const connected = 2;

// The `onmessage` callback of a handle.
function onMessage(count, bytes, address, isIpv6, port) {
  const socket = this[kOwner];
  if (count < 0) {
    socket.emit('error', errnoException(count, 'recvmsg'));
    return;
  }
  const about = { address, family: isIpv6 ? 'IPv6' : 'IPv4', port, size: count };
  const { receiveBlockList } = socket[kStateSymbol];
  if (receiveBlockList?.check(address, about.family.toLowerCase())) return;
  socket.emit('message', new FastBuffer(bytes), about);
}

// Defined on the prototype, so that inspecting a handle does not show it.
Object.defineProperty(UDP.prototype, 'onmessage', {
  __proto__: null, value: onMessage, writable: true, enumerable: false, configurable: true,
});

const anyAddress = (socket) => (socket.type === 'udp4' ? '0.0.0.0' : '::');
const loopback = (socket) => (socket.type === 'udp4' ? '127.0.0.1' : '::1');

function Socket(type, listener) {
  EventEmitter.call(this);
  let given;
  if (type !== null && typeof type === 'object') {
    given = type;
    ({ type } = given);
    if (given.sendBlockList) checkedList(given.sendBlockList, 'options.sendBlockList');
    if (given.receiveBlockList) checkedList(given.receiveBlockList, 'options.receiveBlockList');
  }
  const lookup = given?.lookup;
  for (const name of ['recvBufferSize', 'sendBufferSize']) {
    if (given?.[name]) validateUint32(given[name], `options.${name}`);
  }
  if (type !== 'udp4' && type !== 'udp6') throw new errors.ERR_SOCKET_BAD_TYPE();
  if (lookup !== undefined) validateFunction(lookup, 'lookup');
  this.type = type;
  if (typeof listener === 'function') this.on('message', listener);
  this[kStateSymbol] = {
    handle: equipped(new UDP(), this, lookup),
    receiving: false,
    bindState: unbound,
    connectState: disconnected,
    queue: undefined,
    reuseAddr: given?.reuseAddr,
    reusePort: given?.reusePort,
    ipv6Only: given?.ipv6Only,
    recvBufferSize: given?.recvBufferSize,
    sendBufferSize: given?.sendBufferSize,
    receiveBlockList: given?.receiveBlockList || undefined,
    sendBlockList: given?.sendBlockList || undefined,
  };
  if (given?.signal !== undefined) {
    const { signal } = given;
    validateAbortSignal(signal, 'options.signal');
    const close = () => { if (this[kStateSymbol].handle) this.close(); };
    if (signal.aborted) {
      close();
    } else {
      const disposable = EventEmitter.addAbortListener(signal, close);
      this.once('close', disposable[Symbol.dispose]);
    }
  }
  heard('udp.socket')?.publish({ socket: this });
}
Object.setPrototypeOf(Socket.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Socket, EventEmitter);

// Prepares a handle for use by a socket.
function equipped(handle, socket, lookup) {
  handle[kOwner] = socket;
  handle.lookup = (address, callback) =>
    (lookup ?? require('dns').lookup)(address || loopback(socket), socket.type === 'udp4' ? 4 : 6, callback);
  return handle;
}

// Replaces the socket's handle by one that the cluster primary has bound.
function replaceHandle(socket, handle) {
  const state = socket[kStateSymbol];
  const { handle: old } = state;
  equipped(handle, socket);
  handle.lookup = old.lookup;
  old.close();
  state.handle = handle;
}

function createSocket(type, listener) {
  return new Socket(type, listener);
}

function startListening(socket) {
  const state = socket[kStateSymbol];
  state.handle.recvStart();
  state.receiving = true;
  state.bindState = isBound;
  if (state.recvBufferSize) bufferSize(socket, state.recvBufferSize, true);
  if (state.sendBufferSize) bufferSize(socket, state.sendBufferSize, false);
  socket.emit('listening');
}

// Queues a task until the socket is bound.
function enqueue(socket, task) {
  const state = socket[kStateSymbol];
  if (state.queue === undefined) {
    state.queue = [];
    const onListening = () => {
      socket.removeListener(EventEmitter.errorMonitor, onError);
      const { queue } = state;
      state.queue = undefined;
      for (const waiting of queue) waiting();
    };
    const onError = () => {
      socket.removeListener('listening', onListening);
      state.queue = undefined;
    };
    socket.once(EventEmitter.errorMonitor, onError);
    socket.once('listening', onListening);
  }
  state.queue.push(task);
}

function doConnect(error, socket, ip, address, port, callback) {
  const state = socket[kStateSymbol];
  if (!state.handle) return;
  if (!error && state.sendBlockList?.check(ip, `ipv${require('net').isIP(ip)}`)) error = new errors.ERR_IP_BLOCKED(ip);
  if (!error) {
    const status = state.handle.connect(ip, port);
    if (status !== 0) error = exceptionWithHostPort(status, 'connect', address, port);
  }
  if (error) {
    state.connectState = disconnected;
    return process.nextTick(() => {
      if (callback) {
        socket.removeListener('connect', callback);
        callback(error);
      } else {
        socket.emit('error', error);
      }
    });
  }
  state.connectState = connected;
  process.nextTick(() => socket.emit('connect'));
}

// In a cluster worker the primary binds the handle, unless `exclusive` is set.
const isBoundByPrimary = (exclusive) => !exclusive && require('internal/cluster/role').isWorker;

function bindByPrimary(socket, query, errorOf) {
  const state = socket[kStateSymbol];
  require('cluster')._getServer(socket, { ...query, addressType: socket.type }, (status, handle) => {
    // The socket was closed meanwhile.
    if (!state.handle) {
      handle?.close();
    } else if (status) {
      state.bindState = unbound;
      socket.emit('error', errorOf(status));
    } else {
      replaceHandle(socket, handle);
      startListening(socket);
    }
  });
}

function bindToAddress(socket, address, port, exclusive) {
  const state = socket[kStateSymbol];
  state.handle.lookup(address, (error, ip) => {
    // The socket was closed meanwhile.
    if (!state.handle) return;
    if (error) {
      state.bindState = unbound;
      socket.emit('error', error);
      return;
    }
    let flags = 0;
    if (state.reuseAddr) flags |= UDP.REUSEADDR;
    if (state.ipv6Only) flags |= UDP.IPV6ONLY;
    if (state.reusePort) flags |= UDP.REUSEPORT;
    if (isBoundByPrimary(exclusive || state.reusePort)) {
      bindByPrimary(socket, { address: ip, port, fd: -1, flags },
                    (failure) => exceptionWithHostPort(failure, 'bind', ip, port));
      return;
    }
    const status = state.handle.bind(ip, port & 0xffff, flags);
    if (status !== 0) {
      state.bindState = unbound;
      socket.emit('error', exceptionWithHostPort(status, 'bind', ip, port));
      return;
    }
    startListening(socket);
  });
}

function bindToFd(socket, fd, exclusive) {
  if (isBoundByPrimary(exclusive)) {
    bindByPrimary(socket, { address: null, port: null, fd, flags: null }, (failure) => errnoException(failure, 'open'));
    return;
  }
  const { handle } = socket[kStateSymbol];
  const kind = require('internal/resources').kindOf(fd);
  if (kind !== 'UDP') throw new errors.ERR_INVALID_FD_TYPE(kind);
  const status = handle.open(fd);
  if (status !== 0) throw errnoException(status, 'open');
  startListening(socket);
}

function checkedPort(port) {
  validatePort(port, 'Port', false);
  return Number(port);
}

const methods = {
  bind(port_, address_) {
    let port = port_;
    healthCheck(this);
    const state = this[kStateSymbol];
    if (state.bindState !== unbound) throw new errors.ERR_SOCKET_ALREADY_BOUND();
    state.bindState = binding;
    const callback = arguments.length > 0 && arguments[arguments.length - 1];
    if (typeof callback === 'function') {
      const remove = () => {
        this.removeListener('error', remove);
        this.removeListener('listening', onListening);
      };
      const onListening = () => {
        remove();
        callback.call(this);
      };
      this.on('error', remove);
      this.on('listening', onListening);
    }
    if (port instanceof UDP) {
      replaceHandle(this, port);
      startListening(this);
      return this;
    }
    if (port !== null && typeof port === 'object' && isInt32(port.fd) && port.fd > 0) {
      bindToFd(this, port.fd, port.exclusive);
      return this;
    }
    let address;
    let exclusive = false;
    if (port !== null && typeof port === 'object') {
      address = port.address || '';
      ({ port, exclusive } = port);
    } else {
      address = typeof address_ === 'function' ? '' : address_;
    }
    bindToAddress(this, address || anyAddress(this), port, exclusive);
    return this;
  },

  connect(port, address, callback) {
    port = checkedPort(port);
    if (typeof address === 'function') {
      callback = address;
      address = '';
    } else if (address === undefined) {
      address = '';
    }
    validateString(address, 'address');
    const state = this[kStateSymbol];
    if (state.connectState !== disconnected) throw new errors.ERR_SOCKET_DGRAM_IS_CONNECTED();
    state.connectState = connecting;
    if (state.bindState === unbound) this.bind({ port: 0, exclusive: true }, null);
    const connect = () => {
      if (callback) this.once('connect', callback);
      state.handle?.lookup(address, (error, ip) => doConnect(error, this, ip, address, port, callback));
    };
    if (state.bindState === isBound) connect();
    else enqueue(this, connect);
  },

  disconnect() {
    const state = this[kStateSymbol];
    if (state.connectState !== connected) throw new errors.ERR_SOCKET_DGRAM_NOT_CONNECTED();
    const status = state.handle.disconnect();
    if (status !== 0) throw errnoException(status, 'connect');
    state.connectState = disconnected;
  },

  sendto(buffer, offset, length, port, address, callback) {
    validateNumber(offset, 'offset');
    validateNumber(length, 'length');
    validateNumber(port, 'port');
    validateString(address, 'address');
    this.send(buffer, offset, length, port, address, callback);
  },

  // send(buffer[, offset, length][, port][, address][, callback])
  send(buffer, offset, length, port, address, callback) {
    const state = this[kStateSymbol];
    const isConnected = state.connectState === connected;
    if (!isConnected) {
      if (address || (port && typeof port !== 'function')) {
        buffer = part(buffer, offset, length);
      } else {
        callback = port;
        port = offset;
        address = length;
      }
    } else {
      if (typeof length === 'number') {
        buffer = part(buffer, offset, length);
        if (typeof port === 'function') {
          callback = port;
          port = null;
        }
      } else {
        callback = offset;
      }
      if (port || address) throw new errors.ERR_SOCKET_DGRAM_IS_CONNECTED();
    }
    const list = listOf(buffer);
    if (!isConnected) port = checkedPort(port);
    if (typeof callback !== 'function') callback = undefined;
    if (typeof address === 'function') {
      callback = address;
      address = undefined;
    } else if (address != null) {
      validateString(address, 'address');
    }
    healthCheck(this);
    if (state.bindState === unbound) this.bind({ port: 0, exclusive: true }, null);
    if (list.length === 0) list.push(Buffer.alloc(0));
    // The socket is not bound yet: queue the datagram.
    if (state.bindState !== isBound) {
      enqueue(this, () => this.send(list, port, address, callback));
      return;
    }
    if (isConnected) {
      doSend(null, this, null, list, address, port, callback);
    } else {
      state.handle.lookup(address, (error, ip) => doSend(error, this, ip, list, address, port, callback));
    }
  },

  close(callback) {
    const state = this[kStateSymbol];
    if (typeof callback === 'function') this.on('close', callback);
    if (state.queue !== undefined) {
      state.queue.push(() => this.close());
      return this;
    }
    healthCheck(this);
    stopReceiving(this);
    state.handle.close();
    state.handle = null;
    process.nextTick(() => this.emit('close'));
    return this;
  },

  address() {
    healthCheck(this);
    const out = {};
    const status = this[kStateSymbol].handle.getsockname(out);
    if (status !== 0) throw errnoException(status, 'getsockname');
    return out;
  },

  remoteAddress() {
    healthCheck(this);
    const state = this[kStateSymbol];
    if (state.connectState !== connected) throw new errors.ERR_SOCKET_DGRAM_NOT_CONNECTED();
    const out = {};
    const status = state.handle.getpeername(out);
    if (status !== 0) throw errnoException(status, 'getpeername');
    return out;
  },

  ref() {
    this[kStateSymbol].handle?.ref();
    return this;
  },
  unref() {
    this[kStateSymbol].handle?.unref();
    return this;
  },

};

function stopReceiving(socket) {
  const state = socket[kStateSymbol];
  if (!state.receiving) return;
  state.handle.recvStop();
  state.receiving = false;
}

Object.assign(Socket.prototype, methods, optionMethods);

const { deprecate } = require('util');

// Deprecated underscore properties of a socket (DEP0112).
function defineOldNames() {
  const old = (name, call) => deprecate(call, `Socket.prototype.${name} is deprecated`, 'DEP0112');
  for (const name of ['handle', 'receiving', 'bindState', 'queue', 'reuseAddr']) {
    Object.defineProperty(Socket.prototype, `_${name}`, {
      __proto__: null,
      get: old(`_${name}`, function() { return this[kStateSymbol][name]; }),
      set: old(`_${name}`, function(value) { this[kStateSymbol][name] = value; }),
    });
  }
  Socket.prototype._healthCheck = old('_healthCheck()', function() { healthCheck(this); });
  Socket.prototype._stopReceiving = old('_stopReceiving()', function() { stopReceiving(this); });
}
defineOldNames();

Object.defineProperty(Socket.prototype, Symbol.asyncDispose, {
  __proto__: null,
  value: async function() {
    if (!this[kStateSymbol].handle) return;
    await require('util').promisify(this.close).call(this);
  },
  writable: true,
  configurable: true,
});

module.exports = {
  _createSocketHandle: deprecate(_createSocketHandle, 'dgram._createSocketHandle() is deprecated', 'DEP0112'),
  createSocket,
  Socket,
};
