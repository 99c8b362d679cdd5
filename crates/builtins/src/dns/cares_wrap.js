'use strict';
// Node's `cares_wrap` binding. `dns` calls all operations through this object, so programs can monkey-patch them.

const tracking = require('internal/async_hooks/tracking');
const { Channel, kinds } = require('internal/dns/channel');
const { canonical, isIP } = require('internal/net');
const { beginSpan, endSpan, flags, kinds: spanKinds, TRACE } = require('internal/scheduler/trace');
const { defineConstants } = require('internal/util');

// An error number of Node itself: the servers cannot be set while queries are pending.
const kServersInUse = -1000;
const kInvalid = -22;

// Messages of c-ares by error number.
const failures = [
  'Successful completion',
  'DNS server returned answer with no data',
  'DNS server claims query was misformatted',
  'DNS server returned general failure',
  'Domain name not found',
  'DNS server does not implement requested operation',
  'DNS server refused query',
  'Misformatted DNS query',
  'Misformatted domain name',
  'Unsupported address family',
  'Misformatted DNS reply',
  'Could not contact DNS servers',
  'Timeout while contacting DNS servers',
  'End of file',
  'Error reading file',
  'Out of memory',
  'Channel is being destroyed',
  'Misformatted string',
  'Illegal flags specified',
  'Given hostname is not numeric',
  'Illegal hints flags specified',
  'c-ares library initialization not yet performed',
  'Error loading iphlpapi.dll',
  'Could not find GetNetworkParams function',
  'DNS query cancelled',
  'Invalid service name or number',
  'No DNS servers were configured',
];

class GetAddrInfoReqWrap {}
class GetNameInfoReqWrap {}
class QueryReqWrap {}

function refuseAddress(message) {
  const error = new TypeError(message);
  error.code = 'ERR_INVALID_ARG_VALUE';
  throw error;
}

class ChannelWrap {
  #channel;

  constructor(timeoutMs, tries, maxTimeoutMs) {
    this.#channel = new Channel(timeoutMs, tries, maxTimeoutMs);
  }

  getServers() {
    return this.#channel.getServers();
  }

  // Takes `[family, address, port]` items. Returns 0 or an error number for `strerror`.
  setServers(servers) {
    return this.#channel.setServers(servers) ? 0 : kServersInUse;
  }

  setLocalAddress(first, second) {
    const families = [isIP(first), second === undefined ? undefined : isIP(second)];
    if (families.includes(0)) refuseAddress('Invalid IP address.');
    if (families[0] === families[1]) refuseAddress(`Cannot specify two IPv${families[0]} addresses.`);
    if (families[0] === 4) this.#channel.setLocalAddress(first, second);
    else this.#channel.setLocalAddress(second, first);
  }

  cancel() {
    this.#channel.cancel();
  }

  // Returns 0, or a libuv error code if the query could not be started. The methods below return the same.
  getHostByAddr(request, text) {
    const [address] = native.toASCII(text).split('%');
    if (isIP(address) === 0) return kInvalid;
    this.#channel.reverse(tracked(request, address), address);
    return 0;
  }

  static {
    for (const type in kinds) {
      const name = `query${type[0]}${type.slice(1).toLowerCase()}`;
      this.prototype[name] = {
        [name](request, hostname) {
          this.#channel.query(tracked(request, hostname), hostname, kinds[type]);
          return 0;
        },
      }[name];
    }
  }
}

function tracked(request, label) {
  if (flags[TRACE] !== 0) traced(request, `${label}`);
  if (tracking.on) request.oncomplete = tracking.request('QUERYWRAP', request.oncomplete, request);
  return request;
}

// Makes a query a span of the recording.
function traced(request, label) {
  const { oncomplete } = request;
  const span = beginSpan(spanKinds.DNS, label);
  request.oncomplete = function(...results) {
    endSpan(span, 0, 0);
    return Reflect.apply(oncomplete, this, results);
  };
}

const binding = {
  // Arguments are `(request, hostname, family, flags, order)` and `(request, address, port)`. Both functions return 0 and call `request.oncomplete`
  // later, or return a libuv error code.
  getaddrinfo: native.getaddrinfo,
  getnameinfo: native.getnameinfo,
  canonicalizeIP: canonical,
  strerror: (number) => (number === kServersInUse ? 'There are pending queries.' : failures[number] ?? 'unknown'),
};
defineConstants(binding, {
  AF_INET: native.INET,
  AF_INET6: native.INET6,
  AF_UNSPEC: 0,
  AI_ADDRCONFIG: native.ADDRCONFIG,
  AI_ALL: native.ALL,
  AI_V4MAPPED: native.V4MAPPED,
  DNS_ORDER_VERBATIM: 0,
  DNS_ORDER_IPV4_FIRST: 1,
  DNS_ORDER_IPV6_FIRST: 2,
});

module.exports = Object.assign(binding, { GetAddrInfoReqWrap, GetNameInfoReqWrap, QueryReqWrap, ChannelWrap });
