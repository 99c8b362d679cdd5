'use strict';
// The entries that are kept until they are cleared, and who is told of new ones.

const process = require('process');
const { setImmediate } = require('internal/scheduler');

// So many entries of a type, and Node suspects a leak.
const MANY = 1e6;

const kept = { __proto__: null, mark: [], measure: [], resource: [] };
const clears = { __proto__: null, mark: 'performance.clearMarks', measure: 'performance.clearMeasures' };
const warned = new Set();
// The observers that are connected: objects with `offer(entry)`.
const observers = new Set();
// How many of them look at a type that costs something to watch: who does such a thing looks here first.
const watched = { __proto__: null, gc: 0, http2: 0, http: 0, net: 0, dns: 0 };

// Where whatever begins and ends later has its entry that is not yet one, see `internal/performance/spans`.
const kSpan = Symbol('kSpan');

const byStart = (a, b) => a.startTime - b.startTime;

// Tells the observers of an entry.
function tell(entry) {
  for (const observer of observers) observer.offer(entry);
}

// Whether somebody looks at entries of a type that costs something.
function hasObserver(type) {
  return watched[type] > 0;
}

// Keeps a mark or a measure.
function keep(entry) {
  const { entryType } = entry;
  const list = kept[entryType];
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
  kept[type] = name === undefined ? [] : kept[type].filter((entry) => entry.name !== name);
}

// Entries by name, by type, by both or all of them, in the order of their start.
function find(name, type) {
  let list;
  if (type === undefined) list = [...kept.mark, ...kept.measure, ...kept.resource];
  else list = kept[type] === undefined ? [] : [...kept[type]];
  if (name !== undefined) list = list.filter((entry) => entry.name === name);
  return list.sort(byStart);
}

// How many resources are kept, those that came when there was no room, and whether 'resourcetimingbufferfull' is due.
let resourceLimit = 250;
let waiting = [];
let fullPending = false;

// As the standard of resource timing: when there is no room, the event tells, and its listener may make room.
function keepResource(entry) {
  if (kept.resource.length < resourceLimit && !fullPending) {
    kept.resource.push(entry);
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
    const room = Math.max(Math.min(resourceLimit - kept.resource.length, waiting.length), 0);
    for (const entry of waiting.slice(0, room)) kept.resource.push(entry);
    waiting = before <= waiting.length - room ? [] : waiting.slice(room);
  }
  fullPending = false;
}

function limitResources(size) {
  resourceLimit = size;
}

module.exports = {
  byStart, clear, find, hasObserver, kSpan, keep, keepResource, limitResources, observers, tell, watched,
};
