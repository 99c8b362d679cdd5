'use strict';
// The performance timeline: buffered entries and connected observers.

const process = require('process');
const { setImmediate } = require('internal/scheduler');

// Node warns of a possible leak at this many entries of one type.
const MANY = 1e6;

const buffers = { __proto__: null, mark: [], measure: [], resource: [] };
const clears = { __proto__: null, mark: 'performance.clearMarks', measure: 'performance.clearMeasures' };
const warned = new Set();
// Connected observers: objects with `offer(entry)`.
const observers = new Set();
// Number of observers per costly entry type. Instrumented code checks it first.
const watched = { __proto__: null, gc: 0, http2: 0, http: 0, net: 0, dns: 0 };

// Key of the pending span on an instrumented object, see `internal/performance/spans`.
const kSpan = Symbol('kSpan');

const byStart = (a, b) => a.startTime - b.startTime;

// Passes an entry to the observers.
function notify(entry) {
  for (const observer of observers) observer.offer(entry);
}

// True if an observer wants entries of a costly type.
function hasObserver(type) {
  return watched[type] > 0;
}

// Buffers a mark or a measure.
function keep(entry) {
  const { entryType } = entry;
  const list = buffers[entryType];
  list.push(entry);
  if (list.length <= MANY || warned.has(entryType)) return;
  warned.add(entryType);
  const warning = new Error(
    `Possible perf_hooks memory leak detected. ${list.length} ${entryType} entries added to the global ` +
    `performance entry buffer. Use ${clears[entryType]} to clear the buffer.`);
  warning.name = 'MaxPerformanceEntryBufferExceededWarning';
  warning.entryType = entryType;
  warning.count = list.length;
  process.emitWarning(warning);
}

function clear(type, name) {
  buffers[type] = name === undefined ? [] : buffers[type].filter((entry) => entry.name !== name);
}

// Entries by name, by type, by both, or all, in the order of their start times.
function find(name, type) {
  let list;
  if (type === undefined) list = [...buffers.mark, ...buffers.measure, ...buffers.resource];
  else list = buffers[type] === undefined ? [] : [...buffers[type]];
  if (name !== undefined) list = list.filter((entry) => entry.name === name);
  return list.sort(byStart);
}

// Buffer size for resource entries, the overflow entries, and whether 'resourcetimingbufferfull' is pending.
let resourceLimit = 250;
let waiting = [];
let fullPending = false;

// Buffers a resource entry. If the buffer is full, 'resourcetimingbufferfull' is dispatched, whose listener may enlarge or clear the buffer
// (Resource Timing, "add a PerformanceResourceTiming entry").
function keepResource(entry) {
  if (buffers.resource.length < resourceLimit && !fullPending) {
    buffers.resource.push(entry);
    return;
  }
  if (!fullPending) {
    fullPending = true;
    setImmediate(makeRoom);
  }
  waiting.push(entry);
}

function makeRoom() {
  while (waiting.length > 0) {
    const before = waiting.length;
    const { Event } = require('internal/event_target');
    require('internal/performance').performance.dispatchEvent(new Event('resourcetimingbufferfull'));
    const room = Math.max(Math.min(resourceLimit - buffers.resource.length, waiting.length), 0);
    for (const entry of waiting.slice(0, room)) buffers.resource.push(entry);
    waiting = before <= waiting.length - room ? [] : waiting.slice(room);
  }
  fullPending = false;
}

function limitResources(size) {
  resourceLimit = size;
}

module.exports = {
  byStart, clear, find, hasObserver, kSpan, keep, keepResource, limitResources, observers, notify, watched,
};
