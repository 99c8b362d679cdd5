'use strict';
// Code that the resolvers of `dns` and `dns/promises` share: settings, and the default resolver.

const cares = require('internal/dns/cares_wrap');
const errors = require('internal/errors');
const { isIP } = require('internal/net');
const { validateArray, validateInt32, validateString, validateUint32 } = require('internal/validators');

const kPort = 53;

// The methods of `Resolver.prototype`, in Node's order. Each has the name of the channel's method, which error messages show, and the record type.
const queries = {
  resolveAny: ['queryAny', 'ANY'],
  resolve4: ['queryA', 'A'],
  resolve6: ['queryAaaa', 'AAAA'],
  resolveCaa: ['queryCaa', 'CAA'],
  resolveCname: ['queryCname', 'CNAME'],
  resolveMx: ['queryMx', 'MX'],
  resolveNs: ['queryNs', 'NS'],
  resolveTlsa: ['queryTlsa', 'TLSA'],
  resolveTxt: ['queryTxt', 'TXT'],
  resolveSrv: ['querySrv', 'SRV'],
  resolvePtr: ['queryPtr', 'PTR'],
  resolveNaptr: ['queryNaptr', 'NAPTR'],
  resolveSoa: ['querySoa', 'SOA'],
  reverse: ['getHostByAddr'],
};

// Parses the address of a server. Returns `[family, address, port]`.
function serverOf(text) {
  let family = isIP(text);
  if (family !== 0) return [family, text, kPort];
  const split = /(^.+?)(?::(\d+))?$/.exec(text);
  const bracketed = /^\[([^[\]]*)\]/.exec(text);
  family = bracketed === null ? 0 : isIP(bracketed[1]);
  if (family !== 0) return [family, bracketed[1], Number.parseInt(split?.[2]) || kPort];
  family = split === null ? 0 : isIP(split[1]);
  if (family !== 0) return [family, split[1], Number.parseInt(split[2] ?? kPort)];
  throw new errors.ERR_INVALID_IP_ADDRESS(text);
}

class ResolverBase {
  constructor(options = undefined) {
    const { timeout = -1, tries = 4, maxTimeout = 0 } = { ...options };
    validateInt32(timeout, 'options.timeout', -1);
    validateInt32(tries, 'options.tries', 1);
    validateUint32(maxTimeout, 'options.maxTimeout');
    this._handle = new cares.ChannelWrap(timeout, tries, maxTimeout);
  }

  cancel() {
    this._handle.cancel();
  }

  getServers() {
    return (this._handle.getServers() ?? []).map(([address, port]) => {
      if (port === kPort) return address;
      return isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`;
    });
  }

  setServers(servers) {
    validateArray(servers, 'servers');
    const list = [];
    for (let i = 0; i < servers.length; i++) {
      if (!(i in servers)) continue;
      validateString(servers[i], `servers[${i}]`);
      list.push(serverOf(servers[i]));
    }
    const status = this._handle.setServers(list);
    if (status !== 0) {
      const { inspect } = require('util');
      throw new errors.ERR_DNS_SET_SERVERS_FAILED(cares.strerror(status), inspect(servers));
    }
  }

  setLocalAddress(ipv4, ipv6) {
    validateString(ipv4, 'ipv4');
    if (ipv6 !== undefined) validateString(ipv6, 'ipv6');
    this._handle.setLocalAddress(ipv4, ipv6);
  }
}

// Creates a Resolver class whose methods are made by `make(name)`.
function resolverClass(make) {
  const byType = { __proto__: null };
  class Resolver extends ResolverBase {}
  for (const query in queries) {
    const [name, type] = queries[query];
    const method = make(name);
    Object.defineProperty(method, 'name', { __proto__: null, value: name });
    Resolver.prototype[query] = method;
    if (type !== undefined) byType[type] = method;
  }
  return { Resolver, byType };
}

let defaultResolver;

// Defines the methods of the default resolver on a module.
function bindDefault(target, { prototype }) {
  defaultResolver ??= new ResolverBase();
  const names = ['getServers', 'resolve', 'resolve4', 'resolve6', 'resolveAny', 'resolveCaa', 'resolveCname', 'resolveMx',
    'resolveNaptr', 'resolveNs', 'resolvePtr', 'resolveSoa', 'resolveSrv', 'resolveTlsa', 'resolveTxt', 'reverse'];
  for (const name of names) target[name] = prototype[name].bind(defaultResolver);
}

// Replaces the default resolver by a new resolver with these servers.
function setDefaultServers(target, Resolver, servers) {
  const resolver = new Resolver();
  resolver.setServers(servers);
  defaultResolver = resolver;
  bindDefault(target, Resolver);
}

module.exports = { bindDefault, resolverClass, setDefaultServers };
