'use strict';
// The global `performance`: the clock, and marks and measures kept until they are cleared. Observers and what looks
// into the loop belong to perf_hooks.

const {
  ERR_ILLEGAL_CONSTRUCTOR,
  ERR_INVALID_ARG_TYPE,
  ERR_INVALID_ARG_VALUE,
  ERR_INVALID_THIS,
  ERR_MISSING_ARGS,
  ERR_PERFORMANCE_INVALID_TIMESTAMP,
  ERR_PERFORMANCE_MEASURE_INVALID_OPTIONS,
} = require('internal/errors');
const { validateNumber, validateObject } = require('internal/validators');
const { EventTarget, defineEventHandler } = require('internal/event_target');

const kInspect = Symbol.for('nodejs.util.inspect.custom');
const kMake = Symbol('kMake');
const { now: clock, timeOrigin } = native;

// The names of Node's own milestones: they cannot be marked.
const milestones = ['timeOrigin', 'nodeStart', 'v8Start', 'environment', 'loopStart', 'loopExit',
                    'bootstrapComplete'];

let marks = [];
let measures = [];
// The newest start of each mark: what a measure counts from.
const markTimes = new Map();

function inspectAs(self, properties, depth, options) {
  if (depth < 0) return self;
  const inner = { ...options, depth: options.depth == null ? null : options.depth - 1 };
  return `${self.constructor.name} ${require('internal/util/inspect').inspect(properties, inner)}`;
}

let isEntry;

class PerformanceEntry {
  #name;
  #type;
  #start;
  #duration;

  static {
    isEntry = (value) => typeof value === 'object' && value !== null && #name in value;
  }

  constructor(mark = undefined, name = undefined, type = undefined, start = undefined, duration = undefined) {
    if (mark !== kMake) throw new ERR_ILLEGAL_CONSTRUCTOR();
    this.#name = name;
    this.#type = type;
    this.#start = start;
    this.#duration = duration;
  }

  get name() {
    checkEntry(this);
    return this.#name;
  }

  get entryType() {
    checkEntry(this);
    return this.#type;
  }

  get startTime() {
    checkEntry(this);
    return this.#start;
  }

  get duration() {
    checkEntry(this);
    return this.#duration;
  }

  [kInspect](depth, options) {
    return inspectAs(this, this.toJSON(), depth, options);
  }

  toJSON() {
    checkEntry(this);
    return { name: this.#name, entryType: this.#type, startTime: this.#start, duration: this.#duration };
  }
}

function checkEntry(value) {
  if (!isEntry(value)) throw new ERR_INVALID_THIS('PerformanceEntry');
}

class PerformanceMark extends PerformanceEntry {
  #detail;

  constructor(name, options = undefined) {
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('name');
    name = `${name}`;
    if (milestones.includes(name)) throw new ERR_INVALID_ARG_VALUE('name', name);
    options ??= {};
    validateObject(options, 'options');
    const start = options.startTime ?? clock();
    validateNumber(start, 'startTime');
    if (start < 0) throw new ERR_PERFORMANCE_INVALID_TIMESTAMP(start);
    markTimes.set(name, start);
    super(kMake, name, 'mark', start, 0);
    const { detail } = options;
    this.#detail = detail == null ? null : structuredClone(detail);
  }

  get detail() {
    return this.#detail;
  }

  toJSON() {
    return { ...super.toJSON(), detail: this.#detail };
  }
}

class PerformanceMeasure extends PerformanceEntry {
  #detail;

  constructor(mark = undefined, name = undefined, start = undefined, duration = undefined, detail = undefined) {
    super(mark, name, 'measure', start, duration);
    this.#detail = detail;
  }

  get detail() {
    return this.#detail;
  }

  toJSON() {
    return { ...super.toJSON(), detail: this.#detail };
  }
}

function timeOf(mark) {
  if (mark === undefined) return undefined;
  if (typeof mark === 'number') {
    if (mark < 0) throw new ERR_PERFORMANCE_INVALID_TIMESTAMP(mark);
    return mark;
  }
  const name = `${mark}`;
  if (milestones.includes(name)) return name === 'timeOrigin' ? 0 : native.milestone?.(name) ?? 0;
  const time = markTimes.get(name);
  if (time === undefined) {
    const { DOMException } = require('internal/domexception');
    throw new DOMException(`The "${name}" performance mark has not been set`, 'SyntaxError');
  }
  return time;
}

function span(startOrOptions, endMark) {
  const options = startOrOptions !== null && typeof startOrOptions === 'object' ? startOrOptions : {};
  const { start, end, duration } = options;
  // Options without a start or an end say nothing, not even by their duration.
  const bounded = start !== undefined || end !== undefined;
  if (bounded && endMark !== undefined) {
    throw new ERR_PERFORMANCE_MEASURE_INVALID_OPTIONS('endMark must not be specified');
  }
  if (start !== undefined && end !== undefined && duration !== undefined) {
    throw new ERR_PERFORMANCE_MEASURE_INVALID_OPTIONS(
      'Must not have options.start, options.end, and options.duration specified');
  }

  let to;
  if (endMark !== undefined) to = timeOf(endMark);
  else if (end !== undefined) to = timeOf(end);
  else if (start !== undefined && duration !== undefined) to = timeOf(start) + timeOf(duration);
  else to = clock();

  let from = 0;
  if (typeof startOrOptions === 'string') from = timeOf(startOrOptions);
  else if (start !== undefined) from = timeOf(start);
  else if (bounded && duration !== undefined) from = to - timeOf(duration);
  return { begin: from, duration: to - from, detail: startOrOptions?.detail };
}

function checkPerformance(value) {
  if (!(value instanceof Performance)) throw new ERR_INVALID_THIS('Performance');
}

function allEntries() {
  return [...marks, ...measures].sort((a, b) => a.startTime - b.startTime);
}

class Performance extends EventTarget {
  constructor(mark = undefined) {
    if (mark !== kMake) throw new ERR_ILLEGAL_CONSTRUCTOR();
    super();
  }

  [kInspect](depth, options) {
    return inspectAs(this, { timeOrigin }, depth, options);
  }

  clearMarks(name = undefined) {
    checkPerformance(this);
    if (name !== undefined) {
      name = `${name}`;
      markTimes.delete(name);
      marks = marks.filter((entry) => entry.name !== name);
    } else {
      markTimes.clear();
      marks = [];
    }
  }

  clearMeasures(name = undefined) {
    checkPerformance(this);
    if (name !== undefined) name = `${name}`;
    measures = name === undefined ? [] : measures.filter((entry) => entry.name !== name);
  }

  clearResourceTimings(name = undefined) {
    checkPerformance(this);
  }

  getEntries() {
    checkPerformance(this);
    return allEntries();
  }

  getEntriesByName(name, type = undefined) {
    checkPerformance(this);
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('name');
    name = `${name}`;
    if (type !== undefined) type = `${type}`;
    return allEntries().filter((entry) => entry.name === name && (type === undefined || entry.entryType === type));
  }

  getEntriesByType(type) {
    checkPerformance(this);
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('type');
    type = `${type}`;
    return allEntries().filter((entry) => entry.entryType === type);
  }

  mark(name, options = {}) {
    checkPerformance(this);
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('name');
    const entry = new PerformanceMark(name, options);
    marks.push(entry);
    return entry;
  }

  measure(name, startOrMeasureOptions = {}, endMark = undefined) {
    checkPerformance(this);
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('name');
    if (typeof name !== 'string') throw new ERR_INVALID_ARG_TYPE('name', 'string', name);
    const { begin, duration, detail } = span(startOrMeasureOptions, endMark);
    const copied = detail == null ? null : structuredClone(detail);
    const entry = new PerformanceMeasure(kMake, name, begin, duration, copied);
    measures.push(entry);
    return entry;
  }

  now() {
    checkPerformance(this);
    return clock();
  }

  setResourceTimingBufferSize(maxSize) {
    checkPerformance(this);
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('maxSize');
  }

  get timeOrigin() {
    checkPerformance(this);
    return timeOrigin;
  }

  toJSON() {
    checkPerformance(this);
    return { timeOrigin };
  }
}

function show(Class, names) {
  for (const name of names) Object.defineProperty(Class.prototype, name, { __proto__: null, enumerable: true });
  Object.defineProperty(Class.prototype, Symbol.toStringTag, {
    __proto__: null, configurable: true, value: Class.name,
  });
}

show(PerformanceEntry, ['name', 'entryType', 'startTime', 'duration', 'toJSON']);
show(PerformanceMark, ['detail']);
show(PerformanceMeasure, ['detail']);
show(Performance, ['clearMarks', 'clearMeasures', 'clearResourceTimings', 'getEntries', 'getEntriesByName',
                   'getEntriesByType', 'mark', 'measure', 'now', 'setResourceTimingBufferSize', 'timeOrigin',
                   'toJSON']);
defineEventHandler(Performance.prototype, 'resourcetimingbufferfull');

module.exports = {
  now: clock,
  Performance,
  PerformanceEntry,
  PerformanceMark,
  PerformanceMeasure,
  performance: new Performance(kMake),
};
