'use strict';
// `dns`: names of hosts, as the system resolves them.

const errors = require('internal/errors');
const lookups = require('internal/dns/lookup');
const { customPromisifyArgs } = require('internal/util');
const { validateFunction, validateString } = require('internal/validators');

function lookup(hostname, options, callback) {
  if (hostname) validateString(hostname, 'hostname');
  if (typeof options === 'function') {
    callback = options;
    options = undefined;
  } else if (options !== undefined && typeof options !== 'object' && typeof options !== 'number') {
    validateFunction(arguments.length === 2 ? options : callback, 'callback');
    throw new errors.ERR_INVALID_ARG_TYPE('options', ['integer', 'object'], options);
  } else {
    validateFunction(callback, 'callback');
  }
  const asked = lookups.lookupOptions(options);
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

module.exports = {
  lookup,
  lookupService,
  getDefaultResultOrder: lookups.getDefaultResultOrder,
  setDefaultResultOrder: lookups.setDefaultResultOrder,
  ...lookups.hints,
  ...lookups.codes,
};
Object.defineProperty(module.exports, 'promises', {
  __proto__: null,
  configurable: true,
  enumerable: true,
  get() { return require('dns/promises'); },
});
