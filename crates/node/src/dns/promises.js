'use strict';
// `dns/promises`.

const errors = require('internal/errors');
const lookups = require('internal/dns/lookup');
const resolvers = require('internal/dns/resolver');
const { kSpan, watched } = require('internal/performance/timeline');
const { validateString, validateStringWithoutNullBytes } = require('internal/validators');

function lookup(hostname, options) {
  if (hostname) validateStringWithoutNullBytes(hostname, 'hostname');
  if (options !== undefined && typeof options !== 'object' && typeof options !== 'number') {
    throw new errors.ERR_INVALID_ARG_TYPE('options', ['integer', 'object'], options);
  }
  const asked = lookups.lookupOptions(options, false);
  return new Promise((resolve, reject) => {
    const give = (found) => resolve(asked.all ? found : found[0]);
    const known = lookups.knownAddresses(hostname, asked);
    if (known !== undefined) {
      give(known);
      return;
    }
    const request = lookups.ask(hostname, asked, (error, found) => (error ? reject(error) : give(found)));
    if (request instanceof Error) reject(request);
  });
}

function lookupService(address, port) {
  if (arguments.length !== 2) throw new errors.ERR_MISSING_ARGS('address', 'port');
  lookups.checkService(address, port);
  return new Promise((resolve, reject) => {
    lookups.askService(address, +port, (error, hostname, service) => {
      // As Node: this one does not name the address.
      if (error) reject(errors.dnsException(error.errno, 'getnameinfo'));
      else resolve({ hostname, service });
    });
  });
}

function onresolve(code, result, ttls) {
  if (code) {
    this.reject(errors.dnsException(code, this.bindingName, this.hostname));
    return;
  }
  if (ttls && this.ttl) result = result.map((address, index) => ({ address, ttl: ttls[index] }));
  this.resolve(result);
  this[kSpan]?.end({ result });
}

const { Resolver, byType } = resolvers.resolverClass((bindingName) => function query(name, options) {
  validateString(name, 'name');
  return new Promise((resolve, reject) => {
    const request = new resolvers.QueryReqWrap();
    request.bindingName = bindingName;
    request.hostname = name;
    request.oncomplete = onresolve;
    request.resolve = resolve;
    request.reject = reject;
    request.ttl = !!options?.ttl;
    const status = this._handle[bindingName](request, name);
    if (status) reject(errors.dnsException(status, bindingName, name));
    else if (watched.dns > 0) lookups.beginSpan(request, bindingName, { host: name, ttl: request.ttl });
  });
});

Resolver.prototype.resolve = function resolve(hostname, rrtype) {
  if (rrtype === undefined) return byType.A.call(this, hostname);
  validateString(rrtype, 'rrtype');
  const method = byType[rrtype];
  if (typeof method !== 'function') throw new errors.ERR_INVALID_ARG_VALUE('rrtype', rrtype);
  return method.call(this, hostname);
};

function defaultResolverSetServers(servers) {
  resolvers.setDefaultServers(module.exports, Resolver, servers);
}

module.exports = {
  lookup,
  lookupService,
  Resolver,
  getDefaultResultOrder: lookups.getDefaultResultOrder,
  setDefaultResultOrder: lookups.setDefaultResultOrder,
  setServers: defaultResolverSetServers,
  ...lookups.codes,
};
resolvers.bindDefault(module.exports, Resolver);
