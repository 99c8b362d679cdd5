'use strict';
// `performance.nodeTiming` and event loop utilization of this thread.

const { PerformanceEntry, inspectAs } = require('internal/performance/entry');

const kInspect = Symbol.for('nodejs.util.inspect.custom');
const { now: clock, idleTime, metrics, milestone } = native;

function got(get) {
  return { __proto__: null, enumerable: true, configurable: true, get };
}

function fixed(value) {
  return { __proto__: null, enumerable: true, configurable: true, value };
}

class PerformanceNodeTiming {
  constructor() {
    Object.defineProperties(this, {
      name: fixed('node'),
      entryType: fixed('node'),
      startTime: fixed(0),
      duration: got(clock),
    });
    for (const name of ['nodeStart', 'v8Start', 'environment', 'loopStart', 'loopExit', 'bootstrapComplete']) {
      Object.defineProperty(this, name, got(() => milestone(name)));
    }
    Object.defineProperty(this, 'idleTime', got(idleTime));
    Object.defineProperty(this, 'uvMetricsInfo', got(() => {
      const [loopCount, events, eventsWaiting] = metrics();
      return { loopCount, events, eventsWaiting };
    }));
  }

  [kInspect](depth, options) {
    return inspectAs(this, this.toJSON(), depth, options);
  }

  toJSON() {
    const { name, entryType, startTime, duration, nodeStart, v8Start, bootstrapComplete, environment } = this;
    const { loopStart, loopExit, idleTime } = this;
    return {
      name, entryType, startTime, duration, nodeStart, v8Start, bootstrapComplete, environment, loopStart, loopExit,
      idleTime,
    };
  }
}

// Inherits from PerformanceEntry, but has none of its private fields.
Object.setPrototypeOf(PerformanceNodeTiming.prototype, PerformanceEntry.prototype);

// Event loop utilization from the loop's start and idle times in milliseconds: in total, since one measurement, or
// between two.
function utilizationOf(loopStart, idle, now, first, second) {
  if (loopStart <= 0) return { idle: 0, active: 0, utilization: 0 };
  if (second) return shared(first.idle - second.idle, first.active - second.active);
  const active = now - loopStart - idle;
  return first ? shared(idle - first.idle, active - first.active) : shared(idle, active);
}

function shared(idle, active) {
  return { idle, active, utilization: active / (idle + active) };
}

function eventLoopUtilization(util1, util2) {
  return utilizationOf(milestone('loopStart'), idleTime(), clock(), util1, util2);
}

module.exports = { eventLoopUtilization, nodeTiming: new PerformanceNodeTiming() };
