'use strict';
// Code that `dns` and `dns/promises` share: validation of `lookup` options, and getaddrinfo requests.

const process = require('process');
const cares = require('internal/dns/cares_wrap');
const errors = require('internal/errors');
const { isIP } = require('internal/net');
const { kSpan, watched } = require('internal/performance/timeline');
const {
  validateBoolean, validateNumber, validateOneOf, validatePort,
} = require('internal/validators');

const { DNSException } = errors;
const families = [0, 4, 6];
const orders = ['verbatim', 'ipv4first', 'ipv6first'];
const orderNumbers = {
  verbatim: cares.DNS_ORDER_VERBATIM,
  ipv4first: cares.DNS_ORDER_IPV4_FIRST,
  ipv6first: cares.DNS_ORDER_IPV6_FIRST,
};
const hints = { ADDRCONFIG: cares.AI_ADDRCONFIG, ALL: cares.AI_ALL, V4MAPPED: cares.AI_V4MAPPED };
const knownHints = hints.ADDRCONFIG | hints.ALL | hints.V4MAPPED;

let defaultOrder;
function getDefaultResultOrder() {
  return (defaultOrder ??= require('internal/options').value('dns-result-order') ?? 'verbatim');
}
function setDefaultResultOrder(value) {
  validateOneOf(value, 'dnsOrder', orders);
  defaultOrder = value;
}

function familyOf(family, takesNames) {
  if (takesNames && family === 'IPv4') return 4;
  if (takesNames && family === 'IPv6') return 6;
  validateOneOf(family, 'options.family', families);
  return family;
}

// Validates the options of `lookup`. `takesNames`: 'IPv4' and 'IPv6' are valid families; `lib/dns.js: lookup` accepts them, the promise version does
// not.
function lookupOptions(options, takesNames) {
  const settings = { family: 0, hints: 0, all: false, order: getDefaultResultOrder() };
  if (typeof options === 'number') {
    validateOneOf(options, 'family', families);
    settings.family = options;
    return settings;
  }
  if (options?.hints != null) {
    validateNumber(options.hints, 'options.hints');
    settings.hints = options.hints >>> 0;
    if ((settings.hints & ~knownHints) !== 0) throw new errors.ERR_INVALID_ARG_VALUE('hints', settings.hints);
  }
  if (options?.family != null) settings.family = familyOf(options.family, takesNames);
  if (options?.all != null) {
    validateBoolean(options.all, 'options.all');
    settings.all = options.all;
  }
  if (options?.verbatim != null) {
    validateBoolean(options.verbatim, 'options.verbatim');
    settings.order = options.verbatim ? 'verbatim' : 'ipv4first';
  }
  if (options?.order != null) {
    validateOneOf(options.order, 'options.order', orders);
    settings.order = options.order;
  }
  return settings;
}

let isWarned = false;
function warnOfHostname(hostname) {
  if (isWarned) return;
  isWarned = true;
  process.emitWarning(
    `The provided hostname "${hostname}" is not a valid hostname, and is supported in the dns module solely for ` +
    'compatibility.', 'DeprecationWarning', 'DEP0118');
}

// Returns the addresses that need no lookup; undefined if a lookup is needed.
function knownAddresses(hostname, { family, all }) {
  if (!hostname) {
    warnOfHostname(hostname);
    return all ? [] : [{ address: null, family: family === 6 ? 6 : 4 }];
  }
  const kind = isIP(hostname);
  return kind === 0 ? undefined : [{ address: hostname, family: kind }];
}

function beginSpan(request, name, detail) {
  request[kSpan] = require('internal/performance/spans').begin('dns', name, detail);
}

// Starts getaddrinfo for `request.hostname`; `request.oncomplete` is called in the poll phase. Returns an error if getaddrinfo could not be started.
function ask(request, { hints, order }) {
  const { hostname, family } = request;
  const status = cares.getaddrinfo(request, hostname, family, hints, orderNumbers[order]);
  if (status) return new DNSException(status, 'getaddrinfo', hostname);
  if (watched.dns > 0) {
    beginSpan(request, 'lookup', { hostname, family, hints, verbatim: order === 'verbatim', order });
  }
  return undefined;
}

const familyIn = ({ family }, address) => family || isIP(address);

// Converts the addresses in the array of the binding itself, which is passed on (`lib/dns.js: onlookupall`).
function addFamilies(request, addresses) {
  for (let i = 0; i < addresses.length; i++) {
    addresses[i] = { address: addresses[i], family: familyIn(request, addresses[i]) };
  }
}

function checkService(address, port) {
  if (isIP(address) === 0) throw new errors.ERR_INVALID_ARG_VALUE('address', address);
  validatePort(port);
}

// Like `ask`, but starts getnameinfo for an address and a port.
function askService(request) {
  const { hostname, port } = request;
  const status = cares.getnameinfo(request, hostname, port);
  if (status) return new DNSException(status, 'getnameinfo', hostname);
  if (watched.dns > 0) beginSpan(request, 'lookupService', { host: hostname, port });
  return undefined;
}

const codes = {
  NODATA: 'ENODATA',
  FORMERR: 'EFORMERR',
  SERVFAIL: 'ESERVFAIL',
  NOTFOUND: 'ENOTFOUND',
  NOTIMP: 'ENOTIMP',
  REFUSED: 'EREFUSED',
  BADQUERY: 'EBADQUERY',
  BADNAME: 'EBADNAME',
  BADFAMILY: 'EBADFAMILY',
  BADRESP: 'EBADRESP',
  CONNREFUSED: 'ECONNREFUSED',
  TIMEOUT: 'ETIMEOUT',
  EOF: 'EOF',
  FILE: 'EFILE',
  NOMEM: 'ENOMEM',
  DESTRUCTION: 'EDESTRUCTION',
  BADSTR: 'EBADSTR',
  BADFLAGS: 'EBADFLAGS',
  NONAME: 'ENONAME',
  BADHINTS: 'EBADHINTS',
  NOTINITIALIZED: 'ENOTINITIALIZED',
  LOADIPHLPAPI: 'ELOADIPHLPAPI',
  ADDRGETNETWORKPARAMS: 'EADDRGETNETWORKPARAMS',
  CANCELLED: 'ECANCELLED',
};

module.exports = {
  addFamilies,
  ask,
  askService,
  beginSpan,
  checkService,
  codes,
  familyIn,
  getDefaultResultOrder,
  hints,
  knownAddresses,
  lookupOptions,
  setDefaultResultOrder,
};
