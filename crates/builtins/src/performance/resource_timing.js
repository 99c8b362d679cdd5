'use strict';
// `PerformanceResourceTiming`: the timing of a fetch.

const { ERR_ILLEGAL_CONSTRUCTOR, ERR_INVALID_THIS } = require('internal/errors');
const { PerformanceEntry, kMake, show } = require('internal/performance/entry');
const { keepResource, notify } = require('internal/performance/timeline');

class PerformanceResourceTiming extends PerformanceEntry {
  #info;

  constructor(mark = undefined, info = undefined) {
    if (mark !== kMake) throw new ERR_ILLEGAL_CONSTRUCTOR();
    super(mark, info.url, 'resource', 0, 0);
    this.#info = info;
  }

  static of(entry) {
    if (typeof entry !== 'object' || entry === null || !(#info in entry)) {
      throw new ERR_INVALID_THIS('PerformanceResourceTiming');
    }
    return entry.#info;
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

const connection = (info) => info.timing.finalConnectionTimingInfo;

// Properties computed from the timing info of fetch.
const parts = {
  __proto__: null,
  name: (info) => info.url,
  startTime: (info) => info.timing.startTime,
  duration: (info) => info.timing.endTime - info.timing.startTime,
  initiatorType: (info) => info.initiator,
  nextHopProtocol: (info) => connection(info)?.ALPNNegotiatedProtocol,
  workerStart: (info) => info.timing.finalServiceWorkerStartTime,
  redirectStart: (info) => info.timing.redirectStartTime,
  redirectEnd: (info) => info.timing.redirectEndTime,
  fetchStart: (info) => info.timing.postRedirectStartTime,
  domainLookupStart: (info) => connection(info)?.domainLookupStartTime,
  domainLookupEnd: (info) => connection(info)?.domainLookupEndTime,
  connectStart: (info) => connection(info)?.connectionStartTime,
  connectEnd: (info) => connection(info)?.connectionEndTime,
  secureConnectionStart: (info) => connection(info)?.secureConnectionStartTime,
  requestStart: (info) => info.timing.finalNetworkRequestStartTime,
  responseStart: (info) => info.timing.finalNetworkResponseStartTime,
  responseEnd: (info) => info.timing.endTime,
  transferSize(info) {
    // Resource Timing, `transferSize`: 0 for a local cache hit, 300 for a validated one.
    if (info.cacheMode === 'local') return 0;
    return info.cacheMode === 'validated' ? 300 : info.timing.encodedBodySize + 300;
  },
  encodedBodySize: (info) => info.timing.encodedBodySize,
  decodedBodySize: (info) => info.timing.decodedBodySize,
  deliveryType: (info) => info.deliveryType,
  responseStatus: (info) => info.status,
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
  notify(entry);
  keepResource(entry);
  return entry;
}

module.exports = { PerformanceResourceTiming, markResourceTiming };
