'use strict';
// `dns`: names of hosts, as the system resolves them and as name servers know them.

const process = require('process');
const errors = require('internal/errors');
const lookups = require('internal/dns/lookup');
const resolvers = require('internal/dns/resolver');
const { kSpan, watched } = require('internal/performance/timeline');
const { customPromisifyArgs } = require('internal/util');
const { validateFunction, validateString, validateStringWithoutNullBytes } = require('internal/validators');

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
  const asked = lookups.lookupOptions(options, true);
  const give = (found) =>
    (asked.all ? callback(null, found) : callback(null, found[0].address, found[0].family));
  const known = lookups.knownAddresses(hostname, asked);
  if (known !== undefined) {
    process.nextTick(give, known);
    return {};
  }
  const request = lookups.ask(hostname, asked, (error, found) => (error ? callback(error) : give(found)));
  if (request instanceof Error) {
    process.nextTick(callback, request);
    return {};
  }
  return request;
}
Object.defineProperty(lookup, customPromisifyArgs, { __proto__: null, value: ['address', 'family'], enumerable: false });

function lookupService(address, port, callback) {
  if (arguments.length !== 3) throw new errors.ERR_MISSING_ARGS('address', 'port', 'callback');
  lookups.checkService(address, port);
  validateFunction(callback, 'callback');
  return lookups.askService(address, +port, callback);
}
Object.defineProperty(
  lookupService, customPromisifyArgs, { __proto__: null, value: ['hostname', 'service'], enumerable: false });

function onresolve(code, result, ttls) {
  if (code) {
    this.callback(errors.dnsException(code, this.bindingName, this.hostname));
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
  const request = new resolvers.QueryReqWrap();
  request.bindingName = bindingName;
  request.callback = callback;
  request.hostname = name;
  request.oncomplete = onresolve;
  request.ttl = !!options?.ttl;
  const status = this._handle[bindingName](request, name);
  if (status) throw errors.dnsException(status, bindingName, name);
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
