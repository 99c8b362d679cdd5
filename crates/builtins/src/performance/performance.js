'use strict';
// The global `performance`: clock and timeline. Rarely used parts are loaded on first access.

const { ERR_ILLEGAL_CONSTRUCTOR, ERR_INVALID_THIS, ERR_MISSING_ARGS } = require('internal/errors');
const { EventTarget, defineEventHandler } = require('internal/event_target');
const { PerformanceEntry, inspectAs, kMake, show } = require('internal/performance/entry');
const marks = require('internal/performance/marks');
const timeline = require('internal/performance/timeline');

const kInspect = Symbol.for('nodejs.util.inspect.custom');
const { now: clock, timeOrigin } = native;

function checkPerformance(value) {
  if (!(value instanceof Performance)) throw new ERR_INVALID_THIS('Performance');
}

const textOrNot = (name) => (name === undefined ? undefined : `${name}`);

class Performance extends EventTarget {
  constructor(mark = undefined) {
    if (mark !== kMake) throw new ERR_ILLEGAL_CONSTRUCTOR();
    super();
  }

  [kInspect](depth, options) {
    return inspectAs(this, { nodeTiming: this.nodeTiming, timeOrigin: this.timeOrigin }, depth, options);
  }

  clearMarks(name = undefined) {
    checkPerformance(this);
    name = textOrNot(name);
    marks.forgetMarks(name);
    timeline.clear('mark', name);
  }

  clearMeasures(name = undefined) {
    checkPerformance(this);
    timeline.clear('measure', textOrNot(name));
  }

  clearResourceTimings(name = undefined) {
    checkPerformance(this);
    timeline.clear('resource', textOrNot(name));
  }

  getEntries() {
    checkPerformance(this);
    return timeline.find();
  }

  getEntriesByName(name, type = undefined) {
    checkPerformance(this);
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('name');
    return timeline.find(`${name}`, textOrNot(type));
  }

  getEntriesByType(type) {
    checkPerformance(this);
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('type');
    return timeline.find(undefined, `${type}`);
  }

  mark(name, options = {}) {
    checkPerformance(this);
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('name');
    return marks.mark(name, options);
  }

  measure(name, startOrMeasureOptions = {}, endMark = undefined) {
    checkPerformance(this);
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('name');
    return marks.measure(name, startOrMeasureOptions, endMark);
  }

  now() {
    checkPerformance(this);
    return clock();
  }

  setResourceTimingBufferSize(maxSize) {
    checkPerformance(this);
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('maxSize');
    timeline.limitResources(maxSize >>> 0);
  }

  get timeOrigin() {
    checkPerformance(this);
    return timeOrigin;
  }

  toJSON() {
    checkPerformance(this);
    return {
      nodeTiming: this.nodeTiming,
      timeOrigin: this.timeOrigin,
      eventLoopUtilization: this.eventLoopUtilization(),
    };
  }
}

// Node's additions to the standard, loaded on first access.
function lazy(name, load) {
  const define = (target, value) => Object.defineProperty(target, name, {
    __proto__: null, configurable: true, enumerable: false, writable: true, value,
  });
  Object.defineProperty(Performance.prototype, name, {
    __proto__: null,
    configurable: true,
    enumerable: false,
    get() {
      const value = load();
      define(Performance.prototype, value);
      return value;
    },
    set(value) { define(this, value); },
  });
}

lazy('eventLoopUtilization', () => require('internal/performance/node_timing').eventLoopUtilization);
lazy('nodeTiming', () => require('internal/performance/node_timing').nodeTiming);
lazy('markResourceTiming', () => require('internal/performance/resource_timing').markResourceTiming);
lazy('timerify', () => require('internal/performance/timerify'));

show(Performance, ['clearMarks', 'clearMeasures', 'clearResourceTimings', 'getEntries', 'getEntriesByName',
                   'getEntriesByType', 'mark', 'measure', 'now', 'setResourceTimingBufferSize', 'timeOrigin',
                   'toJSON']);
defineEventHandler(Performance.prototype, 'resourcetimingbufferfull');

module.exports = {
  now: clock,
  Performance,
  PerformanceEntry,
  PerformanceMark: marks.PerformanceMark,
  PerformanceMeasure: marks.PerformanceMeasure,
  performance: new Performance(kMake),
};
