'use strict';
// Sending datagrams: argument conversion and the send request.

const { Buffer } = require('buffer');
const process = require('process');
const errors = require('internal/errors');
const { kStateSymbol } = require('internal/dgram');

const { exceptionWithHostPort } = errors;
const FastBuffer = Buffer[Symbol.species];

const sendable = ['Buffer', 'TypedArray', 'DataView', 'string'];

// The buffers that form one datagram.
function listOf(buffer) {
  if (Array.isArray(buffer)) return fixedList(buffer);
  if (typeof buffer === 'string') return [Buffer.from(buffer)];
  if (ArrayBuffer.isView(buffer)) return [new FastBuffer(buffer.buffer, buffer.byteOffset, buffer.byteLength)];
  throw new errors.ERR_INVALID_ARG_TYPE('buffer', sendable, buffer);
}

function fixedList(list) {
  const fixed = new Array(list.length);
  for (let at = 0; at < list.length; at++) {
    const part = list[at];
    if (typeof part === 'string') fixed[at] = Buffer.from(part);
    else if (!ArrayBuffer.isView(part)) throw new errors.ERR_INVALID_ARG_TYPE('buffer list arguments', sendable, list);
    else fixed[at] = new FastBuffer(part.buffer, part.byteOffset, part.byteLength);
  }
  return fixed;
}

// The range of a buffer to send.
function part(buffer, offset, length) {
  if (typeof buffer === 'string') {
    buffer = Buffer.from(buffer);
  } else if (!ArrayBuffer.isView(buffer)) {
    throw new errors.ERR_INVALID_ARG_TYPE('buffer', sendable, buffer);
  }
  offset >>>= 0;
  length >>>= 0;
  if (offset > buffer.byteLength) throw new errors.ERR_BUFFER_OUT_OF_BOUNDS('offset');
  if (offset + length > buffer.byteLength) throw new errors.ERR_BUFFER_OUT_OF_BOUNDS('length');
  return new FastBuffer(buffer.buffer, buffer.byteOffset + offset, length);
}

class SendWrap {
  constructor(socket, address, port, callback) {
    this.socket = socket;
    this.address = address;
    this.port = port;
    this.callback = callback;
  }

  oncomplete(status) {
    if (!this.callback) return;
    if (status < 0) this.callback(exceptionWithHostPort(status, 'send', this.address, this.port));
    else this.callback(null, this.length);
  }
}

function doSend(error, socket, ip, list, address, port, callback) {
  const { handle, sendBlockList } = socket[kStateSymbol];
  const fail = (failure) => {
    if (callback) process.nextTick(callback, failure);
    else process.nextTick(() => socket.emit('error', failure));
  };
  if (error) {
    fail(error);
    return;
  }
  if (!handle) return;
  if (ip && sendBlockList?.check(ip, `ipv${require('net').isIP(ip)}`)) {
    fail(new errors.ERR_IP_BLOCKED(ip));
    return;
  }
  const request = new SendWrap(socket, address, port, callback);
  request.length = list.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const status = port ? handle.send(request, list, port, ip) : handle.send(request, list);
  // The datagram was sent synchronously.
  if (status >= 1) {
    if (callback) process.nextTick(callback, null, status - 1);
    return;
  }
  if (status !== 0 && callback) {
    process.nextTick(callback, exceptionWithHostPort(status, 'send', address, port));
  }
}

module.exports = { doSend, listOf, part };
