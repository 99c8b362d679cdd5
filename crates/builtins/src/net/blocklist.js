'use strict';
// `net.BlockList`: rules for single addresses, ranges and subnets.

const errors = require('internal/errors');
const { ipBytes } = require('internal/net');
const { SocketAddress } = require('internal/net/socketaddress');
const { validateInt32, validateString } = require('internal/validators');

const kMapped = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

// Returns a SocketAddress for an argument that is a SocketAddress, or an address with a family; validates it like Node.
function addressOf(address, family, name) {
  if (SocketAddress.isSocketAddress(address)) return address;
  validateString(address, name);
  validateString(family, 'family');
  return new SocketAddress({ address, family });
}

const bytesOf = (address) => ipBytes(address.address);
const label = (address) => `${address.family === 'ipv6' ? 'IPv6' : 'IPv4'} ${address.address}`;

function compare(one, other) {
  for (let at = 0; at < one.length; at++) {
    if (one[at] !== other[at]) return one[at] - other[at];
  }
  return 0;
}

function isInSubnet(bytes, network, prefix) {
  for (let at = 0; at < bytes.length && prefix > 0; at++, prefix -= 8) {
    const mask = prefix >= 8 ? 0xff : 0xff << (8 - prefix) & 0xff;
    if ((bytes[at] & mask) !== (network[at] & mask)) return false;
  }
  return true;
}

class BlockList {
  // Rules, newest first: { text, matches(bytes) }.
  #rules = [];

  static isBlockList(value) { return typeof value === 'object' && value !== null && #rules in value; }

  #add(text, length, test) {
    this.#rules.unshift({ text, matches: (bytes) => bytes.length === length && test(bytes) });
  }

  addAddress(address, family = 'ipv4') {
    address = addressOf(address, family, 'address');
    const own = bytesOf(address);
    this.#add(`Address: ${label(address)}`, own.length, (bytes) => compare(bytes, own) === 0);
  }

  addRange(start, end, family = 'ipv4') {
    start = addressOf(start, family, 'start');
    end = addressOf(end, family, 'end');
    const from = bytesOf(start);
    const to = bytesOf(end);
    if (from.length !== to.length || compare(from, to) > 0) {
      throw new errors.ERR_INVALID_ARG_VALUE('start', start, 'must come before end');
    }
    this.#add(`Range: ${label(start)}-${end.address}`, from.length,
      (bytes) => compare(bytes, from) >= 0 && compare(bytes, to) <= 0);
  }

  addSubnet(network, prefix, family = 'ipv4') {
    network = addressOf(network, family, 'network');
    validateInt32(prefix, 'prefix', 0, network.family === 'ipv6' ? 128 : 32);
    const own = bytesOf(network);
    this.#add(`Subnet: ${label(network)}/${prefix}`, own.length, (bytes) => isInSubnet(bytes, own, prefix));
  }

  check(address, family = 'ipv4') {
    if (!SocketAddress.isSocketAddress(address)) {
      validateString(address, 'address');
      validateString(family, 'family');
      try {
        address = new SocketAddress({ address, family });
      } catch {
        // Text that is not an address is never blocked.
        return false;
      }
    }
    const bytes = bytesOf(address);
    // An IPv4 address also matches in its IPv4-mapped IPv6 form, and vice versa.
    const isMapped = bytes.length === 16 && compare(kMapped, bytes) === 0;
    const other = bytes.length === 4 ? [...kMapped, ...bytes] : isMapped ? bytes.slice(12) : undefined;
    return this.#rules.some(({ matches }) => matches(bytes) || (other !== undefined && matches(other)));
  }

  get rules() { return this.#rules.map(({ text }) => text); }

  toJSON() { return this.rules; }

  fromJSON(data) {
    if (typeof data === 'string') data = JSON.parse(data);
    if (!Array.isArray(data) || data.some((rule) => typeof rule !== 'string')) {
      throw new errors.ERR_INVALID_ARG_TYPE('data', ['string', 'string[]'], data);
    }
    for (const rule of data) {
      const [, kind, family, from, to] = /^(Address|Range|Subnet): (IPv[46]) ([^-/]+)[-/]?(.*)$/.exec(rule) ?? [];
      if (kind === 'Address') this.addAddress(from, family.toLowerCase());
      else if (kind === 'Range') this.addRange(from, to, family.toLowerCase());
      else if (kind === 'Subnet') this.addSubnet(from, Number(to), family.toLowerCase());
    }
  }

  [Symbol.for('nodejs.util.inspect.custom')](depth, options, inspect) {
    if (depth < 0) return options.stylize('[BlockList]', 'special');
    options = { ...options, depth: options.depth == null ? null : options.depth - 1 };
    return `BlockList ${inspect({ rules: this.rules }, options)}`;
  }
}

// Validates an option that must be a BlockList.
function checkedList(list, name = 'options.blockList') {
  if (!BlockList.isBlockList(list)) throw new errors.ERR_INVALID_ARG_TYPE(name, 'net.BlockList', list);
  return list;
}

module.exports = { BlockList, checkedList };
