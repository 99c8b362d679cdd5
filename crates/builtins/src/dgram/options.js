'use strict';
// Socket options of UDP sockets: TTL, multicast membership, buffer sizes.

const errors = require('internal/errors');
const { healthCheck, kStateSymbol } = require('internal/dgram');
const { validateNumber, validateString } = require('internal/validators');

const { errnoException } = errors;

const options = { broadcast: 0, ttl: 1, multicastTtl: 2, multicastLoopback: 3 };

function setOption(socket, option, name, value) {
  healthCheck(socket);
  const status = socket[kStateSymbol].handle.set(option, value);
  if (status !== 0) throw errnoException(status, name);
  return value;
}

function setMembership(socket, syscall, source, group, address, isJoined) {
  healthCheck(socket);
  const status = socket[kStateSymbol].handle.setMembership(source, group, address, isJoined);
  if (status !== 0) throw errnoException(status, syscall);
}

function bufferSize(socket, size, isReceive) {
  if (size >>> 0 !== size) throw new errors.ERR_SOCKET_BAD_BUFFER_SIZE();
  const status = socket[kStateSymbol].handle?.bufferSize(size, isReceive) ?? -9;
  if (status < 0) {
    const [code, message] = errors.uvErrmapGet(status);
    const syscall = isReceive ? 'uv_recv_buffer_size' : 'uv_send_buffer_size';
    throw new errors.ERR_SOCKET_BUFFER_SIZE({ errno: status, code, message, syscall });
  }
  return status;
}

const methods = {
  setBroadcast(flag) { setOption(this, options.broadcast, 'setBroadcast', flag ? 1 : 0); },
  setTTL(ttl) {
    validateNumber(ttl, 'ttl');
    return setOption(this, options.ttl, 'setTTL', ttl);
  },
  setMulticastTTL(ttl) {
    validateNumber(ttl, 'ttl');
    return setOption(this, options.multicastTtl, 'setMulticastTTL', ttl);
  },
  setMulticastLoopback(flag) {
    setOption(this, options.multicastLoopback, 'setMulticastLoopback', flag ? 1 : 0);
    return flag;
  },
  setMulticastInterface(interfaceAddress) {
    validateString(interfaceAddress, 'interfaceAddress');
    healthCheck(this);
    const status = this[kStateSymbol].handle.setMulticastInterface(interfaceAddress);
    if (status !== 0) throw errnoException(status, 'setMulticastInterface');
  },

  addMembership(multicastAddress, interfaceAddress) {
    if (!multicastAddress) throw new errors.ERR_MISSING_ARGS('multicastAddress');
    setMembership(this, 'addMembership', undefined, multicastAddress, interfaceAddress, true);
  },
  dropMembership(multicastAddress, interfaceAddress) {
    if (!multicastAddress) throw new errors.ERR_MISSING_ARGS('multicastAddress');
    setMembership(this, 'dropMembership', undefined, multicastAddress, interfaceAddress, false);
  },
  addSourceSpecificMembership(sourceAddress, groupAddress, interfaceAddress) {
    validateString(sourceAddress, 'sourceAddress');
    validateString(groupAddress, 'groupAddress');
    setMembership(this, 'addSourceSpecificMembership', sourceAddress, groupAddress, interfaceAddress, true);
  },
  dropSourceSpecificMembership(sourceAddress, groupAddress, interfaceAddress) {
    validateString(sourceAddress, 'sourceAddress');
    validateString(groupAddress, 'groupAddress');
    setMembership(this, 'dropSourceSpecificMembership', sourceAddress, groupAddress, interfaceAddress, false);
  },

  setRecvBufferSize(size) { bufferSize(this, size, true); },
  setSendBufferSize(size) { bufferSize(this, size, false); },
  getRecvBufferSize() { return bufferSize(this, 0, true); },
  getSendBufferSize() { return bufferSize(this, 0, false); },
  getSendQueueSize() { return this[kStateSymbol].handle.queue()[0]; },
  getSendQueueCount() { return this[kStateSymbol].handle.queue()[1]; },
};

module.exports = { bufferSize, methods };
