'use strict';
// `dns/promises`.

const errors = require('internal/errors');
const lookups = require('internal/dns/lookup');
const { validateString } = require('internal/validators');

function lookup(hostname, options) {
  if (hostname) validateString(hostname, 'hostname');
  if (options !== undefined && typeof options !== 'object' && typeof options !== 'number') {
    throw new errors.ERR_INVALID_ARG_TYPE('options', ['integer', 'object'], options);
  }
  const asked = lookups.lookupOptions(options);
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
      if (error) reject(error);
      else resolve({ hostname, service });
    });
  });
}

module.exports = {
  lookup,
  lookupService,
  getDefaultResultOrder: lookups.getDefaultResultOrder,
  setDefaultResultOrder: lookups.setDefaultResultOrder,
  ...lookups.codes,
};
