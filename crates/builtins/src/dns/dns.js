'use strict';
// The `dns` module, with callbacks.

const process = require('process');
const cares = require('internal/dns/cares_wrap');
const errors = require('internal/errors');
const lookups = require('internal/dns/lookup');
const resolvers = require('internal/dns/resolver');
const { kSpan, watched } = require('internal/performance/timeline');
const { flags, locate, UNLOCATED } = require('internal/scheduler/trace');
const { customPromisifyArgs } = require('internal/util');
const { validateFunction, validateString, validateStringWithoutNullBytes } = require('internal/validators');

const { DNSException } = errors;

function onlookup(status, addresses) {
  if (flags[UNLOCATED] !== 0) locate(this.callback);
  if (status) {
    this.callback(new DNSException(status, 'getaddrinfo', this.hostname));
    return;
  }
  this.callback(null, addresses[0], lookups.familyIn(this, addresses[0]));
  this[kSpan]?.end({ addresses });
}

function onlookupall(status, addresses) {
  if (flags[UNLOCATED] !== 0) locate(this.callback);
  if (status) {
    this.callback(new DNSException(status, 'getaddrinfo', this.hostname));
    return;
  }
  lookups.addFamilies(this, addresses);
  this.callback(null, addresses);
  this[kSpan]?.end({ addresses });
}

function lookup(hostname, options, callback) {
  if (hostname) validateStringWithoutNullBytes(hostname, 'hostname');
  if (typeof options === 'function') {
    callback = options;
    options = undefined;
  } else if (options !== undefined && typeof options !== 'object' && typeof options !== 'number') {
    validateFunction(arguments.length === 2 ? options : callback, 'callback');
    throw new errors.ERR_INVALID_ARG_TYPE('options', ['integer', 'object'], options);
  } else {
    validateFunction(callback, 'callback');
  }
  const settings = lookups.lookupOptions(options, true);
  const knownList = lookups.knownAddresses(hostname, settings);
  if (knownList !== undefined) {
    if (settings.all) process.nextTick(callback, null, knownList);
    else process.nextTick(callback, null, knownList[0].address, knownList[0].family);
    return {};
  }
  const request = new cares.GetAddrInfoReqWrap();
  request.callback = callback;
  request.family = settings.family;
  request.hostname = hostname;
  request.oncomplete = settings.all ? onlookupall : onlookup;
  const refusal = lookups.ask(request, settings);
  if (refusal === undefined) return request;
  process.nextTick(callback, refusal);
  return {};
}
Object.defineProperty(lookup, customPromisifyArgs, { __proto__: null, value: ['address', 'family'], enumerable: false });

function onlookupservice(status, hostname, service) {
  if (flags[UNLOCATED] !== 0) locate(this.callback);
  if (status) {
    this.callback(new DNSException(status, 'getnameinfo', this.hostname));
    return;
  }
  this.callback(null, hostname, service);
  this[kSpan]?.end({ hostname, service });
}

function lookupService(address, port, callback) {
  if (arguments.length !== 3) throw new errors.ERR_MISSING_ARGS('address', 'port', 'callback');
  lookups.checkService(address, port);
  validateFunction(callback, 'callback');
  const request = new cares.GetNameInfoReqWrap();
  request.callback = callback;
  request.hostname = address;
  request.port = +port;
  request.oncomplete = onlookupservice;
  const refusal = lookups.askService(request);
  if (refusal !== undefined) throw refusal;
  return request;
}
Object.defineProperty(
  lookupService, customPromisifyArgs, { __proto__: null, value: ['hostname', 'service'], enumerable: false });

function onresolve(code, result, ttls) {
  if (flags[UNLOCATED] !== 0) locate(this.callback);
  if (code) {
    this.callback(new DNSException(code, this.bindingName, this.hostname));
    return;
  }
  if (ttls && this.ttl) result = result.map((address, index) => ({ address, ttl: ttls[index] }));
  this.callback(null, result);
  this[kSpan]?.end({ result });
}

const { Resolver, byType } = resolvers.resolverClass((bindingName) => function query(name, callback) {
  let options;
  if (arguments.length > 2) {
    options = callback;
    callback = arguments[2];
  }
  validateString(name, 'name');
  validateFunction(callback, 'callback');
  const request = new cares.QueryReqWrap();
  request.bindingName = bindingName;
  request.callback = callback;
  request.hostname = name;
  request.oncomplete = onresolve;
  request.ttl = !!options?.ttl;
  const status = this._handle[bindingName](request, name);
  if (status) throw new DNSException(status, bindingName, name);
  if (watched.dns > 0) lookups.beginSpan(request, bindingName, { host: name, ttl: request.ttl });
  return request;
});

Resolver.prototype.resolve = function resolve(hostname, rrtype, callback) {
  let method;
  if (typeof rrtype === 'string') {
    method = byType[rrtype];
  } else if (typeof rrtype === 'function') {
    method = byType.A;
    callback = rrtype;
  } else {
    throw new errors.ERR_INVALID_ARG_TYPE('rrtype', 'string', rrtype);
  }
  if (typeof method !== 'function') throw new errors.ERR_INVALID_ARG_VALUE('rrtype', rrtype);
  return method.call(this, hostname, callback);
};

let promises;

function defaultResolverSetServers(servers) {
  resolvers.setDefaultServers(module.exports, Resolver, servers);
  if (promises !== undefined) resolvers.bindDefault(promises, promises.Resolver);
}

module.exports = {
  lookup,
  lookupService,
  Resolver,
  getDefaultResultOrder: lookups.getDefaultResultOrder,
  setDefaultResultOrder: lookups.setDefaultResultOrder,
  setServers: defaultResolverSetServers,
  ...lookups.hints,
  ...lookups.codes,
};
resolvers.bindDefault(module.exports, Resolver);
Object.defineProperty(module.exports, 'promises', {
  __proto__: null,
  configurable: true,
  enumerable: true,
  get() { return (promises ??= require('dns/promises')); },
});
