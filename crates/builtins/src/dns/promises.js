'use strict';
// The `dns/promises` module.

const cares = require('internal/dns/cares_wrap');
const errors = require('internal/errors');
const lookups = require('internal/dns/lookup');
const resolvers = require('internal/dns/resolver');
const { kSpan, watched } = require('internal/performance/timeline');
const { validateString, validateStringWithoutNullBytes } = require('internal/validators');

const { DNSException } = errors;

function onlookup(status, addresses) {
  if (status) {
    this.reject(new DNSException(status, 'getaddrinfo', this.hostname));
    return;
  }
  this.resolve({ address: addresses[0], family: lookups.familyIn(this, addresses[0]) });
  this[kSpan]?.end({ addresses });
}

function onlookupall(status, addresses) {
  if (status) {
    this.reject(new DNSException(status, 'getaddrinfo', this.hostname));
    return;
  }
  lookups.addFamilies(this, addresses);
  this.resolve(addresses);
  this[kSpan]?.end({ addresses });
}

function lookup(hostname, options) {
  if (hostname) validateStringWithoutNullBytes(hostname, 'hostname');
  if (options !== undefined && typeof options !== 'object' && typeof options !== 'number') {
    throw new errors.ERR_INVALID_ARG_TYPE('options', ['integer', 'object'], options);
  }
  const settings = lookups.lookupOptions(options, false);
  return new Promise((resolve, reject) => {
    const knownList = lookups.knownAddresses(hostname, settings);
    if (knownList !== undefined) {
      resolve(settings.all ? knownList : knownList[0]);
      return;
    }
    const request = new cares.GetAddrInfoReqWrap();
    request.family = settings.family;
    request.hostname = hostname;
    request.oncomplete = settings.all ? onlookupall : onlookup;
    request.resolve = resolve;
    request.reject = reject;
    const refusal = lookups.ask(request, settings);
    if (refusal !== undefined) reject(refusal);
  });
}

function onlookupservice(status, hostname, service) {
  if (status) {
    // Unlike in the callback version, Node's error has no hostname.
    this.reject(new DNSException(status, 'getnameinfo'));
    return;
  }
  this.resolve({ hostname, service });
  this[kSpan]?.end({ hostname, service });
}

function lookupService(address, port) {
  if (arguments.length !== 2) throw new errors.ERR_MISSING_ARGS('address', 'port');
  lookups.checkService(address, port);
  return new Promise((resolve, reject) => {
    const request = new cares.GetNameInfoReqWrap();
    request.hostname = address;
    request.port = +port;
    request.oncomplete = onlookupservice;
    request.resolve = resolve;
    request.reject = reject;
    const refusal = lookups.askService(request);
    if (refusal !== undefined) reject(refusal);
  });
}

function onresolve(code, result, ttls) {
  if (code) {
    this.reject(new DNSException(code, this.bindingName, this.hostname));
    return;
  }
  if (ttls && this.ttl) result = result.map((address, index) => ({ address, ttl: ttls[index] }));
  this.resolve(result);
  this[kSpan]?.end({ result });
}

const { Resolver, byType } = resolvers.resolverClass((bindingName) => function query(name, options) {
  validateString(name, 'name');
  return new Promise((resolve, reject) => {
    const request = new cares.QueryReqWrap();
    request.bindingName = bindingName;
    request.hostname = name;
    request.oncomplete = onresolve;
    request.resolve = resolve;
    request.reject = reject;
    request.ttl = !!options?.ttl;
    const status = this._handle[bindingName](request, name);
    if (status) reject(new DNSException(status, bindingName, name));
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
