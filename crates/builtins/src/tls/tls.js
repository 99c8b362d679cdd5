'use strict';
// `tls` without TLS: it can be loaded and inspected; functions that need encryption throw, as in a Node built without
// OpenSSL.

const { Buffer } = require('buffer');
const { ERR_OUT_OF_RANGE } = require('internal/errors');
const { refusing } = require('internal/tls/refusing');

// ALPN wire format: each protocol name is preceded by its length (RFC 7301 section 3.1).
function protocolBytes(protocols) {
  return Buffer.concat(protocols.flatMap((protocol, at) => {
    const name = Buffer.from(protocol);
    if (name.length > 255) {
      throw new ERR_OUT_OF_RANGE(
        `The byte length of the protocol at index ${at} exceeds the maximum length.`, '<= 255', name.length, true);
    }
    return [Buffer.from([name.length]), name];
  }));
}

module.exports = {
  CLIENT_RENEG_LIMIT: 3,
  CLIENT_RENEG_WINDOW: 600,
  DEFAULT_CIPHERS: [
    'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_128_GCM_SHA256', 'ECDHE-RSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES256-GCM-SHA384', 'ECDHE-ECDSA-AES256-GCM-SHA384', 'DHE-RSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-SHA256', 'DHE-RSA-AES128-SHA256', 'ECDHE-RSA-AES256-SHA384', 'DHE-RSA-AES256-SHA384',
    'ECDHE-RSA-AES256-SHA256', 'DHE-RSA-AES256-SHA256', 'HIGH', '!aNULL', '!eNULL', '!EXPORT', '!DES', '!RC4', '!MD5', '!PSK', '!SRP',
    '!CAMELLIA',
  ].join(':'),
  DEFAULT_ECDH_CURVE: 'auto',
  DEFAULT_MIN_VERSION: 'TLSv1.2',
  DEFAULT_MAX_VERSION: 'TLSv1.3',
  // No root certificates are trusted.
  rootCertificates: Object.freeze([]),
  convertALPNProtocols(protocols, out) {
    if (Array.isArray(protocols)) out.ALPNProtocols = protocolBytes(protocols);
    else if (ArrayBuffer.isView(protocols)) {
      out.ALPNProtocols = Buffer.from(new Uint8Array(protocols.buffer, protocols.byteOffset, protocols.byteLength));
    }
  },
  checkServerIdentity(hostname, cert) { return require('internal/tls/identity').checkServerIdentity(hostname, cert); },
};
for (const name of [
  'getCiphers', 'getCACertificates', 'setDefaultCACertificates', 'createSecureContext', 'SecureContext', 'Server',
  'createServer', 'connect', 'createSecurePair',
]) {
  module.exports[name] = refusing(name);
}

// Keep the class hierarchy of Node.
const { Server } = module.exports;
const net = require('net');
Object.setPrototypeOf(Server, net.Server);
Object.setPrototypeOf(Server.prototype, net.Server.prototype);
module.exports.TLSSocket = require('internal/tls/socket').TLSSocket;
