'use strict';
// What `dns` and `dns/promises` share: the checks of lookups, and asking the pool.

const process = require('process');
const errors = require('internal/errors');
const { isIP } = require('internal/net/addresses');
const { kSpan, watched } = require('internal/performance/timeline');
const {
  validateBoolean, validateNumber, validateOneOf, validatePort,
} = require('internal/validators');

const { dnsException } = errors;
const families = [0, 4, 6];
const orders = ['verbatim', 'ipv4first', 'ipv6first'];
const orderNumbers = { verbatim: 0, ipv4first: 1, ipv6first: 2 };
const knownHints = native.ADDRCONFIG | native.ALL | native.V4MAPPED;

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

// What `lookup` was given besides the name and the callback. As Node: that of promises does not take a family by its name.
function lookupOptions(options, takesNames) {
  const asked = { family: 0, hints: 0, all: false, order: getDefaultResultOrder() };
  if (typeof options === 'number') {
    validateOneOf(options, 'family', families);
    asked.family = options;
    return asked;
  }
  if (options?.hints != null) {
    validateNumber(options.hints, 'options.hints');
    asked.hints = options.hints >>> 0;
    if ((asked.hints & ~knownHints) !== 0) throw new errors.ERR_INVALID_ARG_VALUE('hints', asked.hints);
  }
  if (options?.family != null) asked.family = familyOf(options.family, takesNames);
  if (options?.all != null) {
    validateBoolean(options.all, 'options.all');
    asked.all = options.all;
  }
  if (options?.verbatim != null) {
    validateBoolean(options.verbatim, 'options.verbatim');
    asked.order = options.verbatim ? 'verbatim' : 'ipv4first';
  }
  if (options?.order != null) {
    validateOneOf(options.order, 'options.order', orders);
    asked.order = options.order;
  }
  return asked;
}

class GetAddrInfoReqWrap {
  constructor(hostname, oncomplete) {
    this.hostname = hostname;
    this.oncomplete = oncomplete;
  }
}
class GetNameInfoReqWrap extends GetAddrInfoReqWrap {}

let isWarned = false;
function warnOfHostname(hostname) {
  if (isWarned) return;
  isWarned = true;
  process.emitWarning(
    `The provided hostname "${hostname}" is not a valid hostname, and is supported in the dns module solely for ` +
    'compatibility.', 'DeprecationWarning', 'DEP0118');
}

// What is known without asking: a list, or nothing.
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

// Calls `done(error, [{ address, family }])` from the poll phase, or gives the error that is known at once.
function ask(hostname, { family, hints, all, order }, done) {
  const request = new GetAddrInfoReqWrap(hostname, (status, addresses) => {
    if (status < 0) {
      done(dnsException(status, 'getaddrinfo', hostname));
      return;
    }
    const found = addresses.map((address) => ({ address, family: family || isIP(address) }));
    done(null, found);
    request[kSpan]?.end({ addresses: all ? found : addresses });
  });
  request.family = family;
  const status = native.getaddrinfo(request, hostname, family, hints, orderNumbers[order]);
  if (status !== 0) return dnsException(status, 'getaddrinfo', hostname);
  if (watched.dns > 0) {
    beginSpan(request, 'lookup', { hostname, family, hints, verbatim: order === 'verbatim', order });
  }
  return request;
}

function checkService(address, port) {
  if (isIP(address) === 0) throw new errors.ERR_INVALID_ARG_VALUE('address', address);
  validatePort(port);
}

// Calls `done(error, hostname, service)` from the poll phase.
function askService(address, port, done) {
  const request = new GetNameInfoReqWrap(address, (status, hostname, service) => {
    if (status < 0) {
      done(dnsException(status, 'getnameinfo', address));
      return;
    }
    done(null, hostname, service);
    request[kSpan]?.end({ hostname, service });
  });
  request.port = port;
  const status = native.getnameinfo(request, address, port);
  if (status !== 0) throw dnsException(status, 'getnameinfo', address);
  if (watched.dns > 0) beginSpan(request, 'lookupService', { host: address, port });
  return request;
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

const hints = { ADDRCONFIG: native.ADDRCONFIG, ALL: native.ALL, V4MAPPED: native.V4MAPPED };

module.exports = {
  ask,
  askService,
  beginSpan,
  checkService,
  codes,
  getDefaultResultOrder,
  hints,
  knownAddresses,
  lookupOptions,
  setDefaultResultOrder,
};
