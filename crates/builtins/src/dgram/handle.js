'use strict';
// The handle class of UDP sockets: a thin wrapper of the native handle. Methods return 0 or a negative libuv error
// code. Public names are Node's.

const { Handle, fill, numberOf, open } = require('internal/net/handles');

// Key of a socket's internal state.
const kStateSymbol = Symbol('state symbol');

const kInvalid = -22;
const kMaxInt = 0x7fffffff;

class UDP extends Handle {
  constructor() {
    super();
    this.lookup = undefined;
    open(this, native.openUdp(this));
  }

  open(fd) { return native.adoptUdp(numberOf(this), fd); }
  bind(address, port, flags) { return native.bindUdp(numberOf(this), `${address}`, port & 0xffff, flags >>> 0); }
  bind6(address, port, flags) { return this.bind(address, port, flags); }
  connect(address, port) { return native.connectUdp(numberOf(this), address, port); }
  disconnect() { return native.disconnectUdp(numberOf(this)); }
  recvStart() { return native.recvStart(numberOf(this)); }
  recvStop() { return native.recvStop(numberOf(this)); }
  send(request, list, port, address) { return native.send(numberOf(this), request, list, address, port); }
  set(option, value) { return native.setOption(numberOf(this), option, value | 0); }
  setMulticastInterface(address) { return native.setMulticastInterface(numberOf(this), address); }
  setMembership(source, group, address, isJoined) {
    return native.setMembership(numberOf(this), source, `${group}`, address == null ? undefined : `${address}`, isJoined);
  }
  bufferSize(size, isReceive) {
    return size > kMaxInt ? kInvalid : native.getBufferSize(numberOf(this), size, isReceive);
  }
  queue() { return native.sendQueue(numberOf(this)); }
  getsockname(out) { return fill(out, native.localAddress(numberOf(this))); }
  getpeername(out) { return fill(out, native.peerAddress(numberOf(this))); }
}
Object.assign(UDP, { IPV6ONLY: 1, REUSEADDR: 4, REUSEPORT: 64 });

// Throws if the socket was closed.
function healthCheck(socket) {
  const { ERR_SOCKET_DGRAM_NOT_RUNNING } = require('internal/errors');
  if (!socket[kStateSymbol].handle) throw new ERR_SOCKET_DGRAM_NOT_RUNNING();
}

// Creates a handle that is bound or opened from a file descriptor. Returns a libuv error code on failure.
function _createSocketHandle(address, port, type, fd, flags) {
  const handle = new UDP();
  let status = 0;
  if (Number.isInteger(fd) && fd > 0) {
    status = require('internal/resources').kindOf(fd) === 'UDP' ? handle.open(fd) : kInvalid;
  } else if (port || address) {
    status = handle.bind(address, port || 0, flags);
  }
  if (status === 0) return handle;
  handle.close();
  return status;
}

const handleOf = (socket) => socket[kStateSymbol].handle;

module.exports = { UDP, _createSocketHandle, handleOf, healthCheck, kStateSymbol };
