'use strict';
// The `http` module: HTTP/1.1 server and client.

const { METHODS, maxHeaderSize } = (() => {
  const { defaultHeaderSize, methods } = require('internal/http/common');
  return { METHODS: methods.toSorted(), maxHeaderSize: defaultHeaderSize };
})();
const agents = require('internal/http/agent');
const { ClientRequest } = require('internal/http/client');
const { IncomingMessage } = require('internal/http/incoming');
const { OutgoingMessage } = require('internal/http/outgoing');
const { validateHeaderName, validateHeaderValue } = require('internal/http/outgoing_headers');
const { STATUS_CODES, Server, ServerResponse, connectionListener } = require('internal/http/server');

function createServer(options, requestListener) { return new Server(options, requestListener); }

function request(url, options, callback) { return new ClientRequest(url, options, callback); }

function get(url, options, callback) {
  const made = request(url, options, callback);
  made.end();
  return made;
}

function setMaxIdleHTTPParsers(max) {
  require('internal/validators').validateInteger(max, 'max', 1);
  require('internal/http/common').parsers.max = max;
}

module.exports = {
  _connectionListener: connectionListener,
  METHODS,
  STATUS_CODES,
  Agent: agents.Agent,
  ClientRequest,
  IncomingMessage,
  OutgoingMessage,
  Server,
  ServerResponse,
  createServer,
  validateHeaderName,
  validateHeaderValue,
  get,
  request,
  setMaxIdleHTTPParsers,
};
Object.defineProperty(module.exports, 'maxHeaderSize', {
  __proto__: null, get: maxHeaderSize, configurable: true, enumerable: true,
});
Object.defineProperty(module.exports, 'globalAgent', {
  __proto__: null,
  get() { return agents.globalAgent; },
  set(value) { agents.globalAgent = value; },
  configurable: true,
  enumerable: true,
});
