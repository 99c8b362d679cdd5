'use strict';
// `net.Server`: listening, accepting connections and closing.

const process = require('process');
const tracking = require('internal/async_hooks/tracking');
const EventEmitter = require('events');
const { heard, traced } = require('internal/channels');
const errors = require('internal/errors');
const { ipBytes, normalizedArgsSymbol } = require('internal/net');
const { Pipe, TCP, kOwner } = require('internal/net/handles');
const {
  Socket, handleForFd, isPipeName, kSetKeepAlive, kSetKeepAliveInitialDelay, kSetNoDelay,
  normalizeArgs, toNumber,
} = require('internal/net/socket');
const { noteOrigin } = require('internal/scheduler/state');
const {
  validateAbortSignal, validateNumber, validatePort,
} = require('internal/validators');

const { errnoException, exceptionWithHostPort, uvExceptionWithHostPort } = errors;

// Default length of the accept backlog.
const kBacklog = 511;
const kInvalid = -22;
const kInUse = -98;

// Key of an optional method of a server, which receives the handle of a new connection. If it returns true, no socket is created.
const kAccept = Symbol('kAccept');

function Server(options, connectionListener) {
  if (!(this instanceof Server)) return new Server(options, connectionListener);
  EventEmitter.call(this);
  if (typeof options === 'function') {
    connectionListener = options;
    options = {};
  } else if (options == null || typeof options === 'object') {
    options = { ...options };
  } else {
    throw new errors.ERR_INVALID_ARG_TYPE('options', 'Object', options);
  }
  if (connectionListener !== undefined && connectionListener !== null) this.on('connection', connectionListener);
  if (options.keepAliveInitialDelay !== undefined) {
    validateNumber(options.keepAliveInitialDelay, 'options.keepAliveInitialDelay');
    if (options.keepAliveInitialDelay < 0) options.keepAliveInitialDelay = 0;
  }
  if (options.highWaterMark !== undefined) {
    validateNumber(options.highWaterMark, 'options.highWaterMark');
    if (options.highWaterMark < 0) options.highWaterMark = require('stream').getDefaultHighWaterMark();
  }
  this._connections = 0;
  this._handle = null;
  this._usingWorkers = false;
  this._workers = [];
  this._unref = false;
  this._listeningId = 1;
  this.allowHalfOpen = options.allowHalfOpen || false;
  this.pauseOnConnect = Boolean(options.pauseOnConnect);
  this.noDelay = Boolean(options.noDelay);
  this.keepAlive = Boolean(options.keepAlive);
  this.keepAliveInitialDelay = ~~(options.keepAliveInitialDelay / 1000);
  this.highWaterMark = options.highWaterMark ?? require('stream').getDefaultHighWaterMark();
  if (options.blockList) this.blockList = require('internal/net/blocklist').checkedList(options.blockList);
}
Object.setPrototypeOf(Server.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Server, EventEmitter);

// Creates a handle that is bound to an address, a pipe name or a file descriptor. Returns a libuv error code on failure
// (`lib/net.js: createServerHandle`).
function bound(address, port, family, fd, flags) {
  let handle;
  let status = 0;
  const isTcp = port !== -1 || family !== -1;
  if (typeof fd === 'number' && fd >= 0) {
    try {
      handle = handleForFd(fd, true);
    } catch {
      return kInvalid;
    }
    status = handle.open(fd);
    if (status !== 0) return status;
  } else if (!isTcp) {
    handle = new Pipe(Pipe.SERVER);
    status = handle.bind(address);
  } else {
    handle = new TCP(TCP.SERVER);
    if (address || typeof port === 'number') {
      if (!address) {
        status = handle.bind6('::', port, flags);
        if (status !== 0) {
          handle.close();
          // This host has no IPv6: use IPv4.
          return bound('0.0.0.0', port, 4, undefined, flags);
        }
      } else {
        status = family === 6 ? handle.bind6(address, port, flags) : handle.bind(address || '0.0.0.0', port, flags);
      }
    }
  }
  if (status !== 0) {
    handle.close();
    return status;
  }
  return handle;
}

function failOnNextTick(server, error) {
  traced('net.server.listen')?.error.publish({ server, error });
  process.nextTick(() => server.emit('error', error));
}

function beginToListen(server, { address = null, port, family, backlog, fd, flags = 0 }) {
  if (!server._handle) {
    let handle;
    if (!address && typeof fd !== 'number') {
      handle = bound('::', port, 6, fd, flags);
      // This host has no IPv6: use IPv4.
      if (typeof handle === 'number') {
        handle = undefined;
        address = '0.0.0.0';
        family = 4;
      } else {
        address = '::';
        family = 6;
      }
    }
    handle ??= bound(address, port, family, fd, flags);
    if (typeof handle === 'number') {
      failOnNextTick(server, uvExceptionWithHostPort(handle, 'listen', address, port));
      return;
    }
    server._handle = handle;
  }
  const handle = server._handle;
  server._connectionKey = `${family}:${address}:${port}`;
  handle[kOwner] = server;
  handle.onconnection = onconnection;
  // listen(2) accepts a backlog of 0, but Node uses its default instead.
  const status = handle.listen(backlog || kBacklog);
  if (status !== 0) {
    handle.close();
    server._handle = null;
    failOnNextTick(server, uvExceptionWithHostPort(status, 'listen', address, port));
    return;
  }
  traced('net.server.listen')?.asyncEnd.publish({ server });
  if (server._unref) server.unref();
  tracking.triggeredBy(handle, process.nextTick, () => {
    // The server may have been closed in the meantime.
    if (server._handle) server.emit('listening');
  });
}

// Unless `exclusive` is set, a cluster worker gets its listening handle from the primary (`lib/net.js: listenInCluster`).
function listenInCluster(server, where, exclusive, more) {
  if (exclusive || !require('internal/cluster/role').isWorker) {
    beginToListen(server, where);
    return;
  }
  const { address = null, port, family, backlog, fd, flags } = where;
  const listeningId = server._listeningId;
  const query = { address, port, addressType: family, fd, flags, backlog, ...more };
  require('cluster')._getServer(server, query, (status, handle) => {
    if (server._listeningId !== listeningId) {
      handle?.close();
      return;
    }
    status = boundStatus(status, port, handle);
    if (status) {
      server.emit('error', exceptionWithHostPort(status, 'bind', address, port));
      return;
    }
    server._handle?.close();
    server._handle = handle;
    beginToListen(server, where);
  });
}

// If the bind of a shared handle has failed, it would listen on a random port. Returns EADDRINUSE unless the handle has the requested port
// (`lib/net.js: listenInCluster`).
function boundStatus(status, port, handle) {
  if (status || !(port > 0) || !handle.getsockname) return status;
  const out = {};
  status = handle.getsockname(out);
  return status === 0 && out.port !== port ? kInUse : status;
}

const describe = (handle) => {
  const local = {};
  const remote = {};
  handle.getsockname?.(local);
  handle.getpeername?.(remote);
  return {
    localAddress: local.address,
    localPort: local.port,
    localFamily: local.family,
    remoteAddress: remote.address,
    remotePort: remote.port,
    remoteFamily: remote.family,
  };
};

function dropConnection(server, client) {
  if (client.getsockname || client.getpeername) server.emit('drop', describe(client));
  else server.emit('drop');
  client.close();
}

// `onconnection` of a listening handle.
function onconnection(status, client) {
  const server = this[kOwner];
  if (status !== 0) {
    server.emit('error', errnoException(status, 'accept'));
    return;
  }
  if (server.maxConnections != null && server._connections >= server.maxConnections) {
    dropConnection(server, client);
    return;
  }
  if (server.blockList && client.getpeername) {
    const { remoteAddress, remoteFamily } = describe(client);
    if (remoteAddress && server.blockList.check(remoteAddress, remoteFamily.toLowerCase())) {
      dropConnection(server, client);
      return;
    }
  }
  server._connections++;
  if (server[kAccept]?.(client)) return;
  const socket = new Socket({
    handle: client,
    allowHalfOpen: server.allowHalfOpen,
    pauseOnCreate: server.pauseOnConnect,
    readable: true,
    writable: true,
    readableHighWaterMark: server.highWaterMark,
    writableHighWaterMark: server.highWaterMark,
  });
  if (server.noDelay && client.setNoDelay) {
    socket[kSetNoDelay] = true;
    client.setNoDelay(true);
  }
  if (server.keepAlive && client.setKeepAlive) {
    socket[kSetKeepAlive] = true;
    socket[kSetKeepAliveInitialDelay] = server.keepAliveInitialDelay;
    client.setKeepAlive(true, server.keepAliveInitialDelay);
  }
  socket.server = server;
  socket._server = server;
  server.emit('connection', socket);
  heard('net.server.socket')?.publish({ socket });
}

function isLinkLocal(address) {
  const bytes = ipBytes(address);
  return bytes?.length === 16 && bytes[0] === 0xfe && (bytes[1] & 0xc0) === 0x80;
}

function lookupAndListen(server, host, options, exclusive) {
  const listeningId = server._listeningId;
  require('dns').lookup(host, { all: true }, (error, addresses) => {
    // During the lookup, the server was closed or `listen` was called again.
    if (server._listeningId !== listeningId) return;
    if (error) {
      server.emit('error', error);
      return;
    }
    // Prefer the first address that is not link-local.
    const { address, family } = ArrayPrototypeFind(addresses, (one) => !isLinkLocal(one.address)) ?? addresses[0];
    listenInCluster(server, { ...options, address, family: family || 4 }, exclusive);
  });
}

function abortable(server, { signal }) {
  if (signal === undefined) return;
  validateAbortSignal(signal, 'options.signal');
  const close = () => server.close();
  if (signal.aborted) {
    process.nextTick(close);
  } else {
    const disposable = require('events').addAbortListener(signal, close);
    server.once('close', disposable[Symbol.dispose]);
  }
}

function closeWithWorkers(server) {
  let left = server._workers.length;
  // While the child processes are asked, one connection more is counted, so that 'close' is emitted only once.
  server._connections++;
  const onClosed = () => {
    if (--left !== 0) return;
    server._connections = 0;
    server._emitCloseIfDrained();
  };
  for (const worker of server._workers) worker.close(onClosed);
}

function flagsOf(options) {
  let flags = options.ipv6Only === true ? TCP.IPV6ONLY : 0;
  if (options.reusePort === true) flags |= TCP.REUSEPORT;
  return flags;
}

const methods = {
  listen(...args) {
    noteOrigin(this);
    const normalized = args[0]?.[normalizedArgsSymbol] ? args[0] : normalizeArgs(args);
    let [options] = normalized;
    const [, callback] = normalized;
    if (this._handle) throw new errors.ERR_SERVER_ALREADY_LISTEN();
    traced('net.server.listen')?.asyncStart.publish({ server: this, options });
    if (callback !== null) this.once('listening', callback);
    const backlogOfArgs = toNumber(args.length > 1 && args[1]) || toNumber(args.length > 2 && args[2]);
    options = options._handle || options.handle || options;
    this._listeningId++;
    if (options instanceof TCP || options instanceof Pipe) {
      this._handle = options;
      beginToListen(this, { backlog: backlogOfArgs });
      return this;
    }
    abortable(this, options);
    const flags = flagsOf(options);
    if (typeof options.fd === 'number' && options.fd >= 0) {
      listenInCluster(this, { port: null, family: null, fd: options.fd, backlog: backlogOfArgs });
      return this;
    }
    // `listen()` without a port uses a random port.
    if (args.length === 0 || typeof args[0] === 'function' ||
        (options.port === undefined && 'port' in options) || options.port === null) {
      options.port = 0;
    }
    const backlog = options.backlog || backlogOfArgs;
    if (typeof options.port === 'number' || typeof options.port === 'string') {
      validatePort(options.port, 'options.port');
      const where = { port: options.port | 0, backlog, flags };
      const exclusive = options.exclusive || options.reusePort === true;
      if (options.host) lookupAndListen(this, options.host, where, exclusive);
      else listenInCluster(this, { ...where, family: 4 }, exclusive);
      return this;
    }
    if (options.path && isPipeName(options.path)) {
      listenOnPath(this, options, backlog);
      return this;
    }
    if (!('port' in options || 'path' in options)) {
      throw new errors.ERR_INVALID_ARG_VALUE('options', options, 'must have the property "port" or "path"');
    }
    throw new errors.ERR_INVALID_ARG_VALUE('options', options);
  },

  address() {
    if (this._handle?.getsockname) {
      const out = {};
      const status = this._handle.getsockname(out);
      if (status !== 0) throw errnoException(status, 'address');
      return out;
    }
    return this._pipeName ?? null;
  },

  getConnections(callback) {
    const { _workers: workers } = this;
    let total = this._connections;
    if (!this._usingWorkers) {
      process.nextTick(callback, null, total);
      return this;
    }
    // Add the connections that the server has passed to child processes.
    let left = workers.length;
    const counted = (error, count) => {
      if (left <= 0) return;
      total += count;
      left = error ? 0 : left - 1;
      if (error) process.nextTick(callback, error);
      else if (left === 0) process.nextTick(callback, null, total);
    };
    for (const worker of workers) worker.getConnections(counted);
    return this;
  },

  close(callback) {
    this._listeningId++;
    if (typeof callback === 'function') {
      if (this._handle) this.once('close', callback);
      else this.once('close', function close() { callback(new errors.ERR_SERVER_NOT_RUNNING()); });
    }
    if (this._handle) {
      this._handle.close();
      this._handle = null;
    }
    if (this._usingWorkers) closeWithWorkers(this);
    else this._emitCloseIfDrained();
    return this;
  },

  // Registers a list of connections that the server has passed to a child process, for `getConnections` and `close`.
  _setupWorker(list) {
    this._usingWorkers = true;
    this._workers.push(list);
    list.once('exit', () => { this._workers.splice(this._workers.indexOf(list), 1); });
  },

  _emitCloseIfDrained() {
    if (this._handle || this._connections > 0) return;
    process.nextTick(() => this.emit('close'));
  },

  ref() {
    this._unref = false;
    this._handle?.ref();
    return this;
  },

  unref() {
    this._unref = true;
    this._handle?.unref();
    return this;
  },
};
for (const name of Object.keys(methods)) {
  Object.defineProperty(Server.prototype, name, {
    __proto__: null, value: methods[name], writable: true, enumerable: true, configurable: true,
  });
}

Object.defineProperty(Server.prototype, 'listening', {
  __proto__: null, get() { return Boolean(this._handle); }, configurable: true, enumerable: true,
});
Object.defineProperty(Server.prototype, Symbol.asyncDispose, {
  __proto__: null,
  value: async function() {
    if (!this._handle) return;
    await require('util').promisify(this.close).call(this);
  },
  writable: true,
  configurable: true,
});
Object.defineProperty(Server.prototype, EventEmitter.captureRejectionSymbol, {
  __proto__: null,
  value(error, event, socket) {
    if (event === 'connection') socket.destroy(error);
    else this.emit('error', error);
  },
  writable: true,
  configurable: true,
});

function listenOnPath(server, options, backlog) {
  if ((options.readableAll || options.writableAll) && options.path[0] === '\0') {
    throw new errors.ERR_INVALID_ARG_VALUE(
      'options', options, 'can not set readableAll or writableAllt to true when path is abstract unix socket');
  }
  server._pipeName = options.path;
  const { exclusive, path, readableAll, writableAll } = options;
  listenInCluster(server, { address: path, port: -1, family: -1, backlog }, exclusive, { readableAll, writableAll });
  if (!server._handle || (!options.readableAll && !options.writableAll)) return;
  const mode = (options.readableAll ? Pipe.READABLE : 0) | (options.writableAll ? Pipe.WRITABLE : 0);
  const status = server._handle.fchmod(mode);
  if (status !== 0) {
    server._handle.close();
    server._handle = null;
    throw errnoException(status, 'uv_pipe_chmod');
  }
}

module.exports = { Server, bound, kAccept };
