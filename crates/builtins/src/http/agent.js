'use strict';
// `http.Agent`: a pool of sockets per destination, in use or idle, and the requests that wait for a socket.

const tracking = require('internal/async_hooks/tracking');
const EventEmitter = require('events');
const net = require('net');
const { onStreamRead } = require('internal/net/stream_io');
const { kOwner } = require('internal/net/handles');
const { validateNumber, validateOneOf, validateString } = require('internal/validators');

const kOnKeylog = Symbol('onkeylog');
const kRequestOptions = Symbol('requestOptions');
// Key of a function that passes a socket to a queued request, in the async context of the request.
const kQueued = Symbol('queued');
const kGuard = Symbol('freeSocketDataGuard');

// ---- Idle sockets

function onFreeError() {
  this.destroy();
  this.emit('agentRemove');
}

// Destroys an idle socket that receives data: otherwise the next request would take the data for its response.
function onFreeRead(count) {
  if (count !== 0) this[kOwner].destroy();
}

function guard(socket) {
  if (socket.readableLength > 0) {
    socket.destroy();
    return;
  }
  if (socket.connecting) {
    socket[kGuard] = () => {
      socket[kGuard] = null;
      guard(socket);
    };
    socket.once('connect', socket[kGuard]);
    return;
  }
  const handle = socket._handle;
  if (!handle) return;
  handle.onread = onFreeRead;
  if (handle.reading) return;
  handle.reading = true;
  if (handle.readStart() !== 0) socket.destroy();
}

function unguard(socket) {
  if (socket[kGuard]) {
    socket.removeListener('connect', socket[kGuard]);
    socket[kGuard] = null;
  }
  const handle = socket._handle;
  if (handle?.onread === onFreeRead) handle.onread = onStreamRead;
}

// ---- The agent

function Agent(options) {
  if (!(this instanceof Agent)) return new Agent(options);
  EventEmitter.call(this);
  this.options = { __proto__: null, ...options };
  this.defaultPort = this.options.defaultPort || 80;
  this.protocol = this.options.protocol || 'http:';
  if (this.options.noDelay === undefined) this.options.noDelay = true;
  // `net` would interpret `path` as the path of a pipe.
  this.options.path = null;
  this.requests = { __proto__: null };
  this.sockets = { __proto__: null };
  this.freeSockets = { __proto__: null };
  this.keepAliveMsecs = this.options.keepAliveMsecs || 1000;
  this.keepAlive = this.options.keepAlive || false;
  this.maxSockets = this.options.maxSockets || Agent.defaultMaxSockets;
  this.maxFreeSockets = this.options.maxFreeSockets || 256;
  this.scheduling = this.options.scheduling || 'lifo';
  this.maxTotalSockets = this.options.maxTotalSockets;
  this.totalSocketCount = 0;
  const buffer = this.options.agentKeepAliveTimeoutBuffer;
  this.agentKeepAliveTimeoutBuffer = typeof buffer === 'number' && buffer >= 0 && Number.isFinite(buffer) ? buffer : 1000;
  validateOneOf(this.scheduling, 'scheduling', ['fifo', 'lifo']);
  if (this.maxTotalSockets === undefined) this.maxTotalSockets = Infinity;
  else validateNumber(this.maxTotalSockets, 'maxTotalSockets', 1);
  this.on('free', onFree);
  // Sockets get a 'keylog' listener only if the agent has one.
  this.on('newListener', watchKeylog);
}
Object.setPrototypeOf(Agent.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Agent, EventEmitter);
Agent.defaultMaxSockets = Infinity;

function watchKeylog(event) {
  if (event !== 'keylog') return;
  this.removeListener('newListener', watchKeylog);
  const agent = this;
  this[kOnKeylog] = function onkeylog(line) { agent.emit('keylog', line, this); };
  for (const sockets of Object.values(this.sockets)) {
    for (const socket of sockets) socket.on('keylog', this[kOnKeylog]);
  }
}

// The agent's listener of 'free': gives the socket to a waiting request, keeps it idle, or destroys it.
function onFree(socket, options) {
  const name = this.getName(options);
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const pending = this.requests[name];
  if (pending?.length) {
    const next = pending.shift();
    const set = next[kQueued] ?? setRequestSocket;
    next[kQueued] = undefined;
    set(this, next, socket);
    if (pending.length === 0) delete this.requests[name];
    return;
  }
  const request = socket._httpMessage;
  const free = this.freeSockets[name] || [];
  const count = free.length + (this.sockets[name]?.length ?? 0);
  if (!request?.shouldKeepAlive || !this.keepAlive || this.totalSocketCount > this.maxTotalSockets ||
      count > this.maxSockets || free.length >= this.maxFreeSockets || !this.keepSocketAlive(socket)) {
    socket.destroy();
    return;
  }
  this.freeSockets[name] = free;
  socket._httpMessage = null;
  this.removeSocket(socket, options);
  socket.once('error', onFreeError);
  guard(socket);
  free.push(socket);
}

function setRequestSocket(agent, request, socket) {
  request.onSocket(socket);
  const agentTimeout = agent.options.timeout || 0;
  if (request.timeout === undefined || request.timeout === agentTimeout) return;
  socket.setTimeout(request.timeout);
}

// The TLS server name (SNI) of a request: a host name, or '' for an IP address.
function serverName(options, request) {
  let name = options.host;
  const host = request.getHeader('host');
  if (host) {
    validateString(host, 'options.headers.host');
    if (host[0] === '[') {
      const end = host.indexOf(']');
      name = end === -1 ? host : host.substring(1, end);
    } else {
      name = host.split(':', 1)[0];
    }
  }
  return net.isIP(name) ? '' : name;
}

// Merges the socket options of a request; the agent's options take precedence.
function connectOptions(agent, request, options) {
  options = { __proto__: null, ...options, ...agent.options };
  if (options.socketPath) options.path = options.socketPath;
  if (!options.servername && options.servername !== '') options.servername = serverName(options, request);
  return options;
}

function watch(agent, socket, options) {
  const onFreeSocket = () => agent.emit('free', socket, options);
  const onClose = () => {
    agent.totalSocketCount--;
    agent.removeSocket(socket, options);
  };
  const onTimeout = () => {
    const { freeSockets } = agent;
    if (Object.keys(freeSockets).some((name) => freeSockets[name].includes(socket))) socket.destroy();
  };
  // 'agentRemove' is emitted when the connection has been upgraded to another protocol.
  const onRemove = () => {
    agent.totalSocketCount--;
    agent.removeSocket(socket, options);
    socket.removeListener('close', onClose);
    socket.removeListener('free', onFreeSocket);
    socket.removeListener('timeout', onTimeout);
    socket.removeListener('agentRemove', onRemove);
  };
  socket.on('free', onFreeSocket);
  socket.on('close', onClose);
  socket.on('timeout', onTimeout);
  socket.on('agentRemove', onRemove);
  if (agent[kOnKeylog]) socket.on('keylog', agent[kOnKeylog]);
}

function removeFrom(sets, name, socket) {
  for (const set of sets) {
    const at = set[name] ? set[name].indexOf(socket) : -1;
    if (at === -1) continue;
    set[name].splice(at, 1);
    if (set[name].length === 0) delete set[name];
  }
}

const methods = {
  createConnection(...args) { return net.createConnection(...args); },

  getName(options = {}) {
    let name = `${options.host || 'localhost'}:${options.port || ''}:${options.localAddress || ''}`;
    if (options.family === 4 || options.family === 6) name += `:${options.family}`;
    if (options.socketPath) name += `:${options.socketPath}`;
    return name;
  },

  addRequest(request, options, port, localAddress) {
    if (typeof options === 'string') options = { __proto__: null, host: options, port, localAddress };
    options = connectOptions(this, request, options);
    const name = this.getName(options);
    this.sockets[name] ||= [];
    const free = this.freeSockets[name];
    let socket;
    if (free) {
      while (free.length > 0 && free[0].destroyed) free.shift();
      socket = this.scheduling === 'fifo' ? free.shift() : free.pop();
      if (free.length === 0) delete this.freeSockets[name];
    }
    const count = (free ? free.length : 0) + this.sockets[name].length;
    if (socket) {
      this.reuseSocket(socket, request);
      setRequestSocket(this, request, socket);
      this.sockets[name].push(socket);
    } else if (count < this.maxSockets && this.totalSocketCount < this.maxTotalSockets) {
      this.createSocket(request, options, (error, made) => {
        if (error) request.onSocket(made, error);
        else setRequestSocket(this, request, made);
      });
    } else {
      request[kRequestOptions] = options;
      if (tracking.on) request[kQueued] = tracking.request('QueuedRequest', setRequestSocket);
      (this.requests[name] ||= []).push(request);
    }
  },

  createSocket(request, options, callback) {
    options = connectOptions(this, request, options);
    const timeout = request.timeout || this.options.timeout || undefined;
    if (timeout) options.timeout = timeout;
    const name = this.getName(options);
    options._agentKey = name;
    options.encoding = null;
    let isCalled = false;
    const onCreate = (error, socket) => {
      if (isCalled) return;
      isCalled = true;
      if (error) {
        callback(error);
        return;
      }
      (this.sockets[name] ||= []).push(socket);
      this.totalSocketCount++;
      watch(this, socket, options);
      callback(null, socket);
    };
    if (this.keepAlive) {
      options.keepAlive = this.keepAlive;
      options.keepAliveInitialDelay = this.keepAliveMsecs;
    }
    const socket = this.createConnection(options, onCreate);
    if (socket) onCreate(null, socket);
  },

  removeSocket(socket, options) {
    const name = this.getName(options);
    removeFrom(socket.writable ? [this.sockets] : [this.sockets, this.freeSockets], name, socket);
    let request;
    if (this.requests[name]?.length) {
      [request] = this.requests[name];
    } else {
      // Only the first destination with pending requests is considered, and only if it has no socket
      // (`lib/_http_agent.js: Agent.prototype.removeSocket`).
      for (const other of Object.keys(this.requests)) {
        if (this.sockets[other]?.length) break;
        [request] = this.requests[other];
        options = request[kRequestOptions];
        break;
      }
    }
    if (!request || !options) return;
    request[kRequestOptions] = undefined;
    this.createSocket(request, options, (error, made) => {
      if (error) request.onSocket(null, error);
      else made.emit('free');
    });
  },

  // Returns true if an idle socket is kept. The server's hint `Keep-Alive: timeout` limits the time.
  keepSocketAlive(socket) {
    socket.setKeepAlive(true, this.keepAliveMsecs);
    socket.unref();
    let agentTimeout = this.options.timeout || 0;
    const hint = /^timeout=(\d+)/.exec(socket._httpMessage?.res?.headers['keep-alive'])?.[1];
    if (hint) {
      const hintMs = Math.max(0, Number.parseInt(hint, 10) * 1000 - this.agentKeepAliveTimeoutBuffer);
      if (hintMs === 0) return false;
      if (hintMs < agentTimeout) agentTimeout = hintMs;
    }
    if (socket.timeout !== agentTimeout) socket.setTimeout(agentTimeout);
    return true;
  },

  reuseSocket(socket, request) {
    socket.removeListener('error', onFreeError);
    unguard(socket);
    request.reusedSocket = true;
    socket.ref();
  },

  destroy() {
    for (const set of [this.freeSockets, this.sockets]) {
      for (const name of Object.keys(set)) for (const socket of [...set[name]]) socket.destroy();
    }
  },
};
for (const name of Object.keys(methods)) {
  Object.defineProperty(Agent.prototype, name, {
    __proto__: null, value: methods[name], writable: true, enumerable: true, configurable: true,
  });
}

module.exports = { Agent, globalAgent: new Agent({ keepAlive: true, scheduling: 'lifo', timeout: 5000 }) };
