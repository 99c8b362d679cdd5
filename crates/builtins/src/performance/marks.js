'use strict';
// `performance.mark` and `performance.measure`.

const {
  ERR_INVALID_ARG_TYPE,
  ERR_INVALID_ARG_VALUE,
  ERR_MISSING_ARGS,
  ERR_PERFORMANCE_INVALID_TIMESTAMP,
  ERR_PERFORMANCE_MEASURE_INVALID_OPTIONS,
} = require('internal/errors');
const { validateNumber, validateObject } = require('internal/validators');
const { PerformanceEntry, kMake, show } = require('internal/performance/entry');
const { keep, notify } = require('internal/performance/timeline');

const trace = require('internal/scheduler/trace');

const { flags, TRACE } = trace;
const { now: clock, milestone } = native;

const copyOf = (detail) => require('internal/clone').structuredClone(detail);

// Names of Node's own milestones: they are reserved.
const milestones = ['timeOrigin', 'nodeStart', 'v8Start', 'environment', 'loopStart', 'loopExit',
                    'bootstrapComplete'];

// The latest start time of each mark, the start point of measures.
const markTimes = new Map();

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
    this.#detail = detail == null ? null : copyOf(detail);
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
  if (milestones.includes(name)) return milestone(name);
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
  // Without `start` and `end` the options are ignored, even `duration`.
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

function mark(name, options) {
  const entry = new PerformanceMark(name, options);
  if (flags[TRACE] !== 0) trace.mark(entry.name);
  notify(entry);
  keep(entry);
  return entry;
}

function measure(name, startOrOptions, endMark) {
  if (typeof name !== 'string') throw new ERR_INVALID_ARG_TYPE('name', 'string', name);
  const { begin, duration, detail } = span(startOrOptions, endMark);
  if (flags[TRACE] !== 0) trace.span(trace.kinds.USER, name, Math.max(clock() - begin, 0), Math.max(duration, 0));
  const copied = detail == null ? null : copyOf(detail);
  const entry = new PerformanceMeasure(kMake, name, begin, duration, copied);
  notify(entry);
  keep(entry);
  return entry;
}

function forgetMarks(name) {
  if (name === undefined) markTimes.clear();
  else markTimes.delete(name);
}

show(PerformanceMark, ['detail']);
show(PerformanceMeasure, ['detail']);

module.exports = { PerformanceMark, PerformanceMeasure, forgetMarks, mark, measure };
