'use strict';
// `tls`, of a program without TLS: it can be required and looked at, and what would encrypt refuses, as a Node that was built
// without OpenSSL does.

const { refusing } = require('internal/tls/refusing');

module.exports = {
  CLIENT_RENEG_LIMIT: 3,
  CLIENT_RENEG_WINDOW: 600,
  DEFAULT_ECDH_CURVE: 'auto',
  DEFAULT_MIN_VERSION: 'TLSv1.2',
  DEFAULT_MAX_VERSION: 'TLSv1.3',
};
for (const name of [
  'getCiphers', 'getCACertificates', 'setDefaultCACertificates', 'createSecureContext', 'SecureContext', 'TLSSocket', 'Server',
  'createServer', 'connect',
]) {
  module.exports[name] = refusing(name);
}

// The classes are what they would be.
const net = require('net');
for (const [Class, Base] of [[module.exports.TLSSocket, net.Socket], [module.exports.Server, net.Server]]) {
  Object.setPrototypeOf(Class, Base);
  Object.setPrototypeOf(Class.prototype, Base.prototype);
}
