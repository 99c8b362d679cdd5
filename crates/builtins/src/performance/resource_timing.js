'use strict';
// `PerformanceResourceTiming`: the timing of a fetch.

const { ERR_ILLEGAL_CONSTRUCTOR, ERR_INVALID_THIS } = require('internal/errors');
const { PerformanceEntry, kMake, show } = require('internal/performance/entry');
const { keepResource, tell } = require('internal/performance/timeline');

class PerformanceResourceTiming extends PerformanceEntry {
  #given;

  constructor(mark = undefined, given = undefined) {
    if (mark !== kMake) throw new ERR_ILLEGAL_CONSTRUCTOR();
    super(mark, given.url, 'resource', 0, 0);
    this.#given = given;
  }

  static of(entry) {
    if (typeof entry !== 'object' || entry === null || !(#given in entry)) {
      throw new ERR_INVALID_THIS('PerformanceResourceTiming');
    }
    return entry.#given;
  }

  toJSON() {
    const { name, entryType, startTime, duration } = this;
    const all = { name, entryType, startTime, duration };
    for (const part of inJson) all[part] = this[part];
    return all;
  }
}
const { of } = PerformanceResourceTiming;
delete PerformanceResourceTiming.of;

const connection = (given) => given.timing.finalConnectionTimingInfo;

// Properties computed from the timing info of fetch.
const parts = {
  __proto__: null,
  name: (given) => given.url,
  startTime: (given) => given.timing.startTime,
  duration: (given) => given.timing.endTime - given.timing.startTime,
  initiatorType: (given) => given.initiator,
  nextHopProtocol: (given) => connection(given)?.ALPNNegotiatedProtocol,
  workerStart: (given) => given.timing.finalServiceWorkerStartTime,
  redirectStart: (given) => given.timing.redirectStartTime,
  redirectEnd: (given) => given.timing.redirectEndTime,
  fetchStart: (given) => given.timing.postRedirectStartTime,
  domainLookupStart: (given) => connection(given)?.domainLookupStartTime,
  domainLookupEnd: (given) => connection(given)?.domainLookupEndTime,
  connectStart: (given) => connection(given)?.connectionStartTime,
  connectEnd: (given) => connection(given)?.connectionEndTime,
  secureConnectionStart: (given) => connection(given)?.secureConnectionStartTime,
  requestStart: (given) => given.timing.finalNetworkRequestStartTime,
  responseStart: (given) => given.timing.finalNetworkResponseStartTime,
  responseEnd: (given) => given.timing.endTime,
  transferSize(given) {
    // Resource Timing, `transferSize`: 0 for a local cache hit, 300 for a validated one.
    if (given.cacheMode === 'local') return 0;
    return given.cacheMode === 'validated' ? 300 : given.timing.encodedBodySize + 300;
  },
  encodedBodySize: (given) => given.timing.encodedBodySize,
  decodedBodySize: (given) => given.timing.decodedBodySize,
  deliveryType: (given) => given.deliveryType,
  responseStatus: (given) => given.status,
};
const inJson = Object.keys(parts).slice(3);

for (const name of Object.keys(parts)) {
  const part = parts[name];
  const { get } = Object.getOwnPropertyDescriptor({ get [name]() { return part(of(this)); } }, name);
  Object.defineProperty(PerformanceResourceTiming.prototype, name, {
    __proto__: null, configurable: true, enumerable: false, get, set: undefined,
  });
}
show(PerformanceResourceTiming, [...inJson, 'toJSON']);

function markResourceTiming(timing, url, initiator, global, cacheMode, body, status, deliveryType = '') {
  require('assert')(cacheMode === '' || cacheMode === 'local', "cache must be an empty string or 'local'");
  const entry = new PerformanceResourceTiming(kMake, { timing, url, initiator, cacheMode, status, deliveryType });
  tell(entry);
  keepResource(entry);
  return entry;
}

module.exports = { PerformanceResourceTiming, markResourceTiming };
