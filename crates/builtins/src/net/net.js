'use strict';
// The `net` module: TCP and IPC servers and sockets.

const process = require('process');
const { isIP, isIPv4, isIPv6 } = require('internal/net');
const { Socket, connect, defaults, normalizeArgs } = require('internal/net/socket');
const { Server } = require('internal/net/server');
const { kMinAttemptTimeout } = require('internal/net/connect');

function createServer(options, connectionListener) {
  return new Server(options, connectionListener);
}

function getDefaultAutoSelectFamily() { return defaults.autoSelectFamily; }
function setDefaultAutoSelectFamily(value) {
  require('internal/validators').validateBoolean(value, 'value');
  defaults.autoSelectFamily = value;
}
function getDefaultAutoSelectFamilyAttemptTimeout() { return defaults.attemptTimeout; }
function setDefaultAutoSelectFamilyAttemptTimeout(value) {
  require('internal/validators').validateInt32(value, 'value', 1);
  defaults.attemptTimeout = Math.max(value, kMinAttemptTimeout);
}

let isWarned = false;
function _setSimultaneousAccepts() {
  if (isWarned) return;
  isWarned = true;
  process.emitWarning(
    'net._setSimultaneousAccepts() is deprecated and will be removed.', 'DeprecationWarning', 'DEP0121');
}

module.exports = {
  _normalizeArgs: normalizeArgs,
  _setSimultaneousAccepts,
  get BlockList() { return require('internal/net/blocklist').BlockList; },
  get SocketAddress() { return require('internal/net/socketaddress').SocketAddress; },
  connect,
  createConnection: connect,
  createServer,
  isIP,
  isIPv4,
  isIPv6,
  Server,
  Socket,
  Stream: Socket,
  getDefaultAutoSelectFamily,
  setDefaultAutoSelectFamily,
  getDefaultAutoSelectFamilyAttemptTimeout,
  setDefaultAutoSelectFamilyAttemptTimeout,
};
