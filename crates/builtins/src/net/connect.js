'use strict';
// Connecting a socket: DNS lookup, and connection attempts to one address or to several in turn (Happy Eyeballs).

const process = require('process');
const tracking = require('internal/async_hooks/tracking');
const { clearTimeout, setTimeout } = require('internal/scheduler');
const errors = require('internal/errors');
const { TCP } = require('internal/net/handles');
const { kHandle } = require('internal/net/stream_io');
const { isIP } = require('internal/net');
const { kSpan, watched } = require('internal/performance/timeline');
const {
  validateBoolean, validateFunction, validateInt32, validateNumber, validatePort, validateStringWithoutNullBytes,
} = require('internal/validators');

const { exceptionWithHostPort } = errors;
const kConnected = Symbol('kConnected');
const kInvalid = -22;

const { has, value } = require('internal/options');
const defaults = {
  autoSelectFamily: has('network-family-autoselection') ?? true,
  attemptTimeout: Number(value('network-family-autoselection-attempt-timeout') ?? 250),
};
// Minimum timeout per address: with a shorter timeout, attempts to reachable hosts would fail.
const kMinAttemptTimeout = 10;

class ConnectRequest {
  constructor(address, port, oncomplete) {
    this.address = address;
    this.port = port;
    this.oncomplete = oncomplete;
  }
}
class TCPConnectWrap extends ConnectRequest {}
class PipeConnectWrap extends ConnectRequest {}

// Starts to connect. Fails with EINVAL if the address does not belong to the family.
function begin(handle, request, family) {
  const { address, port } = request;
  if (isIP(address) !== family) return kInvalid;
  return family === 6 ? handle.connect6(request, address, port) : handle.connect(request, address, port);
}

function failOnNextTick(socket, error) {
  process.nextTick(() => socket.destroy(error));
}

// The error of a failed attempt. It has the local address if the program has chosen one.
function connectError(status, address, port, localAddress, localPort) {
  if (!localAddress || !localPort) return exceptionWithHostPort(status, 'connect', address, port);
  const error = exceptionWithHostPort(status, 'connect', address, port, `${localAddress}:${localPort}`);
  return Object.assign(error, { localAddress, localPort });
}

// The error of an attempt that could not start. Its message has the local address even if that is undefined (`lib/net.js: internalConnect`).
function beginError(status, socket, address, port) {
  const local = socket._getsockname();
  return exceptionWithHostPort(status, 'connect', address, port, `${local.address}:${local.port}`);
}

const isAddress = (address) => typeof address === 'string' && isIP(address) !== 0;

const anyOf = (family) => (family === 6 ? '::' : '0.0.0.0');

function bindLocal(handle, socket, { localAddress, localPort, address, port, family }) {
  let status = 0;
  const local = localAddress || anyOf(family);
  if (localAddress || localPort) {
    if (isIP(local) !== family) status = kInvalid;
    else status = family === 6 ? handle.bind6(local, localPort || 0, 0) : handle.bind(local, localPort || 0);
  }
  // EADDRINUSE is not an error yet: `connect` reports it.
  if (status === 0 || status === -98) return undefined;
  return exceptionWithHostPort(status, 'bind', local, localPort);
}

// Starts a performance entry that ends when the socket is connected.
function beginSpan(socket, host, port) {
  socket[kSpan] = require('internal/performance/spans').begin('net', 'connect', { host, port });
}

function isBlocked(socket, address, family) {
  return socket.blockList !== undefined && socket.blockList.check(address, `ipv${family}`);
}

// Connects to a pipe.
function connectToPath(socket, path) {
  const handle = socket[kHandle];
  const request = new PipeConnectWrap(path, undefined, (status) => {
    if (socket.destroyed) return;
    if (status === 0) {
      socket[kConnected]();
      return;
    }
    const failure = connectError(status, path);
    socket.emit('connectionAttemptFailed', path, undefined, undefined, failure);
    socket[kConnected](failure);
  });
  socket.emit('connectionAttempt', path, undefined, undefined);
  const status = handle.connect(request, path);
  if (status !== 0) socket.destroy(beginError(status, socket, path));
}

// Connects to one address.
function connectToAddress(socket, target) {
  if (!socket.connecting) return;
  const { address, port, family } = target;
  const handle = socket[kHandle];
  const error = bindLocal(handle, socket, target);
  if (error !== undefined) {
    socket.destroy(error);
    return;
  }
  socket.emit('connectionAttempt', address, port, family);
  if (isBlocked(socket, address, family)) {
    socket.destroy(new errors.ERR_IP_BLOCKED(address));
    return;
  }
  const request = new TCPConnectWrap(address, port, function(status) {
    if (socket.destroyed) return;
    if (status === 0) {
      socket[kConnected]();
      return;
    }
    const failure = connectError(status, address, port, target.localAddress || anyOf(family), target.localPort);
    socket.emit('connectionAttemptFailed', address, port, family, failure);
    socket[kConnected](failure);
  });
  request.localAddress = target.localAddress;
  request.localPort = target.localPort;
  const status = begin(handle, request, family);
  if (status !== 0) socket.destroy(beginError(status, socket, address, port));
  else if (watched.net > 0) beginSpan(socket, address, port);
}

// Tries several addresses one after the other, until one connects (`lib/net.js: internalConnectMultiple`).
class Attempts {
  constructor(socket, addresses, options) {
    this.socket = socket;
    socket.autoSelectFamilyAttemptedAddresses = [];
    this.addresses = addresses;
    this.options = options;
    this.at = 0;
    this.errors = [];
    this.timer = undefined;
  }

  next(isCancelled = false) {
    const { socket } = this;
    clearTimeout(this.timer);
    if (this.at === this.addresses.length || isCancelled) {
      if (isCancelled && this.errors.length === 0) return;
      socket.destroy(this.failure());
      return;
    }
    if (!socket.connecting) return;
    const { address, family } = this.addresses[this.at];
    const { port, localPort } = this.options;
    // The first attempt uses the handle that the socket already has.
    if (this.at > 0) socket.replaceHandle(new TCP(TCP.SOCKET));
    this.at++;
    const handle = socket[kHandle];
    if (isBlocked(socket, address, family)) {
      this.failed(new errors.ERR_IP_BLOCKED(address), address, family);
      return;
    }
    const unbound = bindLocal(handle, socket, { localPort, address, port, family });
    if (unbound !== undefined) {
      this.errors.push(unbound);
      this.next();
      return;
    }
    const request = new TCPConnectWrap(address, port, (status) => this.ended(status, request));
    request.family = family;
    socket.autoSelectFamilyAttemptedAddresses.push(`${address}:${port}`);
    socket.emit('connectionAttempt', address, port, family);
    const status = begin(handle, request, family);
    if (status !== 0) {
      this.failed(beginError(status, socket, address, port), address, family);
      return;
    }
    if (this.at < this.addresses.length) {
      this.timer = setTimeout(() => this.late(request, handle), this.options.timeout);
    }
  }

  failed(error, address, family) {
    this.errors.push(error);
    this.socket.emit('connectionAttemptFailed', address, this.options.port, family, error);
    this.next();
  }

  late(request, handle) {
    const { socket, options } = this;
    request.isLate = true;
    socket.emit('connectionAttemptTimeout', request.address, options.port, request.family);
    if (!socket.connecting) return;
    this.errors.push(exceptionWithHostPort(-110, 'connect', request.address, options.port));
    handle.close();
    this.next();
  }

  ended(status, request) {
    const { socket } = this;
    clearTimeout(this.timer);
    if (request.isLate) return;
    if (status !== 0) {
      const { address, family } = request;
      const { port, localPort } = this.options;
      const error = connectError(status, address, port, anyOf(family), localPort);
      this.errors.push(error);
      socket.emit('connectionAttemptFailed', address, port, family, error);
      this.next(status === -125);
      return;
    }
    if (socket.destroyed) return;
    if (watched.net > 0) beginSpan(socket, request.address, request.port);
    socket[kConnected]();
  }

  failure() {
    if (this.errors.length === 1) return this.errors[0];
    const error = new AggregateError(this.errors);
    error.code = this.errors[0].code;
    return error;
  }
}

// Alternates between the addresses of both families, beginning with the family of the first address.
function interleaved(found) {
  const first = found[0].family;
  const same = found.filter(({ family }) => family === first);
  const other = found.filter(({ family }) => family !== first);
  const addresses = [];
  for (let at = 0; at < Math.max(same.length, other.length); at++) {
    if (at < same.length) addresses.push(same[at]);
    if (at < other.length) addresses.push(other[at]);
  }
  return addresses;
}

const familyOf = (family) => ({ IPv4: 4, IPv6: 6, 0: 0, 4: 4, 6: 6 })[family] ?? family;

function validated(options) {
  const { localAddress, localPort } = options;
  let { port } = options;
  if (localAddress && !isIP(localAddress)) throw new errors.ERR_INVALID_IP_ADDRESS(localAddress);
  if (localPort) validateNumber(localPort, 'options.localPort');
  if (port !== undefined) {
    if (typeof port !== 'number' && typeof port !== 'string') {
      throw new errors.ERR_INVALID_ARG_TYPE('options.port', ['number', 'string'], port);
    }
    validatePort(port);
  }
  port |= 0;
  let { autoSelectFamily, autoSelectFamilyAttemptTimeout: timeout } = options;
  if (autoSelectFamily != null) validateBoolean(autoSelectFamily, 'options.autoSelectFamily');
  else autoSelectFamily = defaults.autoSelectFamily;
  if (timeout != null) {
    validateInt32(timeout, 'options.autoSelectFamilyAttemptTimeout', 1);
    timeout = Math.max(timeout, kMinAttemptTimeout);
  } else {
    timeout = defaults.attemptTimeout;
  }
  return { localAddress, localPort, port, autoSelectFamily, timeout };
}

function lookupAndConnect(socket, options) {
  const host = options.host || 'localhost';
  validateStringWithoutNullBytes(host, 'options.host');
  const { localAddress, localPort, port, autoSelectFamily, timeout } = validated(options);
  const target = (address, family) => ({ address, port, family, localAddress, localPort });
  const kind = isIP(host);
  if (kind !== 0) {
    tracking.triggeredBy(socket[kHandle], process.nextTick, () => connectToAddress(socket, target(host, kind)));
    return;
  }
  if (options.lookup != null) validateFunction(options.lookup, 'options.lookup');
  const dns = require('dns');
  const lookupOptions = { family: familyOf(options.family), hints: options.hints || 0 };
  const isFixed = lookupOptions.family === 4 || lookupOptions.family === 6;
  if (!isFixed && lookupOptions.hints === 0) lookupOptions.hints = dns.ADDRCONFIG;
  socket._host = host;
  const lookup = options.lookup || dns.lookup;
  if (autoSelectFamily && !isFixed && !localAddress) {
    lookupOptions.all = true;
    tracking.triggeredBy(socket[kHandle], lookup, host, lookupOptions, (error, found) => {
      tryAll(socket, host, error, found, { port, localPort, timeout, given: options });
    });
    return;
  }
  tracking.triggeredBy(socket[kHandle], lookup, host, lookupOptions, (error, address, family) => {
    socket.emit('lookup', error, address, family, host);
    if (!socket.connecting) return;
    if (error) {
      failOnNextTick(socket, error);
    } else if (!isAddress(address)) {
      failOnNextTick(socket, new errors.ERR_INVALID_IP_ADDRESS(address));
    } else if (family !== 4 && family !== 6) {
      failOnNextTick(socket, new errors.ERR_INVALID_ADDRESS_FAMILY(family, options.host, options.port));
    } else {
      socket._unrefTimer();
      connectToAddress(socket, target(address, family));
    }
  });
}

function tryAll(socket, host, error, found, options) {
  if (!socket.connecting) return;
  if (error) {
    socket.emit('lookup', error, undefined, undefined, host);
    failOnNextTick(socket, error);
    return;
  }
  const valid = [];
  for (let at = 0; at < found.length; at++) {
    const { address, family } = found[at];
    socket.emit('lookup', error, address, family, host);
    // A 'lookup' listener may have destroyed the socket.
    if (!socket.connecting) return;
    if (isAddress(address) && (family === 4 || family === 6)) valid.push({ address, family });
  }
  if (valid.length === 0) {
    const { address, family } = found[0];
    const { given } = options;
    failOnNextTick(socket, !isAddress(address) ? new errors.ERR_INVALID_IP_ADDRESS(address) :
      new errors.ERR_INVALID_ADDRESS_FAMILY(family, given.host, given.port));
    return;
  }
  socket._unrefTimer();
  if (valid.length === 1) {
    const [{ address, family }] = valid;
    connectToAddress(socket, { address, family, port: options.port, localPort: options.localPort });
    return;
  }
  new Attempts(socket, interleaved(valid), options).next();
}

module.exports = {
  connectToPath, defaults, kConnected, kMinAttemptTimeout, lookupAndConnect,
};
