'use strict';
// `net.SocketAddress`: an immutable address, port, family and flow label.

const errors = require('internal/errors');
const { canonical, isIP } = require('internal/net');
const { validateObject, validatePort, validateString, validateUint32 } = require('internal/validators');

class SocketAddress {
  #address;
  #port;
  #family;
  #flowlabel;

  static isSocketAddress(value) { return typeof value === 'object' && value !== null && #address in value; }

  constructor(options = {}) {
    validateObject(options, 'options');
    let { family = 'ipv4' } = options;
    const { address = family === 'ipv4' ? '127.0.0.1' : '::', port = 0, flowlabel = 0 } = options;
    if (typeof family.toLowerCase === 'function') family = family.toLowerCase();
    if (family !== 'ipv4' && family !== 'ipv6') {
      throw new errors.ERR_INVALID_ARG_VALUE('options.family', options.family);
    }
    validateString(address, 'options.address');
    validatePort(port, 'options.port');
    validateUint32(flowlabel, 'options.flowlabel', false);
    if (isIP(address) !== (family === 'ipv6' ? 6 : 4)) throw new errors.ERR_INVALID_ADDRESS();
    this.#address = canonical(address);
    this.#port = port | 0;
    this.#family = family;
    this.#flowlabel = family === 'ipv6' ? flowlabel & 0xfffff : 0;
  }

  get address() { return this.#address; }
  get port() { return this.#port; }
  get family() { return this.#family; }
  get flowlabel() { return this.#flowlabel; }

  toJSON() {
    return { address: this.address, port: this.port, family: this.family, flowlabel: this.flowlabel };
  }

  [Symbol.for('nodejs.util.inspect.custom')](depth, options, inspect) {
    if (depth < 0) return options.stylize('[SocketAddress]', 'special');
    return `SocketAddress ${inspect(this.toJSON(), { ...options, depth: options.depth == null ? null : options.depth - 1 })}`;
  }

  static parse(input) {
    validateString(input, 'input');
    // The URL parser handles the port, and the brackets of an IPv6 address.
    const url = require('internal/url').URL.parse(`http://${input}`);
    if (url === null) return undefined;
    const { hostname, port } = url;
    if (hostname.startsWith('[')) {
      return new SocketAddress({ address: hostname.slice(1, -1), port: port | 0, family: 'ipv6' });
    }
    return isIP(hostname) === 4 ? new SocketAddress({ address: hostname, port: port | 0 }) : undefined;
  }
}
for (const name of ['address', 'port', 'family', 'flowlabel']) {
  const { get } = Object.getOwnPropertyDescriptor(SocketAddress.prototype, name);
  Object.defineProperty(SocketAddress.prototype, name, { __proto__: null, get, enumerable: true, configurable: true });
}

module.exports = { SocketAddress };
